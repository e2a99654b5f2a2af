"""Names with parameters: one text for each value, and clear words for any other text."""

import string

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rankexp import registry
from rankexp.metrics.metric import parse as metric
from rankexp.names import LONGEST, Name, arguments, parse

words = st.from_regex(r"[A-Za-z_]\w{0,5}", fullmatch=True)
numeric = st.sampled_from(["1", "1.0", "-1", "+1", "1e3", "inf", "-inf", "nan", "True", "None"])
odd = st.text(alphabet="ab ,()[]{}'\"=@\\\n\t\x00é\ud800", max_size=8)
values = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False),
    numeric,
    odd,
    st.text(alphabet=string.printable, max_size=8),
)


@st.composite
def names(draw):
    given = draw(st.dictionaries(words, values, max_size=3))
    return Name(draw(words), tuple(given.items()), draw(st.one_of(st.none(), values)))


def identity(value):
    return (type(value), str(value))


@settings(max_examples=150)
@given(names())
def test_what_is_written_is_read(name):
    read = parse(repr(name))
    assert read == name
    assert hash(read) == hash(name)
    assert read.name == name.name
    assert [(k, *identity(v)) for k, v in read.parameters] == [
        (k, *identity(v)) for k, v in name.parameters
    ]
    assert identity(read.cutoff) == identity(name.cutoff)


@settings(max_examples=300)
@given(values, values)
@example(1, 1.0)
@example(1, True)
@example("1", 1)
@example(" a", "a")
def test_values_have_texts_of_their_own(one, other):
    same = identity(one) == identity(other)
    assert (Name("f", (("a", one),)) == Name("f", (("a", other),))) == same
    assert (repr(Name("f", (("a", one),))) == repr(Name("f", (("a", other),)))) == same


def test_four_values():
    texts = [repr(Name("f", (("a", value),))) for value in (1, 1.0, "1", True)]
    assert texts == ["f(a=1)", "f(a=1.0)", "f(a='1')", "f(a=True)"]
    assert [type(parse(text).parameters[0][1]) for text in texts] == [int, float, str, bool]
    assert len({parse(text) for text in texts}) == 4


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        (" f ", "f"),
        ("f()", "f"),
        ("f(a=1,)", "f(a=1)"),
        ("top@5", "top@5"),
        ("push( p = 8 )", "push(p=8)"),
        ("pair_risk(costs=1 2 1,ties='worst')", "pair_risk(costs=1 2 1, ties=worst)"),
        ('f(a="x, y")', "f(a='x, y')"),
        ("f(a=007)", "f(a=7)"),
        ("f(a=-inf, b=.5)", "f(a=-inf, b=0.5)"),
        ("f@'1'", "f@'1'"),
        ("f(a=0x1F, b=1_000)", "f(a=0x1F, b=1_000)"),
    ],
)
def test_one_text_a_name(text, canonical):
    assert repr(parse(text)) == canonical
    assert parse(canonical) == parse(text)


@settings(max_examples=500)
@given(st.one_of(st.text(), st.text(alphabet="ab@=,()[]{}'\"\\ 1.\n", max_size=40)))
@example("rank_loss(ties={[]})")
@example("rank_loss(" * 500)
@example("rank_loss(ties='" + "\\" * 999)
@example("rank_loss(ties=" + " " * 9000 + "=")
@example("rank_loss(ties=" + "a " * 4000 + "=")
@example("rank_loss(k=" + "9" * 5000 + ")")
@example("rank_loss(ties='\\U99999999')")
@example("rank_loss(ties='\\N{DASH}')")
@example("rank_loss(ties='\\ud800')")
@example("auc@None")
@example("auc" * 30_000)
@example("(" * 90_000)
def test_any_other_text_is_a_value_error(text):
    for read in (parse, metric):
        try:
            read(text)
        except ValueError as error:
            assert len(str(error)) < 1500, "a message shows the beginning only"


@pytest.mark.parametrize("given", [5, None, ["auc"], {"auc": 1}, 1.5, True, b"auc"])
def test_what_is_no_text_is_said(given):
    with pytest.raises(ValueError, match="expected the text of a metric"):
        metric(given)


@pytest.mark.parametrize("value", [float("nan"), [1], {}, (1,), b"x", 1j])
def test_what_cannot_be_written_is_refused(value):
    with pytest.raises(ValueError, match="expected a number, a text, True, False or None"):
        Name("f", (("a", value),))


def test_a_text_has_an_end():
    with pytest.raises(ValueError, match="too long for a name"):
        parse("f(a=" + "1" * LONGEST + ")")


def test_parameters_are_checked_by_annotation_and_default():
    def f(y, a: int | None = None, b: float = 1.0, c: str = "x", d=3, e: "NotThere" = None):  # noqa: F821
        pass

    def of(**given):
        return arguments("metric 'f'", given, f, ["y"])

    assert of(b=2) == {"b": 2.0}  # without hints, as one name is unknown: by the defaults
    assert of(b=1, d=3, a=None) == {}
    assert of(d=4, b=2, a=1) == {"a": 1, "b": 2.0, "d": 4}
    assert list(of(d=4, b=2, a=1)) == ["a", "b", "d"]
    for wrong in ({"b": "x"}, {"b": True}, {"d": 3.0}, {"d": True}, {"c": 1}, {"b": 10**400}):
        with pytest.raises(ValueError, match="metric 'f', "):
            of(**wrong)
    with pytest.raises(registry.UnknownNameError, match="no parameter 'y'"):
        of(y=1)

    def g(a: int | None = None):
        pass

    with pytest.raises(ValueError, match=r"metric 'g', a: expected int or None, got True"):
        arguments("metric 'g'", {"a": True}, g)
