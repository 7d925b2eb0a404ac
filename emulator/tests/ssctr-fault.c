// SPDX-License-Identifier: GPL-2.0-only
/*
 * Smctr/Ssctr: transfers that do not complete are not recorded.
 *
 * profile: ctr ctr-min ctr-some ctr-rv32
 */
#include "ctr.h"
#include "page.h"
#include "tap.h"

/* Each is one instruction that is illegal below M-mode, or goes nowhere. */
CTR_CODE(fault_mret);
CTR_CODE(fault_sret);
CTR_CODE(fault_jump);
CTR_CODE(fault_call);
extern const char fault_mret_src[], fault_sret_src[], fault_jump_src[];
extern const char fault_call_src[];

/* No trap return, but the exception that came of it; S- and M-mode recorded */
static void test_illegal(enum rt_mode mode, rt_fn *fn, const char *src,
			 const char *jr, const char *what)
{
	struct ctr_xfer x = {
		(unsigned long)src, (unsigned long)ctr_vec_m, TYPE_EXCEPTION,
	};
	struct ctr_model t;
	int ok;

	model_start(&t, CTL_M | CTL_S | CTL_U, 0);
	model_enter(&t, mode, fn);
	model_trap(&t, mode, MODE_M, &x);
	x.src = (unsigned long)ctr_vec_m_ret;
	x.dst = (unsigned long)src + 4;
	model_return(&t, MODE_M, mode, &x);
	model_leave(&t, mode, jr);
	ctr_mtvec = ctr_vec_m;
	ctr_seen.step = 4;
	ok = model_run(&t, mode, fn, 0, 0);
	ctr_mtvec = ctr_vec_leave;
	CHECK("CTR-BEH-004", ok, "%s in %s-mode is an exception, no trap return",
	      what, rt_mode_name[mode]);
}

/*
 * A jump to where nothing can be fetched has retired: it is recorded, and so
 * is the exception of its target.
 */
static void test_target(rt_fn *fn, const char *src, const char *jr,
			enum ctr_type type)
{
	struct ctr_xfer x = { (unsigned long)src, 0, type };
	unsigned long up = page_on(PTE_RW | PTE_X, PTE_RW), to;
	struct ctr_model t;
	int ok;

	if (!up) {
		tap_skip("CTR-BEH-004", "no Sv39 or Sv32");
		return;
	}
	to = (unsigned long)src + up;
	x.dst = to;
	model_start(&t, CTL_M | CTL_S, 0);
	model_enter(&t, MODE_S, fn);
	model_jump(&t, MODE_S, &x);
	x.src = to;
	x.dst = (unsigned long)ctr_vec_m;
	x.type = TYPE_EXCEPTION;
	model_trap(&t, MODE_S, MODE_M, &x);
	x.src = (unsigned long)ctr_vec_m_ret;
	x.dst = (unsigned long)jr;
	model_return(&t, MODE_M, MODE_S, &x);
	model_leave(&t, MODE_S, jr);
	ctr_mtvec = ctr_vec_m;
	ctr_seen.step = (unsigned long)jr - to;
	ok = model_run(&t, MODE_S, fn, to, 0);
	ctr_mtvec = ctr_vec_leave;
	page_off();
	CHECK("CTR-BEH-004", ok && ctr_seen.cause == CAUSE_FETCH_PAGE &&
	      ctr_seen.epc == to, "TYPE %u to where it faults: both are recorded",
	      type);
}

void test_main(void)
{
	ctr_init();
	test_illegal(MODE_S, fault_mret, fault_mret_src, fault_mret_jr, "MRET");
	test_illegal(MODE_U, fault_mret, fault_mret_src, fault_mret_jr, "MRET");
	test_illegal(MODE_U, fault_sret, fault_sret_src, fault_sret_jr, "SRET");
	test_target(fault_jump, fault_jump_src, fault_jump_jr, TYPE_INDJMP);
	test_target(fault_call, fault_call_src, fault_call_jr, TYPE_INDCALL);
}
