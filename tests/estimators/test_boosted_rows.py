"""BoostedRanker: sparse rows, rows to stop early by, and importances."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from rankexp.estimators import BoostedRanker

rng = np.random.default_rng(0)
X = rng.poisson(0.3, size=(600, 8)) * rng.normal(size=(600, 8))
Y = X[:, 0] + X[:, 1] + 0.5 * rng.normal(size=600) > 0.1
LEVELS = np.digitize(X[:, 0] + X[:, 1], [-0.2, 0.2])
GROUPS = np.repeat(np.arange(60), 10)
KINDS = [sparse.csr_matrix, sparse.csc_array, sparse.coo_matrix]


@pytest.fixture(params=["lightgbm", "xgboost"])
def engine(request):
    pytest.importorskip(request.param)
    return request.param


@pytest.mark.parametrize("risk", ["points", "balanced", "pairs", "multipartite"])
def test_sparse_rows_have_the_scores_of_dense_ones(engine, risk):
    y = LEVELS if risk == "multipartite" else Y
    dense = BoostedRanker(engine=engine, risk=risk, n_rounds=8).fit(X, y)
    expected = dense.decision_function(X)
    for kind in KINDS:
        rows = kind(X)
        made = BoostedRanker(engine=engine, risk=risk, n_rounds=8).fit(rows, y)
        for given in (rows, X):
            assert (made.decision_function(given) == expected).all()
        assert (dense.decision_function(rows) == expected).all()
        *_, last = made.staged_decision_function(rows)
        assert last == pytest.approx(expected, abs=1e-6)
    held = [
        BoostedRanker(
            engine=engine, risk=risk, n_rounds=8, validation_fraction=0.3, random_state=0
        )
        .fit(rows, y)
        .decision_function(X)
        for rows in (X, sparse.csr_matrix(X))
    ]
    assert (held[0] == held[1]).all()


def test_other_rows_stop_training(engine):
    train, test = slice(0, 400), slice(400, 600)
    ranker = BoostedRanker(engine=engine, n_rounds=200, n_iter_no_change=5)
    found = ranker.fit(X[train], Y[train], eval_set=(X[test], Y[test], GROUPS[test]))
    errors = found.validation_error_
    assert found.n_iter_ == errors.argmin() + 1 == len(errors) - 5
    share = found.score(X[test], Y[test], groups=GROUPS[test])
    assert errors.min() == pytest.approx(1.0 - share)
    listed = BoostedRanker(engine=engine, n_rounds=200, n_iter_no_change=5)
    listed.fit(X[train], Y[train], eval_set=[(X[test], Y[test])])
    assert listed.validation_error_[0] == pytest.approx(
        1.0 - _first(engine).score(X[test], Y[test])
    )
    few, many = ranker.fit_rounds([1, 200], X[train], Y[train], eval_set=(X[test], Y[test]))
    assert few.n_iter_ == 1
    assert many.n_iter_ == listed.n_iter_


def _first(engine):
    return BoostedRanker(engine=engine, n_rounds=1).fit(X[:400], Y[:400])


def test_what_cannot_stop_training_is_refused(engine):
    ranker = BoostedRanker(engine=engine, validation_fraction=0.2)
    with pytest.raises(ValueError, match="set that to None"):
        ranker.fit(X, Y, eval_set=(X, Y))
    ranker = BoostedRanker(engine=engine)
    with pytest.raises(ValueError, match="not among the levels"):
        ranker.fit(X, Y.astype(int), eval_set=(X, Y + 1))
    with pytest.raises(ValueError, match="inconsistent numbers"):
        ranker.fit(X, Y, eval_set=(X[1:], Y))
    dart = {"boosting": "dart"} if engine == "lightgbm" else {"booster": "dart"}
    with pytest.raises(ValueError, match="omit eval_set"):
        BoostedRanker(engine=engine, params=dart).fit(X, Y, eval_set=(X, Y))


def test_importances_are_shares_of_the_gain(engine):
    frame = pd.DataFrame(X, columns=[f"feature {j}" for j in range(8)])
    for rows in (X, frame, sparse.csr_matrix(X)):
        found = BoostedRanker(engine=engine, n_rounds=10).fit(rows, Y).feature_importances_
        assert found.shape == (8,)
        assert found.sum() == pytest.approx(1.0)
        assert set(found.argsort()[-2:]) == {0, 1}
    stopped = BoostedRanker(engine=engine, n_rounds=60, n_iter_no_change=50)
    stopped.fit(X[:400], Y[:400], eval_set=(X[400:], Y[400:]))
    alone = BoostedRanker(engine=engine, n_rounds=stopped.n_iter_).fit(X[:400], Y[:400])
    assert stopped.feature_importances_ == pytest.approx(alone.feature_importances_)
