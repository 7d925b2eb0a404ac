// SPDX-License-Identifier: GPL-2.0-only
/*
 * Smctr/Ssctr: return-address-stack emulation.
 *
 * profile: ctr ctr-min ctr-some ctr-noh ctr-rv32
 */
#include "ctr.h"
#include "hpm.h"
#include "tap.h"

/*
 * ras_mixed: calls and returns with all else in between. ras_nest: a0 calls
 * (at most 600) deeper and deeper. ras_returns: a0 returns. ras_swaps: two.
 */
unsigned long ras_mixed(unsigned long a0, unsigned long a1);
unsigned long ras_nest(unsigned long n, unsigned long unused);
unsigned long ras_returns(unsigned long n, unsigned long unused);
unsigned long ras_swaps(unsigned long a0, unsigned long a1);
extern const char ras_call1[], ras_call1_to[], ras_call2[], ras_call2_to[];
extern const char ras_call3[], ras_call3_to[], ras_nest_end[];
extern const char ras_swap1[], ras_swap1_to[], ras_swap2[], ras_swap2_to[];

static unsigned long mark(unsigned int physical)
{
	return 0x1000 + (physical << 4);
}

static void mark_all(void)
{
	unsigned int x;

	csr_write(CSR_SCTRSTATUS, STATUS_FROZEN);
	for (x = 0; x < ctr_core.depth; x++)
		ctr_put(x, mark(ctr_core.depth - x - 1) | SOURCE_V, 0x100, 0);
}

/* The mark of physical entry n modulo the depth, V as told */
static unsigned long marked(unsigned int n, int v)
{
	return mark(n & (ctr_core.depth - 1)) | v;
}

static unsigned int wrptr(void)
{
	return csr_read(CSR_SCTRSTATUS) & STATUS_WRPTR;
}

static const u64 mode_bit[MODES] = { CTL_M, CTL_S, CTL_U, CTL_S, CTL_U };

/* In this mode, and only there; the other register is without RASEMU. */
static void control(enum rt_mode mode, u64 more)
{
	u64 ctl = (mode_bit[mode] | CTL_RASEMU | more) & ctr_core.ctl;

	if (mode >= MODE_VS)
		ctr_control(0, ctl);
	else
		ctr_control(ctl, 0);
}

static int entry_is(unsigned int x, const char *src, const char *dst,
		    unsigned long type)
{
	struct ctr_xfer want = {
		(unsigned long)src, (unsigned long)dst, type,
	};
	struct ctr_entry e = ctr_get(x);

	return ctr_is(&e, &want);
}

/* In M-mode the call of the function itself is recorded, too. */
static unsigned int own_calls(enum rt_mode mode)
{
	return mode == MODE_M;
}

static int mixed_is_right(enum rt_mode mode)
{
	unsigned int own = own_calls(mode);

	return wrptr() == 2 + own && ctr_run_length() == 2 + own &&
	       entry_is(0, ras_call3, ras_call3_to, TYPE_INDCALL) &&
	       entry_is(1, ras_call1, ras_call1_to, TYPE_DIRCALL);
}

/* Three calls are recorded, and a return takes one of them back. */
static void test_counted(enum rt_mode mode)
{
	unsigned int i;
	u64 n;

	if (!PLATFORM_EVENT_RECORDED || !hpm_present())
		return;
	i = hpm_nth(0);
	counters_stop_all();
	control(mode, 0);
	hpm_start(i, PLATFORM_EVENT_RECORDED, 0);
	ctr_run(mode, ras_mixed, 0, 0);
	counters_stop_all();
	ctr_control(0, 0);
	n = counter_get(i);
	CHECK("EVT-001", n == 3 + own_calls(mode),
	      "%s-mode, RASEMU: calls are counted as recorded, returns are not: %llu",
	      rt_mode_name[mode], n);
}

static void test_mixed(enum rt_mode mode)
{
	const u64 inh = CTL_INDCALLINH | CTL_DIRCALLINH | CTL_RETINH |
			CTL_CORSWAPINH;

	control(mode, 0);
	ctr_run(mode, ras_mixed, 0, 0);
	CHECK("CTR-RAS-001,CTR-CTL-009", mixed_is_right(mode),
	      "%s-mode, RASEMU: direct and indirect calls that are open",
	      rt_mode_name[mode]);
	CHECK("CTR-RAS-005", wrptr() == 2 + own_calls(mode),
	      "%s-mode: jumps and branches are not recorded",
	      rt_mode_name[mode]);
	control(mode, inh);
	ctr_run(mode, ras_mixed, 0, 0);
	CHECK("CTR-RAS-006", mixed_is_right(mode),
	      "%s-mode: filters stop no calls and returns", rt_mode_name[mode]);
	control(mode, CTL_NTBREN);
	ctr_run(mode, ras_mixed, 0, 0);
	CHECK("CTR-RAS-006", mixed_is_right(mode),
	      "%s-mode: NTBREN lets nothing in", rt_mode_name[mode]);
	ctr_control(0, 0);
}

