// SPDX-License-Identifier: GPL-2.0-only
/*
 * Smctr/Ssctr: ctrsource, ctrtarget and ctrdata, by software and as recorded.
 *
 * profile: ctr ctr-min ctr-some ctr-noh ctr-cce0 ctr-cce1 ctr-rv32
 */
#include "indirect.h"
#include "ctr.h"
#include "page.h"
#include "tap.h"

/* Each select value has an entry of its own, through each of its registers. */
static void test_select(void)
{
	unsigned int x, wrong = 0;
	struct ctr_entry e;

	for (x = 0; x < ctr_core.depth; x++)
		ctr_put(x, 0x1000 + 16 * x, 0x3000 + 16 * x, 0);
	for (x = 0; x < ctr_core.depth; x++) {
		e = ctr_get(x);
		wrong += e.source != 0x1000 + 16 * x ||
			 e.target != 0x3000 + 16 * x || e.data;
		LOOK();
	}
	CHECK("CTR-ENT-001", !wrong,
	      "siselect 0x200+X selects entry X (wrong: %u)", wrong);
	for (x = wrong = 0; x < ctr_core.depth; x++) {
		csr_put(MODE_S, CSR_SISELECT, SELECT_CTR(x));
		wrong += csr_get(MODE_S, CSR_SIREG) != 0x1000 + 16 * x;
		LOOK();
	}
	CHECK("CTR-ENT-001", !wrong, "from S-mode, too (wrong: %u)", wrong);
}

static unsigned int zeros_wrong(enum rt_mode mode, const u32 *regs)
{
	unsigned int r, wrong = 0;

	for (r = 3; r < SIREGS; r++) {
		wrong += csr_try(mode, OP_SWAP, regs[r], ~0UL).value != 0;
		wrong += csr_try(mode, OP_SET, regs[r], ~0UL).value != 0;
		wrong += csr_get(mode, regs[r]) != 0;
	}
	return wrong;
}

static void test_zeros(void)
{
	static const u32 at[] = { 0, 1, 15 };
	unsigned int n, wrong = 0;
	struct ctr_entry e;

	for (n = 0; n < ARRAY_SIZE(at); n++) {
		ctr_put(at[n], 0x1001, 0x2002, 0);
		wrong += zeros_wrong(MODE_M, sireg_csr);
		wrong += zeros_wrong(MODE_S, sireg_csr);
		e = ctr_get(at[n]);
		wrong += e.source != 0x1001 || e.target != 0x2002 || e.data;
	}
	CHECK("CTR-ENT-003", !wrong,
	      "sireg4 to sireg6 read 0, writes do nothing (wrong: %u)", wrong);
	if (!rt_has_h())
		return;
	csr_put(MODE_M, CSR_VSISELECT, SELECT_CTR(1));
	CHECK("CTR-ENT-003", !zeros_wrong(MODE_M, vsireg_csr) &&
	      !zeros_wrong(MODE_S, vsireg_csr) &&
	      !zeros_wrong(MODE_VS, sireg_csr), "vsireg4 to vsireg6 as well");
}

/* The last one that ctr_jumps() leaves */
static void test_registers(void)
{
	const struct ctr_xfer *x = &ctr_jumps_xfers[CTR_JUMPS - 1];
	struct ctr_entry e;

	ctr_control(CTL_S, 0);
	ctr_run(MODE_S, ctr_jumps, 0, 0);
	ctr_control(0, 0);
	e = ctr_get(1);
	CHECK("CTR-ENT-002", (e.source & ~SOURCE_V) == x->src &&
	      (e.target & ~TARGET_MISP) == x->dst,
	      "sireg has the source, sireg2 the target");
	CHECK("CTR-ENT-007", (e.source & ~SOURCE_V) == x->src,
	      "the source is the PC of the transfer");
	CHECK("CTR-ENT-013", (e.target & ~TARGET_MISP) == x->dst,
	      "the target is where it went");
	CHECK("CTR-ENT-008", e.source & SOURCE_V, "V is set by recording");
	if (CTR_TYPE_KNOWN)
		CHECK("CTR-ENT-002", (e.data & DATA_TYPE) == x->type,
		      "sireg3 has TYPE");
	CHECK("CTR-ENT-021", !(e.data & ~ctr_core.data),
	      "a record sets no undefined bits");
}

