"""Rows as ranked lists, one for each query, from which measures of the top are computed."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial, wraps
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from rankexp import names
from rankexp.arrays import Bools, Floats, Groups, Ints, PerRow
from rankexp.categories import Order
from rankexp.metrics import metric
from rankexp.metrics.continuous import checked
from rankexp.metrics.level_counts import coded, distinct, group_numbers
from rankexp.metrics.level_means import told

Ties = Literal["expected", "order", "reversed", "best", "worst"]
Empty = Literal["zero", "skip"]
Given = ArrayLike | names.Value
ListMetric = metric.OfScores[...]
MOST = 50  # the highest level whose gain, 2^y - 1, is exact, as sums of such gains have to be


class Queries:
    """Rows by query and their levels, which are the same for all columns of scores."""

    def __init__(self, y: Floats, levels: int | None, groups: Groups, ties: str) -> None:
        self.ties = ties
        self.levels, self.code = _levels(y, levels)
        self.highest = max(int(self.levels[-1]) if levels is None else levels - 1, 1)
        query = np.zeros(y.size, np.int64) if groups is None else groups
        self.sizes = np.bincount(query)
        self.start = np.concatenate(([0], self.sizes.cumsum()[:-1]))
        self.query = np.arange(self.sizes.size).repeat(self.sizes)
        first = np.arange(y.size)
        if ties in ("best", "worst"):
            first = _stable(self.code.max() - self.code if ties == "best" else self.code)
        elif ties == "reversed":
            first = first[::-1]
        self.rows = first[_stable(query[first])]
        """Rows by query, of which equal scores keep the order where it breaks ties."""

    @cached_property
    def rank(self) -> Ints:
        """Rank of each row of the lists, from 1."""
        return np.arange(1, self.rows.size + 1) - self.start[self.query]

    def ranked(self, scores: Floats) -> "Lists":
        """Return the lists that scores, (n,), make."""
        given = -scores[self.rows]
        Q, width = self.sizes.size, int(self.sizes.max())
        kind: Literal["stable"] | None = None if self.ties == "expected" else "stable"
        if Q * width <= 4 * given.size:
            inside = np.arange(width) < self.sizes[:, None]
            padded = np.full((Q, width), np.nan)  # sorted behind all else
            padded[inside] = given
            place = (padded.argsort(axis=1, kind=kind) + self.start[:, None])[inside]
        else:
            place = np.lexsort((given, self.query))
        new = np.ones(given.size, dtype=bool)
        if self.ties == "expected":
            given = given[place]
            new[1:] = given[1:] != given[:-1]
            new[self.start] = True
        return Lists(self, self.code[self.rows[place]], new)

    @cached_property
    def ideal(self) -> "Lists":
        """The lists in the order of the levels."""
        return self.ranked(self.levels[self.code])


@dataclass(frozen=True)
class Lists:
    """Ranked lists one behind the other, best first."""

    queries: Queries
    code: Ints  # (n,): the place of each row's level among the levels there are
    new: Bools  # (n,): whether a block of equal scores begins; any row does if a rule orders these

    @cached_property
    def block(self) -> Ints:
        """The first row of each block, (B,)."""
        return self.new.nonzero()[0]

    @cached_property
    def size(self) -> Ints:
        """The number of rows of each block, (B,)."""
        return np.diff(self.block, append=self.new.size)

    def total(self, values: Floats | Bools) -> Floats:
        """Add up numbers of rows, (n,), or count those told of, by query, (Q,)."""
        return np.add.reduceat(values, self.queries.start, dtype=np.float64)

    def count_in_blocks(self, here: Bools) -> Floats:
        """Count the rows told of by block, (B,)."""
        return np.add.reduceat(here, self.block, dtype=np.float64)

    def total_of_blocks(self, values: Floats) -> Floats:
        """Add up numbers of blocks, (B,), by query, (Q,)."""
        return np.add.reduceat(values, self.block.searchsorted(self.queries.start))

    def tied(self, values: Floats) -> Floats:
        """Return the mean over each row's block: the expectation over the orders of the block."""
        if self.block.size < self.new.size:
            values = (np.add.reduceat(values, self.block) / self.size).repeat(self.size)
        return values

    def before(self, here: Bools) -> Ints:
        """Count the rows told of that stand before each block in its list, (B,)."""
        upto = np.concatenate(([0], here.cumsum()))
        first = self.queries.start[self.queries.query[self.block]]
        return np.asarray(upto[self.block] - upto[first])

    def relevant(self, lowest: int) -> Bools:
        """Tell which rows are of this level or a higher one."""
        return np.asarray(self.queries.levels >= lowest)[self.code]


