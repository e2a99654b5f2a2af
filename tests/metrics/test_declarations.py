import pickle
from types import SimpleNamespace
from typing import Literal

import numpy as np
import pytest

from rankexp import registry
from rankexp.metrics import rank_loss
from rankexp.metrics.metric import Metric, build, declare, parse


@declare("higher", source="made up", cutoff="k")
def gain(y, scores, groups=None, k: int | None = None, base: float = 2.0, ties="worst"):
    return (y, scores, groups, k, base, ties)


@declare("lower", source="made up")
def gap(scores, eta, mode: Literal["mean", "max"] = "mean"):
    return mode


def bare(y):
    return 0


@pytest.fixture
def metrics(monkeypatch):
    """Let the room hold made-up metrics with a cutoff, several parameters, or no declaration."""
    offered = {"gain": gain, "gap": gap, "bare": bare, "rank_loss": rank_loss}
    known = {name: registry.Target("made_up", name) for name in offered}
    monkeypatch.setattr(registry, "_room", lambda room: known)
    monkeypatch.setattr(
        registry.importlib, "import_module", lambda module: SimpleNamespace(**offered)
    )


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("rank_loss", "rank_loss"),
        (" rank_loss( ) ", "rank_loss"),
        ("rank_loss(ties=expected)", "rank_loss"),
        ("rank_loss(ties=worst)", "rank_loss(ties=worst)"),
        ("rank_loss( ties = 'worst' )", "rank_loss(ties=worst)"),
        ("gain@10", "gain@10"),
        ("gain(k=10)", "gain@10"),
        ("gain@10(ties=best)", "gain@10(ties=best)"),
        ("gain(ties=best,base=3)", "gain(base=3.0, ties=best)"),
        ("gain(base=1e-3)", "gain(base=0.001)"),
        ("gap(mode=max)", "gap(mode=max)"),
    ],
)
def test_parsing_is_canonical_and_round_trips(metrics, text, canonical):
    metric = parse(text)
    assert repr(metric) == canonical
    assert parse(canonical) == metric
    assert hash(parse(canonical)) == hash(metric)
    assert build(metric.name, dict(metric.parameters)) == metric


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rank_los", r"unknown metric 'rank_los' \(did you mean 'rank_loss'\?\)"),
        ("rank_los@3", "unknown metric"),
        ("rank_loss(tie=worst)", r"no parameter 'tie' \(did you mean 'ties'\?\); known: ties"),
        ("rank_loss(y=1)", "no parameter 'y'"),
        ("gain@10(cut=3)", "no parameter 'cut'"),
    ],
)
def test_unknown_names_say_what_is_nearest(metrics, text, message):
    with pytest.raises(registry.UnknownNameError, match=message):
        parse(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rank_loss(ties=wrst)", r"unknown value 'wrst' \(did you mean 'worst'\?\)"),
        ("rank_loss(ties=order)", "known: expected, worst, best"),
        ("rank_loss@10", "has no cutoff"),
        ("gap(mode=1)", "unknown value '1'"),
        ("gain(base=ten)", "expected float, got 'ten'"),
        ("gain(base=True)", "expected float"),
        ("gain@3(k=4)", "'k' is given twice"),
        ("gain(ties)", "expected parameter=value, got 'ties'"),
        ("gain(base=)", "expected parameter=value"),
        ("gain(", "is not a metric"),
        ("", "is not a metric"),
        ("1-auc", "is not a metric"),
    ],
)
def test_bad_strings_say_what_is_wrong(metrics, text, message):
    with pytest.raises(ValueError, match=message):
        parse(text)


def test_an_undeclared_function_is_no_metric(metrics):
    with pytest.raises(ValueError, match="metric 'bare' declares nothing"):
        parse("bare")


def test_needs_and_takes_come_from_the_signature(metrics):
    assert parse("gain").needs == {"y", "scores"}
    assert parse("gain").takes == {"y", "scores", "groups"}
    assert parse("gap").needs == {"scores", "eta"}
    assert parse("gap").ties is None
    assert parse("gain").ties == "worst"
    assert parse("gain(ties=best)").ties == "best"


def test_a_call_takes_what_it_needs_and_says_what_is_missing(metrics):
    given = {"y": 1, "scores": 2, "eta": 3}
    assert parse("gain@7").__call__(**given) == (1, 2, None, 7, 2.0, "worst")
    assert parse("gain")(**given, groups=4)[2] == 4
    with pytest.raises(TypeError, match="'gap' needs eta"):
        parse("gap")(y=1, scores=2)


def test_a_metric_computes_what_its_function_does():
    y, s = np.array([0, 1, 1]), np.array([1.0, 1.0, 2.0])
    assert parse("rank_loss(ties=worst)")(y=y, scores=s) == rank_loss(y, s, ties="worst") == 0.5
    assert parse("rank_loss")(y=y, scores=s) == 0.25


@pytest.mark.parametrize(
    "text",
    [
        *registry.names("metrics"),
        "rank_loss(ties=worst)",
        "iauc(kind=5)",
        "pair_risk(costs=1 2 1)",
        "pair_risk(costs=1 2 1, ties=worst)",
        "vus(ties=best)",
    ],
)
def test_the_texts_of_metrics_stay(text):
    """They stand in records and tables."""
    assert repr(parse(text)) == text


def test_metrics_are_values():
    metric = parse("auc(ties=best)")
    assert pickle.loads(pickle.dumps(metric)) == metric
    assert {metric, parse("auc(ties=best)")} == {metric}
    assert metric != parse("auc")
    assert metric.direction == "higher"
    assert isinstance(metric, Metric)
