// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters with the captures of Sspesa, control transfer records and sampled
 * instructions at work at once. All that becomes of it goes into one sum, which
 * is printed from time to time: the same for each run, wherever it has been
 * interrupted.
 *
 * profile: state state-cheap state-uarch
 */
#include "ctr.h"
#include "entry.h"
#include "page.h"
#include "pdis.h"
#include "pesa.h"
#include "tap.h"

/* With the pipeline of all instructions each takes fifty times as long. */
#ifdef PROFILE_STATE_UARCH
#define WHOLE_UARCH	1
#define ROUNDS		480
#elif defined(PROFILE_STATE_CHEAP)
#define WHOLE_UARCH	0
#define ROUNDS		1200
#else
#define WHOLE_UARCH	0
#define ROUNDS		4800
#endif
#define TOLD		(ROUNDS / 48)	/* rounds between two lines */
#define PERIOD		331	/* of samples */

/* An event of misses, so that caches have a part in it, and of mispredictions */
static const struct {
	u64 event;
	u32 period;
} counters[] = {
	{ INSTRET, 997 },
	{ PLATFORM_EVENT_LOAD, 1501 },
	{ PLATFORM_EVENT_CYCLES, 2003 },
	{ PLATFORM_EVENT_L1D_MISS, 211 },
	{ PLATFORM_EVENT_MISPREDICT, 101 },
};

/* What is summed up, each for itself */
enum { COUNTERS, CAPTURES, TRANSFERS, RECORDS, RESULTS, SUMS };

static u64 sum[SUMS];
static u32 overflows, captures, records, transfers;
static unsigned long pointer;
static u32 table[1 << 15];

static void mix(unsigned int what, u64 v)
{
	sum[what] = (sum[what] ^ v) * 0x100000001b3ULL;
	sum[what] ^= sum[what] >> 29;
}

/* Calls, branches that nobody can foresee, loads that miss, divisions */
static __attribute((noinline)) unsigned long step(unsigned long x)
{
	u32 *word = &table[x >> 7 & (ARRAY_SIZE(table) - 1)];

	x ^= x << 13;
	x ^= (x & 0xffffffff) >> 17;
	x ^= x << 5;
	if (x & 64)
		*word += x;
	else if (x & 128)
		x += *word / ((x & 15) + 1);
	return x;
}

/*
 * What depends on more of the microarchitecture: loads in steps of three lines, stores that
 * follow each other, and miss, and pairs.
 */
static unsigned long more(unsigned long x)
{
	static u32 at;
	const u32 *line = &table[(at += 48) & (ARRAY_SIZE(table) - 1)];
	unsigned int i;

	x ^= *line;
	for (i = 0; i < 24; i++)	/* more than wait in the window */
		table[(x >> (i & 15)) & (ARRAY_SIZE(table) - 1)] = x;
	__asm__ __volatile__(".rept	6\n\t"
			     "slli	%0, %0, 32\n\t"
			     "srli	%0, %0, 32\n\t"
			     ".endr" : "+r" (x));
	return x;
}

static unsigned long work(unsigned long seed, unsigned long n)
{
	while (n--) {
		seed = step(seed) + n;
		if (WHOLE_UARCH)
			seed = more(seed);
	}
	return seed;
}

static void arm(unsigned int n)
{
	counter_set(3 + n, -(u64)counters[n].period);
	/* One counts in M-mode, too: so it can be seen to stop late. */
	event_set(3 + n, counters[n].event | (n ? EV_MINH : 0));
}

static void take_counters(void)
{
	unsigned int n;

	mix(CAPTURES, rt_log.n);
	mix(CAPTURES, rt_log.n ? rt_log.trap[0].epc : 0);
	mix(CAPTURES, csr_get(MODE_M, CSR_SHPMSPC));
	mix(CAPTURES, csr_get(MODE_M, CSR_SHPMSDATA));
	captures += !pesa_untouched();
	for (n = 0; n < ARRAY_SIZE(counters); n++) {
		mix(COUNTERS, counter_get(3 + n));
		mix(COUNTERS, event_get(3 + n));
		if (!(event_get(3 + n) & EV_OF))
			continue;
		overflows++;
		arm(n);
	}
}

