# SPDX-License-Identifier: GPL-2.0-only
"""What branch stacks and call stacks add to a sample and to a task switch."""

from common import DEPTHS, PERIOD, TURNS, build_program, count_csrs, measure, printed, script

# What perf_cost is asked for, the first for comparison.
WHATS = {"sample": ("ip", "branches", "lbr", "fp", "dwarf"),
         "switch": ("ip", "branches", "lbr")}


def branch_cells():
    for mode, whats in WHATS.items():
        number = PERIOD if mode == "sample" else 1
        for what in whats:
            yield (mode, what), f"{mode} cpu {number} {TURNS[mode]} {what}"


def boot_branches(program, depth):
    """For each cell (instructions, CSR instructions, bytes) of one turn."""
    commands = [f"modprobe riscv_pmu && {count_csrs()}"] + [
        f"./perf_cost {args}" for _, args in branch_cells()]
    counts, csrs, output = measure(program, commands, f",ctr-depths={DEPTHS[depth]:#x}")
    size = printed(output, "bytes")
    assert printed(output, "samples") == [TURNS["sample"]] * len(size), output
    size += [0] * len(WHATS["switch"])
    names = [name for name, _ in branch_cells()]
    return {name: (count / TURNS[name[0]], csr / TURNS[name[0]], bytes_ / TURNS["sample"])
            for name, count, csr, bytes_ in zip(names, counts, csrs, size)}


def bench():
    program = build_program("perf_cost.c")
    script("build/modules")
    names = {
        ("sample", "branches"): "sample, branch stack of DEPTH",
        ("sample", "lbr"): "sample, --call-graph lbr",
        ("sample", "fp"): "sample, --call-graph fp",
        ("sample", "dwarf"): "sample, --call-graph dwarf",
        ("switch", "branches"): "task switch out and in, branches",
        ("switch", "lbr"): "task switch out and in, call stack of DEPTH",
    }
    print("added to one event that samples IPs: guest instructions of all modes, "
          "CSR\ninstructions among them, bytes; 24 calls are open in a sample, "
          "300 in a switch")
    for depth in DEPTHS:
        cells_ = boot_branches(program, depth)
        print(f"{f'depth {depth}':44}{'all':>10}{'CSR':>8}{'bytes':>8}")
        for cell, name in names.items():
            if depth != min(DEPTHS) and cell[1] in ("fp", "dwarf"):
                continue
            base = cells_[cell[0], "ip"]
            all_, csr, size = (a - b for a, b in zip(cells_[cell], base))
            print(f"{name.replace('DEPTH', str(depth)):44}{all_:10.0f}{csr:8.1f}{size:8.0f}")
