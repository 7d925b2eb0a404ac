#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compare the branch stacks that perf reports with what the machine did.

    brstack.py LOG FOLDER STATUS [frozen]

LOG is the emulator's log of control transfers (-cpu ctr-log=LOG). It may be a
fifo: FOLDER is looked into when the log has ended. It holds, in files *.script
in the order of their names, what

    perf script -F comm,tid,cpu,time,ip,brstack,iregs --ns

printed for each recording, behind a line

    # NAME FILTER LOST [LEAF LEAF_END DESCEND]
    # NAME FILTER LOST caught CAUGHT CAUGHT_END CATCHES

which says how the result is called, what was given to `perf record -j`, and how
many samples perf says are lost. For programs whose open calls are known there
are the addresses that callstacks.c tells. STATUS are bits of sctrstatus that the
machine has and nobody has defined (ctr-status). With "frozen" there must have been
interrupts that were found without a trap, so that the driver had to freeze.

The driver also freezes for a sample that it takes where a task is switched out,
before the interrupt. That is at the return address of a call that was open then.

The log has every transfer, recorded or not, and every write to the registers of
CTR. From these the records are made here once more, by the rules of the
specification, and then what perf must tell of them. Nothing is taken from the
emulator's own records, and nothing from the driver.
"""

import glob
import os
import re
import sys
from collections import deque, namedtuple

EXCEPTION, INTERRUPT, TRAP_RETURN, NOT_TAKEN, TAKEN = 1, 2, 3, 4, 5
IND_CALL, DIR_CALL, IND_JUMP, DIR_JUMP = 8, 9, 10, 11
SWAP, RETURN, IND_LJUMP, DIR_LJUMP = 12, 13, 14, 15

TRAPS = {EXCEPTION, INTERRUPT}
CALLS, RETURNS = {IND_CALL, DIR_CALL, SWAP}, {RETURN, SWAP}
CALLS_AND_RETURNS = {b"%d" % kind for kind in CALLS | RETURNS}

# What perf calls a far call or jump, which the hart takes for an indirect one.
NOT_INDIRECT = {IND_CALL: DIR_CALL, IND_JUMP: DIR_JUMP, IND_LJUMP: DIR_LJUMP}
AUIPC, JALR = 0x17, 0x67

CAUSE_BREAKPOINT, CAUSE_ECALL_U, CAUSE_LCOFI = 3, 8, 13

# Bits of mctrctl
ENABLE = {"U": 1 << 0, "S": 1 << 1, "M": 1 << 2}
RASEMU, STE, MTE, BPFRZ, LCOFIFRZ = 1 << 7, 1 << 8, 1 << 9, 1 << 11, 1 << 12

# In the log, the line that ends what belongs to an interrupt; writes to registers; and
# transfers within a mode, many of which follow each other. EACH finds of them the type, source,
# target, misp, cycle and insns, where these are recorded.
END = re.compile(rb"\n(?:lcofi|freeze|exit)\t(.*)\n")
WRITE = re.compile(rb"\ncsr\t\d+\t(\w+)\t[^\t]+\t(\w+)")
WITHIN = rb"xfer\t%b\t(?:[4589]|1[0-5])\t[^\t]+\t[^\t]+\t%b\t.*\n"
MANY = re.compile(WITHIN % (rb"(\d+)", rb"([MSU])\t\2") +
                  rb"(?:" + WITHIN % (rb"\1", rb"\2\t\2") + rb")*+")
FRAMES = re.compile(rb"frame\t([0-9]+)\t.*\n(?:frame\t\1\t.*\n)*+")
EACH = re.compile(rb"xfer\t[0-9]+\t([0-9]+)\t([0-9a-f]+)\t([0-9a-f]+)\t[MSU]\t[MSU]\t"
                  rb"([-01])\t-\t([0-9]+)\t(-|[0-9a-f]+)\n")

FROZEN, WRPTR = 1 << 31, 0xff
VALID = 1
CCV = 1 << 15
CCM_BITS = 12
LARGEST_EXPONENT = 15

# What a record shows. @ecall: perf calls it a system call, not an exception.
Record = namedtuple("Record", "source target type misp cycles counted ecall")
NOTHING = None
# Older than what the log knows.
UNKNOWN = object()

# An interrupt, or else an overflow for which the driver froze. @orphan: the event whose
# overflow it tells of has left meanwhile. @callers: where open calls of the kernel return to,
# from the outermost, each with 16 and with 32 bits.
Overflow = namedtuple("Overflow", "pc user_pc mode records frames call_stack "
                      "depth orphan callers")

# As many functions are open at most from the one that takes a sample before the interrupt
# to the one that freezes.
FREEZING_CALLS = 4


class LogError(Exception):
    """The log cannot be what a machine did."""


def as_counted(cycles):
    """Cycles as far as an entry can hold them (CTR-CC-005 to 008, 016)."""
    bits = CCM_BITS + 1
    largest = ((1 << bits) - 1) << (LARGEST_EXPONENT - 1)
    cycles = min(cycles, largest)
    if cycles >> CCM_BITS == 0:
        return cycles
    shift = cycles.bit_length() - bits
    return cycles >> shift << shift


def signed(value, bits):
    return value - (value >> bits - 1 << bits)


def is_far(insns, source, target):
    """Do AUIPC and JALR, the last of which is at source, lead to target?"""
    first, second = insns & 0xffffffff, insns >> 32
    if first & 0x7f != AUIPC or second & 0x7f != JALR or \
       first >> 7 & 31 != second >> 15 & 31:
        return False
    offset = signed(first & ~0xfff, 32) + signed(second >> 20, 12)
    return (source - 4 + offset - target) % (1 << 64) == 0


class Hart:
    """The records of a hart, from what it did."""

    def __init__(self, number, undefined):
        self.number = number
        self.control = 0
        # Who freezes turns recording off meanwhile: what was recorded before.
        self.chosen = 0
        # What the undefined bits of sctrstatus must be.
        self.undefined = undefined
        self.depth = 16
        self.wrptr = 0
        self.frozen = False
        self.entries = [NOTHING] * 256
        self.elapsed = 0
        self.counted = False
        self.cycle = 0
        self.mode = "M"
        self.user_pc = 0
        self.frames = []
        # Return addresses of the kernel's latest open calls.
        self.calls = deque(maxlen=64)
        # What ends in the interrupt that is being read.
        self.batch = b""
        self.end = []
        # An interrupt is pending; since then, an event has come or gone.
        self.pending = False
        self.orphan = False
        # Where the latest interrupt came, whichever it was, until it returns.
        self.interrupted = None
        # Entries have been written, by whoever is still at it.
        self.restored = False
        self.restores = 0
        # There have been samples: what is done once has been done.
        self.sampled = False
        # What the driver has done against the rules for it: by rule, how.
        self.sins = {}
        # After a loss, WRPTR is not known until software or the log tells.
        self.placed = True

    def lose(self, control, depth, status):
        self.control = control
        self.chosen = control or self.chosen
        self.calls.clear()
        self.depth = 16 << (depth & 7)
        self.frozen = bool(status & FROZEN)
        self.entries = [UNKNOWN] * len(self.entries)
        self.elapsed = None
        self.placed = False

    def place_at(self, wrptr):
        """The true WRPTR is told: what was made since a loss is moved there."""
        if not self.placed:
            ring = [self.entries[self.place(i)] for i in range(self.depth)]
            self.wrptr = wrptr
            for index, entry in enumerate(ring):
                self.entries[self.place(index)] = entry
            self.placed = True
        if self.wrptr != wrptr:
            raise LogError(f"WRPTR is {self.wrptr} by the rules")

    def enabled(self, mode):
        if mode not in ENABLE:
            raise LogError(f"mode {mode}: only M, S and U are understood")
        return bool(self.control & ENABLE[mode])

    def place(self, index):
        """Where a logical entry is."""
        return (self.wrptr - index - 1) % self.depth

    def pass_time(self, cycle):
        """Time has passed in one mode (CTR-CC-004)."""
        if self.elapsed is not None and self.enabled(self.mode) and \
           not self.frozen:
            self.elapsed += cycle - self.cycle
        self.cycle = cycle

    def restart_cycles(self):
        """CTR-CC-009, 010, 017."""
        self.elapsed = 0
        self.counted = False

    # Transfers

    def trap(self, kind, source, target, modes, misp, cause, cycle):
        """A trap, or its return"""
        self.pass_time(cycle)
        self.mode = modes[1]
        self.restored = False
        if kind == INTERRUPT:
            self.interrupted = source
        elif kind == TRAP_RETURN and modes[0] == "S":
            self.interrupted = None
        if kind in TRAPS and modes[0] == "U":
            # A system call goes on behind the instruction.
            self.user_pc = source + 4 * (cause == CAUSE_ECALL_U and
                                         kind == EXCEPTION)
        if self.frozen or self.freezes(kind, cause):
            return
        ends = self.ends_of_trap(kind, source, target, modes)
        if not ends:
            return
        external = kind in TRAPS and not ends[1]
        ecall = kind == EXCEPTION and cause == CAUSE_ECALL_U
        if self.control & RASEMU:
            self.emulate_ras(kind, ends, misp)
        elif external or self.wants(kind):
            self.record(kind, ends, misp, ecall)

    def transfers(self, mode, made):
        """What has been made one after the other within a mode for which it is recorded, as
        EACH finds it. Of records that later ones leave no room for only the last is dated."""
        self.pass_time(int(made[0][4]))
        self.mode = mode
        ras = self.control & RASEMU
        kinds = CALLS_AND_RETURNS if ras else \
            {b"%d" % kind for kind in range(NOT_TAKEN, DIR_LJUMP + 1) if self.wants(kind)}
        kept = [each for each in made if each[0] in kinds]
        gone = 0 if ras else max(0, len(kept) - self.depth)
        if gone:
            self.pass_time(int(kept[gone - 1][4]))
            self.wrptr = (self.wrptr + gone) % self.depth
            self.elapsed = 0
            self.counted = True
        for kind, source, target, misp, cycle, _ in kept[gone:]:
            self.pass_time(int(cycle))
            ends = int(source, 16), int(target, 16)
            if ras:
                self.emulate_ras(int(kind), ends, misp == b"1")
            else:
                self.record(int(kind), ends, misp == b"1", False)
        self.pass_time(int(made[-1][4]))
        if mode == "S":
            for kind, source, *_ in made:
                if kind in CALLS_AND_RETURNS:
                    self.follow(int(kind), int(source, 16))

    def follow(self, kind, source):
        """Which calls of the kernel are open. After a switch to another task these are
        known again as far as it has made new ones."""
        if kind in RETURNS and self.calls:
            self.calls.pop()
        if kind in CALLS:
            self.calls.append((source + 2, source + 4))

    def callers(self):
        """Where a sample may be that is taken before the interrupt."""
        return list(self.calls)[-FREEZING_CALLS:]

    def freezes(self, kind, cause):
        """CTR-FRZ-001, 002, 005."""
        bit = 0
        if kind == INTERRUPT and cause == CAUSE_LCOFI:
            bit = LCOFIFRZ
        elif kind == EXCEPTION and cause == CAUSE_BREAKPOINT:
            bit = BPFRZ
        self.frozen = bool(self.control & bit)
        self.sampled |= self.frozen
        return self.frozen

    def ends_of_trap(self, kind, source, target, modes):
        """What is recorded of source and target (CTR-PRIV, CTR-EXT-001 to 003)."""
        from_on, to_on = self.enabled(modes[0]), self.enabled(modes[1])
        if from_on and to_on:
            return source, target
        if kind == TRAP_RETURN:
            return from_on and (source, 0)
        if to_on:
            return 0, target
        needed = {("U", "S"): STE, ("U", "M"): STE | MTE, ("S", "M"): MTE}
        bits = needed.get(tuple(modes), 0)
        if from_on and bits and self.control & bits == bits:
            return source, 0
        return None

    def wants(self, kind):
        """CTR-BEH-002, CTR-TYPE-001."""
        bit = bool(self.control >> 32 & 1 << kind)
        return bit if kind == NOT_TAKEN else not bit

    def record(self, kind, ends, misp, ecall):
        """CTR-BEH-005 to 007."""
        record = UNKNOWN
        if self.elapsed is not None:
            record = Record(ends[0], ends[1], kind, misp,
                            as_counted(self.elapsed), self.counted, ecall)
        self.entries[self.wrptr] = record
        self.wrptr = (self.wrptr + 1) % self.depth
        self.elapsed = 0
        self.counted = True

    def emulate_ras(self, kind, ends, misp):
        """CTR-RAS-001 to 005, 010."""
        if kind in RETURNS:
            self.wrptr = self.place(0)
            popped = self.entries[self.wrptr]
            self.entries[self.wrptr] = NOTHING
            self.add_popped(popped)
        if kind in CALLS:
            self.record(kind, ends, misp, False)

    def add_popped(self, popped):
        """What was counted for a call is part of what its caller takes."""
        if popped is UNKNOWN or self.elapsed is None:
            self.elapsed = None
            return
        if popped:
            self.elapsed += popped.cycles
        self.counted &= bool(popped and popped.counted)

    # Registers

    def clear(self, cycle):
        """CTR-CLR."""
        self.pass_time(cycle)
        self.entries = [NOTHING] * len(self.entries)
        self.restored = False
        self.restart_cycles()

    def write(self, name, index, old, value, cycle):
        self.pass_time(cycle)
        if name == "mctrctl":
            self.control = value
            self.chosen = value or self.chosen
            self.orphan = True
            self.restart_cycles()
        elif name == "sctrdepth":
            self.depth = 16 << (value & 7)
            if self.sampled:
                self.sins["CTR-DEPTH-009"] = "sctrdepth is written after samples"
        elif name == "sctrstatus":
            self.check_status(old, value)
            self.place_at(old & self.depth - 1)
            self.wrptr = value & self.depth - 1
            self.frozen = bool(value & FROZEN)
        elif name != "vsctrctl":
            self.write_entry(name, self.place(index), value)

    def check_status(self, old, value):
        """How a driver writes sctrstatus."""
        changed = old ^ value
        if value & ~(FROZEN | WRPTR) != self.undefined:
            self.sins["CTR-STAT-012"] = f"{value:#x} is written"
        if self.enabled(self.mode) and not old & FROZEN:
            self.sins["CTR-STAT-013"] = f"{old:#x} becomes {value:#x} while " \
                "transfers are recorded"
        if changed & WRPTR and self.restored:
            self.sins["CTR-STAT-014"] = "WRPTR is written after entries"

    def write_entry(self, name, place, value):
        """An entry is restored: source, target, data in whatever order."""
        self.restored = True
        # The kind of a record may be written alone.
        self.restores += name == "ctrsource" and place == self.place(0)
        old = self.entries[place]
        if old in (NOTHING, UNKNOWN):
            old = Record(0, 0, 0, 0, 0, False, False)
        if name == "ctrsource":
            old = old._replace(source=value & ~VALID) if value & VALID else NOTHING
        elif name == "ctrtarget":
            old = old._replace(target=value & ~1, misp=value & 1)
        else:
            mantissa, exponent = value >> 16 & 0xfff, value >> 28 & 0xf
            if exponent:
                mantissa = (4096 + mantissa) << (exponent - 1)
            old = old._replace(type=value & 0xf, cycles=mantissa,
                               counted=bool(value & CCV))
        self.entries[place] = old

    def valid_records(self):
        """Youngest first, up to the first that is none (CTR-DRV-002, 003)."""
        records = []
        for index in range(self.depth):
            entry = self.entries[self.place(index)]
            if entry is NOTHING:
                break
            if entry is UNKNOWN:
                return UNKNOWN
            records.append(entry)
        return records


class Machine:
    """All harts, and the overflow interrupts that each has had."""

    def __init__(self, undefined):
        self.undefined = undefined
        self.harts = {}
        self.far = set()
        self.overflows = {}
        self.raised = 0

    def read(self, log):
        """What ends in an interrupt is of one hart, and is dealt with together."""
        text = bytearray(b"\n")
        looked = 0
        while block := log.read(1 << 16):
            text += block
            while end := END.search(text, looked):
                self.read_batch(text[:end.end()], end[1].decode().split("\t"))
                # It is also the newline before the next line.
                del text[:end.end() - 1]
                looked = 0
            looked = text.rindex(b"\n")

    def hart(self, number):
        if number not in self.harts:
            self.harts[number] = Hart(number, self.undefined)
        return self.harts[number]

    def read_batch(self, text, end):
        """text: behind a newline, all lines; end: fields of the last one"""
        hart = self.hart(int(end[0]))
        hart.batch, hart.end = text, end
        at = 1
        try:
            while at < len(text):
                if found := MANY.match(text, at):
                    self.read_many(hart, found)
                    at = found.end()
                elif found := FRAMES.match(text, at):
                    self.read_frames(hart, found)
                    at = found.end()
                else:
                    behind = text.index(b"\n", at) + 1
                    self.read_line(hart, text[at:behind])
                    at = behind
        except (LogError, ValueError, IndexError, KeyError) as error:
            line = text[at:text.index(b"\n", at)].decode(errors="replace")
            raise LogError(f"{error}: {line}") from error

    @staticmethod
    def check_hart(hart, number):
        if int(number) != hart.number:
            raise LogError(f"within what hart {hart.number} did")

    def read_many(self, hart, many):
        """Most of what a machine does, it does while nobody records."""
        self.check_hart(hart, many[1])
        mode = many[2].decode()
        if hart.frozen or not hart.enabled(mode):
            return
        made = EACH.findall(many.string, *many.span())
        if len(made) != many.string.count(b"\n", *many.span()):
            raise LogError("this or one that follows is no transfer")
        hart.transfers(mode, made)
        for _, source, target, _, _, insns in made:
            if insns != b"-":
                ends = int(source, 16), int(target, 16)
                if is_far(int(insns, 16), *ends):
                    self.far.add(ends)

    def read_line(self, hart, line):
        handlers = {"xfer": self.read_trap, "csr": self.read_csr,
                    "sctrclr": self.read_clear, "lost": self.read_lost,
                    "lcofip": self.read_pending, "lcofi": self.read_overflow,
                    "freeze": self.read_freeze, "exit": self.read_exit}
        word, *fields = line.decode("ascii").rstrip("\n").split("\t")
        if not word.startswith("#"):
            self.check_hart(hart, fields[0])
            handlers[word](hart, fields)

    @staticmethod
    def read_trap(hart, f):
        if int(f[1]) not in TRAPS | {TRAP_RETURN}:
            raise LogError("neither a transfer within a mode nor a trap or its return")
        cause = -1 if f[7] == "-" else int(f[7])
        hart.trap(int(f[1]), int(f[2], 16), int(f[3], 16), f[4:6],
                  f[6] == "1", cause, int(f[8]))

    def read_csr(self, hart, f):
        index = 0 if f[2] == "-" else int(f[2])
        old, value = int(f[3], 16), int(f[4], 16)
        hart.write(f[1], index, old, value, int(f[6]))

    def read_freeze(self, hart, f):
        """An interrupt that was found without a trap (CTR-FRZ-011), or has not come
        yet. Which calls of user mode are open is not in the log."""
        self.check_control(hart, f)
        self.add_overflow(int(f[0]), hart, hart.interrupted, None, hart.callers())

    def read_clear(self, hart, f):
        hart.clear(int(f[2]))

    def read_pending(self, hart, f):
        """If none of an earlier one has been seen, it was found without a trap
        when nobody had an event."""
        if hart.pending:
            self.add_overflow(int(f[0]), hart, None, None)
        hart.pending = True
        hart.orphan = False

    def read_exit(self, hart, f):
        if hart.pending:
            self.add_overflow(int(f[0]), hart, None, None)

    def read_lost(self, hart, _):
        """The log has no room for all. The first write after that, or else
        the interrupt, tells what a register was."""
        was = {"mctrctl": int(hart.end[6], 16), "sctrdepth": int(hart.end[8], 16),
               "sctrstatus": 0}
        for name, old in reversed(WRITE.findall(hart.batch)):
            was[name.decode()] = int(old, 16)
        hart.lose(was["mctrctl"], was["sctrdepth"], was["sctrstatus"])

    def read_frames(self, hart, frames):
        self.check_hart(hart, frames[1])
        for line in frames[0].splitlines()[:hart.depth]:
            f = line.split(b"\t")
            hart.frames.append((int(f[3], 16), int(f[4], 16)))

    @staticmethod
    def check_control(hart, f):
        if int(f[6], 16) != hart.control:
            raise LogError(f"mctrctl is {hart.control:#x} by the rules")

    def read_overflow(self, hart, f):
        """f: hart pc mode space cycle tmode mctrctl vsctrctl depth status tp"""
        self.check_control(hart, f)
        hart.place_at(int(f[9], 16) & hart.depth - 1)
        self.add_overflow(int(f[0]), hart, int(f[1], 16), f[2])
        hart.frames = []

    def add_overflow(self, number, hart, pc, mode, callers=()):
        # The driver has raised it, whether it trapped or was found without that.
        self.raised += not hart.pending
        found = Overflow(pc, hart.user_pc, mode, hart.valid_records(),
                         hart.frames, bool(hart.chosen & RASEMU), hart.depth,
                         hart.orphan, callers)
        self.overflows.setdefault(number, []).append(found)
        hart.pending = False

    def restores(self):
        return sum(hart.restores for hart in self.harts.values())

    def sins(self):
        return [f"{rule}: {how}" for hart in self.harts.values()
                for rule, how in hart.sins.items()]


# What perf makes of it

class Entry(namedtuple("Entry", "source target mark cycles type")):
    """As perf script prints it, but for what is the same in all."""

    __slots__ = ()

    def __str__(self):
        return f"{self.source:#x}/{self.target:#x}/{self.mark}/" \
            f"{self.cycles}/{self.type}"


PERF_TYPES = {
    INTERRUPT: "IRQ", TRAP_RETURN: "ERET", NOT_TAKEN: "COND", TAKEN: "COND",
    IND_CALL: "IND_CALL", DIR_CALL: "CALL", IND_JUMP: "IND",
    DIR_JUMP: "UNCOND", SWAP: "ARCH_2", RETURN: "RET", IND_LJUMP: "IND",
    DIR_LJUMP: "UNCOND",
}
ANY = set(PERF_TYPES) | TRAPS
FILTERS = {
    "any": ANY,
    "any_call": {DIR_CALL, IND_CALL, SWAP} | TRAPS,
    "any_ret": {RETURN, SWAP, TRAP_RETURN},
    "ind_call": {IND_CALL},
    "call": {DIR_CALL},
    "cond": {TAKEN},
    "ind_jmp": {IND_JUMP, IND_LJUMP},
}


class Filter:
    """What an event asks for, in the words of `perf record -j`."""

    def __init__(self, words):
        words = words.split(",")
        self.types = set()
        for word in words:
            self.types |= FILTERS.get(word, set())
        self.modes = {word for word in ("u", "k") if word in words}
        self.modes = self.modes or {"u", "k"}
        self.call_stack = "stack" in words
        self.flags = "no_flags" not in words
        self.cycles = "no_cycles" not in words
        self.type = "save_type" in words

    def visible(self, address):
        return ("k" if address >> 63 else "u") in self.modes

    def ends(self, record):
        """What of a record is left where only one mode may be seen."""
        if self.modes == {"u", "k"}:
            return record.source, record.target
        seen = [address if address and self.visible(address) else 0
                for address in (record.source, record.target)]
        if self.modes == {"u"}:
            return seen if seen[0] and seen[1] else None
        return seen if seen[0] or seen[1] else None

    @staticmethod
    def kind(record, far):
        """The type: what is far is not indirect, whatever the hart says."""
        if (record.source, record.target) in far:
            return NOT_INDIRECT.get(record.type, record.type)
        return record.type

    def entries(self, records, far):
        """What perf prints. A record that is not for this event leaves its
        cycles, so far as they were spent in the event's modes, to the next."""
        found = []
        for record in records:
            ends, kind = self.ends(record), self.kind(record, far)
            if ends and (self.call_stack or kind in self.types):
                found.append([ends, kind, record, 0, True])
            elif not found or not self.visible(record.source):
                continue
            found[-1][3] += record.cycles
            found[-1][4] &= record.counted
        return [self.entry(*each) for each in found]

    def entry(self, ends, kind, record, cycles, counted):
        mark = "-"
        if self.flags:
            mark = "M" if record.misp else "P"
        if not counted or not self.cycles:
            cycles = 0
        name = "-"
        if self.type:
            name = PERF_TYPES.get(kind)
            # Where it came from has to be known, to see what was there.
            call = record.ecall and ends[0]
            name = name or ("SYSCALL" if call else "ARCH_1")
        return Entry(*ends, mark, min(cycles, 0xffff), name)


