"""The ledger of a source's claims in words: how each was tested, what was found, what it means."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any

import pandas as pd
from pydantic import Field

from rankexp.analyse import claims
from rankexp.analyse.claims import Finding, Range, Standing
from rankexp.analyse.select import Rule
from rankexp.config.claims import OVER, TESTS, UNTESTED, Row, parsed
from rankexp.config.schema import Block, Evaluate, Simulate
from rankexp.report.context import Context
from rankexp.report.ledger import findings
from rankexp.report.model import Cell, Cells, Entry, Output, Table
from rankexp.report.numbers import NOTHING, short
from rankexp.report.options import BlockKind

REGISTER = {"claims": "Claims"}

Found = Sequence[tuple[Row, Finding]]
LEGEND = (
    "Holds: shown to lie in the range claimed; does not hold: shown to lie outside, each at {}, "
    "adjusted by Holm for the comparisons of the claim. Intervals are at the level of that test. "
    "The number found is the one that the verdict hangs on."
)


class Claims(BlockKind):
    """One row a claim: its words, page and test, the number found, and the verdict."""

    shows = (Evaluate, Simulate)

    level: Annotated[float, Field(gt=0.5, lt=1)] = 0.95
    digits: Annotated[int, Field(ge=0, le=12)] = 4

    def build(self, context: Context, block: Block) -> Output:
        """Return the ledger with what the run lacks of the experiments that claims are about."""
        rows = map(parsed, context.manifest.get("claims") or [])
        used = dict.fromkeys([*block.experiments, *(row.experiment for row in rows)])
        known = [name for name in used if name in context.study.experiments]
        return replace(self.output(context, block), incomplete=context.incomplete(known))

    def output(self, context: Context, block: Block) -> Output:
        """Return the ledger, the numbers behind it, and the gist."""
        rows: dict[str, list[Row]] = {}
        for row in map(parsed, context.manifest.get("claims") or []):
            rows.setdefault(row.claim, []).append(row)
        verdicts: dict[str, Standing] = {}
        ledger: list[list[Entry]] = []
        details: list[list[Entry]] = []
        lines: list[dict[str, Any]] = []
        for claim, own in rows.items():
            found, verdicts[claim] = self._weighed(context, own)
            ledger.append(self._line(context, own, found, verdicts[claim]))
            details += [self._detail(row, one) for row, one in found]
            lines += [_numbers(row, one, verdicts[claim]) for row, one in found]
        header = ["Claim", "Page", "How tested", "Found", "Verdict"]
        parts = ["Claim", "Of", "Range", "Found", "Verdict"]
        tables = [Table(header, ledger, "Claims"), Table(parts, details, "In detail", detail=True)]
        notes = [LEGEND.format(short(round(1 - self.level, 12)))]
        notes += [] if rows else ["The manifest holds no claims: see 'claims' of the study."]
        return Output(pd.DataFrame(lines), tables, notes=notes, gist=gist(verdicts))

    def _weighed(self, context: Context, rows: Sequence[Row]) -> tuple[Found, Standing]:
        """Return what was found for the rows of a claim, and its verdict."""
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

    def _line(
        self, context: Context, rows: Sequence[Row], found: Found, verdict: Standing
    ) -> list[Entry]:
        first = rows[0]
        how = "; ".join(dict.fromkeys(_how(context, row) for row in rows)) if found else NOTHING
        note = " ".join(dict.fromkeys(row.note for row in rows if row.note))
        said: Entry = note
        if found:
            same = [pair for pair in found if pair[1].standing is verdict] or found
            row, one = min(same, key=lambda pair: _weight(pair[1], verdict))
            good = sum(own.standing is Standing.HOLDS for _, own in found)
            count = f"{good} of {len(found)} hold" if len(found) > 1 else ""
            said = Cells([self._value(row, one), *filter(None, (one.why, one.label, count))], "; ")
        mark = Cell(str(verdict), note=note if found else "")
        return [f"{first.claim}: {first.words}", first.page, how, said, mark]

    def _value(self, row: Row, one: Finding) -> Cell:
        span = None if math.isnan(one.low) or one.low == one.high else (one.low, one.high)
        sign = bool(row.reference) or row.test in ("best", "worst")
        return Cell(one.value, interval=span, digits=self.digits, sign=sign)

    def _detail(self, row: Row, one: Finding) -> list[Entry]:
        said = Cell(str(one.standing), remark=one.why)
        where = f"{row.experiment}: {one.label}"
        return [row.claim, where, _range(one.limits), self._value(row, one), said]


def gist(verdicts: Mapping[str, Standing]) -> str:
    """Return how many claims hold, and the names of those that do not, in a sentence."""
    named = {one: [name for name, own in verdicts.items() if own is one] for one in Standing}
    tested = len(verdicts) - len(named[Standing.UNTESTED])
    parts = [
        f"{one}: {', '.join(named[one])}"
        for one in (Standing.FAILS, Standing.UNDECIDED, Standing.NOT_RUN)
        if named[one]
    ]
    holds = f"{len(named[Standing.HOLDS])} of {tested} claims that were tested hold"
    rest = f"{len(named[Standing.UNTESTED])} were not tested"
    return "; ".join([holds, *parts, *([rest] if named[Standing.UNTESTED] else [])]) + "."


def _how(context: Context, row: Row) -> str:
    """Return a row in words: ``SVM-OR lower than Logistic in rank_loss (figure1, nested)``."""
    setup, low, high = context.study.experiments.get(row.experiment), *row.threshold
    t = short(high) if low == -high else f"{short(low)} to {short(high)}"
    text = TESTS[row.test].beyond if high else TESTS[row.test].text
    labels = (
        context.method_label(name) if name in context.study.methods else name
        for name in row.reference
    )
    method = ", ".join(map(context.method_label, row.method))
    what = [method or row.metric, text.format(t), ", ".join(labels)]
    what += [f"in {row.metric}"] if method else []
    problems = [name for name in row.problem if name not in ("*", OVER)]
    where = [row.experiment]
    if row.problem[:1] == (OVER,):
        where.append(f"over {len(problems)} data sets")
    elif isinstance(setup, Evaluate) and 0 < len(problems) < len(setup.problems):
        where.append(", ".join(map(context.problem_label, problems)))
    where += [Rule.parse(row.rule).label] if row.rule else []
    share = f", at least {100 * row.share:g} % of the cases" if row.share < 1 else ""
    return f"{' '.join(filter(None, what))} ({'; '.join(where)}){share}"


def _range(limits: Range) -> str:
    low, high = (f"{'-' * (end < 0)}{short(abs(end))}" for end in limits)
    if math.isinf(limits[0]):
        return f"below {high}"
    return f"above {low}" if math.isinf(limits[1]) else f"{low} to {high}"


def _weight(one: Finding, verdict: Standing) -> tuple[bool, float]:
    """Return what puts the finding first that a verdict hangs on: the weakest, if it holds."""
    p = -one.p_holds if verdict is Standing.HOLDS else one.p_fails
    return (math.isnan(p), p)


def _numbers(row: Row, one: Finding, verdict: Standing) -> dict[str, Any]:
    names = ("claim", "page", "experiment", "metric", "rule", "test")
    values = {"label": one.label, "from": one.limits[0], "to": one.limits[1], "value": one.value}
    tests = {"low": one.low, "high": one.high, "p_holds": one.p_holds, "p_fails": one.p_fails}
    said = {"finding": str(one.standing), "verdict": str(verdict), "why": one.why}
    return {name: getattr(row, name) for name in names} | values | tests | said
