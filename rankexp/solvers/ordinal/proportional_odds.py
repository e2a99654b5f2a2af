"""The likelihood of the proportional-odds model, with the thresholds at their optimum.

With ``P(Y <= j) = sigma(theta_j - s)`` the negative log-likelihood of a level y is

    log(1 + exp(theta_{y-1} - s)) + log(1 + exp(s - theta_y)) - log(1 - exp(theta_{y-1} - theta_y))

as ``log(sigma(b) - sigma(a)) = log(1 - exp(a - b)) - log(1 + exp(a)) - log(1 + exp(-b))``: two
logistic losses, and a barrier that keeps the thresholds in order and doesn't depend on s. It is
convex in scores and thresholds together, so that with the thresholds at their best it is a convex
function of the scores alone, and a smooth one.
"""

from dataclasses import replace

import numpy as np
from scipy.special import expit

from rankexp.arrays import Floats, Ints
from rankexp.solvers.ordinal.threshold_terms import centred
from rankexp.solvers.ordinal.threshold_terms import thresholds as hinge_thresholds
from rankexp.solvers.result import PathResult, scores
from rankexp.solvers.rows import across, is_sparse, longest_sum
from rankexp.solvers.smooth.certificate import EPS, SUMMED, product
from rankexp.solvers.smooth.objective import SmoothRisk, inverse
from rankexp.solvers.smooth.steps import derivative_search

EXACT = 1e-13  # imbalance at which thresholds are final: some hundred roundings of the pulls
ROUNDED = 1e-10  # imbalance from which on a step that doesn't lower it is only rounding
GOOD = 1e-6  # imbalance above which Newton's method has got lost; tuned: it ends far from it
NARROW = 8.0  # tuned: range of scores on which it never gets lost: the sigmoid has no plains
APART = 1.0  # of thresholds at the start that the hinge loss has at one place: a sigmoid's width
GAIN, MOST_LOST = 0.9, 2  # tuned: more such steps in a row, that leave more of it, are lost
MOST_STEPS = 40  # of Newton's method for thresholds; it takes 3 to 10 where it isn't lost
LONGEST = 10.0  # tuned: ranges of the scores that a step may be long
COARSE = 1e-10  # rounding of scores from which on they are worked out in twice the precision
WIDEST = 1e10  # range of scores that hides differences of thresholds below 1e-6 in rounding
BALANCED = 1e-200  # for a derivative of 0, which would leave the row out of the Hessian


class ByLevel:
    """Examples in the order of their levels, each of which has some."""

    def __init__(self, codes: Ints, weight: Floats | None) -> None:
        n = codes.shape[0]
        self.order: Ints = codes.argsort(kind="stable")
        self.sizes: Ints = np.bincount(codes)
        self.weight = np.full(n, 1.0 / n) if weight is None else weight[self.order] / weight.sum()
        starts = np.concatenate(([0], self.sizes.cumsum()[:-1]))
        self.mass: Floats = np.add.reduceat(self.weight, starts)
        self.over, self.under = slice(int(starts[1]), n), slice(0, int(starts[-1]))
        self._over_starts, self._under_starts = starts[1:] - starts[1], starts[:-1]

    def sums(self, over: Floats, under: Floats) -> tuple[Floats, Floats]:
        """Add up what pulls at each threshold, examples above it and below, shapes (K - 1,)."""
        return np.add.reduceat(over, self._over_starts), np.add.reduceat(under, self._under_starts)


