// SPDX-License-Identifier: GPL-2.0-only
/*
 * Instruction sampling: the module.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cache.h>
#include <linux/cpumask.h>
#include <linux/export.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/slab.h>

#include "messages.h"
#include "pdis.h"

static struct pdis *the_pdis __ro_after_init;

/**
 * pdis_get() - get the CPUs that sample instructions
 *
 * Return: the CPUs, or NULL.
 */
struct pdis *pdis_get(void)
{
	return the_pdis;
}
EXPORT_SYMBOL_GPL(pdis_get);

static struct pdis *pdis_main_alloc(void)
{
	struct pdis *pdis = kzalloc(sizeof(*pdis), GFP_KERNEL);

	if (!pdis)
		return NULL;
	pdis->cpu = alloc_percpu(struct pdis_cpu);
	if (!pdis->cpu) {
		kfree(pdis);
		return NULL;
	}
	pdis->caps = (struct pdis_caps) { ~0ULL, ~0ULL, ~0ULL, 1, true };
	pdis->amb_ops = &pdis_batch_amb_ops;
	return pdis;
}

static void pdis_main_free(struct pdis *pdis)
{
	free_percpu(pdis->cpu);
	kfree(pdis);
}

static int pdis_main_start(struct pdis *pdis)
{
	int ret;

	ret = pdis_cpu_init(pdis);
	if (ret)
		return ret;
	ret = pdis_batch_init(pdis);
	if (ret)
		pdis_cpu_exit(pdis);
	return ret;
}

static void __init pdis_main_describe(const struct pdis *pdis)
{
	if (pdis_has_batches(pdis))
		pr_info("sampled instructions in batches; periods from %u\n",
			pdis->caps.min_period);
	else if (!(pdis->caps.config & SPDISCTL_MEM))
		pr_info("sampled instructions, but not in batches: there is no buffer (Ssamb)\n");
	else
		pr_info("sampled instructions, but not in batches: firmware has not delegated the buffer's interrupt (mideleg.LAMBI)\n");
}

static int __init pdis_main_init(void)
{
	int ret;

	if (!pdis_cpu_any_reports(cpu_possible_mask)) {
		pr_lacks("no CPU samples instructions (Sspdis)\n");
		return -EOPNOTSUPP;
	}
	the_pdis = pdis_main_alloc();
	if (!the_pdis)
		return -ENOMEM;
	ret = pdis_main_start(the_pdis);
	if (ret) {
		pdis_main_free(the_pdis);
		the_pdis = NULL;
		return ret;
	}
	pdis_main_describe(the_pdis);
	return 0;
}
module_init(pdis_main_init);

static void __exit pdis_main_exit(void)
{
	pdis_batch_exit(the_pdis);
	pdis_cpu_exit(the_pdis);
	pdis_main_free(the_pdis);
}
module_exit(pdis_main_exit);

MODULE_DESCRIPTION("RISC-V sampled instructions");
MODULE_AUTHOR("riscv-perf developers");
MODULE_LICENSE("GPL");
