"""The top of ranked lists against plain definitions over every order, and the literature."""

import itertools
import math
import warnings
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.calibration import CalibratedClassifierCV
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, ndcg_score, roc_auc_score

from rankexp.metrics import (
    RankScorer,
    UndefinedMetricWarning,
    auc,
    dcg,
    err,
    mean_average_precision,
    mrr,
    ndcg,
    partial_auc,
    precision,
    ptop,
    recall,
)
from rankexp.metrics.metric import parse

Levels = Sequence[int]


def plain_dcg(y: Levels, k: int, gain: str = "exponential", discount: str = "log2") -> float:
    gains = [2**level - 1 if gain == "exponential" else level for level in y]
    logs = [math.log2(1 + i) if discount == "log2" else math.log2(max(i, 2)) for i in ranks(y)]
    return sum(g / d for g, d in list(zip(gains, logs, strict=True))[:k])


def ranks(y: Levels) -> range:
    return range(1, len(y) + 1)


def plain_ndcg(y: Levels, k: int) -> float:
    return plain_dcg(y, k) / plain_dcg(sorted(y, reverse=True), k)


def plain_map(y: Levels, relevant: int = 1) -> float:
    hits = [level >= relevant for level in y]
    return sum(sum(hits[:i]) / i for i in ranks(y) if hits[i - 1]) / sum(hits)


def plain_mrr(y: Levels, k: int = 99) -> float:
    return next((1 / i for i in ranks(y[:k]) if y[i - 1] > 0), 0.0)


def plain_err(y: Levels, k: int = 99, highest: int = 2) -> float:
    on, total = 1.0, 0.0
    for i in ranks(y[:k]):
        stop = (2 ** y[i - 1] - 1) / 2**highest
        total += on * stop / i
        on *= 1 - stop
    return total


def plain_ptop(y: Levels) -> float:
    first = next((i for i, level in enumerate(y) if level == 0), len(y))
    return first / sum(level > 0 for level in y)


PLAIN: dict[str, Callable[[Levels], float]] = {
    "dcg": lambda y: plain_dcg(y, 99),
    "dcg@3(gain=linear, discount=letor)": lambda y: plain_dcg(y, 3, "linear", "letor"),
    "ndcg": lambda y: plain_ndcg(y, 99),
    "ndcg@2": lambda y: plain_ndcg(y, 2),
    "map": plain_map,
    "map(relevant=2)": lambda y: plain_map(y, 2) if max(y) == 2 else 0.0,
    "precision": lambda y: sum(map(bool, y[: sum(map(bool, y))])) / sum(map(bool, y)),
    "recall": lambda y: sum(map(bool, y[: sum(map(bool, y))])) / sum(map(bool, y)),
    "precision@3": lambda y: sum(level > 0 for level in y[:3]) / 3,
    "recall@3": lambda y: sum(level > 0 for level in y[:3]) / sum(level > 0 for level in y),
    "mrr": plain_mrr,
    "mrr@3": lambda y: plain_mrr(y, 3),
    "mrr(form=sum)": lambda y: sum((y[i - 1] > 0) / i for i in ranks(y)),
    "err": plain_err,
    "err@3": lambda y: plain_err(y, 3),
    "ptop": plain_ptop,
}


def orders(y: Levels, s: Sequence[float]) -> Iterator[list[int]]:
    """Give the levels down the list, for every order of equal scores."""
    for order in itertools.permutations(range(len(y))):
        if all(s[a] >= s[b] for a, b in itertools.pairwise(order)):
            yield [y[i] for i in order]


def with_ties(text: str, ties: str) -> str:
    return f"{text[:-1]}, ties={ties})" if text.endswith(")") else f"{text}(ties={ties})"


lists = st.integers(1, 6).flatmap(
    lambda n: st.tuples(
        st.lists(st.integers(0, 2), min_size=n, max_size=n),
        st.lists(st.integers(0, 2), min_size=n, max_size=n),
    )
)


