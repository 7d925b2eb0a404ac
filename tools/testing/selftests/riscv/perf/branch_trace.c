// SPDX-License-Identifier: GPL-2.0-only
/*
 * An event that counts what is recorded, with a period of as many as there are records:
 * the samples have each transfer of a program, once, in its order.
 */
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "kselftest_harness.h"
#include "events.h"
#include "perf.h"

/* CTR.UPDATE.RET of the emulated core */
#define RECORDED	0xfd
/* What an event is given unless it asks for more */
#define RECORDS		32

/*
 * Jumps, each of which goes to the next one that the program has not been at: from place
 * 0 to 1 * STEP, 2 * STEP, and so on, modulo their number, which has no factor in common
 * with it.
 */
#define JUMPS_MADE	4001
#define STEP		1237

static uint32_t *jumps;

static unsigned int place(unsigned int n)
{
	return n * STEP % JUMPS_MADE;
}

/* jal x0 */
static uint32_t jump(long offset)
{
	return 0x6f | (offset >> 20 & 1) << 31 | (offset >> 1 & 0x3ff) << 21 |
	       (offset >> 11 & 1) << 20 | (offset >> 12 & 0xff) << 12;
}

static void make_jumps(void)
{
	size_t size = JUMPS_MADE * sizeof(*jumps);

	jumps = mmap(NULL, size, PROT_READ | PROT_WRITE | PROT_EXEC,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (jumps == MAP_FAILED)
		abort();
	for (unsigned int n = 0; n + 1 < JUMPS_MADE; n++)
		jumps[place(n)] = jump(((long)place(n + 1) - place(n)) * 4);
	jumps[place(JUMPS_MADE - 1)] = 0x00008067;	/* ret */
	__builtin___clear_cache((char *)jumps, (char *)jumps + size);
}

/* Which jump is it, or -1 if it is none of these? */
static long which(const struct perf_branch_entry *at)
{
	static unsigned int number[JUMPS_MADE];
	unsigned long from = (at->from - (uintptr_t)jumps) / 4;

	if (!number[STEP])
		for (unsigned int n = 0; n < JUMPS_MADE; n++)
			number[place(n)] = n;
	return from < JUMPS_MADE ? (long)number[from] : -1;
}

/* What the samples have of the jumps: as many in order, and what is out of it. */
struct trace {
	long next;
	long wrong;
	long samples;
};

static void follow(struct trace *trace, struct ring *ring)
{
	struct branch_sample *sample;

	while ((sample = next_sample(ring))) {
		trace->samples++;
		for (uint64_t i = sample->nr; i-- > 0;) {
			long n = which(&sample->at[i]);

			if (n < 0)
				continue;
			trace->wrong += n != trace->next ||
				(n + 1 < JUMPS_MADE &&
				 sample->at[i].to != (uintptr_t)&jumps[place(n + 1)]);
			trace->next = n + 1;
		}
	}
}

static struct trace run(int fd, struct ring *ring)
{
	struct trace trace = {};

	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	((void (*)(void))jumps)();
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	follow(&trace, ring);
	return trace;
}

/* Who leaves the CPU leaves behind what has been recorded since the last sample. */
TEST(has_each_transfer)
{
	struct perf_event_attr attr = attr_sampling(EV_RAW(RECORDED), RECORDS);
	struct ring *ring;
	struct trace trace;
	long switches;
	int fd;

	holds("EVT-001");
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY;
	sample_rate_limit(NO_LIMIT);
	make_jumps();
	fd = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, fd);
	ring = ring_map(fd, 256);
	do {
		switches = task_switches();
		trace = run(fd, ring);
	} while (task_switches() != switches);
	TH_LOG("%ld jumps in %ld samples", trace.next, trace.samples);
	EXPECT_EQ(0, trace.wrong);
	EXPECT_LT(JUMPS_MADE - RECORDS, trace.next);
	EXPECT_LE(JUMPS_MADE / RECORDS, trace.samples);
	ring_unmap(ring);
}

TEST_HARNESS_MAIN
