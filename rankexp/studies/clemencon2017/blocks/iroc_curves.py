"""IROC curves, averaged over the splits that keep them."""

from collections.abc import Mapping
from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field

from rankexp.arrays import Floats
from rankexp.charts.model import Axis, Chart, Line, Lines
from rankexp.runner.analyse import kept
from rankexp.runner.config.schema import Block
from rankexp.runner.keep import BAYES
from rankexp.runner.report.context import Context
from rankexp.runner.report.model import Output
from rankexp.runner.report.options import AtRule, ProblemName
from rankexp.studies.clemencon2017.blocks.scoring_functions import together

REGISTER = {"iroc_curves": "IrocCurves"}

Curve = tuple[Floats, Floats, int]  # x and mean y, (g,), and the number of splits
Found = dict[str, dict[str, Curve]]  # by problem and method


class IrocCurves(AtRule):
    """One panel a problem: a curve a method, and one of the best scorer where it is known."""

    keeps = "iroc"

    panels: list[ProblemName] | None = None
    """Problems in the order of reading. Default: the experiments' own."""
    columns: Annotated[int, Field(ge=1)] = 4

    def output(self, context: Context, block: Block) -> Output:
        """Return the figure, and the curves drawn."""
        methods = self.shown(context, block)
        found: Found = {}
        for experiment in block.experiments:
            own = kept.curves(self.sources(context, experiment, methods), self.keeps)
            for problem in context.evaluate(experiment).problems:
                found[problem] = {
                    method: (curves[0].x, np.mean([one.y for one in curves], axis=0), len(curves))
                    for method, curves in kept.by_method(own, problem).items()
                }
        shown = {name: found[name] for name in self.panels or found if found.get(name)}
        if not shown:
            return Output(notes=["No IROC curve is kept."])
        parts = [
            pd.DataFrame({"problem": problem, "method": method, "splits": n, "x": x, "y": y})
            for problem, own in shown.items()
            for method, (x, y, n) in own.items()
        ]
        numbers = pd.concat(parts, ignore_index=True)
        counts = sorted(set(numbers.splits))
        many = f"Means over {' or '.join(map(str, counts))} splits."
        notes = [
            "One split." if counts == [1] else many,
            "The area below an IROC curve is the IAUC by (5), which gives every cut-off the same "
            "weight.",
        ]
        labels = {name: context.method_label(name) for name in methods} | {BAYES: "optimal"}
        panels = [_panel(context.problem_label(name), own, labels) for name, own in shown.items()]
        drawn = Chart(panels, self.columns, (2.6, 2.45), "all", below=0.5)
        return Output(numbers, [], drawn, notes)


def _panel(title: str, own: Mapping[str, Curve], labels: Mapping[str, str]) -> Lines:
    ends = np.array([0.0, 1.0])
    lines = [Line("by chance", ends, ends, marked=False, faint=True)]
    for place, method in enumerate(labels):
        if method in own:
            x, y, _ = own[method]
            best = method == BAYES
            colour = None if best else place
            lines.append(Line(labels[method], x, y, method=colour, dashed=best, marked=False))
    across, up = (Axis(f"{what} positives", low=0.0, high=1.01) for what in ("false", "true"))
    return Lines(title, together(lines), across, up)
