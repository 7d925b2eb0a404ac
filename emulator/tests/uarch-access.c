// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the emulator's microarchitecture makes of instructions with several accesses, of
 * vectors, of lines that are on their way, modified, fetched as code, or prefetched. As in
 * uarch-count.c all that is counted follows from sizes and latencies. Only U-mode is counted.
 *
 * profile: uarch-vector uarch-prefetch uarch-stride
 */
#include "measure.h"

/* The properties that the profiles leave at their defaults */
#define LINE		64UL
#define PAGE		4096UL
#define L1D_SIZE	(32UL << 10)
#define LL_SIZE		(1UL << 20)
#define LL_LATENCY	14
#define MEM_LATENCY	100

#ifdef PROFILE_UARCH_PREFETCH
#define PREFETCHES	1
#else
#define PREFETCHES	0
#endif

#ifdef PROFILE_UARCH_STRIDE
#define STRIDES		16UL
#else
#define STRIDES		0UL
#endif

#define ENVCFG_CBZE	(1UL << 7)
#define MSTATUS_FS_VS	(3UL << 13 | 3UL << 9)

/* Far from the image: nothing else is there. */
#define BUFFER		(PLATFORM_RAM_BASE + (4UL << 20))
#define LINES		32UL
#define RET		0x00008067

/* mhpmevent[55:0] */
enum {
	INST_LOAD = 0x10, INST_STORE, INST_LDST,
	REFILL = 0x3f,
	RVV_LOAD = 0x60, RVV_LOAD_UNIT, RVV_LOAD_IDXU, RVV_LOAD_STRD, RVV_LOAD_IDXO,
	RVV_STORE, RVV_STORE_UNIT, RVV_STORE_IDXU, RVV_STORE_STRD, RVV_STORE_IDXO,
	RVV_LDST, RVV_LDST_UNIT, RVV_LDST_IDXU, RVV_LDST_STRD, RVV_LDST_IDXO,
	RVV_ARITH, RVV_INT, RVV_FP, RVV_CFG,
	LOAD_MERGED, STORE_MERGED, LDST_MERGED,
	L1D_WB, LL_WB, SNOOP, SNOOP_MISS, SNOOP_HIT, SNOOP_HITM,
	PREF, PREF_HIT, PREF_MISS,
	STORE_MISSED = 0x8b,
	RD_ACCESS = 0x90, RD_MISS, WR_ACCESS, WR_MISS, ACCESS, MISS, HIT,
	L1I_ACCESS, L1I_MISS, LL_CODE_MISS = 0x9e, LL_ACCESS, LL_MISS,
	RD_MERGE = 0xa2, MERGE,
	LOAD_HIT = 0xb9, LOAD_MISSED,
	PIPE_CYCLES = 0xd0, LL_HIT = 0xd3, RD_HIT,
	L1D_CYCLES = 0xf4, L1I_CYCLES, LL_CYCLES, OPREF,
	LL_READ = 0xf9, LL_READ_MISS, LL_READ_HIT,
	OP_LOAD = 0x120, OP_LOAD_UC, OP_LOAD_HIT, OP_LOAD_MISSED,
	OP_STORE = 0x12d, OP_STORE_UC, OP_STORE_HIT, OP_STORE_MISSED,
	OP_LDST = 0x139, OP_LDST_UC, OP_LDST_HIT, OP_LDST_MISSED,
};

rt_fn first, second, crossing, crossing_store, unit, whole, strided, kinds, pairs, store_pairs;
rt_fn read, write, zero, pointers, run, read_run, write_run;
rt_fn back, both, limping, merging, merging_second;

/* Each time other memory, which no cache has */
static unsigned long fresh(unsigned long size)
{
	static unsigned long at = BUFFER;

	at += size;
	return at - size;
}

