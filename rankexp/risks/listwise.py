"""The listwise risk: the softmax of scores beside that of levels, one list a query."""

import numpy as np

from rankexp.arrays import Floats, Ints
from rankexp.losses.loss import Loss, MarginLoss
from rankexp.risks.risk import Risk, Task
from rankexp.solvers.result import PathResult
from rankexp.solvers.rows import as_rows
from rankexp.solvers.smooth.descent import descend
from rankexp.solvers.smooth.objective import SmoothRisk, gram
from rankexp.solvers.smooth.path import penalties

REGISTER = {"listwise": "Listwise"}


class Listwise(Risk):
    """The mean over queries of the cross-entropy of two softmaxes, of levels and of scores.

    For the rows j of a query with levels y, numbered 0 .. K-1, and scores s = w·x, it is
    ``-sum_j softmax(y)_j log softmax(s)_j``. This is ListNet's loss of the top one. Its derivative
    by the scores is ``softmax(s) - softmax(y)``. Each group is a query, and all of them weigh
    alike; without groups, all rows are one query. A row of weight 2 counts as two equal rows of
    its query. There is no intercept. It takes the logistic
    loss only, because ``-log softmax(s)_j`` is ``log(1 + sum over k != j of exp(s_k - s_j))``,
    which for two rows is the logistic loss of their difference. Its least value is not 0 but the
    mean entropy of the levels' softmax.

    References
    ----------
    Z. Cao, T. Qin, T.-Y. Liu, M.-F. Tsai and H. Li. Learning to rank: from pairwise approach to
    listwise approach. ICML 2007.

    Examples
    --------
    >>> import numpy as np
    >>> from rankexp.estimators import LinearRanker
    >>> X, y, queries = np.array([[0.0], [1.0], [5.0], [7.0]]), [0, 2, 0, 2], [1, 1, 2, 2]
    >>> ranker = LinearRanker(risk="listwise", lam=0.1).fit(X, y, groups=queries)
    >>> ranker.predict(X).argsort()
    array([0, 1, 2, 3])
    """

    takes = frozenset({"groups", "sample_weight"})
    scalable = False
    several_levels = True
    attained = True
    reason = "it is a mean over queries, which weigh alike"

    def accepts(self, loss: Loss) -> str | None:
        """Return None for the logistic loss."""
        if not loss.convex:
            return "it is not convex"
        z = np.linspace(-4.0, 4.0, 9)
        if isinstance(loss, MarginLoss) and np.allclose(np.expm1(loss.of_margin(z)), np.exp(-z)):
            return None
        return "the softmax of a list goes with the logistic loss only"

    def solve(self, task: Task) -> PathResult:
        """Minimise ``lam/2 ||w||² + risk`` for each penalty.

        ValueError for costs of levels, which no list has.
        """
        if task.costs is not None:
            raise ValueError(f"costs are of pairs of levels, but the {self!r} risk has no pairs")
        n, weight = task.level.size, task.sample_weight
        groups = np.zeros(n, np.int64) if task.groups is None else np.asarray(task.groups)
        order = np.argsort(groups, kind="stable")
        weight = np.ones(n) if weight is None else weight[order]
        risk = ListRisk(groups[order], task.level[order].astype(np.float64), weight)
        X = as_rows(task.X[order])
        return descend(X, risk, penalties(task.lams), tol=task.tol, max_iter=task.max_iter)


class ListRisk(SmoothRisk):
    """The mean cross-entropy of lists, whose rows stand together."""

    def __init__(self, group: Ints, target: Floats, weight: Floats) -> None:
        self.group, self.target, self.weight = group, target, weight  # (n,), groups ascending
        self.begin = np.flatnonzero(np.diff(group, prepend=group[:1] - 1))
        self.sizes = np.diff(self.begin, append=group.size)
        self.share = self._prepare(target)[0]

    def _prepare(self, s: Floats) -> tuple[Floats, Floats]:
        """Return the softmax within lists, (n,), and the log of each list's sum, (lists,)."""
        top = np.maximum.reduceat(s, self.begin)
        e = self.weight * np.exp(s - np.repeat(top, self.sizes))
        total = np.add.reduceat(e, self.begin)
        return e / np.repeat(total, self.sizes), top + np.log(total)

    def value(self, s: Floats) -> float:
        """Return the mean cross-entropy."""
        # By row, the sum's log less the score: sums of both could cancel if scores are large.
        below = np.repeat(self.prepared(s)[1], self.sizes) - s
        return float(self.share @ below) / self.begin.size

    def slope(self, s: Floats) -> Floats:
        """Return the softmax of scores less that of levels, a share a list."""
        return np.asarray((self.prepared(s)[0] - self.share) / self.begin.size)

    def hessian(self, X: Floats, s: Floats) -> Floats:
        """Return the mean covariance of rows under the softmax of scores."""
        p = self.prepared(s)[0]
        means = np.add.reduceat(X * p[:, None], self.begin, axis=0)
        return np.asarray((gram(X, p) - means.T @ means) / self.begin.size)

    def sample(self, size: int) -> tuple[Ints, "ListRisk"]:
        """Return whole lists of about `size` rows; of longer ones every k-th row."""
        drawn = np.random.default_rng(self.group.size).permutation(self.begin.size)
        enough = int(np.searchsorted(np.cumsum(self.sizes[drawn]), size)) + 1
        some = np.zeros(self.begin.size, dtype=np.bool_)
        some[drawn[:enough]] = True
        rows = np.flatnonzero(np.repeat(some, self.sizes))
        rows = rows[:: max(1, rows.size // size)]
        return rows, self.subset(rows)[0]

    def subset(self, rows: Ints) -> tuple["ListRisk", float]:
        """Return the risk of the lists' rows that are left, and the share of lists left."""
        risk = ListRisk(self.group[rows], self.target[rows], self.weight[rows])
        return risk, risk.begin.size / self.begin.size
