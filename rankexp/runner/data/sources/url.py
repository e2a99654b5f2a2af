"""Tables at an address of the web: a study's fingerprint tells whether it is what was meant."""

import hashlib
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

from rankexp.errors import DataError
from rankexp.runner.config.asking import message
from rankexp.runner.config.data_entry import DataEntry
from rankexp.runner.data.dataset import DataTable
from rankexp.runner.data.sources import Reference, asks_network
from rankexp.runner.data.sources.file import read
from rankexp.runner.files import write_atomically

REGISTER = {"url": "from_url"}
KIND = "Content-Type"  # what a server says that it sends
TRIES = 3  # of a request that got no answer, or not the whole one
PAUSE = 1.0  # seconds before the second try; twice as many before the third


@asks_network
def from_url(reference: Reference, entry: DataEntry, folders: Sequence[Path]) -> DataTable:
    """Return the table of a file that is downloaded."""
    with tempfile.TemporaryDirectory() as folder:
        path = _downloaded(str(reference), Path(folder))
        try:
            table = read(path, entry)
        except DataError as error:
            raise DataError(str(error).replace(str(path), path.name)) from error
        found = hashlib.sha256(path.read_bytes()).hexdigest()
    return replace(table, provenance={"source": "url", "url": str(reference), "sha256": found})


def save(url: str, folder: Path) -> str:
    """Download a file into a folder, and say what came; no other file is written over."""
    with tempfile.TemporaryDirectory() as made:
        content = (path := _downloaded(url, Path(made))).read_bytes()
    kept = folder / path.name
    if not kept.exists():
        write_atomically(kept, content, "--data", lasting=True)
    elif kept.read_bytes() != content:
        raise DataError(message("data.other_file", file=kept))
    digest = hashlib.sha256(content).hexdigest()
    return message("data.saved", file=kept, size=len(content), digest=digest)


def _downloaded(url: str, folder: Path) -> Path:
    import requests

    from rankexp.runner.data.downloads import Download

    parts = urlsplit(url)
    path = folder / (name := unquote(PurePosixPath(parts.path).name))
    named = name.strip(".") and name.isprintable() and path.parent == folder
    if parts.scheme not in ("http", "https") or not parts.hostname or not named:
        raise DataError(message("data.by_address", url=url))

    def ask() -> None:
        with requests.get(url, stream=True) as answer, path.open("wb") as file:
            page = answer.headers.get(KIND, "").startswith("text/html")
            if answer.status_code != requests.codes.ok or page:
                known = {"host": parts.hostname, "status": answer.status_code}
                raise DataError(message("data.no_file", **known))
            for piece in answer.iter_content(1 << 20):
                file.write(piece)

    def ask_again() -> None:
        for count in range(1, TRIES):
            try:
                return ask()
            except requests.RequestException:
                time.sleep(PAUSE * count)
        return ask()

    Download(name).wait_for(ask_again)
    return path
