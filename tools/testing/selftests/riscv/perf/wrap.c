// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters narrower than 64 bits go round, and nothing is lost by it: counts
 * are extended, periods longer than the counter are made of several turns, and
 * what is written to the counter is cut to its width (COF-043). A counter that
 * only counts tells nobody when it goes round (COF-044).
 *
 * For that to take less than minutes, this needs a machine on which an
 * instruction takes many cycles: CPI in the environment says how many.
 */
#include <sched.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "captures.h"
#include "events.h"
#include "loops.h"
#include "perf.h"

static char buf[8192] __attribute__((aligned(4096)));

static int pmc_width(void)
{
	struct perf_event_attr attr = attr_user(EV_HW(CPU_CYCLES));
	struct ring *ring;
	int fd, width;

	attr.disabled = 0;
	attr.sample_period = 1ULL << 62;
	fd = perf_open(&attr, 0, -1, -1);
	if (fd < 0)
		return -1;
	ring = ring_map(fd, 1);
	width = ring ? ring->page->pmc_width : -1;
	/* Mapped, the event would stay, on a counter. */
	if (ring)
		ring_unmap(ring);
	close(fd);
	return width;
}

FIXTURE(wrap) {
	const struct loop *loop;
	unsigned long n;
	uint64_t total;		/* cycles, several times round */
};

/* Periods around and above what the counter can hold. */
FIXTURE_VARIANT(wrap) {
	uint64_t period;
};

#define PERIOD(_name, _period) \
FIXTURE_VARIANT_ADD(wrap, _name) { .period = _period }
PERIOD(half, (1ULL << 31) - 1);
PERIOD(over_half, (1ULL << 31) + 1);
PERIOD(all, (1ULL << 32) - 1);
PERIOD(over_all, (1ULL << 32) + 1);
PERIOD(twice, 10000000007ULL);

FIXTURE_SETUP(wrap)
{
	int width = pmc_width();

	if (width >= 64)
		SKIP(return, "the counters of this machine are not narrow");
	if (!getenv("CPI"))
		SKIP(return, "this machine has too few cycles (CPI)");
	ASSERT_EQ(32, width);
	self->loop = loop_named("long");
	self->n = 500000;
	self->total = walk_count(self->loop, self->n, CYCLE);
	ASSERT_LT(5ULL << 32, self->total);
}

FIXTURE_TEARDOWN(wrap)
{
}

/* Nothing takes the task off the CPU, so nobody looks at its counters meanwhile. */
static long counted_alone(int fd, loop_fn *fn, unsigned long n)
{
	const struct sched_param first = { .sched_priority = 99 };
	const struct sched_param usual = {};
	long error;

	write_number("/proc/sys/kernel/sched_rt_runtime_us", -1);
	error = sched_setscheduler(0, SCHED_FIFO, &first);
	if (error)
		return error;
	error = counted(fd, 0, fn, n, buf);
	sched_setscheduler(0, SCHED_OTHER, &usual);
	return error;
}

/* Counters that nobody has used before. */
TEST_F(wrap, counts_from_the_first_turn)
{
	struct perf_event_attr attr = attr_user(EV_HW(CPU_CYCLES));
	int fd[32], nr;

	for (nr = 0; nr < ARRAY_SIZE(fd); nr++) {
		fd[nr] = nr ? perf_open_sibling(&attr, fd[0]) :
			      perf_open(&attr, 0, -1, -1);
		if (fd[nr] < 0)
			break;
	}
	ASSERT_LT(1, nr);
	ASSERT_EQ(0, counted_alone(fd[0], self->loop->fn, self->n));
	for (int i = 0; i < nr; i++) {
		uint64_t count = perf_read(fd[i]);

		EXPECT_EQ(self->total, count) TH_LOG("event %d", i);
	}
}

TEST_F(wrap, counts)
{
	struct perf_event_attr attr = attr_user(EV_HW(CPU_CYCLES));
	int fd[5];

	for (int i = 0; i < ARRAY_SIZE(fd); i++) {
		fd[i] = i ? perf_open_sibling(&attr, fd[0]) :
			    perf_open(&attr, 0, -1, -1);
		ASSERT_LE(0, fd[i]) TH_LOG("%m");
	}
	for (int k = 1; k <= 3; k++) {
		ASSERT_EQ(0, counted(fd[0], 0, self->loop->fn, self->n, buf));
		for (int i = 0; i < ARRAY_SIZE(fd); i++)
			EXPECT_EQ(k * self->total, perf_read(fd[i]));
	}
}

