"""What a check of data sets is given, and how it says of which kinds it takes them."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, SupportsFloat, TypeVar

import numpy as np
from numpy.typing import NDArray

from rankexp.arrays import Floats, Ints
from rankexp.metrics.metric import Kind

__all__ = ["Problem", "of_data"]

Rows = list[dict[str, float | str]]
"""What a check returns: rows with a quantity, its value, and perhaps a group and a step."""
KINDS: tuple[Kind, ...] = ("binary", "ordinal", "continuous")
APART = {  # what the quantities of `apart` are called on pages
    "coef": "relative change of coefficients",
    "angle": "angle between coefficients",
    "swapped": "share of pairs swapped",
}
Check = TypeVar("Check", bound=Callable[..., Any])


@dataclass(frozen=True, eq=False)
class Problem:
    """A data set whose features are numbers, made so by all of its rows; arrays are read-only.

    Attributes
    ----------
    name : str
        What the study calls it.
    X : ndarray of shape (n, p)
        Without missing values, unless the study has `impute: none`.
    y : ndarray of shape (n,)
        Codes of the levels, 0 .. K - 1, the last the best; or real numbers.
    kind : {"binary", "ordinal", "continuous"}
    names : tuple of str
        Of the columns of X.
    groups, weights : ndarray of shape (n,) or None
        Queries, as whole numbers, and what each row counts; of data sets that have them.
    """

    name: str
    X: Floats
    y: NDArray[Any]
    kind: Kind
    names: tuple[str, ...] = ()
    groups: Ints | None = None
    weights: Floats | None = None


class Takes(NamedTuple):
    """Which data sets a check takes."""

    kinds: tuple[Kind, ...] = KINDS
    groups: bool = False
    weights: bool = False


def of_data(*kinds: Kind, groups: bool = False, weights: bool = False) -> Callable[[Check], Check]:
    """Return a decorator of checks with a parameter `problem`: which data sets these take.

    Parameters
    ----------
    *kinds : {"binary", "ordinal", "continuous"}
        Of targets; none stands for all.
    groups, weights : bool
        Whether it makes use of queries and of weights. Of data that has them it is refused
        otherwise, since its answer would be another one's.

    Examples
    --------
    >>> from rankexp.checks.check import of_data
    >>> @of_data("binary")
    ... def share_of_pairs(rng, *, problem):
    ...     n = len(problem.y)
    ...     return [{"quantity": "pairs", "value": float((problem.y > 0).mean() * n)}]
    """

    def decorated(check: Check) -> Check:
        check.takes = Takes(kinds or KINDS, groups, weights)  # type: ignore[attr-defined]
        return check

    return decorated


def quantities(values: Mapping[str, SupportsFloat], **place: float | str) -> Rows:
    """Return a row for each value, by the name of its quantity; `place` is a group or a step."""
    return [{"quantity": name, "value": float(value), **place} for name, value in values.items()]


def apart(a: Floats, b: Floats, X: Floats) -> dict[str, float]:
    """Return how far coefficients are apart, (p,) each, and their scores of X, (n, p).

    ``coef``: the norm of the difference over that of b; ``angle``: that between both, in radians;
    ``swapped``: the share of pairs of rows that they order differently.
    """
    from rankexp.metrics.continuous import one_minus_discordance

    unit, other = a / np.linalg.norm(a), b / np.linalg.norm(b)
    return {
        "coef": float(np.linalg.norm(a - b) / np.linalg.norm(b)),
        "angle": float(2 * np.arctan2(np.linalg.norm(unit - other), np.linalg.norm(unit + other))),
        "swapped": float(1 - one_minus_discordance(X @ a, X @ b)),
    }


def takes(check: Callable[..., Any]) -> Takes | None:
    """Return which data sets a check takes; None where it has no parameter `problem`."""
    try:
        known = inspect.signature(check).parameters
    except (TypeError, ValueError):  # of compiled functions
        return None
    found: Takes = getattr(check, "takes", Takes())
    return found if "problem" in known else None
