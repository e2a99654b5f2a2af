"""Signed ranks: Demšar's example, scipy, statsmodels and brute force as oracles."""

import gc
import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

from rankexp.statistics.several import centre, equivalence, holm, settled, signed_rank

# Demšar (JMLR 7, 2006), Table 2: AUC of C4.5 and of C4.5+m on 14 data sets.
PLAIN = [0.763, 0.599, 0.954, 0.628, 0.882, 0.936, 0.661]
PLAIN += [0.583, 0.775, 1.000, 0.940, 0.619, 0.972, 0.957]
TUNED = [0.768, 0.591, 0.971, 0.661, 0.888, 0.931, 0.668]
TUNED += [0.583, 0.838, 1.000, 0.962, 0.666, 0.981, 0.978]


def test_demsars_example() -> None:
    found = signed_rank(np.subtract(TUNED, PLAIN))
    assert (found.above, found.below) == (93.0, 12.0)  # R+ and R-, sec. 3.1.3
    assert found.p < 0.05  # T = 12 is below the critical 21
    assert found.effect == pytest.approx((93 - 12) / 105)


@pytest.mark.parametrize("n", [4, 9, 30])
def test_without_ties_it_is_scipys_exact_test(n: int) -> None:
    values = np.random.default_rng(n).normal(0.2, 1.0, n)
    for side, name in (("two-sided", "p"), ("greater", "p_greater"), ("less", "p_less")):
        expected = stats.wilcoxon(values, alternative=side, method="exact").pvalue
        assert getattr(signed_rank(values), name) == pytest.approx(expected)


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=8))
@settings(max_examples=50)
def test_with_ties_and_zeros_it_is_the_count_over_all_signs(numbers: list[int]) -> None:
    values = np.array(numbers, dtype=float)
    ranks = stats.rankdata(np.abs(values))
    own = ranks[values > 0].sum() + ranks[values == 0].sum() / 2
    moving = ranks[values != 0]
    sums = [
        np.dot(signs, moving) + ranks[values == 0].sum() / 2
        for signs in itertools.product((0, 1), repeat=len(moving))
    ]
    found = signed_rank(values)
    assert found.above == pytest.approx(own)
    assert found.p_greater == pytest.approx(np.mean(np.array(sums) >= own - 1e-9))
    assert found.p_less == pytest.approx(np.mean(np.array(sums) <= own + 1e-9))


def test_many_differences_use_the_normal_approximation() -> None:
    values = np.random.default_rng(5).normal(0.1, 1.0, 400)
    expected = stats.wilcoxon(values, method="approx", correction=True).pvalue
    assert signed_rank(values).p == pytest.approx(expected, rel=1e-6)
    low, high = centre(values, 0.95)[1:]
    assert signed_rank(values - low + 1e-3).p < 0.06 and signed_rank(values - high - 1e-3).p < 0.06


def test_no_difference_at_all() -> None:
    found = signed_rank(np.zeros(6))
    assert (found.p, found.p_greater, found.p_less, found.effect) == (1.0, 1.0, 1.0, 0.0)


def test_float_noise_makes_no_ranks() -> None:
    noisy = np.array([0.1 + 0.2 - 0.3, 0.5, -0.5 - 1e-16])
    assert list(settled(noisy)) == [0.0, 0.5, -0.5]
    assert signed_rank(noisy).above == signed_rank(noisy).below == 3.0
    assert list(settled([])) == [] and list(settled([0.0, 0.0])) == [0.0, 0.0]


def test_the_pseudo_median_worked_by_hand() -> None:
    # Means of pairs of 1, 2, 6: 1, 1.5, 2, 3.5, 4, 6. Three are too few for any interval.
    middle, low, high = centre([1.0, 2.0, 6.0], 0.95)
    assert middle == pytest.approx((2 + 3.5) / 2)
    assert (low, high) == (-math.inf, math.inf)
    # Six: at 1/32 each way, the least and the greatest (two-sided p = 2/64 = .031).
    assert centre([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 0.95) == (3.5, 1.0, 6.0)


@given(st.integers(6, 15), st.integers(0, 1000))
@settings(max_examples=30)
def test_the_interval_holds_what_the_test_does_not_reject(n: int, seed: int) -> None:
    values = np.random.default_rng(seed).normal(size=n)
    _, low, high = centre(values, 0.95)
    step = 1e-9
    for inside in (low + step, high - step):
        assert signed_rank(values - inside).p >= 0.05
    for outside in (low - step, high + step):
        assert signed_rank(values - outside).p < 0.05


def test_equivalence_needs_both_sides() -> None:
    near = np.linspace(-0.004, 0.004, 9)
    assert equivalence(near, 0.01) == pytest.approx(2**-9)
    assert equivalence(near + 0.02, 0.01) > 0.9
    assert equivalence(near - 0.02, 0.01) > 0.9
    assert equivalence(np.zeros(9), 0.01) == pytest.approx(2**-9)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
@settings(max_examples=10)
def test_holm_is_statsmodels(p_values: list[float]) -> None:
    gc.freeze()  # statsmodels collects garbage twice a call, of all that this process holds
    try:
        expected = multipletests(p_values, method="holm")[1]
    finally:
        gc.unfreeze()
    np.testing.assert_allclose(holm(p_values), expected)


def test_holm_skips_what_was_not_tested() -> None:
    got = holm([0.04, math.nan, 0.01])
    assert got[0] == 0.04 and got[2] == 0.02 and math.isnan(got[1])
    assert len(holm([])) == 0