Sample = namedtuple("Sample", "cpu ip entries s11 where")

HEAD = re.compile(r"^\s*(?P<comm>.*?)\s+(?P<tid>\d+)\s+\[(?P<cpu>\d+)\]"
                  r"\s+(?P<time>[\d.]+):\s+(?P<ip>[0-9a-f]+)\s*(?P<rest>.*)$")
# Registers come in the order of the ABI, whether perf knows their names or not.
REGISTER = re.compile(r"\b\w+:0x([0-9a-f]+)")
S11 = 27


def read_entry(text):
    f = text.split("/")
    return Entry(int(f[0], 16), int(f[1], 16), f[2], int(f[5]),
                 f[6] if len(f) > 6 and f[6] else "-")


def read_entries(text):
    return [read_entry(word) for word in text.split() if "/" in word]


Recording = namedtuple("Recording", "name filter lost known caught samples")


def read_script(path):
    with open(path, encoding="utf-8", errors="replace") as script:
        _, name, words, lost, *known = script.readline().split()
        samples = []
        for number, line in enumerate(script, 2):
            if not line.strip():
                continue
            head = HEAD.match(line)
            if not head:
                raise LogError(f"{path}:{number}: not a sample: {line}")
            registers = REGISTER.findall(head["rest"])
            samples.append(Sample(int(head["cpu"]), int(head["ip"], 16),
                                  read_entries(head["rest"]),
                                  int(registers[S11], 16), f"{path}:{number}"))
    # Of the kernel, more would be recorded while it reads what has been.
    name += " CTR-DRV-001" * ("k" in Filter(words).modes)
    catches = known[:1] == ["caught"]
    known = [int(word, 16) for word in known[catches:]]
    return Recording(name, Filter(words), int(lost), known * (not catches),
                     known * catches, samples)


