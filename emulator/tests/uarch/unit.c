// SPDX-License-Identifier: GPL-2.0-only
/*
 * The emulator's microarchitecture model by itself: its parts, and what must
 * hold of any stream of instructions.
 */
#include <stdio.h>

#include "qemu/osdep.h"
#include "uarch_filter.h"
#include "uarch_pipe.h"
#include "uarch_shared.h"

static int checks, failures;

static void check(int ok, const char *what)
{
	checks++;
	failures += !ok;
	printf("%sok %d - unit: %s\n", ok ? "" : "not ", checks, what);
}

static const UarchParams params = {
	.line = 64, .l1i_size = 4096, .l1i_ways = 2, .l1d_size = 1024, .l1d_ways = 4,
	.ll_size = 8192, .ll_ways = 8, .itlb_size = 8, .itlb_ways = 2, .dtlb_size = 8,
	.dtlb_ways = 8, .lltlb_size = 32, .lltlb_ways = 4, .bimodal = 64, .btb = 16,
	.ras = 4, .width = 3, .window = 16, .refill = 5, .bubble = 1,
	.l1d_latency = 3, .ll_latency = 14, .mem_latency = 100, .device_latency = 50,
	.hitm_latency = 40,
	.lltlb_latency = 4, .walk_latency = 40, .mul_latency = 3, .div_latency = 20,
	.fp_latency = 4, .fdiv_latency = 20, .rvv_latency = 6,
};

static UarchModel m;

static uint32_t random32(void)
{
	static uint64_t x = 88172645463325252ULL;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return x >> 16;
}

/* The same, with each access looked up */
static UarchModel plain;

static uint64_t touch(uint64_t pa)
{
	UarchAccess a = { .valid = true, .pa = pa };

	return uarch_data(&m, &a);
}

/* Against a list of lines in the order of their use, kept the slow way */
static void test_lru(void)
{
	uint64_t used[4][4] = { { 0 } };
	int wrong = 0;

	uarch_model_reset(&m);
	for (int n = 0; n < 20000; n++) {
		uint64_t line = 1 + random32() % 24;
		uint64_t *set = used[line % 4];
		int at = 0;

		while (at < 3 && set[at] != line)
			at++;
		wrong += (set[at] == line) != !!(touch(line * 64 + 8) & HPM_L1DHIT);
		for (; at > 0; at--)
			set[at] = set[at - 1];
		set[0] = line;
	}
	check(!wrong, "L1D is LRU");
}

static void test_levels(void)
{
	uarch_model_reset(&m);
	check((touch(0) & HPM_LLMISS) && (touch(0) & HPM_L1DHIT), "a miss, then a hit");
	for (int i = 1; i <= 4; i++)
		touch(i * 4 * 64);
	check(!!(touch(0) & HPM_LLHIT), "what left L1D is in the last level");
}

/* Every branch and jump offset, encoded here */
static void test_offsets(void)
{
	int wrong = 0;

	for (int32_t o = -4096; o < 4096; o += 2) {
		uint32_t op = 0x63 | (uint32_t)(o >> 12 & 1) << 31 | (o >> 11 & 1) << 7 |
			      (o >> 5 & 63) << 25 | (o >> 1 & 15) << 8;

		wrong += uarch_operands(op, HPM_BRANCH, false).offset != o;
	}
	check(!wrong, "offsets of branches");
	for (int32_t o = -(1 << 20); o < 1 << 20; o += 2) {
		uint32_t op = 0x6f | (uint32_t)(o >> 20 & 1) << 31 | (o >> 12 & 255) << 12 |
			      (o >> 11 & 1) << 20 | (uint32_t)(o >> 1 & 1023) << 21;

		wrong += uarch_jump_offset(op) != o;
	}
	check(!wrong, "offsets of JAL");
	for (int32_t o = -256; o < 256; o += 2) {
		uint32_t op = 0xc001 | (o >> 8 & 1) << 12 | (o >> 3 & 3) << 10 |
			      (o >> 6 & 3) << 5 | (o >> 1 & 3) << 3 | (o >> 5 & 1) << 2;

		wrong += uarch_operands(op, HPM_BRANCH, false).offset != o;
	}
	check(!wrong, "offsets of C.BEQZ");
	for (int32_t o = -2048; o < 2048; o += 2) {
		uint32_t op = 0xa001 | (o >> 11 & 1) << 12 | (o >> 4 & 1) << 11 |
			      (o >> 8 & 3) << 9 | (o >> 10 & 1) << 8 | (o >> 6 & 1) << 7 |
			      (o >> 7 & 1) << 6 | (o >> 1 & 7) << 3 | (o >> 5 & 1) << 2;

		wrong += uarch_jump_offset(op) != o;
	}
	check(!wrong, "offsets of C.J");
}

