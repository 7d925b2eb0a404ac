// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs one of six programs in S-mode, and samples it. Which one, how long and how often
 * uarch/sampled writes into the image, so that nothing else differs from run to run: with a
 * period that never ends there are no samples, and all else is as ever. With a period of 0,
 * which is what uarch/cycles writes, its cycles and instructions are counted instead.
 */
#include "hpm.h"
#include "page.h"
#include "pdis.h"
#include "tap.h"
#include "six.h"

/* "sampled?", by which it is found, and what is behind it, which is written over */
static volatile struct choice {
	u64 mark, program, period, units;
} choice = { 0x3f64656c706d6173, 0, 1009, 1 };

static const struct program *const programs[] = {
	&six_chase, &six_matrix, &six_sort, &six_zstd, &six_join, &six_interpreter,
};

/* On a stack that is large enough for zstd */
unsigned long six_deep(unsigned long (*work)(unsigned long), unsigned long units,
		       unsigned long stack);

__asm__(".text\n"
	".globl six_deep\n"
	"six_deep:\n"
	"	addi	a2, a2, -16\n"
	"	sd	ra, 0(a2)\n"
	"	sd	sp, 8(a2)\n"
	"	mv	sp, a2\n"
	"	mv	t0, a0\n"
	"	mv	a0, a1\n"
	"	jalr	t0\n"
	"	ld	ra, 0(sp)\n"
	"	ld	sp, 8(sp)\n"
	"	ret\n");

static unsigned long run(unsigned long program, unsigned long units)
{
	return six_deep(programs[program]->work, units, STACK);
}

static unsigned long count(void)
{
	unsigned long result;

	/* From here on caches follow what is done. */
	hpm_start(COUNTER_FIRST, only_in(MODE_S, PLATFORM_EVENT_CYCLES), 0);
	hpm_start(COUNTER_FIRST + 1, only_in(MODE_S, INSTRET), 0);
	programs[choice.program]->setup();
	counter_set(COUNTER_FIRST, 0);
	counter_set(COUNTER_FIRST + 1, 0);
	result = rt_try(MODE_S, run, choice.program, choice.units).value;
	counters_stop_all();
	NOTE("cycles %llx", counter_get(COUNTER_FIRST));
	NOTE("instructions %llx", counter_get(COUNTER_FIRST + 1));
	return result;
}

static unsigned long sample(void)
{
	unsigned long result;

	pmb_start((unsigned long)pmb_mem, AMB_SIZE(4));
	/* From here on caches follow what is done. */
	pdis_prepare(MODE_S, PDIS_MEM | PDIS_OF);
	pdis_count(choice.period, -choice.period);
	programs[choice.program]->setup();
	result = pdis_run(MODE_S, run, choice.program, choice.units).value;
	pmb_stop();
	pdis_put(MODE_M, MPDISCTL, 0);
	return result;
}

void test_main(void)
{
	unsigned long result;

	pdis_init();
	if (!page_on(PTE_RW | PTE_X, 0))
		tap_bail("no Sv39");
	result = choice.period ? sample() : count();
	page_off();
	NOTE("result %lx", result);
}
