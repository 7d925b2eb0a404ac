# SPDX-License-Identifier: GPL-2.0-only
"""Which data sampled loads and stores touch, and how long it takes.

  perf record -d -e riscv_pdis/select=3/u PROGRAM
  perf script report riscv-pdis-memory [-- --html FILE]

By variable, as far as perf knows one, by type and field with --types, by function, by
instruction, by page of 4 KiB, by line of 64 bytes, and by address, each sample as often
as its period says. What was flushed has not touched anything. Of different processes
the same address is not the same data.
"""

import collections
import functools
import sys

sys.dont_write_bytecode = True
# pylint: disable-next=wrong-import-position
import riscv_code  # noqa: E402
# pylint: disable-next=wrong-import-position
import riscv_page  # noqa: E402
# pylint: disable-next=wrong-import-position
import riscv_pdis as pdis  # noqa: E402

# perf looks for it here.
auxtrace_error = pdis.auxtrace_error

LINE, PAGE = 64, 4096
# mem_lvl_num of perf's data_src.
LEVELS = {1: "L1", 2: "L2", 3: "L3", 4: "L4", 8: "uncached", 10: "I/O", 11: "some cache",
          12: "LFB", 13: "RAM", 14: "PMEM"}
L1_MISS = 0x8 | 0x4


def level_of(source):
    """how far an access had to go"""
    number = source >> 33 & 0xf
    if number in LEVELS:
        return LEVELS[number]
    # A hart that tells no more.
    return "beyond L1" if source >> 5 & L1_MISS == L1_MISS else "not told"