/* The events of a rule about instructions, and those about accesses, at both levels of effort */
static void test_crossing(void)
{
	unsigned long size = LINES * 128, at = fresh(size);

	MEASURE(crossing, at, at + size, RD_ACCESS, RD_MISS, INST_LOAD, LOAD_MISSED);
	CHECK("EVT-029,EVT-034", are(2 * LINES, 2 * LINES, LINES, LINES),
	      "a load of two lines is two accesses: they miss, and it has missed, once");
	at = fresh(size);
	MEASURE(first, at, at + size, RD_ACCESS, RD_MISS);
	MEASURE(crossing, at, at + size, LOAD_MISSED, RD_MISS, RD_ACCESS, INST_LOAD);
	CHECK("EVT-027", are(LINES, LINES, 2 * LINES, LINES),
	      "with its first line there, it has missed by the second one");
	at = fresh(size);
	MEASURE(second, at, at + size, RD_ACCESS, RD_MISS);
	MEASURE(crossing, at, at + size, LOAD_MISSED, RD_MISS, RD_ACCESS, INST_LOAD);
	CHECK("EVT-027", are(LINES, LINES, 2 * LINES, LINES), "and by the first one");
	at = fresh(size);
	MEASURE(first, at, at + size, RD_ACCESS, RD_MISS);
	MEASURE(crossing, at, at + size, LOAD_HIT, LOAD_MISSED, RD_HIT, RD_MISS, PIPE_CYCLES);
	CHECK("EVT-027,EVT-034", are(LINES, LINES, LINES, LINES),
	      "it has both hit and missed, as each access has done one of it");
	at = fresh(size);
	MEASURE(crossing, at, at + size, LL_READ, LL_READ_MISS, LL_READ_HIT, INST_LOAD);
	CHECK("EVT-029,EVT-034", are(2 * LINES, 2 * LINES, 0, LINES),
	      "and two reads of the last level");
	at = fresh(size);
	MEASURE(crossing, at, at + size, LL_ACCESS, LL_MISS, LL_HIT, REFILL);
	CHECK("EVT-029,EVT-033", are(2 * LINES, 2 * LINES, 0, 2 * LINES),
	      "accesses of it, which bring as many lines");
	at = fresh(size);
	MEASURE(crossing_store, at, at + size, WR_ACCESS, WR_MISS, INST_STORE, STORE_MISSED);
	CHECK("EVT-027,EVT-029", are(2 * LINES, 2 * LINES, LINES, LINES), "stores");
}

/* Operations: each access, where an instruction has several */
static void test_operations(void)
{
	unsigned long size = LINES * 128, at = fresh(size);

	MEASURE(crossing, at, at + size, OP_LOAD, OP_LOAD_MISSED, INST_LOAD, OP_LDST_MISSED);
	CHECK("UAR-135", are(2 * LINES, 2 * LINES, LINES, 2 * LINES),
	      "a load of two lines is two operations that miss");
	at = fresh(size);
	MEASURE(first, at, at + size, RD_ACCESS, RD_MISS);
	MEASURE(crossing, at, at + size, OP_LOAD_HIT, OP_LOAD_MISSED, OP_LOAD, OP_STORE);
	CHECK("UAR-135", are(LINES, LINES, 2 * LINES, 0), "one may hit, and the other miss");
	at = fresh(size);
	MEASURE(crossing_store, at, at + size, OP_STORE, OP_STORE_MISSED, INST_STORE, OP_LDST);
	CHECK("UAR-135", are(2 * LINES, 2 * LINES, LINES, 2 * LINES), "stores");
	at = fresh(size);
	MEASURE(read, at, at + size, OP_LOAD, OP_LDST, OP_LOAD_MISSED, OP_LOAD_UC);
	CHECK("UAR-135", are(size / LINE, size / LINE, size / LINE, 0),
	      "most have one, at level touch");
	MEASURE(read, at, at + size, OP_LOAD, OP_LDST_HIT, OP_LDST_UC, OP_STORE_UC, PIPE_CYCLES);
	CHECK("UAR-135", are(size / LINE, size / LINE, 0, 0), "and at level full");
}

