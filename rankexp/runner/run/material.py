"""What a split gives its methods: training, test and inner rows, drawn or loaded, preprocessed."""

import json
from collections.abc import Iterator, Sized
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from rankexp import registry
from rankexp.arrays import Floats, Ints
from rankexp.checks.check import Problem
from rankexp.errors import DataError
from rankexp.metrics.metric import Kind, Metric
from rankexp.runner.config.asking import message
from rankexp.runner.config.schema import Preprocess
from rankexp.runner.data.dataset import Dataset, Feature
from rankexp.runner.data.preprocess import Preprocessor
from rankexp.runner.data.snapshot import load_snapshot
from rankexp.runner.files import here
from rankexp.runner.protocols.dealing import duplicates
from rankexp.runner.protocols.inner import inner_folds
from rankexp.runner.protocols.protocol import TRUTHS, Generated, Loaded, Part, Parts
from rankexp.runner.spec import DataProblem, EvaluateSpec, GeneratorProblem, Setting, canonical
from rankexp.seeds import stream

TEST = "test"  # the part that is always scored


@dataclass(frozen=True, eq=False)
class FoldRows:
    """Rows as numbers for an estimator, with all that is known of them."""

    X: Floats  # (n, p), read-only: every method gets the same rows
    part: Part  # as drawn or loaded

    def __post_init__(self) -> None:
        part = self.part
        for array in (self.X, part.y, part.groups, part.weights, *part.truth.values()):
            if array is not None:
                array.setflags(write=False)

    @cached_property
    def best(self) -> Floats | None:
        """Scores of the Bayes scorer; None where it is not known.

        These are eta(x), E[y | x], or for more than two levels what ranks pairs of different
        levels best (uematsu2010, Theorem 4). With a continuous target E[y | x] is an optimal
        scorer if there is one at all (clemencon2017, Proposition 1).
        """
        truth = self.part.truth
        return next((truth[name] for name in TRUTHS if name in truth), None)

    @property
    def known(self) -> dict[str, Any]:
        """What every metric may ask for, by name; `reference` is E[y | x] if known, else y."""
        part = self.part
        given = {
            "y": part.y,
            "reference": part.truth.get("mean", part.y),
            **part.truth,
            "groups": part.groups,
            "sample_weight": part.weights,
            "levels": part.levels,
        }
        return {name: value for name, value in given.items() if value is not None}

    def bayes_loss(self, metric: Metric) -> float | None:
        """Return the metric of the best scores; None where they are unknown or don't do."""
        if self.best is None or metric.needs != {"y", "scores"}:
            return None
        kept = self.part.memo
        if metric not in kept:
            kept[metric] = float(metric(scores=self.best, **self.known))
        return kept[metric]

    @cached_property
    def distinct(self) -> tuple[Floats, Ints | None]:
        """Distinct rows and the place of each row among them, None where all rows differ.

        Scoring these makes equal rows tie whatever an estimator computes.
        """
        place = duplicates(self.X)
        _, first = np.unique(place, return_index=True)
        if len(first) == len(place):
            return self.X, None
        return self.X[first], place

    @cached_property
    def by_group(self) -> list[tuple[str, Ints]]:
        """Each group's label with its rows, in the order of the labels' codes."""
        groups = self.part.groups
        if groups is None:
            return []
        order = np.argsort(groups, kind="stable")
        codes, first = np.unique(groups[order], return_index=True)
        names = self.part.group_names
        labels = [names[code] if names else str(code) for code in codes.tolist()]
        return list(zip(labels, np.split(order, first[1:]), strict=True))


class Fold:
    """Parts as numbers for an estimator, whose columns have `names`.

    `tests` are the rows that are scored: ``test``, and ``validation`` where the protocol has it.
    `features` are None where X is complete and numeric.
    """

    def __init__(
        self, parts: Parts, preprocess: Preprocess, features: tuple[Feature, ...] | None
    ) -> None:
        train, self.path = parts.train, parts.path
        self._preprocessor: Preprocessor | None = None
        columns = features or tuple(Feature(f"x{j}") for j in range(train.X.shape[1]))
        self.names = tuple(column.name for column in columns)
        if features is not None or preprocess.scale != "none":
            self._preprocessor = Preprocessor(preprocess, columns).fit(train.X, train.groups)
            self.names = self._preprocessor.names
        self.train = self._rows(train)
        self.test = self._rows(parts.test)
        self.tests = {TEST: self.test}
        if parts.validation is not None:
            self.tests |= {"validation": self._rows(parts.validation)}

    def _rows(self, part: Part) -> FoldRows:
        return FoldRows(self.prepared(part.X, part.groups), part)

    def prepared(self, X: Floats, groups: Ints | None = None) -> Floats:
        """Return further rows, (m, d), of groups (m,), as numbers for an estimator, (m, p)."""
        return X if self._preprocessor is None else self._preprocessor.transform(X, groups)


