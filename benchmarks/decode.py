#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""How long perf takes for sampled instructions, those of RISC-V and those of Arm.

  decode.py PERF FOLDER RECORDS [ROUNDS]

The same instructions are written as a RISC-V hart and as an Arm core tell of them, with
the same threads, switches and buffers. What perf says of each is compared with what they
were made of; without rounds that is all.
"""

import collections
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
sys.path.insert(1, f"{TOP}/tools/perf/tests/riscv-pdis")
import common
import perf_data
import spe
from records import RICH, Record, events_of

# What scripts/bench measures
RECORDS, ROUNDS = 500000, 8
PERIOD = 1000
CPUS = 4
PID, THREADS = 1000, range(1000, 1008)
# Records between two switches on a CPU, about, and between two readings of all buffers
SLICE, ROUND = 1000, 16384
TICKS = 4
FIRST = 1000

TEXT, FUNCTIONS, FUNCTION = 0x10000, 200, 0x100
DATA, PHYSICAL = 0x7f0012340000, 0x80000000
# Of a hundred: loads, stores, transfers of control; the rest is something else.
MIX = ("load",) * 50 + ("store",) * 20 + ("transfer",) * 15 + ("other",) * 15

Switch = collections.namedtuple("Switch", "time cpu old new")


def function(number):
    """its name, address and size"""
    return f"function_{number}", TEXT + 0x10000 + number * FUNCTION, FUNCTION


def some_record(rng, time):
    """an instruction of which both can tell the same"""
    type_ = rng.choice(MIX)
    # Some functions are hotter than others.
    pc = function(int(FUNCTIONS * rng.random() ** 3))[1] + 4 * rng.randrange(FUNCTION // 4)
    total, issue, adr1, adr2, kind, what = rng.randrange(5, 40), rng.randrange(4), 0, 0, None, ()
    if type_ == "transfer":
        kind = rng.choice(("taken", "taken", "not_taken", "return"))
        adr1 = function(rng.randrange(FUNCTIONS))[1]
        what = ("mispredicted",) if rng.random() < 0.05 else ()
    elif type_ != "other":
        offset = 8 * rng.randrange(1 << 17)
        adr1, adr2 = DATA + offset, PHYSICAL + offset
        miss = rng.random()
        if miss < 0.1:
            what, total = ("l1_miss",), total + 20
        if miss < 0.02:
            what, total = ("l1_miss", "llc_miss", "l1_tlb_miss"), total + 100
    return Record(type_, time, pc, adr1, adr2, kind=kind, what=what, total=total,
                  stages=[1, issue, 1, 1])


class Workload:
    """What runs where, and which of its instructions are sampled."""

    def __init__(self, number, seed=1):
        rng = random.Random(seed)
        self.records, self.switches = [], []
        running, left, cpus = [0] * CPUS, [0] * CPUS, []
        for i in range(number):
            # Each has as many, in no order.
            cpus = cpus or rng.sample(range(CPUS), CPUS)
            time, cpu = FIRST + TICKS * i, cpus.pop()
            if not left[cpu]:
                new = rng.choice([tid for tid in THREADS if tid not in running])
                self.switches.append(Switch(time - 2, cpu, running[cpu], new))
                running[cpu], left[cpu] = new, rng.randrange(1, 2 * SLICE)
            left[cpu] -= 1
            self.records.append((cpu, running[cpu], some_record(rng, time)))

    def write(self, path, program, kind, pack):
        """a file, with what pack() makes of each record"""
        file = kind(PERIOD)
        file.time_conv()
        file.info([(0, events_of(RICH))] * CPUS)
        for tid in THREADS:
            file.comm(PID, tid, f"thread-{tid}", 10)
        file.mmap(PID, TEXT, 0x10000 + FUNCTIONS * FUNCTION, program, 11)
        offsets, switches = [0] * CPUS, collections.deque(self.switches)
        for start in range(0, len(self.records), ROUND):
            part = self.records[start:start + ROUND]
            end = part[-1][-1].time
            while switches and switches[0].time <= end:
                write_switch(file, switches.popleft())
            for cpu in range(CPUS):
                data = b"".join(pack(record, tid) for on, tid, record in part if on == cpu)
                # There are multiples of eight bytes in a file.
                data = data.ljust((len(data) + 7) & ~7, b"\0")
                if not data:
                    continue
                file.aux(offsets[cpu], len(data), 0, PID, PID, end + 1, cpu)
                file.auxtrace(data, cpu, cpu, offset=offsets[cpu])
                offsets[cpu] += len(data)
            file.event(perf_data.FINISHED_ROUND, b"")
        file.write(path)


def write_switch(file, switch):
    """a thread goes, another one comes"""
    pid = {tid: PID for tid in THREADS}
    old, new = ((pid.get(tid, 0), tid) for tid in (switch.old, switch.new))
    file.switch_wide(*old, new, switch.time, switch.cpu, out=True)
    file.switch_wide(*new, old, switch.time + 1, switch.cpu)


# Whose file -> what makes it: the file, and a record. An Arm core tells the thread as
# well if the kernel has it do so; else it is known from switches, as on RISC-V.
KINDS = {
    "riscv": (perf_data.File, lambda record, tid: record.pack()),
    "arm": (spe.File, lambda record, tid: spe.pack(record)),
    "arm-threads": (spe.File, spe.pack),
}
# One sample of each record
EACH = "--itrace=i1i"
FIELDS = ["--ns", "-F", "comm,tid,cpu,time,ip,addr,phys_addr,weight"]
MORE_FIELDS = ["--ns", "-F",
               "comm,tid,cpu,time,event,ip,sym,addr,phys_addr,data_src,weight"]
# What is measured, beside what decoding alone takes
MEASURES = {
    "report, a sample each": ["report", "--stdio", EACH],
    "report of data sources": ["report", "--stdio", "--mem-mode", "-s", "mem,sym",
                               "--itrace=M"],
    "script, a sample each": ["script", EACH, *MORE_FIELDS],
    "report, no options": ["report", "--stdio"],
    "script, no options": ["script"],
}
FEW = CPUS


def perf_command(perf, args, path, out=subprocess.PIPE):
    """run it: what it prints"""
    env = dict(os.environ, PERF_CONFIG="/dev/null", PERF_PAGER="cat")
    done = subprocess.run([perf, *args, "-i", path], env=env, stdin=subprocess.DEVNULL,
                          stdout=out, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        sys.exit(f"perf {' '.join(args)}: {done.returncode}\n{done.stderr}")
    return done.stdout


# Of which of Arm's instructions perf tells the address: up to Linux 6.12 of those with
# data, since only of those that go elsewhere.
ARM_TELLS = (Record.is_access, Record.is_transfer)


def expected(kind, records, arm_tells):
    """the words of perf script's line of each"""
    for cpu, tid, record in records:
        ns = perf_data.to_ns(record.time)
        addr = record.addr() if kind == "riscv" or arm_tells(record) else 0
        yield [f"thread-{tid}", str(tid), f"[{cpu:03d}]", f"{ns // 10**9}.{ns % 10**9:09d}:",
               f"{addr:x}", str(record.total), f"{record.pc:x}", f"{record.phys():x}"]


