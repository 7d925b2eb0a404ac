// SPDX-License-Identifier: GPL-2.0-only
#include "ctr.h"
#include "tap.h"

struct ctr_core ctr_core;
const char *ctr_mtvec = ctr_vec_leave;

static void frozen_at(u32 wrptr)
{
	csr_write(CSR_SCTRSTATUS, STATUS_FROZEN | wrptr);
}

void ctr_control(u64 m, u64 vs)
{
	csr_write(CSR_MCTRCTL, (unsigned long)m);
	if (rt_has_h())
		csr_write(CSR_VSCTRCTL, (unsigned long)vs);
}

void ctr_empty(void)
{
	frozen_at(0);
	__asm__ __volatile__(".word %0" : : "i"(ASM_SCTRCLR) : "memory");
}

unsigned int ctr_set_depth(unsigned int code)
{
	unsigned int got;

	csr_write(CSR_SCTRDEPTH, code);
	got = csr_read(CSR_SCTRDEPTH);
	ctr_core.depth = 16U << (got & 7);
	return got;
}

struct ctr_entry ctr_get(unsigned int x)
{
	struct ctr_entry e;

	csr_write(CSR_SISELECT, SELECT_CTR(x));
	e.source = csr_read(CSR_SIREG);
	e.target = csr_read(CSR_SIREG2);
	e.data = csr_read(CSR_SIREG3);
	return e;
}

void ctr_put(unsigned int x, unsigned long source, unsigned long target,
	     unsigned long data)
{
	csr_write(CSR_SISELECT, SELECT_CTR(x));
	csr_write(CSR_SIREG, source);
	csr_write(CSR_SIREG2, target);
	csr_write(CSR_SIREG3, data);
}

unsigned int ctr_valid(void)
{
	unsigned int x, n = 0;

	for (x = 0; x < ctr_core.depth; x++) {
		n += ctr_get(x).source & SOURCE_V;
		LOOK();
	}
	return n;
}

unsigned int ctr_run_length(void)
{
	unsigned int x = 0;

	while (x < ctr_core.depth && ctr_get(x).source & SOURCE_V)
		x++;
	return x;
}

void ctr_init(void)
{
	struct ctr_entry e;
	unsigned int code;

	if (!csr_exists(CSR_MCTRCTL) || !csr_exists(CSR_SCTRSTATUS))
		tap_bail("no control transfer records");
	csr_write(CSR_STVEC, ctr_vec_s);
	if (rt_has_h())
		csr_write(CSR_VSTVEC, ctr_vec_vs);
	ctr_control(0, 0);
	frozen_at(0);
	csr_write(CSR_MCTRCTL, ~0UL);
	ctr_core.ctl = csr_read(CSR_MCTRCTL);
	csr_write(CSR_MCTRCTL, 0);
	for (code = 0; code < 8; code++)
		ctr_core.depths |= 1U << (ctr_set_depth(code) & 7);
	while (!(ctr_core.depths >> --code & 1))
		;
	ctr_set_depth(code);
	ctr_empty();
	ctr_put(0, ~0UL, ~0UL, ~0UL);
	e = ctr_get(0);
	ctr_core.source = e.source;
	ctr_core.target = e.target;
	ctr_core.data = e.data;
	ctr_empty();
}

unsigned long ctr_run_on(enum rt_mode mode, rt_fn *fn, unsigned long a0,
			 unsigned long a1)
{
	unsigned long mtvec = csr_read(CSR_MTVEC);
	unsigned long ret;

	csr_write(CSR_MTVEC, ctr_mtvec);
	if (mode == MODE_M)
		ret = ctr_run_m(a0, a1, fn);
	else
		ret = rt_call_recorded(mode, fn, a0, a1);
	csr_write(CSR_MTVEC, mtvec);
	return ret;
}

unsigned long ctr_run(enum rt_mode mode, rt_fn *fn, unsigned long a0,
		      unsigned long a1)
{
	ctr_empty();
	return ctr_run_on(mode, fn, a0, a1);
}

/* An address that has to be 0 is told by 0. */
int ctr_is(const struct ctr_entry *e, const struct ctr_xfer *x)
{
	return e->source == (x->src | SOURCE_V) &&
	       (e->target & ~TARGET_MISP) == x->dst &&
	       (!CTR_TYPE_KNOWN || (e->data & DATA_TYPE) == x->type);
}

/* A few are told in full, or a broken core would talk for ever. */
#define NOTES 12
static unsigned int notes;

static void tell(unsigned int x, const struct ctr_entry *e,
		 const struct ctr_xfer *want)
{
	if (notes++ >= NOTES)
		return;
	if (want)
		NOTE("entry %u is %lx %lx %lx, not %lx %lx %lx", x, e->source,
		     e->target, e->data, want->src, want->dst, want->type);
	else
		NOTE("entry %u is %lx %lx %lx, not empty", x, e->source,
		     e->target, e->data);
}