/* Whoever counts after this starts anew. */
static void use_all_counters(struct __test_metadata *_metadata, loop_fn *fn)
{
	struct perf_event_attr attr = attr_sampling(EV_HW(CPU_CYCLES), 1000003);
	int fd[32], nr;

	for (nr = 0; nr < ARRAY_SIZE(fd); nr++) {
		fd[nr] = nr ? perf_open_sibling(&attr, fd[0]) :
			      perf_open(&attr, 0, -1, -1);
		if (fd[nr] < 0)
			break;
	}
	ASSERT_LT(1, nr);
	ASSERT_EQ(0, counted(fd[0], 0, fn, 1000, buf));
	while (nr--)
		close(fd[nr]);
}

/*
 * An event leaves when its counter has gone round and the interrupt, which on some
 * machines is late, has not come yet. The next time round it is as late: by then a
 * counter that had gone on from where it was would be past that again.
 */
static void leave_after_a_turn(struct __test_metadata *_metadata, bool mapped)
{
	struct perf_event_attr attr = attr_user(EV_HW(CPU_CYCLES));
	const unsigned long cpi = number("CPI", 0);
	const struct loop *loop = loop_named("alu");
	/* Of six instructions; a counter starts in the middle. */
	const unsigned long half = (1UL << 31) / 6 / (cpi ?: 1);
	struct ring *ring = NULL;
	uint64_t total = 0;
	int fd[2];

	ASSERT_LT(1, cpi);
	pin_to_cpu(0);
	use_all_counters(_metadata, loop->fn);
	/* The first one is on the fixed counter, which is not narrow. */
	for (int i = 0; i < 2; i++) {
		fd[i] = i ? perf_open_sibling(&attr, fd[0]) :
			    perf_open(&attr, 0, -1, -1);
		ASSERT_LE(0, fd[i]) TH_LOG("%m");
	}
	if (mapped) {
		ring = ring_map(fd[1], 1);
		ASSERT_NE(NULL, ring);
	}
	ASSERT_EQ(0, counted(fd[0], 0, loop->fn, half - 50, buf));
	total += walk_count(loop, half - 50, CYCLE);
	/* Never as far as the interrupt would be late. */
	for (int i = 0; i < 10; i++) {
		ASSERT_EQ(0, counted(fd[0], 0, loop->fn, 10, buf));
		total += walk_count(loop, 10, CYCLE);
		EXPECT_EQ(total, perf_read(fd[1]));
	}
	/* The interrupt comes, and finds no event. */
	loop->fn(number("SKID", 0) + 1, buf);
	ASSERT_EQ(0, counted_alone(fd[0], loop->fn, 3 * half));
	total += walk_count(loop, 3 * half, CYCLE);
	EXPECT_EQ(total, perf_read(fd[0]));
	EXPECT_EQ(total, perf_read(fd[1]));
	if (ring)
		ring_unmap(ring);
	close(fd[1]);
	close(fd[0]);
}

TEST(leaves_after_a_turn)
{
	leave_after_a_turn(_metadata, false);
}

/* One whose page perf has to update does not simply come back; it still counts on. */
TEST(mapped_leaves_after_a_turn)
{
	long access = read_number(USER_ACCESS);

	write_number(USER_ACCESS, 0);
	leave_after_a_turn(_metadata, true);
	write_number(USER_ACCESS, access);
}

/*
 * The same if it is a read() that finds out, while the event runs: when it leaves, its
 * counter has not gone round since.
 */
