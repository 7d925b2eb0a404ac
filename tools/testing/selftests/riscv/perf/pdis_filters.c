// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sampled instructions: each filter there is. What is recorded is what was asked for,
 * byte for byte what the machine says it has recorded (PDIS_TRUTH in the environment
 * names its log), and there was something that was not.
 */
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "loops.h"
#include "pdis_common.h"
#include "perf.h"

static char buf[SCATTERED] __attribute__((aligned(4096)));

/* Kernel code, of which there is much. */
static void calls_of_the_kernel(unsigned long n, void *unused)
{
	while (n--)
		syscall(SYS_getppid);
}

static void jumps(unsigned long n, void *memory)
{
	loop_call(n, memory);
	loop_jump(n, memory);
	loop_branch(n, memory);
}

/* Jumps that leave an address, but are no calls; and from one coroutine to another. */
static void linking_jumps(unsigned long n, void *unused)
{
	while (n--)
		asm volatile("jal	t1, 1f\n"
			     "1:\n\t"
			     "lla	t2, 2f\n\t"
			     "jalr	t1, 0(t2)\n"
			     "2:\n\t"
			     "lla	t0, 3f\n\t"
			     "jalr	ra, 0(t0)\n"
			     "3:\n"
			     : : : "ra", "t0", "t1", "t2");
}

/* Branches that nobody can foresee, and what is executed by mistake. */
static void chances(unsigned long n, void *unused)
{
	uint32_t chance = 1;

	while (n--) {
		chance = chance * 1664525 + 1013904223;
		if (chance >> 31)
			asm volatile("nop");
		else
			asm volatile("nop\n\tnop");
	}
}

/*
 * More pages than the TLBs of the machine have, in turn: they give up what has not been used
 * for longest, and so never have the next one. One page between them is always there.
 */
static char pages[4 << 20];

static void pages_in_turn(unsigned long n, void *unused)
{
	static unsigned long at;

	while (n--) {
		(void)*((volatile char *)pages + at);
		(void)*((volatile char *)buf);
		at = (at + 4096) % sizeof(pages);
	}
}

FIXTURE(filter) {
	struct truth truth;
	struct sampled sampled;
};

FIXTURE_VARIANT(filter) {
	uint64_t config;
	uint64_t set;
	uint64_t clear;
	uint64_t latency;	/* cycles, LATENCY_OF() and BELOW */
	loop_fn *fn;
	bool kernel;
};

#define LATENCY_OF(stage)	((uint64_t)(stage) << 13)

#define VARIANT(_name, _config, _fn, ...)				\
FIXTURE_VARIANT_ADD(filter, _name) {					\
	.config = _config, .fn = _fn, ##__VA_ARGS__			\
}
#define SET(name)		.set = PDISHDREV_##name
#define CLEAR(name)		.clear = PDISHDREV_##name

