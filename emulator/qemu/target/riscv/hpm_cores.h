/*
 * RISC-V hardware performance counters of cores on sale
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef RISCV_HPM_CORES_H
#define RISCV_HPM_CORES_H

struct HPMEvent;

/* Is it one of them? */
bool hpm_core(CPURISCVState *env);

void hpm_core_init(RISCVCPU *cpu);
void hpm_core_generate_fdt(RISCVCPU *cpu, void *fdt, const char *node);

/* @reg: an event register of such a core */
const struct HPMEvent *hpm_core_find(CPURISCVState *env, uint64_t reg);
/* The modes in which its event does not count, as bits of mhpmevent */
uint64_t hpm_core_inhibits(CPURISCVState *env, uint64_t reg);

#endif
