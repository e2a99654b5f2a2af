"""Rows that repeat, or lie far from zero, as a sample of them shows where they are many."""

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from rankexp.arrays import Floats
from rankexp.solvers.pairs.partial_order import PartialOrder

CENTRED_ROWS = 20_000  # tuned: up to here a centred copy of X costs little beside the solution
PROBED_ROWS = 2_000  # tuned: shows repeated rows, and a mean far from 0, of large data
FAR_FROM_ZERO = 1e3  # standard deviations: then centring saves three or more of 16 digits
REPEATED = 0.9  # tuned: with more rows distinct, merging saves less than it costs


def _probe(X: Floats) -> Floats:
    n = X.shape[0]
    if n <= CENTRED_ROWS:
        return X
    return X[np.random.default_rng(0).choice(n, PROBED_ROWS, replace=False)]


def far_from_zero(X: Floats) -> bool:
    """Say whether a column has a mean much larger than its standard deviation."""
    few = _probe(X)
    deviation = few.std(axis=0)
    varies = deviation > 0.0
    return bool(np.any(np.abs(few.mean(axis=0)) > FAR_FROM_ZERO * deviation, where=varies))


def _projections(X: Floats) -> Floats:
    d = X.shape[1]
    return np.asarray((X @ np.cos(np.arange(2.0 * d)).reshape(d, 2))[:, 0])


def may_repeat(X: Floats) -> bool:
    """Say whether rows repeat, from a sample of them where there are many."""
    key = np.sort(_projections(_probe(X)))
    return bool(np.any(key[1:] == key[:-1]))


def merge_duplicates(
    X: Floats, order: PartialOrder
) -> tuple[Floats, PartialOrder, npt.NDArray[np.integer]]:
    """Keep one row of each set of equal rows of one cell, and say which."""
    label = order.cell
    key = _projections(X)
    at = np.lexsort((label, key))
    n = at.size
    new = np.ones(n, dtype=bool)
    for start in range(1, n, CENTRED_ROWS):  # in blocks: never a sorted copy of X
        here = at[start : start + CENTRED_ROWS]
        before = at[start - 1 : start - 1 + here.size]
        same = (label[here] == label[before]) & (key[here] == key[before])
        same[same] = np.all(X[here[same]] == X[before[same]], axis=1)
        new[start : start + here.size] = ~same
    first = np.flatnonzero(new)
    if first.size > REPEATED * n:
        return X, order, np.arange(n)
    rows = at[first]
    weight = np.add.reduceat(order.weight[at], first)
    merged = replace(order, level=order.level[rows], group=order.group[rows], weight=weight)
    return np.ascontiguousarray(X[rows]), merged, rows
