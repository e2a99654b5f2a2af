"""Tables with bytes changed: read like an independent reader does, or refused, never else.

`RANKEXP_MUTATIONS` sets how many of each kind are tried.
"""

import csv
import io
import os
import random
import re
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from rankexp.errors import DataError
from rankexp.runner.data.readers.arff import read_arff
from rankexp.runner.data.readers.delimited import read_delimited
from rankexp.runner.data.readers.numbers import USUAL, TextRules

COUNT = int(os.environ.get("RANKEXP_MUTATIONS", "900")) // 3
SECONDS = 1.0
PLAIN = re.compile(
    r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?(inf(inity)?|nan)", re.I
)

CSV = (
    "age,income,plan,when,left\n"
    + "".join(
        f"{20 + i % 50},{i * 37.5 + 0.25},{['basic', 'plus', ''][i % 3]},2024-01-{i % 28 + 1:02d},"
        f"{['no', 'yes'][i % 2]}\n"
        for i in range(30)
    )
).encode()
GERMAN = CSV.replace(b",", b";").replace(b".", b",")
QUOTED = (
    b'"a","b c","d"\r\n' + b'"1,234.50",x,"say ""no"""\r\n"22,000.25","line\nbreak",z\r\n' * 12
)
WIDE = "x;y\n1,5;é\n2;ü\n".encode("utf-16")
LATIN = "x,y\n1,é\n2,ü\n".encode("cp1252") * 3
BARE = b"1,5;2,5;x\n3,25;1;y\n" * 9
SPACED = b"a b  c\n1 2.5 x\n-3  4 y\n" * 9
ARFF = (
    b"% comment\n@relation t\n@attribute age numeric\n@attribute 'a b' {red, 'dark green'}\n"
    b"@attribute word string\n@attribute n integer [1,10]\n@data\n"
    + b"5, red, zebra, 1\n?, 'dark green', 'an ant', 2\n7.5e1,?,\"it's\",?\n"
    * 10
)
PIECES = [
    *(b",", b";", b"\t", b"|", b'"', b"'", b"\n", b"\r", b"\r\n", b" ", b".", b"-", b"?", b"NA"),
    *(b"\0", b"\xff", b"\xe2\x80\xa8", b"\x0c", b"\x1a", b"#", b"%", b"{", b"}", b"\\", b"1e999"),
    *(b"nan", b"1,234", b"1_000", b"12:30", b"x" * 50, b"\xef\xbb\xbf", b"\xc2\xa0", b"@data\n"),
]


def mutated(seed_bytes, rng):
    """Return bytes with one to four changes."""
    found = bytearray(seed_bytes)
    for _ in range(rng.randint(1, 4)):
        at, much = rng.randrange(len(found) + 1), rng.choice([1, 1, 2, 9, 60])
        match rng.randrange(6):
            case 0:
                found[at:at] = rng.choice(PIECES)
            case 1:
                del found[at : at + much]
            case 2:
                found[at : at + 1] = bytes([rng.randrange(256)])
            case 3:
                found[at : at + len(piece)] = (piece := rng.choice(PIECES))
            case 4:
                found[at:at] = found[at : at + much] * rng.randint(1, 3)
            case 5:
                found = found[: max(at, 1)]
    return bytes(found)


def attempt(read, path):
    """Return what is read, or None for a refusal; anything else is a failure."""
    begun = time.perf_counter()
    try:
        table = read(path)
    except DataError as error:
        assert str(error).startswith(str(path))
        table = None
    spent = time.perf_counter() - begun
    assert spent < SECONDS
    return table


def value(text, layout):
    """Return a cell as a number by the layout that the reader states; None is no number."""
    text = text.strip()
    text = re.sub(r"^([+-]?)\s*[$€£]\s*|\s*[%$€£]$", r"\1", text)
    if layout.thousands:
        mark = "[ \u00a0\u202f]" if layout.thousands == " " else re.escape(layout.thousands)
        text = re.sub(rf"(?<=[0-9]){mark}(?=[0-9]{{3}}(?![0-9]))", "", text)
    text = text.replace(layout.decimal, ".")
    return float(text) if PLAIN.fullmatch(text) else None


def check_text(table, content):
    """Compare a table with Python's csv module, cell by cell."""
    layout = table.layout
    content = content.decode(layout.encoding)
    assert "\0" not in content
    lines = io.StringIO(content, newline="")
    if layout.delimiter == " ":
        lines = [" ".join(line.split()) + "\n" for line in lines]
    rows = list(csv.reader(lines, delimiter=layout.delimiter, skipinitialspace=True))
    while rows and (not any(c.strip().strip("\x1a") for c in rows[0]) or rows[0][0][:1] == "#"):
        del rows[0]
    width = Counter(map(len, (row for row in rows[:50] if any(map(str.strip, row))))).most_common(
        1
    )
    assert len(table.columns) in {len(rows[0]), width[0][0]}
    rows = [row for row in rows[layout.header :] if any(row) and row != ["\x1a"]]
    rows = [row for row in rows if len(row) > 1 or row[0].strip().strip("\x1a")]
    assert len(rows) == len(table.values)
    compare(table, rows, lambda cell: None if cell.strip() in USUAL else cell.strip())


def compare(table, rows, known):
    for j, column in enumerate(table.columns):
        for row, found in zip(rows, table.values[:, j], strict=True):
            text = known(row[j])
            if text is None:
                assert np.isnan(found)
            elif column.kind == "nominal":
                assert column.categories[int(found)] == text
            else:
                expected = value(text, table.layout)
                assert expected is not None
                assert found == expected or (np.isnan(found) and np.isnan(expected))


