/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The two registers of captures.
 *
 * All functions run with interrupts off.
 */
#ifndef _DRIVERS_PERF_RISCV_PESA_HW_H
#define _DRIVERS_PERF_RISCV_PESA_HW_H

#include <linux/errno.h>
#include <linux/types.h>

#include <asm/csr_probe.h>
#include <asm/csr_sspesa.h>

/**
 * struct pesa_capture - what the hart captures at an overflow
 * @pc: shpmspc; 0 if there is no capture
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

/* Erase the capture: an address of 0 means that there is none. */
static inline void pesa_hw_erase(void)
{
	csr_write(CSR_SHPMSPC, 0);
}

/* Clear both registers. */
static inline void pesa_hw_reset(void)
{
	csr_write(CSR_SHPMSPC, 0);
	csr_write(CSR_SHPMSDATA, 0);
}

/**
 * pesa_hw_probe() - do the registers exist?
 * @metadata: set to the bits of shpmsdata that can be written, without CNTRID
 *
 * Implements PESA-033: they do not exist without delegation. Erases any capture.
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
