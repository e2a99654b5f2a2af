"""Blocks on continuous targets, each on records worked out by hand."""

import json
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import numpy as np
import pandas as pd
import pytest

from rankexp import __version__, registry
from rankexp.charts.model import Intervals
from rankexp.errors import ConfigError
from rankexp.metrics.metric import parse
from rankexp.runner import plan
from rankexp.runner.config.schema import Block, Study
from rankexp.runner.grid import points
from rankexp.runner.plan import PlanCell
from rankexp.runner.report.blocks.theory import optimum
from rankexp.runner.report.context import Context
from rankexp.runner.report.model import Output
from rankexp.runner.report.render.text import rows
from rankexp.runner.run.record import Record, RecordRow
from rankexp.runner.spec import EvaluateSpec
from rankexp.studies.clemencon2017.blocks.scoring_functions import distribution, matched
from rankexp.studies.clemencon2017.blocks.tree import placed
from rankexp.studies.clemencon2017.texts.tree import TreeNode

X = [0.0, 0.25, 0.5, 1.0]
M = [1.0, 2.0, 3.0, 7.0]
NODES = [
    TreeNode(0, 4, "x0 > 0.5"),
    TreeNode(1, 1, score=2.0),
    TreeNode(1, 3, "x0 <= 0.25"),
    TreeNode(2, 2, score=1.0),
    TreeNode(2, 1, score=0.5),
]
TREES = {
    "tree:0": json.dumps([asdict(TreeNode(0, 4, score=1.0))]),
    "tree:1": json.dumps([asdict(node) for node in NODES]),
}
STUDY: dict[str, Any] = {
    "version": 1,
    "study": "by-hand",
    "title": "By hand",
    "seed": 1,
    "generators": {"toy": {"label": "the toy", "generator": "polynomial"}},
    "methods": {
        "tree": {"label": "Tree", "estimator": "KendallTree", "grid": {"depth": [1, 2]}},
        "flat": {"label": "Flat", "estimator": "sklearn.dummy.DummyRegressor"},
    },
    "experiments": {
        "e": {
            "problems": ["toy"],
            "protocol": {
                "kind": "models",
                "models": 4,
                "training_sets": 1,
                "n_train": 4,
                "n_test": 4,
            },
            "methods": ["tree", "flat"],
            "metrics": ["iauc", "mse"],
            "keep": {"splits": 2, "curves": ["scoring_function", "iroc"], "texts": ["tree"]},
        }
    },
}
PUBLISHED = {
    "experiment": "e",
    "problem": "toy",
    "quantity": "iauc",
    "last_digit": "0.01",
    "source": "Table 1",
    "verified": "true",
    "note": "another definition",
}


def record(cell: PlanCell) -> Record:
    """Return a record whose second grid point is the better one."""
    assert cell.place.model is not None
    tree = cell.method == "tree"
    grid = points({"depth": [1, 2]} if tree else {})
    rows, curves = [], {}
    for g in range(len(grid)):
        value = 0.5 + (0.1 * cell.place.model + 0.1 * g if tree else 0.0)
        rows.append(RecordRow("test", g, None, None, "iauc", value))
        rows.append(RecordRow("test", g, None, None, "mse", 0.1 * (g + 1)))
    rows.append(RecordRow("test", 0, None, None, "iauc:bayes", 1.0))
    assert isinstance(cell.spec, EvaluateSpec)
    kept = cell.spec.keep is not None
    for g in range(len(grid)) if kept else ():
        score = [1.0, 1.0, 1.0, 2.0 + g] if tree else [5.0] * 4
        ends = [0, 2, 3] if tree else [0, 3]
        curves[f"scoring_function:{g}"] = {
            "x": [X[i] for i in ends],
            "y": [score[i] for i in ends],
        }
        height = 0.5 + 0.2 * cell.place.model if tree else 0.5
        curves[f"iroc:{g}"] = {"x": [0.0, 0.5, 1.0], "y": [0.0, height, 1.0]}
    if kept:
        curves["scoring_function:bayes"] = {"x": X, "y": M}
        curves["iroc:bayes"] = {"x": [0.0, 0.5, 1.0], "y": [1.0, 1.0, 1.0]}
    texts = TREES if tree and kept else {}
    return Record(cell.key, grid=grid, rows=rows, curves=curves, texts=texts, version=__version__)


