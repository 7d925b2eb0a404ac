#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Writes files of sampled instructions and what perf is to say of them.

  cases.py FOLDER

For each test there is NAME.test, which says what file it is about, how perf is called,
which lines of its output matter, and which rules it is about, and NAME.expected, which
says what these are. The script "run" beside this one runs them.
"""

import collections
import os
import random
import struct
import sys

import perf_data
import rules
import ways
from perf_data import File, to_ns
from records import (DUMPED, LINES, POOR, PROG, RICH, SCRIPT, Cases, Record, access, begin,
                     branch, done, dumped, error, events_of, missed, some_record)


def all_kinds(cases):
    """Everything that a record can say, of harts that have much and little."""
    rng = random.Random(1)
    for name, has in (("rich", RICH), ("poor", POOR)):
        records = [some_record(rng, 1000 + 10 * i) for i in range(400)]
        file = begin([has])
        file.auxtrace(b"".join(record.pack() for record in records))
        file.write(cases.path(name + ".data"))
        cases.test(name, name + ".data", SCRIPT,
                   [record.script(PROG, 0, has) for record in records])
        cases.test(name + "-dump", name + ".data", "script -D", dumped(records), DUMPED)
        cases.test(name + "-report-dump", name + ".data", "report -D", dumped(records), DUMPED)


def threads(cases):
    """Who ran when a record was made is who had been switched to last."""
    rng = random.Random(2)
    names = {1000: "prog", 1001: "one", 1002: "two"}
    for wide in (False, True):
        name = "wide" if wide else "threads"
        file = begin([RICH, POOR])
        for tid in (1001, 1002):
            file.comm(1000, tid, names[tid], 20)
        expected, events = [], []
        for cpu, has in enumerate((RICH, POOR)):
            data, time, running = b"", 100 + cpu, 1000 if not cpu else None
            while time < 20000:
                for _ in range(rng.randrange(12) if running else 0):
                    time += 2 * rng.randrange(1, 40)
                    record = some_record(rng, time)
                    data += record.pack()
                    who = f"{names[running]} 1000/{running}"
                    expected.append((time, record.script(who, cpu, has)))
                time += 20
                other = rng.choice([tid for tid in names if tid != running])
                if running:
                    events.append((time, True, running, other, cpu))
                time += 20
                events.append((time, False, other, running or 0, cpu))
                running = other
            file.auxtrace(data, cpu, cpu)
        for time, out, tid, other, cpu in sorted(events):
            if wide:
                file.switch_wide(1000, tid, (1000, other), time, cpu, out)
            else:
                file.switch(1000, tid, time, cpu, out)
        file.write(cases.path(name + ".data"))
        cases.test(name, name + ".data", SCRIPT, [line for _, line in sorted(expected)], LINES)
        cases.test(name + "-cpu", name + ".data", SCRIPT + " -C 1",
                   [line for _, line in sorted(expected) if "[001]" in line], LINES)


def gone(cases):
    """Who goes does not run: of a CPU to which nobody has come it is not known who does."""
    records = [Record("load", 1000 + 10 * i, total=i) for i in range(8)]
    for wide in (False, True):
        name = "gone-wide" if wide else "gone"
        file = begin([RICH, POOR])
        file.comm(1000, 1001, "one", 20)
        file.auxtrace(b"".join(record.pack() for record in records), 1, 1)
        for time, out in ((1025, True), (1055, False)):
            if wide:
                file.switch_wide(1000, 1001, (0, 0), time, 1, out)
            else:
                file.switch(1000, 1001, time, 1, out)
        file.write(cases.path(name + ".data"))
        cases.test(name, name + ".data", SCRIPT, [
            record.script("one 1000/1001" if record.time > 1055 else ":-1 -1/-1", 1, POOR)
            for record in records], LINES)


def times_of(cases, prefix):
    """What is not within the time that is asked for is not even looked at."""
    rng = random.Random(3)
    records = [some_record(rng, 1000 + 10 * i) for i in range(1000)]
    for i in (100, 998):
        records[i].format = 1
    data = prefix + ".data"
    file = begin([RICH])
    for i in range(0, 1000, 250):
        file.auxtrace(b"".join(record.pack() for record in records[i:i + 250]), offset=64 * i)
    file.write(cases.path(data))

    def between(*ranges):
        return [record.script(PROG, 0, RICH) for record in records
                if any(start <= record.time <= end for start, end in ranges)]

    def option(*ranges):
        return SCRIPT + " --time '" + " ".join(
            ",".join(f"{to_ns(t) // 10**9}.{to_ns(t) % 10**9:09d}" for t in pair)
            for pair in ranges) + "'"

    for name, ranges in (("one", [(5000, 5500)]), ("first", [(1000, 1500)]),
                         ("last", [(10500, 10960)]), ("none", [(20000, 30000)]),
                         ("several", [(2500, 2600), (3500, 3530), (6000, 8010)])):
        cases.test(f"{prefix}-{name}", data, option(*ranges), between(*ranges), LINES)
    cases.test(prefix + "-all", data, SCRIPT, [
        error(records[i - 1], "Record of an unknown format", 1) if record.format
        else record.script(PROG, 0, RICH) for i, record in enumerate(records)], LINES)


def times(cases):
    """The same with a clock that began before perf's."""
    times_of(cases, "times")
    zero = perf_data.ZERO
    perf_data.ZERO = (1 << 64) - 50000
    times_of(cases, "early")
    perf_data.ZERO = zero


def fine_times(cases):
    """Where a tick is no whole number of nanoseconds, what is rounded is not left out."""
    rng = random.Random(21)
    mult = (7 << perf_data.SHIFT) // 3
    records = [some_record(rng, 1000 + i) for i in range(300)]
    file = File()
    file.time_conv(mult)
    file.info([(0, events_of(RICH))])
    file.comm(1000, 1000, "prog", 10)
    file.mmap(1000, 0x10000, 0x10000, "/nowhere/prog", 11)
    file.itrace_start(1000, 1000, 12, 0)
    file.auxtrace(b"".join(record.pack() for record in records))
    file.write(cases.path("fine.data"))

    def clock(ticks):
        return perf_data.ZERO + (ticks * mult >> perf_data.SHIFT)

    for i in range(3):
        within = records[100 + i:201 + i]
        times = (f"{clock(r.time) // 10**9}.{clock(r.time) % 10**9:09d}"
                 for r in (within[0], within[-1]))
        cases.test(f"fine-{i}", "fine.data", SCRIPT + " --time " + ",".join(times),
                   [record.script(PROG, 0, RICH, clock=clock) for record in within], LINES)


