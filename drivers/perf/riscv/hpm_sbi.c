// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters that are reached through firmware: the SBI PMU extension.
 *
 * Firmware chooses the counter for an event, which is a search through tables. So
 * it is asked only when an event takes a counter that is not set up for it: a
 * counter that stands still keeps its configuration, in firmware as well. Counts
 * are read by CSR. They are written only by the call that starts a counter: each by
 * one of its own, but all by one if firmware finds them in memory that it shares.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bitops.h>
#include <linux/cpumask.h>
#include <linux/io.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include <asm/csr_probe.h>
#include <asm/csr_sscofpmf.h>
#include <asm/sbi.h>

#include "hpm.h"
#include "hpm_deleg.h"
#include "hpm_sbi.h"
#include "hpm_sbi_csr.h"
#include "hpm_sbi_shmem.h"
#include "isa.h"

/* SBI PMU version 3 */
#define SBI_RAW_EVENT_V2_IDX	0x30000
/* Narrower ones would go round while an overflow is being served. */
#define LEAST_WIDTH		32

#define RAW_EVENT_V1		GENMASK_ULL(47, 0)
#define EVENT_GET_INFO		8

/* T-Head C9xx, without Sscofpmf: the bits of its interrupt, and who overflowed. */
#define THEAD_VENDOR		0x5b7
#define THEAD_IRQ		17
#define CSR_THEAD_SCOUNTEROF	0x5c5

/* Andes, without Sscofpmf: a local interrupt with registers of its own. */
#define ANDES_IRQ_BASE		256
#define ANDES_IRQ		18
#define CSR_ANDES_SLIP		0x9c5
#define CSR_ANDES_SCOUNTEROVF	0x9d4

DEFINE_STATIC_KEY_FALSE(hpm_sbi_used);

/* Which counters have overflowed is read from different CSRs, or told by firmware. */
static enum {
	LCOFI_NONE,
	LCOFI_STANDARD,
	LCOFI_TOLD,
	LCOFI_THEAD,
	LCOFI_ANDES,
} hpm_sbi_lcofi;

/* The modes that filters know. */
static u64 hpm_sbi_modes;

/* Whose programmable counters interrupt: CPUs may differ in this. */
static struct cpumask hpm_sbi_sscofpmf;

/* Is there siselect? What reads records of branches changes it. */
static bool hpm_sbi_has_select;

/* Firmware. */

/**
 * hpm_sbi_call() - call firmware
 * @fid: the function of the SBI PMU extension
 * @a0: its first argument
 * @a1: the second
 * @a2: the third
 * @a3: the fourth
 * @a4: the last
 *
 * Return: what firmware returns.
 */
struct sbiret hpm_sbi_call(int fid, unsigned long a0, unsigned long a1,
			   unsigned long a2, unsigned long a3, unsigned long a4)
{
	return sbi_ecall(SBI_EXT_PMU, fid, a0, a1, a2, a3, a4, 0);
}

/**
 * hpm_sbi_numbers_end() - how many counters does firmware have?
 *
 * Return: the end of firmware's numbers of counters, as far as calls can name them.
 */
unsigned long hpm_sbi_numbers_end(void)
{
	struct sbiret ret = hpm_sbi_call(SBI_EXT_PMU_NUM_COUNTERS, 0, 0, 0, 0, 0);

	return ret.error ? 0 : min_t(unsigned long, ret.value, BITS_PER_LONG);
}

/**
 * hpm_sbi_info() - what is a counter?
 * @number: firmware's number of it
 * @info: set to what firmware says
 *
 * Return: whether there is such a counter.
 */
bool hpm_sbi_info(unsigned long number, union sbi_pmu_ctr_info *info)
{
	struct sbiret ret = hpm_sbi_call(SBI_EXT_PMU_COUNTER_GET_INFO, number,
					 0, 0, 0, 0);

	info->value = ret.value;
	return !ret.error;
}

/**
 * struct hpm_sbi_event_info - what firmware is asked of an event, and answers
 * @event: SBI's number of it
 * @has: bit 0: firmware can count it
 * @data: the selector of a raw event
 */
struct hpm_sbi_event_info {
	__le32 event;
	__le32 has;
	__le64 data;
} __aligned(16);

/* Returns false if firmware does not say. */
static bool hpm_sbi_event_info(u32 event, bool *has)
{
	struct hpm_sbi_event_info *info = kzalloc(sizeof(*info), GFP_ATOMIC);
	struct sbiret ret;

	if (!info)
		return false;
	info->event = cpu_to_le32(event);
	ret = hpm_sbi_call(EVENT_GET_INFO, virt_to_phys(info), 0, 1, 0, 0);
	*has = le32_to_cpu(info->has) & BIT(0);
	kfree(info);
	return !ret.error;
}

