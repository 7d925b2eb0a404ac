/*
 * RISC-V hardware performance counters of SiFive's U74
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef RISCV_HPM_U74_H
#define RISCV_HPM_U74_H

struct HPMEvent;

/* Is it this core? */
bool hpm_u74(CPURISCVState *env);

void hpm_u74_init(RISCVCPU *cpu);
void hpm_u74_generate_fdt(RISCVCPU *cpu, void *fdt, const char *node);

/* @reg: an event register */
const struct HPMEvent *hpm_u74_find_event(uint64_t reg);

#endif
