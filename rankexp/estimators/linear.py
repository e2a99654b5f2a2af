"""The linear ranker: one estimator for every loss and risk."""

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, Self
from warnings import warn

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_X_y
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.validation import check_is_fitted, validate_data

from rankexp import registry
from rankexp.estimators.labels import best_threshold, two_classes
from rankexp.solvers.pairwise import pairwise_path
from rankexp.solvers.result import Floats, PathResult
from rankexp.solvers.scores import scores
from rankexp.solvers.smooth import smooth_path

REGISTER = {"LinearRanker": "LinearRanker"}


@dataclass(frozen=True)
class Task:
    """What a solver is given: validated data, and the settings of the estimator."""

    X: Floats
    positive: npt.NDArray[np.bool_]
    lams: Floats
    loss: str
    weights: tuple[float, float] | None
    fit_intercept: bool
    tol: float
    max_iter: int


def _classification(task: Task) -> PathResult:
    weight = None if task.weights is None else np.where(task.positive, *task.weights[::-1])
    return smooth_path(
        task.X,
        task.positive,
        registry.get("losses", task.loss)(),
        task.lams,
        fit_intercept=task.fit_intercept,
        sample_weight=weight,
        tol=task.tol,
        max_iter=task.max_iter,
    )


def _bipartite(task: Task) -> PathResult:
    loss = registry.get("losses", task.loss)()
    return pairwise_path(
        task.X, task.positive, loss, task.lams, tol=task.tol, max_iter=task.max_iter
    )


def _bipartite_hinge(task: Task) -> PathResult:
    from rankexp.solvers.hinge import hinge_path

    return hinge_path(task.X, task.positive, task.lams, tol=task.tol, max_iter=task.max_iter)


@dataclass(frozen=True)
class Combination:
    """One cell of the table loss × risk: how it is solved, and what it allows."""

    solve: Callable[[Task], PathResult]
    zero_lam: bool = True


_POINTS = Combination(_classification)
_PAIRS = Combination(_bipartite)
COMBINATIONS: dict[tuple[str, str], Combination] = {
    ("logistic", "classification"): _POINTS,
    ("exponential", "classification"): _POINTS,
    ("squared_hinge", "classification"): _POINTS,
    ("hinge", "bipartite"): Combination(_bipartite_hinge, zero_lam=False),
    ("squared_hinge", "bipartite"): _PAIRS,
    ("logistic", "bipartite"): _PAIRS,
    ("exponential", "bipartite"): _PAIRS,
}


def combination(loss: str, risk: str) -> Combination:
    """Return the cell of a loss and a risk.

    Raises
    ------
    ValueError
        For an unknown loss or risk, or a pair that isn't in the table; the message says what is.
    """
    risks = sorted({r for _, r in COMBINATIONS})
    losses = sorted({name for name, _ in COMBINATIONS})
    for what, name, known in (("loss", loss, losses), ("risk", risk, risks)):
        if name not in known:
            hint = registry.did_you_mean(str(name), known)
            raise ValueError(f"unknown {what} {name!r}{hint}; known: {', '.join(known)}")
    if (loss, risk) not in COMBINATIONS:
        table = "; ".join(f"{r}: {', '.join(_losses_of(r))}" for r in risks)
        raise ValueError(f"no combination of loss {loss!r} with risk {risk!r}; there are {table}")
    return COMBINATIONS[loss, risk]


def _losses_of(risk: str) -> list[str]:
    return sorted(loss for loss, r in COMBINATIONS if r == risk)


