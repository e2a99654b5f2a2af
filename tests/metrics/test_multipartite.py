"""Measures of K levels beside brute force over pairs and tuples."""

import itertools
import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.metrics import roc_auc_score

from rankexp.metrics import auc, d_tau, pair_risk, u_cons, u_ovo, u_pairs, vus
from rankexp.metrics.metric import UndefinedMetricWarning, parse

laws = settings(max_examples=30)
TIES = {"expected": 0.5, "worst": 0.0, "best": 1.0}
ALL = [u_ovo, u_cons, u_pairs, pair_risk, vus]


def won(low, high, tie):
    return [1.0 if a < b else tie if a == b else 0.0 for a in low for b in high]


def mean(values):
    return sum(values) / len(values)


def brute(y, s, ties):
    """Return every measure by enumeration; all levels have examples."""
    tie, K = TIES[ties], int(y.max()) + 1
    of = [s[y == k].tolist() for k in range(K)]
    pairs = [won(of[j], of[i], tie) for j, i in itertools.combinations(range(K), 2)]
    cuts = [won(s[y < k].tolist(), s[y >= k].tolist(), tie) for k in range(1, K)]
    tuples = []
    for row in itertools.product(*of):
        runs = [len(list(run)) for _, run in itertools.groupby(row)]
        chance = {
            "expected": math.prod(1 / math.factorial(m) for m in runs),
            "worst": float(max(runs) == 1),
            "best": 1.0,
        }[ties]
        tuples.append(chance if list(row) == sorted(row) else 0.0)
    return {
        u_ovo: mean([mean(p) for p in pairs]),
        u_cons: mean([mean(c) for c in cuts]),
        u_pairs: mean([*itertools.chain(*pairs)]),
        pair_risk: 1 - mean([*itertools.chain(*pairs)]),
        vus: mean(tuples),
    }


@st.composite
def problems(draw, largest=4):
    """Codes of 2 to 4 levels, each with an example, and scores with many ties and infinities."""
    K = draw(st.integers(2, largest))
    n = draw(st.integers(K, 14))
    y = np.array(draw(st.lists(st.integers(0, K - 1), min_size=n, max_size=n)))
    y[:K] = np.arange(K)
    values = st.sampled_from([-np.inf, -1.5, -0.0, 0.0, 1e-300, 0.25, 2.0, np.inf])
    return y, draw(hnp.arrays(np.float64, n, elements=values | st.floats(-2, 2)))


@pytest.mark.parametrize("ties", TIES)
@given(problem=problems())
@laws
def test_equal_brute_force(ties, problem):
    y, s = problem
    for metric, expected in brute(y, s, ties).items():
        assert metric(y, s, ties=ties) == pytest.approx(expected, abs=1e-13)


