#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Tests perf's own views of branch stacks: report by source and target, what led to a sample,
blocks by their cycles, annotate with cycles and IPC, how often code is passed, and how two
files differ.

  branchviews.py PERF FOLDER

A program is made of blocks, of which it is known where they begin, where they may be left,
and how many instructions that is; and branch stacks of ways through them, with cycles and
wrong predictions. What perf shows has to add up to what the ways were made of.
"""

import collections
import os
import random
import re
import shutil
import subprocess
import sys

import perf_data

BASE, TEXT = 0x10000, 0x1000
FUNCTIONS, BLOCKS = 5, 5
# Of a hart that keeps so many
DEPTH = 8
MISPREDICTED, PREDICTED, CYCLES = 1, 2, 4

PLAIN = {2: "c.addi a0, 3", 4: "addi a0, a1, 5"}
# One that may be taken, in the middle of a block, and one that ends it
MAYBE = {2: "c.beqz a0, .", 4: "beq a0, a1, ."}
ALWAYS = {2: "c.j .", 4: "jal zero, ."}

Branch = collections.namedtuple("Branch", "source target cycles wrong")
# A way through a block: its function, and where it begins and is left, as offsets there
Passed = collections.namedtuple("Passed", "function start end")


class Block:
    """Where it begins, and its exits: where each is, and how many instructions lead to it"""

    def __init__(self, function, start):
        self.function, self.start, self.exits = function, start, []


class Program:
    """Functions that consist of blocks"""

    def __init__(self, rng, path):
        self.rng, self.path = rng, path
        self.at, self.lines, self.blocks, self.first = BASE + TEXT, [], [], {}
        for i in range(FUNCTIONS):
            self.add_function(f"function_{i}")
        perf_data.link(path, "\n".join([".text", ".option norelax", ".option arch, rv64gc"] +
                                       self.lines) + "\n", BASE, BASE + TEXT)

    def add(self, instructions):
        """one of these, by its length"""
        size = self.rng.choice((2, 4))
        self.lines.append(f".option {'rvc' if size == 2 else 'norvc'}\n{instructions[size]}")
        at, self.at = self.at, self.at + size
        return at

    def add_block(self, name):
        """that may be left in the middle"""
        block, number = Block(name, self.at), 0
        for last in (False, True) if self.rng.random() < 0.6 else (True,):
            for _ in range(self.rng.randrange(1, 6)):
                self.add(PLAIN)
                number += 1
            number += 1
            block.exits.append((self.add(ALWAYS if last else MAYBE), number))
        self.blocks.append(block)

    def add_function(self, name):
        """its blocks, one after the other"""
        self.first[name] = self.at
        self.lines.append(f".globl {name}\n.type {name}, @function\n{name}:")
        for _ in range(BLOCKS):
            self.add_block(name)
        self.lines.append(f".size {name}, . - {name}")

    def offset(self, block, address):
        """in its function"""
        return address - self.first[block.function]

    def instructions(self):
        """how many there are on each way through a block"""
        return {self.passed(block, end): number
                for block in self.blocks for end, number in block.exits}

    def passed(self, block, end):
        """a way through it"""
        return Passed(block.function, self.offset(block, block.start), self.offset(block, end))


    def name_of(self, address):
        """as perf calls a place in what led to a sample"""
        name = max((first, name) for name, first in self.first.items() if first <= address)[1]
        return f"{name} +{address - self.first[name]}"


class Recording:
    """Samples with branch stacks, and what there is in them"""

    def __init__(self, rng, program, number):
        self.rng, self.program = rng, program
        self.edges = collections.Counter()
        # How often, in how many cycles, and predicted how often
        self.blocks = collections.defaultdict(lambda: [0, 0, 0])
        # The same of where branches are, however one has come there: cycles all the same
        self.ends = collections.defaultdict(lambda: [0, 0])
        self.cycles = 0
        self.samples = [self.sample() for _ in range(number)]

    def next_block(self, block):
        """mostly of the same function"""
        near = [one for one in self.program.blocks if one.function == block.function]
        return self.rng.choice(near if self.rng.random() < 0.8 else self.program.blocks)

    def sample(self):
        """branches of one, the newest first, and where it is"""
        branches, block = [], self.rng.choice(self.program.blocks)
        for i in range(DEPTH):
            end = self.rng.choice(block.exits)[0]
            to = self.next_block(block)
            branch = Branch(end, to.start, self.rng.randrange(1, 60), self.rng.random() < 0.3)
            branches.insert(0, branch)
            self.edges[block.function, to.function, "NY"[branch.wrong]] += 1
            self.cycles += branch.cycles
            self.ends[end][0] += 1
            self.ends[end][1] += branch.cycles
            # How one came to the oldest is not known.
            if i:
                self.pass_block(self.program.passed(block, end), branch)
            block = to
        return branches, block.start

    def ways(self, number):
        """take these samples instead: a few ways without loops, each several times"""
        self.samples = []
        for last in self.rng.sample(self.program.blocks, number):
            path = self.rng.sample([one for one in self.program.blocks if one != last], 4) + [last]
            branches = []
            for block, to in zip(path, path[1:]):
                branches.insert(0, Branch(block.exits[-1][0], to.start, self.rng.randrange(1, 60),
                                          self.rng.random() < 0.3))
            self.samples += [(branches, last.start)] * self.rng.randrange(2, 9)

    def pass_block(self, passed, branch):
        """count it"""
        counts = self.blocks[passed]
        counts[0] += 1
        counts[1] += branch.cycles
        counts[2] += not branch.wrong

    def of_end(self, passed):
        """how often this branch is there, and in how many cycles"""
        return self.ends[self.program.first[passed.function] + passed.end]

    def write(self, path):
        """as perf would have recorded it"""
        file = perf_data.File()
        file.add_branches()
        file.comm(1000, 1000, "prog", 10)
        file.mmap(1000, BASE, 0x10000, self.program.path, 11)
        for i, (branches, ip) in enumerate(self.samples):
            file.sample_branches(1000, 1000, 20 + i, ip, [
                (one.source, one.target,
                 (MISPREDICTED if one.wrong else PREDICTED) | one.cycles << CYCLES)
                for one in branches])
        file.write(path)


# What is expected of each view

def of_edges(recording):
    """how often there are which branches"""
    return sorted(f"{number} {source} {target} {wrong}"
                  for (source, target, wrong), number in recording.edges.items())


def range_of(passed):
    """as perf writes it"""
    return f"[{passed.function}+{passed.start} -> {passed.function}+{passed.end}]"


def in_thousands(cycles):
    """as perf writes many"""
    return f"{cycles / 1000:.1f}K" if cycles >= 1000 else str(cycles)


def of_blocks(recording):
    """the share of all cycles, the cycles, and how many at a time"""
    found = []
    for passed in recording.blocks:
        number, cycles = recording.of_end(passed)
        found.append(f"{100 * cycles / recording.cycles:.2f}% {in_thousands(cycles)} "
                     f"{cycles // number} {range_of(passed)}")
    return sorted(found)


def of_annotated(recording):
    """where a block is left: instructions per cycle, and how many cycles"""
    instructions = recording.program.instructions()
    found = []
    for passed, (number, cycles, _) in recording.blocks.items():
        times, of_all = recording.of_end(passed)
        found.append(f"{passed.function} {passed.end:x} "
                     f"{instructions[passed] * number / cycles:.2f} {of_all // times}")
    return sorted(found)


def of_passed(recording):
    """of those that come to a branch, how many it takes elsewhere, and how many of these were
    predicted"""
    found = []
    for passed, (number, _, right) in recording.blocks.items():
        come = sum(n for other, (n, _, _) in recording.blocks.items()
                   if other[:2] == passed[:2] and other.end >= passed.end)
        found.append(f"{recording.program.first[passed.function] + passed.end:x} "
                     f"-{100 * number / come:.2f}% p:{100 * right / number:.2f}%")
    return sorted(found)


def of_history(recording):
    """how often there is which way, from where it led to: targets and sources of branches"""
    found = collections.Counter()
    for branches, _ in recording.samples:
        way = []
        for one in branches:
            way += [recording.program.name_of(one.target) +
                    (" (predicted:0.0%)" if one.wrong else ""),
                    f"{recording.program.name_of(one.source)} (cycles:{one.cycles})"]
        found[", ".join(way)] += 1
    return sorted(f"{number} {way}" for way, number in found.items())


def of_both(one, two):
    """how many cycles more it takes in the second file"""
    found = []
    for passed in one.blocks.keys() & two.blocks.keys():
        means = [cycles // number for number, cycles in
                 (one.of_end(passed), two.of_end(passed))]
        found.append(f"{range_of(passed)} {means[1] - means[0]}")
    return sorted(found)


class Tests:
    """Calls perf, counts what is wrong."""

    def __init__(self, perf, folder):
        self.perf, self.folder, self.failed = perf, folder, 0
        self.env = dict(os.environ, PERF_CONFIG="/dev/null", PERF_PAGER="cat", LC_ALL="C",
                        HOME=folder)

    def lines(self, *args):
        """what perf prints"""
        ran = subprocess.run([self.perf, *args], env=self.env, cwd=self.folder, check=False,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True)
        if ran.returncode:
            print("perf", *args, f"ends with {ran.returncode}:\n{ran.stdout[-500:]}")
        return ran.stdout.splitlines()

    def rows(self, pattern, *args):
        """what the groups of the pattern are in the lines that have it, sorted"""
        found = (re.match(pattern, line) for line in self.lines(*args))
        return sorted(" ".join(row.groups()) for row in found if row)

    def compare(self, what, found, expected):
        """they are the same, and there are some"""
        if found and found == expected:
            return
        self.failed += 1
        print(f"{what}: {len(found)} lines, {len(expected)} are expected")
        print("not expected:", *sorted(set(found) - set(expected))[:5], sep="\n  ")
        print("missing:", *sorted(set(expected) - set(found))[:5], sep="\n  ")

    def edges(self, recording, keys):
        """report by where branches come from, where they go to, and how they were predicted"""
        found = []
        for line in self.lines("report", "-i", "one.data", "--stdio", "-q", "-t", ";", "-F",
                               "sample," + keys):
            words = [word.replace("[.]", "").strip() for word in line.split(";")]
            if len(words) == 4:
                found.append(" ".join(words))
        self.compare(f"report -s {keys}", sorted(found), of_edges(recording))

    def cycles(self, recording):
        """report by cycles of branches: all there are"""
        found = collections.Counter()
        for line in self.lines("report", "-i", "one.data", "--stdio", "-q", "-t", ";", "-F",
                               "sample,symbol_from,cycles"):
            words = [word.replace("[.]", "").strip() for word in line.split(";")]
            if len(words) == 3:
                found[words[1]] += int(words[0]) * int(words[2])
        expected = collections.Counter()
        for branches, _ in recording.samples:
            for one in branches:
                name = next(block.function for block in recording.program.blocks
                            if one.source in [at for at, _ in block.exits])
                expected[name] += one.cycles
        self.compare("report -s cycles", sorted(found.items()), sorted(expected.items()))

    def blocks(self, recording):
        """report --total-cycles"""
        found = self.rows(r" +([\d.]+%) +(\S+) +[\d.]+% +(\S+) +(\[\w+\+.*\])",
                          "report", "-i", "one.data", "--stdio", "--total-cycles")
        self.compare("report --total-cycles", found, of_blocks(recording))

    def annotated(self, recording):
        """annotate with cycles and IPC of each block"""
        found, function = [], None
        for line in self.lines("annotate", "-i", "one.data", "--stdio2"):
            begins = re.match(r"(\w+)\(\) /", line)
            row = re.match(r" +(?:[\d.]+ +)?(\d+\.\d+) +(\d+) +(?:\([^)]*\))? *([0-9a-f]+): ", line)
            function = begins[1] if begins else function
            if row:
                found.append(f"{function} {row[3]} {row[1]} {row[2]}")
        self.compare("annotate --stdio2", sorted(found), of_annotated(recording))

    def passed(self, recording):
        """annotate with how many of those that come to a branch are taken elsewhere"""
        found = self.rows(r".*?: +([0-9a-f]+): .*# .*(-[\d.]+%) \((p:[\d.]+%)\)",
                          "annotate", "-i", "one.data", "--stdio", "-q")
        self.compare("annotate --stdio", found, of_passed(recording))

    def history(self, recording):
        """report --branch-history"""
        found = []
        for line in self.lines("report", "-i", "ways.data", "--stdio", "-q", "--branch-history",
                               "--no-children", "-g", "caller,0,callee,address", "-F",
                               "sample,sym"):
            begins = re.match(r" +(\d+) +\[\.\]", line)
            place = re.match(r" +(?:---)?(\w+ \+\d+(?: \(\w+:[\d.]+%?\))?)$", line)
            if begins:
                found.append([begins[1]])
            elif place:
                found[-1].append(place[1])
        self.compare("report --branch-history",
                     sorted(f"{number} {', '.join(way)}" for number, *way in found),
                     of_history(recording))

    def differ(self, one, two):
        """diff -c cycles"""
        found = []
        for line in self.lines("diff", "-c", "cycles", "one.data", "two.data"):
            row = re.match(r" +[\d.]+% +(\[\w+\+.*\]) +(-?\d+) ", line)
            if row:
                found.append(" ".join(row.groups()))
        self.compare("diff -c cycles", sorted(found), of_both(one, two))


def main():
    """all of them"""
    perf, folder = sys.argv[1], os.path.abspath(sys.argv[2])
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    rng = random.Random(41)
    program = Program(rng, os.path.join(folder, "prog"))
    one, two = Recording(rng, program, 400), Recording(rng, program, 400)
    one.write(os.path.join(folder, "one.data"))
    two.write(os.path.join(folder, "two.data"))
    ways = Recording(rng, program, 0)
    ways.ways(6)
    ways.write(os.path.join(folder, "ways.data"))
    tests = Tests(perf, folder)
    tests.edges(one, "symbol_from,symbol_to,mispredict")
    tests.edges(one, "SYMBOL_FROM,SYMBOL_TO,mispredict")
    tests.cycles(one)
    tests.blocks(one)
    tests.annotated(one)
    tests.passed(one)
    tests.history(ways)
    tests.differ(one, two)
    print(f"{len(one.blocks)} ways through blocks, {len(one.edges)} kinds of branches, "
          f"{tests.failed} views are wrong")
    sys.exit(tests.failed > 0)


if __name__ == "__main__":
    main()
