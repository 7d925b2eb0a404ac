/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For modules built outside the kernel tree: in place of the drivers' isa.h, which asks the
 * kernel for ISA extensions. Kernels do not know all of them: the platform is asked itself.
 */
#ifndef _DRIVERS_PERF_RISCV_ISA_H
#define _DRIVERS_PERF_RISCV_ISA_H

#include <linux/types.h>

/* Kernels write this number as RISCV_ISA_EXT_H, or RISCV_ISA_EXT_h. */
#define riscv_isa_has_guests() __riscv_isa_extension_available(NULL, 'h' - 'a')
#define riscv_isa_reports(cpu, extension) compat_isa_reports(cpu, #extension)
#define riscv_isa_reports_andes_pmu(cpu) compat_isa_reports(cpu, "xandespmu")

bool compat_isa_reports(unsigned int cpu, const char *extension);
unsigned int riscv_isa_irq(unsigned int hwirq);

#endif /* _DRIVERS_PERF_RISCV_ISA_H */
