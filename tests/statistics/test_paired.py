"""Paired differences: scipy and statsmodels as oracles, hand-worked cases, what is refused."""

import math
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.power import TTestPower
from statsmodels.stats.weightstats import DescrStatsW

from rankexp.runner.protocols.dividing import CrossValidation, Holdout
from rankexp.runner.protocols.models import Models
from rankexp.statistics import paired
from rankexp.statistics.contrast import Settings
from rankexp.statistics.design import Design

MODELS = Models(kind="models", models=30, training_sets=2, n_train=9, n_test=9)


def sample(n: int = 12, seed: int = 0, shift: float = 0.3) -> np.ndarray:
    return np.random.default_rng(seed).normal(shift, 1.0, n)


def test_the_paired_t_test_is_scipys() -> None:
    found = paired.estimate(sample())
    expected = stats.ttest_1samp(sample(), 0.0)
    interval = expected.confidence_interval(0.9)
    assert paired.statistic(found) == pytest.approx(expected.statistic)
    assert paired.p_value(found) == pytest.approx(expected.pvalue)
    assert paired.interval(found, 0.9) == pytest.approx((interval.low, interval.high))


def test_two_one_sided_tests_are_statsmodels() -> None:
    for shift, margin in ((0.0, 0.5), (0.3, 0.9), (-2.0, 0.5)):
        values = sample(20, 1, shift)
        expected = DescrStatsW(values).ttost_mean(-margin, margin)[0]
        found = paired.equivalence(paired.estimate(values), margin)
        assert found == pytest.approx(expected, rel=1e-9)


def test_equivalence_is_where_the_narrower_interval_lies_within_the_margin() -> None:
    found = paired.estimate(sample(30, 2, 0.0))
    ends = paired.interval(found, 0.9)
    margin = max(map(abs, ends))
    assert paired.equivalence(found, margin * 1.001) < 0.05 < paired.equivalence(found, margin)


@pytest.mark.parametrize("n", [3, 5, 30, 400])
@pytest.mark.parametrize("power", [0.8, 0.95])
def test_the_detectable_difference_is_statsmodels(n: int, power: float) -> None:
    found = paired.estimate(sample(n))
    size = TTestPower().solve_power(nobs=n, alpha=0.05, power=power)
    expected = size * sample(n).std(ddof=1)
    assert paired.detectable(found, 0.95, power) == pytest.approx(expected, rel=1e-4)


def test_a_known_variance_is_the_limit_of_many_pairs() -> None:
    limit = paired.Estimate(0.1, 1.0, np.inf)
    assert paired.interval(limit, 0.95) == pytest.approx((0.1 - 1.959964, 0.1 + 1.959964))
    expected = stats.norm.ppf(0.975) + stats.norm.ppf(0.8)
    assert paired.detectable(limit, 0.95, 0.8) == pytest.approx(expected, rel=1e-4)


def test_the_corrected_variance_worked_by_hand() -> None:
    # Ten folds: mean .02, s² = .0004; (1/10 + 1/9) s² in place of s²/10.
    values = np.array([0.0, 0.04] * 5)
    s2 = 10 * 0.02**2 / 9
    found = paired.estimate(values, CrossValidation(kind="cross_validation").design().correction)
    assert found.mean == pytest.approx(0.02)
    assert found.se == pytest.approx(math.sqrt((1 / 10 + 1 / 9) * s2))
    assert found.df == 9


@pytest.mark.parametrize(
    ("protocol", "pairs", "correction"),
    [
        (MODELS, "models", 0.0),
        (CrossValidation(kind="cross_validation", folds=5), "folds", 0.25),
        (Holdout(kind="split", test=0.4, repeats=9), "splits", 2 / 3),
        (Holdout(kind="split", test=25, repeats=9), "splits", 25 / 75),
    ],
)
def test_the_protocol_decides_the_design(protocol, pairs: str, correction: float) -> None:  # type: ignore[no-untyped-def]
    design = protocol.design(rows=100)
    assert (design.pairs, design.correction) == (pairs, pytest.approx(correction))
    assert design.independent == (correction == 0)
    assert design.test.startswith("paired" if correction == 0 else "corrected")


def test_estimates_of_independent_settings_are_averaged() -> None:
    first, second = (paired.estimate(sample(n, n)) for n in (10, 20))
    mean = paired.average([first, second])
    assert mean.mean == pytest.approx((first.mean + second.mean) / 2)
    assert mean.se == pytest.approx(math.hypot(first.se, second.se) / 2)
    welch = stats.ttest_ind(sample(10, 10), -sample(20, 20), equal_var=False)
    assert mean.df == pytest.approx(welch.df)
    assert paired.p_value(mean) == pytest.approx(welch.pvalue)


def test_constant_differences() -> None:
    zero = paired.estimate(np.zeros(5))
    assert paired.p_value(zero) == 1.0 and paired.equivalence(zero, 0.01) == 0.0
    constant = paired.estimate(np.full(5, 0.1))
    assert constant.se == 0.0 and paired.p_value(constant) == 0.0
    assert paired.equivalence(constant, 0.01) == 1.0
    assert paired.detectable(constant, 0.95, 0.8) == 0.0
    assert paired.bootstrap(np.full(5, 0.1), 0.95) == (pytest.approx(0.1), pytest.approx(0.1))
    assert paired.effect_size(np.zeros(5)) == 0.0


