"""What a table of published values says of them all."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from rankexp.analyse import compare
from rankexp.analyse.verdicts import LEVEL, Reproduction, counted
from rankexp.metrics.base import parse
from rankexp.report.context import Context
from rankexp.report.model import Mark
from rankexp.report.numbers import number, short

Line = Mapping[str, Any]
MOST_NAMED = 6  # values that are not reproduced, in the gist
SE_OF = {
    compare.OF_MODELS: "the models drawn",
    compare.OF_REPEATS: "the repeats of the split: the noise of the partition alone, not of the "
    "sample",
    compare.OF_EXAMPLES: "the test examples of the single split (Hanley and McNeil, 1982, from "
    "the value and the expected class counts)",
    compare.OF_QUERIES: "the queries of the test sets, stratified by fold. The print has the "
    "same: its values of a query, which are not known, are taken to correlate with the run's by "
    "1/2 at least, so that the noise of both is this SE at most, in place of SE·√2",
    compare.OF_NOTHING: "nothing: a single split, of which the last digit alone can tell",
}
MARKS = {
    Reproduction.NEAR: Mark.NEAR,
    Reproduction.APART: Mark.APART,
    Reproduction.UNDECIDED: Mark.UNDECIDED,
}


def gist(context: Context, lines: Sequence[Line], digits: int) -> str:
    """Count the verdicts in a sentence, and name what is not reproduced."""
    told = [one for one in lines if one["verdict"] and not one["compared_with"]]
    counts = Counter(one["verdict"] for one in told)
    are = {
        one: f"{n or 'none'} {'is' if n == 1 else 'are'}"
        for one in Reproduction
        for n in [counts[one]]
    }
    run = len(told) - counts[Reproduction.NOT_RUN]
    if not run:
        return ""
    apart = [one for one in told if one["verdict"] == Reproduction.APART]
    apart.sort(key=lambda one: -abs(one["relative"]))
    several = len({(one["experiment"], one["problem"], one["method"]) for one in told}) < len(told)
    metrics = [f"{parse(one['metric']).label} " * several for one in apart[:MOST_NAMED]]
    named = [
        f"{context.problem_label(one['problem'])} {context.method_label(one['method'])} "
        f"{metric}({number(one['reproduced'], digits)} against "
        f"{number(one['published'], digits)})"
        for metric, one in zip(metrics, apart, strict=False)
    ]
    named += [f"{len(apart) - MOST_NAMED} more"] * (len(apart) > MOST_NAMED)
    parts = [
        f"{counts[Reproduction.REPRODUCED] or 'None'} of {run} published values are reproduced "
        "within the noise of both",
        f"{are[Reproduction.NEAR]} near",
        *[f"{are[one]} too noisy to tell" for one in [Reproduction.UNDECIDED] if counts[one]],
        f"{are[Reproduction.APART]} not{': ' * bool(named)}{', '.join(named)}",
    ]
    lacking = counts[Reproduction.NOT_RUN]
    return f"{', '.join(parts)}.{f' Not run: {lacking} more.' if lacking else ''}"


def _blind(lines: Sequence[Line], margin: float | None) -> str:
    """Say when nothing can be told; `margin` is that of the block."""
    named = {line["metric"] for line in lines}
    found = [margin or parse(name).reading.margin for name in sorted(named)]
    known = dict.fromkeys(short(own) for own in found if own)
    passes = f"a difference of {' or '.join(known)} would pass, too, or " if known else ""
    return f"{passes}the noise is not known"


def legend(lines: Sequence[Line], margin: float | None) -> list[str]:
    """Count the verdicts, and say what they and the errors rest on."""
    notes = counted(line["verdict"] for line in lines if not line["compared_with"])
    if notes:
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
        names = {line["problem"] for line in lines if line["se_of"] == kind}
        where = f" ({', '.join(sorted(names))})" if len(kinds) > 1 else ""
        notes.append(f"SE{where} over {SE_OF[kind]}.")
    unverified = sum(line["verified"] is False for line in lines if not line["compared_with"])
    if unverified:
        notes.append(f"{unverified} published values were not checked against the print.")
    edges = sum(bool(line["edge"]) for line in lines)
    if edges:
        where = f"{edges} of {len(lines)} chosen grid points"
        notes.append(f"Warning: {where} lie at the edge of their grid.")
    return notes
