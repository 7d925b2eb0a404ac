/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * RISC-V: which instructions transfer control, for perf annotate.
 *
 * This is a part of the one file that knows the instructions. Names are those of objdump,
 * with pseudo-instructions and without. Where to is the last operand, behind registers
 * whose names may look like numbers (a0). Of an indirect call it is in the comment, if
 * objdump knows it; an indirect jump (jr) has no place to draw an arrow to.
 */
#ifndef PERF_ANNOTATE_RISCV_H
#define PERF_ANNOTATE_RISCV_H

#include <stdbool.h>
#include <stdlib.h>

#include <linux/kernel.h>
#include <linux/string.h>

/* The last operand that is followed by a symbol; NULL if there is none. */
static char *riscv__target(char *raw)
{
	char *symbol = strchr(raw, '<'), *at;

	if (!symbol || symbol == raw)
		return NULL;
	/* Back over the space between, and then to the begin of the number. */
	for (at = symbol - 1; at > raw && at[-1] != ',' && at[-1] != ' '; at--)
		;
	return at;
}

typedef int (*riscv_parse_fn)(const struct arch *arch, struct ins_operands *ops,
			      struct map_symbol *ms, struct disasm_line *dl);

/* What others parse begins with where to, which is all that they need. */
static int riscv__parse(const struct arch *arch, struct ins_operands *ops,
			struct map_symbol *ms, struct disasm_line *dl, riscv_parse_fn parse)
{
	char *raw = ops->raw, *target = riscv__target(raw);
	int err;

	if (!target)
		return 0;
	ops->raw = target;
	err = parse(arch, ops, ms, dl);
	ops->raw = raw;
	return err;
}

static int riscv_call__parse(const struct arch *arch, struct ins_operands *ops,
			     struct map_symbol *ms, struct disasm_line *dl)
{
	return riscv__parse(arch, ops, ms, dl, call_ops.parse);
}

static const struct ins_ops riscv_call_ops = {
	.parse	   = riscv_call__parse,
	.scnprintf = call__scnprintf,
	.is_call   = true,
};

static int riscv_jump__parse(const struct arch *arch, struct ins_operands *ops,
			     struct map_symbol *ms, struct disasm_line *dl)
{
	return riscv__parse(arch, ops, ms, dl, jump_ops.parse);
}

static const struct ins_ops riscv_jump_ops = {
	.free	   = jump__delete,
	.parse	   = riscv_jump__parse,
	.scnprintf = jump__scnprintf,
	.is_jump   = true,
};

static bool riscv__is_one_of(const char *name, const char *const *names, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		if (!strcmp(name, names[i]))
			return true;
	}
	return false;
}

static const struct ins_ops *riscv64__ops(const char *name)
{
	static const char *const calls[] = { "jal", "jalr", "call" };
	static const char *const returns[] = { "ret", "mret", "sret", "uret", "dret", "mnret" };
	static const char *const jumps[] = {
		"j", "tail", "beq", "bne", "blt", "bge", "bltu", "bgeu", "beqz", "bnez",
		"blez", "bgez", "bltz", "bgtz", "bgt", "ble", "bgtu", "bleu",
	};

	if (strstarts(name, "c."))
		name += 2;
	if (riscv__is_one_of(name, calls, ARRAY_SIZE(calls)))
		return &riscv_call_ops;
	if (riscv__is_one_of(name, returns, ARRAY_SIZE(returns)))
		return &ret_ops;
	if (riscv__is_one_of(name, jumps, ARRAY_SIZE(jumps)))
		return &riscv_jump_ops;
	return NULL;
}

static const struct ins_ops *riscv64__associate_ins_ops(struct arch *arch, const char *name)
{
	const struct ins_ops *ops = riscv64__ops(name);

	if (ops)
		arch__associate_ins_ops(arch, name, ops);
	return ops;
}

#endif /* PERF_ANNOTATE_RISCV_H */
