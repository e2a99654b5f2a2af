"""Fits beside those of other packages, at equal objective, or at equal ranks where theirs differs.

Of logistic regression: a path of six penalties and a single one, the worst of three kinds of
features, and in brackets how far ours and theirs end above the minimum.
"""

import math
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from benchmarks._peers import Row, beside, compared, package
from benchmarks._solvers import EXCESS, TOLERANCES, Case, Rows, Solver, of_scikit_learn
from benchmarks._timing import cpu_times
from benchmarks.linear import LAMS
from benchmarks.ordinal import data
from benchmarks.widths import DENSE, row, sparse, wide
from rankexp.estimators import LinearRanker, ProportionalOdds
from rankexp.metrics import u_pairs

SINGLE = (0.1, 1e-3, 1e-5)
SPARSE_CASES = (
    (4000, 10_000, "text", 0.1),
    (4000, 10_000, "text", 1e-3),
    (4000, 10_000, "normal", 0.1),
    (4000, 10_000, "uniform", 0.1),
    (4000, 100_000, "text", 0.1),
    (4000, 100_000, "text", 1e-3),
    (20_000, 10_000, "text", 1e-3),
)
RANKS = 2e-3
"""How far U_pairs may be apart where a peer minimises something else."""


def _against(solver: Solver, whose: str) -> Iterator[Row]:
    """Yield the worst cases against a solver, of paths and of single penalties, by rows."""
    for n in (1000, 20_000):
        features = {kind: wide(n, 50, kind) for kind in DENSE}
        paths = {kind: Case(X, y, LAMS).against(solver) for kind, (X, y) in features.items()}
        yield row(f"logistic path / {whose}, {n:,} × 50", paths)
        single = {
            f"{kind}, lam {lam:g}": Case(X, y, [lam]).against(solver)
            for kind, (X, y) in features.items()
            for lam in SINGLE
        }
        yield row(f"logistic / {whose}, {n:,} × 50", single)


def _scikit_learn() -> Iterator[Row]:
    for solver in of_scikit_learn("lbfgs", "newton-cg", "newton-cholesky", "liblinear"):
        yield from _against(solver, f"scikit-learn's {solver.name}")


def _skglm() -> Iterator[Row]:
    """Yield rows beside skglm's L-BFGS, which has no intercept and is called without checks."""
    solvers, datafits = package("skglm.solvers"), package("skglm.datafits")
    penalties = package("skglm.penalties")

    def fit(X: np.ndarray, y: np.ndarray, lam: float, tol: float, w: np.ndarray) -> np.ndarray:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = solvers.LBFGS(max_iter=20_000, tol=tol).solve(
                X, np.where(y, 1.0, -1.0), datafits.Logistic(), penalties.L2(lam), w_init=w
            )
        return np.asarray(found[0])

    yield from _against(Solver("", fit, intercept=False, checks=False), "skglm's L-BFGS")


def _mord() -> Iterator[Row]:
    """Yield rows beside mord, whose loss with two levels is ours; with more it is another."""
    mord, lam = package("mord"), 1e-2
    for n in (1000, 20_000):
        for levels, names in ((2, ("LogisticAT",)), (5, ("LogisticAT", "LogisticIT"))):
            X, y = data(n, 20, levels)
            ours = ProportionalOdds(lam=lam).fit(X, y)
            for name in names:
                model = getattr(mord, name)(alpha=lam * n)
                w = model.fit(X, y).coef_
                apart, most = abs(u_pairs(y, X @ w) - u_pairs(y, X @ ours.coef_.ravel())), RANKS
                if levels == 2:
                    s = np.where(y > 0, 1.0, -1.0) * (X @ w - model.theta_[0])
                    theirs = 0.5 * lam * w @ w + np.logaddexp(0.0, -s).mean()
                    apart, most = abs(theirs / ours.objective_ - 1.0), 1e-6
                yield compared(
                    f"ProportionalOdds / mord's {name}, {n:,} × 20, K = {levels}",
                    lambda X=X, y=y: ProportionalOdds(lam=lam).fit(X, y),
                    lambda X=X, y=y, model=model: model.fit(X, y),
                    apart,
                    most,
                )


def _statsmodels() -> Iterator[Row]:
    """Yield a row beside statsmodels without a penalty, by the fastest of three methods."""
    model = package("statsmodels.miscmodels.ordinal_model").OrderedModel
    X, y = data(1000, 20, 5)

    def theirs() -> float:
        return model(y, X, distr="logit").fit(method="lbfgs", disp=False, maxiter=1000).llf

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the Hessian that it inverts for standard errors
        least = ProportionalOdds(lam=0.0).fit(X, y).objective_
        yield compared(
            "ProportionalOdds, no penalty / statsmodels' OrderedModel, 1,000 × 20, K = 5",
            lambda: ProportionalOdds(lam=0.0).fit(X, y),
            theirs,
            abs(-theirs() / len(y) / least - 1.0),
            1e-6,
            rounds=2,
        )


def _pairs_above(X: np.ndarray, t: np.ndarray, w: np.ndarray, lam: float) -> float:
    """Return the objective of the squared hinge over all pairs of different numbers."""
    s = (X @ w)[t.argsort()]
    lost = sum(
        float(np.square(np.maximum(0.0, 1.0 + s[i] - s[i + 1 :])).sum()) for i in range(len(s))
    )
    return 0.5 * lam * float(w @ w) + lost / (len(s) * (len(s) - 1) / 2)