class LinearRanker(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A linear scoring function, trained by ``lam/2 ||w||² + risk``.

    Parameters
    ----------
    loss : {"logistic", "exponential", "hinge", "squared_hinge"}
    risk : {"classification", "bipartite"}
        ``classification``: the mean of ``l(y, w·x + b)`` over examples. ``bipartite``: the mean
        of ``l(w·(x - x'))`` over pairs of a positive x and a negative x'. With the hinge loss the
        latter is SVM-OR of kotlowski2011. `combinations` lists what goes together.
    lam : float
        Penalty of ``||w||²``, >= 0; 0 for smooth losses only. The intercept is never penalised.
    class_weight : None, "balanced" or dict of label to weight
        What an example of a class counts in the classification risk, which becomes a weighted
        mean (only the ratio of the weights counts), and in the training error that sets
        `threshold_`. A bipartite risk and its ranking do not depend on it.
    fit_intercept : bool
        Ignored by the bipartite risk, which has no intercept.
    tol : float
        Relative suboptimality of the objective to reach.
    max_iter : int
        Iterations at most.

    Attributes
    ----------
    coef_ : ndarray of shape (1, d)
    intercept_ : ndarray of shape (1,)
        0 for the bipartite risk.
    classes_ : ndarray of shape (2,)
        Sorted; the last is the positive one.
    threshold_ : float
        The value of ``w·x + b`` above which `predict` says positive: the one with the least
        training error, 0 where that is as good as any. `decision_function` is relative to it.
    objective_, gap_ : float
        The objective, and how far it can be above the minimum, relative to it. This is
        certified; for ``lam = 0`` it is an estimate, half the squared Newton decrement.
    n_iter_ : int

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), [0, 1, 0, 1]
    >>> LinearRanker(lam=0.1).fit(X, y).predict([[-1.0], [4.0]])
    array([0, 1])
    """

    def __init__(
        self,
        loss: str = "logistic",
        risk: str = "classification",
        lam: float = 1.0,
        class_weight: Any = None,
        fit_intercept: bool = True,
        tol: float = 1e-6,
        max_iter: int = 500,
    ) -> None:
        self.loss = loss
        self.risk = risk
        self.lam = lam
        self.class_weight = class_weight
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter

    @staticmethod
    def combinations() -> list[tuple[str, str]]:
        """Return the (loss, risk) pairs that exist."""
        return list(COMBINATIONS)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def fit(self, X: Any, y: Any) -> Self:
        """Fit to rows X of shape (n, d) and labels y of two classes.

        Raises
        ------
        ValueError
            For a parameter out of range, an impossible combination of loss and risk, missing or
            infinite values, one class or more than two.
        TypeError
            For a sparse matrix.

        Warns
        -----
        sklearn.exceptions.ConvergenceWarning
            Where `tol` was not reached.
        """
        self.check()
        X, y = validate_data(self, X, y, dtype=np.float64, order="C")
        self.classes_, positive = two_classes(y)
        weights = self._weights(y)
        found = self._solve(X, positive, np.array([self.lam], dtype=np.float64), weights)
        self.coef_, self.intercept_ = found.coef.T.copy(), found.intercept
        self.objective_, self.gap_ = float(found.objective[0]), float(found.gap[0])
        self.n_iter_ = int(found.n_iter[0])
        s = scores(X, found.coef, found.intercept)[:, 0]
        self.threshold_ = best_threshold(s, positive, weights or (1.0, 1.0))
        return self

    def path(self, X: Any, y: Any, lams: npt.ArrayLike) -> PathResult:
        """Solve for several penalties at once, without changing the estimator.

        Parameters
        ----------
        X : array-like of shape (n, d)
        y : array-like of shape (n,)
        lams : array-like of shape (L,)
            In any order; `lam` is not used.

        Returns
        -------
        PathResult
            ``coef`` (d, L), ``intercept`` (L,), in the order of `lams`: the scores of all
            penalties are ``scores(X, path.coef, path.intercept)``.
        """
        grid = np.atleast_1d(np.asarray(lams, dtype=np.float64))
        for lam in grid.tolist():
            self.check(lam)
        X, y = check_X_y(X, y, dtype=np.float64, order="C")
        return self._solve(X, two_classes(y)[1], grid, self._weights(y))

    def check(self, lam: float | None = None) -> None:
        """Raise ValueError where the parameters are impossible, without any data."""
        cell = combination(self.loss, self.risk)
        lam = self.lam if lam is None else lam
        if not (isinstance(lam, Real) and 0.0 <= lam < np.inf):
            raise ValueError(f"lam must be a finite number >= 0, got {lam!r}")
        if lam == 0 and not cell.zero_lam:
            raise ValueError(f"the {self.loss} loss needs lam > 0 (0 is for smooth losses)")
        if not (isinstance(self.tol, Real) and self.tol > 0):
            raise ValueError(f"tol must be a number > 0, got {self.tol!r}")
        if not (isinstance(self.max_iter, Integral) and self.max_iter >= 1):
            raise ValueError(f"max_iter must be an integer >= 1, got {self.max_iter!r}")

    def _weights(self, y: npt.NDArray[Any]) -> tuple[float, float] | None:
        if self.class_weight is None:
            return None
        down, up = compute_class_weight(self.class_weight, classes=np.unique(y), y=y).tolist()
        if not (0.0 < down < np.inf and 0.0 < up < np.inf):
            raise ValueError(
                f"class_weight must give finite weights > 0, got {self.class_weight!r}"
            )
        return down, up

    def _solve(
        self, X: Floats, positive: Any, lams: Floats, weights: tuple[float, float] | None
    ) -> PathResult:
        task = Task(
            X, positive, lams, self.loss, weights, self.fit_intercept, self.tol, self.max_iter
        )
        found = combination(self.loss, self.risk).solve(task)
        for i in np.flatnonzero(~found.converged):
            warn(
                f"{self.loss} × {self.risk} did not converge at lam={lams[i]:g}: "
                f"relative gap {found.gap[i]:.1e} > tol {self.tol:g} after {found.n_iter[i]} "
                "iterations; raise max_iter, lam or tol, or scale the features",
                ConvergenceWarning,
                stacklevel=3,
            )
        return found

    def decision_function(self, X: Any) -> Floats:
        """Return the scores of rows, shape (n,): the higher, the likelier positive.

        They are ``w·x + b - threshold_``, so that a score above 0 means the positive class.
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, order="C", reset=False)
        return scores(X, self.coef_.T, self.intercept_)[:, 0] - self.threshold_

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the labels of rows, shape (n,): positive where the score is above 0."""
        above = self.decision_function(X) > 0
        labels: npt.NDArray[Any] = self.classes_[above.astype(np.intp)]
        return labels
