"""Boxes with the value of every unit, on pages."""

import math
from collections.abc import Iterator
from itertools import chain

import numpy as np

from rankexp.charts import marks
from rankexp.charts.frame import MOST_DOTS
from rankexp.charts.marks import Given, element, text
from rankexp.charts.model import Axis, Box, Boxes
from rankexp.charts.scale import Scale
from rankexp.charts.web.sides import (
    BOTTOM,
    END,
    HEIGHT,
    LEFT,
    LOW,
    TOP,
    across,
    band,
    framed,
    sides,
    upright,
)

GOLDEN = 0.6180339887  # spreads dots evenly
WIDEST, LETTER = 60.0, 6.2  # a box, and a letter of its label, pixels


def boxes(panel: Boxes) -> str:
    """Return a panel of boxes, and their differences below it."""
    return _drawn(panel, HEIGHT) + (_drawn(panel.below, LOW) if panel.below else "")


def _drawn(panel: Boxes, height: float) -> str:
    floor, count = height - BOTTOM, max(len(panel.boxes), 1)
    zero = math.nan if math.isnan(panel.margin) else 0.0
    means = chain(*(box.mean for box in panel.boxes if box.mean))
    values = chain(*(box.values for box in panel.boxes), means, [panel.line, zero])
    y = Scale.over(values, panel.axis, floor, TOP)
    found = [band(y, panel.margin, zero), sides(None, y)]
    if not math.isnan(panel.line):
        at = y.at(panel.line)
        found.append(across(at, "ink dashed"))
        found.append(text(panel.said, END, at - 4, class_="tick", text_anchor="end"))
    step = (END - LEFT) / count
    for place, box in enumerate(panel.boxes):
        x, room = LEFT + step * (place + 0.5), int(step / LETTER)
        found.append(_box(box, panel.axis, x, min(step * 0.5, WIDEST), y))
        label = box.label if len(box.label) <= room else f"{box.label[: max(room - 1, 0)]}…"
        found.append(text(label, x, floor + 16, class_="tick", text_anchor="middle"))
    return framed("".join(found), height, None, panel.axis)


def _box(box: Box, axis: Axis, x: float, width: float, y: Scale) -> str:
    """Return quartiles, whiskers to 1.5 times their distance, the values as dots, the mean."""
    values = box.values[np.isfinite(box.values)]
    if not len(values):
        return ""
    low, middle, high = (float(v) for v in np.quantile(values, [0.25, 0.5, 0.75]))
    reach = 1.5 * (high - low)
    ends = values[(values >= low - reach) & (values <= high + reach)]
    top, bottom, half = y.at(high), y.at(low), width / 2
    say = marks.said(axis, f"{box.label}, median of {len(values)}", middle, (low, high))
    size: dict[str, Given] = {"width": width, "height": max(bottom - top, 1.0), "data_say": say}
    lies: dict[str, Given] = {
        "x1": x - half,
        "x2": x + half,
        "y1": y.at(middle),
        "y2": y.at(middle),
    }
    found = [
        upright(x, y.at(float(ends.max())), top),
        upright(x, bottom, y.at(float(ends.min()))),
        element("rect", x=x - half, y=top, class_=f"box {marks.kind(box.method)}", **size),
        element("line", class_="ink thick", **lies),
        *_dots(box, axis, x, width, y),
    ]
    if box.mean and all(map(math.isfinite, box.mean)):
        mean, *around = box.mean
        beside = x + half + 8
        say = marks.said(axis, f"{box.label}, mean", mean, (around[0], around[1]))
        found.append(upright(beside, y.at(around[1]), y.at(around[0])))
        found.append(marks.shape(2, beside, y.at(mean), 3.4, class_="ink", data_say=say))
    return "".join(found)


def _dots(box: Box, axis: Axis, x: float, width: float, y: Scale) -> Iterator[str]:
    """Yield a dot a value, beside each other in steps that spread them; the same each time."""
    if len(box.values) > MOST_DOTS:
        return
    ranks = np.argsort(np.argsort(box.values))
    for place, (value, rank) in enumerate(zip(box.values, ranks, strict=True)):
        if not math.isfinite(value):
            continue
        unit = box.units[place] if box.units else f"unit {place + 1}"
        say = marks.said(axis, f"{box.label}, {unit}", float(value))
        shift = 0.7 * width * (float(rank) * GOLDEN % 1.0 - 0.5)
        at = {"cx": round(x + shift, 1), "cy": y.at(float(value))}
        yield element("circle", r=2.2, class_="dot", data_unit=unit, data_say=say, **at)
