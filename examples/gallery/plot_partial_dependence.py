"""
What does a ranker make of a feature?
=====================================

A boosted ranker is trained on pairs of patients, so that those
whose diabetes progresses far rank first. Its score is a sum of many
trees. What does it make of one feature, the body mass index?
scikit-learn's partial dependence sets the index of all patients to
the same value and takes the mean of their scores.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.inspection import PartialDependenceDisplay

from rankexp.estimators import BoostedRanker

data = load_diabetes(as_frame=True, scaled=False)
X, y = data.data, data.target > 200

# %%
# Scores have no unit, and only their differences mean something. A
# difference of 1 is a factor of e = 2.7 in the odds that two
# patients are in this order.

ranker = BoostedRanker(n_rounds=50, max_leaf_nodes=4).fit(X, y)

# %%
# Thin lines are single patients. All lines start at 0. The black
# strokes on the axis divide the patients into tenths.

fig, ax = plt.subplots(figsize=(7, 4), layout="constrained")
display = PartialDependenceDisplay.from_estimator(
    ranker,
    X,
    ["bmi"],
    response_method="decision_function",
    kind="both",
    centered=True,
    subsample=60,
    random_state=0,
    pd_line_kw={"color": "C1", "lw": 3, "ls": "-", "label": "mean"},
    ice_lines_kw={"color": "C0", "alpha": 0.3},
    ax=ax,
)
(axes,) = display.axes_.ravel()
axes.set_xlabel("body mass index (kg/m²)")
axes.set_ylabel(
    "score above that at the left\n(higher ranks first)"
)
plt.show()

found = display.pd_results[0]
grid, mean = found["grid_values"][0], found["average"][0]
(rise,) = np.diff(np.interp([22, 34], grid, mean))
print(f"from 22 to 34 kg/m² the mean score rises by {rise:.2f}")
assert rise > 1.5

# %%
# On these 442 patients the mean score rises by more than 1.5 from a
# body mass index of 22 to one of 34 kg/m².
