// SPDX-License-Identifier: GPL-2.0-only
/*
 * Smctr/Ssctr: what freezes the records, into which mode, and what does not.
 *
 * profile: ctr ctr-min ctr-some ctr-noh ctr-shlcofideleg ctr-rv32
 */
#include "hpm.h"
#include "ctr.h"
#include "tap.h"

struct path {
	enum rt_mode from, to;
};

static const struct path paths[] = {
	{ MODE_M, MODE_M }, { MODE_S, MODE_M }, { MODE_U, MODE_M },
	{ MODE_VS, MODE_M }, { MODE_VU, MODE_M }, { MODE_S, MODE_S },
	{ MODE_U, MODE_S }, { MODE_VS, MODE_S }, { MODE_VU, MODE_S },
	{ MODE_VS, MODE_VS }, { MODE_VU, MODE_VS },
};

static int is_guest(enum rt_mode mode)
{
	return mode >= MODE_VS;
}

static int possible(const struct path *p)
{
	return rt_has_h() || !is_guest(p->from);
}

static const char *vector(enum rt_mode to)
{
	if (to == MODE_M)
		return ctr_vec_m;
	return to == MODE_S ? ctr_vec_s : ctr_vec_vs;
}

static const char *vector_ret(enum rt_mode to)
{
	if (to == MODE_M)
		return ctr_vec_m_ret;
	return to == MODE_S ? ctr_vec_s_ret : ctr_vec_vs_ret;
}

/* The code that runs, and the jump in it before the trap, if any */
struct code {
	rt_fn *fn;
	const char *j, *jr;
	unsigned long step;
	enum ctr_type type;
};

#define ALL_MODES (CTL_M | CTL_S | CTL_U)

/*
 * All modes are enabled. Whether it froze must be as told: then what came
 * before the trap is there, and neither the trap nor anything after it.
 */
static int outcome_is(const struct path *p, const struct code *c, u64 m, u64 vs,
		      int freeze)
{
	struct ctr_xfer x = { 0, 0, TYPE_DIRJMP };
	struct ctr_model t;

	model_start(&t, (ALL_MODES | m) & ctr_core.ctl, CTL_S | CTL_U | vs);
	ctr_control(t.m, t.vs);
	ctr_seen.step = c->step;
	ctr_seen.cause = 0;
	ctr_mtvec = p->to == MODE_M ? ctr_vec_m : ctr_vec_leave;
	ctr_run(p->from, c->fn, 0, 0);
	ctr_mtvec = ctr_vec_leave;
	ctr_control(0, 0);
	if (!ctr_seen.cause)
		tap_bail("no trap from %s to %s", rt_mode_name[p->from],
			 rt_mode_name[p->to]);
	if (!(ctr_seen.status & STATUS_FROZEN) != !freeze ||
	    !(ctr_seen.status_end & STATUS_FROZEN) != !freeze)
		return 0;

	model_enter(&t, p->from, c->fn);
	if (c->j) {
		x.src = (unsigned long)c->j;
		x.dst = x.src + 8;
		model_jump(&t, p->from, &x);
	}
	if (!freeze) {
		x.src = ctr_seen.epc;
		x.dst = (unsigned long)vector(p->to);
		x.type = c->type;
		model_trap(&t, p->from, p->to, &x);
		x.src = (unsigned long)vector_ret(p->to);
		x.dst = ctr_seen.epc + c->step;
		model_return(&t, p->to, p->from, &x);
		model_leave(&t, p->from, c->jr);
	}
	return ctr_holds(t.x, t.n);
}

/* Breakpoints */

static const struct code ebreak = {
	ctr_break, ctr_break_j, ctr_break_jr, 4, TYPE_EXCEPTION,
};

static const struct code cbreak = {
	ctr_cbreak, ctr_cbreak_j, ctr_cbreak_jr, 4, TYPE_EXCEPTION,
};

static const struct code illegal = {
	ctr_trap, 0, ctr_trap_jr, 4, TYPE_EXCEPTION,
};

static void delegate(const struct path *p, u32 bit)
{
	csr_clear(CSR_MEDELEG, BIT(CAUSE_BREAKPOINT) | BIT(CAUSE_ILLEGAL));
	if (p->to != MODE_M)
		csr_set(CSR_MEDELEG, bit);
	if (!rt_has_h())
		return;
	csr_clear(CSR_HEDELEG, BIT(CAUSE_BREAKPOINT) | BIT(CAUSE_ILLEGAL));
	if (p->to == MODE_VS)
		csr_set(CSR_HEDELEG, bit);
}

