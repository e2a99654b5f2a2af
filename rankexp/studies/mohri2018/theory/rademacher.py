"""Estimate empirical Rademacher complexity: how well a class of functions follows random signs.

For rows x_1 .. x_m it is ``E sup_h sum_i sigma_i h(x_i) / m`` over independent signs sigma_i. A
class is given by its supremum, a function of signs (B, m) that returns the B sums.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from rankexp.arrays import Floats
from rankexp.theory.models import Approximation, check_positive, vector

Supremum = Callable[[Floats], Floats]

BLOCK = 2_000_000  # signs drawn at a time


def check_confidence(delta: float) -> None:
    """Raise ValueError unless delta, the chance that a bound fails, is between 0 and 1."""
    if not 0.0 < delta < 1.0:
        raise ValueError(f"delta={delta}: expected a number between 0 and 1, exclusive")


def check_not_negative(**values: float) -> None:
    """Raise ValueError unless all are finite numbers, 0 or above."""
    for name, value in values.items():
        if not 0.0 <= value < np.inf:
            raise ValueError(f"{name}={value}: expected a finite number, 0 or above")


def table(name: str, value: npt.ArrayLike) -> Floats:
    """Return finite numbers with two axes; ValueError for others."""
    return vector(name, value, axes=2)


def empirical_rademacher(
    supremum: Supremum, m: int, rng: np.random.Generator, draws: int = 1000
) -> Approximation:
    """Return the empirical Rademacher complexity of a class on its m rows, by Monte Carlo.

    `draws`, 2 or more, counts the vectors of signs that `rng` draws; ValueError for fewer, and for
    no rows (mohri2018, section 10.2; the definition is in chapter 3 of the book).

    >>> found = empirical_rademacher(linear_ball([[3.0], [4.0]], 1.0), 2, np.random.default_rng(0))
    >>> abs(found.value - (7.0 + 1.0) / 4.0) < 4.0 * found.se  # signs are alike, or not
    True
    """
    if m < 1 or draws < 2:
        raise ValueError(f"m={m}, draws={draws}: expected 1 or more, and 2 or more")
    block = max(1, BLOCK // m)
    sums = [
        supremum(rng.choice([-1.0, 1.0], size=(min(block, draws - start), m)))
        for start in range(0, draws, block)
    ]
    found = np.concatenate([np.atleast_1d(part) for part in sums]) / m
    if found.shape != (draws,) or not np.isfinite(found).all():
        raise ValueError(f"supremum must return (B,) finite sums for signs (B, {m})")
    return Approximation(float(found.mean()), float(found.std(ddof=1) / np.sqrt(draws)))


def linear_ball(X: npt.ArrayLike, norm: float) -> Supremum:
    """Return the supremum of ``x -> <w, x>``, ``||w|| <= norm``: ``norm ||sum sigma_i x_i||``."""
    rows = table("X", X)
    check_positive(norm=norm)
    return lambda signs: norm * np.linalg.norm(signs @ rows, axis=1)


def linear_ball_bound(X: npt.ArrayLike, norm: float) -> float:
    """Return ``norm sqrt(sum_i ||x_i||²) / m``, an upper bound of the complexity of `linear_ball`.

    It is exact for orthogonal rows, and at most sqrt(2) times too large (Khintchine and Kahane).
    """
    rows = table("X", X)
    check_positive(norm=norm)
    return float(norm * np.linalg.norm(rows) / len(rows))


def kernel_rows(K: npt.ArrayLike) -> Floats:
    """Return rows (m, m) whose inner products are the kernel K (m, m) of other rows.

    `linear_ball` and `linear_ball_bound` of them hold for functions of the kernel's space with
    norms up to `norm`. The bound is ``norm sqrt(trace K) / m``, at most ``r norm / sqrt(m)``, r²
    being the largest K(x, x): the step from Theorem 10.1 to Corollary 10.2 of mohri2018.
    ValueError unless K is symmetric, and positive semidefinite but for rounding.
    """
    gram = table("K", K)
    scale = np.abs(gram).max()
    if gram.shape[0] != gram.shape[1] or np.abs(gram - gram.T).max() > 1e-9 * scale:
        raise ValueError(f"K must be square and symmetric, got shape {gram.shape}")
    sizes, directions = np.linalg.eigh(gram)
    if sizes[0] < -1e-9 * len(gram) * scale:
        raise ValueError("K has a negative eigenvalue: it is no positive definite kernel")
    return np.asarray(directions * np.sqrt(np.maximum(sizes, 0.0)))


def threshold_rankers(X: npt.ArrayLike) -> Supremum:
    """Return the supremum of RankBoost's ``1[x_j > t]`` and ``1[x_j <= t]`` on rows X (m, d)."""
    # The convex hull has the same complexity (mohri2018, Corollary 10.4).
    rows = table("X", X)
    orders = np.argsort(rows, axis=0, kind="stable")
    cuts = [np.flatnonzero(np.diff(rows[orders[:, j], j]) > 0.0) for j in range(rows.shape[1])]

    def supremum(signs: Floats) -> Floats:
        total = signs.sum(axis=1)
        best = np.maximum(total, 0.0)  # of all rows, or none
        for j, cut in enumerate(cuts):
            if len(cut):
                below = np.cumsum(signs[:, orders[:, j]], axis=1)[:, cut]
                best = np.maximum(best, below.max(axis=1))
                best = np.maximum(best, total - below.min(axis=1))
        return np.asarray(best)

    return supremum
