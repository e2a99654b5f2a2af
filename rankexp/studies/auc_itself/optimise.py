"""Linear scorers that maximise the AUC of the training examples, from a fit of a loss."""

from collections.abc import Callable, Iterator
from typing import Self

import numpy as np
import numpy.typing as npt
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import StratifiedKFold

from rankexp.arrays import Floats
from rankexp.estimators import LinearRanker
from rankexp.studies.auc_itself.line_search import best_step, twice_in_order

Step = Callable[[Floats], Floats]
"""From a scorer to a direction."""
LAMBDAS = (1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 1, 10, 100)
FOLDS, RANDOM, SWEEPS = 3, 20, 50
SMOOTH = 0.1
"""The surrogate's width, in standard deviations of the scores."""


class AucItself(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Exact line searches of the training AUC, from a fit, until none of a sweep gains.

    The start minimises a loss with a penalty that inner folds choose by AUC. A sweep searches
    along each coordinate, the gradient of a smooth surrogate (the mean of sigmoids of differences
    of scores), and 20 random directions. A step is taken if it gains a pair, counted anew.

    Parameters
    ----------
    directions : str
        Which of a sweep's directions are searched: words of ``"coordinates gradient random"``.
        Without any it is the start itself.
    sweeps : int
        Sweeps at most.
    risk : str
        What the start's logistic loss is averaged over: ``points`` or ``pairs``.
    plane : bool
        Rank in the plane of the first two principal components. There two line searches
        find the largest AUC of all linear scorers, whatever the start.
    random_state : int
        Of the random directions and the inner folds.

    Attributes
    ----------
    coef_ : ndarray of shape (1, d)
        In the plane, d = 2.
    start_auc_, training_auc_, training_gain_ : float
        The training AUC of the start and of the scorer, and their difference.
    n_sweeps_ : int
        Sweeps that were made; with the last, if there were fewer than allowed, none gained.
    """

    def __init__(
        self,
        directions: str = "coordinates gradient random",
        *,
        sweeps: int = SWEEPS,
        risk: str = "points",
        plane: bool = False,
        random_state: int | None = 0,
    ) -> None:
        self.directions = directions
        self.sweeps = sweeps
        self.risk = risk
        self.plane = plane
        self.random_state = random_state

    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike) -> Self:
        """Fit to rows X (n, d) and two classes y, the last in order being the positive one."""
        X, y = np.asarray(X, dtype=np.float64), np.asarray(y)
        self.classes_, self.n_features_in_ = np.unique(y), X.shape[1]
        positive = y == self.classes_[-1]
        self.center_ = X.mean(axis=0)
        if self.plane:
            self.plane_ = np.linalg.svd(X - self.center_, full_matrices=False)[2][:2].T
        Z = self._features(X)
        rng = np.random.default_rng(self.random_state)
        w = self._start(Z, positive, rng)
        pairs = 2 * int(positive.sum()) * int((~positive).sum())
        self.start_auc_ = twice_in_order(Z @ w, positive) / pairs
        self.n_sweeps_ = 0
        if self.directions:
            w = best_of_plane(Z, positive, w) if self.plane else self._climb(Z, positive, w, rng)
        self.coef_ = w[None]
        self.training_auc_ = twice_in_order(Z @ w, positive) / pairs
        self.training_gain_ = self.training_auc_ - self.start_auc_
        return self

    def decision_function(self, X: npt.ArrayLike) -> Floats:
        """Return scores, (n,)."""
        return np.asarray(self._features(np.asarray(X, dtype=np.float64)) @ self.coef_[0])

    def predict(self, X: npt.ArrayLike) -> np.ndarray:
        """Return the classes of rows by the sign of their scores, (n,)."""
        return np.asarray(self.classes_[(self.decision_function(X) > 0).astype(int)])

    def _features(self, X: Floats) -> Floats:
        return np.asarray((X - self.center_) @ self.plane_ if self.plane else X - self.center_)

    def _start(self, Z: Floats, positive: np.ndarray, rng: np.random.Generator) -> Floats:
        """Return the fit with the penalty that is best over inner folds, the larger of equals."""
        ranker = LinearRanker(risk=self.risk)
        rarer = int(min(positive.sum(), (~positive).sum()))  # one of it a fold at least
        count, seed = max(min(FOLDS, rarer), 2), int(rng.integers(2**31))
        folds = StratifiedKFold(count, shuffle=True, random_state=seed)
        total = np.zeros(len(LAMBDAS))
        for train, test in folds.split(Z, positive):
            coef = ranker.path(Z[train], positive[train], LAMBDAS).coef
            own = positive[test]
            pairs = 2 * own.sum() * (~own).sum()
            total += [twice_in_order(Z[test] @ one, own) / pairs for one in coef.T]
        best = int(np.flatnonzero(total >= total.max() - 1e-12)[-1])
        return np.asarray(ranker.path(Z, positive, LAMBDAS).coef[:, best])

    def _climb(
        self, Z: Floats, positive: np.ndarray, w: Floats, rng: np.random.Generator
    ) -> Floats:
        scale = Z.std(axis=0)
        for sweep in range(1, self.sweeps + 1):
            self.n_sweeps_ = sweep
            before = found = twice_in_order(Z @ w, positive)
            for step in self._sweep(Z, positive, scale, rng):
                direction = step(w)
                moved = w + best_step(Z @ w, Z @ direction, positive)[0] * direction
                if (count := twice_in_order(Z @ moved, positive)) > found:
                    w, found = moved / np.linalg.norm(moved), count
                    found = twice_in_order(Z @ w, positive)
            if found <= before:
                break
        return w

    def _sweep(
        self, Z: Floats, positive: np.ndarray, scale: Floats, rng: np.random.Generator
    ) -> Iterator[Step]:
        """Yield functions from a scorer to a direction."""
        if "coordinates" in self.directions:
            for unit in np.eye(len(scale))[scale > 0]:
                yield _always(unit)
        if "gradient" in self.directions:
            yield lambda w: surrogate_gradient(Z, positive, w)
        if "random" in self.directions:
            safe = np.where(scale > 0, scale, np.inf)
            for drawn in rng.normal(size=(RANDOM, len(scale))) / safe:
                yield _always(drawn)


def _always(direction: Floats) -> Step:
    return lambda _: direction


def surrogate_gradient(Z: Floats, positive: np.ndarray, w: Floats) -> Floats:
    """Return the gradient of the mean sigmoid of differences of scores, up to a factor, (d,)."""
    s = Z @ w
    width = SMOOTH * s.std() or 1.0
    p = expit((s[positive][:, None] - s[~positive]) / width)
    slope = p * (1 - p)
    return np.asarray(Z[positive].T @ slope.sum(axis=1) - Z[~positive].T @ slope.sum(axis=0))


def best_of_plane(Z: Floats, positive: np.ndarray, w: Floats) -> Floats:
    """Return a linear scorer of two features with the largest AUC, w if it is one.

    (1, t) and (-1, t) are all scorers but (0, 1) and (0, -1), whose AUC is the mean of two others
    beside them.
    """
    found, best = twice_in_order(Z @ w, positive), w
    for side in (1.0, -1.0):
        t = best_step(side * Z[:, 0], Z[:, 1], positive)[0]
        moved = np.array([side, t])
        if (count := twice_in_order(Z @ moved, positive)) > found:
            found, best = count, moved / np.linalg.norm(moved)
    return best