TEST(leaves_after_a_look)
{
	struct perf_event_attr attr = attr_user(EV_HW(CPU_CYCLES));
	const unsigned long cpi = number("CPI", 0);
	const struct loop *loop = loop_named("alu");
	const unsigned long half = (1UL << 31) / 6 / (cpi ?: 1);
	int fd[2];

	ASSERT_LT(1, cpi);
	pin_to_cpu(0);
	use_all_counters(_metadata, loop->fn);
	for (int i = 0; i < 2; i++) {
		fd[i] = i ? perf_open_sibling(&attr, fd[0]) :
			    perf_open(&attr, 0, -1, -1);
		ASSERT_LE(0, fd[i]) TH_LOG("%m");
	}
	ASSERT_EQ(0, counted(fd[0], 0, loop->fn, half - 50, buf));
	for (int i = 0; i < 10; i++) {
		ASSERT_EQ(0, ioctl(fd[0], PERF_EVENT_IOC_ENABLE, 0));
		loop->fn(10, buf);
		perf_read(fd[1]);
		ASSERT_EQ(0, ioctl(fd[0], PERF_EVENT_IOC_DISABLE, 0));
	}
	EXPECT_LT(1UL << 31, perf_read(fd[0]));
	ASSERT_EQ(0, counted_alone(fd[0], loop->fn, 3 * half));
	EXPECT_EQ(perf_read(fd[0]), perf_read(fd[1]));
	close(fd[1]);
	close(fd[0]);
}

/*
 * An interrupt that is late by many periods: those are lost, and the next one begins.
 * Were it taken to have begun long ago, there would be no sample for a turn or more.
 * The last one may end so late that the event has left: then it is said to be lost.
 */
TEST(later_than_a_period)
{
	struct perf_event_attr attr = attr_sampling(EV_HW(INSTRUCTIONS), 1009);
	const struct loop *loop = loop_named("alu");
	const unsigned long n = 800000;
	const uint64_t all = walk_count(loop, n, INSN);
	struct samples s = {};
	struct counts counts;
	struct ring *ring;
	int fd;

	sample_rate_limit(NO_LIMIT);
	attr.read_format = PERF_FORMAT_LOST;
	fd = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, fd) TH_LOG("%m");
	ring = ring_map(fd, 256);
	ASSERT_NE(NULL, ring);
	ASSERT_EQ(0, counted_alone(fd, loop->fn, n));
	samples_take(&s, ring);
	counts = counts_of(fd);
	EXPECT_EQ(all, counts.value);
	EXPECT_EQ(0, s.lost);
	EXPECT_LE(all / (1009 + number("SKID", 0)), s.nr + counts.lost);
	EXPECT_GE(all / 1009, s.nr);
	EXPECT_GE(1, counts.lost);
	samples_free(&s);
	ring_unmap(ring);
	close(fd);
}

/* Not a sample, not a signal: nobody hears of the turns. */
TEST_F(wrap, tells_nobody)
{
	struct perf_event_attr attr = attr_user(EV_HW(CPU_CYCLES));
	struct samples s = {};
	struct ring *ring;
	int fd;

	attr.sample_type = SAMPLE_TYPE;
	fd = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, fd) TH_LOG("%m");
	ring = ring_map(fd, 16);
	ASSERT_NE(NULL, ring);
	ASSERT_EQ(0, counted(fd, 0, self->loop->fn, self->n, buf));
	samples_take(&s, ring);
	EXPECT_EQ(0, s.nr);
	EXPECT_EQ(0, s.others);
	EXPECT_EQ(self->total, perf_read(fd));
}

TEST_F(wrap, long_period)
{
	struct perf_event_attr attr = attr_sampling(EV_HW(CPU_CYCLES),
						    variant->period);
	struct prophet prophet;
	struct samples s = {};
	struct ring *ring;
	int fd;

	holds("COF-043");
	sample_rate_limit(NO_LIMIT);
	fd = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, fd) TH_LOG("%m");
	ring = ring_map(fd, 16);
	ASSERT_NE(NULL, ring);
	ASSERT_EQ(0, counted(fd, 0, self->loop->fn, self->n, buf));
	samples_take(&s, ring);
	EXPECT_EQ(self->total, perf_read(fd));
	ASSERT_EQ(self->total / variant->period, s.nr);
	prophet_start(&prophet, self->loop, self->n, CYCLE, variant->period);
	for (size_t i = 0; i < s.nr; i++) {
		uintptr_t next = prophet_next(&prophet);

		EXPECT_EQ(captures_cycles() ? prophet.cause : next, s.at[i].ip);
	}
	samples_free(&s);
}

TEST_HARNESS_MAIN
