// SPDX-License-Identifier: GPL-2.0-only
/*
 * Smctr/Ssctr: cycle counts, held against mcycle. What is recorded must lie
 * between readings right inside and right outside of the two transfers.
 *
 * profile: ctr ctr-some ctr-cce0 ctr-cce1 ctr-cce2 ctr-cce3 ctr-slow ctr-cheap ctr-noh ctr-rv32
 */
#include "ctr.h"
#include "tap.h"

/* Readings before and after the first transfer, and around the second */
struct span {
	unsigned long before, after, before2, after2;
	unsigned long pause_from, pause_to;	/* inside of a pause, if any */
	unsigned long until, since;		/* outside of it */
};

static struct span span;

/*
 * All take the address of a span in a1 and record two jumps, of which the
 * second has the count, and the `jr a5'. cyc_spin: a0 rounds of a loop whose
 * branch is inhibited. cyc_nops, cyc_many: 64 and 5000 instructions.
 * cyc_trap, cyc_frozen: with a pause. cyc_mctrctl to cyc_read: with an access,
 * the value in a0. cyc_chain: 14 jumps. Those in _m read mcycle, others cycle.
 */
CTR_CODE(cyc_spin_m);
CTR_CODE(cyc_nops_m);
CTR_CODE(cyc_many_m);
CTR_CODE(cyc_nops);
CTR_CODE(cyc_trap);
CTR_CODE(cyc_frozen);
CTR_CODE(cyc_chain_m);
CTR_CODE(cyc_mctrctl);
CTR_CODE(cyc_sctrctl);
CTR_CODE(cyc_vsctrctl);
CTR_CODE(cyc_set);
CTR_CODE(cyc_clear);
CTR_CODE(cyc_read);
unsigned long cyc_ras(unsigned long unused, unsigned long span);

/* CC as a count that is C is to be recorded, as it comes in ctrdata[31:16] */
static unsigned int cce_bits(void)
{
	unsigned int n = 0;

	while (ctr_core.data >> (28 + n) & 1 && n < 4)
		n++;
	return n;
}

static unsigned int encode(u64 c)
{
	unsigned int cce_max = (1U << cce_bits()) - 1, cce, msb = 0;

	if (c < 4096)
		return c;
	while (c >> msb > 1)
		msb++;
	cce = msb - 11;
	if (cce > cce_max)
		return cce_max << 12 | 0xfff;
	return cce << 12 | (c >> (cce - 1) & 0xfff);
}

static unsigned int cc_of(unsigned int x)
{
	return ctr_get(x).data >> 16 & 0xffff;
}

static int ccv_of(unsigned int x)
{
	return !!(ctr_get(x).data & DATA_CCV);
}

static unsigned int notes;

/* Between the counts that the readings allow, and said to be valid? */
static int within(unsigned int x, u64 low, u64 high)
{
	unsigned int cc = cc_of(x);

	if (ccv_of(x) && cc >= encode(low) && cc <= encode(high))
		return 1;
	if (notes++ < 8)
		NOTE("CCV %d CC %x, should be %llx to %llx: %x to %x", ccv_of(x),
		     cc, low, high, encode(low), encode(high));
	return 0;
}

static int span_holds(unsigned int x)
{
	return within(x, span.before2 - span.after, span.after2 - span.before);
}

static void measure(enum rt_mode mode, rt_fn *fn, unsigned long n)
{
	ctr_run(mode, fn, n, (unsigned long)&span);
}

static u64 loop_ctl(void)
{
	return (CTL_M | CTL_TKBRINH) & ctr_core.ctl;
}

/* An error of one cycle in each record would show in their sum. */
static void test_sum(void)
{
	unsigned int x, invalid = 0, large = 0;
	unsigned long sum = 0, data;

	measure(MODE_M, cyc_chain_m, 0);
	for (x = 1; x <= 13; x++) {
		data = ctr_get(x).data;
		invalid += !(data & DATA_CCV);
		large += !!(data & DATA_CCE);
		sum += data >> 16 & 0xfff;
	}
	if (large) {
		tap_skip("CTR-CC-003", "jumps that take 4096 cycles");
		return;
	}
	CHECK("CTR-CC-003", !invalid && sum >= span.before2 - span.after &&
	      sum <= span.after2 - span.before,
	      "13 records add up to the time that they took (%lu)", sum);
}

static void test_rate(void)
{
	unsigned int n, wrong = 0;

	ctr_control(CTL_M, 0);
	for (n = 0; n < 20; n++) {
		measure(MODE_M, cyc_nops_m, 0);
		wrong += !span_holds(1);
	}
	CHECK("CTR-CC-003", !wrong, "64 instructions: as mcycle (wrong: %u)",
	      wrong);
	measure(MODE_M, cyc_many_m, 0);
	CHECK("CTR-CC-003", span_holds(1), "5000 instructions");
	test_sum();
	ctr_control(0, 0);
}

