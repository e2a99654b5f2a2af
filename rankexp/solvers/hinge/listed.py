"""The hinge over listed pairs, by an interior point method on the dual."""

import math

import numpy as np

from rankexp.arrays import Floats
from rankexp.solvers.hinge.pairs import common_power
from rankexp.solvers.hinge.polish import interior_point
from rankexp.solvers.pairs.pair_list import PairList, differences
from rankexp.solvers.result import PathResult

LONGEST = 100  # iterations; some 20 are usual, and rounding stops it where there are so many
GOAL = 0.1  # of the tolerance, for the interior point method
LARGEST_POWER = 1000  # of 2, of the penalty once scaled: a double reaches 1023
MIDDLE = 0.5  # of the box: where the dual variables start


def listed_hinge(
    X: Floats, pairs: PairList, lam: float, *, tol: float, max_iter: int
) -> PathResult:
    """Minimise ``lam/2 |w|² + sum over pairs of share max(0, 1 - w·(x - x'))``, certified.

    It is the support vector machine of mohri2018, (10.9), without an intercept, of rows X (n, d).
    The gap is that of the primal and the dual value, which weak duality bounds; both are sums in
    double precision.

    Raises FloatingPointError where squares of the features over ``lam`` overflow.
    """
    power = max(common_power(X, lam)[0], (math.frexp(lam)[1] - LARGEST_POWER) // 2)
    X, lam = np.ldexp(X, -power), math.ldexp(lam, -2 * power)
    X -= X.mean(axis=0)
    D, share = differences(X, pairs), pairs.share
    with np.errstate(all="ignore"):  # the gap tells
        mean = share @ D
        steep = float(mean @ mean) / lam
        least = 1.0 - 0.5 * steep if steep <= 1.0 else 0.5 / steep  # at a multiple of the shares
        start, none = MIDDLE * share, np.zeros(X.shape[1])
        goal = GOAL * tol * least
        most = min(max_iter, LONGEST)
        a, steps = interior_point((D, none, share), lam, 1.0, start, goal, most)
        slope = a @ D
        w = slope / lam
        short = np.maximum(1.0 - pairs.differences(X @ w), 0.0)
        primal = 0.5 * lam * float(w @ w) + float(share @ short)
        dual = float(a.sum()) - 0.5 * float(slope @ slope) / lam
        gap = (primal - dual) / primal if math.isfinite(primal) and primal > 0.0 else math.inf
    found = np.array([max(gap, 0.0)])
    return PathResult(
        coef=np.ldexp(w, -power)[:, None],
        intercept=np.zeros(1),
        objective=np.array([primal]),
        gap=found,
        n_iter=np.array([steps]),
        converged=found <= tol,
        slope=-pairs.spread(a)[:, None],
    )
