// SPDX-License-Identifier: GPL-2.0-only
/*
 * Smcdeleg: menvcfg.CDE, and what delegates a counter.
 *
 * profile: full noaia rv32
 */
#include "indirect.h"
#include "tap.h"

static int delegated(unsigned int i)
{
	return !sireg_wrong(MODE_S, REG_COUNTER, 1U << i, NO_TRAP);
}

static void test_present(unsigned int i)
{
	counteren_bits();
	CHECK("DEL-002", cde_set(1), "menvcfg bit 60 holds 1");
	CHECK("DEL-002", !cde_set(0), "menvcfg bit 60 holds 0");
	cde_set(1);
	CHECK("DEL-001", csr_exists(CSR_SCOUNTINHIBIT),
	      "scountinhibit is there, as CDE is");
	CHECK("DEL-001", csr_exists(CSR_SISELECT) &&
	      csr_cause(MODE_S, OP_READ, CSR_SISELECT, 0) == NO_TRAP &&
	      delegated(i), "siselect and sireg are there, as CDE is");
}

/* All that CDE adds is gone; the counter counts on. */
static void test_off(unsigned int i)
{
	counteren_bits();
	cde_set(1);
	event_set(i, EV_MINH);
	sireg_event_set(MODE_S, i, INSTRET | ONLY_U);
	sireg_counter_set(MODE_S, i, 0);
	cde_set(0);
	counter_start(i);
	rt_call(MODE_U, rt_loop, 10, 0);
	counter_stop(i);
	CHECK("DEL-003", counter_get(i) == RT_LOOP_INSNS(10) + RT_LEAVE_INSNS &&
	      event_get(i) == (INSTRET | ONLY_U),
	      "counter and event keep what CDE=1 gave them");
	CHECK("DEL-003", !sireg_wrong(MODE_S, REG_ALL, 1U << i, CAUSE_ILLEGAL),
	      "CDE=0: no sireg*");
	CHECK("DEL-003", csr_cause(MODE_S, OP_READ, CSR_SCOUNTINHIBIT, 0) ==
	      CAUSE_ILLEGAL, "CDE=0: no scountinhibit");
	CHECK("DEL-003", csr_cause(MODE_VS, OP_READ, CSR_SCOUNTOVF, 0) ==
	      NO_TRAP, "CDE=0: scountovf is VS-mode's again");
}

static void test_condition(u32 bits)
{
	static const char *const name[] = {
		"CDE=0, mcounteren=0", "CDE=0, mcounteren=1",
		"CDE=1, mcounteren=0", "CDE=1, mcounteren=1",
	};
	unsigned int n, i;
	u32 wrong;

	for (n = 0; n < 4; n++) {
		wrong = 0;
		cde_set(n >> 1);
		for (i = 0; i < 32; i++) {
			if (!(bits & DELEGABLE & 1U << i))
				continue;
			counteren_set(n & 1 ? 1U << i : ~(1U << i), 0);
			if (n == 3)
				wrong |= !delegated(i) << i;
			else
				wrong |= !!sireg_wrong(MODE_S, REG_COUNTER,
						       1U << i, CAUSE_ILLEGAL) << i;
		}
		CHECK("DEL-004", !wrong, "%s: %sdelegated (wrong: %x)",
		      name[n], n == 3 ? "" : "not ", wrong);
	}
}

void test_main(void)
{
	unsigned int i = hpm_nth(0);

	counters_stop_all();
	test_present(i);
	test_off(i);
	test_condition(counteren_bits());
}
