// SPDX-License-Identifier: GPL-2.0-only
/*
 * Smcdeleg/Ssccfg: counters and events as sireg* shows them.
 *
 * profile: full narrow rv32
 */
#include "indirect.h"
#include "tap.h"

#define LOOPS 40
#define RUN ((u64)RT_LOOP_INSNS(LOOPS) + RT_LEAVE_INSNS)
#define PATTERN 0x0123456789abcdefULL

static u32 present;	/* programmable ones, cycle and instret */

static u64 pattern(unsigned int i)
{
	return (PATTERN << i) + i;
}

/* What S- and M-mode read is what the machine-level registers hold. */
static u32 read_wrong(enum rt_mode mode)
{
	unsigned int i;
	u32 wrong = 0;

	for (i = 0; i < 32; i++)
		if (present >> i & 1)
			counter_set(i, pattern(i));
	for (i = 0; i < 32; i++)
		if (present >> i & 1)
			wrong |= (sireg_counter_get(mode, i) !=
				  counter_get(i)) << i;
	return wrong;
}

static u32 write_wrong(enum rt_mode mode)
{
	unsigned int i;
	u32 wrong = 0;

	for (i = 0; i < 32; i++)
		if (present >> i & 1)
			sireg_counter_set(mode, i, ~pattern(i));
	for (i = 0; i < 32; i++)
		if (present >> i & 1)
			wrong |= (counter_get(i) !=
				  (~pattern(i) & counter_mask(i))) << i;
	return wrong;
}

/* An event, or for cycle and instret the filter bits, all but MINH */
static u64 event_pattern(unsigned int i)
{
	u64 inh = EV_SINH | (i & 1 ? EV_UINH : EV_VUINH);

	return i < COUNTER_FIRST ? inh : INSTRET | inh;
}

static u32 event_read_wrong(enum rt_mode mode)
{
	unsigned int i;
	u32 wrong = 0;

	for (i = 0; i < 32; i++)
		if (present >> i & 1)
			event_set(i, event_pattern(i));
	for (i = 0; i < 32; i++)
		if (present >> i & 1)
			wrong |= (event_get(i) != event_pattern(i) ||
				  sireg_event_get(mode, i) !=
				  event_pattern(i)) << i;
	return wrong;
}

static u32 event_write_wrong(enum rt_mode mode)
{
	unsigned int i;
	u32 wrong = 0;

	for (i = 0; i < 32; i++)
		if (present >> i & 1)
			event_set(i, 0);
	for (i = 0; i < 32; i++)
		if (present >> i & 1)
			sireg_event_set(mode, i, event_pattern(i));
	for (i = 0; i < 32; i++)
		if (present >> i & 1)
			wrong |= (event_get(i) != event_pattern(i)) << i;
	for (i = 0; i < 32; i++)
		if (present >> i & 1)
			event_set(i, 0);
	return wrong;
}

/* One check per rule for the counters in `set' */
static void report(const char *rule, u32 set, enum rt_mode mode, u32 wrong[4])
{
	static const char *const what[] = {
		"counter read", "counter written", "event read", "event written",
	};
	unsigned int n;

	for (n = 0; n < 4; n++)
		CHECK(rule, !(wrong[n] & set),
		      "%s through sireg* in %s-mode (wrong: %x)",
		      what[n], rt_mode_name[mode], wrong[n] & set);
}

static void test_views(enum rt_mode mode)
{
	u32 wrong[4];

	wrong[0] = read_wrong(mode);
	wrong[1] = write_wrong(mode);
	wrong[2] = event_read_wrong(mode);
	wrong[3] = event_write_wrong(mode);
	CHECK(__riscv_xlen == 64 ? "DEL-005" : "DEL-005,DEL-009",
	      !(wrong[0] | wrong[1]),
	      "0x40+i selects counter i in %s-mode (wrong: %x)",
	      rt_mode_name[mode], wrong[0] | wrong[1]);
	if (__riscv_xlen == 64) {
		report("DEL-006", 1U << COUNTER_CYCLE, mode, wrong);
		report("DEL-007", 1U << COUNTER_INSTRET, mode, wrong);
		report("DEL-008", ~7U, mode, wrong);
		return;
	}
	CHECK("DEL-010", !(wrong[2] | wrong[3]),
	      "sireg2 and sireg5 are the event in %s-mode", rt_mode_name[mode]);
}

