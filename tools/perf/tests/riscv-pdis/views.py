#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Tests the scripts riscv-pdis-latency and riscv-pdis-memory.

  views.py PERF FOLDER [PART...]

What is expected is made of the fields that records are made of. Numbers are compared
as they are shown, on the terminal and in the page.
"""

import collections
import contextlib
import html.parser
import importlib
import io
import math
import os
import random
import re
import shutil
import struct
import subprocess
import sys
from fractions import Fraction

import pages
import perf_data
from records import POOR, RICH, Record, begin, events_of

TEXT, DATA = 0x10000, 0x20000
# Names as a page must not take them for its own.
PROGRAM = "prog<i>&'x'"
FUNCTIONS = {"hot": 0x10000, "cold": 0x10100, "<script>a&b</script>": 0x10200,
             "\"quoted\" onload='x'": 0x10300, "a]]>&amp;<!--\"": 0x10400}
VARIABLES = {"table": (0x20000, 0x2000), "<b>counter": (0x22000, 0x40),
             "other": (0x23000, 0x800), "]]></td><script>alert('1')&lt;": (0x23800, 0x80)}
# As a page must not have any of them
RAW = (*list(FUNCTIONS)[2:], *(name for name in VARIABLES if "<" in name), PROGRAM)
STAGES = ["dispatch", "issue", "execution"]
MOST = 4095


def numbered(code):
    """Instructions instead of zeros: each puts its number in the function into a register."""
    return re.sub(r"\.skip (\d+)", lambda found: "\n".join(
        f"c.li a0,{i % 32}" for i in range(int(found[1]) // 2)), code)


def program(path):
    """A program that consists of symbols."""
    functions = [(name, addr, 0x100) for name, addr in FUNCTIONS.items()]
    variables = [(name, *place) for name, place in VARIABLES.items()]
    perf_data.link(path, ".attribute arch, \"rv64gc\"\n.text\n" +
                   numbered(perf_data.symbols_at(TEXT, 0x500, functions, "function")) +
                   ".data\n" +
                   perf_data.symbols_at(DATA, 0x4000, variables, "object"),
                   TEXT - 0x1000, TEXT, DATA)


def start(folder, has, **how):
    """A file of that program."""
    file = begin([has], **how)
    path = os.path.join(folder, PROGRAM)
    for at, size, offset in ((TEXT, 0x1000, 0x1000), (DATA, 0x4000, 0x2000)):
        body = path.encode() + b"\0"
        body = body.ljust((len(body) + 7) & ~7, b"\0")
        file.event(perf_data.MMAP, struct.pack("<IIQQQ", 1000, 1000, at, size, offset) + body +
                   file.sample_id(1000, 1000, 11, 0), perf_data.MISC_USER | (
                       perf_data.MISC_SWITCH_OUT if at == DATA else 0))
    return file


def some_records(rng, has, number, stages=(True, True, True), oldest=True):
    """Records that make sense: stages add up to no more than the total, if that is told."""
    records = []
    for i in range(number):
        type_ = rng.choice(["other", "other", "load", "store", "load+store", "transfer"])
        more = {"what": set()}
        cycles = [rng.randrange(4), rng.randrange(30), rng.choice([1, 3, 14, 100])]
        rest = rng.randrange(1, 40)
        if type_ == "transfer":
            more["kind"] = rng.choice(["taken", "not_taken", "return"])
            if "mispredicted" in has and rng.random() < 0.2:
                more["what"].add("mispredicted")
        elif type_ != "other":
            for what in ("l1_miss", "llc_miss", "l1_tlb_miss"):
                if (what == "l1_miss" or what == "l1_tlb_miss" or what in has) and \
                        rng.random() < 0.4 and (what != "llc_miss" or "l1_miss" in more["what"]):
                    more["what"].add(what)
        more["total"] = sum(cycles) + rest
        more["stages"] = [c if told else None for c, told in zip(cycles, stages)]
        more["stages"].append(rng.randrange(more["total"]) if oldest else None)
        if rng.random() < 0.1:
            more["what"].add("flushed")
            more["stages"] = [more["stages"][0], None, None, None]
        if rng.random() < 0.02:
            more["total"] = MOST
            # It may have been more, and so may a stage; none counts any further.
            if rng.random() < 0.5:
                more["stages"] = [None if c is None else MOST for c in more["stages"]]
        name = rng.choice(["hot", "hot", *FUNCTIONS])
        pc = FUNCTIONS[name] + 2 * rng.randrange(12)
        data, (addr, size) = rng.choice(list(VARIABLES.items()))
        # Most of what the table has is in few lines; some is nobody's.
        addr += 8 * rng.randrange(16 if data == "table" else size // 8)
        addr = rng.choice([addr] * 9 + [0x23f00])
        if type_ in ("other", "transfer"):
            addr = FUNCTIONS["cold"] if type_ == "transfer" else 0
        flushed = "flushed" in more["what"]
        records.append(Record(type_, 1000 + 10 * i, pc, 0 if flushed else addr,
                              addr if flushed and type_ != "other" else 0, **more))
    return records


# What is expected.

def percent(part, whole):
    """as a table has it"""
    return near(Fraction(100 * part) / whole, 2) + "%" if whole else "-"


def mean(part, number):
    """as a table has it"""
    return near(Fraction(part) / number, 1) if number else "-"


def near(number, digits):
    """to so many digits"""
    scaled = math.floor(number * 10 ** digits + Fraction(1, 2))
    return f"{scaled // 10 ** digits}.{scaled % 10 ** digits:0{digits}}"


def names_of(addr, groups):
    """the symbol there, and how far into it"""
    for name, (first, size) in groups.items():
        if first <= addr < first + size:
            return name, addr - first
    return None, addr


def function_of(record):
    """where it is"""
    return names_of(record.pc, {n: (a, 0x100) for n, a in FUNCTIONS.items()})


def count(samples, which):
    """how many instructions there are of a kind"""
    return sum(times for record, times in samples if which(record))


def total_of(samples, cycles):
    """the cycles of those that have them, and how many have them"""
    told = [(cycles(record), times) for record, times in samples if cycles(record) is not None]
    return sum(c * times for c, times in told), sum(times for _, times in told)


def done(record):
    """did it retire?"""
    return "flushed" not in record.what


def stage(number):
    """cycles of a stage, of what retired"""
    return lambda record: record.stages[number] if done(record) else None


def retire(record):
    """cycles of waiting to retire"""
    if not done(record) or None in record.stages[:3]:
        return None
    return max(0, record.total - sum(record.stages[:3]))


def not_told(record):
    """cycles of stages that are not told"""
    if not done(record) or None not in record.stages[:3]:
        return None
    return max(0, record.total - sum(c for c in record.stages[:3] if c is not None))


def total(record):
    """all cycles of what retired"""
    return record.total if done(record) else None


def access(record):
    """is it an access that was made?"""
    return record.is_access() and done(record)


def missed(what):
    """did it?"""
    return lambda record: done(record) and what in record.what


def latency_row(samples, everything, has):
    """A row of a table, but for the name."""
    oldest, whole = total_of(samples, stage(3)), total_of(everything, stage(3))
    accesses = count(samples, access)
    transfers = count(samples, lambda r: r.is_transfer() and done(r))
    return {
        "time": percent(oldest[0], whole[0] if oldest[1] else 0),
        "cycles": percent(total_of(samples, lambda r: r.total)[0],
                          total_of(everything, lambda r: r.total)[0]),
        "samples": str(len(samples)), "mean": mean(*total_of(samples, total)),
        "dispatch": mean(*total_of(samples, stage(0))), "issue": mean(*total_of(samples, stage(1))),
        "execution": mean(*total_of(samples, stage(2))),
        "retire": mean(*total_of(samples, retire)),
        "not told": mean(*total_of(samples, not_told)), "oldest": mean(*oldest),
        "L1 miss": percent(count(samples, missed("l1_miss")), accesses),
        "LLC miss": percent(count(samples, missed("llc_miss")),
                            accesses if "llc_miss" in has else 0),
        "TLB miss": percent(count(samples, missed("l1_tlb_miss")), accesses),
        "mispredicted": percent(count(samples, missed("mispredicted")),
                                transfers if "mispredicted" in has else 0),
        "flushed": percent(count(samples, lambda r: not done(r)), count(samples, lambda r: True)),
    }


def memory_row(samples, everything, has):
    """The same of the other script."""
    oldest, whole = total_of(samples, stage(3)), total_of(everything, stage(3))
    number = count(samples, access)
    row = {
        "time": percent(oldest[0], whole[0] if oldest[1] else 0),
        "cycles": percent(total_of(samples, total)[0], total_of(everything, total)[0]),
        "samples": str(len(samples)), "mean": mean(*total_of(samples, total)),
        "max": str(max(record.total for record, _ in samples)),
        "execution": mean(*total_of(samples, stage(2))),
        "TLB miss": percent(count(samples, missed("l1_tlb_miss")), number),
        "stores": percent(count(samples, lambda r: r.type != "load"), number),
    }
    level = {"L1 hit": "L1", "L3 hit": "L3", "RAM hit": "RAM", "L1 miss": "beyond L1"}
    for text, name in level.items():
        if any(record.level(has)[2] == text for record, _ in everything):
            row[name] = percent(count(samples, lambda r, t=text: r.level(has)[2] == t), number)
    return row


def grouped(samples, key):
    """samples by something"""
    groups = collections.defaultdict(list)
    for sample in samples:
        groups[key(sample[0])].append(sample)
    return groups


def latency_rows(samples, has):
    """All rows that there are to be: of two tables, by name."""
    functions = grouped(samples, lambda r: function_of(r)[0])
    functions["all"] = samples
    instructions = grouped(samples, lambda r: "{}+{:#x}".format(*function_of(r)))
    return {title: {name: latency_row(group, samples, has) for name, group in groups.items()}
            for title, groups in (("Functions", functions), ("Instructions", instructions))}


def memory_rows(samples, has):
    """The same of the other script."""
    samples = [sample for sample in samples if access(sample[0])]
    groups = {
        "Variables": grouped(samples, lambda r: names_of(r.adr1, VARIABLES)[0] or "[no symbol]"),
        "Functions": grouped(samples, lambda r: function_of(r)[0]),
        "Instructions": grouped(samples, lambda r: "{}+{:#x}".format(*function_of(r))),
        "Pages of 4 KiB": grouped(samples, lambda r: f"{r.adr1 & ~4095:#x}"),
        "Lines of 64 bytes": grouped(samples, lambda r: f"{r.adr1 & ~63:#x}"),
        "Addresses": grouped(samples, lambda r: f"{r.adr1:#x}"),
    }
    groups["Variables"]["all"] = samples
    return {title: {name: memory_row(rows, samples, has) for name, rows in group.items()}
            for title, group in groups.items()}


# What the scripts say.

NAMES = {"function", "instruction", "data", "page", "line", "address"}


def text_tables(text):
    """The tables of the terminal, by title, each a list of rows."""
    found = {}
    parts = text.split("\n\n")
    for before, body in zip(parts, parts[1:]):
        lines = [re.split(r" {2,}", line.strip()) for line in body.splitlines()]
        if lines and lines[0][0] == "time":
            found[before.splitlines()[-1]] = [dict(zip(lines[0], line)) for line in lines[1:]]
    return found


class Page(html.parser.HTMLParser):
    """The tables of a page, what they are called, and what is wrong with it."""

    HEADINGS = ("h2", "h3")

    def __init__(self, text):
        super().__init__()
        self.tables, self.heading, self.texts = [], "", []
        self.tags, self.cell, self.open = collections.Counter(), None, []
        # What is drawn, by figure: what each piece says, its length and kind.
        self.pieces, self.sizes, self.size = [], [], ()
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags[tag] += 1
        if tag not in pages.VOID:
            self.open.append(tag)
        if tag in self.HEADINGS:
            self.heading = ""
        if tag == "figure":
            self.pieces.append([])
            self.sizes.append([])
        if tag == "title" and "figure" in self.open:
            self.pieces[-1].append("")
            self.sizes[-1].append(self.size)
        if tag == "rect":
            self.size = [dict(attrs).get(name) for name in ("width", "class")]
        if tag == "table":
            self.tables.append((self.heading, []))
        if tag == "tr":
            self.tables[-1][1].append([])
        self.cell = tag if tag in ("td", "th", *self.HEADINGS) else self.cell
        if tag in ("td", "th"):
            self.tables[-1][1][-1].append("")

    def handle_startendtag(self, tag, attrs):
        self.tags[tag] += 1

    def handle_endtag(self, tag):
        if self.open:
            self.open.pop()
        if tag in (*self.HEADINGS, "td", "th"):
            self.cell = None

    def handle_data(self, data):
        self.texts.append(data)
        if "figure" in self.open and self.open[-1] == "title":
            self.pieces[-1][-1] += data
        elif self.cell in self.HEADINGS:
            self.heading += data
        elif self.cell and "svg" not in self.open:
            self.tables[-1][1][-1][-1] += data.strip("\n")

    def rows(self):
        """pairs of a table's heading and a row of it"""
        for heading, rows in self.tables:
            for row in rows[1:]:
                yield heading, dict(zip(rows[0], row))