def folds(spec: EvaluateSpec) -> Iterator[Fold]:
    """Yield the split of a cell, then the folds inside its training part, each when wanted."""
    setting = spec.setting
    source, features = _source(setting)
    parts = setting.protocol.parts(source, spec.place, inner=setting.inner is not None)
    if not setting.within_groups:
        parts = parts.without_groups()
    _require_levels(parts.train, setting, "the protocol")
    yield Fold(parts, setting.preprocess, features)
    if setting.inner is None:
        return
    rng = stream(setting.seed, f"{parts.path}/inner")
    for i, rows in enumerate(inner_folds(setting.inner, parts.train, rng, parts.together)):
        train, test = parts.train.take(rows.train), parts.train.take(rows.test)
        fold = Parts(train, test, f"{parts.path}/inner/{i}")
        _require_levels(train, setting, "'inner'")
        yield Fold(fold, setting.preprocess, features)


def _require_levels(train: Part, setting: Setting, where: str) -> None:
    """Raise a DataError where all training rows of a data set are of one level."""
    problem = setting.problem
    if not isinstance(problem, DataProblem) or problem.levels is None or np.ptp(train.y) > 0:
        return
    level, parts = problem.levels[int(train.y[0])], setting.protocol.uses_parts
    known = {"level": level, "where": where, "parts": parts and where != "'inner'"}
    raise DataError(message("run.one_level", rows=len(train.y), **known))


def _source(setting: Setting) -> tuple[Generated | Loaded, tuple[Feature, ...] | None]:
    """Return what the protocol works on, and the features of a data set."""
    problem = setting.problem
    if isinstance(problem, GeneratorProblem):
        made = (problem.generator, canonical(problem.params))
        return _Distribution(problem.name, *made, setting.seed), None
    data = _data(problem)
    beside = (_several(data.levels), data.groups, data.weights)
    rows = np.arange(len(data.y))
    whole = Part(data.X, data.y, *beside, group_names=data.group_names, rows=rows)
    loaded = Loaded(problem.name, whole, setting.seed, data.parts, data.part_names, data.times)
    return loaded, data.features


def _data(problem: DataProblem) -> Dataset:
    """Return a data set as it was planned; DataError where it is another."""
    data = load_snapshot(here(Path(problem.snapshot)))
    if data.fingerprint != problem.fingerprint:
        raise DataError(f"snapshot {problem.snapshot} changed while the study ran; run it again")
    return data


def problem(what: DataProblem, preprocess: Preprocess) -> Problem:
    """Return a data set as checks take it."""
    data = _data(what)
    made = Preprocessor(preprocess, data.features).fit(data.X, data.groups)
    X, several = made.transform(data.X, data.groups), _several(data.levels)
    for array in (X, data.y, data.groups, data.weights):
        if array is not None:
            array.setflags(write=False)
    kind: Kind = "continuous" if data.levels is None else "ordinal" if several else "binary"
    return Problem(what.name, X, data.y, kind, made.names, data.groups, data.weights)


def _several(levels: Sized | None) -> int | None:
    """Return the number of levels; None for a continuous target, or two."""
    return len(levels) if levels is not None and len(levels) > 2 else None


@dataclass(frozen=True)
class _Distribution(Generated):
    """A generator with its parameters, as canonical JSON so that drawn models can be kept."""

    name: str
    generator: str
    params: str
    seed: int

    def sample(
        self, model: str, n: int, path: str, *, keep: bool = False, truth: bool = True
    ) -> Part:
        """Return rows of a model; see `Generated`."""
        draw = _kept_sample if keep else _sample
        return draw(self, model, n, path, truth=keep or truth)


@lru_cache(maxsize=2)
def _model(source: _Distribution, path: str) -> Any:
    """Draw a model; kept because drawing takes as long as many fits."""
    made = registry.get("generators", source.generator)(**json.loads(source.params))
    return made.draw_model(stream(source.seed, path))


def _sample(source: _Distribution, model: str, n: int, path: str, *, truth: bool) -> Part:
    drawn = _model(source, model)
    X, y = drawn.sample(n, stream(source.seed, path))
    known = [name for name in TRUTHS if truth and hasattr(drawn, name)]
    best = {name: getattr(drawn, name)(X) for name in known}
    return Part(X, y, _several(drawn.levels), truth=best)


_kept_sample = lru_cache(maxsize=1)(_sample)
