"""Charts on paper: matplotlib draws what a chart says."""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from rankexp.charts import frame
from rankexp.charts.frame import Axes, Figure, colour
from rankexp.charts.letters import literal, wrapped
from rankexp.charts.model import Axis, Chart, Drawing, Intervals, Line, Lines, Map, OwnPanel
from rankexp.charts.numbers import number, short
from rankexp.charts.scale import levelled

if TYPE_CHECKING:
    from matplotlib.axis import Axis as Side

INK, GREY, PALE = "black", "#444444", "#e6e6e6"
ROOM = 0.5  # of the width of what is of no importance: so much is in view on either side of it
SPREAD = 0.6  # height that the methods of one row share
NAMES = 0.34  # of the width of a panel: so wide are the names of its rows
CALLED, MOST_LINES = 0.6, 3  # of the width of a panel: lines of what a side is called
DARK = 0.55  # of the largest value: beyond it a cell's number is white
MANY = 5  # powers of ten along x
DASHED = ["--", ":", "-."]  # lines of no method
PLAIN = (5e-4, 2e5)  # numbers of logarithmic sides that are not written as powers


def painted(chart: Chart | Drawing) -> Figure:
    """Return a chart as a figure."""
    if isinstance(chart, Drawing):
        return chart.figure
    if isinstance(first := chart.panels[0], OwnPanel):
        return first.painted(chart)
    how: dict[str, Any] = {"below": chart.below, "share": chart.share}
    made, axes = frame.panels(len(chart.panels), chart.columns, chart.size, **how)
    shown = levelled(chart) if chart.share == "span" else chart.panels
    for panel, own in zip(shown, axes, strict=True):
        if isinstance(panel, Lines):
            _lines(own, panel, chart.strokes)
        elif isinstance(panel, Intervals):
            _intervals(own, panel)
        elif isinstance(panel, Map):
            _map(own, panel)
        if panel.title:
            frame.title(own, panel.title, bold=True)
        own.tick_params(labelleft=True, labelbottom=True)
    frame.legend(made)
    return made


def named(axis: Axis, inches: float) -> str:
    """Return what an axis is called, with its better side, on lines of a width."""
    text = wrapped(axis.label, inches)
    return f"{text}\n({axis.direction})" if axis.better else text


def reference(axes: Axes, margin: float, at: float) -> None:
    """Draw a line across, with what it is, and the band of what is of no importance."""
    if not math.isnan(margin):
        middle = 0.0 if math.isnan(at) else at
        axes.axhspan(middle - margin, middle + margin, color=PALE, zorder=0, linewidth=0)
    if not math.isnan(at):
        axes.axhline(at, color=INK, linewidth=0.9, zorder=1)


def _lines(axes: Axes, panel: Lines, strokes: Mapping[str, int]) -> None:
    above = sum(line.method is not None and not line.marked for line in panel.lines)
    for line in panel.lines:
        above -= line.method is not None and not line.marked
        _line(axes, line, above, DASHED[strokes.get(line.label, 0) % len(DASHED)])
    reference(axes, panel.margin, panel.reference)
    for edge in panel.window:
        axes.axvline(edge, color="#aaaaaa", linewidth=0.6, linestyle=":")
    _sides(axes, panel.x, panel.y)
    axes.set_xlabel(literal(panel.x.label))
    axes.set_ylabel(named(panel.y, 0.8 * axes.get_window_extent().height / axes.figure.dpi))


def _sides(axes: Axes, x: Axis, y: Axis) -> None:
    """Set the scales, limits and ticks of both sides."""
    across, up = (axes.set_xscale, axes.set_xlim), (axes.set_yscale, axes.set_ylim)
    for axis, own, (scale, limit) in ((x, axes.xaxis, across), (y, axes.yaxis, up)):
        if axis.log:
            scale("log")
        if not math.isnan(axis.low):
            limit(axis.low, None)
        if not math.isnan(axis.high):
            limit(None, axis.high)
        if axis.log:
            _ticks(own)


def _ticks(side: "Side") -> None:
    """Write plain numbers along a logarithmic side, and more than one."""
    from matplotlib.ticker import FuncFormatter, LogLocator

    low, high = side.get_view_interval()
    decades = math.floor(math.log10(high)) - math.ceil(math.log10(low))
    if decades < 1:
        side.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    elif decades >= MANY and side is side.axes.xaxis:  # "10,000" and "100,000" have no room
        side.set_major_locator(LogLocator(numticks=MANY))
    if low >= PLAIN[0] and high <= PLAIN[1]:
        side.set_major_formatter(FuncFormatter(lambda at, _: short(at)))
    side.set_minor_formatter("")


def _line(axes: Axes, line: Line, above: int, dashed: str) -> None:
    """Draw a line; curves below others are wider, and their strokes differ, so that all show."""
    curve = not line.marked
    style: dict[str, Any] = {"color": GREY if line.faint else INK, "linewidth": 0.9, "marker": "."}
    if line.method is not None:
        style = frame.mark(line.method) | {"color": colour(line.method), "linewidth": 1.4}
    style |= {"marker": "None", "linewidth": 1.4 + min(0.45 * above, 1.4)} if curve else {}
    style |= {"linewidth": 0.7} if line.faint else {}
    stroke = frame.STYLES[(line.method or 0) % len(frame.STYLES)] if curve else "-"
    style |= {"linestyle": dashed if line.dashed else stroke, "markersize": 3.0}
    axes.plot(line.x, line.y, label=literal(line.label), **style)
    own = style["color"]
    if line.low is not None and line.high is not None:
        if line.around == "band" and len(line.x) > 1:
            axes.fill_between(line.x, line.low, line.high, color=own, alpha=0.18, linewidth=0)
        else:  # a band of one point is nothing
            axes.vlines(line.x, line.low, line.high, color=own, linewidth=1.0)
    if line.sizes is not None:
        taken = line.sizes > 0
        axes.scatter(line.x[taken], line.y[taken], s=90 * line.sizes[taken], color=own, zorder=3)


