// SPDX-License-Identifier: GPL-2.0-only
/*
 * The counters of XiangShan Kunminghu: four groups of them, of which each counts events of
 * its own; event registers with four events and three operators.
 *
 * What OR, AND and XOR make of two events depends on what retires in the same cycle. Their
 * totals are known where only one instruction does, and checked if the profile says so with
 * PLATFORM_ONE_PER_CYCLE; on any core they must fit together. With PLATFORM_SEVERAL_PER_CYCLE
 * those of a jump and the instruction before it must be others than if each had a cycle.
 *
 * profile: xiangshan xiangshan-six
 */
#include "hpm.h"
#include "tap.h"

#define CSR_STIMECMP	0x14d
#define CSR_VSTIMECMP	0x24d
#define CSR_HTIMEDELTA	0x605
#define STCE		BIT(63)
#define TM		BIT(COUNTER_TIME)
#define STIP		BIT(IRQ_STI)
#define VSTIP		BIT(6)

/* Far from the image: nothing else is there. */
#define BUFFER		(PLATFORM_RAM_BASE + (4UL << 20))

/* The event register */
#define EVENT_BITS	10
#define OR		0ULL
#define AND		1ULL
#define XOR		2ULL
#define ADD		4ULL
#define EVENTS(e0, e1, e2, e3) \
	((u64)(e3) << 30 | (u64)(e2) << 20 | (u64)(e1) << 10 | (u64)(e0))
#define OPERATORS(op0, op1, op2) \
	((u64)(op2) << 50 | (u64)(op1) << 45 | (u64)(op0) << 40)

/* Numbers in the tables of the core's user guide */
enum { BP_INSTR = 32, BP_BRANCH = 33 };
enum { INSTR = 81, LOAD = 84, BRJMP = 85 };
enum { LOAD_S0 = 1, SBUFFER = 23 };
enum { L2_LOOKUP = 15 };

/* A counter of each group */
enum { FRONT = 5, BACK = 12, MEMORY = 20, CACHE = 28 };

/*
 * What rt_mix() and what is behind it retires in U-mode: loads are instructions, and nothing
 * is a branch and a load.
 */
#define INSTRS		(RT_MIX_INSNS + 1 + RT_LEAVE_INSNS)
#define LOADS		4
#define STORES		4
#define BOTH		LOADS
#define BRANCHES	4
#define BRJMPS		8

#ifdef PLATFORM_ONE_PER_CYCLE
#define CHECK_TOTAL	CHECK
#else
#define CHECK_TOTAL(rule, cond, ...) \
	((void)sizeof(cond), tap_skip(rule, "several instructions can retire in a cycle"))
#endif

static int group_of(unsigned int i)
{
	return i < 11 ? 0 : i < 19 ? 1 : i < 27 ? 2 : 3;
}

/* Each time other memory, which no cache has */
static unsigned long fresh(void)
{
	static unsigned long at = BUFFER;

	return at += 4096 + 64;
}

/* What a counter counts of rt_mix() */
static u64 count(unsigned int i, u64 selector)
{
	hpm_start(i, selector | ONLY_U, 0);
	rt_call(MODE_U, rt_mix, fresh(), 0);
	counter_stop(i);
	return counter_get(i);
}

static void test_reset(void)
{
	u32 counters = 0, events = 0;
	unsigned int i;

	for (i = COUNTER_FIRST; i <= COUNTER_LAST; i++) {
		counters |= !!counter_get(i) << i;
		events |= (event_get(i) != group_of(i) * 0x4010040100ULL) << i;
	}
	CHECK("XSPMU-002", !counters, "counters are 0 (wrong: %x)", counters);
	CHECK("XSPMU-018,XSPMU-019,XSPMU-020,XSPMU-021,XSPMU-022,XSPMU-023", !events,
	      "event registers have the group and nothing else (wrong: %x)", events);
	CHECK("XSPMU-037,XSPMU-038,XSPMU-039,XSPMU-040", !events,
	      "in bits 9:8 of each of the four events");
	CHECK("XSPMU-005", !csr_get(MODE_M, CSR_MCOUNTINHIBIT), "nothing is inhibited");
	CHECK("XSPMU-010", !csr_get(MODE_M, CSR_MCOUNTEREN) &&
	      !csr_get(MODE_M, CSR_SCOUNTEREN) && !csr_get(MODE_M, CSR_HCOUNTEREN),
	      "nothing is open to lower modes");
	CHECK("XSPMU-051", csr_get(MODE_M, CSR_STIMECMP) == ~0UL, "stimecmp is all ones");
	CHECK("XSPMU-054", csr_get(MODE_M, CSR_VSTIMECMP) == ~0UL, "so is vstimecmp");
}

