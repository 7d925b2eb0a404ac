// SPDX-License-Identifier: GPL-2.0-only
/*
 * A machine of which only two counters know modes, on one CPU at least: another may have
 * more. Events that ask for none can be on any other as well: they are not in the way of
 * those that do, whoever came first.
 */
#include <errno.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "events.h"
#include "loops.h"
#include "perf.h"

#define CHOOSY	2
#define EVENTS	(2 * CHOOSY)

static char buf[8192];

/* The first half can be anywhere. */
static struct perf_event_attr attr_of(int i)
{
	struct perf_event_attr attr = attr_user(EV_RAW(0x02));

	if (i < CHOOSY) {
		attr.exclude_kernel = 0;
		attr.exclude_hv = 0;
		attr.exclude_guest = 0;
	}
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
			   PERF_FORMAT_TOTAL_TIME_RUNNING;
	return attr;
}

static void check(struct __test_metadata *_metadata, const int *fd, uint64_t least)
{
	for (int i = 0; i < EVENTS; i++) {
		struct times t = perf_read_times(fd[i]);

		EXPECT_LE(least, t.value) TH_LOG("event %d", i);
		EXPECT_EQ(t.enabled, t.running) TH_LOG("event %d", i);
	}
}

TEST(in_a_group)
{
	const struct loop *loop = loop_named("alu");
	int fd[EVENTS];

	for (int i = 0; i < EVENTS; i++) {
		struct perf_event_attr attr = attr_of(i);

		fd[i] = i ? perf_open_sibling(&attr, fd[0]) :
			    perf_open(&attr, 0, -1, -1);
		ASSERT_LE(0, fd[i]) TH_LOG("event %d: %m", i);
	}
	ASSERT_EQ(0, counted(fd[0], 0, loop->fn, 100000, buf));
	check(_metadata, fd, walk_count(loop, 100000, INSN));
	for (int i = EVENTS - 1; i >= 0; i--)
		close(fd[i]);
}

/* Those that are there already go on, elsewhere, and nothing of them is lost. */
TEST(one_after_another)
{
	const struct loop *loop = loop_named("alu");
	uint64_t before[EVENTS];
	int fd[EVENTS];

	for (int i = 0; i < EVENTS; i++) {
		struct perf_event_attr attr = attr_of(i);

		fd[i] = perf_open(&attr, 0, -1, -1);
		ASSERT_LE(0, fd[i]) TH_LOG("event %d: %m", i);
	}
	for (int i = 0; i < EVENTS; i++) {
		ASSERT_EQ(0, ioctl(fd[i], PERF_EVENT_IOC_ENABLE, 0));
		loop->fn(100000, buf);
		for (int k = 0; k <= i; k++) {
			struct times t = perf_read_times(fd[k]);

			EXPECT_LE((i - k + 1) * walk_count(loop, 100000, INSN) -
				  (i - k + 1) * 100, t.value)
				TH_LOG("event %d of %d", k, i);
		}
	}
	for (int i = 0; i < EVENTS; i++)
		before[i] = perf_read_times(fd[i]).value;
	loop->fn(100000, buf);
	for (int i = 0; i < EVENTS; i++)
		EXPECT_LE(before[i] + 100000, perf_read_times(fd[i]).value);
	check(_metadata, fd, 100000);
	for (int i = 0; i < EVENTS; i++)
		close(fd[i]);
}

/* On whatever counter they are, each counts; what is read-only zero is none. */
TEST(all_count)
{
	const struct loop *loop = loop_named("alu");
	struct perf_event_attr attr = attr_of(0);
	int fd[32], nr;

	for (nr = 0; nr < 32; nr++) {
		fd[nr] = nr ? perf_open_sibling(&attr, fd[0]) :
			      perf_open(&attr, 0, -1, -1);
		if (fd[nr] < 0)
			break;
	}
	EXPECT_EQ(13, nr);
	ASSERT_EQ(0, counted(fd[0], 0, loop->fn, 100000, buf));
	while (nr--) {
		EXPECT_LE(walk_count(loop, 100000, INSN),
			  perf_read_times(fd[nr]).value) TH_LOG("event %d", nr);
		close(fd[nr]);
	}
}

/* There is no room for one more that is choosy. */
TEST(too_many)
{
	struct perf_event_attr attr = attr_of(CHOOSY);
	int fd[CHOOSY];

	for (int i = 0; i < CHOOSY; i++) {
		fd[i] = i ? perf_open_sibling(&attr, fd[0]) :
			    perf_open(&attr, 0, -1, -1);
		ASSERT_LE(0, fd[i]) TH_LOG("event %d: %m", i);
	}
	EXPECT_EQ(EINVAL, perf_error(&attr, -1, fd[0]));
	attr = attr_of(0);
	EXPECT_EQ(0, perf_error(&attr, -1, fd[0]));
	close(fd[1]);
	close(fd[0]);
}

TEST_HARNESS_MAIN
