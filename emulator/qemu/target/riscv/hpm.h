/*
 * RISC-V hardware performance counters: exact model
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef RISCV_HPM_H
#define RISCV_HPM_H

#include "hpm_cores.h"
#include "hpm_vendor.h"
#include "hpm_xiangshan.h"
#include "uarch_model.h"

/* A kind is a distinct thing to count; several events and counters share it. */
#define HPM_MAX_KINDS 58
#define HPM_KIND_INSN 0
#define HPM_KIND_MODEL 255      /* what the model counts: no code is emitted */

/*
 * What the translated code must do for the counters that run in the current
 * mode: one bit per kind, and flags. It is the cs_base of a translation block,
 * that is, part of its key.
 */
#define HPM_KEY_KINDS MAKE_64BIT_MASK(0, HPM_MAX_KINDS)
#define HPM_KEY_STEP  (1ull << 63)  /* one instruction per block, checked */
#define HPM_KEY_FULL  (1ull << 61)  /* each is modelled: uarch_insn.c */
#define HPM_KEY_TOUCH (1ull << 60)  /* caches and TLBs are modelled, */
#define HPM_KEY_PREDICT (1ull << 59) /* branch predictors are */
#define HPM_KEY_HITS  (1ull << 58)  /* and what changes nothing is counted */
#define HPM_KEY_LEVEL (HPM_KEY_FULL | HPM_KEY_TOUCH | HPM_KEY_PREDICT)

#define HPM_COUNTERS 32

/*
 * Of a counter of HPM_KIND_MODEL, what need not be found out for each
 * instruction: one with none of @attrs adds nothing but @quantities.
 */
typedef struct HPMTally {
    uint64_t attrs, quantities;
    uint64_t max;                   /* the largest value, 0: not so simple */
    uint64_t most, ahead;           /* see hpm_insns_to_overflow() */
} HPMTally;

/*
 * What counters of several events have of the cycle in which the last of the
 * instructions @pc has ended: what follows it may end there, too.
 */
typedef struct HPMCycle {
    uint32_t ctrs;                  /* those which have something, */
    uint64_t amounts[HPM_COUNTERS][HPM_SELECTED];   /* of each event */
    uint64_t time;
    uint64_t pc, next_pc;
} HPMCycle;

typedef struct HPMState {
    uint64_t key;                   /* of the current mode, see HPM_KEY_* */

    /*
     * By kind: how many more may happen before a counter overflows, the
     * overflowing one excluded. Translated code counts it down; negative
     * means that an overflow is due. @start is its value at the last fold.
     */
    int64_t left[HPM_MAX_KINDS];
    int64_t start[HPM_MAX_KINDS];
    uint64_t armed;                 /* kinds counted in the current mode */
    HPMMode mode;                   /* the current mode */
    uint32_t steps;                 /* blocks to go in HPM_KEY_STEP */

    /* Derived from the CSRs by hpm_configure(). */
    uint32_t running[HPM_MODES];    /* counters that run, by mode */
    uint64_t kinds[HPM_MODES];      /* their kinds, by mode */
    uint8_t kind[HPM_COUNTERS];
    uint32_t weight[HPM_COUNTERS];  /* what one occurrence adds */
    HPMSelection selection[HPM_COUNTERS];
    uint32_t combined;              /* counters of several events, */
    HPMCycle cycle;                 /* and what they have not counted yet */
    uint32_t accesses;              /* of accesses, see HPM_ACCESSES */
    uint32_t more[HPM_COUNTERS];    /* of these: what one instruction adds, */
    bool several;                   /* if it has several accesses */
    uint32_t flushed[HPM_COUNTERS]; /* of these: those behind a misprediction */
    bool has_flushed;
    uint32_t modelled_by_uarch[HPM_MODES];  /* counters of HPM_KIND_MODEL */
    uint32_t records[HPM_MODES];    /* counters of what ctr.c records */
    uint32_t clocked[HPM_MODES];    /* counters of uarch.clock; it runs */
    uint32_t clock_modes;           /* in these, bit n stands for mode n */
    int64_t unclocked;              /* @start of instructions without it */
    uint64_t level[HPM_MODES];      /* set of HPM_KEY_LEVEL, HPM_KEY_HITS */
    uint64_t touched[HPM_MODES];    /* what has none of these is not counted */
    uint64_t attrs[HPM_MODES];      /* the same at level full, by itself */
    int64_t touches;                /* may still count, none overflowing */
    bool blocks;                    /* of several instructions at level full, */
    uint64_t clear;                 /* of so many, none of which overflows */
    uint64_t quantities;            /* that any counts, by UarchQuantity */
    HPMTally tally[HPM_COUNTERS];
    uint32_t written;               /* counters that are being written */
    uint32_t irqs;                  /* whose overflow by the model interrupts */
    bool stale;                     /* to be armed again */

    bool trapping;                  /* the mode is left by a trap, */
    target_ulong return_pc;         /* or else by a return to there */

    uint32_t modelled;              /* counters that this model owns */
    bool skid_pending;              /* an interrupt is on its way */
    int64_t skid_left;              /* instructions until it is pended */
    uint64_t rng;

    uint32_t inhibited;             /* mcountinhibit, as last seen */
    uint32_t stopping;              /* of those, counters that still run, */
    int64_t stop_left;              /* for so many instructions */

    HPMVendorState vendor;

    /* Kept for the log. */
    target_ulong pc, next_pc;       /* causal instruction, and what follows */
    uint64_t total[HPM_COUNTERS];   /* what the counter has counted */
    uint64_t retired[HPM_MODES];    /* instructions, as far as counted */
} HPMState;

