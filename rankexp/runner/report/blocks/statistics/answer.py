"""A study's question answered in words: what is gained by a method, and how much at most.

Nothing is said that was not computed: the sentences are templates, the words come from tests.
"""

import math
from collections.abc import Sequence

from rankexp.charts.model import Intervals
from rankexp.charts.numbers import amount, short, span
from rankexp.runner.config.asking import message
from rankexp.runner.config.schema import Block
from rankexp.runner.report import verdict_words
from rankexp.runner.report.blocks.statistics.comparison import (
    Comparison,
    Judged,
    numbers,
    with_verdict,
)
from rankexp.runner.report.blocks.statistics.forest import forest, panel
from rankexp.runner.report.context import Context
from rankexp.runner.report.heads import EXPERIMENT, PROBLEM, Role, heads
from rankexp.runner.report.model import Cell, Cells, Entry, Output, Table
from rankexp.statistics.contrast import Contrast, Settings

REGISTER = {"answer": "Answer"}


class Answer(Comparison):
    """Sentences on every reference and experiment, and a table of verdicts."""

    in_brackets = True

    def output(self, context: Context, block: Block) -> Output:
        """Return the answer; `comparison` shows what it rests on."""
        judged = self.judged(context, block)
        notes = [*self._meaning(context, judged)[:3], *self._policy(context, judged)]
        tables, gist = [self.verdicts(context, judged)], self.gist(context, judged)
        lead = self.lead(context, judged)
        facts = self.facts(context, judged)
        several = len({own.experiment for own in judged}) > 1
        drawn = forest([self._panel(context, own, several) for own in judged])
        return Output(numbers(judged), tables, drawn, notes, lead=lead, gist=gist, facts=facts)

    def _panel(self, context: Context, own: Judged, several: bool) -> Intervals:
        method, other = map(context.method_label, (own.method, own.reference))
        title = f"{method} minus {other}{f' ({context.title(own.experiment)})' * several}"
        what = f"difference in {own.metric.label}"
        return panel(context, title, what, own.contrasts, own.settings)

    def lead(self, context: Context, judged: Sequence[Judged]) -> list[str]:
        """Return the answer in short, a sentence a reference."""
        metrics = list(dict.fromkeys(one.metric.label for one in judged))
        if len(metrics) > 1:
            return [message("report.not_short", metrics=metrics)]
        method, label = context.method_label(self.method), context.method_label
        texts = []
        for name in self.references:
            own = [one for one in judged if one.reference == name]
            texts.append(f"{method} against {label(name)}: {self._short(context, own)}")
        return texts

    def _short(self, context: Context, judged: Sequence[Judged]) -> str:
        found = [c for one in judged for c in one.family.problems]
        parts = [verdict_words.headline(found, judged[0].settings)]
        for one in judged:
            own = one.family.overall
            if own.n > 1 and (own.verdict.mixed or not math.isnan(own.p)):
                alike = sum(other.family.overall.unit == own.unit for other in judged) > 1
                where = f' of "{context.title(one.experiment)}"' * alike
                parts.append(f"over the {own.n} {own.unit}{where} {self._over(context, one)}")
        sign = 1 if judged[0].settings.higher else -1
        shown = [c for c in found if c.verdict.shown == "better"]
        if shown:
            most = max(shown, key=lambda c: sign * c.difference)
            low, high = sorted((sign * most.low_all, sign * most.high_all))
            known = {"gain": amount(abs(most.difference), self.digits), "level": self.level}
            known |= {"problem": context.problem_label(most.problem)}
            ends = verdict_words.at_once(most), span(low, high, self.digits, sign=False)
            parts.append(message("report.largest", at_once=ends[0], ends=ends[1], **known))
        return "; ".join(parts) + "."

    def _over(self, context: Context, judged: Judged) -> str:
        """Say what holds over an experiment; no mean over effects of opposite signs."""
        own = judged.family.overall
        if own.verdict.mixed:
            known = {"found": judged.family.problems, "label": context.problem_label}
            return message("verdict.mixed", **known)
        return verdict_words.words(own, judged.settings, self.digits)

    def verdicts(self, context: Context, judged: Sequence[Judged]) -> Table:
        """Return one row a problem, one column a reference: verdict and interval."""
        rows: dict[tuple[str, str], list[Entry]] = {}
        for own in judged:
            for contrast in own.contrasts:
                label = context.problem_label(contrast.problem)
                name = label if contrast.problem else Cell(f"all {contrast.unit}", pooled=True)
                place, title = (own.experiment, contrast.problem), context.title(own.experiment)
                row = rows.setdefault(place, [title, name])
                row.append(self._verdict(contrast, own.settings))
        label, found = context.method_label(self.method), [c for o in judged for c in o.contrasts]
        names = [f"{label} − {context.method_label(name)}" for name in self.references]
        header = [EXPERIMENT, PROBLEM, *heads(Role.DIFFERENCE, *names)]
        margins = [own.settings.margin for own in judged if own.settings.margin]
        known = {"label": label, "margins": list(dict.fromkeys(map(short, margins)))}
        ends = verdict_words.intervals(found, judged[0].settings)
        caption = message("report.differences", ends=ends, **known)
        metric = judged[0].metric
        of = {Role.METRIC: metric.label}
        return Table(header, list(rows.values()), caption, of=of, better=metric.direction)

    def _verdict(self, contrast: Contrast, settings: Settings) -> Cells:
        own = contrast.verdict
        if own.mixed:
            return Cells([Cell(f"{own}: no mean is shown", verdict=own)])
        said = verdict_words.beside(contrast, settings)
        if math.isnan(contrast.difference):
            return Cells([Cell(said if own.compared else str(own), verdict=own)])
        return with_verdict(contrast, said, self.digits)