def sums_of(pieces):
    """of pieces that say NAME: NUMBER, how much each name has"""
    found = collections.Counter()
    for piece in pieces:
        name, _, number = piece.rpartition(": ")
        if name:
            found[name] += float(number)
    return found


def shares_of(samples, parts, whole):
    """how much each part has in percents"""
    return {name: 100 * total_of(samples, cycles)[0] / whole for name, cycles in parts.items()}


def latency_drawn(samples):
    """What figures show: the parts of all cycles, and how many samples take how long."""
    whole = total_of(samples, lambda r: r.total)[0]
    parts = shares_of(samples, {
        "dispatch": stage(0), "issue": stage(1), "execution": stage(2), "retire": retire,
        "not told": not_told, "flushed": lambda r: None if done(r) else r.total}, whole)
    if total_of(samples, stage(3))[1]:
        parts["% of the time"] = 100
    columns = collections.Counter()
    for record, _ in samples:
        kind = "others"
        if not done(record):
            kind = "flushed"
        elif record.type != "other":
            kind = "loads and stores" if record.is_access() else "transfers"
        low = 1
        while 2 * low <= record.total:
            low *= 2
        columns[f"{low}–{2 * low - 1} {kind}" if low > 1 else f"{record.total} {kind}"] += 1
    return parts, columns


