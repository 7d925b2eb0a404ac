// SPDX-License-Identifier: GPL-2.0-only
/*
 * Smctr/Ssctr: the jumps of Zcmp and Zcmt.
 *
 * profile: ctr-zcm ctr-rv32-zcm
 */
#include "ctr.h"
#include "page.h"
#include "tap.h"

#define CSR_JVT		0x017
#define INDEX_JT	3
#define INDEX_JALT	40
#define ENTRIES		(INDEX_JALT + 1)

static unsigned long jump_table[ENTRIES] __attribute((aligned(64)));

/* The stack pointer is in a0, or what should be it. */
CTR_CODE(zcm_popret);
CTR_CODE(zcm_popretz);
CTR_CODE(zcm_jt);
CTR_CODE(zcm_jalt);
extern const char zcm_popret_src[], zcm_popretz_src[], zcm_jt_src[];
extern const char zcm_jalt_src[], zcm_jt_dst[], zcm_jalt_dst[];

static int entry_is(unsigned int x, const char *src, const char *dst,
		    enum ctr_type type)
{
	const struct ctr_xfer want = {
		(unsigned long)src, (unsigned long)dst, type,
	};
	struct ctr_entry e = ctr_get(x);

	return ctr_is(&e, &want);
}

static const u64 mode_bit[MODES] = { CTL_M, CTL_S, CTL_U, CTL_S, CTL_U };

static void run(enum rt_mode mode, rt_fn *fn, u64 filter)
{
	u64 ctl = (mode_bit[mode] | filter) & ctr_core.ctl;

	ctr_control(mode >= MODE_VS ? 0 : ctl, mode >= MODE_VS ? ctl : 0);
	ctr_run(mode, fn, 0, 0);
	ctr_control(0, 0);
}

static void test_types(enum rt_mode mode)
{
	const char *name = rt_mode_name[mode];

	run(mode, zcm_popret, 0);
	CHECK("CTR-TYPE-017", entry_is(1, zcm_popret_src, zcm_popret_jr,
				       TYPE_RETURN),
	      "CM.POPRET in %s-mode is TYPE 13", name);
	run(mode, zcm_popretz, 0);
	CHECK("CTR-TYPE-017", entry_is(1, zcm_popretz_src, zcm_popretz_jr,
				       TYPE_RETURN),
	      "CM.POPRETZ in %s-mode is TYPE 13", name);
	run(mode, zcm_jt, 0);
	CHECK("CTR-TYPE-014", entry_is(2, zcm_jt_src, zcm_jt_dst, TYPE_DIRJMP),
	      "CM.JT in %s-mode is TYPE 11", name);
	run(mode, zcm_jalt, 0);
	CHECK("CTR-TYPE-012", entry_is(2, zcm_jalt_src, zcm_jalt_dst,
				       TYPE_DIRCALL),
	      "CM.JALT in %s-mode is TYPE 9", name);
}

/* Each by the filter of its own TYPE and by no other */
static void test_filters(void)
{
	static const struct {
		rt_fn *fn;
		const char *src;
		u64 filter;
		const char *rule;
	} jumps[] = {
		{ zcm_popret, zcm_popret_src, CTL_RETINH, "CTR-CTL-024" },
		{ zcm_popretz, zcm_popretz_src, CTL_RETINH, "CTR-CTL-024" },
		{ zcm_jt, zcm_jt_src, CTL_DIRJMPINH, "CTR-CTL-022" },
		{ zcm_jalt, zcm_jalt_src, CTL_DIRCALLINH, "CTR-CTL-020" },
	};
	const u64 all = CTL_FILTERS & ~CTL_NTBREN;
	unsigned int n;

	for (n = 0; n < ARRAY_SIZE(jumps); n++) {
		if (!(ctr_core.ctl & jumps[n].filter)) {
			tap_skip(jumps[n].rule, "no such filter");
			continue;
		}
		run(MODE_S, jumps[n].fn, all);
		CHECK(jumps[n].rule, !ctr_valid(), "Zcm jump %u is filtered", n);
		run(MODE_S, jumps[n].fn, all & ~jumps[n].filter);
		CHECK(jumps[n].rule, ctr_valid() && ctr_get(ctr_run_length() - 1).source ==
		      ((unsigned long)jumps[n].src | SOURCE_V),
		      "Zcm jump %u by its own filter only", n);
	}
}

