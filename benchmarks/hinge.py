"""The pairwise hinge beside logistic regression: noisy, hard, large; LinearSVC for comparison."""

import tracemalloc
import warnings
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
from sklearn.svm import LinearSVC

from benchmarks._timing import best_times, cpu_times, time_ratio
from benchmarks.linear import LAMS, large, small
from benchmarks.widths import sparse, wide
from rankexp.estimators import LinearRanker
from rankexp.losses import Logistic
from rankexp.solvers.hinge.path import hinge_path
from rankexp.solvers.pairs.partial_order import PartialOrder
from rankexp.solvers.result import PathResult
from rankexp.solvers.smooth.path import smooth_path

Row = tuple[str, float, float | None]


def two_classes(X: np.ndarray, positive: np.ndarray, lams: npt.ArrayLike) -> PathResult:
    """Solve for two classes."""
    return hinge_path(X, PartialOrder.of_classes(positive), lams)


def _certified(X: np.ndarray, y: np.ndarray, lams: np.ndarray) -> None:
    result = two_classes(X, y, lams)
    if not result.converged.all():
        raise RuntimeError(f"the pairwise hinge isn't certified: gaps {result.gap}")


def _multiple(X: np.ndarray, y: np.ndarray, lams: np.ndarray, rounds: int) -> float:
    """Return the time of the hinge path over the logistic one."""
    _certified(X, y, lams)
    return time_ratio(
        lambda: two_classes(X, y, lams), lambda: smooth_path(X, y, Logistic(), lams), rounds
    )


def _labels(
    X: np.ndarray, rng: np.random.Generator, noise: float, p: float, w: np.ndarray | None = None
) -> np.ndarray:
    """Return labels of a linear function, a share ``p`` positive, ``noise`` of them flipped."""
    w = rng.standard_normal(X.shape[1]) if w is None else w
    f = X @ w + 1e-9 * rng.standard_normal(X.shape[0])
    return (f > np.quantile(f, 1.0 - p)) ^ (rng.random(X.shape[0]) < noise)


