# SPDX-License-Identifier: GPL-2.0-only
"""Call chains that are known, as perf has them in each way."""

import os
import re
import tempfile

from common import DEPTHS, TOP, script, vm

# A chain has to begin with these: leaf(), as many descend() as a register says,
# and their callers. Each of 1 to this many calls is made once.
CALLS = 40
# Ways to record, and to read what was recorded.
WAYS = (("lbr", ""), ("lbr", "--stitch-lbr"), ("fp", ""), ("dwarf", ""))
SCRATCH = 27  # s11 among the registers of a sample


def chains_of(text):
    """What perf script prints -> pairs of the depth told and the functions."""
    for block in re.split(r"\n\s*\n", text):
        chain, _, registers = block.partition(" ABI:")
        functions = [line.split()[1] for line in chain.splitlines()
                     if len(line.split()) > 1]
        if registers and functions[:1] == ["leaf"]:
            depth = re.findall(r":0x([0-9a-f]+)", registers)[SCRATCH]
            yield int(depth, 16), functions


def quality(text):
    """How many call chains there are, and the shares that are right, end too
    early, and are wrong."""
    found = dict.fromkeys(("right", "truncated", "wrong"), 0)
    for depth, functions in chains_of(text):
        want = ["leaf", *["descend"] * depth, "chains", "main"]
        if functions[:len(want)] == want:
            found["right"] += 1
        elif functions == want[:len(functions)]:
            found["truncated"] += 1
        else:
            found["wrong"] += 1
    total = sum(found.values())
    return total, [each / total for each in found.values()]


def build_chains(share):
    kselftest = script("build/kernel-source") + "/tools/testing/selftests"
    for name in ("omit", "no-omit"):
        output = f"{share}/{name}"
        os.mkdir(output)
        script("build/root", "run", "make", "-C", f"{TOP}/tools/testing/selftests/riscv/perf",
               "CROSS_COMPILE=riscv64-linux-gnu-", f"KSELFTEST={kselftest}", f"OUTPUT={output}",
               f"FRAME_POINTER=-f{name}-frame-pointer", f"{output}/callstacks")


def bench():
    script("build/modules")
    print(f"call chains of 1 to {CALLS} calls below main() and one more, depth 32")
    print(f"{'--call-graph':18}{'frame pointers':16}{'chains':>8}{'right':>8}"
          f"{'truncated':>11}{'wrong':>7}")
    with tempfile.TemporaryDirectory(dir=script("path", "build")) as share:
        build_chains(share)
        for way, reading in WAYS:
            for name in ("omit", "no-omit"):
                vm(f"modprobe riscv_pmu && cp {name}/callstacks /tmp && perf record -q -m 64M "
                   f"-e instructions:u -c 97 --intr-regs --call-graph {way} "
                   f"-o /tmp/data /tmp/callstacks chains {CALLS} >/tmp/out && "
                   f"perf script -i /tmp/data {reading} --no-inline -F ip,sym,iregs >script",
                   "--unlimited", "--share", share, "--cpu", f",ctr-depths={DEPTHS[32]:#x}")
                with open(f"{share}/script", encoding="utf-8") as text:
                    total, shares = quality(text.read())
                print(f"{f'{way} {reading}':18}{'no' if name == 'omit' else 'yes':16}{total:8}"
                      + "".join(f"{share:{width}.0%}"
                                for share, width in zip(shares, (8, 11, 7))))
