// SPDX-License-Identifier: GPL-2.0-only
/*
 * Groups are on the counters as a whole or not at all, and a group that can
 * never be is refused. More events than counters take turns.
 */
#include <errno.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "events.h"
#include "loops.h"
#include "perf.h"

#define MOST	64

static char buf[8192] __attribute__((aligned(4096)));

/*
 * Members of a group that count the same have the same count; but firmware starts and stops
 * one after another, and is itself counted if counters count in all modes.
 */
static bool agree(uint64_t first, uint64_t other)
{
	uint64_t between = all_modes() ? first / 10 : 0;

	return other >= first - between && other <= first + between;
}

static void close_all(const int *fd, int nr)
{
	while (nr--)
		close(fd[nr]);
}

/* How many events of instructions can be on the counters at the same time? */
static int capacity(void)
{
	struct perf_event_attr attr = attr_instructions();
	int fd[MOST], nr, fit = 0;
	uint64_t value;

	attr.pinned = 1;
	for (nr = 0; nr < MOST; nr++) {
		fd[nr] = perf_open(&attr, 0, -1, -1);
		if (fd[nr] < 0)
			break;
		ioctl(fd[nr], PERF_EVENT_IOC_ENABLE, 0);
	}
	/* A pinned event that finds no counter reads as the end of file. */
	for (int i = 0; i < nr; i++)
		fit += read(fd[i], &value, sizeof(value)) == sizeof(value);
	close_all(fd, nr);
	return fit;
}

/* Opens a group of nr events; returns how many were let in. */
static int open_group(int *fd, int nr, struct perf_event_attr *attr)
{
	attr->disabled = 1;
	for (int i = 0; i < nr; i++) {
		fd[i] = i ? perf_open_sibling(attr, fd[0]) :
			    perf_open(attr, 0, -1, -1);
		if (fd[i] < 0)
			return i;
	}
	return nr;
}

/* All members of a group count the same instructions, and all the time. */
TEST(whole_group)
{
	struct perf_event_attr attr = attr_instructions();
	const struct loop *loop = loop_named("memory");
	uint64_t exact = walk_count(loop, 100000, INSN);
	int nr = capacity();
	int fd[nr];

	holds("DEL-045");
	ASSERT_LE(2, nr);
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
			   PERF_FORMAT_TOTAL_TIME_RUNNING;
	ASSERT_EQ(nr, open_group(fd, nr, &attr)) TH_LOG("%m");
	ASSERT_EQ(0, counted(fd[0], 0, loop->fn, 100000, buf));
	for (int i = 0; i < nr; i++) {
		struct times t = perf_read_times(fd[i]);

		EXPECT_EQ(exact, own_count(exact, t.value))
			TH_LOG("member %d of %d", i, nr);
		EXPECT_EQ(t.enabled, t.running);
	}
	close_all(fd, nr);
}

static void enable_for_a_while(int fd)
{
	const struct loop *loop = loop_named("memory");

	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	loop->fn(10000000, buf);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
}

/*
 * A group that needs the fixed counter as well as all others, and has had to do
 * without it, gets it when it is free again.
 */
TEST(group_after_shortage)
{
	struct perf_event_attr fixed = attr_user(EV_HW(INSTRUCTIONS));
	struct perf_event_attr attr = attr_user(EV_RAW(0x10));
	int nr = capacity();
	int fd[nr], other;
	struct times t;

	if (!driver_is_ours())
		SKIP(return, "the built-in driver counts no fixed counter twice");
	fixed.pinned = 1;
	fixed.exclude_kernel = 0;
	other = perf_open(&fixed, -1, test_cpu(0), -1);
	ASSERT_LE(0, other) TH_LOG("%m");
	fixed.pinned = 0;
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
			   PERF_FORMAT_TOTAL_TIME_RUNNING;
	fixed.read_format = attr.read_format;
	pin_to_cpu(test_cpu(0));
	fd[0] = perf_open(&fixed, 0, -1, -1);
	ASSERT_LE(0, fd[0]) TH_LOG("%m");
	for (int i = 1; i < nr; i++) {
		fd[i] = perf_open_sibling(&attr, fd[0]);
		if (fd[i] < 0) {
			EXPECT_EQ(EINVAL, errno);
			nr = i;
		}
	}
	ioctl(other, PERF_EVENT_IOC_ENABLE, 0);
	enable_for_a_while(fd[0]);
	t = perf_read_times(fd[0]);
	EXPECT_EQ(0, t.running);
	ioctl(other, PERF_EVENT_IOC_DISABLE, 0);
	enable_for_a_while(fd[0]);
	t = perf_read_times(fd[0]);
	EXPECT_LT(0, t.running);
	close_all(fd, nr);
	close(other);
}

