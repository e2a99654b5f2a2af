"""What readings of a method that a paper leaves open give: all its published values at once."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from pydantic import Field

from rankexp.metrics.base import parse
from rankexp.runner.analyse import compare
from rankexp.runner.analyse.verdicts import Reproduction, reproduction_in_spread
from rankexp.runner.config.fault import Fault
from rankexp.runner.config.published import Published, PublishedKey
from rankexp.runner.config.schema import Block, Study
from rankexp.runner.report.context import Context
from rankexp.runner.report.model import Cell, Entry, Mark, Output, Table
from rankexp.runner.report.numbers import number
from rankexp.runner.report.options import AtRule, MetricOption

REGISTER = {"together": "Together"}

TAIL = 0.05  # share of the seeds below, and above, the interval shown
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
        lines: list[dict[str, Any]] = []
        away = {name: pd.DataFrame() for name in methods}
        for metric, target in printed.items():
            splits = context.chosen(experiment, metric, self.rule, methods)
            units = compare.unit_means(splits[splits["problem"] == problem])
            for name, own in units.groupby("method", sort=False):
                values = own.set_index("unit")["value"].dropna()
                lines.append(_line(str(name), str(metric), target, values))
                away[str(name)][str(metric)] = (values - target.value).abs()
        if not lines:
            return Output(notes=["Nothing was run of it."])
        nearest = {
            name: float(found.max(axis=1, skipna=False).min()) if len(found) else math.nan
            for name, found in away.items()
        }
        numbers = pd.DataFrame(lines).assign(experiment=experiment, problem=problem)
        numbers["nearest"] = numbers["method"].map(nearest)
        table = self._table(context, numbers, printed, nearest)
        return Output(numbers, [table], notes=self._notes(), gist=self._gist(context, nearest))

    def _table(
        self,
        context: Context,
        numbers: pd.DataFrame,
        printed: dict[Any, Published],
        nearest: dict[str, float],
    ) -> Table:
        cells: dict[tuple[str, str], Cell] = {}
        for row in numbers.to_dict("records"):
            ends, mark = (row["low"], row["high"]), MARKS.get(row["verdict"])
            shown = Cell(row["mean"], interval=ends, digits=self.digits, mark=mark)
            cells[row["method"], row["metric"]] = shown
        digits = [max(0, -round(math.log10(one.last_digit))) for one in printed.values()]
        values = [Cell(o.value, digits=d) for o, d in zip(printed.values(), digits, strict=True)]
        rows: list[list[Entry]] = [["published", *values, Cell()]]
        for name, distance in nearest.items():
            own = [cells.get((name, str(metric)), Cell()) for metric in printed]
            rows.append([context.method_label(name), *own, Cell(distance, digits=self.digits)])
        header = ["Reading", *(metric.label for metric in printed), "Nearest seed"]
        return Table(header, rows, f"{context.method_label(self.of)}: mean (5 to 95 %) over seeds")

    def _notes(self) -> list[str]:
        return [
            f"{Mark.APART.value}: no seed reaches the published value, to half of its last digit; "
            f"{Mark.NEAR.value}: fewer than one in twenty do. Nearest seed: the one that comes "
            "nearest to all published values at once, by its largest difference to one of them."
        ]

    def _gist(self, context: Context, nearest: dict[str, float]) -> str:
        known = {name: value for name, value in nearest.items() if not math.isnan(value)}
        if not known:
            return ""
        best = min(known, key=lambda name: known[name])
        return (
            f"No seed of {len(known)} readings of {context.method_label(self.of)} gives all "
            f"published values at once to less than {number(known[best], self.digits)} "
            f"({context.method_label(best)})."
        )


def _line(
    method: str, metric: str, target: Published, values: "pd.Series[float]"
) -> dict[str, Any]:
    """Return a metric of a method over seeds, beside what is published."""
    known = values.to_numpy() if len(values) else np.array([math.nan])
    low, high = np.quantile(known, [TAIL, 1 - TAIL]).tolist()
    ends, extremes = (low, high), (float(known.min()), float(known.max()))
    verdict = reproduction_in_spread(target.value, target.last_digit / 2, ends, extremes)
    return {
        "method": method,
        "metric": metric,
        "published": target.value,
        "mean": float(known.mean()),
        "low": low,
        "high": high,
        "seeds": len(values),
        "verdict": verdict if len(values) else Reproduction.NOT_RUN,
    }
