"""Files of the user: tables by their suffix, and queries in LETOR's format; also compressed."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from stat import S_ISREG

from rankexp.errors import DataError
from rankexp.runner.config.data_entry import DataEntry
from rankexp.runner.data.dataset import DataTable, joined
from rankexp.runner.data.memory import check_reading
from rankexp.runner.data.readers.cells import short
from rankexp.runner.data.readers.compressed import OPENERS, format_suffix
from rankexp.runner.data.readers.numbers import TextRules
from rankexp.runner.data.sources import Reference, reads_files

REGISTER = {"file": "from_file", "letor": "from_letor"}
KINDS = {".arff": "arff", ".parquet": "parquet", ".pq": "parquet"}
KINDS |= {".xlsx": "excel", ".xlsm": "excel"}
"""Of files by their endings; all others are text."""


def from_file(reference: Reference, entry: DataEntry, folders: Sequence[Path]) -> DataTable | None:
    """Return the table of the first file of this name, or None where no folder has it."""
    path = locate(reference, folders)
    return None if path is None else read(path, entry)


@reads_files
def from_letor(
    reference: Reference, entry: DataEntry, folders: Sequence[Path]
) -> DataTable | None:
    """Return the table of a file of queries, or of one for each part; None without any of them."""
    from rankexp.runner.data.readers.letor import read_letor

    there, lacking = located(reference, folders)
    if there and lacking:
        count = len(there) + len(lacking)
        raise DataError(f"of {count} files these are missing: {', '.join(lacking)}")
    for path in there.values():
        check_reading(path, "letor")
    return read_letor(there, entry.encoding) if there else None


def locate(reference: object, folders: Sequence[Path]) -> Path | None:
    """Return the first file of this name in the folders, or where it points, or compressed."""
    wanted = Path(os.path.expanduser(str(reference)))  # noqa: PTH111  (that of Path may raise)
    if not wanted.name or "\0" in str(wanted):
        raise DataError(f"'{short(str(reference))}' is not the name of a file")
    for folder in [Path()] if wanted.is_absolute() else folders:
        whole = folder / wanted
        for path in [whole, *(whole.with_name(whole.name + end) for end in OPENERS)]:
            try:
                if S_ISREG(path.stat().st_mode):
                    return path
            except (FileNotFoundError, NotADirectoryError):
                continue
            except OSError as error:
                raise DataError(f"{path}: cannot read the file: {error.strerror}") from error
    return None


def located(reference: Reference, folders: Sequence[Path]) -> tuple[dict[str, Path], list[str]]:
    """Return the files of a reference by part, or under "", and the names of those not found."""
    names = reference if isinstance(reference, Mapping) else {"": reference}
    found = {part: locate(name, folders) for part, name in names.items()}
    there = {part: path for part, path in found.items() if path is not None}
    return there, [str(name) for part, name in names.items() if part not in there]


def read(
    path: Path, entry: DataEntry, test: Path | None = None, kind: str | None = None
) -> DataTable:
    """Read a file by its kind or name, and perhaps one of test rows in the same format."""
    from rankexp.runner.data.readers import arff, delimited, typed

    rules, files = TextRules.of(entry), [path] if test is None else [path, test]
    kinds = [kind or KINDS.get(format_suffix(file), "text") for file in files]
    if len({*kinds}) > 1:
        raise DataError(f"{test}: the test file must have the same format as {path}")
    for file in files:
        check_reading(file, kinds[0], rules.delimiter)
    if kinds[0] == "arff":
        marks = TextRules.of(entry, frozenset([""])).missing
        table = joined([arff.read_arff(file, marks, entry.encoding) for file in files], files)
    elif kinds[0] == "parquet":
        table = joined([typed.read_parquet(file, rules) for file in files], files)
    else:
        reader = typed.read_excel if kinds[0] == "excel" else delimited.read_delimited
        table = reader(path, rules, test)
    where = {"source": "file", "file": path.name} | ({"test": test.name} if test else {})
    name = table.name if test is None else f"{path.name} and {test.name}"
    return replace(table, name=name, provenance=where)
