/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ISA extensions that the platform reports. Firmware may still not have enabled them.
 */
#ifndef _DRIVERS_PERF_RISCV_ISA_H
#define _DRIVERS_PERF_RISCV_ISA_H

#include <linux/kconfig.h>
#include <linux/types.h>

#include <asm/cpufeature.h>
#include <asm/hwcap.h>
#include <asm/vendor_extensions.h>
#include <asm/vendor_extensions/andes.h>
#include <asm/vendorid_list.h>

/**
 * riscv_isa_reports() - does the platform report an ISA extension?
 * @cpu: logical CPU number
 * @extension: the extension's name in capitals
 *
 * Return: whether it does, for this CPU.
 */
#define riscv_isa_reports(cpu, extension) \
	riscv_cpu_has_extension_unlikely(cpu, RISCV_ISA_EXT_##extension)

/**
 * riscv_isa_has_guests() - do all CPUs have the hypervisor extension?
 *
 * Return: whether they do.
 */
static inline bool riscv_isa_has_guests(void)
{
	/* Kernels write this number as RISCV_ISA_EXT_H, or RISCV_ISA_EXT_h. */
	return __riscv_isa_extension_available(NULL, 'h' - 'a');
}

/**
 * riscv_isa_reports_andes_pmu() - does the platform report Andes' PMU extension?
 * @cpu: logical CPU number
 *
 * Return: whether it does, for this CPU.
 */
static inline bool riscv_isa_reports_andes_pmu(unsigned int cpu)
{
	return IS_ENABLED(CONFIG_RISCV_ISA_VENDOR_EXT_ANDES) &&
		__riscv_isa_vendor_extension_available(cpu, ANDES_VENDOR_ID,
						       RISCV_ISA_VENDOR_EXT_XANDESPMU);
}

unsigned int riscv_isa_irq(unsigned int hwirq);

#endif /* _DRIVERS_PERF_RISCV_ISA_H */
