"""One method against another: on each problem of an experiment, and over all of them.

On one problem the pairs are models, folds or queries, and the design of the protocol gives the
standard error (:mod:`rankexp.statistics.paired`). Over settings of a generator estimates are
averaged; over data sets, which are few and not alike, signed ranks are used.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pandas as pd

from rankexp.arrays import Floats
from rankexp.runner.analyse import complete_blocks
from rankexp.runner.analyse.complete_blocks import Blocks, IncompleteError
from rankexp.runner.analyse.delong import Seen
from rankexp.runner.analyse.frame import QUERY
from rankexp.runner.config.asking import message
from rankexp.statistics import paired, several
from rankexp.statistics.contrast import NAN, Contrast, Settings, adjusted, together
from rankexp.statistics.design import EXAMPLES, QUERIES, Design
from rankexp.statistics.needed import Growth
from rankexp.statistics.paired import Estimate
from rankexp.statistics.pooled import pooled
from rankexp.statistics.verdicts import MIXED, NOT_RUN, UNDECIDED, Lack, Refusal

OVER_ROWS = "t-test over the test rows"
Pair = tuple[str, str]  # method and reference
Tested = tuple[Contrast, Estimate | None]  # the estimate is None where there is no test
Told = Seen | Refusal | None


@dataclass(frozen=True)
class Family:
    """All comparisons of one method with one reference in one experiment."""

    problems: list[Contrast]
    overall: Contrast


def family(
    table: pd.DataFrame,
    pair: Pair,
    designs: dict[str, Design],
    settings: Settings,
    seen: Mapping[str, Seen | Refusal] | None = None,
) -> Family:
    """Compare two methods on every problem of an experiment and over all of them.

    `table` is from :func:`analyse.blocks.wide`; `designs` are by problem, in order: a problem that
    `table` lacks was not run. `seen` are differences on single test sets, or why there is none,
    for problems of this design.
    """
    found: list[Tested] = []
    for problem, design in designs.items():
        own = table[table.index.get_level_values("problem") == problem]
        if (own.state == "incomplete").all():  # also where there is no split at all
            why = Refusal("no split has a value for both methods", problem)
            why = why if len(own) else Refusal("", problem, Lack.RUN)
            found.append((Contrast(problem, refusal=why), None))
        elif design.pairs == EXAMPLES:
            found.append(_on_test_set(problem, own, pair, settings, (seen or {})[problem]))
        else:
            one, error = _on_one(problem, own, pair, design, settings, (seen or {}).get(problem))
            found.append((replace(one, growth=grown(one, design)), error))
    contrasts = adjusted([contrast for contrast, _ in found], settings)
    estimates = [estimate for _, estimate in found if estimate is not None]
    if all(design.pairs == "models" for design in designs.values()):
        overall = _over_settings(contrasts, estimates, settings)
    else:
        overall = _over_data(table, pair, contrasts, settings)
    return Family(contrasts, adjusted([overall], settings)[0])


def as_one(families: Sequence[tuple[Family, Settings]]) -> list[Family]:
    """Return families adjusted for each other, too: those on problems, and those over several."""
    problems = together([(own.problems, settings) for own, settings in families])
    overall = together([([own.overall], settings) for own, settings in families])
    return [
        Family(own, over if np.isnan(over.decided) else replace(over, decided=_decided(own)))
        for own, (over,) in zip(problems, overall, strict=True)
    ]


def grown(own: Contrast, design: Design) -> Growth:
    """Return how an error falls: a repeat is no new data, and takes only its own noise away."""
    if design.independent or own.test != design.test:  # or over the rows of all folds
        return own.growth
    repeated = design.repeatable / (1.0 + own.n * design.correction)
    return own.growth._replace(units=False, by_repeats=repeated)


def _on_one(
    problem: str, table: pd.DataFrame, pair: Pair, design: Design, settings: Settings, seen: Told
) -> Tested:
    """Compare on one problem, over the pairs that its design has."""
    by = ["problem", "model"] if design.pairs == "models" else complete_blocks.PLACE
    by = [*by, QUERY] if design.pairs == QUERIES else by
    try:
        made = complete_blocks.complete(table, by, settings.policy)
    except IncompleteError as error:
        lacking = replace(error.refusal, problem=problem)
        return Contrast(problem, verdict=UNDECIDED, refusal=lacking), None
    base, values = _paired(Contrast(problem, unit=design.pairs), made, pair)
    folds = made.values.index.get_level_values("fold") if design.pairs == QUERIES else None
    if base.n:
        other = made.values[pair[1]]
        other = other if folds is None else other.groupby(folds).mean()
        mean = values.mean() if folds is None else paired.stratified(values, folds).mean
        base = replace(base, difference=float(mean), loss=settings.loss(other.mean()))
    placed = isinstance(seen, Seen) and abs(seen.estimate.mean - base.difference) < 1e-9
    if base.n < paired.FEWEST:
        return _on_few(base, seen, settings) if isinstance(seen, Seen) and placed else (base, None)
    settled = several.settled(values)
    estimate, least = paired.of_design(settled, design, folds)
    if isinstance(seen, Seen) and placed:
        return _by_placements(base, settled, estimate, seen, design.test, settings)
    if np.isnan(estimate.se):
        return replace(base, refusal=Refusal(message("report.unbounded"), problem)), None
    if least:
        what = QUERIES if design.pairs == QUERIES else EXAMPLES
        base = _bounded(base, design.examples, what)
    found = tested(base, estimate, settings)
    found = replace(found, test=design.test, effect=paired.effect_size(settled))
    level, seed = settings.level, settings.seed
    if folds is not None:
        strata = ", stratified by fold" * (len(set(folds)) > 1)
        test = f"{design.test} over {base.n} queries{strata}"
        found = replace(found, test=test, p_random=paired.randomisation(settled, folds, seed))
    if least or not design.independent:
        return found, estimate
    if folds is None:
        low, high = paired.bootstrap(settled, level, seed)
    else:
        low, high = paired.stratified_bootstrap(settled, folds, level, seed)
    return replace(found, boot_low=float(low), boot_high=float(high)), estimate


def _by_placements(
    base: Contrast, values: Floats, resampled: Estimate, seen: Seen, test: str, settings: Settings
) -> Tested:
    """Compare by the placements of the test rows of all folds, beside the resampled `test`."""
    other = tested(base, resampled, settings)
    found = seen.beside(resampled)
    made = replace(
        _bounded(base, seen.bound),
        test=test if found is resampled else OVER_ROWS,
        effect=paired.effect_size(values),
        se_resampled=other.se,
        low_resampled=other.low,
        high_resampled=other.high,
        p_resampled=other.p,
    )
    return tested(made, found, settings), found


def _on_few(base: Contrast, seen: Seen, settings: Settings) -> Tested:
    """Compare over the examples of too few splits for a spread: the interval is of these fits."""
    why = f"the interval is of these fits: {base.n} split{'s' * (base.n > 1)} show no other"
    base = replace(base, n=seen.n, unit=EXAMPLES, test=Design(EXAMPLES).test, refusal=None)
    base = replace(base, caveats=(why, *base.caveats))
    return tested(base, seen.estimate, settings), seen.estimate


def _on_test_set(
    problem: str, table: pd.DataFrame, pair: Pair, settings: Settings, seen: Seen | Refusal
) -> Tested:
    """Compare on a single test set, over its examples."""
    value, other = (float(table[name].iloc[0]) for name in pair)
    difference, loss = value - other, settings.loss(other)
    base = Contrast(problem, "", EXAMPLES, difference=difference, loss=loss, verdict=UNDECIDED)
    if isinstance(seen, Refusal):
        return replace(base, refusal=seen), None
    if not abs(seen.estimate.mean - difference) < 1e-9:
        why = "the stored ranks give another difference (row weights or groups?)"
        return replace(base, refusal=Refusal(why, problem)), None
    base = replace(_bounded(base, seen.bound), n=seen.n, test=Design(EXAMPLES).test)
    return tested(base, seen.estimate, settings), seen.estimate


def _bounded(base: Contrast, count: float | None, what: str = EXAMPLES) -> Contrast:
    """Return a comparison that says by how many its SE is bounded, if it is."""
    if count is None:
        return base
    why = message("report.at_least", what=what, count=count, unseen=paired.UNSEEN)
    return replace(base, caveats=(why, *base.caveats), growth=Growth(least=True))


def _paired(base: Contrast, made: Blocks, pair: Pair) -> tuple[Contrast, Floats]:
    """Return what is known before a test, or why there is none, and the differences."""
    values = (made.values[pair[0]] - made.values[pair[1]]).to_numpy()
    n, why = len(values), None
    if n < paired.FEWEST:
        there = f"there {'is' if n == 1 else 'are'} {n}"
        needed = f"at least {paired.FEWEST} {base.unit} are needed, and {there}"
        why = Refusal(needed, base.problem)
    known = replace(base, n=n, undefined=made.undefined, dropped=len(made.left_out))
    dropped = dropped_note(made.left_out)
    return replace(known, verdict=UNDECIDED, refusal=why, caveats=dropped), values


def tested(base: Contrast, estimate: Estimate, settings: Settings) -> Contrast:
    """Return a comparison with what its estimate says, before it is adjusted for others."""
    low, high = settings.interval(estimate, settings.level)
    margin = settings.share(base.loss)
    return replace(
        base,
        se=float(estimate.se),
        df=float(estimate.df),
        low=float(low),
        high=float(high),
        p=float(paired.p_value(estimate)),
        p_equivalence=_equivalence(estimate, settings.margin),
        margin_relative=margin,
        p_relative=float(paired.equivalence(estimate, margin)),
    )


def _equivalence(estimate: Estimate, margin: float | None) -> float:
    return NAN if margin is None else float(paired.equivalence(estimate, margin))


def _over_settings(
    contrasts: Sequence[Contrast], estimates: list[Estimate], settings: Settings
) -> Contrast:
    """Average over the settings of a generator, taken as they are."""
    lacking = {c.problem: c.note or str(Lack.TEST) for c in contrasts if np.isnan(c.p)}
    base = Contrast("", unit="settings", n=len(estimates), verdict=UNDECIDED)
    if lacking and settings.policy == "refuse":
        named = "; ".join(f"{name}: {why}" for name, why in lacking.items())
        return replace(base, refusal=Refusal(named, lack=Lack.BLOCKS))
    base = replace(base, caveats=dropped_note(lacking))
    if not estimates:
        return replace(base, verdict=NOT_RUN if lacking else UNDECIDED)
    if {"better", "worse"} <= {contrast.verdict.shown for contrast in contrasts}:
        return replace(base, dropped=len(lacking), verdict=MIXED)
    mean = paired.average(estimates)
    return replace(
        tested(base, mean, settings),
        test="mean of independent estimates",
        dropped=len(lacking),
        difference=mean.mean,
        p_relative=_relative(contrasts, estimates),
    )


def _relative(contrasts: Sequence[Contrast], estimates: Sequence[Estimate]) -> float:
    """Return the p-value of equivalence of the mean of differences over their own margins."""
    margins = (own.margin_relative for own in contrasts if not np.isnan(own.p))
    pairs = zip(estimates, margins, strict=True)
    shares = [Estimate(one.mean / m, one.se / m, one.df) for one, m in pairs]
    return float(paired.equivalence(paired.average(shares), 1.0))


def _over_data(
    table: pd.DataFrame, pair: Pair, contrasts: Sequence[Contrast], settings: Settings
) -> Contrast:
    """Compare over data sets by signed ranks of their mean differences."""
    known = set(table.index.get_level_values("problem"))
    missing = [own.problem for own in contrasts if own.problem not in known]
    base = Contrast("", unit="data sets")
    try:
        made = complete_blocks.complete(table, ["problem"], settings.policy, missing)
    except IncompleteError as error:
        return replace(base, verdict=UNDECIDED, refusal=error.refusal)
    base, differences = _paired(base, made, pair)
    if base.n < paired.FEWEST:
        return base if base.n else replace(base, verdict=NOT_RUN)
    return ranked(base, differences, made.values[pair[1]].to_numpy(), contrasts, settings)


def ranked(
    base: Contrast, values: Floats, others: Floats, found: Sequence[Contrast], settings: Settings
) -> Contrast:
    """Compare by signed ranks of differences; `others` are the values of the reference."""
    values = several.settled(values)
    result, interval = several.signed_rank(values), partial(_of_ranks, values)
    margins = [settings.share(settings.loss(value)) for value in others]
    same = NAN if settings.margin is None else several.equivalence(values, settings.margin)
    relative = NAN if np.isnan(margins).any() else several.equivalence(values / margins, 1.0)
    if np.ptp(values) == 0:  # ranks know nothing of how few examples each may rest on
        mean, own = Estimate(values[0], np.inf, 1), 1.0
        known = [Estimate(one.difference, one.se, one.df) for one in found if not np.isnan(one.p)]
        if len(known) == base.n:
            mean, own = paired.average(known), _relative(found, known)
        interval = partial(paired.interval, mean)
        same, relative = max(same, _equivalence(mean, settings.margin)), max(relative, own)
    low, high = map(float, interval(settings.level))
    return replace(
        _singly(base, found, settings),
        test="signed-rank test",
        difference=several.centre(values, settings.level)[0],
        low=low,
        high=high,
        p=result.p,
        p_equivalence=same,
        p_relative=relative,
        effect=result.effect,
        interval=interval,
    )


def _of_ranks(values: Floats, level: float) -> tuple[float, float]:
    return several.centre(values, level)[1:]


def _singly(base: Contrast, contrasts: Sequence[Contrast], settings: Settings) -> Contrast:
    """Add what the data sets say with their own errors, which signed ranks do not use."""
    known = [own for own in contrasts if not np.isnan(own.p)]
    if not known:
        return base
    decided = _decided(known)
    errors = [own.se for own in known]
    if len(known) < base.n or np.isnan(settings.power):  # an error is unknown, so precision is
        return replace(base, decided=decided)
    found = pooled([own.difference for own in known], errors, settings.level)
    return replace(base, decided=decided, pooled=found)


def _decided(contrasts: Sequence[Contrast]) -> int:
    return sum(c.verdict.compared and c.verdict != UNDECIDED for c in contrasts)


def dropped_note(left_out: Mapping[str, str]) -> tuple[str, ...]:
    """Say which blocks were dropped and why, the first three by name; nothing where none was."""
    if not left_out:
        return ()
    named = "; ".join(f"{name}: {why}" for name, why in list(left_out.items())[:3])
    return (f"dropped {len(left_out)} ({named}{'; ...' if len(left_out) > 3 else ''})",)
