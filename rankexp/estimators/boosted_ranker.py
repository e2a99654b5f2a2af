"""The boosted ranker: trees of LightGBM or XGBoost, trained on points or on all pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit
from sklearn.utils import Tags, check_consistent_length, check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from rankexp.arrays import Bools, Floats, Groups, Ints, PerRow, Seed
from rankexp.blas import sparing
from rankexp.categories import Levels, in_order
from rankexp.estimators import parameters
from rankexp.estimators.engines import ENGINES, Booster, EngineTask, LightGBM, Settings, XGBoost
from rankexp.estimators.labels import level_order, shift_to_share
from rankexp.estimators.pair_data import PairError, held_out
from rankexp.estimators.risk_mixin import RiskMixin, ranks_levels
from rankexp.estimators.rounds import COPIES, InRounds, Watch, check_stopping
from rankexp.metrics.level_counts import cost_matrix, group_numbers
from rankexp.objectives.pair_objective import PairObjective, Steps
from rankexp.risks.risk import Given, plain
from rankexp.warn import warn_user

REGISTER = {"BoostedRanker": "BoostedRanker"}

RISKS = ("classification", "balanced", "bipartite", "multipartite")
PAIRS = ("bipartite", "multipartite")

Rows = tuple[ArrayLike, ArrayLike] | tuple[ArrayLike, ArrayLike, ArrayLike]
EvalSet = Rows | list[Rows] | None
"""Rows to stop early by: X, y and perhaps groups; also as a list of one, as elsewhere."""


class Data(NamedTuple):
    """The rows with a positive weight, and what is known of them."""

    X: parameters.Table
    codes: Ints
    weight: Floats | None
    groups: Groups

    def of(self, rows: Bools) -> Data:
        """Return some of the rows."""
        weight = None if self.weight is None else self.weight[rows]
        groups = None if self.groups is None else self.groups[rows]
        return Data(parameters.taken(self.X, rows), self.codes[rows], weight, groups)


GrownTrees = tuple[Data, Booster, list[float]]
"""All rows, the engine's trees, and the errors of held out rows, if any."""


