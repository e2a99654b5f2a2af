"""Where the pairwise hinge loss ties points on three points: regions, and linear programs."""

from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field

from rankexp.charts import frame as figure
from rankexp.charts.model import Drawing
from rankexp.runner.analyse import compare
from rankexp.runner.config.schema import Block, Simulate
from rankexp.runner.report.context import Context
from rankexp.runner.report.heads import Head, Role, heads
from rankexp.runner.report.model import Cell, Entry, Output, Table
from rankexp.runner.report.options import BlockKind

REGISTER = {"region_map": "RegionMap"}

REGIONS = {"(1, 1)": "s", "(1, 0)": "^", "(0, 1)": "v"}
"""The differences of the scores of neighbours that regions name, and how they are drawn."""
COLOURS = {name: figure.colour(place) for place, name in enumerate(REGIONS)}
SEVERAL = "several"
OTHER = "other"
TOLERANCE = 1e-6


class RegionMap(BlockKind):
    """The map of the regions, the draws of the check `hinge_ties` on it, and a table of counts.

    Left the plane of c12 and c23, where three quadrants are a region each. In the fourth, both
    negative, it matters whether p+ or p- of the middle point is greater: right, the draws that
    fall there.
    """

    shows = (Simulate,)
    check = "hinge_ties"

    shown: Annotated[int, Field(ge=1)] = 1000
    """Draws that are drawn, the first ones; the table counts all."""

    def output(self, context: Context, block: Block) -> Output:
        """Return the figure and the table."""
        found = [compare.as_found(context.frame, name, "group") for name in block.experiments]
        draws = pd.concat(found, ignore_index=True)
        if not len(draws):
            return Output(notes=["There are no draws."])
        region = pairs(draws.region_d12, draws.region_d23)
        draws = draws.assign(region=region, program=pairs(draws.lp_d12, draws.lp_d23))
        plain = draws[draws.region != SEVERAL]
        agree, border = int((plain.region == plain.program).sum()), len(draws) - len(plain)
        rest = "; no draw is on a border between regions."
        if border:
            rest = f". In {border} more, on a border between regions, several scorings are best."
        notes = [
            "The linear program agrees with the regions in "
            f"{agree:,} of {len(plain):,} draws{rest}",
            "Points are ordered by p+/p-, the largest first. In the best scoring r(x1) - r(x2) "
            "and r(x2) - r(x3) are 0 or 1. If one is 0, the hinge loss ties two points that the "
            "likelihood ratio tells apart. c12 = p+(x1)/p-(x1) - (p+(x2) + p+(x3))/p-(x2), c23 = "
            "p-(x3)/p+(x3) - (p-(x2) + p-(x1))/p+(x2).",
            "Figure: colours show the regions. Marks show the program's results for the first "
            f"{min(self.shown, len(draws)):,} draws and are hollow if several scorings are best. "
            "Axes on the left are linear from −1 to 1 and logarithmic beyond.",
        ]
        table = counts(draws, agree, len(plain) - agree)
        return Output(draws, [table], Drawing(draw(draws.head(self.shown))), notes, gist=notes[0])


def pairs(first: pd.Series, second: pd.Series) -> list[str]:
    """Name differences of neighbours' scores, (n,) each; NaN is several, no 0 or 1 other."""
    names = []
    for both in zip(first, second, strict=True):
        near = np.round(both)
        name = f"({near[0]:g}, {near[1]:g})"
        known = name in REGIONS and np.abs(near - both).max() <= TOLERANCE
        names.append(SEVERAL if np.isnan(both).any() else name if known else OTHER)
    return names


