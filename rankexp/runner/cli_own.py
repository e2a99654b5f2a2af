"""The verbs for one's own table: ``rankexp compare`` and ``rankexp inspect``."""

import csv
import time
import tomllib
from collections.abc import Callable
from inspect import Parameter, Signature
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer
from typer.models import ParameterInfo

from rankexp.runner.cli_complete import COMPLETIONS
from rankexp.runner.config.asking import typed

Names = list[str] | None
"""Each with commas between names; a name that has a comma stands in double quotes."""
LISTS = {"levels", "methods", "drop", "keep", "nominal", "missing", "split"}
OPTIONS = tomllib.loads(Path(__file__).with_name("cli.toml").read_text(encoding="utf-8"))
TYPES: dict[str, Any] = {"required": str, "text": str | None, "names": Names, "path": Path | None}
TYPES |= {"number": float | None, "minutes": float, "flag": bool, "flag or none": bool | None}
TYPES |= {"file": Path, "whole number": int | None, "texts": list[str] | None}
READING = "reading"  # the section of what says how a table is read


class OptionsGiven(dict[str, Any]):
    """Options by name: as a user gave them, or as typer takes them."""


Verb = Callable[[OptionsGiven], None]
Command = TypeVar("Command", bound=Callable[..., None])


def _info(said: OptionsGiven) -> ParameterInfo:
    """Return what the file says of an argument or option as typer has it."""
    own = dict(said)
    own |= {"autocompletion": COMPLETIONS.get(own.pop("complete", ""))}
    made = typer.Argument if own.pop("argument", False) else typer.Option
    info: ParameterInfo = made(*own.pop("names", ()), **own)
    return info


def described(*sections: str) -> Callable[[Command], Command]:
    """Let a command have what sections of the file say of its parameters; the last one counts."""
    known = {name: said for section in sections for name, said in OPTIONS[section].items()}

    def with_help(command: Command) -> Command:
        for name in command.__annotations__.keys() & known.keys():
            kind = command.__annotations__[name]
            command.__annotations__[name] = Annotated[kind, _info(known[name])]
        return command

    return with_help


def _parameter(name: str, said: OptionsGiven) -> Parameter:
    """Return an option as the file has it."""
    own = dict(said)
    kind = own.pop("type")
    needed = Parameter.empty if kind in ("file", "required") else None
    default, info = own.pop("default", needed), _info(OptionsGiven(own))
    how = {"default": default, "annotation": Annotated[TYPES[kind], info]}
    return Parameter(name, Parameter.KEYWORD_ONLY, **how)


def taking(*sections: str) -> Callable[[Verb], Callable[..., None]]:
    """Let a command have the options of some sections of the file."""
    known = [_parameter(*option) for name in sections for option in OPTIONS[name].items()]

    def command_of(run: Verb) -> Callable[..., None]:
        def command(**given: Any) -> None:
            run(_given(OptionsGiven(given)))

        command.__doc__, command.__name__ = run.__doc__, run.__name__
        command.__annotations__ = {one.name: one.annotation for one in known}
        command.__signature__ = Signature(known)  # type: ignore[attr-defined]
        return command

    return command_of


@taking("compare", "table", READING)
def compare(given: OptionsGiven) -> None:
    """Tell whether training on pairs helps to rank the rows of a table, and what ranks best."""
    begun = time.monotonic(), time.process_time()  # imports count, too
    from rankexp.runner.compare.command import Options
    from rankexp.runner.compare.command import compare as run

    reading = {name: given.pop(name) for name in OPTIONS[READING]}
    with typed():
        code, _ = run(given.pop("table"), Options(**given, reading=reading), begun)
    raise typer.Exit(code)


@taking("inspect", "table", READING)
def inspect(given: OptionsGiven) -> None:
    """Show how a table is read: column types, missing values, columns left out and why."""
    from rankexp.runner.compare.looking import look
    from rankexp.runner.compare.session import say

    groups = given.pop("groups")
    given |= {"groups": given.pop("queries") or groups}
    with typed():
        found = look(given.pop("table"), **given)
    print(found.reading.text())
    for text in found.sentences:
        print()
        say(text)


def _given(own: OptionsGiven) -> OptionsGiven:
    merge = [names(text) for text in own.pop("merge", None) or ()]
    lists = {name: names(own[name]) or None for name in LISTS & own.keys()}
    return OptionsGiven(own | {"merge": merge} | lists)


def names(given: Names | str) -> list[str]:
    """Return the names of lists with commas, quoted as in CSV."""
    lists = [given] if isinstance(given, str) else given or []
    cells = (cell for row in csv.reader(lists, skipinitialspace=True) for cell in row)
    return [cell.strip() for cell in cells if cell.strip()]
