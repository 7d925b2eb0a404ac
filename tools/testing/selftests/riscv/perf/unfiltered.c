// SPDX-License-Identifier: GPL-2.0-only
/*
 * A machine whose counters count in all modes, whatever they are told: cores that had
 * counters before there were filters. What asks for a mode is refused, and what does
 * not is right.
 */
#include <errno.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "events.h"
#include "loops.h"
#include "perf.h"

static char buf[65536];

static struct perf_event_attr attr_all(uint32_t type, uint64_t config)
{
	struct perf_event_attr attr = attr_user(type, config);

	attr.exclude_kernel = 0;
	attr.exclude_hv = 0;
	return attr;
}

/* Neither user space alone, nor the kernel. */
static void one_mode_is_refused(struct __test_metadata *_metadata, struct perf_event_attr attr)
{
	attr.exclude_kernel = 1;
	EXPECT_EQ(EOPNOTSUPP, perf_error(&attr, -1, -1));
	attr.exclude_kernel = 0;
	attr.exclude_user = 1;
	EXPECT_EQ(EOPNOTSUPP, perf_error(&attr, -1, -1));
}

TEST(modes_are_refused)
{
	struct perf_event_attr attr = attr_all(EV_RAW(0x02));

	EXPECT_EQ(0, perf_error(&attr, -1, -1));
	one_mode_is_refused(_metadata, attr);
	attr.exclude_hv = 1;
	EXPECT_EQ(EOPNOTSUPP, perf_error(&attr, -1, -1));
}

/*
 * Four counters, one of which is fixed: what the program must have, and little more.
 * They are not equal: firmware starts and stops one after another, and is counted.
 */
TEST(counted_in_bounds)
{
	static const char * const names[] = { "memory", "branch", "call" };
	struct perf_event_attr raw = attr_all(EV_RAW(0x02));
	struct perf_event_attr fixed = attr_all(EV_HW(INSTRUCTIONS));
	uint64_t before[4];
	int fd[4];

	for (int i = 0; i < 4; i++) {
		fd[i] = i ? perf_open_sibling(&raw, fd[0]) :
			    perf_open(&fixed, 0, -1, -1);
		ASSERT_LE(0, fd[i]) TH_LOG("event %d: %m", i);
	}
	for (int n = 0; n < ARRAY_SIZE(names); n++) {
		const struct loop *loop = loop_named(names[n]);
		uint64_t user = walk_count(loop, 200000, INSN);

		for (int i = 0; i < 4; i++)
			before[i] = perf_read(fd[i]);
		ASSERT_EQ(0, counted(fd[0], 0, loop->fn, 200000, buf));
		for (int i = 0; i < 4; i++) {
			uint64_t count = perf_read(fd[i]) - before[i];

			EXPECT_LE(user, count) TH_LOG("%s", loop->name);
			/* Besides there is what the clock interrupts for. */
			EXPECT_GE(user + user / 5, count)
				TH_LOG("%s", loop->name);
		}
	}
	for (int i = 3; i >= 0; i--)
		close(fd[i]);
}

/*
 * What has only the counter that is there for it, whose filter other counters have and it
 * has not, as perf asks for it: guests are excluded by default.
 */
TEST(fixed_in_bounds)
{
	static const uint64_t events[] = {
		PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_INSTRUCTIONS,
	};
	const struct loop *loop = loop_named("alu");
	uint64_t user = walk_count(loop, 400000, INSN);

	for (int i = 0; i < 4; i++) {
		struct perf_event_attr attr = attr_all(EV_HW(CPU_CYCLES));
		int fd;

		attr.config = events[i % 2];
		attr.exclude_guest = i / 2;
		fd = perf_open(&attr, 0, -1, -1);
		ASSERT_LE(0, fd) TH_LOG("%m");
		ASSERT_EQ(0, counted(fd, 0, loop->fn, 400000, buf));
		EXPECT_LE(user, perf_read(fd));
		EXPECT_GE(user + user / 5, perf_read(fd));
		close(fd);
	}
}

TEST(fixed_modes_are_refused)
{
	struct perf_event_attr attr = attr_all(EV_HW(INSTRUCTIONS));

	one_mode_is_refused(_metadata, attr);
	attr.exclude_guest = 0;
	attr.exclude_host = 1;
	EXPECT_EQ(EOPNOTSUPP, perf_error(&attr, -1, -1));
}

/*
 * With delegated counters others have the event, too, and filters: who chooses the one that
 * has none is not given what is excluded. By firmware no counter has them here.
 */
