"""Losses × risks of menon2014 beside logistic regression."""

import tracemalloc
from collections.abc import Iterator

import numpy as np

from benchmarks._timing import best_times
from benchmarks.linear import LAMS
from rankexp.losses import Logistic
from rankexp.losses import parse as loss_of
from rankexp.risks import Task
from rankexp.risks import parse as risk_of
from rankexp.solvers.pairs.partial_order import PartialOrder
from rankexp.solvers.pairs.path import pair_risk
from rankexp.solvers.smooth.path import smooth_path

Row = tuple[str, float, float | None]
PAIRS = ("logistic", "asymmetric_a", "asymmetric_b", "exponential", "p_classification", "squared")
PUSHED = (
    *("exponential", "logistic", "asymmetric_a", "asymmetric_b"),
    *("scaled_logistic", "squared", "squared_hinge"),
)


def data(n: int = 100_000) -> tuple[np.ndarray, np.ndarray]:
    """Return n × 50 normal features and balanced labels with 15 % noise."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 50))
    f = X @ rng.normal(size=50)
    return X, (f > np.median(f)) ^ (rng.random(n) < 0.15)


def _solve(X: np.ndarray, y: np.ndarray, loss: str, risk: str) -> None:
    made = risk_of(risk)
    found = made.solve(Task(X, y.astype(np.int64), loss_of(loss), made, LAMS))
    if not found.converged.all():
        raise RuntimeError(f"{loss} × {risk} isn't certified: gaps {found.gap}")


def _bar(loss: str, risk: str) -> float | None:
    if risk == "push":
        return 10.0
    if loss in {"exponential", "logistic", "asymmetric_a", "asymmetric_b"}:
        return 1.5
    return None


def _paths(X: np.ndarray, y: np.ndarray) -> Iterator[Row]:
    cells = [(loss, "bipartite") for loss in PAIRS] + [(loss, "push(p=4)") for loss in PUSHED]
    calls = [lambda cell=cell: _solve(X, y, *cell) for cell in cells]
    logistic, *times = best_times(3, lambda: smooth_path(X, y, Logistic(), LAMS), *calls)
    for (loss, risk), seconds in zip(cells, times, strict=True):
        bar = _bar(loss, risk.partition("(")[0])
        yield f"{risk} × {loss} path / logistic path", seconds / logistic, bar


def _peak(X: np.ndarray, y: np.ndarray, loss: str, risk: str) -> float:
    """Return the peak of memory, the features included, over the features."""
    tracemalloc.start()
    _solve(X, y, loss, risk)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return 1.0 + peak / X.nbytes


def _sorts(y: np.ndarray) -> float:
    """Return how many sorts of the scores a gradient of the squared hinge of pairs takes."""
    risk = pair_risk(loss_of("squared_hinge"), PartialOrder.of_classes(y))
    rng = np.random.default_rng(1)
    several = iter([rng.standard_normal(y.size) + y for _ in range(20)])
    s = next(several)
    gradient, sort = best_times(19, lambda: risk.slope(next(several)), s.argsort)
    return gradient / sort


def rows() -> Iterator[Row]:
    """Yield (name, measured ratio, target); lower is better."""
    X, y = data()
    yield from _paths(X, y)
    yield "gradient of squared hinge of pairs / argsort, n = 1e5", _sorts(y), 3.0
    for loss, risk in (("logistic", "bipartite"), ("asymmetric_a", "bipartite")):
        yield f"{risk} × {loss}, peak memory / X", _peak(X, y, loss, risk), 3.0
    for loss in PUSHED:
        yield f"push × {loss}, peak memory / X", _peak(X, y, loss, "push"), 3.0
