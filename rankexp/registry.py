"""Find losses, estimators, metrics and the like by name, importing only the one that is used.

A module of a room declares what it offers in a literal ``REGISTER = {"name": "Attribute"}``.
Listing names reads these literals and imports nothing, so a new file is all it takes.
"""

import ast
import difflib
import importlib
from collections.abc import Callable, Iterable
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

_FILES = {"report.blocks": "*/*.py"}
"""Rooms whose files stand in folders by kind."""


class UnknownNameError(ValueError):
    """A name that nothing is registered under; the message says what is nearest."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return ``" (did you mean 'x'?)"`` for the nearest known name, or an empty string."""
    near = difflib.get_close_matches(name.lower(), list(known), n=1, cutoff=0.5)
    return f" (did you mean '{near[0]}'?)" if near else ""


def _declared(file: Path) -> dict[str, str]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    for node in tree.body:
        match node:
            case ast.Assign(targets=[ast.Name(id="REGISTER")], value=value):
                return dict(ast.literal_eval(value))
    return {}


@cache
def _room(room: str) -> dict[str, str]:
    """Map the names of a room to import strings ``module:attribute``."""
    package = "rankexp." + room
    folder = Path(__file__).parent.joinpath(*room.split("."))
    found = {
        name: f"{package}.{'.'.join(file.relative_to(folder).with_suffix('').parts)}:{attribute}"
        for file in sorted(folder.glob(_FILES.get(room, "*.py")))
        for name, attribute in _declared(file).items()
    }
    for point in entry_points(group=package):
        found.setdefault(point.name, point.value)
    return found


def names(room: str) -> list[str]:
    """Return the registered names of a room such as ``"losses"``, sorted, without importing it."""
    return sorted(_room(room))


def get(room: str, name: str) -> Any:
    """Import and return what is registered under a name.

    Raises
    ------
    UnknownNameError
        Where nothing has this name; the message lists the names and the nearest one.
    """
    known = _room(room)
    if name not in known:
        what = {"losses": "loss"}.get(room) or room.rsplit(".", maxsplit=1)[-1].removesuffix("s")
        hint = did_you_mean(name, known)
        raise UnknownNameError(f"unknown {what} '{name}'{hint}; known: {', '.join(sorted(known))}")
    module, attribute = known[name].split(":")
    return getattr(importlib.import_module(module), attribute)


def summary(room: str, name: str) -> str:
    """Return the first line of the docstring of what is registered under a name."""
    lines = (getattr(get(room, name), "__doc__", None) or "").strip().splitlines()
    return lines[0] if lines else ""


def exports(room: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` that offer a room's public objects lazily."""

    def lazy(attribute: str) -> Any:
        for target in _room(room).values():
            module, offered = target.split(":")
            if offered == attribute:
                return getattr(importlib.import_module(module), attribute)
        raise AttributeError(f"module 'rankexp.{room}' has no attribute '{attribute}'")

    def listing() -> list[str]:
        return sorted({target.split(":")[1] for target in _room(room).values()})

    return lazy, listing
