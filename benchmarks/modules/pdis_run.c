// SPDX-License-Identifier: GPL-2.0-only
/*
 * Samples instructions on all CPUs and looks at no sample: each one replaces the
 * one before it in the data registers, without an interrupt. What is left is
 * what sampling itself costs. For RV64.
 */
#include <linux/bitfield.h>
#include <linux/module.h>
#include <linux/smp.h>

#include <asm/csr_probe.h>
#include <asm/csr_sspdis.h>

static unsigned int period = 100000;
module_param(period, uint, 0444);
MODULE_PARM_DESC(period, "instructions from one sample to the next");

static void pdis_run_start(void *info)
{
	csr_write(CSR_SPDISCOUNTER, FIELD_PREP(SPDISCOUNTER_INITVAL, (u32)-period) |
				    FIELD_PREP(SPDISCOUNTER_COUNT, (u32)-period));
	csr_write(CSR_SPDISCTL, SPDISCTL_S | SPDISCTL_U | SPDISCTL_OF);
}

static void pdis_run_stop(void *info)
{
	csr_write(CSR_SPDISCTL, 0);
}

static int __init pdis_run_init(void)
{
	if (!period)
		return -EINVAL;
	if (!csr_readable(CSR_SPDISCTL))
		return -EOPNOTSUPP;
	on_each_cpu(pdis_run_start, NULL, true);
	return 0;
}
module_init(pdis_run_init);

static void __exit pdis_run_exit(void)
{
	on_each_cpu(pdis_run_stop, NULL, true);
}
module_exit(pdis_run_exit);

MODULE_DESCRIPTION("Instruction sampling, to measure what it costs");
MODULE_AUTHOR("riscv-perf developers");
MODULE_LICENSE("GPL");
