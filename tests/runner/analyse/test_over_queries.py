"""Means over queries: the error, the bootstrap, the randomisation test, and what they rest on."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy import special, stats

from rankexp.runner.analyse import complete_blocks, contrast, frame
from rankexp.runner.analyse.frame import NONE
from rankexp.statistics import paired
from rankexp.statistics.contrast import Settings
from rankexp.statistics.design import QUERIES, Design

FOLDS = np.repeat(np.arange(5), [22, 21, 21, 21, 21])  # LETOR's OHSUMED: 106 queries
STUDIES = 1000
TRUE = 0.02


def differences(rng: np.random.Generator, *size: int) -> np.ndarray:
    """Draw as NDCG has them: many small, some large, zeros, and a mean of its own a fold."""
    large = np.where(rng.random((*size, len(FOLDS))) < 0.3, 0.25, 0.05)
    own = rng.standard_t(4, (*size, len(FOLDS))) * large
    own = np.where(rng.random(own.shape) < 0.2, 0.0, own)
    return own + TRUE + np.array([-0.1, -0.05, 0.0, 0.05, 0.1])[FOLDS]


def test_the_estimate_is_the_mean_of_the_folds_means() -> None:
    values = differences(np.random.default_rng(0))
    own = [values[fold == FOLDS] for fold in range(5)]
    found = paired.stratified(values, FOLDS)
    assert found.mean == pytest.approx(sum(map(np.mean, own)) / 5)
    assert found.mean != pytest.approx(values.mean(), abs=1e-6)  # the first fold has a query more
    squares = sum(
        sum((v - one.mean()) ** 2 for v in one) / (len(one) - 1) / len(one) for one in own
    )
    assert found.se == pytest.approx(math.sqrt(squares) / 5)
    assert found.df == 101


def test_one_fold_is_the_paired_t_test() -> None:
    values = differences(np.random.default_rng(1))
    found = paired.stratified(values, np.zeros(106))
    assert paired.p_value(found) == pytest.approx(stats.ttest_1samp(values, 0).pvalue)
    assert paired.of_design(values, Design(QUERIES), np.zeros(106)) == (found, False)


def test_a_fold_of_one_query_has_no_error() -> None:
    found = paired.stratified([0.1, 0.3, 0.2], [0, 0, 1])
    assert found.mean == pytest.approx(0.2)
    assert np.isnan(found.se)


def test_the_bootstrap_is_scipys_with_a_raised_level() -> None:
    values = differences(np.random.default_rng(2))
    samples = [values[fold == FOLDS] for fold in range(5)]

    def mean(*drawn: np.ndarray, axis: int) -> np.ndarray:
        return np.mean([one.mean(axis=axis) for one in drawn], axis=0)

    quantile = special.stdtrit(101, 0.975) * math.sqrt(106 / 101)
    found = stats.bootstrap(
        samples,
        mean,
        confidence_level=1 - 2 * special.ndtr(-quantile),
        method="percentile",
        rng=np.random.default_rng(3),
    ).confidence_interval
    own = paired.stratified_bootstrap(values, FOLDS, 0.95)
    assert own == pytest.approx(tuple(found), abs=0.03 * (own[1] - own[0]))
    assert own == paired.stratified_bootstrap(values, FOLDS, 0.95)
    assert own != paired.stratified_bootstrap(values, FOLDS, 0.95, seed=1)
    shuffled = np.random.default_rng(4).permutation(106)
    again = paired.stratified_bootstrap(values[shuffled], FOLDS[shuffled], 0.95)
    assert again == pytest.approx(own, abs=0.03 * (own[1] - own[0]))


def test_the_randomisation_test_is_exact_with_few_queries() -> None:
    rng = np.random.default_rng(5)
    for values in (rng.normal(0.5, 1, 11), rng.integers(-2, 4, 13) / 2.0):  # the latter with ties
        folds = np.arange(len(values)) % 2
        shares = values / np.bincount(folds)[folds]
        found = stats.permutation_test((shares,), np.sum, permutation_type="samples")
        assert paired.randomisation(values, folds) == pytest.approx(found.pvalue, abs=1e-12)


def test_the_randomisation_test_draws_signs_of_many_queries() -> None:
    values = differences(np.random.default_rng(6))
    shares = values / np.bincount(FOLDS)[FOLDS]
    found = stats.permutation_test(
        (shares,), np.sum, permutation_type="samples", rng=np.random.default_rng(7)
    )
    p = paired.randomisation(values, FOLDS)
    assert p == pytest.approx(found.pvalue, abs=4 * math.sqrt(2 * p * (1 - p) / 9999))
    assert 0.001 < p < 0.999, "the comparison says nothing"
    far = np.abs(values) + 1.0
    assert paired.randomisation(far, FOLDS) == 1 / 10_000  # never 0: the data is a draw, too
    assert paired.randomisation(far, FOLDS, resamples=99) == 0.01
    assert paired.randomisation(np.zeros(106), FOLDS) == 1.0


def test_both_intervals_keep_their_level() -> None:
    drawn = differences(np.random.default_rng(8), STUDIES)
    low, high = paired.interval(paired.stratified(drawn, FOLDS), 0.95)
    by_t = np.mean((low <= TRUE) & (high >= TRUE))
    ends = np.array(
        [
            paired.stratified_bootstrap(own, FOLDS, 0.95, seed, 999)
            for seed, own in enumerate(drawn)
        ]
    )
    by_bootstrap = np.mean((ends[:, 0] <= TRUE) & (ends[:, 1] >= TRUE))

    assert 0.93 < by_t < 0.97  # 2.9 standard errors of 1,000 studies
    assert 0.93 < by_bootstrap < 0.97
    # Queries taken for one sample have the folds' own differences in their error.
    low, high = paired.interval(paired.estimate(drawn), 0.95)
    assert np.mean((low <= TRUE) & (high >= TRUE)) > by_t


def test_the_randomisation_test_keeps_its_size_and_has_power() -> None:
    rng = np.random.default_rng(9)
    drawn = differences(rng, STUDIES)
    signs = rng.choice([-1.0, 1.0], drawn.shape)
    null = [paired.randomisation(own, FOLDS, s, 199) for s, own in enumerate(drawn * signs)]
    size = np.mean(np.array(null) <= 0.05)
    assert 0.03 < size < 0.07
    other = [paired.randomisation(own + 0.05, FOLDS, s, 199) for s, own in enumerate(drawn)]
    assert np.mean(np.array(other) <= 0.05) > 0.8


def splits() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return two methods on two folds of three queries, and one problem without queries."""
    keys = {"problem": "p", "model": NONE, "rep": NONE, "grid": "", "unit": NONE}
    given = {("a", 0): [0.1, 0.2, 0.6], ("b", 0): [0.0, 0.2, 0.1]}
    given |= {("a", 1): [0.5, 0.6, math.nan], ("b", 1): [0.4, 0.2, 0.3]}
    rows = [
        {**keys, "method": method, "fold": fold, "query": 3 * fold + i, "value": value}
        for (method, fold), values in given.items()
        for i, value in enumerate(values)
    ]
    each = pd.DataFrame(rows)
    whole = each.groupby(["problem", "method", "model", "rep", "fold", "grid", "unit"])["value"]
    found = whole.mean().reset_index()
    other = found[found["fold"] == 0].assign(problem="other", value=0.7)
    return pd.concat([found, other], ignore_index=True), each.drop(columns="unit")


