"""Rank loss and AUC: two classes, pairs of a positive and a negative."""

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from rankexp.arrays import Bools, Floats, Labels, Numbers, PerRow
from rankexp.blas import one_thread
from rankexp.categories import Order, in_order, without_imaginary
from rankexp.metrics.continuous import checked
from rankexp.metrics.metric import MetricReading, declare, each_column, each_vector, undefined

REGISTER = {"rank_loss": "rank_loss", "auc": "auc", "expected_auc": "expected_auc"}

Ties = Literal["expected", "worst", "best"]

NAN = "scores hold NaN; the scorer that made them has failed"
MARGIN = 0.01
"""Kotłowski et al. (ICML 2011, sec. 5.1) call differences of "at most around 0.01" very small."""
OWN = {"expected": 0.5, "worst": 1.0, "best": 0.0}
"""What `rank_loss` takes for the tie of an example with itself."""
SOURCE = "kotlowski2011, (4), given the examples"


def hanley_mcneil(auc: float, counts: Sequence[float]) -> float:
    """Return the standard error of an AUC over test examples, from the counts of both classes.

    Hanley and McNeil (Radiology 143, 1982), equation 1 with exponential scores: approximate.
    """
    negatives, positives = counts
    if not (0.0 <= auc <= 1.0) or min(counts) < 1:
        return math.nan
    first, second = auc / (2 - auc), 2 * auc**2 / (1 + auc)
    variance = (
        auc * (1 - auc) + (positives - 1) * (first - auc**2) + (negatives - 1) * (second - auc**2)
    ) / (positives * negatives)
    return math.sqrt(max(variance, 0.0))


LOST = MetricReading(MARGIN, lambda loss, n: hanley_mcneil(1 - loss, n), "rank_risk", reach=1.0)


@each_vector
@declare("lower", source="kotlowski2011, (4)", reading=LOST)
def rank_loss(
    y: ArrayLike,
    scores: ArrayLike,
    ties: Ties = "expected",
    sample_weight: PerRow = None,
    levels: Order = None,
) -> float | Floats:
    """Return the share of positive-negative pairs that the scores put in the wrong order.

    Parameters
    ----------
    y : array-like of shape (n,)
        Two values: numbers, dates, truth values or ordered categories, of which the greater is
        the positive one; or any labels, in the order of `levels`.
    scores : array-like of shape (n,) or (n, L)
        Real and without NaN (infinite is fine); with two dimensions one column a scorer.
    ties : {"expected", "worst", "best"}
        What a pair with equal scores counts: 1/2, 1 (an error), or 0.
    sample_weight : array-like of shape (n,), optional
        How often each example counts, >= 0: a pair counts the product of two weights.
    levels : sequence, optional
        Labels, worst to best; words have no order without. With a fitted ranker's
        ``decision_function`` they are its ``classes_``, with ``rank_scores`` its ``levels``.

    Returns
    -------
    float or ndarray of shape (L,)
        In [0, 1], lower is better. NaN with an `UndefinedMetricWarning` where `y` has a single
        class. A column's value is the same to the bit alone and among others.

    Raises
    ------
    ValueError
        For other shapes, NaN, no example, more than two classes, an unknown rule for ties, weights
        that are negative, not finite or all 0, words without `levels`, or labels not among these.

    Notes
    -----
    O(n log n) a column. Without weights pairs are counted in integers and divided once.
    """
    lost, pairs = _twice_lost(in_order(y, levels), scores, ties, sample_weight)
    return _share(lost, pairs, scores)


