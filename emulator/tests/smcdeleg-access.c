// SPDX-License-Identifier: GPL-2.0-only
/*
 * Smcdeleg/Ssccfg: which sireg* accesses from M- and S-mode are illegal.
 *
 * profile: full noaia rv32
 */
#include "indirect.h"
#include "tap.h"

static void test_no_cde(u32 bits)
{
	int m;

	cde_set(0);
	for (m = MODE_M; m <= MODE_S; m++) {
		counteren_set(~0U, ~0U);
		CHECK("DEL-020", !sireg_wrong(m, REG_ALL, ALL_COUNTERS,
					      CAUSE_ILLEGAL),
		      "CDE=0, mcounteren all ones: all illegal in %s-mode",
		      rt_mode_name[m]);
		counteren_set(0, 0);
		CHECK("DEL-020", !sireg_wrong(m, REG_ALL, ALL_COUNTERS,
					      CAUSE_ILLEGAL),
		      "CDE=0, mcounteren=0: all illegal in %s-mode",
		      rt_mode_name[m]);
	}
	counteren_set(bits, 0);
	cde_set(1);
}

static void test_registers(u32 bits)
{
	int m;

	for (m = MODE_M; m <= MODE_S; m++) {
		CHECK("DEL-005", !sireg_wrong(m, REG_DEFINED, bits & DELEGABLE,
					      NO_TRAP),
		      "delegated counters are accessible in %s-mode",
		      rt_mode_name[m]);
		CHECK("DEL-022", !sireg_wrong(m, REG(3) | REG(6), ALL_COUNTERS,
					      CAUSE_ILLEGAL),
		      "sireg3 and sireg6 are illegal in %s-mode",
		      rt_mode_name[m]);
		CHECK("DEL-024", !sireg_wrong(m, REG_ALL, 1U << COUNTER_TIME,
					      CAUSE_ILLEGAL),
		      "0x41 is illegal in %s-mode", rt_mode_name[m]);
		if (__riscv_xlen == 64)
			CHECK("DEL-023", !sireg_wrong(m, REG(4) | REG(5),
						      ALL_COUNTERS,
						      CAUSE_ILLEGAL),
			      "sireg4 and sireg5 are illegal in %s-mode",
			      rt_mode_name[m]);
	}
}

/* One bit of mcounteren taken away, then all but one */
static void test_counteren(u32 bits)
{
	u32 one = 0, others = 0, alone = 0;
	unsigned int i;
	int m;

	for (m = MODE_M; m <= MODE_S; m++)
		for (i = 0; i < 32; i++) {
			u32 bit = 1U << i;

			if (!(bits & DELEGABLE & bit))
				continue;
			counteren_set(~bit, ~0U);
			one |= sireg_wrong(m, REG_ALL, bit, CAUSE_ILLEGAL) ? bit : 0;
			others |= sireg_wrong(m, REG_COUNTER, bits & DELEGABLE &
					      ~bit, NO_TRAP) ? bit : 0;
			counteren_set(bit, ~0U);
			alone |= sireg_wrong(m, REG_COUNTER, ~bit,
					     CAUSE_ILLEGAL) ? bit : 0;
		}
	CHECK("DEL-025", !one, "mcounteren[i]=0: illegal (wrong: %x)", one);
	CHECK("DEL-025", !others, "and only that one (wrong: %x)", others);
	CHECK("DEL-025", !alone, "mcounteren[i] alone (wrong: %x)", alone);
}

static void test_machine(u32 bits)
{
	counteren_set(0, ~0U);
	CHECK("DEL-021", !sireg_wrong(MODE_M, REG_ALL, ALL_COUNTERS,
				      CAUSE_ILLEGAL),
	      "M-mode needs mcounteren like S-mode");
	counteren_set(bits, 0);
	cde_set(0);
	CHECK("DEL-021", !sireg_wrong(MODE_M, REG_ALL, ALL_COUNTERS,
				      CAUSE_ILLEGAL),
	      "M-mode needs CDE like S-mode");
	cde_set(1);
	CHECK("DEL-021", !sireg_wrong(MODE_M, REG_ALL & ~REG_DEFINED,
				      ALL_COUNTERS, CAUSE_ILLEGAL),
	      "M-mode has no other registers either");
}

/* Refused writes must not have written. */
static void test_no_effect(unsigned int i)
{
	event_set(i, INSTRET);
	counter_set(i, 77);
	counteren_set(~(1U << i), 0);
	csr_put(MODE_M, CSR_SISELECT, SELECT_COUNTER(i));
	csr_cause(MODE_S, OP_SWAP, CSR_SIREG, 1);
	csr_cause(MODE_S, OP_SWAP, CSR_SIREG2, 1);
	csr_cause(MODE_M, OP_SWAP, CSR_SIREG, 1);
	csr_cause(MODE_M, OP_SWAP, CSR_SIREG2, 1);
	CHECK("DEL-025", counter_get(i) == 77 && event_get(i) == INSTRET,
	      "an illegal write changes nothing");
}

void test_main(void)
{
	u32 bits = counteren_bits();

	counters_stop_all();
	test_no_cde(bits);
	test_registers(bits);
	test_counteren(bits);
	test_machine(bits);
	test_no_effect(hpm_nth(0));
}