/* May U-mode zero blocks? */
static void zeroing(int on)
{
	csr_cause(MODE_M, on ? OP_SET : OP_CLEAR, CSR_MENVCFG, ENVCFG_CBZE);
	csr_cause(MODE_M, on ? OP_SET : OP_CLEAR, CSR_SENVCFG, ENVCFG_CBZE);
}

/* What it counts where it may not be executed; if @full, at level full */
static int counts_nothing(unsigned long at, int full)
{
	unsigned long cause;

	hpm_start(COUNTER_FIRST, INST_STORE | ONLY_U, 0);
	hpm_start(COUNTER_FIRST + 1, WR_ACCESS | ONLY_U, 0);
	if (full)
		hpm_start(COUNTER_FIRST + 2, PIPE_CYCLES | ONLY_U, 0);
	cause = rt_try(MODE_U, zero, at, at + LINE).cause;
	counters_stop_all();
	return cause == CAUSE_ILLEGAL && !counter_get(COUNTER_FIRST) &&
		!counter_get(COUNTER_FIRST + 1);
}

/* Each is of the line that its address is in, wherever there; at both levels of effort. */
static void test_zeroes(void)
{
	unsigned long size = LINES * LINE, at = fresh(size), next = fresh(size);
	int full;

	zeroing(1);
	if (rt_try(MODE_U, zero, at, at + LINE).cause != NO_TRAP) {
		tap_skip("EVT-009", "no Zicboz");
		return;
	}
	at = fresh(size);
	MEASURE(zero, at + 40, at + size, WR_ACCESS, WR_MISS, INST_STORE, INST_LDST);
	CHECK("EVT-009,EVT-010", are(LINES, LINES, LINES, LINES),
	      "CBO.ZERO is a store, and an access of one line");
	MEASURE(read, at, at + size, RD_ACCESS, RD_MISS);
	CHECK("EVT-009", is(LINES, 0), "which is in the cache then");
	MEASURE(zero, next + 40, next + size, WR_ACCESS, WR_MISS, INST_STORE, PIPE_CYCLES);
	CHECK("EVT-009", is(LINES, LINES) && count[2] == LINES && count[3] > LINES,
	      "and so in the pipeline");
	zeroing(0);
	for (full = 0; full <= 1; full++) {
		at = fresh(LINE);
		CHECK("EVT-009", counts_nothing(at, full), "but not where it may not be executed");
		MEASURE(read, at, at + LINE, RD_ACCESS, RD_MISS);
		CHECK("EVT-009", is(1, 1), "where nothing comes into the cache");
	}
}

static void test_vectors(void)
{
	unsigned long size = LINES * 128, at = fresh(size);

	MEASURE(unit, at, at + size, RD_ACCESS, RD_MISS, INST_LOAD, LOAD_MISSED);
	CHECK("EVT-029", are(2 * LINES, 2 * LINES, LINES, LINES),
	      "a vector load of two lines is two accesses");
	MEASURE(unit, at, at + size, RD_ACCESS, RD_MISS, INST_LOAD, LOAD_HIT, PIPE_CYCLES);
	CHECK("EVT-027,EVT-029", are(2 * LINES, 0, LINES, LINES), "and so when all is there");
	at = fresh(size);
	MEASURE(first, at, at + size, RD_ACCESS, RD_MISS);
	MEASURE(whole, at, at + size, LOAD_MISSED, RD_MISS, RD_ACCESS, INST_LOAD);
	CHECK("EVT-027", are(LINES, LINES, 2 * LINES, LINES),
	      "one of whole registers that misses one line of two has missed");
	at = fresh(16 * LINE);
	MEASURE(strided, at, LINE, RD_ACCESS, RD_MISS, INST_LOAD, LOAD_MISSED);
	CHECK("EVT-027,EVT-029", are(16, 16, 1, 1), "with a stride each element is an access");
	MEASURE(strided, at, LINE, OP_LOAD, OP_LDST, INST_LOAD, OP_STORE);
	CHECK("UAR-135", are(16, 16, 1, 0), "and an operation");
	at = fresh(2 * LINE);
	MEASURE(strided, at, 8, RD_ACCESS, RD_MISS, RD_HIT, INST_LOAD, PIPE_CYCLES);
	CHECK("EVT-029", are(16, 2, 14, 1), "also within a line");
}

