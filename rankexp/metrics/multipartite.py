"""Measures of how scores order K levels: pairs of levels, cuts between them, whole tuples."""

from functools import partial

import numpy as np
import numpy.typing as npt

from rankexp.arrays import Floats, Numbers
from rankexp.categories import Order
from rankexp.metrics.bipartite import Ties
from rankexp.metrics.level_counts import cost_matrix, counts
from rankexp.metrics.level_means import Graded, Queries, columns_of, mean_of, told, warn
from rankexp.metrics.metric import Kind, MetricReading, declare, each_column, each_vector
from rankexp.names import Value

REGISTER = {
    "u_ovo": "u_ovo",
    "u_pairs": "u_pairs",
    "u_cons": "u_cons",
    "pair_risk": "pair_risk",
    "vus": "vus",
}

KINDS: tuple[Kind, ...] = ("ordinal", "binary")
AUC = MetricReading(margin=0.01, reach=1.0)
"""Of shares of pairs of levels in order, like the AUC: one pair in a hundred."""
POOLED = MetricReading(margin=0.01, reach=1.0, pooled=True)
PAIRS = "uematsu2010, U_pairs (Waegeman et al., 2008)"
TRIPARTITE = "uematsu2010, A tripartite ranking risk"
SURFACE = "Waegeman, De Baets and Boullart, 2008 (volume under the surface)"
share = partial(declare, "higher", kinds=KINDS, reading=AUC)


@share(source="uematsu2010, U_ovo (Hand and Till, 2001)", label="mean AUC of pairs of levels")
def u_ovo(
    y: npt.ArrayLike,
    scores: npt.ArrayLike,
    levels: Order = None,
    ties: Ties = "expected",
    groups: npt.ArrayLike | None = None,
    queries: Queries = "each",
    sample_weight: npt.ArrayLike | None = None,
) -> float | Floats:
    """Return the mean over all pairs of levels of the AUC between the two.

    Parameters
    ----------
    y : array-like of shape (n,)
        Levels as numbers or ordered categories, worst to best, or any labels with `levels`.
    scores : array-like of shape (n,) or (n, L)
        Real and without NaN (infinite is fine); with two dimensions one column a scorer.
    levels : sequence or int, optional
        The labels of the levels, worst to best, some of which may have no example; or K, how many
        there are, if `y` holds codes 0 .. K-1. By default they are the values in `y`, not words.
    ties : {"expected", "worst", "best"}
        What a pair with equal scores counts: 1/2, 0 (an error, as in the source), or 1.
    groups : array-like of shape (n,), optional
        The query of each row, numbers or words: only pairs within a query count.
    queries : {"each", "pairs"}
        With groups: the mean of their values, or the value of all their pairs together. Groups
        without a value are left out, and counted in an `UndefinedMetricWarning`.
    sample_weight : array-like of shape (n,), optional
        How often each example counts, >= 0: a pair counts the product of two weights.

    Returns
    -------
    float or ndarray of shape (L,)
        In [0, 1], higher is better; NaN if no pair of levels is left. A pair is left out if one
        of its levels has no example, and an `UndefinedMetricWarning` counts it.

    Raises
    ------
    ValueError
        As for :func:`rankexp.metrics.rank_loss`, and if `levels` do not fit the values of `y`.

    Notes
    -----
    O(n log n + K n) a column: one sort, then counts of each level below each score, in integers.
    """
    given = Graded(y, scores, levels, ties, groups, queries, sample_weight)
    return mean_of(
        "u_ovo", lambda C: C[..., *np.triu_indices(C.shape[-1], 1)], "pairs of levels", given
    )


@share(source="uematsu2010, U_cons (Waegeman et al., 2008)", label="mean AUC of cuts")
def u_cons(
    y: npt.ArrayLike,
    scores: npt.ArrayLike,
    levels: Order = None,
    ties: Ties = "expected",
    groups: npt.ArrayLike | None = None,
    queries: Queries = "each",
    sample_weight: npt.ArrayLike | None = None,
) -> float | Floats:
    """Return the mean over all cuts between levels of the AUC between those above and below.

    All else is as for :func:`u_ovo`: a cut with all examples on one side is left out, and an
    `UndefinedMetricWarning` counts it.
    """

    def terms(cells: Numbers) -> Numbers:
        cuts = [cells[..., :k, k:].sum(axis=(-2, -1)) for k in range(1, cells.shape[-1])]
        return np.stack(cuts, -1) if cuts else cells[..., 0, :0]

    given = Graded(y, scores, levels, ties, groups, queries, sample_weight)
    return mean_of("u_cons", terms, "cuts between levels", given)


@each_vector
@share(source=PAIRS, reading=POOLED, label="share of pairs in order")
def u_pairs(
    y: npt.ArrayLike,
    scores: npt.ArrayLike,
    levels: Order = None,
    ties: Ties = "expected",
    groups: npt.ArrayLike | None = None,
    queries: Queries = "each",
    sample_weight: npt.ArrayLike | None = None,
) -> float | Floats:
    """Return the share of pairs of examples of different levels that are in the right order.

    All else is as for :func:`u_ovo`, but a level without an example has no pair to leave out; NaN
    with an `UndefinedMetricWarning` where all examples are of one level.
    """
    given = Graded(y, scores, levels, ties, groups, queries, sample_weight)
    return mean_of(
        "u_pairs", lambda C: np.triu(C, 1).sum(axis=(-2, -1))[..., None], "sets of pairs", given
    )


