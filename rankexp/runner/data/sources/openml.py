"""Data sets of OpenML, by number: the one place that knows the `openml` package.

The package is asked for the description and the ARFF file only, in a folder of its own that is
thrown away: its cache never is written, so nothing in it can be lost (asking it offline for
more than is cached deletes what is), and no pickle is read or left. A copy that the user's cache
holds is read as it stands. What has not the checksum that the server says is never used.
"""

import hashlib
import logging
import os
import re
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import ModuleType
from unittest.mock import patch

from rankexp.errors import DataError
from rankexp.runner.config.asking import message
from rankexp.runner.config.data_entry import DataEntry
from rankexp.runner.data.dataset import DataTable
from rankexp.runner.data.sources import Reference, asks_network
from rankexp.runner.data.sources.file import read

REGISTER = {"openml": "from_openml"}

TRIES = 3  # of each request; the package waits one second before the second one, then two


@asks_network
def from_openml(reference: Reference, entry: DataEntry, folders: Sequence[Path]) -> DataTable:
    """Return a data set of OpenML by its number. Goes online unless the user's cache has it."""
    number = str(reference)
    if not (number.isdecimal() and number.isascii()):
        raise DataError(message("data.by_number", reference=repr(reference)))
    import openml

    entry = entry.model_copy(update={"encoding": None})  # of a file; the package writes UTF-8
    kept = Path(openml.config.get_cache_directory()) / "datasets" / number
    if _is_whole(kept):
        table = read(kept / "dataset.arff", entry)
        return replace(table, provenance={"source": "openml", "id": int(number)})
    return _fetch(openml, int(number), entry)


def _is_whole(folder: Path) -> bool:
    """Tell whether a file has the checksum beside it: the package may have been killed."""
    data, description = folder / "dataset.arff", folder / "description.xml"
    if not (data.is_file() and description.is_file()):
        return False
    text = description.read_text(encoding="utf-8", errors="replace")
    declared = re.search(r"<oml:md5_checksum>\s*(\w+)\s*<", text)
    found = hashlib.md5(data.read_bytes(), usedforsecurity=False).hexdigest()
    return declared is not None and declared[1] == found


def _fetch(openml: ModuleType, number: int, entry: DataEntry) -> DataTable:
    from rankexp.runner.data.downloads import Download

    config = openml.config
    beside = {"download_qualities": False, "download_features_meta_data": False}
    ask = partial(openml.datasets.get_dataset, number, download_data=True, **beside)
    try:
        with (
            tempfile.TemporaryDirectory() as folder,
            patch.multiple(config, _root_cache_directory=Path(folder), retry_policy="human"),
            patch.object(config, "connection_n_retries", TRIES),
            patch.dict(os.environ, {"OPENML_SKIP_PARQUET": "true"}),
            patch.object(logging.root, "handlers", [logging.NullHandler()]),  # it warns there
        ):
            dataset = Download(f"OpenML {number}").wait_for(ask)
            if dataset.dataset_id != number:
                raise DataError(f"the server described data set {dataset.dataset_id}")
            if dataset.md5_checksum is None:
                raise DataError("the server has no checksum by which to tell whether it is whole")
            table = read(Path(dataset.data_file), entry)
    except DataError as error:
        text = re.sub(r"\S*dataset\.arff", "its file", str(error))
        raise DataError(f"OpenML {number}: {text}") from error
    where = {"source": "openml", "id": number, "name": dataset.name, "version": dataset.version}
    provenance = where | {"md5": dataset.md5_checksum, "licence": dataset.licence}
    return replace(table, name=str(dataset.name), provenance=provenance)
