// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ssamb: interrupt 14 in mip, mie, sip, sie, vsip, vsie and their AIA friends;
 * its delegation and priority.
 *
 * profile: pdis pdis-memory pdis-noh pdis-rv32
 */
#include "pdis.h"
#include "tap.h"

static void test_writable(const char *rule, enum rt_mode mode, u32 csr,
			  const char *name)
{
	unsigned long before = csr_get(mode, csr), set, clear;

	csr_cause(mode, OP_SET, csr, LAMBI);
	set = csr_get(mode, csr);
	csr_cause(mode, OP_CLEAR, csr, LAMBI);
	clear = csr_get(mode, csr);
	CHECK(rule, set == (before | LAMBI) && clear == (before & ~LAMBI),
	      "%s bit 14 can be 1 and 0", name);
}

static void test_machine(void)
{
	test_writable("AMB-048", MODE_M, CSR_MIP, "mip");
	test_writable("AMB-048", MODE_M, CSR_MIE, "mie");
	test_writable("AMB-048", MODE_M, CSR_MIDELEG, "mideleg");
	csr_set(CSR_MIP, LAMBI);
	CHECK("AMB-056", csr_read(CSR_MIP) & LAMBI, "software pends it");
	csr_clear(CSR_MIP, LAMBI);
	CHECK("AMB-056", !(csr_read(CSR_MIP) & LAMBI), "and takes it back");
}

static void test_supervisor(void)
{
	csr_clear(CSR_MIDELEG, LAMBI);
	csr_set(CSR_MIP, LAMBI);
	CHECK("AMB-049", !(csr_get(MODE_S, CSR_SIP) & LAMBI),
	      "not delegated: sip does not show it");
	csr_clear(CSR_MIP, LAMBI);
	csr_set(CSR_MIE, LAMBI);
	CHECK("AMB-049", !(csr_get(MODE_S, CSR_SIE) & LAMBI), "nor does sie");
	csr_set(CSR_MIDELEG, LAMBI);
	csr_set(CSR_MIP, LAMBI);
	CHECK("AMB-049", csr_get(MODE_S, CSR_SIP) & csr_get(MODE_S, CSR_SIE) & LAMBI,
	      "delegated: they do");
	csr_clear(CSR_MIP, LAMBI);
	csr_clear(CSR_MIE, LAMBI);
	test_writable("AMB-049", MODE_S, CSR_SIP, "sip");
	test_writable("AMB-049", MODE_S, CSR_SIE, "sie");
	csr_clear(CSR_MIDELEG, LAMBI);
}

static int taken(enum rt_mode to)
{
	return rt_log.n == 1 && rt_log.trap[0].to == to &&
	       rt_log.trap[0].cause == (CAUSE_INTERRUPT | IRQ_LAMBI);
}

/* All pending at once come one by one, as the handler masks each. */
static void test_order(const char *rule, enum rt_mode mode, rt_fn *window,
		       const unsigned char *want, unsigned int n)
{
	unsigned int i, wrong = 0;

	rt_log.n = 0;
	rt_call(mode, window, 0, 0);
	for (i = 0; i < n; i++)
		wrong |= (rt_log.trap[i].cause & 63) != want[i] ? 1U << i : 0;
	CHECK(rule, rt_log.n == n && !wrong,
	      "in %s-mode LAMBI comes last of %u (%u taken, wrong: %x)",
	      rt_mode_name[mode], n, rt_log.n, wrong);
	csr_write(CSR_MIE, 0);
}

static void test_machine_order(void)
{
	static const unsigned char order[] = {
		IRQ_MEI, IRQ_MSI, IRQ_MTI, IRQ_SEI, IRQ_SSI, IRQ_STI,
		IRQ_LCOFI, IRQ_LAMBI,
	};
	unsigned long soft = BIT(IRQ_SEI) | BIT(IRQ_SSI) | BIT(IRQ_STI) |
			     LCOFI | LAMBI;

	csr_write(CSR_MIDELEG, 0);
	plat_mei(1);
	plat_msi(1);
	plat_mti(1);
	csr_set(CSR_MIP, soft);
	csr_write(CSR_MIE, soft | BIT(IRQ_MEI) | BIT(IRQ_MSI) | BIT(IRQ_MTI));
	test_order("AMB-058", MODE_M, rt_window_m, order, ARRAY_SIZE(order));
	plat_mei(0);
	plat_msi(0);
	plat_mti(0);
	csr_clear(CSR_MIP, soft);
}

static void test_supervisor_order(void)
{
	static const unsigned char order[] = {
		IRQ_SEI, IRQ_SSI, IRQ_STI, IRQ_LCOFI, IRQ_LAMBI,
	};
	unsigned long soft = BIT(IRQ_SEI) | BIT(IRQ_SSI) | BIT(IRQ_STI) |
			     LCOFI | LAMBI;

	csr_write(CSR_MIDELEG, soft);
	csr_set(CSR_MIP, soft);
	csr_write(CSR_MIE, soft);
	test_order("AMB-059", MODE_S, rt_window_s, order,
		   ARRAY_SIZE(order) - !(csr_read(CSR_MIDELEG) & LCOFI));
	csr_clear(CSR_MIP, soft);
	csr_write(CSR_MIDELEG, 0);
}

