"""All that a plug-in of any kind needs, in one place; nothing is imported before it is used.

>>> from rankexp.plugin import MarginLoss, Protocol, stream

The losses, metrics and so on of rankexp itself are in their rooms, such as `rankexp.losses`, and
the contracts in `rankexp.testing`. ``docs/extending.md`` has an example of each kind. The names
are those of the stub beside this file, which type checkers read.
"""

import ast
from functools import cache
from pathlib import Path

from rankexp.registry import Target


@cache
def _offered() -> dict[str, Target]:
    """Map the names of the stub to where they are found."""
    return {
        (alias.asname or alias.name).lstrip("_"): Target(node.module, alias.name)
        for node in ast.parse(Path(__file__).with_suffix(".pyi").read_text("utf-8")).body
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }


def __getattr__(name: str) -> object:
    if name.startswith("__") or name not in _offered():
        raise AttributeError(f"module 'rankexp.plugin' has no attribute '{name}'")
    return _offered()[name].load()


def __dir__() -> list[str]:
    return sorted(_offered())
