"""Bands, slopes and distances of curves, and what a check found step by step."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankexp.runner.analyse import compare, kept
from rankexp.runner.analyse.frame import COLUMNS
from rankexp.studies.uematsu2010 import theories

X = np.linspace(-2.0, 3.0, 11)
INSIDE = np.abs(X) <= 1.0
CURVES = st.lists(st.floats(-50, 50), min_size=22, max_size=22).map(
    lambda values: np.array(values).reshape(2, 11)
)


@given(CURVES)
def test_slopes_are_those_of_least_squares(curves: np.ndarray) -> None:
    expected = [np.polyfit(X[INSIDE], one[INSIDE], 1)[0] for one in curves]
    np.testing.assert_allclose(kept.slopes(X, curves, INSIDE), expected, atol=1e-9)
    assert kept.slopes(X, curves[0], INSIDE) == pytest.approx(expected[0], abs=1e-9)


@given(CURVES)
def test_no_other_factor_brings_a_curve_nearer(curves: np.ndarray) -> None:
    function = kept.centred(np.sin(X), INSIDE)
    curves = kept.centred(curves, INSIDE)
    found = theories.distances(theories.rescaled(curves, function, INSIDE), function, INSIDE)
    for factor in (-1.0, 0.0, 0.01, 0.3, 1.0):
        assert (found <= theories.distances(factor * curves, function, INSIDE) + 1e-9).all()


def test_a_constant_curve_is_not_rescaled() -> None:
    flat = np.zeros((1, 11))
    assert (theories.rescaled(flat, np.sin(X), INSIDE) == 0).all()


def test_a_band_holds_its_share() -> None:
    curves = np.arange(101.0)[:, None] + np.array([0.0, 1000.0])
    found = theories.band(curves, 0.9)
    np.testing.assert_allclose(found.mean, [50, 1050])
    np.testing.assert_allclose(found.low, [5, 1005])
    np.testing.assert_allclose(found.high, [95, 1095])


def test_distances_are_over_the_window_alone() -> None:
    curves = np.where(INSIDE, 3.0, 1e9)[None]
    assert theories.distances(curves, np.full(11, -1.0), INSIDE).tolist() == [4.0]


def frame(rows: list[tuple[int, str | None, int | None, str, float]]) -> pd.DataFrame:
    """Return a long frame of (rep, group, step, quantity, value)."""
    table = pd.DataFrame(rows, columns=["rep", "group", "step", "metric", "value"])
    table["step"] = table["step"].astype("Int64")
    table["rep"] = table["rep"].astype("Int64")
    table = table.assign(experiment="e", problem="c", setting=0, part="test", status="ok")
    return table.reindex(columns=[*COLUMNS, "setting"]).astype({"setting": "Int64"})


def test_steps_are_one_row_each_and_no_part_of_means() -> None:
    long = frame(
        [
            (0, None, 10, "x", 2.0),
            (0, None, 9, "x", 1.0),
            (0, None, 9, "r", -1.0),
            (0, None, 10, "r", float("nan")),
            (0, None, None, "x", 7.0),
        ]
    )
    table = compare.as_found(long, "e", "step")
    assert table["step"].tolist() == [9, 10]
    assert table["x"].tolist() == [1.0, 2.0]
    assert table["r"].tolist()[0] == -1.0 and np.isnan(table["r"].tolist()[1])
    means = compare.simulated(long, "e")
    assert means[["quantity", "mean"]].values.tolist() == [["x", 7.0]]
    assert not len(compare.as_found(long, "e", "group"))


def test_groups_are_told_apart_by_repetition() -> None:
    long = frame([(rep, str(g), None, "c", rep + g) for rep in (0, 1) for g in (0, 1)])
    table = compare.as_found(long, "e", "group")
    assert table[["rep", "group", "c"]].values.tolist() == [
        *([0, "0", 0.0], [0, "1", 1.0]),
        *([1, "0", 1.0], [1, "1", 2.0]),
    ]
