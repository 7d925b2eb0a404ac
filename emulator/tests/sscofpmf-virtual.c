// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sscofpmf with the H extension: LCOFI in vsip and vsie.
 *
 * profile: full noaia shlcofideleg rv32 rv32-shlcofideleg
 */
#include "hpm.h"
#include "tap.h"

/* The profile is the only way to know whether hideleg[13] may be written. */
#if defined(PROFILE_SHLCOFIDELEG) || defined(PROFILE_RV32_SHLCOFIDELEG)
#define SHLCOFIDELEG 1
#else
#define SHLCOFIDELEG 0
#endif

static int hs_delegate(int on)
{
	csr_cause(MODE_M, on ? OP_SET : OP_CLEAR, CSR_HIDELEG, LCOFI);
	return !!(csr_get(MODE_M, CSR_HIDELEG) & LCOFI);
}

/*
 * By number from HS-mode, and as sip and sie in VS-mode. Pending and enabled
 * are looked at apart, or HS-mode would be interrupted.
 */
static void test_pending(void)
{
	csr_set(CSR_MIP, LCOFI);
	CHECK("COF-038", !(csr_get(MODE_S, CSR_VSIP) & LCOFI) &&
	      !(csr_get(MODE_VS, CSR_SIP) & LCOFI),
	      "hideleg[13]=0: vsip bit 13 reads 0 with LCOFI pending");
	csr_put(MODE_VS, CSR_SIP, 0);
	CHECK("COF-038", lcofi_pending(), "VS-mode cannot clear it");
	lcofi_clear();
	csr_put(MODE_VS, CSR_SIP, LCOFI);
	CHECK("COF-038", !lcofi_pending(), "nor set it");
}

static void test_enable(void)
{
	csr_set(CSR_MIE, LCOFI);
	CHECK("COF-038", !(csr_get(MODE_S, CSR_VSIE) & LCOFI) &&
	      !(csr_get(MODE_VS, CSR_SIE) & LCOFI),
	      "hideleg[13]=0: vsie bit 13 reads 0 with LCOFI enabled");
	csr_put(MODE_VS, CSR_SIE, 0);
	CHECK("COF-038", csr_read(CSR_MIE) & LCOFI, "VS-mode cannot clear it");
	csr_clear(CSR_MIE, LCOFI);
	csr_put(MODE_VS, CSR_SIE, LCOFI);
	csr_put(MODE_S, CSR_VSIE, LCOFI);
	CHECK("COF-038", !(csr_get(MODE_S, CSR_VSIE) & LCOFI) &&
	      !(csr_read(CSR_MIE) & LCOFI), "nor set it");
}

/* What VS-mode does to its sip and sie is done to those of HS-mode. */
static void test_alias(void)
{
	csr_set(CSR_MIP, LCOFI);
	CHECK("COF-039", csr_get(MODE_VS, CSR_SIP) & LCOFI &&
	      csr_get(MODE_S, CSR_VSIP) & LCOFI, "vsip shows LCOFIP");
	csr_put(MODE_VS, CSR_SIP, 0);
	CHECK("COF-039", !lcofi_pending() && !(csr_get(MODE_S, CSR_SIP) & LCOFI),
	      "and clears it");
	csr_put(MODE_VS, CSR_SIP, LCOFI);
	CHECK("COF-039", lcofi_pending(), "and sets it");
	lcofi_clear();
	csr_put(MODE_VS, CSR_SIE, LCOFI);
	CHECK("COF-039", csr_get(MODE_S, CSR_SIE) & LCOFI &&
	      csr_get(MODE_S, CSR_VSIE) & LCOFI, "vsie sets LCOFIE");
	csr_put(MODE_VS, CSR_SIE, 0);
	CHECK("COF-039", !(csr_get(MODE_S, CSR_SIE) & LCOFI), "and clears it");
}

/* An overflow in the guest interrupts the guest. */
static void test_taken(unsigned int i, enum rt_mode mode, u64 inh)
{
	lcofi_clear();
	rt_log.n = 0;
	csr_put(MODE_S, CSR_VSIE, LCOFI);
	hpm_start(i, INSTRET | inh, -4ULL);
	if (mode == MODE_VS)
		rt_call(mode, rt_window_s, 0, 0);
	else
		rt_call(mode, rt_nops, 0, 0);
	counter_stop(i);
	CHECK("COF-039", rt_log.n == 1 && rt_log.trap[0].to == MODE_VS &&
	      rt_log.trap[0].cause == (CAUSE_INTERRUPT | IRQ_LCOFI),
	      "an overflow in %s-mode traps to VS-mode", rt_mode_name[mode]);
	csr_put(MODE_S, CSR_VSIE, 0);
	lcofi_clear();
}

void test_main(void)
{
	unsigned int i = hpm_nth(0);

	counters_stop_all();
	csr_set(CSR_MIDELEG, LCOFI);
	if (!(csr_read(CSR_MIDELEG) & LCOFI)) {
		tap_skip("COF-038", "mideleg[13] is read-only 0");
		return;
	}
	hs_delegate(0);
	test_pending();
	test_enable();
	CHECK("COF-038", hs_delegate(1) == SHLCOFIDELEG,
	      "hideleg[13] is %s", SHLCOFIDELEG ? "writable" : "read-only 0");
	if (!SHLCOFIDELEG)
		return;
	test_alias();
	test_taken(i, MODE_VS, EV_XINH & ~EV_VSINH);
	test_taken(i, MODE_VU, EV_XINH & ~EV_VUINH);
}
