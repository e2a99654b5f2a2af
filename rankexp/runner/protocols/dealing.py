"""Dealing rows into training and test parts, determined by a random stream alone."""

import heapq
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankexp.arrays import Ints
from rankexp.errors import DataError
from rankexp.generators.generator import rounded

FEW_REPEATS = 0.01  # share of rows that repeat others, below which it hardly matters where


@dataclass(frozen=True, eq=False)
class Split:
    """Sorted numbers of rows of a training and a test part, and perhaps of a validation part."""

    train: Ints
    test: Ints
    validation: Ints | None = None


class KeptRows(NamedTuple):
    """What a division of n rows keeps."""

    strata: NDArray[Any] | None = None  # classes, (n,), whose shares are kept
    units: Ints | None = None  # equal numbers, (n,), for rows that stay together

    def sizes(self, n: int) -> tuple[Ints, NDArray[Any]]:
        """Return rows and stratum of each unit: the commonest class of its rows."""
        classes = np.zeros(n, dtype=np.int64) if self.strata is None else self.strata
        if self.units is None:
            return np.ones(n, dtype=np.int64), classes
        codes, index = np.unique(classes, return_inverse=True)
        counts = np.zeros((int(self.units.max()) + 1, len(codes)), dtype=np.int64)
        np.add.at(counts, (self.units, index), 1)
        return counts.sum(axis=1), codes[counts.argmax(axis=1)]


def duplicates(X: NDArray[np.float64]) -> Ints:
    """Return, shape (n,), equal numbers for rows with equal values (missing equals missing)."""
    rows = np.ascontiguousarray(X) + 0.0  # a copy, and -0.0 becomes 0.0
    rows[np.isnan(rows)] = np.nan  # one bit pattern for all
    raw = rows.view(np.dtype((np.void, rows.shape[1] * rows.itemsize))).ravel()
    return np.unique(raw, return_inverse=True)[1].astype(np.int64).ravel()


def worth_keeping(X: NDArray[np.float64]) -> bool:
    """Tell whether it matters that equal rows lie on one side of a split.

    It does not if few rows repeat others, nor if they are combinations of a few values.
    """
    n, different = len(X), len(np.unique(duplicates(X)))
    return n - different >= FEW_REPEATS * n and not combined(X)


def combined(X: NDArray[np.float64]) -> bool:
    """Tell whether rows are combinations of a few values, of which most come several times.

    No column then has more values than the root of the rows. Copies of rows with measured
    numbers, as where a rare class was copied, have more.
    """
    n = len(X)
    if 2 * len(np.unique(duplicates(X))) >= n:
        return False
    return all(len(np.unique(column)) ** 2 <= n for column in X.T)


def deal(n: int, folds: int, rng: np.random.Generator, kept: KeptRows) -> Ints:
    """Return the fold of each row, (n,), dealt at random.

    Sizes differ by at most one, and with strata also those of each stratum; with units they are
    as even as dealing the largest units first makes them.
    """
    units = kept.units
    size, stratum = kept.sizes(n)
    if folds > len(size):
        what = "rows" if units is None else "groups of rows that stay together"
        raise DataError(f"cannot make {folds} folds from {len(size)} {what}: use fewer folds")
    order = rng.permutation(len(size))
    order = order[np.argsort(stratum[order], kind="stable")]
    part = np.empty(len(size), dtype=np.int64)
    if units is None:
        part[order] = np.arange(n) % folds
        return part
    held = [0] * folds
    for code in np.unique(stratum):
        mine = order[stratum[order] == code]
        mine = mine[np.argsort(-size[mine], kind="stable")]
        part[mine] = _even(size[mine], held)
    return part[units]


def holdout(n: int, test: float, rng: np.random.Generator, kept: KeptRows) -> Split:
    """Draw one test part at random.

    `test` is below 1 a fraction of the rows, rounded to whole rows; otherwise a number of rows.
    With units the part is as near to it as a random order of them comes.
    """
    units = kept.units
    size, stratum = kept.sizes(n)
    wanted = int(n * test + 0.5) if test < 1 else round(test)
    if not 0 < wanted < n:
        raise DataError(f"a test part of {wanted} of {n} rows leaves one part empty")
    order = rng.permutation(len(size))
    codes, index = np.unique(stratum, return_inverse=True)
    share = rounded(np.bincount(index, weights=size) * wanted / n, wanted)
    chosen = np.zeros(len(size), dtype=bool)
    for code, rows in zip(codes, share, strict=True):
        mine = order[stratum[order] == code]
        reached = np.concatenate(([0], np.cumsum(size[mine])))
        chosen[mine[: np.argmin(np.abs(reached - rows))]] = True
    if len(size) < 2:
        raise DataError("all rows must stay together, so they cannot be split")
    if chosen.all() or not chosen.any():  # every stratum was nearer to all or nothing
        chosen[order[0]] = not chosen[order[0]]
    mask = chosen if units is None else chosen[units]
    return Split(np.flatnonzero(~mask), np.flatnonzero(mask))


def fold_of(place: Ints, fold: int) -> Split:
    """Return the split that has one fold, of the folds of rows, as its test part."""
    return Split(np.flatnonzero(place != fold), np.flatnonzero(place == fold))


def _even(sizes: Ints, held: list[int]) -> list[int]:
    """Give each unit of a stratum, largest first, to the fold with the fewest rows of it.

    Of several, to the one with the fewest rows in all, by `held`, which is brought up to date: the
    first folds would always get those of small strata otherwise.
    """
    heap = [(0, rows, fold) for fold, rows in enumerate(held)]
    heapq.heapify(heap)
    given = []
    for size in sizes.tolist():
        own, rows, fold = heap[0]
        heapq.heapreplace(heap, (own + size, rows + size, fold))
        held[fold] += size
        given.append(fold)
    return given
