// SPDX-License-Identifier: GPL-2.0-only
/*
 * Trap returns that are counted are those that have retired, each of them once. To the events
 * of branches and jumps they are neither taken nor predicted.
 *
 * profile: uarch
 */
#include "hpm.h"
#include "tap.h"

#define TIMES		100
#define MSTATUS_TSR	BIT(22)

/* mhpmevent[55:0] */
#define TRETURN	0x38
#define BRJMP	0x20
#define TK	0x24
#define PRED	0x25

rt_fn mrets, srets;

/* How many there are in a turn, which has two branches, too */
static const struct {
	int event, returns, branches;
} counted[] = {
	{ TRETURN, 1, 0 }, { BRJMP, 0, 2 }, { TK, 0, 2 }, { PRED, 0, 2 },
};

static u64 count[ARRAY_SIZE(counted)];

/* Returns the cause of the last exception. */
static unsigned long run(enum rt_mode mode, rt_fn *fn, unsigned int turns)
{
	unsigned long cause;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(counted); i++)
		hpm_start(COUNTER_FIRST + i, only_in(mode, counted[i].event), 0);
	cause = rt_try(mode, fn, turns, 0).cause;
	counters_stop_all();
	for (i = 0; i < ARRAY_SIZE(counted); i++)
		count[i] = counter_get(COUNTER_FIRST + i);
	return cause;
}

/*
 * Is it each return that retires, and none that does not? What there is besides the turns is
 * the same, however many these are.
 */
static int returns(enum rt_mode mode, rt_fn *fn, unsigned long cause)
{
	u64 first[ARRAY_SIZE(counted)];
	unsigned int i;
	int right = run(mode, fn, TIMES) == cause;

	for (i = 0; i < ARRAY_SIZE(counted); i++)
		first[i] = count[i];
	right &= first[0] == (cause == NO_TRAP ? TIMES : 0);
	right &= run(mode, fn, 2 * TIMES) == cause;
	for (i = 0; i < ARRAY_SIZE(counted); i++) {
		int more = counted[i].branches + (cause == NO_TRAP ? counted[i].returns : 0);

		right &= count[i] == first[i] + more * TIMES;
		if (!right)
			NOTE("%x: %llx, %llx", counted[i].event, first[i], count[i]);
	}
	return right;
}

static void test_returns(void)
{
	CHECK("EVT-001", returns(MODE_M, mrets, NO_TRAP), "MRET in M-mode");
	CHECK("EVT-001", returns(MODE_S, srets, NO_TRAP), "SRET in S-mode");
	CHECK("EVT-001", returns(MODE_VS, srets, NO_TRAP), "SRET in VS-mode");
}

/* They trap, and M-mode goes on behind each of them. */
static void test_refused(void)
{
	CHECK("EVT-001", returns(MODE_S, mrets, CAUSE_ILLEGAL), "no MRET in S-mode");
	CHECK("EVT-001", returns(MODE_U, srets, CAUSE_ILLEGAL), "no SRET in U-mode");
	csr_set(CSR_MSTATUS, MSTATUS_TSR);
	CHECK("EVT-001", returns(MODE_S, srets, CAUSE_ILLEGAL), "no SRET with TSR");
	csr_clear(CSR_MSTATUS, MSTATUS_TSR);
}

void test_main(void)
{
	counters_stop_all();
	test_returns();
	test_refused();
}
