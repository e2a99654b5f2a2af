"""The result of every path solver."""

from dataclasses import dataclass, replace

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
    bearable : ndarray of shape (L,) or None
        What `offset` is, where that isn't ``intercept``.
    """

    coef: Floats
    intercept: Floats
    objective: Floats
    gap: Floats
    n_iter: Ints
    converged: Bools
    slope: Floats | None = None
    bearable: Floats | None = None

    def turned(self) -> "PathResult":
        """Return the same solutions for scores of the other sign."""
        bearable = None if self.bearable is None else 0.0 - self.bearable
        coef, intercept = 0.0 - self.coef, 0.0 - self.intercept
        return replace(self, coef=coef, intercept=intercept, bearable=bearable)

    @property
    def offset(self) -> Floats:
        """What scores are to have beside ``X @ coef``, (L,): intercepts that leave them distinct.

        An intercept that is far larger than all products of the training rows would round them to
        ties. Then this is one that is larger by a factor of 1024 only, with the same sign: the
        order of rows and the signs of their scores remain, unless a row is as far away.
        """
        return self.intercept if self.bearable is None else self.bearable
