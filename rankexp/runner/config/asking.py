"""How messages name an option: as a study's key, as the command line has it, or as Python does."""

import shlex
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import Any, Literal

from rankexp.runner.sentences import paragraphs

OPTIONS = frozenset(
    ("drop", "keep", "nominal", "missing", "header", "decimal", "thousands", "delimiter")
) | {"encoding", "sheet", "rows", "levels", "positive", "groups", "weights", "merge", "time"}
"""Options of ``rankexp compare`` and ``inspect`` that say how a table is read."""
LISTS = frozenset(("drop", "keep", "nominal", "missing", "levels"))

Manner = Literal["", "typed", "python"]
"""How options are said: as a study has them, on the command line, or in Python."""

_MANNER: ContextVar[Manner] = ContextVar("manner", default="")


@contextmanager
def said(how: Manner) -> Iterator[None]:
    """Let messages name options in a manner."""
    token = _MANNER.set(how)
    try:
        yield
    finally:
        _MANNER.reset(token)


def typed() -> AbstractContextManager[None]:
    """Let messages name options as the command line has them."""
    return said("typed")


def manner() -> Manner:
    """Return how messages name options."""
    return _MANNER.get()


def option(key: str, *values: str | int) -> str:
    """Return how a user says a key of a data entry, perhaps with values.

    It is ``'drop: [age, zip]'``, ``--drop age,zip`` or ``drop=['age', 'zip']``.
    """
    texts = [str(value).lower() if isinstance(value, bool) else str(value) for value in values]
    if not manner() or key not in OPTIONS:
        texts = [text if any(map(str.isalnum, text)) else f'"{text}"' for text in texts]
        shown = f": [{', '.join(texts)}]" if key in LISTS else f": {', '.join(texts)}"
        return "in a study " * bool(manner()) + f"'{key}{shown * bool(texts)}'"
    if manner() == "python":
        return _argument(key, values)
    if values and isinstance(values[0], bool):
        return f"--{key}" if values[0] else f"--no-{key}"
    quoted = [f'"{text}"' if "," in text and len(texts) > 1 else text for text in texts]
    return f"--{key} {shlex.quote(','.join(quoted))}" if texts else f"--{key}"


def flag(key: str, *value: str | float) -> str:
    """Return how a user says an option that no study has: ``--minutes 3``."""
    if manner() == "python":
        return _argument(key, value)
    return " ".join([f"--{key.replace('_', '-')}", *map(str, value)])


def merged(groups: Sequence[Sequence[str]]) -> str:
    """Return how a user makes one value of each group: ``--merge yes,Yes --merge no,NO``."""
    if manner() == "python":
        return f"merge={[*map(list, groups)]!r}"
    return " ".join(option("merge", *own) for own in groups)


def message(block: str, **known: Any) -> str:
    """Return the sentences of a block of a template, which may name options."""
    (text,) = messages(block, **known)
    return text


def messages(template: str, **known: Any) -> list[str]:
    """Return the paragraphs of a template, or of a block of one, which may name options."""
    return paragraphs(template, **{"option": option, "flag": flag, "merged": merged, **known})


def _argument(key: str, values: tuple[str | float, ...]) -> str:
    if not values:
        return f"{key}=..."
    return f"{key}={(list(values) if key in LISTS else values[0])!r}"
