/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * RISC-V: in which data type is the place that an instruction accesses?
 */
#ifndef _UTIL_RISCV_DATA_TYPE_H
#define _UTIL_RISCV_DATA_TYPE_H

#include <stdbool.h>
#include <linux/compiler.h>
#include <linux/types.h>

struct annotated_data_type;
struct debuginfo;
struct hist_entry;

#if defined(HAVE_DWARF_SUPPORT) || defined(HAVE_LIBDW_SUPPORT)
bool riscv_data_type(struct hist_entry *he, u64 ip, struct debuginfo *di,
		     struct annotated_data_type **type, int *at);
#else
static inline bool riscv_data_type(struct hist_entry *he __maybe_unused,
				   u64 ip __maybe_unused,
				   struct debuginfo *di __maybe_unused,
				   struct annotated_data_type **type __maybe_unused,
				   int *at __maybe_unused)
{
	return false;
}
#endif

#endif /* _UTIL_RISCV_DATA_TYPE_H */