/* What a record replaces is replaced whole. */
static void test_replaced(void)
{
	const struct ctr_xfer *last = &ctr_jumps_xfers[CTR_JUMPS - 1];
	unsigned int x, wrong = 0;
	struct ctr_entry e;

	for (x = 0; x < ctr_core.depth; x++)
		ctr_put(x, ~1UL, ~0UL, ~0UL);
	csr_write(CSR_SCTRSTATUS, STATUS_FROZEN);
	ctr_control(CTL_S, 0);
	ctr_run_on(MODE_S, ctr_jumps, 0, 0);
	ctr_control(0, 0);
	for (x = 1; x < CTR_JUMPS; x++) {
		e = ctr_get(x);
		wrong += !ctr_is(&e, last - x + 1);
	}
	CHECK("CTR-BEH-007", !wrong,
	      "records replace all of what was in the entry (wrong: %u)", wrong);
}

/* One and the same entry, seen through both sets of registers */
static void test_guest(void)
{
	struct ctr_entry e;

	if (!rt_has_h())
		return;
	ctr_put(0, 0x1001, 0x2000, 0);
	csr_put(MODE_M, CSR_SISELECT, SELECT_CTR(3));
	csr_put(MODE_M, CSR_VSISELECT, SELECT_CTR(0));
	CHECK("CTR-ENT-004", csr_get(MODE_S, CSR_VSIREG) == 0x1001 &&
	      csr_get(MODE_S, CSR_VSIREG2) == 0x2000 &&
	      csr_get(MODE_S, CSR_VSIREG3) == 0, "vsireg* reads what sireg* wrote");
	CHECK("CTR-ENT-004", csr_get(MODE_VS, CSR_SIREG) == 0x1001 &&
	      csr_get(MODE_VS, CSR_SIREG2) == 0x2000, "in VS-mode, too");
	csr_put(MODE_VS, CSR_SIREG, 0x5001);
	csr_put(MODE_S, CSR_VSIREG2, 0x6000);
	csr_put(MODE_VS, CSR_SIREG3, ~0UL);
	e = ctr_get(0);
	CHECK("CTR-ENT-004", e.source == 0x5001 && e.target == 0x6000 &&
	      e.data == ctr_core.data, "sireg* reads what a guest wrote");
	ctr_put(0, 0, 0, 0);
	CHECK("CTR-ENT-004", ctr_get(3).source != 0x5001,
	      "the guest's selection is vsiselect");
}

static int ops_work(enum rt_mode mode, u32 csr, unsigned long bits)
{
	unsigned long a = bits & 0x5550, b = bits & 0xaaa0;
	int ok;

	ok = csr_try(mode, OP_SWAP, csr, a).cause == NO_TRAP;
	ok &= csr_try(mode, OP_SET, csr, b).value == a;
	ok &= csr_try(mode, OP_CLEAR, csr, a).value == (a | b);
	ok &= csr_try(mode, OP_SWAP, csr, 0).value == b;
	return ok && csr_get(mode, csr) == 0;
}

static void test_write(void)
{
	int m;

	csr_put(MODE_M, CSR_SISELECT, SELECT_CTR(2));
	for (m = MODE_M; m <= MODE_S; m++)
		CHECK("CTR-ENT-005", ops_work(m, CSR_SIREG, ~0UL) &&
		      ops_work(m, CSR_SIREG2, ~0UL) &&
		      ops_work(m, CSR_SIREG3, ctr_core.data),
		      "csrrw, csrrs, csrrc on sireg to sireg3 in %s-mode",
		      rt_mode_name[m]);
	ctr_put(0, 0x1000, 0x2000, 0);
	CHECK("CTR-ENT-006", ctr_get(0).source == 0x1000, "V can be 0");
	ctr_put(0, 0x1001, 0x2000, 0);
	CHECK("CTR-ENT-006", ctr_get(0).source == 0x1001,
	      "V can be 1, and is not part of the PC");
	CHECK("CTR-ENT-012", ctr_get(0).target == 0x2000, "MISP can be 0");
	ctr_put(0, 0x1001, 0x2001, 0);
	CHECK("CTR-ENT-012", ctr_get(0).target ==
	      (0x2000 | (ctr_core.target & TARGET_MISP)),
	      "MISP is bit 0 of the target, or read-only 0");
}

