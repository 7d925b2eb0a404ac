// SPDX-License-Identifier: GPL-2.0-only
/*
 * Smpdis/Sspdis: records of instructions that are known: header, addresses,
 * latencies, time; in memory and in the data registers.
 *
 * profile: pdis pdis-memory pdis-regs pdis-min pdis-noh pdis-rv32
 */
#include "page.h"
#include "pdis.h"
#include "indirect.h"
#include "tap.h"

static int last_mode(void)
{
	return rt_has_h() ? MODE_VU : MODE_U;
}

/* Words of the last record as they are, and the record */
static unsigned long words[2 * PDIS_WORDS];

static int sample_raw(const struct pdis_probe *p, u64 ctl, struct pdis_record *r)
{
	unsigned int n;
	int there = probe_sample(p, MODE_S, ctl, r);

	for (n = 0; n < ARRAY_SIZE(words); n++)
		words[n] = pmb_mem[n];
	if (pdis_to_registers() && !(ctl & PDIS_MEM))
		pdis_data(MODE_M, words);
	return there;
}

/* In which word each field begins; the rest is WPRI. */
enum {
	AT_HDR,
	AT_PC = __riscv_xlen == 64 ? 1 : 2,
	AT_TIME,
	AT_LAT,
	AT_ADR1 = __riscv_xlen == 64 ? 4 : 6,
	AT_ADR2,
	AT_WPRI,
};

/* Where the highest bits are, those of which latencies are valid */
#define AT_VALID	(AT_ADR1 - 1)

/* The same load twice: with all that can be asked for, and with nothing */
static void test_words(u64 ctl, const char *rule, const char *where)
{
	const struct pdis_probe *p = pdis_probe("lw");
	u64 ts = csr_exists(CSR_TIME) ? pdis_core.ctl & PDIS_TS : 0;
	u64 pa = ctl & PDIS_PA, asked = ctl & PDIS_TS ? ts : 0;
	unsigned long from = 0, to = 0, adr = PLATFORM_PDIS_ADR ? probe_arg(p) : 0;
	struct pdis_record r;
	unsigned int n, wpri = 0;

	counteren_set(~0U, ~0U);
	if (asked)
		from = csr_read(CSR_TIME);
	sample_raw(p, ctl, &r);
	if (asked)
		to = csr_read(CSR_TIME);
	counteren_set(0, 0);
	CHECK(rule, (words[AT_HDR] & HDR_TYPE) == TYPE_LOAD &&
	      !((words[AT_HDR] & ~HDR_TYPE) << (__riscv_xlen - 32)),
	      "%s: pdishdrev: %lx", where, words[AT_HDR]);
	CHECK(rule, words[AT_PC] == probe_pc(p), "%s: pdispc: %lx", where,
	      words[AT_PC]);
	CHECK(rule, asked ? words[AT_TIME] - from <= to - from && words[AT_TIME] :
	      !words[AT_TIME], "%s: pdistime: %lx, from %lx to %lx", where,
	      words[AT_TIME], from, to);
	CHECK(rule, words[AT_LAT] & LAT_MAX && words[AT_VALID] >>
	      (__riscv_xlen - 4) == PLATFORM_PDIS_LATS, "%s: pdislat: %lx %lx",
	      where, words[AT_LAT], words[AT_VALID]);
	CHECK(rule, words[AT_ADR1] == adr, "%s: pdisadr1: %lx", where,
	      words[AT_ADR1]);
	CHECK(rule, words[AT_ADR2] == (pa ? adr : 0), "%s: pdisadr2: %lx", where,
	      words[AT_ADR2]);
	for (n = AT_WPRI; n < ARRAY_SIZE(words); n++)
		wpri |= !!words[n] << n;
	if (ctl & PDIS_MEM || !pdis_to_registers())
		CHECK(rule, !wpri, "%s: nothing else (%x)", where, wpri);
}

static void test_layout(u64 ctl, const char *rule, const char *where)
{
	test_words(ctl, rule, where);
	test_words(ctl | (pdis_core.ctl & (PDIS_TS | PDIS_PA)), rule, where);
}

