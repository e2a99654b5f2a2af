"""Targets that bring their own order, as an ordered pandas Categorical does.

A numpy array of such a target holds its labels and no order: 10 < 9 < 8 would turn round.

Examples
--------
>>> import pandas as pd
>>> y = pd.Categorical([8, 10, 9], categories=[10, 9, 8], ordered=True)
>>> categories_of(y)
[10, 9, 8]
>>> in_numbers(y)
array([2., 0., 1.])
"""

from typing import Any

import numpy as np


def categories_of(y: Any) -> list[Any] | None:
    """Return the categories of an ordered target, worst to best; None where it has no order."""
    framed = getattr(y, "ndim", 1) == 2 and hasattr(y, "dtypes")
    dtype: Any = y.dtypes.iloc[0] if framed else getattr(y, "dtype", None)
    if not getattr(dtype, "ordered", False):
        return None
    categories: list[Any] = dtype.categories.tolist()
    return categories


def in_numbers(y: Any) -> Any:
    """Return the places of labels among ordered categories, NaN for missing; else y itself."""
    categories = categories_of(y)
    if categories is None:
        return y
    place = {category: float(code) for code, category in enumerate(categories)}
    return np.array([place.get(label, np.nan) for label in np.ravel(np.asarray(y)).tolist()])


def without_imaginary(scores: Any) -> Any:
    """Return scores as an array of real numbers; ValueError for complex ones."""
    s = np.asarray(scores)
    if s.dtype.kind == "c":
        raise ValueError("scores are complex numbers, which have no order: give their real part")
    return s
