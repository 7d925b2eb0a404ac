// SPDX-License-Identifier: GPL-2.0-only
/*
 * The driver of the counters as a module, beside a kernel that has one of its own. What is
 * part of a kernel has hpm_builtin.c instead.
 *
 * Kernels do not tell a PMU that a task begins another program: a tracepoint does. In a kernel
 * tree a callback of perf core takes its place. For why it is needed, see ctr_exec().
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/device.h>
#include <linux/errno.h>
#include <linux/init.h>
#include <linux/irqflags.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/perf/riscv_pmu.h>
#include <linux/platform_device.h>
#include <linux/printk.h>
#include <linux/tracepoint.h>

#include <asm/cpufeature.h>

#include <trace/events/sched.h>

#include "../hpm.h"
#include "../hpm_kinds.h"

/* The built-in drivers take the same PMU name, interrupt and hotplug state. */
static bool compat_built_in_holds(const char *name)
{
	struct device *dev = bus_find_device_by_name(&platform_bus_type, NULL,
						     name);
	bool bound = dev && dev->driver;

	put_device(dev);
	return bound;
}

static void compat_task_execs(void *data, struct task_struct *task, pid_t old_pid,
			      struct linux_binprm *bprm)
{
	unsigned long flags;
	struct hpm_cpu *cpu;

	local_irq_save(flags);
	cpu = this_cpu_read(hpm_kinds_here);
	/* A CPU may run tasks before the driver knows it. */
	if (cpu)
		hpm_exec(&cpu->pmu->rv.pmu);
	local_irq_restore(flags);
}

/* KVM finds counters for its guests by the driver in the kernel, and there is none of these. */
static void __init compat_say_what_lacks(void)
{
	if (IS_ENABLED(CONFIG_KVM) && riscv_isa_has_guests())
		pr_notice("KVM guests have no counters: only a built-in driver gives them any\n");
}

static int __init compat_start(void)
{
	int ret;

	if (compat_built_in_holds(RISCV_PMU_SBI_PDEV_NAME) ||
	    compat_built_in_holds(RISCV_PMU_LEGACY_PDEV_NAME)) {
		pr_err("the built-in driver has the counters: boot with initcall_blacklist=pmu_sbi_devinit,riscv_pmu_legacy_devinit\n");
		return -EBUSY;
	}
	ret = hpm_main_init();
	if (ret)
		return ret;
	ret = register_trace_sched_process_exec(compat_task_execs, NULL);
	if (ret) {
		hpm_main_exit();
		return ret;
	}
	compat_say_what_lacks();
	return 0;
}
module_init(compat_start);

static void __exit compat_stop(void)
{
	unregister_trace_sched_process_exec(compat_task_execs, NULL);
	tracepoint_synchronize_unregister();
	hpm_main_exit();
}
module_exit(compat_stop);

MODULE_DESCRIPTION("RISC-V performance counters");
MODULE_AUTHOR("riscv-perf developers");
MODULE_LICENSE("GPL");
