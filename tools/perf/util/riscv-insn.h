/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * RISC-V instructions in what perf script shows of branch stacks (brstackinsn).
 */
#ifndef _UTIL_RISCV_INSN_H
#define _UTIL_RISCV_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

struct perf_insn;

const char *riscv_dump_insn(struct perf_insn *x, const u8 *code, int left, int *length);
bool any_is_uncond_branch(const struct perf_insn *x, const u8 *code, size_t left);

#endif /* _UTIL_RISCV_INSN_H */