/* What the translator notes of an instruction */
typedef struct HPMInsn {
    struct TCGOp *start;
    uint64_t attrs;
    uint64_t pc;
    uint32_t opcode;
} HPMInsn;

typedef struct HPMConfig {
    uint32_t skid, skid_max, skid_seed;
    uint32_t stop_late;
    uint32_t width;
    uint32_t cpi;
    OnOffAuto warl;
    bool minh;
    bool scountovf;
    uint32_t unfiltered, zero;
    uint64_t mideleg_zero;          /* interrupts that are M-mode's alone */
    uint64_t odd_marchid;           /* harts with odd numbers: another core, */
    uint32_t odd_zero;              /* which has fewer counters, */
    uint32_t odd_narrow;            /* of which these have 32 bits, */
    uint32_t odd_unfiltered;        /* these count in all modes, */
    uint32_t odd_undelegated;       /* and these are M-mode's alone, */
    uint64_t odd_mideleg_zero;      /* as are these interrupts, */
    bool odd_smcntrpmf;             /* and do they have Smcntrpmf, */
    bool odd_scounterof;            /* or T-Head's registers of S-mode? */
    char *fixed;
    char *vendor;
    char *core;
    char *log;
    bool marker;
} HPMConfig;

#define HPM_PROPERTIES                                                      \
    DEFINE_PROP_UINT32("hpm-skid", RISCVCPU, hpm_cfg.skid, 0),              \
    DEFINE_PROP_UINT32("hpm-skid-max", RISCVCPU, hpm_cfg.skid_max, 0),      \
    DEFINE_PROP_UINT32("hpm-skid-seed", RISCVCPU, hpm_cfg.skid_seed, 1),    \
    DEFINE_PROP_UINT32("hpm-stop-late", RISCVCPU, hpm_cfg.stop_late, 0),    \
    DEFINE_PROP_UINT32("hpm-width", RISCVCPU, hpm_cfg.width, 64),           \
    DEFINE_PROP_UINT32("hpm-cpi", RISCVCPU, hpm_cfg.cpi, 1),                \
    DEFINE_PROP_ON_OFF_AUTO("hpm-warl", RISCVCPU, hpm_cfg.warl,             \
                            ON_OFF_AUTO_AUTO),                              \
    DEFINE_PROP_BOOL("hpm-minh", RISCVCPU, hpm_cfg.minh, true),             \
    DEFINE_PROP_BOOL("hpm-scountovf", RISCVCPU, hpm_cfg.scountovf, true),   \
    DEFINE_PROP_UINT32("hpm-unfiltered", RISCVCPU, hpm_cfg.unfiltered, 0),  \
    DEFINE_PROP_UINT32("hpm-zero", RISCVCPU, hpm_cfg.zero, 0),              \
    DEFINE_PROP_UINT64("hpm-mideleg-zero", RISCVCPU, hpm_cfg.mideleg_zero,  \
                       0),                                                  \
    DEFINE_PROP_UINT64("hpm-odd-marchid", RISCVCPU, hpm_cfg.odd_marchid,    \
                       0),                                                  \
    DEFINE_PROP_UINT32("hpm-odd-zero", RISCVCPU, hpm_cfg.odd_zero, 0),      \
    DEFINE_PROP_UINT32("hpm-odd-narrow", RISCVCPU, hpm_cfg.odd_narrow, 0),  \
    DEFINE_PROP_UINT32("hpm-odd-unfiltered", RISCVCPU,                      \
                       hpm_cfg.odd_unfiltered, 0),                          \
    DEFINE_PROP_UINT32("hpm-odd-undelegated", RISCVCPU,                     \
                       hpm_cfg.odd_undelegated, 0),                         \
    DEFINE_PROP_UINT64("hpm-odd-mideleg-zero", RISCVCPU,                    \
                       hpm_cfg.odd_mideleg_zero, 0),                        \
    DEFINE_PROP_BOOL("hpm-odd-smcntrpmf", RISCVCPU, hpm_cfg.odd_smcntrpmf,  \
                     true),                                                 \
    DEFINE_PROP_BOOL("hpm-odd-scounterof", RISCVCPU,                        \
                     hpm_cfg.odd_scounterof, true),                         \
    DEFINE_PROP_STRING("hpm-fixed", RISCVCPU, hpm_cfg.fixed),               \
    DEFINE_PROP_STRING("hpm-vendor", RISCVCPU, hpm_cfg.vendor),             \
    DEFINE_PROP_STRING("hpm-core", RISCVCPU, hpm_cfg.core),                 \
    DEFINE_PROP_STRING("hpm-log", RISCVCPU, hpm_cfg.log),                   \
    DEFINE_PROP_BOOL("hpm-marker", RISCVCPU, hpm_cfg.marker, false)

