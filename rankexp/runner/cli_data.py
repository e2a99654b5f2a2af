"""The verbs of ``rankexp data``: find, fetch, add and verify real data sets."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from rankexp.errors import ConfigError, DataError
from rankexp.runner.cli_own import Names, described

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rankexp.runner.config.data_entry import DataEntry
    from rankexp.runner.config.schema import Study
    from rankexp.runner.data.find import Declared

    Act = Callable[[str, DataEntry, Sequence[Path]], str]

Files = list[Path] | None
data_app = typer.Typer(help="Find, fetch, add and verify real data sets.", no_args_is_help=True)


def data_folders(data: Path | None) -> list[Path]:
    """Where data files are looked for: ``--data``, then every folder of ``RANKEXP_DATA``."""
    if data is not None and not data.is_dir():
        raise ConfigError(f"--data {data}: no such folder")
    named = os.environ.get("RANKEXP_DATA", "").split(os.pathsep)
    return ([data] if data else []) + [Path(n).expanduser() for n in named if n]


def all_studies(configs: list[Path] | None) -> "list[tuple[Path, Study]]":
    """Load the studies named, or those of the folder ``configs``, or those of rankexp."""
    from rankexp.runner.config.load import load
    from rankexp.runner.config.shipped import shipped

    files = configs or sorted(Path("configs").glob("*.yaml")) or shipped().values()
    return [(file, load(file)) for file in files]


def _declared(configs: Files, data: Path | None, names: list[str] | None = None) -> "Declared":
    from rankexp.registry import did_you_mean

    declared: dict[str, tuple[DataEntry, list[Path]]] = {}
    for _, study in all_studies(configs):
        folders = [*data_folders(data), study.folder or Path()]
        declared |= {name: (entry, folders) for name, entry in study.data.items()}
    for name in names or []:
        if name not in declared:
            hint = did_you_mean(name, declared)
            raise ConfigError(f"no study declares a data set '{name}'{hint}")
    return {name: declared[name] for name in names or sorted(declared)}


@data_app.command("list")
@described("data")
def data_list(config: Files = None, data: Path | None = None) -> None:
    """List the declared data sets and where each one is."""
    from rankexp.runner.data.find import listing

    print(*listing(_declared(config, data)), sep="\n")


@data_app.command("get")
@described("data")
def data_get(names: Names = None, config: Files = None, data: Path | None = None) -> None:
    """Read or download data sets and keep a snapshot of each; or save the file of an address."""
    from rankexp.runner.data.find import find
    from rankexp.runner.data.sources.url import save

    for address in [name for name in names or [] if "://" in name]:
        print(save(address, data or Path()))
    if names and not (names := [name for name in names if "://" not in name]):
        return

    def get(name: str, entry: "DataEntry", folders: "Sequence[Path]") -> str:
        found = find(name, entry, folders)
        return f"{found.facts.rows} rows, from {found.where}"

    _for_each(_declared(config, data, names), get)


@data_app.command("add")
@described("data")
def data_add(name: str, file: Path, config: Files = None) -> None:
    """Add your own copy of a declared data set; it must match the declared fingerprint."""
    from rankexp.runner.data.find import add

    entry, _ = _declared(config, None, [name])[name]
    found = add(name, entry, file)
    print(f"{name}: {found.facts.rows} rows, kept in {found.facts.snapshot}")


@data_app.command("verify")
@described("data")
def data_verify(names: Names = None, config: Files = None, data: Path | None = None) -> None:
    """Read every local data set again and compare it with its declared fingerprint."""
    from rankexp.runner.data.find import verify

    _for_each(_declared(config, data, names), verify)


def _for_each(declared: "Declared", act: "Act") -> None:
    wrong = []
    for name, (entry, folders) in declared.items():
        try:
            print(f"{name}: {act(name, entry, folders)}")
        except DataError as error:
            wrong.append(f"{name}: {error}")
    if wrong:
        raise DataError("\n".join(wrong))
