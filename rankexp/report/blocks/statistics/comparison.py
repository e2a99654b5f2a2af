"""One method against others: paired differences, intervals, tests, equivalence, verdicts."""

import math
from collections.abc import Sequence

from rankexp.analyse.contrast import Contrast
from rankexp.config.schema import Block
from rankexp.report.context import Context
from rankexp.report.judging import Judged, Judging, numbers, words
from rankexp.report.model import Cell, Entry, Output, Table
from rankexp.report.numbers import short

REGISTER = {"comparison": "Comparison"}

HEADER = ["Problem", "n", "Difference ± SE", "Interval", "Bootstrap interval", "p", "p adjusted"]
HEADER += ["Effect", "Detectable", "p equivalence", "Verdict"]


class Comparison(Judging):
    """One table a reference: a row a problem, and one over all problems of an experiment."""

    def output(self, context: Context, block: Block) -> Output:
        """Return the tables with what they rest on."""
        judged = self.judged(context, block)
        tables = [self._grid(context, own) for own in judged]
        notes = [
            *self._meaning(context, judged),
            *self._policy(context, judged),
            *self._posterior(context, judged),
        ]
        return Output(numbers(judged), tables, notes=notes)

    def _grid(self, context: Context, judged: Judged) -> Table:
        rows = [self._row(context, own, judged) for own in judged.contrasts]
        pair = (context.method_label(name) for name in (judged.method, judged.reference))
        caption = f"{judged.experiment}, {judged.metric} by {judged.rule.label}: "
        return Table(list(HEADER), rows, caption + " − ".join(pair), detail=True)

    def _row(self, context: Context, own: Contrast, judged: Judged) -> list[Entry]:
        digits = self.digits + 1
        return [
            context.problem_label(own.problem) if own.problem else f"all {own.unit}",
            Cell(f"{own.n} {own.unit}" if own.n else None),
            Cell(own.difference, own.se, digits=digits, sign=True),
            Cell(interval=(own.low, own.high), digits=digits, sign=True),
            Cell(interval=(own.boot_low, own.boot_high), digits=digits, sign=True),
            p_value(own.p),
            p_value(own.p_adjusted),
            Cell(own.effect, digits=2, sign=True),
            Cell(own.detectable, digits=digits),
            p_value(own.p_equivalence_adjusted),
            words(own, judged.settings.margin, self.digits),
        ]

    def _meaning(self, context: Context, judged: Sequence[Judged]) -> list[str]:
        """Say what the numbers are and which tests were used."""
        first = judged[0].settings
        percent, alpha = f"{100 * self.level:g} %", short(round(1 - self.level, 12))
        sides = dict.fromkeys("higher" if own.settings.higher else "lower" for own in judged)
        tests = dict.fromkeys(c.test for own in judged for c in own.contrasts if c.test)
        units = " and ".join(sides)
        margins = ", ".join(dict.fromkeys(short(own.settings.margin) for own in judged))
        adjusted = "p-values are not adjusted for the number of problems"
        if self.adjust == "holm":
            adjusted = "p-values are adjusted by Holm for the number of problems of an experiment"
        return [
            f"Differences are {context.method_label(self.method)} minus the other; "
            f"{units} values are better. Intervals: {percent}.",
            f"Tests: {', '.join(tests) or 'none'}; {adjusted}. Better or worse: p adjusted below "
            f"{alpha}; equivalent: two one-sided tests against ±{margins} at {alpha}.",
            f"Detectable: the true difference that the test finds with power {first.power:g}. "
            "Effect: mean difference in its standard deviations; over data sets the "
            "rank-biserial correlation, and the difference is the pseudo-median.",
        ]

    def _policy(self, context: Context, judged: Sequence[Judged]) -> list[str]:
        """Say what was left out."""
        notes = [f"Incomplete blocks: {self.incomplete}."]
        for own in judged:
            for contrast in own.contrasts:
                name = context.problem_label(contrast.problem) if contrast.problem else "overall"
                parts = [contrast.note] if contrast.note else []
                if contrast.undefined and contrast.problem:
                    parts.append(f"splits without a value for any method: {contrast.undefined}")
                if parts:
                    notes.append(f"{own.experiment} / {name}: {'; '.join(parts)}.")
        return list(dict.fromkeys(notes))

    def _posterior(self, context: Context, judged: Sequence[Judged]) -> list[str]:
        notes = []
        for own in judged:
            found = own.family.overall
            if not math.isnan(found.within):
                chances = f"{found.better:.2f}, {found.within:.2f} and {found.worse:.2f}"
                notes.append(
                    f"{own.experiment}, against {context.method_label(own.reference)}: the most "
                    "probable outcome on a further data set is better, equivalent within "
                    f"{short(own.settings.margin)} or worse with posterior probability {chances} "
                    "(Bayesian signed-rank test)."
                )
        return notes


def p_value(p: float) -> Cell:
    """Return a p-value as it is printed: ``.031``, ``<.001``."""
    return Cell(p, digits=3, least=0.001)
