/*
 * RISC-V microarchitecture model: one stream of decoded instructions
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * At level full, each instruction is a block of its own and begins with a call
 * of helper_uarch_insn(). That ends the instruction before it: where it went is
 * where this one is, and it has left behind the outcome of a branch and the
 * address of an access. An instruction that did not complete never gets so far;
 * a trap ends it, or it begins again. At level touch, accesses, transfers and
 * new lines of code are looked up as they come, and nothing else is known.
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "cpu.h"
#include "exec/exec-all.h"
#include "exec/helper-proto.h"
#include "internals.h"

#define UARCH_FETCH_ATTRS (HPM_FETCH | HPM_ICMISS | HPM_ICLLMISS |           \
                           HPM_ITLB | HPM_ITMISS | HPM_ITLLMISS)
#define UARCH_PREDICTED (HPM_TRANSFER & ~HPM_TRET)

/* Where XLEN is 32 QEMU extends the sign of some addresses, not of others. */
static uint64_t uarch_address(CPURISCVState *env, target_ulong addr)
{
    return env->xl == MXL_RV32 ? (uint32_t)addr : addr;
}

static uint64_t uarch_pc(CPURISCVState *env)
{
    return uarch_address(env, env->pc);
}

/* Who wants to know of an instruction that has been decoded, and of its end */
static void uarch_decoded(void *opaque, UarchInsn *insn)
{
    CPURISCVState *env = opaque;

    if (env_archcpu(env)->uarch_cfg.log) {
        uarch_log_insn(env, insn);
    }
    pdis_decoded(env, insn);
}

/* Memory */

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

static UarchAccess uarch_access(CPURISCVState *env, uint64_t va,
                                MMUAccessType type, int mmu_idx)
{
    UarchAccess a = { .page = uarch_page(env, va, mmu_idx) };
    CPUTLBEntryFull *full;
    void *host;
    int flags = probe_access_full_mmu(env, va, 0, type, mmu_idx, &host, &full);

    if (!(flags & TLB_INVALID_MASK)) {
        a.valid = true;
        a.device = flags & TLB_MMIO;
        a.pa = full->phys_addr | (va & ~TARGET_PAGE_MASK);
    }
    return a;
}

static uint64_t uarch_enter_line(CPURISCVState *env, uint64_t pc)
{
    UarchModel *m = &env->uarch.model;
    UarchAccess a;

    if (!uarch_enters_line(m, pc)) {
        return 0;
    }
    a = uarch_access(env, pc, MMU_INST_FETCH, riscv_env_mmu_index(env, true));
    return a.valid ? uarch_fetch(m, pc, &a) : 0;
}

static void uarch_enter_data(CPURISCVState *env, UarchInsn *insn)
{
    MMUAccessType type = insn->attrs & HPM_STORE ? MMU_DATA_STORE :
                                                   MMU_DATA_LOAD;
    UarchAccess a;

    if (!insn->has_addr || insn->trapped ||
        !(insn->attrs & (HPM_LOAD | HPM_STORE))) {
        return;
    }
    a = uarch_access(env, insn->addr, type, insn->mmu_idx);
    if (a.valid) {
        insn->attrs |= uarch_data(&env->uarch.model, &a);
        insn->has_pa = true;
        insn->pa = a.pa;
    }
}

bool uarch_translate(CPURISCVState *env, UarchInsn *insn)
{
    bool virt = insn->mode == HPM_MODE_VS || insn->mode == HPM_MODE_VU;

    if (insn->has_pa && virt && !insn->gpa) {
        insn->gpa = riscv_cpu_guest_phys(env, insn->addr, insn->mmu_idx);
    }
    return insn->has_pa;
}

/* @va may be anything. */
static const void *uarch_code(CPURISCVState *env, uint64_t va)
{
    CPUTLBEntryFull *full;
    void *host;
    int flags = probe_access_full_mmu(env, va, 0, MMU_INST_FETCH,
                                      riscv_env_mmu_index(env, true),
                                      &host, &full);

    return flags & (TLB_INVALID_MASK | TLB_MMIO) ? NULL : host;
}

/* An instruction on a path that was predicted, as far as there is one */
static bool uarch_fetch_insn(void *opaque, UarchInsn *insn)
{
    CPURISCVState *env = opaque;
    const RISCVCPUConfig *cfg = riscv_cpu_cfg(env);
    const void *low = uarch_code(env, insn->pc);
    const void *high;

    if (!low || insn->pc & 1) {
        return false;
    }
    insn->opcode = lduw_le_p(low);
    insn->len = 2;
    if ((insn->opcode & 3) == 3) {
        high = uarch_code(env, insn->pc + 2);
        if (!high) {
            return false;
        }
        insn->opcode |= (uint32_t)lduw_le_p(high) << 16;
        insn->len = 4;
    }
    insn->attrs = hpm_insn_attrs(insn->opcode, env->xl == MXL_RV32,
                                 cfg->ext_zcmp || cfg->ext_zcmt);
    return true;
}

