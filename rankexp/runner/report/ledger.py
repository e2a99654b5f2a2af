"""What records say of the rows of a ledger of claims: one finding a comparison."""

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import NamedTuple

import numpy as np
import pandas as pd

from rankexp.errors import ConfigError
from rankexp.metrics.metric import parse
from rankexp.registry import did_you_mean
from rankexp.runner.analyse import compare, kept, select
from rankexp.runner.analyse.frame import QUERY
from rankexp.runner.config.claims import BAYES, OVER, ClaimRow
from rankexp.runner.config.experiments import metric_of
from rankexp.runner.config.schema import Evaluate, Simulate
from rankexp.runner.grid import points
from rankexp.runner.labels import spoken
from rankexp.runner.report.context import Context
from rankexp.runner.run.opened import Key, shortfall
from rankexp.statistics import claims, paired
from rankexp.statistics.claims import Finding, Standing
from rankexp.statistics.several import settled

PLACE = ["model", "rep", "fold"]
OUTSIDE = "this run has no such experiment, problem or method"
NO_DATA = "its data is not available"
HALF = "a split has a value for one side only, or none has"


class CaseSide(NamedTuple):
    """Where a number of each split is from."""

    problem: str
    method: str
    quantity: str


class Case(NamedTuple):
    """A number of each split, less that of another cell if there is one."""

    label: str
    own: CaseSide
    other: CaseSide | None = None
    shown: str = ""  # the label in words


def limits(row: ClaimRow, *, higher: bool) -> claims.Range:
    """Return the range in which a row's number must lie; `higher` values of it are better."""
    t, test = row.threshold[1], row.test
    if test in ("best", "worst"):
        test = "higher" if (test == "best") == higher else "lower"
    ranges = {"lower": (-math.inf, 0.0 - t), "not lower": (0.0 - t, math.inf)}
    ranges |= {"higher": (t, math.inf), "not higher": (-math.inf, t)}
    return ranges.get(test, row.threshold)


def findings(context: Context, row: ClaimRow) -> Iterator[Finding]:
    """Yield a finding for each comparison of a row."""
    setup = context.study.experiments.get(row.experiment)
    if isinstance(setup, Simulate):
        yield from _of_check(context, row, setup)
    elif (
        setup is None
        or not {*row.method} <= {*setup.methods}
        or not {*row.problem} <= {"*", OVER, *setup.problems}
    ):
        yield Finding(row.experiment, standing=Standing.NOT_RUN, why=OUTSIDE)
    elif row.problem[:1] == (OVER,):
        yield from _over(context, row, setup)
    else:
        for case in _cases(context, row, setup):
            found = _lacking(context, row, case) or _of_case(context, row, case)
            yield replace(found, shown=case.shown)


def words(context: Context, name: str, experiment: str = "") -> str:
    """Return what a method, a problem or, with its experiment, a quantity is called."""
    if name == BAYES:
        return "the best scorer"
    if name in context.study.methods:
        return context.method_label(name)
    setup = context.study.experiments.get(experiment)
    metric = None if isinstance(setup, Simulate) else metric_of(name)
    if metric:
        return metric.label
    known = name in context.study.data or name in context.study.generators or not experiment
    return context.problem_label(name) if known else spoken(name, context.labels(experiment))


def _cases(context: Context, row: ClaimRow, setup: Evaluate) -> Iterator[Case]:
    problems = [name for name in row.problem if name not in ("*", OVER)] or setup.problems
    for method, problem in product(row.method, problems):
        own = CaseSide(problem, method, row.metric)
        named = row.reference
        if row.test in ("best", "worst") and not named:
            named = tuple(name for name in setup.methods if name != method)
        mine, where = words(context, method), words(context, problem)
        for name in named:
            said, other = f"{mine}, {where}", own._replace(quantity=name)
            if name in setup.methods:
                said, other = mine, own._replace(method=name)
            elif name in setup.problems:
                other = own._replace(problem=name)
            elif name == BAYES:
                said, other = mine, own._replace(quantity=parse(row.metric).of_bayes)
            ending = f", {where}" if said == mine else ""
            label = f"{said} − {words(context, name)}{ending}"
            shown = f"{said} − {words(context, name, row.experiment)}{ending}"
            yield Case(label, own, other, shown)
        if not named:
            yield Case(f"{mine}, {where}", own)


