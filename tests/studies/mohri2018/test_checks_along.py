"""Boosters along rounds and margin bounds along pairs: what theory says of each step."""

import numpy as np
import pytest

from rankexp.studies.mohri2018.checks.boosters import boosting_rounds
from rankexp.studies.mohri2018.checks.bounds import margin_bounds


def by_step(seed=0, **parameters):
    """Return each quantity's values at the steps told, ascending."""
    found = {}
    for row in boosting_rounds(np.random.default_rng(seed), **parameters):
        found.setdefault(row["quantity"], []).append(row["value"])
    return {name: np.array(values) for name, values in found.items()}


@pytest.mark.parametrize("seed", range(3))
def test_theorem_10_3_at_every_round(seed):
    one = by_step(seed, rounds=40)
    loss, bound = one["pair loss of RankBoost"], one["bound by edges"]
    assert (one["training error of RankBoost"] <= loss).all()
    assert (loss <= bound + 1e-9).all()
    assert (np.diff(loss) < 0).all()
    assert (one["least margin of RankBoost"] >= -1 - 1e-9).all()


def test_boosters_have_the_same_minimiser():
    one = by_step(rounds=1000, n=400, d=2, n_cuts=4, noise=0.2)
    ranked, added = one["pair loss of RankBoost"], one["pair loss of AdaBoost"]
    assert ranked[-1] > 0.4  # there is one
    assert added[-1] == pytest.approx(ranked[-1], abs=1e-4)
    assert (added[3:8] > ranked[3:8]).all()  # which RankBoost comes to sooner
    tests = [one[f"test error of {name}"][-1] for name in ("RankBoost", "AdaBoost")]
    assert tests[0] == pytest.approx(tests[1], abs=0.005)


def test_a_smooth_margin_ends_with_the_larger_margin():
    one = by_step(rounds=1500, noise=0.0)
    smooth, usual = (one[f"least margin of {name}"] for name in ("smooth margin", "RankBoost"))
    assert usual[-1] > 0.05
    assert smooth[-1] > usual[-1]


def margins(seed=0, **parameters):
    rows = margin_bounds(np.random.default_rng(seed), **parameters)
    return {row["quantity"]: row["value"] for row in rows}


def test_margin_bounds_come_down():
    few, many = margins(m=100), margins(m=10_000)
    for name in ("bound", "kernel bound", "uniform bound"):
        assert few[name] > many[name] > many["test error"]
        assert many[name] < 0.65
    assert many["test error"] == pytest.approx(0.1, abs=0.015)
    assert many["margin loss"] > many["training error"]
    assert many["slack"] == pytest.approx(many["bound"] - many["test error"])


@pytest.mark.parametrize(
    ("check", "parameters"),
    [
        (boosting_rounds, {"rounds": 1}),
        (boosting_rounds, {"n": 10}),
        (boosting_rounds, {"noise": 0.5}),
        (margin_bounds, {"m": 1}),
        (margin_bounds, {"rho": 0.0}),
        (margin_bounds, {"noise": -0.1}),
    ],
)
def test_bad_parameters(check, parameters):
    with pytest.raises(ValueError, match="expected"):
        check(np.random.default_rng(0), **parameters)
