"""How rankers of other packages are told which rows belong together.

Ours take `groups`, (n,). XGBoost's XGBRanker takes `qid`, which must not descend, LightGBM's
LGBMRanker the size of each group in `group`, and CatBoost's ranker `group_id` with the rows of a
group beside each other. All three get rows in the order of their groups. Which of them a `fit`
takes is read off its signature. XGBRanker's weights are of groups, not of rows.
"""

import inspect
from collections.abc import Callable
from typing import Protocol

import numpy as np

from rankexp.arrays import Ints

WAYS = ("qid", "group_id", "group")
"""Arguments of `fit`, the first that it has: XGBRanker has `group`, too."""


class Fits(Protocol):
    """An estimator of any package."""

    @property
    def fit(self) -> Callable[..., object]: ...  # noqa: D102


def way_of(model: Fits) -> str | None:
    """Return the argument by which a fit takes groups in another way than ours, or None."""
    named = inspect.signature(model.fit).parameters
    return None if "groups" in named else next((way for way in WAYS if way in named), None)


def takes(model: Fits) -> frozenset[str]:
    """Return which of ``groups`` and ``sample_weight`` the fit of a foreign estimator takes."""
    named = frozenset(inspect.signature(model.fit).parameters) & {"groups", "sample_weight"}
    way = way_of(model)
    if way is None:
        return named
    return (named | {"groups"}) - ({"sample_weight"} if way == "qid" else set())


def ordered(model: Fits, groups: Ints | None) -> tuple[Ints | None, dict[str, Ints]]:
    """Return the order that rows must have for a model's fit, and what tells it their groups.

    None and nothing where it has no such way; ValueError where it has, and there are no groups.
    """
    way = way_of(model)
    if way is None:
        return None, {}
    if groups is None:
        raise ValueError(
            f"{type(model).__name__} ranks within groups, but the rows have no groups"
        )
    order = np.argsort(groups, kind="stable")
    if way != "group":
        return order, {way: groups[order]}
    return order, {way: np.unique(groups, return_counts=True)[1]}