def options(cases):
    """Kinds of events, as --itrace asks for them."""
    rng = random.Random(4)
    records = [some_record(rng, 1000 + 10 * i) for i in range(300)]
    records[7].format = 3
    file = begin([RICH])
    file.auxtrace(b"".join(record.pack() for record in records))
    file.write(cases.path("options.data"))
    good = [record for record in records if not record.format]
    calls = branch("ind_call", "dir_call")
    returns = branch("trap_return", "return")
    for letters, kinds in (
            ("f", [("l1d-miss", missed("l1_miss")), ("l1d-access", access)]),
            ("m", [("llc-miss", missed("llc_miss")), ("llc-access", missed("l1_miss"))]),
            ("t", [("tlb-miss", missed("l1_tlb_miss")), ("tlb-access", access)]),
            ("M", [("memory", access)]), ("b", [("branches", branch())]),
            ("c", [("branches", calls)]), ("r", [("branches", returns)]),
            ("cr", [("branches", lambda record: calls(record) or returns(record))]),
            ("i", [("instructions", done)]),
            ("bM", [("branches", branch()), ("memory", access)])):
        cases.test("option-" + letters, "options.data", SCRIPT + " --itrace=" + letters, [
            record.script(PROG, 0, RICH, event) for record in good
            for event, is_one in kinds if is_one(record)], LINES)
    retired = [record for record in good if done(record)]
    cases.test("option-y", "options.data", SCRIPT + " --itrace=y", [
        record.script(PROG, 0, RICH, event, 1000 * cycles) for record in retired
        for event, cycles in record.cycles() if cycles], LINES)
    cases.test("option-period", "options.data", SCRIPT + " --itrace=i3500i", [
        record.script(PROG, 0, RICH, "instructions", 4000) for record in retired[3::4]], LINES)
    cases.test("option-skip", "options.data", SCRIPT + " --itrace=s5", [
        record.script(PROG, 0, RICH) for record in good[5:]], LINES)
    cases.test("option-errors", "options.data", SCRIPT + " --itrace=e", [
        error(records[6], "Record of an unknown format", 1) if record.format
        else record.script(PROG, 0, RICH) for record in records], LINES)
    cases.test("option-quick", "options.data", SCRIPT + " --itrace=q", [
        record.script(PROG, 0, RICH, rich=False, raw=False) for record in good], LINES)
    cases.test("option-log", "options.data", "script -F ip --itrace=d+o", [
        f"cpu 0 tid 1000: {record.text()}" for record in good], "^cpu")


def broken(cases):
    """What is wrong is told, and what is right as well."""
    records = [Record("load", 1000 + 10 * i, total=i) for i in range(4)]
    lines = [record.script(PROG, 0, RICH) for record in records]
    packed = [record.pack() for record in records]

    file = begin([RICH])
    file.auxtrace(packed[0] + packed[1][:40])
    file.auxtrace(b"", offset=64)
    file.auxtrace(packed[2] + packed[3], offset=64)
    file.write(cases.path("part.data"))
    cases.test("part", "part.data", SCRIPT,
               [lines[0], error(records[0], "Part of a record", 2)] + lines[2:], LINES)
    cases.test("part-dump", "part.data", "script -D",
               [f". 00000000: {records[0].text()}", ". 00000040: 40 bytes of a record"] +
               dumped(records[2:]), DUMPED)

    file = begin([RICH])
    file.auxtrace(packed[0] + packed[1])
    file.aux(0, 64, perf_data.AUX_TRUNCATED, 1000, 1000, 1005, 0)
    file.aux(64, 64, perf_data.AUX_PARTIAL | perf_data.AUX_COLLISION, 1000, 1000, 1020, 0)
    file.write(cases.path("lost.data"))
    full = error(Record(time=1005), "Lost records: the buffer was full", 4)
    late = error(Record(time=1020), "Lost records: the buffer came late", 5)
    collision = error(Record(time=1020), "Lost records: one at a time", 6)
    cases.test("lost", "lost.data", SCRIPT, [lines[0], full, lines[1], late, collision], LINES)
    cases.test("lost-not-asked", "lost.data", SCRIPT + " --itrace=e-l", lines[:2], LINES)

    late = [Record(time=(1 << 64) - i) for i in (1, 2)]
    file = begin([RICH, RICH])
    file.auxtrace(packed[0] + packed[2] + late[0].pack(), 0, 0)
    file.auxtrace(packed[1] + packed[3] + late[1].pack(), 1, 1)
    file.switch(1000, 1000, 500, 1)
    file.write(cases.path("late.data"))
    cases.test("late", "late.data", SCRIPT,
               [record.script(PROG, i % 2, RICH) for i, record in enumerate(records)] +
               [late[1].script(PROG, 1, RICH), late[0].script(PROG, 0, RICH)], LINES)

    file = begin([RICH])
    file.auxtrace(packed[0])
    file.auxtrace(packed[1], offset=64, size=1 << 40)
    file.write(cases.path("beyond.data"))
    cases.test("beyond", "beyond.data", SCRIPT,
               [lines[0], error(records[0], "Data beyond the end of the file", 3)],
               LINES)


def headers(cases):
    """Headers that are longer than they need be are read, others refused."""
    records = [Record("load", 1000 + 10 * i, total=i) for i in range(4)]
    data = b"".join(record.pack() for record in records)
    for name, how, why in (
            ("longer", {"size": 9, "cpu_size": 8}, None), ("no-cpus", {"nr": 0}, None),
            ("version", {"version": 2}, "version 2 of their header is not known"),
            ("short", {"size": 6, "cut": 5}, "their header is too short"),
            ("empty", {"cut": 0}, "their header is too short"),
            ("size", {"nr": 0, "cut": 6, "size": 7}, "their header is too short"),
            ("many-cpus", {"nr": 1 << 61}, "their header is too short"),
            ("one-cpu-more", {"nr": 2}, "their header is too short"),
            ("cpu-size", {"cpu_size": 7, "nr": 1 << 63}, "their header is too short")):
        file = File()
        file.time_conv()
        file.info([(0, events_of(RICH))], **how)
        file.comm(1000, 1000, "prog", 10)
        file.mmap(1000, 0x10000, 0x10000, "/nowhere/prog", 11)
        file.itrace_start(1000, 1000, 12, 0)
        file.auxtrace(data)
        file.write(cases.path(f"header-{name}.data"))
        has = RICH if name == "longer" else ()
        expected = [record.script(PROG, 0, has) for record in records]
        if why:
            cases.test("header-" + name, f"header-{name}.data", SCRIPT,
                       [f"Sampled instructions: {why}"], "^(prog|Sampled)", 234)
        else:
            cases.test("header-" + name, f"header-{name}.data", SCRIPT, expected, LINES)


