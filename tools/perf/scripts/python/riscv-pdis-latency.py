# SPDX-License-Identifier: GPL-2.0-only
"""Where the time of sampled instructions goes, by function and by instruction.

  perf record -e riscv_pdis//u PROGRAM
  perf script report riscv-pdis-latency [-- --html FILE]

A hart follows each sampled instruction and counts the cycles until it is dispatched,
from there until it is issued, until it is executed, and until it retires; and those as
the oldest of all in flight, in which others wait for it. Here these are added up, each
sample as often as its period says. What a hart does not tell is shown as such, or as
"-", and is in no mean.
"""

import collections
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

PARTS = ["dispatch", "issue", "execution", "retire", "not told", "flushed"]
NOT_TOLD, LOST = PARTS.index("not told"), PARTS.index("flushed")
KINDS = ["loads and stores", "transfers", "others", "flushed"]


class Sums:
    """What is known of some instructions."""

    def __init__(self):
        self.samples = self.all = self.retired = self.total = 0
        # How many cycles go where; and of how many instructions that is known.
        self.parts = [0] * len(PARTS)
        self.told = [0] * len(PARTS)
        self.oldest = self.oldest_told = 0
        self.accesses = self.l1_misses = self.llc_misses = self.tlb_misses = 0
        self.transfers = self.mispredicted = 0

    def add(self, record, times):
        """one more sample, of so many instructions"""
        self.samples += 1
        self.all += times
        if record.has(pdis.FLUSHED):
            self.add_part(LOST, record.total, times)
            return
        self.retired += times
        self.total += times * record.total
        for i, cycles in enumerate(record.stages):
            if cycles is not None:
                self.add_part(i, cycles, times)
        rest = NOT_TOLD if None in record.stages else PARTS.index("retire")
        self.add_part(rest, record.rest(), times)
        if record.oldest is not None:
            self.oldest += times * record.oldest
            self.oldest_told += times
        self.count(record, times)

    def add_part(self, part, cycles, times):
        """so many cycles went there"""
        self.parts[part] += times * cycles
        self.told[part] += times

    def count(self, record, times):
        """what went wrong"""
        if record.access():
            self.accesses += times
            self.l1_misses += times * record.has(pdis.L1_MISS)
            self.llc_misses += times * record.has(pdis.LLC_MISS)
            self.tlb_misses += times * record.has(pdis.L1_TLB_MISS)
        if record.is_transfer():
            self.transfers += times
            self.mispredicted += times * record.has(pdis.MISPREDICTED)

    def cycles(self):
        """all of them"""
        return self.total + self.parts[LOST]


class Told:
    """Which of the bits that a hart need not have there are in any sample."""

    def __init__(self):
        self.llc = self.predictions = False

    def look(self, record, event):
        """at one more sample; perf knows what a hart has"""
        level = event["sample"]["datasrc"] >> 33 & 0xf
        self.llc |= record.access() is not None and (record.has(pdis.LLC_MISS) or level == 3)
        self.predictions |= record.is_transfer() and (
            record.has(pdis.MISPREDICTED) or
            any(branch["predicted"] for branch in event["brstack"]))

    def lines(self):
        """what follows from that"""
        if not self.llc:
            yield "No sample tells of a last cache: the hart may not tell what missed it."
        if not self.predictions:
            yield "No sample tells of predictions: the hart may not tell what was mispredicted."


OPTIONS = pdis.options(__doc__, 20)
TYPES = riscv_code.Types(OPTIONS.types and OPTIONS.html)
CODE = riscv_code.Code(OPTIONS.objdump)
ALL = Sums()
TOLD = Told()
FUNCTIONS = collections.defaultdict(Sums)
INSTRUCTIONS = collections.defaultdict(Sums)
# How many samples of each kind took 2^n cycles or more, but less than twice that.
LATENCIES = [[0] * len(KINDS) for _ in range(13)]
LONGEST = collections.Counter()


def kind_of(record):
    """the number of one of KINDS"""
    if record.has(pdis.FLUSHED):
        return 3
    if record.access():
        return 0
    return 1 if record.is_transfer() else 2


