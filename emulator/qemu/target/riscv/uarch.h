/*
 * RISC-V microarchitecture model: one stream of decoded instructions
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef RISCV_UARCH_H
#define RISCV_UARCH_H

#include "qemu/units.h"
#include "uarch_clock.h"
#include "uarch_filter.h"

/* What helper_uarch_insn() gets to know besides opcode and attributes */
#define UARCH_INFO_MMU_IDX 0x0ff
#define UARCH_INFO_PARTIAL 0x100
#define UARCH_INFO_LOAD    0x200    /* and helper_uarch_touch() */
#define UARCH_INFO_STORE   0x400
#define UARCH_INFO_NOIRQ   0x800    /* a block that takes no interrupt */
#define UARCH_INFO_ALIGN   0x1000   /* times a power of 2: traps otherwise */
#define UARCH_INFO_ALIGN_SHIFT 12
#define UARCH_INFO_SIZE_SHIFT 20    /* bytes, of what is no vector */

/* Address spaces that the TLBs can tell apart */
#define UARCH_SPACES 64

/* Instructions in a block */
#define UARCH_BLOCK_MAX 32

/* What is known of an instruction when it is translated */
typedef struct UarchDecoded {
    uint64_t attrs;
    UarchOperands operands;
    uint32_t opcode;
    uint16_t info;
    uint16_t place;             /* bytes from the beginning of its block */
} UarchDecoded;

/*
 * A block of translated code, as long as that is there. All instructions of it
 * but the only one of a block are plain: nothing that they do is asked for, and
 * nothing changes for others, before they have all been executed.
 */
typedef struct UarchBlock {
    uint32_t n;
    uint32_t weight:31;         /* it counts as so many for hpm_block_due() */
    uint32_t plain:1;
    UarchDecoded insn[];
} UarchBlock;

/* Of those that a hart has translated, since translations were last dropped */
typedef struct UarchArena {
    GPtrArray *now, *before;    /* pieces of memory */
    size_t used;                /* of the last one */
    unsigned flushes;           /* when there were no translations */
} UarchArena;

/* What a vector instruction computes, noted before it is executed */
typedef struct UarchElements {
    uint32_t all, unmasked;
    UarchQuantity kind;         /* what @all of them add to */
} UarchElements;

typedef struct UarchState {
    /*
     * The instruction that is being executed. What becomes of it is known when
     * the next one begins, or when a trap is taken.
     */
    UarchInsn insn;
    bool pending;               /* there is one */
    bool undone;                /* it has been stopped, and may run again */
    bool settled;               /* its accesses have been looked up */
    uint64_t others;            /* what its accesses but the first met */
    UarchElements elements;
    UarchAmounts amounts;       /* what it, and those before that have not */
                                /* been counted, have added to */
    uint64_t second_pc;         /* of a pair, the first of which has ended */
    bool predicted;             /* @prediction is of it */
    UarchPrediction prediction;

    /*
     * The block that it is of, if its instructions are looked at when all have
     * been executed: it is the one numbered @at, and the ones behind it up to
     * @reached have been executed, or the last one is what has been stopped.
     */
    const UarchBlock *block;
    bool plain;                 /* all of its instructions are */
    uint32_t at, reached;
    uint64_t block_pc;

    /* Written by translated code */
    target_ulong ea[UARCH_BLOCK_MAX];   /* effective addresses, by number */
    uint8_t ea_valid;           /* the first one has come so far */
    uint8_t taken;              /* outcome, if the last one is a branch */

    bool sampled;               /* see uarch_sample() */
    uint64_t cycles;            /* since reset, of the pipeline */
    UarchClock clock;           /* with uarch-cycles=cheap */
    uint64_t space_satp[UARCH_SPACES], space_hgatp[UARCH_SPACES];
    uint32_t spaces, space;     /* how many there are, and the last one used */
    UarchModel model;
    UarchStream stream;         /* who is asked, and told, by the model */
    UarchFilter filter;         /* of level touch; in no snapshot */
} UarchState;

/* What cycles are */
typedef enum UarchCycles {
    UARCH_CYCLES_OFF,           /* hpm-cpi for each instruction */
    UARCH_CYCLES_CHEAP,         /* see uarch_clock.h */
    UARCH_CYCLES_EXACT,         /* those of the pipeline */
} UarchCycles;

typedef struct UarchConfig {
    UarchParams params;
    bool warm;                  /* what is looked at follows all modes */
    char *cycles_name;
    UarchCycles cycles;
    char *log, *share_log;
} UarchConfig;

#define UARCH_PARAM(name, field, value)                                     \
    DEFINE_PROP_UINT32("uarch-" name, RISCVCPU, uarch_cfg.params.field, value)