static int holds(unsigned long v)
{
	struct ctr_entry e;

	ctr_put(0, v & ~1UL, v & ~1UL, 0);
	e = ctr_get(0);
	return e.source == (v & ~1UL) && e.target == (v & ~1UL);
}

/*
 * The widest virtual address that satp offers, all of physical memory that
 * the platform runs from. Every bit alone and its complement, each with the
 * sign extended as it has to be.
 */
static unsigned int va_bits(void)
{
	static const unsigned char modes[] = { 10, 9, 8 }, bits[] = { 57, 48, 39 };
	unsigned int n;

	if (__riscv_xlen == 32)
		return 32;
	for (n = 0; n < ARRAY_SIZE(modes); n++) {
		csr_write(CSR_SATP, (unsigned long)modes[n] << (__riscv_xlen - 4));
		if (csr_read(CSR_SATP) >> (__riscv_xlen - 4) == modes[n])
			break;
	}
	csr_write(CSR_SATP, 0);
	return n < ARRAY_SIZE(modes) ? bits[n] : 0;
}

static void test_addresses(void)
{
	unsigned int bits = va_bits(), n, wrong = 0, unstable = 0;
	unsigned long v;

	for (n = 1; n + 1 < bits; n++) {
		wrong += !holds(BIT(n)) + !holds(~BIT(n)) + !holds(BIT(n) - 2);
		wrong += !holds(-BIT(n)) + !holds(~(-BIT(n)));
	}
	wrong += !holds(PLATFORM_RAM_BASE) + !holds(PLATFORM_RAM_BASE + 0x7fffe);
	CHECK("CTR-ENT-009,CTR-ENT-016", !wrong,
	      "ctrsource and ctrtarget hold %u-bit virtual addresses (wrong: %u)", bits, wrong);
	for (n = bits ? bits - 1 : 32; n < __riscv_xlen; n++) {
		ctr_put(0, BIT(n), BIT(n), 0);
		v = ctr_get(0).source;
		unstable += !holds(v);
		v = ctr_get(0).target;
		unstable += !holds(v);
	}
	CHECK("CTR-ENT-010", !unstable,
	      "what becomes of another address is one that holds (wrong: %u)",
	      unstable);
}

static void test_data(void)
{
	unsigned long type = ctr_core.data & DATA_TYPE, v;
	unsigned int t, wrong = 0;

	CHECK("CTR-ENT-017", !(ctr_core.data & ~0xffff800fUL),
	      "ctrdata has TYPE, CCV, CC and nothing else (%lx)", ctr_core.data);
	CHECK("CTR-ENT-021", !(ctr_core.data & 0x7ff0) &&
	      !((u64)ctr_core.data >> 32), "undefined bits are read-only 0");
	CHECK("CTR-ENT-018", !type || type == DATA_TYPE,
	      "TYPE is 4 bits or read-only 0 (%lx)", type);
	for (t = 0; t < TYPES; t++) {
		ctr_put(0, 0, 0, t);
		v = ctr_get(0).data;
		if (t == 6 || t == 7)
			continue;
		wrong += v != (type ? t : 0);
	}
	CHECK("CTR-ENT-018", !wrong, "it holds each TYPE (wrong: %u)", wrong);
	v = ctr_core.data & (DATA_CCV | DATA_CCM | DATA_CCE);
	CHECK("CTR-CC-001", !v || (v & (DATA_CCV | DATA_CCM)) ==
	      (DATA_CCV | DATA_CCM), "CCV and 12 bits of CCM, or no CC (%lx)", v);
	v = ctr_core.data >> 28 & 15;
	CHECK("CTR-CC-001", (v & (v + 1)) == 0, "CCE has its low bits (%lx)", v);
	ctr_put(0, 0, 0, ~0UL);
	v = CTR_CC_KNOWN ? (1UL << PLATFORM_CTR_CCE) - 1 : 0;
	CHECK("CTR-CC-002", (ctr_get(0).data >> 28 & 15) == v,
	      "of all ones CCE holds the bits that there are (%lx)", v);
	if (!CTR_CC_KNOWN)
		return;
	ctr_put(0, 0, 0, DATA_CCV);
	CHECK("CTR-ENT-019", ctr_get(0).data == DATA_CCV, "CCV is bit 15");
	ctr_put(0, 0, 0, DATA_CCM);
	CHECK("CTR-ENT-020", ctr_get(0).data == DATA_CCM, "CCM is bits 27:16");
	ctr_put(0, 0, 0, DATA_CCE);
	CHECK("CTR-ENT-020", ctr_get(0).data == (ctr_core.data & DATA_CCE),
	      "CCE is bits 31:28");
}

