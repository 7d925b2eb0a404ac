// SPDX-License-Identifier: GPL-2.0-only
/*
 * Smcdeleg/Ssccfg with the H extension: sireg*, vsireg*, scountinhibit and
 * scountovf as guests see them.
 *
 * profile: full noaia rv32
 */
#include "indirect.h"
#include "tap.h"

static unsigned long worst(enum rt_mode mode, u32 csr, unsigned long cause)
{
	static const enum csr_op ops[] = { OP_READ, OP_SWAP, OP_SET, OP_CLEAR };
	unsigned int n;

	for (n = 0; n < 4; n++)
		if (csr_cause(mode, ops[n], csr, 0) != cause)
			return csr_cause(mode, ops[n], csr, 0);
	return cause;
}

/* By their own numbers: whatever is selected, delegated or not */
static void test_own_numbers(enum rt_mode mode)
{
	static const u32 values[] = { 0, 0x43, 0x41, 0x200, 0xfff };
	u32 wrong = 0;
	unsigned int n, cde;

	for (cde = 0; cde < 2; cde++) {
		cde_set(cde);
		CHECK("DEL-026", worst(mode, CSR_VSISELECT, CAUSE_VIRTUAL) ==
		      CAUSE_VIRTUAL, "vsiselect in %s-mode, CDE=%u",
		      rt_mode_name[mode], cde);
		CHECK("DEL-026", !vsireg_wrong(mode, REG_ALL, ALL_COUNTERS,
					       CAUSE_VIRTUAL),
		      "vsireg* in %s-mode, CDE=%u", rt_mode_name[mode], cde);
	}
	for (n = 0; n < ARRAY_SIZE(values); n++) {
		unsigned int r;

		csr_put(MODE_M, CSR_VSISELECT, values[n]);
		for (r = 0; r < SIREGS; r++)
			wrong |= (worst(mode, vsireg_csr[r], CAUSE_VIRTUAL) !=
				  CAUSE_VIRTUAL) << n;
	}
	CHECK("DEL-026", !wrong, "vsireg* in %s-mode, other selections (wrong: %x)",
	      rt_mode_name[mode], wrong);
}

static void test_vu(void)
{
	unsigned int cde;

	for (cde = 0; cde < 2; cde++) {
		cde_set(cde);
		CHECK("DEL-027", worst(MODE_VU, CSR_SISELECT, CAUSE_VIRTUAL) ==
		      CAUSE_VIRTUAL, "siselect in VU-mode, CDE=%u", cde);
		CHECK("DEL-027", !guest_sireg_wrong(MODE_VU, REG_ALL,
						    ALL_COUNTERS, CAUSE_VIRTUAL),
		      "sireg* in VU-mode, CDE=%u", cde);
	}
}

static void test_host(void)
{
	unsigned int cde;
	int m;

	for (cde = 0; cde < 2; cde++) {
		cde_set(cde);
		for (m = MODE_M; m <= MODE_S; m++)
			CHECK("DEL-028", !vsireg_wrong(m, REG_ALL, ALL_COUNTERS,
						       CAUSE_ILLEGAL),
			      "vsireg* in %s-mode, CDE=%u", rt_mode_name[m], cde);
	}
}

/* A host selection of another kind must not matter, hence siselect 0. */
static void test_vs(void)
{
	csr_put(MODE_M, CSR_SISELECT, 0);
	cde_set(0);
	CHECK("DEL-029", !guest_sireg_wrong(MODE_VS, REG_ALL, ALL_COUNTERS,
					    CAUSE_ILLEGAL),
	      "sireg* in VS-mode with CDE=0 is illegal");
	cde_set(1);
	CHECK("DEL-030", !guest_sireg_wrong(MODE_VS, REG_ALL, ALL_COUNTERS,
					    CAUSE_VIRTUAL),
	      "sireg* in VS-mode with CDE=1 is the hypervisor's");
	counteren_set(0, 0);
	CHECK("DEL-030", !guest_sireg_wrong(MODE_VS, REG_ALL, ALL_COUNTERS,
					    CAUSE_VIRTUAL),
	      "also with mcounteren=0");
	counteren_set(~0U, ~0U);
}

static void test_inhibit(void)
{
	int m;

	cde_set(1);
	for (m = MODE_VS; m <= MODE_VU; m++)
		CHECK("DEL-037", worst(m, CSR_SCOUNTINHIBIT, CAUSE_VIRTUAL) ==
		      CAUSE_VIRTUAL, "scountinhibit in %s-mode with CDE=1",
		      rt_mode_name[m]);
}

static void test_overflow(unsigned int i)
{
	int m;

	event_set(i, EV_OF);
	cde_set(1);
	for (m = MODE_VS; m <= MODE_VU; m++)
		CHECK("DEL-038", csr_cause(m, OP_READ, CSR_SCOUNTOVF, 0) ==
		      CAUSE_VIRTUAL, "scountovf in %s-mode with CDE=1",
		      rt_mode_name[m]);
	CHECK("DEL-038", csr_get(MODE_S, CSR_SCOUNTOVF) == BIT(i),
	      "scountovf in HS-mode with CDE=1 can be read");
	cde_set(0);
	CHECK("DEL-039", csr_get(MODE_VS, CSR_SCOUNTOVF) == BIT(i),
	      "CDE=0: VS-mode reads it with both enables");
	counteren_set(~0U, ~(1U << i));
	CHECK("DEL-039", csr_get(MODE_VS, CSR_SCOUNTOVF) == 0,
	      "CDE=0: not without hcounteren");
	counteren_set(~(1U << i), ~0U);
	CHECK("DEL-039", csr_get(MODE_VS, CSR_SCOUNTOVF) == 0,
	      "CDE=0: not without mcounteren");
	counteren_set(~0U, ~0U);
	event_set(i, 0);
}

void test_main(void)
{
	unsigned int i = hpm_nth(0);

	counters_stop_all();
	counteren_set(~0U, ~0U);
	test_own_numbers(MODE_VS);
	test_own_numbers(MODE_VU);
	test_vu();
	test_host();
	test_vs();
	test_inhibit();
	test_overflow(i);
}
