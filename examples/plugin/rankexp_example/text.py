"""A text that records keep of a fitted estimator."""

import numpy as np


def coefficients(model, names):
    """Return the features of a linear scorer with their coefficients, the largest first.

    Parameters
    ----------
    model : estimator
        A fitted one, of any class.
    names : sequence of str
        Its features.

    Returns
    -------
    str or None
        None where the estimator has no coefficient for each feature.
    """
    found = np.ravel(getattr(model, "coef_", ()))
    if len(found) != len(names):
        return None
    order = np.argsort(-np.abs(found), kind="stable")
    return "\n".join(f"{names[k]}: {found[k]:.4g}" for k in order)
