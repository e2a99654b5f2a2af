"""
Levels: proportional odds or pairs?
===================================

Diabetes has progressed little, more or far: three ordered levels.
The proportional-odds model is logistic regression for such levels,
and it looks at one patient at a time. A ranker can train on all
pairs of patients with different levels instead. Which one puts more
pairs of new patients in the right order?
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.model_selection import train_test_split

import rankexp

table, progression = load_diabetes(return_X_y=True, as_frame=True)
table["level"] = np.digitize(progression, [100, 200])  # 2: far
train, test = train_test_split(
    table, test_size=0.4, random_state=0, stratify=table["level"]
)

# %%
# ``rankexp.compare`` asks this of any table. It tunes each method
# on the training rows, measures it once on the test rows, and
# compares a method on pairs with the one on points that has the
# same loss. On levels ``points-logistic`` is the proportional-odds
# model. ``points-hinge`` is a support vector machine with a
# threshold between the levels.

answer = rankexp.compare(
    train,
    test=test,
    target="level",
    jobs=1,
    methods=[
        "points-logistic",
        "pairs-logistic",
        "points-hinge",
        "pairs-hinge",
    ],
)
rows = answer.contrasts.set_index("method")
columns = ["difference", "low_all", "high_all"]
print(rows[[*columns, "verdict"]].round(4))

# %%
# The two intervals hold together with a probability of 95 %.

fig, ax = plt.subplots(figsize=(7, 3), layout="constrained")
ax.axvspan(-0.01, 0.01, color="0.93", label="within ±0.01")
ax.axvline(0, color="0.4", lw=0.8)
for height, name in enumerate(rows.index):
    middle, low, high = rows.loc[name, columns]
    ax.plot([low, high], [height] * 2, "|-", color=f"C{height}")
    ax.plot(middle, height, "Do"[height], color=f"C{height}", ms=8)
ax.set_yticks(range(len(rows)), rows.index)
ax.set(xlim=(-0.02, 0.02), ylim=(-0.5, 1.5))
ax.set_xlabel(
    "share of pairs in order, trained on pairs − on points\n"
    "(above 0: pairs are better)"
)
ax.legend(loc="lower left")
plt.show()

_, low, high = rows.loc["pairs-logistic", columns]
assert -0.01 < low < high < 0.01

# %%
# On these 177 new patients the interval of the difference to
# proportional odds, in the share of pairs in order, lies within
# ±0.01.
