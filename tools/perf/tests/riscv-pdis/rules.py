# SPDX-License-Identifier: GPL-2.0-only
"""The rules of the specifications for who reads records of sampled instructions.

Each test is about what one rule says, and about nothing that another one does: it fails if
this rule is broken.
"""

import struct

import perf_data
from perf_data import File, to_ns
from records import (DUMPED, LINES, POOR, PROG, RICH, SCRIPT, TRANSFERS, TYPES, Record, begin,
                     dumped, error, events_of)

TYPE_NAMES = TYPES + ["transfer", "type 5", "type 6", "type 7"]
DATA, PHYSICAL = 0x7fff12340000, 0x80001000


def timed(records):
    """with times, one after the other"""
    for i, record in enumerate(records):
        record.time = 1000 + 10 * i
    return records


def packed(records):
    """as harts write them"""
    return b"".join(record.pack() for record in records)


def write(cases, name, records, has=RICH):
    """a file of these"""
    file = begin([has])
    file.auxtrace(packed(records))
    file.write(cases.path(name + ".data"))


def both(cases, name, records, rule, has=RICH):
    """a file of records that are as they look: what perf script says of it, and its dump"""
    write(cases, name, timed(records), has)
    cases.test(name, name + ".data", SCRIPT, [record.script(PROG, 0, has) for record in records],
               LINES, holds=rule)
    cases.test(name + "-dump", name + ".data", "script -D", dumped(records), DUMPED, holds=rule)


def unknown_format(cases):
    """A record of another format is not interpreted."""
    records = timed([Record("load", adr1=DATA, adr2=PHYSICAL, total=3, format=number)
                     for number in range(8)] + [Record("store", adr1=DATA)])
    write(cases, "format", records)
    cases.test("format", "format.data", SCRIPT, [
        error(records[0], "Record of an unknown format", 1) if record.format
        else record.script(PROG, 0, RICH) for record in records], LINES, holds="PDIS-REC-006")
    cases.test("format-dump", "format.data", "script -D", dumped(records), DUMPED,
               holds="PDIS-REC-006")


def known_format(cases):
    """One of a subformat that is not known is, as far as it is known."""
    both(cases, "subformat", [
        Record(type_, adr1=DATA, adr2=PHYSICAL, total=number, also=number << 58,
               kind="taken" if type_ == "transfer" else None)
        for number in range(8) for type_ in TYPE_NAMES], "PDIS-REC-007")


def without_meaning(cases):
    """Bits that mean nothing yet, and words."""
    bits = {type_: range(47, 58) if type_ in TYPES[1:] else range(39, 58)
            for type_ in TYPE_NAMES}
    bits["transfer"] = (42, 43, *range(53, 58))
    both(cases, "wpri", [
        Record(type_, adr1=DATA, adr2=PHYSICAL, total=bit, also=1 << bit, rest=(1 << 64) - 1)
        for type_, all_ in bits.items() for bit in all_], "PDIS-REC-008")


def width(cases):
    """The header tells of each hart whether it has 32-bit registers."""
    records = timed([Record("load", adr1=0x12340000 + i, total=i) for i in range(20)])
    file = File()
    file.time_conv()
    file.info([(0, events_of(RICH)), (perf_data.CAP_RV32, events_of(RICH))])
    file.comm(1000, 1000, "prog", 10)
    file.mmap(1000, 0x10000, 0x10000, "/nowhere/prog", 11)
    for cpu in range(2):
        file.itrace_start(1000, 1000, 12, cpu)
    file.auxtrace(packed(records[0::2]), 0, 0)
    file.auxtrace(b"".join(record.pack32() for record in records[1::2]), 1, 1,
                  reference=records[-1].time)
    file.write(cases.path("width.data"))
    cases.test("width", "width.data", SCRIPT, [
        record.script(PROG, i % 2, RICH) for i, record in enumerate(records)], LINES,
               holds="PDIS-REC-009")


def by_type(cases):
    """What a bit means depends on the type."""
    of_access = {39: {"what": ["l1_miss"]}, 40: {"what": ["llc_miss"]}, 41: {"source": 1},
                 42: {"source": 2}, 43: {"source": 4}, 44: {"source": 8},
                 45: {"what": ["l1_tlb_miss"]}, 46: {"what": ["ll_tlb_miss"]}}
    of_transfer = {39 + i: {"kind": kind} for i, kind in enumerate(TRANSFERS[:3])}
    of_transfer |= {44 + i: {"kind": kind} for i, kind in enumerate(TRANSFERS[3:])}
    of_transfer[52] = {"what": ["mispredicted"]}
    records = []
    for type_ in TYPE_NAMES:
        means = of_access if type_ in TYPES[1:] else {}
        means = of_transfer if type_ == "transfer" else means
        records += [Record(type_, adr1=DATA, total=bit,
                           **means.get(bit, {"also": 1 << bit})) for bit in range(39, 53)]
    both(cases, "type", records, "PDIS-REC-010")


