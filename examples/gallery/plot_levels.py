"""
Levels: proportional odds or pairs?
===================================

Diabetes has progressed little, more or far: three ordered levels. The
proportional-odds model is logistic regression for such levels, and it
looks at one patient at a time. A ranker can train on all pairs of
patients with different levels instead. Which one puts more pairs of new
patients in the right order?
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rankexp.estimators import LinearRanker, ProportionalOdds
from rankexp.statistics import paired

X, progression = load_diabetes(return_X_y=True)
y = np.digitize(progression, [100, 200])  # 0, 1, 2: worse and worse
splits = RepeatedStratifiedKFold(n_splits=5, n_repeats=4, random_state=0)

# %%
# The score of both is the share of pairs of different levels in the right
# order. Both have a linear score and the same penalty.


def shares(ranker):
    """Return the share of pairs in order on each of the 20 test parts."""
    model = make_pipeline(StandardScaler(), ranker)
    return cross_val_score(model, X, y, cv=splits)


of_odds = shares(ProportionalOdds(lam=0.001))
of_pairs = shares(LinearRanker(risk="multipartite", lam=0.001))

# %%
# Splits share training rows, so that the interval of the difference needs
# the ratio of test to training rows, 1 to 4. A mark is a split. Above the
# line pairs are better, below it proportional odds are.

found = paired.estimate(of_pairs - of_odds, correction=1 / 4)
low, high = paired.interval(found, 0.95)
print(f"pairs minus proportional odds: {found.mean:.4f}")

fig, ax = plt.subplots(figsize=(5, 4.6), layout="constrained")
ax.plot(of_odds, of_pairs, "o", ms=7, alpha=0.6)
ends = np.array([0.72, 0.92])
ax.plot(ends, ends, color="black", lw=0.8)
ax.fill_between(ends, ends - 0.01, ends + 0.01, color="0.9", label="±0.01")
ticks = [0.75, 0.8, 0.85, 0.9]
ax.set(aspect="equal", xlim=ends, ylim=ends, xticks=ticks, yticks=ticks)
ax.set_xlabel(
    "proportional odds: pairs in order\n(share, higher is better)"
)
ax.set_ylabel("pairs: pairs in order\n(share, higher is better)")
ax.legend(loc="upper left")
plt.show()

assert -0.01 < low < high < 0.01

# %%
# On these 442 patients neither is better by an amount that matters: the
# 95 % interval of the difference lies within ±0.01.
