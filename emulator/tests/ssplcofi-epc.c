// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ssplcofi: where the LCOFI trap of a precise event lands. PLATFORM_LATE is how
 * many instructions late that of another event is.
 *
 * profile: plcofi plcofi-block plcofi-next plcofi-rv32
 */
#include "entry.h"
#include "pesa.h"
#include "tap.h"

/* ssplcofi-epc.S */
#define TURNS 30
rt_fn state;
void state_entry(void);
extern void rt_entry_m(void);

/* At the interrupt; NO_TRAP if there was none */
struct state_seen {
	unsigned long epc, reg, csr, mem;
};

struct state_seen state_seen;

/*
 * The epc of the LCOFI trap to a mode, 0 if there is none: counter i overflows
 * at its n-th event.
 */
static unsigned long epc_of(unsigned int i, enum rt_mode mode, u64 event, u64 n,
			    enum rt_mode to)
{
	rt_log.n = 0;
	csr_clear(CSR_MIE, LCOFI);
	pesa_clear();
	csr_set(CSR_MIE, LCOFI);
	hpm_start(i, only_in(mode, event), -n);
	path_run(mode);
	counter_stop(i);
	csr_clear(CSR_MIE, LCOFI);
	return lcofi_epc(to);
}

static void test_needs(void)
{
	CHECK("PLCOFI-001", csr_exists(CSR_SHPMSPC) && csr_exists(CSR_SHPMSDATA),
	      "shpmspc and shpmsdata exist");
	path_overflow(hpm_nth(0), MODE_U, INSTRET, 3);
	CHECK("PLCOFI-001", pesa_holds_path(hpm_nth(0), 2), "and capture");
}

/* The ECALL by which rt_path() is left traps before any interrupt. */
static void test_events(unsigned int i, enum rt_mode mode, enum rt_mode to)
{
	u32 skid, not_causal;
	unsigned int e, n;
	unsigned long epc;
	int at;

	for (e = 0; e < path_events_nr; e++) {
		const struct path_event *p = &path_events[e];

		skid = 0;
		not_causal = 0;
		for (n = 1; p->select && (at = path_find(p->kinds, n)) >= 0; n++) {
			if (rt_path_kind[at] == 'e')
				continue;
			epc = epc_of(i, mode, p->select, n, to);
			skid |= (epc != rt_path_pc[at + 1]) << n;
			not_causal |= (pesa_pc() != rt_path_pc[at] ||
				       pesa_pc() == epc) << n;
		}
		if (n == 1)
			continue;
		CHECK("PLCOFI-002", !skid, "%s in %s-mode, trap to %s (wrong: %x)",
		      p->name, rt_mode_name[mode], rt_mode_name[to], skid);
		CHECK("PLCOFI-007", !not_causal, "%s in %s-mode, trap to %s (wrong: %x)",
		      p->name, rt_mode_name[mode], rt_mode_name[to], not_causal);
	}
}

/* epc against the length of the instruction, or the target, in memory */
static void test_next(unsigned int i)
{
	u32 seq = 0, jump = 0, n, lengths = 0;

	for (n = 1; n < RT_PATH_INSNS; n++) {
		const unsigned short *pc = (void *)rt_path_pc[n - 1];
		unsigned int len = (*pc & 3) == 3 ? 4 : 2;
		unsigned long epc = epc_of(i, MODE_U, INSTRET, n, MODE_M);

		if (rt_path_kind[n - 1] == 't') {
			jump |= (epc != rt_path_pc[n] ||
				 epc == (unsigned long)pc + len) << n;
			continue;
		}
		lengths |= len;
		seq |= (epc != (unsigned long)pc + len) << n;
	}
	CHECK("PLCOFI-003", !(seq | jump), "the next to execute (wrong: %x)",
	      seq | jump);
	CHECK("PLCOFI-004", !seq && lengths == 6,
	      "pc + 2 and pc + 4 (wrong: %x)", seq);
	CHECK("PLCOFI-005", !jump, "the target of a transfer (wrong: %x)", jump);
}

/* Three instructions make a turn; n of them have executed after the first two. */
static int state_wrong(u32 n)
{
	unsigned long first = (unsigned long)state + 8;
	struct state_seen *s = &state_seen;

	return s->epc != first + 4 * n || s->reg != (n + 2) / 3 ||
	       s->mem != (n + 1) / 3 || s->csr != n / 3;
}

