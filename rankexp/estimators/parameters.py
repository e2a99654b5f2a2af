"""Checks that estimators share; each error names the parameter and its value."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from numbers import Integral, Real
from typing import TYPE_CHECKING, TypeAlias, cast
from warnings import warn

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_consistent_length, check_X_y, column_or_1d
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from rankexp.arrays import Bools, Floats, Ints, Labels, PerRow
from rankexp.registry import did_you_mean
from rankexp.solvers.result import PathResult

if TYPE_CHECKING:
    from pandas import DataFrame

Table: TypeAlias = "Floats | DataFrame"
Rows = slice | Bools | Ints
"""Which rows: all, a mask, or their numbers."""
NAN = {"dtype": np.float64, "order": "C", "ensure_all_finite": "allow-nan"}


def refuse_sparse(X: ArrayLike) -> None:
    """Raise TypeError for a sparse matrix, with what to do."""
    if issparse(X):
        raise TypeError(
            "X is a sparse matrix, and rankers need a dense array: "
            "use X.toarray(), sparse_output=False in an encoder, or where that is too large "
            "sklearn.decomposition.TruncatedSVD in a pipeline before the ranker"
        )


def training_rows(estimator: BaseEstimator, X: ArrayLike, *, reset: bool = True) -> Floats:
    """Return rows to fit as an array, (n, d); the estimator keeps the names of features."""
    refuse_sparse(X)
    rows: Floats = validate_data(estimator, X, dtype=np.float64, order="C", reset=reset)
    return rows


def training_data(
    estimator: BaseEstimator, X: ArrayLike, y: ArrayLike, *, real: bool = False, reset: bool = True
) -> tuple[Floats, Labels]:
    """Return rows to fit and their targets, (n,), which are made numbers where they are `real`."""
    refuse_sparse(X)
    more = {"dtype": np.float64, "order": "C", "y_numeric": real, "reset": reset}
    rows, targets = validate_data(estimator, X, y, **more)
    return rows, targets


def table_rows(estimator: BaseEstimator, X: ArrayLike) -> Table:
    """Return checked rows to score, with missing values; categories stay a DataFrame."""
    frame = _with_categories(estimator, X, reset=False)
    found: Table = frame if frame is not None else validate_data(estimator, X, reset=False, **NAN)
    return found


def table_data(estimator: BaseEstimator, X: ArrayLike, y: ArrayLike) -> tuple[Table, Labels]:
    """Return the same of rows to fit, with their targets, (n,)."""
    frame = _with_categories(estimator, X, reset=True)
    if frame is None:
        rows, targets = validate_data(estimator, X, y, **NAN)
        return rows, targets
    targets = column_or_1d(y, warn=True)
    check_consistent_length(frame, targets)
    return frame, targets


def checked_data(X: ArrayLike, y: ArrayLike) -> tuple[Floats, Labels]:
    """Return rows and their targets as arrays, for an estimator that is not to change."""
    refuse_sparse(X)
    rows, targets = check_X_y(X, y, dtype=np.float64, order="C")
    return rows, targets


def _with_categories(estimator: BaseEstimator, X: ArrayLike, *, reset: bool) -> DataFrame | None:
    """Return X, checked, where it is a DataFrame with categories; None where it is not."""
    refuse_sparse(X)
    if not (hasattr(X, "iloc") and hasattr(X, "columns")):
        return None
    frame = cast("DataFrame", X)
    _refuse_texts(frame)
    if not any(str(kind) == "category" for kind in frame.dtypes):
        return None
    validate_data(estimator, frame, reset=reset, skip_check_array=True)
    _refuse_infinite(frame)
    return frame


def _refuse_texts(X: DataFrame) -> None:
    """Raise ValueError for a DataFrame's column that is neither numbers nor categories."""
    for name, column in X.items():
        if str(column.dtype) == "category" or column.dtype.kind in "biuf":
            continue
        try:
            column.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"column {name!r} of X ({column.dtype}) holds no numbers ({error}): make it "
                f"categories by X[{name!r}].astype('category'), encode it, or leave it out"
            ) from error


