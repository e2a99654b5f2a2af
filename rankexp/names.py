"""One syntax of names with parameters, for losses, risks and metrics.

``ndcg``, ``ndcg@10``, ``p_classification(p=4.0)``, ``pair_risk(costs=1 2 1, ties=worst)``: a name,
perhaps a cutoff after an ``@``, perhaps parameters. A value is None, True, False, a whole number,
a number with a point, or a text. A text needs quotes if it reads like one of the others or
holds one of ``,()[]{}'"=``, so 1, 1.0, "1" and True are four values.

>>> parse("pair_risk( ties=worst, costs='1' )")
pair_risk(ties=worst, costs='1')
>>> parse("ndcg@10").cutoff
10
"""

import ast
import inspect
import math
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from numbers import Number
from typing import Any, ClassVar, Literal, Self, get_args, get_origin, get_type_hints

from rankexp import registry
from rankexp.registry import shown

Value = None | bool | int | float | str
Made = Callable[..., Any]  # a function, or a class

LONGEST = 10_000  # signs of a text at most: longer than any that means something
SCALARS = (bool, int, float, str, type(None))

_NAME = r"[A-Za-z_]\w*"
_ESCAPE = r"\\(?:[\\'\"ntr]|x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8})"  # those that repr writes
_QUOTED = rf"'(?:[^'\\\n]|{_ESCAPE})*'|\"(?:[^\"\\\n]|{_ESCAPE})*\""
_SIGN = r"[^\s,()\[\]{}'\"=]"  # of a text without quotes, which may have spaces within
_CUTOFF = re.compile(r"[\w.+-]+")
_HEAD = re.compile(
    rf"\s*(?P<name>{_NAME})(?:@(?P<cutoff>{_QUOTED}|{_CUTOFF.pattern}))?\s*(?P<open>\()?"
)
_KEY = re.compile(rf"\s*(?P<key>{_NAME})\s*=\s*")
_WORD = re.compile(rf"{_SIGN}(?:[ ]*{_SIGN})*")
_VALUE = re.compile(rf"(?P<value>{_QUOTED}|{_WORD.pattern})\s*(?P<next>[,)]|\Z)")
_CLOSE = re.compile(r"\s*\)")
_INT = re.compile(r"[+-]?[0-9]+")
_FLOAT = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[+-]?inf")
_CONSTANTS: dict[str, Value] = {"None": None, "True": True, "False": False}


class _ByText:
    """Of one class, equal where they are printed alike."""

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash((type(self), repr(self)))


@dataclass(frozen=True, repr=False, eq=False)
class Name(_ByText):
    """A name with parameters and a cutoff, equal by value.

    It is printed and parsed in one way; a name or a value that cannot be written is refused.
    """

    name: str
    parameters: tuple[tuple[str, Value], ...] = ()
    cutoff: Value = None

    def __post_init__(self) -> None:
        for word in (self.name, *(key for key, _ in self.parameters)):
            if not re.fullmatch(_NAME, word):
                raise ValueError(f"'{shown(word)}' is no name: write letters, digits and _")
        repr(self)

    def __repr__(self) -> str:
        cut = "" if self.cutoff is None else f"@{_written(self.cutoff, _CUTOFF)}"
        rest = ", ".join(f"{key}={_written(value)}" for key, value in self.parameters)
        return f"{self.name}{cut}" + (f"({rest})" if rest else "")


def parse(text: str, what: str = "name") -> Name:
    """Return the name and the parameters that a text says; ``parse(repr(name)) == name``.

    ValueError for a text of another form; the message says `what` it should name.
    """
    if not isinstance(text, str):
        raise ValueError(f"expected the text of a {what}, such as name(a=1), got {shown(text)}")
    if len(text) > LONGEST:
        raise ValueError(f"'{shown(text)}' is too long for a {what}: {len(text)} signs")
    return _parsed(text, what)