static int operands_are(uint32_t op, int dst, int a, int b, UarchClass kind)
{
	UarchOperands o = uarch_operands(op, hpm_insn_attrs(op, false, false), false);

	return o.dst == dst && o.src[0] == a && o.src[1] == b && o.kind == kind;
}

static void test_operands(void)
{
	check(operands_are(0x00c5f533, 10, 11, 12, UARCH_ALU), "and a0, a1, a2");
	check(operands_are(0x02c5d533, 10, 11, 12, UARCH_DIV), "divu a0, a1, a2");
	check(operands_are(0x02c58533, 10, 11, 12, UARCH_MUL), "mul a0, a1, a2");
	check(operands_are(0x00c5b423, 0, 11, 12, UARCH_MEMORY), "sd a2, 8(a1)");
	check(operands_are(0x0045a00f, 0, 11, 0, UARCH_MEMORY), "cbo.zero (a1)");
	check(operands_are(0x0025a00f, 0, 0, 0, UARCH_SERIALIZING), "cbo.flush (a1)");
	check(operands_are(0x0085b507, 32 + 10, 11, 0, UARCH_MEMORY), "fld fa0, 8(a1)");
	check(operands_are(0x02c5f553, 32 + 10, 32 + 11, 32 + 12, UARCH_FP),
	      "fadd.d fa0, fa1, fa2");
	check(operands_are(0xa2c5a553, 10, 32 + 11, 32 + 12, UARCH_FP), "feq.d a0, fa1, fa2");
	check(operands_are(0x300595f3, 11, 11, 0, UARCH_SERIALIZING), "csrrw a1, mstatus, a1");
	check(operands_are(0x8d71, 10, 10, 12, UARCH_ALU), "c.and a0, a2");
	check(operands_are(0x6588, 10, 11, 0, UARCH_MEMORY), "c.ld a0, 8(a1)");
	check(operands_are(0xe42a, 0, 2, 10, UARCH_MEMORY), "c.sdsp a0, 8(sp)");
	check(operands_are(0x852e, 10, 11, 0, UARCH_ALU), "c.mv a0, a1");
}

/* Instructions that would be there if one looked */
static bool fetch(void *opaque, UarchInsn *insn)
{
	insn->opcode = 0x00150513;	/* addi a0, a0, 1 */
	insn->len = 4;
	insn->attrs = HPM_INSN | HPM_INT;
	return true;
}

/* What is so in each cycle, one by one: how much of the window is used, and which of these */
enum { OUTSTANDING = 1, WALKED = 2, OFFERED = 4, DISPATCHED = 8 };

#define CYCLES_MAX (1 << 25)

static uint8_t seen[CYCLES_MAX];
static int8_t used[CYCLES_MAX];		/* more than in the cycle before */

static void see(uint64_t begin, uint64_t end, uint8_t what)
{
	for (uint64_t c = begin; c < end; c++)
		seen[c % CYCLES_MAX] |= what;
}

