"""What the diagnostics say of a study's data and results."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import pandas as pd

from rankexp.metrics.metric import Metric, parse
from rankexp.runner.analyse import select
from rankexp.runner.config.schema import Evaluate
from rankexp.runner.diagnostics.diagnostic import MethodFacts, ResultFacts, after
from rankexp.runner.grid import Point
from rankexp.runner.report.context import Context
from rankexp.runner.report.gains import Gains, edges_of
from rankexp.runner.run.manifest import diagnoses_of
from rankexp.statistics.design import EXAMPLES

CHANCE = ("auc", "u_pairs", "rank_loss", "concordance")  # random scores have one half
TIED = "d_tau"  # one in which pairs of equal targets are never in order
MOST = 20  # lines in a run's details
LEAKS = ("RK202", "RK207")  # what is found after fitting, and is to be settled first
MOST_CONDITIONS = 3  # findings that an advice repeats
NOT_CONVERGED = "ConvergenceWarning"


def _edge(scores: pd.DataFrame, chosen: Sequence[Point], margin: float) -> str:
    """Return at which end of three values or more most choices lie, if it matters."""
    found = edges_of(scores, chosen, margin)
    if found is None or found.flat or 2 * found.count <= found.choices:
        return ""
    tried = {point.numbers.get(found.most.parameter) for point in scores.grid.unique()}
    return found.most.label if len(tried) > 2 else ""


def of_gains(context: Context, experiment: str, found: Gains) -> ResultFacts:
    """Return what diagnostics look at in the answer to a comparison."""
    known = [one for one in found.standings if one.known]
    own = [MethodFacts(context.method_label(one.method), one.mean, one.se) for one in known]
    problem = context.evaluate(experiment).problems[0]
    return _facts(context, experiment, problem, found.metric, own)


def with_findings(context: Context, experiment: str, found: Gains) -> Gains:
    """Return gains that know what is not shown to rank, and what speaks against the table."""
    problem = context.evaluate(experiment).problems[0]
    known = diagnoses_of(context.manifest).get(problem)
    facts, ranked = of_gains(context, experiment, found), (s for s in found.standings if s.known)
    asked = [str(one) for one in after(facts) if one.code in LEAKS]
    asked += [str(one) for one in (known.found if known else ())]
    both = zip(ranked, facts.methods, strict=True)
    random = frozenset(s.method for s, one in both if facts.above_chance(one) <= 1)
    counts = ((s.method, context.counts[experiment, problem, s.method]) for s in found.standings)
    half = {m for m, one in counts if 2 * one.categories[NOT_CONVERGED] > one.ok}
    asked = asked[:MOST_CONDITIONS]
    return replace(found, random=random, stopped=frozenset(half), conditions=asked)


def of_run(context: Context) -> list[str]:
    """Return what the diagnostics say of a whole run, for its details."""
    known = diagnoses_of(context.manifest).items()
    said = [f"{name}: {one}" for name, own in known for one in own.found]
    for name, setup in context.study.experiments.items():
        if isinstance(setup, Evaluate) and context.ran(name):
            said += _of_experiment(context, name, parse(setup.metrics[0]))
    more = [f"And {len(said) - MOST} more findings like these."] * (len(said) > MOST)
    return [*said[:MOST], *more]


def _of_experiment(context: Context, name: str, metric: Metric) -> Iterator[str]:
    if metric.name not in (*CHANCE, TIED):
        return
    setup = context.evaluate(name)
    rule = select.ORACLE if setup.inner is None else select.Rule("nested")
    chosen = context.chosen(name, metric, rule, setup.methods)
    place = ["problem", "method"]
    grids = {at: list(own.grid) for at, own in chosen.groupby(place, sort=False)}
    scores = dict(iter(context.scores(name, metric).groupby(place, sort=False)))
    margin = metric.reading.margin or 0.0
    estimates = context.estimates(name, metric, chosen, setup.methods)
    for problem in setup.problems:
        own = []
        for one in (one for one in estimates if one.problem == problem):
            at = (problem, one.method)
            edge = _edge(scores[at], grids[at], margin) if at in grids else ""
            stopped = context.counts[name, problem, one.method].categories[NOT_CONVERGED]
            label = context.method_label(one.method)
            own.append(MethodFacts(label, one.mean, one.se, edge, stopped))
        for said in after(_facts(context, name, problem, metric, own)):
            yield f"{context.title(name)}, {context.problem_label(problem)}: {said}"


def _facts(
    context: Context, experiment: str, problem: str, metric: Metric, own: Sequence[MethodFacts]
) -> ResultFacts:
    setup, entry = context.evaluate(experiment), context.study.data.get(problem)
    known = diagnoses_of(context.manifest).get(problem)
    alone = known.alone if known else None
    chance = 0.5 if metric.name in CHANCE else None
    if alone is not None and metric.name == TIED:
        chance, alone = alone.untied / 2, replace(alone, value=alone.value * alone.untied)
    one_test_set = setup.protocol.design(context.rows(problem)).pairs == EXAMPLES
    within = entry is not None and (entry.weights or (entry.groups and setup.within_groups))
    if one_test_set or within:
        alone = None  # it is measured otherwise, or on other rows
    places = ((experiment, problem, method) for method in setup.methods)
    counts = [context.counts[place] for place in places if place in context.counts]
    undefined, records = sum(one.nan for one in counts), sum(one.ok for one in counts)
    higher, margin = metric.direction == "higher", metric.reading.margin or 0.0
    return ResultFacts(metric.label, own, chance, higher, margin, alone, undefined, records)
