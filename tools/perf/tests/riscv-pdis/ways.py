# SPDX-License-Identifier: GPL-2.0-only
"""Ways through a program, and the branch stacks that sampled transfers of them have with
--itrace=l: the transfer, and the one before it without a source.

What is expected is known of the way, and not of the records: where each transfer is, whether
it is taken and where to, and where the last one that was taken had gone to.
"""

import random

import perf_data
from records import LINES, PROG, RICH, SCRIPT, TRANSFERS, Record, begin, events_of

# What a hart can tell of the transfer before: where it went to; nothing; that it was another
# mode's; and what cannot be, as code does not run backwards.
PRIORS = ("told", "told", "told", "none", "kernel", "behind")
KERNEL = 0xffffffff80000abc
# Those that say so in the code. A branch that is not taken goes nowhere.
DIRECT = ("taken", "dir_call", "dir_jump", "dir_ljump")


def piece(record, target, line):
    """a branch stack: the transfer, and where the code begins that leads to it, if that is told"""
    guess = "M" if "mispredicted" in record.what else "P"
    name = {"taken": "COND", "dir_call": "CALL", "ind_call": "IND_CALL", "return": "RET",
            "dir_jump": "UNCOND", "dir_ljump": "UNCOND", "ind_jump": "IND", "ind_ljump": "IND",
            "swap": "ARCH_2", "trap_return": "ERET", None: ""}[record.kind]
    text = f" {record.pc:#x}/{target:#x}/{guess}/-/-/{record.total}/{name}/-"
    return text + (f" 0x0/{line:#x}/-/-/-/0//-" if line else "")


def way(rng, number):
    """records of a way, each with the branch stack that it is to have"""
    begins = at = 0x10000
    found = []
    for i in range(number):
        at += 2 * rng.randrange(0, 30)
        kind = rng.choice(TRANSFERS + ["taken"] * 3 + [None])
        target = 0x10000 + 2 * rng.randrange(0x7000)
        told = kind not in DIRECT or rng.random() < 0.8
        prior = rng.choice(PRIORS)
        # One that is not taken may all the same say where it would have gone to.
        if kind == "not_taken":
            told = rng.random() < 0.5
        record = Record("transfer", 1000 + 10 * i, at, target if told else 0, kind=kind,
                        total=rng.randrange(4096),
                        what=[name for name, share in (("mispredicted", 0.3), ("flushed", 0.1))
                              if rng.random() < share])
        record.adr2 = {"told": begins, "none": 0, "kernel": KERNEL,
                       "behind": at + 2 * rng.randrange(1, 1000)}[prior]
        goes = kind != "not_taken" and told and "flushed" not in record.what
        record.piece = piece(record, target, begins if prior == "told" else 0) if goes else ""
        found.append(record)
        # What was flushed has not gone anywhere, and the hart comes again.
        if "flushed" in record.what or kind == "not_taken":
            continue
        begins = at = target
    return found


def tests(cases, name, records, who=lambda record: PROG):
    """all of them, and those of branches; perf looks for the programs here"""
    def lines(event, **how):
        return [record.script(who(record), 0, RICH, event, **how) for record in records
                if record.piece or event == "pdis"]

    option = f"{SCRIPT} --symfs=. --itrace="
    cases.test(name, name + ".data", option + "bl", lines("branches"), LINES)
    cases.test(name + "-all", name + ".data", option + "l", lines("pdis"), LINES)
    cases.test(name + "-quick", name + ".data", option + "blq",
               lines("branches", rich=False, raw=False), LINES)


def kernel_to_user(rng):
    """the return from a trap, and what follows in user mode: a line is of that mode, for the kernel
    is interrupted by itself"""
    back = Record("transfer", 90000, KERNEL + 0x100, 0x10020, KERNEL, kind="trap_return")
    back.piece = piece(back, 0x10020, 0)
    first = Record("transfer", 90010, 0x10040, 0x10100, 0x10020, kind="taken", total=7)
    first.piece = piece(first, 0x10100, 0x10020)
    call = Record("transfer", 90020, KERNEL + 0x200, KERNEL, 0x10020, kind="dir_call",
                  total=rng.randrange(9))
    call.piece = piece(call, KERNEL, 0)
    return [back, first, call]


def taken(cases):
    """Only what was taken is in a stack, and only what leads straight to it is before it."""
    rng = random.Random(31)
    records = way(rng, 600) + kernel_to_user(rng)
    # Other instructions have none of this.
    records += [Record("load", 91000, 0x10010, 0x7fff12340000, 0x10000, total=3, piece="")]
    file = begin([RICH])
    file.auxtrace(b"".join(record.pack() for record in records))
    file.write(cases.path("ways.data"))
    tests(cases, "ways", records)


def injected(cases):
    """Perf writes them as it does other branch stacks."""
    rng = random.Random(32)
    records = way(rng, 200)
    file = begin([RICH])
    file.auxtrace(b"".join(record.pack() for record in records))
    file.write(cases.path("pieces.data"))
    cases.test("pieces-inject", "pieces.made", "script -F ip,brstack", [
        f"{record.pc:x}{record.piece}" for record in records if record.piece], "^[0-9a-f]+ 0x",
               make="inject --itrace=bl --strip -i pieces.data -o pieces.made")


