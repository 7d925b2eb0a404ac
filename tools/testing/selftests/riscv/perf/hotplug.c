// SPDX-License-Identifier: GPL-2.0-only
/*
 * CPUs go off and come back while events count and sample on them.
 */
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "events.h"
#include "loops.h"
#include "perf.h"

#define ROUNDS	10

static char buf[8192] __attribute__((aligned(4096)));

static volatile bool switching;

/* The CPU that goes */
static int other_cpu(void)
{
	return test_cpu(1);
}

static void *switch_other(void *data)
{
	long rounds = 0;

	while (switching) {
		switch_cpu(other_cpu(), false);
		usleep(10000);
		switch_cpu(other_cpu(), true);
		usleep(10000);
		rounds++;
	}
	return (void *)rounds;
}

FIXTURE(hotplug) {
	char unused;
};

FIXTURE_SETUP(hotplug)
{
	if (test_cpus() < 2)
		SKIP(return, "one CPU only");
	sample_rate_limit(NO_LIMIT);
}

FIXTURE_TEARDOWN(hotplug)
{
	if (test_cpus() > 1)
		switch_cpu(other_cpu(), true);
}

/* Count and sample a loop of @n while the other CPU goes off and comes back: returns how often. */
static long task_goes(struct __test_metadata *_metadata, unsigned long n)
{
	const struct loop *loop = loop_named("memory");
	struct perf_event_attr attr = attr_own(period_if_any(100003));
	uint64_t exact = walk_count(loop, n, own_class());
	struct samples s = {};
	struct counts counts;
	pthread_t switcher;
	struct ring *ring;
	void *rounds;
	int fd;

	attr.read_format = PERF_FORMAT_LOST;
	fd = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, fd) TH_LOG("%m");
	ring = ring_map(fd, 256);
	ASSERT_NE(NULL, ring);
	switching = true;
	ASSERT_EQ(0, pthread_create(&switcher, NULL, switch_other, NULL));
	ASSERT_EQ(0, counted(fd, 0, loop->fn, n, buf));
	switching = false;
	pthread_join(switcher, &rounds);
	samples_take(&s, ring);
	counts = counts_of(fd);
	EXPECT_EQ(exact, counts.value);
	EXPECT_EQ(attr.sample_period ? exact / attr.sample_period : 0, s.nr);
	EXPECT_EQ(0, counts.lost);
	samples_free(&s);
	ring_unmap(ring);
	close(fd);
	return (long)rounds;
}

/*
 * A task keeps its exact count, and its samples, wherever it must go. How long a CPU takes to
 * go and to return is the host's affair: the loop lasts until it has done so more than once.
 */
TEST_F_TIMEOUT(hotplug, task_exact, 120)
{
	unsigned long n = 40000000;

	while (task_goes(_metadata, n) < 2) {
		n *= 2;
		ASSERT_GE(40000000 * 8, n);
	}
}

/* Tasks switched so far, on all CPUs */
static uint64_t all_switches(void)
{
	uint64_t switches = 0;
	char line[1024];
	FILE *f = fopen("/proc/stat", "r");

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "ctxt %lu", &switches) == 1)
			break;
	if (f)
		fclose(f);
	return switches;
}

/*
 * A CPU counts what the kernel does to switch tasks, in all modes: it saves 32 registers of
 * one and loads those of the other, and a status.
 */
#define FP_OF_A_SWITCH	66

/* A CPU's events end with the CPU; new ones work as soon as it is back. */
TEST_F_TIMEOUT(hotplug, cpu_events, 60)
{
	struct perf_event_attr attr = attr_sampling(EV_HW(INSTRUCTIONS),
						    period_if_any(100003));
	struct perf_event_attr count = attr_own(0);
	const struct loop *loop = loop_named("memory");
	unsigned long n = 500000;
	uint64_t exact = walk_count(loop, n, own_class());

	attr.exclude_kernel = 0;
	attr.disabled = 0;
	for (int i = 0; i < ROUNDS; i++) {
		struct samples s = {};
		uint64_t frozen, switches;
		int fd[3] = {}, again;
		struct ring *ring;

		for (int k = 0; k < 3; k++) {
			fd[k] = perf_open(&attr, -1, other_cpu(), -1);
			ASSERT_LE(0, fd[k]) TH_LOG("round %d: %m", i);
		}
		ring = ring_map(fd[0], 64);
		ASSERT_NE(NULL, ring);
		usleep(2000);
		switch_cpu(other_cpu(), false);
		frozen = perf_read(fd[1]);
		usleep(2000);
		EXPECT_EQ(frozen, perf_read(fd[1]));
		EXPECT_LT(0, frozen) TH_LOG("round %d", i);
		switch_cpu(other_cpu(), true);

		pin_to_cpu(other_cpu());
		again = perf_open(&count, 0, -1, -1);
		ASSERT_LE(0, again) TH_LOG("round %d: %m", i);
		ASSERT_EQ(0, counted(again, 0, loop->fn, n, buf));
		EXPECT_EQ(exact, perf_read(again)) TH_LOG("round %d", i);
		close(again);
		switches = all_switches();
		again = perf_open(&count, -1, other_cpu(), -1);
		ASSERT_LE(0, again) TH_LOG("round %d: %m", i);
		ASSERT_EQ(0, counted(again, 0, loop->fn, n, buf));
		switches = all_switches() - switches;
		EXPECT_LE(exact, perf_read(again)) TH_LOG("round %d", i);
		EXPECT_GE(exact + (all_modes() ? switches * FP_OF_A_SWITCH : 0), perf_read(again))
			TH_LOG("round %d, %lu switches", i, switches);
		close(again);
		pin_to_cpu(test_cpu(0));

		/* It takes long with interrupts off, and its last sample may never come. */
		samples_take(&s, ring);
		EXPECT_EQ(0, s.lost);
		EXPECT_LE(samples_told(&s), perf_read(fd[0])) TH_LOG("round %d", i);
		samples_free(&s);
		ring_unmap(ring);
		for (int k = 0; k < 3; k++)
			close(fd[k]);
	}
}

