// SPDX-License-Identifier: GPL-2.0-only
/*
 * Privilege modes: exclude_user, exclude_kernel, exclude_hv, exclude_guest and
 * exclude_host count and sample what they say and nothing else (COF-050).
 */
#include <errno.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "events.h"
#include "loops.h"
#include "perf.h"

static char buf[8192] __attribute__((aligned(4096)));

enum { ALL, USER, KERNEL, NR_MODES };

static struct perf_event_attr attr_mode(int mode, uint32_t type,
					uint64_t config)
{
	struct perf_event_attr attr = attr_user(type, config);

	attr.exclude_kernel = mode == USER;
	attr.exclude_user = mode == KERNEL;
	return attr;
}

FIXTURE(filter) {
	int fd[NR_MODES];
};

FIXTURE_VARIANT(filter) {
	uint32_t type;
	uint64_t config;
	unsigned int any;
};

#define VARIANT(...)	VARIANT_(__VA_ARGS__)
#define VARIANT_(_name, _type, _config, _any)				\
FIXTURE_VARIANT_ADD(filter, _name) {					\
	.type = _type, .config = _config, .any = _any,			\
}
VARIANT(instructions, EV_HW(INSTRUCTIONS), INSN);
VARIANT(cycles, EV_HW(CPU_CYCLES), CYCLE);
VARIANT(loads, EV_RAW(0x10), LOAD);
VARIANT(branches_taken, EV_RAW(0x22), TAKEN);

FIXTURE_SETUP(filter)
{
	if (all_modes())
		SKIP(return, ALL_MODES);
	if (only_fixed() && variant->type == PERF_TYPE_HARDWARE)
		SKIP(return, ONLY_FIXED);
	for (int mode = 0; mode < NR_MODES; mode++) {
		struct perf_event_attr attr = attr_mode(mode, variant->type,
							variant->config);

		self->fd[mode] = mode ? perf_open_sibling(&attr, self->fd[0]) :
					perf_open(&attr, 0, -1, -1);
		if (self->fd[mode] < 0 && !driver_is_ours())
			SKIP(return, "the built-in driver has no such event: %m");
		ASSERT_LE(0, self->fd[mode]) TH_LOG("mode %d: %m", mode);
	}
}

FIXTURE_TEARDOWN(filter)
{
	for (int mode = 0; mode < NR_MODES; mode++)
		close(self->fd[mode]);
}

/* System calls, page faults and plain code: user space is exact. */
TEST_F(filter, user_is_exact)
{
	static const char * const names[] = { "memory", "branch", "ecall" };

	holds("COF-050");
	for (int i = 0; i < ARRAY_SIZE(names); i++) {
		const struct loop *loop = loop_named(names[i]);
		uint64_t before = perf_read(self->fd[USER]);
		unsigned long n = 20000;

		ASSERT_EQ(0, counted(self->fd[0], 0, loop->fn, n, buf));
		EXPECT_EQ(walk_count(loop, n, variant->any),
			  perf_read(self->fd[USER]) - before)
			TH_LOG("loop %s", loop->name);
		EXPECT_LT(0, perf_read(self->fd[KERNEL]));
	}
}

/* The group starts and stops as one, so the parts make the whole. */
TEST_F(filter, user_and_kernel_are_all)
{
	static const char * const names[] = { "memory", "ecall", "fault" };

	holds("COF-050");
	if (!driver_is_ours())
		SKIP(return, "the built-in driver starts a group's events one after another");

	for (int i = 0; i < ARRAY_SIZE(names); i++) {
		const struct loop *loop = loop_named(names[i]);
		unsigned long n = 5000;
		size_t fresh = n * loop->buf_per_iteration;

		ASSERT_EQ(0, counted(self->fd[0], 0, loop->fn, n,
				     fresh ? fresh_pages(fresh) : buf));
		EXPECT_EQ(perf_read(self->fd[ALL]),
			  perf_read(self->fd[USER]) +
			  perf_read(self->fd[KERNEL]))
			TH_LOG("loop %s", loop->name);
	}
}

/* Opening an event changes nothing of another one, whichever modes either counts. */
FIXTURE(beside) {
	int fd;
};

FIXTURE_VARIANT(beside) {
	uint64_t config;
	unsigned int any;
};

