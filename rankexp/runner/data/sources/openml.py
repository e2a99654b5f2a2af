"""Data sets of OpenML, by number: the one place that knows the `openml` package.

The package is asked for the description and the ARFF file only, in a folder of its own that is
thrown away: its cache never is written, so nothing in it can be lost (asking it offline for
more than is cached deletes what is). A copy that the user's cache holds is read as it stands.
"""

import hashlib
import os
import re
import tempfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import ModuleType

from rankexp.errors import DataError
from rankexp.runner.config.data_entry import DataEntry
from rankexp.runner.data.dataset import DataTable
from rankexp.runner.data.readers.arff import read_arff
from rankexp.runner.data.readers.numbers import TextRules
from rankexp.runner.data.sources import Reference, asks_network

REGISTER = {"openml": "from_openml"}

SKIP = "OPENML_SKIP_PARQUET"
TIMEOUT = 10.0
"""Seconds to wait for the server's first answer."""


@asks_network
def from_openml(reference: Reference, entry: DataEntry, folders: Sequence[Path]) -> DataTable:
    """Return a data set of OpenML by its number. Goes online unless the user's cache has it."""
    number = str(reference)
    if not number.isdecimal():
        text = "OpenML data sets are identified by number, not by name"
        raise DataError(f"{text}: openml: {reference!r}")
    import openml

    marks = TextRules.of(entry, frozenset([""])).missing
    kept = Path(openml.config.get_cache_directory()) / "datasets" / number
    if _is_whole(kept):
        table = read_arff(kept / "dataset.arff", marks)
        return replace(table, provenance={"source": "openml", "id": int(number)})
    _reach(openml.config.server, number)
    with tempfile.TemporaryDirectory() as folder, _settings(openml, folder):
        return _fetch(openml, int(number), marks)


def _is_whole(folder: Path) -> bool:
    data, description = folder / "dataset.arff", folder / "description.xml"
    if not (data.is_file() and description.is_file()):
        return False
    text = description.read_text(encoding="utf-8", errors="replace")
    declared = re.search(r"<oml:md5_checksum>\s*(\w+)\s*<", text)
    found = hashlib.md5(data.read_bytes(), usedforsecurity=False).hexdigest()
    return declared is None or declared[1] == found


def _reach(server: str, number: str) -> None:
    """Hold that the server answers at all: the package itself would wait without end."""
    import requests

    try:
        requests.head(f"{server.rstrip('/')}/data/{number}", timeout=TIMEOUT)
    except requests.RequestException as error:
        host = server.split("/api/", maxsplit=1)[0]
        text = f"{host} cannot be reached ({type(error).__name__})"
        raise DataError(f"OpenML {number}: {text}") from error


@contextmanager
def _settings(openml: ModuleType, folder: str) -> Iterator[None]:
    """Let the package work in a folder, with few retries, as ARFF; undo all that afterwards."""
    config = openml.config
    before = config._root_cache_directory, config.retry_policy, config.connection_n_retries
    skip = os.environ.get(SKIP)
    config.set_root_cache_directory(folder)
    config.set_retry_policy("human", n_retries=2)
    os.environ[SKIP] = "true"
    try:
        yield
    finally:
        config.set_root_cache_directory(before[0])
        config.set_retry_policy(before[1], n_retries=before[2])
        if skip is None:
            del os.environ[SKIP]
        else:
            os.environ[SKIP] = skip


def _fetch(openml: ModuleType, number: int, marks: Collection[str]) -> DataTable:
    try:
        beside = {"download_qualities": False, "download_features_meta_data": False}
        dataset = openml.datasets.get_dataset(number, download_data=True, **beside)
    except Exception as error:  # the package passes on whatever goes wrong in its libraries
        reason = f"{type(error).__name__}: {error}".splitlines()[0]
        raise DataError(f"OpenML {number}: {reason}") from error
    try:
        table = read_arff(Path(dataset.data_file), marks)
    except DataError as error:
        raise DataError(f"OpenML {number}: {error}") from error
    provenance = {
        "source": "openml",
        "id": number,
        "name": dataset.name,
        "version": dataset.version,
        "md5": dataset.md5_checksum,
        "licence": dataset.licence,
    }
    return replace(table, name=str(dataset.name), provenance=provenance)
