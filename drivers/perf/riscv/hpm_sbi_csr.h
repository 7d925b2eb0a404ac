/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Read counters by number, from the CSRs for user mode.
 */
#ifndef _DRIVERS_PERF_RISCV_HPM_SBI_CSR_H
#define _DRIVERS_PERF_RISCV_HPM_SBI_CSR_H

#include <linux/types.h>

int hpm_sbi_csr_try(int idx, u64 *value);
u64 hpm_sbi_csr_read(int idx);

#endif /* _DRIVERS_PERF_RISCV_HPM_SBI_CSR_H */
