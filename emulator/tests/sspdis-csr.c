// SPDX-License-Identifier: GPL-2.0-only
/*
 * Smpdis/Sspdis: mpdisctl, spdisctl, vspdisctl, spdiscounter and the filters
 * as registers.
 *
 * profile: pdis pdis-min pdis-regs pdis-memory pdis-noh pdis-rv32
 */
#include "pdis.h"
#include "tap.h"

/* Bits that may be anything at any time do not count. */
#define KNOWN	(~(PDIS_UNUSED | PDIS_CUSTOM))

static u64 put_get(enum rt_mode mode, enum pdis_reg reg, u64 val)
{
	pdis_put(mode, reg, val);
	return pdis_get(mode, reg);
}

/* A field, and the value that it always has if it is hardwired */
struct field {
	const char *rule, *name;
	u64 bits;
	int may_be_1;
};

static const struct field fields[] = {
	{ "PDIS-CTL-005", "MEM", PDIS_MEM, 1 },
	{ "PDIS-CTL-006", "ACC", PDIS_ACC, 1 },
	{ "PDIS-CTL-007", "TS", PDIS_TS, 0 },
	{ "PDIS-CTL-008", "PA", PDIS_PA, 0 },
	{ "PDIS-CTL-009", "EPT", PDIS_EPT, 0 },
	{ "PDIS-CTL-012", "U", PDIS_U, 0 },
	{ "PDIS-CTL-013", "S", PDIS_S, 0 },
	{ "PDIS-CTL-014", "M", PDIS_M, 0 },
	{ "PDIS-CTL-015", "OF", PDIS_OF, 0 },
};

static void test_field(const struct field *f)
{
	u64 zero = put_get(MODE_M, MPDISCTL, 0) & KNOWN;
	u64 one = put_get(MODE_M, MPDISCTL, f->bits) & KNOWN;
	const char *rule = f->may_be_1 && f->bits == PDIS_MEM ? "PDIS-CTL-019" :
			   f->may_be_1 ? "PDIS-CTL-020" : "PDIS-CTL-021";

	pdis_put(MODE_M, MPDISCTL, 0);
	if (zero != one) {
		CHECK(f->rule, (zero ^ one) == f->bits && one & f->bits,
		      "%s can be written, and nothing moves along (%llx)",
		      f->name, one);
		CHECK(rule, !(zero & f->bits), "%s can be 0 and 1", f->name);
		return;
	}
	tap_skip(f->rule, "hardwired");
	CHECK(rule, f->may_be_1 || !(one & f->bits), "%s is hardwired to %u",
	      f->name, !!(one & f->bits));
}

static void test_select(void)
{
	u32 supported = 0, seen = 0, wrong = 0;
	unsigned int v, got;

	for (v = SEL_ALL; v <= SEL_CTI; v++) {
		got = put_get(MODE_M, MPDISCTL, v) & PDIS_SEL;
		supported |= (got == v) << v;
		seen |= 1U << got;
	}
	for (v = 5; v <= 7; v++)
		wrong |= !(supported >> (put_get(MODE_M, MPDISCTL, v) &
					 PDIS_SEL) & 1) << v;
	pdis_put(MODE_M, MPDISCTL, 0);
	CHECK("PDIS-CTL-002", supported & 1 && seen == supported,
	      "SEL holds what it can select (%x)", supported);
	CHECK("PDIS-CTL-021", supported == 1 || supported == 0x1f,
	      "SEL has all values or is hardwired to 0");
	CHECK("PDIS-CTL-003", !wrong, "reserved values of SEL become others (%x)",
	      wrong);
}

static void test_hpm_bits(void)
{
	u32 present = 0, wrong = 0;
	unsigned int i;

	for (i = 3; i < 32; i++) {
		u64 v = put_get(MODE_M, MPDISCTL, PDIS_HPM_BIT(i)) & PDIS_HPM;

		present |= (v == PDIS_HPM_BIT(i)) << i;
		wrong |= (v && v != PDIS_HPM_BIT(i)) << i;
	}
	pdis_put(MODE_M, MPDISCTL, 0);
	if (present)
		CHECK("PDIS-CTL-004", !wrong, "HPM bits are separate: %x",
		      present);
	else
		tap_skip("PDIS-CTL-004", "hardwired");
	CHECK("PDIS-CTL-021", !wrong, "HPM bits are writable or 0 (wrong: %x)",
	      wrong);
}