def _survival() -> Iterator[Row]:
    """Yield rows beside FastSurvivalSVM, which orders ties of the target at random.

    So its objective is ours only if no two numbers of the target are equal.
    """
    machine, lam = package("sksurv.svm").FastSurvivalSVM, 1e-2
    for n, levels in ((1000, 0), (2000, 5)):
        X, y = data(n, 20, levels or n)
        risk = {"loss": "squared_hinge", "risk": "multipartite", "lam": lam}
        ours = LinearRanker(**risk).fit(X, y).coef_[0]
        pairs = n * (n - 1) / 2 if not levels else n * n * (1.0 - 1.0 / levels) / 2
        times = np.array([(True, 1.0 + t) for t in y], dtype=[("seen", bool), ("time", float)])
        for tree in ("avltree", "rbtree"):
            theirs = machine(alpha=2.0 / (lam * pairs), optimizer=tree, max_iter=200, tol=1e-6)
            w = theirs.fit(X, times).coef_
            if levels:
                apart, most = abs(u_pairs(y, X @ w) - u_pairs(y, X @ ours)), RANKS
            else:
                least = _pairs_above(X, y, ours, lam)
                apart, most = abs(_pairs_above(X, y, w, lam) / least - 1.0), 1e-6
            target = f"{levels} levels" if levels else "no equal targets"
            yield compared(
                f"squared hinge of pairs / scikit-survival's {tree}, {n:,} × 20, {target}",
                lambda X=X, y=y, risk=risk: LinearRanker(**risk).fit(X, y),
                lambda X=X, times=times, theirs=theirs: theirs.fit(X, times),
                apart,
                most,
                rounds=2,
            )


def _mean_hinge(X: np.ndarray, y: np.ndarray, w: np.ndarray, lam: float) -> float:
    """Return the objective of the hinge over all pairs of a positive and a negative row."""
    s = X @ w
    up, down = s[y], np.sort(s[~y])
    sums = np.append(0.0, down.cumsum())
    first = down.searchsorted(up - 1.0)  # of the rows that are not far enough below
    lost = (down.size - first) * (1.0 - up) + sums[-1] - sums[first]
    return 0.5 * lam * float(w @ w) + float(lost.sum()) / (up.size * down.size)


def _cutting_planes(
    what: str, case: tuple[Rows, np.ndarray, float], hand: Callable[[], Any], trainer: Any
) -> Iterator[Row]:
    """Yield the hinge of pairs beside cutting planes, without and with handing rows over."""
    X, y, lam = case
    ranker, given = LinearRanker(loss="hinge", risk="pairs", lam=lam), hand()
    least = ranker.fit(X, y).objective_
    trainer.c = 1.0 / lam
    for tol in TOLERANCES:
        trainer.epsilon = float(tol)
        w = np.zeros(X.shape[1])
        for j, one in enumerate(trainer.train(given).weights):
            where, value = (one.first, one.second) if hasattr(one, "first") else (j, one)
            w[where] = value
        if (apart := _mean_hinge(X, y, w, lam) / least - 1.0) <= EXCESS:
            break
    fit, train = partial(ranker.fit, X, y), partial(trainer.train, given)
    named, ratio, _ = compared(f"hinge of pairs / dlib's, {what}", fit, train, apart, EXCESS)
    yield named, ratio, 1.2
    if math.isfinite(ratio):
        ours, theirs = cpu_times(3, fit, hand)
        yield (
            "  the same with what it takes to hand it arrays",
            ours / (theirs + ours / ratio),
            1.0,
        )


def _dlib() -> Iterator[Row]:
    """Yield rows beside dlib, for each kind of features, dense and sparse."""
    dlib = package("dlib")

    def hand(X: np.ndarray, y: np.ndarray) -> Any:
        given = dlib.ranking_pair()
        given.relevant = dlib.vectors([dlib.vector(x) for x in X[y]])
        given.nonrelevant = dlib.vectors([dlib.vector(x) for x in X[~y]])
        return given

    def hand_sparse(X: csr_array, y: np.ndarray) -> Any:
        given = dlib.sparse_ranking_pair()
        for rows_of, side in ((given.relevant, X[y]), (given.nonrelevant, X[~y])):
            for start, stop in pairwise(side.indptr.tolist()):
                row_of = dlib.sparse_vector()
                parts = side.indices[start:stop].tolist(), side.data[start:stop].tolist()
                for j, x in zip(*parts, strict=True):
                    row_of.append(dlib.pair(j, x))
                rows_of.append(row_of)
        return given

    sizes = [(1000, 50), *((4000, d) for d in (10, 100, 400, 1000)), (20_000, 50), (100_000, 100)]
    for n, d, lam in (*((*size, 0.1) for size in sizes), (4000, 100, 1e-2), (4000, 50, 1e-3)):
        for kind in DENSE:
            X, y = wide(n, d, kind)
            what, trainer = f"{n:,} × {d}, lam {lam:g}: {kind}", dlib.svm_rank_trainer()
            yield from _cutting_planes(what, (X, y, lam), partial(hand, X, y), trainer)
    for n, d, kind, lam in SPARSE_CASES:
        X, y = sparse(n, d, kind)
        what, trainer = (
            f"sparse {n:,} × {d:,}, lam {lam:g}: {kind}",
            dlib.svm_rank_trainer_sparse(),
        )
        yield from _cutting_planes(what, (X, y, lam), partial(hand_sparse, X, y), trainer)


def rows() -> Iterator[Row]:
    """Yield (name, measured ratio of CPU times, target); lower is better."""
    yield from _scikit_learn()
    yield from beside("logistic / skglm's L-BFGS", _skglm)
    yield from beside("ProportionalOdds / mord", _mord)
    yield from beside("ProportionalOdds / statsmodels", _statsmodels)
    yield from beside("squared hinge of pairs / scikit-survival", _survival)
    yield from beside("hinge of pairs / dlib", _dlib)
