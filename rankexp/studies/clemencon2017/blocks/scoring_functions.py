"""Scoring functions of one feature against the regression function, whole and in a window."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Literal, NamedTuple

import numpy as np
import pandas as pd
from pydantic import Field

from rankexp.arrays import Floats
from rankexp.charts.model import Axis, Chart, Line, Lines
from rankexp.charts.numbers import number, short
from rankexp.runner.analyse.kept import KeptItem, Source, curves
from rankexp.runner.config.schema import Block
from rankexp.runner.keep import BAYES
from rankexp.runner.report.context import Context
from rankexp.runner.report.model import Output
from rankexp.runner.report.options import AtRule, MethodName, MetricOption, ProblemName

REGISTER = {"scoring_functions": "ScoringFunctions"}

Read = Callable[[Iterable[Source], str], list[KeptItem]]
Window = Annotated[list[float], Field(min_length=2, max_length=2)]

OPTIMAL = 5  # the place of what is no method: dashed, and far from the first ones in colour


class Curve(NamedTuple):
    """One function at the examples where the regression function is known, (p,).

    `place` fixes its colour: that of the method in the experiment.
    """

    name: str
    label: str
    y: Floats
    place: int


class OfOneSplit(AtRule):
    """Options of a block that shows what is kept of one split, of its first experiment."""

    problem: ProblemName | None = None
    """Default: the experiment's first."""
    split: Annotated[int, Field(ge=0)] = 0
    """Which of the splits that keep anything."""

    def here(self, context: Context, block: Block, read: Read) -> dict[str, KeptItem]:
        """Return what the split keeps, by method."""
        experiment, name = block.experiments[0], self.keeps or ""
        found = read(self.sources(context, experiment, self.shown(context, block)), name)
        problem = self.problem or context.evaluate(experiment).problems[0]
        mine = [one for one in found if one.problem == problem]
        place = list(dict.fromkeys(one.place for one in mine))[self.split : self.split + 1]
        return {one.method: one for one in mine if one.place in place}


