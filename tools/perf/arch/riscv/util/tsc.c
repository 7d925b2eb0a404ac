// SPDX-License-Identifier: GPL-2.0-only
/*
 * RISC-V: the clock that perf's time is made of.
 */
#include <linux/types.h>

#include "../../../util/tsc.h"

/**
 * rdtsc() - read the time CSR
 *
 * Return: what it says, in ticks.
 */
u64 rdtsc(void)
{
	u64 time;

#if __riscv_xlen == 64
	asm volatile("rdtime %0" : "=r" (time));
#else
	u32 high, low, again;

	do {
		asm volatile("rdtimeh %0\n\trdtime %1\n\trdtimeh %2"
			     : "=&r" (high), "=&r" (low), "=&r" (again));
	} while (high != again);
	time = (u64)high << 32 | low;
#endif
	return time;
}
