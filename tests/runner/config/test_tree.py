import json

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from rankexp.runner.config.tree import MAX_VALUES, FileMark, parse

names = st.text("abcxyz019_.- :#'\"éß", max_size=6)
leaves = (
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | names
)
data = st.recursive(
    leaves,
    lambda below: st.lists(below, max_size=3) | st.dictionaries(names, below, max_size=3),
    max_leaves=12,
)


def plain(text):
    tree, problems = parse(text)
    assert not problems, problems
    return tree.plain()


def walk(value, path=()):
    yield path, value
    items = value.items() if isinstance(value, dict) else ()
    items = enumerate(value) if isinstance(value, list) else items
    for key, child in items:
        yield from walk(child, (*path, key))


@settings(max_examples=50)
@given(data, st.sampled_from([None, 1, 3]))
def test_json_is_read_as_json(value, indent):
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    assert repr(plain(text)) == repr(value)


@settings(max_examples=50)
@given(data, st.sampled_from([None, 2]))
def test_every_value_knows_its_place(value, indent):
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    lines, (tree, _) = text.split("\n"), parse(text)
    for path, part in walk(value):
        line, column = tree.place(path)
        begin = json.dumps(part, ensure_ascii=False, indent=indent).split("\n")[0]
        assert lines[line - 1][column - 1 :].startswith(begin)
        if path and isinstance(path[-1], str):
            line, column = tree.place(path, key=True)
            assert lines[line - 1][column - 1 :].startswith(
                json.dumps(path[-1], ensure_ascii=False)
            )


@settings(max_examples=30)
@given(st.dictionaries(names, data, max_size=4))
def test_merging_nothing_or_itself_changes_nothing(value):
    without = json.loads(json.dumps(value).replace("null", "0"))
    tree, _ = parse(json.dumps(without))
    empty, _ = parse("{}")
    assert tree.merged(empty).plain() == tree.merged(tree).plain() == without


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e-3", 0.001),
        ("1E5", 1e5),
        (".5", 0.5),
        ("-1.", -1.0),
        ("+3", 3),
        ("010", 10),
        ("0x1F", 31),
        ("0o17", 15),
        ("true", True),
        ("False", False),
        ("~", None),
        ("10:30", "10:30"),
        ("on", "on"),
        ("yes", "yes"),
        ("No", "No"),
        ("off", "off"),
        ("2011-06-28", "2011-06-28"),
        ("1_000", "1_000"),
        ("1e", "1e"),
        ("=", "="),
        ("'1'", "1"),
        ('"true"', "true"),
        ("!!str 1", "1"),
        ("!!float 1", 1.0),
        ("{1: a, b: c}", {"1": "a", "b": "c"}),
    ],
)
def test_scalars_follow_yaml_1_2(text, value):
    found = plain(text)
    assert found == value
    assert type(found) is type(value)


def test_anchors_and_merges():
    text = "a: &a {x: 1, y: 2}\nb: &b {y: 3, z: 4}\nc: {<<: [*a, *b], x: 9}\nd: *a"
    assert plain(text)["c"] == {"x": 9, "y": 2, "z": 4}
    tree, _ = parse(text)
    assert tree.place(("c", "z")) == FileMark(2, 17)
    assert tree.place(("d", "y"), key=True) == FileMark(1, 14)


@pytest.mark.parametrize(
    ("text", "place", "say"),
    [
        ("a: 1\nb: 2\na: 3", (3, 1), "'a' occurs twice, first in line 1"),
        ("a: {b: 1, b: 1}", (1, 11), "occurs twice"),
        ("x: &x {a: 1}\ny: {<<: *x, <<: *x}", (2, 13), "only one '<<'"),
        ("y: {<<: 3}", (1, 9), "'<<' expects a mapping"),
        ("y: <<", (1, 4), "merges mappings"),
        ("a: !!python/object/apply:os.system [ls]", (1, 4), "'!!python/object/apply:os.system'"),
        ("a: !!binary aGk=", (1, 4), "not allowed: plain data only"),
        ("a: !mine 3", (1, 4), "'!mine' is not allowed"),
        ("a: !!int x", (1, 4), "not of the type '!!int'"),
        ("a: .nan", (1, 4), "finite"),
        ("a: 1e999", (1, 4), "finite"),
        ("? [1, 2]\n: 3", (1, 3), "a key must be text"),
        ("null: 3", (1, 1), "put it in quotes"),
        ("a: &a [*a]", (1, 4), "contain itself"),
        ("a: [1,\nb: 2", (2, 5), "not valid YAML"),
        ("a: b: c", (1, 5), "needs quotes"),
        ("a:\n\tb: 1", (2, 1), "not tabs"),
        ("a: *b", (1, 4), "undefined alias"),
        ("a: 1\n---\nb: 2", (2, 1), "single document"),
        ("a: \x01", (1, 4), "U+0001"),
        ("", (1, 1), "empty"),
        ("# nothing\n", (1, 1), "empty"),
        ("[" * 5000, (1, 1), "nested too deeply"),
        ("[" * 101 + "]" * 101, (1, 1), "nested too deeply"),
    ],
)
def test_what_is_refused(text, place, say):
    _, problems = parse(text)
    assert [tuple(problem.mark) for problem in problems] == [place]
    assert say in problems[0].text
    assert "\n" not in problems[0].text


def test_a_hundred_lists_in_each_other_are_read():
    assert parse("[" * 100 + "]" * 100)[1] == []


def test_a_memory_bomb_is_refused_without_being_expanded():
    text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
    for i in range(1, 40):
        text += f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n"
    _, problems = parse(text)
    assert problems
    assert all(f"more than {MAX_VALUES} values" in problem.text for problem in problems)


def test_nothing_is_executed(tmp_path):
    file = tmp_path / "made"
    text = f"!!python/object/apply:builtins.open [{file}, w]"
    assert yaml.unsafe_load(text).close() is None  # the text is armed
    file.unlink()
    parse(text)
    assert not file.exists()
