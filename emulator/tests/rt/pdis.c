// SPDX-License-Identifier: GPL-2.0-only
#include "pdis.h"
#include "indirect.h"
#include "tap.h"

#define PAIR(name)	{ PLATFORM_CSR_##name,				\
			  PLATFORM_CSR_##name + PLATFORM_CSR_PDIS_HIGH, #name }
#define ALONE(name)	{ PLATFORM_CSR_##name, 0, #name }

const struct pdis_csr pdis_csr[PDIS_REGS] = {
	[MPDISCTL] = PAIR(MPDISCTL),
	[SPDISCTL] = PAIR(SPDISCTL),
	[VSPDISCTL] = PAIR(VSPDISCTL),
	[SPDISCOUNTER] = PAIR(SPDISCOUNTER),
	[SPDISEVMASK] = PAIR(SPDISEVMASK),
	[SPDISEVMATCH] = PAIR(SPDISEVMATCH),
	[SPDISFILTER] = ALONE(SPDISFILTER),
	[SPDISAMBCS] = PAIR(SPDISAMBCS),
	[SPDISAMBADDR] = ALONE(SPDISAMBADDR),
};

struct pdis_core pdis_core;

unsigned long pmb_mem[PMB_BYTES / sizeof(long)] __attribute((aligned(PMB_BYTES)));

u64 pdis_get(enum rt_mode mode, enum pdis_reg reg)
{
	u64 v = csr_get(mode, pdis_csr[reg].lo);

	if (__riscv_xlen == 32 && pdis_csr[reg].hi)
		v |= (u64)csr_get(mode, pdis_csr[reg].hi) << 32;
	return v;
}

void pdis_put(enum rt_mode mode, enum pdis_reg reg, u64 val)
{
	if (__riscv_xlen == 32 && pdis_csr[reg].hi)
		csr_put(mode, pdis_csr[reg].hi, val >> 32);
	csr_put(mode, pdis_csr[reg].lo, (unsigned long)val);
}

int pdis_exists(enum pdis_reg reg)
{
	return csr_exists(pdis_csr[reg].lo);
}

void pdis_decode(const unsigned long *words, struct pdis_record *r)
{
	const unsigned long *w = words;

	r->hdr = *w++;
	if (__riscv_xlen == 32)
		r->hdr |= (u64)*w++ << 32;
	r->pc = *w++;
	r->time = *w++;
	r->lat = *w++;
	if (__riscv_xlen == 32)
		r->lat |= (u64)*w++ << 32;
	r->adr1 = *w++;
	r->adr2 = *w;
}

u32 pdis_lat(const struct pdis_record *r, unsigned int which)
{
	return r->lat >> (LAT_BITS * which) & LAT_MAX;
}

int pdis_lat_valid(const struct pdis_record *r, unsigned int which)
{
	return which == LAT_TOTAL || r->lat >> (59 + which) & 1;
}

int pdis_to_registers(void)
{
	return !(pdis_core.fixed & PDIS_MEM);
}

int pdis_to_memory(void)
{
	return !!((pdis_core.fixed | pdis_core.ctl) & PDIS_MEM);
}

static u64 ones_of(enum pdis_reg reg, u64 ones)
{
	u64 v;

	pdis_put(MODE_M, reg, ones);
	v = pdis_get(MODE_M, reg);
	pdis_put(MODE_M, reg, 0);
	return v;
}

static void find_buffer(void)
{
	if (!pdis_to_memory())
		return;
	pdis_core.size = (ones_of(SPDISAMBCS, AMB_SIZE(31)) & AMB_SIZE(31)) >>
			 AMB_SIZE_SHIFT;
	pdis_put(MODE_M, SPDISAMBADDR, 0);
}

