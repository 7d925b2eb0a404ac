#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Whether a page that a script of perf has written is as it should be: whole, on its own, and
for those who see or hear it, with a mouse or a keyboard.

  pages.py PAGE...
"""

import base64
import collections
import hashlib
import html.parser
import os
import re
import sys

LIMIT = 300 * 1000
VOID = {"meta", "br", "hr", "img", "input", "link"}
# What would fetch, or run, something
FORBIDDEN = {"link", "iframe", "img", "object", "embed", "base", "form", "input", "i", "b",
             "image", "use", "foreignobject", "animate", "set"}
# What has to be in which
PARENTS = {"caption": {"table"}, "tr": {"thead", "tbody", "tfoot"}, "td": {"tr"}, "th": {"tr"},
           "thead": {"table"}, "tbody": {"table"}, "tfoot": {"table"}}
SHAPES = {"rect", "path", "line"}


class Element:
    """What is open."""

    def __init__(self, tag, attrs):
        self.tag, self.attrs, self.text, self.has = tag, attrs, "", collections.Counter()


class Checker(html.parser.HTMLParser):
    """Looks at a page tag by tag."""

    def __init__(self, text):
        super().__init__()
        self.wrong, self.open, self.links = [], [], []
        self.ids, self.tags = collections.Counter(), collections.Counter()
        self.headings, self.scripts, self.styles, self.policy = [], [], [], ""
        self.classes = set()
        self.feed(text)
        self.close()
        if self.open:
            self.wrong.append(f"not closed: {[element.tag for element in self.open]}")

    def say(self, what):
        """something is wrong"""
        where = "/".join(element.tag for element in self.open)
        self.wrong.append(f"line {self.getpos()[0]}, {where}: {what}")

    def inside(self, tag):
        """the innermost of these that is open"""
        return next((element for element in reversed(self.open) if element.tag == tag), None)

    def handle_starttag(self, tag, attrs):
        self.begin(tag, attrs)
        if tag not in VOID:
            self.open.append(Element(tag, dict(attrs)))

    def handle_startendtag(self, tag, attrs):
        if tag not in VOID and not self.inside("svg"):
            self.say(f"<{tag} /> is not closed in HTML")
        self.begin(tag, attrs)

    def begin(self, tag, attrs):
        """of any element"""
        self.tags[tag] += 1
        if len(dict(attrs)) != len(attrs):
            self.say(f"<{tag}> has an attribute twice")
        attrs = dict(attrs)
        parent = self.open[-1] if self.open else None
        if tag in PARENTS and (not parent or parent.tag not in PARENTS[tag]):
            self.say(f"<{tag}> is in the wrong place")
        if parent:
            parent.has["tip" if attrs.get("class") == "tip" else tag] += 1
        if "id" in attrs:
            self.ids[attrs["id"]] += 1
        self.attributes(tag, attrs)
        for name in (f"begin_{tag}", "begin_shape" if tag in SHAPES else ""):
            getattr(self, name, lambda attrs: None)(attrs)
        if "tabindex" in attrs and not attrs.get("aria-label"):
            self.say(f"<{tag}> can be gone to, but has no name")

    def attributes(self, tag, attrs):
        """none of these may do anything"""
        if tag in FORBIDDEN:
            self.say(f"there is <{tag}>")
        for name, value in attrs.items():
            if name in ("src", "xlink:href", "data", "action", "style", "srcset") or \
                    name.startswith("on"):
                self.say(f"<{tag} {name}={value}>")
            if name not in KNOWN:
                self.say(f"unknown attribute {name} of <{tag}>")

    def begin_a(self, attrs):
        """a link"""
        self.links.append(attrs.get("href") or "")
        if self.inside("svg") and not attrs.get("aria-label"):
            self.say("a link that is drawn has no name")
        if self.inside("a"):
            self.say("a link in a link")

    def begin_meta(self, attrs):
        """what may run"""
        if attrs.get("http-equiv") == "Content-Security-Policy":
            self.policy = attrs["content"]

    def begin_svg(self, attrs):
        """a drawing, or what is beside a text that says the same"""
        if attrs.get("aria-hidden") == "true":
            if not self.open or self.open[-1].attrs.get("class") != "key":
                self.say("a drawing is hidden")
            return
        if attrs.get("role") not in ("img", "group"):
            self.say("a drawing has no role")
        if not attrs.get("aria-label", "").strip():
            self.say("a drawing has no name")

    def begin_shape(self, attrs):
        """what is not coloured is black"""
        self.classes.add(attrs.get("class"))

    def begin_title(self, _attrs):
        """what a mouse shows, the keyboard has to"""
        if self.inside("svg"):
            rows = [element for element in self.open if element.attrs.get("class") == "row"]
            if not rows or not (rows[-1].tag == "a" or "tabindex" in rows[-1].attrs):
                self.say("a tooltip for a mouse only")

    def begin_th(self, attrs):
        """a head"""
        if attrs.get("scope") not in ("col", "row"):
            self.say("a head without scope")

    def handle_endtag(self, tag):
        if not self.open or self.open[-1].tag != tag:
            self.say(f"</{tag}>")
            return
        element = self.open.pop()
        getattr(self, f"end_{tag}", lambda element: None)(element)
        if element.attrs.get("class") == "row":
            self.end_row(element)
        if self.open and tag not in ("script", "style"):
            self.open[-1].text += element.text

    def end_row(self, element):
        """a part of a drawing"""
        if not element.has["tip"] or not element.attrs.get("aria-label", "").strip():
            self.say("a part of a drawing says nothing")

    def end_table(self, element):
        """what there has to be"""
        if element.has["caption"] != 1 or element.has["thead"] != 1 or element.has["tbody"] != 1:
            self.say(f"a table has {dict(element.has)}")

    def end_span(self, element):
        """a colour has a name"""
        if element.attrs.get("class") == "key" and not element.text.strip():
            self.say("a colour without a name")

    def end_caption(self, element):
        """what a table is"""
        if not element.text.strip():
            self.say("an empty caption")

    def end_tr(self, element):
        """each row has as many cells as the first one"""
        table = self.inside("table")
        number = element.has["td"] + element.has["th"]
        if not element.has["th"] or table.attrs.setdefault("cells", number) != number:
            self.say(f"a row has {dict(element.has)}")

    def end_h1(self, element):
        """headings have texts and an order"""
        if not element.text.strip():
            self.say("an empty heading")
        self.headings.append(int(element.tag[1]))

    end_h2 = end_h3 = end_h1

    def end_a(self, element):
        """where it leads to is said"""
        if not element.text.strip():
            self.say("an empty link")

    def end_script(self, element):
        """the page's own"""
        self.scripts.append(element.text)

    def end_style(self, element):
        """the same"""
        self.styles.append(element.text)

    def handle_data(self, data):
        if self.open:
            self.open[-1].text += data


