# SPDX-License-Identifier: GPL-2.0-only
"""Writes perf.data files with sampled instructions, without hardware.

Nothing is taken from perf's own code: the layouts are those of perf.data-file-format
and perf_event.h.
"""

import os
import struct
import subprocess

# mvendorid, marchid and mimpid of the emulator
QEMU = (0, 0x2a, 0x68706d01)
PMU_TYPE = 10
SAMPLE_PMU_TYPE = 11
AUX_ID = 100
DUMMY_ID = 101
SINGLE_ID = 102
REGISTERS_ID = 103
COUNTER_ID = 104
BRANCHES_ID = 105

TYPE_SOFTWARE = 1
TYPE_RAW = 4
COUNT_SW_DUMMY = 9

SAMPLE_IP = 1 << 0
SAMPLE_TID = 1 << 1
SAMPLE_TIME = 1 << 2
SAMPLE_ADDR = 1 << 3
SAMPLE_CPU = 1 << 7
SAMPLE_PERIOD = 1 << 8
SAMPLE_RAW = 1 << 10
SAMPLE_BRANCH_STACK = 1 << 11
SAMPLE_REGS_USER = 1 << 12
SAMPLE_DATA_SRC = 1 << 15
SAMPLE_IDENTIFIER = 1 << 16
SAMPLE_TRANSACTION = 1 << 17
SAMPLE_PHYS_ADDR = 1 << 19
SAMPLE_WEIGHT_STRUCT = 1 << 24

MMAP = 1
COMM = 3
EXIT = 4
SAMPLE = 9
MMAP2 = 10
AUX = 11
ITRACE_START = 12
SWITCH = 14
SWITCH_CPU_WIDE = 15
AUX_OUTPUT_HW_ID = 21
HEADER_ATTR = 64
HEADER_BUILD_ID = 67
FINISHED_ROUND = 68
ID_INDEX = 69
AUXTRACE_INFO = 70
AUXTRACE = 71
TIME_CONV = 79
HEADER_FEATURE = 80

MISC_KERNEL = 1
MISC_USER = 2
MISC_SWITCH_OUT = 1 << 13
MISC_MMAP_BUILD_ID = 1 << 14
MISC_BUILD_ID_SIZE = 1 << 15

AUX_TRUNCATED = 1 << 0
AUX_PARTIAL = 1 << 2
AUX_COLLISION = 1 << 3

FEATURE_BUILD_ID = 2
FEATURE_HOSTNAME = 3
FEATURE_ARCH = 6
FEATURE_NRCPUS = 7
FEATURE_CPUID = 9
FEATURE_EVENT_DESC = 12
FEATURE_NUMA_TOPOLOGY = 14
FEATURE_BRANCH_STACK = 15
FEATURE_PMU_MAPPINGS = 16
FEATURE_AUXTRACE = 18

AUXTRACE_RISCV_PDIS = 0x50444953
FLAG_TIMES = 1
CAP_RV32 = 1

# A clock of 10 MHz: a tick is 100 ns.
SHIFT = 20
MULT = 100 << SHIFT
ZERO = 5_000_000_000

# PERFILE2, if it is written with the least byte first.
MAGIC = 0x32454c4946524550
LITTLE, BIG = "<", ">"


def to_ns(ticks):
    """perf's time of a tick"""
    return (ZERO + ticks * 100) % (1 << 64)


def attr(type_, config, sample_type, period, flags, registers=0, branches=0, order=LITTLE):
    """struct perf_event_attr"""
    text = struct.pack(order + "IIQQQQ", type_, 136, config, period, sample_type, 4)
    # The first of these bits is where the machine's compiler begins in a byte.
    bits = flags.to_bytes(8, "little")
    if order == BIG:
        bits = bytes(int(f"{byte:08b}"[::-1], 2) for byte in bits)
    text = (text + bits).ljust(72, b"\0") + struct.pack(order + "QQ", branches, registers)
    return text.ljust(136, b"\0")


BRANCH_USER = 1 << 0
BRANCH_ANY = 1 << 3

