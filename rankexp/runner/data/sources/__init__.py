"""Where data sets come from: functions `(reference, entry, folders) -> DataTable | None`.

A source that goes online is marked by `asks_network`: it is asked last, only where one may go
online, never to list or to plan, and what it gives is kept.
"""

from collections.abc import Callable, Mapping
from typing import TypeVar

from rankexp import registry
from rankexp.runner.data.dataset import DataTable

Reference = bool | int | float | str | Mapping[str, str] | None
"""What an entry says to a source: mostly a name, or the names of parts."""
Source = TypeVar("Source", bound=Callable[..., DataTable | None])


def asks_network(source: Source) -> Source:
    """Declare that a source needs the network."""
    source.network = True  # type: ignore[attr-defined]
    return source


def reads_files(source: Source) -> Source:
    """Declare that a source reads files of the user: a reference is a name, or parts to names."""
    source.files = True  # type: ignore[attr-defined]
    return source


def source_of(name: str) -> Callable[..., DataTable | None]:
    """Return a registered source."""
    found: Callable[..., DataTable | None] = registry.get("data.sources", name)
    return found


def needs_network(name: str) -> bool:
    """Tell whether a source is declared so by `asks_network`."""
    return hasattr(source_of(name), "network")


def takes_files(name: str) -> bool:
    """Tell whether a source is declared so by `reads_files`."""
    return hasattr(source_of(name), "files")