FIXTURE_VARIANT_ADD(beside, instructions) {
	.config = PERF_COUNT_HW_INSTRUCTIONS, .any = INSN,
};

FIXTURE_VARIANT_ADD(beside, cycles) {
	.config = PERF_COUNT_HW_CPU_CYCLES, .any = CYCLE,
};

/* Many a firmware has one counter alone for such an event. */
static struct perf_event_attr attr_beside(uint64_t config, int how)
{
	struct perf_event_attr attr = attr_mode(KERNEL, PERF_TYPE_HARDWARE, config);

	if (how == 1)
		attr.sample_period = 1ULL << 40;
	if (how == 2 && driver_is_ours())
		attr.config2 = 1U << 18;
	return attr;
}

FIXTURE_SETUP(beside)
{
	struct perf_event_attr attr = attr_mode(USER, PERF_TYPE_HARDWARE, variant->config);

	if (all_modes())
		SKIP(return, ALL_MODES);
	self->fd = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, self->fd) TH_LOG("%m");
}

FIXTURE_TEARDOWN(beside)
{
	close(self->fd);
}

/* The event comes back to its counter after another one has been opened. */
TEST_F(beside, one_that_comes_back)
{
	const struct loop *loop = loop_named("memory");

	for (int how = 0; how < 3; how++) {
		struct perf_event_attr attr = attr_beside(variant->config, how);
		uint64_t before = perf_read(self->fd), first;

		ASSERT_EQ(0, counted(self->fd, 0, loop->fn, 20000, buf));
		first = perf_read(self->fd);
		EXPECT_EQ(walk_count(loop, 20000, variant->any), first - before);
		/* Perhaps in vain. */
		close(perf_open(&attr, 0, -1, -1));
		ASSERT_EQ(0, counted(self->fd, 0, loop->fn, 20000, buf));
		EXPECT_EQ(walk_count(loop, 20000, variant->any),
			  perf_read(self->fd) - first) TH_LOG("other event %d", how);
	}
}

