// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ssamb: the write pointer through buffers of all sizes: records, wrapping,
 * thresholds, stopping when full.
 *
 * profile: pdis pdis-memory pdis-size2 pdis-slow pdis-drop pdis-rv32
 */
#include "pmb.h"
#include "tap.h"

#define MODE	MODE_S

static u64 bytes(unsigned int size)
{
	return 1ULL << (size + 12);
}

/* Which nop a record is of: neighbours differ, and so do laps */
static u32 nth(u32 k)
{
	return 1 + k % 199;
}

/* Twice round: where each record is, and when WRAP comes */
static void test_circle(unsigned int size)
{
	u32 slots = bytes(size) / PDIS_RECORD, k, lost = 0, moved = 0, wrap = 0;
	unsigned long base = (unsigned long)pmb_mem;

	pmb_clear();
	pmb_start(base, AMB_SIZE(size));
	for (k = 0; k < 2 * slots; k++) {
		LOOK();
		pmb_step(MODE, nth(k));
		lost += !pmb_is(pmb_mem + k % slots * PDIS_WORDS, nth(k));
		moved += pmb_pointer() != base + (k + 1) % slots * PDIS_RECORD;
		wrap += !!(pmb_status() & AMB_WRAP) != (k + 1 >= slots);
	}
	CHECK("AMB-022,AMB-017,PDIS-PMB-006", !moved,
	      "SIZE=%u: the pointer moves with each record, by its size (%u wrong)",
	      size, moved);
	CHECK("AMB-024", pmb_pointer() == base, "after the end comes the base");
	CHECK("AMB-025", !wrap, "WRAP is set then (%u wrong)", wrap);
	CHECK("AMB-026,PDIS-PMB-007", !lost,
	      "what is old is overwritten, none straddles the end (%u lost)", lost);
	CHECK("AMB-037", !lambi_pending() && !(pmb_status() & AMB_BMI),
	      "BMIEN=0: no interrupt");
	if (bytes(size) < PMB_BYTES)
		CHECK("AMB-017", !pmb_written((char *)pmb_mem + bytes(size)),
		      "nothing is written behind it");
	pmb_stop();
}

static void test_stop_on_full(unsigned int size)
{
	u32 slots = bytes(size) / PDIS_RECORD, k, lost = 0;
	unsigned long base = (unsigned long)pmb_mem;

	pmb_clear();
	pmb_start(base, AMB_SIZE(size) | AMB_SOF);
	for (k = 0; k < slots; k++)
		pmb_step(MODE, nth(k));
	CHECK("AMB-028", pmb_status() & AMB_WRAP && pmb_pointer() == base,
	      "SIZE=%u, SOF=1: when full, the pointer is at the base", size);
	for (k = 0; k < 5; k++)
		pmb_step(MODE, nth(k + 20));
	for (k = 0; k < slots; k++) {
		lost += !pmb_is(pmb_mem + k * PDIS_WORDS, nth(k));
		LOOK();
	}
	CHECK("AMB-027", !lost && pmb_pointer() == base,
	      "and nothing is written any more (%u overwritten)", lost);
	pmb_start(base, AMB_SIZE(size) | AMB_SOF);
	CHECK("AMB-012", !(pmb_status() & AMB_WRAP) && pmb_step(MODE, 77) &&
	      pmb_is(pmb_mem, 77), "until software clears WRAP");
	pmb_stop();
}

#define NO_RECORD	(~0UL / 255 * 0xa5)

static void no_records(unsigned int slots)
{
	unsigned int n;

	for (n = 0; n < slots * PDIS_WORDS; n++)
		pmb_mem[n] = NO_RECORD;
}

/*
 * Of what was all NO_RECORD, is each record up to the pointer whole, and is
 * nothing changed behind it?
 */
static u32 torn(unsigned int slots)
{
	unsigned int used = (pmb_pointer() - (unsigned long)pmb_mem) / PDIS_RECORD;
	unsigned int n, wrong = 0;

	for (n = 0; n < slots * PDIS_WORDS; n++) {
		wrong += (pmb_mem[n] == NO_RECORD) != (n / PDIS_WORDS >= used);
		LOOK();
	}
	return wrong;
}

