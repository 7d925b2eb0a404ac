/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What tests of counters that overflowed before there was Sscofpmf have in common: registers
 * with a bit for each counter, and an interrupt of the vendor's own.
 */
#ifndef RT_VENDOR_H
#define RT_VENDOR_H

#include "hpm.h"

/* Bits of a register that has one for each counter, and none for time */
#define VENDOR_COUNTERS		0xfffffffdUL

/* More than all that runs besides the function under test retires */
#define VENDOR_SLACK		1000

/* Counters that exist, the fixed ones included */
u32 vendor_present(void);

/*
 * Let a counter run from a value while a function loops n times in U-mode: some 2 * n
 * instructions, in all modes, and as many cycles or more.
 */
void vendor_run(unsigned int i, u64 from, unsigned long n);

/* Let it wrap, or stay just below. */
void vendor_wrap(unsigned int i);
void vendor_almost_wrap(unsigned int i);

/* Give mip some time to follow: a bit of it */
int vendor_mip(unsigned int irq);

/* A register that software can write: all bits at once, none, each alone; what is wrong */
u32 vendor_layout(u32 csr);

/* Modes that have access to a register, as bits 1 << mode */
u32 vendor_modes(u32 csr);

/* Take what is pending and enabled in a mode; the number of traps, in rt_log */
u32 vendor_let_in(enum rt_mode mode);
int vendor_took(unsigned long code, enum rt_mode to);

#endif /* RT_VENDOR_H */
