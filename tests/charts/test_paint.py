"""Charts on paper: what matplotlib is told to draw."""

import math

import numpy as np
import pytest

from rankexp.charts.model import Axis, Chart, Interval, Intervals
from rankexp.charts.paint import painted

ROWS = [Interval("heart", 0.004, -0.001, 0.009)]
LONG = "difference in rank loss (95 % CI for all 9 at once; of all data sets by itself)"


@pytest.mark.parametrize("panels", [1, 3])
def test_a_long_name_of_a_side_is_whole_on_several_lines(panels: int) -> None:
    axis = Axis(LONG, better="lower")
    made = painted(Chart([Intervals("", ROWS, axis, reference=0.0)] * panels))
    for axes in made.axes:
        first, *more = axes.get_xlabel().split("\n")
        assert first.startswith("← better    ") and first.endswith("    worse →")
        middle = first.removeprefix("← better    ").removesuffix("    worse →")
        assert " ".join((middle, *more)) == LONG and len(more) in (1, 2)


def test_a_name_without_an_end_is_cut() -> None:
    axis = Axis("loss " * 200, better="lower")
    said = painted(Chart([Intervals("", ROWS, axis, reference=0.0)])).axes[0].get_xlabel()
    assert said.count("\n") <= 3 and "…" in said


def test_an_interval_without_an_end_is_a_line_across_the_view() -> None:
    rows = [Interval("all", 0.1, -math.inf, math.inf), Interval("some", 0.2, 0.1, math.inf)]
    axis = Axis("difference", better="lower", low=-0.5, high=0.5)
    axes = painted(Chart([Intervals("", rows, axis, reference=0.0)])).axes[0]
    drawn = [line.get_xdata() for line in axes.lines if line.get_linewidth() == 1.4]
    np.testing.assert_array_equal(drawn, [[-0.5, 0.5], [0.1, 0.5]])
    near = [line.get_xdata() for line in axes.lines if line.get_linewidth() == 3.0]
    assert np.isnan(near).all(), "what is not known is not drawn"
