import numpy as np
import pytest

from rankexp.studies.mohri2018.checks.bounds import CASES, bound_violations
from rankexp.studies.mohri2018.margin_cases import draw

SURE = [name for name, (_, sure) in CASES.items() if sure]
PROBABLE = ["margin", "empirical_margin", "uniform_margin", "kernel_margin", "ensemble_margin"]


def found(bound, seed=0, **given):
    rows = bound_violations(np.random.default_rng(seed), bound=bound, **given)
    return {row["quantity"]: row["value"] for row in rows}


@pytest.mark.parametrize("bound", SURE)
def test_what_always_holds_holds_in_many_cases(bound):
    trains = bound in ("training_error", "margin_fraction", "relative_edge")
    values = found(bound, cases=100 if trains else 300)
    assert values["violations"] == values["allowed"] == values["delta"] == 0.0
    assert values["least_slack"] >= -1e-12
    assert values["median_slack"] > 0.0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("bound", "cases"),
    [(name, 150) for name in PROBABLE] + [("auc_mcdiarmid", 1000), ("auc_hoeffding", 1000)],
)
def test_what_holds_with_a_probability_fails_no_more_often(bound, cases):
    values = found(bound, cases=cases)
    assert values["delta"] == 0.05
    assert values["violations"] <= values["allowed"] < 0.12 * cases


@pytest.mark.parametrize("bound", CASES)
def test_a_violated_assumption_shows(bound):
    fewer = dict.fromkeys(("margin", "uniform_margin", "kernel_margin", "perceptron"), 50)
    fewer |= {"auc_bootstrap": 25, "ensemble_margin": 25}
    values = found(bound, cases=fewer.get(bound, 100), broken=True)
    assert values["violations"] > values["allowed"]
    assert values["least_slack"] < 0.0


def test_large_sample_intervals_are_no_bounds():
    """They cover too rarely where scores have few values and examples are few."""
    large, sure = found("auc_delong", cases=500), found("auc_hoeffding")
    assert large["violations"] > sure["violations"]
    assert large["median_slack"] < sure["median_slack"]


def test_the_risk_of_a_case_is_that_of_new_pairs():
    rng = np.random.default_rng(2)
    given = draw(rng, False, d=3)
    s = given.X[:, 0] + 0.3 * given.X[:, 1]
    first, step = rng.integers(len(s), size=40_000), rng.integers(1, len(s), size=40_000)
    second = (first + step) % len(s)
    up = rng.random(40_000) < given.above[first, second]
    seen = np.where(up, s[first] <= s[second], s[first] >= s[second]).mean()
    assert given.risk(s) == pytest.approx(seen, abs=0.01)
    assert given.risk(0.0 * s) == pytest.approx(1.0)  # ties are errors


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"bound": "marginal"}, "did you mean 'margin'"),
        ({"bound": "xyz"}, "known: margin"),
        ({"cases": 0}, "cases=0"),
        ({"delta": 1.0}, "delta=1"),
    ],
)
def test_impossible_numbers(given, words):
    with pytest.raises(ValueError, match=words):
        bound_violations(np.random.default_rng(0), **given)
