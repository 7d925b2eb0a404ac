/*
 * RISC-V hardware performance counters: what an instruction counts as
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Of its opcode alone, and without regard to whether it is legal.
 */

#include "qemu/osdep.h"
#include "qemu/bitops.h"
#include "hpm_attrs.h"

/* x1 and x5 are link registers, see the table of transfer types in Smctr. */
static uint64_t hpm_jalr_attrs(int rd, int rs1)
{
    bool link_rd = rd == 1 || rd == 5;
    bool link_rs1 = rs1 == 1 || rs1 == 5;

    if (link_rd) {
        return link_rs1 && rd != rs1 ? HPM_CORSWAP : HPM_IND_CALL;
    }
    if (link_rs1) {
        return HPM_RETURN;
    }
    return rd ? HPM_IND_LJUMP : HPM_IND_JUMP;
}

static uint64_t hpm_jal_attrs(int rd)
{
    return rd == 1 || rd == 5 ? HPM_DIR_CALL :
           rd ? HPM_DIR_LJUMP : HPM_DIR_JUMP;
}

/* Quadrant 0 of the compressed instructions, all loads and stores but one */
static uint64_t hpm_attrs_c0(uint16_t op, bool rv32)
{
    switch (extract32(op, 13, 3)) {
    case 0: /* c.addi4spn */
        return HPM_INT;
    case 1: /* c.fld */
        return HPM_LOAD | HPM_FP;
    case 2: /* c.lw */
        return HPM_LOAD;
    case 3: /* c.ld, c.flw */
        return rv32 ? HPM_LOAD | HPM_FP : HPM_LOAD;
    case 4: /* Zcb: c.lbu, c.lhu, c.lh, c.sb, c.sh */
        return extract32(op, 11, 1) ? HPM_STORE : HPM_LOAD;
    case 5: /* c.fsd */
        return HPM_STORE | HPM_FP;
    case 6: /* c.sw */
        return HPM_STORE;
    default: /* c.sd, c.fsw */
        return rv32 ? HPM_STORE | HPM_FP : HPM_STORE;
    }
}

static uint64_t hpm_attrs_c1(uint16_t op, bool rv32)
{
    switch (extract32(op, 13, 3)) {
    case 1: /* c.jal, c.addiw */
        return rv32 ? HPM_DIR_CALL : HPM_INT;
    case 5: /* c.j */
        return HPM_DIR_JUMP;
    case 6: /* c.beqz */
    case 7: /* c.bnez */
        return HPM_BRANCH;
    default:
        return HPM_INT;
    }
}

/* Zcmp and Zcmt, which take the place of c.fsdsp */
static uint64_t hpm_attrs_zcm(uint16_t op)
{
    switch (extract32(op, 8, 5)) {
    case 0x18: /* cm.push */
        return HPM_STORE | HPM_INT;
    case 0x1a: /* cm.pop */
        return HPM_LOAD | HPM_INT;
    case 0x1c: /* cm.popretz */
    case 0x1e: /* cm.popret */
        return HPM_LOAD | HPM_INT | HPM_RETURN;
    case 0 ... 3: /* cm.jt, cm.jalt */
        return extract32(op, 2, 8) < 32 ? HPM_DIR_JUMP : HPM_DIR_CALL;
    default: /* cm.mvsa01, cm.mva01s */
        return HPM_INT;
    }
}

static uint64_t hpm_attrs_c2(uint16_t op, bool rv32, bool zcm)
{
    int rd = extract32(op, 7, 5);

    switch (extract32(op, 13, 3)) {
    case 1: /* c.fldsp */
        return HPM_LOAD | HPM_FP;
    case 2: /* c.lwsp */
        return HPM_LOAD;
    case 3: /* c.ldsp, c.flwsp */
        return rv32 ? HPM_LOAD | HPM_FP : HPM_LOAD;
    case 4:
        if (extract32(op, 2, 5) || !rd) { /* c.mv, c.add, c.ebreak */
            return HPM_INT;
        }
        return hpm_jalr_attrs(extract32(op, 12, 1), rd);
    case 5: /* c.fsdsp */
        if (zcm) {
            return hpm_attrs_zcm(op);
        }
        return HPM_STORE | HPM_FP;
    case 6: /* c.swsp */
        return HPM_STORE;
    case 7: /* c.sdsp, c.fswsp */
        return rv32 ? HPM_STORE | HPM_FP : HPM_STORE;
    default: /* c.slli */
        return HPM_INT;
    }
}

