"""What a table of published values says of them all."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from rankexp.metrics.base import parse
from rankexp.runner.analyse import compare
from rankexp.runner.analyse.notes import Kind, Note
from rankexp.runner.analyse.verdicts import LEVEL, Reproduction, counted
from rankexp.runner.report.context import Context
from rankexp.runner.report.model import Mark, Tally
from rankexp.runner.report.numbers import counted_names, number, short

Line = Mapping[str, Any]
SE_OF = {
    compare.OF_MODELS: "the models drawn",
    compare.OF_REPEATS: "the repeats of the split: the noise of the partition alone, not of the "
    "sample",
    compare.OF_EXAMPLES: "the test examples of the single split (Hanley and McNeil, 1982, from "
    "the value and the expected class counts)",
    compare.OF_QUERIES: "the queries of the test sets, stratified by fold",
    compare.OF_NOTHING: "nothing: a single split, of which the last digit alone can tell",
}
FOLDS = "nothing: the folds of a single partition are one unit, so the last digit alone can tell"
SAME_QUERIES = (
    " The print has the same: its values of a query, which are not known, are taken to correlate "
    "with the run's by 1/2 at least, so that the noise of both is this SE at most, in place of "
    "SE·√2; on the same queries equal digits are reproduced whatever the noise."
)
MARKS = {
    Reproduction.NEAR: Mark.NEAR,
    Reproduction.APART: Mark.APART,
    Reproduction.UNDECIDED: Mark.UNDECIDED,
}


def tally(context: Context, lines: Sequence[Line], digits: int) -> Tally | None:
    """Return how many published values are reproduced, the furthest off, and what was not run."""
    told = [one for one in lines if one["verdict"] and not one["compared_with"]]
    idle = [one for one in told if one["verdict"] == Reproduction.NOT_RUN]
    left = left_out(context, [one["problem"] for one in idle])
    told = [one for one in told if one["verdict"] != Reproduction.NOT_RUN]
    if not told:
        return Tally(left=left) if left else None
    count = Counter(one["verdict"] for one in told)
    rest = [(Reproduction.NEAR, "more near"), (Reproduction.UNDECIDED, "too noisy to tell")]
    more = ", ".join(f"{count[one]} {word}" for one, word in rest if count[one])
    found = f"{count[Reproduction.REPRODUCED]} of {len(told)} published values within the noise"
    found += f" ({more})" * bool(more)
    apart = [one for one in told if one["verdict"] == Reproduction.APART]
    if not apart:
        return Tally(found, left=left)
    worst = max(apart, key=lambda one: abs(one["relative"]))
    several = len({(one["experiment"], one["problem"], one["method"]) for one in told}) < len(told)
    name = f"{context.problem_label(worst['problem'])} {context.method_label(worst['method'])}"
    name += f" {parse(worst['metric']).label}" * several
    own, printed = (number(worst[side], digits) for side in ("reproduced", "published"))
    lacks = f"{len(apart)} of {len(told)} values, furthest {name} ({own} here, {printed} printed)"
    return Tally(found, lacks, left)


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


def _blind(lines: Sequence[Line], margin: float | None) -> str:
    """Say when nothing can be told; `margin` is that of the block."""
    named = {line["metric"] for line in lines}
    found = [margin or parse(name).reading.margin for name in sorted(named)]
    known = dict.fromkeys(short(own) for own in found if own)
    passes = f"a difference of {' or '.join(known)} would pass, too, or " if known else ""
    return f"{passes}the noise is not known"


def legend(lines: Sequence[Line], margin: float | None) -> list[Note | str]:
    """Count the verdicts, and say what they and the errors rest on."""
    notes: list[Note | str] = [
        *counted(line["verdict"] for line in lines if not line["compared_with"])
    ]
    if printed := bool(notes):
        notes.append(
            "A difference to the print is judged by the noise of both, "
            "SE·√(1 + units of the run / units of the print), z being the difference over it. "
            f"No mark: reproduced, within its {100 * LEVEL:g} % quantile of t and half of the "
            f"last digit (column Passes); {Mark.NEAR.value}: near, within twice the quantile; "
            f"{Mark.APART.value}: not reproduced; {Mark.UNDECIDED.value}: cannot tell, as "
            f"{_blind(lines, margin)}. Mean differences are to the published values."
        )
    kinds = {line["se_of"] for line in lines if not math.isnan(line["reproduced"])}
    for kind in sorted(kinds):
        own = [line for line in lines if line["se_of"] == kind]
        names = {line["problem"] for line in own}
        where = f" ({', '.join(sorted(names))})" if len(kinds) > 1 else ""
        same = SAME_QUERIES if printed and kind == compare.OF_QUERIES else ""
        folds = kind == compare.OF_NOTHING and any(line["splits"] > 1 for line in own)
        notes.append(f"SE{where} over {FOLDS if folds else SE_OF[kind]}.{same}")
    unverified = sum(line["verified"] is False for line in lines if not line["compared_with"])
    if unverified:
        notes.append(f"{unverified} published values were not checked against the print.")
    edges = sum(bool(line["edge"]) for line in lines)
    if edges:
        text = (
            f"Warning: {edges} of {len(lines)} chosen grid points lie at the edge of their grid."
        )
        notes.append(Note(Kind.WARNING, text, {"edges": edges, "choices": len(lines)}))
    return notes
