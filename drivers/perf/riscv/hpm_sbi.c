// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters that are accessed through firmware: the SBI PMU extension.
 *
 * Firmware chooses the counter for an event, by a search through tables. So it is called
 * only if an event gets a counter that is not configured for it yet. A stopped counter
 * keeps its configuration, in firmware as well. Counts are read from CSRs. They can be
 * written only by the call that starts a counter: one call for each counter, or one for
 * all if firmware takes the counts from shared memory.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bitops.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>

#include <asm/csr_sscofpmf.h>
#include <asm/csr_wide.h>
#include <asm/sbi.h>

#include "hpm.h"
#include "hpm_sbi.h"
#include "hpm_sbi_csr.h"
#include "hpm_sbi_shmem.h"
#include "messages.h"

/* SBI PMU version 3 */
#define SBI_RAW_EVENT_V2_IDX	0x30000

#define RAW_EVENT_V1		GENMASK_ULL(47, 0)

DEFINE_STATIC_KEY_FALSE(hpm_sbi_used);

/* Firmware. */

/**
 * hpm_sbi_numbers_end() - how many counters does firmware have?
 *
 * OpenSBI finds a counter for a firmware event only if the base of the mask is 0. So on
 * RV32, where a mask has 32 bits, some counters may be out of reach.
 *
 * Return: the end of firmware's counter numbers, as far as a mask can have them.
 */
unsigned long hpm_sbi_numbers_end(void)
{
	struct sbiret ret = hpm_sbi_call(SBI_EXT_PMU_NUM_COUNTERS, 0, 0, 0, 0, 0, 0);

	return ret.error ? 0 : min_t(unsigned long, ret.value, BITS_PER_LONG);
}

/**
 * hpm_sbi_info() - get the description of a counter
 * @number: firmware's number of it
 * @info: set to what firmware says
 *
 * Return: whether there is such a counter.
 */
bool hpm_sbi_info(unsigned long number, union sbi_pmu_ctr_info *info)
{
	struct sbiret ret = hpm_sbi_call(SBI_EXT_PMU_COUNTER_GET_INFO, number,
					 0, 0, 0, 0, 0);

	info->value = ret.value;
	return !ret.error;
}

static unsigned long hpm_sbi_flags(u64 config)
{
	return (config & HPMEVENT_UINH ? SBI_PMU_CFG_FLAG_SET_UINH : 0) |
	       (config & HPMEVENT_SINH ? SBI_PMU_CFG_FLAG_SET_SINH : 0) |
	       (config & HPMEVENT_VUINH ? SBI_PMU_CFG_FLAG_SET_VUINH : 0) |
	       (config & HPMEVENT_VSINH ? SBI_PMU_CFG_FLAG_SET_VSINH : 0);
}

/**
 * hpm_sbi_askable() - which counters may be offered to firmware for an event?
 * @cpu: the calling CPU
 * @config: an event's configuration
 *
 * If OpenSBI is offered counters that it does not use for cycles or instructions, it
 * returns the fixed counter instead. By then it has changed the filter of that one, even
 * if it is running.
 *
 * Return: a mask of the counters, some of which may not exist.
 */
unsigned long hpm_sbi_askable(struct hpm_cpu *cpu, u64 config)
{
	switch (config & HPM_SELECTOR) {
	case HPM_SBI_GENERIC | SBI_PMU_HW_CPU_CYCLES:
		return ~cpu->sbi.not_cycles;
	case HPM_SBI_GENERIC | SBI_PMU_HW_INSTRUCTIONS:
		return ~cpu->sbi.not_instructions;
	default:
		return ~0UL;
	}
}

/*
 * In some versions of KVM each read of a counter adds to it all that it has counted since
 * it got its event. So that total is the difference between two reads. Starting the
 * counter with another count does not reset it.
 */
static u64 hpm_sbi_add_up(struct hpm_cpu *cpu, int idx, u64 now)
{
	cpu->sbi.total[idx] = now - cpu->sbi.seen[idx];
	cpu->sbi.seen[idx] = now;
	return cpu->sbi.base[idx] + cpu->sbi.total[idx];
}

/**
 * hpm_sbi_count() - get the count of a counter
 * @cpu: the calling CPU
 * @idx: the counter
 *
 * Context: interrupts off.
 * Return: its current count, not the pending one.
 */
