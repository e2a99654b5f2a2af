"""What columns and values are called: the patterns of ``called.toml``, in several languages."""

import re
import tomllib
from pathlib import Path

_PATTERNS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
KNOWN = {k: re.compile(text, re.IGNORECASE | re.VERBOSE) for k, text in _PATTERNS.items()}


def called(kind: str, name: str) -> re.Match[str] | None:
    """Return how a name is one of a kind; None where it is not."""
    return KNOWN[kind].fullmatch(name)
