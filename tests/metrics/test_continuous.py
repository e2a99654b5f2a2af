import itertools
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from rankexp.metrics import auc, d_tau, iauc, kendall_tau_b, mse, one_minus_discordance, u_pairs
from rankexp.metrics.continuous import concordance
from rankexp.metrics.dominance import count_pairs, ordered
from rankexp.metrics.dominance_loops import smaller_before
from rankexp.metrics.metric import UndefinedMetricWarning, parse
from rankexp.studies.clemencon2017.curves.iroc import iroc

laws = settings(max_examples=25)
RANKS = (iauc, d_tau, kendall_tau_b, one_minus_discordance, lambda y, s: iauc(y, s, kind=5))


def won(a, b):
    return 1.0 if a < b else 0.5 if a == b else 0.0


def brute_iauc(y, s):
    triples = [
        won(s[i], s[k])
        for i, j, k in itertools.product(range(len(y)), repeat=3)
        if y[i] < y[j] < y[k]
    ]
    return np.mean(triples)


def brute_definition_2(y, s):
    values = []
    for cut in y:
        pairs = [won(a, b) for a in s[y < cut] for b in s[y > cut]]
        if pairs:
            values.append(np.mean(pairs))
    return np.mean(values)


def brute_pairs(y, s):
    """Return the concordant, the discordant, those with equal scores, and all pairs."""
    signs = [
        (np.sign(y[i] - y[j]) * np.sign(s[i] - s[j]), s[i] == s[j])
        for i, j in itertools.combinations(range(len(y)), 2)
    ]
    products = [sign for sign, _ in signs]
    return products.count(1), products.count(-1), sum(tie for _, tie in signs), len(signs)


@st.composite
def problems(draw, least=3):
    """Targets of three values or more and scores, both with many ties."""
    n = draw(st.integers(least, 16))
    some = st.sampled_from([-2.5, -1.0, 0.0, 0.5, 3.0])
    y = draw(hnp.arrays(np.float64, n, elements=some | st.floats(-4, 4)))
    y[:3] = -1.0, 0.0, 0.5
    return y, draw(hnp.arrays(np.float64, n, elements=some | st.floats(-4, 4)))


@given(problem=problems())
@laws
def test_equals_brute_force(problem):
    y, s = problem
    concordant, discordant, tied, pairs = brute_pairs(y, s)
    assert iauc(y, s) == pytest.approx(brute_iauc(y, s), abs=1e-13)
    assert iauc(y, s, kind=5) == pytest.approx(brute_definition_2(y, s), abs=1e-13)
    assert d_tau(y, s) == pytest.approx((concordant + tied / 2) / pairs, abs=1e-14)
    assert one_minus_discordance(y, s) == pytest.approx(1 - discordant / pairs, abs=1e-14)


@given(problem=problems())
@laws
def test_counts_equal_brute_force(problem):
    y, s = problem
    by_y = ordered(y)
    pairs = count_pairs(by_y, s)
    assert (pairs.concordant, pairs.discordant, pairs.tied) == brute_pairs(y, s)[:3]
    for value in np.unique(y):
        level, rows = y[by_y.order] == value, y == value
        below = sum(2 * won(a, b) for a in s[y < value] for b in s[rows])
        above = sum(2 * won(b, a) for a in s[y > value] for b in s[rows])
        assert pairs.won_below[level].sum() == below
        assert pairs.won_above[level].sum() == above


@pytest.mark.parametrize("n", [0, 1, 2, 3, 63, 64, 65, 500, 4096, 4097])
def test_smaller_values_before(n):
    ranks = np.random.default_rng(n).permutation(n)
    expected = [int((ranks[:i] < ranks[i]).sum()) for i in range(n)]
    assert smaller_before(ranks).tolist() == expected


