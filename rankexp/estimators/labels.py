"""Labels: two classes with their weights and threshold, or ordered levels."""

from collections.abc import Callable, Hashable, Mapping
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.special import expit, logit
from sklearn.base import BaseEstimator
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import type_of_target

from rankexp.arrays import Bools, Floats, Ints, Labels
from rankexp.categories import Levels, categories_of, has_own_order, in_order
from rankexp.risks.risk import Task

MOST_LEVELS = 1000


def two_classes(y: Labels) -> tuple[Labels, Ints]:
    """Return the two sorted classes, and 1 for each label of the last one, else 0."""
    plain = y.ndim == 1 and y.dtype.kind in "biu"
    kind = "binary" if plain else type_of_target(y, input_name="y", raise_unknown=True)
    text = f"Only binary classification is supported. The type of the target is {kind}"
    if kind not in ("binary", "multiclass"):
        raise ValueError(f"{text}. Unknown label type: a binary ranker needs two classes")
    if y.dtype == bool and y.any() and not y.all():  # sorting takes longer
        return np.array([False, True]), y.astype(np.int64)
    classes, codes = np.unique(y, return_inverse=True)
    if (n := classes.shape[0]) > 2:
        more = "a binary ranker needs two (for ordered levels set risk='multipartite')"
        raise ValueError(f"{text}: there are {n} classes, {more}")
    if n < 2:
        only = f"only one class, '{classes[0]}'"
        raise ValueError(f"a ranker needs examples of two classes, but y holds {only}")
    return classes, codes.astype(np.int64)


def ordered_levels(y: ArrayLike, levels: Levels | None) -> tuple[Labels, Ints]:
    """Return the levels, worst to best, (K,), and the level of each label as a code, (n,)."""
    y = np.asarray(y)
    if y.dtype.kind == "O" and all(isinstance(label, Real) for label in y.tolist()):
        y = np.array(y.tolist())  # numbers, if stored as objects
    if y.dtype.kind == "O":  # objects may have no order
        first: dict[Hashable, int] = {}
        which = np.array([first.setdefault(label, len(first)) for label in y.tolist()], np.int64)
        found = list(first)
    else:
        values, which = np.unique(y, return_inverse=True)
        found = values.tolist()
    if levels is not None:
        order = np.asarray(levels)
        if order.ndim != 1:
            raise ValueError(f"levels must be a list, [worst, ..., best], got {levels!r}")
        if y.dtype.kind == "O" and not all(isinstance(level, str) for level in levels):
            order = np.asarray(levels, dtype=object)  # numbers among words stay numbers
    elif y.dtype.kind in "biuf":
        order = np.array(found, dtype=y.dtype)
    else:
        text = f"the labels {', '.join(map(repr, found))} have no order of their own"
        raise ValueError(f"{text}: give levels=[worst, ..., best] or numbers")
    place = {level: code for code, level in enumerate(order.tolist())}
    if len(place) < order.shape[0]:
        raise ValueError(f"levels must be distinct, got {order.tolist()}")
    if strange := ", ".join(repr(label) for label in found if label not in place):
        raise ValueError(f"y holds {strange}, which is not among the levels {order.tolist()}")
    if len(found) < 2:
        only = f"only one class, '{found[0]}'" if found else "no example"
        raise ValueError(f"a ranker needs examples of two levels, but y holds {only}")
    return order, np.array([place[label] for label in found], dtype=np.int64)[which]


def level_order(y: ArrayLike, levels: Levels | None, *, present: bool = False) -> Levels | None:
    """Return the levels to train on, from a target as the user gave it.

    These are `levels` if given, else the categories of an ordered pandas Categorical (only those
    with an example if `present`), else None.
    """
    if (categories := categories_of(y)) is None:
        return levels
    if levels is None:
        here = set(np.ravel(np.asarray(y)).tolist()) if present else set(categories)
        return [category for category in categories if category in here]
    given = list(levels)
    if [c for c in given if c in categories] != [c for c in categories if c in given]:
        text = f"levels={given} contradict the order of y's categories, {categories}"
        raise ValueError(f"{text}: omit levels, or reorder the categories of y")
    return levels


def in_levels(ranker: BaseEstimator, y: ArrayLike) -> ArrayLike:
    """Return labels as numbers in the order of the levels of a fitted ranker."""
    told = ranker.levels is not None or not has_own_order(y)
    return in_order(y, getattr(ranker, "levels_", None) if told else None)


