"""A value beside the one it should be, on pages: a strip as wide as there is room.

All strips have one scale, that of the differences that pass.
"""

import math

from rankexp.charts import marks
from rankexp.charts.marks import element

VIEW = 3.2  # differences that pass, to either side
HEIGHT = 12.0


def strip(off: float) -> str:
    """Return a picture: a bar is the value that should be, a line what passes, a dot the value.

    `off` is the difference in units of what passes; a thin line reaches to two of them. What lies
    out of view ends in an arrow. Where nothing is known there is no picture.
    """
    if math.isnan(off):
        return ""
    middle = HEIGHT / 2
    found = _along(2.0, "near") + _along(1.0, "passes")
    found += element("line", x1="50%", x2="50%", y1=1.0, y2=HEIGHT - 1, class_="print")
    if abs(off) <= VIEW:
        found += marks.shape(None, f"{_share(off):g}%", middle, 3.2, class_="here")
    else:
        points = "-6,-4 0,0 -6,4" if off > 0 else "6,-4 0,0 6,4"
        arrow = element("polyline", points=points, class_="line ink")
        at = "98%" if off > 0 else "2%"
        found += element("svg", arrow, x=at, y=middle, overflow="visible")
    return element("svg", found, width="100%", height=HEIGHT, class_="beside", aria_hidden="true")


def _share(off: float) -> float:
    """Return where a difference stands, in percent of the width."""
    return round(50 + 48 * off / VIEW, 1)


def _along(reach: float, kind: str) -> str:
    at, ends = HEIGHT / 2, (f"{_share(-reach):g}%", f"{_share(reach):g}%")
    return element("line", x1=ends[0], x2=ends[1], y1=at, y2=at, class_=kind)
