/*
 * RISC-V microarchitecture model: operands of instructions
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * As far as it matters for the time that an instruction takes. What is not
 * known here has no operands, and takes a cycle.
 */

#include "qemu/osdep.h"
#include "qemu/bitops.h"
#include "uarch_model.h"

#define FREG 32
#define VREG 64

static UarchOperands operands(UarchClass kind, int dst, int a, int b)
{
    return (UarchOperands) { .kind = kind, .dst = dst, .src = { a, b } };
}

static UarchOperands memory(int dst, int base, int data, int size)
{
    return (UarchOperands) {
        .kind = UARCH_MEMORY, .dst = dst, .src = { base, data }, .size = size,
    };
}

static UarchOperands branch(int a, int b, int16_t offset)
{
    return (UarchOperands) {
        .kind = UARCH_ALU, .src = { a, b }, .offset = offset,
    };
}

static int16_t branch_offset(uint32_t op)
{
    return sextract32(op, 31, 1) * 4096 | extract32(op, 7, 1) << 11 |
           extract32(op, 25, 6) << 5 | extract32(op, 8, 4) << 1;
}

static int32_t jal_offset(uint32_t op)
{
    return sextract32(op, 31, 1) * (1 << 20) | extract32(op, 12, 8) << 12 |
           extract32(op, 20, 1) << 11 | extract32(op, 21, 10) << 1;
}

static int16_t cb_offset(uint32_t op)
{
    return sextract32(op, 12, 1) * 256 | extract32(op, 5, 2) << 6 |
           extract32(op, 2, 1) << 5 | extract32(op, 10, 2) << 3 |
           extract32(op, 3, 2) << 1;
}

static int32_t cj_offset(uint32_t op)
{
    return sextract32(op, 12, 1) * 2048 | extract32(op, 8, 1) << 10 |
           extract32(op, 9, 2) << 8 | extract32(op, 6, 1) << 7 |
           extract32(op, 7, 1) << 6 | extract32(op, 2, 1) << 5 |
           extract32(op, 11, 1) << 4 | extract32(op, 3, 3) << 1;
}

/* Scalar loads and stores by width; vector ones go by what they begin with. */
static UarchOperands fp_memory(uint32_t op, uint64_t attrs)
{
    int bank = attrs & HPM_RVV ? VREG : FREG;
    int size = attrs & HPM_RVV ? 8 : 1 << extract32(op, 12, 2);
    int base = extract32(op, 15, 5);

    if (attrs & HPM_LOAD) {
        return memory(bank + extract32(op, 7, 5), base, 0, size);
    }
    return memory(0, base, attrs & HPM_RVV ? VREG + extract32(op, 7, 5) :
                  FREG + extract32(op, 20, 5), size);
}

/* OP-FP: which operands are in integer registers depends on the operation. */
static UarchOperands fp_operation(uint32_t op)
{
    int rd = FREG + extract32(op, 7, 5);
    int rs1 = FREG + extract32(op, 15, 5);
    int rs2 = FREG + extract32(op, 20, 5);

    switch (extract32(op, 27, 5)) {
    case 0x03: /* division */
        return operands(UARCH_FDIV, rd, rs1, rs2);
    case 0x0b: /* square root */
        return operands(UARCH_FDIV, rd, rs1, 0);
    case 0x14: /* comparison */
        return operands(UARCH_FP, rd - FREG, rs1, rs2);
    case 0x18: case 0x1c: /* to integer */
        return operands(UARCH_FP, rd - FREG, rs1, 0);
    case 0x1a: case 0x1e: /* from integer */
        return operands(UARCH_FP, rd, rs1 - FREG, 0);
    case 0x08: /* between formats */
        return operands(UARCH_FP, rd, rs1, 0);
    default:
        return operands(UARCH_FP, rd, rs1, rs2);
    }
}

static UarchOperands fp_multiply_add(uint32_t op)
{
    UarchOperands o = operands(UARCH_FP, FREG + extract32(op, 7, 5),
                               FREG + extract32(op, 15, 5),
                               FREG + extract32(op, 20, 5));

    o.src[2] = FREG + extract32(op, 27, 5);
    return o;
}

