// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts are exact: every event on every loop, against what loops.c says the
 * loop executes.
 */
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "events.h"
#include "loops.h"
#include "perf.h"

#define ITERATIONS	1000UL

static char buf[8192] __attribute__((aligned(4096)));

/* Runs the loop and returns what fd counted of it. */
static uint64_t count(int fd, const struct loop *loop, unsigned long n)
{
	size_t fresh = n * loop->buf_per_iteration;
	void *memory = fresh ? fresh_pages(fresh) : buf;
	long ret;

	ret = ioctl(fd, PERF_EVENT_IOC_RESET, 0);
	if (!ret)
		ret = counted(fd, 0, loop->fn, n, memory);
	if (fresh)
		munmap(memory, fresh);
	return ret ? -1 : perf_read(fd);
}

FIXTURE(event) {
	int fd;
};

FIXTURE_VARIANT(event) {
	uint32_t type;
	uint64_t config;
	unsigned int any;
};

#define VARIANT(...)	VARIANT_(__VA_ARGS__)
#define VARIANT_(_name, _type, _config, _any)				\
FIXTURE_VARIANT_ADD(event, _name) {					\
	.type = _type, .config = _config, .any = _any,			\
}

/*
 * Which instructions each event counts. The codes of the raw events are those
 * of the emulated machine, whose list of events says what they are; they are
 * written down here again on purpose, so that a mistake in one list shows.
 */
VARIANT(instructions, EV_HW(INSTRUCTIONS), INSN);
VARIANT(cycles, EV_HW(CPU_CYCLES), CYCLE);
VARIANT(branches, EV_HW(BRANCH_INSTRUCTIONS), BRANCH | JUMPS);
VARIANT(dcache_loads, EV_CACHE(L1D, READ, ACCESS), LOAD);
VARIANT(dcache_stores, EV_CACHE(L1D, WRITE, ACCESS), STORE);
VARIANT(cycles_hart, EV_RAW(0x01), CYCLE);
VARIANT(inst_ret, EV_RAW(0x02), INSN);
VARIANT(inst_load, EV_RAW(0x10), LOAD);
VARIANT(inst_store, EV_RAW(0x11), STORE);
VARIANT(inst_ldst, EV_RAW(0x12), LOAD | STORE);
VARIANT(inst_amo, EV_RAW(0x13), AMO);
VARIANT(inst_mo, EV_RAW(0x14), FENCE);
VARIANT(inst_int, EV_RAW(0x18), INT);
VARIANT(inst_fp, EV_RAW(0x19), FP);
VARIANT(inst_rvc, EV_RAW(0x1b), RVC);
VARIANT(inst_brjmp, EV_RAW(0x20), BRANCH | JUMPS);
VARIANT(inst_branch, EV_RAW(0x21), BRANCH);
VARIANT(inst_branch_taken, EV_RAW(0x22), TAKEN);
VARIANT(inst_branch_not_taken, EV_RAW(0x23), NOT_TAKEN);
VARIANT(inst_brjmp_taken, EV_RAW(0x24), TAKEN | JUMPS);
VARIANT(inst_brjmp_pred, EV_RAW(0x25), BRANCH | INDIRECT | RETURN);
VARIANT(inst_direct, EV_RAW(0x28), DIRECT);
VARIANT(inst_direct_call, EV_RAW(0x29), DIR_CALL);
VARIANT(inst_direct_jump, EV_RAW(0x2a), DIR_JUMP);
VARIANT(inst_indirect, EV_RAW(0x2c), INDIRECT);
VARIANT(inst_indirect_call, EV_RAW(0x2d), IND_CALL);
VARIANT(inst_indirect_jump, EV_RAW(0x2e), IND_JUMP);
VARIANT(inst_return, EV_RAW(0x31), RETURN);
VARIANT(inst_call, EV_RAW(0x32), DIR_CALL | IND_CALL);
VARIANT(inst_system, EV_RAW(0x39), SYSTEM);
VARIANT(inst_csr, EV_RAW(0x3a), CSR);
VARIANT(exception, EV_RAW(0x40), ECALL | FAULT);
VARIANT(exception_pgflt_data, EV_RAW(0x41), FAULT);
VARIANT(exception_ecall, EV_RAW(0x47), ECALL);

FIXTURE_SETUP(event)
{
	struct perf_event_attr attr = attr_user(variant->type,
						variant->config);

	/* No page of it shall fault later. */
	memset(buf, 0, sizeof(buf));
	self->fd = perf_open(&attr, 0, -1, -1);
	if (self->fd < 0 && !driver_is_ours())
		SKIP(return, "the built-in driver has no such event: %m");
	ASSERT_LE(0, self->fd) TH_LOG("perf_event_open: %m");
}

FIXTURE_TEARDOWN(event)
{
	if (self->fd >= 0)
		close(self->fd);
}

/* What each iteration counts is known, unless it calls the kernel. */
static bool is_known(const struct loop *loop)
{
	return !all_modes() || walk_count(loop, 2, TRAP) == walk_count(loop, 1, TRAP);
}

/*
 * In all modes what the kernel does to begin and to end is counted, too. It is the same each
 * time, but for interrupts: the least count is without.
 */
static uint64_t least_count(int fd, const struct loop *loop, unsigned long n)
{
	uint64_t seen, least = count(fd, loop, n);

	for (int i = 1; all_modes() && is_known(loop) && i < 6; i++) {
		seen = count(fd, loop, n);
		if (seen < least)
			least = seen;
	}
	return least;
}

