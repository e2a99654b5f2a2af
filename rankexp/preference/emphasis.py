"""Emphasis functions: how much a wrong pair counts, by the target positions of its items."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankexp.arrays import Bools, Floats, Ints

__all__ = ["Partite", "Top", "check_emphasis", "uniform"]

Emphasis = Callable[[Ints, Ints], Any]
"""omega(i, j) of positions in the target ranking, 1 the top: what a wrong pair counts."""

MOST = 1000  # positions whose triples are tried
ROUNDING = 1e-12


def uniform(i: Ints, j: Ints) -> Floats:
    """Count every pair once: the loss is the share of pairs in the wrong order."""
    return np.asarray(np.not_equal(i, j), dtype=np.float64)


@dataclass(frozen=True)
class Top:
    """Count pairs with an item that belongs among the first k; the others are in a tie."""

    k: int

    def __post_init__(self) -> None:
        if isinstance(self.k, bool) or not isinstance(self.k, int | np.integer) or self.k < 1:
            raise ValueError(f"k must be an integer >= 1, got {self.k!r}")

    def __call__(self, i: Ints, j: Ints) -> Floats:
        """Return 1 where one of two different positions is k or better, else 0."""
        return uniform(i, j) * (np.minimum(i, j) <= self.k)


@dataclass(frozen=True)
class Partite:
    """Count pairs of different classes, the best class first; the loss is their weighted share.

    Two sizes give 1 - AUC of positives and negatives: omega is n (n - 1) / (2 m+ m-) between
    the classes and 0 within (the chapter prints the constant alone; exercise 10.10 asks for more
    classes).
    """

    sizes: tuple[int, ...]

    def __post_init__(self) -> None:
        sizes = np.asarray(self.sizes)
        if sizes.ndim != 1 or sizes.size < 2 or sizes.dtype.kind not in "iu" or sizes.min() < 1:
            text = "sizes must be two or more, each 1 or more and whole"
            raise ValueError(f"{text}, got {self.sizes!r}")
        object.__setattr__(self, "sizes", tuple(sizes.tolist()))

    @property
    def n(self) -> int:
        """The number of items that it is for."""
        return sum(self.sizes)

    def __call__(self, i: Ints, j: Ints) -> Floats:
        """Return all pairs over pairs of different classes, or 0 within a class."""
        one, other = (np.searchsorted(np.cumsum(self.sizes), place) for place in (i, j))
        apart = (self.n**2 - sum(size**2 for size in self.sizes)) / 2
        return uniform(one, other) * (self.n * (self.n - 1) / 2 / apart)


def check_emphasis(omega: Emphasis, n: int) -> Emphasis:
    """Return an emphasis function that meets mohri2018's axioms on positions 1 to n.

    Symmetry: omega(i, j) = omega(j, i). Monotonicity: omega(i, j) <= omega(i, k) if i < j < k or
    i > j > k. The triangle inequality: omega(i, j) <= omega(i, k) + omega(k, j). `uniform`, `Top`
    and `Partite` meet them; for any other function all triples are tried.

    Raises
    ------
    ValueError
        If an axiom fails, with the positions; if the function is for another number of items, such
        as Top(k) with k above n; if a value is negative or not finite; or for more than 1,000
        positions, which are too many to try.

    Examples
    --------
    >>> omega = check_emphasis(lambda i, j: abs(i - j), 4)
    >>> check_emphasis(lambda i, j: (i - j) ** 2, 4)
    Traceback (most recent call last):
    ValueError: omega breaks the triangle inequality: omega(1, 3) = 4 is above omega(1, 2) = 1 ...
    """
    if getattr(omega, "n", n) != n:
        raise ValueError(f"{omega} is for {getattr(omega, 'n', n)} items, and there are {n}")
    if isinstance(omega, Top) and omega.k > n:
        raise ValueError(f"{omega} is about the first {omega.k} of {n} items: use uniform")
    if omega is uniform or isinstance(omega, Top | Partite):
        return omega
    if n > MOST:
        text = f"the axioms of omega are tried on {MOST} positions at most, and there are {n}"
        raise ValueError(f"{text}: use uniform, Top or Partite")
    i, j = np.indices((n, n)) + 1
    if (found := np.asarray(omega(i, j), dtype=np.float64)).shape not in ((), (n, n)):
        raise ValueError(f"omega(i, j) must have the shape of i and j, got {found.shape}")
    _check_axioms(np.where(i == j, 0.0, found))
    return omega


def _check_axioms(W: Floats) -> None:
    i, j = np.indices((len(W), len(W)))
    wrong = ~(np.isfinite(W) & (W >= 0.0))
    _refuse(wrong, lambda i, j: f"{_at(W, i, j)}: expected a finite number >= 0")
    tol = ROUNDING * (1.0 + W.max())
    uneven = np.abs(W - W.T) > tol
    _refuse(uneven, lambda i, j: f"omega breaks symmetry: {_at(W, i, j)}, {_at(W, j, i)}")
    text = "omega breaks monotonicity: {} is above {}, which is farther apart"
    sinks = (W[:, :-1] > W[:, 1:] + tol) & (j > i)[:, :-1]
    _refuse(sinks, lambda i, j: text.format(_at(W, i, j), _at(W, i, j + 1)))
    rises = (W[:, 1:] > W[:, :-1] + tol) & (j < i)[:, 1:]
    _refuse(rises, lambda i, j: text.format(_at(W, i, j + 1), _at(W, i, j)))
    text = "omega breaks the triangle inequality: {} is above {} and {} together"
    for k in range(len(W)):
        over = W - W[:, [k]] - W[k] > tol
        _refuse(over, lambda i, j, k: text.format(_at(W, i, j), _at(W, i, k), _at(W, k, j)), k)


def _refuse(wrong: Bools, words: Callable[..., str], *more: int) -> None:
    """Raise ValueError with `words` on the first place that is wrong."""
    if wrong.any():
        i, j = np.argwhere(wrong)[0].tolist()
        raise ValueError(words(i, j, *more))


def _at(W: Floats, i: int, j: int) -> str:
    return f"omega({i + 1}, {j + 1}) = {W[i, j]:g}"
