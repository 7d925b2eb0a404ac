// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registers, as they are and as others use them
 *
 * Writing to "select" uses siselect for a while, as a driver of another part of
 * the hardware might, with interrupts on; reading it says how often siselect
 * had changed meanwhile.
 *
 * Reading "selector" says what the event register of a counter holds on the reader's
 * CPU; which one is written to it before.
 *
 * Reading "sampling" says how often a CPU that goes has still sampled instructions when
 * it was the turn of this module, which comes after those that are loaded later.
 */
#include <linux/cpuhotplug.h>
#include <linux/errno.h>
#include <linux/irqflags.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/preempt.h>
#include <linux/sysfs.h>

#include <asm/csr_probe.h>
#include <asm/csr_smcdeleg.h>
#include <asm/csr_sspdis.h>
#include <asm/processor.h>

#include "disturb.h"

#define DISTURB_SELECT		0x123
#define DISTURB_ROUNDS		1000000

static int disturb_changed;

static int disturb_select(const char *value, const struct kernel_param *kp)
{
	int i, changed = 0;

	if (!csr_readable(CSR_SISELECT))
		return -ENODEV;
	/* A task switch may well change it. */
	preempt_disable();
	for (i = 0; i < DISTURB_ROUNDS; i++) {
		csr_write(CSR_SISELECT, DISTURB_SELECT);
		cpu_relax();
		if (csr_read(CSR_SISELECT) != DISTURB_SELECT)
			changed++;
	}
	preempt_enable();
	disturb_changed = changed;
	return 0;
}

static const struct kernel_param_ops disturb_select_ops = {
	.set = disturb_select,
	.get = param_get_int,
};
module_param_cb(select, &disturb_select_ops, &disturb_changed, 0600);
MODULE_PARM_DESC(select, "how often siselect was changed under its user");

static unsigned int disturb_counter;

static int disturb_selector(char *buffer, const struct kernel_param *kp)
{
	unsigned long flags, before, selector;
	int ret;

	local_irq_save(flags);
	before = csr_read(CSR_SISELECT);
	csr_write(CSR_SISELECT, SISELECT_SSCCFG_BASE + disturb_counter);
	ret = csr_try_read(CSR_SIREG2, selector);
	csr_write(CSR_SISELECT, before);
	local_irq_restore(flags);
	return ret ?: sysfs_emit(buffer, "%ld\n", selector);
}

static const struct kernel_param_ops disturb_selector_ops = {
	.set = param_set_uint,
	.get = disturb_selector,
};
module_param_cb(selector, &disturb_selector_ops, &disturb_counter, 0600);
MODULE_PARM_DESC(selector, "what an event register holds");

static int disturb_sampling;
static enum cpuhp_state disturb_state;

static int disturb_cpu_offline(unsigned int cpu)
{
	unsigned long control;

	if (!csr_try_read(CSR_SPDISCTL, control) && control & (SPDISCTL_U | SPDISCTL_S))
		disturb_sampling++;
	return 0;
}

static const struct kernel_param_ops disturb_sampling_ops = {
	.get = param_get_int,
};
module_param_cb(sampling, &disturb_sampling_ops, &disturb_sampling, 0400);
MODULE_PARM_DESC(sampling, "how often a CPU has gone that sampled instructions");

int disturb_registers_init(void)
{
	int ret = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "disturb:online", NULL,
				    disturb_cpu_offline);

	if (ret < 0)
		return ret;
	disturb_state = ret;
	return 0;
}

void disturb_registers_exit(void)
{
	cpuhp_remove_state(disturb_state);
}
