/*
 * RISC-V hardware performance counters of XiangShan Kunminghu
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef RISCV_HPM_XIANGSHAN_H
#define RISCV_HPM_XIANGSHAN_H

struct HPMEvent;

#define HPM_SELECTED 4

/*
 * What a counter counts: @event[0] alone, or of all of them what the operators
 * make of what each cycle adds.
 */
typedef struct HPMSelection {
    const struct HPMEvent *event[HPM_SELECTED];
    uint8_t operator[3];
    bool combined;
} HPMSelection;

/* Life of the model */
void hpm_xiangshan_init(RISCVCPU *cpu, Error **errp);
void hpm_xiangshan_reset(CPURISCVState *env);
void hpm_xiangshan_generate_fdt(RISCVCPU *cpu, void *fdt, const char *node);

/* Is it this core? */
bool hpm_xiangshan(CPURISCVState *env);

/*
 * What the event register of a counter holds after @reg has been written; with
 * @known_only no events that the model does not count
 */
uint64_t hpm_xiangshan_warl(int ctr, uint64_t reg, bool known_only);
void hpm_xiangshan_select(uint64_t reg, HPMSelection *sel);

/* What is counted, if these are the amounts of the four events */
uint64_t hpm_xiangshan_combine(const HPMSelection *sel,
                               const uint64_t *amounts);

/* For the log; @size bytes are enough for what is no longer than four names */
void hpm_xiangshan_name(const HPMSelection *sel, char *name, size_t size);

#endif
