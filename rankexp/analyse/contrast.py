"""One method against another: on each problem of an experiment, and over all of them.

On one problem the pairs are models, folds or queries, and the design of the protocol gives the
standard error (:mod:`rankexp.analyse.paired`). Over the settings of a generator the estimates are
averaged; over data sets, which are few and not alike, signed ranks are used.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pandas as pd

from rankexp.analyse import bayes, blocks, paired, signed_rank
from rankexp.analyse.blocks import Blocks, IncompleteError, Policy
from rankexp.analyse.one_test_set import Seen
from rankexp.analyse.paired import Estimate
from rankexp.analyse.verdicts import NOT_RUN, UNDECIDED, Verdict, judge
from rankexp.protocols.base import EXAMPLES, Design

NAN = float("nan")

UNBOUNDED = (
    "no test: the differences have no spread, and how many test examples they rest on, or how far "
    "one of these can move the metric, is not known"
)
AT_LEAST = (
    "the differences have next to no spread, so the SE is the least that the test examples, which "
    f"count as {{:.4g}}, allow ({paired.UNSEEN:g} over those tested)"
)


@dataclass(frozen=True)
class Settings:
    """How differences are judged."""

    margin: float = 0.01  # differences below it are of no importance
    level: float = 0.95  # of intervals; one minus it is the level of tests
    power: float = 0.8  # of the smallest detectable difference
    adjust: Literal["holm", "none"] = "holm"  # for the number of problems of an experiment
    policy: Policy = "refuse"  # for incomplete blocks
    higher: bool = False  # whether higher values of the metric are better
    seed: int = 0  # of the bootstrap and of posterior samples
    bayes: bool = False  # whether posterior probabilities over data sets are wanted


@dataclass(frozen=True)
class Contrast:
    """The difference of a method to a reference, on one problem or over several."""

    problem: str  # empty over several
    test: str = ""  # name of the test behind `p`
    unit: str = ""  # what `n` counts
    n: int = 0  # pairs used
    undefined: int = 0  # splits without a value by nature
    dropped: int = 0  # blocks left out by the policy
    # difference, se, low, high: method minus reference with its confidence interval; over data
    # sets the pseudo-median
    difference: float = NAN
    se: float = NAN
    low: float = NAN
    high: float = NAN
    # low_all, high_all: interval that holds for all problems at once (Bonferroni)
    low_all: float = NAN
    high_all: float = NAN
    # boot_low, boot_high: bootstrap interval, where pairs are independent
    boot_low: float = NAN
    boot_high: float = NAN
    p: float = NAN
    p_adjusted: float = NAN
    p_equivalence: float = NAN
    p_equivalence_adjusted: float = NAN
    effect: float = NAN  # Cohen's d_z; over data sets the rank-biserial correlation
    detectable: float = NAN  # smallest true difference found with the power asked for
    # better, within, worse: posterior probabilities, NaN if not asked for
    better: float = NAN
    within: float = NAN
    worse: float = NAN
    verdict: Verdict = NOT_RUN
    note: str = ""  # why there is no test, or what was left out


@dataclass(frozen=True)
class Family:
    """All comparisons of one method with one reference in one experiment."""

    problems: list[Contrast]
    overall: Contrast


def family(
    table: pd.DataFrame,
    pair: tuple[str, str],
    designs: dict[str, Design],
    settings: Settings,
    seen: Mapping[str, Seen | str] | None = None,
) -> Family:
    """Compare two methods on every problem of an experiment and over all of them.

    `table` is from :func:`rankexp.analyse.blocks.wide`; `pair` is method and reference; `designs`
    are by problem, in order: a problem that `table` lacks was not run. `seen` are
    differences on single test sets, or why there is none, for problems of this design.
    """
    contrasts: list[Contrast] = []
    known: list[Estimate | None] = []
    for problem, design in designs.items():
        own = table[table.index.get_level_values("problem") == problem]
        if (own["state"] == "incomplete").all():  # also where there is no split at all
            why = "no split has a value by both methods" if len(own) else "not run"
            found: tuple[Contrast, Estimate | None] = Contrast(problem, note=why), None
        elif design.pairs == EXAMPLES:
            found = _on_test_set(problem, own, pair, settings, (seen or {})[problem])
        else:
            found = _on_one(problem, own, pair, design, settings)
        contrasts.append(found[0])
        known.append(found[1])
    contrasts = _widen(_judge(contrasts, settings), known, settings)
    estimates = [estimate for estimate in known if estimate is not None]
    if all(design.pairs == "models" for design in designs.values()):
        overall = _over_settings(contrasts, estimates, settings)
    else:
        overall = _over_data(table, pair, list(designs), estimates, settings)
    return Family(contrasts, _judge([overall], settings)[0])


def _on_one(
    problem: str, table: pd.DataFrame, pair: tuple[str, str], design: Design, settings: Settings
) -> tuple[Contrast, Estimate | None]:
    """Compare on one problem; the estimate is None where there is no test."""
    by = ["problem", "model"] if design.pairs == "models" else blocks.PLACE
    try:
        made = blocks.complete(table, by, settings.policy)
    except IncompleteError as error:
        return Contrast(problem, verdict=UNDECIDED, note=str(error)), None
    base, values = _paired(Contrast(problem, unit=design.pairs), made, pair)
    base = replace(base, difference=float(values.mean()) if base.n else NAN)
    if base.n < paired.FEWEST:
        return base, None
    settled = signed_rank.settled(values)
    estimate, least = paired.of_design(settled, design)
    if np.isnan(estimate.se):
        return replace(base, note=_join(UNBOUNDED, base.note)), None
    if least:
        base = replace(base, note=_join(AT_LEAST.format(design.examples), base.note))
    boot = (NAN, NAN)
    if design.independent and not least:
        boot = paired.bootstrap(settled, settings.level, settings.seed)
    return replace(
        _tested(base, estimate, settings),
        test=design.test,
        boot_low=float(boot[0]),
        boot_high=float(boot[1]),
        effect=paired.effect_size(settled),
    ), estimate


def _on_test_set(
    problem: str, table: pd.DataFrame, pair: tuple[str, str], settings: Settings, seen: Seen | str
) -> tuple[Contrast, Estimate | None]:
    """Compare on a single test set, over its examples."""
    difference = float((table[pair[0]] - table[pair[1]]).iloc[0])
    base = Contrast(problem, unit=EXAMPLES, difference=difference, verdict=UNDECIDED)
    if isinstance(seen, str):
        return replace(base, note=seen), None
    if not abs(seen.estimate.mean - difference) < 1e-9:
        why = "no test: the examples' placements give another difference (are there weights?)"
        return replace(base, note=why), None
    note = "" if seen.bound is None else AT_LEAST.format(seen.bound)
    base = replace(base, n=seen.n, test=Design(EXAMPLES).test, note=note)
    return _tested(base, seen.estimate, settings), seen.estimate


def _paired(base: Contrast, made: Blocks, pair: tuple[str, str]) -> tuple[Contrast, np.ndarray]:
    """Return what is known before a test, or why there is none, and the differences."""
    values = (made.values[pair[0]] - made.values[pair[1]]).to_numpy()
    n, note = len(values), dropped_note(made.left_out)
    if n < paired.FEWEST:
        note = _join(f"no test: {n} of the {paired.FEWEST} {base.unit} needed at least", note)
    known = replace(base, n=n, undefined=made.undefined, dropped=len(made.left_out))
    return replace(known, verdict=UNDECIDED, note=note), values


def _tested(base: Contrast, estimate: Estimate, settings: Settings) -> Contrast:
    low, high = paired.interval(estimate, settings.level)
    return replace(
        base,
        se=float(estimate.se),
        low=float(low),
        high=float(high),
        p=float(paired.p_value(estimate)),
        p_equivalence=float(paired.equivalence(estimate, settings.margin)),
        detectable=paired.detectable(estimate, settings.level, settings.power),
    )


def _over_settings(
    contrasts: Sequence[Contrast], estimates: list[Estimate], settings: Settings
) -> Contrast:
    """Average over the settings of a generator, taken as they are."""
    lacking = {c.problem: c.note or "no test" for c in contrasts if np.isnan(c.p)}
    base = Contrast("", unit="settings", n=len(estimates), verdict=UNDECIDED)
    if lacking and settings.policy == "refuse":
        return replace(base, note="refused: " + "; ".join(f"{k}: {v}" for k, v in lacking.items()))
    note = dropped_note(lacking)
    if not estimates:
        return replace(base, verdict=NOT_RUN if lacking else UNDECIDED, note=note)
    mean = paired.average(estimates)
    return replace(
        _tested(base, mean, settings),
        test="mean of independent estimates",
        dropped=len(lacking),
        difference=mean.mean,
        note=note,
    )


def _over_data(
    table: pd.DataFrame,
    pair: tuple[str, str],
    problems: Sequence[str],
    estimates: list[Estimate],
    settings: Settings,
) -> Contrast:
    """Compare over data sets by signed ranks of their mean differences."""
    known = set(table.index.get_level_values("problem"))
    missing = [problem for problem in problems if problem not in known]
    base = Contrast("", unit="data sets")
    try:
        made = blocks.complete(table, ["problem"], settings.policy, missing)
    except IncompleteError as error:
        return replace(base, verdict=UNDECIDED, note=str(error))
    base, differences = _paired(base, made, pair)
    if base.n < paired.FEWEST:
        return base if base.n else replace(base, verdict=NOT_RUN)
    values = signed_rank.settled(differences)
    result = signed_rank.signed_rank(values)
    middle, low, high = signed_rank.centre(values, settings.level)
    equivalence = signed_rank.equivalence(values, settings.margin)
    if np.ptp(values) == 0:  # ranks know nothing of how few examples each may rest on
        mean = Estimate(middle, np.inf, 1)
        if len(estimates) == base.n:
            mean = paired.average(estimates)
        low, high = map(float, paired.interval(mean, settings.level))
        equivalence = max(equivalence, float(paired.equivalence(mean, settings.margin)))
    tested = replace(
        base,
        test="signed-rank test",
        difference=middle,
        low=low,
        high=high,
        p=result.p,
        p_equivalence=equivalence,
        effect=result.effect,
    )
    return _with_posterior(tested, values, settings) if settings.bayes else tested


def _with_posterior(base: Contrast, values: np.ndarray, settings: Settings) -> Contrast:
    try:
        found = bayes.signed_rank(values, settings.margin, settings.seed)
    except bayes.NoBaycompError as error:
        return replace(base, note=_join(base.note, f"no posterior probabilities: {error}"))
    better, worse = found.below, found.above
    if settings.higher:
        better, worse = worse, better
    return replace(base, better=better, within=found.within, worse=worse)


def _judge(contrasts: list[Contrast], settings: Settings) -> list[Contrast]:
    """Adjust p-values for their number and give the verdicts."""
    p = np.array([contrast.p for contrast in contrasts])
    equal = np.array([contrast.p_equivalence for contrast in contrasts])
    if settings.adjust == "holm":
        p, equal = signed_rank.holm(p), signed_rank.holm(equal)
    alpha = 1 - settings.level
    judged = []
    for contrast, own, same in zip(contrasts, p.tolist(), equal.tolist(), strict=True):
        if np.isnan(own):
            judged.append(contrast)
            continue
        found = judge(contrast.difference, own, same, higher=settings.higher, alpha=alpha)
        adjusted = replace(contrast, p_adjusted=own, p_equivalence_adjusted=same)
        judged.append(replace(adjusted, verdict=found))
    return judged


def _widen(
    contrasts: list[Contrast], estimates: list[Estimate | None], settings: Settings
) -> list[Contrast]:
    """Add the intervals that hold for all problems at once."""
    count = sum(estimate is not None for estimate in estimates)
    level = 1 - (1 - settings.level) / max(count, 1)
    widened = []
    for contrast, estimate in zip(contrasts, estimates, strict=True):
        low, high = (NAN, NAN) if estimate is None else paired.interval(estimate, level)
        widened.append(replace(contrast, low_all=float(low), high_all=float(high)))
    return widened


def dropped_note(left_out: dict[str, str]) -> str:
    """Say which blocks were dropped and why; the first three by name."""
    if not left_out:
        return ""
    named = "; ".join(f"{name}: {why}" for name, why in list(left_out.items())[:3])
    return f"dropped {len(left_out)} ({named}{'; ...' if len(left_out) > 3 else ''})"


def _join(*parts: str) -> str:
    return "; ".join(part for part in parts if part)
