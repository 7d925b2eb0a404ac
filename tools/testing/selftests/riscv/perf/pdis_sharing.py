#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compare what perf makes of lines that harts take from each other with the machine's log.

    pdis_sharing.py FOLDER

FOLDER is what pdis_sharing.sh has left, and "perf" a perf that knows of such samples, on
whatever machine. The log has each sampled instruction, and each line that a hart has taken
from another one, from which it is known of each sampled access whether that had modified
it. Perf says so of the same samples, and of no others, and perf c2c counts as many in each
line, on this machine and on the one that has recorded: in all lines in which the program is
known to find what another thread has written, and in no other. The same records are
said to be those of a core that nobody knows, and perf c2c estimates: no more than has been
taken by the log, in lines that the program shares, and it says that these are estimates.
"""

import collections
import functools
import os
import re
import struct
import subprocess
import sys

import pdis_perf
from pdis_perf import Different, compare, notices, read_truth

PERIOD = 61
# marchid of the emulator, and of nobody
QEMU, NOBODY = 0x2a, 0x2b
LINE = 64
# What is less than so much of all perf c2c does not list.
LEAST_SHARE = 0.001
# Of a line that is shared perf c2c finds as many conflicts, at least.
FEW = 5


def read_ways(path):
    """the program's lines, and what loads find there: modified, once, never"""
    lines = {}
    for line in open(path + ".said", encoding="ascii"):
        name, found, address, number = line.split()
        for i in range(int(number)):
            lines[int(address, 16) + LINE * i] = (name, found)
    return lines


def accesses_of(log):
    """what was sampled, but for what was flushed"""
    return [(cpu, record) for cpu, record in read_truth(log)
            if record.is_access() and "flushed" not in record.what]


def accesses(path):
    """those of a recording"""
    return accesses_of(path + ".truth")


def hitms(path):
    """how many sampled loads found a line modified, by lines, as the log has it"""
    found = collections.Counter()
    for _, record in accesses(path):
        if record.hitm and record.type != "store":
            found[record.adr1 & -LINE] += 1
    return found


def table_of(path):
    """the lines of perf c2c's table, and the number behind the share of each"""
    rows = {}
    for line in open(path, encoding="utf-8"):
        words = line.split()
        if len(words) > 20 and words[1].startswith("0x") and words[4].endswith("%"):
            rows[int(words[1], 16)] = tuple(int(word) for word in words[5:8])
    return rows


def sorted_by(path):
    """what perf c2c has sorted lines by"""
    with open(path, encoding="utf-8") as file:
        return re.search(r"Cachelines sort on +: (.*)", file.read())[1]


def compare_samples(path):
    """Is it told of each sample whether its line was modified elsewhere?"""
    records = compare(path, "sharers", PERIOD)
    seen = collections.Counter((record.type, record.hitm) for record in records)
    for type_ in ("load", "store", "load+store"):
        for hitm in (False, True):
            if seen[type_, hitm] < 100 and (type_, hitm) != ("load+store", False):
                raise Different(f"too few of each kind: {seen}")


def compare_table(path, suffix=".c2c"):
    """Does perf c2c count what the log has, in each line?"""
    right = hitms(path)
    least = LEAST_SHARE * right.total()
    right = {line: (nr, nr, 0) for line, nr in right.items() if nr >= least}
    told = table_of(path + suffix)
    if sorted_by(path + suffix) != "Total HITMs" or told != right:
        raise Different(f"{told}, not {right}")


def compare_ways(path):
    """Are these the lines that the program is known to share, and no others?"""
    told, ways = table_of(path + ".c2c"), read_ways(path)
    # No two accesses to such a line are next to each other: it is known which one took it.
    for _, record in accesses(path):
        if record.taken and not record.hitm and record.adr1 & -LINE in ways:
            raise Different(f"taken, and not missed: {record.text()}")
    for line, (name, found) in ways.items():
        nr = told.get(line, (0,))[0]
        if not {"modified": nr >= 5, "once": nr <= 1, "never": nr == 0}[found]:
            raise Different(f"{name}, {line:#x}: {nr} loads have found it modified")
    others = sum(nr for line, (nr, _, _) in told.items() if line not in ways)
    if others > sum(nr for nr, _, _ in told.values()) / 100:
        raise Different(f"{others} have found other lines modified: {told}")