static UarchOperands vector_operation(uint32_t op)
{
    int rd = extract32(op, 7, 5), rs1 = extract32(op, 15, 5);
    int vs2 = VREG + extract32(op, 20, 5);

    switch (extract32(op, 12, 3)) {
    case 3: /* immediate */
        return operands(UARCH_RVV, VREG + rd, 0, vs2);
    case 4: case 6: /* scalar */
        return operands(UARCH_RVV, VREG + rd, rs1, vs2);
    case 5: /* FP scalar */
        return operands(UARCH_RVV, VREG + rd, FREG + rs1, vs2);
    case 7: /* vset*vl* */
        return operands(UARCH_ALU, rd, extract32(op, 30, 2) == 3 ? 0 : rs1, 0);
    case 2: /* to integer: vmv.x.s, vcpop, vfirst */
        if (extract32(op, 26, 6) == 0x10) {
            return operands(UARCH_RVV, rd, 0, vs2);
        }
        break;
    case 1: /* vfmv.f.s */
        if (extract32(op, 26, 6) == 0x10) {
            return operands(UARCH_RVV, FREG + rd, 0, vs2);
        }
        break;
    }
    return operands(UARCH_RVV, VREG + rd, VREG + rs1, vs2);
}

static UarchOperands integer_operation(uint32_t op)
{
    bool muldiv = extract32(op, 25, 7) == 1;
    UarchClass kind = !muldiv ? UARCH_ALU :
                      extract32(op, 14, 1) ? UARCH_DIV : UARCH_MUL;

    return operands(kind, extract32(op, 7, 5), extract32(op, 15, 5),
                    extract32(op, 20, 5));
}

static UarchOperands system_operation(uint32_t op, uint64_t attrs)
{
    int rd = extract32(op, 7, 5), rs1 = extract32(op, 15, 5);

    if (attrs & HPM_LOAD) {
        return memory(rd, rs1, 0, 1 << extract32(op, 26, 2));
    }
    if (attrs & HPM_STORE) {
        return memory(0, rs1, extract32(op, 20, 5), 1 << extract32(op, 26, 2));
    }
    if ((attrs & HPM_CSR) && extract32(op, 14, 1)) {
        rs1 = 0;
    }
    return operands(UARCH_SERIALIZING, attrs & HPM_CSR ? rd : 0, rs1, 0);
}

static UarchOperands operands_32(uint32_t op, uint64_t attrs)
{
    int rd = extract32(op, 7, 5), rs1 = extract32(op, 15, 5);
    int rs2 = extract32(op, 20, 5), size = 1 << extract32(op, 12, 2);

    switch (extract32(op, 0, 7)) {
    case 0x03:
        return memory(rd, rs1, 0, size);
    case 0x23:
        return memory(0, rs1, rs2, size);
    case 0x2f:
        return memory(rd, rs1, rs2, size);
    case 0x07: case 0x27:
        return fp_memory(op, attrs);
    case 0x0f:
        return attrs & HPM_STORE ? memory(0, rs1, 0, UARCH_ZERO_BLOCK) :
                                   operands(UARCH_SERIALIZING, 0, 0, 0);
    case 0x13: case 0x1b:
        return operands(UARCH_ALU, rd, rs1, 0);
    case 0x17: case 0x37:
        return operands(UARCH_ALU, rd, 0, 0);
    case 0x33: case 0x3b:
        return integer_operation(op);
    case 0x43: case 0x47: case 0x4b: case 0x4f:
        return fp_multiply_add(op);
    case 0x53:
        return fp_operation(op);
    case 0x57:
        return vector_operation(op);
    case 0x63:
        return branch(rs1, rs2, branch_offset(op));
    case 0x67:
        return operands(UARCH_ALU, rd, rs1, 0);
    case 0x6f:
        return operands(UARCH_ALU, rd, 0, 0);
    case 0x73:
        return system_operation(op, attrs);
    default:
        return operands(UARCH_ALU, 0, 0, 0);
    }
}

