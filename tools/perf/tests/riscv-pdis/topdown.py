#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Tests the script riscv-topdown.

  topdown.py PERF FOLDER

What it is given is made of numbers that are known; names in it are as no page may have them.
"""

import json
import os
import pathlib
import re
import subprocess
import sys

import pages
from views import Page

# Of 100 slots; what is part of what is where it stands.
KNOWN = {
    "RETIRING": 40.0,
    "FRONTEND_BOUND": 12.0, "FRONTEND_BOUND.LATENCY": 9.5, "FRONTEND_BOUND.BANDWIDTH": 2.5,
    "BAD_SPECULATION": 8.0, "BAD_SPECULATION.MISPRED": 7.0,
    "BACKEND_BOUND": 40.0, "BACKEND_BOUND.MEMORY_BOUND": 30.0, "BACKEND_BOUND.CORE_BOUND": 10.0,
    "BACKEND_BOUND.MEMORY_BOUND.DATA_BOUND": 21.0, "BACKEND_BOUND.CORE.SERIALIZING": 4.0,
    "BACKEND_BOUND.MEMORY_BOUND.DATA_BOUND.L1_BOUND": 2.0,
}
WAY = ("The largest class of the others is BACKEND_BOUND, 40.00%; its largest part is "
       "BACKEND_BOUND.MEMORY_BOUND, 30.00%; its largest part is "
       "BACKEND_BOUND.MEMORY_BOUND.DATA_BOUND, 21.00%.")
DEEP = "BACKEND_BOUND.MEMORY_BOUND.DATA_BOUND.L1_BOUND"
# Class: slots, of what it is part of, level
ROWS = {
    "RETIRING": ("40.00%", "40.00%", "1"),
    "FRONTEND_BOUND": ("12.00%", "12.00%", "1"),
    "FRONTEND_BOUND.LATENCY": ("9.50%", "79.17%", "2"),
    "FRONTEND_BOUND.BANDWIDTH": ("2.50%", "20.83%", "2"),
    "BAD_SPECULATION": ("8.00%", "8.00%", "1"),
    "BAD_SPECULATION.MISPRED": ("7.00%", "87.50%", "2"),
    "BAD_SPECULATION.rest": ("1.00%", "12.50%", "2"),
    "BACKEND_BOUND": ("40.00%", "40.00%", "1"),
    "BACKEND_BOUND.MEMORY_BOUND": ("30.00%", "75.00%", "2"),
    "BACKEND_BOUND.CORE_BOUND": ("10.00%", "25.00%", "2"),
    "BACKEND_BOUND.MEMORY_BOUND.DATA_BOUND": ("21.00%", "70.00%", "3"),
    "BACKEND_BOUND.MEMORY_BOUND.rest": ("9.00%", "30.00%", "3"),
    "BACKEND_BOUND.CORE.SERIALIZING": ("4.00%", "40.00%", "3"),
    "BACKEND_BOUND.CORE_BOUND.rest": ("6.00%", "60.00%", "3"),
}


def as_json(shares, running=100.0, event="TOPDOWN.SLOTS"):
    """as perf stat -j has it"""
    lines = []
    for name, share in shares.items():
        lines.append(json.dumps({
            "counter-value": "12855631.000000", "unit": "", "event": event, "event-runtime": 1,
            "pcnt-running": running, "metric-value": share if isinstance(share, str) else
            f"{share:f}", "metric-unit": f"%  TOPDOWN.{name}.RATE"}))
    return "\n".join(lines) + "\n"


def as_text(shares):
    """as it is for people"""
    return "\n Performance counter stats for './prog':\n\n" + "".join(
        f"         1,436,364      TOPDOWN.SLOTS    #   {share:6.1f} %  TOPDOWN.{name}.RATE  \n"
        for name, share in shares.items())


def as_columns(shares):
    """as perf stat --topdown has it"""
    return ("\n Performance counter stats for 'true':\n\n " +
            " ".join(f"%  TOPDOWN.{name}.RATE" for name in shares) + " \n" +
            "".join(f"       \x1b[32m    {share:.1f}\x1b[m   " for share in shares.values()) +
            "\n\n       6.485245600 seconds time elapsed\n\n")


def as_json_columns(shares):
    """as perf stat -j --topdown has it"""
    return json.dumps({f"%  TOPDOWN.{name}.RATE": f"{share:.1f}"
                       for name, share in shares.items()}) + "\n"


class Tests:
    """Calls the script, counts what is wrong."""

    def __init__(self, perf, folder):
        self.perf, self.folder = perf, folder
        self.number = self.failed = 0
        os.makedirs(folder, exist_ok=True)

    def path(self, name):
        """where a file is"""
        return os.path.join(self.folder, name)

    def check(self, what, wrong):
        """one test"""
        self.number += 1
        self.failed += bool(wrong)
        if wrong:
            print(f"{what}: " + "\n  ".join(str(line) for line in wrong[:4]))

    def run(self, text, *options):
        """status, output, complaints of what it makes of a file"""
        with open(self.path("stat"), "w", encoding="utf-8") as file:
            file.write(text)
        ran = subprocess.run([self.perf, "script", "report", "riscv-topdown", "stat", *options],
                             cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True, check=False)
        return ran.returncode, ran.stdout, ran.stderr

    def page(self):
        """what it has written"""
        with open(self.path("topdown.html"), encoding="utf-8") as file:
            return file.read()

    def refused(self, what, text, *lines):
        """it says what is wrong"""
        status, out, err = self.run(text)
        self.check(what, [] if status == 1 and "Traceback" not in err and
                   all(line in err for line in lines) else [status, out, err])


def rows_of(text):
    """the table of a page: class, and the numbers"""
    return {row["class"]: (row["slots"], row["of that"], row["level"])
            for _, row in Page(text).rows()}


def drawn(text):
    """what is drawn: percent of each bar by its length, which the largest one tells"""
    page = Page(text)
    said = [float(piece.rpartition(": ")[2]) for piece in page.pieces[0]]
    sizes = [float(size[0]) for size in page.sizes[0]]
    return [f"{size} is not {value}" for size, value in zip(sizes, said)
            if abs(size / max(sizes) * max(said) - value) > 0.01] + \
        ([] if len(said) == len(ROWS) else [f"{len(said)} bars"])


def known(tests):
    """What was made up is shown, whichever way perf stat has said it."""
    for what, text in (("JSON", as_json(KNOWN)), ("text", as_text(KNOWN)),
                       ("columns", as_columns(KNOWN)), ("JSON columns", as_json_columns(KNOWN))):
        status, out, err = tests.run(text, "--html", "topdown.html")
        tests.check(what, [err] if status or "40.00% of the issue slots did useful work" not in out
                    or WAY not in out else [])
        page = tests.page()
        tests.check(f"{what}: rows", [] if rows_of(page) == ROWS else [rows_of(page)])
        tests.check(f"{what}: form", pages.check(page) + drawn(page))
        tests.check(f"{what}: levels", [DEEP] if DEEP in page or DEEP in out else [])
        terminal = {line.split()[3]: tuple(line.split()[:3]) for line in out.splitlines()
                    if re.match(r" *[0-9.]+% ", line) and "slots did" not in line}
        tests.check(f"{what}: terminal", [] if terminal == ROWS else [terminal])


def several(tests):
    """Levels can be counted one after the other."""
    deep = {name: share for name, share in KNOWN.items() if name.count(".") > 1}
    with open(tests.path("level3"), "w", encoding="utf-8") as file:
        file.write(as_json(deep))
    rest = {name: share for name, share in KNOWN.items() if name not in deep}
    status, _, err = tests.run(as_json(rest), "level3", "--html", "topdown.html")
    tests.check("two files", [err] if status or rows_of(tests.page()) != ROWS else [])
    status, _, err = tests.run(as_json(KNOWN), "level3")
    tests.check("twice", [err] if status != 1 or "level3: metrics are there more" not in err
                else [])


def partly(tests):
    """What was not counted all the time, or not at all, is said."""
    name = "TOPDOWN.<b>&\"'x]]>"
    status, out, _ = tests.run(as_json(KNOWN, 43.0, name), "--html", "topdown.html")
    page = tests.page()
    tests.check("estimates", [out] if status or "1 events took turns, TOPDOWN." not in out else [])
    tests.check("names", pages.check(page) + ["as it was"] * (name in page or "<b>" in page))
    less = {what: share for what, share in KNOWN.items() if what != "RETIRING"}
    _, out, _ = tests.run(as_json(less))
    tests.check("a class is missing", [] if "60.00% of all slots" in out else [out])
    status, out, _ = tests.run(as_json({**KNOWN, "BACKEND_BOUND.CORE_BOUND": "nan",
                                        "FRONTEND_BOUND.LATENCY": "none"}))
    tests.check("no numbers", [out] if status or "nan" in out or "LATENCY" in out else [])


def way(tests):
    """The first line goes down from the largest class, as demo/bottleneck-view does, though
    something without parts is larger than any part of that. What retires is no loss, and what is
    in no part is no part."""
    shares = {"RETIRING": 35.0, "FRONTEND_BOUND": 28.0, "FRONTEND_BOUND.LATENCY": 28.0,
              "BAD_SPECULATION": 2.0, "BACKEND_BOUND": 35.0, "BACKEND_BOUND.MEMORY_BOUND": 12.0,
              "BACKEND_BOUND.CORE_BOUND": 9.0, "BACKEND_BOUND.MEMORY_BOUND.DATA_BOUND": 1.0}
    down = "BACKEND_BOUND BACKEND_BOUND.MEMORY_BOUND BACKEND_BOUND.MEMORY_BOUND.DATA_BOUND".split()
    for depth in range(3):
        known_so_far = {name: share for name, share in shares.items() if name.count(".") <= depth}
        line = "The largest class of the others is " + "; its largest part is ".join(
            f"{name}, {shares[name]:.2f}%" for name in down[:depth + 1]) + "."
        status, out, err = tests.run(as_json(known_so_far))
        tests.check(f"the way down to level {depth + 1}",
                    [] if not status and line in out.splitlines() else [line, out, err])
    status, out, _ = tests.run(as_json({"RETIRING": 100.0}))
    tests.check("nothing is lost", [out] if status or "of the others" in out else [])


def classes():
    """of all cores: the metrics of perf's event files, and on which level they say that they are"""
    files = pathlib.Path(__file__).resolve().parents[2] / "pmu-events" / "arch" / "riscv"
    for path in files.rglob("*.json"):
        for entry in json.loads(path.read_text(encoding="utf-8")):
            group = re.search(r"TopdownL([123])\b", entry.get("MetricGroup", ""))
            name = re.match(r"TOPDOWN\.(.*)\.RATE$", entry.get("MetricName", ""))
            if group and name:
                yield name[1], group[1]