/* One that S-mode is to take waits while M-mode runs. */
static void test_waiting(void)
{
	csr_set(CSR_MIDELEG, LAMBI);
	csr_set(CSR_MIE, LAMBI);
	csr_set(CSR_MIP, LAMBI);
	rt_log.n = 0;
	rt_window_m(0, 0);
	CHECK("AMB-060", !rt_log.n && lambi_pending(), "M-mode does not take it");
	rt_call(MODE_S, rt_nops, 0, 0);
	CHECK("AMB-060", !rt_log.n && lambi_pending(),
	      "nor S-mode with interrupts off");
	rt_call(MODE_S, rt_window_s, 0, 0);
	CHECK("AMB-060", taken(MODE_S), "S-mode takes it when it can");
	csr_write(CSR_MIE, 0);
	lambi_clear();
	csr_write(CSR_MIDELEG, 0);
	csr_set(CSR_MIE, LAMBI);
	csr_set(CSR_MIP, LAMBI);
	rt_log.n = 0;
	rt_call(MODE_S, rt_nops, 0, 0);
	CHECK("AMB-048", taken(MODE_M), "not delegated it is M-mode's");
	csr_write(CSR_MIE, 0);
	lambi_clear();
}

static void test_guest(void)
{
	csr_set(CSR_MIDELEG, LAMBI);
	test_writable("AMB-051", MODE_M, CSR_HIDELEG, "hideleg");
	csr_set(CSR_MIP, LAMBI);
	csr_set(CSR_MIE, LAMBI);
	CHECK("AMB-052", !((csr_get(MODE_S, CSR_VSIP) |
			    csr_get(MODE_S, CSR_VSIE)) & LAMBI),
	      "hideleg[14]=0: vsip, vsie do not show it");
	csr_set(CSR_VSIP, LAMBI);
	csr_set(CSR_VSIE, LAMBI);
	CHECK("AMB-052", !((csr_read(CSR_VSIP) | csr_read(CSR_VSIE)) & LAMBI),
	      "and it cannot be written");
	csr_set(CSR_HIDELEG, LAMBI);
	CHECK("AMB-053", csr_get(MODE_VS, CSR_SIP) & csr_get(MODE_VS, CSR_SIE) &
	      LAMBI, "hideleg[14]=1: they show sip and sie");
	csr_clear(CSR_MIP, LAMBI);
	csr_clear(CSR_MIE, LAMBI);
	test_writable("AMB-050", MODE_VS, CSR_SIP, "vsip");
	test_writable("AMB-050", MODE_VS, CSR_SIE, "vsie");
	csr_cause(MODE_VS, OP_SET, CSR_SIP, LAMBI);
	csr_cause(MODE_VS, OP_SET, CSR_SIE, LAMBI);
	CHECK("AMB-053", csr_get(MODE_S, CSR_SIP) & csr_get(MODE_S, CSR_SIE) & LAMBI,
	      "what a guest writes is in sip and sie");
	rt_log.n = 0;
	rt_call(MODE_VS, rt_window_s, 0, 0);
	CHECK("AMB-050", taken(MODE_VS), "and it is interrupted");
	csr_write(CSR_MIE, 0);
	lambi_clear();
	csr_clear(CSR_HIDELEG, LAMBI);
	csr_clear(CSR_MIDELEG, LAMBI);
}

/* Firmware to S-mode, hypervisor to guest, without the interrupt itself */
static void test_injection(void)
{
	csr_clear(CSR_MIDELEG, LAMBI);
	test_writable("AMB-054", MODE_M, CSR_MVIEN, "mvien");
	csr_set(CSR_MVIEN, LAMBI);
	test_writable("AMB-054", MODE_M, CSR_MVIP, "mvip");
	csr_set(CSR_MVIP, LAMBI);
	CHECK("AMB-054", csr_get(MODE_S, CSR_SIP) & LAMBI && !lambi_pending(),
	      "S-mode sees what mvip injects");
	csr_clear(CSR_MVIP, LAMBI);
	csr_clear(CSR_MVIEN, LAMBI);
	if (!rt_has_h())
		return;
	csr_set(CSR_MIDELEG, LAMBI);
	test_writable("AMB-055", MODE_M, CSR_HVIEN, "hvien");
	csr_set(CSR_HVIEN, LAMBI);
	test_writable("AMB-055", MODE_M, CSR_HVIP, "hvip");
	csr_set(CSR_HVIP, LAMBI);
	csr_put(MODE_VS, CSR_SIE, LAMBI);
	rt_log.n = 0;
	rt_call(MODE_VS, rt_window_s, 0, 0);
	CHECK("AMB-055", taken(MODE_VS), "a guest takes what hvip injects");
	csr_clear(CSR_HVIP, LAMBI);
	csr_clear(CSR_HVIEN, LAMBI);
	csr_clear(CSR_MIDELEG, LAMBI);
}

void test_main(void)
{
	pdis_init();
	csr_write(CSR_MIE, 0);
	test_machine();
	test_supervisor();
	test_waiting();
	test_machine_order();
	test_supervisor_order();
	if (rt_has_h())
		test_guest();
	test_injection();
}
