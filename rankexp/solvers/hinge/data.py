"""The pairs of a sample, without ever listing them: merged rows, weights, products."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

CENTRED_ROWS = 20_000  # up to here a centred copy of X is cheap, and makes rounding smaller
PROBED_ROWS = 2_000
CENTRE_ROWS = 256


@dataclass(frozen=True)
class Pairs(ABC):
    """All pairs (upper row, lower row), a row counted ``weight`` times.

    Attributes
    ----------
    X : ndarray of shape (n, d)
        Distinct rows, centred when there are few.
    weight : ndarray of shape (n,), int
        How often the row occurs with this label.
    count : float
        Number of pairs, with multiplicities and costs.
    mean_difference : ndarray of shape (d,)
        Mean over pairs of the upper row minus the lower one.
    rotation : ndarray of shape (D, d) or None
        Orthonormal basis of the row space where the data have more columns than rows;
        the solution is ``rotation @ w``.
    bits : int
        Total multiplicity in bits, for the fixed point of the scores.
    use_numba : bool
        Whether the sorted sweeps are the compiled ones.
    centred : bool
        Whether the columns of X have mean zero.
    rows : ndarray of shape (n,), int
        Which of the rows the caller gave these are; of equal ones, one of them.
    """

    X: Floats
    weight: Ints
    count: float
    mean_difference: Floats
    rotation: Floats | None
    bits: int
    use_numba: bool
    centred: bool
    rows: npt.NDArray[np.integer]

    @cached_property
    def weight_or_none(self) -> Floats | None:
        """Weights as floats, or None where all are one."""
        return None if self.weight.max() == 1 else self.weight.astype(np.float64)

    @cached_property
    def workspace(self) -> tuple[Floats, Floats]:
        """Two arrays of shape (n + 1, d) to write in: touching new memory is slow."""
        n, d = self.X.shape
        return np.empty((n + 1, d)), np.empty((n + 1, d))

    @cached_property
    def centre(self) -> Floats:
        """About the mean of the rows, shape (d,): differences from it are small."""
        return np.zeros(self.X.shape[1]) if self.centred else self.X[:CENTRE_ROWS].mean(axis=0)

    def scores(self, w: Floats) -> Floats:
        """Return the scores ``X @ w`` of shape (n,), shifted to be centred."""
        s: Floats = self.X @ w
        if not self.centred:
            s -= np.add.reduce(s) / s.size
        return s

    def original(self, w: Floats) -> Floats:
        """Return coefficients of the columns the caller gave."""
        return w if self.rotation is None else np.asarray(self.rotation @ w)

    @abstractmethod
    def differences(self, s: Floats) -> tuple[float, float]:
        """Return the smallest and the largest ``s_i - s_j`` of all pairs."""

    @abstractmethod
    def multiplicity(self, i: Ints, j: Ints) -> Floats | None:
        """Return what the pairs (i[k], j[k]) count, shape (M,); None where all count 1."""

    @abstractmethod
    def sweep(self, s: Floats, h: float) -> "Sweep":
        """Evaluate all pairs at scores ``s`` (n,) with band half width ``h``, in O(n log n)."""

    @abstractmethod
    def sample(self, rows: int) -> "Pairs":
        """Return the pairs of a sample of about ``rows`` rows, always the same ones."""


@dataclass
class Sweep(ABC):
    """One evaluation of all pairs (i, j), i the upper one.

    Attributes
    ----------
    pairs : Pairs
    h : float
        Half width of the band, as rounded to the fixed point.
    residual : ndarray of shape (n,)
        Derivative of the smoothed loss by each score: -mean alpha for upper rows, + for lower.
    hinge, alpha : float
        Means over all pairs of the exact hinge and of the dual variables.
    band_size : float
        Number of pairs in the band, with multiplicities (and costs).
    """

    pairs: Pairs
    h: float
    residual: Floats
    hinge: float
    alpha: float
    band_size: float

    @property
    @abstractmethod
    def midway(self) -> Floats:
        """Residual with every alpha of the band at one half, shape (n,)."""

    @property
    @abstractmethod
    def settled(self) -> Floats:
        """Residual with every alpha of the band at zero, shape (n,)."""

    @property
    @abstractmethod
    def settled_alpha(self) -> float:
        """Mean over all pairs of alpha, those of the band at zero."""

    @abstractmethod
    def listed(self, most: int) -> tuple[Ints, Ints] | None:
        """Return upper and lower rows of all pairs of the band, or None if more than ``most``."""

    @abstractmethod
    def laplacian(self) -> Floats:
        """Return the sum over the band of D D' (d, d), without listing pairs."""


