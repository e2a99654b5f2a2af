"""One method on one fold: fit its whole grid, score the test part."""

import inspect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankexp.config.estimators import resolve_estimator
from rankexp.plan import digest, points
from rankexp.run.material import Fold
from rankexp.seeds import stream
from rankexp.solvers.scores import scores

Floats = NDArray[np.float64]

MOST_NUMBERS = 100
"""In an attribute that a record keeps."""

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
    attributes : dict of str to list of (int, float)
        Likewise, ``thresholds_[0]``: grid points with their values.
    at : ndarray of shape (m, G) or None
        Scores of the further rows asked for.
    """

    scores: Floats
    quantities: dict[str, list[float]] = field(default_factory=dict)
    seconds: float = 0.0
    said: dict[str, Floats] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    attributes: dict[str, list[tuple[int, float]]] = field(default_factory=dict)
    at: Floats | None = None


class Wanted(NamedTuple):
    """What is asked for beside the scores of the test part.

    Attributes
    ----------
    texts : sequence of str
        Of `TEXTS`.
    attributes : sequence of str
        Numbers, or arrays of at most `MOST_NUMBERS` of them, of estimators fitted one by one:
        along a path of lambdas there are none.
    at : ndarray of shape (m, p) or None
        Further rows to score, as numbers for an estimator.
    """

    texts: Sequence[str] = ()
    attributes: Sequence[str] = ()
    at: Floats | None = None


NOTHING = Wanted()


def fit(method: Mapping[str, Any], fold: Fold, seed: int, wanted: Wanted = NOTHING) -> Fitted:
    """Fit a method's grid to the training part and score the test part.

    Parameters
    ----------
    method : mapping
        ``estimator``, ``params``, and ``grid`` or ``lambdas`` with ``scaling``.
    fold : Fold
    seed : int
        The study's; a method's own randomness has the fold's path and the method's hash.
    wanted : Wanted
    """
    estimator = _class(method["estimator"])
    params = dict(method["params"])
    if "random_state" in _parameters(estimator) and params.get("random_state") is None:
        rng = stream(seed, f"{fold.path}/method/{digest(method)}")
        params["random_state"] = int(rng.integers(2**31 - 1))
    if fold.levels and "levels" in _parameters(estimator) and params.get("levels") is None:
        params["levels"] = list(range(fold.levels))  # of which the training part may lack some
    if "lambdas" in method:
        return _fit_paths(estimator, params, method, fold, wanted)
    return _fit_each(estimator, params, method, fold, wanted)


@lru_cache(maxsize=64)
def _class(name: str) -> Any:
    return resolve_estimator(name)


@lru_cache(maxsize=64)
def _parameters(estimator: Any) -> frozenset[str]:
    return frozenset(inspect.signature(estimator).parameters)


def _fit_paths(
    estimator: Any,
    params: Mapping[str, Any],
    method: Mapping[str, Any],
    fold: Fold,
    wanted: Wanted,
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
    offset = np.concatenate([getattr(path, "offset", path.intercept) for path in paths])
    quantities = {
        name: [float(value) for path in paths for value in getattr(path, name)]
        for name in ("objective", "gap", "n_iter")
    }
    quantities["lam_effective"] = lams.tolist() * len(paths)
    at = None if wanted.at is None else scores(wanted.at, coef, offset)
    return Fitted(scores(fold.X_test, coef, offset), quantities, seconds, at=at)


def _fit_each(
    estimator: Any,
    params: Mapping[str, Any],
    method: Mapping[str, Any],
    fold: Fold,
    wanted: Wanted,
) -> Fitted:
    """Fit each grid point by itself, as any scikit-learn estimator can be."""
    found = Fitted(np.empty((len(fold.X_test), 0)))
    columns, further = [], []
    said: dict[str, list[float]] = {name: [] for name in SAID}
    distinct, place = fold.distinct
    for g, point in enumerate(points(method.get("grid", {}))):
        model = estimator(**params)
        if point:
            model.set_params(**point)
        start = perf_counter()
        model.fit(fold.X_train, fold.y_train)
        found.seconds += perf_counter() - start
        column = _scores_of(model, distinct)
        columns.append(column if place is None else column[place])
        if wanted.at is not None:
            further.append(_scores_of(model, wanted.at))
        for name, default in SAID.items():
            said[name].append(float(getattr(model, f"{name}_", default)))
        texts = {f"{name}:{g}": TEXTS[name](model, fold.names) for name in wanted.texts}
        found.texts |= {name: text for name, text in texts.items() if text is not None}
        for name, value in _numbers(model, wanted.attributes):
            found.attributes.setdefault(name, []).append((g, value))
    found.said = {name: np.array(numbers) for name, numbers in said.items()}
    found.scores = np.column_stack(columns)
    found.at = np.column_stack(further) if further else None
    return found


def _numbers(model: Any, names: Sequence[str]) -> Iterator[tuple[str, float]]:
    """Yield those of the attributes that a fitted estimator has, arrays number by number."""
    for name in names:
        if not hasattr(model, name):
            continue
        try:
            values = np.asarray(getattr(model, name), dtype=np.float64)
        except (TypeError, ValueError):
            raise ValueError(f"{type(model).__name__}.{name} is no number, nor several") from None
        if values.size > MOST_NUMBERS:
            raise ValueError(
                f"{type(model).__name__}.{name} has {values.size} numbers; a record keeps at "
                f"most {MOST_NUMBERS}: leave it out of 'fitted'"
            )
        for index, value in np.ndenumerate(values):
            place = ",".join(map(str, index))
            yield f"{name}[{place}]" if index else name, float(value)


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
    column = None
    if hasattr(model, "decision_function"):
        column = np.asarray(model.decision_function(X), dtype=np.float64)
    if (column is None or column.ndim > 1) and hasattr(model, "predict_proba"):
        column = _expected_level(model, X)
    elif column is None:
        column = np.asarray(model.predict(X), dtype=np.float64)
    if column.shape != (len(X),):
        raise ValueError(
            f"{type(model).__name__} gives scores of shape {column.shape}, not one a row; "
            "with more than two levels use an estimator that ranks"
        )
    return column


def _expected_level(model: Any, X: Floats) -> Floats:
    """Return the mean of the levels' codes by their probabilities; of two, that of the better."""
    chances = np.asarray(model.predict_proba(X), dtype=np.float64)
    if chances.shape[1] == 2:
        return np.asarray(chances[:, 1])
    # The training part may lack a level, which then has no column.
    codes = np.asarray(getattr(model, "classes_", range(chances.shape[1])), dtype=np.float64)
    return np.asarray(chances @ codes)
