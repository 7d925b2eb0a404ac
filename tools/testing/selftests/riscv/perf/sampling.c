// SPDX-License-Identifier: GPL-2.0-only
/*
 * Samples are exact: how many there are, and the address in each.
 */
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "events.h"
#include "loops.h"
#include "perf.h"

static char buf[8192] __attribute__((aligned(4096)));

/*
 * Where sample after sample must point: to the instruction after the one that
 * makes the count a multiple of the period, which is where the interrupt
 * stops the program if there is no skid.
 */
struct prophet {
	struct walk walk;
	unsigned int any;
	uint64_t period;
	uintptr_t ip;		/* the next instruction */
	unsigned int classes;
};

static void prophet_start(struct prophet *p, const struct loop *loop,
			  unsigned long n, unsigned int any, uint64_t period)
{
	p->any = any;
	p->period = period;
	walk_start(&p->walk, loop, n);
	p->ip = walk_next(&p->walk, &p->classes);
}

static uintptr_t prophet_next(struct prophet *p)
{
	for (uint64_t count = 0; p->ip && count < p->period;) {
		count += !!(p->classes & p->any);
		p->ip = walk_next(&p->walk, &p->classes);
	}
	return p->ip;
}

/*
 * The timer's interrupt goes before that of the counters. If both come at the
 * same instruction, the sample is taken as soon as the timer's handler lets
 * interrupts in, and has an address of the kernel. That is rare, and says so.
 */
static bool came_late(const struct sample *s)
{
	return (int64_t)s->ip < 0 &&
	       (s->misc & PERF_RECORD_MISC_CPUMODE_MASK) ==
	       PERF_RECORD_MISC_KERNEL;
}

FIXTURE(sampling) {
	struct samples samples;
};

FIXTURE_VARIANT(sampling) {
	const char *loop;
	unsigned long n;
	uint64_t period;
	uint32_t type;
	uint64_t config;
	unsigned int any;
};

#define VARIANT(...)	VARIANT_(__VA_ARGS__)
#define VARIANT_(_name, _loop, _n, _period, _type, _config, _any)	\
FIXTURE_VARIANT_ADD(sampling, _name) {					\
	.loop = _loop, .n = _n, .period = _period,			\
	.type = _type, .config = _config, .any = _any,			\
}

VARIANT(instructions, "long", 20000, 9973, EV_HW(INSTRUCTIONS), INSN);
VARIANT(cycles, "long", 20000, 9973, EV_HW(CPU_CYCLES), INSN);
VARIANT(short_period, "long", 2000, 331, EV_HW(INSTRUCTIONS), INSN);
VARIANT(compressed, "rvc", 200000, 9973, EV_HW(INSTRUCTIONS), INSN);
VARIANT(faults, "fault", 5000, 197, EV_HW(INSTRUCTIONS), INSN);
VARIANT(calls, "ecall", 20000, 997, EV_HW(INSTRUCTIONS), INSN);
VARIANT(amo, "amo", 50000, 1009, EV_HW(INSTRUCTIONS), INSN);
VARIANT(loads, "memory", 100000, 1009, EV_RAW(0x10), LOAD);
VARIANT(stores, "store", 50000, 1009, EV_RAW(0x11), STORE);
VARIANT(branches, "branch", 50000, 1009, EV_RAW(0x20), BRANCH | JUMPS);
VARIANT(branches_taken, "branch", 50000, 1009, EV_RAW(0x22), TAKEN);
VARIANT(jumps, "jump", 50000, 1009, EV_RAW(0x28), DIRECT);
VARIANT(returns, "call", 50000, 1009, EV_RAW(0x31), RETURN);

FIXTURE_SETUP(sampling)
{
	sample_rate_limit(NO_LIMIT);
}

FIXTURE_TEARDOWN(sampling)
{
	samples_free(&self->samples);
}

TEST_F(sampling, every_address)
{
	const struct loop *loop = loop_named(variant->loop);
	struct perf_event_attr attr = attr_user(variant->type,
						variant->config);
	size_t fresh = variant->n * loop->buf_per_iteration;
	void *memory = fresh ? fresh_pages(fresh) : buf;
	struct samples *s = &self->samples;
	uint64_t total = walk_count(loop, variant->n, variant->any);
	struct prophet prophet;
	struct ring *ring;
	size_t late = 0;
	int fd;

	attr.sample_period = variant->period;
	attr.sample_type = SAMPLE_TYPE;
	fd = perf_open(&attr, 0, -1, -1);
	if (fd < 0 && !driver_is_ours())
		SKIP(return, "the built-in driver has no such event: %m");
	ASSERT_LE(0, fd) TH_LOG("perf_event_open: %m");
	ring = ring_map(fd, 128);
	ASSERT_NE(NULL, ring);

	ASSERT_EQ(0, counted(fd, 0, loop->fn, variant->n, memory));
	samples_take(s, ring);

	EXPECT_EQ(total, perf_read(fd));
	EXPECT_EQ(0, s->lost);
	EXPECT_EQ(0, s->throttled);
	ASSERT_EQ(total / variant->period, s->nr);

	prophet_start(&prophet, loop, variant->n, variant->any,
		      variant->period);
	for (size_t i = 0; i < s->nr; i++) {
		uintptr_t ip = prophet_next(&prophet);

		EXPECT_EQ(variant->period, s->at[i].period);
		EXPECT_EQ(getpid(), s->at[i].pid);
		if (came_late(&s->at[i])) {
			late++;
			continue;
		}
		ASSERT_EQ(ip, s->at[i].ip)
			TH_LOG("sample %zu of %zu", i, s->nr);
		EXPECT_EQ(PERF_RECORD_MISC_USER,
			  s->at[i].misc & PERF_RECORD_MISC_CPUMODE_MASK);
	}
	EXPECT_LE(late, 2 + s->nr / 100);
	ring_unmap(ring);
	close(fd);
	if (fresh)
		munmap(memory, fresh);
}

TEST_HARNESS_MAIN
