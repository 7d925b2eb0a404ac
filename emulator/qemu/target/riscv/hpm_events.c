/*
 * RISC-V hardware performance counters: events
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What hpm_events.tsv says can be counted, the kinds of that, and what firmware
 * is told of it.
 */

#include "qemu/osdep.h"
#include "qemu/host-utils.h"
#include "cpu.h"
#include "system/device_tree.h"
#include "hpm_internal.h"

#include "hpm_events.h.inc"

QEMU_BUILD_BUG_ON(ARRAY_SIZE(hpm_kind_attrs) > HPM_MAX_KINDS);
QEMU_BUILD_BUG_ON(HPM_ATTR_COUNT > 64);

/* What retired instructions can have: the rest is known only when it happens */
#define HPM_INSN_ATTRS (HPM_TAKEN - 1)
#define HPM_EDGE_ATTRS (HPM_TAKEN | HPM_NOT_TAKEN)

bool hpm_is_of_kind(int kind, uint64_t attrs)
{
    return hpm_is_of(attrs, &hpm_kind_attrs[kind]);
}

/* Which of @kinds count something that has @attrs? */
uint64_t hpm_match(uint64_t kinds, uint64_t attrs)
{
    uint64_t match = 0;

    for (kinds &= HPM_KEY_KINDS; kinds; kinds &= kinds - 1) {
        int k = ctz64(kinds);

        if (hpm_is_of_kind(k, attrs)) {
            match |= BIT_ULL(k);
        }
    }
    return match;
}

/* The kinds that are about instructions, and those about translated code */
static uint64_t hpm_kinds_of_insns;
uint64_t hpm_kinds_of_code;

void hpm_init_kinds(void)
{
    for (int k = 0; k < ARRAY_SIZE(hpm_kind_attrs); k++) {
        uint64_t any = hpm_kind_attrs[k].any;

        hpm_kinds_of_insns |= any & HPM_INSN_ATTRS ? BIT_ULL(k) : 0;
        hpm_kinds_of_code |= any & (HPM_INSN_ATTRS | HPM_EDGE_ATTRS) ?
                             BIT_ULL(k) : 0;
    }
}

/* The kinds of which a block can know its number at translation time */
uint64_t hpm_insn_kinds(uint64_t key)
{
    return key & hpm_kinds_of_insns;
}

/*
 * Each insn_start carries, for each of these kinds, how many the block holds
 * from there on. 56 bits are free for that, so the more kinds, the smaller the
 * fields, and the shorter the blocks.
 */
int hpm_field_bits(uint64_t key)
{
    int kinds = ctpop64(hpm_insn_kinds(key));

    return kinds ? MIN(56 / kinds, 10) : 10;
}

/* @event: an event register */
const HPMEvent *hpm_find_event(uint64_t event)
{
    uint64_t code = event & MAKE_64BIT_MASK(0, 56);

    for (int i = 0; i < ARRAY_SIZE(hpm_events); i++) {
        if (hpm_events[i].code == code) {
            return &hpm_events[i];
        }
    }
    return NULL;
}

uint64_t hpm_retired_attrs(void)
{
    return (HPM_INSN_ATTRS | HPM_EDGE_ATTRS) & ~HPM_DECODED;
}

/*
 * What firmware needs to serve the SBI PMU extension: which value selects each
 * generic event, and that every counter can count every event. Raw events are
 * the codes of hpm_events.tsv.
 */
void hpm_generate_fdt_node(void *fdt, RISCVCPU *cpu, const char *node)
{
    uint32_t counters = cpu->pmu_avail_ctrs;
    g_autoptr(GArray) select = g_array_new(false, false, sizeof(uint32_t));
    g_autoptr(GArray) map = g_array_new(false, false, sizeof(uint32_t));
    uint32_t raw[] = { 0, 0, cpu_to_be32(UINT32_MAX),
                       cpu_to_be32((uint32_t)~hpm_vendor_codes(&cpu->env)),
                       cpu_to_be32(counters) };

    if (hpm_xiangshan(&cpu->env)) {
        hpm_xiangshan_generate_fdt(cpu, fdt, node);
        return;
    }
    if (hpm_core(&cpu->env)) {
        hpm_core_generate_fdt(cpu, fdt, node);
        return;
    }
    for (int i = 0; i < ARRAY_SIZE(hpm_events); i++) {
        const HPMEvent *e = &hpm_events[i];
        uint32_t fixed = e->code == HPM_CODE_CYCLE ? COUNTEREN_CY :
                         e->code == HPM_CODE_INSTRET ? COUNTEREN_IR : 0;
        uint32_t cells[] = {
            cpu_to_be32(e->sbi), cpu_to_be32(e->code >> 32),
            cpu_to_be32((uint32_t)e->code),
            cpu_to_be32(e->sbi), cpu_to_be32(e->sbi),
            cpu_to_be32(counters | fixed),
        };

        if (e->sbi) {
            g_array_append_vals(select, cells, 3);
            g_array_append_vals(map, cells + 3, 3);
        }
    }
    qemu_fdt_setprop(fdt, node, "riscv,event-to-mhpmevent",
                     select->data, select->len * sizeof(uint32_t));
    qemu_fdt_setprop(fdt, node, "riscv,event-to-mhpmcounters",
                     map->data, map->len * sizeof(uint32_t));
    qemu_fdt_setprop(fdt, node, "riscv,raw-event-to-mhpmcounters",
                     raw, sizeof(raw));
}
