"""The least pair loss by which boosters are judged on data, and regrets of few queries."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from rankexp.checks.check import Problem
from rankexp.estimators import RankBoost
from rankexp.studies.mohri2018.checks.boosters import boosters_on_data
from rankexp.studies.mohri2018.checks.few import query_regrets
from rankexp.testing import check_check
from rankexp.testing.contract import ContractError


def made(n=150, noise=1.0, columns=2, seed=0):
    """Return a problem of two classes, codes 0 and 1."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, columns))
    y = (X[:, 0] + noise * rng.normal(size=n) > 0).astype(int)
    return Problem("made", X, y, "binary")


def found(problem, **parameters):
    rows = boosters_on_data(np.random.default_rng(0), problem=problem, **parameters)
    ends = {row["quantity"]: row["value"] for row in rows if "step" not in row}
    steps = {}
    for row in rows:
        if "step" in row:
            steps.setdefault(row["quantity"], {})[row["step"]] = row["value"]
    return ends, steps


def test_the_least_of_one_stump_by_hand():
    problem = Problem(
        "p", np.array([[0.0], [0], [0], [1], [1]]), np.array([0, 0, 1, 0, 1]), "binary"
    )
    ends, _ = found(problem, rounds=3, n_cuts=1)
    up, down = (1, 1), (1, 2)  # examples above and below the cut, of the last class and the first
    pairs = {(0, 0): up[1] * down[1], (1, 1): up[0] * down[0], (1, 0): up[0] * down[1]}
    pairs[0, 1] = up[1] * down[0]
    best = minimize_scalar(
        lambda a: sum(count * np.exp(-a * (u - v)) for (u, v), count in pairs.items()) / 6
    )
    assert ends["least pair loss"] == pytest.approx(best.fun, abs=1e-9)
    assert ends["excess of RankBoost"] == 1e-9  # one round is enough


def test_both_come_to_the_least():
    ends, steps = found(made(), rounds=2000)
    assert 0.1 < ends["least pair loss"] < 0.9
    assert ends["excess of RankBoost"] <= 1e-8 and ends["excess of AdaBoost"] <= 1e-6
    assert ends["pairs ordered otherwise"] < 0.001
    for name in ("RankBoost", "AdaBoost"):
        own, rounds = steps[f"excess of {name}"], ends[f"rounds of {name}"]
        limit = 0.01 * (1 - ends["least pair loss"])
        assert all((value <= limit) == (step >= rounds) for step, value in own.items())
    ratio = ends["rounds of AdaBoost"] / ends["rounds of RankBoost"]
    assert ends["rounds of AdaBoost over RankBoost"] == ratio >= 1


def test_the_excess_is_that_of_the_boosters_own_loss():
    problem = made(noise=2.0)
    ends, steps = found(problem, rounds=12)
    risk = RankBoost(n_rounds=12, n_cuts=3, smoothing=1e-9).fit(problem.X, problem.y > 0).risk_
    own = steps["excess of RankBoost"]
    assert list(own) == sorted(own) and len(own) > 8
    for step, value in own.items():
        assert value == pytest.approx(risk[step] - ends["least pair loss"], abs=1e-9)


def test_classes_that_can_be_told_apart_have_no_least():
    ends, _ = found(made(noise=0.0, columns=1), rounds=500, n_cuts=200)
    assert ends["least pair loss"] == 0.0
    assert ends["pairs ordered otherwise"] == 0.0


def test_rounds_that_do_not_do_are_left_out():
    ends, _ = found(made(noise=2.0), rounds=2)
    assert "rounds of AdaBoost" not in ends and "rounds of AdaBoost over RankBoost" not in ends


@pytest.mark.parametrize("parameters", [{"rounds": 1}, {"n_cuts": 0}])
def test_bad_numbers(parameters):
    with pytest.raises(ValueError, match="expected 2 or more"):
        found(made(), **parameters)


def test_features_that_tell_nothing():
    nothing = Problem("flat", np.zeros((20, 2)), np.arange(20) % 2, "binary")
    with pytest.raises(ValueError, match="feature of 'flat' tells its classes apart"):
        found(nothing)


def regrets(seed=0, **parameters):
    rows = query_regrets(np.random.default_rng(seed), **parameters)
    return {(row["group"], row["quantity"]): row["value"] for row in rows}


BOUNDS = ("violations of (10.31)", "violations of (10.34)")
FIXED, EACH = "one best ranking", "the best by query"


def test_bounds_hold_for_independent_pairs_and_notions_agree():
    one = regrets(cases=40, errors=0.1)
    assert all(one[notion, bound] == 0 for notion in (FIXED, EACH) for bound in BOUNDS)
    for name in ("h", "QuickSort", "sort by degree"):
        assert one[FIXED, f"regret of {name}"] == pytest.approx(one[EACH, f"regret of {name}"])
    assert one[FIXED, "regret of QuickSort"] == pytest.approx(one[FIXED, "regret of h"])  # (10.33)
    assert one[FIXED, "regret of h"] > 0.01


@pytest.mark.slow
def test_without_independence_degrees_exceed_their_bound():
    one = regrets(cases=150, errors=0.0, independent=False)
    assert one[FIXED, "regret of h"] == 0.0  # the best for all queries
    assert one[FIXED, BOUNDS[0]] >= 1 and one[FIXED, BOUNDS[1]] == 0
    assert one[FIXED, "largest excess of sort by degree"] > 0.001
    assert one[EACH, BOUNDS[0]] == one[EACH, BOUNDS[1]] == 0
    assert one[EACH, "regret of h"] > 0.01


@pytest.mark.parametrize("parameters", [{"cases": 0}, {"items": 2}, {"items": 9}, {"errors": 2.0}])
def test_bad_queries(parameters):
    with pytest.raises(ValueError, match="expected a case or more"):
        regrets(**parameters)


def test_the_contract_knows_checks_of_data():
    def fine(rng, *, problem):
        """Count rows."""
        return [{"quantity": f"rows of {problem.kind}", "value": float(len(problem.y))}]

    def with_default(rng, *, problem=None):
        """Count nothing."""
        return [{"quantity": "rows", "value": 0.0}]

    def writes(rng, *, problem):
        """Scale what is given."""
        problem.X[:] *= 2.0
        return [{"quantity": "rows", "value": 0.0}]

    check_check(fine)
    with pytest.raises(ContractError, match="'problem' has a default"):
        check_check(with_default)
    with pytest.raises((ContractError, ValueError), match="read-only"):
        check_check(writes)
