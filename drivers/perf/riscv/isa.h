/* SPDX-License-Identifier: GPL-2.0-only */
/* Which ISA extensions the platform reports: for those that the kernel ignores. */
#ifndef _DRIVERS_PERF_RISCV_ISA_H
#define _DRIVERS_PERF_RISCV_ISA_H

#include <linux/types.h>

bool riscv_isa_reports(unsigned int cpu, const char *extension);

#endif /* _DRIVERS_PERF_RISCV_ISA_H */
