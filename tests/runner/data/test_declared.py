from dataclasses import replace

import numpy as np
import pytest

from rankexp.errors import DataError
from rankexp.runner.data.build import build, differences
from rankexp.runner.data.dataset import DataTable, Feature

NAN = np.nan


def table():
    return DataTable(
        "toy",
        (
            Feature("id"),
            Feature("age"),
            Feature("colour", "nominal", ("red", "none", "blue")),
            Feature("year"),
            Feature("empty"),
            Feature("query", "nominal", ("q1", "q2")),
            Feature("Class", "nominal", ("bad", "good")),
        ),
        np.array(
            [
                [1, 30, 0, 58, NAN, 1, 1],
                [2, 999, 1, 60, NAN, 0, 0],
                [3, NAN, 2, 58, NAN, 0, 1],
                [4, 41.5, NAN, 58, NAN, 0, 0],
            ]
        ),
        {"source": "hand"},
    )


GOOD = {"target": "Class", "levels": ["bad", "good"], "drop": ["id", "empty", "query"]}


def test_target_features_levels(entry):
    dataset = build("toy", table(), entry(**GOOD), {"more": 1})
    assert [f.name for f in dataset.features] == ["age", "colour", "year"]
    assert dataset.levels == ("bad", "good")
    np.testing.assert_array_equal(dataset.y, [1, 0, 1, 0])
    np.testing.assert_array_equal(dataset.X[:, 0], [30, 999, NAN, 41.5])
    assert dataset.provenance == {"source": "hand", "more": 1}


def test_missing_marks(entry):
    marks = {"missing_values": ["?", "none"], "missing_codes": {999: ["age"], 60: ["age"]}}
    dataset = build("toy", table(), entry(**GOOD, **marks))
    assert list(np.isnan(dataset.X[:, 0])) == [False, True, True, False]
    assert list(np.isnan(dataset.X[:, 1])) == [False, True, False, True]
    assert not np.isnan(dataset.X[:, 2]).any()  # its 60 is a value: only age was named
    again = build("toy", table(), entry(**GOOD, missing_codes={"999": ["column2"]}))
    assert list(np.isnan(again.X[:, 0])) == [False, True, True, False]


def test_building_leaves_the_table_alone(entry):
    original = table()
    build("toy", original, entry(**GOOD, missing_values=["none"], nominal=["year"]))
    np.testing.assert_array_equal(original.values, table().values)


def test_numbers_as_names(entry):
    dataset = build("toy", table(), entry(**GOOD, nominal=["year", "age"]))
    assert dataset.features[2] == Feature("year", "nominal", ("58", "60"))
    np.testing.assert_array_equal(dataset.X[:, 2], [0, 1, 0, 0])
    assert dataset.features[0].categories == ("30", "41.5", "999")
    np.testing.assert_array_equal(dataset.X[:, 0], [0, 2, NAN, 1])


def test_names_that_are_numbers(entry):
    own = table()
    columns = tuple(
        Feature("year", "nominal", ("58", "1e3", "60.5")) if one.name == "year" else one
        for one in own.columns
    )
    values = own.values.copy()
    values[:, 3] = [2, 0, NAN, 1]
    named = replace(own, columns=columns, values=values)
    dataset = build("toy", named, entry(**GOOD, numeric=["year", "age"]))
    assert dataset.features[2] == Feature("year") and dataset.features[0] == Feature("age")
    np.testing.assert_array_equal(dataset.X[:, 2], [60.5, 58, NAN, 1000])
    np.testing.assert_array_equal(dataset.X[:, 0], [30, 999, NAN, 41.5])


def test_groups_and_columns_by_position(entry):
    values = GOOD | {"target": "column7", "drop": ["column1", "empty"], "groups": "query"}
    dataset = build("toy", table(), entry(**values))
    np.testing.assert_array_equal(dataset.groups, [1, 0, 0, 0])
    assert [f.name for f in dataset.features] == ["age", "colour", "year"]


def test_continuous_target(entry):
    values = GOOD | {"target": "year", "levels": None}
    dataset = build("toy", table(), entry(**values))
    assert dataset.levels is None
    np.testing.assert_array_equal(dataset.y, [58.0, 60, 58, 58])


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"target": "class"}, "target: there is no column 'class'"),
        ({"target": "Clas"}, "(did you mean"),
        ({"target": "column8"}, "there is no column 'column8'"),
        ({"drop": ["idd", "empty"]}, "drop: there is no column 'idd' (did you mean 'id'?)"),
        ({"nominal": ["yeer"]}, "nominal: there is no column 'yeer'"),
        ({"numeric": ["yeer"]}, "numeric: there is no column 'yeer' (did you mean 'year'?)"),
        ({"numeric": ["colour"]}, "numeric: column 'colour' has values that are none: 'red'"),
        ({"numeric": ["year"], "nominal": ["year"]}, "'year' is named under 'nominal' and under"),
        ({"missing_codes": {9: ["aeg"]}}, "missing_codes: there is no column 'aeg'"),
        ({"target": "empty"}, "target 'empty' has no values"),
        ({"levels": None}, "target 'Class' has the values bad, good; list them"),
        ({"levels": ["bad", "god"]}, "never has this value (did you mean 'good'?)"),
        ({"drop": ["id", "age", "colour", "year", "empty", "query"]}, "no column is left"),
    ],
)
def test_what_does_not_fit(entry, change, what):
    with pytest.raises(DataError) as caught:
        build("toy", table(), entry(**(GOOD | change)))
    assert what in str(caught.value)


def test_infinite_values(entry):
    broken = DataTable("t", (Feature("a"), Feature("y")), np.array([[1, 1], [np.inf, 2]]))
    with pytest.raises(DataError, match="column 'a' has an infinite value in row 2"):
        build("t", broken, entry())


def test_every_difference_is_told(entry):
    wrong = {"rows": 5, "features": 4, "classes": [1, 3], "missing": 0}
    declared = entry(**GOOD, fingerprint=wrong)
    assert differences(build("toy", table(), declared), declared) == [
        "rows: declared 5, found 4",
        "features: declared 4, found 3",
        "classes: declared [1, 3], found [2, 2]",
        "missing cells: declared 0, found 2",
    ]
    right = {"rows": 4, "features": 3, "classes": [2, 2], "missing": 2}
    assert differences(build("toy", table(), declared), entry(**GOOD, fingerprint=right)) == []
    unsure = {"rows": 4, "features": 3, "missing": None}
    assert differences(build("toy", table(), declared), entry(**GOOD, fingerprint=unsure)) == []


def test_fingerprint_is_of_the_content(entry):
    base = build("toy", table(), entry(**GOOD))
    assert base.fingerprint == build("other name", table(), entry(**GOOD)).fingerprint
    others = [
        entry(**(GOOD | {"levels": ["good", "bad"]})),
        entry(**GOOD, missing_values=["none"]),
        entry(**GOOD, nominal=["year"]),
        entry(**(GOOD | {"drop": ["id", "empty", "query", "year"]})),
        entry(**(GOOD | {"drop": ["id", "empty"], "groups": "query"})),
    ]
    found = {build("toy", table(), other).fingerprint for other in others}
    assert len(found | {base.fingerprint}) == 6
    for changed in (Feature("edad"), Feature("age", "nominal", ("x",))):
        renamed = replace(base, features=(changed, *base.features[1:]))
        assert renamed.fingerprint != base.fingerprint