def counts(draws: pd.DataFrame, *agree: int) -> Table:
    """Return the draws of each region; of all, in how many the program agrees and does not."""
    rows: list[list[Entry]] = []
    for region in [*REGIONS, SEVERAL]:
        own = draws[draws.region == region]
        same = int((own.program == region).sum())
        share = Cell(100 * len(own) / len(draws), digits=1)
        told = (same, len(own) - same) if region != SEVERAL else (Cell(), Cell())
        rows.append([region, len(own), share, *told])
    rows.append(["all", len(draws), "100", *agree])
    header = [*heads(Role.LABEL, "Region"), *heads(Role.COUNT, "Draws")]
    header += [Head("Share of draws", Role.VALUE, unit="%")]
    header += heads(Role.COUNT, "Program finds the same", "Another")
    return Table(header, rows, "Differences of neighbours' scores by region")


def draw(draws: pd.DataFrame) -> figure.Figure:
    """Return the two planes."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    made, (left, right) = figure.panels(2, 2, (3.4, 3.1), below=0.48)
    _ratios(left, draws)
    _middle(right, draws[(draws.c12 < 0) & (draws.c23 < 0)])
    handles: list[Patch | Line2D] = [
        Line2D([], [], color=COLOURS[name], marker=mark, ls="", ms=4, label=f"differences {name}")
        for name, mark in REGIONS.items()
    ]
    handles += [Patch(facecolor="#dddddd", label="ground in their colours: by theory")]
    figure.legend(made, handles)
    return made


def _ratios(axes: figure.Axes, draws: pd.DataFrame) -> None:
    limit = 1.3 * float(draws[["c12", "c23"]].abs().max().max()) + 1.0
    for colour, (x, y) in zip(COLOURS.values(), [(1, 1), (1, -1), (-1, 1)], strict=True):
        axes.fill_between([0, x * limit], 0, y * limit, color=colour, alpha=0.2, linewidth=0)
    axes.set(xscale="symlog", yscale="symlog", xlim=(-limit, limit), ylim=(-limit, limit))
    ticks = [sign * 10.0**power for sign in (-1, 1) for power in (2, 4, 6)]
    ticks = [0.0, *(tick for tick in ticks if abs(tick) < limit)]
    axes.set(xticks=ticks, yticks=ticks, xlabel="c12", ylabel="c23")
    figure.title(axes, "all draws", bold=True)
    _marks(axes, draws, "c12", "c23")
    box = {"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1.5}
    axes.text(0.03, 0.03, "decided on the right", transform=axes.transAxes, fontsize=7, bbox=box)
    axes.axhline(0, color="#444444", linewidth=0.7)
    axes.axvline(0, color="#444444", linewidth=0.7)


def _middle(axes: figure.Axes, draws: pd.DataFrame) -> None:
    """Draw p+(x2) against p-(x2) - p+(x2): regions meet where they are equal."""
    draws = draws.assign(more=draws.p_minus_2 - draws.p_plus_2)
    width = 1.08 * float(draws.p_plus_2.max()) if len(draws) else 1.0
    height = 1.15 * float(draws.more.abs().max()) if len(draws) else 1.0
    for side in (1, -1):
        colour = COLOURS["(1, 0)" if side > 0 else "(0, 1)"]
        axes.fill_between([0, width], 0, side * height, color=colour, alpha=0.2, linewidth=0)
    _marks(axes, draws, "p_plus_2", "more")
    axes.set(xlim=(0, width), ylim=(-height, height))
    axes.set(xlabel="p+(x2)", ylabel="p−(x2) − p+(x2)")
    figure.title(axes, "draws with c12 < 0 and c23 < 0", bold=True)
    axes.axhline(0, color="#444444", linewidth=0.7)


def _marks(axes: figure.Axes, draws: pd.DataFrame, x: str, y: str) -> None:
    for (region, program), own in draws.groupby(["region", "program"], sort=False):
        colour = COLOURS.get(str(program), "black")
        axes.scatter(
            own[x],
            own[y],
            s=9,
            marker=REGIONS.get(str(program), "X"),
            facecolors="none" if region == SEVERAL else colour,
            edgecolors=colour if region == SEVERAL else "white",
            linewidths=0.7 if region == SEVERAL else 0.25,
            zorder=3,
        )
