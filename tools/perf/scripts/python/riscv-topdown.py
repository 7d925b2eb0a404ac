# SPDX-License-Identifier: GPL-2.0-only
"""Where issue slots went, by the levels of TopDown that perf stat has counted.

  perf stat -j -o FILE --metric-no-group -M TopdownL1,TopdownL2,TopdownL3 PROGRAM
  perf script report riscv-topdown FILE... [--html PAGE]

Takes what perf stat prints, as JSON or as text, of one run or, where a hart has too few counters
for all levels at once, of several. Shares are of all slots. What a class has
that none of its parts has is there as "rest": parts need not add up.
"""

import argparse
import json
import math
import re
import sys

sys.dont_write_bytecode = True
# pylint: disable-next=wrong-import-position
import riscv_page  # noqa: E402

METRIC = re.compile(r"^TOPDOWN\.([A-Z0-9_.]+)\.RATE$")
# A metric in a line for people, and how long its events were counted if that is not always
TEXT = re.compile(r"(-?[0-9.]+) *%? +TOPDOWN\.([A-Z0-9_.]+)\.RATE")
COUNTED = re.compile(r"\(([0-9.]+)%\)\s*$")
# With metrics alone, as by --topdown, a line has their names, and the next one the numbers.
COLUMN = re.compile(r"TOPDOWN\.([A-Z0-9_.]+)\.RATE")
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
# What cannot be found out from the order of names: how the first level is read
FIRST = ["RETIRING", "FRONTEND_BOUND", "BAD_SPECULATION", "BACKEND_BOUND"]
# Classes whose name is longer than what the names of their parts begin with
ABOVE = {"BACKEND_BOUND.CORE": "BACKEND_BOUND.CORE_BOUND"}
DEEPEST = 3

# What classes are, and which event to sample, if the core has it, where there is one that happens
# to instructions. If the parts of a class are known, the event of the largest of them is better.
#
# The metrics do not tell the core: this has to be true of XiangShan Kunminghu, too, on which the
# time behind a flush is frontend bound, and backend bound is what remains.
MEANING = {
    "RETIRING": ("operations that did useful work", ""),
    "FRONTEND_BOUND": ("the front end had no operation", ""),
    "FRONTEND_BOUND.LATENCY": ("it had none at all, as after a miss in L1I",
                               "FETCH.DSRC.L1I.MISS:upp"),
    "FRONTEND_BOUND.LATENCY.ADDR": ("translation of the addresses of code",
                                    "FETCH.ASRC.L1.MISS:upp"),
    "FRONTEND_BOUND.LATENCY.DATA": ("fetching code", "FETCH.DSRC.L1I.MISS:upp"),
    "FRONTEND_BOUND.LATENCY.REDIRECT": ("fetch went elsewhere", "INST.BRJMP.TK.RET:upp"),
    "FRONTEND_BOUND.BANDWIDTH": ("it had fewer than there was room for", ""),
    "BAD_SPECULATION": ("operations that were flushed, on some cores also what that cost", ""),
    "BAD_SPECULATION.MISPRED": ("branches went another way", "INST.MISPRED.RET:upp"),
    "BAD_SPECULATION.MEM_ORDERING": ("loads went ahead of stores they depend on", ""),
    "BAD_SPECULATION.OTHER": ("instructions that trapped, and other flushes", "EXCEPTION:upp"),
    "BACKEND_BOUND": ("the back end had no room, or no other class has them", ""),
    "BACKEND_BOUND.MEMORY_BOUND": ("as loads and stores take long",
                                   "INST.LOAD.DSRC.L1D.MISS.RET:upp"),
    "BACKEND_BOUND.MEMORY_BOUND.ADDR_BOUND": ("translation of addresses",
                                              "INST.LOAD.ASRC.L1.MISS.RET:upp"),
    "BACKEND_BOUND.MEMORY_BOUND.DATA_BOUND": ("data", "INST.LOAD.DSRC.L1D.MISS.RET:upp"),
    "BACKEND_BOUND.CORE_BOUND": ("as execution takes long", ""),
    "BACKEND_BOUND.CORE.SERIALIZING": ("instructions that wait for all others",
                                       "INST.MO.RET:upp,INST.SYSTEM.RET:upp"),
    "BACKEND_BOUND.CORE.EXECUTION": ("divisions, floating point, chains of results", ""),
}