static uint64_t hpm_attrs_amo(uint32_t op)
{
    switch (extract32(op, 27, 5)) {
    case 0x02: /* lr */
        return HPM_LOAD;
    case 0x03: /* sc */
        return HPM_STORE;
    case 0x08: /* ssamoswap falls through: it is an AMO too */
    default:
        return HPM_AMO | HPM_LOAD | HPM_STORE | HPM_INT;
    }
}

static uint64_t hpm_attrs_system(uint32_t op)
{
    int funct3 = extract32(op, 12, 3);
    int funct12 = extract32(op, 20, 12);

    if (funct3 == 0) {
        return funct12 == 0x102 || funct12 == 0x302 || funct12 == 0x702 ?
               HPM_SYSTEM | HPM_TRET : HPM_SYSTEM;
    }
    if (funct3 == 4) { /* hlv, hsv, and may-be-operations */
        if (extract32(op, 28, 4) != 6) {
            return HPM_SYSTEM;
        }
        return HPM_SYSTEM | (extract32(op, 25, 1) ? HPM_STORE : HPM_LOAD);
    }
    return HPM_SYSTEM | HPM_CSR;
}

/*
 * Vector loads and stores share their opcodes with the scalar FP ones. Their
 * mop: unit stride, indexed unordered, strided, indexed ordered.
 */
static uint64_t hpm_fp_or_vector(uint32_t op)
{
    switch (extract32(op, 12, 3)) {
    case 0: case 5: case 6: case 7:
        return HPM_RVV | (extract32(op, 26, 1) ? HPM_RVV_IDX : 0) |
               (extract32(op, 27, 1) ? HPM_RVV_STRD : 0);
    default:
        return HPM_FP;
    }
}

static uint64_t hpm_attrs_vector(uint32_t op)
{
    switch (extract32(op, 12, 3)) {
    case 1: case 5: /* OPFVV, OPFVF */
        return HPM_RVV | HPM_RVV_FP;
    case 7: /* vset*vl* */
        return HPM_RVV | HPM_RVV_CFG;
    default:
        return HPM_RVV;
    }
}

static uint64_t hpm_attrs_32(uint32_t op)
{
    switch (extract32(op, 0, 7)) {
    case 0x03:
        return HPM_LOAD;
    case 0x07:
        return HPM_LOAD | hpm_fp_or_vector(op);
    case 0x0f:
        if (hpm_is_cbo_zero(op)) {
            return HPM_STORE;
        }
        /* not PAUSE, nor FENCE.I, nor the other cache block operations */
        return extract32(op, 12, 3) || op == 0x0100000f ? 0 : HPM_FENCE;
    case 0x13: case 0x17: case 0x1b: case 0x33: case 0x37: case 0x3b:
        return HPM_INT;
    case 0x23:
        return HPM_STORE;
    case 0x27:
        return HPM_STORE | hpm_fp_or_vector(op);
    case 0x2f:
        return hpm_attrs_amo(op);
    case 0x43: case 0x47: case 0x4b: case 0x4f: case 0x53:
        return HPM_FP;
    case 0x57:
        return hpm_attrs_vector(op);
    case 0x63:
        return HPM_BRANCH;
    case 0x67:
        return hpm_jalr_attrs(extract32(op, 7, 5), extract32(op, 15, 5));
    case 0x6f:
        return hpm_jal_attrs(extract32(op, 7, 5));
    case 0x73:
        return hpm_attrs_system(op);
    default:
        return 0;
    }
}

/**
 * hpm_insn_attrs() - what an instruction is
 * @op: its opcode, 16 or 32 bits
 * @rv32: XLEN is 32
 * @zcm: Zcmp or Zcmt has taken the encodings of c.fsdsp
 *
 * Returns a set of HPM_*.
 */
uint64_t hpm_insn_attrs(uint32_t op, bool rv32, bool zcm)
{
    uint64_t attrs = HPM_INSN | HPM_RVC;

    switch (extract32(op, 0, 2)) {
    case 0:
        attrs |= hpm_attrs_c0(op, rv32);
        break;
    case 1:
        attrs |= hpm_attrs_c1(op, rv32);
        break;
    case 2:
        attrs |= hpm_attrs_c2(op, rv32, zcm);
        break;
    default:
        attrs = HPM_INSN | hpm_attrs_32(op);
    }
    return attrs | hpm_decoding(attrs);
}
