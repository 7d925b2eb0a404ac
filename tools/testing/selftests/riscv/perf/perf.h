/* SPDX-License-Identifier: GPL-2.0-only */
/* perf_event_open() and its ring buffer, as the tests here use them. */
#ifndef PERF_H
#define PERF_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Which driver owns the cpu PMU: ours or the one built into the kernel. */
bool driver_is_ours(void);
/*
 * One of the files of the PMU that the test is about, in sysfs: PMU in the environment, or cpu.
 * Good until this thread asks for another one.
 */
const char *pmu_file(const char *name);
/* Is its type none of perf's? */
bool pmu_has_own_type(void);
/* How many CPUs the test may be on, and the nth: CPUS in the environment, or all. */
int test_cpus(void);
int test_cpu(int n);
/* Are counters reached by calls to firmware (FIRMWARE in the environment)? */
bool by_firmware(void);
/*
 * Can cycles and instructions be counted once at a time only (ONLY_FIXED in the
 * environment)? So it is where firmware knows no other counters for them.
 */
bool only_fixed(void);
#define ONLY_FIXED	"instructions and cycles have one counter each"
/*
 * Do counters count in all modes, whatever they are told (MODES=all in the environment)?
 * Then events are of all modes, and the kernel and firmware add to what a program counts.
 */
bool all_modes(void);
#define ALL_MODES	"counters count in all modes"
/* Does no counter interrupt (NO_INTERRUPT in the environment)? */
bool no_interrupt(void);
#define NO_INTERRUPT	"no counter of this machine interrupts"
/*
 * Is this so of the counters that can count the event? SILENT_FIXED in the environment: those
 * that cycles and instructions have, with ONLY_FIXED, do not. Then attr_sampling() has the
 * raw events that are the same, for which there are others.
 */
bool is_silent(uint32_t type, uint64_t config);
/* Is this a XiangShan, whose counters are groups that count events of their own? */
bool is_xiangshan(void);
/*
 * Is this a machine on which an instruction always takes the same time? Else
 * what takes how long is a matter of what the host has to do besides.
 */
bool time_is_steady(void);
/* By CLOCK_MONOTONIC, in nanoseconds */
uint64_t now_ns(void);
/* How precise the driver says that events can be: 0, 2 or 3. */
int max_precise(void);
/*
 * Do samples of cycles have the address of the instruction that the cycle was
 * spent on, instead of where the interrupt came? They need not be precise for it.
 */
bool captures_cycles(void);

/*
 * The first statement of a test: the ids of the rules that it proves, with spaces
 * between them. A test that can pass while one of them is broken does not prove it.
 */
void holds(const char *rules);

/* What those without privileges may do. */
#define PARANOID	"/proc/sys/kernel/perf_event_paranoid"
/* Which counters they may read by themselves. */
#define USER_ACCESS	"/proc/sys/kernel/perf_user_access"

/* How many branches a hart records; only there if it does. */
#define CAPS_BRANCHES	pmu_file("caps/branches")

/* What the module disturb can be told, or asked. */
#define DISTURB(what)	"/sys/module/disturb/parameters/" what

/* With PMU in the environment an event of the CPU's own kind is that PMU's. */
int perf_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group);
/* What opening it fails with, or 0: for this task, or if @cpu is not -1, that CPU. */
int perf_error(const struct perf_event_attr *attr, int cpu, int group);
/*
 * The same for this task, of an event with config4. A kernel that has none, as Linux 6.12,
 * says E2BIG, whatever driver there is.
 */
int perf_error_of_config4(const struct perf_event_attr *attr);
uint64_t perf_read(int fd);

/* What read() returns with both times asked for. */
struct times {
	uint64_t value;
	uint64_t enabled;
	uint64_t running;
};

struct times perf_read_times(int fd);

/* How often this process has left the CPU. */
long task_switches(void);

/* What read() returns with PERF_FORMAT_LOST. */
struct counts {
	uint64_t value;
	uint64_t lost;
};

struct counts counts_of(int fd);

/*
 * What a program that executes @exact has counted, given what was seen: all of it. With
 * all_modes() the kernel's part is not known. There @exact is right if that much was seen
 * at least, and no more than a fifth and KERNEL_AROUND besides. That is for one CPU: of several
 * one waits for another in firmware, for as long as the host lets it; see attr_own().
 */
uint64_t own_count(uint64_t exact, uint64_t seen);
/* What it takes to enable an event and to disable it, and a tick of the clock in between. */
#define KERNEL_AROUND	100000

/*
 * Instructions that are the program's own, of the class own_class(), whatever counters count.
 * With all_modes() these are the ones for floating point: firmware has none, and the kernel
 * saves and restores these registers while it switches tasks, when no event of a task counts.
 */
