// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which selector counts a generic event, and on which counters.
 *
 * The architecture does not give events numbers: each core has its own. With
 * delegated counters nothing tells S-mode what they are. A few cores are known
 * by name, see hpm_cores.c; otherwise firmware knows, since it serves the same
 * generic events through SBI. So the backend asks firmware once, when the PMU
 * comes up, and the answers are kept here. Where firmware counts it is given the
 * generic event itself, and chooses the counter.
 */
#include <linux/irqflags.h>
#include <linux/nospec.h>
#include <linux/smp.h>

#include <asm/csr_sscofpmf.h>
#include <asm/sbi.h>

#include "hpm.h"

static u32 hpm_select_sbi_hw(unsigned int id)
{
	/* SBI counts from 1, otherwise the two lists are the same. */
	return SBI_PMU_EVENT_TYPE_HW << 16 | (id + 1);
}

static unsigned int hpm_select_cache_index(unsigned int id, unsigned int op,
					   unsigned int result)
{
	return (id * PERF_COUNT_HW_CACHE_OP_MAX + op) *
		PERF_COUNT_HW_CACHE_RESULT_MAX + result;
}

static u32 hpm_select_sbi_cache(unsigned int index)
{
	unsigned int result = index % PERF_COUNT_HW_CACHE_RESULT_MAX;
	unsigned int op = index / PERF_COUNT_HW_CACHE_RESULT_MAX %
		PERF_COUNT_HW_CACHE_OP_MAX;
	unsigned int id = index / PERF_COUNT_HW_CACHE_RESULT_MAX /
		PERF_COUNT_HW_CACHE_OP_MAX;

	return SBI_PMU_EVENT_TYPE_CACHE << 16 |
		id << SBI_PMU_EVENT_CACHE_ID_SHIFT |
		op << SBI_PMU_EVENT_CACHE_OP_SHIFT | result;
}

/* Firmware takes its time: interrupts are off for one event at a time. */
static u64 hpm_select_ask(struct hpm_cpu *cpu, u32 sbi_event)
{
	unsigned long flags;
	u64 selector;

	local_irq_save(flags);
	selector = cpu->pmu->ops->selector(cpu, sbi_event);
	local_irq_restore(flags);
	return selector;
}

static u64 hpm_select_hw_selector(struct hpm_cpu *cpu, unsigned int id)
{
	u64 told = hpm_select_ask(cpu, hpm_select_sbi_hw(id));

	/* Firmware that counts has numbers of its own. */
	if (told & HPM_SBI_GENERIC)
		return told;
	return hpm_core_hw(cpu->pmu->core, id) ?: told;
}

/**
 * hpm_select_init() - learn the selectors of the generic events
 * @cpu: the calling CPU
 *
 * Context: on this CPU, which the task does not leave; counters at rest.
 */
void hpm_select_init(struct hpm_cpu *cpu)
{
	struct hpm_pmu *pmu = cpu->pmu;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(pmu->hw); i++)
		pmu->hw[i] = hpm_select_hw_selector(cpu, i);
	for (i = 0; i < ARRAY_SIZE(pmu->cache); i++)
		pmu->cache[i] = hpm_select_ask(cpu, hpm_select_sbi_cache(i));
}

static int hpm_select_hw(struct hpm_pmu *pmu, u64 config, u64 *selector)
{
	if (config >= ARRAY_SIZE(pmu->hw))
		return -EINVAL;
	*selector = pmu->hw[array_index_nospec((unsigned long)config, ARRAY_SIZE(pmu->hw))];
	return 0;
}

static int hpm_select_cache(struct hpm_pmu *pmu, u64 config, u64 *selector)
{
	unsigned int id = config & 0xff;
	unsigned int op = config >> 8 & 0xff;
	unsigned int result = config >> 16 & 0xff;
	unsigned int index;

	if (config >> 24 || id >= PERF_COUNT_HW_CACHE_MAX ||
	    op >= PERF_COUNT_HW_CACHE_OP_MAX ||
	    result >= PERF_COUNT_HW_CACHE_RESULT_MAX)
		return -EINVAL;

	index = hpm_select_cache_index(id, op, result);
	*selector = pmu->cache[array_index_nospec(index, HPM_CACHE_EVENTS)];
	return 0;
}

