"""Sort by degree and QuickSort: orders, calls, expectations by enumeration, and bad input."""

from itertools import permutations, product

import numpy as np
import pytest

from rankexp.preference import (
    PairClassifier,
    above,
    degree_probabilities,
    degrees,
    order_probabilities,
    pair_costs,
    preference_loss,
    preference_matrix,
    quicksort_rank,
    ranking_loss,
    sort_by_degree,
)

CYCLE = np.array([[0.5, 1, 0], [0, 0.5, 1], [1, 0, 0.5]])  # 0 above 1 above 2 above 0


def of_matrix(H):
    """Return a preference function of the numbers of items."""
    return lambda u, v: H[u, v]


def consistent(rng, n, shape=()):
    """Return random preferences, or of those 0/1."""
    H = np.triu(rng.random((*shape, n, n)), 1)
    return H + np.tril(1.0 - H.swapaxes(-1, -2), -1) + np.eye(n) / 2


def tournaments(n):
    """Return all 0/1 preferences, (2^(n (n - 1) / 2), n, n)."""
    upper = np.triu_indices(n, 1)
    H = np.zeros((2 ** len(upper[0]), n, n))
    H[:, *upper] = list(product((0.0, 1.0), repeat=len(upper[0])))
    return H + np.tril(1.0 - H.swapaxes(1, 2), -1)


def by_hand(H, items):
    """Return the probability of each order that QuickSort can give, by its definition."""
    if len(items) < 2:
        return {tuple(items): 1.0}
    found = {}
    for pivot in items:
        rest = [i for i in items if i != pivot]
        for sides in product((0, 1), repeat=len(rest)):
            up = [i for i, side in zip(rest, sides, strict=True) if side]
            down = [i for i, side in zip(rest, sides, strict=True) if not side]
            share = np.prod([H[i, pivot] for i in up]) * np.prod([H[pivot, i] for i in down])
            if share == 0.0:
                continue
            for top, p in by_hand(H, up).items():
                for low, q in by_hand(H, down).items():
                    order = (*top, pivot, *low)
                    found[order] = found.get(order, 0.0) + share * p * q / len(items)
    return found


@pytest.mark.parametrize("hard", [False, True])
@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_probabilities_are_those_of_the_definition(n, hard):
    H = consistent(np.random.default_rng(n), n)
    H = np.round(H) if hard else H
    exact = sum(p * above(order) for order, p in by_hand(H, list(range(n))).items())
    np.testing.assert_allclose(order_probabilities(H), exact, atol=1e-14)


def test_what_is_drawn_has_the_exact_probabilities():
    H, rng, draws = consistent(np.random.default_rng(1), 4), np.random.default_rng(2), 1500
    orders = [quicksort_rank(of_matrix(H), np.arange(4), rng).order for _ in range(draws)]
    seen = dict.fromkeys(permutations(range(4)), 0)
    for order in orders:
        seen[tuple(order.tolist())] += 1
    exact = by_hand(H, [0, 1, 2, 3])
    for order, count in seen.items():
        p = exact.get(order, 0.0)
        assert abs(count / draws - p) < 4 * np.sqrt(p * (1 - p) / draws) + 1e-12


def bipartite_targets(n):
    return [y for y in product((0, 1), repeat=n) if 0 < sum(y) < n]


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_the_expected_bipartite_loss_is_that_of_h(n):
    """(10.33), of 0/1 preferences, all of them, and of probabilistic ones."""
    H = np.concatenate((tournaments(n), consistent(np.random.default_rng(n), n, (50,))))
    P = order_probabilities(H)
    for y in bipartite_targets(n):
        W = pair_costs(y)
        losses = (P * W).sum(axis=(1, 2))
        np.testing.assert_allclose(losses, (H * W).sum(axis=(1, 2)), atol=1e-12, rtol=0)


@pytest.mark.parametrize(("n", "worst"), [(3, 4 / 3), (4, 3 / 2), (5, 8 / 5)])
def test_worst_cases_of_general_targets(n, worst):
    """(10.35) allows 2. By symmetry one target is as good as all."""
    H, W = tournaments(n), pair_costs(-np.arange(n))
    of_h = (H * W).sum(axis=(1, 2))
    ratio = (order_probabilities(H) * W).sum(axis=(1, 2))[of_h > 0] / of_h[of_h > 0]
    assert ratio.max() == pytest.approx(worst, abs=1e-12)


