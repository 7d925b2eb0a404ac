#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Tests what perf script says of the instructions between branches (brstackinsn).

  branches.py PERF FOLDER

A program is made of instructions of two and four bytes, and branch records of ways through
it. Perf must show these ways, instruction by instruction: where each one is and how long is
known by who has chosen it, its bytes are those that the assembler made of it. Not looked
at are recordings of other machines, where perf goes on as before, and of 32-bit ones.
"""

import os
import random
import re
import shutil
import subprocess
import sys

import perf_data

TEXT = 0x1000
BASE = 0x10000
NUMBER = 600
SAMPLES = 150

# Instructions by their length; those that may jump, and those that always do. Some of the
# others look much like one of these.
PLAIN = {
    2: ("c.addi a0, {i}", "c.li s1, {i}", "c.addiw a0, {i}", "c.addiw s1, {i}", "c.mv a0, a1",
        "c.add a0, ra", "c.ld a0, 8(a1)", "c.sdsp ra, 16(sp)", "c.lui a1, {p}", "c.nop",
        "c.fld fa0, 8(a0)", "c.ebreak", "c.sub a0, a1", "c.slli a5, {p}"),
    4: ("addi a0, a1, {i}", "lui a0, {p}", "auipc t0, {p}", "ld a1, {i}(sp)", "sd ra, {i}(sp)",
        "amoadd.d a0, a1, (a2)", "fmadd.d fa0, fa1, fa2, fa3", "fence rw, rw", "ecall",
        "csrr a0, cycle", "mul a3, a4, a5", "add ra, ra, ra", "fld fa5, {i}(a0)"),
}
MAYBE = {2: ("c.beqz a0, .", "c.bnez s0, ."),
         4: ("beq a0, a1, .", "bltu t0, ra, .", "bgez s11, .")}
ALWAYS = {2: ("c.j .", "c.jr ra", "c.jr a5", "c.jalr a0", "c.jalr ra"),
          4: ("jal ra, .", "jal zero, .", "jalr a0, {i}(a1)", "jalr zero, 0(ra)")}

SHOWN = re.compile(r"^\t([0-9a-f]{16})\t(.*?)\s*\tilen: (\d+)")
STOPS = "... not reaching sample ..."


class Instruction:
    """One of the program's: where it is, how long, and whether it jumps."""

    def __init__(self, rng, at):
        self.at = at
        self.size = rng.choice((2, 4))
        self.kind = rng.choice((PLAIN, PLAIN, PLAIN, MAYBE, ALWAYS))
        self.text = rng.choice(self.kind[self.size]).format(
            i=rng.choice([i for i in range(-32, 32) if i]), p=rng.randrange(1, 32))

    def assembly(self):
        """what the assembler is told"""
        return f".option {'rvc' if self.size == 2 else 'norvc'}\n{self.text}\n"


def make_program(rng, path):
    """a program: its instructions, and its file's bytes from its first page on"""
    code, at = [], BASE + TEXT
    for _ in range(NUMBER):
        code.append(Instruction(rng, at))
        at += code[-1].size
    perf_data.link(path, ".text\n.option norelax\n.option arch, rv64gc\n" +
                   "".join(one.assembly() for one in code), BASE, BASE + TEXT)
    with open(path, "rb") as file:
        return code, file.read()


def way(rng, code):
    """a way through the program: its branches, where it ends, and what perf must show of it"""
    branches, expected = [], []
    first, length = rng.randrange(NUMBER - 100), rng.randrange(2, 30)
    # Of how one came to the oldest branch nothing is known.
    block = [next(i for i in range(first, NUMBER) if code[i].kind is not PLAIN)]
    while len(branches) < length:
        to = rng.randrange(NUMBER - 100)
        branches.insert(0, (code[block[-1]].at, code[to].at))
        expected += block
        block = []
        for i in range(to, NUMBER):
            block.append(i)
            if code[i].kind is ALWAYS or (code[i].kind is MAYBE and rng.random() < 0.3):
                break
        else:
            raise AssertionError("there is no jump behind it")
    return branches, expected, block


def last(rng, code, block):
    """where the sample is, in the last block or after a jump that was not recorded; which
    instructions are shown before it; whether it is reached"""
    if rng.random() < 0.7 or code[block[-1]].kind is not ALWAYS:
        end = rng.randrange(len(block))
        return code[block[end]].at, block[:end + 1], True
    return code[block[-1]].at + code[block[-1]].size, block, False


def begin(path):
    """a file of that program"""
    file = perf_data.File()
    file.add_branches()
    file.comm(1000, 1000, "prog", 10)
    file.mmap(1000, BASE, 0x10000, path, 11)
    return file


def shown(said):
    """of each sample the instructions that are shown, and whether it is reached; all that is
    not in order"""
    samples, wrong = [], []
    for line in said.splitlines():
        found = SHOWN.match(line)
        if found:
            at, what, length = found.groups()
            samples[-1][0].append((int(at, 16), what, int(length)))
        elif STOPS in line:
            samples[-1][1] = False
        elif re.match(r"^ *[0-9a-f]+ *$", line) and line.strip():
            samples.append([[], True])
        elif line.strip():
            wrong.append(line)
    return samples, wrong


def main():
    """all of them"""
    perf, folder = sys.argv[1], os.path.abspath(sys.argv[2])
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    rng = random.Random(21)
    path, data = os.path.join(folder, "prog"), os.path.join(folder, "perf.data")
    code, text = make_program(rng, path)
    file = begin(path)
    expected = []
    for i in range(SAMPLES):
        branches, instructions, block = way(rng, code)
        at, rest, reached = last(rng, code, block)
        # Perf takes it to be the branch itself, and what follows not to have been executed.
        if at == branches[0][0]:
            rest, reached = [], True
        file.sample_branches(1000, 1000, 20 + i, at, branches)
        expected.append([[(code[nr].at, "insn: " + " ".join(
            f"{byte:02x}" for byte in text[code[nr].at - BASE:][:code[nr].size]),
                           code[nr].size) for nr in instructions + rest], reached])
    file.write(data)
    env = dict(os.environ, PERF_CONFIG="/dev/null", PERF_PAGER="cat", LC_ALL="C", HOME=folder)
    ran = subprocess.run([perf, "script", "-i", data, "-F", "ip,brstackinsn,brstackinsnlen"],
                         env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, text=True, check=False)
    found, wrong = shown(ran.stdout)
    failed = sum(a != b for a, b in zip(found, expected)) + len(wrong) + \
        abs(len(found) - len(expected))
    for a, b in zip(found, expected):
        if a != b:
            print("expected", b, "\nfound   ", a)
            break
    print(*wrong[:3], sep="\n")
    behind = sum(not reached for _, reached in expected)
    print(f"{len(expected)} samples, {behind} of them behind a jump, {failed} wrong")
    sys.exit(failed > 0 or behind < 10 or ran.returncode)


if __name__ == "__main__":
    main()