u64 hpm_sbi_count(struct hpm_cpu *cpu, int idx)
{
	u64 now = hpm_sbi_csr_read(idx);

	return likely(!cpu->sbi.adding) ? now : hpm_sbi_add_up(cpu, idx, now);
}

/* Change the count of a counter, which has been read since it was stopped. */
static void hpm_sbi_add_to(struct hpm_cpu *cpu, int idx, u64 value)
{
	cpu->sbi.base[idx] = value - cpu->sbi.total[idx];
	cpu->sbi.seen[idx] = value;
}

static struct sbiret hpm_sbi_call_match(struct hpm_cpu *cpu, u64 config,
					unsigned long counters)
{
	u64 data = config & HPMEVENT_EVENT;
	unsigned long event = data & ~RAW_EVENT_V1 ? SBI_RAW_EVENT_V2_IDX :
						     SBI_PMU_EVENT_RAW_IDX;

	if (config & HPM_SBI_GENERIC) {
		event = data;
		data = 0;
	}
	return hpm_sbi_call(SBI_EXT_PMU_COUNTER_CFG_MATCH, 0,
			    hpm_sbi_numbers(cpu, counters),
			    hpm_sbi_flags(config), event, data, csr_wide_high(data));
}

/*
 * OpenSBI may choose a fixed counter that it was not offered, if it has no other one
 * left, for example because it failed to release them. It has configured that counter by
 * then: release it, or configure it again for the event that it has.
 */
static void hpm_sbi_was_not_offered(struct hpm_cpu *cpu, unsigned long number)
{
	int idx = hpm_sbi_counter(cpu, cpu->sbi.found & HPM_FIXED, number);
	struct sbiret ret;

	if (idx < 0) {
		pr_deferred_err_once("firmware chooses counter %ld, which it was not offered\n",
				     (long)number);
		return;
	}
	if (!(cpu->sbi.ready & BIT(idx))) {
		hpm_sbi_release(cpu, BIT(idx));
		return;
	}
	ret = hpm_sbi_call_match(cpu, cpu->sbi.config[idx], BIT(idx));
	if (ret.error || ret.value != number) {
		cpu->counter[idx].resident = NULL;
		cpu->sbi.ready &= ~BIT(idx);
	}
}

/**
 * hpm_sbi_match() - let firmware choose and configure a counter
 * @cpu: the calling CPU
 * @config: the event's configuration
 * @counters: the counters to choose from, which are stopped
 *
 * Context: interrupts off.
 * Return: the counter, or -EAGAIN if firmware finds none.
 */
int hpm_sbi_match(struct hpm_cpu *cpu, u64 config, unsigned long counters)
{
	struct sbiret ret;
	int idx;

	counters &= hpm_sbi_askable(cpu, config);
	if (!counters)
		return -EAGAIN;
	ret = hpm_sbi_call_match(cpu, config, counters);
	if (ret.error)
		return -EAGAIN;
	idx = hpm_sbi_counter(cpu, counters, ret.value);
	if (idx < 0) {
		hpm_sbi_was_not_offered(cpu, ret.value);
		return -EAGAIN;
	}
	cpu->sbi.ready |= BIT(idx);
	cpu->sbi.config[idx] = config;
	/* Firmware may have changed the count, though it was not asked to. */
	cpu->counter[idx].spent = true;
	if (unlikely(cpu->sbi.adding)) {
		cpu->sbi.seen[idx] = hpm_sbi_csr_read(idx);
		cpu->sbi.total[idx] = 0;
	}
	return idx;
}

/* Record where a counter was stopped. It will continue from there. */
static void hpm_sbi_stands_at(struct hpm_cpu *cpu, int idx, u64 count)
{
	cpu->sbi.value[idx] = count;
	cpu->sbi.pending |= BIT(idx);
}

static long hpm_sbi_call_stop(struct hpm_cpu *cpu, unsigned long mask,
			      unsigned long flags)
{
	return hpm_sbi_call(SBI_EXT_PMU_COUNTER_STOP, 0, hpm_sbi_numbers(cpu, mask),
			    flags, 0, 0, 0).error;
}

/* See hpm_sbi_lcofi_forgets(); for counters that have just been stopped */
static void hpm_sbi_look_for_overflows(struct hpm_cpu *cpu, unsigned long mask)
{
	if (unlikely(cpu->sbi.forgets))
		cpu->sbi.overflowed |= mask & csr_read(CSR_THEAD_SCOUNTEROF);
}

