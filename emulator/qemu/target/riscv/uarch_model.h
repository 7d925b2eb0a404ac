/*
 * RISC-V microarchitecture model: caches, TLBs, predictors, pipeline
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Knows nothing of QEMU: what it is told, and what it says, is in structures.
 * uarch.md says what is modelled.
 */
#ifndef RISCV_UARCH_MODEL_H
#define RISCV_UARCH_MODEL_H

#include "qemu/thread.h"
#include "hpm_attrs.h"

/* What is done for few instructions must not make it slow for the others. */
#define RARELY __attribute__((noinline, cold))

/* All of it is one function for the compiler: nothing is called so often. */
#define UARCH_OFTEN __attribute__((flatten))

/*
 * A variable that is not cleared first, as QEMU has the compiler do with all of
 * them: a structure takes longer than all that is then done with it.
 */
#define UARCH_UNSET __attribute__((uninitialized))

/* How far an instruction came; a latency is known if its stage was reached. */
#define UARCH_DISPATCHED 0x1
#define UARCH_ISSUED     0x2
#define UARCH_EXECUTED   0x4
#define UARCH_OLDEST     0x8

/* Why an instruction was flushed: pdishdrev.FLUSH */
#define UARCH_FLUSH_OTHER      0
#define UARCH_FLUSH_MISPREDICT 1
#define UARCH_FLUSH_ORDERING   2

/* Where the data of a load or store came from: pdishdrev.DSRC */
typedef enum UarchSource {
    UARCH_SRC_NONE,         /* no access, or not known */
    UARCH_SRC_L1D,
    UARCH_SRC_LL,
    UARCH_SRC_MEMORY,
    UARCH_SRC_STORE,        /* forwarded from an older store in flight */
    UARCH_SRC_DEVICE,       /* not cached */
    UARCH_SRC_HITM,         /* another hart's L1D, which had modified it */
} UarchSource;

/* Instructions, by what they need */
typedef enum UarchClass {
    UARCH_ALU, UARCH_MUL, UARCH_DIV, UARCH_FP, UARCH_FDIV, UARCH_RVV,
    UARCH_MEMORY, UARCH_SERIALIZING,
} UarchClass;

/* What CBO.ZERO stores, in bytes, whatever the CPU's property says */
#define UARCH_ZERO_BLOCK 64

/* Registers: 0 none, 1-31 integer, 32-63 FP, 64-95 vector */
typedef union UarchOperands {
    struct {
        uint8_t kind;           /* UarchClass */
        uint8_t src[3], dst;
        uint8_t size;           /* of the access, in bytes */
        int16_t offset;         /* of a conditional branch */
    };
    uint64_t all;               /* as translated code hands them on */
} UarchOperands;

/*
 * What is known of an instruction that was decoded, once it has retired,
 * trapped, or been flushed. Latencies are in cycles and not saturated.
 */
typedef struct UarchInsn {
    uint64_t pc;
    uint64_t next_pc;           /* falls through, target, handler of a trap */
    uint32_t opcode;
    UarchOperands operands;
    uint8_t len;                /* bytes */
    uint8_t mmu_idx;            /* by which @addr is translated */
    HPMMode mode;               /* in which it was decoded */
    uint64_t attrs;             /* HPM_*: what it is and what happened to it */
    bool trapped, flushed;      /* it did not retire */
    bool fused, second;         /* one of a pair; behind the other one */
    uint8_t flush;              /* UARCH_FLUSH_* if flushed */
    uint64_t flush_pc;      /* of the branch or load that flushed it */
    bool has_addr;              /* it came so far as to compute @addr */
    bool partial;               /* it has, or may have, several accesses */
    bool had_line;              /* L1D had that of the first, but in common */
    uint32_t code_walk, data_walk;  /* cycles of the walks, if there were any */
    uint64_t addr;          /* virtual, of its first explicit access */
    bool has_pa;                /* see uarch_translate() */
    uint64_t pa, gpa;
    uint64_t cycle;             /* model time when it was decoded */
    uint32_t dispatch, issue, execution, total, oldest;
    uint8_t stages;             /* UARCH_DISPATCHED and so on */
    uint8_t dsrc;               /* UarchSource */
    uint64_t prior_target;  /* of the control transfer before it */
} UarchInsn;

