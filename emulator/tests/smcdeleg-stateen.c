// SPDX-License-Identifier: GPL-2.0-only
/*
 * Smcdeleg/Ssccfg under Smstateen: bit 60 of mstateen0 and hstateen0.
 *
 * profile: full noaia rv32
 */
#include "indirect.h"
#include "tap.h"

#if __riscv_xlen == 64
#define CSRIND		BIT(STATEEN_CSRIND_BIT)
#define MSTATEEN	CSR_MSTATEEN0
#define HSTATEEN	CSR_HSTATEEN0
#else
#define CSRIND		BIT(STATEEN_CSRIND_BIT - 32)
#define MSTATEEN	CSR_MSTATEEN0H
#define HSTATEEN	CSR_HSTATEEN0H
#endif

static void stateen(int m, int h)
{
	csr_put(MODE_M, MSTATEEN, ~0UL);
	csr_put(MODE_M, HSTATEEN, h ? ~0UL : ~CSRIND);
	csr_put(MODE_M, MSTATEEN, m ? ~0UL : ~CSRIND);
}

static u32 select_wrong(enum rt_mode mode, u32 csr, unsigned long cause)
{
	return (csr_cause(mode, OP_READ, csr, 0) != cause) +
	       (csr_cause(mode, OP_SWAP, csr, 0x43) != cause);
}

static u32 all_wrong(enum rt_mode mode, unsigned long cause)
{
	return select_wrong(mode, CSR_SISELECT, cause) +
	       select_wrong(mode, CSR_VSISELECT, cause) +
	       sireg_wrong(mode, REG_ALL, ALL_COUNTERS, cause) +
	       vsireg_wrong(mode, REG_ALL, ALL_COUNTERS, cause);
}

static void test_machine_off(void)
{
	unsigned int h;
	int m;

	for (h = 0; h < 2; h++) {
		stateen(0, h);
		for (m = MODE_S; m < MODES; m++)
			CHECK("DEL-031", !all_wrong(m, CAUSE_ILLEGAL),
			      "mstateen0[60]=0, hstateen0[60]=%u: illegal in %s-mode",
			      h, rt_mode_name[m]);
	}
	CHECK("DEL-031", !select_wrong(MODE_M, CSR_SISELECT, NO_TRAP) &&
	      !sireg_wrong(MODE_M, REG_COUNTER, DELEGABLE, NO_TRAP),
	      "M-mode is not concerned");
	stateen(1, 1);
	CHECK("DEL-031", !select_wrong(MODE_S, CSR_SISELECT, NO_TRAP) &&
	      !sireg_wrong(MODE_S, REG_COUNTER, DELEGABLE, NO_TRAP),
	      "mstateen0[60]=1: S-mode has access");
}

static void test_hypervisor_off(void)
{
	unsigned int cde;
	int m;

	stateen(1, 0);
	for (cde = 0; cde < 2; cde++) {
		cde_set(cde);
		for (m = MODE_VS; m <= MODE_VU; m++) {
			CHECK("DEL-032", !select_wrong(m, CSR_SISELECT,
						       CAUSE_VIRTUAL),
			      "hstateen0[60]=0, CDE=%u: siselect in %s-mode",
			      cde, rt_mode_name[m]);
			CHECK("DEL-032", !guest_sireg_wrong(m, REG_ALL,
							    ALL_COUNTERS,
							    CAUSE_VIRTUAL),
			      "hstateen0[60]=0, CDE=%u: sireg* in %s-mode",
			      cde, rt_mode_name[m]);
		}
	}
	CHECK("DEL-032", !select_wrong(MODE_S, CSR_SISELECT, NO_TRAP) &&
	      !sireg_wrong(MODE_S, REG_COUNTER, DELEGABLE, NO_TRAP),
	      "HS-mode is not concerned");
	stateen(1, 1);
	CHECK("DEL-032", !select_wrong(MODE_VS, CSR_SISELECT, NO_TRAP),
	      "hstateen0[60]=1: siselect in VS-mode is vsiselect");
}

void test_main(void)
{
	counters_stop_all();
	counteren_set(~0U, ~0U);
	cde_set(1);
	test_machine_off();
	test_hypervisor_off();
}
