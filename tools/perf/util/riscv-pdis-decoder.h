/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * RISC-V sampled instructions (Sspdis): what a record says, in perf's terms.
 *
 * Nothing here knows where records come from, so a sample of either PMU, on either
 * machine, means the same.
 */
#ifndef PERF_RISCV_PDIS_DECODER_H
#define PERF_RISCV_PDIS_DECODER_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <linux/bitfield.h>
#include <linux/types.h>
#include <linux/perf/riscv_pdis.h>

#include "riscv-pdis.h"

/* Long enough for all that riscv_pdis_text() can say. */
#define RISCV_PDIS_TEXT_SIZE	512

struct branch_flags;
struct riscv_pdis_core;

/**
 * struct riscv_pdis_core_id - which core it is
 * @mvendorid: the CSR's value
 * @marchid: the CSR's value
 * @mimpid: the CSR's value
 */
struct riscv_pdis_core_id {
	u64 mvendorid;
	u64 marchid;
	u64 mimpid;
};

/* What is asked of each record, mostly more than once, is here: calls would take longer. */

/**
 * riscv_pdis_type() - what kind of instruction is it?
 * @record: a record
 *
 * Return: PDIS_TYPE_*.
 */
static inline unsigned int riscv_pdis_type(const struct riscv_pdis_record *record)
{
	return FIELD_GET(PDISHDREV_TYPE, record->hdrev);
}

/**
 * riscv_pdis_is_known() - can it be understood?
 * @record: a record
 *
 * Return: false if it is of a format that is unlike the first one.
 */
static inline bool riscv_pdis_is_known(const struct riscv_pdis_record *record)
{
	return !(record->hdrev & PDISHDREV_FMT);
}

/**
 * riscv_pdis_is_access() - is it a load or a store, or both?
 * @record: a record
 *
 * Return: whether it is.
 */
static inline bool riscv_pdis_is_access(const struct riscv_pdis_record *record)
{
	unsigned int type = riscv_pdis_type(record);

	return type == PDIS_TYPE_LOAD || type == PDIS_TYPE_STORE ||
		type == PDIS_TYPE_LDST;
}

/**
 * riscv_pdis_is_flushed() - did the instruction not retire?
 * @record: a record
 *
 * Return: whether it did not.
 */
static inline bool riscv_pdis_is_flushed(const struct riscv_pdis_record *record)
{
	return record->hdrev & PDISHDREV_FLUSHED;
}

/**
 * riscv_pdis_is_transfer() - is it a transfer of control?
 * @record: a record
 *
 * Return: whether it is.
 */
static inline bool riscv_pdis_is_transfer(const struct riscv_pdis_record *record)
{
	return riscv_pdis_type(record) == PDIS_TYPE_CTI;
}

/**
 * riscv_pdis_addr() - what it accessed, or where it went to
 * @record: a record
 *
 * Return: the address, 0 if there is none.
 */
static inline u64 riscv_pdis_addr(const struct riscv_pdis_record *record)
{
	if (!riscv_pdis_is_flushed(record))
		return record->adr1;
	return riscv_pdis_is_access(record) ? record->adr2 : 0;
}

/**
 * riscv_pdis_phys_addr() - the same in physical memory
 * @record: a record
 *
 * Return: the address, 0 if there is none.
 */
static inline u64 riscv_pdis_phys_addr(const struct riscv_pdis_record *record)
{
	if (riscv_pdis_is_flushed(record) || !riscv_pdis_is_access(record))
		return 0;
	return record->adr2;
}

static inline int riscv_pdis_told(const struct riscv_pdis_record *record, u64 bit, u64 cycles)
{
	return record->lat & bit ? (int)cycles : -1;
}

/**
 * riscv_pdis_cycles() - how long it was in a stage
 * @record: a record
 * @which: the stage. Until it retired is what is left of all cycles, if all other stages
 *	are told.
 *
 * Return: so many cycles, -1 if it is not told. None is more than the hart can count.
 */
static inline int riscv_pdis_cycles(const struct riscv_pdis_record *record,
				    enum riscv_pdis_latency which)
{
	const u64 all = PDISLAT_DISPV | PDISLAT_ISSV | PDISLAT_EXECV;
	u64 lat = record->lat;
	int left;

	switch (which) {
	case RISCV_PDIS_DISPATCH_LAT:
		return riscv_pdis_told(record, PDISLAT_DISPV, FIELD_GET(PDISLAT_DISPATCH, lat));
	case RISCV_PDIS_ISSUE_LAT:
		return riscv_pdis_told(record, PDISLAT_ISSV, FIELD_GET(PDISLAT_ISSUE, lat));
	case RISCV_PDIS_EXEC_LAT:
		return riscv_pdis_told(record, PDISLAT_EXECV, FIELD_GET(PDISLAT_EXECUTION, lat));
	case RISCV_PDIS_OLDEST_LAT:
		return riscv_pdis_told(record, PDISLAT_OLDV, FIELD_GET(PDISLAT_OLDEST, lat));
	case RISCV_PDIS_RETIRE_LAT:
		if ((lat & all) != all || riscv_pdis_is_flushed(record))
			return -1;
		left = FIELD_GET(PDISLAT_TOTAL, lat) - FIELD_GET(PDISLAT_DISPATCH, lat) -
			FIELD_GET(PDISLAT_ISSUE, lat) - FIELD_GET(PDISLAT_EXECUTION, lat);
		return left > 0 ? left : 0;
	default:
		return -1;
	}
}

void riscv_pdis_unpack32(struct riscv_pdis_record *record, const void *data);

/**
 * riscv_pdis_unpack() - take a record as a hart has written it
 * @record: where to
 * @data: where from, of whatever alignment
 * @rv32: it is one of a hart with 32-bit registers
 */
static inline void riscv_pdis_unpack(struct riscv_pdis_record *record, const void *data,
				     bool rv32)
{
	if (rv32) {
		riscv_pdis_unpack32(record, data);
		return;
	}
	memcpy(record, data, sizeof(*record));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	for (size_t i = 0; i < sizeof(*record) / sizeof(__u64); i++)
		((__u64 *)record)[i] = le64toh(((__u64 *)record)[i]);
#endif
}

const struct riscv_pdis_core *riscv_pdis_find_core(const struct riscv_pdis_core_id *id);
u64 riscv_pdis_data_src(const struct riscv_pdis_record *record, u64 has,
			const struct riscv_pdis_core *core);
u32 riscv_pdis_ip_flags(const struct riscv_pdis_record *record);
void riscv_pdis_branch_flags(const struct riscv_pdis_record *record, u64 has,
			     struct branch_flags *flags);
size_t riscv_pdis_text(const struct riscv_pdis_record *record,
		       const struct riscv_pdis_core *core, char *buf, size_t size);

#endif /* PERF_RISCV_PDIS_DECODER_H */
