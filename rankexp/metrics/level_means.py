"""Means over pairs of levels, or over groups, of the shares of pairs that scores put in order."""

from collections.abc import Callable
from typing import Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from rankexp.arrays import Floats, Ints, Numbers
from rankexp.categories import Order, in_order
from rankexp.metrics.bipartite import check_ties, scaled_weights
from rankexp.metrics.continuous import checked
from rankexp.metrics.level_counts import Levels, coded, counts, group_numbers, twice_won
from rankexp.metrics.metric import UndefinedMetricWarning, each_column, mean_over_groups
from rankexp.warn import warn_user

Queries = Literal["each", "pairs"]


class Graded(NamedTuple):
    """What the metrics of levels are given, as `u_ovo` explains it."""

    y: npt.ArrayLike
    scores: npt.ArrayLike
    levels: Order
    ties: str
    groups: npt.ArrayLike | None = None
    queries: str = "each"
    weight: npt.ArrayLike | None = None


def told(y: npt.ArrayLike, levels: Order) -> tuple[npt.ArrayLike, int | None]:
    """Return codes and K where the levels are listed; else labels with an order of their own."""
    K = levels if levels is None or isinstance(levels, int | np.integer) else len(levels)
    return in_order(y, levels), K


def columns_of(given: Graded) -> tuple[Levels, Floats]:
    """Return the levels of the examples, and the scores, one row a scorer; none of weight 0."""
    check_ties(given.ties)
    y, K = told(given.y, given.levels)
    target, s = checked(y, given.scores)
    weight = None
    if given.weight is not None:
        weight = scaled_weights(given.weight, len(target))
        target, s, weight = target[weight > 0], s[weight > 0], weight[weight > 0]
    return coded(target, K, weight), np.ascontiguousarray(np.atleast_2d(s.T))


def mean_of(
    name: str, terms: Callable[[Numbers], Numbers], what: str, given: Graded, lost: bool = False
) -> float | Floats:
    """Return the mean of the shares of pairs won, or lost, over those `terms` that have pairs."""
    if (queries := given.queries) not in get_args(Queries):
        raise ValueError(f"queries='{queries}': expected one of {', '.join(get_args(Queries))}")
    known, columns = columns_of(given)
    query = group_numbers(given.groups, np.shape(given.scores)[0])
    if query is not None and known.weight is not None:  # as if rows of weight 0 were not there
        query = np.unique(query[np.asarray(given.weight) > 0], return_inverse=True)[1]
    won, pairs = _pairs_of_groups(known, columns, query, given.ties)
    if queries == "pairs":
        won, pairs = won.sum(axis=0, keepdims=True), pairs.sum(axis=0, keepdims=True)
    twice, pairs = terms(2 * pairs[:, None] - won if lost else won), terms(pairs)
    there, values = pairs > 0, np.full(twice.shape[:2], np.nan)
    for q, own in enumerate(there):
        if own.any():
            values[q] = (twice[q][:, own] / (2 * pairs[q, own])).mean(axis=1)
    if queries == "pairs" or len(there) == 1:
        if not there.all() or not there.size:
            warn(known, f"{there.size - there.sum()} of {there.size} {what}", query is not None)
        mean = values[0]
    else:
        partly = there.any(axis=1) & ~there.all(axis=1)  # groups without some of the terms
        if partly.any():
            n, of = int((~there[partly]).sum()), there[partly].size
            text = f"{name}: {partly.sum()} of {len(there)} groups lack levels: {n} of their {of}"
            warn_user(f"{text} {what} left out", UndefinedMetricWarning)
        mean = mean_over_groups(values, name)
    return each_column(mean, given.scores)


def _pairs_of_groups(
    known: Levels, columns: Floats, query: Ints | None, ties: str
) -> tuple[Numbers, Numbers]:
    codes, K, weight = known.codes, known.sizes.size, known.weight
    rows: list[slice | Ints] = [slice(None)]
    if query is not None:
        rows = [*np.split(query.argsort(kind="stable"), np.bincount(query).cumsum()[:-1])]
    lists = [Levels.of(codes[r], K, None if weight is None else weight[r]) for r in rows]
    won = [
        [twice_won(counts(levels, s[own]), ties, weight is not None) for s in columns]
        for levels, own in zip(lists, rows, strict=True)
    ]
    kind = np.int64 if weight is None else np.float64
    pairs = np.array([np.outer(levels.sizes, levels.sizes) for levels in lists])
    return np.array(won, kind).reshape(len(rows), len(columns), K, K), pairs


def warn(known: Levels, what: str, grouped: bool = False) -> None:
    """Warn that there is no example for `what`."""
    gone = ", ".join(map(str, known.missing))
    why = f"no example of level {gone}" if gone else "y has a single level"
    why = "no pair within a group" if grouped and not gone else why
    warn_user(f"{why}: {what} left out", UndefinedMetricWarning)
