"""Curves against theory, region map and staircase, on records worked out by hand."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from pydantic import ValidationError

from rankexp import __version__, registry
from rankexp.charts.model import Chart, Lines
from rankexp.errors import ConfigError
from rankexp.runner import plan
from rankexp.runner.config.schema import Block, Study
from rankexp.runner.grid import Point, points
from rankexp.runner.plan import PlanCell
from rankexp.runner.report.context import Context
from rankexp.runner.report.model import Output
from rankexp.runner.report.render.text import rows
from rankexp.runner.run.record import Record, RecordRow
from rankexp.runner.spec import SimulateSpec
from rankexp.studies.uematsu2010.blocks.region_map import pairs
from rankexp.studies.uematsu2010.theories import drawn_model

X = [-2.0, -1.0, 0.0, 1.0, 2.0]
MEAN = "mean; band: 90 % of samples"
SLOPES = {"line": (0.5, 1.0, 1.5), "unscaled": (10.0, 20.0, 30.0)}
KEEP = {
    "splits": 3,
    "curves": ["scoring_function"],
    "at": {"low": -2.0, "high": 2.0, "points": 5},
    "fitted": ["thresholds_"],
}
STUDY: dict[str, Any] = {
    "version": 1,
    "study": "by-hand",
    "title": "By hand",
    "seed": 1,
    "generators": {
        "two": {"label": "two classes", "generator": "gaussian"},
        "three": {"generator": "gaussian", "params": {"means": [-2, 0, 2]}},
        "toy": {"generator": "polynomial"},
    },
    "methods": {
        "line": {"label": "Line", "estimator": "RankBoost"},
        "unscaled": {"label": "Unscaled", "estimator": "RankBoost", "params": {"n_rounds": 3}},
        "steps": {"label": "Steps", "estimator": "ORBoost", "grid": {"n_rounds": [1, 2]}},
    },
    "experiments": {
        name: {
            "title": f"Samples of {name}",
            "problems": [name],
            "protocol": {
                "kind": "models",
                "models": 4,
                "training_sets": 1,
                "n_train": 4,
                "n_test": 4,
            },
            "methods": methods,
            "metrics": ["rank_loss"] if name == "two" else ["u_pairs"],
            "keep": KEEP,
        }
        for name, methods in (("two", ["line", "unscaled"]), ("three", ["steps"]))
    }
    | {
        "ties": {"kind": "simulate", "check": "hinge_ties", "repetitions": 2},
        "stairs": {"kind": "simulate", "check": "hinge_staircase"},
    },
}
PUBLISHED = {
    "experiment": "two",
    "problem": "two",
    "method": "line",
    "quantity": "slope",
    "value": "1",
    "last_digit": "1",
    "source": "Figure 1",
    "verified": "true",
    "note": "",
}
DRAWS = [  # c12, c23, p+(x2), p-(x2), by region, by program
    (2.0, 3.0, 0.3, 0.3, (1, 1), (1, 1)),
    (5.0, -1.0, 0.2, 0.4, (1, 0), (1, 0)),
    (-1.0, 5.0, 0.4, 0.2, (0, 1), (1, 1)),  # the program disagrees
    (-2.0, -3.0, 0.2, 0.3, (1, 0), (1, 0)),
    (-2.0, -2.0, 0.2, 0.2, (np.nan, np.nan), (0.5, 0.5)),
]


def record(cell: PlanCell) -> Record:
    if isinstance(cell.spec, SimulateSpec):
        return Record(cell.key, grid=(Point(()),), rows=simulated(cell), version=__version__)
    assert cell.place.model is not None
    grids = 2 if cell.method == "steps" else 1
    rows, curves = [], {}
    for g in range(grids):
        metric = repr(cell.spec.setting.metrics[0])
        rows.append(RecordRow("test", g, None, None, metric, 0.1 * (g + 1)))
        if cell.spec.keep is None:
            continue
        # the second grid point is the better one by u_pairs; its thresholds are 3 + model apart
        theta = (5.0, 8.0 + cell.place.model) if g == 1 else (0.0, 100.0)
        rows += [RecordRow("train", g, None, None, f"thresholds_[{i}]", theta[i]) for i in (0, 1)]
        slope = SLOPES[cell.method][cell.place.model] if cell.method in SLOPES else 1.0
        offset = sum(theta) / 2 if cell.method == "steps" else 7.0 * cell.place.model
        curves[f"scoring_function:{g}"] = {"x": X, "y": [slope * x + offset for x in X]}
    grid = points({"n_rounds": [1, 2]} if grids == 2 else {})
    return Record(cell.key, grid=grid, rows=rows, curves=curves, version=__version__)


def simulated(cell: PlanCell) -> list[RecordRow]:
    if cell.spec.check == "hinge_staircase":
        found = [("x", x) for x in X], [("r", r) for r in (-1.0, 0, 0, 0, 1)]
        masses = [("p_plus", np.exp(x)) for x in X], [("p_minus", np.exp(-x)) for x in X]
        rows = [
            RecordRow("test", 0, i, None, name, float(value))
            for column in (*found, *masses)
            for i, (name, value) in enumerate(column)
        ]
        return [*rows, RecordRow("test", 0, None, None, "levels", 3.0)]
    names = ("c12", "c23", "p_plus_2", "p_minus_2")
    rows = []
    for g, (*numbers, region, program) in enumerate(DRAWS):
        values = dict(zip(names, numbers, strict=True))
        values |= dict(zip(("region_d12", "region_d23"), region, strict=True))
        values |= dict(zip(("lp_d12", "lp_d23"), program, strict=True))
        rows += [RecordRow("test", 0, None, str(g), name, float(v)) for name, v in values.items()]
    return rows


def context(
    change: dict[str, Any] | None = None, drop: Callable[[PlanCell], bool] = lambda cell: False
) -> Context:
    """Return the study's context; `change` goes into every evaluation."""
    setups = {
        name: setup if "kind" in setup else setup | (change or {})
        for name, setup in STUDY["experiments"].items()
    }
    study = Study.model_validate(STUDY | {"experiments": setups})
    cells = list(plan.cells(study, {}))
    records = {cell.key: record(cell) for cell in cells if not drop(cell)}
    return Context(study, cells, records, {"published": [PUBLISHED]})


