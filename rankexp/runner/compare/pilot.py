"""What the methods' fits cost, told from fits on small parts of the data."""

import math
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace

from threadpoolctl import threadpool_limits

from rankexp.errors import one_line
from rankexp.runner.config.schema import Evaluate, Study
from rankexp.runner.data.dataset import Dataset
from rankexp.runner.files import environment_problem
from rankexp.runner.plan import method_spec
from rankexp.runner.protocols.dealing import KeptRows, holdout
from rankexp.runner.protocols.protocol import Part, Parts
from rankexp.runner.run.fitting import fit
from rankexp.runner.run.material import Fold
from rankexp.runner.run.workers import side_by_side
from rankexp.runner.spec import MethodSpec
from rankexp.seeds import stream

PILOT_ROWS = (250, 1000, 4000, 16_000, 64_000)
"""Training rows of the pilot fits, smallest first; the third and later only where cheap."""
PILOT_SHARE = 0.02
"""Most of the time given that one method's next pilot fit may take, by the one before."""
PILOTS = 0.2  # of the time given; after it only fits that take `LATE` times less are timed
LATE = 10.0
LONG = 1.0  # seconds of a pilot fit that need no second look
TICK = 1e-4  # seconds that a fit takes at least: clocks are not finer
TESTED = 4  # training rows to a row that a pilot fit scores, as in five folds
STEEPEST = 2.5
"""The exponent of n that a time may grow with, where two pilots seem to say more: their noise."""


Timings = tuple[list[tuple[int, float]], str]  # rows and seconds; why no more was timed


@dataclass(frozen=True)
class Cost:
    """What fitting a method's grid once takes: `fixed`, and a power of the training rows."""

    rows: int
    seconds: float
    exponent: float
    fixed: float = 0.0

    def at(self, rows: float) -> float:
        """Return seconds with so many training rows."""
        if rows <= 0:
            return 0.0
        growth = float((rows / self.rows) ** self.exponent)
        return self.fixed + (self.seconds - self.fixed) * growth

    def times(self, share: float) -> "Cost":
        """Return what a share of the grid takes."""
        return replace(self, seconds=share * self.seconds, fixed=share * self.fixed)


def pilot(
    study: Study, dataset: Dataset, seconds: float, workers: int = 1
) -> tuple[dict[str, Cost], dict[str, str]]:
    """Time each method of a study's first experiment on small parts of its data.

    The whole run may take so many `seconds`. As many methods as there are `workers` are timed at
    once, since these slow each other down in the run, too. Returned are the costs, and the methods
    that cannot be fitted to these data with the reason.
    """
    setup = next(iter(study.experiments.values()))
    assert isinstance(setup, Evaluate)
    folds = list(_pilot_folds(setup, dataset, study.seed))
    specs = {name: method_spec(study.methods[name], setup) for name in setup.methods}
    ends = (PILOT_SHARE * seconds, time.monotonic() + PILOTS * seconds)
    each = [(spec, folds, study.seed, *ends) for spec in specs.values()]
    found = side_by_side(_timings, each, workers) if workers > 1 else [_timings(*e) for e in each]
    dead: Timings = [], "it ended its process, or took all memory"
    known = {name: own or dead for name, own in zip(specs, found, strict=True)}
    costs = {name: _law(timings) for name, (timings, _) in known.items() if timings}
    return costs, {name: why for name, (_, why) in known.items() if why}


def _timings(
    spec: MethodSpec, folds: Sequence[Fold], seed: int, most: float, until: float
) -> Timings:
    """Return rows and seconds of fits that take no more than `most` each, and why one failed.

    They take less after `until`, a time of `time.monotonic`, which all processes share.
    """
    found: list[tuple[int, float]] = []
    first = {name: values[:1] for name, values in spec.grid.items()}
    warm = replace(spec, grid=first) if "." in spec.estimator else spec
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")
        for fold in folds:
            rows = len(fold.train.X)
            if found:  # of a single timing it is unknown how much of it grows
                longest = _law(found).at(rows) if len(found) > 1 else found[0][1]
                if longest > (most if time.monotonic() < until else most / LATE):
                    break
            try:
                if not found:
                    fit(warm, fold, seed)  # pays for imports, and for our own compiled loops
                found.append((rows, _timed(spec, fold, seed)))
            except Exception as error:  # as in a run, where it would be every record's
                if (problem := environment_problem(error)) is not None:
                    raise problem from error
                return found, one_line(error)
    return found, ""


def _timed(spec: MethodSpec, fold: Fold, seed: int) -> float:
    """Return the seconds of a fit in one thread, as in a worker; the better of two if short."""
    times: list[float] = []
    while len(times) < 2 and (not times or times[0] < LONG):
        start = time.perf_counter()
        fit(spec, fold, seed)
        times.append(max(time.perf_counter() - start, TICK))
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
        split = holdout(n, n - rows, stream(seed, f"pilot/{size}"), KeptRows(strata))
        test = split.test[:: max(1, len(split.test) * TESTED // rows)]
        parts = Parts(whole.take(split.train), whole.take(test), f"pilot/{size}")
        parts = parts if setup.within_groups else parts.without_groups()
        made.append(Fold(parts, setup.preprocess, dataset.features))
    return made


def _law(found: Sequence[tuple[int, float]]) -> Cost:
    """Return what the last two timings tell: a power of the rows, or a line where it is below 1.

    A single one is taken as linear. Of a line at least a quarter grows with the rows, as two
    timings that are the same may be so by their noise.
    """
    rows, seconds = found[-1]
    if len(found) == 1:
        return Cost(rows, seconds, 1.0)
    before, earlier = found[-2]
    exponent = math.log(seconds / earlier) / math.log(rows / before)
    if exponent >= 1.0:
        return Cost(rows, seconds, min(exponent, STEEPEST))
    growing = (seconds - earlier) / (rows - before) * rows
    return Cost(rows, seconds, 1.0, seconds - max(growing, seconds / 4))
