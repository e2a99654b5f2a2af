"""What holds for every registered generator."""

import dataclasses
import json
import pickle

import numpy as np
import pytest

from rankexp import registry

NAMES = pytest.mark.parametrize("name", registry.names("generators"))


def drawn(name, seed=0):
    generator = registry.get("generators", name)()
    return generator.draw_model(np.random.default_rng(seed))


@NAMES
def test_parameters_can_be_written_down(name):
    generator = registry.get("generators", name)()
    parameters = dataclasses.asdict(generator)
    written = json.dumps(parameters)
    again = type(generator)(**json.loads(written))
    assert type(generator)(**parameters) == again == generator
    assert json.dumps(dataclasses.asdict(again)) == written
    assert hash(again) == hash(generator)
    with pytest.raises(dataclasses.FrozenInstanceError):
        generator.d = 1


@NAMES
def test_samples_have_the_shape_and_type_of_data(name):
    model = drawn(name)
    assert registry.get("generators", name)().levels == model.levels
    X, y = model.sample(30, np.random.default_rng(1))
    assert (X.ndim, len(X), X.dtype) == (2, 30, np.float64)
    assert X.flags.c_contiguous
    assert np.isfinite(X).all()
    assert y.shape == (30,)
    if model.levels is None:
        assert y.dtype == np.float64
    else:
        assert list(model.levels) == sorted(model.levels)
        assert set(np.unique(y)) <= set(model.levels)


@NAMES
def test_the_stream_determines_everything_and_nothing_else_does(name):
    np.random.seed(0)  # noqa: NPY002
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    first, again, other = (
        drawn(name, seed).sample(50, np.random.default_rng(seed)) for seed in (1, 1, 2)
    )
    assert (first[0] == again[0]).all()
    assert (first[1] == again[1]).all()
    assert (first[1] != other[1]).any()
    assert (np.random.get_state()[1] == state).all()  # noqa: NPY002


@NAMES
def test_sampling_leaves_the_model_alone(name):
    model = drawn(name)
    before = pickle.dumps(model)
    rng = np.random.default_rng(3)
    first, second = model.sample(20, rng), model.sample(20, rng)
    assert pickle.dumps(model) == before
    assert (first[0] != second[0]).any()


@NAMES
def test_two_class_models_are_what_they_say(name):
    """Prior and Bayes rank risk within 5 SE and the calibration's .003; eta calibrated."""
    model = drawn(name)
    if model.levels is None or len(model.levels) != 2:
        pytest.skip("not two classes")
    X, y = model.sample(20_000, np.random.default_rng(4))
    positive, eta = y == model.levels[-1], model.eta(X)
    p = model.prior
    assert eta.shape == (20_000,)
    assert eta.min() >= 0
    assert eta.max() <= 1
    assert abs(positive.mean() - p) < 5 * np.sqrt(p * (1 - p) / 20_000) + 0.003
    assert 0 <= getattr(model, "bayes_rank_risk", 0.0) < 0.5
    for low, high in ((0.0, 0.2), (0.2, 0.5), (0.5, 0.8), (0.8, 1.01)):
        cell = (eta >= low) & (eta < high)
        if cell.any():
            spread = np.sqrt((eta[cell] * (1 - eta[cell])).sum()) + 1e-9
            assert abs((positive[cell] - eta[cell]).sum()) < 5 * spread


@NAMES
def test_continuous_models_are_what_they_say(name):
    """The mean of y is calibrated where m is high and where it is low, within 5 SE."""
    model = drawn(name)
    if model.levels is not None:
        pytest.skip("not continuous")
    X, y = model.sample(20_000, np.random.default_rng(4))
    m = model.mean(X)
    assert m.shape == (20_000,)
    assert m.dtype == np.float64
    assert (np.concatenate([model.mean(row[None]) for row in X[:50]]) == m[:50]).all()
    for cell in (m >= np.median(m), m < np.quantile(m, 0.2), m > np.quantile(m, 0.8)):
        if cell.any():
            error = np.std(y[cell] - m[cell]) / np.sqrt(cell.sum())
            assert abs((y[cell] - m[cell]).mean()) <= 5 * error
