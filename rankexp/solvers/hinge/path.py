"""The pairwise hinge (bipartite SVM, SVM-OR) along a path of penalties, certified.

Minimises ``lam/2 |w|² + (1/n+ n-) sum over pairs of max(0, 1 - w·(x_i - x_j))``: the linear
ranking support vector machine of Herbrich et al. (1999) and Joachims (2005), with all pairs, in
O(n log n) an evaluation.
"""

import math
from contextlib import suppress
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from rankexp.arrays import Floats
from rankexp.solvers.hinge import iterate, newton
from rankexp.solvers.hinge.certificate import AGREEMENT, Certifier
from rankexp.solvers.hinge.iterate import Along, Best, HingeIterate, Point, Solve, together
from rankexp.solvers.hinge.pairs import HingePairs, common_power, hinge_pairs
from rankexp.solvers.hinge.polish import ALMOST_SEPARATED
from rankexp.solvers.hinge.sweep import Sweep, coarse, sweep
from rankexp.solvers.pairs.partial_order import PartialOrder
from rankexp.solvers.result import PathResult
from rankexp.solvers.rows import as_rows, filled, is_sparse

BAND = 0.02  # tuned: where Newton starts
WIDE_START = 0.3  # tuned: and with many columns
MANY_ROWS = 40_000  # tuned: from here on a sample is solved first
SAMPLED_ROWS = 20_000
SAMPLE_TOL = 1e-4  # of the order of how a sample of that size differs
STAGE = 0.1  # tuned: the longest jump in lam without a stage between
WIDE_STAGE = 0.3  # tuned: and with many columns, where classes come apart on the way
AGAIN = 30.0  # tuned: times the last band, where a solution is refined for a smaller penalty
MOST_STAGES = 20  # where lam is very far off, longer jumps must do
STAGE_TOL = 0.01
PAIRS_A_COLUMN = 500  # tuned: of fewer, the loss is not smooth enough for steps without a Hessian
LARGE = 0.03  # tuned: of the penalty with all pairs in the loss; above it is smooth enough
FEWEST = 2  # steps of which something is kept: with one, some fits take more. Tuned
OF_SHIFTED = 8.0  # roundings of a score: centred, shifted, of rows twice as long, and exact
NEAR = 0.01  # of a gap: steps with a Hessian then begin there, not far off. Tuned: 1e-4 to .1
STAGE_FAILED = 0.5  # gap of a stage: features of such sizes aren't solved by further ones
STAGE_STEPS = 100  # of Newton in a stage, and wherever one has failed; some 10 are usual
LARGEST_POWER = 1000  # of 2: a double reaches 1023
THIN = 8  # entries for each column: with more there are hardly any columns without
MARGIN = 0.99  # of the tolerance to solve for: the last measurement adds the rounding


