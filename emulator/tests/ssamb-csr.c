// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ssamb: sambcs and sambaddr as registers, by the instance of PDIS.
 *
 * profile: pdis pdis-memory pdis-size2 pdis-rv32
 */
#include "pdis.h"
#include "tap.h"

#define WPRI_LOW	(0xfULL << 3)
#define WPRI_HIGH	(0x1ffffffULL << 36)

static u64 put_get(u64 val)
{
	pdis_put(MODE_S, SPDISAMBCS, val);
	return pdis_get(MODE_S, SPDISAMBCS) & ~(AMB_EMPTY | AMB_TRV);
}

static const struct {
	const char *rule, *name;
	u64 bits;
} fields[] = {
	{ "AMB-003", "TF", AMB_TF },
	{ "AMB-004", "BMI", AMB_BMI },
	{ "AMB-008", "BMITH", AMB_BMITH(3) },
	{ "AMB-008", "BMITH[0]", AMB_BMITH(1) },
	{ "AMB-009", "BMIEN", AMB_BMIEN },
	{ "AMB-010", "SOF", AMB_SOF },
	{ "AMB-012", "WRAP", AMB_WRAP },
};

static void test_fields(void)
{
	unsigned int n;
	u64 v;

	for (n = 0; n < ARRAY_SIZE(fields); n++) {
		v = put_get(fields[n].bits);
		CHECK(fields[n].rule, v == fields[n].bits, "%s can be 1: %llx",
		      fields[n].name, v);
		v = put_get(0);
		CHECK(fields[n].rule, !v, "%s can be 0: %llx", fields[n].name, v);
	}
	v = put_get(AMB_TFPTR);
	CHECK("AMB-007", v == AMB_TFPTR || !v, "TFPTR is read/write or hardware's");
	CHECK("AMB-005", !(put_get(WPRI_LOW) & WPRI_LOW), "bits 6:3 are not there");
	CHECK("AMB-011", !(put_get(WPRI_HIGH) & WPRI_HIGH),
	      "bits 60:36 are not there");
	pdis_put(MODE_S, SPDISAMBCS, AMB_EMPTY | AMB_TRV);
	v = pdis_get(MODE_S, SPDISAMBCS);
	CHECK("AMB-014", !(v & AMB_TRV), "TRV cannot be written, is 0 with EN=0");
	pdis_put(MODE_S, SPDISAMBCS, 0);
	v = pdis_get(MODE_S, SPDISAMBCS);
	CHECK("AMB-013", v & AMB_EMPTY, "EMPTY is 1 with nothing buffered");
	pdis_put(MODE_S, SPDISAMBCS, 0);
	CHECK("AMB-013", pdis_get(MODE_S, SPDISAMBCS) & AMB_EMPTY,
	      "and cannot be written");
	CHECK("PDIS-PMB-003", put_get(AMB_BMITH(2) | AMB_BMIEN | AMB_SOF) ==
	      (AMB_BMITH(2) | AMB_BMIEN | AMB_SOF), "fields keep each other");
	put_get(0);
}

static void test_enable(void)
{
	pdis_put(MODE_M, SPDISAMBADDR, (unsigned long)pmb_mem);
	CHECK("AMB-002", put_get(AMB_EN) & AMB_EN, "EN can be 1");
	CHECK("AMB-002", !(put_get(0) & AMB_EN), "EN can be 0");
	CHECK("AMB-047", pmb_start((unsigned long)pmb_mem, 0),
	      "TRV becomes 1 where nothing is to be translated");
	pmb_stop();
}

static void test_size(void)
{
	unsigned int n, v, wrong = 0;

	v = put_get(AMB_SIZE(31)) >> AMB_SIZE_SHIFT & 31;
	CHECK("AMB-019", v <= AMB_SIZE_MAX, "the largest SIZE is %u", v);
	for (n = 0; n <= v; n++) {
		wrong |= put_get(AMB_SIZE(n)) != AMB_SIZE(n) ? 1U << n : 0;
		LOOK();
	}
	CHECK("AMB-020,AMB-006", !wrong, "bits 11:7 hold each SIZE up to that (wrong: %x)",
	      wrong);
	for (n = 0, wrong = 0; n < 32; n++)
		wrong += (put_get(AMB_SIZE(n)) >> AMB_SIZE_SHIFT & 31) > v;
	CHECK("AMB-018", !wrong, "what reads back is never larger (%u)", wrong);
	put_get(0);
#ifdef PROFILE_PDIS_SIZE2
	CHECK("AMB-019", v == 2, "this core has buffers up to 16 KiB");
#endif
}

