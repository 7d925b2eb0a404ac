// SPDX-License-Identifier: GPL-2.0-only
#include "tap.h"
#include "vendor.h"

#define LOOPS		5000

u32 vendor_present(void)
{
	return hpm_present() | BIT(COUNTER_CYCLE) | BIT(COUNTER_INSTRET);
}

void vendor_run(unsigned int i, u64 from, unsigned long n)
{
	counter_stop(i);
	if (i >= COUNTER_FIRST)
		event_set(i, INSTRET);
	counter_set(i, from);
	counter_start(i);
	rt_call(MODE_U, rt_loop, n, 0);
	counter_stop(i);
}

void vendor_wrap(unsigned int i)
{
	vendor_run(i, -(u64)LOOPS, LOOPS);
	if (counter_get(i) > 2 * LOOPS + VENDOR_SLACK && i != COUNTER_CYCLE)
		tap_bail("counter %u has not wrapped: %llx", i, counter_get(i));
}

/* Cycles may take long: the distance is what a core could count in a second. */
void vendor_almost_wrap(unsigned int i)
{
	vendor_run(i, -(1ULL << 32), LOOPS);
}

int vendor_mip(unsigned int irq)
{
	unsigned long mip = 0;
	int n;

	for (n = 0; n < PLATFORM_LCOFI_WAIT / 10; n++)
		mip = csr_read(CSR_MIP);
	return mip >> irq & 1;
}

u32 vendor_layout(u32 csr)
{
	unsigned int bit;
	u32 wrong = 0;

	csr_put(MODE_M, csr, ~0UL);
	if (csr_get(MODE_M, csr) != VENDOR_COUNTERS)
		wrong = 2;
	for (bit = 0; bit < 32; bit++) {
		csr_put(MODE_M, csr, BIT(bit));
		if (csr_get(MODE_M, csr) != (BIT(bit) & VENDOR_COUNTERS))
			wrong |= 1U << bit;
	}
	csr_put(MODE_M, csr, 0);
	if (csr_get(MODE_M, csr))
		wrong |= 2;
	return wrong;
}

u32 vendor_modes(u32 csr)
{
	u32 modes = 0;
	int m;

	for (m = MODE_M; m <= MODE_U; m++)
		if (csr_cause(m, OP_READ, csr, 0) == NO_TRAP)
			modes |= 1U << m;
	return modes;
}

u32 vendor_let_in(enum rt_mode mode)
{
	rt_log.n = 0;
	if (mode == MODE_M)
		rt_call(mode, rt_window_m, 0, 0);
	else if (mode == MODE_S)
		rt_call(mode, rt_window_s, 0, 0);
	else
		rt_call(mode, rt_nops, 0, 0);
	return rt_log.n;
}

int vendor_took(unsigned long code, enum rt_mode to)
{
	return rt_log.n == 1 && rt_log.trap[0].to == to &&
		rt_log.trap[0].cause == (CAUSE_INTERRUPT | code);
}
