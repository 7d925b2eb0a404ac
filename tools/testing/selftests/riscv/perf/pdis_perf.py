#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compare what perf makes of sampled instructions with the machine's own log.

    pdis_perf.py FOLDER

FOLDER is what pdis_perf.sh has left, and "perf" a perf that knows of such samples, on
whatever machine. Of each recording: perf tells each sample that the log has, and no other,
in order, with all that the log says of it, and so does its dump of the records. Of those
recorded one at a time some may be missing, as many as perf says are lost; a snapshot
has those that came last. What a counter counted is a sample of its event, too. And each
sample of the code that belongs to a thread is said to be of this thread. Of one recording
the machine that made it says the same. And were anything of it otherwise, it would be
noticed.
"""

import collections
import functools
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../../perf/tests/riscv-pdis"))
from records import BIT, TRANSFERS, TYPES, Record  # noqa: E402

PERIODS = {"all": 997, "processes": 997, "memory": 499, "transfers": 499, "profile": 997,
           "counters": 499, "kernel": 1999, "snapshot": 499, "single": 4999,
           "single_memory": 1999}
# What counters have counted, by what else is known of an instruction. A load that traps
# gets its data from nowhere, and will come again.
COUNTED = {"loads": lambda record: record.type in ("load", "load+store") and record.source,
           "misses": lambda record: COUNTED["loads"](record) and "l1_miss" in record.what,
           "taken": lambda record: record.kind == "taken"}
# Those of the names in format/ that are events of an instruction, as the header has them.
EVENTS = {"flushed", "itlb_miss", "icache_miss", "l1_miss", "llc_miss", "l1_tlb_miss",
          "ll_tlb_miss", "mispredicted"}
LEAST = 500
# How many records a snapshot has of a CPU at most: the size of its buffer.
SNAPSHOT = 16 * 4096 // 64


def record_of(words):
    """what these words of the log say"""
    pc, hdrev, time, lat, adr1, adr2 = words
    number = hdrev & 7
    type_ = "transfer" if number == 4 else TYPES[number]
    names = ["flushed", "partial", "fused", "itlb_miss", "icache_miss"]
    kind, source, flush = None, 0, 0
    if 1 <= number <= 3:
        names += ["l1_miss", "llc_miss", "l1_tlb_miss", "ll_tlb_miss"]
        source = hdrev >> 41 & 0xf
    if number == 4:
        names.append("mispredicted")
        kind = next((name for name in TRANSFERS if hdrev >> BIT[name] & 1), None)
    if hdrev >> BIT["flushed"] & 1:
        flush = hdrev >> 33 & 3
    return Record(type_, time, pc, adr1, adr2, kind=kind, source=source, flush=flush,
                  counters=hdrev & 0xfffffff8,
                  what=[name for name in names if hdrev >> BIT[name] & 1],
                  total=lat & 0xfff, stages=[lat >> 12 + 12 * i & 0xfff if lat >> 60 + i & 1 else None
                          for i in range(4)])


def read_clock(path):
    """the clock, as a function"""
    clock = {}
    for line in open(path + ".dump", encoding="ascii", errors="replace"):
        words = line.split() if " Time " in line else []
        if words[:2] == ["...", "Time"] and len(words) == 4:
            # In Linux 6.12 it is the Muliplier.
            clock[words[2].replace("Muli", "Multi")] = int(words[3], 0)

    def to_ns(ticks):
        begin = clock["Cycles"]
        ticks = begin + (ticks - begin & clock["Mask"])
        shift, mult = clock["Shift"], clock["Multiplier"]
        rest = ticks & (1 << shift) - 1
        return (clock["Zero"] + (ticks >> shift) * mult + (rest * mult >> shift)) % (1 << 64)

    return to_ns


def read_formats(path):
    """what harts have"""
    with open(os.path.join(os.path.dirname(path), "formats"), encoding="ascii") as file:
        return set(file.read().split())


class Different(Exception):
    """perf's output is not what the log has"""


# What becomes of a sample
FATES = ("recorded", "dropped", "collision", "filtered")


