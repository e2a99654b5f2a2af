"""One method on one fold: fit its whole grid, score what is to be scored."""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, Context
from functools import lru_cache
from pathlib import Path
from pickle import UnpicklingError
from time import perf_counter
from traceback import walk_tb
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from rankexp.arrays import Floats, Ints
from rankexp.categories import without_imaginary
from rankexp.errors import EnvironmentProblemError
from rankexp.runner.config import estimators
from rankexp.runner.config.asking import message
from rankexp.runner.files import EXHAUSTED
from rankexp.runner.keep import texts
from rankexp.runner.run.material import Fold, FoldRows
from rankexp.runner.run.measured import NO_THRESHOLD, separates, threshold_of, thresholds
from rankexp.runner.spec import MethodSpec
from rankexp.seeds import stream
from rankexp.solvers.result import scores

MOST_NUMBERS = 100  # in an attribute that a record keeps
ROUNDS = {"n_rounds"}  # the grid of `fit_rounds`, which some estimators have
SCALE = "score_scale"
"""What metrics may ask of a fitted estimator beside thresholds; 1 where it has none."""
AT, TRAINED = "at", "trained"  # rows that are scored although they are in no part that is tested
A = TypeVar("A", Floats, Ints, Floats | Ints)


@dataclass
class Fitted:
    """What came of a grid of G points on a fold."""

    scores: dict[str, Floats]  # of each part that is scored, (n, G)
    numbers: dict[str, list[tuple[int, float]]] = field(default_factory=dict)
    """Fitted quantities, and the attributes asked for, ``thresholds_[0]``: grid points, values."""
    seconds: float = 0.0  # spent on fitting
    known: dict[str, Floats] = field(default_factory=dict)  # what metrics may ask of it, (G,)
    texts: dict[str, str] = field(default_factory=dict)
    """What was asked for and an estimator has, ``tree:0`` of the first grid point."""
    at: Floats | None = None  # scores of the further rows asked for, (m, G)


class FittedModel(Protocol):
    """What a method's estimator may have: `fit` and one kind of scores, the others if at all."""

    fit: Callable[..., Any]
    set_params: Callable[..., "FittedModel"]
    predict: Callable[[Floats], Floats]
    decision_function: Callable[[Floats], Floats]
    predict_proba: Callable[[Floats], Floats]
    path: Callable[..., Any]
    fit_rounds: Callable[..., Sequence["FittedModel"]]


Factory = Callable[..., FittedModel]


class Extras(NamedTuple):
    """What is asked for beside the scores of the test part."""

    texts: Sequence[str] = ()  # registered ones, see `rankexp.runner.keep.texts`
    attributes: Sequence[str] = ()
    """Of estimators fitted one by one: along a path of lambdas there are none."""
    at: Floats | None = None  # further rows to score, (m, p), as numbers for an estimator
    thresholds: bool = False  # between two classes, which metrics ask for


NOTHING_MORE = Extras()


def fit(method: MethodSpec, fold: Fold, seed: int, extras: Extras = NOTHING_MORE) -> Fitted:
    """Fit a method's grid to the training part and score the other parts.

    The seed is the study's; a method's own randomness has the fold's path and the method's hash.
    """
    estimator: Any = estimators.resolve_estimator(method.estimator, method.folder, method.sha256)
    params = dict(method.params)
    levels = fold.train.part.levels
    if isinstance(estimator, estimators.EstimatorMaker):
        found = estimator.values(params) | params
        known = frozenset(name for name, value in found.items() if value is None)
    else:
        known = _parameters(estimator)
    random = sorted(name for name in known if name.split("__")[-1] == "random_state")
    if unset := [name for name in random if params.get(name) is None]:
        rng = stream(seed, f"{fold.path}/method/{method.digest}")
        params |= {name: int(rng.integers(2**31 - 1)) for name in unset}
    if levels and "levels" in known and params.get("levels") is None:
        params |= {"levels": list(range(levels))}  # of which the training part may lack some
    way = _fit_each if method.lambdas is None else _fit_paths
    return way(estimator, params, method, fold, extras)


@lru_cache(maxsize=64)
def _parameters(estimator: Factory) -> frozenset[str]:
    return frozenset(inspect.signature(estimator).parameters)


