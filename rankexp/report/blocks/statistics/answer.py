"""A study's question answered in words: what is gained by a method, and how much at most.

Nothing is said that was not computed: the sentences are templates, the words come from tests.
"""

import math
from collections.abc import Sequence

from rankexp.analyse.contrast import Contrast
from rankexp.analyse.verdicts import UNDECIDED, Verdict
from rankexp.config.schema import Block
from rankexp.report.blocks.statistics.comparison import Comparison, Judged, numbers, words
from rankexp.report.context import Context
from rankexp.report.model import Cell, Cells, Entry, Output, Table
from rankexp.report.numbers import amount, number, short, span

REGISTER = {"answer": "Answer"}


class Answer(Comparison):
    """Sentences on every reference and experiment, and a table of verdicts."""

    def output(self, context: Context, block: Block) -> Output:
        """Return the answer; `comparison` shows what it rests on."""
        judged = self.judged(context, block)
        notes = [*self._meaning(context, judged)[:2], *self._policy(context, judged)]
        tables = [self.verdicts(context, judged)]
        return Output(numbers(judged), tables, notes=notes, lead=self.lead(context, judged))

    def lead(self, context: Context, judged: Sequence[Judged]) -> list[str]:
        """Return the answer in short, a sentence a reference, then a paragraph on each."""
        metrics = list(dict.fromkeys(str(one.metric) for one in judged))
        if len(metrics) > 1:
            return [
                f"No answer in short: differences in {' and '.join(metrics)} do not compare; give "
                "each metric a block of its own."
            ]
        heads, paragraphs = [], []
        for reference in self.references:
            own = [one for one in judged if one.reference == reference]
            method, label = map(context.method_label, (self.method, reference))
            heads.append(f"{method} against {label}: {self._short(context, own)}")
            told = [text for one in own if (text := self._experiment(context, one))]
            paragraphs.append(f"Against {label}. {' '.join([self._counts(context, own), *told])}")
        return [*heads, *paragraphs]

    def _short(self, context: Context, judged: Sequence[Judged]) -> str:
        """Return the answer against one reference: what holds, and the largest gain shown."""
        found = [c for one in judged for c in one.family.problems]
        parts = [headline(found)]
        for one in judged:
            own = one.family.overall
            if own.n > 1 and not math.isnan(own.p):
                said = words(own, one.settings.margin, self.digits)
                parts.append(f"over the {own.n} {own.unit} of {one.experiment} {said}")
        sign = 1 if judged[0].settings.higher else -1
        shown = [c for c in found if c.verdict.shown == "better"]
        if shown:
            most = max(shown, key=lambda c: sign * c.difference)
            ends = sorted((sign * most.low, sign * most.high))
            parts.append(
                f"the largest gain shown is {amount(abs(most.difference), self.digits)} "
                f"({context.problem_label(most.problem)}; {100 * self.level:g} % interval "
                f"{number(ends[0], self.digits)} to {number(ends[1], self.digits)})"
            )
        return "; ".join(parts) + "."

    def _counts(self, context: Context, judged: Sequence[Judged]) -> str:
        """Count the verdicts and name the problems of those that found a difference."""
        found = [c for one in judged for c in one.family.problems if c.verdict.compared]
        margin = short(judged[0].settings.margin)
        parts = []
        for word in ("better", "worse"):
            names = [context.problem_label(c.problem) for c in found if c.verdict.shown == word]
            named = f" ({'; '.join(names)})" if names else ""
            parts.append(f"{word} on {len(names) or 'none'}{named}")
        same = sum(c.verdict == Verdict(equivalent=True) for c in found)
        parts.append(f"equivalent within {margin} without a difference shown on {same}")
        open_ = [c for c in found if c.verdict == UNDECIDED]
        seen = [c.detectable for c in open_ if not math.isnan(c.detectable)]
        parts.append(f"undecided on {len(open_)}{visible(seen, self.digits)}")
        return f"Of {len(found)} problems {', '.join(parts)}."

    def _experiment(self, context: Context, judged: Judged) -> str:
        """Say what holds over an experiment, the largest gain, and the most there can be."""
        known = [c for c in judged.family.problems if not math.isnan(c.low_all)]
        if not known:
            return ""
        own, digits = judged.family.overall, self.digits
        percent = f"{100 * self.level:g} %"
        sign = 1 if judged.settings.higher else -1
        text = f"{judged.experiment} ({judged.rule.label}):"
        if own.n > 1 and not math.isnan(own.p):
            kind = "pseudo-median" if own.unit == "data sets" else "mean"
            interval = f"{percent} interval {span(own.low, own.high, digits)}"
            if math.isinf(own.low):
                interval = f"too few for a {percent} interval or for any difference to show"
            text += (
                f" over {own.n} {own.unit} {words(own, judged.settings.margin, digits)} "
                f"({kind} difference {number(own.difference, digits, sign=True)}, {interval});"
            )
        best = max(known, key=lambda c: sign * c.difference)
        gain, where = sign * best.difference, context.problem_label(best.problem)
        ends = {c.problem: sorted((sign * c.low_all, sign * c.high_all)) for c in known}
        most = max(ends, key=lambda name: ends[name][1])
        lost = min(ends, key=lambda name: ends[name][0])
        first = "no gain is seen on any problem"
        if gain > 0:
            first = f"the largest gain seen is {amount(gain, digits)} ({where})"
        return (
            f"{text} {first}; with {percent} confidence for all problems at once "
            f"{bound('gain', ends[most][1], context.problem_label(most), digits)}, "
            f"{bound('loss', -ends[lost][0], context.problem_label(lost), digits)}."
        )

    def verdicts(self, context: Context, judged: Sequence[Judged]) -> Table:
        """Return one row a problem, one column a reference: verdict and interval."""
        rows: dict[tuple[str, str], list[Entry]] = {}
        for own in judged:
            for contrast in own.contrasts:
                label = context.problem_label(contrast.problem)
                name = label if contrast.problem else f"all {contrast.unit}"
                row = rows.setdefault((own.experiment, contrast.problem), [own.experiment, name])
                row.append(self._verdict(contrast))
        label = context.method_label(self.method)
        header = ["Experiment", "Problem"]
        header += [f"{label} − {context.method_label(name)}" for name in self.references]
        margins = dict.fromkeys(short(own.settings.margin) for own in judged)
        caption = (
            f"Verdicts on {label} (equivalent: within {', '.join(margins)}), and differences with "
            f"{100 * self.level:g} % intervals"
        )
        return Table(header, list(rows.values()), caption)

    def _verdict(self, contrast: Contrast) -> Cells:
        text = str(contrast.verdict)
        if contrast.verdict.shown and contrast.verdict.equivalent:
            text = f"{contrast.verdict.shown}, but equivalent"
        if math.isnan(contrast.difference):
            return Cells([text])
        interval = None if math.isnan(contrast.low) else (contrast.low, contrast.high)
        value = Cell(contrast.difference, interval=interval, digits=self.digits, sign=True)
        return Cells([text, value], "; ")


