"""Variances of shares of pairs: all pairs by hand, coverage in simulations."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from rankexp import metrics
from rankexp.metrics import auc, u_pairs
from rankexp.metrics.level_counts import won
from rankexp.runner.analyse.delong import Seen
from rankexp.runner.keep.curves import MakeCurve
from rankexp.runner.keep.curves.placements import placements_cons, placements_ovo
from rankexp.statistics import paired
from rankexp.statistics.orders import TRAINING, Orders, PlacedPart, from_parts, from_won, shares


def orders(y: npt.ArrayLike, scores: npt.ArrayLike) -> Orders:
    """Order rows by scores, (n, M)."""
    levels = np.unique(np.asarray(y), return_inverse=True)[1]
    return from_won(levels, np.array([won(levels, column) for column in np.transpose(scores)]))


def kernel(y: np.ndarray, s: np.ndarray) -> np.ndarray:
    """1, 1/2 or 0 for each pair of rows of different levels, in order, tied or not; else 0."""
    sign = np.sign(y[:, None] - y) * np.sign(s[:, None] - s)
    return np.asarray(np.where(y[:, None] == y, 0.0, (sign + 1) / 2))


def by_pairs(y: np.ndarray, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Shares and covariances as DeLong's: components are means over each other level."""
    values, count = np.unique(y), scores.shape[1]
    size = {v: int((y == v).sum()) for v in values}
    total = sum(size[a] * size[b] for a in values for b in values if a < b)
    share, covariance = np.zeros(count), np.zeros((count, count))
    tables = [kernel(y, s) for s in scores.T]
    for a in values:
        components = np.zeros((count, size[a]))
        for b in values:
            if a == b:
                continue
            weight = size[a] * size[b] / total
            means = np.array([t[np.ix_(y == a, y == b)].mean(axis=1) for t in tables])
            components += weight * means
            share += weight * means.mean(axis=1) / 2
        covariance += np.atleast_2d(np.cov(components)) / size[a]
    return share, covariance


@given(st.integers(2, 4), st.integers(4, 40), st.integers(0, 10**6), st.booleans())
@settings(max_examples=60)
def test_all_pairs_give_the_same(K: int, n: int, seed: int, tied: bool) -> None:
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.repeat(np.arange(K), 2), rng.integers(0, K, n)])
    scores = rng.normal(size=(len(y), 3)) + 0.5 * y[:, None]
    scores = np.round(scores, 0 if tied else 9)
    found = orders(y, scores)
    share, covariance = by_pairs(y, scores)
    np.testing.assert_allclose(found.value, share, rtol=0, atol=1e-12)
    np.testing.assert_allclose(found.covariance, covariance, rtol=0, atol=1e-12)
    np.testing.assert_allclose(found.value, u_pairs(y, scores), rtol=0, atol=1e-12)
    np.testing.assert_array_equal(won(y, scores[:, 0]), kernel(y, scores[:, 0]).sum(axis=1))


def test_two_classes_worked_by_hand() -> None:
    # Positives 3 and 1, negatives 2 and 0: V10 = 1, 1/2; V01 = 1/2, 1; AUC 3/4.
    found = orders([1, 1, 0, 0], [[3.0], [1.0], [2.0], [0.0]])
    assert found.value[0] == 0.75 == auc([1, 1, 0, 0], [3.0, 1.0, 2.0, 0.0])
    assert found.covariance[0, 0] == pytest.approx(0.125 / 2 + 0.125 / 2)


