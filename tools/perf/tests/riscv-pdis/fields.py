#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Tests what scripts in Python are told of sampled instructions, and what databases are.

  fields.py PERF FOLDER

What is expected is made of the fields that records are made of.
"""

import os
import random
import shutil
import subprocess
import sys

from records import LATENCIES, RICH, begin, some_record

RECORDS = 500
# Of each sample what has one of these names.
DICT = f"""
def process_event(event):
    print([event["sample"].get(name) for name in {LATENCIES}])
"""
# The columns of a table of samples, and which of them have these names.
TABLE = f"""
import sqlite3
perf_db_export_mode = True
base = sqlite3.connect(":memory:")
base.execute("CREATE TABLE samples (weight, {', '.join(LATENCIES)})")

def sample_table(*columns):
    base.execute("INSERT INTO samples VALUES (?, ?, ?, ?, ?, ?)", columns[16:17] + columns[28:33])

def trace_end():
    for row in base.execute("SELECT weight, {', '.join(LATENCIES)} FROM samples"):
        print(list(row))
"""


def write_records(path):
    """a file of records of both PMUs; what their latencies are, as each has them"""
    rng = random.Random(22)
    file = begin([RICH])
    file.add_single(1000)
    records = [some_record(rng, 1000 + 10 * i) for i in range(RECORDS)]
    file.auxtrace(b"".join(record.pack() for record in records))
    singles = [some_record(rng, 100000 + 10 * i) for i in range(RECORDS)]
    for record in singles:
        file.sample(1000, 1000, record.time, 0, record.pack(),
                    (record.total, *record.weights()[1:3]), record.data_src(RICH)[0],
                    record.addr(), record.phys())
    file.write(path)
    return records + singles


def run(perf, folder, script):
    """what such a script prints"""
    path = os.path.join(folder, "script.py")
    with open(path, "w", encoding="ascii") as out:
        out.write(script)
    env = dict(os.environ, PERF_CONFIG="/dev/null", PERF_PAGER="cat", LC_ALL="C", HOME=folder)
    ran = subprocess.run([perf, "script", "-i", os.path.join(folder, "perf.data"), "-s", path],
                         env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, text=True, check=False)
    if ran.returncode:
        print(ran.stderr)
    return ran.stdout.splitlines()


def compare(name, found, expected):
    """is each line as it should be, and is there no other?"""
    wrong = [pair for pair in zip(found, expected) if pair[0] != pair[1]]
    for line, right in wrong[:3]:
        print(f"{name}: {line}, not {right}")
    print(f"{name}: {len(found)} samples of {len(expected)}, {len(wrong)} wrong")
    return not wrong and len(found) == len(expected)


def main():
    """both"""
    perf, folder = sys.argv[1], os.path.abspath(sys.argv[2])
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    records = write_records(os.path.join(folder, "perf.data"))
    right = compare("scripts", run(perf, folder, DICT),
                    [str(record.latencies()) for record in records])
    right &= compare("databases", run(perf, folder, TABLE),
                     [str([record.total, *record.latencies()]) for record in records])
    sys.exit(not right)


if __name__ == "__main__":
    main()
