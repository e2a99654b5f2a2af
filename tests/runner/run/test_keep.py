"""Keys of what records keep, trees as rows against predictions, curves and texts from outside."""

import json
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.ensemble import RandomForestRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from rankexp import registry
from rankexp.estimators import CRank, KendallTree
from rankexp.runner.keep import KeptName, curves, texts
from rankexp.studies.clemencon2017.texts.tree import TreeNode, read, tree
from rankexp.testing import ContractError, check_curve, check_text

NAMES = ["income >$50K", "x^2_\n$"]
RNG = np.random.default_rng(0)
X = RNG.integers(0, 40, (60, 2)).astype(np.float64)  # thresholds have few digits
Y = X[:, 0] + 3 * (X[:, 1] > 20) + 0.1 * X[:, 1]


@given(st.text(max_size=20), st.none() | st.integers(0, 10**6))
def test_a_key_is_read_as_it_is_written(name: str, point: int | None) -> None:
    assert KeptName.parse(str(KeptName(name, point))) == KeptName(name, point)


@pytest.mark.parametrize("text", ["", "tree", "tree:", "tree:-1", "tree:0.5", "tree:best"])
def test_what_is_no_key_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="such as 'tree:0'"):
        KeptName.parse(text)


def test_keys_of_older_records_stay() -> None:
    assert str(KeptName("iroc")) == "iroc:bayes" and str(KeptName("tree", 3)) == "tree:3"


def followed(nodes: list[TreeNode], x: np.ndarray) -> float:
    """Return the score of the leaf that a row falls into, by the rules alone."""
    place = 0
    while (rule := nodes[place].rule) is not None:
        left = place + 1
        depth = nodes[left].depth
        right = next(i for i in range(left + 1, len(nodes)) if nodes[i].depth == depth)
        name, sign, threshold = rule.rsplit(" ", 2)
        value = x[NAMES.index(name)]
        holds = value <= float(threshold) if sign == "<=" else value > float(threshold)
        place = left if holds else right
    score = nodes[place].score
    assert score is not None
    return score


@pytest.mark.parametrize(
    "model",
    [
        KendallTree(depth=3),
        KendallTree(depth=0),
        DecisionTreeRegressor(max_depth=4, random_state=0),
        DecisionTreeRegressor(max_depth=1),
    ],
)
def test_a_tree_in_rows_predicts_what_the_tree_predicts(model: Any) -> None:
    model.fit(X, Y)
    text = tree(model, NAMES)
    assert text is not None
    nodes = read(text)
    predicted = [followed(nodes, x) for x in X]
    np.testing.assert_allclose(predicted, model.predict(X), rtol=1e-12)
    leaves = [node for node in nodes if node.rule is None]
    assert nodes[0].size == len(X) == sum(leaf.size for leaf in leaves)
    assert not hasattr(model, "feature_names_in_")


