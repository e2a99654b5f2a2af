import json
from dataclasses import asdict

import pytest

from rankexp.runner.data.build import dataset_of, entry_of, inspect_table
from rankexp.runner.data.reading import Reading
from rankexp.runner.data.snapshot import read_dataset, write_dataset

LINES = ["id,age,plan,when,empty,left"] + [
    f"{i},{'NA' if i % 9 == 4 else 20 + i % 31},{['basic', 'plus', 'family'][i % 3]},"
    f"2024-02-{i % 28 + 1:02d},,{['no', 'yes', 'no', ''][i % 4]}"
    for i in range(60)
]
OPTIONS = {"target": "left", "positive": "yes"}


@pytest.fixture
def path(write):
    return write("t.csv", "\n".join(LINES))


def test_columns_levels_and_counts(path):
    found = inspect_table(path, **OPTIONS)
    assert (found.file, found.rows, found.without_target) == ("t.csv", 45, 15)
    assert found.levels == (("no", 30), ("yes", 15))
    kinds = {c.name: (c.kind, c.role) for c in found.columns}
    assert kinds == {
        "id": ("identifier", "left out"),
        "age": ("numeric", "feature"),
        "plan": ("nominal", "feature"),
        "when": ("date", "left out"),
        "empty": ("empty", "left out"),
        "left": ("nominal", "target"),
    }
    age, plan = found.columns[1], found.columns[2]
    assert (age.missing, age.low, age.high) == (6, 20.0, 50.0)
    assert (plan.categories, plan.frequent[0]) == (3, ("basic", 15))
    assert found.width == 4
    assert found.size == 45 * 4 * 8


def test_roles_that_the_entry_gives(path):
    found = inspect_table(path, target="age", drop=["id"], groups="plan")
    roles = {c.name: c.role for c in found.columns}
    assert (roles["id"], roles["plan"], roles["age"]) == ("dropped", "groups", "target")
    assert found.levels == ()


def test_without_a_target_every_column_is_looked_at(path):
    found = inspect_table(path)
    assert found.target is None
    assert found.rows == 60
    assert {c.role for c in found.columns} == {"feature", "left out"}


def test_names_without_levels_are_counted_and_asked_for(path):
    found = inspect_table(path, target="left")
    assert found.levels == (("no", 30), ("yes", 15))
    assert found.warnings[-1].startswith(
        "in a study, list the values of 'left' from worst to best: levels: [no, yes]"
    )


def test_the_value_that_compare_ranks_first_is_named_last(write):
    path = write("t.csv", "a,y\n" + "1,ja\n2,nein\n3,nein\n" * 9)
    assert inspect_table(path, target="y").warnings[-1].endswith("levels: [nein, ja]")


def test_thousands_of_a_range_have_commas(write):
    path = write("t.csv", "a,y\n" + "32282,no\n669123,yes\n" * 9)
    assert "32,282 to 669,123" in inspect_table(path, target="y").text()


def test_two_numbers_without_levels_are_doubted(write):
    path = write("t.csv", "a,y\n" + "1,0\n2,1\n" * 9)
    (warning,) = inspect_table(path, target="y").warnings
    assert "write 'levels: [0, 1]'" in warning
    assert not inspect_table(path, target="y", levels=[0, 1]).warnings


def test_it_goes_through_json(path):
    found = inspect_table(path, **OPTIONS)
    assert Reading.from_dict(json.loads(json.dumps(asdict(found)))) == found


def test_it_travels_with_the_data_and_changes_no_fingerprint(path, tmp_path):
    from dataclasses import replace

    dataset = dataset_of(path, entry_of(path, **OPTIONS))
    write_dataset(dataset, tmp_path / "kept.npz")
    kept = read_dataset(tmp_path / "kept.npz")
    assert kept.reading == dataset.reading == inspect_table(path, **OPTIONS)
    assert replace(dataset, reading=None).fingerprint == dataset.fingerprint == kept.fingerprint


def test_the_text_fits_a_terminal_whatever_names_hold(write):
    odd = ["x" * 300, "\x1b[31mred", "two\u2028lines", "ok"]
    body = "\n".join(f"{'v' * 200}{i % 3},{i % 4},{'w' * 90}{i % 5},{i % 2}" for i in range(40))
    found = inspect_table(write("t.csv", ",".join(odd) + "\n" + body), target="ok").text()
    assert max(map(len, found.splitlines())) <= 100
    assert "\x1b" not in found
    many = inspect_table(
        write("m.csv", ",".join(f"x{j}" for j in range(500)) + "\n" + "1," * 499 + "2\n")
    )
    assert "and 440 more columns" in many.text()
