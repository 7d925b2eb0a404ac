// SPDX-License-Identifier: GPL-2.0-only
/*
 * A hart goes off and comes back while all others have firmware make fences on all
 * harts. Who has seen it before it went sends it a fence that it must still take part
 * in, for that is waited for: if it does not, nothing here ever ends. This is up to
 * firmware, and takes harts that have to wait for each other.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "perf.h"

#define MAX_CPUS	16

static volatile bool fencing;

static void *fence(void *cpu)
{
	pin_to_cpu((long)cpu);
	while (fencing)
		write_number(DISTURB("fences"), 100);
	return NULL;
}

/* ROUNDS in the environment: how often. */
FIXTURE(fences) {
	int cpus;
};

FIXTURE_SETUP(fences)
{
	self->cpus = online_cpus();
	if (self->cpus < 2)
		SKIP(return, "one CPU only");
	if (access(DISTURB("fences"), W_OK))
		SKIP(return, "the module disturb is not loaded");
	ASSERT_GE(MAX_CPUS, self->cpus);
}

FIXTURE_TEARDOWN(fences)
{
}

TEST_F_TIMEOUT(fences, while_a_hart_stops, 6000)
{
	int rounds = number("ROUNDS", 300);
	pthread_t thread[MAX_CPUS];
	int last = self->cpus - 1;

	fencing = true;
	for (long cpu = 0; cpu < last; cpu++)
		ASSERT_EQ(0, pthread_create(&thread[cpu], NULL, fence, (void *)cpu));
	for (int i = 0; i < rounds; i++) {
		switch_cpu(last, false);
		switch_cpu(last, true);
	}
	fencing = false;
	for (int cpu = 0; cpu < last; cpu++)
		pthread_join(thread[cpu], NULL);
}

TEST_HARNESS_MAIN
