// SPDX-License-Identifier: GPL-2.0-only
/*
 * Smctr/Ssctr: which jump and branch is recorded as what, for all registers,
 * compressed forms included, and what each filter bit keeps out, in all modes.
 * Events of transfers count them as what they are recorded.
 *
 * profile: ctr ctr-min ctr-some ctr-rv32 ctr-noh
 */
#include "ctr.h"
#include "hpm.h"
#include "tap.h"

/* Chunks of one transfer each, and a way into them and back */
extern const char pair_jalr[], pair_jal[], pair_cjr[], pair_cjalr[];
extern const char pair_branch[], pair_cbranch[], pair_cj[], pair_enter_jr[];
unsigned long pair_enter(unsigned long chunk, unsigned long unused);

#define CHUNK 16
#define CHUNK_SRC 4	/* the transfer; what is before it makes its target */
#define CHUNK_DST 12

/* The transfers of one chunk: into it, the one in question, out, and RET */
#define PAIR_ENTRIES 4

/*
 * Is the third youngest of the four this one? `at' is where in the chunk the
 * instruction is, `next' where it goes.
 */
static int pair_is(const char *chunk, unsigned int at, unsigned int next,
		   unsigned int type)
{
	const struct ctr_xfer in = {
		(unsigned long)pair_enter_jr, (unsigned long)chunk, TYPE_INDJMP,
	};
	const struct ctr_xfer x = {
		(unsigned long)chunk + at, (unsigned long)chunk + next, type,
	};
	struct ctr_entry e;

	ctr_run(MODE_S, pair_enter, (unsigned long)chunk, 0);
	e = ctr_get(PAIR_ENTRIES - 1);
	if (!ctr_is(&e, &in) || ctr_run_length() != PAIR_ENTRIES)
		return 0;
	e = ctr_get(PAIR_ENTRIES - 2);
	return ctr_is(&e, &x);
}

static unsigned int jalr_type(unsigned int rd, unsigned int rs)
{
	int link_d = rd == 1 || rd == 5, link_s = rs == 1 || rs == 5;

	if (link_d)
		return link_s && rs != rd ? TYPE_SWAP : TYPE_INDCALL;
	if (link_s)
		return TYPE_RETURN;
	return rd ? TYPE_INDLJMP : TYPE_INDJMP;
}

static const char *jalr_rule(unsigned int rd, unsigned int rs)
{
	switch (jalr_type(rd, rs)) {
	case TYPE_SWAP:
		return "CTR-TYPE-015";
	case TYPE_INDCALL:
		return rd == 1 ? "CTR-TYPE-009" : "CTR-TYPE-010";
	case TYPE_RETURN:
		return "CTR-TYPE-016";
	case TYPE_INDJMP:
		return "CTR-TYPE-013";
	default:
		return "CTR-TYPE-018";
	}
}

static unsigned int jal_type(unsigned int rd)
{
	if (!rd)
		return TYPE_DIRJMP;
	return rd == 1 || rd == 5 ? TYPE_DIRCALL : TYPE_DIRLJMP;
}

/* rs=x0 would jump next to address 0, which is nobody's. */
static void test_jalr(unsigned int rd)
{
	static u32 wrong[32][TYPES];
	unsigned int rs, type;
	u32 seen = 0;

	for (rs = 1; rs < 32; rs++) {
		type = jalr_type(rd, rs);
		if (!pair_is(pair_jalr + CHUNK * (32 * rd + rs), CHUNK_SRC,
			     CHUNK_DST, type))
			wrong[rd][type] |= 1U << rs;
	}
	for (rs = 1; rs < 32; rs++) {
		type = jalr_type(rd, rs);
		if (!(seen >> type & 1))
			CHECK(jalr_rule(rd, rs), !wrong[rd][type],
			      "JALR x%u, any rs that makes it TYPE %u (wrong: %x)",
			      rd, type, wrong[rd][type]);
		seen |= 1U << type;
	}
}

