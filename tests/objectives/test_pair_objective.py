"""Gradient and curvature of pairs against sums over a list of them."""

import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from sklearn.base import clone

from rankexp.losses import parse
from rankexp.objectives import PairObjective
from rankexp.solvers.pairs import path

FACTOR = {"logistic": 1.0, "squared_hinge": 1 / 8, "exponential": 1 / 4}
LOSSES = list(FACTOR)
every_loss = pytest.mark.parametrize("loss", LOSSES)


def listed(loss, y, s, weight=None, sizes=None):
    """Return gradient and curvature by the definition, a term a pair."""
    of, n = parse(loss), len(y)
    w = np.ones(n) if weight is None else weight
    group = np.zeros(n, int) if sizes is None else np.repeat(np.arange(len(sizes)), sizes)
    g, h = np.zeros(n), np.zeros(n)
    for k in np.unique(group):
        at = np.flatnonzero(group == k)
        D = s[at, None] - s[at]
        P = (y[at, None] > y[at]) * np.outer(w[at], w[at]) * FACTOR[loss]
        if not P.any():
            continue
        P *= 2.0 / w[at].sum()
        if loss == "exponential":  # the logarithm of the mean
            low = (-D[P > 0.0]).max()
            P *= P.sum() / (P * np.exp(-D - low, where=P > 0.0, out=np.zeros_like(D))).sum()
            E = C = P * np.exp(-D - low, where=P > 0.0, out=np.zeros_like(D))
            E = -E
        else:
            E, C = P * of.margin_derivative(D), P * of.margin_curvature(D)
        g[at] = E.sum(axis=1) - E.sum(axis=0)
        h[at] = C.sum(axis=1) + C.sum(axis=0)
    return g, h


def apart(found, wanted):
    return np.abs(found - wanted).max() / (np.abs(wanted).max() or 1.0)


def drawn(seed, n, K, spread):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, K, n)
    y[:2] = 0, K - 1
    return y, spread * rng.standard_normal(n), rng


@every_loss
@pytest.mark.parametrize("K", [2, 4])
@pytest.mark.parametrize("weights", [None, "real", "with 0", "equal"])
@pytest.mark.parametrize("groups", [None, 3, 60])
def test_it_is_the_sum_over_pairs(loss, K, weights, groups):
    for seed, (n, spread) in enumerate([(40, 1.0), (400, 3.0), (400, 0.0), (300, 40.0)]):
        y, s, rng = drawn(seed, n, K, spread)
        weight = {
            None: None,
            "real": rng.exponential(size=n),
            "with 0": rng.integers(0, 3, n).astype(float),
            "equal": np.full(n, 2.5),
        }[weights]
        if weights == "with 0":
            weight[:2] = 1.0
        sizes = None if groups is None else np.bincount(rng.integers(0, groups, n))
        g, h = PairObjective(loss, curvature=2.0)(y, s, weight, sizes)
        wanted, curved = listed(loss, y, s, weight, sizes)
        assert apart(g, wanted) <= 1e-12
        assert apart(h, 2.0 * curved) <= 1e-9
        assert (h >= 0.0).all()


@every_loss
@pytest.mark.parametrize("power", [-990, 500, 990])
def test_weights_of_any_size_only_scale_it(loss, power):
    y, s, rng = drawn(5, 60, 3, 2.0)
    weight, sizes = rng.exponential(size=60), [25, 35]
    usual = PairObjective(loss)(y, s, weight, sizes)
    found = PairObjective(loss)(y, s, np.ldexp(weight, power), sizes)
    np.testing.assert_allclose(found, np.ldexp(usual, power), rtol=1e-12)


@every_loss
def test_at_equal_scores_it_is_scaled_as_binary_logistic(loss):
    y, s = np.array([1, 0, 0, 0, 0]), np.zeros(5)
    g, h = PairObjective(loss)(y, s)
    p, slope = 0.2, 1.0 if loss == "logistic" else 0.5
    np.testing.assert_allclose(g, slope * np.where(y == 1, p - 1.0, p), rtol=1e-12)
    np.testing.assert_allclose(h, np.where(y == 1, 1.0 - p, p) / 2.0, rtol=1e-12)
    assert h.sum() == pytest.approx(5 * p * (1.0 - p))
    assert g.sum() == pytest.approx(0.0, abs=1e-12)


@every_loss
@pytest.mark.parametrize("far", [1e3, 1e7])
def test_scores_may_be_far_from_0_and_from_each_other(loss, far):
    y, s, _ = drawn(0, 300, 2, 2.0)
    s[::3] += far
    g, h = PairObjective(loss)(y, s + 1e5)
    wanted, curved = listed(loss, y, s, None)
    assert np.isfinite(g).all() and np.isfinite(h).all()
    assert apart(g, wanted) <= 1e-6  # scores of 1e7 keep nine digits
    assert apart(h, curved) <= 1e-6


def test_many_rows_far_apart_are_drawn_together():
    """Beyond 80 a distance changes nothing, and a table of panels would be too large."""
    y, s, _ = drawn(0, 800, 2, 2.0)
    s[::2] += 1e9
    g, _ = PairObjective()(y, s)
    s[::2] -= 1e9 - 200.0
    wanted, _ = listed("logistic", y, s)
    assert apart(g, wanted) <= 1e-6


def test_too_many_pairs_too_far_apart_are_refused(monkeypatch):
    monkeypatch.setattr(path, "MANY_PAIRS", 1000)
    y, s = np.arange(400) % 2, 1e3 * np.arange(400.0)
    with pytest.raises(ValueError, match=r"400 rows lie 3.19e\+04 apart"):
        PairObjective()(y, s)


