"""Smooth losses of pairs along a path of penalties: two classes, or K levels with costs.

Those with quick sums have their own forms. Others are summed in blocks: no list of all pairs is
ever held. Sums of the logistic loss are convolutions of the moments of each cell (group, level)
along panels of the score axis (`convolution`), linear in the examples.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from scipy.linalg import toeplitz
from scipy.sparse import csr_array

from rankexp.arrays import Floats
from rankexp.losses.loss import Loss, MarginLoss
from rankexp.solvers.pairs.blocks import FAR, BlockPairs, WindowPairs
from rankexp.solvers.pairs.convolution import DEGREES, WIDTH, CellSums, Convolution, ScorePanels
from rankexp.solvers.pairs.pair_risk import ExponentialPairs, PairLoss, PairRisk, SquaredPairs
from rankexp.solvers.pairs.partial_order import PartialOrder
from rankexp.solvers.pairs.squared_hinge import SQUARED, SquaredHingePairs
from rankexp.solvers.result import PathResult
from rankexp.solvers.rows import as_rows
from rankexp.solvers.smooth.descent import descend
from rankexp.solvers.smooth.objective import gram
from rankexp.solvers.smooth.path import check_smooth, penalties

NOISE = 1e-13  # of the value and, times n, of the slope: Fourier transforms round by 6e-14 at most
EXACT_PAIRS = 10_000_000  # are summed one by one if needed, in a fraction of a second
FEW_PAIRS = 20_000  # are cheap enough for an exact Hessian. Only the number of steps depends on it
HESSIAN_PANELS = 1_000  # a table of all their distances takes 8 MB; more need the exact Hessian
MANY_ENTRIES = 8192  # of panels by cells: from here on near pairs are counted
DEAR = 64  # pairs that take as long as a panel of a cell. Tuned: 64 to 128, 300 to 10,000 rows
DEARER = 256  # where panels are so many that they leave the cache. Tuned: 64 to 256
MOST_PANELS = 2**16  # of scores up to 16,384 apart: with a table of all distances they take 270 MB
MOST_ENTRIES = 2**20  # of panels by cells: their sums take 67 MB, and four times that on the way
MANY_PAIRS = 10**9  # take some ten seconds, one by one


@lru_cache(maxsize=32)
def shared(of: Callable[[Floats], Floats], doublings: int) -> Convolution:
    """Return a function as a convolution for up to ``2^doublings`` panels, the same each time."""
    return Convolution(of, panels=2 ** (doublings - 1))


def together(s: Floats) -> Floats:
    """Return scores with the same derivatives of pairs, gaps between neighbours cut to `FAR`."""
    order = np.argsort(s)
    near = np.empty_like(s)
    near[order] = np.cumsum(np.minimum(np.diff(s[order], prepend=s[order[:1]]), FAR))
    return near


class PanelPairs(WindowPairs):
    """A risk whose sums over pairs are right to about 1e-12 of the number of pairs."""

    noise = NOISE

    def __init__(self, order: PartialOrder, loss: MarginLoss) -> None:
        super().__init__(order, loss)
        self.sums = CellSums(order.cell, order.counts.shape[0], order.costs)
        self.of_loss = Convolution(loss.of_margin)
        self.of_slope = Convolution(loss.margin_derivative)
        rows = order.counts if order.factor is None else self.sizes.reshape(order.counts.shape)
        self.pairs = float(np.sum(rows * (rows @ (order.costs > 0.0))))

    def exact(self) -> PairRisk:
        return BlockPairs(self.order, self.loss) if self.pairs <= EXACT_PAIRS else self

    def value(self, s: Floats) -> float:
        if self._apart(s):
            return super().value(s)
        total = self.sums.total(self.of_loss, self.prepared(s)[1])
        return max(total, 0.0) * self.scale  # rounding

    def slope(self, s: Floats) -> Floats:
        if self._apart(s):
            return super().slope(s)
        (panels, moments), w = self.prepared(s), self.order.factor
        upper, lower = self.sums.seen_by_both(self.of_slope, moments)
        r: Floats = self.scale * panels.values(upper - lower, self.order.cell)
        return r if w is None else r * w

    def steps(self, s: Floats) -> tuple[Floats, Floats]:
        s = together(s) if float(s.max() - s.min()) > WIDTH * MOST_PANELS else s
        entries, cells = self._entries(s), self.order.counts.size
        fits = entries <= min(MOST_ENTRIES, MOST_PANELS * cells)
        if not (fits and entries * DEGREES <= self.pairs):
            if self.pairs > MANY_PAIRS:
                text = f"scores of {s.size:,} rows lie {s.max() - s.min():.3g} apart"
                advice = "check initial scores, or lower the learning rate"
                raise ValueError(f"{text}: too far for sums over all pairs; {advice}")
            return super().steps(s)
        (panels, moments), w = self._prepare(s), self.order.factor
        of = shared(self.loss.margin_derivative, max(panels.count - 1, 16).bit_length())
        field = self.scale * self.sums.seen_by_each(of, moments)
        r, h = panels.steps(field, self.order.cell)
        np.maximum(h, 0.0, out=h)  # rounding
        if w is not None:
            r *= w
            h *= w
        return r, h

    def hessian(self, X: Floats, s: Floats) -> Floats:
        """Return the second derivative in w; of many pairs at scores rounded to panels."""
        entries, cells = self._entries(s), self.order.counts.size
        if self.pairs <= FEW_PAIRS or not entries <= min(HESSIAN_PANELS * cells, s.size):
            return super().hessian(X, s)
        panel = ((s - s.min()) / WIDTH).astype(np.int64)
        size, d, costs = int(panel.max()) + 1, X.shape[1], self.order.costs
        far: Floats = WIDTH * np.arange(size, dtype=np.float64)
        C = toeplitz(self.loss.margin_curvature(far), self.loss.margin_curvature(-far))
        key = panel * cells + self.order.cell
        rows = csr_array((self.row_mass, (key, np.arange(s.size))), shape=(size * cells, s.size))
        counts = rows.sum(axis=1).reshape(size, -1, costs.shape[0])
        degree = C @ (counts @ costs).reshape(size, -1)
        degree += C.T @ (counts @ costs.T).reshape(size, -1)
        sums = rows @ X
        near = (C @ sums.reshape(size, -1)).reshape(size, -1, costs.shape[0], d)
        cross = sums.T @ np.einsum("pgkd,kl->pgld", near, costs).reshape(-1, d)
        each = degree.ravel()[key] * self.row_mass
        return np.asarray(self.scale * (gram(X, each) - cross - cross.T))

    def _prepare(self, s: Floats) -> tuple[ScorePanels, Floats]:
        panels = ScorePanels(s, weight=self.order.factor)
        return panels, self.sums.moments(panels)

    def _apart(self, s: Floats) -> bool:
        """Return whether pairs that are near are so few that they take less than panels."""
        entries = self._entries(s)
        if entries < MANY_ENTRIES or not self.few:
            return not entries * DEAR <= self.pairs
        return not entries * DEARER <= sum(i.size * j.size for i, j, *_ in self._windows(s))

    def _entries(self, s: Floats) -> float:
        return (1.0 + float(s.max() - s.min()) / WIDTH) * self.order.counts.size


def pair_risk(loss: Loss, order: PartialOrder) -> PairRisk:
    """Return the quickest form of the pair risk of a loss that its properties allow."""
    margin = loss if isinstance(loss, MarginLoss) else PairLoss(loss)
    if margin.factorises:
        return ExponentialPairs(order, margin)
    if margin.quadratic:
        return SquaredPairs(order, margin)
    if margin.hinge_power == SQUARED:
        return SquaredHingePairs(order, margin)
    if loss.analytic:
        return PanelPairs(order, margin)
    return PartPairs(order, margin) if margin.parts("pair") else BlockPairs(order, margin)


class PartPairs(PairRisk):
    """A sum of losses of pairs, each of which has quick sums: of ``factor · risk(rate · s)``."""

    def __init__(self, order: PartialOrder, loss: MarginLoss) -> None:
        super().__init__(order, loss)
        self.parts = [(part, pair_risk(part.loss, order)) for part in loss.parts("pair")]
        self.noise = sum(part.factor * risk.noise for part, risk in self.parts)
        unscaled = [risk for part, risk in self.parts if part.rate == 1.0]
        panels = any(isinstance(risk, PanelPairs) for risk in unscaled)
        self.whole = PanelPairs(order, loss) if panels else None

    def exact(self) -> PairRisk:
        same = all(risk.exact() is risk for _, risk in self.parts)
        return self if same else BlockPairs(self.order, self.loss)

    def value(self, s: Floats) -> float:
        return float(sum(part.factor * risk.value(part.rate * s) for part, risk in self.parts))

    def slope(self, s: Floats) -> Floats:
        slopes = (part.factor * part.rate * risk.slope(part.rate * s) for part, risk in self.parts)
        return np.asarray(sum(slopes))

    def hessian(self, X: Floats, s: Floats) -> Floats:
        """Return the second derivative in w, or that of scores rounded to panels."""
        if self.whole is not None:
            return self.whole.hessian(X, s)
        of_parts = ((part.factor * part.rate**2, part.rate * s, risk) for part, risk in self.parts)
        return np.asarray(sum(times * risk.hessian(X, at) for times, at, risk in of_parts))


def pair_path(
    X: npt.ArrayLike,
    order: PartialOrder,
    loss: Loss,
    lams: npt.ArrayLike,
    *,
    tol: float = 1e-6,
    max_iter: int = 500,
    norms: Floats | None = None,
) -> PathResult:
    """Minimise ``lam/2 ||w||² + (1/C) sum over pairs of costs l(w·(x_i - x_j))`` along a path.

    C is the sum of the costs of all pairs, and two classes are two levels. Under a loss that isn't
    one of margins, a pair counts ``½ [l(1, D) + l(-1, -D)]``. Intercepts are 0. `norms`: of the
    rows (n,), if known. Raises ValueError for a loss that isn't smooth and convex, a penalty below
    0, or no pair.
    """
    check_smooth(loss)
    if not order.total > 0.0:
        raise ValueError("a pair risk needs pairs of different levels; there is none")
    X = as_rows(X)
    if (used := order.in_pairs()) is not None:
        X, order = X[used], order.take(used)
    risk = pair_risk(loss, order)
    risk.norms = norms if used is None else None
    found = descend(X, risk, penalties(lams), tol=tol, max_iter=max_iter)
    return found if used is None else replace(found, rough=None)  # of all rows