/* A counter of accesses overflows within the instruction that has them. */
static void test_overflow(void)
{
	unsigned long size = 8 * 128, at, want;
	unsigned int n, wrong = 0;

	for (n = 1; n <= 16; n++) {
		at = fresh(size);
		rt_log.n = 0;
		lcofi_clear();
		csr_set(CSR_MIE, LCOFI);
		hpm_start(COUNTER_FIRST, RD_MISS | ONLY_U, -(u64)n);
		rt_call(MODE_U, crossing, at, at + size);
		counter_stop(COUNTER_FIRST);
		csr_clear(CSR_MIE, LCOFI);
		want = (unsigned long)crossing + 4;
		if (rt_log.n == 1 && rt_log.trap[0].epc == want &&
		    counter_get(COUNTER_FIRST) == 16 - n)
			continue;
		NOTE("miss %u: epc %lx, %llx", n, rt_log.trap[0].epc,
		     counter_get(COUNTER_FIRST));
		wrong++;
	}
	CHECK("EVT-029", !wrong, "each access of an instruction can make a counter overflow");
}

/* How many of each kind() executes */
static const struct {
	int event, number;
	const char *name;
} vectors[] = {
	{ RVV_CFG, 2, "CFG" },
	{ RVV_LOAD_UNIT, 3, "LOAD.UNIT" }, { RVV_LOAD_IDXU, 4, "LOAD.IDXU" },
	{ RVV_LOAD_STRD, 5, "LOAD.STRD" }, { RVV_LOAD_IDXO, 6, "LOAD.IDXO" },
	{ RVV_LOAD, 3 + 4 + 5 + 6, "LOAD" },
	{ RVV_STORE_UNIT, 7, "STORE.UNIT" }, { RVV_STORE_IDXU, 8, "STORE.IDXU" },
	{ RVV_STORE_STRD, 9, "STORE.STRD" }, { RVV_STORE_IDXO, 10, "STORE.IDXO" },
	{ RVV_STORE, 7 + 8 + 9 + 10, "STORE" },
	{ RVV_LDST_UNIT, 3 + 7, "LDST.UNIT" }, { RVV_LDST_IDXU, 4 + 8, "LDST.IDXU" },
	{ RVV_LDST_STRD, 5 + 9, "LDST.STRD" }, { RVV_LDST_IDXO, 6 + 10, "LDST.IDXO" },
	{ RVV_LDST, 18 + 34, "LDST" },
	{ RVV_INT, 2 + 11 + 12, "ARITH.INT" }, { RVV_FP, 13 + 14, "ARITH.FP" },
	{ RVV_ARITH, 25 + 27, "ARITH" },
};

static void test_kinds(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(vectors); i++) {
		measure(MODE_U, kinds, BUFFER, 0, &vectors[i].event, 1);
		CHECK("EVT-028", count[0] == (u64)vectors[i].number, "INST.RVV.%s: %llx",
		      vectors[i].name, count[0]);
	}
}

static void test_merges(void)
{
	unsigned long size = LINES * LINE, at = fresh(size);

	MEASURE(pairs, at, at + size, RD_MISS, RD_MERGE, RD_HIT, LOAD_MERGED);
	CHECK("EVT-025,EVT-034", are(LINES, LINES, 0, LINES),
	      "the second load of a line that misses merges with the first");
	MEASURE(pairs, at, at + size, RD_MISS, RD_MERGE, RD_HIT, LOAD_MERGED);
	CHECK("EVT-025,EVT-034", are(0, 0, 2 * LINES, 0), "what is there is hit");
	at = fresh(size);
	MEASURE(store_pairs, at, at + size, WR_MISS, MERGE, RD_MERGE, STORE_MERGED);
	CHECK("EVT-025", are(LINES, LINES, 0, LINES), "stores");
	at = fresh(size);
	MEASURE(pairs, at, at + size, LDST_MERGED, MISS, ACCESS, HIT);
	CHECK("EVT-034", are(LINES, LINES, 2 * LINES, 0),
	      "an access hits, misses, or merges");
}