class Fit:
    """The likelihood at scores, in the order of `rows`, and ascending thresholds; derivatives."""

    # `pull_over`, `pull_under`: what examples with a lower and with an upper threshold do to it.

    def __init__(self, rows: ByLevel, s: Floats, theta: Floats) -> None:
        self.rows, self.s, self.theta = rows, s, theta
        self._over: Floats = theta.repeat(rows.sizes[1:]) - s[rows.over]
        self._under: Floats = s[rows.under] - theta.repeat(rows.sizes[:-1])
        self._gaps = theta[1:] - theta[:-1]
        self._p_over: Floats = expit(self._over)
        self._p_under: Floats = expit(self._under)
        self.pull_over = rows.weight[rows.over] * self._p_over
        self.pull_under = rows.weight[rows.under] * self._p_under
        down, up = rows.sums(self.pull_over, self.pull_under)
        push = rows.mass[1:-1] / np.expm1(self._gaps)
        self.pull = float(down.sum() + up.sum())
        self.gradient: Floats = down - up
        self.gradient[1:] -= push
        self.gradient[:-1] += push

    def imbalance(self) -> float:
        """Return how far the thresholds are from their best, where all pulls cancel: 0 to 1."""
        size = float(np.abs(self.gradient).sum())
        return size / self.pull if size > 0.0 and self.pull > 0.0 else size

    def value(self) -> float:
        """Return the negative log-likelihood, a weighted mean."""
        rows = self.rows
        over = rows.weight[rows.over] @ np.logaddexp(0.0, self._over)
        under = rows.weight[rows.under] @ np.logaddexp(0.0, self._under)
        return float(over + under - rows.mass[1:-1] @ np.log(-np.expm1(-self._gaps)))

    def curvatures(self) -> tuple[Floats, Floats]:
        """Return the second derivatives of the losses at lower and at upper thresholds."""
        return self.pull_over * (1.0 - self._p_over), self.pull_under * (1.0 - self._p_under)

    def hessian(self) -> Floats:
        """Return the second derivative in the thresholds, (K - 1, K - 1)."""
        stiff = self.rows.mass[1:-1] / (2.0 * np.sinh(0.5 * self._gaps)) ** 2
        diagonal = np.add(*self.rows.sums(*self.curvatures()))
        diagonal[1:] += stiff
        diagonal[:-1] += stiff
        return np.diag(diagonal) - np.diag(stiff, 1) - np.diag(stiff, -1)


def best_fit(rows: ByLevel, s: Floats, theta: Floats) -> Fit:
    """Find the thresholds of scores, both in the order of `rows`, from near ones on."""
    found = _newton(Fit(rows, s, theta))
    if found.imbalance() <= GOOD or max(s.max(), theta[-1]) - min(s.min(), theta[0]) <= NARROW:
        return found
    start = hinge_thresholds(s, np.arange(rows.sizes.size).repeat(rows.sizes), every=False)
    steps = np.maximum(np.diff(start, prepend=start[0]), APART)
    return min(found, _newton(Fit(rows, s, start[0] - APART + steps.cumsum())), key=Fit.imbalance)


def _newton(now: Fit) -> Fit:
    """Take Newton's steps, none of a threshold much longer than the range of the scores."""
    lowest, lost, reach = np.inf, 0, LONGEST * (1.0 + float(np.ptp(now.s)))
    for _ in range(MOST_STEPS):
        size = now.imbalance()
        lost = lost + 1 if size > GAIN * lowest else 0
        if size <= EXACT or lowest <= size <= ROUNDED or lost > MOST_LOST:
            break
        lowest = min(size, lowest)
        B = inverse(now.hessian() + np.diag(np.abs(now.gradient) / reach), 0.0, 0)
        if (new := _search(now, -(np.tril(B) + np.tril(B, -1).T) @ now.gradient)) is None:
            break
        now = new
    return now


def _search(start: Fit, p: Floats) -> Fit | None:
    def along(t: float) -> tuple[float, Fit | None]:
        theta = start.theta + t * p
        if not (theta[1:] > theta[:-1]).all():
            return np.inf, None
        new = Fit(start.rows, start.s, theta)
        return float(new.gradient @ p), new

    return derivative_search(along, float(start.gradient @ p))[1]