def clocks(cases):
    """Without a clock there is no time, but all records."""
    rng = random.Random(5)
    records = [some_record(rng, 0) for i in range(50)]
    fields = SCRIPT.replace(",time", "")
    for name in ("no-times", "no-clock", "bad-clock"):
        file = File()
        if name == "no-times":
            file.time_conv()
        if name == "bad-clock":
            file.time_conv(shift=64)
        file.info([(0, events_of(RICH))], flags=0 if name == "no-times" else 1)
        file.comm(1000, 1000, "prog", 10)
        file.mmap(1000, 0x10000, 0x10000, "/nowhere/prog", 11)
        file.auxtrace(b"".join(record.pack() for record in records), tid=1000)
        file.write(cases.path(name + ".data"))
        cases.test(name, name + ".data", fields,
                   [record.script(PROG, 0, RICH, timed=False) for record in records], LINES)
        cases.test(name + "-asked", name + ".data", SCRIPT, [
            "Samples for 'instructions:uh' event do not have TIME attribute set. "
            "Cannot print 'time' field."], "^(prog|Samples)", 234)


def one_thread(cases):
    """A buffer of a thread, wherever it ran."""
    rng = random.Random(8)
    records = [some_record(rng, 1000 + 10 * i) for i in range(50)]
    file = begin([RICH])
    file.auxtrace(b"".join(record.pack() for record in records), cpu=-1, tid=1000)
    file.write(cases.path("one.data"))
    fields = SCRIPT.replace(",cpu", "")
    cases.test("one-thread", "one.data", fields,
               [record.script(PROG, None, RICH) for record in records], LINES)


def narrow(cases):
    """Records of harts with 32-bit registers, whose clock wraps around."""
    rng = random.Random(6)
    # None is at 0, which would be no time.
    records = [some_record(rng, (1 << 32) - 503 + 10 * i) for i in range(100)]
    for record in records:
        record.adr1 &= 0xffffffff
    file = begin([RICH], caps=perf_data.CAP_RV32)
    file.auxtrace(b"".join(record.pack32() for record in records),
                  reference=records[-1].time + 100)
    file.write(cases.path("narrow.data"))
    cases.test("narrow", "narrow.data", SCRIPT,
               [record.script(PROG, 0, RICH) for record in records], LINES)
    for record in records:
        record.time &= 0xffffffff
    cases.test("narrow-dump", "narrow.data", "script -D", dumped(records, 32), DUMPED)


def narrow_gaps(cases):
    """Such harts, whose clock goes through half of its range and more while nothing is sampled."""
    rng = random.Random(9)
    file = begin([RICH], caps=perf_data.CAP_RV32)
    records = []
    for begin_at in (1000, 1000 + 3 * (1 << 30), 5 * (1 << 31), 12 * (1 << 31) + 77):
        batch = [some_record(rng, begin_at + 10 * i) for i in range(20)]
        for record in batch:
            record.adr1 &= 0xffffffff
        file.auxtrace(b"".join(record.pack32() for record in batch),
                      reference=batch[-1].time + 100)
        records += batch
    file.write(cases.path("narrow-gaps.data"))
    cases.test("narrow-gaps", "narrow-gaps.data", SCRIPT,
               [record.script(PROG, 0, RICH) for record in records], LINES)


def narrow_kernel(cases):
    """Where the kernel of such harts begins, of which the file has no symbols."""
    places = ((0xfffffffe, "k"), (0xc0001234, "k"), (0xa0000000, "k"), (0x9ffffffe, "."),
              (0x9bffff00, "."), (0x80000000, "."), (0x7ffffffe, "."))
    file = File()
    file.time_conv()
    file.info([(perf_data.CAP_RV32, events_of(RICH))])
    file.comm(1000, 1000, "prog", 10)
    file.itrace_start(1000, 1000, 12, 0)
    records = [Record("load", 1000 + 100 * i + j, pc) for i, (pc, _) in enumerate(places)
               for j in range(20 - i)]
    file.auxtrace(b"".join(record.pack32() for record in records), reference=2000)
    file.write(cases.path("narrow-kernel.data"))
    cases.test("narrow-kernel", "narrow-kernel.data", "report --stdio -q -F sample,sym", [
        f"{20 - i} [{mode}] {pc:#018x}" for i, (pc, mode) in enumerate(places)], "^[0-9]")


def singles(cases):
    """The same of samples of riscv_pdis_sample, of which the kernel has told it all."""
    rng = random.Random(7)
    records = [some_record(rng, 1000 + 10 * i) for i in range(200)]
    file = begin([RICH], cpuid=perf_data.QEMU)
    file.add_single(1000)
    for record in records:
        file.sample(1000, 1000, record.time, 0, record.pack(),
                    (record.total, record.stages[1] or 0, record.stages[2] or 0),
                    record.data_src(RICH)[0], record.addr(), record.phys())
    file.sample(1000, 1000, 9000, 0, bytes(64), (0, 0, 0), 0, 0, 0,
                raw=struct.pack("<I", 60) + bytes(60))
    file.sample(1000, 1000, 9005, 0, bytes(64), (0, 0, 0), 0, 0, 0,
                raw=struct.pack("<I", 64) + bytes(40))
    file.sample(1000, 1000, 9010, 0, bytes(64), (0, 0, 0), 0, 0, 0,
                raw=struct.pack("<I", 1 << 31) + bytes(64))
    file.write(cases.path("singles.data"))
    raw = r"^\. \.\.\. (Part|.* pc 0x)"
    cases.test("singles-dump", "singles.data", "report -D",
               [f". ... {record.text()}" for record in records] +
               [". ... Part of a record"] * 3, raw)
    plain = SCRIPT.replace(",flags,brstack", "").replace(",event", "")
    expected = [record.script(PROG, 0, RICH, "x", rich=False, flags=False)
                .replace(" x: ", " ") for record in records]
    cases.test("singles", "singles.data", plain + " --time 0,5.000500000", expected, LINES)
    single_sources(cases)