def context(keep: bool = True, drop: Callable[[PlanCell], bool] = lambda cell: False) -> Context:
    study = Study.model_validate(STUDY)
    if not keep:
        setup = study.experiments["e"].model_copy(update={"keep": None})
        study = study.model_copy(update={"experiments": {"e": setup}})
    cells = list(plan.cells(study, {}))
    records = {cell.key: record(cell) for cell in cells if not drop(cell)}
    rows = [
        PUBLISHED | {"method": "tree", "value": "0.75"},
        PUBLISHED | {"method": "flat", "value": "0.60"},
    ]
    return Context(study, cells, records, {"published": rows})


def show(name: str, made: Context | None = None, **options: Any) -> Output:
    block = Block(block=name, name="x", experiment="e", options=options)
    kind = registry.get("report.blocks", name).model_validate(options)
    output: Output = kind.build(made or context(), block)
    return output


def test_readings_stand_together_beside_what_is_printed_of_one_method() -> None:
    output = show("together", published="e", of="tree")
    assert output.numbers is not None
    table = output.numbers.set_index("method")
    assert table["metric"].tolist() == ["iauc", "iauc"]  # nothing is published of the mse
    assert table["nearest"].tolist() == pytest.approx([0.05, 0.25])  # .7 or .8, and .5, to .75
    assert table["verdict"].tolist() == ["reproduced", "not reproduced"]
    shown = [row[:2] for row in rows(output.tables[0])]
    assert shown[0] == ["published", ".75"]
    assert shown[1] == ["Tree", ".750 (.607 to .892)"]
    assert shown[2] == ["Flat", ".500 ≠ (.500 to .500)"]
    assert "With 2 readings of Tree" in output.gist and ".050 (Tree)" in output.gist


def test_a_seed_that_lacks_a_metric_is_not_the_nearest() -> None:
    made = context(drop=lambda cell: cell.method == "tree")
    output = show("together", made, published="e", of="tree")
    assert output.numbers is not None
    assert output.numbers["method"].tolist() == ["flat"]
    assert "With one reading of" in output.gist and "(Flat)" in output.gist


def test_what_the_study_has_not_is_no_reading() -> None:
    block = Block(block="together", name="x", experiment="e")
    kind = registry.get("report.blocks", "together")
    faults = list(kind(published="f", of="stump").faults(Study.model_validate(STUDY), block))
    assert [fault.path for fault in faults] == [("options", "published"), ("options", "of")]
    assert show("together", published="e", of="cart").texts == [
        "Nothing is published of e, toy, cart."
    ]


def test_a_published_run_is_placed_among_the_seeds() -> None:
    output = show("published_spread", metrics=["iauc"])
    assert output.numbers is not None and output.figure is not None
    table = output.numbers.set_index("method")
    tree = table.loc["tree"]  # at the better grid point .6, .7, .8, .9
    assert tree["mean"] == pytest.approx(0.75)
    assert (tree["least"], tree["greatest"]) == pytest.approx((0.6, 0.9))
    assert tree["low"] == pytest.approx(0.6075) and tree["high"] == pytest.approx(0.8925)
    assert (tree["below"], tree["seeds"], tree["best"]) == (0.5, 4, 4)
    assert (tree["verdict"], tree["note"]) == ("reproduced", "")
    flat = table.loc["flat"]
    assert (flat["best"], flat["worst"], tree["worst"]) == (0, 4, 0)
    assert (flat["verdict"], flat["note"]) == ("not reproduced", "another definition")
    assert rows(output.tables[0])[0][:4] == ["IAUC", "Tree", ".75", ".7500 (.6075 to .8925)"]
    shown = [".5000 (.5000 to .5000)", "100 %", "not reproduced"]
    assert rows(output.tables[0])[1][3:6] == shown
    assert output.tally is not None and output.tally.found.startswith(
        "1 of 2 published values are consistent"
    )
    assert output.tally.lacks.startswith("1 of 2 values, furthest Flat in IAUC (.5000 here, .")


