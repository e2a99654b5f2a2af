"""The page of a study: all of it there, none of a label obeyed, the same bytes each time."""

import math
import re
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sample_pages import HOSTILE, intervals, whole, written

from rankexp.charts.letters import one_line
from rankexp.charts.model import Axis, Chart, Drawing, Line, Lines
from rankexp.runner.report import build
from rankexp.runner.report.context import Context
from rankexp.runner.report.model import (
    Beside,
    Cell,
    Cells,
    Output,
    Page,
    Said,
    Section,
    Table,
    Tally,
)
from rankexp.runner.report.render import html
from rankexp.statistics.verdicts import Reproduction, Verdict

LABELS = st.one_of(st.sampled_from(HOSTILE), st.text(max_size=8))


class Elements(HTMLParser):
    """The elements that a browser makes of a page, with their texts and attributes."""

    VOID = frozenset(
        {"meta", "link", "br", "circle", "line", "rect", "polygon", "polyline", "img"}
    )

    def __init__(self, page: str) -> None:
        super().__init__()
        self.made: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.open: list[str] = []
        self.texts: list[str] = []
        self.feed(page)
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.made.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        self.open += [tag] * (tag not in self.VOID)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in self.VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in ("script", "style"):
            self.texts.append(data)


@pytest.fixture(name="expected", scope="module")
def _expected() -> Elements:
    return Elements(written(whole("plain")))


def test_all_that_a_study_shows_is_on_its_page(make: Callable[..., Context]) -> None:
    report = build.Report(make(), Path("nowhere"))
    blocks = report.context.study.report[:3]
    sections = [build.Built(block, report._output(block)).section for block in blocks]
    page = Elements(html.page(build.page(report.context, sections), Output()))
    titles = {one.title for one in sections}
    assert titles < set(page.texts) | {"How it was run"}
    assert {"section", "table", "svg", "details", "nav", "figure"} <= set(page.made)
    assert "Nobody, Journal of 100 % tests & trials, 2011" in page.texts
    verdicts = [value for _, name, value in page.attributes if name == "data-verdict"]
    assert {"reproduced", "not reproduced", "not run"} & set(verdicts)


@settings(max_examples=15)
@given(LABELS)
def test_labels_are_text_and_make_no_element(label: str) -> None:
    _same_elements(label)


@pytest.mark.parametrize("label", HOSTILE)
def test_hostile_labels_are_text_and_make_no_element(label: str) -> None:
    page = _same_elements(label)
    assert one_line(label) in page.texts


@cache
def _plain() -> Elements:
    return Elements(written(whole("plain")))


def _same_elements(label: str) -> Elements:
    page, plain = Elements(written(whole(label))), _plain()
    assert set(page.made) <= set(plain.made)
    if one_line(label).strip():  # what is empty is left out
        assert page.made == plain.made
    names, known = ({(tag, name) for tag, name, _ in one.attributes} for one in (page, plain))
    assert names <= known | {("th", "class"), ("td", "class")}  # a number stands to the right
    return page


def test_a_page_loads_nothing(expected: Elements) -> None:
    loading = [
        (tag, name, value)
        for tag, name, value in expected.attributes
        if name in ("src", "srcset", "data", "action", "style", "poster", "xlink:href")
        or (name == "href" and tag != "a")
    ]
    places = re.compile(r"(--\w+:[\d.]+%;?)+|width: \d+px")  # of bands, and of wide panels
    styled = [one for one in loading if one[1] == "style" and places.fullmatch(one[2] or "")]
    assert [one for one in loading if one not in styled] == [("link", "href", "data:,")]
    page = written(whole("plain"))
    assert not re.search(r"url\((?!#)|@import|http-equiv=.refresh", page)
    policy = next(v for _, _, v in expected.attributes if v.startswith("default-src 'none'"))
    assert "script-src 'sha256-" in policy and "script-src 'unsafe-inline'" not in policy


