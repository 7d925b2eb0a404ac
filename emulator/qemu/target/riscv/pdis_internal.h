/*
 * RISC-V precise decoded instruction sampling: what its files have in common
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef RISCV_PDIS_INTERNAL_H
#define RISCV_PDIS_INTERNAL_H

/* pdis_csr.c */
bool pdis_stateen(CPURISCVState *env);
uint64_t pdis_legal_ctl(CPURISCVState *env, uint64_t val);

/* pdis_record.c */
void pdis_fill(CPURISCVState *env, UarchInsn *insn, PDISRecord *r);
AMBResult pdis_store(CPURISCVState *env, const PDISRecord *r, uint64_t *addr);

static inline const PDISConfig *pdis_cfg(CPURISCVState *env)
{
    return &env_archcpu(env)->pdis_cfg;
}

static inline bool pdis_rv32(CPURISCVState *env)
{
    return riscv_cpu_mxl(env) == MXL_RV32;
}

#endif /* RISCV_PDIS_INTERNAL_H */
