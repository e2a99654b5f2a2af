"""The chapter's AdaBoost, the margin that RankBoost misses, the logistic booster, ROC, 10.7."""

import numpy as np
import pytest
from scipy.optimize import linprog

from rankexp.checks.check import Problem
from rankexp.studies.mohri2018.checks.scoring import (
    classifier_as_ranker,
    roc_points,
    steps_of_figure_10_2,
)
from rankexp.studies.mohri2018.checks.textbook_boosters import (
    ORDERS,
    chapters_adaboost,
    logistic_rankboost,
    missed_margin,
)


def ends(check, seed=0, **given):
    rows = check(np.random.default_rng(seed), **given)
    return {row["quantity"]: row["value"] for row in rows if len(row) == 2}


def noisy(share=0.5, n=150):
    rng = np.random.default_rng(2)
    y = (rng.random(n) < share).astype(int)
    return Problem("noisy", rng.standard_normal((n, 3)) + 0.7 * y[:, None], y, "binary")


def test_adaboost_with_a_constant_reaches_the_least_pair_loss():
    values = ends(chapters_adaboost, problem=noisy(0.9), rounds=1500)
    assert values["least pair loss"] > 0.1
    assert values["excess of AdaBoost with a constant"] < 0.002
    assert values["excess of RankBoost"] < 0.002
    ratio = values["rounds of AdaBoost with a constant over RankBoost"]
    counts = [values[f"rounds of {n}"] for n in ("AdaBoost with a constant", "RankBoost")]
    assert ratio == counts[0] / counts[1]


def test_the_constant_takes_the_first_round_where_a_class_is_rare():
    rows = chapters_adaboost(np.random.default_rng(0), problem=noisy(0.9), rounds=2)
    first = [r["value"] for r in rows if r["quantity"].startswith("excess of Ada") and "step" in r]
    least = next(r["value"] for r in rows if r["quantity"] == "least pair loss")
    assert first[0] + least == pytest.approx(1.0)  # a constant leaves all pairs as they were
    assert first[1] < first[0]


def boosted(rounds):
    """Return RankBoost's least margin on the example, by a few lines of its own."""
    M, a = ORDERS.astype(float), np.zeros(ORDERS.shape[1])
    for _ in range(rounds):
        w = np.exp(-(M @ a) + (M @ a).min())
        w /= w.sum()
        j = int(np.abs(w @ M).argmax())
        a[j] += 0.5 * np.log(w[M[:, j] > 0].sum() / w[M[:, j] < 0].sum())
    return (M @ a).min() / np.abs(a).sum()


def test_rankboost_misses_the_largest_margin():
    values = ends(missed_margin, rounds=2000)
    m, k = ORDERS.shape
    A = np.vstack([np.hstack([-ORDERS, ORDERS, np.ones((m, 1))]), [*np.ones(2 * k), 0]])
    best = linprog([*np.zeros(2 * k), -1], A_ub=A, b_ub=[*np.zeros(m), 1])
    assert values["largest margin"] == pytest.approx(-best.fun, abs=1e-8)
    assert values["bound of the largest margin"] == pytest.approx(0.4, abs=1e-8)
    own = 0.4 - values["missing margin of RankBoost"]
    assert own == pytest.approx(boosted(2000), abs=1e-4)
    assert own == pytest.approx(1 / 3, abs=0.001)
    assert values["missing margin of smooth margin"] < 0.002


def test_logistic_rankboost_reaches_the_least_loss():
    values = ends(logistic_rankboost, n=100, d=2)
    assert -1e-9 < values["excess of logistic RankBoost"] < 1e-5
    assert values["excess of RankBoost"] > 0.01
    assert values["least logistic loss"] < np.log(2)


def test_exercise_10_7_on_labels_drawn():
    values, rng = ends(classifier_as_ranker), np.random.default_rng(0)
    assert values["excess, ties right"] == 0
    assert values["excess, ties one half, balanced"] < 1e-12
    assert values["excess, ties one half"] == pytest.approx(0.475)
    largest = 0.0
    for _ in range(200):
        y, called = rng.integers(2, size=(2, 9))
        y[:2] = 0, 1
        D = called[y == 1][:, None] - called[y == 0]
        error, half = (y != called).mean(), (D < 0).mean() + (D == 0).mean() / 2
        assert (D < 0).mean() <= error + 1e-12
        largest = max(largest, half - error)
    assert 0 < largest <= values["excess, ties one half"]


def test_the_step_of_figure_10_2():
    values = ends(steps_of_figure_10_2)
    assert values["Z of Figure 10.2"] == pytest.approx(0.821, abs=5e-4)
    assert values["Z of Figure 10.1"] == pytest.approx(0.747, abs=5e-4)
    assert values["excess of Figure 10.1"] < 1e-12
    assert values["excess of Figure 10.2"] > 0.2


def test_roc_points():
    values = ends(roc_points, n=31)
    assert values["area apart"] < 1e-12
    assert 0.5 < values["area"] < 1.0
    assert values["true at"] > values["false at"]


@pytest.mark.parametrize(
    ("check", "given"),
    [
        (chapters_adaboost, {"problem": noisy(), "rounds": 1}),
        (missed_margin, {"rounds": 9}),
        (logistic_rankboost, {"n": 19}),
        (roc_points, {"n": 3}),
    ],
)
def test_bad_parameters(check, given):
    with pytest.raises(ValueError, match="expected"):
        ends(check, **given)
