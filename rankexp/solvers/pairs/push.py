"""The p-norm push of losses with closed forms: exponential, squared, squared hinge."""

import numpy as np

from rankexp.arrays import Bools, Floats
from rankexp.losses.base import Loss, Part
from rankexp.losses.exponential import Exponential
from rankexp.solvers.pairs.push_blocks import PushPairs, Spread
from rankexp.solvers.pairs.push_panels import BranchPush, PanelPush
from rankexp.solvers.pairs.risk import SQUARED
from rankexp.solvers.smooth.objective import gram


class ExponentialPush(PushPairs):
    """The push of ``exp(-D)``: the p-th power of one sum, times another one."""

    _last: tuple[Floats, tuple[float, Floats, Floats]] | None = None

    def _shares(self, s: Floats) -> tuple[float, Floats, Floats]:
        """Return the risk, and the shares of each positive and negative in the two sums."""
        if self._last is not None and np.array_equal(self._last[0], s):
            return self._last[1]
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
        found = float(np.exp(total)), shares[0], shares[1]
        self._last = s.copy(), found
        return found

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
        share = np.zeros((2, s.size))
        share[0, self.down], share[1, self.up] = below, above
        (down, up), p = share @ X, self.p
        H = gram(X, p * share[0] + share[1]) + p * np.outer(down - up, down - up)
        return np.asarray(value * p * (H - np.outer(up, up) - p * np.outer(down, down)))


class Sorted:
    """The rows of the squared loss, or of the squared hinge, in the order of their scores.

    A positive counts ``(t - u)²`` with ``u = s_i - 1`` and ``t = s_j``; if `cut`, where u < t
    only. `i`, `j`: positives and negatives in the order of ``u`` and of ``t``, which are taken
    from the lowest u. `few` (down,): how many positives count. `first` (up,): the first negative
    that does. As the lowest positive counts wherever any does, nothing cancels but what is small.
    """

    def __init__(self, u: Floats, t: Floats, cut: bool) -> None:
        self.i, self.j = np.argsort(u), np.argsort(t)
        self.u, self.t = u[self.i] - u[self.i[0]], t[self.j] - u[self.i[0]]
        self.few = np.full(t.size, u.size)
        self.first = np.zeros(u.size, dtype=np.int64)
        if cut:
            self.few, self.first = self.u.searchsorted(self.t), self.t.searchsorted(self.u)

    def under(self, x: Floats) -> Floats:
        """Return the sums of x (up,) or (up, k) over the positives that count, by negative."""
        return np.asarray(_running(x)[self.few])

    def over(self, x: Floats) -> Floats:
        """Return the sums of x (down,) over the negatives that count, by positive."""
        return np.asarray(_running(x[::-1])[self.t.size - self.first])


def _running(x: Floats) -> Floats:
    sums = np.zeros((x.shape[0] + 1, *x.shape[1:]))
    np.cumsum(x, axis=0, out=sums[1:])
    return sums


class SquaredPush(PushPairs):
    """The push of the squared loss and of the squared hinge: sums over the sorted scores."""

    _last: tuple[Floats, Sorted] | None = None

    def _sorted(self, s: Floats) -> Sorted:
        if self._last is None or not np.array_equal(self._last[0], s):
            made = Sorted(s[self.up] - 1.0, s[self.down], not self.loss.quadratic)
            self._last = s.copy(), made
        return self._last[1]

    def means(self, s: Floats) -> Floats:
        """Return the mean loss of each negative."""
        at, G = self._sorted(s), np.empty(self.down.size)
        v = self.v[at.i]
        first = at.under(v * at.u)
        found = (at.under(v) * at.t - 2.0 * first) * at.t + at.under(v * at.u * at.u)
        G[at.j] = np.maximum(found, 0.0)  # rounding
        return G

    def rises(self, s: Floats, a: Floats) -> tuple[Floats, Floats]:
        """Return the mean slope of each negative, and the sum of those of a positive times a."""
        at, own, others = self._sorted(s), np.empty(self.down.size), np.empty(self.up.size)
        v, a, top = self.v[at.i], a[at.j], at.t[-1]
        own[at.j] = 2.0 * (at.under(v * at.u) - at.under(v) * at.t)
        others[at.i] = 2.0 * (at.over(a * (top - at.t)) - at.over(a) * (top - at.u))
        return own, others

    def spreads(self, s: Floats) -> bool:
        """Whether `spread` is quick, however many pairs there are."""
        return True

    def spread(self, X: Floats, s: Floats, a: Floats) -> Spread:
        """Return what the Hessian needs, from running sums of rows."""
        at, degree = self._sorted(s), np.empty(self.up.size)
        slopes, bends = np.empty((2, self.down.size, X.shape[1]))
        rows = X[at.i] * self.v[at.i, None]
        bends[at.j] = count = at.under(rows)
        slopes[at.j] = 2.0 * (at.under(rows * at.u[:, None]) - count * at.t[:, None])
        bends *= 2.0
        degree[at.i] = 2.0 * at.over(a[at.j])
        return slopes, bends, degree


def push_risk(loss: Loss, positive: Bools, p: float, weight: Floats | None = None) -> PushPairs:
    """Return the quickest form of the push of a loss that its properties allow."""
    parts, kind = loss.parts("positive"), PushPairs
    if parts == (Part(1.0, 1.0, Exponential()),):
        kind = ExponentialPush
    elif loss.quadratic or loss.hinge_power == SQUARED:
        kind = SquaredPush
    elif parts and parts[0].loss.analytic:
        kind = PanelPush
    elif loss.branches(np.zeros(1), 0) is not None:
        kind = BranchPush
    return kind(positive, loss, p, weight)