/* Which bits a pointer has to have: those that a buffer in memory needs */
static void test_address(void)
{
	unsigned long base = (unsigned long)pmb_mem, v, low = 0;
	unsigned int n;

	for (n = 0; n < 12; n++) {
		pdis_put(MODE_S, SPDISAMBADDR, base + BIT(n));
		v = pdis_get(MODE_S, SPDISAMBADDR) - base;
		low |= v == BIT(n) ? 0 : BIT(n);
	}
	CHECK("PDIS-PMB-005", low == PDIS_RECORD - 1,
	      "records are aligned to their size: RO0 are %lx", low);
	CHECK("AMB-029", !(low & ~(2 * PDIS_RECORD - 1)), "no more than that");
	pdis_put(MODE_S, SPDISAMBADDR, base);
	CHECK("AMB-021", pdis_get(MODE_S, SPDISAMBADDR) == base,
	      "an address reads back");
	for (n = 12, low = 0; n < __riscv_xlen; n++) {
		csr_put(MODE_S, pdis_csr[SPDISAMBADDR].lo, BIT(n) ^ base);
		csr_put(MODE_S, pdis_csr[SPDISAMBADDR].lo, base);
		low |= pdis_get(MODE_S, SPDISAMBADDR) == base ? 0 : BIT(n);
	}
	CHECK("AMB-030", !low, "writing invalid addresses does no harm");
	csr_put(MODE_S, pdis_csr[SPDISAMBADDR].lo, ~0UL);
	v = pdis_get(MODE_S, SPDISAMBADDR);
	CHECK("PDIS-PMB-005", !(v & (PDIS_RECORD - 1)), "all ones: %lx", v);
	pdis_put(MODE_S, SPDISAMBADDR, 0);
}

static void test_high_half(void)
{
	u32 hi = pdis_csr[SPDISAMBCS].hi, lo = pdis_csr[SPDISAMBCS].lo;

	if (__riscv_xlen == 64) {
		CHECK("AMB-001", put_get(AMB_SOF | AMB_BMI) == (AMB_SOF | AMB_BMI),
		      "sambcs has 64 bits");
		put_get(0);
		return;
	}
	CHECK("AMB-001", csr_exists(hi), "sambcsh exists");
	put_get(0);
	csr_put(MODE_S, hi, (AMB_SOF | AMB_BMIEN) >> 32);
	csr_put(MODE_S, lo, AMB_BMI);
	CHECK("AMB-001", put_get(AMB_SOF | AMB_BMI) == (AMB_SOF | AMB_BMI),
	      "it is bits 63:32 of sambcs");
	csr_put(MODE_S, lo, 0);
	CHECK("AMB-001", csr_get(MODE_S, hi) & (AMB_SOF >> 32),
	      "and keeps its value");
	put_get(0);
}

/* Software sets BMI and TF, and moves the pointer: no interrupt. */
static void test_quiet(void)
{
	unsigned int n;

	lambi_clear();
	put_get(AMB_TF | AMB_BMI | AMB_WRAP);
	CHECK("AMB-039", !lambi_wait(), "BMI by software pends no LAMBI");
	CHECK("AMB-041", (put_get(AMB_TF | AMB_BMI) & (AMB_TF | AMB_BMI)) ==
	      (AMB_TF | AMB_BMI), "TF and BMI stay");
	put_get(0);
	for (n = 0; n < 4; n++) {
		put_get(AMB_BMIEN | AMB_BMITH(n));
		pdis_put(MODE_S, SPDISAMBADDR, (unsigned long)pmb_mem + 0x400 * n);
	}
	CHECK("AMB-038", !lambi_pending() &&
	      !(pdis_get(MODE_S, SPDISAMBCS) & AMB_BMI),
	      "a pointer written by software reaches no threshold");
	put_get(0);
}

void test_main(void)
{
	pdis_init();
	test_fields();
	test_enable();
	test_size();
	test_address();
	test_high_half();
	test_quiet();
}
