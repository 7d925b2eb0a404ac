#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Whether the numbers of pages are those of the samples that perf script prints one by one.

  sums.py PERF FOLDER NAME

NAME.data is recorded, the programs are in symfs, the pages are latency.html and memory.html.
Types are compared with perf report's.
"""

import collections
import os
import re
import subprocess
import sys

from views import Page

SAMPLE = re.compile(r"\|OP ([^|]+)\|.*?\s{2,}(\d+)\s+([0-9a-f]+) (.*?)(\+0x[0-9a-f]+)? \((.*)\)$")


def run(*command):
    """what perf says"""
    env = dict(os.environ, PERF_CONFIG="/dev/null", PERF_PAGER="cat", LC_ALL="C.UTF-8")
    return subprocess.run([*command, "--symfs", "symfs", "--kallsyms=/dev/null"],
                          env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True, check=True).stdout


def samples(perf, name):
    """(function, instruction, cycles, whether it is an access) of each sample"""
    for line in run(perf, "script", "-i", f"{name}.data", "-F",
                    "ip,sym,symoff,dso,weight,data_src").splitlines():
        found = SAMPLE.search(line)
        if not found:
            sys.exit(f"not understood: {line}")
        # What has no function has an address.
        instruction = f"{found[4]}{found[5]}" if found[5] else f"0x{found[3]}"
        yield found[4], instruction, int(found[2]), found[1] != "N/A"


def table(page, name):
    """{row: (samples, share of cycles)} of a table of a page"""
    with open(page, encoding="utf-8") as file:
        rows = [row for _, row in Page(file.read()).rows() if name == next(iter(row))]
    return {row[name]: (int(row["samples"]), float(row["cycles"].rstrip("%")))
            for row in rows}


def compare(what, shown, sums, cycles):
    """what is wrong with some rows: {name: (samples, cycles)} is what they should be"""
    if len(shown) < 10:
        yield f"{what}: only {len(shown)} rows"
    for name, (number, share) in shown.items():
        seen, spent = sums[name]
        if number != seen or abs(share - 100 * spent / cycles) > 0.0051:
            yield f"{what}: {name}: {number} and {share}%, not {seen} and {spent / cycles:.2%}"


def grouped(found, column):
    """{function or instruction: (samples, cycles)}, and that of all"""
    sums = collections.defaultdict(lambda: (0, 0))
    for sample in found:
        for name in sample[column], "all":
            sums[name] = sums[name][0] + 1, sums[name][1] + sample[2]
    return sums


def types(perf, name):
    """how many samples perf report has of each type and field"""
    numbers = collections.Counter()
    for line in run(perf, "mem", "report", "-i", f"{name}.data", "--itrace=M", "--stdio", "-q",
                    "-s", "typeoff", "-w", "9,9,200").splitlines():
        words = line.strip().split(maxsplit=2)
        if len(words) == 3:
            shown = re.sub(r" \+(?:0x)?[0-9a-f]+ \(no field\)$", "", words[2])
            shown = re.sub(r" \+(?:0x)?([0-9a-f]+) \((.*)\)$", r" +0x\1 \2", shown)
            numbers[shown.replace("(unknown)", "[unknown]")] += int(words[1])
    return numbers


def wrong(perf, name):
    """all that is"""
    found = list(samples(perf, name))
    cycles = sum(sample[2] for sample in found)
    yield from compare("latency, functions", table("latency.html", "function"),
                       grouped(found, 0), cycles)
    yield from compare("latency, instructions", table("latency.html", "instruction"),
                       grouped(found, 1), cycles)
    found = [sample for sample in found if sample[3]]
    cycles = sum(sample[2] for sample in found)
    yield from compare("memory, functions", table("memory.html", "function"),
                       grouped(found, 0), cycles)
    yield from compare("memory, instructions", table("memory.html", "instruction"),
                       grouped(found, 1), cycles)
    numbers, shown = types(perf, name), table("memory.html", "type and field")
    if len(shown) < 10:
        yield f"only {len(shown)} types"
    for type_, (number, _) in shown.items():
        if numbers[type_] != number:
            yield f"{type_}: {number}, not {numbers[type_]}"


def main():
    """that"""
    perf, folder, name = sys.argv[1:]
    os.chdir(folder)
    lines = list(wrong(perf, name))
    print("\n".join(lines[:10]))
    sys.exit(bool(lines))


if __name__ == "__main__":
    main()
