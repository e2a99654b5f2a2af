"""What a shell completes: studies, experiments, methods, rooms and columns; nothing heavy."""

from collections.abc import Callable, Iterable
from pathlib import Path

from typer import Context

from rankexp.registry import ROOMS
from rankexp.runner.config.shipped import shipped, study_file

Completes = Callable[[Context, str], Iterable[str]]


def _studies(ctx: Context, incomplete: str) -> Iterable[str]:
    files = (f for f in Path().glob(f"{incomplete}*") if f.is_dir() or f.suffix == ".yaml")
    return [*shipped(), *(f"{file}{'/' * file.is_dir()}" for file in files)]


def _listed(names: Callable[[Path], Iterable[str]]) -> Completes:
    def complete(ctx: Context, incomplete: str) -> Iterable[str]:
        # While an option waits for its value, the study or table is among the other arguments.
        file = next(filter(None, [*map(ctx.params.get, ("config", "table")), *ctx.args]), "")
        before, comma, _ = incomplete.rpartition(",")
        try:
            return [before + comma + name for name in names(Path(file))]
        except Exception:  # whatever the file is
            return []

    return complete


def _in_study(section: str) -> Completes:
    def names(file: Path) -> Iterable[str]:
        import yaml

        return [*yaml.load(study_file(file).open("rb"), yaml.CSafeLoader)[section]]

    return _listed(names)


def _header(table: Path) -> list[str]:
    with table.open(encoding="utf-8-sig") as file:
        first = file.readline(100_000).strip()
    return [name.strip(' "') for name in first.split(max("\t;|,", key=first.count))]


def rooms(ctx: Context, incomplete: str) -> Iterable[str]:
    """Return what ``rankexp list`` can list."""
    return [*ROOMS, "studies"]


COMPLETIONS: dict[str, Completes] = {
    "columns": _listed(_header),
    "experiments": _in_study("experiments"),
    "methods": _in_study("methods"),
    "studies": _studies,
}
