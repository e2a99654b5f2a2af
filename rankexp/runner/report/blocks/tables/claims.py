"""The ledger of a source's claims in words: how each was tested, what was found, what it means."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Annotated

import pandas as pd
from pydantic import Field
from scipy import special

from rankexp.charts.numbers import NOTHING, short
from rankexp.errors import ConfigError
from rankexp.runner.analyse.select import Rule, with_grids
from rankexp.runner.config.asking import message
from rankexp.runner.config.claims import OVER, TESTS, UNTESTED, ClaimRow, parsed, rows_of, titles
from rankexp.runner.config.fault import Fault
from rankexp.runner.config.schema import Block, Evaluate, Simulate, Study
from rankexp.runner.report.context import Context
from rankexp.runner.report.heads import Role, heads
from rankexp.runner.report.ledger import findings, words
from rankexp.runner.report.model import Cell, Cells, Entry, Fact, Output, Table, Tally
from rankexp.runner.report.options import BlockKind
from rankexp.runner.report.render.text import cell_text
from rankexp.runner.sentences import counted_names, paragraphs
from rankexp.statistics import claims
from rankexp.statistics.claims import Finding, Standing
from rankexp.statistics.needed import Growth, needed
from rankexp.statistics.paired import Estimate

REGISTER = {"claims": "Claims"}

Found = Sequence[tuple[ClaimRow, Finding]]
JudgedClaim = tuple[Sequence[ClaimRow], Found, Standing]
COLUMNS = [
    *("claim", "words", "page", "experiment", "metric", "rule", "test", "label", "from", "to"),
    *("value", "low", "high", "p_holds", "p_fails", "standing", "why", "verdict", "note", "ours"),
]
LONGEST = 100  # of the title of a block that a link has room for, letters
MANY = 10  # of a count: beyond it one decimal of a mean is enough
OWN = "Also tried, which the source does not claim"


class Claims(BlockKind):
    """One row a claim: the number found, what it must be, and the verdict; then each in full."""

    shows = (Evaluate, Simulate)
    claims = True

    level: Annotated[float, Field(gt=0.5, lt=1)] = 0.95
    digits: Annotated[int, Field(ge=0, le=12)] = 4

    def faults(self, study: Study, block: Block) -> Iterator[Fault]:
        """Find rules that there are not, and grids without a rule."""
        yield from super().faults(study, block)
        try:
            rows = list(map(parsed, rows_of(study) or []))
        except ConfigError:
            return  # complained about already
        for row in rows:
            if why := _without_rule(study, row):
                yield Fault(("block",), f"{study.claims_file}:{row.line}: {why}")

    def build(self, context: Context, block: Block) -> Output:
        """Return the ledger with what the run lacks of the experiments that claims are about."""
        rows = map(parsed, context.manifest.get("claims") or [])
        used = dict.fromkeys(row.experiment for row in rows)
        known = [name for name in used if name in context.study.experiments]
        return replace(self.output(context, block), incomplete=context.incomplete(known))

    def output(self, context: Context, block: Block) -> Output:
        rows: dict[str, list[ClaimRow]] = {}
        for row in map(parsed, context.manifest.get("claims") or []):
            rows.setdefault(row.claim, []).append(row)
        judged = [(own, *self._weighed(context, own)) for own in rows.values()]
        source, ours = ([one for one in judged if one[0][0].ours is own] for own in (False, True))
        also = ": ".join(filter(None, [OWN, tally(ours, "").found]))
        tables = self._tables(context, source, ("Claims", "Tests"))
        tables += self._tables(context, ours, (also, "Tests of these")) if ours else []
        lines, facts = [], {}
        for own, found, verdict in judged:
            for row, one in found or [(own[0], Finding(""))]:
                numbers = vars(row) | vars(one) | {"verdict": str(verdict)}
                numbers |= dict(zip(("from", "to"), one.limits, strict=True))
                numbers |= {name: vars(own[0])[name] for name in ("words", "page")}
                lines.append({name: numbers[name] for name in COLUMNS})
            value, _ = self._found(found, verdict)
            known = value.value is not None and not math.isnan(float(value.value))
            text = cell_text(value) + _needed(found, verdict) if known else ""
            of = list(dict.fromkeys(row.experiment for row in own))
            facts[own[0].claim] = Fact(str(verdict), text, of)
        alpha = short(round(1 - self.level, 12))
        notes = paragraphs("claims", block=block.name, alpha=alpha)
        notes += [] if rows else ["The manifest holds no claims: see 'claims' of the study."]
        told, each = tally(source) if source else None, self._each(context, judged)
        gist = " ".join(filter(None, [told.gist if told else "", f"{also}." * bool(ours)]))
        shown = Output(pd.DataFrame(lines), tables, notes=notes, gist=gist, tally=told)
        quoted = {}
        for row in (own[0] for own, _, _ in judged if own[0].words):
            page = row.page if row.page[:1] in ("", "(") else f"({row.page})"
            quoted[row.claim] = f"{row.words.rstrip('.')} {page}".strip()
        return replace(shown, facts=facts, unfolded=each, quoted=quoted)

    def _tables(
        self, context: Context, judged: Sequence[JudgedClaim], captions: tuple[str, str]
    ) -> list[Table]:
        """Return what was found of some claims, and each in full."""
        ledger: list[list[Entry]] = []
        tests: list[list[Entry]] = []
        for rows, found, verdict in judged:
            value, of = self._found(found, verdict)
            must = _must(*_deciding(found, verdict)) if found else NOTHING
            first, told = rows[0], _verdict(context, rows, verdict)
            ledger.append([first.claim, value, must, of, told])
            tests.append([first.claim, first.words, first.page, _tested(context, rows, found)])
        full = heads(Role.LABEL, "Claim", "In full", "Page", "How tested")
        header = heads(Role.LABEL, "Claim") + heads(Role.VALUE, "Found")
        header += heads(Role.LABEL, "Must be", "Of") + heads(Role.VERDICT, "Verdict")
        return [Table(header, ledger, captions[0]), Table(full, tests, captions[1], detail=True)]

    def _each(self, context: Context, judged: Sequence[JudgedClaim]) -> dict[str, Table]:
        """Return by claim all comparisons behind it, where there are several."""
        header = heads(Role.LABEL, "Comparison") + heads(Role.VALUE, "Found")
        header += heads(Role.LABEL, "Must be") + heads(Role.VERDICT, "Verdict")
        made: dict[str, Table] = {}
        for rows, found, verdict in judged:
            lines: list[list[Entry]] = []
            for row, one in found:
                value, of = self._found([(row, one)], one.standing)
                of += _told_apart(context, row, found)
                lines.append([of, value, _must(row, one), Cell(one.standing)])
            good = sum(one.standing is Standing.HOLDS for _, one in found)
            caption = f"{rows[0].claim} ({verdict}): {good} of {len(found)} comparisons hold"
            made |= {rows[0].claim: Table(header, lines, caption)} if len(lines) > 1 else {}
        return made

    def _weighed(self, context: Context, rows: Sequence[ClaimRow]) -> tuple[Found, Standing]:
        if rows[0].test == UNTESTED:
            return [], Standing.UNTESTED
        pairs = [(row, one) for row in rows for one in findings(context, row)]
        judged = claims.judged([one for _, one in pairs], self.level)
        found = [(row, one) for (row, _), one in zip(pairs, judged, strict=True)]
        each = [
            claims.together([one.standing for own, one in found if own is row], row.share)
            for row in rows
        ]
        return found, claims.together(each)

    def _found(self, found: Found, verdict: Standing) -> tuple[Cell, str]:
        if not found:
            return Cell(), NOTHING
        row, one = _deciding(found, verdict)
        span = None if math.isnan(one.low) or one.low == one.high else (one.low, one.high)
        sign = bool(row.reference) or row.test in ("best", "worst")
        whole = all(end % 1 == 0 for end in (one.value, *(span or ())))
        digits = 0 if whole and row.test == "always" else self.digits
        if row.test == "always" and one.value >= MANY and all(e % 1 == 0 for e in span or ()):
            digits = min(digits, 1)  # the mean of counts
        value = Cell(one.value, interval=span, digits=digits, sign=sign, tiny=True)
        value = replace(value, claimed=one.limits)
        return value, "; ".join(filter(None, (one.shown or one.label, one.why)))


def _needed(found: Found, verdict: Standing) -> str:
    """Say how much data would tell of an undecided claim, if its number stays where it is."""
    one = _deciding(found, verdict)[1] if found else Finding("")
    gap, half = min(abs(one.value - end) for end in one.limits), (one.high - one.low) / 2
    if verdict is not Standing.UNDECIDED or not 0 < gap < half < math.inf:
        return ""
    low, high = one.interval(0.95) if one.interval else (one.low, one.high)
    se = (high - low) / 2 / special.ndtri(0.975)
    alpha = 2 * special.ndtr(-half / se)  # of the adjusted test
    times = needed(Estimate(gap, se, math.inf), None, Growth(), alpha, 0.8).data_to_show
    return f" (about {math.ceil(times)} times as much data would tell, if the estimate stays)"


def tally(judged: Sequence[JudgedClaim], what: str = " claims tested") -> Tally:
    """Return how many claims hold, the names of those that do not, and what was not run."""
    verdicts = {rows[0].claim: verdict for rows, _, verdict in judged}
    named = {one: [name for name, own in verdicts.items() if own is one] for one in Standing}
    idle = named[Standing.NOT_RUN]
    tested = len(verdicts) - len(named[Standing.UNTESTED]) - len(idle)
    rest = {"refuted": named[Standing.FAILS], "undecided": named[Standing.UNDECIDED]}
    found = f"{len(named[Standing.HOLDS])} of {tested}{what} hold" if tested else ""
    left = counted_names("claim", len(idle), idle)
    lacks = message("claim.lacks", rest={word: names for word, names in rest.items() if names})
    return Tally(found, lacks, left, list(map(str, verdicts.values())))


def _verdict(context: Context, rows: Sequence[ClaimRow], verdict: Standing) -> Cells:
    """Return a verdict with its notes and the blocks that tell more, of this study or others."""
    parts = [Cell(verdict, note=" ".join(dict.fromkeys(r.note for r in rows if r.note)))]
    own = {block.name: block.title for block in context.study.report}  # of a profile, fewer
    for link in dict.fromkeys(link for row in rows for link in row.see):
        if "/" in link or link in own:
            file = f"../{link}.md" if "/" in link else f"{link}.md"
            study, _, block = link.rpartition("/")
            named = (titles(study) if study else own).get(block) or ""
            if not 0 < len(named) <= LONGEST:
                named = block.replace("-", " ")
            parts.append(Cell(named + f" ({study})" * bool(study), link=file))
    return Cells(parts, "; see ")


def _told_apart(context: Context, row: ClaimRow, found: Found) -> str:
    """Return what tells a row's comparisons from those of others of its claim, if names do not."""
    shown = [one.shown or one.label for _, one in found]
    if len({*shown}) == len(shown):
        return ""

    def parts(own: ClaimRow) -> list[str]:
        rule = Rule.parse(own.rule).label if own.rule else ""
        return [words(context, own.metric, own.experiment), rule, context.title(own.experiment)]

    each = zip(*(parts(own) for own, _ in found), strict=True)
    several = [len({*texts}) > 1 for texts in each]
    told = [text for text, differs in zip(parts(row), several, strict=True) if differs and text]
    return f" ({'; '.join(told)})" * bool(told)


