"""Charts on pages: HTML with SVG in it, which a style sheet colours and a script may walk through.

Each mark has what it says in words, ``data-say``. Nothing is needed to see a chart: no script, no
file. Panels are as wide as a telephone, so that letters keep their size everywhere.
"""

import math

from rankexp.charts import marks
from rankexp.charts.marks import element, words
from rankexp.charts.model import Chart, Intervals, Lines, Map, OwnPanel, Panel
from rankexp.charts.scale import levelled
from rankexp.charts.web import direct
from rankexp.charts.web.cells import cells
from rankexp.charts.web.lines import lines, stroked
from rankexp.charts.web.rows import rows
from rankexp.charts.web.sides import WIDTH

GREY = "Grey: too small to matter."
NEAR = " Thin line: the interval in brackets. Thick line: equivalent if it lies within the grey."
HOLLOW = " Hollow: undecided."
WINDOW = "Curves are compared between the dashed verticals."
SLIGHT = " Slightly better or worse: a difference is shown, but it is within the grey."


def web(chart: Chart) -> str:
    """Return a chart as markup."""
    panels = "".join(_panel(panel, chart) for panel in levelled(chart))
    wide = any(isinstance(one, Intervals) for one in chart.panels)
    inside = element("div", panels, class_="panels") + _legend(chart) + _key(chart)
    return element("div", inside, class_="chart wide" if wide else "chart", data_chart="")


def points(chart: Chart) -> int:
    """Return how many marks a chart has."""
    found = sum(len(line.x) for p in chart.panels if isinstance(p, Lines) for line in p.lines)
    found += sum(one.marks for one in chart.panels if isinstance(one, OwnPanel))
    found += sum(len(one.rows) for one in chart.panels if isinstance(one, Intervals))
    return found + sum(one.values.size for one in chart.panels if isinstance(one, Map))


def _panel(panel: Panel, chart: Chart) -> str:
    found, style = element("figcaption", words(panel.title)) if panel.title else "", None
    if isinstance(panel, Lines):
        found += lines(panel, chart.strokes)
        style = f"width: {WIDTH + more:g}px" if (more := direct.room(panel)) else None
    elif isinstance(panel, OwnPanel):
        found += panel.web()
    else:
        found += rows(panel) if isinstance(panel, Intervals) else cells(panel)
    return element("figure", found, class_="panel", style=style)


def _legend(chart: Chart) -> str:
    """Return what each shape and colour is, where a panel does not say it."""
    if all(isinstance(one, Lines) and direct.says(one) for one in chart.panels):
        return ""
    by_label = {one.label: one for p in chart.panels if isinstance(p, Lines) for one in p.lines}
    named, items = [(None, label) for label in chart.strokes if label], ""
    methods = [(at, label) for at, label in chart.methods.items() if label]
    for place, label in [*(methods if len(chart.methods) + len(named) > 1 else ()), *named]:
        line, mark = by_label.get(label), marks.shape(place, 8.0, 8.0)
        if line and (place is None or not line.marked):  # a piece of it
            mark = element("line", x1=0, x2=16, y1=8, y2=8, class_=stroked(line, chart.strokes))
        icon = element("svg", mark, width=16, height=16, aria_hidden="true")
        items += element("li", icon + words(label))
    return element("ul", items, class_="legend") if items else ""


def _key(chart: Chart) -> str:
    """Return what is of no importance, and how verdicts on it are read that have intervals."""
    known = any(not math.isnan(getattr(one, "margin", math.nan)) for one in chart.panels)
    rows = [row for one in chart.panels if isinstance(one, Intervals) for row in one.rows]
    near = any(math.isfinite(sum(row.near)) for row in rows)
    told = GREY + NEAR * near + HOLLOW * any(not row.decided for row in rows)
    told += SLIGHT * any("slightly" in row.said for row in rows)
    told = told * known + WINDOW * any(getattr(one, "window", ()) for one in chart.panels)
    return element("p", words(told), class_="axis told") if told else ""
