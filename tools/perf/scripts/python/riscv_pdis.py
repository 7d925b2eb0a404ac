# SPDX-License-Identifier: GPL-2.0-only
"""What riscv-pdis-latency.py and riscv-pdis-memory.py share: sampled instructions
of RISC-V (Sspdis) as perf script hands them over, tables, and pages of HTML that
need nothing but themselves.
"""

import argparse
import collections
import html
import os
import struct
import sys

# A part of perf; what is imported later is another one, without functions.
import perf_trace_context as perf

# A size and after it the record, see include/uapi/linux/perf/riscv_pdis.h.
SIZE = struct.Struct("<I")
WIDE = struct.Struct("<8Q")
NARROW = struct.Struct("<QIIQII")

ACCESSES = {1: "load", 2: "store", 3: "load+store"}
TRANSFER = 4

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

    def __init__(self, hdrev, lat):
        self.hdrev = hdrev
        self.total = lat & MOST
        self.stages = [lat >> shift & MOST if lat >> valid & 1 else None
                       for _, shift, valid in STAGES]
        self.oldest = lat >> OLDEST[0] & MOST if lat >> OLDEST[1] & 1 else None

    def has(self, bit):
        """is a bit of hdrev set?"""
        return bool(self.hdrev & bit)

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
    return Record(words[0], words[3])


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
              "[-- [--html FILE] [--source] [--rows N]]")
    parser.add_argument("--html", metavar="FILE", help="write a page, too")
    parser.add_argument("--source", action="store_true",
                        help="show the line of the source of each instruction")
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


class Table:
    """Columns of text; all but the last few are numbers."""

    def __init__(self, titles, texts=1):
        self.titles = titles
        self.texts = texts
        self.rows = []

    def add(self, *cells):
        """one more row"""
        self.rows.append([str(cell) for cell in cells])

    def is_text(self, column):
        """is it to be read from the left?"""
        return column >= len(self.titles) - self.texts

    def print(self, title):
        """on the terminal"""
        widths = [max(map(len, column)) for column in zip(self.titles, *self.rows)]
        print(f"\n{title}\n")
        for row in [self.titles] + self.rows:
            cells = [cell.ljust(width) if self.is_text(i) else cell.rjust(width)
                     for i, (cell, width) in enumerate(zip(row, widths))]
            print("  ".join(cells).rstrip())

    def html(self, bars):
        """the same in a page, names first; bars are drawings that go behind them"""
        names = range(len(self.titles) - self.texts, len(self.titles))
        numbers = range(len(self.titles) - self.texts)
        yield "<div class=wide><table><thead><tr>"
        yield "".join(f"<th class=t>{html.escape(self.titles[i])}" for i in names) + "<th>"
        yield "".join(f"<th class=n>{html.escape(self.titles[i])}" for i in numbers) + "<tbody>"
        for row, bar in zip(self.rows, bars):
            texts = (html.escape(row[i]) for i in names)
            yield ("<tr>" + "".join(f"<td class=t title='{text}'>{text}" for text in texts) +
                   f"<td>{bar}" + "".join(f"<td class=n>{row[i]}" for i in numbers))
        yield "</table></div>"


# Colours that people who see few of them can tell apart, on light and on dark.
STYLE = """
:root { color-scheme: light dark; --fg: #1b1f24; --bg: #fff; --soft: #59636e;
 --line: #d1d9e0; --c0: #56b4e9; --c1: #e69f00; --c2: #0072b2; --c3: #009e73;
 --c4: #9aa4ae; --c5: #d55e00; --heat: #c2410c }
@media (prefers-color-scheme: dark) { :root { --fg: #e6edf3; --bg: #0d1117;
 --soft: #9198a1; --line: #30363d; --c2: #2f81d8; --c4: #6e7681; --heat: #fb923c } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--fg); background: var(--bg);
 max-width: 70rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.6rem; margin-bottom: 0 } h2 { font-size: 1.15rem; margin-top: 2.2rem }
p, figcaption { color: var(--soft); max-width: 46rem } figure { margin: 1rem 0 }
.wide { overflow-x: auto } table { border-collapse: collapse; font-size: 13px }
th { color: var(--soft); font-weight: 600; vertical-align: bottom }
th, td { padding: .15rem .55rem; white-space: nowrap }
td { border-top: 1px solid var(--line) } tr:hover td { background: #8882 }
.n { text-align: right; font-variant-numeric: tabular-nums }
.t { text-align: left; max-width: 34rem; overflow: hidden; text-overflow: ellipsis }
td.t { font-family: ui-monospace, monospace } details { margin: .4rem 0 }
summary { cursor: pointer; font-family: ui-monospace, monospace }
svg { width: 100%; height: auto; font: 12px system-ui, sans-serif } td svg { width: 140px }
text { fill: var(--fg) } .axis { fill: var(--soft) } .grid { stroke: var(--line) }
.c0 { fill: var(--c0) } .c1 { fill: var(--c1) } .c2 { fill: var(--c2) }
.c3 { fill: var(--c3) } .c4 { fill: var(--c4) } .c5 { fill: var(--c5) }
.mark { fill: var(--fg) } .heat { fill: var(--heat) } .none { fill: var(--line); fill-opacity: .35 }
.key { display: inline-block; margin-right: 1.1rem; color: var(--fg) }
.key svg { width: 12px; height: 12px; margin-right: .35rem }
"""


