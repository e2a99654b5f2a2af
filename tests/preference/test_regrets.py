"""Regrets in both notions against enumerations, and the bounds on them."""

from itertools import permutations, product

import numpy as np
import pytest

from rankexp.preference import (
    Query,
    above,
    best_order,
    degree_probabilities,
    order_probabilities,
    pair_costs,
    ranking_loss,
    regrets,
)

CYCLE = np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0.0]])
UP = above([0, 1])


def preferences(rng, n):
    H = np.triu(np.round(rng.random((n, n))), 1)
    return H + np.tril(1.0 - H.T, -1)


def bipartite(rng, n):
    y = np.zeros(n)
    while len(set(y)) < 2:
        y = rng.integers(2, size=n)
    return y


def drawn(rng, items, target, queries=4):
    """Return queries over subsets of three or all of some items, with random targets."""
    shares = rng.dirichlet(np.ones(queries))
    sets = [np.sort(rng.permutation(items)[: rng.choice((3, items))]).tolist() for _ in shares]
    return [Query(X, target(rng, len(X)), p) for X, p in zip(sets, shares, strict=True)]


@pytest.mark.parametrize("n", [2, 3, 5])
def test_the_best_order_is_the_best_of_all(n):
    for seed in range(20):
        W = np.random.default_rng(seed).random((n, n))
        least = min((above(order) * W).sum() for order in permutations(range(n)))
        order, cost = best_order(W)
        assert cost == pytest.approx(least, abs=1e-12)
        assert (above(order) * W).sum() == pytest.approx(least, abs=1e-12)


def test_one_query_by_hand():
    """A cycle and one target: both regrets are the loss, as something fits it."""
    query = [Query("abc", [3, 2, 1])]
    found = regrets(query, [CYCLE])
    assert found == pytest.approx((1 / 3, 1 / 3, 1 / 3))
    assert regrets(query, [order_probabilities(CYCLE)]).ranking == pytest.approx(4 / 9)


def test_both_notions_by_enumeration():
    rng = np.random.default_rng(0)
    for _ in range(10):
        queries = drawn(rng, 4, lambda rng, n: rng.permutation(n))
        answers = [above(rng.permutation(len(query.items))) for query in queries]
        loss = sum(
            q.probability * (q.costs() * P).sum() for q, P in zip(queries, answers, strict=True)
        )

        def of(order, some):
            """Expected loss of what one ranking of all induces."""
            return sum(
                q.probability
                * ranking_loss([list(q.items).index(i) for i in order if i in q.items], q.target)
                for q in some
            )

        best = min(of(order, queries) for order in permutations(range(4)))
        assert regrets(queries, answers).ranking == pytest.approx(loss - best, abs=1e-12)
        sets = {frozenset(q.items) for q in queries}
        apart = [[q for q in queries if frozenset(q.items) == one] for one in sets]
        best = sum(min(of(order, some) for order in permutations(range(4))) for some in apart)
        found = regrets(queries, answers, by_query=True)
        assert found.ranking == pytest.approx(loss - best, abs=1e-12)
        best = 0.0
        for some in apart:
            for pair in permutations(range(4), 2):
                if pair[0] < pair[1]:
                    both = [
                        sum(
                            q.probability
                            * q.costs()[list(q.items).index(u), list(q.items).index(v)]
                            for q in some
                            if u in q.items and v in q.items
                        )
                        for u, v in (pair, pair[::-1])
                    ]
                    best += min(both)
        assert found.preference == pytest.approx(loss - best, abs=1e-12)


def test_regrets_are_ordered():
    """A fixed best thing is no better than one by query; a ranking is a preference function."""
    rng = np.random.default_rng(1)
    for _ in range(50):
        queries = drawn(rng, 4, lambda rng, n: rng.permutation(n))
        answers = [preferences(rng, len(query.items)) for query in queries]
        fixed, each = (regrets(queries, answers, by_query=how) for how in (False, True))
        assert fixed.loss == each.loss
        assert fixed.ranking <= each.ranking + 1e-12
        assert fixed.preference <= each.preference + 1e-12
        assert fixed.ranking <= fixed.preference + 1e-12


