/*
 * RISC-V microarchitecture model: one stream of decoded instructions
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef RISCV_UARCH_H
#define RISCV_UARCH_H

#include "hpm.h"

/* How far an instruction came; a latency is known if its stage was reached. */
#define UARCH_DISPATCHED 0x1
#define UARCH_ISSUED     0x2
#define UARCH_EXECUTED   0x4
#define UARCH_OLDEST     0x8

/* Why an instruction was flushed: pdishdrev.FLUSH */
#define UARCH_FLUSH_OTHER      0
#define UARCH_FLUSH_MISPREDICT 1
#define UARCH_FLUSH_ORDERING   2

/* What helper_uarch_insn() gets to know besides opcode and attributes */
#define UARCH_INFO_MMU_IDX 0x0ff
#define UARCH_INFO_PARTIAL 0x100

/* Where the data of a load or store came from: pdishdrev.DSRC */
typedef enum UarchSource {
    UARCH_SRC_NONE,         /* no access, or not known */
    UARCH_SRC_L1D,
    UARCH_SRC_LL,
    UARCH_SRC_MEMORY,
    UARCH_SRC_STORE,        /* forwarded from an older store in flight */
    UARCH_SRC_DEVICE,       /* not cached */
} UarchSource;

/*
 * What is known of an instruction that was decoded, once it has retired,
 * trapped, or been flushed. Latencies are in cycles and not saturated.
 */
typedef struct UarchInsn {
    target_ulong pc;
    target_ulong next_pc;       /* in execution order: target, fall-through,
                                   handler if it trapped */
    uint32_t opcode;
    uint8_t len;                /* bytes */
    uint8_t mmu_idx;            /* by which @addr is translated */
    HPMMode mode;               /* in which it was decoded */
    uint64_t attrs;             /* HPM_*: what it is and what happened to it */
    bool trapped, flushed;      /* it did not retire */
    uint8_t flush;              /* UARCH_FLUSH_* if flushed */
    target_ulong flush_pc;      /* of the branch or load that flushed it */
    bool has_addr;              /* it came so far as to compute @addr */
    bool partial;               /* it has, or may have, several accesses */
    target_ulong addr;          /* virtual, of its first explicit access */
    bool has_pa;                /* see uarch_translate() */
    hwaddr pa, gpa;
    uint64_t cycle;             /* model time when it was decoded */
    uint32_t dispatch, issue, execution, total, oldest;
    uint8_t stages;             /* UARCH_DISPATCHED and so on */
    uint8_t dsrc;               /* UarchSource */
    target_ulong prior_target;  /* of the control transfer before it */
} UarchInsn;

typedef struct UarchState {
    /*
     * The instruction that is being executed. What becomes of it is known when
     * the next one begins, or when a trap is taken.
     */
    UarchInsn insn;
    bool pending;               /* there is one */
    bool undone;                /* it has been stopped, and may run again */

    /* Written by translated code */
    target_ulong ea;            /* its effective address, */
    uint8_t ea_valid;           /* if it has come so far */

    bool sampled;               /* see uarch_sample() */
    target_ulong prior_target;
    uint64_t cycle;
} UarchState;

typedef struct UarchConfig {
    char *log;
} UarchConfig;

#define UARCH_PROPERTIES                                                    \
    DEFINE_PROP_STRING("uarch-log", RISCVCPU, uarch_cfg.log)

/* Life of the model */
void uarch_init(RISCVCPU *cpu, Error **errp);
void uarch_reset(CPURISCVState *env);

/* Which level, HPM_KEY_*, the current mode needs */
uint64_t uarch_level(CPURISCVState *env);

/*
 * A sampler wants to see each instruction from now on, or no longer. Takes
 * effect when the counters are armed again: after hpm_configure(), after an
 * overflow; and at once if it is called for a decoded instruction.
 */
void uarch_sample(CPURISCVState *env, bool on);

/*
 * Ends of instructions. uarch_sync(): the instruction that calls this has done
 * its work, it will retire, and what follows it is behind it.
 */
void uarch_sync(CPURISCVState *env);
void uarch_trap(CPURISCVState *env, bool async);
void uarch_leave_mode(CPURISCVState *env, target_ulong return_pc);
void uarch_stop(CPURISCVState *env);
void uarch_restore(CPURISCVState *env);

/*
 * uarch_translate() - find the physical address of a data access
 * @insn: as it came to pdis_decoded(); valid until that returns
 *
 * Fills in @pa, and @gpa if the instruction ran with V=1. Returns false if the
 * address has no translation (any more), or if there is no address.
 */
bool uarch_translate(CPURISCVState *env, UarchInsn *insn);

/* uarch_log.c */
void uarch_log_open(RISCVCPU *cpu, Error **errp);
void uarch_log_insn(CPURISCVState *env, const UarchInsn *insn);

#endif /* RISCV_UARCH_H */
