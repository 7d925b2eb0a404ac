# SPDX-License-Identifier: GPL-2.0-only
"""What a metric is, told otherwise than by its expression, for scripts/test/events.

Of the standard's metrics: what the published files say. Of XiangShan's: a run is made up,
in which it is known of each instruction, access and cycle what became of it. What the
core's events would have counted follows from the user guide, by their numbers in its
tables; what the metrics should be follows from what they say that they are.
"""

import fnmatch
import functools
import random
import re

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.]*")
# What an expression may call
FUNCTIONS = {"max", "min", "d_ratio"}
TURNS = 20
# Of what is no expression, or one of itself, which others say
FAULTY = SyntaxError, TypeError, ZeroDivisionError, RecursionError


def d_ratio(number, divisor):
    """As perf has it"""
    return number / divisor if divisor else 0


@functools.lru_cache(maxsize=None)
def compiled(text):
    """An expression of a function that says what a name is"""
    return compile(NAME.sub(lambda name: name[0] if name[0] in FUNCTIONS
                            else f"value_of('{name[0]}')", text), text, "eval")


def evaluate(text, value_of):
    """An expression, with what value_of() says of each name"""
    return eval(compiled(text), {"max": max, "min": min, "d_ratio": d_ratio,
                                 "value_of": value_of})


def whole_of(name):
    """What the events of a name are a part of, or nothing"""
    if name in ("TOPDOWN.SLOTS", "UOP.RET") or name.endswith(".SLOTS"):
        return "TOPDOWN.SLOTS"
    if name.endswith(".MISS"):
        return name.removesuffix("MISS") + "ACCESS"
    if name == "INST.MISPRED.RET":
        return "INST.BRJMP.PRED.RET"
    if name.startswith("INST.MISPRED."):
        return name.replace("MISPRED", "BRJMP")
    return None


class Drawn:
    """Counts at random, no part of which is more than the whole"""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.counts = {}

    def __call__(self, name):
        if name not in self.counts:
            whole = whole_of(name)
            most = 1000000 if whole in (None, name) else self(whole)
            self.counts[name] = self.random.randint(1, most)
        return self.counts[name]


def check_unit(name, entry):
    """The unit that the name of a metric asks for, if it does"""
    wanted = None
    if name.endswith((".RATE", "_rate")):
        wanted = "100%"
    elif name.endswith((".MPKI", "_mpki")) or re.match(r"INST\.MISPRED\..*PKI", name):
        wanted = "1MPKI"
    elif name.endswith((".PKI", "_pki")):
        wanted = "1PKI"
    elif name.endswith("_latency"):
        wanted = "1cycles"
    elif name == "IPC" or name.startswith(("RVV.FLOPC.", "RVV.IOPC.")):
        wanted = "1per cycle"
    elif re.fullmatch(r"RVV\.[GT](FL|I)?OP\.RET|RVV\.TOP\.RET", name):
        wanted = f"1{name.split('.')[1]}"
    elif name.startswith("RVV."):
        wanted = "1operations"
    unit = entry.get("ScaleUnit")
    if wanted and unit != wanted:
        yield f"ScaleUnit is {unit}, and its name says {wanted}"
    if not wanted and not re.match("1[A-Za-z]|100%$", unit or ""):
        yield f"ScaleUnit is {unit}: its number is 1, or 100 of a share"


def most_of(entry):
    """No metric with this unit is more than that, before it is scaled."""
    unit = entry.get("ScaleUnit", "")
    return 1 if unit == "100%" else 1000 if unit.endswith("PKI") else 10


def check_threshold(name, entry, metrics):
    """High values are what is worth a look: each part of a threshold can be reached, is not
    reached by 0, and is that of the metric that it names."""
    for part in entry.get("MetricThreshold", "").split("&"):
        compared = re.fullmatch(r"\s*(\S+)\s*>\s*([0-9.]+)\s*", part)
        if not part.strip():
            continue
        if not compared:
            yield f"MetricThreshold is not 'metric > number' joined by &: {part.strip()}"
            continue
        of, number = metrics.get(compared[1]), float(compared[2])
        if of and not 0 < number < most_of(of):
            yield f"MetricThreshold is out of bounds: {part.strip()}"
        own = of and re.match(re.escape(compared[1]) + r"\s*>\s*([0-9.]+)",
                              of.get("MetricThreshold", ""))
        if of and compared[1] != name and not (own and float(own[1]) == number):
            yield f"MetricThreshold is not that of {compared[1]} itself: {part.strip()}"