static void take_transfers(void)
{
	struct ctr_entry e;
	unsigned int x;

	mix(TRANSFERS, csr_read(CSR_SCTRSTATUS));
	for (x = 0; x < ctr_core.depth; x++) {
		e = ctr_get(x);
		mix(TRANSFERS, e.source);
		mix(TRANSFERS, e.target);
		mix(TRANSFERS, e.data);
		transfers += e.source & SOURCE_V;
	}
}

static void take_records(void)
{
	unsigned long to = pdis_get(MODE_M, SPDISAMBADDR), n;

	for (; pointer != to; records++) {
		for (n = 0; n < PDIS_WORDS; n++)
			mix(RECORDS, *(unsigned long *)(pointer + n * sizeof(long)));
		pointer = (unsigned long)pmb_mem | ((pointer + PDIS_RECORD) &
						    (PMB_BYTES - 1));
	}
	mix(RECORDS, pdis_get(MODE_M, SPDISCOUNTER));
	mix(RECORDS, pdis_get(MODE_M, MPDISCTL));
	mix(RECORDS, pdis_get(MODE_M, SPDISAMBCS));
}

static void run_round(unsigned int n)
{
	static const enum rt_mode modes[] = { MODE_U, MODE_S, MODE_VU, MODE_VS };
	u32 ours = PDIS_BIT;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(counters); i++)
		ours |= BIT(3 + i);
	/* In some rounds what is selected is mostly discarded, and ACC waits. */
	pdis_filter(n & 1 ? 0 : HDR_TYPE, TYPE_LOAD, n & 1 ? 4 : 0);
	pesa_clear();
	rt_log.n = 0;
	csr_set(CSR_MIE, LCOFI);
	csr_clear(CSR_MCOUNTINHIBIT, ours);
	/* Its pages are those of S-mode; each round walks to them. */
	if (WHOLE_UARCH)
		__asm__ __volatile__("sfence.vma" : : : "memory");
	mix(RESULTS, rt_call_recorded(WHOLE_UARCH ? MODE_S : modes[n % ARRAY_SIZE(modes)],
				      work, n + 1, 400));
	csr_set(CSR_MCOUNTINHIBIT, ours);
	csr_clear(CSR_MIE, LCOFI);
	pesa_settle();
	pmb_drain();
	take_counters();
	take_transfers();
	take_records();
}

static void tell(unsigned int n)
{
	NOTE("%u: %u overflows %llx, %u captures %llx", n, overflows,
	     sum[COUNTERS], captures, sum[CAPTURES]);
	NOTE("%u: %u transfers %llx, %u records %llx, results %llx", n,
	     transfers, sum[TRANSFERS], records, sum[RECORDS], sum[RESULTS]);
}

void test_main(void)
{
	const u64 modes = PDIS_S | PDIS_U, ctl = CTL_S | CTL_U;
	unsigned int n;

	ctr_init();
	csr_write(CSR_STVEC, rt_entry_s);
	csr_write(CSR_VSTVEC, rt_entry_vs);
	pdis_init();
	if (WHOLE_UARCH && !page_on(PTE_RW | PTE_X, 0))
		tap_bail("no Sv39");
	ctr_control(ctl, ctl | CTL_INDJMPINH);
	pointer = (unsigned long)pmb_mem;
	pmb_start(pointer, AMB_SIZE(4));
	pdis_put(MODE_M, VSPDISCTL, modes);
	pdis_put(MODE_M, MPDISCTL, modes | PDIS_MEM | PDIS_ACC | PDIS_EPT | PDIS_PA |
		 PDIS_HPM_BIT(4) | PDIS_HPM_BIT(6));
	pdis_count(PERIOD, -PERIOD);
	for (n = 0; n < ARRAY_SIZE(counters); n++)
		arm(n);
	for (n = 1; n <= ROUNDS; n++) {
		run_round(n);
		if (n % TOLD == 0)
			tell(n);
	}
}
