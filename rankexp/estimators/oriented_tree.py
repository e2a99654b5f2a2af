"""Oriented binary trees, whose cells are ranked from left to right, and the Kendall tree."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted

from rankexp.arrays import Floats, Ints, PerRow, Seed
from rankexp.categories import in_numbers
from rankexp.estimators.parameters import check_count, copied, fitted_rows, training_data
from rankexp.estimators.pruning import prune
from rankexp.estimators.risk_mixin import PredictsScores
from rankexp.metrics.continuous import concordance
from rankexp.solvers.trees.splits import (
    Node,
    Sorted,
    SplitRule,
    Threshold,
    best_threshold_split,
    cells,
    kendall_charges,
    presort,
)

NodeRow = dict[str, int | float | str | bool]
"""A node for JSON."""
DEEPEST = 50  # leaf scores are exact in double precision


class RealRanker(PredictsScores):
    """A ranker of examples with a real target; it predicts scores."""

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def decision_function(self, X: ArrayLike) -> Floats:
        """Return the scores of rows, as `predict` does."""
        return np.asarray(self.predict(X))

    def score(self, X: ArrayLike, y: ArrayLike) -> float:
        """Return the share of pairs with different y that are in order; a tie counts 1/2."""
        return concordance(y, self.predict(X))

    def _rows(self, X: ArrayLike, y: ArrayLike, sample_weight: PerRow) -> tuple[Floats, Floats]:
        X, y = training_data(self, X, in_numbers(y), real=True)
        rows = copied(X, sample_weight, type(self).__name__)
        return X[rows], np.asarray(y, dtype=np.float64)[rows]


class OrientedTree(RealRanker):
    """What oriented trees share; a subclass says how to split a node."""

    depth: int
    min_samples_leaf: int
    max_features: int | float | str | None
    prune: str | None
    cv: int
    random_state: Any

    @abstractmethod
    def _rule(self, X: Floats, node: Sorted, features: Ints) -> SplitRule | None:
        """Return how to split a node by some features, or None to leave it a leaf."""

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: PerRow = None) -> Self:
        """Grow and perhaps prune a tree on rows X (n, d) and real targets y (n,).

        Only the order of the targets matters. `sample_weight` (n,) holds whole numbers: how often
        each row counts. ValueError for a parameter out of range, missing or infinite values, or
        impossible weights; TypeError for a sparse matrix.
        """
        self.check()
        X, y = self._rows(X, y, sample_weight)
        rng = check_random_state(self.random_state)
        self.score_scale_ = 2.0**self.depth
        self.tree_ = self._grow(X, y, rng)
        if self.prune is not None:
            self.cv_scores_ = prune(self.tree_, X, y, self._grow, self.prune, self.cv, rng)
        self.n_leaves_ = sum(node.rule is None for node in self.tree_.walk())
        return self

    @property
    def feature_importances_(self) -> Floats:
        """Each feature's share in the pairs of training rows that splits separate, (d,).

        AttributeError if nodes have a `classifier`, as then no single feature splits them.
        """
        check_is_fitted(self)
        found = np.zeros(self.n_features_in_)
        for node in self.tree_.walk():
            if (children := node.children()) is not None:
                if not isinstance(node.rule, Threshold):
                    raise AttributeError("a node with a classifier is not split by one feature")
                found[node.rule.feature] += float(children[0].size) * children[1].size
        return found / (found.sum() or 1.0)

    def check(self) -> None:
        """Raise ValueError if a parameter is impossible; this needs no data."""
        check_count("depth", self.depth, 0, DEEPEST)
        check_count("min_samples_leaf", self.min_samples_leaf)
        if self.prune not in (None, "iauc", "tau"):
            raise ValueError(f"prune must be None, 'iauc' or 'tau', got {self.prune!r}")
        if self.prune is not None:
            check_count("cv", self.cv, 2)
        count_features(self.max_features, 1)

    def _grow(self, X: Floats, y: Floats, rng: np.random.RandomState) -> Node:
        root = Node(0, 0, len(y))
        waiting = [(root, presort(X, y))]
        while waiting:
            node, rows = waiting.pop()
            small = node.j == self.depth or rows.size < 2 * self.min_samples_leaf
            if small or rows.y[0] == rows.y[-1]:
                continue
            node.rule = self._chosen(X, rows, rng)
            if node.rule is None:
                continue
            left = np.zeros(len(y), dtype=np.bool_)
            left[rows.by_y] = node.rule.left(X, rows.by_y)
            parts = rows.part(left), rows.part(~left)
            if min(part.size for part in parts) < self.min_samples_leaf:
                node.rule = None
                continue
            node.left, node.right = (
                Node(node.j + 1, 2 * node.k + i, part.size) for i, part in enumerate(parts)
            )
            waiting += zip((node.right, node.left), parts[::-1], strict=True)
        return root

    def _chosen(self, X: Floats, node: Sorted, rng: np.random.RandomState) -> SplitRule | None:
        d = X.shape[1]
        count = count_features(self.max_features, d)
        if count == d:
            return self._rule(X, node, np.arange(d))
        drawn = rng.permutation(d)
        parts = (drawn[:count], drawn[count:])
        return next((rule for part in parts if (rule := self._rule(X, node, part))), None)

    def predict(self, X: ArrayLike) -> Floats:
        """Return the scores of rows, (n,): 2^J (1 - k/2^j) for the leaf C(j, k) of each.

        They are in (0, `score_scale_`], which is (0, 2^J]: the higher, the greater the expected y.
        """
        X = fitted_rows(self, X)
        out = np.empty(len(X))
        for node, rows in cells(self.tree_, X):
            if node.rule is None:
                out[rows] = node.score(self.depth)
        return out

    def nodes(self, names: Sequence[str] | None = None) -> list[NodeRow]:
        """Return the tree as rows for JSON, each node before its children, left before right.

        `names` are those of the features, by default those of the training DataFrame. Rows have
        ``j``, ``k`` and ``size`` (training rows), leaves ``score``, other nodes ``rule``: a text
        that holds for rows that go left, with ``feature``, ``threshold`` and ``low_first`` if it
        is a threshold.
        """
        check_is_fitted(self)
        if names is None:
            names = getattr(self, "feature_names_in_", None)
        return [self._described(node, names) for node in self.tree_.walk()]

    def _described(self, node: Node, names: Sequence[str] | None) -> NodeRow:
        row: NodeRow = {"j": node.j, "k": node.k, "size": node.size}
        rule = node.rule
        if rule is None:
            return row | {"score": node.score(self.depth)}
        if not isinstance(rule, Threshold):
            return row | {"rule": str(rule)}
        name = f"x{rule.feature}" if names is None else str(names[rule.feature])
        text = f"{name} {'<=' if rule.low_first else '>'} {rule.threshold:.6g}"
        return row | {"rule": text, **rule._asdict()}

    def export_text(self) -> str:
        """Return the tree as indented lines, the best cells first."""
        lines = []
        for row in self.nodes():
            what = row.get("rule") or f"score {row['score']:g}"
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


REGISTER = {"KendallTree": "KendallTree"}


@dataclass(eq=False, repr=False)
class KendallTree(OrientedTree):
    """An oriented ranking tree grown by the Kendall tau of its scores and y.

    Each node gets the threshold on one feature, in either orientation, that maximises the
    empirical Kendall tau, (8) of clemencon2017, on its examples and so on the whole tree. A node
    where no threshold raises it is a leaf.

    Parameters
    ----------
    depth, min_samples_leaf, max_features, prune, cv, random_state
        As for `CRank`.
    count_ties : bool
        Whether a split loses 1/2 for each pair with equal y that it separates. In (8) such a pair
        counts 1/2 only if its scores are equal, which keeps trees small if y has few values. If
        False, only pairs with different y count.

    Attributes
    ----------
    score_scale_, n_leaves_, cv_scores_
        As for `CRank`.

    References
    ----------
    clemencon2017, section 5.1 and "Kendall" in section 6.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.arange(8.0)[:, None]
    >>> KendallTree(depth=2).fit(X, X[:, 0]).predict([[0], [2], [4], [6]])
    array([1., 2., 3., 4.])
    """

    depth: int = 3
    min_samples_leaf: int = 1
    count_ties: bool = True
    max_features: int | float | str | None = None
    prune: str | None = None
    cv: int = 5
    random_state: Seed = None

    def _rule(self, X: Floats, node: Sorted, features: Ints) -> SplitRule | None:
        charges, least, ties = kendall_charges(node), self.min_samples_leaf, self.count_ties
        return best_threshold_split(node, charges, features, len(X), least=least, count_ties=ties)
