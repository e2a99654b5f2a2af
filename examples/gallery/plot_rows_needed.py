"""
How many rows until two methods can be told apart?
==================================================

Two scores are trained, and their AUC is compared on new rows. On
few of them the interval of the difference contains 0, so that
nothing is decided. How many more rows would probably decide it? The
first rows say so: they show the size of the difference and how much
rows vary.
"""

import matplotlib.pyplot as plt
import numpy as np

from rankexp.estimators import LinearRanker
from rankexp.generators import Linear
from rankexp.metrics.level_counts import won
from rankexp.statistics import paired
from rankexp.statistics.needed import Growth, needed
from rankexp.statistics.orders import from_won

rng = np.random.default_rng(0)
model = Linear(p=0.9, d=20).draw_model(rng)
X, y = model.sample(300, rng)
first = LinearRanker(loss="exponential", lam=0.001).fit(X, y)
second = LinearRanker(loss="hinge", risk="pairs", lam=0.001)
second.fit(X, y)

# %%
# ``won`` counts the pairs that each row wins. DeLong's method takes
# the standard error of the difference from these counts.

new, labels = model.sample(64_000, rng)
positive = (labels > 0).astype(int)
scores = [r.decision_function(new) for r in (second, first)]


def difference(n):
    """Return the difference of the two AUCs on the first n rows."""
    wins = [won(positive[:n], s[:n]) for s in scores]
    return from_won(positive[:n], np.array(wins)).difference(0, 1)


pilot = difference(1000)
times = needed(pilot, None, Growth(), alpha=0.05, power=0.8)
asked = round(1000 * times.data_to_show)
print(f"asked for: {asked} rows")

# %%
# The interval on growing numbers of rows. ``needed`` saw the first
# 1,000 of them only, and asks for a chance of 80 % to show a
# difference of the size seen there.

sizes = [500, 1000, 2000, 4000, 8000, 16_000, 32_000, 64_000]
found = [difference(n) for n in sizes]
low, high = np.array([paired.interval(f, 0.95) for f in found]).T

fig, ax = plt.subplots(figsize=(7, 3.8), layout="constrained")
ax.axhline(0, color="0.5", lw=0.8)
ax.fill_between(sizes, low, high, alpha=0.25, label="95 % interval")
ax.plot(
    sizes, [f.mean for f in found], "o-", label="difference seen"
)
ax.axvline(1000, color="C1", ls=":", lw=2, label="1,000 rows")
ax.axvline(asked, color="black", ls="--", label="rows asked for")
ax.set_xscale("log")
ax.set_xticks(sizes, [f"{n:,}" for n in sizes])
ax.minorticks_off()
ax.set_xlabel("new rows")
ax.set_ylabel(
    "AUC, hinge − exponential\n(above 0: hinge is better)"
)
ax.legend()
plt.show()

low, high = paired.interval(pilot, 0.95)
assert low < 0 < high
assert abs(asked - 2200) < 100
assert paired.interval(difference(asked), 0.95)[0] > 0

# %%
# On the first 1,000 new rows the interval contains 0 and about
# 2,200 rows are asked for; on these the interval lies above 0.