static void test_no_function(void)
{
	u64 v;

	v = put_get(MODE_M, MPDISCTL, PDIS_UNUSED);
	CHECK("PDIS-CTL-010", !(v & KNOWN & ~pdis_core.fixed),
	      "bits 56:37 can be written and move no field (%llx)", v);
	v = put_get(MODE_M, MPDISCTL, 0);
	CHECK("PDIS-CTL-011", !(v & PDIS_CUSTOM), "Custom can be 0");
	CHECK("PDIS-CUST-001", !(v & KNOWN & ~pdis_core.fixed),
	      "a control register of 0 is legal (%llx)", v);
}

static void test_modes(void)
{
	u64 v = put_get(MODE_M, MPDISCTL, PDIS_MODES);

	CHECK("PDIS-CTL-016", v & PDIS_M, "M can be 1");
	CHECK("PDIS-CTL-017", !!(v & PDIS_S) == rt_has_s(), "S as S-mode exists");
	CHECK("PDIS-CTL-018", !!(v & PDIS_U) == rt_has_u(), "U as U-mode exists");
	v = put_get(MODE_M, MPDISCTL, 0);
	CHECK("PDIS-CTL-016", !(v & PDIS_M), "M can be 0");
	CHECK("PDIS-CTL-017", !(v & PDIS_S), "S can be 0");
	CHECK("PDIS-CTL-018", !(v & PDIS_U), "U can be 0");
}

/* Software sets and clears OF as it likes; that pends nothing. */
static void test_of(void)
{
	u64 v;

	lcofi_clear();
	v = put_get(MODE_M, MPDISCTL, PDIS_OF);
	CHECK("PDIS-CTL-015", v & PDIS_OF, "OF can be 1");
	CHECK("PDIS-CTL-039", !lcofi_wait(), "OF set by software pends no LCOFI");
	v = put_get(MODE_M, MPDISCTL, 0);
	CHECK("PDIS-CTL-015", !(v & PDIS_OF), "OF can be 0");
}

/* Each half keeps the other. */
static void test_half(const char *rule, enum pdis_reg reg, u64 val)
{
	const struct pdis_csr *c = &pdis_csr[reg];
	u64 want = put_get(MODE_M, reg, val), other;

	if (__riscv_xlen != 32)
		return;
	pdis_put(MODE_M, reg, 0);
	other = pdis_get(MODE_M, reg);
	csr_put(MODE_M, c->hi, val >> 32);
	CHECK(rule, pdis_get(MODE_M, reg) == ((want & ~0xffffffffULL) |
					      (other & 0xffffffff)),
	      "%s: the h CSR is bits 63:32", c->name);
	csr_put(MODE_M, c->lo, (u32)val);
	CHECK(rule, pdis_get(MODE_M, reg) == want, "%s: and only those", c->name);
	pdis_put(MODE_M, reg, 0);
}

static void test_halves(void)
{
	test_half("PDIS-CTL-001", MPDISCTL, PDIS_S | PDIS_OF | SEL_CTI);
	test_half("PDIS-CTL-048", SPDISCTL, PDIS_S | PDIS_OF | SEL_CTI);
	if (rt_has_h())
		test_half("PDIS-CTL-050", VSPDISCTL, PDIS_S | PDIS_U | SEL_CTI);
	test_half("PDIS-CNT-002", SPDISCOUNTER, 0x1234567880000001ULL);
	test_half("PDIS-FLT-003", SPDISEVMASK, pdis_core.events);
	test_half("PDIS-FLT-004", SPDISEVMATCH, pdis_core.events);
}

/* csrrs and csrrc of a bit that all have, in the half that has it */
static int is_register(enum pdis_reg reg)
{
	u32 csr = __riscv_xlen == 32 ? pdis_csr[reg].hi : pdis_csr[reg].lo;
	unsigned long bit = PDIS_OF >> (64 - __riscv_xlen), old;
	int ok;

	pdis_put(MODE_M, reg, 0);
	old = csr_try(MODE_M, OP_SET, csr, bit).value;
	ok = !(old & bit);
	old = csr_try(MODE_M, OP_CLEAR, csr, bit).value;
	ok &= !!(old & bit);
	return ok && !(csr_get(MODE_M, csr) & bit);
}