static void test_size(void)
{
	struct pdis_record r;
	unsigned int n, more = 0;

	CHECK("PDIS-REC-001", sample_raw(pdis_probe("lw"), PDIS_MEM, &r),
	      "a record");
	for (n = PDIS_WORDS; n < ARRAY_SIZE(words); n++)
		more |= !!words[n];
	CHECK("PDIS-REC-001", !more, "of %u bytes", (u32)PDIS_RECORD);
}

static void test_layouts(void)
{
	if (pdis_to_memory()) {
		test_size();
		test_layout(PDIS_MEM, __riscv_xlen == 64 ? "PDIS-REC-002" :
			    "PDIS-REC-003", "memory");
	}
	if (pdis_to_registers())
		test_layout(0, __riscv_xlen == 64 ? "PDIS-IND-001" :
			    "PDIS-IND-004", "registers");
	if (pdis_to_registers() && __riscv_xlen == 32)
		CHECK("PDIS-IND-005", words[AT_ADR1] == probe_arg(pdis_probe("lw")),
		      "pdisadr1 is sireg of 0x61: %lx", words[AT_ADR1]);
}

static void test_header(const struct pdis_probe *p, const struct pdis_record *r)
{
	static const char *const wpri_rule[] = {
		"PDIS-HDR-014", "PDIS-LDST-006", "PDIS-LDST-006",
		"PDIS-LDST-006", "PDIS-CTI-004",
	};
	static const u64 wpri[] = {
		HDR_TYPED, HDR_LDST_WPRI, HDR_LDST_WPRI, HDR_LDST_WPRI,
		HDR_CTI_WPRI,
	};

	CHECK(p->type == TYPE_CTI ? "PDIS-HDR-001,PDIS-HDR-003" :
	      "PDIS-HDR-001,PDIS-HDR-002", (r->hdr & HDR_TYPE) == p->type,
	      "%s: TYPE is %u (%llx)", p->name, p->type, r->hdr);
	CHECK("PDIS-REC-005,PDIS-HDR-015,PDIS-HDR-016", !(r->hdr & HDR_FORMAT),
	      "%s: FMT and SFMT are 0 (%llx)", p->name, r->hdr);
	CHECK("PDIS-HDR-005", !(r->hdr & HDR_FLUSHED), "%s: not flushed", p->name);
	CHECK("PDIS-HDR-007", !HDR_FLUSH(r->hdr), "%s: FLUSH is 0", p->name);
	CHECK("PDIS-CTL-035", !(r->hdr & HDR_HPM), "%s: no HPM bit was asked for",
	      p->name);
	CHECK(wpri_rule[p->type], !(r->hdr & wpri[p->type]),
	      "%s: WPRI bits are 0 (%llx)", p->name, r->hdr);
	CHECK("PDIS-HDR-018", !(r->hdr & (HDR_HPM | wpri[p->type])),
	      "%s: what is not populated is 0", p->name);
	if (p->type == TYPE_CTI)
		CHECK("PDIS-CTI-014", !(r->hdr & 0x1fULL << 53),
		      "%s: and those above MISPRED", p->name);
	if (p->type != TYPE_LDST)
		CHECK("PDIS-HDR-008", !(r->hdr & HDR_PARTIAL), "%s: not PARTIAL",
		      p->name);
}

/* The types are those of CTR, by its codes and rules. */
#define BY_CTR(rule) rule ",PDIS-CTI-015,PDIS-CTI-018"

/* CTR's code of a transfer is where its bit is, less 36. */
static const char *cti_rule(u64 bit)
{
	static const char *const rules[] = {
		BY_CTR("PDIS-CTI-001"), BY_CTR("PDIS-CTI-002"),
		BY_CTR("PDIS-CTI-003"), 0, 0, BY_CTR("PDIS-CTI-005"),
		BY_CTR("PDIS-CTI-006"), BY_CTR("PDIS-CTI-007"),
		BY_CTR("PDIS-CTI-008"), BY_CTR("PDIS-CTI-009"),
		BY_CTR("PDIS-CTI-010"), BY_CTR("PDIS-CTI-011"),
		BY_CTR("PDIS-CTI-012"),
	};
	unsigned int n = 0;

	while (!(bit >> (39 + n) & 1))
		n++;
	return rules[n];
}

