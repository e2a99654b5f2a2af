"""Kernels, and a factor of their Gram matrix that never holds the matrix."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from scipy.linalg import solve_triangular
from scipy.linalg.lapack import dpstrf
from scipy.spatial.distance import cdist

from rankexp.arrays import Floats
from rankexp.solvers.result import scores

Kernel = Callable[[Floats, Floats], Floats]

EPS = float(np.finfo(np.float64).eps)
BLOCK = 64  # candidates for the next pivots; tuned: products of so many columns are quick
SPREAD = 0.1  # tuned: a candidate is taken while it leaves this share of the largest one
DIAGONAL_ROWS = 64  # tuned: K(x, x) is the diagonal of blocks of so many rows
ROWS_AT_ONCE = 1024  # tuned: of the Gram matrix, some megabytes for 1,000 rows
INDEFINITE = 1e-8  # of the largest diagonal entry: the square root of eps, more isn't rounding
FLOOR = 4.0  # roundings a row, which leave as much on the diagonal where nothing is left
FEW_STEPS = 8  # of a kernel beside its sum: differences, products, a power or exponential


def gaussian(gamma: float) -> Kernel:
    """Return ``exp(-gamma |x - x'|²)``."""
    return lambda A, B: np.exp(-gamma * cdist(A, B, "sqeuclidean"))


def polynomial(gamma: float, degree: float, coef0: float) -> Kernel:
    """Return ``(gamma x·x' + coef0)^degree``."""
    return lambda A, B: (gamma * scores(A, B.T) + coef0) ** degree


def linear(A: Floats, B: Floats) -> Floats:
    """Return ``x·x'``."""
    return scores(A, B.T)


def shaped(function: Callable[[Floats, Floats], npt.ArrayLike]) -> Kernel:
    """Return a function as a kernel, its values checked to be a matrix of the right shape."""

    def kernel(A: Floats, B: Floats) -> Floats:
        if (K := np.asarray(function(A, B), dtype=np.float64)).shape != (A.shape[0], B.shape[0]):
            text = "a kernel must be of shape (n, m) for (n, d) and (m, d) rows"
            raise ValueError(f"{text}: of {A.shape} and {B.shape}, got {K.shape}")
        return K

    return kernel


def diagonal(kernel: Kernel, X: Floats) -> Floats:
    """Return ``K(x, x)`` of each row, (n,)."""
    parts = [X[i : i + DIAGONAL_ROWS] for i in range(0, X.shape[0], DIAGONAL_ROWS)]
    return np.concatenate([np.diagonal(kernel(part, part)) for part in parts])


class Factor:
    """A pivoted Cholesky factor ``K ≈ L L'`` of a Gram matrix, grown a few columns at a time."""

    # What is left, ``E = K - L L'`` with the diagonal `left` (n,), is positive semidefinite and
    # zero in the rows of the pivots, so ``|r'E r| <= (sum |r_i| sqrt(E_ii))²`` for every r (Fine
    # and Scheinberg, Efficient SVM training using low-rank kernel representations, JMLR 2001).
    # Below `floor` it is rounding; `largest` is the largest diagonal entry of K.

    def __init__(self, kernel: Kernel, X: Floats) -> None:
        self.kernel, self.X = kernel, X
        self.left = diagonal(kernel, X)
        self.largest = float(self.left.max())
        self.roots = np.sqrt(np.maximum(self.left, 0.0))
        if not (np.isfinite(self.left) & (self.left >= 0.0)).all():
            text = "the kernel must be finite, and K(x, x) >= 0, on every row"
            raise ValueError(f"{text}: scale the features")
        if not self.largest > 0.0:
            raise ValueError("the kernel is 0 on every row of X: all scores would be 0")
        self.floor = FLOOR * self.X.shape[0] * EPS * self.largest
        self.pivots = np.empty(0, dtype=np.intp)
        self._columns = np.empty((self.X.shape[0], BLOCK))

    @property
    def L(self) -> Floats:  # noqa: N802 - as in L L'
        """The factor, (n, r), lower triangular in the rows of the pivots."""
        return self._columns[:, : self.pivots.size]

    def bound(self, weight: Floats) -> float:
        """Return how large ``r'E r`` can be where ``|r| <= weight`` (n,)."""
        return float(weight @ np.sqrt(self.left)) ** 2

    def lost(self, r: Floats, enough: float) -> float:
        """Return ``r'E r`` but for rounding, or a bound where that is ``enough``; r (n,)."""
        if (bound := self.bound(np.abs(r))) <= enough:
            return bound
        projected = r @ self.L
        total = -float(projected @ projected)
        for i in range(0, r.size, ROWS_AT_ONCE):
            part = slice(i, i + ROWS_AT_ONCE)
            total += float(r[part] @ self.kernel(self.X[part], self.X) @ r)
        return min(bound, max(total, 0.0))

    def rounding(self, r: Floats) -> float:
        """Return by how much rounding of the kernel and of the factor can change ``r'K r``."""
        # An entry is off by so many units of ``sqrt(K_ii K_jj)`` (Higham, Accuracy and Stability,
        # 10.3).
        steps = self.X.shape[1] + self.pivots.size + FEW_STEPS
        return float(EPS * steps * (np.abs(r) @ self.roots) ** 2)

    def grow(self, weight: Floats, goal: float, most: int) -> None:
        """Take pivots until ``bound(weight) <= goal``, or rounding or ``most`` of them stop it."""
        while self.pivots.size < most and self.left.max() > self.floor:
            self._extend(min(BLOCK, most - self.pivots.size))
            if self.bound(weight) <= goal:
                return

    def _extend(self, size: int) -> None:
        r = self.pivots.size
        candidates = np.argsort(-self.left, kind="stable")[:size]
        L, rows = self.L, self.X[candidates]
        K = self.kernel(rows, rows)
        if not np.abs(K - K.T).max() <= INDEFINITE * self.largest:
            raise ValueError("the kernel isn't finite and symmetric on the rows of X")
        least = max(self.floor, SPREAD * float(self.left[candidates[0]]))
        R, order, rank, _ = dpstrf(K - L[candidates] @ L[candidates].T, tol=least, lower=1)
        if not rank > 0:
            raise ValueError("the kernel isn't positive semidefinite on the rows of X")
        taken, R = candidates[order[:rank] - 1], np.tril(R[:rank, :rank])
        if r + rank > self._columns.shape[1]:
            n = self.X.shape[0]
            self._columns = np.empty((n, min(n, 2 * (r + rank))))
            self._columns[:, :r] = L
        new = self.kernel(self.X, self.X[taken]) - L @ L[taken].T
        new = solve_triangular(R, new.T, lower=True, check_finite=False).T
        new[self.pivots], new[taken] = 0.0, R
        self._columns[:, r : r + rank] = new
        self.pivots = np.concatenate((self.pivots, taken))
        self.left -= np.einsum("ij,ij->i", new, new)
        self.left[self.pivots] = 0.0
        if self.left.min() < -INDEFINITE * self.largest:
            raise ValueError("the kernel isn't positive semidefinite on the rows of X")
        np.maximum(self.left, 0.0, out=self.left)

    def expand(self, w: Floats) -> Floats:
        """Return coefficients b (r,) with ``L w = K[:, pivots] b``, of the same norm."""
        L = self.L[self.pivots]
        return np.asarray(solve_triangular(L, w, lower=True, trans="T", check_finite=False))
