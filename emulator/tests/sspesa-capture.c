// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sspesa: which overflows are captured, and which instruction.
 *
 * profile: pesa pesa-block pesa-next pesa-skid pesa-block-skid pesa-noh pesa-slow
 * profile: pesa-rv32
 * profile: plcofi plcofi-block plcofi-next plcofi-rv32
 */
#include "ctr.h"
#include "pesa.h"
#include "tap.h"

#define RUN_U		MODE_U
/* The index, in rt_path(), of the n-th instruction */
#define NTH(n)		((n) - 1)

static int has_mode(enum rt_mode mode)
{
	return mode < MODE_VS || rt_has_h();
}

static void test_captures(unsigned int i)
{
	u32 wrong = 0, half = 0, n;

	for (n = 1; n <= RT_PATH_INSNS; n++) {
		path_overflow(i, RUN_U, INSTRET, n);
		wrong |= !pesa_holds_path(i, NTH(n)) << n;
		half |= pesa_half_touched() << n;
	}
	CHECK("PESA-003", !wrong, "the overflow at each instruction (wrong: %x)",
	      wrong);
	CHECK("PESA-004", !half, "in both registers (wrong: %x)", half);
	path_overflow(i, RUN_U, INSTRET, RT_PATH_INSNS + 1);
	CHECK("PESA-003", pesa_untouched(), "nothing if there is no overflow");
}

/* As software sees it: each event, each of its instructions, each mode */
static u32 precise_wrong(unsigned int i, enum rt_mode mode,
			 const struct path_event *e)
{
	u32 wrong = 0, n;
	int at;

	for (n = 1; (at = path_find(e->kinds, n)) >= 0; n++) {
		path_overflow(i, mode, e->select, n);
		wrong |= (pesa_pc() != rt_path_pc[at] || pesa_cntrid() != i) << n;
	}
	return wrong | (n == 1);
}

static void test_precise(unsigned int i)
{
	unsigned int m, n;

	if (!PLATFORM_PESA_PRECISE) {
		tap_skip("PESA-010", "no event is precise");
		return;
	}
	for (m = MODE_S; m < MODES; m++)
		for (n = 0; n < path_events_nr && has_mode(m); n++)
			if (path_events[n].select)
				CHECK("PESA-010", !precise_wrong(i, m, &path_events[n]),
				      "%s in %s-mode", path_events[n].name,
				      rt_mode_name[m]);
}

static void test_plain(unsigned int i)
{
	u32 wrong = 0, n;

	if (PLATFORM_PESA_METADATA || !PLATFORM_PESA_PRECISE) {
		tap_skip("PESA-011", "shpmspc is not the causal PC");
		return;
	}
	for (n = 1; n <= RT_PATH_INSNS; n++) {
		path_overflow(i, RUN_U, INSTRET, n);
		wrong |= (csr_get(MODE_M, CSR_SHPMSPC) != rt_path_pc[NTH(n)]) << n;
	}
	CHECK("PESA-011", !wrong, "shpmspc alone is the causal PC (wrong: %x)",
	      wrong);
}

static void test_transfers(unsigned int i)
{
	u32 wrong = 0, n;
	int at;

	if (!PLATFORM_PESA_PRECISE) {
		tap_skip("PESA-012", "no event is precise");
		return;
	}
	for (n = 1; (at = path_find("t", n)) >= 0; n++) {
		path_overflow(i, RUN_U, INSTRET, at + 1);
		wrong |= (pesa_pc() != rt_path_pc[at]) << n;
	}
	CHECK("PESA-012", !wrong, "the transfer, not its target (wrong: %x)",
	      wrong);
}

static int on_path(unsigned long pc)
{
	unsigned int n;

	for (n = 0; n <= RT_PATH_INSNS; n++)
		if (rt_path_pc[n] == pc)
			return 1;
	return 0;
}

/* Cycles overflow anywhere; what is captured is of the mode that is counted. */
static void test_cycles(unsigned int i)
{
	const u32 cpi = PLATFORM_CYCLES_PER_INSN;
	u32 lost = 0, strange = 0, n, cycles = cpi ? cpi * RT_PATH_INSNS : 8;

	for (n = 1; n <= cycles; n++) {
		path_overflow(i, RUN_U, PLATFORM_EVENT_CYCLES, n);
		lost += pesa_untouched() || pesa_cntrid() != i;
		strange += cpi ? pesa_pc() != rt_path_pc[NTH((n + cpi - 1) / cpi)] :
				 !on_path(pesa_pc());
	}
	CHECK("PESA-013", !lost, "cycles capture, too (%u do not)", lost);
	CHECK("PESA-014", !strange,
	      "%s (%u others)", cpi ? "what retires in the overflow cycle, or next" :
	      "an instruction near the overflow", strange);
}

