// SPDX-License-Identifier: GPL-2.0-only
/*
 * Smpdis/Sspdis: what COUNT counts, in which modes, when it overflows, what it
 * is reloaded with, and which instruction is sampled then.
 *
 * profile: pdis pdis-memory pdis-regs pdis-noh pdis-rv32
 */
#include "page.h"
#include "pdis.h"
#include "tap.h"

/* With the return, and what leads back to M-mode: it traps, but is decoded. */
#define DECODED(n)	((n) + 1 + RT_LEAVE_INSNS + 1)

static int about(u32 count, u32 want)
{
	return count - want <= PLATFORM_PDIS_WINDOW;
}

static u32 counted(enum rt_mode mode, rt_fn *fn, unsigned long a0)
{
	pdis_run(mode, fn, a0, 0);
	return pdis_count_get();
}

static int last_mode(void)
{
	return rt_has_h() ? MODE_VU : MODE_U;
}

static const char *const mode_rule[MODES] = {
	"PDIS-CTL-024", "PDIS-CTL-023", "PDIS-CTL-022", "PDIS-CTL-052",
	"PDIS-CTL-053",
};

/* Each set of the enables but M, in each mode */
static void test_modes(void)
{
	unsigned int set, sets = rt_has_h() ? 16 : 4;
	int mode;

	for (mode = MODE_S; mode <= last_mode(); mode++) {
		u32 missed = 0, leaked = 0;

		for (set = 0; set < sets; set++) {
			u32 n;

			pdis_prepare(MODE_M, 0);
			if (rt_has_h())
				pdis_put(MODE_M, VSPDISCTL,
					 (set & 4 ? PDIS_S : 0) |
					 (set & 8 ? PDIS_U : 0));
			pdis_put(MODE_M, MPDISCTL, (set & 1 ? PDIS_S : 0) |
				 (set & 2 ? PDIS_U : 0));
			pdis_count(0, 0);
			n = counted(mode, rt_nops, 0);
			if (set >> (mode - MODE_S) & 1)
				missed |= !about(n, DECODED(RT_NOPS)) << set;
			else
				leaked |= !!n << set;
		}
		CHECK(mode_rule[mode], !missed,
		      "%s-mode counts if enabled (wrong sets: %x)",
		      rt_mode_name[mode], missed);
		CHECK(mode_rule[mode], !leaked,
		      "%s-mode does not count if not enabled (wrong sets: %x)",
		      rt_mode_name[mode], leaked);
		CHECK("PDIS-CTL-054", !missed && !leaked,
		      "%s-mode has its own enable", rt_mode_name[mode]);
	}
}

static void test_machine_mode(void)
{
	u32 n;

	pdis_prepare(MODE_M, 0);
	pdis_count(0, 0);
	n = counted(MODE_M, rt_nops, 0);
	CHECK("PDIS-CTL-024", n >= RT_NOPS && n < 8 * RT_NOPS,
	      "M=1: M-mode counts (%u)", n);
	pdis_prepare(MODE_S, 0);
	pdis_count(0, 0);
	n = counted(MODE_M, rt_nops, 0);
	CHECK("PDIS-CTL-024", !n, "M=0: M-mode does not count (%u)", n);
	n = counted(MODE_S, rt_nops, 0);
	CHECK("PDIS-CNT-003", about(n, DECODED(RT_NOPS)),
	      "one for each decoded instruction (%u)", n);
}

/* Access is another matter than counting. */
static void test_stateen(void)
{
	u32 n;

	pdis_prepare(MODE_S, 0);
	pdis_count(0, 0);
	pdis_stateen(0, 0);
	n = counted(MODE_S, rt_nops, 0);
	CHECK("PDIS-SE-003", about(n, DECODED(RT_NOPS)),
	      "mstateen0.PDIS=0: S-mode is counted (%u)", n);
	if (rt_has_h()) {
		pdis_prepare(MODE_VS, 0);
		pdis_stateen(1, 0);
		pdis_count(0, 0);
		n = counted(MODE_VS, rt_nops, 0);
		CHECK("PDIS-SE-009", about(n, DECODED(RT_NOPS)),
		      "hstateen0.PDIS=0: VS-mode is counted (%u)", n);
	}
	pdis_stateen(1, 1);
}