@each_vector
@declare(
    "higher",
    label="AUC",
    source="mohri2018-ch10, section 10.5.2, with a tie counting 1/2",
    reading=MetricReading(margin=MARGIN, standard_error=hanley_mcneil, reach=1.0),
)
def auc(
    y: ArrayLike,
    scores: ArrayLike,
    ties: Ties = "expected",
    sample_weight: PerRow = None,
    levels: Order = None,
) -> float | Floats:
    """Return the area under the ROC curve: the share of pairs in the right order.

    It is 1 minus :func:`rank_loss` under the same rule for ties (``"worst"``: a tie is an error),
    which also says what the parameters are, what is returned and what is raised.
    """
    lost, pairs = _twice_lost(in_order(y, levels), scores, ties, sample_weight)
    return _share(2 * pairs - lost, pairs, scores)


def check_ties(ties: str) -> None:
    """Raise ValueError for an unknown rule."""
    if ties not in ("expected", "worst", "best"):
        raise ValueError(f"ties='{ties}': expected one of expected, worst, best")


def _share(twice: Numbers, pairs: float, scores: ArrayLike) -> float | Floats:
    if pairs == 0:
        text = "y has a single class: no pair to rank, the rank loss and the AUC are NaN"
        return undefined(scores, text)
    return each_column(np.asarray(twice / (2 * pairs)), scores)


def _twice_lost(
    y: ArrayLike, scores: ArrayLike, ties: str, sample_weight: PerRow
) -> tuple[Numbers, float]:
    """Return twice the pairs lost, (L,), and the number of all pairs."""
    check_ties(ties)
    labels, s = np.asarray(y), without_imaginary(scores)
    s = s if s.dtype.kind in "fiub" else s.astype(np.float64)
    if labels.ndim != 1 or s.ndim not in (1, 2) or len(s) != len(labels):
        shapes = f"y {labels.shape} and scores {s.shape}"
        raise ValueError(f"y must be (n,) and scores (n,) or (n, L); got {shapes}")
    if sample_weight is not None:
        weight = scaled_weights(sample_weight, len(labels))
        return _twice_by_weight(labels[weight > 0], s[weight > 0], ties, weight[weight > 0])
    positive = positive_rows(labels)
    columns = np.ascontiguousarray(np.atleast_2d(s.T))  # one row a scorer
    above, below = (columns.compress(rows, axis=-1) for rows in (positive, ~positive))
    for part in (above, below):
        part.sort(axis=-1)
        if part.size and np.isnan(part[..., -1]).any():  # sorting puts NaN last
            raise ValueError(NAN)
    pairs = above.shape[-1] * below.shape[-1]
    won = [_twice_won(*columns, ties) for columns in zip(above, below, strict=True)]
    return 2 * pairs - np.array(won, dtype=np.int64), pairs


def _twice_won(above: Labels, below: Labels, ties: str) -> int:
    pooled = np.concatenate((below, above))
    order = pooled.argsort(kind="stable")  # of two sorted runs: linear; of ties, negatives first
    won = order >= below.size
    own = above.size * (above.size - 1) // 2  # positives before a positive
    strictly = weakly = int(won.nonzero()[0].sum()) - own
    if ties == "best":
        return 2 * weakly
    ranked = pooled.take(order)
    if ((ranked[1:] == ranked[:-1]) & (won[1:] > won[:-1])).any():
        order = np.concatenate((above, below)).argsort(kind="stable")
        strictly = int((order < above.size).nonzero()[0].sum()) - own
    return 2 * strictly if ties == "worst" else strictly + weakly


def scaled_weights(given: ArrayLike, n: int) -> Floats:
    """Return weights (n,), scaled by a power of 2, which is exact, so that no sum overflows."""
    weight = np.asarray(given, dtype=np.float64)
    good = weight.shape == (n,) and (np.isfinite(weight) & (weight >= 0.0)).all()
    if not good or (n and not weight.any()):
        raise ValueError(f"sample_weight must be finite, >= 0, not all 0, and of shape ({n},)")
    return np.asarray(np.ldexp(weight, -np.frexp(weight.max(initial=0.0))[1]))