/* It waits until it is dispatched, and is in the window then until it retires, or is flushed. */
static void see_stages(const UarchInsn *insn)
{
	uint64_t dispatch = insn->cycle + insn->dispatch, end = insn->cycle + insn->total;

	if (!(insn->stages & UARCH_DISPATCHED)) {
		see(insn->cycle + 1, end, OFFERED);
		return;
	}
	see(insn->cycle + 1, dispatch, OFFERED);
	see(dispatch, dispatch + 1, DISPATCHED);
	used[dispatch % CYCLES_MAX]++;
	used[end % CYCLES_MAX]--;
}

static uint64_t seen_cycles(uint64_t last, uint8_t mask, uint8_t what)
{
	uint64_t n = 0;

	for (uint64_t c = 0; c < last; c++)
		n += (seen[c] & mask) == what;
	return n;
}

static uint64_t crowded_cycles(uint64_t last)
{
	uint64_t n = 0;
	uint32_t now = 0;

	for (uint64_t c = 0; c < last; c++) {
		now += used[c];
		n += 4 * now > 3 * m.p.window;
	}
	return n;
}

static uint64_t flushed, bad_flushed;

static void decoded(void *opaque, UarchInsn *insn)
{
	see_stages(insn);
	flushed++;
	bad_flushed += !insn->flushed || insn->stages & UARCH_OLDEST ||
		       insn->dispatch + insn->issue + insn->execution > insn->total;
}

/* A mix of instructions, with every miss that there is, or of loads that wait for each other */
static UarchInsn random_insn(uint64_t pc, bool chains)
{
	static const uint32_t loads[] = { 0x0005b583, 0x00158593, 0x0003b283 };
	static const uint32_t mix[] = {
		0x00c5f533, 0x02c5d533, 0x02c58533, 0x00c5b423, 0x0085b507, 0x02c5f553,
		0x00053503, 0x0005b583, 0xfea61ee3, 0x00a5b023, 0x00053603, 0x0ff0000f,
	};
	UarchInsn insn = {
		.pc = pc, .next_pc = pc + 4, .len = 4,
		.opcode = chains ? loads[random32() % ARRAY_SIZE(loads)] :
				   mix[random32() % ARRAY_SIZE(mix)],
	};
	UarchAccess a = { .valid = true, .pa = random32() % 512 * 8,
			  .page = random32() % 2 ? random32() % (chains ? 200 : 20) + 1 : 0 };

	insn.attrs = hpm_insn_attrs(insn.opcode, false, false);
	if (insn.attrs & HPM_BRANCH)
		insn.attrs |= random32() % 2 ? HPM_TAKEN : HPM_NOT_TAKEN;
	insn.trapped = random32() % (chains ? 5000 : 50) == 0;
	if ((insn.attrs & (HPM_LOAD | HPM_STORE)) && !insn.trapped) {
		insn.attrs |= uarch_data(&m, &a);
		insn.data_walk = m.walk_cycles;
		insn.has_addr = true;
		insn.has_pa = true;
		insn.addr = a.pa;
		insn.pa = a.pa;
	}
	a = (UarchAccess) { .pa = pc % 65536, .page = pc >> 10 };
	if (uarch_enters_line(&m, pc))
		insn.attrs |= uarch_fetch(&m, pc, &a);
	insn.code_walk = m.walk_cycles;
	insn.operands = uarch_operands(insn.opcode, insn.attrs, false);
	return insn;
}

