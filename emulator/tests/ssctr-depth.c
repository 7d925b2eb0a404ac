// SPDX-License-Identifier: GPL-2.0-only
/*
 * Smctr/Ssctr: sctrdepth, sctrstatus, and how records go through the buffer, at
 * every depth that there is.
 *
 * profile: ctr ctr-min ctr-some ctr-rv32
 */
#include "ctr.h"
#include "tap.h"

#define CODES 5		/* 16 to 256 */

/* A value of its own for each entry; that 0 says nothing is marked by V. */
static unsigned long mark(unsigned int physical)
{
	return 0x1000 + (physical << 4);
}

/* Fill all physical entries: with WRPTR 0 logical X is physical -X-1. */
static void mark_all(void)
{
	unsigned int x;

	csr_write(CSR_SCTRSTATUS, STATUS_FROZEN);
	for (x = 0; x < ctr_core.depth; x++)
		ctr_put(x, mark(ctr_core.depth - x - 1) | SOURCE_V,
			mark(ctr_core.depth - x - 1) + 2, 0);
}

static unsigned int wrptr(void)
{
	return csr_read(CSR_SCTRSTATUS) & STATUS_WRPTR;
}

static void test_codes(void)
{
	unsigned int code, got, unlisted = 0, stray = 0, wpri = 0;

	for (code = 0; code < 8; code++) {
		csr_put(MODE_S, CSR_SCTRDEPTH, code);
		got = csr_get(MODE_S, CSR_SCTRDEPTH);
		unlisted += got >= CODES;
		stray += !(ctr_core.depths >> got & 1);
		csr_put(MODE_S, CSR_SCTRDEPTH, ~7UL | got);
		wpri += csr_get(MODE_S, CSR_SCTRDEPTH) != got;
	}
	CHECK("CTR-DEPTH-001", !wpri,
	      "sctrdepth[31:3] is 0 after ones (wrong: %u)", wpri);
	CHECK("CTR-DEPTH-002", !unlisted && !(ctr_core.depths >> CODES),
	      "DEPTH 5, 6, 7 never read back");
	CHECK("CTR-DEPTH-003", !stray, "what reads back is one that there is");
	for (code = 0; code < CODES; code++)
		if (ctr_core.depths >> code & 1)
			CHECK("CTR-DEPTH-002", ctr_set_depth(code) == code,
			      "DEPTH %u holds", code);
}

/* Far more records than fit: what is left is the youngest, in order. */
static void test_fill(void)
{
	unsigned int n = 2 * ctr_core.depth + 5, x, wrong = 0;
	struct ctr_xfer t = { 0, 0, TYPE_DIRJMP };
	struct ctr_entry e;

	ctr_control(CTL_S, 0);
	ctr_run(MODE_S, ctr_hops, n, 0);
	ctr_control(0, 0);
	for (x = 1; x < ctr_core.depth; x++) {
		e = ctr_get(x);
		t.src = CTR_HOP(x - 1);
		t.dst = t.src + 8;
		wrong += !ctr_is(&e, &t);
		LOOK();
	}
	CHECK("CTR-BEH-005", !wrong,
	      "depth %u: the record x before the last is entry x (wrong: %u)",
	      ctr_core.depth, wrong);
	CHECK("CTR-GEN-003", ctr_valid() == ctr_core.depth,
	      "depth %u: so many records are kept", ctr_core.depth);
	CHECK("CTR-STAT-004", wrptr() == (n + 2) % ctr_core.depth,
	      "depth %u: WRPTR has wrapped", ctr_core.depth);
}

/* One too many, and not one too few */
static void test_lost(void)
{
	unsigned int d = ctr_core.depth;
	struct ctr_entry e;

	ctr_control(CTL_S, 0);
	ctr_run(MODE_S, ctr_hops, d - 2, 0);
	e = ctr_get(d - 1);
	CHECK("CTR-DEPTH-004", e.source == ((unsigned long)ctr_hops_in | SOURCE_V),
	      "depth %u: after %u records the first is entry %u", d, d, d - 1);
	CHECK("CTR-STAT-004", wrptr() == 0, "depth %u: WRPTR is 0 again", d);
	ctr_run(MODE_S, ctr_hops, d - 1, 0);
	e = ctr_get(d - 1);
	CHECK("CTR-BEH-006", e.source == (CTR_HOP(d - 2) | SOURCE_V),
	      "depth %u: after %u records the first is lost", d, d + 1);
	ctr_control(0, 0);
}

