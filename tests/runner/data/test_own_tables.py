"""One's own tables, as programs write them: read as meant, or refused with what settles it."""

import gzip
import lzma
import re
from functools import partial

import numpy as np
import pandas as pd
import pytest

from rankexp.errors import ConfigError, DataError
from rankexp.runner.data.build import build, dataset_of, entry_of, inspect_table
from rankexp.runner.data.dataset import Feature
from rankexp.runner.data.sources.file import read

ROWS = 60


def table(seed=0):
    """Make numbers, large numbers with two decimals, a nominal with gaps, and a target."""
    rng = np.random.default_rng(seed)
    age = [f"{value:.1f}" for value in rng.uniform(18, 90, ROWS)]
    income = [f"{value:.2f}" for value in rng.uniform(500, 99999, ROWS)]
    plan = [["basic", "plus", "family", ""][k] for k in rng.integers(4, size=ROWS)]
    left = [["no", "yes"][k] for k in rng.integers(2, size=ROWS)]
    age[3] = age[17] = income[5] = ""
    return [("age", "income", "plan", "left"), *zip(age, income, plan, left, strict=True)]


def text(rows, delimiter=",", number=lambda cell: cell, gap=""):
    lines = [rows[0]]
    for age, income, plan, left in rows[1:]:
        lines.append([number(age) or gap, number(income) or gap, plan or gap, left])
    return "".join(delimiter.join(row) + "\n" for row in lines)


def comma(cell):
    return cell.replace(".", ",")


def grouped(cell):
    return f'"{float(cell):,.{len(cell.partition(".")[2])}f}"' if cell else ""


OPTIONS = {"target": "left", "positive": "yes"}


def fingerprint(path, **options):
    return dataset_of(path, entry_of(path, **OPTIONS, **options)).fingerprint


@pytest.fixture
def plain(write):
    return fingerprint(write("plain.csv", text(table())))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("semicolon.csv", "\ufeff" + text(table(), ";", comma)),
        ("tab.tsv", text(table(), "\t")),
        ("thousands.csv", text(table(), number=grouped)),
        ("marks.csv", text(table(), gap="NA")),
        ("marks2.csv", text(table(), gap="N/A")),
        ("null.csv", text(table(), gap="null")),
        ("utf16.csv", text(table(), "\t").encode("utf-16")),
        ("mac.csv", text(table()).replace("\n", "\r")),
        ("swiss.csv", text(table(), ";", lambda c: grouped(c).replace(",", "'"))),
        ("german.csv", text(table(), ";", lambda c: grouped(c).translate({44: ".", 46: ","}))),
        (
            "french.csv",
            text(table(), ";", lambda c: grouped(c).translate({44: "\u202f", 46: ","})),
        ),
        ("comment.csv", "# exported on Monday\n# by the shop\n" + text(table())),
        ("feed.csv", text(table()) + "\f"),
        ("dos.csv", text(table()).replace("\n", "\r\n") + "\x1a"),
        ("excel.csv", "sep=;\n" + text(table(), ";")),
        ("blank.tsv", text(table(), "\t") + "\t\t\t\n\n\t\t\t\n"),
        ("packed.csv.gz", gzip.compress(text(table()).encode(), mtime=0)),
        ("packed.csv.xz", lzma.compress(text(table()).encode())),
    ],
)
def test_the_same_table_gives_the_same_bits(write, plain, name, content):
    assert fingerprint(write(name, content)) == plain


def frame():
    pandas = pytest.importorskip("pandas")
    head, *rows = table()
    made = pandas.DataFrame(rows, columns=head).replace("", None)
    return made.astype({"age": float, "income": float})


def test_parquet_gives_the_same_bits(tmp_path, plain):
    frame().to_parquet(tmp_path / "t.parquet")
    assert fingerprint(tmp_path / "t.parquet") == plain
    frame().astype({"plan": "category", "left": "category"}).to_parquet(tmp_path / "c.parquet")
    assert fingerprint(tmp_path / "c.parquet") == plain
    frame().sample(frac=1, random_state=0).sort_index().to_parquet(tmp_path / "i.parquet")
    assert fingerprint(tmp_path / "i.parquet") == plain  # an index of its own is left out


