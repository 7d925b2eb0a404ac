# SPDX-License-Identifier: GPL-2.0-only
"""Tables for terminals and browsers, drawings, and pages of HTML that need nothing but
themselves: what riscv-pdis-latency.py, riscv-pdis-memory.py and riscv-topdown.py share.

All that comes from data goes through escape(). A link is only one if what it leads to is in
the page. Each drawing has a name; what a mouse shows of it the keyboard does, too.
"""

import base64
import hashlib
import html
import re
import sys

from riscv_assets import SCRIPT, STYLE

# What a page ought to have at most, in bytes.
LIMIT = 300 * 1000
# Letters of a text in a table; more of them nobody reads.
LONGEST = 120
COLOURS = 12
# Around a link until all that there is to lead to is known. No text has it: see escape().
MARK = "\0"
CONTROL = re.compile("[\0-\x1f\x7f]+")


def escape(text):
    """a text of a page, also between the quotes of an attribute"""
    return html.escape(CONTROL.sub(" ", str(text)))


def shorten(text, length):
    """what there is room for: begin and end"""
    if len(text) <= length:
        return text
    end = length // 3
    return f"{text[:length - end - 1]}…{text[-end:]}"


def anchor(kind, *parts):
    """what an element is called that one can lead to"""
    name = "\0".join(str(part) for part in parts)
    return kind + hashlib.sha1(name.encode("utf-8", "replace")).hexdigest()[:10]


class Link(str):
    """A text that leads to an element, if that is there."""

    to = ""

    @classmethod
    def make(cls, text, to):
        """that"""
        link = cls(text)
        link.to = to
        return link


def cell_text(cell):
    """a text of a table"""
    text = escape(shorten(cell, LONGEST))
    to = getattr(cell, "to", "")
    return f"{MARK}{to}{MARK}{text}{MARK}" if to else text


class Table:
    """Columns of text; all but the last few are numbers. The name of a row is one of these."""

    def __init__(self, titles, texts=1, name=None):
        self.titles = titles
        self.texts = texts
        self.name = titles.index(name or titles[-texts])
        self.rows, self.ids, self.foot = [], [], None

    def add(self, *cells, at=None):
        """one more row, to which one can lead"""
        self.rows.append([cell if isinstance(cell, str) else str(cell) for cell in cells])
        self.ids.append(at)

    def add_sum(self, *cells):
        """the last row, which stays that"""
        self.foot = [str(cell) for cell in cells]

    def is_text(self, column):
        """is it to be read from the left?"""
        return column >= len(self.titles) - self.texts

    def print(self, title):
        """on the terminal"""
        rows = [self.titles] + self.rows + ([self.foot] if self.foot else [])
        widths = [max(map(len, column)) for column in zip(*rows)]
        print(f"\n{title}\n")
        for row in rows:
            cells = [cell.ljust(width) if self.is_text(i) else cell.rjust(width)
                     for i, (cell, width) in enumerate(zip(row, widths))]
            print("  ".join(cells).rstrip())

    def order(self):
        """columns as they are in a page: the name, other texts, None for drawings, numbers"""
        first = len(self.titles) - self.texts
        texts = [i for i in range(first, len(self.titles)) if i != self.name]
        return [self.name, *texts, None, *range(first)]

    def head_html(self):
        """what columns are called"""
        for i in self.order():
            if i is None:
                yield "<th scope=col data-drawn>drawn</th>"
            else:
                left = " class=t" if self.is_text(i) else ""
                yield f"<th scope=col{left}>{escape(self.titles[i])}</th>"

    def row_html(self, row, bar):
        """one row"""
        for i in self.order():
            if i == self.name:
                yield f"<th scope=row class=t>{cell_text(row[i])}</th>"
            elif i is None:
                yield f"<td>{bar}</td>"
            else:
                left = " class=t" if self.is_text(i) else ""
                yield f"<td{left}>{cell_text(row[i])}</td>"

    def html(self, caption, bars):
        """the same in a page; bars are drawings that go behind the texts"""
        # It can be wider than the page, and then it scrolls.
        name = escape(shorten(caption, 80))
        yield (f"<div class=wide role=region tabindex=0 aria-label='{name}'><table>"
               f"<caption>{cell_text(caption)}</caption>\n<thead><tr>" +
               "".join(self.head_html()) + "</tr></thead>\n<tbody>")
        for row, at, bar in zip(self.rows, self.ids, bars):
            yield f"<tr{f' id={at}' if at else ''}>{''.join(self.row_html(row, bar))}</tr>"
        yield "</tbody>"
        if self.foot:
            yield f"<tfoot><tr>{''.join(self.row_html(self.foot, ''))}</tr></tfoot>"
        yield "</table></div>"