def _beside(model: FittedModel, rows: FoldRows) -> tuple[Ints | None, dict[str, Any]]:
    """Return the order of training rows that a model's fit asks for, and what it takes with them.

    Those are groups and weights. ValueError for weights that it does not take, as what it would
    learn is not what was asked, and for groups that it needs.
    """
    part = rows.part
    order, named = estimators.ordered(model, part.groups)
    weights = part.weights if part.weights is None or order is None else part.weights[order]
    given = {"groups": None if named else part.groups, "sample_weight": weights}
    asked = any(value is not None for value in given.values())
    takes = estimators.fit_takes(model) if asked else frozenset()
    if part.weights is not None and "sample_weight" not in takes:
        raise ValueError(f"{type(model).__name__} takes no row weights with these parameters")
    found = {name: _own(model, v) for name, v in given.items() if v is not None and name in takes}
    return order, named | found


def _own(model: FittedModel, X: A) -> A:
    """Return rows that a model may write into: a copy, unless it is one of ours."""
    return X if type(model).__module__.startswith("rankexp.") else X.copy()


def _fit_paths(
    estimator: Factory, params: Mapping[str, Any], method: MethodSpec, fold: Fold, extras: Extras
) -> Fitted:
    """Fit along lambda, warm, for each setting of the rest of the grid.

    The whole grid is scored as one block, which never holds columns of another method: bits of
    a product depend on what else is in it.
    """
    train = fold.train
    lams = np.array(method.lambdas, dtype=np.float64)
    if method.per_row:
        lams = lams / len(train.X)
    start = perf_counter()
    paths = []
    for setting in method.settings:
        model = estimator(**params, **dict(setting.values))
        paths.append(model.path(train.X, train.part.y, lams, **_beside(model, train)[1]))
    seconds = perf_counter() - start
    coef = np.hstack([path.coef for path in paths])
    offset = np.concatenate([getattr(path, "offset", path.intercept) for path in paths])
    quantities = {
        name: [kept(value) for path in paths for value in getattr(path, name)]
        for name, kept in (("objective", float), ("gap", _upwards), ("n_iter", float))
    }
    quantities |= {"lam_effective": lams.tolist() * len(paths)}
    numbers = {name: list(enumerate(values)) for name, values in quantities.items()}
    at = None if extras.at is None else scores(extras.at, coef, offset)
    found = {name: scores(rows.X, coef, offset) for name, rows in fold.tests.items()}
    known = {}
    if extras.thresholds:
        own = np.full(len(offset), 0.0 if separates(model) else NO_THRESHOLD)
        known = thresholds(scores(train.X, coef, offset), train.part, own)
    return Fitted(found, numbers, seconds, known, at=at)


def _upwards(gap: float) -> float:
    """Return a certificate rounded up to three digits: it stays one, and takes half the room."""
    return float(Context(prec=3, rounding=ROUND_CEILING).create_decimal(float(gap)))


def _fit_each(
    estimator: Factory, params: Mapping[str, Any], method: MethodSpec, fold: Fold, extras: Extras
) -> Fitted:
    """Fit each grid point by itself, as any scikit-learn estimator can be."""
    asked: dict[str, tuple[Floats, Ints | None]] = {n: r.distinct for n, r in fold.tests.items()}
    if extras.at is not None:
        asked[AT] = extras.at, None
    if extras.thresholds:
        asked[TRAINED] = fold.train.X, None
    columns: dict[str, list[Floats]] = {name: [] for name in asked}
    scales, own, found = [], [], Fitted({})
    for g, (model, seconds) in enumerate(_models(estimator, params, method, fold.train)):
        found.seconds += seconds
        for name, (X, place) in asked.items():
            column = _scores_of(model, X)
            columns[name].append(column if place is None else column[place])
        if extras.thresholds:
            own.append(threshold_of(model))
        scales.append(float(getattr(model, f"{SCALE}_", 1.0)))
        found.texts |= texts.made(extras.texts, model, fold.names, g)
        for name, value in _numbers(model, extras.attributes):
            found.numbers.setdefault(name, []).append((g, value))
    found.scores = {name: np.column_stack(several) for name, several in columns.items()}
    found.at, trained = (found.scores.pop(name, None) for name in (AT, TRAINED))
    found.known = {SCALE: np.array(scales)}
    if trained is not None:
        found.known |= thresholds(trained, fold.train.part, np.array(own))
    return found