@dataclass
class Gathered:
    """Rows made ready: distinct, centred if few, and no wider than long."""

    X: Floats
    label: npt.NDArray[Any]
    weight: Ints
    difference: Floats
    rotation: Floats | None
    rows: npt.NDArray[np.integer]


def gather(X: Floats, label: npt.NDArray[Any], side: Floats, weight: Ints) -> Gathered:
    """Merge duplicate rows, centre small data, and rotate data with more columns than rows.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    label : ndarray of shape (n,)
        Only rows with the same one are merged.
    side : ndarray of shape (n,)
        Weights of the rows in the mean difference of pairs.
    weight : ndarray of shape (n,), int
        How often a row counts.

    Raises
    ------
    ValueError
        If X isn't finite.
    """
    n = X.shape[0]
    rotation = None
    rows: npt.NDArray[np.integer] = np.arange(n)
    if n <= CENTRED_ROWS:
        X = X - X.mean(axis=0)
    difference = side @ X
    if not np.all(np.isfinite(difference)):
        raise ValueError("X holds NaN or infinite values; impute or drop them first")
    if _may_repeat(X):
        X, label, weight, rows = _merge_duplicates(X, label, weight)
    if X.shape[1] > X.shape[0]:
        rotation, triangle = np.linalg.qr(X.T)
        X = np.ascontiguousarray(triangle.T)
        difference = difference @ rotation
    return Gathered(X, label, weight, difference, rotation, rows)


def _projections(X: Floats) -> Floats:
    """Return one number a row (n,), equal for equal rows.

    Two columns at once: with a single one, equal rows may get different bits.
    """
    d = X.shape[1]
    return np.asarray((X @ np.cos(np.arange(2.0 * d)).reshape(d, 2))[:, 0])


def _may_repeat(X: Floats) -> bool:
    """Say whether rows repeat, from a sample of them where there are many."""
    n = X.shape[0]
    if n > CENTRED_ROWS:
        X = X[np.random.default_rng(0).choice(n, PROBED_ROWS, replace=False)]
    key = np.sort(_projections(X))
    return bool(np.any(key[1:] == key[:-1]))


def _merge_duplicates(
    X: Floats, label: npt.NDArray[Any], weight: Ints
) -> tuple[Floats, npt.NDArray[Any], Ints, npt.NDArray[np.integer]]:
    """Keep one row of each group of equal rows with equal labels, and say which."""
    order = np.lexsort((label, _projections(X)))
    n = order.size
    new = np.ones(n, dtype=bool)
    for start in range(1, n, CENTRED_ROWS):  # in blocks: never a sorted copy of X
        here, before = order[start : start + CENTRED_ROWS], order[start - 1 :][:CENTRED_ROWS]
        before = before[: here.size]
        same = label[here] == label[before]
        same &= np.all(X[here] == X[before], axis=1)
        new[start : start + here.size] = ~same
    first = np.flatnonzero(new)
    if first.size > 0.9 * n:
        return X, label, weight, np.arange(n)
    rows = order[first]
    weight = np.add.reduceat(weight[order], first)
    return np.ascontiguousarray(X[rows]), label[rows], weight, rows
