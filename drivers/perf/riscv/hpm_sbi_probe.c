// SPDX-License-Identifier: GPL-2.0-only
/*
 * Find firmware's counters, and what they can count. Firmware reports little about that,
 * so most of it is tested, when a CPU comes online or when an event is opened.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bitops.h>
#include <linux/io.h>
#include <linux/string.h>

#include <asm/csr_sscofpmf.h>
#include <asm/csr_wide.h>
#include <asm/sbi.h>

#include "hpm.h"
#include "hpm_deleg.h"
#include "hpm_sbi.h"
#include "hpm_sbi_csr.h"
#include "hpm_sbi_lcofi.h"
#include "hpm_sbi_probe.h"
#include "hpm_sbi_shmem.h"

#define EVENT_GET_INFO		8

/* A narrower counter could wrap while an overflow is being handled. */
#define LEAST_WIDTH		32

/* Returns false if firmware does not answer. */
static bool hpm_sbi_probe_info(struct hpm_cpu *cpu, u32 event, bool *has)
{
	struct hpm_sbi_event_info *info = &cpu->pmu->asked;
	phys_addr_t where = virt_to_phys(info);
	struct sbiret ret;

	*info = (struct hpm_sbi_event_info) { .event = cpu_to_le32(event) };
	ret = hpm_sbi_call(EVENT_GET_INFO, where, csr_wide_high(where), 1, 0, 0, 0);
	*has = le32_to_cpu(info->has) & BIT(0);
	return !ret.error;
}

/* Configure a counter for any event that it can count, without starting it. */
static bool hpm_sbi_probe_take_any(struct hpm_cpu *cpu, int idx)
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

/* KVM lets a guest read only counters that have an event. */
static bool hpm_sbi_probe_readable(struct hpm_cpu *cpu, int idx)
{
	bool can;
	u64 unused;

	if (!hpm_sbi_csr_try(idx, &unused))
		return true;
	if (!hpm_sbi_probe_take_any(cpu, idx))
		return false;
	can = !hpm_sbi_csr_try(idx, &unused);
	hpm_sbi_release(cpu, BIT(idx));
	return can;
}

/* Is this a counter that can be read? */
static bool hpm_sbi_probe_usable(struct hpm_cpu *cpu, unsigned long number,
				 const union sbi_pmu_ctr_info *info)
{
	int idx = info->csr - CSR_CYCLE;

	if (info->width + 1 < LEAST_WIDTH || idx < 0 || idx >= HPM_NUM ||
	    !(BIT(idx) & (HPM_FIXED | HPM_PROGRAMMABLE)))
		return false;
	if (cpu->sbi.found & BIT(idx))
		return false;
	hpm_sbi_set_number(cpu, idx, number);
	return hpm_sbi_probe_readable(cpu, idx);
}

/* Find the counters that firmware has and that can be read. */
static void hpm_sbi_probe_counters(struct hpm_cpu *cpu, struct hpm_caps *caps)
{
	union sbi_pmu_ctr_info info;
	unsigned long end = hpm_sbi_numbers_end(), i;

	cpu->sbi.found = 0;

	for (i = 0; i < end; i++) {
		if (!hpm_sbi_info(i, &info) || info.type != SBI_PMU_CTR_TYPE_HW)
			continue;
		if (!hpm_sbi_probe_usable(cpu, i, &info)) {
			pr_notice_once("firmware's counter %lu, CSR %#x of %u bits, is not used\n",
				       i, info.csr, info.width + 1);
			continue;
		}
		cpu->sbi.found |= BIT(info.csr - CSR_CYCLE);
		if (caps)
			caps->max[info.csr - CSR_CYCLE] = GENMASK_ULL(info.width, 0);
	}
}

