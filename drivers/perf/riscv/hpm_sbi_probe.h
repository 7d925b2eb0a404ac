/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Find firmware's counters, and what they can count.
 */
#ifndef _DRIVERS_PERF_RISCV_HPM_SBI_PROBE_H
#define _DRIVERS_PERF_RISCV_HPM_SBI_PROBE_H

struct hpm_ops;

const struct hpm_ops *hpm_sbi_probe(unsigned int *hwirq);
void hpm_sbi_use(void);
void hpm_sbi_exit(void);

#endif /* _DRIVERS_PERF_RISCV_HPM_SBI_PROBE_H */
