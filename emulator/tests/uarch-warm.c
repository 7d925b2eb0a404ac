// SPDX-License-Identifier: GPL-2.0-only
/*
 * The emulator's caches, TLBs and predictors follow every instruction of every mode
 * while any of it is counted or sampled: what one mode is told depends on what the
 * others have done, and not on who is looked at.
 *
 * profile: pdis
 */
#include "measure.h"
#include "page.h"
#include "pdis.h"

/* The properties that the profile leaves at their defaults */
#define LINE		64UL
#define L1D_SIZE	(32UL << 10)
#define LL_SIZE		(1UL << 20)
#define DTLB_ENTRIES	32UL

/* Two of these do not fit into L1D together, one of them does. */
#define PART		(24UL << 10)
#define LINES		(PART / LINE)
#define ROUNDS		20

#define MINE		PLATFORM_RAM_SPARE
#define THEIRS		(PLATFORM_RAM_SPARE + (1UL << 20))
#define OTHER		(PLATFORM_RAM_SPARE + (2UL << 20))

/* Of again() */
#define HOT		8192UL
#define HOT_ROUND	(HOT / 16 * 3 + 4)
#define PERIOD		1009

/* mhpmevent[55:0] */
enum {
	MISPRED_IND_JUMP = 0x86, L1D_RD_MISS = 0x91, L1D_MISS = 0x95,
	DTLB_LOAD_MISS = 0xa9, PIPE_CYCLES = 0xd0,
};

rt_fn walk, pages, jump, again;
extern const char land_here[], land_there[];

#define ONLY(mode)	(EV_XINH & ~(mode))

/* M-mode and U-mode read what is theirs in turn. */
static void walk_in_turn(void)
{
	unsigned int n;

	for (n = 0; n < ROUNDS; n++) {
		walk(MINE, MINE + PART);
		rt_call(MODE_U, walk, THEIRS, THEIRS + PART);
	}
}

/* What an event is then, whatever was in the caches before */
static u64 in_turn(u64 event)
{
	hpm_start(COUNTER_FIRST, event, 0);
	walk(OTHER, OTHER + 2 * LL_SIZE);
	counter_set(COUNTER_FIRST, 0);
	walk_in_turn();
	counters_stop_all();
	return counter_get(COUNTER_FIRST);
}

static void test_caches(void)
{
	u64 user = in_turn(L1D_MISS | ONLY(EV_UINH));
	u64 machine = in_turn(L1D_MISS | ONLY(EV_MINH));
	u64 both = in_turn(L1D_MISS | ONLY(EV_UINH | EV_MINH));

	CHECK("UAR-100", user == ROUNDS * LINES,
	      "M-mode has put out what U-mode reads again: %llx misses", user);
	CHECK("UAR-101", user + machine == both && machine >= ROUNDS * LINES,
	      "misses of U-mode and of M-mode, each counted alone: %llx and %llx of %llx",
	      user, machine, both);
}

/* What U-mode misses, while cycles of one mode make the pipeline follow that one */
static u64 beside_cycles(u64 only)
{
	hpm_start(COUNTER_FIRST + 1, PIPE_CYCLES | only, 0);
	hpm_start(COUNTER_FIRST, L1D_MISS | ONLY(EV_UINH), 0);
	walk_in_turn();
	counters_stop_all();
	return counter_get(COUNTER_FIRST);
}

static void test_full(void)
{
	u64 count = beside_cycles(ONLY(EV_UINH));

	CHECK("UAR-100", count == ROUNDS * LINES,
	      "the same if the pipeline follows U-mode: %llx misses", count);
	count = beside_cycles(ONLY(EV_MINH));
	CHECK("UAR-100", count == ROUNDS * LINES,
	      "the same if it follows M-mode: %llx misses", count);
}