/*
 * What can be counted beside attributes: an instruction has a number of each.
 * Slots are places in which an instruction could have been dispatched.
 */
#define UARCH_QUANTITIES(X)                                                 \
    X(CYCLES)           /* from the retirement before to its own */         \
    X(SPECULATIVE)      /* operations dispatched, flushed ones included */  \
    X(FLUSHES)          /* for a misprediction, or a load too early */      \
    X(ROLLBACKS)        /* those of them for a load too early */            \
    X(FUSED)            /* pairs that retire as one operation */            \
    X(REFILL)           /* slots of BAD_* that are empty since it was */    \
    X(L1D_MISS_CYCLES)  /* in which a load that missed L1D waits for it */  \
    X(LL_MISS_CYCLES)   /* or for memory */                                 \
    X(L1I_MISS_CYCLES)                                                      \
    X(WALK_CYCLES)      /* in which a page table walk is under way */       \
    X(WALK_READ_CYCLES) /* and they read tables, with walk-loads */         \
    X(STALLS)           /* cycles: one is decoded, none is dispatched */    \
    X(CROWDED)          /* cycles: more than 3/4 of the window is in use */ \
    X(RESTARTS)         /* FENCE.I: all behind it is fetched again */       \
    /* what caches do besides, see UARCH_TRAFFIC */                         \
    X(L1D_WB) X(LL_WB)                                                      \
    X(SNOOP_MISS) X(SNOOP_HIT) X(SNOOP_HITM)                                \
    X(PREFETCH) X(PREF_HIT) X(PREF_MISS)                                    \
    X(WALK_HIT) X(WALK_MISS) /* L1D, by reads of page tables */             \
    X(WALK_LL_HIT) X(WALK_LL_MISS)                                          \
    X(REMOTE_HIT) X(REMOTE_HITM) /* of this L1D, for other harts */         \
    X(LL_PREFETCH)      /* none is: others may have it, too */              \
    /* elements that vector instructions compute, and those not masked */   \
    X(ELEMENT_INT8) X(ELEMENT_INT16) X(ELEMENT_INT32) X(ELEMENT_INT64)      \
    X(ELEMENT_FP16) X(ELEMENT_FP32) X(ELEMENT_FP64)                         \
    X(UNMASKED_INT8) X(UNMASKED_INT16) X(UNMASKED_INT32) X(UNMASKED_INT64)  \
    X(UNMASKED_FP16) X(UNMASKED_FP32) X(UNMASKED_FP64)                      \
    /* slots */                                                             \
    X(RETIRING)         /* the slot of an operation that retires */         \
    X(FE_BANDWIDTH)     /* front end: the rest of a group that was cut */   \
    X(FE_ADDR) X(FE_DATA) /* ITLB, instruction cache */                     \
    X(FE_REDIRECT)      /* bubbles after transfers, traps, trap returns */  \
    X(BAD_MISPREDICT) X(BAD_ORDERING)                                       \
    X(BAD_OTHER)        /* the slot of one that traps */                    \
    X(BE_CORE) X(BE_SERIAL)                                                 \
    X(BE_ADDR_L1) X(BE_ADDR_LL) /* data TLB: first level missed, or both */ \
    X(BE_DATA_HIT) X(BE_DATA_L1) X(BE_DATA_LL) /* hit, L1D missed, both */

typedef enum UarchQuantity {
#define UARCH_ENUM(name) UARCH_##name,
    UARCH_QUANTITIES(UARCH_ENUM)
#undef UARCH_ENUM
    UARCH_QUANTITY_COUNT
} UarchQuantity;

