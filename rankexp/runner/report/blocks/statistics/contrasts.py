"""Contrasts of groups of methods: what one change does, whatever else the methods are."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Annotated

import pandas as pd
from pydantic import Field, PositiveFloat

from rankexp.runner.analyse.adjust import Contrast, Settings
from rankexp.runner.analyse.contrast import Family, family
from rankexp.runner.analyse.verdicts import Kind, Note
from rankexp.runner.config.schema import Block
from rankexp.runner.report.context import Context
from rankexp.runner.report.model import Cell, Cells, Entry, Fact, Output, Table
from rankexp.runner.report.numbers import number, short, span
from rankexp.runner.report.options import InBlocks, MethodName
from rankexp.runner.report.verdict_words import between, fact, over

REGISTER = {"contrasts": "Contrasts"}

Pair = Annotated[list[MethodName], Field(min_length=2, max_length=2)]


class Contrasts(InBlocks):
    """A row a problem and one over all, a column a contrast: mean differences of pairs of methods.

    A contrast is the mean over pairs of methods of the first's value minus the second's, split by
    split: ``pairing: [[logistic-pairs, logistic], [hinge-pairs, hinge]]`` is what pairing does,
    with the loss held.
    """

    contrasts: Annotated[
        dict[str, Annotated[list[Pair], Field(min_length=1)]], Field(min_length=1)
    ]
    margin: PositiveFloat
    """Differences below it are of no importance."""
    level: Annotated[float, Field(gt=0.5, lt=1)] = 0.95

    def needed(self, context: Context, block: Block) -> list[str]:
        """Return the methods of all contrasts."""
        return list(dict.fromkeys(m for own in self.contrasts.values() for p in own for m in p))

    def output(self, context: Context, block: Block) -> Output:
        """Return the table, with one sentence on what holds over each experiment."""
        found = {name: self._families(context, name) for name in block.experiments}
        tables = [self._table(context, name, own) for name, own in found.items()]
        rows = [
            {"experiment": name, "contrast": label, **one.row()}
            for name, own in found.items()
            for label, made in own.items()
            for one in _all(made)
        ]
        percent = f"{100 * self.level:g} %"
        alpha = short(round(1 - self.level, 12))
        notes: list[Note | str] = [
            "A contrast is a mean of differences, the first method of each pair minus the second, "
            "on the same splits: "
            + "; ".join(f"{label}: {self._words(context, label)}" for label in self.contrasts)
            + ".",
            f"Intervals hold for all problems of a column at once with {percent} confidence "
            "(Bonferroni); the one over all problems is not adjusted. Better and worse: adjusted "
            f"p below {alpha} (Holm). Over data sets: signed-rank test and pseudo-median.",
        ]
        families = [made for own in found.values() for made in own.values()]
        notes += self._beyond([one for made in families for one in _all(made)], "Equivalent")
        told: dict[tuple[Kind, str], list[str]] = {}
        for name, own in found.items():
            for label, one in ((label, one) for label, made in own.items() for one in _all(made)):
                place = context.problem_label(one.problem) if one.problem else "overall"
                if one.note:
                    text = f"{name} / {place}: {one.note}"
                    told.setdefault((one.kind, text), []).append(label)
        notes += [Note(kind, f"{text} ({'; '.join(own)}).") for (kind, text), own in told.items()]
        facts = {
            of: replace(one, experiments=[name])
            for name, own in found.items()
            for label, made in own.items()
            for of, one in self._facts(context, name, made, f"{label} in {name}")
        }
        return Output(
            pd.DataFrame(rows), tables, notes=notes, gist=self._gist(context, found), facts=facts
        )

    def _beyond(self, made: Sequence[Contrast], word: str) -> list[str]:
        """Return a note, if any of what is equivalent has an interval that leaves the margin."""
        known = [one for one in made if one.verdict.equivalent]
        beyond = [o for o in known if o.low_all < -self.margin or o.high_all > self.margin]
        if not beyond:
            return []
        return [
            f"{word}: two one-sided tests against ±{short(self.margin)} at "
            f"{short(round(1 - self.level, 12))} (Holm), which use intervals of "
            f"{200 * self.level - 100:g} %. {len(beyond)} of the wider intervals shown reach "
            "beyond the margin."
        ]

    def _facts(
        self, context: Context, experiment: str, made: Family, of: str
    ) -> Iterator[tuple[str, Fact]]:
        """Yield what is found over data sets, or on one problem; of several settings the ends."""
        settings = self._settings(context, experiment)
        if len(made.problems) == 1 or made.overall.unit == "data sets":
            yield of, over(made, settings, self.digits, context.problem_label)
            return
        found = between(made.problems, settings, self.digits)
        known = [one.difference for one in made.problems if not math.isnan(one.difference)]
        yield of, replace(found, text=span(min(known), max(known), self.digits) if known else "")
        yield f"{of}, counted", found

    def _settings(self, context: Context, experiment: str) -> Settings:
        return Settings(
            margin=self.margin,
            level=self.level,
            policy=self.incomplete,
            higher=context.metric(experiment, self.metric).direction == "higher",
            seed=context.study.seed,
        )

    def _families(self, context: Context, experiment: str) -> dict[str, Family]:
        metric = context.metric(experiment, self.metric)
        settings = self._settings(context, experiment)
        designs, made = context.designs(experiment, metric), {}
        for label, pairs in self.contrasts.items():
            methods = list(dict.fromkeys(method for pair in pairs for method in pair))
            table = self.wide(context, experiment, methods)
            sides = {
                side: table[[pair[i] for pair in pairs]].mean(axis=1, skipna=False)
                for i, side in enumerate(("first", "second"))
            }
            both = pd.DataFrame(sides).assign(state=table.state)
            made[label] = family(both, ("first", "second"), designs, settings)
        return made

    def _words(self, context: Context, label: str) -> str:
        pairs = self.contrasts[label]
        return ", ".join(" − ".join(map(context.method_label, pair)) for pair in pairs)

    def _table(self, context: Context, experiment: str, found: dict[str, Family]) -> Table:
        rows: dict[str, list[Entry]] = {}
        for own in found.values():
            for one in _all(own):
                name = context.problem_label(one.problem) if one.problem else f"all {one.unit}"
                rows.setdefault(name, [name]).append(self._cell(one))
        metric = context.metric(experiment, self.metric)
        caption = f"{experiment}, {metric.label} by {self.rule_of(experiment).label}: contrasts"
        return Table(["Problem", *found], list(rows.values()), caption)

    def _cell(self, one: Contrast) -> Entry:
        if math.isnan(one.difference):
            return Cell()
        interval = None if math.isnan(one.low_all) else (one.low_all, one.high_all)
        value = Cell(one.difference, interval=interval, digits=self.digits, sign=True)
        return Cells([value, str(one.verdict)], "; ")

    def _gist(self, context: Context, found: dict[str, dict[str, Family]]) -> str:
        parts = []
        for label in self.contrasts:
            said = []
            for name, families in found.items():
                own, over = families[label].problems, families[label].overall
                known = [one.difference for one in own if not math.isnan(one.difference)]
                if over.unit == "data sets" and not math.isnan(over.low):
                    middle = number(over.difference, self.digits, sign=True)
                    ends = span(over.low, over.high, self.digits)
                    said.append(f"{middle} ({ends}) over the {over.n} data sets of {name}")
                elif len(own) == 1:
                    said.append(fact(own[0], self._settings(context, name), self.digits).text)
                elif known:
                    ends = span(min(known), max(known), self.digits)
                    said.append(f"{ends} on the {len(known)} problems of {name}")
            parts += [f"{label} {', '.join(said)}"] if said else []
        if not parts:
            return ""
        text = "; ".join(parts)
        return f"{text[:1].upper()}{text[1:]}."


def _all(found: Family) -> Sequence[Contrast]:
    """Return each problem, then all data sets; settings of opposite signs have no mean."""
    several = len(found.problems) > 1 and found.overall.unit == "data sets"
    return [*found.problems, *([found.overall] if several else [])]