/*
 * A group does not fit, but its first event has had a counter for a moment, to begin
 * at zero, as what user space reads does. Who has the counter next counts what it does.
 */
TEST(counter_of_a_group_that_does_not_fit)
{
	struct perf_event_attr attr = attr_instructions();
	struct perf_event_attr raw = attr_user(EV_RAW(0x10));
	int nr = capacity() - 1;
	int pinned[nr], group[2], last;
	struct ring *ring;

	if (!driver_is_ours())
		SKIP(return, "the built-in driver's next event counts nothing");
	/* No counter is at zero. */
	attr.pinned = 1;
	for (int i = 0; i < nr; i++) {
		pinned[i] = perf_open(&attr, 0, -1, -1);
		ASSERT_LE(0, pinned[i]) TH_LOG("%m");
		ioctl(pinned[i], PERF_EVENT_IOC_ENABLE, 0);
	}
	attr = attr_user(EV_RAW(0x02));
	last = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, last) TH_LOG("%m");
	enable_for_a_while(last);
	close(last);

	last = perf_open(&attr, 0, -1, -1);
	ASSERT_EQ(2, open_group(group, 2, &raw)) TH_LOG("%m");
	ring = ring_map(group[0], 1);
	ASSERT_NE(NULL, ring);
	for (int i = 0; i < nr; i++)
		ioctl(pinned[i], PERF_EVENT_IOC_RESET, 0);
	ioctl(group[0], PERF_EVENT_IOC_ENABLE, 0);
	enable_for_a_while(last);
	EXPECT_LT(0, perf_read(last));
	EXPECT_GT(perf_read(pinned[0]), perf_read(last));
	ring_unmap(ring);
	close_all(group, 2);
	close(last);
	close_all(pinned, nr);
}

/* One read gives the whole group. */
TEST(read_group)
{
	struct perf_event_attr attr = attr_instructions();
	const struct loop *loop = loop_named("memory");
	uint64_t exact = walk_count(loop, 1000, INSN);
	uint64_t got[4];
	int fd[3];

	attr.read_format = PERF_FORMAT_GROUP;
	ASSERT_EQ(3, open_group(fd, 3, &attr)) TH_LOG("%m");
	ASSERT_EQ(0, counted(fd[0], 0, loop->fn, 1000, buf));
	ASSERT_EQ(sizeof(got), read(fd[0], got, sizeof(got)));
	EXPECT_EQ(3, got[0]);
	for (int i = 1; i <= 3; i++)
		EXPECT_EQ(exact, own_count(exact, got[i]));
	close_all(fd, 3);
}

TEST(too_large_group)
{
	struct perf_event_attr attr = attr_instructions();
	int nr = capacity();
	int fd[MOST];

	if (!driver_is_ours())
		SKIP(return, "the built-in driver opens groups that never count");
	ASSERT_GT(MOST, nr + 1);
	EXPECT_EQ(nr, open_group(fd, nr + 1, &attr));
	EXPECT_EQ(EINVAL, errno);
	close_all(fd, nr);
}

/*
 * The kernel's own events need no counter: they neither count against the
 * limit nor are refused in a group.
 */
TEST(software_event_in_group)
{
	struct perf_event_attr attr = attr_instructions();
	struct perf_event_attr clock = attr_user(PERF_TYPE_SOFTWARE,
						 PERF_COUNT_SW_TASK_CLOCK);
	const struct loop *loop = loop_named("memory");
	uint64_t exact = walk_count(loop, 100000, INSN);
	int nr = capacity();
	int fd[MOST];

	clock.exclude_kernel = 0;
	ASSERT_EQ(nr, open_group(fd, nr, &attr)) TH_LOG("%m");
	fd[nr] = perf_open_sibling(&clock, fd[0]);
	ASSERT_LE(0, fd[nr]) TH_LOG("software event: %m");
	ASSERT_EQ(0, counted(fd[0], 0, loop->fn, 100000, buf));
	EXPECT_LT(0, perf_read(fd[nr]));
	EXPECT_EQ(exact, own_count(exact, perf_read(fd[0])));
	close_all(fd, nr + 1);
}

