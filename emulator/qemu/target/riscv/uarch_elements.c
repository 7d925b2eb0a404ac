/*
 * RISC-V microarchitecture model: elements of vectors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * How many elements a vector instruction computes, and how many of them are not
 * masked off. That is looked up before it is executed: the mask may be what it
 * overwrites.
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "uarch_internal.h"

/* funct3: kinds of operands; OPFVV and OPFVF are floating point */
enum {
    OPIVV, OPFVV, OPMVV, OPIVI, OPIVX, OPFVF, OPMVX,
};

/* funct6; what it means depends on the kind of operands */
enum {
    FUNCT6_ADC = 0x10,                      /* then VMADC, VSBC, VMSBC */
    FUNCT6_SCALAR = 0x10,                   /* moves from and to element 0 */
    FUNCT6_CONVERT = 0x12,                  /* VFCVT, VFWCVT, VFNCVT */
    FUNCT6_MERGE = 0x17,                    /* and VMV.V.* if unmasked */
    FUNCT6_WHOLE = 0x27,                    /* VMV<nr>R.V */
};

/* Is v0 what it computes with, and no mask? Then all elements are computed. */
static bool uarch_uses_v0(uint32_t op)
{
    uint32_t funct3 = extract32(op, 12, 3), funct6 = extract32(op, 26, 6);
    bool integer = funct3 == OPIVV || funct3 == OPIVX || funct3 == OPIVI;

    return funct6 == FUNCT6_MERGE ? integer || funct3 == OPFVF :
           integer && (funct6 & ~3) == FUNCT6_ADC;
}

/* VMV.X.S and VFMV.F.S: it moves element 0, whatever vl and vstart are. */
static bool uarch_reads_scalar(uint32_t op)
{
    uint32_t funct3 = extract32(op, 12, 3);

    return (funct3 == OPMVV || funct3 == OPFVV) &&
           extract32(op, 26, 6) == FUNCT6_SCALAR && !extract32(op, 15, 5);
}

/* VMV.S.X and VFMV.S.F: element 0, unless vstart is behind all of them */
static bool uarch_writes_scalar(uint32_t op)
{
    uint32_t funct3 = extract32(op, 12, 3);

    return (funct3 == OPMVX || funct3 == OPFVF) &&
           extract32(op, 26, 6) == FUNCT6_SCALAR;
}

/* Behind the last element that it computes, the first one being vstart */
static uint32_t uarch_last_element(CPURISCVState *env, uint32_t op,
                                   uint32_t vsew)
{
    if (extract32(op, 12, 3) == OPIVI &&
        extract32(op, 26, 6) == FUNCT6_WHOLE) {
        return (extract32(op, 15, 5) + 1) *
               (riscv_cpu_cfg(env)->vlenb >> vsew);
    }
    return env->vl;
}

static uint32_t uarch_count_mask(const uint64_t *mask, uint32_t first,
                                 uint32_t last)
{
    uint32_t n = 0;

    for (uint32_t i = first; i < last; i++) {
        n += mask[i / 64] >> (i % 64) & 1;
    }
    return n;
}

/*
 * Is the floating-point number twice as wide as the integer, which is as wide
 * as vtype says? VFWCVT from integers, VFNCVT to them
 */
static bool uarch_converts_wide(uint32_t op)
{
    uint32_t kind = extract32(op, 15, 5);

    return extract32(op, 12, 3) == OPFVV &&
           extract32(op, 26, 6) == FUNCT6_CONVERT &&
           ((kind & ~1) == 0x0a || (kind & ~1) == 0x10 || (kind & ~1) == 0x16);
}

/*
 * The width is what vtype says, also of what makes results of twice the width;
 * of conversions between integers and floating point, that of the latter. There
 * is no floating point with 8 bits.
 */
static UarchQuantity uarch_element_kind(uint64_t attrs, uint32_t op,
                                        uint32_t vsew)
{
    if (!(attrs & HPM_RVV_FP)) {
        return UARCH_ELEMENT_INT8 + vsew;
    }
    vsew = MIN(MAX(vsew + uarch_converts_wide(op), 1), 3);
    return UARCH_ELEMENT_FP16 + vsew - 1;
}

/* @insn begins. What does not compute has no elements. */
void uarch_note_elements(CPURISCVState *env, const UarchInsn *insn)
{
    UarchElements *e = &env->uarch.elements;
    uint32_t vsew = FIELD_EX64(env->vtype, VTYPE, VSEW), op = insn->opcode;
    uint32_t first = env->vstart, last;

    *e = (UarchElements) { .kind = uarch_element_kind(insn->attrs, op, vsew) };
    if (!(insn->attrs & HPM_RVV) ||
        (insn->attrs & (HPM_LOAD | HPM_STORE | HPM_RVV_CFG))) {
        return;
    }
    if (uarch_reads_scalar(op) || uarch_writes_scalar(op)) {
        e->all = e->unmasked = uarch_reads_scalar(op) || first < env->vl;
        return;
    }
    last = uarch_last_element(env, op, vsew);
    e->all = last - MIN(first, last);
    e->unmasked = extract32(op, 25, 1) || uarch_uses_v0(op) ? e->all :
                  uarch_count_mask(env->vreg, first, last);
}

/* The instruction that they are of has retired. */
void uarch_tell_elements(CPURISCVState *env, UarchAmounts *n)
{
    UarchElements *e = &env->uarch.elements;

    if (e->all) {
        uarch_add(n, e->kind, e->all);
        uarch_add(n, e->kind + UARCH_ELEMENT_KINDS, e->unmasked);
        e->all = 0;
    }
}
