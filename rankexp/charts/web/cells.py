"""Maps on pages: tables whose cells have colours."""

import math

import numpy as np

from rankexp.charts import marks
from rankexp.charts.marks import element, words
from rankexp.charts.model import Map
from rankexp.charts.numbers import number

STEPS = 5  # of colour on either side of nothing


def cells(panel: Map) -> str:
    """Return a table: red is worse, blue better, hatched not shown to differ."""
    known = float(np.max(np.abs(panel.values[np.isfinite(panel.values)]), initial=1e-12))
    most = panel.most if panel.most > 0 else known
    corner = f"{panel.row} \\ {panel.column}" if panel.row else panel.column
    head = "".join(element("th", words(name), scope="col") for name in panel.columns)
    made = [element("tr", element("td", words(corner), class_="corner") + head)]
    for y, name in enumerate(panel.rows):
        own = "".join(_cell(panel, (y, x), most) for x in range(len(panel.columns)))
        made.append(element("tr", element("th", words(name), scope="row") + own))
    meant = "red is worse, blue is better, hatched is not shown to differ"
    label = element("p", words(f"{panel.axis.label}; {meant}"), class_="axis")
    blank = element("p", words(panel.blank), class_="axis") if panel.blank else ""
    return label + element("table", "".join(made), class_="map") + blank


def _cell(panel: Map, at: tuple[int, int], most: float) -> str:
    if math.isnan(value := float(panel.values[at])):
        return element("td", "", class_="blank")
    worse = (value > 0) != (panel.axis.better == "higher")
    step = min(STEPS, math.ceil(min(abs(value) / most, 1.0) * STEPS - 1e-9))
    shown = panel.shown is None or bool(panel.shown[at])
    named = f"{panel.row} {panel.rows[at[0]]}, {panel.column} {panel.columns[at[1]]}"
    say = marks.said(panel.axis, named, value, signed=True) + ", not shown to differ" * (not shown)
    colour = f"{'w' if worse else 'b'}{step}" if step else ""
    classes = " ".join(filter(None, [colour, "" if shown else "open"]))
    return element("td", number(value, 3, sign=True), class_=classes or None, data_say=say)