class ProportionalOddsRisk(SmoothRisk):
    """The likelihood of scores with the best thresholds, for the descent."""

    # Each of the `codes` (n,), 0 .. K-1, has an example. The descent certifies w with its best
    # thresholds; `settled` finds these and certifies the nearest doubles.

    def __init__(self, codes: Ints, weight: Floats | None = None) -> None:
        self.codes, self.weight, self.rows = codes, weight, ByLevel(codes, weight)
        below = self.rows.mass.cumsum()[:-1]
        self.theta: Floats = np.log(below / (1.0 - below))  # the best where all scores are 0

    def fit(self, s: Floats) -> Fit:
        """Fit the thresholds to scores, from the last ones on."""
        found = best_fit(self.rows, s[self.rows.order], self.theta)
        self.theta = found.theta
        return found

    def value(self, s: Floats) -> float:
        """Return the negative log-likelihood; infinity for scores too far apart."""
        return self.fit(s).value() if np.ptp(s) <= WIDEST else np.inf

    def slope(self, s: Floats) -> Floats:
        """Return the derivative with respect to each score; NaN for scores too far apart."""
        if not np.ptp(s) <= WIDEST:
            return np.full(s.shape, np.nan)
        fit, rows = self.fit(s), self.rows
        pulled = np.zeros(s.shape[0])
        pulled[rows.under] = fit.pull_under
        pulled[rows.over] -= fit.pull_over
        pulled[pulled == 0.0] = BALANCED
        r = np.empty_like(pulled)
        r[rows.order] = pulled
        return r

    def hessian(self, X: Floats, s: Floats) -> Floats:
        """Return the second derivative in w, the thresholds moving along."""
        fit, rows = self.fit(s), self.rows
        at = np.zeros((rows.sizes.size + 1, s.shape[0]))
        over, under = rows.order[rows.over], rows.order[rows.under]
        at[self.codes[over], over], at[self.codes[under] + 1, under] = fit.curvatures()
        C = at[1:-1] @ X
        H: Floats = (X * at.sum(axis=0)[:, None]).T @ X
        return H - C.T @ np.linalg.lstsq(fit.hessian(), C)[0]

    def sample(self, size: int) -> tuple[Ints, SmoothRisk]:
        """Return some of the rows, the same number of each level, and an estimate from them."""
        rng, sizes = np.random.default_rng(self.codes.shape[0]), self.rows.sizes
        most = max(1, size // sizes.size)
        levels = np.split(self.rows.order, sizes.cumsum()[:-1])
        drawn = [rng.choice(at, most, replace=False) if at.size > most else at for at in levels]
        taken = np.minimum(sizes, most)
        rows, times = np.concatenate(drawn), (sizes / taken).repeat(taken)
        if self.weight is not None:
            times *= self.weight[rows]
        return rows, ProportionalOddsRisk(self.codes[rows], times)


def settled(
    found: PathResult, X: Floats, codes: Ints, weight: Floats | None = None, *, tol: float
) -> PathResult:
    """Return the solution for one penalty with thresholds, certified with these."""
    with np.errstate(all="ignore"):
        theta = thresholds(scores(X, found.coef)[:, 0], codes, weight)
        theta, more = _doubles(X, found.coef[:, 0], theta, ByLevel(codes, weight))
    found = replace(found, thresholds=theta[:, None])
    if more == 0.0:
        return found
    objective = found.objective + more
    lost = np.where(objective < np.inf, more / objective, np.inf)
    gap = found.gap * (found.objective / objective) + lost
    return replace(found, objective=objective, gap=gap, lost=lost, converged=gap <= tol)


def _doubles(X: Floats, w: Floats, theta: Floats, rows: ByLevel) -> tuple[Floats, float]:
    """Return thresholds of w, given ones or better doubles, and what they add to the objective."""
    if is_sparse(X):
        middle, size = np.zeros(w.size), float(across(X, np.abs(w)).max())
        s = X @ w
    else:
        middle = X.mean(axis=0)
        moved = X - middle
        size = float(np.maximum(moved.max(axis=0), -moved.min(axis=0)) @ np.abs(w))
        s = moved @ w
    if not EPS * longest_sum(X) * size <= COARSE:
        middle = middle if is_sparse(X) else np.median(X, axis=0)
        s = product(X, w, middle)
    at = Fit(rows, s[rows.order], centred(middle, w, theta))
    if at.imbalance() <= ROUNDED:  # the objective is off by the square of that
        return theta, 0.0
    best = best_fit(rows, at.s, at.theta)
    least = best.value()
    if (more := at.value() - least) <= SUMMED * EPS * least:
        return theta, 0.0
    other = centred(-middle, w, best.theta)
    less = Fit(rows, at.s, centred(middle, w, other)).value() - least
    return (other, max(less, 0.0)) if less < more else (theta, more)


def thresholds(s: Floats, codes: Ints, weight: Floats | None = None) -> Floats:
    """Return the thresholds, (K - 1,), that are the likeliest with scores, (n,)."""
    middle = float(s.mean())
    with np.errstate(over="ignore", divide="ignore"):
        return middle + ProportionalOddsRisk(codes, weight).fit(s - middle).theta