class Twice(Exception):
    """A metric of several CPUs, threads or times"""


def note(shares, name, value):
    """remember a metric, unless perf could not compute it"""
    try:
        share = float(value)
    except ValueError:
        return
    if not math.isfinite(share):
        return
    if name in shares:
        raise Twice
    shares[name] = share


def from_json(line, shares, partly):
    """One line of perf stat -j."""
    entry = json.loads(line)
    found = METRIC.match(entry.get("metric-unit", "").split(" ")[-1])
    if found:
        note(shares, found[1], entry["metric-value"])
    for name, value in entry.items():
        found = METRIC.match(name.split(" ")[-1])
        if found:
            note(shares, found[1], value)
    if entry.get("event", "").startswith("TOPDOWN.") and \
            float(entry.get("pcnt-running", 100)) < 99.5:
        partly.add(entry["event"])


def from_text(line, shares, partly, columns):
    """The same for people; columns are those of the line before."""
    line = COLOUR.sub("", line)
    for value, name in TEXT.findall(line):
        note(shares, name, value)
        if COUNTED.search(line):
            partly.add(name)
    values = line.split()
    if columns and len(values) == len(columns):
        for name, value in zip(columns, values):
            note(shares, name, value)
    return COLUMN.findall(line) if not TEXT.search(line) else []


def read(path, shares, partly):
    """Classes, with their percents of all slots, and what was not counted all the time"""
    columns = []
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            for line in file:
                if line.startswith("{"):
                    from_json(line, shares, partly)
                else:
                    columns = from_text(line, shares, partly, columns)
    except OSError as error:
        sys.exit(f"{path}: {error.strerror}")
    except Twice:
        sys.exit(f"{path}: metrics are there more than once: count without -A, -I, --per-..., "
                 "and each level once")
    except (ValueError, TypeError, AttributeError, KeyError):
        sys.exit(f"{path}: this is not what perf stat prints")


def above(name):
    """the class that it is part of, None for those of the first level"""
    parent = name.rpartition(".")[0]
    return ABOVE.get(parent, parent) or None


def level(name):
    """of a class, from 1"""
    return 1 + level(above(name)) if above(name) else 1


def children(shares, parent):
    """the parts of a class, the largest first"""
    names = [name for name in shares if above(name) == parent and level(name) <= DEEPEST]
    return sorted(names, key=lambda name: (-shares[name], name))


def tree(shares, parent=None):
    """all classes, each behind what it is part of: pairs of a name and a share"""
    parts = children(shares, parent)
    for name in parts:
        yield name, shares[name]
        yield from tree(shares, name)
    rest = shares.get(parent, 0) - sum(shares[name] for name in parts)
    if parent and parts and rest >= 0.005:
        yield f"{parent}.rest", rest


def percent(share):
    """for people"""
    return f"{share:.2f}%"


def of_parent(name, share, shares):
    """how much of what it is part of; of another run, that may be smaller"""
    whole = shares.get(above(name)) if above(name) else 100
    return percent(min(100 * share / whole, 100)) if whole and share < 1.01 * whole else "-"


def event_of(name, shares):
    """what to sample for a class"""
    event = MEANING.get(name, ("", ""))[1]
    parts = children(shares, name) if level(name) > 1 else []
    return (parts and event_of(parts[0], shares)) or event


def link_above(name):
    """what it is part of"""
    parent = above(name)
    return riscv_page.Link.make(parent, riscv_page.anchor("c", parent)) if parent else "-"