/* Those which fetches and accesses leave behind for the next instruction */
#define UARCH_TRAFFIC UARCH_L1D_WB
#define UARCH_TRAFFIC_COUNT (UARCH_REMOTE_HITM + 1 - UARCH_TRAFFIC)

/* Those of vectors: see uarch_elements.c */
#define UARCH_ELEMENT_KINDS (UARCH_UNMASKED_INT8 - UARCH_ELEMENT_INT8)
#define UARCH_ELEMENTS                                                      \
    MAKE_64BIT_MASK(UARCH_ELEMENT_INT8, 2 * UARCH_ELEMENT_KINDS)

/* Sizes and latencies; the defaults are in uarch.h */
typedef struct UarchParams {
    uint32_t line;                          /* bytes */
    uint32_t l1i_size, l1i_ways;            /* bytes */
    uint32_t l1d_size, l1d_ways;
    uint32_t ll_size, ll_ways;
    uint32_t itlb_size, itlb_ways;          /* entries */
    uint32_t dtlb_size, dtlb_ways;
    uint32_t lltlb_size, lltlb_ways;
    uint32_t prefetch;                      /* into L1D: UARCH_PREFETCH_* */
    uint32_t wrong_path;                    /* 1: what is flushed, too, */
                                            /* fetches and loads lines */
    uint32_t superpages;                    /* 1: TLBs have entries for them */
    uint32_t walk_loads;                    /* 1: walks load from L1D */
    uint32_t bimodal, btb, ras;             /* entries */
    uint32_t history;                       /* branches that bimodal knows */
    uint32_t width, window;                 /* instructions */
    uint32_t write_buffer;                  /* stores; 0: there is room */
    uint32_t fusion;                        /* 1: pairs are one operation */
    uint32_t refill, bubble;                /* cycles */
    uint32_t cheap_every;                   /* instructions: uarch_clock.h */
    uint32_t l1d_latency, ll_latency, mem_latency, device_latency;
    uint32_t hitm_latency;
    uint32_t lltlb_latency, walk_latency;
    uint32_t mul_latency, div_latency, fp_latency, fdiv_latency, rvv_latency;
} UarchParams;

#define UARCH_PREFETCH_NEXT   0x1
#define UARCH_PREFETCH_STRIDE 0x2

#define UARCH_BIMODAL_MAX 8192
#define UARCH_HISTORY_MAX 13
#define UARCH_BTB_MAX     1024
#define UARCH_RAS_MAX     32

typedef struct UarchPredictor {
    uint8_t bimodal[UARCH_BIMODAL_MAX];
    uint32_t history;           /* what the last branches did, 1: taken */
    uint64_t btb_pc[UARCH_BTB_MAX];
    uint64_t btb_target[UARCH_BTB_MAX];
    uint64_t ras[UARCH_RAS_MAX];
    uint32_t ras_top;           /* where the next call goes */
    uint32_t ras_used;
} UarchPredictor;

/* What was predicted of a transfer, and whether that was wrong */
typedef struct UarchPrediction {
    bool wrong;
    bool has_target;            /* it was followed to @target */
    uint64_t target;
} UarchPrediction;

/* A set-associative cache with LRU replacement; a TLB is one, too. */
typedef struct UarchCache {
    uint32_t sets, ways;
    uint32_t entries;           /* sets * ways */
    uint64_t *tags;             /* most recently used first, and their state */
} UarchCache;

/*
 * Where a fetch or a data access goes. What is written as one and read as one
 * the host need not wait for: hence bits, and no copies of all of it.
 */
typedef struct UarchAccess {
    bool valid:1;
    bool device:1;            /* not cached */
    bool store:1;             /* the line is modified */
    bool partial:1;           /* this is not true of all of its page */
    uint64_t pa;
    uint64_t page;              /* key of the TLB entry, 0: no translation */
} UarchAccess;