def each_class(tests):
    """Each is shown, on its level, with what it means."""
    levels = dict(classes())
    status, _, err = tests.run(as_json({name: 1.0 for name in levels}), "--html", "topdown.html")
    rows = {row["class"]: row for _, row in Page(tests.page()).rows()}
    tests.check("each class of perf's event files", [err] * status + ["too few"] * (len(levels) < 15) +
                [f"{name}: {rows.get(name)}" for name, level in levels.items()
                 if name not in rows or rows[name]["level"] != level or not rows[name]["that is"]])


SAMPLED = {
    "FRONTEND_BOUND": ("20.00%", "-"),
    "FRONTEND_BOUND.LATENCY": ("100.00%", "INST.BRJMP.TK.RET:upp"),
    "FRONTEND_BOUND.LATENCY.DATA": ("35.00%", "FETCH.DSRC.L1I.MISS:upp"),
    "BACKEND_BOUND.MEMORY_BOUND": ("83.33%", "INST.LOAD.ASRC.L1.MISS.RET:upp"),
    "BACKEND_BOUND.CORE_BOUND": ("16.67%", "INST.MO.RET:upp,INST.SYSTEM.RET:upp"),
    "BACKEND_BOUND.CORE.SERIALIZING": ("-", "INST.MO.RET:upp,INST.SYSTEM.RET:upp"),
    "BAD_SPECULATION.MISPRED": ("100.00%", "INST.MISPRED.RET:upp"),
    "BACKEND_BOUND.MEMORY_BOUND.DATA_BOUND": ("20.00%", "INST.LOAD.DSRC.L1D.MISS.RET:upp"),
}


