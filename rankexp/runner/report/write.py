"""The files of a block; the same numbers give the same bytes."""

from rankexp.runner.report.figure import drawn
from rankexp.runner.report.model import Output
from rankexp.runner.report.render import csv, latex, markdown

RENDERERS = (csv, markdown, latex)  # each makes a file of text a block


def files(name: str, output: Output) -> dict[str, bytes]:
    """Return a block's files by name: ``name.png``, ``.pdf``, ``.csv``, ``.md``, ``.tex``."""
    made = {}
    if output.figure is not None:
        made = {f"{name}.{kind}": content for kind, content in drawn(output.figure)}
    for renderer in RENDERERS:
        content = renderer.render(output)
        if content is not None:
            made[f"{name}.{renderer.SUFFIX}"] = content.encode()
    return made
