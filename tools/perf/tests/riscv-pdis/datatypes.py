#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Tests in which field of which struct perf sees loads and stores.

  datatypes.py PERF FOLDER NAME SHARE

The program NAME, which is datatypes.c, has been sampled (NAME.data), and has told where its
objects are (NAME.said). The address of the data that a sample has thus tells the field;
perf finds it by the instruction alone. SHARE percent of the samples must be in the right one,
and of the others it must be said that it is not known. What is in no object may not be said
to be in a struct of these.
"""

import collections
import os
import re
import subprocess
import sys

# What a sample looks like: the data, the instruction, each with address and symbol
SAMPLE = re.compile(r"^\s*([0-9a-f]+) .* [0-9a-f]+ (\S+\+0x[0-9a-f]+)$")
SHOWN = re.compile(r"^(.*) \+(?:0x)?([0-9a-f]+) \((.*)\)$")
# What perf annotate says of a struct, and of one of its fields
ANNOTATED = re.compile(r"^Annotate type: '(.*)' in ")
FIELD = re.compile(r"^ *(\d+) +(?:0x)?[0-9a-f]+ +0x[0-9a-f]+ .*\t(\w+);$")
# Structs without others in them
FLAT = ("struct list", "struct corner", "struct tree", "struct counter")
# The functions of a source
FUNCTION = re.compile(r"^(?:static |NOINLINE |const |unsigned |struct )*\w+ \**(\w+)\(", re.M)
with open(os.path.join(os.path.dirname(__file__), "datatypes.c"), encoding="ascii") as source:
    FUNCTIONS = set(FUNCTION.findall(source.read()))
# So many of the fields may be used only before the loop, or be kept in registers there.
MISSED = 8


def function_of(place):
    """as it is called in the source, whatever a compiler has made of it"""
    return place.split("+")[0].split(".")[0]


class Said:
    """What the program has said of itself."""

    def __init__(self, path):
        self.objects, self.locals, self.fields = [], [], collections.defaultdict(dict)
        with open(path, encoding="ascii") as file:
            for line in file:
                what, *rest = line.split(maxsplit=4 if line[0] != "l" else 5)
                if what == "object":
                    at, number, size, type_ = rest
                    self.objects.append((int(at, 16), int(number), int(size), type_.strip()))
                elif what == "local":
                    at, number, size, function, type_ = rest
                    self.locals.append((int(at, 16), int(number), int(size), type_.strip(),
                                        function))
                elif what == "field":
                    offset, size, name, type_ = rest
                    # perf has no name for what has no end.
                    self.fields[type_.strip()][name if int(size) else ""] = (int(offset),
                                                                            int(size))
        self.types = {type_ for *_, type_ in self.objects if not self.is_simple(type_)}

    @staticmethod
    def is_simple(type_):
        """whether it is a number, which there are elsewhere, too"""
        return type_ in ("int", "char")

    def field_at(self, type_, offset):
        """a field's name, or None where the program has said none"""
        for name, (begin, size) in self.fields[type_].items():
            if begin <= offset and (not size or offset < begin + size):
                return name
        return None

    def places(self, address, function):
        """(type, field) of all objects that are there: one may be in another"""
        there = [(at, number, size, type_) for at, number, size, type_ in self.objects]
        there += [(at, number, size, type_) for at, number, size, type_, where in self.locals
                  if where == function]
        return [(type_, self.field_at(type_, (address - at) % size))
                for at, number, size, type_ in there if at <= address < at + number * size]


class Report:
    """What perf says of a file, of which the programs are in symfs."""

    def __init__(self, perf, folder, name):
        self.perf, self.folder, self.name = perf, folder, name

    def run(self, command, *args):
        """what perf says"""
        if command != "annotate":
            args += ("--kallsyms=/dev/null",)
        env = dict(os.environ, PERF_CONFIG="/dev/null", PERF_PAGER="cat", LC_ALL="C")
        return subprocess.run([self.perf, command, *args, "-i", f"{self.name}.data",
                               "--symfs", "symfs"], env=env, cwd=self.folder,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, check=True).stdout

    def shown(self):
        """for each instruction the type and field that perf says"""
        types = {}
        for line in self.run("report", "--stdio", "-q", "-t", ";", "--no-children", "-n", "-s",
                             "symoff,typeoff", "-w", "9,9,80,200").splitlines():
            words = [word.strip() for word in line.split(";")]
            if len(words) != 4:
                continue
            shown = SHOWN.match(words[-1])
            place = words[2].split("] ", 1)[-1]
            name = shown.group(3) if shown and shown.group(3) != "no field" else ""
            types[place] = ((shown.group(1), int(shown.group(2), 16), name) if shown else
                            (words[-1], 0, ""))
        return types

    def samples(self):
        """(address of the data, function and offset) of each sample; of what was flushed
        there is no address, but zero"""
        found = []
        for line in self.run("script", "-F", "addr,ip,sym,symoff").splitlines():
            sample = SAMPLE.match(line)
            if sample:
                found.append((int(sample.group(1), 16), sample.group(2)))
        return found


