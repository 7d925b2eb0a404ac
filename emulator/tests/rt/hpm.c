// SPDX-License-Identifier: GPL-2.0-only
#include "hpm.h"
#include "tap.h"

static u64 get_pair(u32 lo, u32 hi)
{
	u64 v = csr_get(MODE_M, lo);

	if (__riscv_xlen == 32)
		v |= (u64)csr_get(MODE_M, hi) << 32;
	return v;
}

static void put_pair(u32 lo, u32 hi, u64 val)
{
	if (__riscv_xlen == 32)
		csr_put(MODE_M, hi, val >> 32);
	csr_put(MODE_M, lo, val);
}

static u32 event_csr(unsigned int i)
{
	if (i == COUNTER_CYCLE)
		return CSR_MCYCLECFG;
	return CSR_MHPMEVENT(i);
}

/* The h registers have the same distance everywhere. */
#define EVENT_TO_H (CSR_MHPMEVENTH(3) - CSR_MHPMEVENT(3))

u64 counter_get(unsigned int i)
{
	return get_pair(CSR_MCOUNTER(i), CSR_MCOUNTERH(i));
}

void counter_set(unsigned int i, u64 val)
{
	put_pair(CSR_MCOUNTER(i), CSR_MCOUNTERH(i), val);
}

u64 event_get(unsigned int i)
{
	return get_pair(event_csr(i), event_csr(i) + EVENT_TO_H);
}

/* No event while the halves disagree, or the old one would be counted. */
void event_set(unsigned int i, u64 val)
{
	if (__riscv_xlen == 32)
		csr_put(MODE_M, event_csr(i), 0);
	put_pair(event_csr(i), event_csr(i) + EVENT_TO_H, val);
}

void counter_stop(unsigned int i)
{
	csr_set(CSR_MCOUNTINHIBIT, BIT(i));
}

void counter_start(unsigned int i)
{
	csr_clear(CSR_MCOUNTINHIBIT, BIT(i));
}

void counters_stop_all(void)
{
	csr_write(CSR_MCOUNTINHIBIT, 0xffffffff);
}

u64 counter_mask(unsigned int i)
{
	counter_stop(i);
	counter_set(i, ~0ULL);
	return counter_get(i);
}

u32 hpm_present(void)
{
	unsigned int i;
	u32 present = 0;

	for (i = COUNTER_FIRST; i <= COUNTER_LAST; i++)
		if (csr_exists(CSR_MCOUNTER(i)) && counter_mask(i))
			present |= 1U << i;
	return present;
}

unsigned int hpm_nth(unsigned int n)
{
	u32 present = hpm_present();
	unsigned int i;

	for (i = COUNTER_FIRST; i <= COUNTER_LAST; i++)
		if (present >> i & 1 && !n--)
			return i;
	tap_bail("not enough programmable counters: %x", present);
}

u64 only_in(enum rt_mode mode, u64 event)
{
	static const u64 inhibit[MODES] = {
		EV_MINH, EV_SINH, EV_UINH, EV_VSINH, EV_VUINH
	};

	return event | (EV_XINH & ~inhibit[mode]);
}

void hpm_start(unsigned int i, u64 event, u64 val)
{
	counter_stop(i);
	event_set(i, event);
	counter_set(i, val);
	counter_start(i);
}

void counteren_set(u32 m, u32 h)
{
	csr_write(CSR_MCOUNTEREN, m);
	if (rt_has_h())
		csr_write(CSR_HCOUNTEREN, h);
}

int cde_set(int on)
{
#if __riscv_xlen == 64
	unsigned long bit = BIT(MENVCFG_CDE_BIT);
	u32 csr = CSR_MENVCFG;
#else
	unsigned long bit = BIT(MENVCFG_CDE_BIT - 32);
	u32 csr = CSR_MENVCFGH;
#endif
	csr_cause(MODE_M, on ? OP_SET : OP_CLEAR, csr, bit);
	return csr_exists(csr) && (csr_get(MODE_M, csr) & bit);
}

int lcofi_pending(void)
{
	return !!(csr_read(CSR_MIP) & LCOFI);
}

void lcofi_clear(void)
{
	csr_clear(CSR_MIP, LCOFI);
}

unsigned long lcofi_epc(enum rt_mode to)
{
	if (rt_log.n != 1 || rt_log.trap[0].to != to ||
	    rt_log.trap[0].cause != (CAUSE_INTERRUPT | IRQ_LCOFI))
		return 0;
	return rt_log.trap[0].epc;
}

int lcofi_wait(void)
{
	int n;

	for (n = 0; n < PLATFORM_LCOFI_WAIT; n++)
		if (lcofi_pending())
			return 1;
	return 0;
}