def test_bipartite_bounds():
    """(10.31) and (10.34) by query; the best preference function is a ranking there."""
    rng = np.random.default_rng(2)
    for _ in range(60):
        queries = drawn(rng, 4, bipartite)
        H = preferences(rng, 4)
        answers = [H[np.ix_(query.items, query.items)] for query in queries]
        of_h = regrets(queries, answers, by_query=True)
        assert of_h.ranking == pytest.approx(of_h.preference, abs=1e-12)
        sorts = regrets(queries, [order_probabilities(P) for P in answers], by_query=True)
        assert sorts.loss == pytest.approx(of_h.loss, abs=1e-12)  # (10.33)
        assert sorts.ranking <= of_h.preference + 1e-12
        by_degree = [above(np.argsort(-P.sum(axis=1), kind="stable")) for P in answers]
        for degree in (by_degree, [degree_probabilities(P) for P in answers]):
            assert regrets(queries, degree, by_query=True).ranking <= 2 * of_h.preference + 1e-12


def test_one_best_for_all_queries_presumes_independent_pairs():
    """(10.31) fails without (10.27), as here; (10.34), which follows from (10.33), does not."""
    H = np.array([[0, 0, 0, 1], [1, 0, 0, 0], [1, 1, 0, 0], [0, 1, 1, 0.0]])
    queries = [
        Query(range(4), [0, 0, 1, 0], 0.01),
        Query(range(4), [1, 1, 1, 0], 0.38),
        Query((1, 2, 3), [0, 0, 1], 0.61),
    ]
    answers = [H[np.ix_(query.items, query.items)] for query in queries]
    assert regrets(queries, answers).preference == pytest.approx(0.0, abs=1e-12)
    sorts = [order_probabilities(P) for P in answers]
    assert regrets(queries, sorts).ranking <= 1e-12
    degree = [degree_probabilities(P) for P in answers]
    assert regrets(queries, degree).ranking > 0.05
    allowed = 2 * regrets(queries, answers, by_query=True).preference
    assert regrets(queries, degree, by_query=True).ranking <= allowed


def test_notions_agree_where_pairs_are_independent_of_others():
    """(10.27): all queries hold the same items."""
    rng = np.random.default_rng(3)
    targets = [y for y in product((0, 1), repeat=3) if 0 < sum(y) < 3]
    shares = rng.dirichlet(np.ones(len(targets)))
    queries = [Query("abc", y, p) for y, p in zip(targets, shares, strict=True)]
    answers = [preferences(rng, 3)] * len(queries)
    assert regrets(queries, answers) == pytest.approx(regrets(queries, answers, by_query=True))


@pytest.mark.parametrize(
    ("queries", "answers", "message"),
    [
        ([Query("ab", [1, 0], 0.4)], [UP], "add up to 1, got 0.4"),
        ([Query("ab", [1, 0])], [], "1 queries and 0 answers"),
        ([Query("ab", [1, 0])], [CYCLE], "an answer has shape"),
        ([Query("aa", [1, 0])], [UP], "2 items that differ"),
        ([Query("ab", [1, 0])], [np.ones((2, 2))], "not consistent"),
        ([Query("a", [1])], [UP], "two items or more"),
        ([Query(range(16), range(16))], [above(range(16))], "n up to 15"),
    ],
)
def test_bad_distributions(queries, answers, message):
    with pytest.raises(ValueError, match=message):
        regrets(queries, answers)


def test_bad_costs():
    for W in (np.zeros((2, 3)), np.full((2, 2), np.nan), np.zeros((16, 16))):
        with pytest.raises(ValueError, match="W must be finite, of shape"):
            best_order(W)
    assert pair_costs([1, 0])[1, 0] == 1.0
