# SPDX-License-Identifier: GPL-2.0-only
"""What pages say of how many events and metrics there are, and of which there are not, for
scripts/test/events."""

import re

from events_metrics import FUNCTIONS, NAME

GUIDE = "Documentation/admin-guide/perf/riscv-events.rst"
PAGE = "Documentation/admin-guide/perf/riscv-events-qemu.rst"
CHANGES = "CHANGELOG.md"
# Why a rule about names holds in part only
WEAK = "emulator/tests/rules/weak.tsv"
WORDS = "none one two three four five six seven eight nine ten eleven twelve".split()
# Sentences, with a # for each number
SENTENCES = (
    (GUIDE, "performance events: # names, and # metrics", "events", "metrics"),
    (GUIDE, "of the standard have the same # metrics", "metrics"),
    (GUIDE, "# of the # standard metrics are on none of the cores", "nowhere", "metrics"),
    (GUIDE, "The emulator's core has # metrics, # of which are standard ones", "emulator metrics",
     "emulator standard metrics"),
    (GUIDE, "# of the standard's events have their names here", "xiangshan standard"),
    (GUIDE, "The emulator knows # of the # events", "known", "xiangshan"),
    (GUIDE, "and refuses the other #,", "refused"),
    (GUIDE, "# of the # are always 0", "never", "known"),
    (GUIDE, "# of the # metrics are of events that the emulator refuses", "unmeasured",
     "xiangshan metrics"),
    (CHANGES, "It counts # of the standard's events", "emulator standard"),
    (WEAK, "it lists all # events of that core, of which the emulator refuses #", "xiangshan",
     "refused"),
    (PAGE, "a code to # of the # standard events", "emulator standard", "events"),
)
# A sentence, and which names are in the paragraph behind it
LISTS = ((GUIDE, "are on none of the cores", "nowhere"),
         (GUIDE, "are of events that the emulator refuses", "unmeasured"))


def number(text):
    text = text.lower()
    return WORDS.index(text) if text in WORDS else int(text) if text.isdigit() else None


def check_sentences(pages, what):
    for page, sentence, *names in SENTENCES:
        words = re.escape(sentence).replace(r"\#", r"(\w+)").replace(r"\ ", r"\s+")
        found = re.findall(words, pages[page])
        wanted = tuple(len(what[name]) for name in names)
        if len(found) != 1:
            yield page, f"does not say once: {sentence}"
            continue
        said = found[0] if isinstance(found[0], tuple) else (found[0],)
        if tuple(map(number, said)) != wanted:
            yield page, f"says {', '.join(said)} and not {wanted}: {sentence}"


def check_lists(pages, what):
    """Names are those between the end of the paragraph that has the sentence, and a dot."""
    for page, sentence, name in LISTS:
        behind = re.search(re.escape(sentence).replace(r"\ ", r"\s+") + r".*?\n\n(``.*?)\.\n\n",
                           pages[page], re.S)
        said = set(re.findall(r"``([\w.]+)``", behind[1] if behind else ""))
        for one in sorted(said ^ what[name]):
            yield page, f"{one} is " + ("missing" if one in what[name] else "no such metric")


def fields_of(code):
    """The events of a selector of XiangShan's, each with its group"""
    fields = [code >> 10 * i & 0xff for i in range(4)]
    return {field | code & 0x300 for field in fields if field}


def unmeasured(metrics, codes, known):
    """Metrics by name that are of events whose codes are not known"""
    return {name for name, entry in metrics.items()
            for event in set(NAME.findall(entry["MetricExpr"])) - FUNCTIONS
            if event in codes and not fields_of(codes[event]) <= known}


def check_pages(pages, what):
    """what: sets, by the names that SENTENCES and LISTS have for them"""
    yield from check_sentences(pages, what)
    yield from check_lists(pages, what)
