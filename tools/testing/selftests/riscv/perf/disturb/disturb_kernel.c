// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the rest of the kernel does, or does not
 *
 * While "untold" is 1 nobody tells riscv_pmu when a task comes or goes that has events of
 * other PMUs only. Some kernels are like that.
 *
 * Writing the number of an interrupt of the harts to "unmapped" has Linux give it no
 * number any more; 0 ends it.
 *
 * Writing 1 to "probed" counts how often riscv_pdis tries what a CPU can sample, until 0 is
 * written; reading it says how often it has, or -1 if interrupts were on.
 */
#include <linux/kprobes.h>
#include <linux/kstrtox.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/perf_event.h>
#include <linux/sched.h>

#include <asm/csr.h>

#include "disturb.h"

/*
 * hpm_sched_task(pmu_ctx, ...) for a PMU whose events the task has none of: perf then looked
 * whether it has any.
 */
static int disturb_task(struct kprobe *probe, struct pt_regs *regs)
{
	const struct perf_event_pmu_context *pmu_ctx = (void *)regs->a0;
	const struct perf_event_context *ctx = current->perf_event_ctxp;

	if (pmu_ctx->ctx && pmu_ctx->ctx->task)
		return 0;
	if (!ctx || !ctx->is_active)
		return 0;
	instruction_pointer_set(regs, regs->ra);
	return 1;
}

/* Behind the two instructions that are ftrace's. */
static struct kprobe disturb_task_probe = {
	.symbol_name	= "hpm_sched_task",
	.offset		= 8,
	.pre_handler	= disturb_task,
};

static bool disturb_untold;

static int disturb_set_untold(const char *value, const struct kernel_param *kp)
{
	bool on;
	int ret = kstrtobool(value, &on);

	if (ret)
		return ret;
	ret = disturb_set_probe(&disturb_task_probe, on);
	disturb_untold = on && !ret;
	return ret;
}

static const struct kernel_param_ops disturb_untold_ops = {
	.set = disturb_set_untold,
	.get = param_get_bool,
};
module_param_cb(untold, &disturb_untold_ops, &disturb_untold, 0600);
MODULE_PARM_DESC(untold, "nobody tells of tasks that have events of other PMUs only");

static unsigned long disturb_unmapped;

/* irq_create_mapping_affinity(domain, hwirq, affinity) returns 0. */
static int disturb_mapping(struct kprobe *probe, struct pt_regs *regs)
{
	if (regs->a1 != disturb_unmapped)
		return 0;
	regs->a0 = 0;
	instruction_pointer_set(regs, regs->ra);
	return 1;
}

/* Behind them, too. */
static struct kprobe disturb_map_probe = {
	.symbol_name	= "irq_create_mapping_affinity",
	.offset		= 8,
	.pre_handler	= disturb_mapping,
};

static int disturb_set_unmapped(const char *value, const struct kernel_param *kp)
{
	unsigned long hwirq;
	int ret = kstrtoul(value, 0, &hwirq);

	if (ret)
		return ret;
	ret = disturb_set_probe(&disturb_map_probe, hwirq);
	disturb_unmapped = ret ? 0 : hwirq;
	return ret;
}

static const struct kernel_param_ops disturb_unmapped_ops = {
	.set = disturb_set_unmapped,
	.get = param_get_ulong,
};
module_param_cb(unmapped, &disturb_unmapped_ops, &disturb_unmapped, 0600);
MODULE_PARM_DESC(unmapped, "an interrupt of the harts without a Linux number");

/* Of the calls of pdis_hw_probe(): -1 if there was one with interrupts on */
static int disturb_probed;

static int disturb_probe_of_samples(struct kprobe *probe, struct pt_regs *regs)
{
	if (regs->status & SR_PIE)
		disturb_probed = -1;
	else if (disturb_probed >= 0)
		disturb_probed++;
	return 0;
}

/* Behind them, too. */
static struct kprobe disturb_probe_probe = {
	.symbol_name	= "pdis_hw_probe",
	.offset		= 8,
	.pre_handler	= disturb_probe_of_samples,
};

static int disturb_set_probed(const char *value, const struct kernel_param *kp)
{
	bool on;
	int ret = kstrtobool(value, &on);

	if (ret)
		return ret;
	disturb_set_probe(&disturb_probe_probe, false);
	if (!on)
		return 0;
	disturb_probed = 0;
	return disturb_set_probe(&disturb_probe_probe, true);
}

static const struct kernel_param_ops disturb_probed_ops = {
	.set = disturb_set_probed,
	.get = param_get_int,
};
module_param_cb(probed, &disturb_probed_ops, &disturb_probed, 0600);
MODULE_PARM_DESC(probed, "how often it was tried what can be sampled, with interrupts off");

void disturb_kernel_exit(void)
{
	disturb_set_probe(&disturb_task_probe, false);
	disturb_set_probe(&disturb_map_probe, false);
	disturb_set_probe(&disturb_probe_probe, false);
}
