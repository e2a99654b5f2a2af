"""What a block hands back: numbers, tables made of text, a figure, notes."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Grid:
    """A table as it is read: every cell is text.

    Attributes
    ----------
    header : list of str
    rows : list of list of str
        Each as long as the header.
    caption : str
    detail : bool
        Whether the terminal leaves it out.
    """

    header: list[str]
    rows: list[list[str]]
    caption: str = ""
    detail: bool = False


@dataclass(frozen=True)
class Output:
    """All that one block shows.

    Attributes
    ----------
    numbers : DataFrame or None
        Full precision, for the .csv.
    grids : list of Grid
        For .md, .tex and the terminal.
    figure : Figure or None
        For .png and .pdf.
    notes : list of str
        Sentences below.
    incomplete : list of str
        What the run lacks; shown in the body of every file.
    lead : list of str
        Paragraphs above the tables, for what is said rather than listed.
    """

    numbers: "pd.DataFrame | None" = None
    grids: list[Grid] = field(default_factory=list)
    figure: "Figure | None" = None
    notes: list[str] = field(default_factory=list)
    incomplete: list[str] = field(default_factory=list)
    lead: list[str] = field(default_factory=list)