static bool hpm_sbi_stand_still(long error)
{
	return likely(!error || error == SBI_ERR_ALREADY_STOPPED);
}

/* A counter that fails this often within this time is left alone until the time is over. */
#define HPM_SBI_LOST_MOST	16
#define HPM_SBI_LOST_TIME	HZ

static bool hpm_sbi_lost_lately(struct hpm_cpu *cpu, int idx)
{
	return cpu->sbi.lost[idx] &&
		time_before_eq(jiffies, cpu->sbi.lost_at[idx] + HPM_SBI_LOST_TIME);
}

static bool hpm_sbi_fails_too_often(struct hpm_cpu *cpu, int idx)
{
	return cpu->sbi.lost[idx] >= HPM_SBI_LOST_MOST && hpm_sbi_lost_lately(cpu, idx);
}

static void hpm_sbi_count_lost(struct hpm_cpu *cpu, int idx)
{
	if (!hpm_sbi_lost_lately(cpu, idx)) {
		cpu->sbi.lost[idx] = 0;
		cpu->sbi.lost_at[idx] = jiffies;
	}
	if (hpm_sbi_fails_too_often(cpu, idx))
		return;
	if (++cpu->sbi.lost[idx] == HPM_SBI_LOST_MOST)
		pr_deferred_err_once("firmware's counter %u fails too often, and is left alone for a while\n",
				     cpu->sbi.number[idx]);
}

/*
 * Firmware has failed to start or stop a counter. Its event keeps the count so far, and
 * has to find another counter. This one is not used again until firmware has started and
 * stopped it successfully. Firmware may succeed whenever this is tested, but fail again
 * for the event. Then events would look for counters forever, so the number of attempts
 * is limited.
 */
static void hpm_sbi_lose(struct hpm_cpu *cpu, int idx)
{
	hpm_sbi_count_lost(cpu, idx);
	if (!(cpu->sbi.pending & BIT(idx)))
		hpm_sbi_stands_at(cpu, idx, hpm_sbi_count(cpu, idx));
	if (cpu->counter[idx].event && !(cpu->sbi.astray & BIT(idx)))
		irq_work_queue(&cpu->again);
	cpu->counter[idx].resident = NULL;
	cpu->sbi.ready &= ~BIT(idx);
	cpu->sbi.astray |= BIT(idx);
}

/* A counter that does not start does not count, see hpm_sbi_lose(). */
static bool hpm_sbi_call_start(unsigned long base, unsigned long mask,
			       unsigned long flags, u64 value)
{
	struct sbiret ret = hpm_sbi_call(SBI_EXT_PMU_COUNTER_START, base, mask,
					 flags, value, csr_wide_high(value), 0);

	if (unlikely(ret.error))
		pr_deferred_err_once("firmware does not start counters %#lx from %lu on (%ld)\n",
				     mask, base, ret.error);
	return !ret.error;
}

/**
 * hpm_sbi_start_from() - start a counter from a given count
 * @cpu: the calling CPU
 * @idx: the counter
 * @value: the count
 *
 * Context: interrupts off.
 * Return: whether firmware has started it.
 */
bool hpm_sbi_start_from(struct hpm_cpu *cpu, int idx, u64 value)
{
	if (unlikely(cpu->sbi.adding)) {
		hpm_sbi_count(cpu, idx);
		hpm_sbi_add_to(cpu, idx, value);
	}
	cpu->sbi.value[idx] = value;
	return hpm_sbi_call_start(cpu->sbi.number[idx], 1,
				  SBI_PMU_START_FLAG_SET_INIT_VALUE, value);
}

static long hpm_sbi_try_start_shared(struct hpm_cpu *cpu, unsigned long mask)
{
	u64 *values = cpu->sbi.shared->ctr_values;
	int idx;

	for_each_set_bit(idx, &mask, HPM_NUM)
		WRITE_ONCE(values[cpu->sbi.number[idx]], cpu->sbi.value[idx]);
	return hpm_sbi_call(SBI_EXT_PMU_COUNTER_START, 0, hpm_sbi_numbers(cpu, mask),
			    SBI_PMU_START_FLAG_INIT_SNAPSHOT, 0, 0, 0).error;
}

/* Log this once only, for starts and stops. */
static void hpm_sbi_tells_less(long error)
{
	pr_deferred_err_once("firmware does not tell which counters overflow (%ld): told by their counts\n",
			     error);
}

