"""Which rows are trained on, and which splits and methods the minutes given allow."""

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from rankexp.arrays import Bools
from rankexp.errors import ConfigError
from rankexp.runner.compare.pilot import FEWEST_ROWS, PILOT_ROWS, Cost, rankable
from rankexp.runner.config.asking import flag, message
from rankexp.runner.data.dataset import Dataset
from rankexp.runner.protocols.dealing import combined, duplicates, worth_keeping
from rankexp.runner.run.progress import duration
from rankexp.runner.sentences import paragraphs
from rankexp.statistics.paired import FEWEST

MOST_REPEATS = 10  # further ones hardly narrow an interval (docs/statistics.md)
SPLITS = 5  # random ones, where not even one cross-validation is to be had
CHEAP = 0.05  # of all time, or that of all methods: what takes less is not left out
SHARE = 0.6  # of the time, for the first cross-validation; then come wider grids and repeats
SPREAD_SHARE = 0.2  # the same where intervals come from the spread over splits
OWN = 0.1
"""Of the time: methods that take more are run one after the other, the fastest first, and what the
end of the minutes interrupts is left out."""
FEWEST_BOOSTED = 100
CONSTANT = "its leaves have 20 rows or more, so with fewer than 100 rows it may rank nothing"
FEWEST_DIFFERENT = 10  # combinations of features; splits between fewer would be too coarse
Unit = tuple[list[str], float]  # methods that are run or left out together, and seconds


@dataclass(frozen=True)
class RunDesign:
    """What is run: a protocol as in a study, but for the repeats, and its methods."""

    protocol: dict[str, object]
    methods: list[str]
    repeats: int  # at most; the first tells how many there is time for
    words: list[str]  # what was left out or made smaller, and how to have it
    narrow: list[str]  # methods tried with every second point of their grids
    stages: list[Unit]  # run one after the other
    fewest: int = 1  # repeats, before anything else is tried


@dataclass(frozen=True)
class Allowance:
    """What there is to run with; `inner` are the folds inside each training part.

    One cross-validation has a `share` of the seconds, so that it can be widened and repeated.
    """

    seconds: float
    workers: int
    inner: int
    label: Callable[[str], str] = str  # what a method is called
    share: float = SHARE  # of the time, for the first cross-validation
    least: float = 0.0  # seconds that are allowed in any case

    @property
    def most(self) -> float:
        """The seconds for the question alone, before it is trained on fewer rows."""
        return max(SHARE * self.seconds, self.least)

    def total(self, costs: Iterable[Cost], rows: float, splits: int) -> float:
        """Return the seconds that splits with so many training rows take."""
        less = rows * (self.inner - 1) / self.inner
        one = sum(cost.at(rows) + self.inner * cost.at(less) for cost in costs)
        return one * math.ceil(splits / self.workers)


def design(
    costs: Mapping[str, Cost],
    contrasts: Mapping[str, str],
    dataset: Dataset,
    allowed: Allowance,
    base: Mapping[str, object],
    shares: Mapping[str, float] | None = None,
) -> RunDesign:
    """Return the largest design that fits into the time.

    Methods outside the cheapest contrast are tried with a smaller grid first, if `shares` says
    what share of its time that takes, then left out, the slowest before the others; then random
    splits with smaller training parts replace cross-validation. Of two methods in `contrasts` both
    stay or neither. `base` is of the protocol. With one test set, `dataset` is its training part.
    """
    n, given = len(dataset.y), dataset.parts is not None
    folds = 1 if given else outer_folds(dataset)
    rows = n if given else n * (folds - 1) / folds
    limit = max(allowed.share * allowed.seconds, allowed.least)
    of_all = max(CHEAP * allowed.seconds, allowed.least)
    fit = _Fit(dict(costs), lambda now: allowed.total(now.values(), rows, folds), limit, of_all)
    once = fit.shrink(_spare(costs, contrasts, n), n, shares or {})
    methods = list(fit.now)
    narrow = [m for m in fit.narrow if fit.now.get(m, costs[m]) != costs[m]]
    what = "training" if given else "one cross-validation"
    tried = [([m], fit.narrow[m]) for m in narrow]
    words = [_less(*own, what, allowed, "tried with half of the settings", "all") for own in tried]
    words += [_less(*own, what, allowed, "left out") for own in fit.gone]
    if once > allowed.most and not given:
        least, now = _least(dataset, together="together" in base), fit.now.values()
        test, said = _smaller(now, n, allowed, least)
        protocol = {"kind": "split", "test": test, **base}
        several = allowed.total(now, n - test, FEWEST) <= max(allowed.seconds, 2 * allowed.least)
        rest = (narrow, [(methods, limit)], FEWEST if several else 1)
        return RunDesign(protocol, methods, SPLITS, [*words, said], *rest)
    if once > allowed.seconds:
        left = f"the {duration(max(allowed.seconds, 0.0))} left of {flag('minutes')}"
        words.append(f"training takes about {duration(once)}, which is longer than {left}")
    stages = _stages(fit, contrasts, n, OWN * allowed.seconds)
    folded = {"kind": "cross_validation", "folds": folds, **base}
    protocol = {"kind": "given", "test": "test", **base} if given else folded
    return RunDesign(protocol, methods, 1 if given else MOST_REPEATS, words, narrow, stages)


