"""The pairs of a multipartite sample that count, with their costs: levels, groups, weights."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Self

import numpy as np
import numpy.typing as npt

from rankexp.arrays import Floats, Integers, Ints

LARGE_GROUP = 0.05  # of a sample: with larger groups rows are drawn, because whole groups are few
MOST_UNITS = 2**31  # of weights of the hinge: its sums of scores in fixed point keep enough digits
FINEST = 10**7  # parts of the smallest weight that a unit is looked for in: six decimals
SAME = 4.0 * float(np.finfo(np.float64).eps)  # relative: 0.3 is three times 0.1 but for that


@dataclass(frozen=True)
class PartialOrder:
    """All pairs (i, j) of a group with ``level[i] > level[j]``, at ``costs[level j, level i]``."""

    # A pair counts the product of both weights and the share, if groups don't count by pairs.

    level: Ints  # (n,): 0 .. K-1, worst to best; some may not occur
    group: Ints  # (n,): 0 .. G-1; each occurs
    costs: Floats  # (K, K): zero on and below the diagonal
    weight: Ints | Floats  # (n,), > 0: how often a row occurs, whole numbers or not
    share: Floats | None = None  # (G,), at most 1

    @classmethod
    def of(
        cls,
        level: npt.ArrayLike,
        costs: Floats,
        groups: npt.ArrayLike | None = None,
        weight: Floats | None = None,
        each: bool = False,
    ) -> Self:
        """Return the order of rows by levels (n,), within groups and with weights, if any."""
        # With `each`, the pairs of every group that has any cost the same in all. Costs are scaled
        # by a power of 2, to at most 1: sums over pairs never overflow.
        codes = np.asarray(level, dtype=np.int64)
        group = np.zeros_like(codes)
        if groups is not None:
            group = np.unique(np.asarray(groups), return_inverse=True)[1].astype(np.int64)
        most = costs.max(initial=0.0)
        scaled = np.ldexp(costs, -np.frexp(most)[1])
        if (costs[costs > 0.0] == most).all():  # whatever they are: the same problem, bit by bit
            scaled = np.where(costs > 0.0, 0.5, 0.0)
        mass: Ints | Floats = np.ones_like(codes)  # weights that are all the same say nothing
        if weight is not None and not (weight == weight[0]).all():
            if not weight.min() > 0.0:
                text = "weights of rows in pairs must be > 0: leave out rows that don't count"
                raise ValueError(text)
            mass = weight
        order = cls(codes, group, scaled, mass)
        return replace(order, share=equal_shares(order.counts, scaled)) if each else order

    @classmethod
    def of_classes(cls, positive: npt.ArrayLike, weight: Floats | None = None) -> Self:
        """Return the order of two classes: each positive row (n,) above each other one."""
        return cls.of(np.asarray(positive, dtype=bool), np.eye(2, k=1), weight=weight)

    @cached_property
    def counts(self) -> Floats:
        """Number of rows, with multiplicities, by group and level, shape (G, K)."""
        K = self.costs.shape[0]
        size = (int(self.group.max(initial=0)) + 1) * K
        weight = None if (self.weight == 1).all() else self.weight
        cells = np.bincount(self.cell, weights=weight, minlength=size)
        return cells.reshape(-1, K).astype(np.float64)

    @cached_property
    def factor(self) -> Floats | None:
        """The factors of rows in the weights of their pairs, (n,), or None if all are 1."""
        if self.share is not None:
            return np.asarray(self.weight * np.sqrt(self.share)[self.group])
        return None if (self.weight == 1).all() else self.weight.astype(np.float64)

    @cached_property
    def shares(self) -> Floats:
        """The weight of each group's pairs, (G,), in addition to costs and row weights."""
        return np.ones(self.counts.shape[0]) if self.share is None else self.share

    @cached_property
    def cell(self) -> Ints:
        """One number for the group and level of a row, shape (n,)."""
        return np.asarray(self.group * self.costs.shape[0] + self.level)

    @cached_property
    def total(self) -> float:
        return float(np.sum(self.counts * self.parts()[0]))

    def whole(self) -> "PartialOrder":
        """Return the order with weights in their largest common unit; ValueError without one."""
        if self.weight.dtype.kind == "i":
            return self
        values, which = np.unique(self.weight, return_inverse=True)
        parts, more = 1, 2
        while more > 1 and parts * values[-1] < MOST_UNITS * values[0]:
            times = values * (parts / values[0])
            off = np.abs(times - np.rint(times)) > SAME * times
            units = np.rint(times)[which]
            if not off.any() and units.sum() < MOST_UNITS:
                return replace(self, weight=units.astype(np.int64))
            more = Fraction(float(times[off.argmax()])).limit_denominator(FINEST).denominator
            parts *= more
        text = "the hinge of pairs adds up whole numbers: sample_weight must be whole multiples of"
        unit = f"one unit, as 0.5, 1.25 and 2 are of 0.25, and fewer than {MOST_UNITS:,} units"
        advice = "round the weights, to two decimals, say, or take a smooth loss"
        raise ValueError(f"{text} {unit} in all; {advice}")

    def parts(self) -> tuple[Floats, Floats]:
        """Return the costs of pairs in which a row of a cell is the upper, the lower one."""
        upper, lower = self.counts @ self.costs, self.counts @ self.costs.T
        if self.share is not None:
            upper, lower = upper * self.share[:, None], lower * self.share[:, None]
        return upper, lower

    def part(self) -> tuple[Floats, Floats]:
        """Return the costs of pairs in which a row is the upper, the lower one, both (n,)."""
        upper, lower = self.parts()
        return upper.take(self.cell), lower.take(self.cell)

    def in_pairs(self) -> Ints | None:
        """Return the rows that are in pairs; None if all are."""
        paired = np.add(*self.parts()) > 0.0
        if (paired | (self.counts == 0.0)).all():
            return None
        return np.flatnonzero(paired.take(self.cell))

    def take(self, rows: Integers) -> "PartialOrder":
        """Return the order of some rows, their groups numbered anew."""
        here, group = np.unique(self.group[rows], return_inverse=True)
        share = None if self.share is None else self.share[here]
        level, weight = self.level[rows], self.weight[rows]
        return PartialOrder(level, group.astype(np.int64), self.costs, weight, share)

    def level_pairs(self) -> Iterator[tuple[int, int, float]]:
        """Yield (lower level, upper level, cost) for the levels whose pairs count."""
        here = self.counts.sum(axis=0) > 0.0
        for low, up in np.argwhere((self.costs > 0.0) & np.outer(here, here)).tolist():
            yield low, up, float(self.costs[low, up])

    def differences(self, s: Floats) -> tuple[float, float]:
        least = np.full(self.counts.size, np.inf)
        most = np.full(self.counts.size, -np.inf)
        np.minimum.at(least, self.cell, s)
        np.maximum.at(most, self.cell, s)
        lowest, highest = least.reshape(self.counts.shape), most.reshape(self.counts.shape)
        smallest, largest = np.inf, -np.inf
        for low, up, _ in self.level_pairs():
            smallest = min(smallest, float((lowest[:, up] - highest[:, low]).min()))
            largest = max(largest, float((highest[:, up] - lowest[:, low]).max()))
        return smallest, largest

    def sample(self, size: int) -> tuple[Ints, "PartialOrder"]:
        """Return about ``size`` rows, always the same ones, and their order, without bias."""
        # Of many small groups, whole ones are drawn; else rows of each level, at costs to make up.
        rng = np.random.default_rng(0)
        if (sizes := np.bincount(self.group)).max() <= LARGE_GROUP * size:
            rows = np.flatnonzero((rng.random(sizes.size) < size / self.level.size)[self.group])
            return rows, self.take(rows)
        at = [np.flatnonzero(self.level == k) for k in range(self.costs.shape[0])]
        share = size / max(sum(rows.size > 0 for rows in at), 1)
        rate = np.ones(len(at))
        for k, rows in enumerate(at):
            if rows.size > share:
                rate[k] = share / rows.size
                at[k] = rng.choice(rows, int(share), replace=False)
        rows = np.sort(np.concatenate(at))
        return rows, replace(self.take(rows), costs=self.costs / np.outer(rate, rate))


def equal_shares(counts: Floats, costs: Floats) -> Floats | None:
    """Return what pairs count, (G,), if all groups count alike, from counts (G, K); None if 1."""
    mass = np.sum(counts * (counts @ costs), axis=1)
    paired = mass > 0.0
    least = mass[paired].min(initial=np.inf)
    if (mass[paired] == least).all():
        return None
    return np.where(paired, least / np.where(paired, mass, 1.0), 1.0)
