"""Tables cut by pyarrow and by Python's csv module: the same data or the same refusal.

`RANKEXP_MUTATIONS` sets how many mutated tables are tried.
"""

import random
import re
from pathlib import Path

import numpy as np
import pytest
from test_mutated_tables import BARE, COUNT, CSV, GERMAN, PIECES, QUOTED, WIDE, mutated

from rankexp.errors import DataError
from rankexp.runner.data.readers import columns, grid
from rankexp.runner.data.readers.delimited import read_delimited
from rankexp.runner.data.readers.numbers import USUAL, TextRules

ROWS = range(30)
NUMBERS = b"a,b,c,d\n" + b"".join(
    b"%d,%s,%s,%s\n"
    % (
        i,
        (b"1.234", b"5.678")[i % 2],
        (b"00123", b"0.5", b"")[i % 3],
        (b"9007199254740993", b"12")[i % 2],
    )
    for i in ROWS
)
WORDS = b"a,b,c\n" + b"".join(
    b"%s,%s,%s\n"
    % (
        (b"NA", b"1", b"+5")[i % 3],
        (b"inf", b"nan", b"1e400", b"-0")[i % 4],
        (b"?", b"7", b"x")[i % 3],
    )
    for i in ROWS
)
NAMES = b"name,age,y\n" + b'"Braund, Mr. Owen",3,a\n"x ""y"" z",4.5,b\n' * 12
TABLES = {
    "plain": CSV,
    "semicolons": GERMAN,
    "quotes": QUOTED,
    "white space": b"a b  c\n" + b"1 2.5 x\n-3  4 y\n" * 9,
    "utf-16": WIDE,
    "windows": b"x,y\n" + "1,é\n2,ü\n".encode("cp1252") * 9,
    "no names": BARE,
    "numbers": NUMBERS,
    "words": WORDS,
    "names": NAMES,
    "spaces": b"5.1, 3.5, Iris\n4.9, 3.0, Iris-b\n" * 14,
    "carriage returns": CSV.replace(b"\n", b"\r"),
    "both": CSV.replace(b"\n", b"\r\n"),
    "comments": b"sep=;\n# made by x\n" + GERMAN,
    "empty rows": b"a,b\n" + b"1,x\n,\n2,y\n\n" * 10,
    "a mark": b"\xef\xbb\xbf" + CSV,
    "quoted numbers": b'"a","b","c"\n' + b'"1","x","2,5"\n"2","y","3,5"\n' * 10,
    "empty last column": b"a,b,\n" + b"1,x,\n2,,\n" * 10,
    "long cells": b"a,b\n" + b"1," + b"x" * 131_072 + b"\n2," + b"x" * 131_073 + b"\n",
    "tabs": CSV.replace(b",", b"\t"),
}
QUICK = {"plain", "semicolons", "quotes", "white space", "numbers", "words", "names", "spaces"} | {
    *("both", "comments", "empty rows", "a mark", "quoted numbers", "empty last column", "tabs"),
    *("utf-16", "windows", "no names"),
}
CELLS = [
    *(piece for piece in PIECES if piece.strip(b",;\t|\r\n\"\0 ") == piece),
    *(b" 1", b"0x1A", b"inf", b"1e400", b"+5", "\uff11\uff12".encode(), "\u0661".encode(), b"00"),
    *(b"9007199254740993", b"-nan", b"Infinity", b"1e-400", b"1.", b".5", b"\t1", b"1 ", b"1,5"),
    *(b'"1"', b'""', b'"a\nb"', b"4.9e-324", b"1.7976931348623158e308", b"99999999999999999999"),
]  # fmt: skip
RULES = [
    *([TextRules()] * 6),
    *(
        TextRules(header=True),
        TextRules(header=False),
        TextRules(decimal=","),
        TextRules(thousands="."),
    ),
    *(TextRules(missing=USUAL | {"-9", "1", "2.5"}), TextRules(missing=frozenset([""]))),
    *(
        TextRules(lenient=frozenset(["a", "age"])),
        TextRules(labels=frozenset(["d"])),
        TextRules(delimiter=" "),
    ),
]


