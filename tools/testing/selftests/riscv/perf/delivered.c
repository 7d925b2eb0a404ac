// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whatever perf does with an event between two samples, each period that ends has its
 * sample, or a share of one if several end with interrupts off: the task is switched
 * out in the kernel, with interrupts off, and so is the event; or the tick of the clock
 * stops it for a moment, to change its period. An event of the CPU stays when tasks are
 * switched, but all counters are stopped while perf adds and removes those of the tasks.
 */
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "events.h"
#include "loops.h"
#include "other.h"
#include "perf.h"

/*
 * On a machine that is slow, a frequency makes periods short: then there are as many
 * samples as there are instructions, nearly.
 */
#define RING_PAGES	4096
#define ROUNDS		20
/* In each round. */
#define SWITCHES	100

static char buf[8192] __attribute__((aligned(4096)));

struct found {
	size_t samples;
	uint64_t told;		/* the sum of their periods */
	uint64_t longest;	/* of their periods */
	size_t others;		/* throttled, no room */
	size_t early;		/* they told of more than was counted */
	size_t untold;		/* another period had ended as well */
	uint64_t gone;		/* what they were, and what perf may have dropped */
	uint64_t counted;	/* at the last one, */
	uint64_t period;	/* which told of this period */
	uint64_t time;		/* of it, or of the beginning; ns */
	uint64_t since;		/* the one before it, or the beginning; ns */
	int64_t rest;		/* what had been counted and not told at the one before it */
};

/*
 * perf itself drops what has been counted of a period when it makes periods more than eight
 * times as short. A tick of the clock, or a sample, changes them by an eighth: that takes 16.
 */
static uint64_t shortest_drop(void)
{
	struct timespec tick;

	clock_getres(CLOCK_MONOTONIC_COARSE, &tick);
	return 15 * tick.tv_nsec;
}

/*
 * What had been counted at the last sample and was not told is of a period that has not ended:
 * it is shorter than the longer one of that before it and of the next that is told. What became
 * more while there was no sample for long may be what perf has dropped. What is told later than
 * it should be is not missing.
 */
static void judge(struct found *found, const struct sample *next)
{
	uint64_t longer = next->period > found->period ? next->period : found->period;
	int64_t missing = found->counted - found->told - found->gone;
	int64_t rest = missing > 0 ? missing : 0;

	if (rest > found->rest && found->since >= shortest_drop())
		rest = found->rest;
	if (found->samples && rest >= (int64_t)longer) {
		found->untold++;
		rest = 0;
	}
	found->gone += missing - rest;
	found->rest = rest;
	found->samples++;
	found->told += next->period;
	found->early += found->told > next->count;
	found->counted = next->count;
	found->period = next->period;
	found->since = next->time - found->time;
	found->time = next->time;
}

static void take(struct found *found, struct ring *ring)
{
	struct perf_event_header *header;

	while ((header = ring_next(ring))) {
		const struct sample *sample = (void *)(header + 1);

		if (header->type != PERF_RECORD_SAMPLE) {
			found->others++;
			continue;
		}
		judge(found, sample);
		if (found->longest < sample->period)
			found->longest = sample->period;
	}
}

FIXTURE(delivered) {
	struct other other;
};

FIXTURE_VARIANT(delivered) {
	uint64_t period;
	uint64_t frequency;
	uint64_t sample_type;
	uint64_t branches;
	int precise_ip;
	bool user;
	bool beside;		/* it is the CPU's, and the task has another one */
};

#define VARIANT(name, ...) FIXTURE_VARIANT_ADD(delivered, name) { __VA_ARGS__ }

VARIANT(period, .period = 30011);
VARIANT(period_beside_a_task, .period = 30011, .beside = true);
VARIANT(period_of_user_space, .period = 3001, .user = true);
VARIANT(frequency, .frequency = 2000);
VARIANT(high_frequency, .frequency = 8000);
VARIANT(call_chains, .frequency = 2000, .sample_type = PERF_SAMPLE_CALLCHAIN);
VARIANT(branches, .frequency = 2000, .sample_type = PERF_SAMPLE_BRANCH_STACK,
	.branches = PERF_SAMPLE_BRANCH_ANY);
VARIANT(call_stacks, .frequency = 2000, .user = true,
	.sample_type = PERF_SAMPLE_BRANCH_STACK,
	.branches = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK);
