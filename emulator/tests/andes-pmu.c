// SPDX-License-Identifier: GPL-2.0-only
/*
 * Andes' 45 series: counter overflow as these cores had it before Sscofpmf. What is tested is
 * what Andes' own model of them says (its QEMU), and what OpenSBI and Linux rely on.
 *
 * profile: andes
 */
#include "tap.h"
#include "vendor.h"

#define CSR_MCOUNTERWEN		0x7ce
#define CSR_MCOUNTERINTEN	0x7cf
#define CSR_MCOUNTERMASK_M	0x7d1
#define CSR_MCOUNTERMASK_S	0x7d2
#define CSR_MCOUNTERMASK_U	0x7d3
#define CSR_MCOUNTEROVF		0x7d4
#define CSR_MSLIDELEG		0x7d5
#define CSR_SLIE		0x9c4
#define CSR_SLIP		0x9c5
#define CSR_SCOUNTERINTEN	0x9cf
#define CSR_SCOUNTEROVF		0x9d4
#define CSR_MMSC_CFG		0xfc2

#define MMSC_CFG_PMNDS		BIT(15)

#define IRQ_OVERFLOW		18
#define OVERFLOW		BIT(IRQ_OVERFLOW)
/* What S-mode has in scause */
#define LOCAL			256

#define ONLY_M			BIT(MODE_M)
#define M_AND_S			(BIT(MODE_M) | BIT(MODE_S))

/* Two counters, one of them fixed, and all the others */
#define A			BIT(COUNTER_INSTRET)
#define B			BIT(COUNTER_FIRST)
#define REST			(VENDOR_COUNTERS & ~(A | B))

static int pending(void)
{
	return vendor_mip(IRQ_OVERFLOW);
}

/* Nothing has overflowed, nothing is enabled, delegated or masked. */
static void quiet(void)
{
	csr_write(CSR_MIE, 0);
	csr_write(CSR_MCOUNTERINTEN, 0);
	csr_write(CSR_MCOUNTEROVF, 0);
	csr_write(CSR_MCOUNTERWEN, 0);
	csr_write(CSR_MCOUNTERMASK_M, 0);
	csr_write(CSR_MCOUNTERMASK_S, 0);
	csr_write(CSR_MCOUNTERMASK_U, 0);
	csr_write(CSR_MSLIDELEG, OVERFLOW);
	csr_put(MODE_S, CSR_SLIE, 0);
	csr_put(MODE_S, CSR_SLIP, 0);
	csr_write(CSR_MSLIDELEG, 0);
}

static void delegate(void)
{
	csr_write(CSR_MSLIDELEG, OVERFLOW);
	if (!(csr_read(CSR_MSLIDELEG) & OVERFLOW))
		tap_bail("mslideleg is %lx", csr_read(CSR_MSLIDELEG));
}

static void test_registers(void)
{
	static const u32 written[] = {
		CSR_MCOUNTERWEN, CSR_MCOUNTERINTEN, CSR_MCOUNTERMASK_M, CSR_MCOUNTERMASK_S,
		CSR_MCOUNTERMASK_U,
	};
	static const u32 of_s[] = { CSR_SCOUNTERINTEN, CSR_SCOUNTEROVF, CSR_SLIE, CSR_SLIP };
	unsigned int n;
	u32 wrong;

	CHECK("ADPMU-004", csr_get(MODE_M, CSR_MMSC_CFG) & MMSC_CFG_PMNDS,
	      "mmsc_cfg says that they are there");
	for (n = 0; n < ARRAY_SIZE(written); n++) {
		wrong = vendor_layout(written[n]);
		CHECK("ADPMU-001", !wrong, "CSR %x has a bit for each counter (wrong: %x)",
		      written[n], wrong);
		CHECK("ADPMU-002", vendor_modes(written[n]) == ONLY_M, "CSR %x is for M-mode alone",
		      written[n]);
	}
	CHECK("ADPMU-002", vendor_modes(CSR_MCOUNTEROVF) == ONLY_M &&
	      vendor_modes(CSR_MSLIDELEG) == ONLY_M, "so are mcounterovf and mslideleg");
	for (n = 0; n < ARRAY_SIZE(of_s); n++)
		CHECK("ADPMU-003", vendor_modes(of_s[n]) == M_AND_S, "U-mode has no CSR %x",
		      of_s[n]);
}

