// SPDX-License-Identifier: GPL-2.0-only
/*
 * Smctr/Ssctr: mctrctl, sctrctl and vsctrctl as registers.
 *
 * profile: ctr ctr-min ctr-some ctr-noh ctr-custom ctr-rv32
 */
#include "ctr.h"
#include "tap.h"

#define MISA_S	BIT(18)
#define MISA_H	BIT(7)

/* In sctrctl, and in vsctrctl */
#define SEEN_S	(~CTL_M_ONLY)

static u64 put_get(enum rt_mode mode, u32 csr, u64 val)
{
	csr_put(mode, csr, (unsigned long)val);
	return csr_get(mode, csr);
}

static void test_presence(void)
{
	static const u32 csrs[] = {
		CSR_SISELECT, CSR_SIREG, CSR_SIREG2, CSR_SIREG3, CSR_SIREG4,
		CSR_SIREG5, CSR_SIREG6,
	};
	unsigned int n, missing = 0;

	csr_put(MODE_M, CSR_SISELECT, SELECT_CTR(0));
	for (n = 0; n < ARRAY_SIZE(csrs); n++)
		missing |= (csr_cause(MODE_S, OP_READ, csrs[n], 0) != NO_TRAP) << n;
	CHECK("CTR-GEN-001", csr_read(CSR_MISA) & MISA_S, "there is S-mode");
	CHECK("CTR-GEN-001", !missing, "siselect, sireg* exist (missing: %x)",
	      missing);
	CHECK("CTR-CTL-004", csr_exists(CSR_VSCTRCTL) ==
	      !!(csr_read(CSR_MISA) & MISA_H), "vsctrctl if and only if H");
}

/* Every operation, by values that have a bit to set and one to clear */
static int is_register(enum rt_mode mode, u32 csr)
{
	u64 a = put_get(mode, csr, CTL_U | CTL_BPFRZ), old;
	int ok = a == (CTL_U | CTL_BPFRZ);

	old = csr_try(mode, OP_SET, csr, CTL_S).value;
	ok &= old == (CTL_U | CTL_BPFRZ);
	old = csr_try(mode, OP_CLEAR, csr, CTL_U).value;
	ok &= old == (CTL_U | CTL_S | CTL_BPFRZ);
	old = csr_try(mode, OP_SWAP, csr, 0).value;
	ok &= old == (CTL_S | CTL_BPFRZ);
	return ok && csr_get(mode, csr) == 0;
}

static void test_mctrctl(void)
{
	static const u64 always[] = { CTL_M, CTL_S, CTL_U, CTL_BPFRZ };
	unsigned int n, wrong = 0;
	u64 one, got;
	int m;

	CHECK("CTR-CTL-001", is_register(MODE_M, CSR_MCTRCTL),
	      "mctrctl can be read, written, set and cleared in M-mode");
	for (m = MODE_S; m < (rt_has_h() ? MODES : MODE_VS); m++)
		CHECK("CTR-CTL-001", csr_cause(m, OP_READ, CSR_MCTRCTL, 0) ==
		      CAUSE_ILLEGAL && csr_cause(m, OP_SWAP, CSR_MCTRCTL, 0) ==
		      CAUSE_ILLEGAL, "mctrctl is not for %s-mode",
		      rt_mode_name[m]);
	CHECK("CTR-CTL-029", !(ctr_core.ctl & CTL_WPRI),
	      "mctrctl: undefined bits are 0 after ones were written");
	for (n = 0; n < ARRAY_SIZE(always); n++)
		wrong |= (put_get(MODE_M, CSR_MCTRCTL, always[n]) !=
			  always[n]) << n;
	CHECK("CTR-CTL-030", !wrong,
	      "M, S, U, BPFRZ can be set alone (wrong: %x)", wrong);
	wrong = 0;
	for (n = 0; n < 60 && n < __riscv_xlen; n++) {
		one = put_get(MODE_M, CSR_MCTRCTL, BIT64(n));
		got = put_get(MODE_M, CSR_MCTRCTL, ~BIT64(n) & ~CTL_CUSTOM);
		wrong += one != (ctr_core.ctl & BIT64(n)) || got & BIT64(n);
	}
	CHECK("CTR-CTL-031", !wrong,
	      "each field is writable or read-only 0 (wrong: %u)", wrong);
	if (csr_exists(CSR_SCOUNTOVF))
		CHECK("CTR-CTL-032", ctr_core.ctl & CTL_LCOFIFRZ,
		      "Sscofpmf: LCOFIFRZ is writable");
	else
		tap_skip("CTR-CTL-032", "no Sscofpmf");
	csr_write(CSR_MCTRCTL, 0);
}

