"""The result of every path solver."""

from dataclasses import dataclass, replace

import numpy as np

from rankexp.arrays import Bools, Floats, Ints
from rankexp.solvers.rows import as_rows, is_sparse


@dataclass(frozen=True, repr=False)
class PathResult:
    """Solutions along a path of penalties, in the order the penalties were given.

    Attributes
    ----------
    coef : ndarray of shape (d, L)
        One column a penalty.
    intercept : ndarray of shape (L,)
        Zero for pairwise risks.
    objective : ndarray of shape (L,)
        ``lam/2 · ||w||² + risk``.
    gap : ndarray of shape (L,)
        Certified relative suboptimality ``(P - D) / P``.
    n_iter : ndarray of shape (L,), int
        Iterations.
    converged : ndarray of shape (L,), bool
        Whether ``gap <= tol``.
    slope : ndarray of shape (n, L) or None
        Of the pairwise hinge: the derivatives by the scores, -mean alpha for upper and + for
        lower rows, of the dual variables that ``D`` is taken at. Of equal rows, one has the sum.
    bearable : ndarray of shape (L,) or None
        What `offset` is, where that isn't ``intercept``.
    thresholds : ndarray of shape (K - 1, L) or None
        Of models with thresholds between K levels.
    lost : ndarray of shape (L,) or None
        By how much the nearest doubles of the thresholds or the intercept make the objective
        worse, relative to it: a part of ``gap``.
    rough : tuple of ndarray (n,) and float, or None
        The scores of the rows, if there is one penalty, and by how much they may be off.
    """

    coef: Floats
    intercept: Floats
    objective: Floats
    gap: Floats
    n_iter: Ints
    converged: Bools
    slope: Floats | None = None
    bearable: Floats | None = None
    thresholds: Floats | None = None
    lost: Floats | None = None
    rough: tuple[Floats, float] | None = None

    def __repr__(self) -> str:
        (d, count), done = self.coef.shape, int(self.converged.sum())
        said = f"{count} penalties, {d} features, {int(self.n_iter.sum())} iterations"
        return f"PathResult: {said}; {done} of {count} converged, gap up to {self.gap.max():.1e}"

    def turned(self) -> "PathResult":
        """Return the same solutions for scores of the other sign."""
        bearable = None if self.bearable is None else 0.0 - self.bearable
        coef, intercept = 0.0 - self.coef, 0.0 - self.intercept
        return replace(self, coef=coef, intercept=intercept, bearable=bearable)

    def among(self, columns: Ints, d: int) -> "PathResult":
        """Return the same solutions for d columns, of which all others have no weight."""
        coef = np.zeros((d, self.coef.shape[1]))
        coef[columns] = self.coef
        return replace(self, coef=coef)

    @property
    def offset(self) -> Floats:
        """What scores are to have beside ``X @ coef``, (L,): intercepts that leave them distinct.

        An intercept that is far larger than all products of the training rows would round them to
        ties. Then this is one that is larger by a factor of 1024 only, with the same sign: the
        order of rows and the signs of their scores remain, unless a row is as far away.
        """
        return self.intercept if self.bearable is None else self.bearable


UNIT = 8  # columns and rows are padded to multiples of it: BLAS has kernels for up to so many
DEPTH = 128  # of a product: deeper ones are cut by BLAS at places that depend on its shape
TOGETHER = 512  # rows whose products stay in the cache. Tuned: 256 to 1024, 10 to 4,000 columns
FEW = 16  # rows that are looked at first: as a rule they show that no intercept is too large
TOO_LARGE = 2.0**20  # times all products, an intercept leaves them less than 33 of 53 bits
BEARABLE = 2.0**10  # times them it leaves 42 bits, and signs hold for rows as much farther


def bearable(X: Floats, coef: Floats, intercept: Floats) -> Floats:
    """Return intercepts (L,), smaller ones where they would round ``X @ coef`` to ties."""
    offset = intercept.copy()
    with np.errstate(over="ignore", invalid="ignore"):
        far = np.abs(intercept) > TOO_LARGE * np.abs(X[:FEW] @ coef).max(axis=0)
        for i in np.flatnonzero(far):
            top = float(np.abs(X @ coef[:, i]).max())
            if abs(intercept[i]) > TOO_LARGE * top > 0.0:
                offset[i] = np.copysign(BEARABLE * top, intercept[i])
    return offset


def scores(X: Floats, coef: Floats, intercept: Floats | float = 0.0) -> Floats:
    """Return ``X @ coef + intercept``, (n, L): equal rows get equal bits, in any batch."""
    # BLAS rounds differently in the kernels it keeps for one column, few columns, the last rows
    # and small or deep products. So the columns are padded to a multiple of 8, the last rows to 8,
    # and no product is deeper than 128. Of sparse rows products are added one by one.
    if is_sparse(X):
        return np.asarray(as_rows(X) @ coef + intercept)
    X = np.ascontiguousarray(X, dtype=np.float64)
    (n, d), L = X.shape, coef.shape[1]
    W, out = np.zeros((d, -(-L // UNIT) * UNIT)), np.empty((n, L))
    W[:, :L] = coef
    sums, products = np.empty((2, min(n + UNIT, TOGETHER), W.shape[1]))
    for start in range(0, n, TOGETHER):
        rows = X[start : start + TOGETHER]
        if (m := rows.shape[0]) % UNIT:
            rows = np.zeros((m + UNIT - m % UNIT, d))
            rows[:m] = X[start : start + m]
        total, more = sums[: rows.shape[0]], products[: rows.shape[0]]
        np.matmul(rows[:, :DEPTH], W[:DEPTH], out=total)
        for k in range(DEPTH, d, DEPTH):
            part = slice(k, k + DEPTH)
            total += np.matmul(rows[:, part], W[part], out=more)
        np.add(total[:m, :L], intercept, out=out[start : start + m])
    return out
