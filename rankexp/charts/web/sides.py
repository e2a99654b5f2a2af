"""What is around a panel of numbers: its grid, the numbers along its sides, the margin."""

import math

from rankexp.charts.marks import element, text, words
from rankexp.charts.model import Axis
from rankexp.charts.scale import Scale

WIDTH, HEIGHT = 344.0, 230.0  # of a panel, pixels
LEFT, RIGHT, TOP, BOTTOM = 54.0, 10.0, 8.0, 24.0  # around what is drawn
END = WIDTH - RIGHT


def framed(content: str, height: float, x: Axis | None, y: Axis, more: float = 0.0) -> str:
    """Return a picture of a panel's width, with what its sides are above and below it."""
    # It is wider by some pixels where there is something beside it.
    named = ", ".join(filter(None, [y.label, y.direction]))
    view = f"0 0 {WIDTH + more:g} {height:g}"
    picture = element("svg", content, viewBox=view, role="img", aria_label=named)
    below = element("p", words(x.label), class_="axis x") if x and x.label else ""
    return element("p", words(named), class_="axis") + picture + below


def across(y: float, kind: str) -> str:
    """Return a line across a panel."""
    return element("line", x1=LEFT, x2=END, y1=y, y2=y, class_=kind)


def upright(x: float, top: float, bottom: float, kind: str = "ink") -> str:
    """Return a line up a panel."""
    return element("line", x1=x, x2=x, y1=top, y2=bottom, class_=kind)


def sides(x: Scale | None, y: Scale) -> str:
    """Return the grid and the numbers along both sides."""
    found = []
    for at, told in y.ticks():
        told_at = text(told, LEFT - 5, at + 3.5, class_="tick", text_anchor="end")
        found.append(across(at, "grid") + told_at)
    for at, told in x.ticks() if x else ():
        told_at = text(told, at, y.start + 16, class_="tick", text_anchor="middle")
        found.append(told_at + upright(at, y.start, y.start + 4, "rule"))
    return "".join(found)


def band(y: Scale, margin: float, reference: float) -> str:
    """Return the band of what is of no importance, and the line within it."""
    middle, found = 0.0 if math.isnan(reference) else reference, ""
    if not math.isnan(margin):
        top, low = y.at(middle + margin), y.at(middle - margin)
        size = {"width": END - LEFT, "height": max(low - top, 0.0)}
        found = element("rect", x=LEFT, y=top, class_="margin", **size)
    if not math.isnan(reference) and y.holds(reference):
        found += across(y.at(reference), "zero")
    return found
