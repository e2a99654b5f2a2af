"""Differences on several data sets, with their errors, as random effects.

A set's true difference is normal around a mean with a standard deviation tau (heterogeneity).
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy
from scipy import special

from rankexp.arrays import Floats

STEPS = (np.arange(400) + 0.5) / 400  # middles of equal parts of a distribution


@dataclass(frozen=True)
class Pooled:
    """What several data sets say together."""

    common: float  # mean weighted by precision, as if one effect were all
    common_low: float
    common_high: float
    tau: float  # Paule and Mandel's estimate; 0 where no more spread is seen than errors make
    tau_high: float  # upper end of its interval, by the Q profile
    new_low: float  # interval for the true difference on a further data set
    new_high: float


def pooled(differences: npt.ArrayLike, errors: npt.ArrayLike, level: float) -> Pooled | None:
    """Return what differences, (n,), with their SEs, (n,), say; None if one is 0 or unknown.

    The interval of a further set goes over the confidence distribution of tau (Nagashima, Noma and
    Furukawa 2019): one with an estimate of tau plugged in is too short, see docs/statistics.md.
    """
    y, v = np.asarray(differences, dtype=np.float64), np.asarray(errors, dtype=np.float64) ** 2
    if len(y) < 3 or not np.all(v > 0):
        return None

    def weighed(tau2: Floats) -> tuple[Floats, Floats, Floats]:
        weights = 1.0 / (v + tau2[:, None])
        means = weights @ y / weights.sum(axis=1)
        return means, 1 / weights.sum(axis=1), (weights * (y - means[:, None]) ** 2).sum(axis=1)

    tail, df = (1 - level) / 2, len(y) - 1
    known = np.r_[0.0, np.geomspace(1e-12, 1.0, 2000) * 100 * len(y) * (np.ptp(y) ** 2 + v.max())]
    means, variances, q = weighed(known)  # q falls from Cochran's Q
    half = -float(special.ndtri(tail) * np.sqrt(variances[0]))
    # Q at the true tau is chi squared: each of its quantiles is reached by one tau, or by none.
    wanted = np.concatenate([[df, special.chdtri(df, 1 - tail)], special.chdtri(df, STEPS)])
    tau2 = np.interp(wanted, q[::-1], known[::-1], right=0.0)
    middles, errors_, _ = weighed(tau2[2:])
    spread = np.sqrt(tau2[2:] + errors_)
    low, high = (middles - 9 * spread).min(), (middles + 9 * spread).max()

    def above(x: float, p: float) -> float:
        return float(special.ndtr((x - middles) / spread).mean()) - p

    ends = [float(scipy.optimize.brentq(above, low, high, args=(p,))) for p in (tail, 1 - tail)]
    common, (tau, most) = float(means[0]), map(float, np.sqrt(tau2[:2]))
    return Pooled(common, common - half, common + half, tau, most, *ends)
