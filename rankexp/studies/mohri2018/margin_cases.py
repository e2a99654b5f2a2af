"""Draw random cases of the margin bounds for labelled pairs, in which every risk is known."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from rankexp.arrays import Floats, Ints
from rankexp.estimators.rank_boost import RankBoost
from rankexp.studies.mohri2018.theory.margin_bounds import (
    empirical_margin_loss,
    kernel_margin_bound,
    margin_bound,
    pair_margins,
    uniform_margin_bound,
)
from rankexp.studies.mohri2018.theory.rademacher import (
    empirical_rademacher,
    linear_ball,
    threshold_rankers,
)

Case = Callable[[np.random.Generator, float, bool], float]

SIGNS, SAMPLES = 100, 5  # drawn for a Rademacher complexity, and samples for the expected one
SMALL, FEATURES, RHO = 1e-3, 500, 0.05  # of the kernel: sqrt K(x, x); more features than points


class DrawnPairs(NamedTuple):
    """Points on the unit sphere whose pairs are equally likely, and a sample of labelled pairs."""

    X: Floats  # (N, d)
    above: Floats  # (N, N), chance of the label 1
    pairs: Ints  # (m, 2)
    labels: Ints  # (m,)

    def risk(self, scores: Floats) -> float:
        """Return the chance that scores (N,) misrank a pair, a tie being an error: (10.1)."""
        D = scores[:, None] - scores
        wrong = self.above * (D <= 0.0) + self.above.T * (D >= 0.0)
        N = len(scores)
        return float(wrong[~np.eye(N, dtype=np.bool_)].sum() / (N * (N - 1)))


def draw(rng: np.random.Generator, copied: bool, d: int | None = None) -> DrawnPairs:
    """Draw points, noisy labels by a direction, and a sample; copied: two pairs, many times."""
    N, d, m = int(rng.integers(5, 41)), d or int(rng.integers(1, 21)), int(rng.integers(20, 401))
    X = rng.standard_normal((N, d))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    order = np.sign(np.subtract.outer(X[:, 0], X[:, 0]))
    above = 0.5 + order * rng.uniform(0.0, 0.5)
    distinct = 2 if copied else m
    first = rng.integers(N, size=distinct)
    pairs = np.column_stack([first, (first + rng.integers(1, N, size=distinct)) % N])
    up = rng.random(distinct) < above[pairs[:, 0], pairs[:, 1]]
    rows = np.arange(5 * m if copied else m) % distinct
    return DrawnPairs(X, above, pairs[rows], np.where(up, 1, -1)[rows])


def linear_case(kind: str) -> Case:
    """Return the case of linear scorers of norm 1: least slack of a trained one and ten others.

    `kind`: the "expected" complexity, the "empirical" one, or "uniform" in the margin.
    """

    def case(rng: np.random.Generator, delta: float, broken: bool) -> float:
        given = draw(rng, broken)
        m, rhos = len(given.pairs), [10 ** rng.uniform(-1.5, 0.3)]
        complexity = _complexity(rng, given, expected=kind == "expected")

        def bound(loss: float, rho: float) -> float:
            if kind == "uniform":
                return uniform_margin_bound(loss, complexity, rho, m, delta, largest=2.0)
            return margin_bound(loss, complexity, rho, m, delta, empirical=kind == "empirical")

        if kind == "uniform":  # any margin, seen the pairs
            rhos = (2.0 * 0.6 ** np.arange(8)).tolist()
        return _least_slack(rng, given, bound, rhos)

    return case


def kernel_case(rng: np.random.Generator, delta: float, broken: bool) -> float:
    """Return the slack for features times SMALL, scorers of inverse norm; broken: r as printed."""
    given = draw(rng, False, d=FEATURES)
    m, radius, norm = len(given.pairs), SMALL**2 if broken else SMALL, 1.0 / SMALL

    def bound(loss: float, rho: float) -> float:
        return kernel_margin_bound(loss, radius=radius, norm=norm, rho=rho, m=m, delta=delta)

    return _least_slack(rng, given, bound, [RHO])


def ensemble_case(rng: np.random.Generator, delta: float, broken: bool) -> float:
    """Return the slack for fifteen rounds of RankBoost with threshold rankers."""
    given, rho = draw(rng, broken), 10 ** rng.uniform(-1.5, 0.0)
    model = RankBoost(n_rounds=15, cuts="all").fit_pairs(given.X, given.pairs, given.labels)
    s = model.predict(given.X) / (np.abs(model.alphas_).sum() or 1.0)
    loss = empirical_margin_loss(pair_margins(s, given.pairs, given.labels), rho)
    complexity = _complexity(rng, given, thresholds=True)
    return margin_bound(loss, complexity, rho, len(given.pairs), delta) - given.risk(s)


def _least_slack(
    rng: np.random.Generator,
    given: DrawnPairs,
    bound: Callable[[float, float], float],
    rhos: list[float],
) -> float:
    """Return the least slack, over linear scorers and margins, of a bound by (10.3) and rho."""
    slacks = []
    for s in _scorers(rng, given):
        margins = pair_margins(s, given.pairs, given.labels)
        losses = [empirical_margin_loss(margins, rho) for rho in rhos]
        slacks.append(min(map(bound, losses, rhos)) - given.risk(s))
    return min(slacks)


def _scorers(rng: np.random.Generator, given: DrawnPairs) -> Floats:
    """Return scores (L, N) of linear scorers with norm 1."""
    first, second = given.X[given.pairs].swapaxes(0, 1)
    trained = given.labels @ (first - second)
    W = np.vstack([trained, rng.standard_normal((10, given.X.shape[1]))])
    return np.asarray(W / np.maximum(np.linalg.norm(W, axis=1), 1e-300)[:, None] @ given.X.T)


def _complexity(
    rng: np.random.Generator,
    given: DrawnPairs,
    *,
    expected: bool = False,
    thresholds: bool = False,
) -> float:
    """Return the complexities on first and second rows, added, by Monte Carlo."""
    m, samples = len(given.pairs), [given.pairs]
    if expected:
        samples = [rng.integers(len(given.X), size=(m, 2)) for _ in range(SAMPLES)]
    found = 0.0
    for rows in (side for pairs in samples for side in pairs.T):
        X = given.X[rows]
        supremum = threshold_rankers(X) if thresholds else linear_ball(X, 1.0)
        found += empirical_rademacher(supremum, m, rng, SIGNS).value / len(samples)
    return found
