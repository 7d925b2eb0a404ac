// SPDX-License-Identifier: GPL-2.0-only
/*
 * The microarchitecture of the emulator: what is counted follows by arithmetic
 * from its sizes and latencies. Only U-mode is counted; what M-mode does in between
 * is in the caches, too, so that what is to stay in one leaves room for that.
 *
 * profile: uarch uarch-cycles uarch-history uarch-fusion
 */
#include "measure.h"
#include "page.h"

/* The properties that the profile gives, or leaves at their defaults */
#define LINE		64
#define L1D_SIZE	(32 << 10)
#define HALF		(L1D_SIZE / 2)
#define LL_SIZE		(1 << 20)
#define DTLB_ENTRIES	32
#define LLTLB_ENTRIES	512
#define RAS_ENTRIES	8
#define LL_LATENCY	14
#define MEM_LATENCY	100
#define CHASE_INSNS	3

#ifdef PROFILE_UARCH_HISTORY
#define HISTORY		1
#else
#define HISTORY		0
#endif

#ifdef PROFILE_UARCH_FUSION
#define FUSION		1
#else
#define FUSION		0
#endif

#ifdef PROFILE_UARCH_CYCLES
#define PIPELINE	1
#else
#define PIPELINE	0
#endif

/* Far from the image: nothing else is there. */
#define BUFFER		(PLATFORM_RAM_BASE + (4UL << 20))

/* mhpmevent[55:0] */
enum {
	CYCLES = 0x01, INSNS,
	MISPRED = 0x80, MISPRED_BRANCH, MISPRED_RETURN = 0x89,
	MISPRED_IND_JUMP = 0x86,
	L1D_RD_ACCESS = 0x90, L1D_RD_MISS, L1D_WR_ACCESS, L1D_WR_MISS,
	L1D_ACCESS, L1D_MISS, L1D_HIT, L1I_ACCESS, L1I_MISS,
	LL_RD_ACCESS, LL_RD_MISS, LL_WR_ACCESS, LL_WR_MISS,
	DTLB_LOAD_ACCESS = 0xa8, DTLB_LOAD_MISS,
	ITLB_ACCESS = 0xaf, ITLB_MISS, LLTLB_LOAD_MISS,
	FORWARDED = 0xbe,
	PIPE_CYCLES = 0xd0, UOP_RET, UOP_SPEC,
	SLOTS = 0xe0, FE, FE_BANDWIDTH, FE_LATENCY, FE_ADDR, FE_DATA, FE_REDIRECT,
	BAD, BAD_MISPREDICT, BAD_ORDERING, BE, BE_MEMORY, BE_CORE, BE_SERIAL,
	BE_ADDR, BE_ADDR_L1, BE_ADDR_LL, BE_DATA, BE_DATA_L1, BE_DATA_LL,
	L1D_CYCLES = 0xf4, L1I_CYCLES, LL_CYCLES, FLUSHES = 0xfc,
};

rt_fn walk, fill, swap, lines, chase, loop, alternate, nest, flip, straight;
rt_fn pages, late_store, fused;

