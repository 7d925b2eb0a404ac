// SPDX-License-Identifier: GPL-2.0-only
/*
 * The emulator's predictor as control transfer records tell of it: MISP of each
 * branch, held against a two-bit counter that is kept here.
 *
 * profile: ctr ctr-cheap
 */
#include "ctr.h"
#include "tap.h"

/* The first ones are not taken: then the counter is 0, whatever it was. */
#define FIRST	4
#define N	24

extern const char told_branch[];
unsigned long told_loop(unsigned long bits, unsigned long n);

/* The records are of these branches, all or those that are taken, and right. */
static unsigned int count_wrong(unsigned long bits, int all)
{
	unsigned int i, counter = 0, wrong = 0, x = 0, want;
	unsigned int misp[N], n = 0;
	struct ctr_entry e;

	for (i = 0; i < N; i++) {
		unsigned int taken = bits >> i & 1;

		want = taken != (counter >= 2);
		if ((all || taken) && i >= FIRST)
			misp[n++] = want;
		if (taken)
			counter += counter < 3;
		else
			counter -= counter > 0;
	}
	/* From the last one back to the first */
	while (n && x < ctr_core.depth) {
		e = ctr_get(x++);
		if (e.source == ((unsigned long)told_branch | SOURCE_V))
			wrong += (e.target & TARGET_MISP) != misp[--n];
	}
	return wrong + n;
}

static void test_pattern(u64 filter, const char *which)
{
	unsigned int round, wrong = 0;
	unsigned long bits = 0x9e3779b9;

	ctr_control(CTL_S | filter, 0);
	for (round = 0; round < 64; round++) {
		bits ^= bits << 13 & 0xffffffff;
		bits ^= bits >> 17;
		bits ^= bits << 5 & 0xffffffff;
		ctr_run(MODE_S, told_loop, bits << FIRST & 0xffffff, N);
		wrong += count_wrong(bits << FIRST & 0xffffff, !!filter);
	}
	ctr_control(0, 0);
	CHECK("UAR-020", !wrong, "MISP of %s is what a two-bit counter makes it (wrong: %u)",
	      which, wrong);
}

void test_main(void)
{
	ctr_init();
	test_pattern(CTL_NTBREN, "branches");
	test_pattern(0, "branches taken, others not being recorded");
}