def difference(got, want):
    """The first entry in which two stacks differ, or None."""
    for index in range(max(len(got), len(want))):
        one = got[index] if index < len(got) else None
        other = want[index] if index < len(want) else None
        if one != other:
            return f"entry {index} of {len(want)}: {one}, must be {other}"
    return None


class Rules:
    """The rules for who reads records, each by the entries that tell of it. If none does,
    there is no result."""

    def __init__(self):
        self.seen = {}

    def look(self, wish, got, want):
        """One entry"""
        held = {"CTR-TOOL-003": not (got.source | got.target) & 1}
        if not want.source:
            held["CTR-TOOL-001"] = not got.source and got.target == want.target
        if not want.target:
            held["CTR-TOOL-002"] = not got.target and got.source == want.source
        if wish.type:
            held["CTR-TYPE-020"] = got.type == want.type
        if wish.flags:
            held["CTR-ENT-015"] = got.mark == want.mark
        # As many as this a record has only with an exponent.
        if want.cycles >> CCM_BITS:
            held["CTR-CC-019"] = got.cycles == want.cycles
        if wish.cycles and not want.cycles:
            held["CTR-CC-021"] = not got.cycles
        for rule, holds in held.items():
            wrong = self.seen.setdefault(rule, [])
            if not holds and len(wrong) < 3:
                wrong.append(f"{got}, must be {want}")

    @staticmethod
    def of_recording(wish, known):
        """What a whole recording is about"""
        if not wish.call_stack:
            return ""
        return " CTR-RAS-011" if known else " CTR-RAS-012"


