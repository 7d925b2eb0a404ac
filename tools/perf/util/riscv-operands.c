// SPDX-License-Identifier: GPL-2.0-only
/*
 * RISC-V: what an instruction does to registers, of RV64 with the C extension. It is read
 * from the bytes and not from what a disassembler shows, so that it depends on neither
 * that program nor on how it names things.
 */
#include <string.h>

#include "riscv-operands.h"

enum { X_RA = 1, X_SP = 2, X_T0 = 5, X_A0 = 10 };

static u32 bits(u32 code, int low, int number)
{
	return (code >> low) & ((1U << number) - 1);
}

static s64 sign_extended(u32 value, int width)
{
	return (s64)((u64)value << (64 - width)) >> (64 - width);
}

static s64 imm_i(u32 code)
{
	return sign_extended(bits(code, 20, 12), 12);
}

static s64 imm_s(u32 code)
{
	return sign_extended(bits(code, 25, 7) << 5 | bits(code, 7, 5), 12);
}

static s64 imm_b(u32 code)
{
	return sign_extended(bits(code, 31, 1) << 12 | bits(code, 7, 1) << 11 |
			     bits(code, 25, 6) << 5 | bits(code, 8, 4) << 1, 13);
}

static s64 imm_j(u32 code)
{
	return sign_extended(bits(code, 31, 1) << 20 | bits(code, 12, 8) << 12 |
			     bits(code, 20, 1) << 11 | bits(code, 21, 10) << 1, 21);
}

static s64 imm_u(u32 code)
{
	return sign_extended(code & ~0xfffU, 32);
}

static void memory(struct riscv_operands *o, int op, int bytes, s64 imm)
{
	o->op = op;
	o->bytes = bytes;
	o->imm = imm;
}

/* Of floating point, or of vectors, which have no offset */
static void memory_other(struct riscv_operands *o, int op, u32 width, s64 imm)
{
	o->rd = 0;
	o->rs2 = 0;
	if (width >= 1 && width <= 4)
		memory(o, op, 1 << width, imm);
	else
		memory(o, op, width ? 1 << (width - 4) : 1, 0);
}

static void operation_imm(struct riscv_operands *o, u32 code, bool word)
{
	u32 what = bits(code, 12, 3), upper = bits(code, 26, 6);

	o->word = word;
	if (what == 0) {
		o->op = RISCV_ADD_IMM;
		o->imm = imm_i(code);
	} else if (what == 1 && (!upper || (word && upper == 2))) {
		o->op = RISCV_SHIFT;
		o->word = word && !upper;	/* slli.uw: only what is shifted is of 32 bits */
		o->imm = bits(code, 20, 6);
	} else if (what == 5 && !upper) {
		o->op = RISCV_SHIFT;
		o->imm = -(s64)bits(code, 20, 6);
	}
}

static void operation(struct riscv_operands *o, u32 code, bool word)
{
	u32 what = bits(code, 25, 7) << 3 | bits(code, 12, 3);

	o->word = word;
	switch (what) {
	case 0x00 << 3 | 0:
		o->op = RISCV_ADD;
		break;
	case 0x04 << 3 | 0:	/* add.uw */
		o->op = RISCV_ADD;
		o->word = false;
		break;
	case 0x20 << 3 | 0:
		o->op = RISCV_SUB;
		break;
	case 0x01 << 3 | 0:
		o->op = RISCV_MUL;
		break;
	case 0x10 << 3 | 2:	/* sh1add and so on, also with .uw */
	case 0x10 << 3 | 4:
	case 0x10 << 3 | 6:
		o->op = RISCV_ADD;
		o->imm = bits(code, 13, 2);
		o->word = false;
		break;
	case 0x07 << 3 | 5:	/* czero.eqz, czero.nez: what it was, or NULL */
	case 0x07 << 3 | 7:
		o->op = RISCV_ADD_IMM;
		break;
	default:
		break;
	}
}

