"""Minimisers of expected pairwise losses: Theorems 2 and 3, and what they are beaten by."""

from itertools import product

import numpy as np
import pytest
from enumeration import random_model, support
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.sparse.csgraph import connected_components

from rankexp.generators import Gaussian, Linear
from rankexp.losses import Exponential, Hinge, Logistic, SquaredHinge
from rankexp.studies.uematsu2010.theory.newton import minimise
from rankexp.theory import half_log_ratio, hinge_population, log_ratio
from rankexp.theory.population_hinge import minimise_hinge, pair_weights, surrogate_risk

SEEDS = st.integers(0, 2**32 - 1)
CONVEX = pytest.mark.parametrize("loss", [Exponential(), Logistic(), SquaredHinge()], ids=repr)


def centred(r):
    return r - (r.max() + r.min()) / 2


def minimise_smooth(weights, loss):
    """Return the scores of the least expected pairwise risk of a smooth loss; the middle is 0."""
    bounded = connected_components(weights > 0.0, connection="strong")[0] == 1
    if not bounded and loss.margin_derivative(np.array([50.0]))[0] < 0.0:
        raise ValueError("no finite minimum: between some points all pairs have the same order")

    def risk(r):
        margins = np.subtract.outer(r, r)
        with np.errstate(over="ignore"):
            value = float((weights * loss.of_margin(margins)).sum())
        if not np.isfinite(value):
            return None
        slopes = weights * loss.margin_derivative(margins)
        curved = weights * loss.margin_curvature(margins)
        curved += curved.T
        hessian = np.diag(curved.sum(axis=1)) - curved
        return value, slopes.sum(axis=1) - slopes.sum(axis=0), hessian

    return centred(minimise(risk, np.zeros(len(weights))))


def drawn(seed, m, classes=2, zeros=False):
    rng = np.random.default_rng(seed)
    model = random_model(rng, m, classes, zeros)
    costs = np.triu(rng.exponential(size=(classes, classes)) + 0.1, 1)
    return model, support(model), costs


@settings(max_examples=60)
@given(SEEDS, st.integers(2, 6))
def test_theorem_2_newtons_minimiser_is_the_log_ratio(seed, m):
    model, (X, masses), _ = drawn(seed, m)
    weights = pair_weights(masses)
    for loss, best in ((Logistic(), log_ratio), (Exponential(), half_log_ratio)):
        found = minimise_smooth(weights, loss)
        np.testing.assert_allclose(found, centred(best(model, X)), rtol=1e-7, atol=1e-9)


@CONVEX
@settings(max_examples=25)
@given(seed=SEEDS, m=st.integers(2, 5), classes=st.integers(2, 4))
def test_newtons_minimiser_is_scipys(loss, seed, m, classes):
    _, (_, masses), costs = drawn(seed, m, classes)
    weights = pair_weights(masses, costs)
    found = minimise_smooth(weights, loss)
    peer = minimize(surrogate_risk, np.zeros(m), (weights, loss), tol=1e-10)
    reached = surrogate_risk(found, weights, loss)
    assert reached <= peer.fun + 1e-12
    assert peer.fun == pytest.approx(reached, rel=1e-6)


@CONVEX
def test_far_tails_are_found(loss):
    """Points whose weights differ by twenty powers of ten."""
    x = np.linspace(-6, 6, 61)
    model = Gaussian().draw_model(None)
    weights = pair_weights(model.densities(x[:, None]))
    found = minimise_smooth(weights, loss)
    if loss != SquaredHinge():
        factor = 2.0 if loss == Logistic() else 1.0
        np.testing.assert_allclose(found, factor * x, atol=1e-8)
    assert (np.diff(found) > 0).all()
    np.testing.assert_allclose(found, -found[::-1], atol=1e-8)


@settings(max_examples=60)
@given(SEEDS, st.integers(2, 4), st.integers(2, 4), st.booleans())
def test_no_integer_scores_have_less_hinge_loss(seed, m, classes, zeros):
    """Any number of levels, any costs; differences beyond 1 a step never pay."""
    _, (_, masses), costs = drawn(seed, m, classes, zeros)
    if not (masses @ costs.T @ masses.T).any():
        return
    weights = pair_weights(masses, costs)
    found = minimise_hinge(weights)
    np.testing.assert_allclose(found - found[0], np.rint(found - found[0]), atol=1e-9)
    reached = surrogate_risk(found, weights, Hinge())
    least = min(surrogate_risk(r, weights, Hinge()) for r in product(range(m + 1), repeat=m))
    assert reached == pytest.approx(least, rel=1e-9)