/*
 * Too many events, one by one: at any time as many of them count as there are
 * counters. So what they have counted together is exactly the program times
 * the counters, however the turns fell; and their times likewise. The estimate
 * of all of them, count scaled by time, is then exact as well. That of each one
 * is near the truth, for the program is uniform and there are many turns; but
 * not very near, since the emulator's time goes on while the host does something
 * else.
 */
TEST(multiplexing)
{
	struct perf_event_attr attr = attr_instructions();
	const struct loop *loop = loop_named("memory");
	unsigned long n = 100000000;
	uint64_t total = walk_count(loop, n, INSN);
	/* Executed before and after; in all modes, by the kernel */
	uint64_t besides = all_modes() ? total / 5 : total / 1000;
	uint64_t sum = 0, running = 0, enabled = 0;
	int room = capacity();
	int nr = room + room / 2 + 1;
	int fd[MOST];

	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
			   PERF_FORMAT_TOTAL_TIME_RUNNING;
	ASSERT_GE(MOST, nr);
	pin_to_cpu(test_cpu(0));
	for (int i = 0; i < nr; i++) {
		fd[i] = perf_open(&attr, 0, -1, -1);
		ASSERT_LE(0, fd[i]) TH_LOG("event %d: %m", i);
	}
	for (int i = 1; i < nr; i++)
		ioctl(fd[i], PERF_EVENT_IOC_ENABLE, 0);
	/* Those of the others that have counted on the way here start anew. */
	for (int i = 1; i < nr; i++)
		ioctl(fd[i], PERF_EVENT_IOC_RESET, 0);
	ASSERT_EQ(0, counted(fd[0], 0, loop->fn, n, buf));
	for (int i = 1; i < nr; i++)
		ioctl(fd[i], PERF_EVENT_IOC_DISABLE, 0);

	for (int i = 0; i < nr; i++) {
		struct times t = perf_read_times(fd[i]);
		double estimate = (double)t.value * t.enabled / t.running;

		ASSERT_LT(0, t.running) TH_LOG("event %d of %d", i, nr);
		EXPECT_LE(t.running, t.enabled);
		if (time_is_steady()) {
			EXPECT_LT(total * 0.9, estimate) TH_LOG("event %d", i);
			EXPECT_GT(total * 1.1, estimate) TH_LOG("event %d", i);
		}
		sum += t.value;
		running += t.running;
		if (t.enabled > enabled)
			enabled = t.enabled;
	}
	EXPECT_LE(room * total, sum);
	EXPECT_GT(room * (total + besides), sum);
	EXPECT_GE(room * enabled * 1.01, running);
	EXPECT_LT(room * enabled * 0.95, running);
	close_all(fd, nr);
}

/* Groups that compete are each on as a whole: their members agree. */
TEST(competing_groups)
{
	struct perf_event_attr attr = attr_instructions();
	const struct loop *loop = loop_named("memory");
	int size = capacity() / 2 + 1;
	int fd[3][MOST];

	if (!driver_is_ours())
		SKIP(return, "the built-in driver starts a group's events one after another");
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
			   PERF_FORMAT_TOTAL_TIME_RUNNING;
	for (int g = 0; g < 3; g++)
		ASSERT_EQ(size, open_group(fd[g], size, &attr)) TH_LOG("%m");
	for (int g = 1; g < 3; g++)
		ioctl(fd[g][0], PERF_EVENT_IOC_ENABLE, 0);
	ASSERT_EQ(0, counted(fd[0][0], 0, loop->fn, 30000000, buf));
	for (int g = 1; g < 3; g++)
		ioctl(fd[g][0], PERF_EVENT_IOC_DISABLE, 0);
	for (int g = 0; g < 3; g++) {
		struct times first = perf_read_times(fd[g][0]);

		EXPECT_LT(0, first.value);
		EXPECT_LT(first.running, first.enabled);
		for (int i = 1; i < size; i++) {
			struct times t = perf_read_times(fd[g][i]);

			EXPECT_TRUE(agree(first.value, t.value))
				TH_LOG("group %d, member %d: %lu, not %lu", g, i,
				       t.value, first.value);
			EXPECT_EQ(first.running, t.running);
		}
		close_all(fd[g], size);
	}
}

TEST_HARNESS_MAIN
