"""Find losses, estimators, metrics and so on by name, and import only the one that is used.

A module of a room declares what it offers in a literal ``REGISTER = {"name": "Attribute"}``.
Listing names reads these literals and imports nothing, so a new file needs no other entry. A
room has a folder, and one of the same kind in the wing of each study that needs it. Other
packages add names by entry points of the group ``rankexp.<group>``; a `PluginWarning` names a
broken one, which is left out.
"""

import ast
import difflib
import importlib
import inspect
import re
import sys
import tomllib
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from importlib.metadata import EntryPoint, entry_points
from operator import attrgetter
from pathlib import Path
from typing import Any, TypeVar


@dataclass(frozen=True)
class Room:
    """What one thing of a room is called, where the room lies, and what others' things must be."""

    noun: str
    folder: str  # below `rankexp`
    base: str = ""  # ``module:Class`` that a thing is a subclass of, below `rankexp`
    offers: Sequence[str] = ()  # attributes of a thing; of those with a | between one is enough
    advice: str = ""  # how to get what is missing
    given: Sequence[str] = ()  # what a function of the room is called with, by position


_ROOMS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
ROOMS = {group: Room(**told) for group, told in _ROOMS.items()}
"""Rooms by group: other packages add names under the entry points ``rankexp.<group>``."""

WINGS = "studies"  # folder of what one study needs: studies/<study>/<last part of a group>/

SHOWN = 60  # signs of what was given that messages show
_WRITTEN = {"REGISTER": '{"name": "Attribute"}', "__all__": '["Name"]'}
_T = TypeVar("_T")
_TARGET = re.compile(r"(?P<module>\w+(?:\.\w+)*)\s*:\s*(?P<attribute>\w+(?:\.\w+)*)(?:\s*\[.*\])?")


class UnknownNameError(ValueError):
    """Nothing is registered under a name; the message says which one is nearest."""


class PluginError(UnknownNameError):
    """A name of another package cannot be used; the message says which package's, and why."""


class PluginWarning(UserWarning):
    """Another package offers something that cannot be used, so it is left out."""


@dataclass(frozen=True)
class Target:
    """Where something registered is found, and which package offers it."""

    module: str
    attribute: str
    package: str = "rankexp"

    def load(self) -> Any:
        """Import and return it."""
        return attrgetter(self.attribute)(importlib.import_module(self.module))


def shown(given: object) -> str:
    """Return something given as a message shows it, cut if it is long."""
    text = given if isinstance(given, str) else repr(given)
    return text if len(text) <= SHOWN else text[:SHOWN] + "..."


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """Return ``" (did you mean 'x'?)"`` for the nearest known name, or an empty string."""
    near = difflib.get_close_matches(shown(name).lower(), list(known), n=1)
    return f" (did you mean '{near[0]}'?)" if near else ""


def _literal(file: Path, wanted: str, default: _T) -> _T:
    """Return a module's literal of the type of the default, or the default if there is none."""
    text = file.read_text(encoding="utf-8")
    for node in ast.parse(text).body if wanted in text else []:
        match node:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ) if name == wanted:
                with suppress(ValueError):
                    if isinstance(found := ast.literal_eval(value), type(default)):
                        return found
                what = f"{wanted} must be written out, as {_WRITTEN[wanted]}"
                raise ValueError(f"{file}, line {node.lineno}: {what}")
    return default


def _files(package: str) -> Iterator[tuple[str, Path]]:
    """Yield the modules of a folder and below, except for folders that are rooms of their own."""
    folder = Path(__file__).parent.joinpath(*package.split("."))
    for file in sorted(folder.glob("*.py")):
        yield f"rankexp.{package}.{file.stem}", file
    for inner in sorted(path.parent for path in folder.glob("*/__init__.py")):
        if all(f"{package}.{inner.name}" != room.folder for room in ROOMS.values()):
            yield from _files(f"{package}.{inner.name}")


def wings() -> list[str]:
    """Return the studies that have a wing, as their folders are called."""
    return sorted(p.parent.name for p in Path(__file__).parent.glob(f"{WINGS}/*/__init__.py"))


def _folders(group: str) -> list[str]:
    """Return where the things of a room lie: its own folder first, then those of wings."""
    room, kind = ROOMS.get(group), group.rpartition(".")[2]
    return [room.folder, *(f"{WINGS}.{wing}.{kind}" for wing in wings())] if room else []


@cache
def _room(room: str) -> dict[str, Target]:
    """Map the names of a room to where they are found, here or in other packages."""
    found = {
        name: Target(module, attribute)
        for folder in _folders(room)
        for module, file in _files(folder)
        for name, attribute in _literal(file, "REGISTER", dict[str, str]()).items()
    }
    for point in _entry_points(f"rankexp.{room}"):
        package = point.dist.name if point.dist else re.split("[:.]", point.value)[0]
        match = _TARGET.fullmatch(point.value.strip())
        if match is None or not point.name.isidentifier():
            why = f"'{point.name} = {point.value}' is not name = module:attribute"
        else:
            target = Target(match["module"], match["attribute"], package)
            if found.setdefault(point.name, target) == target:
                continue
            why = f"'{point.name}' is that of {found[point.name].package}"
        text = f"package '{package}': the {noun(room)} '{point.name}' is left out: {why}"
        warnings.warn(text, PluginWarning, stacklevel=2)
    return found


