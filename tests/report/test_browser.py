"""The report in a real browser: Chromium of the system, driven by Playwright, without a network.

Skipped where there is no Chromium; RANKONE_BROWSER=required makes that a failure.
RANKONE_REPORT=report.html looks at that page instead of one of made-up results.
"""

import contextlib
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from helpers import made_up_results
from helpers.browsing import watched
from playwright.sync_api import Browser, Locator, Page

from rankone.pipeline.campaigns import Campaigns
from rankone.report import page as report

LOOKS = [(width, scheme) for width in (1400, 390) for scheme in ("light", "dark")]
PAGE_HEIGHT = 1123  # pixels of A4

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if given := os.getenv("RANKONE_REPORT"):
        return Path(given).resolve()
    folder = tmp_path_factory.mktemp("report")
    made_up_results.write(folder, *made_up_results.CAMPAIGNS)
    with contextlib.chdir(folder):
        campaigns = Campaigns(made_up_results.CONFIG)
        text = report.build(campaigns, "paper", made_up_results.CAPTIONS, made_up_results.CONFIG)
    out = folder / "report.html"
    out.write_text(text, encoding="utf-8")
    return out


@contextlib.contextmanager
def opened(
    browser: Browser, file: Path, width: int = 1400, scheme: str = "light"
) -> Iterator[Page]:
    """The page when all is drawn."""
    with watched(browser, file, width, scheme) as page:
        page.wait_for_selector("html[data-drawn=all]", state="attached", timeout=120_000)
        yield page


@pytest.fixture(scope="module")
def page(browser: Browser, file: Path) -> Iterator[Page]:
    """One wide, light page for the tests that change little."""
    with opened(browser, file) as found:
        yield found


def read_out(page: Page, plot: Locator) -> str:
    """What is read out at the last mark or box of a plot, or in the middle where it has none."""
    marks = plot.locator(".scatterlayer .point, .boxlayer .box")
    place = marks.last if marks.count() else plot
    place.evaluate("mark => mark.scrollIntoView({block: 'center', behavior: 'instant'})")
    box = place.bounding_box()
    assert box is not None
    page.mouse.move(0, 0)
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    plot.locator(".hovertext").first.wait_for(timeout=10_000)
    return plot.locator(".hovertext").first.text_content() or ""


def labels(ticks: Locator) -> list[str]:
    """Tick labels without the empty letters around raised ones."""
    return [text.replace("\u200b", "") for text in ticks.all_text_contents()]


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_it_opens_from_disk_fits_the_window_and_is_accessible(browser, file, width, scheme):
    with opened(browser, file, width, scheme) as page:
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.locator("html").get_attribute("data-theme") == scheme
        background = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (sum(map(int, re.findall(r"\d+", background)[:3])) > 380) is (scheme == "light")
        plots = page.locator(".plot")
        assert plots.count() > 10
        for plot in plots.all():
            box = plot.locator(".main-svg").first.bounding_box()
            assert box is not None
            assert box["width"] > 100
            assert box["height"] > 100
            assert box["x"] + box["width"] <= width
        for image in page.locator("img").all():
            assert image.evaluate("image => image.naturalWidth") > 0
        found = Axe().run(page).response["violations"]
        serious = [one["id"] for one in found if one["impact"] in ("serious", "critical")]
        assert serious == []


def test_a_curve_is_read_out(page):
    told = read_out(page, page.locator("#main-figure3 .plot").first)
    for word in (
        r"round [\d,]+",
        r"regret [\d,.]+ ± [\d.]+ s\.e\.",
        r"10th–90th pct\.",
        r"\d+ runs",
    ):
        assert re.search(word, told), told


def test_every_chart_answers_to_the_mouse(page):
    for figure in page.locator(".chart").all():
        plot = figure.locator(".plot").first
        if plot.count():
            assert read_out(page, plot), figure.get_attribute("id")


def test_axes_are_switched_between_linear_and_logarithmic(page):
    figure = page.locator("#main-figure3")
    ticks = figure.locator(".plot").first.locator(".xaxislayer-above .xtick text")
    before = labels(ticks)
    assert "100k" in before
    figure.locator("label", has=page.locator("input[data-axis=x][value=log]")).click()
    after = labels(ticks)
    assert "103" in after  # 10 with a raised 3
    assert "100k" not in after
    figure.locator("label", has=page.locator("input[data-axis=y][value=log]")).click()
    assert "103" in labels(figure.locator(".plot").first.locator(".ytick text"))
    for axis in "xy":
        figure.locator("label", has=page.locator(f"input[data-axis={axis}][value=linear]")).click()
    assert labels(ticks) == before


