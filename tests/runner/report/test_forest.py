"""Pictures of contrasts: what is pooled first, one scale, and no end out of sight unsaid."""

import math

from rankexp.charts.model import Axis, Interval, Intervals
from rankexp.charts.web import web
from rankexp.runner.report.blocks.statistics.forest import FAR, forest

AXIS = Axis("difference in rank loss", better="lower")


def panel(title: str, *rows: Interval, margin: float = 0.01, axis: Axis = AXIS) -> Intervals:
    return Intervals(title, rows, axis, margin, reference=0.0)


def test_pooled_panels_come_first_and_share_a_scale_with_those_of_the_same_number() -> None:
    one = panel("alone", Interval("a", 0.001, 0.0, 0.002))
    two = panel("pooled", Interval("all", 0.0, -0.02, 0.001, pooled=True))
    other = panel("seconds", Interval("a", 5.0, 4.0, 6.0), axis=Axis("seconds"))
    found = forest([one, two, other])
    assert found is not None
    assert [own.title for own in found.panels] == ["pooled", "alone", "seconds"]
    pooled, alone, seconds = (own.axis for own in found.panels if isinstance(own, Intervals))
    assert (pooled.low, pooled.high) == (alone.low, alone.high)
    assert -0.03 < pooled.low < -0.02 and 0.01 < pooled.high < 0.02
    assert seconds.high > 5.0


def test_an_interval_far_beyond_the_margin_does_not_flatten_all_others() -> None:
    wide = Interval("hepatitis", 0.005, -0.2, 0.2, decided=False)
    found = forest([panel("", Interval("vote", 0.0, -0.001, 0.001), wide)])
    assert found is not None
    shown = found.panels[0]
    assert isinstance(shown, Intervals) and shown.axis.high < 0.01 * FAR * 1.1
    assert web(found).count("<polyline") == 2  # arrows


def test_a_decided_interval_is_in_view_however_far_it_reaches() -> None:
    found = forest(
        [panel("", Interval("vote", 0.0, -0.001, 0.001), Interval("all", 0.15, 0.1, 0.27))]
    )
    assert found is not None
    shown = found.panels[0]
    assert isinstance(shown, Intervals) and shown.axis.high > 0.27
    assert "<polyline" not in web(found)


def test_values_are_in_view_however_far_they_are() -> None:
    found = forest([panel("", Interval("vote", 0.3, 0.2, 0.4))])
    assert found is not None
    shown = found.panels[0]
    assert isinstance(shown, Intervals) and shown.axis.high > 0.3


def test_without_margin_and_interval_there_is_a_picture_all_the_same() -> None:
    found = forest([panel("", Interval("vote", 0.0), margin=math.nan)])
    assert found is not None and "vote" in web(found)