class Tests(Report):
    """Counts what is right."""

    def __init__(self, perf, folder, name):
        super().__init__(perf, folder, name)
        self.said = Said(os.path.join(folder, f"{name}.said"))
        self.failed = 0

    def is_right(self, places, shown):
        """whether what is shown is one of the places"""
        type_, offset, name = shown
        for expected, field in places:
            if type_ != expected:
                continue
            if self.said.is_simple(type_) or name == field:
                return True
            # A field that the program cannot name: a few bits
            if field is None and self.said.field_at(type_, offset) is None:
                return True
        return False

    def check(self, what, holds, said):
        """one test"""
        self.failed += not holds
        print(f"{'ok' if holds else 'not ok'} - data types: {self.name}: {what}")
        if not holds:
            print(said)

    def count(self):
        """what is right, not known, wrong, and in none of the objects"""
        shown, seen, elsewhere = self.shown(), set(), 0
        right, unknown, wrong = 0, collections.Counter(), collections.Counter()
        for address, place in self.samples():
            if not address or function_of(place) not in FUNCTIONS:
                continue
            places = self.said.places(address, function_of(place))
            type_ = shown.get(place, ("(none)", 0, ""))
            if not places:
                elsewhere += 1
                wrong[(place, type_, ())] += type_[0] in self.said.types
            elif self.is_right(places, type_):
                right += 1
                seen |= set(places)
            elif type_[0] == "(unknown)":
                unknown[(place, tuple(places))] += 1
            else:
                wrong[(place, type_, tuple(places))] += 1
        return right, unknown, +wrong, elsewhere, seen

    def annotated(self):
        """how many samples perf annotate shows of each field of some structs"""
        counts, type_ = {}, None
        for line in self.run("annotate", "--stdio", "--data-type", "-n").splitlines():
            header, field = ANNOTATED.match(line), FIELD.match(line)
            if header:
                type_ = header.group(1)
            elif field and type_ in FLAT:
                counts[(type_, field.group(2))] = int(field.group(1))
        # It also lists fields of which it has no sample.
        return {place: n for place, n in counts.items() if n}

    def of_memory(self):
        """how many perf mem report has"""
        counts = collections.Counter()
        for line in self.run("mem", "report", "--stdio", "-q", "-s", "typeoff").splitlines():
            words = line.split(maxsplit=2)
            shown = SHOWN.match(words[-1].strip()) if words else None
            if shown and shown.group(1) in FLAT:
                counts[(shown.group(1), shown.group(3))] += int(words[1])
        return dict(counts)

    def counted(self):
        """the same by addresses; by instructions of what has no address"""
        counts, shown = collections.Counter(), self.shown()
        for address, place in self.samples():
            type_, _, name = shown.get(place, ("", 0, ""))
            if function_of(place) not in FUNCTIONS:
                continue
            if address:
                counts.update(self.said.places(address, function_of(place)))
            elif name:
                counts[(type_, name)] += 1
        return {place: n for place, n in counts.items() if place[0] in FLAT}

    def tests(self, share):
        """all of them"""
        right, unknown, wrong, elsewhere, seen = self.count()
        missed = {(type_, name) for type_ in self.said.fields
                  for name in self.said.fields[type_]} - seen
        print(f"# {self.name}: {right} right, {unknown.total()} not known, "
              f"{wrong.total()} wrong, {elsewhere} elsewhere")
        self.check(f"no more than {MISSED} fields are not seen", len(missed) <= MISSED, missed)
        self.check(f"{share} of 100 samples are in the right field",
                   right and right * 100 >= share * (right + unknown.total()),
                   "\n".join(f"{n} {what}" for what, n in unknown.most_common(20)))
        annotated, counted = self.annotated(), self.counted()
        self.check("perf annotate has as many in fields", annotated and annotated == counted,
                   f"{annotated}\n{counted}")
        of_memory = self.of_memory()
        self.check("perf mem report has as many in fields", of_memory and of_memory == counted,
                   f"{of_memory}\n{counted}")
        self.check("none is in a wrong one", elsewhere and not wrong,
                   "\n".join(f"{n} {what}" for what, n in wrong.most_common(20)))


def main():
    """all tests"""
    perf, folder, name, share = sys.argv[1:]
    tests = Tests(perf, folder, name)
    tests.tests(int(share))
    sys.exit(bool(tests.failed))


if __name__ == "__main__":
    main()
