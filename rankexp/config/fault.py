"""A fault in what a study means, before it has a place in the file."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from rankexp import registry
from rankexp.config.estimators import parameters
from rankexp.config.words import got

_KINDS: dict[type, tuple[tuple[type, ...], str]] = {
    bool: ((bool,), "true or false"),
    int: ((int,), "a whole number"),
    float: ((int, float), "a number"),
    str: ((str,), "text"),
}


class Fault(NamedTuple):
    """Where in the tree something is wrong, at the value or at its key, and what."""

    path: tuple[str | int, ...]
    text: str
    key: bool = False


def unknown_parameters(
    function: Any,
    given: Iterable[str],
    path: tuple[str | int, ...],
    owner: str,
    hidden: tuple[str, ...] = (),
) -> Iterator[Fault]:
    """Find names that a class or function has no parameter of."""
    known = parameters(function)
    if known is None:
        return
    names = [name for name in known if name not in hidden]
    for key in given:
        if key not in names:
            hint = registry.did_you_mean(key, names)
            text = f"{owner} has no parameter '{key}'{hint}; known: {', '.join(names) or 'none'}"
            yield Fault((*path, key), text, key=True)


def mistyped(function: Any, given: Mapping[str, Any], path: tuple[str | int, ...]) -> list[Fault]:
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