static void test_spdisctl(void)
{
	u64 all = pdis_core.ctl, v;
	unsigned int n, wrong = 0;

	pdis_put(MODE_M, MPDISCTL, PDIS_M);
	v = pdis_get(MODE_S, SPDISCTL);
	CHECK("PDIS-CTL-046", !(v & PDIS_M), "mpdisctl.M reads as 0");
	pdis_put(MODE_S, SPDISCTL, 0);
	CHECK("PDIS-CTL-046", pdis_get(MODE_M, MPDISCTL) & PDIS_M,
	      "and is not cleared");
	pdis_put(MODE_M, MPDISCTL, 0);
	pdis_put(MODE_S, SPDISCTL, PDIS_M);
	CHECK("PDIS-CTL-046", !(pdis_get(MODE_M, MPDISCTL) & PDIS_M),
	      "nor set");
	for (n = 0; n < 64; n++) {
		u64 bit = BIT64(n) & (all | PDIS_SEL) & ~PDIS_M;

		pdis_put(MODE_S, SPDISCTL, bit);
		v = pdis_get(MODE_M, MPDISCTL) & KNOWN;
		wrong += (v & ~PDIS_M) != (pdis_get(MODE_S, SPDISCTL) & KNOWN);
		wrong += (v & all & bit) != (all & bit);
		pdis_put(MODE_M, MPDISCTL, all & ~BIT64(n));
		v = pdis_get(MODE_S, SPDISCTL) & KNOWN;
		wrong += v != (pdis_get(MODE_M, MPDISCTL) & KNOWN & ~PDIS_M);
	}
	CHECK("PDIS-CTL-047", !wrong, "each other bit is mpdisctl's (wrong: %u)",
	      wrong);
	CHECK("PDIS-CTL-047", is_register(SPDISCTL), "spdisctl is a register");
	pdis_put(MODE_M, MPDISCTL, 0);
}

static void test_vspdisctl(void)
{
	u64 shared = pdis_core.ctl & ~(PDIS_VS_OWN | PDIS_M);
	unsigned int n, wrong = 0;
	u64 v;

	for (n = 0; n < 64; n++) {
		u64 bit = BIT64(n) & shared;

		pdis_put(MODE_S, VSPDISCTL, bit);
		wrong += (pdis_get(MODE_M, MPDISCTL) & shared) != bit;
		wrong += (pdis_get(MODE_S, VSPDISCTL) & shared) != bit;
		pdis_put(MODE_M, MPDISCTL, shared & ~bit);
		v = pdis_get(MODE_S, VSPDISCTL);
		wrong += (v & shared) != (shared & ~bit);
	}
	CHECK("PDIS-CTL-057", !wrong, "other bits are spdisctl's (wrong: %u)",
	      wrong);
	pdis_put(MODE_M, MPDISCTL, 0);
	pdis_put(MODE_S, VSPDISCTL, PDIS_VS_OWN);
	v = pdis_get(MODE_S, VSPDISCTL);
	CHECK("PDIS-CTL-052", v & PDIS_S, "S can be 1");
	CHECK("PDIS-CTL-053", v & PDIS_U, "U can be 1");
	CHECK(v & PDIS_PA ? "PDIS-CTL-055" : "PDIS-CTL-056",
	      (v & PDIS_VS_OWN) == pdis_core.vs, "PA is %swritable",
	      v & PDIS_PA ? "" : "not ");
	CHECK("PDIS-CTL-054", !(pdis_get(MODE_M, MPDISCTL) & PDIS_VS_OWN),
	      "PA, S and U of mpdisctl do not follow vspdisctl");
	pdis_put(MODE_M, MPDISCTL, PDIS_VS_OWN);
	pdis_put(MODE_S, VSPDISCTL, 0);
	CHECK("PDIS-CTL-054", (pdis_get(MODE_M, MPDISCTL) & PDIS_VS_OWN) ==
	      (pdis_core.ctl & PDIS_VS_OWN), "in either direction");
	v = put_get(MODE_S, VSPDISCTL, PDIS_M);
	CHECK("PDIS-CTL-057", !(v & PDIS_M) &&
	      !(pdis_get(MODE_M, MPDISCTL) & PDIS_M), "bit 62 is read-only 0");
	CHECK("PDIS-CTL-049", is_register(VSPDISCTL), "vspdisctl is a register");
	pdis_put(MODE_M, MPDISCTL, 0);
}

