/*
 * RISC-V hardware performance counters: changes of mode, and traps
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/host-utils.h"
#include "qemu/main-loop.h"
#include "cpu.h"
#include "hpm_internal.h"

HPMMode hpm_mode(target_ulong priv, bool virt)
{
    switch (priv) {
    case PRV_M:
        return HPM_MODE_M;
    case PRV_S:
        return virt ? HPM_MODE_VS : HPM_MODE_S;
    default:
        return virt ? HPM_MODE_VU : HPM_MODE_U;
    }
}

void hpm_leave_mode(CPURISCVState *env, bool to_virt)
{
    HPMState *h = &env->hpm;
    target_ulong next_pc = h->trapping ? env->pc : h->return_pc;

    /* If V changes, the registers of both worlds have been swapped by now. */
    env->pdis.amb.swapped = to_virt != env->virt_enabled;
    if (!h->trapping && !env->uarch.pending) {
        env->uarch.model.prior_target = next_pc;
    }
    uarch_leave_mode(env, next_pc);
    env->uarch.model.line = 0;
    hpm_end_cycle(env);
    if (h->armed || h->irqs) {
        h->next_pc = next_pc;
        hpm_fold(env, 0);
    }
    env->pdis.amb.swapped = false;
}

void hpm_enter_mode(CPURISCVState *env)
{
    uint64_t prior_target = env->uarch.model.prior_target;

    env->hpm.trapping = false;
    env->hpm.mode = hpm_mode(env->priv, env->virt_enabled);
    hpm_arm(env);
    env->uarch.model.prior_target = prior_target;   /* of the trap return */
}

/* What an instruction that is not being translated counts as */
static uint64_t hpm_classify(CPURISCVState *env, uint32_t opcode)
{
    const RISCVCPUConfig *cfg = riscv_cpu_cfg(env);

    return hpm_insn_attrs(opcode, env->xl == MXL_RV32,
                          cfg->ext_zcmp || cfg->ext_zcmt);
}

static uint64_t hpm_exception_attrs(uint32_t cause)
{
    switch (cause) {
    case RISCV_EXCP_LOAD_PAGE_FAULT:
    case RISCV_EXCP_STORE_PAGE_FAULT:
    case RISCV_EXCP_LOAD_GUEST_ACCESS_FAULT:
    case RISCV_EXCP_STORE_GUEST_AMO_ACCESS_FAULT:
        return HPM_EXCEPTION | HPM_PGFLT_DATA;
    case RISCV_EXCP_INST_PAGE_FAULT:
    case RISCV_EXCP_INST_GUEST_PAGE_FAULT:
        return HPM_EXCEPTION | HPM_PGFLT_CODE;
    case RISCV_EXCP_LOAD_ADDR_MIS:
        return HPM_EXCEPTION | HPM_MISALIGNED_LOAD;
    case RISCV_EXCP_STORE_AMO_ADDR_MIS:
        return HPM_EXCEPTION | HPM_MISALIGNED_STORE;
    case RISCV_EXCP_INST_ACCESS_FAULT:
        return HPM_EXCEPTION | HPM_FETCH_ACCESS;
    case RISCV_EXCP_ILLEGAL_INST:
        return HPM_EXCEPTION | HPM_ILLEGAL;
    case RISCV_EXCP_U_ECALL:
    case RISCV_EXCP_S_ECALL:
    case RISCV_EXCP_VS_ECALL:
    case RISCV_EXCP_M_ECALL:
        return HPM_EXCEPTION | HPM_ECALL;
    default:
        return HPM_EXCEPTION;
    }
}

/*
 * An instruction that causes an exception does not retire, but it has been
 * decoded, unless it could not be fetched. What was counted of it has been
 * given back.
 */
