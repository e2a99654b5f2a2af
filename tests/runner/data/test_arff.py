import gzip
import lzma

import numpy as np
import pytest

from rankexp.errors import DataError
from rankexp.runner.data.dataset import Feature
from rankexp.runner.data.readers.arff import read_arff

TOY = """% a comment
@RELATION toy

@attribute 'clump size' integer [1,10]
@ATTRIBUTE colour {red, 'dark green', "it's"}
@attribute word string
@attribute class{b,a}
@data
% another
5, red, zebra, a
?, 'dark green', 'an ant', b

7.5,"it's",?,a
"""

COLUMNS = (
    Feature("clump size"),
    Feature("colour", "nominal", ("red", "dark green", "it's")),
    Feature("word", "nominal", ("an ant", "zebra")),
    Feature("class", "nominal", ("b", "a")),
)
VALUES = [[5, 0, 1, 1], [np.nan, 1, 0, 0], [7.5, 2, np.nan, 1]]


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("suffix", ["", ".gz", ".xz"])
def test_reads_what_weka_writes(write, newline, suffix):
    raw = TOY.replace("\n", newline).encode()
    raw = {"": bytes, ".gz": gzip.compress, ".xz": lzma.compress}[suffix](raw)
    table = read_arff(write("toy.arff" + suffix, raw))
    assert table.columns == COLUMNS
    np.testing.assert_array_equal(table.values, VALUES)


def test_escaped_quotes_and_commas_in_quotes(write):
    text = "@attribute a {'it\\'s', 'x, y'}\n@attribute b real\n@data\n'x, y',1\n'it\\'s',2\n"
    table = read_arff(write("t.arff", text))
    assert table.columns[0].categories == ("it's", "x, y")
    np.testing.assert_array_equal(table.values, [[1, 1], [0, 2]])


def test_declared_missing_texts(write):
    text = "@attribute a {'not known', u}\n@attribute b real\n@data\n'not known',-9\nu,2\n"
    table = read_arff(write("t.arff", text), missing=["not known", "-9"])
    np.testing.assert_array_equal(np.isnan(table.values), [[True, True], [False, False]])


def test_latin_1(write):
    table = read_arff(write("t.arff", "@attribute a {Düne}\n@data\nDüne\n".encode("latin-1")))
    assert table.columns[0].categories == ("Düne",)


def test_chunks_join(write, monkeypatch):
    monkeypatch.setattr("rankexp.runner.data.readers.arff.CHUNK", 8)
    table = read_arff(write("toy.arff", TOY))
    assert table.columns == COLUMNS
    np.testing.assert_array_equal(table.values, VALUES)


HEAD = "@relation t\n@attribute a real\n@attribute b {x,yes}\n@data\n"


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        (HEAD + "1,x\n1,x,3\n", 6, "3 values for 2 attributes"),
        (HEAD + "1,x\none,x\n", 6, "'one' is not a number, but 'a' is numeric"),
        (HEAD + "1,yess\n", 5, "'yess' is not a declared value of 'b' (did you mean 'yes'?)"),
        (HEAD + "1,'x\n", 5, "quote"),
        (HEAD + "{0 1, 1 x}\n", 5, "sparse"),
        ("@relation t\n@attribute a real\n1\n", 3, "expected @attribute or @data"),
        ("@relation t\n@attribute a real\n", 2, "there is no @data line"),
        ("@attribute a real\n@attribute a real\n@data\n1,2\n", 2, "declared twice"),
        ("@attribute a relational\n@data\n1\n", 1, "not supported"),
        ("@attribute a {x,x}\n@data\nx\n", 1, "distinct values"),
        ("@attribute\n@data\nx\n", 1, "cannot parse the declaration"),
        ("@data\nx\n", 1, "@data before any @attribute"),
    ],
)
def test_malformed_files_name_file_and_line(write, text, line, what):
    path = write("bad.arff", text)
    with pytest.raises(DataError) as caught:
        read_arff(path)
    assert str(caught.value).startswith(f"{path}:{line}: ")
    assert what in str(caught.value)


@pytest.mark.parametrize(
    ("name", "content", "what"),
    [
        ("bad.arff", HEAD, "no rows"),
        ("bad.arff.gz", b"not gzip", "cannot read the file"),
        ("bad.arff.gz", gzip.compress(TOY.encode())[:-8], "cannot read the file"),
        ("bad.arff.xz", lzma.compress(TOY.encode())[:-20], "cannot read the file"),
    ],
)
def test_damaged_files(write, name, content, what):
    with pytest.raises(DataError, match=what):
        read_arff(write(name, content))


def test_absent_file(tmp_path):
    with pytest.raises(DataError, match="no such file"):
        read_arff(tmp_path / "none.arff")


def test_agrees_with_scipy_on_every_real_file(real_data):
    from scipy.io import arff

    files = sorted(real_data.glob("*.arff"))
    assert files
    for file in files:
        table = read_arff(file)
        rows, meta = arff.loadarff(file)
        assert [column.name for column in table.columns] == meta.names()
        for j, column in enumerate(table.columns):
            expected = rows[column.name]
            if column.kind == "nominal":
                assert column.categories == meta[column.name][1]
                codes = {text.encode(): code for code, text in enumerate(column.categories)}
                expected = [codes.get(text, np.nan) for text in expected]
            np.testing.assert_array_equal(table.values[:, j], expected)


def test_quotes_escapes_and_ranges(write):
    text = "@attribute w {'?', 'a\\tb'}\n@attribute x [1,10]\n@data\n'?',1\n?,2\n'a\\tb',3\n"
    with pytest.raises(DataError, match=r"t.arff:2: attribute 'x' is of type '\[1,10\]'"):
        read_arff(write("t.arff", text))
    table = read_arff(write("t.arff", text.replace("x [", "x real [")))
    assert table.columns[0].categories == ("?", "a\tb")
    np.testing.assert_array_equal(table.values, [[0, 1], [np.nan, 2], [1, 3]])


@pytest.mark.parametrize("cell", ["1_000", "١٢", "0x10", "1,5"])
def test_what_python_takes_for_a_number_is_none(write, cell):
    with pytest.raises(DataError, match=r"t.arff:3: "):
        read_arff(write("t.arff", f"@attribute a real\n@data\n{cell}\n"))


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("newline", ["\r", "\r\n"])
def test_encodings_and_ends_of_lines(write, encoding, newline):
    raw = TOY.replace("zebra", "Düne").replace("\n", newline).encode(encoding)
    table = read_arff(write("t.arff", raw))
    assert table.columns[2].categories == ("Düne", "an ant")
    np.testing.assert_array_equal(table.values, [[5, 0, 0, 1], [np.nan, 1, 1, 0], VALUES[2]])


def test_time_grows_with_the_length_alone(write):
    from time import perf_counter

    many = "".join(f"@attribute a{j} real\n" for j in range(20_000))
    wide = write("wide.arff", many + "@data\n" + ",".join(["1"] * 20_000) + "\n")
    gaps = write(
        "gaps.arff", "@attribute a real\n@data\n" + " " * 100_000 + "x" + " " * 100_000 + "'"
    )
    quotes = write("quotes.arff", "@attribute " + "'\\" * 50_000 + " real\n@data\n1\n")
    begun = perf_counter()
    assert read_arff(wide).values.shape == (1, 20_000)
    for path in (gaps, quotes):
        with pytest.raises(DataError):
            read_arff(path)
    assert perf_counter() - begun < 5
