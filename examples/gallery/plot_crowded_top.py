"""
What helps when the top is crowded?
===================================

Half of the rows are positive. Most negatives lie lower, but those
with extreme values of one feature reach the top of the list, and a
linear score cannot tell them apart. The p-norm push is a loss over
pairs that was made for the top: negatives that rank high count
most. Does the top gain, and does it need pairs?
"""

import matplotlib.pyplot as plt
import numpy as np

from rankexp.estimators import LinearRanker
from rankexp.generators import Gaussian
from rankexp.metrics import auc, mean_average_precision

wide, narrow = [9, 1, 1, 1, 1], [1, 1, 1, 1, 1]
crowded = Gaussian(
    means=[[0, 0, 0, 0, 0], [1.5, 1, 0, 0, 0]],
    variances=[wide, narrow],
)

# %%
# Each ranker is compared with plain logistic regression on the same
# twelve samples, of 1,000 rows to train on and 5,000 new ones. The
# average precision looks at the top, the AUC at the whole list.
# ``p_classification`` is an asymmetric loss of single rows.

asymmetric = "p_classification(p=4)"
rankers = {
    "plain": LinearRanker(),
    "pairs": LinearRanker(risk="pairs"),
    "push (pairs)": LinearRanker(risk="push(p=4)"),
    "asymmetric (points)": LinearRanker(loss=asymmetric),
}
for ranker in rankers.values():
    ranker.set_params(lam=0.001)  # the penalty


def measured(seed):
    """Return the average precision and the AUC of each ranker."""
    rng = np.random.default_rng(seed)
    model = crowded.draw_model(rng)
    X, y = model.sample(1000, rng)
    new, truth = model.sample(5000, rng)
    found = []
    for ranker in rankers.values():
        s = ranker.fit(X, y).decision_function(new)
        precision = mean_average_precision(truth > 0, s)
        found.append((precision, auc(truth, s)))
    return found


values = np.array([measured(seed) for seed in range(12)])
gains = values - values[:, :1]  # (samples, rankers, measures)

# %%
# A mark is a sample. Gains are those over plain logistic
# regression. To the right of 0 the top gains, below 0 the whole
# list loses.

fig, ax = plt.subplots(figsize=(7, 4), layout="constrained")
ax.axhline(0, color="0.5", lw=0.8)
ax.axvline(0, color="0.5", lw=0.8)
for k, name in enumerate(rankers):
    if name != "plain":  # its gains are 0
        places = gains[:, k].T
        ax.plot(*places, " osD"[k], mfc="none", mew=1.5, label=name)
ax.set_xlabel("gain in average precision (higher is better)")
ax.set_ylabel("gain in AUC (higher is better)")
ax.legend()
plt.show()

*_, push, points = gains.mean(axis=0)
assert np.allclose(push, [0.015, -0.005], atol=0.002)
assert np.allclose(push, points, atol=0.002)

# %%
# In the mean over these samples the push gains about 0.015 of
# average precision and loses about 0.005 of AUC, and an asymmetric
# loss of single rows does the same to within 0.002.
