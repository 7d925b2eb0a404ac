// SPDX-License-Identifier: GPL-2.0-only
/*
 * The PMUs: one for each kind of core, since each kind has its own selectors and
 * counters.
 *
 * The kinds are detected when the driver comes up. A CPU belongs to the PMU of its kind.
 * The other PMUs have no counters on it, so that nothing perf does there has any effect.
 */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>

#include "hpm.h"
#include "hpm_kinds.h"

DEFINE_PER_CPU(struct hpm_cpu *, hpm_kinds_here);

LIST_HEAD(hpm_kinds);

/**
 * hpm_kinds_first() - the PMU of the first CPU
 *
 * Return: it, or NULL if there is none.
 */
struct hpm_pmu *hpm_kinds_first(void)
{
	return list_first_entry_or_null(&hpm_kinds, struct hpm_pmu, kinds);
}

/**
 * hpm_kinds_several() - is there more than one PMU?
 *
 * Return: whether there is.
 */
bool hpm_kinds_several(void)
{
	return !list_empty(&hpm_kinds) && !list_is_singular(&hpm_kinds);
}

static bool hpm_kinds_equal(const struct hpm_core_id *one,
			    const struct hpm_core_id *other)
{
	return one->mvendorid == other->mvendorid &&
		one->marchid == other->marchid && one->mimpid == other->mimpid;
}

static struct hpm_pmu *hpm_kinds_find(const struct hpm_core_id *id)
{
	struct hpm_pmu *pmu;

	for_each_hpm_pmu(pmu) {
		if (hpm_kinds_equal(&pmu->id, id))
			return pmu;
	}
	return NULL;
}

/**
 * hpm_kinds_come() - the calling CPU comes online
 *
 * Context: interrupts off.
 * Return: the PMU of its kind, or NULL if there is none.
 */
struct hpm_pmu *hpm_kinds_come(void)
{
	struct hpm_core_id id = hpm_core_id();
	struct hpm_pmu *pmu = hpm_kinds_find(&id);

	this_cpu_write(hpm_kinds_here,
		       this_cpu_ptr((pmu ?: hpm_kinds_first())->cpu));
	return pmu;
}

/**
 * hpm_kinds_max() - the highest count of a counter
 * @idx: the counter
 *
 * Return: the highest count in the first PMU that has the counter, or 0.
 */
u64 hpm_kinds_max(int idx)
{
	struct hpm_pmu *pmu;

	for_each_hpm_pmu(pmu) {
		if (pmu->caps.counters & BIT(idx))
			return pmu->caps.max[idx];
	}
	return 0;
}

/**
 * hpm_kinds_ask() - call a function on a CPU of a PMU's kind
 * @pmu: the PMU
 * @ask: the function
 * @data: its argument
 *
 * Without cpus_read_lock() @ask may run on any CPU, since this one may go offline meanwhile.
 *
 * Context: task context.
 * Return: what @ask returns, or -ENXIO if all these CPUs are offline.
 */
int hpm_kinds_ask(struct hpm_pmu *pmu, int (*ask)(void *data), void *data)
{
	int ret = -ENXIO;
	int cpu;

	for_each_online_cpu(cpu) {
		struct hpm_cpu *here = per_cpu(hpm_kinds_here, cpu);

		if (!here || here->pmu != pmu)
			continue;
		ret = smp_call_on_cpu(cpu, ask, data, false);
		if (ret != -ENXIO)
			break;
	}
	return ret;
}

static void hpm_kinds_tell_id(void *info)
{
	struct hpm_core_id *id = info;

	*id = hpm_core_id();
}

static void hpm_kinds_free(struct hpm_pmu *pmu)
{
	free_percpu(pmu->cpu);
	kfree(pmu);
}

static void hpm_kinds_init_cpu(struct hpm_cpu *cpu, struct hpm_pmu *pmu)
{
	int idx;

	cpu->pmu = pmu;
	cpu->enabled = true;
	for (idx = 0; idx < HPM_NUM; idx++) {
		cpu->counter[idx].cpu = cpu;
		cpu->counter[idx].mask = BIT(idx);
		cpu->counter[idx].idx = idx;
	}
}

static struct hpm_pmu *hpm_kinds_alloc(const struct hpm_core_id *id)
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

	for_each_possible_cpu(cpu)
		hpm_kinds_init_cpu(per_cpu_ptr(pmu->cpu, cpu), pmu);
	memset(&pmu->caps, 0xff, sizeof(pmu->caps));
	pmu->id = *id;
	return pmu;
}

/* Find the PMU of a CPU's kind, or create it. */
static int hpm_kinds_add_cpu(int cpu)
{
	struct hpm_core_id id;
	struct hpm_pmu *pmu;
	int ret;

	ret = smp_call_function_single(cpu, hpm_kinds_tell_id, &id, true);
	if (ret)
		return ret;
	pmu = hpm_kinds_find(&id);
	if (!pmu) {
		pmu = hpm_kinds_alloc(&id);
		if (!pmu)
			return -ENOMEM;
		list_add_tail(&pmu->kinds, &hpm_kinds);
	}
	per_cpu(hpm_kinds_here, cpu) = per_cpu_ptr(pmu->cpu, cpu);
	return 0;
}

/**
 * hpm_kinds_init() - detect the kinds of cores, and create a PMU for each
 *
 * The list is in the order of the first CPU of each kind. On failure hpm_kinds_exit() has to
 * free those that were found.
 *
 * Context: task context; the caller has cpus_read_lock().
 * Return: 0 or an error.
 */
int hpm_kinds_init(void)
{
	int cpu, ret;

	for_each_online_cpu(cpu) {
		ret = hpm_kinds_add_cpu(cpu);
		if (ret)
			return ret;
	}
	return 0;
}

/**
 * hpm_kinds_drop() - remove a PMU that is of no use
 * @pmu: the PMU; its CPUs fall to the first PMU
 *
 * Context: task context.
 */
void hpm_kinds_drop(struct hpm_pmu *pmu)
{
	struct hpm_pmu *first;
	int cpu;

	/* CPUs that come online walk the list. */
	cpus_read_lock();
	list_del(&pmu->kinds);
	first = hpm_kinds_first();
	for_each_possible_cpu(cpu) {
		struct hpm_cpu **here = per_cpu_ptr(&hpm_kinds_here, cpu);

		if (*here && (*here)->pmu == pmu)
			*here = first ? per_cpu_ptr(first->cpu, cpu) : NULL;
	}
	cpus_read_unlock();
	hpm_kinds_free(pmu);
}

/**
 * hpm_kinds_exit() - undo hpm_kinds_init()
 *
 * Context: task context.
 */
void hpm_kinds_exit(void)
{
	struct hpm_pmu *pmu, *next;

	list_for_each_entry_safe(pmu, next, &hpm_kinds, kinds)
		hpm_kinds_drop(pmu);
}