def write_page(path, title, lead, parts):
    """A page on its own."""
    try:
        with open(path, "w", encoding="utf-8") as out:
            out.write("<!DOCTYPE html>\n<html lang=en><meta charset=utf-8>\n"
                      "<meta name=viewport content='width=device-width'>\n"
                      f"<title>{html.escape(title)}</title>\n<style>{STYLE}</style>\n"
                      f"<h1>{html.escape(title)}</h1>\n")
            out.write("".join(f"<p>{html.escape(line)}\n" for line in lead))
            out.write("\n".join(parts) + "\n</html>\n")
    except OSError as error:
        sys.exit(f"{path}: {error.strerror}")


def legend(names, mark=None):
    """which colour is what"""
    keys = [(f"c{i}", 12, name) for i, name in enumerate(names)]
    if mark:
        keys.append(("mark", 3, mark))
    return "<div>" + "".join(
        f"<span class=key><svg viewBox='0 0 12 12'><rect class={colour} width={width} "
        f"height=12 /></svg>{html.escape(name)}</span>" for colour, width, name in keys) + "</div>"


def pieces(values, names, scale, box):
    """one bar of several colours; box is its left, top and height"""
    left, top, height = box
    for i, (value, name) in enumerate(zip(values, names)):
        if value:
            yield (f"<rect class=c{i} x={left:.1f} y={top} width={value * scale:.2f} "
                   f"height={height}><title>{html.escape(name)}: {value:.2f}</title></rect>")
            left += value * scale


def small_bar(values, names, whole):
    """a bar in a table, as long as its part of a whole"""
    drawn = "".join(pieces(values, names, 140 / whole if whole else 0, (0, 1, 10)))
    return f"<svg viewBox='0 0 140 12' role=img>{drawn}</svg>"


def step_of(most):
    """a round number, of which a few make an axis"""
    step = 10.0 ** -3
    while True:
        for factor in 1, 2, 5:
            if most <= 6 * step * factor:
                return step * factor
        step *= 10


def ticks(most):
    """where to write numbers at an axis"""
    step = step_of(most)
    number = 0
    while number * step <= most * 1.0001:
        yield number * step
        number += 1


def shorten(text, length):
    """what there is room for"""
    return text if len(text) <= length else text[:length - 1] + "…"


def bar_chart(rows, names, axis, mark=None):
    """Bars that lie one below the other: a label, a value for each name, and one to mark."""
    left, width, pitch = 290, 590, 24
    most = max(max(sum(values), at or 0) for _, values, at in rows) or 1
    scale = width / most
    height = pitch * len(rows)
    yield f"<figure>{legend(names, mark)}<svg viewBox='0 0 900 {height + 46}' role=img>"
    for at in ticks(most):
        x = left + at * scale
        yield (f"<line class=grid x1={x:.1f} x2={x:.1f} y1=4 y2={height + 4} />"
               f"<text class=axis x={x:.1f} y={height + 20} text-anchor=middle>{at:g}</text>")
    for i, (label, values, at) in enumerate(rows):
        top = pitch * i + 8
        text = html.escape(shorten(label, 40))
        yield (f"<text x={left - 8} y={top + 13} text-anchor=end>{text}"
               f"<title>{html.escape(label)}</title></text>")
        yield from pieces(values, names, scale, (left, top, pitch - 7))
        if mark and at is not None:
            yield (f"<rect class=mark x={left + at * scale - 1.5:.1f} y={top - 2} width=3 "
                   f"height={pitch - 3}><title>{html.escape(mark)}: {at:.2f}</title></rect>")
    yield (f"<text class=axis x={left + width / 2} y={height + 40} text-anchor=middle>"
           f"{html.escape(axis)}</text></svg></figure>")


def histogram(groups, names, across, up):
    """Columns side by side: pairs of a label and a number for each name."""
    left, base, tall = 70, 230, 210
    most = max(sum(values) for _, values in groups) or 1
    pitch = 820 / len(groups)
    yield f"<figure>{legend(names)}<svg viewBox='0 0 900 280' role=img>"
    for at in ticks(most):
        y = base - at * tall / most
        yield (f"<line class=grid x1={left} x2=890 y1={y:.1f} y2={y:.1f} />"
               f"<text class=axis x={left - 8} y={y + 4:.1f} text-anchor=end>{at:g}</text>")
    for i, (label, values) in enumerate(groups):
        x, y = left + pitch * i, float(base)
        for j, value in enumerate(values):
            if value:
                y -= value * tall / most
                yield (f"<rect class=c{j} x={x + 4:.1f} y={y:.1f} width={pitch - 8:.1f} "
                       f"height={value * tall / most:.2f}><title>{label} {names[j]}: {value}"
                       "</title></rect>")
        yield (f"<text class=axis x={x + pitch / 2:.1f} y={base + 17} text-anchor=middle>"
               f"{label}</text>")
    yield (f"<text class=axis x=480 y=270 text-anchor=middle>{html.escape(across)}</text>"
           f"<text class=axis transform='translate(14,{base - tall / 2}) rotate(-90)' "
           f"text-anchor=middle>{html.escape(up)}</text></svg></figure>")
