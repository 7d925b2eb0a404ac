# SPDX-License-Identifier: GPL-2.0-only
"""What it costs to sample instructions of zstd in user mode, and what is lost."""

import collections
import shutil
import statistics
import tempfile

from common import DRIVER, RUNS, UNLIMITED, build_program, markers, printed, script, \
    share_programs, vm

# PMUs that sample instructions. One that the guest does not have is left out.
SAMPLERS = {"riscv_pdis": "batches", "riscv_pdis_sample": "one by one"}
# KiB: room for all that is recorded while the reader waits for its turn
BUFFER = 16384
# Those that are only looked at for what is lost
SHORT_PERIODS = (10, 30)
SLOWING_PERIODS = (100, 1000, 10000, 100000)
# PERF_AUX_FLAG_TRUNCATED
TRUNCATED = 1


def fates(log):
    """How many samples had which fate, by the emulator's log."""
    with open(log, encoding="ascii") as lines:
        return collections.Counter(line.split("\t")[2] for line in lines
                                   if line.startswith("sample\t"))


def boot_sampling(share, pmu, period, wheres):
    """Run without an event and with one, whose records are written to each of these;
    of each run the modes' instructions and its records, then what is lost: by the hart,
    as a share, and by perf. None if there is no such PMU."""
    command = "/tmp/zstd -q -f -3 /tmp/input -o /tmp/output"
    runs = ["none 0 0 -", *(f"{pmu} {period} {BUFFER} {where}" for where in wheres)] * RUNS
    log = f"{share}/pdis-log"
    output, _ = vm(
        f"cp zstd input /tmp; {UNLIMITED}; {DRIVER}; modprobe {pmu}; "
        + " && ".join(f"./pdis_cost {run} {command}" for run in runs[:1] + runs),
        "--share", share, "--icount", "--pdis", "--cpu",
        f",uarch-cycles=off,hpm-marker=on,hpm-log={share}/log,pdis-log={log}")
    if "absent" in output:
        return None
    of = fates(log)
    said = sum(printed(output, "lost"))
    truncated = any(flags & TRUNCATED for flags in printed(output, "flags"))
    records = printed(output, "records")
    assert truncated or sum(records) + said == of["recorded"], (output, of)
    counts = [modes[:3] for modes in markers(f"{share}/log")]
    lost = (of["dropped"] + of["collision"]) / sum(of.values())
    # The first is there to warm up.
    return list(zip(counts, records))[1:], lost, bool(truncated or said)


def sampling_costs(share, pmu, period):
    """Of a reader that writes and one that does not, medians: instructions of the
    kernel per record, and the share by which all becomes slower. Then what is lost."""
    wheres = ("/tmp/data", "-")
    runs, lost, lossy = boot_sampling(share, pmu, period, wheres)
    each = 1 + len(wheres)
    costs_ = []
    for i in range(1, each):
        added_ = [((runs[k + i][0][1] - runs[k][0][1]) / runs[k + i][1],
                   sum(runs[k + i][0]) / sum(runs[k][0]) - 1)
                  for k in range(0, len(runs), each)]
        costs_.append([statistics.median(each) for each in zip(*added_)])
    return costs_, lost, lossy, runs[1][1]


def print_sampling(share, pmu, name):
    """The table of one PMU."""
    print(f"{pmu}: {name}")
    print(f"{'period':>8}{'lost':>10}{'records':>10}{'kernel':>9}{'slowdown':>10}"
          f"{'kernel':>9}{'slowdown':>10}")
    for period in SHORT_PERIODS:
        print(f"{period:8}{boot_sampling(share, pmu, period, ('-',))[1]:10.3%}")
    for period in SLOWING_PERIODS:
        costs_, lost, lossy, records = sampling_costs(share, pmu, period)
        print(f"{period:8}{lost:10.3%}{records:10}" + "".join(
            f"{s:9.2f}{slower:10.2%}" for s, slower in costs_)
            + ("   not all read" if lossy else ""))


def bench():
    script("build/modules")
    with tempfile.TemporaryDirectory() as share:
        share_programs(share)
        shutil.copy(build_program("pdis_cost.c"), share)
        print("overflows without a record; kernel instructions per record and slowdown of "
              f"all,\nif the records are written to a file, and if not; medians of {RUNS}")
        for pmu, name in SAMPLERS.items():
            if boot_sampling(share, pmu, SLOWING_PERIODS[-1], ("-",)):
                print_sampling(share, pmu, name)
            else:
                print(f"{pmu}: not there")
