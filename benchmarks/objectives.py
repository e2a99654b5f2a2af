"""PairObjective in sorts of the scores, and its share of a boosting round."""

from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from benchmarks._timing import best_times
from rankexp.objectives import PairObjective

Row = tuple[str, float, float | None]

SORTS = {"logistic": 1.0, "exponential": 1.0, "squared_hinge": 3.0}
"""Most argsorts of a million scores."""


def _scores(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return labels as LightGBM gives them, and scores."""
    rng = np.random.default_rng(0)
    return (rng.random(n) < 0.3).astype(np.float32), 2.0 * rng.standard_normal(n)


def _gradients() -> Iterator[Row]:
    y, s = _scores(1_000_000)
    few = _scores(2000)
    for loss, target in SORTS.items():
        objective = PairObjective(loss)
        objective(*few), objective(y, s)  # compiled, and tabulated
        ours, sort = best_times(5, lambda o=objective: o(y, s), lambda: np.argsort(s))
        yield f"{loss}, gradient + curvature at n = 1e6 / argsort", ours / sort, target
        (each,) = best_times(500, lambda o=objective: o(*few))
        yield f"milliseconds of {loss}, n = 2,000", 1e3 * each, 0.2


def _updates(engine: str, X: np.ndarray, y: np.ndarray) -> Iterator[Callable[[], object]]:
    """Yield what grows a tree of 31 leaves: binary logistic, then pairs."""
    package: Any = import_module(engine)
    for objective in (None, PairObjective()):
        if engine == "lightgbm":
            params = {"verbosity": -1, "num_threads": 1, "force_row_wise": True}
            params["objective"] = "binary" if objective is None else "none"
            booster = package.Booster(params, package.Dataset(X, y, free_raw_data=False))
            yield lambda b=booster, o=objective: b.update(fobj=o)
        else:
            params = {"nthread": 1, "max_leaves": 31, "max_depth": 0, "grow_policy": "lossguide"}
            params |= {"objective": "binary:logistic"} if objective is None else {"base_score": 0}
            data = package.DMatrix(X, y)
            booster = package.Booster({**params, "tree_method": "hist"}, [data])
            yield lambda b=booster, d=data, o=objective: b.update(d, 1, fobj=o)


def rows() -> Iterator[Row]:
    """Yield (name, measured ratio or milliseconds, target); lower is better."""
    yield from _gradients()
    rng = np.random.default_rng(0)
    X = rng.standard_normal((1_000_000, 20))
    f = X.sum(axis=1) + 4.0 * rng.standard_normal(len(X))  # enough to learn for every round
    y = (f > np.quantile(f, 0.7)).astype(np.float32)
    for engine in ("lightgbm", "xgboost"):
        if find_spec(engine) is None:
            yield f"{engine} is not installed: a round of pairs / of binary logistic", np.nan, None
            continue
        points, pairs = _updates(engine, X, y)
        points(), pairs()  # bins
        binary, ours = best_times(6, points, pairs)
        yield f"{engine}, round of pairs / of binary logistic, 1e6 x 20", ours / binary, 1.25
