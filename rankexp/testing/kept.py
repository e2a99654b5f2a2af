"""The contract of curves and texts that records keep."""

import inspect
import json
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rankexp.arrays import Floats
from rankexp.testing.contract import keep, need, thing

__all__ = ["check_curve", "check_text"]

ROWS = 30
NAMES = ("income >$50K", "x^2")


def check_curve(curve: Callable[..., Any] | str) -> None:
    """Check that a curve of a test part and scores can be kept in a record.

    Parameters
    ----------
    curve : callable or str
        A function ``(X, y, scores)``, or the name of a registered one.
    """
    made = thing("keep.curves", curve)
    rng = np.random.default_rng(0)
    part = (rng.standard_normal((ROWS, 1)), rng.standard_normal(ROWS), rng.standard_normal(ROWS))
    keep(f"curve {made.__name__}", (is_described, leaves_data_alone, is_two_lists), made, *part)


def check_text(text: Callable[..., Any] | str, model: Any = None) -> None:
    """Check that a text of fitted estimators can be kept in a record.

    Parameters
    ----------
    text : callable or str
        A function ``(model, names)``, or the name of a registered one.
    model : estimator, optional
        A fitted one, of the features `NAMES`, that the text describes.
    """
    made = thing("keep.texts", text)
    keep(f"text {made.__name__}", (is_described, is_none_of_others), made)
    if model is not None:
        keep(f"text {made.__name__}", (is_a_text,), made, model, NAMES)


def is_described(made: Callable[..., Any], *_: Any) -> None:
    """It has a docstring, whose first line stands in `rankexp list`."""
    need(inspect.getdoc(made), "it has none")


def is_two_lists(curve: Callable[..., Any], X: Floats, y: Floats, scores: Floats) -> None:
    """It gives finite numbers ``x`` and ``y``, lists of one length that JSON can hold."""
    found = curve(X, y, scores)
    need(found.keys() == {"x", "y"}, f"its keys are {sorted(found)}")
    need(len(found["x"]) == len(found["y"]) > 0, "its lists are not equally long, or are empty")
    need(json.loads(json.dumps(found, allow_nan=False)) == found, "JSON gives another back")


def leaves_data_alone(curve: Callable[..., Any], X: Floats, y: Floats, scores: Floats) -> None:
    """It changes nothing in what it is given."""
    copies = X.copy(), y.copy(), scores.copy()
    curve(*copies)
    for name, given, left in zip(("X", "y", "scores"), (X, y, scores), copies, strict=True):
        need(np.array_equal(given, left), f"{name} is changed")


def is_none_of_others(text: Callable[..., Any]) -> None:
    """It is None of an object that it does not describe."""
    found = text(object(), NAMES)
    need(found is None, f"of a plain object it is {found!r}")


def is_a_text(text: Callable[..., Any], model: Any, names: Sequence[str]) -> None:
    """It is a text, the same again, and adds nothing to the estimator."""
    before = set(vars(model))
    found = text(model, names)
    need(isinstance(found, str) and found, f"it is {found!r}")
    need(text(model, names) == found, "made again it is another")
    need(set(vars(model)) == before, f"it adds {sorted(set(vars(model)) - before)}")
