"""Markdown as HTML: headings, tables in frames, and nothing that a text could smuggle in."""

from rankone.report import texts

TEXT = """# Title

Why < that.

## Part

| a | b |
|---|---:|
| x | 1 |

<script>alert(1)</script>

- **First.** One.
- Second.
"""


def test_a_fragment_has_no_title_and_lower_headings():
    found = texts.fragment(TEXT, "text")
    assert "Title" not in found
    assert "<h3>Part</h3>" in found
    assert "Why &lt; that." in found


def test_tables_are_framed_and_named_apart():
    found = texts.fragment(TEXT + "\n| c |\n|---|\n| y |\n", "text")
    assert found.count("<table>") == found.count('class="scroll"') == 2
    assert 'aria-label="Table 2 of text"' in found
    assert found.count("<div") == found.count("</div>")


def test_html_in_a_text_stays_text():
    assert "<script>" not in texts.fragment(TEXT, "text")
    assert "&lt;script&gt;" in texts.page(TEXT, "Discrepancies")


def test_a_page_of_its_own():
    found = texts.page(TEXT, "a < b")
    assert found.startswith("<!doctype html>")
    assert "<h1>a &lt; b</h1>" in found
    assert "<h2>Part</h2>" in found


def test_the_first_item():
    assert texts.first_item(texts.fragment(TEXT, "text")) == "<strong>First.</strong> One."
    assert texts.first_item("") == ""
