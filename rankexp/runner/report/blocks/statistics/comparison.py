"""One method against others: paired differences, intervals, tests, equivalence, verdicts."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Annotated, ClassVar, Literal

import pandas as pd
from pydantic import Field, PositiveFloat, model_validator

from rankexp.charts.numbers import short
from rankexp.metrics.metric import Metric
from rankexp.runner.analyse import complete_blocks, delong, select
from rankexp.runner.analyse.contrast import Family, family
from rankexp.runner.config.asking import message
from rankexp.runner.config.fault import Fault
from rankexp.runner.config.schema import Block, Evaluate, Study
from rankexp.runner.report.context import Context, design
from rankexp.runner.report.heads import Head, Role
from rankexp.runner.report.model import Cell, Cells, Entry, Fact, Output, Table
from rankexp.runner.report.options import InBlocks, MethodName
from rankexp.runner.report.verdict_words import over, precision, tallied, words
from rankexp.runner.sentences import paragraphs
from rankexp.runner.strict import Strict
from rankexp.statistics.contrast import Contrast, Settings
from rankexp.statistics.design import EXAMPLES, QUERIES
from rankexp.statistics.verdicts import Note

REGISTER = {"comparison": "Comparison"}

RESAMPLED = ["se_resampled", "low_resampled", "high_resampled", "p_resampled"]

Column = tuple[Role, str, Callable[[Contrast], Entry]]  # with its label, and what stands in it


class Margins(Strict):
    """Differences of no importance: below a number, and below a share of the reference's loss."""

    absolute: PositiveFloat | None = None  # default: the metric's own
    relative: PositiveFloat = 0.1
    least: PositiveFloat = 0.001  # the relative margin is no less than this


@dataclass(frozen=True)
class Judged:
    """A family of comparisons with its place."""

    experiment: str
    method: str
    reference: str
    metric: Metric
    rule: select.Rule
    family: Family
    settings: Settings

    @property
    def contrasts(self) -> list[Contrast]:
        """Each problem, then all of them where there are several."""
        several = len(self.family.problems) > 1
        return [*self.family.problems, *([self.family.overall] if several else [])]


