"""The p-norm push (Rudin 2009): the mean over negatives of a power of their mean loss.

With ``G_j`` the mean over positives i of ``l(1, s_i - s_j)``, the risk is the mean of ``G_j^p``:
convex, as ``t^p`` rises for t >= 0. Negatives far up count most. Means are weighted ones where
rows have weights. The exponential loss factorises. Sums of losses with quick parts are taken on
panels of the score axis, see :mod:`rankexp.solvers.pairs.convolution`; those of any other loss in
blocks, a term a pair.
"""

from collections.abc import Iterator
from typing import Self

import numpy as np

from rankexp.arrays import Bools, Floats, Ints
from rankexp.losses.base import Loss, Part
from rankexp.losses.exponential import Exponential
from rankexp.solvers.pairs.blocks import BLOCK_CELLS, HESSIAN_PAIRS
from rankexp.solvers.pairs.convolution import DEGREES, WIDTH, Convolution, ScorePanels
from rankexp.solvers.pairs.panels import EXACT_PAIRS, NOISE
from rankexp.solvers.smooth.objective import SmoothRisk, stratified


class PushPairs(SmoothRisk):
    """The push of any smooth convex loss, in blocks of pairs.

    `positive` (n,): both classes occur. `weight` (n,), > 0, or None. `up`, `down`: the rows of the
    classes. `v`, `u`: their weights, which sum to 1 each.
    """

    intercept = False
    centred = True

    def __init__(self, positive: Bools, loss: Loss, p: float, weight: Floats | None) -> None:
        self.positive, self.loss, self.p, self.weight = positive, loss, p, weight
        self.steepest = p * p * loss.steepest
        self.up, self.down = np.flatnonzero(positive), np.flatnonzero(~positive)
        w = np.ones(positive.size) if weight is None else weight
        self.mass = w[self.up].sum(), w[self.down].sum()
        self.v, self.u = w[self.up] / self.mass[0], w[self.down] / self.mass[1]

    def _some(self, rows: Ints) -> Self:
        weight = None if self.weight is None else self.weight[rows]
        return type(self)(self.positive[rows], self.loss, self.p, weight)

    def sample(self, size: int) -> tuple[Ints, Self]:
        """Return some of the rows, of both classes, and an estimate from their scores alone."""
        rows = stratified(self.positive, size)
        return rows, self._some(rows)

    def subset(self, rows: Ints) -> tuple[Self, float]:
        """Return the risk on some of the rows, and what share of the whole one it makes up."""
        some = self._some(rows)
        up, down = (part / whole for part, whole in zip(some.mass, self.mass, strict=True))
        return some, float(up**self.p * down)

    def _blocks(self, s: Floats) -> Iterator[tuple[slice, Floats]]:
        """Yield parts of the negatives, and the differences of all positives to them."""
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

    def value(self, s: Floats) -> float:
        """Return the risk."""
        return float(self.u @ self.means(s) ** self.p)

    def slope(self, s: Floats) -> Floats:
        """Return the derivative with respect to each score."""
        a = self.p * self.u * self.means(s) ** (self.p - 1.0)
        own, others = self.rises(s, a)
        r = np.empty(s.size)
        r[self.up], r[self.down] = self.v * others, -a * own
        return r

    def hessian(self, X: Floats, s: Floats) -> Floats:
        """Return the second derivative in w; beyond some pairs, from every k-th row."""
        every = int(np.ceil(np.sqrt(max(self.up.size * self.down.size / HESSIAN_PAIRS, 1.0))))
        if every > 1:
            rows = np.concatenate((self.up[::every], self.down[::every]))
            return self._some(rows).hessian(X[rows], s[rows])
        above, below, p = X[self.up], X[self.down], self.p
        G = self.means(s)
        a = p * self.u * G ** (p - 1.0)
        b = np.divide((p - 1.0) * a, G, out=np.zeros_like(a), where=G > 0.0)
        H, degree = np.zeros((X.shape[1], X.shape[1])), np.zeros(self.up.size)
        for part, D in self._blocks(s):
            E = self.v[:, None] * self.loss.derivative(1.0, D)
            C = self.v[:, None] * self.loss.curvature(1.0, D) * a[part]
            J = E.T @ above - below[part] * E.sum(axis=0)[:, None]
            cross = above.T @ (C @ below[part])
            H += (J.T * b[part]) @ J - cross - cross.T
            H += (below[part].T * C.sum(axis=0)) @ below[part]
            degree += C.sum(axis=1)
        return H + (above.T * degree) @ above