#define UARCH_PROPERTIES                                                    \
    UARCH_PARAM("line", line, 64),                                          \
    UARCH_PARAM("l1i-size", l1i_size, 32 * KiB),                            \
    UARCH_PARAM("l1i-ways", l1i_ways, 4),                                   \
    UARCH_PARAM("l1d-size", l1d_size, 32 * KiB),                            \
    UARCH_PARAM("l1d-ways", l1d_ways, 8),                                   \
    UARCH_PARAM("ll-size", ll_size, 1 * MiB),                               \
    UARCH_PARAM("ll-ways", ll_ways, 16),                                    \
    UARCH_PARAM("itlb-size", itlb_size, 32),                                \
    UARCH_PARAM("itlb-ways", itlb_ways, 4),                                 \
    UARCH_PARAM("dtlb-size", dtlb_size, 32),                                \
    UARCH_PARAM("dtlb-ways", dtlb_ways, 4),                                 \
    UARCH_PARAM("lltlb-size", lltlb_size, 512),                             \
    UARCH_PARAM("lltlb-ways", lltlb_ways, 4),                               \
    UARCH_PARAM("prefetch", prefetch, 0),                                   \
    UARCH_PARAM("wrong-path", wrong_path, 0),                               \
    UARCH_PARAM("superpages", superpages, 0),                               \
    UARCH_PARAM("walk-loads", walk_loads, 0),                               \
    UARCH_PARAM("bimodal", bimodal, 1024),                                  \
    UARCH_PARAM("history", history, 0),                                     \
    UARCH_PARAM("btb", btb, 64),                                            \
    UARCH_PARAM("ras", ras, 8),                                             \
    UARCH_PARAM("width", width, 2),                                         \
    UARCH_PARAM("window", window, 32),                                      \
    UARCH_PARAM("write-buffer", write_buffer, 0),                           \
    UARCH_PARAM("fusion", fusion, 0),                                       \
    UARCH_PARAM("refill", refill, 5),                                       \
    UARCH_PARAM("bubble", bubble, 1),                                       \
    UARCH_PARAM("l1d-latency", l1d_latency, 3),                             \
    UARCH_PARAM("ll-latency", ll_latency, 14),                              \
    UARCH_PARAM("mem-latency", mem_latency, 100),                           \
    UARCH_PARAM("device-latency", device_latency, 100),                     \
    UARCH_PARAM("hitm-latency", hitm_latency, 40),                          \
    UARCH_PARAM("lltlb-latency", lltlb_latency, 4),                         \
    UARCH_PARAM("walk-latency", walk_latency, 40),                          \
    UARCH_PARAM("mul-latency", mul_latency, 3),                             \
    UARCH_PARAM("div-latency", div_latency, 20),                            \
    UARCH_PARAM("fp-latency", fp_latency, 4),                               \
    UARCH_PARAM("fdiv-latency", fdiv_latency, 20),                          \
    UARCH_PARAM("rvv-latency", rvv_latency, 6),                             \
    DEFINE_PROP_BOOL("uarch-warm", RISCVCPU, uarch_cfg.warm, true),         \
    DEFINE_PROP_STRING("uarch-cycles", RISCVCPU, uarch_cfg.cycles_name),    \
    UARCH_PARAM("cheap-every", cheap_every, 100000),                        \
    DEFINE_PROP_STRING("uarch-log", RISCVCPU, uarch_cfg.log),               \
    DEFINE_PROP_STRING("uarch-share-log", RISCVCPU, uarch_cfg.share_log)

/* Life of the model; uarch_config.c: as its properties say */
void uarch_init(RISCVCPU *cpu, Error **errp);
void uarch_reset(CPURISCVState *env);

/* uarch_stream.c: tell the model whom to ask. */
void uarch_connect(CPURISCVState *env);

/*
 * uarch_sample() - see each instruction from now on, or no longer
 *
 * For a sampler. Takes effect when the counters are armed again: after
 * hpm_configure(), after an overflow; and at once if it is called for a
 * decoded instruction.
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

/* The hart is about to be saved: uarch_stop(), but pairs stay together. */
void uarch_save(CPURISCVState *env);
bool uarch_next_serializes(CPURISCVState *env);

/*
 * uarch_settle() - another hart may run now
 *
 * What the pending instruction has accessed is looked up before anything that
 * the other one does.
 */
void uarch_settle(CPURISCVState *env);

/*
 * uarch_access.c: translations have been dropped; there are others now, in
 * other registers.
 */
void uarch_tlb_flush(CPURISCVState *env);
void uarch_new_space(CPURISCVState *env);

/* What a transfer of this type is for the model. @type: CTRDATA_TYPE_* */
static inline uint64_t uarch_type_attrs(uint32_t type)
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

/*
 * uarch_transfer() - predict a transfer that is about to retire
 * @type: CTRDATA_TYPE_*
 *
 * The branch predictor learns from it, once, whoever asks. Returns whether the
 * prediction was wrong.
 */
bool uarch_transfer(CPURISCVState *env, uint64_t pc, uint64_t behind,
                    uint64_t target, uint32_t type);

/*
 * uarch_translate() - find the physical address of a data access
 * @insn: as it came to pdis_decoded(); valid until that returns
 *
 * Fills in @pa, and @gpa if the instruction ran with V=1. Returns false if
 * there is no address, or no translation: if it trapped, or was flushed.
 */
bool uarch_translate(CPURISCVState *env, UarchInsn *insn);

/* Can instructions be looked at block by block, as nobody waits for them? */
bool uarch_takes_blocks(CPURISCVState *env);

/* uarch_block.c: for the translator */
bool uarch_is_plain(uint32_t opcode, uint64_t attrs, bool zcm);
UarchBlock *uarch_new_block(RISCVCPU *cpu, uint32_t insns);

/* uarch_walk.c: the walk to a page, see UarchModel */
void uarch_walk_page(void *opaque, uint64_t page, UarchWalk *walk);

/* uarch_state.c */
extern const VMStateDescription vmstate_uarch;

/* uarch_log.c */
void uarch_log_open(RISCVCPU *cpu, Error **errp);
void uarch_share_log_open(RISCVCPU *cpu, Error **errp);
void uarch_log_insn(CPURISCVState *env, const UarchInsn *insn);

#endif /* RISCV_UARCH_H */