def test_types_of_parquet(tmp_path):
    from decimal import Decimal

    import pandas as pd

    path = tmp_path / "t.parquet"
    made = pd.DataFrame(
        {
            "flag": [True, False, None],
            "whole": pd.array([1, None, 3], dtype="Int64"),
            "money": [Decimal("1.50"), None, Decimal("22.25")],
            "code": pd.Categorical([7, 8, 7]),
            "when": pd.to_datetime(["2024-01-01", None, "2024-01-02"]),
            "text": ["1,234.5", "NA", "7"],
            "y": ["a", "b", "a"],
        }
    )
    made.to_parquet(path)
    table = read(path, entry_of(path, target="y"))
    names = {column.name for column in table.columns if column.kind == "nominal"}
    assert names == {"flag", "when", "y"}
    expected = [[1, 1, 1.5, 7, 0, 1234.5, 0], [0, *[np.nan] * 2, 8, np.nan, np.nan, 1]]
    np.testing.assert_array_equal(table.values, [*expected, [np.nan, 3, 22.25, 7, 1, 7, 0]])
    assert table.layout.dates == ("when",)
    made.assign(text=[[1], [2], [3]]).to_parquet(path)
    with pytest.raises(DataError, match="column 'text' holds lists or other nested values"):
        inspect_table(path)
    made.assign(text=[b"1", b"2", b"3"]).to_parquet(path)
    with pytest.raises(DataError, match="column 'text' holds values of type bytes; leave it out"):
        inspect_table(path)


def test_excel_gives_the_same_bits(tmp_path, plain):
    pytest.importorskip("openpyxl", reason="needs the extra 'excel'")
    import pandas as pd

    frame().to_excel(tmp_path / "t.xlsx", index=False)
    assert fingerprint(tmp_path / "t.xlsx") == plain
    with pd.ExcelWriter(tmp_path / "two.xlsx") as two:
        frame().to_excel(two, sheet_name="first", index=False)
        frame().head(30).to_excel(two, sheet_name="second", index=False)
    with pytest.raises(DataError, match=r"2 sheets hold values \(first, second\)"):
        inspect_table(tmp_path / "two.xlsx")
    assert fingerprint(tmp_path / "two.xlsx", sheet="first") == plain
    assert inspect_table(tmp_path / "two.xlsx", sheet="second").rows == 30


def test_an_extra_that_is_not_there_is_named(write, monkeypatch):
    monkeypatch.setattr("rankexp.runner.data.readers.typed.find_spec", lambda name: None)
    with pytest.raises(DataError, match=r"pip install 'rankexp\[excel\]'"):
        inspect_table(write("t.xlsx", b"PK"))


def test_what_was_found_out_is_said(write):
    found = inspect_table(write("t.csv", "\ufeff" + text(table(), ";", comma, "NA")), **OPTIONS)
    layout = found.layout
    assert (layout.encoding, layout.delimiter, layout.decimal) == ("utf-8-sig", ";", ",")
    assert layout.marks == {"NA": 3 + sum(row[2] == "" for row in table()[1:])}
    assert "numbers were read with decimal ','" in found.warnings[0]
    assert "delimiter semicolon, decimal comma" in found.text()


NUMBERS = "".join(f"{i % 7},{i % 5}.5\n" for i in range(40))


