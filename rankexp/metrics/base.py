"""How a metric declares itself, and the values that configurations and records name.

A metric is a plain function of data (``y``, ``scores``, ...) and of parameters with defaults,
marked by :func:`declare`. What it needs and which parameters it has is read off its signature,
so that nothing is said twice. A :class:`Metric` is such a function with its parameters fixed.
"""

import ast
import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from rankexp import registry

Direction = Literal["lower", "higher"]
Kind = Literal["binary", "ordinal", "continuous"]
F = TypeVar("F", bound=Callable[..., Any])

DATA = ("y", "scores", "groups", "eta", "reference", "fitted", "levels")
"""What a metric may ask for. ``eta``: P(y = 1 | x); ``reference``: the regression function m(x)
where the problem knows it, else y; ``fitted``: a mapping of what the fitted estimators say, such
as ``score_scale``, one value a column of ``scores``; ``levels``: how many levels y may have, as
some have no example in it."""
_TEXT = re.compile(r"\s*(?P<name>[A-Za-z_]\w*)(?:@(?P<cut>\w+))?(?:\((?P<rest>.*)\))?\s*")


class UndefinedMetricWarning(RuntimeWarning):
    """A metric has no value here, for instance for lack of a class; it is NaN, never 0.

    Where only some of its terms have no value they are left out, and the warning says how many.
    """


@dataclass(frozen=True)
class Declaration:
    """What a metric says about itself beyond its signature.

    Attributes
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
    """

    direction: Direction
    source: str
    cutoff: str | None = None
    kinds: tuple[Kind, ...] = ("binary",)
    check: Callable[..., object] | None = None


def declare(
    direction: Direction,
    *,
    source: str,
    cutoff: str | None = None,
    kinds: tuple[Kind, ...] = ("binary",),
    check: Callable[..., object] | None = None,
) -> Callable[[F], F]:
    """Mark a function as a metric; it stays the plain function that it is.

    The function takes some of ``y, scores, groups, eta, reference, fitted, levels`` (without a
    default: needed), then parameters, each with a default; a ``Literal`` annotation lists what a
    parameter may be. Where it takes ``scores`` they are (n,) or, one column a scorer, (n, L);
    it returns a float or an array (L,), and NaN with an `UndefinedMetricWarning` where it has no
    value.
    """

    def mark(function: F) -> F:
        function.declaration = Declaration(  # type: ignore[attr-defined]
            direction, source, cutoff, kinds, check
        )
        return function

    return mark


@dataclass(frozen=True, repr=False)
class Metric:
    """A metric with its parameters: equal by value, printed and parsed in one canonical way.

    Parameters
    ----------
    name : str
        The name it is registered under.
    function : callable
        A function marked by :func:`declare`.
    parameters : tuple of (str, value) pairs
        Those that differ from the defaults, in the order of the signature; :func:`build` and
        :func:`parse` see to this.
    """

    name: str
    function: Callable[..., Any]
    parameters: tuple[tuple[str, Any], ...] = ()

    @property
    def declaration(self) -> Declaration:
        """What the function declares."""
        return declaration_of(self.name, self.function)

    @property
    def direction(self) -> Direction:
        """Which values are better, ``"lower"`` or ``"higher"``."""
        return self.declaration.direction

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
        defaults = parameters_of(self.function)
        return dict(self.parameters).get("ties", defaults.get("ties"))

    def check(self, levels: int | None = None) -> None:
        """Raise ValueError where the parameters cannot be, for so many levels if known."""
        if self.declaration.check is not None:
            self.declaration.check(levels=levels, **dict(self.parameters))

    def __call__(self, **data: Any) -> Any:
        """Return the value on data given by name; what the metric doesn't take is left out.

        Raises
        ------
        TypeError
            Where something that the metric needs is missing.
        """
        missing = sorted(self.needs - data.keys())
        if missing:
            raise TypeError(f"metric '{self!r}' needs {', '.join(missing)}")
        taken = {name: value for name, value in data.items() if name in self.takes}
        return self.function(**taken, **dict(self.parameters))

    def __repr__(self) -> str:
        given = dict(self.parameters)
        cutoff = self.declaration.cutoff
        cut = f"@{given.pop(cutoff)}" if cutoff in given else ""
        rest = ", ".join(f"{name}={value}" for name, value in given.items())
        return f"{self.name}{cut}" + (f"({rest})" if rest else "")


