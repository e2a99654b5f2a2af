from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from rankexp.solvers.boosting.stumps import CUTS, Factors, binned, cuts_of, step_sums
from rankexp.solvers.loops import histograms

laws = settings(max_examples=40)
values = hnp.arrays(
    np.float64, st.integers(1, 30), elements=st.integers(-8, 8).map(lambda k: k / 4.0)
)


@given(x=values, kind=st.sampled_from(CUTS), n_cuts=st.integers(1, 40))
@laws
def test_every_cut_parts_the_values_and_bins_count_cuts_below(x, kind, n_cuts):
    cuts = cuts_of(x, kind, n_cuts)
    assert (np.diff(cuts) > 0).all()
    assert all((x <= cut).any() and (x > cut).any() for cut in cuts)
    assert (cuts.size == 0) == (np.unique(x).size == 1)
    assert kind == "all" or cuts.size <= n_cuts
    rows = binned(x[:, None], kind, n_cuts)
    assert rows.bins[0].tolist() == [(cuts < v).sum() for v in x]


def test_cuts_are_where_they_say():
    x = np.array([0.0, 1.0, 2.0, 4.0])
    assert cuts_of(x, "all", 1).tolist() == [0.5, 1.5, 3.0]
    assert cuts_of(x, "quantile", 3).tolist() == [0.5, 1.5, 3.0]  # no more values than quantiles
    assert cuts_of(x, "equidistant", 3).tolist() == [1.0, 2.0, 3.0]
    assert cuts_of(x, "quantile", 10**15).tolist() == [0.5, 1.5, 3.0]  # without as many numbers
    many = np.random.default_rng(0).random(500)
    levels = np.arange(1, 21) / 21
    np.testing.assert_allclose(cuts_of(many, "quantile", 20), np.quantile(many, levels))
    often = np.concatenate((np.zeros(60), np.arange(1.0, 41.0)))
    assert cuts_of(often, "quantile", 9)[0] == 0.0  # parts the zeros from the rest
    assert cuts_of(-often, "quantile", 1).tolist() == [-1.0]  # and likewise at the top
    extreme = np.array([-1.7e308, 1.7e308])
    assert all(np.isfinite(cuts_of(extreme, kind, 1)).all() for kind in CUTS)
    neighbours = np.array([1.0, np.nextafter(1.0, 2.0)])
    assert (neighbours > cuts_of(neighbours, "all", 1)[0]).tolist() == [False, True]


@pytest.mark.parametrize("width", [3, 255, 256, 1000])
def test_bins_of_any_number_are_kept_apart(width):
    x = np.random.default_rng(0).permutation(np.arange(width + 1.0))[:, None]
    assert binned(x, "all", 1).bins[0].tolist() == x[:, 0].tolist()


@given(
    X=hnp.arrays(np.float64, (20, 3), elements=st.integers(-3, 3).map(float)),
    charges=hnp.arrays(np.float64, 20, elements=st.integers(-50, 50).map(lambda k: k / 64.0)),
)
@laws
def test_the_best_stump_has_the_greatest_edge(X, charges):
    charges[0] -= charges.sum()
    rows = binned(X, "all", 1)
    edges = {
        (j, k): abs(charges[X[:, j] > cut].sum())
        for j, cuts in enumerate(rows.cuts)
        for k, cut in enumerate(cuts)
    }
    found = rows.best(charges)
    if max(edges.values(), default=0.0) == 0.0:
        assert found is None
    else:
        most = max(edges.values())  # sums of 64ths are exact
        assert (found.feature, found.cut) == min(at for at, e in edges.items() if e == most)
        assert (rows.above(found) == (X[:, found.feature] > found.threshold)).all()
        assert (found.above(X) == rows.above(found)).all()


def test_a_constant_feature_is_never_best():
    X = np.column_stack((np.ones(50), np.arange(50.0) % 2))
    charges = np.full(50, 1e-3)  # a sum that rounding has left over, far above what is nothing
    assert binned(X, "quantile", 5).best(charges).feature == 1
    assert binned(X[:, :1], "quantile", 5).best(charges) is None


def test_compiled_loops_add_up_what_numpy_does():
    rng = np.random.default_rng(0)
    X, cell = rng.standard_normal((5000, 3)), rng.integers(0, 4, 5000)
    rows = binned(X, "quantile", 30)
    factors = Factors(rows, cell, 4)
    u, v = rng.random(4), rng.random(4)
    for _ in range(30):
        charges = factors.charges(u, v)
        assert (charges == factors.up * u[cell] - factors.down * v[cell]).all()
        sums = [np.bincount(row, charges, rows.width) for row in rows.bins]
        assert (histograms(rows.bins, charges, rows.width) == sums).all()
        stump = rows.best(rng.permutation(charges))
        above = rows.above(stump)
        ups, downs = split = factors.split(stump)
        for found, weight in ((ups, factors.up), (downs, factors.down)):
            assert (found.ravel() == np.bincount(cell + 4 * above, weight, 8)).all()
        height, s = float(rng.normal(scale=3.0)), factors.s.copy()
        factors.advance(stump, height, split)
        assert (factors.s == s + height * above).all()


def test_weights_are_exponentials_of_scores_however_far_these_go():
    rng = np.random.default_rng(1)
    X, cell = rng.standard_normal((60, 2)), rng.integers(0, 3, 60)
    rows = binned(X, "all", 1)
    factors = Factors(rows, cell, 5)  # cells 3 and 4 are empty
    for height in [1.0, -2.0, 40.0, 70.0, -300.0, 0.5, 900.0, 1e-3]:
        stump = rows.best(rng.normal(size=60))
        factors.advance(stump, height, factors.split(stump))
        for up, sign, at in ((factors.up, -1.0, factors.least), (factors.down, 1.0, factors.most)):
            log = sign * (factors.s - at[cell])
            seen = log > -600.0
            np.testing.assert_allclose(np.log(up[seen]), log[seen], atol=1e-9)
        np.testing.assert_allclose(factors.ups, np.bincount(cell, factors.up, 5), rtol=1e-12)
        np.testing.assert_allclose(factors.downs, np.bincount(cell, factors.down, 5), rtol=1e-12)


def test_steps_add_up_stumps_and_depend_on_the_row_alone():
    rng = np.random.default_rng(2)
    features, thresholds = rng.integers(0, 3, 50), np.round(rng.normal(size=50), 1)
    heights, X = rng.normal(size=50), np.round(rng.normal(size=(40, 3)), 1)
    steps = partial(step_sums, features, thresholds, heights)
    s = steps(X)
    np.testing.assert_allclose(s, (X[:, features] > thresholds) @ heights, atol=1e-12)
    order = rng.permutation(40)
    assert (steps(X[order]) == s[order]).all()
    assert all(steps(row[None])[0] == one for row, one in zip(X, s, strict=True))
