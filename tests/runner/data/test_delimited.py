import csv
import gzip
import io
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankexp.errors import DataError
from rankexp.runner.data.dataset import Feature
from rankexp.runner.data.readers.delimited import read_delimited
from rankexp.runner.data.readers.numbers import TextRules


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|", " ", "   "])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_delimiters(write, delimiter, newline):
    rows = [
        ["in 1" if delimiter.strip() else "in1", "b", "y"],
        ["1.5", "x", "0"],
        ["-2", "w", "1"],
    ]
    text = newline.join(delimiter.join(row) for row in rows)
    table = read_delimited(write("t.csv", text))
    assert [c.name for c in table.columns] == rows[0]
    assert table.columns[1] == Feature("b", "nominal", ("w", "x"))
    np.testing.assert_array_equal(table.values, [[1.5, 1, 0], [-2, 0, 1]])


def test_quoted_header_and_cells(write):
    table = read_delimited(write("t.csv", '"a, b";"c"\n"1,5; z";2\n"q";3\n'))
    assert [c.name for c in table.columns] == ["a, b", "c"]
    assert table.columns[0].categories == ("1,5; z", "q")
    np.testing.assert_array_equal(table.values, [[0, 2], [1, 3]])


def test_without_header(write):
    table = read_delimited(write("iris.data", "5.1,3.5,setosa\n4.9,3.0,virginica\n"))
    assert [c.name for c in table.columns] == ["column1", "column2", "column3"]
    np.testing.assert_array_equal(table.values, [[5.1, 3.5, 0], [4.9, 3.0, 1]])


def test_header_can_be_said(write):
    names = write("a.csv", "1,2\n3,4\n")
    assert [c.name for c in read_delimited(names, TextRules(header=True)).columns] == ["1", "2"]
    words = write("b.csv", "a,b\nc,a\n")
    assert len(read_delimited(words).values) == 1
    assert len(read_delimited(words, TextRules(header=False)).values) == 2


def test_an_unnamed_index_column_has_its_number(write):
    table = read_delimited(write("t.csv", ",a,b\n0,5,x\n1,6,w\n"))
    assert [c.name for c in table.columns] == ["column1", "a", "b"]


def test_numbers_that_no_integer_holds(write):
    table = read_delimited(write("t.csv", "a,b\n123456789012345678901234,1\n5,2\n,3\n"))
    assert table.columns[0] == Feature("a")
    np.testing.assert_array_equal(table.values[:, 0], [123456789012345678901234.0, 5, np.nan])


def test_missing_marks(write):
    table = read_delimited(
        write("t.csv", "a,b\n?,x\n,u\n3,\n4,NA\n"), TextRules(missing=frozenset(["?", "", "NA"]))
    )
    np.testing.assert_array_equal(
        table.values, [[np.nan, 1], [np.nan, 0], [3, np.nan], [4, np.nan]]
    )


def test_texts_are_kept_as_they_stand(write):
    table = read_delimited(write("t.csv", "a,b\nTRUE,2 \nFALSE,4\nTRUE,5more\nTRUE,x\n"))
    assert table.columns[0].categories == ("FALSE", "TRUE")
    assert table.columns[1].categories == ("2", "4", "5more", "x")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "cp1252"])
def test_encodings_and_blank_lines(write, encoding):
    table = read_delimited(write("t.csv", "a,b\n\n1,x\n\n2,ü\n".encode(encoding)))
    assert [c.name for c in table.columns] == ["a", "b"]
    assert table.columns[1].categories == ("x", "ü")
    np.testing.assert_array_equal(table.values, [[1, 0], [2, 1]])
    assert table.layout.encoding == encoding
    assert ("Windows-1252" in " ".join(table.layout.notes)) == (encoding == "cp1252")


def test_compressed(write):
    table = read_delimited(write("t.csv.gz", gzip.compress(b"a,b\n1,2\n")))
    np.testing.assert_array_equal(table.values, [[1, 2]])


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("a,b\n1,2\n1,2,3\n", 3, "3 values for 2 columns"),
        ("a,b\n1,2\n\n1\n", 4, "1 values for 2 columns"),
        ("a,b,c\n1,2,3\n1,2\n", 3, "2 values for 3 columns"),
        ('a,b\n1,"2\n3,4\n', 2, "quoted value is never closed"),
        ("a,a\n1,2\n", 1, "names column 'a' twice"),
        ("a,b\n" + "1,2\n" * 20 + "1,2x\n", 22, "'2x' is not a number, but most of column 'b' is"),
    ],
)
def test_malformed_files_name_file_and_line(write, text, line, what):
    path = write("bad.csv", text)
    with pytest.raises(DataError) as caught:
        read_delimited(path)
    assert str(caught.value).startswith(f"{path}:{line}: ")
    assert what in str(caught.value)
    assert "title" not in str(caught.value)


def test_stray_text_may_be_declared_nominal(write):
    path = write("t.csv", "a,b\n" + "1,2\n" * 20 + "1,2x\n")
    assert read_delimited(path, TextRules(lenient=frozenset(["b"]))).columns[1].categories == (
        "2",
        "2x",
    )


@pytest.mark.parametrize(
    ("text", "what"), [("", "empty"), ("\n\n", "empty"), ("a,b\n", "no rows")]
)
def test_nothing_to_read(write, text, what):
    with pytest.raises(DataError, match=what):
        read_delimited(write("bad.csv", text))


@settings(max_examples=30)
@given(
    st.lists(
        st.tuples(
            st.floats(allow_nan=False, allow_infinity=False),
            st.sampled_from(["p", "q q", 'r"', "s;t", "u,v", "w"]),
        ),
        min_size=2,
        max_size=8,
    ),
    st.sampled_from([",", ";", "\t"]),
)
def test_reads_back_what_csv_writes(tmp_path_factory, rows, delimiter):
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter).writerows([("number", "word"), *rows])
    path = tmp_path_factory.mktemp("csv") / "t.csv"
    path.write_bytes(text.getvalue().encode())
    table = read_delimited(path)
    words = table.columns[1].categories
    assert list(table.values[:, 0]) == [number for number, _ in rows]
    assert [words[int(code)] for code in table.values[:, 1]] == [word for _, word in rows]


def test_a_file_in_letors_format_is_told_from_a_table(tmp_path: Path) -> None:
    path = tmp_path / "train.txt"
    path.write_text("# made\n2 qid:1 1:0.3 2:0.1\n0 qid:1 1:0.2 2:0.4\n")
    with pytest.raises(DataError, match=r"LETOR format.*'source: \{letor: train.txt\}'"):
        read_delimited(path)
