/* SPDX-License-Identifier: GPL-2.0-only */
/* What drivers log in ways that the kernel has no words for. */
#ifndef _DRIVERS_PERF_RISCV_MESSAGES_H
#define _DRIVERS_PERF_RISCV_MESSAGES_H

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

/**
 * pr_deferred_err_once() - pr_err_once() for perf's callbacks
 * @fmt: a format string, with "\n" at its end
 * @...: its arguments
 *
 * perf adds, starts and stops events with the lock of the run queue held. Consoles are not
 * called there, since they may wake up tasks.
 */
#define pr_deferred_err_once(fmt, ...)					\
	printk_deferred_once(						\
		KERN_ERR pr_fmt(fmt), ##__VA_ARGS__)

#endif /* _DRIVERS_PERF_RISCV_MESSAGES_H */
