"""What was found as an answer, tables and pictures."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from rankexp.charts.model import Axis, Chart, Intervals, Map
from rankexp.charts.numbers import number, span
from rankexp.runner.config.asking import message
from rankexp.runner.leaderboard.judge import Found, Panel
from rankexp.runner.report.blocks.statistics.forest import forest, row
from rankexp.runner.report.heads import METHOD, PROBLEM, Role, heads
from rankexp.runner.report.model import Cell, Entry, Output, Said, Section, Table
from rankexp.runner.report.verdict_words import more
from rankexp.runner.sentences import listed, paragraphs
from rankexp.statistics.contrast import Contrast
from rankexp.statistics.verdicts import Kind, Note

MOST_MAPPED = 40  # methods of a map of pairs
UNEQUAL = 10  # times that differences of data sets may differ in size before it is said
CELL = 0.28  # of a map: inches


@dataclass(frozen=True, eq=False)
class Shown:
    """All that is shown of what was found."""

    found: Found

    @property
    def names(self) -> list[str]:
        """What methods are called."""
        return self.found.results.methods

    @property
    def metric(self) -> str:
        """What the metric is called."""
        return self.found.results.metric

    @cached_property
    def digits(self) -> int:
        """Decimals of values: fewer of large ones."""
        largest = max(float(np.nanmax(np.abs(one.values))) for one in self.found.results.sets)
        return max(0, min(4, 4 - math.floor(math.log10(largest)))) if largest else 4

    def answer(self) -> Output:
        """Return the answer in sentences, for the head of the page and the terminal."""
        panels = [one for one in self.found.main if one.known]
        lead: list[str | Said] = [Said("Asked", self._asked())]
        for panel in panels[:2]:
            lead += self._of(panel, f" on {panel.name}" * (len(panels) > 1))
        lead += [Said("Missing", one) for one in self.found.results.missing]
        return Output(lead=lead)

    def _asked(self) -> str:
        sets = len(self.found.results.sets)
        on = f" on {sets} data sets" if sets > 1 else ""
        return f"Which of {len(self.names)} methods is best by {self.metric}{on}?"

    def _of(self, panel: Panel, where: str) -> list[Said]:
        best, *others = panel.order
        pairs = {one: panel.pairs[best, one] for one in others}
        worse = [one for one, own in pairs.items() if own.verdict.shown == "worse"]
        near = [one for one, own in pairs.items() if own.verdict.equivalent]
        open_ = [one for one in others if one not in worse and one not in near]
        over = not panel.name
        known = {"best": self.names[best], "methods": len(self.names), "metric": self.metric}
        known |= {"over": over, "higher": panel.settings.higher, "mean": panel.means[best]}
        known |= {"digits": self.digits, "worse": len(worse), "rank": self._rank(best)}
        told = [self._told(one, pairs[one]) for one in open_]
        (text,) = paragraphs("leaderboard.answer", open=told, **known)
        alone = len(worse) == len(others)
        word = self.names[best] if alone else "No single best method is shown"
        made = [Said(f"Answer{where}", text, word, open=not alone)]
        if panel.settings.margin:
            both = [self.names[one] for one in near if one in worse]
            own = {"names": self._names(near), "slight": both, "margin": panel.settings.margin}
            (text,) = paragraphs("leaderboard.equal", best=self.names[best], **own)
            made.append(Said(f"As good{where}", text))
        made.append(Said(f"Tiers{where}", self._tiers(panel)))
        if open_:
            made.append(Said(f"What would tell{where}", self._more(panel, open_[0])))
        return made

    def _names(self, places: Sequence[int]) -> list[str]:
        shown = [self.names[one] for one in places[:6]]
        return shown + [f"{len(places) - 6} more"] * (len(places) > 6)

    def _rank(self, method: int) -> float:
        ranking = self.found.ranking
        return math.nan if ranking is None else float(ranking.average[method])

    def _told(self, method: int, own: Contrast) -> str:
        ends = span(own.low_all, own.high_all, self.digits)
        return f"{self.names[method]} ({number(own.difference, self.digits, sign=True)}; {ends})"

    def _tiers(self, panel: Panel) -> str:
        named = [[self.names[one] for one in tier] for tier in panel.tiers]
        within = [
            (first, second)
            for tier in panel.tiers
            for (first, second), own in panel.pairs.items()
            if first in tier and second in tier and own.verdict.shown
        ]
        (text,) = paragraphs("leaderboard.tiers", tiers=named, apart=len(within))
        if panel.name or len(panel.tiers) > 1:
            return text
        least = _fewest(panel)
        own = {"n": panel.n, "pairs": len(panel.pairs), "least": least}
        unable = panel.n < least and not any(
            math.isfinite(o.low_all) for o in panel.pairs.values()
        )
        return f"{text} {paragraphs('leaderboard.unable', **own)[0]}" if unable else text

    def _more(self, panel: Panel, nearest: int) -> str:
        own = panel.pairs[panel.order[0], nearest]
        why = str(own.refusal) if own.refusal else more(own, panel.settings)
        if math.isinf(own.low_all):
            why = f"deciding it takes at least {_fewest(panel)} data sets"
        return f"For {self.names[nearest]} against {self.names[panel.order[0]]}: {why}."

    def sections(self) -> list[tuple[str, Section]]:
        """Return the parts of the page by the names of their files, what decides first."""
        main = [one for one in self.found.main if one.known]
        made = []
        for place, panel in enumerate(main):
            name = "standings" if not place else f"standings-{place + 1}"
            on = f" on {panel.name}" if panel.name and len(main) > 1 else ""
            made.append((name, Section(f"Methods{on}", "", self._standings(panel))))
        if self.found.ranking is not None:
            made.append(("ranks", Section("Average ranks", "", self._ranks())))
        made.append(("pairs", Section("All pairs", "", self._pairs(main))))
        if len(self.found.sets) > 1:
            made.append(("sets", Section("Each data set", "", self._sets())))
        return made

    def _standings(self, panel: Panel) -> Output:
        best, over = panel.order[0], not panel.name
        tier = {one: place for place, own in enumerate(panel.tiers, 1) for one in own}
        rows: list[list[Entry]] = []
        contrasts = []
        for one in panel.order:
            own = panel.pairs.get((best, one))
            low, high = panel.places[one]
            cells: list[Entry] = [self.names[one], tier[one], f"{low} to {high}"]
            cells += [Cell(self._rank(one), digits=2)] if over else []
            cells += [Cell(float(panel.means[one]), digits=self.digits), int(panel.counts[one])]
            rows.append([*cells, *self._difference(own)])
            contrasts += [(one, own)] if own else []
        header = [METHOD, *heads(Role.COUNT, "Tier"), *heads(Role.LABEL, "Places")]
        header += heads(Role.VALUE, "Average rank") if over else []
        header += [*heads(Role.VALUE, self.metric), *heads(Role.COUNT, panel.unit.capitalize())]
        at = f"{100 * panel.settings.level:g} % CI for all {len(panel.pairs)} pairs at once"
        header += [*heads(Role.DIFFERENCE, f"Minus {self.names[best]}")]
        header += [*heads(Role.INTERVAL, at), *heads(Role.VERDICT, "Verdict")]
        table = Table(header, rows, better=panel.better)
        axis = Axis(f"{self.metric} minus {self.names[best]} ({at})", better=panel.better)
        margin = panel.settings.margin or math.nan
        shown = [row(self.names[one], own) for one, own in contrasts]
        chart = forest([Intervals("", shown, axis, margin, reference=0.0)])
        return Output(self._numbers(panel, tier), [table], chart, notes=self._notes(panel))

    def _difference(self, own: Contrast | None) -> list[Entry]:
        if own is None:
            return [Cell(), Cell(), "–"]
        ends = (own.low_all, own.high_all)
        known = Cell(own.difference, digits=self.digits, sign=True, note=_note(own))
        between = (
            Cell(interval=ends, digits=self.digits, sign=True)
            if not math.isnan(ends[0])
            else Cell()
        )
        return [known, between, Cell(own.verdict.words, verdict=own.verdict)]

    def _numbers(self, panel: Panel, tier: dict[int, int]) -> pd.DataFrame:
        rows = []
        for one in panel.order:
            low, high = panel.places[one]
            own = {"method": self.names[one], "tier": tier[one], "place_low": low}
            own |= {"place_high": high, "average_rank": self._rank(one)}
            own |= {"mean": panel.means[one], "units": int(panel.counts[one])}
            behind = panel.pairs.get((panel.order[0], one), Contrast(panel.name))
            rows.append(own | {key: value for key, value in behind.row().items() if key != "n"})
        return pd.DataFrame(rows)

    def _notes(self, panel: Panel) -> list[Note | str]:
        known = {"pairs": len(panel.pairs), "level": panel.settings.level, "over": not panel.name}
        made: list[Note | str] = [
            *paragraphs("leaderboard.reading", unit=panel.unit, share="", **known)
        ]
        if not panel.name and (said := self._scale()):
            made.append(Note(Kind.CAVEAT, said))
        return made

    def _scale(self) -> str:
        """Say whether the differences of data sets are of unlike size."""
        size = {
            one.name: float(np.median([abs(own.difference) for own in one.pairs.values()]))
            for one in self.found.sets
        }
        size = {name: own for name, own in size.items() if own > 0}
        if not size or max(size.values()) < UNEQUAL * min(size.values()):
            return ""
        large, small = max(size, key=size.__getitem__), min(size, key=size.__getitem__)
        (text,) = paragraphs(
            "leaderboard.scale", large=large, small=small, times=size[large] / size[small]
        )
        return text

    def _ranks(self) -> Output:
        own = self.found.ranking
        assert own is not None
        order = np.argsort(own.average, kind="stable")
        rows: list[list[Entry]] = [
            [self.names[one], Cell(float(own.average[one]), digits=2)] for one in order
        ]
        table = Table([METHOD, *heads(Role.VALUE, "Average rank")], rows, better="lower")
        known = {"n": own.blocks, "f": float(own.omnibus.f), "p": float(own.omnibus.p)}
        notes = paragraphs("leaderboard.friedman", critical=own.critical, **known)
        groups = [[self.names[one] for one in bar] for bar in own.bars]
        notes += [f"Not told apart by ranks: {listed(group)}." for group in groups]
        numbers = pd.DataFrame({"method": self.names, "average_rank": own.average})
        for place, name in enumerate(self.names):
            numbers[f"p against {name}"] = own.p[place]
        numbers = numbers.assign(**known, critical_difference=own.critical)
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
        chart = Chart(maps, 1, (size, size)) if maps else None
        return Output(numbers, [table], chart)

    def _map(self, panel: Panel) -> Map:
        labels = [self.names[one] for one in panel.order]
        values = np.full((len(labels), len(labels)), math.nan)
        shown = np.zeros(values.shape, dtype=bool)
        for i, first in enumerate(panel.order):
            for j, second in enumerate(panel.order[i + 1 :], i + 1):
                own = panel.pairs[first, second]
                values[j, i], shown[j, i] = own.difference, own.verdict.shown is not None
        axis = Axis(f"{self.metric}: row minus column", better=panel.better, digits=self.digits)
        blank = "Blank: the same pair stands on the other side of the diagonal."
        return Map(panel.name, labels, labels, values, "", "minus", axis, shown, blank)

    def _sets(self) -> Output:
        rows: list[list[Entry]] = []
        for one in self.found.sets:
            first = [self.names[place] for place in one.tiers[0]]
            worse = sum(len(tier) for tier in one.tiers[1:])
            best = one.order[0]
            tier = f"{listed(first[:4])}{f' and {len(first) - 4} more' * (len(first) > 4)}"
            cells: list[Entry] = [one.name, self.names[best]]
            cells.append(Cell(float(one.means[best]), digits=self.digits))
            rows.append([*cells, tier if one.known else "not tested", worse])
        header = [PROBLEM, *heads(Role.METHOD, "Best"), *heads(Role.VALUE, self.metric)]
        header += [*heads(Role.LABEL, "Not shown worse"), *heads(Role.COUNT, "Shown worse")]
        numbers = pd.DataFrame(
            {
                "data_set": one.name,
                "method": self.names[place],
                "mean": one.means[place],
                "units": int(one.counts[place]),
                "place_low": one.places[place][0],
                "place_high": one.places[place][1],
            }
            for one in self.found.sets
            for place in one.order
        )
        tests = next((own.tests for one in self.found.sets for own in one.pairs.values()), 1)
        known = {"pairs": tests, "level": self.found.sets[0].settings.level, "over": False}
        unit = self.found.sets[0].unit
        notes = paragraphs("leaderboard.reading", unit=unit, share="", **known)
        return Output(numbers, [Table(header, rows)], notes=notes)

    def reading(self, margin: float | None) -> list[str]:
        """Say how the table was read, and by which margin differences are judged."""
        roles = self.found.results.roles
        named = {"method": roles.method, "data set": roles.data, "metric": roles.metric}
        named |= {"value": roles.value, "standard error": roles.error}
        named |= {"split": " and ".join(roles.splits)}
        named = {role: column for role, column in named.items() if column}
        words = {"data": "data set", "error": "standard error"}
        guessed = [words.get(one, one) for one in roles.guessed]
        known = {"columns": named, "guessed": guessed}
        said = message("leaderboard.margin" if margin else "leaderboard.no_margin", margin=margin)
        return [message("leaderboard.guessed", **known), *self.found.results.notes, said]


def _note(own: Contrast) -> str:
    return own.note[:1].upper() + own.note[1:] + "." if own.refusal else ""


def _fewest(panel: Panel) -> int:
    """Return the data sets with which signed ranks could show a difference, all pairs at once."""
    alpha = (1 - panel.settings.level) / len(panel.pairs)
    return math.ceil(1 - math.log2(alpha))
