// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sscofpmf: what happens when a counter overflows.
 *
 * profile: full narrow skid rv32
 *
 * Only U-mode is counted, so that the M-mode code around it does not matter.
 */
#include "hpm.h"
#include "tap.h"

#define LOOPS 20
/* What one call of run_u() retires in U-mode */
#define RUN ((u64)RT_LOOP_INSNS(LOOPS) + RT_LEAVE_INSNS)

static void run_u(void)
{
	rt_call(MODE_U, rt_loop, LOOPS, 0);
}

static void arm(unsigned int i, u64 val)
{
	hpm_start(i, INSTRET | ONLY_U, val);
	lcofi_clear();
}

static int of(unsigned int i)
{
	return !!(event_get(i) & EV_OF);
}

struct wrap {
	u32 before, wraps, of, only_of, goes_on;	/* counters that fail */
};

/* One counter comes to exactly -1, 0 and 1. */
static void wrap_one(unsigned int i, struct wrap *bad)
{
	u64 mask = counter_mask(i);

	arm(i, mask - RUN);
	run_u();
	bad->before |= (counter_get(i) != mask || of(i)) << i;
	arm(i, -RUN);
	run_u();
	bad->wraps |= (counter_get(i) != 0) << i;
	bad->of |= !of(i) << i;
	bad->only_of |= (event_get(i) != (INSTRET | ONLY_U | EV_OF)) << i;
	arm(i, -RUN + 1);
	run_u();
	bad->goes_on |= (counter_get(i) != 1 || !of(i)) << i;
	counter_stop(i);
}

static void test_wrap(u32 present)
{
	struct wrap bad = { 0 };
	unsigned int i;

	for (i = COUNTER_FIRST; i <= COUNTER_LAST; i++)
		if (present >> i & 1)
			wrap_one(i, &bad);
	CHECK("COF-013", !bad.before,
	      "all ones is no overflow yet (wrong: %x)", bad.before);
	CHECK("COF-013", !bad.wraps,
	      "all implemented bits wrap to 0 (wrong: %x)", bad.wraps);
	CHECK("COF-014", !bad.of,
	      "and that sets OF (wrong: %x)", bad.of);
	CHECK("COF-002", !bad.only_of,
	      "OF is bit 63, no other bit changes (wrong: %x)",
	      bad.only_of);
	CHECK("COF-016", !bad.goes_on,
	      "counting goes on from 0 (wrong: %x)", bad.goes_on);
}

static void test_of_stays(unsigned int i)
{
	arm(i, -RUN);
	run_u();
	run_u();
	lcofi_clear();
	counter_set(i, 0);
	CHECK("COF-015", of(i),
	      "OF survives counting, LCOFIP cleared, the counter written");
	event_set(i, INSTRET | ONLY_U);
	CHECK("COF-015", !of(i), "OF is cleared by software");
	CHECK("COF-016", counter_get(i) == 0, "clearing OF leaves the counter");
}

static void test_goes_on(unsigned int i)
{
	int n;

	arm(i, -(RUN / 2));
	for (n = 0; n < 3; n++)
		run_u();
	CHECK("COF-016", counter_get(i) == 3 * RUN - RUN / 2 && of(i),
	      "with OF=1 it counts exactly: %llx", counter_get(i));
}

static void test_request(unsigned int i)
{
	arm(i, -RUN - 1);
	run_u();
	CHECK("COF-017", !lcofi_wait(), "no request one short of overflow");
	run_u();
	CHECK("COF-017", lcofi_wait(), "overflow with OF=0 pends LCOFI");
	CHECK("COF-021", lcofi_wait() && of(i), "LCOFIP follows OF in time");

	arm(i, -RUN);
	event_set(i, INSTRET | ONLY_U | EV_OF);
	run_u();
	CHECK("COF-018", counter_get(i) == 0 && !lcofi_wait(),
	      "overflow with OF=1 pends nothing");
	CHECK("COF-018", of(i), "and leaves OF set");
}

static void test_pends_once(unsigned int i)
{
	arm(i, -RUN);
	run_u();
	lcofi_wait();
	lcofi_clear();
	CHECK("COF-026", !lcofi_wait() && of(i),
	      "LCOFIP cleared with OF=1 stays cleared");
	run_u();
	CHECK("COF-026", !lcofi_wait(), "also while counting goes on");
	arm(i, -RUN);
	run_u();
	CHECK("COF-026", lcofi_wait(), "OF going 0 to 1 again pends again");
}

