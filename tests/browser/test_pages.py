"""What every page of results must be in a browser."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING
from unicodedata import normalize

import pandas as pd
import pytest
from built_pages import BuiltPage

if TYPE_CHECKING:
    from playwright.sync_api import Page

Show = Callable[..., "Page"]
pytestmark = pytest.mark.browser
LARGEST, SLOWEST, PHONE = 1_500_000, 500, 390
OPEN = "for (const one of document.querySelectorAll('details')) one.open = true"

FEWER = """for (const row of document.querySelectorAll('table.data tbody tr:nth-child(n + 9)'))
  if (!row.querySelector('[data-verdict]')) row.remove()"""
"""Rows of a table are alike: of those without a verdict eight are looked at."""


def test_a_page_is_small_and_asks_for_nothing_and_complains_of_nothing(
    made: BuiltPage, show: Show
) -> None:
    assert made.file.stat().st_size <= LARGEST
    page = show(made)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda told: asked.append(f"{told.type}: {told.text}"))
    page.on("pageerror", lambda error: asked.append(str(error)))
    took = []
    for _ in range(5):  # the machine may be busy
        page.reload()
        took.append(page.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd"))
    assert {one for one in asked if not one.startswith("data:")} == {made.url}
    assert min(took) <= SLOWEST


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, PHONE])
def test_a_page_is_accessible(made: BuiltPage, show: Show, width: int, theme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = show(made, width, theme=theme)
    page.evaluate(OPEN)
    page.evaluate(FEWER)
    found = axe.run(page, options={"resultTypes": ["violations"]}).response["violations"]
    said = [
        f"{one['id']}: {one['help']}: {len(one['nodes'])} of {one['nodes'][0]['html'][:200]}"
        for one in found
    ]
    assert said == []


def test_nothing_is_wider_than_a_telephone(made: BuiltPage, show: Show) -> None:
    page = show(made, PHONE)
    page.evaluate(OPEN)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE


PLACES = """() => Object.fromEntries(['h1', '.asked', '.found', '.first [data-chart]'].map(one => {
  const found = document.querySelector(one);
  return [one, found ? Math.round(found.getBoundingClientRect().bottom) : null];
}))"""


def test_the_first_screen_has_the_answer(made: BuiltPage, show: Show) -> None:
    if made.name == "hostile":
        pytest.skip("its labels are as long as they can be")
    places = {name: end for name, end in show(made).evaluate(PLACES).items() if end is not None}
    assert "h1" in places and all(end <= 800 for end in places.values()), places
    if show(made).locator(".found").count():
        assert ".asked" in places


SHOWN = "h1, h2, p:not(#said), td, tbody th, li, summary, figcaption"
TEXT = f"""() => [...document.querySelectorAll({SHOWN!r})]
  .map((one) => one.textContent.trim().replace(/\\s+/g, ' '))"""
EMPTY = """() => [...document.querySelectorAll('[data-chart], figure, .picture')]
  .filter((one) => !one.querySelector('[data-say], table, svg')).length"""


def test_without_scripts_all_is_there(made: BuiltPage, show: Show) -> None:
    with_, without = show(made), show(made, script=False)
    assert without.evaluate(TEXT) == with_.evaluate(TEXT)
    assert without.evaluate(EMPTY) == 0
    assert without.locator("button, input, select").count() == 0
    if made.name != "hostile":
        places = {name: end for name, end in without.evaluate(PLACES).items() if end}
        assert places["h1"] < 800


def test_all_of_it_is_printed(made: BuiltPage, show: Show) -> None:
    pypdf = pytest.importorskip("pypdf")
    page = show(made)
    file = made.file.with_suffix(".pdf")
    page.pdf(path=file, format="A4", print_background=True)
    assert page.locator("details[open]").count() == 0  # folded again
    told = _letters(" ".join(one.extract_text() for one in pypdf.PdfReader(file).pages))
    file.unlink()
    heads = page.evaluate(
        "() => [...document.querySelectorAll('h1, h2, caption, thead th, summary b')]"
        ".map((one) => one.textContent)"
    )
    if made.name != "hostile":
        assert [head for head in heads if _letters(head) not in told] == []
    page.set_viewport_size({"width": PAPER, "height": 1000})
    page.emulate_media(media="print")
    page.evaluate(OPEN)
    assert page.evaluate(CUT, PAPER) == []


PAPER = 718  # pixels of A4 within its margins
CUT = """(width) => [...document.querySelectorAll('table, svg:not(svg svg), p')]
  .filter((one) => one.getBoundingClientRect().right > width + 1)
  .map((one) => `${one.closest('[id]').id}: ${one.textContent.slice(0, 60)}`)"""


def _letters(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", normalize("NFKD", text).lower())


BESIDE = re.compile(r"\(\d+, \d+\)|<\.\d+|\(\d+ %: .*?\)")
"""Degrees of freedom, the least number that is printed, and the margin of a mark."""
WORDS = re.compile(r"[^\W\d_]{2,}")
NUMERIC = {"to", "not", "run", "undefined", "edge", "of"}
"""Words in cells that are numbers nevertheless."""
CELLS = """() => [...document.querySelectorAll('section[id], #more > details')].flatMap((part) => {
  const files = [...part.querySelectorAll(':scope > .files a')];
  const csv = files.map((one) => one.getAttribute('href')).find((one) => one.endsWith('.csv'));
  if (!csv) return [];
  const cells = [...part.querySelectorAll('table.data tbody td')].map((one) => {
    const own = one.cloneNode(true);
    for (const link of own.querySelectorAll('a, .sign')) link.remove();
    return own.textContent;
  });
  return [[csv, cells]];
})"""
NUMBER = re.compile(r"(?<![\w.])[−+-]?(?:\d[\d,]*)?\.?\d+(?:e[−+-]?\d+)?(?![\w])")


def test_every_number_in_a_table_is_in_its_csv(made: BuiltPage, show: Show) -> None:
    if made.name in ("sample", "hostile"):
        pytest.skip("it has no files")
    wrong, count = [], 0
    for csv, cells in show(made).evaluate(CELLS):
        known = _known(made.file.parent / csv)
        for cell in cells:
            if {*WORDS.findall(cell)} <= NUMERIC:
                told = NUMBER.findall(BESIDE.sub("", cell))
                lost = [one for one in told if not _holds(known, one)]
                wrong += [(csv, cell, lost)] * bool(lost)
                count += len(told)
    assert wrong == []
    assert count > 0


def _known(file: Path) -> tuple[list[float], set[str]]:
    """Return the numbers of a file, and those within its texts as they stand."""
    table = pd.read_csv(file)
    columns = table.select_dtypes("number").astype(float)
    for end in ("", "_all"):
        if {f"low{end}", f"high{end}"} <= set(columns):
            columns[f"half{end}"] = (columns[f"high{end}"] - columns[f"low{end}"]) / 2
    if {"difference", "difference_se"} <= set(columns):
        columns["z"] = columns.difference / columns.difference_se.replace(0, float("nan"))
    numbers = {abs(float(value)) for value in columns.stack()}
    texts = " ".join(map(str, table.select_dtypes(exclude="number").to_numpy().ravel()))
    found = {one.lstrip("+-−").replace(",", "") for one in NUMBER.findall(texts)}
    return sorted(numbers), found


def _holds(known: tuple[list[float], set[str]], told: str) -> bool:
    """Whether a number is one of a file's, or a share of it in percent, at the digits shown."""
    text = told.replace("−", "-").replace(",", "").lstrip("+-")
    value, digits = float(text), len(text.partition("e")[0].partition(".")[2])
    numbers, texts = known
    if text in texts or any(abs(float(one) - value) < 1e-12 for one in texts):
        return True
    half = 0.5 * 10.0 ** (int(text.partition("e")[2] or 0) - digits) * (1 + 1e-6)
    return any(abs(scale * own - value) <= half for own in numbers for scale in (1.0, 100.0))