def _stable(keys: Ints) -> Ints:
    return np.argsort(keys.astype(np.uint16) if keys.max() < 2**16 else keys, kind="stable")


def _levels(y: Floats, levels: int | None) -> tuple[Floats, Ints]:
    if levels in (None, 2) and y.min() == -1 and np.isin(y, (-1, 1)).all():
        y = (y + 1) / 2
    if levels is not None:
        known = coded(y, levels).codes.astype(np.float64)
        if (known != y).any():  # gains differ by what the labels are, so they are not guessed
            got = f"y holds {y[known != y][0]:g}: with levels={levels} it must hold codes 0 .. "
            raise ValueError(f"{got}{levels - 1}; for other labels give levels=[worst, ..., best]")
    values, code = distinct(y)
    if (strange := values[(values < 0) | (values != values.round())]).size:
        expected = "expected levels 0, 1, 2, ..., or levels=[worst, ..., best]"
        raise ValueError(f"y holds {strange[0]:g}: {expected}")
    return values, code


def _check(levels: int | None = None, **given: Any) -> None:
    k, relevant, max_fpr = map(given.get, ("k", "relevant", "max_fpr"))
    if k is not None and k < 1:
        raise ValueError(f"k={k}: expected 1 or more, how many rows of a list count")
    if relevant is not None and not 1 <= relevant < (levels or np.inf):
        below = f" below {levels}, as many as there are" if levels else ""
        raise ValueError(f"relevant={relevant}: expected a level of 1 or more{below}")
    if max_fpr is not None and not 0 < max_fpr <= 1:
        raise ValueError(f"max_fpr={max_fpr}: expected a rate above 0, at most 1")


def top(
    source: str, label: str, k: str | None = None, rules: bool = True, margin: float | None = 0.01
) -> Callable[[Callable[..., Floats]], ListMetric]:
    """Make a metric of a function of `Lists` and of parameters: its mean over queries."""
    # It takes y, scores, groups and levels; with `rules` also `ties` and `empty`.

    def mark(function: Callable[..., Floats]) -> ListMetric:
        shared, own = ([*inspect.signature(f).parameters.values()][1:] for f in (_each, function))
        taken = [*shared[:4], *own, *(shared[4:6] if rules else ())]
        signature = inspect.Signature(taken, return_annotation=float | Floats)

        def each(*given: Given, **named: Given) -> Floats:
            bound = signature.bind(*given, **named)
            bound.apply_defaults()
            asked = {k: v for k, v in bound.arguments.items() if k not in metric.DATA}
            names.arguments(f"metric '{measured.__name__}'", asked, measured, metric.DATA)
            asked = {p.name: bound.arguments.pop(p.name) for p in own}
            # Without the rules a query without a relevant row has no value.
            return _each(partial(function, **asked), **{"empty": "skip", **bound.arguments})

        @wraps(function)
        def measured(*given: Given, **named: Given) -> float | Floats:
            found = metric.mean_over_groups(each(*given, **named), label)
            return metric.each_column(found, signature.bind(*given, **named).arguments["scores"])

        each.__signature__ = measured.__signature__ = signature  # type: ignore[attr-defined]
        measured.__annotations__ = {p.name: p.annotation for p in taken}
        return metric.Declaration(
            "higher",
            source=source,
            cutoff=k,
            kinds=("binary", "ordinal"),
            check=_check,
            reading=metric.MetricReading(margin),
            each=each,
            label=label,
        )(metric.each_vector(measured))

    return mark


def _each(
    value: partial[Floats],
    y: ArrayLike,
    scores: ArrayLike,
    groups: PerRow = None,
    levels: Order = None,
    ties: Ties = "expected",
    empty: Empty = "zero",
) -> Floats:
    """Return the values of a function of lists by query, groups ascending, (Q, L)."""
    y, K = told(y, levels)
    target, s = checked(y, scores)
    _check(K, **value.keywords)
    queries = Queries(target, K, group_numbers(groups, target.size), ties)
    columns = np.ascontiguousarray(np.atleast_2d(s.T))
    values = np.array([value(queries.ranked(column)) for column in columns])
    values = values.reshape(len(columns), queries.sizes.size)
    there = (queries.levels >= (value.keywords.get("relevant") or 1))[queries.code[queries.rows]]
    values[:, ~np.logical_or.reduceat(there, queries.start)] = 0.0 if empty == "zero" else np.nan
    return values.T