static void test_view(void)
{
	static const unsigned long sets[] = { A, B, REST, A | REST, VENDOR_COUNTERS };
	unsigned long wen, was, value;
	unsigned int i, j, k;
	u32 written = 0;

	for (i = 0; i < ARRAY_SIZE(sets); i++) {
		wen = sets[i];
		csr_write(CSR_MCOUNTERWEN, wen);
		for (j = 0; j < ARRAY_SIZE(sets); j++) {
			was = sets[j];
			for (k = 0; k < ARRAY_SIZE(sets); k++) {
				value = sets[k];
				csr_write(CSR_MCOUNTERINTEN, was);
				csr_put(MODE_S, CSR_SCOUNTERINTEN, value);
				if (csr_read(CSR_MCOUNTERINTEN) != ((was & ~wen) | (value & wen)))
					written |= 1U << i;
			}
		}
	}
	CHECK("ADPMU-006", !written, "S-mode writes what mcounterwen has (wrong: %x)", written);
	quiet();
}

/* Each counter alone, whether it may interrupt or not */
static void test_wrap(u32 present, int interrupts)
{
	u32 missing = 0, others = 0, early = 0, lost = 0, silent = 0, unseen = 0, cleared = 0;
	unsigned long ovf;
	unsigned int i;

	for (i = 0; i <= COUNTER_LAST; i++) {
		if (!(present >> i & 1))
			continue;
		LOOK();
		quiet();
		csr_write(CSR_MCOUNTERINTEN, interrupts ? BIT(i) : VENDOR_COUNTERS & ~BIT(i));
		vendor_almost_wrap(i);
		early |= (csr_read(CSR_MCOUNTEROVF) || pending()) << i;
		vendor_wrap(i);
		ovf = csr_read(CSR_MCOUNTEROVF);
		missing |= !(ovf & BIT(i)) << i;
		others |= !!(ovf & ~BIT(i)) << i;
		unseen |= (csr_get(MODE_S, CSR_SCOUNTEROVF) != ovf) << i;
		silent |= (pending() != interrupts) << i;
		vendor_almost_wrap(i);
		lost |= !(csr_read(CSR_MCOUNTEROVF) & BIT(i)) << i;
		csr_clear(CSR_MCOUNTEROVF, BIT(i));
		cleared |= !!csr_read(CSR_MCOUNTEROVF) << i;
	}
	CHECK("ADPMU-008", !early, "before it has wrapped there is nothing (wrong: %x)", early);
	CHECK("ADPMU-007", !missing, "then its bit is set (wrong: %x)", missing);
	CHECK("ADPMU-008", !others, "and no other (wrong: %x)", others);
	CHECK("ADPMU-005", !unseen, "S-mode sees it (wrong: %x)", unseen);
	CHECK("ADPMU-010", !silent, "it %s (wrong: %x)",
	      interrupts ? "interrupts" : "does not interrupt", silent);
	CHECK("ADPMU-009", !lost, "the bit stays while it counts on (wrong: %x)", lost);
	CHECK("ADPMU-009", !cleared, "and is 0 when 0 is written (wrong: %x)", cleared);
}

