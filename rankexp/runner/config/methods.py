"""Check a study's methods: that the estimators exist, and take the parameters and grids given."""

import math
import re
from collections.abc import Callable, Iterator, Mapping
from itertools import islice, product
from pathlib import Path
from typing import Any, TypeVar

from rankexp.errors import ConfigError, one_line
from rankexp.risks.risk import plain
from rankexp.runner.config import estimators
from rankexp.runner.config.asking import message
from rankexp.runner.config.estimators import file_of, line_in
from rankexp.runner.config.fault import Fault, TreePath, unknown_names, unknown_parameters
from rankexp.runner.config.schema import Method
from rankexp.runner.grid import Point
from rankexp.runner.strict import Plain

Asked = TypeVar("Asked")
MAX_SETTINGS = 1000
"""Grid points that are tried out before a run; a larger grid is checked in part."""
MAX_POINTS = 100_000  # most grid points of a method: a record holds the metrics of each


def faults(method: Method, path: TreePath) -> Iterator[Fault]:
    """Yield what is wrong with one method."""
    try:
        estimator = estimators.estimator_of(method)
    except ConfigError as error:
        absent = any(why in str(error) for why in ("there is no package", "not installed"))
        cure = f": method '{path[-1]}' needs it; install it or leave the method out" * absent
        yield Fault((*path, "estimator"), f"{error}{cure}")
        return
    found: list[Fault] = []
    owner = estimator.__name__
    for key in ("params", "grid"):
        given, place = getattr(method, key), (*path, key)
        if isinstance(estimator, estimators.EstimatorMaker):
            names = estimator.names(method.first)
            found += unknown_names(names, given, place, owner) if names is not None else []
        else:
            found += unknown_parameters(estimator, given, place, owner)
    found += _clashes(method, path)
    yield from found or _settings(estimator, method, path)


def takes_lambdas(method: Method) -> bool:
    """Tell whether a method's estimator solves for many lambdas at once (or does not exist)."""
    try:
        estimators.estimator_of(method)
    except ConfigError:
        return True
    return estimators.has_path(method.estimator)


def _asked(ask: Callable[[Any], Asked], method: Method, own: Mapping[str, Plain]) -> Asked | None:
    """Return what an estimator of a method says; None for a fault that is found elsewhere."""
    try:
        return ask(estimators.estimator_of(method)(**own))
    except (Exception, SystemExit):
        return None


def is_binary(method: Method) -> bool:
    """Tell whether a method's estimator is for two classes only."""
    from sklearn.utils import get_tags

    tags = _asked(get_tags, method, method.params)
    classes = tags and tags.classifier_tags
    return classes is not None and not classes.multi_class


def takes(method: Method) -> frozenset[str]:
    """Return which of groups and weights a method's fit takes; of a grid, its first point's."""
    found = _asked(estimators.fit_takes, method, method.first)
    return frozenset({"groups", "sample_weight"}) if found is None else found


def asks_for_groups(method: Method) -> str | None:
    """Say what a method does that cannot be done without groups; None where there is nothing."""
    if says_of_queries(method, "each"):
        return "weights groups equally ('queries: each')"
    return "ranks within groups" if _asked(estimators.way_of, method, method.first) else None


def says_of_queries(method: Method, value: str) -> TreePath | None:
    """Return where a method of ours has this value of `queries`, if it has."""
    if "." in method.estimator or "groups" not in takes(method):
        return None
    return next((place for place, own in _said(method, "queries").items() if own == value), None)


def _said(method: Method, name: str) -> dict[TreePath, Any]:
    """Return what a method says of a parameter, by where it does."""
    grid = enumerate(method.grid.get(name, []))
    said: dict[TreePath, Any] = {("grid", name, i): value for i, value in grid}
    return said | ({("params", name): method.params[name]} if name in method.params else {})


