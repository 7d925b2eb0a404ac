// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cores that lack modes: their xINH bits are read-only 0.
 *
 * profile: full noh mu monly rv32
 */
#include "hpm.h"
#include "tap.h"

void test_main(void)
{
	u64 want = EV_MINH, ones = EV_XINH, zeroes = 0, v;
	u32 present = hpm_present();
	unsigned int i;

	want |= rt_has_u() ? EV_UINH : 0;
	want |= rt_has_s() ? EV_SINH : 0;
	want |= rt_has_h() ? EV_VSINH | EV_VUINH : 0;
	for (i = COUNTER_FIRST; i <= COUNTER_LAST; i++) {
		if (!(present >> i & 1))
			continue;
		event_set(i, ~0ULL);
		v = event_get(i) & EV_XINH;
		ones &= v;
		zeroes |= v;
		event_set(i, 0);
	}
	NOTE("modes: M%s%s%s", rt_has_s() ? " S" : "", rt_has_u() ? " U" : "",
	     rt_has_h() ? " VS VU" : "");
	CHECK("COF-009", present && !(zeroes & ~want),
	      "no xINH bit for a mode that is not there: %llx", zeroes);
	CHECK("COF-009", present && (ones & want) == want,
	      "an xINH bit for each mode that is: %llx", ones);
}
