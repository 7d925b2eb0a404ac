// SPDX-License-Identifier: GPL-2.0-only
/*
 * The emulator's TLBs with entries for pages of all sizes, and walks that load what they
 * read from the caches. How long each takes follows from the tables, which are made here.
 *
 * profile: uarch-walk
 */
#include "measure.h"
#include "page.h"

/* The properties that the profile leaves at their defaults */
#define LINE		64UL
#define PAGE		4096UL
#define L1D_SIZE	(32UL << 10)
#define LL_SIZE		(1UL << 20)
#define DTLB_ENTRIES	32
#define L1D_LATENCY	3
#define LL_LATENCY	14
#define MEM_LATENCY	100

#define LARGE		(2UL << 20)
#define NAPOT		(64UL << 10)
#define PTE_N		(1UL << 63)

/* Where nothing else is */
#define TABLES		(PLATFORM_RAM_BASE + LARGE)
#define MEMORY		(PLATFORM_RAM_BASE + 2 * LARGE)
#define OTHER		(PLATFORM_RAM_BASE + 8 * LARGE)

/*
 * Addresses in four parts: pages of 4 KiB, two of 2 MiB, such of 64 KiB, and one of 1 GiB. The
 * first ones are in MEMORY. Code runs, and all else is read, in another one of 1 GiB.
 */
#define SMALL		(4UL << 30)
#define LARGES		(SMALL + LARGE)
#define NAPOTS		(SMALL + 3 * LARGE)
#define HUGE		(5UL << 30)
#define HUGES		(HUGE + MEMORY - PLATFORM_RAM_BASE)

enum { ROOT, PARTS, SMALLS, IN_64K, GUEST, TABLE_PAGES = GUEST + 4 };

/* mhpmevent[55:0] */
enum {
	ALL_RD_ACCESS = 0x3b, ALL_RD_MISS, ALL_RD_HIT, REFILL = 0x3f,
	RD_ACCESS = 0x90, RD_MISS, L1D_ACCESS = 0x94, L1D_MISS, L1D_HIT,
	LL_ACCESS = 0x9f, LL_MISS,
	DTLB_ACCESS = 0xa8, DTLB_MISS, ITLB_MISS = 0xb0, LLTLB_MISS,
	PIPE_CYCLES = 0xd0, LL_HIT = 0xd3,
	ALL_LL_RD_ACCESS = 0xf9, ALL_LL_RD_MISS, ALL_LL_RD_HIT,
};

rt_fn pages, by_turns, read, chase, once;

#define MEASURE_S(fn, a, b, ...) do {					\
	static const int events_[] = { __VA_ARGS__ };			\
	measure(MODE_S, fn, a, b, events_, ARRAY_SIZE(events_));	\
} while (0)

static unsigned long *table(int n)
{
	return (unsigned long *)(TABLES + n * PAGE);
}

static unsigned long pte(unsigned long pa, unsigned long bits)
{
	return pa >> 12 << 10 | bits;
}

static void make_tables(void)
{
	unsigned long i, *t;

	for (t = table(0); t < table(TABLE_PAGES); t++)
		*t = 0;
	table(ROOT)[PLATFORM_RAM_BASE >> 30] = pte(PLATFORM_RAM_BASE, PTE_RW | PTE_X);
	table(ROOT)[SMALL >> 30] = pte((unsigned long)table(PARTS), PTE_V);
	table(ROOT)[HUGE >> 30] = pte(PLATFORM_RAM_BASE, PTE_RW);
	table(PARTS)[0] = pte((unsigned long)table(SMALLS), PTE_V);
	table(PARTS)[1] = pte(MEMORY, PTE_RW);
	table(PARTS)[2] = pte(MEMORY + LARGE, PTE_RW);
	table(PARTS)[3] = pte((unsigned long)table(IN_64K), PTE_V);
	for (i = 0; i < 512; i++) {
		table(SMALLS)[i] = pte(MEMORY + i * PAGE, PTE_RW);
		table(IN_64K)[i] = pte((MEMORY + i * PAGE) / NAPOT * NAPOT + NAPOT / 2,
				       PTE_RW | PTE_N);
	}
	/* Of a guest, all in one page, which is U-mode's as all of a guest is */
	table(GUEST)[PLATFORM_RAM_BASE >> 30] = pte(PLATFORM_RAM_BASE, PTE_RW | PTE_X | PTE_U);
}

static unsigned long satp(void)
{
	return 8UL << 60 | TABLES >> 12;
}

static void forget(void)
{
	__asm__ __volatile__("sfence.vma" : : : "memory");
}