# The groups that the documentation names, and which metrics they have, by their names. What is of
# TopDown may be in the group of a level instead, and the first level in what perf shows by itself.
GROUPS = {
    "Topdown": r"^TOPDOWN",
    "Instruction": r"^IPC$|^INST\.(BRJMP|MISPRED)",
    "Cache": r"^CACHE|^TLB|^icache|^l1d|^l2_(?!tlb)|^store_merge|^load_replay",
    "TLB": r"^TLB|^dtlb|^l2_tlb|^page_walk",
    "Branch": r"^INST\.(BRJMP|MISPRED)|mispredict|^ftb",
    "BadSpec": r"^INST\.MISPRED|mispredict|^flush|^ordering",
    "Vector": r"^RVV",
    "Summary": r"^IPC$|bubbles|^uops|^load_pki|^store_pki|^rob|^rename",
}
LEVEL_GROUP = re.compile(r"Default|TopdownL[1-4]")


def check_group(name, entry):
    """A metric is in all groups that its name says, and in no others."""
    groups = entry.get("MetricGroup", "").split(";")
    told = {"Topdown" if LEVEL_GROUP.fullmatch(group) else group for group in groups}
    wanted = {group for group, named in GROUPS.items() if re.search(named, name)}
    if unknown := told - GROUPS.keys():
        yield f"MetricGroup is {', '.join(sorted(unknown))}, which nothing else is"
    for group in sorted(wanted ^ (told & GROUPS.keys())):
        yield (f"MetricGroup is {';'.join(groups)}, and its name says "
               f"{'' if group in wanted else 'not '}{group}")


def check_level(name, entry):
    """A metric of TopDown is on the level that its name is deep; what perf shows by itself is the
    first."""
    groups = entry.get("MetricGroup", "").split(";")
    levels = [group for group in groups if re.fullmatch(r"TopdownL\d", group)]
    wanted = []
    if named := re.fullmatch(r"TOPDOWN\.(.*)\.RATE", name):
        wanted = [f"TopdownL{len(named[1].split('.'))}"]
    if levels != wanted:
        yield f"MetricGroup is {';'.join(groups)}, and its name says {wanted}"
    if ("Default" in groups) != (wanted == ["TopdownL1"]) or \
            entry.get("DefaultMetricgroupName", "TopdownL1") != "TopdownL1":
        yield "Default is the first level of TopDown, and nothing else"


def check_bounds(name, entry):
    """A share of what parts are of wholes is one, whatever there is."""
    if entry.get("ScaleUnit") != "100%":
        return
    for turn in range(TURNS):
        drawn = Drawn(f"{name} {turn}")
        try:
            share = evaluate(entry["MetricExpr"], drawn)
        except FAULTY:
            return
        if not 0 <= share <= 1:
            yield f"MetricExpr can be {share:.2f}, which is no share: {entry['MetricExpr']}"
            return


def checks(name, entry, metrics):
    """All that is wrong with a metric by itself"""
    yield from check_unit(name, entry)
    yield from check_threshold(name, entry, metrics)
    yield from check_group(name, entry)
    yield from check_level(name, entry)


def differs(entry, metrics, published, expressions):
    """In which of expression, threshold, unit and group is one other than published?"""
    name, (text, threshold, unit, group) = entry["MetricName"], published
    for turn in range(TURNS):
        drawn = Drawn(f"{name} {turn}")

        def ours(part):
            return evaluate(metrics[part]["MetricExpr"], ours) if part in metrics else drawn(part)

        def theirs(part):
            return evaluate(expressions[part], theirs) if part in expressions else drawn(part)

        try:
            one, other = evaluate(entry["MetricExpr"], ours), evaluate(text, theirs)
        except FAULTY:
            return
        # Ours is 0 where what is left would be less.
        if abs(one - max(other, 0)) > 1e-9 * max(1, other):
            yield "expression"
            break
    first = entry.get("MetricThreshold", "-").split("&")[0].strip()
    if first != threshold:
        yield "threshold"
    if unit not in ("-", entry.get("ScaleUnit")):
        yield "unit"
    if group not in ("-", *entry.get("MetricGroup", "").split(";")):
        yield "group"