def compare_stores(path):
    """Stores that find a line modified are told by their samples, and not counted by perf c2c."""
    written = {line for line, (name, _) in read_ways(path).items() if name == "written"}
    found = sum(1 for _, record in accesses(path)
                if record.hitm and record.type == "store" and record.adr1 & -LINE in written)
    if found < 100 or written & table_of(path + ".c2c").keys():
        raise Different(f"{found} stores, {table_of(path + '.c2c')}")


class Directory:
    """Who stored to a line last, and who has loaded from it since"""

    def __init__(self):
        self.writer, self.readers = {}, collections.defaultdict(set)

    def conflicts(self, cpu, line, stores):
        """is another CPU's store in the way?"""
        others = self.writer.get(line, cpu) != cpu
        if stores:
            self.writer[line] = cpu
            self.readers[line] = set()
            return others
        first = others and not self.readers[line]
        if others:
            self.readers[line].add(cpu)
        return first


def estimates(path):
    """how many conflicts there are among what was sampled, by lines: loads and stores"""
    found, directory = collections.defaultdict(collections.Counter), Directory()
    for cpu, record in sorted(accesses(path), key=lambda found: found[1].time):
        stores = record.type != "load"
        if directory.conflicts(cpu, record.adr2 & -LINE, stores):
            found[record.adr1 & -LINE]["stores" if record.type == "store" else "loads"] += 1
    return found


def compare_estimate(path):
    """Of a core that nobody knows perf c2c says that it estimates."""
    right, told = estimates(path), table_of(path + ".unknown")
    least = LEAST_SHARE * sum(count.total() for count in right.values())
    right = {line: (count.total(), count["loads"], count["stores"])
             for line, count in right.items() if count.total() >= least}
    if sorted_by(path + ".unknown") != "Conflicts" or told != right:
        raise Different(f"{told}, not {right}")


@functools.cache
def moves(path):
    """how often a line has gone from one hart to another, or been taken from it, by the log"""
    virtual = {record.adr2 & -LINE: record.adr1 & -LINE for _, record in accesses_of(path)}
    found = collections.Counter()
    for line in open(path, encoding="ascii"):
        if line.startswith("snoop"):
            found[virtual.get(int(line.split()[3], 16))] += 1
    return found


def compare_directory(path):
    """
    Are conflicts estimated where the machine's directory has been asked, and the program shares?

    Each load that is one is behind a store of its own by another hart, and the line has moved
    in between; so has it for each store. What is written once has one conflict. How many of
    those that there are it finds depends on which accesses are sampled: some, in each line. With
    2800 turns there are 28 or more.
    """
    moved, told = moves(os.path.realpath(path + ".truth")), table_of(path + ".unknown")
    for line, (_, loads, stores) in told.items():
        if max(loads, stores) > moved[line]:
            raise Different(f"{line:#x} has moved {moved[line]} times: {told[line]}")
    for line, (name, found) in read_ways(path).items():
        total, loads, stores = told.get(line, (0, 0, 0))
        right = {"modified": total >= FEW, "once": total <= 1, "never": loads == 0}[found]
        if not right or name == "alone" and stores:
            raise Different(f"{name}, {line:#x}: {loads} loads, {stores} stores are conflicts")
    with open(path + ".unknown", encoding="utf-8") as file:
        if "Conflicts (estimated)" not in file.read():
            raise Different("it is not said that these are estimates")


def wrong_estimate(path):
    """more than can be, and what is shared by nobody, or read by many"""
    ways = {name: line for line, (name, _) in read_ways(path).items()}

    def wrong(lines):
        yield "more loads", [re.sub(r"^( +1 +0x.*?%\s+\d+\s+)", r"\g<1>99999", line)
                             for line in lines]
        yield "more stores", [re.sub(r"^( +1 +0x.*?%\s+\d+\s+\d+\s+)", r"\g<1>99999", line)
                              for line in lines]
        for name in ("alone", "table"):
            yield name, [re.sub(r"^( +1 +)0x[0-9a-f]+", rf"\g<1>{ways[name]:#x}", line)
                         for line in lines]
        yield "no estimates", [line.replace("(estimated)", "") for line in lines]
    return wrong