@given(problem=problems(), data=st.data())
@laws
def test_costs_weigh_pairs(problem, data):
    y, s = problem
    K = int(y.max()) + 1
    entries = data.draw(
        st.lists(st.integers(0, 5), min_size=K * (K - 1) // 2, max_size=K * (K - 1) // 2)
    )
    costs = np.zeros((K, K))
    costs[np.triu_indices(K, 1)] = entries
    lost = total = 0.0
    for a, b in itertools.product(range(len(y)), repeat=2):
        if y[a] < y[b]:
            total += costs[y[a], y[b]]
            lost += costs[y[a], y[b]] * (1.0 - won([s[a]], [s[b]], 0.5)[0])
    text = " ".join(map(str, entries))
    if total == 0.0:
        error = pytest.warns(UndefinedMetricWarning) if any(entries) else pytest.raises(ValueError)
        with error:
            pair_risk(y, s, costs=text)
        return
    assert pair_risk(y, s, costs=costs) == pytest.approx(lost / total, abs=1e-13)
    assert pair_risk(y, s, costs=text) == pair_risk(y, s, costs=costs)


@given(problem=problems())
@laws
def test_laws(problem):
    y, s = problem
    top = int(y.max())
    order = np.random.default_rng(0).permutation(len(y))
    for metric in ALL:
        value = metric(y, s)
        same = pytest.approx(value, abs=1e-14)
        assert 0 <= value <= 1
        assert metric(y, 4 * s) == value  # increasing without merging neighbours
        assert metric(2.5 * y - 7, s) == value
        assert metric(y[order], s[order]) == value
        assert metric(top - y, -s) == same  # everything turned round
        assert metric(y, s, levels=top + 1) == value
    for metric in (u_ovo, u_cons, u_pairs):
        assert metric(y, -s) == pytest.approx(1 - metric(y, s), abs=1e-14)
        middle = (metric(y, s, ties="worst") + metric(y, s, ties="best")) / 2
        assert metric(y, s) == pytest.approx(middle, abs=1e-14)
    assert pair_risk(y, s) == pytest.approx(1 - u_pairs(y, s), abs=1e-14)


@given(problem=problems(largest=2))
@laws
def test_two_levels_are_the_auc(problem):
    y, s = problem
    for metric in (u_ovo, u_cons, u_pairs, vus):
        for ties in TIES:
            assert metric(y, s, ties=ties) == pytest.approx(auc(y, s, ties=ties), abs=1e-14)


def test_u_ovo_is_the_mean_of_scikit_learn_over_pairs_of_levels():
    rng = np.random.default_rng(0)
    y = rng.choice(5, size=2000, p=[0.05, 0.4, 0.3, 0.2, 0.05])
    s = np.round(rng.standard_normal(2000) + 0.4 * y, 1)
    each = []
    for j, i in itertools.combinations(range(5), 2):
        both = (y == j) | (y == i)
        each.append(roc_auc_score(y[both] == i, s[both]))
    assert u_ovo(y, s) == pytest.approx(np.mean(each), abs=1e-12)


def test_u_pairs_is_d_tau_without_the_pairs_of_one_level():
    rng = np.random.default_rng(1)
    y, s = rng.integers(0, 4, 500), rng.permutation(500)
    sizes = np.bincount(y)
    share = (500**2 - (sizes**2).sum()) / (500 * 499)
    assert u_pairs(y, s) * share == pytest.approx(d_tau(y, s), abs=1e-12)


def test_scores_that_know_nothing():
    y = np.repeat(np.arange(6), [1, 4, 2, 7, 3, 5])
    s = np.zeros(len(y))
    for metric in (u_ovo, u_cons, u_pairs, pair_risk):
        assert metric(y, s) == 0.5
    assert vus(y, s) == pytest.approx(1 / math.factorial(6))


@pytest.mark.parametrize("metric", ALL)
def test_a_column_has_the_same_bits_in_a_batch(metric):
    rng = np.random.default_rng(2)
    y = rng.integers(0, 4, 301)
    many = np.round(rng.standard_normal((301, 6)), 1)
    many[:, 3] = rng.standard_normal(301)
    together = metric(y, many)
    assert together.tolist() == [metric(y, column) for column in many.T]
    assert metric(y, np.empty((301, 0))).shape == (0,)


@pytest.mark.parametrize(
    ("metric", "terms"),
    [(u_ovo, "7 of 10 pairs of levels"), (u_cons, "1 of 4 cuts"), (vus, "1 of 1 sets of tuples")],
)
def test_missing_levels_leave_terms_out_and_are_counted(metric, terms):
    y, s = np.array([0, 0, 1, 3, 3]), np.array([0.1, 0.4, 0.3, 0.2, 0.5])
    message = f"no example of level 2, 4: {terms}"
    with pytest.warns(UndefinedMetricWarning, match=message) as caught:
        value = metric(y, s, levels=5)
    assert caught[0].filename == __file__
    if metric is vus:
        assert np.isnan(value)
    elif metric is u_ovo:
        assert value == metric(y, s)  # as if the levels were not there
    else:
        assert value == pytest.approx((4 / 6 + 2 * 4 / 6) / 3)  # one cut counts twice


def test_a_level_without_examples_takes_no_pair():
    y, s = np.array([0, 0, 1, 3, 3]), np.array([0.1, 0.4, 0.3, 0.2, 0.5])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert u_pairs(y, s, levels=5) == u_pairs(y, s)
        assert pair_risk(y, s, costs="1 1 1 1 1 1") == pair_risk(y, s)
        assert pair_risk(y, s, levels=4, costs="1 9 2 9 3 9") == pytest.approx(
            (1 + 2 + 3) / (2 + 4 * 2 + 2 * 3)
        )


@pytest.mark.parametrize("metric", ALL)
def test_one_level_is_nan_with_a_warning(metric):
    with pytest.warns(UndefinedMetricWarning, match="y has a single level") as caught:
        assert np.isnan(metric([3, 3], [1, 2]))
    assert caught[0].filename == __file__
    with pytest.warns(UndefinedMetricWarning, match="no example of level 0, 2"):
        assert np.isnan(metric([1, 1], [[1, 2], [1, 2]], levels=3)).tolist() == [True, True]


def test_no_pair_that_costs_anything():
    with pytest.warns(UndefinedMetricWarning, match="1 of 1 sets of pairs that cost"):
        assert np.isnan(pair_risk([0, 1, 1], [1, 2, 3], costs="0 1 1"))


@pytest.mark.parametrize("metric", ALL)
@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"y": [0, 1, np.nan]}, "y holds NaN"),
        ({"scores": [0.0, np.nan, 1]}, "scores hold NaN"),
        ({"y": ["a", "b", "c"]}, "'a', 'b', 'c' have no order of their own: give levels="),
        ({"y": ["a", "b", "c"], "levels": 3}, "no order of their own"),
        (
            {"y": ["a", "b", "c"], "levels": ["b", "a"]},
            "y holds 'c', which is not among the levels",
        ),
        ({"y": [0, 1]}, r"y \(2,\) and scores \(3,\)"),
        ({"y": [], "scores": []}, "y is empty"),
        ({"ties": "order"}, "expected one of expected, worst, best"),
        ({"levels": 2}, "y has 3 values, but there are only 2 levels"),
        ({"levels": 0}, "at least 1"),
        ({"levels": "abc"}, "levels must be a list, .* got 'abc'"),
        ({"y": [1, 2, 3], "levels": 4}, None),
        ({"y": [-1, 1, 1], "levels": 3}, "y has the values -1, 1, fewer than the 3 levels"),
        ({"y": [0, 0.5, 1], "levels": 4}, "must hold codes"),
    ],
)
def test_bad_input_is_refused(metric, given, message):
    arguments = {"y": [0, 1, 2], "scores": [0.0, 0.5, 1.0]} | given
    if message is None:
        arguments["levels"] = 3  # values that are all there need no codes
        assert metric(**arguments) == float(metric is not pair_risk)
        return
    with pytest.raises(ValueError, match=message):
        metric(**arguments)