def _without_rule(study: Study, row: ClaimRow) -> str | None:
    """Say why a row's rule chooses no grid points where there are any."""
    setup = study.experiments.get(row.experiment)
    if row.rule:
        try:
            rule, methods = Rule.parse(row.rule), [*row.method, *row.reference]
            lacking = rule.without_inner(study, row.experiment, methods)
            return rule.unfounded(study, [row.experiment]) or lacking
        except ValueError as error:
            return str(error)
    elif isinstance(setup, Evaluate) and with_grids(study, setup):
        return message("report.untuned", experiment=row.experiment)
    return None


def _deciding(found: Found, verdict: Standing) -> tuple[ClaimRow, Finding]:
    """Return the finding that a verdict hangs on: the nearest to an end, or furthest beyond."""
    return min(found, key=lambda pair: (pair[1].standing is not verdict, _room(pair[1])))


def _room(one: Finding) -> float:
    """Return how far a value, or all of them, stays from the ends of its range, over its size.

    It is negative beyond; values that are tested one by one have no interval.
    """
    (low, high), tested = one.limits, one.interval is not None or math.isnan(one.low)
    least, most = (one.value, one.value) if tested else (one.low, one.high)
    if low == high == least == most:
        return math.inf  # the only value there may be
    size = max((abs(end) for end in one.limits if math.isfinite(end)), default=0.0) or 1.0
    room = min(least - low, high - most) / size
    return math.inf if math.isnan(room) else room


