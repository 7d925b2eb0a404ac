#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Tests that perf is built with what people use of it.

  built.py PERF FOLDER

It says so itself (perf version --build-options), and it does what it says: there is a user
interface in the terminal, where a report can be looked through, and names of C++ and of Rust
are shown as in the source.
"""

import fcntl
import os
import pty
import select
import shutil
import signal
import struct
import subprocess
import sys
import termios
import time

import perf_data

# Of any version of perf that is built here; how they are called has changed.
WANTED = ("auxtrace", "dwarf-unwind", "libelf", "libnuma", "libpython", "libslang",
          "libtraceevent", "zlib", "zstd")
ALSO_CALLED = {"dwarf-unwind": ("dwarf-unwind-support", "libdw-dwarf-unwind")}
# As compilers write them, and as the source has them
NAMES = {"_ZN5zebra6stripeEi": "zebra::stripe(int)",
         "_ZN3owl4hoot17h0123456789abcdefE": "owl::hoot"}
TEXT, SIZE = 0x11000, 0x100


def write(folder):
    """a recording of a program with these names"""
    program = os.path.join(folder, "prog")
    perf_data.program(program, 0x1000, SIZE * len(NAMES), [
        (name, 0x1000 + i * SIZE, SIZE) for i, name in enumerate(NAMES)])
    file = perf_data.File()
    file.add_branches()
    file.comm(1000, 1000, "prog", 10)
    file.mmap(1000, 0x10000, 0x10000, program, 11)
    for i in range(len(NAMES)):
        at = TEXT + i * SIZE + 4
        file.sample_branches(1000, 1000, 20 + i, at, [(at, at)])
    path = os.path.join(folder, "perf.data")
    file.write(path)
    return path


def built_with(perf):
    """what it says that it has"""
    said = subprocess.run([perf, "version", "--build-options"], stdout=subprocess.PIPE, text=True,
                          check=True).stdout
    return {line.split(":")[0].strip() for line in said.splitlines() if "[ on" in line}


def on_screen(command, env, wanted, seconds=40):
    """is that shown by what runs in a terminal, and does it end when told to?"""
    pid, terminal = pty.fork()
    if not pid:
        os.execvpe(command[0], command, env)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    # What is shown, and what is done then: a warning is read, the third event chosen, its
    # histogram left and then their list.
    steps = [([b"Press any key"], b" "), ([b"Available samples"], b"\x1b[B\x1b[B\r"),
             (wanted, b"qq")]
    shown, end = b"", time.time() + seconds
    while time.time() < end:
        if select.select([terminal], [], [], 0.5)[0]:
            try:
                shown += os.read(terminal, 65536)
            except OSError:
                break
            continue
        for step in steps:
            if all(word in shown for word in step[0]):
                os.write(terminal, step[1])
                steps.remove(step)
                break
    if time.time() >= end:
        os.kill(pid, signal.SIGKILL)
    status = os.waitpid(pid, 0)[1]
    os.close(terminal)
    return not status and all(word in shown for word in wanted)


def main():
    """all of them"""
    perf, folder = sys.argv[1], os.path.abspath(sys.argv[2])
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    data = write(folder)
    env = dict(os.environ, PERF_CONFIG="/dev/null", PERF_PAGER="cat", LC_ALL="C", HOME=folder,
               TERM="xterm")
    has, wrong = built_with(perf), []
    wrong += [f"it has no {name}" for name in WANTED
              if not has.intersection((name, *ALSO_CALLED.get(name, ())))]
    said = subprocess.run([perf, "report", "-i", data, "--stdio", "-q", "-F", "sample,sym",
                           "--no-branch-stack"], env=env, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False).stdout
    wrong += [f"{name} is not shown as {shown}:\n{said}" for name, shown in NAMES.items()
              if shown not in said or name in said]
    # A screen has the lines that it has space for, and moves about: names are whole there.
    if not on_screen([perf, "report", "-i", data, "-s", "sym", "--no-branch-stack"], env,
                     [b"Samples", b"owl::hoot"]):
        wrong.append("there is no user interface in a terminal")
    print(*wrong, sep="\n")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
