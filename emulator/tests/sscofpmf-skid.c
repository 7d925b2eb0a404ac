// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sscofpmf: where the LCOFI trap lands. With PLATFORM_SKID 0 it is the
 * instruction after the one that overflowed the counter.
 *
 * profile: full narrow skid rv32
 */
#include "hpm.h"
#include "tap.h"

/* A platform that is set up to be late must be, or nothing would be tested. */
#ifndef PLATFORM_LATE
#define PLATFORM_LATE 0
#endif

static u64 scratch;

/* The trap's epc, or 0 if there was no trap, or another one. Only `mode' is counted. */
static unsigned long overflow_after(unsigned int i, enum rt_mode mode,
				    rt_fn *fn, u64 insns, enum rt_mode to)
{
	rt_log.n = 0;
	lcofi_clear();
	csr_set(CSR_MIE, LCOFI);
	hpm_start(i, only_in(mode, INSTRET), -insns);
	rt_call(mode, fn, (unsigned long)&scratch, 0);
	counter_stop(i);
	csr_clear(CSR_MIE, LCOFI);
	return lcofi_epc(to);
}

static int within_skid(unsigned long epc, unsigned long first)
{
	return epc >= first && epc <= first + 4 * PLATFORM_SKID;
}

static const u32 lengths[] = { 1, 2, 3, 7, 64, 65, 127, 200 };
#define LENGTHS ARRAY_SIZE(lengths)

static void test_straight(unsigned int i, enum rt_mode mode, enum rt_mode to)
{
	unsigned long epc, first;
	u32 wrong = 0, lost = 0, late = 0;
	unsigned int n;

	for (n = 0; n < LENGTHS; n++) {
		first = (unsigned long)rt_nops + 4 * lengths[n];
		epc = overflow_after(i, mode, rt_nops, lengths[n], to);
		lost += counter_get(i) !=
			RT_NOPS + 1 + RT_LEAVE_INSNS - lengths[n];
		late += epc > first;
		if (within_skid(epc, first))
			continue;
		wrong |= 1 << n;
		NOTE("after %u: epc %lx, not %lx", lengths[n], epc, first);
	}
	CHECK("COF-017", !wrong, "%s-mode, trap to %s-mode: skid %d",
	      rt_mode_name[mode], rt_mode_name[to], PLATFORM_SKID);
	if (PLATFORM_LATE)
		CHECK("COF-021", late == LENGTHS,
		      "%s-mode: the trap comes later than the overflow",
		      rt_mode_name[mode]);
	CHECK("COF-016", !lost,
	      "%s-mode: what follows the trap to %s-mode is counted, the handler is not",
	      rt_mode_name[mode], rt_mode_name[to]);
}

/* Whatever kind of instruction it is that overflows the counter */
static void test_kinds(unsigned int i, enum rt_mode mode)
{
	u32 wrong = 0, n;

	for (n = 1; n + PLATFORM_SKID <= RT_MIX_INSNS; n++)
		wrong |= !within_skid(overflow_after(i, mode, rt_mix, n, MODE_M),
				      (unsigned long)rt_mix + 4 * n) << n;
	CHECK("COF-017", !wrong,
	      "%s-mode, instructions of many kinds (wrong: %x)",
	      rt_mode_name[mode], wrong);
}

/* Right before the ECALL by which the function is left: the interrupt wins. */
static void test_before_ecall(unsigned int i)
{
	unsigned long ecall = (unsigned long)(rt_leave + 1);

	if (PLATFORM_SKID)
		return;
	CHECK("COF-017", overflow_after(i, MODE_U, rt_nops, RT_NOPS + 1, MODE_M)
	      == (unsigned long)rt_leave, "a return that overflows");
	CHECK("COF-017", overflow_after(i, MODE_U, rt_nops, RT_NOPS + 2, MODE_M)
	      == ecall, "the last instruction before an ECALL");
	CHECK("COF-017", overflow_after(i, MODE_U, rt_nops, RT_NOPS + 3, MODE_M)
	      == 0 && !lcofi_pending(), "the ECALL itself does not retire");
}