/* Firmware may have forgotten the page, or not support it after all. */
static bool hpm_sbi_call_start_shared(struct hpm_cpu *cpu, unsigned long mask)
{
	long error = hpm_sbi_try_start_shared(cpu, mask);

	if (likely(!error))
		return true;
	if (error == SBI_ERR_NO_SHMEM) {
		cpu->sbi.shared = hpm_sbi_shmem_give();
		if (cpu->sbi.shared)
			error = hpm_sbi_try_start_shared(cpu, mask);
	}
	if (!error || error == SBI_ERR_ALREADY_STARTED)
		return true;
	if (cpu->sbi.told)
		hpm_sbi_tells_less(error);
	else
		pr_deferred_err_once("firmware does not start counters %#lx from shared memory (%ld)\n",
				     hpm_sbi_numbers(cpu, mask), error);
	cpu->sbi.shared = NULL;
	return false;
}

/* Start all counters by one call, each from its count. */
static bool hpm_sbi_start_shared(struct hpm_cpu *cpu, unsigned long mask)
{
	int idx;

	for_each_set_bit(idx, &mask, HPM_NUM) {
		cpu->sbi.value[idx] = hpm_sbi_read(cpu, idx);
		cpu->sbi.pending |= BIT(idx);
	}
	if (!hpm_sbi_call_start_shared(cpu, mask))
		return false;
	cpu->sbi.pending &= ~mask;
	if (likely(!cpu->sbi.adding))
		return true;
	for_each_set_bit(idx, &mask, HPM_NUM)
		hpm_sbi_add_to(cpu, idx, cpu->sbi.value[idx]);
	return true;
}

/*
 * Use shared memory if it saves calls. It cannot be used for a counter that does not
 * stop, since that has no count to write back. If firmware reports overflows, always use
 * it: KVM forgets reported overflows only then.
 */
static bool hpm_sbi_starts_shared(struct hpm_cpu *cpu, unsigned long mask)
{
	if (!cpu->sbi.shared || cpu->sbi.restless || mask & cpu->sbi.astray)
		return false;
	if (cpu->sbi.told)
		return true;
	return !cpu->sbi.adding && mask & cpu->sbi.pending && mask & (mask - 1);
}

/**
 * hpm_sbi_release() - release counters in firmware
 * @cpu: the calling CPU
 * @counters: the counters, which are stopped
 *
 * Pending counts are discarded.
 *
 * Context: interrupts off.
 */
void hpm_sbi_release(struct hpm_cpu *cpu, unsigned long counters)
{
	unsigned long ready = cpu->sbi.adding ? counters & cpu->sbi.ready : 0;
	int idx;

	for_each_set_bit(idx, &ready, HPM_NUM)
		cpu->sbi.base[idx] = hpm_sbi_count(cpu, idx);
	hpm_sbi_call(SBI_EXT_PMU_COUNTER_STOP, 0, hpm_sbi_numbers(cpu, counters),
		     SBI_PMU_STOP_FLAG_RESET, 0, 0, 0);
	cpu->sbi.ready &= ~counters;
	cpu->sbi.pending &= ~counters;
	cpu->sbi.overflowed &= ~counters;
	for_each_set_bit(idx, &counters, HPM_NUM)
		cpu->counter[idx].resident = NULL;
}

static int hpm_sbi_find_ready(struct hpm_cpu *cpu, u64 config, unsigned long ready,
			      int last)
{
	int idx;

	if (last >= 0 && ready & BIT(last) && cpu->sbi.config[last] == config)
		return last;
	for_each_set_bit(idx, &ready, HPM_NUM) {
		if (cpu->sbi.config[idx] == config)
			return idx;
	}
	return -EAGAIN;
}

/*
 * Try counters again that firmware has failed to start or stop. Returns those that still
 * fail, which must not be offered to firmware.
 */
static unsigned long hpm_sbi_still_astray(struct hpm_cpu *cpu, u64 config,
					  unsigned long astray)
{
	int idx;

	for_each_set_bit(idx, &astray, HPM_NUM) {
		if (hpm_sbi_fails_too_often(cpu, idx))
			continue;
		hpm_sbi_release(cpu, BIT(idx));
		if (hpm_sbi_match(cpu, config, BIT(idx)) < 0)
			continue;
		cpu->sbi.astray &= ~BIT(idx);
		if (!hpm_sbi_start_from(cpu, idx, 0))
			hpm_sbi_lose(cpu, idx);
		hpm_sbi_stop(cpu, BIT(idx));
		hpm_sbi_release(cpu, BIT(idx));
	}
	return astray & cpu->sbi.astray;
}

