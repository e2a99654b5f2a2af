"""Contrasts of methods over a map of two parameters: where which wins, and by how much."""

import math
from typing import NamedTuple

import numpy as np
import pandas as pd

from rankexp.charts.model import Axis, Chart, Map
from rankexp.charts.numbers import number, short
from rankexp.metrics.metric import Metric
from rankexp.runner.config.asking import message
from rankexp.runner.config.schema import Block
from rankexp.runner.labels import spoken
from rankexp.runner.report.blocks.statistics.contrasts import Contrasts
from rankexp.runner.report.context import Context
from rankexp.runner.report.heads import Role, heads
from rankexp.runner.report.model import Cell, Entry, Fact, Mark, Output, Table
from rankexp.statistics.contrast import Contrast, adjusted

REGISTER = {"contrast_map": "ContrastMap"}

WIDTH, HEIGHT = 3.5, 2.3  # of a panel, inches
PLACE = ("experiment", "contrast", "generator", "row", "column")


class MapContrast(NamedTuple):
    """A cell of the map of a contrast and a generator, and what the whole map finds there."""

    contrast: str
    generator: str
    row: float
    column: float
    own: Contrast
    experiment: str


class ContrastMap(Contrasts):
    """A map a contrast and generator: rows a parameter of generators, columns one of protocols.

    Each cell is a contrast with its interval, adjusted for all cells of the map of a contrast.
    """

    generators = True

    row: str  # a number of the generators, such as ``p``
    column: str  # a number of the protocols, such as ``n_train``
    label: str | None = None  # what columns are called. Default: the parameter's name

    def output(self, context: Context, block: Block) -> Output:
        found = self._found(context, block)
        if not found:
            return Output(notes=["There is nothing to show."])
        numbers = pd.DataFrame(
            dict(zip(PLACE, (one.experiment, *one[:4]), strict=True)) | one.own.row()
            for one in found
        )
        facts = {label: self._from(found, label) for label in self.contrasts}
        metric = context.metric(block.experiments[0], self.metric)
        notes = self._said(
            context,
            "contrast_map",
            [one.own for one in found],
            word=Mark.NEAR.value,
            row=spoken(self.row),
            column=self.label or spoken(self.column),
        )
        gist = "; ".join(f"{label}: {fact.text or 'not run'}" for label, fact in facts.items())
        tables, drawn = self._tables(found, metric), self._drawn(context, found, metric)
        return Output(numbers, tables, drawn, notes, gist=f"{gist}.", facts=facts)

    def _found(self, context: Context, block: Block) -> list[MapContrast]:
        found: dict[str, list[MapContrast]] = {label: [] for label in self.contrasts}
        for name in block.experiments:
            column = float(context.evaluate(name).protocol.model_dump()[self.column])
            for label, family in self._families(context, name).items():
                for own in family.problems:
                    entry = context.study.generators[own.problem]
                    row = float(entry.params[self.row])
                    one = MapContrast(label, entry.generator, row, column, own, name)
                    found[label].append(one)
        settings = self._settings(context, block.experiments[0])
        return [
            one._replace(own=judged)
            for own in found.values()
            for one, judged in zip(own, adjusted([one.own for one in own], settings), strict=True)
            if not math.isnan(one.own.difference)
        ]

    def _from(self, found: list[MapContrast], label: str) -> Fact:
        """Say from which column on all cells are equivalent, and the range of what is shown."""
        own = [one for one in found if one.contrast == label]
        if not own:
            return Fact("not run", "")
        open_ = [one.column for one in own if not one.own.verdict.equivalent]
        after = [one.column for one in own if one.column > max(open_, default=-1.0)]
        shown = [one for one in own if one.own.verdict.shown]
        values = [one.own.difference for one in shown or own]
        ends = (number(end(values), self.digits, sign=True) for end in (min, max))
        words = [one.own.verdict.shown for one in shown]
        verdict = "mixed" if len({*words}) == 2 else str(next(iter(words), "undecided"))
        known = {"near": len(own) - len(open_), "name": self.label or spoken(self.column)}
        known |= {"cells": len(own), "margin": self.margin, "after": sorted({*after})}
        text = message("found.from_where", words=words, ends=[*dict.fromkeys(ends)], **known)
        return Fact(verdict if shown or open_ else "equivalent", text)

    def _tables(self, found: list[MapContrast], metric: Metric) -> list[Table]:
        tables = []
        for label in self.contrasts:
            own = {one[1:4]: one.own for one in found if one.contrast == label}
            xs = sorted({column for *_, column in own})
            rows: list[list[Entry]] = []
            for generator, row in dict.fromkeys((name, row) for name, row, _ in sorted(own)):
                each = [own.get((generator, row, x)) for x in xs]
                rows.append([f"{generator}, {short(row)}", *map(self._entry, each)])
            header = heads(Role.SETTING, spoken(self.row))
            labels = [f"{x:,.0f}" for x in xs]
            header += heads(Role.DIFFERENCE, *labels, names=Role.SETTING)
            caption, of = f"{label}, {metric.label}", {Role.METRIC: metric.label}
            tables.append(Table(header, rows, caption, of=of, better=metric.direction))
        return tables

    def _entry(self, own: Contrast | None) -> Cell:
        if own is None:
            return Cell()
        mark = Mark.NEAR if own.verdict.equivalent else None
        half = (own.high_all - own.low_all) / 2.0
        return Cell(own.difference, half, mark=mark, digits=self.digits, sign=True)

    def _of(self, context: Context, label: str) -> str:
        """Return what a contrast is of: the methods, or how many pairs of them."""
        (first, second), *more = self.contrasts[label]
        pair = f"{context.method_label(first)} − {context.method_label(second)}"
        return f"mean over {1 + len(more)} pairs of methods, such as {pair}" if more else pair

    def _drawn(self, context: Context, found: list[MapContrast], metric: Metric) -> Chart:
        maps = dict.fromkeys((one.contrast, one.generator) for one in found)
        most = max(abs(one.own.difference) for one in found)
        panels = []
        for key in maps:
            own = [o for o in found if (o.contrast, o.generator) == key]
            rows = sorted({one.row for one in own})
            columns = sorted({one.column for one in own})
            grid, shown = np.full((2, len(rows), len(columns)), np.nan)
            for one in own:
                at = rows.index(one.row), columns.index(one.column)
                grid[at], shown[at] = one.own.difference, bool(one.own.verdict.shown)
            labels = [short(y) for y in rows], [f"{x:,.0f}" for x in columns]
            names = spoken(self.row), self.label or spoken(self.column)
            of = f"{self._of(context, key[0])}, {metric.label}"
            axis, told = Axis(of, better=metric.direction), ": ".join(key)
            lacks = "" if np.isfinite(grid).all() else "Blank: not run."
            own_map = Map(told, *labels, grid, *names, axis, shown == 1.0, lacks, most=most)
            panels.append(own_map)
        return Chart(panels, 2, (WIDTH, HEIGHT), below=0.1)
