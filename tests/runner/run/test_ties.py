"""Scores that differ by rounding alone tie, so that no processor decides an order or a choice."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankexp.metrics import auc
from rankexp.metrics.metric import parse
from rankexp.runner.analyse import select
from rankexp.runner.grid import EQUAL, Point
from rankexp.runner.run.measured import SAME, best_points, with_ties


@given(st.integers(2, 60), st.integers(1, 8), st.floats(-20, 20), st.integers(0, 10**6))
@settings(max_examples=80)
def test_noise_of_rounding_changes_no_value(n: int, K: int, exponent: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    clean = rng.normal(size=K)[rng.integers(0, K, n)] * 10.0**exponent
    y = np.arange(n) % 2
    noisy = clean + 2e-15 * np.abs(clean).max() * rng.uniform(-1, 1, n)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = with_ties(np.column_stack([noisy, clean]))
    assert auc(y, found[:, 0]) == auc(y, clean)
    np.testing.assert_array_equal(found[:, 1], clean)
    np.testing.assert_array_equal(with_ties(found), found)
    order = rng.permutation(n)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        np.testing.assert_array_equal(with_ties(noisy[order, None])[:, 0], found[order, 0])


def test_what_is_apart_keeps_its_bits_and_infinite_scores_stay() -> None:
    scores = np.array([[-np.inf], [0.1], [0.1 + 1e-9], [3.0], [np.inf], [np.inf]])
    assert with_ties(scores) is scores
    close = np.array([[1.0], [1.0 + SAME / 2], [1.0 + 3 * SAME], [-np.inf], [1.0 + SAME]])
    with pytest.warns(UserWarning, match="2 of 5 different scores"):
        found = with_ties(close)
    assert found[:, 0].tolist() == [1.0, 1.0, 1.0 + 3 * SAME, -np.inf, 1.0]
    assert with_ties(np.empty((0, 2))).shape == (0, 2)


def test_scores_over_many_orders_of_size_are_told() -> None:
    with pytest.warns(UserWarning, match="logarithms"):
        found = with_ties(np.exp(np.linspace(-100, 100, 50))[:, None])
    assert len(np.unique(found)) < 50


def test_a_choice_within_rounding_goes_to_the_simplest_point() -> None:
    grid = [Point.of({"lam": lam}) for lam in (0.1, 1.0, 10.0, 100.0)]
    place = {"problem": "p", "method": "m", "model": 0, "rep": 0, "fold": 0, "unit": 0}
    values = [0.3, 0.2 - EQUAL / 4, 0.2, 0.2 + 10 * EQUAL]
    inner = pd.DataFrame(
        [{**place, "grid": g, "value": v} for g, v in zip(grid, values, strict=True)]
    )
    assert select.nested(inner, inner, higher=False).grid.tolist() == [grid[2]]
    assert select.oracle(inner, higher=False).grid.tolist() == [grid[2]]
    rule = select.Rule("nested")
    assert rule.ties(inner, lambda part: inner, higher=False) == (1, 1)


def test_several_parameters_are_simpler_one_after_the_other() -> None:
    points = [
        Point.of({"n_rounds": r, "max_leaf_nodes": leaves})
        for r in (10, 100)
        for leaves in (4, 16)
    ]
    assert max(points, key=lambda point: point.simplicity) is points[0]
    assert sorted(points, key=lambda point: point.simplicity)[0] is points[3]
    assert Point.of({"criterion": "gini"}).simplicity == ()


def test_the_points_that_may_be_chosen_are_kept() -> None:
    metrics = [parse("auc"), parse("rank_loss")]
    values = np.array([[0.7, 0.8, 0.8 - EQUAL / 2, np.nan], [0.3, 0.2, 0.2, 0.1]])
    assert best_points(metrics, values) == {1, 2, 3}
