// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sspesa: shpmspc and shpmsdata as registers: what they hold, who has access.
 *
 * profile: pesa pesa-block pesa-next pesa-noh pesa-rv32
 */
#include "pesa.h"
#include "tap.h"

#define SXLEN __riscv_xlen

/* A write by S-mode, read back */
static unsigned long kept(u32 csr, unsigned long val)
{
	csr_put(MODE_S, csr, val);
	return csr_get(MODE_S, csr);
}

static void test_read_write(void)
{
	unsigned long here = (unsigned long)test_main;

	CHECK("PESA-001", kept(CSR_SHPMSPC, here) == here &&
	      kept(CSR_SHPMSPC, 0) == 0 && kept(CSR_SHPMSPC, -4UL) == -4UL,
	      "shpmspc holds an address, the lowest and the highest");
	csr_put(MODE_S, CSR_SHPMSPC, 0x1000);
	csr_cause(MODE_S, OP_SET, CSR_SHPMSPC, 0x234);
	csr_cause(MODE_S, OP_CLEAR, CSR_SHPMSPC, 0x30);
	CHECK("PESA-001", csr_get(MODE_S, CSR_SHPMSPC) == 0x1204,
	      "bits are set and cleared by themselves");
	csr_put(MODE_S, CSR_SHPMSDATA, 5);
	CHECK("PESA-001", csr_get(MODE_S, CSR_SHPMSPC) == 0x1204,
	      "it is not shpmsdata");
}

static void test_data(void)
{
	unsigned long ones = kept(CSR_SHPMSDATA, ~0UL);
	unsigned int i;
	u32 wrong = 0;

	for (i = COUNTER_FIRST; i <= COUNTER_LAST; i++)
		wrong |= (kept(CSR_SHPMSDATA, i) != i) << i;
	CHECK("PESA-002", !wrong, "CNTRID holds each counter (wrong: %x)", wrong);
	CHECK("PESA-002", ones == (CNTRID | PLATFORM_PESA_METADATA),
	      "and above it is what the platform says: %lx", ones);
	CHECK("PESA-002", kept(CSR_SHPMSDATA, 0) == 0, "all of it can be 0");
	if (!PLATFORM_PESA_METADATA)
		CHECK("PESA-019", !(ones & ~CNTRID), "metadata hardwired to 0");
}

/* Bits of the largest virtual address; what is above equals the highest. */
static const unsigned int widths[] = { 39, 48, 57 };

static void test_addresses(void)
{
	unsigned long wrong = 0, low, high;
	unsigned int w, b;

	if (SXLEN == 32) {
		for (b = 0; b < 32; b++)
			wrong |= kept(CSR_SHPMSPC, BIT(b)) ^ BIT(b);
		CHECK("PESA-028", !wrong, "any bit (wrong: %lx)", wrong);
		return;
	}
	for (w = 0; w < ARRAY_SIZE(widths); w++) {
		for (b = 0; b < widths[w] - 1; b++) {
			low = BIT(b);
			high = -BIT(widths[w] - 1) | BIT(b);
			wrong |= kept(CSR_SHPMSPC, low) ^ low;
			wrong |= kept(CSR_SHPMSPC, high) ^ high;
			wrong |= kept(CSR_SHPMSPC, ~high) ^ ~high;
		}
		CHECK("PESA-028", !wrong, "virtual addresses of %u bits (wrong: %lx)",
		      widths[w], wrong);
	}
}

/* The bits above the first `width' - 1 are not all the same. */
static int invalid(unsigned long addr, unsigned int width)
{
	long top = (long)addr >> (width - 1);

	return top != 0 && top != -1;
}