class Comparison:
    """Samples against overflows, in the order in which they happened.

    Each overflow is a sample, unless the event has been taken from its counter
    while the interrupt was pending but interrupts were off, as when its task is
    switched out. These have their sample there, or when the event comes back, by an
    interrupt that the driver raises. If it does not come back they are counted as lost.
    """

    def __init__(self, machine):
        self.waiting = {hart: iter(found)
                        for hart, found in machine.overflows.items()}
        self.far = machine.far
        self.told = []
        self.orphans = self.lost = 0
        # Samples in the kernel that the driver froze for: where an interrupt came, and at
        # which of the open calls, from the innermost.
        self.found = 0
        self.early = [0] * FREEZING_CALLS
        self.sees_the_kernel = False
        self.rules = Rules()

    def tell(self, text):
        if len(self.told) < 10:
            self.told.append(text)

    def skip(self, overflow, where):
        self.orphans += 1
        if not overflow.orphan:
            pc = "nobody knows" if overflow.pc is None else hex(overflow.pc)
            self.tell(f"{where}: before this, an overflow is no sample, "
                      f"interrupt at {pc}")

    def overflow_of(self, sample, wish):
        """An interrupt that came late, in the kernel, is shown to those who
        may not see the kernel where user mode was left. One that may be nobody's
        is often taken at the same place as the next."""
        for overflow in self.waiting.get(sample.cpu, ()):
            places = [overflow.pc, *sum(overflow.callers, ())]
            if wish.modes == {"u"}:
                places = [overflow.pc, overflow.user_pc]
            if sample.ip in places and not (overflow.orphan and
                                            self.differs(sample, overflow, wish)):
                self.note(sample, overflow)
                return overflow
            self.skip(overflow, sample.where)
        return None

    def note(self, sample, overflow):
        """Which of the two ways it was, user mode apart: there it makes no difference."""
        if not overflow.callers or not sample.ip >> 63:
            return
        at = [sample.ip in call for call in reversed(overflow.callers)]
        if any(at):
            self.early[at.index(True)] += 1
        else:
            self.found += 1

    def differs(self, sample, overflow, wish):
        """Are these not the sample's records?"""
        return overflow.records is not UNKNOWN and \
            difference(sample.entries, wish.entries(overflow.records, self.far))

    def skip_rest(self):
        for overflows in self.waiting.values():
            for overflow in overflows:
                self.skip(overflow, "the end")

    def compare(self, recording):
        """How many entries there are to compare, and known chains."""
        wish, known = recording.filter, recording.known
        self.sees_the_kernel |= "k" in wish.modes
        entries = chains = 0
        for sample in recording.samples:
            overflow = self.overflow_of(sample, wish)
            if not overflow:
                self.tell(f"{sample.where}: no overflow at {sample.ip:#x}")
                return entries, chains
            if overflow.records is UNKNOWN:
                self.tell(f"{sample.where}: not all that was recorded is in the "
                          "log: give it more memory (ctr-log-depth)")
                continue
            want = wish.entries(overflow.records, self.far)
            wrong = difference(sample.entries, want)
            for pair in zip(sample.entries, want):
                self.rules.look(wish, *pair)
            if wish.call_stack and not wrong:
                wrong = self.chain(sample, overflow)
            if known and known[0] <= sample.ip < known[1]:
                wrong = wrong or self.known_chain(sample, overflow, known[2])
                chains += 1
            if wrong:
                self.tell(f"{sample.where}: {wrong}")
            entries += len(want)
        return entries, chains

    @staticmethod
    def chain(sample, overflow):
        """The calls that are open, as the emulator has followed them. It says
        so where it is the user's that were interrupted."""
        if not overflow.call_stack:
            return "no call stack was recorded"
        got = [(entry.source, entry.target) for entry in sample.entries]
        if overflow.mode == "U" and got != overflow.frames[:len(got)]:
            return f"{got}, the open calls are {overflow.frames}"
        return None

    @staticmethod
    def known_chain(sample, overflow, descend):
        """In leaf(): as many calls of descend() as s11 says, or as there is
        room for beside the calls that it makes at the bottom."""
        targets = [entry.target for entry in sample.entries]
        above = targets.index(descend) if descend in targets else len(targets)
        want = min(sample.s11, overflow.depth - above)
        got = targets.count(descend)
        together = targets[above:above + want] == [descend] * want
        if got != want or not together or not 1 <= above <= 2:
            return f"{got} calls of descend(), {sample.s11} are open: " + \
                " ".join(hex(target) for target in targets)
        return None


