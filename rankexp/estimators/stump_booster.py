"""What the boosting estimators share: sums of weighted stumps, and examples held out."""

from collections.abc import Iterator, Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from rankexp.registry import did_you_mean
from rankexp.solvers.result import Floats
from rankexp.solvers.stumps import CUTS, Steps, Stump

Ints = npt.NDArray[np.int64]


def one_of(what: str, value: Any, known: Sequence[str]) -> None:
    """Raise ValueError where a parameter isn't one of some words."""
    if value not in known:
        hint = did_you_mean(str(value), known)
        raise ValueError(f"unknown {what} {value!r}{hint}; known: {', '.join(known)}")


class StumpBooster(BaseEstimator):  # type: ignore[misc]
    """A sum of weighted stumps; a subclass says how it is trained.

    A subclass has the parameters `n_rounds`, `cuts`, `n_cuts` and `smoothing`.
    """

    def _check_boosting(self) -> None:
        one_of("cuts", self.cuts, CUTS)
        for name in ("n_rounds", "n_cuts"):
            value = getattr(self, name)
            if not (isinstance(value, Integral) and int(value) >= 1):
                raise ValueError(f"{name} must be an integer >= 1, got {value!r}")
        d = self.smoothing
        if d is not None and not (isinstance(d, Real) and 0.0 <= float(d) < np.inf):
            raise ValueError(f"smoothing must be None or a finite number >= 0, got {d!r}")

    def _keep(self, stumps: Sequence[Stump], alphas: Sequence[float]) -> None:
        """Set the attributes of the rounds."""
        self.stump_features_ = np.array([s.feature for s in stumps], dtype=np.int64)
        self.stump_thresholds_ = np.array([s.threshold for s in stumps], dtype=np.float64)
        self.alphas_ = np.array(alphas, dtype=np.float64)
        self.n_iter_ = len(stumps)

    def _forget(self, *attributes: str) -> None:
        """Delete what an earlier fit of another kind may have left."""
        for name in attributes:
            if hasattr(self, name):
                delattr(self, name)

    def _sum(self, X: Floats, height: float = 1.0) -> Floats:
        """Return the sum of ``height · alpha`` over stumps that a row is above, (n,)."""
        heights = height * self.alphas_
        return Steps(self.stump_features_, self.stump_thresholds_, heights)(X)

    def _staged(self, X: Any, height: float = 1.0) -> Iterator[Floats]:
        """Yield these sums after each round."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, order="C", reset=False)
        s = np.zeros(X.shape[0])
        for feature, threshold, alpha in zip(
            self.stump_features_, self.stump_thresholds_, self.alphas_, strict=True
        ):
            s[X[:, feature] > threshold] += height * alpha
            yield s.copy()


def group_numbers(groups: Any, n: int) -> Ints | None:
    """Return groups as numbers 0 .. G-1, (n,); None for none.

    Raises
    ------
    ValueError
        Where there isn't one for each row.
    """
    if groups is None:
        return None
    labels = np.asarray(groups)
    if labels.shape != (n,):
        raise ValueError(f"groups must be of shape ({n},), one a row, got shape {labels.shape}")
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)


def held_out(
    codes: Ints, groups: Ints | None, share: float, rng: np.random.RandomState
) -> npt.NDArray[np.bool_]:
    """Return which rows are for validation: a share of each level, or of the groups, whole."""
    out = np.zeros(codes.size, dtype=bool)
    if groups is not None:
        kinds = np.unique(groups)
        size = min(max(1, round(share * kinds.size)), kinds.size - 1)
        return np.isin(groups, rng.permutation(kinds)[:size])
    for level in np.unique(codes):
        rows = np.flatnonzero(codes == level)
        out[rng.permutation(rows)[: round(share * rows.size)]] = True
    return out


class PairError:
    """The share of pairs in the wrong order, weighted by costs, within groups; a tie counts ½.

    Parameters
    ----------
    codes : ndarray of shape (n,), int
    costs : ndarray of shape (K, K)
        Above the diagonal.
    groups : ndarray of shape (n,), int, or None

    Raises
    ------
    ValueError
        Where there is no pair.
    """

    def __init__(self, codes: Ints, costs: Floats, groups: Ints | None) -> None:
        n = codes.size
        self.base = np.zeros_like(codes) if groups is None else groups * (n + 1)
        self.top = n + 1
        self.rows = [np.flatnonzero(codes == level) for level in range(costs.shape[0])]
        self.pairs = [
            (cost, self.rows[a], self.rows[b])
            for (b, a), cost in np.ndenumerate(costs)
            if cost > 0.0
        ]
        self.mass = self._sum(lambda low, mine, start, end: end - start, np.zeros(n))
        if self.mass == 0.0:
            raise ValueError(
                "the validation part holds no pair to rank: raise validation_fraction, "
                "or set it to None"
            )

    def _sum(self, of: Any, s: Floats) -> float:
        keys = self.base + np.unique(s, return_inverse=True)[1]
        total = 0.0
        for cost, upper, lower in self.pairs:
            low, mine = np.sort(keys[lower]), keys[upper]
            start = low.searchsorted(self.base[upper])
            end = low.searchsorted(self.base[upper] + self.top)
            total += cost * float(np.sum(of(low, mine, start, end)))
        return total

    def __call__(self, s: Floats) -> float:
        """Return the error of scores, (n,)."""

        def lost(low: Ints, mine: Ints, start: Ints, end: Ints) -> Floats:
            at_most = low.searchsorted(mine, side="right")
            return end - 0.5 * (at_most + low.searchsorted(mine))

        return self._sum(lost, s) / self.mass
