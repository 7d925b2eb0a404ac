// SPDX-License-Identifier: GPL-2.0-only
/*
 * Smpdis/Sspdis: who may access what, by mstateen0.PDIS and hstateen0.PDIS;
 * the bits of PDIS in menvcfg, henvcfg, scountinhibit and scountovf.
 *
 * profile: pdis pdis-regs pdis-noh pdis-rv32
 */
#include "pdis.h"
#include "tap.h"

enum outcome { OK, ILL, VIRT, ANY };

static const unsigned long causes[] = { NO_TRAP, CAUSE_ILLEGAL, CAUSE_VIRTUAL };

/* M, S, U, VS, VU: by [mstateen0.PDIS][hstateen0.PDIS] */
struct access {
	const char *rule[2][2];
	unsigned char want[2][2][MODES];
};

/* VU where VS has access: HS has access to what it means, so it is virtual. */
static const struct access supervisor = {
	{ { "PDIS-SE-001", "PDIS-SE-001" }, { "PDIS-SE-007", "PDIS-SE-008" } },
	{ { { OK, ILL, ILL, ILL, ILL }, { OK, ILL, ILL, ILL, ILL } },
	  { { OK, OK, ILL, VIRT, VIRT }, { OK, OK, ILL, OK, VIRT } } },
};

static const struct access virtual = {
	{ { "PDIS-SE-002", "PDIS-SE-002" }, { "PDIS-SE-005", "PDIS-SE-005" } },
	{ { { OK, ILL, ILL, ILL, ILL }, { OK, ILL, ILL, ILL, ILL } },
	  { { OK, OK, ILL, VIRT, VIRT }, { OK, OK, ILL, VIRT, VIRT } } },
};

static const struct access machine = {
	{ { "PDIS-SE-004", "PDIS-SE-004" }, { "PDIS-SE-004", "PDIS-SE-004" } },
	{ { { OK, ILL, ILL, ILL, ILL }, { OK, ILL, ILL, ILL, ILL } },
	  { { OK, ILL, ILL, ILL, ILL }, { OK, ILL, ILL, ILL, ILL } } },
};

static const struct access *access_of(unsigned int reg)
{
	if (reg == MPDISCTL)
		return &machine;
	if (reg == VSPDISCTL)
		return &virtual;
	return &supervisor;
}

static int wrong_access(u32 csr, enum rt_mode mode, unsigned long cause)
{
	unsigned long r = csr_cause(mode, OP_READ, csr, 0);
	unsigned long w = csr_cause(mode, OP_SWAP, csr, 0);

	if (r == cause && w == cause)
		return 0;
	NOTE("CSR %x in %s-mode: cause %ld, %ld, not %ld", csr,
	     rt_mode_name[mode], (long)r, (long)w, (long)cause);
	return 1;
}

static int implemented(unsigned int reg)
{
	if (reg == VSPDISCTL)
		return rt_has_h();
	if (reg == SPDISAMBCS || reg == SPDISAMBADDR)
		return pdis_to_memory();
	return 1;
}

/* Rules of VS-mode need VS-mode; that of M-mode is a rule of its own. */
static void check_access(unsigned int reg, int m, int h)
{
	const struct access *a = access_of(reg);
	const struct pdis_csr *c = &pdis_csr[reg];
	int last = rt_has_h() ? MODE_VU : MODE_U;
	unsigned int wrong = 0;
	int mode;

	for (mode = MODE_S; mode <= last; mode++) {
		unsigned long cause = causes[a->want[m][h][mode]];

		wrong += wrong_access(c->lo, mode, cause);
		if (__riscv_xlen == 32 && c->hi)
			wrong += wrong_access(c->hi, mode, cause);
	}
	CHECK(m && last == MODE_U ? "PDIS-SE-005" : a->rule[m][h], !wrong,
	      "%s with mstateen0.PDIS=%u, hstateen0.PDIS=%u", c->name, m, h);
	CHECK("PDIS-SE-004", !wrong_access(c->lo, MODE_M, NO_TRAP),
	      "%s in M-mode with mstateen0.PDIS=%u", c->name, m);
	if (m && reg != MPDISCTL)
		CHECK("PDIS-SE-005", !wrong_access(c->lo, MODE_S, NO_TRAP),
		      "%s in S-mode with mstateen0.PDIS=1", c->name);
}

static void test_matrix(void)
{
	unsigned int reg;
	int m, h;

	for (m = 0; m < 2; m++)
		for (h = 0; h <= rt_has_h(); h++) {
			pdis_stateen(m, h);
			for (reg = 0; reg < PDIS_REGS; reg++)
				if (implemented(reg))
					check_access(reg, m, h);
		}
	pdis_stateen(1, 1);
}

static u64 stateen_get(u32 lo, u32 hi)
{
	u64 v = csr_get(MODE_M, lo);

	if (__riscv_xlen == 32)
		v |= (u64)csr_get(MODE_M, hi) << 32;
	return v >> PLATFORM_STATEEN_PDIS_BIT & 1;
}