/* Whatever has one of @any, all of @all, and nothing of @none */
typedef struct HPMAttrs {
    uint64_t any, all, none;
} HPMAttrs;

/*
 * What is counted: whatever one of two descriptions is of; and of @quantities,
 * bits numbered by UarchQuantity, as much as there is.
 */
typedef struct HPMEvent {
    uint64_t code;
    uint32_t sbi;                   /* SBI PMU event_idx, 0 if none */
    uint8_t kind;
    bool cycle;
    bool record;                    /* what ctr.c records, and nothing else */
    bool access;                    /* each access counts, not instructions */
    bool retired;                   /* none of instructions that are flushed */
    bool precise;                   /* overflows are due to one instruction */
    HPMAttrs counted[2];            /* one that is all 0 is of nothing */
    uint64_t quantities;
    const char *name;
} HPMEvent;

/* Life of the model */
void hpm_init(RISCVCPU *cpu, Error **errp);
void hpm_reset(CPURISCVState *env);
void hpm_generate_fdt_node(void *fdt, RISCVCPU *cpu, const char *node);

/*
 * CSR accesses. Reads and writes of a counter return false if the counter is
 * not modelled. A write to anything else that matters (event, filter, inhibit)
 * goes between hpm_before_write() and hpm_configure().
 */
bool hpm_read(CPURISCVState *env, int ctr, bool upper, target_ulong *val);
bool hpm_write(CPURISCVState *env, int ctr, bool upper, target_ulong val);
void hpm_before_write(CPURISCVState *env, uint32_t written);
void hpm_before_open(CPURISCVState *env, uint32_t ctrs);
void hpm_before_cfg_write(CPURISCVState *env, int ctr, target_ulong old,
                          target_ulong val);
bool hpm_owns_fixed(CPURISCVState *env);
void hpm_take_fixed(CPURISCVState *env, uint32_t ctrs);
void hpm_configure(CPURISCVState *env);

/* Changes of mode and traps */
void hpm_leave_mode(CPURISCVState *env, bool to_virt);
void hpm_enter_mode(CPURISCVState *env);
void hpm_trap(CPURISCVState *env, uint32_t cause, bool async);

/* There is something new to wait for: see hpm_arm(). */
void hpm_rearm(CPURISCVState *env);

/* Instructions that have begun since the last fold, as far as counted */
uint64_t hpm_unfolded(CPURISCVState *env);

/* Something that has @attrs, and is not an instruction, happens now. */
void hpm_happen(CPURISCVState *env, uint64_t attrs);

/* A control transfer of @pc in @mode, to @next_pc, has been recorded. */
void hpm_recorded(CPURISCVState *env, HPMMode mode, target_ulong pc,
                  target_ulong next_pc);

/* Instructions that were accounted for but do not retire */
void hpm_restore(CPURISCVState *env, uint64_t key, uint64_t data);
void hpm_undo(CPURISCVState *env, uintptr_t ra);

void hpm_fold(CPURISCVState *env, uint32_t written);