/*
 * A page table walk: where it has read, in this order, and the size of the page
 * that it has found, as a power of 2. Two stages of five levels need 35.
 */
#define UARCH_WALK_MAX 40

typedef struct UarchWalk {
    uint64_t pte[UARCH_WALK_MAX];   /* physical addresses */
    uint32_t n;
    uint32_t page_bits;
} UarchWalk;

#define UARCH_REGS       96     /* 32 of each: integer, FP, vector */
#define UARCH_WINDOW_MAX 256
#define UARCH_WIDTH_MAX  8
#define UARCH_STORES     16
#define UARCH_BUFFER_MAX 64
#define UARCH_WAIT_TABLE 64
#define UARCH_NEVER      (UINT64_MAX / 2)

typedef struct UarchStore {
    uint64_t pa;
    uint32_t size;
    uint64_t executed, gone;    /* cycles: it has its data, is not in flight */
} UarchStore;

/* A line on its way to L1D */
typedef struct UarchFill {
    uint64_t line;              /* 0: none */
    uint64_t ready;             /* cycle */
    uint64_t attrs;             /* L1DMISS, and LLMISS if from memory */
} UarchFill;

#define UARCH_FILLS 16

/* What loads of a page that have missed, or would without prefetches, did */
typedef struct UarchStride {
    uint64_t page;              /* 0: none */
    uint64_t line;              /* the last one, */
    int64_t step;               /* and how many lines behind the one before */
} UarchStride;

#define UARCH_STRIDES 16

/* Lines that have been prefetched for the last accesses, and not told of */
typedef struct UarchAhead {
    uint64_t line[UARCH_FILLS];
    uint64_t attrs[UARCH_FILLS];    /* where they come from */
    uint32_t n;                     /* of all; the last ones are here */
} UarchAhead;

/* Cycles in which something is so, in no order, none twice */
typedef struct UarchSpan {
    uint64_t begin, end;
} UarchSpan;

/* What is in the window at most may have one each, apart from the others. */
#define UARCH_SPANS (UARCH_WINDOW_MAX + 1)

typedef struct UarchSpans {
    UarchSpan span[UARCH_SPANS];
    uint32_t n;
} UarchSpans;

/* The clock of the pipeline: when each thing is free, or ready */
typedef struct UarchPipe {
    uint64_t front;             /* the next instruction can be decoded */
    uint32_t redirect;          /* why not before: UarchQuantity of slots */
    /*
     * When the last one was, and how many in that cycle. Two that are read
     * together are not side by side: the compiler would read them as one, and
     * the host wait until each of both has been written.
     */
    uint64_t decode, retire, dispatch;
    uint32_t decoded, retired, dispatched;
    uint64_t last_slot;
    uint64_t serial;            /* nothing is dispatched before */
    uint64_t divider;           /* is free */
    uint64_t crowded;           /* all such cycles before have been counted */
    uint64_t insns;             /* that went through */
    uint64_t dispatch_of[UARCH_WIDTH_MAX];  /* the last ones, by number */
    uint64_t retire_of[UARCH_WINDOW_MAX];   /* the last ones, by number */
    uint8_t cause_of[UARCH_WINDOW_MAX];     /* what it waited for at the end */
    uint64_t ready[UARCH_REGS];
    uint8_t ready_cause[UARCH_REGS];
    UarchStore stores[UARCH_STORES];
    uint32_t store_top;
    uint64_t buffered;          /* stores that have gone to the write buffer */
    uint64_t written_of[UARCH_BUFFER_MAX];  /* the last ones, by number */
    uint8_t write_cause_of[UARCH_BUFFER_MAX];
} UarchPipe;

/* When an instruction reached each stage */
typedef struct UarchStages {
    uint64_t decode, dispatch, issue, complete, retire;
} UarchStages;