/* What a guest calls spdisctl */
static void test_guest(void)
{
	pdis_put(MODE_M, MPDISCTL, 0);
	pdis_put(MODE_VS, SPDISCTL, PDIS_S | PDIS_OF);
	CHECK("PDIS-CTL-051", pdis_get(MODE_S, VSPDISCTL) & PDIS_S &&
	      !(pdis_get(MODE_M, MPDISCTL) & PDIS_S),
	      "VS-mode writes vspdisctl.S");
	CHECK("PDIS-CTL-051", pdis_get(MODE_M, MPDISCTL) & PDIS_OF,
	      "and the OF that there is");
	pdis_put(MODE_M, MPDISCTL, PDIS_U);
	pdis_put(MODE_S, VSPDISCTL, PDIS_S);
	CHECK("PDIS-CTL-051", (pdis_get(MODE_VS, SPDISCTL) & PDIS_MODES) == PDIS_S,
	      "VS-mode reads vspdisctl");
	pdis_put(MODE_S, VSPDISCTL, 0);
	pdis_put(MODE_M, MPDISCTL, 0);
}

/* COUNT stands still, as M-mode is not counted. */
static void test_counter(void)
{
	u64 wrong = 0, v;
	unsigned int n;

	for (n = 0; n < 64; n++) {
		v = put_get(MODE_S, SPDISCOUNTER, BIT64(n));
		wrong |= v ^ BIT64(n);
	}
	CHECK("PDIS-CNT-001", !wrong, "COUNT and INITVAL hold each bit (wrong: %llx)",
	      wrong);
	pdis_put(MODE_M, SPDISCOUNTER, 0);
	CHECK("PDIS-CNT-001", !pdis_get(MODE_M, SPDISCOUNTER), "and 0");
	lcofi_clear();
	pdis_start();
	for (n = 0; n < 4; n++) {
		pdis_put(MODE_S, SPDISCOUNTER, PDIS_INITVAL(77) | 0xfffffff0);
		pdis_put(MODE_S, SPDISCOUNTER, PDIS_INITVAL(77) | 3 * n);
	}
	CHECK("PDIS-CNT-008", pdis_count_get() == 9 && !pdis_of() &&
	      !lcofi_pending(), "bit 31 cleared by software is no overflow");
	CHECK("PDIS-CNT-010", pdis_count_get() == 9,
	      "INITVAL is not loaded when written");
	pdis_stop();
}

static void test_evfilter(const char *rule, enum pdis_reg reg)
{
	u64 ones = put_get(MODE_S, reg, ~0ULL), zeros, wrong = 0;
	unsigned int n;

	zeros = put_get(MODE_S, reg, 0);
	CHECK(rule, !(ones & ~PDIS_EVENTS), "%s[63:56] are 0", pdis_csr[reg].name);
	CHECK("PDIS-FLT-005", !zeros, "%s can be 0", pdis_csr[reg].name);
	if (!ones) {
		tap_skip(rule, "hardwired to 0");
		return;
	}
	for (n = 0; n < 64; n++)
		wrong |= put_get(MODE_S, reg, BIT64(n)) ^ (BIT64(n) & ones);
	CHECK(rule, !wrong, "each bit of %s is writable or 0 (wrong: %llx)",
	      pdis_csr[reg].name, wrong);
	pdis_put(MODE_M, reg, 0);
}

