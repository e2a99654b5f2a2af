"""An answer: its sentences, tables and pictures, for the page, the terminal and notebooks."""

import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from rankexp.charts.frame import styled
from rankexp.charts.model import Axis, Chart, Interval, Intervals, Map
from rankexp.runner.compare.results import page
from rankexp.runner.config.asking import message
from rankexp.runner.report.blocks.statistics.forest import forest, row
from rankexp.runner.report.heads import Head, Role
from rankexp.runner.report.model import Cell, Entry, Output, Said, Section, Table
from rankexp.runner.report.render.text import all_notes, cell_text, led, rows
from rankexp.runner.report.verdict_words import more
from rankexp.runner.sentences import capital, listed, paragraphs
from rankexp.statistics.contrast import Contrast
from rankexp.statistics.several import Ranking
from rankexp.statistics.verdicts import Kind, Note
from rankexp.studies.leaderboard.judge import Found, Panel
from rankexp.studies.leaderboard.table import ONE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TABLES = tomllib.loads(Path(__file__).with_name("tables.toml").read_text(encoding="utf-8"))
MOST_MAPPED = 40  # methods of a map of pairs
CELL = 0.28  # of a map: inches
LABEL = 30  # letters of a name beside it
MOST_NAMED = 6
MOST_DECIMALS, RANKS = 4, 2  # decimals of values, and of average ranks

Line = Mapping[str, Entry | float]
"""What is said of a method or a pair, by the names of columns."""


def some(names: Sequence[str], most: int = MOST_NAMED) -> list[str]:
    """Return the first names, and how many more there are."""
    return [*names[:most], *[f"{len(names) - most} more"] * (len(names) > most)]


def _drawn(label: str, own: Contrast) -> Interval:
    """Return the row of a picture; a bar for equivalence alone would look like the interval."""
    made = row(label, own)
    alone = math.isinf(own.low_all) and not own.verdict.equivalent
    return replace(made, near=(math.nan, math.nan)) if alone else made