typedef struct UarchShared UarchShared;

/* Quantities that are slots */
#define UARCH_SLOTS (1ull << UARCH_REFILL |                                  \
                     (UINT64_MAX << UARCH_RETIRING))

typedef struct UarchModel {
    UarchParams p;
    UarchCache l1i, l1d, itlb, dtlb, lltlb;
    UarchShared *shared;        /* what it has in common with other harts */
    uint32_t number;            /* its place there */
    QemuSpin lock;              /* of l1d, and of what others leave behind: */
    uint32_t remote[UARCH_TRAFFIC_COUNT];
    bool has_remote;
    bool full;                  /* it wants to know that */
    bool changed;               /* l1d is not as its hart has left it */
    UarchPredictor pred;
    UarchPipe pipe;
    UarchStages last;           /* of the last instruction, */
    bool has_last;              /* if that can be the first of a pair */
    UarchFill fills[UARCH_FILLS];
    uint32_t fill_top;
    uint64_t filled;            /* all of them are there, in no snapshot */
    UarchSpans l1d_misses, ll_misses;   /* loads wait for these */
    UarchSpans walks;
    uint8_t wait[UARCH_WAIT_TABLE];     /* loads that wait for stores */
    uint32_t wait_age;
    int line_bits;
    uint64_t line;              /* being fetched from; 0: none */
    uint64_t prior_target;
    /* Whom it asks for the walk to @page, see UarchAccess, if it needs that */
    void (*walk_page)(void *opaque, uint64_t page, UarchWalk *walk);
    void *opaque;
    UarchWalk walk;             /* the last one */
    uint32_t walk_cycles;       /* that it took */
    UarchStride strides[UARCH_STRIDES]; /* by page */
    UarchAhead ahead;
    bool first_use;             /* of a prefetched line, by the last hit */
    bool had_line;              /* L1D, what the last access missed there */
    bool has_traffic;
    uint32_t traffic[UARCH_TRAFFIC_COUNT];
    /* Of what nobody wants to know nothing is worked out; in no snapshot. */
    bool watched;               /* each instruction, also what is flushed */
    uint64_t counted;           /* quantities, bits numbered by UarchQuantity */
} UarchModel;

/* What instructions that are flushed add to as well */
#define UARCH_OF_FLUSHED (1ull << UARCH_SPECULATIVE | 1ull << UARCH_STALLS | \
                          1ull << UARCH_CROWDED)

/* Does it matter which instructions are flushed, and how far each one came? */
static inline bool uarch_follows_flushed(const UarchModel *m)
{
    return m->watched || m->p.wrong_path || (m->counted & UARCH_OF_FLUSHED);
}

/* Does the next instruction to end do so in a later cycle than the last one? */
static inline bool uarch_cycle_is_full(const UarchModel *m)
{
    return m->pipe.retired == m->p.width && !m->has_last;
}

/*
 * What one or several instructions added to each quantity. Most add to few of
 * them: @some says to which, bits numbered by UarchQuantity, and nobody clears
 * the others.
 */
typedef struct UarchAmounts {
    uint32_t n[UARCH_QUANTITY_COUNT];
    uint64_t some;
} UarchAmounts;

static inline void uarch_add(UarchAmounts *n, UarchQuantity what,
                             uint32_t amount)
{
    uint64_t bit = 1ull << what;

    n->n[what] = n->some & bit ? n->n[what] + amount : amount;
    n->some |= bit;
}

static inline uint32_t uarch_amount(const UarchAmounts *n, UarchQuantity what)
{
    return n->some & 1ull << what ? n->n[what] : 0;
}

/*
 * Whom the model asks, and tells, about instructions that will be flushed.
 * fetch() fills in @opcode, @len and @attrs of the instruction at @pc; it
 * returns false if there is none. With uarch-wrong-path enter() looks for the
 * line of @pc, and load() for what a load accesses whose base register is what
 * it has been before the instructions that will be flushed; both add to @attrs.
 */