static void test_predictors(void)
{
	unsigned int n;
	u64 count;

	hpm_start(COUNTER_FIRST, MISPRED_IND_JUMP | ONLY(EV_UINH), 0);
	for (n = 0; n < ROUNDS; n++) {
		jump((unsigned long)land_here, 0);
		rt_call(MODE_U, jump, (unsigned long)land_there, 0);
	}
	counters_stop_all();
	count = counter_get(COUNTER_FIRST);
	CHECK("UAR-100", count == ROUNDS,
	      "U-mode jumps to where M-mode did not: %llx mispredictions", count);
}

/* S-mode reads by the one address space, then by the other. */
static void test_tlbs(void)
{
	static const int events[] = { DTLB_LOAD_MISS };
	unsigned int n, wrong = 0;

	if (!page_on(PTE_RW | PTE_X, 0)) {
		tap_skip("UAR-102", "no Sv39");
		return;
	}
	/* Both together have as many as there are entries. */
	for (n = 0; n < 4; n++) {
		measure(MODE_S, pages, MINE, DTLB_ENTRIES / 2, events, 1);
		wrong += count[0] != (n ? 0 : DTLB_ENTRIES / 2);
		/* The same tables by another ASID */
		csr_write(CSR_SATP, csr_read(CSR_SATP) ^ 1UL << 44);
		measure(MODE_S, pages, MINE, DTLB_ENTRIES / 2, events, 1);
		wrong += count[0] != (n ? 0 : DTLB_ENTRIES / 2);
		csr_write(CSR_SATP, csr_read(CSR_SATP) ^ 1UL << 44);
	}
	/* And what has been accessed last is not the same there. */
	for (n = 0; n < 8; n++) {
		unsigned long at = MINE + n * (4096 + 5 * LINE);

		measure(MODE_S, pages, at, 1, events, 1);
		csr_write(CSR_SATP, csr_read(CSR_SATP) + (2UL << 44));
		measure(MODE_S, pages, at, 1, events, 1);
		wrong += count[0] != 1;
	}
	CHECK("UAR-102", !wrong, "pages of another address space are others");
	page_off();
}

/* Samples, and those that are loads and missed */
static void count_records(u64 n, u64 *loads, u64 *misses)
{
	struct pdis_record r;

	*loads = *misses = 0;
	while (n--) {
		pdis_decode(pmb_mem + n * PDIS_WORDS, &r);
		if ((r.hdr & HDR_TYPE) != TYPE_LOAD || r.hdr & HDR_FLUSHED)
			continue;
		++*loads;
		*misses += !!(r.hdr & (HDR_L1MISS | HDR_L1TLBMISS));
	}
}

static void test_sampled(void)
{
	unsigned int rounds = 300;
	u64 n, loads, misses;

	if (!page_on(PTE_RW | PTE_X, 0)) {
		tap_skip("UAR-103", "no Sv39");
		return;
	}
	pmb_start((unsigned long)pmb_mem, AMB_SIZE(4) | AMB_SOF);
	pdis_prepare(MODE_S, PDIS_MEM | PDIS_OF);
	/* The first sample is of the second round. */
	pdis_count(HOT_ROUND + PERIOD, -PERIOD);
	pdis_run(MODE_S, again, MINE, rounds);
	n = (pdis_get(MODE_M, SPDISAMBADDR) - (unsigned long)pmb_mem) / PDIS_RECORD;
	count_records(n, &loads, &misses);
	CHECK("UAR-103", n >= rounds * HOT_ROUND / PERIOD - 2 && loads > n / 4,
	      "%llx samples, %llx of loads", n, loads);
	CHECK("UAR-103", !misses,
	      "none of what has been read before: %llx misses", misses);
	pmb_stop();
	pdis_stop();
	pdis_put(MODE_M, MPDISCTL, 0);
	page_off();
}

void test_main(void)
{
	counters_stop_all();
	pdis_init();
	test_caches();
	test_full();
	test_predictors();
	test_tlbs();
	test_sampled();
}