/* RV32: a half is written without the other. */
static void test_halves(unsigned int i)
{
	if (__riscv_xlen == 64)
		return;
	counter_set(i, 0);
	csr_put(MODE_M, CSR_SISELECT, SELECT_COUNTER(i));
	csr_put(MODE_S, CSR_SIREG, 0x1234);
	CHECK("DEL-009", counter_get(i) == 0x1234, "sireg is the low half alone");
	csr_put(MODE_S, CSR_SIREG4, 0x5678);
	CHECK("DEL-009", counter_get(i) == 0x567800001234ULL,
	      "sireg4 is the high half alone");
	event_set(i, 0);
	csr_put(MODE_S, CSR_SIREG2, INSTRET);
	CHECK("DEL-010", event_get(i) == INSTRET, "sireg2 is the low half alone");
	csr_put(MODE_S, CSR_SIREG5, EV_UINH >> 32);
	CHECK("DEL-010", event_get(i) == (INSTRET | EV_UINH),
	      "sireg5 is the high half alone");
	event_set(i, 0);
}

struct rmw {
	enum csr_op op;
	unsigned long arg, want;
	const char *name;
};

/* csrrw, csrrs and csrrc: the old value in rd, the right new one */
static void test_rmw(const char *rule, unsigned int i, u32 csr, enum rt_mode mode)
{
	const unsigned long old = 0x5500, arg = 0x0f00;
	const struct rmw ops[] = {
		{ OP_SWAP, arg, arg, "csrrw" },
		{ OP_SET, arg, old | arg, "csrrs" },
		{ OP_CLEAR, arg, old & ~arg, "csrrc" },
		{ OP_READ, 0, old, "csrr" },
	};
	struct csr_result r;
	unsigned int n;

	csr_put(MODE_M, CSR_SISELECT, SELECT_COUNTER(i));
	for (n = 0; n < 4; n++) {
		counter_set(i, old);
		r = csr_try(mode, ops[n].op, csr, ops[n].arg);
		if (!CHECK(rule, r.cause == NO_TRAP && r.value == old &&
			   counter_get(i) == ops[n].want, "%s on sireg, %s-mode",
			   ops[n].name, rt_mode_name[mode]))
			NOTE("cause %ld, rd %lx, counter %llx", (long)r.cause,
			     r.value, counter_get(i));
	}
}

/* The same for sireg2, with the top filter bits (RV32: of sireg5) */
static void test_rmw_event(const char *rule, unsigned int i, enum rt_mode mode)
{
	const int shift = __riscv_xlen == 64 ? 0 : 32;
	const u32 csr = __riscv_xlen == 64 ? CSR_SIREG2 : CSR_SIREG5;
	const u64 old = EV_SINH | EV_VUINH, arg = EV_SINH | EV_UINH;
	const struct {
		enum csr_op op;
		u64 want;
		const char *name;
	} ops[] = {
		{ OP_SWAP, arg, "csrrw" },
		{ OP_SET, old | arg, "csrrs" },
		{ OP_CLEAR, old & ~arg, "csrrc" },
	};
	struct csr_result r;
	unsigned int n;

	csr_put(MODE_M, CSR_SISELECT, SELECT_COUNTER(i));
	for (n = 0; n < 3; n++) {
		event_set(i, old);
		r = csr_try(mode, ops[n].op, csr, arg >> shift);
		if (!CHECK(rule, r.cause == NO_TRAP &&
			   r.value == (unsigned long)(old >> shift) &&
			   event_get(i) == ops[n].want, "%s on sireg%d, %s-mode",
			   ops[n].name, __riscv_xlen == 64 ? 2 : 5,
			   rt_mode_name[mode]))
			NOTE("cause %ld, rd %lx, event %llx", (long)r.cause,
			     r.value, event_get(i));
	}
	event_set(i, 0);
}

