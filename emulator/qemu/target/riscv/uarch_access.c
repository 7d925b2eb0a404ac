/*
 * RISC-V microarchitecture model: where accesses go
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Also which accesses an instruction makes, if there are several, and what they
 * meet at level full
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "exec/exec-all.h"
#include "internals.h"
#include "uarch_internal.h"

/* Address spaces */

/* A number for an address space, never 0; if there are too many, start over. */
static uint32_t uarch_space(UarchState *u, uint64_t satp, uint64_t hgatp)
{
    for (uint32_t i = 0; i < u->spaces; i++) {
        uint32_t n = (u->space + i) % u->spaces;

        if (u->space_satp[n] == satp && u->space_hgatp[n] == hgatp) {
            u->space = n;
            return n + 1;
        }
    }
    if (u->spaces == UARCH_SPACES) {
        uarch_flush_tlbs(&u->model);
        uarch_filter_clear(&u->filter);
        u->spaces = 0;
    }
    u->space = u->spaces++;
    u->space_satp[u->space] = satp;
    u->space_hgatp[u->space] = hgatp;
    return u->space + 1;
}

/* What the TLBs know a page by, 0 if addresses are not translated */
static uint64_t uarch_page(CPURISCVState *env, uint64_t va, int mmu_idx)
{
    bool virt = mmuidx_2stage(mmu_idx);
    uint64_t satp = virt && !env->virt_enabled ? env->vsatp : env->satp;
    uint64_t hgatp = virt ? env->hgatp : 0;
    bool rv32 = riscv_cpu_mxl(env) == MXL_RV32;
    uint64_t mode = rv32 ? SATP32_MODE : SATP64_MODE;

    if (mmuidx_priv(mmu_idx) == PRV_M || !((satp | hgatp) & mode)) {
        return 0;
    }
    return (uint64_t)uarch_space(&env->uarch, satp, hgatp) << 52 |
           extract64(va, TARGET_PAGE_BITS, 52);
}

void uarch_tlb_flush(CPURISCVState *env)
{
    uarch_sync(env);
    uarch_flush_tlbs(&env->uarch.model);
    uarch_filter_clear(&env->uarch.filter);
}

/* satp, vsatp or hgatp is being written. */
void uarch_new_space(CPURISCVState *env)
{
    uarch_filter_clear(&env->uarch.filter);
}

/* Pages */

void uarch_find_access(CPURISCVState *env, uint64_t va, MMUAccessType type,
                       int mmu_idx, UarchAccess *a)
{
    uint64_t page = uarch_page(env, va, mmu_idx);
    CPUTLBEntryFull *full;
    void *host;
    int flags = probe_access_full_mmu(env, va, 0, type, mmu_idx, &host, &full);

    *a = (UarchAccess) { .page = page, .store = type == MMU_DATA_STORE };
    if (!(flags & TLB_INVALID_MASK)) {
        a->valid = true;
        a->device = flags & TLB_MMIO;
        a->partial = full->lg_page_size < TARGET_PAGE_BITS;
        a->pa = full->phys_addr | (va & ~TARGET_PAGE_MASK);
    }
}

void uarch_forget_all(UarchFilter *f)
{
    uarch_filter_clear(f);
}

bool uarch_translate(CPURISCVState *env, UarchInsn *insn)
{
    bool virt = insn->mode == HPM_MODE_VS || insn->mode == HPM_MODE_VU;

    if (insn->has_pa && virt && !insn->gpa) {
        insn->gpa = riscv_cpu_guest_phys(env, insn->addr, insn->mmu_idx);
    }
    return insn->has_pa;
}

/* The accesses of an instruction */

UarchPlaces uarch_contiguous(CPURISCVState *env, uint64_t va, uint64_t size)
{
    UarchModel *m = &env->uarch.model;
    uint64_t into = va & (m->p.line - 1);
    uint64_t end = into + size;

    return (UarchPlaces) {
        .first = va, .second = va - into + m->p.line, .step = m->p.line,
        .n = size ? ((end - 1) >> m->line_bits) + 1 : 0,
    };
}

/*
 * A vector load or store. Those with a mask, with indices, and those that may
 * end early show only where they begin.
 */
UarchPlaces uarch_vector(CPURISCVState *env, uint64_t va, uint32_t op)
{
    uint32_t width = extract32(op, 12, 3);
    uint64_t size = (extract32(op, 29, 3) + 1ull) << (width ? width - 4 : 0);
    UarchPlaces p = { .first = va, .n = 1 };

    if (!extract32(op, 25, 1)) {
        return p;
    }
    switch (extract32(op, 26, 2)) {
    case 0:
        switch (extract32(op, 20, 5)) {
        case 0x00:
            return uarch_contiguous(env, va, env->vl * size);
        case 0x08: /* whole registers */
            return uarch_contiguous(env, va, (extract32(op, 29, 3) + 1) *
                                    riscv_cpu_cfg(env)->vlenb);
        case 0x0b: /* a mask */
            return uarch_contiguous(env, va, (env->vl + 7) / 8);
        }
        return p;
    case 2:
        p.step = (int64_t)(target_long)env->gpr[extract32(op, 20, 5)];
        p.second = va + p.step;
        p.n = env->vl;
        return p;
    default:
        return p;
    }
}

UarchPlaces uarch_places(CPURISCVState *env, const UarchInsn *insn)
{
    if (insn->attrs & HPM_RVV) {
        return uarch_vector(env, insn->addr, insn->opcode);
    }
    return uarch_contiguous(env, insn->addr,
                            insn->partial ? 1 : insn->operands.size);
}

void uarch_enter_places(CPURISCVState *env, UarchInsn *insn)
{
    uint64_t attrs = insn->attrs & (HPM_LOAD | HPM_STORE);
    UarchPlaces places = uarch_places(env, insn);

    for (uint32_t i = 0; i < places.n; i++) {
        uint64_t va = uarch_place(env, &places, i);
        UarchAccess a;
        uint64_t found;

        uarch_access(env, va, uarch_type(attrs), insn->mmu_idx, &a);
        if (!a.valid) {
            continue;
        }
        found = uarch_enter(env, va, insn->mmu_idx, &a);
        if (places.n > 1) {
            hpm_count_place(env, insn->mode, attrs | found);
        }
        if (i) {
            env->uarch.others |= found;
        } else {
            uarch_met(env, insn, found, &a);
        }
    }
}
