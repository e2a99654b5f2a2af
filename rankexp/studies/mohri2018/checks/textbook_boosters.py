"""Run the chapter's AdaBoost, the logistic RankBoost, and RankBoost where it misses a margin."""

from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

from rankexp.arrays import Bools, Floats
from rankexp.checks.check import Problem, Rows, of_data, quantities
from rankexp.estimators.linear_of_pairs import MaxMarginRanker
from rankexp.estimators.rank_boost import RankBoost
from rankexp.estimators.smooth_margin import SmoothMarginRanker
from rankexp.generators.flipped import Linear
from rankexp.solvers.boosting.stumps import cuts_of
from rankexp.studies.mohri2018.checks.boosters import (
    NEAR,
    RESOLUTION,
    SMOOTHING,
    STEPS,
    _least,
    _losses,
    _steps,
)

REGISTER = {
    "chapters_adaboost": "chapters_adaboost",
    "missed_margin": "missed_margin",
    "logistic_rankboost": "logistic_rankboost",
}

ADABOOST = "AdaBoost with a constant"


@of_data("binary")
def chapters_adaboost(
    rng: np.random.Generator, *, problem: Problem, rounds: int = 300, n_cuts: int = 3
) -> Rows:
    """Boost on all rows of a data set by RankBoost and by the chapter's AdaBoost.

    AdaBoost has stumps with values -1 and 1 on RankBoost's thresholds, and the constant 1 is one
    of its base hypotheses: in a round it gets a coefficient, or a stump does. Each round takes the
    hypothesis with the greatest edge. `rounds` (two or more) and `n_cuts` are as in
    `boosters_on_data`, and so are the errors.

    Rows: `least pair loss` of all sums of stumps; of "RankBoost" and "AdaBoost with a constant"
    `excess of` by `step` and at the end, the pair loss less the least (AdaBoost's is (10.22)'s F+
    F- of its scores, whatever its constant), and `rounds of` until it is below 1 % of that of no
    round; `rounds of AdaBoost with a constant over RankBoost` (mohri2018, 10.5.1).
    """
    if rounds < 2 or n_cuts < 1:
        raise ValueError(f"rounds={rounds}, n_cuts={n_cuts}: expected 2 or more, and 1 or more")
    X, up = problem.X, problem.y > 0
    made = RankBoost(n_rounds=rounds, n_cuts=n_cuts, smoothing=SMOOTHING).fit(X, up)
    losses = {"RankBoost": _losses(made.staged_decision_function(X), up, problem.name)[0]}
    losses[ADABOOST] = _adaboost(_stumps(X, n_cuts), up, rounds)
    least = min(_least(X, up, n_cuts), *(float(own.min()) for own in losses.values()))
    least = least if least > RESOLUTION else 0.0
    rows, needed = quantities({"least pair loss": least}), {}
    told = np.unique(np.geomspace(1, rounds, STEPS).round().astype(int))
    for name, own in losses.items():
        excess = np.maximum(own - least, RESOLUTION)
        rows += _steps(f"excess of {name}", excess, told)
        if (close := np.flatnonzero(excess <= NEAR * (1.0 - least))).size:
            needed[name] = close[0] + 1.0
    rows += quantities({f"rounds of {name}": count for name, count in needed.items()})
    if len(needed) == len(losses):
        first, own = needed.values()
        rows += quantities({f"rounds of {ADABOOST} over RankBoost": own / first})
    return rows


def _stumps(X: Floats, n_cuts: int) -> Floats:
    """Return 1 above each threshold of each feature and -1 below, (n, thresholds)."""
    cuts = [(j, c) for j in range(X.shape[1]) for c in cuts_of(X[:, j], "quantile", n_cuts)]
    return np.array([np.where(X[:, j] > c, 1.0, -1.0) for j, c in cuts]).T


def _adaboost(stumps: Floats, up: Bools, rounds: int) -> Floats:
    """Return the pair loss after each round of AdaBoost with a constant, (rounds,)."""
    signed = np.where(up, 1.0, -1.0)[:, None] * np.column_stack([np.ones(len(up)), stumps])
    margin, found = np.zeros(len(up)), np.empty(rounds)
    for t in range(rounds):
        weights = np.exp(margin.min() - margin)
        edges = weights @ signed / weights.sum()
        best = int(np.abs(edges).argmax())
        right = (1.0 + edges[best]) / 2.0
        step = 0.5 * np.log((right + SMOOTHING) / (1.0 - right + SMOOTHING))
        margin += step * signed[:, best]
        found[t] = np.exp(-margin[up]).mean() * np.exp(-margin[~up]).mean()
    return found


ORDERS = np.array(
    [
        [1, -1, 0, 1, 1],
        [1, 0, -1, 1, 1],
        [-1, 1, 1, 0, 1],
        [1, 1, 1, 0, -1],
        [1, -1, 1, 1, -1],
        [1, 1, 1, 0, 1],
    ]
)
"""How five base rankers order six pairs: 1 rightly, -1 wrongly, 0 not at all. Found by search."""


