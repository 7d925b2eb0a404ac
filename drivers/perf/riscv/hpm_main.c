// SPDX-License-Identifier: GPL-2.0-only
/*
 * The cpu PMU: hardware performance counters for perf. Which backend there is, how
 * the PMU comes up, and how it goes.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bitops.h>
#include <linux/cpumask.h>
#include <linux/device.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/platform_device.h>
#include <linux/slab.h>

#include <asm/csr_sscofpmf.h>

#include "hpm.h"
#include "hpm_deleg.h"
#include "hpm_sbi.h"

/* The built-in drivers take the same PMU name, interrupt and hotplug state. */
static bool hpm_main_built_in_holds(const char *name)
{
	struct device *dev = bus_find_device_by_name(&platform_bus_type, NULL,
						     name);
	bool bound = dev && dev->driver;

	put_device(dev);
	return bound;
}

static struct hpm_pmu *hpm_main_alloc(void)
{
	struct hpm_pmu *pmu = kzalloc(sizeof(*pmu), GFP_KERNEL);
	int cpu;

	if (!pmu)
		return NULL;
	pmu->cpu = alloc_percpu(struct hpm_cpu);
	if (!pmu->cpu) {
		kfree(pmu);
		return NULL;
	}

	for_each_possible_cpu(cpu) {
		per_cpu_ptr(pmu->cpu, cpu)->pmu = pmu;
		per_cpu_ptr(pmu->cpu, cpu)->enabled = true;
	}
	memset(&pmu->caps, 0xff, sizeof(pmu->caps));
	return pmu;
}

static void hpm_main_free(struct hpm_pmu *pmu)
{
	free_percpu(pmu->cpu);
	kfree(pmu);
}

static void hpm_main_init_captures(struct hpm_pmu *pmu)
{
	struct pesa_pmu *pesa = &pmu->pesa;

	/* What is captured is captured at overflows. */
	if (!pmu->caps.overflow)
		return;
	pesa->ctr = &pmu->ctr;
	pesa->known = pmu->core;
	pesa->cycles = pmu->hw[PERF_COUNT_HW_CPU_CYCLES];
	pesa->guests = pmu->caps.inhibit & (HPMEVENT_VSINH | HPMEVENT_VUINH);
	pesa_init(pesa);
}

static int hpm_main_start(struct hpm_pmu *pmu)
{
	int ret;

	ret = hpm_irq_init(pmu);
	if (ret)
		return ret;
	ctr_detect(&pmu->ctr, &pmu->cpu->ctr);
	pesa_detect(&pmu->pesa, &pmu->cpu->pesa);
	ret = hpm_cpu_init(pmu);
	if (ret)
		goto err_irq;
	ret = ctr_init(&pmu->ctr);
	if (ret)
		goto err_cpus;
	pmu->rv.pmu.task_ctx_cache = pmu->ctr.cache;
	hpm_main_init_captures(pmu);
	ret = hpm_user_init(pmu);
	if (ret)
		goto err_ctr;
	ret = perf_pmu_register(&pmu->rv.pmu, "cpu", PERF_TYPE_RAW);
	if (ret)
		goto err_user;
	return 0;

err_user:
	hpm_user_exit(pmu);
err_ctr:
	ctr_exit(&pmu->ctr);
err_cpus:
	hpm_cpu_exit(pmu);
err_irq:
	hpm_irq_exit(pmu);
	return ret;
}

static void hpm_main_stop(struct hpm_pmu *pmu)
{
	perf_pmu_unregister(&pmu->rv.pmu);
	hpm_user_exit(pmu);
	ctr_exit(&pmu->ctr);
	hpm_cpu_exit(pmu);
	hpm_irq_exit(pmu);
}

/* Brings up the PMU; on failure there is none. */
static int __init hpm_main_bring_up(struct hpm_pmu *pmu)
{
	int ret;

	hpm_pmu_init(pmu);
	ret = hpm_main_start(pmu);
	if (ret)
		hpm_pmu_exit();
	return ret;
}

static void __init hpm_main_describe(const struct hpm_pmu *pmu, const char *why)
{
	char records[96];

	pr_info("%lu programmable counters, %lu fixed%s%s%s%s%s\n",
		hweight_long(pmu->caps.counters & HPM_PROGRAMMABLE),
		hweight_long(pmu->caps.counters & HPM_FIXED),
		pmu->caps.overflow ? "" : ", none interrupts",
		ctr_describe(&pmu->ctr, records, sizeof(records)),
		pesa_describe(&pmu->pesa), why ? "; by firmware: " : "", why ?: "");
}

/* Delegated counters cost a fraction. If there are none, @why is set to the reason. */
static int __init hpm_main_choose_backend(struct hpm_pmu *pmu, const char **why)
{
	pmu->ops = hpm_deleg_probe(why);
	if (pmu->ops) {
		pmu->hwirq = RV_IRQ_PMU;
		return 0;
	}
	pmu->ops = hpm_sbi_probe(pmu);
	if (pmu->ops)
		return 0;
	pr_err("%s, and firmware has no SBI PMU extension\n", *why);
	return -EOPNOTSUPP;
}

static int __init hpm_main_init(void)
{
	const char *why = NULL;
	struct hpm_pmu *pmu;
	int ret;

	if (hpm_main_built_in_holds(RISCV_PMU_SBI_PDEV_NAME) ||
	    hpm_main_built_in_holds(RISCV_PMU_LEGACY_PDEV_NAME)) {
		pr_err("the built-in driver has the counters: boot with initcall_blacklist=pmu_sbi_devinit,riscv_pmu_legacy_devinit\n");
		return -EBUSY;
	}
	pmu = hpm_main_alloc();
	if (!pmu)
		return -ENOMEM;
	ret = hpm_main_choose_backend(pmu, &why) ?: hpm_main_bring_up(pmu);
	if (ret) {
		hpm_main_free(pmu);
		return ret;
	}
	hpm_main_describe(pmu, why);
	return 0;
}
module_init(hpm_main_init);

static void __exit hpm_main_exit(void)
{
	struct hpm_pmu *pmu = hpm_pmu_get();

	hpm_main_stop(pmu);
	hpm_pmu_exit();
	hpm_main_free(pmu);
}
module_exit(hpm_main_exit);

MODULE_DESCRIPTION("RISC-V performance counters");
MODULE_AUTHOR("riscv-perf developers");
MODULE_LICENSE("GPL");
