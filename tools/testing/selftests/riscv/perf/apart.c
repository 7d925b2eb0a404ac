// SPDX-License-Identifier: GPL-2.0-only
/*
 * A hart counts what happens on it, whatever another one does meanwhile. The caches are
 * each hart's own here.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "events.h"
#include "loops.h"
#include "perf.h"

#define ITERATIONS	50000UL
#define LINE		64
/* The last cache has a megabyte. */
#define LARGE		(4UL << 20)
/* So often the other hart must have missed it while this one was counting. */
#define ENOUGH		1000
#define TRIES		1000

static char buf[8192];

/* The other hart: loads and stores that are in no cache, and seldom in a TLB */
struct other {
	pthread_t thread;
	atomic_int tid;
	atomic_bool stop;
	char *memory;
};

static void *run_other(void *data)
{
	struct other *other = data;
	size_t at = 0;

	pin_to_cpu(1);
	other->tid = syscall(SYS_gettid);
	while (!other->stop) {
		(*(volatile char *)(other->memory + at))++;
		at = (at + 4096 + LINE) % LARGE;
	}
	return NULL;
}

/* What the loop "alu" makes happen, and what it does not */
static const struct {
	uint64_t config;
	unsigned int any;
} events[] = {
	{ 0x02, INSN }, { 0x01, CYCLE }, { 0x21, BRANCH },
	{ 0x10, LOAD }, { 0x11, STORE },
	/* the first data cache, and the last one: reads, writes, hits */
	{ 0x94, LOAD | STORE }, { 0x95, LOAD | STORE },
	{ 0x99, LOAD }, { 0x9a, LOAD }, { 0x9b, STORE }, { 0x9c, STORE },
	{ 0xa1, LOAD | STORE },
	/* both data TLBs */
	{ 0xac, LOAD | STORE }, { 0xad, LOAD | STORE }, { 0xb3, LOAD | STORE },
	{ 0xb4, LOAD | STORE },
};

FIXTURE(harts) {
	char unused;
};

FIXTURE_SETUP(harts)
{
}

FIXTURE_TEARDOWN(harts)
{
}

/* Where the host has much else to do the other hart may be slow to come to it. */
TEST_F_TIMEOUT(harts, what_the_other_does, 120)
{
	/* CACHE.LL.RD.DATA.MISS */
	struct perf_event_attr misses = attr_user(EV_RAW(0x9a));
	const struct loop *loop = loop_named("alu");
	struct other other = { .memory = fresh_pages(LARGE) };
	int fd[ARRAY_SIZE(events)], missing, tries = 0;
	uint64_t missed = 0;

	holds("EVT-031");
	ASSERT_LE(2, online_cpus());
	pin_to_cpu(0);
	ASSERT_EQ(0, pthread_create(&other.thread, NULL, run_other, &other));
	while (!other.tid)
		usleep(1000);
	misses.disabled = 0;
	missing = perf_open(&misses, other.tid, -1, -1);
	ASSERT_LE(0, missing) TH_LOG("%m");
	for (int i = 0; i < ARRAY_SIZE(events); i++) {
		struct perf_event_attr attr = attr_user(EV_RAW(events[i].config));

		fd[i] = i ? perf_open_sibling(&attr, fd[0]) :
			    perf_open(&attr, 0, -1, -1);
		ASSERT_LE(0, fd[i]) TH_LOG("event %#lx: %m", events[i].config);
	}
	for (; missed < ENOUGH && tries < TRIES; tries++) {
		uint64_t before = perf_read(missing);

		ASSERT_EQ(0, counted(fd[0], 0, loop->fn, ITERATIONS, buf));
		missed += perf_read(missing) - before;
	}
	other.stop = true;
	pthread_join(other.thread, NULL);
	EXPECT_LE(ENOUGH, missed);
	for (int i = 0; i < ARRAY_SIZE(events); i++) {
		EXPECT_EQ(tries * walk_count(loop, ITERATIONS, events[i].any),
			  perf_read(fd[i]))
			TH_LOG("event %#lx, %d times", events[i].config, tries);
	}
	/* Without their leader the others would count. */
	for (int i = 0; i < ARRAY_SIZE(events); i++)
		close(fd[i]);
	close(missing);
}

TEST_HARNESS_MAIN