static void test_invalid(void)
{
	unsigned int b, wrong = 0;

	if (SXLEN == 32) {
		tap_skip("PESA-029", "any address is valid");
		return;
	}
	for (b = 57; b < SXLEN; b++) {
		wrong += csr_cause(MODE_S, OP_SWAP, CSR_SHPMSPC, BIT(b)) != NO_TRAP;
		wrong += csr_cause(MODE_S, OP_SWAP, CSR_SHPMSPC, ~BIT(b)) != NO_TRAP;
	}
	CHECK("PESA-029", !wrong, "writing invalid addresses does not trap");
	for (b = 57; b < SXLEN - 1; b++)
		wrong += !invalid(kept(CSR_SHPMSPC, BIT(b)), widths[0]);
	CHECK("PESA-029", !wrong, "nor do they turn into valid ones");
}

/* What each operation on both registers should yield */
static u32 access_wrong(enum rt_mode mode, unsigned long cause)
{
	static const u32 csrs[] = { CSR_SHPMSPC, CSR_SHPMSDATA };
	u32 wrong = 0, n;

	for (n = 0; n < 8; n++)
		wrong |= (csr_cause(mode, n % 4, csrs[n / 4], 0) != cause) << n;
	return wrong;
}

struct access {
	const char *spc, *data;		/* rules */
	int cde;
	enum rt_mode mode;
	unsigned long cause;
};

static const struct access accesses[] = {
	{ "PESA-024", "PESA-024", 1, MODE_M, NO_TRAP },
	{ "PESA-024", "PESA-024", 0, MODE_M, NO_TRAP },
	{ "PESA-001", "PESA-002", 1, MODE_S, NO_TRAP },
	{ "PESA-020", "PESA-021", 0, MODE_S, CAUSE_ILLEGAL },
	{ "PESA-025", "PESA-025", 1, MODE_U, CAUSE_ILLEGAL },
	{ "PESA-025", "PESA-025", 0, MODE_U, CAUSE_ILLEGAL },
	{ "PESA-022", "PESA-022", 1, MODE_VS, CAUSE_VIRTUAL },
	{ "PESA-023", "PESA-023", 0, MODE_VS, CAUSE_ILLEGAL },
	{ "PESA-022", "PESA-022", 1, MODE_VU, CAUSE_VIRTUAL },
	{ "PESA-023", "PESA-023", 0, MODE_VU, CAUSE_ILLEGAL },
};

static void test_access(void)
{
	unsigned int n;

	for (n = 0; n < ARRAY_SIZE(accesses); n++) {
		const struct access *a = &accesses[n];
		u32 wrong;

		if (a->mode >= MODE_VS && !rt_has_h())
			continue;
		cde_set(a->cde);
		wrong = access_wrong(a->mode, a->cause);
		CHECK(a->spc, !(wrong & 0xf), "shpmspc in %s-mode, CDE=%d (wrong: %x)",
		      rt_mode_name[a->mode], a->cde, wrong & 0xf);
		CHECK(a->data, !(wrong >> 4), "shpmsdata in %s-mode, CDE=%d (wrong: %x)",
		      rt_mode_name[a->mode], a->cde, wrong >> 4);
	}
}

/* A refused write must not have written, an M-mode one with CDE=0 must. */
static void test_effect(void)
{
	cde_set(0);
	pesa_clear();
	csr_cause(MODE_S, OP_SWAP, CSR_SHPMSPC, 0x1000);
	csr_cause(MODE_U, OP_SWAP, CSR_SHPMSDATA, 7);
	CHECK("PESA-020", pesa_untouched(), "an illegal write changes nothing");
	csr_put(MODE_M, CSR_SHPMSPC, 0x1000);
	csr_put(MODE_M, CSR_SHPMSDATA, 7);
	cde_set(1);
	CHECK("PESA-024", csr_get(MODE_S, CSR_SHPMSPC) == 0x1000 &&
	      csr_get(MODE_S, CSR_SHPMSDATA) == 7,
	      "what M-mode wrote with CDE=0 is there");
}

void test_main(void)
{
	counters_stop_all();
	cde_set(1);
	test_read_write();
	test_data();
	test_addresses();
	test_invalid();
	test_access();
	test_effect();
}