static void test_ras(void)
{
	if (!(ctr_core.ctl & CTL_RASEMU)) {
		tap_skip("CTR-RAS-001", "no RASEMU");
		return;
	}
	run(MODE_S, zcm_jalt, CTL_RASEMU);
	CHECK("CTR-RAS-001", ctr_valid() == 1 &&
	      entry_is(0, zcm_jalt_src, zcm_jalt_dst, TYPE_DIRCALL),
	      "RASEMU: CM.JALT is a call");
	run(MODE_S, zcm_jt, CTL_RASEMU);
	CHECK("CTR-RAS-005", !ctr_valid(), "RASEMU: CM.JT is nothing");
	run(MODE_S, zcm_popret, CTL_RASEMU);
	CHECK("CTR-RAS-002", !ctr_valid() && csr_read(CSR_SCTRSTATUS) ==
	      (STATUS_FROZEN | (ctr_core.depth - 1)),
	      "RASEMU: CM.POPRET is a return");
}

/* Where neither loads nor fetches work, the jump faults, and is none. */
static void test_faults(void)
{
	static const struct {
		rt_fn *fn;
		const char *src, *jr, *name;
	} jumps[] = {
		{ zcm_popret, zcm_popret_src, zcm_popret_jr, "CM.POPRET" },
		{ zcm_popretz, zcm_popretz_src, zcm_popretz_jr, "CM.POPRETZ" },
		{ zcm_jt, zcm_jt_src, zcm_jt_jr, "CM.JT" },
		{ zcm_jalt, zcm_jalt_src, zcm_jalt_jr, "CM.JALT" },
	};
	unsigned long up = page_on(PTE_RW | PTE_X, 0);
	struct ctr_entry e;
	unsigned int n, x, wrong;

	if (!up) {
		tap_skip("CTR-BEH-004", "no Sv39 or Sv32");
		return;
	}
	csr_put(MODE_M, CSR_JVT, (unsigned long)jump_table + up);
	for (n = 0; n < ARRAY_SIZE(jumps); n++) {
		ctr_control(CTL_S | CTL_M, 0);
		ctr_seen.cause = 0;
		ctr_seen.step = (unsigned long)(jumps[n].jr - jumps[n].src);
		ctr_mtvec = ctr_vec_m;
		ctr_run(MODE_S, jumps[n].fn, (unsigned long)jump_table + up, 0);
		ctr_mtvec = ctr_vec_leave;
		ctr_control(0, 0);
		for (x = wrong = 0; x < ctr_run_length(); x++) {
			e = ctr_get(x);
			wrong += e.source == ((unsigned long)jumps[n].src |
					      SOURCE_V) &&
				 e.target != (unsigned long)ctr_vec_m;
		}
		CHECK("CTR-BEH-004", ctr_seen.cause &&
		      ctr_seen.epc == (unsigned long)jumps[n].src && !wrong,
		      "%s that faults is not recorded", jumps[n].name);
	}
	page_off();
}

void test_main(void)
{
	int m;

	ctr_init();
	jump_table[INDEX_JT] = (unsigned long)zcm_jt_dst;
	jump_table[INDEX_JALT] = (unsigned long)zcm_jalt_dst;
	csr_put(MODE_M, CSR_JVT, (unsigned long)jump_table);
	for (m = MODE_M; m < (rt_has_h() ? MODES : MODE_VS); m++)
		test_types(m);
	test_filters();
	test_ras();
	test_faults();
}
