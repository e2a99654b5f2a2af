"""The support vector machine for ordered levels."""

from dataclasses import dataclass

from rankexp.arrays import Floats, Ints, PerRow
from rankexp.categories import Levels
from rankexp.estimators.parameters import Rows, copied, one_of
from rankexp.estimators.threshold_model import ThresholdModel
from rankexp.solvers.ordinal.threshold_hinge import threshold_hinge_path
from rankexp.solvers.ordinal.threshold_terms import thresholds
from rankexp.solvers.result import PathResult

REGISTER = {"OrdinalSVM": "OrdinalSVM"}

CONSTRAINTS = ("adjacent", "all")


@dataclass(eq=False, repr=False)
class OrdinalSVM(ThresholdModel):
    """Chu and Keerthi's support vector machine: one direction, parallel thresholds.

    It minimises ``lam/2 ||w||²`` + the mean over examples of their hinge losses: of
    ``max(0, 1 - w·x + theta)`` at thresholds that the example is to be above, and
    ``max(0, 1 + w·x - theta)`` at those that it is to be below. Thresholds are free.

    Parameters
    ----------
    constraints : {"adjacent", "all"}
        The thresholds at which an example has a loss: those next to its level, which are then
        made to be in order (the source's explicit constraints), or every one (implicit
        constraints: the order comes by itself).
    lam : float
        Penalty of ``||w||²``, > 0.
    levels : sequence or None
        The levels, worst to best. None: the numbers in y. A level without an example changes
        nothing in the fit, as if it had not been declared: its thresholds are equal, or infinite
        where it is at an end.
    tol, max_iter
        As for `LinearRanker`.

    Attributes
    ----------
    coef_ : ndarray of shape (1, d)
    intercept_ : ndarray of shape (1,)
        0: the thresholds take its place.
    thresholds_ : ndarray of shape (K - 1,)
        Non-decreasing; each in the middle of where it may be.
    levels_ : ndarray of shape (K,)
    objective_, gap_ : float
        The objective, and how far it can be above the minimum, relative to it; certified.
    n_iter_ : int

    Notes
    -----
    Weights of rows in `fit` and `path` must be whole numbers: rows are copied.

    References
    ----------
    Chu and Keerthi, Support vector ordinal regression, Neural Computation 19 (2007), 792-815.
    With n examples their C is ``1 / (lam n)``.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.arange(6.0)[:, None], ["low", "low", "mid", "mid", "high", "high"]
    >>> model = OrdinalSVM(levels=["low", "mid", "high"]).fit(X, y)
    >>> model.predict_level([[0.0], [5.0]])
    array(['low', 'high'], dtype='<U4')
    """

    zero_lam = False

    constraints: str = "adjacent"
    lam: float = 1e-2
    levels: Levels | None = None
    tol: float = 1e-6
    max_iter: int = 200

    def check(self, lam: float | None = None) -> None:
        """Raise ValueError where the parameters are impossible, without any data."""
        one_of("constraints", self.constraints, CONSTRAINTS)
        super().check(lam)

    def _rows(self, X: Floats, sample_weight: PerRow) -> tuple[Rows, Floats | None]:
        return copied(X, sample_weight, "OrdinalSVM"), None

    def _solve(self, X: Floats, codes: Ints, lams: Floats, weight: Floats | None) -> PathResult:
        return threshold_hinge_path(
            X, codes, lams, every=self.constraints == "all", tol=self.tol, max_iter=self.max_iter
        )

    def _thresholds(self, s: Floats, codes: Ints, weight: Floats | None) -> Floats:
        return thresholds(s, codes, every=self.constraints == "all")
