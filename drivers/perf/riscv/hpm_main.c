// SPDX-License-Identifier: GPL-2.0-only
/*
 * The cpu PMU: hardware performance counters for perf. Choice of the backend, bring-up
 * and teardown.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bitops.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/init.h>
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/perf_event.h>
#include <linux/printk.h>
#include <linux/string.h>

#include <asm/csr_sscofpmf.h>

#include "hpm.h"
#include "hpm_deleg.h"
#include "hpm_kinds.h"
#include "hpm_sbi.h"
#include "hpm_sbi_probe.h"
#include "messages.h"

static void hpm_main_init_captures(struct hpm_pmu *pmu)
{
	struct pesa_pmu *pesa = &pmu->pesa;

	/* Captures need overflows. */
	if (!pmu->caps.overflow)
		return;
	pesa->ctr = &pmu->ctr;
	pesa->known = pmu->core;
	pesa->cycles = pmu->hw[PERF_COUNT_HW_CPU_CYCLES];
	pesa->guests = pmu->caps.inhibit & (HPMEVENT_VSINH | HPMEVENT_VUINH);
	pesa_init(pesa);
}

/* No counters is no error here: such a PMU is dropped later. */
static int hpm_main_add_cpus(struct hpm_pmu *pmu)
{
	int ret;

	ctr_detect(&pmu->ctr, &pmu->cpu->ctr);
	pesa_detect(&pmu->pesa, &pmu->cpu->pesa);
	ret = hpm_cpu_add(pmu);
	pmu->added = !ret;
	if (ret)
		cpumask_clear(&pmu->cpus);
	return ret == -EOPNOTSUPP ? 0 : ret;
}

static void hpm_main_remove_cpus(struct hpm_pmu *pmu)
{
	/* All of them may have been refused meanwhile, as they came online again. */
	if (pmu->added)
		hpm_cpu_remove(pmu);
}

static int hpm_main_init_helpers(struct hpm_pmu *pmu)
{
	unsigned int deepest = 0;
	struct hpm_pmu *each;
	int ret;

	for_each_hpm_pmu(each)
		deepest = max(deepest, each->ctr.caps.depth);
	ret = ctr_init(&pmu->ctr, pmu->name, deepest);
	if (ret)
		return ret;
	pmu->rv.pmu.task_ctx_cache = pmu->ctr.cache;
	hpm_main_init_captures(pmu);
	return 0;
}

static void hpm_main_exit_helpers(struct hpm_pmu *pmu)
{
	ctr_exit(&pmu->ctr);
}

/* Raw events are the first PMU's, since only one can have PERF_TYPE_RAW. */
static int hpm_main_register(struct hpm_pmu *pmu)
{
	bool first = pmu == hpm_kinds_first();

	return perf_pmu_register(&pmu->rv.pmu, pmu->name, first ? PERF_TYPE_RAW : -1);
}

/*
 * perf takes a PMU back whose events may be mapped and are not all gone. Nobody holds one when the
 * module is removed, but perf lets go of the module a moment before it lets go of the event. Only
 * if another PMU fails to register can there be events of this one.
 */
static void hpm_main_unregister(struct hpm_pmu *pmu)
{
	while (perf_pmu_unregister(&pmu->rv.pmu) == -EBUSY)
		fsleep(1000);
}

/* Call @up for all PMUs; if one fails, undo it for those before. */
static int hpm_main_each(int (*up)(struct hpm_pmu *pmu),
			 void (*down)(struct hpm_pmu *pmu))
{
	struct hpm_pmu *pmu;
	int ret;

	for_each_hpm_pmu(pmu) {
		ret = up(pmu);
		if (ret)
			goto err_up;
	}
	return 0;

err_up:
	list_for_each_entry_continue_reverse(pmu, &hpm_kinds, kinds)
		down(pmu);
	return ret;
}

static void hpm_main_undo_each(void (*down)(struct hpm_pmu *pmu))
{
	struct hpm_pmu *pmu;

	for_each_hpm_pmu(pmu)
		down(pmu);
}

/* Drop PMUs that have no CPUs. Returns -EOPNOTSUPP if none is left. */
static int hpm_main_drop_useless(void)
{
	struct hpm_pmu *pmu, *next;

	list_for_each_entry_safe(pmu, next, &hpm_kinds, kinds) {
		if (cpumask_empty(&pmu->cpus))
			hpm_kinds_drop(pmu);
	}
	return hpm_kinds_first() ? 0 : -EOPNOTSUPP;
}

/*
 * A name must not end in an underscore and a number: the perf tool takes such PMUs for
 * instances of one PMU.
 */
static void hpm_main_name_all(void)
{
	unsigned int nr = 1;
	struct hpm_pmu *pmu;

	for_each_hpm_pmu(pmu) {
		if (nr == 1)
			strscpy(pmu->name, "cpu", sizeof(pmu->name));
		else
			snprintf(pmu->name, sizeof(pmu->name), "cpu_kind%u", nr);
		nr++;
	}
}

static int hpm_main_start_cpus(void)
{
	int ret;

	ret = hpm_cpu_init();
	if (ret)
		return ret;
	ret = hpm_main_each(hpm_main_add_cpus, hpm_main_remove_cpus) ?:
		hpm_main_drop_useless();
	if (ret)
		hpm_cpu_exit();
	return ret;
}

static void hpm_main_stop_cpus(void)
{
	hpm_main_undo_each(hpm_main_remove_cpus);
	hpm_cpu_exit();
}