static uint64_t hpm_decoded_attrs(CPURISCVState *env, uint32_t cause)
{
    target_ulong pc = env->xl == MXL_RV32 ? (uint32_t)env->pc : env->pc;
    CPUState *cs = env_cpu(env);
    uint16_t half[2] = {};

    if (!hpm_match(env->hpm.armed, HPM_DECODED) || env->pdis.amb.faulting ||
        cause == RISCV_EXCP_INST_ACCESS_FAULT ||
        cause == RISCV_EXCP_INST_PAGE_FAULT ||
        cause == RISCV_EXCP_INST_GUEST_PAGE_FAULT) {
        return 0;
    }
    if (cpu_memory_rw_debug(cs, pc, &half[0], 2, false) < 0 ||
        ((half[0] & 3) == 3 &&
         cpu_memory_rw_debug(cs, pc + 2, &half[1], 2, false) < 0)) {
        return 0;
    }
    return hpm_decoding(hpm_classify(env, lduw_le_p(&half[0]) |
                                          lduw_le_p(&half[1]) << 16));
}

static uint32_t hpm_combined_here(HPMState *h)
{
    return h->modelled_by_uarch[h->mode] & h->combined;
}

void hpm_happen(CPURISCVState *env, uint64_t attrs)
{
    static const UarchAmounts none;
    HPMState *h = &env->hpm;

    for (uint64_t m = hpm_match(h->armed, attrs); m; m &= m - 1) {
        h->left[ctz64(m)]--;
    }
    for (uint32_t m = hpm_combined_here(h); m; m &= m - 1) {
        int ctr = ctz32(m);
        uint64_t amount = hpm_selected_amount(&h->selection[ctr], attrs, &none);

        if (amount && hpm_add(env, ctr, amount)) {
            h->irqs |= BIT(ctr);
        }
    }
}

void hpm_recorded(CPURISCVState *env, HPMMode mode, target_ulong pc,
                  target_ulong next_pc)
{
    HPMState *h = &env->hpm;

    for (uint32_t m = h->records[mode]; m; m &= m - 1) {
        if (hpm_add(env, ctz32(m), 1)) {
            h->irqs |= m & -m;
        }
    }
    if (h->records[mode] & h->irqs) {
        h->pc = pc;
        h->next_pc = next_pc;
        hpm_fold(env, 0);
        hpm_arm(env);
        /* What is armed may be something else than the next block knows. */
        BQL_LOCK_GUARD();
        cpu_interrupt(env_cpu(env), CPU_INTERRUPT_EXITTB);
    }
}

/* By an instruction before the trap */
static void hpm_overflow_before_trap(CPURISCVState *env)
{
    HPMState *h = &env->hpm;

    if (hpm_due(h) || h->irqs) {
        h->next_pc = env->pc;
        hpm_fold(env, 0);
        hpm_arm(env);
    }
}

static void hpm_count_trap(CPURISCVState *env, uint32_t cause, bool async)
{
    HPMState *h = &env->hpm;

    hpm_happen(env, async ? HPM_INTERRUPT :
               hpm_exception_attrs(cause) | hpm_decoded_attrs(env, cause));
    if (hpm_due(h) || h->irqs) {
        h->pc = h->next_pc = env->pc;
        hpm_fold(env, 0);
        hpm_arm(env);
    }
}

/*
 * A trap is about to be taken. It belongs to the mode that it interrupts, and
 * to a cycle in which no instruction has ended.
 */
void hpm_trap(CPURISCVState *env, uint32_t cause, bool async)
{
    HPMState *h = &env->hpm;
    bool counts;

    h->trapping = true;
    if (!env->uarch.pending) {
        env->uarch.model.prior_target = 0;  /* nobody has seen the last one */
    }
    uarch_trap(env, async);
    hpm_end_cycle(env);
    counts = h->armed || hpm_combined_here(h);
    if (counts) {
        hpm_overflow_before_trap(env);
    }
    if (env->mip & MIP_LCOFIP && !(async && cause == IRQ_PMU_OVF)) {
        hpm_log_ahead(env, cause, async);
    }
    if (counts) {
        hpm_count_trap(env, cause, async);
    }
}