def test_a_page_is_the_same_under_another_hash_seed(tmp_path: Path) -> None:
    here = Path(__file__).parent
    code = (
        f"import sys; sys.path[:0] = [{str(here)!r}, {str(Path.cwd())!r}]\n"
        "from sample_pages import whole, written\nprint(ascii(written(whole('plain'))))"
    )
    command = [sys.executable, "-c", code]
    made = subprocess.run(
        command,
        env={"PYTHONHASHSEED": "77"},
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=True,
    )
    page = written(whole("plain"))
    assert made.stdout.strip() == ascii(page)
    assert str(Path.cwd()) not in page and not re.search(r"\b\d\d:\d\d\b", page)


def test_a_template_that_fails_leaves_the_rest(
    make: Callable[..., Context],
    save: Callable[[Context, Path], Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    study = dict(make().study.model_dump(mode="json"), report=[])
    folder = save(make(study), tmp_path / "a")

    def broken(*_: object) -> str:
        raise ValueError("no such template")

    monkeypatch.setattr(html, "page", broken)
    report = build.open_report(folder)
    names = {path.name for path in report.write()}
    assert "report.md" in names and "report.html" not in names
    assert report.exit_code == 0 and report.first.name == "report.md"
    assert [line for line in report.failures if "no such template" in line] == report.failures


def test_a_value_beside_a_published_one_says_all_that_is_known_of_it() -> None:
    page = Elements(written(whole("plain")))
    says = [value for _, name, value in page.attributes if name == "data-say"]
    assert says[2] == (
        "plain, plain: published .5000, near; here .5100 ± .0100. Difference +.0100, +1.5 of its "
        "standard errors, and ±.0100 passes. 4 of 4 splits; chosen plain. Plain."
    )
    assert ("td", "data-far", "1") in page.attributes


def test_what_is_not_run_has_a_sign_and_no_strip() -> None:
    lost = Cell("not run", beside=Beside(0.5, math.nan, Reproduction.NOT_RUN))
    table = Table(["a", "b"], [["x", Cells([Cell(0.5), lost])]])
    page = written(Page("t", "", "", [], [Section("s", "", Output(tables=[table]))]))
    assert 'class="beside"' not in page and '<span class="sign">–</span>' in page
    assert 'data-say="x, b: published .5000, not run."' in page


def test_no_id_is_given_twice_where_a_part_is_called_like_one_of_the_page() -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(1, 1))
    for own in figure.add_subplot().plot([[0, 1], [1, 0]]):
        own.set_gid("mark")
    shown = [
        Section(f"{i}", "", Output(chart=Drawing(figure)), [f"{name}.csv"])
        for i, name in enumerate(("answer", "top"))
    ]
    page = written(Page("t", "", "", [], shown))
    ids = [value for _, name, value in Elements(page).attributes if name == "id"]
    assert {"answer", "top"} < set(ids) and len(ids) == len(set(ids))
    links = re.findall(r'href="#([^"]*)"|url\(#([^)]*)\)', page)
    assert {one or other for one, other in links} <= set(ids)


def test_a_row_of_all_the_others_is_marked() -> None:
    rows = [["vote", 1], [Cell("all data sets", pooled=True), 2]]
    page = written(
        Page("t", "", "", [], [Section("s", "", Output(tables=[Table(["a", "b"], rows)]))])
    )
    (own,) = re.findall(r'<tr class="pooled">(.*?)</tr>', page)
    assert "all data sets" in own and "vote" not in own


def test_an_answer_that_is_open_looks_so_and_squares_say_what_they_are() -> None:
    tallies = [
        Tally("1", verdicts=["near", "reproduced", "near"]),
        Tally("2", verdicts=["undecided"]),
    ]
    for open_ in (False, True):
        lead = [Said("Asked", "?"), Said("Answer", "It is.", "Yes", open_)]
        head = Output(lead=[*lead, Said("Reproduced", "Some.", tallies=tallies)])
        page = written(Page("t", "", "", [], [Section("s", "", head, role="summary")]))
        assert ('<strong data-verdict="undecided">Yes.' in page) is open_
        told = [re.sub("<.*?>", "", one) for one in re.findall(r'class="squares">(.*?)</p>', page)]
        assert told == ["Values: 1 reproduced 2 near", "Claims: 1 undecided"]
        assert page.count('title="2 near"><i></i><i></i>2 near') == 1


def test_a_comparison_begins_with_its_word_and_goes_on_with_the_advice() -> None:
    lead = ["Pairs gain nothing.", "It costs.", "Can it be trusted? Yes.", "What now? Train."]
    for word, verdict in (("No", ""), ("Still open", ' data-verdict="undecided"')):
        own = Output(lead=lead, chart=intervals("a"), word=word)
        page = written(Page("t", "", "", [], [Section("s", "", own, primary=True)]))
        told = re.findall("<p>(.*?)</p>", page)[:4]
        assert told[0] == f"<strong{verdict}>{word}.</strong> Pairs gain nothing."
        assert told[1:] == [
            "<b>What now?</b> Train.",
            "It costs.",
            "<b>Can it be trusted?</b> Yes.",
        ]


def test_a_large_table_and_a_large_chart_are_shown_in_part() -> None:
    rows = [[f"row {i}", *[i] * 9] for i in range(1_000)]
    x = np.arange(20_001.0)
    chart = Chart([Lines("", [Line("a", x, x)], Axis(), Axis())])
    output = Output(tables=[Table(list("abcdefghij"), rows)], chart=chart)
    section = Section("much", "", output, ["much.csv", "much.png"])
    page = written(Page("t", "", "", [], [section]))
    assert "row 399" in page and "row 400" not in page
    assert "600 more rows are in" in page and '<a href="much.csv">' in page
    assert "<polyline" not in page and '<a href="much.png">' in page
    assert "This page would be too large" not in page
    wide = Table([f"c{i}" for i in range(100)], [[j] * 100 for j in range(60)])
    page = written(Page("t", "", "", [], [Section("wide", "", Output(tables=[wide]))]))
    assert page.count("<tr>") == 51 and "10 more rows are in the files" in page


def test_a_page_that_would_be_too_large_says_what_it_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(html, "LARGEST_PAGE", 100_000)
    table = Table(["a"], [[f"{i} " + "x" * 200] for i in range(400)])
    sections = [Section("much", "", Output(tables=[table]))]
    aside = [Section("aside", "", Output(chart=intervals("a")), ["aside.png"])]
    page = written(Page("t", "", "", [], sections, aside))
    assert len(page.encode()) <= html.LARGEST_PAGE
    assert "This page would be too large. It shows the first 60 rows of a table" in page
    assert "340 more rows are in the files" in page


def test_a_drawing_has_a_name_and_no_time() -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(1, 1))
    figure.add_subplot().plot([0, 1])
    section = Section('a "tree" <of> it', "", Output(chart=Drawing(figure)))
    page = written(Page("t", "", "", [], [section]))
    assert 'role="img" aria-label="a &quot;tree&quot; &lt;of&gt; it"' in page
    assert not re.search(r"<dc:date|20\d\d-\d\d-\d\d|<image|font-face", page)
    assert not re.search(r'id="(figure|axes|patch)_\d', page)
    assert ".drawing svg { fill: currentColor; }" in page  # text that has no colour of its own


def test_a_verdict_behind_a_number_may_stand_below_it() -> None:
    own = Cell("equivalent", verdict=Verdict(equivalent=True))
    rows = [["a", Cells([Cell(0.1), own], "; ")], ["b", own]]
    page = written(Page("t", "", "", [], [Section("s", "", Output(tables=[Table("ab", rows)]))]))
    assert len(re.findall(r"<td[^>]* data-told>", page)) == 1


def test_columns_of_numbers_stand_to_the_right() -> None:
    few, many = (Table([f"c{i}" for i in range(n)], [["x", *range(n - 1)]]) for n in (3, 14))
    page = written(Page("t", "", "", [], [Section("s", "", Output(tables=[few, many]))]))
    first, second = re.findall(r'<table class="data([^"]*)">', page)
    assert first.split() == ["r2", "r3"] and second.split() == [f"r{i}" for i in range(2, 13)]
    assert page.count('class="n"') == 2 * 2  # the last two columns, with their heads
    assert ".r12 tr > :nth-child(12)" in page