def process_event(event):
    """perf calls this for each sample."""
    record = pdis.record_of(event)
    if not record:
        return
    times = event["sample"]["period"] or 1
    where = pdis.place(event)
    if OPTIONS.source:
        pdis.find_source(where)
    if OPTIONS.html:
        CODE.see(where, event)
    for sums in ALL, FUNCTIONS[where[:2]], INSTRUCTIONS[where]:
        sums.add(record, times)
    TOLD.look(record, event)
    LATENCIES[record.total.bit_length()][kind_of(record)] += 1
    LONGEST["longest"] += record.total == pdis.MOST


def hottest(sums):
    """those that take most time first; if that is not told, those with most cycles"""
    return sorted(sums.items(),
                  key=lambda item: (-item[1].oldest, -item[1].cycles(), item[0]))


TITLES = ["time", "cycles", "samples", "mean", "dispatch", "issue", "execution", "retire",
          "not told", "oldest", "L1 miss", "LLC miss", "TLB miss", "mispredicted", "flushed"]


def cells(sums):
    """a row of a table, but for the name"""
    yield pdis.share(sums.oldest, ALL.oldest if sums.oldest_told else 0)
    yield pdis.share(sums.cycles(), ALL.cycles())
    yield sums.samples
    yield pdis.mean(sums.total, sums.retired)
    for part in range(LOST):
        yield pdis.mean(sums.parts[part], sums.told[part])
    yield pdis.mean(sums.oldest, sums.oldest_told)
    yield pdis.share(sums.l1_misses, sums.accesses)
    yield pdis.share(sums.llc_misses, sums.accesses if TOLD.llc else 0)
    yield pdis.share(sums.tlb_misses, sums.accesses)
    yield pdis.share(sums.mispredicted, sums.transfers if TOLD.predictions else 0)
    yield pdis.share(sums.all - sums.retired, sums.all)


def function_table(functions):
    """a row for each function, and one for all"""
    table = riscv_page.Table(TITLES + ["function", "of"], 2)
    for where, sums in functions:
        name, dso = where
        name = riscv_page.Link.make(name, pdis.inside_anchor(where))
        table.add(*cells(sums), name, dso, at=pdis.function_anchor(where))
    table.add_sum(*cells(ALL), "all", "")
    return table


def instruction_table(instructions):
    """a row for each instruction"""
    last = "source" if OPTIONS.source else "of"
    table = riscv_page.Table(TITLES + ["instruction", last], 2)
    for where, sums in instructions:
        table.add(*cells(sums), pdis.place_text(*where), pdis.SOURCES.get(where, where[1]))
    return table


def page_table(instructions):
    """the same for the page, with what the instructions are"""
    more = ["source"] * OPTIONS.source + ["type and field"] * OPTIONS.types
    table = riscv_page.Table(TITLES + ["instruction", "code", *more], 2 + len(more))
    for where, sums in instructions:
        texts = [pdis.place_text(*where), CODE.of(where)]
        if OPTIONS.source:
            texts.append(pdis.SOURCES.get(where, ""))
        if OPTIONS.types:
            texts.append(TYPES.of(where) if sums.accesses else "")
        table.add(*cells(sums), *texts, at=pdis.instruction_anchor(where))
    return table


def lead():
    """What one has to know to read the tables."""
    yield (f"{ALL.samples} samples of {ALL.all} instructions, which took {ALL.cycles()} cycles: "
           f"each {pdis.mean(ALL.cycles(), ALL.all)} from when it was chosen until it retired "
           "or was flushed.")
    if ALL.oldest_told:
        yield ("Instructions overlap: time is the share of the cycles as the oldest, which the "
               "others wait for.")
    else:
        yield ("Instructions overlap, and the hart does not tell how long each was the oldest: "
               "which of them took the time is not known.")
    if ALL.told[NOT_TOLD]:
        yield (f"Not told: {pdis.share(ALL.parts[NOT_TOLD], ALL.cycles())} of the cycles are of "
               "stages that the hart does not tell. What waited to retire is only known where "
               "it tells all of them.")
    if LONGEST["longest"]:
        yield (f"{LONGEST['longest']} samples took {pdis.MOST} cycles or more: no record has "
               "more.")
    yield from TOLD.lines()
    yield from pdis.TROUBLE.lines()