def show(
    name: str, experiment: str | list[str], made: Context | None = None, **options: Any
) -> Output:
    block = Block(block=name, name="x", experiment=experiment, options=options)
    kind = registry.get("report.blocks", name).model_validate(options)
    output: Output = kind.build(made or context(), block)
    return output


HALF = {"name": "half_log_ratio"}  # x, here
BOTH = {"line": HALF, "unscaled": HALF}


def test_curves_are_centred_and_measured_against_theory() -> None:
    output = show("curves_against_theory", "two", methods=["line"], theory={"line": HALF})
    assert output.numbers is not None
    table = output.numbers.set_index("quantity")
    slope = table.loc["slope"]
    assert slope[["mean", "sd", "theory", "published", "splits"]].tolist() == pytest.approx(
        [1.0, 0.5, 1.0, 1.0, 3]
    )
    assert slope["se"] == pytest.approx(0.5 / np.sqrt(3))
    size = np.sqrt(np.mean(np.square(X)))
    assert table.loc["rmse", "mean"] == pytest.approx((0.5 + 0 + 0.5) / 3 * size)
    assert table.loc["rmse of the mean", "mean"] == pytest.approx(0.0, abs=1e-12)
    points = table.loc["score"]
    np.testing.assert_allclose(points["mean"], X, atol=1e-12)
    np.testing.assert_allclose(points["theory"], X, atol=1e-12)
    np.testing.assert_allclose(points["first"], np.multiply(0.5, X), atol=1e-12)
    np.testing.assert_allclose(points["low"], [-2.9, -1.45, 0, 0.55, 1.1], atol=1e-12)
    row = rows(output.tables[0])[0]
    assert row[:4] == ["Line", "slope", "1.000", "1.000"]
    assert row[4:] == ["1.000 ± .289", ".550 to 1.450", "3"]


def test_the_picture_shows_what_the_table_says() -> None:
    window = [-1.0, 1.0]
    output = show(
        "curves_against_theory", "two", theory=BOTH, window=window, rescaled=["unscaled"]
    )
    assert isinstance(output.chart, Chart) and output.numbers is not None
    first, second = output.chart.panels[:2]
    assert (first.title, second.title) == ("Line", "Unscaled")
    for panel, method in ((first, "line"), (second, "unscaled")):
        assert isinstance(panel, Lines) and panel.window == window
        drawn = {line.label: line for line in panel.lines}
        own = output.numbers[output.numbers["method"] == method]
        points = own[own["quantity"] == "score"]
        mean = drawn[MEAN]
        for found, name in ((mean.y, "mean"), (mean.low, "low"), (mean.high, "high")):
            np.testing.assert_allclose(found, points[name])
        np.testing.assert_allclose(drawn["theory"].y, points["theory"])
        np.testing.assert_allclose(drawn["first sample"].y, points["first"])
    unscaled = output.numbers[output.numbers["method"] == "unscaled"]
    assert "slope" not in set(unscaled["quantity"])  # it has none of its own
    np.testing.assert_allclose(unscaled[unscaled["quantity"] == "score"]["high"], X)
    assert "x from −1 to 1" in output.tables[0].caption
    assert "Unscaled" in output.texts[-1]


