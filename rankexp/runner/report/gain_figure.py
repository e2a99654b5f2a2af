"""All methods with their intervals, and what training on pairs gains beside the margin."""

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rankexp.runner.report import figure
from rankexp.runner.report.gain_words import named
from rankexp.runner.report.gains import Gains
from rankexp.runner.report.numbers import short

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH, FRAME, ROW = 3.6, 1.1, 0.26
"""Of a panel; of what is around its rows; of a row: inches."""
BESIDE = 0.5
"""Of the width of what is of no importance: so much is in view on either side of it."""


def draw(found: Gains, label: Callable[[str], str]) -> "Figure":
    """Return two panels: the methods, best above; each contrast with the band of the margin."""
    rows = max(len(found.standings), 3)
    made, (left, right) = figure.panels(2, 2, (WIDTH, FRAME + ROW * rows))
    known = [one for one in found.standings if one.known]
    _intervals(
        left,
        [(one.mean, one.low, one.high) for one in known],
        [label(one.method) for one in known],
        figure.colour(0),
    )
    percent = f"{100 * found.level:g} %"
    unknown = all(math.isnan(one.low) for one in known)
    interval = f"{'no' if unknown else percent} interval"
    left.set_xlabel(
        f"{named(found.metric)}, {interval} \n(grey: within {short(found.margin)} of the best)"
    )
    if known:
        best = known[0].mean
        behind = best - found.margin if best >= known[-1].mean else best + found.margin
        _band(left, *sorted((best, behind)))
    shown = {pair: own for pair, own in found.contrasts.items() if own.n}
    _intervals(
        right,
        [(own.difference, own.low_all, own.high_all) for own in shown.values()],
        [f"{label(pair)} − {label(found.pairs[pair])}" for pair in shown],
        figure.colour(1),
    )
    _band(right, -found.margin, found.margin)
    right.axvline(0.0, color="black", linewidth=0.9, zorder=1)
    right.set_xlabel(
        f"pairs minus points, {percent} interval\n(grey: less than {short(found.margin)})"
    )
    return made


def _band(axes: "Axes", low: float, high: float) -> None:
    """Shade what is of no importance, and show more: what is tiny shall not look large."""
    axes.axvspan(low, high, color="#dddddd", zorder=0, linewidth=0)
    beside = BESIDE * (high - low)
    left, right = axes.get_xlim()
    axes.set_xlim(min(left, low - beside), max(right, high + beside))


def _intervals(
    axes: "Axes", values: Sequence[tuple[float, float, float]], labels: Sequence[str], colour: str
) -> None:
    """Draw a row a value with its interval, the first above; unknown intervals are left out."""
    for place, (middle, low, high) in enumerate(values):
        axes.plot([low, high], [place, place], color=colour, linewidth=1.6, solid_capstyle="butt")
        axes.plot([middle], [place], "o", color=colour, markersize=4.5)
    axes.set_yticks(range(len(labels)), [figure.wrapped(text, 1.5) for text in labels])
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(max(len(labels), 1) - 0.5, -0.5)
    axes.grid(visible=False, axis="y")
    axes.grid(visible=True, axis="x")
    axes.locator_params(axis="x", nbins=5)