/* Of a load of two lines that are on their way only the first one is known to be. */
static void test_merges_crossing(void)
{
	unsigned long size = LINES * 128, at = fresh(size);

	MEASURE(merging, at, at + size, RD_MISS, RD_HIT, RD_MERGE, LOAD_MERGED);
	CHECK("UAR-107", are(2 * LINES, 2 * LINES, 0, LINES),
	      "a load of two lines on their way merges, and its accesses are hits");
	at = fresh(size);
	MEASURE(merging_second, at, at + size, RD_MISS, RD_HIT, RD_MERGE, LOAD_MERGED);
	CHECK("UAR-107", are(2 * LINES, LINES, 0, 0), "with its second line it does not");
}

/* A ring of pointers, one in each line, in the order of the addresses */
static unsigned long ring(unsigned long at, unsigned long size)
{
	unsigned long i;

	for (i = 0; i < size; i += LINE)
		*(unsigned long *)(at + i) = at + (i + LINE) % size;
	return at;
}

/* A load of a chain waits for the one before it, so that one at a time is outstanding. */
static void test_cycles(void)
{
	unsigned long at = ring(fresh(2 * L1D_SIZE), 2 * L1D_SIZE);
	unsigned long n = 2 * L1D_SIZE / LINE;

	MEASURE(pointers, at, n, L1D_CYCLES, LL_CYCLES);
	CHECK("EVT-034", is(n * MEM_LATENCY, n * MEM_LATENCY),
	      "loads from memory: the cycles of each");
	MEASURE(pointers, at, n, L1D_CYCLES, LL_CYCLES);
	CHECK("EVT-034", is(n * LL_LATENCY, 0), "from the last level");
	at = fresh(LINES * LINE);
	MEASURE(read, at, at + LINES * LINE, L1D_CYCLES, PIPE_CYCLES, LL_CYCLES);
	CHECK("EVT-034", count[0] == count[2] && count[0] > MEM_LATENCY &&
	      count[0] < count[1] && count[1] < LINES * MEM_LATENCY,
	      "several at a time: cycles with any of them, %llx of %llx", count[0], count[1]);
}

/* Lines that are written back to memory, whoever puts them out */
static u64 left_last_level(rt_fn *fn, unsigned long at)
{
	hpm_start(COUNTER_FIRST, LL_WB | (EV_XINH & ~(EV_UINH | EV_MINH)), 0);
	rt_call(MODE_U, fn, at, at + LL_SIZE);
	counters_stop_all();
	return counter_get(COUNTER_FIRST);
}

/*
 * What is evicted is what was written, and is written back once. What is read puts out all
 * that was there before: also what M-mode has modified in between, each time the same.
 */
static void test_written_back(void)
{
	unsigned long a = fresh(LL_SIZE), b = fresh(LL_SIZE);
	u64 mine, sum;

	MEASURE(read, b, b + L1D_SIZE, L1D_WB, RD_MISS);
	MEASURE(read, a, a + L1D_SIZE, L1D_WB, RD_MISS);
	mine = count[0];
	CHECK("EVT-033", mine < 16, "few of M-mode's lines: %llx", mine);
	MEASURE(write, b, b + L1D_SIZE, L1D_WB, WR_MISS);
	CHECK("EVT-033", is(mine, L1D_SIZE / LINE), "what was read is not written back");
	MEASURE(read, a, a + L1D_SIZE, L1D_WB, RD_MISS);
	CHECK("EVT-033", is(L1D_SIZE / LINE, L1D_SIZE / LINE), "what was written is");
	MEASURE(read, b, b + L1D_SIZE, L1D_WB, RD_MISS);
	CHECK("EVT-033", is(mine, L1D_SIZE / LINE), "and that once");
	left_last_level(read, a);
	left_last_level(read, b);
	mine = left_last_level(read, a);
	sum = left_last_level(write, b);
	sum += left_last_level(read, a);
	CHECK("EVT-033", mine < 16 && sum == 2 * mine + LL_SIZE / LINE,
	      "all that is written leaves the last level, too: %llx, and %llx of M-mode's",
	      sum, mine);
}