static int hpm_sbi_set_up(struct hpm_cpu *cpu, u64 config, unsigned long counters)
{
	unsigned long astray = counters & cpu->sbi.astray;
	unsigned long ready;
	int idx;

	if (unlikely(astray))
		counters &= ~hpm_sbi_still_astray(cpu, config, astray);
	ready = counters & cpu->sbi.ready;
	idx = hpm_sbi_match(cpu, config, counters & ~ready);
	if (idx >= 0 || !ready)
		return idx;
	hpm_sbi_release(cpu, ready);
	return hpm_sbi_match(cpu, config, counters);
}

/*
 * Continue from the counter's current count. Without a pending one the counter can be started
 * together with others. Most counts will do, but a counter must not be about to wrap, as after
 * sampling. And a narrow one must be higher than it can be when its wrap is handled, since the
 * wrap is known by the lower count. Otherwise let it run for a moment from a count that does:
 * see hpm_event_first_count().
 */
static void hpm_sbi_take_count(struct hpm_cpu *cpu, int idx)
{
	struct hpm_counter *counter = &cpu->counter[idx];
	u64 first = counter->max == U64_MAX ? 0 : (counter->max >> 1) + 1;

	if (!counter->spent)
		return;
	cpu->sbi.overflowed &= ~BIT(idx);
	if (((hpm_sbi_count(cpu, idx) - first) & counter->max) > counter->max >> 2) {
		hpm_sbi_start_from(cpu, idx, first);
		hpm_sbi_stop(cpu, BIT(idx));
	}
	if (likely(!(cpu->sbi.astray & BIT(idx))))
		cpu->sbi.pending &= ~BIT(idx);
	counter->value = hpm_sbi_read(cpu, idx);
	counter->spent = false;
}

static int hpm_sbi_claim_of(struct hpm_cpu *cpu, u64 config, unsigned long counters,
			    int last, bool goes_on)
{
	int idx = hpm_sbi_find_ready(cpu, config, counters & cpu->sbi.ready, last);

	if (idx < 0)
		idx = hpm_sbi_set_up(cpu, config, counters);
	if (idx < 0)
		return idx;
	if (cpu->legacy & BIT(idx))
		hpm_sbi_stop(cpu, BIT(idx));
	cpu->counter[idx].config = config;
	/* It has counted on since its last event. */
	if (unlikely(cpu->sbi.restless))
		cpu->counter[idx].spent = true;
	if (goes_on)
		hpm_sbi_take_count(cpu, idx);
	return idx;
}

/**
 * hpm_sbi_claim_any() - the slow path of hpm_sbi_claim()
 * @cpu: the calling CPU
 * @config: the event's configuration
 * @counters: the free counters that it can use
 * @last: the one that it had last, or -1
 * @goes_on: it continues from the counter's current count
 *
 * Context: interrupts off.
 * Return: the counter, or -EAGAIN if firmware finds none.
 */
int hpm_sbi_claim_any(struct hpm_cpu *cpu, u64 config, unsigned long counters,
		      int last, bool goes_on)
{
	unsigned long fixed = counters & HPM_FIXED;
	int idx = -EAGAIN;

	if (fixed)
		idx = hpm_sbi_claim_of(cpu, config, fixed, last, goes_on);
	if (idx < 0)
		idx = hpm_sbi_claim_of(cpu, config, counters & ~fixed, last, goes_on);
	return idx;
}

/*
 * Firmware forgets that a counter has overflowed when it starts it again: take what was found
 * while it was stopped as an interrupt.
 */
static void hpm_sbi_ask_for_late(struct hpm_cpu *cpu, unsigned long mask)
{
	if (unlikely(cpu->sbi.forgets && cpu->sbi.overflowed & mask))
		irq_work_queue(&cpu->late);
}

/*
 * Some counters may have started, and a running counter does not take a count. So stop
 * them, and start each by a call of its own.
 */
static void hpm_sbi_start_again(struct hpm_cpu *cpu, unsigned long mask)
{
	int idx;

	hpm_sbi_call_stop(cpu, mask, 0);
	hpm_sbi_look_for_overflows(cpu, mask);
	hpm_sbi_ask_for_late(cpu, mask);
	for_each_set_bit(idx, &mask, HPM_NUM) {
		if (!(cpu->sbi.pending & BIT(idx)))
			hpm_sbi_stands_at(cpu, idx, hpm_sbi_count(cpu, idx));
		if (hpm_sbi_start_from(cpu, idx, cpu->sbi.value[idx]))
			cpu->sbi.pending &= ~BIT(idx);
		else
			hpm_sbi_lose(cpu, idx);
	}
}