static void test_rmw_all(enum rt_mode mode, unsigned int hpm)
{
	const int wide = __riscv_xlen == 64;

	test_rmw(wide ? "DEL-006" : "DEL-009", COUNTER_CYCLE, CSR_SIREG, mode);
	test_rmw(wide ? "DEL-007" : "DEL-009", COUNTER_INSTRET, CSR_SIREG, mode);
	test_rmw(wide ? "DEL-008" : "DEL-009", hpm, CSR_SIREG, mode);
	test_rmw_event(wide ? "DEL-006" : "DEL-010", COUNTER_CYCLE, mode);
	test_rmw_event(wide ? "DEL-007" : "DEL-010", COUNTER_INSTRET, mode);
	test_rmw_event(wide ? "DEL-008" : "DEL-010", hpm, mode);
}

/* MINH: hidden from sireg2 in both directions, and kept */
static void test_minh(const char *rule, unsigned int i, enum rt_mode mode)
{
	event_set(i, EV_MINH | EV_SINH);
	CHECK(rule, event_get(i) & EV_MINH &&
	      sireg_event_get(mode, i) == EV_SINH,
	      "counter %u: MINH=1 reads 0 in %s-mode", i, rt_mode_name[mode]);
	CHECK(rule, event_get(i) & EV_MINH, "counter %u: and stays 1", i);
	event_set(i, 0);
	sireg_event_set(mode, i, EV_MINH | EV_UINH);
	CHECK(rule, event_get(i) == EV_UINH,
	      "counter %u: MINH=0 cannot be set from %s-mode", i,
	      rt_mode_name[mode]);
	event_set(i, EV_MINH);
	sireg_event_set(mode, i, EV_SINH);
	CHECK(i >= COUNTER_FIRST ? "DEL-018" : rule,
	      event_get(i) == (EV_MINH | EV_SINH),
	      "counter %u: a write from %s-mode keeps MINH=1", i,
	      rt_mode_name[mode]);
	event_set(i, 0);
}

/* M-mode stays hidden although the event was written by S-mode. */
static void test_minh_counts(unsigned int i)
{
	event_set(i, EV_MINH);
	sireg_event_set(MODE_S, i, INSTRET | EV_SINH);
	sireg_counter_set(MODE_S, i, 0);
	counter_start(i);
	rt_call(MODE_U, rt_loop, LOOPS, 0);
	counter_stop(i);
	CHECK("DEL-018", counter_get(i) == RUN, "M-mode is not counted then");
	event_set(i, 0);
}

static void test_of(unsigned int i)
{
	event_set(i, INSTRET);
	sireg_event_set(MODE_S, i, INSTRET | EV_OF);
	CHECK("DEL-019", event_get(i) == (INSTRET | EV_OF), "S-mode sets OF");
	CHECK("DEL-019", sireg_event_get(MODE_S, i) == (INSTRET | EV_OF),
	      "S-mode reads OF=1");
	sireg_event_set(MODE_S, i, INSTRET);
	CHECK("DEL-019", event_get(i) == INSTRET, "S-mode clears OF");
	CHECK("DEL-019", sireg_event_get(MODE_S, i) == INSTRET,
	      "S-mode reads OF=0");
	CHECK("DEL-019", !lcofi_wait(), "no LCOFI from these writes");
}