typedef struct UarchStream {
    bool (*fetch)(void *opaque, UarchInsn *insn);
    void (*enter)(void *opaque, UarchInsn *insn);
    void (*load)(void *opaque, UarchInsn *insn);
    void (*decoded)(void *opaque, UarchInsn *insn);
    void *opaque;
} UarchStream;

/* uarch_decode.c */
UarchOperands uarch_operands(uint32_t op, uint64_t attrs, bool rv32);
int32_t uarch_jump_offset(uint32_t op);
int32_t uarch_load_offset(const UarchInsn *insn);
bool uarch_fuses(uint32_t first, uint32_t second, bool rv32);

/* Life of a model */
const char *uarch_model_check(const UarchParams *p);
void uarch_model_init(UarchModel *m, const UarchParams *p, UarchShared *shared);
void uarch_model_reset(UarchModel *m);
void uarch_model_free(UarchModel *m);

/* The parts: each returns the attributes that an instruction gets from it. */
uint64_t uarch_fetch(UarchModel *m, uint64_t pc, const UarchAccess *a);
uint64_t uarch_data(UarchModel *m, const UarchAccess *a);
void uarch_flush_tlbs(UarchModel *m);

/* Does a fetch at @pc need another line than the one before it? */
static inline bool uarch_enters_line(const UarchModel *m, uint64_t pc)
{
    return m->line != (pc >> m->line_bits) + 1;
}

/* What fetches, accesses, other harts have left behind; or nobody wants it. */
void uarch_take_traffic(UarchModel *m, UarchAmounts *n);

static inline void uarch_forget_traffic(UarchModel *m)
{
    if (m->has_traffic) {
        memset(m->traffic, 0, sizeof(m->traffic));
        m->has_traffic = false;
    }
    m->ahead.n = 0;             /* nobody has sent it through the pipeline */
}

void uarch_predict(UarchModel *m, uint64_t attrs, uint64_t pc, uint64_t behind,
                   uint64_t target, int32_t offset, UarchPrediction *p);

/*
 * uarch_time() - send an instruction through the pipeline
 * @insn: complete but for latencies, data source and prior target, which it
 *        gets if it is watched
 * @pred: what was predicted of it, NULL if it is no transfer
 * @stream: flushed instructions, those before @insn, go here at once
 * @n: it adds to these quantities
 */
void uarch_time(UarchModel *m, UarchInsn *insn, const UarchPrediction *pred,
                bool rv32, const UarchStream *stream, UarchAmounts *n);

/*
 * uarch_time_plain() - the same, quicker, of a plain instruction
 *
 * It computes, accesses memory or jumps, has retired and is not one of a pair;
 * there is no write buffer, and nobody wants to know more than quantities that
 * what is flushed does not add to. Where empty slots begin that nobody counts
 * is left to the next one for which uarch_time() is called, and must be before
 * any are counted. Its cycles are not added: the last retirement says how many.
 */
void uarch_time_plain(UarchModel *m, UarchInsn *insn,
                      const UarchPrediction *pred, bool rv32,
                      const UarchStream *stream, UarchAmounts *n);

/* The instructions that a misprediction of @insn has flushed */
void uarch_wrong_path(UarchModel *m, const UarchInsn *insn,
                      const UarchPrediction *pred, bool rv32,
                      const UarchStream *stream, UarchAmounts *n);

/*
 * uarch_most_cycles() - from one retirement to the next one, at most
 *
 * As well what an instruction adds to any quantity that is no slot, and neither
 * STALLS nor CROWDED. It is not so if stores wait for the write buffer.
 */
uint64_t uarch_most_cycles(const UarchParams *p);

/* An interrupt is taken. */
void uarch_interrupted(UarchModel *m);
void uarch_resume(UarchModel *m);

#endif /* RISCV_UARCH_MODEL_H */