def hint_for_more(method: Method) -> str:
    """Return how a method that ranks two classes could rank more levels, if it could."""
    more = method.model_copy(update={"params": method.params | {"risk": "multipartite"}})
    named = estimators.parameters(estimators.estimator_of(method)) or {}
    able = "risk" in named and not is_binary(more)
    return "; with 'risk: multipartite' it ranks more levels" * able


def misshapen_costs(method: Method, levels: int, problem: str, path: TreePath) -> Iterator[Fault]:
    """Yield what is wrong with a method's costs of pairs for a problem of so many levels."""
    from rankexp.metrics.level_counts import cost_matrix

    for place, costs in _said(method, "costs").items():
        try:
            cost_matrix(costs, levels)
        except (TypeError, ValueError) as error:
            text = " ".join(str(error).split())
            yield Fault((*path, *place), f"{text}; '{problem}' has {levels} levels")


def construction(
    factory: estimators.Factory, params: Mapping[str, Plain], path: TreePath, file: Path = Path()
) -> Iterator[Fault]:
    """Yield what a factory, of a file or not, says against its parameters, at the one named."""
    try:
        made = factory(**params)
        if hasattr(made, "check"):  # LinearRanker's
            made.check()
        if hasattr(made, "_parameter_constraints"):  # scikit-learn's
            made._validate_params()
    except (Exception, SystemExit) as error:  # whatever a foreign class does
        usual = isinstance(error, TypeError | ValueError)
        text = " ".join(str(error).split()) if usual else one_line(error)
        line = line_in(str(file), error)
        where = f"{file.name}, line {line}: " if line else "" if usual else "not possible: "
        named = [key for key in params if re.search(rf"\b{re.escape(key)}\b", text)]
        first = min(named, key=text.index, default=None)
        yield Fault(path if first is None else (*path, first), where + text)


def _clashes(method: Method, path: TreePath) -> Iterator[Fault]:
    for key, values in method.grid.items():
        first = dict[str, int]()
        for i, text in enumerate(Point.of({key: value}).text for value in values):
            if first.setdefault(text, i) < i:
                yield Fault((*path, "grid", key, i), f"the grid point {text} occurs twice")
    for key in method.params.keys() & method.grid.keys():
        yield Fault((*path, "grid", key), f"'{key}' is also in 'params'", key=True)
    if len(set(method.lambdas or [])) < len(method.lambdas or []):
        yield Fault((*path, "lambdas"), "the same lambda occurs twice")
    points = math.prod(map(len, method.grid.values())) * len(method.lambdas or [0])
    if points > MAX_POINTS:
        text = f"{points:,} grid points; at most {MAX_POINTS:,} are allowed"
        yield Fault((*path, "grid" if method.grid else "lambdas"), text)
    for key in ("lambdas", "scaling"):
        if getattr(method, key) is not None and not takes_lambdas(method):
            yield Fault((*path, key), message("study.no_path", key=key), key=True)
    risks = [plain(str(risk)) for risk in _said(method, "risk").values()]
    ours = "." not in method.estimator and bool(risks)
    for key in ("params", "grid"):
        if "class_weight" in getattr(method, key) and ours and "classification" not in risks:
            yield Fault((*path, key, "class_weight"), message("study.class_weight"), key=True)
        if method.lambdas and "lam" in getattr(method, key):
            yield Fault((*path, key, "lam"), "'lam' is already set by 'lambdas'", key=True)


def _settings(estimator: estimators.Factory, method: Method, path: TreePath) -> Iterator[Fault]:
    """Try the parameters with every grid point; stop at the first that is impossible."""
    points = product(*method.grid.values())
    file = Path(method.folder, file_of(method.estimator) or "").absolute()
    where = (*path, "params" if method.params else "estimator")
    for values in islice(points, MAX_SETTINGS):
        point = dict(zip(method.grid, values, strict=True))
        for fault in construction(estimator, method.params | point, where, file):
            key = fault.path[-1]
            if key in point:
                place = (*path, "grid", key, method.grid[str(key)].index(point[key]))
                yield fault._replace(path=place)
            else:
                yield fault
            return
