"""ORBoost: ordinal boosting with thresholds, under the exponential loss (Lin and Li, 2006).

The risk of a scoring function r and thresholds theta_1 <= .. <= theta_{K-1} is the mean over
examples of ``sum exp(-(r - theta_k))`` over thresholds below their level and
``sum exp(-(theta_k - r))`` over those above: all of them, or the next on either side.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankexp.solvers.factors import Factors
from rankexp.solvers.result import Floats
from rankexp.solvers.stumps import Binned, Stump

VARIANTS = ("lr", "all")


class OrdinalRound(NamedTuple):
    """A round: base ranker (-1 or 1), coefficient, then the best thresholds and their risk."""

    stump: Stump
    alpha: float
    thresholds: Floats
    risk: float


def relevant(variant: str, levels: int) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Return which thresholds count for a level, those below it and those above: (K, K-1)."""
    level, k = np.ogrid[:levels, : levels - 1]
    if variant == "lr":
        return k == level - 1, k == level
    return k < level, k >= level


def ordered_minimum(low: Floats, high: Floats) -> Floats:
    """Return the ordered theta that minimises ``sum_k low_k exp(-theta_k) + high_k exp(theta_k)``.

    Each term is convex and ``½ log(low / high)`` is its minimum, and that of the sums over a
    block of equal thresholds; adjacent blocks out of order are pooled.

    Parameters
    ----------
    low, high : ndarray of shape (K-1,)
        >= 0, not all 0. A block without any `high` is at infinity, without any `low` at minus
        infinity.
    """
    blocks: list[list[Any]] = []
    for a, b in zip(low.tolist(), high.tolist(), strict=True):
        blocks.append([a, b, 1])
        while len(blocks) > 1 and _place(blocks[-2]) >= _place(blocks[-1]):
            last = blocks.pop()
            blocks[-1] = [one + other for one, other in zip(blocks[-1], last, strict=True)]
    return np.repeat([_place(block) for block in blocks], [block[2] for block in blocks])


def _place(block: list[Any]) -> float:
    low, high, _ = block
    if high <= 0.0:
        return np.inf
    return float(0.5 * (np.log(low) - np.log(high))) if low > 0.0 else -np.inf


class OrdinalWeights:
    """Examples and thresholds under the exponential loss, by sums over levels.

    Parameters
    ----------
    rows : Binned
    codes : ndarray of shape (n,), int
        Levels, 0 (worst) .. K-1; examples of two at least.
    levels : int
        K.
    variant : {"lr", "all"}
    """

    def __init__(
        self, rows: Binned, codes: npt.NDArray[np.int64], levels: int, variant: str
    ) -> None:
        self.factors = Factors(rows, codes, levels)
        self.below, self.above = relevant(variant, levels)
        self.present = np.bincount(codes, minlength=levels) > 0
        self._thresholds()

    def _thresholds(self) -> None:
        """Minimise the risk in the thresholds, given the scores."""
        f = self.factors
        # All sums relative to one score, so that they neither overflow nor vanish together.
        unit = 0.5 * float(f.most[self.present].max() + f.least[self.present].min())
        downs, ups = f.downs * np.exp(f.most - unit), f.ups * np.exp(unit - f.least)
        theta = unit + ordered_minimum(self.above.T @ downs, self.below.T @ ups)
        self.thresholds = theta
        # At infinity a threshold costs nothing, and there is no example beyond it.
        finite = np.where(np.isfinite(theta), theta, 0.0)
        counts = np.isfinite(theta)
        self.of_up = (self.below * counts * np.exp(finite - f.least[:, None])).sum(axis=1)
        self.of_down = (self.above * counts * np.exp(f.most[:, None] - finite)).sum(axis=1)
        self.of_up[~self.present] = self.of_down[~self.present] = 0.0
        self.total = float(self.of_up @ f.ups + self.of_down @ f.downs)

    @property
    def risk(self) -> float:
        """The mean loss of the examples."""
        return self.total / self.factors.s.size

    def round(self, stump: Stump, smoothing: float) -> OrdinalRound:
        """Add ``alpha h``, h = -1 or 1, to the scores, then set the thresholds."""
        f = self.factors
        split = f.split(stump)
        (up_below, up_above), (down_below, down_above) = (
            part @ weight / self.total
            for part, weight in zip(split, (self.of_up, self.of_down), strict=True)
        )
        good, bad = up_above + down_below, down_above + up_below
        if min(good, bad) + smoothing <= 0.0:
            raise ValueError(
                "a base ranker makes no error, or nothing else, so its coefficient is infinite: "
                "set smoothing > 0, or None for the default"
            )
        alpha = float(0.5 * np.log((good + smoothing) / (bad + smoothing)))
        f.advance(stump, 2.0 * alpha, split)  # -alpha on all: a matter of the thresholds
        self._thresholds()
        return OrdinalRound(stump, alpha, self.thresholds, self.risk)


def boost_levels(
    rows: Binned, weights: OrdinalWeights, n_rounds: int, smoothing: float
) -> Iterator[OrdinalRound]:
    """Yield rounds, at most `n_rounds`; it ends where no base ranker has an edge.

    The thresholds of a round go with the scores ``sum_t alpha_t h_t``, h = -1 or 1.
    """
    offset = 0.0
    for _ in range(n_rounds):
        if not weights.total > np.finfo(np.float64).tiny:
            return
        f = weights.factors
        charges = f.charges(weights.of_up / weights.total, weights.of_down / weights.total)
        stump = rows.best(charges)
        if stump is None:
            return
        found = weights.round(stump, smoothing)
        offset += found.alpha
        yield found._replace(thresholds=found.thresholds - offset)
