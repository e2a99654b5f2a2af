import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from rankexp.estimators import CRank, KendallTree
from rankexp.metrics import d_tau
from rankexp.solvers.tree_loops import part
from rankexp.solvers.trees import halves

laws = settings(max_examples=40)


@st.composite
def nodes(draw):
    """Features and targets with many ties."""
    n, d = draw(st.integers(2, 12)), draw(st.integers(1, 3))
    few = st.integers(0, draw(st.sampled_from([1, 2, 5, 30]))).map(float)
    return draw(hnp.arrays(np.float64, (n, d), elements=few)), draw(
        hnp.arrays(np.float64, n, elements=few)
    )


def two_leaves(X, least=1):
    """Yield the scores of every possible split."""
    for j in range(X.shape[1]):
        for cut in np.unique(X[:, j])[:-1]:
            low = X[:, j] <= cut
            if min(low.sum(), (~low).sum()) >= least:
                yield low.astype(float)
                yield (~low).astype(float)


def split(tree, X, y):
    """Return which rows a tree of one split sends to the left, or None if it has none."""
    tree.set_params(depth=1).fit(X, y)
    return tree.predict(X) == 2 if tree.n_leaves_ == 2 else None


@pytest.mark.parametrize("least", [1, 2, 3])
@given(problem=nodes())
@laws
def test_kendall_split_has_the_greatest_tau(least, problem):
    X, y = problem
    left = split(KendallTree(min_samples_leaf=least), X, y)
    best = max([d_tau(y, s) for s in two_leaves(X, least)], default=0.0)
    if left is None:
        assert best <= d_tau(y, np.zeros(len(y)))
    else:
        assert d_tau(y, left) == best > d_tau(y, np.zeros(len(y)))
        assert least <= left.sum() <= len(y) - least


@given(problem=nodes())
@laws
def test_without_ties_counted_the_split_has_the_most_pairs_in_order(problem):
    X, y = problem

    def excess(s):
        pairs = itertools.combinations(range(len(y)), 2)
        return sum(np.sign(y[i] - y[j]) * np.sign(s[i] - s[j]) for i, j in pairs)

    left = split(KendallTree(count_ties=False), X, y)
    best = max((excess(s) for s in two_leaves(X)), default=0)
    assert (0 if left is None else excess(left.astype(float))) == best


@given(problem=nodes())
@laws
def test_stump_has_the_least_training_error(problem):
    X, y = problem
    left = split(CRank(), X, y)
    if y.min() == y.max():
        assert left is None
        return
    labels = np.empty(len(y))
    labels[y.argsort()] = halves(np.sort(y))
    constant = min((labels > 0).sum(), (labels < 0).sum())
    best = min(((s > 0) != (labels > 0)).sum() for s in [np.zeros(len(y)), *two_leaves(X)])
    if left is None:
        assert best >= constant
    else:
        assert (left != (labels > 0)).sum() == best < constant


@pytest.mark.parametrize(
    ("y", "expected"),
    [
        ([1, 2, 3, 4], [-1, -1, 1, 1]),
        ([1, 2, 3], [-1, -1, 1]),  # the median itself is negative: Y > median
        ([1, 1, 1, 2], [-1, -1, -1, 1]),
        ([1, 2, 2, 2], [-1, 1, 1, 1]),  # no cut above the median: the nearest below
        ([1, 2, 2, 3], [-1, -1, -1, 1]),
    ],
)
def test_halves(y, expected):
    assert halves(np.array(y, dtype=float)).tolist() == expected


def test_parts_keep_every_order():
    rng = np.random.default_rng(0)
    orders = np.array([rng.permutation(30) for _ in range(4)], np.int32)
    some, out = rng.random(30) < 0.5, np.full((4, 30), -1, np.int32)
    part(orders, 0, 30, some, out, int(some.sum()))
    assert out.tolist() == [[*row[some[row]], *row[~some[row]]] for row in orders]


@pytest.mark.parametrize(
    ("low", "high"),
    [
        (0.0, 1.0),
        (1.0, np.nextafter(1.0, 2.0)),
        (-1.7e308, 1.7e308),
        (1.6e308, 1.7e308),
        (0.0, 5e-324),
        (5e-324, 1e-323),
        (-5e-324, 0.0),
    ],
)
def test_midpoint_separates(low, high):
    assert low <= midpoint(low, high) < high


def test_midway():
    assert midpoint(1.0, 2.0) == 1.5
    assert midpoint(-3.0, 1.0) == -1.0


def midpoint(low, high):
    return KendallTree(depth=1).fit([[high], [low]], [0.0, 1.0]).nodes()[0]["threshold"]
