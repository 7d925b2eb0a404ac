// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ssamb: with which privilege and translation records are written, by
 * menvcfg.PDISS; translation faults of the first stage; fences.
 *
 * profile: pdis pdis-memory pdis-noh pdis-slow pdis-rv32
 */
#include "pmb.h"
#include "tap.h"

#define SIZE	(pdis_core.size < 2 ? pdis_core.size : 2)
#define PAGES	(1U << SIZE)

static u32 fault_page(void)
{
	return (pmb_status() & AMB_TFPTR) >> 12;
}

/* As the driver does: enable, and look at TRV, TF, LAMBI */
static int enable(unsigned long addr)
{
	lambi_clear();
	return pmb_start(addr, AMB_SIZE(SIZE));
}

/* TF is cleared by software while the source is quiet. */
static void serviced(void)
{
	lambi_clear();
	pdis_put(MODE_M, SPDISAMBCS, pmb_status() & ~AMB_TF);
}

/* Physical, whatever satp says: there the page is not mapped. */
static void test_machine(void)
{
	pmb_wipe();
	pdis_envcfg(0, 0);
	pmb_tables(0);
	pmb_satp_on();
	enable(PLATFORM_RAM_SPARE);
	CHECK("PDIS-ENV-003", pmb_step(MODE_S, 7) && pmb_is(pmb_at(0), 7),
	      "PDISS=0: the record is where sambaddr says");
	CHECK("AMB-061", pmb_is(pmb_at(0), 7) && !(pmb_status() & AMB_TF),
	      "without translation");
	pdis_envcfg(0, 1);
	pmb_step(MODE_S, 8);
	CHECK("AMB-061", pmb_is(pmb_at(PDIS_RECORD), 8), "whatever PDISV is");
	pmb_stop();
	pdis_envcfg(0, 0);
	pmb_off();
}

static void test_supervisor(void)
{
	pmb_wipe();
	pmb_tables(0);
	pmb_map(0, 3, PTE_RW);
	pdis_envcfg(1, 0);
	pmb_satp_on();
	CHECK("AMB-047", enable(PMB_VA), "TRV becomes 1");
	CHECK("PDIS-ENV-004", pmb_step(MODE_S, 7) &&
	      pmb_is(pmb_at(3 * PMB_PAGE), 7), "PDISS=1: by satp");
	CHECK("AMB-062", pmb_is(pmb_at(3 * PMB_PAGE), 7) && !(pmb_status() & AMB_TF),
	      "the record is in the page that satp leads to");
	pmb_stop();
	CHECK("AMB-047", !(pmb_status() & AMB_TRV), "TRV is 0 with EN=0");
	pmb_off();
}

/* The hart runs elsewhere, with other translation. */
static void test_other_modes(void)
{
	int mode;

	if (!rt_has_h())
		return;
	pmb_wipe();
	pmb_tables(0);
	pdis_envcfg(1, 0);
	pmb_satp_on();
	enable(PMB_VA);
	for (mode = MODE_VS; mode <= MODE_VU; mode++) {
		unsigned long at = (mode - MODE_VS) * PDIS_RECORD;

		CHECK("AMB-064", pmb_step(mode, mode) && pmb_is(pmb_at(at), mode),
		      "by satp while %s-mode runs", rt_mode_name[mode]);
	}
	pmb_stop();
	pmb_off();
}

static void test_unprivileged(void)
{
	pmb_wipe();
	pdis_envcfg(0, 0);
	enable(PLATFORM_RAM_SPARE);
	CHECK("AMB-064", pmb_step(MODE_U, 3) && pmb_is(pmb_at(0), 3),
	      "with M-mode's privilege while U-mode runs");
	pmb_stop();
}

static const struct {
	const char *name;
	unsigned long flags;
	int ok;
} permissions[] = {
	{ "readable and writable", PTE_RW, 1 },
	{ "executable, too", PTE_RW | PTE_X, 1 },
	{ "only readable", PTE_V | PTE_R | PTE_AD, 0 },
	{ "only executable", PTE_V | PTE_X | PTE_AD, 0 },
	{ "not valid", PTE_R | PTE_W | PTE_AD, 0 },
	{ "U-mode's", PTE_RW | PTE_U, 0 },
	{ "nothing", 0, 0 },
};