static void test_state(unsigned int i)
{
	static unsigned long word;
	u32 wrong = 0, n;

	csr_write(CSR_MTVEC, state_entry);
	for (n = 1; n <= 3 * TURNS; n++) {
		word = 0;
		state_seen.epc = 0;
		lcofi_clear();
		csr_set(CSR_MIE, LCOFI);
		hpm_start(i, only_in(MODE_S, INSTRET), -(u64)n - 2);
		rt_call(MODE_S, state, (unsigned long)&word, 0);
		counter_stop(i);
		wrong += state_wrong(n);
	}
	csr_write(CSR_MIE, 0);
	csr_write(CSR_MTVEC, rt_entry_m);
	csr_put(MODE_M, CSR_SSCRATCH, (unsigned long)rt_stack_strap);
	CHECK("PLCOFI-006", !wrong,
	      "register, memory and CSR are as the causal instruction left them (wrong: %u)",
	      wrong);
}

static void test_counters(u32 present)
{
	u32 wrong = 0, i;

	for (i = COUNTER_FIRST; i <= COUNTER_LAST; i++)
		if (present >> i & 1)
			wrong |= (epc_of(i, MODE_U, INSTRET, 9, MODE_M) !=
				  rt_path_pc[9]) << i;
	CHECK("PLCOFI-008", !wrong, "each counter (wrong: %x)", wrong);
}

/* Only that it comes; how late is the core's business. */
static void test_cycles(unsigned int i)
{
	CHECK("PLCOFI-009", epc_of(i, MODE_U, PLATFORM_EVENT_CYCLES, 2, MODE_M) ||
	      rt_log.n == 1, "cycles interrupt, some time");
	CHECK("PLCOFI-009", !pesa_untouched() && pesa_cntrid() == i,
	      "and are captured");
}

/*
 * Cycles overflow first, and their interrupt is still on its way when a precise
 * event overflows.
 */
static void test_both(unsigned int i, unsigned int j)
{
	unsigned int gap;
	u32 skid = 0, other = 0;
	unsigned long epc;

	for (gap = 1; gap < PLATFORM_LATE; gap++) {
		counter_stop(j);
		event_set(j, only_in(MODE_U, PLATFORM_EVENT_CYCLES));
		counter_set(j, -3ULL);
		counter_start(j);
		epc = epc_of(i, MODE_U, INSTRET, 3 + gap, MODE_M);
		counter_stop(j);
		skid |= (epc != rt_path_pc[3 + gap]) << gap;
		other |= (pesa_cntrid() != i || pesa_pc() != rt_path_pc[2 + gap])
			 << gap;
	}
	CHECK("PLCOFI-002", !skid, "with cycles on their way (wrong: %x)", skid);
	CHECK("PLCOFI-007", !other,
	      "and what is captured is what has led to this trap (wrong: %x)",
	      other);
}

static void test_masked(unsigned int i)
{
	rt_log.n = 0;
	path_overflow(i, MODE_U, INSTRET, 5);
	CHECK("PLCOFI-010", !rt_log.n && lcofi_pending(), "LCOFIE=0: it waits");
	csr_set(CSR_MIE, LCOFI);
	path_run(MODE_U);
	csr_clear(CSR_MIE, LCOFI);
	CHECK("PLCOFI-010", rt_log.n == 1 &&
	      rt_log.trap[0].epc == rt_path_pc[0], "unmasked, it is taken");
	CHECK("PLCOFI-010", pesa_holds_path(i, 4), "and names the causal instruction");
}

void test_main(void)
{
	unsigned int i = hpm_nth(3), j = hpm_nth(0);
	enum rt_mode m;

	counters_stop_all();
	counteren_set(~0U, ~0U);
	cde_set(1);
	if (PLATFORM_PESA_RECORDS)
		pesa_record();
	test_needs();
	for (m = MODE_S; m < MODES; m++)
		test_events(i, m, MODE_M);
	test_next(i);
	test_state(i);
	test_counters(hpm_present());
	test_cycles(i);
	test_both(i, j);
	test_both(j, i);
	test_masked(i);
	csr_set(CSR_MIDELEG, LCOFI);
	test_events(i, MODE_U, MODE_S);
	test_events(i, MODE_VS, MODE_S);
	test_events(i, MODE_VU, MODE_S);
}
