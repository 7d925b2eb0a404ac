# SPDX-License-Identifier: GPL-2.0-only
"""The kernel's own profile, of which much runs with interrupts off."""

import tempfile

import attribution
from common import DRIVER, NO_SYMBOLS, logged, sampling, script, selector

# Many short system calls, a pipe, and processes with their page faults.
KERNEL_WORK = """dd if=/dev/zero of=/dev/null bs=1 count=4000
dd if=/dev/zero bs=64 count=4000 | cat >/dev/null
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do /bin/true; done
"""
KERNEL_PERIOD = 10007
SAMPLED_KERNEL = {
    "built-in": ("k", "--builtin"),
    "riscv_pmu": ("k",),
    "riscv_pmu, :pp": ("kpp",),
}
TOP_FUNCTIONS = 6


def sample_kernel(modifier, *options):
    """What profile_of() makes a profile of."""
    with tempfile.TemporaryDirectory() as share:
        with open(f"{share}/work", "w", encoding="ascii") as work:
            work.write(KERNEL_WORK)
        overflows = logged(share, [
            "true" if options else DRIVER, "cat /proc/kallsyms >kallsyms", NO_SYMBOLS,
            sampling(f"{selector('INST.RET'):x}:{modifier}", KERNEL_PERIOD, "samples",
                     "-a sh ./work")],
            ",ctr-log=LOG,ctr-log-depth=1", *options)
        with open(f"{share}/samples", encoding="ascii") as text:
            samples = list(attribution.joined(text.read(), overflows, KERNEL_PERIOD))
        with open(f"{share}/kallsyms", encoding="ascii") as text:
            return samples, attribution.Functions(text.read())


def bench():
    script("build/modules")
    profiles = {}
    for driver, (modifier, *options) in SAMPLED_KERNEL.items():
        samples, functions = sample_kernel(modifier, *options)
        profiles[driver] = attribution.profile_of(samples, functions)
        print(f"{driver}: {len(samples)} samples of the kernel, an instruction in "
              f"{KERNEL_PERIOD}")
    print(f"{'':34}" + "".join(f"{driver:>16}" for driver in profiles))
    shares, first, truth = profiles["built-in"]
    for what in shares:
        print(f"{what:34}" + "".join(f"{of[0][what]:16.1%}" for of in profiles.values()))
    print("samples, and overflows, of functions that the built-in driver has too much of")
    for name in sorted(first, key=lambda name: truth.get(name, 0) - first[name])[:TOP_FUNCTIONS]:
        print(f"{name:34}" + "".join(f"{of[1].get(name, 0):9.1%}{of[2].get(name, 0):7.1%}"
                                     for of in profiles.values()))