static void jump_reg(struct riscv_operands *o)
{
	if (o->rd)
		o->op = RISCV_CALL_REG;
	else if (o->rs1 == X_RA || o->rs1 == X_T0)
		o->op = RISCV_END;
	else
		o->op = RISCV_JUMP_REG;
}

static void system_insn(struct riscv_operands *o, u32 code)
{
	if (bits(code, 12, 3))
		return;
	if (code == 0x00000073)		/* ecall: Linux returns a number */
		o->rd = X_A0;
	else if (code == 0x00100073 ||	/* ebreak, and returns from traps */
		 (bits(code, 20, 5) == 2 && bits(code, 25, 7) != 0x09))
		o->op = RISCV_END;
}

/* Of those with floating point, which write an integer? Comparisons, conversions, moves. */
static bool float_to_integer(u32 code)
{
	u32 what = bits(code, 27, 5);

	return what == 0x14 || what == 0x18 || what == 0x1c;
}

/* vset*, and those with one number as result */
static bool vector_to_integer(u32 code)
{
	return bits(code, 12, 3) == 7 || (bits(code, 12, 3) == 2 && bits(code, 26, 6) == 0x10);
}

static void decode_32(u32 code, struct riscv_operands *o)
{
	u32 width = bits(code, 12, 3);

	o->length = 4;
	o->rd = bits(code, 7, 5);
	o->rs1 = bits(code, 15, 5);
	o->rs2 = bits(code, 20, 5);
	switch (bits(code, 0, 7)) {
	case 0x03:
		memory(o, RISCV_LOAD, 1 << (width & 3), imm_i(code));
		break;
	case 0x07:
		memory_other(o, RISCV_LOAD, width, imm_i(code));
		break;
	case 0x0f:
		o->rd = 0;
		break;
	case 0x13:
		operation_imm(o, code, false);
		break;
	case 0x17:
		o->op = RISCV_PC;
		o->imm = imm_u(code);
		break;
	case 0x1b:
		operation_imm(o, code, true);
		break;
	case 0x23:
		o->rd = 0;
		memory(o, RISCV_STORE, 1 << (width & 3), imm_s(code));
		break;
	case 0x27:
		memory_other(o, RISCV_STORE, width, imm_s(code));
		break;
	case 0x2f:
		memory(o, RISCV_LOAD, 1 << width, 0);
		o->atomic = true;
		break;
	case 0x33:
		operation(o, code, false);
		break;
	case 0x37:
		o->op = RISCV_UPPER;
		o->imm = imm_u(code);
		break;
	case 0x3b:
		operation(o, code, true);
		break;
	case 0x43:	/* fused multiplications and additions */
	case 0x47:
	case 0x4b:
	case 0x4f:
		o->rd = 0;
		break;
	case 0x53:
		o->rd = float_to_integer(code) ? o->rd : 0;
		break;
	case 0x57:
		o->rd = vector_to_integer(code) ? o->rd : 0;
		break;
	case 0x63:
		o->rd = 0;
		o->op = RISCV_BRANCH;
		o->imm = imm_b(code);
		break;
	case 0x67:
		o->imm = imm_i(code);
		jump_reg(o);
		break;
	case 0x6f:
		o->op = o->rd ? RISCV_CALL : RISCV_JUMP;
		o->imm = imm_j(code);
		break;
	case 0x73:
		system_insn(o, code);
		break;
	default:
		break;
	}
}

/* The eight registers that a field of three bits can name */
static u8 popular(u32 code, int low)
{
	return 8 + bits(code, low, 3);
}

static s64 offset_word(u32 code)
{
	return bits(code, 10, 3) << 3 | bits(code, 6, 1) << 2 | bits(code, 5, 1) << 6;
}

static s64 offset_double(u32 code)
{
	return bits(code, 10, 3) << 3 | bits(code, 5, 2) << 6;
}

