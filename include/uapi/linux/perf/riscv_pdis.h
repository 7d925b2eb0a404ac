/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * Precise decoded instruction sampling (Sspdis): records of sampled instructions, as
 * hardware writes them.
 *
 * The AUX buffer of a riscv_pdis event holds one record after the other. A sample of
 * riscv_pdis_sample has one record as PERF_SAMPLE_RAW, after its size.
 *
 * Fields that a hart does not support are 0 in all of its records.
 */
#ifndef _UAPI_LINUX_PERF_RISCV_PDIS_H
#define _UAPI_LINUX_PERF_RISCV_PDIS_H

#include <linux/types.h>

/**
 * struct riscv_pdis_record - a record of a hart with 64-bit registers
 * @hdrev: the kind of instruction, and what happened to it: PDISHDREV_*
 * @pc: its address
 * @time: the time CSR when it was sampled, if the event has ts_enable
 * @lat: its latencies: PDISLAT_*
 * @adr1: for a load or store, the address of the data; for a control transfer, its
 *	target; for a flushed instruction, the address of the instruction that caused the
 *	flush
 * @adr2: for a load or store, the physical address, if the event has pa_enable; for
 *	a control transfer, the target of the previous one, if the event has prior_target;
 *	for a flushed load or store, the address of the data
 * @reserved: not defined yet
 */
struct riscv_pdis_record {
	__u64 hdrev;
	__u64 pc;
	__u64 time;
	__u64 lat;
	__u64 adr1;
	__u64 adr2;
	__u64 reserved[2];
};

/**
 * struct riscv_pdis_record32 - a record of a hart with 32-bit registers
 * @hdrev: as in struct riscv_pdis_record; low half first
 * @pc: as there
 * @time: the low half of the time CSR
 * @lat: as there; low half first
 * @adr1: as there
 * @adr2: as there
 */
struct riscv_pdis_record32 {
	__u32 hdrev[2];
	__u32 pc;
	__u32 time;
	__u32 lat[2];
	__u32 adr1;
	__u32 adr2;
};

/* hdrev: of each instruction */
#define PDISHDREV_TYPE		(0x7ULL << 0)
#define PDIS_TYPE_OTHER		0
#define PDIS_TYPE_LOAD		1
#define PDIS_TYPE_STORE		2
#define PDIS_TYPE_LDST		3	/* both, such as AMOs */
#define PDIS_TYPE_CTI		4	/* control transfers */
#define PDISHDREV_HPM		(0x1fffffffULL << 3)	/* bit i: counter i counted it */
#define PDISHDREV_FLUSHED	(1ULL << 32)	/* it did not retire */
#define PDISHDREV_FLUSH		(0x3ULL << 33)
#define PDIS_FLUSH_OTHER	0
#define PDIS_FLUSH_BRANCH	1	/* due to a mispredicted transfer before it */
#define PDIS_FLUSH_MEMORY	2	/* due to the order of accesses */
#define PDISHDREV_PARTIAL	(1ULL << 35)	/* only a part of it was followed */
#define PDISHDREV_FUSED		(1ULL << 36)	/* it may look like its neighbour */
#define PDISHDREV_ITMISS	(1ULL << 37)
#define PDISHDREV_ICMISS	(1ULL << 38)
#define PDISHDREV_SFMT		(0x7ULL << 58)	/* 0; other values add fields */
#define PDISHDREV_FMT		(0x7ULL << 61)	/* 0; other values have another layout */

/* hdrev: of loads and stores */
#define PDISHDREV_L1MISS	(1ULL << 39)
#define PDISHDREV_LLMISS	(1ULL << 40)
#define PDISHDREV_DSRC		(0xfULL << 41)	/* the source, in codes of the core */
#define PDISHDREV_L1TLBMISS	(1ULL << 45)
#define PDISHDREV_LLTLBMISS	(1ULL << 46)

/* hdrev: of control transfers, one of the types */
#define PDISHDREV_TRET		(1ULL << 39)	/* return from a trap */
#define PDISHDREV_NTBR		(1ULL << 40)	/* branch, not taken */
#define PDISHDREV_TKBR		(1ULL << 41)	/* branch, taken */
#define PDISHDREV_INDCALL	(1ULL << 44)
#define PDISHDREV_DIRCALL	(1ULL << 45)
#define PDISHDREV_INDJMP	(1ULL << 46)
#define PDISHDREV_DIRJMP	(1ULL << 47)
#define PDISHDREV_CORSWAP	(1ULL << 48)	/* swap of coroutines */
#define PDISHDREV_RET		(1ULL << 49)
#define PDISHDREV_INDLJMP	(1ULL << 50)	/* with linkage, but no call */
#define PDISHDREV_DIRLJMP	(1ULL << 51)
#define PDISHDREV_MISPRED	(1ULL << 52)

/* lat: cycles, at most 4095. All but the first are valid only if their bit is set. */
#define PDISLAT_TOTAL		(0xfffULL << 0)	/* until it retired, or was flushed */
#define PDISLAT_DISPATCH	(0xfffULL << 12)	/* until dispatched */
#define PDISLAT_ISSUE		(0xfffULL << 24)	/* from there until issued */
#define PDISLAT_EXECUTION	(0xfffULL << 36)	/* from there until executed */
#define PDISLAT_OLDEST		(0xfffULL << 48)	/* as the oldest instruction */
#define PDISLAT_DISPV		(1ULL << 60)
#define PDISLAT_ISSV		(1ULL << 61)
#define PDISLAT_EXECV		(1ULL << 62)
#define PDISLAT_OLDV		(1ULL << 63)

#endif /* _UAPI_LINUX_PERF_RISCV_PDIS_H */