/* Quadrant 0: loads and stores, and c.addi4spn */
static UarchOperands operands_c0(uint32_t op, uint64_t attrs, bool rv32)
{
    int funct3 = extract32(op, 13, 3);
    int data = extract32(op, 2, 3) + 8 + (attrs & HPM_FP ? FREG : 0);
    int base = extract32(op, 7, 3) + 8;
    int size = funct3 == 4 ? (extract32(op, 10, 1) ? 2 : 1) :
               (funct3 & 3) == 2 || rv32 ? 4 : 8;

    if ((funct3 & 3) == 1) { /* c.fld, c.fsd */
        size = 8;
    }
    if (funct3 == 0) {
        return operands(UARCH_ALU, data, 2, 0);
    }
    return attrs & HPM_LOAD ? memory(data, base, 0, size) :
                              memory(0, base, data, size);
}

static UarchOperands operands_c1(uint32_t op, uint64_t attrs)
{
    int rd = extract32(op, 7, 5);
    int rdp = extract32(op, 7, 3) + 8, rs2p = extract32(op, 2, 3) + 8;

    switch (extract32(op, 13, 3)) {
    case 1:
        if (attrs & HPM_DIR_CALL) {
            return operands(UARCH_ALU, 1, 0, 0);
        }
        return operands(UARCH_ALU, rd, rd, 0);
    case 2: /* c.li */
        return operands(UARCH_ALU, rd, 0, 0);
    case 3: /* c.lui, c.addi16sp */
        return operands(UARCH_ALU, rd, rd == 2 ? 2 : 0, 0);
    case 4:
        return operands(UARCH_ALU, rdp, rdp,
                        extract32(op, 10, 2) == 3 ? rs2p : 0);
    case 5:
        return operands(UARCH_ALU, 0, 0, 0);
    case 6: case 7:
        return branch(rdp, 0, cb_offset(op));
    default:
        return operands(UARCH_ALU, rd, rd, 0);
    }
}

static UarchOperands operands_c2(uint32_t op, uint64_t attrs, bool rv32)
{
    int bank = attrs & HPM_FP ? FREG : 0;
    int rd = extract32(op, 7, 5), rs2 = extract32(op, 2, 5);
    int width = extract32(op, 13, 2);
    int size = width == 2 || (width == 3 && rv32) ? 4 : 8;

    if ((attrs & HPM_INT) && (attrs & (HPM_LOAD | HPM_STORE))) {
        return memory(2, 2, 0, 8);          /* Zcmp */
    }
    if (attrs & HPM_LOAD) {
        return memory(bank + rd, 2, 0, size);
    }
    if (attrs & HPM_STORE) {
        return memory(0, 2, bank + rs2, size);
    }
    if (extract32(op, 13, 3) != 4) {
        return operands(UARCH_ALU, rd, rd, 0);
    }
    if (!rs2) {
        return operands(UARCH_ALU, extract32(op, 12, 1), rd, 0);
    }
    return operands(UARCH_ALU, rd, rs2, extract32(op, 12, 1) ? rd : 0);
}

/**
 * uarch_operands() - what an instruction needs, and what it makes
 * @op: its opcode
 * @attrs: as hpm_insn_attrs() has them
 * @rv32: XLEN is 32
 */
UarchOperands uarch_operands(uint32_t op, uint64_t attrs, bool rv32)
{
    switch (extract32(op, 0, 2)) {
    case 0:
        return operands_c0(op, attrs, rv32);
    case 1:
        return operands_c1(op, attrs);
    case 2:
        return operands_c2(op, attrs, rv32);
    default:
        return operands_32(op, attrs);
    }
}

/* One that makes a register of another, or of itself, and of a constant */
typedef struct Simple {
    enum { NOT_SIMPLE, LUI, AUIPC, ADDI, ADDIW, SLLI, SRLI } what;
    int dst, src;
} Simple;

