/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counters that are accessed through firmware: the SBI PMU extension.
 */
#ifndef _DRIVERS_PERF_RISCV_HPM_SBI_H
#define _DRIVERS_PERF_RISCV_HPM_SBI_H

#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/jump_label.h>

#include <asm/sbi.h>

#include "hpm.h"
#include "hpm_sbi_csr.h"

DECLARE_STATIC_KEY_FALSE(hpm_sbi_used);

static __always_inline bool hpm_sbi_is_used(void)
{
	return static_branch_unlikely(&hpm_sbi_used);
}

/**
 * hpm_sbi_call() - call firmware
 * @fid: the function of the SBI PMU extension
 * @a0: its first argument
 * @a1: the second
 * @a2: the third
 * @a3: the fourth
 * @a4: the fifth
 * @a5: the last
 *
 * On RV32 a 64-bit argument takes two of these, the lower half first.
 *
 * Return: what firmware returns.
 */
static inline struct sbiret hpm_sbi_call(int fid, unsigned long a0, unsigned long a1,
					 unsigned long a2, unsigned long a3,
					 unsigned long a4, unsigned long a5)
{
	return sbi_ecall(SBI_EXT_PMU, fid, a0, a1, a2, a3, a4, a5);
}

unsigned long hpm_sbi_numbers_end(void);
bool hpm_sbi_info(unsigned long number, union sbi_pmu_ctr_info *info);
void hpm_sbi_start(struct hpm_cpu *cpu, unsigned long mask);
void hpm_sbi_stop(struct hpm_cpu *cpu, unsigned long mask);
void hpm_sbi_load(struct hpm_cpu *cpu, int idx, u64 config, u64 value);
void hpm_sbi_set_config(struct hpm_cpu *cpu, int idx, u64 config);
void hpm_sbi_set_value(struct hpm_cpu *cpu, int idx, u64 value);
int hpm_sbi_claim_any(struct hpm_cpu *cpu, u64 config, unsigned long counters,
		      int last, bool goes_on);

/* For hpm_sbi_probe.c, which tests counters. */
u64 hpm_sbi_unfiltered(int idx);
unsigned long hpm_sbi_askable(struct hpm_cpu *cpu, u64 config);
int hpm_sbi_match(struct hpm_cpu *cpu, u64 config, unsigned long counters);
bool hpm_sbi_start_from(struct hpm_cpu *cpu, int idx, u64 value);
u64 hpm_sbi_count(struct hpm_cpu *cpu, int idx);
void hpm_sbi_release(struct hpm_cpu *cpu, unsigned long counters);

/**
 * hpm_sbi_set_number() - record firmware's number of a counter
 * @cpu: the CPU
 * @idx: the counter
 * @number: the number
 */
static inline void hpm_sbi_set_number(struct hpm_cpu *cpu, int idx, unsigned long number)
{
	cpu->sbi.number[idx] = number;
	__assign_bit(idx, &cpu->sbi.alike, number == idx);
}

/**
 * hpm_sbi_numbers() - firmware's numbers of counters
 * @cpu: the CPU, whose numbers have been learnt
 * @counters: the counters
 *
 * They usually are the architectural ones, but need not be.
 *
 * Return: the mask of these numbers.
 */
static inline unsigned long hpm_sbi_numbers(struct hpm_cpu *cpu, unsigned long counters)
{
	unsigned long mask = 0;
	int idx;

	if (likely(!(counters & ~cpu->sbi.alike)))
		return counters;
	for_each_set_bit(idx, &counters, HPM_NUM)
		mask |= BIT(cpu->sbi.number[idx]);
	return mask;
}

/**
 * hpm_sbi_counter() - the counter that has this number of firmware's
 * @cpu: the CPU, whose @number has been learnt
 * @counters: the counters to search
 * @number: the number
 *
 * Return: the counter, or -ENOENT if it is none of these.
 */
static inline int hpm_sbi_counter(struct hpm_cpu *cpu, unsigned long counters,
				  unsigned long number)
{
	int idx;

	for_each_set_bit(idx, &counters, HPM_NUM) {
		if (cpu->sbi.number[idx] == number)
			return idx;
	}
	return -ENOENT;
}

/**
 * hpm_sbi_read() - read a counter
 * @cpu: the calling CPU
 * @idx: the counter
 *
 * Context: interrupts off.
 * Return: its count.
 */
static __always_inline u64 hpm_sbi_read(struct hpm_cpu *cpu, int idx)
{
	if (cpu->sbi.pending & BIT(idx))
		return cpu->sbi.value[idx];
	return likely(!cpu->sbi.adding) ? hpm_sbi_csr_read(idx) : hpm_sbi_count(cpu, idx);
}

/**
 * hpm_sbi_can_have_resident() - does the counter stand still while it is stopped?
 * @cpu: the calling CPU
 * @idx: the counter
 *
 * If its count is set later, it has no resident any more, see hpm_sbi_set_value().
 *
 * Return: whether it does, and is simply read and started.
 */
static inline bool hpm_sbi_can_have_resident(const struct hpm_cpu *cpu, int idx)
{
	return !cpu->sbi.restless && !cpu->sbi.adding && !(cpu->sbi.pending & BIT(idx));
}

static __always_inline u64 hpm_sbi_read_resident(int idx)
{
	u64 count = 0;

	if (!IS_ENABLED(CONFIG_64BIT))
		return hpm_sbi_csr_read(idx);
	hpm_sbi_csr_pick(idx, &count);
	return count;
}

/* Is the event's last counter as the event has left it? Fixed counters have precedence. */
static __always_inline bool hpm_sbi_is_as_left(const struct hpm_cpu *cpu, u64 config,
					       unsigned long counters, int last, bool goes_on)
{
	unsigned long fit = counters & (counters & HPM_FIXED ? HPM_FIXED : ~0UL) &
		cpu->sbi.ready & ~cpu->legacy;

	return last >= 0 && fit & BIT(last) && cpu->sbi.config[last] == config &&
		!cpu->sbi.restless &&
		!(goes_on && cpu->counter[last].spent);
}

/**
 * hpm_sbi_claim() - get a counter that is configured for an event
 * @cpu: the calling CPU
 * @config: the event's configuration
 * @counters: the free counters that it can use
 * @last: the one that it had last, or -1
 * @goes_on: it continues from the counter's current count
 *
 * Context: interrupts off.
 * Return: the counter, or -EAGAIN if firmware finds none.
 */
static __always_inline int hpm_sbi_claim(struct hpm_cpu *cpu, u64 config,
					 unsigned long counters, int last, bool goes_on)
{
	if (unlikely(!hpm_sbi_is_as_left(cpu, config, counters, last, goes_on)))
		return hpm_sbi_claim_any(cpu, config, counters, last, goes_on);
	cpu->counter[last].config = config;
	return last;
}

#endif /* _DRIVERS_PERF_RISCV_HPM_SBI_H */