/* Firmware's numbers are most often the counters'. */
static unsigned long hpm_sbi_numbers(struct hpm_cpu *cpu, unsigned long counters)
{
	unsigned long mask = 0;
	int idx;

	for_each_set_bit(idx, &counters, HPM_NUM)
		mask |= BIT(cpu->sbi.number[idx]);
	return mask;
}

static int hpm_sbi_counter(struct hpm_cpu *cpu, unsigned long counters,
			   unsigned long number)
{
	int idx;

	for_each_set_bit(idx, &counters, HPM_NUM) {
		if (cpu->sbi.number[idx] == number)
			return idx;
	}
	return -ENOENT;
}

static unsigned long hpm_sbi_flags(u64 config)
{
	return (config & HPMEVENT_UINH ? SBI_PMU_CFG_FLAG_SET_UINH : 0) |
	       (config & HPMEVENT_SINH ? SBI_PMU_CFG_FLAG_SET_SINH : 0) |
	       (config & HPMEVENT_VUINH ? SBI_PMU_CFG_FLAG_SET_VUINH : 0) |
	       (config & HPMEVENT_VSINH ? SBI_PMU_CFG_FLAG_SET_VSINH : 0);
}

/*
 * OpenSBI, asked for cycles or instructions in other counters than the fixed one, may
 * answer with that all the same, and has changed its filter by then, even if it runs.
 */
static unsigned long hpm_sbi_askable(struct hpm_cpu *cpu, u64 config)
{
	if (cpu->sbi.fixed_only) {
		if ((config & HPM_SELECTOR) == (HPM_SBI_GENERIC | SBI_PMU_HW_CPU_CYCLES))
			return BIT(HPM_CYCLE);
		if ((config & HPM_SELECTOR) == (HPM_SBI_GENERIC | SBI_PMU_HW_INSTRUCTIONS))
			return BIT(HPM_INSTRET);
	}
	return ~0UL;
}

/*
 * KVM, up to Linux 7.2 at least, answers who reads a counter by adding to it all that
 * has been counted since it has its event, each time: so that is the difference. A new
 * beginning does not forget it.
 */
static u64 hpm_sbi_add_up(struct hpm_cpu *cpu, int idx, u64 now)
{
	cpu->sbi.total[idx] = now - cpu->sbi.seen[idx];
	cpu->sbi.seen[idx] = now;
	return cpu->sbi.base[idx] + cpu->sbi.total[idx];
}

static u64 hpm_sbi_count(struct hpm_cpu *cpu, int idx)
{
	u64 now = hpm_sbi_csr_read(idx);

	return likely(!cpu->sbi.adding) ? now : hpm_sbi_add_up(cpu, idx, now);
}

/* From now on a counter has another count; it has been looked at since it stands still. */
static void hpm_sbi_add_to(struct hpm_cpu *cpu, int idx, u64 value)
{
	cpu->sbi.base[idx] = value - cpu->sbi.total[idx];
	cpu->sbi.seen[idx] = value;
}

/* Let firmware choose one of these counters, and set it up. */
static int hpm_sbi_match(struct hpm_cpu *cpu, u64 config, unsigned long counters)
{
	u64 data = config & HPMEVENT_EVENT;
	unsigned long event = data & ~RAW_EVENT_V1 ? SBI_RAW_EVENT_V2_IDX :
						     SBI_PMU_EVENT_RAW_IDX;
	struct sbiret ret;
	int idx;

	counters &= hpm_sbi_askable(cpu, config);
	if (!counters)
		return -EAGAIN;
	if (config & HPM_SBI_GENERIC) {
		event = data;
		data = 0;
	}
	ret = hpm_sbi_call(SBI_EXT_PMU_COUNTER_CFG_MATCH, 0,
			   hpm_sbi_numbers(cpu, counters),
			   hpm_sbi_flags(config), event, data);
	if (ret.error)
		return -EAGAIN;
	idx = hpm_sbi_counter(cpu, counters, ret.value);
	if (idx < 0) {
		if (hpm_sbi_counter(cpu, cpu->sbi.found & HPM_FIXED, ret.value) < 0)
			pr_err_once("firmware chooses counter %ld, which it was not offered\n",
				    ret.value);
		return -EAGAIN;
	}
	cpu->sbi.ready |= BIT(idx);
	cpu->sbi.config[idx] = config;
	if (unlikely(cpu->sbi.adding)) {
		cpu->sbi.seen[idx] = hpm_sbi_csr_read(idx);
		cpu->sbi.total[idx] = 0;
	}
	return idx;
}

/* What does not start is seen as an event that does not count. */
static bool hpm_sbi_call_start(unsigned long base, unsigned long mask,
			       unsigned long flags, u64 value)
{
	struct sbiret ret = hpm_sbi_call(SBI_EXT_PMU_COUNTER_START, base, mask,
					 flags, value, 0);

	if (unlikely(ret.error))
		pr_err_once("firmware does not start counters %#lx from %lu on (%ld)\n",
			    mask, base, ret.error);
	return !ret.error;
}

