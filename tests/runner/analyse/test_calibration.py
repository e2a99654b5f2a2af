"""Under the null each procedure rejects at its level in its own design: 2,000 studies each."""

import numpy as np
import pytest
from scipy import special, stats

from rankexp.statistics import paired, several
from rankexp.statistics.contrast import Contrast, Settings, adjusted
from rankexp.statistics.design import Design

STUDIES = 2000
LOW, HIGH = np.array(stats.binom.interval(0.99, STUDIES, 0.05)) / STUDIES
"""Where the share of rejections lies with probability .99 if each has probability .05."""


def noise(*shape: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(STUDIES, *shape))


def rejected(p: np.ndarray) -> float:
    return float((np.asarray(p) < 0.05).mean())


def inside(interval: tuple[float, float], truth: float) -> bool:
    low, high = interval
    return bool(low <= truth <= high)


def cross_validated(n: int, repeats: int, folds: int, seed: int) -> np.ndarray:
    """Squared errors of two mean predictors, each of its own target, alike in distribution.

    Returns the differences by fold, shape (studies, repeats * folds).
    """
    rng = np.random.default_rng(seed)
    targets = rng.normal(size=(STUDIES, n, 2))
    parts = []
    for _ in range(repeats):
        order = np.argsort(rng.random((STUDIES, n)), axis=1)
        tests = np.take_along_axis(targets, order[:, :, None], axis=1)
        tests = tests.reshape(STUDIES, folds, n // folds, 2)
        total = targets.sum(axis=1, keepdims=True)
        means = (total - tests.sum(axis=2)) / (n - n // folds)
        errors = ((tests - means[:, :, None]) ** 2).mean(axis=2)
        parts.append(errors[..., 0] - errors[..., 1])
    return np.concatenate(parts, axis=1)


pytestmark = pytest.mark.slow  # simulations of the level of each test


def test_the_paired_t_test_over_models() -> None:
    assert LOW <= rejected(paired.p_value(paired.estimate(noise(30, seed=1)))) <= HIGH


@pytest.mark.parametrize(("n", "repeats", "folds"), [(100, 10, 10), (100, 5, 2)])
def test_over_folds_the_corrected_test_keeps_its_level_and_the_naive_one_does_not(
    n: int, repeats: int, folds: int
) -> None:
    differences = cross_validated(n, repeats, folds, seed=2)
    naive = rejected(paired.p_value(paired.estimate(differences)))
    corrected = rejected(paired.p_value(paired.estimate(differences, 1 / (folds - 1))))
    assert LOW <= corrected <= HIGH
    assert naive > 0.4


def test_the_corrected_test_is_exact_for_the_correlation_it_assumes() -> None:
    shared = 0.1  # of ten folds
    own, common = noise(100, seed=3), noise(1, seed=4)
    differences = np.sqrt(1 - shared) * own + np.sqrt(shared) * common
    assert LOW <= rejected(paired.p_value(paired.estimate(differences, 1 / 9))) <= HIGH
    assert rejected(paired.p_value(paired.estimate(differences))) > 0.4


@pytest.mark.parametrize(("repeats", "folds"), [(1, 10), (10, 10), (10, 5)])
@pytest.mark.parametrize("errors", [0.5, 1, 3, 5, 8])
def test_intervals_of_nearly_perfect_rankers_cover(
    repeats: int, folds: int, errors: float
) -> None:
    # Each of 100 positives is ranked last by one method with a small probability, by the other
    # never: the difference is the share of such positives, about Poisson in the sample.
    rng, m, studies = np.random.default_rng(17), 100, 500
    design = Design("folds", 1 / (folds - 1), m)
    covered = bare = 0
    for _ in range(studies):
        lost = (rng.random(m) < errors / m).astype(float)
        orders = [rng.permutation(m) for _ in range(repeats)]
        differences = np.concatenate([lost[o].reshape(folds, -1).mean(axis=1) for o in orders])
        bounded = paired.of_design(differences, design)[0]
        corrected = paired.estimate(differences, design.correction)
        covered += inside(paired.interval(bounded, 0.95), errors / m)
        bare += inside(paired.interval(corrected, 0.95), errors / m)
    assert covered >= stats.binom.ppf(0.001, studies, 0.95)
    if errors < 2:  # most samples have no error or one
        assert bare < 0.7 * studies


def test_the_mean_of_settings() -> None:
    wide = noise(4, 30, seed=5) * np.array([1.0, 2.0, 3.0, 4.0])[:, None]
    p = [paired.p_value(paired.average([paired.estimate(row) for row in study])) for study in wide]
    assert LOW <= rejected(np.array(p)) <= HIGH


def test_two_one_sided_tests_at_the_margin() -> None:
    for margin in (-1.0, 1.0):
        found = paired.estimate(margin + noise(30, seed=6))
        assert LOW <= rejected(paired.equivalence(found, 1.0)) <= HIGH


def test_equivalence_over_data_sets_at_the_margin() -> None:
    p = [several.equivalence(2.0 + row, 2.0) for row in noise(20, seed=7)]
    assert LOW <= rejected(np.array(p)) <= HIGH


def test_the_bootstrap_interval() -> None:
    low, high = paired.bootstrap(noise(30, seed=8), 0.95, resamples=1999)
    assert LOW <= float(((low > 0) | (high < 0)).mean()) <= HIGH


def test_the_signed_rank_test() -> None:
    # Exact, hence below its level by the steps of its distribution: .048 at 20.
    p = np.array([several.signed_rank(row).p for row in noise(20, seed=9)])
    assert LOW <= rejected(p) <= HIGH


def test_the_interval_of_the_pseudo_median() -> None:
    ends = np.array([several.centre(row, 0.95)[1:] for row in noise(20, seed=10)])
    assert LOW <= float(((ends[:, 0] > 0) | (ends[:, 1] < 0)).mean()) <= HIGH


def test_holm_keeps_the_family_at_its_level() -> None:
    p = np.random.default_rng(11).random((STUDIES, 6))
    least = np.array([several.holm(row).min() for row in p])
    assert LOW <= rejected(least) <= HIGH


@pytest.mark.parametrize(("blocks", "methods"), [(14, 4), (30, 3), (12, 6)])
def test_friedman_by_iman_and_davenport(blocks: int, methods: int) -> None:
    ranked = np.argsort(noise(blocks, methods, seed=12), axis=2) + 1.0
    assert LOW <= rejected(several.friedman(ranked).p) <= HIGH


def test_friedman_by_permutation_with_few_blocks() -> None:
    drawn = noise(6, 4, seed=13)[:400]
    p = [several.by_permutation(np.argsort(v, axis=1) + 1.0, draws=999) for v in drawn]
    low, high = stats.binom.interval(0.99, 400, 0.05)
    assert low <= 400 * rejected(np.array(p)) <= high


# Nemenyi's test leans on many blocks: with 20 and five methods it rejects at .042, with six and
# three at .030.
@pytest.mark.parametrize(("blocks", "methods"), [(14, 4), (40, 5)])
def test_nemenyi_keeps_the_family_at_its_level(blocks: int, methods: int) -> None:
    ranked = np.argsort(noise(blocks, methods, seed=14), axis=2) + 1.0
    least = several.critical_difference(blocks, methods, 0.05)
    spread = np.ptp(ranked.mean(axis=1), axis=1)
    assert LOW <= float((spread >= least).mean()) <= HIGH


def test_signed_ranks_with_holm_keep_the_family_below_its_level() -> None:
    drawn = noise(15, 3, seed=15)
    least = np.array([several.pairwise(values).min() for values in drawn])
    assert rejected(least) <= HIGH


def test_the_detectable_difference_is_found_as_often_as_it_says() -> None:
    found = paired.Estimate(0.0, 1 / np.sqrt(12), 11)
    shift = paired.detectable(found, 0.95, 0.8)
    share = rejected(paired.p_value(paired.estimate(shift + noise(12, seed=16))))
    low, high = stats.binom.interval(0.99, STUDIES, 0.8)
    assert low <= STUDIES * share <= high
    assert shift > special.stdtrit(11, 0.975) / np.sqrt(12)


@pytest.mark.parametrize("problems", [1, 5, 9])
def test_the_detectable_difference_has_its_power_under_the_adjusted_test(problems: int) -> None:
    n, others = 30, np.zeros(problems - 1)
    se = 1 / np.sqrt(n)
    own = Contrast("p", difference=0.0, se=se, df=n - 1, low=-2 * se, high=2 * se, p=0.5)
    shift = adjusted([own] * problems, Settings())[0].detectable

    def power(shifts: list[float]) -> float:
        found = paired.estimate(noise(problems, n, seed=19) + np.array(shifts)[:, None])
        p = np.array([several.holm(row) for row in paired.p_value(found)])
        return rejected(p[:, 0])

    assert abs(power([shift, *others]) - 0.8) <= 0.03
    # Where the others differ, too, Holm's steps find each of them more often.
    assert power([shift] * problems) >= 0.8 - 0.03
    if problems == 9:  # a difference that one test alone would find
        alone = paired.detectable(paired.Estimate(0.0, se, n - 1), 0.95, 0.8)
        assert power([alone, *others]) < 0.6 and shift > 1.25 * alone


def test_the_intervals_beside_verdicts_hold_for_all_problems_at_once() -> None:
    found = paired.estimate(noise(9, 30, seed=20))
    low, high = paired.interval(found, 1 - 0.05 / 9)
    assert LOW <= float(((low > 0) | (high < 0)).any(axis=1).mean()) <= HIGH
