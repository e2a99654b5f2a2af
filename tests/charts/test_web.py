"""Charts on pages: well-formed whatever the numbers and labels are."""

import math
import re
from html.parser import HTMLParser
from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rankexp.charts import marks
from rankexp.charts.model import Axis, Chart, Interval, Intervals, Line, Lines, Map, Panel
from rankexp.charts.web import points, web
from rankexp.charts.web.strip import VIEW, over, strip
from rankexp.studies.kotlowski2011.boxes import Box, Boxes

HOSTILE = [
    *("<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "|x|", "x" * 2000),
    *("&lt;b&gt; &amp;", "\u202eright to left", "עברית", "🦀" * 40, "a\x00b\x1b[31mc", "\ud800"),
    *("line\nbreak\ttab", "' onload='x", "]]>", "<!--", "{{ 7 * 7 }}", "", " "),
]
KNOWN = {"div", "figure", "figcaption", "p", "table", "tr", "th", "td", "b", "ul", "li", "svg"}
KNOWN |= {"g", "circle", "polygon", "polyline", "rect", "line", "text", "tbody"}
KNOWN |= {"colgroup", "col"}
LABELS = st.one_of(st.sampled_from(HOSTILE), st.text(max_size=12))
NUMBERS = st.floats(allow_nan=True, allow_infinity=True)
AXES = st.builds(
    Axis,
    LABELS,
    log=st.booleans(),
    better=st.sampled_from(["", "lower", "higher"]),
    low=NUMBERS,
    high=NUMBERS,
)
METHODS = st.integers(0, 20)
INTERVALS = st.builds(
    Interval, LABELS, *[NUMBERS] * 3, decided=st.booleans(), pooled=st.booleans(), said=LABELS
)


def arrays(size: int) -> st.SearchStrategy[np.ndarray]:
    return st.lists(NUMBERS, min_size=size, max_size=size).map(np.array)


@st.composite
def lines(draw: st.DrawFn) -> Line:
    n = draw(st.integers(0, 4))
    given_ = [draw(st.none() | arrays(n)) for _ in range(2)]
    around = draw(st.sampled_from(["band", "bars"]))
    sizes = draw(st.none() | st.lists(st.floats(0, 1), min_size=n, max_size=n).map(np.array))
    own = {"method": draw(st.none() | METHODS), "dashed": draw(st.booleans()), "sizes": sizes}
    return Line(draw(LABELS), draw(arrays(n)), draw(arrays(n)), *given_, around, **own)


@st.composite
def boxes(draw: st.DrawFn) -> Boxes:
    n = draw(st.integers(0, 4))
    units = draw(st.lists(LABELS, min_size=n, max_size=n))
    made = st.builds(
        Box, LABELS, arrays(n), METHODS, st.just(units), st.none() | st.tuples(*[NUMBERS] * 3)
    )
    own = [draw(LABELS), draw(st.lists(made, max_size=3)), draw(AXES)]
    kept = {"line": draw(NUMBERS), "said": draw(LABELS), "margin": draw(NUMBERS)}
    return Boxes(*own, **kept)


@st.composite
def maps(draw: st.DrawFn) -> Map:
    rows, columns = draw(st.lists(LABELS, max_size=3)), draw(st.lists(LABELS, max_size=3))
    size = len(rows) * len(columns)
    values = draw(arrays(size)).reshape(len(rows), len(columns))
    shown = draw(st.none() | st.just(values > 0))
    rest = [draw(LABELS), draw(LABELS), draw(AXES), shown, draw(LABELS), draw(NUMBERS)]
    return Map(draw(LABELS), rows, columns, values, *rest)


RANGES = st.none() | st.tuples(NUMBERS, NUMBERS).map(lambda pair: tuple(sorted(pair)))
PANELS = st.one_of(
    st.builds(
        Intervals,
        LABELS,
        st.lists(INTERVALS, max_size=4),
        AXES,
        NUMBERS,
        NUMBERS,
        RANGES,
        st.sampled_from([(), ("<b>",), ("<b>", "&")]),
        LABELS,
    ),
    st.builds(Lines, LABELS, st.lists(lines(), max_size=3), AXES, AXES, NUMBERS, NUMBERS, LABELS),
    boxes(),
    maps(),
)


def tree(markup: str) -> ElementTree.Element:
    """Return markup as elements, all of which are known."""
    root = ElementTree.fromstring(markup)
    assert {own.tag for own in root.iter()} <= KNOWN
    assert not any(name.startswith("on") for own in root.iter() for name in own.attrib)
    return root


def numeric(root: ElementTree.Element) -> list[str]:
    """Return the values of attributes that a browser reads as numbers."""
    names = {"x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "r", "width", "height"}
    names |= {"points", "transform", "viewBox"}
    return [own.get(name, "") for own in root.iter() for name in names]


@settings(max_examples=40)
@given(PANELS)
@example(Intervals("", [Interval("a", math.nan, math.nan, math.inf)], Axis()))
@example(Intervals("", [Interval("a", math.inf)], Axis(), margin=math.inf, reference=0.0))
@example(Boxes("", [Box("a" * 50, np.array([math.inf]), mean=(math.nan, 0, 1))] * 40, Axis()))
@example(Lines("", [Line("a", np.array([math.nan]), np.array([1.0]))], Axis(), Axis()))
@example(Map("", ["a"], ["b"], np.array([[math.inf]])))
def test_no_number_and_no_label_breaks_a_chart(panel: Panel) -> None:
    root = tree(web(Chart([panel])))
    assert points(Chart([panel])) >= 0
    told = " ".join(numeric(root)).lower()
    assert not re.search(r"nan|inf|none", told)


@pytest.mark.parametrize("label", HOSTILE)
def test_labels_are_shown_as_they_are(label: str) -> None:
    row, axis = Interval(label, 1.0, 0.5, 1.5, said=label), Axis(label)
    line = Line(label, np.array([1.0, 2.0]), np.array([1.0, 2.0]), method=None)
    box = Box("box", np.array([1.0, 2.0, 3.0]), units=[label, "b", "c"])
    grid = Map(label, [label], ["c"], np.array([[1.0]]), label, label, axis, blank=label)
    shown = marks.one_line(label)
    for panel in (
        Intervals(label, [row], axis),
        Lines(label, [line], axis, axis),
        Boxes(label, [box], axis),
        grid,
    ):
        root = tree(web(Chart([panel])))
        texts = [own.text or "" for own in root.iter() if own.tag == "figcaption"]
        assert texts == [shown] * bool(label)
        says = [own.get("data-say", "") for own in root.iter() if own.get("data-say")]
        assert says and all(shown in own or isinstance(panel, Boxes) for own in says)


class Tags(HTMLParser):
    """The elements that a browser makes of markup."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.made: set[str] = set()
        self.feed(markup)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.made.add(tag)


@settings(max_examples=40)
@given(LABELS, LABELS)
def test_an_attribute_and_a_text_end_where_they_should(attribute: str, content: str) -> None:
    made = marks.element("g", marks.text(content, 1.0, 2.0), data_say=attribute)
    assert Tags(made).made == {"g", "text"}
    root = tree(made)
    assert root.get("data-say") == marks.one_line(attribute)
    assert (root[0].text or "") == marks.one_line(content)


def test_every_mark_says_its_value_and_its_interval() -> None:
    rows = [Interval("heart", 0.004, -0.001, 0.009, said="equivalent"), Interval("all", -0.1)]
    axis = Axis("AUC of pairs minus points", better="higher")
    root = tree(web(Chart([Intervals("", rows, axis, margin=0.01, reference=0.0)])))
    says = [own.get("data-say") for own in root.iter() if own.get("data-say")]
    assert says == ["heart: +.0040 (−.0010 to +.0090), equivalent", "all: −.1000"]


def test_large_numbers_are_said_without_decimals() -> None:
    row, axis = Interval("all", 136_506.55, 135_195.0751, 137_817.0249), Axis("calls")
    made = web(Chart([Intervals("", [row], axis)]))
    assert made.count("136,507 (135,195 to 137,817)") == 2  # of the mark, and beside it
    assert ".5500" not in made


@pytest.mark.parametrize("ends", [(-0.024, 0.024), (-0.05, 0.03), (0.0, 0.9), (-3e-4, 1e-3)])
def test_an_axis_has_two_numbers_or_more_and_they_stand_apart(ends: tuple[float, float]) -> None:
    axis = Axis("difference", low=ends[0], high=ends[1])
    root = tree(web(Chart([Intervals("", [Interval("a", 0.0, *ends)], axis, reference=0.0)])))
    places = [float(one.get("x", "")[:-1]) for one in root.iter("text")]
    assert len(places) > 1 and min(np.diff(places)) > 12  # percent: wider than a number


def test_a_curve_beside_theory_is_explained_and_so_is_where_they_are_compared() -> None:
    x = np.array([1.0, 2.0])
    lines = [Line("mean", x, x, method=0, marked=False), Line("theory", x, x, dashed=True)]
    panel = Lines("", lines, Axis("x"), Axis("a score that is long"), window=(1.0, 2.0))
    made = web(Chart([panel, Lines("", lines[:1], Axis("x"), Axis("y"))]))
    items = [one.text or one[0].tail for one in tree(made).iter("li")]
    assert items == ["mean", "theory"]
    assert "Curves are compared between the dashed verticals." in made
    assert "verticals" not in web(Chart([Lines("", lines, Axis("x"), Axis("y"))]))


def test_methods_differ_by_shape_and_the_same_one_by_neither() -> None:
    drawn = [
        re.sub(r" class=.*?(?=>)|\btransform=\S+ \S+", "", marks.shape(i, 1.0, 2.0))
        for i in range(8)
    ]
    assert len(set(drawn)) == marks.SHAPES
    assert "hollow" in marks.shape(8, 1.0, 2.0) and "c0" in marks.shape(8, 1.0, 2.0)


def test_an_interval_that_leaves_the_view_ends_in_an_arrow() -> None:
    rows = [Interval("wide", 0.0, -1.0, 1.0), Interval("narrow", 0.0, -0.01, 0.01)]
    axis = Axis("difference", low=-0.1, high=0.1)
    assert web(Chart([Intervals("", rows, axis)])).count("<polyline") == 2


@settings(max_examples=40)
@given(NUMBERS)
def test_a_strip_is_drawn_of_every_difference_that_is_known(off: float) -> None:
    drawn = strip(off)
    if math.isnan(off):
        assert not drawn
        return
    root = tree(drawn)
    assert not re.search(r"nan|inf", " ".join(numeric(root)))
    assert ("polyline" in drawn) == (abs(off) > VIEW)


def test_dots_of_strips_lie_as_the_numbers_do() -> None:
    dots = [re.search(r'cx="([\d.]+)%', strip(off)) for off in (-3.0, -1.0, 0.0, 1.0, 3.0)]
    assert [float(dot[1]) for dot in dots if dot] == [5.0, 35.0, 50.0, 65.0, 95.0]


@settings(max_examples=40)
@given(st.lists(st.floats(-1e6, 1e6), min_size=3, max_size=3), st.sampled_from([-1, 0, 1]))
def test_a_value_over_its_range_lies_within_the_strip(ends: list[float], open_end: int) -> None:
    value, low, high = ends[0], min(ends[1:]), max(ends[1:])
    claimed = (-math.inf if open_end < 0 else low, math.inf if open_end > 0 else high)
    drawn = over(value, (value - 1, value + 1), claimed, [value - 1, value + 1, low, high])
    root = tree(drawn)
    assert not re.search(r"nan|inf", " ".join(numeric(root)))
    at = {name: float(found) for name, found in re.findall(r' (cx|x|width)="([\d.]+)%', drawn)}
    assert 0 <= at["cx"] <= 100 and drawn.count('class="claimed"') == 1
    if open_end > 0 and value > low:
        assert at["cx"] >= at["x"]


def test_an_interval_over_its_range_lies_as_the_numbers_do() -> None:
    drawn = over(5.0, (2.5, 10.0), (0.0, math.inf), [0.0, 2.5, 5.0, 10.0])
    at = {
        name: float(found) for name, found in re.findall(r' (cx|x1|x2|x|width)="([\d.]+)%', drawn)
    }
    assert at == {"x": 4.0, "width": 96.0, "x1": 27.0, "x2": 96.0, "cx": 50.0}


def test_nothing_is_drawn_over_a_range_without_a_width() -> None:
    assert over(0.0, None, (0.0, 0.0), [0.0]) == "" == over(math.nan, None, (0.0, 1.0), [0.0, 1.0])


def test_what_lies_on_either_side_of_nothing_is_said_there() -> None:
    rows = [Interval("heart", 0.004, -0.001, 0.009)]

    def told(better: str, **more: object) -> list[str]:
        axis = Axis("difference", better=better, **more)  # type: ignore[arg-type]
        root = tree(web(Chart([Intervals("", rows, axis, reference=0.0)])))
        return [own.text or "" for own in root.iter("text")][:2]

    assert told("lower") == ["← better", "worse →"]
    assert told("higher") == ["← worse", "better →"]
    assert told("", sides=("points better", "pairs better")) == [
        "← points better",
        "pairs better →",
    ]
    assert "←" not in web(Chart([Intervals("", rows, Axis("rank loss", better="lower"))]))


def test_labels_at_ends_of_lines_stand_apart_in_the_order_of_the_ends() -> None:
    x, ends = np.array([1.0, 2.0]), [0.30, 0.31, 0.1, 0.305]
    lines = [Line(f"m{i}", x, np.array([0.5, end]), method=i) for i, end in enumerate(ends)]
    root = tree(web(Chart([Lines("", lines, Axis("n"), Axis("loss"))])))
    named = {own.text: float(own.get("y", 0)) for own in root.iter("text") if own.text in LINES}
    assert sorted(named, key=named.__getitem__) == ["m1", "m3", "m0", "m2"]
    places = sorted(named.values())
    assert min(np.diff(places)) >= 12.5 and places[-1] < 230
    curves = [one.get("points", "").split()[-1] for one in root.iter("polyline")]
    tips = {f"m{i}": float(one.split(",")[1]) for i, one in enumerate(curves)}
    assert abs(named["m2"] - tips["m2"]) < 5  # alone: beside its line
    assert max(abs(named[name] - tips[name]) for name in tips) < 3 * 13
    assert not list(root.iter("ul"))


LINES = {"m0", "m1", "m2", "m3"}


def test_many_or_long_labels_are_a_legend() -> None:
    x = np.array([1.0, 2.0])
    for labels in ([f"m{i}" for i in range(9)], ["a", "a method with a long name"]):
        lines = [Line(label, x, x, method=i) for i, label in enumerate(labels)]
        root = tree(web(Chart([Lines("", lines, Axis("n"), Axis("loss"))])))
        assert len(list(root.iter("li"))) == len(labels)


def test_a_single_method_is_named_beside_what_is_drawn_for_comparison() -> None:
    x = np.array([1.0, 2.0])
    own = Line("mean, 90 % of samples", x, x, method=0, marked=False)
    theory = Line("theory", x, 2 * x, dashed=True, marked=False)
    for lines, told in (([own, theory], [own.label, theory.label]), ([own], [])):
        root = tree(web(Chart([Lines("", lines, Axis("x"), Axis("score"))])))
        assert ["".join(one.itertext()) for one in root.iter("li")] == told


def test_panels_with_labels_beside_lines_and_one_without_any_need_no_legend() -> None:
    x = np.array([1.0, 2.0])
    both = Lines("", [Line("a", x, x, method=0), Line("b", x, 2 * x, method=1)], Axis(), Axis())
    alone = Lines("", [Line("", x, x)], Axis(), Axis())
    assert not list(tree(web(Chart([both, alone]))).iter("ul"))


def test_panels_of_one_side_have_a_value_at_one_height() -> None:
    x = np.array([1.0, 2.0])
    panels = [Lines("", [Line("a", x, top * x)], Axis("n"), Axis("loss")) for top in (1.0, 10.0)]

    def first(chart: Chart) -> list[str]:
        return [own.get("points", "").split(",")[1] for own in tree(web(chart)).iter("polyline")]

    assert len({*first(Chart(panels))}) == 1
    lower, upper = map(float, (place.split()[0] for place in first(Chart(panels, share="all"))))
    assert lower > upper + 50


def test_grey_is_explained_where_it_is_drawn() -> None:
    x = np.array([1.0, 2.0])
    for margin, known in ((0.1, True), (math.nan, False)):
        panel = Lines("", [Line("a", x, x)], Axis("n"), Axis("loss"), margin=margin, reference=0.0)
        assert ("Grey: too small to matter" in web(Chart([panel]))) is known


def test_a_value_that_is_not_known_has_no_picture_over_a_range_without_ends():
    assert over(math.nan, None, (-math.inf, math.inf), []) == ""


def test_the_band_and_the_reference_lie_where_the_numbers_do() -> None:
    axis = Axis("difference", low=-0.02, high=0.02)
    rows = [Interval("a", 0.0, -0.01, 0.01)]
    panel = Intervals("", rows, axis, margin=0.01, reference=0.0)
    root = tree(web(Chart([panel])))
    (style,) = [one.get("style", "") for one in root.iter("table")]
    told = {name: float(at[:-1]) for name, at in re.findall(r"--(\w+):([\d.]+%)", style)}
    (bar,) = [one for one in root.iter("line") if one.get("class", "").startswith("bar")]
    ends = [float(bar.get(name, "")[:-1]) for name in ("x1", "x2")]
    assert [told["low"], told["high"]] == ends and told["zero"] == sum(ends) / 2
    assert "a: .0000 (−.0100 to +.0100)" in web(Chart([panel]))
    bare = tree(web(Chart([Intervals("", rows, axis)])))
    assert [one.get("style") for one in bare.iter("table")] == [None]


def test_a_curve_keeps_its_ends_and_all_that_can_be_seen() -> None:
    x = np.linspace(0.0, 1.0, 5000)
    y = np.where(x > 0.5, 1.0, 0.0) + 0.1 * x
    root = tree(web(Chart([Lines("", [Line("a", x, y, marked=False)], Axis("x"), Axis("y"))])))
    (curve,) = root.iter("polyline")
    points = [tuple(map(float, one.split(","))) for one in curve.get("points", "").split()]
    whole = tree(web(Chart([Lines("", [Line("a", x, y)], Axis("x"), Axis("y"))])))
    dots = [
        tuple(map(float, one.get("points", "0,0").split()[0].split(",")))
        for one in whole.iter("polyline")
    ]
    assert 200 < len(points) < 1000 and points[0] == dots[0]
    assert max(abs(b[0] - a[0]) for a, b in pairwise(points)) < 1.5  # no gap along x
