"""Lists and counts in words."""

from collections.abc import Sequence


def capital(text: str) -> str:
    """Return a text as a sentence begins."""
    return f"{text[:1].upper()}{text[1:]}"


def listed(names: Sequence[str]) -> str:
    """Return names in words: ``a, b and c``."""
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def counted_names(what: str, count: int, names: Sequence[str]) -> str:
    """Return how many there are, and three by name: ``6 values (vote and colic)``; "" for none."""
    if not count:
        return ""
    shown = names if len(names) <= 4 else [*names[:3], f"{len(names) - 3} more"]
    return f"{count} {what}{'s' * (count > 1)}{f' ({listed(shown)})' * bool(names)}"
