// SPDX-License-Identifier: GPL-2.0-only
/*
 * Elements of vectors, by events of the emulator's core: each function executes vector
 * instructions of which it is known how many elements they compute, of which width, and
 * how many of these the mask lets through. Only U-mode is counted.
 *
 * profile: uarch-vector
 */
#include "measure.h"

#define MSTATUS_FS	(3UL << 13)
#define MSTATUS_VS	(3UL << 9)
#define VECTOR_BITS	128

/* mhpmevent[55:0]; of both the standard's order: all, INT, 8 to 64, FP, 16 to 64 */
enum {
	ARITH = 0x6f,
	UNMASKED = 0x100, ALL = 0x10a, KINDS = ALL - UNMASKED,
};

enum width { INT8 = 2, INT16, INT32, INT64, FP = 6, FP16, FP32, FP64 };

rt_fn add8, add16, add32, add64, fadd16, fadd32, fadd64;
rt_fn masked8, masked16, masked32, masked_many, overwrites, carries, merges, merges_fp;
rt_fn starts, starts_late, none, whole, scalar, scalar_fp, scalar_late, scalar_none;
rt_fn widens, narrows, converts8, converts16, converts32, reduces, of_masks, others, due;

/*
 * The mask, by bytes: 0, 4 and 8 are the only ones of the first 16, then come eight in the
 * second doubleword, and the last of all.
 */
static unsigned char memory[VECTOR_BITS / 8] __attribute__((aligned(64))) = {
	[0] = 0x11, [1] = 0x01, [8] = 0xff, [15] = 0x80,
};

struct vectors {
	const char *name;
	rt_fn *fn;
	enum width width;
	unsigned int insns, all, unmasked;
};

static int counts(const struct vectors *v, int first, unsigned int n)
{
	int events[KINDS + 1];
	unsigned int i, good = 1;

	for (i = 0; i < KINDS; i++)
		events[i] = first + (int)i;
	events[KINDS] = ARITH;
	measure(MODE_U, v->fn, (unsigned long)memory, 0, events, ARRAY_SIZE(events));
	for (i = 0; i < KINDS; i++) {
		int of = i == 0 || i == v->width || i == (v->width < FP ? 1 : FP);

		if (count[i] == (of ? n : 0))
			continue;
		NOTE("%s: %llx of %x", v->name, count[i], (unsigned int)events[i]);
		good = 0;
	}
	return good && count[KINDS] == v->insns;
}

static void test_elements(void)
{
	static const struct vectors elements[] = {
		{ "no elements", none, INT8, 2, 0, 0 },
		{ "vstart", starts, INT8, 2, 26, 13 + 2 },
		{ "vstart behind vl", starts_late, INT8, 1, 0, 0 },
		{ "whole registers", whole, INT16, 2, 40, 40 },
		{ "scalar moves", scalar, INT8, 2, 2, 2 },
		{ "FP scalar moves", scalar_fp, FP32, 2, 2, 2 },
		{ "scalar moves, and vstart", scalar_late, INT32, 2, 1, 1 },
		{ "a scalar move, and vl 0", scalar_none, INT8, 1, 1, 1 },
		{ "reduction", reduces, INT8, 1, 16, 16 },
		{ "masks", of_masks, INT8, 2, 32, 32 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(elements); i++)
		CHECK("UAR-130", counts(&elements[i], ALL, elements[i].all),
		      "%s: elements of each kind", elements[i].name);
}

static void test_masks(void)
{
	static const struct vectors masks[] = {
		{ "INT8", masked8, INT8, 1, 16, 3 },
		{ "INT16", masked16, INT16, 1, 8, 2 },
		{ "FP32", masked32, FP32, 1, 4, 1 },
		{ "eight registers", masked_many, INT8, 1, 128, 3 + 8 + 1 },
		{ "the mask is overwritten", overwrites, INT8, 2, 32, 16 + 3 },
		{ "carry", carries, INT8, 5, 80, 80 },
		{ "merge", merges, INT32, 2, 8, 8 },
		{ "FP merge", merges_fp, FP32, 1, 4, 4 },
		{ "vstart", starts, INT8, 2, 26, 13 + 2 },
		{ "a scalar move, and vl 0", scalar_none, INT8, 1, 1, 1 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(masks); i++)
		CHECK("UAR-131", counts(&masks[i], ALL, masks[i].all) &&
		      counts(&masks[i], UNMASKED, masks[i].unmasked),
		      "%s: elements that are not masked off", masks[i].name);
}

static void test_widths(void)
{
	static const struct vectors widths[] = {
		{ "INT8", add8, INT8, 3, 48, 48 },
		{ "INT16", add16, INT16, 1, 8, 8 },
		{ "INT32", add32, INT32, 1, 4, 4 },
		{ "INT64", add64, INT64, 1, 2, 2 },
		{ "FP16", fadd16, FP16, 1, 7, 7 },
		{ "FP32", fadd32, FP32, 1, 3, 3 },
		{ "FP64", fadd64, FP64, 1, 2, 2 },
		{ "widening", widens, INT16, 1, 4, 4 },
		{ "narrowing", narrows, INT16, 1, 4, 4 },
		{ "FP16 from and to INT8", converts8, FP16, 2, 10, 10 },
		{ "FP32 from and to INT16", converts16, FP32, 2, 6, 6 },
		{ "FP32 to and from INT64", converts32, FP32, 4, 8, 8 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(widths); i++)
		CHECK("UAR-132", counts(&widths[i], ALL, widths[i].all) &&
		      counts(&widths[i], UNMASKED, widths[i].unmasked),
		      "%s: elements by their width", widths[i].name);
}

static void test_none(void)
{
	static const struct vectors nothing = { "others", others, INT8, 0, 0, 0 };
	unsigned long cause;

	CHECK("UAR-133", counts(&nothing, ALL, 0) && counts(&nothing, UNMASKED, 0),
	      "loads, stores and configuration have no elements");
	hpm_start(COUNTER_FIRST, ALL | ONLY_U, 0);
	hpm_start(COUNTER_FIRST + 1, UNMASKED | ONLY_U, 0);
	csr_clear(CSR_MSTATUS, MSTATUS_VS);
	cause = rt_try(MODE_U, add8, (unsigned long)memory, 0).cause;
	csr_set(CSR_MSTATUS, MSTATUS_VS);
	counters_stop_all();
	CHECK("UAR-133", cause == CAUSE_ILLEGAL && !counter_get(COUNTER_FIRST) &&
	      !counter_get(COUNTER_FIRST + 1), "what traps has none");
}

/* Five to go: the first instruction does it, and eleven of its elements are over. */
static void test_overflow(void)
{
	extern char due_at[];
	unsigned long epc;

	rt_log.n = 0;
	lcofi_clear();
	csr_set(CSR_MIE, LCOFI);
	hpm_start(COUNTER_FIRST, ALL | ONLY_U, (u64)-5);
	rt_call(MODE_U, due, (unsigned long)memory, 0);
	counters_stop_all();
	epc = lcofi_epc(MODE_M);
	csr_clear(CSR_MIE, LCOFI);
	CHECK("UAR-134", counter_get(COUNTER_FIRST) == 3 * 16 - 5, "it goes on from what is left");
	CHECK("UAR-134", epc == (unsigned long)due_at,
	      "the trap comes behind the instruction by which it is due (%lx)", epc);
}

void test_main(void)
{
	counters_stop_all();
	csr_set(CSR_MSTATUS, MSTATUS_FS | MSTATUS_VS);
	test_elements();
	test_masks();
	test_widths();
	test_none();
	test_overflow();
}
