"""Write what a block shows; the same numbers give the same bytes."""

from collections.abc import Mapping
from pathlib import Path

from rankexp.files import write_atomically
from rankexp.report.figure import KINDS, drawn
from rankexp.report.model import Output
from rankexp.report.render import csv, latex, markdown

RENDERERS = (csv, markdown, latex)
"""Each writes a file of text a block."""


def texts(name: str, output: Output) -> dict[str, str]:
    """Return a block's files of text by name: ``name.csv``, ``.md``, ``.tex``."""
    found = {f"{name}.{renderer.SUFFIX}": renderer.render(output) for renderer in RENDERERS}
    return {file: content for file, content in found.items() if content is not None}


def pictures(name: str, output: Output) -> list[str]:
    """Return the names of the files of a block's figure."""
    return [f"{name}.{kind}" for kind in KINDS] if output.figure is not None else []


def write_texts(folder: Path, contents: Mapping[str, str]) -> list[Path]:
    """Write text files, never half of one, and return their paths (see `write_atomically`)."""
    for file, content in contents.items():
        write_atomically(folder / file, content.encode("utf-8"))
    return [folder / file for file in contents]


def write_figure(folder: Path, name: str, output: Output) -> list[Path]:
    """Write ``name.png`` and ``name.pdf`` where a block has a figure."""
    if output.figure is None:
        return []
    for kind, content in drawn(output.figure):
        write_atomically(folder / f"{name}.{kind}", content)
    return [folder / file for file in pictures(name, output)]
