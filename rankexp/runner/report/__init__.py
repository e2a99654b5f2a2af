"""From records to tables, figures and the page that shows them in order.

A study's `report:` lists blocks. A block makes data of records: columns and cells, a figure,
sentences. Renderers write them as Markdown, LaTeX, CSV and text for the terminal.
"""