static void test_of_set(unsigned int i)
{
	pesa_clear();
	hpm_start(i, only_in(RUN_U, INSTRET) | EV_OF, -3ULL);
	path_run(RUN_U);
	counter_stop(i);
	CHECK("PESA-005", pesa_untouched() && counter_get(i) == RT_PATH_INSNS - 3,
	      "an overflow with OF=1 captures nothing");
	path_overflow(i, RUN_U, INSTRET, 3);
	lcofi_clear();
	counter_set(i, -5ULL);
	counter_start(i);
	path_run(RUN_U);
	counter_stop(i);
	CHECK("PESA-005", pesa_holds_path(i, NTH(3)),
	      "nor does it after one that did, LCOFIP cleared");
}

static void test_pending(unsigned int i, unsigned int j)
{
	pesa_clear();
	csr_set(CSR_MIP, LCOFI);
	hpm_start(i, only_in(RUN_U, INSTRET), -3ULL);
	path_run(RUN_U);
	counter_stop(i);
	CHECK("PESA-006", pesa_untouched() && event_get(i) & EV_OF,
	      "with LCOFIP=1 by software nothing is captured");
	pesa_clear();
	hpm_start(i, only_in(RUN_U, INSTRET), -3ULL);
	hpm_start(j, only_in(RUN_U, INSTRET), -15ULL);
	path_run(RUN_U);
	CHECK("PESA-006", pesa_holds_path(i, NTH(3)) && event_get(j) & EV_OF,
	      "with LCOFIP=1 by another counter the first one stays");
	counters_stop_all();
	pesa_clear();
	hpm_start(j, only_in(RUN_U, INSTRET), -3ULL);
	hpm_start(i, only_in(RUN_U, INSTRET), -15ULL);
	path_run(RUN_U);
	counters_stop_all();
	CHECK("PESA-006", pesa_holds_path(j, NTH(3)),
	      "also if the other has the lower number");
}

static void test_rearm(unsigned int i)
{
	u32 wrong = 0, n;

	for (n = 1; n <= 8; n++) {
		lcofi_clear();
		hpm_start(i, only_in(RUN_U, INSTRET), -(u64)n);
		path_run(RUN_U);
		counter_stop(i);
		wrong |= !pesa_holds_path(i, NTH(n)) << n;
	}
	CHECK("PESA-008", !wrong, "again and again (wrong: %x)", wrong);
	lcofi_clear();
	event_set(i, only_in(RUN_U, INSTRET));
	counter_set(i, -9ULL);
	counter_start(i);
	path_run(RUN_U);
	counter_stop(i);
	CHECK("PESA-008", pesa_holds_path(i, NTH(9)), "OF cleared by a write");
}

static void test_software(unsigned int i)
{
	pesa_clear();
	csr_set(CSR_MIP, LCOFI);
	CHECK("PESA-009", pesa_untouched(), "setting LCOFIP");
	lcofi_clear();
	hpm_start(i, only_in(RUN_U, INSTRET), 0);
	event_set(i, only_in(RUN_U, INSTRET) | EV_OF);
	pesa_settle();
	CHECK("PESA-009", pesa_untouched(), "setting OF");
	event_set(i, only_in(RUN_U, INSTRET));
	counter_set(i, ~0ULL);
	counter_set(i, 0);
	pesa_settle();
	CHECK("PESA-009", pesa_untouched(), "writing a counter across its maximum");
	csr_set(CSR_MIP, LCOFI);
	event_set(i, only_in(RUN_U, INSTRET) | EV_OF);
	counter_set(i, ~0ULL);
	counter_set(i, 0);
	pesa_settle();
	counter_stop(i);
	CHECK("PESA-009", pesa_untouched(), "all of them");
	CHECK("PESA-004", !pesa_half_touched(), "in neither register");
}

static void test_cntrid(u32 present)
{
	u32 wrong = 0, i;

	for (i = COUNTER_FIRST; i <= COUNTER_LAST; i++)
		if (present >> i & 1) {
			path_overflow(i, RUN_U, INSTRET, 6);
			wrong |= (pesa_cntrid() != i) << i;
		}
	CHECK("PESA-015", !wrong, "each counter names itself (wrong: %x)", wrong);
}