static void test_transfer(const struct pdis_probe *p, const struct pdis_record *r)
{
	u64 bits = r->hdr & HDR_CTI;

	CHECK("PDIS-CTI-016", !(bits & (bits - 1)), "%s: one type (%llx)",
	      p->name, bits);
#ifdef PROFILE_PDIS_MIN
	CHECK("PDIS-CTI-017", !bits && !(r->hdr & HDR_MISPRED),
	      "%s: this core tells no type (%llx)", p->name, r->hdr);
#endif
	if (!bits) {
		tap_skip(cti_rule(p->cti), "its type is not told");
		return;
	}
	CHECK(cti_rule(p->cti), bits == p->cti, "%s is of that type (%llx)",
	      p->name, bits);
}

#define INDIRECT (HDR_INDCALL | HDR_INDJMP | HDR_INDLJMP | HDR_RET | HDR_CORSWAP)

static void test_addresses(const struct pdis_probe *p, const struct pdis_record *r)
{
	int direct = p->type == TYPE_CTI && !(p->cti & INDIRECT);
	const char *rule = p->kind == PROBE_DATA ? "PDIS-ADR-006" :
			   p->cti & INDIRECT ? "PDIS-ADR-007" :
			   direct ? "PDIS-ADR-008" : "PDIS-ADR-001";
	unsigned long want = p->type == TYPE_OTHER ? 0 :
			     p->cti & HDR_NTBR ? probe_pc(p) + 4 : probe_arg(p);

	if (!r->adr1 && want && !direct)
		tap_skip(rule, "not captured");
	else if (p->cti & HDR_NTBR)
		CHECK(rule, !r->adr1 || r->adr1 == want ||
		      r->adr1 == probe_arg(p), "%s: pdisadr1 is %lx", p->name,
		      r->adr1);
	else
		CHECK(rule, r->adr1 == want || (direct && !r->adr1),
		      "%s: pdisadr1 is %lx", p->name, r->adr1);
	CHECK(p->kind == PROBE_DATA ? "PDIS-ADR-014" :
	      p->type == TYPE_CTI ? "PDIS-ADR-016" : "PDIS-ADR-009", !r->adr2,
	      "%s: pdisadr2 is 0 without PA and EPT (%lx)", p->name, r->adr2);
}

static void test_latencies(const struct pdis_probe *p, const struct pdis_record *r)
{
	static const char *const order[] = {
		"PDIS-LAT-001", "PDIS-LAT-002", "PDIS-LAT-003", "PDIS-LAT-004",
		"PDIS-LAT-005",
	};
	u32 total = pdis_lat(r, LAT_TOTAL), sum = 0, there = r->lat >> 60;
	unsigned int n;
	int all = 1;

	CHECK("PDIS-LAT-007", total, "%s: a total of %u", p->name, total);
	CHECK("PDIS-LAT-006", !(there & ~PLATFORM_PDIS_LATS) &&
	      (p->kind == PROBE_TRAP || there == PLATFORM_PDIS_LATS),
	      "%s: valid are %x of %x", p->name, there, PLATFORM_PDIS_LATS);

	for (n = LAT_DISPATCH; n <= LAT_OLDEST; n++) {
		if (!pdis_lat_valid(r, n)) {
			CHECK("PDIS-LAT-008", !pdis_lat(r, n),
			      "%s: latency %u is not valid, and 0", p->name, n);
			all &= n == LAT_OLDEST;
			continue;
		}
		CHECK(order[n], pdis_lat(r, n) <= total,
		      "%s: latency %u is %u of %u", p->name, n, pdis_lat(r, n),
		      total);
		sum += n == LAT_OLDEST ? 0 : pdis_lat(r, n);
	}
	CHECK(all ? "PDIS-LAT-016" : "PDIS-LAT-001", sum <= total,
	      "%s: parts add up to %u of %u", p->name, sum, total);
	if (pdis_lat_valid(r, LAT_OLDEST))
		CHECK("PDIS-LAT-015", pdis_lat(r, LAT_OLDEST) <= total,
		      "%s: is the oldest for part of the time", p->name);
}

