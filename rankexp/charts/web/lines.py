"""Lines along a number, on pages."""

import math
from collections.abc import Mapping, Sequence
from itertools import chain

from rankexp.charts import marks
from rankexp.charts.marks import element
from rankexp.charts.model import Line, Lines
from rankexp.charts.numbers import number
from rankexp.charts.scale import Scale
from rankexp.charts.web import direct
from rankexp.charts.web.sides import BOTTOM, END, HEIGHT, LEFT, TOP, band, framed, sides, upright

DASHES = 3  # strokes of dashed lines
NEAR = 0.7  # pixels: points of curves that are nearer look like one
INSIDE = 6.0  # pixels between a side and the first point


def lines(panel: Lines, strokes: Mapping[str, int]) -> str:
    """Return a panel of lines; `strokes` are places of those that are of no method."""
    x = Scale.over(chain(*(line.x for line in panel.lines)), panel.x, LEFT + INSIDE, END - INSIDE)
    around = [e for line in panel.lines for e in (line.low, line.high) if e is not None]
    values = chain(*(line.y for line in panel.lines), *around, [panel.reference])
    y = Scale.over(values, panel.y, HEIGHT - BOTTOM, TOP)
    edges = [upright(x.at(e), TOP, HEIGHT - BOTTOM, "zero dashed") for e in panel.window]
    curves = [_line(line, panel, x, y, stroked(line, strokes)) for line in panel.lines]
    drawn = "".join(edges + curves)
    content = band(y, panel.margin, panel.reference) + sides(x, y)
    if math.isfinite(panel.y.high):  # curves may go on outside the sides
        size: dict[str, float] = {"width": END - LEFT, "height": HEIGHT - BOTTOM - TOP}
        view = f"{LEFT:g} {TOP:g} {size['width']:g} {size['height']:g}"
        drawn = element("svg", drawn, x=LEFT, y=TOP, **size, viewBox=view)
    content += drawn
    if direct.fits(panel):
        kinds = {line.label: stroked(line, strokes) for line in panel.lines}
        content += direct.labels(panel, y, kinds)
    return framed(content, HEIGHT, panel.x, panel.y, direct.room(panel))


def stroked(line: Line, strokes: Mapping[str, int]) -> str:
    """Return the classes of a line: its colour and its stroke."""
    found = [f"line {marks.kind(line.method)}", *["faint"] * line.faint]
    if line.dashed:
        found.append(f"dashed d{strokes.get(line.label, 0) % DASHES}")
    return " ".join([*found, *["curve"] * (not line.marked and line.method is not None)])


def _line(line: Line, panel: Lines, x: Scale, y: Scale, classes: str) -> str:
    known = [i for i in range(len(line.x)) if math.isfinite(line.x[i] + line.y[i])]
    at = [(x.at(float(line.x[i])), y.at(float(line.y[i]))) for i in known]
    found = [_around(line, known, x, y)]
    if len(at) > 1:
        shown = at if line.marked else _thinned(at)
        found.append(element("polyline", points=_path(shown), class_=classes))
    for i, place in zip(known, at, strict=True) if line.marked else ():
        share = 0.0 if line.sizes is None else float(line.sizes[i])
        size, told = 3.0 + 4.0 * share**0.5, _said(line, panel, i, share)
        found.append(marks.shape(line.method, *place, size, data_say=told))
    return "".join(found)


def _said(line: Line, panel: Lines, i: int, share: float) -> str:
    ends = marks.UNKNOWN
    if line.low is not None and line.high is not None:
        ends = (float(line.low[i]), float(line.high[i]))
    where = f"{line.label or panel.y.label}, {panel.x.label} {in_words(float(line.x[i]))}"
    chosen = f", chosen {100 * share:.0f} % of the times" * (share > 0)
    return marks.said(panel.y, where, float(line.y[i]), ends) + chosen


def _thinned(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return a curve without points that stand where the last does; its ends stay."""
    kept = [points[0]]
    for x, y in points[1:-1]:
        if max(abs(x - kept[-1][0]), abs(y - kept[-1][1])) > NEAR:
            kept.append((x, y))
    return [*kept, points[-1]]


def _path(points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{a:g},{b:g}" for a, b in points)


def _around(line: Line, known: Sequence[int], x: Scale, y: Scale) -> str:
    """Return a band or bars, where it is known."""
    if line.low is None or line.high is None:
        return ""
    colour = marks.kind(line.method)
    ends = [
        (x.at(float(line.x[i])), y.at(float(line.low[i])), y.at(float(line.high[i])))
        for i in known
        if math.isfinite(line.low[i] + line.high[i])
    ]
    if line.around == "bars" or len(ends) == 1:
        return "".join(upright(*one, f"bar {colour}") for one in ends)
    edge = [(a, high) for a, _, high in ends] + [(a, low) for a, low, _ in reversed(ends)]
    return element("polygon", points=_path(edge), class_=f"band {colour}")


def in_words(value: float) -> str:
    """Return a number of an axis: whole ones without decimals."""
    return number(value, 0) if value == int(value) else number(float(f"{value:.4g}"), 4)
