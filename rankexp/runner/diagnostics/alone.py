"""The column that ranks best all by itself, and columns that differ in one class alone."""

from dataclasses import dataclass

import numpy as np

from rankexp.arrays import Floats
from rankexp.charts.numbers import printed
from rankexp.metrics.continuous import concordance
from rankexp.runner.data.dataset import Dataset, Feature
from rankexp.runner.data.levels import number_text
from rankexp.runner.data.suitable import whole

ROWS = 20_000  # at which columns are looked at first
NEARLY = 0.99  # share of pairs in order from which a column ranks almost perfectly
MUCH, FAR = 0.95, 5.0  # or from which it may, if the next best column errs so many times as often
FILLED = 0.9  # share of pairs that are in order by whether a column is filled in
CLEAR = 4.0  # standard errors above chance that the best of many columns must have
UNUSUAL, SURE = 20, 1e-6  # rows that differ from the usual value; chance that all are of one class
YEARS, PAST = (1900, 2100), 0.7  # what may be years; share of rows before the latest
DRIFT, SIGNIFICANT = 0.15, 5.0  # difference of shares of pairs in order; in standard errors
A_CATEGORY = 20  # rows that a category needs on average to be ranked by its mean target


@dataclass(frozen=True)
class Alone:
    """A column and the share of pairs of different targets that it puts in order."""

    column: str
    value: float  # for two values of the target, its AUC; turned around where it is below .5
    numeric: bool = True
    untied: float = 1.0  # share of all pairs that have different targets
    se: float = 0.0  # of the share that a column without any relation to the target has
    second: float = 0.5  # the next best column's value
    filled: float = 0.5  # the share that is in order by whether it is filled in alone
    categories: int = 0

    @property
    def clear(self) -> bool:
        """Whether it ranks better than the best of many columns does by chance."""
        return self.value - 0.5 >= CLEAR * self.se

    @property
    def gives_away(self) -> bool:
        """Whether it ranks as if it were known only after the target is."""
        far = self.value >= MUCH and FAR * (1 - self.value) <= 1 - self.second
        return self.value >= NEARLY or (self.clear and (far or self.filled >= FILLED))


def best_alone(dataset: Dataset) -> Alone | None:
    """Return the column that puts most pairs in order, missing values below or above all others.

    A category counts as the mean of its target, if there are few of them. None where no column
    can be ranked by, or no pair has different targets.
    """
    n, some = len(dataset.y), slice(None, None, max(1, len(dataset.y) // ROWS))
    if n < 2 or np.ptp(dataset.y[some]) == 0:
        return None
    shares = [_share(dataset, j, some) for j in range(len(dataset.features))]
    if max(shares, default=0.0) == 0:
        return None
    at = int(np.argmax(shares))
    sizes = np.unique(dataset.y, return_counts=True)[1].astype(np.float64)
    untied = 1.0 - float((sizes * (sizes - 1)).sum()) / (n * (n - 1))
    se = float(np.sqrt((n + 1) / (6 * n * (n - 1) * untied)))  # Mann and Whitney's, for two values
    value, feature = _share(dataset, at, slice(None)), dataset.features[at]
    second = max((*shares[:at], *shares[at + 1 :], 0.5))
    filled = concordance(dataset.y.astype(np.float64), np.isnan(dataset.X[:, at]))
    numeric, filled = feature.kind == "numeric", max(filled, 1 - filled)
    found = (value, numeric, untied, se, second, filled, len(feature.categories))
    return Alone(feature.name, *found)


def _share(dataset: Dataset, j: int, rows: slice) -> float:
    values, y = dataset.X[rows, j], dataset.y[rows].astype(np.float64)
    missing, count = np.isnan(values), len(dataset.features[j].categories)
    if dataset.features[j].kind == "nominal":
        if len(values) < A_CATEGORY * (count + missing.any()):
            return 0.0
        codes = np.where(missing, count, values).astype(np.int64)
        means = np.bincount(codes, weights=y) / np.maximum(np.bincount(codes), 1)
        return concordance(y, means[codes])
    ends = (-np.inf, np.inf) if missing.any() else (0.0,)
    found = [concordance(y, np.where(missing, end, values)) for end in ends]
    return max(max(share, 1 - share) for share in found)


def unusual(dataset: Dataset) -> dict[str, str]:
    """Return the columns that differ from their usual value in one of two classes alone, in words.

    At least half of the rows have the usual value, and at least half of the class does not. What
    may be by chance does not count.
    """
    n, y, found = len(dataset.y), dataset.y.astype(np.int64), {}
    if dataset.levels is None or len(dataset.levels) != 2 or n < 2 * UNUSUAL:
        return {}
    counts, middle = np.bincount(y, minlength=2), [(n - 1) // 2, n // 2]
    for one, values in zip(dataset.features, dataset.X.T, strict=True):
        for usual in np.unique(np.partition(values, middle)[middle]).tolist():
            other = ~np.isclose(values, usual, 0, 0, equal_nan=True)
            rows, classes = int(other.sum()), np.unique(y[other])
            share = counts[classes].sum() / n  # 1 where both classes differ
            if share**rows <= SURE and max(UNUSUAL, share * n / 2) <= rows <= n / 2:
                names = dict(enumerate(one.categories)) or {usual: number_text(usual)}
                differs = "filled in" if np.isnan(usual) else f"not {names[usual]}"
                where = f"{rows:,} rows in which '{one.name}' is {differs}"
                found[one.name] = f"{where} are of '{dataset.levels[classes[0]]}'"
    return found


def drift(dataset: Dataset) -> tuple[Feature, Floats, str] | None:
    """Return a column of years, and in words which other column ranks otherwise in the latest."""
    y = dataset.y.astype(np.float64)
    untied = 1 - float(((np.unique(y, return_counts=True)[1] / len(y)) ** 2).sum())
    known = zip(dataset.features, dataset.X.T, strict=True)
    numbers = [(f, np.nan_to_num(x)) for f, x in known if f.kind == "numeric"]
    for year, values in numbers:
        if not (whole(values) and YEARS[0] <= values.min() < values.max() <= YEARS[1]):
            continue
        last = np.quantile(values, PAST)
        parts = values <= last, values > last
        if any(part.sum() < UNUSUAL or np.ptp(y[part]) == 0 for part in parts):
            continue
        least = max(DRIFT, SIGNIFICANT * sum(1 / (6 * untied * p.sum()) for p in parts) ** 0.5)
        for other, x in numbers:
            before, after = (concordance(y[part], x[part]) for part in parts)
            if abs(before - after) > least:
                shares = (printed(f"{share:.3f}") for share in (before, after))
                said = "'{}' puts {} of pairs in order up to {:.0f}, and {} later"
                return year, values, said.format(other.name, next(shares), last, next(shares))
    return None
