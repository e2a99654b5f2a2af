"""Files of queries in LETOR's format: one, or one for each part of the data."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rankexp.data.dataset import Table
from rankexp.data.readers.letor import read_letor
from rankexp.data.sources import reads_files
from rankexp.data.sources.file import located
from rankexp.errors import DataError

if TYPE_CHECKING:
    from rankexp.config.schema import DataEntry

REGISTER = {"letor": "from_letor"}


@reads_files
def from_letor(reference: object, entry: "DataEntry", folders: Sequence[Path]) -> Table | None:
    """Return files of queries as one table; None where no folder has any of them.

    The reference is the name of a file, or maps parts of the data to names of files. Columns are
    those of `rankexp.data.readers.letor.read_letor`: relevance, query, part, features.

    Raises
    ------
    DataError
        Some of the files are there and others not; one is malformed.
    """
    there, lacking = located(reference, folders)
    if there and lacking:
        raise DataError(f"of {len(there) + len(lacking)} files {', '.join(lacking)} is not there")
    return read_letor(there, entry.encoding) if there else None
