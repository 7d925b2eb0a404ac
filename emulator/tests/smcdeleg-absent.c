// SPDX-License-Identifier: GPL-2.0-only
/*
 * A core without Smcdeleg and Ssccfg, with Sscsrind.
 *
 * profile: nosmcdeleg
 */
#include "indirect.h"
#include "tap.h"

void test_main(void)
{
	counteren_bits();
	CHECK("DEL-002", !cde_set(1), "menvcfg bit 60 is read-only 0");
	CHECK("DEL-001", !csr_exists(CSR_SCOUNTINHIBIT) &&
	      csr_cause(MODE_S, OP_READ, CSR_SCOUNTINHIBIT, 0) == CAUSE_ILLEGAL,
	      "no scountinhibit, as there is no CDE");
	CHECK("DEL-001", csr_exists(CSR_SISELECT), "Sscsrind can be there");
	CHECK("DEL-001", !sireg_wrong(MODE_S, REG_DEFINED, DELEGABLE,
				      CAUSE_ILLEGAL),
	      "no counter behind sireg*");
}
