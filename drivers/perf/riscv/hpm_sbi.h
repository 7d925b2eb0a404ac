/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counters that are reached through firmware: the SBI PMU extension.
 */
#ifndef _DRIVERS_PERF_RISCV_HPM_SBI_H
#define _DRIVERS_PERF_RISCV_HPM_SBI_H

#include <linux/jump_label.h>

#include <asm/sbi.h>

#include "hpm.h"

DECLARE_STATIC_KEY_FALSE(hpm_sbi_used);

static __always_inline bool hpm_sbi_is_used(void)
{
	return static_branch_unlikely(&hpm_sbi_used);
}

struct sbiret hpm_sbi_call(int fid, unsigned long a0, unsigned long a1,
			   unsigned long a2, unsigned long a3, unsigned long a4);
unsigned long hpm_sbi_numbers_end(void);
bool hpm_sbi_info(unsigned long number, union sbi_pmu_ctr_info *info);
void hpm_sbi_start(struct hpm_cpu *cpu, unsigned long mask);
void hpm_sbi_stop(struct hpm_cpu *cpu, unsigned long mask);
u64 hpm_sbi_read(struct hpm_cpu *cpu, int idx);
void hpm_sbi_load(struct hpm_cpu *cpu, int idx, u64 config, u64 value);
void hpm_sbi_set_config(struct hpm_cpu *cpu, int idx, u64 config);
void hpm_sbi_set_value(struct hpm_cpu *cpu, int idx, u64 value);
int hpm_sbi_claim(struct hpm_cpu *cpu, u64 config, unsigned long counters,
		  int last, bool goes_on);

/* For hpm_sbi_probe.c, which tries counters. */
u64 hpm_sbi_unfiltered(int idx);
unsigned long hpm_sbi_askable(struct hpm_cpu *cpu, u64 config);
int hpm_sbi_match(struct hpm_cpu *cpu, u64 config, unsigned long counters);
bool hpm_sbi_start_from(struct hpm_cpu *cpu, int idx, u64 value);
u64 hpm_sbi_count(struct hpm_cpu *cpu, int idx);
void hpm_sbi_release(struct hpm_cpu *cpu, unsigned long counters);

#endif /* _DRIVERS_PERF_RISCV_HPM_SBI_H */