/* Others are opened while it counts, and the same on another counter beside it. */
TEST_F(beside, one_that_runs)
{
	struct perf_event_attr same = attr_mode(USER, PERF_TYPE_HARDWARE, variant->config);
	int second;

	if (only_fixed())
		SKIP(return, ONLY_FIXED);
	if (!driver_is_ours())
		SKIP(return, "the built-in driver starts a group's events one after another");
	second = perf_open_sibling(&same, self->fd);
	ASSERT_LE(0, second) TH_LOG("%m");
	for (int how = 0; how < 3; how++) {
		struct perf_event_attr attr = attr_beside(variant->config, how);

		ioctl(self->fd, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
		for (int i = 0; i < 10; i++)
			close(perf_open(&attr, 0, -1, -1));
		ioctl(self->fd, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
		EXPECT_LT(0, perf_read(second));
		EXPECT_EQ(perf_read(second), perf_read(self->fd))
			TH_LOG("other event %d", how);
	}
	close(second);
}

/*
 * Whatever enters the kernel leaves it: as many returns as exceptions and
 * interrupts, from user space and in the kernel. The events are enabled inside
 * of one system call and disabled inside of another. Calls to firmware are
 * exceptions as well, but return from M-mode.
 */
TEST(traps_and_returns)
{
	static const uint64_t codes[] = { 0x38, 0x40, 0x48 };
	static const char * const names[] = { "memory", "ecall", "fault" };
	int fd[ARRAY_SIZE(codes)];

	if (!driver_is_ours())
		SKIP(return, "the built-in driver starts a group's events one after another");
	if (all_modes())
		SKIP(return, ALL_MODES);
	if (online_cpus() > 1)
		SKIP(return, "more than one CPU: the kernel sends interrupts by firmware");
	if (by_firmware())
		SKIP(return, "counters are started by firmware: these are exceptions, too");
	for (int i = 0; i < ARRAY_SIZE(codes); i++) {
		struct perf_event_attr attr = attr_mode(ALL, PERF_TYPE_RAW,
							codes[i]);

		fd[i] = i ? perf_open_sibling(&attr, fd[0]) :
			    perf_open(&attr, 0, -1, -1);
		ASSERT_LE(0, fd[i]) TH_LOG("event %d: %m", i);
	}
	for (int i = 0; i < ARRAY_SIZE(names); i++) {
		const struct loop *loop = loop_named(names[i]);
		unsigned long n = 20000;
		size_t fresh = n * loop->buf_per_iteration;

		ASSERT_EQ(0, counted(fd[0], 0, loop->fn, n,
				     fresh ? fresh_pages(fresh) : buf));
		EXPECT_EQ(perf_read(fd[1]) + perf_read(fd[2]),
			  perf_read(fd[0])) TH_LOG("loop %s", loop->name);
		EXPECT_LE(walk_count(loop, n, ECALL | FAULT), perf_read(fd[1]));
	}
}

/* Addresses are on the side that was asked for. */
struct sides {
	size_t user, kernel, wrong, late;
};

static bool is_kernel(const struct sample *s)
{
	return (int64_t)s->ip < 0;
}

static struct sides sides(const struct samples *s, const struct loop *loop)
{
	struct sides sides = {};

	for (size_t i = 0; i < s->nr; i++) {
		unsigned int mode = s->at[i].misc &
				    PERF_RECORD_MISC_CPUMODE_MASK;
		uintptr_t at = s->at[i].ip - (uintptr_t)loop->fn;

		if (mode != (is_kernel(&s->at[i]) ? PERF_RECORD_MISC_KERNEL :
						    PERF_RECORD_MISC_USER))
			sides.wrong++;
		if (is_kernel(&s->at[i]))
			sides.kernel++;
		else
			sides.user++;
		/* Where an ecall of loop_ecall returns to. */
		if (at == 12)
			sides.late++;
	}
	return sides;
}

static void sample_mode(struct __test_metadata *_metadata, int mode,
			struct samples *s)
{
	struct perf_event_attr attr = attr_sampling(EV_HW(INSTRUCTIONS),
						    mode == USER ? 1009 : 100003);
	const struct loop *loop = loop_named("ecall");
	struct ring *ring;
	uint64_t count;
	int fd;

	sample_rate_limit(NO_LIMIT);
	attr.exclude_kernel = mode == USER;
	attr.exclude_user = mode == KERNEL;
	fd = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, fd) TH_LOG("mode %d: %m", mode);
	ring = ring_map(fd, 512);
	ASSERT_NE(NULL, ring);
	ASSERT_EQ(0, counted(fd, 0, loop->fn, 20000, buf));
	samples_take(s, ring);
	EXPECT_EQ(0, s->lost);
	count = perf_read(fd);
	ring_unmap(ring);
	close(fd);
	/*
	 * The interrupt may still be waiting when the kernel stops the event. Where
	 * the kernel is without interrupts for longer, one sample stands for several.
	 */
	if (mode == USER || driver_is_ours()) {
		uint64_t told = samples_told(s) / attr.sample_period;

		EXPECT_GE(count / attr.sample_period, told);
		EXPECT_LE(count / attr.sample_period - (mode != USER), told);
	}
}

TEST(samples_of_user)
{
	struct samples s = {};
	struct sides side;

	if (all_modes())
		SKIP(return, ALL_MODES);
	sample_mode(_metadata, USER, &s);
	side = sides(&s, loop_named("ecall"));
	EXPECT_EQ(0, side.wrong);
	EXPECT_LT(0, side.user);
	/* See sampling.c:came_late() */
	EXPECT_LE(side.kernel, driver_is_ours() ? 0 : 2 + s.nr / 100);
	samples_free(&s);
}

/*
 * No address of the kernel for whoever may not see it, whatever else the event
 * leaves open: tens of thousands of samples, some of which coincide with the
 * timer's interrupt.
 */
TEST(no_address_of_the_kernel)
{
	size_t kernel = 0, nr = 0;

	if (all_modes())
		SKIP(return, ALL_MODES);
	sample_rate_limit(NO_LIMIT);
	for (int guests = 0; guests < 2; guests++) {
		struct perf_event_attr attr =
			attr_sampling(EV_HW(INSTRUCTIONS), 997);

		attr.exclude_guest = !guests;
		attr.exclude_hv = !guests;
		for (int i = 0; i < 10; i++) {
			struct samples s = {};
			struct ring *ring;
			int fd = perf_open(&attr, 0, -1, -1);

			ASSERT_LE(0, fd) TH_LOG("%m");
			ring = ring_map(fd, 64);
			ASSERT_NE(NULL, ring);
			ASSERT_EQ(0, counted(fd, 0, loop_long, 50000, buf));
			samples_take(&s, ring);
			for (size_t k = 0; k < s.nr; k++)
				kernel += is_kernel(&s.at[k]);
			nr += s.nr;
			samples_free(&s);
			ring_unmap(ring);
			close(fd);
		}
	}
	EXPECT_LT(50000, nr);
	if (!driver_is_ours())
		SKIP(return, "the built-in driver shows it: %zu of %zu", kernel, nr);
	EXPECT_EQ(0, kernel) TH_LOG("of %zu samples", nr);
}

/*
 * The kernel returns to user space with interrupts off: what overflows then is
 * seen at the first instruction of user space, and nowhere else.
 */
TEST(samples_of_kernel)
{
	struct samples s = {};
	struct sides side;

	if (all_modes())
		SKIP(return, ALL_MODES);
	sample_mode(_metadata, KERNEL, &s);
	side = sides(&s, loop_named("ecall"));
	EXPECT_EQ(0, side.wrong);
	EXPECT_LT(0, side.kernel);
	EXPECT_LE(side.user - side.late, 2);
	samples_free(&s);
}

TEST(samples_of_both)
{
	struct samples s = {};
	struct sides side;

	sample_mode(_metadata, ALL, &s);
	side = sides(&s, loop_named("ecall"));
	EXPECT_EQ(0, side.wrong);
	EXPECT_LT(0, side.kernel);
	EXPECT_LT(0, side.user);
	samples_free(&s);
}

/*
 * Firmware runs in M-mode, which only firmware can exclude. Counting
 * it or not must not depend on the other filters.
 */
TEST(hypervisor)
{
	struct perf_event_attr attr = attr_mode(ALL, EV_HW(INSTRUCTIONS));
	const struct loop *loop = loop_named("ecall");
	int with, without;

	holds("DEL-046");
	if (all_modes())
		SKIP(return, ALL_MODES);
	if (only_fixed())
		SKIP(return, ONLY_FIXED);
	if (!driver_is_ours())
		SKIP(return, "the built-in driver ignores exclude_hv");

	attr.exclude_hv = 0;
	with = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, with) TH_LOG("with firmware: %m");
	attr.exclude_hv = 1;
	without = perf_open_sibling(&attr, with);
	ASSERT_LE(0, without) TH_LOG("without firmware: %m");
	ASSERT_EQ(0, counted(with, 0, loop->fn, 10000, buf));
	/* Firmware's are counted by neither, or both: nothing can be done about it here. */
	EXPECT_EQ(perf_read(without), perf_read(with));
	EXPECT_LT(walk_count(loop, 10000, INSN), perf_read(without));
}

