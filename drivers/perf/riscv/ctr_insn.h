/* SPDX-License-Identifier: GPL-2.0-only */
/* Control transfer records: their types, from instructions. */
#ifndef _DRIVERS_PERF_RISCV_CTR_INSN_H
#define _DRIVERS_PERF_RISCV_CTR_INSN_H

#include <linux/types.h>

unsigned long ctr_insn_types(u64 from, u64 to);
bool ctr_insn_is_far(u64 from, u64 to);
bool ctr_insn_is_ecall(u64 pc);

#endif /* _DRIVERS_PERF_RISCV_CTR_INSN_H */
