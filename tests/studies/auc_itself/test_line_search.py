"""The AUC along a line, against all pairs at all breakpoints."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from rankexp.studies.auc_itself.line_search import auc_along, best_step, crossings, twice_in_order

WHOLE = st.integers(-4, 4)
ROWS = st.lists(st.tuples(WHOLE, WHOLE, st.booleans()), min_size=2, max_size=12)
ENDS = st.none() | st.tuples(st.integers(-6, 5), st.integers(1, 6)).map(
    lambda one: (float(one[0]), float(one[0] + one[1]))
)


def share(a, b, positive, t):
    """The share of pairs in order at t, in exact fractions."""
    own = [Fraction(int(x)) + t * int(y) for x, y in zip(a, b, strict=True)]
    high = [s for s, one in zip(own, positive, strict=True) if one]
    low = [s for s, one in zip(own, positive, strict=True) if not one]
    twice = sum((p > q) + (p >= q) for p in high for q in low)
    return Fraction(twice, 2 * len(high) * len(low))


def brute(a, b, positive, low, high):
    """All breakpoints between the ends, and the AUC between any two of them."""
    knots = {
        Fraction(int(a[i] - a[j]), int(b[j] - b[i]))
        for i in np.flatnonzero(positive)
        for j in np.flatnonzero(~positive)
        if b[i] != b[j]
    }
    knots = sorted(one for one in knots if low < one < high)
    first = Fraction(low) if np.isfinite(low) else (knots or [Fraction(0)])[0] - 1
    last = Fraction(high) if np.isfinite(high) else (knots or [first])[-1] + 1
    ends = [first, *knots, last]
    middles = [(x + y) / 2 for x, y in pairwise(ends)]
    return knots, [share(a, b, positive, t) for t in middles]


def arrays(rows):
    a, b, positive = (np.array(column) for column in zip(*rows, strict=True))
    return a.astype(float), b.astype(float), np.append(positive[:-2], [True, False])


@pytest.mark.slow
@given(ROWS, ENDS)
def test_every_breakpoint_and_every_value_is_found(rows, ends):
    a, b, positive = arrays(rows)
    low, high = ends or (-np.inf, np.inf)
    knots, values = auc_along(a, b, positive, low, high)
    all_knots, shares = brute(a, b, positive, low, high)
    assert knots.tolist() == [float(one) for one in all_knots]
    assert values == pytest.approx([float(one) for one in shares], abs=1e-12)


@given(ROWS)
def test_no_step_is_better_and_none_at_a_breakpoint(rows):
    a, b, positive = arrays(rows)
    t, value = best_step(a, b, positive)
    knots, shares = brute(a, b, positive, -np.inf, np.inf)
    assert value == pytest.approx(float(max(shares)))
    assert float(share(a, b, positive, Fraction(t))) == pytest.approx(value)
    for place, knot in enumerate(knots):
        both = shares[place] + shares[place + 1]
        assert share(a, b, positive, knot) == both / 2


@given(ROWS)
def test_repeated_rows_change_nothing(rows):
    a, b, positive = arrays(rows)
    knots, values = auc_along(a, b, positive)
    again = auc_along(np.tile(a, 3), np.tile(b, 3), np.tile(positive, 3))
    assert np.array_equal(knots, again[0])
    assert values == pytest.approx(again[1], abs=1e-12)


def test_the_auc_at_the_step_is_scikit_learns_for_real_scores():
    rng = np.random.default_rng(0)
    a, b, y = rng.normal(size=200), rng.normal(size=200), rng.random(200) < 0.3
    t, value = best_step(a, b, y)
    assert roc_auc_score(y, a + t * b) == pytest.approx(value, abs=1e-12)
    tried = [roc_auc_score(y, a + s * b) for s in rng.standard_cauchy(300)]
    assert max(tried) <= value + 1e-12
    assert twice_in_order(a, y) / (2 * y.sum() * (~y).sum()) == pytest.approx(roc_auc_score(y, a))


def test_only_pairs_that_change_are_met():
    n = 2000
    rng = np.random.default_rng(0)
    positive = rng.random(n) < 0.5
    order = np.arange(n)
    order[[10, 11]] = 11, 10
    positive[[10, 11]] = True, False
    assert crossings(order, positive, np.empty((9, 2), np.int32)) == 1
    knots, _ = auc_along(np.arange(n) * 1.0, np.eye(n)[7], positive, 0.0, 3.5)
    assert len(knots) == sum(positive[k] != positive[7] for k in (8, 9, 10))


@pytest.mark.parametrize("ends", [(0.0, 0.0), (1.0, -1.0)])
def test_ends_must_ascend_and_classes_be_two(ends):
    with pytest.raises(ValueError, match="two classes"):
        auc_along(np.zeros(2), np.ones(2), np.array([True, False]), *ends)
    with pytest.raises(ValueError, match="two classes"):
        auc_along(np.zeros(2), np.ones(2), np.array([True, True]))
