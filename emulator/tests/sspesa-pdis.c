// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sspesa next to Smpdis/Sspdis: both pend LCOFI, but a sample is no overflow of
 * a counter.
 *
 * profile: pdis-pesa
 */
#include "pdis.h"
#include "pesa.h"
#include "tap.h"

static void sample(void)
{
	pdis_prepare(MODE_S, 0);
	pdis_count(10, 0);
	pdis_run(MODE_S, rt_nops, 0, 0);
}

void test_main(void)
{
	unsigned int i = hpm_nth(0);

	pdis_init();
	pesa_clear();
	sample();
	CHECK("PESA-032", pdis_of() && lcofi_wait(), "a sample pends LCOFI");
	CHECK("PESA-032", pesa_untouched(), "and captures nothing");
	pesa_clear();
	lcofi_clear();
	path_overflow(i, MODE_S, only_in(MODE_S, INSTRET), 3);
	CHECK("PESA-032", !pesa_untouched(), "an overflow of a counter does");
	CHECK("PESA-032", pesa_holds_path(i, 2), "the PC of that overflow");
}
