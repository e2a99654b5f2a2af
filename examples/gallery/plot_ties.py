"""
What do ties give away?
=======================

A score with few digits ties many rows. A program that sorts rows by
their score leaves tied rows in the order of the file. If the file
has its best rows first, the measure rises although the score knows
less. How much is given away?
"""

import matplotlib.pyplot as plt
import numpy as np

from rankexp.metrics import ndcg

rng = np.random.default_rng(0)
queries = np.repeat(np.arange(200), 50)
merit = rng.normal(size=len(queries))
relevance = np.digitize(merit, [0.5, 1.5])  # levels 0, 1 and 2
score = merit + 2 * rng.normal(size=len(queries))

# Each query of the file has its most relevant rows first.
order = np.lexsort([-relevance, queries])
relevance, score = relevance[order], score[order]

# %%
# The score is rounded to multiples of a step. ``ties="order"``
# leaves tied rows in the order of the file, ``"reversed"`` takes
# the last row first. The default, ``"expected"``, is the exact mean
# over all their orders.

steps = np.array([0.001, 0.1, 0.3, 1, 3, 10, 100])
rules = {"order": "o--", "expected": "s-", "reversed": "D:"}


def values_of(rule):
    """Return NDCG@10, the mean over the queries, for each step."""
    rounded = [np.round(score / step) for step in steps]
    return [
        ndcg(relevance, s, queries, k=10, ties=rule)
        for s in rounded
    ]


values = {rule: values_of(rule) for rule in rules}

# %%
# On the right all scores of a query are equal.

fig, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
for rule, form in rules.items():
    ax.plot(
        steps, values[rule], form, mfc="none", mew=2, label=rule
    )
ax.set_xscale("log")
ax.set_xlabel("scores are rounded to multiples of")
ax.set_ylabel("NDCG@10 (higher is better)")
ax.legend(title="ties=")
plt.show()

assert values["order"][-1] > 0.999
assert values["expected"][-1] < 0.25

# %%
# With a constant score the order of this file gives an NDCG@10 of
# 1, while the mean over all orders is below 0.25.
