/*
 * RISC-V hardware performance counters of XiangShan Kunminghu
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Its event registers have four events of ten bits and three operators of
 * five, as the user guide of the core describes them. Bits 9:8 of each event
 * are fixed by the counter: there are four groups of these, for events of the
 * front end, the back end, of memory accesses and of the L2 cache. Where the
 * guide leaves something open README.md says what we chose.
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "cpu.h"
#include "system/device_tree.h"

#define HPM_EVENTS_XIANGSHAN
#include "hpm_events.h.inc"

#define XIANGSHAN_MVENDORID 0x86f
#define XIANGSHAN_MARCHID 25
#define XIANGSHAN_COUNTERS MAKE_64BIT_MASK(3, 29)
#define PMU_MASK_DEFAULT MAKE_64BIT_MASK(3, 16)

#define GROUPS 4
#define GROUP_COUNTERS 8
/* A group's number in bits 9:8 of each of the four events */
#define GROUP_BITS(group) ((group) * 0x4010040100ull)
/* Bits that are neither of events or operators nor of Sscofpmf */
#define NOT_THERE MAKE_64BIT_MASK(55, 3)

enum { OP_OR = 0, OP_AND = 1, OP_XOR = 2, OP_ADD = 4 };

bool hpm_xiangshan(CPURISCVState *env)
{
    return !g_strcmp0(env_archcpu(env)->hpm_cfg.core, "xiangshan-kunminghu");
}

static int group_of(int ctr)
{
    return MIN((ctr - 3) / GROUP_COUNTERS, GROUPS - 1);
}

static uint32_t counters_of(int group)
{
    return XIANGSHAN_COUNTERS &
           MAKE_64BIT_MASK(3 + group * GROUP_COUNTERS, GROUP_COUNTERS);
}

/* Any other event of the guide's never happens. */
static const HPMEvent *find_event(uint64_t code)
{
    for (int i = 0; i < ARRAY_SIZE(hpm_events_xiangshan); i++) {
        if (hpm_events_xiangshan[i].code == code) {
            return &hpm_events_xiangshan[i];
        }
    }
    return NULL;
}

/* Does the model know how often an event happens, if only that it does not? */
static bool is_known(uint64_t code)
{
    for (int i = 0; i < ARRAY_SIZE(hpm_never_xiangshan); i++) {
        if (hpm_never_xiangshan[i] == code) {
            return true;
        }
    }
    return find_event(code);
}

uint64_t hpm_xiangshan_warl(int ctr, uint64_t reg, bool known_only)
{
    reg = (reg & ~(GROUP_BITS(GROUPS - 1) | NOT_THERE)) |
          GROUP_BITS(group_of(ctr));
    for (int i = 0; known_only && i < 4; i++) {
        if (extract64(reg, 10 * i, 8) &&
            !is_known(extract64(reg, 10 * i, 10))) {
            reg = deposit64(reg, 10 * i, 8, 0);
        }
    }
    return reg;
}

/* With nothing on its other side, does an operator let something through? */
static bool passes(uint8_t operator)
{
    return operator == OP_OR || operator == OP_XOR || operator == OP_ADD;
}

void hpm_xiangshan_select(uint64_t reg, HPMSelection *sel)
{
    int events = 0, last = 0;

    memset(sel, 0, sizeof(*sel));
    for (int i = 0; i < 3; i++) {
        sel->operator[i] = extract64(reg, 40 + 5 * i, 5);
    }
    for (int i = 0; i < 4; i++) {
        if (extract64(reg, 10 * i, 8)) {
            sel->event[i] = find_event(extract64(reg, 10 * i, 10));
            events++;
            last = i;
        }
    }
    if (events == 1 && passes(sel->operator[last / 2]) &&
        passes(sel->operator[2])) {
        sel->event[0] = sel->event[last];
    } else {
        sel->combined = events;
    }
}

static uint64_t operate(uint8_t operator, uint64_t a, uint64_t b)
{
    switch (operator) {
    case OP_OR:
        return a | b;
    case OP_AND:
        return a & b;
    case OP_XOR:
        return a ^ b;
    case OP_ADD:
        return a + b;
    default:
        return 0;       /* undefined: nothing is counted */
    }
}