@settings(max_examples=12)
@given(st.lists(lists, min_size=1, max_size=3))
def test_ties_are_what_all_orders_say(queries: list[tuple[list[int], list[int]]]) -> None:
    y = np.concatenate([q[0] for q in queries])
    s = np.concatenate([q[1] for q in queries]).astype(float)
    groups = np.repeat(np.arange(len(queries)), [len(q[0]) for q in queries])
    stand = [[q[0][i] for i in np.argsort(-np.array(q[1]), kind="stable")] for q in queries]
    back = [
        [q[0][i] for i in np.lexsort((-np.arange(len(q[1])), -np.array(q[1])))] for q in queries
    ]
    every = [list(orders(*q)) for q in queries]
    for text, plain in PLAIN.items():
        told = [[plain(o) if max(o) else 0.0 for o in query] for query in every]
        expected = {
            "reversed": [plain(order) if max(order) else 0.0 for order in back],
            "expected": [sum(values) / len(values) for values in told],
            "best": [max(values) for values in told],
            "worst": [min(values) for values in told],
            "order": [plain(order) if max(order) else 0.0 for order in stand],
        }
        for ties, values in expected.items():
            metric = parse(with_ties(text, ties))
            found = metric.each(y=y, scores=s, groups=groups, levels=3)
            np.testing.assert_allclose(
                found[:, 0], values, rtol=0, atol=1e-12, err_msg=repr(metric)
            )
            mean = metric(y=y, scores=s, groups=groups, levels=3)
            assert mean == pytest.approx(sum(values) / len(values), abs=1e-12)


def test_seven_ties_of_three_levels() -> None:
    y, s = [0, 2, 1, 0, 1, 2, 0], [0.0] * 7
    for text, plain in PLAIN.items():
        values = [plain(list(order)) for order in itertools.permutations(y)]
        expected = sum(values) / len(values)
        assert parse(text)(y=y, scores=s, levels=3) == pytest.approx(expected, abs=1e-12), text


def test_large_blocks_of_ties_are_what_sampling_says() -> None:
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1, 2], [150, 30, 20])
    drawn = np.array([(plain_err(o := rng.permutation(y)), plain_mrr(o)) for _ in range(4000)])
    exact = np.array([err(y, np.zeros(200)), mrr(y, np.zeros(200))])
    error = drawn.std(axis=0) / math.sqrt(len(drawn))
    assert (np.abs(drawn.mean(axis=0) - exact) < 4 * error).all()
    both = err(np.tile(y, 2), np.zeros(400), groups=np.repeat([5, 3], 200))
    assert both == pytest.approx(exact[0], rel=1e-13)


def test_the_first_of_many_ties_is_hypergeometric() -> None:
    n, r = 3000, 2
    chance = [math.comb(n - i, r - 1) / math.comb(n, r) for i in range(1, n + 1)]
    expected = math.fsum(p / i for i, p in enumerate(chance, 1))
    assert mrr(np.arange(n) < r, np.ones(n)) == pytest.approx(expected, rel=1e-12)
    short = math.fsum(p / i for i, p in enumerate(chance[:10], 1))
    assert mrr(np.arange(n) < r, np.ones(n), k=10) == pytest.approx(short, rel=1e-12)


def random(seed: int, queries: int = 9, levels: int = 3) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 30, queries)
    groups = np.repeat(np.arange(queries), sizes)
    y = rng.integers(0, levels, groups.size)
    order = rng.permutation(groups.size)
    return y[order], np.round(rng.standard_normal((groups.size, 3)), 1)[order], groups[order]


def test_ndcg_is_that_of_scikit_learn() -> None:
    """Gains there are those given, so linear; it breaks ties as argsort turned round does."""
    y, s, groups = random(0)
    for k in (None, 1, 5):
        for q in range(9):
            mine = groups == q
            if mine.sum() < 2 or not y[mine].any():
                continue
            theirs = ndcg_score(y[mine][None], s[mine, 0][None], k=k)
            ours = ndcg(y[mine], s[mine, 0], k=k, gain="linear")
            assert ours == pytest.approx(theirs, abs=1e-12)
            untied = np.argsort(s[mine, 0] + 1e-6 * np.arange(mine.sum())).argsort().astype(float)
            theirs = ndcg_score(y[mine][None], untied[None], k=k, ignore_ties=True)
            reverse = slice(None, None, -1)  # the last of ties comes first
            ours = ndcg(y[mine][reverse], s[mine, 0][reverse], k=k, gain="linear", ties="order")
            assert ours == pytest.approx(theirs, abs=1e-12)


