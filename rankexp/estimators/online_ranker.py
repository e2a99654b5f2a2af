"""The ranking support vector machine, trained one pair at a time."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from rankexp.arrays import Floats, Ints, PerRow, Seed
from rankexp.estimators.linear_of_pairs import Learnt, LinearOfPairs
from rankexp.estimators.parameters import check_count, check_number

REGISTER = {"OnlineRanker": "OnlineRanker"}

BLOCK = 4096  # pairs whose differences are worked out together; no result depends on it


@dataclass(eq=False, repr=False, kw_only=True)
class OnlineRanker(LinearOfPairs):
    """Stochastic gradient steps on ``lam/2 ||w||² + max(0, 1 - w·(x - x'))``, a pair at a time.

    Step t = 0, 1, ... has the size ``eta0 / (1 + lam eta0 t)``, times the pair's weight: weight 2
    is one step of twice the loss, not two steps. `fit` and
    `fit_pairs` start afresh and visit all pairs in random order, `max_iter` times. `partial_fit`
    and `partial_fit_pairs` continue and visit the given pairs once, in order. All approach the
    solution of ``LinearRanker(loss="hinge", lam=lam)`` on the same pairs.

    Parameters
    ----------
    lam : float
        Penalty of ``||w||²``, > 0.
    average : bool
        Whether scores use the mean of w over all steps, or the last w.
    eta0 : float
        Size of the first step, > 0: about ``1 / |x - x'|²``.
    max_iter : int
        Passes of `fit` and `fit_pairs` through the pairs.
    random_state : int, RandomState or None
        Seed of their order.

    Attributes
    ----------
    coef_ : ndarray of shape (1, d)
    t_ : int
        Steps so far.
    n_iter_ : int
        Passes so far; each partial fit is one pass.
    mistakes_ : int
        Pairs that the last w had in the wrong order, ``w·(x - x') <= 0``, before their step.

    References
    ----------
    mohri2018, exercise 10.2, on (10.9). Shalev-Shwartz, Singer, Srebro and Cotter, Pegasos,
    Mathematical Programming 127 (2011); averages: Xu, arXiv:1107.2490.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0]])
    >>> ranker = OnlineRanker(random_state=0).partial_fit_pairs(X, [[1, 0]], [1])
    >>> ranker.partial_fit_pairs(X, [[1, 2]], [-1]).predict(X).argsort()
    array([0, 1, 2])
    """

    _weighs = True

    lam: float = 1e-3
    average: bool = True
    eta0: float = 0.1
    max_iter: int = 5
    random_state: Seed = None

    def check(self) -> None:
        """Raise ValueError if a parameter is impossible; this needs no data."""
        check_number("lam", self.lam)
        check_number("eta0", self.eta0)
        if self.lam * self.eta0 >= 1.0:
            raise ValueError(f"lam * eta0 must be below 1, got {self.lam * self.eta0:g}")
        check_count("max_iter", self.max_iter)

    def partial_fit(self, X: ArrayLike, y: ArrayLike, groups: PerRow = None) -> Self:
        """Continue with all pairs of different y among more rows, within groups, as in `fit`."""
        return self._go_on(self._of_levels, X, y, groups)

    def partial_fit_pairs(
        self, X: ArrayLike, pairs: ArrayLike, labels: ArrayLike, sample_weight: PerRow = None
    ) -> Self:
        """Continue with more labelled pairs, given as in `fit_pairs`."""
        return self._go_on(self._of_list, X, pairs, labels, sample_weight)

    def _go_on(self, read: Callable[..., Learnt], *given: PerRow) -> Self:
        first = not hasattr(self, "t_")
        X, upper, lower, weight = read(*given, reset=first)
        if first:
            self._begin(X.shape[1])
        self._steps(X, upper, lower, weight)
        self._show()
        return self

    def _learn(self, X: Floats, upper: Ints, lower: Ints, weight: Floats) -> None:
        rng = check_random_state(self.random_state)
        self._begin(X.shape[1])
        for _ in range(int(self.max_iter)):
            order = rng.permutation(upper.size)
            self._steps(X, upper[order], lower[order], weight[order])
        self._show()

    def _begin(self, d: int) -> None:
        self.t_ = self.n_iter_ = self.mistakes_ = 0
        self._w, self._sum, self._reach = np.zeros(d), np.zeros(d), np.zeros(d)

    def _steps(self, X: Floats, upper: Ints, lower: Ints, weight: Floats) -> None:
        self.n_iter_ += 1
        self._reach = np.maximum(self._reach, np.abs(X).max(axis=0))
        w, total, lam, eta0 = self._w, self._sum, float(self.lam), float(self.eta0)
        with np.errstate(over="ignore", invalid="ignore"):  # `_show` tells
            for start in range(0, upper.size, BLOCK):
                some = slice(start, start + BLOCK)
                D = X[upper[some]] - X[lower[some]]
                for difference, c in zip(D, weight[some].tolist(), strict=True):
                    eta = eta0 / (1.0 + lam * eta0 * self.t_)
                    margin = float(w.dot(difference))
                    w *= 1.0 - eta * lam
                    if margin < 1.0:
                        w += (eta * c) * difference
                        self.mistakes_ += margin <= 0.0
                    total += w
                    self.t_ += 1

    def _show(self) -> None:
        w = self._sum / self.t_ if self.average else self._w
        with np.errstate(over="ignore", invalid="ignore"):
            largest = np.abs(w) @ self._reach + np.abs(self._w) @ self._reach  # of any score
        if not np.isfinite(largest):
            self.__dict__.pop("coef_", None)
            raise FloatingPointError("the steps diverge: scale the features, or lower eta0")
        self.coef_ = w[None].copy()

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "coef_")  # not after steps that diverged
