"""What tables of strangers, and hostile ones, showed to be wrong."""

import itertools
import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import rankexp
from rankexp.charts.model import Chart, Intervals
from rankexp.charts.numbers import number
from rankexp.errors import ConfigError, DataError, EnvironmentProblemError

Typed = Callable[..., subprocess.CompletedProcess[str]]


def folds(
    methods: str, sets: str = "p", folds: int = 5, repeats: int = 1, step: float = 0.01
) -> pd.DataFrame:
    """Return values of methods, each better by a step than the one before."""
    rng = np.random.default_rng(3)
    places = itertools.product(enumerate(methods), sets, range(repeats), range(folds))
    rows = [(m, s, r, f, 0.7 + step * k + rng.normal(0, 0.01)) for (k, m), s, r, f in places]
    return pd.DataFrame(rows, columns=["method", "dataset", "repeat", "fold", "auc"])


def said(frame: pd.DataFrame, **options: object) -> str:
    found = rankexp.verdicts(frame, **options)  # type: ignore[arg-type]
    return " ".join(repr(found).split())


def test_true_and_false_are_values() -> None:
    frame = folds("ab", folds=40).rename(columns={"fold": "item"})
    right = frame.assign(solved=frame.auc > 0.7).drop(columns="auc")
    numbers = right.assign(solved=right.solved.astype(float))
    for one in (right, right.assign(solved=right.solved.astype(str))):
        found, other = rankexp.verdicts(one), rankexp.verdicts(numbers)
        pd.testing.assert_frame_equal(found.pairs, other.pairs)


def test_repeats_of_one_fold_are_random_splits() -> None:
    frame = folds("abc", folds=1, repeats=10)
    with pytest.raises(ConfigError, match="all 10 values on p are of one fold"):
        rankexp.verdicts(frame)
    found = rankexp.verdicts(frame, each="split", test_share=0.2)
    assert set(found.pairs.test) == {"corrected resampled t-test"}


def test_seeds_beside_folds_are_asked_about() -> None:
    frame = folds("ab", repeats=3).rename(columns={"repeat": "seed"})
    with pytest.raises(ConfigError, match="seed may count repeats with other folds or runs"):
        rankexp.verdicts(frame)
    whole = rankexp.verdicts(frame.rename(columns={"seed": "repeat"})).pairs
    pd.testing.assert_frame_equal(rankexp.verdicts(frame, each="fold").pairs, whole)


def test_many_folds_may_be_of_several_cross_validations() -> None:
    """Taken as one cross-validation, 10 x 10 folds show a difference in 39 of 100 null tables."""
    frame = folds("ab", folds=50).drop(columns="repeat")
    with pytest.raises(ConfigError, match="50 folds on p: if they are of several"):
        rankexp.verdicts(frame)
    assert "for 50 folds" in rankexp.verdicts(frame, each="fold")._repr_html_()
    through = folds("ab", repeats=10)
    whole = rankexp.verdicts(through).pairs
    through = through.assign(fold=5 * through.repeat + through.fold).drop(columns="repeat")
    shared = rankexp.verdicts(through, test_share=0.2).pairs
    assert shared.se[0] == pytest.approx(whole.se[0])


def test_each_data_set_may_have_a_metric_of_its_own() -> None:
    frame = folds("abc", "pqrstuvw").rename(columns={"auc": "score"})
    of = frame.assign(metric=np.where(frame.dataset < "s", "f1", "exact_match"))
    assert "metric of its own (f1, exact_match)" in said(of)
    pd.testing.assert_frame_equal(rankexp.verdicts(of).pairs, rankexp.verdicts(frame).pairs)
    mixed = of.assign(metric=of.metric.replace("f1", "rmse"))
    with pytest.raises(ConfigError, match="higher or lower values of 'rmse, exact_match' in col"):
        rankexp.verdicts(mixed)
    both = pd.concat([of, of.assign(metric="auc")])
    with pytest.raises(ConfigError, match="has 3 metrics"):
        rankexp.verdicts(both)


