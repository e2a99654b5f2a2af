"""The support vector machine with thresholds between K levels, certified.

Minimises ``lam/2 |w|² + (1/n) sum over examples and thresholds of hinge losses`` over w and the
thresholds (Chu and Keerthi, Neural Computation 19, 2007) by an interior point method: some twenty
systems of d + K - 1 equations, whatever the data.

The certificate: with alpha in [0, 1] of each term, those above a threshold balancing those below,
``D = mean alpha - |mean alpha x|² / (2 lam)`` is a lower bound. Where thresholds are kept in
order, the balance of those from any one on need only be >= 0, and 0 of all together. Both ends
are widened by a bound on their rounding. What is certified at last is w with the thresholds that
are returned: where rows are far from 0, the nearest doubles can be far from the best ones.
"""

from dataclasses import replace
from itertools import islice

import numpy as np
import numpy.typing as npt

from rankexp.arrays import Floats, Ints
from rankexp.solvers.ordinal.interior_point import State, start, states
from rankexp.solvers.ordinal.threshold_terms import (
    NO_SHIFT,
    Terms,
    balanced,
    best_thresholds,
    centred,
    values,
)
from rankexp.solvers.result import PathResult, bearable, scores
from rankexp.solvers.rows import as_rows, down, is_sparse, longest_sum
from rankexp.solvers.smooth.certificate import EPS, product
from rankexp.solvers.smooth.path import penalties

SAME_SUM = 12.0 * EPS  # relative: two sums of the same losses differ by less; `DEPTH` has room
PRECISE = 1e-10  # relative rounding of the objective: a tenth of what `objective_` promises
SHARE = 0.1  # of the tolerance, that rounding may take before products are made more exact
CLOSE = 1e-6  # relative slack from which on every point is looked at, also for lower tolerances
IDLE = 10  # tuned: on unreachable tolerances, points looked at with no better gap
DEPTH = 64  # numpy adds pairwise, in blocks of 128 with 8 sums each: so deep at most
WIDEST = 400.0  # columns are scaled by 2^-400 to 2^400, so that squares stay in range


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
        exact = values(best_thresholds(self.terms, product(self.terms.X, v, NO_SHIFT)))
        theta = centred(-ends[0], ends[1], exact)
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
        if theta is None:
            theta = values(best_thresholds(self.terms, s))
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
        exact = self._bound(most, slope, 0.0 * off)
        found = self._bound(most, slope, off)
        if exact - found > SHARE * self.tol * self.objective:
            slope = product(terms.X.T, signed, NO_SHIFT) / total
            found = self._bound(most, slope, EPS * (np.abs(slope) + sizes))
        return found

    def _bound(self, most: float, slope: Floats, off: Floats) -> float:
        steep = (np.abs(slope) + off) * self.scale
        cost = float(steep @ steep) / (2.0 * self.lam) * (1.0 + rounding(slope.size))
        return most * (1.0 - EPS) - cost


def solve_one(
    terms: Terms, penalty: Floats, back: Floats, certificate: PrimalDualBounds, max_iter: int
) -> int:
    """Solve for one penalty by column, (c,); certify ``back @ w``; return the steps."""
    n, tol = terms.total, certificate.tol
    least, idle = np.inf, 0

    def see(at: State) -> None:
        certificate.see(back @ at.w if back.ndim == 2 else back * at.w, at.a)

    best = start(terms)
    for n_iter, at in enumerate(islice(states(terms, n * penalty), max_iter + 1)):
        slack = at.slack()
        best = at if slack <= best.slack() else best
        primal = (float((terms.each * at.t).sum()) + 0.5 * float((n * penalty * at.w) @ at.w)) / n
        if slack / n <= max(tol, CLOSE) * primal:
            see(at)
            idle = idle + 1 if certificate.gap > 0.5 * least else 0
            least = min(least, certificate.gap)
            if (certificate.gap <= tol and slack / n <= tol * primal) or idle > IDLE:
                return n_iter
    see(at)
    see(best)
    return n_iter