static bool hpm_sbi_start_from(struct hpm_cpu *cpu, int idx, u64 value)
{
	if (unlikely(cpu->sbi.adding)) {
		hpm_sbi_count(cpu, idx);
		hpm_sbi_add_to(cpu, idx, value);
	}
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
			    SBI_PMU_START_FLAG_INIT_SNAPSHOT, 0, 0).error;
}

/* Firmware may have forgotten the page, or never had a use for it, whatever it said. */
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
	if (hpm_sbi_lcofi == LCOFI_TOLD)
		pr_err_once("firmware does not tell which counters overflow any more: there are no samples\n");
	else
		pr_err_once("firmware does not start counters %#lx by what it shares (%ld)\n",
			    hpm_sbi_numbers(cpu, mask), error);
	cpu->sbi.shared = NULL;
	return false;
}

/* All at once, each from what it is. */
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
 * One call for all counts instead of one for each; what cannot stand still has none
 * that could be written back. What KVM has told of overflows it forgets only so.
 */
static bool hpm_sbi_starts_shared(struct hpm_cpu *cpu, unsigned long mask)
{
	if (!cpu->sbi.shared || cpu->sbi.restless)
		return false;
	if (hpm_sbi_lcofi == LCOFI_TOLD)
		return true;
	return !cpu->sbi.adding && mask & cpu->sbi.pending && mask & (mask - 1);
}

