// SPDX-License-Identifier: GPL-2.0-only
/*
 * The emulator's hpm-stop-late: counters that go on for a while when they have
 * been stopped, and an overflow that comes while a handler looks for overflows.
 *
 * profile: stop-late
 */
#include "hpm.h"
#include "tap.h"

#ifndef PLATFORM_STOP_LATE
#define PLATFORM_STOP_LATE	0
#endif

#define SCOUNTOVF	"0xda0"
#define MIP		"mip"
#define NOPS		".rept 32\n nop\n .endr\n"

/* Start and stop at once; what is counted is the one that stops, and the rest. */
#define START_STOP	"csrc mcountinhibit, %1\n csrs mcountinhibit, %1\n"

static u64 after_stop(unsigned int i, unsigned long start_again)
{
	unsigned long zero;

	hpm_start(i, INSTRET, 0);
	counter_stop(i);
	__asm__ __volatile__(NOPS : : : "memory");
	counter_set(i, 0);
	__asm__ __volatile__(START_STOP "li %0, 0\n nop\n csrc mcountinhibit, %2\n nop\n"
			     "csrs mcountinhibit, %1\n" NOPS
			     : "=&r"(zero) : "r"(BIT(i)), "r"(start_again) : "memory");
	return counter_get(i);
}

/* By the k-th instruction after the one that stops it */
static void overflow_at(unsigned int i, u32 k)
{
	event_set(i, INSTRET);
	__asm__ __volatile__(NOPS : : : "memory");
	counter_set(i, -(u64)(k + 1));
	lcofi_clear();
}

static int found(unsigned int i, unsigned long seen)
{
	return (seen & BIT(i)) || lcofi_pending();
}

/* LCOFIP is cleared, then scountovf is read. */
static int clear_first(unsigned int i, u32 k)
{
	unsigned long seen;

	overflow_at(i, k);
	__asm__ __volatile__(START_STOP "nop\n csrc " MIP ", %2\n nop\n"
			     "csrr %0, " SCOUNTOVF "\n" NOPS
			     : "=&r"(seen) : "r"(BIT(i)), "r"(LCOFI) : "memory");
	return found(i, seen);
}

static int look_first(unsigned int i, u32 k)
{
	unsigned long seen;

	overflow_at(i, k);
	__asm__ __volatile__(START_STOP "nop\n csrr %0, " SCOUNTOVF "\n nop\n"
			     "csrc " MIP ", %2\n" NOPS
			     : "=&r"(seen) : "r"(BIT(i)), "r"(LCOFI) : "memory");
	return found(i, seen);
}

static void test_race(unsigned int i)
{
	u32 k, none = 0, right = 0, wrong = 0;

	for (k = 1; k <= PLATFORM_STOP_LATE + 3; k++) {
		right |= !clear_first(i, k) << k;
		wrong |= !look_first(i, k) << k;
	}
	for (k = PLATFORM_STOP_LATE + 1; k <= PLATFORM_STOP_LATE + 3; k++)
		none |= BIT(k);
	CHECK("UAR-081", right == none,
	      "LCOFIP cleared, scountovf read: none is lost (%x)", right);
	CHECK("UAR-081", wrong == (none | 3 << 2),
	      "in the other order two are (%x)", wrong);
}

void test_main(void)
{
	unsigned int i = hpm_nth(0);

	counters_stop_all();
	CHECK("UAR-080", after_stop(i, 0) == 1 + PLATFORM_STOP_LATE,
	      "a counter stops %u instructions late", PLATFORM_STOP_LATE);
	CHECK("UAR-080", after_stop(i, BIT(i)) == 6 + PLATFORM_STOP_LATE,
	      "one that is started again in time has not stood still");
	test_race(i);
}