def hinge_path(
    X: Floats,
    order: PartialOrder,
    lams: npt.ArrayLike,
    *,
    tol: float = 1e-6,
    max_iter: int = 1000,
    norms: Floats | None = None,
) -> PathResult:
    """Solve the pairwise hinge for each penalty, from the largest to the smallest.

    The mean over pairs is weighted by the costs of levels (uematsu2010). `tol`: relative duality
    gap to reach; the ``gap`` found includes rounding. `max_iter`: Newton steps for each penalty;
    ``n_iter`` counts those on all rows. `norms`: of the rows (n,), if known. Raises ValueError if
    there is no pair or for impossible arguments; FloatingPointError if squares of the features
    over ``lam`` overflow.
    """
    X = as_rows(X)
    lams = np.atleast_1d(np.asarray(lams, dtype=np.float64))
    if X.ndim != 2 or order.level.shape != X.shape[:1]:
        text = "X must be (n, d), with n labels"
        raise ValueError(f"{text}; got shapes {X.shape} and {order.level.shape}")
    if lams.ndim != 1 or not np.all((lams > 0.0) & np.isfinite(lams)):
        text = "the pairwise hinge needs lam > 0 (its dual divides by lam)"
        raise ValueError(f"{text}; got {lams.tolist()}")
    power, square = common_power(X, float(lams.min(initial=1e300)), norms)
    # No lower than where the largest penalty, 4^-power times as large, is still finite.
    power = max(power, (math.frexp(lams.max(initial=0.0))[1] - LARGEST_POWER) // 2)
    pairs = hinge_pairs(X, order, power, square, norms)
    path = _Path(pairs, tol, max_iter)
    solve: Solve = path.solve
    if is_sparse(X):
        part = filled(X, THIN) if lams.min(initial=np.inf) < path.last else None
        # Others cost time. Columns do not become fewer than rows: steps in the rows would go.
        if part and (part[1].size < X.shape[0]) == (X.shape[1] < X.shape[0]):
            del pairs, path
            found = hinge_path(part[0], order, lams, tol=tol, max_iter=max_iter, norms=norms)
            return found.among(part[1], X.shape[1])
        from rankexp.solvers.hinge.sparse import sparse_solver

        solve = sparse_solver(pairs, tol, max_iter, path.quickly)
    return _solve(X, pairs, lams, tol, solve, norms)


def _solve(
    X: Floats, pairs: HingePairs, lams: Floats, tol: float, solve: Solve, norms: Floats | None
) -> PathResult:
    (n, d), L, power, certifier = X.shape, lams.size, pairs.power, Certifier(pairs, X, tol)
    coef, slope = np.empty((d, L)), np.zeros((L, n))
    objective, gap, n_iter = np.empty(L), np.empty(L), np.zeros(L, dtype=np.int64)
    converged = np.zeros(L, dtype=bool)
    with np.errstate(all="ignore"):  # the certificate tells
        for k in np.argsort(-lams, kind="stable"):
            lam = math.ldexp(lams[k], -2 * power)
            best, n_iter[k] = solve(lam)
            found = certifier.certify(lam, best)
            if not found.primal <= 1.0 + AGREEMENT:  # w = 0 has 1
                best = replace(best, w=0.0 * best.w, s=0.0 * best.s, slope=None, measured=None)
                found = certifier.certify(lam, best)
            objective[k], gap[k] = found.primal, found.gap
            right = found.error <= AGREEMENT * found.primal  # to nine digits
            converged[k] = right and found.gap <= tol
            coef[:, k] = np.ldexp(pairs.original(best.w), -power)
            slope[k, pairs.rows] = best.residual
    rough, as_given = None, pairs.rows.size == n and pairs.rotation is None and not power
    if best.measured and as_given and L == 1:
        far = math.sqrt(pairs.square) if norms is None else float(norms.max())
        far *= OF_SHIFTED * certifier.of_scores * math.sqrt(float(best.w @ best.w))
        rough = best.s + float((X[:1] @ coef)[0, 0]) - best.s[0], far
    known = coef, np.zeros(L), objective, gap, n_iter, converged
    return PathResult(*known, slope.T, rough=rough)


class _Path:
    """Warm starts from one penalty to the next, descending; for many rows, from a sample."""

    def __init__(self, pairs: HingePairs, tol: float, max_iter: int) -> None:
        self.pairs, self.tol, self.max_iter = pairs, tol, max_iter
        self.goal = MARGIN * tol
        self.u, self.spread = pairs.together
        self.w = self.s = np.empty(0)
        self.last = self.spread
        self.parted: tuple[float, Best] | None = None  # a penalty whose solution parts all pairs
        self.sampled: _Path | None = None
        if pairs.weight.size > MANY_ROWS and not is_sparse(pairs.X):
            self.sampled = _Path(pairs.sample(SAMPLED_ROWS), SAMPLE_TOL, max_iter)

    def solve(self, lam: float) -> tuple[Best, int]:
        """Return the best values, with coefficients, and iterations."""
        if (simple := together(self.pairs, lam)) is not None:
            return simple, 0
        best, tol = Best(), MARGIN * self.tol
        if self.sampled is not None:
            n_iter = self._from_sample(lam, tol, best)
        else:
            best, n_iter = self.quickly(lam)
            n_iter += 0 if best.gap <= tol else self._from_last(lam, tol, best)
        if best.gap <= tol or self.sampled is not None:  # on a grid, ties blur the primal
            self._measure(lam, best)
        if not best.gap <= self.tol:
            n, d = self.pairs.X.shape
            h = BAND if d * newton.MANY_COLUMNS <= n else WIDE_START
            start = HingeIterate.at(lam, best.w, best.s, sweep(self.pairs, best.s, h))
            n_iter += newton.newton(start, lam, tol, self.max_iter, best)
            self._measure(lam, best)
            if self.pairs.order.differences(best.s)[0] >= ALMOST_SEPARATED:
                self.parted = lam, best
        return best, n_iter

    def quickly(self, lam: float) -> tuple[Best, int]:
        """Return the best values that steps without a Hessian find, and how many there were."""
        best, steps, goal = Best(), 0, MARGIN * self.tol
        with suppress(FloatingPointError):  # a step left the range of numbers
            steps = self._from_diagonal(lam, goal, best)
        if best.gap <= goal and is_sparse(self.pairs.X):
            self._measure(lam, best)
        return best, steps

    def _from_last(self, lam: float, tol: float, best: Best) -> int:
        steps = self._descend(lam)
        if self.parted is not None:
            steps += self._from_parted(lam, tol, best)
            if best.gap <= tol:
                return steps
        wide = sweep(self.pairs, self.s, newton.WIDE_BAND)
        start = HingeIterate.at(lam, self.w, self.s, wide)
        best.update(start)
        if (inverse := newton.inverse_hessian(wide, lam)) is None:
            return steps
        return steps + newton.quasi_newton(start, newton.Updated(inverse), lam, tol, best, sweep)

    def _from_diagonal(self, lam: float, tol: float, best: Best) -> int:
        """Try steps from the scales of columns, without a Hessian, and return how many."""
        pairs = self.pairs
        if short := self.w.size == 0:  # all pairs are in the loss
            self.w, self.s = pairs.mean_difference / self.spread, self.u / self.spread
        rough = pairs.count < PAIRS_A_COLUMN * self.w.size and lam < LARGE * self.spread
        if self.tol >= STAGE_TOL or rough:
            return 0
        ridge, mean = lam * float(self.w @ self.w), float(self.w @ pairs.mean_difference)
        at: Point | None = None
        if short and mean > 0.0:
            square = float(self.s @ self.s) / self.s.size
            at = self._longer(lam, tol, iterate.as_if_normal(mean, square, ridge))
        if at is None or not abs(float(at.gradient @ self.w)) <= newton.ACCEPT * mean:
            at = self._longer(lam, tol, iterate.along(pairs, self.s, ridge, newton.ACCEPT))
        # What is kept of steps takes no more numbers than sparse rows do, where these are many.
        room = pairs.X.size // (2 * self.w.size) if is_sparse(pairs.X) else newton.TRIED
        kept, found = max(room, FEWEST), Best()
        steps = newton.from_columns(at, pairs.squares(), lam, tol, found, self.max_iter, kept)
        if found.gap <= NEAR:
            best.take(found)
            self.w, self.s, self.last = found.w, found.s, lam
        return steps

    def _longer(self, lam: float, tol: float, known: Along) -> Point:
        """Return the point where w is so many times as long."""
        times, hinge, bend = known
        w, s = times * self.w, times * self.s
        cost = newton.SMOOTHING * tol * (hinge + 0.5 * lam * float(w @ w))
        h = min(newton.WIDE_BAND, float(np.sqrt(newton.HUBER * cost / max(bend, 1e-300))))
        return HingeIterate.at(lam, w, s, sweep(self.pairs, s, h))

    def _from_parted(self, lam: float, tol: float, best: Best) -> int:
        """Scale what is known of a larger penalty whose solution leaves no pair in the loss."""
        # A smaller penalty then has the same solution, and dual variables that are as much
        # smaller. Those of the larger one are found in fewer steps: they are farther from 0.
        assert self.parted is not None
        (larger, there), steps, solved, h = self.parted, 0, False, self.parted[1].h
        while True:
            found = there.scaled(self.pairs, lam, larger)
            best.take(found)
            self.parted = (larger, there) if found.primal < np.inf else None
            if best.gap <= tol or self.parted is None or (solved and larger <= lam):
                return steps
            if solved:  # for the larger penalty, and some pairs were in the loss
                smaller, h = max(lam, STAGE * larger), AGAIN * there.h
                there, larger = there.scaled(self.pairs, smaller, larger), smaller
            start = HingeIterate.at(larger, there.w, there.s, sweep(self.pairs, there.s, h))
            steps += newton.newton(start, larger, self.goal, self.max_iter, there)
            solved = True

    def _descend(self, lam: float) -> int:
        """Go a long way down in loose stages: far off, the band holds nothing."""
        tol, most, steps, self.tol = self.tol, self.max_iter, 0, max(self.tol, STAGE_TOL)
        self.max_iter = min(most, STAGE_STEPS)
        n, d = self.pairs.X.shape
        narrow = not d < n <= d * newton.MANY_COLUMNS
        stage = min(STAGE if narrow else WIDE_STAGE, (lam / self.last) ** (1.0 / MOST_STAGES))
        while self.last * stage > (lam / stage if narrow else lam):
            best, taken = self.solve(self.last * stage)
            steps += taken
            if not best.gap <= STAGE_FAILED:
                break
        else:
            self.max_iter = most
        self.tol, self.last = tol, lam
        return steps

    def _from_sample(self, lam: float, tol: float, best: Best) -> int:
        assert self.sampled is not None
        few = self.sampled.pairs
        w = self.sampled.solve(lam)[0].w
        wide = HingeIterate.at(lam, w, few.scores(w), sweep(few, few.scores(w), newton.WIDE_BAND))
        s = self.pairs.scores(w)
        grid = coarse(self.pairs, s, newton.band_for(wide, tol * wide.primal))
        start: HingeIterate[Sweep] = HingeIterate.at(lam, w, s, grid)
        best.update(start)
        if (inverse := newton.inverse_hessian(wide.sweep, lam)) is None:
            return 0
        return newton.quasi_newton(start, newton.Updated(inverse), lam, tol, best, coarse)

    def _measure(self, lam: float, best: Best) -> None:
        self.w, self.s, self.last = best.w, self.pairs.scores(best.w), lam
        unit = best.unit + 2.0 * float(np.abs(self.s - best.s).max())  # two scores to a pair
        ridge, best.s = 0.5 * lam * float(self.w @ self.w), self.s
        known = (best.primal - ridge, unit) if unit <= iterate.ROUNDING * best.primal else None
        best.measured = known or iterate.exact_hinge(self.pairs, self.s)
        best.primal = best.measured[0] + ridge
