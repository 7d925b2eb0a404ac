/* SPDX-License-Identifier: GPL-2.0-only */
/* How a driver says what a machine lacks for it. */
#ifndef _DRIVERS_PERF_RISCV_LACKS_H
#define _DRIVERS_PERF_RISCV_LACKS_H

#include <linux/kconfig.h>
#include <linux/printk.h>

/**
 * pr_lacks() - log that this machine lacks what the driver is for
 * @...: a format string, with "\n" at its end, and its arguments
 *
 * Who loads a module wants to know. A part of the kernel is on every machine, where it is no
 * fault that some lack what it is for: there this is a message for debugging. What is broken
 * is an error in both, see pr_err().
 */
#define pr_lacks(...)							\
do {									\
	if (__is_defined(MODULE))					\
		pr_err(__VA_ARGS__);					\
	else								\
		pr_debug(__VA_ARGS__);					\
} while (0)

#endif /* _DRIVERS_PERF_RISCV_LACKS_H */
