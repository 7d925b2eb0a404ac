/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The events whose counts are known, and which of the instructions of loops.h
 * each of them counts. The codes of the raw events are those of the emulated
 * machine, whose list of events says what they are; they are written down here
 * again on purpose, so that a mistake in one list shows.
 */
#ifndef EVENTS_H
#define EVENTS_H

#include <linux/perf_event.h>
#include <stdint.h>

#include "loops.h"

#define EV_HW(config)	PERF_TYPE_HARDWARE, PERF_COUNT_HW_##config
#define EV_CACHE(cache, op, result)					\
	PERF_TYPE_HW_CACHE, (PERF_COUNT_HW_CACHE_##cache |		\
			     PERF_COUNT_HW_CACHE_OP_##op << 8 |		\
			     PERF_COUNT_HW_CACHE_RESULT_##result << 16)
#define EV_RAW(config)	PERF_TYPE_RAW, config

#define DIRECT		(DIR_CALL | DIR_JUMP)
#define INDIRECT	(IND_CALL | IND_JUMP)
#define JUMPS		(DIRECT | INDIRECT | RETURN)

/* X(name, event, what it counts) */
#define EVENTS(X)							\
	X(instructions, EV_HW(INSTRUCTIONS), INSN);			\
	X(cycles, EV_HW(CPU_CYCLES), CYCLE);				\
	X(branches, EV_HW(BRANCH_INSTRUCTIONS), BRANCH | JUMPS);	\
	X(dcache_loads, EV_CACHE(L1D, READ, ACCESS), LOAD);		\
	X(dcache_stores, EV_CACHE(L1D, WRITE, ACCESS), STORE);		\
	X(cycles_hart, EV_RAW(0x01), CYCLE);				\
	X(inst_ret, EV_RAW(0x02), INSN);				\
	X(inst_load, EV_RAW(0x10), LOAD);				\
	X(inst_store, EV_RAW(0x11), STORE);				\
	X(inst_ldst, EV_RAW(0x12), LOAD | STORE);			\
	X(inst_amo, EV_RAW(0x13), AMO);					\
	X(inst_mo, EV_RAW(0x14), FENCE);				\
	X(inst_int, EV_RAW(0x18), INT);					\
	X(inst_fp, EV_RAW(0x19), FP);					\
	X(inst_rvc, EV_RAW(0x1b), RVC);					\
	X(inst_brjmp, EV_RAW(0x20), BRANCH | JUMPS);			\
	X(inst_branch, EV_RAW(0x21), BRANCH);				\
	X(inst_branch_taken, EV_RAW(0x22), TAKEN);			\
	X(inst_branch_not_taken, EV_RAW(0x23), NOT_TAKEN);		\
	X(inst_brjmp_taken, EV_RAW(0x24), TAKEN | JUMPS);		\
	X(inst_brjmp_pred, EV_RAW(0x25), BRANCH | INDIRECT | RETURN);	\
	X(inst_direct, EV_RAW(0x28), DIRECT);				\
	X(inst_direct_call, EV_RAW(0x29), DIR_CALL);			\
	X(inst_direct_jump, EV_RAW(0x2a), DIR_JUMP);			\
	X(inst_indirect, EV_RAW(0x2c), INDIRECT);			\
	X(inst_indirect_call, EV_RAW(0x2d), IND_CALL);			\
	X(inst_indirect_jump, EV_RAW(0x2e), IND_JUMP);			\
	X(inst_return, EV_RAW(0x31), RETURN);				\
	X(inst_call, EV_RAW(0x32), DIR_CALL | IND_CALL);		\
	X(inst_system, EV_RAW(0x39), SYSTEM);				\
	X(inst_csr, EV_RAW(0x3a), CSR);					\
	X(exception, EV_RAW(0x40), ECALL | FAULT);			\
	X(exception_pgflt_data, EV_RAW(0x41), FAULT);			\
	X(exception_ecall, EV_RAW(0x47), ECALL);

#endif
