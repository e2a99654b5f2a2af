"""Data sets that come with rankexp: ``configs/data``, whose README names sources and licences."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rankexp.errors import DataError
from rankexp.registry import did_you_mean
from rankexp.runner.config.data_entry import DataEntry
from rankexp.runner.config.shipped import shipped_data
from rankexp.runner.data.dataset import DataTable
from rankexp.runner.data.sources import Reference
from rankexp.runner.data.sources.file import read

REGISTER = {"shipped": "from_shipped"}


def from_shipped(reference: Reference, entry: DataEntry, folders: Sequence[Path]) -> DataTable:
    """Return a data set that comes with rankexp, read as a file of the user would be."""
    known, name = shipped_data(), str(reference)
    if name not in known:
        hint = did_you_mean(name, known)
        raise DataError(
            f"rankexp does not ship a data set '{name}'{hint}; it has: {', '.join(known)}"
        )
    file = known[name]
    return replace(read(file, entry), provenance={"source": "shipped", "file": file.name})
