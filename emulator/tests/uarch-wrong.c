// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is flushed behind a misprediction fetches and loads lines, with uarch-wrong-path.
 * As in uarch-count.c all that is counted follows from the code and the sizes of the
 * emulator's microarchitecture. Only U-mode is counted.
 *
 * profile: uarch uarch-wrong-path
 */
#include "measure.h"

#define LINE		64UL
#define LINES		64UL

/* Without the property nothing of it is to be seen, which is another rule. */
#ifdef PROFILE_UARCH_WRONG_PATH
#define FLUSHED		1
#define SAYS(text)	text
#else
#define FLUSHED		0
#define SAYS(text)	"none of that: " text
#endif

#define RULE(rule)	(FLUSHED ? (rule) : "UAR-113")

/* Far from the image: nothing else is there. */
#define BUFFER		(PLATFORM_RAM_BASE + (4UL << 20))

/* The UART's line, and an address that no machine has */
#define DEVICE		0x10000000UL
#define NOWHERE		(~0UL << 12)

/* mhpmevent[55:0] */
enum {
	INST_LOAD = 0x10, LOAD_MERGED = 0x73,
	MISPRED_BRANCH = 0x81,
	RD_ACCESS = 0x90, RD_MISS, L1I_ACCESS = 0x97, L1I_MISS,
	LOAD_MISSED = 0xba, OP_LOAD = 0x120, OP_LOAD_MISSED = 0x123,
	OP_LDST = 0x139, OP_LDST_MISSED = 0x13c,
};

rt_fn guess, again, nowhere, fetch, leave, read;

/* Where loads may go to; the word behind it points to itself. */
static unsigned long fresh(void)
{
	static unsigned long at = BUFFER;
	unsigned long end;

	at += LINES * LINE;
	end = at;
	at += LINE;
	*(unsigned long *)end = end;
	return end - LINES * LINE;
}

/* The branch is not taken until nobody expects it to be. */
#define SETTLE(fn, end)	MEASURE(fn, (end) - 4 * LINE + 1, end, MISPRED_BRANCH, RD_MISS)

static void test_loads(void)
{
	unsigned long at = fresh(), end = at + LINES * LINE;

	SETTLE(guess, end);
	MEASURE(guess, at, end, RD_ACCESS, RD_MISS, INST_LOAD, LOAD_MISSED);
	CHECK(RULE("EVT-029"), are(LINES + 1 + FLUSHED * LINES / 2, FLUSHED * LINES / 2,
				   LINES + 1, 0),
	      SAYS("loads that are flushed access a cache, and miss, and have not been executed"));
	at = fresh();
	end = at + LINES * LINE;
	SETTLE(guess, end);
	MEASURE(guess, at, end, OP_LOAD, OP_LOAD_MISSED, RD_ACCESS, INST_LOAD);
	CHECK("UAR-136", are(LINES + 1, 0, LINES + 1 + FLUSHED * LINES / 2, LINES + 1),
	      "they are no operations of instructions that retire");
	at = fresh();
	end = at + LINES * LINE;
	SETTLE(guess, end);
	MEASURE(guess, at, end, OP_LDST, OP_LDST_MISSED);
	CHECK("UAR-136", is(LINES + 1, 0), "neither of loads nor of loads and stores");
	/* Behind the last one another one is expected. */
	MEASURE(read, at, end, RD_MISS, RD_ACCESS);
	CHECK(RULE("UAR-110"), is(LINES - FLUSHED * LINES / 2, LINES + FLUSHED),
	      SAYS("what they have loaded is there"));
}

/* The other load of the line is the only one, or comes while it is on its way. */
static void test_merge(void)
{
	unsigned long at = fresh(), end = at + LINES * LINE;

	SETTLE(again, end);
	MEASURE(again, at, end, RD_ACCESS, RD_MISS, LOAD_MISSED, LOAD_MERGED);
	CHECK(RULE("EVT-029"), are(2 * LINES + 1 + FLUSHED * LINES, LINES / 2,
				   !FLUSHED * LINES / 2, FLUSHED * LINES / 2),
	      SAYS("a load waits for the line that a flushed one has asked for"));
}

/* What is not cached is not read, and nothing traps. */
static void test_nowhere(unsigned long at)
{
	unsigned long end = fresh() + LINES * LINE;

	((unsigned long *)end)[1] = at;
	SETTLE(nowhere, end);
	MEASURE(nowhere, end - LINES * LINE, end, RD_ACCESS, RD_MISS, INST_LOAD, MISPRED_BRANCH);
	CHECK(RULE("UAR-111"), is(LINES + 1, 0) && count[2] == LINES + 1 &&
	      count[3] >= LINES / 2,
	      "flushed loads of %lx access no cache", at);
}

static void test_fetch(void)
{
	MEASURE(fetch, 0, 0, L1I_ACCESS, L1I_MISS);
	MEASURE(fetch, 1, 0, L1I_ACCESS, L1I_MISS);
	CHECK(RULE("EVT-029"), is(5 + FLUSHED * 3, 0),
	      SAYS("lines that are flushed are fetched"));
	MEASURE(leave, 0, 0, L1I_ACCESS, L1I_MISS);
	MEASURE(leave, 1, 0, L1I_ACCESS, L1I_MISS);
	CHECK(RULE("UAR-112"), is(4 + FLUSHED * 2, 0),
	      SAYS("and nobody has left the line of the branch"));
}

void test_main(void)
{
	counters_stop_all();
	test_loads();
	test_merge();
	test_nowhere(DEVICE);
	test_nowhere(NOWHERE);
	test_fetch();
}
