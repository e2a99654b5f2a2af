"""What the diagnostics say of a study's data and results."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from rankexp.metrics.metric import Metric, parse
from rankexp.runner.analyse import select
from rankexp.runner.config.schema import Evaluate
from rankexp.runner.diagnostics.alone import Alone
from rankexp.runner.diagnostics.diagnostic import Finding, Fitted, Ranked, after
from rankexp.runner.report.context import Context, Estimated
from rankexp.runner.report.gains import Gains

CHANCE = ("auc", "u_pairs", "rank_loss")  # metrics of which random scores have one half
TIED = "d_tau"  # one in which pairs of equal targets are never in order
MOST = 20  # lines in a run's details
NOT_CONVERGED = "ConvergenceWarning"


def of_answer(context: Context, experiment: str, found: Gains) -> list[str]:
    """Return what stands above the answer to a comparison, a sentence or two each."""
    (problem,) = context.evaluate(experiment).problems
    ranked = [
        Ranked(context.method_label(one.method), one.mean, one.se)
        for one in found.standings
        if one.known
    ]
    fitted = _fitted(context, experiment, problem, found.metric, ranked)
    return [str(one) for one in after(fitted, leading=True)]


def of_run(context: Context) -> list[str]:
    """Return what the diagnostics say of a whole run, for its details."""
    known: Mapping[str, Any] = context.manifest.get("data", {})
    said = [
        f"{name}: {Finding(**one)}"
        for name, own in known.items()
        for one in own.get("findings", ())
    ]
    for name, setup in context.study.experiments.items():
        metric = parse(setup.metrics[0]) if isinstance(setup, Evaluate) else None
        if metric is not None and metric.name in (*CHANCE, TIED) and context.ran(name):
            said += _of_experiment(context, name, metric)
    more = [f"And {len(said) - MOST} more findings like these."] * (len(said) > MOST)
    return [*said[:MOST], *more]


def _of_experiment(context: Context, name: str, metric: Metric) -> Iterator[str]:
    setup = context.evaluate(name)
    rule = select.ORACLE if setup.inner is None else select.Rule("nested")
    chosen = context.chosen(name, metric, rule, setup.methods)
    estimates = context.estimates(name, metric, chosen, setup.methods)
    edges = _edges(context, name, metric, chosen)
    for problem in setup.problems:
        own = [
            _ranked(context, name, one, edges.get((problem, one.method), ""))
            for one in estimates
            if one.problem == problem
        ]
        for found in after(_fitted(context, name, problem, metric, own)):
            yield f"{name}, {context.problem_label(problem)}: {found}"


def _ranked(context: Context, experiment: str, one: Estimated, edge: str) -> Ranked:
    count = context.counts[experiment, one.problem, one.method]
    warned = count.categories[NOT_CONVERGED]
    return Ranked(context.method_label(one.method), one.mean, one.se, edge, warned)


def _edges(
    context: Context, name: str, metric: Metric, chosen: pd.DataFrame
) -> dict[tuple[str, str], str]:
    """Return the end of a range at which most choices of a method lie, by problem and method."""
    counts = select.chosen_counts(chosen, context.scores(name, metric))
    first = counts.drop_duplicates(["problem", "method"])
    rows = zip(first.problem, first.method, first.edge, strict=True)
    return {(problem, method): edge.label for problem, method, edge in rows if edge is not None}


def _fitted(
    context: Context, experiment: str, problem: str, metric: Metric, ranked: Sequence[Ranked]
) -> Fitted:
    setup, entry = context.evaluate(experiment), context.study.data.get(problem)
    known = context.manifest.get("data", {}).get(problem, {})
    alone = Alone.of(known.get("alone"))
    untied = alone.untied if alone is not None else math.nan
    chance = 0.5 if metric.name in CHANCE else untied / 2 if metric.name == TIED else math.nan
    if entry is not None and (entry.weights or (entry.groups and setup.within_groups)):
        alone = None  # measured otherwise
    if alone is not None and metric.name == TIED:
        alone = replace(alone, value=alone.value * untied)
    counts = [context.counts[experiment, problem, method] for method in setup.methods]
    return Fitted(
        metric.label,
        ranked,
        chance=None if math.isnan(chance) else chance,
        higher=metric.direction == "higher",
        margin=metric.reading.margin or 0.0,
        alone=alone,
        undefined=sum(count.nan for count in counts),
        splits=sum(count.ok for count in counts),
    )
