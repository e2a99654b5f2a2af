"""The linear ranker: one estimator for every loss and risk."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from rankexp.arrays import Floats, Ints, PerRow
from rankexp.categories import Levels
from rankexp.estimators.labels import ClassWeight, best_threshold, class_weights
from rankexp.estimators.parameters import refuse_sparse, training_rows, warn_unconverged
from rankexp.estimators.risk_ranker import RiskRanker, no_minimiser
from rankexp.losses.loss import Loss
from rankexp.risks.risk import Risk, Task
from rankexp.solvers.result import PathResult, scores
from rankexp.solvers.rows import as_rows, is_sparse

REGISTER = {"LinearRanker": "LinearRanker"}


class LinearRanker(RiskRanker):
    """A linear scoring function, trained by ``lam/2 ||w||² + risk``.

    Parameters
    ----------
    loss : str or Loss
        Any loss of `rankexp.losses`, such as ``"hinge"`` or ``"p_classification(p=4)"``.
    risk : str or Risk
        Any risk of `rankexp.risks` that goes with the loss: `combinations` lists them,
        `rankexp.risks.table` says why others are impossible. ``classification`` trains on points:
        the mean of ``l(y, w·x + b)`` over examples; with the hinge this is the linear support
        vector machine with C = ``1 / (lam n)``. ``bipartite`` trains on pairs: the mean of
        ``l(w·(x - x'))`` over pairs of a positive x and a negative x'; with the hinge this is
        SVM-OR of kotlowski2011. ``push(p=4)`` is the mean over negatives of the p-th power of the
        mean of ``l(1, w·(x - x'))`` over positives. ``multipartite`` is the mean over pairs of an
        x of a higher and an x' of a lower of K ordered levels; with the hinge this is the ordinal
        support vector machine of Herbrich et al. (1999). ``listwise`` is ListNet's
        cross-entropy of queries. ``points`` and ``pairs`` are other names of the first two;
        ``balanced`` trains on points with both classes weighed alike.
    lam : float
        Penalty of ``||w||²``, >= 0; only smooth losses allow 0, and a warning says if there seems
        to be no minimiser then. The intercept is never penalised.
    class_weight : None, "balanced" or dict of label to weight
        Weights of the classes in the classification risk, of which only the ratio matters, and in
        the training error that sets `threshold_`. Risks of pairs do not depend on it.
    fit_intercept : bool
        Ignored by the risks of pairs, which have no intercept.
    tol : float
        Relative suboptimality of the objective to reach.
    max_iter : int
        The largest number of iterations.
    costs : array-like of shape (K, K), optional
        For the multipartite risk: ``costs[j, i]`` is the cost of ranking level i below level
        j < i; by default all are 1. A cost of 0 leaves out the pairs of these two levels.
    levels : sequence, optional
        Levels, worst to best; by default the numbers in y in ascending order. With two classes the
        last one is the better one, which `rank_scores` ranks higher; all other signs follow the
        sorted `classes_`.
    queries : {"pairs", "each", "across"}
        How risks of pairs treat groups: "pairs" weighs all pairs within groups alike, "each"
        weighs all groups that have pairs alike, and "across" ignores groups and takes all pairs.

    Attributes
    ----------
    coef_ : ndarray of shape (1, d)
    intercept_ : ndarray of shape (1,)
        0 for the risks of pairs.
    offset_ : ndarray of shape (1,)
        What is added to w·x: ``intercept_``, unless it is so large that it would round the w·x of
        the training rows to ties; then a number with the same sign that keeps them distinct.
    classes_ : ndarray of shape (2,)
        Two sorted classes; a `decision_function` above 0 means the last one.
    better_ : label
        The better class: the last of `levels`, or of the classes. If it is not the last class,
        `coef_`, `intercept_`, `offset_`, `threshold_` and `path` have the sign of the last class.
    levels_ : ndarray of shape (K,)
        Worst to best; only under the multipartite risk.
    threshold_ : float
        `predict` says positive if ``w·x + offset_`` is above it, and `decision_function` is
        relative to it. It has the least training error, and is 0 if 0 has, or for levels.
    objective_, gap_ : float
        The objective, and a certified bound on its relative distance from the minimum. For
        ``lam = 0`` the bound is an estimate, half the squared Newton decrement, or infinite.
    n_iter_ : int

    Notes
    -----
    With two classes it is tagged as a classifier; under ``multipartite`` as a regressor, because
    it predicts scores. Sparse rows stay sparse. An evaluation costs O(n log n + K n) for the hinge
    and the squared hinge, O(K n) for the exponential loss, O(n) for the logistic one, and a term a
    pair for others.

    References
    ----------
    Herbrich, Graepel and Obermayer, Support vector learning for ordinal regression, ICANN 1999;
    costs: uematsu2010, "A tripartite ranking risk"; queries: mohri2018, section 10.3.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), [0, 1, 0, 1]
    >>> LinearRanker(lam=0.1).fit(X, y).predict([[-1.0], [4.0]])
    array([0, 1])
    """

    _takes_sparse = True
    _signed = ("coef_", "intercept_", "offset_", "threshold_")

    # No dataclass: type checkers would take any keyword, as scikit-learn's base is untyped.
    def __init__(
        self,
        *,
        loss: str | Loss = "logistic",
        risk: str | Risk = "classification",
        lam: float = 1.0,
        class_weight: ClassWeight = None,
        fit_intercept: bool = True,
        tol: float = 1e-6,
        max_iter: int = 500,
        costs: ArrayLike | None = None,
        levels: Levels | None = None,
        queries: str = "pairs",
    ) -> None:
        self.loss, self.risk, self.lam = loss, risk, lam
        self.class_weight, self.fit_intercept = class_weight, fit_intercept
        self.tol, self.max_iter = tol, max_iter
        self.costs, self.levels, self.queries = costs, levels, queries

    def fit(
        self, X: ArrayLike, y: ArrayLike, groups: PerRow = None, sample_weight: PerRow = None
    ) -> Self:
        """Fit to rows X (n, d), dense or sparse, and labels y (n,) of classes or ordered levels.

        For risks of pairs only pairs within `groups` (n,) count, if given. `sample_weight` (n,),
        >= 0, says how often each row counts; under the classification risk `class_weight`
        multiplies it. A pair has the product of two weights, which for the hinge over pairs must
        be multiples of one unit, such as 0.5 and 1.25.

        ValueError for a parameter out of range, an impossible combination of loss and risk,
        missing or infinite values, one class or more than two, a label that is not among `levels`,
        data without a pair, groups or weights that the risk does not take, missing groups, or the
        hinge of points without an intercept on sparse rows. A ConvergenceWarning tells if `tol`
        was not reached.
        """
        trained, lams = self._check(self.lam), np.array([self.lam], dtype=np.float64)
        labels, task = self._task(trained, X, y, lams, groups, sample_weight)
        weights = class_weights(self.class_weight, labels, task)
        found = self._solve(task, weights)
        self._set(found)
        if not task.risk.several_levels:
            self.threshold_ = _threshold(task, found, weights)
        self._keep(labels, task.risk)
        return self

    def fit_pairs(
        self, X: ArrayLike, pairs: ArrayLike, labels: ArrayLike, sample_weight: PerRow = None
    ) -> Self:
        """Fit to labelled pairs of rows: with the hinge mohri2018, (10.9), ``C = 1 / (lam m)``.

        It minimises ``lam/2 ||w||²`` + the mean over pairs of the loss of ``w·(x - x')``, where x
        is to be above x', whatever `risk`. `predict` then returns scores.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Sparse for smooth losses only.
        pairs : array-like of shape (m, 2), int
            Two rows of X each. Pairs may contradict each other.
        labels : array-like of shape (m,)
            1 if the first row is to be above the second, -1 if below, 0 to leave the pair out.
        sample_weight : array-like of shape (m,), optional
            Weights of pairs, >= 0: a pair of weight 2 counts as two pairs.

        Raises
        ------
        ValueError
            For a parameter out of range, `costs`, `levels`, `class_weight` or ``queries="each"``,
            a loss without a solver over pairs, missing or infinite values, malformed pairs, labels
            or weights, or no pair with both; FloatingPointError if squares of features overflow.

        Examples
        --------
        >>> import numpy as np
        >>> X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0]])
        >>> ranker = LinearRanker(loss="hinge", lam=0.1).fit_pairs(X, [[1, 0], [1, 2]], [1, -1])
        >>> ranker.predict(X).argsort()
        array([0, 1, 2])
        """
        X = training_rows(self, X, sparse=True)
        if not Loss.parse(self.loss).smooth and is_sparse(X):
            refuse_sparse(X, "a loss with kinks needs, over listed pairs,")
        used, problem = self._listed(X, pairs, labels, sample_weight)
        found = problem.solve(as_rows(X[used]), self.tol)
        warn_unconverged(str(problem), found, np.array([problem.lam]), self.tol)
        self._set(found)
        self._forget("classes_", "better_", "levels_")
        return self

    def path(
        self,
        X: ArrayLike,
        y: ArrayLike,
        lams: ArrayLike,
        groups: PerRow = None,
        sample_weight: PerRow = None,
    ) -> PathResult:
        """Solve for several penalties at once; the estimator does not change.

        `lams` (L,) are in any order, and `lam` is not used; all else is as in `fit`. The result, a
        `PathResult`, has ``coef`` (d, L) and ``intercept`` (L,) in the order of `lams`. The scores
        for all penalties are ``X @ path.coef + path.offset``.
        """
        grid = np.atleast_1d(np.asarray(lams, dtype=np.float64))
        for lam in grid.tolist():
            self._check(lam)
        labels, task = self._task(self._trained(), X, y, grid, groups, sample_weight, learns=False)
        found = self._solve(task, class_weights(self.class_weight, labels, task))
        return found if task.risk.several_levels or not self._turns(labels) else found.turned()

    def separates(self) -> bool:
        """Tell whether an intercept is fitted, which makes 0 the border between the classes."""
        return self.fit_intercept and self._risk().class_weight

    def check(self, lam: float | None = None) -> None:
        """Raise ValueError if a parameter is impossible; this needs no data."""
        self._check(self.lam if lam is None else lam)

    def _set(self, found: PathResult) -> None:
        self.coef_, self.intercept_ = found.coef.T.copy(), found.intercept
        self.offset_, self.threshold_ = found.offset, 0.0
        self.objective_, self.gap_ = float(found.objective[0]), float(found.gap[0])
        self.n_iter_ = int(found.n_iter[0])

    def _solve(self, task: Task, weights: tuple[float, float]) -> PathResult:
        weight = task.sample_weight
        if task.risk.balanced or (task.risk.class_weight and self.class_weight is not None):
            each = np.where(task.level > 0, *weights[::-1])
            weight = each if weight is None else each * weight
        task = replace(task, sample_weight=weight, intercept=self.fit_intercept)
        if not (found := task.risk.solve(task)).converged.all():
            what, why = f"{task.loss!r} × {task.risk!r}", partial(no_minimiser, task, found)
            warn_unconverged(what, found, task.lams, self.tol, special=why)
        return found

    def _scores(self, X: Floats) -> Floats:
        return scores(X, self.coef_.T, self.offset_)[:, 0]


def _threshold(task: Task, found: PathResult, weights: tuple[float, float]) -> float:
    """Return the best threshold of the scores, most of which need not be exact for that."""

    def exact(rows: Ints | slice) -> Floats:
        return scores(task.X[rows], found.coef, found.offset)[:, 0]

    if found.rough is None:
        s = scores(task.X, found.coef, found.offset)[:, 0]
        return best_threshold(s, task.level > 0, weights, task.sample_weight)
    s, error = found.rough
    return best_threshold(s, task.level > 0, weights, task.sample_weight, exact, error)
