// SPDX-License-Identifier: GPL-2.0-only
/*
 * Smctr/Ssctr: traps and trap returns between all modes, by what is enabled in
 * which of them; external traps; changes of V. The event of records counts each
 * in the mode that the transfer leaves.
 *
 * profile: ctr ctr-min ctr-some ctr-noh ctr-rv32
 */
#include "ctr.h"
#include "hpm.h"
#include "tap.h"

struct path {
	enum rt_mode from, to;
	const char *external;	/* the rule for its external traps */
};

static const struct path paths[] = {
	{ MODE_U, MODE_S, "CTR-EXT-001" },
	{ MODE_U, MODE_M, "CTR-EXT-002" },
	{ MODE_S, MODE_M, "CTR-EXT-003" },
	{ MODE_S, MODE_S, 0 },
	{ MODE_M, MODE_M, 0 },
	{ MODE_VU, MODE_VS, "CTR-EXT-004" },
	{ MODE_VU, MODE_S, "CTR-EXT-005" },
	{ MODE_VU, MODE_M, "CTR-EXT-006" },
	{ MODE_VS, MODE_S, "CTR-EXT-007" },
	{ MODE_VS, MODE_M, "CTR-EXT-008" },
	{ MODE_VS, MODE_VS, 0 },
};

static int is_guest(enum rt_mode mode)
{
	return mode >= MODE_VS;
}

static int changes_v(const struct path *p)
{
	return is_guest(p->from) != is_guest(p->to);
}

static int possible(const struct path *p)
{
	return rt_has_h() || !is_guest(p->from);
}

/* What is trapped by */
struct cause {
	const char *name;
	enum ctr_type type;
	void (*route)(const struct path *p);
	void (*raise)(const struct path *p);
	void (*drop)(void);
	unsigned long step;
};

static void route_exception(const struct path *p)
{
	csr_clear(CSR_MEDELEG, BIT(CAUSE_ILLEGAL));
	if (p->to != MODE_M)
		csr_set(CSR_MEDELEG, BIT(CAUSE_ILLEGAL));
	if (!rt_has_h())
		return;
	csr_clear(CSR_HEDELEG, BIT(CAUSE_ILLEGAL));
	if (p->to == MODE_VS)
		csr_set(CSR_HEDELEG, BIT(CAUSE_ILLEGAL));
}

static void raise_nothing(const struct path *p)
{
}

static void drop_nothing(void)
{
}

/* Supervisor software interrupts: M's, S's, or of a guest */
static void route_interrupt(const struct path *p)
{
	csr_clear(CSR_MIDELEG, BIT(IRQ_SSI));
	if (p->to != MODE_M)
		csr_set(CSR_MIDELEG, BIT(IRQ_SSI));
	if (rt_has_h())
		csr_write(CSR_HIDELEG, p->to == MODE_VS ? BIT(2) : 0);
}

static void raise_interrupt(const struct path *p)
{
	if (p->to == MODE_VS) {
		csr_write(CSR_VSIE, BIT(IRQ_SSI));
		csr_set(CSR_HVIP, BIT(2));
		return;
	}
	csr_set(CSR_MIP, BIT(IRQ_SSI));
	csr_set(CSR_MIE, BIT(IRQ_SSI));
}

static void drop_interrupt(void)
{
	csr_clear(CSR_MIP, BIT(IRQ_SSI));
	csr_clear(CSR_MIE, BIT(IRQ_SSI));
	if (!rt_has_h())
		return;
	csr_clear(CSR_HVIP, BIT(2));
	csr_write(CSR_VSIE, 0);
}

static const struct cause causes[] = {
	{ "exception", TYPE_EXCEPTION, route_exception, raise_nothing,
	  drop_nothing, 4 },
	{ "interrupt", TYPE_INTERRUPT, route_interrupt, raise_interrupt,
	  drop_interrupt, 0 },
};

/* What runs in the mode that is left, and how it ends */
struct code {
	rt_fn *fn;
	const char *jr;
};

static struct code code_for(const struct path *p, const struct cause *c)
{
	static const struct code trap = { ctr_trap, ctr_trap_jr };
	static const struct code wait = { ctr_wait, ctr_wait_jr };
	static const struct code wait_s = { ctr_wait_s, ctr_wait_s_jr };
	static const struct code wait_m = { ctr_wait_m, ctr_wait_m_jr };