static void test_counters(void)
{
	u32 wrong = 0, writable = 0, differ = 0;
	unsigned int i;

	counters_stop_all();
	for (i = 0; i <= COUNTER_LAST; i++) {
		if (i == COUNTER_TIME)
			continue;
		counter_set(i, 0x123456789abcdef0ULL + i);
		wrong |= (counter_get(i) != 0x123456789abcdef0ULL + i) << i;
		differ |= (csr_get(MODE_M, CSR_COUNTER(i)) != counter_get(i)) << i;
	}
	for (i = 0; i <= COUNTER_LAST; i++)
		writable |= (csr_cause(MODE_M, OP_SWAP, CSR_COUNTER(i), 0) !=
			     CAUSE_ILLEGAL) << i;
	CHECK("XSPMU-002", !(wrong >> COUNTER_FIRST),
	      "mhpmcounter3 to 31 hold what is written (wrong: %x)", wrong);
	CHECK("XSPMU-003", !(wrong & 7), "so do mcycle and minstret (wrong: %x)", wrong);
	CHECK("XSPMU-004", !differ, "the user's copies are the same (not: %x)", differ);
	CHECK("XSPMU-004", !writable, "and read-only (not: %x)", writable);
	CHECK("XSPMU-001", csr_exists(CSR_SCOUNTOVF) && csr_exists(CSR_STIMECMP) &&
	      csr_exists(CSR_VSTIMECMP), "there are Sscofpmf and Sstc");
}

/* All bits of a register that is to have one for each counter, with and without time */
static int is_layout(u32 csr, unsigned long bits)
{
	int ok;

	csr_put(MODE_M, csr, ~0UL);
	ok = csr_get(MODE_M, csr) == bits;
	csr_put(MODE_M, csr, 0);
	return ok && !csr_get(MODE_M, csr);
}

static void test_layouts(void)
{
	CHECK("XSPMU-005,XSPMU-006", is_layout(CSR_MCOUNTINHIBIT, 0xfffffffd),
	      "mcountinhibit has all bits but that of time");
	counters_stop_all();
	CHECK("XSPMU-007,XSPMU-010", is_layout(CSR_MCOUNTEREN, 0xffffffff),
	      "mcounteren has all bits");
	CHECK("XSPMU-008,XSPMU-010", is_layout(CSR_SCOUNTEREN, 0xffffffff),
	      "scounteren has all bits");
	CHECK("XSPMU-009,XSPMU-010", is_layout(CSR_HCOUNTEREN, 0xffffffff),
	      "hcounteren has all bits");
}

/* Something of its group that rt_mix() makes it count */
static u64 counts_of(unsigned int i)
{
	static const u64 events[] = { BP_INSTR, INSTR, LOAD_S0, L2_LOOKUP };

	return events[group_of(i)];
}

/* One of all counters stands still, and those of cycles and instructions alone, too. */
static void test_inhibit(void)
{
	unsigned int still, i;
	u32 moved, wrong = 0;
	u64 before[32];

	for (still = 0; still <= COUNTER_LAST; still++) {
		if (still == COUNTER_TIME)
			continue;
		counters_stop_all();
		for (i = 0; i <= COUNTER_LAST; i++) {
			if (i >= COUNTER_FIRST)
				event_set(i, counts_of(i));
			if (i != COUNTER_TIME)
				before[i] = counter_get(i);
		}
		csr_write(CSR_MCOUNTINHIBIT, BIT(still));
		rt_call(MODE_U, rt_mix, fresh(), 0);
		counters_stop_all();
		for (moved = 0, i = 0; i <= COUNTER_LAST; i++)
			if (i != COUNTER_TIME)
				moved |= (counter_get(i) != before[i]) << i;
		if (moved != (0xfffffffd & ~BIT(still))) {
			NOTE("%u is inhibited, and these moved: %x", still, moved);
			wrong |= 1U << still;
		}
	}
	CHECK("XSPMU-006,XSPMU-011", !wrong,
	      "the inhibited counter alone stands still (wrong: %x)", wrong);
}

/* As counts_of(), by rt_mix(); of lookups of the L2 cache it is not known how many there are. */
static int has_counted(unsigned int i, u64 from)
{
	static const u64 numbers[] = { BRJMPS, INSTRS, LOADS, 0 };
	u64 n = counter_get(i) - from;

	return group_of(i) == 3 ? n > 0 && n < INSTRS : n == numbers[group_of(i)];
}

/*
 * The guide's steps, for all counters at once: what runs before the last one is not counted,
 * and then each counts on from what it was given, where user mode can read it.
 */
