"""What the methods' fits cost, told from fits on small parts of the data."""

import contextlib
import math
import time
import warnings
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from threadpoolctl import threadpool_limits

from rankexp.arrays import Ints, Labels
from rankexp.errors import one_line
from rankexp.runner.compare.methods import ON_RANKS, Candidate, growth
from rankexp.runner.config.asking import flag
from rankexp.runner.config.estimators import resolve_estimator
from rankexp.runner.config.schema import Evaluate, Study
from rankexp.runner.data.dataset import Dataset
from rankexp.runner.plan import method_spec
from rankexp.runner.protocols.dealing import KeptRows, holdout
from rankexp.runner.protocols.protocol import Part, Parts
from rankexp.runner.run.apart import apart, begin
from rankexp.runner.run.fitting import fit, machine_problem
from rankexp.runner.run.material import Fold
from rankexp.runner.run.pool import Death
from rankexp.runner.run.watch import watched
from rankexp.runner.run.workers import side_by_side
from rankexp.runner.spec import MethodSpec
from rankexp.seeds import stream

PILOT_ROWS = (250, 1000, 4000, 16_000, 64_000)
"""Training rows of the pilot fits, smallest first; the third and later only where cheap."""
PILOT_SHARE = 0.02  # of the time: most that a method's next pilot fit may take, by the one before
PILOTS = 0.2  # of the time given; after it only fits that take `LATE` times less are timed
LATE = 10.0
HANGS, SHORTEST = 0.5, 10.0
"""Of the time left: a method that takes more at one training part is ended, but for so many
seconds, which it may take in any case."""
LATER = "a fifth of the time had passed before it was timed; a larger {} includes it"
WARM_ROWS, WARM_COLUMNS = 60, 3
ENSEMBLES = (  # estimators that are timed after all others, as they are slow
    *("sklearn.ensemble.", "lightgbm.", "xgboost.", f"{ON_RANKS}.boosting"),
    *("BoostedRanker", "RankBoost", "RankingForest"),
)
KNOWN = ("sklearn.", "rankexp.", "LinearRanker", "RankBoost", "ProportionalOdds", "OrdinalSVM")
"""Estimators that every process may fit; others may end it, and end none but their own."""
FEWEST_ROWS = 3  # of each level, in every training part
LONG = 0.2  # seconds of a pilot fit that need no second look
TICK = 1e-4  # seconds that a fit takes at least: clocks are not finer
TESTED = 4  # training rows to a row that a pilot fit scores, as in five folds
STEEPEST = 2.5  # exponent of n that a time may grow with; what two pilots say beyond is noise


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
    study: Study, dataset: Dataset, seconds: float, workers: int = 1, needed: Collection[str] = ()
) -> tuple[dict[str, Cost], dict[str, str]]:
    """Time each method of a study's first experiment on small parts of its data.

    The whole run may take so many `seconds`. As many methods as there are `workers` are timed at
    once, since these slow each other down in the run, too. Returned are the costs, and the methods
    that cannot be fitted to these data with the reason, or that are slow and were not reached
    within `PILOTS` of the time; those `needed` are timed first, `ENSEMBLES` last.
    """
    setup = next(iter(study.experiments.values()))
    assert isinstance(setup, Evaluate)
    folds = _pilot_folds(setup, dataset, study.seed)
    specs = {name: method_spec(study.methods[name], setup) for name in setup.methods}
    slow = {name for name, spec in specs.items() if spec.estimator.startswith(ENSEMBLES)}
    turns = sorted(specs, key=lambda name: (name not in needed, name in slow))
    specs = {name: specs[name] for name in turns}
    until = time.monotonic() + PILOTS * seconds
    few = replace(dataset, X=dataset.X[:, :WARM_COLUMNS], features=dataset.features[:WARM_COLUMNS])
    warm = _fold(setup, few, min(WARM_ROWS, len(few.y) * 4 // 5), stream(study.seed, "pilot/warm"))
    known = [one for one in specs.values() if one.estimator.startswith(KNOWN)]
    shared = ([warm, *folds], study.seed, seconds, until, known)
    each = [(spec, name in needed, *shared) for name, spec in specs.items()]
    found = side_by_side(_timings, each, workers)
    made = [([], str(own)) if isinstance(own, Death) else own for own in found]
    timed: dict[str, Timings] = dict(zip(specs, made, strict=True))
    costs = {name: _law(timings) for name, (timings, _) in timed.items() if timings}
    late = LATER.format(flag("minutes"))  # a process does not know how flags are said
    whys = {name: why for name, (_, why) in timed.items() if why}
    return costs, {name: late if why == LATER else why for name, why in whys.items()}


_WARM: dict[str, float] = {}  # when a method was first fitted in this process


@contextlib.contextmanager
def _as_in_a_run(spec: MethodSpec, seconds: float) -> Iterator[None]:
    """Keep what a method does from the others, and let it take half of so many seconds."""
    foreign = not spec.estimator.startswith(KNOWN)
    load = partial(resolve_estimator, spec.estimator, spec.folder, spec.sha256)
    most = max(HANGS * seconds, SHORTEST) if foreign else math.inf
    with watched(spec.digest, most=most), apart(foreign=foreign):
        begin(spec.digest, load if foreign else None)
        yield


def _warm(specs: Sequence[MethodSpec], fold: Fold, seed: int, seconds: float) -> float:
    """Fit each method once a process, and return when that was done for all but the last.

    It pays for imports, and for our own compiled loops.
    """
    for spec in specs:
        if spec.digest not in _WARM:
            try:
                with _as_in_a_run(spec, seconds):
                    fit(_first(spec), fold, seed)
            except BaseException as error:  # the timed fit says so; no user stops a worker
                if (problem := machine_problem(error)) is not None:
                    raise problem from error
            _WARM[spec.digest] = time.monotonic()
    return max((_WARM[spec.digest] for spec in specs[:-1]), default=0.0)


def _first(spec: MethodSpec) -> MethodSpec:
    return replace(spec, grid={name: values[:1] for name, values in spec.grid.items()})


def _timings(
    spec: MethodSpec,
    needed: bool,
    folds: Sequence[Fold],
    seed: int,
    seconds: float,
    until: float,
    shared: Sequence[MethodSpec],
) -> Timings:
    """Return rows and seconds of fits that take no more than `PILOT_SHARE` each, or why not.

    They take less after `until`, a time of `time.monotonic`, which all processes share; a method
    whose turn comes then is not timed if it takes longer even on the first of `folds`, or if its
    turn comes much later and it may be slow. That fold is for the methods `shared`, too, which
    make this process warm. Of a method that takes longer only the first grid point is timed, which
    stands for the others. Compiling, once after an installation, may have taken all of that time.
    """
    most = PILOT_SHARE * seconds
    found: list[tuple[int, float]] = []
    first, once = _first(spec), partial(_once, seed=seed, seconds=seconds)
    points = growth(Candidate(grid=first.grid), Candidate(grid=spec.grid))
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")
        until = max(until, _warm([*shared, spec], folds[0], seed, seconds) + PILOTS / 2 * seconds)
        late = time.monotonic() > until and not needed
        quick = spec.estimator.startswith(KNOWN) and not spec.estimator.startswith(ENSEMBLES)
        if late and not quick and time.monotonic() > until + PILOTS / 2 * seconds:
            return found, LATER
        for fold in folds[1:]:
            rows = len(fold.train.X)
            if found:  # of a single timing it is unknown how much of it grows
                longest = _law(found).at(rows) if len(found) > 1 else found[0][1]
                if longest > (most if time.monotonic() < until else most / LATE):
                    break
            try:
                if late and not found and points * once(first, folds[0]) > most:
                    return found, LATER
                if not found and points > 1 and (one := points * once(first, fold)) > most:
                    return [(rows, one)], ""
                taken = once(spec, fold)  # of two the better if short
                found.append((rows, taken if taken > LONG else min(taken, once(spec, fold))))
            except BaseException as error:  # as in a run, where it would be every record's
                if (problem := machine_problem(error)) is not None:
                    raise problem from error
                return found, one_line(error)
    return found, ""


def _once(spec: MethodSpec, fold: Fold, seed: int, seconds: float) -> float:
    """Return the seconds of a fit in one thread, as in a worker."""
    with _as_in_a_run(spec, seconds):
        start = time.perf_counter()
        fit(spec, fold, seed)
        return max(time.perf_counter() - start, TICK)


def _pilot_folds(setup: Evaluate, dataset: Dataset, seed: int) -> list[Fold]:
    made: list[Fold] = []
    for size in PILOT_ROWS:
        rows = min(size, len(dataset.y) * 4 // 5)
        fold = _fold(setup, dataset, rows, stream(seed, f"pilot/{size}"))
        if made and len(fold.train.X) <= len(made[-1].train.X):  # of whole queries, say
            break
        made.append(fold)
    return [one for one in made if rankable(one.train.part.y, one.train.part.groups)] or made


def rankable(y: Labels, groups: Ints | None) -> bool:
    """Tell whether any two rows with different targets are of one group, if there are groups."""
    of = np.zeros(len(y)) if groups is None else groups
    order = np.lexsort((y, of))
    return bool(((np.diff(of[order]) == 0) & (np.diff(y[order]) != 0)).any())


def _fold(setup: Evaluate, dataset: Dataset, rows: int, rng: np.random.Generator) -> Fold:
    """Return about so many rows to train on, whole queries where these count, and few to test.

    Each level has `FEWEST_ROWS` of them, if there are as many.
    """
    y, n = dataset.y, len(dataset.y)
    levels = None if dataset.levels is None else len(dataset.levels)
    units = dataset.groups if setup.within_groups else None
    split = holdout(n, n - rows, rng, KeptRows(None if levels is None else y, units))
    train, test = split.train, split.test
    for level in range(levels or 0):
        if lacking := max(0, FEWEST_ROWS - int((y[train] == level).sum())):
            train = np.concatenate([train, test[y[test] == level][:lacking]])
    several = levels if levels and levels > 2 else None
    whole = Part(dataset.X, y, several, dataset.groups, dataset.weights)
    test = test[:: max(1, len(test) * TESTED // rows)]
    parts = Parts(whole.take(np.sort(train)), whole.take(test), "pilot")
    parts = parts if setup.within_groups else parts.without_groups()
    return Fold(parts, setup.preprocess, dataset.features)


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