@pytest.mark.parametrize(
    ("content", "line", "what"),
    [
        ('a,b\n"1,234",x\n"5,678",y\n', 2, "could be 1.234 or 1234; write"),
        ("a;b\n1,5;1.5\n2,5;2.5\n", 2, "use different number formats"),
        ("a,b\n" + NUMBERS + "n/k,1\n", 42, "'missing: [n/k]'"),
        ("a,b\n" + NUMBERS + "".join(f"oops,{i}\n" for i in range(30)), 42, "'nominal: [a]'"),
        ("a,b\n" + NUMBERS + "1_000,1\n", 42, "'1_000' is not a number"),
        ("a,b\n" + NUMBERS + "7%,1\n", 42, "'7%' is not a number"),
        (
            "a,b\n" + "".join(f"({i}),{i % 3}\n{i},0\n" for i in range(30)),
            2,
            "'(0)' is not a number",
        ),
        ("#a,b\n" + NUMBERS, 1, "begins with '#' but has as many cells as the rows"),
        ("Sales of May\na,b\n" + NUMBERS, 1, "if this line is a title, remove it"),
        ("a,b\n" + "".join(f"r{i},1,2\n" for i in range(9)), 1, "if the first column has no name"),
        ("age,2019\n" + NUMBERS, 1, "write 'header: true' or 'header: false'"),
        ("name,2019\n" + "x,1\ny,2\n" * 9, 1, "write 'header: true' or 'header: false'"),
        ('a,b\n1,"x\n' + NUMBERS, 2, "a quoted value is never closed"),
        ('a,b\n1,"x"y\n', 2, "text follows a closing quote"),
        ("a,b\n1," + "x" * 140_000 + "\n", 2, "a cell has more than 131,072 characters"),
        (b"\xef\xbb\xbfa,b\n1,x\n2,\xfc\n", 3, "is not valid utf-8-sig"),
        (b"a,b\n1,x\n2,\x81\n", 3, "give its encoding with 'encoding'"),
    ],
)
def test_doubts_and_faults_name_line_and_remedy(write, content, line, what):
    path = write("t.csv", content)
    with pytest.raises(DataError) as caught:
        inspect_table(path)
    assert str(caught.value).startswith(f"{path}:{line}: ")
    assert what in str(caught.value)


@pytest.mark.parametrize(
    ("name", "content", "what"),
    [
        ("t.csv", b"PK\x03\x04....", "zip archive"),
        ("t.xls", b"\xd0\xcf\x11\xe0....", "old Excel"),
        ("t.csv", gzip.compress(b"a,b\n", mtime=0), "must end in .gz"),
        ("t.csv", b"PAR1....PAR1", "must end in .parquet"),
        ("t.json", '[{"a": 1, "b": 2}]', "is JSON"),
        ("t.csv", '\n{"a": 1}\n', "is JSON"),
        ("t.html", "<!DOCTYPE html><table>", "HTML"),
        ("t.csv", bytes(range(256)), "is not text"),
        ("t.csv", "a,b\n1,\0\n".encode("utf-16"), "is not text: character 7 is zero"),
        ("t.csv", ("a,b\n" * 99).encode("utf-16-le"), "write 'encoding: utf-16-le'"),
        ("t.csv", "a|b;c\nd|e;f\n", "the delimiter could be ';' or '|'"),
    ],
)
def test_what_is_no_table_is_said_to_be(write, name, content, what):
    with pytest.raises(DataError) as caught:
        inspect_table(write(name, content))
    assert what in str(caught.value)


@pytest.mark.parametrize(
    ("content", "options", "expected"),
    [
        ('a,b\n"1,234",x\n', {"thousands": ","}, 1234.0),
        ('a,b\n"1,234",x\n', {"decimal": ","}, 1.234),
        ("a;b\n1.234;x\n", {}, 1.234),
        ("a;b\n1.234;x\n", {"thousands": "."}, 1234.0),
        ("a|b;c\n5|x;y\n", {"delimiter": "|"}, 5.0),
        ("a;b\n12%;x\n", {}, 12.0),
        ("a;b\n$1,200.50;x\n", {}, 1200.5),
        ("5;x\n6;y\n", {"header": True}, 6.0),
        ("a;b\n-9;x\n4;y\n", {"missing": [-9]}, np.nan),
        ("a;b\n1;x\n2+;y\n3;x\n4;x\n", {"nominal": ["column1"]}, 0.0),
        ("a;b\nNA;x\n4;y\n", {"missing_values": [""], "nominal": ["a"]}, 1.0),
    ],
)
def test_options_settle_what_is_in_doubt(write, content, options, expected):
    path = write("t.csv", content)
    found = read(path, entry_of(path, target="b", **options))
    np.testing.assert_array_equal(found.values[0, 0], expected)


