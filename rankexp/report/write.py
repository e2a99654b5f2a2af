"""Write what a block shows; the same numbers give the same bytes."""

from io import BytesIO
from pathlib import Path

import pandas as pd

from rankexp.report import text
from rankexp.report.output import Output
from rankexp.report.style import DPI, METADATA
from rankexp.run.store import write_atomically


def write_text(path: Path, content: str) -> Path:
    """Write a text file, never half of it, and return its path (see `write_atomically`)."""
    write_atomically(path, content.encode("utf-8"))
    return path


def csv_text(table: pd.DataFrame) -> str:
    """Return a table as CSV: full precision, an empty field for what is not there."""
    return str(table.to_csv(index=False, lineterminator="\n"))


def write_output(folder: Path, name: str, output: Output) -> list[Path]:
    """Write a block's files, ``name.csv``, ``.md``, ``.tex``, ``.png``, ``.pdf``."""
    written = []
    if output.numbers is not None:
        state = " ".join(output.incomplete) or "complete"
        table = output.numbers.assign(run=state)
        written.append(write_text(folder / f"{name}.csv", csv_text(table)))
    if output.grids:
        markdown = text.markdown_output(output) + "\n"
        written.append(write_text(folder / f"{name}.md", markdown))
        written.append(write_text(folder / f"{name}.tex", text.tex_output(output) + "\n"))
    if output.figure is not None:
        written += [_write_figure(folder / f"{name}.{kind}", output, kind) for kind in METADATA]
    return written


def _write_figure(path: Path, output: Output, kind: str) -> Path:
    assert output.figure is not None
    buffer = BytesIO()
    output.figure.savefig(buffer, format=kind, dpi=DPI, metadata=METADATA[kind])
    write_atomically(path, buffer.getvalue())
    return path