def test_fitted_thresholds_centre_curves_and_are_compared() -> None:
    names = ["thresholds_[0]", "thresholds_[1]"]
    options = {
        "theory": {"steps": {"name": "orboost", "options": {"variant": "lr"}}},
        "centre": names,
        "differences": {"apart": names[::-1]},
    }
    output = show("curves_against_theory", "three", **options)
    assert output.numbers is not None
    table = output.numbers.set_index("quantity")
    np.testing.assert_allclose(table.loc["score", "first"], X, atol=1e-12)
    np.testing.assert_allclose(table.loc["score", "theory"], X, atol=1e-9)
    apart = table.loc["apart"]
    assert apart[["mean", "sd"]].tolist() == pytest.approx([4.0, 1.0])
    assert apart["theory"] == pytest.approx(2.0, abs=1e-9)
    assert "threshold 1 and threshold 2" in output.texts[0]


def test_slopes_and_distances_along_a_parameter() -> None:
    study = STUDY | {
        "methods": {
            name: STUDY["methods"]["steps"] | {"label": name, "params": {"n_cuts": cuts}}
            for name, cuts in (("steep", 2), ("flat", 3))
        },
        "experiments": {"two": STUDY["experiments"]["two"] | {"methods": ["steep", "flat"]}},
    }
    parsed = Study.model_validate(study)
    cells, records = list(plan.cells(parsed, {})), {}
    for cell in cells:
        slopes = (1.0, 2.0) if cell.method == "steep" else (1.0, 0.5 + cell.place.model)
        rows = [RecordRow("test", g, None, None, "rank_loss", 0.1) for g in (0, 1)]
        curves = {
            f"scoring_function:{g}": {"x": X, "y": [slope * x + 3.0 for x in X]}
            for g, slope in enumerate(slopes)
        }
        grid = points({"n_rounds": [1, 2]})
        records[cell.key] = Record(cell.key, grid=grid, rows=rows, curves=curves)
    made = Context(parsed, cells, records, {})
    options = {"theory": {"steep": HALF, "flat": HALF}}
    output = show("curves_along", "two", made, parameter="n_rounds", reference="steep", **options)
    assert output.numbers is not None and output.figure is not None
    table = output.numbers.set_index(["method", "n_rounds", "quantity"])
    assert table["samples"].unique().tolist() == [3]
    assert table.loc[("steep", 2, "slope"), "mean"] == pytest.approx(2.0)
    assert table.loc[("flat", 2, "slope"), "mean"] == pytest.approx(1.5)  # .5, 1.5, 2.5
    assert table.loc[("flat", 2, "slope"), "se"] == pytest.approx(1.0 / np.sqrt(3))
    assert table.loc[("flat", 1, "rmse"), "mean"] == pytest.approx(0.0, abs=1e-12)
    size = np.sqrt(np.mean(np.square(X)))
    assert table.loc[("flat", 1, "distance"), "median"] == pytest.approx(0.0, abs=1e-12)
    assert table.loc[("flat", 2, "distance"), "median"] == pytest.approx(0.5 * size)
    assert ("steep", 1, "distance") not in table.index
    slope, distance = output.figure.axes[:2]
    drawn = {line.get_label(): line.get_ydata() for line in slope.get_lines()}
    assert list(drawn["theory"]) == [1.0, 1.0]
    assert distance.get_ylabel() == "distance to steep"
    assert "slope of flat 1.00 to 1.50; distance of flat to steep .000 at 1, " in output.gist


def test_a_parameter_that_is_not_the_grid_is_refused() -> None:
    block = Block(block="curves_along", name="x", experiment="two")
    kind = registry.get("report.blocks", "curves_along")
    study = Study.model_validate(STUDY)
    (fault,) = kind(parameter="n_rounds", methods=["line"]).faults(study, block)
    assert fault.path == ("options", "parameter") and "'line'" in fault.text
    assert not list(kind(parameter="n_rounds", reference="steps").faults(study, block))


def test_without_theory_there_are_curves_alone() -> None:
    output = show("curves_against_theory", "two", methods=["line"])
    assert output.numbers is not None and isinstance(output.chart, Chart)
    assert output.numbers["quantity"].unique().tolist() == ["slope", "score"]
    panel = output.chart.panels[0]
    assert isinstance(panel, Lines)
    assert {line.label for line in panel.lines} == {MEAN, "first sample"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"window": [0.1, 0.9]}, "fewer than two of the points kept"),
        ({"centre": ["gap_"]}, "'gap_' is not kept of method 'steps' on 'three'"),
        ({"theory": {"steps": HALF}}, "theory 'half_log_ratio': known for 2 classes"),
        (
            {"theory": {"steps": {"name": "orboost", "options": {"variant": "left"}}}},
            "theory 'orboost': variant='left'",
        ),
    ],
)
def test_what_cannot_be_compared_is_said(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(message)):
        show("curves_against_theory", "three", **options)