static Simple simple_32(uint32_t op)
{
    int rd = extract32(op, 7, 5), rs1 = extract32(op, 15, 5);
    int funct3 = extract32(op, 12, 3), high = extract32(op, 26, 6);

    switch (extract32(op, 0, 7)) {
    case 0x37:
        return (Simple) { LUI, rd };
    case 0x17:
        return (Simple) { AUIPC, rd };
    case 0x1b:
        return (Simple) { funct3 == 0 ? ADDIW : NOT_SIMPLE, rd, rs1 };
    case 0x13:
        return (Simple) { funct3 == 0 ? ADDI : funct3 == 1 && !high ? SLLI :
                          funct3 == 5 && !high ? SRLI : NOT_SIMPLE, rd, rs1 };
    default:
        return (Simple) { NOT_SIMPLE };
    }
}

static Simple simple_16(uint32_t op, bool rv32)
{
    int rd = extract32(op, 7, 5), rdp = extract32(op, 7, 3) + 8;

    switch (extract32(op, 0, 2) << 3 | extract32(op, 13, 3)) {
    case 1 << 3 | 0:
        return (Simple) { ADDI, rd, rd };
    case 1 << 3 | 1: /* c.addiw, or c.jal */
        return (Simple) { rv32 ? NOT_SIMPLE : ADDIW, rd, rd };
    case 1 << 3 | 3: /* c.lui, or c.addi16sp */
        return (Simple) { rd == 2 ? NOT_SIMPLE : LUI, rd };
    case 1 << 3 | 4:
        return (Simple) { extract32(op, 10, 2) ? NOT_SIMPLE : SRLI, rdp, rdp };
    case 2 << 3 | 0:
        return (Simple) { SLLI, rd, rd };
    default:
        return (Simple) { NOT_SIMPLE };
    }
}

static Simple simple(uint32_t op, bool rv32)
{
    return (op & 3) == 3 ? simple_32(op) : simple_16(op, rv32);
}

/**
 * uarch_fuses() - can these two, the one behind the other, be one operation?
 *
 * A constant of 32 bits, an address near the program counter, a field of bits:
 * what the first one makes, the second one makes something else of.
 */
bool uarch_fuses(uint32_t first, uint32_t second, bool rv32)
{
    Simple a = simple(first, rv32), b = simple(second, rv32);

    return a.dst && a.dst == b.src && a.dst == b.dst &&
           (a.what == SLLI ? b.what == SRLI :
            a.what == AUIPC ? b.what == ADDI :
            a.what == LUI && (b.what == ADDI || b.what == ADDIW));
}

/**
 * uarch_jump_offset() - how far a direct jump or call leads
 * @op: its opcode
 */
int32_t uarch_jump_offset(uint32_t op)
{
    switch (extract32(op, 0, 2)) {
    case 1:
        return cj_offset(op);
    case 3:
        return jal_offset(op);
    default: /* Zcmt: by a table */
        return 0;
    }
}

static int32_t load_offset_c0(uint32_t op, int size)
{
    switch (size) {
    case 1:
        return extract32(op, 6, 1) | extract32(op, 5, 1) << 1;
    case 2:
        return extract32(op, 5, 1) << 1;
    case 4:
        return extract32(op, 10, 3) << 3 | extract32(op, 6, 1) << 2 |
               extract32(op, 5, 1) << 6;
    default:
        return extract32(op, 10, 3) << 3 | extract32(op, 5, 2) << 6;
    }
}

static int32_t load_offset_c2(uint32_t op, int size)
{
    int32_t offset = extract32(op, 12, 1) << 5;

    return size == 4 ?
        offset | extract32(op, 4, 3) << 2 | extract32(op, 2, 2) << 6 :
        offset | extract32(op, 5, 2) << 3 | extract32(op, 2, 3) << 6;
}

/**
 * uarch_load_offset() - how far from its base register a load reads
 * @insn: a scalar load of one register
 */
int32_t uarch_load_offset(const UarchInsn *insn)
{
    switch (extract32(insn->opcode, 0, 2)) {
    case 0:
        return load_offset_c0(insn->opcode, insn->operands.size);
    case 2:
        return load_offset_c2(insn->opcode, insn->operands.size);
    default:
        return sextract32(insn->opcode, 20, 12);
    }
}
