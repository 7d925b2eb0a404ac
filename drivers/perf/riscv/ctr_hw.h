/* SPDX-License-Identifier: GPL-2.0-only */
/* Control transfer records: the registers. */
#ifndef _DRIVERS_PERF_RISCV_CTR_HW_H
#define _DRIVERS_PERF_RISCV_CTR_HW_H

#include <linux/types.h>

#include <asm/csr.h>

/**
 * struct ctr_caps - what a hart can record
 * @depth: how many records it holds, or 0 if it has none
 * @control: the optional bits of sctrctl that it has
 * @target: the optional bits of ctrtarget: MISP or 0
 * @data: the bits of ctrdata that it has
 */
struct ctr_caps {
	unsigned int depth;
	u64 control;
	u64 target;
	u64 data;
};

/**
 * struct ctr_record - the registers of an entry
 * @source: ctrsource
 * @target: ctrtarget
 * @data: ctrdata
 */
struct ctr_record {
	u64 source;
	u64 target;
	u64 data;
};

/* Where traps lead to. */
static inline u64 ctr_hw_trap_entry(void)
{
	return csr_read(CSR_STVEC) & ~3UL;
}

static inline bool ctr_in_kernel(u64 addr)
{
	return (s64)addr < 0;
}

const char *ctr_hw_probe(struct ctr_caps *caps);
void ctr_hw_reset(const struct ctr_caps *caps);
void ctr_hw_control(u64 control);
void ctr_hw_freeze(u64 control);
void ctr_hw_unfreeze(void);
unsigned int ctr_hw_wrptr(void);
unsigned int ctr_hw_read(struct ctr_record *records, unsigned int first,
			 unsigned int end, bool data);
void ctr_hw_write(const struct ctr_record *records, unsigned int nr,
		  unsigned int wrptr);

#endif /* _DRIVERS_PERF_RISCV_CTR_HW_H */
