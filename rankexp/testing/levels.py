"""The contract of estimators that are told the order of levels, by a parameter `levels`."""

from functools import partial
from typing import Protocol, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankexp.arrays import Floats, Ints
from rankexp.metrics.multipartite import u_pairs
from rankexp.testing.contract import need, raises

WORDS = ["poor", "fair", "good", "excellent"]
"""Levels, worst to best; by alphabet they have another order."""
BETTER = 0.75
"""Share of pairs in order that any ranker reaches on `data`, where noise is small."""


class Ranker(Protocol):
    """An estimator of scikit-learn's kind, whose `decision_function` or `predict` gives scores."""

    thresholds_: Floats
    """Of a ranker that has `predict_level`."""

    def __init__(self, **parameters: object) -> None: ...

    def get_params(self, deep: bool = True) -> dict[str, object]:
        """Return the parameters."""

    def fit(self, X: Floats, y: ArrayLike) -> Self:
        """Learn from rows and labels."""

    def decision_function(self, X: Floats) -> Floats:
        """Return scores."""

    def predict(self, X: Floats) -> Floats:
        """Return labels or scores."""

    def predict_level(self, X: Floats) -> NDArray[np.str_]:
        """Return levels."""


def data(n: int = 90) -> tuple[Floats, Ints]:
    """Return rows and levels 0 .. 3, some far rarer than others."""
    rng = np.random.default_rng(0)
    X = np.round(rng.standard_normal((n, 3)), 1)
    s = X[:, 0] + 0.5 * X[:, 1] + 0.5 * rng.standard_normal(n)
    return X, np.searchsorted(np.quantile(s, [0.2, 0.6, 0.8]), s)


def told(estimator: Ranker, levels: list[str] | list[int] | None) -> Ranker:
    """Return an unfitted copy that is told levels."""
    return type(estimator)(**{**estimator.get_params(deep=False), "levels": levels})


def takes_their_order(estimator: Ranker) -> None:
    """Levels are in the order of `levels`, never in that of the alphabet."""
    X, y = data()
    words = np.array(WORDS)[y]
    known, model = told(estimator, None).fit(X, y), told(estimator, WORDS).fit(X, words)
    same = np.array_equal(model.decision_function(X), known.decision_function(X))
    need(same, "words in their order have other scores than the numbers 0 to 3")
    share = u_pairs(y, known.decision_function(X))
    need(share > BETTER, f"only {share:.3f} of the pairs are in order")
    reverse = told(estimator, WORDS[::-1]).fit(X, words)
    share = u_pairs(y, reverse.decision_function(X))
    need(share < 1 - BETTER, f"with `levels` reversed, {share:.3f} of the pairs are in order")


def refuses_words_alone(estimator: Ranker) -> None:
    """Labels that have no order of their own, or are not among the levels, are refused."""
    X, y = data()
    words = np.array(WORDS)[y]
    raises(ValueError, "levels=", lambda: told(estimator, None).fit(X, words))
    raises(ValueError, "excellent", lambda: told(estimator, WORDS[:3]).fit(X, words))
    raises(ValueError, "distinct", lambda: told(estimator, [0, 1, 1, 2, 3]).fit(X, y))


def bears_an_empty_level(estimator: Ranker) -> None:
    """A level may have no example; a single one that has some is refused."""
    X, y = data()
    for gone in (0, 1, 3):
        model = told(estimator, [0, 1, 2, 3]).fit(X[y != gone], y[y != gone])
        share = u_pairs(y[y != gone], model.decision_function(X[y != gone]))
        need(share > BETTER, f"without level {gone}, only {share:.3f} of the pairs are in order")
        if hasattr(model, "predict_level"):
            found = set(model.predict_level(X).tolist())
            need(found <= {0, 1, 2, 3} - {gone}, f"without level {gone} it predicts {found}")
    for levels in (None, [0, 1, 2]):
        one = told(estimator, levels)
        raises(ValueError, "two levels", partial(one.fit, X, np.ones_like(y)))


def bears_two_levels(estimator: Ranker) -> None:
    """Two levels are enough."""
    X, y = data()
    share = u_pairs(y > 1, told(estimator, None).fit(X, y > 1).decision_function(X))
    need(share > BETTER, f"only {share:.3f} of the pairs are in order")


def has_rising_thresholds(estimator: Ranker) -> None:
    """A ranker with `predict_level` has K - 1 rising thresholds; a score at one is below it."""
    if not hasattr(estimator, "predict_level"):
        return
    X, y = data()
    model = told(estimator, WORDS).fit(X, np.array(WORDS)[y])
    thresholds = model.thresholds_
    need(thresholds.shape == (3,) and np.isfinite(thresholds).all(), f"they are {thresholds}")
    need((np.diff(thresholds) >= 0).all(), f"they are {thresholds}")
    s = model.decision_function(X)
    for model.thresholds_ in (thresholds, np.sort(s[[0, 30, 60]])):
        expected = np.array(WORDS)[(s[:, None] > model.thresholds_).sum(axis=1)]
        need((model.predict_level(X) == expected).all(), "levels are not those of the scores")


LAWS = (
    takes_their_order,
    refuses_words_alone,
    bears_an_empty_level,
    bears_two_levels,
    has_rising_thresholds,
)
