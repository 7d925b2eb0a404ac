#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Tests perf archive: on another machine, without the programs, perf knows as much.

  archive.py PERF FOLDER

Nothing but records in AUX buffers tells which programs ran. Which build of a program it
was is said at the end of a file, or where the program was mapped, and there in a pipe.
"""

import os
import random
import shutil
import subprocess
import sys

import perf_data
from records import RICH, Record, begin

# Each program's name, where it is mapped, and its functions.
PROGRAMS = {"prog": (0x10000, ("first", "second")), "library": (0x7f0000000000, ("third",))}
SIZE = 0x100


def make_programs(folder):
    """the programs: the build id of each"""
    ids = {}
    for i, (name, (_, functions)) in enumerate(PROGRAMS.items()):
        ids[name] = bytes([0xa0 + i] * 20)
        perf_data.program(os.path.join(folder, name), SIZE, SIZE * len(functions), [
            (function, SIZE * (1 + nr), SIZE) for nr, function in enumerate(functions)],
                          ids[name])
    return ids


def make_file(folder, where, ids):
    """a file with build ids there: the function of each of its samples"""
    rng = random.Random(13)
    file = begin([RICH])
    for name, (addr, _) in PROGRAMS.items():
        path = os.path.join(folder, name)
        if where == "end":
            file.mmap(1000, addr, 0x10000, path, 11)
            file.has_id(path, ids[name])
        else:
            file.mmap_with_id(1000, addr, 0x10000, path, ids[name], 11)
    data, expected = b"", []
    for i in range(100):
        addr, functions = rng.choice(list(PROGRAMS.values()))
        nr = rng.randrange(len(functions))
        record = Record("load", 1000 + 10 * i, addr + SIZE * (1 + nr) + 2 * rng.randrange(0x80))
        data += record.pack()
        expected.append(f"{record.pc:x} {functions[nr]}")
    file.auxtrace(data)
    path = os.path.join(folder, "perf.data")
    if where == "pipe":
        file.write_pipe(path)
    else:
        file.write(path)
    return expected


class Tests:
    """Counts what is wrong."""

    def __init__(self, perf):
        self.perf = perf
        self.number = self.failed = 0

    def run(self, folder, home, *args):
        """what perf says to a user; empty if it does not succeed"""
        env = dict(os.environ, PERF_CONFIG="/dev/null", PERF_PAGER="cat", LC_ALL="C", HOME=home)
        ran = subprocess.run([self.perf, *args], env=env, cwd=folder, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                             check=False)
        return ran.stdout if not ran.returncode else ""

    def check(self, what, holds, said):
        """one test"""
        self.number += 1
        if not holds:
            self.failed += 1
            print(f"{what}:\n{said[-1000:]}")

    def samples(self, folder, home):
        """each sample's function"""
        lines = self.run(folder, home, "script", "-i", "perf.data", "-F", "ip,sym").splitlines()
        return [" ".join(line.split()) for line in lines
                if line.strip() and line.split()[0].isalnum() and len(line.split()) == 2]

    def archive(self, folder, where):
        """what is there when the programs are not?"""
        homes = [os.path.join(folder, name) for name in ("here", "there")]
        for home in homes:
            os.makedirs(os.path.join(home, ".debug"))
        ids = make_programs(folder)
        expected = make_file(folder, where, ids)
        for name in PROGRAMS:
            self.run(folder, homes[0], "buildid-cache", "-a", os.path.join(folder, name))
            os.remove(os.path.join(folder, name))
        said = self.run(folder, homes[0], "archive", "perf.data")
        self.check(f"{where}: perf archive", os.path.exists(
            os.path.join(folder, "perf.data.tar.bz2")), said)
        found = self.samples(folder, homes[1])
        self.check(f"{where}: before", len(found) == len(expected) and not
                   set(found) & set(expected), str(found))
        said = self.run(folder, homes[1], "archive", "--unpack", "perf.data.tar.bz2")
        found = self.samples(folder, homes[1])
        self.check(f"{where}: after", found == expected, said + str(found))


def main():
    """all of them"""
    tests = Tests(sys.argv[1])
    for where in ("end", "maps", "pipe"):
        folder = os.path.join(os.path.abspath(sys.argv[2]), where)
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        tests.archive(folder, where)
    print(f"{tests.number} tests, {tests.failed} failed")
    sys.exit(tests.failed > 0)


if __name__ == "__main__":
    main()