def _lacking(context: Context, row: ClaimRow, case: Case) -> Finding | None:
    for cell in filter(None, (case.own, case.other)):
        if found := _shortfall(context, (row.experiment, cell.problem, cell.method), case.label):
            return found
    return None


def _shortfall(context: Context, key: Key, label: str) -> Finding | None:
    count = context.counts.get(key)
    if count is None:  # the run found no such data, or was not to do this experiment
        setup = context.study.experiments.get(key[0])
        needed = [key[1]] if key[1] in context.study.data or not setup else setup.problems
        lost = any(context.missing_data(problem) is not None for problem in needed)
        return Finding(label, standing=Standing.NOT_RUN, why=NO_DATA if lost else "")
    if count.complete:
        return None
    why = "" if count.missing == count.expected else shortfall(count) or ""
    said = Standing.NOT_RUN if count.missing else Standing.UNDECIDED
    return Finding(label, standing=said, why=why)


def _of_case(context: Context, row: ClaimRow, case: Case) -> Finding:
    ends = limits(row, higher=_higher(case.own.quantity))
    if case.other is not None and case.other.problem != case.own.problem:
        sides = [(c.problem, _series(context, row, c).dropna()) for c in (case.own, case.other)]
        mine, other = (_mean(context, row, *side) for side in sides)
        half = paired.average([mine, other._replace(mean=-other.mean)])  # of independent means
        found = paired.Estimate(2 * half.mean, 2 * half.se, half.df)
        return claims.of_estimate(case.label, ends, found, one_sided=row.one_sided)
    values = _values(context, row, case)
    if values is None:
        return Finding(case.label, why=HALF)
    if row.test == "always":
        return claims.of_every(case.label, ends, settled(values))
    estimate = _mean(context, row, case.own.problem, values)
    return claims.of_estimate(case.label, ends, estimate, one_sided=row.one_sided)


def _over(context: Context, row: ClaimRow, setup: Evaluate) -> Iterator[Finding]:
    """Yield a finding for each pair of methods, over all problems, by signed ranks."""
    pairs: dict[tuple[str, str], list[Case]] = {}
    for case in _cases(context, row, setup):
        other = case.other or case.own
        pairs.setdefault((case.own.method, other.method), []).append(case)
    for names, cases in pairs.items():
        label = " − ".join(map(context.method_label, dict.fromkeys(names)))
        label = f"{label}, over {len(cases)} data sets"
        lacking = [_lacking(context, row, case) for case in cases]
        values = [] if any(lacking) else [_values(context, row, case) for case in cases]
        means = [float(one.mean()) for one in values if one is not None]
        if len(means) < len(cases):
            first = next(filter(None, lacking), Finding(label, why=HALF))
            yield replace(first, label=label)
        else:
            ends = limits(row, higher=_higher(row.metric))
            yield claims.of_ranks(label, ends, settled(means), one_sided=row.one_sided)


def _of_check(context: Context, row: ClaimRow, setup: Simulate) -> Iterator[Finding]:
    """Yield a finding for each data set and setting of a check, over its repetitions."""
    own, ends = compare.simulated_rows(context.frame, row.experiment), limits(row, higher=False)
    own["quantity"] += (" of " + own.group).where(own.group != "", "")
    index = ["problem", "setting", "rep"]
    table = own.pivot_table(index=index, columns="quantity", values="value")
    wanted, all_of = [row.metric, *row.reference], not row.problem or "*" in row.problem
    problems = (setup.problems if all_of else list(row.problem)) or [setup.check]
    for problem, (setting, point) in product(problems, enumerate(points(setup.grid))):
        where = f", {words(context, problem)}" if setup.problems else ""
        label = f"{' − '.join(wanted)} {point.text}".strip() + where
        named = " − ".join(words(context, name, row.experiment) for name in wanted)
        at = point.named(context.labels(row.experiment))
        shown = ", ".join(filter(None, [named, at])) + where
        found = _shortfall(context, (row.experiment, problem, setup.check), label)
        if not found:
            for name in {*wanted} - {*table.columns}:
                file = f"{context.study.claims_file}:{row.line}"
                hint = did_you_mean(name, table.columns)
                raise ConfigError(f"{file}: the check '{setup.check}' has no '{name}'{hint}")
            one = table.xs((problem, setting), level=("problem", "setting"))
            sides = [one[name].to_numpy(dtype=np.float64) for name in wanted]
            values = settled(sides[0] - sides[1] if row.reference else sides[0])
            if row.test == "always":
                found = claims.of_every(label, ends, values)
            else:
                mean = paired.estimate(values)
                found = claims.of_estimate(label, ends, mean, one_sided=row.one_sided)
        yield replace(found, shown=shown)