/* Bytes and halves, of Zcb */
static void compressed_small(u32 code, struct riscv_operands *o)
{
	bool store = bits(code, 11, 1);

	if (bits(code, 12, 1))
		return;
	if (bits(code, 10, 1))
		memory(o, store ? RISCV_STORE : RISCV_LOAD, 2, bits(code, 5, 1) << 1);
	else
		memory(o, store ? RISCV_STORE : RISCV_LOAD, 1,
		       bits(code, 5, 1) << 1 | bits(code, 6, 1));
	if (store)
		o->rd = 0;
}

static void compressed_0(u32 code, struct riscv_operands *o)
{
	u32 what = bits(code, 13, 3);

	o->rs1 = popular(code, 7);
	o->rs2 = popular(code, 2);
	o->rd = what < 4 ? o->rs2 : 0;
	switch (what) {
	case 0:
		o->op = code ? RISCV_ADD_IMM : RISCV_END;
		o->rs1 = X_SP;
		o->imm = bits(code, 11, 2) << 4 | bits(code, 7, 4) << 6 |
			 bits(code, 6, 1) << 2 | bits(code, 5, 1) << 3;
		break;
	case 1:
		o->rd = 0;
		memory(o, RISCV_LOAD, 8, offset_double(code));
		break;
	case 2:
		memory(o, RISCV_LOAD, 4, offset_word(code));
		break;
	case 3:
		memory(o, RISCV_LOAD, 8, offset_double(code));
		break;
	case 4:
		o->rd = o->rs2;
		compressed_small(code, o);
		break;
	case 5:
		o->rs2 = 0;
		memory(o, RISCV_STORE, 8, offset_double(code));
		break;
	case 6:
		memory(o, RISCV_STORE, 4, offset_word(code));
		break;
	default:
		memory(o, RISCV_STORE, 8, offset_double(code));
		break;
	}
}

static s64 imm_compressed(u32 code)
{
	return sign_extended(bits(code, 12, 1) << 5 | bits(code, 2, 5), 6);
}

static void compressed_upper(u32 code, struct riscv_operands *o)
{
	if (o->rd == X_SP) {
		o->op = RISCV_ADD_IMM;
		o->imm = sign_extended(bits(code, 12, 1) << 9 | bits(code, 6, 1) << 4 |
				       bits(code, 5, 1) << 6 | bits(code, 3, 2) << 7 |
				       bits(code, 2, 1) << 5, 10);
	} else {
		o->op = RISCV_UPPER;
		o->imm = imm_compressed(code) * 4096;
	}
}

static void compressed_operation(u32 code, struct riscv_operands *o)
{
	u32 what = bits(code, 12, 1) << 2 | bits(code, 5, 2);

	o->rd = popular(code, 7);
	o->rs1 = o->rd;
	o->rs2 = popular(code, 2);
	o->imm = 0;
	if (bits(code, 10, 2) == 0) {
		o->op = RISCV_SHIFT;
		o->imm = -(s64)(bits(code, 12, 1) << 5 | bits(code, 2, 5));
	} else if (bits(code, 10, 2) == 3) {
		o->word = what == 4 || what == 5;
		if (what == 0 || what == 4)
			o->op = RISCV_SUB;
		else if (what == 5)
			o->op = RISCV_ADD;
		else if (what == 6)
			o->op = RISCV_MUL;
	}
}

static s64 imm_compressed_jump(u32 code)
{
	return sign_extended(bits(code, 12, 1) << 11 | bits(code, 11, 1) << 4 |
			     bits(code, 9, 2) << 8 | bits(code, 8, 1) << 10 |
			     bits(code, 7, 1) << 6 | bits(code, 6, 1) << 7 |
			     bits(code, 3, 3) << 1 | bits(code, 2, 1) << 5, 12);
}

