// SPDX-License-Identifier: GPL-2.0-only
/*
 * Smpdis/Sspdis: events of counters in records (HPM bits), and events of PDIS
 * in counters.
 *
 * profile: pdis pdis-memory pdis-regs pdis-rv32
 */
#include "pdis.h"
#include "tap.h"

/* Counted in S-mode alone */
#define ONLY_S	(EV_XINH & ~EV_SINH)

/* Whose are PDIS and the counter: of S-mode, or of M-mode? */
static void delegate(int pdis, int counter)
{
	pdis_stateen(pdis, 0);
	cde_set(counter);
	counteren_set(counter ? ~0U : 0, 0);
}

static int recorded(const char *probe, unsigned int i, u64 ask)
{
	const struct pdis_probe *p = pdis_probe(probe);
	struct pdis_record r;

	probe_sample(p, MODE_S, ask, &r);
	return !!(r.hdr & PDIS_HPM_BIT(i));
}

static void test_hpm_bit(unsigned int i)
{
	u64 bit = PDIS_HPM_BIT(i);

	hpm_start(i, PLATFORM_EVENT_LOAD, 0);
	delegate(1, 1);
	CHECK("PDIS-CTL-033", recorded("lw", i, bit), "HPM%u: a load", i);
	CHECK("PDIS-HDR-004", recorded("lw", i, bit), "in bit %u", i);
	CHECK("PDIS-CTL-034", !recorded("nop", i, bit), "HPM%u: no load", i);
	CHECK("PDIS-CTL-034", !recorded("sw", i, bit), "HPM%u: a store", i);
	CHECK("PDIS-CTL-035", !recorded("lw", i, 0), "HPM%u not asked for", i);
	delegate(0, 0);
	CHECK("PDIS-CTL-033", recorded("lw", i, bit), "HPM%u: all is M-mode's", i);
	delegate(1, 0);
	CHECK("PDIS-CTL-036", !recorded("lw", i, bit), "counter %u is M-mode's", i);
	delegate(0, 1);
	CHECK("PDIS-CTL-036", !recorded("lw", i, bit), "PDIS is M-mode's");
	delegate(1, 1);
	event_set(i, PLATFORM_EVENT_LOAD | EV_SINH);
	CHECK("PDIS-CTL-038", !recorded("lw", i, bit), "SINH=1: not in S-mode");
	event_set(i, PLATFORM_EVENT_LOAD | (EV_XINH & ~EV_SINH));
	CHECK("PDIS-CTL-038", recorded("lw", i, bit), "SINH=0: in S-mode");
	event_set(i, PLATFORM_EVENT_NOT_PDIS);
	CHECK("PDIS-CTL-037", !recorded("lw", i, bit),
	      "HPM%u: an event without PDIS", i);
	event_set(i, PLATFORM_EVENT_BRANCH);
	CHECK("PDIS-CTL-033", recorded("beq_taken", i, bit), "HPM%u: a branch", i);
	CHECK("PDIS-CTL-034", !recorded("lw", i, bit), "HPM%u: no branch", i);
	counter_stop(i);
	event_set(i, 0);
}

static void test_hpm_bits(void)
{
	u32 present = hpm_present() & (u32)pdis_core.ctl & PDIS_HPM;
	unsigned int i, first = 0, last = 0;

	for (i = COUNTER_FIRST; i <= COUNTER_LAST; i++)
		if (present >> i & 1) {
			first = first ? first : i;
			last = i;
		}
	if (!first || !PLATFORM_EVENT_LOAD) {
		tap_skip("PDIS-CTL-033", "no HPM bits");
		return;
	}
	test_hpm_bit(first);
	test_hpm_bit(last);
}

static void test_hpm_filter(void)
{
	unsigned int i = hpm_nth(0);
	u64 bit = PDIS_HPM_BIT(i);
	const struct pdis_probe *p = pdis_probe("lw"), *q = pdis_probe("nop");
	struct pdis_record r;

	if (!(pdis_core.ctl & pdis_core.events & bit)) {
		tap_skip("PDIS-FLT-009", "no HPM bits");
		return;
	}
	delegate(1, 1);
	hpm_start(i, PLATFORM_EVENT_LOAD, 0);
	pdis_filter(bit, bit, 0);
	CHECK("PDIS-FLT-009", probe_sample(p, MODE_S, bit, &r) &&
	      !probe_sample(q, MODE_S, bit, &r), "HPM bits are compared");
	pdis_filter(0, 0, 0);
	counter_stop(i);
	event_set(i, 0);
}

static const struct {
	const char *rule, *name;
	u64 event;
} decoded[] = {
	[SEL_ALL] = { "PDIS-EVT-001", "INST.DEC.SPEC", PLATFORM_EVENT_DEC },
	[SEL_LOAD] = { "PDIS-EVT-003", "INST.DEC.LOAD.SPEC",
		       PLATFORM_EVENT_DEC_LOAD },
	[SEL_STORE] = { "PDIS-EVT-004", "INST.DEC.STORE.SPEC",
			PLATFORM_EVENT_DEC_STORE },
	[SEL_LDST] = { "PDIS-EVT-005", "INST.DEC.LDST.SPEC",
		       PLATFORM_EVENT_DEC_LDST },
	[SEL_CTI] = { "PDIS-EVT-002", "INST.DEC.BRJMP.SPEC",
		      PLATFORM_EVENT_DEC_BRJMP },
};

