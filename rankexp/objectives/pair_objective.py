"""Compute exact gradients of pairs for boosting engines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from numbers import Real
from typing import Protocol, SupportsIndex, cast

import numpy as np
from numpy.typing import ArrayLike

from rankexp.arrays import Floats, Groups, Ints, PerRow
from rankexp.losses.loss import MarginLoss
from rankexp.losses.margin import Exponential, Logistic, SquaredHinge
from rankexp.metrics.level_counts import distinct
from rankexp.registry import did_you_mean
from rankexp.solvers.pairs.pair_risk import ExponentialPairs
from rankexp.solvers.pairs.partial_order import PartialOrder
from rankexp.solvers.pairs.path import PanelPairs
from rankexp.solvers.pairs.squared_hinge import SquaredHingePairs

__all__ = ["PairObjective"]

Form = type[PanelPairs | SquaredHingePairs | ExponentialPairs]
LOSSES: dict[str, tuple[MarginLoss, float, Form]] = {
    "logistic": (Logistic(), 1.0, PanelPairs),
    "squared_hinge": (SquaredHinge(), 0.125, SquaredHingePairs),
    "exponential": (Exponential(), 0.25, ExponentialPairs),
}
"""The losses, what makes their curvature at 0 a quarter, and how their pairs are summed."""
NO_METRIC = (
    "PairObjective is an objective that returns gradient and curvature, not a metric: name a "
    "metric such as 'auc', or write a function"
)
MODERATE = 100  # powers of 2 of weights that are taken as they are
MOST_LEVELS = 1000  # each two of which are compared; a continuous target has more

Steps = tuple[Floats, Floats]  # gradient and curvature by score, (n,) each


class EngineData(Protocol):
    """The data of LightGBM or XGBoost: labels, and weights and sizes of groups, if any."""

    def get_label(self) -> Floats: ...
    def get_weight(self) -> Floats | None: ...
    def get_group(self) -> Ints | None: ...


class _Steps(tuple[Floats, Floats]):
    """What an objective returns. Of a metric LightGBM asks for a third item."""

    __slots__ = ()

    def __getitem__(self, item: SupportsIndex) -> Floats:  # type: ignore[override]
        if item == 2:
            raise TypeError(NO_METRIC)
        return super().__getitem__(item)


@dataclass(frozen=True)
class PairObjective:
    """The risk of all pairs of a better and a worse row, as an objective of boosting engines.

    With W the sum of the weights w of all n rows, pairs i, j of levels y_i > y_j and a factor c
    of the loss l it is ``R = (2 / W) sum over pairs of w_i w_j c l(s_i - s_j)``. Called with
    labels and scores it returns, without listing the pairs,

    - the gradient ``g_i = dR / ds_i``, the sum of ``c l'(s_i - s_j)`` over worse rows j less that
      of ``c l'(s_k - s_i)`` over better rows k, times ``2 w w / W``;
    - the curvature ``h_i = curvature · d²R / ds_i²``, the same sums of ``c l''``, added.

    At equal scores and p = P(y = 1) the curvature of all rows is ``n p (1 - p)``, as that of
    the binary logistic loss is: an engine's default settings then do what they do for classes.

    Parameters
    ----------
    loss : {"logistic", "squared_hinge", "exponential"}
        ``log(1 + e^-z)``, ``max(0, 1 - z)² / 8`` or ``e^-z / 4`` of a pair's score difference. Of
        the exponential risk the logarithm is trained, ``K log(mean of e^-z)`` with
        ``K = n p (1 - p) / 2``, which has the same minimum and never overflows; its curvature is
        the bound ``|g|``, without the part off the diagonal.
    curvature : float
        > 0; multiplies the curvature. 2 bounds the full matrix, as XGBoost's ``rank:pairwise``
        has it; with learning rates up to 1 the diagonal alone, 1, is enough.

    Notes
    -----
    A frozen value without state: it can be pickled, and called by many threads at once. Sums of
    the logistic loss are right to about 1e-12 of the largest gradient, its curvature to 1e-9 of
    the largest one. Where scores are over 1e4 apart, the largest are those at equal scores.

    - scikit-learn classes: ``LGBMClassifier(objective=PairObjective(), metric="auc")``,
      ``XGBClassifier(objective=PairObjective(), base_score=0.5, eval_metric="auc")``; for
      K levels, 0 .. K-1, ``LGBMRegressor`` and ``XGBRegressor(base_score=0)``; for pairs within
      groups ``LGBMRanker``. LightGBM's ``predict_proba`` then returns scores, XGBoost's a sigmoid.
    - Native: ``lightgbm.train({"objective": PairObjective(), ...}, data)`` and
      ``xgboost.train({"base_score": 0, ...}, data, obj=PairObjective())``; the groups of a
      ``Dataset`` or ``DMatrix`` count.
    - Name the metric, ``"auc"``: LightGBM else stops early on the log loss of scores that are none
      of probabilities, and XGBoost takes a function for a loss, to be made small.
    - ``is_unbalance`` and ``scale_pos_weight`` have no effect: all pairs have a row of each class.

    Examples
    --------
    >>> import numpy as np
    >>> from rankexp.objectives import PairObjective
    >>> y, scores = np.array([0, 1, 1]), np.array([0.0, 2.0, -1.0])
    >>> gradient, curvature = PairObjective("squared_hinge")(y, scores)
    >>> gradient.round(6).tolist(), curvature.round(6).tolist()
    ([0.333333, 0.0, -0.333333], [0.166667, 0.0, 0.166667])
    """

    loss: str = "logistic"
    curvature: float = 1.0

    def __post_init__(self) -> None:
        if self.loss not in tuple(LOSSES):
            hint = did_you_mean(self.loss, LOSSES)
            raise ValueError(f"unknown loss {self.loss!r}{hint}; known: {', '.join(LOSSES)}")
        if not (isinstance(self.curvature, Real) and 0.0 < float(self.curvature) < np.inf):
            raise ValueError(f"curvature must be a finite number > 0, got {self.curvature!r}")

    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike | EngineData,
        sample_weight: PerRow = None,
        group: PerRow = None,
    ) -> Steps:
        """Return the gradient and the curvature by score, (n,) each.

        Engines call it; their native functions as ``objective(scores, data)``, with a ``Dataset``
        or ``DMatrix``.

        Parameters
        ----------
        y_true : array-like of shape (n,)
            Two classes as 0 and 1 or -1 and 1, or levels as whole numbers, worst to best.
        y_pred : array-like of shape (n,)
            Scores.
        sample_weight : array-like of shape (n,), optional
            >= 0; a pair counts the product of two.
        group : array-like of shape (G,), optional
            How many rows each group has, in the order of the rows: only pairs within one count,
            and W is that of the group. A group of one class has no pair, and no gradient.

        Raises
        ------
        ValueError
            For labels of one class or that are no whole numbers, scores of another shape or that
            are not finite, weights that are negative or leave no pair, sizes of groups that
            don't add up to n, or groups without any pair.
        """
        if hasattr(y_pred, "get_label"):  # scores come first
            data = cast(EngineData, y_pred)
            weight, sizes = data.get_weight(), data.get_group()
            weight = None if weight is None or not len(weight) else weight
            sizes = None if sizes is None or not len(sizes) else sizes
            return self(data.get_label(), y_true, weight, sizes)
        level, K = _levels(y_true)
        groups, n = None, level.size
        if group is not None:
            size = np.asarray(group)
            if size.ndim != 1 or size.dtype.kind not in "iu" or size.sum() != n or size.min() < 0:
                text = "group must hold the sizes of groups in the order of the rows"
                raise ValueError(f"{text}, adding up to {n}")
            groups = np.repeat(np.arange(size.size), size)
        return _Steps(self.prepared(level, K, sample_weight, groups)(y_pred))

    @property
    def __name__(self) -> str:  # XGBoost asks a metric for it
        raise AttributeError(NO_METRIC)

    def prepared(
        self, level: Ints, K: int, sample_weight: PerRow = None, groups: Groups = None
    ) -> Callable[[ArrayLike], Steps]:
        """Return what gives gradient and curvature of rows by level (n,), one thread at a time."""
        loss, factor, form = LOSSES[self.loss]
        weight, kept = _weights(sample_weight, level.size)
        power = 0
        if weight is not None and abs(most := int(np.frexp(weight.max())[1])) > MODERATE:
            # Lest products of weights overflow: gradients grow as one weight does.
            power, weight = most, np.ldexp(weight, -most)
        rows = slice(None) if kept is None else kept
        order, unit = _order(level[rows], K, weight, None if groups is None else groups[rows])
        if not order.total > 0.0:
            more = "" if kept is None else " among rows with a weight above 0"
            why = f"each group has a single class or level{more}"
            if (level[rows] == level[rows][0]).all():
                why = "all rows with a weight above 0 have one class"
            raise ValueError(f"{why}, so there is no pair")
        risk = form(order, loss)
        risk.scale = float(np.ldexp(2.0 * factor * unit, power))
        find = risk.log_steps if isinstance(risk, ExponentialPairs) else risk.steps

        def steps(scores: ArrayLike) -> Steps:
            s = _scores(scores, level.size)
            g, h = find(s[rows])
            if self.curvature != 1.0:
                h *= self.curvature
            if kept is not None:
                whole = np.zeros((2, s.size))
                whole[:, kept] = g, h
                g, h = whole
            return g, h

        return steps


def _order(level: Ints, K: int, mass: Floats | None, groups: Groups) -> tuple[PartialOrder, float]:
    """Return which pairs count, and 1 over the sum of weights in the smallest group."""
    # A pair of a larger group counts less, by its share.
    if groups is None and mass is None and K == 2:
        # Each round comes here, and on many rows a pass over weights or groups takes its time.
        n, up = level.size, int(np.count_nonzero(level))
        costs = np.array([[0.0, 0.5], [0.0, 0.0]])
        group, ones = np.zeros(n, dtype=np.int64), np.broadcast_to(np.int64(1), n)
        order, counts = PartialOrder(level, group, costs, ones), np.array([[n - up, up]])
        vars(order).update(cell=level, counts=counts.astype(np.float64), factor=None)
        return order, 2.0 / n
    order = PartialOrder.of(level, np.triu(np.ones((K, K)), 1), groups, mass)
    sums = order.counts.sum(axis=1)
    if sums.size > 1:
        order = replace(order, share=sums.min() / sums)
    times = 1.0 if mass is None else mass.sum() / order.weight.sum()  # equal ones become 1
    return order, float(2.0 * times / sums.min())  # an order counts a pair ½


def _levels(y: ArrayLike) -> tuple[Ints, int]:
    """Return labels as 0 .. K-1, and K."""
    if (y := np.asarray(y)).ndim != 1 or not y.size:
        raise ValueError(f"labels must have shape (n,), n > 0, got shape {y.shape}")
    if y.dtype.kind not in "biuf":
        raise ValueError(f"labels must be numbers, got {y.dtype}: encode levels as 0 .. K-1")
    low, high = y.min(), y.max()
    if low == high:
        raise ValueError(f"all labels are {low:g}, but pairs need rows of two classes or levels")
    if ((upper := y == high) | (y == low)).all() and (low, high) in ((0, 1), (-1, 1)):
        return cast("Ints", upper.view(np.uint8)), 2  # eight times as small
    y = y.astype(np.float64)
    if not (np.isfinite(y).all() and (y == np.rint(y)).all() and low >= 0):
        text = f"labels from {low:g} to {high:g} are neither classes (0 and 1, or -1 and 1)"
        more = "the order of arguments is (labels, scores)"
        raise ValueError(f"{text} nor levels (0 .. K-1, worst to best); {more}")
    values, codes = distinct(y)
    if len(values) > MOST_LEVELS:
        text = f"there are {len(values)} levels, more than {MOST_LEVELS}"
        raise ValueError(f"{text}: bin a continuous target")
    return codes.astype(np.int64), len(values)


def _scores(scores: ArrayLike, n: int) -> Floats:
    if (s := np.asarray(scores, dtype=np.float64)).shape != (n,):
        text = f"scores must have shape ({n},), got shape {s.shape}; for levels use a regressor"
        raise ValueError(f"{text} or a ranker, because a classifier has a score for each class")
    if not (np.isfinite(s.min()) and np.isfinite(s.max())):
        text = f"{np.count_nonzero(~np.isfinite(s))} of {n} scores are not finite"
        raise ValueError(f"{text}: check the initial scores, or lower the learning rate")
    return s


def _weights(given: PerRow, n: int) -> tuple[Floats | None, Ints | None]:
    """Return the weights > 0, and which rows have them; None for none, and for all rows."""
    if given is None:
        return None, None
    if (weight := np.asarray(given, dtype=np.float64)).shape != (n,):
        raise ValueError(f"sample_weight must have shape ({n},), got {weight.shape}")
    least = weight.min()
    if not (least >= 0.0 and weight.max() < np.inf):
        raise ValueError("sample_weight must be finite and >= 0")
    if least > 0.0:
        return weight, None
    if not (kept := np.flatnonzero(weight)).size:
        raise ValueError("all sample weights are 0, so there is no pair")
    return weight[kept], kept
