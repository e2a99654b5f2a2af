"""What training on pairs gains, in plain sentences. Nothing is said that was not computed."""

import math
from collections.abc import Sequence

from rankexp.runner.analyse.adjust import Contrast, Settings
from rankexp.runner.analyse.verdicts import Verdict
from rankexp.runner.report.context import Context
from rankexp.runner.report.gains import Gains, Standing
from rankexp.runner.report.numbers import number, short, span
from rankexp.runner.report.verdict_words import needed, share_of_loss
from rankexp.runner.run.progress import duration

PLAIN = {"ConvergenceWarning": "stopped before it converged"}
MOST_TIMES = 100
"""As many rows again: beyond this a number says no more than that it is far."""
MEANT = {"auc": ", the share of pairs of unlike rows that come in the right order"}
"""What a name says that not everyone knows."""


def named(metric: object) -> str:
    """Return what a metric is called in sentences."""
    return str(getattr(metric, "label", metric))


def undecided(verdict: Verdict) -> bool:
    """Whether a comparison showed nothing."""
    return verdict.compared and verdict.shown is None and not verdict.equivalent


def said(verdict: Verdict) -> str:
    """Return a verdict in words."""
    both = verdict.shown is not None and verdict.equivalent
    return f"{verdict.shown}, but equivalent" if both else str(verdict)


def headline(verdicts: Sequence[Verdict]) -> str:
    """Say what training on pairs gains, from the verdicts on each loss."""
    known = [v for v in verdicts if v.compared]
    words = {v.shown for v in known if v.shown and not v.equivalent}
    if not known:
        text = "nothing could be compared"
    elif len(words) == 2:
        text = "training on pairs gains with one loss and loses with another"
    elif words:
        word = "gains" if "better" in words else "loses"
        every = all(v.shown and not v.equivalent for v in known)
        text = f"training on pairs {word}" + (
            "" if every else " with one loss, not with every one"
        )
    elif all(v.equivalent for v in known):
        text = "training on pairs gains nothing of importance"
    elif all(undecided(v) for v in known):
        text = "these data do not tell whether training on pairs gains anything"
    else:
        text = "no gain by training on pairs is shown, but one is not excluded with every loss"
    return text[0].upper() + text[1:]