/* Firmware does not reset the filter of a fixed counter when it is released. */
static void hpm_sbi_probe_reset(struct hpm_cpu *cpu)
{
	unsigned long fixed;
	int idx;

	/*
	 * Firmware may have forgotten the page in deep sleep, or may take it now if it
	 * did not before.
	 */
	if (cpu->sbi.lends)
		cpu->sbi.shared = hpm_sbi_shmem_give();

	if (!cpu->sbi.found)
		hpm_sbi_probe_counters(cpu, NULL);
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
	cpu->sbi.astray = 0;
	memset(cpu->sbi.lost, 0, sizeof(cpu->sbi.lost));
	cpu->sbi.overflowed = 0;
	hpm_sbi_lcofi_clear();
}

static void hpm_sbi_probe_leave(struct hpm_cpu *cpu)
{
	cpu->sbi.lends = false;
	cpu->sbi.shared = NULL;
	hpm_sbi_shmem_take_back();
	hpm_sbi_probe_reset(cpu);
}

/* The most that a counter counts while it is being tested */
#define TRY_MOST		BIT_ULL(30)

static bool hpm_sbi_probe_take_in_modes(struct hpm_cpu *cpu, int idx, u64 inhibit)
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
 * Configure a counter for something that happens all the time, but in none of our modes.
 * KVM has no such event if its host uses this driver: then exclude only the kernel, where
 * we are.
 */
static bool hpm_sbi_probe_take_to_try(struct hpm_cpu *cpu, int idx)
{
	u64 kernel = HPMEVENT_SINH | HPMEVENT_VSINH;

	return hpm_sbi_probe_take_in_modes(cpu, idx,
					   kernel | HPMEVENT_UINH | HPMEVENT_VUINH) ||
		hpm_sbi_probe_take_in_modes(cpu, idx, kernel);
}

/*
 * Does a counter stand still if all our modes are excluded? Then filters work, and
 * firmware is not counted while it starts and stops the counter. A counter that cannot be
 * tested is assumed to have filters if its kind of overflow interrupt implies them.
 * Returns false if the counter does not start, or is not the one that firmware says it
 * is.
 */
