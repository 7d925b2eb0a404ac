/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For modules built outside the kernel tree: included before everything else,
 * so that the driver's own files need not know. In the kernel tree this
 * directory does not exist.
 *
 * The kernel does not export all that a PMU driver needs. What is missing is
 * looked up when the module is loaded, before its own initialisation.
 */
#ifndef _DRIVERS_PERF_RISCV_COMPAT_H
#define _DRIVERS_PERF_RISCV_COMPAT_H

/* printk.h is included here, too early for the files to choose this. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>
#include <linux/perf_event.h>

/**
 * struct compat_symbols - functions that the kernel does not export
 * @overflow: perf_event_overflow()
 * @sample_took: perf_sample_event_took()
 */
struct compat_symbols {
	typeof(&perf_event_overflow) overflow;
	typeof(&perf_sample_event_took) sample_took;
};

extern struct compat_symbols compat_symbols;

int compat_resolve(void);

#define perf_event_overflow(event, data, regs) \
	compat_symbols.overflow(event, data, regs)
#define perf_sample_event_took(ns) compat_symbols.sample_took(ns)

#undef module_init
#define module_init(initfn)						\
	static int __init compat_init(void)				\
	{								\
		return compat_resolve() ?: initfn();			\
	}								\
	int init_module(void) __copy(compat_init)			\
		__attribute__((alias("compat_init")));			\
	___ADDRESSABLE(init_module, __initdata)

#endif /* _DRIVERS_PERF_RISCV_COMPAT_H */