def single_sources(cases):
    """Codes of such samples have names if the file says that it is the core that is known.

    Of a file that says nothing perf takes it to be the core of the machine that reads it."""
    vendor, arch, imp = perf_data.QEMU
    for name, core in (("known", perf_data.QEMU), ("newer", (vendor, arch, imp + 1))):
        file = begin([RICH], cpuid=core)
        file.add_single(1000)
        records = [Record("load", 1000 + 10 * code, source=code,
                          known_core=core == perf_data.QEMU) for code in range(16)]
        for record in records:
            file.sample(1000, 1000, record.time, 0, record.pack(), (0, 0, 0), 0, 0, 0)
        file.write(cases.path(f"single-{name}.data"))
        cases.test(f"single-{name}", f"single-{name}.data", "script -D",
                   [f". ... {record.text()}" for record in records], r"^\. \.\.\. .* pc 0x",
                   holds="PDIS-LDST-008")


def registers(cases):
    """Registers have the names that they have where they were recorded, also where the
    program is not known."""
    names = ["pc", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1"] + [
        f"a{i}" for i in range(8)] + [f"s{i}" for i in range(2, 12)] + [
            f"t{i}" for i in range(3, 7)]
    values = [0x10000 + 0x123 * i for i in range(len(names))]
    file = begin([RICH])
    file.add_registers((1 << len(names)) - 1)
    file.sample_registers(1000, 1000, 1000, 0, values)
    file.write(cases.path("registers.data"))
    cases.test("registers", "registers.data", "script -F raw:ip,uregs",
               [f"{values[0]:x} ABI:2 " + " ".join(
                   f"{name}:{value:#x}" for name, value in zip(names, values))], "ABI")


def spoiled(cases):
    """Data sources that no hart writes have long names, or none."""
    every = " or ".join(("L1", "LFB/MAB", "L2", "L3", "Local RAM", "Remote RAM (1 hop)",
                         "Remote RAM (2 hops)", "Remote Cache (1 hop)", "Remote Cache (2 hops)",
                         "I/O", "Uncached")) + " hit"
    file = begin([RICH])
    file.add_single(1000)
    # All bits; and the first cache, so many hops away.
    for i, data_src in enumerate(((1 << 64) - 1, 1 << 33 | 2 << 5 | 7 << 43)):
        record = Record("load", 1000 + 10 * i)
        file.sample(1000, 1000, record.time, 0, record.pack(), (0, 0, 0), data_src, 0, 0)
    file.write(cases.path("spoiled.data"))
    cases.test("spoiled", "spoiled.data", "report --stdio --mem-mode -F sample -s mem,snoop,tlb",
               ["1 L1 hit N/A N/A", f"1 {every} N/A or None or Hit or Miss or HitM or Fwd or Peer "
                "N/A or L1 or L2 or Walker or Fault hit miss"], "^[0-9]")
    cases.test("spoiled-script", "spoiled.data", "script -F ip,data_src",
               [f"ffffffffffffffff |OP N/A|LVL {every}"[:99].strip() + " 10000",
                "380200000040 |OP No|LVL L1 hit|SNP N/A|TLB N/A|LCK No|BLK N/A 10000"], "10000$")


def counted(cases):
    """What is an instruction that a counter counts is a sample of the counter's event."""
    for name in ("counters", "counters-wide", "counters-thread"):
        rng = random.Random(11)
        wide, cpu = name == "counters-wide", -1 if name == "counters-thread" else 0
        file = begin([RICH])
        loads, others = file.add_counter(0x10), file.add_counter(0x91)
        # No record has what a sample of this one must have.
        strange = file.add_counter(0x92, perf_data.COMMON | perf_data.SAMPLE_TRANSACTION)
        if wide:
            file.id_index([(id_, 0, 0, -1) for id_ in (loads, others, strange)])
        names = {loads: "cpu/event=0x10,aux-output/u", others: "cpu/event=0x91,aux-output/u"}
        for tid, thread in ((1001, "one"), (1002, "two")):
            file.comm(1000, tid, thread, 20)
        data, expected, plain = b"", [], []
        time, of, last = 1000, collections.defaultdict(dict), {}
        for turn, (tid, thread) in enumerate([(1001, "one"), (1002, "two")] * 4 +
                                             [(1000, "prog")]):
            if cpu == -1:
                tid, thread = 1001, "one"
            file.switch(1000, tid, time, 0)
            for number, id_, when in ((3, loads, 0), (4, others, 0), (3, others, 1),
                                      (5, loads, 3), (9, strange, 0), (40, loads, 0)):
                if when == turn:
                    file.counter(number, id_, tid, time + 10, 0)
                    last[number] = id_
                    if not wide:
                        of[tid][number] = id_
            time += 20
            for _ in range(20):
                record = some_record(rng, time)
                record.counters = rng.choice((0, 8, 0x10, 0x18, 0x38, 0x2f8, 0x40000000))
                data += record.pack()
                # A thread's own buffer: of whom its records are is known in another way.
                where = cpu if cpu >= 0 else None
                who = f"{thread} 1000/{tid}"
                expected.append((record, record.script(who, where, RICH)))
                for number in range(3, 32):
                    event = names.get(of[tid].get(number, last.get(number)))
                    if record.counters >> number & 1 and event:
                        expected.append((None, record.script(who, where, RICH, event)))
                        plain.append(record.script(who, where, RICH, event, rich=False,
                                                   flags=False, raw=False))
                time += 10
        file.auxtrace(data, cpu=cpu, tid=1001 if cpu < 0 else -1)
        file.write(cases.path(name + ".data"))
        fields = SCRIPT if cpu >= 0 else SCRIPT.replace(",cpu", "")
        cases.test(name, name + ".data", fields, [line for _, line in expected], LINES)
        cases.test(name + "-only", name + ".data", fields + " --itrace=o",
                   [line for record, line in expected if not record], LINES)
        cases.test(name + "-not", name + ".data", fields + " --itrace=e",
                   [line for record, line in expected if record], LINES)
        # An ordinary sample has no flags, and these neither branches nor records.
        if File.order == perf_data.LITTLE:
            cases.test(name + "-inject", f"injected-{name}.made",
                       fields.replace(",flags,brstack", ""), plain, LINES,
                       make=f"inject --itrace=o -i {name}.data -o injected-{name}.made")
        # What counts the same for all can be told without knowing who runs.
        told = {4: names[others], 5: names[loads], 9: "cpu/event=0x92,aux-output/u"}
        lines = []
        for record, _ in expected:
            if record:
                text = ", ".join(told[number] for number in sorted(told)
                                 if record.counters >> number & 1)
                lines.append(record.text() + (f" ({text})" if text else ""))
        cases.test(name + "-dump", name + ".data", "script -D",
                   [f". {64 * i:08x}: {line}" for i, line in enumerate(lines)], DUMPED)