VARIANT(precise, .frequency = 2000, .precise_ip = 2);
VARIANT(precise_period, .period = 30011, .precise_ip = 2);

FIXTURE_SETUP(delivered)
{
	if (!driver_is_ours())
		SKIP(return, "the built-in driver does not say what it loses");
	if (variant->precise_ip && !max_precise())
		SKIP(return, "nothing is precise on this machine");
	if (variant->branches && access("/sys/bus/event_source/devices/cpu/caps/branches", F_OK))
		SKIP(return, "this machine has no branch records");
	pin_to_cpu(0);
	sample_rate_limit(NO_LIMIT);
	other_begin(&self->other);
}

FIXTURE_TEARDOWN(delivered)
{
	if (self->other.pid)
		other_end(&self->other);
}

/* The last one may be lost: the event does not come back. */
TEST_F_TIMEOUT(delivered, none_lost, 120)
{
	struct perf_event_attr attr =
		attr_sampling(EV_HW(INSTRUCTIONS), variant->period);
	struct perf_event_attr beside = attr_sampling(EV_HW(CPU_CYCLES), 0);
	struct found found = {};
	struct counts counts;
	struct ring *ring;
	long before;
	int fd, another = -1;

	attr.exclude_kernel = variant->user;
	attr.freq = !!variant->frequency;
	if (attr.freq)
		attr.sample_freq = variant->frequency;
	attr.sample_type |= PERF_SAMPLE_READ | variant->sample_type;
	attr.branch_sample_type = variant->branches;
	attr.precise_ip = variant->precise_ip;
	attr.read_format = PERF_FORMAT_LOST;
	attr.use_clockid = 1;
	attr.clockid = CLOCK_MONOTONIC;
	if (variant->beside) {
		beside.disabled = 0;
		beside.exclude_kernel = 0;
		another = perf_open(&beside, 0, -1, -1);
		ASSERT_LE(0, another) TH_LOG("%m");
	}
	fd = variant->beside ? perf_open(&attr, -1, 0, -1) : perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, fd) TH_LOG("%m");
	ring = ring_map(fd, RING_PAGES);
	ASSERT_NE(NULL, ring);

	before = task_switches();
	found.time = now_ns();
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	for (int i = 0; i < ROUNDS; i++) {
		for (int k = 0; k < SWITCHES; k++) {
			other_ask(&self->other, 1);
			if (k % 10 == 9)
				take(&found, ring);
		}
		loop_long(10000, buf);
		take(&found, ring);
	}
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	take(&found, ring);
	EXPECT_LE(ROUNDS * SWITCHES, task_switches() - before);

	counts = counts_of(fd);
	EXPECT_EQ(0, found.others);
	EXPECT_GE(1, counts.lost) TH_LOG("of %zu", found.samples);
	EXPECT_LT(20, found.samples);
	if (variant->period) {
		EXPECT_EQ(counts.value / variant->period,
			  found.told / variant->period + counts.lost);
		if (time_is_steady())
			EXPECT_EQ(found.told / variant->period, found.samples);
	} else {
		/* The rest is the last period, which may be longer than any before. */
		EXPECT_GT((int64_t)(2 * found.longest),
			  (int64_t)(counts.value - found.told - found.gone))
			TH_LOG("of %llu", (unsigned long long)counts.value);
	}
	EXPECT_EQ(0, found.early) TH_LOG("of %zu", found.samples);
	EXPECT_GE(counts.lost, found.untold) TH_LOG("of %zu", found.samples);
	ring_unmap(ring);
	close(fd);
	if (another >= 0)
		close(another);
}

/* How often something was told that disturb does to events with this period */
static long times_told(const char *what, long period)
{
	pin_to_cpu(0);
	sample_rate_limit(NO_LIMIT);
	write_number(what, period);
	return read_number(what);
}

/*
 * Two events overflow, and the one that is sampled first has the other stopped, as kernels
 * do with all events of a group that is throttled: then there is no sample of that one.
 */
TEST(not_of_what_is_stopped)
{
	ASSERT_EQ(0, access(DISTURB("group"), W_OK));
	EXPECT_EQ(0, times_told(DISTURB("group"), 3000000));
}

/* KVM has the event of a guest's counter go on like that. */
TEST(not_of_an_endless_period)
{
	ASSERT_EQ(0, access(DISTURB("extended"), W_OK));
	EXPECT_EQ(1, times_told(DISTURB("extended"), 300000));
}

TEST_HARNESS_MAIN