static void test_caches(unsigned long at)
{
	unsigned long fresh = at + 4 * L1D_SIZE;

	MEASURE(walk, at, at + L1D_SIZE, L1D_RD_ACCESS, L1D_RD_MISS, LL_RD_MISS, 0);
	CHECK("UAR-001", is(L1D_SIZE / 8, L1D_SIZE / LINE),
	      "each line of a cold array misses once");
	CHECK("UAR-002", count[2] == L1D_SIZE / LINE,
	      "and misses the last-level cache");
	MEASURE(walk, at, at + HALF, L1D_RD_MISS, L1D_HIT, 0);
	MEASURE(walk, at, at + HALF, L1D_RD_MISS, L1D_HIT, 0);
	CHECK("UAR-003", is(0, HALF / 8), "what fits stays");
	MEASURE(walk, fresh, fresh + HALF, L1D_RD_MISS, LL_RD_MISS);
	MEASURE(walk, fresh, fresh + 2 * HALF, L1D_RD_MISS, LL_RD_MISS);
	CHECK("UAR-004", is(HALF / LINE, HALF / LINE),
	      "the second half of an array misses");
	MEASURE(walk, fresh, fresh + 2 * L1D_SIZE, L1D_RD_MISS, LL_RD_MISS);
	MEASURE(walk, fresh, fresh + 2 * L1D_SIZE, L1D_RD_MISS, LL_RD_MISS);
	CHECK("UAR-004", is(2 * L1D_SIZE / LINE, 0),
	      "walked in turn, what does not fit misses always: LRU");
	MEASURE(fill, at, at + HALF, L1D_WR_ACCESS, L1D_WR_MISS);
	CHECK("UAR-005", is(HALF / 8, HALF / LINE), "stores");
	MEASURE(walk, at, at + HALF, L1D_RD_ACCESS, L1D_RD_MISS);
	CHECK("UAR-005", is(HALF / 8, 0), "a store brings the line in");
	MEASURE(swap, at + L1D_SIZE, at + 2 * L1D_SIZE, L1D_RD_MISS, L1D_WR_MISS,
		L1D_ACCESS);
	CHECK("UAR-006", is(L1D_SIZE / LINE, L1D_SIZE / LINE) &&
	      count[2] == L1D_SIZE / LINE, "an AMO loads and stores, with one access");
}

/* The same counts at both levels of effort: a counter of cycles makes it full. */
static void test_levels(void)
{
	static const int touch[] = { L1D_RD_MISS, L1D_RD_ACCESS, L1I_ACCESS, MISPRED };
	static const int full[] = { L1D_RD_MISS, L1D_RD_ACCESS, L1I_ACCESS, MISPRED,
				    PIPE_CYCLES };
	u64 first[ARRAY_SIZE(touch)];
	unsigned int i, same = 1;

	measure(MODE_U, walk, BUFFER, BUFFER + 2 * L1D_SIZE, touch, ARRAY_SIZE(touch));
	measure(MODE_U, walk, BUFFER, BUFFER + 2 * L1D_SIZE, touch, ARRAY_SIZE(touch));
	for (i = 0; i < ARRAY_SIZE(touch); i++)
		first[i] = count[i];
	measure(MODE_U, walk, BUFFER, BUFFER + 2 * L1D_SIZE, full, ARRAY_SIZE(full));
	for (i = 0; i < ARRAY_SIZE(touch); i++) {
		if (first[i] == count[i])
			continue;
		NOTE("event %x: %llx, not %llx", (unsigned int)touch[i], count[i], first[i]);
		same = 0;
	}
	CHECK("UAR-007", same && first[0], "levels touch and full count alike");
}

/* Cycles make the level full: without uarch-cycles=on it stays touch. */
static void test_fetch(void)
{
	static const int events[] = { L1I_ACCESS, L1I_MISS, CYCLES, L1I_CYCLES };
	unsigned int n = PIPELINE ? 4 : 2;
	u64 cold, misses;

	measure(MODE_U, straight, 0, 0, events, n);
	cold = count[2];
	misses = count[3];
	/* and the line of what it returns to */
	CHECK("UAR-010", is(65, count[1]) && count[1] >= 64,
	      "each line of straight code is fetched, and misses");
	measure(MODE_U, straight, 0, 0, events, n);
	CHECK("UAR-010", is(65, 0), "and is there the next time");
	/* What is executed meanwhile are some of the cycles that it takes without misses. */
	if (PIPELINE)
		CHECK("EVT-034", cold > misses && cold - misses <= count[2] && !count[3],
		      "%llx cycles, %llx of them of misses; without misses %llx", cold, misses,
		      count[2]);
	MEASURE(loop, 1000, 0, L1I_ACCESS, L1I_MISS);
	CHECK("UAR-011", count[0] == 2, "a loop within a line is fetched once");
}