static void test_permissions(void)
{
	unsigned int n;

	pdis_envcfg(1, 0);
	for (n = 0; n < ARRAY_SIZE(permissions); n++) {
		pmb_wipe();
		pmb_tables(0);
		pmb_map(0, 0, permissions[n].flags);
		pmb_satp_on();
		CHECK("AMB-068", enable(PMB_VA) == permissions[n].ok,
		      "a page that is %s: TRV=%u", permissions[n].name,
		      permissions[n].ok);
		CHECK("AMB-065", pmb_wait(AMB_TF) == !permissions[n].ok &&
		      lambi_wait() == !permissions[n].ok, "LAMBI and TF: %u",
		      !permissions[n].ok);
		pmb_step(MODE_S, 5);
		CHECK("AMB-068", pmb_written(pmb_at(0)) == permissions[n].ok,
		      "it is %swritten", permissions[n].ok ? "" : "not ");
		pmb_stop();
		pmb_off();
	}
}

/* The pointer in each page of the buffer, and that page missing */
static void test_fault(unsigned int page)
{
	unsigned long at = PMB_VA + page * PMB_PAGE + 4 * PDIS_RECORD, addr;
	unsigned long mask = ~((1UL << (SIZE + 12)) - 1);

	pmb_wipe();
	pmb_tables(0);
	pmb_map(page, 0, 0);
	pdis_envcfg(1, 0);
	pmb_satp_on();
	enable(at);
	CHECK("AMB-016", pmb_wait(AMB_TF), "page %u missing: a fault when enabled", page);
	CHECK("AMB-040", pmb_wait(AMB_TF) && lambi_wait(), "TF comes with LAMBI");
	addr = (pmb_pointer() & mask) | (unsigned long)(pmb_status() & AMB_TFPTR);
	CHECK("AMB-042", fault_page() == page, "TFPTR is page %u", fault_page());
	CHECK("AMB-043", addr == (at & ~(PMB_PAGE - 1)), "that is address %lx", addr);
	CHECK("AMB-041", pmb_status() & AMB_TF, "TF stays");
	CHECK("AMB-047", !(pmb_status() & AMB_TRV), "TRV=0");
	CHECK("AMB-072", !pmb_step(MODE_S, 6) && pmb_pointer() == at,
	      "records are held back");
	CHECK("AMB-065", pdis_run(MODE_S, rt_nops, 0, 0).cause == NO_TRAP,
	      "there is no exception");
	pmb_map(page, page, PTE_RW);
	fence_vma();
	serviced();
	CHECK("AMB-075", pmb_wait(AMB_TRV) && !(pmb_status() & AMB_TF),
	      "TF cleared: it is translated anew");
	CHECK("AMB-075", pmb_step(MODE_S, 11) &&
	      pmb_is(pmb_at(page * PMB_PAGE + 4 * PDIS_RECORD), 11),
	      "and written to");
	pmb_stop();
	pmb_off();
}

/* Cleared too early it comes back; no other fault takes its place. */
static void test_again(void)
{
	unsigned int n;

	pmb_tables(0);
	for (n = 0; n < PAGES; n++)
		pmb_map(n, n, 0);
	pmb_satp_on();
	enable(PMB_VA);
	CHECK("AMB-074", pmb_wait(AMB_TF) && fault_page() == 0,
	      "all pages missing: TFPTR is the first (%u)", fault_page());
	serviced();
	CHECK("AMB-075", pmb_wait(AMB_TF) && lambi_wait(),
	      "TF cleared, the page still missing: another fault");
	pmb_stop();
	pmb_off();
	lambi_clear();
}

/* At the end of the first page: so many records, and not one word more */
static int whole(unsigned int records)
{
	const unsigned long *from = pmb_at(PMB_PAGE - 4 * PDIS_RECORD);
	unsigned int n;

	for (n = 0; n < records; n++) {
		if (!pmb_is(from + n * PDIS_WORDS, 10 + n))
			return 0;
		LOOK();
	}
	for (n = records * PDIS_WORDS; n < 4 * PDIS_WORDS; n++) {
		if (from[n])
			return 0;
		LOOK();
	}
	return 1;
}