/* These stand still and have no event. What they were to begin with is forgotten. */
static void hpm_sbi_release(struct hpm_cpu *cpu, unsigned long counters)
{
	unsigned long unwritten = counters & cpu->sbi.pending;
	unsigned long ready = cpu->sbi.adding ? counters & cpu->sbi.ready : 0;
	int idx;

	for_each_set_bit(idx, &ready, HPM_NUM)
		cpu->sbi.base[idx] = hpm_sbi_count(cpu, idx);
	hpm_sbi_call(SBI_EXT_PMU_COUNTER_STOP, 0, hpm_sbi_numbers(cpu, counters),
		     SBI_PMU_STOP_FLAG_RESET, 0, 0);
	cpu->sbi.ready &= ~counters;
	cpu->sbi.pending &= ~counters;
	for_each_set_bit(idx, &unwritten, HPM_NUM)
		cpu->counter[idx].value = HPM_UNKNOWN;
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

static int hpm_sbi_set_up(struct hpm_cpu *cpu, u64 config, unsigned long counters)
{
	unsigned long ready = counters & cpu->sbi.ready;
	int idx = hpm_sbi_match(cpu, config, counters & ~ready);

	if (idx >= 0 || !ready)
		return idx;
	hpm_sbi_release(cpu, ready);
	return hpm_sbi_match(cpu, config, counters);
}

/*
 * A count that nobody wrote is as good as another one to count from, and lets the
 * counter start together with others. If it is about to go round, as after
 * sampling, the counter runs for a moment to begin elsewhere.
 */
static void hpm_sbi_take_count(struct hpm_cpu *cpu, int idx)
{
	struct hpm_counter *counter = &cpu->counter[idx];

	if (counter->value != HPM_UNKNOWN)
		return;
	if (hpm_sbi_count(cpu, idx) > counter->max >> 1) {
		hpm_sbi_start_from(cpu, idx, 0);
		hpm_sbi_stop(cpu, BIT(idx));
	}
	cpu->sbi.pending &= ~BIT(idx);
	counter->value = hpm_sbi_count(cpu, idx);
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
	/* What it has counted since its last event is nobody's. */
	if (unlikely(cpu->sbi.restless))
		cpu->counter[idx].value = HPM_UNKNOWN;
	if (goes_on)
		hpm_sbi_take_count(cpu, idx);
	return idx;
}

/**
 * hpm_sbi_claim() - have a counter set up for an event
 * @cpu: the calling CPU
 * @config: the event's configuration
 * @counters: the counters that it can be on and that are free
 * @last: the one that it had last, or -1
 * @goes_on: it can count on from where the counter is, and is not given a count
 *
 * Context: interrupts off.
 * Return: the counter, or -EAGAIN if firmware finds none.
 */
int hpm_sbi_claim(struct hpm_cpu *cpu, u64 config, unsigned long counters,
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

/**
 * hpm_sbi_start() - let counters run
 * @cpu: the calling CPU
 * @mask: the counters
 *
 * Context: interrupts off.
 */
void hpm_sbi_start(struct hpm_cpu *cpu, unsigned long mask)
{
	unsigned long anew;
	int idx;

	if (!mask)
		return;
	if (hpm_sbi_starts_shared(cpu, mask) && hpm_sbi_start_shared(cpu, mask))
		return;
	anew = mask & cpu->sbi.pending;
	mask &= ~anew;
	if (mask)
		hpm_sbi_call_start(0, hpm_sbi_numbers(cpu, mask), 0, 0);
	for_each_set_bit(idx, &anew, HPM_NUM)
		hpm_sbi_start_from(cpu, idx, cpu->sbi.value[idx]);
	cpu->sbi.pending &= ~anew;
}

/* Firmware has left the count of a counter, or if it has not, is asked for it. */
static u64 hpm_sbi_count_told(struct hpm_cpu *cpu, int idx, bool told)
{
	u64 *values = cpu->sbi.shared->ctr_values;

	if (told)
		return hpm_sbi_add_up(cpu, idx,
				      READ_ONCE(values[cpu->sbi.number[idx]]));
	/* Who knows how often it has been looked at: two looks differ by what it is. */
	cpu->sbi.seen[idx] = hpm_sbi_csr_read(idx);
	return hpm_sbi_count(cpu, idx);
}

/*
 * What firmware has told of counters that stand still now. KVM's are looked at no more,
 * and begin with their count again: KVM, too, knows then when they overflow.
 */
static void hpm_sbi_take_snapshot(struct hpm_cpu *cpu, unsigned long mask, bool told)
{
	u64 overflowed = READ_ONCE(cpu->sbi.shared->ctr_overflow_mask);
	int idx;

	WRITE_ONCE(cpu->sbi.shared->ctr_overflow_mask, 0);
	for_each_set_bit(idx, &mask, HPM_NUM) {
		if (overflowed & BIT_ULL(cpu->sbi.number[idx]))
			cpu->sbi.overflowed |= BIT(idx);
		if (!cpu->sbi.adding || cpu->sbi.pending & BIT(idx))
			continue;
		cpu->sbi.value[idx] = hpm_sbi_count_told(cpu, idx, told);
		cpu->sbi.pending |= BIT(idx);
	}
}

static long hpm_sbi_call_stop(struct hpm_cpu *cpu, unsigned long mask,
			      unsigned long flags)
{
	return hpm_sbi_call(SBI_EXT_PMU_COUNTER_STOP, 0, hpm_sbi_numbers(cpu, mask),
			    flags, 0, 0).error;
}

static bool hpm_sbi_stand_still(long error)
{
	return likely(!error || error == SBI_ERR_ALREADY_STOPPED);
}

/**
 * hpm_sbi_stop() - let counters stand still, all at once
 * @cpu: the calling CPU
 * @mask: the counters
 *
 * Context: interrupts off.
 */
void hpm_sbi_stop(struct hpm_cpu *cpu, unsigned long mask)
{
	bool told = hpm_sbi_lcofi == LCOFI_TOLD && cpu->sbi.shared;
	long error;

	if (!mask)
		return;
	error = hpm_sbi_call_stop(cpu, mask, told ? SBI_PMU_STOP_FLAG_TAKE_SNAPSHOT : 0);
	if (unlikely(told)) {
		bool taken = !error;

		/* It may have no snapshot to give, but can stop them. */
		if (!hpm_sbi_stand_still(error))
			error = hpm_sbi_call_stop(cpu, mask, 0);
		hpm_sbi_take_snapshot(cpu, mask, taken);
	}
	if (!hpm_sbi_stand_still(error))
		pr_err_once("firmware does not stop counters %#lx (%ld)\n",
			    hpm_sbi_numbers(cpu, mask), error);
}

/**
 * hpm_sbi_read() - read a counter
 * @cpu: the calling CPU
 * @idx: the counter
 *
 * Context: interrupts off.
 * Return: its count.
 */
u64 hpm_sbi_read(struct hpm_cpu *cpu, int idx)
{
	return cpu->sbi.pending & BIT(idx) ? cpu->sbi.value[idx] :
		hpm_sbi_count(cpu, idx);
}

/* Overflow. */

static void hpm_sbi_clear_lcofi(void)
{
	switch (hpm_sbi_lcofi) {
	case LCOFI_STANDARD:
	case LCOFI_TOLD:
		csr_clear(CSR_SIP, SSCOFPMF_LCOFI);
		break;
	case LCOFI_THEAD:
		csr_clear(CSR_SIP, BIT(THEAD_IRQ));
		break;
	case LCOFI_ANDES:
		csr_clear(CSR_ANDES_SLIP, BIT(ANDES_IRQ));
		break;
	default:
		break;
	}
}

/**
 * hpm_sbi_raise() - ask for the overflow interrupt
 *
 * A hypervisor may forget what its guest has raised.
 *
 * Context: interrupts off.
 * Return: whether it will come.
 */
bool hpm_sbi_raise(void)
{
	switch (hpm_sbi_lcofi) {
	case LCOFI_STANDARD:
		return hpm_deleg_raise();
	case LCOFI_THEAD:
		csr_set(CSR_SIP, BIT(THEAD_IRQ));
		return csr_read(CSR_SIP) & BIT(THEAD_IRQ);
	case LCOFI_ANDES:
		csr_set(CSR_ANDES_SLIP, BIT(ANDES_IRQ));
		return csr_read(CSR_ANDES_SLIP) & BIT(ANDES_IRQ);
	default:
		return false;
	}
}

/* What firmware has told it tells once. */
static unsigned long hpm_sbi_overflowed_as_told(struct hpm_cpu *cpu)
{
	unsigned long overflowed = cpu->sbi.overflowed;

	cpu->sbi.overflowed = 0;
	return overflowed;
}

static unsigned long hpm_sbi_overflowed(struct hpm_cpu *cpu)
{
	switch (hpm_sbi_lcofi) {
	case LCOFI_STANDARD:
		return csr_read(CSR_SCOUNTOVF);
	case LCOFI_TOLD:
		return hpm_sbi_overflowed_as_told(cpu);
	case LCOFI_THEAD:
		return csr_read(CSR_THEAD_SCOUNTEROF);
	case LCOFI_ANDES:
		return csr_read(CSR_ANDES_SCOUNTEROVF);
	default:
		return 0;
	}
}

/**
 * hpm_sbi_overflow_begin() - claim the interrupt, and look
 * @cpu: the calling CPU
 * @ovf: set to the counters that overflowed
 *
 * As with delegated counters, the interrupt is cleared before the look, and who uses
 * siselect finds it as it was.
 *
 * Context: the overflow interrupt.
 */
void hpm_sbi_overflow_begin(struct hpm_cpu *cpu, struct hpm_overflow *ovf)
{
	hpm_sbi_clear_lcofi();
	if (hpm_sbi_has_select)
		ovf->saved = csr_read(CSR_SISELECT);
	ovf->mask = hpm_sbi_overflowed(cpu);
}

/**
 * hpm_sbi_overflow_end() - the counterpart of hpm_sbi_overflow_begin()
 * @ovf: what that has set
 *
 * Context: the overflow interrupt.
 */
void hpm_sbi_overflow_end(struct hpm_overflow *ovf)
{
	if (hpm_sbi_has_select)
		csr_write(CSR_SISELECT, ovf->saved);
}

/* Operations. */

void hpm_sbi_set_value(struct hpm_cpu *cpu, int idx, u64 value)
{
	cpu->sbi.value[idx] = value;
	cpu->sbi.pending |= BIT(idx);
	cpu->sbi.overflowed &= ~BIT(idx);
}

/* What a fixed counter counts, in all modes; 0 for others. */
static u64 hpm_sbi_unfiltered(int idx)
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

/* A fixed counter without an event has an event of firmware's all the same. */
void hpm_sbi_set_config(struct hpm_cpu *cpu, int idx, u64 config)
{
	config = config ?: hpm_sbi_unfiltered(idx);
	if (cpu->sbi.ready & BIT(idx) && cpu->sbi.config[idx] == config)
		return;
	if (!config)
		return;
	hpm_sbi_release(cpu, BIT(idx));
	if (hpm_sbi_match(cpu, config, BIT(idx)) < 0)
		pr_err_once("firmware does not take counter %d for an event again\n",
			    idx);
}

void hpm_sbi_load(struct hpm_cpu *cpu, int idx, u64 config, u64 value)
{
	hpm_sbi_set_config(cpu, idx, config);
	hpm_sbi_set_value(cpu, idx, value);
}

/* Has a counter any event? It is not to be started. */
static bool hpm_sbi_take_for_any(struct hpm_cpu *cpu, int idx)
{
	u64 config = hpm_sbi_unfiltered(idx) ?:
		HPM_SBI_GENERIC | SBI_PMU_HW_CACHE_REFERENCES;

	do {
		if (hpm_sbi_match(cpu, config, BIT(idx)) == idx)
			return true;
	} while (!(BIT(idx) & HPM_FIXED) &&
		 ++config < (HPM_SBI_GENERIC | SBI_PMU_HW_GENERAL_MAX));
	return false;
}

/* KVM lets its guests read counters that have an event, and no others. */
static bool hpm_sbi_can_be_read(struct hpm_cpu *cpu, int idx)
{
	bool can;
	u64 unused;

	if (!hpm_sbi_csr_try(idx, &unused))
		return true;
	if (!hpm_sbi_take_for_any(cpu, idx))
		return false;
	can = !hpm_sbi_csr_try(idx, &unused);
	hpm_sbi_release(cpu, BIT(idx));
	return can;
}

/* Is this a counter, and one that can be read? */
static bool hpm_sbi_can_be(struct hpm_cpu *cpu, unsigned long number,
			   const union sbi_pmu_ctr_info *info)
{
	int idx = info->csr - CSR_CYCLE;

	if (info->width + 1 < LEAST_WIDTH || idx < 0 || idx >= HPM_NUM ||
	    !(BIT(idx) & (HPM_FIXED | HPM_PROGRAMMABLE)))
		return false;
	if (cpu->sbi.found & BIT(idx))
		return false;
	cpu->sbi.number[idx] = number;
	return hpm_sbi_can_be_read(cpu, idx);
}

/* The counters that firmware has and that can be read. */
static void hpm_sbi_find_counters(struct hpm_cpu *cpu, struct hpm_caps *caps)
{
	union sbi_pmu_ctr_info info;
	unsigned long end = hpm_sbi_numbers_end(), i;

	cpu->sbi.found = 0;

	for (i = 0; i < end; i++) {
		if (!hpm_sbi_info(i, &info) || info.type != SBI_PMU_CTR_TYPE_HW)
			continue;
		if (!hpm_sbi_can_be(cpu, i, &info)) {
			pr_notice_once("firmware's counter %lu, CSR %#x of %u bits, is not used\n",
				       i, info.csr, info.width + 1);
			continue;
		}
		cpu->sbi.found |= BIT(info.csr - CSR_CYCLE);
		if (caps)
			caps->max[info.csr - CSR_CYCLE] = GENMASK_ULL(info.width, 0);
	}
}

/* Firmware leaves a fixed counter the filter of its last event. */
static void hpm_sbi_reset(struct hpm_cpu *cpu)
{
	unsigned long fixed;
	int idx;

	/* It may have forgotten in deep sleep. */
	if (cpu->sbi.shared)
		cpu->sbi.shared = hpm_sbi_shmem_give();

	if (!cpu->sbi.found)
		hpm_sbi_find_counters(cpu, NULL);
	hpm_deleg_open_to_user(0);
	if (cpu->sbi.found)
		hpm_sbi_release(cpu, cpu->sbi.found);
	fixed = cpu->sbi.found & HPM_FIXED;
	for_each_set_bit(idx, &fixed, HPM_NUM)
		hpm_sbi_match(cpu, hpm_sbi_unfiltered(idx), BIT(idx));
	if (fixed)
		hpm_sbi_release(cpu, fixed);
	cpu->sbi.ready = 0;
	cpu->sbi.pending = 0;
	cpu->sbi.overflowed = 0;
	hpm_sbi_clear_lcofi();
}

static void hpm_sbi_leave(struct hpm_cpu *cpu)
{
	cpu->sbi.shared = NULL;
	hpm_sbi_shmem_take_back();
	hpm_sbi_reset(cpu);
}

/* How far a counter is at most from where it was tried. */
#define TRY_MOST		BIT_ULL(30)

static bool hpm_sbi_take_in_modes(struct hpm_cpu *cpu, int idx, u64 inhibit)
{
	u64 own = hpm_sbi_unfiltered(idx);
	u64 branches = HPM_SBI_GENERIC | SBI_PMU_HW_BRANCH_INSTRUCTIONS;

	if (own)
		return hpm_sbi_match(cpu, inhibit | own, BIT(idx)) == idx;
	return hpm_sbi_match(cpu, inhibit | hpm_sbi_unfiltered(HPM_INSTRET),
			     BIT(idx)) == idx ||
		hpm_sbi_match(cpu, inhibit | branches, BIT(idx)) == idx;
}

/*
 * For what happens all the time, but in no mode of ours. KVM has no event for that, if
 * its host has this driver: then it is not in the kernel's, where we are.
 */
static bool hpm_sbi_take_to_try(struct hpm_cpu *cpu, int idx)
{
	u64 kernel = HPMEVENT_SINH | HPMEVENT_VSINH;

	return hpm_sbi_take_in_modes(cpu, idx,
				     kernel | HPMEVENT_UINH | HPMEVENT_VUINH) ||
		hpm_sbi_take_in_modes(cpu, idx, kernel);
}

/*
 * Does a counter stand still if it is to count in no mode of ours? Then filters work,
 * and firmware, which starts and stops it, is not counted. One that cannot be tried
 * has filters where overflow comes with them. Returns whether it is the counter that
 * firmware says it is, as far as can be seen.
 */
static bool hpm_sbi_try(struct hpm_cpu *cpu, int idx, bool *filtered)
{
	u64 begin, count;
	bool starts;

	if (!hpm_sbi_take_to_try(cpu, idx)) {
		*filtered = hpm_sbi_lcofi == LCOFI_STANDARD ||
			hpm_sbi_lcofi == LCOFI_TOLD ||
			hpm_sbi_lcofi == LCOFI_ANDES;
		return true;
	}
	/* Far from where it is now, or another one would do. */
	begin = (hpm_sbi_count(cpu, idx) ^ TRY_MOST) & (2 * TRY_MOST - 1);
	starts = hpm_sbi_start_from(cpu, idx, begin);
	hpm_sbi_stop(cpu, BIT(idx));
	count = hpm_sbi_count(cpu, idx) - begin;
	*filtered = !count;
	hpm_sbi_release(cpu, BIT(idx));
	if (!starts || count < TRY_MOST)
		return starts;
	pr_notice_once("firmware's counter %u is not CSR %#x\n",
		       cpu->sbi.number[idx], CSR_CYCLE + idx);
	return false;
}

/* Those that interrupt, if they are there. */
static unsigned long hpm_sbi_overflowing(struct hpm_cpu *cpu)
{
	switch (hpm_sbi_lcofi) {
	case LCOFI_STANDARD:
		return cpumask_test_cpu(smp_processor_id(), &hpm_sbi_sscofpmf) ?
			HPM_PROGRAMMABLE : 0;
	case LCOFI_TOLD:
		if (!cpu->sbi.shared)
			return 0;
		/* KVM counts some events in fixed counters only; its own all interrupt. */
		return cpu->sbi.fixed_only ? HPM_PROGRAMMABLE | HPM_FIXED :
					     HPM_PROGRAMMABLE;
	case LCOFI_THEAD:
	case LCOFI_ANDES:
		return HPM_PROGRAMMABLE | HPM_FIXED;
	default:
		return 0;
	}
}

/* Does firmware have such an event? It can tell only by taking a counter for it. */
static bool hpm_sbi_has_event(struct hpm_cpu *cpu, u64 config, unsigned long counters)
{
	int idx = hpm_sbi_match(cpu, config, counters);

	if (idx < 0)
		return false;
	hpm_sbi_release(cpu, BIT(idx));
	return true;
}

/* So many instructions at least, of which no two looks at a counter are apart. */
#define TRY_LOOPS		1000

/*
 * Does a counter stand still once it has been stopped? Harts without mcountinhibit
 * cannot stop theirs. With KVM it stands still, and each look adds the same to it.
 */
static void hpm_sbi_find_habits(struct hpm_cpu *cpu)
{
	u64 config = hpm_sbi_unfiltered(HPM_INSTRET);
	int idx = hpm_sbi_match(cpu, config, cpu->sbi.found);
	u64 first, second, third;
	int i;

	if (idx < 0)
		return;
	hpm_sbi_start_from(cpu, idx, 0);
	for (i = 0; i < TRY_LOOPS; i++)
		cpu_relax();
	hpm_sbi_stop(cpu, BIT(idx));
	first = hpm_sbi_csr_read(idx);
	second = hpm_sbi_csr_read(idx);
	third = hpm_sbi_csr_read(idx);
	hpm_sbi_release(cpu, BIT(idx));
	cpu->sbi.adding = second - first > TRY_LOOPS && third - second == second - first;
	cpu->sbi.restless = !cpu->sbi.adding && second != first;
}

static void hpm_sbi_probe_cpu(struct hpm_cpu *cpu, u64 selector,
			      unsigned long able, struct hpm_caps *caps)
{
	bool filtered;
	int idx;

	cpu->sbi.fixed_only = false;
	cpu->sbi.restless = false;
	cpu->sbi.adding = false;
	cpu->sbi.shared = hpm_sbi_shmem_give();
	hpm_sbi_find_counters(cpu, caps);
	hpm_sbi_find_habits(cpu);
	caps->counters = cpu->sbi.found;
	cpu->sbi.fixed_only =
		!hpm_sbi_has_event(cpu, HPM_SBI_GENERIC | SBI_PMU_HW_INSTRUCTIONS,
				   caps->counters & HPM_PROGRAMMABLE);
	caps->overflow = caps->counters & hpm_sbi_overflowing(cpu);
	caps->user = cpu->sbi.adding ? 0 : caps->counters;
	caps->inhibit = hpm_sbi_modes;
	for_each_set_bit(idx, &cpu->sbi.found, HPM_NUM) {
		if (!hpm_sbi_try(cpu, idx, &filtered))
			caps->counters &= ~BIT(idx);
		else if (filtered)
			caps->filter |= BIT(idx);
	}
	hpm_sbi_reset(cpu);
	caps->quiet_m = caps->filter;
}

static bool hpm_sbi_is_known(struct hpm_cpu *cpu, u32 sbi_event)
{
	u64 config = HPM_SBI_GENERIC | sbi_event;
	unsigned long counters = cpu->sbi.found;
	bool has;

	/* OpenSBI 1.6 forgets that there are fixed counters. */
	if (sbi_event != SBI_PMU_HW_CPU_CYCLES && sbi_event != SBI_PMU_HW_INSTRUCTIONS &&
	    hpm_sbi_event_info(sbi_event, &has))
		return has;
	return hpm_sbi_has_event(cpu, config, counters & HPM_PROGRAMMABLE) ||
		hpm_sbi_has_event(cpu, config, counters & HPM_FIXED);
}

static u64 hpm_sbi_selector(struct hpm_cpu *cpu, u32 sbi_event)
{
	return hpm_sbi_is_known(cpu, sbi_event) ? HPM_SBI_GENERIC | sbi_event : 0;
}

/*
 * Firmware before version 3 knows raw events of 48 bits only. It says so when it is
 * asked for others; what does not fit is not cut. If all counters are busy it cannot
 * be asked, and says so when one is free.
 */
static bool hpm_sbi_accepts(struct hpm_cpu *cpu, u64 selector,
			    unsigned long counters)
{
	unsigned long able = hpm_sbi_askable(cpu, selector);
	unsigned long idle = cpu->free & counters & (able == ~0UL ? HPM_PROGRAMMABLE : able);

	if (!idle)
		return true;
	hpm_sbi_release(cpu, idle);
	return hpm_sbi_has_event(cpu, selector, idle);
}

/* Firmware knows which events a counter can count, but does not say. */
static unsigned long hpm_sbi_able(struct hpm_cpu *cpu, u64 config,
				  unsigned long counters)
{
	unsigned long idle = counters & cpu->free;
	int idx;

	if (!idle)
		return counters;
	counters &= ~idle;
	hpm_sbi_release(cpu, idle);
	for_each_set_bit(idx, &idle, HPM_NUM) {
		if (hpm_sbi_match(cpu, config, BIT(idx)) == idx)
			counters |= BIT(idx);
	}
	hpm_sbi_release(cpu, idle);
	return counters;
}

static const struct hpm_ops hpm_sbi_ops = {
	.probe		= hpm_sbi_probe_cpu,
	.reset		= hpm_sbi_reset,
	.leave		= hpm_sbi_leave,
	.selector	= hpm_sbi_selector,
	.accepts	= hpm_sbi_accepts,
	.able		= hpm_sbi_able,
};

/* What the platform reports of other CPUs is read here, while that may sleep. */
static void hpm_sbi_find_sscofpmf(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		if (riscv_isa_reports(cpu, "sscofpmf"))
			cpumask_set_cpu(cpu, &hpm_sbi_sscofpmf);
	}
}

/*
 * Guests cannot read scountovf: only who serves their calls can tell what is in it. An
 * interrupt of which nobody knows what for is of no use.
 */
static unsigned int hpm_sbi_find_standard_lcofi(bool shares)
{
	if (csr_readable(CSR_SCOUNTOVF))
		hpm_sbi_lcofi = LCOFI_STANDARD;
	else
		hpm_sbi_lcofi = shares ? LCOFI_TOLD : LCOFI_NONE;
	return hpm_sbi_lcofi == LCOFI_NONE ? 0 : RV_IRQ_PMU;
}

/* The interrupt, by the number that the hart's own controller gives it. */
static unsigned int hpm_sbi_find_lcofi(bool shares)
{
	hpm_sbi_find_sscofpmf();
	if (cpumask_test_cpu(smp_processor_id(), &hpm_sbi_sscofpmf))
		return hpm_sbi_find_standard_lcofi(shares);
	if (riscv_isa_reports(smp_processor_id(), "xandespmu")) {
		hpm_sbi_lcofi = LCOFI_ANDES;
		return ANDES_IRQ_BASE + ANDES_IRQ;
	}
	if (sbi_get_mvendorid() == THEAD_VENDOR && !sbi_get_marchid() &&
	    !sbi_get_mimpid()) {
		hpm_sbi_lcofi = LCOFI_THEAD;
		return THEAD_IRQ;
	}
	hpm_sbi_lcofi = LCOFI_NONE;
	return 0;
}

/* Counters are of use without the interrupt, too: a device tree may not describe it. */
static unsigned int hpm_sbi_find_interrupt(bool shares)
{
	unsigned int hwirq = hpm_sbi_find_lcofi(shares);

	if (!hwirq || riscv_isa_irq(hwirq))
		return hwirq;
	pr_notice("counters do not interrupt: interrupt %u of the harts has no Linux number\n",
		  hwirq);
	hpm_sbi_lcofi = LCOFI_NONE;
	return 0;
}

/**
 * hpm_sbi_probe() - can firmware be asked for counters?
 * @hwirq: set to the number of the overflow interrupt for the hart, 0 if there is none
 *
 * Context: task context.
 * Return: the operations on its counters, or NULL.
 */
const struct hpm_ops *hpm_sbi_probe(unsigned int *hwirq)
{
	if (sbi_probe_extension(SBI_EXT_PMU) <= 0)
		return NULL;
	migrate_disable();
	hpm_sbi_has_select = csr_readable(CSR_SISELECT);
	*hwirq = hpm_sbi_find_interrupt(hpm_sbi_shmem_init());
	hpm_sbi_modes = HPMEVENT_UINH | HPMEVENT_SINH;
	if (hpm_sbi_lcofi == LCOFI_STANDARD && riscv_isa_extension_available(NULL, h))
		hpm_sbi_modes |= HPMEVENT_VUINH | HPMEVENT_VSINH;
	migrate_enable();
	static_branch_enable(&hpm_sbi_used);
	return &hpm_sbi_ops;
}

/**
 * hpm_sbi_exit() - undo hpm_sbi_probe(), if it has done anything
 *
 * Context: task context; no CPU has counters any more.
 */
void hpm_sbi_exit(void)
{
	hpm_sbi_shmem_exit();
}