@dataclass
class _Fit:
    """Methods with their costs as tried, made less until their time is within the limit.

    `gone` and `narrow` keep the seconds that all took before a method was left out, or tried with
    a smaller grid.
    """

    now: dict[str, Cost]
    total: Callable[[Mapping[str, Cost]], float]
    limit: float
    cheap: float  # what takes fewer seconds is not left out
    gone: list[Unit] = field(default_factory=list)
    narrow: dict[str, float] = field(default_factory=dict)

    def shrink(self, spare: list[list[str]], n: int, shares: Mapping[str, float]) -> float:
        """Narrow the slowest of `spare`, then leave it out, and so on; return the seconds."""
        costs = dict(self.now)
        while (once := self.total(self.now)) > self.limit:
            spare.sort(key=lambda unit: sum(self.now[m].at(n) for m in unit))
            last = self.total({m: self.now[m] for m in spare[-1]}) if spare else 0.0
            if not spare or last < max(CHEAP * once, self.cheap):
                break
            less = {m: shares[m] for m in spare[-1] if shares.get(m, 1.0) < 1.0}
            if less.keys() - self.narrow.keys():
                self.narrow |= dict.fromkeys(less, once)
                for m, share in less.items():
                    self.now[m] = self.now[m].times(share)
                continue
            self.gone.append((spare.pop(), once))
            self.now = {m: cost for m, cost in self.now.items() if m not in self.gone[-1][0]}
        for name in [m for m in self.narrow if m in self.now]:  # there may be time again
            if self.total(self.now | {name: costs[name]}) <= self.limit:
                self.now[name] = costs[name]
        return once


def _less(
    names: Sequence[str], once: float, what: str, allowed: Allowance, how: str, whole: str = ""
) -> str:
    known = {"names": [*map(allowed.label, names)], "what": what, "how": how, "whole": whole}
    more = flag("minutes", math.ceil(once / allowed.share / 60) + 1)
    return message("compare.less", more=more, time=duration(once), **known)


def _stages(fit: _Fit, contrasts: Mapping[str, str], n: int, most: float) -> list[Unit]:
    """Return the question with all that is fast, then each that takes more seconds than `most`."""
    spare = _spare(fit.now, {p: q for p, q in contrasts.items() if p in fit.now}, n)

    def seconds(unit: list[str]) -> float:
        return fit.total({m: fit.now[m] for m in unit})

    slow = [unit for unit in spare if seconds(unit) > most]
    optional = [m for unit in spare for m in unit]
    first = [m for m in fit.now if m not in optional]
    first += [m for unit in spare if unit not in slow for m in unit]
    return [(unit, seconds(unit)) for unit in [first, *slow]]


def _spare(costs: Mapping[str, Cost], contrasts: Mapping[str, str], n: int) -> list[list[str]]:
    """Return what can be left out, the slowest last: all but the cheapest contrast."""
    pairs = sorted(contrasts.items(), key=lambda pair: sum(costs[m].at(n) for m in pair))
    needed = {name for pair in pairs for name in pair}
    units = [[m] for m in costs if m not in needed] + [list(pair) for pair in pairs[1:]]
    return sorted(units, key=lambda unit: sum(costs[m].at(n) for m in unit))