/* With two counters overflowing, each has its own OF. */
static void test_two(unsigned int i, unsigned int j)
{
	arm(i, -RUN);
	arm(j, -2 * RUN);
	run_u();
	CHECK("COF-014", of(i) && !of(j), "only the overflowed one has OF");
	lcofi_wait();
	lcofi_clear();
	run_u();
	CHECK("COF-017", of(j) && lcofi_wait(),
	      "another counter pends LCOFI while the first has OF=1");
	CHECK("COF-016", counter_get(i) == RUN && counter_get(j) == 0,
	      "both counted the same instructions");
	arm(i, -RUN);
	arm(j, -RUN);
	run_u();
	CHECK("COF-014", of(i) && of(j) && lcofi_wait(),
	      "two counters overflow at the same instruction");
	counter_stop(j);
}

/* A running counter that does not count in M-mode, then a stopped one */
static void test_write_counter(unsigned int i)
{
	int stopped;

	for (stopped = 0; stopped < 2; stopped++) {
		arm(i, 0);
		if (stopped)
			counter_stop(i);
		counter_set(i, ~0ULL);
		counter_set(i, 0);
		CHECK("COF-019", !of(i) && !lcofi_wait(),
		      "all ones, then 0: OF stays 0 (%s)",
		      stopped ? "stopped" : "running");
		event_set(i, INSTRET | ONLY_U | EV_OF);
		counter_set(i, ~0ULL);
		counter_set(i, 0);
		CHECK("COF-019", of(i) && !lcofi_wait(),
		      "all ones, then 0: OF stays 1 (%s)",
		      stopped ? "stopped" : "running");
	}
}

static void test_write_event(unsigned int i)
{
	arm(i, 0);
	event_set(i, INSTRET | ONLY_U | EV_OF);
	CHECK("COF-020", of(i) && !lcofi_wait(), "setting OF pends nothing");
	counter_set(i, ~0ULL);
	event_set(i, 0);
	event_set(i, INSTRET | ONLY_U);
	CHECK("COF-020", !of(i) && !lcofi_wait(),
	      "changing the event at all ones does not overflow");
	CHECK("COF-020", counter_get(i) == counter_mask(i),
	      "nor does it change the counter");
}

/* The last instruction before a trap is counted, ECALL itself is not. */
static void test_one_by_one(unsigned int i)
{
	int more, want;

	for (more = -2; more <= 2; more++) {
		arm(i, -(RUN + more));
		run_u();
		want = more <= 0;
		if (!CHECK("COF-014", of(i) == want,
			   "overflow %d instructions after the last: OF=%d",
			   more, want))
			NOTE("counter %llx", counter_get(i));
	}
}

/* mcycle and minstret just wrap. */
static void test_fixed(void)
{
	static const unsigned int fixed[] = { COUNTER_CYCLE, COUNTER_INSTRET };
	unsigned int n;
	u64 mask, v;

	counters_stop_all();
	lcofi_clear();
	for (n = 0; n < 2; n++) {
		mask = counter_mask(fixed[n]);
		counter_set(fixed[n], mask - 10);
		counter_start(fixed[n]);
		run_u();
		counter_stop(fixed[n]);
		v = counter_get(fixed[n]);
		CHECK("COF-040", v < mask - 10 && !lcofi_wait(),
		      "counter %u wraps to %llx without LCOFI", fixed[n], v);
		if (csr_exists(CSR_MCYCLECFG)) {
			event_set(fixed[n], EV_OF);
			CHECK("COF-040", !(event_get(fixed[n]) & EV_OF),
			      "counter %u has no OF", fixed[n]);
		}
	}
}

void test_main(void)
{
	unsigned int i = hpm_nth(0);

	test_wrap(hpm_present());
	test_of_stays(i);
	test_goes_on(i);
	test_request(i);
	test_pends_once(i);
	test_two(i, hpm_nth(1));
	test_write_counter(i);
	test_write_event(i);
	test_one_by_one(i);
	test_fixed();
}