static void test_jal(void)
{
	u32 wrong = 0;
	unsigned int rd;

	for (rd = 0; rd < 32; rd++)
		wrong |= !pair_is(pair_jal + CHUNK * rd, CHUNK_SRC, CHUNK_DST,
				  jal_type(rd)) << rd;
	CHECK("CTR-TYPE-014", !(wrong & 1), "JAL x0 is TYPE 11");
	CHECK("CTR-TYPE-012", !(wrong & 0x22), "JAL x1, x5 are TYPE 9");
	CHECK("CTR-TYPE-019", !(wrong & ~0x23U),
	      "JAL of other registers is TYPE 15 (wrong: %x)", wrong);
}

static void test_branches(void)
{
	u32 taken = 0, not_taken = 0;
	unsigned int n;

	for (n = 0; n < 6; n++)
		taken |= !pair_is(pair_branch + CHUNK * n, CHUNK_SRC, CHUNK_DST,
				  TYPE_TAKEN) << n;
	CHECK("CTR-TYPE-008", !taken,
	      "BEQ to BGEU, taken, are TYPE 5 (wrong: %x)", taken);
	if (!(ctr_core.ctl & CTL_NTBREN)) {
		tap_skip("CTR-TYPE-007", "no NTBREN");
		return;
	}
	ctr_control(CTL_S | CTL_NTBREN | CTL_TKBRINH, 0);
	for (n = 6; n < 12; n++)
		not_taken |= !pair_is(pair_branch + CHUNK * n, CHUNK_SRC,
				      CHUNK_SRC + 4, TYPE_NOT_TAKEN) << n;
	CHECK("CTR-TYPE-007,CTR-ENT-014", !not_taken,
	      "BEQ to BGEU, not taken, are TYPE 4 to the next (wrong: %x)", not_taken);
	ctr_control(CTL_S, 0);
}

/* Chunks are in the order 0: beqz, bnez for each register, then the same -1 */
static void test_cbranches(void)
{
	u32 taken = 0, not_taken = 0;
	unsigned int n;

	ctr_control(CTL_S | CTL_NTBREN, 0);
	for (n = 0; n < 32; n++) {
		const char *chunk = pair_cbranch + CHUNK * n;

		if ((n & 1) == (n >> 4))
			taken |= !pair_is(chunk, 4, 12, TYPE_TAKEN) << n;
		else if (ctr_core.ctl & CTL_NTBREN)
			not_taken |= !pair_is(chunk, 4, 6, TYPE_NOT_TAKEN) << n;
	}
	CHECK("CTR-TYPE-008", !taken,
	      "C.BEQZ and C.BNEZ, taken, are TYPE 5 (wrong: %x)", taken);
	if (ctr_core.ctl & CTL_NTBREN) {
		CHECK("CTR-TYPE-007,CTR-ENT-014", !not_taken,
		      "C.BEQZ and C.BNEZ, not taken, are TYPE 4 to the next (wrong: %x)",
		      not_taken);
	}
	ctr_control(CTL_S, 0);
}

static void test_compressed(void)
{
	u32 jr = 0, jalr = 0;
	unsigned int rs;

	for (rs = 1; rs < 32; rs++) {
		jr |= !pair_is(pair_cjr + CHUNK * rs, 8, 12,
			       jalr_type(0, rs)) << rs;
		jalr |= !pair_is(pair_cjalr + CHUNK * rs, 8, 12,
				 jalr_type(1, rs)) << rs;
	}
	CHECK("CTR-TYPE-013", !(jr & ~0x22U),
	      "C.JR of other registers is TYPE 10 (wrong: %x)", jr);
	CHECK("CTR-TYPE-017", !(jr & 0x22), "C.JR x1, x5 are TYPE 13");
	CHECK("CTR-TYPE-011", !(jalr & ~0x20U),
	      "C.JALR of any register but x5 is TYPE 8 (wrong: %x)", jalr);
	CHECK("CTR-TYPE-015", !(jalr & 0x20), "C.JALR x5 is TYPE 12");
	CHECK("CTR-TYPE-014", pair_is(pair_cj, 4, 12, TYPE_DIRJMP),
	      "C.J is TYPE 11");
#if __riscv_xlen == 32
	CHECK("CTR-TYPE-012", pair_is(pair_cj + CHUNK, 4, 12, TYPE_DIRCALL),
	      "C.JAL is TYPE 9");
#endif
}