def missed_margin(rng: np.random.Generator, *, rounds: int = 1000) -> Rows:
    """Boost on six pairs whose largest margin RankBoost does not reach (exercise 10.4).

    Each pair has two rows of its own, and each of five base rankers is one feature with values 0
    and 1. Rows by `step`, the round, up to `rounds` (10 or more): `margin of` "RankBoost" and
    "smooth margin", the least over pairs, divided by the sum of the coefficients' sizes. Without a
    step: both at the end; `largest margin`, by linear programming; `bound of the largest margin`,
    by its dual: no scorer has more; `missing margin of RankBoost` and `of smooth margin`, the
    largest less theirs. ValueError for fewer rounds.
    """
    if rounds < 10:
        raise ValueError(f"rounds={rounds}: expected 10 or more")
    m = len(ORDERS)
    X = np.vstack([ORDERS > 0, ORDERS < 0]) * 1.0
    pairs, labels = np.column_stack([np.arange(m), np.arange(m) + m]), np.ones(m)
    best = MaxMarginRanker().fit_pairs(X, pairs, labels)
    rows = quantities({"largest margin": best.margin_, "bound of the largest margin": best.bound_})
    told = np.unique(np.geomspace(10, rounds, STEPS).round().astype(int))
    boosters = {"RankBoost": RankBoost, "smooth margin": SmoothMarginRanker}
    for name, booster in boosters.items():
        made = booster(n_rounds=rounds, cuts="all", smoothing=SMOOTHING).fit_pairs(
            X, pairs, labels
        )
        each = np.zeros((len(made.alphas_), X.shape[1]))
        each[np.arange(len(each)), made.stump_features_] = made.alphas_
        sums = np.cumsum(each, axis=0)
        sizes = np.cumsum(np.abs(made.alphas_))
        margins = (sums @ ORDERS.T).min(axis=1) / sizes
        rows += quantities({f"missing margin of {name}": best.margin_ - margins[-1]})
        rows += _steps(f"margin of {name}", margins, told)
    return rows


def logistic_rankboost(
    rng: np.random.Generator, *, rounds: int = 300, n: int = 200, d: int = 3, n_cuts: int = 4
) -> Rows:
    """Boost under the logistic loss of pairs, and compare with the least of all sums of stumps.

    A linear model with d features and a Bayes rank risk of .2 gives n examples; `n_cuts` counts
    the thresholds of a feature. ValueError for fewer than two rounds, 20 examples, or one feature.

    Rows: `least logistic loss`, the least mean of log(1 + exp(-(s - s'))) over pairs, which a
    solver of its own finds; `excess of logistic RankBoost`, by `step` and at the end, and `excess
    of RankBoost`, the exponential one, in this loss at the end (mohri2018, 10.4.2).
    """
    if rounds < 2 or n < 20 or min(d, n_cuts) < 1:
        given_ = f"rounds={rounds}, n={n}, d={d}, n_cuts={n_cuts}"
        raise ValueError(f"{given_}: expected 2 or more, 20 or more, and 1 or more")
    X, y = Linear(d=d, rank_risk=0.2).draw_model(rng).sample(n, rng)
    up, stumps = np.asarray(y) > 0, (_stumps(X, n_cuts) + 1.0) / 2.0
    D = (stumps[up][:, None] - stumps[~up]).reshape(-1, stumps.shape[1])
    least = _least_logistic(D)
    given: dict[str, Any] = {"n_rounds": rounds, "n_cuts": n_cuts}
    made = RankBoost(loss="logistic", **given).fit(X, up)
    losses = np.array([_logistic(s, up) for s in made.staged_decision_function(X)])
    other = _logistic(RankBoost(**given).fit(X, up).decision_function(X), up)
    told = np.unique(np.geomspace(1, rounds, STEPS).round().astype(int))
    rows = _steps("excess of logistic RankBoost", losses - least, told)
    return rows + quantities({"least logistic loss": least, "excess of RankBoost": other - least})


def _logistic(s: Floats, up: Bools) -> float:
    return float(np.logaddexp(0.0, s[~up] - s[up][:, None]).mean())


def _least_logistic(D: Floats) -> float:
    """Return the least mean logistic loss of sums of stumps, given their differences on pairs."""

    def loss(alphas: Floats) -> tuple[float, Floats]:
        margins = D @ alphas
        return float(np.logaddexp(0.0, -margins).mean()), -expit(-margins) @ D / len(D)

    limits: Any = {"maxiter": 5000, "maxfun": 10000, "gtol": 1e-10, "ftol": 1e-14}
    found = minimize(loss, np.zeros(D.shape[1]), jac=True, method="L-BFGS-B", options=limits)
    return float(found.fun)
