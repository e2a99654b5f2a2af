"""Gaussian classes and classes on finitely many points."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from rankexp.generators import Discrete, Gaussian
from rankexp.generators.generator import rounded
from rankexp.metrics.bipartite import rank_loss

RNG = np.random.default_rng(0)
GAUSSIANS = {
    "two": Gaussian(),
    "three": Gaussian([-2, 0, 2]),
    "own variances": Gaussian([0, 1, 3], [1, 0.25, 4], priors=[1, 2, 5]),
    "plane": Gaussian([[0, 1], [1, 1], [2, -1]], 2.0),
    "diagonal": Gaussian([[0, 1], [1, 1]], [[1, 2], [0.5, 3]], priors=(0.2, 0.8)),
}
DISCRETE = {
    "two": Discrete(),
    "three": Discrete([[0, 1], [1, 1]], [[0.9, 0.1], [0.5, 0.5], [0, 1]], priors=[3, 2, 1]),
}
EACH = pytest.mark.parametrize("generator", [*GAUSSIANS.values(), *DISCRETE.values()], ids=str)
EACH_GAUSSIAN = pytest.mark.parametrize("generator", GAUSSIANS.values(), ids=GAUSSIANS)


def model_of(generator):
    return generator.draw_model(np.random.default_rng(0))


def some_points(model):
    if hasattr(model, "points"):
        return np.array(model.points)
    return RNG.standard_normal((40, len(model.means[0]))) * 3


@EACH_GAUSSIAN
def test_densities_are_scipys(generator):
    model = model_of(generator)
    X = some_points(model)
    for k, (mean, variance) in enumerate(zip(model.means, model.variances, strict=True)):
        normal = stats.multivariate_normal(mean, np.diag(variance))
        np.testing.assert_allclose(model.log_densities(X)[:, k], normal.logpdf(X), rtol=1e-12)
        np.testing.assert_allclose(model.densities(X)[:, k], normal.pdf(X), rtol=1e-11)


@EACH_GAUSSIAN
def test_samples_have_the_classes_moments(generator):
    model = model_of(generator)
    X, y = model.sample(40_000, np.random.default_rng(1))
    for k, level in enumerate(model.levels):
        rows, variance = X[y == level], np.array(model.variances[k])
        prior, n = model.priors[k], len(rows)
        assert abs(n / 40_000 - prior) < 5 * np.sqrt(prior * (1 - prior) / 40_000)
        assert (np.abs(rows.mean(axis=0) - model.means[k]) < 5 * np.sqrt(variance / n)).all()
        assert (np.abs(rows.var(axis=0) - variance) < 5 * variance * np.sqrt(2 / n)).all()
        if rows.shape[1] > 1:
            assert abs(np.corrcoef(rows.T)[0, 1]) < 5 / np.sqrt(n)


def test_discrete_samples_have_the_given_chances():
    model = model_of(DISCRETE["three"])
    X, y = model.sample(60_000, np.random.default_rng(1))
    densities = model.densities(np.array(model.points))
    np.testing.assert_allclose(densities.T, model.pmfs, rtol=1e-15)
    for k, prior in enumerate(model.priors):
        assert abs((y == k).mean() - prior) < 5 * np.sqrt(prior * (1 - prior) / 60_000)
        for point, chance in zip(model.points, model.pmfs[k], strict=True):
            share = (X[y == k] == point).all(axis=1).mean()
            spread = np.sqrt(chance * (1 - chance) / (y == k).sum())
            assert abs(share - chance) <= 5 * spread


@EACH
def test_posteriors_are_bayes_and_rows_stand_alone(generator):
    model = model_of(generator)
    X = some_points(model)
    joint = model.densities(X) * model.priors
    np.testing.assert_allclose(model.posterior(X), joint / joint.sum(axis=1, keepdims=True))
    for function in (model.log_densities, model.posterior, model.ranking):
        alone = np.concatenate([function(row[None]) for row in X])
        np.testing.assert_array_equal(alone, function(X))
    assert pickle.loads(pickle.dumps(model)) == model


def test_posteriors_far_out_are_no_nan():
    model = model_of(GAUSSIANS["three"])
    far = np.array([[-1e3], [1e3]])
    np.testing.assert_array_equal(model.posterior(far), [[1, 0, 0], [0, 0, 1]])
    np.testing.assert_allclose(model.ranking(far), [-1998, 1998])


def test_what_two_classes_have_and_more_have_not():
    model = model_of(Gaussian([0, 2], priors=[1, 3]))
    X = some_points(model)
    assert (model.prior, model.levels) == (0.75, (-1, 1))
    np.testing.assert_array_equal(model.eta(X), model.posterior(X)[:, 1])
    np.testing.assert_allclose(model.ranking(X), 2 * X[:, 0] - 2)
    X, y = model.sample(40_000, np.random.default_rng(3))
    assert model.bayes_rank_risk == pytest.approx(stats.norm.cdf(-np.sqrt(2)))
    assert rank_loss(y, model.ranking(X)) == pytest.approx(model.bayes_rank_risk, abs=0.005)
    three, four = model_of(GAUSSIANS["three"]), model_of(Gaussian([0, 1, 2, 3]))
    for name in ("eta", "prior", "bayes_rank_risk"):
        assert not hasattr(three, name)
    assert not hasattr(four, "ranking")
    assert four.levels == (0, 1, 2, 3)
    assert not hasattr(model_of(GAUSSIANS["diagonal"]), "bayes_rank_risk")
    with pytest.raises(AttributeError, match="eta is known for 2 classes, not for 3"):
        three.eta(X)


@EACH
def test_reversed_classes_reverse_posteriors_and_rankings(generator):
    """Naming the classes the other way round turns the posteriors round and the ranking over."""
    model = model_of(generator)
    fields = {
        name: getattr(generator, name)
        for name in ("means", "variances", "pmfs", "points")
        if hasattr(generator, name)
    }
    for name in ("means", "pmfs", "variances"):
        if isinstance(fields.get(name), tuple):
            fields[name] = fields[name][::-1]
    turned = model_of(type(generator)(**fields, priors=model.priors[::-1]))
    X = some_points(model)
    np.testing.assert_allclose(turned.posterior(X), model.posterior(X)[:, ::-1], rtol=1e-12)
    np.testing.assert_allclose(turned.ranking(X), -model.ranking(X), atol=1e-12)


@EACH
def test_stratified_counts_are_exact_and_rows_shuffled(generator):
    model = model_of(type(generator)(**(vars(generator) | {"stratified": True})))
    _, y = model.sample(200, np.random.default_rng(1))
    counts = [(y == level).sum() for level in model.levels]
    np.testing.assert_allclose(counts, 200 * np.array(model.priors), atol=1)
    assert (np.diff(y) < 0).any()


@settings(max_examples=200)
@given(st.integers(0, 1000), st.lists(st.integers(1, 50), min_size=2, max_size=6))
def test_rounded_counts_add_up(n, parts):
    shares = np.array(parts) / sum(parts)
    counts = rounded(n * shares, n)
    assert counts.sum() == n
    assert (np.abs(counts - n * shares) < 1).all()
    total = n * sum(parts)
    np.testing.assert_array_equal(rounded(total * shares, total), n * np.array(parts))


@EACH_GAUSSIAN
def test_nodes_integrate(generator):
    model = model_of(generator)
    if len(model.means[0]) > 1:
        assert not hasattr(model, "nodes")
        return
    X, weights = model.nodes()
    mass = weights[:, None] * model.densities(X)
    np.testing.assert_allclose(mass.sum(axis=0), 1, rtol=1e-13)
    np.testing.assert_allclose(mass.T @ X[:, 0], np.ravel(model.means), atol=1e-12)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"means": [1]}, "means=.*two or more"),
        ({"means": [[1, 2], [3]]}, "means=.*same length"),
        ({"means": ["a", "b"]}, "means=.*finite numbers"),
        ({"means": [0, float("nan")]}, "means=.*finite numbers"),
        ({"means": 3}, "means=.*two or more"),
        ({"variances": 0}, "variances=0: expected a number > 0"),
        ({"variances": [1, 2, 3]}, "variances=.*2 of them"),
        ({"variances": [[1, 2], [1, 2]]}, "variances=.*2 lists of 1"),
        ({"priors": [1]}, "priors=.*2 positive"),
        ({"priors": [1, 0]}, "priors=.*2 positive"),
        ({"priors": [True, True]}, "priors=.*finite numbers"),
    ],
)
def test_bad_gaussians(parameters, message):
    with pytest.raises(ValueError, match=message):
        Gaussian(**parameters)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"points": [1, 1, 2]}, "points=.*twice"),
        ({"points": 1}, "points=.*expected numbers"),
        ({"points": [1, 2]}, "pmfs=.*of 2 numbers"),
        ({"pmfs": [[0.5, 0.3, 0.2]]}, "pmfs=.*two or more"),
        ({"pmfs": [[0.5, 0.3, 0.1], [0.5, 0.3, 0.2]]}, "pmfs=.*add up to 1"),
        ({"pmfs": [[0.5, 0.7, -0.2], [0.5, 0.3, 0.2]]}, "pmfs=.*>= 0"),
        ({"pmfs": [[0.5, 0.5, 0], [0.2, 0.8, 0]]}, "pmfs=.*leave out"),
        ({"priors": [1, 2, 3]}, "priors=.*2 positive"),
    ],
)
def test_bad_discrete(parameters, message):
    with pytest.raises(ValueError, match=message):
        Discrete(**parameters)


def test_points_that_are_none():
    with pytest.raises(ValueError, match="row 1 of X is none of the 3 points"):
        model_of(Discrete()).densities(np.array([[1.0], [1.5]]))