static void test_pipeline(bool chains)
{
	UarchStream stream = { .fetch = fetch, .decoded = decoded };
	uint64_t cycles = 0, slots = 0, retired = 0, order = 0, latencies = 0, last = 0;
	uint64_t oldest = 0, pc = 0, misses = 0, merges = 0, walks = 0, stalls = 0, crowded = 0;

	memset(seen, 0, sizeof(seen));
	memset(used, 0, sizeof(used));
	flushed = 0;
	bad_flushed = 0;
	uarch_model_reset(&m);
	for (int i = 0; i < 200000; i++, pc += 4) {
		UarchInsn insn = random_insn(pc, chains);
		UarchPrediction pred = { 0 };
		bool branch = insn.attrs & HPM_BRANCH && !insn.trapped;
		UarchAmounts n = { { 0 } };
		uint64_t front = m.pipe.front, decode = m.pipe.decode, ready, end;
		UarchQuantity cause;

		if (branch)
			uarch_predict(&m, insn.attrs, pc, pc + 4, pc - 4, -4, &pred);
		ready = uarch_operands_ready(&m.pipe, &insn.operands, &cause);
		uarch_time(&m, &insn, branch ? &pred : NULL, false, &stream, &n);
		if (pred.wrong)
			uarch_wrong_path(&m, &insn, &pred, false, &stream, &n);
		end = insn.cycle + insn.total;
		order += end < last;
		latencies += insn.dispatch + insn.issue + insn.execution >= insn.total ||
			     insn.stages != 15;
		oldest += insn.oldest != end - MAX(last, insn.cycle);
		last = end;
		cycles += n.n[UARCH_CYCLES];
		misses += n.n[UARCH_L1D_MISS_CYCLES];
		merges += !!(insn.attrs & HPM_MERGED);
		if ((insn.attrs & HPM_LOAD) && (insn.attrs & HPM_L1DMISS) && !insn.trapped) {
			end = insn.cycle + insn.dispatch + insn.issue;
			see(end, end + insn.execution, OUTSTANDING);
		}
		see_stages(&insn);
		/* Behind a load that was flushed the front end has begun anew. */
		front = MAX(n.n[UARCH_ROLLBACKS] ? m.pipe.front : front, decode);
		if (insn.attrs & HPM_ITLLMISS)
			see(front, front + 40, WALKED);
		ready = MAX(ready, insn.cycle + insn.dispatch + 1);
		if (insn.attrs & HPM_LLTLBMISS)
			see(ready, ready + 40, WALKED);
		walks += n.n[UARCH_WALK_CYCLES];
		stalls += n.n[UARCH_STALLS];
		crowded += n.n[UARCH_CROWDED];
		retired += !insn.trapped;
		retired -= n.n[UARCH_RETIRING];
		for (int q = UARCH_RETIRING; q < UARCH_QUANTITY_COUNT; q++)
			slots += n.n[q];
		if (random32() % (chains ? 10000 : 1000) == 0)
			uarch_interrupted(&m);
	}
	check(!order, "instructions retire in order");
	check(!latencies, "PDIS-LAT-016 latencies: the parts are less than the total");
	check(!oldest, "PDIS-LAT-015 oldest: since the one before retired");
	check(cycles == last, "cycles add up to the last retirement");
	check(last < CYCLES_MAX && misses == seen_cycles(last, OUTSTANDING, OUTSTANDING),
	      "EVT-034 cycles of misses are those in which one is outstanding");
	check(walks > 10000 && walks == seen_cycles(last, WALKED, WALKED),
	      "cycles of walks are those in which one is under way");
	if (chains)
		return;
	check(stalls > 100000 && stalls == seen_cycles(last, OFFERED | DISPATCHED, OFFERED),
	      "nothing is dispatched in just these cycles, and something is decoded");
	check(crowded > 10000 && crowded == crowded_cycles(last),
	      "more than three quarters of the window are in use in just these cycles");
	check(merges > 100, "EVT-025 accesses merge with misses");
	check(!retired, "a slot is retiring for each instruction that retires");
	check(slots == m.pipe.last_slot + 1, "slots add up, none is counted twice");
	check(flushed > 1000 && !bad_flushed, "flushed instructions: latencies end with the flush");
}

static bool same_cache(const UarchCache *a, const UarchCache *b)
{
	return !memcmp(a->tags, b->tags, sizeof(*a->tags) * a->entries);
}

