"""Where numbers stand along a side of a panel, and which of them are written there."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from rankexp.charts.model import Axis, Chart, Lines, Panel
from rankexp.charts.numbers import printed, short

STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)  # of ticks, times a power of ten
ROOM = 0.05  # of the range, on either side of the data
TICKS = 5  # at most, about
MOST, LEAST = 1e200, 1e-200  # numbers beyond stand where these do
LONGEST = 7  # letters of a number
CLOSE = 1e-9  # numbers that differ by less, relatively, are one


@dataclass(frozen=True)
class Scale:
    """A range of numbers, and the pixels that it is drawn over."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    @classmethod
    def over(cls, values: Iterable[float], axis: Axis, start: float, end: float) -> "Scale":
        """Return the scale of some values, with room around them; NaN is left out."""
        log = axis.log

        def place(value: float) -> float:
            value = min(max(value, LEAST if log else -MOST), MOST)
            return math.log10(value) if log else value

        known = [v for v in values if math.isfinite(v) and (v > 0 or not log)] or [1.0]
        low, high = place(min(known)), place(max(known))
        room = ROOM * (high - low if high - low > CLOSE * max(abs(low), abs(high)) else abs(low))
        room = room if room > LEAST else 1.0
        ends = [low - room, high + room]
        for side, given in enumerate((axis.low, axis.high)):
            if math.isfinite(given) and (given > 0 or not log):
                ends[side] = place(given)
        if ends[1] - ends[0] <= CLOSE * max(map(abs, ends)):  # what was given leaves out all
            ends = [low - room, high + room]
        return cls(ends[0], ends[1], start, end, log)

    def at(self, value: float) -> float:
        """Return the pixel of a value; what lies outside stands at the nearer end."""
        if self.log:
            value = math.log10(value) if value > 0 else self.low
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return round(self.start + share * (self.end - self.start), 1)

    def holds(self, value: float) -> bool:
        """Whether a value is in view."""
        return self.low <= (math.log10(value) if self.log and value > 0 else value) <= self.high

    def ticks(self) -> list[tuple[float, str]]:
        """Return the pixel and the text of each tick."""
        if self.log:
            return self._decades()
        values = self._whole()
        texts = list(map(_written, values))
        if len({*texts}) < len(texts):  # with an offset: what they are beyond the first
            texts[1:] = [f"+{short(value - values[0])}" for value in values[1:]]
        return [(self.at(value), text) for value, text in zip(values, texts, strict=True)]

    def _whole(self) -> list[float]:
        rough = (self.high - self.low) / TICKS
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(power * s for s in STEPS if power * s >= rough * (1 - 1e-9))
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [float(f"{place * step:.10g}") for place in range(first, last + 1)]

    def _decades(self) -> list[tuple[float, str]]:
        first, last = math.ceil(self.low - 1e-9), math.floor(self.high + 1e-9)
        every = max(1, math.ceil((last - first) / TICKS))
        values = [10.0**power for power in range(first, last + 1, every)]
        if len(values) < 2:  # too narrow for powers
            parts = (n * 10.0**power for power in range(first - 1, last + 1) for n in (1, 2, 5))
            own = Scale(10.0**self.low, 10.0**self.high, self.start, self.end)
            values = list(filter(self.holds, parts))
            values = values if len(values) > 3 else [v for v in own._whole() if v > 0]
        return [(self.at(value), _written(float(f"{value:.6g}"))) for value in values]


def _written(value: float) -> str:
    """Return a number as a tick has room for it: ``100,000``, ``1e6``."""
    text, power = short(value), f"{value:.1e}"
    fits = len(text) <= LONGEST or float(power) != value
    return text if fits else printed(power.replace(".0e", "e"))


def levelled(chart: Chart) -> list[Panel]:
    """Return the panels of a chart; lines have the sides of y that they share, where they do."""
    panels, many = list(chart.panels), len(chart.panels)
    step = {"none": 1, "row": chart.columns}.get(chart.share, many) or 1
    return list(chain(*(_alike(panels[i : i + step], chart) for i in range(0, many, step))))


def _alike(panels: Sequence[Panel], chart: Chart) -> Sequence[Panel]:
    lines = [one for one in panels if isinstance(one, Lines)]
    own = [_ends(one) for one in lines]
    given = [one.y.log or not math.isnan(one.y.low * one.y.high) for one in lines]
    if len(lines) < max(len(panels), 2) or any(given) or not all(map(math.isfinite, chain(*own))):
        return panels
    lows, highs = zip(*own, strict=True)
    if chart.share == "span":
        most = max(high - low for low, high in own)
        ends = [(low - ROOM * most, low + (1 + ROOM) * most) for low in lows]
    else:
        room = ROOM * (max(highs) - min(lows))
        ends = [(min(lows) - room, max(highs) + room)] * len(lines)
    ended = zip(lines, ends, strict=True)
    return [replace(one, y=replace(one.y, low=low, high=high)) for one, (low, high) in ended]


def _ends(panel: Lines) -> tuple[float, float]:
    """Return the least and the largest of what is drawn over y; NaN where there is nothing."""
    sides = chain(*((one.y, one.low, one.high) for one in panel.lines))
    drawn = chain(*(side for side in sides if side is not None), [panel.reference])
    known = list(filter(math.isfinite, drawn))
    return (min(known), max(known)) if known else (math.nan, math.nan)
