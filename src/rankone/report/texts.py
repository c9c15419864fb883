"""Markdown texts as HTML: inside the report, and as pages of their own."""

import html
import itertools
import re

from markdown_it import MarkdownIt

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{title}</title>
<style>
body {{ font: 15px/1.5 system-ui, sans-serif; color: #111; margin: 1.5rem; max-width: 60rem; }}
table {{ border-collapse: collapse; border-top: 2px solid #111; border-bottom: 2px solid #111; }}
th, td {{ padding: .25rem .8rem; text-align: left; vertical-align: top; }}
th {{ border-bottom: 1px solid #111; vertical-align: bottom; }}
</style>
</head>
<body>
<h1>{title}</h1>
{body}
</body>
</html>
"""


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
    return _PAGE.format(title=html.escape(title), body=_body(text))


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