static void test_predictors(void)
{
	MEASURE(loop, 1000, 0, MISPRED_BRANCH, MISPRED);
	MEASURE(loop, 1000, 0, MISPRED_BRANCH, PIPE_CYCLES);
	CHECK("UAR-020", count[0] == 1, "a loop mispredicts its end");
	MEASURE(alternate, 1000, 0, MISPRED_BRANCH, FLUSHES, MISPRED);
	/* the loop: twice at first, and its end */
	CHECK("UAR-021", count[0] == 500 + 3,
	      "a branch taken every other time: half are wrong: %llx", count[0]);
	CHECK("EVT-002", count[1] == count[2], "each is a flush: %llx", count[1]);
	MEASURE(nest, RAS_ENTRIES - 1, 0, MISPRED_RETURN, MISPRED);
	CHECK("UAR-022", count[0] == 0, "returns that the stack holds: %llx", count[0]);
	MEASURE(nest, RAS_ENTRIES + 3, 0, MISPRED_RETURN, MISPRED);
	CHECK("UAR-022", count[0] == 3, "and three more: %llx", count[0]);
	MEASURE(flip, 100, 0, MISPRED_IND_JUMP, MISPRED);
	MEASURE(flip, 100, 0, MISPRED_IND_JUMP, MISPRED);
	CHECK("UAR-023", count[0] == 100, "targets in turn: always wrong: %llx", count[0]);
}

/* A ring of pointers, one in each line, in the order of the addresses */
static unsigned long ring(unsigned long at, unsigned long size)
{
	unsigned long i;

	for (i = 0; i < size; i += LINE)
		*(unsigned long *)(at + i) = at + (i + LINE) % size;
	return at;
}

static void test_latency(void)
{
	unsigned long at = ring(BUFFER + (4UL << 20), 2 * L1D_SIZE);
	u64 once;

	/* in the last-level cache from here on */
	MEASURE(chase, at, 2 * L1D_SIZE / LINE, PIPE_CYCLES, L1D_MISS);
	MEASURE(chase, at, 1000, PIPE_CYCLES, L1D_MISS);
	once = count[0];
	CHECK("UAR-030", count[1] == 1000, "each load of the chase misses the L1D cache");
	MEASURE(chase, at, 2000, PIPE_CYCLES, L1D_MISS);
	CHECK("UAR-030", count[0] - once == 1000 * LL_LATENCY,
	      "a load takes the latency of where its data is: %llx", count[0] - once);
	at = ring(BUFFER + (8UL << 20), 2 * LL_SIZE);
	MEASURE(chase, at, 1000, PIPE_CYCLES, LL_RD_MISS);
	once = count[0];
	MEASURE(chase, at + 1000 * LINE, 2000, PIPE_CYCLES, LL_RD_MISS);
	CHECK("UAR-031", count[1] == 2000 && count[0] - once == 1000 * MEM_LATENCY,
	      "or of memory: %llx", count[0] - once);
}

/* The first of all tests, as what is learnt here is forgotten every 16384 instructions. */
static void test_ordering(void)
{
	MEASURE(late_store, BUFFER + (15UL << 20), 1000, FORWARDED, BAD_ORDERING, UOP_SPEC,
		UOP_RET, FLUSHES, MISPRED);
	/* all but the one that is caught, and comes again when the store is done */
	CHECK("UAR-040", count[0] == 999,
	      "each load gets the data of a store in flight: %llx", count[0]);
	CHECK("UAR-041", count[1] > 0 && count[1] < 100,
	      "it is caught once, and waits from then on: %llx slots", count[1]);
	CHECK("UAR-041", count[2] > count[3],
	      "more instructions are dispatched than retire");
	CHECK("EVT-002", count[4] == 1 + count[5], "that is a flush, too: %llx", count[4]);
}

