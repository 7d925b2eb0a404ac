// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sscofpmf: mhpmevent and mhpmcounter as registers, and the event 0.
 *
 * profile: full narrow rv32
 */
#include "hpm.h"
#include "tap.h"

#define LOOPS 50

#ifndef PROFILE_NARROW
#define PROFILE_NARROW 0
#endif

/* WPRI bits read 0, each xINH bit and OF can be set and cleared. */
static void test_layout(u32 present)
{
	u32 wide = 0, wpri = 0, clear = 0;
	unsigned int i;
	u64 v;

	for (i = COUNTER_FIRST; i <= COUNTER_LAST; i++) {
		if (!(present >> i & 1))
			continue;
		event_set(i, ~0ULL);
		v = event_get(i);
		wide |= ((v & (EV_OF | EV_XINH)) != (EV_OF | EV_XINH)) << i;
		wpri |= !!(v & EV_WPRI) << i;
		event_set(i, 0);
		clear |= !!event_get(i) << i;
	}
	CHECK("COF-001", !wide,
	      "bits 63 to 58 hold ones (wrong: %x)", wide);
	CHECK("COF-001", !clear,
	      "all bits hold zeroes (wrong: %x)", clear);
	CHECK("COF-008", !wpri,
	      "bits 57:56 read 0 (wrong: %x)", wpri);
}

/* RV32: the halves are two registers; RV64: there is no h register. */
static void test_high_half(u32 present)
{
	u32 missing = 0, mixed = 0;
	unsigned int i;

	for (i = COUNTER_FIRST; i <= COUNTER_LAST; i++) {
		missing |= !csr_exists(CSR_MHPMEVENTH(i)) << i;
		if (__riscv_xlen == 64 || !(present >> i & 1))
			continue;
		event_set(i, INSTRET);
		csr_put(MODE_M, CSR_MHPMEVENTH(i), EV_XINH >> 32);
		mixed |= (event_get(i) != (INSTRET | EV_XINH)) << i;
		csr_put(MODE_M, CSR_MHPMEVENT(i), 0);
		mixed |= (event_get(i) != EV_XINH) << i;
		event_set(i, 0);
	}
	if (__riscv_xlen == 64) {
		CHECK("COF-001", missing == 0xfffffff8,
		      "RV64 has no 0x723 to 0x73f (missing: %x)", missing);
		return;
	}
	CHECK("COF-001", !missing, "0x723 to 0x73f exist (not: %x)", missing);
	CHECK("COF-001", !mixed,
	      "the halves are written separately (wrong: %x)", mixed);
}

static void test_no_event(u32 present)
{
	u32 moved = 0;
	unsigned int i;
	int m;

	lcofi_clear();
	for (i = COUNTER_FIRST; i <= COUNTER_LAST; i++)
		if (present >> i & 1)
			hpm_start(i, 0, ~0ULL);
	for (m = MODE_M; m < MODES; m++)
		rt_call(m, rt_loop, LOOPS, 0);
	counters_stop_all();
	for (i = COUNTER_FIRST; i <= COUNTER_LAST; i++)
		if (present >> i & 1)
			moved |= (counter_get(i) != counter_mask(i) ||
				  event_get(i)) << i;
	CHECK("COF-012", !moved,
	      "event 0 counts in no mode (wrong: %x)", moved);
	CHECK("COF-012", !lcofi_wait(), "and pends no LCOFI");
}

/* A counter that has counted stands still once its event is 0. */
static void test_event_off(unsigned int i)
{
	u64 v;

	hpm_start(i, INSTRET, 0);
	event_set(i, 0);
	v = counter_get(i);
	rt_call(MODE_U, rt_loop, LOOPS, 0);
	CHECK("COF-012", v && counter_get(i) == v,
	      "writing event 0 stops a running counter");
	counter_stop(i);
}

/* All ones are a contiguous mask from bit 0, and every pattern under it holds. */
static void test_width(u32 present)
{
	u32 gaps = 0, lost = 0, narrow = 0;
	unsigned int i;
	u64 mask;

	for (i = COUNTER_FIRST; i <= COUNTER_LAST; i++) {
		if (!(present >> i & 1))
			continue;
		mask = counter_mask(i);
		narrow |= !(mask >> 63) << i;
		gaps |= !!(mask & (mask + 1)) << i;
		counter_set(i, 0xaaaaaaaaaaaaaaaaULL);
		lost |= (counter_get(i) != (0xaaaaaaaaaaaaaaaaULL & mask)) << i;
		counter_set(i, 0);
		lost |= !!counter_get(i) << i;
	}
	if (PROFILE_NARROW)
		CHECK("COF-041", narrow == present,
		      "the counters of this core are narrow: %x", narrow);
	CHECK("COF-041", !gaps,
	      "all ones read back as the width (wrong: %x)", gaps);
	CHECK("COF-041", !lost,
	      "implemented bits hold what is written (wrong: %x)",
	      lost);
}

void test_main(void)
{
	u32 present = hpm_present();

	if (!CHECK("COF-041", present, "programmable counters: %x", present))
		return;
	counters_stop_all();
	test_layout(present);
	test_high_half(present);
	test_width(present);
	test_no_event(present);
	test_event_off(hpm_nth(0));
}
