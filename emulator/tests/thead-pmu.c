// SPDX-License-Identifier: GPL-2.0-only
/*
 * T-Head's C9xx: counter overflow as these cores had it before Sscofpmf. What is tested is
 * what the published sources of the cores say (openc906, openc910), and what OpenSBI and Linux
 * rely on. Counters have no filters: they count in all modes.
 *
 * profile: thead
 */
#include "tap.h"
#include "vendor.h"

#define CSR_SCOUNTERINTEN	0x5c4
#define CSR_SCOUNTEROF		0x5c5
#define CSR_MCOUNTERWEN		0x7c9
#define CSR_MCOUNTERINTEN	0x7ca
#define CSR_MCOUNTEROF		0x7cb

#define IRQ_OVERFLOW		17
#define OVERFLOW		BIT(IRQ_OVERFLOW)

#define ONLY_M			BIT(MODE_M)
#define M_AND_S			(BIT(MODE_M) | BIT(MODE_S))

/* Two counters, one of them fixed, and all the others */
#define A			BIT(COUNTER_INSTRET)
#define B			BIT(COUNTER_FIRST)
#define REST			(VENDOR_COUNTERS & ~(A | B))

static const u32 all[] = { CSR_MCOUNTERWEN, CSR_MCOUNTERINTEN, CSR_MCOUNTEROF };

static int pending(void)
{
	return vendor_mip(IRQ_OVERFLOW);
}

/* Nothing has overflowed, nothing is enabled or delegated. */
static void quiet(void)
{
	csr_write(CSR_MIE, 0);
	csr_write(CSR_MIDELEG, 0);
	csr_write(CSR_MCOUNTERINTEN, 0);
	csr_write(CSR_MCOUNTEROF, 0);
	csr_write(CSR_MCOUNTERWEN, 0);
}

static void delegate(void)
{
	csr_write(CSR_MIDELEG, OVERFLOW);
	if (csr_read(CSR_MIDELEG) != OVERFLOW)
		tap_bail("mideleg is %lx", csr_read(CSR_MIDELEG));
}

static void test_reset(void)
{
	unsigned int n;

	for (n = 0; n < ARRAY_SIZE(all); n++)
		CHECK("THPMU-002", !csr_get(MODE_M, all[n]), "CSR %x is 0 after reset", all[n]);
}

static void test_registers(void)
{
	unsigned int n;
	u32 wrong;

	for (n = 0; n < ARRAY_SIZE(all); n++) {
		wrong = vendor_layout(all[n]);
		CHECK("THPMU-001", !wrong, "CSR %x has a bit for each counter (wrong: %x)", all[n],
		      wrong);
		CHECK("THPMU-003", vendor_modes(all[n]) == ONLY_M, "CSR %x is for M-mode alone",
		      all[n]);
	}
	CHECK("THPMU-006", vendor_modes(CSR_SCOUNTERINTEN) == M_AND_S &&
	      vendor_modes(CSR_SCOUNTEROF) == M_AND_S, "U-mode has neither");
}

/* With each set of bits of mcounterwen that is told apart here */
static void test_view(u32 s, u32 m)
{
	static const unsigned long sets[] = { 0, A, B, REST, A | REST, VENDOR_COUNTERS };
	unsigned long wen, was, value;
	u32 hidden = 0, written = 0;
	unsigned int i, j, k;

	for (i = 0; i < ARRAY_SIZE(sets); i++) {
		wen = sets[i];
		csr_write(CSR_MCOUNTERWEN, wen);
		for (j = 0; j < ARRAY_SIZE(sets); j++) {
			was = sets[j];
			for (k = 0; k < ARRAY_SIZE(sets); k++) {
				value = sets[k];
				csr_put(MODE_M, m, was);
				if (csr_get(MODE_S, s) != (was & wen))
					hidden |= 1U << i;
				csr_put(MODE_S, s, value);
				if (csr_get(MODE_M, m) != ((was & ~wen) | (value & wen)))
					written |= 1U << i;
			}
		}
	}
	csr_put(MODE_M, m, 0);
	CHECK("THPMU-004", !hidden, "CSR %x shows what mcounterwen has (wrong: %x)", s, hidden);
	CHECK("THPMU-005", !written, "and so it is with what is written (wrong: %x)", written);
}

