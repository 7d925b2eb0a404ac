// SPDX-License-Identifier: GPL-2.0-only
/*
 * Firmware events: SBI calls, traps that firmware handles. Firmware counts them itself,
 * in counters that only it can access, whichever backend is used for the hart's counters.
 *
 * SBI calls are expensive, and OpenSBI counts an event in one counter only. So a counter
 * runs from its first use until it is needed for another kind of event. All events of a
 * kind share it, and each of them counts the difference.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bitops.h>
#include <linux/cpumask.h>
#include <linux/minmax.h>
#include <linux/perf_event.h>
#include <linux/smp.h>

#include <asm/csr_wide.h>
#include <asm/sbi.h>

#include "hpm.h"
#include "hpm_event.h"
#include "hpm_firmware.h"
#include "hpm_sbi.h"
#include "messages.h"

/* All platform firmware events have this number; the data says which one it is. */
#define SBI_PMU_FW_PLATFORM_IDX	0xffff

/* Counters have 64 bits, of which a call returns only one half on RV32. */
static struct sbiret hpm_firmware_fetch_half(int fid, int number)
{
	return hpm_sbi_call(fid, number, 0, 0, 0, 0, 0);
}

static bool hpm_firmware_fetch(int number, u64 *value)
{
	struct sbiret high = {}, low, now = {};

	do {
		if (!IS_ENABLED(CONFIG_64BIT))
			high = hpm_firmware_fetch_half(SBI_EXT_PMU_COUNTER_FW_READ_HI,
						       number);
		low = hpm_firmware_fetch_half(SBI_EXT_PMU_COUNTER_FW_READ, number);
		if (!IS_ENABLED(CONFIG_64BIT))
			now = hpm_firmware_fetch_half(SBI_EXT_PMU_COUNTER_FW_READ_HI,
						      number);
		if (high.error || low.error || now.error)
			return false;
	} while (high.value != now.value);
	*value = csr_wide_of(low.value, high.value);
	return true;
}

/*
 * What a counter has counted, since an arbitrary start. What firmware does not tell has not
 * happened; a count of 64 bits that goes back has not wrapped.
 */
static u64 hpm_firmware_total(struct hpm_firmware_cpu *fw, int number)
{
	u64 before = fw->raw[number];

	if (!hpm_firmware_fetch(number, &fw->raw[number]))
		pr_deferred_err_once("firmware's counter %d cannot be read any more\n", number);
	else if (fw->raw[number] < before)
		pr_deferred_err_once("firmware's counter %d has gone back\n", number);
	else
		fw->total[number] += fw->raw[number] - before;
	return fw->total[number];
}

static void hpm_firmware_release(struct hpm_firmware_cpu *fw, unsigned long counters)
{
	if (counters)
		hpm_sbi_call(SBI_EXT_PMU_COUNTER_STOP, 0, counters,
			     SBI_PMU_STOP_FLAG_RESET, 0, 0, 0);
	fw->ready &= ~counters;
}

/* Let firmware choose one of these counters, and start it. */
static int hpm_firmware_set_up(struct hpm_firmware_cpu *fw, u64 config,
			       unsigned long counters)
{
	bool platform = config & HPM_FIRMWARE_PLATFORM;
	u64 data = config & ~(HPM_FIRMWARE | HPM_FIRMWARE_PLATFORM);
	unsigned long event = SBI_PMU_EVENT_TYPE_FW << 16 |
		(platform ? SBI_PMU_FW_PLATFORM_IDX : data);
	struct sbiret ret;
	int number;

	if (!counters)
		return -EAGAIN;
	data = platform ? data : 0;
	ret = hpm_sbi_call(SBI_EXT_PMU_COUNTER_CFG_MATCH, 0, counters, 0, event,
			   data, csr_wide_high(data));
	if (ret.error || (unsigned long)ret.value >= BITS_PER_LONG ||
	    !(counters & BIT(ret.value)))
		return -EAGAIN;
	number = ret.value;
	ret = hpm_sbi_call(SBI_EXT_PMU_COUNTER_START, number, 1, 0, 0, 0, 0);
	if (ret.error || !hpm_firmware_fetch(number, &fw->raw[number])) {
		pr_deferred_err_once("firmware's counter %d cannot be used (%ld)\n", number,
				     ret.error);
		hpm_firmware_release(fw, BIT(number));
		return -EAGAIN;
	}
	fw->ready |= BIT(number);
	fw->config[number] = config;
	return number;
}