def not_told(cases):
    """That a bit is 0 tells nothing of a hart that does not have it."""
    for name, has in (("none", ()), ("all", RICH), ("llc", ("llc_miss",)),
                      ("tlb", ("ll_tlb_miss",)), ("guess", ("mispredicted",))):
        records = timed([Record("load", adr1=DATA, what=["l1_miss"]),
                         Record("store", adr1=DATA, what=["l1_tlb_miss"]),
                         Record("transfer", adr1=0x10000, kind="return")])
        write(cases, "optional-" + name, records, has)
        cases.test("optional-" + name, f"optional-{name}.data", SCRIPT,
                   [record.script(PROG, 0, has) for record in records], LINES,
                   holds="PDIS-HDR-019")
        # Who does not tell what has missed the last cache does not tell what was there.
        cases.test("optional-asked-" + name, f"optional-{name}.data", SCRIPT + " --itrace=m",
                   [records[0].script(PROG, 0, has, "llc-access")] if "llc_miss" in has else [],
                   LINES, holds="PDIS-HDR-019")


def sources(cases):
    """What a code means is known of one core; and of any each is printed as it is."""
    vendor, arch, imp = perf_data.QEMU
    for name, core in (("source", perf_data.QEMU), ("source-unknown", (vendor, arch + 1, imp)),
                       ("source-nobody", (0, 0, 0)), ("source-arch", (vendor, arch | 1 << 63, imp)),
                       ("source-vendor", (0x5b7, arch, imp)), ("source-older", (vendor, arch, 0)),
                       ("source-newer", (vendor, arch, imp + 1))):
        records = timed([Record(type_, adr1=DATA, what=what, source=source,
                                known_core=core == perf_data.QEMU)
                         for type_ in TYPES for source in range(16)
                         for what in ((), ("l1_miss",), ("l1_miss", "llc_miss"), ("flushed",))
                         if type_ != "other" or not source])
        file = begin([RICH], core=(core,))
        file.auxtrace(packed(records))
        file.write(cases.path(name + ".data"))
        cases.test(name, name + ".data", SCRIPT,
                   [record.script(PROG, 0, RICH) for record in records], LINES,
                   holds="PDIS-LDST-008")
        cases.test(name + "-dump", name + ".data", "script -D", dumped(records), DUMPED,
                   holds="PDIS-LDST-008")


def sources_by_cpu(cases):
    """It is known of each CPU whose codes these are."""
    cores = ((0, 0x2b, 0), perf_data.QEMU, (0, 0x2c, 0))
    records = timed([Record("load", adr1=DATA, what=["l1_miss"], source=6,
                            known_core=cores[i % 3] == perf_data.QEMU) for i in range(9)])
    file = File()
    file.time_conv()
    file.info([(0, events_of(RICH), core) for core in cores])
    file.comm(1000, 1000, "prog", 10)
    file.mmap(1000, 0x10000, 0x10000, "/nowhere/prog", 11)
    for cpu in range(3):
        file.itrace_start(1000, 1000, 12, cpu)
        file.auxtrace(packed(records[cpu::3]), cpu, cpu)
    file.write(cases.path("source-cpus.data"))
    cases.test("source-cpus", "source-cpus.data", SCRIPT, [
        record.script(PROG, i % 3, RICH) for i, record in enumerate(records)], LINES,
               holds="PDIS-LDST-008")


def retiring(cases):
    """What no stage has is the time to retire only if all of them are told."""
    records = timed([Record("load", adr1=DATA, total=100, untold=5, stages=[
        cycles if told >> i & 1 else None for i, cycles in enumerate((7, 11, 13))] + [None])
                     for told in range(8)] +
                    # Nor is it less than nothing.
                    [Record("load", adr1=DATA, total=30, stages=[7, 11, 13, None])])
    write(cases, "retire", records)
    cases.test("retire", "retire.data", SCRIPT + " --itrace=y",
               [records[7].script(PROG, 0, RICH, "retire-cycles", 1000 * (100 - 7 - 11 - 13))],
               "retire-cycles:", holds="PDIS-LAT-017")


def stages(cases):
    """Cycles of a stage that is not told are not shown, whatever its field has."""
    records = timed([Record("load", adr1=DATA, total=100, untold=0x5a5, stages=[
        3 + i if told >> i & 1 else None for i in range(4)]) for told in range(16)])
    both(cases, "stages", records, "PDIS-LAT-018")
    cases.test("stages-events", "stages.data", SCRIPT + " --itrace=y", [
        record.script(PROG, 0, RICH, event, 1000 * cycles) for record in records
        for event, cycles in record.cycles() if cycles and event not in (
            "total-cycles", "retire-cycles")],
               "(oldest|dispatch|issue|execution)-cycles:", holds="PDIS-LAT-018")