KNOWN = set("""aria-hidden aria-label charset class content d data-drawn fill-opacity height href
    http-equiv id lang name role scope tabindex text-anchor transform viewbox width x x1 x2 y
    y1 y2 cells""".split())


def digest(text):
    """as a policy has it"""
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def of_whole(page):
    """what can be said at the end"""
    for name, number in page.ids.items():
        if number > 1:
            yield f"{number} elements are called {name}"
    for link in page.links:
        if link.startswith("#") and not page.ids[link[1:]]:
            yield f"{link} leads nowhere"
        elif not link.startswith("#") and not re.fullmatch(r"[\w.-]+\.html", link):
            yield f"{link} leads elsewhere"
    if page.headings[:1] != [1] or page.headings.count(1) != 1 or \
            any(b > a + 1 for a, b in zip(page.headings, page.headings[1:])):
        yield f"headings: {page.headings}"
    for tag in "html", "head", "body", "main", "header", "nav", "style", "script":
        if page.tags[tag] != 1:
            yield f"{page.tags[tag]} of <{tag}>"
    for text, kind in zip(page.scripts + page.styles, ["script-src", "style-src"]):
        if f"{kind} {digest(text)}" not in page.policy:
            yield f"{kind}: what is there is not what may be"
    if not page.policy.startswith("default-src 'none'"):
        yield "the policy lets it fetch"
    style = "".join(page.styles)
    for name in sorted(map(str, page.classes)):
        if f".{name} {{" not in style:
            yield f"nothing says what colour {name} has"


def check(text, limit=LIMIT):
    """what is wrong with a page"""
    page = Checker(text)
    wrong = page.wrong + list(of_whole(page))
    size = len(text.encode())
    if limit and size > limit:
        wrong.append(f"{size} bytes, more than {limit}")
    wrong += [found for found in re.findall(r"https?:.*|url\(.*|@import.*", text)]
    return wrong


def main():
    """all pages"""
    failed = 0
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            wrong = check(file.read())
        # What another page is called is only known here.
        folder = os.path.dirname(path)
        with open(path, encoding="utf-8") as file:
            wrong += [f"there is no {name}" for name in
                      re.findall(r"<a href='([^']*)'>", file.read())
                      if not os.path.exists(os.path.join(folder, name))]
        failed += bool(wrong)
        for line in wrong[:10]:
            print(f"{path}: {line}")
    sys.exit(failed > 0 or len(sys.argv) < 2)


if __name__ == "__main__":
    main()