SECTION = re.compile(r"^Differences from the published metrics\n=+\n(.*?)^=+$", re.M | re.S)


# A threshold that is ours alone, with its number
NUMBERED = re.compile(r"``([A-Z][A-Z0-9_.]*)``\s\(([0-9.]+)\)")


def check_thumb(metrics, text):
    for name, number in NUMBERED.findall(text):
        if metrics.get(name, {}).get("MetricThreshold") != f"{name} > {number}":
            yield name, f"has another threshold than {number}, which the page says"


def check_published(metrics, rows, page):
    """(name, what) of metrics that are other than published, and not so said; and of what is
    said of none. rows: name, expression, threshold, unit, group; page: the text that says it"""
    published = {name: columns for name, *columns in rows}
    expressions = {name: columns[0] for name, columns in published.items()}
    section = SECTION.search(page)
    told = set()
    for bullet in re.split(r"^- ", section[1] if section else "", flags=re.M)[1:]:
        what = re.match(r"(expression|threshold|unit|group)s?\b", bullet)
        names = re.findall(r"``([A-Z][A-Z0-9_.*?]*)``", bullet.split(":", 1)[0])
        if "there are no published ones" in " ".join(bullet.split()):
            numbers = [name for name, _ in NUMBERED.findall(bullet)]
            yield from ((name, "has no threshold on the page") for name in names
                        if name not in numbers)
            yield from check_thumb(metrics, bullet)
        told |= {(what and what[1], name) for name in names}
    used = set()
    for name in sorted(set(metrics) ^ set(published)):
        yield name, "is in one of std-metrics.json and events-metrics.tsv"
    for name in sorted(set(metrics) & set(published)):
        for what in differs(metrics[name], metrics, published[name], expressions):
            found = {(kind, of) for kind, of in told
                     if kind == what and fnmatch.fnmatchcase(name, of)}
            used |= found
            if not found:
                yield name, f"its {what} is other than published, and no page says so"
    for what, name in sorted(told - used, key=str):
        yield name, f"is said to have another {what} than published, and has not"


