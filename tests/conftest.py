"""The marks that tests may carry; any other one is refused (--strict-markers).

What is marked long runs only where it is asked for: `pytest -m long`, or `make test-long`.
"""

import collections
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slow: takes more than ten seconds; skip with -m 'not slow'")
    config.addinivalue_line("markers", "workflow: starts Snakemake; skip with -m 'not workflow'")
    config.addinivalue_line("markers", "long: takes minutes; runs with -m long only")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if "long" in config.option.markexpr:
        return
    long = [item for item in items if item.get_closest_marker("long")]
    if long:
        config.hook.pytest_deselected(items=long)
        items[:] = [item for item in items if item not in long]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """How many cases of bad input were tried and lost, over all processes."""
    counts: collections.Counter[str] = collections.Counter()
    for report in terminalreporter.getreports("passed") + terminalreporter.getreports("failed"):
        counts.update({k: n for k, n in report.user_properties if k.startswith("fuzz ")})
    tried, lost = counts["fuzz tried"], counts["fuzz lost"]
    if tried:
        terminalreporter.write_line(
            f"Bad input: {tried:,} cases tried, {tried - lost:,} survived "
            f"({counts['fuzz done']:,} done, the others refused in one sentence), {lost:,} lost."
        )


@pytest.fixture(scope="module")
def browser() -> "Iterator[Browser]":
    """A real browser, for the tests of pages."""
    from helpers import browsing

    with browsing.started() as found:
        yield found
