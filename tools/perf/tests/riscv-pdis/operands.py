#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Tests what riscv_decode() says of instructions, against objdump.

  operands.py DECODER PROGRAM...

DECODER is operands.c. All instructions of the programs are taken, each once, and those of
FORMS besides. objdump names them without aliases; what each does is written below by that name.
"""

import collections
import os
import re
import subprocess
import sys
import tempfile

(OTHER, UPPER, PC, ADD_IMM, ADD, SUB, SHIFT, MUL, LOAD, STORE, BRANCH, JUMP, JUMP_REG, CALL,
 CALL_REG, END) = range(16)

REGISTERS = {name: i for i, name in enumerate(
    "zero ra sp gp tp t0 t1 t2 s0 s1 a0 a1 a2 a3 a4 a5 a6 a7 "
    "s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 t3 t4 t5 t6".split())}
SIZES = {"b": 1, "h": 2, "w": 4, "d": 8, "q": 16}

INSN = re.compile(r"^ *([0-9a-f]+):\t([0-9a-f]+) +\t(\S+)(?:\t([^#<\n]*))?")
MEMORY = re.compile(r"^(-?\d+)?\((\w+)\)$")

# What programs seldom have
FORMS = """
	lr.w a0, (a1)
	lr.d.aq s2, (s3)
	sc.w t0, a2, (t6)
	amoadd.w a0, a1, (a2)
	amoswap.d.aqrl zero, t4, (s11)
	amomaxu.d a5, a4, (a3)
	flh fa0, -2(a0)
	fsh ft11, 2046(t6)
	flw fs0, -2048(gp)
	fsd fa5, 8(s0)
	c.fld fa0, 248(s1)
	c.fsd fa1, 8(a0)
	c.fldsp ft0, 504(sp)
	c.fsdsp ft8, 16(sp)
	c.lbu a0, 3(a1)
	c.lhu a2, 2(a3)
	c.lh s0, 0(s1)
	c.sb a4, 1(a5)
	c.sh a4, 2(a5)
	c.ldsp s11, 504(sp)
	c.swsp t6, 252(sp)
	c.lwsp a0, 252(sp)
	c.addi16sp sp, -512
	c.addi16sp sp, 496
	c.addi4spn a0, sp, 1020
	c.lui t0, 0xfffe0
	vle8.v v1, (a0)
	vle64.v v8, (t6)
	vse32.v v2, (s1)
	vlse16.v v4, (a1), a2
	sh1add a0, a1, a2
	sh2add.uw a3, a4, a5
	sh3add t0, t1, t2
	add.uw s2, s3, s4
	slli.uw a0, a1, 5
	czero.eqz a0, a1, a2
	vsetvli a0, a1, e8, m1, ta, ma
	vmv.x.s a3, v2
	vadd.vv v1, v2, v3
	fcvt.l.d a0, fa0
	fmv.d.x fa0, a0
	feq.s a1, fa0, fa1
	ecall
	ebreak
	c.ebreak
	mret
	sret
	sfence.vma a0, a1
	csrrw a0, cycle, a1