def test_a_quoted_cell_may_hold_line_breaks(write):
    path = write("t.csv", 'a,b\n"x\ny",2\n"z",3\n"x\ny",oops\n' + "z,3\n" * 9)
    with pytest.raises(DataError, match=r"t.csv:5: 'oops' is not a number"):
        inspect_table(path)
    found = read(path, entry_of(path, target="a", nominal=["b"]))
    assert found.columns[0].categories == ("x\ny", "z")


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("1\r2", [[1], [2]]),
        ('a,b\r"x\ry",2\r"z",3\r', [[0, 2], [1, 3]]),
        ('a\tb\tc\n1\t"x y"\t\n2\t"z"\t5\n', [[1, 0, np.nan], [2, 1, 5]]),
        ("a,b\n1,2\n\n , \n3,4\n\x0c\n\x1a", [[1, 2], [3, 4]]),
        ("a,b\n1,2\n,,\n", None),
        (" a  b \n 1   2\n3 4 \n", [[1, 2], [3, 4]]),
    ],
)
def test_lines_and_blank_rows(write, content, expected):
    path = write("t.csv", content)
    if expected is None:
        with pytest.raises(DataError, match=r"t.csv:3: 3 values for 2 columns"):
            inspect_table(path)
    else:
        found = read(path, entry_of(path, target="a"))
        np.testing.assert_array_equal(found.values, expected)


ALIEN = {
    "index": ("", [str(i) for i in range(ROWS)]),
    "index of a part": ("", [str(i * 7 % 61) for i in range(ROWS)]),
    "counter": ("n", [str(100 + 3 * i) for i in range(ROWS)]),
    "numbered": ("place", [str(i * 7 % ROWS) for i in range(ROWS)]),
    "numbered with gaps": ("place", [str(900 + i * 37 % 113) for i in range(ROWS)]),
    "named": ("customer_id", [str(i * 7919 % 10007) for i in range(ROWS)]),
    "names": ("name", [f"person {i % 45}" for i in range(ROWS)]),
    "uuid": ("key", [f"{i % 9:08x}-0000-4000-8000-000000000000" for i in range(ROWS)]),
    "date": ("when", [f"2024-01-{i % 28 + 1:02d}" for i in range(ROWS)]),
    "time": ("at", [f"2024-01-{i % 28 + 1:02d} 10:{i % 60:02d}:00" for i in range(ROWS)]),
    "german date": ("am", [f"{i % 28 + 1}.3.2024" for i in range(ROWS)]),
    "nothing": ("nothing", [""] * ROWS),
}


def with_column(alien, given=None):
    name, cells = given or ALIEN[alien]
    rows = text(table()).splitlines()
    return "".join(f"{c},{row}\n" for c, row in zip([name, *cells], rows, strict=True))


@pytest.mark.parametrize("alien", ALIEN)
def test_a_column_that_is_no_feature_is_left_out_and_said(write, plain, alien):
    path = write("t.csv", with_column(alien))
    assert fingerprint(path) == plain
    found = inspect_table(path, **OPTIONS)
    name = ALIEN[alien][0] or "column1"
    assert list(found.left_out) == [name]
    assert sum(f"left out: '{name}'" in warning for warning in found.warnings) == 1


@pytest.mark.parametrize("alien", [alien for alien in ALIEN if alien != "nothing"])
def test_an_entry_keeps_or_refuses_such_columns(write, alien):
    path = write("t.csv", with_column(alien))
    name = ALIEN[alien][0] or "column1"
    for options in ({"keep": [name]}, {"identifiers": "keep"}):
        found = dataset_of(path, entry_of(path, **OPTIONS, **options))
        assert found.features[0].name == name
    with pytest.raises(DataError, match=f"not fit as features: '{name}'"):
        inspect_table(path, **OPTIONS, identifiers="refuse")


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        ([500 + 37 * i % 113 for i in range(ROWS)], "left out"),
        ([20_000 + 7919 * i % 10_007 for i in range(ROWS)], "doubtful"),  # incomes, perhaps
        ([500 + 37 * i % 113 for i in range(ROWS - 1)] + [500], "plain"),  # one number twice
        ([i * 7919 % 10_007 + 0.5 for i in range(ROWS)], "plain"),
    ],
)
def test_whole_numbers_that_all_differ_are_left_out_where_dense_and_else_said(write, cells, kind):
    path = write("t.csv", with_column("", ("some", [str(cell) for cell in cells])))
    found = inspect_table(path, **OPTIONS)
    said = [w for w in found.warnings if "'some': every row has a different whole number" in w]
    assert (list(found.left_out) == ["some"]) == (kind == "left out")
    assert len(said) == (kind == "doubtful")
    kept = inspect_table(path, **OPTIONS, keep=["some"]).warnings
    assert not any("different whole" in warning for warning in kept)