def read_numbers(path):
    """the kernel's number of each hart: CPU 0 is whichever hart booted"""
    processor, numbers = None, {}
    for line in open(os.path.join(os.path.dirname(path), "cpuinfo"), encoding="ascii"):
        name, _, value = (word.strip() for word in line.partition(":"))
        if name == "processor":
            processor = int(value)
        elif name == "hart":
            numbers[int(value)] = processor
    return numbers


def was_modified(record, snoop):
    """has a hart taken the line of an access from one that had modified it, by its last snoop?"""
    _, _, ask, line, owner, _ = snoop
    right = "load" if record.type == "load" else "store"
    return record.is_access() and ask == right and owner != "-1" and \
        int(line, 16) == record.adr2 & ~63


def read_truth(path):
    """the records that were made, with their CPUs; of each sample it is known what became

    If what harts take from each other is in the log, too, that is what says of a record
    whether its line was modified, and not the record itself.
    """
    return read_log(os.path.realpath(path))


@functools.cache
def read_log(path):
    """of each log once, however many samples are compared with it; nobody may change that"""
    records, numbers, snoops = [], read_numbers(path), {}
    for line in open(path, encoding="ascii"):
        words = line.split()
        if words[0] == "snoop":
            snoops[words[1]] = words
            continue
        if words[0] == "breach" or words[0] == "sample" and words[2] not in FATES:
            raise Different(f"{path}: {line.rstrip()}")
        if words[0] == "sample" and words[2] == "recorded":
            record = record_of([int(word, 16) for word in words[10:16]])
            if words[1] in snoops:
                # It may have been for the access before this one, which finds it then.
                record.taken = was_modified(record, snoops[words[1]])
                record.hitm = record.taken and "l1_miss" in record.what
            records.append((numbers[int(words[1])], record))
    return tuple(records)


def read_script(path):
    """perf's lines, without what is only for the eye"""
    return [" ".join(line.split()) for line in open(path, encoding="ascii")]


def read_lost(path):
    """how many samples perf says are lost; of all events it tells how often it has said so"""
    lost, of_event = 0, False
    for line in open(path, encoding="ascii"):
        if line.rstrip().endswith(" stats:"):
            of_event = not line.startswith("Aggregated ")
        elif of_event and "LOST_SAMPLES events:" in line:
            lost += int(line.split()[2])
    return lost


def missing(path):
    """how many records perf cannot tell: lost, or replaced in the registers by another one"""
    replaced = 0
    for line in open(path + ".truth", encoding="ascii"):
        words = line.split()
        replaced += (words[0] == "sample" and words[2:4] == ["recorded", "registers"] and
                     words[5] == "0")
    return read_lost(path + ".stats") + replaced


def youngest(truth):
    """of each CPU, as many as a snapshot holds"""
    left = {}
    kept = []
    for cpu, record in reversed(truth):
        left[cpu] = left.get(cpu, SNAPSHOT) - 1
        if left[cpu] >= 0:
            kept.append((cpu, record))
    return kept[::-1]


def with_counted(name, truth):
    """each record, and again for each event that has counted it"""
    for cpu, record in truth:
        yield cpu, record, "pdis"
        if name != "counters" or "flushed" in record.what:
            continue
        for event, is_one in COUNTED.items():
            if is_one(record):
                yield cpu, record, event


def match_all(script, expected):
    """each line is that of a record, and there is no other"""
    for i, (line, right) in enumerate(zip(script, expected)):
        if line != right:
            raise Different(f"sample {i}: {line}, not {right}")
    if len(script) != len(expected):
        raise Different(f"{len(script)} samples, not {len(expected)}")
    return range(len(script))


def match_some(script, expected, lost):
    """the same, but so many are missing; which are there"""
    found, at = [], 0
    for i, line in enumerate(script):
        while at < len(expected) and expected[at] != line:
            at += 1
        if at == len(expected):
            raise Different(f"sample {i} was not made: {line}")
        found.append(at)
        at += 1
    if len(expected) - len(script) != lost:
        raise Different(f"{len(script)} samples of {len(expected)}, {lost} lost")
    return found


