/*
 * RISC-V precise decoded instruction sampling (Smpdis, Sspdis)
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef RISCV_PDIS_H
#define RISCV_PDIS_H

#include "amb.h"
#include "hpm_csr_numbers.h"
#include "uarch.h"

/* mpdisctl */
#define PDISCTL_SEL         0x7ULL
#define PDISCTL_HPM         MAKE_64BIT_MASK(3, 29)
#define PDISCTL_MEM         (1ULL << 32)
#define PDISCTL_ACC         (1ULL << 33)
#define PDISCTL_TS          (1ULL << 34)
#define PDISCTL_PA          (1ULL << 35)
#define PDISCTL_EPT         (1ULL << 36)
#define PDISCTL_CUSTOM      MAKE_64BIT_MASK(57, 3)
#define PDISCTL_U           (1ULL << 60)
#define PDISCTL_S           (1ULL << 61)
#define PDISCTL_M           (1ULL << 62)
#define PDISCTL_OF          (1ULL << 63)

/* What may be missing: see pdis-ctl */
#define PDISCTL_OPTIONAL                                                    \
    (PDISCTL_SEL | PDISCTL_HPM | PDISCTL_TS | PDISCTL_PA | PDISCTL_EPT)

/* What vspdisctl has of its own; all else is in spdisctl. */
#define VSPDISCTL_OWN       (PDISCTL_PA | PDISCTL_U | PDISCTL_S)

typedef enum PDISSel {
    PDIS_SEL_ALL, PDIS_SEL_LOAD, PDIS_SEL_STORE, PDIS_SEL_LDST, PDIS_SEL_CTI,
    PDIS_SELS
} PDISSel;

/* spdisevmask, spdisevmatch */
#define PDIS_EVMASK         MAKE_64BIT_MASK(0, 56)

/* spdisfilter */
#define PDISFILTER_THRESH   0xfffULL
#define PDISFILTER_INV      (1ULL << 12)
#define PDISFILTER_LATSEL_SHIFT 13
#define PDISFILTER_LATSEL_BITS  3

/* pdishdrev: what is in every record, or may be */
#define PDISHDREV_TYPE      0x7ULL
#define PDISHDREV_FLUSHED   (1ULL << 32)
#define PDISHDREV_FLUSH_SHIFT 33
#define PDISHDREV_PARTIAL   (1ULL << 35)
#define PDISHDREV_FUSED     (1ULL << 36)

/* with TYPE 1 to 3 */
#define PDISHDREV_L1MISS    (1ULL << 39)
#define PDISHDREV_DSRC_SHIFT 41
#define PDISHDREV_L1TLBMISS (1ULL << 45)

/* Those that pdis-fields can take away: TYPE, FLUSHED and HPM are not. */
#define PDISHDREV_OPTIONAL  MAKE_64BIT_MASK(33, 20)

typedef enum PDISType {
    PDIS_TYPE_OTHER, PDIS_TYPE_LOAD, PDIS_TYPE_STORE, PDIS_TYPE_LDST,
    PDIS_TYPE_CTI
} PDISType;

/* pdislat */
#define PDISLAT_MAX         0xfff
#define PDISLAT_BITS        12
#define PDISLAT_VALID_SHIFT 60

/* Which addresses are captured: see pdis-adr */
#define PDIS_ADR_DATA       0x01
#define PDIS_ADR_INDIRECT   0x02
#define PDIS_ADR_DIRECT     0x04
#define PDIS_ADR_FLUSH      0x08
#define PDIS_ADR_FLUSHED    0x10    /* data address of a flushed instruction */
#define PDIS_ADR_ALL        0x1f

/*
 * The counter's place in sets of counters: bit 1, which it also has in
 * mcountinhibit and scountovf
 */
#define HPM_PDIS 1

typedef struct PDISRecord {
    uint64_t hdrev, pc, time, lat, adr1, adr2;
} PDISRecord;

/* What software has done, or read, since it is of use: see pdis_check.c */
typedef struct PDISSeen {
    bool addr;                  /* spdisambaddr written since spdisambcs was */
    bool trv;                   /* TRV=1 since the buffer was enabled */
    bool empty;                 /* EMPTY=1 since the source was disabled */
} PDISSeen;

