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

MODEL = set("""FETCH ICMISS ICLLMISS ICHITM ITLB ITMISS ITLLMISS L1DHIT L1DMISS LLHIT LLMISS
    HITM L1DTLBHIT L1DTLBMISS LLTLBHIT LLTLBMISS DEVICE FORWARDED MERGED MISPRED
    RVV_IDX RVV_STRD""".split())
# Known when an instruction is translated
INSN = set("INSN LOAD STORE AMO FENCE INT FP RVV RVC CSR SYSTEM RVV_CFG RVV_FP".split())
# What is counted for each access, and not once for an instruction with several
ACCESSES = ("CACHE.", "TLB.")


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


class Event:
    """What `counts` says: attributes of which one is enough, attributes that
    are needed as well, attributes that must not be there, quantities."""

    def __init__(self, where, counts):
        counts, *self.none = counts.split("-")
        self.cycle = counts == "cycle"
        self.any, self.all, self.quantities = [], [], []
        if self.cycle:
            self.any, self.quantities = ["INSN"], ["CYCLES"]
        elif counts.startswith("#"):
            self.quantities = counts[1:].split("|")
        else:
            first, *self.all = counts.split("+")
            self.any = sorted(first.split("|"))
        self.model = not self.cycle and (
            bool(self.quantities) or not MODEL.isdisjoint(self.any + self.all + self.none))
        if (self.all or self.none) and not self.model and \
                not INSN.issuperset(self.any + self.all + self.none):
            fail(where, "code counts intersections of what an opcode tells, and no others")

    def kind(self):
        return tuple(self.any), tuple(self.all), tuple(self.none)

    def fields(self, kinds, access, precise):
        kind = "HPM_KIND_MODEL" if self.model else kinds.index(self.kind())
        return (f"{kind}, {flag(self.cycle)}, {flag(access)}, {flag(precise)}, "
                f"{mask(self.any)}, {mask(self.all)}, {mask(self.none)}, "
                + (" | ".join(f"1u << UARCH_{q}" for q in self.quantities) or "0"))


def flag(value):
    return "true" if value else "false"


def mask(attrs):
    return " | ".join(f"1ull << HPM_{a}_BIT" for a in attrs) or "0"


def build(path, bits, kinds):
    """The events of a file, in C; what kinds they need is added to `kinds`."""
    lines = []
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
        event = Event(where, counts)
        if not event.model and event.kind() not in kinds:
            kinds.append(event.kind())
        lines += [f"    /* {text} */",
                  f"    {{ {value:#x}, {0 if sbi == '-' else int(sbi, 0):#x}, "
                  f"{event.fields(kinds, name.startswith(ACCESSES), precise == 'yes')}, "
                  f"\"{name}\" }},"]
    return lines


def table(name, events):
    return [f"static const HPMEvent {name}[] = {{", *events, "};", ""]


def main():
    kinds = [(("INSN",), (), ())]
    events = build(sys.argv[1], 56, kinds)
    xiangshan = build(sys.argv[2], 10, kinds)
    u74 = build(sys.argv[3], 56, kinds)
    x60 = build(sys.argv[4], 56, kinds)
    out = ["/* Generated from hpm_events*.tsv by hpm_events.py. */", "",
           "#ifdef HPM_EVENTS_XIANGSHAN", "", *table("hpm_events_xiangshan", xiangshan),
           "#elif defined(HPM_EVENTS_CORES)", "", *table("hpm_events_u74", u74),
           *table("hpm_events_x60", x60),
           "#else", "", "/* As in HPMEvent */", "static const struct {",
           "    uint64_t any, all, none;", "} hpm_kind_attrs[] = {"]
    for attrs in kinds:
        out.append(f"    {{ {', '.join(map(mask, attrs))} }},")
    out += ["};", "", *table("hpm_events", events), "#endif", ""]
    with open(sys.argv[5], "w", encoding="utf-8") as file:
        file.write("\n".join(out))


main()
