// SPDX-License-Identifier: GPL-2.0-only
/*
 * Raises the counter overflow interrupt though no counter has overflowed:
 * whatever is written to the parameter "raise" does so once, on the CPU of the
 * writer. Only for the test of what the driver makes of it.
 */
#include <linux/bits.h>
#include <linux/module.h>
#include <linux/moduleparam.h>

#include <asm/csr.h>

static int spurious_raise(const char *value, const struct kernel_param *kp)
{
	csr_set(CSR_SIP, BIT(RV_IRQ_PMU));
	return 0;
}

static const struct kernel_param_ops spurious_ops = {
	.set = spurious_raise,
};
module_param_cb(raise, &spurious_ops, NULL, 0200);
MODULE_PARM_DESC(raise, "raise the counter overflow interrupt");

MODULE_DESCRIPTION("Counter overflow interrupts without overflow");
MODULE_LICENSE("GPL");