def _models(
    estimator: Factory, params: Mapping[str, Any], method: MethodSpec, train: FoldRows
) -> Iterator[tuple[FittedModel, float]]:
    """Yield the model of each grid point, fitted, and the seconds that took."""
    grid = [dict(setting.values) for setting in method.settings]
    several = len(grid) > 1 and all(point.keys() >= ROUNDS for point in grid)
    if several and hasattr(estimator, "fit_rounds"):
        yield from _by_rounds(estimator, params, grid, train)
        return
    for point in grid:
        if isinstance(estimator, estimators.EstimatorMaker):  # its arguments may be in the grid
            model = estimator(**{**params, **point})
        else:
            model = estimator(**params)
            if point:
                model.set_params(**point)
        rows, y = _own(model, train.X), _own(model, train.part.y)
        order, beside = _beside(model, train)
        if order is not None:
            rows, y = rows[order], y[order]
        start = perf_counter()
        model.fit(rows, y, **beside)
        yield model, perf_counter() - start


def _by_rounds(
    estimator: Factory, params: Mapping[str, Any], grid: Sequence[dict[str, Any]], train: FoldRows
) -> Iterator[tuple[FittedModel, float]]:
    """Yield the same of grid points with rounds: one fit for all that differ in these alone."""
    rest = [{key: v for key, v in point.items() if key not in ROUNDS} for point in grid]
    found: dict[int, tuple[FittedModel, float]] = {}
    for g, others in enumerate(rest):
        if g not in found:
            same = [i for i, known in enumerate(rest) if known == others]
            model, start = estimator(**params).set_params(**others), perf_counter()
            given = _beside(model, train)[1]
            rounds = [grid[i][name] for i in same for name in ROUNDS]
            rows, y = _own(model, train.X), _own(model, train.part.y)
            models = model.fit_rounds(rounds, rows, y, **given)
            each = (perf_counter() - start) / len(models)
            found |= {i: (one, each) for i, one in zip(same, models, strict=True)}
        yield found.pop(g)


def _numbers(model: FittedModel, names: Sequence[str]) -> Iterator[tuple[str, float]]:
    """Yield those of the attributes that a fitted estimator has, arrays number by number."""
    for name in names:
        if not hasattr(model, name):
            continue
        what = f"{type(model).__name__}.{name}"
        try:
            values = np.asarray(getattr(model, name), dtype=np.float64)
        except (TypeError, ValueError):
            raise ValueError(f"{what} is neither a number nor an array of numbers") from None
        if values.size > MOST_NUMBERS:
            advice = f"a record keeps at most {MOST_NUMBERS}: leave it out of 'fitted'"
            raise ValueError(f"{what} has {values.size} numbers; {advice}")
        for index, value in np.ndenumerate(values):
            place = ",".join(map(str, index))
            yield f"{name}[{place}]" if index else name, float(value)


def _scores_of(model: FittedModel, X: Floats) -> Floats:
    """Return one score a row: decision function, else expected level, else prediction."""
    X, column = _own(model, X), None
    if hasattr(model, "decision_function"):
        column = _real(model.decision_function(X))
    if (column is None or column.ndim > 1) and hasattr(model, "predict_proba"):
        column = _expected_level(model, X)
    elif column is None:
        column = _real(model.predict(X))
    if column.shape != (len(X),):
        given = f"{type(model).__name__} gives scores of shape {column.shape}, not one a row"
        raise ValueError(f"{given}; with more than two levels use an estimator that ranks")
    return column


def _real(scores: ArrayLike) -> Floats:
    return np.asarray(without_imaginary(scores), dtype=np.float64)


def _expected_level(model: FittedModel, X: Floats) -> Floats:
    """Return the mean of the levels' codes by their probabilities; of two, that of the better."""
    chances = _real(model.predict_proba(X))
    if chances.shape[1] == 2:
        return np.asarray(chances[:, 1])
    # The training part may lack a level, which then has no column.
    codes = np.asarray(getattr(model, "classes_", range(chances.shape[1])), dtype=np.float64)
    return np.asarray(chances @ codes)


def machine_problem(error: BaseException) -> EnvironmentProblemError | None:
    """Return what to tell the user of an error that is the machine's, such as numba's, or None."""
    if isinstance(error, EnvironmentProblemError):
        return error
    names = [frame.f_code.co_filename for frame, _ in walk_tb(error.__traceback__)]
    from_numba = any(Path(name).match("numba/core/caching.py") for name in names)
    if from_numba and isinstance(error, EOFError | UnpicklingError):
        return EnvironmentProblemError(message("run.compiled", error=error))
    if not isinstance(error, OSError):
        return None
    file = str(error.filename or "")
    if error.errno not in EXHAUSTED and not any(kept in file for kept in (".nbi", ".nbc")):
        return None
    return EnvironmentProblemError(message("run.unwritten", error=error.strerror, file=file))