	if (c->type == TYPE_EXCEPTION)
		return trap;
	if (p->from != p->to)
		return wait;
	return p->to == MODE_M ? wait_m : wait_s;
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

/*
 * Two counters of records: of all modes, and of the mode that a path leaves. What M-mode
 * does before and after it is not known to the test, so M-mode must not be recorded.
 */
static unsigned int of_all, of_source;
static int filtered;
static unsigned int counted, miscounted;

static void counters_init(void)
{
	u32 present = hpm_present();

	counters_stop_all();
	if (!PLATFORM_EVENT_RECORDED || !(present & (present - 1)))
		return;
	of_all = hpm_nth(0);
	of_source = hpm_nth(1);
}

static void counters_start(const struct path *p)
{
	u64 event = only_in(p->from, PLATFORM_EVENT_RECORDED);

	if (!of_all)
		return;
	event_set(of_all, PLATFORM_EVENT_RECORDED);
	event_set(of_source, event);
	/* There are no bits of modes that there are not, and none at all without Sscofpmf. */
	filtered = !(~event_get(of_source) & event & (EV_MINH | EV_SINH | EV_UINH));
	counter_set(of_all, 0);
	counter_set(of_source, 0);
	csr_clear(CSR_MCOUNTINHIBIT, BIT(of_all) | BIT(of_source));
}

static void counters_check(const struct path *p, const struct ctr_model *t)
{
	unsigned long ret = (unsigned long)vector_ret(p->to);
	unsigned int i, back = 0;

	counters_stop_all();
	if (!of_all || t->m & CTL_M)
		return;
	for (i = 0; i < t->n; i++)
		back += t->x[i].src == ret;
	counted++;
	miscounted += counter_get(of_all) != t->n ||
		      (filtered && counter_get(of_source) !=
				   t->n - (p->from == p->to ? 0 : back));
}

/*
 * There and back under these controls. The interrupted PC is only known
 * afterwards, hence the model after the run.
 */
static int trap_holds(const struct path *p, const struct cause *c, u64 m, u64 vs)
{
	struct code code = code_for(p, c);
	int interrupt = c->type == TYPE_INTERRUPT;
	struct ctr_model t;
	struct ctr_xfer x;

	ctr_control(m, vs);
	c->raise(p);
	ctr_seen.step = c->step;
	ctr_seen.cause = 0;
	ctr_mtvec = p->to == MODE_M ? ctr_vec_m : ctr_vec_leave;
	counters_start(p);
	ctr_run(p->from, code.fn, 0, 0);
	c->drop();
	ctr_control(0, 0);
	if (!ctr_seen.cause || !(ctr_seen.cause & CAUSE_INTERRUPT) != !interrupt)
		tap_bail("no %s from %s to %s", c->name, rt_mode_name[p->from],
			 rt_mode_name[p->to]);

	model_start(&t, m, vs);
	model_enter(&t, p->from, code.fn);
	x.src = ctr_seen.epc;
	x.dst = (unsigned long)vector(p->to);
	x.type = c->type;
	model_trap(&t, p->from, p->to, &x);
	x.src = (unsigned long)vector_ret(p->to);
	x.dst = ctr_seen.epc + c->step;
	model_return(&t, p->to, p->from, &x);
	model_leave(&t, p->from, code.jr);
	counters_check(p, &t);
	return ctr_holds(t.x, t.n);
}

/* By what is enabled: the source, the target; external traps */
enum class { NEITHER, TARGET, BOTH, HIDDEN, EXTERNAL, CLASSES };

static enum class class_of(const struct path *p, u64 m, u64 vs)
{
	struct ctr_model t;

