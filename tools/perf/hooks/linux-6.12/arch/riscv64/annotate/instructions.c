// SPDX-License-Identifier: GPL-2.0-only
/*
 * RISC-V: which instructions transfer control, for a perf that finds this file by its
 * name, and in which nothing of that was const.
 */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdiscarded-qualifiers"
#pragma GCC diagnostic ignored "-Wincompatible-pointer-types"
#include "../../../util/annotate-riscv.h"

static int riscv64__annotate_init(struct arch *arch, char *cpuid __maybe_unused)
{
	if (arch->initialized)
		return 0;
	arch->associate_instruction_ops = riscv64__associate_ins_ops;
	arch->objdump.comment_char = '#';
	arch->initialized = true;
	return 0;
}
#pragma GCC diagnostic pop