TEST_F(event, exact)
{
	for (unsigned int i = 0; i < nr_loops; i++) {
		const struct loop *loop = &loops[i];
		uint64_t want[2], seen[2];

		for (int k = 0; k < 2; k++) {
			unsigned long n = (k + 1) * ITERATIONS;

			want[k] = walk_count(loop, n, variant->any);
			seen[k] = least_count(self->fd, loop, n);
			EXPECT_LE(want[k], seen[k])
				TH_LOG("loop %s, %lu times", loop->name, n);
			if (!all_modes()) {
				EXPECT_EQ(want[k], seen[k])
					TH_LOG("loop %s, %lu times", loop->name, n);
			}
		}
		if (is_known(loop)) {
			EXPECT_EQ(want[1] - want[0], seen[1] - seen[0])
				TH_LOG("loop %s, difference", loop->name);
		}
	}
}

static void exact_count(struct __test_metadata *_metadata, int fd, const struct loop *loop,
			unsigned int any)
{
	uint64_t exact = walk_count(loop, ITERATIONS, any);
	uint64_t seen = least_count(fd, loop, ITERATIONS);
	uint64_t besides = 0;

	if (all_modes())
		besides = least_count(fd, loop, 1) - walk_count(loop, 1, any);
	EXPECT_EQ(exact, seen - besides);
}

/*
 * To see whether there is such an event it is tried on a counter, which may be the one
 * that an event like it has just left.
 */
TEST(opened_again)
{
	struct perf_event_attr attr = attr_user(EV_RAW(0x10));
	const struct loop *loop = loop_named("load");

	for (int i = 0; i < 3; i++) {
		int fd = perf_open(&attr, 0, -1, -1);

		ASSERT_LE(0, fd) TH_LOG("perf_event_open: %m");
		exact_count(_metadata, fd, loop, LOAD);
		close(fd);
	}
}

/* A counter that one event has left is free, but has to be configured for another. */
TEST(one_after_another)
{
	struct perf_event_attr loads = attr_user(EV_RAW(0x10));
	struct perf_event_attr stores = attr_user(EV_RAW(0x11));
	const struct loop *loop = loop_named("load");
	int first, second;

	first = perf_open(&loads, 0, -1, -1);
	ASSERT_LE(0, first) TH_LOG("perf_event_open: %m");
	second = perf_open(&stores, 0, -1, -1);
	ASSERT_LE(0, second) TH_LOG("perf_event_open: %m");
	for (int i = 0; i < 3; i++) {
		exact_count(_metadata, first, loop, LOAD);
		exact_count(_metadata, second, loop, STORE);
	}
	close(second);
	close(first);
}

/* How many events of loads can be counted at the same time? */
static int capacity(void)
{
	struct perf_event_attr attr = attr_user(EV_RAW(0x10));
	int fd[32], nr, n;

	for (nr = 0; nr < 32; nr++) {
		fd[nr] = nr ? perf_open_sibling(&attr, fd[0]) :
			      perf_open(&attr, 0, -1, -1);
		if (fd[nr] < 0)
			break;
	}
	for (n = 0; n < nr; n++)
		close(fd[n]);
	return nr;
}

static struct perf_event_attr attr_on(int counter)
{
	struct perf_event_attr attr = attr_user(EV_RAW(0x10));

	attr.config2 = 1ULL << counter;
	return attr;
}

/* On the counter that is asked for, which can be seen where user space may read it. */
TEST(counters_asked_for)
{
	const struct loop *loop = loop_named("load");
	int able = 0;

	if (!driver_is_ours())
		SKIP(return, "the built-in driver ignores it");
	for (int counter = 0; counter < 32; counter++) {
		struct perf_event_attr attr = attr_on(counter);
		int error = perf_error(&attr, -1, -1);
		struct ring *ring;
		int fd;

		if (counter < 3)
			ASSERT_EQ(EOPNOTSUPP, error);
		if (error) {
			ASSERT_EQ(EOPNOTSUPP, error) TH_LOG("counter %d", counter);
			continue;
		}
		able++;
		fd = perf_open(&attr, 0, -1, -1);
		ASSERT_LE(0, fd) TH_LOG("counter %d: %m", counter);
		ring = ring_map(fd, 0);
		ASSERT_NE(NULL, ring);
		exact_count(_metadata, fd, loop, LOAD);
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
		EXPECT_EQ(counter + 1, ring->page->index);
		/* Another one in the group has nowhere to go, */
		attr.disabled = 0;
		EXPECT_EQ(EINVAL, perf_error(&attr, -1, fd));
		/* unless it may be elsewhere as well. */
		attr.config2 = -1U;
		EXPECT_EQ(capacity() > 1 ? 0 : EINVAL, perf_error(&attr, -1, fd));
		ring_unmap(ring);
		close(fd);
	}
	EXPECT_EQ(capacity(), able);
}

/* There are no more than 32. */
TEST(counters_that_there_cannot_be)
{
	struct perf_event_attr attr = attr_on(32);

	if (!driver_is_ours())
		SKIP(return, "the built-in driver ignores it");
	EXPECT_EQ(EINVAL, perf_error(&attr, -1, -1));
	attr.config2 |= 1 << 3;
	EXPECT_EQ(EINVAL, perf_error(&attr, -1, -1));
}

TEST_HARNESS_MAIN
