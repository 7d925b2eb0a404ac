#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Looks for files of sampled instructions that perf does not survive.

  fuzz.py PERF FOLDER COUNT [SEED]

Makes as many files, spoils what the decoder reads in each of them, and has perf report
it in some way. It may refuse, but must end, and not by a signal; a sanitizer that has
something to say is one. What it died of is kept in the folder.
"""

import os
import random
import re
import struct
import subprocess
import sys

from records import POOR, RICH, begin, some_record
import perf_data

WAYS = ["script", "script -D", "report --stdio", "report -D", "report --stdio --mem-mode",
        "script --itrace=fmtbMiel", "script --itrace=q", "script --itrace=bl", "script --itrace=d+oe",
        "script --time 5.0001,5.0002", "script -C 1", "inject --itrace -o /dev/null",
        "inject --itrace=bl --strip -o /dev/null"]
# Of what is undefined but harmless only ours counts: perf has some of its own.
COMPLAINTS = re.compile(rb"riscv-pdis[^\n]*runtime error:|ERROR: AddressSanitizer|"
                        rb"Segmentation|Assertion")
ODD = [0, 1, 7, 8, 63, 64, 65, 0x7fffffff, 0x80000000, 0xffffffff, 1 << 40, (1 << 63) - 1,
       1 << 63, (1 << 64) - 1]


def spoil(rng, text):
    """some bytes, or a word, are others"""
    text = bytearray(text)
    for _ in range(rng.choice([0, 1, 1, 2, 5])):
        if not text:
            break
        at = rng.randrange(len(text))
        if rng.random() < 0.5 and len(text) >= 8:
            struct.pack_into("<Q", text, at // 8 * 8 if at // 8 * 8 + 8 <= len(text) else 0,
                             rng.choice(ODD))
        else:
            text[at] ^= 1 << rng.randrange(8)
    return bytes(text)


class Spoiled(perf_data.File):
    """A file whose events are not always what they should be."""

    rng = random.Random()

    def event(self, type_, body, misc=0, tail=b""):
        """the parts of an event that are not what perf itself trusts"""
        # What is before the raw data of a sample, and behind it, is perf's.
        end = len(body) - 24 if type_ == perf_data.SAMPLE else len(body)
        keep = {perf_data.AUXTRACE: 0, perf_data.AUXTRACE_INFO: 4, perf_data.TIME_CONV: 0,
                perf_data.SWITCH: 0, perf_data.SWITCH_CPU_WIDE: 0, perf_data.AUX: 0,
                perf_data.ITRACE_START: 0, perf_data.AUX_OUTPUT_HW_ID: 0,
                perf_data.SAMPLE: 60}.get(type_)
        if type_ == perf_data.AUXTRACE:
            # How much memory is got for an index is not the decoder's to say.
            end = 24
        if keep is not None and self.rng.random() < 0.3:
            body = body[:keep] + spoil(self.rng, body[keep:end]) + body[end:]
        if type_ == perf_data.AUXTRACE:
            # What is behind it is where perf expects it: aligned.
            low = 0 if self.order == perf_data.LITTLE else 7
            body = body[:low] + bytes([body[low] & ~7]) + body[low + 1:]
        super().event(type_, body, misc, tail)


def make(rng, path):
    """a file"""
    Spoiled.rng = rng
    Spoiled.order = rng.choice([perf_data.LITTLE, perf_data.LITTLE, perf_data.BIG])
    file = begin([rng.choice([RICH, POOR]) for _ in range(rng.randrange(1, 4))], kind=Spoiled,
                 indexed=rng.random() < 0.8)
    counters = [file.add_counter(0x10 + i, rng.choice([perf_data.RICH & ~perf_data.SAMPLE_RAW,
                                                       perf_data.COMMON]))
                for i in range(rng.randrange(3))]
    for cpu in range(rng.randrange(1, 4)):
        records = [some_record(rng, 1000 + 20 * i + cpu) for i in range(rng.randrange(60))]
        data = b"".join(record.pack() for record in records)
        data = spoil(rng, data)[:rng.choice([None, None, rng.randrange(4096) & ~7])]
        # Who reads an event from the middle of another cannot be helped.
        file.auxtrace(data, cpu, rng.choice([cpu, cpu, -1]), rng.choice([-1, 1000]))
    for time in range(1100, 2500, rng.randrange(100, 400)):
        file.switch(1000, rng.choice([1000, 1001]), time, rng.randrange(3), rng.random() < 0.5)
        file.aux(0, 64, rng.randrange(16), 1000, 1000, time + 1, rng.randrange(3))
        for id_ in counters:
            file.counter(rng.randrange(34), id_, rng.choice([1000, 1001]), time + 2,
                         rng.randrange(3))
    if rng.random() < 0.3:
        file.add_single(1000)
        for record in (some_record(rng, 2600 + i) for i in range(5)):
            file.sample(1000, 1000, record.time, 0, record.pack(), (1, 2, 3), 0, 0, 0)
    file.write(path)


def main():
    """try them"""
    perf, folder, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else 0
    os.makedirs(folder, exist_ok=True)
    died = 0
    env = dict(os.environ, PERF_CONFIG="/dev/null", PERF_PAGER="cat",
               ASAN_OPTIONS="detect_leaks=0", UBSAN_OPTIONS="print_stacktrace=1")
    for number in range(seed, seed + count):
        rng = random.Random(number)
        path = os.path.join(folder, f"{number}.data")
        make(rng, path)
        way = rng.choice(WAYS)
        try:
            done = subprocess.run([perf] + way.split() + ["-i", path], env=env, timeout=60,
                                  cwd=folder, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
            found = COMPLAINTS.search(done.stdout)
            bad = done.returncode < 0 or found
            said = done.stdout[found.start() if found else -2000:][:2000].decode(errors="replace")
        except subprocess.TimeoutExpired:
            bad, said = True, "it does not end"
        if not bad:
            os.remove(path)
            continue
        died += 1
        print(f"seed {number}: perf {way} -i {path}\n{said}")
    print(f"{count} files, {died} that perf does not survive")
    sys.exit(1 if died else 0)


if __name__ == "__main__":
    main()
