// SPDX-License-Identifier: GPL-2.0-only
/*
 * Decoders for captures: how the instruction that made a counter overflow follows from
 * shpmspc and shpmsdata, on each core.
 *
 * The result of a decoder is presented as exact. So if it is not certain, the decoder
 * fails, and the sample is like that of a hart without captures.
 *
 * To add a core, describe its captures in a struct pesa_core, and refer to that from its
 * entry in hpm_cores.c, which also has the precise events.
 */
#include <linux/bitfield.h>
#include <linux/kernel.h>

#include <asm/csr_sspesa.h>
#include <asm/csr_ssctr.h>

#include "ctr.h"
#include "ctr_record.h"
#include "pesa_decode.h"

/* QEMU with the performance-monitor model, whose README has the details. */

/* block: shpmspc is the start of 16 bytes, and this is the offset, in units of 2 bytes. */
#define QEMU_OFFSET		GENMASK_ULL(7, 5)

/*
 * next: shpmspc is the instruction that is executed next. This is how far before it the
 * causal one is, in units of 2 bytes, or QEMU_TRANSFERRED.
 */
#define QEMU_BACK		GENMASK_ULL(6, 5)
#define QEMU_TRANSFERRED	3

/* An interrupt that is not masked is at most this many instructions late. */
#define QEMU_SKID_MAX		64

/* The longest instruction, in bytes. */
#define QEMU_INSN_MAX		4

static bool pesa_decode_qemu_exact(const struct pesa_overflow *ovf, u64 *pc)
{
	*pc = ovf->capture.pc;
	return true;
}

static bool pesa_decode_qemu_block(const struct pesa_overflow *ovf, u64 *pc)
{
	*pc = ovf->capture.pc + 2 * FIELD_GET(QEMU_OFFSET, ovf->capture.data);
	return true;
}

static u64 pesa_decode_source(const struct ctr_record *record)
{
	return record->source & ~CTRSOURCE_V;
}

static u64 pesa_decode_target(const struct ctr_record *record)
{
	return record->target & ~CTRTARGET_MISP;
}

/*
 * If the interrupt was taken at once, the youngest record is that of the causal transfer.
 * If interrupts were off, it was taken somewhere else. Or another trap was taken first,
 * and the interrupt when that returned to the same place: then the youngest record is
 * that of the return, and nothing is certain.
 */
static bool pesa_decode_qemu_last_source(const struct pesa_overflow *ovf, u64 *pc)
{
	const struct ctr_record *last;

	if (ovf->epc != ovf->capture.pc || !ctr_overflow_records(ovf->ctr, 1, &last))
		return false;
	*pc = pesa_decode_source(last);
	return pesa_decode_target(last) == ovf->capture.pc &&
		!ctr_is_trap_return(last, &ovf->ctr->pmu->caps);
}

/* The minimum number of instructions executed from one place to the other */
static unsigned int pesa_decode_straight(u64 from, u64 to)
{
	u64 insns = (to - from) / QEMU_INSN_MAX;

	/* Too many, or backwards: something in between was not recorded. */
	return insns < QEMU_SKID_MAX ? insns : 0;
}

/*
 * The interrupt may be late by up to QEMU_SKID_MAX instructions of user mode, where it
 * cannot be masked. All transfers to the captured place that are recent enough must have
 * the same source.
 */
static bool pesa_decode_qemu_only_source(const struct pesa_overflow *ovf, u64 *pc)
{
	u64 reached = ovf->epc, found = 0;
	const struct ctr_record *records;
	unsigned int insns = 0;
	unsigned int i, nr;

	if (ctr_in_kernel(ovf->capture.pc) || ctr_in_kernel(ovf->epc))
		return false;
	/* There is at least one instruction between two records: the transfer. */
	nr = ctr_overflow_records(ovf->ctr, QEMU_SKID_MAX + 2, &records);
	for (i = 0; i < nr; i++) {
		u64 from = pesa_decode_source(&records[i]);
		u64 to = pesa_decode_target(&records[i]);

		insns += pesa_decode_straight(to, reached);
		if (insns > QEMU_SKID_MAX)
			break;
		if (ctr_in_kernel(from) || ctr_in_kernel(to))
			return false;
		if (to == ovf->capture.pc && found && found != from)
			return false;
		if (to == ovf->capture.pc)
			found = from;
		reached = from;
		insns++;
	}
	*pc = found;
	/* If the ring was full, there may have been more records. */
	return found && i < ovf->ctr->pmu->caps.depth;
}

static bool pesa_decode_qemu_next(const struct pesa_overflow *ovf, u64 *pc)
{
	unsigned int back = FIELD_GET(QEMU_BACK, ovf->capture.data);

	if (back != QEMU_TRANSFERRED) {
		*pc = ovf->capture.pc - 2 * back;
		return true;
	}
	if (ovf->away)
		return false;
	return ovf->no_skid ? pesa_decode_qemu_last_source(ovf, pc) :
		pesa_decode_qemu_only_source(ovf, pc);
}

static const struct pesa_decoder qemu_decoders[] = {
	{ .metadata = 0, .decode = pesa_decode_qemu_exact },
	{ .metadata = QEMU_OFFSET, .decode = pesa_decode_qemu_block },
	{ .metadata = QEMU_BACK, .decode = pesa_decode_qemu_next, .transfers = true },
	{}
};

/* An overflow of cycles captures the one instruction that the cycle is spent on. */
const struct pesa_core pesa_qemu = {
	.cycles		= true,
	.decoders	= qemu_decoders,
};

/**
 * pesa_core_decoder() - find the decoder for a core's captures
 * @core: the core
 * @metadata: the bits of shpmsdata that can be written, without CNTRID
 *
 * Return: the decoder, or NULL.
 */
const struct pesa_decoder *pesa_core_decoder(const struct pesa_core *core,
					     u64 metadata)
{
	const struct pesa_decoder *decoder;

	for (decoder = core->decoders; decoder->decode; decoder++) {
		if (decoder->metadata == metadata)
			return decoder;
	}
	return NULL;
}
