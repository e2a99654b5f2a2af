"""Differences over folds by the placements of test rows: a whole run against sums by hand."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from rankexp.runner.analyse.contrast import OVER_ROWS
from rankexp.runner.analyse.examples import scores
from rankexp.runner.analyse.select import Rule
from rankexp.runner.config.load import load
from rankexp.runner.config.schema import Keep
from rankexp.runner.keep import KeptName
from rankexp.runner.keep.curves.placements import ROWS, is_placements
from rankexp.runner.report.build import open_report
from rankexp.runner.run.execute import execute
from rankexp.runner.run.store import Store

STUDY = """\
version: 1
study: placed
title: Placements
seed: 3
data: {d: {source: {file: d.csv}, target: y, levels: ["0", "1"]}}
methods:
  weak: {estimator: LinearRanker, params: {risk: classification}, grid: {lam: [1.0, 0.001]}}
  strong: {estimator: LinearRanker, params: {risk: classification}, grid: {lam: [100.0]}}
  pairs: {estimator: LinearRanker, params: {risk: bipartite}, grid: {lam: [0.001]}}
experiments:
  e:
    problems: [d]
    methods: [weak, strong, pairs]
    protocol: PROTOCOL
    metrics: [auc]
    inner: {folds: 2}
    keep: {curves: [placements], scores: true}
report:
  - {block: comparison, name: c, experiment: e, options: &o
      {method: weak, references: [strong], rule: nested}}
  - block: contrasts
    name: k
    experiment: e
    options: {margin: .01, rule: nested, contrasts: {all: [[weak, strong], [pairs, strong]]}}
"""
FOLDS = "{kind: cross_validation, repeats: 2, folds: 4, stratified: true}"


def ran(folder: Path, protocol: str = FOLDS, n: int = 160) -> Path:
    rng = np.random.default_rng(0)
    y = (np.arange(n) % 4 == 0).astype(int)
    X = rng.normal(size=(n, 3)) + 0.7 * y[:, None] * np.array([1.0, 0.5, 0.0])
    pd.DataFrame({"a": X[:, 0], "b": X[:, 1] ** 3, "c": X[:, 2], "y": y}).to_csv(
        folder / "d.csv", index=False
    )
    (folder / "study.yaml").write_text(STUDY.replace("PROTOCOL", protocol), "utf-8")
    file, results = folder / "study.yaml", folder / "results"
    outcome = execute(
        load(file), config=file, results=results, workers=1, folders=[folder], quiet=True
    )
    assert outcome.exit_code == 0, outcome.messages
    return outcome.folder


def by_hand(kept: pd.DataFrame, chosen: dict[tuple[str, int, int], str]) -> tuple[float, float]:
    """Return the mean difference of weak and strong and its SE, from scores of examples."""
    gained: dict[tuple[int, int], list[float]] = {}
    folds = []
    for (rep, fold), part in kept.groupby(["rep", "fold"]):
        own = {}
        for method in ("weak", "strong"):
            rows = part[(part.method == method) & (part.grid == chosen[method, rep, fold])]
            s, y, at = (rows[name].to_numpy() for name in ("score", "y", "row"))
            for i in range(len(rows)):
                others = s[y != y[i]]
                sign = 1 if y[i] else -1
                won = ((sign * (s[i] - others) > 0) + 0.5 * (s[i] == others)).mean()
                own[method, at[i], y[i]] = won
        for method, row, level in own:
            if method == "weak":
                difference = own["weak", row, level] - own["strong", row, level]
                gained.setdefault((row, level), []).append(difference)
        positive = [
            own["weak", r, y] - own["strong", r, y] for m, r, y in own if m == "weak" and y
        ]
        folds.append(np.mean(positive))
    variance = 0.2 * 0.25 * np.var(folds, ddof=1)
    for level in (0, 1):
        each = np.array([np.mean(v) for (_, own_level), v in gained.items() if own_level == level])
        n = len(each)
        variance += each.var(ddof=1) / n + 0.5 * (np.abs(each - each.mean()).max() / (n - 2)) ** 2
    return float(np.mean(folds)), float(np.sqrt(variance))


def test_a_comparison_over_folds_is_by_the_placements_of_all_rows(tmp_path: Path) -> None:
    out = ran(tmp_path)
    records = list(Store(out).read().values())
    assert len(records) == 24 and all(ROWS in record.curves for record in records)
    points = [KeptName.parse(k).point for r in records for k in r.curves if is_placements(k)]
    assert 24 <= len(points) < 32, "points that the inner folds do not choose are left out"
    report = open_report(out)
    assert not report.failures
    compared, contrasts = (block.output.numbers for block in report.blocks)
    assert compared is not None and contrasts is not None
    row = compared.iloc[0]
    assert row["test"] == OVER_ROWS and row["n"] == 8
    context, nested = report.context, Rule("nested")
    chosen = context.chosen("e", context.metric("e", None), nested, ["weak", "strong"])
    places = zip(chosen.method, chosen.rep, chosen.fold, chosen.grid, strict=True)
    grid = {(m, r, f): str(g) for m, r, f, g in places}
    mean, se = by_hand(scores(out), grid)
    assert row["difference"] == pytest.approx(mean, abs=1e-12)
    assert row["se"] == pytest.approx(se, rel=1e-9)
    assert row["high"] - row["low"] < row["high_resampled"] - row["low_resampled"]
    both = contrasts.iloc[0]
    assert both["test"] == OVER_ROWS and both["low"] < both["difference"]


def test_one_large_split_is_judged_over_its_rows(tmp_path: Path) -> None:
    out = ran(tmp_path, "{kind: split, repeats: 1, test: 0.7}", n=300)
    numbers = open_report(out).blocks[0].output.numbers
    assert numbers is not None
    row = numbers.iloc[0]
    assert (row["test"], row["unit"], row["n"]) == ("DeLong's test", "examples", 210)
    assert row["low"] < row["difference"] < row["high"] and "of these fits" in row["note"]


def test_placements_are_kept_of_every_split() -> None:
    both = Keep(curves=["placements", "iroc"], texts=["tree"])
    assert both.of_all == Keep(curves=["placements"])
    assert Keep(curves=["iroc"]).of_all is None


@pytest.mark.parametrize(
    "protocol",
    [
        "{kind: split, repeats: 3, test: 0.4}",
        "{kind: cross_validation, repeats: 1, folds: 4, together: duplicates}",
    ],
)
def test_where_rows_are_not_known_to_tell_the_corrected_test_stays(
    tmp_path: Path, protocol: str
) -> None:
    for block in open_report(ran(tmp_path, protocol)).blocks:
        assert block.output.numbers is not None
        row = block.output.numbers.iloc[0]
        assert row["test"] == "corrected resampled t-test"