"""


def signed(text):
    """a number, decimal or not"""
    return int(text, 0)


def access(name, words):
    """what a load or store is by its name: (op, rd, rs1, rs2, bytes, imm), or None"""
    base = name.removeprefix("c.").removesuffix("sp")
    memory = [MEMORY.match(word) for word in words]
    place = next((m for m in memory if m), None)
    if not place:
        return None
    imm, rs1 = int(place.group(1) or 0), REGISTERS[place.group(2)]
    first = REGISTERS.get(words[0], 0)
    vector = re.match(r"v(l|s)s?e(\d+)\.v$", name)
    if vector:
        return (LOAD if vector.group(1) == "l" else STORE), 0, rs1, 0, int(vector.group(2)) // 8, 0
    atomic = re.match(r"(lr|sc|amo\w+)\.([wd])", name)
    if atomic:
        rs2 = 0 if atomic.group(1) == "lr" else REGISTERS[words[1]]
        return LOAD, first, rs1, rs2, SIZES[atomic.group(2)], 0
    load = re.match(r"f?l([bhwdq])u?$", base)
    if load:
        return LOAD, first, rs1, None, SIZES[load.group(1)], imm
    store = re.match(r"f?s([bhwdq])$", base)
    if store:
        return STORE, 0, rs1, first, SIZES[store.group(1)], imm
    return None


def arithmetic(name, words):
    """what those that make addresses are: (op, rd, rs1, rs2, imm), or None"""
    regs = [REGISTERS.get(word) for word in words]
    word = name.endswith("w") and not name.endswith(".uw")
    base = name.removeprefix("c.")
    short = name.startswith("c.")
    if base in ("addi", "addiw", "addi16sp", "addi4spn"):
        if len(words) == 2:
            regs.insert(1, regs[0])
        return ADD_IMM, regs[0], regs[1], None, signed(words[-1]), word
    if base == "li":
        return ADD_IMM, regs[0], 0, None, signed(words[1]), word
    if base == "mv":
        return ADD_IMM, regs[0], regs[1], None, 0, word
    if base in ("lui", "auipc"):
        imm = signed(words[1]) & 0xfffff
        imm = (imm ^ 0x80000) - 0x80000
        return (UPPER if base == "lui" else PC), regs[0], None, None, imm << 12, None
    if base in ("add", "addw", "add.uw", "sub", "subw", "mul", "mulw"):
        op = {"add": ADD, "sub": SUB, "mul": MUL}[base[:3]]
        if short:
            regs.insert(0, regs[0])
        return op, regs[0], regs[1], regs[2], 0, word
    if re.match(r"sh[123]add", base):
        return ADD, *regs, int(base[2]), False
    if base in ("slli", "srli", "slliw", "srliw", "slli.uw"):
        if short:
            regs.insert(0, regs[0])
        by = signed(words[-1])
        return SHIFT, regs[0], regs[1], None, by if base[1] == "l" else -by, word
    return None


def jump_to(rd, rs1):
    """what a jump to an address in a register is"""
    if rd:
        return CALL_REG
    return END if rs1 in (REGISTERS["ra"], REGISTERS["t0"]) else JUMP_REG


def control(name, words):
    """what those that jump are, whose target is relative: (op, rd, rs1, rs2, imm), or None"""
    base = name.removeprefix("c.")
    if re.match(r"b(eq|ne|lt|ge|ltu|geu)z?$", base):
        return BRANCH, 0, None, None, signed(words[-1]), False
    if base == "j":
        return JUMP, 0, None, None, signed(words[0]), False
    if base == "jal":
        rd = REGISTERS[words[0]]
        return CALL if rd else JUMP, rd, None, None, signed(words[1]), False
    if name in ("c.jr", "c.jalr"):
        rd, rs1 = REGISTERS["ra"] if name == "c.jalr" else 0, REGISTERS[words[0]]
        return jump_to(rd, rs1), rd, rs1, None, 0, False
    if name == "jalr":
        place = MEMORY.match(words[1])
        rd, rs1 = REGISTERS[words[0]], REGISTERS[place.group(2)]
        return jump_to(rd, rs1), rd, rs1, None, int(place.group(1) or 0), False
    if base in ("ebreak", "mret", "sret"):
        return END, None, None, None, None, None
    return None


def writes(name, words):
    """which register any other instruction writes, None if that is not known"""
    if not words or words[0] not in REGISTERS:
        return 0
    if name in ("sfence.vma", "fence", "hfence.vvma"):
        return None
    return REGISTERS[words[0]]


def disassemble(path, *options):
    """(code, name, operands) of a program's instructions"""
    said = subprocess.run(["riscv64-linux-gnu-objdump", "-d", "-M", "no-aliases", *options, path],
                          stdout=subprocess.PIPE, text=True, check=True).stdout
    for line in said.splitlines():
        insn = INSN.match(line)
        if insn:
            addr, code, name, rest = insn.groups()
            words = [word.strip() for word in (rest or "").split(",") if word.strip()]
            # Where to, by an address: one of the program's code says how far
            if words and re.match(r"(c\.)?(b|j$|jal$)", name) and name[-5:] != "break":
                words[-1] = str(int(words[-1], 16) - int(addr, 16))
            yield code, name, tuple(words)


def assemble():
    """those that programs seldom have"""
    with tempfile.TemporaryDirectory() as folder:
        source, path = os.path.join(folder, "forms.s"), os.path.join(folder, "forms.o")
        with open(source, "w", encoding="ascii") as file:
            file.write(FORMS)
        subprocess.run(["riscv64-linux-gnu-as", "-o", path, "-march=rv64gcv_zfh_zba_zicond_zcb",
                        source], check=True)
        return list(disassemble(path))


def compare(insn, decoded):
    """what is wrong with that, or None"""
    code, name, words = insn
    op, length, rd, rs1, rs2, size, imm, word = decoded
    if length != len(code) // 2:
        return f"{length} bytes"
    jump = control(name, words)
    expected = access(name, words) if not jump else None
    if jump:
        expected, said = jump, (op, rd, rs1, rs2, imm, bool(word))
    elif expected:
        said = (op, rd, rs1, rs2, size, imm)
    elif op in (LOAD, STORE):
        return "accesses memory"
    else:
        expected, said = arithmetic(name, words), (op, rd, rs1, rs2, imm, bool(word))
    if expected:
        wrong = [pair for pair in zip(expected, said) if pair[0] is not None and pair[0] != pair[1]]
        return f"is {said}, not {expected}" if wrong else None
    if op not in (OTHER, SHIFT, ADD_IMM):
        return f"is {op}"
    register = writes(name, words)
    if register is not None and op == OTHER and name != "ecall" and rd != register:
        return f"writes {rd}, not {register}"
    return None


def main():
    """all tests"""
    decoder, *programs = sys.argv[1:]
    insns = set(assemble())
    forms = len(insns)
    for program in programs:
        insns.update(disassemble(program))
    insns = sorted(insn for insn in insns if not insn[1].startswith(".") and insn[1] != "unimp")
    said = subprocess.run([decoder], input="".join(f"{code}\n" for code, *_ in insns), text=True,
                          stdout=subprocess.PIPE, check=True).stdout.splitlines()
    wrong, names = collections.Counter(), set()
    for insn, line in zip(insns, said, strict=True):
        problem = compare(insn, [int(number) for number in line.split()])
        names.add(insn[1])
        if problem:
            wrong[insn[1]] += 1
            if wrong[insn[1]] < 4:
                print("  ", *insn, problem)
    print(f"# {len(insns)} instructions, {len(names)} names, {wrong.total()} wrong")
    good = not wrong and forms > 40 and len(insns) > 10000
    print(f"{'ok' if good else 'not ok'} - operands are what objdump says")
    sys.exit(not good)


main()
