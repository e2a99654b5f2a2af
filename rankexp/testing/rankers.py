"""The contract of estimators, beyond scikit-learn's own, and of those that are told levels."""

import pickle
from functools import partial

import numpy as np
from sklearn.base import BaseEstimator, clone

from rankexp import registry
from rankexp.arrays import Floats, Ints
from rankexp.metrics.multipartite import u_pairs
from rankexp.testing.contract import keep, need, raises

__all__ = ["check_ranker"]

WORDS = ["poor", "fair", "good", "excellent"]
"""Levels, worst to best; by alphabet they have another order."""
BETTER = 0.75
"""Share of pairs in order that any ranker reaches on `of_levels`, where noise is small."""


def check_ranker(estimator: BaseEstimator | str, *, scikit_learn: bool = True) -> None:
    """Check that an estimator can be a method of a study.

    Parameters
    ----------
    estimator : estimator or str
        Made with the parameters to check, or the name of a registered one.
    scikit_learn : bool
        Whether scikit-learn's ``check_estimator`` is run, too.
    """
    made = registry.get("estimators", estimator)() if isinstance(estimator, str) else estimator
    laws = [has_parameters, gives_scores, scores_each_row_alone, changes_nothing, is_repeatable]
    laws += [passes_scikit_learn] if scikit_learn else []
    keep(f"estimator {made!r}", laws, made)
    given = made.get_params(deep=False)
    if "levels" in given:
        several = {"risk": "multipartite"} if "risk" in given else {}
        ordinal = type(made)(**{**given, **several})
        laws = [takes_their_order, refuses_words_alone, bears_an_empty_level, bears_two_levels]
        keep(f"estimator {ordinal!r}", [*laws, has_rising_thresholds], ordinal)


def data(n: int = 60) -> tuple[Floats, Ints]:
    """Return two classes, or low and high numbers, that three features tell apart somewhat."""
    rng = np.random.default_rng(0)
    X = np.round(rng.standard_normal((n, 3)), 1)
    return X, (X[:, 0] + 0.5 * rng.standard_normal(n) > 0).astype(np.int64)


def fitted(estimator: BaseEstimator, X: Floats, y: Ints) -> BaseEstimator:
    """Return a fitted copy."""
    return clone(estimator).fit(X, y)


def scores(estimator: BaseEstimator, X: Floats) -> Floats:
    """Return the scores that a study ranks by: ``decision_function`` or else ``predict``."""
    decides = hasattr(estimator, "decision_function")
    return np.asarray(estimator.decision_function(X) if decides else estimator.predict(X))


def has_parameters(estimator: BaseEstimator) -> None:
    """Every parameter has a default, and is kept as it was given."""
    given = estimator.get_params(deep=False)
    again = type(estimator)(**given).get_params(deep=False)
    lost = [name for name in given if again[name] is not given[name]]
    need(not lost, f"'{', '.join(lost)}' is not kept as it was given")
    type(estimator)()


def gives_scores(estimator: BaseEstimator) -> None:
    """Scores are finite, one a row."""
    X, y = data()
    found = scores(fitted(estimator, X, y), X)
    shape, n = np.shape(found), len(X)
    need(shape == (n,), f"the scores of {n} rows have the shape {shape}")
    need(np.isfinite(found).all(), "some scores are NaN or infinite")


def scores_each_row_alone(estimator: BaseEstimator) -> None:
    """A score depends on its row alone, to the bit, so that equal rows tie."""
    X, y = data()
    model = fitted(estimator, X, y)
    found = scores(model, X)
    reverse = scores(model, X[::-1])
    need((reverse == found[::-1]).all(), "some scores change when the rows are reversed")
    twice = scores(model, np.repeat(X, 3, axis=0)).reshape(-1, 3)
    need((twice == found[:, None]).all(), "a row has another score when it occurs three times")


def changes_nothing(estimator: BaseEstimator) -> None:
    """Fitting and scoring leave X and y as they are."""
    X, y = data()
    own, target = X.copy(), y.copy()
    scores(fitted(estimator, own, target), own)
    need((own == X).all(), "X is changed")
    need((target == y).all(), "y is changed")