class Comparison(InBlocks):
    """One table a reference: a row a problem, and one over all problems of an experiment."""

    in_brackets: ClassVar[bool] = False
    """Whether the verdict by the relative margin stands behind the other, not in a column."""

    method: MethodName
    references: Annotated[list[MethodName], Field(min_length=1)]
    """What it is compared with, one after the other."""
    margin: PositiveFloat | Margins | None = None
    """Differences below it are of no importance: a number, or ``{absolute: 0.01, relative: 0.1,
    least: 0.001}``. Default: the metric's own, and these two. Verdicts are by the absolute one."""
    level: Annotated[float, Field(gt=0.5, lt=1)] = 0.95
    power: Annotated[float, Field(gt=0.5, lt=1)] = 0.8
    adjust: Literal["holm", "none"] = "holm"
    """Correction of p-values for the number of problems of an experiment."""

    @model_validator(mode="after")
    def _not_itself(self) -> "Comparison":
        if self.method in self.references:
            raise ValueError(f"'{self.method}' cannot be compared with itself: drop it there")
        return self

    def faults(self, study: Study, block: Block) -> Iterator[Fault]:
        """Find experiments without methods, and what a test would lack once all is fitted."""
        yield from super().faults(study, block)
        for name in block.experiments:
            setup = study.experiments.get(name)
            if isinstance(setup, Evaluate):
                metric = self.metric or next(iter(select.metrics_of(setup)), None)
                kept = setup.keep.curves if setup.keep else []
                pairs = {design(study, setup, problem).pairs for problem in setup.problems}
                _, curve = delong.METRICS.get(repr(metric), (0.0, ""))
                if EXAMPLES in pairs and curve and curve not in kept:
                    text = message("report.nothing_kept", name=name, curve=curve)
                    yield Fault(("experiment",), text)

    def needed(self, context: Context, block: Block) -> list[str]:
        """Return the methods compared."""
        return [self.method, *self.references]

    def judged(self, context: Context, block: Block) -> list[Judged]:
        """Return the comparisons, experiment by experiment, reference by reference."""
        pairs = product(block.experiments, self.references)
        return [self._family(context, experiment, reference) for experiment, reference in pairs]

    def _family(self, context: Context, experiment: str, reference: str) -> Judged:
        metric = context.metric(experiment, self.metric)
        given = self.margin
        margins = given if isinstance(given, Margins) else Margins(absolute=given)
        settings = replace(
            self.declared(context, metric),
            margin=margins.absolute or metric.reading.margin,
            relative=margins.relative,
            least=margins.least,
            level=self.level,
            power=self.power,
            adjust=self.adjust,
        )
        pair = (self.method, reference)
        designs = context.designs(experiment, metric)
        rule, table = self.rule_of(experiment), self.wide(context, experiment, pair)
        seen = context.placed(experiment, metric, rule, [pair])
        found = family(table, pair, designs, settings, seen)
        return Judged(experiment, *pair, metric, rule, found, settings)

    def output(self, context: Context, block: Block) -> Output:
        judged = self.judged(context, block)
        tables = [self._grid(context, own) for own in judged]
        notes = [*self._meaning(context, judged), *self._policy(context, judged)]
        for own in judged:
            if text := precision(own.family.overall, self.digits):
                place = f"{context.title(own.experiment)}, {context.method_label(own.reference)}"
                notes.append(f"{place}: {text}.")
        gist, facts = self.gist(context, judged), self.facts(context, judged)
        return Output(numbers(judged), tables, notes=notes, gist=gist, facts=facts)

    def gist(self, context: Context, judged: Sequence[Judged]) -> str:
        """Return the verdicts on single problems in a sentence a reference and metric."""
        groups: dict[tuple[str, str], list[Judged]] = {}
        for own in judged:
            groups.setdefault((own.reference, own.metric.label), []).append(own)
        named = len({metric for _, metric in groups}) > 1
        texts = []
        for (reference, metric), group in groups.items():
            method, label = map(context.method_label, (self.method, reference))
            where = f" in {metric}" if named else ""
            found = [contrast for own in group for contrast in own.family.problems]
            said = tallied(found, group[0].settings, self.digits).text
            if len(found) == 1 and len(groups) > 2:  # else a sentence is a wall of numbers
                said = words(found[0], group[0].settings, self.digits)
            texts.append(f"{method} against {label}{where}: {said}.")
        return " ".join(texts)

    def facts(self, context: Context, judged: Sequence[Judged]) -> dict[str, Fact]:
        """Return what was found beside each reference: counts, then each experiment."""
        made = {}
        for reference in self.references:
            own = [one for one in judged if one.reference == reference]
            found = [c for one in own for c in one.family.problems]
            made[reference] = tallied(found, own[0].settings, self.digits)
        for one in judged:
            told = over(one.family, one.settings, self.digits, context.problem_label)
            of = f"{one.reference} in {one.experiment}"
            made[of] = replace(told, experiments=[one.experiment])
        return made

    def _grid(self, context: Context, judged: Judged) -> Table:
        columns = self._columns(context, judged)
        header = [Head(label, role) for role, label, _ in columns]
        rows = [[entry(own) for *_, entry in columns] for own in judged.contrasts]
        pair = (judged.method, judged.reference)
        by = judged.rule.words(context.study, judged.experiment, pair)
        caption = f"{context.title(judged.experiment)}, {judged.metric.label}{by}: "
        caption += " − ".join(map(context.method_label, pair))
        of = {Role.EXPERIMENT: judged.experiment, Role.METRIC: judged.metric.label}
        return Table(header, rows, caption, True, of, judged.metric.direction)

    def _columns(self, context: Context, judged: Judged) -> list[Column]:
        cell, settings = partial(Cell, digits=self.digits + 1), judged.settings

        def name(own: Contrast) -> Entry:
            return context.problem_label(own.problem) or Cell(f"all {own.unit}", pooled=True)

        def between(low: float, high: float) -> Cell:
            return cell(interval=(low, high), sign=True)

        def verdict(own: Contrast) -> Cell:
            return Cell(words(own, settings, self.digits), verdict=own.verdict)

        by_query: list[Column] = [
            (Role.INTERVAL, "Bootstrap", lambda own: between(own.boot_low, own.boot_high)),
            (Role.P_VALUE, "p randomisation", lambda own: p_value(own.p_random_adjusted)),
        ]
        relative = f"Margin of {100 * settings.relative:g} %"
        return [
            (Role.PROBLEM, "Problem", name),
            (Role.LABEL, "n", lambda own: Cell(f"{own.n} {own.unit}" if own.n else None)),
            (Role.DIFFERENCE, "Difference ± SE", lambda o: cell(o.difference, o.se, sign=True)),
            (Role.INTERVAL, "Interval", lambda own: between(own.low_all, own.high_all)),
            (Role.P_VALUE, "p", lambda own: p_value(own.p)),
            (Role.P_VALUE, "p adjusted", lambda own: p_value(own.p_adjusted)),
            (Role.VALUE, "Effect", lambda own: Cell(own.effect, digits=2, sign=True)),
            (Role.VALUE, "Detectable", lambda own: cell(own.detectable)),
            (Role.P_VALUE, "p equivalence", lambda own: p_value(own.p_equivalence_adjusted)),
            (Role.VALUE, relative, lambda own: cell(own.margin_relative)),
            (Role.VERDICT, "Within it", lambda own: Cell(own.within_relative or None)),
            *(by_query if any(not math.isnan(own.p_random) for own in judged.contrasts) else []),
            (Role.VERDICT, "Verdict", verdict),
        ]

    def _meaning(self, context: Context, judged: Sequence[Judged]) -> list[str]:
        every = [(own, contrast) for own in judged for contrast in own.contrasts]
        margins = {own.metric.label: own.settings.margin for own in judged}
        return paragraphs(
            "comparison",
            method=context.method_label(self.method),
            tests=dict.fromkeys(one.test for _, one in every if one.test),
            margins=dict.fromkeys(short(margin) for margin in margins.values() if margin),
            lacking=[name for name, margin in margins.items() if margin is None],
            settings=judged[0].settings,
            in_brackets=self.in_brackets,
            by_query=any(one.unit == QUERIES for _, one in every),
        )

    def _policy(self, context: Context, judged: Sequence[Judged]) -> list[Note | str]:
        notes: list[Note | str] = [complete_blocks.WORDS[self.incomplete]]
        for own in judged:
            for contrast in own.contrasts:
                name = context.problem_label(contrast.problem) if contrast.problem else "overall"
                parts = [contrast.note] if contrast.note else []
                if contrast.undefined and contrast.problem:
                    what = "splits in which no method has a value"
                    if contrast.unit == QUERIES:
                        what = "queries left out because a method has no value"
                    parts.append(f"{what}: {contrast.undefined}")
                if parts:
                    text = f"{context.title(own.experiment)} / {name}: {'; '.join(parts)}."
                    notes.append(Note(contrast.kind, text))
        return [note for i, note in enumerate(notes) if note not in notes[:i]]