def test_infinite_slopes_of_the_exponential_loss_do_not_overflow():
    y, s = np.array([0, 1, 0, 1]), np.array([2000.0, -2000.0, 0.0, 0.0])
    g, h = PairObjective("exponential")(y, s)
    np.testing.assert_allclose(g, [0.5, -0.5, 0.0, 0.0], atol=1e-300)
    assert (h == np.abs(g)).all()


@every_loss
def test_threads_get_the_same_bits_whatever_was_asked_before(loss):
    objective = PairObjective(loss)
    jobs = [(drawn(k, 3000, 2, 0.5 * 2.0 ** (k % 6)))[:2] for k in range(24)]
    path.shared.cache_clear()
    with ThreadPoolExecutor(8) as pool:
        at_once = list(pool.map(lambda job: objective(*job), jobs + jobs[::-1]))
    path.shared.cache_clear()
    for job, found in zip(jobs + jobs[::-1], at_once, strict=True):
        assert all((one == other).all() for one, other in zip(objective(*job), found, strict=True))


def test_it_is_a_frozen_value():
    objective = PairObjective("squared_hinge", curvature=2.0)
    for copy in (pickle.loads(pickle.dumps(objective)), clone(objective, safe=False)):
        assert copy == objective
        assert hash(copy) == hash(objective)
    assert objective != PairObjective("squared_hinge")
    with pytest.raises(FrozenInstanceError):
        objective.loss = "logistic"


@every_loss
def test_labels_may_be_signs_and_levels_may_be_missing(loss):
    y, s, _ = drawn(0, 100, 2, 1.0)
    objective = PairObjective(loss)
    known = objective(y, s)
    for other in (2 * y - 1, y.astype(np.float32), y == 1, 3 * y + 2):
        np.testing.assert_allclose(objective(other, s), known, rtol=1e-12, atol=1e-15)


@every_loss
def test_weights_are_copies_and_0_is_no_row(loss):
    y, s, rng = drawn(0, 80, 3, 1.0)
    weight = rng.integers(0, 4, 80)
    weight[:2] = 1
    found = PairObjective(loss)(y, s, weight)
    again = PairObjective(loss)(y.repeat(weight), s.repeat(weight))
    for one, copies in zip(found, again, strict=True):
        rows = np.arange(80).repeat(weight)
        np.testing.assert_allclose(np.bincount(rows, copies, 80), one, atol=1e-12)
        assert (one[weight == 0] == 0.0).all()


@every_loss
def test_a_group_of_one_class_has_no_gradient(loss):
    y, s, _ = drawn(0, 30, 2, 1.0)
    y[10:20] = 1
    g, h = PairObjective(loss)(y, s, group=[10, 10, 10])
    assert (g[10:20] == 0.0).all()
    assert (h[10:20] == 0.0).all()
    alone = PairObjective(loss)(y[:10], s[:10])
    np.testing.assert_allclose((g[:10], h[:10]), alone, rtol=1e-9)


GOOD = ([0, 1, 1], [0.0, 1.0, 2.0])
BAD = [
    (([1, 1, 1], GOOD[1]), "all labels are 1"),
    (([0.5, 1, 0], GOOD[1]), "neither classes"),
    (([np.nan, 1, 0], GOOD[1]), "neither classes"),
    (([-1, 0, 1], GOOD[1]), "neither classes"),
    (([0.3, -1.0, 2.0], [0, 1, 1]), r"arguments is \(labels, scores\)"),
    ((["a", "b", "b"], GOOD[1]), "encode levels"),
    (([], []), "n > 0"),
    ((np.arange(1002), np.zeros(1002)), "1002 levels"),
    ((GOOD[0], [0.0, 1.0]), r"shape \(3,\), got"),
    ((GOOD[0], np.zeros((3, 3))), "regressor or a ranker"),
    ((GOOD[0], [0.0, np.nan, 1.0]), "1 of 3 scores are not finite"),
    ((GOOD[0], [0.0, np.inf, -np.inf]), "2 of 3 scores"),
    ((*GOOD, [0, 0, 0]), "all sample weights are 0"),
    ((*GOOD, [0, 1, 1]), "0 have one class"),
    ((*GOOD, [-1, 1, 1]), "finite and >= 0"),
    ((*GOOD, [np.nan, 1, 1]), "finite and >= 0"),
    ((*GOOD, [1, 1]), r"shape \(3,\)"),
    ((*GOOD, None, [1, 2]), "each group has a single class"),
    ((*GOOD, [0, 1, 1], [2, 1]), "0 have one class"),
    ((*GOOD, None, [2, 2]), "adding up to 3"),
    ((*GOOD, None, [0, 0, 1]), "adding up to 3"),
    ((*GOOD, None, [4, -1]), "adding up to 3"),
]


@every_loss
@pytest.mark.parametrize(("given", "words"), BAD)
def test_bad_input_is_refused(loss, given, words):
    with pytest.raises(ValueError, match=words):
        PairObjective(loss)(*given)


def test_bad_parameters_are_refused():
    with pytest.raises(ValueError, match=r"unknown loss 'logistics'.*did you mean 'logistic'"):
        PairObjective("logistics")
    with pytest.raises(ValueError, match="unknown loss"):
        PairObjective(["logistic"])
    for curvature in (0.0, -1.0, np.inf, np.nan, "1"):
        with pytest.raises(ValueError, match="curvature must be"):
            PairObjective(curvature=curvature)