static unsigned long functions(void)
{
	unsigned long at = fresh(LINES * LINE), i;

	for (i = 0; i < LINES; i++)
		*(u32 *)(at + i * LINE) = RET;
	__asm__ __volatile__("fence.i" : : : "memory");
	return at;
}

/* What L1I misses is looked for in L1D. The code that runs here has been fetched before. */
static void test_snoops(void)
{
	static const struct {
		rt_fn *fn;
		unsigned int hit, modified;
		const char *what;
	} cases[] = {
		{ run, 0, 0, "has not" }, { read_run, LINES, 0, "has" },
		{ write_run, 0, LINES, "has modified" },
	};
	unsigned long at, missed;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		at = functions();
		MEASURE(cases[i].fn, at, at + LINES * LINE, SNOOP_HIT, SNOOP_HITM, SNOOP_MISS,
			SNOOP, L1I_MISS, L1D_WB);
		/* and those that it runs in itself, at most */
		missed = i ? 0 : LINES;
		CHECK("EVT-035", is(cases[i].hit, cases[i].modified) &&
		      count[3] == count[4] && count[0] + count[1] + count[2] == count[3] &&
		      count[2] >= missed && count[2] <= missed + 2,
		      "lines of code that L1D %s", cases[i].what);
	}
	CHECK("EVT-033,EVT-035", count[5] == LINES, "what was modified is written back");
}

static void test_code(void)
{
	unsigned long at = functions();

	MEASURE(run, at, at + LINES * LINE, L1I_CYCLES, LL_CODE_MISS, L1I_MISS);
	CHECK("EVT-034", count[1] == LINES && count[0] == LINES * MEM_LATENCY +
	      (count[2] - LINES) * LL_LATENCY, "cycles of fetches that miss: %llx", count[0]);
	MEASURE(run, at, at + LINES * LINE, L1I_CYCLES, L1I_MISS);
	CHECK("EVT-034", is(0, 0), "and of none");
}

/* The line behind one that missed is brought in, if it is in the same page. */
static void test_prefetch(void)
{
	unsigned long at = (fresh(5 * PAGE) + PAGE - 1) & -PAGE, other = fresh(2 * L1D_SIZE);
	unsigned long half = PAGE / LINE / 2;

	MEASURE(read, at, at + PAGE, OPREF, RD_MISS, PREF, PREF_MISS, PREF_HIT);
	CHECK("EVT-033", are(half, half, half, half) && !count[4],
	      "every other line is prefetched, from memory");
	MEASURE(read, at, at + PAGE, OPREF, RD_HIT, PREF, RD_MISS);
	CHECK("EVT-033", are(0, 2 * half, 0, 0), "none of what is there");
	MEASURE(read, other, other + 2 * L1D_SIZE, OPREF, RD_MISS);
	MEASURE(read, at, at + PAGE, OPREF, RD_MISS, PREF, PREF_HIT);
	CHECK("EVT-033", are(half, half, half, half), "from the last level");
	MEASURE(read, at + 2 * PAGE - LINE, at + 2 * PAGE, OPREF, RD_MISS);
	CHECK("EVT-033", is(0, 1), "nothing beyond the page");
	at += 2 * PAGE;
	MEASURE(read, at, at + PAGE, LL_READ, LL_READ_MISS, LL_READ_HIT, RD_MISS);
	CHECK("EVT-033", are(2 * half, 2 * half, 0, half), "prefetches read the last level, too");
	MEASURE(read, other, other + 2 * L1D_SIZE, OPREF, RD_MISS);
	MEASURE(read, at, at + PAGE, LL_READ, LL_READ_MISS, LL_READ_HIT, RD_MISS);
	CHECK("EVT-033", are(2 * half, 0, 2 * half, half), "and hit it");
	at += PAGE;
	MEASURE(read, at, at + PAGE, LL_ACCESS, LL_MISS, LL_HIT, REFILL, RD_ACCESS, RD_MISS);
	CHECK("EVT-029,EVT-033", are(2 * half, 2 * half, 0, 2 * half),
	      "to the last level they are accesses as others are, and they refill L1D");
	CHECK("EVT-033", count[4] == 2 * half && count[5] == half, "which they do not look into");
	MEASURE(read, other, other + 2 * L1D_SIZE, OPREF, RD_MISS);
	MEASURE(read, at, at + PAGE, LL_ACCESS, LL_MISS, LL_HIT, REFILL);
	CHECK("EVT-029,EVT-033", are(2 * half, 0, 2 * half, 2 * half), "also where they hit it");
}