def test_map_is_that_of_scikit_learn_without_ties() -> None:
    """With ties that takes the precision at the end of each block: no expectation over orders."""
    y, s, groups = random(1)
    s = s[:, 0] + 1e-3 * np.random.default_rng(0).random(y.size)
    theirs = [
        average_precision_score(y[groups == q] > 0, s[groups == q])
        if y[groups == q].any()
        else 0.0
        for q in range(9)
    ]
    assert mean_average_precision(y, s, groups) == pytest.approx(np.mean(theirs), abs=1e-12)
    assert average_precision_score([1, 0], [0, 0]) == 0.5
    assert mean_average_precision([1, 0], [0, 0]) == 0.75


@pytest.mark.parametrize("max_fpr", [0.05, 0.1, 0.35, 0.5, 0.999, 1.0])
def test_partial_auc_is_that_of_scikit_learn(max_fpr: float) -> None:
    y, s, groups = random(2)
    found = parse(f"partial_auc(max_fpr={max_fpr})").each(y=y, scores=s, groups=groups)
    for q, column in itertools.product(range(9), range(3)):
        positive, scores = y[groups == q] > 0, s[groups == q, column]
        if positive.all() or not positive.any():
            assert math.isnan(found[q, column])
            continue
        theirs = roc_auc_score(positive, scores, max_fpr=max_fpr)
        assert found[q, column] == pytest.approx(theirs, abs=1e-12)
    assert partial_auc(y, s[:, 0], max_fpr=1.0) == pytest.approx(auc(y > 0, s[:, 0]))


def test_measures_of_trec_are_those_of_pytrec_eval() -> None:
    reason = "pytrec_eval is no dependency; its order of ties is that of document names"
    pytrec = pytest.importorskip("pytrec_eval", reason=reason)
    y, _, groups = random(3)
    s = np.random.default_rng(3).standard_normal(y.size)
    truth: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    for i, (level, score, q) in enumerate(
        zip(y.tolist(), s.tolist(), groups.tolist(), strict=True)
    ):
        truth.setdefault(str(q), {})[str(i)] = level
        run.setdefault(str(q), {})[str(i)] = score
    asked = {"map", "recip_rank", "P_5", "recall_5", "ndcg_cut_5"}
    theirs = pytrec.RelevanceEvaluator(truth, asked).evaluate(run)
    ours = {"map": "map", "recip_rank": "mrr", "P_5": "precision@5", "recall_5": "recall@5"}
    for name, text in (ours | {"ndcg_cut_5": "ndcg@5(gain=linear)"}).items():
        expected = np.mean([theirs[str(q)][name] for q in range(9)])
        assert parse(text)(y=y, scores=s, groups=groups) == pytest.approx(expected, abs=1e-6)


JARVELIN = [3, 2, 3, 0, 0, 1, 2, 2, 3, 0]


def test_jarvelin_and_kekalainen() -> None:
    """Section 2.2 of their paper (2002): DCG with base 2, and the ideal one, in part cut off."""
    s = -np.arange(10.0)
    printed = [3, 5, 6.89, 6.89, 6.89, 7.28, 7.99, 8.66, 9.61, 9.61]
    found = [dcg(JARVELIN, s, k=k, gain="linear", discount="letor") for k in range(1, 11)]
    np.testing.assert_allclose(found, printed, atol=0.01)
    ideal = [3, 3, 3, 2, 2, 2, 1, 1, 1, 1]
    printed = [3, 6, 7.89, 8.89, 9.75, 10.52, 10.88, 11.21, 11.53, 11.83]
    found = [dcg(ideal, s, k=k, gain="linear", discount="letor") for k in range(1, 11)]
    np.testing.assert_allclose(found, printed, atol=0.01)