uint64_t hpm_xiangshan_combine(const HPMSelection *sel, const uint64_t *amounts)
{
    return operate(sel->operator[2],
                   operate(sel->operator[0], amounts[0], amounts[1]),
                   operate(sel->operator[1], amounts[2], amounts[3]));
}

static char operator_name(uint8_t operator)
{
    return operator <= OP_ADD ? "|&^?+"[operator] : '?';
}

static const char *event_name(const HPMEvent *event)
{
    return event ? event->name : "-";
}

void hpm_xiangshan_name(const HPMSelection *sel, char *name, size_t size)
{
    snprintf(name, size, "(%s%c%s)%c(%s%c%s)",
             event_name(sel->event[0]), operator_name(sel->operator[0]),
             event_name(sel->event[1]), operator_name(sel->operator[2]),
             event_name(sel->event[2]), operator_name(sel->operator[1]),
             event_name(sel->event[3]));
}

void hpm_xiangshan_init(RISCVCPU *cpu, Error **errp)
{
    if (!hpm_xiangshan(&cpu->env)) {
        return;
    }
    if (riscv_cpu_mxl(&cpu->env) != MXL_RV64) {
        error_setg(errp, "hpm-core needs RV64");
        return;
    }
    cpu->cfg.mvendorid = cpu->cfg.mvendorid ?: XIANGSHAN_MVENDORID;
    cpu->cfg.marchid = XIANGSHAN_MARCHID;
    cpu->cfg.mimpid = 0;
    if (cpu->cfg.pmu_mask == PMU_MASK_DEFAULT) {
        cpu->pmu_avail_ctrs = XIANGSHAN_COUNTERS;
    }
}

/* Event registers have their groups from hpm_configure(). */
void hpm_xiangshan_reset(CPURISCVState *env)
{
    if (hpm_xiangshan(env)) {
        env->stimecmp = env->vstimecmp = UINT64_MAX;
    }
}

/*
 * What firmware needs to know: the selector of each generic event that there
 * is, and the counters, by bits 9:8 of EVENT0, of the others. Cycles have no
 * selector.
 */
void hpm_xiangshan_generate_fdt(RISCVCPU *cpu, void *fdt, const char *node)
{
    g_autoptr(GArray) select = g_array_new(false, false, sizeof(uint32_t));
    g_autoptr(GArray) map = g_array_new(false, false, sizeof(uint32_t));
    uint32_t raw[GROUPS][5];
    uint32_t cycles[] = {
        cpu_to_be32(0x1), cpu_to_be32(0x1), cpu_to_be32(COUNTEREN_CY),
    };

    g_array_append_vals(map, cycles, ARRAY_SIZE(cycles));
    for (int i = 0; i < ARRAY_SIZE(hpm_events_xiangshan); i++) {
        const HPMEvent *e = &hpm_events_xiangshan[i];
        int group = e->code >> 8;
        uint64_t code = GROUP_BITS(group) | e->code;
        uint32_t fixed = e->sbi == 0x2 ? COUNTEREN_IR : 0;
        uint32_t cells[] = {
            cpu_to_be32(e->sbi), cpu_to_be32(code >> 32),
            cpu_to_be32((uint32_t)code),
            cpu_to_be32(e->sbi), cpu_to_be32(e->sbi),
            cpu_to_be32((counters_of(group) & cpu->pmu_avail_ctrs) | fixed),
        };

        if (e->sbi) {
            g_array_append_vals(select, cells, 3);
            g_array_append_vals(map, cells + 3, 3);
        }
    }
    for (int group = 0; group < GROUPS; group++) {
        raw[group][0] = 0;
        raw[group][1] = cpu_to_be32(group << 8);
        raw[group][2] = cpu_to_be32(NOT_THERE >> 32);
        raw[group][3] = cpu_to_be32((GROUPS - 1) << 8);
        raw[group][4] = cpu_to_be32(counters_of(group) & cpu->pmu_avail_ctrs);
    }
    qemu_fdt_setprop(fdt, node, "riscv,event-to-mhpmevent",
                     select->data, select->len * sizeof(uint32_t));
    qemu_fdt_setprop(fdt, node, "riscv,event-to-mhpmcounters",
                     map->data, map->len * sizeof(uint32_t));
    qemu_fdt_setprop(fdt, node, "riscv,raw-event-to-mhpmcounters",
                     raw, sizeof(raw));
}
