"""The page of all studies: gains in multiples of margins, cards, and what is not ours."""

import json
from pathlib import Path

import pytest

from rankexp.errors import ConfigError
from rankexp.runner.report import index
from rankexp.runner.report.model import Fact, Measured, Output, Page, Said, Section


def head(gains: dict[str, Fact] | None = None, asked: str = "Is it so?") -> Page:
    lead = [Said("Asked", asked), Said("Answer", "no.")]
    section = Section("In short", "", Output(lead=lead, gains=gains or {}), role="summary")
    return Page("A title", "A paper, 2011", "", [], [section])


def found(value: float, low: float, high: float, verdict: str, *, higher: bool = True) -> Fact:
    return Fact(verdict, "", measured=Measured(value, low, high, 0.01, higher, "9 data sets"))


GAINS = {
    "loss": found(-0.002, -0.004, -0.001, "equivalent", higher=False),
    "far": found(0.05, 0.02, 0.09, "better"),
    "open": found(-0.005, -0.04, 0.03, "undecided"),
}


def save(folder: Path, page: Page, name: str = "one") -> None:
    (folder / name).mkdir(parents=True)
    text = index.summary(page, name)
    assert text is not None
    (folder / name / index.SUMMARY).write_text(text, encoding="utf-8")


def test_gains_are_in_multiples_of_the_margin_and_right_is_better(tmp_path: Path) -> None:
    save(tmp_path, head(GAINS))
    written = index.write(tmp_path)
    assert [path.name for path in written] == [index.INDEX, index.PICTURE]
    page = written[0].read_text(encoding="utf-8")
    row = "+.0020 (+.0010 to +.0040), margin .01"  # of a loss: less is a gain
    assert f"{row} <b>equivalent</b>" in page
    assert f'data-say="loss, 9 data sets: {row}, equivalent"' in page  # as its row
    assert "Of 3 comparisons" in page
    assert "in 1 the ranking changes by less" in page
    assert "in 1 training on pairs is better by more than that; in 1 this is not settled" in page
    again = index.write(tmp_path)
    assert [path.read_bytes() for path in again] == [path.read_bytes() for path in written]


def test_a_study_without_a_row_is_named_and_the_script_finds_its_places(tmp_path: Path) -> None:
    save(tmp_path, head(GAINS))
    assert "No row is of" not in index.write(tmp_path)[0].read_text(encoding="utf-8")
    save(tmp_path, head(), "two")
    page = index.write(tmp_path)[0].read_text(encoding="utf-8")
    assert "No row is of “A title”, as no single number there" in page
    assert page.count('id="parts"') == page.count('class="bar"') == page.count('id="said"') == 1


def test_the_picture_has_the_numbers(tmp_path: Path) -> None:
    save(tmp_path, head(GAINS))
    chart = index.gains([index._read(tmp_path / "one" / index.SUMMARY)])
    assert chart is not None
    (panel,) = chart.panels
    rows = {row.label.split(",")[0]: row for row in panel.rows}
    assert (rows["loss"].value, rows["loss"].low, rows["loss"].high) == pytest.approx(
        (0.2, 0.1, 0.4)
    )
    assert [row.decided for row in panel.rows] == [True, True, False]


def test_an_interval_without_an_end_is_no_number_of_json(tmp_path: Path) -> None:
    inf = float("inf")
    save(tmp_path, head({"few": found(0.0, -inf, inf, "undecided")}))
    json.loads((tmp_path / "one" / index.SUMMARY).read_text(), parse_constant=pytest.fail)
    assert "this is not settled" in index.write(tmp_path)[0].read_text(encoding="utf-8")


def test_a_quick_slice_gives_no_gain_and_no_answer(tmp_path: Path) -> None:
    page = head(GAINS)
    save(tmp_path, Page("A title", "", "", [], page.sections, quick=True))
    text = index.write(tmp_path)[0].read_text(encoding="utf-8")
    assert "whose numbers are no findings" in text
    assert "comparisons" not in text
    assert "Is it so?" not in text


def test_names_are_text(tmp_path: Path) -> None:
    save(tmp_path, head(asked='<script>alert(1)</script>"><img onerror=x>'))
    text = index.write(tmp_path)[0].read_text(encoding="utf-8")
    assert "<script>alert" not in text
    assert "<img" not in text


def test_what_is_not_ours_is_left(tmp_path: Path) -> None:
    save(tmp_path, head())
    (tmp_path / index.INDEX).write_text("<html>mine</html>")
    with pytest.raises(ConfigError, match="left as it is"):
        index.write(tmp_path)
    assert (tmp_path / index.INDEX).read_text() == "<html>mine</html>"


def test_a_damaged_summary_is_named(tmp_path: Path) -> None:
    save(tmp_path, head())
    (tmp_path / "one" / index.SUMMARY).write_text('{"gains": 3}')
    with pytest.raises(ConfigError, match="damaged; make it again: rankexp report"):
        index.write(tmp_path)


def test_without_a_head_there_is_no_summary_and_no_index(tmp_path: Path) -> None:
    assert index.summary(Page("A title", "", "", [], []), "one") is None
    assert index.write(tmp_path) == []
