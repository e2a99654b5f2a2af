"""
QuickSort or counting wins?
===========================

No score is known, only a judge that says of two items which one
stands above the other, and the judge errs. A list can be made in
two ways. QuickSort asks about each item and a few pivots. Counting
wins asks about all pairs and sorts the items by the number of
others that they beat. What do the fewer questions cost?
"""

import matplotlib.pyplot as plt
import numpy as np

from rankexp.preference import quicksort_rank, sort_by_degree
from rankexp.preference.losses import ranking_loss

n = 100
merit = np.arange(n)  # item 99 should stand at the top
items = np.arange(n)

# %%
# The judge errs on a share of the pairs, drawn at random. Asked the
# same pair again it gives the same answer, and asked the other way
# round the opposite one.


def judge(share, rng):
    """Return a function: 1 if u is to stand above v, else 0."""
    wrong = np.triu(rng.random((n, n)) < share, 1)
    above = (merit[:, None] > merit) ^ wrong ^ wrong.T
    return lambda u, v: above[u, v].astype(float)


def measured(share, seed):
    """Return loss and number of questions for both ways."""
    rng = np.random.default_rng(seed)
    h = judge(share, rng)
    lists = quicksort_rank(h, items, rng), sort_by_degree(h, items)
    return [(ranking_loss(r.order, merit), r.calls) for r in lists]


shares = [0, 0.05, 0.1, 0.2, 0.3, 0.4]
found = [
    [measured(share, k) for k in range(30)] for share in shares
]
losses, calls = np.moveaxis(np.mean(found, axis=1), 2, 0)

# %%
# Each mark is a mean over 30 judges. On the line a list has as many
# pairs in the wrong order as the judge.

fig, ax = plt.subplots(figsize=(7, 3.8), layout="constrained")
quick, counting = (f"{count:,.0f}" for count in calls[3])
ax.plot(shares, losses[:, 0], "o--", label=f"QuickSort, {quick}")
ax.plot(
    shares, losses[:, 1], "s-", label=f"counting wins, {counting}"
)
ax.plot(shares, shares, "k-", lw=0.8, label="as many as the judge")
ax.set_xlabel("pairs in the wrong order, judge (share)")
ax.set_ylabel(
    "pairs in the wrong order, list\n(share, lower is better)"
)
ax.legend(title="questions at a share of 0.2")
plt.show()

assert calls[3, 1] == 4950 > 5 * calls[3, 0]
assert losses[3, 0] > 2 * losses[3, 1]

# %%
# Where the judge errs at random on 0.2 of the pairs of 100 items,
# QuickSort asks less than a fifth of the 4,950 questions of
# counting wins, and its lists have more than twice as many pairs in
# the wrong order.