def test_the_best_of_the_seeds_heeds_the_metrics_direction() -> None:
    output = show("published_spread", metrics=["mse"])
    assert output.numbers is not None
    assert output.numbers["best"].tolist() == [4, 4]  # both .1: the lower grid point is chosen
    assert output.numbers["worst"].tolist() == [4, 4]
    assert rows(output.tables[0])[0][2] == "–"


def test_scoring_functions_are_given_back_and_matched() -> None:
    output = show("scoring_functions", windows=[[0.2, 1.0]], values=["iauc"], optimal=True)
    assert output.numbers is not None and output.figure is not None
    assert output.numbers["x"].tolist() == X and output.numbers["m"].tolist() == M
    assert output.numbers["tree"].tolist() == [1.0, 1.0, 1.0, 3.0]  # the second grid point's
    assert output.numbers["flat"].tolist() == [5.0] * 4
    assert output.numbers["optimal"].tolist() == [0.125, 0.375, 0.625, 0.875]
    whole, zoom = output.figure.axes[:2]
    drawn = {line.get_label(): line.get_ydata() for line in whole.get_lines()}
    np.testing.assert_allclose(drawn["Tree"], [2, 2, 2, 7])
    np.testing.assert_allclose(drawn["Flat"], 13 / 4)
    assert [len(line.get_xdata()) for line in zoom.get_lines()] == [3, 3, 3, 3]
    assert "Tree .6000, Flat .5000, an optimal scorer 1.0000" in output.texts[-1]


def test_scores_that_are_not_matched_are_divided_by_what_is_given() -> None:
    options = {"windows": [[0.2, 1.0]], "divided": {"tree": 2.0}}
    output = show("scoring_functions", match="none", **options)
    assert output.figure is not None
    for axes, kept in zip(output.figure.axes[:2], (slice(None), slice(1, None)), strict=True):
        drawn = {line.get_label(): line.get_ydata() for line in axes.get_lines()}
        np.testing.assert_allclose(drawn["Tree"], np.array([1.0, 1.0, 1.0, 3.0])[kept] / 2.0)
        np.testing.assert_allclose(drawn["Flat"], 5.0)
    assert "In the other panels scores are divided: Tree by 2." in output.texts


def test_scores_are_matched_by_least_squares() -> None:
    m = np.array([0.0, 1.0, 5.0])
    np.testing.assert_allclose(matched(np.array([2.0, 4.0, 12.0]), m), m, atol=1e-15)
    np.testing.assert_allclose(matched(-m, m), m, atol=1e-15)
    assert distribution(np.array([3.0, 1.0, 3.0])).tolist() == [2 / 3, 1 / 6, 2 / 3]


def test_a_tree_is_read_from_its_text_and_placed() -> None:
    root = placed(NODES)
    assert [cell.node for cell in root.walk()] == NODES
    assert [cell.text for cell in root.walk()] == [
        *("x0 > 0.5", "score 2", "x0 <= 0.25", "score 1", "score 0.5")
    ]
    output = show("tree")
    assert output.numbers is not None and output.figure is not None
    assert output.numbers["method"].unique().tolist() == ["tree"]
    assert rows(output.tables[0])[3] == ["· · score 1", "2"]
    places = {text.get_text(): text.get_position() for text in output.figure.axes[0].texts}
    assert places["score 2\nn = 1"] == (0.0, -1) and places["score .5\nn = 1"] == (2.0, -2)
    assert places["x0 ≤ .25\nn = 3"] == (1.5, -1)
    assert places["x0 > .5\nn = 4"] == (0.75, 0)


def test_a_tree_of_older_records_is_not_drawn_and_that_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(TREES, "tree:1", "x0 > 0.5  [4]\n|   score 2  [1]")
    with pytest.raises(ConfigError, match="not read any more: run the methods again with --redo"):
        show("tree")


