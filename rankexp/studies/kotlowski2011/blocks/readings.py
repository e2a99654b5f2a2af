"""What each reading of a paper gives beside its print: how many cells it meets, and how nearly."""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from statistics import fmean
from typing import NamedTuple

import pandas as pd
from pydantic import Field

from rankexp.charts.numbers import number
from rankexp.runner.analyse.frame import NONE
from rankexp.runner.config.published import PublishedKey
from rankexp.runner.config.schema import Block
from rankexp.runner.report.context import Context
from rankexp.runner.report.heads import Role, heads
from rankexp.runner.report.model import Cell, Entry, Fact, Output, Table
from rankexp.runner.report.options import AtRule, ExperimentName, MethodName
from rankexp.runner.report.published import judged
from rankexp.runner.sentences import capital, counted_names
from rankexp.statistics.verdicts import LEVEL, Kind, Note, Reproduction

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
    within: bool  # the noise of both, which may hide a difference that matters
    repeats: int


Cellwise = Mapping[tuple[str, str], Sequence[Met]]


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
        """Return the table of readings, and which cells none of them meets."""
        first = self._repeats(context, block)
        early = of_first(context, first)
        lines = [met for name in block.experiments for met in self._met(early, block, name, first)]
        if not lines:
            return Output(notes=["None of it was run."])
        readings = {
            name: [met for met in lines if met.reading == name]
            for name in dict.fromkeys(met.reading for met in lines)
        }
        cells: dict[tuple[str, str], list[Met]] = {}
        for met in lines:
            cells.setdefault((met.problem, met.target), []).append(met)
        facts = self._facts(context, readings, cells, first)
        gist = capital("; ".join(fact.text for fact in facts.values() if fact.text))
        tables = [self._table(readings, context, first)]
        notes = self._notes(cells, readings, first)
        numbers = _with_means(pd.DataFrame(lines))
        return Output(numbers, tables, notes=notes, gist=f"{gist}.", facts=facts)

    def _repeats(self, context: Context, block: Block) -> int:
        """Return how many repeats all experiments have."""
        found = (
            context.scores(name, context.metric(name, self.metric)).unit.nunique()
            for name in block.experiments
        )
        return min(filter(None, found), default=0)

    def _met(self, context: Context, block: Block, experiment: str, first: int) -> Iterator[Met]:
        setup, metric = context.evaluate(experiment), context.metric(experiment, self.metric)
        named = self.readings or {"": {name: name for name in setup.methods}}
        title = setup.title or experiment
        for label, targets in named.items():
            own = [(m, t) for m, t in targets.items() if m in setup.methods]
            for (method, target), problem in product(own, setup.problems):
                key = self._key(context, block, experiment, problem, target)
                printed = context.published.get(key)
                if printed is None:
                    continue
                place = PublishedKey(experiment, problem, method, str(metric))
                found = judged(context, place, self.rule, printed)
                if math.isnan(found.row.mean):
                    continue
                yield Met(
                    experiment,
                    ", ".join(filter(None, [title, label])),
                    problem,
                    method,
                    target,
                    printed.value,
                    found.row.mean,
                    found.row.se,
                    found.difference,
                    found.z,
                    found.verdict in (Reproduction.REPRODUCED, Reproduction.UNDECIDED),
                    first,
                )

    def _table(self, readings: Mapping[str, Sequence[Met]], context: Context, first: int) -> Table:
        methods = list(dict.fromkeys(met.target for own in readings.values() for met in own))
        rows: list[list[Entry]] = []
        for reading, own in readings.items():
            parts = [[met for met in own if met.target == name] for name in methods]
            cells = (
                Cell(_size(part), remark=f"{_within(part)} of {len(part)}", digits=self.digits)
                for part in [*parts, own]
            )
            rows.append([reading, *cells, "".join("●" if met.within else "○" for met in own)])
        header = heads(Role.LABEL, "Reading")
        header += heads(Role.DIFFERENCE, *map(context.method_label, methods), names=Role.METHOD)
        header += [*heads(Role.DIFFERENCE, "all"), *heads(Role.LABEL, "Each (●: within)")]
        caption = (
            "Mean |difference| to the published values (how many are within the noise), "
            f"{first} repeats of each"
        )
        return Table(header, rows, caption)

    def _notes(
        self, cells: Cellwise, readings: Mapping[str, Sequence[Met]], first: int
    ) -> list[Note | str]:
        met = sum(any(one.within for one in own) for own in cells.values())
        size = fmean(min(abs(one.difference) for one in own) for own in cells.values())
        most = max(map(_within, readings.values()))
        return [
            f"All readings are judged by the first {first} repeats of each. Within the noise: "
            f"{100 * LEVEL:g} % of perfect reproductions are, because the published value is a "
            "draw, too. More repeats make less noise, and fewer values are within it. A mark "
            "stands for each published value, method by method, each by data set.",
            Note(
                Kind.WARNING,
                f"Warning: if the nearest of the {len(readings)} readings is chosen for each "
                f"value, {met} of {len(cells)} values are within the noise (mean |difference| "
                f"{number(size, self.digits)}), but no single reading has more than {most}. Such "
                "a choice proves nothing, because among many readings some come near any value. "
                "Judge a row as a whole.",
            ),
        ]

    def _facts(
        self, context: Context, readings: Mapping[str, Sequence[Met]], cells: Cellwise, first: int
    ) -> dict[str, Fact]:
        """Say how many values the stated reading and the best one meet, and which none does."""
        (_, stated), most = next(iter(readings.items())), max(map(_within, readings.values()))
        sizes = {name: _size(own) for name, own in readings.items()}
        best = min(sizes, key=sizes.__getitem__)
        missed = [
            f"{context.problem_label(problem)} {context.method_label(target)}"
            for (problem, target), own in cells.items()
            if not any(one.within for one in own)
        ]
        least, own = (number(size, self.digits) for size in (sizes[best], _size(stated)))
        told = {
            "best": f"with {first} repeats of each, the best of {len(readings)} readings meets "
            f"{most} of {len(cells)} values, the stated one {_within(stated)}",
            "nearest": f"'{best}' is nearest on average ({least} away; the stated one {own})",
            "none": f"none meets {counted_names('value', len(missed), missed)}" * bool(missed),
        }
        return {name: Fact("", text) for name, text in told.items()}


def of_first(context: Context, repeats: int) -> Context:
    """Return a context that has the first repeats of every experiment alone."""
    known, frame = (context.cells, context.records, context.manifest), context.frame
    made = Context(context.study, *known)
    made.frame = frame[frame.model.fillna(frame.rep).fillna(NONE) < repeats]
    return made


def _with_means(lines: pd.DataFrame) -> pd.DataFrame:
    """Add what the table says of a reading, of each method over data sets and of all methods."""
    sizes = lines.assign(difference=lines.difference.abs())
    for end, by in (("", ["reading", "target"]), ("_all", ["reading"])):
        own = sizes.groupby(by)
        lines[f"mean_difference{end}"] = own.difference.transform("mean")
        lines[f"count_within{end}"] = own.within.transform("sum")
        lines[f"count{end}"] = own.within.transform("size")
    return lines


def _size(found: Sequence[Met]) -> float:
    return fmean(abs(met.difference) for met in found) if found else math.nan


def _within(found: Sequence[Met]) -> int:
    return sum(met.within for met in found)
