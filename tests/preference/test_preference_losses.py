"""Losses against their sums as printed, emphasis functions and their axioms, and bad input."""

from functools import partial
from itertools import permutations

import numpy as np
import pandas as pd
import pytest

from rankexp.metrics import auc
from rankexp.preference import (
    Partite,
    Ranked,
    Top,
    above,
    check_emphasis,
    pair_costs,
    preference_loss,
    preference_matrix,
    ranking_loss,
    uniform,
)

OMEGAS = [
    uniform,
    Top(1),
    Top(2),
    Top(5),
    Partite((2, 3)),
    Partite((1, 3, 1)),
    lambda i, j: abs(i - j),
]


def as_printed(order, target, omega):
    """(10.36), summed pair by pair: sigma and sigma* are positions, 1 the top."""
    n = len(order)
    sigma = {item: place for place, item in enumerate(order, 1)}
    best = {
        item: place for place, item in enumerate(sorted(range(n), key=lambda i: -target[i]), 1)
    }
    total = sum(
        omega(best[v], best[u]) * (sigma[u] < sigma[v]) * (best[v] < best[u])
        for u in range(n)
        for v in range(n)
        if u != v
    )
    return 2 / (n * (n - 1)) * float(total)


def prefer(H):
    return lambda u, v: H[u, v]


def preferences(rng, n):
    H = np.triu(rng.random((n, n)), 1)
    return H + np.tril(1.0 - H.T, -1)


def named(omega):
    return getattr(omega, "__name__", str(omega))


@pytest.mark.parametrize("omega", OMEGAS, ids=named)
def test_losses_are_the_sums(omega):
    rng = np.random.default_rng(0)
    for order in list(permutations(range(5)))[::7]:
        y = rng.permutation(5) * 2.5
        expected = as_printed(order, y, omega)
        assert ranking_loss(order, y, omega) == pytest.approx(expected, abs=1e-14)
        W, H = pair_costs(y, omega), preferences(rng, 5)
        assert (above(order) * W).sum() == pytest.approx(expected, abs=1e-14)
        found = preference_loss(prefer(H), np.arange(5), y, omega)
        assert found == pytest.approx((H * W).sum(), abs=1e-14)
        assert (preference_matrix(prefer(H), range(5)) * W).sum() == pytest.approx(found)
        if omega is uniform:
            assert ranking_loss(order, y) == pytest.approx(expected, abs=1e-14)


@pytest.mark.parametrize("sizes", [(2, 4), (1, 2, 3), (3, 3), (1, 1, 1, 3)])
def test_equal_targets_are_the_partite_emphasis(sizes):
    """The bipartite loss is 1 - AUC; exercise 10.10 is that of more classes."""
    rng = np.random.default_rng(1)
    levels = np.repeat(np.arange(len(sizes))[::-1], sizes)
    strict = -np.arange(6)  # any order within a class
    for _ in range(20):
        order, H = rng.permutation(6), preferences(rng, 6)
        tied = ranking_loss(order, levels)
        assert ranking_loss(order, strict, Partite(sizes)) == pytest.approx(tied, abs=1e-14)
        of_h = preference_loss(prefer(H), range(6), levels)
        emphasised = preference_loss(prefer(H), range(6), strict, Partite(sizes))
        assert emphasised == pytest.approx(of_h, abs=1e-14)
        assert (H * pair_costs(levels)).sum() == pytest.approx(of_h, abs=1e-14)
        if len(sizes) == 2:
            assert tied == pytest.approx(1 - auc(levels, -np.argsort(order)))


def test_many_items_and_drawn_pairs():
    rng, n = np.random.default_rng(0), 3000
    y = rng.integers(4, size=n)
    s = y + rng.normal(size=n)
    loss = ranking_loss(np.argsort(-s), y)

    def h(u, v):
        return (s[u] > s[v]) + 0.5 * (u == v)

    assert preference_loss(h, np.arange(n), y) == pytest.approx(loss, abs=1e-12)
    drawn = preference_loss(h, np.arange(n), y, draws=100_000, rng=1)
    assert drawn != pytest.approx(loss, abs=1e-9)
    assert drawn == pytest.approx(loss, abs=4 * np.sqrt(loss / 75_000))


@pytest.mark.parametrize("omega", OMEGAS[:3] + OMEGAS[-3:], ids=named)
def test_the_axioms_hold(omega):
    n = getattr(omega, "n", 5)
    tried = partial(omega)  # not trusted by its type
    assert check_emphasis(tried, n) is tried
    assert check_emphasis(omega, n) is omega