@pytest.mark.parametrize(
    ("costs", "message"),
    [
        ("1 2", r"K \(K - 1\) / 2 numbers"),
        ("1 two 1", "as in '1 2 1'"),
        ("", "as in '1 2 1'"),
        ("1 -1 1", ">= 0"),
        ("1 nan 1", "finite"),
        ([[0, 1], [1, 0]], "3 values, but there are only 2"),
        ([[0, 1, 1]], r"shape \(1, 1\)"),
        ("1 2 3 4 5 6", None),
    ],
)
def test_bad_costs_are_refused(costs, message):
    y, s = [0, 1, 2], [0, 1, 2]
    if message is None:
        assert pair_risk(y, s, costs=costs) == 0  # codes of three levels of four
        with pytest.raises(ValueError, match="costs are for 4 levels, but there are 3"):
            pair_risk(y, s, levels=3, costs=costs)
        return
    with pytest.raises(ValueError, match=message):
        pair_risk(y, s, costs=costs)


def test_costs_are_written_in_a_configuration():
    metric = parse("pair_risk(costs=1 2 1)")
    assert repr(metric) == "pair_risk(costs=1 2 1)"
    assert parse(repr(metric)) == metric
    assert metric(y=[0, 1, 2], scores=[2, 1, 3], levels=3) == 1 / 4
    assert parse("pair_risk(costs=3)")(y=[0, 1], scores=[2, 1]) == 1
    assert "levels" in metric.takes
    assert "levels" not in metric.needs