static int hpm_select_raw(struct hpm_pmu *pmu, u64 config, u64 *selector)
{
	if (!config || config & ~HPMEVENT_EVENT)
		return -EINVAL;
	*selector = config;
	return hpm_core_complete(pmu->core, selector);
}

/**
 * hpm_select_event() - find the selector that an event asks for
 * @pmu: the PMU
 * @attr: the event's attributes
 * @selector: set to bits 55:0 of hpmevent
 *
 * Return: 0, -ENOENT if the event is not for this PMU or the CPU does not have
 * it, or -EINVAL if there can be no such event.
 */
int hpm_select_event(struct hpm_pmu *pmu, struct perf_event_attr *attr,
		     u64 *selector)
{
	int ret;

	if (attr->type == pmu->rv.pmu.type)
		ret = hpm_select_raw(pmu, attr->config, selector);
	else if (attr->type == PERF_TYPE_HARDWARE)
		ret = hpm_select_hw(pmu, attr->config, selector);
	else if (attr->type == PERF_TYPE_HW_CACHE)
		ret = hpm_select_cache(pmu, attr->config, selector);
	else
		ret = -ENOENT;
	if (ret)
		return ret;
	return *selector ? 0 : -ENOENT;
}

/**
 * hpm_select_counters() - where an event can be counted
 * @pmu: the PMU
 * @selector: the event's selector
 *
 * Return: the counters able to count the event, if modes do not matter.
 */
unsigned long hpm_select_counters(struct hpm_pmu *pmu, u64 selector)
{
	unsigned long counters = HPM_PROGRAMMABLE;

	if (selector & HPM_FIXED_ONLY)
		counters = 0;
	else if (!(selector & HPM_SBI_GENERIC))
		counters = hpm_core_counters(pmu->core, selector);
	if (selector == pmu->hw[PERF_COUNT_HW_CPU_CYCLES])
		counters |= BIT(HPM_CYCLE);
	if (selector == pmu->hw[PERF_COUNT_HW_INSTRUCTIONS])
		counters |= BIT(HPM_INSTRET);
	return counters & pmu->caps.counters;
}

/**
 * struct hpm_select_question - what hardware or firmware is asked
 * @pmu: the PMU, on one of whose CPUs it is asked
 * @config: of an event
 * @counters: of these counters; set to those that are able
 * @accepted: set to whether they take the configuration as it is
 */
struct hpm_select_question {
	struct hpm_pmu *pmu;
	u64 config;
	unsigned long counters;
	bool accepted;
};

static void hpm_select_ask_accepted(void *info)
{
	struct hpm_select_question *ask = info;

	ask->accepted = ask->pmu->ops->accepts(this_cpu_ptr(ask->pmu->cpu), ask->config,
					       ask->counters);
}

/**
 * hpm_select_accepted() - do the counters that can have an event take its selector as it is?
 * @pmu: the PMU
 * @selector: the selector
 *
 * Context: task context.
 * Return: whether they do, or there is no CPU to ask.
 */
bool hpm_select_accepted(struct hpm_pmu *pmu, u64 selector)
{
	struct hpm_select_question ask = {
		.pmu = pmu,
		.config = selector,
		.counters = hpm_select_counters(pmu, selector),
		.accepted = true,
	};

	smp_call_function_any(&pmu->cpus, hpm_select_ask_accepted, &ask, true);
	return ask.accepted;
}

static void hpm_select_ask_able(void *info)
{
	struct hpm_select_question *ask = info;

	ask->counters = ask->pmu->ops->able(this_cpu_ptr(ask->pmu->cpu), ask->config,
					    ask->counters);
}

/**
 * hpm_select_able() - which of some counters can count an event?
 * @pmu: the PMU
 * @config: the event's configuration
 * @counters: the counters
 *
 * Context: task context.
 * Return: those that firmware has for the event, or all if it is not firmware's to say.
 */
unsigned long hpm_select_able(struct hpm_pmu *pmu, u64 config, unsigned long counters)
{
	struct hpm_select_question ask = {
		.pmu = pmu,
		.config = config,
		.counters = counters,
	};

	if (!pmu->ops->able || !counters)
		return counters;
	smp_call_function_any(&pmu->cpus, hpm_select_ask_able, &ask, true);
	return ask.counters;
}
