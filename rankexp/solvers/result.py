"""What every path solver returns."""

from dataclasses import dataclass

from rankexp.arrays import Bools, Floats, Ints

__all__ = ["Floats", "PathResult"]


@dataclass(frozen=True)
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
    """

    coef: Floats
    intercept: Floats
    objective: Floats
    gap: Floats
    n_iter: Ints
    converged: Bools
    slope: Floats | None = None