def injected(cases):
    """A file in which samples are what records were."""
    rng = random.Random(9)
    records = [some_record(rng, 1000 + 10 * i) for i in range(100)]
    file = begin([RICH])
    file.auxtrace(b"".join(record.pack() for record in records))
    file.write(cases.path("inject.data"))
    # An ordinary sample has no flags.
    fields = SCRIPT.replace(",flags", "")
    cases.test("inject", "injected.made", fields,
               [record.script(PROG, 0, RICH, flags=False) for record in records], LINES,
               make="inject --itrace=s0 -i inject.data -o injected.made")
    cases.test("inject-kinds", "kinds.made", fields,
               [record.script(PROG, 0, RICH, event, flags=False) for record in records
                for event, is_one in (("branches", branch()), ("memory", access))
                if is_one(record)], LINES,
               make="inject --itrace=bM -i inject.data -o kinds.made")


def reports(cases):
    """Histograms of where data came from."""
    records = []
    for i, (what, number) in enumerate((((), 50), (("l1_miss",), 20),
                                        (("l1_miss", "llc_miss"), 10))):
        records += [Record("load", 1000 + 100 * i + j, what=what, total=1)
                    for j in range(number)]
    file = begin([RICH])
    file.auxtrace(b"".join(record.pack() for record in records))
    file.write(cases.path("report.data"))
    cases.test("report", "report.data", "report --stdio --mem-mode -F sample -s mem",
               ["50 L1 hit", "20 L3 hit", "10 RAM hit"], "^[0-9]")
    # The third weight is the cycles in execution.
    records = [Record("load", 1000 + i, stages=[3, 5, cycles, 9], total=40)
               for i, cycles in enumerate([11] * 30 + [13] * 20 + [17] * 10)]
    file = begin([RICH])
    file.auxtrace(b"".join(record.pack() for record in records))
    file.write(cases.path("execution.data"))
    cases.test("report-execution", "execution.data",
               "report --stdio -F sample -s local_ins_lat,local_p_stage_cyc",
               ["10 5 17", "20 5 13", "30 5 11"], "^[0-9]")


# What objdump says of a function, and what perf makes of it: its arrow, and what it shows
# in place of the operands, if that is another text. Jumps within the function are to
# offsets, and registers are no numbers.
CODE = [("beq", "a0,a1,10110 <main+0x10>", "↓", "a0,a1,10"),
        ("bnez", "a5,10100 <main>", "↑", "a5,0"),
        ("bltu", "a4,a5,10114 <main+0x14>", "↓", "a4,a5,14"),
        ("j", "10110 <main+0x10>", "↓", "10"), ("jal", "10200 <other>", "→", "other"),
        ("jal", "ra,10200 <other>", "→", "other"),
        ("jalr", "240(ra) # 10200 <other>", "→", "other"), ("jalr", "a5", "→", None),
        ("jalr", "274(ra)", "→", None), ("jr", "a5", "", None), ("c.jr", "a0", "", None),
        ("bset", "a0,a1,a2", "", None), ("bclri", "a0,a1,3", "", None),
        ("brev8", "a0,a1", "", None), ("c.beqz", "a0,10104 <main+0x4>", "↑", "a0,4"),
        ("ret", "", "←", None), ("mret", "", "←", None)]


def program(cases):
    """Symbols and code of a program, of which the names of what is no function are ignored."""
    perf_data.program(cases.path("prog"), 0x100, 0x300, [
        ("main", 0x100, 0x100), ("other", 0x200, 0x80), ("$x", 0x100, 0), ("label", 0x280, 0),
        ("$d", 0x288, 0), ("$x", 0x290, 0), ("$d.7", 0x298, 0), ("$xrv64i2p1_zba1p0", 0x2a0, 0),
        ("$dollar", 0x2c0, 0)])
    with open(cases.path("objdump"), "w", encoding="ascii") as out:
        out.write("#!/bin/sh\ncat <<'END'\n\nprog: file format elf64-littleriscv\n\n\n"
                  "Disassembly of section .text:\n\n0000000000010100 <main>:\n")
        for i, (name, operands, _, _) in enumerate(CODE):
            out.write(f"   {0x10100 + 4 * i:x}:\t{name}\t{operands}\n".replace("\t\n", "\n"))
        out.write(f"   {0x10100 + 4 * len(CODE):x}:\tnop\nEND\n")
    os.chmod(cases.path("objdump"), 0o755)
    at = [0x100, 0x180, 0x1a4, 0x1fe, 0x200, 0x280, 0x28a, 0x292, 0x29c, 0x2be, 0x2c2]
    symbols = ["main"] * 4 + ["other"] + ["label"] * 5 + ["$dollar"]
    records = [Record("load", 1000 + 10 * i, 0x10000 + pc, total=1) for i, pc in enumerate(at)]
    file = begin([RICH], code="/prog")
    file.auxtrace(b"".join(record.pack() for record in records))
    file.write(cases.path("prog.data"))
    cases.test("symbols", "prog.data", "script --symfs=. -F ip,sym",
               [f"{record.pc:x} {symbol}" for record, symbol in zip(records, symbols)],
               "^1[0-9a-f]{4} ")
    # Where something jumps to has a label. All samples but one are of what is behind.
    labels = {int(told.split(",")[-1], 16) for _, _, arrow, told in CODE if arrow in ("↑", "↓")}
    lines = [" ".join(word for word in (
        f"{4 * i:x}:" if 4 * i in labels else "", arrow, name,
        operands if told is None else told) if word)
             for i, (name, operands, arrow, told) in enumerate(CODE)]
    lines[0] = f"{100 / symbols.count('main'):.2f} {lines[0]}"
    cases.test("annotate", "prog.data",
               "annotate --stdio2 --symfs=. --objdump=./objdump -s main", lines,
               "(^| )(c[.])?[bj][a-z0-9]* |(^| )m?ret$")


