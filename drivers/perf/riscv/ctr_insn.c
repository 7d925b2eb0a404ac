// SPDX-License-Identifier: GPL-2.0-only
/*
 * The type of a recorded transfer, from its instruction.
 *
 * For harts that do not record types, and for details that the type does not have. The
 * instruction is read from memory, and may not be there any more.
 */
#include <linux/bitfield.h>
#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/uaccess.h>

#include <asm/csr_ssctr.h>

#include "ctr_hw.h"
#include "ctr_insn.h"

#define INSN_ECALL		0x00000073
#define INSN_SRET		0x10200073

#define INSN_OPCODE		GENMASK(6, 0)
#define INSN_RD			GENMASK(11, 7)
#define INSN_RS1		GENMASK(19, 15)
#define INSN_IMM_I		GENMASK(31, 20)
#define INSN_IMM_U		GENMASK(31, 12)
#define OPCODE_AUIPC		0x17
#define OPCODE_BRANCH		0x63
#define OPCODE_JALR		0x67
#define OPCODE_JAL		0x6f

#define RVC_QUADRANT		GENMASK(1, 0)
#define RVC_FUNCT3		GENMASK(15, 13)
#define RVC_RS2			GENMASK(6, 2)
#define RVC_LINK		BIT(12)		/* c.jr or c.jalr */
#define RVC_CM			GENMASK(12, 8)	/* Zcmp */
#define RVC_CM_POPRETZ		0x1c
#define RVC_CM_POPRET		0x1e
#define RVC_CM_TABLE		GENMASK(12, 10)	/* Zcmt: 0 is a table jump */
#define RVC_CM_INDEX		GENMASK(9, 2)
#define RVC_CM_FIRST_CALL	32

#define TRAP		(BIT(CTR_TYPE_EXCEPTION) | BIT(CTR_TYPE_INTERRUPT))

static bool ctr_insn_read_parcel(u64 pc, u16 *parcel)
{
	unsigned long addr = pc;

	if (ctr_in_kernel(pc))
		return !copy_from_kernel_nofault(parcel, (void *)addr, sizeof(*parcel));
	return !copy_from_user_nofault(parcel, (void __user *)addr, sizeof(*parcel));
}

static bool ctr_insn_read(u64 pc, u32 *insn)
{
	u16 low, high = 0;

	if (!ctr_insn_read_parcel(pc, &low))
		return false;
	if ((low & 3) == 3 && !ctr_insn_read_parcel(pc + 2, &high))
		return false;
	*insn = (u32)high << 16 | low;
	return true;
}

static bool ctr_insn_is_link(unsigned int reg)
{
	return reg == 1 || reg == 5;
}

/* Implements CTR-TYPE-012, -014 and -019. */
static unsigned int ctr_insn_jal_type(unsigned int rd)
{
	if (ctr_insn_is_link(rd))
		return CTR_TYPE_DIR_CALL;
	return rd ? CTR_TYPE_DIR_LJUMP : CTR_TYPE_DIR_JUMP;
}

/* Implements CTR-TYPE-009, -010, -013, -015, -016 and -018. */
static unsigned int ctr_insn_jalr_type(unsigned int rd, unsigned int rs1)
{
	if (ctr_insn_is_link(rd))
		return ctr_insn_is_link(rs1) && rs1 != rd ? CTR_TYPE_SWAP :
			CTR_TYPE_IND_CALL;
	if (ctr_insn_is_link(rs1))
		return CTR_TYPE_RETURN;
	return rd ? CTR_TYPE_IND_LJUMP : CTR_TYPE_IND_JUMP;
}

/* Implements CTR-TYPE-008: a branch that is not taken goes to the next instruction. */
static unsigned int ctr_insn_branch_type(u64 from, u64 to, unsigned int len)
{
	return to == from + len ? CTR_TYPE_NOT_TAKEN : CTR_TYPE_TAKEN;
}

/* Implements CTR-TYPE-012, -014 and -017 for Zcmp and Zcmt. */
static unsigned int ctr_insn_cm_type(u32 insn)
{
	switch (FIELD_GET(RVC_CM, insn)) {
	case RVC_CM_POPRET:
	case RVC_CM_POPRETZ:
		return CTR_TYPE_RETURN;
	}
	if (FIELD_GET(RVC_CM_TABLE, insn))
		return 0;
	return FIELD_GET(RVC_CM_INDEX, insn) < RVC_CM_FIRST_CALL ?
		CTR_TYPE_DIR_JUMP : CTR_TYPE_DIR_CALL;
}

