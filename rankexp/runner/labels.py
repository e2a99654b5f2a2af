"""What names of programs and numbers are called on pages."""

import re
import tomllib
from collections.abc import Mapping
from numbers import Real
from pathlib import Path

from rankexp import names
from rankexp.charts.numbers import short

LABELS: dict[str, str] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
"""What names are called on pages; all others are printed with spaces for underscores."""
_ENTRY = re.compile(r"(\w+?)_?\[(\d+)\]")
ONE = {"thresholds": "threshold", "coefficients": "coefficient"}
"""One of several: an ending tells no plural, as of *bias*."""


def spoken(name: str, own: Mapping[str, str] = LABELS) -> str:
    """Return what a name or several are called on pages, by `own` labels before those of all.

    >>> spoken("excess of n_rounds"), spoken("p_classification(p=4.0)"), spoken("thresholds_[0]")
    ('excess of rounds', 'p-classification (p = 4)', 'threshold 1')
    >>> spoken("bias_[0]")
    'entry 1 of bias'
    """
    if name in own:
        return own[name]
    if entry := _ENTRY.fullmatch(name):
        word, place = spoken(entry[1], own), int(entry[2]) + 1
        return f"{ONE[word]} {place}" if word in ONE else f"entry {place} of {word}"
    if name.endswith(")") and (found := _parsed(name)):
        given = ", ".join(f"{spoken(key)} = {value_text(one)}" for key, one in found.parameters)
        return f"{spoken(found.name, own)} ({given})"
    known = LABELS | {key: text for key, text in own.items() if "_" in key}
    return " ".join(known.get(word, word.replace("_", " ")) for word in name.split(" ")).strip()


def value_text(value: object, own: Mapping[str, str] = LABELS) -> str:
    """Return the value of a setting as it is printed on pages."""
    if isinstance(value, str):
        return spoken(value, own)
    if value is None or isinstance(value, bool):
        return "none" if value is None else "yes" if value else "no"
    return short(float(value)) if isinstance(value, Real) else str(value)


def _parsed(text: str) -> names.Name | None:
    try:
        return names.parse(text)
    except ValueError:
        return None
