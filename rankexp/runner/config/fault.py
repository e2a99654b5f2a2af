"""A fault of a study: where in its tree, and what is wrong."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeVar

from rankexp import registry
from rankexp.runner.config.estimators import Factory, parameters
from rankexp.runner.strict import Plain

T = TypeVar("T")
TreePath = tuple[str | int, ...]  # keys and indices that lead to a value of a study

_KINDS = {bool: "true or false", int: "a whole number", float: "a number", str: "text"}
MOST_NAMES = 30
"""Parameters of which a message lists all though it guesses one: pipelines have many."""
_LONGEST = 40  # characters of a value that a message repeats, at most


class FileMark(NamedTuple):
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
    mark: FileMark | None = None


def shortened(text: str) -> str:
    """Return a text as messages repeat it: its beginning, if it is long."""
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


def got(value: Plain) -> str:
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
    function: Factory, given: Iterable[str], path: TreePath, owner: str, hidden: Sequence[str] = ()
) -> Iterator[Fault]:
    """Find names that a class or function has no parameter of."""
    known = parameters(function)
    if known is not None:
        names = [name for name in known if name not in hidden]
        yield from unknown_names(names, given, path, owner)


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


def mistyped(function: Factory, given: Mapping[str, Plain], path: TreePath) -> list[Fault]:
    """Find values of another kind than the parameter's default has."""
    known = parameters(function) or {}
    faults = []
    for key, value in given.items():
        default = known[key].default if key in known else None
        wanted = type(default) if type(default) in _KINDS else object
        truth = isinstance(value, bool) and wanted in (int, float)  # Python's bools are integers
        if truth or not isinstance(value, wanted if wanted is not float else int | float):
            faults.append(Fault((*path, key), f"expected {_KINDS[wanted]}, got {got(value)}"))
    return faults


def unknown(
    given: str | Iterable[str], known: Iterable[str], what: str, path: TreePath
) -> Iterator[Fault]:
    """Find names, one text or a list of them, that are not known."""
    known = list(known)
    for i, name in enumerate([given] if isinstance(given, str) else given):
        if name not in known:
            place = path if isinstance(given, str) else (*path, i)
            yield Fault(place, unknown_name(what, name, known), key=path[-1] == name)


def unknown_name(what: str, name: str, known: Iterable[str]) -> str:
    """Say that there is no such name, and which there are."""
    known = list(known)
    hint = registry.did_you_mean(name, known)
    return f"unknown {what} '{name}'{hint}; known: {', '.join(known) or 'none'}"


def unregistered(room: str, name: str, path: TreePath) -> Iterator[Fault]:
    """Find a name that a room doesn't have, or that another package registers in vain."""
    try:
        registry.get(room, name)
    except registry.UnknownNameError as error:
        yield Fault(path, str(error), key=path[-1] == name)


def listed(value: T | list[T]) -> list[T]:
    """Return a list, of one value where it is none."""
    return value if isinstance(value, list) else [value]


def twice(values: Iterable[T]) -> list[T]:
    """Return the values that occur more than once, each once; 1, 1.0 and true are different."""
    counts = Counter((type(value).__name__, value) for value in values)
    return [value for (_, value), n in counts.items() if n > 1]