def test_croft_metzler_and_strohman() -> None:
    """Search Engines (2010), figures 8.2 and 8.4: the average precision of ranked lists of ten."""

    def ap(*places: int) -> float:
        return mean_average_precision([i in places for i in range(1, 11)], -np.arange(10.0))

    assert round(ap(1, 3, 4, 5, 6, 10), 2) == 0.78
    assert round(ap(2, 5, 6, 7, 9, 10), 2) == 0.52
    assert (round(ap(1, 3, 6, 9, 10), 2), round(ap(2, 5, 7), 2)) == (0.62, 0.44)


def test_by_hand() -> None:
    down = -np.arange(3.0)
    assert err([3, 2, 4], down, levels=5) == pytest.approx(
        7 / 16 + 9 / 16 * 3 / 16 / 2 + 9 / 16 * 13 / 16 * 15 / 16 / 3
    )
    assert mrr([0, 0, 1, 0, 1, 0, 1, 0, 0], np.tile(down, 3), np.repeat([1, 2, 3], 3)) == (
        pytest.approx((1 / 3 + 1 / 2 + 1) / 3)
    )
    assert ptop([1, 1, 0, 1, 0], [3, 2, 2, 2, 1]) == pytest.approx((1 + 2 / 2) / 3)
    assert precision([1, 1], [1, 2], k=10) == 0.2
    assert recall([0, 1, 1], down, k=2) == 0.5
    letor = 3 + 1 + 3 / math.log2(3)  # the first two ranks count alike
    assert dcg([2, 1, 2], down, discount="letor") == pytest.approx(letor)
    assert ndcg([2, 2, 1, 0, 0], [9, 9, 5, 1, 1]) == 1.0


NAMES = [*PLAIN, "partial_auc", "ndcg(ties=order)", "err(ties=best)"]