/* The third load of a page that is as far from the one before brings the fourth one's line. */
static void test_stride(void)
{
	unsigned long at = (fresh(64 * PAGE) + PAGE - 1) & -PAGE, n = PAGE / LINE;

	MEASURE(read, at, at + PAGE, OPREF, RD_MISS, PREF_MISS, PREF_HIT);
	CHECK("UAR-105,EVT-033", are(n - 3, 3, n - 3, 0),
	      "three lines of a page are missed, all others prefetched");
	MEASURE(read, at, at + PAGE, OPREF, RD_MISS, RD_HIT);
	CHECK("UAR-105", is(0, 0) && count[2] == n, "nothing of what is there");
	at += PAGE;
	MEASURE(read, at, at + PAGE, RD_MISS, WR_MISS, INST_LOAD);
	CHECK("UAR-007,UAR-105", is(3, 0) && count[2] == n, "the same where there is no time");
	at += PAGE;
	MEASURE(read, at, at + PAGE, RD_MISS, RD_MERGE, RD_HIT, PREF);
	CHECK("UAR-106", are(3, n - 3, 0, n - 3), "what is prefetched is still on its way");
	at += PAGE;
	MEASURE(first, at, at + PAGE, OPREF, RD_MISS, RD_ACCESS, PREF_MISS);
	CHECK("UAR-105", are(n / 2 - 3, 3, n / 2, n / 2 - 3), "of every other line");
	at += PAGE;
	MEASURE(back, at + PAGE, at, OPREF, RD_MISS, RD_ACCESS, PREF_MISS);
	CHECK("UAR-105", are(n - 3, 3, n, n - 3), "backwards, and nothing below the page");
	at += PAGE;
	MEASURE(both, at, at + PAGE, OPREF, RD_MISS, RD_ACCESS, PREF_MISS);
	CHECK("UAR-105", are(2 * (n - 3), 6, 2 * n, 2 * (n - 3)), "two pages by turns");
	at += 2 * PAGE;
	MEASURE(both, at, at + STRIDES * PAGE, OPREF, RD_MISS, RD_ACCESS);
	CHECK("UAR-105", is(0, 2 * n) && count[2] == 2 * n,
	      "two pages that have the same place in the table: none");
	at += PAGE;
	MEASURE(limping, at, at + PAGE, OPREF, RD_MISS, RD_ACCESS);
	CHECK("UAR-105", count[0] == 0 && count[1] == count[2] && count[1] > n / 2,
	      "one step that is not like the one before: none");
	at += PAGE;
	MEASURE(write, at, at + PAGE, OPREF, WR_MISS);
	CHECK("UAR-105", is(0, n), "stores: none");
}

void test_main(void)
{
	counters_stop_all();
	csr_set(CSR_MSTATUS, MSTATUS_FS_VS);
	if (PREFETCHES) {
		test_prefetch();
		return;
	}
	if (STRIDES) {
		test_stride();
		return;
	}
	test_crossing();
	test_operations();
	test_zeroes();
	test_vectors();
	test_overflow();
	test_kinds();
	test_merges();
	test_merges_crossing();
	test_cycles();
	test_written_back();
	test_snoops();
	test_code();
}