class PanelPush(PushPairs):
    """The push of a loss with one analytic part, on panels of the scores."""

    def __init__(self, positive: Bools, loss: Loss, p: float, weight: Floats | None) -> None:
        super().__init__(positive, loss, p, weight)
        (self.part,) = loss.parts("positive")
        self.of_loss = Convolution(self.part.loss.of_margin)
        self.of_slope = Convolution(self.part.loss.margin_derivative)
        self.pairs = float(self.up.size) * self.down.size

    def exact(self) -> PushPairs:
        """Return the sum over all pairs one by one, unless they are too many."""
        few = self.pairs <= EXACT_PAIRS
        return PushPairs(self.positive, self.loss, self.p, self.weight) if few else self

    def _panels(self, s: Floats, a: Floats) -> ScorePanels | None:
        """Return the panels of scores; None where they are more than the pairs, or infinite."""
        weight, x = np.empty(s.size), self.part.rate * s
        weight[self.up], weight[self.down] = self.v, a
        if not (1.0 + float(x.max() - x.min()) / WIDTH) * 2 * DEGREES <= self.pairs:
            return None
        return ScorePanels(x, weight=weight)

    def means(self, s: Floats) -> Floats:
        """Return the mean loss of each negative."""
        panels = self._panels(s, self.u)
        if panels is None:
            return super().means(s)
        cell = np.zeros(s.size, dtype=np.int64)
        seen = self.of_loss.transform(panels.moments(cell, 1, self.up))
        field = self.of_loss.seen_by_lower(seen, panels.count)
        G = self.part.factor * np.maximum(panels.values(field, cell)[self.down], 0.0)
        self.noise = NOISE * self.p * float(self.u @ G ** (self.p - 1.0))
        return G

    def rises(self, s: Floats, a: Floats) -> tuple[Floats, Floats]:
        """Return the mean slope of each negative, and the sum of those of a positive times a."""
        panels = self._panels(s, a)
        if panels is None:
            return super().rises(s, a)
        cell, of = self.positive.astype(np.int64), self.of_slope
        seen = of.transform(panels.moments(cell, 2))
        fields = (
            of.seen_by_lower(seen[..., 1:], panels.count),
            of.seen_by_upper(seen[..., :1], panels.count),
        )
        both = panels.values(np.concatenate(fields, axis=-1), cell)
        both *= self.part.factor * self.part.rate
        return both[self.down], both[self.up]


class ExponentialPush(PushPairs):
    """The push of ``exp(-D)``: the p-th power of one sum, times another one."""

    def _shares(self, s: Floats) -> tuple[float, Floats, Floats]:
        """Return the risk, and the shares of each positive and negative in the two sums."""
        total, shares = 0.0, []
        for weight, x, power in (
            (self.v, -s[self.up], self.p),
            (self.u, self.p * s[self.down], 1.0),
        ):
            top = x.max()
            e = weight * np.exp(x - top)
            total += power * (float(top) + float(np.log(e.sum())))
            shares.append(e / e.sum())
        return float(np.exp(total)), shares[0], shares[1]

    def value(self, s: Floats) -> float:
        """Return the risk."""
        return self._shares(s)[0]

    def slope(self, s: Floats) -> Floats:
        """Return the derivative with respect to each score."""
        value, above, below = self._shares(s)
        r = np.empty(s.size)
        r[self.up], r[self.down] = -self.p * value * above, self.p * value * below
        return r

    def hessian(self, X: Floats, s: Floats) -> Floats:
        """Return the second derivative in w."""
        value, above, below = self._shares(s)
        up, down = above @ X[self.up], below @ X[self.down]
        A, B = X[self.up] - up, X[self.down] - down
        H = (A.T * above) @ A + self.p * (B.T * below) @ B
        H += self.p * np.outer(down - up, down - up)
        return np.asarray(value * self.p * H)


def push_risk(loss: Loss, positive: Bools, p: float, weight: Floats | None = None) -> PushPairs:
    """Return the quickest form of the push of a loss that its parts allow."""
    parts = loss.parts("positive")
    kind = PanelPush if parts and parts[0].loss.analytic else PushPairs
    if parts == (Part(1.0, 1.0, Exponential()),):
        kind = ExponentialPush
    return kind(positive, loss, p, weight)
