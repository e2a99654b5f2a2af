"""Which pairs there are (labelled, of levels, held out), their error, and their problems."""

from dataclasses import dataclass, replace
from typing import cast

import numpy as np
from numpy.typing import ArrayLike

from rankexp.arrays import Bools, Floats, Groups, Ints, Listed, PerRow
from rankexp.losses.loss import Loss
from rankexp.risks.risk import RiskOfPairs, Task
from rankexp.solvers.boosting.boost_pairs import list_pairs, pair_mass
from rankexp.solvers.hinge.polish import listed_hinge
from rankexp.solvers.pairs.pair_list import ListedRisk, PairList
from rankexp.solvers.pairs.partial_order import PartialOrder
from rankexp.solvers.result import PathResult
from rankexp.solvers.smooth.descent import descend

MOST_PAIRS = 20_000_000  # listed for rankers that look at pairs one by one: some 0.3 GB


def held_out(codes: Ints, groups: Groups, share: float, rng: np.random.RandomState) -> Bools:
    """Return which rows to hold out: a share of each level, or of whole groups."""
    out = np.zeros(codes.size, dtype=bool)
    if groups is not None:
        if (kinds := np.unique(groups)).size < 2:
            text = "there is only one group: set validation_fraction=None, or drop groups"
            raise ValueError(text)
        size = min(max(1, round(share * kinds.size)), kinds.size - 1)
        return np.isin(groups, rng.permutation(kinds)[:size])
    for level in np.unique(codes):
        rows = np.flatnonzero(codes == level)
        out[rng.permutation(rows)[: round(share * rows.size)]] = True
    if out.all():
        raise ValueError(f"validation_fraction={share!r} leaves no row to train on: lower it")
    return out


class PairError:
    """The cost-weighted share of pairs in the wrong order, within groups; a tie counts ½."""

    def __init__(self, codes: Ints, costs: Floats, groups: Groups, each: bool = False):
        # With `each`, all groups that have pairs count alike.
        n = codes.size
        self.base = np.zeros_like(codes) if groups is None else groups * (n + 1)
        self.top = n + 1
        self.parts, share = [], np.ones(n)
        if groups is not None and each:
            order = PartialOrder.of(codes, costs, groups, each=True)
            share = order.shares[order.group]
        for low, cost in enumerate(costs):
            upper = np.flatnonzero(cost[codes] > 0.0)
            charge = cost[codes[upper]] * share[upper]
            self.parts.append((charge, upper, np.flatnonzero(codes == low)))
        self.mass = 2.0 * self._lost(np.zeros(n))  # where all are tied
        if self.mass == 0.0:
            advice = "change validation_fraction, or set it to None"
            raise ValueError(f"there is no pair to rank among the rows held out: {advice}")

    def _lost(self, s: Floats) -> float:
        keys = self.base + np.unique(s, return_inverse=True)[1]
        total = 0.0
        for costs, upper, lower in self.parts:
            low, mine = np.sort(keys[lower]), keys[upper]
            end = low.searchsorted(self.base[upper] + self.top)
            at_most = low.searchsorted(mine, side="right")
            total += float(costs @ (end - 0.5 * (at_most + low.searchsorted(mine))))
        return total

    def __call__(self, s: Floats) -> float:
        """Return the error of scores, (n,)."""
        return self._lost(s) / self.mass


