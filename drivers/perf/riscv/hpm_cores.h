/* SPDX-License-Identifier: GPL-2.0-only */
/* Cores whose counters need to be known. */
#ifndef _DRIVERS_PERF_RISCV_HPM_CORES_H
#define _DRIVERS_PERF_RISCV_HPM_CORES_H

#include <linux/types.h>

struct hpm_core;
struct pesa_core;

/**
 * struct hpm_core_id - which core a CPU is
 * @mvendorid: the CSR's value
 * @marchid: the CSR's value
 */
struct hpm_core_id {
	unsigned long mvendorid;
	unsigned long marchid;
};

struct hpm_core_id hpm_core_id(void);
const struct hpm_core *hpm_core_find(const struct hpm_core_id *id);
u64 hpm_core_hw(const struct hpm_core *core, unsigned int id);
int hpm_core_complete(const struct hpm_core *core, u64 *selector);
unsigned long hpm_core_counters(const struct hpm_core *core, u64 selector);
const struct pesa_core *hpm_core_pesa(const struct hpm_core *core);
bool hpm_core_records(const struct hpm_core *core, u64 selector);
bool hpm_core_precise(const struct hpm_core *core, u64 selector);

#endif /* _DRIVERS_PERF_RISCV_HPM_CORES_H */
