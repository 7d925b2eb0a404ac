/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is where in a data type of a program's debug information.
 */
#ifndef _UTIL_RISCV_TYPES_H
#define _UTIL_RISCV_TYPES_H

#include <stdbool.h>
#include <linux/types.h>

#include "dwarf-aux.h"

/**
 * struct riscv_place - a place in memory, as far as it is known
 * @type:   of what is there, in which the place is
 * @at:	    so many bytes after the begin of that
 * @stride: and any multiple of that, if it is not zero: in an array
 */
struct riscv_place {
	Dwarf_Die type;
	s64	  at;
	u64	  stride;
};

s64 riscv_modulo(s64 number, u64 by);
bool riscv_type_unqualified(Dwarf_Die *of, Dwarf_Die *type);
bool riscv_type_size(const Dwarf_Die *type, u64 *size);
bool riscv_type_same(const Dwarf_Die *a, const Dwarf_Die *b);
bool riscv_type_better(const Dwarf_Die *than, const Dwarf_Die *type);
bool riscv_type_pointee(const Dwarf_Die *type, Dwarf_Die *pointee);
bool riscv_place_settle(struct riscv_place *place, u32 bytes);
bool riscv_place_leaf(const struct riscv_place *place, u32 bytes, Dwarf_Die *leaf);

#endif /* _UTIL_RISCV_TYPES_H */
