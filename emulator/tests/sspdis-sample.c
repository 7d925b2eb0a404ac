// SPDX-License-Identifier: GPL-2.0-only
/*
 * Smpdis/Sspdis: a qualified sample, OF and LCOFI; where the interrupt is
 * taken; data registers; what follows a discarded sample; collisions.
 *
 * profile: pdis pdis-memory pdis-regs pdis-noh pdis-rv32
 */
#include "indirect.h"
#include "pdis.h"
#include "tap.h"

static int last_mode(void)
{
	return rt_has_h() ? MODE_VU : MODE_U;
}

/* One of the two ways to store samples; for memory, from the base again */
static int by(u64 mem)
{
	if (mem ? !pdis_to_memory() : !pdis_to_registers())
		return 0;
	if (mem)
		pmb_start((unsigned long)pmb_mem, 0);
	return 1;
}

static unsigned long pc_of(u64 mem)
{
	unsigned long words[PDIS_WORDS];
	struct pdis_record r;

	if (mem) {
		pdis_decode((unsigned long *)((unsigned long)
			    pdis_get(MODE_M, SPDISAMBADDR) - PDIS_RECORD), &r);
	} else {
		pdis_data(MODE_M, words);
		pdis_decode(words, &r);
	}
	return r.pc;
}

static void run_to(u32 n)
{
	pdis_count(n, 0);
	pdis_run(MODE_S, rt_nops, 0, 0);
}

static void test_flag(u64 mem)
{
	const char *mode = mem ? "PDIS-MODE-001" : "PDIS-MODE-002";

	if (!by(mem))
		return;
	pdis_prepare(MODE_S, mem);
	run_to(10);
	CHECK("PDIS-CTL-039", pdis_of(), "a sample sets OF");
	CHECK("PDIS-CTL-039", lcofi_wait(), "and pends LCOFI");
	CHECK(mode, pdis_of() && lcofi_pending() &&
	      pdis_near(pc_of(mem), rt_nops, 9), "and is recorded (MEM=%u)", !!mem);
	CHECK("PDIS-OVF-001", csr_read(CSR_SCOUNTOVF) & PDIS_BIT,
	      "scountovf[1] shows it");
	lcofi_clear();
	run_to(20);
	CHECK("PDIS-CTL-040", !lcofi_wait(), "OF=1: another one pends none");
	CHECK("PDIS-CTL-042", pdis_of(), "OF stays");
	CHECK(mem ? "PDIS-CTL-040" : "PDIS-IND-009",
	      pdis_near(pc_of(mem), rt_nops, 19), "but is recorded (%lx)",
	      pc_of(mem));
	if (mem)
		CHECK("PDIS-PMB-006", pdis_get(MODE_M, SPDISAMBADDR) ==
		      (unsigned long)pmb_mem + 2 * PDIS_RECORD,
		      "one after the other");
	pdis_put(MODE_S, SPDISCTL, pdis_get(MODE_S, SPDISCTL) & ~PDIS_OF);
	CHECK("PDIS-CTL-042", !pdis_of() &&
	      !(csr_read(CSR_SCOUNTOVF) & PDIS_BIT), "until software clears it");
	run_to(30);
	CHECK("PDIS-CTL-039", pdis_of() && lcofi_wait(), "then it is set again");
	if (mem)
		pmb_stop();
	lcofi_clear();
}

/* Nothing but a qualified sample writes the data registers. */
static void test_registers(void)
{
	unsigned long a[PDIS_WORDS], b[PDIS_WORDS];
	unsigned int n, changed = 0;
	struct pdis_record r;

	pdis_sample(MODE_S, 0, 10, rt_nops, 0, &r);
	pdis_data(MODE_M, a);
	pdis_prepare(MODE_S, 0);
	pdis_put(MODE_M, SPDISCOUNTER, 0x40000000);
	pdis_run(MODE_S, rt_nops, 0, 0);
	pdis_data(MODE_M, b);
	for (n = 0; n < PDIS_WORDS; n++)
		changed |= (a[n] != b[n]) << n;
	CHECK("PDIS-IND-007", !changed, "without a sample they stay (%x)", changed);
	if (!by(PDIS_MEM))
		return;
	pdis_prepare(MODE_S, PDIS_MEM);
	run_to(20);
	pdis_data(MODE_M, b);
	for (n = 0; n < PDIS_WORDS; n++)
		changed |= (a[n] != b[n] && b[n]) << n;
	CHECK("PDIS-IND-010", !changed && pdis_near(pc_of(PDIS_MEM), rt_nops, 19),
	      "MEM=1: nor by a sample (%x)", changed);
	pmb_stop();
	pdis_prepare(MODE_S, 0);
	run_to(30);
	CHECK("PDIS-IND-010", pdis_near(pc_of(0), rt_nops, 29) &&
	      pdis_get(MODE_M, SPDISAMBADDR) == (unsigned long)pmb_mem + PDIS_RECORD,
	      "MEM=0: no record in memory");
}

