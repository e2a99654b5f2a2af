"""
Must I train on pairs?
======================

A score is wanted that ranks malignant tumours above benign ones.
Logistic regression looks at one tumour at a time. The AUC, which
measures the ranking, looks at pairs of a malignant and a benign
one. Does a score rank better if it is trained on these pairs? Both
scores are trained on the same splits, with the same loss, and the
difference is taken split by split.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import RepeatedStratifiedKFold as Folds
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rankexp.estimators import LinearRanker
from rankexp.statistics import paired
from rankexp.statistics.design import Design

X, y = load_breast_cancer(return_X_y=True)
y = y == 0  # malignant
splits = Folds(n_splits=5, n_repeats=4, random_state=0)

# %%
# The parameter ``risk`` decides: ``"points"`` trains on single
# rows, ``"pairs"`` on all pairs of a positive and a negative row.
# The score of each ranker is the AUC.


def aucs(risk):
    """Return the AUC on each of the 20 test parts."""
    ranker = LinearRanker(loss="logistic", risk=risk, lam=0.001)
    model = make_pipeline(StandardScaler(), ranker)
    return cross_val_score(model, X, y, cv=splits)


gains = aucs("pairs") - aucs("points")

# %%
# The training parts of two splits share most of their rows, so the
# usual interval would be too narrow. The corrected one takes the
# ratio of test rows to training rows into account, here 1 to 4.

design = Design("folds", correction=1 / 4, examples=len(y))
found, _ = paired.of_design(gains, design)
low, high = paired.interval(found, 0.95)

fig, ax = plt.subplots(figsize=(7, 3), layout="constrained")
ax.axvspan(-0.01, 0.01, color="0.93", label="within ±0.01")
ax.axvline(0, color="0.4", lw=0.8)
heights = np.linspace(0, 0.5, len(gains))
ax.plot(gains, heights, "o", color="C0", alpha=0.6, label="a split")
ax.plot(found.mean, 0.8, "D", color="black", label="mean")
ax.plot([low, high], [0.8] * 2, "k|-", label="95 % interval")
ax.set(xlim=(-0.015, 0.015), ylim=(-0.1, 1), yticks=[])
ax.set_xlabel(
    "AUC on pairs − AUC on points (above 0: pairs are better)"
)
fig.legend(loc="outside upper center", ncols=4, frameon=False)
plt.show()

assert -0.01 < low < high < 0.01

# %%
# On these 569 tumours it makes no difference that matters: the 95 %
# interval of the difference in AUC lies within ±0.01.
