"""From records to tables, figures and the page that shows them in order.

A study's `report:` lists blocks. A block makes data of records: columns and cells, a figure,
sentences. Renderers write them as Markdown, LaTeX, CSV and text for the terminal.

>>> from rankexp.runner.report.model import Cell, Table
>>> from rankexp.runner.report.render import markdown, terminal
>>> table = Table(["Method", "Rank loss"], [["points", Cell(0.1234, error=0.0021)]], "Table 1")
>>> print(terminal.table(table))
Table 1
Method      Rank loss
---------------------
points  .1234 ± .0021
>>> print(markdown.table(table).splitlines()[-1])
| points | .1234 ± .0021 |
"""
