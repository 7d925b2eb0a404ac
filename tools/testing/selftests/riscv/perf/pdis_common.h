/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sampled instructions and what the machine writes down of them. PDIS_TRUTH in the
 * environment names the file.
 */
#ifndef PDIS_COMMON_H
#define PDIS_COMMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "pdis_spec.h"
#include "perf.h"

#define PMU		"/sys/bus/event_source/devices/riscv_pdis/"

/* What an instruction is sampled for. */
enum select { ALL, LOAD_ONLY, STORE_ONLY, LOAD_OR_STORE, TRANSFER };

#define ACCELERATE	(1ULL << 33)
#define TS_ENABLE	(1ULL << 34)
#define PA_ENABLE	(1ULL << 35)
#define PRIOR_TARGET	(1ULL << 36)
#define JITTER		(1ULL << 63)

/* with the number of cycles */
#define BELOW		(1ULL << 12)

struct records {
	struct riscv_pdis_record *at;
	size_t nr;
};

void records_add(struct records *r, const void *record);
void records_forget(struct records *r);
/* The same ones, and as many? If not, the first that differs is printed. */
bool records_equal(const struct records *seen, const struct records *truth);

/* The registers as they are when sampling is started. */
struct start {
	uint64_t ctl;
	uint64_t counter;
	uint64_t evmask;
	uint64_t evmatch;
	uint64_t filter;
	uint64_t ambcs;
	uint64_t ambaddr;
};

/* The machine's code of a source: another hart's cache had it, and had modified it. */
#define HITM		6

/* No other cache is asked: its own first one has it, or an older store, or a device. */
static inline bool asks_nobody(unsigned int source)
{
	return source == 1 || source == 4 || source == 5;
}

/* What was sampled from one start to the next. */
struct window {
	size_t overflows;	/* of COUNT */
	uint64_t first;		/* counted at the first, since the one before */
	uint64_t period;	/* from each of them to the next */
	bool uneven;		/* these differ */
};

/* What the log says: how many samples had which fate, and those recorded. */
struct truth {
	FILE *file;
	int hart;		/* of this one only, unless -1 */
	uint64_t period;	/* if not 0, that of the one event there is, on one hart */
	bool anew;		/* the next overflow is another event's */
	uint64_t rubbish;	/* in the words of records that mean nothing */
	struct records recorded;
	uint64_t *counted;	/* for each of these, as stands_for */
	size_t written;		/* as many of them have been seen */
	size_t dropped;
	size_t untranslated;	/* of these, for want of a translation */
	size_t collided;
	size_t filtered;
	size_t again;		/* samples that were selected by ACC */
	size_t overflows;	/* of COUNT */
	uint64_t first, last;	/* of these: how much it had ever counted */
	uint64_t stands_for;	/* of the last one, since the one before; 0: not known */
	bool told;		/* the last one is told by a record */
	size_t uneven;		/* of these, not a period after the one before */
	char line[2][512];	/* if there is a period: of the last overflow, and this line */
	char odd[1024];		/* the first uneven one, after the one before it */
	size_t starts;
	struct start start;	/* the last one */
	struct window *windows;	/* after each of them */
	size_t overwritten;	/* in the registers, before they could be read */
	size_t since;		/* recorded since the last start */
	size_t full;		/* pages that were filled to the end */
	size_t breaches;	/* rules that the driver has not kept */
	char breach[16];	/* the first of them */
};

/* RUBBISH in the environment: what the machine has in words that mean nothing. */
uint64_t rubbish(void);

/* LACKS in the environment: the names that format/ does not have on this machine. */
bool lacks(const char *name);

/* The number of the page of the machine's memory that is at @at. */
uint64_t frame_of(const char *at);

/* Look at what is written from now on. */
bool truth_begin(struct truth *t);
bool truth_begin_on(struct truth *t, int hart);
/* What has been written since, added to what is there. */
void truth_take(struct truth *t);
/* Takes what is written until @nr more are recorded; false if a minute is not enough. */
bool truth_await(struct truth *t, size_t nr);
/* From now on it is another event: what of the last one's period was left is not gone on. */
void truth_next_event(struct truth *t);
/* Nobody knows what has become of a sample that is none of these. */
size_t accounted(const struct truth *t);
void truth_end(struct truth *t);

/*
 * What holds of each recording, whatever else is asked: each sample that was selected
 * has a known fate; from one overflow of COUNT to the next it is a period; and the
 * driver has kept to the order in which hardware wants to be treated: of some rules
 * the machine writes down when they are broken, BUFFER_RULES of a buffer, and
 * PDIS-IND-013 of the data registers, PDIS-CUST-004 of spdisctl.
 */
#define BUFFER_RULES							\
	"AMB-081 AMB-082 AMB-084 AMB-085 AMB-086 AMB-090 AMB-092 AMB-093 AMB-095 "	\
	"AMB-101 "

#define CHECK_TRUTH(_truth) do {					\
	struct truth *__t = (_truth);					\
									\
	if (__t->file)							\
		truth_take(__t);					\
	EXPECT_EQ(__t->overflows + __t->again, accounted(__t));		\
	EXPECT_EQ(0, __t->uneven) TH_LOG("%s", __t->odd);		\
	EXPECT_EQ(0, __t->breaches) TH_LOG("%s", __t->breach);		\
} while (0)

/* PERF_RECORD_AUX; of a buffer that is overwritten it is not where, but the end. */
struct aux_record {
	uint64_t end;
	uint64_t size;
	uint64_t flags;
};

/* An event with both its buffers. */
struct sampled {
	int fd;
	struct ring *ring;
	char *aux;
	size_t size;
	uint64_t tail;		/* free-running */
	struct records records;
	uint64_t flags;		/* of all PERF_RECORD_AUX */
	uint64_t told;		/* bytes that these say */
};

struct perf_event_attr attr_pdis(uint64_t config, uint64_t period);

bool sampled_open_as(struct sampled *s, struct perf_event_attr *attr,
		     unsigned int pages, pid_t pid, int cpu, int prot);
bool sampled_open_on(struct sampled *s, struct perf_event_attr *attr,
		     unsigned int pages, pid_t pid, int cpu);
/* Of this task, wherever it runs. */
bool sampled_open(struct sampled *s, struct perf_event_attr *attr,
		  unsigned int pages);
void sampled_close(struct sampled *s);
/* Have the AUX buffer mapped; sampled_open() and those like it do it. */
bool sampled_map_aux(struct sampled *s, unsigned int pages, int prot);
/* What PERF_RECORD_AUX say. */
void sampled_listen(struct sampled *s);
/* Take what is there, and give the room back. */
void sampled_take(struct sampled *s);

/* Opening an event like this task's "good", but for that, fails so; 0: it does not. */
#define EXPECT_ERROR(_errno, ...) do {					\
	struct perf_event_attr __attr = good;				\
									\
	__attr.__VA_ARGS__;						\
	EXPECT_EQ(_errno, perf_error(&__attr, -1, -1)) TH_LOG("%s", #__VA_ARGS__); \
} while (0)

/* Gets ready, or says why this machine is not one to test this on. */
const char *why_not(struct truth *truth);

#endif