/* The second instruction is a jump: the trap is at its target. */
static void test_jump(unsigned int i)
{
	unsigned long epc = overflow_after(i, MODE_U, rt_hop, 2, MODE_M);

	CHECK("COF-017", within_skid(epc, (unsigned long)rt_hop_target),
	      "a jump that overflows is attributed to its target: %lx", epc);
	epc = overflow_after(i, MODE_U, rt_hop, 3, MODE_M);
	CHECK("COF-017", within_skid(epc, (unsigned long)(rt_hop_target + 1)),
	      "the instruction after the jump: %lx", epc);
}

/* Twice round a two-instruction loop, then into its middle or its head */
static void test_loop(unsigned int i)
{
	unsigned long head = (unsigned long)rt_loop, epc;
	u64 n;
	u32 wrong = 0;

	for (n = 1; n <= 12; n++) {
		rt_log.n = 0;
		lcofi_clear();
		csr_set(CSR_MIE, LCOFI);
		hpm_start(i, INSTRET | ONLY_U, -n);
		rt_call(MODE_U, rt_loop, 100, 0);
		counter_stop(i);
		epc = rt_log.n == 1 ? rt_log.trap[0].epc : 0;
		if (PLATFORM_SKID)
			wrong |= (epc != head && epc != head + 4) << n;
		else
			wrong |= (epc != head + 4 * (n & 1)) << n;
	}
	CHECK("COF-017", !wrong, "in a loop (wrong: %x)", wrong);
}

/*
 * M-mode counts and is interrupted. How much retires before the window opens
 * is found by trying; from then on each instruction moves the trap by one.
 */
static void test_machine(unsigned int i)
{
	unsigned long nops = (unsigned long)rt_window_m + 4, epc, at = 0;
	u32 seen = 0, wrong = 0;
	u64 n;

	for (n = 1; n < 200 && seen < 8; n++) {
		rt_log.n = 0;
		lcofi_clear();
		csr_set(CSR_MIE, LCOFI);
		hpm_start(i, INSTRET | (EV_XINH & ~EV_MINH), -n);
		rt_window_m(0, 0);
		counter_stop(i);
		csr_clear(CSR_MIE, LCOFI);
		epc = rt_log.n == 1 ? rt_log.trap[0].epc : 0;
		if (epc <= nops)
			continue;
		wrong += at && epc != at + 4;
		at = epc;
		seen++;
	}
	if (PLATFORM_SKID) {
		CHECK("COF-017", seen, "M-mode interrupts itself");
		return;
	}
	CHECK("COF-017", seen == 8 && !wrong,
	      "M-mode: each further instruction moves the trap by one");
}

/* While LCOFI cannot be taken it waits; then it comes at once. */
static void test_deferred(unsigned int i)
{
	lcofi_clear();
	rt_log.n = 0;
	hpm_start(i, INSTRET | ONLY_U, -5ULL);
	rt_call(MODE_U, rt_nops, 0, 0);
	counter_stop(i);
	CHECK("COF-021", rt_log.n == 0 && lcofi_wait(),
	      "masked, LCOFI stays pending");
	csr_set(CSR_MIE, LCOFI);
	CHECK("COF-021", rt_log.n == 0, "MIE=0 keeps it off in M-mode");
	rt_call(MODE_U, rt_nops, 0, 0);
	CHECK("COF-021", rt_log.n == 1 &&
	      within_skid(rt_log.trap[0].epc, (unsigned long)rt_nops),
	      "and it is taken on the way to U-mode");
}

void test_main(void)
{
	unsigned int i = hpm_nth(0);
	int m;

	counters_stop_all();
	for (m = MODE_S; m < MODES; m++) {
		test_straight(i, m, MODE_M);
		test_kinds(i, m);
	}
	test_before_ecall(i);
	test_jump(i);
	test_loop(i);
	test_machine(i);
	test_deferred(i);
	csr_set(CSR_MIDELEG, LCOFI);
	if (!(csr_read(CSR_MIDELEG) & LCOFI)) {
		tap_skip("COF-028", "mideleg[13] is read-only 0");
		return;
	}
	test_straight(i, MODE_U, MODE_S);
	test_straight(i, MODE_VU, MODE_S);
	test_straight(i, MODE_VS, MODE_S);
}
