// SPDX-License-Identifier: GPL-2.0-only
/*
 * Smctr/Ssctr: SCTRCLR.
 *
 * profile: ctr ctr-min ctr-some ctr-noh ctr-rv32
 */
#include "ctr.h"
#include "tap.h"

static void fill(void)
{
	unsigned int x;

	for (x = 0; x < ctr_core.depth; x++)
		ctr_put(x, ~0UL, ~0UL, ~0UL);
}

static unsigned int not_zero(void)
{
	unsigned int x, n = 0;
	struct ctr_entry e;

	for (x = 0; x < 256; x++) {
		e = ctr_get(x);
		n += e.source || e.target || e.data;
	}
	return n;
}

static unsigned long one_insn(unsigned long a0, unsigned long a1)
{
	__asm__ __volatile__(".word %0" : : "i"(ASM_SCTRCLR) : "memory");
	return 0;
}

static unsigned int lowest(u32 mask)
{
	unsigned int n = 0;

	while (!(mask >> n & 1))
		n++;
	return n;
}

static void test_mode(enum rt_mode mode)
{
	unsigned int wrong;

	csr_write(CSR_SCTRSTATUS, STATUS_FROZEN | 7);
	fill();
	rt_call(mode, one_insn, 0, 0);
	wrong = not_zero();
	CHECK("CTR-CLR-008,CTR-CLR-002", !wrong,
	      "SCTRCLR in %s-mode: every register of every entry is 0 (wrong: %u)",
	      rt_mode_name[mode], wrong);
	CHECK("CTR-CLR-005", csr_read(CSR_SCTRSTATUS) == (STATUS_FROZEN | 7),
	      "WRPTR and FROZEN=1 are as before");
	csr_write(CSR_SCTRSTATUS, 11);
	rt_call(mode, one_insn, 0, 0);
	CHECK("CTR-CLR-005", csr_read(CSR_SCTRSTATUS) == 11,
	      "and with FROZEN=0");
	csr_write(CSR_SCTRSTATUS, STATUS_FROZEN);
}

/* The word is the instruction; its neighbours are not. */
unsigned long clear_fields(unsigned long n, unsigned long unused);
static void test_encoding(void)
{
	unsigned int n;

	fill();
	for (n = 0; n < 3; n++)
		rt_try(MODE_M, clear_fields, n, 0);
	CHECK("CTR-CLR-001", not_zero() == ctr_core.depth,
	      "with another rd, rs1 or funct12 it is not SCTRCLR");
	one_insn(0, 0);
	CHECK("CTR-CLR-001", !not_zero(), "0x10400073 is SCTRCLR");
}

static void test_depths(void)
{
	unsigned int low = lowest(ctr_core.depths), high = ctr_set_depth(0), n;

	for (n = 0; n < 5; n++)
		if (ctr_core.depths >> n & 1)
			high = n;
	if (low == high) {
		ctr_set_depth(high);
		tap_skip("CTR-CLR-002", "one depth only");
		return;
	}
	ctr_set_depth(high);
	fill();
	ctr_set_depth(low);
	one_insn(0, 0);
	ctr_set_depth(high);
	CHECK("CTR-CLR-002", !not_zero(),
	      "entries out of reach at the time are 0 as well");
}

/* Nothing comes back until something is recorded. */
static void test_until(void)
{
	ctr_control(CTL_S, 0);
	ctr_run(MODE_S, ctr_jumps, 0, 0);
	ctr_run_on(MODE_S, ctr_clear_insn, 0, 0);
	ctr_control(0, 0);
	CHECK("CTR-CLR-004", ctr_valid() == 1 && ctr_get(0).source ==
	      ((unsigned long)ctr_clear_jr | SOURCE_V),
	      "what is recorded after SCTRCLR is all there is");
	one_insn(0, 0);
	CHECK("CTR-CLR-004", !not_zero(), "all 0 until the next record");
}

static void cause_in(enum rt_mode mode, const char *rule, unsigned long want)
{
	unsigned long cause;

	fill();
	cause = rt_try(mode, ctr_clear_insn, 0, 0).cause;
	CHECK(rule, cause == want, "SCTRCLR in %s-mode: cause %ld",
	      rt_mode_name[mode], (long)cause);
	CHECK(rule, not_zero() == ctr_core.depth, "and it clears nothing");
}

void test_main(void)
{
	ctr_init();
	test_mode(MODE_M);
	test_mode(MODE_S);
	if (rt_has_h())
		test_mode(MODE_VS);
	test_encoding();
	test_depths();
	test_until();
	cause_in(MODE_U, "CTR-CLR-006", CAUSE_ILLEGAL);
	if (rt_has_h())
		cause_in(MODE_VU, "CTR-CLR-007", CAUSE_VIRTUAL);
}