static void test_sample_stateen(void)
{
	struct pdis_record r;
	int there;

	pdis_stateen(0, 0);
	there = pdis_sample(MODE_S, 0, 10, rt_nops, 0, &r);
	CHECK("PDIS-SE-003", there && pdis_near(r.pc, rt_nops, 9),
	      "mstateen0.PDIS=0: S-mode is sampled");
	if (rt_has_h()) {
		pdis_stateen(1, 0);
		there = pdis_sample(MODE_VU, 0, 10, rt_nops, 0, &r);
		CHECK("PDIS-SE-009", there && pdis_near(r.pc, rt_nops, 9),
		      "hstateen0.PDIS=0: VU-mode is sampled");
	}
	pdis_stateen(1, 1);
}

static void test_inhibit(void)
{
	struct csr_result r;
	u32 n;

	pdis_prepare(MODE_S, 0);
	pdis_count(10, 0);
	r = rt_try(MODE_S, rt_nops, 0, 0);
	n = pdis_count_get();
	CHECK("PDIS-CNT-005", r.cause == NO_TRAP && n == (u32)-10,
	      "mcountinhibit[1]=1: COUNT stands still (%x)", n);
	CHECK("PDIS-CNT-005", !pdis_of() && !lcofi_pending(),
	      "and nothing is sampled");
}

/* A sample here and there in a line: the n-th instruction */
static void test_place(void)
{
	static const u32 nth[] = { 1, 2, 3, 17, 64, 200 };
	struct pdis_record r;
	unsigned int i;
	int mode, there;

	for (mode = MODE_S; mode <= last_mode(); mode++)
		for (i = 0; i < ARRAY_SIZE(nth); i++) {
			there = pdis_sample(mode, 0, nth[i], rt_nops, 0, &r);
			CHECK("PDIS-SEL-001", there,
			      "%s-mode: COUNT=-%u leads to a sample",
			      rt_mode_name[mode], nth[i]);
			CHECK("PDIS-SEL-007", pdis_near(r.pc, rt_nops, nth[i] - 1),
			      "of that instruction (%lx, code at %lx)", r.pc,
			      (unsigned long)rt_nops);
		}
}

static void test_overflow(void)
{
	struct pdis_record r;
	u32 n, all = DECODED(RT_NOPS);
	u64 v;

	pdis_prepare(MODE_S, 0);
	pdis_put(MODE_M, SPDISCOUNTER, PDIS_INITVAL(0x80001000) | 0x7ffffff0);
	n = counted(MODE_S, rt_nops, 0);
	CHECK("PDIS-CNT-006", about(n, 0x7ffffff0 + all) && !pdis_of(),
	      "bit 31 from 0 to 1 is no overflow (%x)", n);
	pdis_sample(MODE_S, 0, 10, rt_nops, 0, &r);
	n = pdis_count_get();
	CHECK("PDIS-CNT-007", about(n + PLATFORM_PDIS_SKID, all - 10),
	      "COUNT goes on from INITVAL=0 (%u)", n);
	pdis_prepare(MODE_S, 0);
	pdis_count(10, 0x80001000);
	n = counted(MODE_S, rt_nops, 0);
	v = pdis_get(MODE_M, SPDISCOUNTER);
	CHECK("PDIS-CNT-007", about(n + PLATFORM_PDIS_SKID, 0x80001000 + all - 10),
	      "COUNT goes on from INITVAL=80001000 (%x)", n);
	CHECK("PDIS-CNT-009", v >> 32 == 0x80001000, "INITVAL stays (%llx)", v);
}

/* Instructions that trap are decoded, so the next one is one further. */
static void test_trapping(void)
{
	static const char *const names[] = { "nop", "ecall", "ebreak", "illegal" };
	struct pdis_record r;
	unsigned int i;
	int there;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		const struct pdis_probe *p = pdis_probe(names[i]);

		there = pdis_sample(MODE_S, 0, PROBE_NTH + 1, p->fn,
				    probe_arg(p), &r);
		CHECK("PDIS-CNT-004", there &&
		      pdis_near(r.pc, p->fn, PROBE_AT / 4 + 1),
		      "%s counts (next is %lx, sampled %lx)", p->name,
		      probe_pc(p) + 4, r.pc);
	}
}

static int type_matches(const struct pdis_probe *p, unsigned int sel)
{
	static const unsigned char match[] = {
		[SEL_ALL] = 0x1f, [SEL_LOAD] = 0x0a, [SEL_STORE] = 0x0c,
		[SEL_LDST] = 0x0e, [SEL_CTI] = 0x10,
	};

	return match[sel] >> p->type & 1;
}

