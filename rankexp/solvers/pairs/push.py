"""The p-norm push of losses with closed forms: exponential, squared, squared hinge."""

import numpy as np

from rankexp.arrays import Bools, Floats
from rankexp.losses.base import Loss, ScaledLoss
from rankexp.losses.exponential import Exponential
from rankexp.solvers.pairs.push_blocks import PushPairs, Spread
from rankexp.solvers.pairs.push_panels import BranchPush, PanelPush
from rankexp.solvers.pairs.risk import SQUARED
from rankexp.solvers.smooth.objective import gram


class ExponentialPush(PushPairs):
    """The push of ``exp(-D)``: the p-th power of one sum, times another one."""

    def _prepare(self, s: Floats) -> tuple[float, Floats, Floats]:
        """Return the risk, and the shares of each positive and negative in the two sums."""
        total, shares = 0.0, []
        for weight, x, power in (
            (self.v, -s[self.up], self.p),
            (self.u, self.p * s[self.down], 1.0),
        ):
            top = x.max()
            e = weight * np.exp(x - top)
            whole = e.sum()
            total += power * (float(top) + float(np.log(whole)))
            shares.append(e / whole)
        return float(np.exp(total)), shares[0], shares[1]

    def value(self, s: Floats) -> float:
        return float(self.prepared(s)[0])

    def slope(self, s: Floats) -> Floats:
        value, above, below = self.prepared(s)
        r = np.empty(s.size)
        r[self.up], r[self.down] = -self.p * value * above, self.p * value * below
        return r

    def hessian(self, X: Floats, s: Floats) -> Floats:
        value, above, below = self.prepared(s)
        share = np.zeros((2, s.size))
        share[0, self.down], share[1, self.up] = below, above
        (down, up), p = share @ X, self.p
        H = gram(X, p * share[0] + share[1]) + p * np.outer(down - up, down - up)
        return np.asarray(value * p * (H - np.outer(up, up) - p * np.outer(down, down)))


class SquaredPush(PushPairs):
    """The push of the squared loss and of the squared hinge: sums over the sorted scores.

    A positive counts ``(t - u)²`` with ``u = s_i - 1`` and ``t = s_j``; under the hinge, if u < t.
    Both are taken from the lowest u, which counts if any does: nothing cancels but what is small.
    """

    def _prepare(self, s: Floats) -> None:
        u, t = s[self.up] - 1.0, s[self.down]
        self.i, self.j = np.argsort(u), np.argsort(t)
        self.s_up, self.s_down = u[self.i] - u[self.i[0]], t[self.j] - u[self.i[0]]
        self.lower, self.higher = np.full(t.size, u.size), np.full(u.size, t.size)
        if not self.loss.quadratic:
            self.lower = self.s_up.searchsorted(self.s_down)
            self.higher -= self.s_down.searchsorted(self.s_up)

    def means(self, s: Floats) -> Floats:
        self.prepared(s)
        v, u, t, G = self.v[self.i], self.s_up, self.s_down, np.empty(self.down.size)
        whole, first, second = (_running(x)[self.lower] for x in (v, v * u, v * u * u))
        G[self.j] = np.maximum((whole * t - 2.0 * first) * t + second, 0.0)  # rounding
        return G

    def rises(self, s: Floats, a: Floats) -> tuple[Floats, Floats]:
        self.prepared(s)
        own, others = np.empty(self.down.size), np.empty(self.up.size)
        v, u, t = self.v[self.i], self.s_up, self.s_down
        own[self.j] = 2.0 * (_running(v * u)[self.lower] - _running(v)[self.lower] * t)
        a, far = a[self.j][::-1], t[-1] - t[::-1]
        mass = _running(a)[self.higher]
        others[self.i] = 2.0 * (_running(a * far)[self.higher] - mass * (t[-1] - u))
        return own, others

    def spreads(self, s: Floats) -> bool:
        return True

    def spread(self, X: Floats, s: Floats, a: Floats) -> Spread:
        """Return what the Hessian needs, from running sums of rows."""
        self.prepared(s)
        slopes, bends = np.empty((2, self.down.size, X.shape[1]))
        degree, rows = np.empty(self.up.size), X[self.i] * (2.0 * self.v[self.i, None])
        bends[self.j] = count = _running(rows)[self.lower]
        rows *= self.s_up[:, None]
        slopes[self.j] = _running(rows)[self.lower] - count * self.s_down[:, None]
        degree[self.i] = 2.0 * _running(a[self.j][::-1])[self.higher]
        return slopes, bends, degree


def _running(x: Floats) -> Floats:
    sums = np.zeros((x.shape[0] + 1, *x.shape[1:]))
    np.cumsum(x, axis=0, out=sums[1:])
    return sums


def push_risk(loss: Loss, positive: Bools, p: float, weight: Floats | None = None) -> PushPairs:
    """Return the quickest form of the push of a loss that its properties allow."""
    parts, kind = loss.parts("positive"), PushPairs
    if parts == (ScaledLoss(1.0, 1.0, Exponential()),):
        kind = ExponentialPush
    elif loss.quadratic or loss.hinge_power == SQUARED:
        kind = SquaredPush
    elif parts and parts[0].loss.analytic:
        kind = PanelPush
    elif loss.branches(np.zeros(1), 0) is not None:
        kind = BranchPush
    return kind(positive, loss, p, weight)
