// SPDX-License-Identifier: GPL-2.0-only
/*
 * Smpdis/Sspdis: which samples spdisevmask, spdisevmatch and spdisfilter let
 * through, and that the others leave no trace.
 *
 * profile: pdis pdis-memory pdis-regs pdis-rv32
 */
#include "indirect.h"
#include "pdis.h"
#include "tap.h"

static int sample(const struct pdis_probe *p, u64 mask, u64 match, u64 filter,
		  struct pdis_record *r)
{
	int there;

	pdis_filter(mask, match, filter);
	there = probe_sample(p, MODE_S, 0, r);
	pdis_filter(0, 0, 0);
	return there;
}

/* What a second run of the same code has in common with the first */
static const char *const names[] = {
	"nop", "lw", "sw", "amo", "beq_taken", "bne_not", "jalr_ra", "ret_ra", "j",
};

#define STABLE	(HDR_TYPE | HDR_HPM | HDR_FLUSHED | 3ULL << 33)

/* Bits above 38 mean the same in all records of one type. */
static u64 stable(const struct pdis_probe *p)
{
	return (STABLE | (p->type == TYPE_CTI ? HDR_CTI : 0)) & pdis_core.events;
}

static void test_bits(const struct pdis_probe *p)
{
	struct pdis_record r, got;
	u64 lost = 0, leaked = 0, ignored = 0, bits, all;
	unsigned int n;

	if (!sample(p, 0, 0, 0, &r)) {
		tap_skip("PDIS-FLT-006", "no sample");
		return;
	}
	all = stable(p);
	for (bits = all, n = 0; n < 56; n++) {
		u64 bit = BIT64(n);

		if (!(bits & bit))
			continue;
		lost |= sample(p, bit, r.hdr & bit, 0, &got) ? 0 : bit;
		leaked |= sample(p, bit, ~r.hdr & bit, 0, &got) ? bit : 0;
		ignored |= sample(p, all & ~bit, (r.hdr & all) ^ bit, 0, &got) ?
			   0 : bit;
		leaked |= sample(p, all, (r.hdr & all) ^ bit, 0, &got) ? bit : 0;
	}
	CHECK("PDIS-FLT-006", !lost, "%s passes by each bit (lost: %llx)",
	      p->name, lost);
	CHECK("PDIS-FLT-006", !leaked, "%s fails by each bit (leaked: %llx)",
	      p->name, leaked);
	CHECK("PDIS-FLT-008", !ignored, "%s: MATCH without MASK (wrong: %llx)",
	      p->name, ignored);
	CHECK("PDIS-FLT-006", sample(p, all, r.hdr & all, 0, &got),
	      "%s passes by all of them", p->name);
	CHECK("PDIS-FLT-007", sample(p, 0, pdis_core.events, 0, &got),
	      "%s passes if MASK is 0", p->name);
	if (p->type == TYPE_CTI && r.hdr & HDR_CTI)
		CHECK("PDIS-FLT-009", !sample(p, r.hdr & HDR_CTI, 0, 0, &got),
		      "%s can be left out by its type", p->name);
}

/* What cannot be in MASK cannot keep a sample away. */
static void test_top(void)
{
	const struct pdis_probe *p = pdis_probe("nop");
	struct pdis_record r;

	CHECK("PDIS-FLT-010", sample(p, 0xffULL << 56, 0xffULL << 56, 0, &r),
	      "FMT, SFMT and bits 57:56 are not looked at");
}

/* Where a discarded sample would show */
struct trace {
	unsigned long data[PDIS_WORDS], addr;
	int of, lcofi;
};

static void look(struct trace *t)
{
	unsigned int n;

	for (n = 0; n < PDIS_WORDS; n++)
		t->data[n] = 0;
	if (pdis_to_registers())
		pdis_data(MODE_M, t->data);
	t->addr = pdis_to_memory() ? pdis_get(MODE_M, SPDISAMBADDR) : 0;
	t->of = pdis_of();
	t->lcofi = lcofi_pending();
}

static int same_data(const struct trace *a, const struct trace *b)
{
	unsigned int n;

	for (n = 0; n < PDIS_WORDS; n++)
		if (a->data[n] != b->data[n])
			return 0;
	return 1;
}

/* TYPE=3 is not what a line of nops has. */
static void test_discard(u64 ctl)
{
	struct trace before, after;
	struct pdis_record r;

	pdis_filter(0, 0, 0);
	pdis_sample(MODE_S, ctl, 10, rt_nops, 0, &r);
	if (ctl & PDIS_MEM) {
		pmb_clear();
		pmb_start((unsigned long)pmb_mem, 0);
	}
	pdis_filter(HDR_TYPE, TYPE_LDST, 0);
	pdis_prepare(MODE_S, ctl);
	look(&before);
	pdis_count(20, 0);
	pdis_run(MODE_S, rt_nops, 0, 0);
	look(&after);
	CHECK("PDIS-FLT-025", !after.of, "a discarded sample leaves OF 0");
	CHECK("PDIS-CTL-041", !after.of && pdis_count_get() < 0x80000000,
	      "though COUNT has overflowed");
	CHECK("PDIS-FLT-025", !after.lcofi && !lcofi_wait(), "it pends no LCOFI");
	if (ctl & PDIS_MEM) {
		CHECK("PDIS-FLT-025", after.addr == before.addr &&
		      !pmb_written(pmb_mem), "it writes no record");
		pmb_stop();
	} else {
		CHECK("PDIS-IND-008", same_data(&before, &after),
		      "the data registers stay");
	}
	pdis_filter(0, 0, 0);
}