def percents(sums):
    """Where the cycles go, in percents of all."""
    return [100 * cycles / max(1, ALL.cycles()) for cycles in sums.parts]


def histogram():
    """How long instructions take."""
    groups = []
    for bits, numbers in enumerate(LATENCIES):
        first, last = (1 << bits) >> 1, (1 << bits) - 1
        groups.append((f"{first}" if first >= last else f"{first}–{last}", numbers))
    used = [i for i, numbers in enumerate(LATENCIES) if any(numbers)]
    groups = groups[used[0]:used[-1] + 1]
    return riscv_page.histogram("How long instructions take", groups, KINDS,
                                "cycles in all (TOTAL)", "samples")


def chart(functions):
    """The parts of the hottest functions."""
    rows = [(where[0], percents(sums), 100 * sums.oldest / ALL.oldest if ALL.oldest else None,
             pdis.function_anchor(where)) for where, sums in functions]
    return riscv_page.bar_chart("Cycles by function and stage", rows, PARTS, "% of all cycles",
                                "% of the time" if ALL.oldest else None)


def drawn(shown):
    """a bar for each"""
    whole = max(sum(percents(sums)) for _, sums in shown)
    return [riscv_page.small_bar(percents(sums), PARTS, whole) for _, sums in shown]


def hottest_inside(functions):
    """of each of these the instructions that are shown, in order"""
    inside = collections.defaultdict(list)
    for item in hottest(INSTRUCTIONS):
        inside[item[0][:2]].append(item)
    return [(where, sums, sorted(inside[where][:OPTIONS.rows], key=lambda item: item[0]))
            for where, sums in functions]


def function_part(where, sums, inside):
    """the instructions of a function"""
    yield (f"<h3 id={pdis.inside_anchor(where)}>{next(cells(sums))} "
           f"{riscv_page.escape(riscv_page.shorten(where[0], riscv_page.LONGEST))}</h3>")
    caption = riscv_page.Link.make(f"Instructions of {where[0]}", pdis.function_anchor(where))
    yield from page_table(inside).html(caption, drawn(inside))


def page():
    """The parts of the page."""
    functions = hottest(FUNCTIONS)
    yield riscv_page.heading("Where the cycles go, by function")
    yield ("<p>dispatch: until dispatched; issue: from there until issued; execution: from there "
           "until executed; retire: from there until it retired; flushed: of what never did. "
           "The bars are cycles of instructions that overlap, the mark is how much of the time "
           "the others wait for these.</p>")
    yield from chart(functions[:min(12, OPTIONS.rows)])
    yield riscv_page.heading("How long an instruction takes")
    yield from histogram()
    yield riscv_page.heading("Functions")
    yield "<p>Means are of the instructions that retired, in cycles.</p>"
    shown = functions[:OPTIONS.rows]
    yield from function_table(shown).html("Functions, those that take most time first",
                                          drawn(shown))
    yield riscv_page.heading("The hottest instructions of the hottest functions")
    parts = hottest_inside(functions[:10])
    TYPES.read()
    CODE.disassemble(item[0] for _, _, inside in parts for item in inside)
    for line in riscv_code.missing(CODE, TYPES):
        yield f"<p>{line}</p>"
    for part in parts:
        yield from function_part(*part)


def trace_end():
    """perf calls this last."""
    if not ALL.samples:
        pdis.give_up("no sampled instruction")
    for line in lead():
        print(line)
    function_table(hottest(FUNCTIONS)[:OPTIONS.rows]).print("Functions")
    instruction_table(hottest(INSTRUCTIONS)[:OPTIONS.rows]).print("Instructions")
    if OPTIONS.html:
        riscv_page.write_page(OPTIONS.html, "Where the time of sampled instructions goes",
                              lead(), page(), OPTIONS.see)