def _must(row: ClaimRow, one: Finding) -> str:
    """Return the range in which a number must lie: ``0 ± 1e-12``, ``≥ .001``, ``= 0``."""
    (low, high), closed = one.limits, row.test == "always"
    ends = {"low": low, "high": high, "infinite": math.inf}
    return message("claim.must", closed=closed, nothing=NOTHING, **ends)


def _tested(context: Context, rows: Sequence[ClaimRow], found: Found) -> str:
    if not found:
        return NOTHING
    good = sum(own.standing is Standing.HOLDS for _, own in found)
    count = f"; {good} of {len(found)} hold" if len(found) > 1 else ""
    return "; ".join(dict.fromkeys(_how(context, row) for row in rows)) + count


def _how(context: Context, row: ClaimRow) -> str:
    """Return a row in words: ``rank loss of SVM-OR lower than Logistic (figure1)``."""
    setup = context.study.experiments.get(row.experiment)
    problems = [name for name in row.problem if name not in ("*", OVER)]

    def called(names: Sequence[str]) -> list[str]:
        return [words(context, name, row.experiment) for name in names]

    every = isinstance(setup, Evaluate) and {*row.method} == {*setup.methods}
    where = [context.title(row.experiment)]
    if row.problem[:1] == (OVER,):
        where.append(f"over {len(problems)} data sets")
    elif setup is not None and 0 < len(problems) < len(setup.problems):
        where.append(" and ".join(called(problems)))
    where += [Rule.parse(row.rule).label] if row.rule else []
    return message(
        "claim.tested",
        row=row,
        word=TESTS[row.test],
        curve=row.curve(),
        metric=words(context, row.metric, row.experiment),
        methods=["every method"] if every else called(row.method),
        others=called(row.reference),
        where=where,
        infinite=math.inf,
    )
