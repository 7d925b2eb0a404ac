// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which exceptions the emulator counts as illegal instructions: those of instructions that are
 * none, and those of a time CSR that may not be read, which firmware would emulate. They are
 * of the mode that they interrupt, and not of the one that handles them.
 *
 * profile: uarch
 */
#include "entry.h"
#include "hpm.h"
#include "tap.h"

#define TIMES		100
#define COUNTEREN_TM	BIT(1)

/* mhpmevent[55:0] */
#define EXCEPTIONS	0x40
#define ILLEGAL		0x46

rt_fn illegals, times;
void skip_insn(void);

/* What counts while a function runs in a mode: there, and in all other modes */
static const struct {
	int event, here;
} counted[] = {
	{ ILLEGAL, 1 }, { ILLEGAL, 0 }, { EXCEPTIONS, 1 },
};

static u64 count[ARRAY_SIZE(counted)];

/* Returns the cause of the last exception that M-mode has handled. */
static unsigned long run(enum rt_mode mode, rt_fn *fn)
{
	unsigned long cause;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(counted); i++) {
		u64 event = only_in(mode, counted[i].event);

		hpm_start(COUNTER_FIRST + i, counted[i].here ? event : event ^ EV_XINH, 0);
	}
	cause = rt_try(mode, fn, TIMES, 0).cause;
	counters_stop_all();
	for (i = 0; i < ARRAY_SIZE(counted); i++)
		count[i] = counter_get(COUNTER_FIRST + i);
	return cause;
}

/* The ECALL that leaves a mode below M is an exception as well. */
static int has_counted(enum rt_mode mode, u64 illegal, u64 exceptions)
{
	u64 leaves = mode != MODE_M;

	if (count[0] == illegal && !count[1] && count[2] == exceptions + leaves)
		return 1;
	NOTE("%s: %llx and elsewhere %llx of %llx", rt_mode_name[mode], count[0], count[1],
	     count[2]);
	return 0;
}

static void test_illegal(void)
{
	enum rt_mode mode;

	for (mode = MODE_M; mode < MODES; mode++) {
		unsigned long cause = run(mode, illegals);

		CHECK("UAR-073", cause == CAUSE_ILLEGAL && has_counted(mode, TIMES, TIMES),
		      "each illegal instruction, in %s-mode", rt_mode_name[mode]);
	}
}

/* S-mode goes on behind each of them. */
static void test_delegated(void)
{
	csr_write(CSR_MEDELEG, BIT(CAUSE_ILLEGAL));
	csr_write(CSR_STVEC, (unsigned long)skip_insn);
	CHECK("UAR-073", run(MODE_U, illegals) == NO_TRAP && has_counted(MODE_U, TIMES, TIMES),
	      "of U-mode, handled by S-mode");
	csr_write(CSR_STVEC, (unsigned long)rt_entry_s);
	csr_write(CSR_MEDELEG, 0);
}

/* By mcounteren, scounteren and hcounteren: what is it to read time? */
static void test_emulated(void)
{
	static const struct {
		unsigned int m, s, h;
		enum rt_mode mode;
		unsigned long cause;
	} cases[] = {
		{ 0, 1, 1, MODE_S, CAUSE_ILLEGAL }, { 0, 1, 1, MODE_U, CAUSE_ILLEGAL },
		{ 0, 1, 1, MODE_VS, CAUSE_ILLEGAL }, { 0, 1, 1, MODE_VU, CAUSE_ILLEGAL },
		{ 1, 0, 1, MODE_U, CAUSE_ILLEGAL }, { 1, 1, 0, MODE_VS, CAUSE_VIRTUAL },
		{ 1, 1, 0, MODE_VU, CAUSE_VIRTUAL }, { 1, 1, 1, MODE_S, NO_TRAP },
		{ 1, 1, 1, MODE_U, NO_TRAP },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		unsigned long cause;
		u64 illegal, all;

		counteren_set(cases[i].m * COUNTEREN_TM, cases[i].h * COUNTEREN_TM);
		csr_write(CSR_SCOUNTEREN, cases[i].s * COUNTEREN_TM);
		cause = run(cases[i].mode, times);
		illegal = cause == CAUSE_ILLEGAL ? TIMES : 0;
		all = cause == NO_TRAP ? 0 : TIMES;
		CHECK("UAR-073", cause == cases[i].cause &&
		      has_counted(cases[i].mode, illegal, all),
		      "reads of time that are emulated are, virtual instructions are not");
	}
	counteren_set(0, 0);
	csr_write(CSR_SCOUNTEREN, 0);
}

void test_main(void)
{
	counters_stop_all();
	test_illegal();
	test_delegated();
	test_emulated();
}