def few_levels(y: ArrayLike, levels: Levels | None) -> tuple[Labels, Ints]:
    """Return what `ordered_levels` does; ValueError if there are too many for pairs of levels."""
    order, codes = ordered_levels(y, levels)
    if (n := len(order)) > MOST_LEVELS:
        raise ValueError(f"y has {n} levels, more than {MOST_LEVELS}: bin a continuous target")
    return order, codes


ScoresOf = Callable[[Ints | slice], Floats]


def _gaps(scores_of: ScoresOf, order: Ints, errors: Floats) -> tuple[Floats, Floats]:
    """Return between which scores a threshold makes the least errors."""
    best = np.flatnonzero(errors == errors.min())
    rows = np.concatenate((order[best - 1], order[best % order.size]))
    low, high = scores_of(rows).reshape(2, -1)
    low[best == 0], high[best == order.size] = -np.inf, np.inf
    return low[low < high], high[low < high]


def best_threshold(
    s: Floats,
    positive: Bools,
    weights: tuple[float, float] = (1.0, 1.0),
    sample_weight: Floats | None = None,
    scores_of: ScoresOf | None = None,
    error: float = 0.0,
) -> float:
    """Return the threshold with the least weighted error, 0 or in the gap nearest to 0.

    If `scores_of` is given, it returns the scores of rows, which `s` has but for an `error`.
    """
    stable = sample_weight is not None  # sums may round
    order = np.argsort(s, stable=stable)
    if scores_of is None:
        scores_of = s.__getitem__
    else:
        near = np.flatnonzero(~(np.diff(s[order]) > 2.0 * error))  # the order may be another
        if near.size:
            rows = order[np.union1d(near, near + 1)]
            s = s.copy()
            s[rows] = scores_of(rows)
            order = np.argsort(s, stable=stable)
    is_up, errors = positive[order], np.zeros(s.size + 1)
    if sample_weight is None and weights[0] == weights[1]:  # what matters is what a row changes
        np.cumsum(2 * is_up.view(np.int8) - np.int8(1), out=errors[1:], dtype=np.float64)
    else:
        times = np.ones(s.size, dtype=np.int64) if sample_weight is None else sample_weight[order]
        up_below = np.concatenate(([0], np.cumsum(times * is_up)))
        down_above = np.concatenate(([0], np.cumsum((times * ~is_up)[::-1])))[::-1]
        errors = weights[1] * up_below + weights[0] * down_above
    low, high = _gaps(scores_of, order, errors)
    if not low.size:  # equal scores are between the best thresholds
        edges = np.concatenate(([-np.inf], s[order], [np.inf]))
        errors[~(edges[:-1] < edges[1:])] = np.inf
        low, high = _gaps(scores_of, order, errors)
    if ((low <= 0.0) & (high > 0.0)).any():
        return 0.0
    nearest = int(np.argmin(np.where(low > 0.0, low, -high)))
    a, b = float(low[nearest]), float(high[nearest])
    if np.isinf(a):
        return float(np.nextafter(b, -np.inf))
    middle = a if np.isinf(b) else 0.5 * (a + b)
    return middle if middle < b else a


def shift_to_share(s: Floats, codes: Ints, weight: Floats | None) -> float:
    """Return the a for which the mean of ``sigma(s + a)`` is the share of rows with code 1."""
    p = float(np.average(codes, weights=weight))
    low, high = logit(p) - s.max(), logit(p) - s.min()  # the mean is below p, and above it
    if not low < high:
        return float(low)

    def excess(a: float) -> float:
        return float(np.average(expit(s + a), weights=weight)) - p

    if excess(low) >= 0.0 or excess(high) <= 0.0:  # rounding: scores hardly differ
        return float(0.5 * (low + high))
    return float(brentq(excess, low, high, xtol=1e-10))


ClassWeight = Mapping[Hashable, float] | str | None  # a weight by label, or "balanced"


def class_weights(given: ClassWeight, labels: Labels, task: Task) -> tuple[float, float]:
    """Return the weights of the negative and of the positive class, (2,) `labels`."""
    if task.risk.balanced:
        if given is not None:
            why = "which has it"
            raise ValueError(f"class_weight cannot be set with the {task.risk!r} risk, {why}")
        given = "balanced"
    if given is None or task.risk.several_levels:
        return 1.0, 1.0
    found = compute_class_weight(given, classes=labels, y=labels[task.level])
    if task.sample_weight is not None and isinstance(given, str):  # "balanced"
        mass = np.bincount(task.level, task.sample_weight)
        found = mass.sum() / (2.0 * mass)
    down, up = found.tolist()
    if not (0.0 < down < np.inf and 0.0 < up < np.inf):
        raise ValueError(f"class_weight must give finite weights > 0, got {given!r}")
    return down, up
