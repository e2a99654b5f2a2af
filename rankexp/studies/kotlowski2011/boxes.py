"""Boxes with the value of every unit, on paper and on pages, and their differences below."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from rankexp.arrays import Floats
from rankexp.charts import frame, marks
from rankexp.charts.frame import Axes, Figure
from rankexp.charts.letters import literal, wrapped
from rankexp.charts.marks import Given, element, text, words
from rankexp.charts.model import NAN, Axis, Chart, OwnPanel
from rankexp.charts.paint import INK, named, reference
from rankexp.charts.scale import Scale
from rankexp.charts.web.sides import (
    BOTTOM,
    END,
    HEIGHT,
    LEFT,
    TOP,
    across,
    band,
    framed,
    sides,
    upright,
)

MOST_DOTS = 50  # values of a box that are shown as dots, too
DOTS, GOLDEN = 0.34, 0.6180339887  # width of a cloud of dots in places; share of a step in it
ASLANT = 1.4  # width of a label aslant beyond which it is cut, inches
MOST_LINES = 3  # of a label below a place
BESIDE = 0.36  # of a box: where its mean stands
UPPER, LOWER = 1.55, 1.0  # heights of boxes and of the differences below them
WIDEST, LETTER = 60.0, 6.2  # a box, and a letter of its label, pixels
LOW = 150.0  # height of differences on pages, pixels


@dataclass(frozen=True)
class Box:
    """The values of a method, one a unit, and perhaps the interval of their mean."""

    label: str
    values: Floats  # (n,)
    method: int = 0
    units: Sequence[str] = ()  # what each value is of; the same in all boxes of a panel
    mean: tuple[float, float, float] | None = None  # of the values, with its interval


@dataclass(frozen=True)
class Boxes(OwnPanel):
    """A box a method, and perhaps their paired differences to one of them below."""

    title: str
    boxes: Sequence[Box]
    axis: Axis
    unit: str = ""  # what a value is of: ``model``
    line: float = NAN  # a value that is known, drawn across
    said: str = ""  # what it is
    margin: float = NAN
    below: "Boxes | None" = None
    told: str = ""  # what is seen, in a sentence

    @property
    def marks(self) -> int:
        """How many values there are."""
        own = sum(len(box.values) for box in self.boxes)
        return own + (self.below.marks if self.below else 0)

    def web(self) -> str:
        """Return the boxes, their differences below them, and what is seen."""
        told = element("p", words(self.told), class_="axis told") if self.told else ""
        return _drawn(self, HEIGHT) + (_drawn(self.below, LOW) if self.below else "") + told

    def painted(self, chart: Chart) -> Figure:
        """Return rows of panels on one axis each, and their differences below on one for all."""
        panels = [one for one in chart.panels if isinstance(one, Boxes)]
        lower = any(panel.below for panel in panels)
        width, height = chart.size
        heights = [UPPER, LOWER] if lower else [1.0]
        size = (width, height if lower else 0.62 * height)
        made, axes = frame.panels(len(panels), chart.columns, size, heights=heights)
        upper = axes[:: len(heights)]
        for panel, own in zip(panels, upper, strict=True):
            _boxed(own, panel, height)
            if not math.isnan(panel.line):
                own.axhline(panel.line, color=INK, linestyle=(0, (5, 3)), linewidth=1.0)
                _note(own, panel.said, (len(panel.boxes) - 0.42, panel.line), ha="right")
            frame.title(own, panel.title, bold=True)
        for start in range(0, len(upper), chart.columns):
            _alike(upper[start : start + chart.columns])
        for panel, own in zip(panels, axes[1::2], strict=True) if lower else ():
            if panel.below:
                _boxed(own, panel.below, height)
                reference(own, panel.below.margin, 0.0)
        _alike(axes[1::2] if lower else [])
        made.align_ylabels()
        return made


def _boxed(axes: Axes, panel: Boxes, height: float) -> None:
    places = [box.method for box in panel.boxes]
    _boxplot(axes, [box.values for box in panel.boxes], colours=places)
    _name_places(axes, [box.label for box in panel.boxes])
    for x, mean in ((x, box.mean) for x, box in enumerate(panel.boxes) if box.mean):
        axes.plot([x + BESIDE] * 2, mean[1:], color=INK, linewidth=1.0)
        axes.plot([x + BESIDE], mean[:1], "D", color=INK, markersize=2.5)
    axes.set_ylabel(named(panel.axis, 0.35 * height))


def _boxplot(
    axes: Axes,
    values: Sequence[Floats],
    whiskers: float | tuple[float, float] = 1.5,
    colours: Sequence[int] | None = None,
) -> None:
    """Draw a box a method at x = 0, 1, ...; a method without values has none.

    `whiskers` is as in matplotlib: multiples of the box's height, or two percentages. `colours`
    are places of the methods, where others stand at x. Few values are shown as dots, too.
    """
    few = max(map(len, values), default=0) <= MOST_DOTS
    for place in (place for place, own in enumerate(values) if len(own)):
        axes.boxplot(
            values[place],
            positions=[place],
            widths=0.55,
            whis=whiskers,
            patch_artist=True,
            manage_ticks=False,
            showfliers=not few,
            boxprops={
                "facecolor": frame.colour(colours[place] if colours else place),
                "alpha": 0.75,
                "linewidth": 0.9,
            },
            medianprops={"color": "black", "linewidth": 1.3},
            whiskerprops={"linewidth": 0.9},
            capprops={"linewidth": 0.9},
            flierprops={"marker": "o", "markersize": 2.6, "markeredgewidth": 0.7},
        )
    if few:
        _dotted(axes, values)
    axes.set_xlim(-0.6, len(values) - 0.4)


def _dotted(axes: Axes, values: Sequence[Floats]) -> None:
    """Draw each value as a dot beside the middle of its box, at x = 0, 1, ...; always the same."""
    for place, own in enumerate(values):
        # Golden steps spread any number of dots evenly, neighbours in value far apart.
        shift = (np.argsort(np.argsort(own)) * GOLDEN) % 1.0 - 0.5
        axes.plot(place + DOTS * shift, own, "o", color="black", alpha=0.35, ms=1.8, mew=0)


def _name_places(axes: Axes, labels: Sequence[str]) -> None:
    """Name places 0, 1, ... along x, on as many lines as needed; aslant where they are narrow."""
    room = (frame.panel_width(axes) - frame.MARGIN) / max(len(labels), 1)
    texts = [wrapped(label, 0.9 * room) for label in labels]
    how: dict[str, Any] = {}
    if max((text.count("\n") for text in texts), default=0) >= MOST_LINES:
        texts = [literal(label, ASLANT) for label in labels]
        how = {"rotation": 30, "ha": "right", "rotation_mode": "anchor"}
    axes.set_xticks(range(len(texts)), texts, **how)
    axes.tick_params(axis="x", length=0)


def _note(axes: Axes, text: str, place: tuple[float, float], **style: Any) -> None:
    """Write a few words of our own just above a place."""
    style |= {"textcoords": "offset points", "va": "bottom", "fontsize": frame.SMALL}
    axes.annotate(text, place, xytext=(0, 2.5), **style)


def _alike(axes: Sequence[Axes]) -> None:
    """Give panels one range of y, that of all of them."""
    if axes:
        ends = [own.get_ylim() for own in axes]
        for own in axes:
            own.set_ylim(min(low for low, _ in ends), max(high for _, high in ends))


def _drawn(panel: Boxes, height: float) -> str:
    floor, count = height - BOTTOM, max(len(panel.boxes), 1)
    zero = math.nan if math.isnan(panel.margin) else 0.0
    means = chain(*(box.mean for box in panel.boxes if box.mean))
    values = chain(*(box.values for box in panel.boxes), means, [panel.line, zero])
    y = Scale.over(values, panel.axis, floor, TOP)
    found = [band(y, panel.margin, zero), sides(None, y)]
    if not math.isnan(panel.line):
        at = y.at(panel.line)
        found.append(across(at, "ink dashed"))
        found.append(text(panel.said, END, at - 4, class_="tick", text_anchor="end"))
    step = (END - LEFT) / count
    for place, box in enumerate(panel.boxes):
        x, room = LEFT + step * (place + 0.5), int(step / LETTER)
        found.append(_box(box, panel, x, min(step * 0.5, WIDEST), y))
        label = box.label if len(box.label) <= room else f"{box.label[: max(room - 1, 0)]}…"
        found.append(text(label, x, floor + 16, class_="tick", text_anchor="middle"))
    return framed("".join(found), height, None, panel.axis)


def _box(box: Box, panel: Boxes, x: float, width: float, y: Scale) -> str:
    """Return quartiles, whiskers to 1.5 times their distance, the values as dots, the mean."""
    values = box.values[np.isfinite(box.values)]
    if not len(values):
        return ""
    low, middle, high = (float(v) for v in np.quantile(values, [0.25, 0.5, 0.75]))
    reach = 1.5 * (high - low)
    ends = values[(values >= low - reach) & (values <= high + reach)]
    top, bottom, half = y.at(high), y.at(low), width / 2
    axis = panel.axis
    say = marks.said(axis, f"{box.label}, median of {len(values)}", middle, (low, high))
    size: dict[str, Given] = {"width": width, "height": max(bottom - top, 1.0), "data_say": say}
    lies: dict[str, Given] = {
        "x1": x - half,
        "x2": x + half,
        "y1": y.at(middle),
        "y2": y.at(middle),
    }
    found = [
        upright(x, y.at(float(ends.max())), top),
        upright(x, bottom, y.at(float(ends.min()))),
        element("rect", x=x - half, y=top, class_=f"box {marks.kind(box.method)}", **size),
        element("line", class_="ink thick", **lies),
        *_dots(box, panel, x, width, y),
    ]
    if box.mean and all(map(math.isfinite, box.mean)):
        mean, *around = box.mean
        beside = x + half + 8
        say = marks.said(axis, f"{box.label}, mean", mean, (around[0], around[1]))
        found.append(upright(beside, y.at(around[1]), y.at(around[0])))
        found.append(marks.shape(2, beside, y.at(mean), 3.4, class_="ink", data_say=say))
    return "".join(found)


def _dots(box: Box, panel: Boxes, x: float, width: float, y: Scale) -> Iterator[str]:
    """Yield a dot a value, beside each other in steps that spread them; the same each time."""
    if len(box.values) > MOST_DOTS:
        return
    ranks = np.argsort(np.argsort(box.values))
    for place, (value, rank) in enumerate(zip(box.values, ranks, strict=True)):
        if not math.isfinite(value):
            continue
        unit = box.units[place] if box.units else f"{panel.unit or 'unit'} {place + 1}"
        say = marks.said(panel.axis, f"{box.label}, {unit}", float(value))
        shift = 0.7 * width * (float(rank) * GOLDEN % 1.0 - 0.5)
        at = {"cx": round(x + shift, 1), "cy": y.at(float(value))}
        yield element("circle", r=2.2, class_="dot", data_unit=place, data_say=say, **at)
