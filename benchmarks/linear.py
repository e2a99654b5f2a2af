"""The smooth paths beside scikit-learn's logistic regression: small, large, and in memory."""

import time
import tracemalloc
import warnings
from collections.abc import Callable, Iterator

import numpy as np
from scipy.sparse import csr_array
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import normalize

from benchmarks._timing import time_ratio
from rankexp.losses import Exponential, Logistic, SquaredHinge
from rankexp.solvers.pairs.partial_order import PartialOrder
from rankexp.solvers.pairs.path import pair_path
from rankexp.solvers.smooth.path import smooth_path

LAMS = 10.0 ** -np.arange(6)


def _labels(X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return balanced labels of a random linear function with 15 % noise."""
    f = X @ rng.normal(size=X.shape[1])
    return (f > np.median(f)) ^ (rng.random(X.shape[0]) < 0.15)


def small() -> tuple[np.ndarray, np.ndarray]:
    """Return 1000 × 50 uniform features and labels."""
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(1000, 50))
    return X, _labels(X, rng)


def large(n: int = 522_911) -> tuple[np.ndarray, np.ndarray]:
    """Return n × 54: 10 standard normal columns, 44 binary ones with means from .01 to .5."""
    rng = np.random.default_rng(0)
    X = np.empty((n, 54))
    X[:, :10] = rng.standard_normal((n, 10))
    X[:, 10:] = rng.random((n, 44)) < np.linspace(0.01, 0.5, 44)
    return X, _labels(X, rng)


def wide(n: int, d: int, kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Return n × d features and labels: normal, uniform, or uniform and standardised."""
    rng = np.random.default_rng(d)
    X = rng.standard_normal((n, d)) if kind == "normal" else rng.random((n, d))
    if kind == "standardised":
        X = (X - X.mean(axis=0)) / X.std(axis=0)
    return X, _labels(X, rng)


def _scikit_learn(X: np.ndarray, y: np.ndarray, lams: np.ndarray, tol: float = 1e-4) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for lam in lams:
            LogisticRegression(C=1.0 / (X.shape[0] * lam), tol=tol, max_iter=5000).fit(X, y)


def _widths() -> Iterator[tuple[str, float, float | None]]:
    """Yield the worst of three kinds of features and two penalties, by the number of columns."""
    for n, d in ((4000, 100), (4000, 400), (4000, 1000), (500, 2000)):
        ratios = {}
        for kind in ("normal", "uniform", "standardised"):
            X, y = wide(n, d, kind)
            for lam in (0.1, 1e-3):
                ratios[f"{kind}, {lam:g}"] = time_ratio(
                    lambda X=X, y=y, lam=lam: smooth_path(X, y, Logistic(), [lam]),
                    lambda X=X, y=y, lam=lam: _scikit_learn(X, y, [lam], tol=1e-6),
                    5,
                )
        worst = max(ratios, key=ratios.__getitem__)
        name = f"logistic / scikit-learn's lbfgs at 1e-6, {n} × {d}, worst of six: {worst}"
        yield name, ratios[worst], 1.0 if d < n else 3.0


def text(n: int, d: int) -> tuple[csr_array, np.ndarray]:
    """Return rows like those of texts, n × d, and labels: some 100 words each, by Zipf's law."""
    rng = np.random.default_rng(d)
    size = rng.poisson(100, n)
    chance = 1.0 / (np.arange(d) + 3.0)
    columns = (chance.cumsum() / chance.sum()).searchsorted(rng.random(size.sum()))
    ends = np.concatenate(([0], size.cumsum()))
    X = csr_array((np.ones(columns.size), columns.astype(np.int32), ends), shape=(n, d))
    X.sum_duplicates()
    rows = np.bincount(X.indices, minlength=d)
    X.data = (1.0 + np.log(X.data)) * np.log((1.0 + n) / (1.0 + rows))[X.indices]
    X = csr_array(normalize(X))
    s = X @ (rng.normal(size=d) * (rng.random(d) < 0.2))
    return X, s + s.std() * rng.normal(size=n) > 0.0


def _spent(call: Callable[[], object]) -> float:
    """Return the least CPU time of three calls, in seconds."""
    times = []
    for _ in range(3):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times)