/* Addresses near each other in a few pages, as programs have them */
static uint64_t random_address(void)
{
	static uint64_t near;

	if (random32() % 4 == 0)
		near = (uint64_t)(random32() % 24) << 12 | random32() % 4096;
	return near + random32() % 96;
}

/* Each page is somewhere, another one in each space; one is a device, one has parts. */
static UarchAccess translate(uint64_t va, int space, bool store)
{
	uint64_t page = va >> 12;

	return (UarchAccess) {
		.valid = true, .store = store, .device = page % 24 == 5,
		.partial = page % 24 == 7, .page = (uint64_t)space << 52 | page,
		.pa = ((page * 7 + space * 5) % 32) << 12 | (va & 4095),
	};
}

/* Tables are where data is; of 16 pages and 16 pages every other time one is large. */
static void walk_page(void *opaque, uint64_t page, UarchWalk *walk)
{
	walk->n = 3;
	for (int i = 0; i < 3; i++)
		walk->pte[i] = (page << 12 >> (9 * (2 - i)) >> 9) % (8 << 12);
	walk->page_bits = page / 16 % 2 ? 16 : 12;
}

static uint64_t shortcuts, differences;

static void looked_up(UarchFilter *f, uint64_t va, int space, bool store, int mmu_idx)
{
	UarchAccess a = translate(va, space, store), found;
	uint64_t attrs = uarch_data(&plain, &a);

	if (uarch_filter_find(f->data_place, va, store, mmu_idx, &found))
		differences += found.pa != a.pa || found.page != a.page || a.device || a.partial;
	differences += uarch_filter_data(f, &m, va, mmu_idx, &a) != attrs;
	uarch_forget_traffic(&m);
}

static void filtered_data(UarchFilter *f, int space, int mmu_idx)
{
	uint64_t va = random_address(), end, attrs;
	bool store = random32() % 3 == 0;
	uint32_t size = 1u << random32() % 4;
	UarchAccess a = translate(va, space, store);

	end = va + size - 1;
	if (va / m.p.line != end / m.p.line) {
		differences += uarch_filter_same(f, va, size, store, mmu_idx);
		looked_up(f, va, space, store, mmu_idx);
		looked_up(f, end & -(uint64_t)m.p.line, space, store, mmu_idx);
	} else if (uarch_filter_same(f, va, size, store, mmu_idx)) {
		attrs = uarch_data(&plain, &a);
		shortcuts++;
		differences += attrs != (HPM_L1DHIT | (a.page ? HPM_L1DTLBHIT : 0));
	} else {
		looked_up(f, va, space, store, mmu_idx);
	}
}

static void filtered_fetch(UarchFilter *f, int space, int mmu_idx)
{
	uint64_t pc = random_address(), attrs;
	UarchAccess a = translate(pc, space, false);

	attrs = uarch_fetch(&plain, pc, &a);
	if (uarch_filter_same_code(f, pc, mmu_idx)) {
		shortcuts++;
		differences += !!(attrs & (HPM_ICMISS | HPM_ITMISS));
		return;
	}
	differences += uarch_filter_fetch(f, &m, pc, mmu_idx, &a) != attrs;
}