def test_methods_that_win_the_same_pairs_have_the_least_error_there_can_be() -> None:
    y = np.repeat([0, 1], 25)
    scores = np.column_stack([y, 2.0 * y, np.arange(50.0)])
    found = orders(y, scores)
    assert found.value.tolist() == [1.0, 1.0, 1.0]
    same = found.difference(0, 1)
    assert (same.mean, same.se) == (0.0, paired.UNSEEN / 25)
    assert paired.equivalence(same, 0.01) > 0.05
    opposite = orders(y, np.column_stack([y, -y])).difference(0, 1)
    assert (opposite.mean, opposite.se) == (1.0, paired.UNSEEN / 25)
    low, high = found.interval(0, 0.95)
    assert high == 1.0 and low == pytest.approx(0.025 ** (1 / 25))
    swapped = scores[:, 2].copy()
    swapped[[24, 25]] = swapped[[25, 24]]  # one pair of 625: no basis either
    again = orders(y, np.column_stack([scores[:, 2], swapped]))
    assert again.difference(0, 1).se == paired.UNSEEN / 25
    assert again.difference(0, 1).mean == pytest.approx(1 / 625)
    low, high = again.interval(1, 0.95)  # as of no more than some 75 rows
    assert 0.9 < low < 0.96 and 0.999 < high < 1
    rng = np.random.default_rng(2)
    noisy = rng.normal(size=50) + y
    again = orders(y, np.column_stack([noisy, noisy**3 + noisy]))
    assert again.difference(0, 1).se == paired.UNSEEN / 25


def test_the_interval_of_one_share_stays_within_bounds() -> None:
    y = np.repeat([0, 1], 10)
    scores = np.arange(20.0)
    scores[[9, 10]] = scores[[10, 9]]
    low, high = orders(y, scores[:, None]).interval(0, 0.95)
    assert 0.5 < low < 0.99 < high < 1.0


@pytest.mark.parametrize(
    ("y", "message"),
    [([0, 0, 0], r"levels needs two rows; they have \[3"), ([0, 0, 1], r"they have \[2, 1")],
)
def test_what_has_no_variance_is_refused(y: list[int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        orders(y, np.zeros((3, 1)))


def coverage(n: int, studies: int, K: int) -> tuple[float, float]:
    """Return how often intervals of a difference and of one share cover the truth.

    Scores are normal, with shifts that give the two methods shares far apart.
    """
    rng = np.random.default_rng(n + K)
    y = np.arange(n) % K
    shifts = np.array([1.2, 0.8])
    gaps = [b - a for a in range(K) for b in range(a + 1, K)]
    truth = [float(np.mean(stats.norm.cdf(s * np.array(gaps) / np.sqrt(2)))) for s in shifts]
    hits = np.zeros(2)
    for _ in range(studies):
        scores = rng.multivariate_normal([0, 0], [[1, 0.6], [0.6, 1]], n) + np.outer(y, shifts)
        found = orders(y, scores)
        low, high = paired.interval(found.difference(0, 1), 0.95)
        hits[0] += low <= truth[0] - truth[1] <= high
        low, high = found.interval(0, 0.95)
        hits[1] += low <= truth[0] <= high
    return float(hits[0] / studies), float(hits[1] / studies)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "K"), [(50, 2), (200, 2), (2000, 2), (90, 3)])
def test_intervals_cover(n: int, K: int) -> None:
    studies = 1500
    low, high = stats.binom.interval(0.999, studies, 0.95)
    of_difference, of_share = coverage(n, studies, K)
    assert low / studies - 0.01 <= of_difference <= (high / studies + 0.005 if n > 1000 else 0.995)
    assert low / studies - 0.01 <= of_share <= 0.995


@pytest.mark.parametrize(
    ("m", "n", "aucs", "correlation"),
    [
        (20, 200, (0.983, 0.961), 0.9),
        (20, 200, (0.99, 0.97), 0.5),
        (5, 100, (0.9, 0.8), 0.5),
        (10, 200, (0.92, 0.9), 0.9),
        (8, 1000, (0.92, 0.76), 0.5),
    ],
)
def test_the_interval_of_a_difference_covers_with_few_positives(
    m: int, n: int, aucs: tuple[float, float], correlation: float
) -> None:
    rng, studies, hits = np.random.default_rng([m, n]), 500, 0
    y = np.repeat([1, 0], [m, n])
    shifts = np.sqrt(2) * stats.norm.ppf(aucs)
    for _ in range(studies):
        scores = rng.multivariate_normal([0, 0], [[1, correlation], [correlation, 1]], m + n)
        low, high = paired.interval(orders(y, scores + np.outer(y, shifts)).difference(0, 1), 0.95)
        hits += low <= aucs[0] - aucs[1] <= high
    assert hits >= stats.binom.ppf(0.001, studies, 0.93)