@pytest.mark.parametrize(
    ("unit", "said"),
    [
        ("{} kg", True),
        ("{}km/h", True),
        ("EUR {}.50", True),
        ("{} %", False),  # read as numbers
        ("Q{}", False),
        ("{} High Street of flats", False),
    ],
)
@pytest.mark.parametrize("distinct", [12, 60])
def test_numbers_with_units_are_said(write, unit, said, distinct):
    path = write(
        "t.csv",
        with_column("", ("some", [unit.format(7 * i % distinct * 3) for i in range(ROWS)])),
    )
    found = inspect_table(path, **OPTIONS)
    words = (
        "write the numbers without" if distinct > ROWS / 2 else "('0 kg'): numbers with units were"
    )
    words = words.replace("0 kg", unit.format(0))
    assert sum("'some'" in w and words in w for w in found.warnings) == said
    assert (list(found.left_out) == ["some"]) == (distinct > ROWS / 2 and "%" not in unit)
    kept = inspect_table(path, **OPTIONS, nominal=["some"])
    assert not any("without" in w or "with units" in w for w in kept.warnings)
    assert not kept.left_out


def test_leading_zeros_are_said(write):
    path = write(
        "t.csv", "zip,half,y\n" + "".join(f"{i % 9:05d},0.{i % 7},{i % 2}\n" for i in range(40))
    )
    (warning,) = inspect_table(path).warnings
    assert "leading zeros were read as numbers in zip;" in warning
    assert not inspect_table(path, nominal=["zip"]).warnings


@pytest.mark.parametrize(
    ("cells", "doubt"),
    [
        (["1.234", "12.500", "7"], True),
        (["1.234", "12.5", "7"], False),
        (["1.234", "0.500", "7"], False),
        (["1.234", "1234.500", "7"], False),
        (["1.234", "-.500", "7"], False),
    ],
)
def test_points_that_may_separate_thousands_are_said(write, cells, doubt):
    path = write("t.csv", "a;b\n" + "".join(f"{cell};x\n" for cell in cells * 9))
    assert ["three digits" in warning for warning in inspect_table(path).warnings] == [
        True
    ] * doubt
    assert inspect_table(path, thousands="", decimal=".").warnings == ()


def test_honest_columns_stay(write):
    rows = ["year,zone,score,left"]
    rows += [
        f"{2000 + i % 20},z{i % 25},{i * 1.5},{'yes' if i % 3 else 'no'}" for i in range(ROWS)
    ]
    found = inspect_table(write("t.csv", "\n".join(rows)), **OPTIONS)
    assert not found.left_out
    assert not found.warnings


def test_other_sources_keep_what_they_have(write):
    path = write("t.csv", with_column("counter"))
    entry = entry_of(path, **OPTIONS)
    found = read(path, entry)
    elsewhere = type(found)(found.name, found.columns, found.values, {"source": "openml"})
    assert build("t", elsewhere, entry).features[0].name == "n"


def test_rows_without_a_target_are_left_out_and_counted(write, plain):
    rows = text(table()).splitlines()
    rows[2:2] = ["33,1.5,plus,", "34,1.5,plus,NA"]
    path = write("t.csv", "\n".join(rows))
    assert fingerprint(path) == plain
    found = inspect_table(path, **OPTIONS)
    assert (found.rows, found.without_target) == (ROWS, 2)
    assert sum("2 of 62 rows have no target 'left'" in w for w in found.warnings) == 1


def test_too_many_columns_after_coding_are_refused_with_names(write):
    rows = [f"{i % 5},k{i % 3000},s{i % 2500},{i % 2}\n" for i in range(12_000)]
    path = write("t.csv", "a,shop,street,y\n" + "".join(rows))
    options = {"target": "y", "levels": [0, 1]}
    refused = r"5,500 columns.*'shop' 3,000, 'street' 2,500"
    with pytest.raises(DataError, match=refused):
        dataset_of(path, entry_of(path, **options))
    warning = inspect_table(path, **options).warnings[-1]
    assert re.match("a study would refuse this table: .*" + refused, warning)
    found = inspect_table(path, target="y", levels=[0, 1], most_coded=6000)
    assert found.width == 5501
    assert found.size == 8 * 12_000 * 5501


