"""How a metric declares itself, and the values that configurations and records name.

What a metric needs and its parameters are read off its signature: nothing is said twice.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property
from typing import Any, Concatenate, Literal, ParamSpec, Protocol, TypeVar, cast, overload

import numpy as np
import numpy.typing as npt

from rankexp import names, registry
from rankexp.arrays import Floats, Vector
from rankexp.errors import ConfigError
from rankexp.warn import warn_user

__all__ = ["Metric", "UndefinedMetricWarning", "declare", "parse"]

Direction = Literal["lower", "higher"]
Kind = Literal["binary", "ordinal", "continuous"]
Function = Callable[..., float | Floats]
Datum = npt.ArrayLike | Mapping[str, npt.ArrayLike] | None
F = TypeVar("F", bound=Function)
P = ParamSpec("P")

DATA = ("y", "scores", "groups", "eta", "reference", "fitted", "levels", "sample_weight")
"""What a metric may ask for. ``eta``: P(y = 1 | x); ``reference``: the regression function m(x)
where the problem knows it, else y; ``fitted``: a mapping of what the fitted estimators say, such
as ``score_scale`` or ``threshold``, a value a column of ``scores``; ``levels``: how many levels y
may have, as some have no example in it; ``sample_weight``: how often each example counts, or
None."""


class UndefinedMetricWarning(RuntimeWarning):
    """A metric is undefined on these data, for example because y has a single class: it is NaN.

    If only some of its terms are undefined they are left out, and the warning says how many.
    """


@dataclass(frozen=True)
class MetricReading:
    """What helps to read a metric's values in a report."""

    margin: float | None = None
    """Differences below it are of no practical importance, unless a study says otherwise."""
    standard_error: Callable[[float, Sequence[float]], float] | None = None
    """Of a value over test examples of a split, from their numbers in each class, worst first."""
    bayes: str | None = None
    """The attribute of a generator that says the Bayes scorer's value, without parameters."""
    reach: float | None = None
    """By how much the value moves at most, over the share of the test examples that are scored
    otherwise, of those of the smallest level for a metric of levels alone; None: no bound."""
    pooled: bool = False  # whether pairs of all levels count alike, not each pair of levels

    @property
    def most(self) -> float:
        """The largest difference of two values: 1 where they are shares, whose reach is known."""
        return float("inf") if self.reach is None else 1.0


@dataclass(frozen=True)
class Declaration:
    """Mark a function as a metric, as a decorator; it stays the plain function that it is.

    The function takes some of `DATA` (without a default: needed) and parameters, each with a
    default; a ``Literal`` annotation lists what a parameter may be. Where it takes ``scores``
    they are (n,) or, one column a scorer, (n, L); it returns a float or an array (L,), and NaN
    with an `UndefinedMetricWarning` where it has no value.

    Parameters
    ----------
    direction : {"lower", "higher"}
        Which values are better.
    source : str
        Paper and equation.
    cutoff : str or None
        The parameter written behind an ``@``, as in ``ndcg@10``.
    kinds : tuple of {"binary", "ordinal", "continuous"}
        The kinds of targets that it measures a ranking of.
    check : callable or None
        Called with ``levels``, K or None where unknown, and the parameters, all by name; raises
        ValueError for what cannot be, so that a configuration can complain before anything runs.
    reading : MetricReading
        What helps to read its values.
    each : callable or None
        Called like the function; returns the values within each group, (Q, L), groups ascending,
        of which the function returns the mean. Without it studies call the function by group.
    label : str
        What it is called in tables and sentences; by default its name without underscores.
    """

    direction: Direction
    _: KW_ONLY
    source: str
    cutoff: str | None = None
    kinds: tuple[Kind, ...] = ("binary",)
    check: Callable[..., object] | None = None
    reading: MetricReading = MetricReading()
    each: Callable[..., Floats] | None = None
    label: str = ""

    def __call__(self, function: F) -> F:
        """Return the function, marked."""
        function.declaration = self  # type: ignore[attr-defined]
        return function


declare = Declaration

WORDS = {  # parameters that tables call otherwise than by name and value
    "discount letor": "LETOR's discount",
    "form sum": "sum over positives",
    "kind 5": "cut-offs of equal weight",
}


