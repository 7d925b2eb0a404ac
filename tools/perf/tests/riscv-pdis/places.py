#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Where the structs are that perf sees accesses to: a line for each type with fields.

  places.py PERF FOLDER NAME

A line has the type, how many samples and fields there are of it, and at how many addresses
there is one: that of the data without what perf says it is behind the begin. A struct of which
there is one has one address, or what perf says is wrong. NAME.data is recorded, the programs
are in symfs.
"""

import collections
import sys

from datatypes import Report


def main():
    """that"""
    report = Report(*sys.argv[1:])
    shown, found = report.shown(), collections.defaultdict(list)
    for address, place in report.samples():
        type_, offset, name = shown.get(place, ("", 0, ""))
        if name and address:
            found[type_].append((address - offset, name))
    for type_, samples in sorted(found.items(), key=lambda item: -len(item[1])):
        print(type_, len(samples), len({name for _, name in samples}),
              len({base for base, _ in samples}), sep="\t")


main()