/* Events */

#define ONLY_S (EV_XINH & ~EV_SINH)

static const u64 events[TYPES] = PLATFORM_EVENTS_OF_TYPES;
/* Which counter counts a type, or records, 0 if none does; and all of these */
static unsigned int counters[TYPES], of_records;
static u32 counting;

/* Let the next counter after @i count an event of S-mode; which is it? */
static unsigned int next_counts(unsigned int i, u64 event)
{
	do {
		if (++i > COUNTER_LAST)
			return 0;
	} while (!(hpm_present() >> i & 1));
	event_set(i, event | ONLY_S);
	/* There are no bits of modes that there are not. */
	if ((event_get(i) ^ event ^ ONLY_S) & ~(EV_VSINH | EV_VUINH))
		return 0;
	counting |= BIT(i);
	return i;
}

/* Do all types have a counter that can be kept from counting M-mode? */
static int events_start(void)
{
	unsigned int type, i = 0;

	counters_stop_all();
	for (type = 0; type < TYPES; type++) {
		if (!events[type] || (type == TYPE_NOT_TAKEN && !(ctr_core.ctl & CTL_NTBREN)))
			continue;
		i = next_counts(i, events[type]);
		if (!i)
			return 0;
		counters[type] = i;
	}
	of_records = PLATFORM_EVENT_RECORDED ? next_counts(i, PLATFORM_EVENT_RECORDED) : 0;
	return !!counting;
}

static unsigned int miscounted;	/* chunks, by the event of records */

/* What is recorded of a chunk is also what the events count of it. */
static int pair_counts(const char *chunk)
{
	static u32 recorded[TYPES];
	unsigned int type, x, n, ok;

	for (type = 0; type < TYPES; type++) {
		recorded[type] = 0;
		if (counters[type])
			counter_set(counters[type], 0);
	}
	if (of_records)
		counter_set(of_records, 0);
	csr_clear(CSR_MCOUNTINHIBIT, counting);
	ctr_run(MODE_S, pair_enter, (unsigned long)chunk, 0);
	counters_stop_all();
	n = ctr_run_length();
	for (x = 0; x < n; x++)
		recorded[ctr_get(x).data & DATA_TYPE]++;
	miscounted += of_records && counter_get(of_records) != n;
	ok = n >= PAIR_ENTRIES - 1;
	for (type = 0; type < TYPES; type++)
		ok &= !counters[type] || counter_get(counters[type]) == recorded[type];
	return ok;
}

static void test_events(void)
{
	static const struct {
		const char *name, *chunks;
		unsigned int n, but;	/* not those whose number this divides, if not 0 */
	} tables[] = {
		{ "JALR", pair_jalr, 32 * 32, 32 },
		{ "JAL", pair_jal, 32, 0 },
		{ "branch", pair_branch, 12, 0 },
		{ "C.JR", pair_cjr, 32, 0 },
		{ "C.JALR", pair_cjalr, 32, 0 },
		{ "C.BEQZ and C.BNEZ", pair_cbranch, 32, 0 },
		{ "C.J", pair_cj, 1, 0 },
	};
	unsigned int i, n, wrong, which;

	if (!CTR_TYPE_KNOWN || !events_start()) {
		tap_skip("EVT-022", "no TYPE, or no counters for all of them");
		return;
	}
	ctr_control(CTL_S | (ctr_core.ctl & CTL_NTBREN), 0);
	for (i = 0; i < ARRAY_SIZE(tables); i++) {
		for (n = 0, wrong = 0, which = 0; n < tables[i].n; n++) {
			if (tables[i].but && n % tables[i].but == 0)
				continue;
			if (pair_counts(tables[i].chunks + CHUNK * n))
				continue;
			wrong++;
			which = n;
		}
		CHECK("EVT-022", !wrong,
		      "%s: counted by the event of its TYPE, and no other (wrong: %u, at last %u)",
		      tables[i].name, wrong, which);
	}
	if (of_records)
		CHECK("EVT-001", !miscounted,
		      "counted by the event of records (wrong: %u)", miscounted);
	else
		tap_skip("EVT-001", "no event of records, or no counter for it");
	ctr_control(CTL_S, 0);
}

