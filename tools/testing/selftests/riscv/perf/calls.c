// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters that are reached by firmware: when a task goes and comes back, all its events
 * are stopped by one call and started by one, however many there are. Where each begins
 * with a count of its own, as for sampling, firmware has to be able to take all of these
 * from memory (SNAPSHOT in the environment); else there is a call for each.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "events.h"
#include "other.h"
#include "perf.h"

#define MOST		8
#define SWITCHES	200
/* So many that there is no sample. */
#define NEVER		(1ULL << 40)

/* Functions of the SBI PMU extension */
enum { MATCH = 2, START, STOP, FUNCTIONS = 9 };

struct calls {
	long to[FUNCTIONS];
};

static struct calls calls_so_far(void)
{
	FILE *file = fopen(DISTURB("calls"), "r");
	struct calls calls;

	for (int i = 0; i < FUNCTIONS; i++)
		if (!file || fscanf(file, "%ld", &calls.to[i]) != 1)
			abort();
	fclose(file);
	return calls;
}

FIXTURE(calls) {
	struct other other;
	int fd[MOST];
};

FIXTURE_VARIANT(calls) {
	int counting;
	int sampling;
};

#define VARIANT(name, ...) FIXTURE_VARIANT_ADD(calls, name) { __VA_ARGS__ }

VARIANT(one, .counting = 1);
VARIANT(four, .counting = 4);
VARIANT(eight, .counting = 8);
VARIANT(one_sampling, .sampling = 1);
VARIANT(four_sampling, .sampling = 4);
VARIANT(four_and_four_sampling, .counting = 4, .sampling = 4);

FIXTURE_SETUP(calls)
{
	struct perf_event_attr count = attr_user(EV_HW(INSTRUCTIONS));
	struct perf_event_attr sample = attr_sampling(EV_HW(INSTRUCTIONS), NEVER);

	write_number(DISTURB("calls"), 1);
	pin_to_cpu(0);
	other_begin(&self->other);
	for (int i = 0; i < variant->counting + variant->sampling; i++) {
		self->fd[i] = perf_open(i < variant->counting ? &count : &sample,
					0, -1, -1);
		ASSERT_LE(0, self->fd[i]) TH_LOG("event %d: %m", i);
		ioctl(self->fd[i], PERF_EVENT_IOC_ENABLE, 0);
	}
	/* When a counter takes an event that it has not had there are more calls. */
	other_ask(&self->other, 1);
}

FIXTURE_TEARDOWN(calls)
{
	write_number(DISTURB("calls"), 0);
	for (int i = 0; i < variant->counting + variant->sampling; i++)
		close(self->fd[i]);
	other_end(&self->other);
}

/* The task may also be switched while it looks: so there are bounds. */
TEST_F(calls, of_a_switch)
{
	int starts = !!variant->counting + variant->sampling;
	struct calls before, after;
	long at_most, at_least;

	if (getenv("SNAPSHOT"))
		starts = 1;
	at_most = -task_switches();
	before = calls_so_far();
	at_least = -task_switches();
	other_ask(&self->other, SWITCHES);
	at_least += task_switches();
	after = calls_so_far();
	at_most += task_switches();
	EXPECT_LE(SWITCHES, at_least);
	EXPECT_GE(2 * SWITCHES, at_most);
	EXPECT_LE(at_least, after.to[STOP] - before.to[STOP]);
	EXPECT_GE(at_most, after.to[STOP] - before.to[STOP]);
	EXPECT_LE(starts * at_least, after.to[START] - before.to[START]);
	EXPECT_GE(starts * at_most, after.to[START] - before.to[START]);
	EXPECT_EQ(before.to[MATCH], after.to[MATCH]);
}

TEST_HARNESS_MAIN