class Sums:
    """What is known of some accesses."""

    def __init__(self):
        self.samples = self.all = self.total = self.most = 0
        self.execution = self.execution_told = self.oldest = self.oldest_told = 0
        self.stores = self.tlb_misses = 0
        self.levels = collections.Counter()
        # What counts is the time, if that is told: all, by level, by who made the
        # accesses and to what.
        self.cost = 0
        self.far = collections.Counter()
        self.places = collections.Counter()
        self.data = collections.Counter()

    def add(self, record, times, level, where, data):
        """one more sample, of so many accesses"""
        self.samples += 1
        self.all += times
        self.total += times * record.total
        self.most = max(self.most, record.total)
        execution = record.stages[2]
        if execution is not None:
            self.execution += times * execution
            self.execution_told += times
        if record.oldest is not None:
            self.oldest += times * record.oldest
            self.oldest_told += times
        self.stores += times * (record.access() != "load")
        self.tlb_misses += times * record.has(pdis.L1_TLB_MISS)
        self.levels[level] += times
        cost = times * (record.total if record.oldest is None else record.oldest)
        self.cost += cost
        self.far[level] += cost
        self.places[where] += cost
        self.data[data] += cost

    def merge(self, other):
        """what is known of others, too"""
        self.most = max(self.most, other.most)
        for name in ("samples", "all", "total", "execution", "execution_told", "oldest",
                     "oldest_told", "stores", "tlb_misses", "cost"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for name in "levels", "far", "places", "data":
            getattr(self, name).update(getattr(other, name))


OPTIONS = pdis.options(__doc__, 20)
TYPES = riscv_code.Types(OPTIONS.types)
CODE = riscv_code.Code(OPTIONS.objdump)
ALL = Sums()
DATA, INSTRUCTIONS, PAGES, LINES, ADDRESSES = (collections.defaultdict(Sums) for _ in range(5))
SEEN = collections.Counter()
PROCESSES = set()


def data_of(sample):
    """The variable, or what is known of where it is, and the shared object."""
    dso = pdis.os.path.basename(sample.get("addr_dso", "")) or "[unknown]"
    return sample.get("addr_symbol", "[no symbol]"), dso


def process_event(event):
    """perf calls this for each sample."""
    record = pdis.record_of(event)
    if not record or not record.access():
        return
    if record.has(pdis.FLUSHED):
        SEEN["flushed"] += 1
        return
    sample = event["sample"]
    where, data = pdis.place(event), data_of(sample)
    if OPTIONS.source:
        pdis.find_source(where)
    if OPTIONS.html:
        CODE.see(where, event)
    groups = [ALL, DATA[data], INSTRUCTIONS[where]]
    if sample["addr"]:
        process = 0 if record.is_of_kernel(sample) else sample["pid"]
        PROCESSES.add(process)
        groups += [kind[process, sample["addr"] // size] for kind, size in
                   ((PAGES, PAGE), (LINES, LINE), (ADDRESSES, 1))]
    else:
        SEEN["nowhere"] += 1
    times = sample["period"] or 1
    level = level_of(sample["datasrc"])
    for sums in groups:
        sums.add(record, times, level, where, data)


def hottest(sums):
    """those that take most time first; if that is not told, those with most cycles"""
    return sorted(sums.items(), key=lambda item: (-item[1].oldest, -item[1].total, item[0]))


def levels():
    """those that there are, in order"""
    order = [*LEVELS.values(), "beyond L1", "not told"]
    return sorted(ALL.levels, key=order.index)


def titles():
    """of all columns but the last"""
    return ["time", "cycles", "samples", "mean", "max", "execution", *levels(), "TLB miss",
            "stores"]


def cells(sums):
    """a row of a table, but for the names"""
    yield pdis.share(sums.oldest, ALL.oldest if sums.oldest_told else 0)
    yield pdis.share(sums.total, ALL.total)
    yield sums.samples
    yield pdis.mean(sums.total, sums.all)
    yield sums.most
    yield pdis.mean(sums.execution, sums.execution_told)
    for level in levels():
        yield pdis.share(sums.levels[level], sums.all)
    yield pdis.share(sums.tlb_misses, sums.all)
    yield pdis.share(sums.stores, sums.all)


def first(counter, whole):
    """what counts most, its share if there are others, and the others' number"""
    key = min(counter, key=lambda key: (-counter[key], key))
    if len(counter) == 1:
        return key, ""
    return key, f" ({pdis.share(counter[key], whole)}, {len(counter)} in all)"


def touched_by(sums):
    """who makes the accesses"""
    where, of_how_many = first(sums.places, sums.cost)
    return riscv_page.Link.make(instruction_text(where) + of_how_many,
                                pdis.instruction_anchor(where))


def instruction_text(where):
    """an instruction, with its source if that is wanted"""
    return f"{pdis.place_text(*where)} {pdis.SOURCES.get(where, '')}".rstrip()


def touches(sums):
    """which data is accessed"""
    data, of_how_many = first(sums.data, sums.cost)
    return riscv_page.Link.make(" ".join(data) + of_how_many, data_anchor(data))


def data_anchor(data):
    """what leads to a variable"""
    return riscv_page.anchor("v", *data)


def type_anchor(name):
    """what leads to a type and field"""
    return riscv_page.anchor("t", name)


def merged(key_of):
    """what is known of instructions that have something in common"""
    groups = collections.defaultdict(Sums)
    for where, sums in INSTRUCTIONS.items():
        groups[key_of(where)].merge(sums)
    return groups


@functools.cache
def by_type():
    """what is known of each type and field; all has been seen by then"""
    return merged(TYPES.of)


@functools.cache
def by_function():
    """and of each function"""
    return merged(lambda where: where[:2])


def address_text(key, size):
    """where it is, and whose if there are others"""
    process, number = key
    return f"{process}:{number * size:#x}" if len(PROCESSES) > 1 else f"{number * size:#x}"


def data_table(groups):
    """a row for each variable, and one for all"""
    table = riscv_page.Table(titles() + ["data", "of", "touched by"], 3)
    for data, sums in groups:
        table.add(*cells(sums), *data, touched_by(sums), at=data_anchor(data))
    table.add_sum(*cells(ALL), "all", "", "")
    return table


def type_table(groups):
    """a row for each field of each type"""
    table = riscv_page.Table(titles() + ["type and field", "data", "touched by"], 3)
    for name, sums in groups:
        table.add(*cells(sums), name, touches(sums), touched_by(sums), at=type_anchor(name))
    return table


def function_table(groups):
    """a row for each function"""
    table = riscv_page.Table(titles() + ["function", "of", "touches"], 3)
    for where, sums in groups:
        table.add(*cells(sums), *where, touches(sums), at=pdis.function_anchor(where))
    return table


def instruction_table(groups):
    """a row for each instruction"""
    table = riscv_page.Table(titles() + ["touches", "instruction"], 2)
    for where, sums in groups:
        table.add(*cells(sums), touches(sums), instruction_text(where))
    return table


def page_table(groups):
    """the same for the page, with what the instructions are"""
    more = ["source"] * OPTIONS.source + ["type and field"] * OPTIONS.types
    table = riscv_page.Table(titles() + ["instruction", "code", *more, "touches", "of"],
                             4 + len(more))
    for where, sums in groups:
        texts = [riscv_page.Link.make(pdis.place_text(*where), pdis.function_anchor(where)),
                 CODE.of(where)]
        if OPTIONS.source:
            texts.append(pdis.SOURCES.get(where, ""))
        if OPTIONS.types:
            name = TYPES.of(where)
            texts.append(riscv_page.Link.make(name, type_anchor(name)))
        table.add(*cells(sums), *texts, touches(sums), where[1],
                  at=pdis.instruction_anchor(where))
    return table


def address_table(groups, kind, size):
    """a row for each page, line or address"""
    table = riscv_page.Table(titles() + [kind, "data", "touched by"], 3)
    for key, sums in groups:
        table.add(*cells(sums), address_text(key, size), touches(sums), touched_by(sums),
                  at=riscv_page.anchor(kind[0], *key))
    return table


def lead():
    """What one has to know to read the tables."""
    yield (f"{ALL.samples} samples of {ALL.all} loads and stores, which took {ALL.total} cycles: "
           f"each {pdis.mean(ALL.total, ALL.all)} from when it was chosen until it retired, of "
           f"which {pdis.mean(ALL.execution, ALL.execution_told)} in execution, with the access "
           "to memory.")
    if ALL.oldest_told:
        yield ("Instructions overlap: time is the share of the cycles as the oldest, which the "
               "others wait for.")
    else:
        yield ("Instructions overlap, and the hart does not tell how long each was the oldest: "
               "which of them took the time is not known.")
    if SEEN["flushed"]:
        yield f"{SEEN['flushed']} more samples are of loads and stores that were flushed."
    if SEEN["nowhere"]:
        yield f"{SEEN['nowhere']} samples have no address."
    yield from pdis.TROUBLE.lines()


TABLES = (("Pages of 4 KiB", "page", PAGES, PAGE), ("Lines of 64 bytes", "line", LINES, LINE),
          ("Addresses", "address", ADDRESSES, 1))
# A square of the heat, and how far it is to the next one
SQUARE, PITCH = 8.2, 9.2


def line_told(key):
    """what there is to be said of a line of 64 bytes"""
    return (f"{address_text(key, LINE)}: {LINES[key].samples} samples, "
            f"{pdis.share(LINES[key].cost, ALL.cost)} {whole()}")


def squares(key, row, most):
    """the lines of a page that have samples: pairs of a line and what is drawn"""
    for i in range(PAGE // LINE):
        line = key[0], key[1] * PAGE // LINE + i
        if line in LINES:
            # Less than the eye sees would look like nothing.
            strength = .15 + .85 * (LINES[line].cost / most) ** .5
            yield line, (f"<rect class=heat fill-opacity={strength:.2f} x={290 + PITCH * i:.1f} "
                         f"y={14 * row + 2} width={SQUARE} height=12>"
                         f"<title>{line_told(line)}</title></rect>")


def heat_row(row, key, most):
    """a page, with its hottest lines in words"""
    y = 14 * row
    name = f"{address_text(key, PAGE)} {riscv_page.shorten(touches(PAGES[key]), 22)}"
    drawn_lines = list(squares(key, row, most))
    hot = sorted((line for line, _ in drawn_lines),
                 key=lambda line: (-LINES[line].cost, line))[:2]
    words = f"{len(drawn_lines)} lines; " + "; ".join(line_told(line) for line in hot)
    inside = (f"<text x=282 y={y + 12} text-anchor=end>{riscv_page.escape(name)}</text>"
              f"<line class=none x1=290 x2={290 + PITCH * PAGE // LINE:.1f} y1={y + 8} "
              f"y2={y + 8} />" + "".join(rect for _, rect in drawn_lines))
    return riscv_page.row_of_drawing(f"{name}: {words}", riscv_page.anchor("p", *key), inside,
                                     (294, y + 12, words))


def heat():
    """A square for each line, a row for each page."""
    pages = sorted(key for key, _ in hottest(PAGES)[:min(32, OPTIONS.rows)])
    most = max((LINES[process, number * PAGE // LINE + i].cost
                for process, number in pages for i in range(PAGE // LINE)
                if (process, number * PAGE // LINE + i) in LINES), default=1) or 1
    yield "<figure>" + riscv_page.drawing(900, 14 * len(pages) + 40, "Heat of the hottest pages")
    for row, key in enumerate(pages):
        yield heat_row(row, key, most)
    base = 14 * len(pages) + 20
    for i in range(0, PAGE // LINE + 1, 16):
        yield (f"<text class=axis x={290 + PITCH * i:.1f} y={base} text-anchor=middle>"
               f"{i * LINE:#x}</text>")
    yield (f"<text class=axis x=590 y={base + 16} text-anchor=middle>offset in the page"
           "</text></svg></figure>")


def whole():
    """what percents are of"""
    return "of the time" if ALL.oldest_told else "of all cycles"


def percents(sums):
    """What it costs by level, in percents of all."""
    return [100 * sums.far[level] / max(1, ALL.cost) for level in levels()]


def drawn(groups):
    """a bar for each"""
    most = max((sum(percents(sums)) for _, sums in groups), default=0)
    return [riscv_page.small_bar(percents(sums), levels(), most) for _, sums in groups]


def shown(groups):
    """those that there is room for"""
    return hottest(groups)[:OPTIONS.rows]


def part(title, caption, table, groups):
    """a table with its heading, if there is anything in it"""
    yield riscv_page.heading(title)
    if groups:
        yield from table(groups).html(caption, drawn(groups))


def drawings():
    """What is drawn in the page."""
    data = shown(DATA)[:12]
    yield riscv_page.heading("Variables, and where their data was")
    yield from riscv_page.bar_chart(
        "Variables by level", [(" ".join(key), percents(sums), None, data_anchor(key))
                               for key, sums in data], levels(), f"% {whole()}")
    yield riscv_page.heading("Heat of the hottest pages")
    yield f"<p>Each square is a line of 64 bytes: the stronger, the more {whole()}.</p>"
    yield from heat()


def page():
    """The parts of the page."""
    yield from drawings()
    yield from part("Variables", "Variables; means are in cycles", data_table, shown(DATA))
    if OPTIONS.types:
        yield from part("Types", "Types and fields, as debug information has them", type_table,
                        shown(by_type()))
    yield from part("Functions", "Functions that access data", function_table,
                    shown(by_function()))
    instructions = shown(INSTRUCTIONS)
    CODE.disassemble(where for where, _ in instructions)
    yield from part("Instructions", "Instructions that access data", page_table, instructions)
    for line in riscv_code.missing(CODE, TYPES):
        yield f"<p>{line}</p>"
    for title, kind, groups, size in TABLES:
        yield from part(title, title, lambda each, kind=kind, size=size:
                        address_table(each, kind, size), shown(groups))


def print_tables():
    """The same on the terminal."""
    data_table(shown(DATA)).print("Variables")
    if OPTIONS.types:
        type_table(shown(by_type())).print("Types")
    function_table(shown(by_function())).print("Functions")
    instruction_table(shown(INSTRUCTIONS)).print("Instructions")
    for title, kind, groups, size in TABLES:
        address_table(shown(groups), kind, size).print(title)


def trace_end():
    """perf calls this last."""
    if not ALL.samples:
        pdis.give_up("no sampled load or store")
    TYPES.read()
    for line in lead():
        print(line)
    print_tables()
    if OPTIONS.html:
        riscv_page.write_page(OPTIONS.html, "Data that sampled loads and stores touch", lead(),
                              page(), OPTIONS.see)