static void test_steps(void)
{
	u32 early = 0, wrong = 0, seen = 0;
	unsigned int i;

	csr_put(MODE_M, CSR_MCOUNTINHIBIT, ~0UL);
	for (i = COUNTER_FIRST; i <= COUNTER_LAST; i++)
		counter_set(i, 1000 * i);
	for (i = COUNTER_FIRST; i <= COUNTER_LAST; i++)
		event_set(i, counts_of(i) | ONLY_U);
	counteren_set(~0U, 0);
	csr_write(CSR_SCOUNTEREN, ~0UL);
	rt_call(MODE_U, rt_mix, fresh(), 0);
	for (i = COUNTER_FIRST; i <= COUNTER_LAST; i++)
		early |= (csr_get(MODE_U, CSR_COUNTER(i)) != 1000 * i) << i;
	csr_put(MODE_M, CSR_MCOUNTINHIBIT, 0);
	rt_call(MODE_U, rt_mix, fresh(), 0);
	csr_put(MODE_M, CSR_MCOUNTINHIBIT, ~0UL);
	for (i = COUNTER_FIRST; i <= COUNTER_LAST; i++) {
		wrong |= !has_counted(i, 1000 * i) << i;
		seen |= (csr_get(MODE_U, CSR_COUNTER(i)) != counter_get(i)) << i;
	}
	CHECK("XSPMU-057", !early, "nothing is counted before the last step (wrong: %x)", early);
	CHECK("XSPMU-057", !wrong, "all that is behind it (wrong: %x)", wrong);
	CHECK("XSPMU-057", !seen, "and user mode sees it (wrong: %x)", seen);
	counters_stop_all();
	counteren_set(0, 0);
	csr_write(CSR_SCOUNTEREN, 0);
}

static unsigned long reads(enum rt_mode mode, unsigned int i)
{
	return csr_cause(mode, OP_READ, CSR_COUNTER(i), 0);
}

/* The counters that @mode reads otherwise than these bits say, where the others are open */
static u32 opened_wrong(enum rt_mode mode, u32 bits, unsigned long closed)
{
	unsigned int i;
	u32 wrong = 0;

	for (i = 0; i <= COUNTER_LAST; i++)
		wrong |= (u32)(reads(mode, i) != (bits >> i & 1 ? NO_TRAP : closed)) << i;
	return wrong;
}

/*
 * With the bit of one counter, and the bits of all others: one of the three registers decides,
 * in each of the modes below it, and the others are open.
 */
static void test_enable(void)
{
	u32 m[MODES] = {}, u = 0, vs = 0, vu = 0, bits;
	unsigned int open, mode;
	int all;

	for (open = 0; open <= COUNTER_LAST; open++) {
		for (all = 0; all < 2; all++) {
			bits = all ? ~(1U << open) : 1U << open;
			counteren_set(bits, ~0U);
			csr_write(CSR_SCOUNTEREN, ~0U);
			for (mode = MODE_S; mode < MODES; mode++)
				m[mode] |= opened_wrong(mode, bits, CAUSE_ILLEGAL);
			counteren_set(bits, 0);
			csr_write(CSR_SCOUNTEREN, 0);
			m[MODE_S] |= opened_wrong(MODE_S, bits, CAUSE_ILLEGAL);
			counteren_set(~0U, bits);
			vs |= opened_wrong(MODE_VS, bits, CAUSE_VIRTUAL);
			csr_write(CSR_SCOUNTEREN, ~0U);
			vs |= opened_wrong(MODE_VS, bits, CAUSE_VIRTUAL);
			vu |= opened_wrong(MODE_VU, bits, CAUSE_VIRTUAL);
			csr_write(CSR_SCOUNTEREN, bits);
			u |= opened_wrong(MODE_U, bits, CAUSE_ILLEGAL);
		}
	}
	CHECK("XSPMU-007,XSPMU-012", !m[MODE_S], "mcounteren opens to S-mode (wrong: %x)",
	      m[MODE_S]);
	CHECK("XSPMU-012", !m[MODE_U], "and to U-mode (wrong: %x)", m[MODE_U]);
	CHECK("XSPMU-012", !m[MODE_VS], "and to VS-mode (wrong: %x)", m[MODE_VS]);
	CHECK("XSPMU-012", !m[MODE_VU], "and to VU-mode (wrong: %x)", m[MODE_VU]);
	CHECK("XSPMU-008,XSPMU-014", !u, "scounteren to U-mode (wrong: %x)", u);
	CHECK("XSPMU-009,XSPMU-015", !vs,
	      "hcounteren to VS-mode, else a virtual instruction (wrong: %x)", vs);
	CHECK("XSPMU-015", !vu, "and to VU-mode (wrong: %x)", vu);
	counteren_set(0, 0);
	csr_write(CSR_SCOUNTEREN, 0);
}

static void timer_enable(int m, int h)
{
	csr_put(MODE_M, CSR_MENVCFG, m ? STCE : 0);
	csr_put(MODE_M, CSR_HENVCFG, h ? STCE : 0);
}

/* stimecmp can be read and written in @mode, or both end so */
static int timer_is(enum rt_mode mode, unsigned long cause)
{
	return csr_cause(mode, OP_READ, CSR_STIMECMP, 0) == cause &&
	       csr_cause(mode, OP_SWAP, CSR_STIMECMP, ~0UL) == cause;
}

