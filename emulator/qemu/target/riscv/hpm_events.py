#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Turn hpm_events.tsv, and those of other cores, into the C tables of hpm_events.c,
hpm_xiangshan.c and hpm_cores.c.

Events that count the same thing share one `kind`, so that an armed pair costs
the translated code as little as one.  Kind 0 is the retired instruction.  What
the microarchitecture model has to be asked for is of no kind, nor is what hardly
anybody asks for: there are no more kinds than fit into the key of a block.
"""
import sys
import typing

MODEL = set("""FETCH ICMISS ICLLMISS ICHITM ITLB ITMISS ITLLMISS L1DHIT L1DMISS LLHIT LLMISS
    HITM L1DTLBHIT L1DTLBMISS LLTLBHIT LLTLBMISS DEVICE FORWARDED MERGED MISPRED
    RVV_IDX RVV_STRD""".split())
# Known when an instruction is translated
INSN = set("INSN LOAD STORE AMO FENCE INT FP RVV RVC CSR SYSTEM RVV_CFG RVV_FP".split())
# What is counted for each access, and not once for an instruction with several
ACCESSES = ("CACHE.", "TLB.", "LOAD.", "STORE.", "LDST.")
# Not for an access of an instruction that is flushed
RETIRED = ".RET"


def fail(where, text):
    sys.exit(f"{where}: {text}")


def read_events(path):
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            line = line.rstrip("\n")
            if not line or line.startswith("#"):
                continue
            fields = line.split("\t")
            if len(fields) != 6:
                fail(f"{path}:{number}", "expected six fields")
            yield f"{path}:{number}", fields


class Attributes(typing.NamedTuple):
    """Of which one is enough, which are needed as well, which must not be there"""
    any: tuple = ()
    all: tuple = ()
    none: tuple = ()

    @classmethod
    def parse(cls, text):
        text, *none = text.split("-")
        first, *needed = text.split("+")
        return cls(tuple(sorted(first.split("|"))), tuple(needed), tuple(none))

    def __str__(self):
        return "{ " + ", ".join(map(mask, self)) + " }"


class Event:
    """What `counts` says: one or two unions of attributes, quantities"""

    def __init__(self, where, counts):
        parts = counts.split(",")
        self.cycle, self.record = counts == "cycle", counts == "record"
        if self.cycle:
            parts = ["INSN", "#CYCLES"]
        elif self.record:
            parts = []
        self.quantities = [q for part in parts if part[0] == "#" for q in part[1:].split("|")]
        self.counted = [Attributes.parse(part) for part in parts if part[0] != "#"]
        names = {name for attrs in self.counted for each in attrs for name in each}
        self.model = self.record or not self.cycle and (
            bool(self.quantities) or not MODEL.isdisjoint(names))
        if len(self.counted) > 2 or (len(self.counted) == 2 and not self.model):
            fail(where, "two unions are of the model, and no more than two")
        if not self.model and any(attrs.all or attrs.none for attrs in self.counted) and \
                not INSN.issuperset(names):
            fail(where, "code counts intersections of what an opcode tells, and no others")

    def kind(self):
        return self.counted[0]

    def fields(self, kinds, name, precise):
        kind = "HPM_KIND_MODEL" if self.model else kinds.index(self.kind())
        # Code counts cycles as instructions. The model has a quantity of them, and that alone.
        counted = [] if self.cycle else self.counted
        return (f"{kind}, {flag(self.cycle)}, {flag(self.record)}, "
                f"{flag(name.startswith(ACCESSES))}, {flag(name.endswith(RETIRED))}, "
                f"{flag(precise)}, "
                "{ " + ", ".join(map(str, counted or [Attributes()])) + " }, "
                + (" | ".join(f"1ull << UARCH_{q}" for q in self.quantities) or "0"))


def flag(value):
    return "true" if value else "false"


def mask(attrs):
    return " | ".join(f"1ull << HPM_{a}_BIT" for a in attrs) or "0"


def build(path, bits, kinds):
    """The events of a file, in C, and the codes of those that never happen; what kinds they need
    is added to `kinds`."""
    lines, never = [], []
    codes, names = set(), set()
    for where, (code, name, counts, sbi, precise, text) in read_events(path):
        value = int(code, 0)
        if value <= 0 or value >= 1 << bits or value in codes:
            fail(where, f"bad or repeated code {code}")
        if name in names:
            fail(where, f"repeated name {name}")
        if precise not in ("yes", "no"):
            fail(where, "precise is yes or no")
        codes.add(value)
        names.add(name)
        if counts == "never":
            never.append(f"    {value:#x}, /* {name} */")
            continue
        event = Event(where, counts)
        if not event.model and event.kind() not in kinds:
            kinds.append(event.kind())
        lines += [f"    /* {text} */",
                  f"    {{ {value:#x}, {0 if sbi == '-' else int(sbi, 0):#x}, "
                  f"{event.fields(kinds, name, precise == 'yes')}, "
                  f"\"{name}\" }},"]
    return lines, never


def table(name, events):
    return [f"static const HPMEvent {name}[] = {{", *events, "};", ""]


def main():
    kinds = [Attributes(("INSN",))]
    (events, _), (xiangshan, never), (u74, _), (x60, _) = (
        build(path, bits, kinds) for path, bits in zip(sys.argv[1:], (56, 10, 56, 56)))
    out = ["/* Generated from hpm_events*.tsv by hpm_events.py. */", "",
           "#ifdef HPM_EVENTS_XIANGSHAN", "", *table("hpm_events_xiangshan", xiangshan),
           "static const uint16_t hpm_never_xiangshan[] = {", *never, "};", "",
           "#elif defined(HPM_EVENTS_CORES)", "", *table("hpm_events_u74", u74),
           *table("hpm_events_x60", x60),
           "#else", "", "static const HPMAttrs hpm_kind_attrs[] = {"]
    out += [f"    {attrs}," for attrs in kinds]
    out += ["};", "", *table("hpm_events", events), "#endif", ""]
    with open(sys.argv[5], "w", encoding="utf-8") as file:
        file.write("\n".join(out))


main()
