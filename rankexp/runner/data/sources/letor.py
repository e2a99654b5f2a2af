"""Files of queries in LETOR's format: one, or one for each part of the data."""

from collections.abc import Sequence
from pathlib import Path

from rankexp.errors import DataError
from rankexp.runner.config.data_entry import DataEntry
from rankexp.runner.data.dataset import DataTable
from rankexp.runner.data.readers.letor import read_letor
from rankexp.runner.data.sources import Reference, reads_files
from rankexp.runner.data.sources.file import located

REGISTER = {"letor": "from_letor"}


@reads_files
def from_letor(
    reference: Reference, entry: DataEntry, folders: Sequence[Path]
) -> DataTable | None:
    """Return the table of a file of queries, or of one for each part; None without any of them."""
    there, lacking = located(reference, folders)
    if there and lacking:
        raise DataError(
            f"of {len(there) + len(lacking)} files these are missing: {', '.join(lacking)}"
        )
    return read_letor(there, entry.encoding) if there else None
