// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sscofpmf with the H extension: LCOFI in vsip and vsie.
 *
 * profile: full noaia rv32
 */
#include "hpm.h"
#include "tap.h"

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

static void test_alias(void)
{
	if (!hs_delegate(1)) {
		tap_skip("COF-039", "hideleg[13] is read-only 0: no Shlcofideleg");
		return;
	}
	csr_set(CSR_MIP, LCOFI);
	CHECK("COF-039", csr_get(MODE_VS, CSR_SIP) & LCOFI, "vsip shows LCOFIP");
	csr_put(MODE_VS, CSR_SIP, 0);
	CHECK("COF-039", !lcofi_pending(), "and clears it");
	csr_put(MODE_VS, CSR_SIE, LCOFI);
	CHECK("COF-039", csr_read(CSR_MIE) & LCOFI, "vsie sets LCOFIE");
	csr_put(MODE_VS, CSR_SIE, 0);
	CHECK("COF-039", !(csr_read(CSR_MIE) & LCOFI), "and clears it");
	hs_delegate(0);
}

void test_main(void)
{
	counters_stop_all();
	csr_set(CSR_MIDELEG, LCOFI);
	if (!(csr_read(CSR_MIDELEG) & LCOFI)) {
		tap_skip("COF-038", "mideleg[13] is read-only 0");
		return;
	}
	hs_delegate(0);
	test_pending();
	test_enable();
	test_alias();
}