def test_a_curve_is_switched_off_and_on(page):
    figure = page.locator("#main-figure3")
    curves = figure.locator(".plot").first.locator(".trace.scatter")
    top = figure.locator(".plot").first.locator(".ytick text").last
    key = figure.locator(".keys button", has_text="Rank1ElimKL")
    before, highest = curves.count(), top.text_content()
    key.click()
    assert key.get_attribute("aria-pressed") == "false"
    assert curves.count() == before - 3  # the mean and both edges of the band
    assert top.text_content() != highest  # the others fill the panel
    key.click()
    assert (curves.count(), top.text_content()) == (before, highest)


def test_a_table_is_sorted_by_number_and_filtered(page):
    box = page.locator("#table-paper-final_regret_drawn")
    place = box.locator("th").all_text_contents().index("Mean ± s.e.")
    rows = box.locator("tbody tr:not([hidden])")

    def column() -> list[float]:
        texts = [row.locator("td").nth(place).text_content() or "" for row in rows.all()]
        return [float(text.split(" ")[0].replace(",", "")) for text in texts]

    before = column()
    button = box.locator("th button").nth(place)
    button.click()
    assert column() == sorted(before)
    assert box.locator("th").nth(place).get_attribute("aria-sort") == "ascending"
    button.click()
    assert column() == sorted(before, reverse=True)
    box.locator("input").fill("osub, k = 8")
    assert rows.count() == 1
    assert f"1 of {len(before)} rows" in (box.locator(".count").text_content() or "")
    box.locator("input").fill("")
    assert rows.count() == len(before)


def test_a_mark_of_a_strip_is_read_out(page):
    mark = page.locator(".card .mark i").first
    mark.scroll_into_view_if_needed()
    mark.hover()
    told = page.locator("#told")
    assert told.is_visible()
    assert re.search(r": .*, required ", told.text_content() or "")


def test_the_data_behind_a_figure_is_downloaded(page, tmp_path):
    with page.expect_download() as started:
        page.locator("#main-figure3 [data-file]").first.click()
    started.value.save_as(tmp_path / "data.csv")
    assert started.value.suggested_filename == "paper-bands-regret.csv"
    assert (tmp_path / "data.csv").read_text().startswith("instance,policy,t,runs,mean,se,p10")


def test_the_button_changes_between_light_and_dark(browser, file):
    with opened(browser, file) as page:
        colour = "() => document.querySelector('#main-figure3 .js-line').style.stroke"
        light = page.evaluate(colour)
        page.locator(".theme").click()
        assert page.locator("html").get_attribute("data-theme") == "dark"
        assert page.evaluate(colour) != light
        page.reload()
        assert page.locator("html").get_attribute("data-theme") == "dark"


def test_the_contents_lead_to_every_section(page):
    for link in page.locator(".contents a").all():
        assert page.locator(link.get_attribute("href") or "").count() == 1
    page.locator(".contents a", has_text="Discrepancies").click()
    page.wait_for_selector(".contents a[href='#discrepancies'][aria-current]")


def test_on_a_phone_the_contents_fold_and_touch_scrolls(browser, file):
    with opened(browser, file, 390) as page:
        contents = page.locator(".contents details")
        assert contents.get_attribute("open") is None
        contents.locator("summary").click()
        assert page.locator(".contents a").first.is_visible()
        page.locator(".contents a", has_text="Figure 4").click()
        assert contents.get_attribute("open") is None


def test_it_prints_light_and_within_the_paper(browser, file, tmp_path):
    with opened(browser, file, scheme="dark") as page:
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert page.locator("html").get_attribute("data-theme") == "light"
        width = page.evaluate("document.body.clientWidth")
        for plot in page.locator(".plot:visible").all():
            box = plot.locator(".main-svg").first.bounding_box()
            assert box is not None
            assert box["x"] + box["width"] <= width + 1
            assert box["height"] < PAGE_HEIGHT
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        assert page.locator("html").get_attribute("data-theme") == "dark"
        content = page.pdf(path=tmp_path / "report.pdf", prefer_css_page_size=True)
    pages = len(re.findall(rb"/Type\s*/Page\b", content))
    assert 5 <= pages <= 40
    assert len(content) > 20_000 * pages / 10  # no run of empty pages
    assert (
        b"/MediaBox [0 0 594.95996 841.91998]" in content
        or b"/MediaBox [0 0 594.96 841.92]" in content
    )
