"""Threshold base rankers ``1[x_j > t]``: their cuts, the search for the best, and their sums.

Values are put into bins once, so one histogram for each feature judges all its cuts, in O(n).
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from rankexp.arrays import Bools, Floats, Integers, Ints, Unsigned

CUTS = ("quantile", "equidistant", "all")
NOTHING = 1e-12  # of all weight: an edge that is only rounding, of some thousand sums
ALIKE = 1e-10  # relative: edges that rounding alone tells apart, far above what it does
RANGE = 100.0  # scores move by this much before weights are made anew: e^±100 is far in range


class Stump(NamedTuple):
    """A base ranker: 1 where the feature is above the threshold, number `cut` of it, else 0."""

    feature: int
    cut: int
    threshold: float

    def above(self, X: Floats) -> Bools:
        """Return which rows of X, (n, d), are above the threshold."""
        return np.asarray(X[:, self.feature] > self.threshold)


def sums(numbers: Integers, weights: Floats, size: int) -> Floats:
    """Return the sum of the weights, (n,), of each number, 0 .. size - 1, in one pass."""
    return np.asarray(np.bincount(numbers, weights, size), dtype=np.float64)


def cuts_of(values: Floats, kind: str, n_cuts: int, weight: Floats | None = None) -> Floats:
    """Return ascending thresholds for the values of a feature; none if it is constant."""
    # ``quantile``: the quantiles k/(n_cuts + 1), linear in between, of copies if all weights are
    # whole, else of rows; ``equidistant``: as many inside the range; ``all``, or if there are no
    # more values: midway between all neighbouring values.
    ascending = np.sort(values)
    if (change := np.flatnonzero(ascending[1:] > ascending[:-1])).size == 0:
        return np.empty(0)
    if kind == "all" or (kind == "quantile" and change.size <= n_cuts):
        low, high = ascending[change], ascending[change + 1]
        middle = 0.5 * low + 0.5 * high  # halved first: no overflow
        return np.where((low <= middle) & (middle < high), middle, low)
    shares = np.arange(1, n_cuts + 1) / (n_cuts + 1)
    if kind == "equidistant":
        cuts = ascending[0] * (1.0 - shares) + ascending[-1] * shares
    else:  # linear in between
        counts = copies(weight)
        place = shares * ((ascending.size if counts is None else counts.sum()) - 1)
        before = place.astype(np.intp)
        part, after = place - before, before + 1
        if counts is not None:
            ends = counts[np.argsort(values)].cumsum()
            before, after = (ends.searchsorted(at, "right") for at in (before, after))
        cuts = ascending[before] * (1.0 - part) + ascending[after] * part
    # Nothing is above the greatest value: where many examples share it, the next one is the cut.
    parting = np.where(cuts < ascending[-1], cuts, ascending[change[-1]])
    return np.unique(np.maximum(parting, ascending[0]))


def copies(weight: Floats | None) -> Floats | None:
    """Return weights as numbers of copies, if all are whole; None if each row is one."""
    return weight if weight is not None and (weight == np.rint(weight)).all() else None


@dataclass(frozen=True)
class Binned:
    """The training rows by feature, as numbers of bins."""

    cuts: list[Floats]  # of each feature, ascending
    bins: Unsigned  # (d, n): how many cuts lie below a value
    weight: Floats | None = None  # (n,): what each row counts, > 0; None for 1

    @property
    def size(self) -> int:
        return int(self.bins.shape[1])

    @property
    def count(self) -> float:
        """The number of examples: of copies if weights are whole, else of rows."""
        counts = copies(self.weight)
        return float(self.size if counts is None else counts.sum())

    @cached_property
    def beyond(self) -> Bools:
        """The places of a table (d, bins) that are no cuts of the feature."""
        return np.asarray(np.arange(self.width) >= np.array([c.size for c in self.cuts])[:, None])

    @cached_property
    def width(self) -> int:
        return 1 + max(cuts.size for cuts in self.cuts)

    def best(self, charges: Floats) -> Stump | None:
        """Return the base ranker with the greatest edge, or None where none has any."""
        # The edge is the sum of the charges, (n,), above the cut, in absolute value. Of edges that
        # are equal but for rounding that of the first feature wins, and then of the lowest cut.
        # All charges sum to 0: those above a cut to minus those below.
        from rankexp.solvers.loops import histograms

        edges = np.abs(np.cumsum(histograms(self.bins, charges, self.width), axis=1))
        edges[self.beyond] = 0.0
        if not (most := edges.max()) > NOTHING:
            return None
        feature, cut = divmod(int(np.argmax(edges >= (1.0 - ALIKE) * most)), edges.shape[1])
        return Stump(feature, cut, float(self.cuts[feature][cut]))

    def above(self, stump: Stump) -> Bools:
        """Return which training rows are above a stump's threshold, (n,)."""
        return np.asarray(self.bins[stump.feature] > stump.cut)