static const char *const sel_rule[] = {
	"PDIS-CTL-025", "PDIS-CTL-026", "PDIS-CTL-027", "PDIS-CTL-028",
	"PDIS-CTL-029",
};

/* The first match: the probe itself, or something later if it is none. */
static void test_select(const struct pdis_probe *p, unsigned int sel)
{
	u32 n = sel == SEL_ALL ? PROBE_NTH : 1;
	int match = type_matches(p, sel);
	enum rt_mode mode = probe_mode(p, MODE_U);
	struct pdis_record r;
	int there = pdis_sample(mode, sel, n, p->fn, probe_arg(p), &r);
	int hit = there && r.pc == probe_pc(p);

	if (match && PLATFORM_PDIS_SKID && !hit)
		return;
	CHECK(!match && p->kind == PROBE_TRAP && sel == SEL_CTI ?
	      "PDIS-CTL-030" : sel_rule[sel], hit == match,
	      "SEL=%u %s %s (sampled %lx)", sel, match ? "matches" : "does not match",
	      p->name, there ? r.pc : 0);
	if (!there)
		return;
	p = &(const struct pdis_probe){ .type = r.hdr & HDR_TYPE };
	CHECK("PDIS-CTL-032", type_matches(p, sel), "and sampled is one of that type");
}

static void test_selects(void)
{
	unsigned int i, sel;

	for (sel = SEL_ALL; sel <= SEL_CTI; sel++) {
		pdis_put(MODE_M, MPDISCTL, sel);
		if ((pdis_get(MODE_M, MPDISCTL) & PDIS_SEL) != sel) {
			tap_skip(sel_rule[sel], "SEL is hardwired");
			continue;
		}
		for (i = 0; i < pdis_nprobes; i++)
			test_select(&pdis_probes[i], sel);
	}
}

/* The high halves of RV32, by what comes of them */
static void test_halves(void)
{
	u32 n;

	if (__riscv_xlen != 32)
		return;
	pdis_prepare(MODE_S, 0);
	pdis_count(10, 0);
	csr_put(MODE_M, pdis_csr[SPDISCOUNTER].hi, 0x80001000);
	n = counted(MODE_S, rt_nops, 0);
	CHECK("PDIS-CNT-002", about(n + PLATFORM_PDIS_SKID, 0x80001000 +
				    DECODED(RT_NOPS) - 10),
	      "spdiscounterh is what COUNT goes on from (%x)", n);
	if (!rt_has_h())
		return;
	pdis_prepare(MODE_M, 0);
	csr_put(MODE_M, pdis_csr[MPDISCTL].hi, 0);
	csr_put(MODE_M, pdis_csr[VSPDISCTL].hi, PDIS_S >> 32);
	pdis_count(0, 0);
	n = counted(MODE_VS, rt_nops, 0);
	CHECK("PDIS-CTL-050", about(n, DECODED(RT_NOPS)),
	      "vspdisctlh.S: VS-mode counts (%u)", n);
	CHECK("PDIS-CTL-050", counted(MODE_S, rt_nops, 0) == n,
	      "and S-mode does not");
	CHECK("PDIS-CTL-050", csr_get(MODE_VS, pdis_csr[SPDISCTL].hi) ==
	      PDIS_S >> 32 && !csr_get(MODE_M, pdis_csr[MPDISCTL].hi),
	      "it is the guest's spdisctlh, not mpdisctlh");
	pdis_put(MODE_M, VSPDISCTL, 0);
}

/* Page-table walks and fetches */
static void test_implicit(void)
{
	u32 n;

	if (!page_on(PTE_RW | PTE_X, 0)) {
		tap_skip("PDIS-CTL-031", "no translation");
		return;
	}
	pdis_prepare(MODE_S, SEL_LDST);
	pdis_count(0, 0);
	n = counted(MODE_S, pdis_line, 0);
	CHECK("PDIS-CTL-031", n <= PLATFORM_PDIS_WINDOW && n < PDIS_LINE / 32,
	      "fetches and walks are no loads (%u)", n);
	page_off();
}

void test_main(void)
{
	pdis_init();
	test_modes();
	test_machine_mode();
	test_stateen();
	test_sample_stateen();
	test_inhibit();
	test_place();
	test_overflow();
	test_trapping();
	test_selects();
	test_implicit();
	test_halves();
}
