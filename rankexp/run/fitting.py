"""One method on one fold: fit its whole grid, score the test part."""

import inspect
from collections.abc import Mapping, Sequence
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

SAID = {"score_scale": 1.0}
"""Attributes of fitted estimators (with an underscore behind) that metrics may ask for, and what
they are where an estimator has none."""


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
    said : dict of str to ndarray of shape (G,)
        What metrics may ask of the fitted estimators, see `SAID`.
    texts : dict of str to str
        What was asked for, ``tree:0`` of the first grid point; without what an estimator has not.
    """

    scores: Floats
    quantities: dict[str, list[float]] = field(default_factory=dict)
    seconds: float = 0.0
    said: dict[str, Floats] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)


def fit(method: Mapping[str, Any], fold: Fold, seed: int, texts: Sequence[str] = ()) -> Fitted:
    """Fit a method's grid to the training part and score the test part.

    Parameters
    ----------
    method : mapping
        ``estimator``, ``params``, and ``grid`` or ``lambdas`` with ``scaling``.
    fold : Fold
    seed : int
        The study's; a method's own randomness has the fold's path and the method's hash.
    texts : sequence of str
        Which texts to keep, of `TEXTS`.
    """
    estimator = _class(method["estimator"])
    params = dict(method["params"])
    if _takes_random_state(estimator) and params.get("random_state") is None:
        rng = stream(seed, f"{fold.path}/method/{digest(method)}")
        params["random_state"] = int(rng.integers(2**31 - 1))
    if "lambdas" in method:
        return _fit_paths(estimator, params, method, fold)
    return _fit_each(estimator, params, method, fold, texts)


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
    estimator: Any,
    params: Mapping[str, Any],
    method: Mapping[str, Any],
    fold: Fold,
    texts: Sequence[str],
) -> Fitted:
    """Fit each grid point by itself, as any scikit-learn estimator can be."""
    seconds, columns = 0.0, []
    kept: dict[str, str] = {}
    said: dict[str, list[float]] = {name: [] for name in SAID}
    distinct, place = fold.distinct
    for g, point in enumerate(points(method.get("grid", {}))):
        model = estimator(**params)
        if point:
            model.set_params(**point)
        start = perf_counter()
        model.fit(fold.X_train, fold.y_train)
        seconds += perf_counter() - start
        column = _scores_of(model, distinct)
        columns.append(column if place is None else column[place])
        for name, default in SAID.items():
            said[name].append(float(getattr(model, f"{name}_", default)))
        found = {f"{name}:{g}": TEXTS[name](model, fold.names) for name in texts}
        kept |= {name: text for name, text in found.items() if text is not None}
    values = {name: np.array(numbers) for name, numbers in said.items()}
    return Fitted(np.column_stack(columns), {}, seconds, values, kept)


def _tree_text(model: Any, names: Sequence[str]) -> str | None:
    """Return a fitted tree as text: our own say it themselves, scikit-learn's are asked."""
    if hasattr(model, "export_text"):
        model.feature_names_in_ = np.array(names, dtype=object)  # as if fitted to a data frame
        return str(model.export_text())
    if hasattr(model, "tree_"):
        from sklearn.tree import export_text

        return str(export_text(model, feature_names=list(names), decimals=6))
    return None


TEXTS = {"tree": _tree_text}
"""What a fitted estimator can be asked to be kept as."""


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
