"""Texts that a record can keep of a fitted estimator.

A text is a function ``(model, names) -> str or None`` of a fitted estimator and the names of its
features; None for an estimator that the text does not describe.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from rankexp import registry
from rankexp.runner.keep import KeptName

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

MakeText = Callable[["BaseEstimator", Sequence[str]], str | None]


def made(
    wanted: Iterable[str], model: "BaseEstimator", names: Sequence[str], point: int
) -> dict[str, str]:
    """Return the registered texts that a record keeps of the fitted model of a grid point."""
    found = {}
    for name in wanted:
        make: MakeText = registry.get("keep.texts", name)
        text = make(model, names)
        if text is not None:
            found[str(KeptName(name, point))] = text
    return found