static void test_slots(rt_fn *fn, unsigned long a, unsigned long b, const char *name)
{
	MEASURE(fn, a, b, SLOTS, UOP_RET, FE, BAD, BE, FE_BANDWIDTH, FE_LATENCY,
		BE_MEMORY, BE_CORE, FE_ADDR, FE_DATA, FE_REDIRECT, BE_ADDR, BE_DATA,
		PIPE_CYCLES);
	CHECK("UAR-050", count[0] == count[1] + count[2] + count[3] + count[4],
	      "%s: all slots are retiring, front end, bad speculation or back end", name);
	CHECK("UAR-051", count[2] == count[5] + count[6] && count[4] == count[7] + count[8] &&
	      count[6] == count[9] + count[10] + count[11] && count[7] == count[12] + count[13],
	      "%s: so are those of each level below", name);
	/* the last instructions may have been dispatched and not yet retired, or so */
	CHECK("UAR-052", count[0] + 400 > 2 * count[14] && count[0] < 2 * count[14] + 400,
	      "%s: two slots a cycle: %llx of %llx cycles", name, count[0], count[14]);
}

/* Of the six instructions of a turn there are two pairs, if there are pairs. */
static void test_fused(void)
{
	u64 once[3], turn = FUSION ? 4 : 6;
	unsigned int i;

	MEASURE(fused, 1000, 0, INSNS, UOP_RET, UOP_SPEC);
	MEASURE(fused, 1000, 0, INSNS, UOP_RET, UOP_SPEC);
	for (i = 0; i < ARRAY_SIZE(once); i++)
		once[i] = count[i];
	MEASURE(fused, 2000, 0, INSNS, UOP_RET, UOP_SPEC);
	CHECK("UAR-059", is(once[0] + 6000, once[1] + 1000 * turn),
	      "%llu operations retire in a turn of six instructions", turn);
	CHECK("UAR-059", count[2] == once[2] + 1000 * turn, "and are dispatched: %llx",
	      count[2] - once[2]);
	test_slots(fused, 1000, 0, "pairs");
}

/* With uarch-cycles=on cycles are the pipeline's, else as many as instructions. */
static void test_cycles(void)
{
	MEASURE(straight, 0, 0, CYCLES, PIPE_CYCLES, UOP_RET);
	CHECK("UAR-053", count[0] == count[PIPELINE ? 1 : 2] && count[1] != count[2],
	      "cycles: %llx, of the pipeline %llx, instructions %llx", count[0], count[1],
	      count[2]);
}

/* The events of n loads from memory; returns what mcycle has counted beside them. */
static u64 measure_misses(unsigned long at, unsigned long n)
{
	event_set(COUNTER_CYCLE, ONLY_U);
	counter_set(COUNTER_CYCLE, 0);
	counter_start(COUNTER_CYCLE);
	MEASURE(chase, at, n, CYCLES, L1D_CYCLES, LL_CYCLES, PIPE_CYCLES);
	return counter_get(COUNTER_CYCLE);
}

/*
 * In each cycle of a chase a miss is outstanding. So a thousand loads more are as many
 * cycles of misses as cycles, if these are the pipeline's; else they are instructions.
 */
static void test_miss_cycles(void)
{
	unsigned long at = ring(BUFFER + (8UL << 20), 2 * LL_SIZE);
	u64 once[4], mcycle;
	unsigned int i;

	mcycle = measure_misses(at, 1000);
	for (i = 0; i < ARRAY_SIZE(once); i++)
		once[i] = count[i];
	mcycle = measure_misses(at + 1000 * LINE, 2000) - mcycle;
	for (i = 0; i < ARRAY_SIZE(once); i++)
		count[i] -= once[i];
	CHECK(PIPELINE ? "EVT-034" : "UAR-053",
	      are(1000 * (PIPELINE ? MEM_LATENCY : CHASE_INSNS), 1000 * MEM_LATENCY,
		  1000 * MEM_LATENCY, 1000 * MEM_LATENCY) && mcycle == count[0],
	      PIPELINE ? "cycles of misses are at the rate of cycles: mcycle %llx" :
	      "cycles of misses are the pipeline's, where cycles are not: mcycle %llx", mcycle);
}