/* The modes below M-mode where stimecmp is no illegal instruction, and M-mode if it traps there */
static u32 timer_wrong(void)
{
	u32 wrong = (u32)!timer_is(MODE_M, NO_TRAP) << MODE_M;
	unsigned int mode;

	for (mode = MODE_S; mode < MODES; mode++)
		wrong |= (u32)!timer_is(mode, CAUSE_ILLEGAL) << mode;
	return wrong;
}

/* The modes below M-mode where reading time does not end with @cause, and M-mode if that traps */
static u32 time_wrong(unsigned long cause)
{
	u32 wrong = (u32)(reads(MODE_M, COUNTER_TIME) != NO_TRAP) << MODE_M;
	unsigned int mode;

	for (mode = MODE_S; mode < MODES; mode++)
		wrong |= (u32)(reads(mode, COUNTER_TIME) != cause) << mode;
	return wrong;
}

/*
 * One of the two registers of M-mode is closed, and those of lower modes are open. In U-mode
 * stimecmp is illegal in any case. In VU-mode it is a virtual instruction if HS-mode may use it.
 */
static void test_timer_access(void)
{
	u32 wrong;

	timer_enable(1, 1);
	counteren_set(TM, TM);
	csr_write(CSR_SCOUNTEREN, TM);
	CHECK("XSPMU-013", timer_is(MODE_S, NO_TRAP) && timer_is(MODE_VS, NO_TRAP) &&
	      timer_is(MODE_VU, CAUSE_VIRTUAL), "with TM stimecmp is there");
	wrong = time_wrong(NO_TRAP);
	CHECK("XSPMU-013", !wrong, "and so is time (wrong: %x)", wrong);
	counteren_set(0, TM);
	wrong = timer_wrong();
	CHECK("XSPMU-013", !wrong,
	      "without, stimecmp is illegal in each mode below M-mode (wrong: %x)", wrong);
	wrong = time_wrong(CAUSE_ILLEGAL);
	CHECK("XSPMU-013", !wrong, "and so is time (wrong: %x)", wrong);
	timer_enable(0, 1);
	counteren_set(TM, TM);
	wrong = timer_wrong();
	CHECK("XSPMU-052", !wrong,
	      "without menvcfg.STCE stimecmp is illegal in each mode below M-mode (wrong: %x)",
	      wrong);
	wrong = time_wrong(NO_TRAP);
	CHECK("XSPMU-052", !wrong, "but time is not (wrong: %x)", wrong);
	csr_write(CSR_SCOUNTEREN, 0);
}

/*
 * The first two are the same with a sign and without. With a sign the others would be the other
 * way round, but for the very last one: that would be with a carry out of bit 63, as would be the
 * one before it.
 */
static void test_guest_time(void)
{
	const unsigned long now = csr_get(MODE_M, CSR_TIME), top = BIT(63), half = BIT(62);
	const struct {
		unsigned long delta, cmp;
		int pending;
	} times[] = {
		{ top, top + now, 1 }, { top, top + half + now, 0 },
		{ 0, top + now, 0 }, { 0, top, 0 }, { half, ~0UL - half, 0 },
		{ top, now, 1 }, { top, half + now, 1 }, { top + half, half, 1 },
		{ -now, top, 0 }, { -now, half, 0 },
	};
	unsigned int n, last;
	int is;

	for (n = 0; n < ARRAY_SIZE(times); n++) {
		for (last = 0; last < 2; last++) {
			/* Before, VSTIP is what it is not to be. */
			csr_put(MODE_M, CSR_HTIMEDELTA, 0);
			csr_put(MODE_M, CSR_VSTIMECMP, times[n].pending ? ~0UL : 0);
			if (last)
				csr_put(MODE_M, CSR_VSTIMECMP, times[n].cmp);
			csr_put(MODE_M, CSR_HTIMEDELTA, times[n].delta);
			if (!last)
				csr_put(MODE_M, CSR_VSTIMECMP, times[n].cmp);
			is = !!(csr_get(MODE_M, CSR_MIP) & VSTIP);
			CHECK("XSPMU-056", is == times[n].pending,
			      "VSTIP is %d: htimedelta %lx, vstimecmp %lx, %s last", is,
			      times[n].delta, times[n].cmp, last ? "htimedelta" : "vstimecmp");
		}
	}
	csr_put(MODE_M, CSR_HTIMEDELTA, 0);
}