@lru_cache
def _parsed(text: str, what: str) -> Name:
    if (head := _HEAD.match(text)) is None:
        raise _unreadable(text, what)
    cutoff = None if head["cutoff"] is None else _read(head["cutoff"], text)
    given, end = _arguments(text, head.end(), what) if head["open"] else ({}, head.end())
    if text[end:].strip() or (cutoff is None and head["cutoff"]):
        raise _unreadable(text, what)
    return Name(head["name"], tuple(given.items()), cutoff)


def _unreadable(text: str, what: str) -> ValueError:
    form = "write name, name@10 or name(parameter=value)"
    return ValueError(f"'{shown(text)}' is not a {what}: {form}")


def _arguments(text: str, at: int, what: str) -> tuple[dict[str, Value], int]:
    """Return the parameters that begin at a place in a text, and where they end."""
    given: dict[str, Value] = {}
    while (close := _CLOSE.match(text, at)) is None:
        if not text[at:].strip():
            raise _unreadable(text, what)
        key = _KEY.match(text, at)
        value = key and _VALUE.match(text, key.end())
        if not key or not value:
            piece = text[at:].partition(",")[0].strip().removesuffix(")")
            hint = "a text that holds one of ,()[]{}'\"= goes in quotes"
            said = f"'{shown(text)}'"
            raise ValueError(f"{said}: expected parameter=value, got '{shown(piece)}' ({hint})")
        if key["key"] in given:
            raise ValueError(f"'{shown(text)}': '{shown(key['key'])}' is given twice")
        given[key["key"]] = _read(value["value"], text)
        at = value.end()
        if value["next"] == ")":
            return given, at
    return given, close.end()


def _read(word: str, text: str) -> Value:
    if word in _CONSTANTS:
        return _CONSTANTS[word]
    try:
        if word[0] in "'\"":
            return str(ast.literal_eval(word))
        if _INT.fullmatch(word):
            return int(word)
    except (ValueError, SyntaxError) as error:  # no sign of Unicode; thousands of digits
        raise ValueError(f"'{shown(text)}': cannot read {shown(word)}: {error}") from None
    return float(word) if _FLOAT.fullmatch(word) else word


def _written(value: Value, bare: re.Pattern[str] = _WORD) -> str:
    """Return the text of a value; NaN is refused, because it equals nothing."""
    if type(value) not in SCALARS or (isinstance(value, float) and math.isnan(value)):
        raise ValueError(f"expected a number, a text, True, False or None, got {shown(value)}")
    if not isinstance(value, str):
        return repr(value)
    plain = bare.fullmatch(value) and value.isprintable() and _read(value, value) == value
    return value if plain else repr(value)


def arguments(
    place: str, given: Mapping[str, Value], function: Made, data: Collection[str] = ()
) -> dict[str, Value]:
    """Return given parameters of a function or class, checked against its signature.

    An annotation or default gives a type; an int becomes a float if only that fits. Parameters
    that equal their defaults are left out. `place` is for messages, such as ``metric 'ndcg'``;
    `data` names what the function takes beside parameters. UnknownNameError for an unknown one;
    ValueError for a value of another type, or not among those of a ``Literal``.
    """
    if not given:
        return {}
    signature, hints = _signature(function)
    known = {name: p for name, p in signature.items() if name not in data}
    for key in (key for key in given if key not in known):
        text = f"{place} has no parameter '{shown(key)}'{registry.did_you_mean(key, known)}"
        raise registry.UnknownNameError(f"{text}; known: {', '.join(known) or 'none'}")
    checked = {
        key: _checked(f"{place}, {key}", given[key], p.default, hints.get(key))
        for key, p in known.items()
        if key in given
    }
    return {key: v for key, v in checked.items() if not _same(v, known[key].default)}