/* One return: entries move down by one, the youngest is invalid at the end. */
static void test_pop(enum rt_mode mode)
{
	unsigned int d = ctr_core.depth, x, wrong = 0, w = 9;

	mark_all();
	csr_write(CSR_SCTRSTATUS, STATUS_FROZEN | w);
	control(mode, 0);
	/* M-mode's own call goes to physical 9, so one return more is due. */
	ctr_run_on(mode, ras_returns, 1 + own_calls(mode), 0);
	ctr_control(0, 0);
	CHECK("CTR-RAS-002", wrptr() == w - 1, "%s-mode: WRPTR is one less",
	      rt_mode_name[mode]);
	CHECK("CTR-RAS-002", !(ctr_get(d - 1).source & SOURCE_V),
	      "%s-mode: the entry there has lost V", rt_mode_name[mode]);
	for (x = 0; x < d - 1 - own_calls(mode); x++)
		wrong += ctr_get(x).source != marked(w - 2 - x, 1);
	CHECK("CTR-RAS-003", !wrong && !(ctr_get(d - 1).source & SOURCE_V),
	      "%s-mode: entries 1.. are 0.., the popped one is the last (wrong: %u)",
	      rt_mode_name[mode], wrong);
}

/* Nothing to pop, E-CTR-3: the rule has no condition. */
static void test_underflow(void)
{
	unsigned int d = ctr_core.depth, x, wrong = 0;

	mark_all();
	control(MODE_S, 0);
	ctr_run_on(MODE_S, ras_returns, 3, 0);
	CHECK("CTR-STAT-005", wrptr() == d - 3, "WRPTR 0 less 3 is %u", d - 3);
	for (x = 0; x < d; x++)
		wrong += ctr_get(x).source != marked(d - 4 - x, x < d - 3) &&
			 ((ctr_get(x).source & SOURCE_V) || x < d - 3);
	CHECK("CTR-RAS-003", !wrong, "across the border (wrong: %u)", wrong);
	ctr_run(MODE_S, ras_returns, 1, 0);
	CHECK("CTR-RAS-002", wrptr() == d - 1 && !ctr_valid(),
	      "a return without a call moves WRPTR all the same");
	ctr_run_on(MODE_S, ras_mixed, 0, 0);
	CHECK("CTR-RAS-001", wrptr() == 1 &&
	      entry_is(1, ras_call1, ras_call1_to, TYPE_DIRCALL),
	      "and calls go on from there");
	ctr_control(0, 0);
}

static void test_overflow(void)
{
	unsigned int d = ctr_core.depth, n = d + 5, x, wrong = 0;

	control(MODE_S, 0);
	ctr_run(MODE_S, ras_nest, n, 0);
	for (x = 0; x < d; x++)
		wrong += !entry_is(x, ras_nest_end - 4 * (x + 1),
				   ras_nest_end - 4 * x, TYPE_DIRCALL);
	CHECK("CTR-RAS-009", !wrong && wrptr() == n % d,
	      "depth %u: %u calls, the youngest are there (wrong: %u)", d, n,
	      wrong);
	ctr_run_on(MODE_S, ras_returns, d + 2, 0);
	ctr_control(0, 0);
	CHECK("CTR-RAS-009", !ctr_valid() && wrptr() == (n - d - 2) % d,
	      "depth %u: %u returns, none is left", d, d + 2);
}

static void test_swap(void)
{
	control(MODE_S, 0);
	mark_all();
	csr_write(CSR_SCTRSTATUS, STATUS_FROZEN | 5);
	ctr_run_on(MODE_S, ras_swaps, 0, 0);
	CHECK("CTR-RAS-004", wrptr() == 5, "a swap leaves WRPTR");
	CHECK("CTR-RAS-004", entry_is(0, ras_swap2, ras_swap2_to, TYPE_SWAP) &&
	      ctr_get(1).source == marked(3, 1) &&
	      ctr_get(ctr_core.depth - 1).source == marked(5, 1),
	      "and overwrites entry 0, no other");
	ctr_run(MODE_S, ras_swaps, 0, 0);
	CHECK("CTR-RAS-004", wrptr() == 0 && ctr_valid() == 1 &&
	      entry_is(0, ras_swap2, ras_swap2_to, TYPE_SWAP),
	      "with nothing to overwrite, too, across the border");
	ctr_control(0, 0);
}