/* More than a slow buffer takes, or one that drops some */
static void test_dropped(void)
{
	unsigned int slots = 4096 / PDIS_RECORD, period, dropped = 0, wrong = 0;

	for (period = 3; period < 40; period += 5) {
		no_records(slots);
		pmb_start((unsigned long)pmb_mem, AMB_SOF);
		pdis_prepare(MODE, PDIS_MEM);
		pdis_count(period, -period);
		pdis_run(MODE, rt_nops, 0, 0);
		wrong += torn(slots);
		dropped += (pmb_pointer() - (unsigned long)pmb_mem) / PDIS_RECORD <
			   RT_NOPS / period;
		pmb_stop();
	}
	CHECK("AMB-080", !wrong,
	      "records are whole, though some runs lost some (%u words wrong)", wrong);
#if defined(PLATFORM_AMB_SLOW) || defined(PROFILE_PDIS_DROP)
	CHECK("AMB-080", dropped, "some did (%u)", dropped);
#endif
}

/* With no room left, what is there stays as it is, to the last word. */
static void test_full(void)
{
	unsigned int slots = 4096 / PDIS_RECORD, n, changed = 0;

	pmb_start((unsigned long)pmb_mem, AMB_SOF);
	for (n = 0; n < 2 * slots && !(pmb_status() & AMB_WRAP); n++)
		pmb_step(MODE, nth(n));
	no_records(slots);
	for (n = 0; n < 5; n++)
		pmb_step(MODE, nth(n + 100));
	for (n = 0; n < slots * PDIS_WORDS; n++) {
		changed += pmb_mem[n] != NO_RECORD;
		LOOK();
	}
	CHECK("AMB-080", pmb_status() & AMB_WRAP && !changed,
	      "full: no word of a record is written (%u are)", changed);
	pmb_stop();
}

/* From the middle, and with the pointer already behind the threshold */
static void test_offset(void)
{
	unsigned long base = (unsigned long)pmb_mem;

	pmb_clear();
	pmb_start(base + 0x800, 0);
	CHECK("AMB-021", pmb_step(MODE, 5) && pmb_is(pmb_mem + 0x800 / sizeof(long), 5),
	      "writing starts at the pointer");
	CHECK("AMB-023", !pmb_written(pmb_mem), "not at the base");
	pmb_start(base + 0x1000 - PDIS_RECORD, 0);
	pmb_step(MODE, 6);
	CHECK("AMB-023", pmb_pointer() == base, "bits above the offset are the base");
	pmb_stop();
}

/* One step from right before a quarter into it */
static void cross(unsigned int size, unsigned long base, unsigned int quarter,
		  unsigned int bmith, int bmien, u32 *wrong)
{
	u64 len = bytes(size);
	unsigned long at = base + (unsigned long)((quarter * (len / 4) + len -
						   PDIS_RECORD) & (len - 1));
	unsigned long to = base + (unsigned long)(quarter * (len / 4));
	int want = bmien && quarter == bmith;
	u64 cs;

	pmb_start(at, AMB_SIZE(size) | AMB_BMITH(bmith) | (bmien ? AMB_BMIEN : 0));
	lambi_clear();
	pmb_step(MODE, 1 + quarter);
	cs = pmb_status();
	wrong[0] += pmb_pointer() != to;
	wrong[1] += !!(cs & AMB_WRAP) != (quarter == 0);
	if (!!(cs & AMB_BMI) != want || lambi_pending() != want) {
		wrong[2 + bmith] += bmien;
		wrong[6] += !bmien;
	}
	wrong[7] += !!(cs & AMB_TF);
	pmb_stop();
	lambi_clear();
}