/* Those of two counters are cleared one after the other. */
static void test_others_stay(void)
{
	unsigned int i = hpm_nth(0), j = hpm_nth(1);

	quiet();
	counters_stop_all();
	vendor_wrap(i);
	vendor_wrap(j);
	vendor_wrap(COUNTER_INSTRET);
	csr_clear(CSR_MCOUNTEROVF, BIT(j));
	CHECK("ADPMU-009", csr_read(CSR_MCOUNTEROVF) == (BIT(i) | A), "the other bits stay");
	csr_clear(CSR_MCOUNTEROVF, BIT(i));
	CHECK("ADPMU-009", csr_read(CSR_MCOUNTEROVF) == A, "and that of the fixed counter");
	quiet();
}

/* What a counter counts of ten turns of a loop in a mode, and of what is around it */
static u64 counted(unsigned int i, enum rt_mode mode)
{
	counter_stop(i);
	if (i >= COUNTER_FIRST)
		event_set(i, INSTRET);
	counter_set(i, 0);
	counter_start(i);
	rt_call(mode, rt_loop, 10, 0);
	counter_stop(i);
	return counter_get(i);
}

/* All others have the opposite. */
static unsigned long mask_of(unsigned int i, unsigned int on)
{
	return on ? BIT(i) : VENDOR_COUNTERS & ~BIT(i);
}

/* In all combinations; in S- and U-mode it is known how much is counted. */
static void test_masks(u32 present)
{
	u64 exact = RT_LOOP_INSNS(10) + RT_LEAVE_INSNS;
	u32 wrong_m = 0, wrong_s = 0, wrong_u = 0;
	unsigned int i, masks;
	u64 m, s, u;

	for (i = COUNTER_INSTRET; i <= COUNTER_LAST; i++) {
		if (!(present >> i & 1))
			continue;
		LOOK();
		for (masks = 0; masks < 8; masks++) {
			quiet();
			csr_write(CSR_MCOUNTERMASK_M, mask_of(i, masks & 1));
			csr_write(CSR_MCOUNTERMASK_S, mask_of(i, masks & 2));
			csr_write(CSR_MCOUNTERMASK_U, mask_of(i, masks & 4));
			m = counted(i, MODE_M);
			s = counted(i, MODE_S);
			u = counted(i, MODE_U);
			wrong_m |= ((m == 0) != (masks & 1)) << i;
			if (masks & 1) {
				wrong_s |= (s != (masks & 2 ? 0 : exact)) << i;
				wrong_u |= (u != (masks & 4 ? 0 : exact)) << i;
			} else {
				wrong_s |= !s << i;
				wrong_u |= !u << i;
			}
		}
	}
	CHECK("ADPMU-011", !wrong_m, "in M-mode (wrong: %x)", wrong_m);
	CHECK("ADPMU-011", !wrong_s, "in S-mode (wrong: %x)", wrong_s);
	CHECK("ADPMU-011", !wrong_u, "in U-mode (wrong: %x)", wrong_u);
	quiet();
	csr_write(CSR_MCOUNTERMASK_M, BIT(COUNTER_CYCLE));
	csr_write(CSR_MCOUNTERMASK_S, BIT(COUNTER_CYCLE));
	CHECK("ADPMU-011", !counted(COUNTER_CYCLE, MODE_S), "cycles stand still in S-mode");
	CHECK("ADPMU-011", counted(COUNTER_CYCLE, MODE_U), "and go on in U-mode");
	quiet();
}

static unsigned long local(u32 csr)
{
	return csr_get(MODE_S, csr) & OVERFLOW;
}

