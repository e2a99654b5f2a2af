"""A sample of a table's rows keeps the shares of values and parts, and whole groups."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankexp.errors import DataError
from rankexp.runner.compare import command, study
from rankexp.runner.config.data_entry import DataEntry
from rankexp.runner.data.build import dataset_of, inspect_table
from rankexp.runner.data.choose import sample


@given(
    st.lists(st.integers(0, 4), min_size=2, max_size=200),
    st.lists(st.integers(0, 1), min_size=200, max_size=200),
    st.data(),
)
@settings(max_examples=60)
def test_shares_are_kept_to_a_row(values, parts, data):
    y, part = np.array(values, dtype=float), np.array(parts[: len(values)], dtype=float)
    most = data.draw(st.integers(1, len(y) - 1))
    drawn = sample([part, y], None, most)
    assert drawn.sum() == most
    assert (drawn == sample([part, y], None, most)).all()
    for key in (part, 2 * y + 10 * part):
        for value in np.unique(key):
            expected = most * (key == value).mean()
            # Rows of one part are together in the order, those of one value and part, too.
            assert abs(drawn[key == value].sum() - expected) <= 1 + 1e-9


@given(st.lists(st.integers(0, 9), min_size=2, max_size=100), st.integers(1, 99))
@settings(max_examples=60)
def test_groups_stay_whole(groups, most):
    codes = np.array(groups, dtype=float)
    drawn = sample([np.zeros(len(codes))], codes, most)
    of_groups = [drawn[codes == code] for code in np.unique(codes)]
    assert all(own.all() or not own.any() for own in of_groups)
    assert drawn.any()
    assert drawn.sum() <= max(most, *map(len, of_groups))


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(2)
    y = np.repeat(["no", "yes", ""], [900, 100, 7])
    frame = pd.DataFrame({"row": np.arange(1007) + 0.5, "u": rng.normal(size=1007), "y": y})
    frame = frame.assign(part=np.where(np.arange(1007) % 4, "train", "test"))
    path = tmp_path / "t.csv"
    frame.to_csv(path, index=False)
    return path


def test_an_entry_takes_so_many_rows_in_order_and_says_so(table):
    entry = DataEntry(source={"file": str(table)}, target="y", levels=["no", "yes"], rows=200)
    found = dataset_of(table, entry)
    assert np.bincount(found.y).tolist() == [180, 20]
    assert (np.diff(found.X[:, 0]) > 0).all()
    assert found.reading.rows == 200
    assert found.reading.without_target == 7
    (said,) = [text for text in found.reading.warnings if "drawn" in text]
    assert said == "200 of 1,000 rows are used, drawn at random; 'rows: 1000' takes all"
    parted = dataset_of(table, entry.model_copy(update={"part": "part"}))
    assert np.bincount(parted.parts).tolist() == [50, 150]
    again = dataset_of(table, entry)
    assert again.fingerprint == found.fingerprint
    whole = dataset_of(table, entry.model_copy(update={"rows": 1000}))
    assert len(whole.y) == 1000
    assert not [text for text in whole.reading.warnings if "drawn" in text]


def test_a_class_that_would_vanish_is_an_error(table):
    frame = pd.read_csv(table, keep_default_na=False)
    frame.loc[500, "y"] = "perhaps"
    frame.to_csv(table, index=False)
    levels = ["no", "perhaps", "yes"]
    entry = DataEntry(source={"file": str(table)}, target="y", levels=levels, rows=100)
    said = "of the 100 rows drawn .* none has one of the values .*; 'rows: 1000' takes all rows"
    with pytest.raises(DataError, match=said):
        dataset_of(table, entry)
    assert len(dataset_of(table, entry.model_copy(update={"rows": 1000})).y) == 1000


def test_rows_of_a_test_file_keep_their_share(table, tmp_path):
    other = tmp_path / "other.csv"
    pd.read_csv(table).iloc[::2].to_csv(other, index=False)
    reading = inspect_table(table, target="y", test=other, levels=["no", "yes"], rows=300)
    assert dict(reading.parts) == {"train": 200, "test": 100}


def test_compare_takes_as_many_rows_as_there_are_minutes_for(table, monkeypatch):
    monkeypatch.setattr(command, "size_of", lambda *_: (1_000_000.0, 20))
    asked = command.Options("y", minutes=1.0)
    assert command._in_time(table, asked).reading == {"rows": 300_000}
    assert command._in_time(table, command.Options("y", minutes=10.0)).reading == {}
    own = command.Options("y", minutes=1.0, reading={"rows": 900_000})
    assert command._in_time(table, own) == own


def test_a_small_file_is_taken_whole(table):
    options = command.Options("y", minutes=0.1)
    assert command._in_time(table, options) is options


def test_an_answer_says_that_rows_were_drawn(table):
    reading = inspect_table(table, target="y", levels=["no", "yes"], rows=300)
    assert "300 of 1,000 rows are used, drawn at random." in study.used(reading)
    whole = inspect_table(table, target="y", levels=["no", "yes"])
    assert "drawn" not in study.used(whole)