SAMPLE_ID_ALL = 1 << 18
EXCLUDE_KERNEL = 1 << 5
CONTEXT_SWITCH = 1 << 26
AUX_OUTPUT = 1 << 31

COMMON = SAMPLE_IDENTIFIER | SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_CPU
RICH = (COMMON | SAMPLE_ADDR | SAMPLE_DATA_SRC | SAMPLE_PHYS_ADDR |
        SAMPLE_WEIGHT_STRUCT | SAMPLE_RAW)


def text64(text, order=LITTLE):
    """a string as in a feature section"""
    data = text.encode() + b"\0"
    size = (len(data) + 63) & ~63
    return struct.pack(order + "I", size) + data.ljust(size, b"\0")


# The file begins at a page that is said; what follows it is as far into it as in memory.
LAYOUT = """PHDRS {{ text PT_LOAD FILEHDR PHDRS; data PT_LOAD; }}
SECTIONS {{
	.first {base:#x} + SIZEOF_HEADERS : {{ BYTE(0) }} :text
	.text {text:#x} : {{ *(.text) }} :text
	.data {data:#x} : {{ *(.data) }} :data
}}
"""


def link(path, code, base, text, data=0x7ff00000, build_id=None):
    """a program for RISC-V: what assembler and linker make of that"""
    name = path + ".part"
    with open(name + ".s", "w", encoding="ascii") as out:
        out.write(code)
    with open(name + ".lds", "w", encoding="ascii") as out:
        out.write(LAYOUT.format(base=base, text=text, data=data))
    which = "0x" + build_id.hex() if build_id else "none"
    for tool, *args in (("as", "-o", name + ".o", name + ".s"),
                        ("ld", "-T", name + ".lds", "--build-id=" + which, "-z",
                         "max-page-size=4096", "-e", f"{text:#x}", "--discard-none", "-o", path,
                         name + ".o")):
        subprocess.run(["riscv64-linux-gnu-" + tool, *args], check=True)
    for end in (".s", ".lds", ".o"):
        os.remove(name + end)


def symbols_at(first, size, symbols, kind):
    """code or data that consists of symbols: name, address, size; one without a size is a
    label, or says of what follows that it is code or data, as the assembler does"""
    lines, at = [], first

    def fill(until):
        if until > at:
            lines.append(f".skip {until - at}")
        return until

    for name, address, length in sorted(symbols, key=lambda symbol: symbol[1]):
        at = fill(address)
        if name in ("$x", "$d"):
            lines.append(".option norvc\nnop" if name == "$x" else ".4byte 0")
            at += 4
            continue
        quoted = '"' + name.replace('"', '\\"') + '"'
        lines.append(f"{quoted}:")
        if length:
            lines += [f".globl {quoted}", f".type {quoted}, @{kind}", f".size {quoted}, {length}"]
    fill(first + size)
    return "\n".join(lines + [""])


def program(path, text, size, symbols, build_id=None):
    """a program with code at 0x10000 + text, which is so far into its file"""
    link(path, ".text\n" + symbols_at(text, size, symbols, "function"), 0x10000,
         0x10000 + text, build_id=build_id)


