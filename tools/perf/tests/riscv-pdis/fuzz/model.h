/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a record of a sampled instruction says, written down a second time for fuzzing.
 *
 * Nothing of the decoder is used here, nor the masks of its header: if both say the same
 * of any bytes, neither has slipped.
 */
#ifndef RISCV_PDIS_FUZZ_MODEL_H
#define RISCV_PDIS_FUZZ_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MODEL_CYCLES	6

/**
 * struct model - a record, and what is to be said of it
 * @hdrev: its words
 * @pc: as there
 * @time: as there
 * @lat: as there
 * @adr1: as there
 * @adr2: as there
 * @core: it is of the core whose codes are known
 * @known: it is of the first format
 * @access: it is a load or store
 * @transfer: it is a transfer of control
 * @flushed: it did not retire
 * @kind: of a transfer
 * @addr: PERF_SAMPLE_ADDR
 * @phys_addr: PERF_SAMPLE_PHYS_ADDR
 * @data_src: PERF_SAMPLE_DATA_SRC
 * @ip_flags: what perf calls flags
 * @branch_flags: what a branch stack says of a transfer
 * @total: cycles in all
 * @issue: cycles until issued
 * @execution: cycles until executed
 * @cycles: as the oldest, in all, until dispatched, until issued, until executed and
 *	until retired; 0 if that is not told
 */
struct model {
	uint64_t hdrev, pc, time, lat, adr1, adr2;
	bool core, known, access, transfer, flushed;
	const struct model_kind *kind;
	uint64_t addr, phys_addr, data_src, branch_flags;
	unsigned int ip_flags, total, issue, execution, cycles[MODEL_CYCLES];
};

/* Does not return if it does not hold. */
#define must(holds) model_must(holds, __FILE__, __LINE__, #holds)

void model_must(bool holds, const char *file, int line, const char *what);
uint64_t model_bits(uint64_t word, unsigned int from, unsigned int nr);
bool model_is_core(uint64_t mvendorid, uint64_t marchid, uint64_t mimpid);
uint64_t model_number(const uint8_t *at, size_t size);
void model_read(struct model *model, const uint8_t *bytes, bool rv32, uint64_t has,
		bool core);
void model_check_text(const struct model *model, const char *text);

#endif /* RISCV_PDIS_FUZZ_MODEL_H */
