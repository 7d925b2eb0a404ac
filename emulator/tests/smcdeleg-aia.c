// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sscofpmf with AIA: LCOFI in mvip, mvien, hvip, hvien; its delegation bits.
 *
 * profile: full rv32
 */
#include "hpm.h"
#include "tap.h"

static void test_writable(const char *rule, u32 csr, const char *name)
{
	csr_put(MODE_M, csr, LCOFI);
	CHECK(rule, csr_get(MODE_M, csr) & LCOFI, "%s bit 13 holds 1", name);
	csr_put(MODE_M, csr, 0);
	CHECK(rule, !(csr_get(MODE_M, csr) & LCOFI), "%s bit 13 holds 0", name);
}

/* Writable or read-only 0, and no other bit moves along. */
static void test_optional(u32 csr, const char *name)
{
	unsigned long was = csr_get(MODE_M, csr), set;

	csr_try(MODE_M, OP_SET, csr, LCOFI);
	set = csr_get(MODE_M, csr);
	CHECK("DEL-042", !(was & LCOFI) && (set == was || set == (was | LCOFI)),
	      "%s bit 13 is %s", name, set == was ? "read-only 0" : "writable");
	csr_try(MODE_M, OP_CLEAR, csr, LCOFI);
	CHECK("DEL-042", csr_get(MODE_M, csr) == was, "%s bit 13 goes back", name);
}

/* The hypervisor injects: vsip and vsie show a bit of their own. */
static void test_injection(void)
{
	csr_set(CSR_MIDELEG, LCOFI);
	csr_put(MODE_M, CSR_HVIEN, LCOFI);
	csr_put(MODE_M, CSR_HVIP, LCOFI);
	CHECK("DEL-041", csr_get(MODE_VS, CSR_SIP) & LCOFI,
	      "with hvien[13] a guest sees hvip[13] in its sip");
	csr_put(MODE_VS, CSR_SIE, LCOFI);
	CHECK("DEL-041", csr_get(MODE_VS, CSR_SIE) & LCOFI,
	      "and has an enable for it");
	rt_log.n = 0;
	rt_call(MODE_VS, rt_window_s, 0, 0);
	CHECK("DEL-041", rt_log.n == 1 && rt_log.trap[0].to == MODE_VS &&
	      rt_log.trap[0].cause == (CAUSE_INTERRUPT | IRQ_LCOFI),
	      "and is interrupted");
	csr_put(MODE_M, CSR_HVIP, 0);
	CHECK("DEL-041", !(csr_get(MODE_VS, CSR_SIP) & LCOFI),
	      "until hvip[13] is 0");
	csr_put(MODE_M, CSR_HVIEN, 0);
	CHECK("DEL-041", !lcofi_pending(), "mip is not concerned");
}

/* Firmware injects into S-mode without delegating. */
static void test_firmware(void)
{
	csr_clear(CSR_MIDELEG, LCOFI);
	csr_put(MODE_M, CSR_MVIEN, LCOFI);
	csr_put(MODE_M, CSR_MVIP, LCOFI);
	CHECK("DEL-040", csr_get(MODE_S, CSR_SIP) & LCOFI,
	      "with mvien[13] S-mode sees mvip[13] in its sip");
	csr_put(MODE_S, CSR_SIE, LCOFI);
	rt_log.n = 0;
	rt_call(MODE_S, rt_window_s, 0, 0);
	csr_put(MODE_S, CSR_SIE, 0);
	CHECK("DEL-040", rt_log.n == 1 && rt_log.trap[0].to == MODE_S &&
	      rt_log.trap[0].cause == (CAUSE_INTERRUPT | IRQ_LCOFI),
	      "and is interrupted");
	csr_put(MODE_M, CSR_MVIP, 0);
	csr_put(MODE_M, CSR_MVIEN, 0);
	CHECK("DEL-040", !lcofi_pending(), "mip is not concerned");
}

void test_main(void)
{
	counters_stop_all();
	lcofi_clear();
	test_optional(CSR_MIDELEG, "mideleg");
	test_optional(CSR_HIDELEG, "hideleg");
	test_writable("DEL-040", CSR_MVIEN, "mvien");
	test_writable("DEL-041", CSR_HVIEN, "hvien");
	csr_clear(CSR_MIDELEG, LCOFI);
	csr_put(MODE_M, CSR_MVIEN, LCOFI);
	test_writable("DEL-040", CSR_MVIP, "mvip");
	csr_put(MODE_M, CSR_MVIEN, 0);
	csr_put(MODE_M, CSR_HVIEN, LCOFI);
	test_writable("DEL-041", CSR_HVIP, "hvip");
	csr_put(MODE_M, CSR_HVIEN, 0);
	test_firmware();
	test_injection();
}
