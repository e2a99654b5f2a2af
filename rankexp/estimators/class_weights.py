"""What an example of each of two classes counts."""

from collections.abc import Hashable, Mapping

import numpy as np
from sklearn.utils.class_weight import compute_class_weight

from rankexp.arrays import Floats, Labels
from rankexp.risks.base import Task

ClassWeight = Mapping[Hashable, float] | str | None
"""A weight by label, or "balanced"."""


def class_weights(
    given: ClassWeight, labels: Labels, y: Labels, task: Task, sample_weight: Floats | None
) -> tuple[float, float]:
    """Return the weights of the negative and of the positive class."""
    if given is None or task.risk.several_levels:
        return 1.0, 1.0
    found = compute_class_weight(given, classes=labels, y=y)
    if sample_weight is not None and isinstance(given, str):  # "balanced"
        mass = np.bincount(task.level, sample_weight)
        found = mass.sum() / (2.0 * mass)
    down, up = found.tolist()
    if not (0.0 < down < np.inf and 0.0 < up < np.inf):
        raise ValueError(f"class_weight must give finite weights > 0, got {given!r}")
    return down, up