@settings(max_examples=60)
@given(SEEDS, st.integers(2, 7))
def test_theorem_3_hinge_respects_the_order_and_smooth_losses_keep_it(seed, m):
    model, (X, masses), _ = drawn(seed, m)
    ratio = log_ratio(model, X)
    weights = pair_weights(masses)
    above = ratio[:, None] > ratio + 1e-9
    r = minimise_hinge(weights)
    assert (np.subtract.outer(r, r)[above] >= -1e-9).all()
    for loss in (Exponential(), Logistic(), SquaredHinge()):
        s = minimise_smooth(weights, loss)
        assert (np.subtract.outer(s, s)[above] > 0).all()


def test_theorem_3_where_ratios_are_equal():
    """Points of equal ratios get equal scores from losses with a one-to-one derivative."""
    masses = np.array([[0.1, 0.2], [0.2, 0.4], [0.7, 0.4]])
    for loss in (Exponential(), Logistic()):
        r = minimise_smooth(pair_weights(masses), loss)
        assert r[0] == pytest.approx(r[1], abs=1e-9)
        assert r[1] > r[2]


def by_dynamic_programming(masses):
    """Return the least hinge loss and the sizes of the levels, top first.

    By Theorem 3 scores fall with the ratio; a step is never more than 1. A boundary costs the
    weights of all pairs that it orders wrongly, a level those of the pairs that it ties.
    """
    order = np.argsort(masses[:, 0] / masses[:, 1], kind="stable")
    W = pair_weights(masses)[np.ix_(order, order)]
    m = len(W)
    best, start = [0.0], [0]
    for end in range(1, m + 1):
        options = [
            best[s] + (W[s:, :s].sum() if s else 0.0) + np.triu(W[s:end, s:end], 1).sum()
            for s in range(end)
        ]
        start.append(int(np.argmin(options)))
        best.append(options[start[-1]])
    sizes, end = [], m
    while end:
        sizes.append(end - start[end])
        end = start[end]
    return best[-1] + np.tril(W).sum(), sizes[::-1]


@pytest.mark.parametrize("points", [12, 41, 60])
@pytest.mark.parametrize("mean", [0.5, 1.0])
def test_staircases_by_dynamic_programming(points, mean):
    model = Gaussian([-mean, mean + 0.037]).draw_model(None)  # symmetry would allow of two
    x = np.linspace(-3, 3, points)
    masses = model.densities(x[:, None])
    r = hinge_population(model, x[:, None], points=points)
    least, sizes = by_dynamic_programming(masses)
    assert surrogate_risk(r, pair_weights(masses), Hinge()) == pytest.approx(least, rel=1e-10)
    _, counts = np.unique(np.round(r, 6), return_counts=True)
    assert counts[::-1].tolist() == sizes


def test_the_staircase_of_the_source_has_seven_levels():
    model = Gaussian().draw_model(None)
    x = np.linspace(-3, 3, 41)
    r = hinge_population(model, x[:, None])
    np.testing.assert_allclose(np.unique(r), np.arange(-3, 4), atol=1e-9)
    assert (np.diff(r) >= 0).all()
    between = hinge_population(model, x[:, None] + 0.07)  # the grid's points are .15 apart
    np.testing.assert_array_equal(between, r)


@pytest.mark.parametrize(
    ("options", "X", "message"),
    [
        ({"points": 1}, [[0.0]], "expected a grid"),
        ({"low": 3.0}, [[0.0]], "expected a grid"),
        ({}, [[0.0], [3.2]], "beyond the grid, -3 to 3"),
        ({}, [[-3.2]], "beyond the grid"),
        ({}, [[np.nan]], "or NaN"),
        ({}, [[0.0, 1.0]], "shape"),
    ],
)
def test_bad_grids(options, X, message):
    with pytest.raises(ValueError, match=message):
        hinge_population(Gaussian().draw_model(None), X, **options)


def test_features_beyond_one():
    with pytest.raises(ValueError, match="X has 1 features; the model has 2"):
        hinge_population(Gaussian([[0, 1], [1, 0]]).draw_model(None), [[0.0]])


def test_models_without_densities_of_classes():
    model = Linear(d=1).draw_model(np.random.default_rng(0))
    with pytest.raises(ValueError, match="FlippedModel does not know"):
        hinge_population(model, [[0.0]])


@pytest.mark.parametrize("loss", [Exponential(), Logistic()], ids=repr)
def test_where_scores_run_off_to_infinity(loss):
    """A point that only positives have; squared hinge stops at a margin of 1."""
    weights = pair_weights([[0.5, 0.4], [0.5, 0.3], [0.0, 0.3]])
    with pytest.raises(ValueError, match="no finite minimum"):
        minimise_smooth(weights, loss)
    r = minimise_smooth(weights, SquaredHinge())
    assert r[2] - max(r[:2]) <= 1 + 1e-6
    assert minimise_hinge(weights)[2] == max(minimise_hinge(weights))


def test_one_point():
    weights = pair_weights([[0.5, 0.5]])
    assert minimise_hinge(weights).tolist() == [0.0]
    assert minimise_smooth(weights, Logistic()).tolist() == [0.0]