def is_repeatable(estimator: BaseEstimator) -> None:
    """With a `random_state`, or without one, two fits give the same scores; so does a pickle."""
    X, y = data()
    if "random_state" in estimator.get_params():
        estimator = type(estimator)(**{**estimator.get_params(deep=False), "random_state": 0})
    model = fitted(estimator, X, y)
    found = scores(model, X)
    need((scores(fitted(estimator, X, y), X) == found).all(), "a second fit has other scores")
    loaded = scores(pickle.loads(pickle.dumps(model)), X)
    need((loaded == found).all(), "a model that was pickled has other scores")


def passes_scikit_learn(estimator: BaseEstimator) -> None:
    """It passes scikit-learn's ``check_estimator``."""
    from sklearn.utils.estimator_checks import check_estimator

    both = "a ranker of levels or numbers predicts scores, and has them as decision function"
    known = {"check_regressors_no_decision_function": both}
    check_estimator(estimator, on_skip=None, expected_failed_checks=known)


def of_levels(n: int = 90) -> tuple[Floats, Ints]:
    """Return rows and levels 0 .. 3, some far rarer than others."""
    rng = np.random.default_rng(0)
    X = np.round(rng.standard_normal((n, 3)), 1)
    s = X[:, 0] + 0.5 * X[:, 1] + 0.5 * rng.standard_normal(n)
    return X, np.searchsorted(np.quantile(s, [0.2, 0.6, 0.8]), s)


def told(estimator: BaseEstimator, levels: list[str] | list[int] | None) -> BaseEstimator:
    """Return an unfitted copy that is told levels."""
    return type(estimator)(**{**estimator.get_params(deep=False), "levels": levels})


def takes_their_order(estimator: BaseEstimator) -> None:
    """Levels are in the order of `levels`, never in that of the alphabet."""
    X, y = of_levels()
    words = np.array(WORDS)[y]
    known, model = told(estimator, None).fit(X, y), told(estimator, WORDS).fit(X, words)
    same = np.array_equal(model.decision_function(X), known.decision_function(X))
    need(same, "words in their order have other scores than the numbers 0 to 3")
    share = u_pairs(y, known.decision_function(X))
    need(share > BETTER, f"only {share:.3f} of the pairs are in order")
    reverse = told(estimator, WORDS[::-1]).fit(X, words)
    share = u_pairs(y, reverse.decision_function(X))
    need(share < 1 - BETTER, f"with `levels` reversed, {share:.3f} of the pairs are in order")


def refuses_words_alone(estimator: BaseEstimator) -> None:
    """Labels that have no order of their own, or are not among the levels, are refused."""
    X, y = of_levels()
    words = np.array(WORDS)[y]
    raises(ValueError, "levels=", lambda: told(estimator, None).fit(X, words))
    raises(ValueError, "excellent", lambda: told(estimator, WORDS[:3]).fit(X, words))
    raises(ValueError, "distinct", lambda: told(estimator, [0, 1, 1, 2, 3]).fit(X, y))


def bears_an_empty_level(estimator: BaseEstimator) -> None:
    """A level may have no example; a single one that has some is refused."""
    X, y = of_levels()
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


def bears_two_levels(estimator: BaseEstimator) -> None:
    """Two levels are enough."""
    X, y = of_levels()
    share = u_pairs(y > 1, told(estimator, None).fit(X, y > 1).decision_function(X))
    need(share > BETTER, f"only {share:.3f} of the pairs are in order")


def has_rising_thresholds(estimator: BaseEstimator) -> None:
    """A ranker with `predict_level` has K - 1 rising thresholds; a score at one is below it."""
    if not hasattr(estimator, "predict_level"):
        return
    X, y = of_levels()
    model = told(estimator, WORDS).fit(X, np.array(WORDS)[y])
    thresholds = model.thresholds_
    need(thresholds.shape == (3,) and np.isfinite(thresholds).all(), f"they are {thresholds}")
    need((np.diff(thresholds) >= 0).all(), f"they are {thresholds}")
    s = model.decision_function(X)
    for model.thresholds_ in (thresholds, np.sort(s[[0, 30, 60]])):
        expected = np.array(WORDS)[(s[:, None] > model.thresholds_).sum(axis=1)]
        need((model.predict_level(X) == expected).all(), "levels are not those of the scores")