/* The register whose bit decides: that of the mode trapped to */
static u64 decides(const struct path *p, unsigned int n, u64 bit)
{
	return (p->to == MODE_VS ? n & 2 : n & 1) ? bit : 0;
}

static unsigned int sweep(const struct path *p, const struct code *c, u64 bit,
			  u64 other)
{
	unsigned int n, wrong = 0;
	u64 m, vs;

	for (n = 0; n < 4; n++) {
		m = (n & 1 ? bit : 0) | other;
		vs = (n & 2 ? bit : 0) | other;
		wrong |= !outcome_is(p, c, m, vs, !!decides(p, n, bit)) << n;
	}
	return wrong;
}

/* Bits of `wrong' where freezing was due, and where not */
static unsigned int due(const struct path *p)
{
	return p->to == MODE_VS ? 0xc : 0xa;
}

static void report(const struct path *p, const char *what, unsigned int wrong,
		   const char *rule, const char *ctl_rule)
{
	const char *from = rt_mode_name[p->from], *to = rt_mode_name[p->to];

	CHECK(rule, !(wrong & due(p)),
	      "%s %s to %s freezes, and is not recorded (wrong: %x)", what,
	      from, to, wrong);
	CHECK(ctl_rule, !wrong, "%s %s to %s: the bit decides", what, from, to);
	CHECK("CTR-FRZ-003", !(wrong & due(p)),
	      "nothing is recorded afterwards");
	CHECK("CTR-FRZ-009", !(wrong & 1), "with both bits 0 nothing freezes");
	if (is_guest(p->from) && !is_guest(p->to))
		CHECK("CTR-VIRT-003", !wrong,
		      "%s %s to %s: sctrctl decides, vsctrctl does not", what,
		      from, to);
}

static void test_breakpoint(const struct path *p)
{
	int guest = p->to == MODE_VS;
	u64 other = CTL_LCOFIFRZ & ctr_core.ctl;

	delegate(p, BIT(CAUSE_BREAKPOINT));
	report(p, "EBREAK", sweep(p, &ebreak, CTL_BPFRZ, 0),
	       guest ? "CTR-FRZ-007" : "CTR-FRZ-005",
	       guest ? "CTR-CTL-036" : "CTR-CTL-012");
	CHECK("CTR-FRZ-006", !sweep(p, &cbreak, CTL_BPFRZ, 0),
	      "C.EBREAK %s to %s", rt_mode_name[p->from], rt_mode_name[p->to]);
	CHECK("CTR-FRZ-009", outcome_is(p, &ebreak, other, other, 0),
	      "EBREAK with only LCOFIFRZ=1 freezes nothing");
	delegate(p, BIT(CAUSE_ILLEGAL));
	CHECK("CTR-FRZ-006", outcome_is(p, &illegal, CTL_BPFRZ | other,
					CTL_BPFRZ | other, 0),
	      "another exception %s to %s does not freeze",
	      rt_mode_name[p->from], rt_mode_name[p->to]);
}

/* A trigger on the jump: type 6 or 2, action 0, execute, not in M-mode */
static int trigger_set(unsigned long addr)
{
	static const unsigned long kinds[] = { 6, 2 };
	unsigned long t = BIT(4) | BIT(3) | BIT(2);
	unsigned int n;

	if (!csr_exists(CSR_TSELECT))
		return 0;
	csr_put(MODE_M, CSR_TSELECT, 0);
	for (n = 0; n < ARRAY_SIZE(kinds); n++) {
		csr_put(MODE_M, CSR_TDATA1, 0);
		csr_put(MODE_M, CSR_TDATA2, addr);
		csr_put(MODE_M, CSR_TDATA1, kinds[n] << (__riscv_xlen - 4) | t);
		if (csr_get(MODE_M, CSR_TDATA1) >> (__riscv_xlen - 4) == kinds[n] &&
		    (csr_get(MODE_M, CSR_TDATA1) & t) == t)
			return 1;
	}
	csr_put(MODE_M, CSR_TDATA1, 0);
	return 0;
}

static void trigger_clear(void)
{
	unsigned long type = csr_get(MODE_M, CSR_TDATA1) >> (__riscv_xlen - 4);

	csr_put(MODE_M, CSR_TDATA1, type << (__riscv_xlen - 4));
}

