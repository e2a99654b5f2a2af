"""Linear rankers of labelled pairs: what they share, the Perceptron, and the greatest margin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from rankexp.arrays import Floats, Ints, PerRow, Seed
from rankexp.categories import in_numbers
from rankexp.estimators import parameters
from rankexp.estimators.labels import few_levels
from rankexp.estimators.pair_data import labelled_pairs, pairs_of_levels
from rankexp.estimators.risk_mixin import RealRanker
from rankexp.metrics.level_counts import group_numbers
from rankexp.solvers.pairs.pair_list import PairList, margins, max_margin
from rankexp.solvers.result import scores
from rankexp.warn import warn_user

REGISTER = {"MaxMarginRanker": "MaxMarginRanker", "RankPerceptron": "RankPerceptron"}

Learnt = tuple[Floats, Ints, Ints, Floats]

LARGEST_POWER = 1000  # of 2, that features are scaled by
FIRST, GROWTH, MOST = 32, 2, 2**16  # tuned: pairs that are looked at together, until one is wrong
NOTHING = 1e-9  # of the largest feature: a margin that is only rounding


class LinearOfPairs(RealRanker):
    """A linear scoring function of labelled pairs, or of all pairs of rows with different labels.

    A subclass learns in `_learn` from the upper and the lower row of each pair, and weights > 0.
    """

    coef_: Floats
    _weighs: ClassVar[bool] = False  # whether pairs have weights

    def fit(self, X: ArrayLike, y: ArrayLike, groups: PerRow = None) -> Self:
        """Fit to rows X (n, d): of each pair with different y (n,) the greater one is to be above.

        y holds numbers or an ordered Categorical. Only pairs within `groups` (n,) count, if given.
        Errors are those of :meth:`fit_pairs`; ValueError also for a constant y, labels without an
        order, over 1,000 levels or over 20 million pairs.
        """
        self._learn(*self._of_levels(X, y, groups))
        return self

    def fit_pairs(
        self, X: ArrayLike, pairs: ArrayLike, labels: ArrayLike, sample_weight: PerRow = None
    ) -> Self:
        """Fit to labelled pairs of rows.

        :meth:`LinearRanker.fit_pairs` explains the parameters and errors. A class without weights
        of pairs raises ValueError for weights other than 0 and 1.
        """
        self._learn(*self._of_list(X, pairs, labels, sample_weight))
        return self

    def _of_levels(self, X: ArrayLike, y: ArrayLike, groups: PerRow, reset: bool = True) -> Learnt:
        self.check()
        X, y = parameters.training_data(self, X, in_numbers(y), real=True, reset=reset)
        codes = few_levels(y, None)[1]
        upper, lower = pairs_of_levels(codes, group_numbers(groups, codes.size))
        self._grouped = groups is not None
        return X, upper, lower, np.ones(upper.size)

    def _of_list(
        self, X: ArrayLike, pairs: ArrayLike, labels: ArrayLike, mass: PerRow, reset: bool = True
    ) -> Learnt:
        self.check()
        self._grouped = False
        X = parameters.training_rows(self, X, reset=reset)
        upper, lower, weight = labelled_pairs(X.shape[0], pairs, labels, mass)
        if not self._weighs and (weight != weight[0]).any():
            advice = "give weights 0 and 1 only, or use LinearRanker(...).fit_pairs"
            raise ValueError(f"{type(self).__name__} does not weigh pairs: {advice}")
        return X, upper, lower, weight

    def predict(self, X: ArrayLike) -> Floats:
        """Return the scores of rows, shape (n,): the higher, the better."""
        return scores(parameters.fitted_rows(self, X), self.coef_.T)[:, 0]


def scaled(X: Floats) -> tuple[Floats, int]:
    """Return ``2^-p (X - x_0)`` with values up to 1, where x_0 is the first row, and p.

    Only the unit of differences changes, and data far from 0 lose no digits later.
    """
    power = _power(X)
    X = np.ldexp(X, -power)
    X -= X[0].copy()
    more = _power(X)
    return np.ldexp(X, -more), power + more


def _power(X: Floats) -> int:
    return max(int(np.frexp(np.abs(X).max())[1]), -LARGEST_POWER)


@dataclass(eq=False, repr=False, kw_only=True)
class RankPerceptron(LinearOfPairs):
    """Adds the difference x - x' of pairs in the wrong order until all pairs are in order.

    It visits the pairs in turn, again and again. A pair is in order if ``w·(x - x') > 0``, where x
    is to be above x'. If some w of norm 1 has ``w·(x - x') >= rho > 0`` for all pairs, there are
    at most ``max |x - x'|² / rho²`` updates, whatever their order. If no linear order agrees with
    all pairs, updates never end; then it warns, and `LinearRanker` is the better choice.

    Parameters
    ----------
    max_iter : int
        The largest number of passes through the pairs.
    shuffle : bool
        Whether each pass visits the pairs in a new random order, or in the given one.
    random_state : int, RandomState or None
        Seed of the order.

    Attributes
    ----------
    coef_ : ndarray of shape (1, d)
        The sum of the differences that were added, scaled so that its absolute values add up to 1.
    n_updates_ : int
    n_iter_ : int
        Passes through the pairs.
    separable_ : bool
        Whether all pairs are in order, as the last pass showed.
    margin_ : float
        The least ``w·(x - x') / ||w||_2`` of the pairs.

    References
    ----------
    mohri2018, exercise 10.5.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0]])
    >>> ranker = RankPerceptron().fit_pairs(X, [[1, 0], [1, 2]], [1, -1])
    >>> ranker.separable_, ranker.predict(X).argsort()
    (True, array([0, 1, 2]))
    """

    max_iter: int = 100
    shuffle: bool = False
    random_state: Seed = None

    def check(self) -> None:
        """Raise ValueError if a parameter is impossible; this needs no data."""
        parameters.check_count("max_iter", self.max_iter)

    def _learn(self, X: Floats, upper: Ints, lower: Ints, weight: Floats) -> None:
        X, power = scaled(X)
        rng = check_random_state(self.random_state)
        w, self.n_updates_, self.separable_ = np.zeros(X.shape[1]), 0, False
        for time in range(1, int(self.max_iter) + 1):
            if self.shuffle:
                order = rng.permutation(upper.size)
                upper, lower = upper[order], lower[order]
            before, start, size = self.n_updates_, 0, FIRST
            while start < upper.size:
                some = slice(start, start + size)
                if not (wrong := margins(X, upper[some], lower[some], w) <= 0.0).any():
                    start, size = start + size, min(GROWTH * size, MOST)
                    continue
                at = start + int(wrong.argmax())
                w += X[upper[at]] - X[lower[at]]
                self.n_updates_, start, size = self.n_updates_ + 1, at + 1, FIRST
            self.n_iter_, self.separable_ = time, self.n_updates_ == before
            if self.separable_:
                break
        else:
            text = f"after {self.max_iter} passes some pairs are in the wrong order"
            advice = "or use a LinearRanker if no linear order agrees with all pairs"
            warn_user(f"{text}: raise max_iter, {advice}")
        w /= np.abs(w).max() or 1.0
        w /= np.abs(w).sum() or 1.0
        self.coef_ = w[None]
        with np.errstate(over="ignore"):
            least = margins(X, upper, lower, w).min() / (np.sqrt(w @ w) or 1.0)
            self.margin_ = float(np.ldexp(least, power))


@dataclass(eq=False, repr=False, kw_only=True)
class MaxMarginRanker(LinearOfPairs):
    """Maximises the least margin ``w·(x - x')`` of pairs over ``|w|_1 <= 1``.

    For small lam ``LinearRanker(loss="hinge").fit_pairs`` maximises the margin in norm 2. A margin
    of rho here is at least rho for ``w / ||w||_2`` as well.

    Parameters
    ----------
    tol : float
        Relative gap of the margin to reach, > 0.

    Attributes
    ----------
    coef_ : ndarray of shape (1, d)
        Its absolute values add up to 1.
    margin_ : float
        The least margin of all pairs, in units of X.
    bound_, dual_gap_ : float
        The value of the dual program: up to rounding, no w has a greater margin; and its distance
        from `margin_`.
    n_iter_ : int
        Linear programs solved, each for some of the pairs.

    References
    ----------
    mohri2018, exercise 10.6.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0, 0.0], [1.0, 3.0], [3.0, 2.0]])
    >>> ranker = MaxMarginRanker().fit_pairs(X, [[1, 0], [1, 2]], [1, -1])
    >>> round(ranker.margin_, 9), ranker.coef_.round(9)
    (1.4, array([[0.8, 0.2]]))
    >>> ranker.fit_pairs(X, [[1, 0], [0, 2], [1, 2]], [1, 1, -1])
    Traceback (most recent call last):
    ValueError: the pairs are not separable: no linear order agrees with all of them beyond...
    """

    tol: float = 1e-6

    def check(self) -> None:
        """Raise ValueError if a parameter is impossible; this needs no data."""
        parameters.check_number("tol", self.tol)

    def _learn(self, X: Floats, upper: Ints, lower: Ints, weight: Floats) -> None:
        X, power = scaled(X)
        pairs = PairList.of(upper, lower, weight, X.shape[0])
        found = max_margin(X, pairs, float(self.tol), NOTHING)
        if found.bound <= NOTHING or found.margin <= 0.0:
            text = "the pairs are not separable: no linear order agrees with all of them beyond"
            advice = "use LinearRanker(loss='hinge'), which penalises pairs in the wrong order"
            raise ValueError(f"{text} rounding; {advice}")
        with np.errstate(over="ignore"):
            self.margin_ = float(np.ldexp(found.margin, power))
            self.bound_ = float(np.ldexp(found.bound, power))
        self.coef_, self.n_iter_ = found.w[None], found.n_iter
        self.dual_gap_ = max(self.bound_ - self.margin_, 0.0)
        if found.bound - found.margin > self.tol * found.bound:
            off = f"{1 - found.margin / found.bound:.1e} of the greatest one, relatively"
            text = f"the margin is within {off}, but not within tol={self.tol:g}"
            warn_user(f"{text}: scale the features, or raise tol")