def digest(text):
    """by which a browser knows what belongs to the page"""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def head(title):
    """Of a page. Nothing is fetched, and nothing else than its own program runs."""
    policy = (f"default-src 'none'; style-src '{digest(STYLE)}'; "
              f"script-src '{digest(SCRIPT)}'")
    return ("<!DOCTYPE html>\n<html lang=en><head><meta charset=utf-8>\n"
            f'<meta http-equiv=Content-Security-Policy content="{policy}">\n'
            "<meta name=viewport content='width=device-width'>\n"
            f"<title>{escape(title)}</title>\n<style>{STYLE}</style></head>\n<body>\n")


def resolve_links(text):
    """Links that lead nowhere are no links."""
    there = set(re.findall(r"<(?:tr|h2|h3) id=([a-z0-9]+)>", text))

    def one(found):
        to, shown = found.groups()
        return f"<a href=#{to}>{shown}</a>" if to in there else shown

    return re.sub(f"{MARK}([^{MARK}]*){MARK}([^{MARK}]*){MARK}", one, text)


def contents(parts, see):
    """where to go in the page, and which other pages there are"""
    links = [f"<a href=#{at}>{title}</a>"
             for at, title in re.findall(r"<h2 id=([a-z0-9]+)>(.*?)</h2>", parts)]
    links += [f"<a href='{escape(page)}'>{escape(page)}</a>" for page in see]
    return f"<nav aria-label='in this page'>{' '.join(links)}</nav>"


def heading(title):
    """of a part, to which the contents lead"""
    return f"<h2 id={anchor('h', title)}>{escape(title)}</h2>"


def whole_page(title, lead, parts, see=()):
    """The text of a page."""
    body = "\n".join(parts)
    return resolve_links(
        head(title) + f"<header><h1>{escape(title)}</h1>\n" + contents(body, see) +
        "\n<div id=search><span id=status role=status></span></div></header>\n<main>\n" +
        "".join(f"<p>{escape(line)}</p>\n" for line in lead) + body +
        f"\n</main>\n<script>{SCRIPT}</script>\n</body></html>\n")


def write_page(path, title, lead, parts, see=()):
    """A page on its own."""
    text = whole_page(title, lead, parts, see).encode("utf-8", "replace")
    try:
        with open(path, "wb") as out:
            out.write(text)
    except OSError as error:
        sys.exit(f"{path}: {error.strerror}")
    if len(text) > LIMIT:
        print(f"{path} has {len(text) // 1000} KB: --rows makes it smaller", file=sys.stderr)


def colour(number):
    """of a part: the first ones come again if there are too many"""
    return f"c{number % COLOURS}"


def legend(names, mark=None):
    """which colour is what; what a colour looks like is for those who see it"""
    keys = [(colour(i), 12, name) for i, name in enumerate(names)]
    if mark:
        keys.append(("mark", 3, mark))
    return "<div>" + "".join(
        f"<span class=key><svg viewBox='0 0 12 12' aria-hidden=true>"
        f"<rect class={shade} width={width} height=12 /></svg>{escape(name)}</span>"
        for shade, width, name in keys) + "</div>"


def spoken(values, names, unit="%"):
    """what a drawing shows, in words"""
    told = [f"{name} {value:.2f}{unit}" for value, name in zip(values, names) if value >= .005]
    return ", ".join(told) or "nothing"


def pieces(values, names, scale, box):
    """one bar of several colours; box is its left, top and height"""
    left, top, height = box
    for i, (value, name) in enumerate(zip(values, names)):
        if value:
            yield (f"<rect class={colour(i)} x={left:.1f} y={top} width={value * scale:.2f} "
                   f"height={height}><title>{escape(name)}: {value:.2f}</title></rect>")
            left += value * scale


def small_bar(values, names, whole):
    """a bar in a table, as long as its part of a whole"""
    left, drawn = 0.0, []
    scale = 140 / whole if whole else 0
    for i, value in enumerate(values):
        if value * scale >= .05:
            drawn.append(f"<path class={colour(i)} d='M{left:.1f} 1h{value * scale:.1f}v10"
                         f"H{left:.1f}z' />")
        left += value * scale
    return (f"<svg viewBox='0 0 140 12' role=img aria-label='{escape(spoken(values, names))}'>"
            f"{''.join(drawn)}</svg>")


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


