"""Read the order of targets that have one, such as an ordered pandas Categorical.

A numpy array of such a target holds its labels without the order: 10 < 9 < 8 would be reversed.

Examples
--------
>>> import pandas as pd
>>> y = pd.Categorical([8, 10, 9], categories=[10, 9, 8], ordered=True)
>>> categories_of(y)
[10, 9, 8]
>>> in_numbers(y)
array([2., 0., 1.])
"""

from collections.abc import Collection, Hashable
from numbers import Integral, Real

import numpy as np
from numpy.typing import ArrayLike

from rankexp.arrays import Labels

Levels = Collection[Hashable]  # labels, worst to best
Order = Levels | int | None
"""Labels, worst to best; or how many levels there are, where labels have an order of their own."""


def categories_of(y: ArrayLike) -> list[Hashable] | None:
    """Return the categories of an ordered target, worst to best; None if it has no order."""
    framed = getattr(y, "ndim", 1) == 2 and hasattr(y, "dtypes")
    dtype = getattr(y, "dtypes").iloc[0] if framed else getattr(y, "dtype", None)  # noqa: B009
    if type(dtype).__name__ == "Enum":  # of polars, which has an order
        return list(getattr(dtype, "categories"))  # noqa: B009
    if not getattr(dtype, "ordered", False):
        return None
    return list(getattr(dtype, "categories").tolist())  # noqa: B009


def in_numbers(y: ArrayLike) -> ArrayLike:
    """Return the places of labels among ordered categories, NaN for missing; else y itself."""
    if (categories := categories_of(y)) is None:
        return y
    place = {category: float(code) for code, category in enumerate(categories)}
    return np.array([place.get(label, np.nan) for label in np.ravel(np.asarray(y)).tolist()])


def has_own_order(y: ArrayLike) -> bool:
    """Tell whether labels are numbers, dates or ordered categories, not words."""
    if categories_of(y) is not None:
        return True
    if (labels := np.asarray(y)).dtype.kind == "O":
        return all(isinstance(label, Real) for label in labels.ravel().tolist())
    return labels.dtype.kind not in "USc"


def in_order(y: ArrayLike, levels: Order) -> ArrayLike:
    """Return labels as numbers in the order of `levels`, from worst to best.

    Without a sequence (None, or a number of levels) it is their own order. ValueError for labels
    that are not among the levels, for levels that are no list or not distinct; and without a
    sequence for words, because these have no order of their own.
    """
    if levels is None or isinstance(levels, int | Integral):
        if not has_own_order(y):
            known = ", ".join(sorted(map(repr, set(np.ravel(np.asarray(y)).tolist())))[:5])
            advice = "give levels=[worst, ..., best], numbers, or an ordered Categorical"
            raise ValueError(f"the labels {known} have no order of their own: {advice}")
        return in_numbers(y)
    if isinstance(levels, str) or np.asarray(levels).ndim != 1:
        raise ValueError(f"levels must be a list, [worst, ..., best], got {levels!r}")
    place = {level: code for code, level in enumerate(getattr(levels, "tolist", lambda: levels)())}
    if len(place) < len(levels):
        raise ValueError(f"levels must be distinct, got {list(place)}")
    labels = np.asarray(y)
    try:
        return np.array([place[label] for label in labels.ravel().tolist()]).reshape(labels.shape)
    except KeyError as error:
        raise ValueError(f"y holds {error}, which is not among the levels {list(place)}") from None


def without_imaginary(scores: ArrayLike) -> Labels:
    """Return scores as an array of real numbers; ValueError for complex ones."""
    if (s := np.asarray(scores)).dtype.kind == "c":
        raise ValueError("scores are complex numbers, which have no order: give their real part")
    return s
