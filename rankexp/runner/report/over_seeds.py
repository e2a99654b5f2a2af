"""A metric over seeds, beside a published value of a single run."""

import math
from typing import NamedTuple, Self

import numpy as np

from rankexp.arrays import Floats
from rankexp.runner.analyse.verdicts import Reproduction, reproduction_in_spread
from rankexp.runner.config.published import Published

TAIL = 0.05  # share of the seeds below, and above, the interval shown


class OverSeeds(NamedTuple):
    """What the values of a method over seeds say; NaN where there are none."""

    mean: float
    low: float
    median: float
    high: float
    least: float
    greatest: float
    seeds: int
    verdict: Reproduction | None  # None where nothing is published

    @classmethod
    def of(cls, values: Floats, target: Published | None) -> Self:
        """Return the spread of values, (s,), and what it says of a published value."""
        known = values if len(values) else np.array([math.nan])
        low, median, high = np.quantile(known, [TAIL, 0.5, 1 - TAIL]).tolist()
        least, greatest = float(known.min()), float(known.max())
        verdict = None if len(values) else Reproduction.NOT_RUN
        if target is not None and len(values):
            half, ends = target.last_digit / 2, (least, greatest)
            verdict = reproduction_in_spread(target.value, half, (low, high), ends)
        mean = float(known.mean())
        return cls(mean, low, median, high, least, greatest, len(values), verdict)


def decimals(printed: Published) -> int:
    """Return how many decimals a published value has."""
    return max(0, -round(math.log10(printed.last_digit)))
