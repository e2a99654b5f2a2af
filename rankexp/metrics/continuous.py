"""Measures of how scores order a continuous target: IAUC, Kendall's tau, discordance, MSE."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from rankexp.arrays import Floats, Ints
from rankexp.categories import in_numbers, without_imaginary
from rankexp.metrics import metric
from rankexp.metrics.dominance import Ordered, PairCounts, count_pairs, ordered

REGISTER = {
    "iauc": "iauc",
    "d_tau": "d_tau",
    "concordance": "concordance",
    "kendall_tau_b": "kendall_tau_b",
    "one_minus_discordance": "one_minus_discordance",
    "mse": "mse",
    "unexplained_variance": "unexplained_variance",
}

Fitted = Mapping[str, ArrayLike]
"""What fitted estimators say, such as ``threshold``, a value a column of the scores."""
THREE: tuple[metric.Kind, ...] = ("ordinal", "continuous")
PAIRS = metric.MetricReading(0.01, reach=2.0)
TRIPLES, TAU = metric.MetricReading(0.01), metric.MetricReading(0.02)
"""Margins are one in a hundred, as for the AUC; a pair that is turned round moves tau-b twice."""
share = partial(metric.declare, "higher", kinds=("binary", *THREE), reading=PAIRS)


@metric.each_vector
@share(source="clemencon2017, (6) and Definition 2", kinds=THREE, reading=TRIPLES, label="IAUC")
def iauc(y: ArrayLike, scores: ArrayLike, kind: Literal[6, 5] = 6) -> float | Floats:
    """Return the integrated AUC: the AUC of "y above a cut-off", averaged over the cut-offs.

    Parameters
    ----------
    y : array-like of shape (n,)
        Real targets without NaN; any strictly increasing map of them gives the same value.
    scores : array-like of shape (n,) or (n, L)
        Real and without NaN; with two dimensions one column a scorer.
    kind : {6, 5}
        The equation. 6: the share of triples y_i < y_j < y_k whose ends i and k the scores put in
        order; a tie counts 1/2 (Lemma 1), so a cut-off weighs by its pairs. 5: the mean over the
        examples j of the AUC between {y > y_j} and {y < y_j}, if both have examples
        (Definition 2).

    Returns
    -------
    float or ndarray of shape (L,)
        In [0, 1], higher is better; NaN with an `UndefinedMetricWarning` where `y` has fewer than
        three values. ValueError for other shapes, NaN, no example, or an unknown kind.

    Notes
    -----
    O(n log n). In (6) the number of middles of a pair is a difference of two ranks, so the sum
    over triples is one over examples. It is counted in integers and divided once.
    """
    if kind not in (5, 6):
        raise ValueError(f"kind={kind!r}: expected 6 or 5, the equation's number")
    target, s = checked(y, scores)
    by_y = ordered(target)
    if not (between := by_y.below * (target.size - by_y.upto)).any():
        return metric.undefined(s, "y has fewer than three values: the IAUC is NaN")
    low, high = by_y.below, by_y.upto  # a pair i, k has below(k) - upto(i) middles
    add: Callable[[Any], float] = partial(_exact_sum, n=target.size)
    total = add(between)
    if kind == 5:
        weight = np.divide(1.0, between, out=np.zeros(target.size), where=between > 0)
        upto = np.concatenate(([0.0], np.cumsum(weight)))
        low, high, add, total = upto[low], upto[high], np.sum, float(np.count_nonzero(between))
    return _each(s, by_y, lambda p: add(low * p.won_below - high * p.won_above) / (2 * total))


@metric.each_vector
@share(source="clemencon2017, (8)", label="share of pairs in order")
def d_tau(y: ArrayLike, scores: ArrayLike) -> float | Floats:
    """Return the share of pairs that the scores put in the order of y, a tied score counting 1/2.

    It is the paper's Kendall tau, in [0, 1]. A pair with equal y is never in order, so that with
    ties in y its greatest value is below 1; with equal scores it counts 1/2 all the same.
    Parameters, returns and errors are those of :func:`iauc`; NaN for a single example.
    """
    target, s = checked(y, scores)
    if (both := target.size * (target.size - 1)) == 0:
        return metric.undefined(s, "a single example makes no pair: d_tau is NaN")
    return _each(s, ordered(target), lambda pairs: (2 * pairs.concordant + pairs.tied) / both)


@metric.each_vector
@share(
    source="Harrell et al., JAMA 247 (1982): the index of concordance",
    kinds=("continuous",),
    reading=replace(PAIRS, pooled=True),
    label="share of pairs in order",
)
def concordance(y: ArrayLike, scores: ArrayLike) -> float | Floats:
    """Return the share of pairs of different y that the scores put in order; a tie is 1/2.

    It is U_pairs if each value of y is a level, and the AUC if there are two. Unlike in
    :func:`d_tau`, pairs with equal y do not count. Parameters and errors are those of
    :func:`d_tau`; NaN if y is constant.
    """
    target, s = checked(y, scores)
    if (both := target.size**2 - int((np.unique(target, return_counts=True)[1] ** 2).sum())) == 0:
        return metric.undefined(s, "y is constant: there is no pair to rank, and no share")
    return _each(s, ordered(target), lambda p: (both // 2 + p.concordant - p.discordant) / both)


@share(source="Kendall, Biometrika 33 (1945); variant b", reading=TAU, label="Kendall's tau-b")
def kendall_tau_b(y: ArrayLike, scores: ArrayLike) -> float | Floats:
    """Return Kendall's tau-b between y and the scores, in [-1, 1], by scipy.

    Parameters and errors are those of :func:`d_tau`; NaN with an `UndefinedMetricWarning` where y
    or the scores are constant.
    """
    from scipy.stats import kendalltau

    target, s = checked(y, scores)
    with np.errstate(invalid="ignore", divide="ignore"):
        values = np.array([float(kendalltau(target, one).statistic) for one in np.atleast_2d(s.T)])
    if np.isnan(values).any():
        metric.undefined(s, "y or the scores are constant: Kendall's tau-b is NaN")
    return metric.each_column(values, s)


@share(source="clemencon2017, Table 1 (note on its tau)", label="share of pairs not discordant")
def one_minus_discordance(y: ArrayLike, scores: ArrayLike) -> float | Floats:
    """Return the share of pairs that the scores do not put in the opposite order of y.

    All ties count as right, so a constant scorer has 1. Do not rank scorers by it; it is the
    nearest measure to the tau that the paper prints. All else is as for :func:`d_tau`.
    """
    target, s = checked(y, scores)
    if (both := target.size * (target.size - 1)) == 0:
        return metric.undefined(s, "a single example makes no pair: the discordance is NaN")
    return _each(s, ordered(target), lambda pairs: (both - 2 * pairs.discordant) / both)


@metric.declare("lower", source="clemencon2017, Table 1", kinds=("continuous",), label="MSE")
def mse(scores: ArrayLike, reference: ArrayLike, fitted: Fitted | None = None) -> float | Floats:
    """Return the mean squared difference between the scores, (n,) or (n, L), and a reference.

    Parameters
    ----------
    scores : array-like of shape (n,) or (n, L)
    reference : array-like of shape (n,)
        The regression function m(x) where it is known, else y.
    fitted : mapping, optional
        ``score_scale``, a number or one a column, divides the scores first. By default it is 1;
        for an oriented tree it is 2^depth, as in the paper, so that scores are in (0, 1].
        ValueError unless it is positive; other errors are those of :func:`iauc`.
    """
    m, s = checked(reference, scores, "reference")
    scale = np.asarray((fitted or {}).get("score_scale", 1.0), dtype=np.float64)
    if not (scale > 0).all():
        raise ValueError(f"score_scale must be positive, got {scale}")
    columns = np.atleast_2d(s.T) / scale.reshape(-1, 1)
    values = np.array([np.square(column - m).mean() for column in columns], dtype=np.float64)
    return metric.each_column(values, s)


def _each(s: Floats, by_y: Ordered, value: Callable[[PairCounts], float]) -> float | Floats:
    columns = np.ascontiguousarray(np.atleast_2d(s.T))
    return metric.each_column(np.array([value(count_pairs(by_y, one)) for one in columns]), s)


def _exact_sum(terms: Ints, n: int) -> int:
    step = max(1, 2**61 // max(n, 1) ** 2)
    return sum(int(terms[i : i + step].sum()) for i in range(0, terms.size, step))


def checked(y: ArrayLike, scores: ArrayLike, name: str = "y") -> tuple[Floats, Floats]:
    """Return targets and scores as float64 arrays of shapes that go together, without NaN."""
    try:
        target = np.asarray(in_numbers(y), dtype=np.float64)
        s = np.asarray(without_imaginary(scores), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} and scores must be numbers: {error}") from error
    if target.ndim != 1 or s.ndim not in (1, 2) or len(s) != len(target):
        shapes = f"{name} {target.shape} and scores {s.shape}"
        raise ValueError(f"{name} must be (n,) and scores (n,) or (n, L); got {shapes}")
    if target.size == 0:
        raise ValueError(f"{name} is empty: there is nothing to rank")
    if np.isnan(target).any():
        raise ValueError(f"{name} holds NaN")
    if np.isnan(s).any():
        raise ValueError("scores hold NaN; the scorer that made them has failed")
    return target, s


@metric.declare("lower", source="clemencon2017, Figure 3 (affine matching)", kinds=("continuous",))
def unexplained_variance(scores: ArrayLike, reference: ArrayLike) -> float | Floats:
    """Return the least mean squared error of a s + b, as a share of the reference's variance.

    It is 1 minus the squared correlation, in [0, 1], lower is better; 1 for constant scores, and
    NaN for a constant reference. Parameters and errors are those of :func:`mse`.
    """
    m, s = checked(reference, scores, "reference")
    deviation = m - m.mean()
    total = float(np.square(deviation).sum())
    values = np.array([_left(column, deviation, total) for column in np.atleast_2d(s.T)])
    return metric.each_column(values, s)


def _left(s: Floats, deviation: Floats, total: float) -> float:
    if total == 0.0:
        return float("nan")
    scale = np.abs(s).max()
    if scale == 0.0 or s.min() == s.max():
        return 1.0
    s = np.ascontiguousarray(s) / scale
    s = s - s.mean()
    slope = float((s * deviation).sum() / np.square(s).sum())
    return min(1.0, float(np.square(deviation - slope * s).sum()) / total)
