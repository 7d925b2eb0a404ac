/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which variables a RISC-V program has, and where, by its debug information.
 */
#ifndef _UTIL_RISCV_VARIABLES_H
#define _UTIL_RISCV_VARIABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "dwarf-aux.h"
#include "riscv-types.h"

/* Where a variable is */
enum riscv_where {
	RISCV_IN_REGISTER,	/* its value and at are in reg */
	RISCV_AT_REGISTER,	/* at reg + at */
	RISCV_IN_FRAME,		/* at the frame's base + at */
	RISCV_AT_ADDRESS,	/* at */
	RISCV_IN_THREAD,	/* at, in the thread's own variables */
};

/**
 * struct riscv_variable - a variable, as long as it is in one place
 * @where: one of the above
 * @reg:   the register, by its number
 * @at:    see above
 * @always: it is said to be there in all of its scope, even if it is not yet made there
 * @begin: first address of the instructions before which it is there
 * @end:   what follows the last one
 * @type:  what it is
 * @size:  how large
 */
struct riscv_variable {
	u8	  where;
	u8	  reg;
	bool	  always;
	s64	  at;
	u64	  begin;
	u64	  end;
	Dwarf_Die type;
	u64	  size;
};

/**
 * struct riscv_returned - what a call returns
 * @to:	  address behind the call
 * @type: what is returned
 */
struct riscv_returned {
	u64	  to;
	Dwarf_Die type;
};

/**
 * struct riscv_scope - what is known of a function
 * @function:	  it
 * @frame:	  register that is the frame's base; none if it is what the stack pointer was
 * @variables:	  its variables; inner ones follow outer ones
 * @nr_variables: so many
 * @returned:	  what it calls
 * @nr_returned:  so many
 */
struct riscv_scope {
	Dwarf_Die	       function;
	u8		       frame;
	struct riscv_variable *variables;
	size_t		       nr_variables;
	struct riscv_returned *returned;
	size_t		       nr_returned;
};

bool riscv_scope_init(struct riscv_scope *scope, Dwarf *dwarf, u64 pc);
void riscv_scope_exit(struct riscv_scope *scope);
bool riscv_global_at(Dwarf *dwarf, const void *key, bool of_thread, s64 addr,
		     struct riscv_place *place);
bool riscv_returned_by(Dwarf *dwarf, u64 pc, Dwarf_Die *type);

#endif /* _UTIL_RISCV_VARIABLES_H */
