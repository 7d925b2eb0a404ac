/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * RISC-V: what an instruction does to registers, as far as it matters for finding out what
 * they point at.
 */
#ifndef _UTIL_RISCV_OPERANDS_H
#define _UTIL_RISCV_OPERANDS_H

#include <stdbool.h>
#include <linux/types.h>

/* Where a register is none, it is x0. */
enum {
	RISCV_OTHER,		/* rd is a number of which nothing is known */
	RISCV_UPPER,		/* rd = imm */
	RISCV_PC,		/* rd = pc + imm */
	RISCV_ADD_IMM,		/* rd = rs1 + imm */
	RISCV_ADD,		/* rd = (rs1 << imm) + rs2 */
	RISCV_SUB,		/* rd = rs1 - rs2 */
	RISCV_SHIFT,		/* rd = rs1 << imm, to the right if imm is negative */
	RISCV_MUL,		/* rd = rs1 * rs2 */
	RISCV_LOAD,		/* from rs1 + imm; rd is none if it is no integer register */
	RISCV_STORE,		/* of rs2 to rs1 + imm */
	RISCV_BRANCH,		/* to pc + imm, or not */
	RISCV_JUMP,		/* to pc + imm */
	RISCV_JUMP_REG,		/* to rs1 + imm */
	RISCV_CALL,		/* of pc + imm; rd is the link register */
	RISCV_CALL_REG,		/* of rs1 + imm */
	RISCV_END,		/* what follows is not executed next: a return, a trap */
};

/**
 * struct riscv_operands - a decoded instruction
 * @op:	    one of the above
 * @length: in bytes
 * @rd:	    register that is written
 * @rs1:    first register that is read: the base, where memory is accessed
 * @rs2:    second one
 * @bytes:  so many are accessed
 * @word:   the result is of 32 bits, so that it is no address
 * @atomic: what is loaded is stored to, too
 * @imm:    immediate operand
 */
struct riscv_operands {
	u8   op;
	u8   length;
	u8   rd;
	u8   rs1;
	u8   rs2;
	u8   bytes;
	bool word;
	bool atomic;
	s64  imm;
};

void riscv_decode(u32 code, struct riscv_operands *o);

#endif /* _UTIL_RISCV_OPERANDS_H */