SLOW = pytest.mark.slow


@pytest.mark.parametrize(
    "errors", [0.5, pytest.param(1, marks=SLOW), 3, pytest.param(5, marks=SLOW), 8]
)
def test_intervals_of_nearly_perfect_rankers_cover(errors: float) -> None:
    # One method ranks a positive last with a small probability, the other never.
    rng, m, studies = np.random.default_rng(3), 100, 1000
    y = np.repeat([0, 1], m)
    hits = np.zeros(2)
    for _ in range(studies):
        lost = np.concatenate([np.zeros(m), rng.random(m) < errors / m])
        first = y + rng.random(2 * m)
        found = orders(y, np.column_stack([first, np.where(lost, rng.random(2 * m) - 2, first)]))
        low, high = paired.interval(found.difference(0, 1), 0.95)
        hits[0] += low <= errors / m <= high
        low, high = found.interval(1, 0.95)
        hits[1] += low <= 1 - errors / m <= high
    assert (hits / studies >= 0.92).all(), hits / studies


@pytest.mark.fidelity
@pytest.mark.parametrize("n", [50, 500, 10_000, 100_000])
@pytest.mark.parametrize("K", [2, 4])
def test_intervals_cover_94_to_96_percent(n: int, K: int) -> None:
    studies = 4000 if n <= 10_000 else 1000
    slack = 2.6 * np.sqrt(0.95 * 0.05 / studies)
    of_difference, of_share = coverage(n, studies, K)
    assert 0.94 - slack <= of_difference <= (0.99 if n < 10_000 else 0.96) + slack
    assert 0.94 - slack <= of_share <= (0.98 if n < 10_000 else 0.96) + slack


Draw = Callable[[np.random.Generator, int, int, float], tuple[np.ndarray, np.ndarray]]
"""Scores of so many positives and negatives, with an AUC."""


def _normal(spread: float) -> Draw:
    def draw(
        rng: np.random.Generator, m: int, n: int, auc: float
    ) -> tuple[np.ndarray, np.ndarray]:
        shift = np.sqrt(1.0 + spread**2) * stats.norm.ppf(auc)
        return spread * rng.normal(size=m) + shift, rng.normal(size=n)

    return draw


def _exponential(
    rng: np.random.Generator, m: int, n: int, auc: float
) -> tuple[np.ndarray, np.ndarray]:
    return rng.exponential(size=m) * auc / (1.0 - auc), rng.exponential(size=n)


def _unseen(rng: np.random.Generator, m: int, n: int, auc: float) -> tuple[np.ndarray, np.ndarray]:
    """Some positives score as negatives do, the others above all."""
    hidden = rng.random(m) < 2.0 * (1.0 - auc)
    return rng.normal(size=m) + 20.0 * ~hidden, rng.normal(size=n)


def _lost(rng: np.random.Generator, m: int, n: int, auc: float) -> tuple[np.ndarray, np.ndarray]:
    """Some positives score below all negatives, the others above all."""
    return 40.0 * (rng.random(m) < auc) - 20.0 + rng.normal(size=m), rng.normal(size=n)


SHAPES: dict[str, Draw] = {
    "normal": _normal(1.0),
    "wide": _normal(2.0),
    "narrow": _normal(0.5),
    "exponential": _exponential,
    "unseen": _unseen,
    "lost": _lost,
}


def covered(shape: str, m: int, n: int, auc: float, studies: int) -> float:
    """Return how often the interval of one share holds the truth; each second study is turned."""
    rng, hits = np.random.default_rng([m, n, round(1000 * auc)]), 0
    for study in range(studies):
        positive, negative = SHAPES[shape](rng, m, n, auc)
        scores, y = np.concatenate([positive, negative]), np.repeat([1, 0], [m, n])
        if study % 2:
            scores, y = -scores, 1 - y
        low, high = orders(y, scores[:, None]).interval(0, 0.95)
        hits += low <= auc <= high
    return hits / studies