def compare(what, said, want):
    """they are the same, or that is the end"""
    if said == want:
        return
    at = next((i for i, pair in enumerate(zip(said, want)) if pair[0] != pair[1]),
              min(len(said), len(want)))
    sys.exit(f"{what}: {len(said)} lines of {len(want)}; line {at} is\n"
             f"{said[at:at + 1]}, not\n{want[at:at + 1]}")


def words(text):
    """of each line"""
    return [line.split() for line in text.splitlines() if line]


def decoding(kind, number):
    """How to have all records decoded and, to see that they were, the last ones told: of
    RISC-V a period is counted in instructions, those that were not sampled included; of
    Arm it is in records of each CPU."""
    period = number * PERIOD if kind == "riscv" else number // CPUS
    return ["script", f"--itrace=i{period}i", *FIELDS]


def last(kind, workload, arm_tells):
    """what is told then"""
    records = workload.records[-1:] if kind == "riscv" else workload.records[-CPUS:]
    return list(expected(kind, records, arm_tells))


def check(perf, folder, workload):
    """perf says of each file what it was made of"""
    functions = collections.Counter(
        (f"thread-{tid}", f"function_{(record.pc - TEXT - 0x10000) // FUNCTION}")
        for _, tid, record in workload.records)
    for kind in KINDS:
        path = f"{folder}/{kind}.data"
        said = words(perf_command(perf, ["script", EACH, *FIELDS], path))
        arm_tells = next((tells for tells in ARM_TELLS
                          if said == list(expected(kind, workload.records, tells))),
                         ARM_TELLS[0])
        compare(kind, said, list(expected(kind, workload.records, arm_tells)))
        text = perf_command(perf, ["report", "--stdio", "-q", "-F", "sample,comm,sym", EACH],
                            path)
        found = {(line[1], line[-1]): int(line[0]) for line in words(text)}
        compare(f"{kind}, report", sorted(found.items()), sorted(functions.items()))
        text = perf_command(perf, decoding(kind, len(workload.records)), path)
        compare(f"{kind}, decoding", words(text), last(kind, workload, arm_tells))