def test_more_than_there_is_room_for_is_refused(entry):
    from rankexp.runner.data.suitable import check_width

    wide = [Feature(f"x{j}") for j in range(100_000)]
    with pytest.raises(
        DataError, match=r"columns needs about 8,000\.0 GB of memory, but .* GB are"
    ):
        check_width(wide, 10_000_000, entry())


@pytest.mark.parametrize(
    ("suffix", "pack"), [(".gz", gzip.compress), (".xz", partial(lzma.compress, preset=0))]
)
def test_a_bomb_is_not_unpacked(write, monkeypatch, suffix, pack):
    path = write("bomb.csv" + suffix, pack(b"1,2\n" * 15_000_000))
    with pytest.raises(DataError, match=r"unpack to more than 50 MB.*RANKEXP_UNPACKED_MB"):
        inspect_table(path)
    small = write("small.csv" + suffix, pack(b"1,2\n" * 300_000))
    assert inspect_table(small).rows == 300_000
    monkeypatch.setenv("RANKEXP_UNPACKED_MB", "1")
    with pytest.raises(DataError, match="unpack to more than 1 MB"):
        inspect_table(small)


def test_a_parquet_file_of_few_bytes_and_many_rows_is_not_unpacked(tmp_path):
    import pandas as pd

    pd.DataFrame({f"x{j}": np.zeros(2_000_000) for j in range(4)}).to_parquet(
        tmp_path / "t.parquet"
    )
    assert (tmp_path / "t.parquet").stat().st_size < 100_000
    with pytest.raises(DataError, match="unpack to more than 50 MB"):
        inspect_table(tmp_path / "t.parquet")


@pytest.mark.slow
def test_wide_tables_take_time_in_proportion(write, monkeypatch):
    from time import perf_counter

    spent = []
    for columns in (1000, 8000):
        head = ",".join(f"x{j}" for j in range(columns))
        body = "\n".join(",".join(f"{i * j % 97}.5" for j in range(columns)) for i in range(25))
        path = write("wide.csv", head + "\n" + body)
        begun = perf_counter()
        assert len(inspect_table(path, target="x0").columns) == columns
        spent.append(perf_counter() - begun)
    assert spent[1] < 40 * spent[0] + 0.5  # quadratic would be 64 times and more


def test_a_mark_that_is_a_level_is_none(write):
    path = write("t.csv", "a,harm\n" + "1,None\n2,mild\nNA,None\n" * 5)
    found = inspect_table(path, target="harm", levels=["mild", "None"])
    assert found.levels == (("mild", 5), ("None", 10))
    assert found.layout.marks == {"NA": 5}
    assert found.warnings == ("read as missing: NA (5); 'missing_values' changes this",)


def test_positive_writes_levels_out(write):
    path = write("t.csv", "a,y\n1,no\n2,yes\n3,no\n")
    assert entry_of(path, target="y", positive="no").levels == ["yes", "no"]
    assert inspect_table(path, target="y", positive="yes").levels == (("no", 2), ("yes", 1))
    with pytest.raises(DataError, match="must be one of two"):
        inspect_table(path, target="y", positive="maybe")
    with pytest.raises(ConfigError, match="cannot be combined"):
        inspect_table(path, target="y", positive="yes", levels=["no", "yes"])
    with pytest.raises(ConfigError, match="decimel"):
        inspect_table(path, decimel=",")


@pytest.mark.parametrize("parquet", [False, True])
def test_codes_of_more_digits_than_a_number_has_stay_apart(write, tmp_path, parquet):
    """Twenty groups were one, as 900000000000000001 and ...02 have the same value."""
    rng = np.random.default_rng(0)
    codes = 900_000_000_000_000_000 + rng.integers(0, 20, ROWS)
    x = rng.normal(size=ROWS)
    rows = [f"{x[i]:.3f},{codes[i]},{'yes' if x[i] > 0 else 'no'}" for i in range(ROWS)]
    path = write("codes.csv", "x,code,left\n" + "\n".join(rows))
    if parquet:
        frame = pd.read_csv(path)
        assert frame["code"].dtype == np.int64
        path = tmp_path / "codes.parquet"
        frame.to_parquet(path)
    for role in ("groups", "part"):
        made = dataset_of(path, entry_of(path, **OPTIONS, **{role: "code"}))
        names = made.group_names if role == "groups" else made.part_names
        assert names == tuple(map(str, np.unique(codes))), role
    named = inspect_table(path, **OPTIONS, nominal=["code"])
    assert next(c for c in named.columns if c.name == "code").categories == len(np.unique(codes))
    assert not any("so many digits" in warning for warning in named.warnings)
    said = inspect_table(path, **OPTIONS).warnings
    assert any("'code' has numbers with so many digits that some different" in w for w in said)


