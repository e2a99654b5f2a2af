"""Several methods: Demšar's worked example, scipy, scikit-posthocs and autorank as oracles."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
import scikit_posthocs
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from rankexp.statistics import several

METHODS = ["C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"]
# Demšar (JMLR 7, 2006), Table 6: AUC, and the ranks printed beside them. Those of the set
# "voting" were taken before rounding: its .975 and .975 have the ranks 2 and 3.
AUC = np.array(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.975, 0.975],
        [0.957, 0.978, 0.946, 0.970],
    ]
)
PRINTED = np.array(
    [
        [4, 3, 2, 1],
        [1, 2, 3, 4],
        [4, 1, 2, 3],
        [4, 1, 3, 2],
        [4, 2, 3, 1],
        [1, 2.5, 4, 2.5],
        [3, 2, 4, 1],
        [2.5, 2.5, 4, 1],
        [4, 3, 2, 1],
        [2.5, 2.5, 2.5, 2.5],
        [4, 2.5, 1, 2.5],
        [3, 2, 4, 1],
        [4, 1, 2, 3],
        [3, 1, 4, 2],
    ]
)
VOTING = 12


def test_the_ranks_of_demsars_table() -> None:
    got = several.ranks(AUC, higher=True)
    others = [row for row in range(14) if row != VOTING]
    np.testing.assert_array_equal(got[others], PRINTED[others])
    assert list(got[VOTING]) == [4, 1, 2.5, 2.5]
    np.testing.assert_array_equal(several.ranks(1 - AUC, higher=False), got)


def test_demsars_worked_example() -> None:
    assert np.round(PRINTED.mean(axis=0), 3).tolist() == [3.143, 2.0, 2.893, 1.964]
    found = several.friedman(PRINTED, ties=False)
    assert (round(float(found.chi2), 2), round(float(found.f), 2)) == (9.28, 3.69)
    assert found.df == (3, 39) and found.p < 0.05
    assert round(several.critical_difference(14, 4, 0.05), 2) == 1.25
    assert round(several.critical_difference(14, 4, 0.10), 2) == 1.12
    p = several.nemenyi(PRINTED)
    assert (p > 0.05).all()  # "not powerful enough to detect any significant differences"
    # At .10 plain C4.5 is worse than C4.5+m and C4.5+m+cf, C4.5+cf belongs to both groups.
    assert several.groups(PRINTED.mean(axis=0), p < 0.10) == [(3, 1, 2), (2, 0)]


def test_demsars_critical_values() -> None:
    printed = {
        0.05: [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164],
        0.10: [1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920],
    }
    for alpha, row in printed.items():
        for k, q in enumerate(row, start=2):
            got = several.critical_difference(6, k, alpha) / math.sqrt(k * (k + 1) / 36)
            assert got == pytest.approx(q, abs=0.0011)  # the print rounds down here and there


@pytest.mark.parametrize("seed", range(3))
def test_with_ties_it_is_scipys_friedman(seed: int) -> None:
    values = np.random.default_rng(seed).integers(0, 4, (12, 5)).astype(float)
    ranked = several.ranks(values, higher=False)
    expected = stats.friedmanchisquare(*values.T)
    found = several.friedman(ranked)
    assert found.chi2 == pytest.approx(expected.statistic)
    assert found.f == pytest.approx(11 * expected.statistic / (12 * 4 - expected.statistic))
    assert found.p == pytest.approx(stats.f.sf(found.f, 4, 44))


def test_nemenyi_is_scikit_posthocs() -> None:
    # The second is the package's own example.
    own = [[31, 27, 24], [31, 28, 31], [45, 29, 46], [21, 18, 48], [42, 36, 46], [32, 17, 40]]
    for values in (AUC, np.array(own), np.random.default_rng(1).normal(size=(8, 3))):
        expected = scikit_posthocs.posthoc_nemenyi_friedman(values).to_numpy()
        np.testing.assert_allclose(
            several.nemenyi(several.ranks(values, higher=True)), expected, atol=1e-8
        )


def test_signed_ranks_with_holm_are_scikit_posthocs() -> None:
    values = np.random.default_rng(2).normal(size=(15, 4)) + np.array([0, 0.5, 1.0, 1.5])
    long = pd.DataFrame(values).melt()
    expected = scikit_posthocs.posthoc_wilcoxon(
        long, val_col="value", group_col="variable", p_adjust="holm", method="exact"
    )
    np.testing.assert_allclose(several.pairwise(values), expected.to_numpy())


def example_of_autorank() -> pd.DataFrame:
    """The populations of autorank's own example: clipped to [0, 1], so with ties."""
    state = np.random.RandomState(42)
    means = [0.2, 0.3, 0.5, 0.8, 0.85, 0.9]
    return pd.DataFrame(
        {f"pop_{i}": state.normal(mean, 0.3, 50).clip(0, 1) for i, mean in enumerate(means)}
    )


def test_ranks_and_critical_difference_are_autoranks() -> None:
    autorank = pytest.importorskip("autorank", exc_type=ImportError)

    values = example_of_autorank()
    expected = autorank.autorank(values, alpha=0.05, force_mode="nonparametric")
    found = several.ranking(values, higher=True, posthoc="nemenyi", alpha=0.05)
    theirs = expected.rankdf["meanrank"].reindex(values.columns)
    np.testing.assert_allclose(found.average, theirs)
    assert found.critical == pytest.approx(expected.cd, rel=1e-3)
    assert expected.omnibus == "friedman" and expected.posthoc == "nemenyi"
    chi2 = several.friedman(several.ranks(values, higher=True)).chi2
    assert stats.chi2.sf(chi2, 5) == pytest.approx(expected.pvalue)
    # Populations whose mean ranks lie within the critical difference, by theirs.
    best_first = theirs.sort_values()
    for i, j in itertools.combinations(range(6), 2):
        apart = abs(theirs.iloc[i] - theirs.iloc[j]) > expected.cd
        assert found.differs[i, j] == apart
    assert len(found.bars) >= 2 and found.bars[0][0] == values.columns.get_loc(best_first.index[0])