def binned(X: Floats, kind: str, n_cuts: int, weight: Floats | None = None) -> Binned:
    """Cut every feature of rows X, (n, d), with weights > 0, and put its values into bins."""
    cuts = [cuts_of(column, kind, n_cuts, weight) for column in X.T]
    most = max(c.size for c in cuts)
    narrow = next(t for t in (np.uint8, np.uint16, np.uint32) if most <= np.iinfo(t).max)
    bins: Unsigned = np.empty(X.shape[::-1], dtype=narrow)
    for row, column, edges in zip(bins, X.T, cuts, strict=True):
        row[:] = edges.searchsorted(column, side="left")
    return Binned(cuts, bins, weight)


def step_sums(features: Ints, thresholds: Floats, heights: Floats, X: Floats) -> Floats:
    """Return ``sum_t heights[t] 1[x[features[t]] > thresholds[t]]`` of rows X (n, d), (n,)."""
    # As one step function a feature: equal rows get equal bits.
    s = np.zeros(X.shape[0])
    for feature in np.unique(features).tolist():
        mine = np.flatnonzero(features == feature)
        mine = mine[np.argsort(thresholds[mine], kind="stable")]
        levels = np.concatenate(([0.0], np.cumsum(heights[mine])))
        s += levels[thresholds[mine].searchsorted(X[:, feature], side="left")]
    return s


def half_log_ratio(good: float, bad: float, smoothing: float, what: str) -> float:
    """Return a coefficient, ``½ log((good + d) / (bad + d))``; ValueError where it is infinite."""
    if min(good, bad) + smoothing <= 0.0:
        text = f"a base ranker {what}, so its coefficient is infinite"
        raise ValueError(f"{text}: set smoothing > 0, or None for the default")
    return float(0.5 * np.log((good + smoothing) / (bad + smoothing)))


class Factors:
    """Scores, exponentials by cell (a level of a group, say), and what a stump does to them."""

    # Weights are relative to their cell's least (``exp(-s)``) or greatest score (``exp(s)``), so
    # they are at most 1 when made and neither overflow nor vanish. `least` and `most` (cells,) are
    # inf and -inf for an empty cell. Row weights are a factor of `up` and `down`, (n,), whose sums
    # by cell are `ups` and `downs`.

    def __init__(self, rows: Binned, cell: Ints, cells: int) -> None:
        self.rows, self.cell, self.cells = rows, cell.astype(np.int32), cells
        self.s = np.zeros(rows.size)
        self.refresh()

    def refresh(self) -> None:
        self.least, self.most = np.full(self.cells, np.inf), np.full(self.cells, -np.inf)
        np.minimum.at(self.least, self.cell, self.s)
        np.maximum.at(self.most, self.cell, self.s)
        self.up = np.exp(self.least[self.cell] - self.s)
        self.down = np.exp(self.s - self.most[self.cell])
        if self.rows.weight is not None:
            self.up, self.down = self.up * self.rows.weight, self.down * self.rows.weight
        self.ups = sums(self.cell, self.up, self.cells)
        self.downs = sums(self.cell, self.down, self.cells)
        self.moved = 0.0

    def split(self, stump: Stump) -> tuple[Floats, Floats]:
        """Return the sums of up and of down by cell, below and above the stump."""
        from rankexp.solvers.loops import split

        bins = self.rows.bins[stump.feature]
        return split(bins, stump.cut, self.cell, self.up, self.down, self.cells)

    def advance(self, stump: Stump, height: float, split: tuple[Floats, Floats]) -> bool:
        """Add a height to the scores above a stump, given its `split`; tell if weights are new."""
        from rankexp.solvers.loops import advance

        self.moved += abs(height)
        if self.moved > RANGE:
            self.s[self.rows.above(stump)] += height
            self.refresh()
            return True
        factor = float(np.exp(height))
        bins = self.rows.bins[stump.feature]
        advance(bins, stump.cut, height, factor, self.s, self.up, self.down)
        self.ups = split[0][0] + split[0][1] / factor
        self.downs = split[1][0] + split[1][1] * factor
        return False

    def charges(self, of_up: Floats, of_down: Floats) -> Floats:
        """Return ``up · of_up - down · of_down``, (n,), the factors of a cell (cells,)."""
        from rankexp.solvers.loops import charges

        return charges(self.cell, self.up, self.down, of_up, of_down)