static bool hpm_sbi_probe_try(struct hpm_cpu *cpu, int idx, bool *filtered)
{
	u64 begin, count;
	bool starts;

	if (!hpm_sbi_probe_take_to_try(cpu, idx)) {
		*filtered = hpm_sbi_lcofi_has_filters();
		return true;
	}
	/*
	 * Start far from the current count, to notice if firmware has started another
	 * counter.
	 */
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

/* Does firmware have this event? It can only be asked to configure a counter for it. */
static bool hpm_sbi_probe_event(struct hpm_cpu *cpu, u64 config, unsigned long counters)
{
	int idx = hpm_sbi_match(cpu, config, counters);

	if (idx < 0)
		return false;
	hpm_sbi_release(cpu, BIT(idx));
	return true;
}

/* Which counters does firmware use for an event? Ask until it finds no more. */
static unsigned long hpm_sbi_probe_takers(struct hpm_cpu *cpu, u64 config)
{
	unsigned long takers = 0;
	int idx;

	while ((idx = hpm_sbi_match(cpu, config, cpu->sbi.found & ~takers)) >= 0)
		takers |= BIT(idx);
	if (takers)
		hpm_sbi_release(cpu, takers);
	return takers;
}

/* The instructions to wait for, at least. Two reads of a counter are not that far apart. */
#define TRY_LOOPS		1000

static void hpm_sbi_probe_wait(void)
{
	int i;

	for (i = 0; i < TRY_LOOPS; i++)
		cpu_relax();
}

/*
 * Does a counter stand still after it has been stopped? Harts without mcountinhibit
 * cannot stop theirs. With some versions of KVM it stands still, but each read adds the
 * same amount to it.
 */
static void hpm_sbi_probe_habits(struct hpm_cpu *cpu)
{
	u64 config = hpm_sbi_unfiltered(HPM_INSTRET);
	int idx = hpm_sbi_match(cpu, config, cpu->sbi.found);
	u64 first, second, third;

	if (idx < 0)
		return;
	hpm_sbi_start_from(cpu, idx, 0);
	hpm_sbi_probe_wait();
	hpm_sbi_stop(cpu, BIT(idx));
	first = hpm_sbi_csr_read(idx);
	second = hpm_sbi_csr_read(idx);
	third = hpm_sbi_csr_read(idx);
	hpm_sbi_release(cpu, BIT(idx));
	cpu->sbi.adding = second - first > TRY_LOOPS && third - second == second - first;
	cpu->sbi.restless = !cpu->sbi.adding && second != first;
}

/* How close to its overflow a counter starts. Even a wide core gets there while we wait. */
#define TRY_REST		(TRY_LOOPS / 20)

static bool hpm_sbi_probe_can_try(struct hpm_cpu *cpu, int idx)
{
	return hpm_sbi_match(cpu, hpm_sbi_unfiltered(idx), BIT(idx)) == idx;
}

/* Returns 1, 0, or an error if that cannot be tried. */
static int hpm_sbi_probe_interrupts(struct hpm_cpu *cpu, int idx, u64 max)
{
	bool starts, does;

	if (!hpm_sbi_probe_can_try(cpu, idx))
		return -EOPNOTSUPP;
	hpm_sbi_lcofi_clear();
	starts = hpm_sbi_start_from(cpu, idx, max - TRY_REST);
	hpm_sbi_probe_wait();
	hpm_sbi_stop(cpu, BIT(idx));
	does = hpm_sbi_lcofi_pending();
	hpm_sbi_release(cpu, BIT(idx));
	hpm_sbi_lcofi_clear();
	return starts ? does : -EIO;
}

/*
 * T-Head's counters show that they have overflowed only if firmware lets them. Otherwise
 * there are interrupts, but nothing tells what for.
 */
static bool hpm_sbi_probe_shows(struct hpm_cpu *cpu, const struct hpm_caps *caps)
{
	unsigned long fixed = caps->counters & HPM_FIXED;
	int ret = -EOPNOTSUPP;
	int idx;

	if (!hpm_sbi_lcofi_forgets())
		return true;
	for_each_set_bit(idx, &fixed, HPM_NUM) {
		ret = hpm_sbi_probe_interrupts(cpu, idx, caps->max[idx]);
		if (ret >= 0)
			break;
	}
	if (ret)
		return true;
	pr_notice_once("counters do not interrupt: firmware does not open scounterof (mcounterwen)\n");
	return false;
}

/*
 * A hart's fixed counters do not interrupt. But those of a KVM guest may, since they are
 * events of the host as well.
 */
static unsigned long hpm_sbi_probe_overflow(struct hpm_cpu *cpu, const struct hpm_caps *caps)
{
	unsigned long fixed = hpm_sbi_lcofi_is_told() ? caps->counters & HPM_FIXED : 0;
	unsigned long overflow = caps->counters & hpm_sbi_lcofi_counters();
	int idx;

	for_each_set_bit(idx, &fixed, HPM_NUM) {
		if (hpm_sbi_probe_interrupts(cpu, idx, caps->max[idx]) > 0)
			overflow |= BIT(idx);
	}
	return hpm_sbi_probe_shows(cpu, caps) ? overflow : 0;
}

static void hpm_sbi_probe_cpu(struct hpm_cpu *cpu, u64 selector,
			      unsigned long able, struct hpm_caps *caps)
{
	bool filtered;
	int idx;

	cpu->sbi.not_cycles = 0;
	cpu->sbi.not_instructions = 0;
	cpu->sbi.restless = false;
	cpu->sbi.adding = false;
	cpu->sbi.told = false;
	cpu->sbi.forgets = false;
	hpm_sbi_probe_counters(cpu, caps);
	hpm_sbi_probe_habits(cpu);
	caps->counters = cpu->sbi.found;
	cpu->sbi.not_cycles = ~hpm_sbi_probe_takers(cpu, hpm_sbi_unfiltered(HPM_CYCLE));
	cpu->sbi.not_instructions =
		~hpm_sbi_probe_takers(cpu, hpm_sbi_unfiltered(HPM_INSTRET));
	caps->overflow = hpm_sbi_probe_overflow(cpu, caps);
	caps->user = cpu->sbi.adding ? 0 : caps->counters;
	caps->inhibit = hpm_sbi_lcofi_modes();
	for_each_set_bit(idx, &cpu->sbi.found, HPM_NUM) {
		if (!hpm_sbi_probe_try(cpu, idx, &filtered))
			caps->counters &= ~BIT(idx);
		else if (filtered)
			caps->filter |= BIT(idx);
	}
	cpu->sbi.told = hpm_sbi_lcofi_is_told();
	cpu->sbi.forgets = caps->overflow && hpm_sbi_lcofi_forgets();
	cpu->sbi.lends = true;
	hpm_sbi_probe_reset(cpu);
	caps->quiet_m = caps->filter;
}

static bool hpm_sbi_probe_is_known(struct hpm_cpu *cpu, u32 sbi_event)
{
	u64 config = HPM_SBI_GENERIC | sbi_event;
	unsigned long counters = cpu->sbi.found;
	bool has;

	/* OpenSBI 1.6 ignores the fixed counters when it answers this. */
	if (sbi_event != SBI_PMU_HW_CPU_CYCLES && sbi_event != SBI_PMU_HW_INSTRUCTIONS &&
	    hpm_sbi_probe_info(cpu, sbi_event, &has))
		return has;
	return hpm_sbi_probe_event(cpu, config, counters & HPM_PROGRAMMABLE) ||
		hpm_sbi_probe_event(cpu, config, counters & HPM_FIXED);
}

static u64 hpm_sbi_probe_selector(struct hpm_cpu *cpu, u32 sbi_event)
{
	return hpm_sbi_probe_is_known(cpu, sbi_event) ? HPM_SBI_GENERIC | sbi_event : 0;
}

/*
 * Before version 3 of the extension, raw events have 48 bits only. Firmware refuses
 * others and does not truncate them. If all counters are in use it cannot be asked, and
 * refuses the event when one is free.
 */
static bool hpm_sbi_probe_accepts(struct hpm_cpu *cpu, u64 selector,
				  unsigned long counters)
{
	unsigned long idle = cpu->free & counters & HPM_PROGRAMMABLE;

	if (!idle)
		return true;
	hpm_sbi_release(cpu, idle);
	return hpm_sbi_probe_event(cpu, selector, idle);
}

/*
 * Firmware knows which events a counter can count, but can only be asked to configure it.
 * A counter that runs for user space is in use.
 */
static unsigned long hpm_sbi_probe_able(struct hpm_cpu *cpu, u64 config,
					unsigned long counters)
{
	unsigned long idle;
	int idx;

	counters &= hpm_sbi_askable(cpu, config);
	idle = counters & cpu->free & ~cpu->legacy;
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

static const struct hpm_ops hpm_sbi_probe_ops = {
	.probe		= hpm_sbi_probe_cpu,
	.reset		= hpm_sbi_probe_reset,
	.leave		= hpm_sbi_probe_leave,
	.selector	= hpm_sbi_probe_selector,
	.accepts	= hpm_sbi_probe_accepts,
	.able		= hpm_sbi_probe_able,
};

/**
 * hpm_sbi_probe() - does firmware provide counters?
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
	*hwirq = hpm_sbi_lcofi_find(hpm_sbi_shmem_init());
	migrate_enable();
	return &hpm_sbi_probe_ops;
}

/**
 * hpm_sbi_use() - use firmware's counters from now on
 *
 * Context: task context; the caller has cpus_read_lock().
 */
void hpm_sbi_use(void)
{
	static_branch_enable_cpuslocked(&hpm_sbi_used);
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
