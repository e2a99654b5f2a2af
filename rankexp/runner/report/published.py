"""Published values: the verdict on each, and what a table says of them all."""

import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from rankexp.charts.numbers import short
from rankexp.metrics.metric import Metric, parse
from rankexp.runner.analyse import compare, reproduced, select
from rankexp.runner.analyse.frame import QUERY
from rankexp.runner.config.asking import message
from rankexp.runner.config.published import Published, PublishedKey
from rankexp.runner.grid import Point
from rankexp.runner.report.context import Context
from rankexp.runner.report.model import Mark, Tally
from rankexp.runner.sentences import counted_names, paragraphs
from rankexp.statistics.contrast import NAN
from rankexp.statistics.verdicts import LEVEL, Kind, Note, Reproduction, counted

MARKS = {own: Mark[own.name] for own in Reproduction if own.name in Mark.__members__}


def judged(
    context: Context, place: PublishedKey, rule: select.Rule, target: Published | None
) -> reproduced.JudgedValue:
    """Return what a run has at a place, and how that stands to a published value.

    Every verdict on a published value comes from here, so that a page has one for each.
    """
    metric = parse(place.quantity)
    units = context.units(place.experiment, metric, rule)
    of_problem = units[units.problem == place.problem]
    own = of_problem[of_problem.method == place.method]
    means = {one[:2]: one for one in context.means(place.experiment, metric, rule)}
    row = means.get((place.problem, place.method), reproduced.NOT_RUN)
    if math.isnan(row.se) and not math.isnan(row.mean):
        se = _single_split(context, place, metric, row.mean)
        over = compare.OF_NOTHING if math.isnan(se) else compare.OF_EXAMPLES
        row = row._replace(se=se, se_of=over)
    if target is None:
        return reproduced.JudgedValue(row)
    shared = NAN
    if row.se_of == compare.OF_QUERIES:
        queries = of_problem.pivot(index=["fold", QUERY], columns="method", values="value")
        queries = queries.dropna(subset=[place.method])
        others = queries.drop(columns=place.method).to_numpy().T
        folds = queries.index.get_level_values("fold")
        shared = reproduced.paired_error(queries[place.method].to_numpy(), others, folds)
    runs = compare.unit_means(own).value.dropna().to_numpy()
    return reproduced.judged(row, target, metric.reading.margin, runs, shared)


def _single_split(context: Context, place: PublishedKey, metric: Metric, value: float) -> float:
    """Return the SE over test examples of one split's value, as the metric says; else NaN."""
    protocol = context.evaluate(place.experiment).protocol
    entry = context.study.data.get(place.problem)
    prints = entry.fingerprint if entry else None
    error = metric.reading.standard_error
    if error is None or prints is None or prints.classes is None or len(prints.classes) != 2:
        return NAN
    share = protocol.test_share(prints.rows)
    return NAN if math.isnan(share) else error(value, [share * n for n in prints.classes])


class PublishedLine(NamedTuple):
    """A problem with a method: its published and its reproduced value, in full precision."""

    experiment: str
    problem: str
    method: str
    compared_with: str  # the method whose published value it stands beside; "" for its own
    metric: str
    published: float  # NaN where nothing is
    reproduced: float
    se: float
    se_of: str
    others: tuple[float, ...]  # by other rules
    difference: float
    relative: float  # to the published loss
    printed_units: float
    z: float  # by the noise of both
    tolerance: float  # differences that pass as reproduced
    verdict: Reproduction | None
    chosen: Point  # the empty one where nothing was run
    edge: str
    splits: int
    nan: int
    expected: int
    state: str
    source: str
    verified: bool | None
    note: str
    referred: float = math.nan  # what a full run has where this one has nothing

    @property
    def known(self) -> bool:
        """Whether there is a value."""
        return not math.isnan(self.reproduced)


def tally(context: Context, lines: Sequence[PublishedLine], digits: int) -> Tally | None:
    """Return how many published values are reproduced, the furthest off, and what was not run."""
    told = [one for one in lines if one.verdict and not one.compared_with]
    verdicts = [str(one.verdict) for one in told]
    left = left_out(context, [o.problem for o in told if o.verdict == Reproduction.NOT_RUN])
    told = [one for one in told if one.verdict != Reproduction.NOT_RUN]
    if not told:
        return Tally(left=left, verdicts=verdicts) if left else None
    found = found_of([one.verdict for one in told], "published values")
    apart = [one for one in told if one.verdict == Reproduction.APART]
    if not apart:
        return Tally(found, left=left, verdicts=verdicts)
    worst = max(apart, key=lambda one: abs(one.relative))
    several = len({one[:3] for one in told}) < len(told)  # values of a method on a problem
    name = f"{context.problem_label(worst.problem)} {context.method_label(worst.method)}"
    name += f" {parse(worst.metric).label}" * several
    known = {"apart": len(apart), "values": len(told), "worst": worst, "digits": digits}
    return Tally(found, message("found.furthest", name=name, **known), left, verdicts)


def found_of(verdicts: Sequence[Reproduction | None], what: str, said: str = "reproduced") -> str:
    """Say how many of some published values are reproduced, or that the noise hides all."""
    count, hidden = Counter(verdicts), Reproduction.UNDECIDED
    words = {Reproduction.REPRODUCED: said, Reproduction.NEAR: "near", hidden: "too noisy to tell"}
    first = hidden if count[hidden] and not count[Reproduction.REPRODUCED] else next(iter(words))
    more = [f"{count[one]} {word}" for one, word in words.items() if count[one] and one != first]
    told = f"{count[first]} of {len(verdicts)} {what} {words[first]}"
    return f"{told} ({', '.join(more)})" if more else told


def left_out(context: Context, problems: Sequence[str]) -> str:
    """Count published values that were not run, by the problem of each, and name the problems.

    "" where they are of optional data sets that were not found alone: a full run may lack these.
    """
    known = context.study.data
    absent = [p for p in problems if context.missing_data(p) is not None]
    if len(absent) == len(problems) and all(known[name].optional for name in absent):
        return ""
    names = list(map(context.problem_label, dict.fromkeys(problems)))
    return counted_names("published value", len(problems), names)


def legend(lines: Sequence[PublishedLine]) -> list[Note | str]:
    """Count the verdicts, and say what they and the errors rest on."""
    own = [line for line in lines if not line.compared_with]
    counts = counted(line.verdict for line in own)
    known = [parse(name).reading.margin for name in sorted({line.metric for line in lines})]
    several = (compare.OF_MODELS, compare.OF_REPEATS)
    kinds = sorted({line.se_of for line in lines if line.known})
    notes: list[Note | str] = [*counts]
    notes += paragraphs(
        "published",
        judged=bool(counts),
        level=LEVEL,
        mark=Mark,
        margins=dict.fromkeys(short(margin) for margin in known if margin),
        one_run=any(line.printed_units == 1 and line.se_of in several for line in own),
        errors={kind: [line for line in lines if line.se_of == kind] for kind in kinds},
        unverified=sum(line.verified is False for line in own),
    )
    if edges := sum(bool(line.edge) for line in lines):
        at = f"{edges:,} of {len(lines):,} chosen grid points"
        text = f"Warning: {at} lie at the edge of their grid."
        notes.append(Note(Kind.WARNING, text, {"edges": edges, "choices": len(lines)}))
    return notes