@pytest.mark.parametrize("sets", ["pqrstuvw", "p"])
def test_a_method_with_few_values_is_not_the_best(sets: str) -> None:
    frame = folds("abc", sets, folds=8)
    lacks = (frame.method == "c") & ((frame.fold > 2) if sets == "p" else (frame.dataset != "q"))
    frame.loc[frame.method == "c", "auc"] = 0.99
    found = rankexp.verdicts(frame[~lacks])
    assert list(found.standings.method) == ["b", "a", "c"]
    without = rankexp.verdicts(frame[frame.method != "c"])
    means = found.standings.set_index("method")["mean"].drop("c")
    assert dict(means) == pytest.approx(dict(without.standings.set_index("method")["mean"]))
    assert "c has values on less than half of the" in found._repr_html_()
    assert "b has the" in found.answer[1] and " –" not in found.answer[1]


def test_what_means_are_over_is_said() -> None:
    frame = folds("abc", "pqrstuvw")
    lacking = frame[(frame.method != "c") | (frame.dataset < "v")]
    page = rankexp.verdicts(lacking)._repr_html_()
    assert "average ranks are over the 6 data sets that all methods have" in page
    assert "data sets that all" not in rankexp.verdicts(frame)._repr_html_()


def test_the_best_by_ranks_may_be_the_worse_of_two() -> None:
    """What other methods do between two of them moves their average ranks."""
    rows = []
    for place in range(20):
        rare = place < 3
        own = {"A": 0.8, "B": 0.799 if rare else 0.9 + place / 1000}
        own |= {f"c{k}": 0.7995 - k / 100_000 if rare else 0.1 + k / 100 for k in range(8)}
        rows += [(name, f"set {place}", value) for name, value in own.items()]
    found = rankexp.verdicts(pd.DataFrame(rows, columns=["method", "dataset", "auc"]))
    assert found.standings.method[0] == "A"
    assert found.standings.set_index("method").verdict["B"] == "better"
    assert "But B is shown better in the comparison of the two." in found.answer[1]
    assert "not told apart" not in found.answer[1]


def test_a_data_set_without_a_value() -> None:
    frame = folds("abc", "pqrs")
    frame.loc[frame.dataset == "q", "auc"] = math.nan
    assert "No method has a value on q." in said(frame)
    with pytest.raises(DataError, match="'auc' has no value"):
        rankexp.verdicts(frame[frame.dataset == "q"])


def test_small_losses_have_no_margin_by_themselves() -> None:
    frame = folds("abc", folds=10).rename(columns={"auc": "brier"})
    frame["brier"] /= 100
    assert "No margin is given, so nothing is called equivalent" in said(frame)
    assert "Differences below .01" in said(frame, better="higher")


def test_two_data_sets_are_one_family_and_both_are_shown(tmp_path: Path, typed: Typed) -> None:
    folds("abc", "pq").to_csv(tmp_path / "t.csv", index=False)
    done = typed("t.csv", cwd=tmp_path)
    assert done.stdout.count("95 % CI for all 6 tests at once") == 2
    assert "Methods on p; higher is better" in done.stdout and "Methods on q;" in done.stdout


def test_methods_as_high_as_the_best_are_named() -> None:
    frame = folds("ab", folds=20)
    clone = frame[frame.method == "b"].assign(method="clone")
    assert "b and clone have the highest mean auc of 3 methods" in said(pd.concat([frame, clone]))


def test_two_methods_are_spoken_of_as_two() -> None:
    text = said(folds("ab", step=0.5))
    assert "b has the highest mean auc of 2 methods" in text and "a is shown worse." in text
    assert "It is not told apart from a (" in said(folds("ab", step=0.0))
    assert "all 1 " not in text and "other 1" not in text


def test_an_interval_that_excludes_0_does_not_end_at_0() -> None:
    rng = np.random.default_rng(0)
    sizes = itertools.product(range(9), [("a", 1.0), ("b", 1.3)])
    rows = [(m, f"d{d}", 10.0 ** (d - 3) * v * rng.uniform(1, 1.1)) for d, (m, v) in sizes]
    found = rankexp.verdicts(pd.DataFrame(rows, columns=["method", "dataset", "rmse"]))
    assert found.standings.verdict[1] == "worse"
    assert ">0 to" not in found._repr_html_() and ">+.03 to" in found._repr_html_()


def test_numbers_as_names_have_their_column_before_them() -> None:
    frame = folds("ab", "pqr").replace({"method": {"a": 1, "b": 10}, "dataset": {"p": 3}})
    assert list(rankexp.verdicts(frame[frame.dataset == 3]).standings.method) == [
        "method 10",
        "method 1",
    ]