/* The kernel's thread of this name, or -1 */
static pid_t thread_named(const char *wanted)
{
	struct dirent *entry;
	pid_t found = -1;
	DIR *dir = opendir("/proc");

	while (dir && found < 0 && (entry = readdir(dir))) {
		char path[300], name[32] = "";
		FILE *file;

		snprintf(path, sizeof(path), "/proc/%s/comm", entry->d_name);
		file = fopen(path, "r");
		if (!file)
			continue;
		if (fscanf(file, "%31s", name) == 1 && !strcmp(name, wanted))
			found = atoi(entry->d_name);
		fclose(file);
	}
	if (dir)
		closedir(dir);
	return found;
}

/* Who takes a CPU offline is measured to the end, when all of its counters are reset. */
TEST_F_TIMEOUT(hotplug, who_takes_it_offline, 60)
{
	struct perf_event_attr attr = attr_instructions();
	uint64_t before, after;
	char name[32];
	pid_t pid;
	int fd[2];

	snprintf(name, sizeof(name), "migration/%d", other_cpu());
	pid = thread_named(name);
	ASSERT_LT(0, pid);
	attr.exclude_user = !all_modes();
	attr.exclude_kernel = 0;
	attr.disabled = 0;
	/* The second one is mapped, and so is removed in another way. */
	for (int k = 0; k < 2; k++) {
		fd[k] = perf_open(&attr, pid, -1, -1);
		ASSERT_LE(0, fd[k]) TH_LOG("%m");
	}
	ASSERT_NE(NULL, ring_map(fd[1], 1));
	for (int i = 0; i < 2 * ROUNDS; i++) {
		before = perf_read(fd[i & 1]);
		switch_cpu(other_cpu(), false);
		after = perf_read(fd[i & 1]);
		switch_cpu(other_cpu(), true);
		EXPECT_LT(before, after) TH_LOG("round %d", i);
		EXPECT_GT(1ULL << 40, after - before) TH_LOG("round %d", i);
	}
	for (int k = 0; k < 2; k++)
		close(fd[k]);
}

/* Samples are still taken after the CPU was off: its interrupt is on again. */
TEST_F_TIMEOUT(hotplug, samples_after, 60)
{
	const struct loop *loop = loop_named("memory");
	const unsigned long n = all_modes() ? 400000 : 100000;
	struct perf_event_attr attr = attr_own(10007);

	if (no_interrupt())
		SKIP(return, NO_INTERRUPT);
	attr.read_format = PERF_FORMAT_LOST;
	for (int i = 0; i < 3; i++) {
		struct samples s = {};
		struct counts counts;
		struct ring *ring;
		int fd;

		switch_cpu(other_cpu(), false);
		switch_cpu(other_cpu(), true);
		pin_to_cpu(other_cpu());
		fd = perf_open(&attr, 0, -1, -1);
		ASSERT_LE(0, fd) TH_LOG("%m");
		ring = ring_map(fd, 64);
		ASSERT_NE(NULL, ring);
		ASSERT_EQ(0, counted(fd, 0, loop->fn, n, buf));
		samples_take(&s, ring);
		counts = counts_of(fd);
		EXPECT_EQ(walk_count(loop, n, own_class()) / 10007, s.nr) TH_LOG("round %d", i);
		EXPECT_EQ(0, counts.lost);
		EXPECT_LT(50, s.nr);
		samples_free(&s);
		ring_unmap(ring);
		close(fd);
		pin_to_cpu(test_cpu(0));
	}
}

/* What user space may read is as before when the CPU comes back. */
TEST_F_TIMEOUT(hotplug, user_access_after, 60)
{
	pid_t pid;
	int status;

	switch_cpu(other_cpu(), false);
	switch_cpu(other_cpu(), true);
	pid = fork();
	if (!pid) {
		pin_to_cpu(other_cpu());
		asm volatile("csrr t0, cycle" : : : "t0");
		_exit(0);
	}
	waitpid(pid, &status, 0);
	EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGILL);
}

TEST_HARNESS_MAIN
