"""The frame that all figures share: size, style, panels, legends, labels. Blocks draw data only.

Figures are readable on paper, safe for colour-blind readers, and the same bytes each time. Text
is never taken for mathematics: a label ``income >$50K`` is drawn as it stands.
"""

import math
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from rankexp.charts.letters import LONGEST, SIZE, in_letters, inches, wrapped
from rankexp.charts.model import Share

if TYPE_CHECKING:
    import matplotlib.axes
    import matplotlib.figure
    from matplotlib.artist import Artist

# Named here for all blocks: matplotlib is imported where something is drawn, as it takes long.
Axes: TypeAlias = "matplotlib.axes.Axes"
Figure: TypeAlias = "matplotlib.figure.Figure"

COLOURS = ["#0072B2", "#D55E00", "#00855F", "#B97700", "#2A93D5", "#B0508E", "#857A00", "#666666"]
"""Okabe and Ito's palette, the light ones darker: each has a contrast of 3:1 to white."""
MARKERS = "osD^vP*X"  # shapes of methods; further ones have the same shapes, hollow
STYLES = ["-", "-.", ":", (0, (3, 1, 1, 1, 1, 1)), (0, (5, 1)), "--"]  # of lines
SMALL = 7.5
KINDS: dict[str, dict[str, Any]] = {  # of files; nothing in them changes with time or place
    "png": {"Software": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}
DPI = 200
REMARK = "#b00000"
LINE = 0.17  # height of a line at the usual size, inches
HANDLE = 0.57  # width of a legend's handle with the space around it, inches
WIDEST = 0.93  # share of a figure's width that a legend may take: letters are drawn on whole dots
MARGIN = 0.8  # width of the labels of y, inches


def styled() -> AbstractContextManager[None]:
    """Return a context in which matplotlib draws in this style."""
    import matplotlib as mpl

    return mpl.rc_context(fname=Path(__file__).with_name("figures.mplstyle"))


def colour(place: int) -> str:
    """Return the colour of the method at this place."""
    return COLOURS[place % len(COLOURS)]


def mark(place: int) -> dict[str, Any]:
    """Return the shape of the method at this place, and how it is filled."""
    n = len(MARKERS)
    return {"marker": MARKERS[place % n], "fillstyle": "full" if place < n else "none"}


def panels(
    count: int,
    columns: int,
    size: tuple[float, float],
    *,
    heights: Sequence[float] = (1.0,),
    below: float = 0.0,
    share: Share = "none",
) -> tuple[Figure, list[Axes]]:
    """Return a figure and the axes of its panels, row by row; places left over stay empty.

    At most `columns` panels stand side by side, each of a size in inches. `heights` are those of
    the parts of a panel, one below the other, in proportion: the axes returned are those of the
    first panel from above, then those of the second. `below` is the height for a legend, in
    inches; `share` says which panels have the same x and y.
    """
    from matplotlib.figure import Figure

    columns = max(min(columns, count), 1)
    rows = max(-(-count // columns), 1)
    figure = Figure(figsize=(size[0] * columns, size[1] * rows + below))
    figure.set_layout_engine("constrained", w_pad=0.06, h_pad=0.05)
    parts, ratios = len(heights), [*heights] * rows
    same = "none" if share == "span" else share  # spans differ in where they begin
    axes = figure.subplots(
        rows * parts, columns, squeeze=False, sharex=same, sharey=same, height_ratios=ratios
    )
    ordered = axes.reshape(rows, parts, columns).transpose(0, 2, 1).ravel()
    for unused in ordered[count * parts :]:
        unused.set_visible(False)
    for lowest in ordered[: count * parts][-columns:]:
        lowest.tick_params(labelbottom=True)  # also above a place left over
    return figure, list(ordered[: count * parts])


def panel_width(axes: Axes) -> float:
    """Return the width of a panel with its labels, inches."""
    spec, figure = axes.get_subplotspec(), axes.get_figure()
    assert spec is not None and figure is not None
    return float(figure.bbox.width / figure.dpi) / spec.get_gridspec().ncols


def title(axes: Axes, *texts: object, bold: bool = False) -> None:
    """Write texts from a study above a panel, each on lines of its own."""
    room = (panel_width(axes) - MARGIN) / (1.3 if bold else 1.06)  # titles are larger
    lines = [wrapped(text, room, max(LONGEST, 2 * room)) for text in texts]
    axes.set_title("\n".join(lines), fontweight="bold" if bold else "normal")


def legend(figure: Figure, handles: Sequence["Artist"] | None = None) -> None:
    """Put a legend below the panels: each label once, in as many columns as there is room for."""
    found: dict[str, Any] = {str(one.get_label()): one for one in handles or ()}
    for axes in figure.axes if handles is None else ():
        for one, label in zip(*axes.get_legend_handles_labels(), strict=True):
            found.setdefault(label, one)
    if not found:
        return
    width, height = figure.get_size_inches()
    sizes = [inches(label) + HANDLE for label in found]
    for rows in range(1, len(found) + 1):  # so many in each column
        if sum(max(sizes[at : at + rows]) for at in range(0, len(found), rows)) <= WIDEST * width:
            break
    figure.set_size_inches(width, height + LINE * (rows - 1))
    columns = -(-len(found) // rows)
    figure.legend(list(found.values()), list(found), loc="outside lower center", ncols=columns)


def finish(figure: Figure, remarks: Sequence[str]) -> None:
    """Say above the panels what a run lacks, and write numbers of axes as pages do."""
    from matplotlib.ticker import LogFormatterMathtext, ScalarFormatter

    axes = [axis for own in figure.axes for axis in (own.xaxis, own.yaxis)]
    for made in [one.formatter for axis in axes for one in (axis.major, axis.minor)]:
        if isinstance(made, LogFormatterMathtext | ScalarFormatter):
            made.format_ticks = in_letters(made.format_ticks)  # type: ignore
            if isinstance(made, ScalarFormatter):
                made.set_scientific(False)  # 2,000,000, not 2 and 1e6 beside the title
    width, height = figure.get_size_inches()
    if said := "\n".join(wrapped(text, width, longest=math.inf) for text in remarks):
        figure.set_size_inches(width, height + LINE * (said.count("\n") + 1))
        figure.suptitle(said, color=REMARK, fontsize=SIZE)


def drawn(figure: Figure) -> Iterator[tuple[str, bytes]]:
    """Yield each kind of file, ``png`` and ``pdf``, with its content."""
    for kind, metadata in KINDS.items():
        buffer = BytesIO()
        figure.savefig(buffer, format=kind, dpi=DPI, metadata=metadata)
        yield kind, buffer.getvalue()
