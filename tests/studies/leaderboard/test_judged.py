"""Verdicts on tables of results: by hand, by scipy and autorank, and how often they are wrong."""

import itertools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scikit_posthocs
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import rankexp
from rankexp.errors import DataError
from rankexp.studies.leaderboard.asked import VerdictOptions
from rankexp.studies.leaderboard.command import answered
from rankexp.studies.leaderboard.judge import Found, judge
from rankexp.studies.leaderboard.table import results

NAMES = "abcdefgh"


def long(values: np.ndarray, unit: str = "item", **more: object) -> pd.DataFrame:
    """Return a long table of values, (data sets, units, methods)."""
    rows = [
        {"dataset": f"set {i}", unit: j, "method": NAMES[k], "auc": value, **more}
        for (i, j, k), value in np.ndenumerate(values)
        if not math.isnan(value)
    ]
    return pd.DataFrame(rows)


def tables() -> list[np.ndarray]:
    """Return twenty tables of other sizes: (data sets, units, methods)."""
    rng = np.random.default_rng(5)
    made = []
    for place in range(20):
        sets, units, methods = 3 + place % 9, 4 + place, 3 + place % 5
        skill = rng.normal(0, 0.02, methods)
        hard = rng.normal(0.7, 0.1, (sets, 1, 1))
        made.append(hard + skill + rng.normal(0, 0.03, (sets, units, methods)))
    return made


@pytest.mark.parametrize("place", range(20))
def test_twenty_tables_by_hand(place: int) -> None:
    values = tables()[place]
    found = rankexp.verdicts(long(values), better="higher", margin=0.01)
    sets, _units, methods = values.shape
    on_one = found.pairs[found.pairs.problem != ""]
    count = sets * math.comb(methods, 2)
    assert len(on_one) == count
    for row in on_one.itertuples():
        own = values[int(row.problem.split()[1])]
        first, second = (own[:, NAMES.index(name)] for name in (row.minus, row.method))
        test = stats.ttest_rel(second, first)
        assert row.difference == pytest.approx(float(np.mean(second - first)), abs=1e-12)
        assert row.p == pytest.approx(test.pvalue, rel=1e-8)
        low, high = test.confidence_interval(1 - 0.05 / count)
        assert (row.low_all, row.high_all) == pytest.approx((low, high), abs=1e-10)
        assert ("worse" in row.verdict) == (high < 0)
        assert ("better" in row.verdict) == (low > 0)
    over = found.pairs[found.pairs.problem == ""]
    for row in over.itertuples():
        means = values.mean(axis=1)
        differences = means[:, NAMES.index(row.method)] - means[:, NAMES.index(row.minus)]
        assert row.p == pytest.approx(stats.wilcoxon(differences, method="exact").pvalue)
        tests = math.comb(methods, 2)
        assert row.p_adjusted == pytest.approx(min(1, tests * row.p))


@pytest.mark.parametrize("place", range(20))
def test_average_ranks_are_autoranks(place: int) -> None:
    autorank = pytest.importorskip("autorank", exc_type=ImportError)
    means = tables()[place].mean(axis=1)
    frame = pd.DataFrame(means, columns=list(NAMES[: means.shape[1]]))
    made = verdicts_of(long(means[:, None, :]).drop(columns="item"))
    ranking = made.ranking
    assert ranking is not None
    if len(means) < 5:  # autorank refuses so few
        theirs = stats.rankdata(-means, axis=1).mean(axis=0)
        np.testing.assert_allclose(ranking.average, theirs)
        return
    expected = autorank.autorank(frame, alpha=0.05, force_mode="nonparametric")
    np.testing.assert_allclose(ranking.average, expected.rankdf.meanrank.reindex(frame.columns))
    chi2 = stats.friedmanchisquare(*means.T)
    assert float(ranking.omnibus.chi2) == pytest.approx(chi2.statistic)
    np.testing.assert_allclose(
        ranking.p, scikit_posthocs.posthoc_nemenyi_friedman(means).to_numpy(), atol=1e-8
    )
    if expected.cd is not None:
        assert ranking.critical == pytest.approx(expected.cd, rel=1e-3)


def verdicts_of(frame: pd.DataFrame, **options: Any) -> Found:
    return rankexp.verdicts(frame, **options).found