class Run:
    """Something that XiangShan Kunminghu executes"""

    WIDTH = 6
    KINDS = ("branch", "direct", "indirect", "return", "load", "atomic", "store", "csr", "other")

    def __init__(self, seed):
        draw = random.Random(seed)
        often = [draw.randint(0, 5) for _ in range(20)]

        def some(chance):
            return draw.random() < chance / 6

        def many(most=300):
            return range(draw.choice((0, 1, draw.randint(2, most))))

        self.instructions = [(draw.choice(self.KINDS), some(often[0])) for _ in many()]
        self.operations = [(some(often[1])) for _ in many(100)]    # was it flushed?
        # cycles: slots that fetch left empty, operations that come in, the quarter of the
        # reorder buffer that is in use, does rename stand still?
        self.cycles, left = [], len(self.operations)
        while left or draw.random() < 0.98:
            empty = draw.randint(0, self.WIDTH)
            comes = min(draw.randint(0, self.WIDTH - empty), left)
            left -= comes
            self.cycles.append((empty, comes, draw.randint(1, 4), some(often[2])))
        self.blocks = [some(often[3]) for _ in many()]          # unknown to the FTB?
        self.packets = [some(often[4]) for _ in many()]         # missed?
        self.code_misses = [draw.randint(1, 99) for _ in many()]
        self.flushes, self.rollbacks = len(many()), len(many())
        # For each load unit: of the loads in stage 1, which missed the TLB; in stage 2, which
        # missed the cache; of the requests of a pipeline, which came again
        self.stage1, self.stage2, self.requests = (
            [[some(often[5 + i]) for _ in many()] for _ in range(3)] for i in range(3))
        self.stores = [some(often[9]) for _ in many()]          # merged?
        self.lookups = [some(often[10]) for _ in many()]        # hit L2?
        self.l2 = [some(often[11]) for _ in many()]             # prefetches?
        self.l2_tlb = [some(often[12]) for _ in many()]         # found?
        self.walks = [draw.randint(1, 99) for _ in many()]
        self.reads = [draw.randint(1, 99) for _ in many()]

    def transfers(self, *kinds):
        return [wrong for kind, wrong in self.instructions if kind in kinds]

    def retired(self):
        return self.operations.count(False)

    def loads(self):
        return len(self.transfers("load", "atomic"))

    def events(self):
        """By the number of the group, and that in its table"""
        counts = {
            (0, 2): len(self.packets), (0, 3): sum(self.packets),
            (0, 21): sum(empty for empty, *_ in self.cycles),
            (0, 22): len(self.code_misses), (0, 23): sum(self.code_misses),
            (0, 53): self.blocks.count(False), (0, 54): self.blocks.count(True),
            (1, 5): len(self.operations), (1, 78): self.flushes,
            (1, 7): sum(stands for *_, stands in self.cycles),
            (1, 80): self.retired(), (1, 81): len(self.instructions),
            (1, 84): self.loads(), (1, 87): len(self.transfers("store")),
            (2, 23): len(self.stores), (2, 24): sum(self.stores), (2, 41): self.rollbacks,
            (2, 109): len(self.l2_tlb), (2, 114): sum(self.l2_tlb),
            (2, 117): len(self.walks), (2, 118): sum(self.walks),
            (2, 121): len(self.reads), (2, 122): sum(self.reads),
            (3, 5): self.l2.count(True), (3, 6): self.l2.count(False),
            (3, 15): len(self.lookups), (3, 16): sum(self.lookups),
        }
        for quarter in range(1, 5):
            counts[1, 89 + quarter] = sum(used == quarter for _, _, used, _ in self.cycles)
        for unit in range(3):
            counts[2, 4 + 7 * unit] = len(self.stage1[unit])
            counts[2, 5 + 7 * unit] = sum(self.stage1[unit])
            counts[2, 6 + 7 * unit] = len(self.stage2[unit])
            counts[2, 7 + 7 * unit] = sum(self.stage2[unit])
            counts[2, 90 + 5 * unit] = len(self.requests[unit])
            counts[2, 91 + 5 * unit] = sum(self.requests[unit])
        for right, kinds in ((36, ("branch",)), (38, ("direct",)), (40, ("indirect", "return")),
                             (44, ("return",))):
            counts[0, right] = self.transfers(*kinds).count(False)
            counts[0, right + 1] = self.transfers(*kinds).count(True)
        every = self.transfers("branch", "direct", "indirect", "return")
        counts[0, 32], counts[0, 33] = len(every), len(self.transfers("branch"))
        counts[0, 34], counts[0, 35] = every.count(False), every.count(True)
        return counts

    def predicted(self):
        """To the standard direct jumps are not predicted, and so not mispredicted."""
        return self.transfers("branch", "indirect", "return")

    def standard(self):
        """What the standard says of its events that the core may have"""
        return {
            "INST.RET": len(self.instructions),
            "UOP.RET": self.retired(),
            "UOP.SPEC": len(self.operations),
            "INST.BRJMP.RET": len(self.transfers("branch", "direct", "indirect", "return")),
            "INST.BRJMP.BRANCH.RET": len(self.transfers("branch")),
            "INST.MISPRED.RET": sum(self.predicted()),
            "INST.MISPRED.BRANCH.RET": sum(self.transfers("branch")),
        }

    def metrics(self):
        """What each metric says that it is"""
        every = self.transfers("branch", "direct", "indirect", "return")
        number, slots = len(self.instructions), self.WIDTH * len(self.cycles)

        def thousand(what):
            return what * 1000 / number if number else 0

        def mean(numbers):
            return sum(numbers) / len(numbers) if numbers else 0

        def per_cycle(what):
            return sum(what) / len(self.cycles) if self.cycles else 0

        def of_slots(what):
            return what / slots if slots else 0

        units = [sum(lists, []) for lists in (self.stage1, self.stage2, self.requests)]
        return {
            "IPC": number / len(self.cycles) if self.cycles else 0,
            "TOPDOWN.FRONTEND_BOUND.RATE": of_slots(sum(empty for empty, *_ in self.cycles)),
            "TOPDOWN.BAD_SPECULATION.RATE": of_slots(sum(self.operations)),
            "TOPDOWN.RETIRING.RATE": of_slots(self.retired()),
            "TOPDOWN.BACKEND_BOUND.RATE": of_slots(sum(
                self.WIDTH - empty - comes for empty, comes, *_ in self.cycles)),
            "INST.BRJMP.PKI": thousand(len(every)),
            "INST.MISPRED.PKI": thousand(sum(self.predicted())),
            "INST.MISPRED.RATE": mean(self.predicted()),
            "INST.BRJMP.BRANCH.PKI": thousand(len(self.transfers("branch"))),
            "INST.MISPRED.BRANCH.PKI": thousand(sum(self.transfers("branch"))),
            "INST.MISPRED.BRANCH.RATE": mean(self.transfers("branch")),
            "indirect_mispredict_rate": mean(self.transfers("indirect", "return")),
            "return_mispredict_rate": mean(self.transfers("return")),
            "ftb_miss_rate": mean(self.blocks),
            "frontend_bubbles": per_cycle(empty for empty, *_ in self.cycles),
            "icache_miss_rate": mean(self.packets),
            "icache_miss_mpki": thousand(len(self.code_misses)),
            "icache_miss_latency": mean(self.code_misses),
            "uops_per_instruction": self.retired() / number if number else 0,
            "load_pki": thousand(self.loads()),
            "store_pki": thousand(len(self.transfers("store"))),
            "rob_full_rate": per_cycle(used == 4 for _, _, used, _ in self.cycles),
            "rename_stall_rate": per_cycle(stands for *_, stands in self.cycles),
            "flush_pki": thousand(self.flushes),
            "ordering_rollback_pki": thousand(self.rollbacks),
            "l1d_load_miss_rate": mean(units[1]),
            "dtlb_load_miss_rate": mean(units[0]),
            "load_replay_rate": mean(units[2]),
            "store_merge_rate": mean(self.stores),
            "l2_hit_rate": mean(self.lookups),
            "l2_request_pki": thousand(self.l2.count(False)),
            "l2_prefetch_rate": mean(self.l2),
            "l2_tlb_hit_rate": mean(self.l2_tlb),
            "l2_tlb_pki": thousand(len(self.l2_tlb)),
            "page_walk_latency": mean(self.walks),
            "page_walk_memory_latency": mean(self.reads),
        }


