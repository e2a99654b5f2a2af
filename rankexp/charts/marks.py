"""The marks of charts on pages: shapes, lines and what is said of each, as SVG."""

import math
import tomllib
from html import escape
from pathlib import Path

from rankexp.charts.letters import one_line
from rankexp.charts.model import Axis, Ends
from rankexp.charts.numbers import number, span

COLOURS = SHAPES = 8
Given = str | float | None  # the value of an attribute
UNKNOWN = (math.nan, math.nan)
LETTERS = 5  # of a number with decimals, without its point
SIZE = 4.0  # half of a mark's width, pixels
POINTS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
"""The shapes of methods beside the disc, around 0 with a half width of about 1."""


def words(content: str) -> str:
    """Return text from a study as markup: one line, nothing that a browser obeys."""
    return escape(one_line(content))


def element(name: str, content: str | None = None, /, **given: Given) -> str:
    """Return an element; its content is markup, its attributes are escaped.

    What is None is left out. An underscore stands for a hyphen, one at the end for nothing.
    """
    start = f"<{name}"
    for key, value in given.items():
        if value is not None:
            told = f"{value:g}" if isinstance(value, float) else str(value)
            start += f' {key.rstrip("_").replace("_", "-")}="{words(told)}"'
    return f"{start}/>" if content is None else f"{start}>{content}</{name}>"


def text(content: str, x: float | str, y: float, **given: Given) -> str:
    """Return words at a place."""
    return element("text", words(content), x=x, y=y, **given)


def kind(place: int | None) -> str:
    """Return the classes of a method's marks: its colour, and whether they are hollow."""
    return "ink" if place is None else f"c{place % COLOURS}" + " hollow" * (place >= SHAPES)


def shape(place: int | None, x: float | str, y: float, size: float = SIZE, **given: Given) -> str:
    """Return the mark of a method at a place; `x` may be a share of the width, ``40%``."""
    classes = " ".join(filter(None, [kind(place), str(given.pop("class_", ""))]))
    if not (number_ := (place or 0) % SHAPES):
        return element("circle", cx=x, cy=y, r=size, class_=classes, **given)
    pairs = [pair.split(",") for pair in POINTS[str(number_)].split()]
    points = " ".join(f"{size * float(a):.3g},{size * float(b):.3g}" for a, b in pairs)
    own = element("polygon", points=points, class_=classes, **given)
    if isinstance(x, str):  # a polygon has no share of the width: a picture within has
        return element("svg", own, x=x, y=y, overflow="visible")
    return element("g", own, transform=f"translate({x:g} {y:g})")


def arrow(right: bool, x: str, y: float) -> str:
    """Return an arrow where something lies out of view, to the right or to the left."""
    points = "-6,-4 0,0 -6,4" if right else "6,-4 0,0 6,4"
    drawn = element("polyline", points=points, class_="line ink")
    return element("svg", drawn, x=x, y=y, overflow="visible")


def said(
    axis: Axis, label: str, value: float, ends: Ends = UNKNOWN, *, signed: bool = False
) -> str:
    """Return what a mark says: a label, its value, its interval; differences are `signed`."""
    signed = signed or value < 0 or "minus" in axis.label
    digits = decimals(axis, value, *ends)
    told, known = number(value, digits, sign=signed), all(map(math.isfinite, ends))
    return f"{label}: {told}" + f" ({span(*ends, digits, sign=signed)})" * known


def decimals(axis: Axis, *values: float) -> int:
    """Return the decimals of numbers that are said together: those of their axis, or fewer.

    >>> decimals(Axis(), 0.5, math.nan), decimals(Axis(), 136_506.55, 137_817.02)
    (4, 0)
    """
    most = max((abs(value) for value in values if math.isfinite(value)), default=0.0)
    return min(axis.digits, max(LETTERS - len(f"{most:.0f}"), 0))