def drawing(width, height, name):
    """where a figure begins; what is in it is read one by one"""
    return f"<svg viewBox='0 0 {width} {height}' role=group aria-label='{escape(name)}'>"


def row_of_drawing(name, to, inside, tip):
    """A part that says what it is where a mouse or the keyboard is; tip is x, y and text."""
    x, y, text = tip
    shown = f"{inside}<text class=tip x={x} y={y}>{escape(text)}</text>"
    if to:
        return f"<a class=row href=#{to} aria-label='{escape(name)}'>{shown}</a>"
    return f"<g class=row tabindex=0 role=img aria-label='{escape(name)}'>{shown}</g>"


def bar_row(row, names, scale, box, mark):
    """a bar with its label; box is as for pieces()"""
    label, values, at, to = row
    left, top, height = box
    shown = shorten(label, 40)
    inside = [f"<text x={left - 8} y={top + 13} text-anchor=end>{escape(shown)}</text>",
              *pieces(values, names, scale, box)]
    words = spoken(values, names)
    if mark and at is not None:
        inside.append(f"<rect class=mark x={left + at * scale - 1.5:.1f} y={top - 2} width=3 "
                      f"height={height + 4}><title>{escape(mark)}: {at:.2f}</title></rect>")
        words += f"; {at:.2f}{mark}" if mark.startswith("%") else f"; {mark} {at:.2f}%"
    # What is said begins with what is seen, or who speaks to a browser cannot name it.
    if shown != label:
        words += f" ({label})"
    return row_of_drawing(f"{shown}: {words}", to, "".join(inside), (left + 6, top + 13, words))


def bar_chart(name, rows, names, axis, mark=None):
    """Bars that lie one below the other: a label, a value for each name, one to mark, and
    to where it leads."""
    left, width, pitch = 290, 590, 24
    most = max(max(sum(values), at or 0) for _, values, at, _ in rows) or 1
    scale = width / most
    height = pitch * len(rows)
    yield f"<figure>{legend(names, mark)}{drawing(900, height + 46, name)}"
    for at in ticks(most):
        x = left + at * scale
        yield (f"<line class=grid x1={x:.1f} x2={x:.1f} y1=4 y2={height + 4} />"
               f"<text class=axis x={x:.1f} y={height + 20} text-anchor=middle>{at:g}</text>")
    for i, row in enumerate(rows):
        yield bar_row(row, names, scale, (left, pitch * i + 8, pitch - 7), mark)
    yield (f"<text class=axis x={left + width / 2} y={height + 40} text-anchor=middle>"
           f"{escape(axis)}</text></svg></figure>")


def column(label, values, names, scale, box):
    """one of a histogram; box is its left, base and width"""
    x, base, width = box
    y, drawn = float(base), []
    for j, value in enumerate(values):
        if value:
            y -= value * scale
            drawn.append(f"<rect class={colour(j)} x={x + 4:.1f} y={y:.1f} width={width - 8:.1f} "
                         f"height={value * scale:.2f}><title>{label} {escape(names[j])}: {value}"
                         "</title></rect>")
    drawn.append(f"<text class=axis x={x + width / 2:.1f} y={base + 17} text-anchor=middle>"
                 f"{label}</text>")
    words = ", ".join(f"{name} {value}" for name, value in zip(names, values) if value)
    return row_of_drawing(f"{label}: {words}", "", "".join(drawn), (80, 16, f"{label}: {words}"))


def histogram(name, groups, names, across, up):
    """Columns side by side: pairs of a label and a number for each name."""
    left, base, tall = 70, 230, 210
    most = max(sum(values) for _, values in groups) or 1
    pitch = 820 / len(groups)
    yield f"<figure>{legend(names)}{drawing(900, 280, name)}"
    for at in ticks(most):
        y = base - at * tall / most
        yield (f"<line class=grid x1={left} x2=890 y1={y:.1f} y2={y:.1f} />"
               f"<text class=axis x={left - 8} y={y + 4:.1f} text-anchor=end>{at:g}</text>")
    for i, (label, values) in enumerate(groups):
        yield column(label, values, names, tall / most, (left + pitch * i, base, pitch))
    yield (f"<text class=axis x=480 y=270 text-anchor=middle>{escape(across)}</text>"
           f"<text class=axis transform='translate(14,{base - tall / 2}) rotate(-90)' "
           f"text-anchor=middle>{escape(up)}</text></svg></figure>")