class ScoringFunctions(OfOneSplit):
    """One panel a window: m(x), and the scores of each method for one training set.

    The problem needs a generator that knows m(x), and one feature.
    """

    keeps = "scoring_function"

    windows: list[Window] = Field(default_factory=list)
    """Ranges of x shown beside the whole."""
    match: Literal["affine", "windows", "none"] = "affine"
    """Whether scores are put on the scale of m by the best a s + b, panel by panel: in all
    panels, in those of ``windows``, or in none."""
    divided: dict[MethodName, Annotated[float, Field(gt=0)]] = Field(default_factory=dict)
    """By method, what scores are divided by where they are not matched."""
    optimal: bool = False
    """Whether to add an optimal scorer other than m, the distribution function of m(x)."""
    values: list[MetricOption] = Field(default_factory=list)
    """Metrics that notes state of each function on the same split."""

    def output(self, context: Context, block: Block) -> Output:
        """Return the figure, and the functions drawn."""
        here = self.here(context, block, curves)
        if not here:
            text = "No scoring function is kept of this split: see 'keep' of the experiment."
            return Output(notes=[text])
        if BAYES not in here:
            return Output(notes=["The regression function is not known."])
        truth = here[BAYES]
        lines = self._lines(context, block, here)
        numbers = pd.DataFrame({"x": truth.x, "m": truth.y} | {one.name: one.y for one in lines})
        notes = self._notes(context, block.experiments[0], truth, lines)
        return Output(numbers, [], self._chart(truth, lines), notes)

    def _lines(self, context: Context, block: Block, here: Mapping[str, KeptItem]) -> list[Curve]:
        order, truth = context.evaluate(block.experiments[0]).methods, here[BAYES]
        lines = []
        for name in self.shown(context, block):
            if name in here:
                # Of a run of equal scores the ends are kept: interpolation gives it back.
                y = np.interp(truth.x, here[name].x, here[name].y)
                lines.append(Curve(name, context.method_label(name), y, order.index(name)))
        if self.optimal:
            lines.append(Curve("optimal", "an optimal scorer", distribution(truth.y), OPTIMAL))
        return lines

    def _notes(
        self, context: Context, experiment: str, truth: KeptItem, lines: Sequence[Curve]
    ) -> list[str]:
        model, rep, _ = truth.place
        notes = [f"Model {model}, training set {rep}; drawn at {len(truth.x)} test examples."]
        if self.match != "none":
            where = "each panel" if self.match == "affine" else "each zoom"
            notes.append(f"Scores are matched to m by least squares, separately in {where}.")
        if self.match != "affine" and self.divided:
            shares = (
                f"{context.method_label(name)} by {by:g}" for name, by in self.divided.items()
            )
            notes.append(f"In the other panels scores are divided: {', '.join(shares)}.")
        if self.optimal:
            notes.append(
                "The dashed optimal scorer is the empirical CDF of m(x) over the test examples. "
                "It ranks exactly as m does."
            )
        for metric in self.values:
            names = [line.name for line in lines]
            rows = context.chosen(experiment, metric, self.rule, names)
            same = (rows[["model", "rep", "fold"]] == list(truth.place)).all(axis=1)
            means = rows[same & (rows.problem == truth.problem)].groupby("method").value.mean()
            told = []
            for line in lines:
                value = means.get(line.name, math.nan)
                if line.name == "optimal":
                    value = float(metric(y=truth.y, reference=truth.y, scores=line.y))
                told.append(f"{line.label} {number(value, self.digits)}")
            notes.append(f"{metric.label} on these examples: {', '.join(told)}.")
        return notes

    def _chart(self, truth: KeptItem, curves: Sequence[Curve]) -> Chart:
        whole = [float(truth.x.min()), float(truth.x.max())]
        panels = [self._panel(truth, curves, window) for window in [whole, *self.windows]]
        return Chart(panels, len(panels), (3.6, 2.8), below=0.5)

    def _panel(self, truth: KeptItem, curves: Sequence[Curve], window: Window) -> Lines:
        low, high = window
        zoom, inside = window in self.windows, (truth.x >= low) & (truth.x <= high)
        x, m = truth.x[inside], truth.y[inside]
        fitted = self.match == "affine" or (zoom and self.match == "windows")
        lines = [Line("m(x)", x, m, marked=False)]
        for one in curves if inside.any() else ():
            y = one.y[inside]
            y = matched(y, m) if fitted else y / self.divided.get(one.name, 1.0)
            lines.append(Line(one.label, x, y, method=one.place, marked=False))
        title = f"x from {short(low)} to {short(high)}" if zoom else "whole range"
        across = Axis("x", low=low, high=high)
        return Lines(title * bool(self.windows), together(lines), across, Axis("score"))


def together(lines: Sequence[Line]) -> list[Line]:
    """Return lines, those that are the same as one with the labels of all."""
    found: list[Line] = []
    for line in lines:
        same = (i for i, one in enumerate(found) if np.array_equal(one.y, line.y))
        if (at := next(same, None)) is None:
            found.append(line)
        else:
            found[at] = replace(found[at], label=f"{found[at].label} and {line.label} (the same)")
    return found


def matched(scores: Floats, m: Floats) -> Floats:
    """Return the a s + b nearest to m in the mean of squares; its mean for constant scores."""
    centred = scores - scores.mean()
    size = float(np.square(centred).sum())
    slope = float((centred * (m - m.mean())).sum()) / size if size > 0 else 0.0
    return np.asarray(m.mean() + slope * centred)


def distribution(values: Floats) -> Floats:
    """Return the share of values below each, equal ones counting 1/2."""
    ordered = np.sort(values)
    upto = ordered.searchsorted(values, "left") + ordered.searchsorted(values, "right")
    return np.asarray(upto / (2 * len(values)))