@pytest.mark.parametrize("text", NAMES)
def test_what_changes_nothing(text: str) -> None:
    metric = parse(text)
    y, s, groups = random(4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        values = metric(y=y, scores=s, groups=groups)
        kept = metric(y=y, scores=np.exp(3 * s) - 7, groups=groups)
        named = metric(y=y, scores=s, groups=np.array([f"q{9 - g}" for g in groups]))
        spread = metric(y=y, scores=s, groups=groups * 10**12)
        twice = metric(
            y=np.tile(y, 2), scores=np.tile(s, (2, 1)), groups=np.r_[groups, groups + 99]
        )
        each = metric.each(y=y, scores=s, groups=groups)
        alone = [metric(y=y, scores=s[:, j], groups=groups) for j in range(3)]
        one_list = [
            metric.each(y=y[groups == q], scores=s[groups == q], levels=3) for q in range(9)
        ]
        several = metric.each(y=y, scores=s, groups=groups, levels=3)
        words = metric(
            y=np.array(["c", "a", "b"])[y], scores=s, groups=groups, levels=["c", "a", "b"]
        )
    assert alone == values.tolist(), "bit by bit"
    assert kept.tolist() == values.tolist()
    assert words.tolist() == values.tolist()
    assert spread.tolist() == values.tolist()
    np.testing.assert_allclose([named, twice], [values, values], rtol=1e-13)
    np.testing.assert_array_equal(np.concatenate(one_list), several)
    np.testing.assert_array_equal(each, several)


def test_lists_of_very_different_lengths_are_ranked_alike() -> None:
    rng = np.random.default_rng(5)
    y, s = rng.integers(0, 3, 400), rng.integers(0, 9, 400).astype(float)
    groups = np.r_[np.zeros(300, int), np.arange(1, 101)]
    long = groups == 0
    for text in NAMES:
        each = parse(text).each(y=y, scores=s, groups=groups, levels=3)
        alone = parse(text).each(y=y[long], scores=s[long], levels=3)
        np.testing.assert_array_equal(each[0], alone[0], err_msg=text)


def test_queries_without_a_relevant_row() -> None:
    y, s, groups = [0, 0, 1, 0], [1.0, 2.0, 3.0, 1.0], [8, 8, 9, 9]
    for text in ("ndcg", "map", "mrr", "err", "recall", "ptop", "precision@1", "dcg"):
        metric, skip = parse(text), parse(f"{text}(empty=skip)")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            value = metric(y=y, scores=s, groups=groups, levels=2)
            assert np.isnan(skip.each(y=y, scores=s, groups=groups, levels=2)).tolist() == [
                [1],
                [0],
            ]
        with pytest.warns(
            UndefinedMetricWarning, match="1 of 2 groups have no value and are left"
        ):
            assert skip(y=y, scores=s, groups=groups, levels=2) == pytest.approx(2 * value)
        with pytest.warns(UndefinedMetricWarning, match="no value"):
            assert math.isnan(skip(y=[0, 0], scores=[1, 2]))
    with pytest.warns(UndefinedMetricWarning, match="partial AUC: 1 of 2 groups"):
        assert partial_auc(y, s, groups) == 1.0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ndcg([0.5, 1], [1, 2]), "y holds 0.5: expected levels 0, 1, 2"),
        (lambda: ndcg([-2, 1], [1, 2]), "y holds -2"),
        (lambda: ndcg([0, 1], [1, np.nan]), "NaN"),
        (lambda: ndcg([0, 1], [1, 2], groups=[1]), r"groups must be of shape \(2,\)"),
        (lambda: ndcg([0, 1], [1, 2], groups=[1, np.nan]), "none missing"),
        (lambda: ndcg([0, 1], [1, 2], k=0), "k=0: expected 1 or more"),
        (lambda: ndcg([0, 1], [1, 2], ties="random"), "unknown value 'random'"),
        (lambda: ndcg([0, 60], [1, 2]), "above level 50 use gain='linear'"),
        (lambda: err([0, 60], [1, 2]), "the ERR takes levels up to 50"),
        (lambda: mrr([0, 1], [1, 2], levels=2, relevant=2), "relevant=2: .* below 2"),
        (lambda: parse("partial_auc(max_fpr=0.0)"), "max_fpr=0.0"),
        (lambda: parse("ndcg@ten"), "expected int"),
        (lambda: ndcg([3, 1], [1, 2], levels=3), "must hold codes"),
        (lambda: ndcg([0, 5, 1], [1, 2, 3], levels=3), "y holds 5: with levels=3 it must hold"),
        (lambda: err([1, 2, 3], [1, 2, 3], levels=3), "y holds 1: .* other labels give levels="),
        (lambda: ndcg(["a", "b"], [1, 2]), "no order of their own"),
        (lambda: ndcg([], []), "empty"),
    ],
)
def test_what_cannot_be(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_plus_and_minus_one_are_one_and_zero() -> None:
    y = np.array([1, -1, 1, -1])
    for levels in (None, 2):
        assert ndcg(y, [1, 2, 3, 4], levels=levels) == ndcg(y > 0, [1, 2, 3, 4])
    assert ndcg([-1, -1], [1, 2], levels=2) == 0.0
    assert ndcg([1, 1], [1, 2]) == 1.0


def test_a_scorer_takes_the_last_level_as_relevant() -> None:
    X, y = np.array([[0.0], [1.0], [2.0], [0.5]]), ["stay", "churn", "churn", "stay"]
    model = LogisticRegression().fit(X, y)
    for levels in (["stay", "churn"], ["churn", "stay"]):
        for scores in (model, CalibratedClassifierCV(model, cv=2).fit(X, y)):
            best = RankScorer("ndcg", levels)(scores, X, y)
            assert best == 1.0, "churn, or stay, is at the top"
            assert RankScorer("auc", levels)(scores, X, y) == 1.0
    upside_down = LogisticRegression().fit(X, ["churn", "stay", "stay", "churn"])
    lost = RankScorer("precision@1", ["stay", "churn"])(upside_down, X, y)
    assert lost == 0.0
