"""The contract of curves and texts that records keep."""

import inspect
import json
from collections.abc import Callable, Sequence

import numpy as np

from rankexp.arrays import Floats
from rankexp.keep.curves import MakeCurve
from rankexp.testing.contract import keep, need, thing

__all__ = ["check_curve", "check_text"]

Text = Callable[..., str | None]
ROWS = 30
NAMES = ("income >$50K", "x^2")


def check_curve(curve: MakeCurve | str) -> None:
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


def check_text(text: Text | str, model: object = None) -> None:
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


def is_described(made: MakeCurve | Text, *_: Floats) -> None:
    """It has a docstring, whose first line stands in `rankexp list`."""
    need(inspect.getdoc(made), "it has no docstring")


def is_two_lists(curve: MakeCurve, X: Floats, y: Floats, scores: Floats) -> None:
    """It gives finite numbers ``x`` and ``y``, lists of one length that JSON can hold."""
    found = curve(X, y, scores)
    need(found.keys() == {"x", "y"}, f"its keys are {sorted(found)}")
    need(len(found["x"]) == len(found["y"]) > 0, "its lists are not equally long, or are empty")
    need(
        json.loads(json.dumps(found, allow_nan=False)) == found,
        "it differs after a round trip through JSON",
    )


def leaves_data_alone(curve: MakeCurve, X: Floats, y: Floats, scores: Floats) -> None:
    """It changes nothing in what it is given."""
    copies = X.copy(), y.copy(), scores.copy()
    curve(*copies)
    for name, given, left in zip(("X", "y", "scores"), (X, y, scores), copies, strict=True):
        need(np.array_equal(given, left), f"{name} is changed")


def is_none_of_others(text: Text) -> None:
    """It is None of an object that it does not describe."""
    found = text(object(), NAMES)
    need(found is None, f"for a plain object it returns {found!r}")


def is_a_text(text: Text, model: object, names: Sequence[str]) -> None:
    """It is a text, the same again, and adds nothing to the estimator."""
    before = set(vars(model))
    found = text(model, names)
    need(isinstance(found, str) and found, f"it is {found!r}")
    need(text(model, names) == found, "a second call returns another text")
    need(set(vars(model)) == before, f"it adds {sorted(set(vars(model)) - before)}")