static void test_stateen_bits(void)
{
	pdis_stateen(1, 1);
	CHECK("PDIS-SE-005", stateen_get(CSR_MSTATEEN0, CSR_MSTATEEN0H),
	      "mstateen0.PDIS can be 1");
	if (rt_has_h())
		CHECK("PDIS-SE-008", stateen_get(CSR_HSTATEEN0, CSR_HSTATEEN0H),
		      "hstateen0.PDIS can be 1");
	pdis_stateen(0, 1);
	CHECK("PDIS-SE-001", !stateen_get(CSR_MSTATEEN0, CSR_MSTATEEN0H),
	      "mstateen0.PDIS can be 0");
	if (rt_has_h())
		CHECK("PDIS-SE-006", !stateen_get(CSR_HSTATEEN0, CSR_HSTATEEN0H),
		      "then hstateen0.PDIS is 0");
	pdis_stateen(1, 1);
}

/* The runtime has set every bit: only what a reset left behind is of use. */
static void test_reset(void)
{
	CHECK("PDIS-SE-010", !(rt_reset_mstateen0 >> PLATFORM_STATEEN_PDIS_BIT & 1),
	      "mstateen0.PDIS is 0 after reset");
}

static void inhibit(const char *rule, int seen, const char *when)
{
	unsigned long s;

	csr_set(CSR_MCOUNTINHIBIT, PDIS_BIT);
	s = csr_get(MODE_S, CSR_SCOUNTINHIBIT) & PDIS_BIT;
	CHECK(rule, !!s == seen, "scountinhibit[1] reads %s if %s",
	      seen ? "mcountinhibit[1]" : "0", when);
	csr_cause(MODE_S, OP_CLEAR, CSR_SCOUNTINHIBIT, PDIS_BIT);
	s = csr_read(CSR_MCOUNTINHIBIT) & PDIS_BIT;
	CHECK(rule, !!s != seen, "and clears it: %u", seen);
	csr_clear(CSR_MCOUNTINHIBIT, PDIS_BIT);
	csr_cause(MODE_S, OP_SET, CSR_SCOUNTINHIBIT, PDIS_BIT);
	s = csr_read(CSR_MCOUNTINHIBIT) & PDIS_BIT;
	CHECK(rule, !!s == seen, "and sets it: %u", seen);
	pdis_stop();
}

static void test_scountinhibit(void)
{
	cde_set(1);
	counteren_set(~0U, ~0U);
	pdis_stateen(1, 1);
	inhibit("PDIS-INH-003", 1, "mstateen0.PDIS=1");
	pdis_stateen(1, 0);
	inhibit("PDIS-INH-003", 1, "hstateen0.PDIS=0");
	pdis_stateen(0, 0);
	inhibit("PDIS-INH-004", 0, "mstateen0.PDIS=0");
	pdis_stateen(1, 1);
	counteren_set(0, 0);
	inhibit("PDIS-INH-005", 1, "mcounteren is 0");
	cde_set(0);
	CHECK("PDIS-INH-006", csr_cause(MODE_S, OP_READ, CSR_SCOUNTINHIBIT, 0) ==
	      CAUSE_ILLEGAL, "scountinhibit is illegal with CDE=0");
}

static void test_scountovf(void)
{
	u32 en;
	int of;

	cde_set(1);
	for (of = 0; of < 2; of++)
		for (en = 0; en < 2; en++) {
			counteren_set(en ? ~0U : 0, en ? ~0U : 0);
			pdis_put(MODE_M, MPDISCTL, of ? PDIS_OF : 0);
			CHECK("PDIS-OVF-001", !!(csr_get(MODE_M, CSR_SCOUNTOVF) &
						 PDIS_BIT) == of,
			      "scountovf[1] in M-mode with OF=%u", of);
			CHECK("PDIS-OVF-002", !!(csr_get(MODE_S, CSR_SCOUNTOVF) &
						 PDIS_BIT) == of,
			      "in S-mode with OF=%u, mcounteren[1]=%u", of, en);
		}
	CHECK("PDIS-OVF-001", csr_cause(MODE_M, OP_SWAP, CSR_SCOUNTOVF, 0) ==
	      CAUSE_ILLEGAL && pdis_of(), "it cannot be written");
	pdis_put(MODE_M, MPDISCTL, 0);
	cde_set(0);
}

static u64 envcfg(u32 lo, u32 hi)
{
	u64 v = csr_get(MODE_M, lo);

	if (__riscv_xlen == 32)
		v |= (u64)csr_get(MODE_M, hi) << 32;
	return v;
}

static void test_envcfg_bit(const char *rule, const char *hardwired, u32 lo,
			    u32 hi, const char *name)
{
	u64 before, set;

	pdis_envcfg(0, 0);
	before = envcfg(lo, hi);
	pdis_envcfg(1, 1);
	set = envcfg(lo, hi);
	if (pdis_to_memory())
		CHECK(rule, (before ^ set) == BIT64(PLATFORM_ENVCFG_PDIS_BIT) &&
		      set > before, "%s can be 0 and 1, alone", name);
	else
		CHECK(hardwired, before == set &&
		      !(set >> PLATFORM_ENVCFG_PDIS_BIT & 1),
		      "%s is 0 as MEM is", name);
	pdis_envcfg(0, 0);
}

static void test_envcfg(void)
{
	test_envcfg_bit("PDIS-ENV-001", "PDIS-ENV-006", CSR_MENVCFG,
			CSR_MENVCFGH, "menvcfg.PDISS");
	if (rt_has_h())
		test_envcfg_bit("PDIS-ENV-002", "PDIS-ENV-007", CSR_HENVCFG,
				CSR_HENVCFGH, "henvcfg.PDISV");
}

void test_main(void)
{
	pdis_init();
	test_reset();
	test_stateen_bits();
	test_matrix();
	test_scountinhibit();
	test_scountovf();
	test_envcfg();
}