def compare(path, name, period=0):
    """one recording; the record of each sample"""
    period = period or PERIODS[name]
    to_ns, has = read_clock(path), read_formats(path)
    truth = read_truth(path + ".truth")
    if name == "snapshot":
        truth = youngest(truth)
    script = read_script(path + ".script")
    if len(script) < LEAST:
        raise Different(f"only {len(script)} samples")
    if not name.startswith("single"):
        # A group's counters are numbered as it names them.
        told = list(with_counted(name, truth))
        match_all(script, [
            record.script("", cpu, has, event, period=period, clock=to_ns).strip()
            for cpu, record, event in told])
        seen = collections.Counter(event for _, _, event in told)
        if name == "counters" and min(seen[event] for event in COUNTED) < LEAST // 10:
            raise Different(f"too few have been counted: {seen}")
        return [record for _, record, _ in told]
    # The time is perf's own.
    event = "select=3,pa_enable=1," if "memory" in name else ""
    event = f"riscv_pdis_sample/{event}period={period}/u"
    script = [" ".join(line.split()[:1] + line.split()[2:]) for line in script]
    # Who excludes guests unasked says so, in Linux 7.2.
    script = [line.replace("/uH:", "/u:", 1) for line in script]
    found = match_some(script, [
        record.script("", cpu, has, event, period, rich=False, timed=False,
                      flags=False).strip()
        for cpu, record in truth], missing(path))
    return [truth[i][1] for i in found]


def compare_threads(path, records):
    """
    Is each sample that of the thread whose code it is? But what was flushed may be the
    code of another: the hart has guessed that it went where the last one had gone.
    """
    owners = [(int(begin, 16), int(end, 16), int(tid)) for tid, begin, end in
              (line.split() for line in open(path + ".turns", encoding="ascii"))]
    seen = {tid: 0 for _, _, tid in owners}
    lines = read_script(path + ".threads")
    if len(lines) != len(records):
        raise Different(f"{len(lines)} samples of threads, not {len(records)}")
    for record, line in zip(records, lines):
        tid, address = (int(word, base) for word, base in zip(line.split(), (10, 16)))
        if address != record.pc:
            raise Different(f"{line}: that is not {record.pc:#x}")
        for begin, end, owner in owners:
            if "flushed" in record.what or not begin <= record.pc < end:
                continue
            if tid != owner:
                raise Different(f"{line}: that is the code of {owner}")
            seen[owner] += 1
    # At the end one may have run alone.
    least = max if path.endswith("snapshot") else min
    if len(seen) < 4 or least(seen.values()) < LEAST // 20:
        raise Different(f"too few samples of threads: {seen}")


def read_dump(path):
    """the lines of records in buffers, by CPUs, and of those in samples"""
    records, single, cpu = collections.defaultdict(list), [], None
    for line in open(path + ".dump", encoding="ascii", errors="replace"):
        if line.startswith(".  ") and re.match(r"\.  [0-9a-f]{8}: ", line):
            records[cpu].append(line[13:].rstrip("\n"))
        elif line.startswith(". ... ") and " pc 0x" in line[6:]:
            single.append(line[6:].rstrip("\n"))
        elif " PERF_RECORD_AUXTRACE size: " in line:
            cpu = int(re.search(r" cpu: (-?[0-9]+)", line)[1])
    return records, single


def split_names(lines):
    """the lines without the events of counters at their ends, and these, None if there are none"""
    found = [re.fullmatch(r"(.*?)(?: \(([^()]*)\))?", line) for line in lines]
    return [line[1] for line in found], [line[2] and line[2].split(", ") for line in found]


def compare_names(records, names):
    """are the events of counters those that have counted the instruction? how many are named"""
    told = 0
    for record, of in zip(records, names):
        right = {event for event, is_one in COUNTED.items()
                 if "flushed" not in record.what and is_one(record)}
        told += len(right)
        if set(of or ()) != right:
            raise Different(f"{record.text()}: counted for {of}, not {right}")
    return told