void pdis_init(void)
{
	if (!pdis_exists(MPDISCTL))
		tap_bail("no mpdisctl");
	counters_stop_all();
	pdis_put(MODE_M, MPDISCTL, 0);
	pdis_core.fixed = pdis_get(MODE_M, MPDISCTL) & ~PDIS_UNUSED;
	pdis_core.ctl = ones_of(MPDISCTL, ~(PDIS_CUSTOM | PDIS_SEL)) &
			~(pdis_core.fixed | PDIS_UNUSED);
	if (rt_has_h())
		pdis_core.vs = ones_of(VSPDISCTL, PDIS_VS_OWN) & PDIS_VS_OWN;
	pdis_core.events = ones_of(SPDISEVMASK, ~0ULL) &
			   ones_of(SPDISEVMATCH, ~0ULL);
	pdis_core.filter = ones_of(SPDISFILTER, FILTER_THRESH | FILTER_INV |
				   FILTER_BY(LAT_OLDEST));
	find_buffer();
	pdis_put(MODE_M, SPDISCOUNTER, 0);
	pdis_envcfg(0, 0);
	lcofi_clear();
	lambi_clear();
}

/* A bit of a register that RV32 has in two halves */
static void bit64_put(u32 lo, u32 hi, unsigned int bit, int on)
{
	if (__riscv_xlen == 32) {
		lo = hi;
		bit -= 32;
	}
	csr_try(MODE_M, on ? OP_SET : OP_CLEAR, lo, BIT(bit));
}

void pdis_envcfg(int s, int v)
{
	bit64_put(CSR_MENVCFG, CSR_MENVCFGH, PLATFORM_ENVCFG_PDIS_BIT, s);
	if (rt_has_h())
		bit64_put(CSR_HENVCFG, CSR_HENVCFGH, PLATFORM_ENVCFG_PDIS_BIT, v);
}

void pdis_stateen(int m, int h)
{
	bit64_put(CSR_MSTATEEN0, CSR_MSTATEEN0H, PLATFORM_STATEEN_PDIS_BIT, 1);
	if (rt_has_h())
		bit64_put(CSR_HSTATEEN0, CSR_HSTATEEN0H,
			  PLATFORM_STATEEN_PDIS_BIT, h);
	bit64_put(CSR_MSTATEEN0, CSR_MSTATEEN0H, PLATFORM_STATEEN_PDIS_BIT, m);
}

void pdis_stop(void)
{
	csr_set(CSR_MCOUNTINHIBIT, PDIS_BIT);
}

void pdis_start(void)
{
	csr_clear(CSR_MCOUNTINHIBIT, PDIS_BIT);
}

void pdis_data(enum rt_mode mode, unsigned long *words)
{
	u32 select = mode == MODE_VS ? CSR_VSISELECT : CSR_SISELECT;
	unsigned int n;

	csr_put(MODE_M, select, PLATFORM_SELECT_PDIS);
	for (n = 0; n < SIREGS; n++)
		words[n] = csr_get(mode, sireg_csr[n]);
	csr_put(MODE_M, select, PLATFORM_SELECT_PDIS + 1);
	words[6] = csr_get(mode, CSR_SIREG);
	words[7] = csr_get(mode, CSR_SIREG2);
}

void pdis_prepare(enum rt_mode mode, u64 ctl)
{
	static const u64 own[MODES] = { PDIS_M, PDIS_S, PDIS_U };
	static const u64 guest[MODES] = {
		[MODE_VS] = PDIS_S, [MODE_VU] = PDIS_U,
	};

	pdis_stop();
	if (rt_has_h())
		pdis_put(MODE_M, VSPDISCTL, ctl | guest[mode]);
	pdis_put(MODE_M, MPDISCTL, ctl | own[mode]);
	lcofi_clear();
	lambi_clear();
	rt_log.n = 0;
}

void pdis_count(u32 n, u32 initval)
{
	pdis_put(MODE_M, SPDISCOUNTER, PDIS_INITVAL(initval) | (u32)-n);
}

u32 pdis_count_get(void)
{
	return pdis_get(MODE_M, SPDISCOUNTER) & PDIS_COUNT;
}