# Direct transfers: their length, how far they may go, and what the assembler takes for them.
CODE = ((4, 4094, "taken", "beq a0, a1, . + {}"), (4, 4094, "taken", "bltu t6, zero, . + {}"),
        (4, 4094, "taken", "bge s0, a7, . + {}"), (2, 254, "taken", "c.beqz a0, . + {}"),
        (2, 254, "taken", "c.bnez s1, . + {}"), (2, 2046, "dir_jump", "c.j . + {}"),
        (4, 0xffffe, "dir_jump", "jal zero, . + {}"), (4, 0xffffe, "dir_call", "jal ra, . + {}"),
        (4, 0xffffe, "dir_ljump", "jal t1, . + {}"))
# What is none, whatever the record says.
OTHERS = ("c.addiw a0, 1", "jalr zero, 16(ra)", "c.jr a5", "c.addi a0, 1", "lui a0, 6")
BASE, TEXT = 0x10000, 0x1000


def make_program(rng, path):
    """a program of such: of each its place, its kind, and where it goes to"""
    lines, code, at = [".text", ".option norelax", ".option arch, rv64gc"], [], BASE + TEXT
    for _ in range(120):
        for size, most, kind, text in CODE:
            offset = 2 * rng.choice((rng.randrange(1, most // 2 + 1),
                                     -rng.randrange(1, most // 2 + 2), 1, -1, most // 2,
                                     -(most // 2) - 1, 1 << rng.randrange(most.bit_length() - 1)))
            lines += [f".option {'rvc' if size == 2 else 'norvc'}", text.format(offset)]
            code.append((at, kind, (at + offset) % (1 << 64)))
            at += size
    for text in OTHERS:
        lines += [f".option {'rvc' if text.startswith('c.') else 'norvc'}", text]
        code += [(at, "taken", 0), (at, "dir_jump", 0)]
        at += 2 if text.startswith("c.") else 4
    perf_data.link(path, "\n".join(lines) + "\n", BASE, BASE + TEXT)
    return code


def in_code(cases):
    """Where direct transfers go to is in the code of the process whose they are, if the record
    does not tell. What it tells is not looked up."""
    rng = random.Random(33)
    file = begin([RICH], code="/way0")
    file.comm(1001, 1001, "one", 20)
    file.mmap(1001, BASE, 0x10000, "/way1", 21)
    file.comm(1002, 1002, "two", 22)
    file.mmap(1002, BASE, 0x10000, "/nowhere", 23)
    programs = [make_program(rng, cases.path(f"way{i}")) for i in range(2)] + [None]
    records, time = [], 1000
    for turn in range(60):
        process = turn % 3
        time += 10
        file.switch(1000 + process, 1000 + process, time, 0)
        places = programs[process] or programs[0]
        for i in range(55):
            at, kind, target = places[(turn // 3 * 55 + i) % len(places)]
            time += 10
            record = Record("transfer", time, at, 0, at - 2, kind=kind, total=turn)
            if process == 2:
                target = 0
            elif rng.random() < 0.1:
                record.adr1 = target = 0x1fff0
            record.piece = piece(record, target, at - 2) if target else ""
            record.who = ("prog 1000/1000", "one 1001/1001", "two 1002/1002")[process]
            records.append(record)
        time += 10
    file.auxtrace(b"".join(record.pack() for record in records))
    file.write(cases.path("in-code.data"))
    tests(cases, "in-code", records, lambda record: record.who)


def narrow(cases):
    """With 32-bit registers there is a short call, and addresses have no more bits than that."""
    text = ["c.j . + 0x124", "jal ra, . - 0x20000", "c.beqz a0, . - 0x40"]
    perf_data.link(cases.path("narrow-way"), "\n".join(
        [".text", ".option norelax", ".option arch, rv64gc"] + text) + "\n", BASE, BASE + TEXT)
    with open(cases.path("narrow-way"), "r+b") as program:
        # The short call is the short jump without its highest bit.
        program.seek(TEXT + 1)
        high = program.read(1)[0]
        program.seek(TEXT + 1)
        program.write(bytes([high & 0x7f]))
    records = []
    for at, kind, target in ((0, "dir_call", 0x11124), (2, "dir_call", 0xffff1002),
                             (6, "taken", 0x10fc6)):
        record = Record("transfer", 1000 + at, BASE + TEXT + at, 0, BASE + TEXT, kind=kind,
                        total=9)
        record.piece = piece(record, target, BASE + TEXT)
        records.append(record)
    file = perf_data.File()
    file.time_conv()
    file.info([(perf_data.CAP_RV32, events_of(RICH))])
    file.comm(1000, 1000, "prog", 10)
    file.mmap(1000, BASE, 0x10000, "/narrow-way", 11)
    file.itrace_start(1000, 1000, 12, 0)
    file.auxtrace(b"".join(record.pack32() for record in records), reference=2000)
    file.write(cases.path("narrow-code.data"))
    tests(cases, "narrow-code", records)


PARTS = [taken, injected, in_code, narrow]