static int hpm_main_start(void)
{
	int ret;

	ret = hpm_irq_init(hpm_kinds_first()->hwirq);
	if (ret)
		return ret;
	ret = hpm_main_start_cpus();
	if (ret)
		goto err_irq;
	hpm_main_name_all();
	ret = hpm_main_each(hpm_main_init_helpers, hpm_main_exit_helpers);
	if (ret)
		goto err_cpus;
	ret = hpm_user_init();
	if (ret)
		goto err_helpers;
	ret = hpm_main_each(hpm_main_register, hpm_main_unregister);
	if (ret)
		goto err_user;
	return 0;

err_user:
	hpm_user_exit();
err_helpers:
	hpm_main_undo_each(hpm_main_exit_helpers);
err_cpus:
	hpm_main_stop_cpus();
err_irq:
	hpm_irq_exit();
	return ret;
}

static void hpm_main_stop(void)
{
	hpm_main_undo_each(hpm_main_unregister);
	hpm_user_exit();
	hpm_main_undo_each(hpm_main_exit_helpers);
	hpm_main_stop_cpus();
	hpm_irq_exit();
}

static void __init hpm_main_describe(const struct hpm_pmu *pmu, const char *why)
{
	char records[96], whose[64] = "";

	if (hpm_kinds_several())
		snprintf(whose, sizeof(whose), "%s, CPUs %*pbl: ", pmu->name,
			 cpumask_pr_args(&pmu->cpus));
	pr_info("%s%lu programmable counters, %lu fixed%s%s%s%s%s\n", whose,
		hweight_long(pmu->caps.counters & HPM_PROGRAMMABLE),
		hweight_long(pmu->caps.counters & HPM_FIXED),
		pmu->caps.overflow ? "" : ", no overflow interrupt",
		ctr_describe(&pmu->ctr, records, sizeof(records)),
		pesa_describe(&pmu->pesa), why ? "; by firmware: " : "", why ?: "");
}

/**
 * struct hpm_main_backend - the backend to use
 * @ops: its operations, or NULL
 * @hwirq: number of the overflow interrupt for the hart, 0 if there is none
 * @why: why not all counters are delegated, or NULL
 */
struct hpm_main_backend {
	const struct hpm_ops *ops;
	unsigned int hwirq;
	const char *why;
};

static int __init hpm_main_ask_deleg(void *data)
{
	struct hpm_main_backend *backend = data;
	const char *why = NULL;
	const struct hpm_ops *ops = hpm_deleg_probe(&why);

	backend->ops = ops ?: backend->ops;
	backend->why = backend->why ?: why;
	return 0;
}

static int __init hpm_main_ask_sbi(void *data)
{
	struct hpm_main_backend *backend = data;

	backend->ops = hpm_sbi_probe(&backend->hwirq);
	return 0;
}

/*
 * All PMUs use the same backend: delegated counters if all kinds of cores have them,
 * otherwise firmware.
 */
static int __init hpm_main_find_backend(struct hpm_main_backend *backend)
{
	struct hpm_main_backend sbi = {};
	struct hpm_pmu *pmu;
	int ret = 0;

	backend->hwirq = RV_IRQ_PMU;
	for_each_hpm_pmu(pmu)
		ret = ret ?: hpm_kinds_ask(pmu, hpm_main_ask_deleg, backend);
	if (ret || !backend->why)
		return ret;

	for_each_hpm_pmu(pmu) {
		if (!ret && !sbi.hwirq)
			ret = hpm_kinds_ask(pmu, hpm_main_ask_sbi, &sbi);
	}
	if (sbi.ops) {
		hpm_sbi_use();
		backend->ops = sbi.ops;
		backend->hwirq = sbi.hwirq;
	}
	if (ret || backend->ops)
		return ret;
	pr_lacks("%s, and firmware has no SBI PMU extension\n", backend->why);
	return -EOPNOTSUPP;
}

static int __init hpm_main_set_up(struct hpm_main_backend *backend)
{
	struct hpm_pmu *pmu;
	int ret = 0;

	for_each_hpm_pmu(pmu) {
		pmu->ops = backend->ops;
		pmu->hwirq = backend->hwirq;
		hpm_pmu_init(pmu);
		ret = ret ?: hpm_cpu_learn(pmu);
	}
	return ret;
}

/*
 * While CPUs are asked what they are and have, none of them comes or goes: a kind could lose
 * the only CPU that can answer, or another one would.
 */
static int __init hpm_main_ask_cpus(struct hpm_main_backend *backend)
{
	int ret;

	cpus_read_lock();
	ret = hpm_kinds_init() ?: hpm_main_find_backend(backend) ?: hpm_main_set_up(backend);
	cpus_read_unlock();
	return ret;
}

static int __init hpm_main_bring_up(void)
{
	struct hpm_main_backend backend = {};
	struct hpm_pmu *pmu;
	int ret;

	ret = hpm_main_ask_cpus(&backend);
	if (ret)
		return ret;
	ret = hpm_main_start();
	if (ret)
		return ret;
	for_each_hpm_pmu(pmu)
		hpm_main_describe(pmu, hpm_sbi_is_used() ? backend.why : NULL);
	return 0;
}

/**
 * hpm_main_init() - set up a PMU for each kind of core
 *
 * Logs what was found, or a line on failure.
 *
 * Context: task context.
 * Return: 0 or an error.
 */
int __init hpm_main_init(void)
{
	int ret;

	ret = hpm_main_bring_up();
	if (ret) {
		hpm_kinds_exit();
		hpm_sbi_exit();
	}
	return ret;
}

/**
 * hpm_main_exit() - undo hpm_main_init()
 *
 * Context: task context.
 */
void hpm_main_exit(void)
{
	hpm_main_stop();
	hpm_kinds_exit();
	hpm_sbi_exit();
}