def _check_costs(levels: int | None, costs: str | float | None = None, **_: Value) -> None:
    if (matrix := _costs(costs)) is not None:
        cost_matrix(matrix, levels or len(matrix))


@declare("lower", source=TRIPARTITE, kinds=KINDS, check=_check_costs, reading=AUC)
def pair_risk(
    y: npt.ArrayLike,
    scores: npt.ArrayLike,
    levels: Order = None,
    costs: str | int | float | npt.ArrayLike | None = None,
    ties: Ties = "expected",
    groups: npt.ArrayLike | None = None,
    queries: Queries = "each",
) -> float | Floats:
    """Return the costs of the pairs in the wrong order over the costs of all pairs.

    It is in [0, 1], lower is better; NaN with an `UndefinedMetricWarning` where no pair of
    examples costs anything. Parameters and errors are those of :func:`u_ovo` without weights, and:

    Parameters
    ----------
    costs : str, number, array-like of shape (K, K), or None
        What it costs to rank an example of a level above one of a better level: a matrix, 0 but
        above the diagonal, or a text with its entries there row by row: ``"1 2 1"`` for three
        levels. With costs for K levels, `levels` is K. None: all pairs cost 1, and this is
        1 - :func:`u_pairs`.
    """
    matrix = _costs(costs)
    y, levels = told(y, levels)
    if matrix is not None:
        wanted, levels = levels, len(cost_matrix(matrix, len(matrix)))
        if wanted not in (None, levels):
            raise ValueError(f"costs are for {levels} levels, but there are {wanted}")

    def terms(cells: Numbers) -> Floats:
        K = cells.shape[-1]
        C = cost_matrix(matrix, K) if K > 1 else np.zeros((K, K))
        C = C / max(C.max(), np.finfo(np.float64).tiny)  # so that no sum overflows
        return np.asarray((C * cells).sum(axis=(-2, -1))[..., None])

    given = Graded(y, scores, levels, ties, groups, queries)
    return mean_of("pair_risk", terms, "sets of pairs that cost", given, lost=True)


@share(source=SURFACE, reading=MetricReading(reach=1.0), label="VUS")
def vus(
    y: npt.ArrayLike, scores: npt.ArrayLike, levels: Order = None, ties: Ties = "expected"
) -> float | Floats:
    """Return the share of tuples with one example of each level that are in the right order.

    Random scores have 1/K!. It is NaN with an `UndefinedMetricWarning` if a level has no example,
    because there is no tuple then, or for a single level. All else is as for :func:`u_ovo`, but:

    Parameters
    ----------
    ties : {"expected", "worst", "best"}
        ``expected``: the expectation over a random order of equal scores, so that m examples of a
        tuple with the same score count 1/m!; else 0 (an error) or 1.
    """
    known, columns = columns_of(Graded(y, scores, levels, ties))
    if known.missing or known.sizes.size < 2:
        warn(known, "1 of 1 sets of tuples")
        return each_column(np.full(len(columns), np.nan), scores)
    values = np.array([_ordered_share(counts(known, s), ties) for s in columns], np.float64)
    return each_column(values, scores)


def _ordered_share(table: Floats, ties: str) -> float:
    """Return the share of ordered tuples from the counts of levels by score, (K, G), in O(K n)."""
    # ``added[k, g]`` is the weight of the ordered tuples of the first k levels that end at the
    # g-th score. Such a tuple goes on from an earlier score with one or more levels at the same.
    K, G = table.shape
    share = table / table.sum(axis=1, keepdims=True)
    added = np.zeros((K + 1, G))
    before = np.ones(G)
    for j in range(K):
        at = share[j].nonzero()[0]
        weight = before[at] * share[j, at]
        for k in range(j + 1, K + 1):
            added[k, at] += weight
            if k == K or ties == "worst" or not at.size:
                break
            weight = weight * share[k, at]
            if ties == "expected":
                weight /= k - j + 1  # a run of m levels counts 1/m! in the end
            kept = weight > 0.0
            at, weight = at[kept], weight[kept]
        upto = added[j + 1].cumsum()
        before = np.concatenate(([0.0], upto[:-1]))
    return min(1.0, float(upto[-1]))


def _costs(costs: str | float | npt.ArrayLike | None) -> Floats | None:
    if costs is None:
        return None
    if not isinstance(costs, str) and np.ndim(costs) > 0:
        return np.asarray(costs, dtype=np.float64)
    try:
        entries = [float(word) for word in str(costs).split()]
    except ValueError:
        entries = []
    K = round((1 + (1 + 8 * len(entries)) ** 0.5) / 2)
    if not entries or len(entries) != K * (K - 1) // 2:
        text = f"costs='{costs}': expected the K (K - 1) / 2 numbers above the"
        raise ValueError(f"{text} diagonal of a matrix, row by row, as in '1 2 1'")
    matrix = np.zeros((K, K))
    matrix[np.triu_indices(K, 1)] = entries
    return matrix