def test_large_numbers_that_stay_apart_are_numbers(write):
    rows = [f"{i},{i + 1}e30,{2**53 + 2 * i},{'yes' if i % 2 else 'no'}" for i in range(ROWS)]
    path = write("large.csv", "x,e,code,left\n" + "\n".join(rows))
    made = dataset_of(path, entry_of(path, **OPTIONS, keep=["x", "e", "code"]))
    assert made.features == (Feature("x"), Feature("e"), Feature("code"))
    assert not any("digits" in warning for warning in made.reading.warnings)


@pytest.mark.parametrize("role", [{"groups": "code"}, {"part": "code"}, {"nominal": ["code"]}])
def test_numbers_that_were_rounded_name_nothing(write, role):
    head = "@relation t\n@attribute x real\n@attribute code integer\n@attribute left {no,yes}\n"
    rows = [f"{i % 7},{10**18 + i % 5},{'yes' if i % 2 else 'no'}" for i in range(ROWS)]
    path = write("t.arff", head + "@data\n" + "\n".join(rows))
    with pytest.raises(DataError, match="code' has numbers above 9007199254740992, which are rou"):
        dataset_of(path, entry_of(path, **OPTIONS, **role))
    path = write("t.arff", path.read_text().replace("code integer", "code string"))
    made = dataset_of(path, entry_of(path, **OPTIONS, **role))
    assert "1000000000000000004" in (
        made.group_names or made.part_names or made.features[1].categories
    )


def test_a_reading_names_some_of_many_levels_and_no_mark_that_is_not_there(write, tmp_path):
    rows = [f"{i % 7},name {i}" for i in range(ROWS)]
    path = write("names.csv", "x,y\n" + "\n".join(rows))
    said = inspect_table(path, target="y").text()
    assert "name 35 (1), and 30 more" in " ".join(said.split()) and "read as" not in said
    pd.read_csv(path).to_parquet(tmp_path / "names.parquet")
    assert "read as missing" not in inspect_table(tmp_path / "names.parquet", target="y").text()


@pytest.mark.parametrize("mark", ["None", ""])
def test_a_level_that_is_read_as_missing_is_named_with_the_way_back(tmp_path, mark):
    cells = [f"{i},{('low', 'high', mark)[i % 3]}" for i in range(60)]
    (tmp_path / "t.csv").write_text("\n".join(["x,y", *cells]), encoding="utf-8")
    said = " ".join(inspect_table(tmp_path / "t.csv", target="y").warnings)
    assert "20 of 60 rows have no target 'y' and were left out" in said
    assert ("left out; if 'None' is a value of it, name all values" in said) is bool(mark)
    levels = ["None", "low", "high"]
    if mark:
        own = inspect_table(tmp_path / "t.csv", target="y", missing=["low"], missing_values=[""])
        assert "is a value of it" not in " ".join(own.warnings), "the user said so"
        assert inspect_table(tmp_path / "t.csv", target="y", levels=levels).rows == 60


def test_a_title_above_the_header_is_named(tmp_path):
    pytest.importorskip("openpyxl")
    file = tmp_path / "t.xlsx"
    rows = [["hours", "plan", "y"], *[[i, "ab"[i % 2], i % 3] for i in range(30)]]
    pd.DataFrame([["Results", None, None], 3 * [None], *rows]).to_excel(
        file, header=False, index=False
    )
    with pytest.raises(DataError, match=r"t.xlsx:1: only one cell .* seem to be in line 3:"):
        inspect_table(file)
    assert inspect_table(file, header=True, nominal=["Results", "column3"]).rows == 31
    text = "\n".join(",".join(map(str, row)) for row in [[",", "y"], *rows[1:]])
    (tmp_path / "t.csv").write_text(text)  # two columns without a name
    assert inspect_table(tmp_path / "t.csv").rows == 30