def _rule(row: ClaimRow) -> select.Rule:
    return select.Rule.parse(row.rule) if row.rule else select.ORACLE  # of a single grid point


def _higher(quantity: str) -> bool:
    metric = metric_of(quantity)  # None of a fitted quantity, or one of curves
    return metric is not None and metric.direction == "higher"


def _values(context: Context, row: ClaimRow, case: Case) -> "pd.Series[float] | None":
    """Return the number of each split or query, less the reference's; None where a side lacks it.

    Splits in which neither has a value, having one class, are left out.
    """
    if (curve := row.curve()) is not None:
        return _of_curves(context, row, case, curve)
    sides = [_series(context, row, cell) for cell in filter(None, (case.own, case.other))]
    by_query = QUERY in sides[0].index.names  # one that lacks a value by either is left out
    both = pd.concat(sides, axis=1).dropna(how="any" if by_query else "all")
    if both.empty or both.isna().to_numpy().any():
        return None
    return both.iloc[:, 0] - (both.iloc[:, 1] if case.other else 0.0)


def _series(context: Context, row: ClaimRow, cell: CaseSide) -> "pd.Series[float]":
    """Return a quantity of a method on a problem, by split, where a rule chose the grid point."""
    metrics = {repr(m): m for m in map(parse, context.evaluate(row.experiment).metrics)}
    metric = metrics.get(cell.quantity) or next(iter(metrics.values()))
    rows = context.chosen(row.experiment, metric, _rule(row), [cell.method])
    if cell.quantity not in metrics:
        best = cell.quantity.endswith(f":{BAYES}")
        keys = ["problem", "method", *PLACE, *([] if best else ["grid"])]
        found = context.scores(row.experiment, cell.quantity, "test" if best else "train")
        rows = rows[keys].merge(found, on=keys)
    elif row.test != "always" and row.problem[:1] != (OVER,):
        rows = context.spread(row.experiment, metric, rows)
    index = [*PLACE, QUERY] if QUERY in rows else PLACE
    own: pd.Series[float] = rows[rows.problem == cell.problem].set_index(index).value
    return own.sort_index()


def _of_curves(
    context: Context, row: ClaimRow, case: Case, curve: tuple[str, float, float]
) -> "pd.Series[float] | None":
    what, low, high = curve
    names = [cell.method for cell in filter(None, (case.own, case.other))]
    metric, rule = context.metric(row.experiment, None), _rule(row)
    chosen = context.chosen(row.experiment, metric, rule, names)
    sources = kept.sources(context.cells, context.records, row.experiment, chosen)
    found = kept.by_method(kept.curves(sources, "scoring_function"), case.own.problem)
    sides = [{one.place: one for one in found.get(name, [])} for name in names]
    if not sides[0] or any(side.keys() != sides[0].keys() for side in sides):
        return None
    places = sorted(sides[0])
    x = sides[0][places[0]].x
    inside = np.asarray((x >= low) & (x <= high))
    curves = [kept.centred(np.array([side[p].y for p in places]), inside) for side in sides]
    if what == "rms":
        values = np.sqrt(np.square(curves[0] - curves[-1])[:, inside].mean(axis=1))
    else:
        slopes = [kept.slopes(x, one, inside) for one in curves]
        values = slopes[0] - slopes[1] if case.other else slopes[0]
    return pd.Series(values, index=pd.MultiIndex.from_tuples(places, names=PLACE))


def _mean(
    context: Context, row: ClaimRow, problem: str, values: "pd.Series[float]"
) -> paired.Estimate:
    """Return the mean with the error that the design has; over models, of the models' means."""
    metric = metric_of(row.metric)
    setup = context.evaluate(row.experiment)
    design = context.designs(row.experiment, metric)[problem] if metric else None
    design = design or setup.protocol.design(context.rows(problem))
    folds = values.index.get_level_values("fold")
    if design.pairs == "models":
        values = values.groupby(level="model", sort=True).mean()
    return paired.of_design(settled(values), design, folds)[0]