@pytest.fixture
def judged(monkeypatch):
    """Let Python's csv module cut everything."""

    def _judged(path, rules, test):
        with monkeypatch.context() as patch:
            patch.setattr(grid.Grid, "_quickly", refuse)
            return outcome(path, rules, test)

    return _judged


def refuse(*_):
    raise columns.DoubtError


def outcome(path, rules, test=None):
    """Return all that a reading gives, bit by bit, or the message of its refusal."""
    try:
        table = read_delimited(path, rules, test)
    except DataError as error:
        return str(error)
    shape = table.values.shape
    return table.name, table.columns, shape, table.values.tobytes(), table.layout, table.first


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("piece", [40, 1 << 21])
def test_every_table(write, judged, monkeypatch, name, piece):
    monkeypatch.setattr(columns, "PIECE", piece)
    path = write("t.csv", TABLES[name])
    assert outcome(path, TextRules()) == judged(path, TextRules(), None)


@pytest.mark.parametrize("name", sorted(QUICK))
def test_these_are_cut_quickly(write, monkeypatch, name):
    monkeypatch.setattr(grid.Grid, "_judged", refuse)
    assert not isinstance(outcome(write("t.csv", TABLES[name]), TextRules()), str)


def replaced(content, rng):
    """Return a table with other texts in one or two of its cells."""
    for _ in range(rng.randint(1, 2)):
        cells = [match.span() for match in re.finditer(rb"[^,;\t\n\r\"| ]+", content)][2:]
        if cells:
            begin, end = rng.choice(cells)
            content = content[:begin] + rng.choice(CELLS) + content[rng.choice([begin, end]) :]
    return content


def compare(folder, judged, monkeypatch, seed, count):
    """Hold that both ways agree on mutated tables; return how many are read."""
    rng, read = random.Random(seed), 0
    for _ in range(count):
        monkeypatch.setattr(columns, "PIECE", rng.choice([40, 300, 1 << 21]))
        monkeypatch.setattr(grid, "CHUNK", rng.choice([20, 1 << 17]))
        change = mutated if rng.random() < 0.3 else replaced
        path, other = Path(folder / "t.csv"), Path(folder / "other.csv")
        whole = rng.choice([content for content in TABLES.values() if len(content) < 10_000])
        path.write_bytes(change(whole, rng))
        other.write_bytes(change(whole, rng))
        test = other if rng.random() < 0.1 else None
        rules = rng.choice(RULES)
        found = outcome(path, rules, test)
        assert found == judged(path, rules, test), path.read_bytes()
        read += not isinstance(found, str)
    return read


@pytest.mark.parametrize("seed", range(2))
def test_mutated_tables(tmp_path, judged, monkeypatch, seed):
    assert compare(tmp_path, judged, monkeypatch, seed, COUNT // 6) > COUNT // 60


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 10))
def test_many_mutated_tables(tmp_path, judged, monkeypatch, seed):
    assert compare(tmp_path, judged, monkeypatch, seed, 2_500) > 250


def test_numbers_are_those_of_python(write):
    rng = np.random.default_rng(1)
    bits = rng.integers(0, 2**64, 20_000, dtype=np.uint64).view(np.float64)
    values = np.concatenate([bits[np.isfinite(bits)], rng.normal(size=20_000).round(7)])
    texts = [
        rng.choice(["{!r}", "{:.17e}", "{:.20g}", "{:+.3E}"]).format(v) for v in values.tolist()
    ]
    table = read_delimited(write("t.csv", "a,b\n" + "".join(f"{text},x\n" for text in texts)))
    expected = np.array([float(text) for text in texts])
    assert table.values[:, 0].tobytes() == expected.tobytes()


def test_a_row_far_down_is_named_with_its_line(write, monkeypatch):
    monkeypatch.setattr(columns, "PIECE", 1_000)
    head = "a,b\n" + "1,2\n" * 3_000
    with pytest.raises(DataError, match=r":3002: '2x' is not a number"):
        read_delimited(write("t.csv", head + "1,2x\n"))
    with pytest.raises(DataError, match=r":3002: 3 values for 2 columns"):
        read_delimited(write("t.csv", head + "1,2,3\n"))