/* Transfers */

static UarchPrediction uarch_predict_insn(CPURISCVState *env, UarchInsn *insn)
{
    UarchState *u = &env->uarch;

    if (u->predicted) {
        return u->prediction;
    }
    return uarch_predict(&u->model, insn->attrs, insn->pc,
                         insn->pc + insn->len, insn->next_pc,
                         insn->operands.offset);
}

static uint64_t uarch_type_attrs(uint32_t type)
{
    switch (type) {
    case CTRDATA_TYPE_TAKEN_BRANCH:
        return HPM_BRANCH | HPM_TAKEN;
    case CTRDATA_TYPE_NONTAKEN_BRANCH:
        return HPM_BRANCH | HPM_NOT_TAKEN;
    case CTRDATA_TYPE_DIRECT_CALL:
        return HPM_DIR_CALL;
    case CTRDATA_TYPE_INDIRECT_CALL:
        return HPM_IND_CALL;
    case CTRDATA_TYPE_INDIRECT_JUMP:
        return HPM_IND_JUMP;
    case CTRDATA_TYPE_OTHER_INDIRECT_JUMP:
        return HPM_IND_LJUMP;
    case CTRDATA_TYPE_RETURN:
        return HPM_RETURN;
    case CTRDATA_TYPE_CO_ROUTINE_SWAP:
        return HPM_CORSWAP;
    default:
        return HPM_DIR_JUMP;
    }
}

bool uarch_transfer(CPURISCVState *env, uint64_t pc, uint64_t behind,
                    uint64_t target, uint32_t type)
{
    UarchState *u = &env->uarch;
    uint64_t attrs = uarch_type_attrs(type);
    int32_t offset = 0;

    if (u->pending && !u->predicted) {
        offset = u->insn.operands.offset;
    }
    u->prediction = uarch_predict(&u->model, attrs, pc, behind, target, offset);
    u->predicted = u->pending;
    if (u->prediction.wrong && (env->hpm.key & HPM_KEY_PREDICT)) {
        hpm_count_touch(env, attrs | HPM_MISPRED);
    }
    return u->prediction.wrong;
}

/* Level touch */

/* Execution enters a line. */
void HELPER(uarch_fetch)(CPURISCVState *env)
{
    uint64_t attrs = uarch_enter_line(env, uarch_pc(env));

    if (attrs) {
        hpm_count_touch(env, attrs);
    }
}

/* A data access is about to be made; if it is going to fault, it is not. */
void HELPER(uarch_touch)(CPURISCVState *env, target_ulong va, uint32_t info)
{
    uint32_t size = info >> UARCH_INFO_ALIGN_SHIFT;
    bool store = info & UARCH_INFO_STORE;
    UarchAccess a;

    if (size && (va & (size - 1))) {
        return;
    }
    a = uarch_access(env, va, store ? MMU_DATA_STORE : MMU_DATA_LOAD,
                     info & UARCH_INFO_MMU_IDX);
    /* A device is accessed at the end of a block only: QEMU comes again. */
    if (a.device && !env_cpu(env)->neg.can_do_io) {
        return;
    }
    if (a.valid) {
        hpm_count_touch(env, uarch_data(&env->uarch.model, &a) |
                        (info & UARCH_INFO_LOAD ? HPM_LOAD : 0) |
                        (store ? HPM_STORE : 0));
    }
}

/* Instructions */

/*
 * The pending instruction has ended; @next_pc is what follows it. The pipeline
 * sees it if that is asked for, and not because a block of level touch, however
 * long it happens to be, goes by instructions to an overflow.
 */
static void uarch_commit(CPURISCVState *env, uint64_t next_pc)
{
    UarchState *u = &env->uarch;
    UarchInsn *insn = &u->insn;
    UarchStream stream = { uarch_fetch_insn, uarch_decoded, env };
    bool rv32 = env->xl == MXL_RV32;
    bool predicted = (insn->attrs & UARCH_PREDICTED) && !insn->trapped;
    UarchPrediction pred = {};
    UarchAmounts n = {};

    u->pending = false;
    insn->next_pc = next_pc;
    insn->has_addr = u->ea_valid;
    insn->addr = u->ea_valid ? u->ea : 0;
    if ((insn->attrs & HPM_BRANCH) && !insn->trapped) {
        insn->attrs |= u->taken ? HPM_TAKEN : HPM_NOT_TAKEN;
    }
    uarch_enter_data(env, insn);
    if (predicted) {
        pred = uarch_predict_insn(env, insn);
        insn->attrs |= pred.wrong ? HPM_MISPRED : 0;
    }
    if (env->pdis.full) {
        uarch_time(&u->model, insn, predicted ? &pred : NULL, rv32, &stream,
                   &n);
        u->cycles += n.n[UARCH_CYCLES];
        uarch_decoded(env, insn);
        if (pred.wrong) {
            uarch_wrong_path(&u->model, insn, &pred, rv32, &stream, &n);
        }
    }
    hpm_count_insn(env, insn, &n);
}

