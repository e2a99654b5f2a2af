"""The p-norm push (Rudin 2009): the mean over negatives of a power of their mean loss.

With ``G_j`` the mean over positives i of ``l(1, s_i - s_j)``, the risk is the mean of ``G_j^p``:
convex, as ``t^p`` rises for t >= 0. Negatives far up count most. Means are weighted ones where
rows have weights. Pairs are summed in blocks; what is quicker has its own `means` and the like.
"""

from collections.abc import Iterator
from typing import Self

import numpy as np

from rankexp.arrays import Bools, Floats, Ints
from rankexp.losses.loss import Loss
from rankexp.solvers.pairs.blocks import BLOCK_CELLS, HESSIAN_PAIRS
from rankexp.solvers.smooth.objective import SmoothRisk, gram, stratified

Spread = tuple[Floats, Floats, Floats]


class PushPairs(SmoothRisk):
    """The push of any smooth convex loss, in blocks of pairs."""

    # `up`, `down`: the rows of the classes, both of which occur; `v`, `u`: weights that sum to 1.

    def __init__(self, positive: Bools, loss: Loss, p: float, weight: Floats | None) -> None:
        self.positive, self.loss, self.p, self.weight = positive, loss, p, weight
        self.steepest = p * p * loss.steepest
        self.up, self.down = np.flatnonzero(positive), np.flatnonzero(~positive)
        w = np.ones(positive.size) if weight is None else weight
        self.mass = w[self.up].sum(), w[self.down].sum()
        self.v, self.u = w[self.up] / self.mass[0], w[self.down] / self.mass[1]
        self.pairs = float(self.up.size) * self.down.size

    def _some(self, rows: Ints) -> Self:
        weight = None if self.weight is None else self.weight[rows]
        return type(self)(self.positive[rows], self.loss, self.p, weight)

    def sample(self, size: int) -> tuple[Ints, Self]:
        rows = stratified(self.positive, size)
        return rows, self._some(rows)

    def subset(self, rows: Ints) -> tuple[Self, float]:
        some = self._some(rows)
        up, down = (part / whole for part, whole in zip(some.mass, self.mass, strict=True))
        return some, float(up**self.p * down)

    def _blocks(self, s: Floats) -> Iterator[tuple[slice, Floats]]:
        size = max(1, BLOCK_CELLS // self.up.size)
        for first in range(0, self.down.size, size):
            part = slice(first, first + size)
            yield part, s[self.up, None] - s[self.down[part]]

    def means(self, s: Floats) -> Floats:
        """Return the mean loss of each negative."""
        return np.concatenate([self.v @ self.loss.value(1.0, D) for _, D in self._blocks(s)])

    def rises(self, s: Floats, a: Floats) -> tuple[Floats, Floats]:
        """Return the mean slope of each negative, and the sum of those of a positive times a."""
        own, others = np.empty(self.down.size), np.zeros(self.up.size)
        for part, D in self._blocks(s):
            E = self.loss.derivative(1.0, D)
            own[part] = self.v @ E
            others += E @ a[part]
        return own, others

    def spreads(self, s: Floats) -> bool:
        """Tell whether `spread` is quick, however many pairs there are."""
        return False

    def spread(self, X: Floats, s: Floats, a: Floats) -> Spread:
        """Return sums of slopes and curvatures times X, (down, k), and of curvatures times a."""
        # The first two are over positives, the last one, (up,), is over negatives.
        slopes, bends = np.empty((2, self.down.size, X.shape[1]))
        degree = np.zeros(self.up.size)
        rows = X * self.v[:, None]
        for part, D in self._blocks(s):
            C = self.loss.curvature(1.0, D)
            slopes[part] = self.loss.derivative(1.0, D).T @ rows
            bends[part] = C.T @ rows
            degree += C @ a[part]
        return slopes, bends, degree

    def value(self, s: Floats) -> float:
        return float(self.u @ self.means(s) ** self.p)

    def slope(self, s: Floats) -> Floats:
        a = self.p * self.u * self.means(s) ** (self.p - 1.0)
        own, others = self.rises(s, a)
        r = np.empty(s.size)
        r[self.up], r[self.down] = self.v * others, -a * own
        return r

    def hessian(self, X: Floats, s: Floats) -> Floats:
        """Return the second derivative in w; of many pairs, if they count, that of a part."""
        every = int(np.ceil(np.sqrt(max(self.pairs / HESSIAN_PAIRS, 1.0))))
        if every > 1 and not self.spreads(s):
            rows = np.concatenate((self.up[::every], self.down[::every]))
            return self._some(rows).hessian(X[rows], s[rows])
        below, p, G = X[self.down], self.p, self.means(s)
        above = np.column_stack((X[self.up], np.ones(self.up.size)))
        a = p * self.u * G ** (p - 1.0)
        b = np.divide((p - 1.0) * a, G, out=np.zeros_like(a), where=G > 0.0)
        slopes, bends, degree = self.spread(above, s, a)
        cross = bends[:, :-1].T @ (below * a[:, None])
        H = gram(above[:, :-1], self.v * degree) + gram(below, a * bends[:, -1]) - cross - cross.T
        below *= slopes[:, -1:]
        return np.asarray(H + gram(np.subtract(slopes[:, :-1], below, out=below), b))