/* The same everywhere, by the user's view of mcycle */
static void test_modes(void)
{
	int m;

	if (!csr_exists(CSR_COUNTER(COUNTER_CYCLE))) {
		tap_skip("CTR-CC-004", "no Zicntr");
		return;
	}
	csr_write(CSR_MCOUNTEREN, ~0UL);
	csr_write(CSR_SCOUNTEREN, ~0UL);
	if (rt_has_h())
		csr_write(CSR_HCOUNTEREN, ~0UL);
	ctr_control(CTL_S | CTL_U, CTL_S | CTL_U);
	for (m = MODE_S; m < (rt_has_h() ? MODES : MODE_VS); m++) {
		measure(m, cyc_nops, 0);
		CHECK("CTR-CC-003", span_holds(1), "%s-mode: as cycle",
		      rt_mode_name[m]);
	}
	ctr_control(0, 0);
}

/* A pause: what may be counted is neither it nor less than the rest. */
static int pause_holds(void)
{
	u64 pause = span.pause_to - span.pause_from;
	u64 high = span.after2 - span.before - pause;
	u64 low = (span.until - span.after) + (span.before2 - span.since);

	if (!ccv_of(1))
		return 1;
	return within(1, low, high);
}

static void test_active(enum rt_mode mode)
{
	if (!csr_exists(CSR_COUNTER(COUNTER_CYCLE)))
		return;
	ctr_control(CTL_S | CTL_U, CTL_S | CTL_U);
	ctr_mtvec = ctr_vec_slow;
	ctr_seen.step = 4;
	measure(mode, cyc_trap, 0);
	ctr_mtvec = ctr_vec_leave;
	span.pause_from = ctr_seen.slow_from;
	span.pause_to = ctr_seen.slow_to;
	CHECK("CTR-CC-004,CTR-CC-018", span.pause_to - span.pause_from >= 100 &&
	      pause_holds(), "%s-mode: time in M-mode, which is off, is not counted, or CCV is 0",
	      rt_mode_name[mode]);
	if (mode == MODE_S || mode == MODE_VS) {
		measure(mode, cyc_frozen, 0);
		CHECK("CTR-CC-004,CTR-CC-018", pause_holds(),
		      "%s-mode: time with FROZEN=1 is not counted, or CCV is 0",
		      rt_mode_name[mode]);
	}
	ctr_control(0, 0);
}

/* The record after it has CCV=0, the one after that is right again. */
static void test_reset(const char *rule, rt_fn *fn, u64 arg, const char *what)
{
	ctr_control(CTL_M, 0);
	measure(MODE_M, fn, (unsigned long)arg);
	CHECK(rule, !ccv_of(1) && ccv_of(0),
	      "%s: the next record has CCV=0, and only that", what);
	measure(MODE_M, cyc_nops_m, 0);
	CHECK("CTR-CC-018", span_holds(1), "counts are right after that");
	ctr_control(0, 0);
}

static void test_resets(void)
{
	test_reset("CTR-CC-009,CTR-CC-017", cyc_mctrctl, CTL_M, "mctrctl written");
	test_reset("CTR-CC-009,CTR-CC-017", cyc_set, CTL_S, "a bit of mctrctl set");
	/* It is a write for any register but x0, whatever is in it. */
	test_reset("CTR-CC-009,CTR-CC-017", cyc_set, 0, "no bit of mctrctl set by CSRRS");
	test_reset("CTR-CC-009,CTR-CC-017", cyc_sctrctl, 0, "sctrctl written");
	if (rt_has_h())
		test_reset("CTR-CC-009,CTR-CC-017", cyc_vsctrctl, 0, "vsctrctl written");
	ctr_control(CTL_M, 0);
	measure(MODE_M, cyc_clear, 0);
	CHECK("CTR-CC-010,CTR-CLR-003", !ccv_of(1) && ccv_of(0),
	      "SCTRCLR: the next record has CCV=0, and only that");
	measure(MODE_M, cyc_read, 0);
	CHECK("CTR-CC-009", span_holds(1), "reads reset nothing");
	/* Without SCTRCLR in between */
	ctr_run_on(MODE_M, cyc_nops_m, 0, (unsigned long)&span);
	ctr_control(CTL_M, 0);
	ctr_run_on(MODE_M, cyc_nops_m, 0, (unsigned long)&span);
	CHECK("CTR-CC-017", !ccv_of(3) && ccv_of(2),
	      "the first record after mctrctl was written has CCV=0");
	CHECK("CTR-CC-003", span_holds(1), "the others count");
	ctr_control(0, 0);
}

/* Cycles per round of the loop, in units of 1/256, and those besides */
static unsigned long per_round, besides;

