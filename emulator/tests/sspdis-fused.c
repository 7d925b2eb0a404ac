// SPDX-License-Identifier: GPL-2.0-only
/*
 * Smpdis/Sspdis: instructions that are fused with a neighbour, on a core that does so. Which
 * are is what the emulator's uarch.md says.
 *
 * profile: pdis-fusion
 */
#include "pdis.h"
#include "tap.h"

rt_fn pairs;

/* Of the instructions of pairs(): 1 if it is one of a pair */
static const unsigned char fused[] = { 1, 1, 0, 1, 1, 0, 1, 1, 0, 0, 1, 1, 0 };

/* What a record says of an instruction: -1 if it was never sampled. */
static int said[ARRAY_SIZE(fused)];

static void look(const struct pdis_record *r)
{
	unsigned long i = (r->pc - (unsigned long)pairs) / 4;

	if (r->pc >= (unsigned long)pairs && i < ARRAY_SIZE(fused) && !(r->hdr & HDR_FLUSHED))
		said[i] = !!(r->hdr & HDR_FUSED);
}

void test_main(void)
{
	unsigned int n, i, wrong = 0, missing = 0;
	struct pdis_record r;

	pdis_init();
	for (i = 0; i < ARRAY_SIZE(said); i++)
		said[i] = -1;
	for (n = 1; n <= 3 * ARRAY_SIZE(said); n++)
		if (pdis_sample2(MODE_S, 0, n, pairs, 0, 0, &r))
			look(&r);
	for (i = 0; i < ARRAY_SIZE(said); i++) {
		missing += said[i] < 0;
		wrong += said[i] >= 0 && said[i] != fused[i];
		if (said[i] != fused[i])
			NOTE("instruction %u is not told as it is", i);
	}
	CHECK("PDIS-SEL-014", !missing && !wrong,
	      "both of a pair say so, and no others (%u never sampled)", missing);
	CHECK("PDIS-HDR-009", !wrong, "by bit 36 (wrong: %u)", wrong);
}