static void test_timer(void)
{
	unsigned long now;

	test_timer_access();
	timer_enable(1, 1);
	counteren_set(TM, 0);
	CHECK("XSPMU-055", timer_is(MODE_VS, CAUSE_VIRTUAL),
	      "without hcounteren.TM it is a virtual instruction in VS-mode");
	timer_enable(1, 0);
	counteren_set(TM, TM);
	CHECK("XSPMU-055", timer_is(MODE_VS, CAUSE_VIRTUAL),
	      "and so it is without henvcfg.STCE");
	csr_put(MODE_M, CSR_STIMECMP, ~0UL);
	CHECK("XSPMU-053", !(csr_get(MODE_M, CSR_MIP) & STIP), "time is not yet there");
	now = csr_get(MODE_M, CSR_TIME);
	csr_put(MODE_M, CSR_STIMECMP, now);
	CHECK("XSPMU-053", csr_get(MODE_M, CSR_MIP) & STIP, "and now it is");
	csr_put(MODE_M, CSR_STIMECMP, BIT(63) + now);
	CHECK("XSPMU-053", !(csr_get(MODE_M, CSR_MIP) & STIP), "numbers have no sign");
	timer_enable(0, 0);
	csr_put(MODE_M, CSR_STIMECMP, now);
	CHECK("XSPMU-052", !(csr_get(MODE_M, CSR_MIP) & STIP),
	      "without menvcfg.STCE it makes nothing pending");
	timer_enable(1, 1);
	CHECK("XSPMU-053", csr_get(MODE_M, CSR_MIP) & STIP, "with it, what is past is");
	timer_enable(0, 0);
	CHECK("XSPMU-052", !(csr_get(MODE_M, CSR_MIP) & STIP), "and is not when it is gone");
	csr_put(MODE_M, CSR_MIP, STIP);
	csr_put(MODE_M, CSR_STIMECMP, BIT(63) + now);
	CHECK("XSPMU-052", csr_get(MODE_M, CSR_MIP) & STIP, "what M-mode makes pending stays");
	csr_put(MODE_M, CSR_MIP, 0);
	timer_enable(1, 1);
	csr_put(MODE_M, CSR_HTIMEDELTA, 0);
	csr_put(MODE_M, CSR_VSTIMECMP, now + BIT(62));
	CHECK("XSPMU-056", !(csr_get(MODE_M, CSR_MIP) & VSTIP),
	      "the guest's time is not yet there");
	csr_put(MODE_M, CSR_HTIMEDELTA, BIT(62));
	csr_put(MODE_M, CSR_VSTIMECMP, now + BIT(62));
	CHECK("XSPMU-056", csr_get(MODE_M, CSR_MIP) & VSTIP,
	      "and is, with what is to be added");
	test_guest_time();
	csr_put(MODE_M, CSR_VSTIMECMP, ~0UL);
	csr_put(MODE_M, CSR_STIMECMP, ~0UL);
	timer_enable(0, 0);
	counteren_set(0, 0);
}

/* Each bit alone, and all of them */
static void test_fields(void)
{
	u32 wrong = 0, fixed = 0, missing = 0;
	unsigned int i, bit;
	u64 group, in;

	for (i = COUNTER_FIRST; i <= COUNTER_LAST; i++) {
		group = group_of(i) * 0x4010040100ULL;
		for (bit = 0; bit < 64; bit++) {
			event_set(i, BIT64(bit));
			in = event_get(i);
			if (bit < 40 && bit % EVENT_BITS >= 8)
				fixed |= (in != group) << i;
			else if (bit >= 55 && bit < 58)
				missing |= (in != group) << i;
			else
				wrong |= (in != (group | BIT64(bit))) << i;
		}
		event_set(i, ~0ULL);
		wrong |= (event_get(i) != (EV_OF | EV_XINH | OPERATORS(31, 31, 31) | group |
					   EVENTS(255, 255, 255, 255))) << i;
		event_set(i, 0);
		fixed |= (event_get(i) != group) << i;
	}
	CHECK("XSPMU-017,XSPMU-018,XSPMU-019", !wrong,
	      "events, operators, modes and OF can be written (wrong: %x)", wrong);
	CHECK("XSPMU-041", !fixed, "bits 9:8 of each event cannot (wrong: %x)", fixed);
	CHECK("XSPMU-020", !missing, "bits 57:55 are not there (wrong: %x)", missing);
}

/* One event, in each of the places, by each operator that lets it through */
static void test_places(void)
{
	static const u64 through[] = { OR, XOR, ADD };
	static const char *const rules[] = {
		"XSPMU-027,XSPMU-036", "XSPMU-026,XSPMU-036",
		"XSPMU-025,XSPMU-036", "XSPMU-024,XSPMU-036",
	};
	unsigned int place, n;
	u64 op;

	for (place = 0; place < 4; place++) {
		for (n = 0; n < ARRAY_SIZE(through); n++) {
			op = through[n];
			CHECK(rules[place],
			      count(BACK, (u64)LOAD << place * EVENT_BITS |
				    OPERATORS(op, op, op)) == LOADS,
			      "an event alone, in place %u, by operator %u", place,
			      (unsigned int)op);
		}
	}
	CHECK("XSPMU-036", count(BACK, 0) == 0, "no event counts nothing");
	CHECK("XSPMU-036,XSPMU-029", count(BACK, EVENTS(LOAD, 0, 0, 0) |
	      OPERATORS(AND, OR, OR)) == 0, "nor has AND anything to agree with");
}

