"""The Perceptron on pairs."""

from dataclasses import dataclass

import numpy as np
from sklearn.utils import check_random_state

from rankexp.arrays import Floats, Ints, Seed
from rankexp.estimators.linear_of_pairs import LinearOfPairs, scaled
from rankexp.estimators.parameters import check_count, warn_user
from rankexp.solvers.pairs.pair_list import margins

REGISTER = {"RankPerceptron": "RankPerceptron"}

FIRST, GROWTH, MOST = 32, 2, 2**16  # tuned: pairs that are looked at together, until one is wrong


@dataclass(eq=False, repr=False)
class RankPerceptron(LinearOfPairs):
    """Adds the difference x - x' of pairs in the wrong order until all pairs are in order.

    It visits the pairs in turn, again and again. A pair is in order if ``w·(x - x') > 0``, where x
    is to be above x'. If some w of norm 1 has ``w·(x - x') >= rho > 0`` for all pairs, there are
    at most ``max |x - x'|² / rho²`` updates, whatever the order of the pairs.

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

    Notes
    -----
    Pairs have no weights. If no linear order agrees with all pairs, the updates never end; then it
    warns, and `LinearRanker` is the better choice.

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
        check_count("max_iter", self.max_iter)

    def _learn(self, X: Floats, upper: Ints, lower: Ints, weight: Floats) -> None:
        X, power = scaled(X)
        rng = check_random_state(self.random_state)
        w, self.n_updates_, self.separable_ = np.zeros(X.shape[1]), 0, False
        for time in range(1, int(self.max_iter) + 1):
            if self.shuffle:
                order = rng.permutation(upper.size)
                upper, lower = upper[order], lower[order]
            found = _once(X, upper, lower, w)
            self.n_updates_ += found
            self.n_iter_, self.separable_ = time, found == 0
            if self.separable_:
                break
        else:
            warn_user(
                f"after {self.max_iter} passes some pairs are in the wrong order: raise max_iter, "
                "or use a LinearRanker if no linear order agrees with all pairs"
            )
        w /= np.abs(w).max() or 1.0
        w /= np.abs(w).sum() or 1.0
        self.coef_ = w[None]
        with np.errstate(over="ignore"):
            least = margins(X, upper, lower, w).min() / (np.sqrt(w @ w) or 1.0)
            self.margin_ = float(np.ldexp(least, power))


def _once(X: Floats, upper: Ints, lower: Ints, w: Floats) -> int:
    updates, start, size = 0, 0, FIRST
    while start < upper.size:
        some = slice(start, start + size)
        wrong = margins(X, upper[some], lower[some], w) <= 0.0
        if not wrong.any():
            start, size = start + size, min(GROWTH * size, MOST)
            continue
        at = start + int(wrong.argmax())
        w += X[upper[at]] - X[lower[at]]
        updates, start, size = updates + 1, at + 1, FIRST
    return updates