def sampled(tests):
    """Of the largest part of a class is what it is to be sampled by, and a part that another run
    had more of than this one had of the whole is no share of it."""
    status, _, err = tests.run(as_json({
        "FRONTEND_BOUND": 20.0, "FRONTEND_BOUND.LATENCY": 20.0,
        "FRONTEND_BOUND.LATENCY.DATA": 7.0, "FRONTEND_BOUND.LATENCY.REDIRECT": 13.0,
        "BAD_SPECULATION": 8.0, "BAD_SPECULATION.MISPRED": 8.01,
        "BACKEND_BOUND": 30.0, "BACKEND_BOUND.MEMORY_BOUND": 25.0,
        "BACKEND_BOUND.MEMORY_BOUND.DATA_BOUND": 5.0,
        "BACKEND_BOUND.MEMORY_BOUND.ADDR_BOUND": 20.0, "BACKEND_BOUND.CORE_BOUND": 5.0,
        "BACKEND_BOUND.CORE.SERIALIZING": 5.6}), "--html", "topdown.html")
    rows = {row["class"]: (row["of that"], row["to be sampled by"] or "-")
            for _, row in Page(tests.page()).rows()}
    tests.check("what to sample", [err] * status + [
        f"{name}: {rows.get(name)}" for name, want in SAMPLED.items() if rows.get(name) != want])
    top = pathlib.Path(__file__).resolve().parents[4]
    script = (top / "tools/perf/scripts/python/riscv-topdown.py").read_text(encoding="utf-8")
    table = (top / "emulator/qemu/target/riscv/hpm_events.tsv").read_text(encoding="utf-8")
    precise = {line.split("\t")[1] for line in table.splitlines()
               if line.startswith("0x") and line.split("\t")[4] == "yes"}
    events = set(re.findall(r'([A-Z0-9_.]+):upp', script))
    tests.check("it is precise", sorted(events - precise) + ["too few"] * (len(events) < 9))


def main():
    """all of them"""
    tests = Tests(sys.argv[1], os.path.abspath(sys.argv[2]))
    known(tests)
    each_class(tests)
    way(tests)
    sampled(tests)
    several(tests)
    partly(tests)
    tests.refused("nothing", "", "no metric of TopDown")
    tests.refused("other metrics", as_text({}), "no metric of TopDown")
    tests.refused("several CPUs", as_json(KNOWN) * 2, "more than once")
    tests.refused("broken JSON", '{"metric-value": \n', "not what perf stat prints")
    tests.refused("other JSON", '{"metric-unit": 5}\n', "not what perf stat prints")
    print(f"{tests.number} tests, {tests.failed} failed")
    sys.exit(tests.failed > 0)


if __name__ == "__main__":
    main()
