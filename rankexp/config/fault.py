"""A fault in what a study means, before it has a place in the file."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from rankexp import registry
from rankexp.config.estimators import parameters


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
