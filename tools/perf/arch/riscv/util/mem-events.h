/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * RISC-V: the events of perf mem.
 */
#ifndef PERF_ARCH_RISCV_MEM_EVENTS_H
#define PERF_ARCH_RISCV_MEM_EVENTS_H

#include "../../../util/mem-events.h"

extern struct perf_mem_event perf_mem_events_riscv[PERF_MEM_EVENTS__MAX];
extern struct perf_mem_event perf_mem_events_riscv_all[PERF_MEM_EVENTS__MAX];

#endif /* PERF_ARCH_RISCV_MEM_EVENTS_H */