static void test_trigger(void)
{
	static const struct path p = { MODE_S, MODE_M };
	/* The trap comes before the jump, so there is none; step over it. */
	static const struct code hop = {
		ctr_hop, 0, ctr_hop_jr, 8, TYPE_EXCEPTION,
	};

	delegate(&p, BIT(CAUSE_BREAKPOINT));
	if (!trigger_set((unsigned long)ctr_hop_j)) {
		tap_skip("CTR-FRZ-006", "no triggers");
		return;
	}
	CHECK("CTR-FRZ-006", !sweep(&p, &hop, CTL_BPFRZ, 0),
	      "a trigger freezes as EBREAK does");
	CHECK("CTR-BEH-004", outcome_is(&p, &hop, 0, 0, 0),
	      "the jump that it hits before execution is not recorded");
	trigger_clear();
}

/* LCOFI */

static struct code waiting(const struct path *p)
{
	static const struct code any = {
		ctr_wait, 0, ctr_wait_jr, 0, TYPE_INTERRUPT,
	};
	static const struct code s = {
		ctr_wait_s, 0, ctr_wait_s_jr, 0, TYPE_INTERRUPT,
	};
	static const struct code m = {
		ctr_wait_m, 0, ctr_wait_m_jr, 0, TYPE_INTERRUPT,
	};

	if (p->from != p->to)
		return any;
	return p->to == MODE_M ? m : s;
}

/* Pending and enabled, delegated to where the path goes; 0 if it cannot be */
static int lcofi_raise(const struct path *p, int injected)
{
	csr_clear(CSR_MIDELEG, LCOFI);
	if (p->to != MODE_M)
		csr_set(CSR_MIDELEG, LCOFI);
	if (rt_has_h())
		csr_clear(CSR_HIDELEG, LCOFI);
	if (p->to != MODE_VS) {
		csr_set(CSR_MIE, LCOFI);
		csr_set(CSR_MIP, LCOFI);
		return 1;
	}
	if (injected) {
		if (csr_cause(MODE_M, OP_SWAP, CSR_HVIEN, LCOFI) != NO_TRAP ||
		    !(csr_get(MODE_M, CSR_HVIEN) & LCOFI))
			return 0;
		csr_set(CSR_HVIP, LCOFI);
	} else {
		csr_set(CSR_HIDELEG, LCOFI);
		if (!(csr_read(CSR_HIDELEG) & LCOFI))
			return 0;
		csr_set(CSR_MIP, LCOFI);
	}
	csr_write(CSR_VSIE, LCOFI);
	return 1;
}

static void lcofi_drop(void)
{
	csr_clear(CSR_MIE, LCOFI);
	if (rt_has_h()) {
		csr_write(CSR_VSIE, 0);
		csr_clear(CSR_HVIP, LCOFI);
		csr_cause(MODE_M, OP_SWAP, CSR_HVIEN, 0);
		csr_clear(CSR_HIDELEG, LCOFI);
	}
	csr_clear(CSR_MIP, LCOFI);
}

static unsigned int lcofi_sweep(const struct path *p, int injected)
{
	struct code c = waiting(p);
	unsigned int n, wrong = 0;
	u64 m, vs;

	for (n = 0; n < 4; n++) {
		m = n & 1 ? CTL_LCOFIFRZ : CTL_BPFRZ;
		vs = n & 2 ? CTL_LCOFIFRZ : CTL_BPFRZ;
		lcofi_raise(p, injected);
		wrong |= !outcome_is(p, &c, m, vs,
				     !!decides(p, n, CTL_LCOFIFRZ)) << n;
		lcofi_drop();
	}
	return wrong;
}

static void test_lcofi(const struct path *p)
{
	unsigned int wrong;
	int guest = p->to == MODE_VS;

	if (!lcofi_raise(p, 0)) {
		lcofi_drop();
		tap_skip("CTR-FRZ-007", "hideleg[13] is read-only 0");
		return;
	}
	lcofi_drop();
	wrong = lcofi_sweep(p, 0);
	report(p, "LCOFI", wrong, guest ? "CTR-FRZ-007" : "CTR-FRZ-001",
	       guest ? "CTR-CTL-037" : "CTR-CTL-013");
	CHECK("CTR-FRZ-002", !(wrong & due(p)), "the trap is not recorded");
}

static void test_injected(const struct path *p)
{
	unsigned int wrong;

	if (p->to != MODE_VS)
		return;
	if (!lcofi_raise(p, 1)) {
		lcofi_drop();
		tap_skip("CTR-FRZ-008", "hvien[13] is not writable");
		return;
	}
	lcofi_drop();
	wrong = lcofi_sweep(p, 1);
	CHECK("CTR-FRZ-008", !(wrong & due(p)),
	      "an injected LCOFI %s to %s freezes (wrong: %x)",
	      rt_mode_name[p->from], rt_mode_name[p->to], wrong);
	CHECK("CTR-CTL-037", !wrong, "vsctrctl.LCOFIFRZ decides");
}