static void test_beyond(void)
{
	unsigned int x, wrong = 0;
	struct ctr_entry e;

	if (ctr_core.depth == 256)
		return;
	for (x = ctr_core.depth; x < 256; x++) {
		e = ctr_get(x);
		wrong += e.source || e.target || e.data;
		ctr_put(x, ~0UL, ~0UL, ~0UL);
		e = ctr_get(x);
		wrong += e.source || e.target || e.data;
		LOOK();
	}
	CHECK("CTR-DEPTH-005", !wrong,
	      "depth %u: entries beyond are 0 and stay so (wrong: %u)",
	      ctr_core.depth, wrong);
}

static void test_wrptr(void)
{
	unsigned int v, wrong = 0, upper = 0;

	for (v = 0; v < 256; v++) {
		csr_write(CSR_SCTRSTATUS, STATUS_FROZEN | v);
		wrong += (wrptr() ^ v) & (ctr_core.depth - 1);
		upper |= wrptr() & ~(ctr_core.depth - 1);
	}
	CHECK("CTR-STAT-003", !wrong, "depth %u: WRPTR holds what fits",
	      ctr_core.depth);
	CHECK("CTR-STAT-006", !upper, "depth %u: its upper bits are 0",
	      ctr_core.depth);
}

static void test_logical(void)
{
	unsigned int d = ctr_core.depth, w, x, wrong = 0, shift = 0;
	struct ctr_entry e;

	mark_all();
	for (w = 0; w < d; w += 1 + d / 32) {
		csr_write(CSR_SCTRSTATUS, STATUS_FROZEN | w);
		for (x = 0; x < d; x++) {
			e = ctr_get(x);
			wrong += e.source != (mark((w - x - 1) & (d - 1)) |
					      SOURCE_V);
			shift += (e.target & ~TARGET_MISP) !=
				 mark((w - x - 1) & (d - 1)) + 2;
		}
	}
	CHECK("CTR-STAT-010", !wrong,
	      "depth %u: entry X is at WRPTR-X-1 (wrong: %u)", d, wrong);
	CHECK("CTR-STAT-011", !wrong && !shift,
	      "depth %u: WRPTR moves the numbers, not the data", d);
}

/* Two records starting at any WRPTR: there and at the next, nowhere else */
static void test_physical(void)
{
	unsigned int d = ctr_core.depth, w, x, wrong = 0, moved = 0;
	struct ctr_entry e;

	ctr_control(CTL_S, 0);
	for (w = 0; w < d; w += 1 + d / 32) {
		mark_all();
		csr_write(CSR_SCTRSTATUS, STATUS_FROZEN | w);
		ctr_run_on(MODE_S, ctr_hops, 0, 0);
		moved += wrptr() != ((w + 2) & (d - 1));
		csr_write(CSR_SCTRSTATUS, STATUS_FROZEN);
		for (x = 0; x < d; x++) {
			unsigned int p = d - x - 1;

			LOOK();
			e = ctr_get(x);
			if (p == w)
				wrong += e.source !=
				    ((unsigned long)ctr_hops_in | SOURCE_V);
			else if (p == ((w + 1) & (d - 1)))
				wrong += e.source !=
				    ((unsigned long)ctr_hops_end | SOURCE_V);
			else
				wrong += e.source != (mark(p) | SOURCE_V);
		}
	}
	ctr_control(0, 0);
	CHECK("CTR-GEN-005", !wrong,
	      "depth %u: records go to WRPTR and the next (wrong: %u)", d, wrong);
	CHECK("CTR-GEN-005", !moved, "depth %u: WRPTR is two further", d);
}

/*
 * After a change of depth everything may be anything legal. Undefined bits
 * are not, nor a pointer out of the buffer.
 */
static void test_change(unsigned int from, unsigned int to)
{
	unsigned int x, type, wrong = 0;
	struct ctr_entry e;

	ctr_set_depth(from);
	for (x = 0; x < ctr_core.depth; x++)
		ctr_put(x, ~0UL, ~0UL, ~0UL);
	csr_write(CSR_SCTRSTATUS, STATUS_FROZEN | STATUS_WRPTR);
	ctr_set_depth(to);
	CHECK("CTR-STAT-007", wrptr() < ctr_core.depth &&
	      !(csr_read(CSR_SCTRSTATUS) & ~(STATUS_FROZEN | STATUS_WRPTR)),
	      "depth %u to %u: WRPTR is legal", 16 << from, 16 << to);
	for (x = 0; x < ctr_core.depth; x++) {
		e = ctr_get(x);
		LOOK();
		type = e.data & DATA_TYPE;
		wrong += (e.data & ~ctr_core.data) || type == 6 || type == 7 ||
			 (e.target & ~ctr_core.target);
	}
	CHECK("CTR-DEPTH-006", !wrong,
	      "depth %u to %u: entries are legal (wrong: %u)", 16 << from,
	      16 << to, wrong);
}