def make_table(rows, shares):
    """a row for each class"""
    table = riscv_page.Table(["slots", "of that", "level", "class", "part of", "that is",
                              "to be sampled by"], 4)
    for name, share in rows:
        rest = "what is in none of the others" if name.endswith(".rest") else ""
        table.add(percent(share), of_parent(name, share, shares), level(name), name,
                  link_above(name), MEANING.get(name, (rest,))[0], event_of(name, shares),
                  at=riscv_page.anchor("c", name))
    return table


def way_down(shares):
    """The largest class of the first level whose slots are lost, the largest of its parts, and so
    on. Not the largest of all that have no parts: a class with many parts would never be it."""
    parts = [name for name in children(shares, None) if name != "RETIRING"]
    while parts:
        yield parts[0]
        parts = children(shares, parts[0])


def lead(shares, partly):
    """What one has to know to read that."""
    first = {name: share for name, share in shares.items() if level(name) == 1}
    lost = [f"{name}, {percent(shares[name])}" for name in way_down(shares)]
    if "RETIRING" in shares:
        yield f"{percent(shares['RETIRING'])} of the issue slots did useful work."
    if lost:
        yield f"The largest class of the others is {'; its largest part is '.join(lost)}."
    if abs(sum(first.values()) - 100) > 1:
        yield (f"The classes of the first level are {percent(sum(first.values()))} of all slots: "
               "not all of them were counted, or not at the same time.")
    if partly:
        first_of_them = min(partly)
        yield (f"Counters were too few: {len(partly)} events took turns, {first_of_them} among "
               "them. These are estimates, and of short programs no good ones; one level after "
               "the other needs fewer counters.")


def numbers_of(rows):
    """which colour a class has: that of its first level"""
    firsts = [name for name, _ in rows if level(name) == 1]
    order = FIRST + sorted(name for name in firsts if name not in FIRST)
    return [name for name in order if name in firsts]


def values_of(name, share, names):
    """its bar, of the colour of its first level"""
    return [share if name.split(".")[0] == first else 0 for first in names]


def chart(rows):
    """a bar for each class"""
    names = numbers_of(rows)
    bars = [(name, values_of(name, share, names), None, riscv_page.anchor("c", name))
            for name, share in rows]
    return riscv_page.bar_chart("Issue slots by class", bars, names, "% of all slots")


def parts_of_page(rows, shares):
    """The parts of the page."""
    yield riscv_page.heading("Where the slots went")
    yield from chart(rows)
    yield riscv_page.heading("Classes")
    names, most = numbers_of(rows), max(share for _, share in rows)
    bars = [riscv_page.small_bar(values_of(name, share, names), names, most)
            for name, share in rows]
    yield from make_table(rows, shares).html("Classes of TopDown, each behind what it is part of",
                                             bars)
    yield ("<p>To find the instructions that make up a class, record the event that it is to be "
           "sampled by, if the core has it: perf record -e EVENT PROGRAM.</p>")


def main():
    """that"""
    parser = argparse.ArgumentParser(
        prog="riscv-topdown", description=__doc__.split("\n", maxsplit=1)[0],
        usage="perf script report riscv-topdown FILE... [--html PAGE]")
    parser.add_argument("files", metavar="FILE", nargs="+",
                        help="what perf stat has printed, best with -j")
    parser.add_argument("--html", metavar="PAGE", help="write a page, too")
    parser.add_argument("--see", metavar="PAGE", action="append", default=[],
                        help="another page, to which this one leads")
    options = parser.parse_args([word for word in sys.argv[1:] if word != "--"])
    shares, partly = {}, set()
    for path in options.files:
        read(path, shares, partly)
    rows = list(tree(shares))
    if not rows:
        sys.exit(f"{' '.join(options.files)}: no metric of TopDown: was this counted with "
                 "perf stat -M TopdownL1?")
    for line in lead(shares, partly):
        print(line)
    make_table(rows, shares).print("TopDown")
    if options.html:
        riscv_page.write_page(options.html, "Where issue slots went: TopDown",
                              lead(shares, partly), parts_of_page(rows, shares), options.see)


if __name__ == "__main__":
    main()