def wrong_table(lines):
    """another line, another number, nothing"""
    for what, pattern, other in (("another line", r" 0x", " 0x1"),
                                 ("more", r"^( +1 +0x.*?%\s+)", r"\g<1>1"),
                                 ("fewer", r"^( +2 +0x.*?%\s+)[0-9]", r"\g<1>"),
                                 ("a line less", r"^ +3 +0x.*%.*", ""),
                                 ("sorted otherwise", "Total HITMs", "Conflicts")):
        yield what, [re.sub(pattern, other, line) for line in lines]


def wrong_snoops(lines):
    """samples that say that nobody else had a line, or that somebody had"""
    yield "none", [line.replace("|SNP HitM|", "|SNP None|") for line in lines]
    for word, other in (("HitM", "None"), ("None", "HitM"), ("HitM", "N/A"),
                        ("N/A", "None")):
        at = next(i for i, line in enumerate(lines) if f"|SNP {word}|" in line)
        yield word, lines[:at] + [lines[at].replace(f"SNP {word}", f"SNP {other}")] + lines[at + 1:]


def compare_others(path):
    """Would it be noticed?"""
    notices(path, compare_table, ".c2c", wrong_table)
    notices(path, compare_samples, ".script", wrong_snoops)
    notices(path, compare_directory, ".unknown", wrong_estimate(path))


def forget_core(path):
    """a file whose records are of a core that nobody knows"""
    with open(os.path.join(os.path.dirname(path), "cpuinfo"), encoding="ascii") as file:
        cpus = len(re.findall(r"^processor\b", file.read(), re.M))
    with open(path + ".data", "rb") as file:
        data = file.read()
    for cpu in range(cpus):
        block = struct.pack("<3Q", cpu, 0, QEMU)
        if data.count(block) != 1:
            raise Different(f"{data.count(block)} blocks of CPU {cpu}")
        data = data.replace(block, struct.pack("<3Q", cpu, 0, NOBODY))
    with open(path + "-unknown.data", "wb") as file:
        file.write(data)


def report(path):
    """Let this machine's perf tell what the recording is."""
    env = dict(os.environ, PERF_CONFIG="/dev/null", PERF_PAGER="cat", LC_ALL="C")
    forget_core(path)
    commands = [([os.path.join(pdis_perf.HERE, "pdis_report.sh"), path + ".data", path], ".said2")]
    commands += [(["perf", "c2c", "report", "--stdio", "-i", path + name], suffix)
                 for name, suffix in ((".data", ".c2c"), ("-unknown.data", ".unknown"))]
    for command, suffix in commands:
        with open(path + suffix, "w", encoding="utf-8") as out:
            subprocess.run(command, env=env, stdin=subprocess.DEVNULL, stdout=out, check=False)


TESTS = (
    ("samples say which lines another hart had modified", compare_samples),
    ("perf c2c counts them, in each line", compare_table),
    ("so it does on the machine that has recorded",
     lambda path: compare_table(path, ".here")),
    ("these are the lines that the program shares", compare_ways),
    ("of stores the samples tell", compare_stores),
    ("of a core that nobody knows it estimates", compare_estimate),
    ("where the machine's directory has been asked, and not more often", compare_directory),
    ("what is wrong is noticed", compare_others),
)


def main():
    """the recording"""
    path = os.path.join(sys.argv[1], "sharers")
    report(path)
    failed = 0
    print(f"1..{len(TESTS)}")
    for number, (what, test) in enumerate(TESTS, 1):
        try:
            test(path)
            print(f"ok {number} {what}")
        except (Different, OSError, KeyError, ValueError, IndexError, TypeError) as why:
            failed += 1
            print(f"not ok {number} {what}")
            print(f"# {type(why).__name__}: {why}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
