"""The verdict on a published number, for every table and ledger of a page."""

import math

from rankexp.metrics.metric import Metric, parse
from rankexp.runner.analyse import compare, reproduced, select
from rankexp.runner.analyse.queries import QUERY
from rankexp.runner.analyse.reproduced import JudgedValue
from rankexp.runner.config.published import Published, PublishedKey
from rankexp.runner.report.context import Context
from rankexp.statistics.contrast import NAN


def judged(
    context: Context,
    place: PublishedKey,
    rule: select.Rule,
    target: Published | None,
    first: float = math.inf,
) -> JudgedValue:
    """Return what a run has at a place, and how that stands to a published value.

    Every verdict on a published value comes from here, so that a page has one for each. Of the
    run's units (models, repeats) the `first` count.
    """
    metric = parse(place.quantity)
    units = context.units(place.experiment, metric, rule, first)
    of_problem = units[units.problem == place.problem]
    own = of_problem[of_problem.method == place.method]
    row = next(iter(compare.means(own)), reproduced.NOT_RUN)
    if math.isnan(row.se) and not math.isnan(row.mean):
        se = _single_split(context, place, metric, row.mean)
        over = compare.OF_NOTHING if math.isnan(se) else compare.OF_EXAMPLES
        row = row._replace(se=se, se_of=over)
    if target is None:
        return JudgedValue(row)
    shared = NAN
    if row.se_of == compare.OF_QUERIES:
        queries = of_problem.pivot(index=["fold", QUERY], columns="method", values="value")
        queries = queries.dropna(subset=[place.method])
        others = queries.drop(columns=place.method).to_numpy().T
        folds = queries.index.get_level_values("fold")
        shared = reproduced.paired_error(queries[place.method].to_numpy(), others, folds)
    runs = compare.unit_means(own).value.dropna().to_numpy()
    return reproduced.judged(row, target, metric.reading.margin, runs, shared)


def _single_split(context: Context, place: PublishedKey, metric: Metric, value: float) -> float:
    """Return the SE over test examples of one split's value, as the metric says; else NaN."""
    protocol = context.evaluate(place.experiment).protocol
    entry = context.study.data.get(place.problem)
    prints = entry.fingerprint if entry else None
    error = metric.reading.standard_error
    if error is None or prints is None or prints.classes is None or len(prints.classes) != 2:
        return NAN
    share = protocol.test_share(prints.rows)
    return NAN if math.isnan(share) else error(value, [share * n for n in prints.classes])
