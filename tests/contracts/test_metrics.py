"""What holds for every registered metric."""

import inspect

import numpy as np
import pytest

from rankexp import registry
from rankexp.metrics.base import DATA, parameters_of, parse

NAMES = registry.names("metrics")
KINDS = [(name, kind) for name in NAMES for kind in parse(name).kinds]


def data(metric, kind=None, n=40, seed=0):
    """Return data of a kind that the metric is for, by default the first."""
    rng = np.random.default_rng(seed)
    kind = kind or metric.kinds[0]
    y = {
        "binary": np.where(np.arange(n) % 3 == 0, 1, -1),
        "ordinal": np.array([0, 2, 1, 0, 3])[np.arange(n) % 5],
        "continuous": rng.standard_normal(n),
    }[kind]
    return {
        "y": y,
        "scores": np.round(rng.standard_normal((n, 3)) + 0.3 * np.sign(y)[:, None], 1),
        "groups": np.arange(n) // 10,
        "eta": rng.random(n),
        "reference": rng.standard_normal(n),
        "fitted": {},
        "levels": len(set(y.tolist())),
        "sample_weight": np.arange(n) % 4 / 2,
    }


@pytest.mark.parametrize("name", NAMES)
def test_declares_itself(name):
    metric = parse(name)
    assert metric.direction in ("lower", "higher")
    assert metric.source
    assert metric.kinds
    assert set(metric.kinds) <= {"binary", "ordinal", "continuous"}
    assert repr(metric) == name
    assert metric.needs <= metric.takes <= set(DATA)
    assert metric.needs
    assert (inspect.getdoc(metric.function) or "").strip()
    assert all(
        value is not inspect.Parameter.empty for value in parameters_of(metric.function).values()
    )


@pytest.mark.parametrize(("name", "kind"), KINDS)
def test_one_vector_of_scores_or_many(name, kind):
    metric = parse(name)
    given = data(metric, kind)
    if "scores" not in metric.takes:
        pytest.skip("it takes no scores")
    many = metric(**given)
    assert many.shape == (3,)
    assert many.dtype == np.float64
    for j in range(3):
        one = metric(**{**given, "scores": given["scores"][:, j]})
        assert isinstance(one, float)
        assert one == many[j]


@pytest.mark.parametrize("name", [n for n in NAMES if "sample_weight" in parse(n).takes])
def test_a_weight_is_so_many_copies(name):
    metric = parse(name)
    given = data(metric)
    times = (2 * given["sample_weight"]).astype(int)
    copies = {k: np.repeat(given[k], times, axis=0) for k in ("y", "scores")}
    np.testing.assert_array_equal(
        metric(**given), metric(**{**given, **copies, "sample_weight": None})
    )


@pytest.mark.parametrize(("name", "kind"), KINDS)
def test_refuses_nan_scores(name, kind):
    metric = parse(name)
    given = data(metric, kind)
    if "scores" not in metric.takes:
        pytest.skip("it takes no scores")
    given["scores"][5, 1] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        metric(**given)


@pytest.mark.parametrize(("name", "kind"), KINDS)
def test_better_scores_are_better_in_the_declared_direction(name, kind):
    metric = parse(name)
    given = data(metric, kind)
    if not {"y", "scores"} <= metric.needs:
        pytest.skip("it compares no scores with y")
    good = metric(**{**given, "scores": given["y"].astype(float)})
    bad = metric(**{**given, "scores": -given["y"].astype(float)})
    assert good < bad if metric.direction == "lower" else good > bad