/* Filters */

struct filter {
	u64 bit;
	const char *name, *rule;
};

static const struct filter filters[TYPES] = {
	[TYPE_NOT_TAKEN] = { CTL_NTBREN, "NTBREN", "CTR-CTL-017" },
	[TYPE_TAKEN] = { CTL_TKBRINH, "TKBRINH", "CTR-CTL-018" },
	[TYPE_INDCALL] = { CTL_INDCALLINH, "INDCALLINH", "CTR-CTL-019" },
	[TYPE_DIRCALL] = { CTL_DIRCALLINH, "DIRCALLINH", "CTR-CTL-020" },
	[TYPE_INDJMP] = { CTL_INDJMPINH, "INDJMPINH", "CTR-CTL-021" },
	[TYPE_DIRJMP] = { CTL_DIRJMPINH, "DIRJMPINH", "CTR-CTL-022" },
	[TYPE_SWAP] = { CTL_CORSWAPINH, "CORSWAPINH", "CTR-CTL-023" },
	[TYPE_RETURN] = { CTL_RETINH, "RETINH", "CTR-CTL-024" },
	[TYPE_INDLJMP] = { CTL_INDLJMPINH, "INDLJMPINH", "CTR-CTL-025" },
	[TYPE_DIRLJMP] = { CTL_DIRLJMPINH, "DIRLJMPINH", "CTR-CTL-026" },
};

static const u64 mode_bit[MODES] = { CTL_M, CTL_S, CTL_U, CTL_S, CTL_U };

/* Each type once in this mode, under these filters (of those that there are) */
static int jumps_hold(enum rt_mode mode, u64 filter)
{
	u64 ctl = (mode_bit[mode] | filter) & ctr_core.ctl;
	struct ctr_model t;
	unsigned int n;

	/* The other register has the opposite: it must not matter. */
	if (mode >= MODE_VS)
		model_start(&t, ~filter & ctr_core.ctl & CTL_FILTERS, ctl);
	else
		model_start(&t, ctl, ~filter & ctr_core.ctl & CTL_FILTERS);
	model_enter(&t, mode, ctr_jumps);
	for (n = 0; n < CTR_JUMPS; n++)
		model_jump(&t, mode, &ctr_jumps_xfers[n]);
	model_leave(&t, mode, ctr_jumps_jr);
	return model_run(&t, mode, ctr_jumps, 0, 0);
}

/* On which TYPE it is does not depend: unimplemented it must be without effect */
static void test_filter(enum rt_mode mode, const struct filter *f)
{
	if (!(ctr_core.ctl & f->bit)) {
		CHECK("CTR-TYPE-002", jumps_hold(mode, f->bit),
		      "%s-mode: no %s, which has no effect then",
		      rt_mode_name[mode], f->name);
		return;
	}
	CHECK(f->rule, jumps_hold(mode, f->bit), "%s-mode: %s alone",
	      rt_mode_name[mode], f->name);
	CHECK("CTR-BEH-002", jumps_hold(mode, CTL_FILTERS & ~f->bit),
	      "%s-mode: all filter bits but %s", rt_mode_name[mode], f->name);
	CHECK("CTR-GEN-004", jumps_hold(mode, CTL_FILTERS & ~CTL_NTBREN & ~f->bit),
	      "%s-mode: all but %s and NTBREN", rt_mode_name[mode], f->name);
}

