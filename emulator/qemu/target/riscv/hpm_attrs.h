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
    /* outcome of a conditional branch, known when it executes */           \
    X(TAKEN) X(NOT_TAKEN)                                                   \
    /* traps, which are not instructions that retire */                     \
    X(EXCEPTION) X(INTERRUPT) X(PGFLT_DATA) X(PGFLT_CODE)                   \
    X(MISALIGNED_LOAD) X(MISALIGNED_STORE) X(FETCH_ACCESS) X(ILLEGAL)       \
    X(ECALL)                                                                \
    /* what the microarchitecture had to do for an instruction */           \
    X(FETCH) X(ICMISS) X(ICLLMISS) X(ITLB) X(ITMISS) X(ITLLMISS)            \
    X(DCACHE) X(L1DHIT) X(L1DMISS) X(LLHIT) X(LLMISS)                       \
    X(DTLB) X(L1DTLBHIT) X(L1DTLBMISS) X(LLTLBHIT) X(LLTLBMISS)             \
    X(DEVICE) X(FORWARDED) X(MISPRED)

enum {
#define HPM_ENUM(name) HPM_##name##_BIT,
    HPM_ATTRIBUTES(HPM_ENUM)
#undef HPM_ENUM
    HPM_ATTR_COUNT
};

#define HPM_ENUM(name) static const uint64_t HPM_##name G_GNUC_UNUSED =     \
    1ull << HPM_##name##_BIT;
HPM_ATTRIBUTES(HPM_ENUM)
#undef HPM_ENUM

typedef enum HPMMode {
    HPM_MODE_M, HPM_MODE_S, HPM_MODE_U, HPM_MODE_VS, HPM_MODE_VU, HPM_MODES
} HPMMode;

/* What an instruction is, of its opcode */
uint64_t hpm_insn_attrs(uint32_t op, bool rv32, bool zcm);

#endif /* RISCV_HPM_ATTRS_H */