/* Wherever siselect and vsiselect lead */
static void test_access(void)
{
	unsigned long m[PDIS_WORDS], s[PDIS_WORDS];
	unsigned int n, reg, wrong = 0, nonzero = 0;
	struct pdis_record r;

	pdis_sample(MODE_S, 0, 10, rt_nops, 0, &r);
	pdis_data(MODE_M, m);
	pdis_data(MODE_S, s);
	for (n = 0; n < PDIS_WORDS; n++)
		wrong |= (m[n] != s[n]) << n;
	CHECK(__riscv_xlen == 64 ? "PDIS-IND-001" : "PDIS-IND-004", !wrong,
	      "S-mode reads what M-mode does (wrong: %x)", wrong);
	csr_put(MODE_M, CSR_SISELECT, PLATFORM_SELECT_PDIS + 1);
	for (reg = 2; reg < SIREGS; reg++)
		nonzero |= !!csr_get(MODE_S, sireg_csr[reg]) << reg;
	CHECK(__riscv_xlen == 64 ? "PDIS-IND-003" : "PDIS-IND-005", !nonzero,
	      "sireg3 to sireg6 of 0x61 are 0 (%x)", nonzero);
	if (__riscv_xlen == 64)
		CHECK("PDIS-IND-002", csr_cause(MODE_S, OP_READ, CSR_SIREG, 0) ==
		      NO_TRAP && csr_cause(MODE_S, OP_READ, CSR_SIREG2, 0) ==
		      NO_TRAP, "sireg and sireg2 of 0x61 exist");
	if (!rt_has_h())
		return;
	for (n = 0; n < 2; n++) {
		csr_put(MODE_M, CSR_VSISELECT, PLATFORM_SELECT_PDIS + n);
		for (reg = 0; reg < (n ? 2 : SIREGS); reg++)
			wrong |= csr_get(MODE_S, vsireg_csr[reg]) !=
				 m[n * SIREGS + reg] ? 1U << (n * SIREGS + reg) : 0;
	}
	CHECK("PDIS-IND-006", !wrong, "vsireg* too (wrong: %x)", wrong);
	pdis_data(MODE_VS, s);
	for (n = 0; n < PDIS_WORDS; n++)
		wrong |= (m[n] != s[n]) << n;
	CHECK("PDIS-IND-006", !wrong, "and a guest's sireg* (wrong: %x)", wrong);
}

#define CSRIND_BIT STATEEN_CSRIND_BIT

static void stateen_csrind(int m, int h)
{
	unsigned int shift = __riscv_xlen == 32 ? 32 : 0;
	u32 ms = shift ? CSR_MSTATEEN0H : CSR_MSTATEEN0;
	u32 hs = shift ? CSR_HSTATEEN0H : CSR_HSTATEEN0;

	csr_cause(MODE_M, OP_SET, ms, BIT(CSRIND_BIT - shift));
	if (rt_has_h())
		csr_cause(MODE_M, h ? OP_SET : OP_CLEAR, hs, BIT(CSRIND_BIT - shift));
	csr_cause(MODE_M, m ? OP_SET : OP_CLEAR, ms, BIT(CSRIND_BIT - shift));
}

static void test_indirect_stateen(void)
{
	csr_put(MODE_M, CSR_SISELECT, PLATFORM_SELECT_PDIS);
	stateen_csrind(0, 0);
	CHECK("PDIS-IND-012", csr_cause(MODE_S, OP_READ, CSR_SIREG, 0) ==
	      CAUSE_ILLEGAL, "mstateen0[60]=0: S-mode cannot");
	CHECK("PDIS-IND-012", csr_cause(MODE_M, OP_READ, CSR_SIREG, 0) == NO_TRAP,
	      "M-mode can");
	stateen_csrind(1, 0);
	CHECK("PDIS-IND-012", csr_cause(MODE_S, OP_READ, CSR_SIREG, 0) == NO_TRAP,
	      "mstateen0[60]=1: S-mode can");
	if (!rt_has_h())
		return;
	csr_put(MODE_M, CSR_VSISELECT, PLATFORM_SELECT_PDIS);
	CHECK("PDIS-IND-012", csr_cause(MODE_VS, OP_READ, CSR_SIREG, 0) ==
	      CAUSE_VIRTUAL, "hstateen0[60]=0: VS-mode cannot");
	stateen_csrind(1, 1);
	CHECK("PDIS-IND-012", csr_cause(MODE_VS, OP_READ, CSR_SIREG, 0) == NO_TRAP,
	      "hstateen0[60]=1: VS-mode can");
}