/* A loop without and branches with a pattern that no predictor knows */
extern const char misp_branch[];
unsigned long misp_loop(unsigned long seed, unsigned long n);
static void count_misp(unsigned int *missed, unsigned int *hit)
{
	unsigned int run, x;
	struct ctr_entry e;

	for (run = 0; run < 16; run++) {
		ctr_run(MODE_S, misp_loop, 0x2545f491 + 977 * run, 64);
		for (x = 0; x < ctr_core.depth; x++) {
			e = ctr_get(x);
			if (e.source != ((unsigned long)misp_branch | SOURCE_V))
				continue;
			*(e.target & TARGET_MISP ? missed : hit) += 1;
		}
	}
}

/*
 * No core has to predict anything well, but none can be right always about a
 * random pattern, nor wrong.
 */
static void test_misp(void)
{
	unsigned int missed = 0, hit = 0, x, traps = 0;

	ctr_control(CTL_S | CTL_NTBREN, 0);
	count_misp(&missed, &hit);
	ctr_control(0, 0);
	if (!(ctr_core.target & TARGET_MISP)) {
		CHECK("CTR-ENT-015", !missed, "no MISP: it is 0 in each record");
		return;
	}
	CHECK("CTR-ENT-015", missed && hit,
	      "of random branches some are mispredicted (%u), some not (%u)",
	      missed, hit);
	csr_set(CSR_MEDELEG, BIT(CAUSE_ILLEGAL));
	ctr_seen.step = 4;
	ctr_control(CTL_S, 0);
	ctr_run(MODE_S, ctr_trap, 0, 0);
	ctr_control(0, 0);
	for (x = 0; x < 3; x++)
		if (ctr_get(x).target == ((unsigned long)ctr_vec_s | TARGET_MISP))
			traps++;
	CHECK("CTR-ENT-015", !traps, "an exception is not a misprediction");
	csr_clear(CSR_MEDELEG, BIT(CAUSE_ILLEGAL));
}

/* The code once where it is, once high up */
static void test_virtual(enum rt_mode mode)
{
	unsigned long pte = PTE_RW | PTE_X | (mode == MODE_U ? PTE_U : 0);
	unsigned long up = page_on(pte, pte);
	unsigned int x, source = 0, target = 0;
	struct ctr_entry e;

	if (!up) {
		tap_skip("CTR-ENT-009", "no Sv39 or Sv32");
		return;
	}
	ctr_control(CTL_S | CTL_U, 0);
	ctr_run(mode, (rt_fn *)((unsigned long)ctr_jumps + up), 0, 0);
	ctr_control(0, 0);
	page_off();
	for (x = 1; x < CTR_JUMPS; x++) {
		const struct ctr_xfer *want = &ctr_jumps_xfers[CTR_JUMPS - x];

		e = ctr_get(x);
		source += e.source != ((want->src + up) | SOURCE_V);
		target += (e.target & ~TARGET_MISP) != want->dst + up;
	}
	CHECK("CTR-ENT-007,CTR-ENT-009", !source,
	      "%s-mode at virtual addresses: these are the sources (wrong: %u)",
	      rt_mode_name[mode], source);
	CHECK("CTR-ENT-013,CTR-ENT-016", !target, "and these the targets (wrong: %u)",
	      target);
}