@pytest.mark.parametrize(
    ("omega", "message"),
    [
        (lambda i, j: 1.0 * (i < j), r"symmetry: omega\(1, 2\) = 1, omega\(2, 1\) = 0"),
        (
            lambda i, j: 1.0 / (abs(i - j) + (i == j)),
            r"monotonicity: omega\(1, 2\) = 1 is above omega\(1, 3\) = 0.5, which is farther",
        ),
        (
            lambda i, j: 1.0 * (np.minimum(i, j) >= 2),
            r"monotonicity: omega\(3, 2\) = 1 is above omega\(3, 1\) = 0,",
        ),
        (lambda i, j: (i - j) ** 2, r"triangle inequality: omega\(1, 3\) = 4 is above"),
        (lambda i, j: 0 * i - 1.0, r"omega\(1, 2\) = -1: expected a finite number >= 0"),
        (lambda i, j: np.ones(3), "must have the shape of i and j, got"),
        (lambda i, j: np.nan, r"omega\(1, 2\) = nan: expected"),
        (Partite((2, 2)), r"is for 4 items, and there are 5"),
    ],
)
def test_axioms_that_fail(omega, message):
    for call in (
        lambda: check_emphasis(omega, 5),
        lambda: ranking_loss(range(5), range(5), omega),
        lambda: preference_loss(lambda u, v: np.full(len(u), 0.5), range(5), range(5), omega),
        lambda: pair_costs(range(5), omega),
    ):
        with pytest.raises(ValueError, match=message):
            call()


def test_too_many_positions_to_try():
    with pytest.raises(ValueError, match="tried on 1000 positions at most"):
        check_emphasis(lambda i, j: abs(i - j), 1001)
    assert check_emphasis(Top(3), 10**6) == Top(3)


def test_the_first_k_of_fewer_items_are_no_emphasis():
    assert check_emphasis(Top(3), 3) == Top(3)
    with pytest.raises(ValueError, match=r"Top\(k=4\) is about the first 4 of 3 items: use uni"):
        ranking_loss([0, 1, 2], [3, 1, 2], Top(4))


@pytest.mark.parametrize("k", [0, -1, 1.5, True])
def test_an_impossible_emphasis(k):
    with pytest.raises(ValueError, match="k must be an integer >= 1"):
        Top(k)
    for sizes in ((3,), (3, 0), (1.5, 1.5), (np.nan, 3), ("a", "b"), 3, None):
        with pytest.raises(ValueError, match="sizes must be two or more, each 1 or more"):
            Partite(sizes)


@pytest.mark.parametrize(
    ("order", "target", "omega", "message"),
    [
        ([0], [1.0], None, "two items or more"),
        ([0, 0], [1, 2], None, "the numbers of all 2 items, each once"),
        ([0, 1], [1, 2, 3], None, "all 3 items"),
        ([0, 1], [1, 1], None, "all targets are equal"),
        ([0, 1], [1, np.nan], None, "must not be NaN"),
        ([0, 1, 2], [1, 1, 2], uniform, "with omega all targets must differ"),
        ([0, 1], ["10", "9"], None, "must be numbers"),
        ([0, 1], [1, None], None, "must be numbers"),
        ([1, 2, 3], [1, 2, 3], None, "all 3 items, each once"),
        (Ranked(np.arange(2), 1), [1, 2], None, "of what ranks its `order`"),
    ],
)
def test_bad_targets(order, target, omega, message):
    with pytest.raises(ValueError, match=message):
        ranking_loss(order, target, omega)


def test_the_order_of_categories_is_that_of_the_target():
    target = pd.Categorical([3, 1, 2], [3, 1, 2], ordered=True)  # 3 is the worst
    assert ranking_loss([0, 1, 2], target) == ranking_loss([0, 1, 2], [0, 1, 2]) == 1.0
    words = pd.Series(pd.Categorical(["lo", "hi", "mid"], ["lo", "mid", "hi"], ordered=True))
    assert ranking_loss([1, 2, 0], words) == 0.0
    np.testing.assert_array_equal(pair_costs(words), pair_costs([0, 2, 1]))


@pytest.mark.parametrize("order", [[2, 1], [0, 0, 1], [1, 2, 3], [[0, 1]], ["a", "b"]])
def test_part_of_an_order_puts_nothing_above(order):
    with pytest.raises(ValueError, match=r"numbers of all \d items, each once"):
        above(order)


@pytest.mark.parametrize("draws", [0, 1.5, True])
def test_bad_draws(draws):
    half = lambda u, v: np.full(len(u), 0.5)  # noqa: E731
    with pytest.raises(ValueError, match="draws must be an integer >= 1"):
        preference_loss(half, range(3), range(3), draws=draws)
    with pytest.raises(ValueError, match="no pair that was drawn has an order: raise draws"):
        preference_loss(half, range(99), np.arange(99) == 5, draws=1, rng=0)
    with pytest.raises(ValueError, match="there are 3 items and 4 targets"):
        preference_loss(half, range(3), range(4))
    with pytest.raises(ValueError, match="a list of two or more items, got 1"):
        preference_loss(half, [1], [2])


def test_two_different_items_are_drawn():
    losses = [
        preference_loss(lambda u, v: u > v, [1.0, 2.0], [1, 2], draws=1, rng=seed)
        for seed in range(20)
    ]
    assert losses == [0.0] * 20


def test_the_top_counts_pairs_with_one_of_the_first():
    positions = np.arange(1, 6)
    i, j = positions[:, None], positions
    expected = ((i <= 2) | (j <= 2)) & (i != j)
    np.testing.assert_array_equal(Top(2)(i, j), expected)
