# SPDX-License-Identifier: GPL-2.0-only
"""Records of sampled instructions, made of fields, and what perf is to say of them.

What is expected is made of the same fields: no record is ever decoded.
"""

import os
import struct

from perf_data import File, to_ns

LATENCIES = ["dispatch_lat", "issue_lat", "exec_lat", "retire_lat", "oldest_lat"]
ALL_FIELDS = ("comm,pid,tid,cpu,time,event,ip,addr,phys_addr,weight,ins_lat,data_src,flags,"
              "brstack,period," + ",".join(LATENCIES))
SCRIPT = "script --ns -F " + ALL_FIELDS

# Bits of hdrev.
BIT = {"flushed": 32, "partial": 35, "fused": 36, "itlb_miss": 37, "icache_miss": 38,
       "l1_miss": 39, "llc_miss": 40, "l1_tlb_miss": 45, "ll_tlb_miss": 46,
       "trap_return": 39, "not_taken": 40, "taken": 41, "ind_call": 44, "dir_call": 45,
       "ind_jump": 46, "dir_jump": 47, "swap": 48, "return": 49, "ind_ljump": 50,
       "dir_ljump": 51, "mispredicted": 52}
TYPES = ["other", "load", "store", "load+store"]
TRANSFERS = ["trap_return", "not_taken", "taken", "ind_call", "dir_call", "ind_jump",
             "dir_jump", "swap", "return", "ind_ljump", "dir_ljump"]
FLUSHED_BY = ["", " by branch", " by memory", " by reserved"]

# perf's words for them: in flags, and in a branch stack.
FLAGS = {"trap_return": "iret", "not_taken": "jcc", "taken": "jcc", "ind_call": "call",
         "dir_call": "call", "ind_jump": "jmp", "dir_jump": "jmp", "swap": "jmp",
         "return": "return", "ind_ljump": "jmp", "dir_ljump": "jmp", None: "jmp"}
STACK = {"trap_return": "ERET", "taken": "COND", "ind_call": "IND_CALL", "dir_call": "CALL",
         "ind_jump": "IND", "dir_jump": "UNCOND", "swap": "ARCH_2", "return": "RET",
         "ind_ljump": "IND", "dir_ljump": "UNCOND", None: ""}

# What the codes of the emulator's core say
SOURCES = {1: "l1d", 2: "ll", 3: "memory", 4: "stlf", 5: "device", 6: "remote_hitm"}

# What a hart has: all of it, and the least.
RICH = ("llc_miss", "ll_tlb_miss", "mispredicted", "flushed")
POOR = ("flushed",)


def events_of(has):
    """the bits of hdrev"""
    return sum(1 << BIT[name] for name in has)


