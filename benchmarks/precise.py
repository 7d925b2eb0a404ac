# SPDX-License-Identifier: GPL-2.0-only
"""How far samples are from what they tell of, and what it costs to be precise."""

import collections
import itertools
import statistics
import tempfile

import attribution
from common import DRIVER, NO_SYMBOLS, PERIOD, RUNS, TURNS, build_program, count_csrs, logged, \
    measure_modes, printed, sampling, script, selector, share_programs

# How late interrupts are, in instructions, on the harts that are compared.
SKIDS = (0, 8, 64)
NO_SSPLCOFI = ",x-ssplcofi=false"
# Driver -> what the event's modifier is, the hart, and options of the machine.
ATTRIBUTING = {
    "built-in": ("u", NO_SSPLCOFI, "--builtin"),
    "riscv_pmu": ("u", NO_SSPLCOFI),
    "riscv_pmu, :pp": ("upp", NO_SSPLCOFI),
    "riscv_pmu, :pp, Ssplcofi": ("upp", ""),
}
PERIODS = {"INST.RET": 10007, "INST.LOAD.RET": 2003, "INST.BRJMP.BRANCH.TK.RET": 1009,
           "INST.MISPRED.RET": 211}
PROGRAMS = {"zstd": "/tmp/zstd -q -f -3 /tmp/input -o /tmp/output",
            "hot loop": "/tmp/hot_loop"}
# What a sample costs: driver -> the machine, and what perf_cost is asked for.
PRECISE_COSTS = {
    "built-in": ("", ("ip",), "--builtin"),
    "riscv_pmu": ("", ("ip", "precise", "raw")),
    "riscv_pmu, pesa-pc=next": (",pesa-pc=next", ("precise",)),
}


def boot_attributing(share, modifiers, cpu, *options):
    """(program, event, modifier) -> what error_of() tells of a run."""
    runs = [(program, event, modifier) for program in PROGRAMS for event in PERIODS
            for modifier in modifiers]
    commands = ["cp zstd input hot_loop /tmp", "true" if options else DRIVER, NO_SYMBOLS]
    commands += [sampling(f"{selector(event):x}:{modifier}", PERIODS[event], i,
                          PROGRAMS[program])
                 for i, (program, event, modifier) in enumerate(runs)]
    overflows = attribution.by_run(logged(share, commands, cpu, *options))
    assert len(overflows) == len(runs), (len(overflows), len(runs))
    errors = {}
    for i, run in enumerate(runs):
        with open(f"{share}/{i}", encoding="ascii") as text:
            errors[run] = attribution.error_of(text.read(), overflows[i], PERIODS[run[1]])
    return errors


def attribution_errors():
    """(program, event, driver) -> what error_of() tells for each skid."""
    boots = collections.defaultdict(dict)
    for driver, (modifier, cpu, *options) in ATTRIBUTING.items():
        boots[(cpu, *options)][modifier] = driver
    errors = collections.defaultdict(list)
    with tempfile.TemporaryDirectory() as share:
        share_programs(share)
        for skid in SKIDS:
            for (cpu, *options), drivers in boots.items():
                found = boot_attributing(share, drivers, f"{cpu},hpm-skid={skid}", *options)
                for (program, event, modifier), error in found.items():
                    errors[program, event, drivers[modifier]].append(error)
    return errors


def print_errors():
    print("samples that are not on the instruction that caused the overflow, and how "
          "many\ninstructions later they are, by the skid of the hart")
    print(f"{'':62}" + "".join(f"{f'skid {skid}':<16}" for skid in SKIDS))
    errors = attribution_errors()
    for run in itertools.product(PROGRAMS, PERIODS, ATTRIBUTING):
        print("{:10}{:26}{:26}".format(*run) + "".join(
            f"{wrong:6.1%}{'?' if far is None else f'{far:.2f}':>7}   "
            for _, wrong, far in errors[run]) + f"of {min(n for n, *_ in errors[run])}")


def precise_costs(program, cpu, whats, *options):
    """Of each run in one boot: what one sample costs in S-mode, in M-mode, and in CSR
    instructions."""
    runs = [("none", "ip"), *(("cpu", what) for what in whats)] * RUNS
    commands = ["true" if options else f"{DRIVER} && {count_csrs()}"]
    commands += [f"./perf_cost sample {pmu} {PERIOD} {TURNS['sample']} {what}"
                 for pmu, what in runs]
    counts, csrs, output = measure_modes(program, commands, cpu, *options)
    assert printed(output, "samples") == [TURNS["sample"]] * len(whats) * RUNS, output
    costs_ = [(s, m, csr) for (m, s, *_), csr in zip(counts, csrs)]
    return {what: [[(a - b) / TURNS["sample"] for a, b in zip(costs_[i + j], costs_[i])]
                   for i in range(0, len(runs), len(whats) + 1)]
            for j, what in enumerate(whats, 1)}


def print_precise_costs():
    program = build_program("perf_cost.c")
    names = {"ip": "", "precise": ", :pp", "raw": ", :pp and raw data"}
    print(f"instructions of a sample, median of {RUNS} runs")
    print(f"{'':44}{'S-mode':>8}{'M-mode':>8}{'CSR':>8}")
    for driver, (cpu, whats, *options) in PRECISE_COSTS.items():
        for what, runs in precise_costs(program, cpu, whats, *options).items():
            s, m, csr = map(statistics.median, zip(*runs))
            print(f"{driver + names[what]:44}{s:8.0f}{m:8.0f}"
                  f"{'?' if options else f'{csr:.1f}':>8}")


def bench():
    script("build/modules")
    print_errors()
    print_precise_costs()
