// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sscofpmf: the local counter-overflow interrupt: bits, delegation, priority.
 *
 * profile: full noaia rv32
 */
#include "hpm.h"
#include "tap.h"

static int delegate(int on)
{
	if (on)
		csr_set(CSR_MIDELEG, LCOFI);
	else
		csr_clear(CSR_MIDELEG, LCOFI);
	return !!(csr_read(CSR_MIDELEG) & LCOFI) == on;
}

static void overflow(unsigned int i)
{
	hpm_start(i, INSTRET | ONLY_U, -2ULL);
	rt_call(MODE_U, rt_loop, 10, 0);
	counter_stop(i);
	lcofi_wait();
}

static void test_pending_bit(unsigned int i)
{
	unsigned long before;

	delegate(0);
	lcofi_clear();
	before = csr_read(CSR_MIP);
	overflow(i);
	CHECK("COF-022", (csr_read(CSR_MIP) ^ before) == LCOFI,
	      "an overflow changes bit 13 of mip and no other");
	CHECK("COF-022", !(csr_get(MODE_S, CSR_SIP) & LCOFI),
	      "sip does not show it while it is not delegated");
	if (!delegate(1)) {
		tap_skip("COF-022", "mideleg[13] is read-only 0");
		return;
	}
	CHECK("COF-022", csr_get(MODE_S, CSR_SIP) & LCOFI,
	      "sip shows it once delegated");
}

static void test_enable_bit(void)
{
	delegate(0);
	lcofi_clear();
	csr_write(CSR_MIE, LCOFI);
	CHECK("COF-023", csr_read(CSR_MIE) == LCOFI, "mie bit 13 holds 1");
	csr_write(CSR_MIE, 0);
	CHECK("COF-023", !csr_read(CSR_MIE), "mie bit 13 holds 0");
	csr_put(MODE_S, CSR_SIE, LCOFI);
	CHECK("COF-023", !csr_read(CSR_MIE) && !csr_read(CSR_SIE),
	      "sie bit 13 is read-only 0 while not delegated");
	if (!delegate(1)) {
		tap_skip("COF-023", "mideleg[13] is read-only 0");
		return;
	}
	csr_put(MODE_S, CSR_SIE, LCOFI);
	CHECK("COF-023", csr_get(MODE_S, CSR_SIE) == LCOFI &&
	      csr_read(CSR_MIE) == LCOFI, "sie bit 13 holds 1, and is mie's");
	csr_put(MODE_S, CSR_SIE, 0);
	CHECK("COF-023", !csr_get(MODE_S, CSR_SIE) && !csr_read(CSR_MIE),
	      "sie bit 13 holds 0, and is mie's");
}

static void test_software(void)
{
	delegate(0);
	csr_set(CSR_MIP, LCOFI);
	CHECK("COF-025", lcofi_pending(), "set through mip");
	csr_put(MODE_S, CSR_SIP, 0);
	CHECK("COF-025", lcofi_pending(), "sip cannot clear it undelegated");
	csr_clear(CSR_MIP, LCOFI);
	CHECK("COF-025", !lcofi_pending(), "cleared through mip");
	if (!delegate(1)) {
		tap_skip("COF-025", "mideleg[13] is read-only 0");
		return;
	}
	csr_try(MODE_S, OP_SET, CSR_SIP, LCOFI);
	CHECK("COF-025", lcofi_pending(), "set through sip");
	csr_try(MODE_S, OP_CLEAR, CSR_SIP, LCOFI);
	CHECK("COF-025", !lcofi_pending(), "cleared through sip");
}

/* Take what is pending and enabled in a mode; the number of traps */
static u32 let_in(enum rt_mode mode)
{
	rt_log.n = 0;
	if (mode == MODE_M)
		rt_call(mode, rt_window_m, 0, 0);
	else if (mode == MODE_S || mode == MODE_VS)
		rt_call(mode, rt_window_s, 0, 0);
	else
		rt_call(mode, rt_nops, 0, 0);
	csr_write(CSR_MIE, 0);
	return rt_log.n;
}

static int took(u32 n, unsigned int irq, enum rt_mode to)
{
	return rt_log.trap[n].cause == (CAUSE_INTERRUPT | irq) &&
	       rt_log.trap[n].to == to;
}

static u32 lcofi_in(enum rt_mode mode)
{
	csr_set(CSR_MIP, LCOFI);
	csr_write(CSR_MIE, LCOFI);
	return let_in(mode);
}