def test_many_pairs_do_not_overflow():
    y = np.repeat([0, 1, 2, 3], 100_000)
    for metric in (u_ovo, u_cons, u_pairs):
        assert metric(y, y) == 1
        assert metric(y, -y) == 0
    assert vus(y, y) == pytest.approx(1, abs=1e-12)
    assert vus(y, -y) == 0


def test_a_hundred_levels():
    y = np.arange(300) % 100
    assert vus(y, y) == pytest.approx(1)
    assert vus(y, np.zeros(300)) == pytest.approx(1 / math.factorial(100), abs=0)
    y = np.arange(400) % 200
    assert vus(y, np.zeros(400)) == 0  # 1 / 200! is nothing


@pytest.mark.parametrize("metric", ALL)
def test_levels_are_in_the_order_that_is_given(metric):
    s, codes = [0.3, 0.1, 0.2, 0.5, 0.4], np.array([0, 0, 1, 3, 1])
    words = ["poor", "fair", "good", "excellent"]
    named = [words[code] for code in codes]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        for levels in (words, np.array(words), tuple(words)):
            np.testing.assert_equal(metric(named, s, levels=levels), metric(codes, s, levels=4))
    assert metric([2, 1, 0], [1, 2, 3], levels=[2, 1, 0]) == float(metric is not pair_risk)


def queries(seed=0, n=60):
    rng = np.random.default_rng(seed)
    groups = rng.integers(0, 6, n)
    y, s = rng.integers(0, 3, n), rng.integers(0, 4, (n, 2)).astype(float)
    y[(groups == 1) & (y == 1)] = 2  # this query has no level 1
    y[groups == 4] = 1  # and this one a single level
    return y, s, groups


@pytest.mark.parametrize("metric", [u_ovo, u_cons, u_pairs, pair_risk])
def test_groups_are_averaged_and_those_without_a_value_counted(metric):
    y, s, groups = queries()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        each = np.array([metric(y[groups == g], s[groups == g], levels=3) for g in range(6)])
    assert np.isnan(each).all(axis=1).tolist() == [g == 4 for g in range(6)]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        value = metric(y, s, groups=np.array([f"q{g}" for g in groups]))
    np.testing.assert_allclose(value, np.nanmean(each, axis=0), rtol=1e-13)
    texts = [str(w.message) for w in caught]
    name = metric.__name__
    assert f"{name}: 1 of 6 groups have no value and are left out" in texts
    partly = {u_ovo: "2 of their 3 pairs of levels left out"}.get(metric)
    assert len(texts) == 1 + (partly is not None)
    assert partly is None or f"{name}: 1 of 6 groups lack levels: {partly}" in texts
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        alone = [metric(y, s[:, j], groups=groups) for j in range(2)]
    assert value.tolist() == alone


def test_a_query_without_a_level_has_no_other_levels():
    y, s, groups = [0, 2, 0, 1, 2], [1.0, 2.0, 1.0, 3.0, 2.0], [0, 0, 1, 1, 1]
    with pytest.warns(UndefinedMetricWarning, match="2 of their 3 pairs"):
        assert u_ovo(y, s, groups=groups) == pytest.approx((1 + 2 / 3) / 2)
    costly = pair_risk(y, s, costs="1 9 1", groups=groups)
    assert costly == pytest.approx((0 + 1 / 11) / 2), "0 and 2 are two levels apart in both"


