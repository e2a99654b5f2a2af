"""Logistic regression over the number of columns, dense and sparse, at equal objective.

Each figure is the worst of several kinds of features and penalties. It names them, and says how
far ours and theirs end above the minimum. ``make bench-wide`` has more columns and rows, and all
solvers everywhere.
"""

import tracemalloc
from collections.abc import Iterator, Sequence

import numpy as np
from scipy.sparse import csr_array, random_array
from sklearn.preprocessing import normalize

from benchmarks._solvers import Case, Found, Solver, of_scikit_learn
from benchmarks.linear import labels
from rankexp.losses import Logistic
from rankexp.solvers.smooth.path import smooth_path

Row = tuple[str, float, float | None]
DENSE = ("normal", "uniform", "standardised")
SPARSE = ("text", "normal", "uniform", "scaled")
PENALTIES = (0.1, 1e-3, 1e-5)
WORDS = 100  # not 0 in a sparse row


def wide(n: int, d: int, kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Return n × d features and labels: normal, uniform, or uniform and standardised."""
    rng = np.random.default_rng(d)
    X = rng.standard_normal((n, d)) if kind == "normal" else rng.random((n, d))
    if kind == "standardised":
        X = (X - X.mean(axis=0)) / X.std(axis=0)
    return X, labels(X, rng)


def narrow(X: csr_array) -> csr_array:
    """Return rows with indices of 32 bits, as scikit-learn's liblinear takes no others."""
    return csr_array(
        (X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape
    )


def text(n: int, d: int) -> tuple[csr_array, np.ndarray]:
    """Return rows like those of texts, n × d, and labels: some 100 words each, by Zipf's law."""
    rng = np.random.default_rng(d)
    size = rng.poisson(WORDS, n)
    chance = 1.0 / (np.arange(d) + 3.0)
    columns = (chance.cumsum() / chance.sum()).searchsorted(rng.random(size.sum()))
    ends = np.concatenate(([0], size.cumsum()))
    X = csr_array((np.ones(columns.size), columns.astype(np.int32), ends), shape=(n, d))
    X.sum_duplicates()
    rows = np.bincount(X.indices, minlength=d)
    X.data = (1.0 + np.log(X.data)) * np.log((1.0 + n) / (1.0 + rows))[X.indices]
    X = narrow(normalize(X))
    s = X @ (rng.normal(size=d) * (rng.random(d) < 0.2))
    return X, s + s.std() * rng.normal(size=n) > 0.0


def sparse(n: int, d: int, kind: str) -> tuple[csr_array, np.ndarray]:
    """Return sparse rows, n × d, and labels: texts, these scaled, or numbers at random places."""
    if kind in ("text", "scaled"):
        X, y = text(n, d)
        if kind == "scaled":  # each column by its root mean square: it stays sparse
            squares = np.bincount(X.indices, weights=X.data**2, minlength=d) / n
            X.data /= np.sqrt(squares)[X.indices]
        return X, y
    rng = np.random.default_rng(d)
    draw = rng.standard_normal if kind == "normal" else rng.random
    X = random_array((n, d), density=WORDS / d, format="csr", rng=rng, data_sampler=draw)
    return narrow(X), labels(X, rng)


def worst(
    X: np.ndarray | csr_array,
    y: np.ndarray,
    lams: Sequence[float],
    solvers: Sequence[Solver],
    **how: float,
) -> tuple[str, Found]:
    """Return the penalty and the solver against which ours does worst, and the comparison."""
    found = {}
    for lam in lams:
        name, one = Case(X, y, [lam], **how).fastest(solvers)
        found[f"lam {lam:g}, {name}"] = one
    unequal = [case for case, one in found.items() if not one.equal]
    named = max(unequal or found, key=lambda case: found[case].ratio)
    return named, found[named]


def row(what: str, found: dict[str, Found]) -> Row:
    """Return the worst of several cases, with how far both are above the minimum."""
    named = max(found, key=lambda case: (not found[case].equal, found[case].ratio))
    return f"{what}: {named} {found[named].said}", found[named].measured, 1.0


def _dense() -> Iterator[Row]:
    """Yield the worst of three kinds of features and three penalties, by the number of columns."""
    for n, d in ((4000, 10), (4000, 100), (4000, 400), (4000, 1000), (500, 2000)):
        # Further on only lbfgs comes near, as the long benchmark shows.
        names = ("lbfgs", "newton-cg", "newton-cholesky", "liblinear")[: 4 if d <= 100 else 1]
        found = {}
        for kind in DENSE:
            X, y = wide(n, d, kind)
            case, one = worst(X, y, PENALTIES, of_scikit_learn(*names))
            found[f"{kind}, {case}"] = one
        yield row(f"logistic / scikit-learn's fastest, {n} × {d}", found)


def _sparse() -> Iterator[Row]:
    """Yield the worst of three penalties at equal objective, on sparse rows, and the memory."""
    for n, d in ((20_000, 10_000), (20_000, 100_000), (100_000, 100_000)):
        found = dict([worst(*text(n, d), PENALTIES, of_scikit_learn("lbfgs"), rounds=3)])
        yield row(f"logistic / scikit-learn's, sparse {n} × {d}", found)
    X, y = text(20_000, 100_000)
    tracemalloc.start()
    smooth_path(X, y, Logistic(), [1e-5])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    size = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
    yield "logistic, peak memory / X, sparse 20,000 × 100,000", 1.0 + peak / size, 3.0


def rows() -> Iterator[Row]:
    """Yield (name, measured ratio of CPU times, target); lower is better."""
    yield from _dense()
    yield from _sparse()
