// SPDX-License-Identifier: GPL-2.0-only
/*
 * No test: a program with misses and mispredictions of all kinds in S-mode. What it does
 * changes all the time: what is hot soon lies elsewhere, and a branch goes the other way, so
 * that caches and predictors that have not followed it are of no use. At first
 * counters say how many there are, with each instruction in the pipeline. Then it is
 * sampled at several periods. What samples say must be what counters say: see
 * uarch/run, which reads the truth log of samples.
 *
 * profile: pdis
 */
#include "measure.h"
#include "page.h"
#include "pdis.h"

/* Numbers that are hot, 4 KiB, for some rounds, and how many places there are for them */
#define HOT_BITS	9
#define PHASE		4096UL
#define PLACES		512UL

/* Instructions in a round, about, and of one run */
#define ROUND		22UL
#define RUN		(8000000 / ROUND)

static unsigned long *const hot = (unsigned long *)PLATFORM_RAM_SPARE;
static unsigned long *const mid = (unsigned long *)(PLATFORM_RAM_SPARE + (3UL << 20));
static unsigned long *const big = (unsigned long *)(PLATFORM_RAM_SPARE + (4UL << 20));

static unsigned long work(unsigned long rounds, unsigned long seed)
{
	unsigned long x = seed, sum = 0;

	while (rounds--) {
		unsigned long phase = rounds / PHASE;

		x = x * 6364136223846793005UL + 1442695040888963407UL;
		hot[(phase * 5 % PLACES << HOT_BITS) + (x >> (64 - HOT_BITS))]++;
		if ((x >> 20 & 3 ? 1 : 0) == (phase & 1))
			sum += x;
		else if (!(x >> 22 & 3))
			sum += mid[x >> 50];	/* of 128 KiB */
		else if (!(x >> 24 & 7))
			big[x >> 45] += sum;	/* of 4 MiB */
	}
	return sum;
}

/* accesses, what misses L1D, the last level (reads, writes), the TLB; transfers, mispredicted */
static const int events[] = { 0x94, 0x95, 0x9a, 0x9c, 0xad, 0x20, 0x80, 0xd0 };

void test_main(void)
{
	static const struct {
		unsigned int period;
		unsigned long runs;
	} sampled[] = { { 1009, 4 }, { 10007, 6 }, { 100003, 10 } };
	unsigned int n;

	pdis_init();
	if (!page_on(PTE_RW | PTE_X, 0))
		tap_bail("no Sv39");
	/* Until all is in its place, without the pipeline; then with it */
	measure(MODE_S, work, RUN, 1, events, ARRAY_SIZE(events) - 1);
	measure(MODE_S, work, RUN, 2, events, ARRAY_SIZE(events));
	for (n = 0; n < ARRAY_SIZE(events); n++)
		NOTE("counted %x %llx", (unsigned int)events[n], count[n]);
	for (n = 0; n < ARRAY_SIZE(sampled); n++) {
		pmb_start((unsigned long)pmb_mem, AMB_SIZE(4));
		pdis_prepare(MODE_S, PDIS_MEM | PDIS_OF);
		pdis_count(sampled[n].period, -sampled[n].period);
		pdis_run(MODE_S, work, sampled[n].runs * RUN, 3 + n);
		NOTE("sampled %u", sampled[n].period);
		pdis_stop();
		pmb_stop();
		pdis_put(MODE_M, MPDISCTL, 0);
	}
	page_off();
}