FOLDS = Design("folds", 1 / 9)


@pytest.mark.parametrize(
    ("design", "n", "examples", "expected"),
    [
        (FOLDS, 10, 25, 2 / 25),
        (FOLDS, 100, 25, 2 / 25),  # tested ten times, but the same 25
        (FOLDS, 5, 25, 2 / 12.5),  # half of the folds are undefined
        (Design("splits", 0.3 / 0.7), 1, 50, 2 / 15),
        (Design("splits", 0.3 / 0.7), 4, 50, 2 / (50 * (1 - 0.7**4))),
        (Design("queries"), 8, 40, 2 / 40),
        (Design("models"), 8, math.inf, 0.0),
        (FOLDS, 10, math.nan, math.nan),
    ],
)
def test_without_spread_the_standard_error_is_what_the_examples_allow(
    design: Design, n: int, examples: float, expected: float
) -> None:
    for value in (0.0, 0.1):
        found, least = paired.of_design(np.full(n, value), replace(design, examples=examples))
        if n == 1:
            assert math.isnan(found.se) and found.df == 0
            continue
        assert found.se == pytest.approx(expected, nan_ok=True) and least == (expected > 0)
        bound = design.pairs != "models"  # whose interval is normal, see `UNSEEN`
        assert (found.mean, found.df) == (pytest.approx(value), math.inf if bound else n - 1)


def test_the_rule_of_three_holds() -> None:
    # What the least SE cannot exclude has at least the probability of the level to go unseen.
    for level in (0.9, 0.95, 0.98):
        for m in (25, 300, 100_000):
            half = -stats.norm.ppf((1 - level) / 2) * paired.UNSEEN / m
            assert (1 - half) ** m <= (1 - level) / 2 * 1.001
    assert paired.equivalence(paired.Estimate(0.0, paired.UNSEEN / 25, 49), 0.01) > 0.4
    assert paired.equivalence(paired.Estimate(0.0, paired.UNSEEN / 50_000, 49), 0.01) < 1e-9


def test_little_spread_counts_by_passes_over_the_data() -> None:
    # One example is tested once a repeat: that its fold differs in each of ten is one observation.
    few, ten = replace(FOLDS, examples=25), np.zeros(100)
    ten[[0, 5, *range(10, 100, 10)]] = 0.1
    assert paired.of_design(ten, few)[1]
    ten[[3, 5]] = 0.1  # three in the first repeat are as many as there are examples, or more
    assert not paired.of_design(ten, few)[1]
    once = np.zeros(10)
    once[:2] = 0.1, 0.2
    assert paired.of_design(once, few)[1]
    once[2] = 0.1
    assert not paired.of_design(once, few)[1]
    # Where the spread is there to see, it alone decides, and a bound below it is no matter.
    values = sample(30)
    assert paired.of_design(values, few) == (paired.estimate(values, 1 / 9), False)
    assert paired.of_design(once[:2], few)[1] is False
    assert paired.of_design(ten * 9, FOLDS) == (paired.estimate(ten * 9, 1 / 9), False)


def test_one_pair_has_no_standard_error() -> None:
    found = paired.estimate(np.array([0.1]))
    assert math.isnan(found.se)
    assert math.isnan(paired.p_value(found)) and math.isnan(paired.detectable(found, 0.95, 0.8))


def test_the_effect_is_in_standard_deviations() -> None:
    values = sample()
    assert paired.effect_size(values) == pytest.approx(values.mean() / values.std(ddof=1))


def test_the_bootstrap_of_many_pairs_takes_little_memory() -> None:
    values = sample(12_000)
    tracemalloc.start()
    paired.bootstrap(values, 0.95, resamples=300)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 100e6  # 180e6 if 500 samples were drawn at once


def test_the_bootstrap_is_repeatable_and_near_the_t_interval() -> None:
    values = sample(40)
    found = paired.bootstrap(values, 0.95, seed=3)
    assert found == paired.bootstrap(values, 0.95, seed=3)
    assert found != paired.bootstrap(values, 0.95, seed=4)
    expected = paired.interval(paired.estimate(values), 0.95)
    assert found == pytest.approx(expected, abs=0.15 * float(np.ptp(expected)))


@given(st.lists(st.integers(-50, 50), min_size=3, max_size=20), st.floats(0.0, 1.0))
@settings(max_examples=40)
def test_turning_the_difference_round_turns_everything_round(
    numbers: list[int], correction: float
) -> None:
    values = np.array(numbers) / 8
    one, other = (paired.estimate(sign * values, correction) for sign in (1, -1))
    low, high = paired.interval(one, 0.95)
    assert (-high, -low) == pytest.approx(paired.interval(other, 0.95))
    assert paired.p_value(one) == pytest.approx(paired.p_value(other))
    assert paired.equivalence(one, 1.0) == pytest.approx(paired.equivalence(other, 1.0))
    assert low <= one.mean <= high


def test_no_interval_leaves_the_differences_that_there_can_be() -> None:
    wide = paired.Estimate(0.3, 0.6, 3)
    assert Settings(most=1.0).interval(wide, 0.95) == (-1.0, 1.0)
    low, high = Settings().interval(wide, 0.95)
    assert low < -1.0 and high > 1.0
    assert Settings(most=1.0).interval(paired.Estimate(0.0, 0.1, 30), 0.95)[1] < 0.21
