// SPDX-License-Identifier: GPL-2.0-only
/* A module has objects of its own. */
#include "../../drivers/perf/riscv/compat/compat.c"