/* With no data registers */
static void test_no_registers(void)
{
	unsigned int n, reg, there = 0;

	for (n = 0; n < 2; n++) {
		csr_put(MODE_M, CSR_SISELECT, PLATFORM_SELECT_PDIS + n);
		for (reg = 0; reg < SIREGS; reg++) {
			struct csr_result r = csr_try(MODE_M, OP_READ,
						      sireg_csr[reg], 0);

			there |= (r.cause == NO_TRAP && r.value) <<
				 (n * SIREGS + reg);
		}
	}
	CHECK("PDIS-IND-011", !there, "MEM=1 always: no data registers (%x)", there);
}

/* Interrupts are M-mode's, and on below it. */
static void check_skid(const struct pdis_probe *p, enum rt_mode mode)
{
	unsigned long next = p->type == TYPE_CTI && !(p->cti & HDR_NTBR) ?
			     (unsigned long)p->fn + PROBE_LAND : 0;
	unsigned long pc = probe_pc(p);
	unsigned long after = (*(const unsigned short *)pc & 3) == 3 ? pc + 4 : pc + 2;

	mode = probe_mode(p, mode);
	pdis_prepare(mode, pdis_to_registers() ? 0 : PDIS_MEM);
	pdis_count(PROBE_NTH, 0);
	csr_write(CSR_MIE, LCOFI);
	pdis_run(mode, p->fn, probe_arg(p), 0);
	csr_write(CSR_MIE, 0);
	CHECK("PDIS-CTL-043", rt_log.n == 1 &&
	      rt_log.trap[0].cause == (CAUSE_INTERRUPT | IRQ_LCOFI) &&
	      rt_log.trap[0].epc == (next ? next : after),
	      "%s in %s-mode: LCOFI comes right after it (at %lx)", p->name,
	      rt_mode_name[mode], rt_log.trap[0].epc);
	CHECK("PDIS-CTL-044", rt_log.n == 1, "before anything else retires");
	lcofi_clear();
}

static void test_skid(void)
{
	unsigned int i;
	int mode;

	if (PLATFORM_PDIS_SKID) {
		tap_skip("PDIS-CTL-043", "not known which instruction it is");
		return;
	}
	csr_write(CSR_MIDELEG, 0);
	if (!pdis_to_registers())
		pmb_start((unsigned long)pmb_mem, AMB_SIZE(4));
	for (mode = MODE_S; mode <= last_mode(); mode++)
		for (i = 0; i < pdis_nprobes; i++)
			if (pdis_probes[i].kind != PROBE_TRAP)
				check_skid(&pdis_probes[i], mode);
	if (!pdis_to_registers())
		pmb_stop();
}

/* S-mode takes it in a window of its own. */
static void test_supervisor(void)
{
	csr_set(CSR_MIDELEG, LCOFI);
	if (!(csr_read(CSR_MIDELEG) & LCOFI))
		return;
	by(pdis_to_registers() ? 0 : PDIS_MEM);
	pdis_prepare(MODE_S, pdis_to_registers() ? 0 : PDIS_MEM);
	pdis_count(PDIS_WINDOW_AT / 4 + 10, 0);
	csr_write(CSR_MIE, LCOFI);
	pdis_run(MODE_S, pdis_window, 0, 0);
	csr_write(CSR_MIE, 0);
	CHECK("PDIS-CTL-039", rt_log.n == 1 && rt_log.trap[0].to == MODE_S &&
	      rt_log.trap[0].cause == (CAUSE_INTERRUPT | IRQ_LCOFI),
	      "S-mode is interrupted");
	CHECK("PDIS-CTL-044", pdis_near(rt_log.trap[0].epc, pdis_window,
					PDIS_WINDOW_AT / 4 + 10),
	      "right after the sample (%lx)", rt_log.trap[0].epc);
	csr_clear(CSR_MIDELEG, LCOFI);
	lcofi_clear();
	if (!pdis_to_registers())
		pmb_stop();
}