static void test_thresholds(unsigned int size, unsigned long base)
{
	unsigned int quarter, bmith, bmien;
	u32 wrong[8] = { 0 };

	for (quarter = 0; quarter < 4; quarter++)
		for (bmith = 0; bmith < 4; bmith++)
			for (bmien = 0; bmien < 2; bmien++)
				cross(size, base, quarter, bmith, bmien, wrong);
	CHECK("AMB-017", !wrong[0] && !wrong[7], "SIZE=%u at %lx: pointer (%u wrong)",
	      size, base, wrong[0]);
	CHECK("AMB-024", !wrong[0] && !wrong[1], "wraps at %llx (%u wrong)",
	      bytes(size), wrong[1]);
	CHECK("AMB-034", !wrong[2], "BMITH=0: when it wraps (%u wrong)", wrong[2]);
	CHECK("AMB-035", !wrong[3], "BMITH=1: at a quarter (%u wrong)", wrong[3]);
	CHECK("AMB-033", !wrong[4], "BMITH=2: at half (%u wrong)", wrong[4]);
	CHECK("AMB-035", !wrong[5], "BMITH=3: at three quarters (%u wrong)", wrong[5]);
	CHECK("AMB-037", !wrong[6], "BMIEN=0: never (%u wrong)", wrong[6]);
	CHECK("AMB-032,AMB-031,AMB-039", !wrong[2] && !wrong[3] && !wrong[4] && !wrong[5],
	      "SIZE=%u: when an increment makes bits %u:%u equal there is LAMBI and BMI",
	      size, size + 11, size + 10);
}

/* Within the quarter of the threshold nothing happens, nor at its start. */
static void test_within(void)
{
	unsigned long base = (unsigned long)pmb_mem;
	unsigned int bmith, k, seen = 0, starts = 0;

	for (bmith = 0; bmith < 4; bmith++) {
		lambi_clear();
		pmb_start(base + bmith * 0x400, AMB_BMIEN | AMB_BMITH(bmith));
		starts += lambi_pending();
		for (k = 0; k < 0x400 / PDIS_RECORD; k++) {
			pmb_step(MODE, nth(k));
			seen += lambi_pending() || pmb_status() & AMB_BMI;
		}
		pmb_stop();
	}
	CHECK("AMB-036", !seen, "no interrupt within the quarter (%u)", seen);
	CHECK("AMB-034", !starts, "nor when enabled in it (%u)", starts);
}

/* BMI is software's to clear. */
static void test_stays(void)
{
	unsigned long base = (unsigned long)pmb_mem;

	pmb_start(base + 0x400 - PDIS_RECORD, AMB_BMIEN | AMB_BMITH(1));
	pmb_step(MODE, 1);
	pmb_step(MODE, 2);
	CHECK("AMB-041", pmb_status() & AMB_BMI, "BMI stays");
	pdis_put(MODE_M, SPDISAMBCS, pmb_status() & ~AMB_BMI);
	CHECK("AMB-041", !(pmb_status() & AMB_BMI), "until it is cleared");
	lambi_clear();
	pmb_stop();
}

static unsigned long base_of(unsigned int size)
{
	return PMB_VA & ~(unsigned long)(bytes(size) - 1);
}

/* Larger than memory is: all of it is the same few pages. */
static void test_large(void)
{
	unsigned int size;

	pmb_tables(0);
	pdis_envcfg(1, 0);
	if (!pmb_satp_on()) {
		tap_skip("AMB-017", "no translation");
		return;
	}
	for (size = 0; size <= pdis_core.size; size++)
		test_thresholds(size, base_of(size));
	pmb_off();
	pdis_envcfg(0, 0);
}

void test_main(void)
{
	unsigned int size, max;

	pdis_init();
	test_dropped();
	test_full();
#ifdef PROFILE_PDIS_DROP
	return;			/* what follows counts on each record */
#endif
	max = pdis_core.size < 2 ? pdis_core.size : 2;
	for (size = 0; size <= max; size++) {
		test_circle(size);
		test_stop_on_full(size);
	}
	for (size = 0; size <= max; size++)
		test_thresholds(size, (unsigned long)pmb_mem);
	test_offset();
	test_within();
	test_stays();
	test_large();
}