/* U-mode with XLEN=32 below M-mode with 64: upper halves are 0. */
unsigned long narrow_code(unsigned long a0, unsigned long a1);
extern const char narrow_jump[], narrow_target[];
#if __riscv_xlen == 64
/* mstatus.UXL or SXL at once: a value in between may not be legal */
static int xlen_set(unsigned int at, unsigned long code)
{
	unsigned long status = csr_read(CSR_MSTATUS) & ~(3UL << at);

	csr_write(CSR_MSTATUS, status | code << at);
	return (csr_read(CSR_MSTATUS) >> at & 3) == code;
}

static void narrow_recorded(enum rt_mode mode)
{
	struct ctr_entry ret, jump;

	ctr_control(CTL_U | CTL_S, 0);
	ctr_run(mode, narrow_code, 0, 0);
	ctr_control(0, 0);
	ret = ctr_get(0);
	jump = ctr_get(1);
	CHECK("CTR-ENT-011", jump.source == ((unsigned long)narrow_jump | 1) &&
	      (jump.target & ~TARGET_MISP) == (unsigned long)narrow_target,
	      "%s-mode, XLEN=32: a direct jump is recorded zero-extended (%lx %lx)",
	      rt_mode_name[mode], jump.source, jump.target);
	CHECK("CTR-ENT-011", ret.source == ((unsigned long)narrow_target | 1) &&
	      (ret.target & ~TARGET_MISP) == (unsigned long)rt_leave,
	      "and an indirect one (%lx %lx)", ret.source, ret.target);
}

/*
 * Out of it: the source may be the epc of M-mode, which is as wide as M-mode,
 * or zero-extended as the other sources are.
 */
static void narrow_trap(void)
{
	struct ctr_entry e;

	ctr_control(CTL_U | CTL_M, 0);
	ctr_run(MODE_U, narrow_code, 0, 0);
	ctr_control(0, 0);
	e = ctr_get(0);
	CHECK("CTR-ENT-011", (u32)e.source == (u32)((unsigned long)(rt_leave + 1) | 1) &&
	      e.target == (unsigned long)ctr_vec_leave,
	      "a trap out of it (%lx %lx)", e.source, e.target);
}

static void narrow_written(void)
{
	struct ctr_entry e;

	csr_put(MODE_M, CSR_SISELECT, SELECT_CTR(0));
	ctr_put(0, ~1UL, ~1UL, 0);
	csr_put(MODE_S, CSR_SIREG, 0x90000001UL);
	csr_put(MODE_S, CSR_SIREG2, 0xfffffffff0000000UL);
	e = ctr_get(0);
	CHECK("CTR-ENT-011", e.source == 0x90000001UL && e.target == 0xf0000000UL,
	      "what S-mode with SXLEN=32 writes is zero-extended (%lx %lx)",
	      e.source, e.target);
}
#endif

static void test_narrow(void)
{
#if __riscv_xlen == 64
	if (xlen_set(32, 1)) {
		narrow_recorded(MODE_U);
		narrow_trap();
	} else {
		tap_skip("CTR-ENT-011", "UXL cannot be 32");
	}
	if (xlen_set(34, 1)) {
		narrow_recorded(MODE_S);
		narrow_written();
	} else {
		tap_skip("CTR-ENT-011", "SXL cannot be 32");
	}
	xlen_set(34, 2);
	xlen_set(32, 2);
#else
	tap_skip("CTR-ENT-011", "MXLEN is 32");
#endif
}

void test_main(void)
{
	ctr_init();
	test_select();
	test_zeros();
	test_registers();
	test_replaced();
	test_guest();
	test_write();
	test_addresses();
	test_data();
	test_misp();
	test_virtual(MODE_S);
	test_virtual(MODE_U);
	test_narrow();
}
