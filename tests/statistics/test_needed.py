"""How much more data would decide: against simulations of that much data, and by hand."""

import math

import numpy as np
import pytest
from scipy import special, stats

from rankexp.statistics import paired
from rankexp.statistics.needed import Growth, Needed, needed
from rankexp.statistics.paired import Estimate

UNITS = Growth()


@pytest.mark.parametrize("df", [2, 4, 30, math.inf])
@pytest.mark.parametrize("tests", [1, 9])
def test_what_is_detectable_needs_no_more(df: float, tests: int) -> None:
    """The two numbers are of one test: the detectable difference, at the adjusted level."""
    alpha = 0.05 / tests
    size = paired.detectable(Estimate(0.0, 0.01, df), 1 - alpha, 0.8)
    found = needed(Estimate(-size, 0.01, df), None, UNITS, alpha, 0.8)
    assert found.data_to_show == pytest.approx(1.0, rel=0.003)
    assert math.isnan(found.data_to_equate)


def test_so_much_data_has_the_power(draws: int = 4000) -> None:
    """Pairs drawn anew, as many as are asked for, show what they are to show in 80 %."""
    rng, n, spread, size, margin = np.random.default_rng(27), 12, 0.1, 0.03, 0.04
    own = Estimate(size, spread / math.sqrt(n), n - 1)
    found = needed(own, margin, UNITS, 0.05, 0.8)
    more = round(n * found.data_to_show)
    seen = paired.estimate(rng.normal(size, spread, (draws, more)))
    assert np.mean(paired.p_value(seen) < 0.05) == pytest.approx(0.8, abs=0.025)
    more = round(n * found.data_to_equate)
    seen = paired.estimate(rng.normal(0.0, spread, (draws, more)))
    assert np.mean(paired.equivalence(seen, margin) < 0.05) == pytest.approx(0.8, abs=0.025)


def test_the_two_numbers_of_a_normal_test_by_hand() -> None:
    """NDCG@1 of LETOR: 48 times as many queries show equivalence, 2.7 times a gain of its size."""
    se = 0.0404 / 1.72
    found = needed(Estimate(0.0404, se, math.inf), 0.01, UNITS, 0.05, 0.8)
    z = special.ndtri
    assert found.data_to_show == pytest.approx(((z(0.975) + z(0.8)) * se / 0.0404) ** 2, rel=1e-3)
    assert found.data_to_equate == pytest.approx(((z(0.95) + z(0.9)) * se / 0.01) ** 2, rel=1e-3)
    assert 2.6 < found.data_to_show < 2.7 and 47 < found.data_to_equate < 48
    assert math.isnan(found.repeats_to_show)


def test_an_error_that_is_a_bound_falls_with_the_examples_themselves() -> None:
    """75 examples of the smaller class and no spread: some 1,400 rows for 150, not 12,000."""
    own = Estimate(0.0, paired.UNSEEN / 75, math.inf)
    bound = needed(own, 0.01, Growth(units=False, least=True, by_repeats=0.4), 0.05 / 3, 0.8)
    plain = needed(own, 0.01, Growth(units=False), 0.05 / 3, 0.8)
    assert bound.data_to_equate == pytest.approx(math.sqrt(plain.data_to_equate), rel=1e-3)
    assert 1300 < 150 * bound.data_to_equate < 1400 and 150 * plain.data_to_equate > 12_000
    assert math.isinf(bound.data_to_show) and math.isnan(bound.repeats_to_equate)


def test_repeats_take_their_own_noise_away_and_no_more() -> None:
    """1 x 5 folds: repeats shorten the interval by more than half, but never beyond the rest."""
    n, correction, spread = 5, 0.25, 0.02
    se = spread * math.sqrt(1 / n + correction)
    growth = Growth(units=False, by_repeats=(1 / n) / (1 / n + correction))

    def of(size: float, margin: float = 0.02) -> Needed:
        return needed(Estimate(size, se, n - 1), margin, growth, 0.05, 0.8)

    found = of(0.035)
    times = found.repeats_to_show
    again = spread * math.sqrt(1 / (n * times) + correction)
    assert paired.detectable(Estimate(0.0, again, (n - 1) * times), 0.95, 0.8) == pytest.approx(
        0.035, rel=0.003
    )
    assert 1.5 < times < 4
    rest = spread * math.sqrt(correction)
    least = paired.detectable(Estimate(0.0, rest, math.inf), 0.95, 0.8)
    assert math.isinf(of(0.99 * least).repeats_to_show)
    assert math.isfinite(of(1.01 * least).repeats_to_show)
    assert math.isinf(of(0.028, 0.01).repeats_to_equate)
    assert math.isfinite(of(0.028, 0.01).data_to_equate)


def test_more_rows_make_no_more_folds() -> None:
    own = Estimate(0.01, 0.01, 4)
    folds = needed(own, None, Growth(units=False), 0.05, 0.8).data_to_show
    pairs = needed(own, None, UNITS, 0.05, 0.8).data_to_show
    assert pairs < folds
    shift = stats.nct.isf(0.8, 4, math.sqrt(folds))  # power against the lone upper side
    assert shift == pytest.approx(stats.t.isf(0.025, 4), rel=0.01)


@pytest.mark.parametrize("se", [0.0, math.nan, math.inf])
def test_without_an_error_nothing_is_known(se: float) -> None:
    assert all(map(math.isnan, needed(Estimate(0.1, se, 4), 0.01, UNITS, 0.05, 0.8)))
