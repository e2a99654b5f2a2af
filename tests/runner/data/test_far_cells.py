"""A cell that stands far from all others costs no more than it is worth."""

import io
import time
import zipfile

import pytest

from rankexp.errors import DataError
from rankexp.runner.data.sources.file import read

pytest.importorskip("openpyxl", reason="needs the extra 'excel'")


@pytest.fixture
def sheet(write):
    """Write a small sheet with further rows of XML, and return its path."""

    def _sheet(more: str):
        import pandas as pd

        whole, changed = io.BytesIO(), io.BytesIO()
        pd.DataFrame({"a": [1.5, 2.0], "b": ["x", "y"]}).to_excel(whole, index=False)
        with zipfile.ZipFile(whole) as old, zipfile.ZipFile(changed, "w", 8) as new:
            for name in old.namelist():
                text = old.read(name)
                if name.endswith("sheet1.xml"):
                    text = text.replace(b"</sheetData>", f"{more}</sheetData>".encode())
                new.writestr(name, text)
        return write("t.xlsx", changed.getvalue())

    return _sheet


@pytest.mark.parametrize(
    ("row", "column", "said"),
    [
        (
            1048576,
            "XFD",
            "column 16,384 of the sheet 'Sheet1' is far .*: 3 of 16,384 columns hold",
        ),
        (2**40, "A", "a row has a number above 1,048,576"),
    ],
)
def test_one_far_cell_is_refused_at_once(sheet, entry, row, column, said):
    path = sheet(f'<row r="{row}"><c r="{column}{row}"><v>1</v></c></row>')
    begun = time.process_time()
    with pytest.raises(DataError, match=said):
        read(path, entry())
    assert time.process_time() - begun < 10.0


@pytest.mark.slow
def test_a_far_row_is_a_row(sheet, entry):
    table = read(sheet('<row r="1048576"><c r="A1048576"><v>7</v></c></row>'), entry())
    assert table.values[:, 0].tolist() == [1.5, 2.0, 7.0]


def test_rows_that_all_end_far_are_counted(sheet, entry, monkeypatch):
    monkeypatch.setenv("RANKEXP_UNPACKED_MB", "10")
    rows = (f'<row r="{r}"><c r="XFD{r}"><v>1</v></c></row>' for r in range(4, 2000))
    begun = time.process_time()
    with pytest.raises(DataError, match=r"unpack to more than 10 MB.*RANKEXP_UNPACKED_MB"):
        read(sheet("".join(rows)), entry())
    assert time.process_time() - begun < 10.0


def test_errors_and_whole_numbers_are_as_in_csv(sheet, entry, write):
    path = sheet(
        '<row r="4"><c r="A4" t="e"><v>#DIV/0!</v></c><c r="B4" t="str"><v>z</v></c></row>'
        '<row r="5"><c r="A5"><v>3.0</v></c><c r="B5" t="b"><v>1</v></c></row>'
    )
    found = read(path, entry())
    same = read(write("t.csv", "a,b\n1.5,x\n2,y\n,z\n3,True\n"), entry())
    assert found.columns == same.columns
    assert repr(found.values.tolist()) == repr(same.values.tolist())
