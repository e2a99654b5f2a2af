"""A test set in a file of its own is read as if both files were one."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from rankexp.errors import ConfigError, DataError, DataNotFoundError
from rankexp.runner.config.data_entry import DataEntry
from rankexp.runner.data.build import build, inspect_table
from rankexp.runner.data.dataset import Dataset
from rankexp.runner.data.find import add, find
from rankexp.runner.data.snapshot import read_dataset, write_dataset
from rankexp.runner.data.sources.file import read

HEAD = "age,town,spend,y\n"
TRAIN = HEAD + "41,Bern,1.5,no\n37,Genf,2.5,yes\n50,Bern,3,no\n"
TEST = HEAD + "29,Chur,4.25,yes\n33,Bern,?,no\n"


def entry(folder: Path, **more: Any) -> DataEntry:
    source = {"file": str(folder / "train.csv"), "test": str(folder / "test.csv")}
    given = {"source": source, "target": "y", "levels": ["no", "yes"], "identifiers": "keep"}
    return DataEntry.model_validate(given | more)


def built(folder: Path, train: str = TRAIN, test: str = TEST, **more: Any) -> Dataset:
    (folder / "train.csv").write_text(train, encoding="utf-8")
    (folder / "test.csv").write_text(test, encoding="utf-8")
    own = entry(folder, **more)
    return build("d", read(folder / "train.csv", own, folder / "test.csv"), own)


def test_both_files_are_one_table_whose_rows_know_their_file(tmp_path: Path) -> None:
    found = built(tmp_path)
    (tmp_path / "all.csv").write_text(TRAIN + TEST.removeprefix(HEAD), encoding="utf-8")
    whole = entry(tmp_path, source={"file": "all.csv"})
    one = build("d", read(tmp_path / "all.csv", whole), whole)
    np.testing.assert_array_equal(found.X, one.X)
    assert (found.features, found.y.tolist()) == (one.features, one.y.tolist())
    assert found.features[1].categories == ("Bern", "Chur", "Genf")
    assert found.parts is not None and found.part_names == ("test", "train")
    assert found.parts.tolist() == [1, 1, 1, 0, 0]
    assert one.parts is None and found.fingerprint != one.fingerprint
    write_dataset(found, tmp_path / "d.npz")
    again = read_dataset(tmp_path / "d.npz")
    assert again.fingerprint == found.fingerprint and again.part_names == found.part_names


def test_a_column_of_parts_says_the_same_as_a_second_file(tmp_path: Path) -> None:
    found = built(tmp_path)
    lines = [*TRAIN.split()[1:], *TEST.split()[1:]]
    rows = [f"{line},{'train' if i < 3 else 'test'}\n" for i, line in enumerate(lines)]
    (tmp_path / "all.csv").write_text("age,town,spend,y,set\n" + "".join(rows), encoding="utf-8")
    own = entry(tmp_path, source={"file": "all.csv"}, part="set")
    assert build("d", read(tmp_path / "all.csv", own), own).fingerprint == found.fingerprint


def test_types_and_number_format_are_those_of_both(tmp_path: Path) -> None:
    train = "a;b;y\n1;07;no\n2;08;yes\n3;09;no\n"
    test = "b;y;a\nx7;no;1,5\nx8;yes;2\nx9;no;2\nx9;no;2\n08;no;3\n"
    found = built(tmp_path, train, test)
    assert [f.kind for f in found.features] == ["numeric", "nominal"]
    assert found.X[:5, 0].tolist() == [1, 2, 3, 1.5, 2], "decimal commas of the test file alone"
    assert found.features[1].categories == ("07", "08", "09", "x7", "x8", "x9"), (
        "texts, not numbers"
    )


@pytest.mark.parametrize(
    ("test", "said"),
    [
        ("age,town,y\n1,a,no\n", "test.csv: lacks 'spend'; both files need the same columns"),
        (HEAD.replace("age", "Age") + "1,a,2,no\n", "lacks 'age' and has 'Age', which "),
        ("1,a,2,no\n3,b,4,yes\n", "test.csv: has no header, unlike"),
        (HEAD + "1,a,2,no\n3,b,4\n", "test.csv:3: 3 values for 4 columns"),
        (HEAD + "1,a,2,no\nold,b,4,yes\n", "test.csv:3: 'old' is not a number"),
        (HEAD + "1,a,2,maybe\n", "'maybe', but no level lists it"),
        (HEAD, "test.csv: no rows of data"),
        (HEAD + "1,a,inf,no\n", "column 'spend' has an infinite value in row 1 of the test file"),
    ],
)
def test_what_does_not_fit_is_said_with_its_file_and_line(
    tmp_path: Path, test: str, said: str
) -> None:
    with pytest.raises(DataError) as error:
        built(tmp_path, test=test)
    assert said in str(error.value)


def test_strays_in_both_files_are_named_with_their_files(tmp_path: Path) -> None:
    train = TRAIN.replace("50,", "none,")
    with pytest.raises(DataError) as error:
        built(tmp_path, train, TEST.replace("33,", "nothing,"))
    assert "train.csv:4: 'none' is not a number, 'nothing' in line 3 of " in str(error.value)
    assert "test.csv, but most of column 'age' is" in str(error.value)


def test_other_formats_are_joined_likewise(tmp_path: Path) -> None:
    pytest.importorskip("openpyxl")
    expected = built(tmp_path)
    frames = [pd.read_csv(tmp_path / f"{part}.csv", na_values="?") for part in ("train", "test")]
    for suffix, write in ((".parquet", "to_parquet"), (".xlsx", "to_excel")):
        files = [tmp_path / f"{part}{suffix}" for part in ("train", "test")]
        for file, frame in zip(files, frames, strict=True):
            getattr(frame[frame.columns[::-1]], write)(file, index=False)
        own = entry(tmp_path)
        found = build("d", read(files[0], own, files[1]), own)
        assert found.features[1].categories in (("Bern", "Genf", "Chur"), ("Bern", "Chur", "Genf"))
        np.testing.assert_array_equal(found.X[:, [2, 0]], expected.X[:, [0, 2]])
        assert found.parts is not None and found.parts.tolist() == [1, 1, 1, 0, 0]
    with pytest.raises(DataError, match=r"test\.csv: the test file must have the same format as"):
        read(files[0], entry(tmp_path), tmp_path / "test.csv")


def test_arff_declares_its_types_and_may_declare_more_categories(tmp_path: Path) -> None:
    head = "@relation r\n@attribute town {{{}}}\n@attribute x {}\n@attribute y {{no,yes}}\n@data\n"
    train, test = tmp_path / "train.arff", tmp_path / "test.arff"
    train.write_text(head.format("Genf,Bern", "numeric") + "Genf,1,no\nBern,2,yes\n")
    test.write_text(head.format("Bern,Chur", "numeric") + "Chur,3,no\n?,4,yes\n")
    found = build("d", read(train, entry(tmp_path), test), entry(tmp_path))
    assert found.features[0].categories == ("Genf", "Bern", "Chur")
    np.testing.assert_array_equal(found.X[:, 0], [0, 1, 2, np.nan])
    test.write_text(head.format("Bern", "string") + "Bern,3,no\n")
    with pytest.raises(DataError, match="column 'x' is nominal, but numeric in"):
        read(train, entry(tmp_path), test)


def test_a_study_finds_both_files_or_says_which_is_lacking(tmp_path: Path) -> None:
    built(tmp_path)
    names = {"file": "train.csv", "test": "test.csv"}
    own, cache = entry(tmp_path, source=names), tmp_path / "cache"
    found = find("d", own, [tmp_path], cache)
    assert found.dataset.parts is not None and "test.csv" in found.where
    (tmp_path / "test.csv").write_text(TEST.replace("29", "92"), encoding="utf-8")
    assert find("d", own, [tmp_path], cache).dataset.X[3, 0] == 92, "no old snapshot"
    with pytest.raises(DataError, match="has two files"):
        add("d", own, tmp_path / "train.csv", cache)
    (tmp_path / "test.csv").unlink()
    with pytest.raises(
        DataNotFoundError, match=r"only one of its two files was found: .*train\.csv"
    ):
        find("d", own, [tmp_path], cache)


def test_the_reading_counts_the_rows_of_both(tmp_path: Path) -> None:
    built(tmp_path)
    options = {"target": "y", "test": tmp_path / "test.csv", "positive": "yes"}
    text = inspect_table(tmp_path / "train.csv", **options).text()
    assert text.startswith("train.csv and test.csv: delimited text")
    assert "5 rows: train (3), test (2)" in text


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"part": "town"}, "give only one"),
        ({"source": {"test": "test.csv"}}, "give exactly 'file' and 'test'"),
        ({"source": {"file": "a", "test": "b", "openml": 3}}, "give exactly 'file' and 'test'"),
    ],
)
def test_parts_have_one_place_to_be_named(tmp_path: Path, more: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        entry(tmp_path, **more)


def test_a_missing_test_file_is_said(tmp_path: Path) -> None:
    built(tmp_path)
    with pytest.raises((ConfigError, DataError), match=r"none\.csv"):
        inspect_table(tmp_path / "train.csv", target="y", test=tmp_path / "none.csv")
