"""ORBoost: ordinal boosting with thresholds, under the exponential loss (Lin and Li, 2006).

The risk of a scoring function r and thresholds theta_1 <= .. <= theta_{K-1} is the mean over
examples of ``sum exp(-(r - theta_k))`` over thresholds below their level and
``sum exp(-(theta_k - r))`` over those above: all of them, or the next on either side.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from rankexp.arrays import Bools, Floats, Ints
from rankexp.solvers.boosting.stumps import Binned, Factors, Stump, half_log_ratio

VARIANTS = ("lr", "all")


class OrdinalRound(NamedTuple):
    """A round: base ranker (-1 or 1), coefficient, then the best thresholds and their risk."""

    stump: Stump
    alpha: float
    thresholds: Floats
    risk: float


def relevant(variant: str, levels: int) -> tuple[Bools, Bools]:
    """Return which thresholds count for a level, those below it and those above: (K, K-1)."""
    level, k = np.ogrid[:levels, : levels - 1]
    return (k == level - 1, k == level) if variant == "lr" else (k < level, k >= level)


def ordered_minimum(low: Floats, high: Floats) -> Floats:
    """Return ordered theta, least in ``sum_k exp(low_k - theta_k) + exp(high_k + theta_k)``."""
    # Each term is least at ``½ (low - high)``, and so is a block of equal thresholds, with sums of
    # the exponentials; adjacent blocks out of order are pooled. Thresholds with nothing above or
    # below (-inf) are infinite unless the order forbids it.
    blocks: list[tuple[float, float, int]] = []
    for block in zip(low.tolist(), high.tolist(), [1] * low.size, strict=True):
        blocks.append(block)
        while len(blocks) > 1 and _place(blocks[-2]) >= _place(blocks[-1]):
            (a, b, size), (c, d, more) = blocks.pop(-2), blocks.pop()
            blocks.append((float(np.logaddexp(a, c)), float(np.logaddexp(b, d)), size + more))
    return np.repeat([_place(block) for block in blocks], [size for _, _, size in blocks])


def _place(block: tuple[float, float, int]) -> float:
    low, high, _ = block
    return np.inf if high == -np.inf else 0.5 * (low - high)


class OrdinalWeights:
    """Examples of two levels at least, and thresholds, under the exponential loss."""

    def __init__(self, rows: Binned, codes: Ints, levels: int, variant: str) -> None:
        self.factors = Factors(rows, codes, levels)
        self.below, self.above = relevant(variant, levels)
        self._thresholds()

    def _thresholds(self) -> None:
        f = self.factors
        with np.errstate(divide="ignore"):  # in logarithms: levels may be far apart
            downs, ups = np.log(f.downs), np.log(f.ups)
        sides = (self.above.T, downs + f.most), (self.below.T, ups - f.least)
        low, high = (np.logaddexp.reduce(np.where(*of, -np.inf), axis=1) for of in sides)
        self.thresholds = theta = ordered_minimum(low, high)
        # At infinity a threshold costs nothing, and there is no example beyond it.
        real = np.isfinite(theta)
        with np.errstate(invalid="ignore"):
            up = np.where(self.below & real, theta - f.least[:, None], -np.inf)
            down = np.where(self.above & real, f.most[:, None] - theta, -np.inf)
        self.unit = float(max((up + ups[:, None]).max(), (down + downs[:, None]).max()))
        self.of_up = np.exp(up - self.unit).sum(axis=1)
        self.of_down = np.exp(down - self.unit).sum(axis=1)
        self.total = float(self.of_up @ f.ups + self.of_down @ f.downs)

    @property
    def risk(self) -> float:
        weight = self.factors.rows.weight
        n = self.factors.s.size if weight is None else float(weight.sum())
        return self.total / n * float(np.exp(self.unit))

    def round(self, stump: Stump, smoothing: float) -> OrdinalRound:
        """Add ``alpha h``, h = -1 or 1, to the scores, then set the thresholds."""
        f = self.factors
        split = f.split(stump)
        up_below, up_above = split[0] @ self.of_up / self.total
        down_below, down_above = split[1] @ self.of_down / self.total
        good, bad = up_above + down_below, down_above + up_below
        alpha = half_log_ratio(good, bad, smoothing, "makes no error, or nothing else")
        f.advance(stump, 2.0 * alpha, split)  # -alpha on all: a matter of the thresholds
        self._thresholds()
        return OrdinalRound(stump, alpha, self.thresholds, self.risk)


def boost_levels(
    rows: Binned, weights: OrdinalWeights, n_rounds: int, smoothing: float
) -> Iterator[OrdinalRound]:
    """Yield at most `n_rounds` rounds; end if no base ranker has an edge."""
    offset = 0.0
    for _ in range(n_rounds):
        f = weights.factors
        charges = f.charges(weights.of_up / weights.total, weights.of_down / weights.total)
        if (stump := rows.best(charges)) is None:
            return
        found = weights.round(stump, smoothing)
        offset += found.alpha
        yield found._replace(thresholds=found.thresholds - offset)