def two_classes(
    y: ArrayLike, scores: ArrayLike, levels: Order, sample_weight: PerRow
) -> tuple[Bools, Floats, Floats]:
    """Return which rows are positive (all, of a single class), their scores and their weights."""
    target, s = checked(in_order(y, levels), scores)
    classes, n = np.unique(target), len(target)
    if len(classes) > 2:
        raise ValueError(f"y must have two values, got {len(classes)}")
    weight = np.ones(n) if sample_weight is None else scaled_weights(sample_weight, n)
    return target == classes[-1], s, weight


def _twice_by_weight(labels: Labels, s: Labels, ties: str, weight: Floats) -> tuple[Floats, float]:
    positive = positive_rows(labels)
    if np.isnan(s).any():
        raise ValueError(NAN)
    upper, lower = weight[positive], weight[~positive]
    pairs = float(upper.sum() * lower.sum())
    won = []
    for column in s.reshape(len(s), -1).T:
        order = column[~positive].argsort()
        mass = np.concatenate(([0.0], np.cumsum(lower[order])))
        below = column[~positive][order]
        strictly = mass[below.searchsorted(column[positive], "left")]
        weakly = mass[below.searchsorted(column[positive], "right")]
        each = {"expected": strictly + weakly, "worst": 2 * strictly, "best": 2 * weakly}[ties]
        won.append(float((upper * each).sum()))
    return np.clip(2.0 * pairs - np.array(won), 0.0, 2.0 * pairs), pairs


def positive_rows(labels: Labels) -> Bools:
    """Return which labels are the last of the two values; all of them where there is one."""
    if len(labels) == 0:
        raise ValueError("y is empty: there is nothing to rank")
    if labels.dtype.kind in "iuf":
        low, high = labels.min(), labels.max()
        positive: Bools = labels == high
        if (positive | (labels == low)).all():
            return positive
        if labels.dtype.kind == "f" and np.isnan(labels).any():
            raise ValueError("y holds NaN")
    try:
        values = np.unique(labels)
    except TypeError as error:
        raise ValueError("y holds labels that cannot be sorted, perhaps missing ones") from error
    if len(values) > 2:
        shown = ", ".join(map(str, values[:5])) + (", ..." if len(values) > 5 else "")
        raise ValueError(f"y must have two values, got {len(values)}: {shown}")
    return np.asarray(labels == values[-1])


@declare("higher", label="expected AUC", source=SOURCE, reading=MetricReading(margin=MARGIN))
def expected_auc(scores: ArrayLike, eta: ArrayLike, ties: Ties = "expected") -> float | Floats:
    """Return the expected AUC: a pair weighs P(the first is positive, the second negative).

    It is the AUC without the noise of test labels. `eta` (n,) holds P(y = 1 | x); ValueError for
    other numbers. All else is as for :func:`auc`, but NaN if no pair can have two classes.

    Examples
    --------
    >>> expected_auc([1.0, 2.0, 3.0], [0.0, 0.5, 1.0])
    1.0
    """
    check_ties(ties)
    s, p = np.asarray(scores), np.asarray(eta, dtype=np.float64)
    if s.ndim not in (1, 2) or p.shape != s.shape[:1]:
        raise ValueError(f"eta {p.shape} must be (n,), scores {s.shape} (n,) or (n, L)")
    if not ((p >= 0.0) & (p <= 1.0)).all():
        raise ValueError("eta must be probabilities, in [0, 1]")
    with one_thread:
        own = float(p @ (1.0 - p))  # an example's pairs with itself, which are no pairs
    both = float(p.sum() * (1.0 - p).sum())
    if both - own <= 1e-12 * both:
        return undefined(s, "no two examples can have different classes: the expected AUC is NaN")
    lost = rank_loss(np.repeat((0, 1), p.size), np.append(s, s, 0), ties, np.append(1.0 - p, p))
    found = 1.0 - (np.asarray(lost) * both - OWN[ties] * own) / (both - own)
    return each_column(np.atleast_1d(np.clip(found, 0.0, 1.0)), s)
