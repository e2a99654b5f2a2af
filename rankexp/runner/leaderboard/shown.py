"""What was found as tables and pictures."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from rankexp.charts.model import Axis, Chart, Intervals, Map
from rankexp.runner.leaderboard import said
from rankexp.runner.leaderboard.judge import Found, Panel
from rankexp.runner.leaderboard.table import ONE
from rankexp.runner.report.blocks.statistics.forest import forest, row
from rankexp.runner.report.heads import METHOD, PROBLEM, Role, heads
from rankexp.runner.report.model import Cell, Entry, Output, Section, Table
from rankexp.runner.sentences import listed, paragraphs
from rankexp.statistics.contrast import Contrast
from rankexp.statistics.verdicts import Kind, Note

MOST_MAPPED = 40  # methods of a map of pairs
CELL = 0.28  # of a map: inches
LABEL = 30  # letters of a name beside it


@dataclass(frozen=True, eq=False)
class Shown:
    """The tables and pictures of what was found."""

    found: Found

    @property
    def names(self) -> list[str]:
        """What methods are called."""
        return self.found.results.methods

    def sections(self) -> dict[str, Section]:
        """Return the parts of the page by the names of their files, what decides first."""
        main = [one for one in self.found.main if one.known]
        made = {}
        for place, panel in enumerate(main, 1):
            on = f"Methods on {panel.name}" if panel.name and len(main) > 1 else ""
            name = "standings" if place == 1 else f"standings-{place}"
            made[name] = Section(on or "Methods", "", self._standings(panel, on))
        if self.found.ranking is not None:
            made |= {"ranks": Section("Average ranks", "", self._ranks())}
        made |= {"pairs": Section("All pairs", "", self._pairs(main))}
        if len(self.found.sets) > 1:
            made |= {"sets": Section("Each data set", "", self._sets())}
        return made

    def _standings(self, panel: Panel, caption: str) -> Output:
        metric, best, digits = self.found.results.metric, panel.order[0], self._digits
        rows: list[list[Entry]] = []
        lines = list(self._lines(panel))
        for one, own in zip(panel.order, lines, strict=True):
            name, tier, low, high, rank, mean, units = own.values()
            cells: list[Entry] = [name, tier, f"{low} to {high}" if low < high else f"{low}"]
            cells += [] if panel.ranks is None else [Cell(rank, digits=2)]
            cells += [Cell(mean, digits=digits), units]
            rows.append([*cells, *self._difference(panel.pairs.get((best, one)))])
        header = [METHOD, *heads(Role.COUNT, "Tier"), *heads(Role.LABEL, "Places")]
        header += heads(Role.VALUE, "Average rank") if panel.ranks is not None else []
        header += [*heads(Role.VALUE, metric), *heads(Role.COUNT, panel.unit.capitalize())]
        at, long = said.at_once(panel), len(self.names[best]) > LABEL // 2
        minus = "the first" if long else self.names[best]
        header += [*heads(Role.DIFFERENCE, f"Minus {minus}")]
        header += [*heads(Role.INTERVAL, at), *heads(Role.VERDICT, "Verdict")]
        axis = Axis(f"{metric} minus {self.names[best]} ({at})", better=panel.better)
        shown = [row(self.names[one], panel.pairs[best, one]) for one in panel.order[1:]]
        margin = panel.settings.margin or math.nan
        chart = forest([Intervals("", shown, axis, margin, reference=0.0)])
        none = Contrast(panel.name)
        behind = [panel.pairs.get((best, one), none).row() for one in panel.order]
        both = zip(lines, behind, strict=True)
        numbers = pd.DataFrame(one | own for one, own in both).drop(columns="n")
        notes: list[Note | str] = [*said.notes(self.found, panel)]
        if panel.ranks is not None:
            notes += [Note(Kind.CAVEAT, one) for one in said.scale(self.found)]
        table = Table(header, rows, caption, better=panel.better)
        return Output(numbers, [table], chart, notes=notes)

    def _lines(self, panel: Panel) -> Iterator[dict[str, Any]]:
        """Yield what the files say of each method of a panel, the best first."""
        tier = {one: place for place, own in enumerate(panel.tiers, 1) for one in own}
        for one in panel.order:
            low, high = panel.places[one]
            rank = math.nan if panel.ranks is None else float(panel.ranks[one])
            made = {"method": self.names[one], "tier": tier[one], "place_low": low}
            made |= {"place_high": high, "average_rank": rank, "mean": float(panel.means[one])}
            yield made | {"units": int(panel.counts[one])}

    @property
    def _digits(self) -> int:
        return said.decimals(self.found.results)

    def _difference(self, own: Contrast | None) -> list[Entry]:
        if own is None:
            return [Cell(), Cell(), "–"]
        ends = (own.low_all, own.high_all)
        digits = said.fitting(self._digits, own.difference, *ends)
        note = f"{own.note[:1].upper()}{own.note[1:]}." if own.refusal else ""
        between = Cell(interval=ends, digits=digits, sign=True, tiny=True)
        return [
            Cell(own.difference, digits=digits, sign=True, tiny=True, note=note),
            Cell() if math.isnan(ends[0]) else between,
            Cell(own.verdict.words, verdict=own.verdict),
        ]

    def _ranks(self) -> Output:
        own, names = self.found.ranking, [self.names[one] for one in self.found.ranked]
        assert own is not None
        order = np.argsort(own.average, kind="stable")
        rows: list[list[Entry]] = [
            [names[one], Cell(float(own.average[one]), digits=2)] for one in order
        ]
        table = Table([METHOD, *heads(Role.VALUE, "Average rank")], rows, better="lower")
        known = {"n": own.blocks, "f": float(own.omnibus.f), "p": float(own.omnibus.p)}
        notes = paragraphs("leaderboard.friedman", critical=own.critical, **known)
        groups = [[names[one] for one in bar] for bar in own.bars]
        notes += [f"Not told apart by ranks: {listed(group)}." for group in groups]
        numbers = pd.DataFrame({"method": names, "average_rank": own.average})
        against = pd.DataFrame(own.p, columns=[f"p against {name}" for name in names])
        numbers = numbers.join(against).assign(**known, critical_difference=own.critical)
        return Output(numbers.iloc[order], [table], notes=notes)

    def _pairs(self, main: Sequence[Panel]) -> Output:
        panels = [*main, *(one for one in self.found.sets if one not in main)]
        numbers = pd.DataFrame(
            {"method": self.names[second], "minus": self.names[first]} | own.row()
            for panel in panels
            for (first, second), own in panel.pairs.items()
        )
        header = [*heads(Role.PROBLEM, "On")] * (len(main) > 1)
        header += [METHOD, *heads(Role.METHOD, "Minus"), *heads(Role.DIFFERENCE, "Difference")]
        header += [*heads(Role.INTERVAL, "Interval"), *heads(Role.VERDICT, "Verdict")]
        rows: list[list[Entry]] = [
            [panel.name] * (len(main) > 1)
            + [self.names[second], self.names[first], *self._difference(own)]
            for panel in main
            for (first, second), own in panel.pairs.items()
        ]
        table = Table(header, rows, "Each method minus one that is further up", detail=True)
        maps = [self._map(one) for one in main if 2 < len(one.order) <= MOST_MAPPED]
        size = CELL * len(self.names) + 2
        chart = Chart(maps, 1, (1.5 * size + 1, size)) if maps else None
        return Output(numbers, [table], chart)

    def _map(self, panel: Panel) -> Map:
        place = {one: k for k, one in enumerate(panel.order)}
        labels = [f"{self.names[one][:LABEL]} ({k + 1})" for one, k in place.items()]
        columns = [f"({k + 1})" for k in place.values()]
        values = np.full((len(labels), len(labels)), math.nan)
        shown = np.zeros(values.shape, dtype=bool)
        for (first, second), own in panel.pairs.items():
            at = place[second], place[first]
            values[at], shown[at] = own.difference, own.verdict.shown is not None
        what = f"{self.found.results.metric}: row minus column"
        axis = Axis(what, better=panel.better, digits=self._digits)
        blank = "Blank: the same pair stands on the other side of the diagonal."
        title = "" if panel.name == ONE else panel.name
        return Map(title, labels, columns, values, "", "minus", axis, shown, blank)

    def _sets(self) -> Output:
        rows: list[list[Entry]] = []
        for one in self.found.sets:
            first = [self.names[place] for place in one.tiers[0]]
            tier = f"{listed(first[:4])}{f' and {len(first) - 4} more' * (len(first) > 4)}"
            best = Cell(float(one.means[one.order[0]]), digits=self._digits)
            behind = sum(len(own) for own in one.tiers[1:])
            cells: list[Entry] = [one.name, first[0], best, tier if one.known else "not tested"]
            rows.append([*cells, behind])
        header = [PROBLEM, *heads(Role.METHOD, "Best")]
        header += [*heads(Role.VALUE, self.found.results.metric)]
        header += [*heads(Role.LABEL, "First tier"), *heads(Role.COUNT, "Further down")]
        numbers = pd.DataFrame(
            {"data_set": one.name} | own for one in self.found.sets for own in self._lines(one)
        ).drop(columns="average_rank")
        notes = said.notes(self.found, self.found.sets[0], each=True)
        return Output(numbers, [Table(header, rows)], notes=notes)
