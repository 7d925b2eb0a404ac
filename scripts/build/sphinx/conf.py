# SPDX-License-Identifier: GPL-2.0-only
"""What Sphinx needs to build Documentation/ outside of a kernel tree, which has a conf.py
of its own."""

project = "riscv-perf"
author = "riscv-perf developers"
project_copyright = author
root_doc = "admin-guide/perf/riscv-index"
include_patterns = ["admin-guide/perf/*.rst"]
html_theme = "alabaster"
html_theme_options = {"page_width": "70em", "fixed_sidebar": True}
html_copy_source = False
html_show_copyright = False
html_show_sphinx = False
smartquotes = False
man_show_urls = False

PAGES = {
    "riscv-index": "perf for RISC-V: all pages",
    "riscv-perf-quickstart": "profile your program in five minutes",
    "riscv-perf-from-x86": "perf for RISC-V for those who know LBR, PEBS and IBS",
    "riscv-perf-from-arm": "perf for RISC-V for those who know BRBE and SPE",
    "riscv-pmu": "performance counters",
    "riscv-pdis": "sampled instructions",
    "riscv-events": "events and metrics by name",
    "riscv-events-qemu": "standard events of the emulated core",
    "riscv-pgo": "optimizing programs with recorded branches",
    "riscv-perf-troubleshooting": "messages and errors, their causes and remedies",
    "riscv-perf-silicon": "what to implement",
    "riscv-perf-hardware": "what perf needs from a core and from firmware",
    "riscv-perf-kernel": "how the drivers are structured",
    "riscv-perf-glossary": "glossary",
}
man_pages = [(f"admin-guide/perf/{page}", page.replace("index", "perf"), what, [author], 7)
             for page, what in PAGES.items()]