static void test_other_interrupt(void)
{
	static const struct path p = { MODE_U, MODE_M };
	struct code c = waiting(&p);
	int ok;

	csr_clear(CSR_MIDELEG, BIT(IRQ_SSI));
	csr_set(CSR_MIP, BIT(IRQ_SSI));
	csr_set(CSR_MIE, BIT(IRQ_SSI));
	ok = outcome_is(&p, &c, CTL_LCOFIFRZ | CTL_BPFRZ, 0, 0);
	csr_clear(CSR_MIE, BIT(IRQ_SSI));
	csr_clear(CSR_MIP, BIT(IRQ_SSI));
	CHECK("CTR-CTL-013", ok, "another interrupt does not freeze");
}

/* S-mode sees LCOFI pending, and clears it before it is ever taken. */
unsigned long poll_lcofi(unsigned long bit, unsigned long unused);
static void test_no_trap(void)
{
	static const struct path p = { MODE_S, MODE_S };

	lcofi_raise(&p, 0);
	csr_clear(CSR_MIP, LCOFI);
	ctr_control((ALL_MODES & ~CTL_M) | CTL_LCOFIFRZ, 0);
	ctr_run(MODE_S, poll_lcofi, LCOFI, 0);
	ctr_control(0, 0);
	lcofi_drop();
	CHECK("CTR-FRZ-004", !(ctr_seen.status_end & STATUS_FROZEN) &&
	      ctr_valid() == 1, "pended and cleared without a trap: no freeze");
}

/*
 * A real overflow in the middle of jumps that each go to the next: the last
 * one recorded went to where the trap was. If records are counted, as many are
 * there, but for the skid.
 */
static void test_overflow(enum rt_mode mode, enum rt_mode to, u64 event)
{
	const struct path p = { mode, to };
	unsigned int i = hpm_nth(0), n, wrong = 0;
	struct ctr_entry e;

	for (n = 6; n < 40; n += 7) {
		if (event != INSTRET && n > 16)
			break;
		lcofi_raise(&p, 0);
		csr_clear(CSR_MIP, LCOFI);
		ctr_control(CTL_S | CTL_U | CTL_LCOFIFRZ, 0);
		ctr_seen.cause = 0;
		ctr_mtvec = to == MODE_M ? ctr_vec_m : ctr_vec_leave;
		ctr_seen.step = 0;
		hpm_start(i, event | (mode == MODE_U ? ONLY_U :
					EV_XINH & ~EV_SINH), -(u64)n);
		ctr_run(mode, ctr_hops, 100, 0);
		counter_stop(i);
		ctr_mtvec = ctr_vec_leave;
		ctr_control(0, 0);
		lcofi_drop();
		e = ctr_get(0);
		wrong += (ctr_seen.cause & ~CAUSE_INTERRUPT) != IRQ_LCOFI ||
			 !(ctr_seen.status & STATUS_FROZEN) ||
			 (e.target & ~TARGET_MISP) != ctr_seen.epc ||
			 (event != INSTRET && ctr_valid() - n > PLATFORM_SKID);
	}
	CHECK("CTR-FRZ-001", !wrong,
	      "an overflow of %s in %s-mode, LCOFI to %s-mode: what led to epc is kept (wrong: %u)",
	      event == INSTRET ? "instret" : "records", rt_mode_name[mode], rt_mode_name[to],
	      wrong);
}

void test_main(void)
{
	const struct path *p;

	ctr_init();
	for (p = paths; p < paths + ARRAY_SIZE(paths); p++)
		if (possible(p))
			test_breakpoint(p);
	test_trigger();
	if (!(ctr_core.ctl & CTL_LCOFIFRZ)) {
		tap_skip("CTR-FRZ-001", "no LCOFIFRZ");
		return;
	}
	counters_stop_all();
	for (p = paths; p < paths + ARRAY_SIZE(paths); p++) {
		if (!possible(p))
			continue;
		test_lcofi(p);
		test_injected(p);
	}
	test_other_interrupt();
	test_no_trap();
	test_overflow(MODE_S, MODE_M, INSTRET);
	test_overflow(MODE_U, MODE_S, INSTRET);
	test_overflow(MODE_U, MODE_M, INSTRET);
	if (PLATFORM_EVENT_RECORDED) {
		test_overflow(MODE_S, MODE_M, PLATFORM_EVENT_RECORDED);
		test_overflow(MODE_U, MODE_M, PLATFORM_EVENT_RECORDED);
	}
}