@pytest.mark.filterwarnings("ignore::rankexp.metrics.metric.UndefinedMetricWarning")
@pytest.mark.parametrize("measure", RANKS)
@given(problem=problems())
@laws
def test_increasing_maps_change_nothing(measure, problem):
    y, s = (np.round(values, 3) for values in problem)  # apart enough that no map merges values
    value = measure(y, s)
    assert measure(y, np.exp(s) + 2 * s) == pytest.approx(value, abs=1e-15, nan_ok=True)
    assert measure(y**3 + y, s) == pytest.approx(value, abs=1e-15, nan_ok=True)
    order = np.random.default_rng(0).permutation(len(y))
    assert measure(y[order], s[order]) == pytest.approx(value, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("kind", [6, 5])
@given(problem=problems())
@laws
def test_reversed_scores_and_targets(kind, problem):
    y, s = problem
    value = iauc(y, s, kind=kind)
    assert iauc(y, -s, kind=kind) == pytest.approx(1 - value, abs=1e-13)
    assert iauc(-y, -s, kind=kind) == pytest.approx(value, abs=1e-13)
    assert iauc(y, y, kind=kind) == pytest.approx(1, abs=1e-13)
    assert iauc(y, np.zeros(len(y)), kind=kind) == pytest.approx(0.5, abs=1e-13)


def test_the_two_equations_differ():
    """By hand: cut-offs 1 and 2 of y = 0..3, with scores that only fail at 0 against 1."""
    y, s = np.arange(4.0), np.array([1.0, 0.0, 2.0, 3.0])
    assert iauc(y, s) == iauc(y, s, kind=5) == 1  # no triple has 0 and 1 as its ends
    s = np.array([2.0, 0.0, 1.0, 3.0])  # 0 above 2, which are the ends of (0, 1, 2) alone
    assert iauc(y, s) == 0.75
    assert iauc(y, s, kind=5) == 0.75
    y, s = np.arange(5.0), np.array([2.0, 0.0, 1.0, 3.0, 4.0])
    assert iauc(y, s) == 0.9  # of 10 triples (0, 1, 2) is lost
    assert iauc(y, s, kind=5) == pytest.approx((2 / 3 + 1 + 1) / 3)


def test_three_levels_make_it_an_auc_of_the_outer_two():
    rng = np.random.default_rng(0)
    y, s = rng.integers(0, 3, 200), np.round(rng.standard_normal(200), 1)
    outer = y != 1
    for kind in (5, 6):
        assert iauc(y, s, kind=kind) == pytest.approx(auc(y[outer], s[outer]), abs=1e-14)


def test_two_targets_of_d_tau():
    """Remark 2: 2 p (1 - p) AUC = d_tau without ties in the scores."""
    rng = np.random.default_rng(1)
    y = np.arange(50) < 20
    s = rng.standard_normal(50)
    assert d_tau(y, s) == pytest.approx(2 * 20 * 30 / (50 * 49) * auc(y, s), abs=1e-14)


@given(problem=problems())
@laws
def test_the_area_under_the_iroc_curve_is_the_iauc(problem):
    y, s = problem
    x, value = iroc(y, s)
    area = np.sum(np.diff(x) * (value[1:] + value[:-1]) / 2)
    assert area == pytest.approx(iauc(y, s, kind=5), abs=1e-12)
    assert (x[0], x[-1]) == (0, 1)
    assert value[0] == pytest.approx(0, abs=1e-12)
    assert value[-1] == pytest.approx(1, abs=1e-12)
    assert (np.diff(x) >= 0).all()
    assert (np.diff(value) >= -1e-12).all()
    corners = np.unique(x)
    top = [value[x == corner].max() for corner in corners]
    assert iroc(y, s, corners)[1] == pytest.approx(top, abs=1e-9)


def test_the_iroc_curve_on_a_grid():
    y, s = np.arange(4.0), np.array([2.0, 0.0, 1.0, 3.0])
    # cut-off 1: scores 2 | 1, 3; cut-off 2: 2, 0 | 3
    grid, value = iroc(y, s, [0, 0.25, 0.999, 1])
    assert value.tolist() == [0.75, 0.75, 0.75, 1]
    assert grid.tolist() == [0, 0.25, 0.999, 1]
    assert iroc(y, np.zeros(4), [0, 0.3, 1])[1] == pytest.approx([0, 0.3, 1])
    with pytest.raises(ValueError, match="fewer than three values"):
        iroc([0, 1, 1], [1, 2, 3])
    with pytest.raises(ValueError, match="grid"):
        iroc(y, s, [0, 2])
    with pytest.raises(ValueError, match="NaN"):
        iroc([0, 1, np.nan], [1, 2, 3])
    with pytest.raises(ValueError, match=r"must be \(n,\)"):
        iroc(y, [s])


@pytest.mark.parametrize("measure", RANKS)
def test_a_column_has_the_same_bits_in_a_batch(measure):
    rng = np.random.default_rng(1)
    y = np.round(rng.standard_normal(301), 1)
    many = np.round(rng.standard_normal((301, 5)) + y[:, None], 1)
    together = measure(y, many)
    assert together.tolist() == [measure(y, column) for column in many.T]
    assert together.tolist() == measure(y, np.asfortranarray(many)).tolist()
    assert measure(y, np.empty((301, 0))).shape == (0,)


def test_neighbours_in_double_precision_are_told_apart():
    y = 0.3264 + np.arange(50) * 2**-54
    assert iauc(y, np.arange(50)) == 1
    assert d_tau(y, np.arange(50)) == 1


def test_many_triples_do_not_overflow():
    n = 300_000  # 9e15 triples
    y = np.arange(n)
    assert iauc(y, y) == 1
    assert iauc(y, -y) == 0
    swapped = y.copy()
    swapped[[0, 2]] = 2, 0  # of all triples (0, 1, 2) is lost
    assert 0 < 1 - iauc(y, swapped) < 1e-15


def test_mse_and_its_scale():
    m, s = np.array([0.0, 0.5, 1.0]), np.array([[0, 8], [4, 8], [8, 8.0]])
    assert mse(s[:, 0] / 8, m) == 0
    assert mse(s, m, {"score_scale": 8}).tolist() == [0, pytest.approx(1.25 / 3)]
    assert mse(s, m, {"score_scale": [8, 16]}).tolist() == [0, pytest.approx(0.5 / 3)]
    assert mse(s[:, 0], m, {"score_scale": 8}) == 0
    assert parse("mse")(y=m, scores=s[:, 0], reference=m, fitted={"score_scale": [8.0]}) == 0
    with pytest.raises(ValueError, match="score_scale must be positive"):
        mse(s, m, {"score_scale": 0})
    with pytest.raises(TypeError, match="'mse' needs reference"):
        parse("mse")(y=m, scores=s)


def test_names():
    assert repr(parse("iauc(kind=6)")) == "iauc"
    assert repr(parse(" iauc( kind=5 )")) == "iauc(kind=5)"
    assert parse("iauc").kinds == ("ordinal", "continuous")
    with pytest.raises(ValueError, match="unknown value '4'"):
        parse("iauc(kind=4)")
    with pytest.raises(ValueError, match="expected 6 or 5"):
        iauc([0, 1, 2], [0, 1, 2], kind=4)


@pytest.mark.parametrize(
    ("measure", "y", "s"),
    [
        (iauc, [0, 1, 1, 0], [1, 2, 3, 4]),
        (iauc, [2, 2], [1, 2]),
        (d_tau, [1], [1]),
        (one_minus_discordance, [1], [1]),
        (kendall_tau_b, [1, 1], [1, 2]),
        (kendall_tau_b, [1, 2], [1, 1]),
    ],
)
def test_undefined_values_are_nan(measure, y, s):
    with pytest.warns(UndefinedMetricWarning, match="NaN"):
        assert np.isnan(measure(y, s))
    with pytest.warns(UndefinedMetricWarning):
        assert np.isnan(measure(y, np.column_stack((s, s)))).all()


@pytest.mark.parametrize("measure", [*RANKS, lambda y, s: mse(s, y)])
@pytest.mark.parametrize(
    ("y", "s", "message"),
    [
        ([0, 1, 2], [0, np.nan, 1], "scores hold NaN"),
        ([0, np.nan, 2], [0, 1, 2], "holds NaN"),
        ([0, 1], [0, 1, 2], r"got (y|reference) \(2,\) and scores \(3,\)"),
        ([], [], "is empty"),
        (["a", "b", "c"], [0, 1, 2], "must be numbers"),
    ],
)
def test_bad_input_is_refused(measure, y, s, message):
    with pytest.raises(ValueError, match=message):
        measure(y, s)


def test_no_warning_on_good_input():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert iauc([0, 1, 2], [-np.inf, 0, np.inf]) == 1
        assert iauc([0, 1, 2], [0, 0, 1], kind=5) == 1


@laws
@given(hnp.arrays(np.int64, st.integers(2, 30), elements=st.integers(0, 4)), st.data())
def test_concordance_is_u_pairs_of_the_values(y, draw):
    s = draw.draw(hnp.arrays(np.int64, y.size, elements=st.integers(0, 4)))
    if np.ptp(y) == 0:
        with pytest.warns(UndefinedMetricWarning, match="y is constant"):
            assert np.isnan(concordance(y, s))
    else:
        assert concordance(y, s) == pytest.approx(u_pairs(y, s), abs=1e-15)


@laws
@given(st.permutations(range(12)), hnp.arrays(np.int64, (12, 3), elements=st.integers(0, 5)))
def test_concordance_is_d_tau_where_nothing_ties_in_y(y, s):
    assert concordance(y, s) == pytest.approx(d_tau(y, s), abs=1e-15)
    assert concordance(y, s[:, 0]) == concordance(y, s)[0]


@laws
@given(hnp.arrays(np.int64, 12, elements=st.integers(0, 4)), st.permutations(range(12)))
def test_concordance_is_d_tau_over_the_share_of_pairs_that_differ(y, s):
    """Without ties in the scores, which `d_tau` counts 1/2 also where y ties."""
    differ = 1 - sum(c * (c - 1) for c in np.bincount(y)) / (12 * 11)
    if differ:
        assert concordance(y, s) * differ == pytest.approx(d_tau(y, s), abs=1e-12)


def test_a_constant_has_one_half_whatever_ties():
    y = np.array([0] * 90 + list(range(1, 11)))
    assert concordance(y, np.zeros(100)) == 0.5 and concordance(y, y) == 1.0
    noisy = y + np.linspace(0, 0.5, 100)  # nothing ties
    assert concordance(y, noisy) == 1.0 and d_tau(y, noisy) < 0.2 < d_tau(y, np.zeros(100))
