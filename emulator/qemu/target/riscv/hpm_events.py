#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Turn hpm_events.tsv into the C tables of hpm.c.

Events that count the same thing share one `kind`, so that an armed pair costs
the translated code as little as one.  Kind 0 is the retired instruction.
"""
import sys


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


def build(path):
    kinds = ["INSN"]
    events = []
    codes, names = set(), set()
    for where, (code, name, counts, sbi, precise, text) in read_events(path):
        value = int(code, 0)
        if value <= 0 or value >= 1 << 56 or value in codes:
            fail(where, f"bad or repeated code {code}")
        if name in names:
            fail(where, f"repeated name {name}")
        if precise not in ("yes", "no"):
            fail(where, "precise is yes or no")
        codes.add(value)
        names.add(name)
        cycle = counts == "cycle"
        attrs = "INSN" if cycle else "|".join(sorted(counts.split("|")))
        if attrs not in kinds:
            kinds.append(attrs)
        events.append((value, name, kinds.index(attrs), cycle,
                       0 if sbi == "-" else int(sbi, 0), precise == "yes",
                       text))
    return kinds, events


def main():
    kinds, events = build(sys.argv[1])
    out = ["/* Generated from hpm_events.tsv by hpm_events.py. */", "",
           "static const uint64_t hpm_kind_attrs[] = {"]
    for kind in kinds:
        bits = " | ".join(f"HPM_{attr}" for attr in kind.split("|"))
        out.append(f"    {bits},")
    out += ["};", "", "static const HPMEvent hpm_events[] = {"]
    for code, name, kind, cycle, sbi, precise, text in events:
        flags = ", ".join("true" if f else "false" for f in (cycle, precise))
        out += [f"    /* {text} */",
                f"    {{ {code:#x}, {sbi:#x}, {kind}, {flags}, \"{name}\" }},"]
    out += ["};", ""]
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write("\n".join(out))


main()
