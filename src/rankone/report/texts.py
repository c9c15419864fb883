"""Markdown texts as HTML: inside the report, and as pages of their own."""

import html
import itertools
import re

from markdown_it import MarkdownIt

from rankone.show import formats


def fragment(text: str, name: str) -> str:
    """The text without its first heading, the others one level lower, each table in a frame.

    `name` tells the tables of different texts apart.
    """
    count = itertools.count(1)

    def framed(_: re.Match[str]) -> str:
        label = f'role="region" aria-label="Table {next(count)} of {html.escape(name)}"'
        return f'<div class="table"><div class="scroll" tabindex="0" {label}><table>'

    found = re.sub("<table>", framed, _body(text, lower=1))
    return found.replace("</table>", "</table></div></div>")


def page(text: str, title: str) -> str:
    """A page of its own with nothing to load; long lines and wide cells are broken."""
    inside = f"<h1>{html.escape(title)}</h1>\n{_body(text)}"
    return formats.document(title, f'<div class="text">\n{inside}</div>')


def first_item(found: str) -> str:
    """The first item of the lists in an HTML text."""
    return found.partition("<li>")[2].partition("</li>")[0]


def _body(text: str, lower: int = 0) -> str:
    """The text as HTML without headings of level 1; HTML in it stays text."""
    reader = MarkdownIt("commonmark", {"html": False}).enable("table")
    kept, skipping = [], False
    for token in reader.parse(text):
        if token.type == "heading_open":
            skipping = token.tag == "h1"
        if token.type in ("heading_open", "heading_close") and not skipping:
            token.tag = f"h{int(token.tag[1]) + lower}"
        if not skipping:
            kept.append(token)
        if token.type == "heading_close":
            skipping = False
    return str(reader.renderer.render(kept, reader.options, {}))
