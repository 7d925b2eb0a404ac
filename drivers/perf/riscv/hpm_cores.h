/* SPDX-License-Identifier: GPL-2.0-only */
/* Core-specific properties of counters. */
#ifndef _DRIVERS_PERF_RISCV_HPM_CORES_H
#define _DRIVERS_PERF_RISCV_HPM_CORES_H

#include <linux/bits.h>
#include <linux/types.h>

/* Architectural counter numbers, and sets of counters. */
#define HPM_NUM			32
#define HPM_CYCLE		0
#define HPM_INSTRET		2
#define HPM_FIXED		(BIT(HPM_CYCLE) | BIT(HPM_INSTRET))
#define HPM_PROGRAMMABLE	GENMASK(31, 3)

/* Is this one of the programmable counters? */
static inline bool hpm_is_programmable(int idx)
{
	return idx > HPM_INSTRET;
}

struct hpm_core;
struct pesa_core;

/**
 * struct hpm_core_id - identifies the core of a CPU
 * @mvendorid: the CSR's value
 * @marchid: the CSR's value
 * @mimpid: the CSR's value
 */
struct hpm_core_id {
	unsigned long mvendorid;
	unsigned long marchid;
	unsigned long mimpid;
};

struct hpm_core_id hpm_core_id(void);
const struct hpm_core *hpm_core_find(const struct hpm_core_id *id);
u64 hpm_core_hw(const struct hpm_core *core, unsigned int id);
u64 hpm_core_cycles(const struct hpm_core *core, bool user, bool kernel);
int hpm_core_complete(const struct hpm_core *core, u64 *selector);
bool hpm_core_combines(const struct hpm_core *core);
unsigned long hpm_core_counters(const struct hpm_core *core, u64 selector);
const struct pesa_core *hpm_core_pesa(const struct hpm_core *core);
bool hpm_core_records(const struct hpm_core *core, u64 selector);
bool hpm_core_precise(const struct hpm_core *core, u64 selector);

#endif /* _DRIVERS_PERF_RISCV_HPM_CORES_H */
