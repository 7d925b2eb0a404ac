// SPDX-License-Identifier: GPL-2.0-only
/*
 * What records of sampled instructions say of the emulator's events: a load that is flushed
 * accesses a cache with uarch-wrong-path=1, and its record says so, but not that an operation
 * of an instruction that retires was there.
 *
 * profile: pdis-wrong-path
 */
#include "hpm.h"
#include "pdis.h"
#include "tap.h"

#define TRIES		600
#define SEED(n)		(0x9e3779b9UL * (2 * (n) + 1))

/* mhpmevent[55:0] */
enum { L1D_ACCESS = 0x94, OP_LOAD = 0x120, OP_LDST = 0x139 };

/* Samples of the load that some random branches skip: those flushed, and all others */
struct found {
	unsigned int flushed, flushed_has, kept, kept_has;
};

static struct found sample_loads(unsigned int i, u64 event)
{
	u64 bit = PDIS_HPM_BIT(i);
	struct found f = { 0 };
	struct pdis_record r;
	unsigned int n;

	hpm_start(i, event, 0);
	for (n = 1; n < TRIES; n++) {
		if (!pdis_sample2(MODE_S, bit, n, pdis_random, (unsigned long)probe_data,
				  SEED(n), &r) ||
		    r.pc != (unsigned long)pdis_random_load)
			continue;
		if (r.hdr & HDR_FLUSHED) {
			f.flushed++;
			f.flushed_has += !!(r.hdr & bit);
		} else {
			f.kept++;
			f.kept_has += !!(r.hdr & bit);
		}
	}
	counter_stop(i);
	event_set(i, 0);
	return f;
}

void test_main(void)
{
	unsigned int i = hpm_nth(0);
	struct found f;

	pdis_init();
	/* PDIS and the counters are of S-mode. */
	pdis_stateen(1, 0);
	cde_set(1);
	counteren_set(~0U, 0);
	f = sample_loads(i, L1D_ACCESS);
	CHECK("PDIS-CTL-033", f.flushed && f.flushed_has && f.kept && f.kept_has == f.kept,
	      "%u of %u flushed loads access L1D, and all of %u others", f.flushed_has,
	      f.flushed, f.kept);
	f = sample_loads(i, OP_LDST);
	CHECK("PDIS-CTL-034,UAR-136", f.flushed && !f.flushed_has && f.kept_has == f.kept,
	      "%u of %u flushed loads are operations, and all of %u others", f.flushed_has,
	      f.flushed, f.kept);
	f = sample_loads(i, OP_LOAD);
	CHECK("PDIS-CTL-034,UAR-136", f.flushed && !f.flushed_has && f.kept_has == f.kept,
	      "%u of %u flushed loads are loads, and all of %u others", f.flushed_has,
	      f.flushed, f.kept);
}
