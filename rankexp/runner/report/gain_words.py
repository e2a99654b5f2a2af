"""What training on pairs gains, in plain sentences, and what to do: more repeats, then rows.

Nothing is said that was not computed.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from rankexp.charts.numbers import number
from rankexp.runner.config.asking import message, messages
from rankexp.runner.report.context import Context
from rankexp.runner.report.gains import Effect, Gains, MethodStanding
from rankexp.runner.report.verdict_words import REPEATS, at_once, enough, share_of_loss
from rankexp.runner.run.progress import duration
from rankexp.runner.sentences import capital, paragraphs
from rankexp.statistics.contrast import Contrast, Settings
from rankexp.statistics.needed import Needed

PLAIN = {"ConvergenceWarning": "stopped before it converged"}
FEW, UNTESTED = "the data are too few", "without a test there is no way"
MOST_REPEATS = 10  # more of cross-validation hardly narrow an interval (docs/statistics.md)


def headline(effects: Mapping[str, Effect], few: str = FEW) -> str:
    """Say what training on pairs gains, from its effect with each method, by their labels.

    `few` says why nothing can be told where nothing is.
    """
    known = {label: own for label, own in effects.items() if own is not Effect.UNKNOWN}
    known = {label: own for label, own in known.items() if own is not Effect.RANDOM} or known
    labels = {e.name: [label for label, own in known.items() if own is e] for e in Effect}
    (text,) = paragraphs("gains", known=len(known), few=few, **labels)
    return text


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
        self.label = context.method_label

    def word(self) -> str:
        """Return the answer in a word or two."""
        told = {self.found.effect(method) for method in self.found.pairs}
        told -= {Effect.UNKNOWN, Effect.RANDOM}
        if Effect.GAIN in told:
            return "Yes" if len(told) == 1 else "Partly"
        return "No" if told and Effect.OPEN not in told else "Still open"

    def answer(self) -> list[str]:
        """Return what pairs gain, which method ranks best, and what each cost."""
        found, own = self.found, self.found.contrasts
        untold = [own[method] for method in found.pairs if math.isnan(own[method].low_all)]
        why = [one.refusal.reason if one.refusal else "" for one in untold]
        seconds = {one.method: one.seconds for one in found.standings}
        shown = dict.fromkeys(m for pair in found.pairs.items() for m in pair) | seconds
        took = {method: duration(seconds.get(method, math.nan)) for method in shown}
        return messages(
            "gain",
            found=found,
            label=self.label,
            digits=self.digits,
            headline=self._headline(),
            at_once=next(map(at_once, own.values()), ""),
            not_compared=dict.fromkeys(text or "not compared" for text in why),
            loss=share_of_loss(Settings()),
            needed=self._needed(),
            open=[method for method, one in found.behind.items() if one.verdict.shown is None],
            took=[f"{self.label(method)} {time}" for method, time in took.items()],
        )

    def _headline(self) -> str:
        if self.found.chance:
            return message("report.at_chance")
        effects = {self.label(method): self.found.effect(method) for method in self.found.pairs}
        scorers = {self.label(method): own for method, own in self.found.scorers.items()}
        best, found = self.found.best_on_points, self.found
        as_high = ""
        if best is not None and found.gaining and not found.ahead:
            as_high = f", but {self.label(best.method)} ranks {found.as_high[0]}"
        few = "this run is too short" if found.trained < found.rows / 2 else FEW
        few = few if any(own.test for own in found.contrasts.values()) else UNTESTED
        return of_scorers(effects, scorers, few) + as_high

    def _needed(self) -> list[str]:
        """Say how much would show what is seen, and how much that there is nothing."""
        known = [(own.p, m, own.needed) for m, own in self.found.contrasts.items()]
        known = [one for one in known if self.found.effect(one[1]) is Effect.OPEN]
        known = [one for one in known if not math.isnan(one[0])]
        if not known or self.found.chance or math.isnan(self._rows()):
            return []
        _, first, seen = min(known)
        repeats = max(need.repeats_to_equate for *_, need in known)
        return paragraphs(
            "needed",
            as_with=self.label(first) if len(known) > 1 else "",
            size=self.enough(seen.data_to_show, seen.repeats_to_show),
            equate=self.enough(max(need.data_to_equate for *_, need in known), repeats),
            there=self._rows(),
            hardly=repeats > REPEATS,
        )

    def _rows(self) -> float:
        return self.found.rows if math.isnan(self.found.tested) else self.found.tested

    def enough(self, data: float, repeats: float) -> str:
        """Return how much is needed; "" where nothing will do."""
        rows = "rows" if math.isnan(self.found.tested) else "test rows"
        return enough(data, repeats, rows, self._rows())

    def trust(self, protocol: str) -> str:
        """Say what the answer rests on, and what speaks against it."""
        found = self.found
        edges = [(self.label(s.method), s.edges) for s in found.standings if s.edges]
        (said,) = paragraphs(
            "trust",
            found=found,
            protocol=protocol,
            steep=_listed([f"{name} ({own.label})" for name, own in edges if not own.flat]),
            flat=_listed([f"{name} ({own.label})" for name, own in edges if own.flat]),
            warned=_listed(self._warnings()),
        )
        return said

    def _warnings(self) -> list[str]:
        kinds = Counter[tuple[str, str]]()
        usual = "UndefinedMetricWarning" if self.found.within else ""  # queries without a pair
        for cell in self.context.cells:
            record = self.context.records.get(cell.key)
            kinds.update((cell.method, w) for w in (record.warned if record else ()) if w != usual)
        return [
            f"{self.label(method)} ({PLAIN.get(kind, kind)} in {n} fit{'s' * (n > 1)})"
            for (method, kind), n in kinds.items()
        ]


def _listed(texts: Sequence[str]) -> str:
    more = f"; and {len(texts) - 6} more" if len(texts) > 6 else ""
    return "; ".join(texts[:6]) + more


def recommended(found: Gains) -> MethodStanding | None:
    """Return the method to train, which the advice names; None where none can be told."""
    if found.chance or found.blind:
        return None
    if _lead(found):
        return found.standings[0]
    ahead = (one for one in found.standings if one.known and one.method in found.ahead)
    points = found.advised_on_points
    lost = points is not None and points.method in found.random
    first = next((one for one in found.standings if one.method not in found.random), points)
    return next(ahead, first if lost else points)


def advice(words: Words) -> str:
    """Say what to do, and what is to be settled first."""
    found, own, label = words.found, words.found.contrasts, words.label
    effects = {m: e for m in own if (e := found.effect(m)) is not Effect.UNKNOWN}
    best, promise = recommended(found), found.promising
    least, sure = _lead(found) or (math.nan, False)
    gain, need = (own[promise].difference, own[promise].needed) if promise else (0.0, Needed())
    likes, unit = set(found.pairs.values()), 10.0**words.digits
    (said,) = messages(
        "advice",
        found=found,
        effects=sorted({effect.name for effect in effects.values()}),
        best=label(best.method) if best else "",
        lead="" if math.isnan(least) else number(math.floor(unit * least) / unit, words.digits),
        sure=sure,
        far=least > max((abs(own[m].difference) for m in effects), default=0.0),
        on_points=best is not None and best.method in {*likes, *found.points},
        like=best is not None and best.method in likes,
        gaining=[label(method) for method in found.gaining],
        promise=label(promise) if promise else "",
        gain=number(abs(gain), words.digits + 1),
        by_repeats=need.repeats_to_show <= REPEATS,
        size=words.enough(need.data_to_show, need.repeats_to_show),
        rows=words.enough(need.data_to_show, math.inf) or "more rows",
        worse=[label(method) for method, effect in effects.items() if effect is Effect.LOSS],
        repeats=found.repeats if found.repeats < MOST_REPEATS else 0,
        most=MOST_REPEATS,
    )
    return said


def _lead(found: Gains) -> tuple[float, bool] | None:
    """Return the least lead of the best if it is shown, or matters; and whether it is shown."""
    compared = {m for pair in found.pairs.items() for m in pair}
    gaps: list[Contrast] = [own for m, own in found.behind.items() if m in compared]
    if found.standings[0].method in compared or not gaps:
        return None
    shown = all(own.verdict.shown == "better" for own in gaps)
    least = min(abs(own.difference) for own in gaps)
    likely = not any(own.se > abs(own.difference) for own in gaps)
    matters = least >= found.margin and likely and not found.ahead
    return (least, shown) if shown or matters else None
