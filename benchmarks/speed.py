# SPDX-License-Identifier: GPL-2.0-only
"""The emulator's speed: host time of the same guest work, alternating. The host's speed
changes by a third within minutes: what runs right after each other can be compared."""

import shutil
import statistics
import tempfile

from common import script, selector, vm

ROUNDS = 8
# What a run of the workload does besides, and the machine it needs.
ABSENT = ",smctr=false,ssctr=false,x-sspesa=false,x-ssplcofi=false"
STOCK = ("rv64,sscofpmf=true,smcntrpmf=true,smcsrind=true,sscsrind=true,smcdeleg=true,"
         "ssccfg=true,smstateen=true")
PRESENT = ("--pdis", "--cpu", ",uarch-cycles=off")
# Events of the emulator's microarchitecture model, by what is looked up for them.
LOOKED_UP = {
    "caches": ("CACHE.L1D.MISS", "CACHE.L1I.RD.CODE.MISS", "CACHE.LL.MISS"),
    "TLBs": ("TLB.L1D.LDST.MISS", "TLB.L1I.CODE.MISS", "TLB.LL.LDST.MISS"),
    "predictors": ("INST.MISPRED.RET",),
}


def speed_variants():
    """Name -> how the workload is run, and options of the machine."""
    load = "modprobe riscv_pmu && "
    record = "perf record -q -e instructions -o /tmp/data"
    stock = ["--emulator", script("build/emulator", "--stock") + "/qemu-system-riscv64",
             "--cpu"]
    yield "stock", "", [*stock, STOCK]
    yield "nothing counted", "", ["--cpu", ABSENT]
    yield "everything present, nothing counted", "", PRESENT
    yield "stock, CTR present, nothing counted", "", [
        *stock, f"{STOCK},smctr=true,ssctr=true"]
    yield "perf stat -e instructions", f"{load}perf stat -e instructions", PRESENT
    yield "perf record -c 100000 (Sspesa)", f"{load}{record} -c 100000", PRESENT
    yield "control transfers recorded", f"{load}{record} -b -c 1000000007", PRESENT
    yield "instructions sampled, one in 100,000", "modprobe pdis_run &&", PRESENT
    yield "cycles counted, by the cheap clock", f"{load}perf stat -e cycles", [
        "--pdis", "--cpu", ",uarch-cycles=cheap"]
    for what, events in LOOKED_UP.items():
        raw = ",".join(f"r{selector(event):x}" for event in events)
        yield f"events of {what}", f"{load}perf stat -e {raw}", PRESENT


def bench():
    script("build/modules")
    workload = script("build/workload")
    variants = list(speed_variants())
    times = {name: [] for name, _, _ in variants}
    with tempfile.TemporaryDirectory() as share:
        for name in ("zstd", "input.tar"):
            shutil.copy(f"{workload}/{name}", share)
        for _ in range(ROUNDS):
            for name, how, options in variants:
                command = ("cp zstd input.tar /tmp && cd /tmp && "
                           f"{how} ./zstd -q -f -3 input.tar -o /tmp/x")
                times[name].append(vm(command, "--share", share, *options)[1])
    print(f"emulator: host time of boot + zstd, shortest of {ROUNDS} alternating rounds; "
          "ratio to\nstock QEMU's, of the shortest (median of the rounds' ratios)")
    for name, taken in times.items():
        pairs = [ours / stock for ours, stock in zip(taken, times["stock"])]
        print(f"{name:38}{min(taken):8.2f} s{min(taken) / min(times['stock']):7.2f} "
              f"({statistics.median(pairs):.2f})")