/* Each counter alone, whether it may interrupt or not */
static void test_wrap(u32 present, int interrupts)
{
	u32 missing = 0, others = 0, early = 0, lost = 0, silent = 0;
	unsigned int i;

	for (i = 0; i <= COUNTER_LAST; i++) {
		if (!(present >> i & 1))
			continue;
		LOOK();
		quiet();
		csr_write(CSR_MCOUNTERINTEN, interrupts ? BIT(i) : VENDOR_COUNTERS & ~BIT(i));
		vendor_almost_wrap(i);
		early |= (csr_read(CSR_MCOUNTEROF) || pending()) << i;
		vendor_wrap(i);
		missing |= !(csr_read(CSR_MCOUNTEROF) & BIT(i)) << i;
		others |= !!(csr_read(CSR_MCOUNTEROF) & ~BIT(i)) << i;
		silent |= (pending() != interrupts) << i;
		vendor_almost_wrap(i);
		lost |= !(csr_read(CSR_MCOUNTEROF) & BIT(i)) << i;
	}
	CHECK("THPMU-008", !early, "before it has wrapped there is nothing (wrong: %x)", early);
	CHECK("THPMU-007", !missing, "then its bit is set (wrong: %x)", missing);
	CHECK("THPMU-008", !others, "and no other (wrong: %x)", others);
	CHECK("THPMU-010", !silent, "it %s (wrong: %x)",
	      interrupts ? "interrupts" : "does not interrupt", silent);
	CHECK("THPMU-009", !lost, "the bit stays while it counts on (wrong: %x)", lost);
}

/* However these bits have come about */
static void test_level(void)
{
	static const unsigned long sets[] = { 0, A, B, A | B, REST, A | REST };
	u32 wrong = 0, set = 0, cleared = 0;
	unsigned int i, j;
	int on;

	quiet();
	for (i = 0; i < ARRAY_SIZE(sets); i++) {
		for (j = 0; j < ARRAY_SIZE(sets); j++) {
			on = !!(sets[i] & sets[j]);
			csr_write(CSR_MCOUNTERINTEN, sets[i]);
			csr_write(CSR_MCOUNTEROF, sets[j]);
			wrong |= (pending() != on) << i;
			csr_write(CSR_MCOUNTERINTEN, 0);
			wrong |= pending() << i;
			csr_write(CSR_MCOUNTERINTEN, sets[i]);
			wrong |= (pending() != on) << i;
			csr_set(CSR_MIP, OVERFLOW);
			set |= (pending() != on) << i;
			csr_clear(CSR_MIP, OVERFLOW);
			cleared |= (pending() != on) << i;
		}
	}
	CHECK("THPMU-010", !wrong, "it is pending while both bits are set (wrong: %x)", wrong);
	CHECK("THPMU-011", !set, "writing 1 to mip changes nothing (wrong: %x)", set);
	CHECK("THPMU-011", !cleared, "nor does 0 (wrong: %x)", cleared);
	delegate();
	csr_write(CSR_MCOUNTERINTEN, A);
	for (on = 0; on < 2; on++) {
		csr_write(CSR_MCOUNTEROF, on ? A : 0);
		csr_try(MODE_S, on ? OP_CLEAR : OP_SET, CSR_SIP, OVERFLOW);
		CHECK("THPMU-011", pending() == on, "nor does writing %d to sip", !on);
	}
	quiet();
}