/**
 * hpm_sbi_start() - start counters
 * @cpu: the calling CPU
 * @mask: the counters
 *
 * Context: interrupts off.
 */
void hpm_sbi_start(struct hpm_cpu *cpu, unsigned long mask)
{
	unsigned long failed = 0;
	unsigned long anew;
	int idx;

	if (!mask)
		return;
	hpm_sbi_ask_for_late(cpu, mask);
	if (hpm_sbi_starts_shared(cpu, mask) && hpm_sbi_start_shared(cpu, mask))
		return;
	anew = mask & cpu->sbi.pending;
	mask &= ~anew;
	if (mask && !hpm_sbi_call_start(0, hpm_sbi_numbers(cpu, mask), 0, 0))
		failed = mask;
	for_each_set_bit(idx, &anew, HPM_NUM) {
		if (likely(hpm_sbi_start_from(cpu, idx, cpu->sbi.value[idx])))
			cpu->sbi.pending &= ~BIT(idx);
		else
			failed |= BIT(idx);
	}
	if (unlikely(failed))
		hpm_sbi_start_again(cpu, failed);
}

/*
 * Get what firmware has reported about counters that have just been stopped. Counters of
 * a KVM that adds up are not read again. They will be started from their count, so that
 * KVM knows when they overflow.
 */
static void hpm_sbi_take_snapshot(struct hpm_cpu *cpu, unsigned long mask)
{
	struct riscv_pmu_snapshot_data *shared = cpu->sbi.shared;
	u64 overflowed = READ_ONCE(shared->ctr_overflow_mask);
	int idx;

	WRITE_ONCE(shared->ctr_overflow_mask, 0);
	for_each_set_bit(idx, &mask, HPM_NUM) {
		u64 *told = &shared->ctr_values[cpu->sbi.number[idx]];

		if (overflowed & BIT_ULL(cpu->sbi.number[idx]))
			cpu->sbi.overflowed |= BIT(idx);
		if (cpu->sbi.adding && !(cpu->sbi.pending & BIT(idx)))
			hpm_sbi_stands_at(cpu, idx,
					  hpm_sbi_add_up(cpu, idx, READ_ONCE(*told)));
	}
}

/*
 * Firmware has reported nothing about counters that have just been stopped. A counter has
 * overflowed if it is below the count that it was last given: it has wrapped, and is too
 * far from wrapping a second time.
 */
static void hpm_sbi_look_instead(struct hpm_cpu *cpu, unsigned long mask)
{
	int idx;

	if (cpu->sbi.shared)
		WRITE_ONCE(cpu->sbi.shared->ctr_overflow_mask, 0);
	mask &= ~cpu->sbi.pending;
	for_each_set_bit(idx, &mask, HPM_NUM) {
		u64 max = cpu->counter[idx].max, count;

		/*
		 * It is not known how often it was read, but two reads in a row differ by
		 * its total.
		 */
		cpu->sbi.seen[idx] = hpm_sbi_csr_read(idx);
		count = hpm_sbi_count(cpu, idx);
		if ((count & max) < (cpu->sbi.value[idx] & max))
			cpu->sbi.overflowed |= BIT(idx);
		if (cpu->sbi.adding)
			hpm_sbi_stands_at(cpu, idx, count);
	}
}

/*
 * If firmware has forgotten the page, share it again. If that does not help, do not ask
 * for snapshots any more until the CPU comes back from deep sleep.
 */
static long hpm_sbi_try_stop_shared(struct hpm_cpu *cpu, unsigned long mask)
{
	long error = hpm_sbi_call_stop(cpu, mask, SBI_PMU_STOP_FLAG_TAKE_SNAPSHOT);

	if (likely(error != SBI_ERR_NO_SHMEM))
		return error;
	cpu->sbi.shared = hpm_sbi_shmem_give();
	if (cpu->sbi.shared)
		error = hpm_sbi_call_stop(cpu, mask, SBI_PMU_STOP_FLAG_TAKE_SNAPSHOT);
	if (error == SBI_ERR_NO_SHMEM)
		cpu->sbi.shared = NULL;
	return error;
}