@pytest.mark.parametrize("levels", [2, 4])
def test_a_classifiers_leaf_has_its_expected_level(levels: int) -> None:
    y = np.minimum(X[:, 0] // (40 / levels), levels - 1).astype(int)
    y[::7] = 0
    model = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
    nodes = read(tree(model, NAMES) or "")
    expected = model.predict_proba(X) @ np.arange(levels)
    np.testing.assert_allclose([followed(nodes, x) for x in X], expected, rtol=1e-12)


def test_what_is_no_tree_has_no_text() -> None:
    forest = RandomForestRegressor(n_estimators=2).fit(X, Y)
    assert texts.made(["tree"], forest, NAMES, 0) == {}


def test_rules_that_are_no_thresholds_are_kept_as_text() -> None:
    model = CRank(depth=2, classifier="sklearn.linear_model.LogisticRegression").fit(X, Y)
    nodes = read(texts.made(["tree"], model, NAMES, 1)["tree:1"])
    assert all((node.rule is None) != (node.score is None) for node in nodes)


@pytest.mark.parametrize(
    "text",
    [
        "x0 > 0.5  [4]\n|   score 2  [1]",  # the form of older records
        "",
        "[]",
        "{}",
        "3",
        json.dumps([{"depth": 1, "size": 3}]),
        json.dumps([{"depth": 0, "size": 3}, {"depth": 2, "size": 3}]),
        json.dumps([{"depth": 0, "size": 3}, {"depth": 0, "size": 3}]),
        json.dumps([{"depth": 0, "height": 3}]),
    ],
)
def test_a_text_that_is_no_tree_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not read any more"):
        read(text)


def test_a_curve_of_each_grid_point_and_of_the_best_scorer() -> None:
    x = np.arange(6.0)[:, None]
    scores = np.column_stack([np.arange(6.0), -np.arange(6.0)])
    found = curves.made(["scoring_function", "iroc"], x, x[:, 0], scores, x[:, 0])
    assert found.keys() == {
        f"{name}:{point}" for name in ("scoring_function", "iroc") for point in (0, 1, "bayes")
    }
    assert found["scoring_function:1"] == {"x": x[:, 0].tolist(), "y": (-x[:, 0]).tolist()}
    assert curves.made(["iroc"], x, x[:, 0], scores, None).keys() == {"iroc:0", "iroc:1"}


@pytest.mark.parametrize("name", registry.names("keep.curves"))
def test_every_curve_keeps_its_contract(name: str) -> None:
    check_curve(name)


@pytest.mark.parametrize("name", registry.names("keep.texts"))
def test_every_text_keeps_its_contract(name: str) -> None:
    check_text(name, KendallTree(depth=2).fit(X, Y))


def uneven(X: Any, y: Any, scores: np.ndarray) -> dict[str, list[float]]:
    """Return lists of two lengths."""
    return {"x": [0.0], "y": scores.tolist()}


def unknown(X: Any, y: Any, scores: np.ndarray) -> dict[str, list[float]]:
    """Return what JSON cannot hold."""
    return {"x": [0.0], "y": [float("nan")]}


def greedy(X: Any, y: Any, scores: np.ndarray) -> dict[str, list[float]]:
    """Sort the scores in place."""
    scores.sort()
    return {"x": scores.tolist(), "y": scores.tolist()}


@pytest.mark.parametrize(
    ("curve", "message"),
    [(uneven, "equally long"), (unknown, "finite numbers"), (greedy, "scores is changed")],
)
def test_broken_curves_are_told(curve: Any, message: str) -> None:
    with pytest.raises(ContractError, match=message):
        check_curve(curve)


def test_broken_texts_are_told() -> None:
    with pytest.raises(ContractError, match="for a plain object it returns 'object'"):
        check_text(kind)

    def marking(model: Any, names: Any) -> str | None:
        """Mark the model."""
        if not isinstance(model, KendallTree):
            return None
        model.seen_ = True
        return "seen"

    with pytest.raises(ContractError, match="it adds \\['seen_'\\]"):
        check_text(marking, KendallTree(depth=1).fit(X, Y))


def ranks(X: Any, y: Any, scores: np.ndarray) -> dict[str, list[float]]:
    """Return the scores in order: a curve of another package."""
    return {"x": list(range(len(scores))), "y": np.sort(scores).tolist()}


def kind(model: Any, names: Any) -> str:
    """Return the class: a text of another package."""
    return type(model).__name__


@pytest.fixture
def _plug_in(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    points = [
        EntryPoint("ranks", f"{__name__}:ranks", "rankexp.keep.curves"),
        EntryPoint("kind", f"{__name__}:kind", "rankexp.keep.texts"),
    ]
    monkeypatch.setattr(
        registry, "entry_points", lambda group: [p for p in points if p.group == group]
    )
    registry._room.cache_clear()
    yield
    registry._room.cache_clear()


@pytest.mark.usefixtures("_plug_in")
def test_other_packages_add_curves_and_texts() -> None:
    found = curves.made(["ranks"], X, Y, Y[:, None], None)
    assert found == {"ranks:0": {"x": list(range(60)), "y": np.sort(Y).tolist()}}
    assert texts.made(["kind"], KendallTree(), NAMES, 2) == {"kind:2": "KendallTree"}