@dataclass(frozen=True, repr=False, eq=False)
class Metric:
    """A metric with its parameters: equal by value, printed and parsed in one canonical way.

    `name` is what it is registered under, `function` is marked by `declare`, and `parameters` are
    those that differ from the defaults, in the order of the signature.
    """

    name: str
    function: Function
    parameters: tuple[tuple[str, names.Value], ...] = ()

    @property
    def declaration(self) -> Declaration:
        """What the function declares."""
        return declaration_of(self.name, self.function)

    @property
    def direction(self) -> Direction:
        """Which values are better, ``"lower"`` or ``"higher"``."""
        return self.declaration.direction

    @property
    def label(self) -> str:
        """What it is called in tables and sentences, with its parameters."""
        rest = dict(self.parameters)
        cutoff = rest.pop(self.declaration.cutoff or "", None)
        given = ", ".join(WORDS.get(f"{k} {v}", f"{k} {v}") for k, v in rest.items())
        named = self.declaration.label or self.name.replace("_", " ")
        named += "" if cutoff is None else f"@{cutoff}"
        return f"{named} ({given})" if given else named

    @property
    def source(self) -> str:
        """Paper and equation."""
        return self.declaration.source

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds of targets that it is for."""
        return self.declaration.kinds

    @cached_property
    def needs(self) -> frozenset[str]:
        """The data it cannot do without, of `DATA`."""
        signature = inspect.signature(self.function).parameters.values()
        return frozenset(p.name for p in signature if p.name in DATA and p.default is p.empty)

    @cached_property
    def takes(self) -> frozenset[str]:
        """The data it needs or can make use of, of `DATA`."""
        return frozenset(inspect.signature(self.function).parameters) & frozenset(DATA)

    @property
    def ties(self) -> str | None:
        """The rule for ties, or None where it has none."""
        rule = (parameters_of(self.function) | dict(self.parameters)).get("ties")
        return None if rule is None else str(rule)

    @property
    def reading(self) -> MetricReading:
        """What helps to read its values."""
        return self.declaration.reading

    @property
    def of_bayes(self) -> str:
        """The name under which records hold the best scorer's value."""
        return f"{self!r}:bayes"

    def check(self, levels: int | None = None) -> None:
        """Raise ValueError where the parameters cannot be, for so many levels if known."""
        if self.declaration.check is not None:
            self.declaration.check(levels=levels, **dict(self.parameters))

    def __call__(self, **data: Datum) -> float | Floats:
        """Return the value on data given by name; what the metric doesn't take is left out."""
        if missing := sorted(self.needs - data.keys()):
            raise TypeError(f"metric '{self!r}' needs {', '.join(missing)}")
        taken = {name: value for name, value in data.items() if name in self.takes}
        return self.function(**taken, **dict(self.parameters))

    def each(self, **data: Datum) -> Floats:
        """Return the values within each group, (Q, L), of a metric that offers them."""
        assert self.declaration.each is not None
        return np.asarray(replace(self, function=self.declaration.each)(**data))

    def __repr__(self) -> str:
        given = dict(self.parameters)
        cutoff = given.pop(self.declaration.cutoff or "", None)
        return repr(names.Name(self.name, tuple(given.items()), cutoff))

    def __eq__(self, other: object) -> bool:
        same = isinstance(other, Metric) and self.function is other.function
        return same and repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash(repr(self))


class OfScores(Protocol[P]):
    """A metric, as type checkers see it: of a vector of scores it is a float."""

    @overload
    def __call__(
        self, y: npt.ArrayLike, scores: Vector, *rest: P.args, **named: P.kwargs
    ) -> float: ...
    @overload
    def __call__(
        self, y: npt.ArrayLike, scores: npt.ArrayLike, *rest: P.args, **named: P.kwargs
    ) -> float | Floats: ...


def each_vector(
    metric: Callable[Concatenate[npt.ArrayLike, npt.ArrayLike, P], float | Floats],
) -> OfScores[P]:
    """Tell type checkers, as a decorator, that a metric of a vector of scores is a float."""
    return cast(OfScores[P], metric)