def test_splits_are_spread_over_their_queries() -> None:
    found, each = splits()
    spread = frame.spread(found, each, ["p"])
    assert len(spread) == 12 + 2
    rest = spread[spread["problem"] == "other"]
    assert (rest[frame.QUERY] == NONE).all() and (rest["value"] == 0.7).all()
    own = spread[spread["problem"] == "p"]
    assert sorted(own["unit"].unique()) == list(range(6))


def test_splits_that_are_no_means_over_queries_of_their_own_are_told() -> None:
    found, each = splits()
    own = found[found["problem"] == "p"]
    assert frame.are_pairs(own, each)
    assert not frame.are_pairs(own.assign(value=own["value"] + 0.01), each)
    assert not frame.are_pairs(own, each[each["fold"] == 0])
    assert not frame.are_pairs(own, each.assign(query=each["query"] % 3)), "in both folds"


def family(found: pd.DataFrame, policy: str = "refuse") -> contrast.Family:
    expected = pd.DataFrame(
        [("p", NONE, NONE, 0), ("p", NONE, NONE, 1)], columns=complete_blocks.PLACE
    )
    table = complete_blocks.wide(found, expected, ["a", "b"])
    settings = Settings(higher=True, policy=policy)  # type: ignore[arg-type]
    return contrast.family(table, ("a", "b"), {"p": Design(QUERIES)}, settings)


def test_a_query_without_a_value_by_either_is_left_out_and_counted() -> None:
    found, each = splits()
    (made,) = family(frame.spread(found, each, ["p"])).problems
    assert (made.n, made.unit, made.undefined) == (5, "queries", 1)
    values = [0.1, 0.0, 0.5, 0.1, 0.4]
    expected = paired.stratified(values, [0, 0, 0, 1, 1])
    assert (made.difference, made.se, made.df) == pytest.approx(tuple(expected))
    assert made.difference == pytest.approx((0.2 + 0.25) / 2)
    assert made.loss == pytest.approx(1 - (0.1 + 0.3) / 2)
    assert made.test == "paired t-test over 5 queries, stratified by fold"
    assert made.p_random == made.p_random_adjusted == paired.randomisation(values, [0, 0, 0, 1, 1])
    assert (made.boot_low, made.boot_high) == paired.stratified_bootstrap(
        values, [0, 0, 0, 1, 1], 0.95
    )


def test_a_fold_that_one_method_lacks_is_refused_or_dropped_whole() -> None:
    found, each = splits()
    spread = frame.spread(found, each, ["p"])
    spread = spread[~((spread["method"] == "b") & (spread["fold"] == 1))]
    (refused,) = family(spread).problems
    assert "p, fold 1: 3 of 3 queries lack a value" in refused.note
    (dropped,) = family(spread, "drop").problems
    assert (dropped.n, dropped.dropped) == (3, 1)
    assert dropped.test == "paired t-test over 3 queries"
