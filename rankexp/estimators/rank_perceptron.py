"""The Perceptron on pairs."""

from dataclasses import dataclass

import numpy as np
from sklearn.utils import check_random_state

from rankexp.arrays import Floats, Ints, Seed
from rankexp.estimators.linear_of_pairs import LinearOfPairs, scaled
from rankexp.estimators.parameters import at_least_one, warn_user
from rankexp.solvers.pairs.pair_list import margins

REGISTER = {"RankPerceptron": "RankPerceptron"}

FIRST, GROWTH, MOST = 32, 2, 2**16  # tuned: pairs that are looked at together, until one is wrong


@dataclass(eq=False, repr=False)
class RankPerceptron(LinearOfPairs):
    """Adds the difference x - x' of a pair that is not in order, until all pairs are.

    Pairs are gone through in turn, again and again; one is in order where ``w·(x - x') > 0``, x
    being to be ranked above x'. Where some w of norm 1 has ``w·(x - x') >= rho > 0`` for all
    pairs, there are at most ``max |x - x'|² / rho²`` updates, whatever the order of pairs.

    Parameters
    ----------
    max_iter : int
        Times that all pairs are gone through, at most.
    shuffle : bool
        Whether pairs are put into a random order before each time; else as they are given.
    random_state : int, RandomState or None
        For the order.

    Attributes
    ----------
    coef_ : ndarray of shape (1, d)
        The sum of the differences that were added, divided by a number such that its absolute
        values add up to 1.
    n_updates_ : int
    n_iter_ : int
        Times that all pairs were gone through.
    separable_ : bool
        Whether all pairs are in order. Then the last time found none that isn't.
    margin_ : float
        The least ``w·(x - x') / ||w||_2`` of the pairs.

    Notes
    -----
    Pairs have no weights, and where no linear order agrees with all of them it does not settle:
    it warns, and `LinearRanker` is the ranker to take.

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
        """Raise ValueError where the parameters are impossible, without any data."""
        at_least_one("max_iter", self.max_iter)

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
                f"after going {self.max_iter} times through the pairs some are not in order: "
                "raise max_iter; where no linear order agrees with all pairs that will not help: "
                "take a LinearRanker"
            )
        w /= np.abs(w).max() or 1.0
        w /= np.abs(w).sum() or 1.0
        self.coef_ = w[None]
        with np.errstate(over="ignore"):
            least = margins(X, upper, lower, w).min() / (np.sqrt(w @ w) or 1.0)
            self.margin_ = float(np.ldexp(least, power))


def _once(X: Floats, upper: Ints, lower: Ints, w: Floats) -> int:
    """Go through the pairs once, changing w; return the number of updates."""
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