/* A sampling driver's way: nothing but delegated state from S-mode */
static void test_sampling(unsigned int i)
{
	csr_set(CSR_MIDELEG, LCOFI);
	if (!(csr_read(CSR_MIDELEG) & LCOFI)) {
		tap_skip("DEL-008", "mideleg[13] is read-only 0");
		return;
	}
	event_set(i, EV_MINH);
	rt_log.n = 0;
	sireg_event_set(MODE_S, i, INSTRET | EV_SINH);
	sireg_counter_set(MODE_S, i, -5ULL);
	csr_put(MODE_S, CSR_SIE, LCOFI);
	csr_put(MODE_S, CSR_SCOUNTINHIBIT, ~(1UL << i));
	rt_call(MODE_U, rt_nops, 0, 0);
	csr_put(MODE_S, CSR_SCOUNTINHIBIT, ~0UL);
	CHECK(__riscv_xlen == 64 ? "DEL-008" : "DEL-009",
	      rt_log.n == 1 && rt_log.trap[0].to == MODE_S &&
	      sireg_event_get(MODE_S, i) == (INSTRET | EV_SINH | EV_OF) &&
	      sireg_counter_get(MODE_S, i) == RT_NOPS + 1 + RT_LEAVE_INSNS - 5,
	      "an overflow armed and seen through sireg* alone");
	csr_put(MODE_S, CSR_SIE, 0);
	csr_put(MODE_S, CSR_SIP, 0);
	csr_clear(CSR_MIDELEG, LCOFI);
	event_set(i, 0);
}

/* Changing the event of a running counter leaves its value alone. */
static void test_event_running(unsigned int i)
{
	u64 v;

	event_set(i, EV_MINH | INSTRET);
	sireg_counter_set(MODE_S, i, 1000);
	counter_start(i);
	sireg_event_set(MODE_S, i, PLATFORM_EVENT_CYCLES | EV_SINH | EV_UINH);
	sireg_event_set(MODE_S, i, INSTRET | EV_SINH | EV_UINH);
	v = counter_get(i);
	counter_stop(i);
	CHECK(__riscv_xlen == 64 ? "DEL-008" : "DEL-010",
	      v >= 1000 && v < 1100, "the value does not jump: %llx", v);
	event_set(i, 0);
}

/* Wide enough for any select value, and for XLEN bits of data */
static void test_width(unsigned int i)
{
	u32 wrong = 0, v;
	unsigned long ones;
	int m;

	for (m = MODE_M; m <= MODE_S; m++)
		for (v = 0; v <= 0xfff; v += v < 0x60 ? 1 : 0x1f)
			wrong += csr_cause(m, OP_SWAP, CSR_SISELECT, v) !=
				 NO_TRAP || csr_get(m, CSR_SISELECT) != v;
	csr_put(MODE_S, CSR_SISELECT, 0xfff);
	wrong += csr_get(MODE_S, CSR_SISELECT) != 0xfff;
	CHECK("DEL-043", !wrong, "siselect holds 0 to 0xfff (wrong: %u)", wrong);
	counter_set(i, ~0ULL);
	csr_put(MODE_S, CSR_SISELECT, SELECT_COUNTER(i));
	ones = csr_get(MODE_S, CSR_SIREG);
	CHECK("DEL-043", ones == (unsigned long)counter_mask(i),
	      "sireg is XLEN wide: %lx", ones);
}

static void test_minh_all(unsigned int hpm)
{
	int m;

	for (m = MODE_M; m <= MODE_S; m++) {
		test_minh("DEL-016", hpm, m);
		test_minh("DEL-017", COUNTER_CYCLE, m);
		test_minh("DEL-017", COUNTER_INSTRET, m);
	}
}

void test_main(void)
{
	unsigned int hpm = hpm_nth(0);

	present = (hpm_present() | 1U << COUNTER_CYCLE |
		   1U << COUNTER_INSTRET) & counteren_bits();
	counters_stop_all();
	lcofi_clear();
	cde_set(1);
	test_views(MODE_S);
	test_views(MODE_M);
	test_halves(hpm);
	test_rmw_all(MODE_S, hpm);
	test_rmw_all(MODE_M, hpm);
	test_minh_all(hpm);
	test_minh_counts(hpm);
	test_of(hpm);
	test_sampling(hpm);
	test_event_running(hpm);
	test_width(hpm);
}