static void test_target(void)
{
	int m;

	delegate(0);
	for (m = MODE_M; m < MODES; m++)
		CHECK("COF-027", lcofi_in(m) == 1 && took(0, IRQ_LCOFI, MODE_M),
		      "not delegated, %s-mode traps to M-mode", rt_mode_name[m]);
	CHECK("COF-024", rt_log.trap[0].cause == (CAUSE_INTERRUPT | 13),
	      "mcause is an interrupt with code 13");
	if (!delegate(1)) {
		tap_skip("COF-028", "mideleg[13] is read-only 0");
		return;
	}
	for (m = MODE_S; m < MODES; m++)
		CHECK("COF-028", lcofi_in(m) == 1 && took(0, IRQ_LCOFI, MODE_S),
		      "delegated, %s-mode traps to S-mode", rt_mode_name[m]);
	CHECK("COF-024", rt_log.trap[0].cause == (CAUSE_INTERRUPT | 13),
	      "scause is an interrupt with code 13");
	CHECK("COF-028", lcofi_in(MODE_M) == 0 && lcofi_pending(),
	      "delegated, M-mode is not interrupted");
}

/* An overflow in a mode, the whole way to the handler */
static void test_overflow(unsigned int i, enum rt_mode to)
{
	static const u64 only[MODES] = {
		[MODE_S] = EV_XINH & ~EV_SINH, [MODE_U] = ONLY_U,
	};
	int m;

	for (m = MODE_S; m <= MODE_U; m++) {
		if (!delegate(to == MODE_S)) {
			tap_skip("COF-028", "mideleg[13] is read-only 0");
			return;
		}
		lcofi_clear();
		csr_write(CSR_MIE, LCOFI);
		hpm_start(i, INSTRET | only[m], -4ULL);
		let_in(m);
		counter_stop(i);
		CHECK(to == MODE_M ? "COF-027" : "COF-028",
		      rt_log.n == 1 && took(0, IRQ_LCOFI, to),
		      "overflow in %s-mode traps to %s-mode", rt_mode_name[m],
		      rt_mode_name[to]);
	}
}

static const struct order {
	unsigned int irq;
	const char *name;
	void (*platform)(int on);	/* for bits that mip cannot set */
} orders[] = {
	{ IRQ_MEI, "MEI", plat_mei },
	{ IRQ_MSI, "MSI", plat_msi },
	{ IRQ_MTI, "MTI", plat_mti },
	{ IRQ_SEI, "SEI", 0 },
	{ IRQ_SSI, "SSI", 0 },
	{ IRQ_STI, "STI", 0 },
};

static void raise(const struct order *o, int on)
{
	int n;

	if (!o->platform && on)
		csr_set(CSR_MIP, BIT(o->irq));
	else if (!o->platform)
		csr_clear(CSR_MIP, BIT(o->irq));
	else
		o->platform(on);
	for (n = 0; n < PLATFORM_LCOFI_WAIT; n++)
		if (!!(csr_read(CSR_MIP) & BIT(o->irq)) == on)
			return;
	tap_bail("%s does not become %d", o->name, on);
}

/* Both pending and enabled: the other one is taken first, then LCOFI. */
static void test_order(const struct order *o, const char *rule,
		       enum rt_mode mode, enum rt_mode to)
{
	csr_write(CSR_MIP, 0);
	raise(o, 1);
	csr_set(CSR_MIP, LCOFI);
	csr_write(CSR_MIE, LCOFI | BIT(o->irq));
	CHECK(rule, let_in(mode) == 2 && took(0, o->irq, to) &&
	      took(1, IRQ_LCOFI, to), "%s before LCOFI, from %s- to %s-mode",
	      o->name, rt_mode_name[mode], rt_mode_name[to]);
	raise(o, 0);
	lcofi_clear();
}

static void test_priority(void)
{
	unsigned long s_ints = BIT(IRQ_SEI) | BIT(IRQ_SSI) | BIT(IRQ_STI);
	const struct order *o;

	delegate(0);
	for (o = orders; o < orders + 6; o++) {
		test_order(o, "COF-029", MODE_M, MODE_M);
		test_order(o, "COF-029", MODE_U, MODE_M);
	}
	if (!delegate(1)) {
		tap_skip("COF-030", "mideleg[13] is read-only 0");
		return;
	}
	csr_set(CSR_MIDELEG, s_ints);
	for (o = orders + 3; o < orders + 6; o++) {
		test_order(o, "COF-030", MODE_S, MODE_S);
		test_order(o, "COF-030", MODE_U, MODE_S);
	}
	csr_clear(CSR_MIDELEG, s_ints);
}

void test_main(void)
{
	unsigned int i = hpm_nth(0);

	counters_stop_all();
	csr_write(CSR_MIP, 0);
	test_pending_bit(i);
	test_enable_bit();
	test_software();
	test_target();
	test_overflow(i, MODE_M);
	test_overflow(i, MODE_S);
	lcofi_clear();
	test_priority();
}