def behind_catches(recording):
    """Behind each catch there is at least a sample of who was called there, and its innermost
    call is that one, whatever the exception has left below."""
    begin, end, catches = recording.caught
    behind = [sample for sample in recording.samples if begin <= sample.ip < end]
    if len(behind) < catches:
        yield f"{len(behind)} samples behind {catches} catches"
    for sample in behind:
        if not sample.entries or sample.entries[0].target != begin:
            yield f"{sample.where}: behind a catch, not called: {sample.entries[:1]}"


class Tap:
    """Results, with what there is to say of those that are bad."""

    def __init__(self):
        self.number = 0
        self.failed = False
        print("TAP version 13")

    def result(self, text, told):
        self.number += 1
        self.failed |= bool(told)
        for line in told:
            print(f"# {line}")
        print(f"{'not ' * bool(told)}ok {self.number} {text}")

    def end(self):
        print(f"1..{self.number}")


def compare_one(comparison, recording):
    """The result of a recording, and what there is to say of it."""
    comparison.told = []
    comparison.lost += recording.lost
    entries, chains = comparison.compare(recording)
    if not entries or (recording.known and not chains):
        comparison.tell("there is nothing to compare")
    for wrong in behind_catches(recording) if recording.caught else ():
        comparison.tell(wrong)
    rules = Rules.of_recording(recording.filter, recording.known)
    return f"{recording.name}: {len(recording.samples)} samples, " \
        f"{entries} entries{rules}", comparison.told