static void test_status(void)
{
	u32 v;

	csr_write(CSR_SCTRSTATUS, ~0UL);
	v = csr_read(CSR_SCTRSTATUS);
	CHECK("CTR-STAT-001", csr_read(CSR_SCTRSTATUS) ==
	      (STATUS_FROZEN | (ctr_core.depth - 1)),
	      "ones: FROZEN and WRPTR, at most 32 bits (%x)", v);
	CHECK("CTR-STAT-009", !(v & 0x7fffff00), "undefined bits read 0");
	csr_write(CSR_SCTRSTATUS, 0);
	CHECK("CTR-STAT-001", csr_read(CSR_SCTRSTATUS) == 0, "zeros");
	csr_put(MODE_S, CSR_SCTRSTATUS, STATUS_FROZEN | 5);
	CHECK("CTR-STAT-001", csr_get(MODE_S, CSR_SCTRSTATUS) ==
	      (STATUS_FROZEN | 5), "S-mode has it too");
	csr_cause(MODE_S, OP_CLEAR, CSR_SCTRSTATUS, STATUS_FROZEN);
	CHECK("CTR-STAT-008", csr_read(CSR_SCTRSTATUS) == 5,
	      "software clears FROZEN");
	csr_cause(MODE_S, OP_SET, CSR_SCTRSTATUS, STATUS_FROZEN);
	CHECK("CTR-STAT-008", csr_read(CSR_SCTRSTATUS) == (STATUS_FROZEN | 5),
	      "software sets FROZEN");
}

/* rt_call() does not clear FROZEN, as ctr_run() does. */
static void test_frozen(void)
{
	int m;

	ctr_empty();
	ctr_control(CTL_M | CTL_S | CTL_U | CTL_NTBREN, CTL_S | CTL_U);
	for (m = MODE_M; m < (rt_has_h() ? MODES : MODE_VS); m++)
		rt_call(m, ctr_jumps, 0, 0);
	ctr_control(0, 0);
	CHECK("CTR-STAT-008", csr_read(CSR_SCTRSTATUS) == STATUS_FROZEN,
	      "FROZEN: WRPTR does not move, all modes being enabled");
	CHECK("CTR-BEH-003", ctr_run_length() == 0 && !ctr_valid(),
	      "FROZEN: nothing is recorded");
	ctr_control(CTL_S, 0);
	ctr_run(MODE_S, ctr_jumps, 0, 0);
	CHECK("CTR-BEH-003", ctr_run_length() == CTR_JUMPS,
	      "FROZEN=0: all that qualifies is");
	ctr_control(0, 0);
}

/* In a mode that is not enabled, or with FROZEN=1, hardware keeps off. */
static void test_inactive(void)
{
	csr_write(CSR_SCTRSTATUS, STATUS_FROZEN | 9);
	ctr_control(CTL_U, CTL_S | CTL_U);
	ctr_run_on(MODE_S, ctr_jumps, 0, 0);
	ctr_control(0, 0);
	CHECK("CTR-STAT-002", ctr_seen.status_end == 9,
	      "sctrstatus stays in a mode that is not enabled");
	ctr_control(CTL_S, 0);
	csr_write(CSR_SCTRSTATUS, STATUS_FROZEN | 9);
	ctr_run_on(MODE_S, ctr_jumps, 0, 0);
	ctr_control(0, 0);
	CHECK("CTR-STAT-002", ctr_seen.status_end ==
	      ((9 + CTR_JUMPS) & (ctr_core.depth - 1)),
	      "and counts records in one that is");
}

void test_main(void)
{
	unsigned int code, first = 0, last = 0;

	ctr_init();
	test_codes();
	for (code = 0; code < CODES; code++) {
		if (!(ctr_core.depths >> code & 1))
			continue;
		if (!(ctr_core.depths & (BIT(code) - 1)))
			first = code;
		last = code;
		ctr_set_depth(code);
		ctr_empty();
		test_fill();
		test_lost();
		test_beyond();
		test_wrptr();
		test_logical();
		test_physical();
		test_status();
	}
	if (last == CODES - 1 && first == last)
		tap_skip("CTR-DEPTH-005", "no depth but 256");
	if (first != last) {
		test_change(first, last);
		test_change(last, first);
	} else {
		tap_skip("CTR-DEPTH-006", "one depth only");
		tap_skip("CTR-STAT-007", "one depth only");
	}
	ctr_set_depth(last);
	test_frozen();
	test_inactive();
}
