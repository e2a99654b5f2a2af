"""Laws of scales: in order, within the view, with ticks that can be read."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rankexp.charts.model import Axis, Chart, Line, Lines, Panel, Share
from rankexp.charts.scale import ROOM, TICKS, Scale, levelled

START, END = 50.0, 334.0
NUMBERS = st.floats(allow_nan=True, allow_infinity=True)
AXES = st.builds(Axis, log=st.booleans(), low=NUMBERS, high=NUMBERS)


@settings(max_examples=50)
@given(st.lists(NUMBERS, max_size=20), AXES, st.booleans())
@example([], Axis(), False)
@example([1.0, math.nextafter(1.0, 2.0)], Axis(), True)
@example([5e-324], Axis(log=True), False)
@example([-1.7e308, 1.7e308], Axis(low=2.0, high=1.0), True)
def test_pixels_are_in_view_and_in_the_order_of_the_values(
    values: list[float], axis: Axis, upwards: bool
) -> None:
    scale = Scale.over(values, axis, *((END, START) if upwards else (START, END)))
    assert scale.low < scale.high
    known = sorted(v for v in values if not math.isnan(v))
    pixels = [scale.at(v) for v in known]
    assert all(START <= pixel <= END for pixel in pixels)
    assert pixels == sorted(pixels, reverse=upwards)


@settings(max_examples=50)
@given(st.lists(NUMBERS, max_size=20), AXES)
@example([1e-310, 1e308], Axis(log=True))
@example([0.0, 1e-310], Axis())
@example([1e16, 1e16 + 2], Axis())
def test_ticks_are_few_in_view_and_differ(values: list[float], axis: Axis) -> None:
    scale = Scale.over(values, axis, START, END)
    ticks = scale.ticks()
    pixels = [pixel for pixel, _ in ticks]
    assert len(ticks) <= 2 * TICKS + 2
    assert all(START <= pixel <= END for pixel in pixels)
    assert pixels == sorted(set(pixels))


@settings(max_examples=50)
@given(st.lists(st.floats(-1e6, 1e6), min_size=1))
def test_without_ends_of_the_axis_all_values_are_in_view(values: list[float]) -> None:
    scale = Scale.over(values, Axis(), START, END)
    assert all(map(scale.holds, values))


def test_the_ends_of_an_axis_are_kept_where_they_can_be() -> None:
    scale = Scale.over([0.2, 0.8], Axis(low=0.0, high=1.0), START, END)
    assert (scale.at(0.0), scale.at(1.0)) == (START, END)
    assert [told for _, told in scale.ticks()] == ["0", ".2", ".4", ".6", ".8", "1"]
    assert not scale.holds(1.1) and scale.at(1.1) == END
    beyond = Scale.over([-3.0, -2.0], Axis(low=0.0), START, END)  # it leaves out all there is
    assert beyond.holds(-3.0) and beyond.holds(-2.0)


def test_a_scale_of_powers_marks_decades_or_parts_of_one() -> None:
    scale = Scale.over([1e-3, 1e3], Axis(log=True), START, END)
    assert [told for _, told in scale.ticks()] == [".001", ".1", "10", "1,000"]
    between = Scale.over([0.015, 0.4], Axis(log=True), START, END)
    assert [told for _, told in between.ticks()] == [".02", ".05", ".1", ".2"]
    narrow = Scale.over([1.1, 9.0], Axis(log=True), START, END)
    assert [told for _, told in narrow.ticks()][-2:] == ["6", "8"]
    large = Scale.over([1e4, 1e7], Axis(log=True), START, END)
    assert [told for _, told in large.ticks()] == ["10,000", "100,000", "1e6", "1e7"]


X = np.array([1.0, 2.0])
LOW, HIGH = np.array([0.1, 0.3]), np.array([0.7, 0.9])


def panel(*lines: Line, log: bool = False) -> Lines:
    return Lines("", lines, Axis("n"), Axis("loss", log=log))


def ends(share: Share, *panels: Panel) -> list[tuple[float, float]]:
    made = levelled(Chart(panels, columns=2, share=share))
    return [(one.y.low, one.y.high) for one in made if isinstance(one, Lines)]


def test_panels_share_the_side_of_y_as_the_chart_says() -> None:
    around = panel(Line("a", X, np.array([0.4, 0.6]), LOW, HIGH))  # .1 to .9
    flat, above = panel(Line("a", X, X / 100)), panel(Line("a", X, 2 * X))  # .01 to .02; 2 to 4
    shown = [around, flat, above]
    assert np.isnan(ends("none", *shown)).all()
    room = ROOM * 3.99
    assert ends("all", *shown) == [pytest.approx((0.01 - room, 4.0 + room))] * 3
    first = pytest.approx((0.01 - ROOM * 0.89, 0.9 + ROOM * 0.89))
    own = ends("row", *shown)
    assert own[:2] == [first, first] and math.isnan(own[2][0])  # alone in its row
    spans = ends("span", *shown)
    assert [high - low for low, high in spans] == pytest.approx([2.0 * (1 + 2 * ROOM)] * 3)
    assert [low for low, _ in spans] == pytest.approx([0.1 - 0.1, 0.01 - 0.1, 2.0 - 0.1])


def test_a_reference_is_in_view_and_sides_of_powers_or_given_ones_stay() -> None:
    low, high = panel(Line("a", X, X)), panel(Line("a", X, 3 * X))
    known = replace(low, reference=-1.0)
    assert ends("all", known, high)[1][0] < -1.0
    assert np.isnan(ends("all", panel(*low.lines, log=True), high)).all()
    given_ = replace(low, y=replace(low.y, low=0.0, high=1.0))
    assert ends("all", given_, given_) == [(0.0, 1.0)] * 2
    assert np.isnan(ends("span", panel(), high)).all()  # nothing drawn: nothing to share
