"""The oriented tree that maximises the empirical Kendall tau, split by split."""

from dataclasses import dataclass

from rankexp.arrays import Ints, Seed
from rankexp.estimators.oriented_tree import OrientedTree
from rankexp.solvers.result import Floats
from rankexp.solvers.trees.nodes import SplitRule
from rankexp.solvers.trees.splits import Sorted, best_threshold_split, kendall_charges

REGISTER = {"KendallTree": "KendallTree"}


@dataclass(eq=False, repr=False)
class KendallTree(OrientedTree):
    """An oriented ranking tree grown by the Kendall tau of its scores and y.

    Each node gets the threshold on one feature, in either orientation, that maximises the
    empirical Kendall tau, (8) of clemencon2017, on its examples, and so that of the whole tree;
    a node where no threshold raises it is a leaf.

    Parameters
    ----------
    depth, min_samples_leaf, max_features, prune, cv, random_state
        As for `CRank`.
    count_ties : bool
        Whether a split loses 1/2 for each pair with equal y that it parts, as in (8), where such
        a pair counts 1/2 only while its scores are equal. Where y has few values this keeps
        trees small; if False only pairs with different y count.

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
