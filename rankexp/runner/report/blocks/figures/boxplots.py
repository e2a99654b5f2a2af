"""Boxes over the models of each problem, and below them the paired differences."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated

import pandas as pd
from pydantic import Field

from rankexp import registry
from rankexp.arrays import Floats
from rankexp.metrics.metric import Metric
from rankexp.runner.analyse import compare
from rankexp.runner.config.schema import Block
from rankexp.runner.report import figure
from rankexp.runner.report.blocks.tables.paired_table import PairedTable
from rankexp.runner.report.context import Context
from rankexp.runner.report.model import Output
from rankexp.runner.report.numbers import amount, short
from rankexp.runner.report.options import ProblemName

REGISTER = {"boxplots": "Boxplots"}

WIDTH, HEIGHT = 3.5, 4.1  # of a panel with its differences, inches
BESIDE = 0.36  # of a box: where its mean stands


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
        few = any(0 < len(own) <= figure.MOST_DOTS for p in panels for own in p.values.values())
        notes.append(
            "Boxes: quartiles over the units, whiskers to 1.5 times their distance; "
            f"dots: {'the units' if few else 'units beyond'}."
        )
        if ends:
            notes.append("Diamonds: mean differences with these intervals.")
        margins = {p.metric.reading.margin for p in panels if p.reference}
        notes += [f"Shaded: differences within ±{short(one)}." for one in margins if one]
        return Output(result.numbers, [], draw(panels, self.columns), notes, gist=result.gist)

    def _panel(
        self, context: Context, experiment: str, problem: str, methods: Sequence[str]
    ) -> BoxPanel:
        metric, reference = context.metric(experiment, self.metric), self.reference
        shown = [*methods, *([reference] if reference else [])]
        splits = self.units(context, experiment, shown)
        splits = splits[splits.problem == problem]
        paired = compare.paired(splits, reference) if reference else splits.iloc[:0]
        return BoxPanel(
            problem,
            context.problem_label(problem),
            metric,
            list(map(context.method_label, methods)),
            compare.by_method(compare.unit_means(splits), methods),
            compare.by_method(compare.unit_means(paired), methods),
            {},
            reference,
            context.method_label(reference) if reference else "",
            self._bayes(context, experiment, problem, metric),
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


def draw(panels: Sequence[BoxPanel], columns: int) -> figure.Figure:
    """Return the figure: rows of panels, each with its differences below.

    Panels of one row have one axis, and so have all differences.
    """
    lower = any(panel.reference for panel in panels)
    size = (WIDTH, HEIGHT if lower else 0.62 * HEIGHT)
    heights = [1.55, 1.0] if lower else [1.0]
    made, axes = figure.panels(len(panels), columns, size, heights=heights)
    upper = axes[:: len(heights)]
    for panel, own in zip(panels, upper, strict=True):
        draw_boxes(own, panel)
    for start in range(0, len(upper), columns):
        alike(upper[start : start + columns])
    for panel, own in zip(panels, axes[1::2], strict=True) if lower else ():
        draw_differences(own, panel)
    alike(axes[1::2] if lower else [])
    made.align_ylabels()
    return made


def _ends(numbers: pd.DataFrame) -> dict[str, dict[str, tuple[float, float, float]]]:
    found: dict[str, dict[str, tuple[float, float, float]]] = {}
    columns = ["problem", "method", "difference", "low_all", "high_all"]
    for problem, method, *ends in numbers[columns].dropna().itertuples(index=False):
        found.setdefault(problem, {})[method] = (ends[0], ends[1], ends[2])
    return found


def alike(axes: Sequence[figure.Axes]) -> None:
    """Give panels one range of y, that of all of them."""
    if axes:
        ends = [own.get_ylim() for own in axes]
        for own in axes:
            own.set_ylim(min(low for low, _ in ends), max(high for _, high in ends))


def draw_boxes(axes: figure.Axes, panel: BoxPanel) -> None:
    """Draw one box a method and the Bayes risk as a line."""
    figure.boxes(axes, list(panel.values.values()))
    figure.name_places(axes, panel.labels)
    if panel.bayes is not None:
        axes.axhline(panel.bayes, color="black", linestyle=(0, (5, 3)), linewidth=1.0)
        figure.note(axes, "Bayes risk", (len(panel.labels) - 0.42, panel.bayes), ha="right")
    figure.title(axes, panel.title, bold=True)
    axes.set_ylabel(figure.literal(panel.metric.label))


def draw_differences(axes: figure.Axes, panel: BoxPanel) -> None:
    """Draw the paired differences to the reference, without itself, and the margin around zero."""
    places = [i for i, name in enumerate(panel.values) if name != panel.reference]
    own = list(panel.differences.values())
    figure.boxes(axes, [own[i] for i in places], colours=places)
    figure.name_places(axes, [panel.labels[i] for i in places])
    names = list(panel.values)
    for x, name in enumerate(names[i] for i in places):
        for mean, low, high in [panel.ends[name]] if name in panel.ends else []:
            axes.plot([x + BESIDE] * 2, [low, high], color="black", linewidth=1.0)
            axes.plot([x + BESIDE], [mean], "D", color="black", markersize=2.5)
    margin = panel.metric.reading.margin
    if margin is not None:
        axes.axhspan(-margin, margin, color="#eeeeee", zorder=0)
    axes.axhline(0.0, color="black", linewidth=0.9, zorder=1)
    axes.set_ylabel(figure.wrapped(f"minus {panel.minus}", 0.35 * HEIGHT))
