"""RankBoost: boosted threshold rankers under an exponential or logistic loss of pairs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from rankexp.arrays import Floats, Ints, PerRow, Seed
from rankexp.categories import Levels
from rankexp.estimators.labels import best_threshold, level_order
from rankexp.estimators.pair_data import PairError, held_out, labelled_pairs
from rankexp.estimators.parameters import one_of, training_data, training_rows, weighed
from rankexp.estimators.risk_mixin import RiskMixin
from rankexp.estimators.rounds import COPIES, StumpBooster, Watch, check_stopping
from rankexp.losses.margin import Exponential, Logistic
from rankexp.metrics.level_counts import cost_matrix, group_numbers
from rankexp.risks.risk import NO_QUERIES, QUERIES, Given, plain
from rankexp.solvers.boosting.boost_pairs import ListedPairs, Round, WeightedPairs, boost
from rankexp.solvers.boosting.logistic_pairs import all_pairs
from rankexp.solvers.boosting.stumps import Binned, binned

REGISTER = {"RankBoost": "RankBoost"}

LOSSES = {"exponential": Exponential, "logistic": Logistic}


Watched = tuple[Floats, PairError] | None
PairRounds = tuple[Iterable[Round], float, float, Watched, Floats, Ints, Floats | None]
"""The rounds to come, the risk before them, the mass of pairs, the rows held out and their error,
and all rows with their levels and weights."""


@dataclass(eq=False, repr=False, kw_only=True)
class RankBoost(RiskMixin, StumpBooster):
    """A sum of threshold rankers ``alpha 1[x_j > t]``, boosted on pairs.

    Each round takes the base ranker with the greatest ``|e+ - e-|``, where e+ and e- are the
    weights of the pairs that it orders rightly and wrongly, with the coefficient ``½ log((e+ + d)
    / (e- + d))``. This is coordinate descent on the mean of ``exp(-(r(x) - r(x')))`` over pairs,
    where x is to be above x'. A negative coefficient stands for the base ranker ``1[x_j <= t]``.

    Parameters
    ----------
    risk : {"bipartite", "multipartite"}
        Pairs of two classes, or of any number of ordered levels, weighted by `costs`; "pairs" is
        another name of the first.
    n_rounds : int
        The largest number of rounds.
    cuts : {"quantile", "equidistant", "all"}
        Thresholds lie at `n_cuts` quantiles of a feature in the training data, at as many points
        in its range, or midway between all neighbouring values, as always if there are few. With
        "all" each round fills tables as large as X.
    n_cuts : int
    loss : {"exponential", "logistic"}
        The loss of a pair's score difference. With "exponential" a round takes O(n) a feature.
    alpha : {"pairs", "bound", "textbook"}
        "pairs" takes e+ and e- over pairs, for two classes ``E+[h] (1 - E-[h])`` and
        ``(1 - E+[h]) E-[h]``, which minimises the exponential loss along the coordinate. "bound"
        takes the shorter step ``½ log((1 + r) / (1 - r))``, r = e+ - e-, which minimises a bound
        of that loss (Freund et al., 2003, section 3.2). "textbook" takes the ``E+[h]`` and
        ``E-[h]`` of mohri2018's Figure 10.2, which minimises neither.
    smoothing : float or None
        The number d >= 0, which keeps alpha finite when e- is 0; None means one over the number of
        training examples, as Schapire and Singer (1999) advise.
    costs : None or array-like of shape (K, K)
        ``costs[j, i]`` is the cost of ranking level i below level j < i. None means 1.
    levels : None or sequence
        Worst to best. None means ascending numbers, or for two classes their sorted order.
    validation_fraction : float or None
        Share of the examples of each level (or of the groups) to hold out, in (0, 1). Rounds are
        kept up to the one with the least cost of wrongly ordered pairs. None: no early stopping.
    n_iter_no_change : int
        Training stops after so many rounds without a lower error.
    random_state : int, RandomState or None
        Seed of the rows held out.
    queries : {"pairs", "each", "across"}
        How groups count, as for `LinearRanker`.

    Attributes
    ----------
    stump_features_, stump_thresholds_, alphas_ : ndarray of shape (``n_iter_``,)
        The feature, the threshold and the coefficient of each round.
    risk_ : ndarray of shape (``n_iter_ + 1``,)
        The mean loss of the training pairs, weighted by costs, after 0, 1, ... rounds.
    normalisers_ : ndarray of shape (``n_iter_``,)
        The factor by which the mean loss changes in each round. For the exponential loss these
        are mohri2018's Z_t, whose product bounds the share of training pairs in the wrong order
        (Theorem 10.3).
    right_, wrong_ : ndarray of shape (``n_iter_``,)
        e+ and e- of each round's base ranker, swapped if its coefficient is negative, so that
        ``right_ >= wrong_``.
    pairs_ : float
        The sum of the weights of pairs, where the greatest cost counts 1.
    n_iter_ : int
        Rounds kept; fewer than `n_rounds` if no base ranker has an edge.
    validation_error_ : ndarray of shape (rounds tried + 1,)
        With early stopping: the error on held out pairs, by round.
    levels_ : ndarray of shape (K,)
    classes_, better_, threshold_
        Under the bipartite risk: as for `LinearRanker`. If `better_` is not the last class,
        `alphas_` and `threshold_` have the sign of the last class.

    References
    ----------
    mohri2018, Figures 10.1 and 10.2; Freund, Iyer, Schapire and Singer, JMLR 4 (2003);
    uematsu2010, "Numerical example".

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), [0, 1, 0, 1]
    >>> RankBoost(n_rounds=10).fit(X, y).predict([[-1.0], [4.0]])
    array([0, 1])
    """

    risk: str = "bipartite"
    n_rounds: int = 100
    cuts: str = "quantile"
    n_cuts: int = 255
    loss: str = "exponential"
    alpha: str = "pairs"
    smoothing: float | None = None
    costs: ArrayLike | None = None
    levels: Levels | None = None
    validation_fraction: float | None = None
    n_iter_no_change: int = 10
    random_state: Seed = None
    queries: str = "pairs"

    def check(self) -> None:
        """Raise ValueError if a parameter is impossible; this needs no data."""
        self._check_boosting()
        one_of("risk", plain(self.risk), ("bipartite", "multipartite"))
        one_of("loss", self.loss, tuple(LOSSES))
        one_of("alpha", self.alpha, ("pairs", "bound", "textbook"))
        one_of("queries", self.queries, QUERIES)
        check_stopping(self.validation_fraction, self.n_iter_no_change)

    def takes(self) -> frozenset[Given]:
        """Return what `fit` may be given beside X and y, with these parameters."""
        split = self.validation_fraction is not None
        return frozenset({"groups"} if split else {"groups", "sample_weight"})

    def fit(
        self, X: ArrayLike, y: ArrayLike, groups: PerRow = None, sample_weight: PerRow = None
    ) -> Self:
        """Fit to rows X (n, d) and labels y (n,), on pairs within `groups` (n,), if given.

        `sample_weight` (n,), >= 0, says how often each row counts; a pair has the product of two
        weights. Early stopping allows none, as copies of a row could be on both sides.

        Errors are as for :meth:`LinearRanker.fit`; ValueError also for over 1,000 levels, nothing
        to train or to validate on, or an infinite coefficient (smoothing=0).
        """
        return self._first(self._ready(X, y, groups, sample_weight))

    def _ready(
        self, X: ArrayLike, y: ArrayLike, groups: PerRow = None, sample_weight: PerRow = None
    ) -> PairRounds:
        self.check()
        levels = level_order(y, self.levels, present=plain(self.risk) == "bipartite")
        X, y = training_data(self, X, y)
        if sample_weight is not None and "sample_weight" not in self.takes():
            raise ValueError(f"sample_weight needs validation_fraction=None, {COPIES}")
        train, weight = weighed(X, sample_weight)
        X, y, groups = X[train], y[train], group_numbers(groups, X.shape[0])
        if (each := self.queries == "each") and groups is None:
            raise ValueError(NO_QUERIES)
        self._grouped = groups is not None and self.queries != "across"
        numbers = None if groups is None else groups[train]
        within = None if self.queries == "across" else numbers
        codes = self._codes(y, levels)
        costs = cost_matrix(self.costs, self.levels_.shape[0])
        costs /= costs.max()  # only ratios matter; sums must not overflow
        train, watched = slice(None), None
        if self.validation_fraction is not None:
            rng = check_random_state(self.random_state)
            out = held_out(codes, numbers, self.validation_fraction, rng)
            apart = None if within is None else within[out]
            train, watched = ~out, (X[out], PairError(codes[out], costs, apart, each))
        rows = binned(X[train], self.cuts, self.n_cuts, weight=weight)
        within = None if within is None else within[train]
        pairs = all_pairs(rows, codes[train], costs, within, LOSSES[self.loss](), each)
        return self._rounds(rows, pairs), pairs.risk, pairs.mass, watched, X, codes, weight

    def _first(self, found: PairRounds) -> Self:
        rounds, risk, mass, watched, X, codes, weight = found
        self._keep_rounds(rounds, risk, mass, watched)
        if plain(self.risk) == "bipartite":
            self.threshold_ = best_threshold(self._scores(X), codes == 1, sample_weight=weight)
            self._keep_classes(self.levels_, "alphas_", "threshold_")
        else:
            self._forget("classes_", "better_")
        return self

    def fit_pairs(
        self, X: ArrayLike, pairs: ArrayLike, labels: ArrayLike, sample_weight: PerRow = None
    ) -> Self:
        """Fit to labelled pairs of rows (mohri2018, Figure 10.1).

        :meth:`LinearRanker.fit_pairs` explains the parameters. There is no early stopping.
        """
        self.check()
        X = training_rows(self, X)
        upper, lower, weights = labelled_pairs(X.shape[0], pairs, labels, sample_weight)
        rows = binned(X, self.cuts, self.n_cuts)
        listed = ListedPairs(rows, upper, lower, weights, LOSSES[self.loss]())
        self._forget("classes_", "better_", "levels_")
        self._grouped = False
        self._keep_rounds(self._rounds(rows, listed), listed.risk, listed.mass)
        return self

    def _rounds(self, rows: Binned, pairs: WeightedPairs) -> Iterator[Round]:
        return boost(rows, pairs, self.n_rounds, self.alpha, self._smoothing(rows))

    def _keep_rounds(
        self, rounds: Iterable[Round], risk: float, mass: float, watched: Watched = None
    ) -> None:
        self._forget("validation_error_")
        rounds, kept = islice(rounds, self.n_rounds), list[Round]()
        if watched is None:
            kept = list(rounds)
        else:
            X, error = watched
            watch = Watch(error, self.n_iter_no_change, X.shape[0], before=True)
            for one in rounds:
                kept.append(one)
                if watch.stops(np.where(one.stump.above(X), one.alpha, 0.0)):
                    break
            self.validation_error_, kept = np.array(watch.errors), kept[: watch.best]
        self._keep([one.stump for one in kept], [one.alpha for one in kept])
        self.normalisers_ = np.array([one.ratio for one in kept], dtype=np.float64)
        tops = [sorted((r.shares.wrong, r.shares.right)) for r in kept]
        self.wrong_, self.right_ = np.array(tops, dtype=np.float64).reshape(-1, 2).T
        self.pairs_ = mass
        self.risk_ = risk * np.concatenate(([1.0], np.cumprod(self.normalisers_)))
        self.threshold_ = 0.0

    @property
    def edges_(self) -> Floats:
        """mohri2018's edge of each round's base ranker, ``(e+ - e-) / 2``, (``n_iter_``,)."""
        check_is_fitted(self)
        return np.asarray((self.right_ - self.wrong_) / 2.0)

    @property
    def smooth_margins_(self) -> Floats:
        """The smooth margin after each round, (``n_iter_``,), under the exponential loss.

        It is ``-log F / (|alpha_1| + ... + |alpha_t|)``, where F is the sum of
        ``exp(-(r(x) - r(x')))`` over pairs: a lower bound on the normalised margins of pairs.
        """
        check_is_fitted(self)
        if self.loss != "exponential":
            raise AttributeError("only the exponential loss has a smooth margin")
        log_f = np.log(self.pairs_) + np.cumsum(np.log(self.normalisers_))
        return np.asarray(-log_f / np.cumsum(np.abs(self.alphas_)))

    def staged_decision_function(self, X: ArrayLike) -> Iterator[Floats]:
        """Yield the scores of rows after 1, 2, ... rounds, shape (n,) each.

        All use the final `threshold_`; the last equals `decision_function` up to rounding.
        """
        for s in self._staged(X):
            yield s - self.threshold_
