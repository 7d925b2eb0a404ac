// SPDX-License-Identifier: GPL-2.0-only
/*
 * Smctr/Ssctr: who may access what. mstateen0 and hstateen0, bits 54 and 60, by
 * mode, by register, by operation.
 *
 * profile: ctr ctr-smctr ctr-noh ctr-rv32
 */
#include "indirect.h"
#include "ctr.h"
#include "tap.h"

#if __riscv_xlen == 64
#define CTR		BIT(STATEEN_CTR_BIT)
#define CSRIND		BIT(STATEEN_CSRIND_BIT)
#define MSTATEEN	CSR_MSTATEEN0
#define HSTATEEN	CSR_HSTATEEN0
#else
#define CTR		BIT(STATEEN_CTR_BIT - 32)
#define CSRIND		BIT(STATEEN_CSRIND_BIT - 32)
#define MSTATEEN	CSR_MSTATEEN0H
#define HSTATEEN	CSR_HSTATEEN0H
#endif

/* The four bits */
struct gates {
	int m, mi;	/* mstateen0.CTR, mstateen0[60] */
	int h, hi;	/* hstateen0.CTR, hstateen0[60] */
};

static void set_gates(const struct gates *g)
{
	csr_put(MODE_M, MSTATEEN, ~0UL);
	if (rt_has_h())
		csr_put(MODE_M, HSTATEEN, ~((g->h ? 0 : CTR) |
					    (g->hi ? 0 : CSRIND)));
	csr_put(MODE_M, MSTATEEN, ~((g->m ? 0 : CTR) | (g->mi ? 0 : CSRIND)));
}

enum access { SCTRCTL, VSCTRCTL, SCTRSTATUS, SCTRDEPTH, SIREG, VSIREG, CLEAR,
	      ACCESSES };

static const char *const name[ACCESSES] = {
	"sctrctl", "vsctrctl", "sctrstatus", "sctrdepth", "sireg*", "vsireg*",
	"SCTRCLR",
};

static const u32 csr_of[ACCESSES] = {
	CSR_SCTRCTL, CSR_VSCTRCTL, CSR_SCTRSTATUS, CSR_SCTRDEPTH,
};

static int all_ops(enum rt_mode mode, u32 csr, unsigned long cause)
{
	return csr_cause(mode, OP_READ, csr, 0) == cause &&
	       csr_cause(mode, OP_SWAP, csr, 0) == cause &&
	       csr_cause(mode, OP_SET, csr, 0) == cause &&
	       csr_cause(mode, OP_CLEAR, csr, 0) == cause;
}

static int all_regs(enum rt_mode mode, const u32 *regs, unsigned long cause)
{
	static const u32 at[] = { 0x200, 0x20f, 0x2ff };
	unsigned int n, r;
	int ok = 1;

	for (n = 0; n < ARRAY_SIZE(at); n++) {
		csr_put(MODE_M, CSR_SISELECT, at[n]);
		if (rt_has_h())
			csr_put(MODE_M, CSR_VSISELECT, at[n]);
		for (r = 0; r < SIREGS; r++)
			ok &= all_ops(mode, regs[r], cause);
	}
	return ok;
}

static int outcome_is(enum rt_mode mode, enum access a, unsigned long cause)
{
	csr_write(CSR_SCTRSTATUS, STATUS_FROZEN);
	if (a == SIREG)
		return all_regs(mode, sireg_csr, cause);
	if (a == VSIREG)
		return all_regs(mode, vsireg_csr, cause);
	if (a == CLEAR)
		return rt_try(mode, ctr_clear_insn, 0, 0).cause == cause;
	return all_ops(mode, csr_of[a], cause);
}

/*
 * What Sscsrind and the privileged specification have for registers that are
 * selected, before CTR has a say; NO_TRAP for nothing
 */