typedef struct PDISState {
    uint64_t ctl;               /* mpdisctl */
    uint64_t vsctl;             /* VSPDISCTL_OWN of vspdisctl */
    uint32_t count, initval;
    uint64_t evmask, evmatch;
    uint64_t filter;
    PDISRecord record;          /* the data registers */
    AMBState amb;
    PDISSeen seen;              /* in no snapshot */

    /* Selection */
    bool full;                  /* level full; pdis_decoded() counts */
    bool uncounted;             /* the instruction writes spdiscounter */
    bool again;                 /* ACC: a sample has been discarded */
    bool reloaded;              /* COUNT, since software wrote it */
    uint64_t busy_until;        /* model time at which the last sample ends */
    uint64_t now;               /* of the instruction decoded last */
    uint64_t total;             /* instructions counted */
    uint64_t qualified;         /* samples */
} PDISState;

typedef enum PDISFate {
    PDIS_RECORDED, PDIS_FILTERED, PDIS_DROPPED, PDIS_COLLISION
} PDISFate;

/* What became of a sample, or of an overflow; for the log */
typedef struct PDISOutcome {
    PDISFate fate;
    bool again;                 /* selected by ACC, not by an overflow */
    bool irq;                   /* OF went from 0 to 1 */
    bool by_rule;               /* dropped by pdis-drop */
    AMBResult result;           /* if it was for memory */
    uint64_t addr;              /* in the buffer */
    const PDISRecord *record;   /* NULL if there is none */
} PDISOutcome;

/* A field of one bit: 0, 1, or as software writes it */
typedef enum PDISHardwired {
    PDIS_HARDWIRED_0, PDIS_HARDWIRED_1, PDIS_WRITABLE
} PDISHardwired;

typedef struct PDISConfig {
    char *mem, *acc;
    uint64_t ctl;
    uint64_t evmask;
    bool filter, latsel;
    uint64_t fields;
    uint32_t lat, adr;
    uint32_t min_period;
    uint32_t drop;
    uint32_t warmup;
    bool cross;
    uint64_t rubbish;
    uint64_t none_harts;        /* set of harts without PDIS */
    char *odd_mem;
    uint64_t odd_ctl;           /* of harts with odd numbers, */
    uint64_t odd_evmask;
    uint32_t odd_lat;           /* if not 0 */
    uint32_t odd_min_period;
    char *log;

    /* Worked out from the properties */
    PDISHardwired mem_kind, acc_kind;
} PDISConfig;

#define PDIS_PROPERTIES                                                     \
    AMB_PROPERTIES,                                                         \
    DEFINE_PROP_STRING("pdis-mem", RISCVCPU, pdis_cfg.mem),                 \
    DEFINE_PROP_STRING("pdis-acc", RISCVCPU, pdis_cfg.acc),                 \
    DEFINE_PROP_UINT64("pdis-ctl", RISCVCPU, pdis_cfg.ctl,                  \
                       PDISCTL_OPTIONAL),                                   \
    DEFINE_PROP_UINT64("pdis-evmask", RISCVCPU, pdis_cfg.evmask,            \
                       PDIS_EVMASK),                                        \
    DEFINE_PROP_BOOL("pdis-filter", RISCVCPU, pdis_cfg.filter, true),       \
    DEFINE_PROP_BOOL("pdis-latsel", RISCVCPU, pdis_cfg.latsel, true),       \
    DEFINE_PROP_UINT32("pdis-lat", RISCVCPU, pdis_cfg.lat, 0xf),            \
    DEFINE_PROP_UINT64("pdis-fields", RISCVCPU, pdis_cfg.fields,            \
                       PDISHDREV_OPTIONAL),                                 \
    DEFINE_PROP_UINT32("pdis-adr", RISCVCPU, pdis_cfg.adr, PDIS_ADR_ALL),   \
    DEFINE_PROP_UINT32("pdis-min-period", RISCVCPU, pdis_cfg.min_period,    \
                       1),                                                  \
    DEFINE_PROP_UINT32("pdis-drop", RISCVCPU, pdis_cfg.drop, 0),            \
    DEFINE_PROP_UINT32("pdis-warmup", RISCVCPU, pdis_cfg.warmup, 128),      \
    DEFINE_PROP_BOOL("pdis-cross", RISCVCPU, pdis_cfg.cross, false),        \
    DEFINE_PROP_UINT64("pdis-rubbish", RISCVCPU, pdis_cfg.rubbish, 0),      \
    DEFINE_PROP_UINT64("pdis-none-harts", RISCVCPU, pdis_cfg.none_harts,    \
                       0),                                                  \
    DEFINE_PROP_STRING("pdis-odd-mem", RISCVCPU, pdis_cfg.odd_mem),         \
    DEFINE_PROP_UINT64("pdis-odd-ctl", RISCVCPU, pdis_cfg.odd_ctl, 0),      \
    DEFINE_PROP_UINT64("pdis-odd-evmask", RISCVCPU, pdis_cfg.odd_evmask,    \
                       0),                                                  \
    DEFINE_PROP_UINT32("pdis-odd-lat", RISCVCPU, pdis_cfg.odd_lat, 0),      \
    DEFINE_PROP_UINT32("pdis-odd-min-period", RISCVCPU,                     \
                       pdis_cfg.odd_min_period, 0),                         \
    DEFINE_PROP_STRING("pdis-log", RISCVCPU, pdis_cfg.log)