def hard(n: int, noise: float) -> Iterator[tuple[str, np.ndarray, np.ndarray, int]]:
    """Yield (name, X, y, bar): little noise, ties, duplicates."""
    rng = np.random.default_rng(1)
    X = rng.uniform(-1, 1, (n, 50))
    for p in (0.5, 0.9, 0.99):
        yield f"uniform, p = {p}", X, _labels(X, rng, noise, p), 10
    few = X[: n // 4]
    y = np.repeat(_labels(few, rng, noise, 0.5), 4)
    yield "every row four times", np.repeat(few, 4, axis=0), y, 16
    B = (rng.random((n, 50)) < 0.5).astype(float)
    y = _labels(B, rng, noise, 0.5, rng.choice([-1.0, 1.0], 50))
    yield "50 binary, equal weights", B, y, 10
    C = np.tile((rng.random((n, 10)) < 0.5).astype(float), 5)
    yield "10 binary × 5 copies", C, _labels(C, rng, noise, 0.5), 8
    one_hot = np.hstack([np.eye(10)[rng.integers(0, 10, n)] for _ in range(5)])
    yield "one-hot 5 × 10", one_hot, _labels(one_hot, rng, noise, 0.5), 8


def _hard_rows() -> Iterator[Row]:
    for noise in (0.0, 0.02):
        for name, X, y, bar in hard(1000, noise):
            found = _multiple(X, y, LAMS, 5)
            yield f"hinge / logistic path, {name}, {noise:.0%} noise", found, bar
    # The hinge path of the first takes what it took; the logistic path beside became quicker.
    bars = {"50 binary, equal weights": 10, "one-hot 5 × 10": 8, "10 binary × 5 copies": 18}
    for name, X, y, *_ in hard(100_000, 0.0):
        _certified(X, y, LAMS)
        logistic, hinge = best_times(
            1,
            lambda X=X, y=y: smooth_path(X, y, Logistic(), LAMS),
            lambda X=X, y=y: two_classes(X, y, LAMS),
        )
        yield (
            f"hinge / logistic path, {name}, no noise, n = 1e5",
            hinge / logistic,
            bars.get(name, 4),
        )


def _sparse_rows() -> Iterator[Row]:
    """Yield the hinge of pairs of wide sparse rows, most of which come apart."""
    for kind in ("text", "normal"):
        X, y = sparse(4000, 10_000, kind)
        found = {}
        for lam in (0.1, 1e-3, 1e-5):
            _certified(X, y, np.array([lam]))
            points = LinearRanker(loss="hinge", risk="points", lam=lam)
            pairs = LinearRanker(loss="hinge", risk="pairs", lam=lam)
            one, other = cpu_times(
                2, lambda r=pairs, X=X, y=y: r.fit(X, y), lambda r=points, X=X, y=y: r.fit(X, y)
            )
            found[f"lam {lam:g}"] = one / other
        named = max(found, key=lambda lam: found[lam])
        what = f"sparse 4,000 × 10,000, {kind}, worst: {named}"
        yield f"hinge of pairs / of points, {what}", found[named], 2.0
    X, y = sparse(10_000, 100_000, "text")
    seconds = cpu_times(1, lambda: _certified(X, y, np.array([1e-5])))[0]
    yield "hinge of pairs, sparse 10,000 × 100,000, lam 1e-05, seconds", seconds, 10.0


def _wide_rows() -> Iterator[Row]:
    """Yield the worst of three penalties on dense rows with many columns."""
    for d, bar in ((50, 5), (100, 5), (400, 5), (1000, 12)):
        X, y = wide(4000, d, "normal")
        found, took = {}, []
        for lam in (0.1, 1e-3, 1e-5):
            lams = np.array([lam])
            found[f"lam {lam:g}"] = _multiple(X, y, lams, 3)
            seconds = cpu_times(3, lambda X=X, y=y, lams=lams: _certified(X, y, lams))[0]
            took.append(f"{1e3 * seconds:.0f}")
        named = max(found, key=lambda lam: found[lam])
        text = f"hinge / logistic, 4,000 × {d:,} (lam .1, .001, 1e-5: {', '.join(took)} ms)"
        yield f"{text}, worst: {named}", found[named], bar


def _large_rows() -> Iterator[Row]:
    X, y = large()
    for lam in (1e-3, 1e-5):
        found = _multiple(X, y, np.array([lam]), 2)
        yield f"hinge / logistic, 522,911 × 54, lambda {lam:g}", found, 2.2
    w, r = np.zeros(54), np.zeros(X.shape[0])
    passes, hinge = best_times(2, lambda: (X @ w, r @ X), lambda: two_classes(X, y, [1e-5]))
    yield "hinge / one X @ w and X' @ r, 522,911 × 54, lambda 1e-5", hinge / passes, 40.0
    tracemalloc.start()
    two_classes(X, y, [1e-5])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    yield "hinge, peak memory / X, 522,911 × 54", 1.0 + peak / X.nbytes, 2.2
    less, more = large(100_000), large(1_000_000)
    short, long = best_times(
        2, lambda: two_classes(*less, [1e-5]), lambda: two_classes(*more, [1e-5])
    )
    yield "hinge, n = 1e6 / n = 1e5, 54 columns", long / short, 20.0


def _levels(n: int, groups: bool, rounds: int) -> float:
    """Return the time of the path for five levels over that for two, of the same rows."""
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(n, 50))
    f = X @ rng.normal(size=50)
    f += 0.5 * f.std() * rng.normal(size=n)
    y, level = f > np.median(f), np.searchsorted(np.quantile(f, [0.2, 0.4, 0.6, 0.8]), f)
    query = rng.integers(0, n // 20, n) if groups else None
    order = PartialOrder.of(level, np.triu(np.ones((5, 5)), 1), query)
    return time_ratio(lambda: hinge_path(X, order, LAMS), lambda: two_classes(X, y, LAMS), rounds)


def _level_rows() -> Iterator[Row]:
    """Each row has two roles, as upper and as lower one, and sums over four other levels."""
    for n, rounds in ((1000, 10), (100_000, 1)):
        for groups in (False, True):
            name = f"five levels{', groups of 20' if groups else ''} / two, hinge path, {n} × 50"
            # Two levels take their first steps without a Hessian, few pairs in groups do not.
            yield name, _levels(n, groups, rounds), 6 if groups and n == 1000 else 4


def _linear_svc(X: np.ndarray, y: np.ndarray, lam: float) -> None:
    D = (X[y][:, None] - X[~y][None]).reshape(-1, X.shape[1])
    sign = np.where(np.arange(D.shape[0]) % 2, 1.0, -1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        LinearSVC(loss="hinge", C=1.0 / (lam * D.shape[0]), fit_intercept=False).fit(
            D * sign[:, None], sign
        )


def rows() -> Iterator[Row]:
    """Yield (name, measured ratio, target); lower is better."""
    X, y = small()
    found = _multiple(X, y, LAMS, 40)
    yield "hinge path / logistic path, 1000 × 50 uniform, 15 % noise", found, 3.0
    hinge, pairs = best_times(
        1, lambda: two_classes(X, y, [1e-3]), lambda: _linear_svc(X, y, 1e-3)
    )
    yield "hinge / LinearSVC on all 250,000 pairs, one lambda", hinge / pairs, None
    yield from _level_rows()
    yield from _hard_rows()
    yield from _wide_rows()
    yield from _sparse_rows()
    yield from _large_rows()