TEST(chosen_one_excludes_no_guests)
{
	struct perf_event_attr attr = attr_all(EV_HW(INSTRUCTIONS));

	attr.exclude_guest = 1;
	EXPECT_EQ(0, perf_error(&attr, -1, -1));
	attr.config2 = 1 << 2;
	EXPECT_EQ(by_firmware() ? 0 : EOPNOTSUPP, perf_error(&attr, -1, -1));
	attr.exclude_guest = 0;
	EXPECT_EQ(0, perf_error(&attr, -1, -1));
}

/*
 * What runs while no event does is not counted: not even where counters cannot be
 * stopped, or only as much as there is between this program and the driver.
 */
TEST(not_meanwhile)
{
	struct perf_event_attr attr = attr_all(EV_HW(INSTRUCTIONS));
	struct perf_event_attr raw = attr_all(EV_RAW(0x02));
	const struct loop *loop = loop_named("alu");
	uint64_t least = 20 * walk_count(loop, 1000, INSN);
	uint64_t meanwhile = walk_count(loop, 1000000, INSN);
	int fd[2];

	fd[0] = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, fd[0]) TH_LOG("%m");
	fd[1] = perf_open(&raw, 0, -1, -1);
	ASSERT_LE(0, fd[1]) TH_LOG("%m");
	for (int i = 0; i < 20; i++) {
		for (int n = 0; n < 2; n++)
			ASSERT_EQ(0, counted(fd[n], 0, loop->fn, 1000, buf));
		loop->fn(1000000, buf);
	}
	for (int n = 0; n < 2; n++) {
		EXPECT_LE(least, perf_read(fd[n]));
		EXPECT_GE(least + meanwhile, perf_read(fd[n]));
		close(fd[n]);
	}
}

/* Those that run for user space run on, whoever opens in vain what is to be sampled. */
TEST(left_to_user_space)
{
	struct perf_event_attr attr = attr_sampling(EV_HW(INSTRUCTIONS), 10007);
	const struct loop *loop = loop_named("alu");
	long access = read_number(USER_ACCESS);
	uint64_t cycle, instret, now;

	attr.exclude_kernel = 0;
	attr.exclude_hv = 0;
	write_number(USER_ACCESS, 2);
	for (int i = 0; i < 2; i++) {
		attr.config = i ? PERF_COUNT_HW_CPU_CYCLES : PERF_COUNT_HW_INSTRUCTIONS;
		perf_error(&attr, -1, -1);
		asm volatile("rdinstret %0" : "=r"(instret));
		asm volatile("rdcycle %0" : "=r"(cycle));
		loop->fn(1000, buf);
		asm volatile("rdinstret %0" : "=r"(now));
		EXPECT_LE(walk_count(loop, 1000, INSN) - 10, now - instret);
		asm volatile("rdcycle %0" : "=r"(now));
		EXPECT_LT(0, now - cycle);
	}
	write_number(USER_ACCESS, access);
}

/* Where counters interrupt, each period has its sample. */
TEST(sampled)
{
	struct perf_event_attr attr = attr_sampling(EV_HW(INSTRUCTIONS), 10007);
	const struct loop *loop = loop_named("memory");
	struct samples s = {};
	struct counts counts;
	struct ring *ring;
	long stops;
	int fd;

	attr.exclude_kernel = 0;
	attr.exclude_hv = 0;
	attr.read_format = PERF_FORMAT_LOST;
	if (getenv("NO_INTERRUPT")) {
		EXPECT_EQ(EOPNOTSUPP, perf_error(&attr, -1, -1));
		/* perf record takes a clock then, for users without privileges as well. */
		attr.config = PERF_COUNT_HW_CPU_CYCLES;
		EXPECT_EQ(ENOENT, perf_error(&attr, -1, -1));
		attr.exclude_kernel = 1;
		attr.exclude_hv = 1;
		EXPECT_EQ(ENOENT, perf_error(&attr, -1, -1));
		return;
	}
	sample_rate_limit(NO_LIMIT);
	fd = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, fd) TH_LOG("%m");
	ring = ring_map(fd, 256);
	ASSERT_NE(NULL, ring);
	stops = 1 - task_switches();
	ASSERT_EQ(0, counted(fd, 0, loop->fn, 200000, buf));
	counts = counts_of(fd);
	samples_take(&s, ring);
	/* One may come when the event is about to stop, in the kernel. */
	EXPECT_GE(stops + task_switches(), counts.lost);
	EXPECT_EQ(0, s.lost);
	EXPECT_EQ(counts.value / 10007, s.nr + counts.lost);
	EXPECT_LT(50, s.nr);
	samples_free(&s);
	ring_unmap(ring);
	close(fd);
}

TEST_HARNESS_MAIN
