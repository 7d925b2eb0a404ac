/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The two registers of what is captured at overflows.
 *
 * All run with interrupts off.
 */
#ifndef _DRIVERS_PERF_RISCV_PESA_HW_H
#define _DRIVERS_PERF_RISCV_PESA_HW_H

#include <linux/errno.h>
#include <linux/types.h>

#include <asm/csr_probe.h>
#include <asm/csr_sspesa.h>

/**
 * struct pesa_capture - what the hart keeps of an overflow
 * @pc: shpmspc; 0 if there is none
 * @data: shpmsdata
 */
struct pesa_capture {
	u64 pc;
	u64 data;
};

static inline struct pesa_capture pesa_hw_read(void)
{
	return (struct pesa_capture) {
		.pc	= csr_read(CSR_SHPMSPC),
		.data	= csr_read(CSR_SHPMSDATA),
	};
}

/* There is none from now on. */
static inline void pesa_hw_erase(void)
{
	csr_write(CSR_SHPMSPC, 0);
}

/* The same, and nothing is left of what it was. */
static inline void pesa_hw_reset(void)
{
	csr_write(CSR_SHPMSPC, 0);
	csr_write(CSR_SHPMSDATA, 0);
}

/**
 * pesa_hw_probe() - find out whether there are the registers
 * @metadata: set to the bits of shpmsdata that can be written, without CNTRID
 *
 * Implements PESA-033: there is nothing without delegation. Leaves nothing captured.
 *
 * Return: 0 or -EFAULT.
 */
static inline int pesa_hw_probe(u64 *metadata)
{
	if (csr_try_write(CSR_SHPMSPC, 0) || csr_try_write(CSR_SHPMSDATA, -1UL))
		return -EFAULT;
	*metadata = csr_read(CSR_SHPMSDATA) & SHPMSDATA_METADATA;
	csr_write(CSR_SHPMSDATA, 0);
	return 0;
}

#endif /* _DRIVERS_PERF_RISCV_PESA_HW_H */