void pdis_filter(u64 mask, u64 match, u64 filter)
{
	pdis_put(MODE_M, SPDISEVMASK, mask);
	pdis_put(MODE_M, SPDISEVMATCH, match);
	pdis_put(MODE_M, SPDISFILTER, filter);
}

int pdis_of(void)
{
	return pdis_get(MODE_M, MPDISCTL) >> 63;
}

struct csr_result pdis_run(enum rt_mode mode, rt_fn *fn, unsigned long a0,
			   unsigned long a1)
{
	struct csr_result r;

	pdis_start();
	r = rt_try(mode, fn, a0, a1);
	pdis_stop();
	if (pdis_get(MODE_M, MPDISCTL) & PDIS_MEM && !pmb_drain())
		NOTE("spdisambcs.EMPTY stays 0");
	return r;
}

/* With MEM=1, unless that is not there */
int pdis_sample2(enum rt_mode mode, u64 ctl, u32 n, rt_fn *fn, unsigned long a0,
		 unsigned long a1, struct pdis_record *r)
{
	int memory = !pdis_to_registers() || ctl & PDIS_MEM;
	unsigned long words[PDIS_WORDS];
	unsigned int i;
	int there;

	if (memory) {
		/* No more than is read: what is in the caches should stay there. */
		for (i = 0; i < PDIS_WORDS; i++)
			pmb_mem[i] = 0;
		pmb_start((unsigned long)pmb_mem, 0);
		ctl |= PDIS_MEM;
	}
	pdis_prepare(mode, ctl & ~PDIS_OF);
	pdis_count(n, 0);
	pdis_run(mode, fn, a0, a1);
	if (memory) {
		there = csr_get(MODE_M, pdis_csr[SPDISAMBADDR].lo) ==
			(unsigned long)pmb_mem + PDIS_RECORD;
		pdis_decode(pmb_mem, r);
		pmb_stop();
	} else {
		there = pdis_of();
		pdis_data(MODE_M, words);
		pdis_decode(words, r);
	}
	return there;
}

int pdis_sample(enum rt_mode mode, u64 ctl, u32 n, rt_fn *fn, unsigned long a0,
		struct pdis_record *r)
{
	return pdis_sample2(mode, ctl, n, fn, a0, 0, r);
}

int pmb_drain(void)
{
	int n;

	for (n = 0; n < PLATFORM_AMB_WAIT; n++)
		if (pdis_get(MODE_M, SPDISAMBCS) & AMB_EMPTY)
			return 1;
	return 0;
}

void pmb_stop(void)
{
	pmb_drain();
	pdis_put(MODE_M, SPDISAMBCS, 0);
}

int pmb_start(unsigned long addr, u64 cs)
{
	int n;

	pmb_stop();
	pdis_put(MODE_M, SPDISAMBADDR, addr);
	pdis_put(MODE_M, SPDISAMBCS, cs | AMB_EN);
	for (n = 0; n < PLATFORM_AMB_WAIT; n++)
		if (pdis_get(MODE_M, SPDISAMBCS) & AMB_TRV)
			return 1;
	return 0;
}

int lambi_pending(void)
{
	return !!(csr_read(CSR_MIP) & LAMBI);
}

int lambi_wait(void)
{
	int n;

	for (n = 0; n < PLATFORM_AMB_WAIT; n++)
		if (lambi_pending())
			return 1;
	return 0;
}

void lambi_clear(void)
{
	csr_clear(CSR_MIP, LAMBI);
}

void pmb_clear(void)
{
	unsigned int n;

	for (n = 0; n < ARRAY_SIZE(pmb_mem); n++)
		pmb_mem[n] = 0;
}

int pmb_written(const void *record)
{
	const unsigned long *w = record;
	unsigned int n;

	for (n = 0; n < PDIS_WORDS; n++)
		if (w[n])
			return 1;
	return 0;
}
