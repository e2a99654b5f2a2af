"""Keys alone suffice: what is sorted, filtered, chosen and walked through without a pointer."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from built_pages import NAMES, BuiltPage

if TYPE_CHECKING:
    from playwright.sync_api import Page

Show = Callable[..., "Page"]
Build = Callable[[str], BuiltPage]
pytestmark = pytest.mark.browser
SAID = "document.getElementById('said').textContent"
FRAMES = "new Promise((done) => requestAnimationFrame(() => setTimeout(done, 100)))"


@pytest.fixture(name="keys", params=[one for one in ("sample", "kotlowski2011") if one in NAMES])
def _keys(request: pytest.FixtureRequest, build: Build, show: Show) -> "Page":
    return show(build(request.param))


def tab_to(page: "Page", wanted: str, most: int = 400) -> None:
    """Press Tab until what has the focus is what a selector means."""
    for _ in range(most):
        page.keyboard.press("Tab")
        if page.evaluate(f"document.activeElement.matches({wanted!r})"):
            return
    raise AssertionError(f"{most} times Tab do not lead to {wanted}")


def test_the_first_tab_leads_past_the_head(keys: "Page") -> None:
    keys.keyboard.press("Tab")
    assert keys.evaluate("document.activeElement.className") == "skip"
    keys.keyboard.press("Enter")
    assert keys.url.endswith("#parts")


def test_a_table_sorts_up_and_down(keys: "Page") -> None:
    tab_to(keys, "th:nth-child(2) button")
    for way in ("ascending", "descending"):
        keys.keyboard.press("Enter")
        assert keys.evaluate("document.activeElement.parentElement.ariaSort") == way
        rows = "[...document.activeElement.closest('table').tBodies[0].rows]"
        own = "filter((one) => !one.matches('.pooled'))"
        column = keys.evaluate(f"{rows}.{own}.map((one) => one.cells[1].textContent)")
        numbers = [
            float(one.split()[0].replace("−", "-")) for one in column if one[0] in "−+.0123456789"
        ]
        assert len(numbers) > 2 and numbers == sorted(numbers, reverse=way == "descending")


ROWS = "[...document.querySelectorAll('#table1 tbody tr')].map((one) => one.cells[0].textContent)"


def test_what_is_over_all_stays_last_and_the_order_can_be_had_again(
    build: Build, show: Show
) -> None:
    page = show(build("sample"))
    before = page.evaluate(ROWS)
    assert before[-1] == "mean difference"
    head, far = page.locator("#table1 th button").first, page.get_by_text("furthest first")
    for way in ("ascending", "descending", None):
        head.click()
        now = page.evaluate(ROWS)
        assert head.evaluate("(own) => own.parentElement.ariaSort") == way
        assert now[-1] == "mean difference" and (now == before) is (way != "descending")
    head.click()
    far.click()
    assert far.get_attribute("aria-pressed") == "true"
    assert page.evaluate(ROWS)[:2] == ["set 9", "set 8"]
    assert page.evaluate(ROWS)[-1] == "mean difference" and not page.locator("[aria-sort]").count()
    far.click()
    assert far.get_attribute("aria-pressed") == "false" and page.evaluate(ROWS) == before
    chips = page.locator("#table1 .tools button[data-verdict]").all_text_contents()
    assert sum(int(one.split()[-1]) for one in chips) == len(before) - 1


def test_a_filter_that_finds_nothing_says_so(build: Build, show: Show) -> None:
    page = show(build("sample"))
    for words, told in (("zzz", "No row has this."), ("set", "")):
        page.locator("#table1 input").fill(words)
        assert page.locator("#table1 output").text_content() == told


def test_a_theme_is_kept(build: Build, show: Show) -> None:
    page = show(build("sample"))
    page.locator(".bar button").click()
    for _ in range(2):
        assert page.evaluate("document.documentElement.dataset.theme") == "dark"
        assert page.locator(".bar button").text_content() == "light"
        page.reload()


def test_escape_ends_what_a_pointer_began_and_nothing_is_hidden(build: Build, show: Show) -> None:
    page = show(build("sample"))
    dot = page.locator("#figure1 .dot").first
    dot.scroll_into_view_if_needed()
    page.evaluate(FRAMES)  # what scrolls moves what is under the pointer, a frame later
    dot.hover(force=True)
    page.wait_for_function(f"{SAID}.includes('model')")
    ends = "document.getElementById('run').getBoundingClientRect().bottom"
    page.evaluate("window.scrollTo(0, 1e6)")
    page.evaluate(FRAMES)
    assert page.evaluate(f"{ends} <= document.getElementById('said').getBoundingClientRect().top")
    page.keyboard.press("Escape")
    assert page.evaluate(SAID) == "" and page.locator(".lit").count() == 0


def test_panels_of_one_title_are_told_apart(build: Build, show: Show) -> None:
    page = show(build("sample"))
    names = page.locator("label:has(+ [data-chart]) option").all_text_contents()
    assert names[1:] == ["linear, p = .5: rank loss, lower is better", "linear, p = .5: calls"]


HEADS = """[...document.querySelectorAll('#gains td')].filter((one) => one.checkVisibility())
  .map((one) => getComputedStyle(one, '::before').content)"""


def test_on_a_telephone_differences_are_cards(build: Build, show: Show) -> None:
    page = show(build("sample"), 390)
    assert page.evaluate(HEADS) == ['"pairs − points: "']  # what there is not is left out
    page.set_viewport_size({"width": 1280, "height": 800})
    assert page.evaluate(HEADS) == ["none", "none"]


def test_a_table_that_is_cut_says_so(build: Build, show: Show) -> None:
    page = show(build("sample"), 390)
    page.set_viewport_size({"width": 200, "height": 800})
    own = page.locator("#table1 .scroll")
    page.wait_for_selector("#table1 .scroll.wide.more")
    own.evaluate("(box) => box.scrollTo(1e4, 0)")
    page.wait_for_selector("#table1 .scroll.wide:not(.more)")
    page.set_viewport_size({"width": 1280, "height": 800})
    page.wait_for_selector("#table1 .scroll:not(.wide)")


def test_rows_filter_by_words_and_by_verdict(keys: "Page") -> None:
    tab_to(keys, ".tools input")
    rows = (
        "document.activeElement.closest('.tools').nextElementSibling.querySelectorAll('tbody tr')"
    )
    shown = f"[...{rows}].filter((one) => one.checkVisibility()).map((one) => one.textContent)"
    whole = keys.evaluate(shown)
    keys.keyboard.type("zzz")
    assert keys.evaluate(shown) == []
    for _ in range(3):
        keys.keyboard.press("Backspace")
    assert keys.evaluate(shown) == whole
    tab_to(keys, ".tools button[data-verdict]")
    keys.keyboard.press("Space")
    verdict = keys.evaluate("document.activeElement.dataset.verdict")
    count = int(keys.evaluate("document.activeElement.textContent").split()[-1])
    assert keys.evaluate("document.activeElement.ariaPressed") == "true"
    found = keys.evaluate(shown)
    cells = keys.evaluate(
        f"[...{rows}].filter((one) => !one.hidden)"
        ".flatMap((one) => [...one.querySelectorAll('[data-verdict]')])"
        ".map((own) => own.dataset.verdict)"
    )
    assert 0 < len(found) < len(whole) and cells.count(verdict) == count
    keys.keyboard.press("Space")
    assert keys.evaluate(shown) == whole


def test_thirty_points_are_walked_through(keys: "Page") -> None:
    tab_to(keys, "[data-chart]:has([data-unit])")
    assert "arrow keys walk through them" in keys.evaluate(SAID)
    said = []
    for _ in range(30):
        keys.keyboard.press("ArrowRight")
        said.append(keys.evaluate(SAID))
    assert len(set(said)) == 30 and all(said)
    lit = keys.evaluate("[...document.querySelectorAll('.lit')].map((one) => one.dataset.unit)")
    assert len(lit) > 1 and len(set(lit)) == 1  # the same unit of every method
    figures = "new Set([...document.querySelectorAll('.lit')].map((one) => one.closest('figure')))"
    assert keys.evaluate(f"{figures}.size") == 1  # of one problem
    keys.keyboard.press("ArrowLeft")
    assert keys.evaluate(SAID) == said[-2]
    keys.keyboard.press("Escape")
    assert keys.evaluate(SAID) == "" and keys.locator(".lit").count() == 0


def test_a_chart_is_one_stop_and_its_panels_can_be_chosen(keys: "Page") -> None:
    tab_to(keys, "label:has(+ [data-chart]) select")
    panels = (
        "[...document.activeElement.parentElement.nextElementSibling.querySelectorAll('figure')]"
    )
    shown = f"{panels}.filter((one) => !one.hidden).length"
    for _ in range(20):
        keys.keyboard.press("ArrowUp")
    before = keys.evaluate(shown)
    assert before == keys.evaluate(f"{panels}.length") > 1
    keys.keyboard.press("ArrowDown")
    assert keys.evaluate(shown) == 1
    keys.keyboard.press("Tab")
    assert keys.evaluate("document.activeElement.matches('[data-chart]')")
    keys.keyboard.press("Tab")
    assert not keys.evaluate("document.activeElement.closest('[data-chart]')")


def test_a_value_beside_a_published_one_tells_its_reason(keys: "Page") -> None:
    tab_to(keys, ".scroll[data-chart]")
    keys.keyboard.press("ArrowRight")
    assert "published" in keys.evaluate(SAID) and "Difference" in keys.evaluate(SAID)
    keys.keyboard.press("Escape")
    assert keys.evaluate(SAID) == ""


def test_a_folded_part_opens_and_a_link_to_it_opens_it(keys: "Page") -> None:
    tab_to(keys, "#more summary")
    keys.keyboard.press("Enter")
    assert keys.locator("#more details[open]").count() == 1
    keys.keyboard.press("Enter")
    assert keys.locator("#more details[open]").count() == 0
    name = keys.evaluate("document.querySelector('#more details').id")
    keys.evaluate(f"location.hash = {name!r}")
    keys.wait_for_selector("#more details[open]")


@pytest.mark.parametrize(
    ("form", "begins"),
    [("CSV", "Data set,"), ("Markdown", "| Data set |"), ("LaTeX", "\\begin{tabular}")],
)
def test_what_is_in_view_is_copied(build: Build, show: Show, form: str, begins: str) -> None:
    page = show(build("sample"))
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    tab_to(page, ".tools button[data-verdict='near']")
    page.keyboard.press("Enter")
    for _ in range(9):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent") == f"copy {form}":
            break
    page.keyboard.press("Enter")
    page.wait_for_selector("#said:not(:empty)")
    assert page.evaluate(SAID) == f"Copied 3 rows as {form}."
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith(begins) and len(re.findall(r"set \d", copied)) == 3
    assert "set 1" in copied and "set 0" not in copied


def test_a_button_saves_the_numbers_of_all_tables(keys: "Page") -> None:
    tab_to(keys, "#parts .tools button")
    with keys.expect_download() as saved:
        keys.keyboard.press("Enter")
    assert saved.value.suggested_filename.endswith(".json")
    found = json.loads(Path(saved.value.path()).read_text(encoding="utf-8"))
    assert found == json.loads(keys.inner_text("#numbers")) and found["parts"]


def test_a_claim_unfolds_to_each_comparison(keys: "Page") -> None:
    link = keys.query_selector('tbody th a[href*="-all-"]')
    if link is None:
        pytest.skip("this page has no claim of several comparisons")
    place = link.get_attribute("href") or ""
    link.focus()
    keys.keyboard.press("Enter")
    table = keys.locator(f"{place} table")
    table.wait_for(state="visible")
    assert table.locator(".claimed").count() > 1


def test_what_a_hidden_row_unfolds_to_is_hidden(build: Build, show: Show) -> None:
    page = show(build("kotlowski2011" if "kotlowski2011" in NAMES else "quick"))
    filtered = page.locator(".tools:has(+ * a[href*='-all-']) input").first
    if not filtered.count():
        pytest.skip("it has few claims")
    known = "[...document.querySelectorAll('[id*=\"-all-\"]')]"
    page.evaluate(f"{known}[0].closest('details').open = true")
    count = page.evaluate(f"{known}.length")
    filtered.fill("zzz")
    assert page.evaluate(f"{known}.filter((one) => one.checkVisibility()).length") == 0
    filtered.fill("")
    assert page.evaluate(f"{known}.filter((one) => one.checkVisibility()).length") == count > 0
