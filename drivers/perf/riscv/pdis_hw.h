/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sampled instructions: the registers of the calling CPU.
 *
 * All run with interrupts off. Each is one access, or a few.
 */
#ifndef _DRIVERS_PERF_RISCV_PDIS_HW_H
#define _DRIVERS_PERF_RISCV_PDIS_HW_H

#include <linux/perf/riscv_pdis.h>
#include <linux/types.h>

#include <asm/csr_indirect.h>
#include <asm/csr_sspdis.h>

struct pdis_caps;

const char *pdis_hw_probe(struct pdis_caps *caps);

/* Implements PDIS-MODE-008: what samples, where to, and in which modes. */
static inline void pdis_hw_set_control(u64 control)
{
	csr_write(CSR_SPDISCTL, control);
}

/*
 * Samples no more. The last instruction to be sampled may be the one that ends it, so
 * whether there is a sample is seen only afterwards.
 */
static inline u64 pdis_hw_stop(void)
{
	u64 modes = csr_read_clear(CSR_SPDISCTL, SPDISCTL_U | SPDISCTL_S);
	u64 control = csr_read(CSR_SPDISCTL);

	csr_write(CSR_SPDISCTL, 0);
	return control | (modes & (SPDISCTL_U | SPDISCTL_S));
}

/* Records tell of these counters as well. */
static inline void pdis_hw_tell(u64 counters)
{
	csr_set(CSR_SPDISCTL, counters);
}

/* No more. */
static inline void pdis_hw_tell_not(u64 counters)
{
	csr_clear(CSR_SPDISCTL, counters);
}

static inline u64 pdis_hw_counter(void)
{
	return csr_read(CSR_SPDISCOUNTER);
}

static inline void pdis_hw_set_counter(u64 counter)
{
	csr_write(CSR_SPDISCOUNTER, counter);
}

/* Implements PDIS-FLT-027. */
static inline void pdis_hw_set_filter(u64 mask, u64 match, u64 latency)
{
	csr_write(CSR_SPDISEVMASK, mask);
	csr_write(CSR_SPDISEVMATCH, match);
	csr_write(CSR_SPDISFILTER, latency);
}

static inline u64 pdis_hw_amb_status(void)
{
	return csr_read(CSR_SPDISAMBCS);
}

static inline void pdis_hw_set_amb_status(u64 status)
{
	csr_write(CSR_SPDISAMBCS, status);
}

static inline u64 pdis_hw_amb_address(void)
{
	return csr_read(CSR_SPDISAMBADDR);
}

static inline void pdis_hw_set_amb_address(u64 address)
{
	csr_write(CSR_SPDISAMBADDR, address);
}

/* Implements PDIS-IND-013: nothing is being sampled. */
static inline void pdis_hw_read(struct riscv_pdis_record *record)
{
	*record = (struct riscv_pdis_record) {
		.hdrev	= csr_indirect_read(CSR_SIREG, PDIS_SELECT, 0),
		.pc	= csr_read(CSR_SIREG2),
		.time	= csr_read(CSR_SIREG3),
		.lat	= csr_read(CSR_SIREG4),
		.adr1	= csr_read(CSR_SIREG5),
		.adr2	= csr_read(CSR_SIREG6),
	};
	csr_write(CSR_SISELECT, PDIS_SELECT + 1);
	record->reserved[0] = csr_read(CSR_SIREG);
	record->reserved[1] = csr_read(CSR_SIREG2);
}

#endif /* _DRIVERS_PERF_RISCV_PDIS_HW_H */
