"""The column that ranks best all by itself, and columns that differ in one class alone."""

from dataclasses import dataclass

import numpy as np

from rankexp.arrays import Bools, Floats
from rankexp.charts.numbers import printed
from rankexp.metrics.continuous import concordance
from rankexp.runner.data.dataset import Dataset, number_text
from rankexp.runner.data.suitable import whole

ROWS = 20_000  # at which columns are looked at first
NEARLY = 0.99  # share of pairs in order from which a column ranks almost perfectly
MUCH, FAR = 0.95, 5.0  # or from which it may, if the next best column errs so many times as often
FILLED = 0.9  # share of pairs that are in order by whether a column is filled in
CLEAR = 4.0  # standard errors above chance that the best of many columns must have
UNUSUAL, SURE = 20, 1e-6  # rows that differ from the usual value; chance that all are of one class
SOME_OF = 0.1  # share of that class that such rows must be
YEARS, PAST = (1900, 2100), 0.7  # what may be years; share of rows before the latest
SORTED = 0.3  # Spearman's correlation with the row's number from which a column is in its order
FEW_DIGITS = 6  # decimals up to which a column may hold means of the target
MEANS, ALIKE = 3, 10  # different means of a target; values of a column that may be queries
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

    At least half of the rows have the usual value, and a tenth of the class does not. What may be
    by chance, in any of the columns, does not count.
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
            chance, least = share**rows * len(dataset.features), max(UNUSUAL, SOME_OF * share * n)
            if chance <= SURE and least <= rows <= n / 2:
                names = dict(enumerate(one.categories)) or {usual: number_text(usual)}
                differs = "filled in" if np.isnan(usual) else f"not {names[usual]}"
                where = f"{rows:,} rows in which '{one.name}' is {differs}"
                found[one.name] = f"{where} are of '{dataset.levels[classes[0]]}'"
    return found


def drift(dataset: Dataset) -> tuple[str, Floats, str] | None:
    """Return an order of rows by its column, and in words what ranks otherwise in the latest.

    It is that of a column of years, months or days in numbers, or that of the table itself; what
    the table is sorted by does not count.
    """
    y = dataset.y.astype(np.float64)
    known = zip(dataset.features, dataset.X.T, strict=True)
    numbers = [(f.name, np.nan_to_num(x)) for f, x in known if f.kind == "numeric"]
    row = np.arange(len(y), dtype=np.float64)
    times = [(name, x) for name, x in numbers if whole(x) and _calendar(x)]
    for name, values in [*times, ("", row)]:
        last = np.quantile(values, PAST)
        parts = values <= last, values > last
        if any(part.sum() < UNUSUAL or np.ptp(y[part]) == 0 for part in parts):
            continue
        least = max(DRIFT, SIGNIFICANT * sum(_variance(y[part]) for part in parts) ** 0.5)
        for other, x in numbers:
            before, after = (concordance(y[part], x[part]) for part in parts)
            if abs(before - after) <= least or other == name or (not name and _sorted(row, x)):
                continue
            first, later = (printed(f"{share:.3f}") for share in (before, after))
            till = f"up to {last:.0f}" if name else f"in the first {last + 1:,.0f} rows"
            where = f"with '{name}'" if name else "along the rows"
            said = f"'{other}' puts {first} of pairs in order {till}, and {later} later"
            return name, values, f"Relations change {where}: {said}"
    return None


def _variance(y: Floats) -> float:
    """Return that of the share of pairs that a column without any relation puts in order."""
    tied = ((np.unique(y, return_counts=True)[1] / len(y)) ** 2).sum()
    return 1 / (6 * float(1 - tied) * len(y))


def _sorted(row: Floats, values: Floats) -> bool:
    from scipy import stats  # takes a second

    if np.ptp(values) == 0:
        return True
    return abs(float(stats.spearmanr(row, values).statistic)) > SORTED


def _calendar(values: Floats) -> bool:
    """Whether numbers may be years, or years with months (201801), or with days (20180131)."""
    low, high = YEARS
    months: Bools = (values % 100 >= 1) & (values % 100 <= 12)
    days = (values // 100 % 100 >= 1) & (values // 100 % 100 <= 12) & (values % 100 <= 31)
    ends = float(values.min()), float(values.max())
    lengths = ((1, True), (100, bool(months.all())), (10_000, bool(days.all())))
    return any(low * k <= ends[0] < ends[1] < (high + 1) * k and ok for k, ok in lengths)


def encoded(dataset: Dataset) -> str | None:
    """Return a column that holds, up to rounding, the mean target of the rows with its value."""
    y = dataset.y.astype(np.float64)
    for feature, values in zip(dataset.features, dataset.X.T, strict=True):
        if feature.kind != "numeric" or np.isnan(values).any():
            continue
        each, codes, rows = np.unique(values, return_inverse=True, return_counts=True)
        if not MEANS <= len(each) <= len(y) / 2:
            continue
        decimals = max(len(number_text(float(one)).partition(".")[2]) for one in each)
        means = np.bincount(codes, weights=y) / rows
        near = np.abs(means - each) <= 0.51 * 10.0 ** -min(decimals, FEW_DIGITS)
        if rows[near].sum() >= NEARLY * len(y) and np.ptp(each) > 0 and (rows[near] > 1).any():
            return feature.name
    return None


def alike(dataset: Dataset) -> set[str]:
    """Return columns whose values have mean targets nearer to each other than by chance.

    So it is with queries, races or matched pairs, of which each has the same targets.
    """
    from scipy import special, stats  # take a second

    y, found = stats.rankdata(dataset.y), set[str]()
    rarest = np.unique(y, return_counts=True)[1].min() if dataset.levels else len(y)
    for feature, values in zip(dataset.features, dataset.X.T, strict=True):
        _, codes, rows = np.unique(values, return_inverse=True, return_counts=True)
        k, n = len(rows), len(y)
        if k < ALIKE or 2 * k > n or rarest < k:
            continue
        means = np.bincount(codes, weights=y) / rows
        within = float(((y - means[codes]) ** 2).sum()) / (n - k)
        between = float((rows * (means - y.mean()) ** 2).sum()) / (k - 1)
        if within > 0 and special.fdtr(k - 1, n - k, between / within) <= SURE:
            found.add(feature.name)
    return found
