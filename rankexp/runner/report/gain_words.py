"""What training on pairs gains, in plain sentences. Nothing is said that was not computed."""

import math
from collections.abc import Mapping, Sequence

from scipy import special

from rankexp.charts.numbers import number, short, span
from rankexp.runner.config.asking import flag
from rankexp.runner.report.context import Context
from rankexp.runner.report.gains import Effect, Gains, MethodStanding
from rankexp.runner.report.numbers import capital, listed
from rankexp.runner.report.verdict_words import REPEATS, enough, share_of_loss
from rankexp.runner.run.progress import duration
from rankexp.statistics.contrast import Contrast, Settings

PLAIN = {"ConvergenceWarning": "stopped before it converged"}
MEANT = {
    "auc": ", the share of pairs of different classes that are in the right order",
    "concordance": ", among pairs of rows with different targets (equal scores count one half)",
}
"""What a name says that not everyone knows."""
AT_CHANCE = (
    "Whether training on pairs helps cannot be told from these columns, because no method is "
    "shown to rank better than chance"
)


FEW, UNTESTED = "the data are too few", "without a test there is no way"


def named(metric: object) -> str:
    """Return what a metric is called in sentences."""
    return str(getattr(metric, "label", metric))


def headline(effects: Mapping[str, Effect], few: str = FEW) -> str:
    """Say what training on pairs gains, from its effect with each method, by their labels.

    `few` says why nothing can be told where nothing is.
    """
    known = {label: own for label, own in effects.items() if own is not Effect.UNKNOWN}
    known = {label: own for label, own in known.items() if own is not Effect.RANDOM} or known
    found = set(known.values())
    shown = [own for own in known.values() if own in (Effect.GAIN, Effect.LOSS)]
    if not known:
        text = "nothing could be compared"
    elif len({*shown}) == 2:
        text = "training on pairs helps with one loss and hurts with another"
    elif shown:
        word = "helps" if Effect.GAIN in shown else "hurts"
        those = listed([label for label, own in known.items() if own in shown])
        some = f" with {those} alone" * (len(shown) < len(known))
        text = f"training on pairs {word}{some}"
    elif found == {Effect.RANDOM}:
        text = "neither pairs nor points are shown to rank better than chance: no gain can be told"
    elif found == {Effect.OPEN}:
        text = f"{few} to tell whether training on pairs helps"
    elif found == {Effect.PERFECT}:
        text = "both pairs and points rank these rows (almost) perfectly: no gain is left to find"
    elif Effect.OPEN in found:
        named = listed([label for label, own in known.items() if own is Effect.OPEN])
        text = f"training on pairs shows no gain, but a gain with {named} is not excluded"
    else:
        text = "training on pairs brings no gain that matters"
    return text[0].upper() + text[1:]


