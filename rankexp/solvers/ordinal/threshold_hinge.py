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

from itertools import islice

import numpy as np
import numpy.typing as npt

from rankexp.arrays import Floats, Ints
from rankexp.solvers.ordinal.bounds import PrimalDualBounds, assembled
from rankexp.solvers.ordinal.interior_point import State, start, states
from rankexp.solvers.ordinal.sparse import sparse_path
from rankexp.solvers.ordinal.threshold_terms import Terms
from rankexp.solvers.result import PathResult, scores
from rankexp.solvers.rows import as_rows, is_sparse
from rankexp.solvers.smooth.path import penalties

CLOSE = 1e-6  # relative slack from which on every point is looked at, also for lower tolerances
IDLE = 10  # tuned: on unreachable tolerances, points looked at with no better gap
WIDEST = 400.0  # columns are scaled by 2^-400 to 2^400, so that squares stay in range


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
    if not ((lams := penalties(lams)) > 0.0).all():
        raise ValueError(f"the hinge needs lam > 0 (its dual divides by lam), got {lams.tolist()}")
    if is_sparse(X):
        X = as_rows(X)
        return sparse_path(X, Terms(X, codes, every, weight), lams, tol, max_iter)
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
        return assembled(found, w, n_iter, scores(given, w) if settle else None, middle)


def _powers(X: Floats) -> Floats:
    """Return a power of two for each column, about as large as its values: no digit is lost."""
    largest = np.maximum(np.abs(X).max(axis=0), np.finfo(np.float64).tiny)
    return np.asarray(np.exp2(np.clip(np.rint(np.log2(largest)), -WIDEST, WIDEST)))