@cache
def _signature(function: Made) -> tuple[Mapping[str, inspect.Parameter], dict[str, type]]:
    try:
        hints = get_type_hints(function.__init__ if inspect.isclass(function) else function)
    except Exception:  # names that are imported for type checkers only
        hints = {}
    return inspect.signature(function).parameters, hints


def _same(one: Value, other: Value) -> bool:
    return type(one) is type(other) and bool(one == other)


def _checked(place: str, value: Value, default: Value, hint: type | None) -> Value:
    """Return a parameter's value, an int as a float if only that fits."""
    if get_origin(hint) is Literal:
        if not any(_same(value, choice) for choice in get_args(hint)):
            known = list(map(str, get_args(hint)))
            near = registry.did_you_mean(value, known)
            text = f"{place}: unknown value '{shown(value)}'{near}; known: {', '.join(known)}"
            raise ValueError(text)
        return value
    if isinstance(value, Number) and hasattr(value, "item"):
        value = value.item()  # numpy's
    try:
        _written(value)
    except ValueError as error:
        raise ValueError(f"{place}: {error}") from None
    fitting = [kind for kind in SCALARS if kind is hint or kind in get_args(hint)]
    if not fitting and isinstance(default, SCALARS) and default is not None:
        fitting = [type(default)]
    if type(value) is int and float in fitting and int not in fitting:
        try:
            return float(value)
        except OverflowError:
            raise ValueError(f"{place}: {shown(value)} is too large") from None
    if fitting and type(value) not in fitting:
        wanted = " or ".join(kind.__name__.removesuffix("Type") for kind in fitting)
        raise ValueError(f"{place}: expected {wanted}, got {shown(repr(value))}")
    return value


class Named(_ByText):
    """Something registered under a name, with parameters: a value, printed as what is parsed.

    A subclass of a room's base class is registered. Its parameters are those of ``__init__``,
    each with a default, kept as attributes of the same names.
    """

    room: ClassVar[str]
    cutoff: ClassVar[str | None] = None
    """The parameter written behind an ``@``."""

    @property
    def name(self) -> str:
        """The registered name of the class, or else its own."""
        return registry.name_of(self.room, type(self)) or type(self).__name__

    def parameters(self) -> dict[str, Value]:
        """Return the parameters that differ from their defaults."""
        made: Made = type(self)
        own = {name: getattr(self, name) for name in _signature(made)[0]}
        return arguments(self.name, own, made)

    def __repr__(self) -> str:
        try:
            given = self.parameters()
        except ValueError:  # a parameter that no text can say
            return f"{self.name}({vars(self)!r})"
        cutoff = given.pop(self.cutoff, None) if self.cutoff else None
        return repr(Name(self.name, tuple(given.items()), cutoff))

    @classmethod
    def parse(cls, given: "str | Self") -> Self:
        """Return what a text such as ``name(p=4)`` names; an object of the class as it is.

        UnknownNameError for an unknown name or parameter; ValueError for a text of another form,
        or an impossible value.
        """
        if isinstance(given, cls):
            return given
        what = registry.noun(cls.room)
        if not isinstance(given, str):
            known = ", ".join(registry.names(cls.room))
            text = f"expected a {what} or its name, got {shown(given)}; known: {known}"
            raise registry.UnknownNameError(text)
        said = parse(given, what)
        made, place = registry.get(cls.room, said.name), f"{what} '{said.name}'"
        found: Self = made(**arguments(place, with_cutoff(place, said, made.cutoff), made))
        return found


def with_cutoff(place: str, said: Name, cutoff: str | None) -> dict[str, Value]:
    """Return the parameters, with the value after the ``@`` under its name."""
    given = dict(said.parameters)
    if said.cutoff is None:
        return given
    if cutoff is None:
        raise ValueError(f"'{shown(repr(said))}': {place} has no cutoff to write after @")
    if cutoff in given:
        raise ValueError(f"'{shown(repr(said))}': '{cutoff}' is given twice")
    return {cutoff: said.cutoff, **given}
