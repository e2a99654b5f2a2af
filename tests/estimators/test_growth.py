"""The compiled growth of oriented trees against the plainest one; the streams it draws from."""

import itertools

import numpy as np
import pytest

from rankexp.estimators import CRank, KendallTree, RankingForest
from rankexp.estimators.oriented_tree import count_features


def labels(y):
    """Return +1 above the cut that gives the most equal halves, of two the higher, else -1."""
    cuts = sorted(set(y))[1:]
    best = min(cuts, key=lambda cut: (abs((y < cut).sum() - (y >= cut).sum()), -cut))
    return np.where(y >= best, 1, -1)


def judged(tree, y, low):
    """Return what is won if the low rows are ranked above the others, and what is lost anyhow."""
    if isinstance(tree, CRank):
        return labels(y)[low].sum() - labels(y)[~low].sum(), 0
    signs = np.sign(y[low][:, None] - y[~low])
    return signs.sum(), (signs == 0).sum() if tree.count_ties else 0


def best_split(tree, X, y, features):
    """Return feature, threshold and orientation by trying all, or None if none gains."""
    best, found = abs(labels(y).sum()) if isinstance(tree, CRank) else 0, None
    for f in features:
        for low, high in itertools.pairwise(sorted(set(X[:, f]))):
            under = X[:, f] <= low
            if tree.min_samples_leaf <= under.sum() <= len(y) - tree.min_samples_leaf:
                won, lost = judged(tree, y, under)
                if abs(won) - lost > best:
                    best, found = abs(won) - lost, (int(f), (low + high) / 2, bool(won > 0))
    return found


def grown(tree, X, y, rng):
    """Grow node by node, depth first, each with a permutation of the features of its own."""
    rows, d = [], X.shape[1]
    count = count_features(tree.max_features, d)
    waiting = [(0, 0, np.arange(len(y)))]
    while waiting:
        j, k, here = waiting.pop()
        split = None
        small = j == tree.depth or len(here) < 2 * tree.min_samples_leaf
        if not small and len(set(y[here])) > 1:
            order = np.arange(d) if count == d else rng.permutation(d)
            for part in (order[:count], order[count:]):
                split = split or best_split(tree, X[here], y[here], part)
        rows.append((j, k, len(here), *(split or ())))
        if split:
            left = (X[here, split[0]] <= split[1]) == split[2]
            waiting += [(j + 1, 2 * k + 1, here[~left]), (j + 1, 2 * k, here[left])]
    return rows


def rows_of(tree):
    keys = ("j", "k", "size", "feature", "threshold", "low_first")
    return [tuple(row[key] for key in keys if key in row) for row in tree.nodes()]


def problem(seed, n=30, d=5):
    """Return rows with ties; one column is constant and one has two values."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, [8, 1, 2, 30, 5], (n, d)).astype(float)
    return X, np.round(X[:, 0] - X[:, 4] + 3 * rng.random(n), seed % 2)


class Few(np.random.RandomState):
    """A stream that gives few numbers at once."""

    def randint(self, *given, size=None, **named):
        return super().randint(*given, size=min(size, 7), **named)


TREES = [
    KendallTree(depth=6, max_features=2),
    KendallTree(depth=4, max_features=0.7, min_samples_leaf=3, count_ties=False),
    KendallTree(depth=6, max_features=1, min_samples_leaf=2),
    KendallTree(depth=3),
    CRank(depth=6, max_features=2),
    CRank(depth=50, max_features="sqrt", min_samples_leaf=2),
    CRank(depth=3),
]


@pytest.mark.parametrize("tree", TREES, ids=str)
@pytest.mark.parametrize("seed", range(4))
def test_growth_is_the_plain_one_and_leaves_the_stream_as_it_does(tree, seed):
    X, y = problem(seed)
    mine, plain = np.random.RandomState(seed), np.random.RandomState(seed)
    mine.normal(), plain.normal()  # half of a pair is kept in the state
    tree.set_params(random_state=mine).fit(X, y)
    assert rows_of(tree) == grown(tree, X, y, plain)
    assert (mine.normal(size=3) == plain.normal(size=3)).all()
    assert (mine.permutation(9) == plain.permutation(9)).all()


@pytest.mark.parametrize("bits", [np.random.PCG64, np.random.MT19937])
def test_a_stream_of_any_kind_goes_on(bits):
    X, y = problem(0)
    mine, plain = (np.random.RandomState(bits(5)) for _ in range(2))
    tree = KendallTree(depth=6, max_features=3, random_state=mine).fit(X, y)
    assert rows_of(tree) == grown(tree, X, y, plain)
    assert (mine.permutation(9) == plain.permutation(9)).all()


@pytest.mark.parametrize("words", [Few, np.random.RandomState])
def test_more_words_are_drawn_where_a_tree_needs_more(words):
    X, y = problem(1)
    tree = KendallTree(depth=6, max_features=3, random_state=words(3)).fit(X, y)
    assert rows_of(tree) == grown(tree, X, y, np.random.RandomState(3))


@pytest.mark.parametrize("bootstrap", [True, False])
@pytest.mark.parametrize("tree", ["KendallTree", "CRank"])
def test_trees_of_a_forest_are_those_of_the_rows_that_it_drew(tree, bootstrap):
    X, y = problem(2)
    mine, rng = np.random.RandomState(1), np.random.RandomState(1)
    made = {"tree": tree, "n_estimators": 5, "bootstrap": bootstrap, "depth": 5}
    forest = RankingForest(**made, random_state=mine).fit(X, y)
    for one in forest.estimators_:
        seed = int(rng.randint(2**31 - 1))
        rows = rng.randint(30, size=30) if bootstrap else np.arange(30)
        assert one.random_state == seed
        assert rows_of(one) == grown(one, X[rows], y[rows], np.random.RandomState(seed))
    assert mine.randint(1000) == rng.randint(1000)