@dataclass(eq=False, repr=False, kw_only=True)
class BoostedRanker(RiskMixin, InRounds):
    """A sum of trees that LightGBM or XGBoost grows on points or on all pairs.

    The engine's objective is the exact risk of all pairs (`rankexp.objectives.PairObjective`). The
    engine grows the trees in its own way: missing values, categories and other settings are its.

    Parameters
    ----------
    engine : {"lightgbm", "xgboost"}
        The package must be installed: ``pip install 'rankexp[lightgbm]'``.
    loss : {"logistic", "squared_hinge", "exponential"}
        The loss of a pair's score difference. Points are trained by the logistic loss only.
    risk : {"bipartite", "multipartite", "classification", "balanced"}
        "bipartite" and "multipartite" train on all pairs, of two classes or of ordered levels.
        "classification" trains on points by the engine's binary logistic loss; "balanced" does so
        with class weights ``2 (1 - p)`` and ``2p``, p = P(better). "points" and "pairs" are other
        names of "classification" and "bipartite".
    n_rounds, validation_fraction, n_iter_no_change, levels
        As for `RankBoost`.
    learning_rate : float
        > 0.
    max_leaf_nodes : int
        The largest number of leaves of a tree, >= 2.
    curvature : float
        As in `PairObjective`; ignored when training on points.
    params : dict or None
        Other parameters of the engine, by its own names: ``{"max_delta_step": 2.0}``. They
        override what is set here (XGBoost grows up to `max_leaf_nodes` leaves of any depth).
    random_state : int, RandomState or None
        Seed of the rows held out and of the engine's sampling.
    n_jobs : int or None
        Threads of the engine; None means one.

    Attributes
    ----------
    booster_ : lightgbm.Booster or xgboost.Booster
        All rounds; the first `n_iter_` of them are used.
    n_iter_ : int
        Rounds kept.
    intercept_ : float
        The number a that is added to the sum of trees, so that for two classes the mean of
        ``sigma(s + a)`` over training rows is the share of the better class; else, and for
        "classification", 0.
    validation_error_ : ndarray of shape (rounds tried,)
        With early stopping: the share of held out pairs in the wrong order, by round.
    classes_, better_, levels_
        As for `LinearRanker`.

    Notes
    -----
    A group counts by its number of rows, as in `PairObjective`. X may be a DataFrame with
    categorical columns and missing values, or sparse: LightGBM trains on sparse rows as they are,
    for XGBoost they are made dense, as it takes zeros that are not stored for missing values.
    `predict_proba` reads scores as log odds, which they are under the logistic loss; under others
    calibrate, as with ``CalibratedClassifierCV``. Row weights move the cuts of XGBoost's
    histograms when training on points. LightGBM runs in its deterministic mode, except
    ``boosting="dart"`` with pairs.

    Examples
    --------
    >>> import numpy as np
    >>> import pytest
    >>> _ = pytest.importorskip("lightgbm")  # else this example is left out
    >>> X = np.arange(100.0)[:, None]
    >>> model = BoostedRanker(n_rounds=5).fit(X, X[:, 0] > 60)
    >>> model.predict([[10.0], [90.0]]), model.score(X, X[:, 0] > 60)
    (array([False,  True]), 1.0)
    """

    engine: str = "lightgbm"
    loss: str = "logistic"
    risk: str = "bipartite"
    n_rounds: int = 100
    learning_rate: float = 0.1
    max_leaf_nodes: int = 31
    curvature: float = 1.0
    validation_fraction: float | None = None
    n_iter_no_change: int = 10
    params: Settings | None = None
    levels: Levels | None = None
    random_state: Seed = None
    n_jobs: int | None = None

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.sparse = True
        return tags

    def check(self) -> None:
        """Raise ValueError if a parameter is impossible; this needs no data and no engine."""
        parameters.one_of("engine", self.engine, tuple(ENGINES))
        parameters.one_of("risk", self.risk, (*RISKS, "points", "pairs"))
        PairObjective(self.loss, self.curvature)
        if plain(self.risk) not in PAIRS and self.loss != "logistic":
            text = f"loss={self.loss!r} is for pairs, but risk={self.risk!r} trains on points: "
            raise ValueError(f"{text}set loss='logistic'")
        parameters.check_count("n_rounds", self.n_rounds)
        check_stopping(self.validation_fraction, self.n_iter_no_change)
        parameters.check_count("n_jobs", 1 if self.n_jobs is None else self.n_jobs)
        # A tree of one leaf ranks nothing.
        parameters.check_count("max_leaf_nodes", self.max_leaf_nodes, 2)
        parameters.check_number("learning_rate", self.learning_rate)
        if not isinstance(self.params or {}, Mapping):
            raise ValueError(f"params must be a dict of engine parameters, got {self.params!r}")
        self._engine().check(self.params or {})
        if self.validation_fraction:
            self._check_early_stopping("set validation_fraction=None")

    def _check_early_stopping(self, advice: str) -> None:
        if not self._engine().keeps_trees(self.params or {}):
            why = "change the trees of earlier rounds, so training cannot stop early"
            raise ValueError(f"params={self.params!r} {why}: {advice}")

    def _engine(self) -> LightGBM | XGBoost:
        return ENGINES[self.engine]

    @staticmethod
    def modules(given: Mapping[str, Any]) -> set[str]:
        """Return the packages that fits need with some parameters, or with a grid of them."""
        named = given.get("engine", BoostedRanker.engine)
        return {named} if isinstance(named, str) else set(named)

    def takes(self) -> frozenset[Given]:
        """Return what else `fit` takes beside X and y with these parameters."""
        groups: set[Given] = {"groups"} if plain(self.risk) in PAIRS else set()
        weights: set[Given] = {"sample_weight"} if self.validation_fraction is None else set()
        return frozenset(groups | weights)

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        groups: PerRow = None,
        sample_weight: PerRow = None,
        eval_set: EvalSet = None,
    ) -> Self:
        """Fit to rows X (n, d) and labels y (n,); pairs are those within `groups` (n,), if given.

        `eval_set`, which is (X, y) or (X, y, groups), holds other rows to stop early by, in place
        of `validation_fraction`.

        Row weights and errors are as for :meth:`RankBoost.fit`, but X may have missing values.
        ValueError also for parameters that LightGBM does not know (XGBoost warns of them), and for
        groups when training on points; ImportError if the engine is not installed.
        """
        return self._first(self._found(X, y, groups, sample_weight, eval_set))

    def _keeps_rounds(self) -> bool:
        return super()._keeps_rounds() and self._engine().keeps_trees(self.params or {})

    def _found(
        self,
        X: ArrayLike,
        y: ArrayLike,
        groups: PerRow = None,
        sample_weight: PerRow = None,
        eval_set: EvalSet = None,
    ) -> GrownTrees:
        """Return what is grown on the rows; set `levels_` and what is known of the features."""
        self.check()
        if groups is not None and plain(self.risk) not in PAIRS:
            text = f"groups cannot be used with risk={self.risk!r}, which trains on points"
            raise ValueError(f"{text}: only pairs have groups")
        if sample_weight is not None and self.validation_fraction is not None:
            raise ValueError(f"sample_weight cannot be used with validation_fraction, {COPIES}")
        levels = level_order(y, self.levels, present=not ranks_levels(self))
        X, y = parameters.table_data(self, X, y)
        kept, weight = parameters.weighed(X, sample_weight)
        groups, self._grouped = group_numbers(groups, y.shape[0]), groups is not None
        X, y = parameters.taken(X, kept), y[kept]
        data = Data(X, self._codes(y, levels), weight, None if groups is None else groups[kept])
        rng = check_random_state(self.random_state)
        seed = int(rng.randint(2**31 - 1))
        train, stop = data, None
        errors: list[float] = []
        if self.validation_fraction is not None:
            out = held_out(data.codes, data.groups, self.validation_fraction, rng)
            stop, errors = self._watch(data.of(out))
            train = data.of(~out)
        if eval_set is not None:
            other = eval_set[0] if isinstance(eval_set, list) else eval_set
            stop, errors = self._watch(self._evaluated(*other))
        weight, steps = self._pulls(train)
        y, own = train.codes.astype(np.float64), self.params or {}
        task = EngineTask(self, train.X, y, seed, self.n_jobs or 1, own, weight, steps, stop)
        return data, self._engine().train(task), errors

    def _evaluated(self, X: ArrayLike, y: ArrayLike, groups: PerRow = None) -> Data:
        """Return the rows of an `eval_set`."""
        if self.validation_fraction is not None:
            raise ValueError("eval_set cannot be used with validation_fraction: set that to None")
        self._check_early_stopping("omit eval_set")
        rows = parameters.table_rows(self, X)
        codes = np.asarray(in_order(y, self.levels_), np.int64)
        check_consistent_length(rows, codes)
        return Data(rows, codes, None, group_numbers(groups, codes.size))

    def _watch(self, data: Data) -> tuple[Callable[[Booster], bool], list[float]]:
        """Return a function that tells after each round whether to stop, and its errors."""
        error = PairError(data.codes, cost_matrix(None, len(self.levels_)), data.groups)
        watch = Watch(error, self.n_iter_no_change, data.codes.size, before=False)
        added = self._engine().added(data.X)
        return lambda booster: watch.stops(added(booster, len(watch.errors))), watch.errors

    def _pulls(self, data: Data) -> tuple[Floats | None, Callable[[ArrayLike], Steps] | None]:
        """Return row weights for points, or for pairs the function that gives the gradients."""
        codes, weight = data.codes, data.weight
        if plain(self.risk) in PAIRS:
            pairs = PairObjective(self.loss, self.curvature)
            return None, pairs.prepared(codes, len(self.levels_), weight, data.groups)
        if self.risk == "balanced":
            p = float(np.average(codes, weights=weight))
            each = np.where(codes == 1, 2.0 * (1.0 - p), 2.0 * p)
            weight = each if weight is None else weight * each
        return weight, None

    def _first(self, found: GrownTrees) -> Self:
        data, self.booster_, errors = found
        self._forget("classes_", "better_", "validation_error_")
        self.n_iter_, self.intercept_ = self.n_rounds, 0.0
        if errors:
            self.validation_error_ = np.array(errors)
            self.n_iter_ = int(np.argmin(errors)) + 1
        s = self._scores(data.X)
        if s.min() == s.max():
            text = f"no tree of {self.engine} splits the {s.size} training rows, so all scores are"
            advice = "for few rows set params such as min_data_in_leaf or min_child_weight"
            warn_user(f"{text} equal; {advice}")
        if ranks_levels(self):
            return self
        if plain(self.risk) != "classification":
            self.intercept_ = shift_to_share(s, data.codes, data.weight)
        self._keep_classes(self.levels_)
        return self

    @property
    def feature_importances_(self) -> Floats:
        """Each feature's share in what the splits of the rounds kept gain, (d,)."""
        check_is_fitted(self, "booster_")
        found = self._engine().gains(self.booster_, self.n_iter_, self.n_features_in_)
        return np.asarray(found / (found.sum() or 1.0))

    def _scores(self, X: parameters.Table) -> Floats:
        return self._engine().scores(self.booster_, X, self.n_iter_, self.n_jobs or 1)

    def _signed(self, s: Floats) -> Floats:
        s = s + self.intercept_
        return -s if self._turned() else s

    def decision_function(self, X: ArrayLike) -> Floats:
        """Return the scores of rows, shape (n,), with `intercept_`: the higher, the better.

        See :meth:`LinearRanker.decision_function`.
        """
        check_is_fitted(self, "booster_")
        return self._signed(self._scores(parameters.table_rows(self, X)))

    def staged_decision_function(self, X: ArrayLike) -> Iterator[Floats]:
        """Yield the scores of rows after 1, 2, ... rounds, shape (n,) each.

        All use the final `intercept_`; the last equals `decision_function` up to rounding.
        """
        check_is_fitted(self, "booster_")
        X = parameters.table_rows(self, X)
        added, s = self._engine().added(X), np.zeros(X.shape[0])
        for i in range(self.n_iter_):
            s += added(self.booster_, i)
            yield self._signed(s)

    @available_if(lambda ranker: not ranks_levels(ranker))  # type: ignore[untyped-decorator]
    @sparing  # what `available_if` returns is no function
    def predict_proba(self, X: ArrayLike) -> Floats:
        """Return the probabilities of `classes_`, (n, 2): ``sigma`` of the decision function."""
        s = self.decision_function(X)
        return np.column_stack((expit(-s), expit(s)))
