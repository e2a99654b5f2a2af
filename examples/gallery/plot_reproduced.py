"""
Reproduced, near, or cannot tell?
=================================

A paper prints a mean AUC over ten random samples, with three
digits. The same experiment is run again on samples of its own, and
its mean differs. Is the number reproduced? Both means are random,
so the run's own error is not enough. rankexp calls a number
reproduced where 95 % of perfect reproductions are, and says so if
that proves nothing. How often does a perfect reproduction pass?
"""

import matplotlib.pyplot as plt
import numpy as np

from rankexp.runner.analyse import reproduced

rng = np.random.default_rng(0)
margin = 0.01

# %%
# A perfect reproduction draws from the same distribution as the
# paper: here the AUC of a sample is normal with mean 0.85 and
# standard deviation 0.01. A difference of 0.01 is the smallest one
# that matters.


def verdict(samples):
    """Return what is said of one perfect reproduction."""
    printed = round(rng.normal(0.85, 0.01, 10).mean(), 3)
    run = rng.normal(0.85, 0.01, samples)
    error = run.std(ddof=1) / np.sqrt(samples)
    within = reproduced.tolerance(
        error, samples - 1, samples, 10, 0.001
    )
    return reproduced.reproduction(
        run.mean() - printed, within, margin
    )


sizes = [3, 5, 10, 20, 50, 100]
words = ["reproduced", "near", "not reproduced", "cannot tell"]
said = [[verdict(size) for _ in range(500)] for size in sizes]
shares = {w: [row.count(w) / 500 for row in said] for w in words}

# %%
# What is said of 500 perfect reproductions, by the samples of the
# run:

fig, ax = plt.subplots(figsize=(7, 3.8), layout="constrained")
bottom = np.zeros(len(sizes))
looks = ("C0", ""), ("C1", "///"), ("black", ""), ("0.85", "...")
for word, (colour, hatch) in zip(words, looks, strict=True):
    look = {"color": colour, "hatch": hatch, "edgecolor": "white"}
    names = [str(size) for size in sizes]
    ax.bar(names, shares[word], bottom=bottom, label=word, **look)
    bottom += shares[word]
ax.set_xlabel("samples of the run (the paper has 10)")
ax.set_ylabel("share of perfect reproductions")
fig.legend(loc="outside right upper", reverse=True, frameon=False)
plt.show()

assert shares["cannot tell"][sizes.index(3)] > 0.85
assert 0.92 < shares["reproduced"][sizes.index(50)] < 0.97

# %%
# With 3 samples more than 85 % of perfect reproductions get the
# answer *cannot tell*, and with 50 samples between 92 % and 97 %
# are called reproduced.