/* What translated code leaves out must be what changes nothing. */
static void test_filter(uint32_t line, uint32_t l1d_ways, uint32_t dtlb_ways, uint32_t prefetch,
			uint32_t superpages, uint32_t walk_loads)
{
	UarchParams p = params;
	struct UarchShared *shared[2];
	static UarchFilter f;
	int space = 1;
	char what[100];

	p.line = line;
	p.l1d_ways = l1d_ways;
	p.dtlb_ways = dtlb_ways;
	p.prefetch = prefetch;
	p.superpages = superpages;
	p.walk_loads = walk_loads;
	for (int i = 0; i < 2; i++)
		shared[i] = uarch_shared_new(&p);
	uarch_model_init(&m, &p, shared[0]);
	uarch_model_init(&plain, &p, shared[1]);
	m.walk_page = walk_page;
	plain.walk_page = walk_page;
	uarch_filter_init(&f, &m);
	shortcuts = 0;
	differences = 0;
	for (int n = 0; n < 200000; n++) {
		int mmu_idx = random32() % 50 ? 1 : 2;

		if (random32() % 4)
			filtered_data(&f, space, mmu_idx);
		else
			filtered_fetch(&f, space, mmu_idx);
		differences += !same_cache(&m.l1d, &plain.l1d);
		if (random32() % 500 == 0) {
			space = random32() % 3 + 1;
			uarch_filter_clear(&f);
		}
		if (random32() % 5000 == 0) {
			uarch_flush_tlbs(&m);
			uarch_flush_tlbs(&plain);
			uarch_filter_clear(&f);
		}
	}
	snprintf(what, sizeof(what),
		 "what is left out changes nothing: line %u, %u, %u ways, prefetch %u%s%s",
		 line, l1d_ways, dtlb_ways, prefetch, superpages ? ", superpages" : "",
		 walk_loads ? ", walks" : "");
	check(!differences && shortcuts > 20000 &&
	      same_cache(&m.l1i, &plain.l1i) && same_cache(&shared[0]->ll, &shared[1]->ll) &&
	      same_cache(&m.dtlb, &plain.dtlb) && same_cache(&m.itlb, &plain.itlb) &&
	      same_cache(&m.lltlb, &plain.lltlb), what);
	uarch_model_free(&m);
	uarch_model_free(&plain);
	for (int i = 0; i < 2; i++)
		uarch_shared_free(shared[i]);
}

static UarchInsn plain_insn(uint64_t pc)
{
	static const UarchClass kinds[] = { UARCH_ALU, UARCH_ALU, UARCH_MUL, UARCH_DIV, UARCH_FP };
	UarchInsn insn = { .pc = pc, .next_pc = pc + 4, .len = 4, .opcode = 3, .attrs = HPM_INSN };
	uint32_t what = random32() % 8;

	insn.operands = (UarchOperands) {
		.kind = what < 4 ? kinds[random32() % 5] : what == 7 ? UARCH_ALU : UARCH_MEMORY,
		.src = { random32() % 32, random32() % 32 }, .dst = random32() % 8,
		.size = 1u << random32() % 4,
	};
	insn.attrs |= what < 4 ? 0 : what == 7 ? HPM_BRANCH : what == 6 ? HPM_STORE : HPM_LOAD;
	if (insn.attrs & HPM_BRANCH)
		insn.attrs |= random32() % 2 ? HPM_TAKEN : HPM_NOT_TAKEN;
	return insn;
}

/* What the caches of one model say of an instruction is true of both. */
static void plain_access(UarchInsn *insn)
{
	UarchAccess a = {
		.valid = true, .pa = random32() % 16384, .store = !!(insn->attrs & HPM_STORE),
	};

	if (random32() % 8 == 0)
		insn->attrs |= uarch_fetch(&m, insn->pc, &a);
	if (insn->attrs & (HPM_LOAD | HPM_STORE)) {
		a.page = 1 + random32() % 64;
		insn->attrs |= uarch_data(&m, &a);
		insn->data_walk = m.walk_cycles;
		insn->has_pa = true;
		insn->pa = a.pa;
	}
}

#define OF_CYCLES (1ULL << UARCH_CYCLES | 1ULL << UARCH_L1D_MISS_CYCLES | \
		   1ULL << UARCH_WALK_CYCLES)

/*
 * The quick way through the pipeline is as long, and adds to the same; and there is a limit.
 * With @turns, one model counts only half of the time, and the same then.
 */
