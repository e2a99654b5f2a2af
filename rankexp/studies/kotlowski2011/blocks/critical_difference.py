"""The critical-difference diagram of Demšar (JMLR 7, 2006, sec. 3.2.4)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from rankexp.charts import frame as figure
from rankexp.charts.letters import inches, literal
from rankexp.charts.model import Drawing
from rankexp.charts.numbers import number
from rankexp.runner.config.schema import Block
from rankexp.runner.report.blocks.statistics.average_ranks import AverageRanks, RankPanel
from rankexp.runner.report.context import Context
from rankexp.runner.report.model import Output

REGISTER = {"critical_difference": "CriticalDifference"}

STEP, NARROWEST = 0.42, 1.9  # width of a rank and of an axis, inches
TOP, TITLE, ROW, BAR = 0.58, 0.3, 0.24, 0.15  # heights in inches
RANK = 0.5  # width of a label's number, inches


@dataclass(frozen=True)
class RankMark:
    """Where a method stands: its average rank, the side of its label, the row from above."""

    method: int
    rank: float
    side: str
    row: int


@dataclass(frozen=True)
class Bar:
    """Methods not told apart: from the best to the worst average rank, the row from above."""

    best: float
    worst: float
    row: int


def marks(average: "Sequence[float] | np.ndarray") -> list[RankMark]:
    """Return the marks, best first: the better half has its labels on the right.

    The outermost marks have the uppermost labels, so that no two lines cross.
    """
    order = np.argsort(average, kind="stable")
    half = (len(order) + 1) // 2
    found = []
    for place, method in enumerate(order):
        side, row = ("right", place) if place < half else ("left", len(order) - 1 - place)
        found.append(RankMark(int(method), float(average[method]), side, row))
    return found


def bars(average: "Sequence[float] | np.ndarray", groups: Sequence[Sequence[int]]) -> list[Bar]:
    """Return the bars; bars that overlap, or nearly, have rows of their own."""
    last: list[float] = []  # the worst rank in each row so far
    clear = 0.12 * (len(average) - 1)
    found = []
    for group in groups:
        best, worst = (float(average[place]) for place in (group[0], group[-1]))
        row = next((r for r, end in enumerate(last) if end + clear < best), len(last))
        last[row : row + 1] = [worst]
        found.append(Bar(best, worst, row))
    return found


def ends(bar: Bar, average: "Sequence[float] | np.ndarray", wider: float) -> tuple[float, float]:
    """Return where a bar is drawn: a little beyond its methods, never over the next one."""
    ranks = np.asarray(average, dtype=np.float64)
    below, above = ranks[ranks < bar.best], ranks[ranks > bar.worst]
    low = bar.best - below.max() if len(below) else np.inf
    high = above.min() - bar.worst if len(above) else np.inf
    return bar.best - float(min(wider, low / 3)), bar.worst + float(min(wider, high / 3))


class CriticalDifference(AverageRanks):
    """One diagram a panel of `average_ranks`: better to the right, bars join what is alike."""

    columns: Annotated[int, Field(ge=1)] = 2

    def output(self, context: Context, block: Block) -> Output:
        """Return the figure and the numbers it shows (`average_ranks` shows them as a table)."""
        panels = self.panels(context, block)
        names = list(map(context.method_label, self.needed(context, block)))
        what = "Ranks are better to the right. Bars join methods without significant differences."
        drawn = draw(panels, names, self.columns)
        return Output(self.numbers(panels), [], Drawing(drawn), [what, *self.notes(panels)])


def draw(panels: Sequence[RankPanel], labels: Sequence[str], columns: int) -> figure.Figure:
    """Return the figure, one diagram a panel."""
    names = [literal(label) for label in labels]
    label = max(map(inches, names), default=0.0) + RANK
    width = 2 * label + max(STEP * (len(names) - 1), NARROWEST)
    height = max((_height(panel) for panel in panels), default=1.0)
    made, axes = figure.panels(len(panels), columns, (width, height))
    # Labels stand in a margin on each side, in ranks.
    margin = max(len(names) - 1, 1) * label / (width - 2 * label)
    for panel, own in zip(panels, axes, strict=True):
        own.set_axis_off()
        own.set(xlim=(len(names) + margin, 1 - margin), ylim=(height - TOP - TITLE, -TOP))
        figure.title(own, panel.title, bold=True)
        _diagram(own, panel, names, margin)
    return made


def _depth(panel: RankPanel) -> float:
    """Return where the bars end and the labels begin, in inches below the axis."""
    assert panel.ranking is not None
    joined = bars(panel.ranking.average, panel.ranking.bars)
    return 0.14 + BAR * (1 + max((bar.row for bar in joined), default=-1))


def _height(panel: RankPanel) -> float:
    if panel.ranking is None:
        return 1.0
    return TOP + TITLE + _depth(panel) + ROW * ((len(panel.methods) + 1) // 2 + 0.3)


def _diagram(axes: figure.Axes, panel: RankPanel, names: Sequence[str], margin: float) -> None:
    """Draw one diagram; its coordinates are inches down and ranks across, 1 at the right."""
    count, found = len(panel.methods), panel.ranking
    if found is None:
        axes.text(0.5, 0.5, "not ranked, see below", ha="center", transform=axes.transAxes)
        return
    _axis(axes, count)
    if not math.isnan(found.critical):
        _ruler(axes, found.critical, count)
    wider = 0.012 * (count - 1 + 2 * margin)
    for bar in bars(found.average, found.bars):
        y = 0.13 + BAR * bar.row
        axes.plot(
            ends(bar, found.average, wider),
            [y, y],
            color=figure.colour(0),
            linewidth=3.2,
            solid_capstyle="butt",
            gid="bar",
        )
    for mark in marks(found.average):
        _label(axes, mark, names[mark.method], _depth(panel), count, margin)


def _axis(axes: figure.Axes, count: int) -> None:
    axes.plot([1, count], [0, 0], color="black", linewidth=1.0)
    for half in range(2, 2 * count + 1):
        whole = half % 2 == 0
        axes.plot([half / 2] * 2, [0, -0.07 if whole else -0.04], color="black", linewidth=0.9)
        if whole:
            told = "1 (best)" if half == 2 else str(half // 2)
            axes.text(half / 2, -0.1, told, ha="center", va="bottom", fontsize=8)


def _ruler(axes: figure.Axes, critical: float, count: int) -> None:
    length, y = min(critical, count - 1), -0.36
    places = (count, count - length)
    axes.plot(places, [y, y], color="#555555", linewidth=1.0)
    for end in places:
        axes.plot([end, end], [y - 0.035, y + 0.035], color="#555555", linewidth=1.0)
    cut = " (longer than the axis)" if critical > length else ""
    how: dict[str, Any] = {"ha": "center", "va": "bottom", "fontsize": figure.SMALL}
    axes.text(
        sum(places) / 2,
        y - 0.06,
        f"critical difference {number(critical, 2)}{cut}",
        color="#555555",
        **how,
    )


def _label(
    axes: figure.Axes, mark: RankMark, name: str, depth: float, count: int, margin: float
) -> None:
    y = depth + ROW * (mark.row + 0.4)
    right = mark.side == "right"
    end = 1 - 0.1 * margin if right else count + 0.1 * margin
    axes.plot([mark.rank, mark.rank, end], [0, y, y], color="black", linewidth=0.9, gid="mark")
    axes.annotate(
        f"{name}  {mark.rank:.2f}" if not right else f"{mark.rank:.2f}  {name}",
        (end, y),
        xytext=(3 if right else -3, 0),
        textcoords="offset points",
        ha="left" if right else "right",
        va="center",
    )