static unsigned long sscsrind(const struct gates *g, enum rt_mode mode,
			      enum access a)
{
	if (mode == MODE_U)
		return CAUSE_ILLEGAL;
	if (!g->mi)
		return CAUSE_ILLEGAL;
	if (mode == MODE_VU)
		return CAUSE_VIRTUAL;
	if (mode == MODE_VS && (a == VSIREG || !g->hi))
		return CAUSE_VIRTUAL;
	return NO_TRAP;
}

static unsigned long expected(const struct gates *g, enum rt_mode mode,
			      enum access a)
{
	unsigned long cause;

	if (mode == MODE_M)
		return NO_TRAP;
	if (a == SIREG || a == VSIREG) {
		cause = sscsrind(g, mode, a);
		if (cause != NO_TRAP)
			return cause;
	}
	if (!g->m || mode == MODE_U)
		return CAUSE_ILLEGAL;
	if (mode == MODE_S)
		return NO_TRAP;
	if (mode == MODE_VU || a == VSCTRCTL || a == SCTRDEPTH || !g->h)
		return CAUSE_VIRTUAL;
	return NO_TRAP;
}

/* The rule that makes it so */
static const char *rule_of(const struct gates *g, enum rt_mode mode,
			   enum access a)
{
	if (mode != MODE_M && (a == SIREG || a == VSIREG) &&
	    (!g->mi || (!g->hi && mode == MODE_VS)))
		return "CTR-SE-014";
	if (!g->m && mode != MODE_M) {
		if (a == SIREG)
			return "CTR-SE-004";
		if (a == VSIREG)
			return "CTR-SE-005";
		if (a == SCTRDEPTH && mode >= MODE_VS)
			return "CTR-DEPTH-008";
		if (a == CLEAR)
			return mode == MODE_VU ? "CTR-CLR-007" : "CTR-SE-006";
		return "CTR-SE-003";
	}
	if (a == SCTRDEPTH && mode >= MODE_VS)
		return "CTR-DEPTH-007";
	if (a == CLEAR && mode == MODE_U)
		return "CTR-CLR-006";
	if (a == CLEAR && mode == MODE_VU)
		return "CTR-CLR-007";
	if (a == CLEAR && expected(g, mode, a) == NO_TRAP)
		return "CTR-CLR-008";
	if (mode != MODE_VS)
		return "CTR-SE-002";
	if (g->h)
		return "CTR-SE-012";
	if (a == CLEAR)
		return "CTR-SE-011";
	return a == VSCTRCTL || a == VSIREG ? "CTR-SE-009" : "CTR-SE-010";
}

static void test_access(const struct gates *g, enum rt_mode mode)
{
	unsigned int a;

	for (a = 0; a < ACCESSES; a++) {
		if ((a == VSCTRCTL || a == VSIREG) && !rt_has_h())
			continue;
		CHECK(rule_of(g, mode, a),
		      outcome_is(mode, a, expected(g, mode, a)),
		      "m=%d m60=%d h=%d h60=%d: %s in %s-mode: %ld", g->m,
		      g->mi, g->h, g->hi, name[a], rt_mode_name[mode],
		      (long)expected(g, mode, a));
	}
}

static void test_matrix(void)
{
	unsigned int n, m, guest = rt_has_h();
	struct gates g;

	for (n = 0; n < (guest ? 16 : 4); n++) {
		g.m = n & 1;
		g.mi = n >> 1 & 1;
		g.h = n >> 2 & 1;
		g.hi = n >> 3 & 1;
		set_gates(&g);
		for (m = MODE_M; m < (guest ? MODES : MODE_VS); m++)
			test_access(&g, m);
	}
}

/* What is not at the select values of CTR is none of its business. */
static void test_others(void)
{
	static const struct gates off = { .mi = 1, .hi = 1 };

	set_gates(&off);
	CHECK("CTR-SE-004", csr_cause(MODE_S, OP_READ, CSR_SISELECT, 0) == NO_TRAP,
	      "m=0: siselect itself remains accessible");
	csr_put(MODE_M, CSR_SISELECT, 0x1ff);
	CHECK("CTR-SE-004", csr_cause(MODE_M, OP_READ, CSR_SIREG, 0) ==
	      csr_cause(MODE_S, OP_READ, CSR_SIREG, 0),
	      "m=0: 0x1ff is as in M-mode");
}