def test_leaves_out_of_order_are_not_said_to_be_ranked(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "cells to the left rank higher" in show("tree").texts[0]
    turned = [NODES[0], *NODES[2:], NODES[1]]
    monkeypatch.setitem(TREES, "tree:1", json.dumps([asdict(node) for node in turned]))
    output = show("tree")
    assert "rank higher" not in output.texts[0] and output.tables[0].labels[0] == "Cell"


def test_iroc_curves_are_averaged_over_the_splits_kept() -> None:
    output = show("iroc_curves")
    assert output.numbers is not None and output.figure is not None
    middle = output.numbers[output.numbers["x"] == 0.5].set_index("method")
    assert middle["y"].to_dict() == pytest.approx({"tree": 0.6, "flat": 0.5, "bayes": 1.0})
    assert set(middle["splits"]) == {2}
    assert output.figure.legends[0].get_texts()[-1].get_text() == "optimal"


def test_the_best_scorer_stands_beside_each_method() -> None:
    output = show("optimum")
    assert output.numbers is not None and output.figure is not None
    table = output.numbers.set_index("method")
    assert table.loc["tree", ["value", "best", "short"]].tolist() == pytest.approx([0.75, 1, 0.25])
    assert table.loc["tree", "short_se"] == pytest.approx(np.std([1, 2, 3, 4], ddof=1) / 20)
    apart, values = map(rows, output.tables)
    assert apart[0] == ["the toy", "1.0000 ± .0000", ".2500 ± .0645", ".5000 ± .0000"]
    assert values[0][:3] == ["the toy", "1.0000 ± .0000", ".7500"]
    assert [table.detail for table in output.tables] == [False, True]


def test_the_bars_are_of_the_distance_to_the_best_not_of_the_value() -> None:
    table = show("optimum").numbers
    assert table is not None
    apart = table.assign(short=0.25, short_se=0.01, value_se=9.0, best_se=9.0)
    (panel,) = optimum.chart(context(), apart, list(apart["method"]), parse("iauc")).panels
    assert isinstance(panel, Intervals) and len(panel.rows) == len(apart)
    for row in panel.rows:
        np.testing.assert_allclose((row.low, row.high), (0.23, 0.27))


def test_many_methods_have_a_row_each_on_one_scale() -> None:
    names = [f"m{i}" for i in range(7)]
    cases = [(label, name, i) for label in ("a", "b") for i, name in enumerate(names)]
    table = pd.DataFrame(cases, columns=["label", "method", "short"]).assign(short_se=0.5)
    table.loc[table.label == "b", "short"] *= 10
    drawn = optimum.chart(context(), table, names, parse("iauc"))
    assert [panel.title for panel in drawn.panels] == ["a", "b"]
    for panel, scale in zip(drawn.panels, (1, 10), strict=True):
        assert isinstance(panel, Intervals) and not panel.methods
        assert [(row.label, row.value) for row in panel.rows] == [
            (name, scale * i) for i, name in enumerate(names)
        ]
        assert (panel.axis.low, panel.axis.high) == (-1.0, 61.0)
    few = optimum.chart(context(), table, names[:6], parse("iauc"))
    assert [len(panel.labels) for panel in few.panels if isinstance(panel, Intervals)] == [2]


@pytest.mark.parametrize("name", ["scoring_functions", "tree", "iroc_curves"])
def test_nothing_kept_is_said(name: str) -> None:
    output = show(name, context(keep=False))
    assert output.figure is None
    assert len(output.texts) == 1


@pytest.mark.parametrize(
    "name", ["published_spread", "scoring_functions", "tree", "iroc_curves", "optimum"]
)
def test_what_a_run_lacks_is_said(name: str) -> None:
    gone = context(drop=lambda cell: cell.method == "tree" and cell.place.model == 3)
    assert show(name, gone).incomplete
    empty = context(drop=lambda cell: True)
    assert show(name, empty).incomplete
