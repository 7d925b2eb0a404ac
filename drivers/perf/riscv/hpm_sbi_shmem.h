/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory that is shared with firmware.
 */
#ifndef _DRIVERS_PERF_RISCV_HPM_SBI_SHMEM_H
#define _DRIVERS_PERF_RISCV_HPM_SBI_SHMEM_H

#include <linux/types.h>

struct riscv_pmu_snapshot_data;

bool hpm_sbi_shmem_init(void);
void hpm_sbi_shmem_exit(void);
struct riscv_pmu_snapshot_data *hpm_sbi_shmem_give(void);
void hpm_sbi_shmem_take_back(void);

#endif /* _DRIVERS_PERF_RISCV_HPM_SBI_SHMEM_H */
