"""The kernel ranker: pairwise losses in the feature space of a kernel."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from rankexp.arrays import Floats, Ints, PerRow
from rankexp.categories import Levels
from rankexp.estimators import parameters
from rankexp.estimators.labels import best_threshold
from rankexp.estimators.pair_data import OfLabels, PairProblem
from rankexp.estimators.risk_ranker import RiskRanker
from rankexp.losses.loss import Loss
from rankexp.risks.risk import Given, Risk
from rankexp.solvers.kernels import Factor, Kernel, gaussian, linear, polynomial, shaped
from rankexp.solvers.result import PathResult, scores
from rankexp.warn import warn_user

REGISTER = {"KernelRanker": "KernelRanker"}

KERNELS = ("rbf", "poly", "linear")
CUT = 0.1  # tuned: share of the tolerance that the cut of the Gram matrix may take
GUESS = 0.1  # tuned: the objective is taken to be this before the first solution
ROUNDS = 4  # tuned: solutions with a finer cut; the second is enough as a rule
PRECISE = 1e-9  # what `objective_` promises, relatively: beyond it a fit warns
ROWS_AT_ONCE = 2048  # tuned: of a matrix of kernels, when rows are scored


@dataclass(eq=False, repr=False, kw_only=True)
class KernelRanker(RiskRanker):
    """A scoring function in a kernel's feature space, by ``lam/2 ||f||² + risk of pairs``.

    Parameters
    ----------
    kernel : {"rbf", "poly", "linear"} or callable
        ``exp(-gamma |x - x'|²)``, ``(gamma x·x' + coef0)^degree``, ``x·x'``, or a function
        ``(A, B) -> K`` of rows (n, d) and (m, d), positive semidefinite, of shape (n, m).
    gamma : float, optional
        > 0; by default ``1 / (d · variance of X)``.
    degree : int
        Degree of the polynomial kernel, >= 1.
    coef0 : float
        Constant of the polynomial kernel, >= 0.
    loss : str or Loss
    risk : str or Risk
        As for `LinearRanker`; the risk must be one of pairs.
    lam : float
        Penalty of ``||f||²``, > 0.
    costs, levels, tol, max_iter, queries
        As for `LinearRanker`.
    max_rank : int
        The largest number r of columns of the factor of the Gram matrix. Memory grows with n r,
        time with the square of r, or for the hinge with its cube.

    Attributes
    ----------
    support_ : ndarray of shape (r,), int
        The rows of X that the scoring function is expanded over; not those on the margin.
    support_vectors_ : ndarray of shape (r, d)
    dual_coef_ : ndarray of shape (1, r)
        ``f(x) = sum of dual_coef_[0, p] K(support_vectors_[p], x)``.
    gamma_ : float
        The gamma that was used.
    classes_, better_, levels_, threshold_
        As for `LinearRanker`.
    objective_, gap_ : float
        The objective, and a certified bound on its relative distance from the minimum over the
        whole feature space, which includes what the factor leaves out.
    n_iter_ : int

    Notes
    -----
    The problem is that of a support vector machine on all pairs with the kernel
    ``K(x, z) + K(x', z') - K(x', z) - K(x, z')`` of mohri2018, (10.10), but it lists neither the
    pairs nor the Gram matrix. The pivoted Cholesky factor ``L L'`` of the Gram matrix is cut off
    when the rest, E, cannot matter, and the linear solvers work on the rows of L. The objective is
    exact; `gap_` includes ``r'E r / (2 lam)`` or a bound on it, where r is the derivative of the
    risk by the scores. If more than `max_rank` pivots are needed, the pipeline below costs less.

    References
    ----------
    mohri2018, section 10.3; uematsu2010, "AUC maximizing SVM".

    Examples
    --------
    >>> import numpy as np
    >>> X = np.linspace(-1.0, 1.0, 40)[:, None]
    >>> y = np.abs(X[:, 0]) < 0.5
    >>> s = KernelRanker(gamma=5.0, lam=0.01).fit(X, y).decision_function([[0.0], [0.9]])
    >>> bool(s[0] > s[1])
    True

    With many rows, use features that approximate the kernel:

    >>> from sklearn.kernel_approximation import Nystroem
    >>> from sklearn.pipeline import make_pipeline
    >>> from rankexp.estimators import LinearRanker
    >>> features = Nystroem(gamma=5.0, n_components=20, random_state=0)
    >>> linear = LinearRanker(loss="hinge", risk="bipartite", lam=0.01)
    >>> ranker = make_pipeline(features, linear).fit(X, y)
    """

    _only_pairs = True
    _signed = ("dual_coef_", "threshold_")

    kernel: str | Kernel = "rbf"
    gamma: float | None = None
    degree: int = 3
    coef0: float = 1.0
    loss: str | Loss = "hinge"
    risk: str | Risk = "bipartite"
    lam: float = 1e-2
    costs: ArrayLike | None = None
    levels: Levels | None = None
    tol: float = 1e-4
    max_iter: int = 500
    max_rank: int = 2000
    queries: str = "pairs"

    def check(self) -> None:
        """Raise ValueError if a parameter is impossible; this needs no data."""
        self._check(self.lam)
        if self.lam == 0:
            raise ValueError("a kernel needs lam > 0: its space has more dimensions than data")
        if not (callable(self.kernel) or self.kernel in KERNELS):
            parameters.one_of("kernel", self.kernel, (*KERNELS, "a callable"))
        for name in ("degree", "max_rank"):
            parameters.check_count(name, getattr(self, name))
        if self.gamma is not None:
            parameters.check_number("gamma", self.gamma)
        parameters.check_number("coef0", self.coef0, zero=True)

    def takes(self) -> frozenset[Given]:
        """Return what else `fit` takes beside X and y; unlike `LinearRanker` no weights."""
        return super().takes() - {"sample_weight"}

    def fit(self, X: ArrayLike, y: ArrayLike, groups: PerRow = None) -> Self:
        """Fit to rows X (n, d) and labels y (n,), on pairs within `groups` (n,), if given.

        Errors are as for :meth:`LinearRanker.fit`; ValueError also for a kernel that is not
        positive semidefinite. It also warns if rounding spoils the digits of `objective_`.
        """
        self.check()
        labels, task = self._task(self._trained(), X, y, np.array([float(self.lam)]), groups)
        rows, first, back = np.unique(task.X, axis=0, return_index=True, return_inverse=True)
        self._expand(task.X, rows, first, OfLabels(task), back.reshape(-1))
        if not task.risk.several_levels:
            self.threshold_ = best_threshold(self._scores(task.X), task.level > 0)
        self._keep(labels, task.risk)
        return self

    def fit_pairs(
        self, X: ArrayLike, pairs: ArrayLike, labels: ArrayLike, sample_weight: PerRow = None
    ) -> Self:
        """Fit to labelled pairs of rows: mohri2018, (10.9), with ``C = 1 / (lam m)``.

        :meth:`LinearRanker.fit_pairs` explains the parameters. The default of `gamma` follows from
        all rows; `support_` are rows that occur in pairs.

        Examples
        --------
        >>> X = np.linspace(-1.0, 1.0, 40)[:, None]
        >>> pairs = [[k, 39] for k in range(10, 30)] + [[0, k] for k in range(10, 30)]
        >>> labels = [1] * 20 + [-1] * 20  # the middle above both ends
        >>> ranker = KernelRanker(gamma=5.0, lam=0.01).fit_pairs(X, pairs, labels)
        >>> int(ranker.predict([[0.0], [0.9]]).argmax())
        0
        """
        self.check()
        X = parameters.training_rows(self, X)
        used, problem = self._listed(X, pairs, labels, sample_weight)
        rows, first, back = np.unique(X[used], axis=0, return_index=True, return_inverse=True)
        problem = problem.on(back.reshape(-1), rows.shape[0])
        self._expand(X, rows, used[first], problem, np.arange(rows.shape[0]))
        self._forget("classes_", "better_", "levels_")
        return self

    def _expand(self, X: Floats, rows: Floats, at: Ints, problem: PairProblem, back: Ints) -> None:
        self.gamma_ = _gamma(X) if self.gamma is None else float(self.gamma)
        with np.errstate(over="ignore", invalid="ignore"):  # what isn't finite is refused
            factor = Factor(self._kernel(), np.ascontiguousarray(rows))
            found = self._solve(factor, problem, back)
        self.support_ = at[factor.pivots]
        self.support_vectors_ = X[self.support_]
        self.dual_coef_ = factor.expand(found.coef[:, 0])[None]
        self.objective_, self.gap_ = float(found.objective[0]), float(found.gap[0])
        self.n_iter_, self.threshold_ = int(found.n_iter[0]), 0.0

    def _columns(self, n: int, d: int, learns: bool) -> int:
        return n if learns else max(d, len(getattr(self, "support_", ())))

    def _kernel(self) -> Kernel:
        if callable(self.kernel):
            return shaped(self.kernel)
        if self.kernel == "rbf":
            return gaussian(self.gamma_)
        if self.kernel == "poly":
            return polynomial(self.gamma_, self.degree, self.coef0)
        return linear

    def _solve(self, factor: Factor, problem: PairProblem, back: Ints) -> PathResult:
        weight = np.bincount(back, problem.mass()).astype(np.float64)
        goal = GUESS * CUT * self.tol * 2.0 * self.lam
        for _ in range(ROUNDS):
            factor.grow(weight, goal, self.max_rank)
            rows = factor.L[back]
            try:
                found = problem.solve(rows, (1.0 - 2.0 * CUT) * self.tol)
            except FloatingPointError as error:  # which names columns of the factor
                text = f"lam={self.lam:g} is too small for a kernel with values up to"
                text += f" {factor.largest:.3g}: raise lam, or scale the features"
                raise FloatingPointError(text) from error
            slope = np.bincount(back, problem.slope(rows, found)).astype(np.float64)
            objective = float(found.objective[0])
            enough = 2.0 * CUT * self.tol * objective * 2.0 * self.lam
            lost = factor.lost(slope, enough)
            if not lost > enough or factor.pivots.size >= self.max_rank:
                break
            goal = 0.5 * enough * min(1.0, factor.bound(weight) / lost)
        mismatch = self._off(factor, found.coef[:, 0], weight)
        excess = (lost + factor.rounding(slope)) / (2.0 * self.lam) + mismatch
        gap = found.gap + (excess / objective if objective > 0.0 else 0.0)
        if mismatch > PRECISE * objective:
            text = f"rounding changes objective_ by {mismatch:.1e}: scale or centre the features"
            warn_user(text)
        found = replace(found, gap=gap, converged=gap <= self.tol)
        advice = "raise max_iter, lam or tol"
        if factor.pivots.size == self.max_rank < factor.X.shape[0]:
            advice += ", or max_rank, or use Nystroem features and a LinearRanker in a pipeline"
        parameters.warn_unconverged(str(problem), found, np.array([self.lam]), self.tol, advice)
        return found

    def _off(self, factor: Factor, w: Floats, weight: Floats) -> float:
        """Return how much the objective of the expansion differs from that of w."""
        b = factor.expand(w)
        s = self._expanded(factor.X, factor.X[factor.pivots], b)
        moved = s - factor.L @ w
        moved -= float(weight @ moved) / float(weight.sum())
        norms = float(b @ s[factor.pivots]) - float(w @ w)
        return float(weight @ np.abs(moved)) + 0.5 * self.lam * abs(norms)

    def _scores(self, X: Floats) -> Floats:
        return self._expanded(X, self.support_vectors_, self.dual_coef_[0])

    def _expanded(self, X: Floats, support: Floats, b: Floats) -> Floats:
        kernel = self._kernel()
        some = (X[i : i + ROWS_AT_ONCE] for i in range(0, X.shape[0], ROWS_AT_ONCE))
        return np.concatenate([scores(kernel(part, support), b[:, None])[:, 0] for part in some])


def _gamma(X: Floats) -> float:
    """Return ``1 / (d · variance of X)``; 1 where X is constant."""
    if X.min() == X.max():
        return 1.0
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        gamma = float(1.0 / (X.shape[1] * X.var()))
    if not 0.0 < gamma < np.inf:
        worst = int(np.abs(X).max(axis=0).argmax())
        text = f"the variance of X is out of range: column {worst} (counted from 0) has values"
        raise ValueError(f"{text} up to {np.abs(X).max():.3g}; scale the features, or set gamma")
    return gamma
