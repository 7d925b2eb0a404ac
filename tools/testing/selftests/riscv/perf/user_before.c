// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a counter has counted before is nothing to who uses it next: user space does not
 * see it, and no event is given it.
 */
#include <sys/ioctl.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "events.h"
#include "loops.h"
#include "perf.h"

#define BEFORE	1000000

static char buf[8192] __attribute__((aligned(4096)));

#define READ(n) case n: asm volatile("csrr %0, " #n " + 0xc00" : "=r"(v)); break

/* Of the counters that the boots of this test have. */
static uint64_t read_counter(int n)
{
	uint64_t v = UINT64_MAX;

	switch (n) {
	READ(3);
	READ(4);
	}
	return v;
}

FIXTURE(before) {
	long access;
};

FIXTURE_SETUP(before)
{
	self->access = read_number(USER_ACCESS);
	write_number(USER_ACCESS, 1);
	pin_to_cpu(0);
}

FIXTURE_TEARDOWN(before)
{
	write_number(USER_ACCESS, self->access);
}

/* An event runs already when it is mapped, on a counter that another one had. */
TEST_F(before, is_not_read)
{
	struct perf_event_attr attr = attr_user(EV_RAW(0x10));
	struct ring *ring;
	int fd, other;

	other = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, other) TH_LOG("%m");
	ASSERT_EQ(0, counted(other, 0, loop_named("load")->fn, BEFORE, buf));
	close(other);
	attr.disabled = 0;
	fd = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, fd) TH_LOG("%m");
	ring = ring_map(fd, 1);
	ASSERT_NE(NULL, ring);
	ASSERT_NE(0, ring->page->index);
	EXPECT_GT(BEFORE, read_counter(ring->page->index - 1));
	EXPECT_GT(BEFORE, perf_read(fd));
	ring_unmap(ring);
	close(fd);
}

/* An event is mapped after it has left its counter: it may not just come back to that. */
TEST_F(before, is_read_from_the_start)
{
	struct perf_event_attr attr = attr_user(EV_RAW(0x10));
	struct ring *ring;
	int fd = perf_open(&attr, 0, -1, -1);

	ASSERT_LE(0, fd) TH_LOG("%m");
	ASSERT_EQ(0, counted(fd, 0, loop_named("load")->fn, BEFORE, buf));
	ring = ring_map(fd, 1);
	ASSERT_NE(NULL, ring);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	ASSERT_NE(0, ring->page->index);
	EXPECT_GT(BEFORE, read_counter(ring->page->index - 1));
	ring_unmap(ring);
	close(fd);
}

/*
 * An event comes back after its counter was used to try a selector, and again when another
 * event is on it. That is pinned to the CPU, or perf would take it off first.
 */
TEST_F(before, is_not_shared)
{
	struct perf_event_attr attr = attr_user(EV_RAW(0x10));
	struct perf_event_attr untried = attr_user(EV_RAW(0x11));
	struct perf_event_attr sampling = attr_sampling(EV_HW(INSTRUCTIONS), 1ULL << 40);
	const struct loop *loop = loop_named("load");
	int fd, other;

	fd = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, fd) TH_LOG("%m");
	ASSERT_EQ(0, counted(fd, 0, loop->fn, 1000, buf));
	other = perf_open(&untried, 0, -1, -1);
	ASSERT_LE(0, other) TH_LOG("%m");
	close(other);
	ASSERT_EQ(0, counted(fd, 0, loop->fn, 1000, buf));
	sampling.pinned = 1;
	other = perf_open(&sampling, -1, 0, -1);
	ASSERT_LE(0, other) TH_LOG("%m");
	ASSERT_EQ(0, ioctl(other, PERF_EVENT_IOC_ENABLE, 0));
	ASSERT_EQ(0, counted(fd, 0, loop->fn, 1000, buf));
	EXPECT_EQ(3 * walk_count(loop, 1000, LOAD), perf_read(fd));
	close(other);
	close(fd);
}

/* The fixed counters run for user space, and then count for an event again. */
TEST_F(before, is_not_counted)
{
	struct perf_event_attr attr = attr_user(EV_HW(INSTRUCTIONS));
	const struct loop *loop = loop_named("alu");
	int fd;

	for (int i = 0; i < 3; i++) {
		fd = perf_open(&attr, 0, -1, -1);
		ASSERT_LE(0, fd) TH_LOG("%m");
		ASSERT_EQ(0, counted(fd, 0, loop->fn, 1000, buf));
		EXPECT_EQ(walk_count(loop, 1000, INSN), perf_read(fd));
		close(fd);
		write_number(USER_ACCESS, 2);
		loop->fn(BEFORE, buf);
		write_number(USER_ACCESS, 1);
	}
}

TEST_HARNESS_MAIN
