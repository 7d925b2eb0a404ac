/* SPDX-License-Identifier: GPL-2.0-only */
/* Decoders for captures. */
#ifndef _DRIVERS_PERF_RISCV_PESA_DECODE_H
#define _DRIVERS_PERF_RISCV_PESA_DECODE_H

#include <linux/types.h>

#include "pesa_hw.h"

struct ctr_cpu;

/**
 * struct pesa_overflow - what a decoder can use
 * @capture: what was captured
 * @epc: where the interrupt was taken
 * @no_skid: the interrupt is taken at once, unless interrupts are off
 * @away: @epc and the control transfer records are unrelated to the capture
 * @ctr: for ctr_overflow_records(), which is slow
 */
struct pesa_overflow {
	struct pesa_capture capture;
	u64 epc;
	bool no_skid;
	bool away;
	struct ctr_cpu *ctr;
};

/**
 * struct pesa_decoder - how to find the causal instruction of a capture
 * @metadata: the bits of shpmsdata that can be written, which identify this way to
 *	capture
 * @transfers: it needs records of all control transfers
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
 * struct pesa_core - the description of a core's captures
 * @cycles: an overflow of cycles captures an instruction that they were spent on
 * @decoders: the ways in which it captures, up to an entry without @decode
 */
struct pesa_core {
	bool cycles;
	const struct pesa_decoder *decoders;
};

extern const struct pesa_core pesa_qemu;
const struct pesa_decoder *pesa_core_decoder(const struct pesa_core *core,
					     u64 metadata);

#endif /* _DRIVERS_PERF_RISCV_PESA_DECODE_H */