def declaration_of(name: str, function: Callable[..., Any]) -> Declaration:
    """Return what a metric function declares; TypeError where it declares nothing."""
    found = getattr(function, "declaration", None)
    if not isinstance(found, Declaration):
        raise TypeError(f"metric '{name}' declares nothing: mark its function with @declare(...)")
    return found


def parameters_of(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the parameters of a metric function, which are not data, with their defaults."""
    signature = inspect.signature(function).parameters.values()
    return {p.name: p.default for p in signature if p.name not in DATA}


def build(name: str, parameters: Mapping[str, Any] | None = None) -> Metric:
    """Return the registered metric of this name, with parameters.

    Raises
    ------
    UnknownNameError
        Where there is no such metric, or it has no such parameter.
    ValueError
        Where a parameter cannot have this value.
    """
    function = registry.get("metrics", name)
    declaration_of(name, function)
    defaults, hints = parameters_of(function), get_type_hints(function)
    given = dict(parameters or {})
    for key, value in given.items():
        if key not in defaults:
            hint = registry.did_you_mean(key, defaults)
            known = ", ".join(defaults) or "none"
            text = f"metric '{name}' has no parameter '{key}'{hint}; known: {known}"
            raise registry.UnknownNameError(text)
        given[key] = _checked(f"{name}({key}=...)", value, defaults[key], hints.get(key))
    order = tuple((key, given[key]) for key in defaults if key in given)
    changed = tuple(pair for pair in order if pair[1] != defaults[pair[0]])
    metric = Metric(name, function, changed)
    metric.check()
    return metric


def _checked(place: str, value: Any, default: Any, hint: Any) -> Any:
    """Return a parameter's value, an int made a float where the default is one."""
    if get_origin(hint) is Literal:
        choices = get_args(hint)
        if value not in choices:
            near = registry.did_you_mean(str(value), map(str, choices))
            known = ", ".join(map(str, choices))
            raise ValueError(f"{place}: unknown value '{value}'{near}; known: {known}")
        return value
    if isinstance(default, float) and type(value) is int:
        return float(value)
    if default is not None and type(value) is not type(default):
        wanted = type(default).__name__
        raise ValueError(f"{place}: expected {wanted}, got {value!r}")
    return value


def parse(text: str) -> Metric:
    """Return the metric that a string such as ``rank_loss(ties=worst)`` names.

    The form is ``name``, ``name@cutoff``, ``name(a=1, b=word)`` or ``name@cutoff(a=1)``, and
    ``parse(repr(metric)) == metric``.

    Raises
    ------
    UnknownNameError
        Where the metric or a parameter is unknown; the message lists what is known.
    ValueError
        Where the string has another form, or a parameter cannot have this value.
    """
    match = _TEXT.fullmatch(text)
    if match is None:
        raise ValueError(f"'{text}' is not a metric: write name, name@10 or name(parameter=value)")
    given: dict[str, Any] = {}
    if match["cut"] is not None:
        function = registry.get("metrics", match["name"])
        cutoff = declaration_of(match["name"], function).cutoff
        if cutoff is None:
            raise ValueError(f"'{text}': metric '{match['name']}' has no cutoff to write after @")
        given[cutoff] = _literal(match["cut"])
    for part in filter(str.strip, (match["rest"] or "").split(",")):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not (key and equals and value):
            raise ValueError(f"'{text}': expected parameter=value, got '{part.strip()}'")
        if key in given:
            raise ValueError(f"'{text}': '{key}' is given twice")
        given[key] = _literal(value)
    return build(match["name"], given)


def _literal(word: str) -> Any:
    """Read a number, True, False, None or a quoted string; anything else is the word itself."""
    try:
        return ast.literal_eval(word)
    except (ValueError, SyntaxError):
        return word