@pytest.mark.parametrize(
    ("shape", "m", "n", "auc"),
    [
        ("normal", 8, 1000, 0.92),
        ("normal", 10, 1000, 0.98),
        ("normal", 20, 200, 0.98),
        ("wide", 5, 200, 0.7),
        ("exponential", 40, 400, 0.99),
        ("unseen", 100, 100, 0.98),
        ("lost", 20, 200, 0.95),
    ],
)
def test_the_interval_of_one_share_covers_with_few_positives(
    shape: str, m: int, n: int, auc: float
) -> None:
    studies = 400
    assert covered(shape, m, n, auc, studies) >= stats.binom.ppf(0.001, studies, 0.935) / studies


@pytest.mark.fidelity
@pytest.mark.parametrize("auc", [0.7, 0.8, 0.9, 0.95, 0.98, 0.99])
@pytest.mark.parametrize(
    ("m", "n"), [(5, 50), (5, 1000), (8, 1000), (10, 10), (20, 200), (40, 1000), (100, 100)]
)
@pytest.mark.parametrize("shape", SHAPES)
def test_the_interval_of_one_share_covers_93_percent(
    shape: str, m: int, n: int, auc: float
) -> None:
    studies = 2000
    assert covered(shape, m, n, auc, studies) >= 0.93


def test_intervals_hold_their_share_within_0_and_1_and_turn_with_the_scores() -> None:
    rng = np.random.default_rng(0)
    for _ in range(500):
        K, n = int(rng.integers(2, 4)), int(rng.integers(0, 12))
        y = np.concatenate([np.repeat(np.arange(K), 2), rng.integers(0, K, n)])
        scores = rng.normal(size=len(y)) + rng.choice([0.0, 1.0, 10.0]) * y
        scores = np.round(scores, int(rng.integers(0, 3)))
        found = orders(y, np.column_stack([scores, -scores]))
        low, high = found.interval(0, 0.95)
        assert 0.0 <= low <= found.value[0] <= high <= 1.0
        assert found.interval(1, 0.95) == pytest.approx((1.0 - high, 1.0 - low), abs=1e-9)
        assert found.interval(0, 0.9) >= (low, 0.0) and found.interval(0, 0.9)[1] <= high


def test_orders_are_a_value() -> None:
    found = orders([0, 0, 1, 1], np.arange(4.0)[:, None])
    assert isinstance(found, Orders) and found.examples == 2


@pytest.mark.parametrize(
    ("m", "n", "shift", "limited"),
    [(5, 40, 0.5, False), (12, 300, 0.3, True), (20, 200, 1.8, True)],
)
def test_the_interval_of_one_share_is_that_of_the_rows_that_the_page_states(
    m: int, n: int, shift: float, limited: bool
) -> None:
    rng = np.random.default_rng([m, n])
    y = np.repeat([1, 0], [m, n])
    scores = rng.normal(size=m + n) + shift * y
    pairs = scores[:m, None] > scores[m:]
    share, tail = pairs.mean(), 0.975
    parts = [pairs.mean(axis=axis).var(ddof=1) / size for axis, size in ((1, m), (0, n))]
    variance = sum(parts)
    df = variance**2 / (parts[0] ** 2 / (m - 1) + parts[1] ** 2 / (n - 1))
    shown = share * (1 - share) / variance * (stats.norm.ppf(tail) / stats.t.ppf(tail, df)) ** 2
    rows = min(shown, m * (3 + m * min(share, 1 - share) / 2))
    low = stats.beta.ppf(1 - tail, rows * share, rows * (1 - share) + 1)
    high = stats.beta.ppf(tail, rows * share + 1, rows * (1 - share))
    assert orders(y, scores[:, None]).interval(0, 0.95) == pytest.approx((low, high), rel=1e-9)
    assert (rows < shown) == limited, "both terms of the minimum are tried"


