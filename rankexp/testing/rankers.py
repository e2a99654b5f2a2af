"""The contract of estimators, beyond scikit-learn's own."""

import pickle

import numpy as np

from rankexp import registry
from rankexp.arrays import Floats, Ints
from rankexp.testing import levels
from rankexp.testing.contract import keep, need
from rankexp.testing.levels import Ranker

__all__ = ["check_ranker"]


def check_ranker(estimator: Ranker | str, *, scikit_learn: bool = True) -> None:
    """Check that an estimator can be a method of a study.

    Parameters
    ----------
    estimator : estimator or str
        Made with the parameters to check, or the name of a registered one.
    scikit_learn : bool
        Whether scikit-learn's ``check_estimator`` is run, too.
    """
    made: Ranker = (
        registry.get("estimators", estimator)() if isinstance(estimator, str) else estimator
    )
    laws = [has_parameters, gives_scores, scores_each_row_alone, changes_nothing, is_repeatable]
    laws += [passes_scikit_learn] if scikit_learn else []
    keep(f"estimator {made!r}", laws, made)
    given = made.get_params(deep=False)
    if "levels" in given:
        several = {"risk": "multipartite"} if "risk" in given else {}
        ordinal = type(made)(**{**given, **several})
        keep(f"estimator {ordinal!r}", levels.LAWS, ordinal)


def data(n: int = 60) -> tuple[Floats, Ints]:
    """Return two classes, or low and high numbers, that three features tell apart somewhat."""
    rng = np.random.default_rng(0)
    X = np.round(rng.standard_normal((n, 3)), 1)
    return X, (X[:, 0] + 0.5 * rng.standard_normal(n) > 0).astype(np.int64)


def fitted(estimator: Ranker, X: Floats, y: Ints) -> Ranker:
    """Return a fitted copy."""
    from sklearn.base import clone

    copy: Ranker = clone(estimator)
    return copy.fit(X, y)


def scores(estimator: Ranker, X: Floats) -> Floats:
    """Return the scores that a study ranks by: ``decision_function`` or else ``predict``."""
    decides = hasattr(estimator, "decision_function")
    return estimator.decision_function(X) if decides else estimator.predict(X)


def has_parameters(estimator: Ranker) -> None:
    """Every parameter has a default, and is kept as it was given."""
    given = estimator.get_params(deep=False)
    again = type(estimator)(**given).get_params(deep=False)
    lost = [name for name in given if again[name] is not given[name]]
    need(not lost, f"'{', '.join(lost)}' is not kept as it was given")
    type(estimator)()


def gives_scores(estimator: Ranker) -> None:
    """Scores are finite, one a row."""
    X, y = data()
    found = scores(fitted(estimator, X, y), X)
    need(
        np.shape(found) == (len(X),),
        f"the scores of {len(X)} rows have the shape {np.shape(found)}",
    )
    need(np.isfinite(found).all(), "some scores are NaN or infinite")


def scores_each_row_alone(estimator: Ranker) -> None:
    """A score depends on its row alone, to the bit, so that equal rows tie."""
    X, y = data()
    model = fitted(estimator, X, y)
    found = scores(model, X)
    need(
        (scores(model, X[::-1]) == found[::-1]).all(),
        "some scores change when the rows are reversed",
    )
    twice = scores(model, np.repeat(X, 3, axis=0)).reshape(-1, 3)
    need((twice == found[:, None]).all(), "a row has another score when it occurs three times")


def changes_nothing(estimator: Ranker) -> None:
    """Fitting and scoring leave X and y as they are."""
    X, y = data()
    own, target = X.copy(), y.copy()
    scores(fitted(estimator, own, target), own)
    need((own == X).all(), "X is changed")
    need((target == y).all(), "y is changed")


def is_repeatable(estimator: Ranker) -> None:
    """With a `random_state`, or without one, two fits give the same scores; so does a pickle."""
    X, y = data()
    if "random_state" in estimator.get_params():
        estimator = type(estimator)(**{**estimator.get_params(deep=False), "random_state": 0})
    model = fitted(estimator, X, y)
    found = scores(model, X)
    need((scores(fitted(estimator, X, y), X) == found).all(), "a second fit has other scores")
    need(
        (scores(pickle.loads(pickle.dumps(model)), X) == found).all(),
        "a model that was pickled has other scores",
    )


def passes_scikit_learn(estimator: Ranker) -> None:
    """It passes scikit-learn's ``check_estimator``."""
    from sklearn.utils.estimator_checks import check_estimator

    both = "a ranker of levels or numbers predicts scores, and has them as decision function"
    known = {"check_regressors_no_decision_function": both}
    check_estimator(estimator, on_skip=None, expected_failed_checks=known)