static void test_probe(const struct pdis_probe *p, enum rt_mode mode)
{
	struct pdis_record r;

	probe_data[0] = 0;
	mode = probe_mode(p, mode);
	if (!CHECK("PDIS-REC-004", probe_sample(p, mode, 0, &r),
		   "%s in %s-mode: the record tells its PC (%lx, not %lx)",
		   p->name, rt_mode_name[mode], r.pc, probe_pc(p)))
		return;
	if (p->kind == PROBE_TRAP)
		CHECK("PDIS-SEL-008", (r.hdr & (HDR_TYPE | HDR_FLUSHED)) == TYPE_OTHER,
		      "%s traps and is recorded (%llx)", p->name, r.hdr);
	test_header(p, &r);
	if (p->type == TYPE_CTI)
		test_transfer(p, &r);
	test_addresses(p, &r);
	test_latencies(p, &r);
}

static void test_probes(void)
{
	unsigned int i;
	int mode;

	for (mode = MODE_S; mode <= last_mode(); mode++)
		for (i = 0; i < pdis_nprobes; i++)
			test_probe(&pdis_probes[i], mode);
}

/* Once with the data far from any cache, then again */
static void test_misses(void)
{
	const struct pdis_probe *p = pdis_probe("lw");
	unsigned long far = PLATFORM_RAM_SPARE + 0x123440;
	struct pdis_record cold, warm;
	int there;

	there = pdis_sample(MODE_S, 0, PROBE_NTH, p->fn, far, &cold);
	there &= pdis_sample(MODE_S, 0, PROBE_NTH, p->fn, far, &warm);
	if (!there || cold.pc != probe_pc(p) || warm.pc != cold.pc) {
		tap_skip("PDIS-LDST-001", "no sample");
		return;
	}
	CHECK("PDIS-LDST-007", !(warm.hdr & HDR_L1MISS),
	      "a load again hits (%llx)", warm.hdr);
	if (!(cold.hdr & HDR_L1MISS)) {
		tap_skip("PDIS-LDST-001", "memory is always near");
		return;
	}
	CHECK("PDIS-LDST-001", cold.hdr & HDR_L1MISS, "a load from afar misses L1");
	CHECK("PDIS-LDST-002", !(warm.hdr & HDR_LLMISS),
	      "no miss of L1, no miss of the last level");
	CHECK("PDIS-LDST-003", (cold.hdr & HDR_DSRC) != (warm.hdr & HDR_DSRC) ||
	      !(cold.hdr & HDR_DSRC), "DSRC: %llx, %llx",
	      (cold.hdr & HDR_DSRC) >> 41, (warm.hdr & HDR_DSRC) >> 41);
	CHECK("PDIS-LAT-009", pdis_lat(&cold, LAT_TOTAL) >
	      pdis_lat(&warm, LAT_TOTAL), "a miss takes longer: %u, %u",
	      pdis_lat(&cold, LAT_TOTAL), pdis_lat(&warm, LAT_TOTAL));
	if (!pdis_lat_valid(&cold, LAT_EXECUTION))
		return;
	CHECK("PDIS-LAT-014", pdis_lat(&cold, LAT_EXECUTION) >
	      pdis_lat(&warm, LAT_EXECUTION),
	      "EXECUTION has the memory access: %u, %u",
	      pdis_lat(&cold, LAT_EXECUTION), pdis_lat(&warm, LAT_EXECUTION));
}

