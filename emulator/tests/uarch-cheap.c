// SPDX-License-Identifier: GPL-2.0-only
/*
 * The cheap clock of the emulator: what cycles are with uarch-cycles=cheap. Where the
 * pipeline sees nothing (uarch-cheap-bare) they follow by arithmetic from what is counted
 * besides; where it sees something again and again (uarch-cheap) they are one clock.
 *
 * profile: uarch-cheap uarch-cheap-bare
 */
#include "measure.h"
#include "page.h"

#ifdef PROFILE_UARCH_CHEAP_BARE
#define BARE		1
#else
#define BARE		0
#endif

/* What the profiles leave at their defaults */
#define LINE		64UL
#define LL_LATENCY	14
#define MEM_LATENCY	100
#define L1D_LATENCY	3
#define LLTLB_LATENCY	4
#define WALK_LATENCY	40
#define REFILL		5

/* The table of uarch.md, in 1/256 */
#define INSN		144
#define CODE		256
#define CODE_TLB	256
#define DATA		256
#define DATA_TLB	192
#define RESOLVE		1024

#define BUFFER		(PLATFORM_RAM_BASE + (4UL << 20))

/* mhpmevent[55:0] */
enum {
	CYCLES = 0x01, MISPRED = 0x80, L1D_RD_MISS = 0x91, LL_RD_MISS = 0x9a,
	L1I_MISS = 0x98, LL_CODE_MISS = 0x9e, DTLB_MISS = 0xad, ITLB_MISS = 0xb0,
	DTLB_WALK = 0xb4, ITLB_WALK = 0xb6, PIPE_CYCLES = 0xd0,
};

rt_fn straight, lines, walk, fill, alternate, pages, readings;

/* Of what is counted, in the order of events[] below */
enum { N_CYCLES, N_INSNS, N_MISPRED, N_DATA, N_DATA_LL, N_CODE, N_CODE_LL, N_DTLB, N_DWALK,
	N_ITLB, N_IWALK, N_EVENTS };

/* What the cycles should be by that, in 1/256 */
static u64 by_table(void)
{
	u64 data = (count[N_DATA] - count[N_DATA_LL]) * (LL_LATENCY - L1D_LATENCY) +
		   count[N_DATA_LL] * (MEM_LATENCY - L1D_LATENCY);
	u64 code = (count[N_CODE] - count[N_CODE_LL]) * LL_LATENCY +
		   count[N_CODE_LL] * MEM_LATENCY;
	u64 dtlb = (count[N_DTLB] - count[N_DWALK]) * LLTLB_LATENCY + count[N_DWALK] * WALK_LATENCY;
	u64 itlb = (count[N_ITLB] - count[N_IWALK]) * LLTLB_LATENCY + count[N_IWALK] * WALK_LATENCY;

	return count[N_INSNS] * INSN + data * DATA + code * CODE + dtlb * DATA_TLB +
	       itlb * CODE_TLB + count[N_MISPRED] * (256 * REFILL + RESOLVE);
}

static void test_table(enum rt_mode mode, rt_fn *fn, unsigned long a, unsigned long b,
		       unsigned int what, const char *name)
{
	static const int events[N_EVENTS] = {
		CYCLES, PLATFORM_EVENT_INSTRET, MISPRED, L1D_RD_MISS, LL_RD_MISS, L1I_MISS,
		LL_CODE_MISS, DTLB_MISS, DTLB_WALK, ITLB_MISS, ITLB_WALK,
	};
	u64 table;

	measure(mode, fn, a, b, events, N_EVENTS);
	table = by_table();
	CHECK("UAR-054", count[what] > 30 && count[N_CYCLES] * 256 <= table + 256 &&
	      count[N_CYCLES] * 256 + 256 >= table,
	      "%s: %llx cycles, by the table %llx / 256", name, count[N_CYCLES], table);
}

static void test_tables(void)
{
	test_table(MODE_U, straight, 0, 0, N_CODE, "fetches");
	test_table(MODE_U, straight, 0, 0, N_INSNS, "nothing that misses");
	test_table(MODE_U, lines, BUFFER, 0, N_DATA_LL, "memory");
	test_table(MODE_U, walk, BUFFER + (1UL << 20), BUFFER + (1UL << 20) + (64UL << 10),
		   N_DATA_LL, "memory, in a loop");
	test_table(MODE_U, lines, BUFFER, 0, N_DATA, "the last level");
	test_table(MODE_U, fill, BUFFER + (2UL << 20), BUFFER + (2UL << 20) + (64UL << 10),
		   N_INSNS, "stores");
	test_table(MODE_U, alternate, 1000, 0, N_MISPRED, "mispredictions");
	if (!page_on(PTE_RW | PTE_X, 0)) {
		tap_skip("UAR-054", "no Sv39");
		return;
	}
	test_table(MODE_S, pages, BUFFER, 64, N_DWALK, "walks");
	test_table(MODE_S, pages, BUFFER, 64, N_DTLB, "the last-level TLB");
	page_off();
}

