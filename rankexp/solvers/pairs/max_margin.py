"""The greatest margin of listed pairs under coefficients with ``|w|_1 <= 1``: a linear program.

The dual puts weights p >= 0 on pairs: it minimises ``|D' p|_inf`` over ``sum p = 1``. It is solved
for few pairs, to which those are added that are short of the margin, until the two values meet for
all.
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import linprog

from rankexp.arrays import Floats
from rankexp.solvers.pairs.pair_list import PairList, margins

ADDED = 500  # tuned: pairs at once; in the first program those that a guess of w ranks worst
LONGEST = 200  # programs; some 10 are usual
FEASIBLE = 1e-10  # what HiGHS is asked for, the least that it takes


class Margin(NamedTuple):
    """Coefficients (d,), their margin, and a bound on the greatest one; programs solved."""

    w: Floats
    margin: float
    bound: float
    n_iter: int


def max_margin(X: Floats, pairs: PairList, tol: float, enough: float) -> Margin:
    """Return the coefficients with the greatest margin, relative to the bound to a tolerance."""
    guess = np.sign(pairs.spread(pairs.share) @ X) / X.shape[1]
    order = np.argsort(margins(X, pairs.upper, pairs.lower, guess), kind="stable")
    taken = np.sort(order[:ADDED])
    best = Margin(np.zeros(X.shape[1]), 0.0, np.inf, 0)
    for n_iter in range(1, LONGEST + 1):
        D = X[pairs.upper[taken]] - X[pairs.lower[taken]]
        w, level, bound = _program(D)
        z = margins(X, pairs.upper, pairs.lower, w)
        margin = float(z.min())
        best = best._replace(bound=min(bound, best.bound), n_iter=n_iter)
        if margin > best.margin:
            best = best._replace(w=w, margin=margin)
        if best.bound - best.margin <= tol * best.bound or best.bound <= enough:
            break
        short = np.setdiff1d(np.flatnonzero(z < level), taken, assume_unique=True)
        if not short.size:
            break
        worst = np.argsort(z[short])[: max(ADDED, taken.size // 2)]
        taken = np.union1d(taken, short[worst])
    return best


def _program(D: Floats) -> tuple[Floats, float, float]:
    """Solve the dual for some pairs; return w, the margin level, and a bound.

    The bound is worked out from the weights, so it holds whatever the solver's tolerance is.
    """
    m, d = D.shape
    both = np.vstack((D.T, -D.T))
    found = linprog(
        np.append(np.zeros(m), 1.0),
        A_ub=np.column_stack((both, -np.ones(2 * d))),
        b_ub=np.zeros(2 * d),
        A_eq=np.append(np.ones(m), 0.0)[None],
        b_eq=[1.0],
        bounds=(0.0, None),
        method="highs",
        options={"primal_feasibility_tolerance": FEASIBLE, "dual_feasibility_tolerance": FEASIBLE},
    )
    if found.x is None:
        raise FloatingPointError(f"HiGHS found no solution ({found.message}): scale the features")
    p = np.maximum(found.x[:m], 0.0)
    w = np.asarray(found.ineqlin.marginals[d:] - found.ineqlin.marginals[:d])
    size = float(np.abs(w).sum())
    w = w / (size or 1.0)
    level = float(found.eqlin.marginals[0]) / (size or 1.0)
    return w, level, float(np.abs((p / p.sum()) @ D).max())
