/* SPDX-License-Identifier: GPL-2.0-only */
/* Capabilities of CPUs: those that all have in common, and whether a CPU has them. */
#ifndef _DRIVERS_PERF_RISCV_CAPS_H
#define _DRIVERS_PERF_RISCV_CAPS_H

#include <linux/string.h>

/**
 * caps_hold() - does a CPU have all the common capabilities?
 * @all: the common capabilities
 * @one: the capabilities of the CPU
 * @narrow: void narrow(all, one) removes from @all what @one lacks; only it knows
 *	the members
 *
 * Return: whether nothing has to be removed.
 */
#define caps_hold(all, one, narrow)					\
({									\
	typeof(all) _all = all;						\
	typeof(*_all) _both;						\
									\
	/* Copy the padding too. */					\
	memcpy(&_both, _all, sizeof(_both));				\
	narrow(&_both, one);						\
	!memcmp(&_both, _all, sizeof(_both));				\
})

#endif /* _DRIVERS_PERF_RISCV_CAPS_H */