/* Only stores pass, but a nop is selected. */
static void accelerate(u64 acc, int want)
{
	struct pdis_record r;
	int there;

	pdis_filter(HDR_TYPE, TYPE_STORE, 0);
	there = pdis_sample(MODE_S, acc, 10, pdis_stores,
			    (unsigned long)probe_data, &r);
	pdis_filter(0, 0, 0);
	CHECK(want ? "PDIS-SEL-002" : "PDIS-SEL-003", there == want,
	      "ACC=%u: %s", !!acc, want ? "selects until one passes" :
	      "the next overflow selects");
	if (want && there)
		CHECK("PDIS-SEL-002", (r.hdr & HDR_TYPE) == TYPE_STORE &&
		      r.pc >= (unsigned long)pdis_stores + 4 * PDIS_HALF &&
		      r.pc < (unsigned long)pdis_stores + 8 * PDIS_HALF,
		      "which is a store (%lx)", r.pc);
}

static void test_acc(void)
{
	if (!(pdis_core.events & HDR_TYPE)) {
		tap_skip("PDIS-SEL-002", "no filter by TYPE");
		return;
	}
	if ((pdis_core.ctl | pdis_core.fixed) & PDIS_ACC)
		accelerate(PDIS_ACC, 1);
	if (!(pdis_core.fixed & PDIS_ACC))
		accelerate(0, 0);
}

/*
 * A sample of nops in one mode is discarded, the next one that passes would be a
 * store in another mode: if that is enabled.
 */
static int selects_next(enum rt_mode from, enum rt_mode to, int enabled)
{
	static const u64 own[MODES] = { PDIS_M, PDIS_S, PDIS_U };
	static const u64 guest[MODES] = { [MODE_VS] = PDIS_S, [MODE_VU] = PDIS_U };
	u64 mem = pdis_to_registers() ? 0 : PDIS_MEM;
	int there;

	by(mem);
	pdis_filter(HDR_TYPE, TYPE_STORE, 0);
	pdis_prepare(from, mem | PDIS_ACC | (enabled ? own[to] : 0));
	if (enabled && guest[to])
		pdis_put(MODE_M, VSPDISCTL, pdis_get(MODE_M, VSPDISCTL) | guest[to]);
	pdis_count(10, 0);
	pdis_start();
	rt_try(from, rt_nops, 0, 0);
	rt_try(to, pdis_stores, (unsigned long)probe_data, 0);
	pdis_stop();
	there = pdis_of();
	if (there)
		there = pc_of(mem) >= (unsigned long)pdis_stores + 4 * PDIS_HALF &&
			pc_of(mem) < (unsigned long)pdis_stores + 8 * PDIS_HALF ?
			1 : -1;
	pdis_filter(0, 0, 0);
	if (mem)
		pmb_stop();
	lcofi_clear();
	return there;
}

static void test_selected_modes(void)
{
	static const char *const rule[MODES] = {
		0, "PDIS-CTL-023", "PDIS-CTL-022", "PDIS-CTL-052", "PDIS-CTL-053",
	};
	int from, to;

	if (!(pdis_core.events & HDR_TYPE) ||
	    !((pdis_core.ctl | pdis_core.fixed) & PDIS_ACC)) {
		tap_skip("PDIS-CTL-022", "a discarded sample is not followed by another");
		return;
	}
	for (to = MODE_S; to <= last_mode(); to++)
		for (from = MODE_S; from <= last_mode(); from++) {
			if (from == to)
				continue;
			CHECK(rule[to], selects_next(from, to, 1) == 1,
			      "%s-mode enabled: it is selected from (after %s)",
			      rt_mode_name[to], rt_mode_name[from]);
			CHECK(rule[to], !selects_next(from, to, 0),
			      "%s-mode not enabled: it is not (after %s)",
			      rt_mode_name[to], rt_mode_name[from]);
		}
}

/* Each instruction overflows COUNT: most while a sample is active. */
static void test_collisions(void)
{
	u32 n;

	by(pdis_to_registers() ? 0 : PDIS_MEM);
	pdis_prepare(MODE_S, pdis_to_registers() ? 0 : PDIS_MEM);
	pdis_count(1, -1);
	if (pdis_get(MODE_M, SPDISCOUNTER) != ~0ULL) {
		tap_skip("PDIS-CNT-013", "no such period");
		return;
	}
	pdis_run(MODE_S, rt_nops, 0, 0);
	n = pdis_count_get();
	CHECK("PDIS-CNT-013", n == ~0U, "COUNT is reloaded each time (%x)", n);
	CHECK("PDIS-SEL-004", pdis_of(), "and there was a sample");
	if (!pdis_to_registers())
		pmb_stop();
}

void test_main(void)
{
	pdis_init();
	test_flag(0);
	test_flag(PDIS_MEM);
	if (pdis_to_registers()) {
		test_registers();
		test_access();
		test_indirect_stateen();
	} else {
		test_no_registers();
	}
	test_skid();
	test_supervisor();
	test_acc();
	test_selected_modes();
	test_collisions();
}