/* Nothing that is yet to come is in the same cycle as what has been. */
void hpm_end_cycle(CPURISCVState *env);

/* For PDIS: what its counter has counted and pdis_add() has not yet seen */
uint64_t hpm_pdis_uncounted(CPURISCVState *env);

/*
 * Does an instruction with @attrs, in @mode, cause the event that @ctr counts?
 * hpm_retired_attrs() are those that it has only because it retires; unless it
 * has @retired, no event is of it that counts only what does.
 */
bool hpm_counter_incurred(CPURISCVState *env, int ctr, HPMMode mode,
                          uint64_t attrs, bool retired);
uint64_t hpm_retired_attrs(void);

/* For the microarchitecture model: before each instruction of level full */
bool hpm_insn_due(CPURISCVState *env, uint64_t kinds);
void hpm_insn_stop(CPURISCVState *env);

/* And before @insns of them, which go on if nothing overflows by any of them */
bool hpm_block_due(CPURISCVState *env, uint32_t insns);
G_NORETURN void hpm_block_stop(CPURISCVState *env, uint32_t insns);
void hpm_count_insn(CPURISCVState *env, const UarchInsn *insn,
                    const UarchAmounts *n);

/*
 * At level touch: something with @attrs has happened, which some counter may
 * count, see touched. Nothing can overflow, as blocks in which it might have
 * are not entered.
 */
typedef enum HPMCounters {
    HPM_ACCESSES = 1,           /* those of accesses, */
    HPM_INSNS = 2,              /* of instructions, whatever they access */
    HPM_ALL = HPM_ACCESSES | HPM_INSNS,
} HPMCounters;

void hpm_count_touch(CPURISCVState *env, uint64_t attrs, HPMCounters of);

/*
 * At level full: of the instruction that is about to come to hpm_count_insn(),
 * which has several accesses, this is one, with @attrs.
 */
void hpm_count_place(CPURISCVState *env, HPMMode mode, uint64_t attrs);

/*
 * At level full: an access, with @attrs, of an instruction that is flushed
 * because of the one that is about to come to hpm_count_insn().
 */
void hpm_count_flushed(CPURISCVState *env, HPMMode mode, uint64_t attrs);

/*
 * The cheap clock, where it runs: something takes @time. Returns whether a
 * counter overflows by it, which is seen in front of the next block. So before
 * anything that may stall within a block hpm_clock_check() leaves it, if a
 * counter could overflow, to go on instruction by instruction.
 */
bool hpm_clock_add(CPURISCVState *env, uint64_t time);
void hpm_clock_check(CPURISCVState *env, uintptr_t ra);

/* Did an instruction with @attrs incur what @event counts? */
bool hpm_incurred(const HPMEvent *event, uint64_t attrs);

/* Migration */
extern const VMStateDescription vmstate_hpm;
int hpm_pre_save(void *opaque);

/* The hart leaves the loop that executes it: a replay may have ended a step. */
void hpm_replay(RISCVCPU *cpu);

/* Tables, for the translator and the log */
HPMMode hpm_mode(target_ulong priv, bool virt);
uint64_t hpm_cycles(CPURISCVState *env);
uint64_t hpm_match(uint64_t kinds, uint64_t attrs);
uint64_t hpm_insn_kinds(uint64_t key);
int hpm_field_bits(uint64_t key);
uint64_t hpm_event(CPURISCVState *env, int ctr);
void hpm_select(CPURISCVState *env, int ctr, HPMSelection *sel);

/*
 * hpm_log.c; the other logs are opened by it, too, and closed. @by_line: flush
 * each line. @exit is notified when the emulator ends. NULL: error.
 */
extern const char * const hpm_mode_names[HPM_MODES];
FILE *hpm_log_create(const char *path, bool by_line, const char *header,
                     Notifier *exit, Error **errp);
void hpm_log_close(FILE *file);
void hpm_log_open(RISCVCPU *cpu, Error **errp);
void hpm_log_overflow(CPURISCVState *env, int ctr, bool irq);
void hpm_log_capture(CPURISCVState *env, int ctr, target_ulong pc);
void hpm_log_ahead(CPURISCVState *env, uint32_t cause, bool async);
void hpm_log_early(CPURISCVState *env, int ctr);
void hpm_log_open_to_user(CPURISCVState *env, int ctr, bool runs);
void hpm_log_marker(CPURISCVState *env, uint32_t id);

#endif /* RISCV_HPM_H */
