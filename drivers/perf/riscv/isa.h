/* SPDX-License-Identifier: GPL-2.0-only */
/* What the platform says of ISA extensions that the kernel ignores. */
#ifndef _DRIVERS_PERF_RISCV_ISA_H
#define _DRIVERS_PERF_RISCV_ISA_H

#include <linux/types.h>

bool riscv_isa_reports(unsigned int cpu, const char *extension);
unsigned int riscv_isa_irq(unsigned int hwirq);

#endif /* _DRIVERS_PERF_RISCV_ISA_H */