def _refuse_infinite(X: DataFrame) -> None:
    """Raise ValueError for a DataFrame's column with an infinite number."""
    for name, column in X.select_dtypes("number").items():
        if np.isinf(column.to_numpy(np.float64, na_value=np.nan)).any():
            raise ValueError(
                f"column {name!r} of X holds infinity: cut it off, or make it missing"
            )


def taken(X: Table, rows: Rows) -> Table:
    """Return rows of an array or a DataFrame."""
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]


def weighed(X: Table, sample_weight: PerRow) -> tuple[slice | Bools, Floats | None]:
    """Return which rows count, and the weights of these, > 0; all rows and None for no weights.

    ValueError for weights that are negative, not finite, of another shape, or all 0.
    """
    if sample_weight is None:
        return slice(None), None
    weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    kept = weight > 0.0
    if not kept.any():
        raise ValueError("sample_weight must not all be 0: no example would count")
    return kept, np.asarray(weight[kept])


def copied(X: Floats, sample_weight: PerRow, what: str) -> Rows:
    """Return the rows of X as often as their weights, which must be whole numbers, say."""
    kept, weight = weighed(X, sample_weight)
    if weight is None:
        return kept
    if not (weight == np.rint(weight)).all():
        raise ValueError(
            f"{what} counts copies of rows, so that sample_weight must be whole numbers; "
            "multiply and round them"
        )
    return np.arange(len(X))[kept].repeat(weight.astype(np.int64))


def fitted_rows(estimator: BaseEstimator, X: ArrayLike) -> Floats:
    """Return rows to score as an array, (n, d), of the features that it was fitted to."""
    check_is_fitted(estimator)
    refuse_sparse(X)
    return np.asarray(validate_data(estimator, X, dtype=np.float64, order="C", reset=False))


def warn_unconverged(
    what: str,
    found: PathResult,
    lams: Floats,
    tol: float,
    advice: str = "raise max_iter, lam or tol, or scale the features",
    special: Callable[[int], str | None] = lambda i: None,
) -> None:
    """Warn of each penalty whose solution is not within the tolerance.

    `special`: the advice for one of them, or None for that for all.
    """
    for i in np.flatnonzero(~found.converged).tolist():
        warn_user(
            f"{what} did not converge at lam={lams[i]:g}: relative gap {found.gap[i]:.1e} > tol "
            f"{tol:g} after {found.n_iter[i]} iterations; {special(i) or advice}"
        )


def warn_user(text: str, category: type[Warning] = ConvergenceWarning) -> None:
    """Warn at the line outside the package that asked for what goes on."""
    frame, up = sys._getframe(), 1
    while frame.f_back and frame.f_globals.get("__name__", "").startswith("rankexp."):
        frame, up = frame.f_back, up + 1
    warn(text, category, stacklevel=up)


def one_of(what: str, value: str, known: Sequence[str]) -> None:
    """Raise ValueError where a parameter isn't one of some words."""
    if value not in known:
        hint = did_you_mean(str(value), known)
        raise ValueError(f"unknown {what} {value!r}{hint}; known: {', '.join(known)}")


def at_least_one(name: str, value: int) -> None:
    """Raise ValueError unless a parameter is an integer >= 1."""
    if not (isinstance(value, Integral) and int(value) >= 1):
        raise ValueError(f"{name} must be an integer >= 1, got {value!r}")


def check_solver(lam: float, tol: float, max_iter: int, needs_penalty: str = "") -> None:
    """Raise ValueError where one is impossible; `needs_penalty` is what allows no penalty of 0."""
    if not (isinstance(lam, Real) and 0.0 <= float(lam) < np.inf):
        raise ValueError(f"lam must be a finite number >= 0, got {lam!r}")
    if lam == 0 and needs_penalty:
        raise ValueError(f"{needs_penalty} needs lam > 0 (0 is for smooth losses)")
    if not (isinstance(tol, Real) and float(tol) > 0):
        raise ValueError(f"tol must be a number > 0, got {tol!r}")
    at_least_one("max_iter", max_iter)