@pytest.mark.parametrize(
    ("ties", "n", "worst", "general"),
    [
        ("adverse", 3, 2.0, 3.0),  # (10.30) is of bipartite targets only
        ("adverse", 4, 2.0, 3.0),
        ("adverse", 5, 2.0, 10 / 3),
        ("half", 3, 1.0, 3 / 2),
        ("half", 4, 4 / 3, 5 / 3),
        ("half", 5, 4 / 3, 1.7),
    ],
)
def test_worst_cases_of_degrees(ties, n, worst, general):
    H = tournaments(n)
    P = degree_probabilities(H, ties)

    def largest(y):
        W = pair_costs(y)
        of_h = (H * W).sum(axis=(1, 2))
        return ((P * W).sum(axis=(1, 2))[of_h > 0] / of_h[of_h > 0]).max()

    bipartite = [largest(np.arange(n) < positives) for positives in range(1, n)]
    assert max(bipartite) == pytest.approx(worst, abs=1e-12)
    assert largest(-np.arange(n)) == pytest.approx(general, abs=1e-12)


def test_theorem_10_5():
    """However a deterministic algorithm ranks a cycle, some target makes it twice as bad as h."""
    of_h = {y: preference_loss(of_matrix(CYCLE), range(3), y) for y in bipartite_targets(3)}
    assert set(of_h.values()) == {0.5}
    for order in permutations(range(3)):
        assert max(ranking_loss(order, y) / loss for y, loss in of_h.items()) == 2.0
    H = order_probabilities(CYCLE)
    for y in bipartite_targets(3):
        assert (H * pair_costs(y)).sum() == pytest.approx(0.5)


def greater(u, v):
    return (u > v) + 0.5 * (u == v)


def test_a_transitive_preference_is_sorted():
    items = np.random.default_rng(0).normal(size=1000)
    expected = np.argsort(-items)
    assert np.array_equal(quicksort_rank(greater, items, 1).order, expected)
    assert np.array_equal(sort_by_degree(greater, items).order, expected)
    for k in (1, 2, 17, 999, 1000):
        assert np.array_equal(quicksort_rank(greater, items, 2, top_k=k).order, expected[:k])


def test_calls_are_counted():
    asked = []

    def counting(u, v):
        asked.append(len(u))
        return greater(u, v)

    items = np.arange(500.0)
    for rank in RANKERS[:2]:
        asked.clear()
        calls = rank(counting, items, check=False).calls
        assert sum(asked) == calls
        asked.clear()
        assert rank(counting, items).calls == calls  # those that check aren't counted
        assert sum(asked) == 2 * calls
    assert sort_by_degree(greater, items).calls == 500 * 499 // 2
    asked.clear()
    many = quicksort_rank(counting, np.arange(5000.0), 0, check=False)
    assert len(asked) < 60 < many.calls  # a call a level


def test_no_pair_is_asked_twice():
    seen = set()

    def once(u, v):
        for pair in zip(u.tolist(), v.tolist(), strict=True):
            assert frozenset(pair) not in seen
            seen.add(frozenset(pair))
        return np.full(len(u), 0.5)

    found = quicksort_rank(once, np.arange(300), 3, check=False)
    assert len(seen) == found.calls
    assert sorted(found.order.tolist()) == list(range(300))


def expected_calls(n):
    return 2 * (n + 1) * (1 / np.arange(1, n + 1)).sum() - 4 * n


@pytest.mark.parametrize("n", [2, 3, 20])
def test_mean_calls_of_few(n):
    rng = np.random.default_rng(n)
    calls = [quicksort_rank(greater, np.arange(n), rng, check=False).calls for _ in range(300)]
    error = np.std(calls) / np.sqrt(len(calls))
    assert abs(np.mean(calls) - expected_calls(n)) < 4 * error + 1e-9


@pytest.mark.slow
def test_mean_calls_of_many():
    rng, items = np.random.default_rng(0), np.arange(100_000)
    calls = [quicksort_rank(greater, items, rng, check=False).calls for _ in range(100)]
    assert np.mean(calls) == pytest.approx(expected_calls(items.size), rel=0.01)


def test_calls_for_the_top():
    """n + k log k: about 2n for few, and less than all; a larger k takes more."""
    rng, n = np.random.default_rng(0), 20_000
    means = []
    for k in (1, 100, 2000, n):
        calls = [
            quicksort_rank(greater, np.arange(n), rng, k, check=False).calls for _ in range(12)
        ]
        means.append(np.mean(calls))
        if k < n:
            assert means[-1] < 3 * n + 2 * k * np.log(k + 1) + 2 * k
    assert 1.6 * n < means[0] < 2.4 * n  # quickselect of the best: 2n
    assert (np.diff(means) > 0).all()


