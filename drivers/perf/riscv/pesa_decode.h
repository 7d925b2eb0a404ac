/* SPDX-License-Identifier: GPL-2.0-only */
/* Cores that capture which instruction made a counter overflow. */
#ifndef _DRIVERS_PERF_RISCV_PESA_DECODE_H
#define _DRIVERS_PERF_RISCV_PESA_DECODE_H

#include <linux/types.h>

#include "pesa_hw.h"

struct ctr_cpu;

/**
 * struct pesa_overflow - what a decoder may look at
 * @capture: what was captured
 * @epc: where the interrupt was taken
 * @no_skid: the interrupt comes at once, unless interrupts are off
 * @away: that, and what has been recorded, is of another time than what was captured
 * @ctr: for ctr_overflow_records(), which takes its time
 */
struct pesa_overflow {
	struct pesa_capture capture;
	u64 epc;
	bool no_skid;
	bool away;
	struct ctr_cpu *ctr;
};

/**
 * struct pesa_decoder - how a core's capture tells the causal instruction
 * @metadata: the bits of shpmsdata that can be written, which say that the core
 *	captures in this way
 * @transfers: it takes the records of all control transfers
 * @decode: find the instruction; false if that is not certain
 *
 * Context: @decode runs in the overflow handler.
 */
struct pesa_decoder {
	u64 metadata;
	bool transfers;
	bool (*decode)(const struct pesa_overflow *ovf, u64 *pc);
};

/**
 * struct pesa_core - what is known of a core's captures
 * @cycles: for cycles, too, it captures an instruction of the time in question
 * @decoders: in which ways it captures, up to one that cannot decode
 */
struct pesa_core {
	bool cycles;
	const struct pesa_decoder *decoders;
};

extern const struct pesa_core pesa_qemu;
const struct pesa_decoder *pesa_core_decoder(const struct pesa_core *core,
					     u64 metadata);

#endif /* _DRIVERS_PERF_RISCV_PESA_DECODE_H */
