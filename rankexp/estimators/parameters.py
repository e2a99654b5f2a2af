"""Checks that estimators share. Each error names the parameter and its value."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from numbers import Integral, Real
from typing import TYPE_CHECKING, TypeAlias, cast

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_matrix, issparse
from sklearn import utils
from sklearn.base import BaseEstimator
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from rankexp.arrays import Bools, Floats, Ints, Labels, PerRow
from rankexp.registry import did_you_mean
from rankexp.solvers.result import PathResult
from rankexp.solvers.rows import as_rows, entries, norms_of
from rankexp.warn import warn_user

if TYPE_CHECKING:
    from pandas import DataFrame

Table: TypeAlias = "Floats | DataFrame"
Normed = tuple[Floats, Labels, Floats | None]
Rows = slice | Bools | Ints
"""Which rows: all, a mask, or their numbers."""
CENTRE = (
    "the features are so far from 0 that no 64-bit number is near enough to the best intercept or "
    "threshold: take the mean off each column, as sklearn.preprocessing.StandardScaler does"
)
NAN = {"dtype": np.float64, "order": "C", "ensure_all_finite": "allow-nan", "accept_sparse": "csr"}
FEW_CELLS = 2**16  # of sparse rows to fit: they are written out, in half a megabyte


def refuse_sparse(X: ArrayLike, what: str = "this ranker needs") -> None:
    """Raise TypeError for a sparse matrix, and say what to do."""
    if issparse(X):
        how = "Use X.toarray(), or sparse_output=False in an encoder; if that is too large, put"
        how += " sklearn.decomposition.TruncatedSVD before the ranker in a pipeline"
        raise TypeError(f"X is a sparse matrix, but {what} a dense array. {how}")


def _summed(given: ArrayLike, rows: Floats, fits: bool = True) -> Floats:
    """Return checked rows; of sparse ones by row, each entry once, and also finite once summed.

    Few cells to fit are written out: the solvers of dense rows are the quicker ones there.
    """
    if not issparse(given):
        return rows
    rows = as_rows(rows)
    utils.assert_all_finite(rows, input_name="X")
    if fits and rows.shape[0] * rows.shape[1] <= FEW_CELLS:
        return np.asarray(csr_matrix(rows).toarray())
    return rows


def training_rows(
    estimator: BaseEstimator, X: ArrayLike, *, reset: bool = True, sparse: bool = False
) -> Floats:
    """Return rows to fit as an array, (n, d); the estimator keeps the names of features.

    If `sparse`, sparse rows stay sparse; else they are refused.
    """
    if not sparse:
        refuse_sparse(X)
    more = {"dtype": np.float64, "order": "C", "accept_sparse": sparse and "csr"}
    return _summed(X, validate_data(estimator, X, reset=reset, **more), fits=reset)


def _plain_data(X: ArrayLike, y: ArrayLike, sparse: bool) -> Normed | None:
    """Return X and y as they are if solvers take them so: for arrays, other checks take 1 ms.

    What shows that all is finite are the norms of the rows, (n,), the third; None if sparse.
    """
    rows = cast("Floats", X)
    csr = sparse and issparse(X) and getattr(X, "format", "") == "csr"
    if not (csr or type(X) is np.ndarray) or type(y) is not np.ndarray:
        return None
    fits = rows.ndim == 2 and rows.dtype == np.float64 and rows.shape[1] > 0
    if not (fits and y.ndim == 1 and 0 < y.size == rows.shape[0] and y.dtype.kind in "biu"):
        return None
    with np.errstate(over="ignore", invalid="ignore"):
        if csr:
            rows = as_rows(X)
            finite = bool(np.isfinite(np.add.reduce(entries(rows), axis=None)))
            return (rows, y, None) if finite and y.size * rows.shape[1] > FEW_CELLS else None
        norms = norms_of(rows) if rows.flags.carray else np.full(1, np.inf)
    return (rows, y, norms) if np.isfinite(norms.max()) else None


def training_data(
    estimator: BaseEstimator | None, X: ArrayLike, y: ArrayLike, real: bool = False, **how: bool
) -> tuple[Floats, Labels]:
    """Return `training_rows` and their targets, (n,), as numbers if `real`; None: no estimator."""
    return normed_data(estimator, X, y, real, **how)[:2]


def normed_data(
    estimator: BaseEstimator | None,
    X: ArrayLike,
    y: ArrayLike,
    real: bool = False,
    *,
    sparse: bool = False,
    **how: bool,
) -> Normed:
    """Return what `training_data` does, and the norms of the rows, (n,), if they are known."""
    if not sparse:
        refuse_sparse(X)
    if not how and (plain := _plain_data(X, y, sparse)) is not None:
        if estimator is not None:
            vars(estimator).pop("feature_names_in_", None)
            estimator.n_features_in_ = plain[0].shape[1]
        return plain
    more = {"dtype": np.float64, "order": "C", "y_numeric": real}
    check = utils.check_X_y if estimator is None else partial(validate_data, estimator)
    rows, targets = check(X, y, accept_sparse=sparse and "csr", **more, **how)
    return _summed(X, rows), targets, None


def table_rows(estimator: BaseEstimator, X: ArrayLike) -> Table:
    """Return checked rows to score, with missing values; categories stay a DataFrame."""
    # Sparse rows stay sparse.
    frame = _with_categories(estimator, X, reset=False)
    return frame if frame is not None else _plain(validate_data(estimator, X, reset=False, **NAN))


def table_data(estimator: BaseEstimator, X: ArrayLike, y: ArrayLike) -> tuple[Table, Labels]:
    """Return the same of rows to fit, with their targets, (n,)."""
    if (frame := _with_categories(estimator, X, reset=True)) is None:
        rows, targets = validate_data(estimator, X, y, **NAN)
        return _plain(rows), targets
    targets = utils.column_or_1d(y, warn=True)
    utils.check_consistent_length(frame, targets)
    return frame, targets


def _plain(rows: Floats) -> Floats:
    """Return sparse rows as the kind of matrix that every engine knows."""
    return cast("Floats", csr_matrix(rows)) if issparse(rows) else rows


def _with_categories(estimator: BaseEstimator, X: ArrayLike, *, reset: bool) -> DataFrame | None:
    if not (hasattr(X, "iloc") and hasattr(X, "columns")):
        return None
    frame = cast("DataFrame", X)
    for name, column in frame.items():
        if str(column.dtype) == "category" or column.dtype.kind in "biuf":
            continue
        try:
            column.astype(np.float64)
        except (TypeError, ValueError) as error:
            text = f"column {name!r} of X ({column.dtype}) does not hold numbers ({error})"
            how = f"Make it categorical with X[{name!r}].astype('category'), encode it, or drop it"
            raise ValueError(f"{text}. {how}") from error
    if not any(str(kind) == "category" for kind in frame.dtypes):
        return None
    validate_data(estimator, frame, reset=reset, skip_check_array=True)
    for name, column in frame.select_dtypes("number").items():
        if np.isinf(column.to_numpy(np.float64, na_value=np.nan)).any():
            raise ValueError(f"column {name!r} of X holds infinity: clip it, or set it to missing")
    return frame


def taken(X: Table, rows: Rows) -> Table:
    """Return rows of an array or a DataFrame."""
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]


def weighed(X: Table, sample_weight: PerRow) -> tuple[slice | Bools, Floats | None]:
    """Return the rows with a positive weight, and these weights; all rows and None without any.

    ValueError if weights are negative, not finite, of another shape, or all 0.
    """
    if sample_weight is None:
        return slice(None), None
    weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    if not (kept := weight > 0.0).any():
        raise ValueError("all sample weights are 0, so there is nothing to train on")
    return kept, np.asarray(weight[kept])


def copied(X: Floats, sample_weight: PerRow, what: str) -> Rows:
    """Return the rows of X, each as often as its weight says, which must be a whole number."""
    kept, weight = weighed(X, sample_weight)
    if weight is None:
        return kept
    if not (weight == np.rint(weight)).all():
        why = "sample_weight must be whole numbers; scale and round them"
        raise ValueError(f"{what} repeats rows, so {why}")
    return np.arange(X.shape[0])[kept].repeat(weight.astype(np.int64))


def fitted_rows(estimator: BaseEstimator, X: ArrayLike) -> Floats:
    """Return rows to score as an array, (n, d), with the features of the fit.

    Sparse rows stay sparse for an estimator with that tag, and are refused for others.
    """
    check_is_fitted(estimator)
    sparse = utils.get_tags(estimator).input_tags.sparse
    return training_rows(estimator, X, reset=False, sparse=sparse)


def warn_unconverged(
    what: str,
    found: PathResult,
    lams: Floats,
    tol: float,
    advice: str = "raise max_iter, lam or tol, or scale the features",
    special: Callable[[int], str | None] = lambda i: None,
) -> None:
    """Warn of each penalty whose solution is not within the tolerance.

    `special` may give other advice for a penalty; None stands for the usual one.
    """
    lost = np.zeros(found.gap.size) if found.lost is None else found.lost
    for i in np.flatnonzero(~found.converged).tolist():
        why = CENTRE if lost[i] > 0.5 * tol else special(i) or advice
        text = f"{what} did not converge at lam={lams[i]:g}: relative gap {found.gap[i]:.1e}"
        text += f" > tol {tol:g} after {found.n_iter[i]} iterations"
        if found.gap[i] <= tol:
            text = f"{what} at lam={lams[i]:g}: rounding leaves too few digits of the objective"
        warn_user(f"{text}; {why}")


def one_of(what: str, value: str, known: Sequence[str]) -> None:
    """Raise ValueError unless a parameter is one of the known words."""
    if value not in known:
        hint = did_you_mean(str(value), known)
        raise ValueError(f"unknown {what} {value!r}{hint}; known: {', '.join(known)}")


def check_count(name: str, value: int, least: int = 1, most: int | None = None) -> None:
    """Raise ValueError unless a parameter is an integer in a range."""
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not whole or value < least or (most is not None and value > most):
        span = f">= {least}" if most is None else f"from {least} to {most}"
        raise ValueError(f"{name} must be an integer {span}, got {value!r}")


def check_number(name: str, value: float, *, zero: bool = False) -> None:
    """Raise ValueError unless a parameter is a finite number above 0, or 0 if that is allowed."""
    fine = isinstance(value, Real) and 0.0 <= float(value) < np.inf
    if not fine or (value == 0 and not zero):
        least = ">= 0" if zero else "> 0"
        raise ValueError(f"{name} must be a finite number {least}, got {value!r}")


def check_solver(lam: float, tol: float, max_iter: int, needs_penalty: str = "") -> None:
    """Raise ValueError for an impossible value; `needs_penalty` names what rules out lam=0."""
    check_number("lam", lam, zero=True)
    if lam == 0 and needs_penalty:
        raise ValueError(f"{needs_penalty} needs lam > 0 (only smooth losses allow 0)")
    check_number("tol", tol)
    check_count("max_iter", max_iter)
