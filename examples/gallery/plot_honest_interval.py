"""
How wide is an honest interval?
===============================

Two methods that are equally good are compared by cross-validation,
and the differences of the folds get a 95 % interval. An honest one
contains 0 in 95 of 100 studies. Repeating the cross-validation
gives more differences, and a narrower interval. But it is the same
data each time: does the interval stay honest?
"""

import matplotlib.pyplot as plt
import numpy as np

from rankexp.statistics import paired

n, folds, repeats, studies = 100, 10, 10, 2000

# %%
# In each study a method predicts a number by the mean of the
# training rows, and the other method does so for another number
# with the same distribution. What is compared are their squared
# errors, fold by fold.

rng = np.random.default_rng(0)
numbers = rng.normal(size=(studies, n, 2))


def differences():
    """Return the differences of ten folds, for each study."""
    order = np.argsort(rng.random((studies, n)), axis=1)
    rows = np.take_along_axis(numbers, order[:, :, None], axis=1)
    tests = rows.reshape(studies, folds, n // folds, 2)
    sums = numbers.sum(axis=1)[:, None] - tests.sum(axis=2)
    means = sums / (n - n // folds)
    errors = ((tests - means[:, :, None]) ** 2).mean(axis=2)
    return errors[..., 0] - errors[..., 1]


found = np.hstack([differences() for _ in range(repeats)])

# %%
# The plain interval takes all differences as independent. The
# corrected one (Nadeau and Bengio) adds the ratio of test to
# training rows to 1 over the number of differences, here 1 to 9.
# Above the dotted line intervals are wider than they must be, below
# it they promise too much.


def share_with_0(repeat, correction):
    """Return the share of studies whose interval contains 0."""
    seen = paired.estimate(found[:, : folds * repeat], correction)
    low, high = paired.interval(seen, 0.95)
    return np.mean((low <= 0) & (high >= 0))


counts = np.arange(1, repeats + 1)
plain = [share_with_0(k, 0) for k in counts]
corrected = [share_with_0(k, 1 / 9) for k in counts]

fig, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
ax.axhline(0.95, color="black", ls=":", label="honest: 0.95")
ax.plot(counts, corrected, "s-", color="C1", label="corrected")
ax.plot(counts, plain, "o--", color="C0", label="plain")
ax.set(ylim=(0, 1.05), xticks=counts)
ax.set_xlabel("repeats of ten folds on the same rows")
ax.set_ylabel("intervals that contain 0\n(share, 0.95 is right)")
ax.legend(loc="lower left")
plt.show()

wider = np.sqrt((1 / (folds * repeats) + 1 / 9) * folds * repeats)
assert abs(wider - 3.5) < 0.05
assert plain[-1] < 0.5 and min(corrected) > 0.94

# %%
# After ten repeats an honest interval is 3.5 times as wide as the
# plain one: fewer than half of the plain intervals contain 0, and
# more than 94 % of the corrected ones.
