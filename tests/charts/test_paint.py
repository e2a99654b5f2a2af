"""Charts on paper: what matplotlib is told to draw."""

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
