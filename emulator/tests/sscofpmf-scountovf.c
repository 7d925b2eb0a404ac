// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sscofpmf: scountovf, a read-only shadow of all OF bits.
 *
 * profile: full noaia rv32
 */
#include "hpm.h"
#include "tap.h"

static u32 present;

static void of_set(u32 mask)
{
	unsigned int i;

	for (i = COUNTER_FIRST; i <= COUNTER_LAST; i++)
		if (present >> i & 1)
			event_set(i, mask >> i & 1 ? EV_OF : 0);
}

/* Every counter alone, none, all, and a pattern */
static void test_shadow(void)
{
	u32 wrong = 0;
	unsigned int i;

	counteren_set(0, 0);
	for (i = COUNTER_FIRST; i <= COUNTER_LAST; i++) {
		if (!(present >> i & 1))
			continue;
		of_set(1U << i);
		wrong |= (csr_get(MODE_M, CSR_SCOUNTOVF) != BIT(i)) << i;
	}
	CHECK("COF-032", !wrong,
	      "bit X is mhpmeventX.OF alone (wrong: %x)", wrong);
	of_set(0);
	CHECK("COF-032", csr_get(MODE_M, CSR_SCOUNTOVF) == 0, "no OF: 0");
	of_set(0x5a5a5a5a);
	CHECK("COF-032", csr_get(MODE_M, CSR_SCOUNTOVF) ==
	      (0x5a5a5a5a & present), "a pattern of OF bits, 32 bits wide");
	of_set(~0U);
	CHECK("COF-035", csr_get(MODE_M, CSR_SCOUNTOVF) == present,
	      "M-mode reads all bits with mcounteren=0");
	counteren_set(~0U, ~0U);
	CHECK("COF-035", csr_get(MODE_M, CSR_SCOUNTOVF) == present,
	      "M-mode reads all bits with mcounteren all ones");
	CHECK("COF-033", !(csr_get(MODE_M, CSR_SCOUNTOVF) & 7) &&
	      !(csr_get(MODE_S, CSR_SCOUNTOVF) & 7), "bits 2:0 read 0");
}

static void test_hardware(unsigned int i)
{
	of_set(0);
	hpm_start(i, INSTRET | ONLY_U, -3ULL);
	rt_call(MODE_U, rt_loop, 5, 0);
	counter_stop(i);
	CHECK("COF-032", csr_get(MODE_M, CSR_SCOUNTOVF) == BIT(i),
	      "OF set by an overflow shows");
	lcofi_clear();
}

static void test_read_only(void)
{
	static const enum csr_op ops[] = { OP_SWAP, OP_SET, OP_CLEAR };
	int m, n;

	counteren_set(~0U, ~0U);
	for (m = MODE_M; m <= MODE_S; m++)
		for (n = 0; n < 3; n++)
			CHECK("COF-034", csr_cause(m, ops[n], CSR_SCOUNTOVF, ~0UL)
			      == CAUSE_ILLEGAL, "%s-mode write %d is illegal",
			      rt_mode_name[m], n);
	CHECK("COF-034", csr_cause(MODE_S, OP_READ, CSR_SCOUNTOVF, 0) == NO_TRAP,
	      "a read is not");
}

static void test_supervisor(void)
{
	u32 wrong = 0;
	unsigned int i;

	of_set(~0U);
	for (i = COUNTER_FIRST; i <= COUNTER_LAST; i++) {
		counteren_set(1U << i, 0);
		wrong |= (csr_get(MODE_S, CSR_SCOUNTOVF) !=
			  (BIT(i) & present)) << i;
	}
	CHECK("COF-036", !wrong,
	      "S-mode sees exactly the mcounteren bits (wrong: %x)", wrong);
	counteren_set(0, ~0U);
	CHECK("COF-036", csr_get(MODE_S, CSR_SCOUNTOVF) == 0,
	      "none with mcounteren=0");
	counteren_set(~0U, 0);
	csr_write(CSR_SCOUNTEREN, 0);
	CHECK("COF-036", csr_get(MODE_S, CSR_SCOUNTOVF) == present,
	      "all with mcounteren all ones, whatever hcounteren and scounteren");
}

static void test_virtual(void)
{
	static const u32 pairs[][2] = {
		{ ~0U, ~0U }, { ~0U, 0 }, { 0, ~0U }, { 0x0f0f0f08, 0x33333338 },
	};
	unsigned int n;

	cde_set(0);
	of_set(~0U);
	for (n = 0; n < 4; n++) {
		counteren_set(pairs[n][0], pairs[n][1]);
		CHECK("COF-037", csr_get(MODE_VS, CSR_SCOUNTOVF) ==
		      (pairs[n][0] & pairs[n][1] & present),
		      "VS-mode: mcounteren %x and hcounteren %x", pairs[n][0],
		      pairs[n][1]);
	}
}

void test_main(void)
{
	present = hpm_present();
	counters_stop_all();
	test_shadow();
	test_hardware(hpm_nth(0));
	test_read_only();
	test_supervisor();
	test_virtual();
}
