"""Bound how much of an order a scorer with few values can hold."""

from itertools import product

import numpy as np

from rankexp import registry
from rankexp.arrays import Floats, Ints
from rankexp.checks.check import Rows, quantities
from rankexp.metrics.bipartite import auc
from rankexp.metrics.continuous import d_tau, iauc, one_minus_discordance
from rankexp.studies.clemencon2017.generators.regression import FoldedModel

REGISTER = {"few_cells": "few_cells", "no_optimum": "no_optimum"}


def few_cells(
    rng: np.random.Generator,
    *,
    generator: str = "polynomial",
    cells: int = 8,
    n: int = 200,
    draws: int = 100,
    test: int = 2000,
) -> Rows:
    """Bound tau of scorers that have one value on each of a few intervals of the only feature.

    An interval lies below or above a point as a whole, so tau is at most what it would be if each
    point chose the better side of every interval for itself. A dynamic program over all ends of
    intervals, O(n³), finds the greatest such sum: no scorer of so many `cells` has a greater tau
    than `intervals_bound` on n points at quantiles of the feature, each estimated from `draws`.
    `intervals_attained` is the tau of a scorer that is found by moving ends, and
    `intervals_on_test` that on a test set. `levels`, 1 - 1 / (2 cells), is the greatest of any
    scorer with so many values: it takes levels of y of equal mass.

    The generator has one feature and no noise. ValueError for another, or for impossible numbers.
    See clemencon2017, (8) and section 6, where trees of depth 3 have eight cells.
    """
    if cells < 2 or n < 2 * cells or draws < 1:
        raise ValueError(f"cells={cells}, n={n}: expected two cells or more, and two points each")
    model = registry.get("generators", generator)().draw_model(rng)
    X, y = model.sample(n * draws, rng)
    if X.shape[1] != 1:
        raise ValueError(f"generator '{generator}' has {X.shape[1]} features: expected one")
    middle = np.argsort(X[:, 0])[draws // 2 :: draws]
    x, y = X[middle, 0], y[middle]
    bound, ends = _bound(y, cells)
    attained, ends = _climb(y, ends)
    Z, target = model.sample(test, rng)
    on_test = d_tau(target, _scores(y, ends)[np.searchsorted(x, Z[:, 0]).clip(max=n - 1)])
    intervals = {"bound": bound, "attained": attained, "on_test": on_test}
    found = {f"intervals_{name}": value for name, value in intervals.items()}
    return quantities(found | {"levels": 1 - 1 / (2 * cells)})


def _bound(y: Floats, cells: int) -> tuple[float, Ints]:
    """Return the greatest sum over partitions into intervals, as a share, and their ends."""
    n = len(y)
    worth = np.full((n + 1, n + 1), -np.inf)  # of the interval from a to b, b left out
    for a in range(n):
        below = np.cumsum(y[a:, None] < y, axis=0)  # (intervals that begin at a, points)
        size = np.arange(1, n - a + 1)
        best = np.maximum(below, size[:, None] - below)
        members = best[:, a:].cumsum(axis=1).diagonal()
        worth[a, a + 1 :] = best.sum(axis=1) - members + size * (size - 1) / 2
    most, steps = worth[0], []
    for _ in range(cells - 1):
        sums = most[:, None] + worth
        steps.append(sums.argmax(axis=0))
        most = sums.max(axis=0)
    ends = [n]
    for step in reversed(steps):
        ends.append(int(step[ends[-1]]))
    return float(most[n] / (n * (n - 1))), np.array(ends[:0:-1])


def _scores(y: Floats, ends: Ints) -> Floats:
    """Return a score a point: the mean rank of y in its interval."""
    ranks, sizes = y.argsort().argsort(), np.diff([0, *ends, len(y)])
    means = np.add.reduceat(ranks, [0, *ends]) / sizes
    return np.repeat(means, sizes)


def _climb(y: Floats, ends: Ints) -> tuple[float, Ints]:
    """Move one end at a time while tau grows; return tau and the ends."""
    best, before = float(d_tau(y, _scores(y, ends))), -1.0
    moves = [sign * 2**k for k in range(int(np.log2(len(y) / 8)) + 1) for sign in (-1, 1)]
    while best > before:
        before = best
        for i, move in product(range(len(ends)), moves):
            tried = ends + move * (np.arange(len(ends)) == i)
            if (np.diff([0, *tried, len(y)]) > 0).all():
                tau = float(d_tau(y, _scores(y, tried)))
                best, ends = (tau, tried) if tau > best else (best, ends)
    return best, ends


def no_optimum(rng: np.random.Generator, *, t: float = 0.2, n: int = 10_000) -> Rows:
    """Show that the best scorers of the cut-offs t and 1 - t order examples oppositely.

    The cut-off t is in (0, 1/2), and n, the number of draws, is 100 or more; else ValueError.
    `auc_own` is the AUC of Phi_t for "y above t", above 1/2; `auc_other` is its AUC for "y above
    1 - t", in expectation 1 less the former. `agreement` is the share of pairs of draws that Phi_t
    and Phi_{1-t} order alike, exactly 0 (draws that rounding ties in either have no order).
    `iauc` is that of Phi_t, in expectation 1/2 like that of any scorer (clemencon2017, Example 1
    and Definition 1).
    """
    if not 0 < t < 0.5:
        raise ValueError(f"t={t}: expected a cut-off between 0 and 1/2, exclusive")
    if n < 100:
        raise ValueError(f"n={n}: expected 100 draws or more")
    model = FoldedModel()
    X, y = model.sample(n, rng)
    best = model.ratio(X, t)
    values = {
        "auc_own": auc(y > t, best),
        "auc_other": auc(y > 1 - t, best),
        "agreement": 1 - one_minus_discordance(best, -model.ratio(X, 1 - t)),
        "iauc": iauc(y, best),
    }
    return quantities(values)
