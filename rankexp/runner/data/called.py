"""What columns and values are called: the patterns of ``called.toml``, in several languages."""

import re
import tomllib
from pathlib import Path

KNOWN = {
    kind: re.compile(pattern, re.IGNORECASE | re.VERBOSE)
    for kind, pattern in tomllib.loads(
        Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
    ).items()
}


def called(kind: str, name: str) -> re.Match[str] | None:
    """Return how a name is one of a kind; None where it is not."""
    return KNOWN[kind].fullmatch(name)