static void test_latfilter(void)
{
	u64 ones = put_get(MODE_S, SPDISFILTER, 0xffff), v;
	u32 supported = 0, wrong = 0;
	unsigned int n;

	pdis_put(MODE_M, SPDISFILTER, 0);
	if (!ones) {
		for (n = 0; n < __riscv_xlen; n++)
			wrong |= put_get(MODE_M, SPDISFILTER, BIT64(n)) != 0;
		CHECK("PDIS-FLT-019", !wrong, "spdisfilter is read-only 0");
		return;
	}
	for (n = 0; n < 13; n++)
		wrong |= put_get(MODE_S, SPDISFILTER, BIT64(n)) ^ BIT64(n);
	CHECK("PDIS-FLT-020", !wrong, "THRESH and INV are writable (wrong: %x)",
	      wrong);
	v = put_get(MODE_S, SPDISFILTER, FILTER_THRESH);
	CHECK("PDIS-FLT-011", (v & 0xffff) == FILTER_THRESH, "THRESH is bits 11:0");
	v = put_get(MODE_S, SPDISFILTER, FILTER_INV);
	CHECK("PDIS-FLT-012", (v & 0xffff) == FILTER_INV, "INV is bit 12");
	for (n = 0; n < LATS; n++) {
		v = put_get(MODE_S, SPDISFILTER, FILTER_BY(n)) & FILTER_LATSEL;
		supported |= (v == FILTER_BY(n)) << n;
	}
	if (supported == 1)
		CHECK("PDIS-FLT-021", !(ones & FILTER_LATSEL),
		      "LATSEL is hardwired to 0");
	else
		CHECK("PDIS-FLT-013", supported & 1, "LATSEL selects by %x",
		      supported);
	for (n = 5, wrong = 0; n < 8; n++) {
		v = put_get(MODE_S, SPDISFILTER, FILTER_BY(n));
		wrong |= !(supported >> (v >> 13 & 7) & 1) << n;
	}
	CHECK("PDIS-FLT-022", !wrong, "undefined values of LATSEL become others");
	v = put_get(MODE_S, SPDISFILTER, ~0ULL << 16);
	CHECK("PDIS-FLT-014", !(v & 0xffff), "what is above moves no field");
	pdis_put(MODE_M, SPDISFILTER, 0);
}

static void test_presence(void)
{
	int s = rt_has_s(), memory = pdis_to_memory();
	unsigned int r;

	CHECK("PDIS-CTL-001", pdis_exists(MPDISCTL), "mpdisctl exists");
	for (r = SPDISCTL; s && r < SPDISAMBCS; r++)
		if (r != VSPDISCTL)
			CHECK("PDIS-CTL-058", pdis_exists(r), "%s exists",
			      pdis_csr[r].name);
	CHECK("PDIS-CTL-049", pdis_exists(VSPDISCTL) == rt_has_h(),
	      "vspdisctl if and only if H");
	CHECK(memory ? "PDIS-PMB-001" : "PDIS-PMB-002",
	      pdis_exists(SPDISAMBCS) == memory &&
	      pdis_exists(SPDISAMBADDR) == memory,
	      "spdisambcs, spdisambaddr %s", memory ? "exist" : "do not exist");
	for (r = 0; __riscv_xlen == 64 && r < PDIS_REGS; r++)
		if (pdis_csr[r].hi && csr_exists(pdis_csr[r].hi))
			CHECK("PDIS-CTL-001", 0, "%s has a high half on RV64",
			      pdis_csr[r].name);
}

static void test_inhibit(void)
{
	csr_set(CSR_MCOUNTINHIBIT, PDIS_BIT);
	CHECK("PDIS-INH-001", csr_read(CSR_MCOUNTINHIBIT) & PDIS_BIT,
	      "mcountinhibit[1] can be 1");
	csr_clear(CSR_MCOUNTINHIBIT, PDIS_BIT);
	CHECK("PDIS-INH-001", !(csr_read(CSR_MCOUNTINHIBIT) & PDIS_BIT),
	      "and 0");
	pdis_stop();
}

void test_main(void)
{
	unsigned int n;

	pdis_init();
	NOTE("mpdisctl: writable %llx, always 1 %llx", pdis_core.ctl,
	     pdis_core.fixed);
	test_presence();
	test_inhibit();
	for (n = 0; n < ARRAY_SIZE(fields); n++)
		test_field(&fields[n]);
	test_select();
	test_hpm_bits();
	test_no_function();
	test_modes();
	test_of();
	if (!rt_has_s())
		return;
	test_halves();
	test_spdisctl();
	if (rt_has_h()) {
		test_vspdisctl();
		test_guest();
	}
	test_counter();
	test_evfilter("PDIS-FLT-001", SPDISEVMASK);
	test_evfilter("PDIS-FLT-002", SPDISEVMATCH);
	test_latfilter();
}
