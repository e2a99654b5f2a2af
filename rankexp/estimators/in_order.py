"""What `score` measures: the share of pairs in order, among all rows or within groups."""

import numpy as np
from numpy.typing import ArrayLike

from rankexp.arrays import Floats, PerRow
from rankexp.metrics.bipartite import auc
from rankexp.metrics.continuous import concordance
from rankexp.metrics.level_counts import group_numbers
from rankexp.metrics.metric import UndefinedMetricWarning
from rankexp.warn import warn_ungrouped, warn_user


class ScoresPairs:
    """An estimator whose `score` counts pairs, and that knows if it was trained within groups."""

    _grouped = False
    queries = "pairs"

    def _share(self, y: ArrayLike, s: Floats, w: Floats | None) -> float:
        two = hasattr(self, "classes_")
        return float(auc(y, s, sample_weight=w)) if two else concordance(y, s)

    def _in_order(
        self, y: ArrayLike, s: Floats, groups: PerRow = None, weight: PerRow = None
    ) -> float:
        """Return the share of pairs of different numbers y that the scores, (n,), put in order.

        It warns if training was within groups, and none are given.
        """
        warn_ungrouped(self, groups)
        w = None if weight is None else np.asarray(weight, dtype=np.float64)
        numbers = group_numbers(groups, s.size)
        if numbers is None or self.queries == "across":
            return self._share(y, s, w)
        y, values, pairs = np.asarray(y), [], []
        for rows in np.split(numbers.argsort(kind="stable"), np.bincount(numbers).cumsum()[:-1]):
            own = None if w is None else w[rows]
            levels = np.bincount(np.unique(y[rows], return_inverse=True)[1], own)
            if (mass := float(levels.sum() ** 2 - (levels**2).sum())) > 0.0:
                values.append(self._share(y[rows], s[rows], own))
                pairs.append(mass)
        if not values:
            warn_user("no group has rows with different y, so no pair", UndefinedMetricWarning)
            return float("nan")
        return float(np.average(values, weights=None if self.queries == "each" else pairs))
