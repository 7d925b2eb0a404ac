// SPDX-License-Identifier: GPL-2.0-only
/*
 * The selector of a generic event, and the counters that can count it.
 *
 * The architecture does not number events: each core has its own selectors. With
 * delegated counters nothing tells S-mode what they are. A few cores are known by name,
 * see hpm_cores.c. Otherwise firmware knows, since it offers the same generic events
 * through SBI. So firmware is asked once, when the PMU comes up, and the answers are kept
 * here. The SBI backend passes the generic event itself to firmware, which chooses the
 * counter.
 */
#include <linux/irqflags.h>
#include <linux/nospec.h>
#include <linux/smp.h>

#include <asm/csr_sscofpmf.h>
#include <asm/sbi.h>

#include "hpm.h"

static u32 hpm_select_sbi_hw(unsigned int id)
{
	/* SBI's numbers start at 1, otherwise the two lists are the same. */
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

	/* The SBI backend uses SBI's numbers for generic events. */
	if (told & HPM_SBI_GENERIC)
		return told;
	return hpm_core_hw(cpu->pmu->core, id) ?: told;
}

/**
 * hpm_select_init() - learn the selectors of the generic events
 * @cpu: the calling CPU
 *
 * Context: on this CPU, which the task does not leave; counters idle.
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
 * Return: 0, -ENOENT if the event is not for this PMU or the CPU does not have it, or
 * -EINVAL if no such event can exist.
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
 * Return: the counters that can count the event, without regard to modes.
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
 * struct hpm_select_question - a question to hardware or firmware
 * @pmu: the PMU, on one of whose CPUs to ask
 * @config: an event's configuration
 * @counters: the counters to ask about; set to those that can count the event
 * @accepted: set to whether the counters take the configuration unchanged
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
 * hpm_select_accepted() - do counters take an event's selector unchanged?
 * @pmu: the PMU
 * @selector: the selector
 *
 * Context: task context.
 * Return: whether they do; true if there is no CPU to ask.
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
 * Return: the counters that firmware accepts, or all if it is not up to firmware.
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
