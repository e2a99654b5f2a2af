"""
AUC or log loss?
================

A boosted model is to rank well, so its AUC counts. Its
probabilities are to be good as well, so its log loss counts, too.
Training on pairs sees only differences of scores. Does it pay with
its log loss for its AUC?
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.model_selection import StratifiedKFold

from rankexp.estimators import BoostedRanker
from rankexp.metrics import auc, log_loss

X, progression = load_diabetes(return_X_y=True)
y = progression > 200  # 104 of 442 rows
splits = StratifiedKFold(5, shuffle=True, random_state=0)

# %%
# ``decision_function`` gives scores on the scale of log odds. A
# model that is trained on pairs adds one number to all of them, its
# ``intercept_``, such that the mean probability fits the training
# rows. Without that number the order of the rows is the same.


def measured(risk, *, shifted=True):
    """Return the means of AUC and log loss over the splits."""
    values = []
    for train, test in splits.split(X, y):
        model = BoostedRanker(risk=risk, max_leaf_nodes=4)
        model.set_params(n_rounds=30).fit(X[train], y[train])
        s = model.decision_function(X[test])
        s = s if shifted else s - model.intercept_
        values.append((auc(y[test], s), log_loss(y[test], s)))
    return np.mean(values, axis=0)


found = {
    "points": measured("points"),
    "pairs": measured("pairs"),
    "pairs, no number added": measured("pairs", shifted=False),
}

# %%
# One point for each way of training. The best place is at the top
# left.

fig, ax = plt.subplots(figsize=(7, 3.4), layout="constrained")
marks = dict(zip(found, "osD", strict=True))
for name, (area, loss) in found.items():
    ax.plot(loss, area, marks[name], ms=10, alpha=0.8, label=name)
ax.set(xlim=(0.38, 0.47), ylim=(0.85, 0.88))
ax.set_xlabel("log loss (lower is better)")
ax.set_ylabel("AUC (higher is better)")
ax.legend(title="trained on", loc="upper right")
plt.show()

points, pairs, bare = found.values()
assert np.abs(pairs - points).max() < 0.01
assert bare[1] - pairs[1] > 0.03

# %%
# On these 442 rows points and pairs differ by less than 0.01 in
# both measures, but without the added number the log loss of pairs
# is larger by more than 0.03.