@dataclass(frozen=True, eq=False, repr=False)
class VerdictsResult:
    """An answer: its sentences and tables; a notebook shows all of it."""

    found: Found
    reading: Output  # how the table was read

    @property
    def answer(self) -> list[str]:
        """What is best, what is as good, tiers, and what would tell more."""
        return [" ".join(filter(None, led(one))) for one in self.lead.lead]

    @property
    def remarks(self) -> list[str]:
        """How the table was read, what was guessed and what is missing."""
        return self.reading.texts

    @property
    def standings(self) -> pd.DataFrame:
        """A row a method, the best first, with its difference from the best."""
        return self._numbers("standings")

    @property
    def pairs(self) -> pd.DataFrame:
        """A row a pair of methods, over data sets and on each."""
        return self._numbers("pairs")

    @property
    def sets(self) -> pd.DataFrame:
        """A row a data set and method; empty where there is one data set."""
        return self._numbers("sets")

    @property
    def figure(self) -> "Figure | None":
        """Each method minus the best, drawn by matplotlib."""
        with styled():
            return next(iter(self.sections.values())).output.figure

    def _numbers(self, name: str) -> pd.DataFrame:
        numbers = self.sections[name].output.numbers if name in self.sections else None
        return pd.DataFrame() if numbers is None else numbers

    def __repr__(self) -> str:
        return "\n\n".join([*self.answer, *self.remarks])

    def _repr_html_(self) -> str:
        first = next(iter(self.sections.values())).output
        (shown,) = first.tables
        table = pd.DataFrame(rows(shown), columns=shown.labels)
        drawn = table.to_html(index=False, border=0, justify="left")
        return page(
            table=drawn,
            sentences=self.answer,
            notes="\n".join(all_notes(first)),
            reading="\n".join(self.remarks),
        )

    @cached_property
    def lead(self) -> Output:
        """The answer in sentences, for the head of the page and the terminal."""
        results, panels = self.found.results, [one for one in self.found.main if one.known][:2]
        lead: list[str | Said] = [Said("Asked", message("leaderboard.asked", results=results))]
        for panel in panels:
            lead += self._said(panel, f" on {panel.name}" * (len(panels) > 1))
        lead += [Said("Missing", results.missing)] * bool(results.missing)
        return Output(lead=lead)

    def _said(self, panel: Panel, where: str) -> list[Said]:
        """Say what the best method is, what is as good, the tiers, and what would tell more."""
        first, *others = panel.order
        beside = {self.names[one]: panel.pairs[first, one] for one in others}
        known = {"shown": self, "panel": panel, "beside": beside, "some": some, "more": more}
        labels, texts = (paragraphs("leaderboard.answer", **known)[start::2] for start in (0, 1))
        alone = all(own.verdict.shown == "worse" for own in beside.values())
        word = self.names[first] if alone else "No single best method is shown"
        made = [Said(f"{label}{where}", text) for label, text in zip(labels, texts, strict=True)]
        return [replace(made[0], word=word, open=not alone), *made[1:]]

    def _notes(self, panels: Sequence[Panel]) -> list[str]:
        return paragraphs("leaderboard.reading", shown=self, panels=panels, some=some)

    def short(self, own: Contrast) -> str:
        """Return a difference with its interval, or why there is none."""
        difference, interval, _ = self._beside(own).values()
        return str(own.refusal or f"{cell_text(difference)}; {cell_text(interval)}")

    @property
    def names(self) -> list[str]:
        """What methods are called."""
        return self.found.results.methods

    @cached_property
    def digits(self) -> int:
        """The decimals of values: fewer of large ones."""
        largest = max(float(np.nanmax(np.abs(one.values))) for one in self.found.results.sets)
        return max(0, min(MOST_DECIMALS, 4 - math.floor(math.log10(largest or 1))))

    @cached_property
    def sections(self) -> dict[str, Section]:
        """The parts of the page by the names of their files, what decides first."""
        main = [one for one in self.found.main if one.known]
        made = {}
        for place, panel in enumerate(main, 1):
            on = f"Methods on {panel.name}" if panel.name and len(main) > 1 else ""
            name = "standings" if place == 1 else f"standings-{place}"
            made[name] = Section(on or "Methods", "", self._standings(panel, on))
        if self.found.ranking is not None:
            made |= {"ranks": Section("Average ranks", "", self._ranks(self.found.ranking))}
        made |= {"pairs": Section("All pairs", "", self._pairs(main))}
        if len(self.found.sets) > 1:
            made |= {"sets": Section("Each data set", "", self._sets(self.found.sets))}
        return made

    def _table(
        self, name: str, lines: Sequence[Line], caption: str = "", better: str = "", **labels: str
    ) -> Table:
        """Return lines below the heads that the file has for a table, completed by `labels`."""
        heads = {key: head for key, head in TABLES[name].items() if key in lines[0]}
        labels |= {"metric": self.found.results.metric}
        columns = [Head(label.format_map(labels), Role(role)) for role, label in heads.values()]

        def entry(key: str, own: Entry | float) -> Entry:
            digits = RANKS if key == "average_rank" else self.digits
            return Cell(own, digits=digits) if isinstance(own, float) else own

        shown = [[entry(key, one[key]) for key in heads] for one in lines]
        return Table(columns, shown, caption, better=better)

    def _line(self, panel: Panel, one: int) -> dict[str, Entry | float]:
        """Return what is said of a method of a panel."""
        low, high = panel.places[one]
        places = f"{low} to {high}" if low < high else f"{low}"
        made: dict[str, Entry | float] = {"method": self.names[one], "tier": panel.tier[one]}
        made |= {"place_low": low, "place_high": high, "places": places}
        made |= {} if panel.ranks is None else {"average_rank": float(panel.ranks[one])}
        return made | {"mean": float(panel.means[one]), "units": int(panel.counts[one])}

    def _beside(self, own: Contrast | None) -> dict[str, Entry]:
        """Return a difference as the page says it; of the best there is none.

        It has decimals with which no end that is not 0 looks like it, or four.
        """
        if own is None:
            return {"difference": Cell(), "interval": Cell(), "verdict": "–"}
        digits, ends = self.digits, (own.low_all, own.high_all)
        known = [one for one in (own.difference, *ends) if np.isfinite(one) and one != 0]
        while digits < MOST_DECIMALS and any(round(one, digits) == 0 for one in known):
            digits += 1
        cell = Cell(digits=digits, sign=True, tiny=True)
        note = f"{capital(own.note)}." if own.refusal else ""
        between = Cell() if math.isnan(ends[0]) else replace(cell, interval=ends)
        made = {"difference": replace(cell, value=own.difference, note=note), "interval": between}
        return {**made, "verdict": Cell(own.verdict.words, verdict=own.verdict)}

    def _standings(self, panel: Panel, caption: str) -> Output:
        """Return the methods of a panel beside the best, as a table and a picture."""
        metric, best = self.found.results.metric, self.names[panel.order[0]]
        better, tests = self.found.results.asked.better, panel.tests
        beside = {one: panel.pairs.get((panel.order[0], one)) for one in panel.order}
        level = f"{100 * panel.settings.level:g} % CI"
        level += f" for all {tests:,} tests at once" if tests > 1 else ""
        lines = [self._line(panel, one) for one in panel.order]
        both = list(zip(lines, beside.values(), strict=True))
        minus = best if len(best) <= LABEL // 2 else "the first"
        labels = {"unit": panel.unit.capitalize(), "best": minus, "level": level}
        said = [{**line, **self._beside(own)} for line, own in both]
        shown = self._table("standings", said, caption, better, **labels)
        none = Contrast("")
        numbers = pd.DataFrame(line | (own or none).row() for line, own in both)
        axis = Axis(f"{metric} minus {best} ({level})", better=better)
        drawn = [_drawn(self.names[one], own) for one, own in beside.items() if own]
        margin = panel.settings.margin or math.nan
        chart = forest([Intervals("", drawn, axis, margin, reference=0.0)])
        unlike = paragraphs("leaderboard.scale", panel=panel, sets=self.found.sets)
        notes: list[Note | str] = [*self._notes([panel])]
        notes += [Note(Kind.CAVEAT, one) for one in unlike]
        return Output(numbers.drop(columns=["n", "places"]), [shown], chart, notes=notes)

    def _ranks(self, own: Ranking) -> Output:
        """Return average ranks, and which methods these do not tell apart."""
        few = self.found.over.few if self.found.over else ()
        names = [name for place, name in enumerate(self.names) if place not in few]
        numbers = pd.DataFrame({"method": names, "average_rank": own.average})
        known = {"n": own.blocks, "f": float(own.omnibus.f), "p": float(own.omnibus.p)}
        groups = [[names[one] for one in bar] for bar in own.bars]
        how = {"critical": own.critical, "groups": groups}
        notes = paragraphs("leaderboard.friedman", **known, **how)
        ordered = numbers.sort_values("average_rank", kind="stable")
        pairs = zip(ordered.method, ordered.average_rank, strict=True)
        lines: list[Line] = [{"method": str(m), "average_rank": float(r)} for m, r in pairs]
        shown = self._table("ranks", lines, better="lower")
        against = pd.DataFrame(own.p, columns=[f"p against {name}" for name in names])
        numbers = ordered.join(against).assign(**known, critical_difference=own.critical)
        return Output(numbers, [shown], notes=notes)

    def _pairs(self, main: Sequence[Panel]) -> Output:
        """Return all comparisons: those that the answer rests on as a table and a map, too."""
        panels = [*main, *(one for one in self.found.sets if one not in main)]
        numbers, said = [], []
        for panel in panels:
            for (first, second), own in panel.pairs.items():
                names = {"method": self.names[second], "minus": self.names[first]}
                numbers.append(names | own.row())
                if panel in main:
                    on = {"problem": panel.name} if len(main) > 1 else {}
                    said.append(on | names | self._beside(own))
        shown = self._table("pairs", said, "Each method minus one that is further up")
        maps = [self._map(one) for one in main if 2 < len(one.order) <= MOST_MAPPED]
        size = CELL * len(self.names) + 2
        chart = Chart(maps, 1, (1.5 * size + 1, size)) if maps else None
        return Output(pd.DataFrame(numbers), [replace(shown, detail=True)], chart)

    def _map(self, panel: Panel) -> Map:
        """Return a cell a pair, blank on one side of the diagonal."""
        names = [self.names[one] for one in panel.order]
        labels = [f"{name[:LABEL]} ({k})" for k, name in enumerate(names, 1)]
        values = np.full((len(names), len(names)), math.nan)
        shown = np.zeros(values.shape, dtype=bool)
        for (first, second), own in panel.pairs.items():
            at = panel.order.index(second), panel.order.index(first)
            values[at], shown[at] = own.difference, own.verdict.shown is not None
        what, better = (
            f"{self.found.results.metric}: row minus column",
            self.found.results.asked.better,
        )
        axis = Axis(what, better=better, digits=self.digits)
        blank = "Blank: the same pair stands on the other side of the diagonal."
        title, columns = panel.name.replace(ONE, ""), [f"({k + 1})" for k in range(len(names))]
        return Map(title, labels, columns, values, "", "minus", axis, shown, blank)

    def _sets(self, sets: Sequence[Panel]) -> Output:
        """Return the first tier on each data set, and the files' lines of all methods there."""
        said, lines = list[Line](), list[Line]()
        for one in sets:
            first = [self.names[place] for place in one.tiers[0]]
            own = [self._line(one, method) | {"data_set": one.name} for method in one.order]
            tier = listed(some(first, 4)) if one.known else "not tested"
            behind = len(one.order) - len(first)
            said.append(own[0] | {"best": first[0], "first_tier": tier, "behind": behind})
            lines += own
        numbers = pd.DataFrame(lines).drop(columns="places")
        return Output(numbers, [self._table("sets", said)], notes=self._notes(sets))
