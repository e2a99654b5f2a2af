"""How many examples of each level have each score: all that a measure of K levels needs."""

from math import isnan
from numbers import Integral
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from rankexp.arrays import Floats, Ints

T = TypeVar("T", bound=np.generic)
MOST = 50_000_000  # levels times distinct scores, counted in one table


class Levels(NamedTuple):
    """The level of each example, codes 0 .. K-1, and how many examples each has."""

    codes: Ints
    sizes: Ints | Floats  # sums of the weights of the examples, if these have any
    weight: Floats | None = None

    @classmethod
    def of(cls, codes: Ints, K: int, weight: Floats | None = None) -> "Levels":
        """Return the levels of examples that have codes below K."""
        return cls(codes, np.bincount(codes, weight, minlength=K), weight)

    @property
    def missing(self) -> list[int]:
        """The codes of the levels without an example."""
        return [int(code) for code in np.flatnonzero(self.sizes == 0)]


def coded(target: Floats, levels: int | None, weight: Floats | None = None) -> Levels:
    """Tell the levels of a target, (n,), without NaN; by default as many as it has values.

    Where it has K values they are the levels; where it has fewer they must be codes, integers in
    0 .. K-1, or it could not be known which are missing.
    """
    if levels is not None and not (isinstance(levels, Integral) and levels >= 1):
        raise ValueError(f"levels must be an integer, at least 1, got {levels!r}")
    values, codes = distinct(target)
    if levels is None or len(values) == levels:
        return Levels.of(codes, len(values), weight)
    if len(values) > levels:
        raise ValueError(f"y has {len(values)} values, but there are only {levels} levels")
    if not np.isin(values, np.arange(levels)).all():
        strange = ", ".join(f"{value:g}" for value in values)
        text = f"y has the values {strange}, fewer than the {levels} levels: it must hold codes 0"
        raise ValueError(f"{text} .. {levels - 1}, so that it is known which levels are missing")
    return Levels.of(target.astype(np.int64), levels, weight)


def distinct(target: npt.NDArray[T]) -> tuple[npt.NDArray[T], Ints]:
    """Return the distinct values and the place of each among them; small integers unsorted."""
    low = target.min()
    if float(target.max()) - float(low) < target.size:
        shifted = (target - low).astype(np.int64)
        if np.array_equal(shifted + low, target):
            there = np.bincount(shifted) > 0
            return low + there.nonzero()[0], (there.cumsum() - 1)[shifted]
    return np.unique(target, return_inverse=True)


def group_numbers(groups: npt.ArrayLike | None, n: int) -> Ints | None:
    """Return groups as numbers 0 .. G-1 in ascending order, (n,); None for none."""
    if groups is None:
        return None
    if (labels := np.asarray(groups)).shape != (n,):
        raise ValueError(f"groups must be of shape ({n},), one a row, got shape {labels.shape}")
    if labels.dtype.kind in "iu" and n:
        return distinct(labels)[1]
    try:
        found, numbers = np.unique(labels, return_inverse=True)
        missing = any(isinstance(g, float) and isnan(g) for g in found.tolist())
    except TypeError:  # None, or words among numbers
        missing = True
    if missing:
        raise ValueError("groups must be all numbers or all words, and none missing")
    return numbers.astype(np.int64)


def counts(levels: Levels, scores: Floats) -> Floats:
    """Count the examples of each level at each distinct score, ascending, shape (K, G).

    What is counted are their weights, if they have any.
    """
    order = scores.argsort()
    weight = None if levels.weight is None else levels.weight[order]
    ranked, codes = scores[order], levels.codes[order]
    K, n = levels.sizes.size, scores.size
    if (new := ranked[1:] != ranked[:-1]).all():
        table = np.zeros((K, n))
        table[codes, np.arange(n)] = 1.0 if weight is None else weight
        return table
    group = np.concatenate(([0], new.cumsum()))
    G = int(group[-1]) + 1
    return np.bincount(codes * G + group, weight, K * G).reshape(K, G).astype(np.float64)


def twice_won(table: Floats, ties: str, weighted: bool = False) -> Ints | Floats:
    """Return twice the pairs in the right order by lower and higher level, (K, K).

    All sums are of integers that float64 holds exactly, up to 9e7 examples, or of their weights.
    """
    weakly = table.cumsum(axis=1) @ table.T
    if not weighted and table.shape[1] == table.sum():  # no ties
        return (2.0 * weakly).astype(np.int64)
    lost = {"expected": 1.0, "worst": 2.0, "best": 0.0}[ties]  # of a tie
    won: Floats = 2.0 * weakly - lost * (table @ table.T)
    return won if weighted else won.astype(np.int64)


def won(levels: Ints, scores: Floats) -> Floats:
    """Return how many pairs each row wins against rows of other levels, (n,); a tie counts 1/2."""
    # `levels` are codes 0 .. K-1, worst to best; `scores` (n,) are without NaN. A row wins against
    # a worse one if its score is above, against a better one if it is below.
    tie, middle = _below(levels, scores)
    upto = 2.0 * middle.cumsum(axis=0) - middle  # of a level's rows a half, of worse ones twice
    above = len(scores) - np.bincount(levels).cumsum()
    return np.asarray(above[levels] + upto[levels, tie] - middle.sum(axis=0)[tie])


def won_by_level(levels: Ints, scores: Floats) -> Floats:
    """Return how many pairs each row wins against each level, (K, n), its own none; see `won`."""
    tie, middle = _below(levels, scores)
    found, level = middle[:, tie], np.arange(len(middle))[:, None]
    other = np.where(levels < level, np.bincount(levels)[:, None] - found, found)
    return np.where(levels == level, 0.0, other)


def _below(levels: Ints, scores: Floats) -> tuple[Ints, Floats]:
    """Return which distinct score each row has, (n,), and the rows of each level below, (K, G)."""
    # Those beside a score count 1/2.
    tie = np.unique(scores, return_inverse=True, equal_nan=False)[1]
    G = int(tie.max(initial=-1)) + 1
    K = int(levels.max(initial=-1)) + 1
    if K * G > MOST:
        raise ValueError(f"{K} levels and {G} scores are too many to count wins level by level")
    equal = np.bincount(levels * G + tie, minlength=K * G).reshape(K, G)
    return tie, equal.cumsum(axis=1) - 0.5 * equal


def cost_matrix(costs: npt.ArrayLike | None, levels: int) -> Floats:
    """Return the costs of pairs above the diagonal of a matrix (K, K) that is 0 elsewhere.

    ``costs[j, i]`` with j < i is that of ranking an example of level i below one of level j.
    Entries on and below the diagonal are 0, or those above it mirrored. None: all pairs cost 1.
    """
    if costs is None:
        return np.triu(np.ones((levels, levels)), 1)
    if (C := np.asarray(costs, dtype=np.float64)).shape != (levels, levels):
        text = f"costs must be of shape ({levels}, {levels})"
        raise ValueError(f"{text}, one row and column a level, got shape {C.shape}")
    if not (np.isfinite(C) & (C >= 0.0)).all():
        raise ValueError("costs must be finite and >= 0")
    upper, lower = np.triu(C, 1), np.tril(C)
    if lower.any() and not np.array_equal(lower, upper.T):
        text = "costs[j, i] is the cost of ranking level i below level j < i: entries on and"
        raise ValueError(f"{text} below the diagonal must be 0, or mirror those above it")
    if not upper.any():
        raise ValueError("costs must not all be 0: no pair would count")
    return upper