def user_time(perf, args, path):
    """of one run"""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    perf_command(perf, args, path, subprocess.DEVNULL)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def measures(number):
    """name -> how perf is called for each kind"""
    decode = {kind: decoding(kind, number) for kind in KINDS}
    yield "decode only", {kind: decode[kind] for kind in ("riscv", "arm")}
    yield "decode only, Arm tells threads", {"riscv": decode["riscv"],
                                             "arm-threads": decode["arm-threads"]}
    for name, args in MEASURES.items():
        yield name, {kind: args for kind in ("riscv", "arm")}


def measure(perf, folder, ways, rounds):
    """for each kind the user time that many records take more than few, of each round"""
    times = collections.defaultdict(list)
    for _ in range(rounds):
        for kind, args in ways.items():
            times[kind].append(user_time(perf, args, f"{folder}/{kind}.data") -
                               user_time(perf, args, f"{folder}/few-{kind}.data"))
    return list(times.values())


def write(folder, workload, prefix=""):
    """the files, and the program that they are of"""
    program = os.path.join(folder, "program")
    perf_data.program(program, 0x10000, FUNCTIONS * FUNCTION, [
        (name, addr - TEXT, size) for name, addr, size in map(function, range(FUNCTIONS))])
    for kind, (file, pack) in KINDS.items():
        workload.write(f"{folder}/{prefix}{kind}.data", program, file, pack)


def main():
    """make the files, look whether they are the same, measure"""
    perf, folder, number = sys.argv[1], sys.argv[2], int(sys.argv[3]) // CPUS * CPUS
    rounds = int(sys.argv[4]) if len(sys.argv) > 4 else 0
    os.makedirs(folder, exist_ok=True)
    workload = Workload(number)
    write(folder, workload)
    check(perf, folder, workload)
    print(f"{number:,} records of each, as many samples of them, and the same")
    if not rounds:
        return
    write(folder, Workload(FEW), "few-")
    print(f"records per second of user time, median of {rounds} alternating rounds; ratio, "
          "median\nof the rounds' (least, most)")
    print(f"{'':32}{'RISC-V':>12}{'Arm SPE':>12}{'ratio':>8}")
    for name, ways in measures(number):
        ours, arms = measure(perf, folder, ways, rounds)
        ratios = [arm / our for our, arm in zip(ours, arms)]
        print(f"{name:32}" + "".join(f"{number / statistics.median(times):12,.0f}"
                                     for times in (ours, arms)) +
              f"{statistics.median(ratios):8.2f} ({min(ratios):.2f}, {max(ratios):.2f})",
              flush=True)


def bench():
    with tempfile.TemporaryDirectory() as folder:
        print(common.script("build/perf", "run", "python3", os.path.abspath(__file__), "perf",
                            folder, str(RECORDS), str(ROUNDS)))


if __name__ == "__main__":
    main()
