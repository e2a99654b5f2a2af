"""Charts on pages: HTML with SVG in it, which a style sheet colours and a script may walk through.

Each mark has what it says in words, ``data-say``. Nothing is needed to see a chart: no script, no
file. Panels are as wide as a telephone, so that letters keep their size everywhere.
"""

from itertools import chain

from rankexp.charts import marks
from rankexp.charts.marks import element, words
from rankexp.charts.model import Boxes, Chart, Intervals, Lines, Panel
from rankexp.charts.web.boxes import boxes
from rankexp.charts.web.cells import cells
from rankexp.charts.web.lines import lines
from rankexp.charts.web.rows import rows


def web(chart: Chart) -> str:
    """Return a chart as markup."""
    panels = "".join(element("figure", _panel(one), class_="panel") for one in chart.panels)
    wide = any(isinstance(one, Intervals) for one in chart.panels)
    inside = element("div", panels, class_="panels") + _legend(chart)
    return element("div", inside, class_="chart wide" if wide else "chart", data_chart="")


def points(chart: Chart) -> int:
    """Return how many marks a chart has."""
    return sum(map(_points, chart.panels))


def _points(panel: Panel) -> int:
    if isinstance(panel, Lines):
        return sum(len(line.x) for line in panel.lines)
    if isinstance(panel, Boxes):
        own = sum(len(box.values) for box in panel.boxes)
        return own + (_points(panel.below) if panel.below else 0)
    return len(panel.rows) if isinstance(panel, Intervals) else panel.values.size


def _panel(panel: Panel) -> str:
    title = element("figcaption", words(panel.title)) if panel.title else ""
    if isinstance(panel, Lines):
        return title + lines(panel)
    if isinstance(panel, Boxes):
        told = element("p", words(panel.told), class_="axis told") if panel.told else ""
        return title + boxes(panel) + told
    return title + (rows(panel) if isinstance(panel, Intervals) else cells(panel))


def _legend(chart: Chart) -> str:
    """Return what each shape and colour is, where a panel does not say it."""
    methods = chart.methods if len(chart.methods) > 1 else {}
    items = [_item(marks.shape(place, 8.0, 8.0), label) for place, label in methods.items()]
    others = chain.from_iterable(p.lines for p in chart.panels if isinstance(p, Lines))
    named = {one.label: one for one in others if one.dashed or one.method is None}
    for label, line in named.items():
        kind = f"line {marks.kind(line.method)}{' dashed' * line.dashed}{' faint' * line.faint}"
        own = element("line", x1=0, x2=16, y1=8, y2=8, class_=kind)
        items += [_item(own, label)] * bool(label)
    return element("ul", "".join(items), class_="legend") if items else ""


def _item(mark: str, label: str) -> str:
    icon = element("svg", mark, width=16, height=16, aria_hidden="true")
    return element("li", icon + words(label))
