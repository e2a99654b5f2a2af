"""Coordinate ascent on the smooth margin of a sum of base rankers, over weighted pairs.

The smooth margin of coefficients alpha >= 0 is ``G = -log F / |alpha|_1``, F the sum over pairs of
``exp(-margin)``. It is at most the least margin ``min margin / |alpha|_1``, and within
``log(pairs) / |alpha|_1`` of it.
"""

from collections.abc import Iterator

import numpy as np
from scipy.optimize import brentq

from rankexp.solvers.boosting.boost_pairs import Round, Shares, WeightedPairs, coefficient
from rankexp.solvers.boosting.stumps import Binned

RISE = 1e-9  # of 1: an edge beyond the smooth margin by less is rounding of sums
ROOT = 1e-12  # relative: of a coefficient


def smooth_margin_rounds(
    rows: Binned, pairs: WeightedPairs, n_rounds: int, smoothing: float
) -> Iterator[Round]:
    """Yield at most `n_rounds` rounds; end if no base ranker raises the smooth margin.

    Each takes the base ranker with the greatest ``|e+ - e-|``, for which the smooth margin grows
    fastest, and the coefficient that maximises it; RankBoost's one until the margin is above 0.
    """
    log_f, size = float(np.log(pairs.mass)), 0.0
    for _ in range(n_rounds):
        stump = rows.best(pairs.charges())
        if stump is None:
            return
        shares = pairs.shares(stump)
        if size == 0.0 or log_f >= 0.0:
            alpha = coefficient(shares, "pairs", smoothing)
        elif abs(shares.right - shares.wrong) > -log_f / size + RISE:
            alpha = highest(shares, log_f, size, coefficient(shares, "pairs", smoothing))
        else:
            return
        ratio = pairs.step(stump, alpha, shares)
        log_f, size = log_f + float(np.log(ratio)), size + abs(alpha)
        yield Round(stump, alpha, ratio, shares)


def highest(shares: Shares, log_f: float, size: float, longest: float) -> float:
    """Return the coefficient at which ``-(log F + log Z) / (size + |alpha|)`` is greatest.

    ``-log Z`` is concave, so the derivative's numerator has one zero between 0 and RankBoost's
    coefficient, `longest`, at which the normaliser Z is least.
    """
    sign = np.sign(longest)

    def rise(alpha: float) -> float:
        right, wrong = shares.right * np.exp(-alpha), shares.wrong * np.exp(alpha)
        z = right + wrong + shares.tied
        return float(sign * (right - wrong) / z * (size + abs(alpha)) + log_f + np.log(z))

    return longest if rise(longest) >= 0.0 else float(brentq(rise, 0.0, longest, rtol=ROOT))
