"""Logistic regression by others, each as loose as it may be for an objective as low as ours."""

import math
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from scipy.sparse import csr_array
from sklearn.linear_model import LogisticRegression

from benchmarks._timing import cpu_times
from rankexp.estimators import LinearRanker
from rankexp.losses import Logistic
from rankexp.solvers.smooth.path import smooth_path

Rows = np.ndarray | csr_array
Fit = Callable[[Rows, np.ndarray, float, float, np.ndarray], np.ndarray]
EXCESS = 1e-6
"""How far above the minimum a fit may end, relatively: what ours certifies by default."""
TOLERANCES = 10.0 ** -np.arange(1.0, 10.5)
BEST = 1e-9
"""The tolerance of the fit that the minimum is taken from."""


@dataclass(frozen=True)
class Solver:
    """Somebody's solver: rows, labels, penalty, tolerance and start to w, with any intercept last.

    It minimises ``lam/2 ||w||² + mean log(1 + exp(-y s))`` as ours does.
    """

    name: str
    fit: Fit
    intercept: bool = True
    most: int = 10**9
    """The most columns for which it is tried, as a step takes d² n."""
    checks: bool = True
    """Whether it checks what it is given, so that ours is called as an estimator, too."""


def _by_scikit_learn(
    X: Rows, y: np.ndarray, lam: float, tol: float, start: np.ndarray, solver: str, free: bool
) -> np.ndarray:
    model = LogisticRegression(
        C=1.0 / (X.shape[0] * lam),
        tol=tol,
        solver=solver,
        max_iter=20_000,
        fit_intercept=free,
        warm_start=start.any(),
    )
    if model.warm_start:
        model.coef_, model.intercept_ = start[None, : X.shape[1]], start[X.shape[1] :]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, y)
    return np.append(model.coef_[0], model.intercept_ if free else ())


def of_scikit_learn(*names: str) -> list[Solver]:
    """Return solvers of scikit-learn; liblinear without the intercept, which it penalises."""
    made = []
    for name in names:
        free = name != "liblinear"
        fit = partial(_by_scikit_learn, solver=name, free=free)
        most = 400 if name == "newton-cholesky" else 10**9
        made.append(Solver(name, fit, free, most))
    return made


def objective(X: Rows, y: np.ndarray, lam: float, w: np.ndarray) -> float:
    """Return the objective of w, which has an intercept if it is longer than a row."""
    d = X.shape[1]
    s = X @ w[:d] + (w[d] if w.size > d else 0.0)
    losses = np.logaddexp(0.0, -np.where(y, 1.0, -1.0) * s)
    return 0.5 * lam * float(w[:d] @ w[:d]) + float(losses.mean())


@dataclass
class Found:
    """What a comparison found: CPU time of ours over theirs, and how far each ends too high.

    Ours has its default tolerance, whose gap it certifies; `loosest` is the ratio where it has the
    loosest one with which it ends within `EXCESS`, as theirs has.
    """

    ratio: float
    ours: float
    theirs: float
    loosest: float

    @property
    def equal(self) -> bool:
        """Whether both end within `EXCESS` of the minimum."""
        return max(self.ours, self.theirs) <= EXCESS

    @property
    def measured(self) -> float:
        """The ratio, or infinite where the objectives are not equal: then it says nothing."""
        return self.ratio if self.equal else math.inf

    @property
    def said(self) -> str:
        """How far ours and theirs are above the minimum, and the ratio without certificates."""
        text = f"({self.ours:.0e}, {self.theirs:.0e}; uncertified {self.loosest:.2f})"
        return text if self.equal else f"{text} NOT EQUAL"


@dataclass
class Case:
    """Rows, labels and penalties from large to small, and the minima there."""

    X: Rows
    y: np.ndarray
    lams: Sequence[float]
    rounds: int = 5
    rest: float = 0.0
    _least: dict[bool, np.ndarray] = field(default_factory=dict)

    def ours(self, intercept: bool, tol: float = 1e-6) -> np.ndarray:
        """Return the objectives of our path, as recomputed from its coefficients."""
        found = smooth_path(
            self.X, self.y, Logistic(), self.lams, fit_intercept=intercept, tol=tol
        )
        w = np.vstack((found.coef, found.intercept)) if intercept else found.coef
        return np.array(
            [objective(self.X, self.y, *at) for at in zip(self.lams, w.T, strict=True)]
        )

    def least(self, intercept: bool) -> np.ndarray:
        """Return the minima, with or without an intercept."""
        if intercept not in self._least:
            self._least[intercept] = self.ours(intercept, BEST)
        return self._least[intercept]

    def _tolerances(self, solver: Solver) -> tuple[list[float], float]:
        """Return the loosest tolerance that suffices at each penalty, and the largest excess."""
        w = np.zeros(self.X.shape[1] + solver.intercept)
        found, worst = [], 0.0
        for lam, least in zip(self.lams, self.least(solver.intercept), strict=True):
            for tol in TOLERANCES:
                new = solver.fit(self.X, self.y, lam, tol, w)
                excess = objective(self.X, self.y, lam, new) / least - 1.0
                if excess <= EXCESS:
                    break
            w, worst = new, max(worst, excess)
            found.append(float(tol))
        return found, worst

    def against(self, solver: Solver) -> Found:
        """Compare a path of ours with a path of theirs at equal objective."""
        X, y, free = self.X, self.y, solver.intercept
        tolerances, excess = self._tolerances(solver)
        one = LinearRanker(lam=self.lams[0], fit_intercept=free)
        enough = (tol for tol in TOLERANCES if self._excess(free, tol) <= EXCESS)
        loose = LinearRanker(lam=self.lams[0], fit_intercept=free, tol=float(next(enough, 1e-6)))

        def theirs() -> None:
            w = np.zeros(X.shape[1] + free)
            for lam, tol in zip(self.lams, tolerances, strict=True):
                w = solver.fit(X, y, lam, tol, w)

        def ours(ranker: LinearRanker) -> None:
            if not solver.checks:
                smooth_path(X, y, Logistic(), self.lams, fit_intercept=free, tol=ranker.tol)
            elif len(self.lams) == 1:
                ranker.fit(X, y)
            else:
                ranker.path(X, y, self.lams)

        calls = (lambda: ours(one), theirs, lambda: ours(loose))
        took, other, least = cpu_times(self.rounds, *calls, rest=self.rest)
        return Found(took / other, self._excess(free, one.tol), excess, least / other)

    def _excess(self, intercept: bool, tol: float) -> float:
        """Return how far a path of ours ends above the minimum, relatively, at the worst."""
        return float((self.ours(intercept, tol) / self.least(intercept)).max()) - 1.0

    def fastest(self, solvers: Iterable[Solver]) -> tuple[str, Found]:
        """Return the fastest solver of those that get as low as ours, and what was found."""
        known = [(s.name, self.against(s)) for s in solvers if self.X.shape[1] <= s.most]
        equal = [one for one in known if one[1].equal]
        if equal:
            return max(equal, key=lambda one: one[1].ratio)
        return min(known, key=lambda one: one[1].theirs)