def _intervals(axes: Axes, panel: Intervals) -> None:
    labels, many, dpi = panel.labels, len(panel.methods), axes.figure.dpi
    room = max(1.5, NAMES * axes.get_window_extent().width / dpi)
    low, high = panel.axis.low, panel.axis.high  # a line without an end would not be drawn
    view = (-math.inf, math.inf) if math.isnan(low + high) else (low, high)
    for row in panel.rows:
        beside = row.method * (SPREAD / (many - 1)) - SPREAD / 2 if many > 1 else 0.0
        place, own = labels.index(row.label) + beside, colour(row.method)
        label = literal(panel.methods[row.method]) if many > 1 else None
        mark = frame.mark(row.method) | {"linestyle": "None", "label": label, "zorder": 3}
        mark |= {} if row.decided else {"markerfacecolor": "white", "fillstyle": "full"}
        for ends, width in (((row.low, row.high), 1.4), (row.near, 3.0)):
            seen = np.clip(ends, *view)
            axes.plot(seen, [place] * 2, color=own, lw=width, solid_capstyle="butt")
        axes.plot([row.value], [place], color=own, markersize=6.5 if row.pooled else 4.5, **mark)
    axes.set_yticks(range(len(labels)), [wrapped(text, room) for text in labels])
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(max(len(labels), 1) - 0.5, -0.5)
    if not math.isnan(panel.reference):
        label = literal(panel.said) if panel.said else None
        axes.axvline(panel.reference, color=INK, lw=0.9, zorder=1, label=label)
    if panel.shaded:
        low, high = panel.shaded
        axes.axvspan(low, high, color="#dddddd", zorder=0, linewidth=0)
        left, right = axes.get_xlim()  # what is tiny shall not look large
        beyond = ROOM * (high - low)
        axes.set_xlim(min(left, low - beyond), max(right, high + beyond))
    axes.grid(visible=False, axis="y")
    axes.grid(visible=True, axis="x")
    if panel.axis.log:
        _sides(axes, panel.axis, Axis())
    else:
        axes.locator_params(axis="x", nbins=5)
        _cut(axes, panel)
    axes.set_xlabel(_directed(panel.axis, CALLED * axes.get_window_extent().width / dpi))


def _cut(axes: Axes, panel: Intervals) -> None:
    """End the side where it is told to; an interval that goes on has an arrow there."""
    low, high = panel.axis.low, panel.axis.high
    if math.isnan(low + high):
        return
    axes.set_xlim(low, high)
    for row in panel.rows:
        place, own = panel.labels.index(row.label), colour(row.method)
        for beyond, at, mark in ((row.low < low, low, "<"), (row.high > high, high, ">")):
            if beyond:
                axes.plot([at], [place], mark, color=own, markersize=6, clip_on=False)


def _directed(axis: Axis, room: float) -> str:
    """Return what a side is called, with words at its ends for what is better there."""
    label = "\n".join(wrapped(text, room, MOST_LINES * room) for text in axis.label.split("\n"))
    lines = label.split("\n")
    low, high = axis.ends
    if low or high:
        lines[0] = f"← {low}    {lines[0]}    {high} →"
    elif axis.better:
        lines[0] += f" ({axis.direction})"
    return "\n".join(lines)


def _map(axes: Axes, panel: Map) -> None:
    """Draw a cell a value with its number; red is worse, pale is not shown to differ."""
    worse = -1.0 if panel.axis.better == "higher" else 1.0
    most = panel.most if panel.most > 0 else float(np.nanmax(np.abs(panel.values), initial=1e-12))
    shown = np.ones(panel.values.shape, bool) if panel.shown is None else panel.shown
    for y, x in np.argwhere(~np.isnan(panel.values)).tolist():
        value = float(panel.values[y, x])
        style: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": 6.8}
        shade = "white" if abs(value) > DARK * most and shown[y, x] else INK
        axes.text(x, y, number(value, 3, sign=True), color=shade, **style)
    faint = np.where(shown, 1.0, 0.35).astype(np.float64)
    image = axes.imshow(
        worse * panel.values, cmap="RdBu_r", vmin=-most, vmax=most, aspect="auto", alpha=faint
    )
    axes.set_xticks(range(len(panel.columns)), list(map(literal, panel.columns)))
    axes.set_yticks(range(len(panel.rows)), list(map(literal, panel.rows)))
    axes.set(xlabel=literal(panel.column), ylabel=literal(panel.row))
    axes.grid(visible=False)
    bar = axes.figure.colorbar(image, ax=axes, ticks=[-most, 0, most], shrink=0.8)
    ends = ((-most, "better"), (0.0, ""), (most, "worse"))
    bar.ax.set_yticklabels([f"{number(worse * end, 3, sign=True)}\n{word}" for end, word in ends])
    bar.ax.tick_params(labelsize=6.8)
