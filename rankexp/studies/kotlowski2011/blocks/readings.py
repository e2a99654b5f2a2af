"""What each reading of a paper gives beside its print: how many cells it meets, and how nearly."""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from statistics import fmean
from typing import NamedTuple

import pandas as pd
from pydantic import Field

from rankexp.runner.analyse import compare
from rankexp.runner.analyse.verdicts import LEVEL, Kind, Note
from rankexp.runner.config.published import PublishedKey
from rankexp.runner.config.schema import Block
from rankexp.runner.report.context import Context
from rankexp.runner.report.model import Cell, Entry, Fact, Output, Table
from rankexp.runner.report.numbers import number
from rankexp.runner.report.options import AtRule, ExperimentName, MethodName

REGISTER = {"readings": "Readings"}


class Met(NamedTuple):
    """A value that a reading gives in place of a published one."""

    experiment: str
    reading: str
    problem: str
    method: str
    target: str  # the method whose published value it is
    published: float
    reproduced: float
    se: float
    difference: float
    z: float
    within: bool  # the noise of both


class Readings(AtRule):
    """A row a reading, an experiment with some methods: how near each column's methods come.

    Published values are those of one experiment; the others do the same in another way.
    """

    published: ExperimentName | None = None
    """The experiment under which the published values stand. Default: the first."""
    readings: dict[str, dict[MethodName, MethodName]] = Field(default_factory=dict)
    """What a reading is called -> its method -> that whose published value it stands for.
    Default: one reading, of all methods for themselves."""

    def looks_up(self, context: Context, block: Block) -> Iterator[PublishedKey]:
        """Yield a value of each problem and method that a reading stands for."""
        for experiment in block.experiments:
            setup = context.evaluate(experiment)
            named = self.readings.values() or [{name: name for name in setup.methods}]
            own = {
                of for targets in named for name, of in targets.items() if name in setup.methods
            }
            for problem, target in product(setup.problems, own):
                yield self._key(context, block, experiment, problem, target)

    def _key(
        self, context: Context, block: Block, experiment: str, problem: str, target: str
    ) -> PublishedKey:
        metric = str(context.metric(experiment, self.metric))
        return PublishedKey(self.published or block.experiments[0], problem, target, metric)

    def output(self, context: Context, block: Block) -> Output:
        """Return the table of readings, and the nearest of each cell for a warning."""
        lines = [met for name in block.experiments for met in self._met(context, block, name)]
        if not lines:
            return Output(notes=["None of it was run."])
        readings = {
            name: [met for met in lines if met.reading == name]
            for name in dict.fromkeys(met.reading for met in lines)
        }
        cells: dict[tuple[str, str], list[Met]] = {}
        for met in lines:
            cells.setdefault((met.problem, met.target), []).append(met)
        most = max(_within(own) for own in readings.values())
        text = f"the best of {len(readings)} readings meets {most} of {len(cells)} values"
        notes, gist = self._notes(len(readings), list(cells.values()), most), self._gist(readings)
        tables, facts = [self._table(context, readings)], {"best": Fact("", text)}
        return Output(pd.DataFrame(lines), tables, notes=notes, gist=gist, facts=facts)

    def _met(self, context: Context, block: Block, experiment: str) -> Iterator[Met]:
        setup, metric = context.evaluate(experiment), context.metric(experiment, self.metric)
        named = self.readings or {"": {name: name for name in setup.methods}}
        title = setup.title or experiment
        for label, targets in named.items():
            own = {m: t for m, t in targets.items() if m in setup.methods}
            for found in context.means(experiment, metric, self.rule, list(own)):
                target = own[found.method]
                key = self._key(context, block, experiment, found.problem, target)
                printed = context.published.get(key)
                if printed is None or math.isnan(found.mean):
                    continue
                difference = found.mean - printed.value
                _, noise = compare.noise(found, printed)
                yield Met(
                    experiment,
                    ", ".join(filter(None, [title, label])),
                    found.problem,
                    found.method,
                    target,
                    printed.value,
                    found.mean,
                    found.se,
                    difference,
                    difference / noise.se if noise.se > 0 else math.nan,
                    abs(difference) <= noise.reproduced,
                )

    def _table(self, context: Context, readings: Mapping[str, Sequence[Met]]) -> Table:
        """Return a row a reading: mean sizes of differences and cells met."""
        methods = list(dict.fromkeys(met.target for own in readings.values() for met in own))
        rows: list[list[Entry]] = []
        for reading, own in readings.items():
            parts = [[met for met in own if met.target == name] for name in methods]
            cells = (
                Cell(_size(part), remark=f"{_within(part)} of {len(part)}", digits=self.digits)
                for part in [*parts, own]
            )
            rows.append([reading, *cells])
        header = ["Reading", *map(context.method_label, methods), "all"]
        caption = "Mean |difference| to the published values (how many are within noise)"
        return Table(header, rows, caption)

    def _notes(self, readings: int, cells: Sequence[Sequence[Met]], most: int) -> list[Note | str]:
        met = sum(any(one.within for one in own) for own in cells)
        size = fmean(min(abs(one.difference) for one in own) for own in cells)
        return [
            f"Within noise: {100 * LEVEL:g} % of perfect reproductions are, because the published "
            "value is a draw, too. A reading with few repeats has more noise, so more of its "
            "values are within it.",
            Note(
                Kind.WARNING,
                f"Warning: if the nearest of the {readings} readings is chosen for each value, "
                f"{met} of {len(cells)} values are within noise (mean |difference| "
                f"{number(size, self.digits)}), but no single reading has more than {most}. Such "
                "a choice proves nothing, because among many readings some come near any value. "
                "Judge a row as a whole.",
            ),
        ]

    def _gist(self, readings: Mapping[str, Sequence[Met]]) -> str:
        """Say which readings come nearest and farthest as a whole."""
        sizes = {name: _size(own) for name, own in readings.items()}
        best, worst = min(sizes, key=sizes.__getitem__), max(sizes, key=sizes.__getitem__)
        least, most = (number(sizes[name], self.digits) for name in (best, worst))
        return (
            f"Of {len(sizes)} readings of what the paper leaves open, '{best}' comes nearest to "
            f"the published values as a whole (mean |difference| {least}); '{worst}' is farthest "
            f"from them ({most})."
        )


def _size(found: Sequence[Met]) -> float:
    """Return the mean size of differences; NaN where there are none."""
    return fmean(abs(met.difference) for met in found) if found else math.nan


def _within(found: Sequence[Met]) -> int:
    return sum(met.within for met in found)
