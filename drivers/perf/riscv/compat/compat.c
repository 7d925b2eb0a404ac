// SPDX-License-Identifier: GPL-2.0-only
/*
 * Find functions that the kernel does not export.
 *
 * A kprobe is placed by name, and knows its address. The first instructions of
 * a function belong to ftrace, where a kprobe would go through ftrace and may
 * be refused; so it is placed just behind them, and the distance taken off.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kprobes.h>
#include <linux/string.h>

/* auipc and jalr, to which ftrace turns the start of a function. */
#define FTRACE_SITE_SIZE	8

struct compat_symbols compat_symbols __ro_after_init;

static int __init compat_find(const char *name, void **address)
{
	struct kprobe probe = {
		.symbol_name	= name,
		.offset		= FTRACE_SITE_SIZE,
		.flags		= KPROBE_FLAG_DISABLED,
	};
	int ret;

	ret = register_kprobe(&probe);
	if (ret)
		return ret;
	*address = (void *)probe.addr - FTRACE_SITE_SIZE;
	unregister_kprobe(&probe);
	return 0;
}

static void * __init compat_resolve(const char *name)
{
	void *address = NULL;
	int ret = compat_find(name, &address);

	if (ret)
		pr_err("this kernel does not let modules find %s (%d)\n",
		       name, ret);
	return address;
}

static void __init compat_match_exec(struct tracepoint *tp, void *found)
{
	if (!strcmp(tp->name, "sched_process_exec"))
		*(struct tracepoint **)found = tp;
}

static int __init compat_resolve_all(void)
{
	compat_symbols.overflow = compat_resolve("perf_event_overflow");
	if (!compat_symbols.overflow)
		return -ENOENT;
	compat_symbols.account = compat_resolve("perf_event_account_interrupt");
	if (!compat_symbols.account)
		return -ENOENT;
	compat_symbols.sample_took = compat_resolve("perf_sample_event_took");
	if (!compat_symbols.sample_took)
		return -ENOENT;
	compat_symbols.sched_cb_inc = compat_resolve("perf_sched_cb_inc");
	if (!compat_symbols.sched_cb_inc)
		return -ENOENT;
	compat_symbols.sched_cb_dec = compat_resolve("perf_sched_cb_dec");
	if (!compat_symbols.sched_cb_dec)
		return -ENOENT;
	compat_find("perf_pmu_resched", (void **)&compat_symbols.resched);
	for_each_kernel_tracepoint(compat_match_exec, &compat_symbols.exec);
	if (!compat_symbols.exec) {
		pr_err("this kernel has no tracepoint sched_process_exec\n");
		return -ENOENT;
	}
	return 0;
}

/* What module_init() would make of a function. */
int __init init_module(void)
{
	int ret = compat_resolve_all();

	return ret ?: compat_driver_init();
}
