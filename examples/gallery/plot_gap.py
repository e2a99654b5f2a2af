"""
How far can a fit be from the minimum?
======================================

A fit stops after some iterations. Is it done? Each linear ranker
has a number ``gap_``: the objective is at most so much above its
minimum, as a share of the minimum. The fit computes it without
knowing the minimum, so it is an upper bound. How near is the bound
to the truth?
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler

from rankexp.estimators import LinearRanker

X, y = load_breast_cancer(return_X_y=True)
X = StandardScaler().fit_transform(X)

# %%
# The ranker is stopped early on purpose. It warns then, and this
# warning is not shown here.


def fitted(iterations):
    """Return a ranker that is stopped after so many iterations."""
    ranker = LinearRanker(risk="pairs", lam=0.01, tol=1e-10)
    ranker.set_params(max_iter=iterations)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return ranker.fit(X, y)


counts = np.arange(1, 10)
fits = [fitted(count) for count in counts]
gaps = np.array([fit.gap_ for fit in fits])

# %%
# The truth needs the minimum, which a fit without early stopping
# reaches to ten digits.

least = fitted(500).objective_
truth = np.array([fit.objective_ / least - 1 for fit in fits])

fig, ax = plt.subplots(figsize=(7, 3.8), layout="constrained")
ax.plot(counts, gaps, "s-", label="gap_, known to the fit")
ax.plot(counts, truth, "o--", label="true distance")
ax.axhline(1e-6, color="black", ls=":", label="default tolerance")
ax.set(yscale="log", xticks=counts)
ax.set_xlabel("iterations")
ax.set_ylabel(
    "objective above its minimum\n(share, lower is better)"
)
ax.legend()
plt.show()

assert (gaps >= truth).all()
assert gaps[-1] < 1e-6

# %%
# In all nine fits the gap is at least the true distance, and after
# nine iterations it is below 0.000001.