class Record:
    """A sampled instruction."""

    def __init__(self, type_="other", time=0, pc=0x10000, adr1=0, adr2=0, **more):
        self.type = type_
        self.time = time
        self.pc = pc
        self.adr1 = adr1
        self.adr2 = adr2
        self.kind = more.get("kind")
        self.what = set(more.get("what", ()))
        self.flush = more.get("flush", 0)
        self.source = more.get("source", 0)
        # What codes of sources mean is known of the emulator alone.
        self.known_core = more.get("known_core", True)
        # Whether another hart's cache had modified the data, if that is known otherwise.
        self.hitm = self.taken = more.get("hitm")
        self.counters = more.get("counters", 0)
        self.format = more.get("format", 0)
        self.total = more.get("total", 0)
        # dispatch, issue, execution, oldest; None: the hart does not tell
        self.stages = more.get("stages", [None] * 4)
        # What says nothing: bits of the first word, the field of a stage that is not told,
        # and the last two words
        self.also = more.get("also", 0)
        self.untold = more.get("untold", 0)
        self.rest = more.get("rest", 0)
        # The branch stack where only pieces of ways are asked for, None if it is another one
        self.piece = more.get("piece")

    def is_access(self):
        """is it a load or store?"""
        return self.type in TYPES[1:]

    def is_transfer(self):
        """is it a transfer of control?"""
        return self.type == "transfer"

    def hdrev(self):
        """the first word"""
        numbers = {"transfer": 4, "type 5": 5, "type 6": 6, "type 7": 7}
        word = numbers[self.type] if self.type in numbers else TYPES.index(self.type)
        for name in self.what:
            word |= 1 << BIT[name]
        if self.kind:
            word |= 1 << BIT[self.kind]
        return (word | self.flush << 33 | self.source << 41 | self.counters |
                self.format << 61 | self.also)

    def lat(self):
        """the word of latencies"""
        word = self.total
        for i, cycles in enumerate(self.stages):
            if cycles is not None:
                word |= cycles << (12 + 12 * i) | 1 << (60 + i)
            else:
                word |= self.untold << (12 + 12 * i)
        return word

    def pack(self):
        """as a hart with 64-bit registers writes it"""
        return struct.pack("<8Q", self.hdrev(), self.pc, self.time, self.lat(),
                           self.adr1, self.adr2, self.rest, self.rest)

    def pack32(self):
        """as one with 32-bit registers does"""
        return struct.pack("<QIIQII", self.hdrev(), self.pc, self.time & 0xffffffff,
                           self.lat(), self.adr1, self.adr2)

    # What perf says of it.

    def latencies(self):
        """the cycles of LATENCIES, None where that is not told"""
        dispatch, issue, execution, oldest = self.stages
        retire = None
        if None not in (dispatch, issue, execution) and "flushed" not in self.what:
            retire = max(0, self.total - dispatch - issue - execution)
        return [dispatch, issue, execution, retire, oldest]

    def weights(self):
        """the same of a sample that has no record, but weights, in which 0 may be either"""
        return [None, self.stages[1] or 0, self.stages[2] or 0, None, None]

    def cycles(self):
        """where its cycles went, as far as it is told"""
        dispatch, issue, execution, retire, oldest = self.latencies()
        return [("oldest-cycles", oldest), ("total-cycles", self.total),
                ("dispatch-cycles", dispatch), ("issue-cycles", issue),
                ("execution-cycles", execution), ("retire-cycles", retire)]

    def addr(self):
        """the address that goes with it"""
        if "flushed" not in self.what:
            return self.adr1
        return self.adr2 if self.is_access() else 0

    def phys(self):
        """the physical address"""
        return self.adr2 if self.is_access() and "flushed" not in self.what else 0

    def is_hitm(self):
        """another hart's cache had the data, and had modified it"""
        return self.known_core and self.source in SOURCES and \
            (self.source == 6 if self.hitm is None else self.hitm)

    def snoop(self):
        """what is known of other harts' caches: bits, text"""
        if self.is_hitm():
            return 0x10, "HitM"
        # One that has it unmodified is not told of if the data come from further away.
        return (2, "None") if self.known_core and self.source in (1, 4, 5) else (1, "N/A")

    def level(self, has):
        """where the data was: number, level, text"""
        if self.is_hitm():
            return 3, 0x40 | 0x2, "L3 hit"
        if "l1_miss" not in self.what:
            return 1, 0x8 | 0x2, "L1 hit"
        if "llc_miss" in self.what:
            return 0xd, 0x80 | 0x2, "RAM hit"
        if "llc_miss" in has:
            return 3, 0x40 | 0x2, "L3 hit"
        return 0xf, 0x8 | 0x4, "L1 miss"

    def tlb(self, has):
        """what the TLB did: bits, text"""
        if "l1_tlb_miss" not in self.what:
            return 0x8 | 0x2, "L1 hit"
        if "ll_tlb_miss" in self.what:
            return 0x10 | 0x4, "L2 miss"
        if "ll_tlb_miss" in has:
            return 0x10 | 0x2, "L2 hit"
        return 0x8 | 0x4, "L1 miss"

    def data_src(self, has):
        """PERF_SAMPLE_DATA_SRC, as a number and as text"""
        # perf tells the first of two operations only.
        op, op_text = {"load": (2, "LOAD"), "store": (4, "STORE"),
                       "load+store": (6, "LOAD")}.get(self.type, (1, "N/A"))
        number, level, level_text = 0xf, 1, "N/A"
        tlb, tlb_text = 1, "N/A"
        snoop, snoop_text = 1, "N/A"
        if not self.is_access() or "flushed" in self.what:
            op, op_text = 1, "N/A"
        else:
            number, level, level_text = self.level(has)
            tlb, tlb_text = self.tlb(has)
            snoop, snoop_text = self.snoop()
        value = op | level << 5 | snoop << 19 | 1 << 24 | tlb << 26 | number << 33
        return value, (f"|OP {op_text}|LVL {level_text}|SNP {snoop_text}|TLB {tlb_text}|"
                       "LCK N/A|BLK N/A")

    def stack(self, has):
        """the branch stack"""
        if self.piece is not None:
            return self.piece
        if not self.is_transfer() or "flushed" in self.what:
            return ""
        text = ""
        if self.adr1 and self.kind != "not_taken":
            guess = "-"
            if "mispredicted" in self.what:
                guess = "M"
            elif "mispredicted" in has:
                guess = "P"
            text = f" {self.pc:#x}/{self.adr1:#x}/{guess}/-/-/{self.total}/{STACK[self.kind]}/-"
        if self.adr2:
            text += f" 0x0/{self.adr2:#x}/-/-/-/0//-"
        return text

    def flags(self):
        """the flags"""
        if not self.is_transfer() or "flushed" in self.what:
            return ""
        return " " + FLAGS[self.kind]

    def script(self, who, cpu, has, event="pdis", period=1000, rich=True, timed=True,
               flags=True, clock=to_ns, name="", raw=True):
        """perf script's line; who is the thread's name and numbers"""
        value, text = self.data_src(has)
        ns = clock(self.time)
        time = f"{ns // 10**9}.{ns % 10**9:09d}: " if timed else ""
        where = f"[{cpu:03d}] {time}" if cpu is not None else time
        cycles = " ".join("-" if number is None else str(number)
                          for number in (self.latencies() if raw else self.weights()))
        return (f"{who} {where}{period} {event}:{self.flags() if flags else ''} {self.addr():x}"
                f"{name} {value:x} {text} {self.total} {self.stages[1] or 0} {cycles} "
                f"{self.pc:x}{name}{self.stack(has) if rich else ''} {self.phys():x}")

    def text(self):
        """the line of a dump"""
        if self.format:
            return f"unknown format {self.format}: {self.hdrev():#x}"
        words = [self.kind or "transfer" if self.is_transfer() else self.type,
                 f"pc {self.pc:#x}"]
        flushed = "flushed" in self.what

        def address(name, value):
            if value:
                words.append(f"{name} {value:#x}")

        if flushed:
            words.append("flushed" + FLUSHED_BY[self.flush])
            address("cause", self.adr1)
            if self.is_access():
                address("data", self.adr2)
        elif self.is_access():
            address("data", self.adr1)
            address("physical", self.adr2)
        elif self.is_transfer():
            address("to", self.adr1)
            address("prior", self.adr2)
        order = ["partial", "fused", "itlb_miss", "icache_miss"]
        if self.is_access():
            order = ["l1_miss", "llc_miss", "l1_tlb_miss", "ll_tlb_miss", "source"] + order
        if self.is_transfer():
            order.append("mispredicted")
        for name in order:
            if name == "source":
                words += [f"source {self.source}"] if self.source else []
                if self.known_core and self.source in SOURCES:
                    words.append(f"({SOURCES[self.source]})")
            elif name in self.what:
                words.append(name)
        if self.counters:
            words.append(f"counters {self.counters:#x}")
        words.append(f"total {self.total}")
        for name, cycles in zip(("dispatch", "issue", "execution", "oldest"), self.stages):
            if cycles is not None:
                words.append(f"{name} {cycles}")
        if self.time:
            words.append(f"time {self.time}")
        return " ".join(words)


