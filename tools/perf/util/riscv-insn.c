// SPDX-License-Identifier: GPL-2.0-only
/*
 * RISC-V instructions in what perf script shows of branch stacks (brstackinsn): how long
 * they are, and which of them always jump. perf looks at those of x86 for both, whatever
 * machine a file is of.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "dump-insn.h"
#include "env.h"
#include "machine.h"
#include "riscv-insn.h"

static bool is_riscv(const struct perf_insn *x)
{
	return strstarts(perf_env__arch(x->machine->env), "riscv");
}

/* In bytes; 0 if it is longer than those that there are. */
static int length_of(u8 first)
{
	if ((first & 0x3) != 0x3)
		return 2;
	return (first & 0x1c) != 0x1c ? 4 : 0;
}

/**
 * riscv_dump_insn() - an instruction as text
 * @x: where it is
 * @code: the instruction, and what follows
 * @left: so many bytes
 * @length: set to how many of them are the instruction's, if it is one
 *
 * Return: the text, which is valid until the next one; NULL if it is none of RISC-V's.
 */
const char *riscv_dump_insn(struct perf_insn *x, const u8 *code, int left, int *length)
{
	int i, n, size;

	if (!is_riscv(x))
		return NULL;
	size = left > 0 ? length_of(code[0]) : 0;
	if (!size || size > left)
		return "<bad>";
	*length = size;
	n = scnprintf(x->out, sizeof(x->out), "insn: ");
	for (i = 0; i < size; i++)
		n += scnprintf(x->out + n, sizeof(x->out) - n, "%02x ", code[i]);
	return x->out;
}

/* Does it have two bytes, and jump always? With 64 bits c.jal is another instruction. */
static bool jumps_compressed(unsigned int insn, bool is64bit)
{
	switch (insn & 0xe003) {
	case 0xa001:	/* c.j */
		return true;
	case 0x2001:	/* c.jal */
		return !is64bit;
	case 0x8002:	/* c.jr and c.jalr, of those with one register only */
		return (insn & 0xf80) && !(insn & 0x7c);
	default:
		return false;
	}
}

/* Of calls of the kernel one does not see that they do, if only user mode is recorded. */
static bool jumps_always(const u8 *code, bool is64bit)
{
	switch (code[0] & 0x7f) {
	case 0x6f:	/* jal */
		return true;
	case 0x67:	/* jalr */
		return !(code[1] & 0x70);
	default:
		return jumps_compressed(code[0] | code[1] << 8, is64bit);
	}
}

/**
 * any_is_uncond_branch() - is it certain that what follows is not executed next?
 * @x: where the instruction is, RISC-V's or another
 * @code: the instruction, and what follows
 * @left: so many bytes
 *
 * Return: whether it is.
 */
bool any_is_uncond_branch(const struct perf_insn *x, const u8 *code, size_t left)
{
	if (!is_riscv(x))
		return arch_is_uncond_branch(code, left, x->is64bit);
	return left >= 2 && jumps_always(code, x->is64bit);
}
