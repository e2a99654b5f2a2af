"""Features made numbers for an estimator: imputed, one-hot, scaled; fitted on training rows."""

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from rankexp.errors import DataError
from rankexp.runner.data.dataset import Feature, Floats, Ints

if TYPE_CHECKING:
    from rankexp.runner.config.schema import Preprocess


class Preprocessor:
    """Impute, encode and scale, with what the training part alone says.

    Numbers are scaled to [0, 1] over the training part (a constant becomes 0), or standardised, or
    left. A nominal becomes an unscaled 0/1 column for each declared category, a two-valued one a
    single column, one with a single category a constant 0. Missing numbers become the training
    mean, missing nominals the training mode (the first declared of tied ones). `nominal="codes"`
    treats codes as numbers, `impute="none"` leaves NaN in every column made. `names` are those of
    the columns that `transform` returns. `within="groups"` scales the rows of each group, of
    whichever part, by their own range or moments; what is missing then becomes the training mean
    of scaled values.
    """

    def __init__(self, config: "Preprocess", features: Sequence[Feature]) -> None:
        self._config = config
        self._features = tuple(features)
        layout = [
            (column, code, name)
            for column, feature in enumerate(self._features)
            for code, name in self._encoded(feature)
        ]
        self.names = tuple(name for _, _, name in layout)
        self._source: Ints = np.array([column for column, _, _ in layout], dtype=np.int64)
        codes = np.array([np.nan if code is None else code for _, code, _ in layout])
        self._hot = np.flatnonzero(~np.isnan(codes))
        self._code = codes[self._hot]
        self._nominal = [j for j, f in enumerate(self._features) if f.kind == "nominal"]
        onehot = config.nominal == "onehot"
        self._unscaled = np.flatnonzero(onehot & np.isin(self._source, self._nominal))

    def _encoded(self, feature: Feature) -> list[tuple[int | None, str]]:
        if feature.kind == "numeric" or self._config.nominal == "codes":
            return [(None, feature.name)]
        if len(feature.categories) <= 2:
            return [(None, f"{feature.name}={feature.categories[-1]}")]
        return [(code, f"{feature.name}={text}") for code, text in enumerate(feature.categories)]

    def fit(self, X: Floats, groups: Ints | None = None) -> "Preprocessor":
        """Learn from training rows, shape (n, d), of groups (n,), and return self."""
        X = np.ascontiguousarray(self._within(X, groups))  # sums take their bits from the order
        low, high, mean = _range_and_mean(X)
        fill = np.clip(mean, low, high)  # rounding may leave the range
        for column in self._nominal:
            known = X[~np.isnan(X[:, column]), column].astype(np.int64)
            fill[column] = np.bincount(known, minlength=1).argmax()
        unknown = np.isnan(low)
        low[unknown] = high[unknown] = fill[unknown] = 0.0
        self._fill = fill[self._source]
        offset, scale = np.zeros_like(low), np.ones_like(low)
        how = self._config.scale if self._config.within == "training" else "none"
        if how == "minmax":
            offset, scale = low, high - low
        elif how == "standard":
            offset, scale = _moments(X, fill if self._config.impute == "mean" else None)
            scale[high == low] = 0.0  # whatever rounding makes of a constant
        scale = np.where(scale > 0, scale, 1.0)
        self._offset, self._scale = offset[self._source], scale[self._source]
        self._offset[self._unscaled], self._scale[self._unscaled] = 0.0, 1.0
        return self

    def _within(self, X: Floats, groups: Ints | None) -> Floats:
        if self._config.within != "groups":
            return X
        if groups is None:
            raise DataError("'within: groups' needs groups, but these rows have none")
        coded = self._config.nominal == "codes"
        which = [j for j, f in enumerate(self._features) if coded or f.kind == "numeric"]
        X = X.copy()
        X[:, which] = _scaled(X[:, which], groups, standard=self._config.scale == "standard")
        return X

    def transform(self, X: Floats, groups: Ints | None = None) -> Floats:
        """Return rows, (n, d), as C-ordered numbers, (n, p); `groups`, (n,), only if needed."""
        Z: Floats = np.take(self._within(X, groups), self._source, axis=1)
        missing = np.isnan(Z)
        if missing.any() and self._config.impute == "mean":
            np.copyto(Z, self._fill, where=missing)
        if len(self._hot):
            values = Z[:, self._hot]
            Z[:, self._hot] = np.where(np.isnan(values), np.nan, values == self._code)
        Z -= self._offset
        Z /= self._scale
        return Z


def _scaled(X: Floats, groups: Ints, *, standard: bool) -> Floats:
    """Return each group's rows in [0, 1], or standardised; NaN stays, a constant becomes 0."""
    _, place = np.unique(groups, return_inverse=True)
    order = np.argsort(place, kind="stable")
    starts = np.flatnonzero(np.diff(place[order], prepend=-1))
    rows = X[order]
    low, high = (each.reduceat(rows, starts, axis=0) for each in (np.fmin, np.fmax))
    offset, scale = low, high - low
    if standard:
        known = np.maximum(np.add.reduceat(~np.isnan(rows), starts, axis=0, dtype=np.int64), 1)
        offset = np.add.reduceat(np.nan_to_num(rows), starts, axis=0) / known
        squares = np.nan_to_num((rows - offset[place[order]]) ** 2)
        scale = np.sqrt(np.add.reduceat(squares, starts, axis=0) / known)
    constant = ~(high > low)  # whatever rounding makes of it
    offset, scale = np.where(constant, low, offset), np.where(constant, 1.0, scale)
    return np.asarray((X - offset[place]) / scale[place])


def _range_and_mean(X: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the extremes and mean of each column's known values; NaN where none is known."""
    if not np.isnan(X).any():  # spares the copy that nanmean makes of large data
        return X.min(axis=0), X.max(axis=0), X.mean(axis=0)
    with warnings.catch_warnings(action="ignore", category=RuntimeWarning):
        return np.nanmin(X, axis=0), np.nanmax(X, axis=0), np.nanmean(X, axis=0)


def _moments(X: Floats, fill: Floats | None) -> tuple[Floats, Floats]:
    """Return mean and standard deviation of each column, of imputed values where there is fill."""
    if fill is not None:
        known = np.where(np.isnan(X), fill, X)
        return known.mean(axis=0), known.std(axis=0)
    with warnings.catch_warnings(action="ignore", category=RuntimeWarning):
        mean, deviation = np.nanmean(X, axis=0), np.nanstd(X, axis=0)
    return np.nan_to_num(mean), np.nan_to_num(deviation)
