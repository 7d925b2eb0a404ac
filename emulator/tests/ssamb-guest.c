// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ssamb: a buffer of a guest's: two stages of translation, guest-page faults.
 * Smpdis/Sspdis: guest physical addresses in records.
 *
 * profile: pdis pdis-memory pdis-slow pdis-rv32
 */
#include "pmb.h"
#include "tap.h"

/* Page 0 of the buffer is at this page of guest memory. */
static void set_up(unsigned int page, unsigned long flags)
{
	pmb_wipe();
	lambi_clear();
	pmb_tables(PMB_GPA_OFFSET);
	pmb_map(0, page, flags);
	pmb_guest_tables();
	pmb_guest_on();
	pdis_envcfg(1, 1);
}

/* The same, but the hypervisor has not mapped it */
static unsigned long set_up_late(void)
{
	set_up(0, 0);
	pmb_map_to(0, PMB_GPA_LATE + PLATFORM_RAM_SPARE - PLATFORM_RAM_BASE, PTE_RW);
	fence_vvma();
	return PMB_GPA_LATE + PLATFORM_RAM_SPARE - PLATFORM_RAM_BASE;
}

static void tear_down(void)
{
	pmb_stop();
	pdis_envcfg(0, 0);
	pmb_off();
	lambi_clear();
}

static void test_two_stages(void)
{
	static const enum rt_mode modes[] = { MODE_S, MODE_U, MODE_VS };
	unsigned int n;

	set_up(2, PTE_RW);
	CHECK("AMB-063", pmb_start(PMB_VA, 0), "TRV becomes 1");
	for (n = 0; n < ARRAY_SIZE(modes); n++) {
		unsigned long *at = pmb_at(2 * PMB_PAGE + n * PDIS_RECORD);

		CHECK("PDIS-ENV-005", pmb_step(modes[n], 3 + n) && pmb_is(at, 3 + n),
		      "PDISV=1: by vsatp and hgatp while %s-mode runs",
		      rt_mode_name[modes[n]]);
		CHECK("AMB-064", pmb_is(at, 3 + n), "whatever runs");
	}
	CHECK("AMB-063", !(pmb_status() & AMB_TF) && !lambi_pending(), "without a fault");
	tear_down();
	set_up(2, PTE_RW | PTE_U);
	CHECK("AMB-068", !pmb_start(PMB_VA, 0) && pmb_wait(AMB_TF),
	      "with VS-mode's privilege");
	tear_down();
}

/* The guest's own fault, and its fence */
static void test_first_stage(void)
{
	struct csr_result r;

	set_up(2, 0);
	pmb_start(PMB_VA, 0);
	CHECK("AMB-065", pmb_wait(AMB_TF) && lambi_wait(),
	      "a page that vsatp does not map: LAMBI");
	pdis_prepare(MODE_VS, PDIS_MEM | PDIS_OF);
	r = pdis_run(MODE_VS, rt_nops, 0, 0);
	CHECK("AMB-065", r.cause == NO_TRAP, "no exception (%ld)", (long)r.cause);
	pmb_map(0, 2, PTE_RW);
	fence_vvma();
	pdis_put(MODE_M, SPDISAMBCS, pmb_status() & ~AMB_TF);
	CHECK("AMB-075", pmb_wait(AMB_TRV) && pmb_step(MODE_VS, 4) &&
	      pmb_is(pmb_at(2 * PMB_PAGE), 4), "TF cleared: it goes on");
	pmb_map(0, 4, PTE_RW);
	fence_vvma();
	pmb_wait(AMB_TRV);
	CHECK("AMB-069", pmb_step(MODE_VS, 5) &&
	      pmb_is(pmb_at(4 * PMB_PAGE + PDIS_RECORD), 5),
	      "HFENCE.VVMA: the new page");
	tear_down();
}

static int is_pseudo(unsigned long insn)
{
	return insn == (__riscv_xlen == 64 ? 0x3000 : 0x2000) ||
	       insn == (__riscv_xlen == 64 ? 0x3020 : 0x2020);
}

static void test_second_stage(void)
{
	unsigned long gpa = set_up_late();
	struct csr_result r;

	CHECK("AMB-066", !pmb_start(PMB_VA, 0),
	      "a page that hgatp does not map: TRV=0");
	CHECK("AMB-066", !(pmb_status() & AMB_TF) && !lambi_pending(),
	      "no LAMBI, TF=0");
	pdis_prepare(MODE_S, PDIS_MEM | PDIS_OF);
	pdis_count(5, 0);
	r = pdis_run(MODE_S, rt_nops, 0, 0);
	CHECK("AMB-078", r.cause == NO_TRAP, "no exception while V=0 (%ld)",
	      (long)r.cause);
	r = rt_try(MODE_VS, rt_nops, 0, 0);
	CHECK("AMB-078", r.cause == CAUSE_GUEST_STORE,
	      "a store guest-page fault when V=1 (%ld)", (long)r.cause);
	CHECK("AMB-066", r.cause == CAUSE_GUEST_STORE && !lambi_pending(),
	      "an exception and no LAMBI");
	CHECK("AMB-066", rt_fault.tval == PMB_VA || !rt_fault.tval,
	      "mtval is %lx", rt_fault.tval);
	if (rt_fault.tval2)
		CHECK("AMB-067", rt_fault.tval2 >> 10 == gpa >> 12 &&
		      is_pseudo(rt_fault.tinst), "mtval2 %lx, mtinst %lx",
		      rt_fault.tval2, rt_fault.tinst);
	else
		tap_skip("AMB-067", "mtval2 is 0");
	pmb_guest_map(1);
	fence_gvma();
	CHECK("AMB-076", pmb_wait(AMB_TRV), "HFENCE.GVMA: translated anew");
	r = rt_try(MODE_VS, rt_nops, 0, 0);
	CHECK("AMB-076", r.cause == NO_TRAP && pmb_step(MODE_VS, 6) &&
	      pmb_is(pmb_at(0), 6), "and it goes on");
	pmb_guest_map(0);
	fence_gvma();
	r = rt_try(MODE_VS, rt_nops, 0, 0);
	CHECK("AMB-069", r.cause == CAUSE_GUEST_STORE && !(pmb_status() & AMB_TRV),
	      "HFENCE.GVMA of no page: a fault (%ld)", (long)r.cause);
	tear_down();
}

