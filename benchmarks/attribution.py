# SPDX-License-Identifier: GPL-2.0-only
"""Samples of perf against the overflows that they tell of, which the emulator has
written down."""

import bisect
import collections
import os
import statistics
import threading

# Where hot_loop.S is linked, and how many instructions a turn has.
LOOP, LOOP_LENGTH = 0x40000000, 182


class Overflow:
    """What made a counter overflow: the instruction, the one behind it in execution,
    how much had been counted, and where the interrupt came, if that is in the log."""

    def __init__(self, fields):
        self.event = fields[3]
        self.pc, self.next = int(fields[4], 16), int(fields[5], 16)
        self.mode = fields[6]
        self.total = int(fields[7])
        self.space = fields[9]
        self.place = None


class Log:
    """Reads the truth log of overflows while it is written. That of control transfers
    may be written to the same fifo: then an interrupt stands behind its overflow."""

    def __init__(self, path):
        self.path = path
        self.overflows = []
        os.mkfifo(path)
        self.thread = threading.Thread(target=self._read)
        self.thread.start()

    def _read(self):
        with open(self.path, encoding="ascii") as lines:
            for line in lines:
                if line.startswith("overflow\t"):
                    self.overflows.append(Overflow(line.rstrip().split("\t")))
                elif line.startswith("lcofi\t") and self.overflows:
                    self._interrupt(int(line.split("\t")[2], 16))

    def _interrupt(self, place):
        if self.overflows[-1].place is None:
            self.overflows[-1].place = place

    def close(self):
        """The emulator has ended, or has never begun."""
        os.close(os.open(self.path, os.O_RDWR))
        self.thread.join()
        os.remove(self.path)


def by_run(overflows):
    """Those of each run: they are of one event and in an address space of its own."""
    runs = {}
    for overflow in overflows:
        runs.setdefault((overflow.event, overflow.space), []).append(overflow)
    return list(runs.values())


def joined(text, overflows, period):
    """What perf script -F ip,period prints of {event}:S -> each sample's address, its
    overflow, and how much has been counted since that when the sample was taken. It is
    the last overflow before the sample; the first is at the first period's end."""
    begin = overflows[0].total - period
    totals = [overflow.total - begin for overflow in overflows]
    count = 0
    for line in text.splitlines():
        since_last, address = line.split()
        count += int(since_last)
        at = bisect.bisect(totals, count) - 1
        yield int(address, 16), overflows[at], count - totals[at]


def in_loop(address):
    return 0 <= address - LOOP < LOOP_LENGTH * 4


def distance(address, overflow, since):
    """How many instructions after the one that caused the overflow the one at the
    sample's address has been executed, or None if that is not known."""
    if address == overflow.pc:
        return 0
    by_count = since + 1 if overflow.event == "INST.RET" else None
    by_place = None
    if in_loop(address) and in_loop(overflow.pc):
        by_place = (address - overflow.pc) // 4 % LOOP_LENGTH
    assert None in (by_count, by_place) or by_count == by_place, (by_count, by_place)
    return by_place if by_count is None else by_count


def error_of(text, overflows, period):
    """How many samples, the share of them that is not on the instruction that caused
    the overflow, and the mean distance, unless more than a few are not known."""
    samples = list(joined(text, overflows, period))
    wrong = [address != overflow.pc for address, overflow, _ in samples]
    known = [far for far in (distance(*sample) for sample in samples) if far is not None]
    assert abs(len(samples) - len(overflows)) <= 1 + len(samples) / 100
    return (len(samples), statistics.mean(wrong),
            statistics.mean(known) if len(known) >= 0.999 * len(samples) else None)


class Functions:
    """Which function an address is in, by /proc/kallsyms."""

    def __init__(self, kallsyms):
        symbols = [line.split()[:3] for line in kallsyms.splitlines()]
        self.starts, self.names = zip(*sorted(
            (int(address, 16), name) for address, kind, name in symbols
            if kind in "tTwW" and "$" not in name and not name.startswith(".L")))

    def at(self, address):
        """The start of the function, and its name."""
        i = bisect.bisect(self.starts, address) - 1
        return (self.starts[i], self.names[i]) if i >= 0 else (0, "user space")


def profile_of(samples, functions):
    """What a profile of the kernel is worth, in shares of all samples; and the shares
    of samples, and of overflows, by function."""
    def share(of):
        return sum(of(address, overflow) for address, overflow, _ in samples) / len(samples)

    def by_function(addresses):
        names = collections.Counter(functions.at(address)[1] for address in addresses)
        return {name: n / len(samples) for name, n in names.items()}

    late = {o.place for _, o, _ in samples if o.place != o.next}
    return ({
        "interrupts were off": share(lambda at, o: o.place != o.next),
        "on the instruction": share(lambda at, o: at == o.pc),
        "on the next one": share(lambda at, o: at == o.next),
        "in another function": share(lambda at, o: functions.at(at) != functions.at(o.pc)),
        "where interrupts came late": share(lambda at, o: at in late),
    }, by_function(at for at, _, _ in samples), by_function(o.pc for _, o, _ in samples))
