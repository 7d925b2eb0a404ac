/*
 * RISC-V control transfer records (Smctr, Ssctr): what QEMU's own model lacks
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef RISCV_CTR_H
#define RISCV_CTR_H

/* Of ctrdata, the mantissa of a count of cycles */
#define CTR_CCM_BITS 12
#define CTR_CCM_SHIFT 16

typedef struct CTRState {
    /*
     * The cycle counter: active cycles since the last record, less those of
     * instructions that hpm_fold() has not yet seen.
     */
    uint64_t elapsed;
    bool counted;               /* no active cycle has been missed: CCV */

    /*
     * What becomes of a transfer within the current mode, by its type: two sets
     * of types, see ctr_decide(). It is recorded, and that is all, unless it
     */
    uint16_t special;           /* needs more to be done, or */
    uint16_t dropped;           /* (then it is special, too) is not recorded */
    uint8_t wrap;               /* depth - 1 */
    uint64_t data_mask;         /* what there is of ctrdata */

    struct CTRLog *log;         /* NULL without ctr-log */
} CTRState;

typedef struct CTRConfig {
    uint32_t depths, odd_depths;
    bool depth_denied;
    uint32_t status;
    uint32_t filters;
    uint32_t cce_bits;
    bool rasemu, xte, type, misp, ccv;
    bool custom;
    uint64_t none_harts;        /* sets of harts: without CTR, */
    uint64_t plain_harts;       /* with as little of it as can be */
    char *log;
    uint32_t log_depth;
} CTRConfig;

#define CTR_PROPERTIES                                                      \
    DEFINE_PROP_UINT32("ctr-depths", RISCVCPU, ctr_cfg.depths, 0x1f),       \
    DEFINE_PROP_UINT32("ctr-odd-depths", RISCVCPU, ctr_cfg.odd_depths, 0),  \
    DEFINE_PROP_BOOL("ctr-depth-denied", RISCVCPU, ctr_cfg.depth_denied,    \
                     false),                                                \
    DEFINE_PROP_UINT32("ctr-status", RISCVCPU, ctr_cfg.status, 0),          \
    DEFINE_PROP_UINT32("ctr-filters", RISCVCPU, ctr_cfg.filters, 0xff3e),   \
    DEFINE_PROP_UINT32("ctr-cce-bits", RISCVCPU, ctr_cfg.cce_bits, 4),      \
    DEFINE_PROP_BOOL("ctr-rasemu", RISCVCPU, ctr_cfg.rasemu, true),         \
    DEFINE_PROP_BOOL("ctr-xte", RISCVCPU, ctr_cfg.xte, true),               \
    DEFINE_PROP_BOOL("ctr-type", RISCVCPU, ctr_cfg.type, true),             \
    DEFINE_PROP_BOOL("ctr-misp", RISCVCPU, ctr_cfg.misp, true),             \
    DEFINE_PROP_BOOL("ctr-ccv", RISCVCPU, ctr_cfg.ccv, true),               \
    DEFINE_PROP_BOOL("ctr-custom", RISCVCPU, ctr_cfg.custom, false),        \
    DEFINE_PROP_UINT64("ctr-none-harts", RISCVCPU, ctr_cfg.none_harts, 0),  \
    DEFINE_PROP_UINT64("ctr-plain-harts", RISCVCPU, ctr_cfg.plain_harts, 0), \
    DEFINE_PROP_STRING("ctr-log", RISCVCPU, ctr_cfg.log),                   \
    DEFINE_PROP_UINT32("ctr-log-depth", RISCVCPU, ctr_cfg.log_depth, 1024)

/* Life of the model */
void ctr_init(RISCVCPU *cpu, Error **errp);
void ctr_reset(CPURISCVState *env);
extern const VMStateDescription vmstate_ctr_model;

/*
 * CSR accesses: what is implemented of xctrctl, sctrstatus, ctrtarget and
 * ctrdata, which depth stands for another, and whether sctrdepth is to be
 * refused to S-mode. ctr_custom_mask() is the field Custom of xctrctl. A write
 * to xctrctl or sctrstatus, and SCTRCLR, go between ctr_before_write() and
 * ctr_after_write(); what is logged comes after that.
 */
uint64_t ctr_ctl_mask(CPURISCVState *env);
uint64_t ctr_custom_mask(CPURISCVState *env);
uint64_t ctr_target_mask(CPURISCVState *env);
uint64_t ctr_data_mask(CPURISCVState *env);
uint32_t ctr_status_mask(CPURISCVState *env);
uint32_t ctr_legal_depth(CPURISCVState *env, uint32_t depth);
bool ctr_depth_denied(CPURISCVState *env);
void ctr_before_write(CPURISCVState *env);
void ctr_after_write(CPURISCVState *env);
void ctr_write_nothing(CPURISCVState *env, int csrno);
void ctr_reset_cycles(CPURISCVState *env);

/* What decides on records in the current mode has changed. */
void ctr_decide(CPURISCVState *env);

/* Records */
uint64_t ctr_new_data(CPURISCVState *env, uint64_t type);
void ctr_pop(CPURISCVState *env, uint64_t source, uint64_t data);

/* For the counters: does CTR need to know how many instructions retire? */
bool ctr_counts(CPURISCVState *env, HPMMode mode);
void ctr_add_cycles(CPURISCVState *env, uint64_t cycles);

/* ctr_log.c */
void ctr_log_open(RISCVCPU *cpu, Error **errp);
void ctr_log_reset(CPURISCVState *env);
void ctr_log_transfer(CPURISCVState *env, uint64_t src, uint64_t dst,
                      uint32_t type, int misp);
void ctr_log_trap(CPURISCVState *env, uint64_t src, uint64_t dst,
                  uint32_t type, target_ulong src_priv, bool src_virt);
void ctr_log_csr(CPURISCVState *env, int csrno, uint64_t old, uint64_t new);
void ctr_log_entry(CPURISCVState *env, int reg, int entry, uint64_t old,
                   uint64_t new);
void ctr_log_clear(CPURISCVState *env);
void ctr_log_lcofip(CPURISCVState *env);

#endif /* RISCV_CTR_H */