int ctr_holds(const struct ctr_xfer *x, unsigned int n)
{
	struct ctr_entry e;
	unsigned int i;
	int ok = 1;

	for (i = 0; i < n && i < ctr_core.depth; i++) {
		e = ctr_get(i);
		LOOK();
		if (!ctr_is(&e, &x[n - 1 - i])) {
			tell(i, &e, &x[n - 1 - i]);
			ok = 0;
		}
	}
	if (n < ctr_core.depth) {
		e = ctr_get(n);
		if (e.source & SOURCE_V) {
			tell(n, &e, (void *)0);
			ok = 0;
		}
	}
	return ok;
}

static int is_guest(enum rt_mode mode)
{
	return mode >= MODE_VS;
}

int ctr_enabled(const struct ctr_model *t, enum rt_mode mode)
{
	const u64 bit[MODES] = { CTL_M, CTL_S, CTL_U, CTL_S, CTL_U };

	return !!((is_guest(mode) ? t->vs : t->m) & bit[mode]);
}

/* On a change of V all that follows no rule of its own is vsctrctl's. */
static u64 control(const struct ctr_model *t, enum rt_mode from,
		   enum rt_mode to)
{
	return is_guest(from) || is_guest(to) ? t->vs : t->m;
}

static int passes(u64 control, unsigned int type)
{
	int bit = control >> (32 + type) & 1;

	if (control & CTL_RASEMU)
		return 0;
	return type == TYPE_NOT_TAKEN ? bit : !bit;
}

static void add(struct ctr_model *t, unsigned long src, unsigned long dst,
		unsigned long type)
{
	if (t->n == CTR_EXPECT)
		tap_bail("too much is expected");
	t->x[t->n].src = src;
	t->x[t->n].dst = dst;
	t->x[t->n++].type = type;
}

/* The target's own enable and those of the modes in between */
int ctr_external(const struct ctr_model *t, enum rt_mode from, enum rt_mode to)
{
	int vste = !!(t->vs & CTL_STE), ste = !!(t->m & CTL_STE);
	int mte = !!(t->m & CTL_MTE);

	if (from == MODE_VU && !vste)
		return 0;
	if (to == MODE_VS)
		return from == MODE_VU;
	if (from != MODE_S && !ste)
		return 0;
	return to == MODE_S || mte;
}

void model_start(struct ctr_model *t, u64 m, u64 vs)
{
	t->m = m;
	t->vs = vs;
	t->n = 0;
}

void model_jump(struct ctr_model *t, enum rt_mode mode,
		const struct ctr_xfer *x)
{
	if (ctr_enabled(t, mode) && passes(control(t, mode, mode), x->type))
		add(t, x->src, x->dst, x->type);
}

void model_trap(struct ctr_model *t, enum rt_mode from, enum rt_mode to,
		const struct ctr_xfer *x)
{
	u64 c = control(t, from, to);

	if (ctr_enabled(t, to)) {
		if (passes(c, x->type))
			add(t, ctr_enabled(t, from) ? x->src : 0, x->dst,
			    x->type);
	} else if (ctr_enabled(t, from) && !(c & CTL_RASEMU) &&
		   ctr_external(t, from, to)) {
		add(t, x->src, 0, x->type);
	}
}

void model_return(struct ctr_model *t, enum rt_mode from, enum rt_mode to,
		  const struct ctr_xfer *x)
{
	if (ctr_enabled(t, from) && passes(control(t, from, to), TYPE_TRAPRET))
		add(t, x->src, ctr_enabled(t, to) ? x->dst : 0, TYPE_TRAPRET);
}

void model_enter(struct ctr_model *t, enum rt_mode mode, const void *fn)
{
	struct ctr_xfer x = { 0, (unsigned long)fn, TYPE_INDCALL };

	if (mode == MODE_M) {
		x.src = (unsigned long)ctr_run_m_call;
		model_jump(t, mode, &x);
	} else {
		x.src = (unsigned long)rt_drop_record_sret;
		model_return(t, MODE_M, mode, &x);
	}
}

void model_leave(struct ctr_model *t, enum rt_mode mode, const void *jr)
{
	struct ctr_xfer x = {
		(unsigned long)jr, (unsigned long)rt_leave, TYPE_INDJMP,
	};

	if (mode == MODE_M)
		x.dst = (unsigned long)ctr_run_m_back;
	if (jr)
		model_jump(t, mode, &x);
	x.src = (unsigned long)(rt_leave + 1);
	x.dst = (unsigned long)ctr_vec_leave;
	x.type = TYPE_EXCEPTION;
	if (mode != MODE_M)
		model_trap(t, mode, MODE_M, &x);
}

int model_run(const struct ctr_model *t, enum rt_mode mode, rt_fn *fn,
	      unsigned long a0, unsigned long a1)
{
	ctr_control(t->m, t->vs);
	ctr_run(mode, fn, a0, a1);
	ctr_control(0, 0);
	return ctr_holds(t->x, t->n);
}
