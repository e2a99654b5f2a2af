"""Check what experiments mean: that problems, methods, metrics and checks go together."""

from collections.abc import Iterator, Mapping

from rankexp import registry
from rankexp.checks.check import Takes
from rankexp.checks.check import takes as takes_of
from rankexp.metrics.metric import Kind, Metric, parse
from rankexp.runner.config import fault, methods, schema
from rankexp.runner.config.asking import message
from rankexp.runner.config.data_entry import SECOND, DataEntry
from rankexp.runner.config.fault import Fault, TreePath
from rankexp.runner.config.schema import Evaluate, Method, Preprocess, Simulate, Study
from rankexp.runner.protocols.protocol import Protocol

WORDS: dict[Kind, str] = {"binary": "two classes", "ordinal": "more than two levels"}
WORDS |= {"continuous": "a continuous target"}


def kind_of(study: Study, problem: str) -> Kind | None:
    """Return the kind of a problem's target; None as for `levels_of`."""
    kinds: dict[int | None, Kind | None] = {None: None, 0: "continuous", 2: "binary"}
    return kinds.get(levels_of(study, problem), "ordinal")


def levels_of(study: Study, problem: str) -> int | None:
    """Return how many levels a target has, 0 if it is continuous; None where that is not known."""
    if problem in study.data:
        levels = study.data[problem].levels
    elif problem in study.generators:
        entry = study.generators[problem]
        try:
            levels = registry.get("generators", entry.generator)(**entry.params).levels
        except Exception:
            return None  # a fault that is found elsewhere
    else:
        return None
    return 0 if levels is None else len(levels)


def evaluate(study: Study, experiment: Evaluate, path: tuple[str, str]) -> Iterator[Fault]:
    """Find what is wrong with an evaluation of methods."""
    problems = [*study.data, *study.generators]
    yield from fault.unknown(experiment.problems, problems, "problem", (*path, "problems"))
    yield from fault.unknown(experiment.methods, study.methods, "method", (*path, "methods"))
    for key in ("problems", "methods", "lambdas"):
        for value in fault.twice(getattr(experiment, key) or []):
            yield Fault((*path, key), f"{fault.got(value)} occurs twice")
    yield from _protocol(study, experiment, path)
    yield from _size(experiment, (*path, "protocol"))
    yield from _metrics(study, experiment, path)
    yield from _kept(experiment, (*path, "keep"))
    used = {name: study.methods[name] for name in experiment.methods if name in study.methods}
    if experiment.lambdas and used and not any(map(methods.takes_lambdas, used.values())):
        yield Fault((*path, "lambdas"), "none of the methods takes lambdas", key=True)
    for i, problem in enumerate(experiment.problems):
        grouped = problem in study.data and study.data[problem].groups
        if not (grouped and experiment.within_groups):
            if experiment.preprocess.within == "groups":
                text = f"needs groups, but '{problem}' has none, or 'within_groups' is false"
                yield Fault((*path, "preprocess", "within"), text)
            for j, text in enumerate(experiment.metrics):
                if (metric := metric_of(text)) and "groups" in metric.needs:
                    place = (*path, "metrics", j)
                    yield Fault(place, f"{metric!r} needs groups, but '{problem}' has none")
            yield from _unasked(experiment, used, problem, bool(study.data.get(problem)), path)
        if problem in study.data and study.data[problem].weights:
            yield from _unweighted(experiment, used, f"'{problem}' has weights", path)
        kind = kind_of(study, problem)
        if kind is not None:
            named = f"'{problem}' has {WORDS[kind]}"
            binary = [name for name in used if kind != "binary" and methods.is_binary(used[name])]
            for name in binary:
                hint = methods.hint_for_more(used[name]) if kind == "ordinal" else ""
                text = f"method '{name}' ranks two classes, but {named}{hint}"
                yield Fault((*path, "problems", i), text)
            levels = levels_of(study, problem) or 0
            yield from () if binary else _unfit(experiment, kind, levels, named, path)
            for name, method in used.items() if levels else ():
                yield from methods.misshapen_costs(method, levels, problem, ("methods", name))


