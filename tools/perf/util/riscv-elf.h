/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the file of a RISC-V program says besides debug information.
 */
#ifndef _UTIL_RISCV_ELF_H
#define _UTIL_RISCV_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <gelf.h>
#include <linux/types.h>

/* Told of each variable that every thread has, and where it is in what a thread has */
typedef void (*riscv_elf_tls_fn)(void *arg, const char *name, u64 at);

bool riscv_elf_is_64(Elf *elf);
bool riscv_elf_code(Elf *elf, u64 pc, u8 *code, size_t size);
bool riscv_elf_gp(Elf *elf, s64 *gp);
bool riscv_elf_linked(Elf *elf, u64 at, s64 *to);
void riscv_elf_tls(Elf *elf, riscv_elf_tls_fn tell, void *arg);

#endif /* _UTIL_RISCV_ELF_H */