/* Stop counters, and let firmware report which of them have overflowed. */
static long hpm_sbi_stop_told(struct hpm_cpu *cpu, unsigned long mask)
{
	long error = cpu->sbi.shared ? hpm_sbi_try_stop_shared(cpu, mask) :
				       SBI_ERR_NO_SHMEM;

	if (likely(!error)) {
		hpm_sbi_take_snapshot(cpu, mask);
		return 0;
	}
	/* Firmware may be unable to take a snapshot, but able to stop them. */
	if (!hpm_sbi_stand_still(error)) {
		hpm_sbi_tells_less(error);
		error = hpm_sbi_call_stop(cpu, mask, 0);
	}
	hpm_sbi_look_instead(cpu, mask);
	return error;
}

static void hpm_sbi_stop_each(struct hpm_cpu *cpu, unsigned long mask)
{
	int idx;

	for_each_set_bit(idx, &mask, HPM_NUM) {
		if (!hpm_sbi_stand_still(hpm_sbi_call_stop(cpu, BIT(idx), 0)))
			hpm_sbi_lose(cpu, idx);
	}
}

/**
 * hpm_sbi_stop() - stop counters, all at once
 * @cpu: the calling CPU
 * @mask: the counters
 *
 * Context: interrupts off.
 */
void hpm_sbi_stop(struct hpm_cpu *cpu, unsigned long mask)
{
	long error;

	if (!mask)
		return;
	error = unlikely(cpu->sbi.told) ? hpm_sbi_stop_told(cpu, mask) :
					  hpm_sbi_call_stop(cpu, mask, 0);
	hpm_sbi_look_for_overflows(cpu, mask);
	if (hpm_sbi_stand_still(error))
		return;
	pr_deferred_err_once("firmware does not stop counters %#lx (%ld)\n",
			     hpm_sbi_numbers(cpu, mask), error);
	hpm_sbi_stop_each(cpu, mask);
}

/**
 * hpm_sbi_set_value() - set a counter's count, to be written when it is started
 * @cpu: the calling CPU
 * @idx: the counter, which is stopped
 * @value: the count
 *
 * Context: interrupts off.
 */
void hpm_sbi_set_value(struct hpm_cpu *cpu, int idx, u64 value)
{
	cpu->counter[idx].resident = NULL;
	cpu->sbi.value[idx] = value;
	cpu->sbi.pending |= BIT(idx);
	cpu->sbi.overflowed &= ~BIT(idx);
}

/**
 * hpm_sbi_unfiltered() - get the event of a fixed counter
 * @idx: a counter
 *
 * Return: the configuration of its event, in all modes; 0 if it is not fixed.
 */
u64 hpm_sbi_unfiltered(int idx)
{
	switch (idx) {
	case HPM_CYCLE:
		return HPM_SBI_GENERIC | SBI_PMU_HW_CPU_CYCLES;
	case HPM_INSTRET:
		return HPM_SBI_GENERIC | SBI_PMU_HW_INSTRUCTIONS;
	default:
		return 0;
	}
}

/**
 * hpm_sbi_set_config() - configure a counter for another event
 * @cpu: the calling CPU
 * @idx: the counter, which is stopped
 * @config: the event's configuration, or 0 for none
 *
 * A fixed counter without an event is configured for its own event, in all modes.
 *
 * Context: interrupts off.
 */
void hpm_sbi_set_config(struct hpm_cpu *cpu, int idx, u64 config)
{
	config = config ?: hpm_sbi_unfiltered(idx);
	if (cpu->sbi.ready & BIT(idx) && cpu->sbi.config[idx] == config)
		return;
	if (!config)
		return;
	hpm_sbi_release(cpu, BIT(idx));
	if (hpm_sbi_match(cpu, config, BIT(idx)) < 0)
		pr_deferred_err_once("firmware does not configure counter %d again\n",
				     idx);
}

/**
 * hpm_sbi_load() - configure a counter for another event, and set its count
 * @cpu: the calling CPU
 * @idx: the counter, which is stopped
 * @config: the event's configuration, or 0 for none
 * @value: the count
 *
 * Context: interrupts off.
 */
void hpm_sbi_load(struct hpm_cpu *cpu, int idx, u64 config, u64 value)
{
	hpm_sbi_set_config(cpu, idx, config);
	hpm_sbi_set_value(cpu, idx, value);
}
