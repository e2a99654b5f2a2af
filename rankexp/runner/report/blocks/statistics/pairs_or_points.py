"""Must one train on pairs here? The papers' question, answered of one problem in plain words."""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain
from typing import Annotated, Literal

from pydantic import Field, PositiveFloat

from rankexp.charts.model import Axis, Chart, Interval, Intervals
from rankexp.charts.numbers import short
from rankexp.errors import ConfigError
from rankexp.runner.analyse import select
from rankexp.runner.analyse.contrast import OVER_ROWS
from rankexp.runner.config.asking import message
from rankexp.runner.config.fault import Fault
from rankexp.runner.config.schema import Block, Evaluate, Study
from rankexp.runner.diagnostics.diagnostic import after
from rankexp.runner.protocols.dividing import Dividing
from rankexp.runner.report import diagnosed
from rankexp.runner.report.blocks.statistics.comparison import Comparison, Judged, with_verdict
from rankexp.runner.report.blocks.statistics.forest import row
from rankexp.runner.report.context import Context
from rankexp.runner.report.gain_words import Words, advice
from rankexp.runner.report.gains import Gains, standings, tested
from rankexp.runner.report.heads import METHOD, Role, heads
from rankexp.runner.report.model import Cell, Cells, Entry, Mark, Output, Table
from rankexp.runner.report.options import BlockKind, MethodName, MetricOption, Rule
from rankexp.runner.report.verdict_words import at_once
from rankexp.runner.run.progress import duration
from rankexp.runner.sentences import paragraphs
from rankexp.statistics.contrast import Contrast, Policy, adjusted
from rankexp.statistics.design import EXAMPLES, QUERIES

WIDTH, FRAME, ROW = 3.6, 1.1, 0.26  # of a panel; of what is around its rows; of a row: inches


def chart(found: Gains, label: Callable[[str], str]) -> Chart:
    """Return two panels: the methods, best above; each contrast with the band of the margin."""
    known = [one for one in found.standings if one.known]
    percent, near = f"{100 * found.level:g} %", short(found.margin)
    unknown = all(math.isnan(one.low) for one in known)
    interval = "no interval" if unknown else f"{percent} CI"
    shade = None
    if known:
        best = known[0].mean
        behind = best - found.margin if best >= known[-1].mean else best + found.margin
        shade = (min(best, behind), max(best, behind))
    of_values = f"{found.metric.label}, {interval}\n(grey: within {near} of the best)"
    values = [Interval(label(one.method), one.mean, one.low, one.high) for one in known]
    methods = Intervals("", values, Axis(of_values, better=found.metric.direction), shade=shade)
    contrasts = [
        row(f"{label(pair)} − {label(found.pairs[pair])}", own)
        for pair, own in found.contrasts.items()
        if own.n
    ]
    at = next(map(at_once, found.contrasts.values()), "")
    minus = f"pairs minus points, {percent} CI{at}\n(grey: less than {near})"
    axis = Axis(minus, better=found.metric.direction)
    gains = Intervals("", contrasts, axis, found.margin, reference=0.0)
    rows = max(len(found.standings), 3)
    return Chart([methods, gains], 2, (WIDTH, FRAME + ROW * rows), below=0.0)


REGISTER = {"pairs_or_points": "PairsOrPoints"}

Shown = Literal["better", "worse"] | None
TURNED: dict[Shown, Shown] = {"better": "worse", "worse": "better", None: None}