static void test_bits(void)
{
	unsigned long got;

	csr_put(MODE_M, MSTATEEN, ~0UL);
	CHECK("CTR-SE-001", csr_get(MODE_M, MSTATEEN) & CTR,
	      "mstateen0 bit 54 can be set");
	csr_put(MODE_M, MSTATEEN, ~CTR);
	CHECK("CTR-SE-001", !(csr_get(MODE_M, MSTATEEN) & CTR),
	      "and cleared");
	if (!rt_has_h())
		return;
	csr_put(MODE_M, MSTATEEN, ~0UL);
	csr_put(MODE_M, HSTATEEN, ~0UL);
	CHECK("CTR-SE-001", csr_get(MODE_S, HSTATEEN) & CTR,
	      "hstateen0 bit 54 can be set");
	csr_put(MODE_M, MSTATEEN, ~CTR);
	CHECK("CTR-SE-008", !(csr_get(MODE_M, HSTATEEN) & CTR) &&
	      !(csr_get(MODE_S, HSTATEEN) & CTR),
	      "hstateen0.CTR reads 0 with mstateen0.CTR=0");
	csr_put(MODE_S, HSTATEEN, 0);
	csr_put(MODE_S, HSTATEEN, ~0UL);
	got = csr_get(MODE_M, HSTATEEN);
	CHECK("CTR-SE-008", !(got & CTR), "it is read-only then");
	csr_put(MODE_M, MSTATEEN, ~0UL);
	csr_put(MODE_S, HSTATEEN, ~CTR);
	CHECK("CTR-SE-001", !(csr_get(MODE_S, HSTATEEN) & CTR),
	      "hstateen0 bit 54 can be cleared");
}

/* hstateen0 says nothing about HS-mode. */
static int records(enum rt_mode mode)
{
	struct ctr_model t;
	unsigned int n;

	if (mode >= MODE_VS)
		model_start(&t, 0, CTL_S | CTL_U);
	else
		model_start(&t, CTL_S | CTL_U, 0);
	model_enter(&t, mode, ctr_jumps);
	for (n = 0; n < CTR_JUMPS; n++)
		model_jump(&t, mode, &ctr_jumps_xfers[n]);
	model_leave(&t, mode, ctr_jumps_jr);
	return model_run(&t, mode, ctr_jumps, 0, 0) &&
	       (ctr_seen.status_end & STATUS_WRPTR) == t.n % ctr_core.depth;
}

static void test_recording(void)
{
	static const struct gates m_off = { .h = 1, .mi = 1, .hi = 1 };
	static const struct gates h_off = { .m = 1, .mi = 1, .hi = 1 };
	static const struct gates all_off;
	int m, guest = rt_has_h();

	for (m = MODE_S; m < (guest ? MODES : MODE_VS); m++) {
		set_gates(&m_off);
		CHECK("CTR-SE-007", records(m),
		      "mstateen0.CTR=0: %s-mode is recorded", rt_mode_name[m]);
		set_gates(&all_off);
		CHECK("CTR-SE-007", records(m),
		      "bits 60 being 0, too: %s-mode is recorded",
		      rt_mode_name[m]);
		if (m < MODE_VS)
			continue;
		set_gates(&h_off);
		CHECK("CTR-SE-013", records(m),
		      "hstateen0.CTR=0: %s-mode is recorded", rt_mode_name[m]);
	}
}

void test_main(void)
{
	static const struct gates all = { 1, 1, 1, 1 };

	if (!csr_exists(MSTATEEN))
		tap_bail("no Smstateen");
	ctr_init();
	test_bits();
	test_matrix();
	test_others();
	test_recording();
	set_gates(&all);
}