class Words:
    """The sentences on what was found."""

    def __init__(self, context: Context, found: Gains, digits: int) -> None:
        self.context, self.found, self.digits = context, found, digits
        self.first = found.standings[0]

    def label(self, method: str) -> str:
        """Return what a method is called."""
        return self.context.method_label(method)

    def answer(self) -> list[str]:
        """Return what pairs gain, which method ranks best, and what each cost."""
        return [f"{self._gain()}{self._needed()}", self._winner(), self._cost()]

    def _gain(self) -> str:
        found, parts, notes = self.found, [], dict[str, None]()
        for method, reference in found.pairs.items():
            own = found.contrasts[method]
            text = f"{self.label(method)} against {self.label(reference)}"
            if not math.isnan(own.difference):
                text += f" {number(own.difference, self.digits + 1, sign=True)}"
            if math.isnan(own.low_all):
                why = own.refusal.reason if own.refusal else ""
                notes[why or "not compared"] = None
                parts.append(text)
            else:
                parts.append(f"{text} ({span(own.low_all, own.high_all, self.digits + 1)})")
        verdicts = [own.verdict for own in found.contrasts.values()]
        metric = f"{_capital(named(found.metric))}{MEANT.get(str(found.metric), '')}"
        tested = any(own.test for own in found.contrasts.values())
        brackets = f" (differences with their {100 * found.level:g} % intervals)" if tested else ""
        why = f" There is no interval: {'; '.join(notes)}." if notes else ""
        return (
            f"{headline(verdicts)}. {metric}: {'; '.join(parts)}{brackets}.{why} Less than "
            f"{short(found.margin)} either way is taken to be of no importance.{self._relative()}"
        )

    def _relative(self) -> str:
        """Say which of the differences without importance may be a large share of the loss."""
        named = [
            f"{self.label(method)}: {number(own.margin_relative, self.digits + 1)}"
            for method, own in self.found.contrasts.items()
            if own.verdict.equivalent and own.within_relative in ("no", "undecided")
        ]
        if not named:
            return ""
        share = share_of_loss(Settings())
        text = "; ".join(named)
        return f" The differences are not shown to be within {share}, though ({text})."

    def _needed(self) -> str:
        """Say how many rows would probably decide what these do not."""
        found = self.found
        errors = [own.se for own in found.contrasts.values() if undecided(own.verdict)]
        errors = [se for se in errors if se > 0]
        rows, what, more = found.rows, "rows", "; more repeats help little" * (not found.by_query)
        if not math.isnan(found.tested):
            rows, what, more = found.tested, "test rows", ""
        if not errors or math.isnan(rows):
            return ""
        tests = sum(not math.isnan(own.p) for own in found.contrasts.values())
        times = needed(max(errors), Settings(margin=found.margin, level=found.level), tests)
        if times <= 1:
            return f" More {'repeats' if more else what} may decide it."
        if times > MOST_TIMES:
            return f" To decide it, more than {MOST_TIMES} times as many {what} would be needed."
        return (
            f" To decide it, about {_rounded(times * rows)} {what} like these {rows:,.0f} would "
            f"be needed, by the standard error{more}."
        )

    def _winner(self) -> str:
        found, metric = self.found, named(self.found.metric)
        known = [one for one in found.standings if one.known]
        if not known:
            return "No method has a value."
        value = number(self.first.mean, self.digits)
        text = f"{_capital(self.label(self.first.method))} ranks best ({metric} {value})"
        close = [self.label(m) for m, own in found.behind.items() if own.verdict.shown is None]
        if len(known) == 1 or not close:
            return f"{text}{', shown to be ahead of every other method' * bool(found.behind)}."
        if len(close) == len(found.behind):
            ends = [f"{number(s.mean, self.digits)} ({self.label(s.method)})" for s in known]
            return f"No method is shown to rank best: {metric} from {ends[-1]} to {ends[0]}."
        return f"{text}, but is not shown to be ahead of {', '.join(close)}."

    def _cost(self) -> str:
        seconds = {one.method: one.seconds for one in self.found.standings}
        shown = dict.fromkeys(m for pair in self.found.pairs.items() for m in pair) | seconds
        parts = [
            f"{self.label(method)} {duration(seconds.get(method, math.nan))}" for method in shown
        ]
        return (
            f"Training once, with the choice among all settings tried, took: {', '.join(parts)}."
        )

    def trust(self, protocol: str) -> str:
        """Say what the answer rests on, and what speaks against it."""
        found = self.found
        tests = dict.fromkeys(own.test for own in found.contrasts.values() if own.test)
        rows = "an unknown number of" if math.isnan(found.rows) else f"{found.rows:,.0f}"
        how = f"cross-validated in {protocol}" if "folds" in protocol else protocol
        parts = [f"It rests on {rows} rows, {how}; {self._tested(list(tests))}."]
        if not math.isnan(found.tested):
            parts = [
                f"It rests on one test set of {found.tested:,.0f} rows; "
                f"{self._tested(list(tests))}. Settings were chosen within the other "
                f"{found.rows - found.tested:,.0f} rows, those of training."
                + " Intervals are for these fits: other training rows give others."
                * bool(tests)
            ]
        at_edge = [(self._at_edge(one), one.edges.flat) for one in found.standings if one.edges]
        steep = [text for text, flat in at_edge if not flat]
        flat = [text for text, flat in at_edge if flat]
        if steep:
            parts.append(
                "Other settings may do better, as choices lie at the end of those tried: "
                f"{_listed(steep)}."
            )
        if flat:
            parts.append(
                f"Choices at the end of the settings tried, where nothing changes any more: "
                f"{_listed(flat)}."
            )
        if warned := self._warnings():
            parts.append(f"Warnings while fitting: {_listed(warned)}.")
        return " ".join(parts)

    def _tested(self, tests: list[str]) -> str:
        if not tests:
            return "no test was possible"
        return f"differences are judged by {' and '.join(tests)}, adjusted for their number"

    def _at_edge(self, one: Standing) -> str:
        return f"{self.label(one.method)} ({one.edges})"

    def _warnings(self) -> list[str]:
        """Return kinds of warnings, by method."""
        kinds: dict[tuple[str, str], int] = {}
        for cell in self.context.cells:
            record = self.context.records.get(cell.key)
            for text in record.warned if record else ():
                kinds[cell.method, text] = kinds.get((cell.method, text), 0) + 1
        return [
            f"{self.label(method)} ({PLAIN.get(kind, kind)} in {n} fit{'s' * (n > 1)})"
            for (method, kind), n in kinds.items()
        ]

    def advice(self) -> str:
        """Say what to do with the answer."""
        found = self.found
        verdicts = [own.verdict for own in found.contrasts.values() if own.verdict.compared]
        if not verdicts:
            return "See below why nothing could be compared."
        if any(v.shown == "better" and not v.equivalent for v in verdicts):
            text = "Train on pairs with the loss that gains by it."
        elif all(undecided(v) for v in verdicts):
            text = "Train on points, the simpler way, until more rows decide it."
            if not math.isnan(found.tested) and not any(o.test for o in found.contrasts.values()):
                text += (
                    " All rows in one file, without --test, have intervals by cross-validation."
                )
        else:
            text = "Train on points: it is the simpler way, and no loss of importance is shown."
        return f"{text}{self._beyond()}"

    def _beyond(self) -> str:
        """Say where another form of score gains more than pairs do."""
        found, best = self.found, self.first.method
        compared = {m for pair in found.pairs.items() for m in pair}
        gaps: list[Contrast] = [own for m, own in found.behind.items() if m in compared]
        ahead = all(own.verdict.shown == "better" for own in gaps)
        if best in compared or not gaps or not ahead:
            return ""
        least = min(abs(own.difference) for own in gaps)
        return (
            f" What a score can express matters more: {self.label(best)} is ahead of all of these "
            f"by {number(least, self.digits)} or more."
        )


def _listed(texts: Sequence[str]) -> str:
    """Return up to six of some texts."""
    more = f"; and {len(texts) - 6} more" if len(texts) > 6 else ""
    return "; ".join(texts[:6]) + more


def _rounded(rows: float) -> str:
    """Return a number of rows with two digits, as it is a guess."""
    if not math.isfinite(rows):
        return "very many"
    return f"{round(rows, 2 - len(str(int(rows)))):,.0f}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