/* Dropped or not with EN=0, it is there again with EN=1. */
static void test_reenable(void)
{
	struct csr_result r;

	set_up_late();
	pmb_start(PMB_VA, 0);
	pmb_stop();
	rt_try(MODE_VS, rt_nops, 0, 0);
	pmb_start(PMB_VA, 0);
	r = rt_try(MODE_VS, rt_nops, 0, 0);
	CHECK("AMB-079", r.cause == CAUSE_GUEST_STORE,
	      "enabled again: a guest-page fault (%ld)", (long)r.cause);
	tear_down();
	pmb_guest_map(1);
	r = rt_try(MODE_VS, rt_nops, 0, 0);
	CHECK("AMB-079", r.cause == NO_TRAP, "all off: none (%ld)", (long)r.cause);
}

static void sample(const struct pdis_probe *p, u64 m, u64 vs, struct pdis_record *r)
{
	unsigned long *base = pmb_at(0x10000);

	pdis_envcfg(0, 0);
	if (!pdis_to_registers())
		pmb_start((unsigned long)base, 0);
	pdis_prepare(MODE_VS, pdis_to_registers() ? 0 : PDIS_MEM);
	pdis_put(MODE_M, VSPDISCTL, pdis_get(MODE_M, VSPDISCTL) | vs);
	pdis_put(MODE_M, MPDISCTL, pdis_get(MODE_M, MPDISCTL) | m);
	pdis_count(PROBE_NTH, 0);
	pdis_run(MODE_VS, p->fn, PMB_VA + 0x80, 0);
	if (pdis_to_registers()) {
		unsigned long words[PDIS_WORDS];

		pdis_data(MODE_M, words);
		pdis_decode(words, r);
	} else {
		pdis_decode(base, r);
		pmb_stop();
	}
}

/* pdisadr2 by the two PA bits */
static void check_second(const struct pdis_probe *p, const char *rule, u64 m,
			 u64 vs, unsigned long want)
{
	struct pdis_record r;

	sample(p, m, vs, &r);
	if ((m & ~pdis_core.ctl) | (vs & ~pdis_core.vs) || !r.adr2)
		tap_skip(rule, "not captured");
	else
		CHECK(rule, r.adr2 == want, "%s: mpdisctl.PA=%u, vspdisctl.PA=%u: %lx",
		      p->name, !!m, !!vs, r.adr2);
}

/* A guest's load: virtual, guest physical and physical address all differ. */
static void test_addresses(const char *name)
{
	const struct pdis_probe *p = pdis_probe(name);
	unsigned long pa = (unsigned long)pmb_at(2 * PMB_PAGE + 0x80);
	struct pdis_record r;

	set_up(2, PTE_RW);
	sample(p, 0, 0, &r);
	if (r.pc != probe_pc(p)) {
		tap_skip("PDIS-ADR-011", "another instruction is sampled");
		tear_down();
		return;
	}
	CHECK("PDIS-ADR-014", !r.adr2, "%s: neither PA: %lx", name, r.adr2);
	if (r.adr1)
		CHECK("PDIS-ADR-006", r.adr1 == PMB_VA + 0x80,
		      "%s: the guest's virtual address: %lx", name, r.adr1);
	check_second(p, "PDIS-ADR-013", PDIS_PA, 0, pa);
	check_second(p, "PDIS-ADR-011", 0, PDIS_PA, pa - PMB_GPA_OFFSET);
	check_second(p, "PDIS-CTL-055", 0, PDIS_PA, pa - PMB_GPA_OFFSET);
	check_second(p, "PDIS-ADR-011", PDIS_PA, PDIS_PA, pa - PMB_GPA_OFFSET);
	tear_down();
}

void test_main(void)
{
	pdis_init();
	pmb_tables(PMB_GPA_OFFSET);
	pmb_guest_tables();
	if (!rt_has_h() || !pmb_guest_on()) {
		tap_skip("AMB-063", "no guest translation");
		return;
	}
	pmb_off();
	test_two_stages();
	test_first_stage();
	test_second_stage();
	test_reenable();
	test_addresses("lw");
	test_addresses("sw");
}