def folds_of(
    y: np.ndarray, scores: np.ndarray, repeats: int, folds: int, rng: np.random.Generator
) -> list[PlacedPart]:
    """Return the test parts of stratified folds of rows whose scores, (n, M), no fold changes."""
    parts = []
    for _ in range(repeats):
        fold = np.empty(len(y), dtype=np.int64)
        for level in np.unique(y):
            own = rng.permutation(np.flatnonzero(y == level))
            fold[own] = np.arange(len(own)) % folds
        for k in range(folds):
            rows = np.flatnonzero(fold == k)
            placed = [shares(y[rows], won(y[rows], s)) for s in scores[rows].T]
            parts.append(PlacedPart(rows, y[rows], np.array(placed)))
    return parts


def test_one_part_is_one_test_set_and_rows_may_come_in_any_order() -> None:
    rng = np.random.default_rng(5)
    y, scores = np.arange(60) % 3, rng.normal(size=(60, 2)) + 0.6 * (np.arange(60) % 3)[:, None]
    whole, mixed = orders(y, scores), rng.permutation(60)
    parts = folds_of(y, scores, 1, 1, rng)
    turned = [PlacedPart(p.rows[mixed], p.levels[mixed], p.placements[:, mixed]) for p in parts]
    for found in (from_parts(parts), from_parts(turned)):
        np.testing.assert_allclose(found.value, whole.value, rtol=0, atol=1e-13)
        np.testing.assert_allclose(found.covariance, whole.covariance, rtol=1e-10)


def test_over_folds_the_value_is_the_mean_and_repeats_of_a_partition_add_nothing() -> None:
    rng = np.random.default_rng(6)
    y, scores = np.arange(45) % 3, rng.normal(size=(45, 2)) + 0.5 * (np.arange(45) % 3)[:, None]
    parts = folds_of(y, scores, 2, 5, rng)
    found = from_parts(parts, 0.2)
    means = np.mean([u_pairs(y[p.rows], scores[p.rows]) for p in parts], axis=0)
    np.testing.assert_allclose(found.value, means, rtol=0, atol=1e-13)
    once, twice = from_parts(parts[:5]), from_parts(parts[:5] * 2)
    np.testing.assert_allclose(once.covariance, twice.covariance, rtol=1e-10)
    assert len(twice.levels) == 45, "a row is a row however often it is tested"


def test_the_error_over_folds_has_a_part_for_training() -> None:
    rng = np.random.default_rng(7)
    y = np.arange(200) % 2
    scores = rng.normal(size=(200, 2)) + 0.8 * y[:, None]
    parts = folds_of(y, scores, 1, 5, rng)
    plain, trained = (from_parts(parts, share).difference(0, 1) for share in (1e-12, 0.2))
    each = np.array([p.placements @ (1 / np.bincount(p.levels)[p.levels]) / 2 for p in parts])
    spread = (each[:, 0] - each[:, 1]).var(ddof=1)
    assert trained.se**2 == pytest.approx(plain.se**2 + TRAINING * 0.2 * spread, rel=1e-9)
    assert trained.mean == plain.mean and trained.df == plain.df


@pytest.mark.parametrize(
    ("name", "curve"), [("u_ovo", placements_ovo), ("u_cons", placements_cons)]
)
@given(st.integers(2, 4), st.integers(2, 30), st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_placements_of_levels_give_the_metric(
    name: str, curve: MakeCurve, K: int, n: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(K), rng.integers(0, K, n)]).astype(np.float64)
    scores = np.round(rng.normal(size=len(y)) + 0.5 * y, int(rng.integers(0, 4)))
    made = curve(np.zeros((len(y), 1)), y, scores)
    means = [np.array(made["y"])[y == level].mean() for level in np.unique(y)]
    assert sum(means) / 2 == pytest.approx(getattr(metrics, name)(y, scores), abs=1e-12)


def test_few_rows_take_the_wider_error() -> None:
    own, other = paired.Estimate(0.0, 0.02, 12.0), paired.Estimate(0.0, 0.03, 4)
    assert Seen(own, 40, None, 19).beside(other) == other
    assert Seen(own, 40, None, 20).beside(other) == own
    assert Seen(other, 40, None, 19).beside(own) == other