static s64 imm_compressed_branch(u32 code)
{
	return sign_extended(bits(code, 12, 1) << 8 | bits(code, 10, 2) << 3 |
			     bits(code, 5, 2) << 6 | bits(code, 3, 2) << 1 |
			     bits(code, 2, 1) << 5, 9);
}

static void compressed_1(u32 code, struct riscv_operands *o)
{
	o->rd = bits(code, 7, 5);
	o->rs1 = o->rd;
	o->imm = imm_compressed(code);
	switch (bits(code, 13, 3)) {
	case 0:
		o->op = RISCV_ADD_IMM;
		break;
	case 1:
		o->op = RISCV_ADD_IMM;
		o->word = true;
		break;
	case 2:
		o->op = RISCV_ADD_IMM;
		o->rs1 = 0;
		break;
	case 3:
		compressed_upper(code, o);
		break;
	case 4:
		compressed_operation(code, o);
		break;
	case 5:
		o->op = RISCV_JUMP;
		o->rd = 0;
		o->imm = imm_compressed_jump(code);
		break;
	default:
		o->op = RISCV_BRANCH;
		o->rd = 0;
		o->imm = imm_compressed_branch(code);
		break;
	}
}

static void compressed_jump_or_add(u32 code, struct riscv_operands *o)
{
	bool set = bits(code, 12, 1);

	if (o->rs2) {
		o->op = set ? RISCV_ADD : RISCV_ADD_IMM;
		o->rs1 = set ? o->rd : o->rs2;
	} else if (!o->rs1) {
		o->op = RISCV_END;
	} else {
		o->rd = set ? X_RA : 0;
		jump_reg(o);
	}
}

static s64 offset_word_sp(u32 code)
{
	return bits(code, 12, 1) << 5 | bits(code, 4, 3) << 2 | bits(code, 2, 2) << 6;
}

static s64 offset_double_sp(u32 code)
{
	return bits(code, 12, 1) << 5 | bits(code, 5, 2) << 3 | bits(code, 2, 3) << 6;
}

static void compressed_2(u32 code, struct riscv_operands *o)
{
	u32 what = bits(code, 13, 3);

	o->rd = what < 5 ? bits(code, 7, 5) : 0;
	o->rs1 = what == 0 || what == 4 ? o->rd : X_SP;
	o->rs2 = bits(code, 2, 5);
	switch (what) {
	case 0:
		o->op = RISCV_SHIFT;
		o->imm = bits(code, 12, 1) << 5 | bits(code, 2, 5);
		break;
	case 1:
		o->rd = 0;
		memory(o, RISCV_LOAD, 8, offset_double_sp(code));
		break;
	case 2:
		memory(o, RISCV_LOAD, 4, offset_word_sp(code));
		break;
	case 3:
		memory(o, RISCV_LOAD, 8, offset_double_sp(code));
		break;
	case 4:
		compressed_jump_or_add(code, o);
		break;
	case 6:
		memory(o, RISCV_STORE, 4, bits(code, 9, 4) << 2 | bits(code, 7, 2) << 6);
		break;
	default:
		o->rs2 = what == 5 ? 0 : o->rs2;
		memory(o, RISCV_STORE, 8, bits(code, 10, 3) << 3 | bits(code, 7, 3) << 6);
		break;
	}
}

/**
 * riscv_decode() - read the operands of an instruction
 * @code: its bytes, and those that follow
 * @o:	  its operands
 *
 * One that is not known writes a number to where most have their result.
 */
void riscv_decode(u32 code, struct riscv_operands *o)
{
	memset(o, 0, sizeof(*o));
	o->op = RISCV_OTHER;
	if ((code & 3) == 3) {
		decode_32(code, o);
		return;
	}
	o->length = 2;
	code &= 0xffff;
	if ((code & 3) == 0)
		compressed_0(code, o);
	else if ((code & 3) == 1)
		compressed_1(code, o);
	else
		compressed_2(code, o);
}
