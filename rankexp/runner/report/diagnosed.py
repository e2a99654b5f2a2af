"""What the diagnostics say of a study's data and results."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rankexp.metrics.metric import Metric, parse
from rankexp.runner.analyse import select
from rankexp.runner.config.schema import Evaluate
from rankexp.runner.diagnostics.diagnostic import MethodFacts, ResultFacts, after
from rankexp.runner.report.context import Context
from rankexp.runner.report.gains import Gains
from rankexp.runner.run.manifest import diagnoses_of

CHANCE = ("auc", "u_pairs", "rank_loss")  # metrics of which random scores have one half
TIED = "d_tau"  # one in which pairs of equal targets are never in order
MOST = 20  # lines in a run's details
NOT_CONVERGED = "ConvergenceWarning"


def of_answer(context: Context, experiment: str, found: Gains) -> list[str]:
    """Return what stands above the answer to a comparison, a sentence or two each."""
    problem = context.evaluate(experiment).problems[0]
    own = [
        MethodFacts(context.method_label(one.method), one.mean, one.se)
        for one in found.standings
        if one.known
    ]
    facts = _facts(context, experiment, problem, found.metric, own)
    return [str(one) for one in after(facts)]


def of_run(context: Context) -> list[str]:
    """Return what the diagnostics say of a whole run, for its details."""
    known = diagnoses_of(context.manifest).items()
    said = [f"{name}: {one}" for name, own in known for one in own.found]
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
    counts = select.chosen_counts(chosen, context.scores(name, metric))
    most = counts.drop_duplicates(["problem", "method"])
    edges = dict(zip(zip(most.problem, most.method, strict=True), most.edge, strict=True))
    methods: dict[str, list[MethodFacts]] = {problem: [] for problem in setup.problems}
    for one in context.estimates(name, metric, chosen, setup.methods):
        edge = edges.get((one.problem, one.method))
        stopped = context.counts[name, one.problem, one.method].categories[NOT_CONVERGED]
        label = context.method_label(one.method)
        facts = MethodFacts(label, one.mean, one.se, edge.label if edge else "", stopped)
        methods[one.problem].append(facts)
    for problem, own in methods.items():
        for found in after(_facts(context, name, problem, metric, own)):
            yield f"{name}, {context.problem_label(problem)}: {found}"


def _facts(
    context: Context, experiment: str, problem: str, metric: Metric, own: Sequence[MethodFacts]
) -> ResultFacts:
    setup, entry = context.evaluate(experiment), context.study.data.get(problem)
    known = diagnoses_of(context.manifest).get(problem)
    alone = None if known is None else known.alone
    chance = 0.5 if metric.name in CHANCE else None
    if alone is not None and metric.name == TIED:
        chance, alone = alone.untied / 2, replace(alone, value=alone.value * alone.untied)
    if entry is not None and (entry.weights or (entry.groups and setup.within_groups)):
        alone = None  # it is measured otherwise
    places = [(experiment, problem, method) for method in setup.methods]
    counts = [context.counts[place] for place in places if place in context.counts]
    return ResultFacts(
        metric.label,
        own,
        chance=chance,
        higher=metric.direction == "higher",
        margin=metric.reading.margin or 0.0,
        alone=alone,
        undefined=sum(count.nan for count in counts),
        records=sum(count.ok for count in counts),
    )
