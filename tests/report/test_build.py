"""Whole reports from manifest and records alone."""

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from rankexp.analyse.frame import COLUMNS
from rankexp.config.schema import CrossValidation, Holdout
from rankexp.errors import ConfigError
from rankexp.report import build
from rankexp.report.context import Context
from rankexp.report.page import describe_protocol

Make = Callable[..., Context]
Save = Callable[[Context, Path], Path]


def contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()}


def test_the_same_records_give_the_same_bytes(make: Make, save: Save, tmp_path: Path) -> None:
    first = save(make(), tmp_path / "a")
    written = build.build(first)
    kinds = {path.name for path in written}
    assert {"scores.csv", "report.md", "figure1.png", "figure1.pdf"} <= kinds
    assert {"table1.csv", "table1.md", "table1.tex"} <= kinds
    assert kinds | {"manifest.json"} == set(contents(first))
    once = contents(first)
    for path in written:
        path.unlink()
    build.build(first)
    assert contents(first) == once


def test_the_page_shows_everything_in_order(make: Make, save: Save, tmp_path: Path) -> None:
    folder = save(make(), tmp_path / "a")
    build.build(folder)
    page = (folder / "report.md").read_text(encoding="utf-8")
    marks = [
        *("# A made-up study", "Source: Nobody", "## Table 1", "What the paper's table says."),
        *("## figure1", "![figure1](figure1.png)", "## differences", "## How it was run"),
        *("3 × 2 folds, plain", "file vote.arff", "Seed 1.", "numpy 2.0", "12 s"),
    ]
    places = [page.index(mark) for mark in marks]
    assert places == sorted(places)
    assert "INCOMPLETE" not in page


def test_an_incomplete_run_says_so_in_the_body_of_every_table(
    make: Make, save: Save, tmp_path: Path
) -> None:
    half = make(None, lambda cell, record: None if cell.rep == 1 else record)
    folder = save(half, tmp_path / "a")
    build.build(folder)
    for name in ("table1", "differences", "flips", "chosen", "completeness"):
        for kind in ("csv", "md", "tex"):
            assert "INCOMPLETE" in (folder / f"{name}.{kind}").read_text(encoding="utf-8")
    assert "INCOMPLETE" in (folder / "figure1.csv").read_text(encoding="utf-8")
    assert "INCOMPLETE" in (folder / "report.md").read_text(encoding="utf-8")
    assert "INCOMPLETE: 12 of 18 records" in build.progress(folder)


def test_scores_hold_every_metric_once(make: Make, save: Save, tmp_path: Path) -> None:
    folder = save(make(), tmp_path / "a")
    build.build(folder)
    scores = pd.read_csv(folder / "scores.csv")
    assert list(scores.columns) == COLUMNS
    assert not scores.duplicated([name for name in COLUMNS if name != "value"]).any()
    assert "objective" not in set(scores["metric"])
    bayes = scores[scores["metric"] == "rank_loss:bayes"]
    assert len(bayes) == 2 * 5 and bayes["method"].isna().all()
    own = scores[(scores["experiment"] == "folds") & (scores["part"] == "test")]
    assert len(own) == 3 * 6 * 3
    assert set(scores["status"]) == {"ok"}
    first = (folder / "scores.csv").read_text(encoding="utf-8").splitlines()[1]
    assert first.startswith("boxes,easy,0,0,,,exponential,lam=0.01,,test,rank_loss,0.1")


def test_the_summary_leaves_out_what_was_not_run(make: Make, save: Save, tmp_path: Path) -> None:
    only = make(None, lambda cell, record: record if cell.experiment == "boxes" else None)
    text = build.summary(save(only, tmp_path / "a"))
    assert "figure1" in text and "Table 1" not in text
    assert "vote" in build.summary(save(make(), tmp_path / "b"))


def test_a_folder_without_a_manifest_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"manifest\.json"):
        build.build(tmp_path)


def test_tables_without_records_are_kept(make: Make, save: Save, tmp_path: Path) -> None:
    folder = save(make(None, lambda cell, record: None), tmp_path / "a")
    (folder / "table1.md").write_text("made elsewhere", encoding="utf-8")
    with pytest.raises(ConfigError, match="no records"):
        build.build(folder)
    assert set(contents(folder)) == {"manifest.json", "table1.md"}


@pytest.mark.parametrize("data", [None, [], {"vote": {"rows": 400}}, {"vote": 3}])
def test_a_damaged_manifest_is_refused(
    make: Make, save: Save, tmp_path: Path, data: object
) -> None:
    context = make()
    context.manifest["data"] = data
    if data is None:
        del context.manifest["data"]
    with pytest.raises(ConfigError, match=r"manifest\.json was altered.*'data"):
        build.build(save(context, tmp_path / "a"))


def test_a_wrong_block_is_named(make: Make, save: Save, tmp_path: Path) -> None:
    context = make()
    context.manifest["study"]["report"][0]["options"] = {"colour": 1}
    with pytest.raises(ConfigError, match=r"(?s)table1.*colour"):
        build.build(save(context, tmp_path / "a"))


def test_a_protocol_says_which_rows_stay_together() -> None:
    folds = CrossValidation(kind="cross_validation", repeats=5, folds=5, together="duplicates")
    assert describe_protocol(folds) == "5 × 5 folds, plain, equal rows together"
    split = Holdout(kind="split", test=0.5, together="groups")
    assert describe_protocol(split) == "one random split, test part 0.5, groups together"