def main(log_path, folder, status, *wanted):
    machine = Machine(int(status, 16))
    broken = []
    try:
        with open(log_path, "rb", buffering=0) as log:
            machine.read(log)
    except LogError as error:
        broken = [str(error)]
    paths = sorted(glob.glob(os.path.join(folder, "*.script")))
    tap = Tap()
    tap.result("the log is what a machine does", broken)
    comparison = Comparison(machine)
    compared = [compare_one(comparison, read_script(path)) for path in paths]
    sins = machine.sins()
    if "frozen" in wanted and not comparison.found:
        sins.append("none was found without a trap")
    if comparison.sees_the_kernel and not any(comparison.early):
        sins.append("none was taken before its interrupt")
    # It is always the same function that says where it was called.
    if sum(map(bool, comparison.early)) > 1:
        sins.append(f"some are at other calls than the rest: {comparison.early}")
    rules = "CTR-DEPTH-009 CTR-STAT-012 CTR-STAT-013 "
    rules += "CTR-FRZ-011" if "frozen" in wanted else "CTR-STAT-014"
    if "frozen" not in wanted and not machine.restores():
        sins.append("no call stack has been restored")
    tap.result(f"registers are written by {rules}; {machine.restores()} restores, "
               f"{comparison.found} interrupts found without a trap, "
               f"{sum(comparison.early)} samples in the kernel before theirs", sins)
    for text, told in compared:
        tap.result(text, told)
    lost = comparison.lost
    comparison.told = []
    comparison.skip_rest()
    if comparison.orphans != machine.raised + lost:
        comparison.tell(f"perf says that {lost} are lost")
    if lost > len(paths):
        comparison.tell(f"{lost} are lost: of each program the last one may be")
    tap.result(f"{comparison.orphans} overflows are no samples when they come, but "
               f"{machine.raised} afterwards, or counted as lost", comparison.told)
    for rule, wrong in sorted(comparison.rules.seen.items()):
        tap.result(f"each entry is by {rule}", wrong)
    tap.end()
    return tap.failed


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
