"""Checks that estimators share; each error names the parameter and its value."""

import sys
from collections.abc import Callable, Sequence
from numbers import Integral, Real
from typing import Any
from warnings import warn

import numpy as np
from scipy.sparse import issparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_consistent_length, column_or_1d
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from rankexp.arrays import Floats
from rankexp.registry import did_you_mean
from rankexp.solvers.result import PathResult


def refuse_sparse(X: Any) -> None:
    """Raise TypeError for a sparse matrix, with what to do."""
    if issparse(X):
        raise TypeError(
            "X is a sparse matrix, and rankers need a dense array: "
            "use X.toarray(), sparse_output=False in an encoder, or where that is too large "
            "sklearn.decomposition.TruncatedSVD in a pipeline before the ranker"
        )


def training_rows(estimator: Any, X: Any, y: Any = "no_validation", **more: Any) -> Any:
    """Return rows to fit as an array, (n, d), with the targets if any; keep features' names."""
    refuse_sparse(X)
    return validate_data(estimator, X, y, dtype=np.float64, order="C", **more)


def table_rows(estimator: Any, X: Any, **y: Any) -> Any:
    """Return checked rows, with `y` where it is given; categories stay a DataFrame."""
    refuse_sparse(X)
    _refuse_texts(X)
    dtypes = getattr(X, "dtypes", None)
    if dtypes is None or not any(str(kind) == "category" for kind in np.atleast_1d(dtypes)):
        more = {"dtype": np.float64, "order": "C", "ensure_all_finite": "allow-nan"}
        return validate_data(estimator, X, reset=bool(y), **y, **more)
    validate_data(estimator, X, reset=bool(y), skip_check_array=True)
    _refuse_infinite(X)
    if not y:
        return X
    target = column_or_1d(y["y"], warn=True)
    check_consistent_length(X, target)
    return X, target


def _refuse_texts(X: Any) -> None:
    """Raise ValueError for a DataFrame's column that is neither numbers nor categories."""
    for name, column in X.items() if hasattr(X, "iloc") and hasattr(X, "columns") else ():
        if str(column.dtype) == "category" or column.dtype.kind in "biuf":
            continue
        try:
            column.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"column {name!r} of X ({column.dtype}) holds no numbers ({error}): make it "
                f"categories by X[{name!r}].astype('category'), encode it, or leave it out"
            ) from error


def _refuse_infinite(X: Any) -> None:
    """Raise ValueError for a DataFrame's column with an infinite number."""
    for name, column in X.select_dtypes("number").items():
        if np.isinf(column.to_numpy(np.float64, na_value=np.nan)).any():
            raise ValueError(
                f"column {name!r} of X holds infinity: cut it off, or make it missing"
            )


def taken(X: Any, rows: Any) -> Any:
    """Return rows of an array or a DataFrame."""
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]


def weighed(X: Floats, sample_weight: Any) -> tuple[Any, Floats | None]:
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


def copied(X: Floats, sample_weight: Any, what: str) -> Any:
    """Return the rows of X as often as their weights, which must be whole numbers, say."""
    kept, weight = weighed(X, sample_weight)
    if weight is None:
        return kept
    if not (weight == np.rint(weight)).all():
        raise ValueError(
            f"{what} counts copies of rows, so that sample_weight must be whole numbers; "
            "multiply and round them"
        )
    return np.flatnonzero(kept).repeat(weight.astype(np.int64))


def fitted_rows(estimator: Any, X: Any) -> Floats:
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


def one_of(what: str, value: Any, known: Sequence[str]) -> None:
    """Raise ValueError where a parameter isn't one of some words."""
    if value not in known:
        hint = did_you_mean(str(value), known)
        raise ValueError(f"unknown {what} {value!r}{hint}; known: {', '.join(known)}")


def at_least_one(name: str, value: Any) -> None:
    """Raise ValueError unless a parameter is an integer >= 1."""
    if not (isinstance(value, Integral) and int(value) >= 1):
        raise ValueError(f"{name} must be an integer >= 1, got {value!r}")


def check_solver(lam: Any, tol: Any, max_iter: Any, needs_penalty: str = "") -> None:
    """Raise ValueError where one is impossible; `needs_penalty` is what allows no penalty of 0."""
    if not (isinstance(lam, Real) and 0.0 <= float(lam) < np.inf):
        raise ValueError(f"lam must be a finite number >= 0, got {lam!r}")
    if lam == 0 and needs_penalty:
        raise ValueError(f"{needs_penalty} needs lam > 0 (0 is for smooth losses)")
    if not (isinstance(tol, Real) and float(tol) > 0):
        raise ValueError(f"tol must be a number > 0, got {tol!r}")
    at_least_one("max_iter", max_iter)
