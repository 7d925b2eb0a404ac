// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sspesa: of which mode LCOFIP must be 0 for an overflow to be captured.
 *
 * profile: pesa pesa-noh pesa-rv32
 */
#include "pesa.h"
#include "tap.h"

static unsigned int counter;

/* With LCOFIP left as it is */
static void overflow(void)
{
	hpm_start(counter, only_in(MODE_U, INSTRET), -3ULL);
	path_run(MODE_U);
	counter_stop(counter);
}

static int captured(void)
{
	return pesa_holds_path(counter, 2);
}

static void delegate(int s, int vs)
{
	csr_cause(MODE_M, s ? OP_SET : OP_CLEAR, CSR_MIDELEG, LCOFI);
	if (rt_has_h())
		csr_cause(MODE_M, vs ? OP_SET : OP_CLEAR, CSR_HIDELEG, LCOFI);
}

/* Set and cleared as software of that mode does it */
static void test_gate(enum rt_mode mode, u32 csr)
{
	pesa_clear();
	csr_cause(mode, OP_SET, csr, LCOFI);
	overflow();
	CHECK("PESA-007", pesa_untouched(), "%s-mode: LCOFIP=1 in CSR %x",
	      rt_mode_name[mode], csr);
	csr_cause(mode, OP_CLEAR, csr, LCOFI);
	overflow();
	CHECK("PESA-007", captured() && csr_get(mode, csr) & LCOFI,
	      "%s-mode: LCOFIP 0 to 1 in CSR %x", rt_mode_name[mode], csr);
	csr_cause(mode, OP_CLEAR, csr, LCOFI);
	pesa_clear();
	overflow();
	CHECK("PESA-008", captured(), "%s-mode: and once more",
	      rt_mode_name[mode]);
}

/*
 * An LCOFI that M-mode makes up for S-mode, or HS-mode for its guest, is not
 * the one that overflows pend.
 */
static void test_injected(const char *who, u32 enable, u32 pend,
			  enum rt_mode mode)
{
	if (csr_cause(MODE_M, OP_SET, enable, LCOFI) != NO_TRAP ||
	    !(csr_get(MODE_M, enable) & LCOFI)) {
		tap_skip("PESA-007", "LCOFI cannot be injected");
		return;
	}
	pesa_clear();
	csr_cause(MODE_M, OP_SET, pend, LCOFI);
	CHECK("PESA-007", csr_get(mode, CSR_SIP) & LCOFI && !lcofi_pending(),
	      "LCOFI injected into %s", who);
	overflow();
	CHECK("PESA-007", captured(), "LCOFI injected into %s: not that bit", who);
	csr_cause(MODE_M, OP_CLEAR, pend, LCOFI);
	csr_cause(MODE_M, OP_CLEAR, enable, LCOFI);
}

static void test_machine(void)
{
	delegate(0, 0);
	test_gate(MODE_M, CSR_MIP);
	test_injected("S-mode", CSR_MVIEN, CSR_MVIP, MODE_S);
}

static void test_supervisor(void)
{
	delegate(1, 0);
	if (!(csr_read(CSR_MIDELEG) & LCOFI)) {
		tap_skip("PESA-007", "mideleg[13] is read-only 0");
		return;
	}
	test_gate(MODE_S, CSR_SIP);
	if (rt_has_h())
		test_injected("VS-mode", CSR_HVIEN, CSR_HVIP, MODE_VS);
}

static void test_guest(void)
{
	if (!rt_has_h()) {
		tap_skip("PESA-007", "no H extension");
		return;
	}
	delegate(1, 1);
	if (!(csr_get(MODE_M, CSR_HIDELEG) & LCOFI)) {
		tap_skip("PESA-007", "hideleg[13] is read-only 0");
		return;
	}
	test_gate(MODE_VS, CSR_SIP);
	test_gate(MODE_S, CSR_VSIP);
}

void test_main(void)
{
	counter = hpm_nth(1);
	counters_stop_all();
	counteren_set(~0U, ~0U);
	cde_set(1);
	test_machine();
	test_supervisor();
	test_guest();
}