def test_folds_have_the_corrected_error() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(0.8, 0.02, (1, 20, 2))
    frame = long(values, "unit")
    frame = frame.assign(fold=frame.unit % 5, repeat=frame.unit // 5).drop(columns="unit")
    row = rankexp.verdicts(frame).standings.iloc[1]
    differences = np.abs(values[0, :, 1] - values[0, :, 0])
    signed = (values[0, :, 1] - values[0, :, 0]) * (1 if row.method == "b" else -1)
    assert row.difference == pytest.approx(signed.mean())
    assert row.se == pytest.approx(signed.std(ddof=1) * math.sqrt(1 / 20 + 1 / 4))
    assert row.test == "corrected resampled t-test" and differences.any()


def test_random_splits_need_the_share_that_is_tested() -> None:
    rng = np.random.default_rng(1)
    values = rng.normal(0.8, 0.02, (1, 12, 2))
    found = rankexp.verdicts(long(values, "seed"), each="split", test_share=0.2)
    row = found.standings.iloc[1]
    signed = values[0, :, NAMES.index(row.method)] - values[0, :, 1 - NAMES.index(row.method)]
    assert row.se == pytest.approx(signed.std(ddof=1) * math.sqrt(1 / 12 + 0.2 / 0.8))
    runs = rankexp.verdicts(long(values, "seed"), each="run").standings.iloc[1]
    assert runs.se == pytest.approx(signed.std(ddof=1) / math.sqrt(12))


def test_given_errors_are_independent() -> None:
    frame = pd.DataFrame(
        {"model": ["x", "y", "z"], "accuracy": [0.9, 0.85, 0.6], "se": [0.01, 0.02, 0.02]}
    )
    found = rankexp.verdicts(frame)
    row = found.standings.set_index("method").loc["y"]
    assert row.se == pytest.approx(math.hypot(0.01, 0.02))
    assert row.p == pytest.approx(2 * stats.norm.sf(0.05 / math.hypot(0.01, 0.02)))
    assert list(found.standings.tier) == [1, 1, 2]


def test_the_runs_of_an_item_count_as_one() -> None:
    rng = np.random.default_rng(2)
    once = long((rng.random((1, 60, 3)) < [0.5, 0.6, 0.9]).astype(float))
    twice = pd.concat([once.assign(seed=0), once.assign(seed=1)])
    apart = ["mean", "difference", "se", "low_all", "high_all"]
    one, two = (rankexp.verdicts(table).standings for table in (once, twice))
    pd.testing.assert_frame_equal(one[apart], two[apart])


def test_a_missing_value_is_left_out_of_its_pairs_alone_and_named() -> None:
    values = tables()[0][:1]
    whole = rankexp.verdicts(long(values), better="higher")
    lacking = values.copy()
    lacking[0, 1, 0] = math.nan
    found = rankexp.verdicts(long(lacking), better="higher")
    assert any("a lacks 1 of 4 on set 0" in one for one in found.answer)
    keys = ["method", "minus"]
    old, new = (
        one.pairs[~one.pairs.minus.eq("a") & ~one.pairs.method.eq("a")].set_index(keys).n
        for one in (whole, found)
    )
    assert set(old) == set(new) == {4}
    of_a = found.pairs[found.pairs.minus.eq("a") | found.pairs.method.eq("a")]
    assert set(of_a.n) == {3}
    with pytest.raises(DataError, match="a lacks 1 of 4"):
        rankexp.verdicts(long(lacking), better="higher", incomplete="refuse")


def test_methods_that_never_differ_are_no_proof() -> None:
    values = np.full((1, 40, 2), 1.0)
    row = rankexp.verdicts(long(values)).standings.iloc[1]
    assert row.verdict == "undecided"  # 40 items cannot show that 2 / 40 is less than .01
    assert row.se == pytest.approx(2 / 40)
    values = np.full((1, 4_000, 2), 1.0)
    assert rankexp.verdicts(long(values)).standings.iloc[1].verdict == "equivalent"


@settings(max_examples=25)
@given(
    seed=st.integers(0, 10**6),
    shift=st.floats(-3, 3),
    turn=st.booleans(),
    sets=st.sampled_from([1, 3, 5]),
)
def test_laws(seed: int, shift: float, turn: bool, sets: int) -> None:
    """Order of rows, names, a shift of all values, and the direction turned: verdicts stay."""
    rng = np.random.default_rng(seed)
    values = rng.normal(0, 1, (sets, 8, 4)) + rng.normal(0, 1, 4)
    table = long(values)
    first = rankexp.verdicts(table, better="higher", margin=0.5).standings
    other = table.sample(frac=1, random_state=seed).assign(auc=lambda t: t.auc + shift)
    better = "higher"
    if turn:
        other, better = other.assign(auc=-other.auc), "lower"
    second = rankexp.verdicts(other, better=better, margin=0.5).standings
    apart = ["method", "tier", "place_low", "place_high", "verdict"]
    pd.testing.assert_frame_equal(first[apart], second[apart])
    np.testing.assert_allclose(first.p.iloc[1:], second.p.iloc[1:], rtol=1e-6)


def test_places_and_tiers_follow_from_the_pairs() -> None:
    for values in tables()[:6]:
        for panel in verdicts_of(long(values), better="higher").sets:
            worse = {p for p, own in panel.pairs.items() if own.verdict.shown == "worse"}
            for one in panel.order:
                before = sum(second == one for _, second in worse)
                behind = sum(first == one for first, _ in worse)
                assert panel.places[one] == (1 + before, len(panel.order) - behind)
            leaders = [tier[0] for tier in panel.tiers]
            assert all((a, b) in worse for a, b in itertools.pairwise(leaders))
            for tier in panel.tiers:
                assert not any((tier[0], other) in worse for other in tier[1:])


def test_more_data_as_foretold_would_show_the_difference() -> None:
    rng = np.random.default_rng(11)
    values = rng.normal(0, 1, (1, 200, 2)) + np.array([0.0, 0.1])
    found = verdicts_of(long(values), better="higher", margin=0.01)
    (own,) = found.sets[0].pairs.values()
    times = math.ceil(own.needed.data_to_show)
    assert own.verdict.shown is None and 1 < times < 100
    shown = 0
    for _ in range(100):
        drawn = rng.normal(own.difference, own.se * math.sqrt(own.n), own.n * times)
        shown += bool(stats.ttest_1samp(drawn, 0).pvalue < 0.05)
    assert 0.6 <= shown / 100 <= 0.95  # it was to be .8


def false_alarms(unit: str, draws: int, tmp_path: Path) -> float:
    """Return the share of tables of equally good methods with any method shown worse."""
    rng, wrong = np.random.default_rng(3), 0
    options = {"items": {}, "sets": {}}[unit]
    shape = {"items": (1, 60, 5), "sets": (14, 1, 5)}[unit]
    frame = long(np.zeros(shape))
    frame = frame if unit == "items" else frame.drop(columns="item")
    file = tmp_path / "t.parquet"
    frame.to_parquet(file)
    asked = VerdictOptions(better="higher", **options)
    table = results(file, asked)
    for _ in range(draws):
        drawn = rng.normal(0, 1, shape) + rng.normal(0, 1, (*shape[:2], 1))
        for one, own in zip(table.sets, drawn, strict=True):
            one.values[:] = own
        found = judge(table, None)
        wrong += any(own.verdict.shown for p in found.main for own in p.pairs.values())
    return wrong / draws


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["items", "sets"])
def test_equal_methods_are_told_apart_in_one_table_of_twenty(unit: str, tmp_path: Path) -> None:
    share = false_alarms(unit, 1_000, tmp_path)
    assert share <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 1_000)


def test_nothing_to_judge_by_is_said() -> None:
    frame = pd.DataFrame({"model": ["x", "y"], "accuracy": [0.9, 0.8]})
    with pytest.raises(DataError, match="single splits or items, standard errors, or at least 3"):
        rankexp.verdicts(frame)


def test_a_million_values_stay_small(tmp_path: Path) -> None:
    """A smaller table of the same form; the benchmark has the whole of it."""
    values = np.random.default_rng(0).normal(0.8, 0.02, (10, 100, 8))
    file = tmp_path / "t.csv"
    long(values).to_csv(file, index=False)
    assert len(answered(file, VerdictOptions()).found.sets) == 10