/* The same for translation */
static void test_tlb_misses(void)
{
	const struct pdis_probe *p = pdis_probe("lw");
	unsigned long high = page_on(PTE_RW | PTE_X, PTE_RW);
	struct pdis_record cold, warm;
	int there;

	if (!high) {
		tap_skip("PDIS-LDST-004", "no translation");
		return;
	}
	there = pdis_sample(MODE_S, 0, PROBE_NTH, p->fn, probe_arg(p) + high, &cold);
	there &= pdis_sample(MODE_S, 0, PROBE_NTH, p->fn, probe_arg(p) + high, &warm);
	page_off();
	if (!there || cold.pc != probe_pc(p) || warm.pc != cold.pc ||
	    !(cold.hdr & HDR_L1TLBMISS)) {
		tap_skip("PDIS-LDST-004", "translation never misses");
		return;
	}
	CHECK("PDIS-LDST-004", !(warm.hdr & HDR_L1TLBMISS),
	      "a load misses the TLB once (%llx, %llx)", cold.hdr, warm.hdr);
	CHECK("PDIS-LDST-005", !(warm.hdr & HDR_LLTLBMISS),
	      "no miss of the first level, no miss of the last");
	if (pdis_lat_valid(&cold, LAT_ISSUE))
		CHECK("PDIS-LAT-012", pdis_lat(&cold, LAT_ISSUE) >
		      pdis_lat(&warm, LAT_ISSUE), "ISSUE has it: %u, %u",
		      pdis_lat(&cold, LAT_ISSUE), pdis_lat(&warm, LAT_ISSUE));
}

static unsigned long now(void)
{
	return csr_read(CSR_TIME);
}

static void check_time(const char *rule, int want, const char *when)
{
	const struct pdis_probe *p = pdis_probe("nop");
	struct pdis_record r;
	unsigned long from = now(), to;
	int there = probe_sample(p, MODE_S, PDIS_TS, &r);

	to = now();
	if (want)
		CHECK(rule, there && r.time - from <= to - from && r.time,
		      "%s: %lx, from %lx to %lx", when, r.time, from, to);
	else
		CHECK(rule, there && !r.time, "%s: no time (%lx)", when, r.time);
}

static void test_time(void)
{
	const struct pdis_probe *p = pdis_probe("nop");
	struct pdis_record r;
	int there;

	if (!csr_exists(CSR_TIME)) {
		tap_skip("PDIS-TIME-001", "no time");
		return;
	}
	counteren_set(~0U, ~0U);
	there = probe_sample(p, MODE_S, 0, &r);
	CHECK("PDIS-TIME-002", there && !r.time, "TS=0: %lx", r.time);
	if (!(pdis_core.ctl & PDIS_TS)) {
		tap_skip("PDIS-TIME-001", "TS is hardwired to 0");
		return;
	}
	pdis_stateen(1, 0);
	check_time("PDIS-TIME-001", 1, "delegated to S-mode");
	check_time("PDIS-TIME-004", 1, "hstateen0.PDIS=0");
	if (__riscv_xlen == 32)
		check_time("PDIS-TIME-006", 1, "the low half");
	counteren_set(~0U & ~BIT(COUNTER_TIME), ~0U);
	check_time("PDIS-TIME-003", 0, "mcounteren[1]=0");
	pdis_stateen(0, 0);
	check_time("PDIS-TIME-001", 1, "M-mode's, mcounteren[1]=0");
	pdis_stateen(1, 1);
	counteren_set(0, 0);
}

/* Not before the instruction before it is over, nor after the next one is */
static void test_time_of_retirement(void)
{
	unsigned long seen[2];
	struct pdis_record r;

	if (!(pdis_core.ctl & PDIS_TS)) {
		tap_skip("PDIS-TIME-005", "TS is hardwired to 0");
		return;
	}
	counteren_set(~0U, ~0U);
	if (pdis_sample(MODE_S, PDIS_TS, PROBE_NTH, pdis_timed,
			(unsigned long)seen, &r) &&
	    r.pc == (unsigned long)pdis_timed + PROBE_AT)
		CHECK("PDIS-TIME-005", r.time - seen[0] <= seen[1] - seen[0],
		      "%lx, from %lx to %lx", r.time, seen[0], seen[1]);
	counteren_set(0, 0);
}

