/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For modules built outside the kernel tree, and included before all else: printk_deferred(),
 * which the kernel does not export.
 */
#ifndef _DRIVERS_PERF_RISCV_PRINTK_H
#define _DRIVERS_PERF_RISCV_PRINTK_H

/* printk.h is included here, too early for the files and what else is included to choose this. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/printk.h>
#include <linux/stdarg.h>

#ifdef CONFIG_PRINTK
static __maybe_unused __printf(1, 2) int compat_printk_deferred(const char *fmt, ...)
{
	va_list args;
	int ret;

	va_start(args, fmt);
	ret = vprintk_emit(0, LOGLEVEL_SCHED, NULL, fmt, args);
	va_end(args);
	return ret;
}

#define _printk_deferred(...) compat_printk_deferred(__VA_ARGS__)
#endif

#endif /* _DRIVERS_PERF_RISCV_PRINTK_H */
