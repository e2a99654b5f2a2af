"""A grid point is one value with one text."""

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rankexp.runner.grid import Point, points, size

NAMES = st.sampled_from(["lam", "C", "kernel", "estimator__depth"])
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**9), 10**9),
    st.floats(allow_nan=False),
    st.text(max_size=12),
    st.sampled_from(["1", "1.0", "true", "null", "a,b=c", '"', "[1", "gini", "", " x "]),
)
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3), max_leaves=5)


def typed(value: Any) -> Any:
    """Return a value that equals another only where types do, too."""
    if isinstance(value, list):
        return [typed(one) for one in value]
    return type(value).__name__, repr(value)


def content(values: dict[str, Any]) -> list[Any]:
    real = dict(values)
    if type(real.get("lam")) in (int, float):
        real["lam"] = float(real["lam"]) + 0.0  # -0 is 0
    return sorted((name, typed(value)) for name, value in real.items())


@given(st.dictionaries(NAMES, VALUES), st.dictionaries(NAMES, VALUES))
def test_texts_are_equal_where_points_are(one: dict[str, Any], other: dict[str, Any]) -> None:
    same = content(one) == content(other)
    assert (Point.of(one) == Point.of(other)) == same
    assert (Point.of(one).text == Point.of(other).text) == same


@given(st.dictionaries(NAMES, VALUES))
@example({"lam": -0.0})
def test_a_text_gives_its_point_back(values: dict[str, Any]) -> None:
    point = Point.of(values)
    again = Point.parse(point.text)
    assert again == point and hash(again) == hash(point)
    assert content(dict(again.values)) == content(values)


def test_four_things_are_four_points() -> None:
    made = points({"max_features": [1, 1.0, "1", True]})
    assert [point.text for point in made] == [
        "max_features=1",
        "max_features=1.0",
        'max_features="1"',
        "max_features=true",
    ]
    assert len(set(made)) == 4


def test_a_penalty_is_a_real_number_however_it_is_written() -> None:
    assert [p.text for p in points({"lam": [1, 1.0, 0.01]})] == ["lam=1", "lam=1", "lam=0.01"]
    assert Point.parse("lam=1").value("lam") == 1.0


def test_the_last_name_varies_fastest() -> None:
    grid = {"b": [1, 2], "a": ["x", "y"]}
    assert [p.text for p in points(grid)] == ["a=x,b=1", "a=y,b=1", "a=x,b=2", "a=y,b=2"]
    assert size(grid) == 4 and points({}) == (Point(()),) and Point(()).text == ""


@pytest.mark.parametrize("text", ["lam", "=1", "lam=1,lam=2", ","])
def test_what_is_no_point_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a grid point"):
        Point.parse(text)