def _unasked(
    experiment: Evaluate, used: Mapping[str, Method], problem: str, data: bool, path: TreePath
) -> Iterator[Fault]:
    known = {"problem": problem, "data": data, "within": experiment.within_groups}
    for i, name in enumerate(experiment.methods):
        if name in used and (does := methods.asks_for_groups(used[name])):
            text = message("study.no_groups", name=name, does=does, **known)
            yield Fault((*path, "methods", i), text)


def nothing_aside(study: Study) -> Iterator[Fault]:
    """Find methods that are to leave groups aside where no problem of theirs has any."""
    setups = [one for one in study.experiments.values() if isinstance(one, Evaluate)]
    for name, method in study.methods.items():
        own = [setup for setup in setups if name in setup.methods]
        where = methods.says_of_queries(method, "across")
        data = [(setup, p) for setup in own for p in setup.problems if p in study.data]
        grouped = (setup.within_groups and study.data[p].groups for setup, p in data)
        if own and where and not any(grouped):
            yield Fault(("methods", name, *where), message("study.nothing_aside"))


def _unweighted(
    experiment: Evaluate, used: Mapping[str, Method], named: str, path: TreePath
) -> Iterator[Fault]:
    for i, name in enumerate(experiment.methods):
        if name in used and "sample_weight" not in methods.takes(used[name]):
            text = f"method '{name}' does not accept row weights, but {named}"
            yield Fault((*path, "methods", i), text)
    for i, metric in enumerate(map(metric_of, experiment.metrics)):
        if metric is not None and "sample_weight" not in metric.takes:
            text = f"{metric!r} does not accept row weights, but {named}"
            yield Fault((*path, "metrics", i), text)


def _size(experiment: Evaluate | Simulate, path: TreePath) -> Iterator[Fault]:
    count, most = experiment.size(), schema.MOST_RECORDS
    if count > most:
        yield Fault(path, f"this makes {count:,} records; at most {most:,} are allowed")


def _protocol(study: Study, experiment: Evaluate, path: tuple[str, str]) -> Iterator[Fault]:
    protocol = experiment.protocol
    synthetic = protocol.problems == "generators"
    right, other = (study.generators, study.data) if synthetic else (study.data, study.generators)
    needs = "generators, not data sets" if synthetic else "data sets, not generators"
    rows: dict[str, int | None] = {}
    for i, problem in enumerate(experiment.problems):
        if problem in other and problem not in right:
            yield Fault((*path, "problems", i), f"protocol '{protocol.kind}' is for {needs}")
            continue
        entry = study.data.get(problem)
        rows[problem] = entry.fingerprint.rows if entry and entry.fingerprint else None
        if entry is not None:
            yield from _parts(entry, protocol.named_parts(), problem, (*path, "protocol"))
            yield from _times(entry, protocol, problem, (*path, "protocol"))
    for field, text in protocol.faults(rows):
        yield Fault((*path, "protocol", field), text)


def _parts(
    entry: DataEntry, named: Mapping[TreePath, str], problem: str, path: TreePath
) -> Iterator[Fault]:
    """Find parts that a protocol names and a data set has not, as far as its entry tells."""
    files = [value for value in entry.sources.values() if isinstance(value, dict)]
    if entry.part is None and not entry.test_file:
        yield from [Fault(path, message("study.no_parts", problem=problem))] * bool(named)
    elif entry.part is None or (entry.part == "part" and len(files) == len(entry.sources)):
        known = dict.fromkeys(part for own in files for part in own) or ["train", SECOND]
        for place, part in named.items():
            yield from fault.unknown(part, known, f"part of '{problem}':", (*path, *place))


def _times(entry: DataEntry, protocol: Protocol, problem: str, path: TreePath) -> Iterator[Fault]:
    if protocol.uses_time and entry.time is None:
        yield Fault(path, message("study.no_column", kind=protocol.kind))
    elif (column := protocol.column_of_time) not in (None, entry.time):
        text = f"data set '{problem}' goes by the column '{entry.time}', not by '{column}'"
        yield Fault((*path, "column"), text)