def _least(dataset: Dataset, *, together: bool) -> int:
    """Return how many training rows have `FEWEST_ROWS` of each level, of a stratified split.

    Where rows stay together, shares are kept only about, so it is three times as many.
    """
    n = len(dataset.y)
    wanted = FEWEST_ROWS * (3 if together else 1)
    counts = [n] if dataset.levels is None else np.bincount(dataset.y).tolist()
    return min(max(PILOT_ROWS[0], math.ceil(n * wanted / min(counts))), n // 2)


def _smaller(costs: Collection[Cost], n: int, allowed: Allowance, least: int) -> tuple[float, str]:
    """Return the test rows of splits whose training parts are as large as the time allows."""
    low, high = 0.0, 0.8 * n
    for _ in range(40):
        middle = (low + high) / 2
        fits = allowed.total(costs, middle, SPLITS) <= allowed.most
        low, high = (middle, high) if fits else (low, middle)
    rows = max(int(low), least)
    return float(n - rows), message("compare.smaller", rows=rows, n=n)


def outer_folds(dataset: Dataset) -> int:
    """Return five folds, or as many as the rarest level has rows, or as there are groups."""
    return min(5, _units(dataset))


def inner_folds(dataset: Dataset) -> int:
    """Return three folds inside a training part, or two where a level or the groups are few."""
    units = _units(dataset)
    tested = 0 if dataset.parts is not None else math.ceil(units / outer_folds(dataset))
    return 3 if units - tested >= 3 else 2


def _units(dataset: Dataset) -> int:
    """Return what folds are dealt of: rows of the rarest level, or groups, if they are fewer."""
    units = len(dataset.y)
    if dataset.levels is not None:
        units = int(np.bincount(dataset.y, minlength=len(dataset.levels)).min())
    return units if dataset.groups is None else min(units, len(np.unique(dataset.groups)))


def training(dataset: Dataset, *, within: bool = False) -> tuple[Dataset, str]:
    """Return the rows to train on, all but those of the test file, and what both files share.

    ConfigError where a file has too few rows of a level.
    """
    if dataset.parts is None:
        return dataset, ""
    train = dataset.parts == dataset.part_names.index("train")
    for name, rows, least in (("training", train, FEWEST_ROWS), ("test", ~train, 1)):
        for code, level in enumerate(dataset.levels or ()):
            if (count := int((dataset.y[rows] == code).sum())) < least:
                known = {"file": name, "count": count, "level": level, "least": least}
                raise ConfigError(message("compare.few_in_file", **known))
    parts = {name: vars(dataset)[name] for name in ("X", "y", "groups", "weights", "parts")}
    own = {name: rows[train] for name, rows in parts.items() if rows is not None}
    return replace(dataset, **own), _shared(dataset, train, within=within)


def _shared(dataset: Dataset, train: Bools, *, within: bool) -> str:
    """Say what training and test rows have in common, and what only test rows have."""
    same, groups = duplicates(dataset.X), dataset.groups
    known: dict[str, int | None] = {"both": None, "tested": None, "rows": int((~train).sum())}
    known |= {"repeated": int(np.isin(same[~train], same[train]).sum()), "within": within}
    if groups is not None:
        tested = np.unique(groups[~train])
        known |= {"both": int(np.isin(tested, groups[train]).sum()), "tested": len(tested)}
    strange = []
    for feature, column in zip(dataset.features, dataset.X.T, strict=True):
        if feature.kind == "nominal":
            own = column[~train]
            if rows := int((~np.isnan(own) & ~np.isin(own, column[train])).sum()):
                strange.append(f"'{feature.name}' in {rows:,} rows")
    (said,) = paragraphs("shared", strange=strange[:10], **known)
    return said


def together(dataset: Dataset, option: str = "groups") -> tuple[str | None, str]:
    """Return which rows a split keeps on one side, None for no rows, and what is to be said.

    ConfigError where there is nothing to split or to rank by.
    """
    if dataset.groups is not None:
        if (groups := len(np.unique(dataset.groups))) < FEWEST_ROWS:
            known = {"option": option, "groups": groups, "least": FEWEST_ROWS}
            raise ConfigError(message("compare.few_groups", **known))
        if option == "queries" and not rankable(dataset.y, dataset.groups):
            raise ConfigError(message("compare.nothing_within"))
        return "groups", ""
    different = len(np.unique(duplicates(dataset.X)))
    if different < 2:
        raise ConfigError("the features are the same in every row: there is nothing to rank by")
    if not (repeated := len(dataset.X) - different):
        return None, ""
    how = {"combined": different < FEWEST_DIFFERENT or combined(dataset.X)}
    how |= {"few": not worth_keeping(dataset.X)}
    counts = {"rows": len(dataset.X), "different": different, "repeated": repeated}
    (said,) = paragraphs("together", **counts, **how)
    return None if any(how.values()) else "duplicates", said