static void check_threshold(const struct pdis_probe *p, unsigned int by, u32 thresh,
			    int inv, int want, const char *rule)
{
	u64 f = FILTER_BY(by) | (inv ? FILTER_INV : 0) | thresh;
	struct pdis_record r;

	CHECK(rule, sample(p, 0, 0, f, &r) == want,
	      "%s, latency %u: THRESH=%u, INV=%u: %s", p->name, by, thresh, inv,
	      want ? "recorded" : "discarded");
}

static void test_thresholds(const struct pdis_probe *p, unsigned int by)
{
	struct pdis_record r, again;
	u32 lat;

	pdis_put(MODE_M, SPDISFILTER, FILTER_BY(by));
	if ((pdis_get(MODE_M, SPDISFILTER) & FILTER_LATSEL) != FILTER_BY(by)) {
		tap_skip("PDIS-FLT-013", "LATSEL is hardwired");
		return;
	}
	sample(p, 0, 0, 0, &r);
	if (!sample(p, 0, 0, 0, &r) || !sample(p, 0, 0, 0, &again) ||
	    pdis_lat(&r, by) != pdis_lat(&again, by) || !pdis_lat_valid(&r, by)) {
		tap_skip("PDIS-FLT-013", "no such latency, or never the same");
		return;
	}
	lat = pdis_lat(&r, by);
	check_threshold(p, by, 0, 1, 0, "PDIS-FLT-018");
	check_threshold(p, by, 0, 0, 1, "PDIS-FLT-018");
	check_threshold(p, by, LAT_MAX, 1, lat < LAT_MAX, "PDIS-FLT-016");
	check_threshold(p, by, LAT_MAX, 0, lat == LAT_MAX, "PDIS-FLT-015");
	check_threshold(p, by, lat + 1, 0, 0, "PDIS-FLT-015");
	check_threshold(p, by, lat + 1, 1, 1, "PDIS-FLT-016");
	if (lat + 1 > PLATFORM_PDIS_LAT_SLACK)
		check_threshold(p, by, lat - PLATFORM_PDIS_LAT_SLACK, 0, 1,
				"PDIS-FLT-015");
	if (lat > PLATFORM_PDIS_LAT_SLACK)
		check_threshold(p, by, lat - PLATFORM_PDIS_LAT_SLACK, 1, 0,
				"PDIS-FLT-016");
	/* No slack with those that end before the instruction retires */
	if (by != LAT_TOTAL && by != LAT_OLDEST) {
		check_threshold(p, by, lat, 0, 1, "PDIS-FLT-017");
		check_threshold(p, by, lat, 1, 0, "PDIS-FLT-017");
	}
	CHECK("PDIS-FLT-013", pdis_lat_valid(&r, by), "latency %u is compared", by);
	check_threshold(p, by, lat + 1 + PLATFORM_PDIS_LAT_SLACK, 0, 0,
			"PDIS-FLT-026");
}

/* Latency and events, each of them passing and failing */
static void test_both(void)
{
	const struct pdis_probe *p = pdis_probe("lw");
	struct pdis_record r;
	unsigned int n;

	for (n = 0; n < 4; n++) {
		int type = n & 1, lat = n >> 1;

		CHECK("PDIS-FLT-023", sample(p, HDR_TYPE,
					     type ? TYPE_LOAD : TYPE_STORE,
					     lat ? 0 : FILTER_INV, &r) == (type && lat),
		      "events %s, latency %s", type ? "pass" : "fail",
		      lat ? "passes" : "fails");
	}
}

/* Only when it has executed is it known whether a branch is taken. */
static void test_late(void)
{
	const struct pdis_probe *taken = pdis_probe("beq_taken");
	const struct pdis_probe *not = pdis_probe("bne_not");
	u64 mask = HDR_TYPE | HDR_TKBR | HDR_NTBR;
	struct pdis_record r;

	if ((pdis_core.events & mask) != mask || !sample(taken, 0, 0, 0, &r) ||
	    !(r.hdr & HDR_TKBR)) {
		tap_skip("PDIS-FLT-024", "no filter by branch outcome");
		return;
	}
	CHECK("PDIS-FLT-024", sample(taken, mask, TYPE_CTI | HDR_TKBR, 0, &r) &&
	      !sample(not, mask, TYPE_CTI | HDR_TKBR, 0, &r),
	      "taken branches alone");
	CHECK("PDIS-FLT-024", sample(not, mask, TYPE_CTI | HDR_NTBR, 0, &r) &&
	      !sample(taken, mask, TYPE_CTI | HDR_NTBR, 0, &r),
	      "branches alone that are not taken");
	mask = HDR_CTI & ~(HDR_INDCALL | HDR_INDJMP | HDR_INDLJMP);
	CHECK("PDIS-FLT-009", sample(pdis_probe("jalr_ra"), mask, 0, 0, &r) &&
	      sample(pdis_probe("jr"), mask, 0, 0, &r) &&
	      sample(pdis_probe("jalr_t1"), mask, 0, 0, &r) &&
	      !sample(pdis_probe("ret_ra"), mask, 0, 0, &r) &&
	      !sample(taken, mask, 0, 0, &r), "some types by excluding the others");
}

void test_main(void)
{
	unsigned int n, by;

	pdis_init();
	for (n = 0; n < ARRAY_SIZE(names); n++)
		test_bits(pdis_probe(names[n]));
	test_top();
	test_late();
	if (pdis_to_registers())
		test_discard(0);
	if (pdis_to_memory())
		test_discard(PDIS_MEM);
	if (!pdis_core.filter) {
		tap_skip("PDIS-FLT-015", "no latency filter");
		return;
	}
	for (by = 0; by < LATS; by++) {
		test_thresholds(pdis_probe("nop"), by);
		test_thresholds(pdis_probe("mul"), by);
		test_thresholds(pdis_probe("lw"), by);
	}
	test_both();
}
