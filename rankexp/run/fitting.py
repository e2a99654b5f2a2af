"""One method on one fold: fit its whole grid, score the test part."""

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankexp.config.estimators import resolve_estimator
from rankexp.plan import digest, points
from rankexp.run.material import Fold
from rankexp.seeds import stream
from rankexp.solvers.scores import scores

Floats = NDArray[np.float64]


@dataclass
class Fitted:
    """What came of a grid on a fold.

    Attributes
    ----------
    scores : ndarray of shape (n_test, G)
        One column a grid point.
    quantities : dict of str to list of float
        Fitted quantities, one value a grid point.
    seconds : float
        Spent on fitting.
    """

    scores: Floats
    quantities: dict[str, list[float]] = field(default_factory=dict)
    seconds: float = 0.0


def fit(method: Mapping[str, Any], fold: Fold, seed: int) -> Fitted:
    """Fit a method's grid to the training part and score the test part.

    Parameters
    ----------
    method : mapping
        ``estimator``, ``params``, and ``grid`` or ``lambdas`` with ``scaling``.
    fold : Fold
    seed : int
        The study's; a method's own randomness has the fold's path and the method's hash.
    """
    estimator = _class(method["estimator"])
    params = dict(method["params"])
    if _takes_random_state(estimator) and params.get("random_state") is None:
        rng = stream(seed, f"{fold.path}/method/{digest(method)}")
        params["random_state"] = int(rng.integers(2**31 - 1))
    if "lambdas" in method:
        return _fit_paths(estimator, params, method, fold)
    return _fit_each(estimator, params, method, fold)


@lru_cache(maxsize=64)
def _class(name: str) -> Any:
    return resolve_estimator(name)


@lru_cache(maxsize=64)
def _takes_random_state(estimator: Any) -> bool:
    return "random_state" in inspect.signature(estimator).parameters


def _fit_paths(
    estimator: Any, params: Mapping[str, Any], method: Mapping[str, Any], fold: Fold
) -> Fitted:
    """Fit along lambda, warm, for each point of the rest of the grid.

    The whole grid is scored as one block, which never holds columns of another method: bits of
    a product depend on what else is in it.
    """
    lams = np.array(method["lambdas"], dtype=np.float64)
    if method["scaling"] == "sum":
        lams = lams / len(fold.y_train)
    start = perf_counter()
    paths = [
        estimator(**params, **point).path(fold.X_train, fold.y_train, lams)
        for point in points(method.get("grid", {}))
    ]
    seconds = perf_counter() - start
    coef = np.hstack([path.coef for path in paths])
    intercept = np.concatenate([path.intercept for path in paths])
    quantities = {
        name: [float(value) for path in paths for value in getattr(path, name)]
        for name in ("objective", "gap", "n_iter")
    }
    quantities["lam_effective"] = lams.tolist() * len(paths)
    return Fitted(scores(fold.X_test, coef, intercept), quantities, seconds)


def _fit_each(
    estimator: Any, params: Mapping[str, Any], method: Mapping[str, Any], fold: Fold
) -> Fitted:
    """Fit each grid point by itself, as any scikit-learn estimator can be."""
    seconds, columns = 0.0, []
    distinct, place = fold.distinct
    for point in points(method.get("grid", {})):
        model = estimator(**params)
        if point:
            model.set_params(**point)
        start = perf_counter()
        model.fit(fold.X_train, fold.y_train)
        seconds += perf_counter() - start
        column = _scores_of(model, distinct)
        columns.append(column if place is None else column[place])
    return Fitted(np.column_stack(columns), {}, seconds)


def _scores_of(model: Any, X: Floats) -> Floats:
    """Return one score a row: decision function, else expected level, else prediction."""
    if hasattr(model, "decision_function"):
        column = np.asarray(model.decision_function(X), dtype=np.float64)
    elif hasattr(model, "predict_proba"):
        chances = np.asarray(model.predict_proba(X), dtype=np.float64)
        levels = np.arange(chances.shape[1])
        column = chances[:, 1] if chances.shape[1] == 2 else chances @ levels
    else:
        column = np.asarray(model.predict(X), dtype=np.float64)
    if column.shape != (len(X),):
        raise ValueError(
            f"{type(model).__name__} gives scores of shape {column.shape}, not one a row; "
            "with more than two levels use an estimator that ranks"
        )
    return column
