// SPDX-License-Identifier: GPL-2.0-only
/*
 * Software that treats sampled instructions and their buffer in a wrong order: each
 * rule that the machine looks after is broken once, and kept before and behind that.
 *
 * profile: pdis
 */
#include "pmb.h"
#include "tap.h"

#define BASE	((unsigned long)pmb_mem)
#define LAST	(BASE + PMB_PAGE - PDIS_RECORD)

static void source_on(void)
{
	pdis_start();
	pdis_put(MODE_M, MPDISCTL, PDIS_S | PDIS_MEM);
}

static void source_off(void)
{
	pdis_put(MODE_M, MPDISCTL, 0);
	pdis_stop();
}

static void off(void)
{
	source_off();
	pmb_stop();
	lambi_clear();
	lcofi_clear();
}

static void all_is_well(void)
{
	pmb_start(BASE, 0);
	source_on();
	off();
}

/* One record, by a source that is switched on and off as it should be */
static void record(unsigned long addr, u64 cs)
{
	pmb_start(addr, cs);
	pdis_put(MODE_M, SPDISCOUNTER, (u32)-5);
	pdis_put(MODE_M, MPDISCTL, PDIS_S | PDIS_MEM);
	pdis_run(MODE_S, rt_nops, 0, 0);
	source_off();
}

static void enabled_without_address(void)
{
	pdis_put(MODE_M, SPDISAMBCS, AMB_EN);
}

static void larger_than_there_is(void)
{
	pdis_put(MODE_M, SPDISAMBADDR, BASE);
	pdis_put(MODE_M, SPDISAMBCS, AMB_EN | AMB_SIZE(31));
}

static void started_without_trv(void)
{
	pdis_put(MODE_M, SPDISAMBADDR, BASE);
	pdis_put(MODE_M, SPDISAMBCS, AMB_EN);
	source_on();
}

static void disabled_without_empty(void)
{
	pmb_start(BASE, 0);
	source_on();
	source_off();
	/* Without a look at it */
	csr_write(PLATFORM_CSR_SPDISAMBCS, 0);
}

static void controls_while_it_records(void)
{
	pmb_start(BASE, 0);
	source_on();
	pdis_put(MODE_M, SPDISAMBCS, AMB_EN | AMB_SOF);
}

static void address_while_it_is_on(void)
{
	pmb_start(BASE, 0);
	pdis_put(MODE_M, SPDISAMBADDR, BASE + PMB_PAGE);
}

static void interrupt_is_cleared_early(void)
{
	pmb_start(BASE, 0);
	source_on();
	csr_set(CSR_MIP, LAMBI);
	csr_clear(CSR_MIP, LAMBI);
}

/* It is collected, but not set up anew. */
static void goes_on_behind_the_threshold(void)
{
	record(BASE + PMB_PAGE / 4 * 3 - PDIS_RECORD, AMB_BMIEN | AMB_BMITH(3));
	source_on();
}

static void goes_on_when_full(void)
{
	record(LAST, AMB_SOF);
	source_on();
}

static void translate(void)
{
	pmb_tables(0);
	pmb_satp_on();
}

static void goes_on_behind_a_fault(void)
{
	translate();
	pmb_map(1, 1, 0);
	fence_vma();
	pmb_start(PMB_VA + PMB_PAGE - PDIS_RECORD, AMB_SIZE(1));
	pmb_wait(AMB_TF);
	source_on();
}

static void page_goes_while_it_is_on(void)
{
	translate();
	pmb_start(PMB_VA, 0);
	pmb_map(0, 0, 0);
	fence_vma();
}

static void registers_while_it_samples(void)
{
	pdis_start();
	pdis_put(MODE_M, MPDISCTL, PDIS_S);
	csr_put(MODE_M, CSR_SISELECT, PLATFORM_SELECT_PDIS);
	csr_get(MODE_S, CSR_SIREG);
}

static void custom_bits(void)
{
	pdis_put(MODE_S, SPDISCTL, PDIS_CUSTOM);
}

static void (*const breaches[])(void) = {
	all_is_well,
	enabled_without_address, larger_than_there_is, started_without_trv,
	disabled_without_empty, controls_while_it_records, address_while_it_is_on,
	interrupt_is_cleared_early, goes_on_behind_the_threshold, goes_on_when_full,
	goes_on_behind_a_fault, page_goes_while_it_is_on, registers_while_it_samples,
	custom_bits,
};

void test_main(void)
{
	unsigned int n;

	pdis_init();
	pdis_envcfg(1, 0);
	pdis_stateen(1, 1);
	for (n = 0; n < ARRAY_SIZE(breaches); n++) {
		breaches[n]();
		off();
		pmb_off();
		all_is_well();
	}
	NOTE("%u", n);
}
