"""Labels at the ends of lines, on pages, where there are few and short ones."""

import math
from collections.abc import Mapping
from itertools import accumulate

import numpy as np

from rankexp.charts import marks
from rankexp.charts.marks import element, text
from rankexp.charts.model import Line, Lines
from rankexp.charts.scale import Scale
from rankexp.charts.web.sides import BOTTOM, END, HEIGHT, TOP

MOST, LONGEST = 7, 20  # lines of a panel, and letters of a label
STEP, LETTER, MARK = 13.0, 6.1, 20.0  # between labels, of a letter, before a label: pixels


def fits(panel: Lines) -> bool:
    """Whether each line can have its label beside its end."""
    named = _named(panel)
    return len(named) > 1 and len(named) <= MOST and all(len(name) <= LONGEST for name in named)


def says(panel: Lines) -> bool:
    """Whether no legend is needed: each line has its label beside it, or none has one."""
    return fits(panel) or not _named(panel)


def room(panel: Lines) -> float:
    """Return how much wider a panel is for its labels, pixels."""
    longest = max(map(len, _named(panel)), default=0)
    return math.ceil(MARK + LETTER * longest) if fits(panel) else 0.0


def labels(panel: Lines, y: Scale, kinds: Mapping[str, str]) -> str:
    """Return the labels, apart from each other; `kinds` are the classes of lines without marks."""
    named, last, found = _named(panel), dict[str, float](), ""
    for name, line in named.items():
        if len(known := line.y[np.isfinite(line.x) & np.isfinite(line.y)]):
            last[name] = float(known[-1])
    order = sorted(last, key=last.__getitem__)[::-1]
    for name, at in zip(order, _apart([y.at(last[name]) for name in order]), strict=True):
        line = named[name]
        mark = marks.shape(line.method, END + 11, at)
        if not line.marked or line.method is None:
            mark = element("line", x1=END + 4, x2=END + 18, y1=at, y2=at, class_=kinds[name])
        found += mark + text(name, END + MARK + 2, at + 3.8, class_="tick")
    return found


def _named(panel: Lines) -> dict[str, Line]:
    """Return the lines by their labels, each once."""
    return {line.label: line for line in reversed(panel.lines) if line.label}


def _apart(wanted: list[float]) -> list[float]:
    """Return places from the top, each a step below the last, within the panel where they fit."""
    found = [*accumulate(wanted, lambda last, at: max(at, last + STEP), initial=TOP - STEP)][1:]
    lowest = HEIGHT - BOTTOM
    for place in reversed(range(len(found))):
        found[place] = min(found[place], lowest)
        lowest = found[place] - STEP
    return found