@pytest.mark.parametrize("seed", range(4))
def test_delimited_text(tmp_path, seed):
    rng, read = random.Random(seed), 0
    for _ in range(COUNT // 4):
        content = mutated(rng.choice([CSV, GERMAN, QUOTED, SPACED, WIDE, LATIN, BARE]), rng)
        path = tmp_path / "t.csv"
        path.write_bytes(content)
        table = attempt(read_delimited, path)
        if table is not None:
            read += 1
            check_text(table, content)
    assert read > COUNT // 40


def check_arff(table, content):
    """Compare a table with a reader that goes character by character."""
    text = content.decode(table.layout.encoding)
    lines = [line.strip() for line in io.StringIO(text, newline="")]
    lines = [line for line in lines if line and not line.startswith("%") and line != "\x1a"]
    at = next(i for i, line in enumerate(lines) if line.split()[0].lower() == "@data")
    rows = [list(arff_cells(line)) for line in lines[at + 1 :]]
    compare_arff(table, rows)


def arff_cells(line):
    """Give text and whether it was quoted, of each value."""
    token, quote, quoted, i = "", "", False, 0
    while i < len(line):
        c = line[i]
        if quote and c == "\\":
            i += 1
            token += {"n": "\n", "r": "\r", "t": "\t"}.get(line[i], line[i])
        elif quote and c == quote:
            quote = ""
        elif quote:
            token += c
        elif c in "'\"" and not token.strip():
            quote, quoted, token = c, True, ""
        elif c == ",":
            yield (token if quoted else token.strip()), quoted
            token, quoted = "", False
        elif not (quoted and c.isspace()):
            token += c
        i += 1
    yield (token if quoted else token.strip()), quoted


def compare_arff(table, rows):
    assert len(rows) == len(table.values)
    for row, values in zip(rows, table.values, strict=True):
        assert len(row) == len(table.columns)
        for (text, quoted), column, found in zip(row, table.columns, values, strict=True):
            if text == "" or (text == "?" and not quoted):
                assert np.isnan(found)
            elif column.kind == "nominal":
                assert column.categories[int(found)] == text
            else:
                assert PLAIN.fullmatch(text.strip())
                np.testing.assert_equal(found, float(text))


@pytest.mark.parametrize("seed", range(4))
def test_arff(tmp_path, seed):
    rng, read = random.Random(seed), 0
    for _ in range(COUNT // 4):
        content = mutated(ARFF, rng)
        path = tmp_path / "t.arff"
        path.write_bytes(content)
        table = attempt(lambda path: read_arff(path, [""]), path)
        if table is not None:
            read += 1
            check_arff(table, content)
    assert read > COUNT // 100


def check_parquet(table, path):
    """Compare a table with what pyarrow itself gives."""
    from pyarrow import parquet, types

    with parquet.ParquetFile(path) as file:
        raw = file.read()
    assert raw.column_names == [column.name for column in table.columns]
    for j, (column, name) in enumerate(zip(table.columns, raw.column_names, strict=True)):
        if types.is_temporal(raw.schema.field(name).type):  # Python has no years above 9999
            numbers = raw[name].cast("int64").to_pylist()
            codes = [None if np.isnan(code) else int(code) for code in table.values[:, j]]
            assert len(set(zip(numbers, codes, strict=True))) == len(set(numbers))
            assert len(set(codes)) == len(set(numbers))
            continue
        for cell, found in zip(raw[name].to_pylist(), table.values[:, j], strict=True):
            if cell is None or cell in USUAL or (isinstance(cell, float) and np.isnan(cell)):
                assert np.isnan(found)
            elif column.kind == "nominal":
                text = cell.isoformat() if hasattr(cell, "isoformat") else str(cell)
                assert column.categories[int(found)] == text.strip()
            else:
                expected = value(cell, table.layout) if isinstance(cell, str) else float(cell)
                assert found == expected


@pytest.mark.parametrize("seed", range(4))
def test_parquet(tmp_path, seed):
    import pandas as pd

    from rankexp.runner.data.readers.typed import read_parquet

    frame = pd.read_csv(io.BytesIO(CSV), parse_dates=["when"])
    frame.to_parquet(
        tmp_path / "whole.parquet", compression=[None, "snappy", "gzip", "zstd"][seed]
    )
    whole = (tmp_path / "whole.parquet").read_bytes()
    read_parquet(tmp_path / "whole.parquet")  # the first call imports
    rng, read = random.Random(seed), 0
    for _ in range(COUNT // 4):
        path = Path(tmp_path / "t.parquet")
        path.write_bytes(mutated(whole, rng) if rng.random() < 0.5 else flipped(whole, rng))
        table = attempt(read_parquet, path)
        if table is not None:
            read += 1
            check_parquet(table, path)
    assert read > COUNT // 40


def flipped(content, rng):
    """Return bytes with one to three bits turned."""
    found = bytearray(content)
    for _ in range(rng.randint(1, 3)):
        found[rng.randrange(len(found))] ^= 1 << rng.randrange(8)
    return bytes(found)


def test_the_comparison_would_notice(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(CSV)
    table = read_delimited(path, TextRules())
    check_text(table, CSV)
    table.values[3, 1] += 1e-9
    with pytest.raises(AssertionError):
        check_text(table, CSV)
