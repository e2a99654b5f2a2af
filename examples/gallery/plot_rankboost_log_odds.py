"""
What does a RankBoost score estimate?
=====================================

RankBoost minimises the exponential loss over pairs. In theory its
score tends to half the log of the ratio of the densities of both
classes, plus a constant. With equal classes that is half of the log
odds. Here the truth is known: the classes are normal with means -1
and 1 and variance 1, and half the log ratio at x is x itself.
"""

import matplotlib.pyplot as plt
import numpy as np

from rankexp.estimators import RankBoost
from rankexp.generators import Gaussian
from rankexp.theory import half_log_ratio

rng = np.random.default_rng(0)
model = Gaussian(means=[-1, 1], stratified=True).draw_model(rng)
X, y = model.sample(10_000, rng)

# %%
# The 25 million pairs are never listed, so fifty rounds take a
# moment. Scores are compared where most rows are, from -1.5 to 1.5.

ranker = RankBoost(n_rounds=50).fit(X, y)
x = np.linspace(-1.5, 1.5, 301)[:, None]
truth = half_log_ratio(model, x)
score = ranker.decision_function(x)
score -= score.mean()  # only differences of scores mean anything

# %%
# The slope of the score over the truth is 1 if the theory holds.

slope = np.polyfit(truth, score, 1)[0]
print(f"slope {slope:.2f}")

fig, ax = plt.subplots(figsize=(7, 3.8), layout="constrained")
ax.plot(x, score, drawstyle="steps-mid", lw=2, label="RankBoost")
ax.plot(x, truth, "--", color="black", label="half the log ratio")
ax.plot(x, 2 * truth, ":", color="C1", lw=2, label="the log ratio")
ax.set_ylim(-2.5, 2.5)
ax.set_xlabel("feature (no unit)")
ax.set_ylabel("score, less its mean")
ax.legend()
plt.show()

assert abs(slope - 1) < 0.1

# %%
# On these 10,000 rows the score rises with half the log ratio, at a
# slope within 0.1 of 1.