/* Life of the model */
void pdis_init(RISCVCPU *cpu, Error **errp);
void pdis_reset(CPURISCVState *env);
extern const VMStateDescription vmstate_pdis;

/* What there is */
bool pdis_present(CPURISCVState *env);

/* Does it look at each instruction, or wait for the end of one? */
bool pdis_looks(CPURISCVState *env);
bool pdis_has_buffer(CPURISCVState *env);

/* CSR accesses */
RISCVException pdis_mmode(CPURISCVState *env, int csrno);
RISCVException pdis_mmode32(CPURISCVState *env, int csrno);
RISCVException pdis_smode(CPURISCVState *env, int csrno);
RISCVException pdis_smode32(CPURISCVState *env, int csrno);
RISCVException pdis_rmw(CPURISCVState *env, int csrno, target_ulong *ret_val,
                        target_ulong new_val, target_ulong wr_mask);
RISCVException pdis_rmw_data(CPURISCVState *env, int csrno, target_ulong isel,
                             target_ulong *ret_val);

/* Bits in other registers; 0 where there is no PDIS */
uint64_t pdis_stateen_bit(CPURISCVState *env);
uint64_t pdis_envcfg_bit(CPURISCVState *env);
uint32_t pdis_inhibit_bit(CPURISCVState *env);
uint32_t pdis_delegated_bit(CPURISCVState *env);
uint32_t pdis_overflow_bit(CPURISCVState *env);

/* For the counters: how PDIS counts */
bool pdis_counts(CPURISCVState *env, HPMMode mode);
uint64_t pdis_room(CPURISCVState *env);
void pdis_add(CPURISCVState *env, uint64_t n);
void pdis_arm(CPURISCVState *env);

/*
 * pdis_decoded() - count an instruction, and sample it if it is selected
 * @insn: what is known of it, now that it has retired, trapped or been flushed
 *
 * Called by uarch_stream.c for each instruction at level full, in the order in
 * which they are decoded.
 */
void pdis_decoded(CPURISCVState *env, UarchInsn *insn);

/* pdis_check.c: for the log, what software does that it must not */
bool pdis_enabled(const CPURISCVState *env);
void pdis_check_read(CPURISCVState *env, int csrno, uint64_t val);
void pdis_check_write(CPURISCVState *env, int csrno, uint64_t val);
void pdis_check_start(CPURISCVState *env);
void pdis_check_data(CPURISCVState *env);
void pdis_check_lambi(CPURISCVState *env);

/* pdis_log.c */
void pdis_log_open(RISCVCPU *cpu, Error **errp);
void pdis_log_start(CPURISCVState *env);
void pdis_log_breach(CPURISCVState *env, const char *rule);
void pdis_log_outcome(CPURISCVState *env, const UarchInsn *insn,
                      const PDISOutcome *outcome);

#endif /* RISCV_PDIS_H */
