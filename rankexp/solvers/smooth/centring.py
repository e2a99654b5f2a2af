"""Rows made ready for the descent: centred where that helps, in few columns, or with a sample."""

import numpy as np

from rankexp.arrays import Floats
from rankexp.solvers.rows import constant_columns, is_sparse, largest_sizes, norms_of
from rankexp.solvers.smooth.objective import A_COLUMN, SOME, Objective, SmoothRisk, some_rows

LARGEST = 1e150  # of a row's norm: its square, times what a Hessian adds up, stays below 1.8e308
NEAR = 0.25  # of the squared norms of rows: smaller means need no copy to be taken off
AT_ONCE = 4  # times as many rows are not sampled where no Hessian is taken. Tuned: 2 to 4
FAR = 100.0  # norms of centred rows: means farther off are taken off in a copy, lest two digits go


def _means(X: Floats) -> Floats:
    """Return the means of the columns, exact if all numbers of a column are equal."""
    mean: Floats = np.ones(X.shape[0]) @ X / X.shape[0]
    if not is_sparse(X):
        still = constant_columns(X)
        mean[still] = X[0, still]
    return mean


def prepare(
    X: Floats, risk: SmoothRisk, *, reduced: bool = True, plain: bool = False, whole: bool = False
) -> Objective:
    """Centre the rows in a copy; many rows implicitly, with a centred sample in addition."""
    # With more columns than rows the problem becomes one in the span of the rows, if it is to be
    # `reduced`. Sparse rows stay as they are. There is no sample if rows are to stay `whole`.
    # Raises FloatingPointError if squares of the features overflow.
    most, few = risk.sampling(X.shape[1])
    many, as_it_is = X.shape[0] > most, is_sparse(X) or not reduced
    apart = reduced or X.shape[0] > AT_ONCE * most or not risk.quick
    if many and not is_sparse(X) and apart and not whole:
        return _sampled(X, risk, few)
    some = X if is_sparse(X) or reduced or plain else some_rows(X, A_COLUMN * X.shape[1])
    mean = _means(some) if risk.centred else np.zeros(X.shape[1])
    if as_it_is:
        norms = norms_of(X) if risk.norms is None else risk.norms
        usual = np.median(norms[:: norms.size // SOME | 1])
        near = (1.0 - FAR**-2 if many or whole else NEAR) * usual**2
        # Steps on a sample of sparse rows would not know rare columns.
        if is_sparse(X) or mean @ mean <= near:
            norms = _in_range(X, norms + np.sqrt(mean @ mean))
            return Objective(X, mean if risk.centred else None, risk, norms, X, mean, plain=plain)
    rows, basis = X - mean, None
    if reduced and rows.shape[1] > rows.shape[0]:
        _in_range(X, norms_of(rows))
        basis, right = np.linalg.qr(rows.T)
        rows = np.ascontiguousarray(right.T)
    return Objective(rows, None, risk, _in_range(X, norms_of(rows)), X, mean, basis=basis)


def _sampled(X: Floats, risk: SmoothRisk, few: int) -> Objective:
    """Return the problem of many rows, and of some, centred at the mean of these."""
    taken, estimate = risk.sample(few)
    some = X[taken]
    mean = _means(some) if risk.centred and taken.size else np.zeros(X.shape[1])
    some -= mean
    sampled = Objective(some, None, estimate, norms_of(some), some, mean)
    rows, left = X, mean if risk.centred else None
    if risk.centred and not np.linalg.norm(mean) <= FAR * np.median(sampled.norms):
        rows, left = X - mean, None
    norms = norms_of(rows) if risk.norms is None or rows is not X else risk.norms
    norms = _in_range(X, norms + (0.0 if rows is not X else float(np.sqrt(mean @ mean))))
    return Objective(rows, left, risk, norms, X, mean, sampled, taken)


def _in_range(X: Floats, norms: Floats) -> Floats:
    """Return the norms of rows; FloatingPointError if the squares of their features overflow."""
    if not norms.max() <= LARGEST:
        size = largest_sizes(X)
        column = f"column {int(size.argmax())} of X (counted from 0)"
        text = f"{column} has values up to {size.max():.3g}: their squares overflow"
        raise FloatingPointError(f"{text}; scale the features, or mark missing values")
    return norms