static void test_bits(void)
{
	quiet();
	csr_put(MODE_S, CSR_SLIE, OVERFLOW);
	csr_put(MODE_S, CSR_SLIP, OVERFLOW);
	CHECK("ADPMU-013", !local(CSR_SLIE) && !local(CSR_SLIP),
	      "not delegated, neither can be written");
	csr_write(CSR_MSLIDELEG, OVERFLOW);
	CHECK("ADPMU-012", csr_read(CSR_MSLIDELEG) & OVERFLOW, "mslideleg bit 18 holds 1");
	CHECK("ADPMU-013", !local(CSR_SLIE) && !local(CSR_SLIP),
	      "nothing has been kept of what was written");
	csr_put(MODE_S, CSR_SLIE, OVERFLOW);
	CHECK("ADPMU-013", local(CSR_SLIE), "delegated, slie bit 18 holds 1");
	csr_put(MODE_S, CSR_SLIE, 0);
	CHECK("ADPMU-013", !local(CSR_SLIE), "and 0");
	csr_try(MODE_S, OP_SET, CSR_SLIP, OVERFLOW);
	CHECK("ADPMU-013", local(CSR_SLIP), "slip bit 18 holds 1");
	csr_try(MODE_S, OP_CLEAR, CSR_SLIP, OVERFLOW);
	CHECK("ADPMU-013,ADPMU-016", !local(CSR_SLIP), "and 0");
	csr_write(CSR_MSLIDELEG, 0);
	CHECK("ADPMU-012", !(csr_read(CSR_MSLIDELEG) & OVERFLOW), "mslideleg bit 18 holds 0");
	quiet();
}

static void test_traps(unsigned int i)
{
	int m;

	for (m = MODE_M; m <= MODE_U; m++) {
		quiet();
		csr_write(CSR_MCOUNTERINTEN, BIT(i));
		vendor_wrap(i);
		CHECK("ADPMU-014", !vendor_let_in(m), "not enabled, %s-mode does not trap",
		      rt_mode_name[m]);
		csr_write(CSR_MIE, OVERFLOW);
		vendor_let_in(m);
		CHECK("ADPMU-014", vendor_took(IRQ_OVERFLOW, MODE_M),
		      "not delegated, %s-mode traps to M-mode", rt_mode_name[m]);
		quiet();
		delegate();
		csr_write(CSR_MCOUNTERINTEN, BIT(i));
		vendor_wrap(i);
		CHECK("ADPMU-015", !vendor_let_in(m), "delegated and not enabled, %s-mode does not",
		      rt_mode_name[m]);
		csr_put(MODE_S, CSR_SLIE, OVERFLOW);
		vendor_let_in(m);
		if (m == MODE_M)
			CHECK("ADPMU-015", !rt_log.n, "delegated, M-mode does not trap");
		else
			CHECK("ADPMU-015", vendor_took(LOCAL + IRQ_OVERFLOW, MODE_S),
			      "delegated, %s-mode traps to S-mode", rt_mode_name[m]);
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
		csr_write(CSR_MCOUNTERINTEN, BIT(i));
		for (turn = 0; turn < 3; turn++) {
			csr_put(MODE_S, CSR_SLIE, OVERFLOW);
			rt_log.n = 0;
			vendor_wrap(i);
			none |= !vendor_took(LOCAL + IRQ_OVERFLOW, MODE_S) << i;
			csr_try(MODE_S, OP_CLEAR, CSR_SLIP, OVERFLOW);
			stays |= !!local(CSR_SLIP) << i;
			unseen |= (csr_get(MODE_S, CSR_SCOUNTEROVF) != BIT(i)) << i;
			csr_clear(CSR_MCOUNTEROVF, BIT(i));
			csr_put(MODE_S, CSR_SLIE, OVERFLOW);
			stays |= !!vendor_let_in(MODE_U) << i;
		}
	}
	CHECK("ADPMU-015,ADPMU-017", !none, "each wrap interrupts (wrong: %x)", none);
	CHECK("ADPMU-005,ADPMU-007", !unseen, "and S-mode sees of which counter (wrong: %x)",
	      unseen);
	CHECK("ADPMU-016", !stays, "until S-mode clears it (wrong: %x)", stays);
	quiet();
}

void test_main(void)
{
	u32 present = vendor_present();

	counters_stop_all();
	quiet();
	test_registers();
	test_view();
	test_wrap(present, 0);
	test_wrap(present, 1);
	test_others_stay();
	test_masks(present);
	test_bits();
	test_traps(hpm_nth(0));
	test_rounds(present);
}
