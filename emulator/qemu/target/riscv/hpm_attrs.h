/*
 * RISC-V hardware performance counters: what can be counted
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef RISCV_HPM_ATTRS_H
#define RISCV_HPM_ATTRS_H

/*
 * What can be said of a retired instruction, of the outcome of a branch, or of
 * a trap; hpm_events.tsv makes events of it.
 */
#define HPM_ATTRIBUTES(X)                                                   \
    X(INSN) X(LOAD) X(STORE) X(AMO) X(FENCE) X(INT) X(FP) X(RVV) X(RVC)     \
    X(BRANCH) X(DIR_CALL) X(DIR_JUMP) X(DIR_LJUMP)                          \
    X(IND_CALL) X(IND_JUMP) X(IND_LJUMP) X(CORSWAP) X(RETURN)               \
    X(TRET) X(CSR) X(SYSTEM)                                                \
    /* vectors: configuration, floating point; the two bits of mop */       \
    X(RVV_CFG) X(RVV_FP) X(RVV_IDX) X(RVV_STRD)                             \
    /* the same when decoded, whether or not it retires */                  \
    X(DEC) X(DEC_CTI) X(DEC_LOAD) X(DEC_STORE)                              \
    /* outcome of a conditional branch, known when it executes */           \
    X(TAKEN) X(NOT_TAKEN)                                                   \
    /* traps, which are not instructions that retire */                     \
    X(EXCEPTION) X(INTERRUPT) X(PGFLT_DATA) X(PGFLT_CODE)                   \
    X(MISALIGNED_LOAD) X(MISALIGNED_STORE) X(FETCH_ACCESS) X(ILLEGAL)       \
    X(ECALL)                                                                \
    /* what became of samples, see pdis.c */                                \
    X(PDIS_SAMPLE) X(PDIS_COLLISION) X(PDIS_FILTERED) X(PDIS_DROPPED)       \
    /* what the microarchitecture had to do for an instruction */           \
    X(FETCH) X(ICMISS) X(ICLLMISS) X(ICHITM) X(ITLB) X(ITMISS) X(ITLLMISS)  \
    X(L1DHIT) X(L1DMISS) X(LLHIT) X(LLMISS) X(HITM)                         \
    X(L1DTLBHIT) X(L1DTLBMISS) X(LLTLBHIT) X(LLTLBMISS)             \
    X(DEVICE) X(FORWARDED) X(MERGED) X(MISPRED)

enum {
#define HPM_ENUM(name) HPM_##name##_BIT,
    HPM_ATTRIBUTES(HPM_ENUM)
#undef HPM_ENUM
    HPM_ATTR_COUNT
};

#define HPM_ENUM(name)                                                      \
    static const uint64_t HPM_##name G_GNUC_UNUSED = 1ull << HPM_##name##_BIT;
HPM_ATTRIBUTES(HPM_ENUM)
#undef HPM_ENUM

/* Control transfer instructions */
#define HPM_TRANSFER                                                        \
    (HPM_BRANCH | HPM_DIR_CALL | HPM_DIR_JUMP | HPM_DIR_LJUMP |             \
     HPM_IND_CALL | HPM_IND_JUMP | HPM_IND_LJUMP | HPM_CORSWAP |            \
     HPM_RETURN | HPM_TRET)

/* What the decoding of an instruction with @attrs counts as */
static inline uint64_t hpm_decoding(uint64_t attrs)
{
    return HPM_DEC | (attrs & HPM_TRANSFER ? HPM_DEC_CTI : 0) |
           (attrs & HPM_LOAD ? HPM_DEC_LOAD : 0) |
           (attrs & HPM_STORE ? HPM_DEC_STORE : 0);
}

typedef enum HPMMode {
    HPM_MODE_M, HPM_MODE_S, HPM_MODE_U, HPM_MODE_VS, HPM_MODE_VU, HPM_MODES
} HPMMode;

/* What an instruction is, of its opcode; see hpm_insn.c */
uint64_t hpm_insn_attrs(uint32_t op, bool rv32, bool zcm);

/* It stores a block of zeros. */
static inline bool hpm_is_cbo_zero(uint32_t op)
{
    return (op & 0xfff07fff) == 0x0040200f;
}

#endif /* RISCV_HPM_ATTRS_H */
