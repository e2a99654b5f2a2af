"""A value beside the one it should be, or over a range that is claimed, on pages: a strip.

It is as wide as there is room. Strips beside values have one scale, that of the differences that
pass; those over ranges have the scale of their table.
"""

import math
from collections.abc import Sequence

from rankexp.charts import marks
from rankexp.charts.marks import element
from rankexp.charts.model import Ends

VIEW = 3.2  # differences that pass, to either side
HEIGHT = 12.0


def strip(off: float) -> str:
    """Return a picture: a bar is the value that should be, a line what passes, a dot the value.

    `off` is the difference in units of what passes; a thin line reaches to two of them. What lies
    out of view ends in an arrow. Where nothing is known there is no picture.
    """
    if math.isnan(off):
        return ""
    middle, found = HEIGHT / 2, ""
    for reach, kind in ((2.0, "near"), (1.0, "passes")):
        x1, x2 = _share(-reach), _share(reach)
        found += element("line", x1=x1, x2=x2, y1=middle, y2=middle, class_=kind)
    found += element("line", x1="50%", x2="50%", y1=1.0, y2=HEIGHT - 1, class_="print")
    if abs(off) <= VIEW:
        found += marks.shape(None, _share(off), middle, 3.2, class_="here")
    else:
        found += marks.arrow(off > 0, "98%" if off > 0 else "2%", middle)
    return element("svg", found, width="100%", height=HEIGHT, class_="beside", aria_hidden="true")


def over(value: float, ends: Ends | None, claimed: Ends, view: Sequence[float]) -> str:
    """Return a picture of a value with its interval over the range claimed, which is a band.

    `view` holds the numbers that the strip must show; ranges without an end reach to its edge.
    """
    low, high = min(view, default=math.nan), max(view, default=math.nan)
    if not math.isfinite(value) or not math.isfinite(high - low) or low == high:
        return ""

    def at(number: float) -> float:
        return round(min(max(4 + 92 * (number - low) / (high - low), 0.0), 100.0), 1)

    middle, (first, last) = HEIGHT / 2, (at(claimed[0]), at(claimed[1]))
    size = {"x": f"{first:g}%", "width": f"{max(last - first, 0.6):.3g}%"}
    found = element("rect", class_="claimed", y=0, height=HEIGHT, **size)
    if ends is not None:
        x1, x2 = (f"{at(end):g}%" for end in ends)
        found += element("line", x1=x1, x2=x2, y1=middle, y2=middle, class_="line ink")
    found += marks.shape(None, f"{at(value):g}%", middle, 3.2, class_="here")
    return element("svg", found, width="100%", height=HEIGHT, class_="beside", aria_hidden="true")


def _share(off: float) -> str:
    """Return where a difference stands, in percent of the width."""
    return f"{round(50 + 48 * off / VIEW, 1):g}%"
