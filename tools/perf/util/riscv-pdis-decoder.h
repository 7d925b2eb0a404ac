/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * RISC-V sampled instructions (Sspdis): what a record says, in perf's terms.
 *
 * Nothing here knows where records come from, so a sample of either PMU, on either
 * machine, means the same.
 */
#ifndef PERF_RISCV_PDIS_DECODER_H
#define PERF_RISCV_PDIS_DECODER_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>
#include <linux/perf/riscv_pdis.h>

/* Long enough for all that riscv_pdis_text() can say. */
#define RISCV_PDIS_TEXT_SIZE	512

struct branch_flags;

void riscv_pdis_unpack(struct riscv_pdis_record *record, const void *data, bool rv32);
bool riscv_pdis_is_known(const struct riscv_pdis_record *record);
bool riscv_pdis_is_access(const struct riscv_pdis_record *record);
bool riscv_pdis_is_flushed(const struct riscv_pdis_record *record);
bool riscv_pdis_is_transfer(const struct riscv_pdis_record *record);
u64 riscv_pdis_addr(const struct riscv_pdis_record *record);
u64 riscv_pdis_phys_addr(const struct riscv_pdis_record *record);
u64 riscv_pdis_data_src(const struct riscv_pdis_record *record, u64 has);
u32 riscv_pdis_ip_flags(const struct riscv_pdis_record *record);
void riscv_pdis_branch_flags(const struct riscv_pdis_record *record, u64 has,
			     struct branch_flags *flags);
size_t riscv_pdis_text(const struct riscv_pdis_record *record, char *buf, size_t size);

#endif /* PERF_RISCV_PDIS_DECODER_H */