def compare_dump(path, name):
    """perf script -D: all of each record's fields are in its line, as the log has them"""
    truth = read_truth(path + ".truth")
    lines, single = read_dump(path)
    counted = 0
    if name.startswith("single"):
        match_some(single, [record.text() for _, record in truth], missing(path))
        lines = {0: single}
    else:
        truth = youngest(truth) if name == "snapshot" else truth
        for cpu in {cpu for cpu, _ in truth} | set(lines):
            records = [record for on, record in truth if on == cpu]
            told, names = split_names(lines[cpu])
            match_all(told, [record.text() for record in records])
            if name == "counters":
                counted += compare_names(records, names)
        # Of all CPUs: one of them may have had little to do.
        if name == "counters" and counted < LEAST // 10:
            raise Different(f"only {counted} names of counters' events")
    if sum(map(len, lines.values())) < LEAST:
        raise Different(f"only {lines} records")


def read_cpus(path):
    """what each hart of the machine is, and which events it has, as the header has it"""
    events = sum(1 << BIT[name] for name in read_formats(path) & EVENTS)
    folder, cpus, identity = os.path.dirname(path), [], {}
    for line in open(os.path.join(folder, "cpuinfo"), encoding="ascii"):
        name, _, value = (word.strip() for word in line.partition(":"))
        if name in ("processor", "mvendorid", "marchid", "mimpid"):
            identity[name] = int(value, 0)
        if not name and identity:
            words = "-".join(f"{identity[name]:#x}" if identity[name] else "0"
                             for name in ("mvendorid", "marchid", "mimpid"))
            cpus.append(f"CPU {identity['processor']}: {words} RV64 events {events:#x}")
            identity = {}
    return cpus


def compare_header(path):
    """Does the file say how it was recorded, and by which harts?"""
    header, inside = [], False
    for line in open(path + ".dump", encoding="ascii", errors="replace"):
        inside = "PERF_RECORD_AUXTRACE_INFO" in line or inside and line.strip()
        if inside and line.startswith("  "):
            header.append(" ".join(line.split()))
    right = ["Flags times" + " snapshot" * path.endswith("snapshot")] + read_cpus(path)
    told = [line for line in header if line.startswith(("Flags", "CPU"))]
    if len(right) < 3 or told != right:
        raise Different(f"{told}, not {right}")


def compare_wrapped(path):
    """Has the buffer of the snapshot been filled again and again?"""
    truth = read_truth(path + ".truth")
    if len(truth) < 2 * len(youngest(truth)) or len(read_script(path + ".script")) >= len(truth):
        raise Different(f"{len(truth)} records")


def compare_levels(path):
    """perf mem report: so many accesses found their data there, as the log has it"""
    has = read_formats(path)
    right = collections.Counter(record.level(has)[2] for _, record in read_truth(path + ".truth")
                                if record.is_access() and "flushed" not in record.what)
    told = [line.split(maxsplit=2) for line in read_script(path + ".mem") if "%" in line]
    told = sorted((level, int(samples)) for _, samples, level in told)
    if told != sorted(right.items()) or right.total() < LEAST or len(right) < 3:
        raise Different(f"{told}, not {right}")


def compare_pieces(path):
    """
    --itrace=bl: each transfer that went somewhere, and where the code begins that leads to it,
    as the log has them; all else is in no stack.
    """
    has, right = read_formats(path), []
    for _, record in read_truth(path + ".truth"):
        if "flushed" in record.what or record.kind == "not_taken" or not record.adr1:
            continue
        if record.adr2 > record.pc:
            raise Different(f"{record.text()}: from there no code leads to it")
        right.append(f"{record.pc:x}{record.stack(has)}")
    match_all(read_script(path + ".pieces"), right)
    if sum(" 0x0/" in line for line in right) < LEAST:
        raise Different(f"too few lines of code in {len(right)} stacks")


def compare_profile(path):
    """
    The same in a file that perf inject has made of what the hart itself has chosen: nothing
    that was flushed, nor a branch that was not taken.
    """
    for _, record in read_truth(path + ".truth"):
        if "flushed" in record.what or record.kind in (None, "not_taken"):
            raise Different(f"{record.text()}: nobody has asked for that")
    compare_pieces(path)


def read_text(path, what):
    """what perf has said, but for where the file is"""
    with open(f"{path}.{what}", encoding="utf-8", errors="replace") as file:
        return re.sub(r"@\S+/", "@", file.read())