/* What two events yield */
static u64 operate(u64 op, u64 a, u64 b, u64 both)
{
	return op == OR ? a + b - both : op == AND ? both : op == XOR ? a + b - 2 * both : a + b;
}

static const char *const operator_rule[] = {
	"XSPMU-028,XSPMU-035", "XSPMU-029,XSPMU-035", "XSPMU-030,XSPMU-035", "",
	"XSPMU-031,XSPMU-035",
};

static const u64 operators[] = { OR, AND, XOR, ADD };

static void test_operators(void)
{
	unsigned int n;
	u64 op, is;

	for (n = 0; n < ARRAY_SIZE(operators); n++) {
		op = operators[n];
		is = operate(op, LOADS, INSTRS, BOTH);
		CHECK_TOTAL(operator_rule[op], count(BACK, EVENTS(LOAD, INSTR, 0, 0) |
			    OPERATORS(op, OR, OR)) == is,
			    "loads and instructions, by operator %u: %u", (unsigned int)op,
			    (unsigned int)is);
		CHECK_TOTAL("XSPMU-032,XSPMU-023", count(BACK, EVENTS(LOAD, INSTR, 0, 0) |
			    OPERATORS(op, OR, OR)) == is, "it is of events 0 and 1");
		CHECK_TOTAL("XSPMU-033,XSPMU-022", count(BACK, EVENTS(0, 0, LOAD, INSTR) |
			    OPERATORS(OR, op, OR)) == is, "and of events 2 and 3");
		CHECK_TOTAL("XSPMU-034,XSPMU-021", count(BACK, EVENTS(0, LOAD, INSTR, 0) |
			    OPERATORS(OR, OR, op)) == is, "and of what both yield");
	}
}

/* The selectors that combine loads and instructions by the @place-th operator, @op */
static u64 combined(unsigned int place, u64 op)
{
	return place == 0 ? EVENTS(LOAD, INSTR, 0, 0) | OPERATORS(op, OR, OR) :
	       place == 1 ? EVENTS(0, 0, LOAD, INSTR) | OPERATORS(OR, op, OR) :
			    EVENTS(0, LOAD, 0, INSTR) | OPERATORS(OR, OR, op);
}

/*
 * Whatever two numbers there are in each cycle, of the same run: each bit that either has is in
 * OR, those of both are in AND as well, and the others are in XOR.
 */
static void test_together(void)
{
	unsigned long number[ARRAY_SIZE(operators)];
	unsigned int place, n;

	for (place = 0; place < 3; place++) {
		for (n = 0; n < ARRAY_SIZE(operators); n++)
			hpm_start(BACK + n, combined(place, operators[n]) | ONLY_U, 0);
		rt_call(MODE_U, rt_mix, fresh(), 0);
		counters_stop_all();
		for (n = 0; n < ARRAY_SIZE(operators); n++)
			number[n] = counter_get(BACK + n);
		CHECK("XSPMU-031", number[3] == LOADS + INSTRS,
		      "operator %u of three: the sum is of both events: %lu", place, number[3]);
		CHECK("XSPMU-028,XSPMU-029", number[0] + number[1] == number[3] &&
		      number[0] >= INSTRS && number[1] <= LOADS,
		      "operator %u of three: OR is %lu, AND %lu", place, number[0], number[1]);
		CHECK("XSPMU-030", number[2] == number[0] - number[1],
		      "operator %u of three: XOR is %lu", place, number[2]);
	}
}

#ifdef PLATFORM_SEVERAL_PER_CYCLE
/*
 * Jumps are instructions, so that there is not more of either than of instructions, if each of
 * these has a cycle. But two instructions that retire together, one of which is a jump, are 3.
 */
static void test_several(void)
{
	u64 instrs, either;

	hpm_start(BACK, EVENTS(INSTR, 0, 0, 0) | ONLY_U, 0);
	hpm_start(BACK + 1, EVENTS(INSTR, BRJMP, 0, 0) | OPERATORS(OR, OR, OR) | ONLY_U, 0);
	rt_call(MODE_U, rt_hop, 0, 0);
	counters_stop_all();
	instrs = counter_get(BACK);
	either = counter_get(BACK + 1);
	CHECK("XSPMU-028,XSPMU-035", instrs && either > instrs,
	      "%llu of %llu instructions or jumps", either, instrs);
}
#endif

/*
 * Numbers are combined, bit by bit, in each cycle, and there is an instruction in each: the
 * AMO makes two of loads and instructions, which has no bit in common with the one of instructions.
 */
