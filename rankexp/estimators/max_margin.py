"""The linear order of pairs with the greatest margin, by a linear program."""

from dataclasses import dataclass

import numpy as np

from rankexp.arrays import Floats, Ints
from rankexp.estimators.linear_of_pairs import LinearOfPairs, scaled
from rankexp.estimators.parameters import check_number, warn_user
from rankexp.solvers.pairs.max_margin import max_margin
from rankexp.solvers.pairs.pair_list import PairList

REGISTER = {"MaxMarginRanker": "MaxMarginRanker"}

NOTHING = 1e-9  # of the largest feature: a margin that is only rounding

INSEPARABLE = (
    "the pairs are not separable: no linear order agrees with all of them beyond rounding; use "
    "LinearRanker('hinge'), which penalises pairs in the wrong order"
)


@dataclass(eq=False, repr=False)
class MaxMarginRanker(LinearOfPairs):
    """Maximises the least margin ``w·(x - x')`` of pairs over ``|w|_1 <= 1``.

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
    bound_ : float
        The value of the dual program: up to rounding, no w has a greater margin.
    dual_gap_ : float
        ``bound_ - margin_``.
    n_iter_ : int
        Linear programs solved, each for some of the pairs.

    Notes
    -----
    For small lam ``LinearRanker("hinge").fit_pairs`` maximises the margin in norm 2. A margin of
    rho here is at least rho for ``w / ||w||_2`` as well.

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
        check_number("tol", self.tol)

    def _learn(self, X: Floats, upper: Ints, lower: Ints, weight: Floats) -> None:
        X, power = scaled(X)
        pairs = PairList.of(upper, lower, weight, X.shape[0])
        found = max_margin(X, pairs, float(self.tol), NOTHING)
        if found.bound <= NOTHING or found.margin <= 0.0:
            raise ValueError(INSEPARABLE)
        with np.errstate(over="ignore"):
            self.margin_ = float(np.ldexp(found.margin, power))
            self.bound_ = float(np.ldexp(found.bound, power))
        self.coef_, self.n_iter_ = found.w[None], found.n_iter
        self.dual_gap_ = max(self.bound_ - self.margin_, 0.0)
        if found.bound - found.margin > self.tol * found.bound:
            warn_user(
                f"the margin is within {1 - found.margin / found.bound:.1e} of the greatest one, "
                f"relatively, but not within tol={self.tol:g}: scale the features, or raise tol"
            )
