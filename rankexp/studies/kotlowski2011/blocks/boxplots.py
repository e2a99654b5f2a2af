"""Boxes over the models of each problem, and below them the paired differences."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated

import pandas as pd
from pydantic import Field

from rankexp import registry
from rankexp.arrays import Floats
from rankexp.charts.model import Axis, Chart
from rankexp.charts.numbers import amount, short
from rankexp.metrics.metric import Metric
from rankexp.runner.analyse import compare
from rankexp.runner.config.schema import Block
from rankexp.runner.report.blocks.tables.paired_table import PairedTable
from rankexp.runner.report.context import Context
from rankexp.runner.report.model import Output
from rankexp.runner.report.options import ProblemName
from rankexp.studies.kotlowski2011.boxes import MOST_DOTS, Box, Boxes

REGISTER = {"boxplots": "Boxplots"}

WIDTH, HEIGHT = 3.5, 4.1  # of a panel with its differences, inches


@dataclass(frozen=True)
class BoxPanel:
    """The numbers of one problem: by method one a unit (a model's mean over training sets)."""

    problem: str
    title: str
    metric: Metric
    labels: list[str]  # of the methods
    values: dict[str, Floats]
    differences: dict[str, Floats]  # empty without a reference, and of itself
    ends: dict[str, tuple[float, float, float]]  # their mean and its interval, where known
    reference: str | None
    minus: str  # label of the reference
    bayes: float | None
    units: pd.DataFrame  # a row a method and unit
    unit: str  # what they are


class Boxplots(PairedTable):
    """One panel a problem: a box a method, a line at the Bayes risk, differences below."""

    panels: list[ProblemName] | None = None
    """Problems in the order of reading. Default: the experiments' own."""
    columns: Annotated[int, Field(ge=1)] = 2
    bayes: bool | float | dict[ProblemName, float] = True
    """Where the line is: true for the generator's ``rank_risk`` (else the mean of the Bayes
    scorer's records), false for none."""

    def output(self, context: Context, block: Block) -> Output:
        """Return the figure and the numbers it shows (`paired_table` shows them as a table)."""
        result = super().output(context, block)
        methods = self.shown(context, block)
        panels = [
            self._panel(context, experiment, problem, methods)
            for experiment in block.experiments
            for problem in context.evaluate(experiment).problems
        ]
        ends = _ends(result.numbers) if self.reference and result.numbers is not None else {}
        panels = [replace(p, ends=ends.get(p.problem, {})) for p in panels]
        if self.panels is not None:
            panels = [p for name in self.panels for p in panels if p.problem == name]
        lines = {p.title: p.bayes for p in panels if p.bayes is not None}
        notes = list(result.notes)
        if lines:
            values = sorted(set(lines.values()))
            named = "; ".join(f"{name}: {amount(value, 4)}" for name, value in lines.items())
            named = named if len(values) > 1 else amount(values[0], 4)
            notes.append(f"Dashed line: the Bayes risk, {named}.")
        few = any(0 < len(own) <= MOST_DOTS for p in panels for own in p.values.values())
        notes.append(
            "Boxes: quartiles over the units, whiskers to 1.5 times their distance; "
            f"dots: {'the units' if few else 'units beyond'}."
        )
        if ends:
            notes.append("Diamonds: mean differences with these intervals.")
        margins = {p.metric.reading.margin for p in panels if p.reference}
        notes += [f"Shaded: differences within ±{short(one)}." for one in margins if one]
        shown = Output(result.numbers, [], chart(panels, self.columns), notes, gist=result.gist)
        return replace(shown, units=pd.concat([panel.units for panel in panels]))

    def _panel(
        self, context: Context, experiment: str, problem: str, methods: Sequence[str]
    ) -> BoxPanel:
        metric, reference = context.metric(experiment, self.metric), self.reference
        shown = [*methods, *([reference] if reference else [])]
        splits = self.units(context, experiment, shown)
        splits = splits[splits.problem == problem]
        paired = compare.paired(splits, reference) if reference else splits.iloc[:0]
        units = compare.unit_means(splits).assign(experiment=experiment, metric=str(metric))
        columns = ["experiment", "problem", "method", "metric", "unit", "value"]
        of_models = {compare.OF_MODELS: "model", compare.OF_QUERIES: "query"}
        found = compare.summary(splits).se_of
        return BoxPanel(
            problem,
            context.problem_label(problem),
            metric,
            list(map(context.method_label, methods)),
            compare.by_method(units, methods),
            compare.by_method(compare.unit_means(paired), methods),
            {},
            reference,
            context.method_label(reference) if reference else "",
            self._bayes(context, experiment, problem, metric),
            units[columns],
            of_models.get(found.iloc[0] if len(found) else "", "repeat"),
        )

    def _bayes(
        self, context: Context, experiment: str, problem: str, metric: Metric
    ) -> float | None:
        if isinstance(self.bayes, dict):
            return self.bayes.get(problem)
        if not isinstance(self.bayes, bool):
            return self.bayes
        entry, said = context.study.generators.get(problem), metric.reading.bayes
        if not self.bayes or entry is None:
            return None
        if said and not metric.parameters:
            factory = registry.get("generators", entry.generator)
            known = entry.params.get(said, getattr(factory, said, None))
            if known is not None:
                return float(known)
        rows = context.scores(experiment, metric.of_bayes)
        values = rows.loc[rows.problem == problem].groupby("model").value.mean()
        return float(values.mean()) if len(values.dropna()) else None


def chart(panels: Sequence[BoxPanel], columns: int) -> Chart:
    """Return rows of panels, each with its differences below."""
    return Chart([_boxes(panel) for panel in panels], columns, (WIDTH, HEIGHT))


def _boxes(panel: BoxPanel) -> Boxes:
    named = dict(zip(panel.values, panel.labels, strict=True))
    better, margin = panel.metric.direction, panel.metric.reading.margin or math.nan
    places = {name: place for place, name in enumerate(named)}
    below = None
    if panel.reference:
        others = [name for name in named if name != panel.reference]
        means = "; diamonds: means with their intervals" * bool(panel.ends)
        minus = Axis(f"minus {panel.minus}{means}", better=better)
        boxes = [
            Box(named[name], panel.differences[name], places[name], mean=panel.ends.get(name))
            for name in others
        ]
        below = Boxes(panel.title, boxes, minus, panel.unit, margin=margin)
    return Boxes(
        panel.title,
        [Box(label, panel.values[name], places[name]) for name, label in named.items()],
        Axis(panel.metric.label, better=better),
        panel.unit,
        line=math.nan if panel.bayes is None else panel.bayes,
        said="Bayes risk",
        below=below,
        told=_told(panel, named),
    )


def _told(panel: BoxPanel, named: Mapping[str, str]) -> str:
    """Say in how many units each method is worse than the reference, or better."""
    worse = -1 if panel.metric.direction == "higher" else 1
    said = []
    for method, own in panel.differences.items():
        if method == panel.reference or not len(own):
            continue
        counts = {"worse": int((worse * own > 0).sum()), "better": int((worse * own < 0).sum())}
        word = max(counts, key=lambda name: counts[name])
        many = f"{len(own)} {'queries' if panel.unit == 'query' else f'{panel.unit}s'}"
        said.append(f"{named[method]} is {word} than {panel.minus} in {counts[word]} of {many}")
    return f"{'; '.join(said)}." if said else ""


def _ends(numbers: pd.DataFrame) -> dict[str, dict[str, tuple[float, float, float]]]:
    found: dict[str, dict[str, tuple[float, float, float]]] = {}
    columns = ["problem", "method", "difference", "low_all", "high_all"]
    for problem, method, *ends in numbers[columns].dropna().itertuples(index=False):
        found.setdefault(problem, {})[method] = (ends[0], ends[1], ends[2])
    return found
