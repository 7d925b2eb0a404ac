// SPDX-License-Identifier: GPL-2.0-only
/*
 * A core on which cycles have only a counter that knows no modes and does not interrupt,
 * and each mode has a cycle event of its own: who asks for cycles of a mode gets these.
 */
#include <errno.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "events.h"
#include "loops.h"
#include "perf.h"

/* What the core's documents call them: u_mode_cycle and s_mode_cycle */
#define USER_CYCLES	0x22
#define KERNEL_CYCLES	0x21

#define PERIOD		10007
#define TIMES		400000
#define RING_PAGES	256

static char buf[65536];

static struct perf_event_attr attr_kernel(struct perf_event_attr attr)
{
	attr.exclude_user = 1;
	attr.exclude_kernel = 0;
	return attr;
}

static struct perf_event_attr attr_both(struct perf_event_attr attr)
{
	attr.exclude_kernel = 0;
	attr.exclude_hv = 0;
	return attr;
}

/* Each cycle of the program, and none of the kernel's. */
TEST(counted_in_user_mode)
{
	struct perf_event_attr attr = attr_user(EV_HW(CPU_CYCLES));
	const struct loop *loop = loop_named("memory");
	int fd = perf_open(&attr, 0, -1, -1);

	ASSERT_LE(0, fd) TH_LOG("%m");
	ASSERT_EQ(0, counted(fd, 0, loop->fn, TIMES, buf));
	EXPECT_EQ(walk_count(loop, TIMES, CYCLE), perf_read(fd));
	close(fd);
}

/* The same as the core's own event, and as little as the kernel has done. */
TEST(counted_in_the_kernel)
{
	struct perf_event_attr attr = attr_kernel(attr_user(EV_HW(CPU_CYCLES)));
	struct perf_event_attr own = attr_kernel(attr_user(EV_RAW(KERNEL_CYCLES)));
	int fd = perf_open(&attr, 0, -1, -1), sibling;
	loop_fn *fn = loop_named("ecall")->fn;
	uint64_t few, many;

	ASSERT_LE(0, fd) TH_LOG("%m");
	sibling = perf_open_sibling(&own, fd);
	ASSERT_LE(0, sibling) TH_LOG("%m");
	ASSERT_EQ(0, counted(fd, 0, fn, 1000, buf));
	few = perf_read(fd);
	EXPECT_EQ(few, perf_read(sibling));
	ASSERT_EQ(0, counted(fd, 0, fn, 10000, buf));
	many = perf_read(fd) - few;
	/* A call of the kernel is some hundred instructions; the clock interrupts, too. */
	EXPECT_LE(1000 * 50, few);
	EXPECT_LE(5 * few, many);
	EXPECT_GE(20 * few, many);
	close(sibling);
	close(fd);
}

/* Samples of cycles are of the modes that are asked for, and each period has its own. */
FIXTURE(sampled) {
};

FIXTURE_VARIANT(sampled) {
	bool kernel;
	bool inherited;
};

FIXTURE_VARIANT_ADD(sampled, user) {
};

FIXTURE_VARIANT_ADD(sampled, kernel) {
	.kernel = true,
};

FIXTURE_VARIANT_ADD(sampled, user_of_a_child) {
	.inherited = true,
};

FIXTURE_SETUP(sampled) {
	pin_to_cpu(0);
	sample_rate_limit(NO_LIMIT);
}

FIXTURE_TEARDOWN(sampled) {
}

static int child_counted(int fd, loop_fn *fn, unsigned long n)
{
	pid_t pid;

	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	pid = fork();
	if (!pid) {
		fn(n, buf);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	return ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
}

TEST_F(sampled, each_period)
{
	struct perf_event_attr attr = attr_sampling(EV_HW(CPU_CYCLES), PERIOD);
	loop_fn *fn = loop_named(variant->kernel ? "ecall" : "alu")->fn;
	unsigned long n = variant->kernel ? 20000 : TIMES;
	struct samples s = {};
	struct counts counts;
	size_t kernel = 0;
	struct ring *ring;
	int fd;

	if (variant->kernel)
		attr = attr_kernel(attr);
	attr.inherit = variant->inherited;
	attr.read_format = PERF_FORMAT_LOST;
	fd = perf_open(&attr, 0, 0, -1);
	ASSERT_LE(0, fd) TH_LOG("%m");
	ring = ring_map(fd, RING_PAGES);
	ASSERT_NE(NULL, ring);
	ASSERT_EQ(0, variant->inherited ? child_counted(fd, fn, n) :
					  counted(fd, 0, fn, n, buf));
	counts = counts_of(fd);
	samples_take(&s, ring);
	EXPECT_LT(50, s.nr);
	for (size_t i = 0; i < s.nr; i++)
		kernel += (int64_t)s.at[i].ip < 0;
	/* The interrupt of what the kernel does last, with interrupts off, comes behind it. */
	EXPECT_LE(variant->kernel ? s.nr / 2 : 0, kernel);
	EXPECT_GE(variant->kernel ? s.nr : 0, kernel);
	EXPECT_EQ(0, s.lost);
	if (!variant->inherited) {
		/* With interrupts off for long, more than one ends before a sample. */
		EXPECT_EQ(counts.value / PERIOD, samples_told(&s) / PERIOD + counts.lost);
	}
	samples_free(&s);
	ring_unmap(ring);
	close(fd);
}

/*
 * Cycles of one mode are as frequent as cycles. Left alone, the kernel begins with a period of
 * 1, and takes a dozen of samples before it has one of 10,000.
 */
TEST(frequency_begins_without_a_burst)
{
	const struct loop *loop = loop_named("long");
	unsigned long n = 20000 / walk_count(loop, 1, CYCLE) ?: 1;

	sample_rate_limit(NO_LIMIT);
	EXPECT_GE(1, samples_of_frequency(PERF_COUNT_HW_CPU_CYCLES, 1000, loop->fn, n, buf));
}

/* perf takes a clock then, and says so. */
TEST(not_sampled_in_all_modes)
{
	struct perf_event_attr attr = attr_both(attr_sampling(EV_HW(CPU_CYCLES), PERIOD));

	EXPECT_EQ(ENOENT, perf_error(&attr, -1, -1));
	attr.config = PERF_COUNT_HW_INSTRUCTIONS;
	EXPECT_EQ(EOPNOTSUPP, perf_error(&attr, -1, -1));
}

/* The core's own events are what it says they are. */
TEST(own_events)
{
	struct perf_event_attr attr = attr_user(EV_RAW(USER_CYCLES));
	const struct loop *loop = loop_named("branch");
	int fd = perf_open(&attr, 0, -1, -1);

	ASSERT_LE(0, fd) TH_LOG("%m");
	ASSERT_EQ(0, counted(fd, 0, loop->fn, TIMES, buf));
	EXPECT_EQ(walk_count(loop, TIMES, CYCLE), perf_read(fd));
	close(fd);
	attr = attr_user(EV_HW(BRANCH_INSTRUCTIONS));
	fd = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, fd) TH_LOG("%m");
	ASSERT_EQ(0, counted(fd, 0, loop->fn, TIMES, buf));
	EXPECT_EQ(walk_count(loop, TIMES, BRANCH), perf_read(fd));
	close(fd);
}

TEST_HARNESS_MAIN