def mean_over_groups(values: Floats, named: str) -> Floats:
    """Return the mean of values within groups, (Q, L), over the groups that have one, (L,).

    Those without are counted in one `UndefinedMetricWarning`; NaN where no group has a value.
    """
    columns = np.ascontiguousarray(values.T)  # one row a scorer: its sum has the same bits alone
    none = np.isnan(columns)
    if n := int(none.any(axis=0).sum()):
        text = f"{named}: {n} of {len(values)} groups have no value and are left out"
        warn_user(text, UndefinedMetricWarning)
    count = (~none).sum(axis=1)
    return np.where(count, np.where(none, 0.0, columns).sum(axis=1) / np.maximum(count, 1), np.nan)


def each_column(values: Floats, scores: npt.ArrayLike) -> float | Floats:
    """Return values, (L,), for scores (n, L); the only one as a float for scores (n,)."""
    return values if np.ndim(scores) == 2 else float(values[0])


def undefined(scores: npt.ArrayLike, text: str) -> float | Floats:
    """Return NaN for scores (n,) or for each column of (n, L), and warn the user."""
    warn_user(text, UndefinedMetricWarning)
    return each_column(np.full(np.shape(scores)[1:] or 1, np.nan), scores)


def declaration_of(name: str, function: Function) -> Declaration:
    """Return what a metric function declares; ValueError where it declares nothing."""
    if not isinstance(found := getattr(function, "declaration", None), Declaration):
        raise ValueError(f"metric '{name}' declares nothing: mark its function with @declare(...)")
    return found


def parameters_of(function: Function) -> dict[str, names.Value | type]:
    """Return the parameters of a metric function, which are not data, with their defaults."""
    signature = inspect.signature(function).parameters.values()
    return {p.name: p.default for p in signature if p.name not in DATA}


def build(name: str, parameters: Mapping[str, names.Value] | None = None) -> Metric:
    """Return the registered metric of this name, with parameters; raises what `parse` does."""
    function = registry.get("metrics", name)
    declaration_of(name, function)
    changed = names.arguments(f"metric '{name}'", parameters or {}, function, DATA)
    metric = Metric(name, function, tuple(changed.items()))
    metric.check()
    return metric


def parse(text: str) -> Metric:
    """Return the metric that a text such as ``rank_loss(ties=worst)`` names.

    The forms are those of `rankexp.names`, and ``parse(repr(metric)) == metric``.

    Raises
    ------
    UnknownNameError
        Where the metric or a parameter is unknown; the message lists what is known.
    ValueError
        Where the text has another form, or a parameter cannot have this value.
    """
    said = names.parse(text, "metric")
    if text in _ABSENT and registry.target("metrics", said.name) is None:
        return _ABSENT[text]
    cutoff = declaration_of(said.name, registry.get("metrics", said.name)).cutoff
    return build(said.name, names.with_cutoff(f"metric '{said.name}'", said, cutoff))


_ABSENT: dict[str, Metric] = {}
"""Stand-ins for metrics whose package is missing, by the texts that name them."""


def describe(metric: Metric) -> dict[str, Any]:
    """Return, as plain data, what reports of records must know of a metric."""
    said = metric.declaration
    found = {"name": metric.name, "parameters": [list(pair) for pair in metric.parameters]}
    found |= {name: getattr(said, name) for name in ("direction", "source", "cutoff", "label")}
    return found | {"kinds": list(said.kinds), "margin": said.reading.margin}


def absent(text: str, described: Mapping[str, Any]) -> None:
    """Let `parse` know a metric by what `describe` gave, as long as it is not registered."""

    def function(y: npt.ArrayLike, scores: npt.ArrayLike, **parameters: names.Value) -> float:
        raise ConfigError(f"metric '{text}' comes from a package that is not installed")

    given = dict(described)
    name, parameters = given.pop("name"), tuple(map(tuple, given.pop("parameters")))
    given |= {"reading": MetricReading(given.pop("margin")), "kinds": tuple(given["kinds"])}
    metric = Metric(name, Declaration(given.pop("direction"), **given)(function), parameters)
    _ABSENT.setdefault(text, metric)
    _ABSENT.setdefault(repr(metric), _ABSENT[text])
