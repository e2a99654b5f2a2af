"""Splits of a data set into training and test rows, determined by a random stream alone."""

import heapq
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rankexp.data.dataset import Dataset, Ints, Split
from rankexp.errors import DataError

if TYPE_CHECKING:
    from rankexp.config.schema import CrossValidation, Holdout, Inner


def split(
    protocol: "CrossValidation | Holdout",
    dataset: Dataset,
    fold: int | None,
    rng: np.random.Generator,
) -> Split:
    """Return one split of a data set.

    Parameters
    ----------
    protocol : CrossValidation or Holdout
        From the configuration.
    dataset : Dataset
    fold : int or None
        Which part is the test part; None for a holdout.
    rng : Generator
        Fresh, and the same for all folds of one repeat.

    Raises
    ------
    DataError
        More folds than rows, an empty part, strata of a continuous target, no groups to keep.
    """
    strata = _strata(dataset) if protocol.stratified else None
    units = units_of(dataset, protocol.together)
    n = len(dataset.y)
    if protocol.kind == "split":
        return holdout(n, protocol.test, rng, strata=strata, units=units)
    if fold is None:
        raise ValueError("cross-validation needs a fold")
    return _part(deal(n, protocol.folds, rng, strata=strata, units=units), fold)


def inner_folds(
    inner: "Inner",
    n: int,
    y: NDArray[Any] | None,
    rng: np.random.Generator,
    units: Ints | None = None,
) -> list[Split]:
    """Return the folds inside a training part.

    Parameters
    ----------
    inner : Inner
    n : int
        Rows of the training part; the splits number them from 0.
    y : ndarray, shape (n,), or None
        Level codes of its rows, for stratified folds.
    rng : Generator
    units : ndarray of int, shape (n,), or None
        Rows with equal numbers stay on one side (see `units_of`).
    """
    strata = y if inner.stratified else None
    part = deal(n, inner.folds, rng, strata=strata, units=units)
    return [_part(part, fold) for fold in range(inner.folds)]


def units_of(dataset: Dataset, together: str) -> Ints | None:
    """Return, shape (n,), equal numbers for rows that a split must not part; None: none such."""
    if together == "duplicates":
        return duplicates(dataset.X)
    if together == "none":
        return None
    if dataset.groups is None:
        raise DataError(
            f"data set '{dataset.name}' has no groups to keep together; name their column in "
            "'groups' of its entry, or use 'together: none'"
        )
    return np.unique(dataset.groups, return_inverse=True)[1].astype(np.int64)


def duplicates(X: NDArray[np.float64]) -> Ints:
    """Return, shape (n,), equal numbers for rows with equal values (missing equals missing)."""
    rows = np.ascontiguousarray(X) + 0.0  # a copy, and -0.0 becomes 0.0
    rows[np.isnan(rows)] = np.nan  # one bit pattern for all
    raw = rows.view(np.dtype((np.void, rows.shape[1] * rows.itemsize))).ravel()
    return np.unique(raw, return_inverse=True)[1].astype(np.int64).ravel()


def deal(
    n: int,
    folds: int,
    rng: np.random.Generator,
    *,
    strata: NDArray[Any] | None = None,
    units: Ints | None = None,
) -> Ints:
    """Deal rows into folds at random.

    Sizes differ by at most one, and with strata also those of each stratum; with units they are
    as even as dealing the largest units first makes them.

    Returns
    -------
    ndarray of int64, shape (n,)
        The fold of each row.
    """
    size, stratum = _unit_sizes(n, strata, units)
    if folds > len(size):
        what = "rows" if units is None else "units of rows that stay together"
        raise DataError(f"{folds} folds of {len(size)} {what}: use fewer folds")
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


def holdout(
    n: int,
    test: float,
    rng: np.random.Generator,
    *,
    strata: NDArray[Any] | None = None,
    units: Ints | None = None,
) -> Split:
    """Draw one test part at random.

    Parameters
    ----------
    n : int
    test : float
        Below 1 a fraction of the rows, rounded to whole rows; otherwise a number of rows. With
        units as near to it as a random order of them comes.
    rng : Generator
    strata, units : ndarray, shape (n,), or None
        Classes whose shares are kept; rows that stay together.
    """
    size, stratum = _unit_sizes(n, strata, units)
    wanted = int(n * test + 0.5) if test < 1 else round(test)
    if not 0 < wanted < n:
        raise DataError(f"a test part of {wanted} of {n} rows leaves one side empty")
    order = rng.permutation(len(size))
    codes, index = np.unique(stratum, return_inverse=True)
    share = _shares(np.bincount(index, weights=size) * wanted / n, wanted)
    chosen = np.zeros(len(size), dtype=bool)
    for code, rows in zip(codes, share, strict=True):
        mine = order[stratum[order] == code]
        reached = np.concatenate(([0], np.cumsum(size[mine])))
        chosen[mine[: np.argmin(np.abs(reached - rows))]] = True
    if len(size) < 2:
        raise DataError("all rows stay together: no split leaves two sides")
    if chosen.all() or not chosen.any():  # every stratum was nearer to all or nothing
        chosen[order[0]] = not chosen[order[0]]
    mask = chosen if units is None else chosen[units]
    return Split(np.flatnonzero(~mask), np.flatnonzero(mask))


def _part(part: Ints, fold: int) -> Split:
    return Split(np.flatnonzero(part != fold), np.flatnonzero(part == fold))


def _strata(dataset: Dataset) -> NDArray[Any]:
    if dataset.levels is None:
        raise DataError(f"data set '{dataset.name}' has a continuous target: no stratified splits")
    return dataset.y


def _unit_sizes(
    n: int, strata: NDArray[Any] | None, units: Ints | None
) -> tuple[Ints, NDArray[Any]]:
    """Return rows and stratum of each unit; a unit of mixed classes is of its commonest one."""
    classes = np.zeros(n, dtype=np.int64) if strata is None else strata
    if units is None:
        return np.ones(n, dtype=np.int64), classes
    codes, index = np.unique(classes, return_inverse=True)
    counts = np.zeros((int(units.max()) + 1, len(codes)), dtype=np.int64)
    np.add.at(counts, (units, index), 1)
    return counts.sum(axis=1), codes[counts.argmax(axis=1)]


def _even(sizes: Ints, held: list[int]) -> list[int]:
    """Give each unit of a stratum, largest first, to the fold with the fewest rows of it.

    Of several such, to the one that holds the fewest rows in all: a stratum of few units would
    always go to the first folds otherwise. `held`, rows in all by fold, is brought up to date.
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


def _shares(exact: NDArray[np.float64], total: int) -> Sequence[int]:
    """Round shares to integers of the given sum, largest remainders up."""
    whole = np.floor(exact + 1e-9).astype(np.int64)
    short = total - int(whole.sum())
    whole[np.argsort(whole - exact, kind="stable")[:short]] += 1
    return [int(rows) for rows in whole]