	model_start(&t, m, vs);
	if (ctr_enabled(&t, p->to))
		return ctr_enabled(&t, p->from) ? BOTH : TARGET;
	if (!ctr_enabled(&t, p->from))
		return NEITHER;
	return ctr_external(&t, p->from, p->to) ? EXTERNAL : HIDDEN;
}

static u64 mix_m(unsigned int n)
{
	return ((n & 1 ? CTL_M : 0) | (n & 2 ? CTL_S : 0) | (n & 4 ? CTL_U : 0) |
		(n & 32 ? CTL_MTE : 0) | (n & 64 ? CTL_STE : 0)) & ctr_core.ctl;
}

static u64 mix_vs(unsigned int n)
{
	return ((n & 8 ? CTL_S : 0) | (n & 16 ? CTL_U : 0) |
		(n & 128 ? CTL_STE : 0)) & ctr_core.ctl;
}

static void report(const struct path *p, const struct cause *c,
		   const unsigned int *seen, const unsigned int *wrong)
{
	static const char *const trap[] = {
		[NEITHER] = "CTR-PRIV-004,CTR-PRIV-008",
		[TARGET] = "CTR-PRIV-002,CTR-PRIV-006",
		[BOTH] = "CTR-PRIV-001,CTR-PRIV-005",
		[HIDDEN] = "CTR-PRIV-003,CTR-PRIV-007",
	};
	static const char *const text[] = {
		"neither", "target", "both", "source", "source and TE",
	};
	const char *from = rt_mode_name[p->from], *to = rt_mode_name[p->to];
	unsigned int k;

	for (k = 0; k < CLASSES; k++) {
		if (!seen[k])
			continue;
		if (k == EXTERNAL) {
			CHECK(p->external, !wrong[k], "%s %s to %s (wrong: %u of %u)",
			      c->name, from, to, wrong[k], seen[k]);
			CHECK("CTR-EXT-010,CTR-EXT-013", !wrong[k],
			      "%s to %s: the source is epc, the target 0, no return",
			      from, to);
			continue;
		}
		CHECK(trap[k], !wrong[k],
		      "%s %s to %s and back, enabled: %s (wrong: %u of %u)", c->name,
		      from, to, text[k], wrong[k], seen[k]);
	}
	if (seen[HIDDEN] && seen[EXTERNAL])
		CHECK("CTR-EXT-009", !wrong[HIDDEN],
		      "%s %s to %s: not with any TE missing", c->name, from, to);
	if (!changes_v(p))
		return;
	CHECK("CTR-VIRT-001", !wrong[BOTH] && !wrong[TARGET] && !wrong[NEITHER],
	      "%s to %s: enables of each mode's own register", from, to);
	if (seen[EXTERNAL])
		CHECK("CTR-VIRT-002", !wrong[HIDDEN] && !wrong[EXTERNAL],
		      "%s to %s: TE of each mode's own register", from, to);
}

static void report_counted(const struct path *p, const struct cause *c)
{
	if (counted)
		CHECK("EVT-001", !miscounted, "%s %s to %s: counted as recorded (wrong: %u of %u)",
		      c->name, rt_mode_name[p->from], rt_mode_name[p->to], miscounted, counted);
}

static void test_path(const struct path *p, const struct cause *c)
{
	unsigned int seen[CLASSES], wrong[CLASSES], n;
	enum class k;

	for (k = 0; k < CLASSES; k++) {
		seen[k] = 0;
		wrong[k] = 0;
	}
	for (n = 0; n < 256; n++) {
		if (!rt_has_h() && n & 0x98)
			continue;
		k = class_of(p, mix_m(n), mix_vs(n));
		seen[k]++;
		wrong[k] += !trap_holds(p, c, mix_m(n), mix_vs(n));
	}
	report(p, c, seen, wrong);
}

/* The one bit of the target, for the modes next to each other */
static void test_bits(const struct cause *c)
{
	static const struct {
		struct path path;
		u64 m, vs;
		u64 m_te, vs_te;
		const char *rule, *name;
	} bits[] = {
		{ { MODE_U, MODE_S, 0 }, CTL_U, 0, CTL_STE, 0, "CTR-CTL-010", "STE" },
		{ { MODE_S, MODE_M, 0 }, CTL_S, 0, CTL_MTE, 0, "CTR-CTL-011", "MTE" },
		{ { MODE_VU, MODE_VS, 0 }, 0, CTL_U, 0, CTL_STE, "CTR-CTL-035",
		  "vsctrctl.STE" },
	};
	unsigned int n;

	for (n = 0; n < ARRAY_SIZE(bits); n++) {
		if (!possible(&bits[n].path))
			continue;
		if (!(ctr_core.ctl & CTL_STE)) {
			tap_skip(bits[n].rule, "no external traps");
			continue;
		}
		c->route(&bits[n].path);
		CHECK(bits[n].rule,
		      trap_holds(&bits[n].path, c, bits[n].m, bits[n].vs) &&
		      trap_holds(&bits[n].path, c, bits[n].m | bits[n].m_te,
				 bits[n].vs | bits[n].vs_te),
		      "%s records an external %s", bits[n].name, c->name);
	}
}

/* Filters */

#define ALL_MODES (CTL_M | CTL_S | CTL_U)
#define TRAP_FILTERS (CTL_EXCINH | CTL_INTRINH | CTL_TRETINH)

static u64 trap_filter(unsigned int n)
{
	return ((n & 1 ? CTL_EXCINH : 0) | (n & 2 ? CTL_INTRINH : 0) |
		(n & 4 ? CTL_TRETINH : 0)) & ctr_core.ctl;
}

/* All modes enabled, each mixture of these filters in both registers */
static void test_filters(const struct path *p, const struct cause *c)
{
	const char *rule = c->type == TYPE_EXCEPTION ? "CTR-CTL-014,CTR-CTL-016" :
						       "CTR-CTL-015,CTR-CTL-016";
	unsigned int n, wrong = 0;

	for (n = 0; n < 64; n++)
		wrong += !trap_holds(p, c, ALL_MODES | trap_filter(n),
				     CTL_S | CTL_U | trap_filter(n >> 3));
	if (!(ctr_core.ctl & TRAP_FILTERS)) {
		CHECK("CTR-TYPE-002", !wrong, "no filters: no effect");
		return;
	}
	CHECK(rule, !wrong, "%s %s to %s and back: filters (wrong: %u of 64)", c->name,
	      rt_mode_name[p->from], rt_mode_name[p->to], wrong);
	if (!changes_v(p))
		return;
	CHECK("CTR-VIRT-004", !wrong,
	      "%s to %s: the filters are those of vsctrctl",
	      rt_mode_name[p->from], rt_mode_name[p->to]);
	if (p->from == MODE_VU && p->to == MODE_S)
		CHECK("CTR-VIRT-005",
		      trap_holds(p, c, CTL_S | trap_filter(7), CTL_U) &&
		      trap_holds(p, c, CTL_S, CTL_U | trap_filter(7)),
		      "%s VU to HS: vsctrctl decides", c->name);
}

/* External traps go past the filters. */
static void test_past_filters(const struct path *p, const struct cause *c)
{
	u64 m = CTL_S | CTL_U | CTL_MTE | CTL_STE, vs = CTL_S | CTL_U | CTL_STE;
	u64 inh = TRAP_FILTERS & ctr_core.ctl;

	if (!p->external)
		return;
	if (!(ctr_core.ctl & CTL_STE) || !inh) {
		tap_skip("CTR-EXT-011", "no external traps or no filters");
		return;
	}
	if (p->to == MODE_S)
		m &= ~CTL_S;
	if (p->to == MODE_VS)
		vs &= ~CTL_S;
	CHECK("CTR-EXT-011", trap_holds(p, c, m | inh, vs | inh),
	      "external %s %s to %s with all filters", c->name,
	      rt_mode_name[p->from], rt_mode_name[p->to]);
}

/* Nothing enabled but the mode that is left, in sctrctl or in vsctrctl */
static u64 only(const struct path *p, int guest)
{
	if (is_guest(p->from) != guest)
		return 0;
	return p->from == MODE_U || p->from == MODE_VU ? CTL_U : CTL_S;
}

/* TYPE of the records of one path, the youngest of that kind */
static void test_type(const struct path *p, const struct cause *c)
{
	struct ctr_entry e;
	unsigned int x, trap = 0, ret = 0;

	if (!CTR_TYPE_KNOWN) {
		tap_skip("CTR-TYPE-004", "no TYPE");
		return;
	}
	trap_holds(p, c, ALL_MODES, CTL_S | CTL_U);
	for (x = 0; x < 6; x++) {
		e = ctr_get(x);
		if ((e.target & ~TARGET_MISP) == (unsigned long)vector(p->to) &&
		    e.source == (ctr_seen.epc | SOURCE_V))
			trap = e.data & DATA_TYPE;
		if (e.source == ((unsigned long)vector_ret(p->to) | SOURCE_V))
			ret = e.data & DATA_TYPE;
	}
	CHECK(c->type == TYPE_EXCEPTION ? "CTR-TYPE-004" : "CTR-TYPE-005",
	      trap == c->type, "%s %s to %s is TYPE %u", c->name,
	      rt_mode_name[p->from], rt_mode_name[p->to], trap);
	CHECK("CTR-TYPE-006", ret == TYPE_TRAPRET, "%s is TYPE %u",
	      p->to == MODE_M ? "MRET" : "SRET", ret);
	if (!p->external || !(ctr_core.ctl & CTL_STE))
		return;
	trap_holds(p, c, only(p, 0) | CTL_MTE | CTL_STE, only(p, 1) | CTL_STE);
	for (x = trap = 0; x < 6; x++) {
		e = ctr_get(x);
		if (e.source == (ctr_seen.epc | SOURCE_V) &&
		    !(e.target & ~TARGET_MISP))
			trap = e.data & DATA_TYPE;
	}
	CHECK("CTR-EXT-014", trap == c->type, "external %s %s to %s is TYPE %u",
	      c->name, rt_mode_name[p->from], rt_mode_name[p->to], trap);
}

void test_main(void)
{
	const struct path *p;
	const struct cause *c;

	ctr_init();
	ctr_set_depth(0);
	counters_init();
	for (c = causes; c < causes + ARRAY_SIZE(causes); c++) {
		for (p = paths; p < paths + ARRAY_SIZE(paths); p++) {
			if (!possible(p))
				continue;
			c->route(p);
			counted = 0;
			miscounted = 0;
			test_path(p, c);
			report_counted(p, c);
			test_filters(p, c);
			test_past_filters(p, c);
			test_type(p, c);
		}
		test_bits(c);
	}
	if (!(ctr_core.ctl & CTL_STE))
		tap_skip("CTR-EXT-009", "no external traps");
}