def annotated(cases, name, letter, records, kinds):
    """How much of a function's samples of each kind is an instruction's, by their periods:
    kinds has a name, and how much a record has of it."""
    for i, record in enumerate(records):
        record.time = 1000 + 10 * i
    file = begin([RICH], code="/prog")
    file.auxtrace(b"".join(record.pack() for record in records))
    file.write(cases.path(name + ".data"))
    shares = collections.defaultdict(lambda: [0] * len(kinds))
    told = 0
    for record in records:
        parts = [of(record) or 0 for _, of in kinds]
        shares[record.pc] = [sum(pair) for pair in zip(shares[record.pc], parts)]
        told += sum(1 for part in parts if part)
    whole = [sum(column) for column in zip(*shares.values())]
    lines = []
    for pc, row in shares.items():
        instruction, operands, arrow, shown = CODE[(pc - 0x10100) // 4]
        words = [f"{100 * number / all_:.2f}" for number, all_ in zip(row, whole)]
        words += ["0:"] if pc == 0x10100 else []
        lines.append(" ".join(words + [arrow, instruction,
                                       operands if shown is None else shown]))
    cases.test("annotate-" + name, name + ".data",
               f"annotate --stdio2 --symfs=. --objdump=./objdump -s main --itrace={letter}",
               [f"Samples: {told} of events 'anon group {{ "
                f"{', '.join(kind for kind, _ in kinds)} }}', 1000 Hz, "
                f"Event count (approx.): {1000 * sum(whole)}, [percent: local period]"] + lines,
               "^([0-9]+[.][0-9]+|Samples:) ")


def annotated_misses(cases):
    """Misses, and accesses."""
    numbers = {0: (10, 10), 2: (0, 30), 6: (10, 20)}
    records = [Record("load", 0, 0x10100 + 4 * i, what=["l1_miss"] if n < misses else [])
               for i, (misses, all_) in numbers.items() for n in range(all_)]
    annotated(cases, "misses", "f", records, [
        ("l1d-miss", missed("l1_miss")), ("l1d-access", access)])


def annotated_cycles(cases):
    """Cycles of each stage."""
    numbers = {0: (1, 5, 4, 6), 2: (2, 7, 0, 0), 6: (0, 3, 90, 50), 7: (None, 5, 6, None)}
    records = [Record("load", 0, 0x10100 + 4 * i, stages=stages, total=100 + n)
               for i, stages in numbers.items() for n in range(10)]
    annotated(cases, "cycles", "y", records, [
        (kind, lambda record, kind=kind: dict(record.cycles())[kind])
        for kind, _ in records[0].cycles()])


def mispredictions(cases):
    """Which functions' transfers of control are mispredicted. One that is not taken is none."""
    at = {"main": 0x10104, "other": 0x10210, "label": 0x10284}
    kinds = [("main", "taken", "Y", 30), ("other", "return", "N", 20), ("main", "taken", "N", 10),
             ("label", "ind_call", "Y", 7), ("main", "not_taken", "Y", 5),
             ("other", "return", "Y", 1)]
    records = [Record("transfer", 0, at[name], 0x10200, kind=kind,
                      what=["mispredicted"] if wrong == "Y" else [])
               for name, kind, wrong, number in kinds for _ in range(number)]
    for i, record in enumerate(records):
        record.time = 1000 + 10 * i
    file = begin([RICH], code="/prog")
    file.auxtrace(b"".join(record.pack() for record in records))
    file.write(cases.path("mispredicted.data"))
    cases.test("mispredicted", "mispredicted.data",
               "report --stdio --symfs=. --itrace=bl -F sample,symbol_from,symbol_to,mispredict",
               [f"{number} [.] {name} [.] other {wrong}" for name, kind, wrong, number in kinds
                if kind != "not_taken"], "^[0-9]+ \\[")


class Line:
    """What perf c2c is to count: of a cache line, or of a part of its accesses."""

    def __init__(self):
        self.count = collections.Counter()
        self.cycles = {"conflict": [], "load": []}
        self.cpus = set()

    def add(self, record, cpu, conflict):
        """one access"""
        kind = "store" if record.type == "store" else "load"
        self.count[kind] += 1
        self.cpus.add(cpu)
        if conflict:
            self.count[kind + " conflict"] += 1
        if kind == "load":
            level = record.level(RICH)[2]
            self.cycles["conflict" if conflict else "load"].append(record.total)
        else:
            level = "miss" if "l1_miss" in record.what else "hit"
        self.count[kind + " " + level] += 1

    def conflicts(self):
        """how many there are"""
        return self.count["load conflict"] + self.count["store conflict"]

    def stores(self):
        """the columns of stores"""
        return f"{self.count['store hit']} {self.count['store miss']} 0"

    def mean(self, kind):
        """a column of latencies"""
        cycles = self.cycles[kind]
        return f"{sum(cycles) / len(cycles) if cycles else 0:.0f}"

    def row(self, index, address, total):
        """the line in the table"""
        count = self.count
        return (f"{index} {address:#x} N/A 0 {100 * self.conflicts() / total:.2f}% "
                f"{self.conflicts()} {count['load conflict']} {count['store conflict']} "
                f"{count['load'] + count['store']} {count['load']} {count['store']} "
                f"{self.stores()} 0 {count['load L1 hit']} 0 {count['load L3 hit']} 0 0 0 "
                f"{count['load RAM hit']} 0")

    def head(self, index, address):
        """the line above its accesses"""
        return (f"{index} {self.count['load conflict']} {self.count['store conflict']} "
                f"{self.stores()} {address:#x}")

    def part(self, line, offset, who):
        """the line of these accesses among those of the cache line"""
        shares = [100 * self.count[kind] / line.count[kind] if line.count[kind] else 0
                  for kind in ("load conflict", "store conflict", "store hit", "store miss")]
        return (" ".join(f"{share:.2f}%" for share in shares) +
                f" 0.00% {offset:#x} N/A 0 {who} {self.mean('conflict')} {self.mean('load')} "
                f"{self.count['load'] + self.count['store']} {len(self.cpus)} 0")


class Directory:
    """The caches of a machine in which nothing happens but these accesses.

    A line that was stored to is in one cache alone, until another CPU loads from it; a CPU
    that stores has it from whoever stored to it before, if that still has it.
    """

    def __init__(self):
        self.holders = collections.defaultdict(set)
        self.modified, self.origin = set(), {}

    def access(self, cpu, line, stores):
        """whether another CPU's store is in the way"""
        others = self.holders[line] - {cpu}
        if stores:
            taken = self.origin.get(line) in others
            self.holders[line], self.origin[line] = {cpu}, cpu
            self.modified.add(line)
        else:
            taken = bool(others) and line in self.modified and cpu not in self.holders[line]
            self.holders[line].add(cpu)
            if taken:
                self.modified.remove(line)
        return taken


def lines_of(accesses, key):
    """the cache lines, and in each the accesses of a thread at an offset"""
    lines, directory = collections.defaultdict(lambda: (Line(), {})), Directory()
    for cpu, record in accesses:
        address, place = record.adr1 & ~63, key(record) & ~63
        conflict = directory.access(cpu, place, record.type != "load")
        line, parts = lines[address]
        for one in (line, parts.setdefault((record.adr1 & 63, cpu), Line())):
            one.add(record, cpu, conflict)
    return lines


def some_accesses(rng, places):
    """each CPU may access any of the places, the first most often by turns"""
    accesses = []
    for i in range(1200):
        cpu = rng.randrange(3)
        address, types = rng.choices(places[cpu], weights=(6, 3, 2, 2))[0]
        miss = rng.choice(((), (), ("l1_miss",), ("l1_miss", "llc_miss")))
        accesses.append((cpu, Record(rng.choice(types), 1000 + 10 * i, adr1=address, what=miss,
                                     total=rng.randrange(2, 90))))
    return accesses


def begin_threads(file, names):
    """each of these CPUs has a thread of its own"""
    for cpu, name in names.items():
        file.comm(1000, 1000 + cpu, name, 20)
        file.switch(1000, 1000 + cpu, 30, cpu)


def sharing(cases):
    """Who stored before to a line that another CPU accesses."""
    rng = random.Random(12)
    base = 0x7fff12340000
    names = {0: "prog", 1: "one", 2: "two"}
    both = ("load", "store", "load+store")
    # One line for all, one that the first writes now and then, two for each alone.
    places = {cpu: ((base + 8 * cpu, both),
                    (base + 0x40, ("load", "load", "store") if not cpu else ("load",)),
                    (base + 0x1000 * (cpu + 1), both), (base + 0x1000 * (cpu + 1) + 0x48, both))
              for cpu in range(3)}
    for name, physical in (("c2c", False), ("c2c-physical", True)):
        accesses = some_accesses(rng, places)
        for cpu, record in accesses:
            if physical:
                # Each sees it elsewhere.
                record.adr2 = 0x80000000 + record.adr1 - base
                record.adr1 += cpu << 20
        file = begin([RICH] * 3)
        begin_threads(file, {cpu: names[cpu] for cpu in (1, 2)})
        for cpu in range(3):
            file.auxtrace(b"".join(record.pack() for on, record in accesses if on == cpu),
                          cpu, cpu)
        file.write(cases.path(name + ".data"))
        lines = lines_of(accesses, lambda record, physical=physical:
                         record.adr2 if physical else record.adr1)
        total = sum(line.conflicts() for line, _ in lines.values())
        shown = sorted(((address, line, parts) for address, (line, parts) in lines.items()
                        if line.conflicts()), key=lambda found: -found[1].conflicts())
        # Of those with as many the order would not be known.
        assert len({line.conflicts() for _, line, _ in shown}) == len(shown)
        expected = [line.row(i, address, total) for i, (address, line, _) in enumerate(shown)]
        for i, (address, line, _) in enumerate(shown):
            expected.append(line.head(i, address))
        cases.test(name, name + ".data", "c2c report --stdio", expected,
                   "^[0-9]+ (0x|([0-9]+ ){5}0x)")
        expected = []
        for address, line, parts in shown:
            for (offset, cpu), part in sorted(
                    parts.items(), key=lambda part: (part[0][0], -part[1].conflicts())):
                if part.conflicts() or part.count["store"]:
                    expected.append(part.part(line, offset, f"{1000 + cpu}:{names[cpu]}"))
        cases.test(name + "-accesses", name + ".data", "c2c report --stdio -c tid", expected,
                   r"%.*%.*%.*%.*%.* 0x[0-9a-f]+ N/A")
        cases.test(name + "-told", name + ".data", "c2c report --stdio --stats", [
            f"{kind.capitalize()} Conflicts (estimated) : "
            f"{sum(line.count[kind + ' conflict'] for line, _ in lines.values())}"
            for kind in ("load", "store")], "^(Load|Store) Conflicts")


def read_mostly(cases):
    """A line that one CPU fills and others read is no conflict for each time that they do."""
    base = 0x7fff12340000
    # By one CPU, so many accesses of a kind; and how many of them are conflicts.
    turns = ((0, "store", 8, 0), (0, "load", 5, 0), (1, "load", 100, 1), (2, "load", 100, 0),
             (0, "load", 5, 0), (0, "store", 1, 0), (2, "load", 50, 1), (1, "load", 50, 0),
             (1, "store", 3, 1), (1, "load", 9, 0), (0, "load+store", 4, 1), (0, "load", 2, 0))
    accesses = [(cpu, kind) for cpu, kind, number, _ in turns for _ in range(number)]
    records = [(cpu, Record(kind, 1000 + 10 * i, adr1=base + 8 * cpu, total=7))
               for i, (cpu, kind) in enumerate(accesses)]
    file = begin([RICH] * 3)
    begin_threads(file, {1: "one", 2: "two"})
    for cpu in range(3):
        file.auxtrace(b"".join(record.pack() for on, record in records if on == cpu), cpu, cpu)
    file.write(cases.path("read-mostly.data"))
    loads, stores = (sum(conflicts for _, kind, _, conflicts in turns
                         if (kind == "store") == is_store) for is_store in (False, True))
    cases.test("read-mostly", "read-mostly.data", "c2c report --stdio --stats", [
        f"Load Conflicts (estimated) : {loads}", f"Store Conflicts (estimated) : {stores}"],
               "^(Load|Store) Conflicts")


class Mesi(Directory):
    """The same, as records of the emulator tell it: where is what an access needs?"""

    def __init__(self, rng):
        super().__init__()
        self.rng = rng

    def source(self, cpu, line, stores):
        """DSRC: of the first cache, the last, memory, another CPU's, which had modified it"""
        holders, modified = set(self.holders[line]), line in self.modified
        self.access(cpu, line, stores)
        if modified and cpu not in holders:
            return 6
        if cpu in holders and not (stores and holders - {cpu}):
            return 1
        return 2 if holders else self.rng.choice((2, 3))

    def access(self, cpu, line, stores):
        if not stores and cpu not in self.holders[line]:
            self.modified.discard(line)
        super().access(cpu, line, stores)


MISSED = {1: (), 2: ("l1_miss",), 3: ("l1_miss", "llc_miss"), 6: ("l1_miss",)}


class ToldLine:
    """What perf c2c is to count of a cache line, of which caches tell."""

    def __init__(self):
        self.loads, self.stores = collections.Counter(), collections.Counter()

    def add(self, record):
        """one access"""
        (self.stores if record.type == "store" else self.loads)[record.source] += 1

    def stored(self):
        """the columns of stores"""
        return f"{self.stores[1]} {self.stores.total() - self.stores[1]} 0"

    def row(self, index, address, total):
        """the line in the table"""
        hitm, loads, stores = self.loads[6], self.loads.total(), self.stores.total()
        return (f"{index} {address:#x} N/A 0 {100 * hitm / total:.2f}% {hitm} {hitm} 0 "
                f"{loads + stores} {loads} {stores} {self.stored()} 0 {self.loads[1]} 0 "
                f"{self.loads[2]} {hitm} 0 0 {self.loads[3]} 0")

    def head(self, index, address):
        """the line above its accesses"""
        return f"{index} 0 {self.loads[6]} {self.stored()} {address:#x}"


def told_sharing(cases):
    """Whose caches tell needs no estimate, and who does not know these codes has one."""
    rng = random.Random(5)
    base = 0x7fff12340000
    both = ("load", "store", "load+store")
    # One line for all, one that the first writes now and then, one that all only store to,
    # two for each alone.
    places = {cpu: ((base + 8 * cpu, both),
                    (base + 0x40, ("load", "load", "store") if not cpu else ("load",)),
                    (base + 0x80 + 8 * cpu, ("store",)), (base + 0x1000 * (cpu + 1), both),
                    (base + 0x1000 * (cpu + 1) + 0x48, both))
              for cpu in range(3)}
    accesses, lines, caches = [], collections.defaultdict(ToldLine), Mesi(rng)
    for i in range(1200):
        cpu = rng.randrange(3)
        address, types = rng.choices(places[cpu], weights=(6, 3, 3, 2, 2))[0]
        type_ = rng.choice(types)
        source = caches.source(cpu, address & ~63, type_ != "load")
        record = Record(type_, 1000 + 10 * i, adr1=address, what=MISSED[source], source=source,
                        total=rng.randrange(2, 90))
        accesses.append((cpu, record))
        lines[address & ~63].add(record)
    for name, core in (("c2c-hitm", perf_data.QEMU), ("c2c-unknown", (0, 0x2b, 0))):
        file = begin([RICH] * 3, core=(core,))
        begin_threads(file, {1: "one", 2: "two"})
        for cpu in range(3):
            file.auxtrace(b"".join(record.pack() for on, record in accesses if on == cpu),
                          cpu, cpu)
        file.write(cases.path(name + ".data"))
    total = sum(line.loads[6] for line in lines.values())
    shown = sorted(((address, line) for address, line in lines.items() if line.loads[6]),
                   key=lambda found: -found[1].loads[6])
    assert [address for address, _ in shown] == [base, base + 0x40]
    assert lines[base + 0x80].stores[6] > 100
    expected = [line.row(i, address, total) for i, (address, line) in enumerate(shown)]
    expected += [line.head(i, address) for i, (address, line) in enumerate(shown)]
    for name, option in (("c2c-hitm", ""), ("c2c-hitm-asked", " -d tot")):
        cases.test(name, "c2c-hitm.data", "c2c report --stdio" + option, expected,
                   "^[0-9]+ (0x|([0-9]+ ){5}0x)")
    conflicts = collections.Counter()
    for line, _ in lines_of(accesses, lambda record: record.adr1).values():
        conflicts.update(line.count)
    for name, hitm, loads, stores in (
            ("c2c-hitm", total, 0, 0),
            ("c2c-unknown", 0, conflicts["load conflict"], conflicts["store conflict"])):
        cases.test(name + "-told", name + ".data", "c2c report --stdio --stats", [
            f"Load Local HITM : {hitm}", "Load Remote HITM : 0",
            f"Load Conflicts (estimated) : {loads}", f"Store Conflicts (estimated) : {stores}"],
                   "^(Load|Store) (Local HITM|Remote HITM|Conflicts)")
    cases.test("c2c-unknown", "c2c-unknown.data", "c2c report --stdio", [
        "Cachelines sort on : Conflicts"], "^Cachelines sort on")
    cases.test("c2c-hitm-sort", "c2c-hitm.data", "c2c report --stdio", [
        "Cachelines sort on : Total HITMs"], "^Cachelines sort on")


def pipes(cases):
    """What comes through a pipe."""
    rng = random.Random(12)
    records = [some_record(rng, 1000 + 10 * i) for i in range(100)]
    file = begin([RICH, POOR])
    for tid, name in ((1001, "one"), (1002, "two")):
        file.comm(1000, tid, name, 20)
    for i in range(0, 100, 50):
        file.auxtrace(b"".join(record.pack() for record in records[i:i + 50]), 1, 1,
                      offset=64 * i)
    file.switch(1000, 1001, 500, 1)
    file.switch(1000, 1002, 1495, 1)
    file.write_pipe(cases.path("pipe.data"))
    # perf does not know yet of any names when it is told what to print.
    cases.test("pipe", "pipe.data", SCRIPT, [
        record.script(("one 1000/1001", "two 1000/1002")[record.time > 1495], 1, POOR,
                      name=" [unknown]") for record in records], LINES)
    cases.test("pipe-dump", "pipe.data", "script -D",
               dumped(records[:50]) + dumped(records[50:]), DUMPED)


def foreign(cases):
    """What perf does not do with files of a machine that writes the greatest byte first."""
    pipes(cases)
    for name, args in (("pipe", SCRIPT), ("pipe-dump", "script -D")):
        cases.test(name, "pipe.data", args, [
            "Sampled instructions: perf does not read a pipe of a machine with another byte order"
        ], "^(prog|one|two|Sampled|[.] [0-9a-f]{8}:)", 234)
    for name, option in (("inject", ""), ("inject-ids", "-b"), ("inject-samples", "--itrace=i")):
        cases.test(name, "rich.data", f"inject {option} -o /dev/null", [
            "perf inject does not write files of a machine with another byte order"], ".", 234)


def main():
    """write them all"""
    cases = Cases(sys.argv[1])
    for part in (all_kinds, threads, gone, times, fine_times, options, broken, headers, clocks,
                 one_thread, narrow, narrow_gaps, narrow_kernel, singles, registers, spoiled, counted,
                 injected, reports, sharing, read_mostly, told_sharing, program, annotated_misses, annotated_cycles,
                 mispredictions, pipes, *rules.PARTS, *ways.PARTS):
        part(cases)
    # The same records in files of a machine that writes the greatest byte first.
    cases.prefix, File.order = "big-", perf_data.BIG
    for part in (all_kinds, threads, gone, options, broken, headers, clocks, one_thread, narrow,
                 singles, registers, spoiled, counted, reports, sharing, ways.taken, foreign):
        part(cases)


if __name__ == "__main__":
    main()