def counted(code, counts):
    """What a selector counts: an event, or the sum of those in its four fields. None if it is
    anything else, or an event that has no part in a run."""
    fields = [code >> 10 * i & 0x3ff for i in range(4)]
    # How many of the fields each set of operators adds up; the others have no event.
    added = {0: 1, 0x4: 2, 0x1004: 3, 0x1084: 4}.get(code >> 40)
    if not added or any(field & 0xff for field in fields[added:]):
        return None
    numbers = [counts.get((field >> 8, field & 0xff), None if field & 0xff else 0)
               for field in fields if field]
    return None if None in numbers else sum(numbers)


@functools.cache
def made_up(turn):
    """What a run has of events, of metrics, of the standard's events, and of cycles"""
    run = Run(turn)
    return run.events(), run.metrics(), run.standard(), len(run.cycles)


@functools.cache
def counted_in(turn, code):
    return counted(code, made_up(turn)[0])


def check_run(metrics, codes):
    """What is wrong, by name, with metrics that are not what they say of a run, and with standard
    events. codes: by name of events"""
    wrong = {}
    for turn in range(3 * TURNS):
        _, truth, standard, cycles = made_up(turn)
        values = {name: counted_in(turn, code) for name, code in codes.items() if code}
        wrong |= {name: f"counts {values[name]} of a run that has {number}"
                  for name, number in standard.items()
                  if name in values and values[name] != number}
        values["cycles"] = cycles
        for name in metrics.keys() ^ truth.keys():
            wrong[name] = "is not both a metric, and something that a run would tell"
        for name in metrics.keys() & truth.keys() - wrong.keys():
            text = metrics[name]["MetricExpr"]
            missing = [part for part in sorted(set(NAME.findall(text)) - FUNCTIONS)
                       if values.get(part) is None]
            try:
                value = None if missing else evaluate(text, values.get)
            except FAULTY:
                continue
            if missing:
                wrong[name] = f"MetricExpr has {missing[0]}, of which a run would not tell"
            elif abs(value - truth[name]) > 1e-9 * max(1, truth[name]):
                wrong[name] = f"MetricExpr is {value:.4f} of a run that has {truth[name]:.4f}"
    return wrong