/* All counters of a set overflow at the same instruction. */
static int together(u32 set)
{
	u32 i;

	pesa_clear();
	for (i = COUNTER_FIRST; i <= COUNTER_LAST; i++)
		if (set >> i & 1)
			hpm_start(i, only_in(RUN_U, INSTRET), -7ULL);
	path_run(RUN_U);
	counters_stop_all();
	return pesa_cntrid();
}

static void test_together(u32 present)
{
	u32 set, wrong = 0, i;

	for (i = COUNTER_FIRST; i < COUNTER_LAST; i++) {
		set = present & -(1U << i);
		if (present >> i & 1 && set != 1U << i)
			wrong |= (together(set) != (int)i) << i;
	}
	CHECK("PESA-016", !wrong, "counter i and all above (wrong: %x)", wrong);
	i = hpm_nth(0);
	CHECK("PESA-016", together(present) == (int)i && pesa_holds_path(i, NTH(7)),
	      "all of them, and the instruction");
	if ((present & 0x220) == 0x220)
		CHECK("PESA-017", together(0x220) == 5, "counters 5 and 9");
	else
		tap_skip("PESA-017", "counters 5 and 9 are not there");
}

/* A programmable counter comes after them: there was no overflow before it. */
static void test_fixed(unsigned int i)
{
	static const unsigned int fixed[] = { COUNTER_CYCLE, COUNTER_INSTRET };
	unsigned int n;

	for (n = 0; n < 2; n++) {
		pesa_clear();
		counter_set(fixed[n], -3ULL);
		counter_start(fixed[n]);
		path_run(RUN_U);
		counter_stop(fixed[n]);
		CHECK("PESA-018", pesa_untouched() && counter_get(fixed[n]) < 100000,
		      "counter %u has wrapped", fixed[n]);
	}
	for (n = 0; n < 2; n++) {
		event_set(fixed[n], only_in(RUN_U, 0));
		counter_set(fixed[n], -3ULL);
		counter_start(fixed[n]);
	}
	path_overflow(i, RUN_U, INSTRET, 3);
	counters_stop_all();
	CHECK("PESA-018", pesa_holds_path(i, NTH(3)),
	      "both of them at the instruction of a programmable one");
}

static void test_delegated(unsigned int i, unsigned int j)
{
	cde_set(1);
	counteren_set(BIT(j), 0);
	path_overflow(j, RUN_U, INSTRET, 4);
	CHECK("PESA-026", pesa_holds_path(j, NTH(4)), "CDE=1: delegated");
	path_overflow(i, RUN_U, INSTRET, 4);
	CHECK("PESA-027", pesa_untouched() && lcofi_pending(),
	      "CDE=1: not delegated");
	CHECK("PESA-027", together(BIT(i) | BIT(j)) == (int)j,
	      "with a delegated one of a higher number");
	pesa_clear();
	hpm_start(i, only_in(RUN_U, INSTRET), -4ULL);
	hpm_start(j, only_in(RUN_U, INSTRET), -6ULL);
	path_run(RUN_U);
	counters_stop_all();
	CHECK("PESA-006", pesa_untouched(),
	      "what is not delegated pends LCOFI all the same");
	cde_set(0);
	path_overflow(i, RUN_U, INSTRET, 4);
	CHECK("PESA-003", pesa_holds_path(i, NTH(4)),
	      "CDE=0: whatever mcounteren says");
	counteren_set(~0U, ~0U);
	cde_set(1);
	path_overflow(i, RUN_U, INSTRET, 5);
	CHECK("PESA-026", pesa_holds_path(i, NTH(5)), "CDE=1: all delegated");
}

/* The handler only masks LCOFI; LCOFIP stays as it is. */
static void test_trap(unsigned int i)
{
	path_overflow(i, RUN_U, INSTRET, 10);
	rt_log.n = 0;
	csr_set(CSR_MIE, LCOFI);
	path_run(RUN_U);
	csr_clear(CSR_MIE, LCOFI);
	CHECK("PESA-030", rt_log.n == 1 && pesa_holds_path(i, NTH(10)),
	      "the trap and its return leave what was captured");
}