/* A division takes its time, and who needs its result has to wait for that. */
static void test_dependency(void)
{
	struct pdis_record a, b;

	if (!probe_sample(pdis_probe("nop"), MODE_S, 0, &a) ||
	    !probe_sample(pdis_probe("div"), MODE_S, 0, &b))
		return;
	if (pdis_lat_valid(&a, LAT_EXECUTION))
		CHECK("PDIS-LAT-013", pdis_lat(&b, LAT_EXECUTION) >
		      pdis_lat(&a, LAT_EXECUTION), "div executes %u, nop %u",
		      pdis_lat(&b, LAT_EXECUTION), pdis_lat(&a, LAT_EXECUTION));
	CHECK("PDIS-LAT-009", pdis_lat(&b, LAT_TOTAL) > pdis_lat(&a, LAT_TOTAL),
	      "div takes %u in total, nop %u", pdis_lat(&b, LAT_TOTAL),
	      pdis_lat(&a, LAT_TOTAL));
	if (!probe_sample(pdis_probe("independent"), MODE_S, 0, &a) ||
	    !probe_sample(pdis_probe("dependent"), MODE_S, 0, &b))
		return;
	if (pdis_lat_valid(&a, LAT_ISSUE) && pdis_lat_valid(&a, LAT_DISPATCH))
		CHECK("PDIS-LAT-011", pdis_lat(&b, LAT_DISPATCH) +
		      pdis_lat(&b, LAT_ISSUE) > pdis_lat(&a, LAT_DISPATCH) +
		      pdis_lat(&a, LAT_ISSUE), "who needs it waits %u, others %u",
		      pdis_lat(&b, LAT_ISSUE), pdis_lat(&a, LAT_ISSUE));
}

static void test_physical(void)
{
	const struct pdis_probe *p = pdis_probe("sw");
	unsigned long high = page_on(PTE_RW | PTE_X, PTE_RW);
	struct pdis_record r;

	if (!(pdis_core.ctl & PDIS_PA) || !high) {
		tap_skip("PDIS-ADR-012", "no PA");
		page_off();
		return;
	}
	pdis_sample(MODE_S, PDIS_PA, PROBE_NTH, p->fn, probe_arg(p) + high, &r);
	if (r.adr2)
		CHECK("PDIS-ADR-012", r.adr2 == probe_arg(p),
		      "PA: %lx is at %lx", r.adr1, r.adr2);
	else
		tap_skip("PDIS-ADR-012", "not captured");
	if (r.adr1)
		CHECK("PDIS-ADR-006", r.adr1 == probe_arg(p) + high,
		      "pdisadr1 is the virtual address: %lx", r.adr1);
	pdis_sample(MODE_S, 0, PROBE_NTH, p->fn, probe_arg(p) + high, &r);
	CHECK("PDIS-ADR-014", !r.adr2, "PA=0: %lx", r.adr2);
	page_off();
}

/* The SRET by which the probe is entered is not counted, but comes before. */
static void test_prior(void)
{
	const struct pdis_probe *p = pdis_probe("j");
	struct pdis_record r;

	if (!(pdis_core.ctl & PDIS_EPT)) {
		tap_skip("PDIS-ADR-015", "no EPT");
		return;
	}
	if (probe_sample(p, MODE_S, PDIS_EPT, &r) && r.adr2)
		CHECK("PDIS-ADR-015", r.adr2 == (unsigned long)p->fn,
		      "EPT: the transfer before went to %lx", r.adr2);
	else
		tap_skip("PDIS-ADR-015", "not captured");
	pdis_sample(MODE_S, PDIS_EPT | SEL_CTI, 2, p->fn, probe_arg(p), &r);
	if (r.pc == (unsigned long)p->fn + PROBE_END && r.adr2)
		CHECK("PDIS-ADR-015", r.adr2 == (unsigned long)p->fn + PROBE_LAND,
		      "and the next one, to %lx", r.adr2);
	if (probe_sample(pdis_probe("lw"), MODE_S, PDIS_EPT, &r))
		CHECK("PDIS-ADR-014", !r.adr2, "EPT is for transfers: %lx", r.adr2);
}

void test_main(void)
{
	pdis_init();
	test_layouts();
	test_probes();
	test_misses();
	test_tlb_misses();
	test_dependency();
	test_time();
	test_time_of_retirement();
	test_physical();
	test_prior();
}
