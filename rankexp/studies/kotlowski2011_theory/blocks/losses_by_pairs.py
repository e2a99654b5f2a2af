"""One table of losses, each on points and on pairs, over sizes and priors and on data sets."""

import math
from dataclasses import dataclass
from statistics import mean
from typing import NamedTuple

import pandas as pd

from rankexp.charts.numbers import number, short
from rankexp.runner.config.schema import Block
from rankexp.runner.report.blocks.statistics.contrasts import Contrasts
from rankexp.runner.report.context import Context
from rankexp.runner.report.heads import Role, heads
from rankexp.runner.report.model import Cell, Entry, Fact, Output, Table
from rankexp.runner.sentences import capital
from rankexp.statistics.contrast import Contrast, adjusted

REGISTER = {"losses_by_pairs": "LossesByPairs"}

SETTINGS, DATA = "settings", "data sets"


@dataclass(frozen=True)
class Compared:
    """A contrast in one setting or on one data set, with the mean of both sides."""

    loss: str
    of: str  # settings or data sets
    where: tuple[str, str]  # experiment and problem
    own: Contrast
    pairs: float
    points: float


class Over(NamedTuple):
    """A loss over all settings, or data sets; means are over those that all losses have."""

    contrast: str
    of: str
    n: int
    pairs: float
    points: float
    least: float  # of the differences
    largest: float
    better: int  # so many times are pairs
    worse: int
    within: int


class LossesByPairs(Contrasts):
    """A row a loss and one of all: pairs beside points, and where pairs rank better or worse.

    Each contrast is of one loss, pairs first. Intervals and tests are adjusted for all settings of
    a loss at once, and for all data sets.
    """

    def output(self, context: Context, block: Block) -> Output:
        """Return the table, its sentence, and a fact of each loss and of all together."""
        found = [one for label in self.contrasts for one in self._places(context, block, label)]
        if not found:
            return Output(notes=["There is nothing to show."])
        facts = {
            f"{label} in {of}": Fact("", _counted(own))
            for of in (SETTINGS, DATA)
            for label in [*self.contrasts, "all"]
            if (own := _some(found, label, of))
        }
        rows = [
            {"contrast": one.loss, "of": one.of, "experiment": one.where[0], **one.own.row()}
            | {"pairs": one.pairs, "points": one.points}
            for one in found
        ]
        sums = [
            _over(found, label, of, len(self.contrasts))._asdict()
            for of in (SETTINGS, DATA)
            for label in [*self.contrasts, "all"]
            if _some(found, label, of)
        ]
        told = [
            f"pairs in place of points: {facts[f'all in {of}'].text}, over {of}"
            for of in (SETTINGS, DATA)
            if f"all in {of}" in facts
        ]
        metric = context.metric(block.experiments[0], self.metric)
        tables = [
            self._losses(found, of, metric.label, metric.direction)
            for of in (SETTINGS, DATA)
            if _some(found, "all", of)
        ]
        return Output(
            pd.DataFrame([*rows, *sums]),
            tables,
            notes=self._notes(found),
            gist=f"{capital('; '.join(told))}.",
            facts=facts,
        )

    def _places(self, context: Context, block: Block, label: str) -> list[Compared]:
        """Return a loss's contrasts everywhere, those of settings adjusted for each other."""
        settings = self._settings(context, block.experiments[0])
        known: dict[str, list[Compared]] = {SETTINGS: [], DATA: []}
        pairs, points = self.contrasts[label][0]
        for name in block.experiments:
            models = context.evaluate(name).protocol.kind == "models"
            means = self.wide(context, name, [pairs, points])
            means = means[[pairs, points]].astype(float).dropna().groupby(level="problem").mean()
            for own in self._families(context, name)[label].problems:
                if own.problem not in means.index or math.isnan(own.difference):
                    continue
                sides = means.loc[own.problem].to_numpy(dtype=float).tolist()
                of = SETTINGS if models else DATA
                known[of].append(Compared(label, of, (name, own.problem), own, *sides))
        judged = []
        for places in known.values():
            again = adjusted([one.own for one in places], settings)
            judged += [
                Compared(one.loss, one.of, one.where, new, one.pairs, one.points)
                for one, new in zip(places, again, strict=True)
            ]
        return judged

    def _losses(self, found: list[Compared], of: str, metric: str, better: str) -> Table:
        rows: list[list[Entry]] = []
        for label in [*self.contrasts, "all"]:
            if not _some(found, label, of):
                continue
            own = _over(found, label, of, len(self.contrasts))
            sides = [Cell(value, digits=self.digits) for value in (own.points, own.pairs)]
            ends = (number(end, self.digits, sign=True) for end in (own.least, own.largest))
            counts = [f"{count} of {own.n}" for count in (own.better, own.worse, own.within)]
            rows.append([label, *sides, *counts, " to ".join(ends)])
        header = heads(Role.SETTING, "Loss") + heads(Role.VALUE, "On points", "On pairs")
        header += heads(Role.VALUE, "Pairs better in", "Pairs worse in")
        header += heads(Role.VALUE, f"Within {short(self.margin)} in", "Pairs − points")
        return Table(header, rows, f"{capital(of)}, {metric}", better=better)

    def _notes(self, found: list[Compared]) -> list[str]:
        return [
            "A setting is a size of the training sample and a share of positives, of a generator. "
            "Mean values are over the settings, or data sets, that all losses have. Better and "
            "worse: the interval for all settings of a loss, or all data sets, excludes 0. "
            f"Within: significantly within ±{short(self.margin)}."
        ]


def _some(found: list[Compared], label: str, of: str) -> list[Compared]:
    return [one for one in found if one.of == of and label in ("all", one.loss)]


def _over(found: list[Compared], label: str, of: str, losses: int) -> Over:
    """Return what stands in the table of a loss."""
    own, everywhere = _some(found, label, of), _everywhere(found, of, losses)
    same = [one for one in own if one.where in everywhere]
    words, ends = [_word(one) for one in own], [one.own.difference for one in own]
    return Over(
        label,
        f"all {of}",
        n=len(own),
        pairs=mean(one.pairs for one in same) if same else math.nan,
        points=mean(one.points for one in same) if same else math.nan,
        least=min(ends),
        largest=max(ends),
        better=words.count("better"),
        worse=words.count("worse"),
        within=sum(one.own.verdict.equivalent for one in own),
    )


def _everywhere(found: list[Compared], of: str, losses: int) -> set[tuple[str, str]]:
    own = [one.where for one in found if one.of == of]
    return {where for where in own if own.count(where) == losses}


def _word(one: Compared) -> str:
    return str(one.own.verdict.shown or "")


def _counted(own: list[Compared]) -> str:
    words = [_word(one) for one in own]
    counts = [words.count(word) or "none" for word in ("better", "worse")]
    return f"better in {counts[0]}, worse in {counts[1]} of {len(own)}"
