"""Put generated tables into a Markdown text, so that no number in it is typed by hand.

A block between `<!-- begin FILE -->` and `<!-- end -->` is replaced by what stands in FILE.
"""

import re
import sys
from collections.abc import Callable
from pathlib import Path

from rankone.engine import intact

BLOCK = re.compile(r"(<!-- begin (?P<file>\S+) -->\n).*?(<!-- end -->)", re.DOTALL)


def fill(text: str, read: Callable[[str], str]) -> str:
    """The text with every block filled anew; `read` gives the content of a file."""
    return BLOCK.sub(lambda m: f"{m[1]}{read(m['file']).strip()}\n{m[3]}", text)


def files(text: str) -> list[str]:
    """The files that the blocks of a text name."""
    return [match["file"] for match in BLOCK.finditer(text)]


def main(paths: list[str]) -> None:
    for path in map(Path, paths):
        text = path.read_text(encoding="utf-8")
        path.write_text(fill(text, lambda file: intact.read(file).decode()), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
