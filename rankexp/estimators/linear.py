"""The linear ranker: one estimator for every loss and risk."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from rankexp.arrays import Floats, Labels, PerRow
from rankexp.categories import Levels
from rankexp.estimators.class_weights import ClassWeight, class_weights
from rankexp.estimators.labels import best_threshold
from rankexp.estimators.no_minimiser import no_minimiser
from rankexp.estimators.parameters import (
    checked_data,
    fitted_rows,
    training_data,
    training_rows,
    warn_unconverged,
)
from rankexp.estimators.risk_ranker import RiskRanker
from rankexp.losses.base import Loss
from rankexp.risks.base import Risk, Task
from rankexp.solvers.result import PathResult
from rankexp.solvers.scores import scores

REGISTER = {"LinearRanker": "LinearRanker"}

Weights = tuple[tuple[float, float], Floats | None]


class LinearRanker(RiskRanker):
    """A linear scoring function, trained by ``lam/2 ||w||² + risk``.

    Parameters
    ----------
    loss : str or Loss
        ``"logistic"``, ``"exponential"``, ``"hinge"``, ``"p_classification(p=4)"`` or any other
        of `rankexp.losses`, also with parameters.
    risk : str or Risk
        Any of `rankexp.risks`. ``classification``: the mean of ``l(y, w·x + b)`` over examples;
        with the hinge loss the linear support vector machine, of which C is ``1 / (lam n)``.
        ``bipartite``: the mean of ``l(w·(x - x'))`` over pairs of a positive x and a negative x'.
        With the hinge loss this is SVM-OR of kotlowski2011. ``push(p=4)``: the mean over negatives
        of the p-th power of the mean of ``l(1, w·(x - x'))`` over positives. ``multipartite``:
        the mean over pairs of an x of a higher and an x' of a lower of K ordered levels, weighted
        by `costs`; with the hinge loss the ordinal support vector machine of Herbrich et al.
        (1999).
        `combinations` lists what goes together, `rankexp.risks.table` says why the rest doesn't.
    lam : float
        Penalty of ``||w||²``, >= 0; 0 for smooth losses only. The intercept is never penalised.
        Without a penalty there need not be a minimiser: a warning says so where the data are
        separable, or a direction seems to part some rows and to tie the others.
    class_weight : None, "balanced" or dict of label to weight
        What an example of a class counts in the classification risk, which becomes a weighted
        mean (only the ratio of the weights counts), and in the training error that sets
        `threshold_`. A risk of pairs and its ranking do not depend on it.
    fit_intercept : bool
        Ignored by the risks of pairs, which have no intercept.
    tol : float
        Relative suboptimality of the objective to reach.
    max_iter : int
        Iterations at most.
    costs : array-like of shape (K, K), optional
        Of the multipartite risk: ``costs[j, i]`` of ranking level i below level j < i; by default
        all 1. A cost of 0 takes the pairs of two levels out.
    levels : sequence, optional
        Levels, worst to best; by default the numbers in y in their order. A level without an
        example has no pairs. Of two classes, the last one present is the better one, which
        `rank_scores` ranks higher; signs of all else go by the sorted `classes_`.
    queries : {"pairs", "each", "across"}
        Of the risks of pairs within groups: all pairs count alike, so that a group (a query)
        counts by its pairs; or the groups that have pairs do, which asks for groups. "across":
        all pairs of all rows, whatever their groups.

    Attributes
    ----------
    coef_ : ndarray of shape (1, d)
    intercept_ : ndarray of shape (1,)
        0 for the risks of pairs.
    offset_ : ndarray of shape (1,)
        What scores have beside w·x: ``intercept_``, unless that is so much larger than all w·x of
        the training rows that it would round them to ties; then one with the same sign that
        leaves them distinct.
    classes_ : ndarray of shape (2,)
        Sorted; a `decision_function` above 0 means the last. Not of `levels_`.
    better_ : label
        The better class: the last of `levels`, or of the classes. Where it isn't the last class,
        `coef_`, `intercept_`, `offset_`, `threshold_` and `path` have the sign of the last class.
    levels_ : ndarray of shape (K,)
        Worst to best. Of the multipartite risk only.
    threshold_ : float
        The value of ``w·x + offset_`` above which `predict` says positive: that with the least
        training error, 0 where that is as good as any. `decision_function` is relative to it.
        0 for the multipartite risk, where `predict` gives scores.
    objective_, gap_ : float
        The objective, and how far it can be above the minimum, relative to it. This is
        certified; for ``lam = 0`` it is an estimate, half the squared Newton decrement, or
        infinite where scores still grow for next to no gain.
    n_iter_ : int

    Notes
    -----
    Tags follow `risk`: a classifier of two classes; under ``multipartite`` a regressor, as it
    predicts numbers, the scores. The hinge and the squared hinge cost O(n log n + K n) an
    evaluation, the exponential loss O(K n), the logistic one O(n); a loss without quick sums a
    term a pair.

    References
    ----------
    R. Herbrich, T. Graepel and K. Obermayer. Support vector learning for ordinal regression.
    ICANN 1999. Costs of pairs of levels: uematsu2010, "A tripartite ranking risk". Pairs within
    a query: mohri2018, section 10.3.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), [0, 1, 0, 1]
    >>> LinearRanker(lam=0.1).fit(X, y).predict([[-1.0], [4.0]])
    array([0, 1])
    """

    _signed = ("coef_", "intercept_", "offset_", "threshold_")

    # No dataclass: type checkers would take any keyword, as scikit-learn's base is untyped.
    def __init__(
        self,
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
        self.loss = loss
        self.risk = risk
        self.lam = lam
        self.class_weight = class_weight
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.costs = costs
        self.levels = levels
        self.queries = queries

    def fit(
        self, X: ArrayLike, y: ArrayLike, groups: PerRow = None, sample_weight: PerRow = None
    ) -> Self:
        """Fit to rows X of shape (n, d) and labels y of two classes, or of ordered levels.

        Parameters
        ----------
        X : array-like of shape (n, d)
        y : array-like of shape (n,)
        groups : array-like of shape (n,), optional
            Only pairs of one group count. Some groups may have none. Of the risks of pairs only.
        sample_weight : array-like of shape (n,), optional
            How often each row counts, >= 0: a weight of 2 is two equal rows, 0 none. A pair counts
            the product of two weights, and those of the hinge over pairs must be whole multiples
            of one unit, as 0.5 and 1.25 are. `class_weight` multiplies those of the
            classification risk.

        Raises
        ------
        ValueError
            For a parameter out of range, an impossible combination of loss and risk, missing or
            infinite values, one class or more than two, a label not among `levels`, no pair, or
            groups that the risk has no use for, or weights that it cannot take, or no groups
            where each is to count alike.
        TypeError
            For a sparse matrix.

        Warns
        -----
        sklearn.exceptions.ConvergenceWarning
            Where `tol` was not reached.
        """
        trained = self._check(self.lam)
        order, lams = self._order(y, trained[1]), np.array([self.lam], dtype=np.float64)
        X, y = training_data(self, X, y)
        labels, task, weights = self._weighted(trained, X, y, lams, order, groups, sample_weight)
        found = self._solve(task)
        self._set(found)
        if not task.risk.several_levels:
            s = scores(task.X, found.coef, found.offset)[:, 0]
            self.threshold_ = best_threshold(s, task.level > 0, *weights)
        self._keep(labels, task.risk)
        return self

    def fit_pairs(
        self, X: ArrayLike, pairs: ArrayLike, labels: ArrayLike, sample_weight: PerRow = None
    ) -> Self:
        """Fit to labelled pairs of rows: with the hinge mohri2018, (10.9), ``C = 1 / (lam m)``.

        It minimises ``lam/2 ||w||²`` + the mean over pairs of the loss of ``w·(x - x')``, x being
        ranked above x'. `risk` and `queries` say nothing here, as there are no labels of rows;
        there are no classes, and `predict` gives scores.

        Parameters
        ----------
        X : array-like of shape (n, d)
        pairs : array-like of shape (m, 2), int
            Two rows of X each. No order need agree with all of them.
        labels : array-like of shape (m,)
            1: the first is to be ranked above the second; -1: below; 0: the pair is left out.
        sample_weight : array-like of shape (m,), optional
            >= 0; what each pair counts, as so many copies of it.

        Raises
        ------
        ValueError
            For a parameter out of range, `costs`, `levels`, `class_weight` or ``queries="each"``,
            a loss that is not solved over pairs, missing or infinite values, pairs, labels or
            weights of another kind, or no pair that counts.
        FloatingPointError
            For features so large that their squares overflow.
        TypeError
            For a sparse matrix.

        Warns
        -----
        sklearn.exceptions.ConvergenceWarning
            Where `tol` was not reached.

        Examples
        --------
        >>> import numpy as np
        >>> X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0]])
        >>> ranker = LinearRanker("hinge", lam=0.1).fit_pairs(X, [[1, 0], [1, 2]], [1, -1])
        >>> ranker.predict(X).argsort()
        array([0, 1, 2])
        """
        X = training_rows(self, X)
        used, problem = self._listed(X, pairs, labels, sample_weight)
        found = problem.solve(np.ascontiguousarray(X[used]), self.tol)
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
        """Solve for several penalties at once, without changing the estimator.

        Parameters
        ----------
        X : array-like of shape (n, d)
        y : array-like of shape (n,)
        lams : array-like of shape (L,)
            In any order; `lam` is not used.
        groups, sample_weight : array-like of shape (n,), optional
            As in `fit`.

        Returns
        -------
        PathResult
            ``coef`` (d, L), ``intercept`` (L,), in the order of `lams`: the scores of all
            penalties are ``scores(X, path.coef, path.offset)``.
        """
        grid = np.atleast_1d(np.asarray(lams, dtype=np.float64))
        trained = self._trained()
        for lam in grid.tolist():
            self._check(lam)
        order = self._order(y, trained[1])
        X, y = checked_data(X, y)
        labels, task, _ = self._weighted(trained, X, y, grid, order, groups, sample_weight)
        found = self._solve(task)
        return found if task.risk.several_levels or not self._turns(labels) else found.turned()

    def separates(self) -> bool:
        """Tell whether an intercept is fitted, so that ``w·x + offset_`` is 0 between classes."""
        return self.fit_intercept and self._risk().class_weight

    def check(self, lam: float | None = None) -> None:
        """Raise ValueError where the parameters are impossible, without any data."""
        self._check(self.lam if lam is None else lam)

    def _weighted(
        self,
        trained: tuple[Loss, Risk],
        X: Floats,
        y: Labels,
        lams: Floats,
        order: Levels | None,
        groups: PerRow,
        sample_weight: PerRow,
    ) -> tuple[Labels, Task, Weights]:
        """Return the labels, the task, and the weights of classes and of the task's rows."""
        risk = trained[1]
        X, y, groups, given = self._counted(risk, X, y, groups, sample_weight)
        labels, task = self._task(trained, X, y, lams, order, groups)
        down, up = class_weights(self.class_weight, labels, y, task, given)
        weight = given
        if risk.class_weight and self.class_weight is not None:
            each = np.where(task.level > 0, up, down)
            weight = each if given is None else each * given
        task = replace(task, sample_weight=weight, intercept=self.fit_intercept)
        return labels, task, ((down, up), given)

    def _set(self, found: PathResult) -> None:
        """Set the attributes by the solution of one penalty; the threshold is 0."""
        self.coef_, self.intercept_ = found.coef.T.copy(), found.intercept
        self.offset_, self.threshold_ = found.offset, 0.0
        self.objective_, self.gap_ = float(found.objective[0]), float(found.gap[0])
        self.n_iter_ = int(found.n_iter[0])

    def _solve(self, task: Task) -> PathResult:
        found = task.risk.solve(task)
        if not found.converged.all():
            what, why = f"{task.loss!r} × {task.risk!r}", partial(no_minimiser, task, found)
            warn_unconverged(what, found, task.lams, self.tol, special=why)
        return found

    def decision_function(self, X: ArrayLike) -> Floats:
        """Return the scores of rows, shape (n,): the higher, the better.

        They are ``w·x + offset_ - threshold_``, so that of two classes, a score above 0 means
        ``classes_[1]``. Where `levels` say that this is the worse one, see `rank_scores`.
        """
        return scores(fitted_rows(self, X), self.coef_.T, self.offset_)[:, 0] - self.threshold_