def common(text, what):
    """
    A line that is spelled in another way, of two names of the same place one, and stubs of
    the linker, which have no names in Linux 6.12: all else is for any perf to say.
    """
    if what == "report":
        text = re.sub(r"\] begin_(\d)$", r"] turn_\1", text, flags=re.M)
        text = re.sub(r"\] (\.plt|0x[0-9a-f]{16})$", "] stub", text, flags=re.M)
        return "\n".join(sorted(text.splitlines()))
    return re.sub("^(... Time )Muliplier  ", r"\1Multiplier ", text, flags=re.M)


def compare_machines(path):
    """Does the perf of the machine that has recorded say the same as this one?"""
    here = os.path.join(os.path.dirname(path), "here")
    # Another kernel's perf, by a word that was wrong
    other_perf = len({"Muliplier" in read_text(name, "dump") for name in (path, here)}) > 1
    for what in ("script", "threads", "stats", "report", "dump"):
        texts = [read_text(name, what) for name in (path, here)]
        if other_perf:
            texts = [common(text, what) for text in texts]
        texts = [text.splitlines() for text in texts]
        for number, (line, other) in enumerate(zip(*texts), 1):
            if line != other:
                raise Different(f"{what}, line {number}: {line}, there {other}")
        if len(texts[0]) != len(texts[1]) or not texts[0]:
            raise Different(f"{what}: {len(texts[0])} lines, there {len(texts[1])}")
    for name in ("(begin|turn)_0", "(begin|turn)_3", "take"):
        if not re.search(rf"\] {name}\b", read_text(path, "report")):
            raise Different(f"no {name} in the report")


def wrong_lines(lines, at, skip=None):
    """lines that are not these, and what is wrong of them"""
    yield "nothing", []
    yield "a line less", lines[:at] + lines[at + 1:]
    yield "a line twice", lines[:at + 1] + lines[at:]
    yield "none at the end", lines[:-1]
    yield "two at the end", lines + lines[-1:]
    for number, word in enumerate(re.finditer(r"\S+", lines[at])):
        if number == skip:
            continue
        last = word.end() - 1
        other = "2" if lines[at][last] == "1" else "1"
        line = lines[at][:last] + other + lines[at][last + 1:]
        yield line, lines[:at] + [line] + lines[at + 1:]


