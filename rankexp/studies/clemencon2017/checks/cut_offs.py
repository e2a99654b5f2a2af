"""Optimal scorers of all cut-offs: what is equivalent to one, and the curves that none exceeds."""

from itertools import pairwise, permutations

import numpy as np

from rankexp.arrays import Bools, Floats
from rankexp.checks.check import Rows, quantities

REGISTER = {"cut_offs": "cut_offs"}

LABELS = {
    "optimal": "an optimal scorer exists",
    "order_differs": "no two cut-offs disagree, or an optimal scorer exists, not both",
    "mean_differs": "an optimal scorer exists, or the mean is one, not both",
    "ratio_alone": "likelihood ratios are monotone, no optimal scorer exists",
    "optimal_alone": "an optimal scorer exists, likelihood ratios are not monotone",
    "above": "largest IROC − IROC*",
    "mean_below": "largest IROC* − IROC of the mean, where it is optimal",
    "bend": "largest bend of IROC* upwards, where likelihood ratios are monotone",
}
NEAR = 1e-9


def cut_offs(
    rng: np.random.Generator, *, draws: int = 100, points: int = 4, values: int = 4
) -> Rows:
    """Try Proposition 1, Theorem 1 and the concavity of Theorem 3 on random distributions.

    There are a few points x and values y; all sums are exact. A third of the distributions is an
    exponential family, in a third P(Y > y | x) orders the points alike for all y, and a third is
    arbitrary. Existence is tried over all orders of the points. The first five quantities are
    numbers of distributions, the others largest differences over all draws. The curves are those
    of the mean, of its reverse, and of three random scorers with ties. ValueError for fewer than
    two points or values.
    """
    if min(points, values) < 2:
        raise ValueError(f"points={points}, values={values}: expected 2 or more")
    counts = np.zeros(5, np.int64)
    above_best = mean_below = bend = 0.0
    for draw in range(draws):
        y_given_x = _drawn(rng, points, values, draw % 3)
        weight = rng.dirichlet(np.ones(points))
        above = y_given_x[:, ::-1].cumsum(axis=1)[:, ::-1][:, 1:]
        mean = above @ rng.dirichlet(np.ones(values - 1))  # of any increasing values of y
        exists = any(_extends(np.array(one), above) for one in permutations(range(points)))
        ratio = any(_monotone(y_given_x[list(one)]) for one in permutations(range(points)))
        below = _below(above).any(axis=2)
        crossed = bool((below & below.T).any())
        by_mean = _extends(np.argsort(mean), above)
        alone = (ratio and not exists, exists and not ratio)
        counts += [exists, exists == crossed, exists != by_mean, *alone]
        best = _iroc(above, weight, above)
        tried = [mean, -mean, *rng.integers(points, size=(3, points)).astype(float)]
        own = [_iroc(np.tile(s[:, None], values - 1), weight, above) for s in tried]
        above_best = max(above_best, *(float((one - best).max()) for one in own))
        if exists:
            mean_below = max(mean_below, float((best - own[0]).max()))
        if ratio:
            bend = max(bend, float(np.diff(own[0], 2).max()))
    found = [*counts.tolist(), above_best, mean_below, bend]
    return quantities(dict(zip(LABELS, found, strict=True)))


def _drawn(rng: np.random.Generator, points: int, values: int, kind: int) -> Floats:
    """Return P(y | x), (points, values)."""
    if kind == 0:
        logs = np.outer(rng.normal(size=points), np.sort(rng.normal(size=values)))
        found = np.exp(logs + rng.normal(size=values))
    else:
        found = rng.dirichlet(np.ones(values), size=points)
    found = found / found.sum(axis=1, keepdims=True)
    if kind == 1:  # sorted by each cut-off, the shares above it stay descending in y
        above = np.sort(found[:, ::-1].cumsum(axis=1)[:, ::-1], axis=0)
        found = -np.diff(above, axis=1, append=0.0)
    return np.asarray(found)


def _below(above: Floats) -> Bools:
    """Return where P(Y > y | x) is below that of x', (x, x', y)."""
    return np.asarray(above[:, None] < above[None] - NEAR)


def _extends(order: np.ndarray, above: Floats) -> bool:
    """Return whether no cut-off wants an earlier point of an order above a later one."""
    return not any(
        (above[i] > above[j] + NEAR).any() for k, i in enumerate(order) for j in order[k + 1 :]
    )


def _monotone(y_given_x: Floats) -> bool:
    """Return whether all ratios of likelihoods of neighbouring y rise along the points."""
    ratio = y_given_x[:, 1:] / y_given_x[:, :-1]
    return all((low <= high * (1 + NEAR)).all() for low, high in pairwise(ratio))


def _iroc(scores: Floats, weight: Floats, above: Floats) -> Floats:
    """Return the mean of the ROC curves of all cut-offs at 101 points, scores (points, y)."""
    grid = np.linspace(0, 1, 101)
    share = weight @ above
    total = np.zeros(len(grid))
    for s, p in zip(scores.T, above.T, strict=True):
        level = np.unique(-s.round(12), return_inverse=True)[1]
        true, false = (
            np.append(0.0, np.bincount(level, weight * one).cumsum()) for one in (p, 1 - p)
        )
        total += np.interp(grid, false / false[-1], true / true[-1])
    return total / len(share)
