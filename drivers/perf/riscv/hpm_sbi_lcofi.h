/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The overflow interrupt with the SBI backend.
 */
#ifndef _DRIVERS_PERF_RISCV_HPM_SBI_LCOFI_H
#define _DRIVERS_PERF_RISCV_HPM_SBI_LCOFI_H

#include <linux/types.h>

#include "hpm.h"

unsigned int hpm_sbi_lcofi_find(bool shares);
bool hpm_sbi_lcofi_is_told(void);
bool hpm_sbi_lcofi_has_filters(void);
u64 hpm_sbi_lcofi_modes(void);
unsigned long hpm_sbi_lcofi_counters(void);
bool hpm_sbi_lcofi_pending(void);
void hpm_sbi_lcofi_clear(void);
bool hpm_sbi_lcofi_forgets(void);
bool hpm_sbi_lcofi_raise(struct hpm_cpu *cpu);
struct hpm_overflow hpm_sbi_lcofi_begin(struct hpm_cpu *cpu);
void hpm_sbi_lcofi_end(struct hpm_overflow ovf);

#endif /* _DRIVERS_PERF_RISCV_HPM_SBI_LCOFI_H */