def numbers(judged: Sequence[Judged]) -> pd.DataFrame:
    """Return every contrast in full precision, one a row."""
    rows = [
        {
            "experiment": own.experiment,
            "method": own.method,
            "reference": own.reference,
            "metric": str(own.metric),
            "rule": str(own.rule),
            "margin": math.nan if own.settings.margin is None else own.settings.margin,
            "level": own.settings.level,
            "incomplete": own.settings.policy,
            **contrast.row(),
        }
        for own in judged
        for contrast in own.contrasts
    ]
    table = pd.DataFrame(rows)
    for lone in (["p_random", "p_random_adjusted"], RESAMPLED):  # known of some designs alone
        if len(table) and table[lone].isna().all(axis=None):
            table = table.drop(columns=lone)
    return table


def with_verdict(own: Contrast, said: str, digits: int, between: str = "; ") -> Cells:
    """Return a difference with its interval, if it has one, and what is said of it."""
    interval = None if math.isnan(own.low_all) else (own.low_all, own.high_all)
    value = Cell(own.difference, interval=interval, digits=digits, sign=True)
    return Cells([value, Cell(said, verdict=own.verdict)], between)


def p_value(p: float) -> Cell:
    """Return a p-value as it is printed: ``.031``, ``<.001``."""
    return Cell(p, digits=3, least=0.001)