struct perf_event_attr attr_own(uint64_t period);
unsigned int own_class(void);

/*
 * A counting event of this task, disabled: user space only, or if counters do not know
 * modes, of all.
 */
struct perf_event_attr attr_user(uint32_t type, uint64_t config);

/* The same of instructions, which more than one counter has. */
struct perf_event_attr attr_instructions(void);

int perf_open_sibling(struct perf_event_attr *attr, int leader);
struct perf_event_attr attr_sampling(uint32_t type, uint64_t config,
				     uint64_t period);

/*
 * A ring buffer. ring_next() returns the next record, or NULL when there is
 * none; the record stays valid until the next call.
 */
struct ring {
	int fd;
	struct perf_event_mmap_page *page;
	size_t size;
	uint64_t tail;
	char record[65536];
};

struct ring *ring_map(int fd, unsigned int pages);
void ring_unmap(struct ring *ring);
struct perf_event_header *ring_next(struct ring *ring);

/* PERF_SAMPLE_IP | PERF_SAMPLE_BRANCH_STACK, and nothing else */
struct branch_sample {
	uint64_t ip;
	uint64_t nr;
	struct perf_branch_entry at[];
};

/* The next record that is one, or NULL when there is none. */
struct branch_sample *next_sample(struct ring *ring);

/* The samples of one ring, and what else was found in it. */
struct sample {
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, res;
	uint64_t period;
	uint64_t count;		/* with PERF_SAMPLE_READ */
	uint64_t lost;		/* and PERF_FORMAT_LOST */
	uint32_t raw_size;	/* and PERF_SAMPLE_RAW; of what follows */
	uint32_t raw[7];
	uint32_t misc;
};

#define SAMPLE_TYPE	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
			 PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD)

struct samples {
	struct sample *at;
	size_t nr;
	uint64_t lost;		/* the sum of PERF_RECORD_LOST */
	uint64_t throttled;
	uint64_t unthrottled;
	uint64_t others;
	bool uncounted;		/* PERF_SAMPLE_RAW without PERF_SAMPLE_READ */
};

/*
 * Empty the ring; its event must have SAMPLE_TYPE, and may have what struct sample
 * says besides. Adds to what is there.
 */
void samples_take(struct samples *s, struct ring *ring);
/* The sum of their periods. */
uint64_t samples_told(const struct samples *s);
void samples_free(struct samples *s);

/*
 * How many samples there must be of a program that counts @exact: one for each period.
 * With all_modes() it is what was counted that says how many, and the last one may be due
 * when the event stops in the kernel, where it is lost.
 */
uint64_t samples_due(uint64_t exact, struct counts c, uint64_t period);
/*
 * How many there are; with all_modes() one stands for several, if the kernel was without
 * interrupts for longer than a period.
 */
uint64_t samples_taken(const struct samples *s, uint64_t period);
/* Of an event that is counted, and sampled as well where counters interrupt */
uint64_t period_if_any(uint64_t period);

/* How many there are of so many times round, if so many a second are asked for. */
size_t samples_of_frequency(uint64_t config, uint64_t hertz,
			    void (*fn)(unsigned long n, void *buf), unsigned long n, void *buf);

/* More samples than this are throttled; the kernel shall not change it. */
void sample_rate_limit(long samples_per_second);
/*
 * The kernel may lower that limit until samples take no more than so many percent of the
 * time; 0: it may not.
 */
void sample_time_limit(int percent);
/* What the limit is now. */
long sample_rate_allowed(void);
#define NO_LIMIT	100000000

/*
 * At each tick of the clock this CPU does what it does for deep sleep, after which
 * its counters hold rubbish: that is what the module disturb is for. dozed() and
 * doze_end() return how often it has done so.
 */
bool can_doze(void);
void doze_begin(void);
long dozed(void);
long doze_end(void);

void pin_to_cpu(int cpu);
/* The hart's number for the machine, given that of the CPU for the kernel. */
int hart_of_cpu(int cpu);
int online_cpus(void);
/* Take it offline, or have it come back. */
void switch_cpu(int cpu, bool on);
/* Begin to take it offline, and have the kernel fail at that. Has it stayed? */
bool cpu_stays_after_all(int cpu);
/* One in the environment. */
long number(const char *name, long otherwise);
/* So many times; in a long run, which has TIMES in the environment, more often. */
int so_often(int n);
long read_number(const char *path);
void write_number(const char *path, long value);
/* Room for a loop's memory: fresh pages, never touched. */
void *fresh_pages(size_t size);

/* Where a program may call the kernel, and does not come. */
#define OF_THE_KERNEL	0xffffffff80000abcUL

/* Calls it so often, and goes on after each time. */
void calls_the_kernel(unsigned long n, void *unused);

#endif