/* The counters that no event uses */
static unsigned long hpm_firmware_idle(struct hpm_firmware_cpu *fw)
{
	unsigned long idle = fw->found;
	int number;

	for_each_set_bit(number, &fw->found, BITS_PER_LONG) {
		if (fw->events[number])
			idle &= ~BIT(number);
	}
	return idle;
}

/* Get a counter that counts @config from now on. */
static int hpm_firmware_claim(struct hpm_firmware_cpu *fw, u64 config)
{
	unsigned long idle, kept;
	int number;

	for_each_set_bit(number, &fw->ready, BITS_PER_LONG) {
		if (fw->config[number] == config)
			return number;
	}
	idle = hpm_firmware_idle(fw);
	kept = idle & fw->ready;
	number = hpm_firmware_set_up(fw, config, idle & ~kept);
	if (number >= 0 || !kept)
		return number;
	hpm_firmware_release(fw, kept);
	return hpm_firmware_set_up(fw, config, idle);
}

static void hpm_firmware_has_here(void *info)
{
	struct perf_event *event = info;
	struct hpm_firmware_cpu *fw = &this_hpm_cpu(event)->firmware;

	if (hpm_firmware_claim(fw, event->attr.config) < 0 && hpm_firmware_idle(fw))
		event->hw.config = 0;
}

/*
 * Only firmware knows which events it has, and it can only be asked while a counter is
 * idle.
 */
static bool hpm_firmware_has(struct hpm_pmu *pmu, struct perf_event *event)
{
	smp_call_function_any(&pmu->cpus, hpm_firmware_has_here, event, true);
	return event->hw.config;
}

static bool hpm_firmware_is_of(struct perf_event *event, struct perf_event *other)
{
	return other->pmu == event->pmu && hpm_is_firmware(other);
}

/* Is this the first event of its kind in its group? */
static bool hpm_firmware_is_first(struct perf_event *event)
{
	struct perf_event *leader = event->group_leader, *sibling;

	if (leader == event)
		return true;
	if (hpm_firmware_is_of(event, leader) && leader->hw.config == event->hw.config)
		return false;
	for_each_sibling_event(sibling, leader) {
		if (sibling == event)
			break;
		if (hpm_firmware_is_of(event, sibling) &&
		    sibling->hw.config == event->hw.config)
			return false;
	}
	return true;
}

/* The event is not among its leader's siblings yet. */
static bool hpm_firmware_group_fits(struct hpm_pmu *pmu, struct perf_event *event)
{
	struct perf_event *leader = event->group_leader, *sibling;
	unsigned int kinds = hpm_firmware_is_first(event);

	if (leader == event)
		return true;
	kinds += hpm_firmware_is_of(event, leader);
	for_each_sibling_event(sibling, leader)
		kinds += hpm_firmware_is_of(event, sibling) &&
			hpm_firmware_is_first(sibling);
	return kinds <= pmu->firmware;
}

/* Firmware counters do not interrupt, and there is no mode to exclude. */
static bool hpm_firmware_cannot(struct perf_event *event)
{
	struct perf_event_attr *attr = &event->attr;

	return is_sampling_event(event) || has_branch_stack(event) ||
		attr->aux_output || attr->precise_ip || attr->exclude_user ||
		attr->exclude_kernel || attr->exclude_hv || attr->exclude_host ||
		attr->exclude_idle;
}

/**
 * hpm_firmware_open() - may this firmware event be opened?
 * @pmu: the PMU
 * @event: the event; set up if it may
 *
 * Context: task context.
 * Return: 0 or an error.
 */
int hpm_firmware_open(struct hpm_pmu *pmu, struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;
	u64 config = event->attr.config;

	if (!(config & HPM_FIRMWARE_PLATFORM) && config & ~HPM_FIRMWARE & ~0xffffULL)
		return -EINVAL;
	if (!pmu->firmware || hpm_firmware_cannot(event))
		return -EOPNOTSUPP;
	hwc->config = config;
	/* A child event can be counted if its parent can. */
	if (!event->parent && !hpm_firmware_has(pmu, event))
		return -EOPNOTSUPP;
	hwc->event_base = 0;
	hwc->idx = -1;
	hwc->flags = HPM_EVENT_FIRMWARE;
	return hpm_firmware_group_fits(pmu, event) ? 0 : -EINVAL;
}

/**
 * hpm_firmware_start() - start an event
 * @event: the event, on a counter of firmware
 *
 * Context: interrupts off.
 */
void hpm_firmware_start(struct perf_event *event)
{
	struct hpm_firmware_cpu *fw = &this_hpm_cpu(event)->firmware;

	event->hw.state = 0;
	local64_set(&event->hw.prev_count, hpm_firmware_total(fw, event->hw.idx));
	hpm_event_publish(event);
}