/* There is no guest: what counts only guests counts nothing. */
TEST(guests_only)
{
	struct perf_event_attr attr = attr_mode(ALL, EV_HW(INSTRUCTIONS));
	int fd;

	attr.exclude_guest = 0;
	attr.exclude_host = 1;
	fd = perf_open(&attr, 0, -1, -1);
	if (fd < 0 && errno == EOPNOTSUPP)
		SKIP(return, "this machine has no guests: refused");
	ASSERT_LE(0, fd) TH_LOG("perf_event_open: %m");
	ASSERT_EQ(0, counted(fd, 0, loop_ecall, 10000, buf));
	EXPECT_EQ(0, perf_read(fd));
}

/* Guests are included unless excluded; it makes no difference without any. */
TEST(guests_included)
{
	int mode = all_modes() ? ALL : USER;
	struct perf_event_attr attr = attr_mode(mode, EV_HW(INSTRUCTIONS));
	const struct loop *loop = loop_named("ecall");
	int fd;

	attr.exclude_guest = 0;
	fd = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, fd) TH_LOG("perf_event_open: %m");
	ASSERT_EQ(0, counted(fd, 0, loop->fn, 10000, buf));
	EXPECT_LE(walk_count(loop, 10000, INSN), perf_read(fd));
	if (mode == USER)
		EXPECT_EQ(walk_count(loop, 10000, INSN), perf_read(fd));
}

TEST_HARNESS_MAIN