def test_an_unknown_theory_is_an_error_with_a_guess() -> None:
    kind = registry.get("report.blocks", "curves_against_theory")
    with pytest.raises(ValidationError, match="did you mean 'half_log_ratio'"):
        kind.model_validate({"theory": {"line": {"name": "half_log_ration"}}})


def test_only_generators_have_models() -> None:
    with pytest.raises(ConfigError, match="'nothing' is a data set"):
        drawn_model(context(), "nothing")


def test_curves_at_test_examples_are_no_curves_at_fixed_points() -> None:
    made = context(change={"keep": {"splits": 3, "curves": ["scoring_function"]}})
    output = show("curves_against_theory", "two", made)
    assert output.figure is None and len(output.texts) == 1


def test_regions_are_counted_and_coloured_by_what_the_program_finds() -> None:
    output = show("region_map", "ties")
    assert output.numbers is not None and output.figure is not None
    assert len(output.numbers) == 10  # two repetitions
    assert rows(output.tables[0]) == [
        ["(1, 1)", "2", "20.0", "2", "0"],
        ["(1, 0)", "4", "40.0", "4", "0"],
        ["(0, 1)", "2", "20.0", "0", "2"],
        ["several", "2", "20.0", "–", "–"],
        ["all", "10", "100", "6", "2"],
    ]
    assert "6 of 8 draws. In 2 more, on a border" in output.texts[0]
    left, right = output.figure.axes[:2]

    def marks(axes: Any) -> dict[tuple[float, ...], bool]:
        scattered = [
            one for one in axes.collections if len(one.get_offsets()) and one.get_zorder() == 3
        ]
        return {
            tuple(np.round(place, 6).tolist()): len(one.get_facecolors()) > 0
            for one in scattered
            for place in one.get_offsets()
        }

    filled = marks(left)
    assert filled.keys() == {draw[:2] for draw in DRAWS}
    assert [place for place, full in filled.items() if not full] == [(-2.0, -2.0)]
    assert marks(right) == {(0.2, 0.1): True, (0.2, 0.0): False}


def test_differences_of_scores_are_named() -> None:
    first = pd.Series([1.0, 0.0, np.nan, 0.5, 2.0, 1 - 1e-9])
    second = pd.Series([1.0, 1.0, 1.0, 0.0, 0.0, 1e-9])
    found = ["(1, 1)", "(0, 1)", "several", "other", "other", "(1, 0)"]
    assert pairs(first, second) == found


def test_the_staircase_stands_beside_the_log_ratio_and_fitted_curves() -> None:
    output = show("staircase", ["stairs", "two"], methods=["line"])
    assert output.numbers is not None and isinstance(output.chart, Chart)
    assert output.numbers["r"].tolist() == [-1, 0, 0, 0, 1]
    np.testing.assert_allclose(output.numbers["log_ratio"], np.multiply(2, X))
    assert rows(output.tables[0]) == [["different scores", "3"]]
    assert set(output.numbers["levels"]) == {3.0}
    (panel,) = output.chart.panels
    assert isinstance(panel, Lines) and panel.title == "Line, Samples of two"
    drawn = {line.label: line for line in panel.lines}
    np.testing.assert_allclose(drawn[MEAN].y, X, atol=1e-12)
    stairs = drawn["lowest expected hinge loss"]
    np.testing.assert_allclose(stairs.y, np.repeat([-1, 0, 0, 0, 1], 2))
    assert stairs.x[0] == X[0] and stairs.x[-1] == X[-1]
    np.testing.assert_allclose(stairs.x[1:3], (X[0] + X[1]) / 2)  # steps are in the middle
    np.testing.assert_allclose(drawn["log of the ratio"].y, np.multiply(2, X))


@pytest.mark.parametrize(
    ("name", "experiment"),
    [("curves_against_theory", "two"), ("region_map", "ties"), ("staircase", ["stairs", "two"])],
)
def test_what_a_run_lacks_is_said(name: str, experiment: str | list[str]) -> None:
    gone = context(drop=lambda cell: cell.place.model == 2 or cell.place.rep == 1)
    assert name == "staircase" or show(name, experiment, gone).incomplete
    empty = show(name, experiment, context(drop=lambda cell: True))
    assert empty.incomplete and empty.figure is None and len(empty.texts) == 1