def test_degrees_and_their_ties():
    H = consistent(np.random.default_rng(0), 6)
    expected = H.sum(axis=1) - 0.5
    np.testing.assert_allclose(degrees(of_matrix(H), np.arange(6)), expected, atol=1e-9)
    tied = of_matrix(CYCLE)
    assert sort_by_degree(tied, [2, 0, 1]).order.tolist() == [0, 1, 2]
    rng = np.random.default_rng(0)
    found = {
        tuple(sort_by_degree(tied, range(3), ties="random", rng=rng).order) for _ in range(99)
    }
    assert len(found) == 6
    with pytest.raises(ValueError, match="ties must be 'order' or 'random'"):
        sort_by_degree(tied, range(3), ties="best")


def test_the_matrix_of_a_function():
    H = preference_matrix(of_matrix(CYCLE), np.arange(3))
    assert np.array_equal(H, CYCLE - np.eye(3) / 2)
    assert np.array_equal(above([2, 0, 1]), [[0, 1, 0], [0, 0, 0], [1, 1, 0]])


RANKERS = [
    lambda h, items, **k: quicksort_rank(h, items, 0, **k),
    sort_by_degree,
    lambda h, items, **k: preference_loss(h, items, np.arange(len(items)), **k),
]


@pytest.mark.parametrize("rank", RANKERS)
@pytest.mark.parametrize(
    ("h", "message"),
    [
        (lambda u, v: u > v, r"not consistent: .* = 0 and h\(v, u\) = 0 of items . and .* add up"),
        (lambda u, v: np.full(len(u), np.nan), "is nan: a preference must be in"),
        (lambda u, v: np.full(len(u), 1.5), "is 1.5: a preference"),
        (lambda u, v: np.where(u > v, 1.1, -0.1), "is (1.1|-0.1): a preference"),
        (lambda u, v: 0.5, r"a number for each pair, shape \(\d,\), got shape \(\)"),
        (lambda u, v: np.full(len(u), 0.5 + 1j), "must return real numbers, got complex128"),
        (lambda u, v: np.full(len(u), "a"), "must return real numbers, got <U1"),
    ],
)
def test_a_function_that_is_no_preference(rank, h, message):
    with pytest.raises(ValueError, match=message):
        rank(h, [1.0, 2.0, 2.0])


@pytest.mark.parametrize("rank", RANKERS[:2])
@pytest.mark.parametrize("items", [[], [3.0], 3.0, {1, 2, 3}, (i for i in range(3))])
def test_a_query_of_one_item(rank, items):
    with pytest.raises(ValueError, match=r"a list of two or more items, got ([01]|a \w+)$"):
        rank(greater, items)


@pytest.mark.parametrize("rank", RANKERS)
def test_a_model_in_place_of_its_function(rank):
    with pytest.raises(TypeError, match=r"got PairClassifier; .* its method `preference`"):
        rank(PairClassifier(None), [1.0, 2.0])


@pytest.mark.parametrize("k", [0, -1, 4, 1.5, True, "2"])
def test_an_impossible_top(k):
    with pytest.raises(ValueError, match=r"top_k must be an integer from 1 to .* 3; got"):
        quicksort_rank(greater, [1.0, 2.0, 3.0], 0, top_k=k)


@pytest.mark.parametrize(
    ("H", "message"),
    [
        (np.zeros((2, 3)), "must have shape"),
        (np.full((3, 3), np.nan), r"in \[0, 1\]"),
        (np.ones((3, 3)), "not consistent"),
        (np.full((13, 13), 0.5), "13 items have too many subsets"),
    ],
)
def test_bad_matrices(H, message):
    with pytest.raises(ValueError, match=message):
        order_probabilities(H)
    with pytest.raises(ValueError, match="ties must be"):
        degree_probabilities(CYCLE, "best")


def test_degrees_that_differ_by_rounding_tie():
    H = np.full((5, 5), 0.5)
    H[0, 2:], H[1, 2:] = (0.1, 0.1, 0.6), (0.6, 0.1, 0.1)
    H[2:, 0], H[2:, 1] = 1.0 - H[0, 2:], 1.0 - H[1, 2:]
    np.fill_diagonal(H, 0.0)
    own = H.sum(axis=1)
    assert own[0] != own[1]
    assert degree_probabilities(H)[0, 1] == 0.5