/**
 * hpm_firmware_read() - bring an event's count up to date
 * @event: the event, which runs
 *
 * Context: interrupts off.
 */
void hpm_firmware_read(struct perf_event *event)
{
	struct hpm_firmware_cpu *fw = &this_hpm_cpu(event)->firmware;
	u64 now = hpm_firmware_total(fw, event->hw.idx);

	local64_add(now - local64_read(&event->hw.prev_count), &event->count);
	local64_set(&event->hw.prev_count, now);
}

/**
 * hpm_firmware_stop() - stop an event
 * @event: the event, on a counter of firmware
 *
 * Context: interrupts off.
 */
void hpm_firmware_stop(struct perf_event *event)
{
	if (event->hw.state & PERF_HES_STOPPED)
		return;
	hpm_firmware_read(event);
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	hpm_event_publish(event);
}

/**
 * hpm_firmware_add() - give an event a counter
 * @event: the event
 * @flags: PERF_EF_START if it is to run
 *
 * Context: interrupts off.
 * Return: 0, or -EAGAIN if there is none.
 */
int hpm_firmware_add(struct perf_event *event, int flags)
{
	struct hpm_firmware_cpu *fw = &this_hpm_cpu(event)->firmware;
	int number = hpm_firmware_claim(fw, event->hw.config);

	if (number < 0)
		return number;
	fw->events[number]++;
	event->hw.idx = number;
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	if (flags & PERF_EF_START)
		hpm_firmware_start(event);
	return 0;
}

/**
 * hpm_firmware_del() - release the counter of an event
 * @event: the event
 *
 * Context: interrupts off.
 */
void hpm_firmware_del(struct perf_event *event)
{
	hpm_firmware_stop(event);
	this_hpm_cpu(event)->firmware.events[event->hw.idx]--;
	event->hw.idx = -1;
	hpm_event_publish(event);
}

static unsigned long hpm_firmware_find(void)
{
	unsigned long number, end, found = 0;
	union sbi_pmu_ctr_info info;

	if (sbi_probe_extension(SBI_EXT_PMU) <= 0)
		return 0;
	end = hpm_sbi_numbers_end();
	for (number = 0; number < end; number++) {
		if (hpm_sbi_info(number, &info) && info.type == SBI_PMU_CTR_TYPE_FW)
			found |= BIT(number);
	}
	return found;
}

/**
 * hpm_firmware_cpu_starting() - a CPU comes online
 * @cpu: the calling CPU
 * @first: it is the first one of the PMU
 *
 * Context: interrupts off.
 */
void hpm_firmware_cpu_starting(struct hpm_cpu *cpu, bool first)
{
	struct hpm_firmware_cpu *fw = &cpu->firmware;
	struct hpm_pmu *pmu = cpu->pmu;

	fw->found = hpm_firmware_find();
	hpm_firmware_release(fw, fw->found);
	if (pmu->sealed)
		return;
	pmu->firmware = min_t(unsigned int, hweight_long(fw->found),
			      first ? UINT_MAX : pmu->firmware);
}

/**
 * hpm_firmware_cpu_sleeps() - save all counts, which firmware may lose in deep sleep
 * @cpu: the calling CPU
 *
 * Context: interrupts off.
 */
void hpm_firmware_cpu_sleeps(struct hpm_cpu *cpu)
{
	unsigned long ready = cpu->firmware.ready;
	int number;

	for_each_set_bit(number, &ready, BITS_PER_LONG)
		hpm_firmware_total(&cpu->firmware, number);
}

/**
 * hpm_firmware_cpu_dying() - a CPU goes offline: release its counters
 * @cpu: the calling CPU
 *
 * The task that takes it offline may still have events.
 *
 * Context: interrupts off.
 */
void hpm_firmware_cpu_dying(struct hpm_cpu *cpu)
{
	hpm_firmware_cpu_sleeps(cpu);
	hpm_firmware_release(&cpu->firmware, cpu->firmware.ready);
}

/**
 * hpm_firmware_cpu_wakes() - set up the counters again after deep sleep
 * @cpu: the calling CPU
 *
 * Context: interrupts off.
 */
void hpm_firmware_cpu_wakes(struct hpm_cpu *cpu)
{
	struct hpm_firmware_cpu *fw = &cpu->firmware;
	unsigned long ready = fw->ready;
	int number;

	hpm_firmware_release(fw, ready);
	for_each_set_bit(number, &ready, BITS_PER_LONG) {
		if (hpm_firmware_set_up(fw, fw->config[number], BIT(number)) < 0)
			pr_deferred_err_once("firmware's counter %d is lost\n", number);
	}
}
