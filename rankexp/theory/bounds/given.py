"""Refuse numbers that a bound says nothing of, and name them."""

import numpy as np
import numpy.typing as npt

from rankexp.arrays import Floats


def check_confidence(delta: float) -> None:
    """Raise ValueError unless delta, the chance that a bound fails, is between 0 and 1."""
    if not 0.0 < delta < 1.0:
        raise ValueError(f"delta={delta}: expected a number between 0 and 1, exclusive")


def check_not_negative(**values: float) -> None:
    """Raise ValueError unless all are finite numbers, 0 or above."""
    for name, value in values.items():
        if not 0.0 <= value < np.inf:
            raise ValueError(f"{name}={value}: expected a finite number, 0 or above")


def check_positive(**values: float) -> None:
    """Raise ValueError unless all are finite numbers above 0."""
    for name, value in values.items():
        if not 0.0 < value < np.inf:
            raise ValueError(f"{name}={value}: expected a finite number above 0")


def vector(name: str, value: npt.ArrayLike, axes: int = 1) -> Floats:
    """Return finite numbers with one axis, at least one; ValueError for others."""
    array = np.asarray(value, dtype=np.float64)
    if array.ndim != axes or array.size == 0 or not np.isfinite(array).all():
        words = "one axis" if axes == 1 else "two axes"
        raise ValueError(f"{name} must be finite, with {words}, got shape {array.shape}")
    return array


def table(name: str, value: npt.ArrayLike) -> Floats:
    """Return finite numbers with two axes; ValueError for others."""
    return vector(name, value, axes=2)