static void test_bits(void)
{
	quiet();
	csr_write(CSR_MIE, OVERFLOW);
	CHECK("THPMU-012", csr_read(CSR_MIE) == OVERFLOW, "mie bit 17 holds 1");
	csr_put(MODE_S, CSR_SIE, 0);
	CHECK("THPMU-013", csr_read(CSR_MIE) == OVERFLOW && !csr_get(MODE_S, CSR_SIE),
	      "not delegated, sie neither shows nor changes it");
	csr_write(CSR_MIE, 0);
	csr_write(CSR_MCOUNTERINTEN, A);
	csr_write(CSR_MCOUNTEROF, A);
	CHECK("THPMU-013", pending() && !(csr_get(MODE_S, CSR_SIP) & OVERFLOW),
	      "nor does sip show it");
	csr_write(CSR_MIDELEG, OVERFLOW);
	csr_write(CSR_MIE, OVERFLOW);
	CHECK("THPMU-012", csr_read(CSR_MIDELEG) == OVERFLOW, "mideleg bit 17 holds 1");
	CHECK("THPMU-013", csr_get(MODE_S, CSR_SIE) == OVERFLOW &&
	      csr_get(MODE_S, CSR_SIP) & OVERFLOW, "delegated, sie and sip show it");
	csr_put(MODE_S, CSR_SIE, 0);
	CHECK("THPMU-012,THPMU-013", !csr_read(CSR_MIE), "sie clears mie's bit");
	csr_put(MODE_S, CSR_SIE, OVERFLOW);
	CHECK("THPMU-013", csr_read(CSR_MIE) == OVERFLOW, "and sets it");
	csr_write(CSR_MIDELEG, 0);
	CHECK("THPMU-012", !csr_read(CSR_MIDELEG), "mideleg bit 17 holds 0");
	quiet();
}

/* The handler clears the enable bit, and the request stays: taken once each time */
static void test_traps(void)
{
	int m, turn;

	for (m = MODE_M; m <= MODE_U; m++) {
		quiet();
		csr_write(CSR_MCOUNTERINTEN, B);
		csr_write(CSR_MCOUNTEROF, B);
		for (turn = 0; turn < 2; turn++) {
			csr_write(CSR_MIE, OVERFLOW);
			vendor_let_in(m);
			CHECK("THPMU-014,THPMU-015", vendor_took(IRQ_OVERFLOW, MODE_M),
			      "not delegated, %s-mode traps to M-mode, turn %d", rt_mode_name[m],
			      turn);
		}
		delegate();
		for (turn = 0; turn < 2; turn++) {
			csr_write(CSR_MIE, OVERFLOW);
			vendor_let_in(m);
			if (m == MODE_M) {
				CHECK("THPMU-016", !rt_log.n, "delegated, M-mode does not trap");
				continue;
			}
			CHECK("THPMU-014,THPMU-016", vendor_took(IRQ_OVERFLOW, MODE_S),
			      "delegated, %s-mode traps to S-mode, turn %d", rt_mode_name[m], turn);
		}
		csr_write(CSR_MIE, OVERFLOW);
		csr_write(CSR_MCOUNTEROF, 0);
		CHECK("THPMU-010", !vendor_let_in(m), "without the bit %s-mode does not trap",
		      rt_mode_name[m]);
	}
	quiet();
}

/* As Linux and OpenSBI do it: from an overflow in U-mode to the next one */
static void test_rounds(u32 present)
{
	u32 none = 0, unseen = 0, stays = 0;
	unsigned int i, turn;

	for (i = 0; i <= COUNTER_LAST; i++) {
		if (!(present >> i & 1))
			continue;
		LOOK();
		quiet();
		delegate();
		csr_write(CSR_MCOUNTERWEN, BIT(i));
		csr_write(CSR_MCOUNTERINTEN, BIT(i));
		for (turn = 0; turn < 3; turn++) {
			csr_write(CSR_MIE, OVERFLOW);
			rt_log.n = 0;
			vendor_wrap(i);
			none |= !vendor_took(IRQ_OVERFLOW, MODE_S) << i;
			unseen |= (csr_get(MODE_S, CSR_SCOUNTEROF) != BIT(i)) << i;
			csr_clear(CSR_MCOUNTEROF, BIT(i));
			stays |= pending() << i;
		}
	}
	CHECK("THPMU-014,THPMU-017", !none, "each wrap interrupts (wrong: %x)", none);
	CHECK("THPMU-004,THPMU-007", !unseen, "and S-mode sees of which counter (wrong: %x)",
	      unseen);
	CHECK("THPMU-010", !stays, "until its bit is cleared (wrong: %x)", stays);
	quiet();
}

void test_main(void)
{
	u32 present;

	test_reset();
	present = vendor_present();
	counters_stop_all();
	quiet();
	test_registers();
	test_view(CSR_SCOUNTERINTEN, CSR_MCOUNTERINTEN);
	test_view(CSR_SCOUNTEROF, CSR_MCOUNTEROF);
	test_wrap(present, 0);
	test_wrap(present, 1);
	test_level();
	test_bits();
	test_traps();
	test_rounds(present);
}
