# SPDX-License-Identifier: GPL-2.0-only
"""What a RISC-V hart captured of the overflow behind each sample (Sspesa).

  perf record -e instructions:upp --raw-samples PROGRAM
  perf script -s riscv-pesa.py [-- ALGORITHM]

One line for each sample: its ip; whether that is exactly the instruction which
made the counter overflow; shpmspc and shpmsdata as captured, the latter divided
into CNTRID and the implementation's own metadata; and, with an algorithm, the
instruction that follows from these alone. There is "-" where nothing was
captured, or where nothing follows from it.

What the metadata means is each core's own matter. To add a core, write a
function that takes a Capture, and name it in ALGORITHMS.
"""

import collections
import struct
import sys

# PERF_SAMPLE_RAW of the events of the cpu PMU: u64 shpmspc, shpmsdata, flags.
RAW = struct.Struct("<3Q")
RAW_EXACT = 1 << 0
# PERF_TYPE_HARDWARE, PERF_TYPE_HW_CACHE, PERF_TYPE_RAW
CPU_TYPES = 0, 3, 4

# shpmsdata: the number of the counter, and above it what the core has to add.
CNTRID = 0x1f

# shpmspc, shpmsdata without CNTRID, and the sample's branches as perf has them.
Capture = collections.namedtuple("Capture", "pc metadata branches")


def field(value, high, low):
    """Bits high to low of value."""
    return value >> low & (1 << high - low + 1) - 1


def qemu_exact(capture):
    """QEMU, pesa-pc=exact: shpmspc is the instruction."""
    return capture.pc


def qemu_block(capture):
    """QEMU, pesa-pc=block: so many units of 2 bytes into an aligned block."""
    return capture.pc + 2 * field(capture.metadata, 7, 5)


def transfer_to(capture):
    """Where the control transfer came from that led to shpmspc.

    As the interrupt is late, others may have led there since: it is only known
    if all of them came from one place.
    """
    sources = {b["from"] for b in capture.branches if b["to"] == capture.pc}
    return sources.pop() if len(sources) == 1 else None


def qemu_next(capture):
    """QEMU, pesa-pc=next: so many units of 2 bytes before the next instruction;
    3 means that it was a transfer, which takes perf record -b to know.
    """
    back = field(capture.metadata, 6, 5)
    return capture.pc - 2 * back if back < 3 else transfer_to(capture)


ALGORITHMS = {
    "qemu-exact": qemu_exact,
    "qemu-block": qemu_block,
    "qemu-next": qemu_next,
}


def algorithm():
    """How the instruction follows from what was captured, if one wants to know."""
    words = sys.argv[1:]
    if not words:
        return lambda capture: None
    if len(words) > 1 or words[0] not in ALGORITHMS:
        sys.exit("usage: perf script -s riscv-pesa.py [-- " + "|".join(ALGORITHMS) + "]")
    return ALGORITHMS[words[0]]


INSTRUCTION = algorithm()
SEEN = collections.Counter()
COLUMNS = "{:>16} {:>5} {:>16} {:>6} {:>8} {:>16}  {}"


def columns_of(raw, branches):
    """What there is to say of the capture."""
    shpmspc, shpmsdata, flags = RAW.unpack_from(raw)
    capture = Capture(shpmspc, shpmsdata & ~CNTRID, branches)
    causal = INSTRUCTION(capture)
    return ("yes" if flags & RAW_EXACT else "no", f"{shpmspc:x}", shpmsdata & CNTRID,
            f"{capture.metadata:#x}", "-" if causal is None else f"{causal:x}")


def trace_begin():
    """perf calls this first."""
    print(COLUMNS.format("ip", "exact", "shpmspc", "CNTRID", "metadata", "causal",
                         "sample"))


def process_event(event):
    """perf calls this for each sample."""
    if struct.unpack_from("=I", event["attr"])[0] not in CPU_TYPES:
        return
    sample, raw = event["sample"], event["raw_buf"]
    # There is a size even if there is nothing else.
    captured = len(raw) >= RAW.size
    SEEN[captured] += 1
    columns = columns_of(raw, event["brstack"]) if captured else ("no",) + ("-",) * 4
    where = event.get("symbol", "[unknown]")
    print(COLUMNS.format(f"{sample['ip']:x}", *columns,
                         f"{event['ev_name']} {event['comm']} {sample['tid']} {where}"))


def trace_end():
    """perf calls this last."""
    if not SEEN[True]:
        sys.exit("nothing captured: was this recorded with --raw-samples, on a hart "
                 "with Sspesa?")
