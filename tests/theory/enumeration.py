"""All that can be done with few points: random distributions, and every weak order."""

from functools import cache
from itertools import product

import numpy as np

from rankexp.generators import Discrete


@cache
def weak_orders(m):
    """Return all weak orders of m points as ranks, (count, m): 1, 3, 13, 75, 541."""
    return np.array([r for r in product(range(m), repeat=m) if set(r) == set(range(max(r) + 1))])


def random_model(rng, points, classes, zeros=False):
    """Draw pmfs and priors; with zeros, some points have no chance in some classes."""
    pmfs = rng.dirichlet(np.full(points, 0.7), size=classes)
    if zeros:
        kept = rng.random(pmfs.shape) < 0.7
        kept[rng.integers(classes, size=points), np.arange(points)] = True
        kept[np.arange(classes), rng.integers(points, size=classes)] = True
        pmfs = pmfs * kept
    pmfs = np.where(pmfs > 0, np.maximum(pmfs, 1e-3), 0)
    pmfs /= pmfs.sum(axis=1, keepdims=True)
    priors = rng.dirichlet(np.full(classes, 3.0))
    model = Discrete(list(range(points)), pmfs.tolist(), priors.tolist())
    return model.draw_model(rng)


def support(model):
    """Return the points, (m, 1), and the masses of levels at them, (m, K)."""
    X, _ = model.nodes()
    return X, (np.array(model.pmfs) * np.array(model.priors)[:, None]).T
