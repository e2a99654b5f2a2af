"""Oriented binary trees, whose cells are ranked from left to right: growing and pruning.

Kendall's tau and the IAUC are sums over pairs of examples, and only one node of the tree separates
a pair: the last one that has both. So a subtree's measure is that of a single leaf plus the gains
of its inner nodes, and merging two leaves subtracts the gain of their parent.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.model_selection import KFold
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from rankexp.arrays import Floats, Ints, PerRow, Seed
from rankexp.estimators.parameters import check_count, fitted_rows
from rankexp.estimators.risk_mixin import RealRanker
from rankexp.metrics.dominance import runs
from rankexp.solvers.trees import Grow, Tree, by_thresholds, scores

NodeRow = dict[str, int | float | str | bool]  # a node for JSON
DEEPEST = 50  # leaf scores are exact in double precision
Key = tuple[int, int]
Trees = Callable[[Floats, Floats], Grow]


@dataclass(eq=False, repr=False, kw_only=True)
class OrientedTree(RealRanker):
    """What oriented trees share; a subclass says how a split is charged."""

    depth: int = 3
    min_samples_leaf: int = 1
    max_features: int | float | str | None = None
    prune: str | None = None
    cv: int = 5
    random_state: Seed = None

    _halves = False  # whether splits are charged by halves of y

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: PerRow = None) -> Self:
        """Grow and perhaps prune a tree on rows X (n, d) and real targets y (n,).

        Only the order of the targets matters. `sample_weight` (n,) holds whole numbers: how often
        each row counts. Errors are as for :meth:`LinearRanker.fit`.
        """
        X, y = self._rows(X, y, sample_weight)
        rng = check_random_state(self.random_state)
        tree = self._grower(X, y)(None, rng)
        if self.prune is not None:
            self.cv_scores_ = prune(tree, X, y, self._grower, self.prune, self.cv, rng)
        return self._take(tree)

    def _take(self, tree: Tree) -> Self:
        self.score_scale_, self.tree_ = 2.0**self.depth, tree
        self.n_leaves_ = int(np.count_nonzero(tree.nodes["right"] == 0))
        return self

    def _grower(self, X: Floats, y: Floats) -> Grow:
        """Return how to grow trees on rows."""
        shown = count_features(self.max_features, X.shape[1])
        how = shown, self._halves, getattr(self, "count_ties", False)
        return by_thresholds(X, y, self.depth, self.min_samples_leaf, *how)

    @property
    def feature_importances_(self) -> Floats:
        """Each feature's share in the pairs of training rows that splits separate, (d,).

        AttributeError if nodes have a `classifier`, as then no single feature splits them.
        """
        check_is_fitted(self)
        if self.tree_.rules:
            raise AttributeError("a node with a classifier is not split by one feature")
        nodes, d = self.tree_.nodes, self.n_features_in_
        at = (nodes["right"] > 0).nonzero()[0]
        pairs = nodes["size"][at + 1].astype(np.float64) * nodes["size"][nodes["right"][at]]
        found = np.bincount(nodes["feature"][at], pairs, d)
        return np.asarray(found / (found.sum() or 1.0))

    def check(self) -> None:
        """Raise ValueError if a parameter is impossible; this needs no data."""
        check_count("depth", self.depth, 0, DEEPEST)
        check_count("min_samples_leaf", self.min_samples_leaf)
        if self.prune not in (None, "iauc", "tau"):
            raise ValueError(f"prune must be None, 'iauc' or 'tau', got {self.prune!r}")
        if self.prune is not None:
            check_count("cv", self.cv, 2)
        count_features(self.max_features, 1)

    def predict(self, X: ArrayLike) -> Floats:
        """Return the scores of rows, (n,): 2^J (1 - k/2^j) for the leaf C(j, k) of each.

        They are in (0, `score_scale_`], which is (0, 2^J]: the higher, the greater the expected y.
        """
        X = fitted_rows(self, X)
        return scores(self.tree_.nodes, self.depth)[self.tree_.leaves(X)]

    def nodes(self, names: Sequence[str] | None = None) -> list[NodeRow]:
        """Return the tree as rows for JSON, each node before its children, left before right.

        `names` are those of the features, by default those of the training DataFrame. Rows have
        ``j``, ``k`` and ``size`` (training rows), leaves ``score``, other nodes ``rule``: a text
        that holds for rows that go left, with ``feature``, ``threshold`` and ``low_first`` if it
        is a threshold.
        """
        check_is_fitted(self)
        names = getattr(self, "feature_names_in_", None) if names is None else names
        rows: list[NodeRow] = []
        (nodes, rules), values = self.tree_, scores(self.tree_.nodes, self.depth).tolist()
        for at, (j, k, size, right, feature, threshold, low_first) in enumerate(nodes.tolist()):
            row: NodeRow = {"j": j, "k": k, "size": size}
            if right == 0:
                row["score"] = values[at]
            elif at in rules:
                row["rule"] = str(rules[at])
            else:
                name = f"x{feature}" if names is None else str(names[feature])
                row["rule"] = f"{name} {'<=' if low_first else '>'} {threshold:.6g}"
                row |= {"feature": feature, "threshold": threshold, "low_first": low_first}
            rows += [row] if right >= 0 else []
        return rows

    def export_text(self) -> str:
        """Return the tree as indented lines, the best cells first."""
        lines = []
        for row in self.nodes():
            what = row["rule"] if "rule" in row else f"score {row['score']:g}"
            lines.append(f"{'|   ' * int(row['j'])}{what}  [{row['size']}]")
        return "\n".join(lines)


def count_features(wanted: int | float | str | None, d: int) -> int:
    """Return how many of d features a node looks at.

    ValueError unless `wanted` is None (all), "sqrt", an integer >= 1, or a share in (0, 1].
    """
    if wanted is None:
        return d
    if wanted == "sqrt":
        return max(1, int(np.sqrt(d)))
    if isinstance(wanted, Integral) and not isinstance(wanted, bool) and wanted >= 1:
        return min(int(wanted), d)
    if isinstance(wanted, float) and 0 < wanted <= 1:
        return max(1, int(wanted * d))
    known = "None, 'sqrt', an integer >= 1 or a share in (0, 1]"
    raise ValueError(f"max_features must be {known}, got {wanted!r}")


def prune(
    tree: Tree, X: Floats, y: Floats, on: Trees, measure: str, cv: int, rng: np.random.RandomState
) -> Floats:
    """Collapse a tree, in place, to the number of leaves with the best cross-validated measure.

    Return the mean measure, (6) or (8) of clemencon2017, by leaves; NaN if no fold has a pair.
    """
    merges = merge_order(tree, gains(tree, X, y, measure))
    size, folds, judged = len(merges) + 1, min(cv, len(y)), []
    parts = KFold(folds, shuffle=True, random_state=rng).split(X) if merges and folds > 1 else ()
    for train, test in parts:
        possible = len(test) * (len(test) - 1) // 2
        if measure != "tau":
            below, upto = runs(np.sort(y[test]))
            possible = int((below * (len(test) - upto)).sum())
        if possible == 0:
            continue
        other = on(X[train], y[train])(None, rng)
        order = merge_order(other, gains(other, X[train], y[train], measure))
        found = gains(other, X[test], y[test], measure)
        kept = np.cumsum([0, *(found.get(key, 0) for key in reversed(order))])
        judged.append(0.5 + kept[np.minimum(np.arange(size), kept.size - 1)] / (2 * possible))
    if not judged:
        return np.full(size, np.nan)
    means = np.asarray(np.mean(judged, axis=0), dtype=np.float64)
    places = tree.inner()
    for key in merges[: size - 1 - int(means.argmax())]:
        tree.collapse(places[key])
    return means


def merge_order(tree: Tree, gain: dict[Key, int]) -> list[Key]:
    """Return the inner nodes in the order in which merging their two leaves costs least."""
    inner = set(tree.inner())
    order: list[Key] = []
    while inner:
        ripe = [(j, k) for j, k in inner if not inner & {(j + 1, 2 * k), (j + 1, 2 * k + 1)}]
        order.append(min(ripe, key=lambda key: (gain.get(key, 0), key)))
        inner.remove(order[-1])
    return order


def gains(tree: Tree, X: Floats, y: Floats, measure: str) -> dict[Key, int]:
    """Return how much each inner node's split raises a measure on some examples.

    It is twice the gain in the number of pairs (triples) in order; ties of the scores count 1/2.
    """
    ascending = np.sort(y)
    below, upto = ascending.searchsorted(y, "left"), ascending.searchsorted(y, "right")
    at, found = tree.leaves(X), {}
    for key, place in tree.inner().items():
        middle = tree.nodes["right"][place]
        left = ((place < at) & (at < middle)).nonzero()[0]
        right = ((middle <= at) & (at <= tree.last(place))).nonzero()[0]
        high, low = below[left], below[right]
        if measure == "tau":  # with equal y, a pair loses its half, too
            won = np.sort(low).searchsorted(high, "left").sum()
            found[key] = int(2 * won - high.size * low.size)
        else:
            found[key] = _middles(low, upto[right], high) - _middles(high, upto[left], low)
    return found


def _middles(start: Ints, start_upto: Ints, end: Ints) -> int:
    """Add up the examples strictly between, over pairs with the start's y below the end's."""
    order = start.argsort()
    upto = np.concatenate(([0], np.cumsum(start_upto[order])))
    count = start[order].searchsorted(end, "left")
    return int((end * count - upto[count]).sum())
