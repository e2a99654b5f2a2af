"""Losses of pairs of two classes that have quick sums: the exponential and the squared hinge.

The risk is the mean of ``l(s_i - s_j)`` over positives i and negatives j. The exponential loss
factorises; the squared hinge has sums over the sorted scores.
"""

from abc import ABC, abstractmethod

import numpy as np
import numpy.typing as npt

from rankexp.arrays import Bools, Floats, Ints
from rankexp.solvers.smooth.problem import Risk, stratified


class PairRisk(ABC):
    """A risk of score differences: which rows are positive, and how to take a sample."""

    intercept = False
    centred = True

    def __init__(self, positive: Bools) -> None:
        self.positive = positive
        self.up, self.down = np.flatnonzero(positive), np.flatnonzero(~positive)

    @abstractmethod
    def value(self, s: Floats) -> float:
        """Return the risk of scores."""

    @abstractmethod
    def slope(self, s: Floats) -> Floats:
        """Return the derivative with respect to each score, shape (n,)."""

    @abstractmethod
    def hessian(self, X: Floats, s: Floats) -> Floats:
        """Return the second derivative in w."""

    def sample(self, size: int) -> tuple[Ints, Risk]:
        """Return some of the rows, and an estimate of the risk from their scores alone."""
        rows = stratified(self.positive, size)
        return rows, self.on(self.positive[rows])

    def subset(self, rows: Ints) -> tuple[Risk, float]:
        """Return the risk on some of the rows, and what share of the pairs they form."""
        positive = self.positive[rows]
        up = int(positive.sum())
        pairs = self.up.shape[0] * self.down.shape[0]
        return self.on(positive), up * (rows.shape[0] - up) / pairs

    def on(self, positive: Bools) -> Risk:
        """Return the same risk of other rows."""
        return type(self)(positive)

    def merge(self, up: npt.ArrayLike, down: npt.ArrayLike) -> Floats:
        """Put values of positives and negatives into one array in the order of the rows."""
        r = np.empty(self.positive.shape[0])
        r[self.up], r[self.down] = up, down
        return r


class ExponentialPairs(PairRisk):
    """``(mean over positives of e^-s) (mean over negatives of e^s)``, by logarithms."""

    def _parts(self, s: Floats) -> tuple[float, Floats, Floats]:
        """Return the risk, and each example's share of its class's sum."""
        up, down = -s[self.up], s[self.down]
        top_up, top_down = float(up.max()), float(down.max())
        up, down = np.exp(up - top_up), np.exp(down - top_down)
        total_up, total_down = float(up.sum()), float(down.sum())
        share = (total_up / up.shape[0]) * (total_down / down.shape[0])
        return share * float(np.exp(top_up + top_down)), up / total_up, down / total_down

    def value(self, s: Floats) -> float:
        """Return the risk."""
        return self._parts(s)[0]

    def slope(self, s: Floats) -> Floats:
        """Return the derivative with respect to each score."""
        risk, up, down = self._parts(s)
        return self.merge(-risk * up, risk * down)

    def hessian(self, X: Floats, s: Floats) -> Floats:
        """Return the second derivative in w: pairs are drawn from a product distribution."""
        risk, up, down = self._parts(s)
        root = np.sqrt(self.merge(up, down))
        A = X * root[:, None]
        cross = np.outer(up @ X[self.up], down @ X[self.down])
        H: Floats = risk * (A.T @ A - cross - cross.T)
        return H


class SquaredHingePairs(PairRisk):
    """The squared hinge over pairs in O(n log n): a pair counts where ``s_i - s_j < 1``."""

    def _sorted(self, s: Floats) -> tuple[Floats, Floats, Ints, Ints, Ints, Ints]:
        """Return centred scores of both classes, their orders, and where each one's pairs begin.

        For positive i the negatives with ``s_j > s_i - 1`` count: a suffix of the sorted ones;
        for negative j the positives with ``s_i < s_j + 1``: a prefix.
        """
        up, down = s[self.up], s[self.down]
        middle = 0.5 * (up.mean() + down.mean())
        up, down = up - middle - 1.0, down - middle
        by_up, by_down = np.argsort(up), np.argsort(down)
        after = np.searchsorted(down[by_down], up, side="right")
        before = np.searchsorted(up[by_up], down, side="left")
        return up, down, by_up, by_down, after, before

    def value(self, s: Floats) -> float:
        """Return the risk: the sum of ``(s_j - (s_i - 1))²`` over counted pairs, as a mean."""
        up, down, _, by_down, after, _ = self._sorted(s)
        ranked = down[by_down]
        one, two = suffix(ranked), suffix(ranked * ranked)
        count = ranked.shape[0] - after
        total = two[after] - 2.0 * up * one[after] + count * up * up
        return max(float(total.sum()), 0.0) / float(up.shape[0] * down.shape[0])

    def slope(self, s: Floats) -> Floats:
        """Return the derivative with respect to each score."""
        up, down, by_up, by_down, after, before = self._sorted(s)
        count = down.shape[0] - after
        scale = 2.0 / (up.shape[0] * down.shape[0])
        of_up = count * up - suffix(down[by_down])[after]
        of_down = before * down - prefix(up[by_up])[before]
        return self.merge(scale * of_up, scale * of_down)

    def hessian(self, X: Floats, s: Floats) -> Floats:
        """Return the second derivative in w, from the pairs that count."""
        up, down, _, by_down, after, before = self._sorted(s)
        scale = 2.0 / (up.shape[0] * down.shape[0])
        A = X * np.sqrt(self.merge(down.shape[0] - after, before))[:, None]
        sums = np.zeros((down.shape[0] + 1, X.shape[1]))
        np.cumsum(X[self.down[by_down[::-1]]], axis=0, out=sums[1:])
        cross = X[self.up].T @ sums[down.shape[0] - after]
        H: Floats = scale * (A.T @ A - cross - cross.T)
        return H


def prefix(a: Floats) -> Floats:
    """Return the sums of the first 0, 1, ..., n values."""
    return np.concatenate(([0.0], np.cumsum(a)))


def suffix(a: Floats) -> Floats:
    """Return the sums from the 0th, 1st, ..., n-th value on."""
    return np.concatenate((np.cumsum(a[::-1])[::-1], [0.0]))