def bound(word: str, most: float, label: str, digits: int) -> str:
    """Say how large a gain or a loss can be at most."""
    if most <= 0:
        return f"there is no {word}"
    return f"a {word} is at most {number(most, digits)} ({label})"


def visible(differences: Sequence[float], digits: int) -> str:
    """Say how large a difference the designs of the undecided problems would have shown."""
    if not differences:
        return ""
    ends = list(dict.fromkeys(number(f(differences), digits) for f in (min, max)))
    if len(ends) == 1:
        return f", where a true difference of {ends[0]} or more would probably show"
    return f", where true differences of {ends[0]} to {ends[1]} or more would probably show"


def headline(found: Sequence[Contrast]) -> str:
    """Return the answer in one clause, from the verdicts on all problems."""
    verdicts = [c.verdict for c in found if c.verdict.compared]
    shown = [verdict.shown for verdict in verdicts]
    better, worse = "better" in shown, "worse" in shown
    if not verdicts:
        return "nothing was run"
    if better and worse:
        return "a gain on some problems, a loss on others"
    every = len(set(shown)) == 1
    if better:
        return "a gain on " + ("every problem" if every else "some problems, a loss on none")
    if worse:
        return "a loss on every problem" if every else "a gain on no problem, a loss on some"
    if all(verdict.equivalent for verdict in verdicts):
        return "no gain on any problem, equivalent on all"
    return "no gain or loss shown on any problem, but not on all excluded"