/* The overflow is at the very load that misses. */
static void test_overflow(void)
{
	unsigned int n, wrong = 0;
	unsigned long want;

	for (n = 1; n <= 64; n += 9) {
		unsigned long at = BUFFER + (12UL << 20) + n * 64 * LINE;

		rt_log.n = 0;
		lcofi_clear();
		csr_set(CSR_MIE, LCOFI);
		hpm_start(COUNTER_FIRST, L1D_MISS | ONLY_U, -(u64)n);
		rt_call(MODE_U, lines, at, 0);
		counter_stop(COUNTER_FIRST);
		csr_clear(CSR_MIE, LCOFI);
		want = (unsigned long)lines + 8 * (n - 1) + 4;
		if (rt_log.n == 1 && rt_log.trap[0].epc == want)
			continue;
		NOTE("miss %u: epc %lx, not %lx", n, rt_log.trap[0].epc, want);
		wrong++;
	}
	CHECK("UAR-060", !wrong, "the LCOFI trap comes behind the load that missed");
}

static void test_tlbs(void)
{
	static const int events[] = { DTLB_LOAD_ACCESS, DTLB_LOAD_MISS, LLTLB_LOAD_MISS };

	if (!page_on(PTE_RW | PTE_X, 0)) {
		tap_skip("UAR-070", "no Sv39");
		return;
	}
	measure(MODE_S, pages, BUFFER, DTLB_ENTRIES, events, 3);
	CHECK("UAR-070", is(DTLB_ENTRIES, DTLB_ENTRIES) && count[2] == DTLB_ENTRIES,
	      "each page misses once, and is walked");
	measure(MODE_S, pages, BUFFER, DTLB_ENTRIES, events, 3);
	CHECK("UAR-070", is(DTLB_ENTRIES, 0), "as many as there are entries stay");
	measure(MODE_S, pages, BUFFER, 2 * DTLB_ENTRIES, events, 3);
	measure(MODE_S, pages, BUFFER, 2 * DTLB_ENTRIES, events, 3);
	CHECK("UAR-071", is(2 * DTLB_ENTRIES, 2 * DTLB_ENTRIES) && !count[2],
	      "twice as many are in the last-level TLB");
	__asm__ __volatile__("sfence.vma" : : : "memory");
	measure(MODE_S, pages, BUFFER, DTLB_ENTRIES, events, 3);
	CHECK("UAR-072", is(DTLB_ENTRIES, DTLB_ENTRIES) && count[2] == DTLB_ENTRIES,
	      "SFENCE.VMA empties the TLBs");
	page_off();
}

/*
 * By what the last eight branches did a counter is chosen, of the last four times around:
 * in the end all has been learnt but that the loop ends, whoever looks.
 */
static void test_history(void)
{
	unsigned int i;

	for (i = 0; i < 20; i++)
		MEASURE(alternate, 1000, 0, MISPRED_BRANCH);
	CHECK("UAR-024", count[0] == 1, "a branch taken every other time is predicted: %llx",
	      count[0]);
	for (i = 0; i < 20; i++)
		MEASURE(alternate, 1000, 0, MISPRED_BRANCH, PIPE_CYCLES);
	CHECK("UAR-024", count[0] == 1, "in the pipeline, too: %llx", count[0]);
}

void test_main(void)
{
	counters_stop_all();
	if (HISTORY) {
		test_history();
		return;
	}
	if (FUSION) {
		test_fused();
		return;
	}
	test_ordering();
	test_fused();
	test_caches(BUFFER);
	test_levels();
	test_fetch();
	test_predictors();
	test_latency();
	test_slots(loop, 1000, 0, "a loop");
	test_slots(alternate, 1000, 0, "mispredictions");
	test_slots(walk, BUFFER + (2UL << 20), BUFFER + (2UL << 20) + LL_SIZE, "misses");
	test_slots(late_store, BUFFER, 1000, "memory ordering");
	test_cycles();
	test_miss_cycles();
	test_overflow();
	test_tlbs();
}
