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
#include <linux/tracepoint.h>
#include <trace/events/sched.h>

/* The kernel's header has no words for these two. */
#define PERF_BR_RISCV_EXCEPTION	PERF_BR_NEW_ARCH_1
#define PERF_BR_RISCV_SWAP	PERF_BR_NEW_ARCH_2

/**
 * struct compat_symbols - functions that the kernel does not export
 * @overflow: perf_event_overflow()
 * @account: perf_event_account_interrupt()
 * @sample_took: perf_sample_event_took()
 * @sched_cb_inc: perf_sched_cb_inc()
 * @sched_cb_dec: perf_sched_cb_dec()
 * @resched: perf_pmu_resched(), or NULL: without it who has lost a counter waits for another
 *	until its task is switched
 * @exec: the tracepoint sched_process_exec
 */
struct compat_symbols {
	int (*overflow)(struct perf_event *event, struct perf_sample_data *data,
			struct pt_regs *regs);
	int (*account)(struct perf_event *event);
	void (*sample_took)(u64 ns);
	void (*sched_cb_inc)(struct pmu *pmu);
	void (*sched_cb_dec)(struct pmu *pmu);
	void (*resched)(struct pmu *pmu);
	struct tracepoint *exec;
};

extern struct compat_symbols compat_symbols;

#define perf_event_overflow(event, data, regs) \
	compat_symbols.overflow(event, data, regs)
#define perf_event_account_interrupt(event) compat_symbols.account(event)
#define perf_sample_event_took(ns) compat_symbols.sample_took(ns)
#define perf_sched_cb_inc(pmu) compat_symbols.sched_cb_inc(pmu)
#define perf_sched_cb_dec(pmu) compat_symbols.sched_cb_dec(pmu)
#define perf_pmu_resched(pmu) \
	(compat_symbols.resched ? compat_symbols.resched(pmu) : (void)0)
#define register_trace_sched_process_exec(probe, data) \
	tracepoint_probe_register(compat_symbols.exec, probe, data)
#define unregister_trace_sched_process_exec(probe, data) \
	tracepoint_probe_unregister(compat_symbols.exec, probe, data)

/* By its type: older kernels do not tell whether a PMU could be unregistered. */
static inline int compat_unregister(struct pmu *pmu)
{
	return __builtin_choose_expr(__same_type(perf_pmu_unregister(pmu), int),
				     perf_pmu_unregister(pmu), (perf_pmu_unregister(pmu), 0));
}

#define perf_pmu_unregister(pmu) compat_unregister(pmu)

/* The driver's own initialisation, which comes second. */
extern const initcall_t compat_driver_init;

#undef module_init
#define module_init(initfn) \
	const initcall_t compat_driver_init __initconst = initfn

#endif /* _DRIVERS_PERF_RISCV_COMPAT_H */