def _entry_points(group: str) -> list[EntryPoint]:
    try:
        return sorted(entry_points(group=group), key=lambda point: (point.name, point.value))
    except Exception as error:  # the metadata of some installed package cannot be read
        text = "entry points cannot be read, and all are left out"
        warnings.warn(f"{text}: {type(error).__name__}: {error}", PluginWarning, stacklevel=2)
        return []


def noun(room: str) -> str:
    """Return what one thing of a room is called."""
    return ROOMS[room].noun if room in ROOMS else room.rpartition(".")[2].removesuffix("s")


def names(room: str) -> list[str]:
    """Return the registered names of a room such as ``"losses"``, sorted, without importing it."""
    return sorted(_room(room))


def target(room: str, name: str) -> Target | None:
    """Return where a name is found, and of which package; None if it is not registered."""
    return _room(room).get(name)


def get(room: str, name: str) -> Any:
    """Import and return what is registered under a name.

    UnknownNameError with the known names and the nearest one if there is none. PluginError if
    another package registers it and it cannot be imported, or is of another kind.
    """
    known, what = _room(room), noun(room)
    target = known.get(name) if isinstance(name, str) else None
    if target is None:
        listed = f"known: {', '.join(sorted(known))}"
        if not isinstance(name, str):
            raise UnknownNameError(f"expected the name of a {what}, got {shown(name)}; {listed}")
        hint = did_you_mean(name, known) or ": no installed package offers it"
        raise UnknownNameError(f"unknown {what} '{shown(name)}'{hint}; {listed}")
    if target.package == "rankexp":
        return target.load()
    place = f"{what} '{name}' of package '{target.package}' cannot be used"
    try:
        found = target.load()
    except (Exception, SystemExit) as error:  # whatever a foreign module does when imported
        failed = f"importing {target.module}:{target.attribute} failed"
        raise PluginError(f"{place}: {failed}: {type(error).__name__}: {error}") from error
    if why := unfit(room, found):
        raise PluginError(f"{place}: {why}")
    return found


def unfit(room: str, found: Any) -> str | None:
    """Return why something cannot be of a room; None if it can."""
    here, name = ROOMS[room], getattr(found, "__name__", shown(found))
    if not callable(found):
        return f"{name} is neither a class nor a function"
    fields = getattr(found, "__dataclass_fields__", ())
    lacks = [
        each.replace("|", " or ")
        for each in here.offers
        if not any(hasattr(found, one) or one in fields for one in each.split("|"))
    ]
    if here.base:
        module, _, base = here.base.partition(":")
        wanted = Target(f"rankexp.{module}", base).load()
        if not (inspect.isclass(found) and issubclass(found, wanted)):
            return f"{name} is not a subclass of rankexp.plugin.{base}"
        name, lacks = f"{base} subclass {name}", sorted(getattr(found, "__abstractmethods__", ()))
    if lacks:
        advice = here.advice and f": {here.advice}"
        return f"{name} does not implement: {', '.join(lacks)}{advice}"
    return _uncallable(found, here.given) if here.given else None


def _uncallable(found: Callable[..., object], given: Sequence[str]) -> str | None:
    """Return why a function cannot be called with what its room gives; None if it can."""
    try:
        signature = inspect.signature(found)
    except (TypeError, ValueError):  # compiled, and does not tell
        return None
    named = [n for n, p in signature.parameters.items() if p.kind is p.KEYWORD_ONLY]
    try:
        signature.bind(*given, **dict.fromkeys(named))
    except TypeError:
        return f"it must take ({', '.join(given)}), but its parameters are {signature}"
    return None


def warn(error: PluginError) -> None:
    """Warn that something of another package is left out."""
    warnings.warn(str(error), PluginWarning, stacklevel=3)


def name_of(room: str, thing: object) -> str | None:
    """Return the name that an imported thing is registered under; None if there is none."""
    for name, target in _room(room).items():
        if getattr(sys.modules.get(target.module), target.attribute, None) is thing:
            return name
    return None


def summaries(room: str) -> dict[str, str]:
    """Return the first line of each docstring, by name; what cannot be used is left out."""
    found = {}
    for name in names(room):
        try:
            text = getattr(get(room, name), "__doc__", None) or ""
            found[name] = text.strip().partition("\n")[0]
        except PluginError as error:
            warn(error)
        except ModuleNotFoundError as error:  # of an extra
            found[name] = f"needs the package '{error.name}'"
    return found


@cache
def listed(package: str) -> dict[str, str]:
    """Map what the modules of a package list in a literal ``__all__`` to these modules."""
    return {
        attribute: module
        for module, file in _files(package)
        if not module.endswith("__init__")
        for attribute in _literal(file, "__all__", list[str]())
    }


def exports(room: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a package that loads its public objects lazily.

    These are what is registered, and what else its modules list in ``__all__``.
    """

    def public() -> dict[str, Callable[[], Any]]:
        found = {name: Target(module, name).load for name, module in listed(room).items()}
        for name, target in _room(room).items():
            found.setdefault(target.attribute, partial(get, room, name))
        return found

    def lazy(attribute: str) -> Any:
        if attribute == "__all__":
            ours = {t.attribute for t in _room(room).values() if t.package == "rankexp"}
            return sorted(ours | set(listed(room)))
        if attribute.startswith("__") or attribute not in public():
            raise AttributeError(f"module 'rankexp.{room}' has no attribute '{attribute}'")
        return public()[attribute]()

    return lazy, lambda: sorted(public())