static void test_plain(uint64_t counted, bool turns)
{
	struct UarchShared *shared[2] = { uarch_shared_new(&params), uarch_shared_new(&params) };
	uint64_t most = uarch_most_cycles(&params);
	int differences = 0, over = 0, quick = 0;

	uarch_model_init(&m, &params, shared[0]);
	uarch_model_init(&plain, &params, shared[1]);
	m.watched = false;
	plain.watched = false;
	m.counted = counted;
	plain.counted = counted;
	for (int i = 0; i < 100000; i++) {
		UarchInsn insn = plain_insn(random32() % 512 * 4), same;
		UarchPrediction p = { .wrong = random32() % 4 == 0 };
		UarchPrediction *pred = insn.attrs & HPM_BRANCH ? &p : NULL;
		UarchAmounts n = {}, other = {};
		uint64_t before = plain.pipe.retire;

		plain.counted = turns && i / 1000 % 2 ? 0 : counted;
		plain_access(&insn);
		same = insn;
		if (random32() % 8) {
			uarch_time_plain(&plain, &same, pred, false, NULL, &other);
			uarch_add(&other, UARCH_CYCLES, plain.pipe.retire - before);
			quick++;
		} else {
			uarch_time(&plain, &same, pred, false, NULL, &other);
		}
		uarch_forget_traffic(&m);
		uarch_time(&m, &insn, pred, false, NULL, &n);
		for (int q = 0; q < UARCH_QUANTITY_COUNT; q++)
			differences += (plain.counted >> q & 1) &&
				       uarch_amount(&n, q) != uarch_amount(&other, q);
		differences += m.pipe.retire != plain.pipe.retire || insn.attrs != same.attrs;
		over += uarch_amount(&n, UARCH_CYCLES) > most ||
			uarch_amount(&n, UARCH_L1D_MISS_CYCLES) > most ||
			uarch_amount(&n, UARCH_WALK_CYCLES) > most;
	}
	check(!differences && quick > 80000, turns ?
	      "slots are the same, though they were not counted before" : counted & UARCH_SLOTS ?
	      "a plain instruction is as any other, slots counted" :
	      "a plain instruction is as any other");
	check(!over, "no instruction adds more than it can");
	uarch_model_free(&m);
	uarch_model_free(&plain);
	for (int i = 0; i < 2; i++)
		uarch_shared_free(shared[i]);
}

/* As many misses apart from each other as there can be */
static void test_chains(void)
{
	UarchParams wide = params;
	UarchShared *shared;

	wide.width = 8;
	wide.window = UARCH_WINDOW_MAX;
	shared = uarch_shared_new(&wide);
	check(!uarch_model_check(&wide), "parameters of a wide core");
	uarch_model_init(&m, &wide, shared);
	test_pipeline(true);
	uarch_model_free(&m);
	uarch_shared_free(shared);
}

int main(void)
{
	UarchShared *shared = uarch_shared_new(&params);

	check(!uarch_model_check(&params), "parameters");
	uarch_model_init(&m, &params, shared);
	test_lru();
	test_levels();
	test_offsets();
	test_operands();
	test_pipeline(false);
	uarch_model_free(&m);
	uarch_shared_free(shared);
	test_chains();
	test_filter(64, 4, 8, 0, 0, 0);
	test_filter(64, 1, 2, 0, 0, 0);
	test_filter(16, 2, 1, 0, 0, 0);
	test_filter(64, 4, 8, 1, 0, 0);
	test_filter(64, 4, 8, 2, 0, 0);
	test_filter(16, 2, 8, 3, 0, 0);
	test_filter(64, 4, 2, 0, 1, 0);
	test_filter(64, 2, 2, 0, 0, 1);
	test_filter(64, 2, 1, 3, 1, 1);
	test_plain(OF_CYCLES, false);
	test_plain(OF_CYCLES | UARCH_SLOTS, false);
	test_plain(OF_CYCLES | UARCH_SLOTS, true);
	printf("1..%d\n", checks);
	return failures != 0;
}