/* One register seen twice, without M and MTE */
static void test_sctrctl(void)
{
	u64 all = ctr_core.ctl & ~CTL_CUSTOM, s = all & SEEN_S, got;

	csr_put(MODE_M, CSR_MCTRCTL, (unsigned long)all);
	CHECK("CTR-CTL-002", csr_get(MODE_S, CSR_SCTRCTL) == s,
	      "mctrctl written: sctrctl is the same less M, MTE");
	CHECK("CTR-CTL-003", !(csr_get(MODE_M, CSR_SCTRCTL) & CTL_M_ONLY),
	      "M and MTE read 0 in sctrctl, in M-mode too");
	csr_put(MODE_S, CSR_SCTRCTL, 0);
	CHECK("CTR-CTL-003", csr_get(MODE_M, CSR_MCTRCTL) == (all & CTL_M_ONLY),
	      "sctrctl=0 leaves M and MTE in mctrctl, clears the rest");
	csr_put(MODE_M, CSR_MCTRCTL, 0);
	csr_put(MODE_S, CSR_SCTRCTL, (unsigned long)all);
	CHECK("CTR-CTL-003", csr_get(MODE_M, CSR_MCTRCTL) == s,
	      "ones to sctrctl do not reach M and MTE");
	CHECK("CTR-GEN-002", csr_get(MODE_S, CSR_SCTRCTL) == s,
	      "all else is S-mode's as it is M-mode's");
	csr_put(MODE_M, CSR_MCTRCTL, (unsigned long)(all & CTL_M_ONLY));
	got = csr_try(MODE_S, OP_SET, CSR_SCTRCTL, CTL_U).value;
	CHECK("CTR-CTL-002", got == 0 && csr_get(MODE_M, CSR_MCTRCTL) ==
	      ((all & CTL_M_ONLY) | CTL_U), "csrrs on sctrctl");
	got = csr_try(MODE_S, OP_CLEAR, CSR_SCTRCTL, ~0UL).value;
	CHECK("CTR-CTL-002", got == CTL_U && csr_get(MODE_M, CSR_MCTRCTL) ==
	      (all & CTL_M_ONLY), "csrrc on sctrctl");
	csr_write(CSR_MCTRCTL, 0);
	CHECK("CTR-CTL-002", is_register(MODE_S, CSR_SCTRCTL),
	      "sctrctl can be read, written, set and cleared in S-mode");
}

static void test_vsctrctl(void)
{
	u64 s = ctr_core.ctl & SEEN_S & ~CTL_CUSTOM, got;

	if (!rt_has_h())
		return;
	CHECK("CTR-CTL-004", is_register(MODE_S, CSR_VSCTRCTL) &&
	      is_register(MODE_M, CSR_VSCTRCTL),
	      "vsctrctl can be read and written in M- and HS-mode");
	CHECK("CTR-CTL-005", is_register(MODE_VS, CSR_SCTRCTL),
	      "sctrctl can be read and written in VS-mode");
	got = put_get(MODE_M, CSR_VSCTRCTL, ~CTL_CUSTOM);
	CHECK("CTR-CTL-038", !(got & (CTL_WPRI | CTL_M_ONLY)),
	      "vsctrctl: undefined bits, M and MTE are 0");
	CHECK("CTR-CTL-039", got == s, "vsctrctl implements what sctrctl does");
	csr_put(MODE_M, CSR_VSCTRCTL, 0);
	csr_put(MODE_M, CSR_MCTRCTL, (unsigned long)s);
	CHECK("CTR-CTL-005", csr_get(MODE_VS, CSR_SCTRCTL) == 0,
	      "VS-mode does not see sctrctl");
	csr_put(MODE_VS, CSR_SCTRCTL, CTL_U | CTL_BPFRZ);
	CHECK("CTR-CTL-005", csr_get(MODE_S, CSR_VSCTRCTL) ==
	      (CTL_U | CTL_BPFRZ), "what VS-mode writes is in vsctrctl");
	CHECK("CTR-CTL-040", csr_get(MODE_M, CSR_MCTRCTL) == s,
	      "and does not change sctrctl");
	csr_put(MODE_S, CSR_SCTRCTL, 0);
	CHECK("CTR-CTL-040", csr_get(MODE_VS, CSR_SCTRCTL) ==
	      (CTL_U | CTL_BPFRZ), "nor the other way round");
	csr_put(MODE_M, CSR_VSCTRCTL, 0);
}

