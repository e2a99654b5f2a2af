"""The bounds that certify the support vector machine with thresholds, and its results."""

import numpy as np

from rankexp.arrays import Floats
from rankexp.solvers.ordinal.threshold_terms import NO_SHIFT, Terms, balanced, centred
from rankexp.solvers.result import PathResult
from rankexp.solvers.rows import DEPTH, down, is_sparse, longest_sum
from rankexp.solvers.smooth.certificate import EPS, product

SAME_SUM = 12.0 * EPS  # relative: two sums of the same losses differ by less; `DEPTH` has room
PRECISE = 1e-10  # relative rounding of the objective: a tenth of what `objective_` promises
SHARE = 0.1  # of the tolerance, that rounding may take before products are made more exact


def rounding(terms: int) -> float:
    """Return how much a sum of products is off at most, relative to the sum of absolute ones."""
    # In any order it is ``k u / (1 - k u)`` with u = eps / 2 and k = terms, four operations more
    # being allowed (Higham, Accuracy and Stability of Numerical Algorithms, 3.1).
    unit = 0.5 * EPS * (terms + 4)
    return unit / (1.0 - unit)


class PrimalDualBounds:
    """The best primal and dual values that were seen for one penalty, with bounds on rounding."""

    # Any pair of them certifies. Columns of `terms` are divided by `scale` (d,), powers of two.
    # `objective`, computed at w with its best thresholds, is at most `primal`.

    def __init__(self, terms: Terms, scale: Floats, lam: float, tol: float) -> None:
        self.terms, self.scale, self.lam, self.tol = terms, scale, lam, tol
        if is_sparse(terms.X):
            each = np.ones(terms.X.shape[0]) if terms.weight is None else terms.weight
            self.sizes: Floats = down(terms.X, each) / terms.total
        else:
            self.sizes = _mean(terms, np.abs(terms.X))
        self.longest = longest_sum(terms.X)
        self.at_a_row = float(terms.by_row(np.abs(terms.sign)).max())
        self.objective, self.primal, self.dual = np.inf, np.inf, 0.0  # at alpha = 0
        self.w = np.zeros(scale.size)

    @property
    def gap(self) -> float:
        """Return how far the objective can be above the least one, relative to it."""
        if not 0.0 < self.objective < np.inf:
            return np.inf
        return (self.primal - self.dual) / self.objective

    def see(self, w: Floats, alpha: Floats) -> None:
        """Take what is better of w, with its best thresholds, and of alpha, made feasible."""
        objective, off = self._primal(w, None)
        if objective + off < self.primal:
            self.objective, self.primal, self.w = objective, objective + off, w
        self.dual = max(self.dual, self._dual(balanced(self.terms, alpha)))

    def settle(self, given: Floats, first: Floats) -> tuple[Floats, float]:
        """Certify w with given thresholds, or better doubles; return them and what they lose."""
        # `first` (d,): what had been taken off the rows before the terms took off their middle.
        w, best = self.w, self.objective
        v = w * self.scale
        ends = np.concatenate((first, self.terms.middle)), np.concatenate((w, v))
        objective, off = self._primal(w, centred(*ends, given))
        if objective + off <= self.primal * (1.0 + SAME_SUM):
            return given, 0.0
        theta = centred(-ends[0], ends[1], self.terms.best(product(self.terms.X, v, NO_SHIFT)))
        other, more = self._primal(w, centred(*ends, theta))
        if other + more < objective + off:
            given, objective, off = theta, other, more
        self.objective, self.primal = objective, max(self.primal, objective + off)
        return given, 1.0 - best / objective

    def _primal(self, w: Floats, theta: Floats | None) -> tuple[float, float]:
        """Return the objective, and by how much rounding may have put it too low."""
        # Of w with these thresholds, less that of the middle of the rows, or with its best ones.
        X, v = self.terms.X, w * self.scale
        spread = float(self.sizes @ np.abs(v))
        s, off = X @ v, rounding(self.longest) * spread
        objective = self._value(w, s, theta)
        if not self.at_a_row * off <= min(SHARE * self.tol, PRECISE) * objective:
            s = product(X, v, NO_SHIFT)
            objective = self._value(w, s, theta)
            off = EPS * (spread + float(_mean(self.terms, np.abs(s))))
        return objective, self.at_a_row * (off + 2.0 * EPS) + rounding(DEPTH) * objective

    def _value(self, w: Floats, s: Floats, theta: Floats | None) -> float:
        theta = self.terms.best(s) if theta is None else theta
        lost = np.maximum(1.0 - self.terms.margins(s, theta), 0.0)
        lost *= self.terms.each
        return float(lost.sum()) / self.terms.total + 0.5 * self.lam * float(w @ w)

    def _dual(self, alpha: Floats) -> float:
        """Return a lower bound from multipliers that are feasible without any rounding."""
        terms, n, total = self.terms, self.terms.X.shape[0], self.terms.total
        signed = terms.by_row(terms.sign * alpha)
        sizes = down(terms.X, np.abs(signed)) / total
        most = float(alpha.sum()) / total
        slope, off = signed @ terms.X / total, rounding(n) * sizes
        found = self._bound(most, slope, off)
        if self._bound(most, slope, 0.0 * off) - found > SHARE * self.tol * self.objective:
            slope = product(terms.X.T, signed, NO_SHIFT) / total
            found = self._bound(most, slope, EPS * (np.abs(slope) + sizes))
        return found

    def _bound(self, most: float, slope: Floats, off: Floats) -> float:
        steep = (np.abs(slope) + off) * self.scale
        cost = float(steep @ steep) / (2.0 * self.lam) * (1.0 + rounding(slope.size))
        return most * (1.0 - EPS) - cost


def assembled(
    found: list[PrimalDualBounds], w: Floats, n_iter: list[int], s: Floats | None, middle: Floats
) -> PathResult:
    """Put what was found for penalties together; certify thresholds of scores s (n, L), if any."""
    cuts = lost = None
    if s is not None:
        columns = zip(found, s.T, strict=True)
        ends = [one.settle(one.terms.best(own[one.terms.order]), middle) for one, own in columns]
        cuts, lost = np.column_stack([cut for cut, _ in ends]), np.array([off for _, off in ends])
    gap = np.array([one.gap for one in found])
    objective, steps = np.array([one.objective for one in found]), np.maximum(n_iter, 1)
    done, none = gap <= found[0].tol, np.zeros(gap.size)
    return PathResult(w, none, objective, gap, steps, done, thresholds=cuts, lost=lost)


def _mean(terms: Terms, values: Floats) -> Floats:
    if terms.weight is None:
        return np.asarray(values.mean(axis=0))
    return np.asarray(terms.weight @ values / terms.total)