def memory_drawn(samples, has):
    """What figures show: the time by level, and how many samples each line has."""
    samples = [sample for sample in samples if access(sample[0])]
    told = total_of(samples, stage(3))[1]
    cost = stage(3) if told else total
    names = {"L1 hit": "L1", "L3 hit": "L3", "RAM hit": "RAM", "L1 miss": "beyond L1"}
    parts = shares_of(samples, {
        name: lambda r, t=text: cost(r) if r.level(has)[2] == t else None
        for text, name in names.items()}, total_of(samples, cost)[0])
    return parts, collections.Counter(f"{r.adr1 & ~63:#x}" for r, _ in samples)


class Tests:
    """Calls the scripts, counts what is wrong."""

    def __init__(self, perf, folder):
        self.perf, self.folder = perf, folder
        self.number = self.failed = 0

    def path(self, name):
        """where a file is"""
        return os.path.join(self.folder, name)

    def check(self, what, wrong):
        """one test"""
        self.number += 1
        if wrong:
            self.failed += 1
            print(f"{what}: " + "\n  ".join(str(line) for line in wrong[:4]))

    def run(self, script, data, *options, perf=()):
        """status, output, complaints"""
        env = dict(os.environ, PERF_CONFIG="/dev/null", PERF_PAGER="cat", LC_ALL="C.UTF-8")
        ran = subprocess.run(
            [self.perf, "script", "report", script, "-i", self.path(data), "--kallsyms=/dev/null",
             *perf, "--", *options], env=env, cwd=self.folder, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        return ran.returncode, ran.stdout, ran.stderr

    def compare(self, what, expected, rows):
        """rows are pairs of a table's title and the row"""
        wrong, left = [], {(t, n) for t, names in expected.items() for n in names}
        for title, row in rows:
            name = next(row[key] for key in row if key in NAMES)
            if name not in expected[title]:
                wrong.append(f"{title}: there is no {name}")
                continue
            left.discard((title, name))
            for column, value in expected[title][name].items():
                if row.get(column) != value:
                    wrong.append(f"{title}: {name}: {column} {row.get(column)}, not {value}")
        self.check(what, wrong + [f"there is no {name}" for name in sorted(left)])

    def figures(self, what, page, expected):
        """is what is drawn what is expected?"""
        parts, columns = expected
        pieces = page.pieces
        wrong, found = [], sums_of(pieces[0])
        lengths = [float(size[0]) / float(piece.rpartition(": ")[2])
                   for piece, size in zip(pieces[0], page.sizes[0])
                   if ": " in piece and size[1] != "mark" and float(size[0]) > 20]
        if max(lengths) > 1.01 * min(lengths):
            wrong.append("bars are not as long as they should be")
        for name, number in parts.items():
            # Each piece is rounded.
            if abs(found[name] - number) > 0.03:
                wrong.append(f"{name}: {found[name]}, not {number:.2f}")
        found = {piece.partition(":")[0]: int(piece.partition(": ")[2].split()[0])
                 for piece in pieces[1]}
        if found != dict(columns):
            wrong.append(f"{found}, not {dict(columns)}")
        self.check(what, wrong)

    def tables(self, script, data, expected, drawn):
        """on the terminal and in the page; the output"""
        page = self.path(data + ".html")
        status, out, err = self.run(script, data, "--html", page, "--rows", "10000")
        if status:
            self.check(f"{script} {data}", [status, out, err])
            return ""
        self.compare(f"{script} {data}: terminal", expected,
                     [(title, row) for title, rows in text_tables(out).items() for row in rows])
        with open(page, encoding="utf-8") as file:
            text = file.read()
        parsed = Page(text)
        self.compare(f"{script} {data}: page", expected, [
            (heading if heading in expected else "Instructions", row)
            for heading, row in parsed.rows()])
        self.figures(f"{script} {data}: figures", parsed, drawn)
        # All rows may be more than what a page ought to have; see sizes().
        wrong = pages.check(text, limit=None)
        if not parsed.tags["svg"] or not parsed.tags["title"] or "%" not in text:
            wrong.append("nothing is drawn")
        shown = "".join(parsed.texts)
        # Bars have labels, and what is below axes.
        for name in [*(FUNCTIONS if script.endswith("latency") else VARIABLES), "% of"]:
            if name not in shown:
                wrong.append(f"{name} is not shown")
        if any(name in text for name in RAW):
            wrong.append("a name is as it was")
        self.check(f"{script} {data}: form", wrong)
        self.code(f"{script} {data}: code", parsed)
        return out

    def code(self, what, page):
        """is each instruction what was assembled?"""
        there, wrong, seen = shutil.which("riscv64-linux-gnu-objdump"), [], 0
        for _, row in page.rows():
            if "code" not in row:
                continue
            seen += 1
            number = int(row["instruction"].rpartition("+")[2], 16) // 2
            if row["code"] != (f"li a0,{number}" if there else ""):
                wrong.append(f"{row['instruction']}: {row['code']}")
        if ("There is no objdump" in "".join(page.texts)) == bool(there):
            wrong.append("what is not there is not said")
        self.check(what, wrong if seen else ["no instructions"])

    def both(self, data, samples, has):
        """both scripts; what they say"""
        return [self.tables("riscv-pdis-latency", data, latency_rows(samples, has),
                            latency_drawn(samples)),
                self.tables("riscv-pdis-memory", data, memory_rows(samples, has),
                            memory_drawn(samples, has))]

    def says(self, what, text, *lines):
        """is all of that said?"""
        self.check(what, [f"not said: {line}" for line in lines if line not in text])


def harts(tests):
    """Harts that tell much and little."""
    rng = random.Random(11)
    poor = "No sample tells of a last cache"
    for name, has, stages, oldest in (
            ("rich", RICH, (True, True, True), True), ("poor", POOR, (False,) * 3, False),
            ("half", RICH, (True, False, True), True), ("young", RICH, (True,) * 3, False)):
        records = some_records(rng, has, 3000, stages, oldest)
        file = start(tests.folder, has)
        file.auxtrace(b"".join(record.pack() for record in records))
        file.write(tests.path(name + ".data"))
        samples = [(record, 1000) for record in records]
        latency, memory = tests.both(name + ".data", samples, has)
        most = sum(record.total == MOST for record in records)
        flushed = sum(record.is_access() and not done(record) for record in records)
        tests.says(name, latency, f"3000 samples of {3000 * 1000} instructions",
                   f"{sum(r.total for r in records) * 1000} cycles",
                   f"{most} samples took 4095 cycles or more")
        tests.says(name, memory, f"{flushed} more samples are of")
        tests.check(name, [(name, latency)] if (poor in latency) != (has is POOR) or
                    ("Not told:" in latency) != (False in stages) or
                    ("does not tell how long" in latency) == oldest else [])


def narrow(tests):
    """Harts with 32-bit registers."""
    records = some_records(random.Random(12), RICH, 500)
    file = start(tests.folder, RICH)
    # The same, but for the information, which is the first that counts.
    file.data = b""
    file.time_conv()
    file.info([(perf_data.CAP_RV32, events_of(RICH))])
    rest = start(tests.folder, RICH)
    file.comm(1000, 1000, "prog", 10)
    file.data += rest.data[rest.data.index(struct.pack("<IH", perf_data.MMAP,
                                                       perf_data.MISC_USER)):]
    file.auxtrace(b"".join(record.pack32() for record in records), reference=100000)
    file.write(tests.path("narrow.data"))
    tests.both("narrow.data", [(record, 1000) for record in records], RICH)


def singles(tests):
    """Samples of riscv_pdis_sample beside records that stand for fewer instructions."""
    rng = random.Random(13)
    file = start(tests.folder, RICH)
    file.add_single(7000)
    first, second = (some_records(rng, RICH, 400) for _ in range(2))
    file.auxtrace(b"".join(record.pack() for record in first))
    for record in second:
        file.sample(1000, 1000, record.time + 5, 0, record.pack(),
                    (record.total, record.stages[1] or 0, record.stages[2] or 0),
                    record.data_src(RICH)[0], record.addr(), record.phys())
    file.sample(1000, 1000, 90000, 0, bytes(64), (0, 0, 0), 0, 0, 0,
                raw=struct.pack("<I", 60) + bytes(60))
    file.write(tests.path("singles.data"))
    samples = [(record, 1000) for record in first] + [(record, 7000) for record in second]
    tests.both("singles.data", samples, RICH)


def events(tests):
    """Records that more than one event has samples of count once."""
    records = some_records(random.Random(15), RICH, 300)
    # What is alike are two of them all the same.
    data = [copy for record in records for copy in (record, record)]
    file = start(tests.folder, RICH)
    file.auxtrace(b"".join(record.pack() for record in data))
    file.write(tests.path("events.data"))
    tests.both("events.data", [(record, 1000) for record in data], RICH)
    once = tests.run("riscv-pdis-memory", "events.data")
    more = tests.run("riscv-pdis-memory", "events.data", perf=("--itrace=fM",))
    # Only that one tells of what was flushed.
    rest = [text.partition("\n\n")[2] for text in (once[1], more[1])]
    tests.check("events.data: of several events", [] if rest[0] == rest[1] != "" else [more])


def processes(tests):
    """The same address of two processes is not the same data."""
    file = begin([RICH])
    file.comm(2000, 2000, "two", 15)
    data = [Record("load", 1000 + 10 * i, 0x10000, 0x20008, total=7) for i in range(10)]
    file.auxtrace(b"".join(record.pack() for record in data))
    file.switch(2000, 2000, 1055, 0)
    file.write(tests.path("processes.data"))
    status, out, err = tests.run("riscv-pdis-memory", "processes.data")
    found = {row["address"]: row["samples"]
             for row in text_tables(out).get("Addresses", [])}
    tests.check("processes", [] if found == {"1000:0x20008": "6", "2000:0x20008": "4"} else
                [status, found, err])


def kernels(tests):
    """What belongs to no process is the same in all: with 32-bit registers, too, where stacks
    are at addresses that elsewhere look like the kernel's."""
    user, kernel = perf_data.MISC_USER, perf_data.MISC_KERNEL
    for name, stack, others in (("wide", 0x3fffff0008, (0xffffffd800001040, 1 << 63)),
                                ("narrow", 0x9c7f0008, (0xc0001040, 0x9e000000, 0xffffff00))):
        file = begin([RICH])
        file.add_single(1000)
        file.comm(2000, 2000, "two", 15)
        expected = {f"{pid}:{addr:#x}": "1" for pid in (1000, 2000) for addr in (0x20008, stack)}
        expected.update({f"0:{addr:#x}": "2" for addr in others})
        ticks = 1000
        for pid in 1000, 2000:
            # The kernel reads what programs hand over, and what is its own.
            for misc, addr in ((user, stack), (kernel, 0x20008), *((kernel, at) for at in others)):
                ticks += 10
                record = Record("load", ticks, 0x10000, addr, total=7)
                file.sample(pid, pid, ticks, 0,
                            record.pack() if name == "wide" else record.pack32(), (7, 0, 0),
                            record.data_src(RICH)[0], addr, 0, misc=misc)
        file.write(tests.path(f"kernel-{name}.data"))
        status, out, err = tests.run("riscv-pdis-memory", f"kernel-{name}.data")
        found = {row["address"]: row["samples"] for row in text_tables(out).get("Addresses", [])}
        tests.check(f"kernel, {name}", [] if found == expected else [status, found, err])


def troubles(tests):
    """What is wrong with a file, or with what is asked for."""
    records = some_records(random.Random(14), RICH, 50)
    file = start(tests.folder, RICH)
    records[7].format = 3
    file.auxtrace(b"".join(record.pack() for record in records) + bytes(40))
    file.aux(0, 64, perf_data.AUX_TRUNCATED, 1000, 1000, 1105, 0)
    file.write(tests.path("lost.data"))
    start(tests.folder, RICH).write(tests.path("none.data"))
    file = start(tests.folder, RICH)
    file.auxtrace(b"".join(Record("other", 1000 + i).pack() for i in range(5)))
    file.write(tests.path("others.data"))
    with open(tests.path("lost.data"), "rb") as whole, \
            open(tests.path("cut.data"), "wb") as cut, \
            open(tests.path("nothing.data"), "wb"):
        cut.write(whole.read(100))
    good = [(record, 1000) for record in records if not record.format]
    for script in "riscv-pdis-latency", "riscv-pdis-memory":
        status, out, err = tests.run(script, "lost.data")
        tests.says(script + " lost.data", out, "1 times: Record of an unknown format",
                   "1 times: Part of a record", "1 times: Lost records: the buffer was full")
        tests.check(script + " lost.data", [status, err] if status else [])
        for data, options, what in (
                ("none.data", (), "was this recorded with riscv_pdis"),
                ("cut.data", (), "file"), ("nothing.data", (), "zero-sized"),
                ("no.data", (), "No such"),
                ("lost.data", ("--html", "/nowhere/at.html"), "/nowhere/at.html: No such file"),
                ("lost.data", ("--rows", "0"), "--rows"),
                ("lost.data", ("--rows", "x"), "--rows"), ("lost.data", ("--bad",), "--bad")):
            status, out, err = tests.run(script, data, *options)
            tests.check(f"{script} {data} {options}", [status, out, err] if status in (0, -6) or
                        what not in err or "Traceback" in err else [])
    status, out, err = tests.run("riscv-pdis-memory", "others.data")
    tests.says("others.data", err, "no sampled load or store")
    tests.check("others.data", [] if status == 1 else [status])
    tests.both("lost.data", good, RICH)


def sizes(tests):
    """With the rows that there are by default a page has its size, and links both ways."""
    records = some_records(random.Random(16), RICH, 3000)
    file = start(tests.folder, RICH)
    file.auxtrace(b"".join(record.pack() for record in records))
    file.write(tests.path("sizes.data"))
    for script in "riscv-pdis-latency", "riscv-pdis-memory":
        page = tests.path(script + ".html")
        ran = tests.run(script, "sizes.data", "--html", page, "--types", "--see", "other.html")
        with open(page, encoding="utf-8") as written:
            text = written.read()
        links = len(re.findall("<a [^>]*href=#[dfipvt][0-9a-f]{10}", text))
        raw = [name for name in RAW if name in text]
        tests.check(f"{script}: page", pages.check(text) + raw +
                    ([f"{links} links"] if links < 3 * len(FUNCTIONS) else []) +
                    [ran] * bool(ran[0]))
        tests.says(f"{script}: page", text, "<a href='other.html'>other.html</a>")


def moved(tests):
    """A program that is not where its file says, as most are."""
    path = tests.path("moved")
    with open(tests.path(PROGRAM), "rb") as file:
        text = bytearray(file.read())
    # A shared object
    text[16] = 3
    with open(path, "wb") as file:
        file.write(text)
    base, body = 0x40000000, path.encode() + b"\0"
    file = begin([RICH])
    file.event(perf_data.MMAP, struct.pack("<IIQQQ", 1000, 1000, base, 0x2000, 0) +
               body.ljust(len(body) + 7 & ~7, b"\0") + file.sample_id(1000, 1000, 11, 0),
               perf_data.MISC_USER)
    file.auxtrace(b"".join(Record("other", 1000 + i, base + 0x1000 + 2 * i, total=7).pack()
                           for i in range(12)))
    file.write(tests.path("moved.data"))
    ran = tests.run("riscv-pdis-latency", "moved.data", "--html", tests.path("moved.html"))
    with open(tests.path("moved.html"), encoding="utf-8") as written:
        page = Page(written.read())
    rows = [row for _, row in page.rows() if "code" in row]
    tests.check("moved: all instructions", [] if len(rows) == 12 and rows[11]["instruction"] ==
                "hot+0x16" else [ran, rows])
    tests.code("moved: code", page)


def programs(tests):
    """Only the program that was recorded is shown."""
    code = part_of_perf("riscv_code").Code()
    ours, other = bytes(range(20)), bytes(range(1, 21))
    # As linkers do it by themselves
    for tool, *args in (("as", "-o", "ours.o", "-"),
                        ("ld", f"--build-id=0x{ours.hex()}", "-o", "ours", "ours.o")):
        subprocess.run(["riscv64-linux-gnu-" + tool, *args], cwd=tests.folder, check=True,
                       input=".globl _start\n_start: nop\n", encoding="ascii")
    found = [code.file(*what) is not None for what in (
        (tests.path("ours"), ours.hex()), (tests.path("ours"), ""),
        (tests.path("ours"), other.hex()), (tests.path("none"), ""), ("[vdso]", ""),
        (sys.executable, ""), (__file__, ""))]
    tests.check("programs", [] if found == [True] * 2 + [False] * 5 else [found])
    many = code.paths("/bin/x", "abcdef")
    tests.check("programs: build ID", [] if list(many)[-1].endswith(
        "/.debug/.build-id/ab/cdef/elf") else [many])


def options(tests):
    """How perf was called says which file the types are of."""
    known = {"--input": "a.data", "--symfs": "x y"}
    for words in (["-i", "a.data", "--symfs", "x y"], ["-ia.data", "--symfs=x y", "-v"],
                  ["-s", "b.py", "--input=a.data", "--symf", "x y", "--no-inline"],
                  ["--inp", "a.data", "--symfs", "x y", "-F", "ip"]):
        found = part_of_perf("riscv_code").options_of(["script", *words])
        tests.check(f"options {words}", [] if found == known else [found])


def part_of_perf(name):
    """a module that scripts of perf have"""
    sys.path.insert(0, os.path.join(os.environ.get("PERF_EXEC_PATH", ""), "scripts", "python"))
    return importlib.import_module(name)


def too_much(tests):
    """Long names are shortened; a page that is large all the same says so."""
    riscv_page, page = part_of_perf("riscv_page"), tests.path("large.html")
    table = riscv_page.Table(["samples", "function"])
    for i in range(3000):
        table.add(i, f"{i}<" + "x" * 5000)
    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        riscv_page.write_page(page, "large", [], table.html("all", [""] * 3000))
    size = os.path.getsize(page)
    tests.check("large", [] if 300000 < size < 700000 and "--rows makes it smaller" in
                said.getvalue() else [size, said.getvalue()])


def levels(tests):
    """More parts than there are colours for are drawn in colours all the same."""
    riscv_page = part_of_perf("riscv_page")
    names = [f"level {i}" for i in range(15)]
    rows = [("all", [i + 1 for i in range(15)], None, "")]
    text = riscv_page.whole_page("levels", ["what"], list(
        riscv_page.bar_chart("all levels", rows, names, "% of all")))
    page = Page(text)
    tests.check("levels", pages.check(text) + [f"{size} is black" for size in page.sizes[0]
                                               if not re.fullmatch(r"c\d+", size[1])])
    tests.check("levels: twelve colours", [] if len({size[1] for size in page.sizes[0]}) == 12
                else [page.sizes[0]])


def main():
    """all of them"""
    tests = Tests(sys.argv[1], os.path.abspath(sys.argv[2]))
    os.makedirs(tests.folder, exist_ok=True)
    # Who has no linker has been given it.
    if not os.path.exists(tests.path(PROGRAM)):
        program(tests.path(PROGRAM))
    parts = {part.__name__: part for part in (harts, narrow, singles, events, processes,
                                             kernels, troubles, sizes, moved, programs, options,
                                             too_much, levels)}
    for name in sys.argv[3:] or parts:
        parts[name](tests)
    print(f"{tests.number} tests, {tests.failed} failed")
    sys.exit(tests.failed > 0)


if __name__ == "__main__":
    main()
