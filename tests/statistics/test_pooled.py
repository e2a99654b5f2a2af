"""What data sets say together: against statsmodels, by hand, and in simulated collections."""

import numpy as np
import pytest
from scipy import special, stats

from rankexp.statistics.pooled import pooled


def drawn(rng: np.random.Generator, sets: int, tau: float) -> tuple[np.ndarray, np.ndarray]:
    """Return differences with errors that are half to twice of a unit, estimated from 10 folds."""
    errors = rng.uniform(0.3, 2.0, sets)
    seen = rng.normal(0.0, tau, sets) + rng.normal(0.0, errors)
    return seen, errors * np.sqrt(rng.chisquare(9, sets) / 9)


@pytest.mark.parametrize("seed", range(6))
def test_common_effect_and_heterogeneity_agree_with_statsmodels(seed: int) -> None:
    meta = pytest.importorskip("statsmodels.stats.meta_analysis")
    y, se = drawn(np.random.default_rng(seed), 9, 1.5)
    found = pooled(y, se, 0.95)
    other = meta.combine_effects(y, se**2, method_re="iterated")
    assert found is not None
    assert found.common == pytest.approx(other.mean_effect_fe)
    half = 1.959964 * other.sd_eff_w_fe
    assert (found.common_low, found.common_high) == pytest.approx(
        (other.mean_effect_fe - half, other.mean_effect_fe + half)
    )
    assert found.tau**2 == pytest.approx(max(other.tau2, 0.0), rel=1e-3, abs=1e-6)


@pytest.mark.parametrize("seed", range(6))
def test_the_upper_limit_of_heterogeneity_is_that_of_the_q_profile(seed: int) -> None:
    y, se = drawn(np.random.default_rng(seed), 9, 1.0)
    found = pooled(y, se, 0.95)
    assert found is not None and found.tau <= found.tau_high
    weights = 1 / (se**2 + found.tau_high**2)
    middle = (weights * y).sum() / weights.sum()
    q = (weights * (y - middle) ** 2).sum()
    assert q == pytest.approx(stats.chi2.ppf(0.025, 8), rel=1e-3)


def test_precise_sets_lead() -> None:
    """One of fifteen is known to a hundredth of the others: the common effect is its own."""
    y, se = np.array([-0.001, *[0.002] * 14]), np.array([0.0001, *[0.01] * 14])
    found = pooled(y, se, 0.95)
    assert found is not None
    assert found.common == pytest.approx(-0.001, abs=1e-5) and found.common_high < 0
    assert found.tau == 0.0


def test_sets_that_differ_by_more_than_their_errors_have_heterogeneity() -> None:
    y, se = np.array([-0.02, 0.0, 0.02, 0.03, -0.03]), np.full(5, 0.001)
    found = pooled(y, se, 0.95)
    assert found is not None
    assert found.tau == pytest.approx(y.std(ddof=1), rel=0.01)
    assert found.new_low < -0.05 and found.new_high > 0.05
    assert found.common_low > -0.001  # as if there were one effect


@pytest.mark.parametrize("errors", [(0.1, 0.0, 0.1), (0.1, np.nan, 0.1), (0.1, 0.1)])
def test_unknown_errors_and_two_sets_have_no_such_answer(errors: tuple[float, ...]) -> None:
    assert pooled(np.zeros(len(errors)), errors, 0.95) is None


def covered(sets: int, tau: float, studies: int) -> float:
    """Return how often, on average, the interval of a further set holds its true difference."""
    rng, shares = np.random.default_rng([sets, int(10 * tau)]), []
    for _ in range(studies):
        found = pooled(*drawn(rng, sets, tau), 0.95)
        assert found is not None
        ends = np.array([found.new_low, found.new_high])
        shares.append(
            float(np.diff(special.ndtr(ends / tau))[0]) if tau else float(ends[0] <= 0 <= ends[1])
        )
    return float(np.mean(shares))


def test_the_interval_of_a_further_set_covers_with_fifteen_sets() -> None:
    assert 0.93 < covered(15, 1.0, 400) < 0.97


@pytest.mark.fidelity
@pytest.mark.parametrize("tau", [0.0, 0.5, 1.0, 2.0])
@pytest.mark.parametrize("sets", [3, 4, 6, 9, 15, 30])
def test_the_interval_of_a_further_set_covers_everywhere(sets: int, tau: float) -> None:
    """Few sets make it long, not wrong; without heterogeneity it covers nearly always."""
    assert covered(sets, tau, 2000) > 0.93