def wrong_script(lines):
    """each field of a sample; but one at a time the time is perf's own"""
    return wrong_lines(lines, len(lines) // 2, 1 if "riscv_pdis_sample" in lines[0] else None)


def wrong_threads(lines):
    """where a sample is, and of whom all are"""
    yield from list(wrong_lines(lines, len(lines) // 2))[:5]
    yield "another address", lines[:-1] + [lines[-1] + "0"]
    yield "other threads", [" 1" + line.lstrip() for line in lines]


def wrong_dump(lines):
    """each field of a record's line, of which the first word is the type"""
    numbers = [number for number, line in enumerate(lines) if " pc 0x" in line]
    at = numbers[len(numbers) // 2]
    first = re.match(r"\.  [0-9a-f]{8}: |\. \.\.\. ", lines[at])[0]
    records = [lines[at][len(first):]]
    for what, changed in wrong_lines(records, 0):
        yield what, lines[:at] + [first + line for line in changed] + lines[at + 1:]


def wrong_names(lines):
    """a record that a counter has counted, without its name and with another"""
    at = next(number for number, line in enumerate(lines) if line.endswith(" (loads)"))
    for what in ("", " (taken)", " (loads, misses)"):
        yield what, lines[:at] + [lines[at].replace(" (loads)", what)] + lines[at + 1:]


def wrong_stats(lines):
    """one more is lost"""
    yield "one is lost", lines + ["        LOST_SAMPLES events:          1"]


def notices(path, test, suffix, wrong):
    """Does the test fail if one of the files of a recording is wrong?"""
    if suffix == ".truth":
        raise ValueError("the log is read once")
    with open(path + suffix, encoding="utf-8", errors="replace") as file:
        lines = file.read().splitlines()
    with tempfile.TemporaryDirectory() as folder:
        for entry in os.scandir(os.path.dirname(os.path.abspath(path))):
            os.symlink(os.path.abspath(entry.path), os.path.join(folder, entry.name))
        copy = os.path.join(folder, os.path.basename(path))
        os.remove(copy + suffix)
        for what, changed in wrong(lines):
            with open(copy + suffix, "w", encoding="utf-8") as file:
                file.write("".join(line + "\n" for line in changed))
            try:
                test(copy)
            except Different:
                continue
            raise Different(f"{suffix}: nobody has noticed: {what}")


def compare_all(path):
    """what is compared of each recording"""
    name = os.path.basename(path)
    compare_threads(path, compare(path, name))
    compare_dump(path, name)


def notices_all(path):
    """wrong samples, threads, records, of one recording"""
    for suffix, wrong in ((".script", wrong_script), (".threads", wrong_threads),
                          (".dump", wrong_dump)):
        notices(path, compare_all, suffix, wrong)
    if path.endswith("single"):
        notices(path, compare_all, ".stats", wrong_stats)


def notices_others(path):
    """whatever else is compared, of the recordings in this folder"""
    folder = os.path.dirname(path)
    notices(path, lambda copy: compare_dump(copy, "counters"), ".dump", wrong_names)
    notices(os.path.join(folder, "memory"), compare_levels, ".mem",
            lambda lines: wrong_lines([line for line in lines if "%" in line], 0, 0))
    notices(os.path.join(folder, "transfers"), compare_pieces, ".pieces",
            lambda lines: wrong_lines(lines, len(lines) // 2))
    notices(os.path.join(folder, "profile"), compare_profile, ".pieces",
            lambda lines: wrong_lines(lines, len(lines) // 2))
    for suffix in (".script", ".report"):
        notices(os.path.join(folder, "transfers"), compare_machines, suffix,
                lambda lines: wrong_lines(lines, len(lines) // 2))


def report(folder):
    """Let this machine's perf tell what the recordings are. Programs lie elsewhere here."""
    programs = os.path.join(folder, "programs")
    os.makedirs(programs, exist_ok=True)
    if not os.path.islink(os.path.join(programs, "host")):
        os.symlink(os.path.dirname(os.path.abspath(folder)), os.path.join(programs, "host"))
    env = dict(os.environ, PERF_CONFIG="/dev/null", PERF_PAGER="cat", LC_ALL="C")
    for name in PERIODS:
        path = os.path.join(folder, name)
        ran = subprocess.run([os.path.join(HERE, "pdis_report.sh"), path + ".data", path,
                              f"--symfs={programs}"], env=env, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                             check=False)
        if ran.returncode:
            print(f"# {name}: " + ran.stdout.replace("\n", "\n# "))


def main():
    """all recordings"""
    folder = sys.argv[1]
    report(folder)
    tests = [(f"{name}: samples are what was recorded, and of whom",
              lambda path, name=name: compare_threads(path, compare(path, name)), name)
             for name in PERIODS]
    tests += [(f"{name}: so are the lines of the dump",
               lambda path, name=name: compare_dump(path, name), name) for name in PERIODS]
    tests += [(f"{name}: so is its header", compare_header, name)
              for name in ("snapshot", "counters")]
    tests += [("AMB-105 PDIS-EVT-012 snapshot: what is oldest has been overwritten",
               compare_wrapped, "snapshot"),
              ("memory: perf mem report counts where data was", compare_levels, "memory"),
              ("transfers: stacks of two are those that went somewhere", compare_pieces,
               "transfers"),
              ("profile: so are those that perf inject has made", compare_profile, "profile"),
              ("transfers: the machine that has recorded says the same", compare_machines,
               "transfers"),
              ("snapshot: what is wrong is noticed", notices_all, "snapshot"),
              ("single: what is wrong is noticed", notices_all, "single"),
              ("counters, memory, transfers: what is wrong is noticed", notices_others,
               "counters")]
    failed = 0
    print(f"1..{len(tests)}")
    for number, (what, test, name) in enumerate(tests, 1):
        try:
            test(os.path.join(folder, name))
            print(f"ok {number} {what}")
        except (Different, OSError, KeyError, ValueError, IndexError) as why:
            failed += 1
            print(f"not ok {number} {what}")
            print(f"# {type(why).__name__}: {why}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