def _metrics(study: Study, experiment: Evaluate, path: tuple[str, str]) -> Iterator[Fault]:
    seen: set[str] = set()
    for i, text in enumerate(experiment.metrics):
        place = (*path, "metrics", i)
        try:
            metric = parse(text)
        except ValueError as error:
            yield Fault(place, str(error))
            continue
        if repr(metric) in seen:
            yield Fault(place, f"the metric {metric!r} occurs twice")
        seen.add(repr(metric))
        if "eta" in metric.needs and experiment.protocol.problems != "generators":
            yield Fault(place, f"{metric!r} needs eta, which is known for generators only")


def _kept(experiment: Evaluate, path: TreePath) -> Iterator[Fault]:
    for key in ("curves", "texts"):
        for i, name in enumerate(getattr(experiment.keep, key, ())):
            yield from fault.unregistered(f"keep.{key}", name, (*path, key, i))


def _unfit(
    experiment: Evaluate, kind: Kind, levels: int, named: str, path: tuple[str, str]
) -> Iterator[Fault]:
    for i, metric in enumerate(map(metric_of, experiment.metrics)):
        if metric is not None and kind not in metric.kinds:
            known = " or ".join(WORDS[one] for one in metric.kinds)
            yield Fault((*path, "metrics", i), f"{metric!r} is for {known}; {named}")
        elif metric is not None:
            try:
                metric.check(levels or None)
            except ValueError as error:
                yield Fault((*path, "metrics", i), f"{metric!r}: {error}; {named}")


def simulate(study: Study, experiment: Simulate, path: tuple[str, str]) -> Iterator[Fault]:
    """Find what is wrong with a check over a grid."""
    try:
        check = registry.get("checks", experiment.check)
    except registry.UnknownNameError as error:
        yield Fault((*path, "check"), str(error))
        return
    yield from _size(experiment, path)
    owner = f"check '{experiment.check}'"
    for key, given in (("params", experiment.params), ("grid", experiment.grid)):
        yield from fault.unknown_parameters(check, given, (*path, key), owner, ("rng", "problem"))
    yield from fault.mistyped(check, experiment.params, (*path, "params"))
    for key, values in experiment.grid.items():
        for i, value in enumerate(values):
            for wrong in fault.mistyped(check, {key: value}, (*path, "grid")):
                yield wrong._replace(path=(*wrong.path, i))
    for key in experiment.params.keys() & experiment.grid.keys():
        yield Fault((*path, "grid", key), f"'{key}' is also in 'params'", key=True)
    if (takes := takes_of(check)) is not None and experiment.problems:
        yield from _problems(study, experiment, takes, path)
    elif takes is not None:
        yield Fault((*path, "check"), f"{owner} needs data sets: name them in 'problems'")
    elif experiment.problems:
        yield Fault((*path, "problems"), f"{owner} does not use data: remove 'problems'", key=True)
    if experiment.preprocess != Preprocess() and not experiment.problems:
        yield Fault((*path, "preprocess"), message("study.no_effect"), key=True)


def _problems(study: Study, experiment: Simulate, takes: Takes, path: TreePath) -> Iterator[Fault]:
    owner, known = f"check '{experiment.check}'", [*study.data, *study.generators]
    yield from fault.unknown(experiment.problems, known, "problem", (*path, "problems"))
    for value in fault.twice(experiment.problems):
        yield Fault((*path, "problems"), f"{fault.got(value)} occurs twice")
    for i, problem in enumerate(experiment.problems):
        place, entry = (*path, "problems", i), study.data.get(problem)
        if problem in study.generators:
            yield Fault(place, f"'{problem}' is a generator: checks take data sets only")
        if entry is None:
            continue
        kind = kind_of(study, problem)
        if kind is not None and kind not in takes.kinds:
            wanted = " or ".join(WORDS[one] for one in takes.kinds)
            yield Fault(place, f"{owner} is for {wanted}; '{problem}' has {WORDS[kind]}")
        if entry.groups and not takes.groups:
            yield Fault(place, f"{owner} ignores groups, but '{problem}' has them")
        if entry.weights and not takes.weights:
            yield Fault(place, f"{owner} does not accept row weights, but '{problem}' has weights")
        if experiment.preprocess.within == "groups" and not entry.groups:
            yield Fault((*path, "preprocess", "within"), f"needs groups, but '{problem}' has none")


def metric_of(text: str) -> Metric | None:
    """Return the metric that a text names; None where it is none, which `_metrics` says."""
    try:
        return parse(text)
    except ValueError:
        return None