def of_scorers(effects: Mapping[str, Effect], scorers: Mapping[str, str], few: str = FEW) -> str:
    """Say what training on pairs gains each family of scores, those that gain alike together.

    Both are by the label of the method on pairs.
    """
    if not scorers:
        return headline(effects, few)
    own: dict[str, dict[str, Effect]] = {}
    for label, effect in effects.items():
        own.setdefault(scorers.get(label, "other scorers"), {})[label] = effect
    alike: dict[str, list[str]] = {}
    for family, found in own.items():
        alike.setdefault(headline(found, few), []).append(family)
    said = [
        f"for {' and '.join(families)}, {text[0].lower()}{text[1:]}"
        for text, families in alike.items()
    ]
    return capital("; ".join(said))


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
        winner = [] if self.found.chance else [self._winner()]
        return [f"{self._gain()}{self._needed()}", *winner, self._cost()]

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
                parts.append(f"{text} ({self._interval(own)})")
        metric = f"{capital(named(found.metric))}{MEANT.get(str(found.metric), '')}"
        metric += ", in the mean over queries" * found.within
        tested = any(own.test for own in found.contrasts.values())
        brackets = f" (differences with their {100 * found.level:g} % intervals)" if tested else ""
        why = f" No interval: {'; '.join(notes)}." if notes else ""
        return (
            f"{self._headline()}.{self._thin()} {metric}: {'; '.join(parts)}{brackets}.{why} "
            f"Differences below {short(found.margin)} are treated as negligible.{self._relative()}"
        )

    def _headline(self) -> str:
        if self.found.chance:
            return AT_CHANCE
        effects = {self.label(method): self.found.effect(method) for method in self.found.pairs}
        scorers = {self.label(method): own for method, own in self.found.scorers.items()}
        best, found = self.found.best_on_points, self.found
        other = best is not None and found.gaining and not found.ahead
        as_high = (
            f", but {self.label(best.method)} ranks {found.as_high[0]}" if best and other else ""
        )
        few = "this run is too short" if found.trained < found.rows / 2 else FEW
        few = few if any(own.test for own in found.contrasts.values()) else UNTESTED
        return of_scorers(effects, scorers, few) + as_high

    def _thin(self) -> str:
        """Say where methods were trained on the smaller part of the rows."""
        rows, trained = self.found.rows, self.found.trained
        if not trained < rows / 2:
            return ""
        return (
            f" Methods were trained on only {trained:,.0f} of the {rows:,.0f} rows and tested on "
            f"{rows - trained:,.0f}; a larger {flag('minutes')} trains on more."
        )

    def _interval(self, own: Contrast) -> str:
        """Return an interval; also that of 90 % where a verdict of equivalence stands on it."""
        text, margin = span(own.low_all, own.high_all, self.digits + 1), self.found.margin
        if not own.verdict.equivalent or max(-own.low_all, own.high_all) <= margin:
            return text
        half = float(special.stdtrit(own.df, 0.95)) * own.se
        ends = span(own.difference - half, own.difference + half, self.digits + 1)
        return f"{text}; 90 % interval {ends}"

    def _relative(self) -> str:
        """Say which of the differences without importance may be a large share of the loss."""
        named = [
            f"{self.label(method)} (margin {number(own.margin_relative, self.digits + 1)})"
            for method, own in self.found.contrasts.items()
            if own.verdict.equivalent and own.within_relative in ("no", "undecided")
            if self.found.effect(method) is not Effect.PERFECT
        ]
        if not named:
            return ""
        return (
            f" With the stricter margin of {share_of_loss(Settings())}, equivalence is not shown "
            f"for {'; '.join(named)}."
        )

    def _needed(self) -> str:
        """Say how much would show what is seen, and how much that there is nothing."""
        known = [(own.p, m, own.needed) for m, own in self.found.contrasts.items()]
        known = [one for one in known if self.found.effect(one[1]) is Effect.OPEN]
        known = [one for one in known if not math.isnan(one[0])]
        if not known or self.found.chance or math.isnan(self._rows()):
            return ""
        _, first, seen = min(known)
        of = f" as with {self.label(first)}" * (len(known) > 1)
        repeats = max(need.repeats_to_equate for *_, need in known)
        size = self.enough(seen.data_to_show, seen.repeats_to_show)
        none = self.enough(max(need.data_to_equate for *_, need in known), repeats)
        said = [f"showing a difference of the size seen{of} would take {size}"] * bool(size)
        said += [f"showing equivalence, if there is none, would take {none}"] * bool(none)
        more = "; more repeats help little" * (repeats > REPEATS)
        there = f" (there are {self._rows():,.0f}), judging by the standard error{more}."
        return f" {capital('; '.join(said))}{there}" if said else ""

    def _rows(self) -> float:
        return self.found.rows if math.isnan(self.found.tested) else self.found.tested

    def enough(self, data: float, repeats: float) -> str:
        """Return how much is needed; "" where nothing will do."""
        rows = "rows" if math.isnan(self.found.tested) else "test rows"
        return enough(data, repeats, rows, self._rows())

    def _winner(self) -> str:
        found, metric = self.found, named(self.found.metric)
        known = [one for one in found.standings if one.known]
        if not known:
            return "No method has a value."
        told = {s.method: f"{self.label(s.method)} ({number(s.mean, self.digits)})" for s in known}
        text = f"Best {metric}: {told[self.first.method]}"
        behind = {m: own.verdict for m, own in found.behind.items() if m in told}
        close = [told[m] for m, verdict in behind.items() if verdict.shown is None]
        if len(known) == 1 or not close:
            return f"{text}{', significantly ahead of every other method tried' * bool(behind)}."
        if len(close) == len(behind):
            first, *_, last = told.values()
            return f"No method is significantly best: the {metric} ranges from {last} to {first}."
        return f"{text}. {capital(', '.join(close))} may be as good."

    def _cost(self) -> str:
        seconds = {one.method: one.seconds for one in self.found.standings}
        shown = dict.fromkeys(m for pair in self.found.pairs.items() for m in pair) | seconds
        parts = [
            f"{self.label(method)} {duration(seconds.get(method, math.nan))}" for method in shown
        ]
        return f"Training time, including the search over settings: {', '.join(parts)}."

    def trust(self, protocol: str) -> str:
        """Say what the answer rests on, and what speaks against it."""
        found = self.found
        tests = dict.fromkeys(own.test for own in found.contrasts.values() if own.test)
        rows = "an unknown number of" if math.isnan(found.rows) else f"{found.rows:,.0f}"
        level = f", {found.rarest[1]:,} of them '{found.rarest[0]}'" if found.rarest else ""
        some = f"{found.trained:,.0f} training rows of " * (found.trained < found.rows / 2)
        parts = [f"The answer rests on {some}{rows} rows{level} ({protocol})."]
        parts += [self._tested(list(tests))]
        if not math.isnan(found.tested):
            parts = [
                f"The answer rests on one test set of {found.tested:,.0f} rows. "
                f"{self._tested(list(tests))} Settings were chosen within the "
                f"{found.rows - found.tested:,.0f} training rows."
                + " Intervals are for these fits; other training rows would give others."
                * bool(tests)
            ]
        at_edge = [(self._at_edge(one), one.edges.flat) for one in found.standings if one.edges]
        steep = [text for text, flat in at_edge if not flat]
        flat = [text for text, flat in at_edge if flat]
        if steep:
            parts.append(
                "Other settings may do better, because the best ones are at the end of the range "
                f"tried: {_listed(steep)}."
            )
        if flat:
            parts.append(
                "Some of the best settings are at the end of the range tried, where results "
                f"hardly change: {_listed(flat)}."
            )
        if warned := self._warnings():
            parts.append(f"Warnings while fitting: {_listed(warned)}.")
        return " ".join(parts)

    def _tested(self, tests: list[str]) -> str:
        if not tests:
            return "No test was possible."
        named = " and ".join(tests)
        return f"Differences are tested by {named}, adjusted for the number of comparisons."

    def _at_edge(self, one: MethodStanding) -> str:
        return f"{self.label(one.method)} ({one.edges and one.edges.label})"

    def _warnings(self) -> list[str]:
        kinds: dict[tuple[str, str], int] = {}
        usual = "UndefinedMetricWarning" if self.found.within else ""  # queries without a pair
        for cell in self.context.cells:
            record = self.context.records.get(cell.key)
            for text in (w for w in (record.warned if record else ()) if w != usual):
                kinds[cell.method, text] = kinds.get((cell.method, text), 0) + 1
        return [
            f"{self.label(method)} ({PLAIN.get(kind, kind)} in {n} fit{'s' * (n > 1)})"
            for (method, kind), n in kinds.items()
        ]


def _listed(texts: Sequence[str]) -> str:
    more = f"; and {len(texts) - 6} more" if len(texts) > 6 else ""
    return "; ".join(texts[:6]) + more
