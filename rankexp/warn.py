"""Warnings that point at the user's line."""

import sys
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from rankexp.errors import UngroupedScoreWarning

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

NOT_THE_USERS = ("rankexp.", "sklearn.", "joblib.")
"""How the names of modules begin that a user does not write."""
_SAID: set[tuple[str, int, str]] = set()


def warn_user(text: str, category: type[Warning] | None = None, once: bool = False) -> None:
    """Warn (that a solver has not converged), at the user's line, which may call scikit-learn.

    With `once` a line that makes scikit-learn fit many times hears of it once.
    """
    frame, up, tool = sys._getframe(), 1, False
    while frame.f_back and (name := frame.f_globals.get("__name__", "")).startswith(NOT_THE_USERS):
        frame, up, tool = frame.f_back, up + 1, tool or name.startswith("sklearn.")
    if once and tool:
        if (place := (frame.f_code.co_filename, frame.f_lineno, text)) in _SAID:
            return
        _SAID.add(place)
    if category is None:
        from sklearn.exceptions import ConvergenceWarning

        category = ConvergenceWarning
    warnings.warn(text, category, stacklevel=up)


def warn_ungrouped(ranker: "BaseEstimator", groups: ArrayLike | None) -> None:
    """Warn if a ranker, or a pipeline's last step, was trained within groups and now has none."""
    steps: Sequence[tuple[str, BaseEstimator]] = getattr(ranker, "steps", [("", ranker)])
    if groups is None and getattr(steps[-1][1], "_grouped", False):
        name = type(steps[-1][1]).__name__
        text = f"{name} was trained within groups, but this score has no groups and counts pairs"
        advice = "give it groups, in a search by set_score_request(groups=True)"
        warn_user(f"{text} of different ones: {advice}", UngroupedScoreWarning, once=True)