/* Two overflows, one instruction apart; with a skid, before it is over */
static void test_frozen(unsigned int i, unsigned int j)
{
	unsigned int gap;
	u32 wrong = 0;

	if (!csr_exists(CSR_MCTRCTL)) {
		tap_skip("PESA-031", "no control transfer records");
		return;
	}
	csr_put(MODE_M, CSR_MCTRCTL, CTL_LCOFIFRZ);
	for (gap = 1; gap < 8; gap++) {
		pesa_clear();
		hpm_start(j, only_in(RUN_U, INSTRET), -3ULL);
		hpm_start(i, only_in(RUN_U, INSTRET), -3ULL - gap);
		path_run(RUN_U);
		counters_stop_all();
		wrong |= !pesa_holds_path(j, NTH(3)) << gap;
		wrong |= !(event_get(i) & EV_OF) << gap;
	}
	csr_put(MODE_M, CSR_MCTRCTL, 0);
	CHECK("PESA-031", !wrong, "of two overflows the first (wrong: %x)", wrong);
}

/*
 * Transfers that are recorded: the path has so many, and each is at its label. The event is
 * counted when the record is made, which is not where others are.
 */
static u32 recorded_wrong(unsigned int i, enum rt_mode mode)
{
	u32 wrong = 0, n;
	int at;

	for (n = 1; (at = path_find("t", n)) >= 0; n++) {
		path_overflow(i, mode, PLATFORM_EVENT_RECORDED, n);
		wrong |= !pesa_holds_path(i, at) << n;
	}
	path_overflow(i, mode, PLATFORM_EVENT_RECORDED, n);
	return wrong | !pesa_untouched() | (n == 1) << n;
}

static void test_recorded(unsigned int i)
{
	unsigned int m;
	u32 wrong;

	if (!PLATFORM_PESA_PRECISE || !PLATFORM_EVENT_RECORDED ||
	    !csr_exists(CSR_MCTRCTL)) {
		tap_skip("PESA-003", "no event of control transfer records");
		return;
	}
	pesa_record();
	for (m = MODE_S; m < MODES; m++) {
		if (!has_mode(m))
			continue;
		wrong = recorded_wrong(i, m);
		CHECK("PESA-003", !wrong, "transfers recorded in %s-mode (wrong: %x)",
		      rt_mode_name[m], wrong);
	}
	csr_put(MODE_M, CSR_MCTRCTL, 0);
}

static unsigned long raise_msi(unsigned long on, unsigned long unused)
{
	plat_msi(on);
	return 0;
}

/* A 32 bit store, or its compressed forms */
static int is_store(const unsigned short *insn)
{
	return (*insn & 0x707f) == 0x2023 || (*insn & 0xe003) == 0xc000 ||
	       (*insn & 0xe003) == 0xc002;
}

/* The store that overflows raises an interrupt, which is taken at once. */
static void test_interrupted(unsigned int i)
{
	const unsigned short *pc = (void *)raise_msi;
	unsigned int n;

	if (!PLATFORM_EVENT_STORE) {
		tap_skip("PESA-003", "no event for stores");
		return;
	}
	for (n = 0; n < 32 && !is_store(pc); n++)
		pc += (*pc & 3) == 3 ? 2 : 1;
	pesa_clear();
	rt_log.n = 0;
	hpm_start(i, only_in(RUN_U, PLATFORM_EVENT_STORE), -1ULL);
	csr_set(CSR_MIE, BIT(IRQ_MSI));
	rt_call(RUN_U, raise_msi, 1, 0);
	csr_clear(CSR_MIE, BIT(IRQ_MSI));
	plat_msi(0);
	counter_stop(i);
	pesa_settle();
	CHECK("PESA-003", rt_log.n == 1 &&
	      pesa_holds(i, (unsigned long)pc,
			 (unsigned long)pc + ((*pc & 3) == 3 ? 4 : 2)),
	      "another interrupt at the same instruction");
}

void test_main(void)
{
	u32 present = hpm_present();
	unsigned int i = hpm_nth(2), j = hpm_nth(6);

	counters_stop_all();
	counteren_set(~0U, ~0U);
	cde_set(1);
	if (PLATFORM_PESA_RECORDS)
		pesa_record();
	test_captures(i);
	test_interrupted(i);
	test_precise(i);
	test_plain(i);
	test_transfers(i);
	test_cycles(i);
	test_of_set(i);
	test_pending(i, j);
	test_rearm(i);
	test_software(i);
	test_cntrid(present);
	test_together(present);
	test_fixed(i);
	test_delegated(i, j);
	test_trap(i);
	test_frozen(i, j);
	test_recorded(i);
}
