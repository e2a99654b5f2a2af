"""
Is a large gain due to pairs, or to an unbounded step?
======================================================

One row in a hundred is negative. A boosted model gains a lot of AUC
once it is trained on pairs. But training on pairs changes two
things: what is minimised, and how long the first steps can be. With
binary logistic loss a leaf with rows of the rare class can take a
step as long as one over its share. LightGBM can bound steps without
pairs: ``max_delta_step``.
"""

import matplotlib.pyplot as plt
import numpy as np

from rankexp.estimators import BoostedRanker
from rankexp.generators import Linear
from rankexp.metrics import expected_auc

rates = [0.1, 0.2, 0.3]
trees = {"n_rounds": 30, "max_leaf_nodes": 8}
steps = {"max_delta_step": 2.0}
ways = {
    "points": BoostedRanker(risk="points", **trees),
    "points, bounded steps": BoostedRanker(
        risk="points", params=steps, **trees
    ),
    "pairs": BoostedRanker(risk="pairs", **trees),
}

# %%
# Six samples of 5,000 rows are drawn. ``expected_auc`` weights each
# pair of 5,000 new rows by its true probability, so no labels are
# drawn there.


def measured(seed):
    """Return the AUC for each way and each learning rate."""
    rng = np.random.default_rng(seed)
    model = Linear(p=0.99, d=20).draw_model(rng)  # p: of positives
    (X, y), (new, _) = (model.sample(5000, rng) for _ in range(2))
    chances = model.eta(new)

    def area(ranker, rate):
        fit = ranker.set_params(learning_rate=rate).fit(X, y)
        return expected_auc(fit.decision_function(new), chances)

    return [
        [area(r, rate) for rate in rates] for r in ways.values()
    ]


areas = np.array([measured(seed) for seed in range(6)])
means = areas.mean(axis=0)

# %%
# Small marks are the samples, lines their means.

fig, ax = plt.subplots(figsize=(7, 3.8), layout="constrained")
for k, (name, mark) in enumerate(zip(ways, "osD", strict=True)):
    places = np.array(rates) + 0.006 * (k - 1)
    form = f"C{k}{mark}"
    ax.plot(places, areas[:, k].T, form, ms=4, alpha=0.5)
    ax.plot(places, means[k], f"{form}-", ms=9, label=name)
ax.set_xticks(rates)
ax.set_xlabel("learning rate")
ax.set_ylabel("AUC on new rows (higher is better)")
ax.legend(loc="lower left")
plt.show()

plain, short, pairs = means[:, -1]
assert pairs - plain > 0.05
assert abs(pairs - short) < 0.02

# %%
# At a learning rate of 0.3 the mean gain of pairs over points is
# above 0.05, and points with bounded steps come within 0.02 of
# pairs: here the gain was due to the step.
