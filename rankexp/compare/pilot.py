"""What the methods' fits cost, told from fits on small parts of the data."""

import math
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from threadpoolctl import threadpool_limits

from rankexp.config.schema import Evaluate, Study
from rankexp.data.dataset import Dataset
from rankexp.errors import one_line
from rankexp.plan import method_spec
from rankexp.protocols.base import Part, Parts
from rankexp.protocols.dealing import holdout
from rankexp.run.fitting import fit
from rankexp.run.material import Fold
from rankexp.seeds import stream
from rankexp.spec import MethodSpec

PILOT_ROWS = (250, 1000, 4000)
"""Training rows of the pilot fits, smallest first; each next one only where it is cheap."""
PILOT_SHARE = 0.02
"""Most of the time given that one method's next pilot fit may take, by the one before."""
LONG = 1.0
"""Seconds of a pilot fit that need no second look."""
TICK = 1e-4
"""Seconds that a fit takes at least: clocks are not finer."""
TESTED = 200
"""Rows that a pilot fit scores."""
STEEPEST = 2.5
"""The exponent of n that a time may grow with, where two pilots seem to say more: their noise."""


@dataclass(frozen=True)
class Cost:
    """What fitting a method's grid once takes, as a power of the training rows."""

    rows: int
    seconds: float
    exponent: float

    def at(self, rows: float) -> float:
        """Return seconds with so many training rows."""
        return self.seconds * (rows / self.rows) ** self.exponent if rows > 0 else 0.0


def pilot(
    study: Study, dataset: Dataset, seconds: float
) -> tuple[dict[str, Cost], dict[str, str]]:
    """Time each method of a study's first experiment on small parts of its data.

    Parameters
    ----------
    study : Study
    dataset : Dataset
    seconds : float
        That the whole run may take.

    Returns
    -------
    costs : dict of str to Cost
    failed : dict of str to str
        Methods that cannot be fitted to these data, and why.
    """
    setup = next(iter(study.experiments.values()))
    assert isinstance(setup, Evaluate)
    costs: dict[str, Cost] = {}
    failed: dict[str, str] = {}
    folds = list(_pilot_folds(setup, dataset, study.seed))
    for name in setup.methods:
        spec = method_spec(study.methods[name], setup)
        found: list[tuple[int, float]] = []
        for fold in folds:
            rows = len(fold.train.X)
            if found and _power(found).at(rows) > PILOT_SHARE * seconds:
                break
            try:
                took = _timed(spec, fold, study.seed, again=not found)
            except Exception as error:  # as in a run, where it would be every record's
                failed[name] = one_line(error)
                break
            found.append((rows, took))
        if found:
            costs[name] = _power(found)
    return costs, failed


def _timed(spec: MethodSpec, fold: Fold, seed: int, *, again: bool) -> float:
    """Return the processor's seconds of a fit in one thread, as in a worker; the better of two.

    The first fit of a method in a process pays for its imports and for compiled loops, too: it is
    done `again` however long it took.
    """
    times: list[float] = []
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")
        while len(times) < 2 and (again or not times or times[0] < LONG):
            start = time.process_time()
            fit(spec, fold, seed)
            times.append(max(time.process_time() - start, TICK))
    return min(times)


def _pilot_folds(setup: Evaluate, dataset: Dataset, seed: int) -> Sequence[Fold]:
    n = len(dataset.y)
    levels = len(dataset.levels) if dataset.levels and len(dataset.levels) > 2 else None
    whole = Part(dataset.X, dataset.y, levels, dataset.groups, dataset.weights)
    made: list[Fold] = []
    strata = dataset.y if dataset.levels is not None else None
    for size in PILOT_ROWS:
        rows = min(size, n * 4 // 5)
        if made and rows <= len(made[-1].train.X):
            break
        split = holdout(n, n - rows, stream(seed, f"pilot/{size}"), strata=strata)
        test = split.test[:: max(1, len(split.test) // TESTED)]
        parts = Parts(whole.take(split.train), whole.take(test), f"pilot/{size}")
        parts = parts if setup.within_groups else parts.without_groups()
        made.append(Fold(parts, setup.preprocess, dataset.features))
    return made


def _power(found: Sequence[tuple[int, float]]) -> Cost:
    """Return the power law through the last two timings; linear through a single one."""
    rows, seconds = found[-1]
    if len(found) == 1:
        return Cost(rows, seconds, 1.0)
    before, earlier = found[-2]
    exponent = math.log(seconds / earlier) / math.log(rows / before)
    return Cost(rows, seconds, float(np.clip(exponent, 1.0, STEEPEST)))