/* COUNT counts the same. */
static void test_decoded(unsigned int sel)
{
	static const char *const names[] = { "nop", "lw", "sw", "amo", "j", "illegal" };
	unsigned int i = hpm_nth(0), n;

	if (!decoded[sel].event) {
		tap_skip(decoded[sel].rule, "no such event");
		return;
	}
	for (n = 0; n < ARRAY_SIZE(names); n++) {
		const struct pdis_probe *p = pdis_probe(names[n]);
		u32 got;

		pdis_prepare(MODE_S, sel);
		pdis_count(0, 0);
		hpm_start(i, decoded[sel].event | ONLY_S, 0);
		pdis_run(MODE_S, p->fn, probe_arg(p), 0);
		counter_stop(i);
		got = counter_get(i);
		CHECK(decoded[sel].rule, got == pdis_count_get() &&
		      (got || sel != SEL_ALL), "%s of %s: %u, COUNT %u",
		      decoded[sel].name, p->name, got, pdis_count_get());
	}
	event_set(i, 0);
}

enum fate { DECODED, SAMPLES, COLLISIONS, FILTERED, DROPPED, FATES };

static const u64 fates[FATES] = {
	PLATFORM_EVENT_DEC, PLATFORM_EVENT_PDIS_SAMPLES,
	PLATFORM_EVENT_PDIS_COLLISIONS, PLATFORM_EVENT_PDIS_FILTERED,
	PLATFORM_EVENT_PDIS_DROPPED,
};

static void count_fates(u32 period, u32 *got)
{
	unsigned int n, i[FATES];

	for (n = 0; n < FATES; n++)
		i[n] = hpm_nth(n);
	pdis_count(period, -period);
	for (n = 0; n < FATES; n++)
		hpm_start(i[n], fates[n] | ONLY_S, 0);
	pdis_run(MODE_S, pdis_line, 0, 0);
	for (n = 0; n < FATES; n++) {
		counter_stop(i[n]);
		got[n] = counter_get(i[n]);
		event_set(i[n], 0);
	}
}

static void check_sum(const u32 *got, u32 period, const char *what)
{
	u32 sum = got[SAMPLES] + got[COLLISIONS] + got[FILTERED] + got[DROPPED];

	CHECK("PDIS-EVT-010", sum == got[DECODED] / period,
	      "%s: %u recorded, %u collisions, %u filtered, %u dropped",
	      what, got[SAMPLES], got[COLLISIONS], got[FILTERED], got[DROPPED]);
}

#define PERIOD	PLATFORM_PDIS_PERIOD
#define MANY	(PDIS_LINE / PERIOD)

static void test_fates(void)
{
	u64 mem = pdis_to_registers() ? 0 : PDIS_MEM;
	u32 got[FATES];
	unsigned int n;

	for (n = 0; n < FATES; n++)
		if (!fates[n]) {
			tap_skip("PDIS-EVT-006", "no such events");
			return;
		}
	if (pdis_core.fixed & PDIS_ACC) {
		tap_skip("PDIS-EVT-010", "ACC is always 1");
		return;
	}
	if (mem)
		pmb_start((unsigned long)pmb_mem, 0);
	pdis_prepare(MODE_S, mem);
	count_fates(PERIOD, got);
	CHECK("PDIS-EVT-006", got[SAMPLES] == MANY, "%u samples, not %u",
	      got[SAMPLES], MANY);
	check_sum(got, PERIOD, "no filter");
	pdis_prepare(MODE_S, mem);
	count_fates(PERIOD / 16, got);
	check_sum(got, PERIOD / 16, "close together");
	pdis_prepare(MODE_S, mem);
	count_fates(1, got);
	if (got[COLLISIONS])
		CHECK("PDIS-EVT-007", got[COLLISIONS] + got[SAMPLES] ==
		      got[DECODED], "%u collisions", got[COLLISIONS]);
	else
		tap_skip("PDIS-EVT-007", "samples are over at once");
	check_sum(got, 1, "each instruction");
	pdis_prepare(MODE_S, mem);
	pdis_filter(HDR_TYPE, TYPE_STORE, 0);
	count_fates(PERIOD, got);
	pdis_filter(0, 0, 0);
	CHECK("PDIS-EVT-008", got[FILTERED] == MANY && !got[SAMPLES],
	      "%u filtered, not %u", got[FILTERED], MANY);
	check_sum(got, PERIOD, "all filtered");
	if (!pdis_to_memory())
		return;
	pmb_stop();
	pdis_prepare(MODE_S, PDIS_MEM);
	count_fates(PERIOD, got);
	CHECK("PDIS-EVT-009", got[DROPPED] == MANY && !got[SAMPLES],
	      "no buffer: %u dropped, not %u", got[DROPPED], MANY);
	check_sum(got, PERIOD, "no buffer");
	if (!(pdis_core.ctl & PDIS_ACC))
		return;
	pdis_prepare(MODE_S, PDIS_MEM | PDIS_ACC);
	count_fates(PERIOD, got);
	CHECK("PDIS-SEL-002", got[DROPPED] > MANY && !got[SAMPLES],
	      "no buffer, ACC=1: %u dropped, more than %u", got[DROPPED], MANY);
}

void test_main(void)
{
	unsigned int sel;

	pdis_init();
	test_hpm_bits();
	test_hpm_filter();
	delegate(1, 1);
	for (sel = SEL_ALL; sel <= SEL_CTI; sel++)
		test_decoded(sel);
	test_fates();
}