static void test_numbers(void)
{
	u64 one = LOADS + INSTRS - 2 * BOTH;

	CHECK_TOTAL("XSPMU-034,XSPMU-035", count(BACK, EVENTS(LOAD, INSTR, INSTR, 0) |
		    OPERATORS(ADD, OR, AND)) == one, "2 and 1 have no bit in common");
	CHECK_TOTAL("XSPMU-034,XSPMU-035", count(BACK, EVENTS(LOAD, INSTR, INSTR, 0) |
		    OPERATORS(ADD, OR, OR)) == INSTRS + 2 * BOTH, "2 or 1 is 3");
	CHECK_TOTAL("XSPMU-034,XSPMU-035", count(BACK, EVENTS(LOAD, INSTR, INSTR, 0) |
		    OPERATORS(ADD, OR, XOR)) == INSTRS - one + 2 * BOTH,
		    "exclusive or of 2 and 1 is 3, and of 1 and 1 is 0");
	CHECK("XSPMU-034,XSPMU-035", count(BACK, EVENTS(LOAD, INSTR, INSTR, BRJMP) |
	      OPERATORS(ADD, ADD, ADD)) == LOADS + INSTRS + INSTRS + BRJMPS,
	      "a sum of four");
	CHECK_TOTAL("XSPMU-032,XSPMU-033,XSPMU-034",
		    count(BACK, EVENTS(LOAD, INSTR, INSTR, BRJMP) |
			  OPERATORS(AND, XOR, ADD)) == BOTH + INSTRS - BRJMPS,
		    "three operators, each of its own");
}

/* The same number means another event in each group. */
static void test_groups(void)
{
	unsigned int i;
	u32 wrong = 0;

	for (i = COUNTER_FIRST; i <= COUNTER_LAST; i++)
		wrong |= (count(i, EVENTS(BP_INSTR, 0, 0, 0)) !=
			  (group_of(i) ? 0 : BRJMPS)) << i;
	CHECK("XSPMU-037,XSPMU-041", !wrong,
	      "event 32 is of branches and jumps in group 0 alone (wrong: %x)", wrong);
	for (wrong = 0, i = COUNTER_FIRST; i <= COUNTER_LAST; i++)
		wrong |= (count(i, EVENTS(INSTR, 0, 0, 0)) !=
			  (group_of(i) == 1 ? INSTRS : 0)) << i;
	CHECK("XSPMU-038,XSPMU-041", !wrong,
	      "event 81 is of instructions in group 1 alone (wrong: %x)", wrong);
	for (wrong = 0, i = COUNTER_FIRST; i <= COUNTER_LAST; i++)
		wrong |= (count(i, EVENTS(SBUFFER, 0, 0, 0)) !=
			  (group_of(i) == 2 ? STORES : 0)) << i;
	CHECK("XSPMU-039,XSPMU-041", !wrong,
	      "event 23 is of stores in group 2 alone (wrong: %x)", wrong);
	for (wrong = 0, i = COUNTER_FIRST; i <= COUNTER_LAST; i++)
		wrong |= (!!count(i, EVENTS(L2_LOOKUP, 0, 0, 0)) !=
			  (group_of(i) == 3)) << i;
	CHECK("XSPMU-040,XSPMU-041", !wrong,
	      "event 15 is of the L2 cache in group 3 alone (wrong: %x)", wrong);
	CHECK_TOTAL("XSPMU-029,XSPMU-037", count(FRONT, EVENTS(BP_INSTR, BP_BRANCH, 0, 0) |
		    OPERATORS(AND, OR, OR)) == BRANCHES, "each group has operators: 0");
	CHECK("XSPMU-031,XSPMU-039", count(MEMORY, EVENTS(LOAD_S0, SBUFFER, 0, 0) |
	      OPERATORS(ADD, OR, OR)) == LOADS + STORES, "2");
	CHECK("XSPMU-030,XSPMU-040", count(CACHE, EVENTS(L2_LOOKUP, L2_LOOKUP, 0, 0) |
	      OPERATORS(XOR, OR, OR)) == 0, "3");
}

/* OF, and what is requested: by a combination as by an event alone */
static void test_overflow(u64 selector, u64 counted)
{
	lcofi_clear();
	hpm_start(BACK, selector | ONLY_U, -2ULL);
	rt_call(MODE_U, rt_mix, fresh(), 0);
	counter_stop(BACK);
	CHECK("XSPMU-046", counter_get(BACK) == counted - 2 && event_get(BACK) & EV_OF,
	      "the counter has wrapped, and OF is 1: %llx", counter_get(BACK));
	CHECK("XSPMU-016,XSPMU-046", (csr_get(MODE_M, CSR_MIP) & (BIT(13) | BIT(12))) == BIT(13),
	      "interrupt 13 is pending");
	CHECK("XSPMU-048", csr_get(MODE_M, CSR_SCOUNTOVF) == BIT(BACK),
	      "scountovf has it");
	lcofi_clear();
	hpm_start(BACK, EV_OF | selector | ONLY_U, -2ULL);
	rt_call(MODE_U, rt_mix, fresh(), 0);
	counter_stop(BACK);
	CHECK("XSPMU-047", counter_get(BACK) == counted - 2 && event_get(BACK) & EV_OF &&
	      !lcofi_pending(), "with OF=1 it wraps, and there is no interrupt");
	event_set(BACK, 0);
}

