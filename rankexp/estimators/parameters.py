"""Checks that estimators share; each error names the parameter and its value."""

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any
from warnings import warn

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted, validate_data

from rankexp.arrays import Floats
from rankexp.registry import did_you_mean
from rankexp.solvers.result import PathResult


def fitted_rows(estimator: Any, X: Any) -> Floats:
    """Return rows to score as an array, (n, d), of the features that it was fitted to."""
    check_is_fitted(estimator)
    return np.asarray(validate_data(estimator, X, dtype=np.float64, order="C", reset=False))


def warn_unconverged(
    what: str,
    found: PathResult,
    lams: Floats,
    tol: float,
    advice: str = "raise max_iter, lam or tol, or scale the features",
) -> None:
    """Warn of each penalty whose solution is not within the tolerance, three calls up."""
    for i in np.flatnonzero(~found.converged):
        warn(
            f"{what} did not converge at lam={lams[i]:g}: relative gap {found.gap[i]:.1e} > tol "
            f"{tol:g} after {found.n_iter[i]} iterations; {advice}",
            ConvergenceWarning,
            stacklevel=4,
        )


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