class Cases:
    """The folder that tests are written to. All names in it may begin alike."""

    prefix = ""

    def __init__(self, folder):
        self.folder = folder
        os.makedirs(folder, exist_ok=True)

    def test(self, name, data, args, expected, keep=".", status=0, make="", holds=""):
        """one test; perf may have to make its file first; rules that are held by it"""
        with open(self.path(name + ".test"), "w", encoding="ascii") as out:
            out.write(f"{self.prefix}{data}\n{args}\n{keep}\n{make}\n{holds}\n")
        with open(self.path(name + ".expected"), "w", encoding="utf-8") as out:
            for line in expected:
                out.write(line + "\n")
            out.write(f"status {status}\n")

    def path(self, name):
        """where a file is to be"""
        return os.path.join(self.folder, self.prefix + name)


def some_record(rng, time):
    """a record of whatever kind"""
    type_ = rng.choice(["other", "load", "store", "load+store", "transfer", "transfer",
                        "type 5", "type 6", "type 7"])
    what = {name for name in ("flushed", "partial", "fused", "itlb_miss", "icache_miss")
            if rng.random() < 0.2}
    more = {"counters": rng.choice([0, 0, 0xfffffff8, 0x18])}
    if type_ in TYPES[1:]:
        what |= {name for name in ("l1_miss", "llc_miss", "l1_tlb_miss", "ll_tlb_miss")
                 if rng.random() < 0.5}
        more["source"] = rng.choice([0, 0, 5, 6, 7, 15])
    if type_ == "transfer":
        what |= {"mispredicted"} if rng.random() < 0.3 else set()
        more["kind"] = rng.choice(TRANSFERS + [None])
    if "flushed" in what:
        more["flush"] = rng.randrange(4)
    return Record(type_, time, 0x10000 + 2 * rng.randrange(0x8000),
                  rng.choice([0, 0x7fff12340000 + rng.randrange(1 << 20)]),
                  rng.choice([0, 0x80000000 + rng.randrange(1 << 28)]), what=what,
                  total=rng.randrange(4096),
                  stages=[rng.choice([None, 0, 1, rng.randrange(4096), 4095])
                          for _ in range(4)], **more)