def test_the_column_of_values_is_known_by_its_metric() -> None:
    frame = folds("ab").assign(warnings=0, seconds_total=1).rename(columns={"auc": "classif.acc"})
    with pytest.raises(ConfigError, match="no column is known to hold the values"):
        rankexp.verdicts(frame)  # there are seconds, too
    assert "value is 'classif.acc' (guessed)" in said(frame.drop(columns="seconds_total"))


HOSTILE = ["<script>alert(1)</script>", "a|b\nc", "=1+1", "\u202eRTL", "x" * 2000, "x" * 2001]


def test_hostile_names_stay_text_and_short(tmp_path: Path) -> None:
    frame = folds("abcdef").replace({"method": dict(zip("abcdef", HOSTILE, strict=True))})
    found = rankexp.verdicts(frame, out=tmp_path / "out")
    names = set(found.standings.method)
    assert len(names) == 6 and max(map(len, names)) < 70
    assert all(name.isprintable() for name in names)
    page = (tmp_path / "out" / "answer.html").read_text()
    assert "alert(1)</script>" not in page and "\u202e" not in page


def test_values_too_large_to_reckon_with() -> None:
    frame = folds("ab")
    with pytest.raises(DataError, match="'auc' has an infinite value, or one too large"):
        rankexp.verdicts(frame.assign(auc=frame.auc * 1e300))
    assert number(1.5e40) == "1.500e40" and number(-(2.0**60), sign=True) == "−1.153e18"
    assert len(said(frame.assign(auc=frame.auc * 1e100))) < 2000


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(EnvironmentProblemError, match=r"cannot write to .* with out="):
        rankexp.verdicts(folds("ab"), out=tmp_path / "file" / "inside")


@pytest.mark.slow
def test_files_are_there_even_if_the_pipe_breaks(tmp_path: Path) -> None:
    folds("abc", "pqr").to_csv(tmp_path / "t.csv", index=False)
    words = f"{sys.executable} -m rankexp verdicts t.csv | head -c 10"
    subprocess.run(words, shell=True, cwd=tmp_path, check=True, capture_output=True)
    assert (tmp_path / "verdicts-t" / "answer.html").exists()


def test_numbers_and_texts_as_names_of_methods(tmp_path: Path, typed: Typed) -> None:
    frame = folds("abcdefgh").replace({"method": {one: k for k, one in enumerate("abcdefg")}})
    frame.to_csv(tmp_path / "t.csv", index=False)
    done = typed("t.csv", cwd=tmp_path)
    assert done.returncode == 3 and "--nominal method" in done.stderr
    done = typed("t.csv", "--nominal", "method", cwd=tmp_path)
    assert "Which of 8 methods is best by auc?" in done.stdout


def test_runs_of_an_item_are_averaged_whatever_it_is_called() -> None:
    frame = folds("ab", folds=30, repeats=3).drop(columns="dataset")
    frame = frame.rename(columns={"fold": "item", "repeat": "seed"})
    expected = rankexp.verdicts(frame).pairs
    assert expected.n[0] == 30
    other = frame.rename(columns={"item": "uid"})
    found = rankexp.verdicts(other, each="item", split=["uid", "seed"]).pairs
    pd.testing.assert_frame_equal(found, expected)


def test_frames_may_hold_numbers_and_texts_as_names() -> None:
    frame = folds("abcdefgh").replace({"method": {one: str(k) for k, one in enumerate("abcdefg")}})
    with pytest.raises(DataError, match=r"or nominal=\['method'\] if"):
        rankexp.verdicts(frame)
    assert len(rankexp.verdicts(frame, nominal="method").standings) == 8
    failed = folds("abcdefgh").assign(auc=lambda one: one.auc.astype(str))
    failed.loc[3, "auc"] = "FAILED"
    assert "a lacks 1 of 5 on p" in said(failed, missing="FAILED")


@pytest.mark.parametrize(("sets", "bars"), [("pqrstuvw", False), ("pqrstuvwxyzä", True)])
def test_a_bar_that_could_be_taken_for_the_interval_is_not_drawn(sets: str, bars: bool) -> None:
    """Eight data sets tell none of fifteen pairs apart at once: there is no interval to draw."""
    chart = rankexp.verdicts(folds("abcdef", sets)).sections["standings"].output.chart
    assert isinstance(chart, Chart)
    (panel,) = chart.panels
    assert isinstance(panel, Intervals) and len(panel.rows) == 5
    for one in panel.rows:
        assert math.isfinite(one.low) == math.isfinite(one.near[0]) == bars