/* So many loads, one in each page, miss as often; and not again if they are not too many. */
static void test_size(const char *what, unsigned long at, unsigned long n, u64 misses)
{
	forget();
	MEASURE_S(pages, at, n, DTLB_ACCESS, DTLB_MISS, LLTLB_MISS);
	CHECK("UAR-120", is(n, misses) && count[2] == misses,
	      "%s: %lx loads, %llx misses", what, n, count[1]);
	MEASURE_S(pages, at, n, DTLB_ACCESS, DTLB_MISS, LLTLB_MISS);
	CHECK("UAR-120", is(n, 0) && !count[2], "%s: all is there then", what);
	forget();
	MEASURE_S(pages, at, n, DTLB_ACCESS, DTLB_MISS, LLTLB_MISS, PIPE_CYCLES);
	CHECK("UAR-007,UAR-120", is(n, misses) && count[2] == misses,
	      "%s: the same in the pipeline", what);
}

static void test_sizes(void)
{
	test_size("4 KiB", SMALL, DTLB_ENTRIES, DTLB_ENTRIES);
	test_size("64 KiB", NAPOTS, 8 * NAPOT / PAGE, 8);
	test_size("2 MiB", LARGES, 2 * LARGE / PAGE, 2);
	test_size("1 GiB", HUGES, 4 * LARGE / PAGE, 1);
	/* In the set that the large page is in, there are others. */
	forget();
	MEASURE_S(by_turns, LARGES, LARGES + 9 * PAGE, DTLB_ACCESS, DTLB_MISS, LLTLB_MISS);
	CHECK("UAR-120", is(1000, 1), "two places of a page: %llx misses", count[1]);
	MEASURE_S(pages, SMALL, 2 * DTLB_ENTRIES, DTLB_MISS);
	MEASURE_S(by_turns, LARGES, SMALL, DTLB_ACCESS, DTLB_MISS, LLTLB_MISS);
	CHECK("UAR-120", is(1000, 2) && !count[2],
	      "what has left the L1 TLB is in the last-level one: %llx misses", count[1]);
	MEASURE_S(pages, SMALL, 512, DTLB_MISS);
	MEASURE_S(pages, NAPOTS, 512, DTLB_MISS);
	MEASURE_S(by_turns, SMALL, LARGES, DTLB_ACCESS, DTLB_MISS, ITLB_MISS);
	CHECK("UAR-120", is(1000, 2), "and comes back with its size: %llx misses", count[1]);
}

/* A ring of pointers, one in each page, each in another set of L1D */
static void ring(unsigned long n)
{
	unsigned long i, next;

	for (i = 0; i < n; i++) {
		next = (i + 1) % n;
		*(unsigned long *)(MEMORY + i * (PAGE + LINE)) = SMALL + next * (PAGE + LINE);
	}
}

enum { L1D, LL, IN_MEMORY };

/* All that is needed for a way round is no nearer than there, and known to no TLB. */
static void prepare(unsigned long n, int where)
{
	ring(n);
	MEASURE_S(chase, SMALL, n, PIPE_CYCLES, RD_ACCESS);
	MEASURE_S(chase, SMALL, n, PIPE_CYCLES, RD_ACCESS);
	if (where == LL)
		MEASURE_S(read, OTHER, OTHER + 2 * L1D_SIZE, RD_MISS);
	else if (where == IN_MEMORY)
		MEASURE_S(read, OTHER, OTHER + 2 * LL_SIZE, RD_MISS);
	forget();
}

/* How long it takes to go round */
static u64 round_trip(unsigned long n, int where)
{
	prepare(n, where);
	MEASURE_S(chase, SMALL, n, PIPE_CYCLES, LLTLB_MISS, RD_ACCESS, RD_MISS);
	return count[0];
}

/*
 * 16 times more, of which each is a load, and a walk of three levels. The first two have one
 * line each, which is in L1D when it has been read once, and the third a line for 8 pages.
 */
static void test_walks(void)
{
	static const struct {
		int latency;
		const char *what;
	} cases[] = {
		[L1D] = { L1D_LATENCY, "in L1D" }, [LL] = { LL_LATENCY, "in the last level" },
		[IN_MEMORY] = { MEM_LATENCY, "in memory" },
	};
	unsigned int i;
	u64 more, want;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		want = 16 * cases[i].latency + 16 * 2 * L1D_LATENCY +
		       2 * cases[i].latency + 14 * L1D_LATENCY;
		more = round_trip(16, i);
		more = round_trip(32, i) - more;
		CHECK("UAR-121", more == want, "walks of tables %s: %llx cycles, not %llx",
		      cases[i].what, more, want);
		CHECK("UAR-122", count[1] == 32 && count[2] == 32 && count[3] == (i ? 32 : 0),
		      "what they load is no data of an instruction's: %llx, %llx, %llx", count[1],
		      count[2], count[3]);
	}
}

