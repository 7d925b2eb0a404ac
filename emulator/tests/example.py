# SPDX-License-Identifier: GPL-2.0-only
"""What the programs that run the examples share: options, the machine, results."""

import argparse
import os
import pathlib
import subprocess
import sys

from results import Results

HERE = pathlib.Path(__file__).resolve().parent
BASE = 0x80000000   # where programs begin


def options(doc):
    """A parser of what they all take, with its own description"""
    p = argparse.ArgumentParser(description=doc,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--qemu", default=os.environ.get("QEMU", "qemu-system-riscv64"))
    p.add_argument("--out", type=pathlib.Path,
                   default=pathlib.Path(os.environ.get("O", f"out/{pathlib.Path(sys.argv[0]).name}")))
    p.add_argument("--cross", default=os.environ.get("CROSS_COMPILE", "riscv64-linux-gnu-"))
    return p


def build(args, name):
    subprocess.run([HERE / "run", "--example", "--build-only", "--cross", args.cross,
                    "--out", args.out, name], check=True)


def assemble(args, name, elf, *options):
    """A program of uarch/ that needs nothing else"""
    args.out.mkdir(parents=True, exist_ok=True)
    subprocess.run([args.cross + "gcc", "-march=rv64imac_zicsr_zifencei", "-mabi=lp64",
                    "-nostdlib", "-static", "-no-pie", "-Wl,--build-id=none",
                    f"-Wl,-Ttext={BASE:#x}", "-Wl,--no-warn-rwx-segments", "-Wl,-N", *options,
                    "-o", elf, HERE / "uarch" / f"{name}.S"], check=True)


def profile(name):
    """What the platform says of how to get it"""
    with open(HERE / "platform" / "qemu-virt.tsv", encoding="utf-8") as lines:
        return next(l.rstrip("\n").split("\t")[3] for l in lines if l.startswith(f"{name}\t"))


def machine(args, program, core, properties=""):
    """The command that runs example-PROGRAM on the core that this profile asks for"""
    return [args.qemu, "-M", "virt", "-cpu", profile(core) + properties, "-m", "32", "-nodefaults",
            "-display", "none", "-bios", args.out / f"example-{program}.{core}.elf"]


def output(command, timeout):
    """What a machine prints on its console until it ends"""
    return subprocess.run([*command, "-serial", "stdio"], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=timeout, check=True).stdout


def tell(results):
    """Print each (what, problems), and their sum; the exit status"""
    told = Results()
    for what, problems in results:
        told.none_wrong(what, problems)
    return told.finish()
