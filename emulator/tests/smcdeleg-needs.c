// SPDX-License-Identifier: GPL-2.0-only
/*
 * Smcdeleg/Ssccfg on cores that lack an extension that part of it needs: the
 * accesses of that part are illegal, the others are not.
 *
 * profile: full nozicntr nozihpm nosmcntrpmf nosscofpmf
 * profile: rv32 rv32-nozicntr rv32-nozihpm rv32-nosscofpmf
 */
#include "indirect.h"
#include "tap.h"

/* The profile is the only way to know: the rules say what must trap. */
#if defined(PROFILE_NOZICNTR) || defined(PROFILE_RV32_NOZICNTR)
#define ZICNTR 0
#else
#define ZICNTR 1
#endif
#if defined(PROFILE_NOZIHPM) || defined(PROFILE_RV32_NOZIHPM)
#define ZIHPM 0
#else
#define ZIHPM 1
#endif
#ifdef PROFILE_NOSMCNTRPMF
#define SMCNTRPMF 0
#else
#define SMCNTRPMF 1
#endif
/* Sscofpmf is nothing without Zihpm. */
#if defined(PROFILE_NOSSCOFPMF) || defined(PROFILE_RV32_NOSSCOFPMF) || !ZIHPM
#define SSCOFPMF 0
#else
#define SSCOFPMF 1
#endif

#define FIXED (BIT(COUNTER_CYCLE) | BIT(COUNTER_INSTRET))

static unsigned long when(int present)
{
	return present ? NO_TRAP : CAUSE_ILLEGAL;
}

static void test_group(const char *rule, u32 regs, u32 counters, int present,
		       const char *what)
{
	int m;

	for (m = MODE_M; m <= MODE_S; m++) {
		u32 wrong = sireg_wrong(m, regs, counters, when(present));

		CHECK(rule, !wrong, "%s in %s-mode: %s", what, rt_mode_name[m],
		      present ? "accessible" : "illegal");
		if (!present)
			CHECK("DEL-015", !wrong, "%s in %s-mode", what,
			      rt_mode_name[m]);
	}
}

void test_main(void)
{
	u32 hpm = ZIHPM ? counteren_bits() & ~7U : ~7U;

	counteren_bits();
	cde_set(1);
	counters_stop_all();
	NOTE("Zicntr %d, Zihpm %d, Smcntrpmf %d, Sscofpmf %d", ZICNTR, ZIHPM,
	     SMCNTRPMF, SSCOFPMF);
	test_group("DEL-011", REG_COUNTER, FIXED, ZICNTR, "cycle and instret");
	test_group("DEL-014", REG_EVENT, FIXED, ZICNTR && SMCNTRPMF,
		   "cyclecfg and instretcfg");
	test_group("DEL-012", REG_COUNTER, hpm, ZIHPM, "hpmcounter");
	test_group("DEL-012", REG(2), hpm, ZIHPM, "hpmevent");
	if (__riscv_xlen == 32)
		test_group("DEL-013", REG(5), hpm, ZIHPM && SSCOFPMF,
			   "hpmeventh");
}
