"""An estimator: whatever keeps to scikit-learn's rules can be a method."""

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data


class Covariance(BaseEstimator):
    """Score by the covariance of each feature with y, over its variance plus `shrink`.

    Parameters
    ----------
    shrink : float
        The larger, the less a feature's own variance counts.
    """

    def __init__(self, shrink: float = 1.0) -> None:
        self.shrink = shrink

    def fit(self, X, y):
        """Take the covariances."""
        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True)
        centred = X - X.mean(axis=0)
        covariance = (centred * (y - y.mean())[:, None]).mean(axis=0)
        self.coef_ = covariance / (centred.var(axis=0) + self.shrink)
        return self

    def predict(self, X):
        """Return scores, (n,): sums of each row alone, so that equal rows tie to the last bit."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, order="C", reset=False)
        return (X * self.coef_).sum(axis=1)
