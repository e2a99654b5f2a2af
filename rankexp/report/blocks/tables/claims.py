"""The ledger of a source's claims in words: how each was tested, what was found, what it means."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any

import pandas as pd
from pydantic import Field

from rankexp.analyse import claims
from rankexp.analyse.claims import Finding, Standing
from rankexp.analyse.select import Rule
from rankexp.config.claims import OVER, TESTS, UNTESTED, Row, parsed, rows_of
from rankexp.config.fault import Fault
from rankexp.config.schema import Block, Evaluate, Simulate, Study
from rankexp.errors import ConfigError
from rankexp.plan import method_spec
from rankexp.report.context import Context
from rankexp.report.ledger import findings, words
from rankexp.report.model import Cell, Cells, Entry, Output, Table
from rankexp.report.numbers import NOTHING, short
from rankexp.report.options import BlockKind, unfounded

REGISTER = {"claims": "Claims"}

Found = Sequence[tuple[Row, Finding]]
LEGEND = (
    "Holds: shown to lie in the range claimed; does not hold: shown to lie outside, each at {}, "
    "adjusted by Holm for the comparisons of the claim. Intervals are at the level of that test. "
    "The number found is the one that the verdict hangs on; {}.csv has all."
)
COLUMNS = [
    *("claim", "words", "page", "experiment", "metric", "rule", "test", "label", "from", "to"),
    *("value", "low", "high", "p_holds", "p_fails", "standing", "why", "verdict", "note"),
]


class Claims(BlockKind):
    """One row a claim: its words and page, its test, the number found, and the verdict."""

    shows = (Evaluate, Simulate)

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
        """Return the ledger, the numbers behind it, and the gist."""
        rows: dict[str, list[Row]] = {}
        for row in map(parsed, context.manifest.get("claims") or []):
            rows.setdefault(row.claim, []).append(row)
        verdicts: dict[str, Standing] = {}
        ledger: list[list[Entry]] = []
        lines: list[dict[str, Any]] = []
        for claim, own in rows.items():
            found, verdicts[claim] = self._weighed(context, own)
            ledger.append(self._line(context, own, found, verdicts[claim]))
            for row, one in found or [(own[0], Finding(""))]:
                numbers = vars(row) | vars(one) | {"verdict": str(verdicts[claim])}
                numbers |= {"from": one.limits[0], "to": one.limits[1]}
                lines.append({name: numbers[name] for name in COLUMNS})
        header = ["Claim", "Page", "How tested", "Found", "Verdict"]
        notes = [LEGEND.format(short(round(1 - self.level, 12)), block.name)]
        notes += [] if rows else ["The manifest holds no claims: see 'claims' of the study."]
        table = Table(header, ledger, "Claims")
        return Output(pd.DataFrame(lines), [table], notes=notes, gist=gist(verdicts))

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
            row, one = _deciding(found, verdict)
            good = sum(own.standing is Standing.HOLDS for _, own in found)
            span = None if math.isnan(one.low) or one.low == one.high else (one.low, one.high)
            sign = bool(row.reference) or row.test in ("best", "worst")
            value = Cell(one.value, interval=span, digits=self.digits, sign=sign)
            count = f"{good} of {len(found)} hold" if len(found) > 1 else ""
            said = Cells([value, *filter(None, (one.why, one.label, count))], "; ")
        mark = Cell(str(verdict), note=note if found else "")
        return [f"{first.claim}: {first.words}", first.page, how, said, mark]


def gist(verdicts: Mapping[str, Standing]) -> str:
    """Return how many claims hold, and the names of those that do not, in a sentence."""
    named = {one: [name for name, own in verdicts.items() if own is one] for one in Standing}
    tested = len(verdicts) - len(named[Standing.UNTESTED])
    parts = [f"{len(named[Standing.HOLDS])} of {tested} claims tested hold here"]
    rest = {"not": Standing.FAILS, "undecided": Standing.UNDECIDED, "not run": Standing.NOT_RUN}
    parts += [f"{word}: {', '.join(named[one])}" for word, one in rest.items() if named[one]]
    untested = len(named[Standing.UNTESTED])
    return "; ".join([*parts, *([f"{untested} more were not tested"] if untested else [])]) + "."


def _without_rule(study: Study, row: Row) -> str | None:
    """Say why a row's rule chooses no grid points where there are any."""
    setup = study.experiments.get(row.experiment)
    if row.rule:
        try:
            return unfounded(Rule.parse(row.rule), study, [row.experiment])
        except ValueError as error:
            return str(error)
    elif isinstance(setup, Evaluate):
        used = [study.methods[name] for name in setup.methods if name in study.methods]
        if any(len(method_spec(method, setup).points) > 1 for method in used):
            return f"methods of '{row.experiment}' have a grid: name a rule"
    return None


def _deciding(found: Found, verdict: Standing) -> tuple[Row, Finding]:
    """Return the finding that a verdict hangs on: the weakest if it holds, else the clearest."""

    def weight(pair: tuple[Row, Finding]) -> tuple[bool, bool, float]:
        one = pair[1]
        p = -one.p_holds if verdict is Standing.HOLDS else one.p_fails
        return one.standing is not verdict, math.isnan(p), p

    return min(found, key=weight)


def _how(context: Context, row: Row) -> str:
    """Return a row in words: ``rank loss of SVM-OR lower than Logistic (figure1)``."""
    (low, high), word = row.threshold, TESTS[row.test]
    t = short(high) if low == -high else f"{short(low)} to {short(high)}"
    text = (word.beyond if high or not word.text else word.text).format(t)

    def listed(names: Sequence[str]) -> str:
        return " and ".join(words(context, name) for name in names)

    setup, where = context.study.experiments.get(row.experiment), [row.experiment]
    methods, others = listed(row.method), listed(row.reference)
    if isinstance(setup, Evaluate) and {*row.method} == {*setup.methods}:
        methods = "every method"
    what = words(context, row.metric)
    if (curve := row.curve()) is not None:
        name, *ends = curve
        what = f"{name} for x from {ends[0]:g} to {ends[1]:g}"
    what += f" of {methods}" if methods else ""
    what += f" {text} {others}" if word.compares else f"{f' − {others}' * bool(others)} {text}"
    problems = [name for name in row.problem if name not in ("*", OVER)]
    if row.problem[:1] == (OVER,):
        where.append(f"over {len(problems)} data sets")
    elif isinstance(setup, Evaluate) and 0 < len(problems) < len(setup.problems):
        where.append(listed(problems))
    where += [Rule.parse(row.rule).label] if row.rule else []
    share = f", in at least {100 * row.share:g} % of the cases" if row.share < 1 else ""
    return f"{what} ({'; '.join(where)}){share}"
