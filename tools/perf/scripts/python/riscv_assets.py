# SPDX-License-Identifier: GPL-2.0-only
"""What pages of riscv_page.py look like, and their only program: sorting and searching.

They are here, and not in files of their own, since perf installs scripts of Python alone.
"""

# Colours that people who see few of them can tell apart, on light and on dark; there are as
# many as a cache level can have names. Not all go with text: what it is over is made pale.
STYLE = """
:root { color-scheme: light dark; --fg: #1b1f24; --bg: #fff; --soft: #57606a;
 --line: #d1d9e0; --link: #0550ae; --c0: #56b4e9; --c1: #e69f00; --c2: #0072b2; --c3: #009e73;
 --c4: #9aa4ae; --c5: #d55e00; --c6: #cc79a7; --c7: #117733; --c8: #882255; --c9: #c7b42c;
 --c10: #6a3d9a; --c11: #44aa99; --heat: #c2410c }
@media (prefers-color-scheme: dark) { :root { --fg: #e6edf3; --bg: #0d1117;
 --soft: #9aa2ab; --line: #3b434c; --link: #79b8ff; --c2: #2f81d8; --c4: #6e7681;
 --c7: #3fb950; --c8: #c2608f; --c10: #a371f7; --heat: #fb923c } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--fg); background: var(--bg);
 max-width: 76rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.6rem; margin-bottom: 0 } h2 { font-size: 1.15rem; margin-top: 2.2rem }
h3 { font: 600 14px ui-monospace, monospace; margin-top: 1.6rem; overflow-wrap: anywhere }
a { color: var(--link) } :focus-visible { outline: 3px solid var(--link); outline-offset: 2px }
:target, :target > * { background: #e6b80033 }
p { color: var(--soft); max-width: 46rem; overflow-wrap: anywhere }
figure { margin: 1rem 0 } nav a { margin-right: 1rem }
.wide { overflow-x: auto } table { border-collapse: collapse; font-size: 13px;
 width: max-content }
caption { text-align: left; color: var(--soft); padding: .2rem .55rem }
thead th { color: var(--soft); font-weight: 600; vertical-align: bottom }
th, td { padding: .15rem .55rem; white-space: nowrap; text-align: right; vertical-align: top;
 font-variant-numeric: tabular-nums }
td, tbody th, tfoot th { border-top: 1px solid var(--line) } tr:hover > * { background: #8882 }
.t { text-align: left; min-width: 7rem; max-width: 24rem; white-space: normal;
 overflow-wrap: anywhere }
th[scope=row] { position: sticky; left: 0; background: var(--bg); background-clip: padding-box }
td.t, th.t[scope=row] { font: 13px ui-monospace, monospace }
button { font: inherit; color: inherit; background: none; border: 0; padding: 0; cursor: pointer;
 text-align: inherit; text-decoration: underline dotted }
[aria-sort=ascending] button::after { content: " \\2191" }
[aria-sort=descending] button::after { content: " \\2193" }
input { font: inherit; padding: .2rem .4rem; width: 22rem; max-width: 60vw }
svg { width: 100%; height: auto; font: 12px system-ui, sans-serif } td svg { width: 140px }
text { fill: var(--fg) } .axis { fill: var(--soft) } .grid { stroke: var(--line) }
.mark { fill: var(--fg) } .heat { fill: var(--heat) } .none { stroke: var(--line);
 stroke-opacity: .35; stroke-width: 12; stroke-dasharray: 8.2 1 }
.key { display: inline-block; margin-right: 1.1rem; color: var(--fg) }
.key svg { width: 12px; height: 12px; margin-right: .35rem }
.tip { visibility: hidden; paint-order: stroke; stroke: var(--bg); stroke-width: 7px;
 stroke-linejoin: round; pointer-events: none }
.row:hover .tip, .row:focus .tip { visibility: visible }
.row:hover :not(text), .row:focus :not(text) { opacity: .3 }
.row:focus { outline: 2px solid var(--link) }
@media print { body { max-width: none; margin: 0 } .wide { overflow: visible }
 table { font-size: 8px; width: auto } td svg { width: 70px } nav, #search { display: none }
 tr, figure { break-inside: avoid } a { color: inherit; text-decoration: none } }
""" + "".join(f".c{i} {{ fill: var(--c{i}) }}\n" for i in range(12))

# Without it pages are the same, but for a field to search in them and for columns by which to
# sort. What is not a number comes last.
SCRIPT = """
"use strict";
const status = document.getElementById("status");
function number(text) {
  const hex = text.match(/^(?:(\\d+):)?(0x[0-9a-f]+)$/);
  if (hex) return BigInt(hex[2]) + (BigInt(hex[1] || 0) << 64n);
  return /^-?[\\d.]+%?$/.test(text) ? parseFloat(text) : NaN;
}
const missing = value => Number.isNaN(value);
function sortBy(table, th) {
  const at = [...th.parentNode.cells].indexOf(th), body = table.tBodies[0];
  // Who asks for numbers wants large ones, of texts the first.
  const was = th.getAttribute("aria-sort");
  const up = was ? was === "descending" : th.classList.contains("t");
  const text = row => row.cells[at].textContent.trim();
  const sign = up ? 1 : -1;
  const rows = [...body.rows].map(row => [row, text(row), number(text(row))]);
  rows.sort((a, b) => missing(a[2]) && missing(b[2]) ? sign * a[1].localeCompare(b[1]) :
    missing(a[2]) ? 1 : missing(b[2]) ? -1 : sign * ((a[2] > b[2]) - (a[2] < b[2])));
  body.append(...rows.map(row => row[0]));
  for (const other of th.parentNode.cells) other.removeAttribute("aria-sort");
  th.setAttribute("aria-sort", up ? "ascending" : "descending");
  status.textContent = "Sorted by " + th.textContent + ", " + th.getAttribute("aria-sort");
}
for (const table of document.querySelectorAll("table"))
  for (const th of table.tHead.rows[0].cells) {
    if (th.hasAttribute("data-drawn")) continue;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...th.childNodes);
    button.addEventListener("click", () => sortBy(table, th));
    th.append(button);
  }
function search(words) {
  let shown = 0;
  for (const row of document.querySelectorAll("tbody tr")) {
    const text = row.textContent.toLowerCase();
    row.hidden = !words.every(word => text.includes(word));
    shown += !row.hidden;
  }
  status.textContent = words.length ? shown + " rows have that" : "";
}
const field = document.createElement("input"), label = document.createElement("label");
field.type = "search";
field.addEventListener("input",
  () => search(field.value.toLowerCase().split(/\\s+/).filter(Boolean)));
label.append("Search in all tables: ", field);
document.getElementById("search").prepend(label);
// What is linked to must not be hidden by what was searched for.
function uncover(hash) {
  const target = document.getElementById(hash.slice(1));
  if (target && target.hidden) { field.value = ""; search([]); target.scrollIntoView(); }
}
addEventListener("hashchange", () => uncover(location.hash));
// Where one has been before there is no such event.
for (const link of document.querySelectorAll('a[href^="#"]'))
  link.addEventListener("click", () => uncover(link.getAttribute("href")));
"""
