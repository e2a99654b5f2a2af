"""Which splits and methods the minutes given allow, from fits on small parts of the data."""

import math
import time
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

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
MOST_REPEATS = 10
"""Further repeats of cross-validation hardly narrow an interval (docs/statistics.md)."""
SPLITS = 5
"""Random splits, where not even one cross-validation is to be had."""
CHEAP = 0.05
"""Share of the time of all methods: leaving out one that takes less would not help."""
SHARE = 0.6
"""Of the time, for the first cross-validation; the rest is for wider grids and repeats."""
SAFETY = 1.3
"""Estimated times are taken so much longer: scoring, hand-outs, and pilots that were lucky."""


@dataclass(frozen=True)
class Cost:
    """What fitting a method's grid once takes, as a power of the training rows."""

    rows: int
    seconds: float
    exponent: float

    def at(self, rows: float) -> float:
        """Return seconds with so many training rows."""
        return self.seconds * (rows / self.rows) ** self.exponent if rows > 0 else 0.0


@dataclass(frozen=True)
class Design:
    """What is run.

    Attributes
    ----------
    protocol : dict
        As in a study, but for the repeats.
    methods : list of str
    repeats : int
        At most; the first tells how many there is time for.
    words : list of str
        What was left out or made smaller, and how to have it.
    """

    protocol: dict[str, object]
    methods: list[str]
    repeats: int
    words: list[str] = field(default_factory=list)


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


@dataclass(frozen=True)
class Allowance:
    """What there is to run with.

    Attributes
    ----------
    seconds : float
        For all of it; `SHARE` of them for one cross-validation, so that it can be widened and
        repeated.
    workers : int
    inner : int
        Folds inside each training part.
    """

    seconds: float
    workers: int
    inner: int

    def total(self, costs: Iterable[Cost], rows: float, splits: int) -> float:
        """Return the seconds that splits with so many training rows take."""
        one = sum(
            cost.at(rows) + self.inner * cost.at(rows * (self.inner - 1) / self.inner)
            for cost in costs
        )
        return SAFETY * one * splits / min(self.workers, splits)

    @property
    def once(self) -> float:
        """Seconds for one cross-validation."""
        return SHARE * self.seconds


def design(
    costs: Mapping[str, Cost],
    contrasts: Mapping[str, str],
    dataset: Dataset,
    allowed: Allowance,
    base: Mapping[str, object],
) -> Design:
    """Return the largest design that fits into the time.

    Methods outside the cheapest contrast are left out first, the slowest before the others; then
    cross-validation gives way to random splits with smaller training parts.

    Parameters
    ----------
    costs : mapping of str to Cost
    contrasts : mapping of str to str
        Methods on pairs and their likes on points: of one pair both stay or neither.
    dataset : Dataset
    allowed : Allowance
    base : mapping
        Of the protocol: ``stratified``, ``together``.
    """
    n = len(dataset.y)
    folds = outer_folds(dataset)
    rows = n * (folds - 1) / folds
    methods = list(costs)
    words: list[str] = []
    spare = _spare(costs, contrasts, n)
    while (once := allowed.total((costs[m] for m in methods), rows, folds)) > allowed.once:
        whole = sum(costs[m].at(n) for m in methods)
        if not spare or sum(costs[m].at(n) for m in spare[-1]) < CHEAP * whole:
            return _smaller(costs, methods, n, allowed, base, words)
        slowest = spare.pop()
        methods = [m for m in methods if m not in slowest]
        minutes = math.ceil(once / SHARE / 60) + 1
        words.append(
            f"{' and '.join(slowest)} left out: with it one cross-validation would take about "
            f"{once / 60:.1f} minutes; --minutes {minutes} includes it"
        )
    protocol = {"kind": "cross_validation", "folds": folds, **base}
    return Design(protocol, methods, MOST_REPEATS, words)


def _spare(costs: Mapping[str, Cost], contrasts: Mapping[str, str], n: int) -> list[list[str]]:
    """Return what can be left out, the slowest last: all but the cheapest contrast."""
    pairs = sorted(contrasts.items(), key=lambda pair: sum(costs[m].at(n) for m in pair))
    needed = {name for pair in pairs for name in pair}
    units = [[m] for m in costs if m not in needed] + [list(pair) for pair in pairs[1:]]
    return sorted(units, key=lambda unit: sum(costs[m].at(n) for m in unit))


def _smaller(
    costs: Mapping[str, Cost],
    methods: list[str],
    n: int,
    allowed: Allowance,
    base: Mapping[str, object],
    words: list[str],
) -> Design:
    """Return random splits whose training parts are as large as the time allows."""
    low, high = 0.0, 0.8 * n
    for _ in range(40):
        middle = (low + high) / 2
        fits = allowed.total((costs[m] for m in methods), middle, SPLITS) <= allowed.once
        low, high = (middle, high) if fits else (low, middle)
    rows = max(int(low), min(PILOT_ROWS[0], n // 2))
    words.append(
        f"training parts have {rows:,} of the {n:,} rows, as more would not be done in time; more "
        "minutes take more"
    )
    protocol = {"kind": "split", "test": float(n - rows), **base}
    return Design(protocol, methods, SPLITS, words)


def outer_folds(dataset: Dataset) -> int:
    """Return five folds, or as many as the rarest level has rows, or as there are groups."""
    return min(5, _units(dataset))


def inner_folds(dataset: Dataset) -> int:
    """Return three folds inside a training part, or two where a level or the groups are few."""
    units = _units(dataset)
    return 3 if units - math.ceil(units / outer_folds(dataset)) >= 3 else 2


def _units(dataset: Dataset) -> int:
    """Return what folds are dealt of: rows of the rarest level, or groups, if they are fewer."""
    units = len(dataset.y)
    if dataset.levels is not None:
        units = int(np.bincount(dataset.y, minlength=len(dataset.levels)).min())
    return units if dataset.groups is None else min(units, len(np.unique(dataset.groups)))
