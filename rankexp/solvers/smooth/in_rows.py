"""Sparse rows that are fewer than their columns: weights are combinations of them, ``w = X' a``.

Each gradient is such a combination, and so are all steps from 0. So a step works on vectors of n
numbers, not of d: with many columns these took most of the time, not the products with the rows.
"""

from functools import cached_property
from weakref import proxy

import numpy as np

from rankexp.arrays import Floats
from rankexp.solvers.rows import is_sparse
from rankexp.solvers.smooth.inverse import PAIRS, Memory
from rankexp.solvers.smooth.objective import FEWEST, LEAST_RIDGE, ROOM, Objective, SmoothIterate

FEWER = 2  # columns for each row, from which on this pays. Tuned


class InRows(Objective):
    """The problem in parameters ``(a, X w, b)``: the scores of w are kept beside its a."""

    def __init__(self, wide: Objective) -> None:
        super().__init__(wide.X, wide.mean, wide.risk, wide.norms, wide.given, wide.centre)
        self.wide: Objective = proxy(wide)  # which has this
        self.n = wide.X.shape[0]
        self.first: SmoothIterate | None = None
        self.last = np.zeros(2 * self.n + self.risk.intercept)  # where a descent ended

    @cached_property
    def squares(self) -> Floats:
        """The mean square of the rows along the first gradient, for all directions, and 1."""
        found = np.ones(self.last.size)
        if self.first is not None:  # else there is no intercept, and all are alike
            g = self.first.g
            along, size = g[self.n : 2 * self.n], self.of_weights(g, g)
            if size > 0.0:
                found[: 2 * self.n] = max(float(along @ along) / (self.n * size), LEAST_RIDGE)
        return found

    @cached_property
    def memory(self) -> Memory:
        """What steps have told, in no more room than a few arrays of the rows."""
        pairs = min(max(self.X.size // (ROOM * self.last.size), FEWEST), PAIRS)
        this = proxy(self)  # no cycle of references
        return Memory(lambda: this.squares, pairs, False, lambda u, v: float(this.inner(u, v)))

    def product(self, p: Floats) -> Floats:
        s = p[self.n : 2 * self.n]
        return s + p[-1] if self.risk.intercept else s.copy()

    def pull(self, r: Floats) -> Floats:
        """Return the gradient of the risk where it has slope r."""
        return self.pulled(r, self.wide.pull(r))

    def pulled(self, r: Floats, v: Floats) -> Floats:
        d = self.X.shape[1]
        return np.concatenate((r, self.wide.product(np.append(v[:d], 0.0 * v[d:])), v[d:]))

    def enter(self, at: SmoothIterate, lam: float) -> SmoothIterate:
        """Return where a descent begins: where the last one ended, or at 0."""
        if self.last.any():
            return self.at(self.last, lam)
        self.first = SmoothIterate(self.last, at.s, at.r, self.pulled(at.r, at.g))
        return self.first

    def at(self, theta: Floats, lam: float) -> SmoothIterate:
        """Return a point, its scores worked out anew."""
        scores = slice(self.n, 2 * self.n)
        theta = theta.copy()
        theta[scores] = self.pull(theta[: self.n])[scores]
        return super().at(theta, lam)

    def inner(self, u: Floats, v: Floats) -> float:
        return self.of_weights(u, v) + (float(u[-1] * v[-1]) if self.risk.intercept else 0.0)

    def of_weights(self, u: Floats, v: Floats) -> float:
        return float(u[: self.n] @ v[self.n : 2 * self.n])

    def lifted(self, theta: Floats) -> Floats:
        """Return (w, b) of parameters, where a descent ends."""
        self.last, found = theta, self.wide.pull(theta[: self.n])
        found[self.X.shape[1] :] = theta[2 * self.n :]
        return found


def in_rows(wide: Objective) -> InRows | None:
    """Return the problem in its rows, always the same, or None if that would not pay."""
    if not is_sparse(wide.X) or wide.X.shape[1] < FEWER * wide.X.shape[0]:
        return None
    if "in_rows" not in (known := vars(wide)):
        known["in_rows"] = InRows(wide)
    found: InRows | None = known["in_rows"]
    return found


def leave_rows(wide: Objective) -> bool:
    """Return whether steps went in the rows: from now on they do not."""
    left = in_rows(wide) is not None
    vars(wide)["in_rows"] = None
    return left
