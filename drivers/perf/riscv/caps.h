/* SPDX-License-Identifier: GPL-2.0-only */
/* What CPUs can do: while a PMU comes up what all of them can, then a CPU is asked. */
#ifndef _DRIVERS_PERF_RISCV_CAPS_H
#define _DRIVERS_PERF_RISCV_CAPS_H

#include <linux/string.h>

/**
 * caps_hold() - can one what all can?
 * @all: what all can
 * @one: what one can
 * @narrow: void narrow(all, one) takes from @all what @one cannot, and is the only one to
 *	know what there is
 *
 * Return: whether nothing has to be taken.
 */
#define caps_hold(all, one, narrow)					\
({									\
	typeof(all) _all = all;						\
	typeof(*_all) _both;						\
									\
	/* As it is, with what is between the members. */		\
	memcpy(&_both, _all, sizeof(_both));				\
	narrow(&_both, one);						\
	!memcmp(&_both, _all, sizeof(_both));				\
})

#endif /* _DRIVERS_PERF_RISCV_CAPS_H */
