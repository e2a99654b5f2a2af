"""Where a data set is, or can be had from: user's files, added ones, bundled ones, OpenML."""

import hashlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

from rankexp.errors import DataError, DataNotFoundError, EnvironmentProblemError
from rankexp.runner.config.asking import message
from rankexp.runner.config.data_entry import DataEntry
from rankexp.runner.data.dataset import DataTable
from rankexp.runner.data.snapshot import read_table, table_hash, write_table
from rankexp.runner.data.sources import needs_network, source_of, takes_files
from rankexp.runner.data.sources.file import locate, located, read

# How a source and its reference are said; others by their names.
WORDS = {"openml": "OpenML {}", "url": "{}", "shipped": "{}, shipped with rankexp"}


@dataclass(frozen=True)
class Origin:
    """A place that has a data set: in words, and what reads it."""

    where: str
    identity: str  # changes whenever the content may have changed
    table: Callable[[], DataTable]
    kept: Path | None = None  # what was fetched; while it is there, it is not fetched again


def cache_folder() -> Path:
    """Return RANKEXP_CACHE, or the folder `rankexp` in the user's cache."""
    usual = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache", "rankexp")
    try:
        return Path(os.environ.get("RANKEXP_CACHE") or usual).expanduser()
    except RuntimeError as error:  # nor does the system know this user
        text = "HOME is not set; name a folder with RANKEXP_CACHE"
        raise EnvironmentProblemError(text) from error


def local(
    name: str, entry: DataEntry, folders: Sequence[Path], cache: Path, reasons: list[str]
) -> Origin | None:
    """Return where a data set is on this machine; say in `reasons` what could not be used."""
    if "file" in entry.source:
        path = locate(entry.source["file"], folders)
        test = None if entry.test_file is None else locate(entry.test_file, folders)
        if path is not None and (test is None) == (entry.test_file is None):
            return from_file(path, entry, test)
        if path is not None or test is not None:
            reasons.append(f"only one of its two files was found: {path or test}")
    for path in () if entry.files else added(name, cache):
        return from_file(path, entry)
    for source, reference in entry.sources.items():
        if takes_files(source):
            there, lacking = located(reference, folders)
            if there and not lacking:
                return _of_files(list(there.values()), source, reference, entry, folders)
            reasons += [f"these of its files are missing: {', '.join(lacking)}"] if there else []
        elif source != "file" and not needs_network(source):
            try:
                if table := source_of(source)(reference, entry, folders):
                    return _from_table(table, _named(source, entry))
            except DataNotFoundError as error:  # another source may have it
                reasons.append(str(error))
    for source, kept in filter(lambda one: one[1].is_file(), _fetched(entry, cache)):
        try:
            where = f"snapshot of {_named(source, entry)}"
            return replace(_from_table(read_table(kept), where), kept=kept)
        except DataError as error:
            reasons.append(str(error))
    return None


def remote(entry: DataEntry, cache: Path, reasons: list[str]) -> Origin | None:
    """Fetch a table and keep it; say in `reasons` why this could not be done."""
    for source, kept in _fetched(entry, cache):
        try:
            if table := source_of(source)(entry.source[source], entry, ()):
                write_table(table, kept)
                return _from_table(table, _named(source, entry))
        except DataError as error:
            reasons.append(str(error))
    return None


def from_file(path: Path, entry: DataEntry, test: Path | None = None) -> Origin:
    """Return a file, and perhaps one of test rows beside it, as an origin."""
    other = next((source for source in entry.sources if takes_files(source)), None)
    if other is not None and "file" not in entry.source:
        return _of_files([path], other, str(path.absolute()), entry, ())
    paths = [path] if test is None else [path, test]
    where = f"file {' and '.join(map(str, paths))}"
    return Origin(where, _hashes(paths), lambda: read(path, entry, test))


def _of_files(paths: Sequence[Path], source: str, *given: object) -> Origin:
    where = f"{source} file {paths[0]}" + (f" and {len(paths) - 1} more" if paths[1:] else "")
    table: Callable[..., Any] = source_of(source)
    return Origin(where, _hashes(paths), partial(table, *given))


def _hashes(paths: Sequence[Path]) -> str:
    digests = []
    for path in paths:
        try:
            with path.open("rb") as file:
                digests.append(hashlib.file_digest(file, "sha256").hexdigest())
        except OSError as error:
            raise DataError(f"{path}: cannot read the file: {error.strerror}") from error
    return "+".join(digests)


def added(name: str, cache: Path) -> list[Path]:
    """Return the files that the user added to the cache under this name."""
    folder = added_folder(name, cache)
    try:
        return sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise DataError(f"{folder}: cannot read the folder: {error.strerror}") from error


def added_folder(name: str, cache: Path) -> Path:
    """Return where the file that the user adds under this name is kept."""
    return cache / "added" / name


def not_found(
    name: str, entry: DataEntry, folders: Sequence[Path], cache: Path, reasons: Sequence[str]
) -> DataNotFoundError:
    """Return the error that says where was looked, and how to add the file by hand."""
    single = [str(value) for s, value in entry.sources.items() if s == "file" or takes_files(s)]
    known = {"name": name, "cache": cache, "folders": folders, "reasons": reasons}
    known |= {"entry": entry, "file": " and ".join(entry.files or single)}
    return DataNotFoundError(message("data.not_found", **known), message("data.to_add", **known))


def whereabouts(name: str, entry: DataEntry, folders: Sequence[Path], cache: Path) -> str:
    """Return in words where a data set is, or how to get it; asks no network."""
    try:
        reasons: list[str] = []
        origin = local(name, entry, folders, cache, reasons)
    except DataError as error:
        return f"broken: {error}"
    if origin is not None:
        return origin.where
    for source, _ in _fetched(entry, cache):
        verified = "verified" if source in entry.verified else "not verified"
        return f"{_named(source, entry)} ({verified}), not downloaded yet"
    if "package" in entry.sources:
        return f"not found; {'; '.join(reasons)}"
    if not entry.files:
        return f"not found; to add it: rankexp data add {name} FILE"
    return f"not found; put its files into a folder: {', '.join(entry.files)}"


def _from_table(table: DataTable, where: str) -> Origin:
    return Origin(where, table_hash(table), lambda: table)


def _fetched(entry: DataEntry, cache: Path) -> list[tuple[str, Path]]:
    """Return the network sources of an entry, each with the file its table is kept in."""
    named = {source: quote(str(own), safe="")[-150:] for source, own in entry.sources.items()}
    online = {source: name for source, name in named.items() if needs_network(source)}
    return [(source, cache / "tables" / f"{source}-{name}.npz") for source, name in online.items()]


def _named(source: str, entry: DataEntry) -> str:
    return WORDS.get(source, f"{source}: {{}}").format(entry.sources[source])
