"""The contracts that rankexp has for each kind of extension; pip install '.[test]' && pytest."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
from rankexp_example.block import Wins
from rankexp_example.check import rounded_scores, single_features
from rankexp_example.curve import gains
from rankexp_example.diagnostic import ConstantColumns
from rankexp_example.estimator import Covariance
from rankexp_example.generator import Disc
from rankexp_example.loss import Huber
from rankexp_example.metric import share_at_top
from rankexp_example.protocol import Rolling
from rankexp_example.risk import Balanced
from rankexp_example.source import from_json_lines
from rankexp_example.text import coefficients
from rankexp_example.theory import log_odds, log_odds_threshold
from sklearn.linear_model import LogisticRegression

from rankexp.plugin import Metric
from rankexp.testing import (
    check_block,
    check_check,
    check_curve,
    check_generator,
    check_loss,
    check_metric,
    check_protocol,
    check_ranker,
    check_risk,
    check_source,
    check_text,
)

HERE = Path(__file__).parent


def test_loss():
    check_loss(Huber())
    check_loss(Huber(delta=0.05))


def test_risk():
    check_risk(Balanced())


def test_metric():
    check_metric(Metric("share_at_top", share_at_top))
    check_metric(Metric("share_at_top", share_at_top, (("ties", "worst"),)))


def test_metric_by_hand():
    y, scores = [1, 0, 1, 0], [3.0, 2.0, 2.0, 1.0]
    assert share_at_top(y, scores, top=0.5) == 0.75
    assert share_at_top(y, scores, top=0.5, ties="worst") == 0.5


def test_generator():
    check_generator(Disc())


def test_check():
    check_check(rounded_scores)
    check_check(single_features)


def test_protocol():
    check_protocol(Rolling(kind="rolling"))
    check_protocol(Rolling(kind="rolling", windows=1))
    check_protocol(Rolling(kind="rolling", share=0.5))


def test_block():
    check_block(Wins, {"against": "points"})


def test_estimator():
    check_ranker(Covariance())


def test_source():
    check_source(from_json_lines, "customers.jsonl", [HERE])


def test_curve():
    check_curve(gains)
    scores = np.array([3.0, 2.0, 2.0, 1.0])
    found = gains(np.zeros((4, 1)), np.array([1, 1, 0, 0]), scores)
    assert found == {"x": [0.25, 0.75, 1.0], "y": [0.5, 1.0, 1.0]}


def test_text():
    X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0]])
    model = LogisticRegression().fit(X, [0, 0, 1, 1])
    check_text(coefficients, model)
    assert coefficients(model, ["size", "age"]).startswith("size: ")


def test_theory():
    """The log-odds order points as the probability of a positive does."""
    model = Disc().draw_model(np.random.default_rng(0))
    X, _ = model.sample(50, np.random.default_rng(1))
    odds = log_odds(model, X)
    assert ((odds > 0) == (model.eta(X) > 0.5)).all()
    assert log_odds(model, X, base=2) @ odds > 0
    assert log_odds_threshold(model).tolist() == [0.0]


def test_diagnostic():
    columns = [
        SimpleNamespace(name=name, role="feature", low=1.0, high=high)
        for name, high in (("a", 1.0), ("b", 2.0))
    ]
    table = SimpleNamespace(reading=SimpleNamespace(columns=columns))
    text, advice = ConstantColumns().look(table)
    assert text == "The same value in all rows: a." and advice