static void calibrate(void)
{
	unsigned long few, many;

	measure(MODE_M, cyc_spin_m, 64);
	measure(MODE_M, cyc_spin_m, 64);
	few = span.before2 - span.after;
	measure(MODE_M, cyc_spin_m, 64 + 1024);
	many = span.before2 - span.after;
	per_round = (many - few) / 4;
	besides = few > 64 * per_round / 256 ? few - 64 * per_round / 256 : 0;
}

static unsigned long rounds_for(unsigned long cycles)
{
	return cycles > besides ? (cycles - besides) * 256 / per_round : 0;
}

/* Counts around a value, each checked against what it may be */
static unsigned int around(unsigned long cycles, unsigned long reach)
{
	unsigned long n = rounds_for(cycles), i;
	unsigned int wrong = 0;

	for (i = n > reach ? n - reach : 1; i <= n + reach; i++) {
		measure(MODE_M, cyc_spin_m, i);
		wrong += !span_holds(1);
	}
	return wrong;
}

static unsigned long largest(void)
{
	static const unsigned long max[] = { 4095, 8191, 32764, 524224, 134201344 };

	return max[cce_bits()];
}

static void test_encoding(void)
{
	unsigned int wrong, msb;

	CHECK("CTR-CC-005", !around(40, 20) && !around(1000, 10) &&
	      !around(4080, 4), "less than 4096: CCE=0 and CCM is the count");
	wrong = around(4096, 8);
	CHECK("CTR-CC-006,CTR-CC-008", !wrong, "around 4096 (wrong: %u)", wrong);
	wrong = around(8191, 8);
	CHECK("CTR-CC-007,CTR-CC-008", !wrong, "around 8192 (wrong: %u)", wrong);
	for (msb = 14; msb < 26 && BIT(msb) < largest(); msb++) {
		if (rounds_for(BIT(msb)) > PLATFORM_SPINS / 10)
			break;
		wrong = around(BIT(msb), 3) + around(BIT(msb) / 4 * 5, 2);
		CHECK("CTR-CC-006,CTR-CC-007", !wrong, "around 2^%u (wrong: %u)", msb, wrong);
	}
}

static void test_saturation(void)
{
	static const char *const rule[] = {
		"CTR-CC-012", "CTR-CC-013", "CTR-CC-014", "CTR-CC-015",
		"CTR-CC-016",
	};
	unsigned int n = cce_bits(), all = ctr_core.data >> 16 & 0xffff;
	unsigned long rounds = rounds_for(largest() + largest() / 1024) + 16;

	if (rounds > PLATFORM_SPINS) {
		tap_skip(rule[n], "it would take too long to get there");
		return;
	}
	CHECK(rule[n], encode(largest()) == all &&
	      !around(largest() - (largest() >> 13), 2),
	      "%u CCE bits: counts to %lu", n, largest());
	measure(MODE_M, cyc_spin_m, rounds);
	CHECK(rule[n], ccv_of(1) && cc_of(1) == all, "and not beyond (%x)",
	      cc_of(1));
	measure(MODE_M, cyc_spin_m, rounds * 2);
	CHECK("CTR-CC-011", ccv_of(1) && cc_of(1) == all,
	      "with twice as many cycles it is the same (%x)", cc_of(1));
}

/* A popped call's time is the next call's, or nobody's. */
static void test_ras(void)
{
	if (!(ctr_core.ctl & CTL_RASEMU)) {
		tap_skip("CTR-RAS-010", "no RASEMU");
		return;
	}
	ctr_control(CTL_M | CTL_RASEMU, 0);
	measure(MODE_M, cyc_ras, 0);
	ctr_control(0, 0);
	CHECK("CTR-RAS-010", ctr_run_length() == 3 &&
	      (!ccv_of(0) || within(0, span.before2 - span.after,
				    span.after2 - span.before)),
	      "RASEMU: CC goes back to the call that is entry 1, or CCV=0");
}

void test_main(void)
{
	ctr_init();
	if (!CTR_CC_KNOWN) {
		tap_skip("CTR-CC-003", "no cycle counts");
		return;
	}
	csr_clear(CSR_MCOUNTINHIBIT, BIT(COUNTER_CYCLE));
	csr_write(CSR_MCOUNTER(COUNTER_CYCLE), 0);
	test_rate();
	test_modes();
	test_active(MODE_S);
	test_active(MODE_U);
	if (rt_has_h()) {
		test_active(MODE_VS);
		test_active(MODE_VU);
	}
	test_resets();
	test_ras();
	if (!(ctr_core.ctl & CTL_TKBRINH)) {
		tap_skip("CTR-CC-005", "no TKBRINH");
		return;
	}
	ctr_control(loop_ctl(), 0);
	calibrate();
	test_encoding();
	test_saturation();
	ctr_control(0, 0);
}
