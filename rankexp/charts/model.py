"""What charts are made of, as data: panels of intervals, lines, maps or own ones; a drawing."""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np

from rankexp.arrays import Floats

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAN = math.nan
Better = Literal["", "lower", "higher"]
Ends = tuple[float, float]  # of an interval, or of a range
Share = Literal["none", "all", "row", "span"]  # span: y as long in all, each from its own least


@dataclass(frozen=True)
class Axis:
    """What the numbers along a side are, with their unit, and which of them are better."""

    label: str = ""
    log: bool = False
    better: Better = ""
    low: float = NAN  # where the axis begins and ends; NaN: as the data do
    high: float = NAN
    digits: int = 4  # decimals of its numbers in words
    sides: tuple[str, str] | None = None  # what differences below and above 0 are; default: better

    @property
    def ends(self) -> tuple[str, str]:
        """What differences below and above 0 are, in words; empty where neither side is better."""
        words = ("better", "worse") if self.better else ("", "")
        return self.sides or (words[::-1] if self.better == "higher" else words)

    @property
    def direction(self) -> str:
        """Which side is better, in words; empty where neither is."""
        return f"{self.better} is better" if self.better else ""


@dataclass(frozen=True)
class Interval:
    """A value with its interval, in a row of its label; several methods may share a row."""

    label: str
    value: float
    low: float = NAN
    high: float = NAN
    near: Ends = (NAN, NAN)  # what must lie within the margin to be equivalent
    method: int = 0  # place in the chart's methods, which have a colour and a shape each
    decided: bool = True  # what is undecided is drawn hollow
    pooled: bool = False  # over all the others
    said: str = ""  # the verdict in a word or two
    told: str = ""  # its numbers, where they are shown in other units than they are drawn


@dataclass(frozen=True)
class Intervals:
    """Values with their intervals, a row a label, beside a reference and a margin."""

    title: str
    rows: Sequence[Interval]
    axis: Axis
    margin: float = NAN  # differences within it are of no importance
    reference: float = NAN  # where a line stands
    shade: Ends | None = None  # what is of no importance; default: the margin's
    methods: Sequence[str] = ()  # for a legend, where rows have several
    said: str = ""  # what the line at the reference is

    @property
    def labels(self) -> list[str]:
        """The rows' labels, each once."""
        return list(dict.fromkeys(row.label for row in self.rows))

    @property
    def shaded(self) -> Ends | None:
        """Where values are of no importance; None where nothing is said of it."""
        if self.shade is not None or math.isnan(self.margin):
            return self.shade
        middle = 0.0 if math.isnan(self.reference) else self.reference
        return (middle - self.margin, middle + self.margin)


@dataclass(frozen=True)
class Line:
    """Points joined in their order, with what is around them."""

    label: str
    x: Floats  # (n,)
    y: Floats  # (n,)
    low: Floats | None = None  # (n,), with `high`: what lies around the points
    high: Floats | None = None
    around: Literal["band", "bars"] = "band"
    method: int | None = None  # None for what is no method, such as theory: black
    dashed: bool = False
    marked: bool = True  # whether points are marked
    faint: bool = False  # an example among others, or a line to compare with
    sizes: Floats | None = None  # (n,), shares: how often each point was chosen


@dataclass(frozen=True)
class Lines:
    """Lines along a number."""

    title: str
    lines: Sequence[Line]
    x: Axis
    y: Axis
    margin: float = NAN
    reference: float = NAN
    said: str = ""  # what the line at the reference is
    window: Sequence[float] = ()  # ends of the range of x in which lines are compared


@dataclass(frozen=True)
class Map:
    """A value a cell; red is worse, whatever the values are."""

    title: str
    rows: Sequence[str]
    columns: Sequence[str]
    values: Floats  # (rows, columns); NaN where there is none
    row: str = ""  # what the rows are
    column: str = ""
    axis: Axis = field(default_factory=Axis)  # what the values are
    shown: np.ndarray | None = None  # (rows, columns): whether a difference is shown; rest hatched
    blank: str = ""  # why cells are blank
    most: float = NAN  # the value that has the darkest colour


@dataclass(frozen=True)
class Drawing:
    """A picture that is drawn by hand: a tree, a diagram of ranks."""

    figure: "Figure"


class OwnPanel(ABC):
    """A panel of a kind that a study has for itself, and draws in its own way."""

    title: str

    @property
    @abstractmethod
    def marks(self) -> int:
        """How many marks it has."""

    @abstractmethod
    def web(self) -> str:
        """Return what stands below its title on a page."""

    @abstractmethod
    def painted(self, chart: "Chart") -> "Figure":
        """Return the figure of a chart whose panels are all of this kind."""


Panel = Intervals | Lines | Map | OwnPanel


@dataclass(frozen=True)
class Chart:
    """Panels of one kind, in rows of so many."""

    panels: Sequence[Panel]
    columns: int = 1
    size: tuple[float, float] = (3.5, 2.7)  # of a panel on paper, inches
    share: Share = "none"  # which panels have the same axes
    below: float = 0.3  # height of the legend on paper, inches

    @property
    def strokes(self) -> Mapping[str, int]:
        """The places of lines that are of no method or dashed, by label: each has its stroke."""
        lines = (line for one in self.panels if isinstance(one, Lines) for line in one.lines)
        named = [one.label for one in lines if one.dashed or one.method is None]
        return {label: place for place, label in enumerate(dict.fromkeys(named))}

    @property
    def methods(self) -> Mapping[int, str]:
        """The labels of what has a colour and a shape, by place."""
        found: dict[int, str] = {}
        for panel in self.panels:
            if isinstance(panel, Lines):
                own = [(line.method, line.label) for line in panel.lines if not line.dashed]
                found = {place: label for place, label in own if place is not None} | found
            elif isinstance(panel, Intervals):
                found |= dict(enumerate(panel.methods))
        return dict(sorted(found.items()))