/*
 * What the end of the instruction sets in any case is left as it is: to clear
 * all of it would take longer than the rest.
 */
static void uarch_begin(CPURISCVState *env, uint64_t attrs, uint64_t operands,
                        uint32_t opcode, uint32_t info)
{
    UarchState *u = &env->uarch;
    UarchInsn *insn = &u->insn;
    uint64_t again = 0;

    if (u->pending && u->insn.pc == uarch_pc(env)) {
        again = u->insn.attrs & UARCH_FETCH_ATTRS;
    }
    u->pending = true;
    u->undone = false;
    u->predicted = false;
    u->ea_valid = u->taken = false;
    insn->pc = uarch_pc(env);
    insn->opcode = opcode;
    insn->operands.all = operands;
    insn->len = (opcode & 3) == 3 ? 4 : 2;
    insn->mode = env->hpm.mode;
    insn->attrs = attrs | again | uarch_enter_line(env, insn->pc);
    insn->mmu_idx = info & UARCH_INFO_MMU_IDX;
    insn->partial = info & UARCH_INFO_PARTIAL;
    insn->trapped = insn->flushed = insn->has_pa = false;
    insn->flush_pc = insn->pa = insn->gpa = 0;
    insn->flush = 0;
}

void HELPER(uarch_insn)(CPURISCVState *env, uint64_t attrs, uint64_t operands,
                        uint64_t kinds, uint32_t opcode, uint32_t info)
{
    UarchState *u = &env->uarch;
    CPUState *cs = env_cpu(env);

    if (u->pending && !u->undone) {
        uarch_commit(env, uarch_pc(env));
    }
    if (hpm_insn_due(env, kinds) || cpu_loop_exit_requested(cs)) {
        cpu_restore_state(cs, GETPC());     /* this one has yet to run */
        hpm_insn_stop(env);
        cpu_loop_exit_noexc(cs);
    }
    uarch_begin(env, attrs, operands, opcode, info);
}

void uarch_sync(CPURISCVState *env)
{
    UarchState *u = &env->uarch;

    if (u->pending && !u->undone) {
        uarch_commit(env, u->insn.pc + u->insn.len);
    }
}

/* The hart stops between two instructions. */
void uarch_stop(CPURISCVState *env)
{
    UarchState *u = &env->uarch;

    if (u->pending && !u->undone) {
        uarch_commit(env, uarch_pc(env));
    }
    u->pending = false;
}

/* The instruction does not complete: it takes a trap, or begins again. */
void uarch_restore(CPURISCVState *env)
{
    env->uarch.undone = true;
}

/*
 * A trap is about to be taken. If an instruction was stopped by it, where it
 * goes on is known when the mode changes. What is looked up meanwhile must not
 * change what is known of the trap.
 */
void uarch_trap(CPURISCVState *env, bool async)
{
    UarchState *u = &env->uarch;
    hwaddr guest_phys = env->guest_phys_fault_addr;
    bool two_stage = env->two_stage_lookup;
    bool indirect = env->two_stage_indirect_lookup;

    if (u->pending && u->undone && !async && u->insn.pc == uarch_pc(env)) {
        u->insn.trapped = true;
        return;
    }
    uarch_stop(env);
    uarch_interrupted(&u->model);
    env->guest_phys_fault_addr = guest_phys;
    env->two_stage_lookup = two_stage;
    env->two_stage_indirect_lookup = indirect;
}

/* @return_pc: where it leads to, if this is a trap return */
void uarch_leave_mode(CPURISCVState *env, target_ulong return_pc)
{
    UarchState *u = &env->uarch;

    if (!u->pending) {
        return;
    }
    if (u->insn.trapped) {
        uarch_commit(env, uarch_pc(env));
    } else if (u->insn.attrs & HPM_TRET) {
        uarch_commit(env, uarch_address(env, return_pc));
    } else {
        uarch_sync(env);
    }
}

void uarch_tlb_flush(CPURISCVState *env)
{
    uarch_sync(env);
    uarch_flush_tlbs(&env->uarch.model);
}

void uarch_sample(CPURISCVState *env, bool on)
{
    env->hpm.stale |= env->uarch.sampled != on;
    env->uarch.sampled = on;
}

/* Life of the model */

void uarch_init(RISCVCPU *cpu, Error **errp)
{
    UarchConfig *cfg = &cpu->uarch_cfg;
    const char *wrong = uarch_model_check(&cfg->params);

    if (wrong) {
        error_setg(errp, "%s", wrong);
        return;
    }
    uarch_model_init(&cpu->env.uarch.model, &cfg->params);
    uarch_log_open(cpu, errp);
}

void uarch_reset(CPURISCVState *env)
{
    UarchState *u = &env->uarch;

    u->pending = u->sampled = false;
    u->cycles = 0;
    u->spaces = u->space = 0;
    uarch_model_reset(&u->model);
}