class PairsOrPoints(BlockKind):
    """What training on pairs gains, which method ranks best, and what each costs, in words."""

    contrasts: Annotated[dict[MethodName, MethodName], Field(min_length=1)]
    """Each method that is trained on pairs, with its like that is trained on points."""
    scorers: dict[MethodName, str] = Field(default_factory=dict)
    """What the scores of each method on pairs are called: ``linear scorers``."""
    points: list[MethodName] = Field(default_factory=list)
    """Other methods that are trained on points; the advice may name them."""
    metric: MetricOption | None = None  # default: the experiment's first
    rule: Rule = select.Rule("nested")
    margin: PositiveFloat | None = None
    """Differences below it are of no importance. Default: the metric's own."""
    level: Annotated[float, Field(gt=0.5, lt=1)] = 0.95
    incomplete: Policy = "refuse"  # what happens where a split lacks a value
    digits: Annotated[int, Field(ge=0, le=12)] = 3

    def faults(self, study: Study, block: Block) -> Iterator[Fault]:
        """Find more than one problem, and metrics without a margin."""
        yield from super().faults(study, block)
        setups = [study.experiments.get(name) for name in block.experiments]
        own = [select.metrics_of(one)[:1] for one in setups if isinstance(one, Evaluate)]
        for metric in [self.metric] if self.metric else chain.from_iterable(own):
            if self.margin is None and metric.reading.margin is None:
                yield Fault(("options",), message("report.no_margin", metric=metric))
        problems = [p for s in setups if isinstance(s, Evaluate) for p in s.problems]
        if len(problems) > 1:
            text = f"block '{block.block}' is for one problem, got {', '.join(problems)}"
            yield Fault(("experiment",), text)

    def needed(self, context: Context, block: Block) -> list[str]:
        """Return all methods: any may be the best."""
        return context.evaluate(block.experiments[0]).methods

    def output(self, context: Context, block: Block) -> Output:
        """Return the answer, how sure it is, what to do now, and a table of all methods."""
        found = self.gains(context, block)
        words = Words(context, found, self.digits)
        protocol = context.evaluate(block.experiments[0]).protocol.words()
        facts = diagnosed.of_gains(context, block.experiments[0], found)
        above = list(map(str, after(facts)))
        lead = [*above, *words.answer(), f"Can it be trusted? {words.trust(protocol)}"]
        lead.append(f"What now? {advice(words)}")
        tables, drawn = [self._table(context, found)], chart(found, context.method_label)
        notes, word = self._notes(found), "" if above else words.word()
        return Output(found.numbers(), tables, drawn, notes, lead=lead, word=word)

    def gains(self, context: Context, block: Block) -> Gains:
        """Return the numbers that the answer rests on."""
        experiment = block.experiments[0]
        metric = context.metric(experiment, self.metric)
        pairs = self.contrasts.items()
        judged = {pair: self._judged(context, block, pair, like) for pair, like in pairs}
        settings = next(iter(judged.values())).settings
        if settings.margin is None:
            raise ConfigError(message("report.no_margin", metric=metric))
        ranked = standings(context, experiment, metric, self.rule, settings)
        best, *others = (one.method for one in ranked)
        behind = [self._judged(context, block, best, m).contrasts[0] for m in others]
        own = [one.contrasts[0] for one in judged.values()]
        setup = context.evaluate(experiment)
        problem, protocol = setup.problems[0], setup.protocol
        entry, levels = context.study.data.get(problem), context.levels(problem)
        rows, drawn = context.rows(problem), isinstance(protocol, Dividing)
        known = drawn and not math.isnan(rows)
        made = Gains(
            metric=metric,
            margin=settings.margin,
            level=self.level,
            rows=rows,
            standings=ranked,
            pairs=self.contrasts,
            contrasts=dict(zip(judged, adjusted(own, settings), strict=True)),
            behind=dict(zip(others, adjusted(behind, settings), strict=True)),
            tested=tested(context, experiment),
            scorers=self.scorers,
            points=self.points,
            repeats=protocol.repeats if isinstance(protocol, Dividing) else 0,
            rarest=min(levels, key=lambda level: level[1], default=None),
            within=setup.within_groups and bool(entry and entry.groups),
            trained=float(protocol.training_rows(int(rows))) if known else math.nan,
        )
        return diagnosed.with_findings(context, experiment, made)

    def _judged(self, context: Context, block: Block, method: str, like: str) -> Judged:
        shared = ("metric", "rule", "margin", "level", "incomplete")
        given = {name: getattr(self, name) for name in shared}
        return Comparison(method=method, references=[like], **given).judged(context, block)[0]

    def _table(self, context: Context, found: Gains) -> Table:
        rows: list[list[Entry]] = []
        for one in found.standings:
            label, chosen = context.method_label(one.method), one.chosen and one.chosen.label
            value = Cell(one.mean, one.se, digits=self.digits)
            gain = self._difference(found.contrasts.get(one.method))
            behind = self._difference(_turned(found.behind.get(one.method)))
            settings = Cell(chosen or None, mark=Mark.EDGE if one.edges else None)
            rows.append([label, value, gain, behind, Cell(duration(one.seconds)), settings])
        name = found.metric.label
        header = [METHOD, *heads(Role.VALUE, name)]
        header += heads(Role.DIFFERENCE, "Minus the same loss on points", "Minus the best")
        header += heads(Role.LABEL, "Time", "Settings")
        caption = f"{name} on test rows, mean ± standard error, best first"
        if self.rule.label != "nested":
            caption += f"; settings chosen by {self.rule.label}"
        of = {Role.METRIC: found.metric.label}
        return Table(header, rows, caption, of=of, better=found.metric.direction)

    def _difference(self, own: Contrast | None) -> Cells | Cell:
        if own is None or math.isnan(own.difference):
            return Cell()
        return with_verdict(own, own.verdict.words, self.digits + 1, ", ")

    def _notes(self, found: Gains) -> list[str]:
        own = found.contrasts.values()
        return paragraphs(
            "pairs_or_points",
            level=self.level,
            by_query=any(one.unit == QUERIES for one in own),
            one_test_set=any(one.unit == EXAMPLES for one in own),
            over_rows=any(one.test == OVER_ROWS for one in own),
            margin=found.margin,
            edge=Mark.EDGE.value,
        )


def _turned(own: Contrast | None) -> Contrast | None:
    if own is None:
        return None
    verdict = replace(own.verdict, shown=TURNED[own.verdict.shown])
    low, high = -own.high_all, -own.low_all
    return replace(own, difference=-own.difference, low_all=low, high_all=high, verdict=verdict)
