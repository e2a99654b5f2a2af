"""
Queries: do all pairs count alike, or all queries?
==================================================

Rows come in queries, and only pairs of rows of one query count. A
query of 200 rows has about a hundred times as many pairs as one of
20. If all pairs count alike, the long queries decide what the score
looks at. If all queries count alike, the many short ones do. What
is the difference when long and short queries need different
features?
"""

import matplotlib.pyplot as plt
import numpy as np

from rankexp.estimators import LinearRanker
from rankexp.metrics import u_pairs

# %%
# There are 5 long queries and 50 short ones. Relevance follows the
# first feature in long queries, and the second one in short
# queries.

marks = {"pairs": "o", "each": "s", "across": "D"}


def sample(rng):
    """Return features, relevance, query, and if it is long."""
    sizes = np.repeat([200, 20], [5, 50])
    queries = np.repeat(np.arange(len(sizes)), sizes)
    long = np.repeat(sizes == 200, sizes)
    X = rng.normal(size=(len(long), 2))
    merit = np.where(long, *X.T) + rng.normal(size=len(long))
    return X, np.digitize(merit, [-1, 1]), queries, long


def measured(counted, seed):
    """Return the pairs in order in long and in short queries."""
    rng = np.random.default_rng(seed)
    X, y, queries, _ = sample(rng)
    ranker = LinearRanker(risk="multipartite", lam=0.001)
    ranker.set_params(queries=counted).fit(X, y, groups=queries)
    X, y, queries, long = sample(rng)
    s = ranker.predict(X)
    return [
        u_pairs(y[r], s[r], groups=queries[r])
        for r in (long, ~long)
    ]


shares = {
    c: [measured(c, seed) for seed in range(10)] for c in marks
}

# %%
# ``queries="pairs"`` is the default. ``"across"`` ignores queries
# and also takes pairs of rows of different ones. A mark is one of
# ten samples.

fig, ax = plt.subplots(figsize=(7, 4), layout="constrained")
for counted, mark in marks.items():
    places = np.transpose(shares[counted])
    ax.plot(*places, mark, mfc="none", mew=1.5, label=counted)
ax.set_xlabel(
    "in long queries: pairs in order (share, higher is better)"
)
ax.set_ylabel(
    "in short queries: pairs in order\n(share, higher is better)"
)
ax.set(xlim=(0.45, 0.9), ylim=(0.45, 0.9))
ax.legend(title="queries=")
plt.show()

long_pairs, short_pairs = np.mean(shares["pairs"], axis=0)
long_each, short_each = np.mean(shares["each"], axis=0)
assert min(long_pairs, short_each) > 0.75
assert max(short_pairs, long_each) < 0.65

# %%
# In the mean over these samples, if all pairs count alike, more
# than 75 % of the pairs are in order in long queries and fewer than
# 65 % in short ones; if all queries count alike, it is the other
# way round.
