"""Contrasts of groups of methods: what one change does, whatever else the methods are."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated

import pandas as pd
from pydantic import Field, PositiveFloat

from rankexp.charts.model import Chart
from rankexp.charts.numbers import span
from rankexp.runner.analyse.contrast import Family, as_one, family
from rankexp.runner.config.fault import Fault
from rankexp.runner.config.schema import Block, Study
from rankexp.runner.report import verdict_words
from rankexp.runner.report.blocks.statistics.comparison import with_verdict
from rankexp.runner.report.blocks.statistics.forest import forest, panel
from rankexp.runner.report.context import Context
from rankexp.runner.report.heads import PROBLEM, Role, heads
from rankexp.runner.report.model import Cell, Entry, Fact, Output, Table
from rankexp.runner.report.options import InBlocks, MethodName
from rankexp.runner.report.render.text import cell_text
from rankexp.runner.sentences import capital, paragraphs
from rankexp.statistics.contrast import Contrast, Settings
from rankexp.statistics.verdicts import Kind, Note

REGISTER = {"contrasts": "Contrasts"}

Families = Mapping[str, Mapping[str, Family]]  # by experiment and contrast
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
    margin: PositiveFloat  # differences below it are of no importance
    level: Annotated[float, Field(gt=0.5, lt=1)] = 0.95
    family: str | None = None
    """P-values and intervals are adjusted for all contrasts of the blocks with this word here."""

    def faults(self, study: Study, block: Block) -> Iterator[Fault]:
        """Find several contrasts where one is primary."""
        yield from super().faults(study, block)
        if block.primary and len(self.contrasts) > 1:
            text = f"a primary block has one contrast, not {len(self.contrasts)}: move the others"
            yield Fault(("options", "contrasts"), text)

    def needed(self, context: Context, block: Block) -> list[str]:
        """Return the methods of all contrasts."""
        return list(dict.fromkeys(m for own in self.contrasts.values() for p in own for m in p))

    def output(self, context: Context, block: Block) -> Output:
        """Return the table, with one sentence on what holds over each experiment."""
        found = self._judged(context, block)
        every = [(name, label, made) for name, own in found.items() for label, made in own.items()]
        each = [(name, label, one) for name, label, made in every for one in _all(made)]
        tables = [self._table(context, name, own) for name, own in found.items()]
        rows = [{"experiment": name, "contrast": label, **one.row()} for name, label, one in each]
        first = next(iter(found.values())).values()
        said = self._said(
            context,
            "contrasts",
            [one for *_, one in each],
            word="Equivalent",
            family=self.family,
            tests=max((one.tests for made in first for one in made.problems), default=0),
            loss=verdict_words.share_of_loss(self._settings(context, block.experiments[0])),
        )
        notes: list[Note | str] = [*said]
        for name, label, made in every:
            if text := verdict_words.precision(made.overall, self.digits):
                notes.append(f"{context.title(name)}, {label}: {text}.")
        told: dict[tuple[Kind, str], list[str]] = {}
        for name, label, one in each:
            place = context.problem_label(one.problem) if one.problem else "overall"
            if one.note:
                text = f"{context.title(name)} / {place}: {one.note}"
                told.setdefault((one.kind, text), []).append(label)
        notes += [Note(kind, f"{text} ({'; '.join(own)}).") for (kind, text), own in told.items()]
        facts = {
            of: replace(one, experiments=[name])
            for name, label, made in every
            for of, one in self._facts(context, name, made, f"{label} in {name}")
        }
        drawn, gist = self._chart(context, found), self._gist(context, facts, found)
        return Output(pd.DataFrame(rows), tables, drawn, notes, gist=gist, facts=facts)

    def _chart(self, context: Context, found: Families) -> Chart | None:
        several = len(found) > 1
        panels = []
        for name, own in found.items():
            where = f" ({context.title(name)})" * several
            what = f"difference in {context.metric(name, self.metric).label}"
            settings = self._settings(context, name)
            panels += [
                panel(context, f"{capital(label)}{where}", what, _all(made), settings)
                for label, made in own.items()
            ]
        return forest(panels)

    def _judged(self, context: Context, block: Block) -> dict[str, dict[str, Family]]:
        """Return families by experiment and contrast, adjusted for those of like blocks, too."""
        found = {name: self._families(context, name) for name in block.experiments}
        if self.family is None:
            return found
        judged = list(self._with_settings(context, block))
        for other in context.study.report:
            if other.block == block.block and other.name != block.name:
                like = type(self).model_validate(other.options)
                judged += like._with_settings(context, other) if like.family == self.family else []
        made = iter(as_one(judged))
        return {name: {label: next(made) for label in own} for name, own in found.items()}

    def _with_settings(self, context: Context, block: Block) -> Iterator[tuple[Family, Settings]]:
        for name in block.experiments:
            for made in self._families(context, name).values():
                yield made, self._settings(context, name)

    def _said(
        self, context: Context, template: str, made: Sequence[Contrast], **more: str | int | None
    ) -> list[str]:
        """Say what is shown, and how many intervals of what is equivalent leave the margin."""
        near = [one for one in made if one.verdict.equivalent]
        return paragraphs(
            template,
            contrasts=[f"{label}: {self._words(context, label)}" for label in self.contrasts],
            level=self.level,
            margin=self.margin,
            beyond=sum(o.low_all < -self.margin or o.high_all > self.margin for o in near),
            **more,
        )

    def _facts(
        self, context: Context, experiment: str, made: Family, of: str
    ) -> Iterator[tuple[str, Fact]]:
        """Yield what is found over data sets, or on one problem; of several settings the ends."""
        settings = self._settings(context, experiment)
        if len(made.problems) == 1 or made.overall.unit == "data sets":
            yield of, verdict_words.over(made, settings, self.digits, context.problem_label)
            return
        found = verdict_words.between(made.problems, settings, self.digits)
        known = [one.difference for one in made.problems if not math.isnan(one.difference)]
        yield of, replace(found, text=span(min(known), max(known), self.digits) if known else "")
        yield f"{of}, counted", found

    def _settings(self, context: Context, experiment: str) -> Settings:
        metric = context.metric(experiment, self.metric)
        return replace(self.declared(context, metric), margin=self.margin, level=self.level)

    def _families(self, context: Context, experiment: str) -> dict[str, Family]:
        metric = context.metric(experiment, self.metric)
        settings = self._settings(context, experiment)
        designs, made = context.designs(experiment, metric), {}
        for label, pairs in self.contrasts.items():
            key = repr((experiment, metric, self.rule, settings, pairs))  # other blocks ask, too
            if key not in context.families:
                methods = list(dict.fromkeys(method for pair in pairs for method in pair))
                table = self.wide(context, experiment, methods)
                sides = (list(own) for own in zip(*pairs, strict=True))
                first, second = (table[own].mean(axis=1, skipna=False) for own in sides)
                both = pd.DataFrame({"first": first, "second": second, "state": table.state})
                seen = context.placed(experiment, metric, self.rule_of(experiment), pairs)
                context.families[key] = family(both, ("first", "second"), designs, settings, seen)
            made[label] = context.families[key]
        return made

    def _words(self, context: Context, label: str) -> str:
        pairs = self.contrasts[label]
        return ", ".join(" − ".join(map(context.method_label, pair)) for pair in pairs)

    def _table(self, context: Context, experiment: str, found: dict[str, Family]) -> Table:
        rows: dict[str, list[Entry]] = {}
        settings = self._settings(context, experiment)
        for own in found.values():
            for one in _all(own):
                name = context.problem_label(one.problem) if one.problem else f"all {one.unit}"
                first = Cell(name, pooled=not one.problem)
                rows.setdefault(name, [first]).append(self._cell(one, settings))
        metric = context.metric(experiment, self.metric)
        every = [one for own in found.values() for one in _all(own)]
        ends = verdict_words.intervals(every, settings)
        methods = [one for pairs in self.contrasts.values() for pair in pairs for one in pair]
        by = self.rule_of(experiment).words(context.study, experiment, methods)
        caption = f"{context.title(experiment)}: differences in {metric.label} ({ends}){by}"
        header = [PROBLEM, *heads(Role.DIFFERENCE, *found)]
        of = {Role.EXPERIMENT: experiment, Role.METRIC: metric.label}
        return Table(header, list(rows.values()), caption, of=of, better=metric.direction)

    def _cell(self, one: Contrast, settings: Settings, between: str = "; ") -> Entry:
        if math.isnan(one.difference):
            return Cell()
        return with_verdict(one, verdict_words.beside(one, settings), self.digits, between)

    def _gist(self, context: Context, facts: Mapping[str, Fact], found: Families) -> str:
        """Return what is found in a sentence: of several comparisons numbers alone, or counts."""
        told, (name, *more) = [], list(found)
        for label in self.contrasts:
            made = [own[label] for own in found.values()]
            single = [one for own in made for one in own.problems]
            overall = [one for own in made for one in _all(own) if not one.problem]
            whole = [one for one in overall if not math.isnan(one.p)]
            if all(math.isnan(one.difference) for one in single):
                continue
            if len(made) == len(self.contrasts) == 1:
                of = f"{label} in {name}"
                told.append(f"{label} {facts.get(f'{of}, counted', facts[of]).text}")
            elif not more and len(one := whole or single) == 1:
                cell = self._cell(one[0], self._settings(context, name), ", ")
                told.append(f"{label} {cell_text(cell)}")
            else:
                said = [f"over {one.n} data sets {one.verdict.words}" for one in whole]
                counts = f"{'one by one ' * bool(said)}{verdict_words.counted(single)}"
                told.append(f"{label}: {', '.join([*said, counts])}")
        return f"{capital('; '.join(told))}." if told else ""


def _all(found: Family) -> Sequence[Contrast]:
    """Return each problem, then all data sets; settings of opposite signs have no mean."""
    several = len(found.problems) > 1 and found.overall.unit == "data sets"
    return [*found.problems, *([found.overall] if several else [])]