/* Implements CTR-TYPE-008, -011, -013, -014, -015 and -017. */
static unsigned int ctr_insn_rvc_type(u32 insn, u64 from, u64 to)
{
	unsigned int rs1 = FIELD_GET(INSN_RD, insn);

	switch (FIELD_GET(RVC_QUADRANT, insn) << 3 |
		FIELD_GET(RVC_FUNCT3, insn)) {
	case 1 << 3 | 1:
		/* c.jal on RV32; on RV64 it is c.addiw, which does not transfer control. */
		return IS_ENABLED(CONFIG_64BIT) ? 0 : CTR_TYPE_DIR_CALL;
	case 1 << 3 | 5:
		return CTR_TYPE_DIR_JUMP;
	case 1 << 3 | 6:
	case 1 << 3 | 7:
		return ctr_insn_branch_type(from, to, 2);
	case 2 << 3 | 4:
		if (FIELD_GET(RVC_RS2, insn) || !rs1)
			return 0;
		return ctr_insn_jalr_type(insn & RVC_LINK ? 1 : 0, rs1);
	case 2 << 3 | 5:
		return ctr_insn_cm_type(insn);
	default:
		return 0;
	}
}

static unsigned int ctr_insn_type_of(u32 insn, u64 from, u64 to)
{
	unsigned int rd = FIELD_GET(INSN_RD, insn);

	if (FIELD_GET(RVC_QUADRANT, insn) != 3)
		return ctr_insn_rvc_type(insn, from, to);
	if (insn == INSN_ECALL)
		return CTR_TYPE_EXCEPTION;
	if (insn == INSN_SRET)
		return CTR_TYPE_TRAP_RETURN;

	switch (FIELD_GET(INSN_OPCODE, insn)) {
	case OPCODE_BRANCH:
		return ctr_insn_branch_type(from, to, 4);
	case OPCODE_JAL:
		return ctr_insn_jal_type(rd);
	case OPCODE_JALR:
		return ctr_insn_jalr_type(rd, FIELD_GET(INSN_RS1, insn));
	default:
		return 0;
	}
}

/* Any instruction can trap, so the target shows a trap if the instruction is no jump. */
static bool ctr_insn_is_trap_entry(u64 pc)
{
	return pc == ctr_hw_trap_entry();
}

/**
 * ctr_insn_types() - get the possible types of a recorded transfer
 * @from: its source, 0 if it is not known
 * @to: its target
 *
 * Context: interrupts off, in the address space of the record.
 * Return: bits of CTR_TYPE_*, or 0 if nothing is known.
 */
unsigned long ctr_insn_types(u64 from, u64 to)
{
	unsigned int type;
	u32 insn;

	if (!from)
		return TRAP;
	if (!ctr_insn_read(from, &insn))
		return ctr_insn_is_trap_entry(to) ? TRAP : 0;
	if (insn != INSN_ECALL && ctr_insn_is_trap_entry(to))
		return TRAP;
	type = ctr_insn_type_of(insn, from, to);
	return type ? BIT(type) : 0;
}

/**
 * ctr_insn_is_far() - is an indirect call or jump the second half of a far one?
 * @from: the address of the instruction
 * @to: its target
 *
 * A target that is too far for a single instruction is reached by two: AUIPC sets a
 * register, and JALR jumps relative to that. The hart takes this for an indirect jump,
 * but the target is fixed.
 *
 * Context: as ctr_insn_types().
 * Return: whether it is; false if that is not known.
 */
bool ctr_insn_is_far(u64 from, u64 to)
{
	unsigned long base;
	u32 first, second;

	if (!ctr_insn_read(from, &second) || !ctr_insn_read(from - 4, &first))
		return false;
	if (FIELD_GET(INSN_OPCODE, first) != OPCODE_AUIPC ||
	    FIELD_GET(INSN_OPCODE, second) != OPCODE_JALR ||
	    FIELD_GET(INSN_RD, first) != FIELD_GET(INSN_RS1, second))
		return false;

	/* If these are not two instructions but parts of others, the target does not match. */
	base = from - 4 + sign_extend64(first & INSN_IMM_U, 31);
	base += sign_extend64(FIELD_GET(INSN_IMM_I, second), 11);
	return base == (unsigned long)to;
}

/**
 * ctr_insn_is_ecall() - is an instruction ECALL?
 * @pc: the address of an instruction
 *
 * Context: as ctr_insn_types().
 * Return: whether it is; false if that is not known.
 */
bool ctr_insn_is_ecall(u64 pc)
{
	u32 insn;

	return ctr_insn_read(pc, &insn) && insn == INSN_ECALL;
}
