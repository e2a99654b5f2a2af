"""Where data sets come from: one file a source, `(reference, entry, folders) -> Table or None`.

A source that goes online is marked by `asks_network`: it is asked last, only where one may go
online, never to list or to plan, and what it gives is kept.
"""

from collections.abc import Callable
from typing import Any, TypeVar

Source = TypeVar("Source", bound=Callable[..., Any])


def asks_network(source: Source) -> Source:
    """Declare that a source needs the network."""
    source.network = True  # type: ignore[attr-defined]
    return source


def reads_files(source: Source) -> Source:
    """Declare that a source reads files of the user: a reference is a name, or parts to names."""
    source.files = True  # type: ignore[attr-defined]
    return source