def test_scipys_examples_of_friedman_and_wilcoxon() -> None:
    # The documentation of scipy.stats.friedmanchisquare and of scipy.stats.wilcoxon.
    before = [72, 96, 88, 92, 74, 76, 82]
    after = [120, 120, 132, 120, 101, 96, 112]
    later = [76, 95, 104, 96, 84, 72, 76]
    ranked = several.ranks(np.transpose([before, after, later]), higher=False)
    chi2 = float(several.friedman(ranked).chi2)
    assert round(chi2, 10) == 10.5714285714
    assert round(float(stats.chi2.sf(chi2, 2)), 8) == 0.00506341
    heights = [6, 8, 14, 16, 23, 24, 28, 29, 41, -48, 49, 56, 60, -67, 75]
    found = several.signed_rank(heights)
    assert (found.below, round(found.p, 8)) == (24.0, 0.04125977)


def test_few_blocks_are_tested_by_all_orders() -> None:
    # Three blocks in one order: 6 of 6³ orders are as extreme; the F distribution would say 0.
    values = np.array([[1.0, 2.0, 3.0]] * 3)
    found = several.ranking(values, higher=False, posthoc="nemenyi", alpha=0.05)
    assert found.omnibus.p == pytest.approx(1 / 36, abs=0.004)
    ranked = several.ranks(np.random.default_rng(4).integers(0, 3, (4, 3)), higher=False)
    orders = [list(itertools.permutations(row)) for row in ranked]
    sums = [(np.mean(pick, axis=0) ** 2).sum() for pick in itertools.product(*orders)]
    own = (ranked.mean(axis=0) ** 2).sum()
    exact = np.mean(np.array(sums) >= own - 1e-9)
    assert several.by_permutation(ranked) == pytest.approx(exact, abs=0.012)


def test_two_methods_are_ranked_too() -> None:
    values = np.random.default_rng(5).normal(size=(20, 2)) + np.array([0, 1])
    found = several.ranking(values, higher=False, posthoc="nemenyi", alpha=0.05)
    wins = (values[:, 0] < values[:, 1]).mean()
    np.testing.assert_allclose(found.average, [2 - wins, 1 + wins])
    assert found.critical == pytest.approx(1.95996 * math.sqrt(6 / 120), rel=1e-3)
    assert found.bars == ([] if found.differs[0, 1] else [(0, 1)])


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (np.ones((5, 1)), "a single method cannot be ranked"),
        (np.ones((2, 3)), "at least 3 blocks, there are 2"),
        (np.array([[1.0, 2.0], [math.nan, 1.0], [1.0, 2.0]]), "missing or not finite"),
        (np.ones((5, 3)), "all methods tie in every block"),
        (np.repeat([[0.1], [0.2], [0.3]], 3, axis=1) + 1e-17, "all methods tie"),
    ],
)
def test_what_cannot_be_ranked_is_said(values: np.ndarray, message: str) -> None:
    for posthoc in ("nemenyi", "wilcoxon"):
        with pytest.raises(several.NotComparableError, match=message):
            several.ranking(values, higher=False, posthoc=posthoc, alpha=0.05)  # type: ignore[arg-type]


def test_no_pair_differs_where_friedman_finds_nothing() -> None:
    values = np.random.default_rng(179).normal(size=(12, 3)) + np.array([0, 0.3, 0.5])
    found = several.ranking(values, higher=False, posthoc="wilcoxon", alpha=0.05)
    assert found.omnibus.p > 0.05 > found.p.min()  # a pair alone would pass
    assert not found.differs.any()
    assert found.bars == [tuple(np.argsort(found.average))] and math.isnan(found.critical)


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ([], [(2, 0, 1, 3)]),  # nothing differs: one bar
        ([(2, 3)], [(2, 0, 1), (0, 1, 3)]),
        ([(2, 0), (2, 1), (2, 3)], [(0, 1, 3)]),  # the best stands alone
        ([(2, 1), (2, 3), (0, 3), (1, 3)], [(2, 0), (0, 1)]),
        # The ends differ from nothing, but what lies between them does: no bar joins these.
        ([(0, 1)], [(2, 0), (1, 3)]),
        ([(2, 0), (2, 1), (2, 3), (0, 1), (0, 3), (1, 3)], []),
    ],
)
def test_bars_worked_by_hand(
    pairs: list[tuple[int, int]], expected: list[tuple[int, ...]]
) -> None:
    differs = np.zeros((4, 4), dtype=bool)
    for i, j in pairs:
        differs[i, j] = differs[j, i] = True
    assert several.groups([2.0, 2.5, 1.2, 3.9], differs) == expected


@given(st.integers(2, 6), st.integers(0, 10_000), st.floats(0, 1))
@settings(max_examples=50)
def test_bars_are_all_longest_runs_without_a_difference(k: int, seed: int, share: float) -> None:
    rng = np.random.default_rng(seed)
    differs = np.triu(rng.random((k, k)) < share, 1)
    differs |= differs.T
    average = rng.permutation(k) + 1.0
    order = np.argsort(average)
    runs = {
        tuple(order[i:j])
        for i in range(k)
        for j in range(i + 2, k + 1)
        if not differs[np.ix_(order[i:j], order[i:j])].any()
    }
    longest = {a for a in runs if not any(set(a) < set(b) for b in runs)}
    assert set(several.groups(average, differs)) == longest
