"""A fault of a study: where in its tree, and what is wrong."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from rankexp import registry
from rankexp.config.estimators import parameters

TreePath = tuple[str | int, ...]
"""Keys and indices that lead to a value of a study."""

_KINDS: dict[type, tuple[tuple[type, ...], str]] = {
    bool: ((bool,), "true or false"),
    int: ((int,), "a whole number"),
    float: ((int, float), "a number"),
    str: ((str,), "text"),
}
MOST_NAMES = 30
"""Parameters of which a message lists all though it guesses one: pipelines have many."""
_LONGEST = 40
"""Most characters of a value that a message repeats."""


class Mark(NamedTuple):
    """A place in the file, both counted from 1."""

    line: int
    column: int


class Fault(NamedTuple):
    """What is wrong, where in the tree, and where in the file once that is known."""

    path: TreePath
    """The value, or the nearest part of the tree that is there."""
    text: str
    key: bool = False
    """Whether the fault is at the key, not at the value."""
    mark: Mark | None = None


def shortened(text: str) -> str:
    """Return a text as messages repeat it: its beginning, if it is long."""
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


def got(value: object) -> str:
    """Name a value as it was written."""
    match value:
        case None:
            return "nothing"
        case bool():
            return "true" if value else "false"
        case str():
            return f"the text '{shortened(value)}'"
        case Mapping():
            return "a mapping" if value else "an empty mapping"
        case Sequence():
            return "a list" if value else "an empty list"
        case _:
            return str(value)


def unknown_parameters(
    function: Any,
    given: Iterable[str],
    path: TreePath,
    owner: str,
    hidden: tuple[str, ...] = (),
) -> Iterator[Fault]:
    """Find names that a class or function has no parameter of."""
    known = parameters(function)
    if known is None:
        return
    yield from unknown_names([name for name in known if name not in hidden], given, path, owner)


def unknown_names(
    names: Sequence[str], given: Iterable[str], path: TreePath, owner: str
) -> Iterator[Fault]:
    """Find what is given and is none of the names."""
    for key in given:
        if key not in names:
            hint = registry.did_you_mean(key, names)
            listed = f"; known: {', '.join(names) or 'none'}"
            short = hint and len(names) > MOST_NAMES
            text = f"{owner} has no parameter '{key}'{hint}{'' if short else listed}"
            yield Fault((*path, key), text, key=True)


def mistyped(function: Any, given: Mapping[str, Any], path: TreePath) -> list[Fault]:
    """Find values of another kind than the parameter's default has."""
    known = parameters(function) or {}
    faults = []
    for key, value in given.items():
        default = known[key].default if key in known else None
        kinds, wanted = _KINDS.get(type(default), ((object,), ""))
        truth = isinstance(value, bool) and int in kinds  # Python's bools are integers
        if truth or not isinstance(value, kinds):
            faults.append(Fault((*path, key), f"expected {wanted}, got {got(value)}"))
    return faults