/* Neither mode enables nor FROZEN are overridden. */
static void test_gates(void)
{
	mark_all();
	csr_write(CSR_SCTRSTATUS, STATUS_FROZEN | 5);
	ctr_control(CTL_U | CTL_RASEMU, 0);
	ctr_run_on(MODE_S, ras_returns, 2, 0);
	ctr_run_on(MODE_S, ras_nest, 2, 0);
	ctr_run_on(MODE_S, ras_swaps, 2, 0);
	CHECK("CTR-RAS-008", wrptr() == 5 && ctr_valid() == ctr_core.depth &&
	      ctr_get(0).source == marked(4, 1),
	      "in a mode that is not enabled nothing is done");
	ctr_control(CTL_S | CTL_RASEMU, 0);
	csr_write(CSR_SCTRSTATUS, STATUS_FROZEN | 5);
	rt_call(MODE_S, ras_returns, 2, 0);
	rt_call(MODE_S, ras_nest, 2, 0);
	rt_call(MODE_S, ras_swaps, 2, 0);
	ctr_control(0, 0);
	CHECK("CTR-RAS-008", csr_read(CSR_SCTRSTATUS) == (STATUS_FROZEN | 5) &&
	      ctr_valid() == ctr_core.depth &&
	      ctr_get(0).source == marked(4, 1), "nor with FROZEN=1");
}

/*
 * An exception and its return, everything enabled that could record them.
 * Into M-mode from the mode that is asked for
 */
static unsigned int traps_recorded(enum rt_mode mode, u64 m, u64 vs)
{
	ctr_control(m & ctr_core.ctl, vs & ctr_core.ctl);
	ctr_seen.step = 4;
	ctr_mtvec = ctr_vec_m;
	ctr_run(mode, ctr_trap, 0, 0);
	ctr_mtvec = ctr_vec_leave;
	ctr_control(0, 0);
	return ctr_valid();
}

static void test_traps(void)
{
	const u64 te = CTL_MTE | CTL_STE, all = CTL_M | CTL_S | CTL_U;

	CHECK("CTR-RAS-005", !traps_recorded(MODE_S, CTL_RASEMU | all, 0) &&
	      !wrptr(), "S to M and back: not recorded");
	if (ctr_core.ctl & CTL_MTE)
		CHECK("CTR-RAS-007", !traps_recorded(MODE_S, CTL_RASEMU | CTL_S |
						     te, 0) &&
		      !traps_recorded(MODE_U, CTL_RASEMU | CTL_U | te, 0),
		      "external traps to M are not recorded whatever TE says");
	else
		tap_skip("CTR-RAS-007", "no external traps");
	if (!rt_has_h())
		return;
	CHECK("CTR-VIRT-004", !traps_recorded(MODE_VS, all,
					      CTL_RASEMU | CTL_S | CTL_U),
	      "VS to M: vsctrctl.RASEMU decides");
	/* Into VS, trap, return, the last jump, trap: all of it */
	CHECK("CTR-VIRT-004", traps_recorded(MODE_VS, CTL_RASEMU | all,
					     CTL_S | CTL_U) == 5,
	      "VS to M: sctrctl.RASEMU does not");
	if (ctr_core.ctl & CTL_MTE)
		CHECK("CTR-RAS-007", !traps_recorded(MODE_VU, CTL_U | te,
						     CTL_RASEMU | CTL_U | CTL_STE),
		      "VU to M: no external traps with vsctrctl.RASEMU");
}

void test_main(void)
{
	unsigned int code;
	int m;

	ctr_init();
	if (!(ctr_core.ctl & CTL_RASEMU)) {
		tap_skip("CTR-CTL-009", "no RASEMU");
		return;
	}
	for (m = MODE_M; m < (rt_has_h() ? MODES : MODE_VS); m++) {
		test_mixed(m);
		test_counted(m);
		test_pop(m);
	}
	for (code = 0; code < 5; code++) {
		if (!(ctr_core.depths >> code & 1))
			continue;
		ctr_set_depth(code);
		test_underflow();
		test_overflow();
	}
	test_swap();
	test_gates();
	test_traps();
}