@pytest.mark.parametrize("ties", TIES)
def test_pairs_within_queries_may_count_alike(ties):
    y, s, groups = queries(1)
    s = s[:, 0]
    inside = [
        (y[i], y[j], {True: 1.0, False: 0.0}[s[i] < s[j]] if s[i] != s[j] else TIES[ties])
        for i, j in itertools.product(range(len(y)), repeat=2)
        if y[i] < y[j] and groups[i] == groups[j]
    ]
    given = {"groups": groups, "ties": ties, "queries": "pairs"}
    assert u_pairs(y, s, **given) == pytest.approx(mean([won for *_, won in inside]))
    assert pair_risk(y, s, **given) == pytest.approx(1 - mean([won for *_, won in inside]))
    both = [[w for a, b, w in inside if (a, b) == pair] for pair in ((0, 1), (0, 2), (1, 2))]
    assert u_ovo(y, s, **given) == pytest.approx(mean(map_mean(both)))
    cuts = [[w for a, b, w in inside if a < k <= b] for k in (1, 2)]
    assert u_cons(y, s, **given) == pytest.approx(mean(map_mean(cuts)))


def map_mean(rows):
    return [mean(row) for row in rows]


def test_groups_that_cannot_be():
    with pytest.raises(ValueError, match="queries='all': expected one of each, pairs"):
        u_pairs([0, 1], [1, 2], groups=[1, 1], queries="all")
    with pytest.raises(ValueError, match=r"groups must be of shape \(2,\)"):
        u_pairs([0, 1], [1, 2], groups=[1])
    for rule in ("each", "pairs"):
        with pytest.warns(UndefinedMetricWarning, match="no value|no pair within a group"):
            assert np.isnan(u_pairs([0, 1], [1, 2], groups=[1, 2], queries=rule))


WEIGHTED = [u_ovo, u_cons, u_pairs]


@pytest.mark.filterwarnings("ignore::rankexp.metrics.metric.UndefinedMetricWarning")
@pytest.mark.parametrize("metric", WEIGHTED)
@laws
@given(
    hnp.arrays(np.int64, (9, 4), elements=st.integers(0, 3)),
    st.sampled_from(list(TIES)),
    st.sampled_from([None, "each", "pairs"]),
    st.sampled_from([1.0, 3e200, 2.0**-300]),
)
def test_a_weight_of_k_has_the_bits_of_k_copies(metric, columns, ties, queries, unit):
    y, s, weight, groups = columns.T
    weight[:2] += 1
    rows = np.repeat(np.arange(9), weight)
    within = {} if queries is None else {"queries": queries}
    told = {"levels": 4, "ties": ties} | within
    own, copied = ({"groups": g} if within else {} for g in (groups, groups[rows]))
    both = np.column_stack([s, -s]) / 7
    found = metric(y, both, sample_weight=weight * unit, **told, **own)
    copies = metric(y[rows], both[rows], **told, **copied)
    if unit != 3e200:  # else the weights are rounded themselves
        np.testing.assert_array_equal(found, copies)
    np.testing.assert_allclose(found, copies, rtol=1e-13, atol=1e-13)


def test_a_pair_counts_the_product_of_its_weights():
    y, s, w = [0, 1, 2, 2], [0.1, 0.4, 0.3, 0.9], [0.5, 2.0, 0.25, 3.0]
    right, wrong = 0.5 * 2 + 0.5 * 0.25 + 0.5 * 3 + 2 * 3, 2 * 0.25
    assert u_pairs(y, s, sample_weight=w) == pytest.approx(right / (right + wrong))
    two = auc([0, 1, 1], [0.4, 0.3, 0.9], sample_weight=[2.0, 0.25, 3.0])
    assert u_ovo(y, s, sample_weight=w) == pytest.approx((1 + 1 + two) / 3)
    assert parse("u_pairs")(y=y, scores=s, sample_weight=w, levels=3, groups=None) < 1


@pytest.mark.parametrize("metric", WEIGHTED)
@pytest.mark.parametrize("weight", [[1, 1], [1, -1, 1], [1, np.inf, 1], [0, 0, 0]])
def test_weights_that_cannot_be(metric, weight):
    with pytest.raises(ValueError, match="sample_weight must be finite, >= 0, not all 0"):
        metric([0, 1, 2], [0.1, 0.2, 0.3], sample_weight=weight)
