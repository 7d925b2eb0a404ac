// SPDX-License-Identifier: GPL-2.0-only
/*
 * Smpdis/Sspdis: instructions that are flushed, transfers that are mispredicted,
 * fetches that miss. A core that does not speculate has none of them.
 *
 * profile: pdis pdis-memory pdis-rv32
 */
#include "page.h"
#include "pdis.h"
#include "tap.h"

#define TRIES		600
#define SEED(n)		(0x9e3779b9UL * (2 * (n) + 1))

static int in(unsigned long pc, const void *from, const void *to)
{
	return pc >= (unsigned long)from && pc <= (unsigned long)to;
}

/* What leads to a flush is a transfer of the code, or of what comes after. */
static int is_transfer(unsigned long pc)
{
	return pc == (unsigned long)pdis_random_branch ||
	       pc == (unsigned long)pdis_random_loop ||
	       pc == (unsigned long)pdis_random_end ||
	       !in(pc, pdis_random, pdis_random_end);
}

struct flushes {
	u32 flushed, mispredict, kept, cause, address, formed;
};

static void look(struct flushes *f, const struct pdis_record *r, unsigned long data)
{
	if (!(r->hdr & HDR_FLUSHED)) {
		f->kept += !!HDR_FLUSH(r->hdr);
		return;
	}
	f->flushed++;
	f->formed += !!(r->hdr & HDR_FORMAT) || HDR_FLUSH(r->hdr) == 3;
	f->mispredict += HDR_FLUSH(r->hdr) == 1;
	f->cause += HDR_FLUSH(r->hdr) == 1 && r->adr1 && !is_transfer(r->adr1);
	f->address += r->pc == (unsigned long)pdis_random_load &&
		      r->adr2 && r->adr2 != data;
}

static void test_mispredict(void)
{
	unsigned long data = (unsigned long)probe_data;
	struct flushes f = { 0 };
	struct pdis_record r;
	unsigned int n;

	for (n = 1; n < TRIES; n++)
		if (pdis_sample2(MODE_S, 0, n, pdis_random, data, SEED(n), &r))
			look(&f, &r, data);
	CHECK("PDIS-HDR-007", !f.kept, "FLUSH=0 with FLUSHED=0 (wrong: %u)", f.kept);
	if (!f.flushed) {
		tap_skip("PDIS-SEL-009", "nothing is ever flushed");
		return;
	}
	CHECK("PDIS-SEL-009", f.flushed, "%u of %u samples are flushed", f.flushed,
	      TRIES);
	CHECK("PDIS-HDR-006", !f.formed && f.mispredict,
	      "%u by a misprediction", f.mispredict);
	CHECK("PDIS-HDR-017", !f.formed, "FLUSHED is there, FMT and SFMT 0");
	CHECK("PDIS-ADR-002", !f.cause, "pdisadr1 is 0 or who led to it");
	CHECK("PDIS-ADR-003", !f.cause, "which is a transfer (wrong: %u)", f.cause);
	CHECK("PDIS-ADR-010", !f.address, "pdisadr2 is 0 or the data (wrong: %u)",
	      f.address);
}

/*
 * COUNT and a counter of decoded instructions agree, and are ahead of what has
 * retired, but for the ECALL that ends the run.
 */
static void test_counted(void)
{
	unsigned int dec = hpm_nth(0), ret = hpm_nth(1), n;
	u32 wrong = 0, more = 0, flushed = 0;
	const u64 only_s = EV_XINH & ~EV_SINH;
	struct pdis_record r;

	if (!PLATFORM_EVENT_DEC) {
		tap_skip("PDIS-CNT-004", "no event of decoded instructions");
		return;
	}
	for (n = 1; n <= 64; n++) {
		hpm_start(dec, PLATFORM_EVENT_DEC | only_s, 0);
		hpm_start(ret, INSTRET | only_s, 0);
		pdis_sample2(MODE_S, 0, n, pdis_random,
			     (unsigned long)probe_data, SEED(n), &r);
		counter_stop(dec);
		counter_stop(ret);
		wrong += n + pdis_count_get() != counter_get(dec);
		more += counter_get(dec) - counter_get(ret) - 1;
		flushed += !!(r.hdr & HDR_FLUSHED);
	}
	CHECK("PDIS-CNT-004", !wrong, "COUNT counts all that is decoded (%u wrong)",
	      wrong);
	CHECK("PDIS-CNT-004", !flushed || more,
	      "%u of it did not retire, %u samples were flushed", more, flushed);
}

/* Taken or not cannot be foreseen, so some are mispredicted, not all. */
static void test_branch(void)
{
	unsigned int n, hit = 0, missed = 0, other = 0;
	struct pdis_record r;

	for (n = 1; n < TRIES; n++) {
		if (!pdis_sample2(MODE_S, SEL_CTI, n % 120 + 1, pdis_random,
				  (unsigned long)probe_data, SEED(n), &r))
			continue;
		if (r.hdr & HDR_FLUSHED)
			continue;
		if (r.pc != (unsigned long)pdis_random_branch)
			other += !!(r.hdr & HDR_MISPRED);
		else if (r.hdr & HDR_MISPRED)
			missed++;
		else
			hit++;
	}
	if (!missed) {
		tap_skip("PDIS-CTI-013", "nothing is ever mispredicted");
		return;
	}
	CHECK("PDIS-CTI-013", hit && missed > other,
	      "%u mispredicted, %u not (%u of other branches)", missed, hit, other);
}

