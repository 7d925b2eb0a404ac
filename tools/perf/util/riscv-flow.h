/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the registers of a RISC-V function point at.
 */
#ifndef _UTIL_RISCV_FLOW_H
#define _UTIL_RISCV_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "dwarf-aux.h"
#include "riscv-types.h"

/* What an instruction accesses */
enum riscv_access {
	RISCV_NO_ACCESS,	/* nothing */
	RISCV_SOMETHING,	/* it is not known what */
	RISCV_STACK,		/* a place on the stack that is no variable */
	RISCV_PLACE,		/* a place in a data type */
};

/**
 * struct riscv_code - a function's instructions, and where more is said of them
 * @dwarf:  debug information
 * @key:    tells the program from others
 * @pc:	    the function's address, as in the debug information
 * @code:   its bytes
 * @size:   so many
 * @kernel: whether it is of the kernel
 */
struct riscv_code {
	Dwarf	   *dwarf;
	const void *key;
	u64	    pc;
	const u8   *code;
	size_t	    size;
	bool	    kernel;
};

/* Told of each instruction that can be executed, by its offset */
typedef void (*riscv_access_fn)(void *arg, u32 offset, int access,
				const struct riscv_place *place);

bool riscv_flow(const struct riscv_code *code, riscv_access_fn tell, void *arg);

#endif /* _UTIL_RISCV_FLOW_H */