/* The current page is there, those behind it are not. */
static void test_ahead(void)
{
	unsigned int n, room, stored = 0;

	if (PAGES < 4) {
		tap_skip("AMB-073", "too small a buffer");
		return;
	}
	pmb_wipe();
	pmb_tables(0);
	for (n = 1; n < PAGES; n++)
		pmb_map(n, n, 0);
	pdis_envcfg(1, 0);
	pmb_satp_on();
	CHECK("AMB-073", enable(PMB_VA + PMB_PAGE - 4 * PDIS_RECORD),
	      "TRV is about the current page");
	if (pmb_wait(AMB_TF)) {
		CHECK("AMB-044", fault_page() == 1 && pmb_pointer() ==
		      PMB_VA + PMB_PAGE - 4 * PDIS_RECORD,
		      "TFPTR names a page ahead of the pointer: %u", fault_page());
		CHECK("AMB-074", fault_page() == 1, "the first of them");
	} else {
		tap_skip("AMB-044", "nothing is translated in advance");
	}
	for (n = 0; n < 6; n++)
		stored += pmb_step(MODE_S, 10 + n);
	room = (pmb_pointer() - (PMB_VA + PMB_PAGE - 4 * PDIS_RECORD)) / PDIS_RECORD;
	CHECK("AMB-077", stored <= 4 && room == stored,
	      "%u records fit before the missing page", stored);
	CHECK("AMB-080", !pmb_written(pmb_at(PMB_PAGE)) && whole(stored),
	      "whole records in front of it, nothing in it");
	CHECK("AMB-042", pmb_wait(AMB_TF) && fault_page() == 1, "TFPTR is page 1");
	pmb_map(1, 1, PTE_RW);
	fence_vma();
	serviced();
	pmb_wait(AMB_TRV);
	for (n = 0; n < 6; n++)
		stored += pmb_step(MODE_S, 20 + n);
	CHECK("AMB-075", stored > 6 && pmb_written(pmb_at(PMB_PAGE)),
	      "after TF is cleared it goes on there (%u)", stored);
	CHECK("AMB-074", !pmb_wait(AMB_TF) || fault_page() == 2, "and so does translation");
	pmb_stop();
	pmb_off();
	lambi_clear();
}

/* What is cached is not looked up again, or need not be, before the fence. */
static void test_fence(int page_only)
{
	pmb_wipe();
	pmb_tables(0);
	pdis_envcfg(1, 0);
	pmb_satp_on();
	enable(PMB_VA);
	pmb_step(MODE_S, 1);
	pmb_map(0, 5, PTE_RW);
	if (page_only)
		fence_vma_page(PMB_VA);
	else
		fence_vma();
	pmb_wait(AMB_TRV);
	CHECK("AMB-069", pmb_step(MODE_S, 2) &&
	      pmb_is(pmb_at(5 * PMB_PAGE + PDIS_RECORD), 2) &&
	      !pmb_written(pmb_at(PDIS_RECORD)), "SFENCE.VMA%s: the new page",
	      page_only ? " of the page" : "");
	pmb_map(0, 0, 0);
	if (page_only)
		fence_vma_page(PMB_VA);
	else
		fence_vma();
	CHECK("AMB-069", pmb_wait(AMB_TF) && !(pmb_status() & AMB_TRV),
	      "and no page: a fault, TRV=0");
	CHECK("AMB-072", !pmb_step(MODE_S, 3), "records are held back");
	CHECK("AMB-042", fault_page() == 0, "TFPTR is page 0");
	pmb_map(0, 6, PTE_RW);
	fence_vma();
	serviced();
	CHECK("AMB-072", pmb_wait(AMB_TRV) && pmb_step(MODE_S, 4) &&
	      pmb_is(pmb_at(6 * PMB_PAGE + 2 * PDIS_RECORD), 4),
	      "until it is there again");
	pmb_stop();
	pmb_off();
	lambi_clear();
}

void test_main(void)
{
	unsigned int page;

	pdis_init();
	test_machine();
	test_unprivileged();
	pmb_tables(0);
	if (!pmb_satp_on()) {
		tap_skip("AMB-062", "no translation");
		return;
	}
	pmb_off();
	test_supervisor();
	test_other_modes();
	test_permissions();
	for (page = 0; page < PAGES; page++)
		test_fault(page);
	test_again();
	test_ahead();
	test_fence(0);
	test_fence(1);
}
