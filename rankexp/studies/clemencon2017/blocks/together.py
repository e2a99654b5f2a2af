"""What readings of a method that a paper leaves open give: all its published values at once."""

import math
from collections.abc import Iterator, Mapping

import pandas as pd
from pydantic import Field

from rankexp.charts.numbers import number
from rankexp.metrics.metric import Metric, parse
from rankexp.runner.analyse import compare
from rankexp.runner.config.fault import Fault
from rankexp.runner.config.published import Published, PublishedKey
from rankexp.runner.config.schema import Block, Study
from rankexp.runner.report.context import Context
from rankexp.runner.report.heads import Role, heads
from rankexp.runner.report.model import Cell, Entry, Mark, Output, Table
from rankexp.runner.report.options import AtRule, MetricOption
from rankexp.statistics.verdicts import LEVEL, Reproduction
from rankexp.studies.clemencon2017.blocks.published_spread import OverSeeds, decimals

REGISTER = {"together": "Together"}

MARKS = {Reproduction.NEAR: Mark.NEAR, Reproduction.APART: Mark.APART}


class Together(AtRule):
    """A row a method, a column a metric over seeds, and the seed nearest to all that is printed.

    Published is a single run of one method; the methods shown are readings of it.
    """

    published: str
    """The experiment under which the published values stand."""
    of: str
    """The method that they are of."""
    metrics: list[MetricOption] = Field(default_factory=list)
    """Default: those that a value is published of."""
    digits: int = 3

    def faults(self, study: Study, block: Block) -> Iterator[Fault]:
        """Find published values of what the study does not have, beside the usual."""
        yield from super().faults(study, block)
        for key, known in (("published", study.experiments), ("of", study.methods)):
            if getattr(self, key) not in known:
                text = f"the study has no '{getattr(self, key)}'; known: {', '.join(known)}"
                yield Fault(("options", key), text)

    def looks_up(self, context: Context, block: Block) -> Iterator[PublishedKey]:
        """Yield a value of the one method by each metric."""
        setup = context.evaluate(block.experiments[0])
        for metric in self.metrics or map(parse, setup.metrics):
            yield PublishedKey(self.published, setup.problems[0], self.of, str(metric))

    def output(self, context: Context, block: Block) -> Output:
        """Return the table, which seed comes nearest, and a sentence on it."""
        (experiment, *_), methods = block.experiments, self.shown(context, block)
        problem = context.evaluate(experiment).problems[0]
        keys = list(self.looks_up(context, block))
        targets = {parse(key.quantity): context.published.get(key) for key in keys}
        printed = {metric: target for metric, target in targets.items() if target is not None}
        if not printed:
            return Output(notes=[f"Nothing is published of {', '.join(keys[0][:-1])}."])
        found: dict[tuple[str, Metric], OverSeeds] = {}
        away = {name: pd.DataFrame() for name in methods}
        for metric, target in printed.items():
            splits = context.chosen(experiment, metric, self.rule, methods)
            units = compare.unit_means(splits[splits.problem == problem])
            for name, own in units.groupby("method", sort=False):
                values = own.set_index("unit").value.dropna()
                place = PublishedKey(experiment, problem, str(name), str(metric))
                spread = OverSeeds.of(context, place, self.rule, values.to_numpy(), target)
                found[str(name), metric] = spread
                away[str(name)][str(metric)] = (values - target.value).abs()
        if not found:
            return Output(notes=["Nothing was run of it."])
        nearest = {
            name: float(own.max(axis=1, skipna=False).min()) if len(own) else math.nan
            for name, own in away.items()
        }
        numbers = pd.DataFrame(
            {
                "method": name,
                "metric": str(metric),
                "published": printed[metric].value,
                "mean": one.mean,
                "low": one.low,
                "high": one.high,
                "seeds": one.seeds,
                "verdict": one.verdict,
                "experiment": experiment,
                "problem": problem,
                "nearest": nearest[name],
            }
            for (name, metric), one in found.items()
        )
        table = self._table(context, found, printed, nearest)
        return Output(numbers, [table], notes=self._notes(), gist=self._gist(context, nearest))

    def _table(
        self,
        context: Context,
        found: Mapping[tuple[str, Metric], OverSeeds],
        printed: Mapping[Metric, Published],
        nearest: Mapping[str, float],
    ) -> Table:
        cells = {
            place: Cell(
                own.mean,
                interval=(own.low, own.high),
                digits=self.digits,
                mark=MARKS.get(own.verdict) if own.verdict else None,
            )
            for place, own in found.items()
        }
        values = [Cell(one.value, digits=decimals(one)) for one in printed.values()]
        rows: list[list[Entry]] = [["published", *values, Cell()]]
        for name, distance in nearest.items():
            own = [cells.get((name, metric), Cell()) for metric in printed]
            rows.append([context.method_label(name), *own, Cell(distance, digits=self.digits)])
        names = [metric.label for metric in printed]
        header = heads(Role.LABEL, "Reading")
        header += heads(Role.VALUE, *names, names=Role.METRIC)
        header += heads(Role.DIFFERENCE, "Nearest seed")
        return Table(
            header, rows, f"{context.method_label(self.of)}: mean (2.5 to 97.5 %) over seeds"
        )

    def _notes(self) -> list[str]:
        return [
            f"No mark: the published value lies where {100 * LEVEL:g} % of single runs do. "
            f"{Mark.NEAR.value}: it is at most twice as far from their median. "
            f"{Mark.APART.value}: it is farther away. Nearest seed: the least over seeds of the "
            "largest difference to any published value."
        ]

    def _gist(self, context: Context, nearest: Mapping[str, float]) -> str:
        known = {name: value for name, value in nearest.items() if not math.isnan(value)}
        if not known:
            return ""
        best = min(known, key=lambda name: known[name])
        count = "one reading" if len(known) == 1 else f"{len(known)} readings"
        return (
            f"With {count} of {context.method_label(self.of)} no seed comes closer to all "
            f"published values at once than {number(known[best], self.digits)} "
            f"({context.method_label(best)})."
        )