class File:
    """A perf.data file in the making. Another machine's has other names, and another
    header of what is in the AUX buffers. The order of bytes is that of the machine that
    writes the file: records, and raw data, are as a hart has written them."""

    order = LITTLE
    pmu = "riscv_pdis"
    arch = "riscv64"
    sample_type = RICH & ~SAMPLE_RAW

    def __init__(self, period=1000, config=1 << 34, indexed=True, cpuid=None):
        self.data = bytearray()
        self.cpuid = cpuid
        self.index = []
        self.indexed = indexed
        self.build_ids = b""
        self.attrs = [
            (self.attr(PMU_TYPE, config, self.sample_type, period,
                       SAMPLE_ID_ALL | EXCLUDE_KERNEL), f"{self.pmu}//u", AUX_ID),
            (self.attr(TYPE_SOFTWARE, COUNT_SW_DUMMY, COMMON, 1,
                       SAMPLE_ID_ALL | CONTEXT_SWITCH), "dummy:u", DUMMY_ID),
        ]

    def pack(self, layout, *values):
        """numbers, in the machine's order"""
        return struct.pack(self.order + layout, *values)

    def text64(self, text):
        """a string as in a feature section"""
        return text64(text, self.order)

    def attr(self, *values):
        """struct perf_event_attr"""
        return attr(*values, order=self.order)

    def add_single(self, period):
        """an event of riscv_pdis_sample"""
        self.attrs.append((self.attr(SAMPLE_PMU_TYPE, 0, RICH, period, SAMPLE_ID_ALL),
                           "riscv_pdis_sample//u", SINGLE_ID))

    def add_registers(self, bits):
        """an event whose samples have registers"""
        self.attrs.append((self.attr(TYPE_RAW, 0, COMMON | SAMPLE_REGS_USER, 1000,
                                     SAMPLE_ID_ALL, bits), "cpu/event=0/u", REGISTERS_ID))

    def add_branches(self):
        """an event whose samples have branches"""
        self.attrs.append((self.attr(TYPE_RAW, 0, COMMON | SAMPLE_BRANCH_STACK, 1000,
                                     SAMPLE_ID_ALL, 0, BRANCH_USER | BRANCH_ANY),
                           "cpu/event=0/u", BRANCHES_ID))

    def add_counter(self, config, sample_type=RICH & ~SAMPLE_RAW | SAMPLE_PERIOD):
        """an event of which records tell: its id"""
        id_ = COUNTER_ID + len(self.attrs)
        self.attrs.append((self.attr(TYPE_RAW, config, sample_type, 0,
                                     SAMPLE_ID_ALL | AUX_OUTPUT),
                           f"cpu/event={config:#x},aux-output/u", id_))
        return id_

    def event(self, type_, body, misc=0, tail=b""):
        """any event; the tail is not counted in its size"""
        self.data += self.head(type_, len(body), misc) + body + tail

    def head(self, type_, size, misc=0):
        """what each event begins with"""
        return self.pack("IHH", type_, misc, 8 + size)

    def sample_id(self, pid, tid, ticks, cpu, id_=DUMMY_ID):
        """what ends each of the kernel's events"""
        return self.pack("IIQIIQ", pid, tid, to_ns(ticks), cpu, 0, id_)

    def time_conv(self, mult=MULT, shift=SHIFT):
        """from ticks to perf's time"""
        self.event(TIME_CONV, self.pack("QQQQQBB6x", shift, mult, ZERO, 0,
                                        0xffffffffffffffff, 1, 0))

    def info(self, cpus, flags=FLAG_TIMES, version=1, size=6, nr=None, cpu_size=7, cut=None):
        """PERF_RECORD_AUXTRACE_INFO; cpus are capabilities and events, and perhaps which core"""
        words = [version, size, len(cpus) if nr is None else nr, cpu_size, PMU_TYPE, flags]
        words += [0x77] * (size - 6)
        for i, (caps, events, *core) in enumerate(cpus):
            words += [i, *(core[0] if core else QEMU), PMU_TYPE, caps, events]
            words += [0x66] * (cpu_size - 7)
        words = words[:cut]
        self.event(AUXTRACE_INFO, self.pack("II", AUXTRACE_RISCV_PDIS, 0) +
                   self.pack("%dQ" % len(words), *words))

    def comm(self, pid, tid, name, ticks, cpu=0):
        """the name of a thread"""
        body = name.encode() + b"\0"
        body = body.ljust((len(body) + 7) & ~7, b"\0")
        self.event(COMM, self.pack("II", pid, tid) + body +
                   self.sample_id(pid, tid, ticks, cpu))

    def mmap(self, pid, addr, length, name, ticks, cpu=0):
        """a program's code"""
        body = name.encode() + b"\0"
        body = body.ljust((len(body) + 7) & ~7, b"\0")
        self.event(MMAP, self.pack("IIQQQ", pid, pid, addr, length, 0) + body +
                   self.sample_id(pid, pid, ticks, cpu), MISC_USER)

    def mmap_with_id(self, pid, addr, length, name, build_id, ticks):
        """the same, and which build of it"""
        body = name.encode() + b"\0"
        body = body.ljust((len(body) + 7) & ~7, b"\0")
        self.event(MMAP2, self.pack("IIQQQ", pid, pid, addr, length, 0) +
                   self.pack("B3x20s", len(build_id), build_id) + self.pack("II", 5, 2) + body +
                   self.sample_id(pid, pid, ticks, 0), MISC_USER | MISC_MMAP_BUILD_ID)

    def has_id(self, name, build_id):
        """which build of a program it was is said at the end of the file"""
        body = name.encode() + b"\0"
        body = self.pack("i20sB3x", -1, build_id, len(build_id)) + \
            body.ljust((len(body) + 7) & ~7, b"\0")
        self.build_ids += self.head(HEADER_BUILD_ID, len(body),
                                    MISC_USER | MISC_BUILD_ID_SIZE) + body

    def itrace_start(self, pid, tid, ticks, cpu):
        """the event begins on a CPU"""
        self.event(ITRACE_START, self.pack("II", pid, tid) +
                   self.sample_id(pid, tid, ticks, cpu, AUX_ID))

    def switch(self, pid, tid, ticks, cpu, out=False):
        """a thread comes, or goes"""
        self.event(SWITCH, self.sample_id(pid, tid, ticks, cpu), MISC_SWITCH_OUT if out else 0)

    def switch_wide(self, pid, tid, other, ticks, cpu, out=False):
        """the same, of all threads; other is the pair of pid and tid after or before it"""
        self.event(SWITCH_CPU_WIDE, self.pack("II", *other) +
                   self.sample_id(pid, tid, ticks, cpu), MISC_SWITCH_OUT if out else 0)

    def aux(self, offset, size, flags, pid, tid, ticks, cpu):
        """PERF_RECORD_AUX"""
        self.event(AUX, self.pack("QQQ", offset, size, flags) +
                   self.sample_id(pid, tid, ticks, cpu, AUX_ID))

    def counter(self, number, id_, tid, ticks, cpu):
        """PERF_RECORD_AUX_OUTPUT_HW_ID: an event has got a counter"""
        self.event(AUX_OUTPUT_HW_ID, self.pack("Q", number) +
                   self.sample_id(1000, tid, ticks, cpu, id_))

    def id_index(self, entries):
        """PERF_RECORD_ID_INDEX; entries are of id, index, CPU and thread"""
        self.event(ID_INDEX, self.pack("Q", len(entries)) +
                   b"".join(self.pack("QQqq", *entry) for entry in entries))

    def auxtrace(self, data, idx=0, cpu=0, tid=-1, offset=0, reference=0, size=None):
        """a part of an AUX buffer"""
        self.index.append((len(self.data), 48))
        self.event(AUXTRACE, self.pack("QQQIiiI", len(data) if size is None else size,
                                       offset, reference, idx, tid, cpu, 0), tail=data)

    def sample(self, pid, tid, ticks, cpu, record, weights, data_src, addr, phys, raw=None,
               misc=MISC_USER):
        """a sample of riscv_pdis_sample"""
        raw = struct.pack("<I", len(record)) + record if raw is None else raw
        raw = raw.ljust((len(raw) + 4 + 7) // 8 * 8 - 4, b"\0")
        pc = struct.unpack_from("<Q" if len(record) == 64 else "<I", record, 8)[0]
        body = self.pack("QQIIQQII", SINGLE_ID, pc, pid, tid, to_ns(ticks), addr, cpu, 0)
        body += self.pack("I", len(raw)) + raw
        weight = weights[0] | weights[1] << 32 | weights[2] << 48
        body += self.pack("QQQ", weight, data_src, phys)
        self.event(SAMPLE, body, misc)

    def sample_registers(self, pid, tid, ticks, cpu, values):
        """a sample of that event"""
        self.event(SAMPLE, self.pack("QQIIQII", REGISTERS_ID, values[0], pid, tid,
                                     to_ns(ticks), cpu, 0) +
                   self.pack("Q%dQ" % len(values), 2, *values), MISC_USER)

    def sample_branches(self, pid, tid, ticks, ip, branches):
        """a sample of that event; branches are of from and to, the newest first, and may have
        flags"""
        self.event(SAMPLE, self.pack("QQIIQII", BRANCHES_ID, ip, pid, tid, to_ns(ticks), 0, 0) +
                   self.pack("Q", len(branches)) +
                   b"".join(self.pack("QQQ", *(*branch, 0)[:3]) for branch in branches),
                   MISC_USER)

    def features(self, data_at):
        """each feature's number and content"""
        index = self.pack("Q", len(self.index)) + b"".join(
            self.pack("QQ", data_at + at, size) for at, size in self.index)
        desc = self.pack("II", len(self.attrs), 136)
        for attr_, name, id_ in self.attrs:
            desc += attr_ + self.pack("I", 1) + self.text64(name) + self.pack("Q", id_)
        pmus = self.pack("I", 3)
        for type_, name in ((TYPE_SOFTWARE, "software"), (PMU_TYPE, self.pmu),
                            (SAMPLE_PMU_TYPE, "riscv_pdis_sample")):
            pmus += self.pack("I", type_) + self.text64(name)
        found = [(FEATURE_HOSTNAME, self.text64("hart")),
                 (FEATURE_ARCH, self.text64(self.arch)),
                 (FEATURE_NRCPUS, self.pack("II", 4, 4)),
                 (FEATURE_EVENT_DESC, desc),
                 (FEATURE_NUMA_TOPOLOGY, self.pack("IIQQ", 1, 0, 1 << 20, 1 << 19) +
                  self.text64("0-3")),
                 (FEATURE_PMU_MAPPINGS, pmus)]
        if any(id_ == BRANCHES_ID for _, _, id_ in self.attrs):
            found.insert(-1, (FEATURE_BRANCH_STACK, b""))
        if self.cpuid:
            found.insert(3, (FEATURE_CPUID, self.text64("-".join(f"{n:#x}" for n in self.cpuid))))
        if self.indexed:
            found.append((FEATURE_AUXTRACE, index))
        if self.build_ids:
            found.insert(0, (FEATURE_BUILD_ID, self.build_ids))
        return found

    def write(self, path):
        """write the file"""
        head = 104
        ids_at = head
        ids = b"".join(self.pack("Q", id_) for _, _, id_ in self.attrs)
        attrs_at = ids_at + len(ids)
        attrs = b""
        for i, (attr_, _, _) in enumerate(self.attrs):
            attrs += attr_ + self.pack("QQ", ids_at + 8 * i, 8)
        data_at = attrs_at + len(attrs)
        features = self.features(data_at)
        bits = sum(1 << number for number, _ in features)
        table_at = data_at + len(self.data)
        at = table_at + 16 * len(features)
        table = content = b""
        for _, text in features:
            table += self.pack("QQ", at + len(content), len(text))
            content += text
        with open(path, "wb") as out:
            out.write(self.pack("9Q", MAGIC, head, 152, attrs_at, len(attrs), data_at,
                                len(self.data), 0, 0))
            out.write(self.pack("QQQQ", bits, 0, 0, 0))
            out.write(ids + attrs + self.data + table + content)

    def write_pipe(self, path):
        """write what goes through a pipe"""
        with open(path, "wb") as out:
            out.write(self.pack("QQ", MAGIC, 16))
            for attr_, _, id_ in self.attrs:
                out.write(self.head(HEADER_ATTR, len(attr_) + 8) + attr_ + self.pack("Q", id_))
            for number, text in self.features(0):
                if number != FEATURE_AUXTRACE:
                    out.write(self.head(HEADER_FEATURE, 8 + len(text)) +
                              self.pack("Q", number) + text)
            out.write(self.data)