VARIANT(flushed, ALL, chances, SET(FLUSHED));
VARIANT(no_flushed, ALL, chances, CLEAR(FLUSHED));
VARIANT(itlb_miss, ALL, calls_of_the_kernel, SET(ITMISS), .kernel = true);
VARIANT(icache_miss, ALL, calls_of_the_kernel, SET(ICMISS), .kernel = true);
VARIANT(l1_miss, LOAD_ONLY, loop_scattered, SET(L1MISS));
VARIANT(llc_miss, LOAD_ONLY, loop_scattered, SET(LLMISS));
VARIANT(l1_tlb_miss, LOAD_ONLY, loop_scattered, SET(L1TLBMISS));
VARIANT(ll_tlb_miss, LOAD_ONLY, pages_in_turn, SET(LLTLBMISS));
VARIANT(mispredicted, TRANSFER, chances, SET(MISPRED));
VARIANT(no_trap_return, TRANSFER, calls_of_the_kernel, CLEAR(TRET), .kernel = true);
VARIANT(no_not_taken, TRANSFER, jumps, CLEAR(NTBR));
VARIANT(no_taken, TRANSFER, jumps, CLEAR(TKBR));
VARIANT(no_dir_call, TRANSFER, jumps, CLEAR(DIRCALL));
VARIANT(no_dir_jump, TRANSFER, jumps, CLEAR(DIRJMP));
VARIANT(no_return, TRANSFER, jumps, CLEAR(RET));
VARIANT(no_ind_call, TRANSFER, jumps, CLEAR(INDCALL));
VARIANT(no_ind_jump, TRANSFER, jumps, CLEAR(INDJMP));
VARIANT(no_swap, TRANSFER, linking_jumps, CLEAR(CORSWAP));
VARIANT(no_ind_ljump, TRANSFER, linking_jumps, CLEAR(INDLJMP));
VARIANT(no_dir_ljump, TRANSFER, linking_jumps, CLEAR(DIRLJMP));
VARIANT(total, LOAD_ONLY, loop_scattered, .latency = 25 | LATENCY_OF(0));
VARIANT(dispatch, ALL, calls_of_the_kernel, .latency = 2 | LATENCY_OF(1), .kernel = true);
VARIANT(issue, LOAD_ONLY, loop_scattered, .latency = 8 | LATENCY_OF(2));
VARIANT(execution, LOAD_ONLY, loop_scattered, .latency = 20 | LATENCY_OF(3));
VARIANT(oldest, LOAD_ONLY, loop_scattered, .latency = 10 | LATENCY_OF(4));
VARIANT(execution_below, LOAD_ONLY, loop_scattered, .latency = 20 | BELOW | LATENCY_OF(3));
VARIANT(all_at_once, LOAD_ONLY, loop_scattered, SET(L1MISS), CLEAR(FLUSHED),
	.latency = 20 | LATENCY_OF(3));

FIXTURE_SETUP(filter)
{
	const char *why = why_not(&self->truth);

	if (why)
		SKIP(return, "%s", why);
}

FIXTURE_TEARDOWN(filter)
{
	CHECK_TRUTH(&self->truth);
	truth_end(&self->truth);
}

/* Of a record, the latency that is looked at: each has 12 bits, one behind the other. */
static uint64_t latency_of(const struct riscv_pdis_record *r, uint64_t latency)
{
	return r->lat >> 12 * (latency >> 13 & 7) & 0xfff;
}

static void check_record(struct __test_metadata *_metadata,
			 FIXTURE_VARIANT(filter) const *variant,
			 const struct riscv_pdis_record *r)
{
	ASSERT_EQ(variant->set, r->hdrev & variant->set);
	ASSERT_EQ(0, r->hdrev & variant->clear);
	if (variant->latency)
		ASSERT_EQ(!!(variant->latency & BELOW),
			  latency_of(r, variant->latency) < (variant->latency & 0xfff));
}

TEST_F_TIMEOUT(filter, nothing_else, 300)
{
	struct perf_event_attr attr = attr_pdis(variant->config, 97);
	struct sampled *s = &self->sampled;

	attr.config1 = variant->set;
	attr.config2 = variant->clear;
	attr.config3 = variant->latency;
	attr.exclude_kernel = !variant->kernel;
	memset(buf, 1, sizeof(buf));
	memset(pages, 1, sizeof(pages));
	self->truth.period = attr.sample_period;
	ASSERT_TRUE(sampled_open(s, &attr, 256)) TH_LOG("%m");
	for (int i = 0; i < 5; i++) {
		ASSERT_EQ(0, counted(s->fd, 0, variant->fn, 3000, buf));
		sampled_take(s);
	}
	truth_take(&self->truth);
	ASSERT_TRUE(records_equal(&s->records, &self->truth.recorded));
	EXPECT_LT(0, s->records.nr);
	EXPECT_LT(0, self->truth.filtered);
	for (size_t i = 0; i < s->records.nr; i++)
		check_record(_metadata, variant, &s->records.at[i]);
	sampled_close(s);
}

TEST_HARNESS_MAIN
