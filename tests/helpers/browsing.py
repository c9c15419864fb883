"""A real browser for tests: the Chromium of the system, driven by Playwright, without a network."""

import contextlib
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")


@contextlib.contextmanager
def started() -> Iterator[Browser]:
    """The browser; where there is none the test is skipped, or fails if one is required."""
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        reason = f"no browser: none of {', '.join(NAMES)} is installed"
        (pytest.fail if os.getenv("RANKONE_BROWSER") == "required" else pytest.skip)(reason)
    # Chromium's own sandbox cannot be set up by root, as whom CI often runs.
    options = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=options)
        yield browser
        browser.close()


@contextlib.contextmanager
def watched(
    browser: Browser, file: Path, width: int = 1400, scheme: str = "light"
) -> Iterator[Page]:
    """A page from disk. Whatever it asks of a network, or complains of, is a failure."""
    size = {"width": width, "height": 900}
    context = browser.new_context(viewport=size, color_scheme=scheme)
    wrong: list[str] = []

    def refuse(route: Route) -> None:
        wrong.append(f"asked for {route.request.url}")
        route.abort()

    context.route(re.compile(r"^(?!file:|data:|blob:)"), refuse)
    page = context.new_page()
    page.on("console", lambda told: wrong.append(told.text) if told.type == "error" else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto(file.as_uri())
    yield page
    context.close()
    assert wrong == []
