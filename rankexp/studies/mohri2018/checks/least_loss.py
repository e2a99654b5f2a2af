"""AdaBoost and RankBoost on a data set: whether they come to the same, and how soon."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from scipy.optimize import minimize

from rankexp.arrays import Floats, Ints
from rankexp.estimators.or_boost import ORBoost
from rankexp.estimators.rank_boost import RankBoost
from rankexp.runner.checks.base import Problem, of_data
from rankexp.solvers.boosting.stumps import cuts_of

REGISTER = {"boosters_on_data": "boosters_on_data"}

BOOSTERS = {"RankBoost": RankBoost, "AdaBoost": ORBoost}
SMOOTHING = 1e-9  # of coefficients: none, but for infinite ones
STEPS = 20  # rounds that are told, in equal ratios
NEAR = 0.01  # of the way from 1, the loss of no round, to the least
RESOLUTION = 1e-9  # of what is known of the least


@of_data("binary")
def boosters_on_data(
    rng: np.random.Generator, *, problem: Problem, rounds: int = 300, n_cuts: int = 3
) -> list[dict[str, Any]]:
    """Boost on all rows of a data set by RankBoost and by AdaBoost, on the same stumps.

    Parameters
    ----------
    rng : numpy.random.Generator
        Not used: nothing is random.
    problem : rankexp.runner.checks.Problem
        Of two classes.
    rounds, n_cuts : int
        Two rounds or more, and thresholds a feature. With many of them classes can be told apart,
        and nothing is least.

    Returns
    -------
    list of dict with keys ``quantity`` and ``value``, and ``step``, the round, where told by it
        ``least pair loss``: of all sums of the stumps, the mean of exp(-(s - s')) over the pairs,
        which a solver of its own finds; 0 where classes can be told apart. Of "RankBoost" and
        "AdaBoost" ``excess of`` it, by step and at the end: the pair loss (of AdaBoost the square
        of its own at its best threshold) less the least, no less than 1e-9, to which that is
        known; and ``rounds of``, after which it is below 1 % of that of no round, if ever, with
        ``rounds of AdaBoost over RankBoost``. ``pairs ordered otherwise``: the share of the pairs
        that the two order differently in the end.

    Raises
    ------
    ValueError
        For other numbers, or a problem of which no stump has an edge.

    References
    ----------
    mohri2018, 10.5.1.
    """
    if rounds < 2 or n_cuts < 1:
        raise ValueError(f"rounds={rounds}, n_cuts={n_cuts}: expected 2 or more, and 1 or more")
    X, up = problem.X, problem.y > 0
    losses, signs, needed = {}, [], {}
    for name, booster in BOOSTERS.items():
        made = booster(n_rounds=rounds, n_cuts=n_cuts, smoothing=SMOOTHING).fit(X, up)
        losses[name], last = _losses(made.staged_decision_function(X), up, problem.name)
        signs.append(np.sign((last[up][:, None] - last[~up]).round(6)))
    least = min(_least(X, up, n_cuts), *(float(own.min()) for own in losses.values()))
    least = least if least > RESOLUTION else 0.0
    rows: list[dict[str, Any]] = [{"quantity": "least pair loss", "value": least}]
    told = np.unique(np.geomspace(1, rounds, STEPS).round().astype(int))
    for name, own in losses.items():
        excess = np.maximum(own - least, RESOLUTION)
        rows += _steps(f"excess of {name}", excess, told)
        if (close := np.flatnonzero(excess <= NEAR * (1.0 - least))).size:
            needed[name] = close[0] + 1.0
    ends = {f"rounds of {name}": count for name, count in needed.items()}
    if len(needed) == len(BOOSTERS):
        ends["rounds of AdaBoost over RankBoost"] = needed["AdaBoost"] / needed["RankBoost"]
    ends["pairs ordered otherwise"] = (signs[0] != signs[1]).mean()
    return rows + [{"quantity": name, "value": float(value)} for name, value in ends.items()]


def _losses(stages: Iterable[Floats], up: Any, name: str) -> tuple[Floats, Floats]:
    """Return the pair loss after each round, and the last scores."""
    scores = list(stages)
    if not scores:
        raise ValueError(f"no threshold in a feature of '{name}' tells its classes apart")
    found = [np.exp(-s[up]).mean() * np.exp(s[~up]).mean() for s in scores]
    return np.array(found), scores[-1]


def _steps(name: str, values: Floats, told: Ints) -> list[dict[str, Any]]:
    """Return what a quantity is at the end, and after the rounds that are told."""
    steps = [int(step) for step in told if step <= len(values)]
    by_step = [{"quantity": name, "value": float(values[t - 1]), "step": t} for t in steps]
    return [{"quantity": name, "value": float(values[-1])}, *by_step]


def _least(X: Floats, up: Any, n_cuts: int) -> float:
    """Return the least pair loss of sums of stumps, which is convex."""
    cuts = [(j, c) for j in range(X.shape[1]) for c in cuts_of(X[:, j], "quantile", n_cuts)]
    stumps = np.array([X[:, j] > c for j, c in cuts], dtype=np.float64).T
    sides = -stumps[up], stumps[~up]

    def loss(alphas: Floats) -> Any:
        value, slope = 0.0, np.zeros(len(cuts))
        for side in sides:
            s = side @ alphas
            weights = np.exp(s - s.max())
            value += float(s.max() + np.log(weights.mean()))
            slope += weights @ side / weights.sum()
        return np.exp(value), np.exp(value) * slope

    limits: Any = {"maxiter": 5000, "maxfun": 10000, "gtol": 1e-10, "ftol": 1e-14}
    found = minimize(loss, np.zeros(len(cuts)), jac=True, method="L-BFGS-B", options=limits)
    return float(found.fun)
