"""Which methods stand beside each other: the same scores and settings on pairs and on points."""

import numpy as np
import pytest
from scipy.stats import rankdata
from sklearn.linear_model import Ridge

from rankexp.runner.compare import methods
from rankexp.runner.compare.on_ranks import boosting, ridge
from rankexp.runner.compare.question import Kind
from rankexp.runner.config.estimators import estimator_of
from rankexp.runner.config.schema import Method


def having(monkeypatch: pytest.MonkeyPatch, *engines: str) -> None:
    monkeypatch.setattr(methods, "find_spec", lambda name: name in engines or None)


@pytest.mark.parametrize("kind", ["two", "ordered"])
@pytest.mark.parametrize("engine", ["lightgbm", "xgboost"])
def test_where_an_engine_is_its_trees_are_compared(
    monkeypatch: pytest.MonkeyPatch, engine: str, kind: Kind
) -> None:
    pytest.importorskip(engine)
    having(monkeypatch, engine)
    found = methods.offer(kind, None)
    like = found.contrasts["pairs-boosted"]
    assert like == ("balanced-boosted" if kind == "two" else "points-boosted")
    assert "boosting" not in found.methods
    assert found.scorers["pairs-boosted"] == "boosted trees"
    assert found.scorers["pairs-hinge"] == "linear scorers"
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = (X[:, 0] + X[:, 1] > 0) + (kind == "ordered") * (X[:, 0] > 1)
    grown = [m for m in found.methods if m.endswith("-boosted")]
    assert len(grown) == (3 if kind == "two" else 2)
    for name in grown:
        method = Method.model_validate(found.methods[name].content)
        model = estimator_of(method)(**method.first).fit(X, y.astype(int))
        scores = getattr(model, "decision_function", model.predict)(X)
        assert np.corrcoef(scores, X[:, 0] + X[:, 1])[0, 1] > 0.7, name
        if name == "points-boosted" and kind == "ordered":
            shown = method.params | method.grid
            assert shown["n_estimators"] == 100 and 4 in next(iter(method.grid.values()))
            rate = model.get_params()["learning_rate"]
            assert rate == pytest.approx(0.1), "as BoostedRanker's"


def test_without_an_engine_boosting_is_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    having(monkeypatch)
    known = methods._read().kinds["two"].methods
    assert methods.offer("two", None).methods.keys() == known.keys()
    assert set(methods.offer("two", None).scorers.values()) == {"linear scorers"}


def test_every_grid_can_grow_or_ends_by_nature(monkeypatch: pytest.MonkeyPatch) -> None:
    for engine in methods.ENGINES:
        having(monkeypatch, engine)
        for method in methods.offer("ordered", None, within=True).methods.values():
            assert method.grid.keys() <= methods._read().limits.keys()


def test_least_squares_on_ranks_sees_ranks_only() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(80, 2))
    y = X[:, 0] + rng.normal(size=80)
    for make in (ridge, boosting):
        one, other = make().fit(X, y), make().fit(X, np.exp(3 * y))
        np.testing.assert_allclose(one.predict(X), other.predict(X))

    plain = Ridge().fit(X, rankdata(y) / 80)
    np.testing.assert_allclose(ridge().fit(X, y).predict(X), plain.predict(X))


@pytest.mark.parametrize("kind", ["two", "ordered", "continuous"])
def test_all_methods_on_points_are_known(kind: Kind) -> None:
    """Each method is on pairs, a counterpart of one, or another on points; users' are unknown."""
    made = methods.offer(kind, None)
    both = {name for pair in made.contrasts.items() for name in pair}
    labels = {name: method.content.get("label", "") for name, method in made.methods.items()}
    assert made.points and not {*made.points} & both
    rest = {*made.methods} - {*made.points} - both
    assert all("on pairs" in labels[name] for name in rest), rest
    assert not any("on pairs" in labels[name] for name in made.points)
    pair = next(iter(made.contrasts.items()))
    assert methods.offer(kind, [*pair, "sklearn.linear_model.Ridge"]).points == []