def threshold_hinge_path(
    X: Floats,
    codes: Ints,
    lams: npt.ArrayLike,
    *,
    every: bool = False,  # a loss at each threshold; or at the next ones, kept in order
    weight: Floats | None = None,
    tol: float = 1e-6,
    max_iter: int = 100,
    settle: bool = True,  # also return thresholds, and certify these
) -> PathResult:
    """Solve for penalties > 0, (L,), in any order; each code, 0 .. K-1, has an example."""
    lams = penalties(lams)
    if not (lams > 0.0).all():
        raise ValueError(f"the hinge needs lam > 0 (its dual divides by lam), got {lams.tolist()}")
    if is_sparse(X):
        from rankexp.solvers.ordinal.sparse import sparse_path

        return sparse_path(as_rows(X), codes, lams, every, weight, tol, max_iter)
    given, middle = X, np.median(X, axis=0)
    X = X - middle
    scale = _powers(X)
    terms = judged = Terms(X / scale, codes, every, weight)
    back, judged_scale = 1.0 / scale, scale
    if X.shape[1] > X.shape[0]:  # the solution lies in the span of the rows
        basis, triangle = np.linalg.qr(X.T)
        scale = _powers(triangle.T)
        terms, back = Terms(triangle.T / scale, codes, every, weight), basis / scale
    found = [PrimalDualBounds(judged, judged_scale, lam, tol) for lam in lams.tolist()]
    with np.errstate(all="ignore"):
        n_iter = [solve_one(terms, one.lam / scale**2, back, one, max_iter) for one in found]
        w = np.column_stack([one.w for one in found])
        cuts, lost = settled(found, scores(given, w), middle) if settle else (None, None)
    return assembled(found, w, n_iter, cuts, lost)


def assembled(
    found: list[PrimalDualBounds],
    w: Floats,
    n_iter: list[int],
    cuts: Floats | None,
    lost: Floats | None,
) -> PathResult:
    """Put what was found for penalties together."""
    gap = np.array([one.gap for one in found])
    objective, steps = np.array([one.objective for one in found]), np.maximum(n_iter, 1)
    done, none = gap <= found[0].tol, np.zeros(gap.size)
    return PathResult(w, none, objective, gap, steps, done, thresholds=cuts, lost=lost)


def settled(found: list[PrimalDualBounds], s: Floats, middle: Floats) -> tuple[Floats, Floats]:
    """Certify thresholds of scores (n, L); return them, (K - 1, L), and what they lose, (L,)."""
    cuts = [
        one.settle(values(best_thresholds(one.terms, column[one.terms.order])), middle)
        for one, column in zip(found, s.T, strict=True)
    ]
    return np.column_stack([cut for cut, _ in cuts]), np.array([lost for _, lost in cuts])


def hinge_classes_path(
    X: Floats,
    positive: Ints,
    lams: npt.ArrayLike,
    *,
    fit_intercept: bool = True,
    sample_weight: Floats | None = None,
    tol: float = 1e-6,
    max_iter: int = 100,
) -> PathResult:
    """Minimise ``lam/2 |w|² + (weighted) mean of max(0, 1 - y (w·x + b))``: the linear SVM."""
    # A threshold between two levels is a free intercept, ``b = -theta``. Without an intercept each
    # row also counts as its opposite, so that 0 is the best threshold.
    if is_sparse(X) and not fit_intercept:
        raise ValueError(
            "the hinge of points takes sparse X with an intercept only: set fit_intercept=True, "
            "take another loss, or X.toarray()"
        )
    rows, codes = X, positive
    w = None if sample_weight is None else sample_weight / sample_weight.max()
    if not fit_intercept:
        rows, codes = np.concatenate((X, -X)), np.concatenate((positive, 1 - positive))
        w = None if w is None else np.concatenate((w, w))
    found = threshold_hinge_path(
        rows, codes, lams, weight=w, tol=tol, max_iter=max_iter, settle=fit_intercept
    )
    if found.thresholds is None:
        return found
    intercept = 0.0 - found.thresholds[0]
    offset = bearable(X, found.coef, intercept)
    return replace(found, intercept=intercept, bearable=offset, thresholds=None)


def _mean(terms: Terms, values: Floats) -> Floats:
    if terms.weight is None:
        return np.asarray(values.mean(axis=0))
    return np.asarray(terms.weight @ values / terms.total)


def _powers(X: Floats) -> Floats:
    """Return a power of two for each column, about as large as its values: no digit is lost."""
    largest = np.maximum(np.abs(X).max(axis=0), np.finfo(np.float64).tiny)
    return np.asarray(np.exp2(np.clip(np.rint(np.log2(largest)), -WIDEST, WIDEST)))
