# SPDX-License-Identifier: GPL-2.0-only
"""What events cost: the kernel's built-in driver, ours, and a PMU whose callbacks do
nothing."""

from common import BY_FIRMWARE, PERIOD, TURNS, build_program, count_csrs, measure, medians, \
    printed, script, selector

EVENTS = (1, 4, 8)
BOOTS = 3
INHIBIT_S = 1 << 61 | 1 << 59


def cells():
    """Every measurement that one driver gets: (name, arguments, turns)."""
    for mode in ("switch", "read"):
        yield (mode, 0), f"{mode} none 0 {TURNS[mode]}"
        for n in EVENTS:
            yield (mode, n), f"{mode} PMU {n} {TURNS[mode]}"
    yield ("sample", 0), f"sample none {PERIOD} {TURNS['sample']}"
    yield ("sample", 1), f"sample SAMPLER {PERIOD} {TURNS['sample']}"


def added(counts):
    """What the events add to each turn, for each cell of one driver."""
    names = [name for name, _ in cells()]
    base = {mode: n for (mode, events), n in zip(names, counts) if not events}
    return {(mode, events): (n - base[mode]) / TURNS[mode]
            for (mode, events), n in zip(names, counts) if events}


def boot(program, drivers, *options, cpu=""):
    """Measure drivers, each (setup, pmu, sampler), in one boot.

    For each driver: what its events add in instructions, and in CSR instructions.
    """
    commands = []
    for setup, pmu, sampler in drivers:
        commands += [setup] + [
            "./perf_cost " + args.replace("PMU", pmu).replace("SAMPLER", sampler)
            for _, args in cells()]
    counts, csrs, output = measure(program, commands, cpu, *options)
    each = len(list(cells()))
    assert len(counts) == each * len(drivers), output
    assert printed(output, "samples") == [TURNS["sample"]] * len(drivers), output
    return [(added(counts[i:i + each]), added(csrs[i:i + each]))
            for i in range(0, len(counts), each)]


def measure_costs():
    """What the events of the built-in driver, ours, ours by firmware, and none at all
    add, and the CSR instructions that ours executes."""
    program = build_program("perf_cost.c")
    script("build/modules")
    csr_count = count_csrs()
    null_sampler = f"null_sampler:{selector('INST.RET') | INHIBIT_S:#x}"
    null = (f"modprobe null_pmu && modprobe null_sampler && {csr_count}",
            "null_pmu", null_sampler)
    ours = (f"rmmod csr_count null_sampler && modprobe riscv_pmu && {csr_count}",
            "cpu", "cpu")
    builtin, floor, riscv_pmu, by_firmware, csrs = [], [], [], [], []
    for _ in range(BOOTS):
        builtin.append(boot(program, [("true", "cpu", "cpu")], "--builtin")[0][0])
        of_null, of_ours = boot(program, [null, ours])
        floor.append(of_null[0])
        riscv_pmu.append(of_ours[0])
        by_firmware += [boot(program, [("modprobe riscv_pmu", "cpu", "cpu")],
                             cpu=BY_FIRMWARE)[0][0]]
        csrs.append({cell: of_ours[1][cell] - of_null[1][cell] for cell in of_ours[1]})
    return tuple(map(medians, (builtin, riscv_pmu, by_firmware, floor, csrs)))


def bench():
    builtin, ours, by_firmware, floor, csrs = measure_costs()
    names = {"switch": "task switch out and in", "read": "read() of each counter",
             "sample": "overflow sample, IP only"}
    print(f"guest instructions, all modes, added by the events; median of {BOOTS} boots")
    print(f"{'':34}{'built-in':>10}{'riscv_pmu':>10}{'ratio':>7}"
          f"{'floor':>10}{'+ CSR':>7}{'ratio':>7}{'by SBI':>10}{'ratio':>7}")
    for cell, of_ours in ours.items():
        mode, n = cell
        what = names[mode] + ("" if mode == "sample" else f", {n} event{'s' * (n > 1)}")
        print(f"{what:34}{builtin[cell]:10.0f}{of_ours:10.0f}{of_ours / builtin[cell]:7.2f}"
              f"{floor[cell]:10.0f}{csrs[cell]:7.1f}"
              f"{of_ours / (floor[cell] + csrs[cell]):7.3f}"
              f"{by_firmware[cell]:10.0f}{by_firmware[cell] / builtin[cell]:7.2f}")