/* Code that has never run, in memory that is otherwise unused */
static u32 *fresh(unsigned int n)
{
	return (u32 *)(PLATFORM_RAM_SPARE + 0x400000UL + 0x1000UL * n);
}

static void fence_i(void)
{
	__asm__ __volatile__("fence.i" : : : "memory");
}

/* A core may learn of a load that it has to wait: a new one each time. */
static rt_fn *fresh_order(unsigned int n)
{
	const u32 *from = (const u32 *)pdis_order;
	u32 *to = fresh(n) + 7 * n % 64;
	unsigned int i;

	for (i = 0; from + i <= (const u32 *)pdis_order_end; i++)
		to[i] = from[i];
	fence_i();
	return (rt_fn *)to;
}

/* FLUSH=2 */
static void test_ordering(void)
{
	unsigned long data = (unsigned long)probe_data, load;
	unsigned int n, found = 0, wrong = 0, other = 0, address = 0, loads = 0;
	struct pdis_record r;

	for (n = 1; n < 96; n++) {
		rt_fn *fn = fresh_order(n);

		load = (unsigned long)fn + (pdis_order_load - (char *)pdis_order);
		if (!pdis_sample(MODE_S, 0, 1 + n % 24, fn, data, &r) ||
		    !(r.hdr & HDR_FLUSHED))
			continue;
		if (HDR_FLUSH(r.hdr) == 2) {
			found++;
			wrong += r.adr1 && r.adr1 != load;
			loads += r.pc == load && r.adr2;
			address += r.pc == load && r.adr2 && r.adr2 != data;
		} else if (HDR_FLUSH(r.hdr) != 1) {
			other++;
		}
	}
	if (found)
		CHECK("PDIS-ADR-004", !wrong,
		      "pdisadr1 of %u is the load (wrong: %u)", found, wrong);
	else
		tap_skip("PDIS-ADR-004", "loads never overtake stores");
	if (loads)
		CHECK("PDIS-ADR-010", !address,
		      "pdisadr2 of a load that is flushed is the data (wrong: %u of %u)",
		      address, loads);
	NOTE("%u are flushed by other things", other);
}

/* Nops, and a return */
static rt_fn *fresh_nops(unsigned int n)
{
	u32 *insn = fresh(n);
	unsigned int i;

	for (i = 0; i < 64; i++)
		insn[i] = 0x13;
	insn[i] = 0x8067;
	fence_i();
	return (rt_fn *)insn;
}

static void test_icache(void)
{
	rt_fn *fn = fresh_nops(100);
	struct pdis_record first, again, second;

	pdis_sample(MODE_S, 0, 1, fn, 0, &first);
	pdis_sample(MODE_S, 0, 1, fn, 0, &again);
	if (first.pc != (unsigned long)fn || !(first.hdr & HDR_ICMISS)) {
		tap_skip("PDIS-HDR-011", "fetches never miss");
		return;
	}
	CHECK("PDIS-HDR-011", !(again.hdr & HDR_ICMISS),
	      "ICMISS the first time, not the next");
	fn = fresh_nops(101);
	pdis_sample(MODE_S, 0, 2, fn, 0, &second);
	CHECK("PDIS-HDR-013", !(second.hdr & HDR_ICMISS),
	      "nor of the second instruction in the line");
}

static void test_itlb(void)
{
	unsigned long high = page_on(PTE_RW | PTE_X, PTE_RW | PTE_X);
	rt_fn *fn = (rt_fn *)((unsigned long)rt_nops + high);
	struct pdis_record first, again, second;

	if (!high) {
		tap_skip("PDIS-HDR-010", "no translation");
		return;
	}
	pdis_sample(MODE_S, 0, 1, fn, 0, &first);
	pdis_sample(MODE_S, 0, 1, fn, 0, &again);
	page_off();
	page_on(PTE_RW | PTE_X, PTE_RW | PTE_X);
	pdis_sample(MODE_S, 0, 2, fn, 0, &second);
	page_off();
	if (first.pc != (unsigned long)fn || !(first.hdr & HDR_ITMISS)) {
		tap_skip("PDIS-HDR-010", "fetches never miss the TLB");
		return;
	}
	CHECK("PDIS-HDR-010", !(again.hdr & HDR_ITMISS),
	      "ITMISS the first time, not the next");
	CHECK("PDIS-HDR-012", !(second.hdr & HDR_ITMISS),
	      "nor of the second instruction in the line");
}

void test_main(void)
{
	pdis_init();
	test_mispredict();
	test_counted();
	test_branch();
	test_ordering();
	test_icache();
	test_itlb();
}
