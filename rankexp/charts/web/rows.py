"""Values with their intervals on pages: a row a label, with a strip as wide as there is room."""

import math
from collections.abc import Sequence

from rankexp.charts import marks
from rankexp.charts.marks import element, text, words
from rankexp.charts.model import Interval, Intervals
from rankexp.charts.numbers import number, span
from rankexp.charts.scale import Scale

ROW, FIRST, STEP = 24.0, 10.0, 11.0  # heights of a row, of its first method and of each further
POOLED = 5.5  # half of the width of a pooled value's mark, pixels
LOW, HIGH = 2.0, 98.0  # share of a strip's width that values are drawn over, percent


def rows(panel: Intervals) -> str:
    """Return a panel of intervals."""
    reach = [value for row in panel.rows for value in (row.value, row.low, row.high)]
    x = Scale.over([*reach, panel.reference, *(panel.shaded or ())], panel.axis, LOW, HIGH)
    made = []
    for label in panel.labels:
        own = [row for row in panel.rows if row.label == label]
        first, step, height = ROW / 2, 0.0, ROW
        if len(panel.methods) > 1:
            first, step, height = FIRST, STEP, FIRST + STEP * len(own)
        found = (_mark(panel, row, x, first + step * place) for place, row in enumerate(own))
        strip = element("svg", "".join(found), height=height, aria_hidden="true")
        cells = element("th", words(label), scope="row") + element("td", strip, class_="strip")
        cells += element("td", _numbers(panel, own))
        pooled = "pooled" if any(row.pooled for row in own) else None
        made.append(element("tr", cells, class_=pooled))
    label, above = panel.axis.label.replace("\n", " "), _ends(panel, x)
    direction = "" if above else panel.axis.direction
    head = element("p", words(", ".join(filter(None, [label, direction]))), class_="axis")
    middle = {"class_": "tick", "text_anchor": "middle"}
    ticks = "".join(text(told, f"{at:g}%", 12, **middle) for at, told in x.ticks())
    foot = _side(element("svg", ticks, height=16, aria_hidden="true"))
    several = " several" * (len(panel.methods) > 1)
    widths = '<colgroup><col class="name"/><col/><col class="told"/></colgroup>'
    content = widths + above + "".join(made) + foot
    # Where all rows have the band of what is of no importance, and the reference.
    band = [*zip(("low", "high"), panel.shaded or (), strict=False), ("zero", panel.reference)]
    style = ";".join(f"--{name}:{x.at(at):g}%" for name, at in band if not math.isnan(at)) or None
    return head + element("table", content, class_=f"intervals{several}", style=style)


def _side(drawn: str) -> str:
    """Return a row above or below all others."""
    return element("tr", f"<td></td><td>{drawn}</td><td></td>")


def _ends(panel: Intervals, x: Scale) -> str:
    """Return what lies on either side of no difference; nothing where that is not known."""
    if not any(panel.axis.ends) or math.isnan(panel.reference) or len(panel.methods) > 1:
        return ""
    low, high = panel.axis.ends
    at, drawn = x.at(panel.reference), ""
    for told, shift, anchor in ((f"← {low}", -7, "end"), (f"{high} →", 7, "start")):
        drawn += text(told, f"{at:g}%", 12, dx=shift, text_anchor=anchor, class_="tick")
    return _side(element("svg", drawn, height=16))


def _mark(panel: Intervals, row: Interval, x: Scale, at: float) -> str:
    if math.isnan(row.value):
        return ""
    several, found = len(panel.methods) > 1, ""
    named = f"{row.label}, {panel.methods[row.method]}" if several else row.label
    signed = panel.reference == 0.0
    say = marks.said(panel.axis, named, row.value, (row.low, row.high), signed=signed)
    say = f"{named}: {row.told}" if row.told else say  # as the row does
    say += f", {row.said}" * bool(row.said)
    for (low, high), kind in (((row.low, row.high), "bar"), (row.near, "bar near")):
        if math.isfinite(low + high):
            x1, x2, colour = f"{x.at(low):g}%", f"{x.at(high):g}%", marks.kind(row.method)
            found += element("line", class_=f"{kind} {colour}", x1=x1, x2=x2, y1=at, y2=at)
    sides = ((row.low, False, "0.5%"), (row.high, True, "99.5%"))
    for end, right, place in sides if math.isfinite(row.low + row.high) else ():
        if not x.holds(end):  # it leaves the view
            found += marks.arrow(right, place, at)
    size, hollow = POOLED if row.pooled else marks.SIZE, "" if row.decided else "hollow"
    place = f"{x.at(row.value):g}%"
    return found + marks.shape(row.method, place, at, size, class_=hollow, data_say=say)


def _numbers(panel: Intervals, own: Sequence[Interval]) -> str:
    """Return the numbers of a row of one method; several say theirs in turn."""
    if len(panel.methods) > 1:
        return ""
    row, signed = own[0], panel.reference == 0.0 and panel.axis.sides != ("", "")
    digits = marks.decimals(panel.axis, row.value, row.low, row.high)
    told = row.told or number(row.value, digits, sign=signed)
    if not row.told and math.isfinite(row.low + row.high):
        told += f" ({span(row.low, row.high, digits, sign=signed)})"
    return words(told) + (" " + element("b", words(row.said)) if row.said else "")
