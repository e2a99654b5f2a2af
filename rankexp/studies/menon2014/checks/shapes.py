"""Try which losses of pairs are products, and whether a weight with a gap can be convex."""

from typing import Any

import numpy as np
from scipy.optimize import linprog

from rankexp.checks.check import Rows, quantities
from rankexp.studies.menon2014.checks.decomposable import proper_loss

REGISTER = {"products_of_scores": "products_of_scores", "gaps_in_weights": "gaps_in_weights"}

COSTS = np.linspace(0.01, 0.99, 99)
GAPS = {"none": (0.0, 0.0), "below": (0.0, 0.5), "inside": (0.4, 0.6), "above": (0.5, 1.0)}


def products_of_scores(rng: np.random.Generator, *, loss: str = "exponential") -> Rows:
    """Measure how far l(1, s - s') is from a product of a function of s and one of s'.

    If it is one, the risk on pairs is a product of two means over examples. Row: `second share`,
    the second singular value of the losses of 41 scores from -2 to 2, over the first (menon2014,
    "Why exponential loss?").
    """
    s = np.linspace(-2.0, 2.0, 41)
    values = np.linalg.svd(proper_loss(loss).value(1.0, s[:, None] - s), compute_uv=False)
    return quantities({"second share": values[1] / values[0]})


def gaps_in_weights(rng: np.random.Generator, *, gap: str = "below") -> Rows:
    """Ask by a linear program whether a loss whose weight is 0 for some costs can be convex.

    A proper loss with weight w(c) and an increasing link v = Psi(c) has the slopes c w(c) c'(v)
    for negatives and -(1 - c) w(c) c'(v) for positives. So it is convex if h = w(c) c'(v) makes
    c h rise and (1 - c) h fall. The program takes h at 99 costs, from 0 to 1, and 0 in the `gap`:
    "below" .5, "inside" .4 to .6, "above" .5, or "none". Row: `weight left`, the largest mean of
    h. It is 0 if no link makes any such loss convex, save a constant one. ValueError for another
    gap (menon2014, "Comments": proper losses that are not strict, for ranking the best).
    """
    if gap not in GAPS:
        raise ValueError(f"gap={gap!r}: expected one of {', '.join(GAPS)}")
    low, high = GAPS[gap]
    n = len(COSTS)
    rising, falling = -np.diff(np.diag(COSTS), axis=0), np.diff(np.diag(1.0 - COSTS), axis=0)
    most = np.where((low < COSTS) & (high > COSTS), 0.0, 1.0)
    found = linprog(
        -np.ones(n) / n,
        A_ub=np.vstack([rising, falling]),
        b_ub=np.zeros(2 * n - 2),
        bounds=[(0.0, float(one)) for one in most],
    )
    if found.status != 0:
        raise ValueError(f"the linear program was not solved: {found.message}")
    value: Any = found.fun
    return quantities({"weight left": max(0.0, -float(value))})