def begin(cpus, kind=File, code="/nowhere/prog", core=(), caps=0, **how):
    """a file that begins as any; core is which, if it is not the emulator's, caps what it can"""
    file = kind(**how)
    file.time_conv()
    file.info([(caps, events_of(has), *core) for has in cpus])
    file.comm(1000, 1000, "prog", 10)
    file.mmap(1000, 0x10000, 0x10000, code, 11)
    file.itrace_start(1000, 1000, 12, 0)
    return file


PROG = "prog 1000/1000"
DUMPED = r"^\. [0-9a-f]{8}: "


def dumped(records, size=64):
    """the lines of a dump"""
    return [f". {size * i:08x}: {record.text()}" for i, record in enumerate(records)]


def error(record, what, code, cpu=0, tid=1000, pid=1000):
    """the line of an error"""
    ns = to_ns(record.time)
    return (f"instruction trace error type 1 time {ns // 10**9}.{ns % 10**9:09d} cpu {cpu} "
            f"pid {pid} tid {tid} ip 0 code {code}: {what}")


# What there is to say besides, which is not the tests' matter.
LINES = "^(prog|one|two|:|instruction trace error)"


def done(record):
    """did it retire?"""
    return "flushed" not in record.what


def missed(what):
    """was it an access that missed this?"""
    return lambda record: record.is_access() and done(record) and what in record.what


def access(record):
    """was it an access?"""
    return record.is_access() and done(record)


def branch(*kinds):
    """was it one of these transfers?"""
    return lambda record: record.is_transfer() and done(record) and (
        not kinds or record.kind in kinds)