def _loosest(X: csr_array, y: np.ndarray, lam: float, objective: float) -> float:
    """Return the loosest tolerance with which scikit-learn comes as near the minimum as 1e-6."""
    for tol in (1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7):
        found = LogisticRegression(C=1.0 / (X.shape[0] * lam), tol=tol, max_iter=5000).fit(X, y)
        w = found.coef_[0]
        losses = np.logaddexp(0.0, -np.where(y, 1.0, -1.0) * (X @ w + found.intercept_[0]))
        if 0.5 * lam * float(w @ w) + float(losses.mean()) <= objective * (1.0 + 1e-6):
            break
    return tol


def _sparse() -> Iterator[tuple[str, float, float | None]]:
    """Yield the worst of three penalties at equal objective, on sparse rows, and the memory."""
    for n, d in ((20_000, 10_000), (20_000, 100_000), (100_000, 100_000)):
        (X, y), ratios = text(n, d), {}
        for lam in (1e-3, 1e-4, 1e-5):
            best = float(smooth_path(X, y, Logistic(), [lam]).objective[0])
            tol = _loosest(X, y, lam, best)
            ours = _spent(lambda X=X, y=y, lam=lam: smooth_path(X, y, Logistic(), [lam]))
            theirs = _spent(lambda X=X, y=y, lam=lam, tol=tol: _scikit_learn(X, y, [lam], tol))
            ratios[lam] = ours / theirs
        worst = max(ratios, key=ratios.__getitem__)
        name = f"logistic / scikit-learn's lbfgs, sparse {n} × {d}, worst of three: lam {worst:g}"
        yield f"{name}, CPU time at equal objective", ratios[worst], 1.0
    X, y = text(20_000, 100_000)
    tracemalloc.start()
    smooth_path(X, y, Logistic(), [1e-5])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    size = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
    yield "logistic, peak memory / X, sparse 20,000 × 100,000", 1.0 + peak / size, 3.0


def _peak(X: np.ndarray, y: np.ndarray) -> float:
    """Return the peak of memory, the features included, over the features."""
    tracemalloc.start()
    smooth_path(X, y, Logistic(), [1e-5])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return 1.0 + peak / X.nbytes


def rows() -> Iterator[tuple[str, float, float | None]]:
    """Yield (name, measured ratio, target); lower is better."""
    X, y = small()
    for loss, target in ((Logistic(), 0.2), (Exponential(), 0.2), (SquaredHinge(), None)):
        ratio = time_ratio(
            lambda loss=loss: smooth_path(X, y, loss, LAMS), lambda: _scikit_learn(X, y, LAMS), 40
        )
        yield f"{loss!r} path / scikit-learn's lbfgs path, 1000 × 50", ratio, target
    ratio = time_ratio(
        lambda: pair_path(X, PartialOrder.of_classes(y), Exponential(), LAMS),
        lambda: smooth_path(X, y, Logistic(), LAMS),
        40,
    )
    yield "bipartite exponential path / logistic path, 1000 × 50", ratio, None

    many = large(100_000)
    ratio = time_ratio(
        lambda: pair_path(many[0], PartialOrder.of_classes(many[1]), Logistic(), LAMS),
        lambda: smooth_path(*many, Logistic(), LAMS),
        3,
    )
    yield "bipartite logistic path / logistic path, 1e5 × 54", ratio, 1.5

    yield from _widths()
    yield from _sparse()
    X, y = large()
    for loss in (Logistic(), Exponential()):
        ratio = time_ratio(
            lambda loss=loss: smooth_path(X, y, loss, [1e-5]),
            lambda: _scikit_learn(X, y, LAMS[5:]),
            3,
        )
        yield f"{loss!r} / scikit-learn's lbfgs, 522,911 × 54, one lambda", ratio, 0.6
    yield "logistic, peak memory / X, 522,911 × 54", _peak(X, y), 2.2

    parts = large(100_000), large(1_000_000)
    ratio = time_ratio(
        lambda: smooth_path(*parts[1], Logistic(), [1e-3]),
        lambda: smooth_path(*parts[0], Logistic(), [1e-3]),
        3,
    )
    yield "logistic, n = 1e6 / n = 1e5, d = 54", ratio, 20.0
