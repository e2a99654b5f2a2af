"""The methods of ``methods.yaml``, which `compare` tries, and how their grids change."""

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import yaml
from pydantic import Field

from rankexp.errors import ConfigError
from rankexp.registry import did_you_mean
from rankexp.runner.analyse.select import Edge
from rankexp.runner.compare.question import Kind
from rankexp.runner.config.asking import message
from rankexp.runner.config.estimators import resolve_estimator
from rankexp.runner.strict import Strict

Grid = Mapping[str, Sequence[Any]]
# A fit's time grows with their values.
GROWING = ("n_rounds", "max_leaf_nodes", "num_leaves", "max_leaves", "depth")
STEPS = 2  # points added at an end each time
ON_RANKS = "rankexp.runner.compare.on_ranks"
ENGINES, OPEN = ("lightgbm", "xgboost"), "ENGINE"  # which one is open in the file


class Candidate(Strict, extra="allow"):
    """A method as in a study, but for its grid, in which `lam` is what a study calls lambdas.

    In the file an engine's name may be open.
    """

    params: dict[str, Any] = Field(default_factory=dict)
    grid: Grid = Field(default_factory=dict)

    @property
    def content(self) -> dict[str, Any]:
        """The method as in a study."""
        grid = dict(self.grid)
        rest = {"params": self.params, "lambdas": grid.pop("lam", None), "grid": grid}
        return {**(self.model_extra or {}), **{key: own for key, own in rest.items() if own}}

    def with_grid(self, grid: Grid) -> "Candidate":
        """Return the method with another grid."""
        return self.model_copy(update={"grid": grid})


Methods = Mapping[str, Candidate]
NONE: Methods = {}


class Offer(Strict):
    """Methods beside each other for one kind of target, and a remark on them."""

    contrasts: dict[str, str]  # by method on pairs: its like on points
    scorers: dict[str, str]  # by method on pairs: its scores
    methods: Methods
    remark: str = ""

    @property
    def points(self) -> list[str]:
        """The methods on points that no method on pairs stands beside; named ones are unknown."""
        known = ("points-", "balanced-", "ridge", "forest", "boosting")
        beside = {*self.contrasts.values()}
        return [m for m in self.methods if m.startswith(known) and m not in beside]


class _OfKind(Offer):
    """The methods of a kind of target, those within queries, and trees by their engine."""

    queries: Methods = NONE
    boosted: Offer | None = None
    engines: Mapping[str, Methods] = Field(default_factory=dict)


class _File(Strict):
    """All of ``methods.yaml``."""

    limits: dict[str, Sequence[float]]  # how far grids are made wider, by parameter
    kinds: dict[str, _OfKind]


@cache
def _read() -> _File:
    text = Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8")
    return _File.model_validate(yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader)))


def _whole(kind: Kind, *, within: bool) -> Offer:
    """Return all methods for a kind of target; where an engine is there, its trees boost."""
    own = _read().kinds[kind]
    methods = {**own.methods, **(own.queries if within else NONE)}
    contrasts, scorers = own.contrasts, own.scorers
    engine = next((name for name in ENGINES if find_spec(name)), "")
    if own.boosted is not None and engine:
        methods.pop("boosting")
        for name, one in {**own.boosted.methods, **own.engines.get(engine, NONE)}.items():
            params = {key: engine if v == OPEN else v for key, v in one.params.items()}
            methods[name] = one.model_copy(update={"params": params})
        contrasts, scorers = contrasts | own.boosted.contrasts, scorers | own.boosted.scorers
    return Offer(contrasts=contrasts, scorers=scorers, methods=methods, remark=own.remark)


def offer(kind: Kind, asked: list[str] | None, *, within: bool = False) -> Offer:
    """Return the methods for a kind of target, or those `asked` for by name or import path.

    `within` is for rows that are ranked within queries.
    """
    if within and kind == "continuous":
        raise ConfigError(message("compare.numbers_of_queries"))
    whole = _whole(kind, within=within)
    if asked is None:
        return whole
    chosen: dict[str, Candidate] = {}
    for name in asked:
        if name in whole.methods:
            chosen[name] = whole.methods[name]
        elif "." in name:
            resolve_estimator(name)
            chosen[name.rpartition(".")[2]] = Candidate.model_validate({"estimator": name})
        else:
            hint, known = did_you_mean(name, whole.methods), ", ".join(whole.methods)
            raise ConfigError(message("compare.unknown_method", name=name, hint=hint, known=known))
    contrasts = {p: q for p, q in whole.contrasts.items() if p in chosen and q in chosen}
    if not contrasts:
        raise ConfigError(message("compare.lone_methods", contrasts=whole.contrasts))
    return whole.model_copy(update={"contrasts": contrasts, "methods": chosen})


def widened(method: Candidate, edges: Iterable[Edge]) -> Candidate | None:
    """Return a method with a wider grid where choices lie at `edges`; None if it cannot grow.

    >>> widened(Candidate(grid={"C": [0.1, 1.0, 10.0]}), [Edge("highest", "C")]).grid
    {'C': [0.1, 1.0, 10.0, 100.0, 1000.0]}
    """
    grid, known = dict(method.grid), _read().limits
    for edge in sorted(set(edges), key=str):
        name = edge.parameter
        if name in grid and name in known:
            grid[name] = _longer(grid[name], edge.end == "highest", *known[name])
    return None if grid == method.grid else method.with_grid(grid)


def growth(method: Candidate, wider: Candidate) -> float:
    """Return how many times the time of a method it takes with a wider grid."""
    times = 1.0
    for name, values in wider.grid.items():
        size = sum if name in GROWING else len
        times *= size(values) / size(method.grid[name])
    return times


def narrowed(method: Candidate) -> tuple[Candidate, float]:
    """Return a method with every second point of its grid, and the share of points it keeps."""
    grid = {name: values[::2] for name, values in method.grid.items()}
    share = math.prod(len(values) / len(method.grid[name]) for name, values in grid.items())
    return method.with_grid(grid), share


def _longer(values: Sequence[float], upwards: bool, least: float, most: float) -> list[float]:
    """Return values with some added beyond an end, in the order and steps that they have."""
    if len(ordered := sorted(values)) < 2:
        return ordered
    end, beside = (ordered[-1], ordered[-2]) if upwards else (ordered[0], ordered[1])
    whole = all(isinstance(value, int) for value in values)
    linear = whole and ordered[-1] - ordered[0] == (len(values) - 1) * (ordered[1] - ordered[0])
    added: list[float] = []
    for _ in range(STEPS):
        following = end + (end - beside) if linear else end * (end / beside)
        following = round(following) if whole else float(f"{following:.6g}")
        if not least <= following <= most or following == end:
            break
        added.append(following)
        end, beside = following, end
    at_the_end = (values[-1] == ordered[-1]) == upwards
    return [*values, *added] if at_the_end else [*added[::-1], *values]
