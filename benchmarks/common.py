# SPDX-License-Identifier: GPL-2.0-only
"""What the parts of scripts/bench share: to build and to run programs in the guest, and to
read what the emulator has counted."""

import os
import resource
import shutil
import statistics
import subprocess
import tempfile

import attribution

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PERIOD = 100003
TURNS = {"switch": 4000, "read": 2000, "sample": 1000}
RUNS = 3
# How deep the records of a hart may be, and the property of the emulator.
DEPTHS = {16: 0x1, 32: 0x2, 256: 0x10}
# A hart whose counters firmware keeps
BY_FIRMWARE = ",smcdeleg=false,ssccfg=false,x-sspesa=false,x-ssplcofi=false"
# Bytes that are compressed
INPUT = 300000
DRIVER = "modprobe riscv_pmu"
# Samples are taken as often as they come.
UNLIMITED = " && ".join(f"echo {value} >/proc/sys/kernel/perf_{name}" for value, name in (
    (50, "cpu_time_max_percent"), (10000000, "event_max_sample_rate"),
    (0, "cpu_time_max_percent")))
# To look for the kernel's symbols takes perf longer than all else.
NO_SYMBOLS = "echo 2 >/proc/sys/kernel/kptr_restrict"


def script(name, *args):
    """Run one of our scripts; return what it prints."""
    done = subprocess.run([f"{TOP}/scripts/{name}", *args], check=True,
                          stdout=subprocess.PIPE, text=True)
    return done.stdout.strip()


def vm(command, *options):
    """Run a command in the guest; return its output and the host's user time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    output = script("vm", "run", "--timeout", "600", *options, command)
    return output, resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def selector(name):
    """What selects an event of the emulator."""
    with open(f"{TOP}/emulator/qemu/target/riscv/hpm_events.tsv", encoding="utf-8") as lines:
        return next(int(line.split("\t")[0], 0) for line in lines if f"\t{name}\t" in line)


def markers(log):
    """Pairs of markers in the emulator's log -> instructions between them, in M, S, U,
    and guests' modes."""
    totals = []
    with open(log, encoding="ascii") as lines:
        for line in lines:
            fields = line.split("\t")
            if fields[0] == "marker":
                totals.append([int(field) for field in fields[3:]])
    return [[b - a for a, b in zip(*pair)] for pair in zip(totals[::2], totals[1::2])]


def printed(output, word):
    return [int(line.split()[1]) for line in output.splitlines() if line.startswith(word)]


def measure_modes(program, commands, *options):
    """Run commands in one boot: the instructions between each pair of markers, by
    mode, the CSR instructions among them, and what the commands printed."""
    with tempfile.TemporaryDirectory() as share:
        shutil.copy(program, share)
        output, _ = vm(" && ".join(commands), "--share", share, "--icount", "--cpu",
                       f",uarch-cycles=off,hpm-marker=on,hpm-log={share}/log"
                       + "".join(options[:1]),
                       *options[1:])
        counts = markers(f"{share}/log")
    csrs = printed(output, "csrs")
    assert len(counts) == len(csrs), output
    return counts, csrs, output


def measure(program, commands, *options):
    """The same with the instructions of all modes together."""
    counts, csrs, output = measure_modes(program, commands, *options)
    return [sum(modes) for modes in counts], csrs, output


def medians(runs):
    """Dictionaries with the same keys -> one of medians."""
    return {key: statistics.median(run[key] for run in runs) for key in runs[0]}


def build_program(source, *options):
    out = script("path", "build") + "/bench"
    os.makedirs(out, exist_ok=True)
    program = f"{out}/{os.path.splitext(source)[0]}"
    script("build/root", "run", "riscv64-linux-gnu-gcc", "-O2", "-Wall", "-static",
           "-fno-omit-frame-pointer", *options, "-o", program, f"{TOP}/benchmarks/{source}")
    return program


def share_programs(share):
    workload = script("build/workload")
    shutil.copy(f"{workload}/zstd", share)
    with open(f"{workload}/input.tar", "rb") as whole, open(f"{share}/input", "wb") as part:
        part.write(whole.read(INPUT))
    shutil.copy(build_program("hot_loop.S", "-nostdlib",
                              f"-Wl,-Ttext={attribution.LOOP:#x}"), share)


def count_csrs():
    return f"modprobe csr_count event={selector('INST.CSR.RET')}"


def sampling(event, period, to, command):
    """The guest's command that leaves samples in a file. As the leader of its group the
    event is read with each of them, which perf script shows as periods."""
    return (f"perf record -q -B -N --no-bpf-event -m 2M -e '{{r{event}}}:S' -c {period} "
            f"-o /tmp/data {command} && perf script -i /tmp/data -F ip,period >{to}")


def logged(share, commands, cpu, *options):
    """Run commands in a boot: the overflows. LOG in the properties is their log."""
    log = attribution.Log(f"{share}/log")
    try:
        vm(" && ".join((UNLIMITED, *commands)), "--share", share, "--icount", "--cpu",
           f",uarch-cycles=off,hpm-log={log.path}{cpu}".replace("LOG", log.path), *options)
    finally:
        log.close()
    return log.overflows
