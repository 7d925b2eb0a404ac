/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Words for what one counter does with two events, where a RISC-V core can combine them:
 * cpu/e0=0x154,e1=0x157,op0=add/. The numbers are XiangShan's.
 */
#ifndef _UTIL_RISCV_OPERATOR_H
#define _UTIL_RISCV_OPERATOR_H

#include <stdbool.h>
#include <string.h>
#include <linux/types.h>

/**
 * riscv_operator() - the number that a word stands for
 * @term: of an event: op0, op1 or op2
 * @word: its value
 * @number: set to the number
 *
 * Return: whether it is such a word.
 */
static inline bool riscv_operator(const char *term, const char *word, __u64 *number)
{
	static const char * const words[] = { "or", "and", "xor", NULL, "add" };
	unsigned int i;

	if (strcmp(term, "op0") && strcmp(term, "op1") && strcmp(term, "op2"))
		return false;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (!words[i] || strcmp(word, words[i]))
			continue;
		*number = i;
		return true;
	}
	return false;
}

#endif /* _UTIL_RISCV_OPERATOR_H */
