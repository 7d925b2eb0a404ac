/* SPDX-License-Identifier: GPL-2.0-only */
/* Control transfer records: the registers. */
#ifndef _DRIVERS_PERF_RISCV_CTR_HW_H
#define _DRIVERS_PERF_RISCV_CTR_HW_H

#include <linux/kconfig.h>
#include <linux/pgtable.h>
#include <linux/types.h>

#include <asm/csr.h>
#include <asm/csr_ssctr.h>

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

/*
 * The type that marks a saved record. With call stacks a return makes no record
 * (CTR-RAS-002), so no other record has this type. A call that overwrites a marked record
 * has its own type.
 */
#define CTR_MARK	CTR_TYPE_RETURN

/* The place of a record in the ring, 0 being the youngest. */
static inline unsigned int ctr_hw_place(unsigned int wrptr, unsigned int entry,
					unsigned int depth)
{
	return (wrptr - 1 - entry) & (depth - 1);
}

/* The address that traps go to. */
static inline u64 ctr_hw_trap_entry(void)
{
	return csr_read(CSR_STVEC) & ~3UL;
}

/* RV32 divides its address space differently from RV64. */
static inline bool ctr_in_kernel(u64 addr)
{
	return IS_ENABLED(CONFIG_64BIT) ? (s64)addr < 0 : addr >= TASK_SIZE;
}

/**
 * ctr_hw_control() - set what is recorded
 * @control: sctrctl
 */
static inline void ctr_hw_control(u64 control)
{
	csr_write(CSR_SCTRCTL, control);
}

/**
 * ctr_hw_wrptr() - the place of the next record in the ring
 *
 * Return: its index.
 */
static inline unsigned int ctr_hw_wrptr(void)
{
	return csr_read(CSR_SCTRSTATUS) & SCTRSTATUS_WRPTR;
}

/**
 * struct ctr_saved - the result of saving records
 * @nr: the number of records saved
 * @met: the next record had been saved before
 */
struct ctr_saved {
	unsigned int nr;
	bool met;
};

const char *ctr_hw_probe(struct ctr_caps *caps);
void ctr_hw_reset(const struct ctr_caps *caps);
void ctr_hw_freeze(u64 control);
void ctr_hw_unfreeze(void);
unsigned int ctr_hw_read(struct ctr_record *records, unsigned int first,
			 unsigned int end, bool data);
unsigned int ctr_hw_save(struct ctr_record *ring, unsigned int depth,
			 unsigned int wrptr, bool data);
struct ctr_saved ctr_hw_save_new(struct ctr_record *ring, unsigned int depth,
				 unsigned int wrptr, bool stop);
void ctr_hw_unmark(unsigned int depth);
void ctr_hw_write(const struct ctr_record *ring, unsigned int depth, unsigned int nr,
		  unsigned int wrptr, unsigned int hart_depth, bool mark);

#endif /* _DRIVERS_PERF_RISCV_CTR_HW_H */
