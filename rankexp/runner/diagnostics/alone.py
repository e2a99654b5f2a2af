"""The column that ranks best all by itself."""

from dataclasses import dataclass

import numpy as np

from rankexp.arrays import Floats
from rankexp.metrics.continuous import concordance
from rankexp.runner.data.dataset import Dataset

ROWS = 20_000  # at which columns are looked at first
AGAIN = 3  # columns that are looked at in all rows then
A_CATEGORY = 20  # rows that a category needs on average to be ranked by its mean target


@dataclass(frozen=True)
class Alone:
    """A column and the share of pairs of different targets that it puts in order."""

    column: str
    value: float  # for two values of the target, its AUC; turned around where it is below .5
    numeric: bool = True
    untied: float = 1.0  # share of all pairs that have different targets
    se: float = 0.0  # of the share that a column without any relation to the target has


def best_alone(dataset: Dataset) -> Alone | None:
    """Return the column that puts most pairs in order, missing values below or above all others.

    A category counts as the mean of its target, if there are few of them. None where no column
    can be ranked by, or no pair has different targets.
    """
    some = slice(None, None, max(1, len(dataset.y) // ROWS))
    y = dataset.y[some].astype(np.float64)
    if len(y) < 2 or np.ptp(y) == 0:
        return None
    shares = [_share(dataset, j, some) for j in range(len(dataset.features))]
    if not shares or not max(shares) > 0:
        return None
    if len(y) < len(dataset.y):
        likely = np.argsort(shares)[::-1][:AGAIN].tolist()
        again = {j: _share(dataset, j, slice(None)) for j in likely}
        shares = [again.get(j, 0.0) for j in range(len(shares))]
    at = int(np.argmax(shares))
    feature = dataset.features[at]
    sizes, n = np.unique(dataset.y, return_counts=True)[1].astype(np.float64), len(dataset.y)
    untied = 1.0 - float((sizes * (sizes - 1)).sum()) / (n * (n - 1))
    se = float(np.sqrt((n + 1) / (6 * n * (n - 1) * untied)))  # Mann and Whitney's, for two values
    return Alone(feature.name, float(shares[at]), feature.kind == "numeric", untied, se)


def _share(dataset: Dataset, j: int, rows: slice) -> float:
    values, y = dataset.X[rows, j], dataset.y[rows].astype(np.float64)
    known = ~np.isnan(values)
    feature = dataset.features[j]
    if feature.kind == "nominal":
        if len(values) < A_CATEGORY * (len(feature.categories) + 1):
            return 0.0
        return concordance(y, _means(np.where(known, values, len(feature.categories)), y))
    if known.all():
        ends = [values]
    elif known.any():
        low, high = values[known].min() - 1, values[known].max() + 1
        ends = [np.where(known, values, end) for end in (low, high)]
    else:
        return 0.0
    found = [concordance(y, one) for one in ends]
    return max(max(share, 1 - share) for share in found)


def _means(codes: Floats, y: Floats) -> Floats:
    index = codes.astype(np.int64)
    sums, counts = np.bincount(index, weights=y), np.bincount(index)
    return (sums / np.maximum(counts, 1))[index]
