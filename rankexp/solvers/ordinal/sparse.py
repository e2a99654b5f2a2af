"""The support vector machine with thresholds for sparse rows, certified without any Hessian."""

import numpy as np

from rankexp.arrays import Floats, Ints
from rankexp.solvers.ordinal.bounds import PrimalDualBounds, assembled
from rankexp.solvers.ordinal.threshold_terms import SAME, Terms, best_thresholds, values
from rankexp.solvers.result import PathResult
from rankexp.solvers.smooth.centring import prepare
from rankexp.solvers.smooth.objective import Objective, SmoothIterate
from rankexp.solvers.smooth.smoothing import RoundedRisk, narrowing

NARROWING, LEAST = 0.3, 1e-3  # of half a band, the next one; and the least one. Tuned


class RoundedTerms(RoundedRisk):
    """The mean hinge of terms, thresholds at their best; and the bounds for one penalty."""

    bounds: PrimalDualBounds  # set for each penalty

    def __init__(self, terms: Terms) -> None:
        self.terms = terms

    def start(self) -> None:
        super().start()
        self.centre = np.full(self.terms.sign.size, 0.5)

    def _prepare(self, s: Floats) -> tuple[Floats, Floats, Ints]:
        """Return by how much margins are below 1, dual variables, and the pool of each term."""
        shift = self.half * self.terms.sign * (1.0 - 2.0 * self.centre)
        pools = best_thresholds(self.terms, s, shift, self._rank)
        pool = np.repeat(np.arange(len(pools)), [pool.members for pool in pools])
        z = 1.0 - self.terms.margins(s, values(pools))
        alpha = np.clip(self.centre + z / (2.0 * self.half), 0.0, 1.0)
        return z, alpha, pool.repeat(self.terms.sizes)

    def _rank(self, keys: Floats, weight: Floats | None, rank: float) -> float:
        """Return where so many keys are below, each coming in over a band; in the middle."""
        weight = np.ones(keys.size) if weight is None else weight
        ends = np.concatenate((keys - self.half, keys + self.half))
        order = ends.argsort()
        x = ends[order]
        rate = np.concatenate((weight, -weight))[order].cumsum() / (2.0 * self.half)
        below = np.concatenate(([0.0], (rate[:-1] * np.diff(x)).cumsum()))
        k = below.searchsorted((rank * (1.0 - SAME), rank * (1.0 + SAME))).clip(1, x.size - 1)
        rise, short = below[k] - below[k - 1], rank - below[k - 1]
        share = np.divide(short, rise, out=np.ones(2), where=rise > 0.0).clip(0.0, 1.0)
        return 0.5 * float((x[k - 1] + share * (x[k] - x[k - 1])).sum())

    def value(self, s: Floats) -> float:
        z, alpha, _ = self.prepared(s)
        losses = alpha * z - self.half * alpha * (alpha - 2.0 * self.centre)  # not below 0
        return float(self.terms.each @ losses) / self.terms.total

    def slope(self, s: Floats) -> Floats:
        alpha = self.prepared(s)[1] * self.terms.each
        return self.terms.by_row(-self.terms.sign * alpha) / self.terms.total

    def slack(self, s: Floats) -> float:
        z, alpha, _ = self.prepared(s)
        return float(self.terms.each @ (np.maximum(z, 0.0) - alpha * z)) / self.terms.total

    def curved(self, s: Floats, r: Floats, u: Floats) -> Floats:
        """Return the second derivative times u, the thresholds moving along."""
        terms, (_, alpha, pool) = self.terms, self.prepared(s)
        bend = np.where((alpha > 0.0) & (alpha < 1.0), terms.each / (2.0 * self.half), 0.0)
        moved = np.concatenate([u[first:last] for first, _, last in terms.sides])
        mass = np.bincount(pool, bend)
        along = np.bincount(pool, bend * moved) / np.where(mass > 0.0, mass, 1.0)
        return terms.by_row(bend * (moved - along[pool])) / terms.total

    def judge(self, problem: Objective, at: SmoothIterate, lam: float) -> tuple[float, float]:
        self.bounds.see(at.theta, self.prepared(at.s)[1] * self.terms.each)
        return self.bounds.objective, self.bounds.gap

    def sharpen(
        self, problem: Objective, at: SmoothIterate, lam: float, goal: float
    ) -> SmoothIterate:
        """Round towards the last dual variables (Rockafellar 1976: proximal points)."""
        self.centre, self.half = self.prepared(at.s)[1], max(NARROWING * self.half, LEAST)
        self._last = None
        return problem.at(at.theta, lam)


def sparse_path(X: Floats, terms: Terms, lams: Floats, tol: float, max_iter: int) -> PathResult:
    """Solve for each penalty, from the largest on, and settle thresholds; terms of rows X."""
    risk, one = RoundedTerms(terms), np.ones(X.shape[1])
    found = [PrimalDualBounds(terms, one, lam, tol) for lam in lams.tolist()]
    n_iter, w = [0] * lams.size, np.zeros(X.shape[1])
    with np.errstate(all="ignore"):  # the certificate tells
        problem = prepare(terms.X, risk)
        for k in np.argsort(-lams, kind="stable").tolist():
            risk.bounds = found[k]
            n_iter[k] = narrowing(problem, risk, w, found[k].lam, tol, max_iter)
            w = found[k].w
        coef = np.column_stack([bounds.w for bounds in found])
        return assembled(found, coef, n_iter, X @ coef, np.zeros(X.shape[1]))
