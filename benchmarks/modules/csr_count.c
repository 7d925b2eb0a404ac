// SPDX-License-Identifier: GPL-2.0-only
/*
 * How many CSR instructions has this CPU executed below M-mode?
 *
 * A PMU driver stops its counters while it works on them, so they do not see
 * what it does. This one counts on a counter that no driver stops: load it
 * after the driver, and leave the counter, the last of the emulator's, alone.
 * Read the answer, of the CPU that one is on, from the module's parameter.
 */
#include <linux/irqflags.h>
#include <linux/module.h>
#include <linux/smp.h>

#include <asm/csr_probe.h>
#include <asm/csr_smcdeleg.h>
#include <asm/csr_sscofpmf.h>

#define COUNTER		18

static unsigned long event;
module_param(event, ulong, 0444);
MODULE_PARM_DESC(event, "selector of the event CSR instructions");

static int csr_count_get(char *buffer, const struct kernel_param *param)
{
	unsigned long flags;
	u64 count;

	local_irq_save(flags);
	count = csr_indirect_read(CSR_SIREG, SISELECT_SSCCFG_BASE, COUNTER);
	local_irq_restore(flags);
	return sysfs_emit(buffer, "%llu\n", count);
}

static const struct kernel_param_ops csr_count_ops = {
	.get = csr_count_get,
};
module_param_cb(count, &csr_count_ops, NULL, 0444);

static void csr_count_start(void *info)
{
	csr_indirect_write(CSR_SIREG, SISELECT_SSCCFG_BASE, COUNTER, 0);
	csr_write(CSR_SIREG2, event);
	csr_clear(CSR_SCOUNTINHIBIT, BIT(COUNTER));
}

static void csr_count_stop(void *info)
{
	csr_set(CSR_SCOUNTINHIBIT, BIT(COUNTER));
	csr_indirect_write(CSR_SIREG2, SISELECT_SSCCFG_BASE, COUNTER, 0);
}

static int __init csr_count_init(void)
{
	if (!csr_readable(CSR_SCOUNTINHIBIT))
		return -EOPNOTSUPP;
	on_each_cpu(csr_count_start, NULL, true);
	return 0;
}
module_init(csr_count_init);

static void __exit csr_count_exit(void)
{
	on_each_cpu(csr_count_stop, NULL, true);
}
module_exit(csr_count_exit);

MODULE_DESCRIPTION("Count of CSR instructions, to measure what drivers do");
MODULE_AUTHOR("riscv-perf developers");
MODULE_LICENSE("GPL");