def no_time(cases):
    """A time of 0 is none: the record is where it stands, behind the one before."""
    at = (1000, 0, 1020, 1030, 0, 0)
    records = [Record("load", adr1=DATA, time=time, total=i) for i, time in enumerate(at)]
    write(cases, "time", records)
    shown = [Record("load", adr1=DATA, time=time, total=i)
             for i, time in enumerate((1000, 1000, 1020, 1030, 1030, 1030))]
    cases.test("time", "time.data", SCRIPT, [record.script(PROG, 0, RICH) for record in shown],
               LINES, holds="PDIS-TIME-007")
    cases.test("time-dump", "time.data", "script -D", dumped(records), DUMPED,
               holds="PDIS-TIME-007")
    ns = to_ns(1015)
    cases.test("time-range", "time.data", f"{SCRIPT} --time {ns // 10**9}.{ns % 10**9:09d},",
               [record.script(PROG, 0, RICH) for record in shown[2:]], LINES,
               holds="PDIS-TIME-007")


def short_time(cases):
    """Of 32 bits of the clock the others are those of the record before, which may have been
    made when they were about to change; of the first record, those of the buffer."""
    times = [(5 << 32) - 100, (5 << 32) + 7, (5 << 32) + (2 << 30), (6 << 32) - 1, (6 << 32) + 3,
             (6 << 32) + (1 << 30), (6 << 32) + (5 << 29), (7 << 32) + 9]
    records = [Record("load", adr1=0x12340000, time=time, total=i)
               for i, time in enumerate(times)]
    file = begin([RICH], caps=perf_data.CAP_RV32)
    file.auxtrace(b"".join(record.pack32() for record in records), reference=times[0] - 77)
    file.write(cases.path("short.data"))
    cases.test("time-short", "short.data", SCRIPT,
               [record.script(PROG, 0, RICH) for record in records], LINES,
               holds="PDIS-TIME-007")


def addresses(cases):
    """What the two addresses are, if they are there."""
    both(cases, "addresses", [
        Record(type_, adr1=adr1, adr2=adr2, total=1, what=["flushed"] if flush >= 0 else [],
               flush=max(flush, 0), kind="ind_call" if type_ == "transfer" else None)
        for type_ in TYPE_NAMES for flush in (-1, 0, 1, 2, 3)
        for adr1 in (0, 0x12340) for adr2 in (0, 0x56780)], "PDIS-ADR-017")


def gaps(cases):
    """Where records are missing the next ones are what they are."""
    records = timed([Record("load", adr1=DATA + i, total=i) for i in range(6)])
    file = begin([RICH])
    file.auxtrace(packed(records[:2]) + records[2].pack()[:40])
    file.auxtrace(packed(records[3:]), offset=192)
    file.aux(192, 192, perf_data.AUX_TRUNCATED | perf_data.AUX_PARTIAL, 1000, 1000, 1025, 0)
    file.write(cases.path("gap.data"))
    cases.test("gap", "gap.data", SCRIPT,
               [record.script(PROG, 0, RICH) for record in records[:2] + records[3:]],
               "^prog", holds="AMB-106")


def same_of_samples(cases):
    """The same rules, where records are the raw data of samples."""
    records = timed([Record("load", adr1=DATA, adr2=PHYSICAL, format=1),
                     Record("load", adr1=DATA, also=5 << 58),
                     Record("transfer", adr1=DATA, kind="return", also=3 << 42),
                     Record("store", adr1=DATA, untold=0x5a5, total=9, rest=7)])
    file = begin([POOR])
    file.add_single(1000)
    for record in records:
        file.sample(1000, 1000, record.time, 0, record.pack(), (0, 0, 0), 0, 0, 0)
    narrow = Record("load", 1050, adr1=0x1234, also=5 << 58)
    file.sample(1000, 1000, narrow.time, 0, narrow.pack(), (0, 0, 0), 0, 0, 0,
                raw=struct.pack("<I", 32) + narrow.pack32())
    file.write(cases.path("raw.data"))
    records.append(narrow)
    cases.test("raw", "raw.data", "report -D", [f". ... {record.text()}" for record in records],
               r"^\. \.\.\. (unknown|.* pc 0x)",
               holds="PDIS-REC-006 PDIS-REC-007 PDIS-REC-008 PDIS-LAT-018")


PARTS = (unknown_format, known_format, without_meaning, width, by_type, not_told, sources,
         sources_by_cpu,
         retiring, stages, no_time, short_time, addresses, gaps, same_of_samples)
