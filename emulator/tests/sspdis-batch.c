// SPDX-License-Identifier: GPL-2.0-only
/*
 * Smpdis/Sspdis: batch mode. Records of a line of code add up in memory, no
 * LCOFI, and LAMBI at the threshold; sampling at a period.
 *
 * profile: pdis pdis-memory pdis-regs pdis-slow pdis-rv32
 */
#include "pdis.h"
#include "tap.h"

#define PERIOD		PLATFORM_PDIS_PERIOD
#define MANY		(PDIS_LINE / PERIOD)
#define PAGE		4096

static u32 records(void)
{
	return (pdis_get(MODE_M, SPDISAMBADDR) - (unsigned long)pmb_mem) / PDIS_RECORD;
}

static unsigned long pc_at(u32 n)
{
	struct pdis_record r;

	pdis_decode(pmb_mem + n * PDIS_WORDS, &r);
	return r.pc;
}

/* Sample n-th is of instruction PERIOD (n + 1), later by what may be lost. */
static void test_period(u64 of)
{
	unsigned long first = (unsigned long)pdis_line;
	unsigned int n, late = 0, early = 0;

	pmb_clear();
	pmb_start((unsigned long)pmb_mem, AMB_SIZE(pdis_core.size ? 1 : 0));
	pdis_prepare(MODE_S, PDIS_MEM | of);
	pdis_count(PERIOD, -PERIOD);
	pdis_run(MODE_S, pdis_line, 0, 0);
	CHECK("PDIS-CNT-011", records() == MANY, "%u records, not %u", records(),
	      MANY);
	for (n = 0; n < MANY; n++) {
		unsigned long at = first + 4 * (PERIOD * (n + 1) - 1);
		unsigned long pc = pc_at(n);

		early += pc < at;
		late += pc > at + 4 * (n + 1) * PLATFORM_PDIS_SKID;
	}
	CHECK("PDIS-CNT-011", !early && !late, "one per period (%u early, %u late)",
	      early, late);
	CHECK("PDIS-CNT-012", !early, "never too early");
	CHECK("PDIS-PMB-006", pdis_get(MODE_M, SPDISAMBADDR) ==
	      (unsigned long)pmb_mem + MANY * PDIS_RECORD,
	      "the pointer is after them");
	CHECK(of ? "PDIS-MODE-003" : "PDIS-CTL-039", lcofi_pending() == !of,
	      "OF=%u: LCOFI is %spending", !!of, of ? "not " : "");
	CHECK("PDIS-CTL-042", pdis_of(), "OF is 1");
	pmb_stop();
}

/* A quarter of a page is reached after so many. */
static void test_threshold(void)
{
	u32 quarter = PAGE / 4 / PDIS_RECORD;
	unsigned int runs, max = 2 * quarter;
	u64 cs;

	pmb_clear();
	lambi_clear();
	pmb_start((unsigned long)pmb_mem, AMB_BMIEN | AMB_BMITH(1));
	for (runs = 0; runs < max && records() < quarter; runs++) {
		pdis_prepare(MODE_S, PDIS_MEM | PDIS_OF);
		pdis_count(PERIOD, -PERIOD);
		cs = pdis_get(MODE_M, SPDISAMBCS);
		if (cs & AMB_BMI)
			break;
		pdis_run(MODE_S, rt_nops, 0, 0);
		if (records() < quarter && lambi_pending())
			break;
	}
	CHECK("PDIS-MODE-004", records() == quarter && lambi_wait(),
	      "LAMBI at record %u of %u", records(), quarter);
	CHECK("PDIS-MODE-004", pdis_get(MODE_M, SPDISAMBCS) & AMB_BMI, "BMI is 1");
	CHECK("PDIS-MODE-003", !lcofi_pending(), "there was no LCOFI");
	pmb_stop();
	lambi_clear();
}

/* In S-mode, while it works: one interrupt, and a record for each period */
static void test_interrupt(void)
{
	unsigned int quarter = PAGE / 4 / PDIS_RECORD, n;

	csr_write(CSR_MIDELEG, 0);
	pmb_clear();
	pmb_start((unsigned long)pmb_mem, AMB_BMIEN | AMB_BMITH(1));
	pdis_prepare(MODE_S, PDIS_MEM | PDIS_OF);
	pdis_count(PERIOD, -PERIOD);
	csr_write(CSR_MIE, LAMBI | LCOFI);
	for (n = 0; n < 4 && !rt_log.n && records() < 2 * quarter; n++)
		pdis_run(MODE_S, pdis_line, 0, 0);
	csr_write(CSR_MIE, 0);
	CHECK("PDIS-MODE-004", rt_log.n == 1 &&
	      rt_log.trap[0].cause == (CAUSE_INTERRUPT | IRQ_LAMBI),
	      "one interrupt, LAMBI, after %u records", records());
	pmb_stop();
	lambi_clear();
}

/* Nowhere to put it: dropped, but a qualified sample. */
static void test_no_buffer(void)
{
	pmb_clear();
	pmb_stop();
	pdis_put(MODE_M, SPDISAMBADDR, (unsigned long)pmb_mem);
	pdis_prepare(MODE_S, PDIS_MEM | PDIS_OF);
	pdis_count(10, 0);
	pdis_run(MODE_S, rt_nops, 0, 0);
	CHECK("AMB-015", !records() && !pmb_written(pmb_mem),
	      "EN=0: nothing is written");
	pmb_start((unsigned long)pmb_mem, 0);
	pdis_count(10, 0);
	pdis_run(MODE_S, rt_nops, 0, 0);
	CHECK("AMB-015", records() == 1 && pmb_written(pmb_mem),
	      "EN=1: it is (%u)", records());
	pmb_stop();
}

/* What EMPTY promises, however slow the buffer is */
static void test_empty(void)
{
	unsigned int n, missing = 0, seen = 0;

	for (n = 1; n <= 32; n++) {
		pmb_clear();
		pmb_start((unsigned long)pmb_mem, 0);
		pdis_prepare(MODE_S, PDIS_MEM | PDIS_OF);
		pdis_count(n, 0);
		pdis_start();
		rt_try(MODE_S, rt_nops, 0, 0);
		pdis_stop();
		seen += !(pdis_get(MODE_M, SPDISAMBCS) & AMB_EMPTY);
		pmb_drain();
		missing += !pmb_written(pmb_mem) || records() != 1;
	}
	CHECK("AMB-045,AMB-046", !missing, "EMPTY=1: all records are there (missing: %u)",
	      missing);
#ifdef PLATFORM_AMB_SLOW
	CHECK("AMB-045", seen, "EMPTY=0 until then (seen %u times)", seen);
#endif
	pmb_stop();
}

void test_main(void)
{
	pdis_init();
	if (!pdis_to_memory()) {
		pdis_put(MODE_M, MPDISCTL, PDIS_OF | PDIS_MEM);
		CHECK("PDIS-MODE-005", !(pdis_get(MODE_M, MPDISCTL) & PDIS_MEM),
		      "MEM=0 always: no batch mode");
		return;
	}
	test_period(0);
	test_period(PDIS_OF);
	test_threshold();
	test_interrupt();
	test_no_buffer();
	test_empty();
}