def labelled_pairs(n: int, pairs: ArrayLike, labels: ArrayLike, weights: PerRow) -> Listed:
    """Return the upper and lower rows of pairs with a label and a weight, and the weights."""
    P, y = np.asarray(pairs), np.asarray(labels)
    if P.size == 0:
        raise ValueError("there is no pair to rank: pairs is empty")
    if P.ndim != 2 or P.shape[1] != 2 or P.dtype.kind not in "iu":
        raise ValueError(f"pairs must be integers of shape (m, 2), got {P.dtype} {P.shape}")
    if not (P.min() >= 0 and P.max() < n):
        at = int(((P < 0) | (n <= P)).any(axis=1).argmax())
        raise ValueError(f"pairs must be rows of X, 0 .. {n - 1}: pair {at} is {P[at].tolist()}")
    if y.shape != P.shape[:1] or not np.isin(y, (-1, 0, 1)).all():
        got = f"got shape {y.shape}"
        if y.shape == P.shape[:1]:
            at = int(np.isin(y, (-1, 0, 1)).argmin())
            got = f"pair {at} has {y.tolist()[at]!r}"
        raise ValueError(f"labels must be -1, 0 or 1, of shape ({P.shape[0]},): {got}")
    if y.dtype.kind == "b":
        raise ValueError("labels must be -1, 0 or 1, not booleans")
    w = np.ones(y.shape) if weights is None else np.asarray(weights, dtype=np.float64)
    if w.shape != y.shape or not (np.isfinite(w) & (w >= 0.0)).all():
        raise ValueError(f"sample_weight must be finite and >= 0, of shape ({y.shape[0]},)")
    if w.max(initial=0.0) > np.finfo(np.float64).max / max(w.size, 1):
        raise ValueError("the sum of sample_weight overflows: scale the weights down")
    if not (kept := (y != 0) & (w > 0.0)).any():
        raise ValueError("there is no pair to rank: all labels or weights are 0")
    P, y = P[kept].astype(np.int64), y[kept]
    if (alone := P[:, 0] == P[:, 1]).any():
        raise ValueError(f"a pair needs two different rows, got {P[alone.argmax()].tolist()}")
    return np.where(y > 0, P[:, 0], P[:, 1]), np.where(y > 0, P[:, 1], P[:, 0]), w[kept]


def pairs_of_levels(codes: Ints, groups: Groups) -> tuple[Ints, Ints]:
    """Return the upper and lower rows of all pairs of different levels, within groups."""
    K = int(codes.max()) + 1
    costs = np.triu(np.ones((K, K)), 1)
    count = pair_mass(codes, costs, np.zeros_like(codes) if groups is None else groups)[1]
    if count > MOST_PAIRS:
        text = f"the labels form {count:,.0f} pairs, but at most {MOST_PAIRS:,} can be listed"
        raise ValueError(f"{text}: give some of them to fit_pairs, or use fewer rows")
    return list_pairs(codes, costs, groups)[:2]


@dataclass(frozen=True)
class OfLabels:
    """The risk of a task, for its one penalty."""

    task: Task

    def mass(self) -> Floats:
        """Return the share of each row's pairs in the weight of all, (n,)."""
        below, above = self.task.order.part()
        return (below + above) / self.task.order.total

    def solve(self, X: Floats, tol: float) -> PathResult:
        """Minimise it for rows in some columns, (n, r)."""
        task = replace(self.task, X=X, tol=tol)
        return task.risk.solve(task)

    def slope(self, X: Floats, found: PathResult) -> Floats:
        """Return the derivatives of the risk by each score that the gap uses, (n,)."""
        return cast(RiskOfPairs, self.task.risk).slope(replace(self.task, X=X), found)

    def __str__(self) -> str:
        return f"{self.task.loss!r} × {self.task.risk!r}"


@dataclass(frozen=True)
class OfList:
    """The mean loss of listed pairs, for one penalty."""

    pairs: PairList
    loss: Loss
    lam: float
    max_iter: int

    def on(self, place: Ints, n: int) -> "OfList":
        """Return the problem for renumbered rows; several may have become one."""
        upper, lower = place[self.pairs.upper], place[self.pairs.lower]
        return replace(self, pairs=PairList.of(upper, lower, self.pairs.share, n))

    def mass(self) -> Floats:
        """As for :class:`OfLabels`."""
        return self.pairs.mass()

    def solve(self, X: Floats, tol: float) -> PathResult:
        """As for :class:`OfLabels`."""
        if not self.loss.smooth:
            return listed_hinge(X, self.pairs, self.lam, tol=tol, max_iter=self.max_iter)
        lams, risk = np.array([self.lam]), ListedRisk(self.pairs, self.loss)
        return descend(X, risk, lams, tol=tol, max_iter=self.max_iter)

    def slope(self, X: Floats, found: PathResult) -> Floats:
        """As for :class:`OfLabels`."""
        if found.slope is not None:
            return found.slope[:, 0]
        return ListedRisk(self.pairs, self.loss).slope(X @ found.coef[:, 0])

    def __str__(self) -> str:
        return f"{self.loss!r} of listed pairs"


PairProblem = OfLabels | OfList