#define READS	ALL_RD_ACCESS, ALL_RD_MISS, ALL_RD_HIT, L1D_ACCESS, L1D_MISS, L1D_HIT, REFILL, \
		ALL_LL_RD_ACCESS, ALL_LL_RD_MISS, ALL_LL_RD_HIT, LL_ACCESS, LL_MISS, LL_HIT

/*
 * 16 times more, of which each is a read, and a walk of three. All of them are accesses, and
 * those of them that are not in L1D at first are 16 lines of data, and two of the last table.
 */
static void test_reads(void)
{
	static const unsigned int want[][13] = {
		[L1D] = { 64, 0, 64, 64, 0, 64, 0 },
		[LL] = { 64, 18, 46, 64, 18, 46, 18, 18, 0, 18, 18, 0, 18 },
		[IN_MEMORY] = { 64, 18, 46, 64, 18, 46, 18, 18, 18, 0, 18, 18, 0 },
	};
	unsigned int i, k;
	u64 before[13];
	int wrong;

	for (i = 0; i < ARRAY_SIZE(want); i++) {
		prepare(16, i);
		MEASURE_S(chase, SMALL, 16, READS);
		for (k = 0; k < ARRAY_SIZE(before); k++)
			before[k] = count[k];
		prepare(32, i);
		MEASURE_S(chase, SMALL, 32, READS);
		for (k = 0, wrong = -1; k < ARRAY_SIZE(before); k++) {
			if (count[k] - before[k] == want[i][k])
				continue;
			NOTE("event %u: %llx more, not %x", k, count[k] - before[k], want[i][k]);
			wrong = k;
		}
		CHECK("UAR-122", wrong < 0, "reads of walks, from %u: all events of reads", i);
	}
}

/* What walks have read is in L1D: two lines of the last table. Data are in another set. */
static void test_lines(void)
{
	unsigned long at = (unsigned long)table(SMALLS), pipeline;

	for (pipeline = 0; pipeline < 2; pipeline++) {
		MEASURE_S(read, OTHER, OTHER + 2 * L1D_SIZE, RD_MISS);
		forget();
		if (pipeline)
			MEASURE_S(pages, SMALL + PAGE / 2, 16, LLTLB_MISS, PIPE_CYCLES);
		else
			MEASURE_S(pages, SMALL + PAGE / 2, 16, LLTLB_MISS);
		MEASURE_S(read, at, at + 2 * LINE, RD_MISS, RD_ACCESS);
		CHECK("UAR-122", is(0, 2), "walks bring lines into L1D");
		MEASURE_S(read, at + 2 * LINE, at + 4 * LINE, RD_MISS, RD_ACCESS);
		CHECK("UAR-122", is(2, 2), "and no others");
	}
}

/* The cycles of one load of an address, which nothing is known of */
static u64 time_once(enum rt_mode mode, unsigned long at)
{
	u64 only = EV_XINH & ~(mode == MODE_S ? EV_SINH : EV_VSINH);

	forget();
	__asm__ __volatile__(".word 0x22000073, 0x62000073" : : : "memory"); /* HFENCE */
	hpm_start(COUNTER_FIRST, PIPE_CYCLES | only, 0);
	rt_call(mode, once, at, 0);
	counters_stop_all();
	return counter_get(COUNTER_FIRST);
}

/* A larger page is found a level earlier, and each level takes as long. */
static void test_levels(enum rt_mode mode, unsigned int level, const char *what)
{
	u64 small, large, huge;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		small = time_once(mode, SMALL);
		large = time_once(mode, LARGES);
		huge = time_once(mode, HUGES);
	}
	CHECK("UAR-121", small == large + level && large == huge + level,
	      "%s, one level less and two: %llx, %llx, %llx cycles", what, small, large, huge);
}

static void test_guest(void)
{
	if (!rt_has_h()) {
		tap_skip("UAR-121", "no H extension");
		return;
	}
	csr_write(CSR_VSATP, satp());
	csr_write(CSR_HGATP, 8UL << 60 | (unsigned long)table(GUEST) >> 12);
	/* To read an entry takes a walk of the other table. */
	test_levels(MODE_VS, 2 * L1D_LATENCY, "two stages");
	csr_write(CSR_VSATP, 0);
	csr_write(CSR_HGATP, 0);
}

void test_main(void)
{
	counters_stop_all();
	make_tables();
	csr_write(CSR_SATP, satp());
	forget();
	test_sizes();
	test_walks();
	test_reads();
	test_lines();
	test_levels(MODE_S, L1D_LATENCY, "one stage");
	csr_write(CSR_SATP, 0);
	forget();
	test_guest();
}
