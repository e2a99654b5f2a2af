"""Charts as data: what is drawn, with its units and its margin, apart from how it is drawn.

`model` has the kinds of panels: intervals, lines and maps, and drawings of any other kind. `paint`
draws them by matplotlib, for paper; `web` for pages, in HTML and SVG. Both have one palette:
methods differ by colour and by shape.

>>> from rankexp.charts.model import Axis, Chart, Intervals, Interval
>>> rows = [Interval("heart", 0.004, -0.001, 0.009), Interval("all", 0.001, -0.002, 0.003)]
>>> panel = Intervals("", rows, Axis("AUC of pairs minus points", better="higher"), margin=0.01)
>>> from rankexp.charts.web import web
>>> web(Chart([panel])).count("<circle")
2
"""