static void test_filters(enum rt_mode mode)
{
	unsigned int n, wrong = 0, type;
	u64 mix = 1;

	CHECK("CTR-TYPE-001", jumps_hold(mode, 0),
	      "%s-mode: no filter, all but branches not taken are recorded",
	      rt_mode_name[mode]);
	for (type = 0; type < TYPES; type++)
		if (filters[type].name)
			test_filter(mode, &filters[type]);
	for (n = 0; n < 64; n++) {
		mix = mix * 6364136223846793005ULL + 1442695040888963407ULL;
		wrong += !jumps_hold(mode, mix >> 13 & CTL_FILTERS);
	}
	CHECK("CTR-BEH-002", !wrong, "%s-mode: 64 mixtures of filters (wrong: %u)",
	      rt_mode_name[mode], wrong);
}

/* Each filter's place is 32 plus the TYPE that it keeps out. */
static void test_places(void)
{
	unsigned int type, wrong = 0;

	for (type = 0; type < TYPES; type++)
		if (filters[type].name)
			wrong += filters[type].bit != BIT64(32 + type) ||
				 !jumps_hold(MODE_S, BIT64(32 + type));
	CHECK("CTR-CTL-027", !wrong,
	      "filter bit 32 + TYPE acts on that TYPE (wrong: %u)", wrong);
}

/* Whatever has been recorded so far, TYPE 0, 6 and 7 are not among it. */
static void test_types(void)
{
	unsigned int x, wrong = 0, type;

	if (!CTR_TYPE_KNOWN) {
		tap_skip("CTR-TYPE-003", "no TYPE");
		return;
	}
	ctr_control(CTL_S | CTL_NTBREN, 0);
	ctr_run(MODE_S, ctr_jumps, 0, 0);
	for (x = 0; x < CTR_JUMPS; x++) {
		type = ctr_get(x).data & DATA_TYPE;
		wrong += type == 0 || type == 6 || type == 7;
	}
	CHECK("CTR-TYPE-003", !wrong, "TYPE 0, 6, 7 is recorded for nothing");
}

/* Bits of a mode other than the current one let nothing in. */
static void test_modes(enum rt_mode mode)
{
	u64 all = CTL_M | CTL_S | CTL_U;
	struct ctr_model t;

	if (mode >= MODE_VS)
		model_start(&t, all & ~CTL_M, (CTL_S | CTL_U) & ~mode_bit[mode]);
	else
		model_start(&t, all & ~CTL_M & ~mode_bit[mode], CTL_S | CTL_U);
	ctr_control(t.m, t.vs);
	ctr_run(mode, ctr_jumps, 0, 0);
	CHECK("CTR-BEH-001", !ctr_valid() && !(csr_read(CSR_SCTRSTATUS) & 0xff),
	      "%s-mode: nothing recorded while only others are enabled",
	      rt_mode_name[mode]);
}

static const char *const mode_rule[MODES] = {
	"CTR-CTL-008", "CTR-CTL-007", "CTR-CTL-006", "CTR-CTL-034", "CTR-CTL-033",
};

void test_main(void)
{
	unsigned int rd;
	int m;

	ctr_init();
	ctr_control(CTL_S, 0);
	for (rd = 0; rd < 32; rd++)
		test_jalr(rd);
	test_jal();
	test_branches();
	test_compressed();
	test_cbranches();
	test_events();
	for (m = MODE_M; m < (rt_has_h() ? MODES : MODE_VS); m++) {
		CHECK(mode_rule[m], jumps_hold(m, 0),
		      "%s-mode: its bit enables recording", rt_mode_name[m]);
		test_filters(m);
		test_modes(m);
	}
	test_places();
	test_types();
}
