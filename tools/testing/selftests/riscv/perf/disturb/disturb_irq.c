// SPDX-License-Identifier: GPL-2.0-only
/*
 * Interrupts that come, and that have to wait
 *
 * Writing to the parameter "raise" raises the counter overflow interrupt on the
 * writer's CPU though no counter has overflowed.
 *
 * Writing a number to "masked" goes so often round a loop with interrupts off. In
 * each round it goes back to the beginning from one of two places. Writing to
 * "pending" raises the interrupt at the beginning of it.
 */
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/irqflags.h>
#include <linux/kstrtox.h>
#include <linux/module.h>
#include <linux/moduleparam.h>

#include <asm/csr.h>

#include "disturb.h"

static int disturb_raise(const char *value, const struct kernel_param *kp)
{
	csr_set(CSR_SIP, BIT(RV_IRQ_PMU));
	return 0;
}

static const struct kernel_param_ops disturb_raise_ops = {
	.set = disturb_raise,
};
module_param_cb(raise, &disturb_raise_ops, NULL, 0200);
MODULE_PARM_DESC(raise, "raise the counter overflow interrupt");

static int disturb_masked(const char *value, const struct kernel_param *kp)
{
	unsigned long flags, rounds;
	int ret = kstrtoul(value, 0, &rounds);

	if (ret || !rounds)
		return ret ?: -EINVAL;
	local_irq_save(flags);
	if (kp->arg)
		csr_set(CSR_SIP, *(unsigned long *)kp->arg);
	disturb_loop(rounds);
	local_irq_restore(flags);
	return 0;
}

static const struct kernel_param_ops disturb_masked_ops = {
	.set = disturb_masked,
};
module_param_cb(masked, &disturb_masked_ops, NULL, 0200);
MODULE_PARM_DESC(masked, "how long interrupts are off");

static unsigned long disturb_lcofi = BIT(RV_IRQ_PMU);

module_param_cb(pending, &disturb_masked_ops, &disturb_lcofi, 0200);
MODULE_PARM_DESC(pending, "how long the interrupt is pending");
