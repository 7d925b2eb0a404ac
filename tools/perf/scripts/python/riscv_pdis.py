# SPDX-License-Identifier: GPL-2.0-only
"""What riscv-pdis-latency.py and riscv-pdis-memory.py share: sampled instructions
of RISC-V (Sspdis) as perf script hands them over, and their options.
"""

import argparse
import collections
import os
import struct
import sys

import riscv_page as page

# A part of perf; what is imported later is another one, without functions.
import perf_trace_context as perf

# A size and after it the record, see include/uapi/linux/perf/riscv_pdis.h.
SIZE = struct.Struct("<I")
WIDE = struct.Struct("<8Q")
NARROW = struct.Struct("<QIIQII")

ACCESSES = {1: "load", 2: "store", 3: "load+store"}
TRANSFER = 4

# cpumode of a sample: the instruction is of a program, here or in a guest.
USERS = 2, 5
# The kernel's addresses begin here: with 32-bit registers the lowest are of its array of pages, and
# programs end below.
KERNEL, KERNEL32 = 1 << 63, 0x9e000000

# Of hdrev.
FLUSHED = 1 << 32
L1_MISS = 1 << 39
LLC_MISS = 1 << 40
L1_TLB_MISS = 1 << 45
MISPREDICTED = 1 << 52
FORMAT = 7 << 61

# Latencies: the name, where it is, and the bit that says whether it is there.
STAGES = (("dispatch", 12, 60), ("issue", 24, 61), ("execution", 36, 62))
OLDEST = 48, 63
MOST = 0xfff


class Record:
    """A sampled instruction: what is None the hart has not told."""

    def __init__(self, hdrev, lat, kernel):
        self.hdrev = hdrev
        self.kernel = kernel
        self.total = lat & MOST
        self.stages = [lat >> shift & MOST if lat >> valid & 1 else None
                       for _, shift, valid in STAGES]
        self.oldest = lat >> OLDEST[0] & MOST if lat >> OLDEST[1] & 1 else None

    def has(self, bit):
        """is a bit of hdrev set?"""
        return bool(self.hdrev & bit)

    def is_of_kernel(self, sample):
        """is the address that a sample has the same in each process?"""
        return sample["cpumode"] not in USERS and sample["addr"] >= self.kernel

    def access(self):
        """what kind of access it was, None if it was none"""
        return ACCESSES.get(self.hdrev & 7)

    def is_transfer(self):
        """was it a transfer of control?"""
        return self.hdrev & 7 == TRANSFER

    def rest(self):
        """the cycles of no stage; those that wait to retire if all stages are there"""
        return max(0, self.total - sum(cycles or 0 for cycles in self.stages))


class Trouble:
    """What the reader has to know besides."""

    def __init__(self):
        self.seen = collections.Counter()

    def add(self, text):
        """it has happened once more"""
        self.seen[text] += 1

    def lines(self):
        """all of it"""
        return [f"{number} times: {text}" for text, number in sorted(self.seen.items())]


TROUBLE = Trouble()


class Latest:
    """The latest record, and the events that have had a sample of it."""

    def __init__(self):
        self.key, self.events = None, set()

    def has_been(self, event):
        """is it a sample of a record that another event had one of just before?"""
        sample = event["sample"]
        key = event["raw_buf"], sample["time"], sample["cpu"], sample["tid"]
        if key != self.key or event["ev_name"] in self.events:
            self.key, self.events = key, set()
        self.events.add(event["ev_name"])
        return len(self.events) > 1


LATEST = Latest()


def record_of(event):
    """The record in a sample, None if there is none, or if it was there already."""
    raw = event["raw_buf"]
    if len(raw) < SIZE.size:
        return None
    size, = SIZE.unpack_from(raw)
    if size not in (WIDE.size, NARROW.size) or len(raw) < SIZE.size + size:
        return None
    words = (WIDE if size == WIDE.size else NARROW).unpack_from(raw, SIZE.size)
    if LATEST.has_been(event):
        return None
    if words[0] & FORMAT:
        TROUBLE.add("Record of an unknown format")
        return None
    return Record(words[0], words[3], KERNEL if size == WIDE.size else KERNEL32)


def auxtrace_error(*args):
    """perf calls this where records are lost or broken."""
    TROUBLE.add(args[7])


def a_few(text):
    """a number of which there can be some"""
    number = int(text)
    if number < 1:
        raise ValueError
    return number


def options(text, rows):
    """What the user wants of a script that the first line of a text describes."""
    parser = argparse.ArgumentParser(
        prog=os.path.basename(sys.argv[0]).removesuffix(".py"), description=text.split("\n", maxsplit=1)[0],
        usage="perf script report %(prog)s [PERF'S OPTIONS] "
              "[-- [--html FILE] [--source] [--rows N] ...]")
    parser.add_argument("--html", metavar="FILE", help="write a page, too")
    parser.add_argument("--see", metavar="PAGE", action="append", default=[],
                        help="another page, to which this one leads")
    parser.add_argument("--source", action="store_true",
                        help="show the line of the source of each instruction")
    parser.add_argument("--types", action="store_true",
                        help="show which field of which type loads and stores access")
    parser.add_argument("--objdump", metavar="PATH",
                        help="by which the page shows instructions")
    parser.add_argument("--rows", metavar="N", type=a_few, default=rows,
                        help="no more in a table (%(default)s)")
    return parser.parse_args()


def give_up(nothing):
    """End: there is nothing to show."""
    for line in TROUBLE.lines():
        print(line, file=sys.stderr)
    sys.exit(f"{nothing}: was this recorded with riscv_pdis, or with riscv_pdis_sample "
             "and --raw-samples?")


def place(event):
    """Where the instruction is: function, shared object, offset."""
    dso = os.path.basename(event.get("dso", "")) or "[unknown]"
    if "symbol" in event:
        return event["symbol"], dso, event["symoff"]
    return "[unknown]", dso, event["sample"]["ip"]


def place_text(function, _dso, offset):
    """the same for people"""
    return f"{offset:#x}" if function == "[unknown]" else f"{function}+{offset:#x}"


def function_anchor(where):
    """what leads to a function"""
    return page.anchor("f", *where[:2])


def inside_anchor(where):
    """what leads to its instructions"""
    return page.anchor("d", *where[:2])


def instruction_anchor(where):
    """what leads to one of these"""
    return page.anchor("i", *where)


SOURCES = {}


def find_source(where):
    """Look for the line of the source of the instruction that perf is at."""
    if where not in SOURCES:
        path, line, code = perf.perf_sample_srccode(perf.perf_script_context)
        SOURCES[where] = (f"{os.path.basename(path)}:{line} {(code or '').strip()}"
                          if path and line else "")


def decimal(part, whole, digits):
    """part / whole, which are whole numbers, to so many digits"""
    scaled = (2 * part * 10 ** digits + whole) // (2 * whole)
    return f"{scaled // 10 ** digits}.{scaled % 10 ** digits:0{digits}}"


def share(part, whole):
    """as a percentage, unless it is of nothing"""
    return decimal(100 * part, whole, 2) + "%" if whole else "-"


def mean(part, number):
    """to one decimal, unless it is of nothing"""
    return decimal(part, number, 1) if number else "-"