/* All three or none */
static void test_external(void)
{
	int n = !!(ctr_core.ctl & CTL_MTE) + !!(ctr_core.ctl & CTL_STE);

	if (rt_has_h())
		n += !!(put_get(MODE_M, CSR_VSCTRCTL, CTL_STE) & CTL_STE);
	CHECK("CTR-EXT-012", !n || n == 2 + rt_has_h(),
	      "MTE and both STE exist together");
	ctr_control(0, 0);
}

/* All kinds of jumps, by what these controls stand for; run with others. */
static int jumps_hold(enum rt_mode mode, u64 like, u64 m, u64 vs)
{
	struct ctr_model t;
	unsigned int n;

	model_start(&t, CTL_S | like, CTL_S | like);
	model_enter(&t, mode, ctr_jumps);
	for (n = 0; n < CTR_JUMPS; n++)
		model_jump(&t, mode, &ctr_jumps_xfers[n]);
	model_leave(&t, mode, ctr_jumps_jr);
	t.m = CTL_S | m;
	t.vs = CTL_S | vs;
	return model_run(&t, mode, ctr_jumps, 0, 0);
}

static u32 custom_status(u64 ctl)
{
	csr_write(CSR_MCTRCTL, (unsigned long)ctl);
	return csr_read(CSR_SCTRSTATUS) & ~(STATUS_FROZEN | STATUS_WRPTR);
}

/* The extension shows where it is switched on, and nowhere else. */
static void test_custom_extension(void)
{
	const u64 on = PLATFORM_CTR_CUSTOM, like = PLATFORM_CTR_CUSTOM_FILTER;

	CHECK("CTR-CUST-001", jumps_hold(MODE_S, like, on, 0),
	      "Custom=%llx: the extension takes effect", on >> 60);
	CHECK("CTR-CUST-001", jumps_hold(MODE_S, 0, 0, on),
	      "Custom=0, also if vsctrctl's is not: it does not");
	if (rt_has_h())
		CHECK("CTR-CUST-001", jumps_hold(MODE_VS, like, 0, on) &&
		      jumps_hold(MODE_VS, 0, on, 0), "in VS-mode by vsctrctl");
	csr_write(CSR_MCTRCTL, (unsigned long)on);
	csr_write(CSR_SCTRSTATUS, STATUS_FROZEN | PLATFORM_CTR_CUSTOM_STATUS);
	CHECK("CTR-CUST-002", custom_status(on) == PLATFORM_CTR_CUSTOM_STATUS,
	      "Custom=%llx: its status is in sctrstatus (%x)", on >> 60,
	      custom_status(on));
	CHECK("CTR-CUST-002", !custom_status(0), "Custom=0: it is not (%x)",
	      custom_status(0));
	csr_write(CSR_SCTRSTATUS, STATUS_FROZEN);
	CHECK("CTR-CUST-002", custom_status(on) == PLATFORM_CTR_CUSTOM_STATUS &&
	      !custom_status(0), "what is written meanwhile does not reach it");
}

/* Custom takes 0, and is standard then. */
static void test_custom(void)
{
	if (__riscv_xlen == 32) {
		tap_skip("CTR-CTL-028", "RV32 has no access to Custom");
		return;
	}
	csr_write(CSR_MCTRCTL, ~0UL);
	CHECK("CTR-CTL-028", put_get(MODE_M, CSR_MCTRCTL, 0) == 0,
	      "Custom can be made 0");
	CHECK("CTR-CTL-028", jumps_hold(MODE_S, 0, 0, 0),
	      "Custom=0 is standard behaviour");
	if (PLATFORM_CTR_CUSTOM) {
		test_custom_extension();
	} else {
		tap_skip("CTR-CUST-001", "no custom extension");
		tap_skip("CTR-CUST-002", "no custom extension");
	}
	ctr_control(0, 0);
}

static void test_rv32(void)
{
	struct ctr_model t;
	unsigned int n;

	if (__riscv_xlen == 64) {
		tap_skip("CTR-GEN-006", "not RV32");
		return;
	}
	model_start(&t, CTL_U, 0);
	model_enter(&t, MODE_U, ctr_jumps);
	for (n = 0; n < CTR_JUMPS; n++)
		model_jump(&t, MODE_U, &ctr_jumps_xfers[n]);
	model_leave(&t, MODE_U, ctr_jumps_jr);
	CHECK("CTR-GEN-006", model_run(&t, MODE_U, ctr_jumps, 0, 0),
	      "RV32 records with the filters 0, which nothing can change");
}

void test_main(void)
{
	ctr_init();
	test_presence();
	test_mctrctl();
	test_sctrctl();
	test_vsctrctl();
	test_external();
	test_custom();
	test_rv32();
}
