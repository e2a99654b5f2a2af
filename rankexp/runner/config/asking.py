"""How messages name an option: as a study's key, or as the command line has it."""

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

OPTIONS = frozenset(
    ("drop", "keep", "nominal", "missing", "header", "decimal", "thousands", "delimiter")
) | {"encoding", "sheet", "levels", "positive", "groups", "weights", "merge", "time"}
"""Options of ``rankexp compare`` and ``inspect`` that say how a table is read."""
LISTS = frozenset(("drop", "keep", "nominal", "missing", "levels"))

_TYPED: ContextVar[bool] = ContextVar("typed", default=False)


@contextmanager
def typed() -> Iterator[None]:
    """Let messages name options as the command line has them."""
    token = _TYPED.set(True)
    try:
        yield
    finally:
        _TYPED.reset(token)


def is_typed() -> bool:
    """Whether messages name options as the command line has them."""
    return _TYPED.get()


def option(key: str, *values: str | bool) -> str:
    """Return how a user says a key of a data entry, perhaps with values.

    >>> option("drop", "age", "zip"), option("sheet"), option("header", False)
    ("'drop: [age, zip]'", "'sheet'", "'header: false'")
    >>> with typed():
    ...     option("drop", "age", "zip"), option("sheet"), option("header", False)
    ('--drop age,zip', '--sheet', '--no-header')
    >>> with typed():
    ...     option("most_coded")
    "in a study 'most_coded'"
    """
    texts = [str(value).lower() if isinstance(value, bool) else value for value in values]
    if not _TYPED.get() or key not in OPTIONS:
        texts = [text if any(map(str.isalnum, text)) else f'"{text}"' for text in texts]
        said = f": [{', '.join(texts)}]" if key in LISTS else f": {', '.join(texts)}"
        return "in a study " * _TYPED.get() + f"'{key}{said * bool(texts)}'"
    if values and isinstance(values[0], bool):
        return f"--{key}" if values[0] else f"--no-{key}"
    quoted = [f'"{text}"' if "," in text and len(texts) > 1 else text for text in texts]
    return f"--{key} {shlex.quote(','.join(quoted))}" if texts else f"--{key}"
