// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sscofpmf: the xINH bits, all 32 combinations in all five modes, exactly.
 *
 * profile: full rv32
 */
#include "hpm.h"
#include "tap.h"

#define LOOPS 30
#define RUN ((u64)RT_LOOP_INSNS(LOOPS) + RT_LEAVE_INSNS)

struct mode_bit {
	enum rt_mode mode;
	u64 inh;
	const char *rule;
};

static const struct mode_bit bits[] = {
	{ MODE_M,	EV_MINH,	"COF-003" },
	{ MODE_S,	EV_SINH,	"COF-004" },
	{ MODE_U,	EV_UINH,	"COF-005" },
	{ MODE_VS,	EV_VSINH,	"COF-006" },
	{ MODE_VU,	EV_VUINH,	"COF-007" },
};

static u64 count(unsigned int i, enum rt_mode mode, u64 inh, unsigned long n)
{
	hpm_start(i, INSTRET | inh, 0);
	rt_call(mode, rt_loop, n, 0);
	counter_stop(i);
	return counter_get(i);
}

/*
 * What the loop itself adds. The way into the mode and back, most of it in
 * M-mode, is the same for any n.
 */
static u64 per_loops(unsigned int i, enum rt_mode mode, u64 inh)
{
	return count(i, mode, inh, 2 * LOOPS) - count(i, mode, inh, LOOPS);
}

static u64 combination(unsigned int n)
{
	u64 inh = 0;
	unsigned int m;

	for (m = 0; m < MODES; m++)
		if (n >> m & 1)
			inh |= bits[m].inh;
	return inh;
}

/* Combinations with this mode's bit inhibit it, whatever the other bits say. */
static void test_mode(unsigned int i, const struct mode_bit *b)
{
	u32 counted = 0, missed = 0;
	unsigned int n;
	u64 got;

	for (n = 0; n < 1U << MODES; n++) {
		got = per_loops(i, b->mode, combination(n));
		if (combination(n) & b->inh)
			counted |= (got != 0) << n;
		else
			missed |= (got != 2 * LOOPS) << n;
	}
	CHECK(b->rule, !counted,
	      "%s-mode is inhibited by its bit (wrong: %x)",
	      rt_mode_name[b->mode], counted);
	CHECK("COF-011", !missed,
	      "%s-mode is counted without its bit (wrong: %x)",
	      rt_mode_name[b->mode], missed);
	CHECK("COF-010", !(missed & 1), "%s-mode is counted with all bits 0",
	      rt_mode_name[b->mode]);
}

/*
 * Alone in being counted, a lower mode shows exactly its own instructions:
 * neither the MRET that enters it nor the ECALL that leaves it.
 */
static void test_alone(unsigned int i, const struct mode_bit *b)
{
	u64 got;

	got = count(i, b->mode, EV_XINH & ~b->inh, LOOPS);
	if (!CHECK(b->rule, got == RUN,
		   "only %s-mode counted: exactly its instructions",
		   rt_mode_name[b->mode]))
		NOTE("%llx, not %llx", got, RUN);
}

/* Many crossings: an error of one would show a hundred times. */
static void test_crossings(unsigned int i)
{
	unsigned int n;

	hpm_start(i, INSTRET | ONLY_U, 0);
	for (n = 0; n < 100; n++)
		rt_call(MODE_U, rt_loop, 1, 0);
	counter_stop(i);
	CHECK("COF-003", counter_get(i) ==
	      100 * (RT_LOOP_INSNS(1) + RT_LEAVE_INSNS),
	      "100 ECALLs to M-mode: only U-mode's instructions");
}

/* The stub is the CSR instruction, which traps and does not retire, and RET. */
static void test_exception(unsigned int i)
{
	unsigned int n;

	hpm_start(i, INSTRET | ONLY_U, 0);
	for (n = 0; n < 20; n++)
		csr_cause(MODE_U, OP_READ, CSR_MSTATUS, 0);
	counter_stop(i);
	CHECK("COF-003", counter_get(i) == 20 * (1 + RT_LEAVE_INSNS),
	      "20 exceptions to M-mode: only what retired in U-mode");
}

/* U-mode is interrupted by S-mode; three counters share what happens. */
static void test_interrupt(unsigned int u, unsigned int s, unsigned int both)
{
	counters_stop_all();
	csr_set(CSR_MIDELEG, BIT(IRQ_SSI));
	csr_set(CSR_MIP, BIT(IRQ_SSI));
	csr_set(CSR_MIE, BIT(IRQ_SSI));
	hpm_start(u, INSTRET | ONLY_U, 0);
	hpm_start(s, INSTRET | (EV_XINH & ~EV_SINH), 0);
	hpm_start(both, INSTRET | (EV_XINH & ~EV_SINH & ~EV_UINH), 0);
	rt_call(MODE_U, rt_loop, LOOPS, 0);
	counters_stop_all();
	csr_clear(CSR_MIP, BIT(IRQ_SSI));
	csr_clear(CSR_MIDELEG, BIT(IRQ_SSI));
	CHECK("COF-004", rt_log.n == 1 && counter_get(u) == RUN,
	      "an S-mode handler in between is not counted as U-mode");
	CHECK("COF-005", counter_get(s) > 10 &&
	      counter_get(both) == counter_get(s) + RUN,
	      "S alone and U alone add up to S and U");
}

/* Two reads: what retires from the first, inclusive, to the second */
static unsigned long read_twice(unsigned long a0, unsigned long a1)
{
	unsigned long first, second;

	__asm__ __volatile__(".option push\n\t"
			     ".option norvc\n\t"
			     "csrr %0, %2\n\t"
			     ".rept 7\n\tnop\n\t.endr\n\t"
			     "csrr %1, %2\n\t"
			     ".option pop"
			     : "=&r"(first), "=r"(second)
			     : "i"(CSR_COUNTER(3)));
	return second - first;
}

static void test_read(void)
{
	u32 wrong = 0;
	int m;

	if (hpm_nth(0) != 3) {
		tap_skip("COF-010", "no hpmcounter3");
		return;
	}
	counteren_set(~0U, ~0U);
	csr_write(CSR_SCOUNTEREN, ~0U);
	hpm_start(3, INSTRET, 0);
	for (m = MODE_M; m < MODES; m++)
		wrong |= (rt_call(m, read_twice, 0, 0) != 8) << m;
	counter_stop(3);
	CHECK("COF-010", !wrong,
	      "hpmcounter3 read twice, 7 instructions between: 8 (wrong: %x)",
	      wrong);
}

void test_main(void)
{
	unsigned int i = hpm_nth(0), m;

	counters_stop_all();
	for (m = 0; m < MODES; m++)
		test_mode(i, &bits[m]);
	for (m = MODE_S; m < MODES; m++)
		test_alone(i, &bits[m]);
	test_crossings(i);
	test_exception(i);
	test_interrupt(i, hpm_nth(1), hpm_nth(2));
	test_read();
}