/* A load takes 98 cycles with the instruction behind it: which one it is, is well known. */
static void test_overflow(void)
{
	unsigned int n, wrong = 0;
	unsigned long want;

	rt_call(MODE_U, lines, BUFFER, 0);
	for (n = 0; n < 64; n += 9) {
		unsigned long at = BUFFER + (4UL << 20) + n * 64 * LINE;
		u64 before = (2 * INSN + DATA * (MEM_LATENCY - L1D_LATENCY)) * n / 256;

		rt_log.n = 0;
		lcofi_clear();
		csr_set(CSR_MIE, LCOFI);
		hpm_start(COUNTER_FIRST, CYCLES | ONLY_U, -(before + 40));
		rt_call(MODE_U, lines, at, 0);
		counter_stop(COUNTER_FIRST);
		csr_clear(CSR_MIE, LCOFI);
		want = (unsigned long)lines + 8 * n + 4;
		if (rt_log.n == 1 && rt_log.trap[0].epc == want)
			continue;
		NOTE("load %u: epc %lx, not %lx", n, rt_log.trap[0].epc, want);
		wrong++;
	}
	CHECK("UAR-055", !wrong, "the LCOFI trap comes behind the load that takes so long");
}

/* mcycle and two other counters, of a mode */
static void test_one(void)
{
	unsigned int i, wrong = 0;

	for (i = 0; i < 20; i++) {
		event_set(COUNTER_CYCLE, ONLY_U);
		hpm_start(COUNTER_FIRST, CYCLES | ONLY_U, 0);
		hpm_start(COUNTER_FIRST + 1, CYCLES | ONLY_U, 5);
		counter_stop(COUNTER_CYCLE);
		counter_set(COUNTER_CYCLE, 7);
		counter_start(COUNTER_CYCLE);
		rt_call(MODE_U, walk, BUFFER, BUFFER + (i + 1) * LINE * 37);
		counters_stop_all();
		count[0] = counter_get(COUNTER_FIRST);
		count[1] = counter_get(COUNTER_FIRST + 1);
		count[2] = counter_get(COUNTER_CYCLE);
		if (count[0] > 37 && count[1] == count[0] + 5 && count[2] == count[0] + 7)
			continue;
		NOTE("%llx, %llx, %llx", count[0], count[1], count[2]);
		wrong++;
	}
	CHECK("UAR-056", !wrong, "mcycle and counters of cycles are of one clock");
}

static void test_overflows(void)
{
	unsigned int i, wrong = 0;
	int due, overflowed;
	u64 n;

	for (i = 0; i < 200; i++) {
		n = 1 + i * 29;
		hpm_start(COUNTER_FIRST, CYCLES | ONLY_U, 0);
		hpm_start(COUNTER_FIRST + 1, CYCLES | ONLY_U, -n);
		rt_call(MODE_U, walk, BUFFER, BUFFER + (10UL << 10));
		counters_stop_all();
		count[0] = counter_get(COUNTER_FIRST);
		count[1] = counter_get(COUNTER_FIRST + 1);
		overflowed = !!(event_get(COUNTER_FIRST + 1) & EV_OF);
		due = count[0] >= n;
		if (count[1] == count[0] - n && overflowed == due)
			continue;
		NOTE("%llx, from -%llx on %llx", count[0], n, count[1]);
		wrong++;
	}
	CHECK("UAR-055", !wrong, "a counter overflows when it is due, and goes on from 0");
}

static void test_readings(void)
{
	unsigned long back;
	u64 begin;

	event_set(COUNTER_CYCLE, 0);
	counter_set(COUNTER_CYCLE, 0);
	counter_start(COUNTER_CYCLE);
	begin = counter_get(COUNTER_CYCLE);
	back = readings(BUFFER, 20000);
	CHECK("UAR-057", !back && counter_get(COUNTER_CYCLE) > begin + 20000,
	      "the clock never goes back: %lx times", back);
	counters_stop_all();
}

/* In a mode in which each instruction goes through the pipeline */
static void test_full(void)
{
	unsigned int i, wrong = 0;

	for (i = 0; i < 20; i++) {
		MEASURE(walk, BUFFER, BUFFER + (i + 1) * LINE * 37, CYCLES, PIPE_CYCLES);
		wrong += count[0] != count[1];
	}
	CHECK("UAR-058", !wrong, "cycles are the pipeline's while it sees all: %llx, %llx",
	      count[0], count[1]);
}

void test_main(void)
{
	counters_stop_all();
	if (BARE) {
		test_tables();
		test_overflow();
	}
	test_one();
	test_overflows();
	test_readings();
	test_full();
}