/*
 * Each kind of write in each mode, also in those that cannot read it. What is written would clear
 * the OF bits, set the others, or is what there is already.
 */
static void test_read_only(void)
{
	static const enum csr_op ops[] = { OP_SWAP, OP_SET, OP_CLEAR };
	static const unsigned long values[] = { 0, 0x5a5a5a58, ~0UL };
	u32 taken = 0, changed = 0, of = 0;
	unsigned int mode, op, n, i;

	for (i = COUNTER_FIRST; i <= COUNTER_LAST; i++)
		event_set(i, values[1] >> i & 1 ? EV_OF : 0);
	counteren_set(~0U, ~0U);
	for (mode = MODE_M; mode < MODES; mode++) {
		for (op = 0; op < ARRAY_SIZE(ops); op++) {
			for (n = 0; n < ARRAY_SIZE(values); n++) {
				taken |= (u32)(csr_cause(mode, ops[op], CSR_SCOUNTOVF, values[n]) !=
					       CAUSE_ILLEGAL) << mode;
				changed |= (u32)(csr_get(MODE_M, CSR_SCOUNTOVF) !=
						 values[1]) << mode;
			}
		}
	}
	for (i = COUNTER_FIRST; i <= COUNTER_LAST; i++)
		of |= (u32)(event_get(i) >> 63) << i;
	CHECK("XSPMU-048", !taken, "a write is illegal in each mode (not in: %x)", taken);
	CHECK("XSPMU-048", !changed && of == values[1], "and changes nothing (in: %x; OF: %x)",
	      changed, of);
}

static void test_scountovf(void)
{
	u32 m = 0, s = 0, v = 0, bits;
	unsigned int i;

	for (i = COUNTER_FIRST; i <= COUNTER_LAST; i++)
		event_set(i, EV_OF);
	for (i = COUNTER_FIRST; i <= COUNTER_LAST; i++) {
		bits = 1U << i;
		counteren_set(0, 0);
		m |= (csr_get(MODE_M, CSR_SCOUNTOVF) != 0xfffffff8) << i;
		counteren_set(bits, 0);
		s |= (csr_get(MODE_S, CSR_SCOUNTOVF) != bits) << i;
		v |= (csr_get(MODE_VS, CSR_SCOUNTOVF) != 0) << i;
		counteren_set(~bits, bits);
		s |= (csr_get(MODE_S, CSR_SCOUNTOVF) != (~bits & 0xfffffff8)) << i;
		v |= (csr_get(MODE_VS, CSR_SCOUNTOVF) != 0) << i;
		counteren_set(~0U, bits);
		v |= (csr_get(MODE_VS, CSR_SCOUNTOVF) != bits) << i;
		event_set(i, 0);
		m |= (csr_get(MODE_M, CSR_SCOUNTOVF) != (0xfffffff8 & ~bits)) << i;
		event_set(i, EV_OF);
	}
	CHECK("XSPMU-048,XSPMU-049", !m, "M-mode sees all OF bits (wrong: %x)", m);
	CHECK("XSPMU-049", !s, "HS-mode those of mcounteren (wrong: %x)", s);
	CHECK("XSPMU-050", !v, "VS-mode those of hcounteren, too (wrong: %x)", v);
	test_read_only();
	for (i = COUNTER_FIRST; i <= COUNTER_LAST; i++)
		event_set(i, 0);
	counteren_set(0, 0);
}

/* LCOFI has number 13 in every register, and can be enabled. */
static void test_interrupt(void)
{
	csr_put(MODE_M, CSR_MIDELEG, LCOFI);
	csr_put(MODE_M, CSR_MIE, LCOFI);
	csr_put(MODE_M, CSR_MIP, LCOFI);
	CHECK("XSPMU-016", csr_get(MODE_M, CSR_MIE) & LCOFI &&
	      csr_get(MODE_S, CSR_SIE) & LCOFI && csr_get(MODE_M, CSR_MIP) & LCOFI &&
	      csr_get(MODE_S, CSR_SIP) & LCOFI, "bit 13 of mie, sie, mip and sip");
	csr_put(MODE_M, CSR_MIE, 0);
	csr_put(MODE_M, CSR_MIDELEG, 0);
	lcofi_clear();
}

void test_main(void)
{
	test_reset();
	counters_stop_all();
	test_counters();
	test_layouts();
	test_fields();
	test_inhibit();
	test_enable();
	test_steps();
	test_timer();
	test_places();
	test_operators();
	test_together();
#ifdef PLATFORM_SEVERAL_PER_CYCLE
	test_several();
#endif
	test_numbers();
	test_groups();
	test_overflow(EVENTS(LOAD, 0, 0, 0), LOADS);
	test_overflow(EVENTS(LOAD, INSTR, 0, 0) | OPERATORS(ADD, OR, OR), LOADS + INSTRS);
	test_scountovf();
	test_interrupt();
}
